//! Everything tunable, as plain data: categories, domains, budgets, thresholds, and the presets that
//! fill them in. What the numbers *do* lives with the code that reads them, and nothing here reads a
//! clock, a file or a store. No code anywhere asks which preset a policy came from.

mod block;
mod category;
mod check;
mod close;
mod compression;
mod consolidation;
mod domain;
mod error;
mod extraction;
mod feedback;
mod floors;
mod governance;
mod grades;
mod json;
mod limits;
mod presets;
mod recall;
mod retention;
mod time_to_live;
mod tool;
mod validate;

#[cfg(test)]
mod tests;

pub use block::{Block, BlockStyle};
pub use category::{Category, CategoryKind};
pub use close::Close;
pub use compression::Compression;
pub use consolidation::{Consolidation, Digests, Promotion};
pub use domain::Domain;
pub use error::PolicyError;
pub use extraction::{Extraction, ExtractionMode, WriteMode};
pub use feedback::Feedback;
pub use floors::Floors;
pub use governance::{Governance, WithoutConsent};
pub use grades::Grades;
pub use json::{MAX_POLICY_BYTES, MAX_POLICY_DEPTH};
pub use limits::Limits;
pub use recall::{Fusion, FusionMethod, MessageLimits, Recall};
pub use retention::Retention;
pub use time_to_live::{TimeToLive, TimeToLiveDays};
pub use tool::{Tool, Tools};

use serde::{Deserialize, Serialize};

use crate::order;

/// What an engine may decide by itself, as data: one policy for each engine, the same for every owner.
///
/// Start from a preset and change public fields, then call [`Policy::validate`]; or give
/// [`Policy::from_json`] the differences from a preset, which validates by itself. A policy that passed
/// `validate` keeps these promises, and code that reads it relies on them:
///
/// - every name is unique in its list, `default_category` is one of the categories;
/// - every share is finite and in 0..=1, and floors are ordered (fade ≤ keep ≤ inject, recall ≤ inject);
/// - every duration is at most a century and every count has a ceiling, so arithmetic on them cannot overflow;
/// - limits on untrusted input may be tightened, never loosened beyond what the rows and parsers are built for.
///
/// The derived `Deserialize` takes a *complete* policy and does not validate; it exists so that a policy
/// can travel inside other data. Text from a host goes through [`Policy::from_json`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Policy {
    /// What reports and logs call this policy; a preset's own name unless changed. Never compared.
    pub name: String,
    /// The categories a memory can have, in the order in which the block shows them.
    pub categories: Vec<Category>,
    /// The category of a memory that names none. Must be one that tools may write to.
    pub default_category: String,
    /// The topics that are told apart, and which of them need consent.
    pub domains: Vec<Domain>,
    /// What is done with material that needs consent, and how long proposals wait.
    pub governance: Governance,
    /// The tools a model is offered and what they are called.
    pub tools: Tools,
    /// How the frozen block looks and how large it may be.
    pub block: Block,
    /// The confidences, importances and similarities at which decisions turn.
    pub floors: Floors,
    /// How far behaviour moves a stored confidence.
    pub feedback: Feedback,
    /// How long the classes of passing memories live.
    pub time_to_live: TimeToLiveDays,
    /// When facts are learned from a chat, from how much of it, and whether they are believed at once.
    pub extraction: Extraction,
    /// How closing a session is leased and retried.
    pub close: Close,
    /// How often something must recur to be believed.
    pub grades: Grades,
    /// How often layers are built, and from what.
    pub consolidation: Consolidation,
    /// How large the compiled digests may be.
    pub digests: Digests,
    /// How lists are fused, how many memories a message gets, and what is cached.
    pub recall: Recall,
    /// When older messages become a summary in the view sent to the model.
    pub compression: Compression,
    /// How long what has ended is kept.
    pub retention: Retention,
    /// How large the things people and models hand in may be.
    pub limits: Limits,
}

impl Policy {
    /// The category with this exact name.
    #[must_use]
    pub fn category(&self, name: &str) -> Option<&Category> {
        self.categories
            .iter()
            .find(|category| category.name == name)
    }

    /// Where a row of this kind goes when nothing names a category: the first category of the kind,
    /// otherwise the default one. `None` only for a policy that does not pass [`Policy::validate`].
    #[must_use]
    pub fn category_for(&self, kind: CategoryKind) -> Option<&Category> {
        self.categories
            .iter()
            .find(|category| category.kind == kind)
            .or_else(|| self.category(&self.default_category))
    }

    /// The categories that a tool or an extraction may name, in policy order: all but those whose rows
    /// only the library writes.
    pub fn writable_categories(&self) -> impl Iterator<Item = &Category> {
        self.categories
            .iter()
            .filter(|category| category.kind.is_writable())
    }

    /// The categories in the order in which they are left out when recalled memories take too much of
    /// the window: lowest priority first, and of equals the one that stands later in the policy.
    #[must_use]
    pub fn truncation_order(&self) -> Vec<&Category> {
        let mut order: Vec<&Category> = self.categories.iter().rev().collect();
        order::sort_by_key(&mut order, |category| category.priority);
        order
    }

    /// The domain with this exact name.
    #[must_use]
    pub fn domain(&self, name: &str) -> Option<&Domain> {
        self.domains.iter().find(|domain| domain.name == name)
    }

    /// Whether this policy holds the domain to be sensitive. A domain it does not list is not: a policy
    /// says everything it protects.
    #[must_use]
    pub fn sensitive(&self, domain: &str) -> bool {
        self.domain(domain).is_some_and(|domain| domain.sensitive)
    }

    /// Whether tools and extraction need the owner's consent before they keep anything of this domain.
    #[must_use]
    pub fn needs_consent(&self, domain: &str) -> bool {
        self.domain(domain).is_some_and(Domain::needs_consent)
    }

    /// What this policy calls a tool, whether it is offered or not: `save_memory`, `recall_memories`.
    #[must_use]
    pub fn tool_name(&self, tool: Tool) -> String {
        self.tools.name(tool)
    }
}
