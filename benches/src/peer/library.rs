//! keepmind as a host uses it: an engine on SQLite, with an embedder that knows the workload's vectors.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use keepmind::command::{List, Recall, RecallBy, Update};
use keepmind::store::sqlite::{Durability, SqliteOptions};
use keepmind::{
    Claim, Clock, Draft, Embedder, EmbeddingChange, EmbeddingKey, EntryHeader, Expected, Keepmind,
    Marks, Number, PlugError, Policy, Recalled, Slice, SqliteStore, SystemClock, TimeOrderedIds,
    UserMemory, Vector, Who,
};

use crate::Result;
use crate::peer::workload::{DIMENSIONS, Line, Workload};

/// What is measured besides writing and listing.
pub const CAPABILITIES: [&str; 3] = ["recall_text", "recall_vec", "hybrid"];
pub const DURABILITY: &str = "sqlite WAL synchronous=FULL (fsync per commit), with journal, \
    operation id and invariants; delete is forget: the row is kept for audit";

/// How many memories a search answers.
const HITS: usize = 10;
/// The largest page that a policy allows.
const PAGE: u32 = 1_000;
/// How many facts are written in one commit.
const BATCH: usize = 1_000;

/// A fact of a user.
#[derive(Debug, Clone, Copy)]
pub struct Id {
    user: usize,
    number: Number,
}

pub struct Library {
    keepmind: Keepmind,
    embedder: Arc<KnownVectors>,
    users: Vec<UserMemory>,
}

impl Library {
    /// Opens the database in a folder.
    pub async fn open(folder: &Path, workload: &Workload) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        let options = SqliteOptions::new(folder.join("keepmind.db")).durability(Durability::Full);
        let store = Arc::new(SqliteStore::open_with(options).await?);
        let mut policy = Policy::default();
        policy.limits.results = PAGE;
        let embedder = Arc::new(KnownVectors(Arc::clone(&workload.vectors)));
        let keepmind = Keepmind::builder(store)
            .policy(policy)
            .embedder(Arc::<KnownVectors>::clone(&embedder))
            .build()?;
        let users = (0..workload.users)
            .map(|user| keepmind.user(format!("user-{user}")))
            .collect::<keepmind::Result<_>>()?;
        Ok(Library {
            keepmind,
            embedder,
            users,
        })
    }

    pub async fn save(&self, user: usize, text: &str) -> Result<Id> {
        let saved = self.user(user)?.save(text).await?;
        let number = saved.number.ok_or("a save names its fact")?;
        Ok(Id { user, number })
    }

    pub async fn update(&self, id: Id, text: &str) -> Result<()> {
        self.user(id.user)?
            .update(Update::new(id.number, text))
            .await?;
        Ok(())
    }

    /// What users mean by delete: the fact is ended, and kept for audit only.
    pub async fn forget(&self, id: Id) -> Result<()> {
        self.user(id.user)?.forget(id.number).await?;
        Ok(())
    }

    pub async fn recall_text(&self, user: usize, text: &str) -> Result<Vec<String>> {
        self.recall(user, text, RecallBy::Words).await
    }

    pub async fn recall_vector(&self, user: usize, text: &str) -> Result<Vec<String>> {
        self.recall(user, text, RecallBy::Meaning).await
    }

    pub async fn recall_both(&self, user: usize, text: &str) -> Result<Vec<String>> {
        self.recall(user, text, RecallBy::Both).await
    }

    async fn recall(&self, user: usize, text: &str, by: RecallBy) -> Result<Vec<String>> {
        let mut recall = Recall::new(text);
        recall.limit = Some(HITS);
        recall.by = by;
        let found = self.user(user)?.recall(recall).await?;
        let content = |hit: Recalled| hit.row.body.claim.content;
        Ok(found.into_iter().map(content).collect())
    }

    /// All live facts of a user, page by page.
    pub async fn list(&self, user: usize) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        let mut list = List::default();
        list.limit = Some(PAGE as usize);
        loop {
            let page = self.user(user)?.list(list.clone()).await?;
            texts.extend(page.rows.into_iter().map(|row| row.body.claim.content));
            list.after = page.next;
            if list.after.is_none() {
                return Ok(texts);
            }
        }
    }

    /// All live facts of everyone.
    pub async fn texts(&self) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for user in 0..self.users.len() {
            texts.extend(self.list(user).await?);
        }
        Ok(texts)
    }

    /// Writes many facts with their vectors, many in a commit. The engine has no call for that yet:
    /// this is a draft on the store, which keeps the invariants and the journal, and asks no rule.
    pub async fn bulk(&self, facts: &[Line]) -> Result<Vec<Id>> {
        let mut of_user: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, fact) in facts.iter().enumerate() {
            of_user.entry(fact.user).or_default().push(place);
        }
        let mut ids = vec![None; facts.len()];
        for (user, places) in of_user {
            for places in places.chunks(BATCH) {
                let texts: Vec<&str> = places
                    .iter()
                    .map(|&place| facts[place].text.as_str())
                    .collect();
                let numbers = self.commit(user, &texts).await?;
                for (place, number) in places.iter().zip(numbers) {
                    ids[*place] = Some(Id { user, number });
                }
            }
        }
        let ids: Option<Vec<Id>> = ids.into_iter().collect();
        Ok(ids.ok_or("a fact was not written")?)
    }

    async fn commit(&self, user: usize, texts: &[&str]) -> Result<Vec<Number>> {
        let (store, owner) = (self.keepmind.store(), self.user(user)?.owner());
        let vectors = self.embedder.embed(texts).await?;
        let base = store.load(owner, &Slice::default()).await?;
        let now = SystemClock.now();
        let mut ids = TimeOrderedIds::at(now);
        let mut draft = Draft::new(&base, now, &mut ids)?;
        let category = &self.keepmind.policy().default_category;
        let mut numbers = Vec::with_capacity(texts.len());
        for (text, vector) in texts.iter().zip(vectors) {
            let number = draft.new_number()?;
            let claim = Claim::note(category, *text, draft.stamp());
            let memory = draft.insert_version(number, claim, Marks::default())?;
            let key = EmbeddingKey {
                memory,
                embedder: self.embedder.id().to_owned(),
            };
            let change = EmbeddingChange::Set(Vector::new(vector)?);
            draft.others().embeddings.insert(key, change);
            numbers.push(number);
        }
        let changes = draft.finish(EntryHeader::new(Who::Host, "brought in"))?;
        let expected = Expected::At(base.state().revision);
        store.commit(owner, expected, changes.into()).await?;
        Ok(numbers)
    }

    pub async fn close(self) -> Result<()> {
        Ok(self.keepmind.close().await?)
    }

    fn user(&self, user: usize) -> Result<&UserMemory> {
        Ok(self
            .users
            .get(user)
            .ok_or("the workload has no such user")?)
    }
}

/// An embedder that looks vectors up.
struct KnownVectors(Arc<HashMap<String, Vec<f32>>>);

impl fmt::Debug for KnownVectors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} known vectors", self.0.len())
    }
}

#[async_trait]
impl Embedder for KnownVectors {
    fn id(&self) -> &str {
        "peers-384"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    async fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, PlugError> {
        // Texts that are saved a second time have a word more at their end.
        let known = |text: &&str| {
            let shorter = text.rsplit_once(' ').map(|(shorter, _)| shorter);
            let found = self.0.get(*text).or_else(|| self.0.get(shorter?));
            found
                .cloned()
                .ok_or_else(|| PlugError::lasting("the workload has no such text"))
        };
        texts.iter().map(known).collect()
    }
}
