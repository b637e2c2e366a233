//! keepmind's stores, used as a host uses them: through the trait, with drafts made on what was loaded.

mod fill;
mod host;

use std::path::Path;
use std::sync::Arc;

use keepmind::store::postgres::PostgresOptions;
use keepmind::store::sqlite::{Durability, SqliteOptions};
use keepmind::store::{
    Filter, Hit, KeywordQuery, ListQuery, Meaning, RecallQuery, Selection, VectorQuery,
};
use keepmind::visibility::AsOf;
use keepmind::{
    Authority, ChangeSet, Claim, CountingIds, Draft, EntryHeader, Expected, IdSource,
    InMemoryStore, Kind, Layer, Marks, MemoryRow, MemoryStore, NewMessage, Number, OperationId,
    Origin, Owner, Policy, PostgresStore, Role, RowId, Session, SessionChange, SessionEdit,
    SessionId, SessionStatus, Slice, Snapshot, Source, SqliteStore, Timestamp, Trust, Utterance,
    Vector, Who, Why,
};

use crate::Result;
use crate::operation::{Found, HITS, PAGE};
use crate::workload::{self, Fact};

pub use host::Host;

const EMBEDDER: &str = "bench-384";

#[derive(Debug)]
pub struct Ours {
    store: Arc<dyn MemoryStore>,
    ids: CountingIds,
    host: Host,
}

/// Where the engine's own ids begin, above those made here.
const ENGINE_IDS: u128 = 1 << 63;

/// A change set and the revision it was planned at.
#[derive(Debug)]
pub struct Plan {
    expected: Expected,
    changes: ChangeSet,
}

impl Ours {
    pub fn in_memory() -> Result<Self> {
        Ours::on(Arc::new(InMemoryStore::new()), 0)
    }

    /// Opens a file. Ids count up from `last_id`.
    pub async fn sqlite(path: &Path, is_durable: bool, last_id: u128) -> Result<Self> {
        let durability = if is_durable {
            Durability::Full
        } else {
            Durability::Off
        };
        let store = SqliteStore::open_with(SqliteOptions::new(path).durability(durability)).await?;
        Ours::on(Arc::new(store), last_id)
    }

    /// A database on a server, through so many connections. Ids count up from `last_id`.
    pub async fn postgres(url: &str, connections: u32, last_id: u128) -> Result<Self> {
        let options = PostgresOptions::new(url)?.connections(connections);
        let store = PostgresStore::connect_with(options).await?;
        Ours::on(Arc::new(store), last_id)
    }

    /// Another host on the same store, with ids of its own.
    pub fn beside(&self, last_id: u128) -> Result<Self> {
        Ours::on(Arc::clone(&self.store), last_id)
    }

    fn on(store: Arc<dyn MemoryStore>, last_id: u128) -> Result<Self> {
        Ok(Ours {
            host: Host::new(Arc::clone(&store), last_id + ENGINE_IDS)?,
            ids: CountingIds::after(last_id),
            store,
        })
    }

    pub fn store(&self) -> Arc<dyn MemoryStore> {
        Arc::clone(&self.store)
    }

    /// The engine on the same store.
    pub fn host(&mut self) -> &mut Host {
        &mut self.host
    }

    /// A fact, with all its versions.
    pub async fn get(&self, owner: &Owner, number: u64) -> Result<Vec<Found>> {
        let number = Number::new(number).ok_or("numbers count from 1")?;
        let snapshot = self.store.load(owner, &Slice::number(number)).await?;
        Ok(snapshot.versions(number).map(found).collect())
    }

    /// The first page of what is live.
    pub async fn list(&self, owner: &Owner, at: Timestamp) -> Result<Vec<Found>> {
        self.page(owner, Filter::live(at)).await
    }

