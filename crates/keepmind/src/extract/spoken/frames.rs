//! Facts read by the frame they are said in: a few fixed words, a hole, and what that means in English.
//! How every language but English is read.

use super::StatementKind;
use super::frame::Hole;
use super::language::Language;
use super::words::Word;

/// What a clause says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// How many words of the clause it rests on.
    pub(super) length: usize,
    /// In the third person.
    pub(super) content: String,
    pub(super) kind: StatementKind,
}

/// More than this in a hole is not an answer to what the frame asks.
const LONGEST_HOLE: usize = 9;

/// What the first frame that fits says.
pub(super) fn read(words: &[Word<'_>], language: &Language, no: &[&str]) -> Option<Reading> {
    let denied_first = words.first().is_some_and(|word| word.is(no));
    let body = if denied_first { &words[1..] } else { words };
    language.frames.iter().find_map(|frame| {
        let found = fit(frame.said, body, language)?;
        let hole = &body[found.hole.clone()];
        let denies = |word: &&Word<'_>| is_denial(&word.form, no);
        let denied = denied_first || found.denied || hole.iter().any(|word| denies(&word));
        let hole: Vec<&Word<'_>> = hole.iter().filter(|word| !denies(word)).collect();
        fills(&hole, frame.hole, language).then_some(())?;
        let template = if denied { frame.denied } else { frame.means };
        (!template.is_empty()).then_some(())?;
        let filling: Vec<&str> = hole.iter().map(|word| word.written).collect();
        let content = template
            .replace('@', &found.person)
            .replace("{}", &filling.join(" "));
        Some(Reading {
            length: words.len() - body.len() + found.end,
            content,
            kind: frame.kind,
        })
    })
}

fn is_denial(form: &str, no: &[&str]) -> bool {
    no.contains(&form) || form.starts_with("kein") && form.len() <= 6
}

fn fills(hole: &[&Word<'_>], wanted: Hole, language: &Language) -> bool {
    let first = hole.first();
    match wanted {
        Hole::None => true,
        Hole::Words => (1..=LONGEST_HOLE).contains(&hole.len()),
        Hole::Capital => hole.len() <= LONGEST_HOLE && first.is_some_and(|word| word.is_capital()),
        Hole::Number => {
            hole.len() == 1
                && first
                    .is_some_and(|word| word.number().is_some_and(|age| (5..120).contains(&age)))
        }
        Hole::In(list) => hole.len() <= LONGEST_HOLE && first.is_some_and(|word| word.is(list)),
        Hole::Close => {
            let close = |word: &&Word<'_>| {
                language
                    .people
                    .iter()
                    .any(|(person, _)| *person == word.form)
            };
            hole.len() <= LONGEST_HOLE && hole.iter().take(4).any(close)
        }
    }
}

struct Found {
    hole: std::ops::Range<usize>,
    end: usize,
    person: String,
    denied: bool,
}

/// Lays a frame over the beginning of the words. Each item takes words once, so this is as long as they are.
fn fit(said: &str, words: &[Word<'_>], language: &Language) -> Option<Found> {
    let mut at = 0;
    let mut found = Found {
        hole: 0..0,
        end: 0,
        person: String::new(),
        denied: false,
    };
    let mut holed = false;
    let items: Vec<&str> = said.split_whitespace().collect();
    for (index, item) in items.iter().enumerate() {
        let follows = |at: usize| words.get(at).filter(|word| at == 0 || word.follows());
        if *item == "{}" {
            holed = true;
            let until = items.get(index + 1)?;
            let end = (at + 1..words.len()).find(|&end| matches(until, &words[end]))?;
            found.hole = at..end;
            at = end;
        } else if *item == "@" {
            let word = follows(at)?;
            let (_, person) = language
                .people
                .iter()
                .find(|(person, _)| *person == word.form)?;
            found.person = (*person).to_owned();
            at += 1;
            if let Some(name) = follows(at).filter(|name| name.is_capital()) {
                // German capitals are no names, but no noun follows a person at once.
                found.person = format!("{person} {}", name.written);
                at += 1;
            }
        } else if let Some(item) = item.strip_suffix('?') {
            if follows(at).is_some_and(|word| matches(item, word)) {
                at += 1;
            }
        } else {
            // "mi hijo no come": the denial stands before the verb.
            if index > 0
                && follows(at).is_some_and(|word| word.form == "no")
                && !matches(item, &words[at])
            {
                found.denied = true;
                at += 1;
            }
            follows(at).filter(|word| matches(item, word))?;
            at += 1;
        }
    }
    if !holed {
        let end = (at..words.len())
            .find(|&end| !words[end].follows())
            .unwrap_or(words.len());
        found.hole = at..end;
        at = end;
    }
    found.end = at;
    Some(found)
}

fn matches(item: &str, word: &Word<'_>) -> bool {
    item.split('|').any(|choice| choice == word.form)
}
