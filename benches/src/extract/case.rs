//! A labelled chat: what is known already, what is said, and what may and must be kept of it.

use std::path::Path;

use keepmind::Role;
use serde::Deserialize;

use crate::Result;
use crate::stage::Tier;

#[derive(Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub turns: Vec<Turn>,
    #[serde(default)]
    pub given: Vec<Given>,
    /// What may be kept. Nothing else may.
    pub facts: Vec<Fact>,
    /// What should be done to the rows that are there.
    #[serde(default)]
    pub ops: Vec<Wanted>,
    /// The kind of case, a colon, and more.
    pub why: String,
}

#[derive(Debug, Deserialize)]
pub struct Turn {
    pub role: Role,
    pub text: String,
}

#[derive(Debug, Deserialize)]
pub struct Given {
    pub n: u64,
    pub content: String,
    pub tier: Tier,
}

#[derive(Debug, Deserialize)]
pub struct Fact {
    pub content: String,
    pub quote: String,
    /// Whether it is missed where it is not kept.
    #[serde(default = "yes")]
    pub must: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
pub struct Wanted {
    pub op: String,
    pub n: Option<u64>,
}

impl Case {
    /// The first word of why it is there.
    pub fn kind(&self) -> &str {
        self.why.split(':').next().unwrap_or_default()
    }
}

/// The cases of a file, one a line.
pub fn all(path: &Path) -> Result<Vec<Case>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let lines = text.split('\n').enumerate();
    let full = lines.filter(|(_, line)| !line.trim().is_empty());
    full.map(|(index, line)| {
        let place = || format!("{}, line {}", path.display(), index + 1);
        serde_json::from_str(line).map_err(|error| format!("{}: {error}", place()).into())
    })
    .collect()
}
