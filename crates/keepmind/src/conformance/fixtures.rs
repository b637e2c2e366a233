//! What the rules are made with: a scribe who writes for one owner, and plain claims and vectors.
//! Public for a host that adds rules of its own.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use crate::change::{
    ChangeSet, Draft, EmbeddingChange, EntryHeader, Expected, NewMessage, Place, Receipt,
    SessionChange, Slice, Snapshot,
};
use crate::embedding::{EmbeddingKey, Vector};
use crate::error::{ErrorKind, Result};
use crate::ids::{Number, OperationId, Origin, RowId, SessionId};
use crate::journal::Who;
use crate::memory::{Authority, Claim, Layer, Marks, Source, Trust};
use crate::message::{Role, Utterance};
use crate::model::{CountingIds, IdSource};
use crate::owner::Owner;
use crate::row::{Kind, MemoryRow, Why};
use crate::session::Session;
use crate::store::{Filter, KeywordQuery, ListQuery, MemoryStore, Selection};
use crate::timestamp::Timestamp;

/// 2026-01-01T00:00:00Z, where every scribe's clock begins.
const BEGINNING: i64 = 1_767_225_600_000_000;

/// That many minutes after every scribe's clock began.
pub fn moment(minutes: i64) -> Timestamp {
    Timestamp::from_micros(BEGINNING + minutes * 60_000_000).expect("a moment near the beginning")
}

/// A fact's number.
pub fn number(count: u64) -> Number {
    Number::new(count).expect("a number above zero")
}

/// An owner.
pub fn owner(name: &str) -> Owner {
    Owner::new(name).expect("a name")
}

/// A plain note of the user's, true since the clock began.
pub fn claim(content: &str) -> Claim {
    Claim {
        layer: Layer::Fact,
        category: "facts".to_owned(),
        authority: Authority::Note,
        domain: None,
        key: None,
        value: None,
        content: content.to_owned(),
        summary: None,
        body: None,
        tags: BTreeSet::new(),
        source: Source::User,
        trust: Trust::User,
        held: false,
        session: None,
        messages: Vec::new(),
        evidence: Vec::new(),
        valid_from: moment(0),
        expires_at: None,
        authorises_action: false,
    }
}

/// A rule for a domain and key.
pub fn rule(domain: &str, key: &str, content: &str) -> Claim {
    Claim {
        authority: Authority::Rule,
        domain: Some(domain.to_owned()),
        key: Some(key.to_owned()),
        ..claim(content)
    }
}

/// A vector in that direction.
pub fn vector(numbers: &[f32]) -> Vector {
    Vector::new(numbers.to_vec()).expect("a direction")
}

/// What the journal says of a commit that no rule looks at.
pub fn header() -> EntryHeader {
    EntryHeader::new(Who::User, "wrote")
}

/// Fails unless the answer is an error of that kind.
#[track_caller]
pub fn assert_refused<T: Debug>(answer: Result<T>, kind: ErrorKind, what: &str) {
    match answer {
        Err(error) => assert_eq!(error.kind(), kind, "{what}: refused, but with {error}"),
        Ok(answer) => panic!("{what}: it must be refused as {kind:?}, but was answered {answer:?}"),
    }
}

/// A change set and the revision it was planned at.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What must hold.
    pub expected: Expected,
    /// What is written.
    pub changes: ChangeSet,
}

/// Writes for one owner: loads, plans and commits, and fails with what went wrong.
///
/// Every scribe counts its ids from one, so two owners' rows have the same ids, and its clock goes on
/// by a minute with each plan.
#[derive(Debug)]
pub struct Scribe {
    /// Where it writes.
    pub store: Arc<dyn MemoryStore>,
    /// For whom.
    pub owner: Owner,
    /// What the clock shows at the next plan.
    pub clock: Timestamp,
    /// Where ids come from.
    pub ids: CountingIds,
}

impl Scribe {
    /// A scribe for an owner of that name.
    pub fn new(store: &Arc<dyn MemoryStore>, name: &str) -> Self {
        Scribe {
            store: Arc::clone(store),
            owner: owner(name),
            clock: moment(0),
            ids: CountingIds::default(),
        }
    }

    /// An identifier that this scribe has not used.
    pub fn new_id(&mut self) -> Uuid {
        self.ids.next_id()
    }

    /// Everything of the owner.
    pub async fn everything(&self) -> Snapshot {
        self.load(&Slice::everything()).await
    }

    /// Part of the owner's data.
    pub async fn load(&self, slice: &Slice) -> Snapshot {
        self.store
            .load(&self.owner, slice)
            .await
            .expect("a load is answered")
    }