    /// The first page of what was true at a moment, as known then.
    pub async fn as_of(&self, owner: &Owner, at: Timestamp) -> Result<Vec<Found>> {
        let question = AsOf {
            valid: at,
            known: at,
        };
        self.page(owner, Filter::new(Selection::AsOf { question }))
            .await
    }

    async fn page(&self, owner: &Owner, filter: Filter) -> Result<Vec<Found>> {
        let page = self
            .store
            .list(
                owner,
                &ListQuery {
                    filter,
                    limit: PAGE,
                    after: None,
                },
            )
            .await?;
        Ok(page.items.iter().map(found).collect())
    }

    /// The best by words.
    pub async fn search(&self, owner: &Owner, query: &str) -> Result<Vec<Found>> {
        Ok(self
            .hits(owner, query)
            .await?
            .iter()
            .map(|hit| found(&hit.row))
            .collect())
    }

    /// The best by words, with every bit of their scores.
    pub async fn ranking(&self, owner: &Owner, query: &str) -> Result<Vec<(RowId, u64)>> {
        Ok(self
            .hits(owner, query)
            .await?
            .iter()
            .map(|hit| (hit.row.id, hit.score.to_bits()))
            .collect())
    }

    async fn hits(&self, owner: &Owner, query: &str) -> Result<Vec<Hit>> {
        let query = KeywordQuery::new(query, Filter::live(workload::read_at()), HITS);
        Ok(self.store.search(owner, &query).await?)
    }

    /// The best by meaning.
    pub async fn search_vectors(&self, owner: &Owner, vector: &[f32]) -> Result<Vec<Found>> {
        let query = VectorQuery {
            embedder: EMBEDDER.to_owned(),
            vector: Vector::new(vector.to_vec())?,
            filter: Filter::live(workload::read_at()),
            limit: HITS,
        };
        let hits = self.store.search_vectors(owner, &query).await?;
        Ok(hits.iter().map(|hit| found(&hit.row)).collect())
    }

    /// The best by words and meaning.
    pub async fn recall(&self, owner: &Owner, text: &str, vector: &[f32]) -> Result<Vec<Found>> {
        let query = RecallQuery {
            text: text.to_owned(),
            meaning: Some(Meaning {
                embedder: EMBEDDER.to_owned(),
                vector: Vector::new(vector.to_vec())?,
                words: Vec::new(),
            }),
            fusion: Policy::default().recall.fusion,
            filter: Filter::live(workload::read_at()),
            limit: HITS,
            json: false,
        };
        let hits = self.store.recall(owner, &query).await?;
        hits.into_iter()
            .map(|hit| Ok(found(&hit.row.read()?)))
            .collect()
    }

    /// Inserts facts in one commit: loads the owner's counters, plans, commits.
    pub async fn insert(&mut self, owner: &Owner, facts: &[Fact], at: Timestamp) -> Result<()> {
        let plan = self.plan_insert(owner, facts, at).await?;
        self.commit(owner, plan).await
    }

    /// The same, up to the commit.
    pub async fn plan_insert(
        &mut self,
        owner: &Owner,
        facts: &[Fact],
        at: Timestamp,
    ) -> Result<Plan> {
        let base = self.store.load(owner, &Slice::default()).await?;
        self.plan(&base, at, |draft| {
            facts.iter().try_for_each(|fact| {
                let number = draft.new_number()?;
                draft.insert_version(
                    number,
                    claim(fact.clone(), draft.stamp()),
                    Marks::default(),
                )?;
                Ok(())
            })
        })
    }

    /// Ends the live row of a fact and inserts the next version, in one commit.
    pub async fn supersede(
        &mut self,
        owner: &Owner,
        number: u64,
        fact: &Fact,
        at: Timestamp,
    ) -> Result<()> {
        let number = Number::new(number).ok_or("numbers count from 1")?;
        let base = self.store.load(owner, &Slice::number(number)).await?;
        let old = base
            .open_version(number)
            .ok_or("the fact was not filled")?
            .origin;
        self.write(owner, &base, at, |draft| {
            let claim = claim(fact.clone(), draft.stamp());
            let new = draft.insert_version(number, claim, Marks::default())?;
            end_superseded(draft, old, new)
        })
        .await
    }

