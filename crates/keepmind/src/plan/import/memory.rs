//! One memory of a file: what would be kept of it, whether it is known or was forgotten, and whether the user is
//! asked.

use crate::change::Snapshot;
use crate::command::Save;
use crate::confidence;
use crate::ids::{Number, RowId, SessionId};
use crate::imported::{ImportFate, ImportedLine};
use crate::memory::{Authority, Claim, Evidence, Layer, Marks, Source, Trust};
use crate::message::{MessageOrigin, Role};
use crate::plan::Planning;
use crate::plan::import::{Arrival, is_unwanted, quoted, refused, told, was_wrong};
use crate::plan::learn::alike::Meaning;
use crate::plan::proposal::{PutUp, doubt_words};
use crate::plan::save::Worded;
use crate::plan::spans::{Stretch, stretches};
use crate::plan::words::category;
use crate::policy::CategoryKind;
use crate::proposal::{ProposedOperation, Rival, Target};
use crate::refusal::{Code, Refusal};
use crate::row::{MemoryRow, Why};
use crate::text;
use crate::visibility::{Visibility, visibility};

/// The most trust that anything from a file has.
const MOST_TRUST: Trust = Trust::Extracted;

impl Arrival<'_> {
    /// A memory that the file holds in force.
    pub(super) fn claim(&mut self, row: &MemoryRow, place: u64) -> Planning<ImportedLine> {
        let Worded {
            claim,
            marks,
            mut doubts,
        } = match self.worded(row) {
            Ok(worded) => worded,
            Err(refusal) => return Ok(refused(place, &refusal)),
        };
        let folded = text::fold(&claim.content);
        if let Some(known) = self.contents.get(&folded) {
            let line = told(place, ImportFate::Known, "the file says it twice");
            return Ok(ImportedLine {
                number: *known,
                ..line
            });
        }
        let meaning = Meaning::of(&claim.content);
        if let Some(number) = self.known(row.id, &claim, &folded, &meaning) {
            let line = told(place, ImportFate::Known, "it is known already");
            return Ok(ImportedLine {
                number: Some(number),
                ..line
            });
        }
        if self.is_forgotten(row, &meaning) {
            let message = "the user had this forgotten, and a file does not say it again";
            return Ok(refused(place, &Refusal::new(Code::Forgotten, message)));
        }
        let binds = claim.authority == Authority::Rule || claim.authorises_action;
        if binds {
            doubts.push(Code::QuoteNotFound);
        }
        let holder = self.planner.rule_of(&claim);
        if holder.is_some() {
            doubts.push(Code::Taken);
        }
        let rival = match claim.layer {
            Layer::Fact if holder.is_none() => self.contradicted(row.id, &meaning),
            _ => None,
        };
        if rival.is_some() {
            doubts.push(Code::Tier);
        }
        if !doubts.is_empty() {
            self.contents.insert(folded, None);
            return self.ask(place, claim, marks, holder.as_ref(), rival.as_ref(), doubts);
        }
        let number = self.planner.draft.new_number()?;
        let id = self.planner.draft.insert_version(number, claim, marks)?;
        self.contents.insert(folded, Some(number));
        self.rows.insert(row.id, id);
        Ok(ImportedLine {
            number: Some(number),
            ..told(place, ImportFate::Imported, "it is a fact of its own now")
        })
    }

    /// What would be kept of a memory of the file.
    fn worded(&self, row: &MemoryRow) -> Result<Worded, Refusal> {
        let planner = &self.planner;
        let policy = planner.policy;
        let old = &row.body.claim;
        let is_known = |name: &String| policy.domain(name).is_some();
        let save = Save {
            content: old.content.clone(),
            category: Some(old.category.clone())
                .filter(|name| category(policy, Some(name)).is_ok()),
            summary: old.summary.clone(),
            detail: old.body.clone(),
            domain: old.domain.clone().filter(is_known),
            key: old.key.clone(),
            value: old.value.clone(),
            authority: Some(old.authority),
            tags: old.tags.clone(),
            importance: Some(row.marks.importance),
            since: Some(old.valid_from.min(planner.now())),
            ttl: None,
            authorises_action: old.authorises_action,
        };
        let mut worded = planner.claim(&save)?;
        let claim = &mut worded.claim;
        if old.layer == Layer::Episode {
            let mut categories = policy.categories.iter();
            let episodes = categories.find(|category| category.kind == CategoryKind::Episode);
            let Some(episodes) = episodes else {
                let message = "the policy has no category for episodes";
                return Err(Refusal::new(Code::NotApplicable, message));
            };
            claim.layer = Layer::Episode;
            claim.category.clone_from(&episodes.name);
        }
        claim.trust = old.trust.min(MOST_TRUST);
        claim.expires_at = [claim.expires_at, old.expires_at]
            .into_iter()
            .flatten()
            .min();
        let is_elsewhere = |session: SessionId| planner.base().session(session).is_none();
        let is_kept = |piece: &&Evidence| match piece {
            Evidence::Quote { session, quote, .. } => {
                let stands = is_elsewhere(*session) || self.is_said(piece);
                let reading = planner.reading(quote);
                stands && reading.secret().is_none() && reading.instruction().is_none()
            }
            Evidence::Observation { .. } => false,
        };
        claim.evidence = old.evidence.iter().filter(is_kept).cloned().collect();
        let is_quoted = |session: SessionId| quoted(claim).any(|chat| chat == session);
        let chat = old
            .session
            .filter(|chat| is_elsewhere(*chat) || is_quoted(*chat));
        claim.session = chat;
        if chat.is_some() {
            claim.messages.clone_from(&old.messages);
        }
        // As sure as it still is: neither said here, nor affirmed here.
        let sure = confidence::effective(row, policy, planner.now());
        worded.marks.confidence = Some(sure);
        Ok(worded)
    }

    /// Whether a quote stands where it says in a chat of this user's, in their own words.
    fn is_said(&self, piece: &Evidence) -> bool {
        let Evidence::Quote {
            session,
            message,
            span,
            quote,
        } = piece
        else {
            return false;
        };
        self.shipment
            .said
            .get(&(*session, *message))
            .is_some_and(|said| {
                let words = said.content.get(span.start as usize..span.end as usize);
                words == Some(quote.as_str())
                    && said.role == Role::User
                    && said.origin == MessageOrigin::Typed
                    && !said.untrusted.iter().any(|part| part.overlaps(*span))
            })
    }

    /// The fact that says all of it already, and binds as much.
    fn known(&self, id: RowId, claim: &Claim, folded: &str, meaning: &Meaning) -> Option<Number> {
        let policy = self.planner.policy;
        let mut live = self.live.get(folded).into_iter().flatten().copied();
        let same = live.find(|row| row.body.claim.authority >= claim.authority);
        let near = || {
            let is_note = claim.authority == Authority::Note && claim.layer == Layer::Fact;
            let mut near = self.near(id).filter(|_| is_note);
            near.find(|row| meaning.adds_nothing_to(&Meaning::of(&row.body.claim.content), policy))
        };
        same.or_else(near).map(|row| row.body.number)
    }

    /// Live facts that share words with a memory of the file.
    fn near(&self, id: RowId) -> impl Iterator<Item = &MemoryRow> {
        let now = self.planner.now();
        let numbers = self.shipment.near.get(&id).into_iter();
        numbers
            .flat_map(|near| &near.by_words)
            .filter_map(|number| self.planner.base().open_version(*number))
            .filter(move |row| visibility(row, now) == Visibility::Live)
    }

    /// Whether the user had it forgotten, trashed or corrected: the words it rests on, or a fact that says, or
    /// once said, the same.
    fn is_forgotten(&self, row: &MemoryRow, meaning: &Meaning) -> bool {
        let base = self.planner.base();
        let counts = |number: Number| !is_import_taken_back(base, number);
        let mut ranges = stretches(&row.body.claim.evidence);
        let is_entombed = |range: Stretch| {
            let mut tombstones = base.tombstones().filter(|row| row.is_open());
            tombstones.any(|row| {
                Stretch::of_tombstone(&row.body).overlaps(range) && counts(row.body.number)
            })
        };
        if ranges.any(is_entombed) {
            return true;
        }
        let policy = self.planner.policy;
        let folded = text::fold(&row.body.claim.content);
        let says_so = |kept: &MemoryRow| {
            let kept = kept.body.claim.content.as_str();
            text::fold(kept) == folded || meaning.adds_nothing_to(&Meaning::of(kept), policy)
        };
        let near = self.shipment.near.get(&row.id).into_iter();
        near.flat_map(|near| &near.forgotten).any(|number| {
            let is_gone = base.versions(*number).last().is_some_and(is_unwanted);
            let counts = |row: &&MemoryRow| is_gone || was_wrong(row);
            base.versions(*number).filter(counts).any(says_so)
        })
    }

    /// A live fact that cannot be true at the same time.
    fn contradicted(&self, id: RowId, meaning: &Meaning) -> Option<MemoryRow> {
        let policy = self.planner.policy;
        let mut near = self
            .near(id)
            .filter(|row| row.body.claim.layer == Layer::Fact);
        let rival = near.find(|row| {
            let kept = Meaning::of(&row.body.claim.content);
            meaning.contradicts(&kept, policy)
        });
        rival.cloned()
    }

    /// Puts a memory of the file up for the user's word.
    fn ask(
        &mut self,
        place: u64,
        claim: Claim,
        marks: Marks,
        holder: Option<&MemoryRow>,
        rival: Option<&MemoryRow>,
        doubts: Vec<Code>,
    ) -> Planning<ImportedLine> {
        // Accepted, it is the user's word, of which nobody is more or less sure.
        let marks = Marks {
            confidence: None,
            ..marks
        };
        let claim = Box::new(claim);
        let operation = match (holder, rival) {
            (Some(old), _) => ProposedOperation::Update {
                target: Target::of(old),
                claim,
                marks,
                correction: false,
            },
            (None, Some(old)) => ProposedOperation::Choose {
                target: Target::of(old),
                rival: Rival::Claim { claim, marks },
            },
            (None, None) => ProposedOperation::Save { claim, marks },
        };
        let reasoning = format!("a file holds it: {}", doubt_words(&doubts));
        let put_up = self
            .planner
            .put_up(operation, reasoning.clone(), Vec::new())?;
        Ok(match put_up {
            PutUp::Made(id) => ImportedLine {
                proposal: Some(id),
                codes: doubts,
                ..told(place, ImportFate::Proposed, reasoning)
            },
            PutUp::Waits => ImportedLine {
                codes: doubts,
                ..told(place, ImportFate::Known, "it is proposed already")
            },
            PutUp::TurnedDown => {
                let message = "the user turned this down before";
                refused(place, &Refusal::new(Code::Forgotten, message))
            }
        })
    }
}

/// Whether a fact is only what an import brought and an undo took back: that may be imported again.
fn is_import_taken_back(base: &Snapshot, number: Number) -> bool {
    let mut versions = base.versions(number).peekable();
    versions.peek().is_some()
        && versions.all(|row| {
            let is_undone = row.end.is_some_and(|end| end.why == Why::Undone);
            is_undone && row.body.claim.source == Source::Imported
        })
}
