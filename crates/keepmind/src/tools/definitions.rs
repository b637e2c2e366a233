//! The definitions of the tools, in the shapes that providers read.
//! What a tool takes is in `schema`, what is said about it in `wording`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::policy::{Policy, Tool};
use crate::tools::schema::schema;
use crate::tools::wording;

/// Whose shape a definition has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolShape {
    /// `{"type": "function", "function": {"name", "description", "parameters"}}`, as chat completions and
    /// everything modelled on them read it.
    OpenAi,
    /// `{"name", "description", "input_schema"}`.
    Anthropic,
    /// `{"name", "title", "description", "inputSchema", "annotations"}`, as a server of the Model Context
    /// Protocol lists it.
    Mcp,
}

/// The definitions of the tools that the policy offers, in its order.
///
/// All three shapes come from one source and say the same. The same policy gives the same bytes, so a
/// prompt that holds them stays cached. A description names only tools that are offered too.
///
/// ```
/// use keepmind::Policy;
/// use keepmind::tools::{ToolShape, definitions};
/// let tools = definitions(&Policy::advisor(), ToolShape::Anthropic);
/// assert_eq!(tools[0]["name"], "save_preference");
/// assert_eq!(tools[0]["input_schema"]["required"][0], "content");
/// ```
#[must_use]
pub fn definitions(policy: &Policy, shape: ToolShape) -> Vec<Value> {
    policy
        .tools
        .offered
        .iter()
        .map(|tool| definition(policy, *tool, shape))
        .collect()
}

fn definition(policy: &Policy, tool: Tool, shape: ToolShape) -> Value {
    let name = policy.tool_name(tool);
    let description = wording::tool(policy, tool);
    let schema = schema(policy, tool);
    match shape {
        ToolShape::OpenAi => json!({
            "type": "function",
            "function": {"name": name, "description": description, "parameters": schema},
        }),
        ToolShape::Anthropic => json!({
            "name": name, "description": description, "input_schema": schema,
        }),
        ToolShape::Mcp => json!({
            "name": name,
            "title": title(&name),
            "description": description,
            "inputSchema": schema,
            "annotations": annotations(tool),
        }),
    }
}

/// `Save memory` for `save_memory`.
fn title(name: &str) -> String {
    let mut title = name.replace('_', " ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

/// What a client may assume before it asks its user. A fact that leaves the live set counts as destroyed
/// there, although history keeps it.
fn annotations(tool: Tool) -> Value {
    let (read_only, destructive, idempotent) = match tool {
        Tool::Save | Tool::Link => (false, false, true),
        Tool::Update => (false, true, false),
        Tool::Forget => (false, true, true),
        Tool::Confirm | Tool::Propose => (false, false, false),
        Tool::List | Tool::Recall => (true, false, true),
    };
    json!({
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": false,
    })
}
