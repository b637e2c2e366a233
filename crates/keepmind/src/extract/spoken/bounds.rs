//! Where a clause ends: without what says nothing, with the pieces after it that say nothing alone.

use std::ops::Range;

use super::clauses::{Clause, Cues};
use super::english;
use super::language::{
    ASKS, CORRECTS, DOUBTS, FILLER, JOINT, MAKES, MOMENT, POINTS, REMEMBERS, REPORTS, Ready, SEEKS,
    SUBJECT, UNREAL,
};
use super::words::{Mark, Sentence};

/// Where a clause ends without what says nothing: "btw", "lol", "please".
pub(super) fn trimmed(cues: &Cues, from: usize, to: usize) -> usize {
    let mut end = to;
    while let Some(start) = (from..end)
        .rev()
        .find(|&at| cues.get(at).1 > 0 || at == from)
    {
        let (classes, length) = cues.get(start);
        if start == from || classes & FILLER == 0 || start + length != end {
            break;
        }
        end = start;
    }
    end
}

/// Where a clause ends when the pieces after it that say nothing alone are counted to it: ", 4 and 7",
/// ", no sugar", ", coffee and cake".
pub(super) fn attached(
    clauses: &[Clause],
    index: usize,
    sentence: &Sentence<'_>,
    ready: &Ready,
    body: Range<usize>,
    cues: &Cues,
    corrects: bool,
) -> usize {
    const LONGEST_PIECE: usize = 4;
    const LONGEST_COUNT: usize = 6;
    #[rustfmt::skip]
    const BEGINNINGS: &[&str] = &[
        "no", "mostly", "mainly", "especially", "preferably", "usually", "in", "at", "near", "with", "from",
        "out", "for", "by", "of", "on", "particularly", "except", "without", "including", "aged", "ages",
        "born", "one", "two", "both",
    ];
    let words = &sentence.words;
    let mut end = body.end;
    // A filler ends it.
    if end < clauses[index].range.end {
        return end;
    }
    let rest = &clauses[index + 1..];
    let fits = |clause: &Clause| {
        let first = &words[clause.range.start];
        let bad = ASKS
            | SUBJECT
            | MAKES
            | SEEKS
            | FILLER
            | JOINT
            | REPORTS
            | CORRECTS
            | POINTS
            | MOMENT
            | UNREAL
            | DOUBTS
            | REMEMBERS;
        let starts_bad = clause.begins & bad != 0 && !first.is(&["no"]);
        let has_bad =
            clause.classes & (REPORTS | POINTS | MOMENT | UNREAL | DOUBTS | MAKES | SEEKS) != 0;
        clause.mark == Mark::Comma
            && clause.joint.is_none()
            && clause.range.len()
                <= if first.is(BEGINNINGS) || first.number().is_some() {
                    LONGEST_COUNT
                } else {
                    LONGEST_PIECE
                }
            && !starts_bad
            && !has_bad
            && !(ready.is_english && english::begins_with_verb(&words[clause.range.clone()]))
            && !words[clause.range.clone()].iter().any(|word| {
                word.is(&[
                    "i", "me", "my", "you", "your", "is", "are", "am", "was", "we", "have", "'s",
                    "do",
                ])
            })
    };
    let list = rest.iter().take_while(|clause| fits(clause)).count();
    let closes = |clause: &Clause| {
        words[clause.range.clone()]
            .iter()
            .any(|word| word.is(&["and", "or", "und", "y", "et"]))
    };
    for (position, clause) in rest.iter().take(list).enumerate() {
        let first = &words[clause.range.start];
        // In a correction "not Malmö" says what was wrong, otherwise it is part of what is said.
        let counted = words[clause.range.clone()]
            .iter()
            .any(|word| word.number().is_some());
        let named = clause.range.clone().any(|at| words[at].is_capital());
        let contrasts = first.form == "not" && !corrects && !counted && !named;
        let begins = first.is(BEGINNINGS) || first.number().is_some() || contrasts;
        let in_list = rest[position..list].iter().any(closes);
        // A closed list ends the sentence or meets a joint; otherwise the next piece may be anything.
        if !(begins || in_list) {
            break;
        }
        end = clause.range.end;
    }
    trimmed(cues, body.start, end)
}
