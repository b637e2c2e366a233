//! The driver's workload: facts and queries in JSON lines, their vectors beside them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Result;

pub const DIMENSIONS: usize = 384;

#[derive(Debug)]
pub struct Workload {
    pub users: usize,
    pub facts_of_each: usize,
    /// What a database is filled with.
    pub facts: Vec<Line>,
    /// What is written while it is measured.
    pub further: Vec<Line>,
    pub queries: Vec<Query>,
    /// The vectors of facts and queries, by their text.
    pub vectors: Arc<HashMap<String, Vec<f32>>>,
}

/// A fact of a user.
#[derive(Debug, Clone, Deserialize)]
pub struct Line {
    #[serde(rename = "u")]
    pub user: usize,
    #[serde(rename = "t")]
    pub text: String,
}

/// A question, and the fact it is about.
#[derive(Debug, Deserialize)]
pub struct Query {
    #[serde(rename = "u")]
    pub user: usize,
    #[serde(rename = "q")]
    pub text: String,
    pub target: String,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "U")]
    users: usize,
    #[serde(rename = "M")]
    facts_of_each: usize,
}

impl Workload {
    pub fn load(folder: &Path) -> Result<Self> {
        let meta: Meta = serde_json::from_str(&read(&folder.join("meta.json"))?)?;
        let facts: Vec<Line> = lines(&folder.join("facts.jsonl"))?;
        let further: Vec<Line> = lines(&folder.join("extra.jsonl"))?;
        let queries: Vec<Query> = lines(&folder.join("queries.jsonl"))?;
        let mut vectors = HashMap::new();
        let mut add = |file: &str, texts: Vec<&str>| -> Result<()> {
            let rows = floats(&folder.join(file))?;
            if rows.len() != texts.len() {
                return Err(format!(
                    "{file} has {} vectors for {} texts",
                    rows.len(),
                    texts.len()
                )
                .into());
            }
            vectors.extend(texts.into_iter().map(str::to_owned).zip(rows));
            Ok(())
        };
        add(
            "facts.f32",
            facts.iter().map(|fact| fact.text.as_str()).collect(),
        )?;
        add(
            "extra.f32",
            further.iter().map(|fact| fact.text.as_str()).collect(),
        )?;
        add(
            "queries.f32",
            queries.iter().map(|query| query.text.as_str()).collect(),
        )?;
        Ok(Workload {
            users: meta.users,
            facts_of_each: meta.facts_of_each,
            facts,
            further,
            queries,
            vectors: Arc::new(vectors),
        })
    }
}

fn read(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path);
    Ok(text.map_err(|error| format!("{} cannot be read: {error}", path.display()))?)
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = read(path)?;
    let lines = text.split('\n').filter(|line| !line.is_empty());
    Ok(lines
        .map(serde_json::from_str)
        .collect::<std::result::Result<_, _>>()?)
}

/// Rows of little-endian numbers.
fn floats(path: &Path) -> Result<Vec<Vec<f32>>> {
    let bytes =
        fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let (numbers, _) = bytes.as_chunks::<4>();
    let rows = numbers.chunks_exact(DIMENSIONS);
    Ok(rows
        .map(|row| row.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        .collect())
}
