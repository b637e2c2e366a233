//! What speaks for or against a memory after it was kept: the user's affirmation, behaviour.

use crate::command::Behaviour;
use crate::event::EventKind;
use crate::memory::Marks;
use crate::plan::grounding::Asked;
use crate::plan::{Planned, Planner, Planning, Told};
use crate::refusal::{Code, Refusal};
use crate::row::{Kind, MemoryRow, State, Why};

impl Planner<'_> {
    /// The user says it is still so: it reads as current, and what was inferred becomes surer.
    pub(super) fn confirm(mut self) -> Planning<Planned> {
        let row = self.target()?.clone();
        if !self.is_asked_for(Asked::Anything, &row) {
            let message = "the user did not say so themselves: ask them, and confirm it then";
            return Err(Refusal::new(Code::QuoteWrongRole, message).into());
        }
        let marks = self.affirmed(&row.marks);
        self.draft
            .set(Kind::Memory, row.origin, State::Live { marks })?;
        self.marked(EventKind::Confirmed, row, "")
    }

    /// Behaviour moves the confidence of what was inferred; of what was said it only counts.
    pub(super) fn observed(mut self, behaviour: Behaviour) -> Planning<Planned> {
        let row = self.target()?.clone();
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
        let told = Told {
            number: Some(number),
            after: Some(row.origin),
            before: Some(row),
            ..Told::default()
        };
        self.done(kind, format!("{number}{word}"), told)
    }
}