    /// Plans on everything there is, and does not commit it.
    pub async fn plan<T>(
        &mut self,
        steps: impl FnOnce(&mut Draft<'_>) -> Result<T>,
    ) -> (T, Planned) {
        let base = self.everything().await;
        self.plan_on(&base, steps)
    }

    /// Plans on what was loaded before.
    pub fn plan_on<T>(
        &mut self,
        base: &Snapshot,
        steps: impl FnOnce(&mut Draft<'_>) -> Result<T>,
    ) -> (T, Planned) {
        let mut draft = Draft::new(base, self.clock, &mut self.ids).expect("time has not run out");
        let answer = steps(&mut draft).expect("a plan that can be made");
        let changes = draft.finish(header()).expect("a plan that holds");
        self.clock = self.clock.saturating_add(Duration::from_secs(60));
        (
            answer,
            Planned {
                expected: Expected::At(base.state().revision),
                changes,
            },
        )
    }

    /// Plans on everything there is what the library itself may refuse.
    pub async fn try_plan<T>(
        &mut self,
        steps: impl FnOnce(&mut Draft<'_>) -> Result<T>,
    ) -> Result<(T, Planned)> {
        let base = self.everything().await;
        let mut draft = Draft::new(&base, self.clock, &mut self.ids)?;
        let answer = steps(&mut draft)?;
        let changes = draft.finish(header())?;
        self.clock = self.clock.saturating_add(Duration::from_secs(60));
        Ok((
            answer,
            Planned {
                expected: Expected::At(base.state().revision),
                changes,
            },
        ))
    }

    /// Plans and commits.
    pub async fn write<T>(&mut self, steps: impl FnOnce(&mut Draft<'_>) -> Result<T>) -> T {
        let (answer, planned) = self.plan(steps).await;
        self.commit(planned)
            .await
            .expect("a sound plan is committed");
        answer
    }

    /// Commits what was planned.
    pub async fn commit(&self, planned: Planned) -> Result<Receipt> {
        self.store
            .commit(&self.owner, planned.expected, planned.changes.into())
            .await
    }

    /// Fails unless the plan is refused with that kind of error and leaves everything as it was.
    pub async fn assert_unwritten(&self, planned: Planned, kind: ErrorKind, what: &str) {
        let before = self.everything().await;
        assert_refused(self.commit(planned).await, kind, what);
        assert!(
            self.everything().await == before,
            "{what}: it was refused, but something changed"
        );
    }

    /// An unchecked set with nothing in it yet.
    pub fn unchecked(&mut self) -> ChangeSet {
        let operation = OperationId::new(self.new_id());
        ChangeSet::new(operation, self.clock)
    }

    /// Commits an unchecked set.
    pub async fn put(&self, changes: ChangeSet) -> Receipt {
        let planned = Planned {
            expected: Expected::Any,
            changes,
        };
        self.commit(planned)
            .await
            .expect("a sound unchecked set is committed")
    }

    /// Saves a new fact.
    pub async fn save(&mut self, claim: Claim) -> MemoryRow {
        let id = self.write(|draft| save(draft, claim)).await;
        self.row(id).await
    }

    /// Saves a plain note.
    pub async fn note(&mut self, content: &str) -> MemoryRow {
        self.save(claim(content)).await
    }

    /// Ends the open version of a fact and inserts the next; the old one was true until then.
    pub async fn update(&mut self, old: &MemoryRow, content: &str) -> MemoryRow {
        let (number, origin) = (old.body.number, old.origin);
        let id = self
            .write(|draft| {
                let until = draft.stamp();
                let claim = Claim {
                    valid_from: until,
                    ..claim(content)
                };
                let id = draft.insert_version(number, claim, Marks::default())?;
                draft.end(
                    Kind::Memory,
                    origin,
                    Why::Superseded {
                        by: id.into(),
                        until,
                    },
                )?;
                Ok(id)
            })
            .await;
        self.row(id).await
    }

    /// Ends a row.
    pub async fn end(&mut self, kind: Kind, origin: Origin, why: Why) {
        self.write(|draft| draft.end(kind, origin, why)).await;
    }

    /// One memory that must be there.
    pub async fn row(&self, id: RowId) -> MemoryRow {
        let slice = Slice {
            rows: BTreeSet::from([id]),
            ..Slice::default()
        };
        self.load(&slice)
            .await
            .memory(id)
            .cloned()
            .expect("the row that was written is there")
    }

    /// Opens a chat.
    pub async fn open_session(&mut self) -> SessionId {
        let id = SessionId::new(self.new_id());
        let mut changes = self.unchecked();
        changes
            .sessions
            .insert(id, SessionChange::Open(Session::open(id, self.clock)));
        self.put(changes).await;
        id
    }

    /// Says something as the user.
    pub async fn say(&mut self, session: SessionId, words: &str) -> Place {
        let utterance = Utterance::new(Role::User, words, self.clock);
        let mut changes = self.unchecked();
        changes.messages.push(NewMessage {
            session,
            place: None,
            utterance,
        });
        self.put(changes).await.places[0]
    }

    /// Sets the vector of a row.
    pub async fn embed(&mut self, memory: RowId, embedder: &str, vector: Vector) {
        let key = EmbeddingKey {
            memory,
            embedder: embedder.to_owned(),
        };
        let mut changes = self.unchecked();
        changes.embeddings.insert(key, EmbeddingChange::Set(vector));
        self.put(changes).await;
    }

    /// The contents that words find among the owner's rows, best first.
    pub async fn found(&self, words: &str, selection: Selection) -> Vec<String> {
        let query = KeywordQuery::new(words, Filter::new(selection), 100);
        let hits = self
            .store
            .search(&self.owner, &query)
            .await
            .expect("a search is answered");
        hits.into_iter()
            .map(|hit| hit.row.body.claim.content)
            .collect()
    }

    /// All rows that pass a filter.
    pub async fn listed(&self, filter: Filter) -> Vec<MemoryRow> {
        let query = ListQuery {
            filter,
            limit: usize::MAX,
            after: None,
        };
        self.store
            .list(&self.owner, &query)
            .await
            .expect("a list is answered")
            .items
    }
}

/// Drafts a new fact.
pub fn save(draft: &mut Draft<'_>, claim: Claim) -> Result<RowId> {
    let number = draft.new_number()?;
    draft.insert_version(number, claim, Marks::default())
}
