//! From what a model wrote to a typed request: the shapes in which calls come, their size and depth.
//! What a tool's arguments may hold is checked in `readings`; running a call is not here.

use std::borrow::Cow;

use serde_json::{Map, Value};
use time::UtcOffset;

use crate::change::limits;
use crate::policy::Policy;
use crate::refusal::{Code, Refusal};
use crate::strict::{self, JsonProblem, JsonProblemKind};
use crate::text;
use crate::tools::arguments::ToolRequest;
use crate::tools::{names, refuse};

/// The longest tool call, or arguments of one, that is read, in bytes.
pub const MAX_CALL_BYTES: usize = 64 * 1024;

/// How many levels a provider wraps around the arguments: the call, and its `function`.
const WRAPPING: usize = 2;

/// A call as its provider wrote it: which tool, with what. Nothing in it is checked but the wrapping.
///
/// It is apart from [`ToolRequest`] so that a refused call can still be answered and traced by its id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    /// The provider's id of the call: one line of at most 128 characters.
    pub id: Option<String>,
    /// The tool's name, as given.
    pub name: String,
    /// The arguments, as given: an object, a string that holds one, or null.
    pub arguments: Value,
}

impl ToolCall {
    /// What it asks for; see [`parse`].
    pub fn request(&self, policy: &Policy, offset: UtcOffset) -> Result<ToolRequest, Refusal> {
        parse(policy, offset, &self.name, &self.arguments)
    }
}

/// Reads the arguments of a call to the tool of that name.
///
/// `arguments` is an object or a string that holds one as JSON, which is decoded once; null and a blank
/// string are no arguments; a date alone is a day of the user's, at their offset. Refuses whatever is not exactly right, the first problem in a fixed order:
/// the name, the size and depth, the JSON, then the arguments one by one.
pub(crate) fn parse(
    policy: &Policy,
    offset: UtcOffset,
    name: &str,
    arguments: &Value,
) -> Result<ToolRequest, Refusal> {
    let tool = policy
        .tools
        .by_name(name)
        .ok_or_else(|| names::unknown(policy, name))?;
    let object = object(policy, arguments)?;
    ToolRequest::read(policy, offset, tool, &object)
}

/// Reads a whole call from the JSON text that a provider hands over.
///
/// Its name stands in `name`, `tool` or `function`, its arguments in `arguments`, `input` or `parameters`;
/// both may be inside an object `function`. An `id` (or `call_id`), a `type` and a provider's bookkeeping may
/// stand beside them, and nothing that could be meant to change what the call does.
pub(crate) fn parse_text(policy: &Policy, text: &str) -> Result<ToolCall, Refusal> {
    let value = decode(text, deepest(policy) + WRAPPING, "call")?;
    let Value::Object(mut call) = value else {
        return Err(not_a_call("is one JSON object"));
    };
    let id = id(&mut call)?;
    match call.remove("type") {
        None | Some(Value::Null) => {}
        Some(Value::String(kind))
            if ["function", "function_call", "tool_call", "tool_use"].contains(&kind.as_str()) => {}
        Some(_) => return Err(not_a_call("has type function, function_call or tool_use")),
    }
    // Streaming and the bookkeeping of a provider; neither says anything about what to do. That it was not the
    // model itself but a program it wrote that called changes nothing either.
    for bookkeeping in ["index", "status", "caller"] {
        call.remove(bookkeeping);
    }
    let mut inner = match call.get("function") {
        Some(Value::Object(_)) => match call.remove("function") {
            Some(Value::Object(inner)) => inner,
            _ => Map::new(),
        },
        _ => std::mem::take(&mut call),
    };
    let name = one(&mut inner, &["name", "tool", "function"])?;
    let arguments = one(&mut inner, &["arguments", "input", "parameters"])?;
    // Clients write out every field that a call might have had.
    let is_said = |fields: &Map<String, Value>| fields.values().any(|value| !value.is_null());
    if is_said(&inner) || is_said(&call) {
        return Err(not_a_call(
            "has nothing beside id, type, name and arguments",
        ));
    }
    match name {
        Some(Value::String(name)) => Ok(ToolCall {
            id,
            name,
            arguments: arguments.unwrap_or(Value::Null),
        }),
        _ => Err(not_a_call("has the tool's name as a string in `name`")),
    }
}

fn not_a_call(wanted: &str) -> Refusal {
    refuse(
        Code::Schema,
        format_args!(
            "A call {wanted}: {{\"name\": the tool's name, \"arguments\": {{its arguments}}}}."
        ),
    )
}

