//! Everything a host, a tool, C or Python can ask for: one table of commands and one of queries.
//! What a command does is in `plan`; answering a query is the engine's.

mod context;
mod observation;
mod proposal;
mod query;
mod usage;
mod which;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::UndoToken;
use crate::ids::Number;
use crate::memory::Authority;
use crate::policy::TimeToLive;
use crate::timestamp::Timestamp;

pub use context::ContextRequest;
pub use observation::{ObservationList, Observe};
pub use proposal::{Accept, Propose, ProposedChange, Reject};
pub use query::{
    AsOfQuery, Changes, Consents, Forgotten, List, NoArguments, Pending, Query, Recall, RecallBy,
};
pub use usage::{UsageList, UsedAs, WhyQuery};
pub use which::Which;

/// Everything that writes. In JSON: `{"command":"save","content":"…"}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Command {
    /// A new fact.
    Save(Save),
    /// A new version of a fact.
    Update(Update),
    /// Ends a fact; it is kept for audit and never learned again.
    Forget(Forget),
    /// Re-affirms a fact.
    Confirm(Confirm),
    /// Behaviour spoke for or against a fact.
    Observed(Observed),
    /// A task is done.
    Complete(Complete),
    /// Joins two facts.
    Link(Join),
    /// Parts two facts.
    Unlink(Join),
    /// Suggests something that waits for the user's word.
    Propose(Propose),
    /// Accepts a proposal.
    Accept(Accept),
    /// Turns a proposal down.
    Reject(Reject),
    /// Puts a fact in the trash.
    Trash(Trash),
    /// Brings a fact back from the trash, or unforgets it.
    Restore(Restore),
    /// A fact is gone for good, all versions.
    Purge(Purge),
    /// The user's word on a domain.
    Consent(ConsentTo),
    /// The user has looked through what is known.
    Reviewed(NoArguments),
    /// Takes a write back.
    Undo(Undo),
    /// Takes an undo back.
    Redo(Redo),
}

impl Command {
    /// The fact it is about, where it is about one that exists.
    pub(crate) fn target(&self) -> Option<&Which> {
        match self {
            Command::Update(update) => Some(&update.target),
            Command::Forget(forget) => Some(&forget.target),
            Command::Confirm(confirm) => Some(&confirm.target),
            Command::Observed(observed) => Some(&observed.target),
            Command::Complete(complete) => Some(&complete.target),
            Command::Trash(trash) => Some(&trash.target),
            Command::Restore(restore) => Some(&restore.target),
            Command::Purge(purge) => Some(&purge.target),
            Command::Propose(propose) => match &propose.change {
                ProposedChange::Save(_) => None,
                ProposedChange::Update(update) => Some(&update.target),
                ProposedChange::Forget(forget) => Some(&forget.target),
            },
            Command::Save(_)
            | Command::Link(_)
            | Command::Unlink(_)
            | Command::Accept(_)
            | Command::Reject(_)
            | Command::Consent(_)
            | Command::Reviewed(_)
            | Command::Undo(_)
            | Command::Redo(_) => None,
        }
    }

    /// What it would write, where it writes words.
    pub(crate) fn content(&self) -> Option<&str> {
        match self {
            Command::Save(save) => Some(&save.content),
            Command::Update(update) => Some(&update.content),
            Command::Propose(propose) => match &propose.change {
                ProposedChange::Save(save) => Some(&save.content),
                ProposedChange::Update(update) => Some(&update.content),
                ProposedChange::Forget(_) => None,
            },
            _ => None,
        }
    }

    /// What it is called in JSON, and in errors.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Save(_) => "save",
            Command::Update(_) => "update",
            Command::Forget(_) => "forget",
            Command::Confirm(_) => "confirm",
            Command::Observed(_) => "observed",
            Command::Complete(_) => "complete",
            Command::Link(_) => "link",
            Command::Unlink(_) => "unlink",
            Command::Propose(_) => "propose",
            Command::Accept(_) => "accept",
            Command::Reject(_) => "reject",
            Command::Trash(_) => "trash",
            Command::Restore(_) => "restore",
            Command::Purge(_) => "purge",
            Command::Consent(_) => "consent",
            Command::Reviewed(_) => "reviewed",
            Command::Undo(_) => "undo",
            Command::Redo(_) => "redo",
        }
    }
}

