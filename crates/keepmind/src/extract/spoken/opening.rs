//! What stands before a clause comes to its point: "oh and", "actually", "remember that", "these days".

use std::ops::Range;

use super::clauses::{Clause, Cues};
use super::language::{ASKS, CORRECTS, FILLER, FORGETS, JOINT, REMEMBERS, SUBJECT, WHEN};
use super::words::Word;

/// What stands before a clause comes to its point.
pub(super) struct Opening {
    pub(super) from: usize,
    pub(super) classes: super::phrases::Classes,
    pub(super) corrects: bool,
    pub(super) remembers: bool,
    pub(super) forgets: bool,
    pub(super) forgotten_from: usize,
    pub(super) asks: bool,
    /// "These days", said first: it belongs to what follows.
    pub(super) when: Option<Range<usize>>,
}

impl Opening {
    pub(super) fn of(clause: &Clause, cues: &Cues, words: &[Word<'_>]) -> Self {
        let mut opening = Opening {
            from: clause.range.start,
            classes: 0,
            corrects: false,
            remembers: false,
            forgets: false,
            forgotten_from: clause.range.start,
            asks: false,
            when: None,
        };
        while opening.from < clause.range.end {
            let (classes, length) = cues.get(opening.from);
            if classes & REMEMBERS != 0 {
                opening.remembers = true;
            } else if classes & CORRECTS != 0 {
                opening.corrects = true;
            } else if classes & WHEN != 0 && opening.from + length < clause.range.end {
                opening.when = Some(opening.from..opening.from + length);
            } else if classes & FORGETS != 0 {
                opening.forgets = true;
                opening.forgotten_from = opening.from + 1;
                opening.from += length;
                break;
            } else if classes & (FILLER | JOINT) == 0 || classes & ASKS != 0 {
                opening.asks = classes & ASKS != 0;
                break;
            }
            opening.from += length.max(1);
        }
        // A word that is misspelt, or "that", between "remember" and what is to be remembered.
        let subject_next = cues.get(opening.from + 1).0 & SUBJECT != 0;
        let subject_here = cues.get(opening.from).0 & SUBJECT != 0
            && words
                .get(opening.from)
                .is_some_and(|word| word.form != "that");
        if opening.remembers && subject_next && !subject_here && opening.from + 1 < clause.range.end
        {
            opening.from += 1;
        }
        opening
    }
}
