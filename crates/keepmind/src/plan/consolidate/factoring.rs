//! Whether a line says what rows say: all of it, nothing else, and of nobody else. Words may only be left out
//! where two rows that follow each other begin alike: "User likes tea" and "User likes milk" are "User likes
//! tea and milk". So no name, number or "not" comes in, is lost, or goes over to another.

use crate::plan::details::words;
use crate::text;

/// Words that join, and those that make no difference.
const FREE: &[&str] = &[
    "a", "an", "and", "also", "aber", "aussi", "auch", "both", "but", "et", "mais", "pero", "the",
    "too", "und", "y",
];

/// After these somebody else may be meant by what follows without saying who.
const TELLS: &[&str] = &[
    "because", "believes", "dass", "die", "der", "das", "hears", "heard", "hopes", "knows", "que",
    "qui", "said", "says", "that", "thinks", "thought", "told", "when", "where", "which", "who",
    "whom", "whose", "wishes",
];

/// How many ways of reading a line are tried.
const MOST_STEPS: usize = 10_000;

/// A text's words, folded, without the free ones.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    folded: String,
    /// Whether it is written like a name or a number.
    is_detail: bool,
    /// Whether a comma, a full stop or a joining word stands before it.
    begins: bool,
}

/// Whether a line is made of these rows and of nothing else, each once.
pub(super) fn says_just(line: &str, rows: &[&str]) -> bool {
    let line = words_of(line);
    let rows: Vec<Vec<Word>> = rows.iter().map(|row| words_of(row)).collect();
    if line.is_empty() || rows.iter().any(Vec::is_empty) {
        return false;
    }
    let mut reading = Reading {
        line: &line,
        rows: &rows,
        is_used: vec![false; rows.len()],
        steps: 0,
    };
    reading.goes_on(0, None)
}

fn words_of(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut begins = true;
    let mut last_end = 0;
    for word in words(text) {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        begins |= text[last_end..start].contains(|mark: char| {
            mark.is_ascii_punctuation() && mark != '\'' || "，、；：（）—–。！？…".contains(mark)
        });
        last_end = start + word.len();
        let folded = text::fold(word).replace('’', "'");
        if FREE.contains(&folded.as_str()) {
            begins |= !matches!(folded.as_str(), "a" | "an" | "the");
            continue;
        }
        let first = word.chars().next();
        found.push(Word {
            is_detail: first.is_some_and(|letter| letter.is_uppercase() || letter.is_numeric()),
            begins: std::mem::take(&mut begins),
            folded,
        });
    }
    found
}

fn is_user(word: &Word) -> bool {
    text::is_user_word(word.folded.strip_suffix("'s").unwrap_or(&word.folded))
}

/// A line being read row by row.
struct Reading<'r> {
    line: &'r [Word],
    rows: &'r [Vec<Word>],
    is_used: Vec<bool>,
    steps: usize,
}

impl Reading<'_> {
    /// Whether the rest of the line is the rest of the rows; `last` is the row that was read last.
    fn goes_on(&mut self, at: usize, last: Option<usize>) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return false;
        }
        let rest = &self.line[at..];
        let Some(first) = rest.first() else {
            return self.is_used.iter().all(|used| *used);
        };
        if !first.begins {
            return false;
        }
        let rows = self.rows;
        for (index, row) in rows.iter().enumerate() {
            let is_tried = || {
                let earlier = rows[..index].iter().zip(&self.is_used);
                earlier
                    .into_iter()
                    .any(|(other, used)| !used && is_same(other, row))
            };
            if self.is_used[index] || is_tried() {
                continue;
            }
            let last_row = last.map(|last| rows[last].as_slice());
            let most = last_row.map_or(0, |last| alike(last, row));
            for left_out in 0..=most.min(row.len() - 1) {
                let said = &row[left_out..];
                let may_be = match last_row {
                    Some(last) => may_follow(last, row, left_out),
                    None => left_out == 0,
                };
                if !may_be || rest.len() < said.len() || !is_same(&rest[..said.len()], said) {
                    continue;
                }
                self.is_used[index] = true;
                if self.goes_on(at + said.len(), Some(index)) {
                    return true;
                }
                self.is_used[index] = false;
            }
        }
        false
    }
}

fn is_same(one: &[Word], other: &[Word]) -> bool {
    let folded = |words: &[Word]| {
        words
            .iter()
            .map(|word| word.folded.clone())
            .collect::<Vec<_>>()
    };
    one.len() == other.len() && folded(one) == folded(other)
}

/// With how many words two rows begin alike.
fn alike(one: &[Word], other: &[Word]) -> usize {
    let pairs = one.iter().zip(other);
    pairs
        .take_while(|(one, other)| one.folded == other.folded)
        .count()
}

