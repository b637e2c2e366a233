//! From a text to the tokens that a model reads.

use keepmind::PlugError;
use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

use crate::files::LoadError;
use crate::settings::Settings;

/// How much of a text is looked at, in bytes: far more than a model reads of it.
const LONGEST: usize = 64 << 10;

pub(crate) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// A tokenizer that cuts where the model ends, and fills nothing up.
pub(crate) struct Reader {
    tokenizer: Tokenizer,
    lower_case: bool,
    vocabulary: usize,
    longest: usize,
}

impl Reader {
    pub fn new(written: &[u8], settings: &Settings) -> Result<Self, LoadError> {
        let wrong = |reason: &str| LoadError::Tokenizer(reason.to_owned());
        let failed = |error: tokenizers::Error| LoadError::Tokenizer(error.to_string());
        let mut tokenizer = Tokenizer::from_bytes(written).map_err(failed)?;
        let ends = tokenizer
            .get_post_processor()
            .map_or(0, |ends| ends.added_tokens(false));
        if ends == 0 {
            return Err(wrong("it does not mark where a text begins and ends"));
        }
        if ends >= settings.longest {
            return Err(wrong("the model reads too few tokens for its marks"));
        }
        tokenizer.with_padding(None);
        let cut = TruncationParams {
            max_length: settings.longest,
            ..TruncationParams::default()
        };
        tokenizer.with_truncation(Some(cut)).map_err(failed)?;
        let reader = Reader {
            tokenizer,
            lower_case: settings.lower_case,
            vocabulary: settings.vocabulary(),
            longest: settings.longest,
        };
        let largest = reader.tokenizer.get_vocab(true).into_values().max();
        if largest.is_some_and(|token| token as usize >= reader.vocabulary) {
            return Err(wrong("it knows more tokens than the model"));
        }
        // A text without words, and one with a word that nobody knows.
        for text in ["", "\u{10380}"] {
            let read = reader.tokens(text);
            read.map_err(|error| LoadError::Tokenizer(error.message))?;
        }
        Ok(reader)
    }

    /// At least one, at most as many as the model reads, each in its table.
    pub fn tokens(&self, text: &str) -> Result<Vec<u32>, PlugError> {
        let encoded = if self.lower_case {
            self.tokenizer.encode_fast(text.to_lowercase(), true)
        } else {
            self.tokenizer.encode_fast(text, true)
        };
        // Without the tokenizer's own words: they may hold the text's.
        let encoded =
            encoded.map_err(|_| PlugError::lasting("the tokenizer cannot read the text"))?;
        let tokens = encoded.get_ids();
        let known = |token: &u32| (*token as usize) < self.vocabulary;
        if tokens.is_empty() || tokens.len() > self.longest || !tokens.iter().all(known) {
            let message = "the tokenizer makes tokens that the model does not have";
            return Err(PlugError::lasting(message));
        }
        Ok(tokens.to_vec())
    }
}
