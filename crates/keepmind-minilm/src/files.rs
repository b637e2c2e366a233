//! Reading the files of a model, and why one could not be loaded.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why a model could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file could not be read.
    #[error(
        "{path}: {error}: a folder of weights holds config.json, tokenizer.json and model.safetensors"
    )]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of settings cannot be used, or asks for another kind of model.
    #[error("{file} cannot be used: {reason}")]
    Settings {
        /// Which, within the folder.
        file: &'static str,
        /// Why.
        reason: String,
    },
    /// The tokenizer cannot be used.
    #[error(
        "tokenizer.json cannot be used: {0}: take all files from one model, and fetch them anew"
    )]
    Tokenizer(String),
    /// The weights cannot be used.
    #[error(
        "model.safetensors cannot be used: {0}: take all files from one model, and fetch them anew"
    )]
    Weights(String),
}

/// The most that is read of a file: the largest models of this kind have a gigabyte.
const MOST_BYTES: u64 = 4 << 30;

pub(crate) struct Folder<'a> {
    path: &'a Path,
}

impl<'a> Folder<'a> {
    pub fn new(path: &'a Path) -> Self {
        Folder { path }
    }

    pub fn read(&self, name: &str) -> Result<Vec<u8>, LoadError> {
        let path = self.path.join(name);
        read(&path).map_err(|error| LoadError::Io { path, error })
    }

    /// A file that a folder may have.
    pub fn read_if_there(&self, name: &str) -> Result<Option<Vec<u8>>, LoadError> {
        match self.read(name) {
            Err(LoadError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    // Reading a pipe would wait for somebody who writes.
    if !about.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a file",
        ));
    }
    if about.len() > MOST_BYTES {
        let message = "it is larger than any model of this kind";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    fs::read(path)
}
