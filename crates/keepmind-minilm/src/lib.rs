//! Vectors for [keepmind] from a small transformer, on the processor, without a server or a network:
//! all-MiniLM-L6-v2 and its kin, as sentence-transformers makes them.
//!
//! ```no_run
//! use std::sync::Arc;
//! use keepmind::{InMemoryStore, Keepmind};
//! use keepmind_minilm::MiniLmEmbedder;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let embedder = MiniLmEmbedder::load("weights/minilm")?;
//! let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
//!     .embedder(Arc::new(embedder))
//!     .build()?;
//! # Ok(())
//! # }
//! ```
//!
//! A sentence takes some tens of milliseconds of a core, and the model 90 MB of memory. Where that is too much,
//! `keepmind-embed` makes vectors from a table in microseconds, and finds less by them.

#![forbid(unsafe_code)]

mod bert;
mod files;
mod settings;
mod tokens;

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use keepmind::{Embedder, PlugError};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use bert::Bert;
use files::Folder;
pub use files::LoadError;
use settings::Settings;
use tokens::{Reader, beginning};

/// Turns texts into vectors of unit length by a BERT whose last states are averaged.
///
/// What is longer than the model reads (256 tokens for all-MiniLM-L6-v2) is cut there, as the reference does. Its
/// numbers are the reference's to a few millionths, and its id changes with the files that it was loaded from.
///
/// Works on a thread of tokio's that may block, where there is a runtime, and stops between batches when nobody
/// waits for its answer any more.
pub struct MiniLmEmbedder {
    id: String,
    parts: Arc<Parts>,
}

struct Parts {
    reader: Reader,
    bert: Bert,
}

impl MiniLmEmbedder {
    /// Loads a folder: `config.json`, `tokenizer.json` and `model.safetensors`, and where they are there, what
    /// sentence-transformers writes beside them (`sentence_bert_config.json`, `modules.json`, `1_Pooling`).
    ///
    /// Reads all of it into memory, which takes a moment: not for a thread that must not block.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        let folder = Folder::new(folder.as_ref());
        let settings = Settings::read(&folder)?;
        let tokenizer = folder.read("tokenizer.json")?;
        let reader = guarded(|| Reader::new(&tokenizer, &settings))
            .unwrap_or_else(|| Err(LoadError::Tokenizer(PANIC.to_owned())))?;
        let weights = folder.read("model.safetensors")?;
        let bert = guarded(|| Bert::read(&weights, &settings))
            .unwrap_or_else(|| Err(LoadError::Weights(PANIC.to_owned())))?;
        let id = format!(
            "minilm-{}-{:016x}",
            settings.dimensions(),
            fingerprint([settings.told_apart().as_bytes(), &tokenizer, &weights])
        );
        let parts = Arc::new(Parts { reader, bert });
        // What is damaged in a way that no shape shows is found here, not in the middle of a chat.
        let tried = parts.vectors(&[String::new()], || false);
        tried.map_err(|error| LoadError::Weights(error.message))?;
        Ok(MiniLmEmbedder { id, parts })
    }
}

#[async_trait]
impl Embedder for MiniLmEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.parts.bert.dimensions()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError> {
        let texts: Vec<String> = texts
            .iter()
            .map(|text| beginning(text).to_owned())
            .collect();
        let parts = Arc::clone(&self.parts);
        let Ok(runtime) = Handle::try_current() else {
            return parts.vectors(&texts, || false);
        };
        let (answer, awaited) = oneshot::channel();
        runtime.spawn_blocking(move || {
            let vectors = parts.vectors(&texts, || answer.is_closed());
            // Nobody hears it who no longer waits.
            answer.send(vectors).ok();
        });
        let ended = |_| Err(PlugError::lasting("the embedder ended without an answer"));
        awaited.await.unwrap_or_else(ended)
    }
}

impl fmt::Debug for MiniLmEmbedder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MiniLmEmbedder")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Parts {
    /// One vector for each text, in order; given up between batches once `given_up` says so.
    fn vectors(
        &self,
        texts: &[String],
        given_up: impl Fn() -> bool,
    ) -> Result<Vec<Vec<f32>>, PlugError> {
        guarded(|| self.make(texts, given_up)).unwrap_or_else(|| Err(PlugError::lasting(PANIC)))
    }

    fn make(
        &self,
        texts: &[String],
        given_up: impl Fn() -> bool,
    ) -> Result<Vec<Vec<f32>>, PlugError> {
        let awaited = || match given_up() {
            true => Err(PlugError::passing("nobody waits for the vectors")),
            false => Ok(()),
        };
        let mut tokens = Vec::with_capacity(texts.len());
        for text in texts {
            awaited()?;
            tokens.push(self.reader.tokens(text)?);
        }
        let mut vectors = vec![Vec::new(); texts.len()];
        for places in batches(&tokens) {
            awaited()?;
            let batch: Vec<&[u32]> = places
                .iter()
                .map(|place| tokens[*place].as_slice())
                .collect();
            for (place, vector) in places.into_iter().zip(self.bert.vectors(&batch)?) {
                vectors[place] = vector;
            }
        }
        Ok(vectors)
    }
}

const PANIC: &str = "using it ends in a panic";

/// Nothing where the work panics: crates that read files of others are not sure to refuse what was made to do harm.
/// What they leave half done is thrown away, or was only read.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(AssertUnwindSafe(work)).ok()
}

/// How many tokens are worked on at once, those counted that fill up shorter texts: enough to keep a processor
/// busy, and some ten megabytes of states.
const TOKENS: usize = 2_048;

/// The places of the texts, in batches of about the same length: little is filled up.
fn batches(tokens: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut places: Vec<usize> = (0..tokens.len()).collect();
    places.sort_by_key(|place| tokens[*place].len());
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for place in places {
        match batches.last_mut() {
            Some(batch) if (batch.len() + 1) * tokens[place].len() <= TOKENS => batch.push(place),
            _ => batches.push(vec![place]),
        }
    }
    batches
}

/// A number that changes when what vectors are made by does: those of other weights cannot be compared. FNV-1a.
fn fingerprint(parts: [&[u8]; 3]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.into_iter().flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::{TOKENS, batches};

    #[test]
    fn every_text_is_in_one_batch_and_no_batch_is_too_large() {
        let lengths = [3, 256, 1, 256, 2, 9, 256, 1, 500, 256, 256, 256, 256, 256];
        let tokens: Vec<Vec<u32>> = lengths.iter().map(|length| vec![7; *length]).collect();
        let batches = batches(&tokens);
        let mut seen: Vec<usize> = batches.concat();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..lengths.len()));
        for batch in &batches {
            let longest = batch.iter().map(|place| lengths[*place]).max();
            assert!(batch.len() * longest.expect("a batch of some") <= TOKENS);
        }
        assert!(batches.len() < 5, "{batches:?}");
        assert!(super::batches(&[]).is_empty());
    }
}
