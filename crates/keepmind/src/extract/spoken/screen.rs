//! Which clauses of a message may be read at all. A clause is left out when it asks, supposes, plays,
//! reports, denies, mocks, or belongs to a text that was asked for; some of these cover what follows too.

use super::clauses::{Clause, Cues};
use super::language::{
    ASKS, CITES, CORRECTS, DENIES, FILLER, JOINT, MAKES, MOCKS, PLAYS, POINTS, REMEMBERS, REPORTS,
    SEEKS, STOPS_PLAYING, SUPPOSES, TAG, UNREAL,
};
use super::words::{Mark, Sentence};

/// How far what was heard reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cover {
    /// The rest of the message is not about the speaker.
    pub(super) message: bool,
    /// Nor is the rest of the chat.
    pub(super) chat: bool,
}

impl Cover {
    pub(super) fn is_on(self) -> bool {
        self.message || self.chat
    }
}

/// A tag question is no longer than this.
const LONGEST_TAG: usize = 4;

/// For each clause whether it may be read; what reaches beyond the sentence goes into `cover`.
pub(super) fn readable(
    sentence: &Sentence<'_>,
    clauses: &[Clause],
    cues: &Cues,
    cover: &mut Cover,
) -> Vec<bool> {
    let all = cues.within(0..sentence.words.len());
    if all & STOPS_PLAYING != 0 {
        *cover = Cover::default();
        return vec![false; clauses.len()];
    }
    if cover.is_on() {
        return vec![false; clauses.len()];
    }
    let mut readable = vec![true; clauses.len()];
    if all & PLAYS != 0 {
        // What opens the sentence opens the play; a mention of it covers only what is said with it.
        cover.chat = (0..4).any(|at| cues.get(at).0 & PLAYS != 0);
        cover.message = true;
        return vec![false; clauses.len()];
    }
    if all & MOCKS != 0 || shouts(sentence) {
        return vec![false; clauses.len()];
    }
    let mut covered = false;
    let mut unreal = false;
    for (index, clause) in clauses.iter().enumerate() {
        if clause.classes & SUPPOSES != 0 {
            cover.message = true;
            covered = true;
        }
        // "If I win I'll buy a boat, but for now I drive this": the dream ends there.
        if unreal
            && clause
                .joint
                .is_some_and(|joint| sentence.words[joint].is(&["but", "aber", "pero", "mais"]))
        {
            covered = false;
        }
        unreal = clause.classes & UNREAL != 0 || unreal && covered;
        let makes = makes(sentence, clause, cues);
        covered |= clause.classes & (UNREAL | REPORTS | DENIES) != 0 || makes;
        // "Correct this.": what follows is this.
        cover.message |= makes && clause.classes & POINTS != 0;
        // ", my boss says": what stands before is what is said.
        let is_aside = clause.classes & REPORTS != 0 && index + 1 == clauses.len();
        if is_aside && index > 0 && clause.range.len() <= LONGEST_TAG {
            readable[..index].fill(false);
        }
        // "…, I'm told: " or "translate this: ": the rest is not the speaker's.
        let announced = sentence.announces && index + 1 == clauses.len()
            || clauses
                .get(index + 1)
                .is_some_and(|next| next.mark == Mark::Colon);
        let commands = clause.begins & (MAKES | SEEKS) != 0 && clause.begins & CORRECTS == 0;
        if announced && (commands || makes || clause.classes & (CITES | REPORTS) != 0) {
            cover.message = true;
            covered = true;
        }
        if covered {
            readable[index] = false;
        }
    }
    if sentence.cites && all & (MAKES | CITES) != 0 {
        cover.message |= sentence.announces;
    }
    questions(sentence, clauses, cues, &mut readable);
    readable
}

/// Whether a clause asks for a text: a phrase that does, or a verb that commands or is wished for. In "when
/// you write it" nothing is asked.
fn makes(sentence: &Sentence<'_>, clause: &Clause, cues: &Cues) -> bool {
    let words = &sentence.words;
    let mut opening = true;
    let mut at = clause.range.start;
    while at < clause.range.end {
        let (classes, length) = cues.get(at);
        if classes & MAKES != 0 {
            let before = |back: usize| at.checked_sub(back).map(|at| &words[at]);
            let wished = before(1)
                .is_some_and(|word| word.is(&["you", "me", "to", "please", "and", "then"]))
                && !before(2).is_some_and(|word| {
                    word.is(&[
                        "when", "if", "as", "after", "before", "how", "what", "need", "like",
                        "love", "have", "try",
                    ])
                });
            if opening || length > 1 || wished {
                return true;
            }
        }
        opening &= classes & (FILLER | JOINT | SEEKS | CORRECTS | ASKS) != 0;
        at += length.max(1);
    }
    false
}

/// In a sentence that asks, what stands before the question is said, unless the question is only a tag.
fn questions(sentence: &Sentence<'_>, clauses: &[Clause], cues: &Cues, readable: &mut [bool]) {
    let asks = |clause: &Clause| {
        clause.begins & ASKS != 0 || super::english::inverts(&sentence.words[clause.range.clone()])
    };
    let tag = clauses.last().is_some_and(|last| {
        last.range.len() <= LONGEST_TAG && last.begins & TAG != 0 && sentence.asks
    });
    if tag {
        readable.fill(false);
        return;
    }
    // "Can you remember that …?" asks in form only.
    if cues.get(0).0 & REMEMBERS != 0 && cues.get(0).1 > 3 {
        return;
    }
    let first = clauses.iter().position(asks);
    match first {
        Some(first) if sentence.asks => readable[first..].fill(false),
        None if sentence.asks => readable.fill(false),
        _ => {
            for (clause, readable) in clauses.iter().zip(readable) {
                *readable &= !asks(clause);
            }
        }
    }
}

/// One word in capitals among small ones: not meant as it is said.
fn shouts(sentence: &Sentence<'_>) -> bool {
    let loud = |word: &&super::words::Word<'_>| {
        word.is_shouted()
            && word.is(&[
                "love",
                "totally",
                "sooo",
                "definitely",
                "adore",
                "really",
                "great",
                "liebe",
                "encanta",
            ])
    };
    let others = sentence
        .words
        .iter()
        .filter(|word| word.is_shouted())
        .count();
    others == 1 && sentence.words.iter().any(|word| loud(&word))
}
