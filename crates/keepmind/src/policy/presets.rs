//! The presets: JSON files beside this module, five of them partial and laid over `default.json`. They
//! are data; this file only loads them, and says why the numbers that nobody dictates are what they are.
//!
//! **Half-lives.** A row that is not explicit leaves the block when its effective confidence falls below
//! the inject floor. With the floor at 0.7, a row kept at confidence 0.9 does so after 0.36 half-lives:
//!
//! | half-life | leaves the block after | for |
//! | --- | --- | --- |
//! | none | never | facts of life: who somebody is, whom they are related to; episodes, which are never in it |
//! | 365 days | 19 weeks | what changes with years: work, finances, knowledge, skills, things made, facts of no other category |
//! | 180 days | 9 weeks | tastes, and patterns of how to help |
//! | 90 days | 5 weeks | projects and habits, which end without anybody saying so |
//! | 30 days | 11 days | how things stand, and open tasks |
//!
//! Being wrong is cheap in both directions: decay only moves a row from the block to recall, and saying
//! it again moves it back.
//!
//! **Time to live.** Only the chat preset's `context` category passes by itself; elsewhere the speaker or
//! the extraction says so for a single memory. It is no preset's default category: what somebody asked to
//! have remembered must not pass because nobody named a category.
//!
//! **Consent.** The default refuses sensitive material outright: under privacy law, holding it in a
//! proposal is already keeping it. Presets whose documents want to ask the user propose instead.
//!
//! **Fusion.** Scores measured better than reciprocal ranks wherever one list is weak, and words deserve a
//! little more than meaning (`benches/RETRIEVAL.md`).
//!
//! **Message limits.** By default no message is too short to be worth a look: twenty characters are a
//! whole sentence in scripts such as Chinese. The chat preset saves searches as its document asks.

use super::json::{complete, overlay, read};
use super::{Policy, PolicyError};
use serde_json::Value;
use std::sync::LazyLock;

const DEFAULT: &str = include_str!("presets/default.json");

const NAMES: [&str; 6] = [
    "default",
    "advisor",
    "chat",
    "assistant",
    "personal",
    "observer",
];

/// In the order of `NAMES`, without the base itself.
const PARTIAL: [&str; 5] = [
    include_str!("presets/advisor.json"),
    include_str!("presets/chat.json"),
    include_str!("presets/assistant.json"),
    include_str!("presets/personal.json"),
    include_str!("presets/observer.json"),
];

/// Parsed once. The files are part of the program, so a fault in them is a fault in the program, and a
/// test loads every one of them.
static PRESETS: LazyLock<Vec<Policy>> =
    LazyLock::new(|| load().unwrap_or_else(|error| panic!("a preset file is broken: {error}")));

pub(super) fn load() -> Result<Vec<Policy>, PolicyError> {
    let base = complete(&read(DEFAULT)?)?;
    let mut policies = vec![base.clone()];
    for text in PARTIAL {
        let Value::Object(patch) = read(text)? else {
            return Err(PolicyError::Json {
                problem: "a preset is one object".to_owned(),
            });
        };
        policies.push(overlay(&base, patch)?);
    }
    for policy in &policies {
        policy.validate()?;
    }
    Ok(policies)
}

/// The `default` preset: for an assistant of no particular trade, careful with what is sensitive.
impl Default for Policy {
    fn default() -> Self {
        at(0)
    }
}

impl Policy {
    /// An advisor's chat: preferences saved as they are said, a small block, nothing hidden.
    #[must_use]
    pub fn advisor() -> Self {
        at(1)
    }

    /// A chat with search: strict extraction after every turn, only identity in the block, the rest
    /// recalled.
    #[must_use]
    pub fn chat() -> Self {
        at(2)
    }

    /// An assistant that acts: rules and notes, consent by domain, proposals, and no trash.
    #[must_use]
    pub fn assistant() -> Self {
        at(3)
    }

    /// A personal agent: five kinds of memory, staged writing, daily consolidation.
    #[must_use]
    pub fn personal() -> Self {
        at(4)
    }

    /// A layered observer: learns from behaviour as well as words, staged, with gates at the edges.
    #[must_use]
    pub fn observer() -> Self {
        at(5)
    }

    /// The names that [`Policy::preset`] and the `preset` field of JSON know.
    #[must_use]
    pub fn presets() -> &'static [&'static str] {
        &NAMES
    }

    /// The preset of this exact name.
    ///
    /// # Errors
    /// [`PolicyError::UnknownPreset`], which lists those there are.
    pub fn preset(name: &str) -> Result<Self, PolicyError> {
        match NAMES.iter().position(|known| *known == name) {
            Some(index) => Ok(at(index)),
            None => Err(PolicyError::UnknownPreset {
                name: super::error::excerpt(name),
            }),
        }
    }
}

fn at(index: usize) -> Policy {
    PRESETS[index].clone()
}
