//! What each tool takes: the one source of its JSON Schema and of what a call is held against.
//! What is said about it is in `wording`; reading a call is in `given`.

use serde_json::{Map, Value, json};

use crate::link::LONGEST_RELATION;
use crate::memory::Authority;
use crate::policy::{Policy, TimeToLive, Tool};
use crate::tools::wording;

/// The names of the authorities, as a model writes them.
pub(super) const AUTHORITIES: [(&str, Authority); 2] =
    [("rule", Authority::Rule), ("note", Authority::Note)];

/// The names of the classes of how long a memory lives, as a model writes them.
pub(super) const TIMES_TO_LIVE: [(&str, TimeToLive); 4] = [
    ("lasting", TimeToLive::Lasting),
    ("contextual", TimeToLive::Contextual),
    ("temporary", TimeToLive::Temporary),
    ("deadline", TimeToLive::Deadline),
];

/// One argument of a tool.
pub(super) struct Argument<'p> {
    /// What a call names it.
    pub name: &'static str,
    /// Whether a call without it is refused.
    pub required: bool,
    /// What it may hold.
    pub shape: Shape<'p>,
}

/// Names that a policy gives.
#[derive(Clone, Copy)]
pub(super) enum Names<'p> {
    /// Those of the categories that may be written to.
    Categories(&'p Policy),
    /// Those of the domains.
    Domains(&'p Policy),
}

impl<'p> Names<'p> {
    pub(super) fn iter(self) -> impl Iterator<Item = &'p str> {
        let (categories, domains) = match self {
            Names::Categories(policy) => (Some(policy.writable_categories()), None),
            Names::Domains(policy) => (None, Some(policy.domains.iter())),
        };
        let categories = categories.into_iter().flatten();
        let domains = domains.into_iter().flatten();
        categories
            .map(|category| category.name.as_str())
            .chain(domains.map(|domain| domain.name.as_str()))
    }
}

/// What an argument may hold.
#[derive(Clone, Copy)]
pub(super) enum Shape<'p> {
    /// Text. Its length is measured when it has been cleaned, so not where a call is read.
    Text {
        /// The most characters that will be kept.
        longest: Option<u32>,
        /// Whether it may have several lines.
        lines: bool,
        /// Whether something visible must be in it.
        visible: bool,
    },
    /// One of the policy's names.
    OneOf(Names<'p>),
    /// `rule` or `note`.
    Authority,
    /// A class of how long a memory lives.
    TimeToLive,
    /// A date, or a date and time.
    Moment,
    /// Yes or no.
    Flag,
    /// A whole number from 1.
    Count {
        /// The largest.
        most: u32,
    },
    /// A fact's number or words of it.
    Target {
        /// The most characters that can match.
        longest: u32,
    },
    /// A fact's number.
    Number,
    /// The word that names a relation.
    Relation,
    /// Any JSON but null.
    Json,
}

/// No tool takes more.
const MOST_ARGUMENTS: usize = 12;

/// The arguments of a tool, in the order in which they are documented and checked.
pub(super) fn arguments(policy: &Policy, tool: Tool) -> Vec<Argument<'_>> {
    let limits = &policy.limits;
    let sentence = Shape::Text {
        longest: Some(limits.content_characters),
        lines: false,
        visible: true,
    };
    let mut arguments = Vec::with_capacity(MOST_ARGUMENTS);
    match tool {
        Tool::Save => {
            arguments.push(required("content", sentence));
            arguments.extend(particulars(policy));
        }
        Tool::Update => arguments.extend([
            required("id_or_substring", target(policy)),
            required("new_content", sentence),
            optional("detail", detail(policy)),
            optional("since", Shape::Moment),
            optional("correction", Shape::Flag),
        ]),
        Tool::Forget | Tool::Confirm => {
            arguments.push(required("id_or_substring", target(policy)));
        }
        Tool::Link => arguments.extend([
            required("from_id", Shape::Number),
            required("to_id", Shape::Number),
            required("relation", Shape::Relation),
        ]),
        Tool::List => arguments.extend(category(policy).into_iter().chain(domain(policy))),
        Tool::Recall => {
            let query = Shape::Text {
                longest: Some(limits.query_characters),
                lines: false,
                visible: true,
            };
            let limit = Shape::Count {
                most: limits.results,
            };
            arguments.extend([required("query", query), optional("limit", limit)]);
            arguments.extend(category(policy));
        }
        Tool::Propose => {
            let evidence = Shape::Text {
                longest: None,
                lines: false,
                visible: false,
            };
            arguments.extend([
                required("content", sentence),
                required("reasoning", sentence),
                optional("evidence", evidence),
                optional("target", target(policy)),
            ]);
            arguments.extend(particulars(policy));
        }
    }
    arguments
}