/// What an answer must name. Where a provider gives two ids, `call_id` is that one.
fn id(call: &mut Map<String, Value>) -> Result<Option<String>, Refusal> {
    let ids = [call.remove("call_id"), call.remove("id")];
    match ids.into_iter().flatten().find(|id| !id.is_null()) {
        None => Ok(None),
        Some(Value::String(id))
            if id.chars().count() <= limits::NAME_CHARS
                && text::line(&id).is_ok_and(|line| line == id) =>
        {
            Ok(Some(id))
        }
        Some(_) => Err(not_a_call("has an id of one line, at most 128 characters")),
    }
}

/// The value under whichever of the names is there; two of them could contradict each other.
fn one(call: &mut Map<String, Value>, names: &[&str]) -> Result<Option<Value>, Refusal> {
    let mut found = names.iter().filter_map(|name| call.remove(*name));
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => Err(not_a_call("names its tool once and its arguments once")),
    }
}

fn deepest(policy: &Policy) -> usize {
    usize::try_from(policy.limits.reply_depth).unwrap_or(usize::MAX)
}

fn object<'a>(
    policy: &Policy,
    arguments: &'a Value,
) -> Result<Cow<'a, Map<String, Value>>, Refusal> {
    match arguments {
        Value::Null => Ok(Cow::Owned(Map::new())),
        Value::Object(object) => {
            measure(arguments, deepest(policy))?;
            Ok(Cow::Borrowed(object))
        }
        // Only the bytes are counted of a string that is too long, so that blanks cost nothing either.
        Value::String(text) if text.len() <= MAX_CALL_BYTES && text.trim().is_empty() => {
            Ok(Cow::Owned(Map::new()))
        }
        Value::String(text) => match decode(text, deepest(policy), "arguments")? {
            Value::Null => Ok(Cow::Owned(Map::new())),
            Value::Object(object) => Ok(Cow::Owned(object)),
            _ => Err(not_an_object()),
        },
        _ => Err(not_an_object()),
    }
}

fn not_an_object() -> Refusal {
    refuse(
        Code::Schema,
        "The arguments must be one JSON object of names and values, encoded once.",
    )
}

fn decode(text: &str, deepest: usize, what: &str) -> Result<Value, Refusal> {
    if text.len() > MAX_CALL_BYTES {
        return Err(too_long());
    }
    strict::json(text, deepest).map_err(|JsonProblem { kind, message }| match kind {
        JsonProblemKind::TooDeep => too_deep(),
        JsonProblemKind::KeyTwice => refuse(
            Code::Schema,
            format_args!("The {what} had a field twice: give each field once."),
        ),
        JsonProblemKind::NumberTooLarge => refuse(
            Code::Schema,
            format_args!("The {what} had a number that is too large: give a smaller one."),
        ),
        // The parser's own words name a place, never the text.
        JsonProblemKind::Syntax => refuse(
            Code::Parse,
            format_args!("The {what} must be valid JSON: {message}."),
        ),
    })
}

fn too_long() -> Refusal {
    refuse(
        Code::Limit,
        format_args!("A call has at most {MAX_CALL_BYTES} bytes: shorten it."),
    )
}

fn too_deep() -> Refusal {
    refuse(
        Code::Limit,
        "The arguments are nested too deeply: give plain values.",
    )
}

/// Bounds the size and depth of arguments that come parsed, without recursion: nobody else bounded them.
fn measure(arguments: &Value, deepest: usize) -> Result<(), Refusal> {
    // No JSON text of the value could be shorter than what is counted.
    let mut bytes = 0;
    let mut waiting = Vec::with_capacity(16);
    waiting.push((arguments, 0));
    while let Some((value, above)) = waiting.pop() {
        bytes += match value {
            Value::String(text) => text.len(),
            Value::Array(list) => list.len(),
            Value::Object(object) => object.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 1,
        };
        if bytes > MAX_CALL_BYTES {
            return Err(too_long());
        }
        let depth = above + 1;
        let inside = matches!(value, Value::Array(_) | Value::Object(_));
        if inside && depth > deepest {
            return Err(too_deep());
        }
        match value {
            Value::Array(list) => waiting.extend(list.iter().map(|value| (value, depth))),
            Value::Object(object) => {
                bytes += object.keys().map(String::len).sum::<usize>();
                waiting.extend(object.values().map(|value| (value, depth)));
            }
            _ => {}
        }
    }
    Ok(())
}
