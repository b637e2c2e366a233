//! Digests: what is known, in short, as lines that each cite the facts they were made from. A digest is a cache.

use serde::{Deserialize, Serialize};

use crate::ids::Number;

/// What is known of something, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Digest {
    /// What it is about.
    pub kind: DigestKind,
    /// Of which domain, for the digest of a domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Its heading.
    pub title: String,
    /// What it says, the most important first.
    pub lines: Vec<DigestLine>,
    /// How many facts found no room.
    pub left_out: usize,
}

/// One line of a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DigestLine {
    /// What it says.
    pub text: String,
    /// The facts and episodes that it was made from: never none.
    pub cites: Vec<Number>,
    /// In a model's words: it says what all the facts say that it cites, and stands in their place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
}

/// What a digest is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DigestKind {
    /// Who the user is and what they prefer.
    Profile,
    /// How to help them.
    Procedures,
    /// What is under way.
    Briefing,
    /// What is known of one domain.
    Domain,
    /// How sure an inferred row of each category must be to be in the block, by how such rows fared.
    Floors,
}

impl DigestKind {
    /// The word for it: `profile`.
    pub const fn word(self) -> &'static str {
        match self {
            DigestKind::Profile => "profile",
            DigestKind::Procedures => "procedures",
            DigestKind::Briefing => "briefing",
            DigestKind::Domain => "domain",
            DigestKind::Floors => "floors",
        }
    }
}
