//! A fact that changed: what the user said of it from time to time, and a question about it.

use std::path::Path;

use keepmind::Role;
use serde::Deserialize;

use crate::Result;

#[derive(Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub question: String,
    pub answer: String,
    /// In the order of time: the last one counts.
    pub evidence: Vec<Evidence>,
}

#[derive(Debug, Deserialize)]
pub struct Evidence {
    pub time: String,
    pub role: Role,
    pub text: String,
}

/// The cases of a file, one a line.
pub fn all(path: &Path) -> Result<Vec<Case>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let full = text.split('\n').filter(|line| !line.trim().is_empty());
    full.map(|line| Ok(serde_json::from_str(line)?)).collect()
}
