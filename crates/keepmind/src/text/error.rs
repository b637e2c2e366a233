//! Why a text was not accepted. Only positions, lengths and code points: never the text itself.

use thiserror::Error;

use crate::refusal::{Code, Refusal};

/// What made a text unfit to be stored.
///
/// Neither the message nor the `Debug` form contains any of the text, so both may be logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextError {
    /// A character that could hide or reorder what a reader sees.
    #[error("the text has the control character U+{code_point:04X} at byte {position}: remove it")]
    ControlCharacter {
        /// The code point of the character.
        code_point: u32,
        /// Where it starts in the text that was given, in bytes.
        position: usize,
    },
    /// Nothing visible is left after cleaning.
    #[error("the text has nothing visible in it: write at least one visible character")]
    Empty,
    /// More characters than allowed.
    #[error("the text has {characters} characters, at most {allowed} are allowed: shorten it")]
    TooLong {
        /// How many characters (Unicode scalar values) there are.
        characters: usize,
        /// How many are allowed.
        allowed: usize,
    },
}

impl TextError {
    /// The stable name of this kind of error, for programs.
    ///
    /// ```
    /// assert_eq!(keepmind::text::TextError::Empty.code(), "E_EMPTY");
    /// ```
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ControlCharacter { .. } => "E_CONTROL_CHARS",
            Self::Empty => "E_EMPTY",
            Self::TooLong { .. } => "E_LIMIT",
        }
    }
}

impl From<TextError> for Refusal {
    fn from(error: TextError) -> Self {
        let code = match error {
            TextError::ControlCharacter { .. } => Code::ControlCharacters,
            TextError::Empty => Code::Empty,
            TextError::TooLong { .. } => Code::Limit,
        };
        Refusal::new(code, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_code_and_says_what_to_do() {
        let table = [
            (
                TextError::ControlCharacter {
                    code_point: 0,
                    position: 7,
                },
                "E_CONTROL_CHARS",
                "the text has the control character U+0000 at byte 7: remove it",
            ),
            (
                TextError::Empty,
                "E_EMPTY",
                "the text has nothing visible in it: write at least one visible character",
            ),
            (
                TextError::TooLong {
                    characters: 501,
                    allowed: 500,
                },
                "E_LIMIT",
                "the text has 501 characters, at most 500 are allowed: shorten it",
            ),
        ];
        for (error, code, message) in table {
            assert_eq!(error.code(), code);
            assert_eq!(error.to_string(), message);
        }
    }
}
