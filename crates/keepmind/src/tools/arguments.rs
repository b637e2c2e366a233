//! What a call asks for, typed. Texts are as the model wrote them: cleaning, limits, and whether it may
//! be done at all, are the plan's business.

use serde_json::{Map, Value};
use time::UtcOffset;

use crate::command::Which;
use crate::ids::Number;
use crate::memory::Authority;
use crate::policy::{Policy, TimeToLive, Tool};
use crate::refusal::Refusal;
use crate::timestamp::Timestamp;
use crate::tools::readings::Readings;

/// What a model's call asks for.
///
/// Every name in it is one that the policy knows, every text is free of characters that hide or reorder,
/// and those without which the call has no meaning show something.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ToolRequest {
    /// Save a new fact.
    Save(SaveArguments),
    /// Supersede a fact.
    Update(UpdateArguments),
    /// End a fact.
    Forget {
        /// Which one.
        target: Which,
    },
    /// Re-affirm a fact.
    Confirm {
        /// Which one.
        target: Which,
    },
    /// Join two facts.
    Link(LinkArguments),
    /// List active facts.
    List(ListArguments),
    /// Search the live set.
    Recall(RecallArguments),
    /// Suggest a fact.
    Propose(ProposeArguments),
}

/// A new fact.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SaveArguments {
    /// What it says.
    pub content: String,
    /// A category that may be written to; the policy's default when left out.
    pub category: Option<String>,
    /// Long detail.
    pub detail: Option<String>,
    /// One of the policy's domains.
    pub domain: Option<String>,
    /// A structured key.
    pub key: Option<String>,
    /// A structured value, never null.
    pub value: Option<Value>,
    /// Whether it must be respected or only informs.
    pub authority: Option<Authority>,
    /// Since when it holds. May lie in the future: the plan knows the time.
    pub since: Option<Timestamp>,
    /// How long it is meant to live.
    pub time_to_live: Option<TimeToLive>,
}

/// A new wording of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UpdateArguments {
    /// Which fact.
    pub target: Which,
    /// What it says from now on.
    pub new_content: String,
    /// Long detail.
    pub detail: Option<String>,
    /// Since when the new wording holds. May lie in the future: the plan knows the time.
    pub since: Option<Timestamp>,
    /// The old wording was never right.
    pub correction: bool,
}

/// A relation between two facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkArguments {
    /// The fact it goes out from.
    pub from: Number,
    /// The fact it points to.
    pub to: Number,
    /// What it says: 1 to 40 characters of `a-z`, `0-9` and `_`.
    pub relation: String,
}

/// Which facts to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListArguments {
    /// Only those of this category.
    pub category: Option<String>,
    /// Only those of this domain.
    pub domain: Option<String>,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecallArguments {
    /// The words.
    pub query: String,
    /// The most hits, from 1 to the policy's `limits.results`.
    pub limit: Option<usize>,
    /// Only those of this category.
    pub category: Option<String>,
}

/// A fact that waits for the user's word.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProposeArguments {
    /// The fact.
    pub fact: SaveArguments,
    /// Why it should be kept.
    pub reasoning: String,
    /// The user's words that speak for it, as the model has them: not yet looked for in any message.
    pub evidence: Option<String>,
    /// The fact it would replace.
    pub target: Option<Which>,
}

impl ToolRequest {
    /// Reads a tool's arguments.
    pub(super) fn read(
        policy: &Policy,
        offset: UtcOffset,
        tool: Tool,
        object: &Map<String, Value>,
    ) -> Result<Self, Refusal> {
        let mut readings = Readings::read(policy, offset, tool, object)?;
        Ok(match tool {
            Tool::Save => ToolRequest::Save(SaveArguments::from(&mut readings)?),
            Tool::Update => ToolRequest::Update(UpdateArguments {
                target: readings.need("id_or_substring")?,
                new_content: readings.need("new_content")?,
                detail: readings.take("detail"),
                since: readings.take("since"),
                correction: readings.take("correction").unwrap_or(false),
            }),
            Tool::Forget => ToolRequest::Forget {
                target: readings.need("id_or_substring")?,
            },
            Tool::Confirm => ToolRequest::Confirm {
                target: readings.need("id_or_substring")?,
            },
            Tool::Link => ToolRequest::Link(LinkArguments {
                from: readings.need("from_id")?,
                to: readings.need("to_id")?,
                relation: readings.need("relation")?,
            }),
            Tool::List => ToolRequest::List(ListArguments {
                category: readings.take("category"),
                domain: readings.take("domain"),
            }),
            Tool::Recall => ToolRequest::Recall(RecallArguments {
                query: readings.need("query")?,
                limit: readings.take("limit"),
                category: readings.take("category"),
            }),
            Tool::Propose => ToolRequest::Propose(ProposeArguments {
                fact: SaveArguments::from(&mut readings)?,
                reasoning: readings.need("reasoning")?,
                evidence: readings.take("evidence"),
                target: readings.take("target"),
            }),
        })
    }
}

impl SaveArguments {
    fn from(readings: &mut Readings<'_>) -> Result<Self, Refusal> {
        Ok(SaveArguments {
            content: readings.need("content")?,
            category: readings.take("category"),
            detail: readings.take("detail"),
            domain: readings.take("domain"),
            key: readings.take("key"),
            value: readings.take("value"),
            authority: readings.take("authority"),
            since: readings.take("since"),
            time_to_live: readings.take("ttl"),
        })
    }
}
