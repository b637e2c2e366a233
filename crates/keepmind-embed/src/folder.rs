//! Where the weights and the tokenizer are.

use std::fs;
use std::path::{Path, PathBuf};

/// Why weights could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file could not be read.
    #[error("{path}: {error}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The folder does not hold exactly one file of a kind.
    #[error("{folder}: one {wanted} is wanted, {found} found: name the files with load_files")]
    Files {
        /// Which folder.
        folder: PathBuf,
        /// What was looked for.
        wanted: &'static str,
        /// How many there are.
        found: usize,
    },
    /// The weights cannot be used.
    #[error("the weights cannot be used: {0}")]
    Weights(String),
    /// The tokenizer cannot be used.
    #[error("the tokenizer cannot be used: {0}")]
    Tokenizer(String),
}

pub(crate) struct Files {
    pub weights: PathBuf,
    pub tokenizer: PathBuf,
}

impl Files {
    pub fn find(folder: &Path) -> Result<Self, LoadError> {
        let here = files(folder)?;
        let is_weights = |path: &PathBuf| has_extension(path, "safetensors");
        let mut weights: Vec<PathBuf> = here
            .iter()
            .filter(|path| is_weights(path))
            .cloned()
            .collect();
        if weights.is_empty() {
            weights = inner(folder, "weights")?;
            weights.retain(is_weights);
        }
        let named = folder.join("tokenizer.json");
        let tokenizer = if here.contains(&named) {
            named
        } else {
            let mut found = inner(folder, "tokenizers")?;
            found.retain(|path| has_extension(path, "json"));
            one(folder, "tokenizer (tokenizer.json)", found)?
        };
        Ok(Files {
            weights: one(folder, "file of weights (*.safetensors)", weights)?,
            tokenizer,
        })
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    fs::read(path).map_err(|error| LoadError::Io {
        path: path.to_owned(),
        error,
    })
}

/// What a tokenizer writes for what it does not know.
pub(crate) fn unknown_token(tokenizer: &[u8]) -> Option<String> {
    let written: serde_json::Value = serde_json::from_slice(tokenizer).ok()?;
    let word = written.pointer("/model/unk_token")?.as_str()?;
    Some(word.to_owned())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// The files of a folder inside this one; none where there is no such folder.
fn inner(folder: &Path, name: &str) -> Result<Vec<PathBuf>, LoadError> {
    let folder = folder.join(name);
    if folder.is_dir() {
        files(&folder)
    } else {
        Ok(Vec::new())
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let failed = |error| LoadError::Io {
        path: folder.to_owned(),
        error,
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

fn one(folder: &Path, wanted: &'static str, mut found: Vec<PathBuf>) -> Result<PathBuf, LoadError> {
    match (found.pop(), found.len()) {
        (Some(path), 0) => Ok(path),
        (last, left) => Err(LoadError::Files {
            folder: folder.to_owned(),
            wanted,
            found: left + usize::from(last.is_some()),
        }),
    }
}
