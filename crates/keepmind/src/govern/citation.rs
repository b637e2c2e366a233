//! Which memories an answer cites: by their numbers, or in words that only they could have brought.

use serde::Serialize;

use crate::ids::{Number, RowId};
use crate::order;
use crate::plan::Replied;
use crate::row::MemoryRow;

/// How much of an answer is looked through.
const LONGEST_ANSWER: usize = 64 << 10;

/// A memory that an answer cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Citation {
    /// Which fact.
    pub number: Number,
    /// Its row that was in play.
    pub row: RowId,
    /// What gave it away.
    #[serde(flatten)]
    pub by: CitedBy,
}

/// How an answer cites a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CitedBy {
    /// It names it: `#12`.
    Number,
    /// A sentence says what it says.
    Words {
        /// The sentence of the answer.
        sentence: String,
        /// The terms that they share.
        matched: Vec<String>,
    },
}

impl CitedBy {
    /// What the ledger keeps of it: no words of either.
    pub(crate) fn influence(&self) -> &'static str {
        match self {
            CitedBy::Number => "the answer named its number",
            CitedBy::Words { .. } => "the answer said what it says",
        }
    }
}

/// Which of the rows in play an answer cites, in order of number.
pub(crate) fn citations<'a>(
    answer: &str,
    rows: impl IntoIterator<Item = &'a MemoryRow>,
) -> Vec<Citation> {
    let mut end = answer.len().min(LONGEST_ANSWER);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    let answer = &answer[..end];
    let replied = Replied::new(answer);
    let cited = |row: &MemoryRow| {
        let number = row.body.number;
        let by = match names(answer, number) {
            true => CitedBy::Number,
            false => {
                let (sentence, matched) = replied.says(&row.body.claim.content)?;
                CitedBy::Words {
                    sentence: sentence.to_owned(),
                    matched,
                }
            }
        };
        Some(Citation {
            number,
            row: row.id,
            by,
        })
    };
    let mut found: Vec<Citation> = rows.into_iter().filter_map(cited).collect();
    order::sort_by_key(&mut found, |citation| (citation.number, citation.row));
    found
}

/// Whether an answer holds `#12` as a name: neither a part of `#123` nor of a word, link or entity.
fn names(answer: &str, number: Number) -> bool {
    let name = number.to_string();
    answer.match_indices(&name).any(|(at, found)| {
        let before = answer[..at].chars().next_back();
        let after = answer[at + found.len()..].chars().next();
        let joins = |character: char| character.is_alphanumeric() || "_/&#-".contains(character);
        !before.is_some_and(joins)
            && !after.is_some_and(|after| after.is_alphanumeric() || after == '_')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::ids::Version;
    use crate::memory::{Claim, Marks, Memory};
    use crate::timestamp::Timestamp;

    fn row(number: u64, content: &str) -> MemoryRow {
        let id = RowId::new(Uuid::from_u128(number.into()));
        MemoryRow {
            id,
            origin: id.into(),
            recorded_at: Timestamp::UNIX_EPOCH,
            end: None,
            marks: Marks::default(),
            body: Memory {
                number: Number::new(number).unwrap(),
                version: Version::FIRST,
                claim: Claim::note("fact", content, Timestamp::UNIX_EPOCH),
            },
        }
    }

    fn told(answer: &str, content: &str) -> &'static str {
        match citations(answer, [&row(12, content)])
            .pop()
            .map(|one| one.by)
        {
            None => "no",
            Some(CitedBy::Number) => "number",
            Some(CitedBy::Words { .. }) => "words",
        }
    }

    #[test]
    fn what_cites_and_what_does_not() {
        let ghent = "User lives in Ghent";
        for (answer, content, expected) in [
            ("I used #12 here.", ghent, "number"),
            ("(#12)", ghent, "number"),
            ("#12, #3", ghent, "number"),
            ("See #123.", ghent, "no"),
            ("See #1.", ghent, "no"),
            ("Read example.org/#12 and &#12; or a#12", ghent, "no"),
            ("Since you live in Ghent, take the train.", ghent, "words"),
            ("You're living in Ghent, so take the train.", ghent, "words"),
            ("Ghent is a lovely place.", ghent, "no"),
            ("You live in Bruges.", ghent, "no"),
            ("You do not live in Ghent.", ghent, "no"),
            ("You live there. Ghent is nice.", ghent, "no"),
            (
                "No fish, as you don't eat fish.",
                "User does not eat fish",
                "words",
            ),
            ("Let us eat fish!", "User does not eat fish", "no"),
            (
                "As you prefer window seats, I took 14A.",
                "User prefers window seats",
                "words",
            ),
            ("I took a window.", "User prefers window seats", "no"),
            (
                "You have 3 cats, so a larger flat helps.",
                "User has 3 cats",
                "words",
            ),
            ("You have 2 cats.", "User has 3 cats", "no"),
            (
                "Your dog Rex may come along.",
                "User's dog is named Rex",
                "words",
            ),
            (
                "Your dog Max may come along.",
                "User's dog is named Rex",
                "no",
            ),
            ("Tea?", "User likes tea", "no"),
            (
                "Since you like tea, here is one.",
                "User likes tea",
                "words",
            ),
            ("", ghent, "no"),
            ("用户住在根特，所以坐火车吧。", "用户住在根特", "words"),
            ("Ja.", "用户住在根特", "no"),
        ] {
            assert_eq!(told(answer, content), expected, "{answer} / {content}");
        }
    }

    #[test]
    fn it_says_which_sentence_and_in_order_of_number() {
        let rows = [row(7, "User likes jazz"), row(2, "User lives in Ghent")];
        let answer = "Hello! As you live in Ghent and like jazz, go to the club.";
        let found = citations(answer, &rows);
        let numbers: Vec<u64> = found.iter().map(|one| one.number.get()).collect();
        assert_eq!(numbers, [2, 7]);
        let CitedBy::Words { sentence, matched } = &found[0].by else {
            panic!("by words");
        };
        assert!(sentence.starts_with("As you live"), "{sentence}");
        assert_eq!(*matched, ["ghent", "live"]);
    }

    proptest! {
        #[test]
        fn any_answer_is_looked_through(answer in "\\PC{0,80}", content in "\\PC{1,40}") {
            for cited in citations(&answer, [&row(1, &content)]) {
                if let CitedBy::Words { sentence, matched } = cited.by {
                    prop_assert!(answer.contains(&sentence));
                    prop_assert!(matched.len() >= 2);
                }
            }
        }
    }
}
