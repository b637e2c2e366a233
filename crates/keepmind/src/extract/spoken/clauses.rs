//! A sentence cut into clauses, each with the classes of the phrases in it.

use std::ops::Range;

use super::language::{AND, ASKS, JOINT, MAKES, Ready, SEEKS, SUBJECT};
use super::phrases::Classes;
use super::words::{Mark, Sentence, Word};

/// A clause: a range of a sentence's words.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// From its first word after the joint.
    pub(super) range: Range<usize>,
    /// The classes of all phrases in it.
    pub(super) classes: Classes,
    /// The class of what it begins with.
    pub(super) begins: Classes,
    /// The mark before it.
    pub(super) mark: Mark,
    /// The joining word before it.
    pub(super) joint: Option<usize>,
}

/// What stands at each word: the classes of the phrase that begins there, and where it ends.
pub(super) struct Cues {
    at: Vec<(Classes, usize)>,
}

impl Cues {
    pub(super) fn of(sentence: &Sentence<'_>, ready: &Ready) -> Self {
        let words = &sentence.words;
        let mut at = vec![(0, 0); words.len()];
        let mut index = 0;
        while index < words.len() {
            let (classes, length) = ready.cues.at(&words[index..]);
            at[index] = (classes, length);
            index += length.max(1);
        }
        Cues { at }
    }

    /// The classes of the phrase that begins at a word, and its length.
    pub(super) fn get(&self, index: usize) -> (Classes, usize) {
        self.at.get(index).copied().unwrap_or((0, 0))
    }

    pub(super) fn within(&self, range: Range<usize>) -> Classes {
        let found = self.at.get(range).unwrap_or_default();
        found.iter().fold(0, |all, (classes, _)| all | classes)
    }
}

/// The clauses of a sentence, in order; together they are all of it but the joints between them.
pub(super) fn clauses(
    sentence: &Sentence<'_>,
    cues: &Cues,
    begins_with_verb: impl Fn(usize) -> bool,
) -> Vec<Clause> {
    let words = &sentence.words;
    let mut found: Vec<Clause> = Vec::new();
    let mut start = 0;
    let mut joint: Option<usize> = None;
    let mut index = 0;
    let finish = |range: Range<usize>, joint: Option<usize>, found: &mut Vec<Clause>| {
        if range.is_empty() {
            return;
        }
        let mark = words[range.start].mark;
        // A joint after a comma: the comma stands before the joint.
        let before = if joint.is_some() && range.start > 0 {
            mark.max(words[range.start - 1].mark)
        } else {
            mark
        };
        found.push(Clause {
            classes: cues.within(range.clone()),
            begins: cues.get(range.start).0,
            mark: before,
            joint,
            range,
        });
    };
    while index < words.len() {
        let (classes, length) = cues.get(index);
        let next = index + length.max(1);
        let marked = index > start && words[index].mark != Mark::Nothing;
        let opens = |at: usize| {
            cues.get(at).0 & (SUBJECT | ASKS | MAKES | SEEKS) != 0 || begins_with_verb(at)
        };
        // "my wife and I" is one subject.
        let pair = words[start].is(&["my", "our"])
            && index - start <= 3
            && words.get(next).is_some_and(|word| word.form == "i");
        let adds = classes & AND != 0
            && next < words.len()
            && (opens(next) || says_more(&words[next..]))
            && !pair;
        let joins = classes & JOINT != 0 || adds;
        if joins && index > start {
            finish(start..index, joint, &mut found);
            (start, joint) = (next, Some(index));
        } else if joins && index == start {
            (start, joint) = (next, Some(index));
        } else if marked {
            finish(start..index, joint, &mut found);
            (start, joint) = (index, None);
        }
        index = next;
    }
    finish(start..words.len(), joint, &mut found);
    found
}

/// Whether what follows "and" is a clause with a subject of its own: "and airplane seats hate me".
fn says_more(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const VERBS: &[&str] = &[
        "is", "are", "was", "were", "has", "does", "do", "will", "can", "gets", "makes", "make", "hate",
        "hates", "takes", "take", "cost", "costs", "keeps", "needs", "ist", "sind", "hat", "es", "son",
        "está", "est", "sont",
    ];
    #[rustfmt::skip]
    const INSIDE: &[&str] = &["who", "that", "which", "to", "and", "with", "der", "die", "das", "que", "qui"];
    const REACH: usize = 4;
    words
        .iter()
        .enumerate()
        .skip(1)
        .take(REACH)
        .take_while(|(_, word)| word.follows() && !word.is(INSIDE))
        .any(|(_, word)| word.is(VERBS))
}