/// Whether a row can follow another without so many of its first words, and still be said of the same.
fn may_follow(last: &[Word], row: &[Word], left_out: usize) -> bool {
    if left_out == 0 {
        return is_user(&row[0]) || last[0].folded == row[0].folded;
    }
    let tells = last
        .iter()
        .any(|word| TELLS.contains(&word.folded.as_str()));
    let (Some(before), Some(after)) = (last.get(left_out), row.get(left_out)) else {
        return false;
    };
    // "User's sister Anna rows" and "User's sister sails" may be two sisters.
    let is_anothers = row[..left_out]
        .iter()
        .any(|word| word.folded.ends_with("'s"));
    let is_parallel = !is_anothers || before.is_detail == after.is_detail;
    is_parallel && !tells
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_that_begin_alike_are_said_in_one_line() {
        for (line, rows) in [
            ("User likes tea", &["User likes tea"][..]),
            (
                "User likes tea and milk.",
                &["User likes tea", "User likes milk"],
            ),
            (
                "User likes tea, milk and rum",
                &["User likes rum", "User likes tea", "User likes milk"],
            ),
            (
                "User lives in Lyon and works as a nurse",
                &["User lives in Lyon", "User works as a nurse"],
            ),
            (
                "User does not like tea but likes milk",
                &["User likes milk", "User does not like tea"],
            ),
            (
                "User's sister Anna is a nurse and brother Ben lives in Lyon",
                &[
                    "User's sister Anna is a nurse",
                    "User's brother Ben lives in Lyon",
                ],
            ),
            (
                "User's sister Anna is a nurse and lives in Lyon",
                &[
                    "User's sister Anna is a nurse",
                    "User’s sister Anna lives in Lyon",
                ],
            ),
            (
                "User's rent is 900 euros. User's salary is 3000 euros.",
                &["User's salary is 3000 euros", "User's rent is 900 euros"],
            ),
            (
                "User lives in Ghent, not in Bruges; User rows",
                &["User lives in Ghent, not in Bruges", "User rows"],
            ),
            ("Likes tea and milk", &["Likes tea", "Likes milk"]),
        ] {
            assert!(says_just(line, rows), "{line}");
        }
    }

    #[test]
    fn nothing_is_added_lost_or_said_of_another() {
        let people = &[
            "User's sister Anna is a nurse",
            "User's brother Ben lives in Lyon",
        ][..];
        let money = &["User's rent is 900 euros", "User's salary is 3000 euros"][..];
        for (line, rows) in [
            ("", &["User likes tea"][..]),
            ("User likes tea", &[]),
            ("User likes tea", &[""]),
            ("User likes green tea", &["User likes tea"]),
            ("User liked tea", &["User likes tea"]),
            ("User likes tea", &["User likes tea with milk"]),
            ("User likes tea", &["User likes tea", "User likes milk"]),
            (
                "User likes tea milk",
                &["User likes tea", "User likes milk"],
            ),
            ("User likes tea and tea", &["User likes tea"]),
            // What is denied or over stays so, and nothing else becomes so.
            ("User likes tea", &["User does not like tea"]),
            (
                "User does not like tea and milk",
                &["User does not like tea", "User likes milk"],
            ),
            (
                "User does not like tea, likes rum, milk",
                &[
                    "User does not like tea",
                    "User likes rum",
                    "User does not like milk",
                ],
            ),
            (
                "User was a nurse and a cook",
                &["User was a nurse", "User is a cook"],
            ),
            (
                "User moved to Lyon from Paris",
                &["User moved from Lyon to Paris"],
            ),
            // Nobody is given what another has.
            ("User's sister Anna is a nurse and lives in Lyon", people),
            (
                "User's sister Anna lives in Lyon and brother Ben is a nurse",
                people,
            ),
            (
                "User's sister Ben is a nurse and brother Anna lives in Lyon",
                people,
            ),
            ("User's sister and brother are Anna and Ben", people),
            (
                "User's sister Anna is a nurse and lives in Lyon",
                &["User's sister Anna is a nurse", "User lives in Lyon"],
            ),
            (
                "User's sister Anna rows and sails",
                &["User's sister Anna rows", "User's sister sails"],
            ),
            (
                "User has a sister who rows and sails",
                &["User has a sister who rows", "User sails"],
            ),
            ("Anna rows and sails", &["Anna rows", "Sails"]),
            (
                "Anna likes tea and likes milk",
                &["Anna likes tea", "User likes milk"],
            ),
            (
                "Anna likes tea. Likes milk",
                &["Anna likes tea", "Likes milk"],
            ),
            ("User's rent is 3000 euros and salary is 900 euros", money),
            ("User's rent and salary are 900 and 3000 euros", money),
            // Letters that only look the same make another word.
            ("User likes tеa", &["User likes tea"]),
        ] {
            assert!(!says_just(line, rows), "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_reading_ends_and_says_every_word(
            line in "(User |likes |tea|, |and |not ){0,14}",
            rows in prop::collection::vec("(User |likes |tea |not |milk ){0,5}", 0..7),
        ) {
            let given: Vec<&str> = rows.iter().map(String::as_str).collect();
            if says_just(&line, &given) {
                let said: Vec<String> = words_of(&line).into_iter().map(|word| word.folded).collect();
                for row in rows {
                    for word in words_of(&row) {
                        prop_assert!(said.contains(&word.folded));
                    }
                }
            }
        }
    }
}