    pub async fn commit(&self, owner: &Owner, plan: Plan) -> Result<()> {
        self.store
            .commit(owner, plan.expected, plan.changes.into())
            .await?;
        Ok(())
    }

    /// Opens a chat.
    pub async fn open_chat(&mut self, owner: &Owner, at: Timestamp) -> Result<SessionId> {
        let chat = SessionId::new(self.ids.next_id());
        let opened = SessionChange::Open(Session::open(chat, at));
        let fill = |changes: &mut ChangeSet| drop(changes.sessions.insert(chat, opened));
        self.append(owner, at, fill).await?;
        Ok(chat)
    }

    /// Stores what somebody said in a chat.
    pub async fn say(
        &mut self,
        owner: &Owner,
        session: SessionId,
        words: &str,
        at: Timestamp,
    ) -> Result<()> {
        let message = NewMessage {
            session,
            place: None,
            utterance: Utterance::new(Role::User, words, at),
        };
        // As a chat that is talked in does.
        let edit = SessionEdit {
            expect_status: Some(SessionStatus::Active),
            expect_deleted: Some(false),
            active_at: Some(at),
            ..SessionEdit::default()
        };
        self.append(owner, at, |changes| {
            changes.messages.push(message);
            changes.sessions.insert(session, SessionChange::Edit(edit));
        })
        .await
    }

    /// Commits what moves no revision.
    async fn append(
        &mut self,
        owner: &Owner,
        at: Timestamp,
        fill: impl FnOnce(&mut ChangeSet),
    ) -> Result<()> {
        let mut changes = ChangeSet::new(OperationId::new(self.ids.next_id()), at);
        fill(&mut changes);
        self.store
            .commit(owner, Expected::Any, changes.into())
            .await?;
        Ok(())
    }

    pub async fn close(self) -> Result<()> {
        Ok(self.store.close().await?)
    }

    async fn write(
        &mut self,
        owner: &Owner,
        base: &Snapshot,
        at: Timestamp,
        write: impl FnOnce(&mut Draft<'_>) -> Result<()>,
    ) -> Result<()> {
        let plan = self.plan(base, at, write)?;
        self.commit(owner, plan).await
    }

    fn plan(
        &mut self,
        base: &Snapshot,
        at: Timestamp,
        write: impl FnOnce(&mut Draft<'_>) -> Result<()>,
    ) -> Result<Plan> {
        let mut draft = Draft::new(base, at, &mut self.ids)?;
        write(&mut draft)?;
        let changes = draft.finish(EntryHeader::new(Who::User, "saved"))?;
        Ok(Plan {
            expected: Expected::At(base.state().revision),
            changes,
        })
    }
}

fn end_superseded(draft: &mut Draft<'_>, old: Origin, new: RowId) -> Result<()> {
    let why = Why::Superseded {
        by: new.into(),
        until: draft.stamp(),
    };
    Ok(draft.end(Kind::Memory, old, why)?)
}

/// A fact as the user's own.
pub fn claim(fact: Fact, at: Timestamp) -> Claim {
    Claim {
        layer: Layer::Fact,
        category: fact.category.to_owned(),
        authority: Authority::Note,
        domain: None,
        key: None,
        value: None,
        content: fact.content,
        summary: None,
        body: fact.body,
        tags: fact.tags,
        source: Source::User,
        trust: Trust::User,
        held: false,
        session: None,
        messages: Vec::new(),
        evidence: Vec::new(),
        valid_from: at,
        expires_at: None,
        authorises_action: false,
    }
}

fn found(row: &MemoryRow) -> Found {
    Found {
        number: row.body.number.get(),
        version: row.body.version.get(),
    }
}
