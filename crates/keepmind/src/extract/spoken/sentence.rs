//! Reads one sentence: goes through its clauses, leaves out what the screen covers, and says for the rest
//! what it is: new, a correction, a confirmation, something to remember or to forget.

use std::ops::Range;

use super::bounds::{attached, trimmed};
use super::clauses::{Cues, clauses};
use super::english;
use super::frames;
use super::language::{
    CORRECTS, DOUBTS, ENDS, MAKES, MOMENT, POINTS, REPORTS, Ready, SEEKS, STILL, UNREAL,
};
use super::opening::Opening;
use super::screen::{Cover, readable};
use super::sound::{is_sayable, is_whole};
use super::words::{Mark, Sentence, Word};
use super::{Said as Move, StatementKind};

/// What a sentence says.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) place: Range<usize>,
    pub(super) content: String,
    pub(super) kind: StatementKind,
    pub(super) move_: Move,
    pub(super) wants_forgotten: bool,
    pub(super) remembered: bool,
    /// It says only that something is over.
    ends: bool,
}

impl Said {
    pub(super) fn new(place: Range<usize>, content: String, kind: StatementKind) -> Self {
        Said {
            place,
            content,
            kind,
            move_: Move::New,
            wants_forgotten: false,
            remembered: false,
            ends: false,
        }
    }
}

