//! What can be wrong with a policy. Every message says where and what is allowed.

use thiserror::Error;

/// Why a policy was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A field holds what it may not, is missing, or does not exist.
    #[error("policy field `{path}`: {problem}")]
    Field {
        /// Where, as in `categories[2].budget`.
        path: String,
        /// What is wrong and what is allowed.
        problem: String,
    },
    /// The text is not the JSON that a policy could be.
    #[error("policy is not usable JSON: {problem}")]
    Json {
        /// What is wrong, with line and column.
        problem: String,
    },
    /// The text is longer than any policy needs to be.
    #[error("policy has {bytes} bytes of JSON; at most {limit} are read")]
    TooLarge {
        /// How many bytes there are.
        bytes: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// No preset has this name.
    #[error("policy field `preset`: there is no preset {name:?}; there are {}", super::Policy::presets().join(", "))]
    UnknownPreset {
        /// The name that was asked for, cut to a readable length.
        name: String,
    },
}

impl PolicyError {
    /// The path of the wrong field, as in `categories[2].budget`; `None` when no field is to blame.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Field { path, .. } => Some(path),
            Self::UnknownPreset { .. } => Some("preset"),
            Self::Json { .. } | Self::TooLarge { .. } => None,
        }
    }

    pub(super) fn field(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Field {
            path: path.into(),
            problem: problem.into(),
        }
    }
}

/// Cuts what came from outside to a length that a message can carry.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut excerpt: String = text.chars().take(LONGEST).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    excerpt
}
