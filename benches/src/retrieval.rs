//! `retrieval`: which memories a question finds, on labelled sets: every document becomes a memory of its
//! owner, every query is recalled through the engine, and what was found is written for a scorer.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use keepmind::command::{Recall, RecallBy};
use keepmind::{
    Claim, CountingIds, Draft, Embedder, EmbeddingChange, EmbeddingKey, EntryHeader, Expected,
    IdSource, InMemoryStore, Keepmind, Marks, MemoryStore, Owner, PlugError, Policy, SessionId,
    Slice, SystemClock, TimeOrderedIds, Timestamp, Vector, Who,
};
use keepmind_embed::StaticEmbedder;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Result;
use crate::arguments::RetrievalOptions;

/// How many memories are written for each query.
const DEPTH: usize = 100;
/// How many documents are written in one commit.
const BATCH: usize = 500;
/// The longest line of a memory; what is longer is found by its detail.
const LINE: usize = 500;

#[derive(Debug, Deserialize)]
struct Document {
    id: String,
    owner: String,
    text: String,
    /// The chat it was said in, by a name or a number.
    session: Option<serde_json::Value>,
    time: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Question {
    id: String,
    owner: String,
    text: String,
}

pub async fn run(options: &RetrievalOptions) -> Result<()> {
    let documents: Vec<Document> = read(&options.docs)?;
    let questions: Vec<Question> = read(&options.queries)?;
    let embedder = embedder(options, &documents, &questions)?;
    let store: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let mut policy = Policy::default();
    policy.limits.results = policy.limits.results.max(DEPTH as u32);
    let mut builder = Keepmind::builder(Arc::clone(&store)).policy(policy);
    let mut by = RecallBy::Words;
    if let Some(embedder) = &embedder {
        builder = builder.embedder(Arc::clone(embedder));
        by = RecallBy::Both;
    }
    let keepmind = builder.build()?;
    let names = fill(&store, embedder.as_deref(), &documents).await?;
    let mut lines = String::new();
    for question in &questions {
        let mut recall = Recall::new(&question.text);
        recall.limit = Some(DEPTH);
        recall.by = by;
        let user = keepmind.user(question.owner.as_str())?;
        for (rank, hit) in user.recall(recall).await?.iter().enumerate() {
            let key = (question.owner.as_str(), hit.row.body.number.get());
            let name = names.get(&key).ok_or("a memory that was not filled")?;
            let (id, score) = (&question.id, hit.score);
            writeln!(lines, "{id}\t{name}\t{}\t{score}", rank + 1)?;
        }
    }
    std::fs::write(&options.out, lines)?;
    println!("{} documents, {} queries", documents.len(), questions.len());
    Ok(())
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let lines = text.split('\n').filter(|line| !line.trim().is_empty());
    lines.map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Writes every document as a memory; the documents by owner and number.
async fn fill<'a>(
    store: &Arc<dyn MemoryStore>,
    embedder: Option<&dyn Embedder>,
    documents: &'a [Document],
) -> Result<HashMap<(&'a str, u64), &'a str>> {
    let mut by_owner: HashMap<&str, Vec<&Document>> = HashMap::new();
    for document in documents {
        by_owner.entry(&document.owner).or_default().push(document);
    }
    let mut names = HashMap::new();
    for (name, documents) in by_owner {
        let owner = Owner::new(name)?;
        let mut chat_ids = CountingIds::after(0);
        let mut chats: HashMap<String, SessionId> = HashMap::new();
        for batch in documents.chunks(BATCH) {
            let texts: Vec<&str> = batch
                .iter()
                .map(|document| document.text.as_str())
                .collect();
            let vectors = match embedder {
                Some(embedder) => Some((embedder.id(), embedder.embed(&texts).await?)),
                None => None,
            };
            let base = store.load(&owner, &Slice::default()).await?;
            let now = keepmind::Clock::now(&SystemClock);
            let mut ids = TimeOrderedIds::at(now);
            let mut draft = Draft::new(&base, now, &mut ids)?;
            for (place, document) in batch.iter().enumerate() {
                let number = draft.new_number()?;
                names.insert((name, number.get()), document.id.as_str());
                let mut claim = claim(document, now);
                claim.session = document.session.as_ref().map(|session| {
                    let new = || SessionId::new(chat_ids.next_id());
                    *chats.entry(session.to_string()).or_insert_with(new)
                });
                let memory = draft.insert_version(number, claim, Marks::default())?;
                if let Some((embedder, vectors)) = &vectors {
                    let embedder = (*embedder).to_owned();
                    // An empty one stands for a text that the embedder cannot read.
                    let Ok(vector) = Vector::new(vectors[place].clone()) else {
                        continue;
                    };
                    let key = EmbeddingKey { memory, embedder };
                    let change = EmbeddingChange::Set(vector);
                    draft.others().embeddings.insert(key, change);
                }
            }
            let changes = draft.finish(EntryHeader::new(Who::User, "saved"))?;
            let expected = Expected::At(base.state().revision);
            store.commit(&owner, expected, changes.into()).await?;
        }
    }
    Ok(names)
}

fn claim(document: &Document, now: Timestamp) -> Claim {
    let text = document.text.as_str();
    let told = document.time.as_deref();
    let at = told.and_then(|time| Timestamp::parse(time).ok());
    let at = at.map_or(now, |at| at.min(now));
    let cleaned = |text: &str| keepmind::text::line(text).unwrap_or_else(|_| "-".to_owned());
    let line = cleaned(text);
    let content = cleaned(&line.chars().take(LINE).collect::<String>());
    let mut claim = Claim::note("fact", content, at);
    let rest: String = line.chars().skip(LINE).collect();
    claim.body = keepmind::text::passage(&rest).ok();
    claim
}

/// What gives vectors, where any are wanted.
fn embedder(
    options: &RetrievalOptions,
    documents: &[Document],
    questions: &[Question],
) -> Result<Option<Arc<dyn Embedder>>> {
    if let Some(folder) = &options.embed {
        return Ok(Some(Arc::new(StaticEmbedder::load(folder)?)));
    }
    let Some(folder) = &options.vectors else {
        return Ok(None);
    };
    let mut known = KnownVectors::default();
    let documents = documents.iter().map(|document| document.text.as_str());
    known.add(&folder.join("docs.minilm.f32"), documents.collect())?;
    let questions = questions.iter().map(|question| question.text.as_str());
    known.add(&folder.join("queries.minilm.f32"), questions.collect())?;
    Ok(Some(Arc::new(known)))
}

/// Vectors that were made before, by their texts.
#[derive(Default)]
struct KnownVectors {
    dimensions: usize,
    by_text: HashMap<String, Vec<f32>>,
}

impl KnownVectors {
    /// One vector for each text, in order, as little-endian numbers.
    fn add(&mut self, path: &Path, texts: Vec<&str>) -> Result<()> {
        let bytes = std::fs::read(path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let numbers: Vec<f32> = numbers
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        if texts.is_empty() || !numbers.len().is_multiple_of(texts.len()) {
            return Err(format!("{} has not one vector for each line", path.display()).into());
        }
        self.dimensions = numbers.len() / texts.len();
        for (text, vector) in texts.iter().zip(numbers.chunks_exact(self.dimensions)) {
            // A query is cleaned before it is embedded.
            let cleaned = keepmind::text::passage(text).unwrap_or_default();
            self.by_text.insert(cleaned, vector.to_vec());
            self.by_text.insert((*text).to_owned(), vector.to_vec());
        }
        Ok(())
    }
}

#[async_trait]
impl Embedder for KnownVectors {
    fn id(&self) -> &str {
        "known"
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    async fn embed(&self, texts: &[&str]) -> std::result::Result<Vec<Vec<f32>>, PlugError> {
        let known = |text: &&str| {
            let vector = self.by_text.get(*text);
            vector
                .cloned()
                .ok_or_else(|| PlugError::lasting("a text without a vector"))
        };
        texts.iter().map(known).collect()
    }
}

impl fmt::Debug for KnownVectors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KnownVectors")
    }
}
