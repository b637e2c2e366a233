//! Whether nothing in an answer can be used because all of it is made up: whoever gave it may be asked again.

use crate::ids::Number;
use crate::memory::Span;
use crate::plan::Turn;
use crate::plan::learn::alike::Meaning;
use crate::plan::learn::support::{has_same_polarity, is_supported};
use crate::plan::learn::{About, Candidate, Grounds};
use crate::plan::said::Said;
use crate::text;

/// Whether candidates would keep something, and none of it is what the user said. What is kept is decided by
/// [`learn`](super::learn) alone, which knows more.
pub(crate) fn is_made_up(
    candidates: &[Candidate],
    shown: &[(Number, String)],
    turn: &Turn,
) -> bool {
    let mut writes = candidates.iter().filter(|one| one.verb.writes()).peekable();
    writes.peek().is_some() && writes.all(|one| is_invented(one, shown, turn))
}

fn is_invented(candidate: &Candidate, shown: &[(Number, String)], turn: &Turn) -> bool {
    if !candidate.codes.is_empty() {
        return true;
    }
    let known = match candidate.about {
        About::Nothing | About::Nearest => "",
        About::Number(number) => match shown.iter().find(|(one, _)| *one == number) {
            Some((_, line)) => line,
            None => return true,
        },
    };
    match &candidate.grounds {
        Grounds::Nowhere | Grounds::Missing => true,
        Grounds::Foreign | Grounds::Served | Grounds::TooShort => false,
        Grounds::Said { .. } => {
            let given = candidate.save.content.as_str();
            let content = text::line(given).unwrap_or_else(|_| given.to_owned());
            let quoted = candidate.quoted(turn);
            let denies_alike = |(said, span): (&Said, Span)| {
                let is_negated = Meaning::of(&content).is_negated();
                has_same_polarity(&content, is_negated, said, span)
            };
            !is_supported(&content, known, quoted.map(|(said, _)| said), turn)
                || !quoted.is_none_or(denies_alike)
        }
    }
}