/// A new fact, active at once. Saving what is there already changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Save {
    /// What it says, in one line.
    pub content: String,
    /// The policy's category; its default one when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// A shorter line for the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Long detail: found by recall, never in the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The policy's domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// A structured key. Saving a rule for a (domain, key) that has one updates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A structured value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// A rule must be respected; a note, the default, informs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<Authority>,
    /// Free words.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
    /// How much it matters, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// Since when it is true; now when left out, never later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// How long it is meant to live; the category's class when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<TimeToLive>,
    /// Permits acting for the user.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub authorises_action: bool,
}

impl Save {
    /// A note of the policy's default category.
    pub fn new(content: impl Into<String>) -> Self {
        Save {
            content: content.into(),
            ..Save::default()
        }
    }

    /// In that category.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = Some(category.into());
        self
    }
}

impl From<&str> for Save {
    fn from(content: &str) -> Self {
        Save::new(content)
    }
}

impl From<String> for Save {
    fn from(content: String) -> Self {
        Save::new(content)
    }
}

/// A new version of a fact. What it does not say stays, but for the old summary, detail and value,
/// which spoke of the old content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Update {
    /// Which fact.
    pub target: Which,
    /// What it says from now on.
    pub content: String,
    /// A shorter line for the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Long detail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// A structured value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Another category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Since when it holds; now when left out, never later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The old value was never right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub correction: bool,
}

impl Update {
    /// The fact says that from now on.
    pub fn new(target: impl Into<Which>, content: impl Into<String>) -> Self {
        Update {
            target: target.into(),
            content: content.into(),
            summary: None,
            detail: None,
            value: None,
            category: None,
            since: None,
            correction: false,
        }
    }
}

macro_rules! about_one_fact {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[non_exhaustive]
        pub struct $name {
            /// Which fact.
            pub target: Which,
        }

        impl $name {
            /// About that fact.
            pub fn new(target: impl Into<Which>) -> Self {
                $name { target: target.into() }
            }
        }
    )+};
}

about_one_fact! {
    /// Ends a fact; it is kept for audit and never learned again from the same words.
    Forget;
    /// Re-affirms a fact: it reads as current and does not fade.
    Confirm;
    /// A task is done.
    Complete;
    /// Puts a fact in the trash, from where it can be restored for the policy's days.
    Trash;
    /// Brings a fact back that was trashed or forgotten.
    Restore;
    /// A fact is gone for good: all versions, with everything that quotes them but the user's own messages.
    Purge;
    /// One fact.
    Get;
    /// Every row of one fact.
    History;
    /// Where one memory comes from, and what was made from it.
    LineageOf;
    /// The life of one fact.
    TimelineOf;
}

/// Behaviour that spoke for or against a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Observed {
    /// Which fact.
    pub target: Which,
    /// What the behaviour said.
    pub behaviour: Behaviour,
}

impl Observed {
    /// That was seen of that fact.
    pub fn new(target: impl Into<Which>, behaviour: Behaviour) -> Self {
        Observed {
            target: target.into(),
            behaviour,
        }
    }
}

/// What behaviour said of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Behaviour {
    /// It fits.
    Confirmed,
    /// It does not.
    Contradicted,
}

/// Two facts and what joins them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Join {
    /// The fact it goes out from.
    pub from: Number,
    /// The fact it points to.
    pub to: Number,
    /// `relates_to`, `supersedes`, `contradicts`, `supports`, or a word of the host's.
    pub relation: String,
}

impl Join {
    /// From one fact to another.
    pub fn new(from: Number, to: Number, relation: impl Into<String>) -> Self {
        Join {
            from,
            to,
            relation: relation.into(),
        }
    }
}

/// The user's word on a domain. Withdrawn, its rows leave prompt and recall at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ConsentTo {
    /// The policy's domain.
    pub domain: String,
    /// Given, or withdrawn.
    pub granted: bool,
}

impl ConsentTo {
    /// Gives or withdraws consent for that domain.
    pub fn new(domain: impl Into<String>, granted: bool) -> Self {
        ConsentTo {
            domain: domain.into(),
            granted,
        }
    }
}

/// Takes a write, or a group of writes, back: all of it, or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Undo {
    /// The token of the memory event.
    pub token: UndoToken,
}

impl Undo {
    /// Takes that write back.
    pub fn new(token: UndoToken) -> Self {
        Undo { token }
    }
}

/// Takes an undo back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Redo {
    /// The token of the undo, or of the write that was undone.
    pub token: UndoToken,
}

impl Redo {
    /// Takes that undo back.
    pub fn new(token: UndoToken) -> Self {
        Redo { token }
    }
}
