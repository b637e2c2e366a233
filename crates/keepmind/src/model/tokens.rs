//! Counting the tokens of a prompt.

use std::fmt;

use crate::text;

/// Counts the tokens a text costs in a prompt.
///
/// Asked often, also while other writers of the owner wait: it must not call back into the library.
pub trait TokenCounter: Send + Sync + fmt::Debug {
    /// How many tokens the text costs.
    fn count(&self, text: &str) -> usize;
}

/// Counts a token for every four characters, rounded up: no tokenizer needed.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApproximateTokens;

impl TokenCounter for ApproximateTokens {
    fn count(&self, text: &str) -> usize {
        text::approximate_tokens(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_characters_are_a_token() {
        assert_eq!(ApproximateTokens.count("12345"), 2);
    }
}