/// What a sentence says that lasts. `known` is what was read before it.
pub(super) fn read(
    sentence: &Sentence<'_>,
    ready: &Ready,
    cover: &mut Cover,
    known: &[&str],
) -> Vec<Said> {
    if sentence.words.len() > super::words::LONGEST_SENTENCE {
        return Vec::new();
    }
    let words = &sentence.words;
    let cues = Cues::of(sentence, ready);
    let clauses = clauses(sentence, &cues, |at| {
        ready.is_english && english::begins_with_verb(&words[at..])
    });
    let readable = readable(sentence, &clauses, &cues, cover);
    let mut found: Vec<Said> = Vec::new();
    let mut corrects = false;
    let mut remember = false;
    let mut moved = false;
    let mut inherits = false;
    let mut condition: Option<Range<usize>> = None;
    let mut ended = false;
    // "…, always": said of the whole sentence.
    let standing = clauses.iter().any(|clause| {
        clause.range.len() <= 3
            && ready.is_english
            && english::is_standing(&words[clause.range.clone()])
    });
    let mut taken = 0;
    for (index, clause) in clauses.iter().enumerate() {
        let open = Opening::of(clause, &cues, words);
        // "No, …, not 11".
        let refuses = words[clause.range.start].form == "no" && clause.range.len() == 1
            || clauses.get(index + 1).is_some_and(|next| {
                next.mark == Mark::Comma
                    && words[next.range.start].form == "not"
                    && words[next.range.clone()]
                        .iter()
                        .any(|word| word.number().is_some() || word.is_capital())
            });
        corrects |= open.corrects || clause.classes & CORRECTS != 0 || refuses;
        let all = clause.classes | open.classes;
        let mut until = trimmed(&cues, open.from, clause.range.end);
        while until > open.from && words[until - 1].is(&["and", "or", "especially", "&"]) {
            until -= 1;
        }
        // "Since I'm coeliac I can't have that": the second subject begins what follows from it.
        let begins_with_reason = open.from > clause.range.start
            && words[open.from - 1].is(&["since", "as"])
            || clause
                .joint
                .is_some_and(|joint| words[joint].is(&["since", "as"]));
        if begins_with_reason
            && let Some(second) = (open.from + 2..until).find(|&at| words[at].is(&["i", "we"]))
        {
            until = second;
        }
        let body = open.from..until;
        remember |= open.remembers
            && !words
                .get(body.start)
                .is_some_and(|word| word.is(&["to", "when", "how", "me", "your", "what"]));
        if body.is_empty() || body.start < taken {
            continue;
        }
        let is_condition =
            ready.is_english && words[body.start].is(&["when", "whenever", "if", "every"]);
        if readable[index] && open.forgets && forgets(&words[body.clone()]) {
            let place = words[clause.range.start].place.start..words[body.end - 1].place.end;
            let content = format!(
                "User wants forgotten: {}",
                english::turned(&words[open.forgotten_from..body.end])
            );
            let mut said = Said::new(place, content, StatementKind::Fact);
            said.wants_forgotten = true;
            found.push(said);
            break;
        }
        remember |=
            open.remembers && !words[body.start].is(&["to", "when", "how", "the", "me", "your"]);
        if !readable[index] || open.forgets {
            condition = is_condition.then_some(body);
            inherits = false;
            continue;
        }
        let end = attached(
            &clauses,
            index,
            sentence,
            ready,
            body.clone(),
            &cues,
            corrects,
        );
        let said_words = &words[body.start..end];
        let style = ready
            .is_english
            .then(|| {
                let condition = condition.clone().map(|range| &words[range]);
                english::style(said_words, condition, remember || standing)
            })
            .flatten();
        ended |= all & ENDS != 0 || moved;
        let prior = english::Before {
            remember,
            ended,
            habit: open
                .when
                .as_ref()
                .is_some_and(|when| english::is_habit(&words[when.clone()])),
            inherits: inherits
                && match clause.joint {
                    Some(joint) => words[joint].is(&["and", "but", "&"]),
                    // Without a joint a verb may as well command.
                    None => {
                        clause.mark == Mark::Comma
                            && words[body.start]
                                .is(&["quit", "grew", "moved", "stopped", "studied", "worked"])
                    }
                },
        };
        let rather = said_words.iter().take(4).any(|word| word.form == "rather");
        let blocked = all & (DOUBTS | REPORTS | UNREAL) != 0 && !rather
            || all & POINTS != 0 && !said_words.is_empty() && points(&cues, body.start..end)
            || all & MOMENT != 0 && !remember
            || open.asks
            || all & (MAKES | SEEKS) != 0 && clause_begins(&cues, body.start, MAKES | SEEKS);
        let role = (ready.is_english && all & (REPORTS | UNREAL) == 0)
            .then(|| english::role(said_words))
            .flatten();
        let mut reading = style.or(role).or_else(|| {
            if blocked {
                None
            } else if ready.is_english {
                english::read(said_words, prior).or_else(|| {
                    open.remembers
                        .then(|| english::anything(said_words))
                        .flatten()
                })
            } else {
                frames::read(said_words, ready.language, NO)
            }
        });
        if reading.is_none() && ready.is_english && !open.asks {
            reading = english::corrected(&words[body.start..], moved, known);
            corrects |= reading.is_some();
        }
        moved |= ready.is_english
            && words[clause.range.clone()]
                .iter()
                .any(|word| word.form == "moved");
        inherits = ready.is_english
            && (prior.inherits && reading.is_some() || words[body.start].is(&["i", "we"]))
            && !words[body.clone()].iter().any(|word| word.form == "not");
        if is_condition {
            condition = Some(body);
            continue;
        }
        condition = None;
        let Some(reading) = reading.filter(|reading| {
            let end = (body.start + reading.length).min(words.len());
            let quoted = &words[body.start..end];
            let whole =
                !ready.is_english || reading.kind == StatementKind::Style || is_whole(quoted);
            whole && is_sayable(reading, quoted)
        }) else {
            continue;
        };
        taken = body.start + reading.length;
        let last = &words[(taken - 1).min(words.len() - 1)];
        let mut content = reading.content;
        let mut first = body.start;
        if let Some(when) = open.when.filter(|when| when.end == body.start) {
            content = format!(
                "{content} {}",
                english::turned(&words[when.clone()]).to_lowercase()
            );
            first = when.start;
        }
        let mut said = Said::new(
            words[first].place.start..last.place.end,
            content,
            reading.kind,
        );
        said.remembered = remember;
        said.ends = all & ENDS != 0;
        let changes = said.kind != StatementKind::Style && changes(said_words);
        said.move_ = if corrects || said.ends || changes {
            Move::Correction
        } else if all & STILL != 0 {
            Move::Confirmation
        } else {
            Move::New
        };
        found.push(said);
    }
    // "I'm not a junior any more, I'm the lead": what took its place is what is worth keeping.
    if found.iter().any(|said| said.ends) && found.iter().any(|said| !said.ends) {
        found.retain(|said| !said.ends);
        for said in &mut found {
            said.move_ = Move::Correction;
        }
    }
    found
}

/// Words that deny, of all languages read by frames.
const NO: &[&str] = &[
    "no", "nicht", "nunca", "kein", "nie", "niemals", "pas", "jamais",
];

fn clause_begins(cues: &Cues, at: usize, classes: super::phrases::Classes) -> bool {
    cues.get(at).0 & classes != 0
}

/// Something in the clause points at what lies before the speakers.
fn points(cues: &Cues, range: Range<usize>) -> bool {
    cues.within(range) & POINTS != 0
}

/// Whether what is to be forgotten is something the user said.
fn forgets(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const OURS: &[&str] = &[
        "my", "i", "me", "our", "memory", "notes", "told", "everything", "mein", "meine", "meinen", "mir",
        "mi", "mis", "dije", "gesagt", "dass", "that",
    ];
    words.len() > 1 && words.iter().any(|word| word.is(OURS))
}

/// Whether the words themselves say that something changed.
fn changes(words: &[Word<'_>]) -> bool {
    let is_past =
        |word: &Word<'_>| word.is(&["moved", "switched", "changed", "became", "quit", "stopped"]);
    words.iter().take(3).any(is_past)
        || words.iter().take(3).any(|word| word.form == "now")
        || words.last().is_some_and(|word| word.form == "now")
}