/// The JSON Schema (draft 2020-12) of a tool's arguments, in the part of it that every provider reads.
pub(super) fn schema(policy: &Policy, tool: Tool) -> Value {
    let arguments = arguments(policy, tool);
    let required: Vec<&str> = arguments
        .iter()
        .filter(|argument| argument.required)
        .map(|argument| argument.name)
        .collect();
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|argument| {
            let mut schema = argument.shape.schema();
            schema["description"] = json!(wording::argument(policy, tool, argument.name));
            (argument.name.to_owned(), schema)
        })
        .collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn required<'p>(name: &'static str, shape: Shape<'p>) -> Argument<'p> {
    Argument {
        name,
        required: true,
        shape,
    }
}

fn optional<'p>(name: &'static str, shape: Shape<'p>) -> Argument<'p> {
    Argument {
        name,
        required: false,
        shape,
    }
}

/// What a new fact may have beside its content.
fn particulars(policy: &Policy) -> impl Iterator<Item = Argument<'_>> {
    let key = Shape::Text {
        longest: Some(policy.limits.key_characters),
        lines: false,
        visible: false,
    };
    let arguments = [
        category(policy),
        Some(optional("detail", detail(policy))),
        domain(policy),
        Some(optional("key", key)),
        Some(optional("value", Shape::Json)),
        Some(optional("authority", Shape::Authority)),
        Some(optional("since", Shape::Moment)),
        Some(optional("ttl", Shape::TimeToLive)),
    ];
    arguments.into_iter().flatten()
}

fn detail(policy: &Policy) -> Shape<'static> {
    Shape::Text {
        longest: Some(policy.limits.body_characters),
        lines: true,
        visible: false,
    }
}

fn target(policy: &Policy) -> Shape<'static> {
    Shape::Target {
        longest: policy.limits.content_characters,
    }
}

fn category(policy: &Policy) -> Option<Argument<'_>> {
    one_of("category", Names::Categories(policy))
}

fn domain(policy: &Policy) -> Option<Argument<'_>> {
    one_of("domain", Names::Domains(policy))
}

/// Nothing where there is nothing to choose from: a policy may have no domains.
fn one_of<'p>(name: &'static str, names: Names<'p>) -> Option<Argument<'p>> {
    let is_any = names.iter().next().is_some();
    is_any.then(|| optional(name, Shape::OneOf(names)))
}

impl Shape<'_> {
    fn schema(&self) -> Value {
        match self {
            Shape::Text {
                longest, visible, ..
            } => {
                let mut schema = json!({"type": "string"});
                if *visible {
                    schema["minLength"] = json!(1);
                }
                if let Some(longest) = longest {
                    schema["maxLength"] = json!(longest);
                }
                schema
            }
            Shape::OneOf(names) => {
                let names: Vec<&str> = names.iter().collect();
                json!({"type": "string", "enum": names})
            }
            Shape::Authority => {
                json!({"type": "string", "enum": AUTHORITIES.map(|(name, _)| name)})
            }
            Shape::TimeToLive => {
                json!({"type": "string", "enum": TIMES_TO_LIVE.map(|(name, _)| name)})
            }
            Shape::Moment => json!({"type": "string", "minLength": 10}),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::Count { most } => json!({"type": "integer", "minimum": 1, "maximum": most}),
            Shape::Target { longest } => {
                json!({"type": "string", "minLength": 1, "maxLength": longest})
            }
            Shape::Number => json!({"type": "string", "pattern": "^#?[1-9][0-9]{0,11}$"}),
            Shape::Relation => {
                json!({"type": "string", "minLength": 1, "maxLength": LONGEST_RELATION, "pattern": "^[a-z0-9_]+$"})
            }
            Shape::Json => json!({}),
        }
    }
}
