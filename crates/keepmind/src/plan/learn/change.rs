//! What a candidate that passed does: a new fact, a new version, an affirmation, a question.

use crate::embedding::Vector;
use crate::ids::{Number, RowId, UsageId};
use crate::memory::{Evidence, Marks};
use crate::plan::Planning;
use crate::plan::learn::support::has_same_polarity;
use crate::plan::learn::telling::refused;
use crate::plan::learn::{Candidate, Grounds, Lessons};
use crate::plan::proposal::{PutUp, doubt_words};
use crate::plan::said::Clause;
use crate::plan::save::Worded;
use crate::policy::WriteMode;
use crate::proposal::{ProposedOperation, Rival, Target};
use crate::refusal::{Code, Refusal};
use crate::report::{Fate, Lesson};
use crate::row::{Kind, MemoryRow, State};
use crate::text::StringSet;
use crate::usage::{Usage, UsageKind};

/// What is to be done.
pub(super) struct Deed<'a> {
    pub worded: Worded,
    /// The fact whose next version it is.
    pub changed: Option<MemoryRow>,
    pub vector: Option<&'a Vector>,
}

impl Lessons<'_> {
    pub(super) fn carry_out(&mut self, candidate: &Candidate, deed: Deed<'_>) -> Planning<Lesson> {
        let Deed {
            worded:
                Worded {
                    mut claim,
                    marks,
                    doubts,
                },
            changed,
            vector,
        } = deed;
        if !doubts.is_empty() {
            // Accepted, it is the user's word, of which nobody is more or less sure.
            let marks = Marks {
                confidence: None,
                ..marks
            };
            let number = changed.as_ref().map(|row| row.body.number);
            let operation = match &changed {
                None => ProposedOperation::Save {
                    claim: Box::new(claim),
                    marks,
                },
                // Two sides of which one is true: the user says which.
                Some(old) if doubts.contains(&Code::Tier) && !candidate.correction => {
                    ProposedOperation::Choose {
                        target: Target::of(old),
                        rival: Rival::Claim {
                            claim: Box::new(claim),
                            marks,
                        },
                    }
                }
                Some(old) => ProposedOperation::Update {
                    target: Target::of(old),
                    claim: Box::new(claim),
                    marks,
                    correction: candidate.correction,
                },
            };
            return self.ask(candidate, operation, number, &doubts, Vec::new());
        }
        claim.held = self.planner.policy.extraction.write == WriteMode::Staged;
        let content = claim.content.clone();
        let held_twice = changed.as_ref().is_some_and(|row| row.body.claim.held);
        // A candidate that is not believed yet changes nothing that is.
        let (number, row, fate): (Number, RowId, Fate) = match changed {
            Some(old) if !claim.held || held_twice => {
                let number = old.body.number;
                if self.was_told(&old) {
                    self.record(&old, UsageKind::Overridden);
                }
                let id = self
                    .planner
                    .succeed(&old, claim, marks, candidate.correction)?;
                (number, id, Fate::Updated)
            }
            // Promoted, it is the next version of what it changes.
            Some(old) => {
                let number = old.body.number;
                let id = self.planner.draft.insert_version(number, claim, marks)?;
                (number, id, Fate::Learned)
            }
            None => {
                let number = self.planner.draft.new_number()?;
                let id = self.planner.draft.insert_version(number, claim, marks)?;
                (number, id, Fate::Learned)
            }
        };
        self.wrote(number, row, &content, vector);
        Ok(self.told(candidate, fate, Some(number), "the user said so"))
    }

    /// The user said it again: it reads as current, and is surer.
    pub(super) fn affirm(&mut self, row: &MemoryRow) -> Planning<()> {
        let marks = self.planner.affirmed(&row.marks);
        self.planner
            .draft
            .set(Kind::Memory, row.origin, State::Live { marks })?;
        self.wrote(row.body.number, row.id, &row.body.claim.content, None);
        Ok(())
    }

    /// A candidate was said again: it gathers what it rests on, so that it can be told how often and in how
    /// many chats it was said.
    pub(super) fn gather(
        &mut self,
        candidate: &Candidate,
        row: &MemoryRow,
        vector: Option<&Vector>,
    ) -> Planning<()> {
        let mut claim = row.body.claim.clone();
        let most = self.planner.policy.grades.strong_times as usize;
        if let Grounds::Said { evidence, .. } = &candidate.grounds
            && claim.evidence.len() < most
            && !claim.evidence.contains(evidence)
        {
            claim.evidence.push(evidence.clone());
        } else {
            return self.affirm(row);
        }
        let marks = self.planner.affirmed(&row.marks);
        let content = claim.content.clone();
        let number = row.body.number;
        let id = self.planner.succeed(row, claim, marks, false)?;
        self.wrote(number, id, &content, vector);
        Ok(())
    }

    pub(super) fn ask_to_forget(
        &mut self,
        candidate: &Candidate,
        row: &MemoryRow,
    ) -> Planning<Lesson> {
        let operation = ProposedOperation::Forget {
            target: Target::of(row),
        };
        let evidence = match &candidate.grounds {
            Grounds::Said { evidence, .. } => vec![evidence.clone()],
            _ => Vec::new(),
        };
        let number = Some(row.body.number);
        self.ask(candidate, operation, number, &[], evidence)
    }

    fn ask(
        &mut self,
        candidate: &Candidate,
        operation: ProposedOperation,
        number: Option<Number>,
        doubts: &[Code],
        evidence: Vec<Evidence>,
    ) -> Planning<Lesson> {
        let reasoning = match doubts {
            [] => "the user asked for it to be forgotten".to_owned(),
            doubts => doubt_words(doubts),
        };
        let mut lesson = match self
            .planner
            .put_up(operation, reasoning.clone(), evidence)?
        {
            PutUp::Made(id) => {
                self.is_any = true;
                let mut lesson = self.told(candidate, Fate::Proposed, number, &reasoning);
                lesson.proposal = Some(id);
                lesson
            }
            PutUp::Waits => self.told(candidate, Fate::Skipped, number, "it is proposed already"),
            PutUp::TurnedDown => {
                let message = "the user turned this down, and has said nothing new";
                refused(candidate, &Refusal::new(Code::Forgotten, message))
            }
        };
        lesson.codes.extend(doubts);
        Ok(lesson)
    }

    /// Whether the chat was told a row: when it began, or later.
    fn was_told(&self, row: &MemoryRow) -> bool {
        let session = self.planner.base().session(self.turn.session);
        let block = session.and_then(|session| session.block.as_ref());
        self.in_play.contains(&row.id) || block.is_some_and(|block| block.rows.contains(&row.id))
    }

    /// A fact spoke against something: whoever looks after the memory can see it.
    pub(super) fn record_conflict(&mut self, row: &MemoryRow) {
        self.record(row, UsageKind::Conflicted);
    }

    fn record(&mut self, row: &MemoryRow, kind: UsageKind) {
        let at = self.planner.now();
        let id = UsageId::new(self.planner.draft.new_id());
        let usage = Usage {
            id,
            at,
            session: Some(self.turn.session),
            memory: row.id,
            kind,
            influence: None,
        };
        self.planner.draft.others().usage.insert(id, usage);
    }

    /// The terms that the sentence of a candidate denies: what is no longer so.
    pub(super) fn denied_by(&self, candidate: &Candidate) -> StringSet {
        let quoted = candidate.quoted(self.turn);
        let sentences = quoted.iter().flat_map(|(said, _)| {
            let sentences = said.sentences().iter();
            sentences.map(|one| said.slice(one.span))
        });
        let clauses = sentences.flat_map(Clause::all);
        let denied: Vec<Clause> = clauses.filter(|clause| clause.is_negated).collect();
        denied
            .iter()
            .flat_map(|clause| clause.terms.iter())
            .collect()
    }

    /// Whether what a candidate rests on has anything to do with a fact.
    pub(super) fn speaks_of(&self, candidate: &Candidate, row: &MemoryRow) -> bool {
        let meaning = self.meaning_of_row(row);
        candidate.quoted(self.turn).is_some_and(|(said, span)| {
            let mut quoted = said.sentences().iter();
            let is_spoken_of =
                quoted.any(|one| one.span.overlaps(span) && meaning.is_spoken_of(one.terms()));
            let content = row.body.claim.content.as_str();
            is_spoken_of && has_same_polarity(content, meaning.is_negated(), said, span)
        })
    }
}
