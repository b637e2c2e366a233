//! What speaks for or against a memory after it was kept: the user's affirmation, behaviour.

use crate::change::EntryHeader;
use crate::command::Behaviour;
use crate::event::EventKind;
use crate::journal::{JournalEntry, Who};
use crate::memory::{Layer, Marks};
use crate::plan::grounding::Asked;
use crate::plan::{Entry, Planned, Planner, Planning, Told};
use crate::refusal::{Code, Refusal};
use crate::row::{Kind, MemoryRow, State, Why};

/// What is reviewed, as the journal tells it.
const ALL: &str = "what is known";

/// Whether an entry says that the user has looked through what is known.
pub(crate) fn is_review(entry: &JournalEntry) -> bool {
    let told = entry.line.strip_prefix(EventKind::Reviewed.word());
    let is_told = told.is_some_and(|rest| rest.trim_start() == ALL);
    entry.who == Who::User && entry.effects.is_empty() && is_told
}

impl Planner<'_> {
    /// The user has looked through what is known. It changes nothing: that it happened is journalled.
    pub(super) fn reviewed(mut self) -> Planning<Planned> {
        self.draft.journal();
        self.done(EventKind::Reviewed, ALL, Told::default())
    }

    /// The user says it is still so: it reads as current, and what was inferred becomes surer.
    pub(super) fn confirm(mut self) -> Planning<Planned> {
        let row = self.target_or_candidate(Asked::Anything)?.clone();
        if !self.is_asked_for(Asked::Anything, &row) {
            let message = "the user did not say so themselves: ask them, and confirm it then";
            return Err(Refusal::new(Code::QuoteWrongRole, message).into());
        }
        if row.body.claim.held {
            return self.promote(row);
        }
        let marks = self.affirmed(&row.marks);
        self.draft
            .set(Kind::Memory, row.origin, State::Live { marks })?;
        self.marked(EventKind::Confirmed, row, "")
    }

    /// Behaviour moves the confidence of what was inferred; of what was said it only counts.
    pub(super) fn observed(mut self, behaviour: Behaviour) -> Planning<Planned> {
        let row = self.target()?.clone();
        if row.body.claim.layer != Layer::Fact {
            let message = format!(
                "{} tells what happened or is compiled: behaviour speaks for and against facts",
                row.body.number
            );
            return Err(Refusal::new(Code::NotApplicable, message).into());
        }
        let (marks, word) = match behaviour {
            Behaviour::Confirmed => (self.affirmed(&row.marks), " confirmed"),
            Behaviour::Contradicted => (self.contradicted(&row.marks), " contradicted"),
        };
        let faded = marks
            .confidence
            .is_some_and(|sure| sure < self.policy.floors.fade);
        let until = self.now();
        let state = if faded {
            State::Ended {
                why: Why::Faded { until },
                marks,
            }
        } else {
            State::Live { marks }
        };
        self.draft.set(Kind::Memory, row.origin, state)?;
        self.marked(
            EventKind::Observed,
            row,
            if faded { " faded" } else { word },
        )
    }

    pub(super) fn affirmed(&self, marks: &Marks) -> Marks {
        let step = self.policy.feedback.confirmed;
        Marks {
            confidence: marks.confidence.map(|sure| (sure + step).min(1.0)),
            last_confirmed_at: Some(self.now()),
            confirmations: marks.confirmations.saturating_add(1),
            ..*marks
        }
    }

    fn contradicted(&self, marks: &Marks) -> Marks {
        let step = self.policy.feedback.contradicted;
        Marks {
            confidence: marks.confidence.map(|sure| (sure - step).max(0.0)),
            contradictions: marks.contradictions.saturating_add(1),
            ..*marks
        }
    }

    fn marked(self, kind: EventKind, row: MemoryRow, word: &str) -> Planning<Planned> {
        let number = row.body.number;
        // What was seen is the host's word, not the user's.
        let seen = kind == EventKind::Observed && matches!(self.entry, Entry::Host);
        let told = Told {
            number: Some(number),
            after: Some(row.origin),
            before: Some(row),
            header: seen.then(|| EntryHeader::new(Who::Host, String::new())),
            ..Told::default()
        };
        self.done(kind, format!("{number}{word}"), told)
    }
}
