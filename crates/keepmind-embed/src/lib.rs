//! Vectors for [keepmind] without a server, a network or a neural network: a text's vector is the mean
//! of its tokens' vectors, read from a folder of weights.
//!
//! ```no_run
//! use std::sync::Arc;
//! use keepmind::{InMemoryStore, Keepmind};
//! use keepmind_embed::StaticEmbedder;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let embedder = StaticEmbedder::load("weights")?;
//! let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
//!     .embedder(Arc::new(embedder))
//!     .build()?;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod folder;
mod matrix;
mod scripts;

use std::fmt;
use std::path::Path;

use async_trait::async_trait;
use keepmind::{Embedder, PlugError};
use tokenizers::{PostProcessorWrapper, Tokenizer};

pub use folder::LoadError;
use matrix::Matrix;
use scripts::Scripts;

/// Turns texts into vectors by a table of token vectors.
///
/// Loads what the packages of WordLlama and model2vec hold: a matrix as safetensors, one row a token, and the
/// tokenizer it was made for. A sentence takes microseconds, and the same text always gives the same bits.
pub struct StaticEmbedder {
    id: String,
    tokenizer: Tokenizer,
    /// The token that stands for what the tokenizer does not know: it says nothing of a text.
    unknown: Option<u32>,
    matrix: Matrix,
    scripts: Scripts,
}

impl StaticEmbedder {
    /// Loads a folder: one file `*.safetensors` in it or in its folder `weights`, and `tokenizer.json`, or one
    /// `*.json` in its folder `tokenizers`.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        let files = folder::Files::find(folder.as_ref())?;
        StaticEmbedder::load_files(files.weights, files.tokenizer)
    }

    /// Loads these two files.
    pub fn load_files(
        weights: impl AsRef<Path>,
        tokenizer: impl AsRef<Path>,
    ) -> Result<Self, LoadError> {
        let weights = folder::read(weights.as_ref())?;
        let written = folder::read(tokenizer.as_ref())?;
        let matrix = Matrix::read(&weights)?;
        let mut tokenizer = Tokenizer::from_bytes(&written)
            .map_err(|error| LoadError::Tokenizer(error.to_string()))?;
        // What its file says of a model's input does not concern a mean.
        tokenizer.with_post_processor(None::<PostProcessorWrapper>);
        tokenizer.with_padding(None);
        let untruncated = tokenizer.with_truncation(None);
        untruncated.map_err(|error| LoadError::Tokenizer(error.to_string()))?;
        Ok(StaticEmbedder {
            unknown: folder::unknown_token(&written).and_then(|word| tokenizer.token_to_id(&word)),
            id: format!(
                "static-{}-{:016x}",
                matrix.dimensions(),
                fingerprint([weights.as_slice(), &written])
            ),
            scripts: Scripts::of_words(tokenizer.get_vocab(false).keys()),
            tokenizer,
            matrix,
        })
    }

    /// The vector of one text, of unit length; an empty one for a text of which most letters are in scripts
    /// whose words the table does not hold.
    pub fn vector(&self, text: &str) -> Result<Vec<f32>, PlugError> {
        // What a mean is made of after the first few thousand words no longer changes it.
        let text = beginning(text);
        if !self.scripts.can_read(text) {
            return Ok(Vec::new());
        }
        Ok(self.matrix.mean(&self.tokens(text)?))
    }

    fn tokens(&self, text: &str) -> Result<Vec<u32>, PlugError> {
        let encoded = self
            .tokenizer
            .encode_fast(text, false)
            .map_err(|_| PlugError::lasting("the tokenizer cannot read the text"))?;
        let mut tokens = encoded.get_ids().to_vec();
        tokens.retain(|token| Some(*token) != self.unknown);
        Ok(tokens)
    }
}

/// How much of a text is read, in bytes.
const LONGEST: usize = 64 << 10;

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

#[async_trait]
impl Embedder for StaticEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.matrix.dimensions()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError> {
        texts.iter().map(|text| self.vector(text)).collect()
    }

    fn word_vectors(&self, words: &[&str]) -> Option<Vec<Vec<f32>>> {
        let vector = |word: &&str| {
            let sum = self.matrix.sum(&self.tokens(beginning(word)).ok()?);
            Some(sum.into_iter().map(|number| number as f32).collect())
        };
        words.iter().map(vector).collect()
    }
}

impl fmt::Debug for StaticEmbedder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StaticEmbedder")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// A number that changes when the files do: vectors of other weights cannot be compared. FNV-1a.
fn fingerprint(files: [&[u8]; 2]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in files.into_iter().flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}
