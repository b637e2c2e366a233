//! Which tools there are and what a policy calls them. Their arguments, descriptions and dispatch live
//! with the tools.

use super::PolicyError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A tool that a model can be offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tool {
    /// Save a new fact.
    Save,
    /// Supersede a fact.
    Update,
    /// End a fact, kept for audit.
    Forget,
    /// Re-affirm a fact.
    Confirm,
    /// Join two facts with a relation.
    Link,
    /// List active facts.
    List,
    /// Search the live set.
    Recall,
    /// Suggest a fact that waits until it is accepted or rejected.
    Propose,
}

impl Tool {
    /// Every tool, in the order in which they are offered and documented.
    pub const ALL: [Self; 8] = [
        Self::Save,
        Self::Update,
        Self::Forget,
        Self::Confirm,
        Self::Link,
        Self::List,
        Self::Recall,
        Self::Propose,
    ];

    /// The first half of the tool's name, and its name in a policy's JSON.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            Self::Save => "save",
            Self::Update => "update",
            Self::Forget => "forget",
            Self::Confirm => "confirm",
            Self::Link => "link",
            Self::List => "list",
            Self::Recall => "recall",
            Self::Propose => "propose",
        }
    }

    /// Whether the tool is about several memories at once, so that its name takes the plural.
    #[must_use]
    pub fn is_plural(self) -> bool {
        matches!(self, Self::Link | Self::List | Self::Recall)
    }
}

/// The tools a model is offered, and the noun that their names are made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Tools {
    /// The noun for one memory: 1 to 40 letters `a-z`, so that every name suits every model's API.
    pub singular: String,
    /// The noun for several: 1 to 40 letters `a-z`, other than the singular.
    pub plural: String,
    /// The tools offered, in the order in which they are offered. May be empty.
    pub offered: Vec<Tool>,
}

impl Tools {
    /// What a tool is called, whether it is offered or not: `save_memory`, `recall_memories`.
    #[must_use]
    pub fn name(&self, tool: Tool) -> String {
        format!("{}_{}", tool.verb(), self.noun(tool))
    }

    fn noun(&self, tool: Tool) -> &str {
        match tool.is_plural() {
            true => &self.plural,
            false => &self.singular,
        }
    }

    /// The offered tool with this exact name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<Tool> {
        // Part by part: every call is looked for, and no name need be made for that.
        let is_named = |tool: &Tool| {
            let noun = name.strip_prefix(tool.verb());
            noun.and_then(|rest| rest.strip_prefix('_')) == Some(self.noun(*tool))
        };
        self.offered.iter().copied().find(is_named)
    }

    /// Whether a tool is offered.
    #[must_use]
    pub fn offers(&self, tool: Tool) -> bool {
        self.offered.contains(&tool)
    }

    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        noun("tools.singular", &self.singular)?;
        noun("tools.plural", &self.plural)?;
        if self.singular == self.plural {
            return Err(PolicyError::field(
                "tools.plural",
                "must differ from tools.singular, or a model could not tell the tools apart",
            ));
        }
        let mut seen = BTreeSet::new();
        for (index, tool) in self.offered.iter().enumerate() {
            if !seen.insert(*tool) {
                return Err(PolicyError::field(
                    format!("tools.offered[{index}]"),
                    format!("\"{}\" is offered twice", tool.verb()),
                ));
            }
        }
        Ok(())
    }
}

fn noun(path: &str, noun: &str) -> Result<(), PolicyError> {
    if noun.is_empty() || noun.len() > 40 || !noun.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Err(PolicyError::field(path, "must be 1 to 40 letters a-z"));
    }
    Ok(())
}
