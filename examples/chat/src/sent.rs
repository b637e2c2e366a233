//! What is sent to the model: the block, the tools, and of the chat what its view shows.

use std::collections::BTreeMap;

use keepmind::{Message, Result, Role, SessionHandle, ToolShape, View};
use serde_json::{Value, json};

use crate::stand_in::{Conversation, Said};

/// Tool calls as the model wrote them, by id.
pub(crate) type Calls = BTreeMap<String, String>;

/// How many calls of a chat are looked up when it is opened again.
const MOST_CALLS: usize = 1_000;

/// What a model is given now.
pub(crate) async fn conversation(
    session: &SessionHandle,
    view: View,
    calls: &Calls,
) -> Result<Conversation> {
    Ok(Conversation {
        // The same bytes while the chat is active, so that a provider's cache of the prompt holds.
        system: session.block().await?,
        tools: session.tools(ToolShape::OpenAi),
        summary: view.summary,
        left_out: view.replaced,
        messages: view
            .messages
            .into_iter()
            .map(|message| said(message, calls))
            .collect(),
    })
}

fn said(message: Message, calls: &Calls) -> Said {
    let utterance = message.utterance;
    match utterance.role {
        Role::User | Role::System => Said::User(utterance.content),
        Role::Assistant if utterance.calls.is_empty() => Said::Assistant(utterance.content),
        Role::Assistant => {
            let text = |call: &String| calls.get(call).cloned();
            Said::Calls(utterance.calls.iter().filter_map(text).collect())
        }
        Role::Tool => Said::Tool {
            call: utterance.calls.into_iter().next().unwrap_or_default(),
            content: utterance.content,
        },
    }
}

/// The calls that were made in a chat, from their records.
pub(crate) async fn calls(session: &SessionHandle) -> Result<Calls> {
    let traces = session.traces(None, MOST_CALLS).await?.items;
    let written = traces.into_iter().map(|trace| {
        // OpenAI's providers write the arguments as text.
        let arguments = match trace.arguments {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let call = json!({
            "id": trace.key.call,
            "type": "function",
            "function": {"name": trace.tool, "arguments": arguments},
        });
        (trace.key.call, call.to_string())
    });
    Ok(written.collect())
}

/// The id that the model's provider gave a call.
pub(crate) fn call_id(call: &str) -> String {
    let call: Value = serde_json::from_str(call).unwrap_or_default();
    call["id"].as_str().unwrap_or_default().to_owned()
}
