//! A model's answer to what is worth remembering, read: tolerant of what stands around one object, strict
//! on what it means. Whether any of it is true is not decided here.

use serde_json::{Map, Value};
use time::UtcOffset;

use crate::ids::Number;
use crate::memory::Authority;
use crate::plan::learn::Verb;
use crate::policy::{Policy, TimeToLive};
use crate::refusal::{Code, Refusal};
use crate::strict::{self, JsonProblemKind};
use crate::timestamp::Timestamp;

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// What it proposes, in its order.
    pub operations: Vec<Operation>,
    /// What happened in the chat, where it says so.
    pub episode: Option<String>,
    /// The running summary, where it gives one.
    pub recap: Option<String>,
}

/// One thing that a model proposes, as far as it could be read. What is wrong with its form stands in
/// `codes`; the rest is there all the same, so that every check can run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Operation {
    pub verb: Verb,
    pub id: Option<Number>,
    pub content: Option<String>,
    pub quote: Option<String>,
    pub confidence: Option<f64>,
    pub importance: Option<f64>,
    pub category: Option<String>,
    pub domain: Option<String>,
    pub key: Option<String>,
    pub value: Option<Value>,
    pub authority: Option<Authority>,
    pub since: Option<Timestamp>,
    pub time_to_live: Option<TimeToLive>,
    pub correction: bool,
    pub authorises_action: bool,
    pub codes: Vec<Code>,
}

impl Operation {
    fn object(&mut self, code: Code) {
        if !self.codes.contains(&code) {
            self.codes.push(code);
        }
    }
}

/// The one value of an answer, whatever stands around it, within the policy's limits; or why there is none.
pub(crate) fn answered_object(answer: &str, policy: &Policy) -> Result<Value, Refusal> {
    let limits = &policy.limits;
    if answer.len() > limits.reply_bytes as usize {
        let message = format!("the answer is longer than {} bytes", limits.reply_bytes);
        return Err(Refusal::new(Code::Limit, message));
    }
    let text = one_object(answer)?;
    let deepest = limits.reply_depth as usize;
    strict::json(text, deepest).map_err(|problem| match problem.kind {
        JsonProblemKind::TooDeep => Refusal::new(Code::Limit, "the answer is nested too deeply"),
        // The parser's words name a place, never the text.
        JsonProblemKind::Syntax => Refusal::new(Code::Parse, problem.message),
        JsonProblemKind::KeyTwice => Refusal::new(Code::Parse, "a field stands twice in an object"),
        JsonProblemKind::NumberTooLarge => Refusal::new(Code::Parse, "a number is too large"),
    })
}

/// Reads an answer, or says why nothing in it can be used. The days it names are the user's.
pub(crate) fn read(answer: &str, policy: &Policy, offset: UtcOffset) -> Result<Reply, Refusal> {
    let limits = &policy.limits;
    let value = answered_object(answer, policy)?;
    let shape = |message: &str| Refusal::new(Code::Schema, message);
    let Value::Object(mut object) = value else {
        return Err(shape("the answer must be one object with `ops`"));
    };
    let Some(Value::Array(operations)) = object.remove("ops") else {
        return Err(shape("`ops` must be a list"));
    };
    if operations.len() > limits.reply_operations as usize {
        let message = format!("there are more than {} operations", limits.reply_operations);
        return Err(Refusal::new(Code::Limit, message));
    }
    let mut passage = |name: &str| match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Some(_) => Err(shape("`episode` and `recap` must be texts")),
    };
    let (episode, recap) = (passage("episode")?, passage("recap")?);
    if !object.is_empty() {
        return Err(shape("only `ops`, `episode` and `recap` are known"));
    }
    let mut operations: Vec<Operation> = operations
        .into_iter()
        .map(|value| operation(value, offset))
        .collect();
    drop_rivals(&mut operations);
    Ok(Reply {
        operations,
        episode,
        recap,
    })
}

/// The one object of an answer, without a byte-order mark, a fence, or prose around it.
fn one_object(answer: &str) -> Result<&str, Refusal> {
    let text = spoken_aloud(answer.trim_start_matches('\u{feff}').trim());
    if text.starts_with('[') {
        return Ok(text);
    }
    let none = || Refusal::new(Code::Parse, "there is no JSON object in the answer");
    let start = text.find('{').ok_or_else(none)?;
    let end = end_of_object(&text[start..]).ok_or_else(none)?;
    let after = &text[start + end..];
    if after.contains('{') {
        let message = "there is more than one JSON object in the answer";
        return Err(Refusal::new(Code::Parse, message));
    }
    Ok(&text[start..start + end])
}

/// An answer without what a model thought before it.
fn spoken_aloud(answer: &str) -> &str {
    let thought = answer.strip_prefix("<think>");
    let after = thought.and_then(|rest| rest.split_once("</think>"));
    after.map_or(answer, |(_, answer)| answer.trim_start())
}

/// Where the object that a text begins with ends, by its braces outside strings.
fn end_of_object(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at += length_of_string(&bytes[at..])?,
            b'{' => open += 1,
            b'}' => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// How long what follows a quotation mark is, with the one that ends it. Most of an answer stands in strings.
fn length_of_string(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let next = at + memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes[next] {
            b'"' => return Some(next + 1),
            // Whatever is escaped ends nothing.
            _ => at = next + 2,
        }
    }
}

fn operation(value: Value, offset: UtcOffset) -> Operation {
    let mut read = Operation::default();
    let Value::Object(mut object) = value else {
        read.object(Code::Schema);
        return read;
    };
    match object.remove("op") {
        Some(Value::String(verb)) => match verb.as_str() {
            "add" => read.verb = Verb::Add,
            "update" => read.verb = Verb::Update,
            "confirm" => read.verb = Verb::Confirm,
            "skip" => {
                // A model may say why.
                object.remove("reason");
            }
            _ => read.object(Code::OperationUnknown),
        },
        _ => read.object(Code::Schema),
    }
    read.aim(&mut object);
    read.content = read.text(&mut object, "content");
    read.quote = read.text(&mut object, "quote");
    read.category = read.text(&mut object, "category");
    read.domain = read.text(&mut object, "domain");
    read.key = read.text(&mut object, "key");
    read.confidence = read.share(&mut object, "confidence");
    read.importance = read.share(&mut object, "importance");
    read.value = object.remove("value").filter(|value| !value.is_null());
    read.authority = read.word(&mut object, "authority");
    read.time_to_live = read.word(&mut object, "ttl");
    read.since = read.moment(&mut object, offset);
    read.correction = read.flag(&mut object, "correction");
    read.authorises_action = read.flag(&mut object, "authorises_action");
    if !object.is_empty() {
        read.object(Code::Schema);
    }
    if read.verb.writes() {
        if read.content.is_none() || read.confidence.is_none() {
            read.object(Code::Schema);
        }
        if read
            .quote
            .as_deref()
            .is_none_or(|quote| quote.trim().is_empty())
        {
            read.object(Code::QuoteMissing);
        }
    }
    read
}

impl Operation {
    /// The memory it is about: a whole number, as it was shown. Anything else names none.
    fn aim(&mut self, object: &mut Map<String, Value>) {
        let given = object.remove("id");
        let is_aimed = matches!(self.verb, Verb::Update | Verb::Confirm);
        match given {
            Some(value) => match value.as_u64().and_then(Number::new) {
                Some(number) if is_aimed => self.id = Some(number),
                Some(_) => self.object(Code::Schema),
                None if value.is_null() && !is_aimed => {}
                None => {
                    self.object(Code::Schema);
                    self.object(Code::NotFound);
                }
            },
            None if is_aimed => self.object(Code::Schema),
            None => {}
        }
    }

    fn text(&mut self, object: &mut Map<String, Value>, name: &str) -> Option<String> {
        match object.remove(name)? {
            Value::String(text) => Some(text),
            Value::Null if !matches!(name, "content" | "quote") => None,
            _ => {
                self.object(Code::Schema);
                None
            }
        }
    }

    /// A number from 0 to 1.
    fn share(&mut self, object: &mut Map<String, Value>, name: &str) -> Option<f64> {
        let value = object.remove(name)?;
        let Some(share) = value.as_f64() else {
            self.object(Code::Schema);
            return None;
        };
        if !(0.0..=1.0).contains(&share) {
            self.object(Code::Confidence);
        }
        // Minus nothing is nothing.
        Some(share + 0.0)
    }

    fn word<T: serde::de::DeserializeOwned>(
        &mut self,
        object: &mut Map<String, Value>,
        name: &str,
    ) -> Option<T> {
        let value = object.remove(name).filter(|value| !value.is_null())?;
        let word = serde_json::from_value(value).ok();
        if word.is_none() {
            self.object(Code::Schema);
        }
        word
    }

    fn moment(&mut self, object: &mut Map<String, Value>, offset: UtcOffset) -> Option<Timestamp> {
        let value = object.remove("since").filter(|value| !value.is_null())?;
        let text = value.as_str().unwrap_or_default();
        let moment = Timestamp::parse_day_or_moment(text, offset);
        if moment.is_err() {
            self.object(Code::Schema);
        }
        moment.ok()
    }

    fn flag(&mut self, object: &mut Map<String, Value>, name: &str) -> bool {
        match object.remove(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => flag,
            Some(_) => {
                self.object(Code::Schema);
                false
            }
        }
    }
}

/// Two operations on one memory contradict each other, or one of them is invented: both go.
fn drop_rivals(operations: &mut [Operation]) {
    for index in 0..operations.len() {
        let Some(id) = operations[index].id else {
            continue;
        };
        let same = |other: &Operation| other.id == Some(id);
        if operations.iter().filter(|other| same(other)).count() > 1 {
            operations[index].object(Code::DuplicateTarget);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn codes(answer: &str) -> Vec<Code> {
        match read(answer, &Policy::default(), UtcOffset::UTC) {
            Ok(reply) => reply
                .operations
                .into_iter()
                .flat_map(|operation| operation.codes)
                .collect(),
            Err(refusal) => refusal.codes().collect(),
        }
    }

    const GOOD: &str =
        r#"{"ops":[{"op":"add","content":"User rows","quote":"I row","confidence":0.9}]}"#;

    /// [`end_of_object`], byte by byte.
    fn plain_end_of_object(text: &str) -> Option<usize> {
        let (mut open, mut is_text, mut is_escaped) = (0_usize, false, false);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                b'{' if !is_text => open += 1,
                b'}' if !is_text => {
                    open = open.checked_sub(1)?;
                    if open == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    proptest! {
        #[test]
        fn an_object_ends_with_its_last_brace(text in r#"\{[{}"\\aé]{0,16}"#) {
            prop_assert_eq!(end_of_object(&text), plain_end_of_object(&text));
        }
    }

    #[test]
    fn one_object_is_found_in_what_stands_around_it() {
        for answer in [
            GOOD.to_owned(),
            format!("\u{feff}{GOOD}"),
            format!("```json\n{GOOD}\n```"),
            format!("Here you are:\n\n{GOOD}\nDone."),
            format!("{GOOD}\nHope this helps!"),
            format!("<think>\nIs {{}} enough?\n</think>\n{GOOD}"),
        ] {
            let reply = read(&answer, &Policy::default(), UtcOffset::UTC).unwrap();
            assert_eq!(reply.operations.len(), 1, "{answer}");
            assert_eq!(reply.operations[0].codes, []);
        }
    }

    #[test]
    fn what_is_not_one_answer_is_refused_whole() {
        let deep = format!("{{\"ops\":{}1{}}}", "[".repeat(40), "]".repeat(40));
        let long = format!("{{\"ops\":[],\"recap\":\"{}\"}}", "x".repeat(70_000));
        let many = format!("{{\"ops\":[{}]}}", vec!["{\"op\":\"skip\"}"; 33].join(","));
        for (answer, code) in [
            ("", Code::Parse),
            ("no object here", Code::Parse),
            ("{'ops':[]}", Code::Parse),
            ("{\"ops\":[]", Code::Parse),
            ("{\"ops\":[]} {\"ops\":[]}", Code::Parse),
            ("first {\"ops\":[]} second {\"ops\":[]}", Code::Parse),
            ("{\"ops\":[],\"ops\":[]}", Code::Parse),
            (
                "{\"ops\":[{\"op\":\"add\",\"confidence\":1e400}]}",
                Code::Parse,
            ),
            ("[]", Code::Schema),
            ("{\"ops\":{}}", Code::Schema),
            ("{}", Code::Schema),
            ("{\"ops\":[],\"trust\":\"user\"}", Code::Schema),
            ("{\"ops\":[],\"recap\":7}", Code::Schema),
            (&deep, Code::Limit),
            (&long, Code::Limit),
            (&many, Code::Limit),
        ] {
            assert_eq!(codes(answer), [code], "{answer:.60}");
        }
    }

    #[test]
    fn one_bad_operation_says_everything_that_is_wrong_with_it() {
        let of = |fields: &str| codes(&format!("{{\"ops\":[{{{fields}}}]}}"));
        let rest = r#""content":"User rows","quote":"I row","confidence":0.9"#;
        for (fields, expected) in [
            (format!("\"op\":\"add\",{rest}"), vec![]),
            (format!("\"op\":\"update\",\"id\":2,{rest}"), vec![]),
            ("\"op\":\"skip\",\"reason\":\"nothing\"".to_owned(), vec![]),
            (
                format!("\"op\":\"erase\",{rest}"),
                vec![Code::OperationUnknown],
            ),
            (format!("\"op\":\"update\",{rest}"), vec![Code::Schema]),
            (
                format!("\"op\":\"update\",\"id\":\"2\",{rest}"),
                vec![Code::Schema, Code::NotFound],
            ),
            (
                format!("\"op\":\"update\",\"id\":2.0,{rest}"),
                vec![Code::Schema, Code::NotFound],
            ),
            (
                format!("\"op\":\"add\",{rest},\"owner\":\"bob\""),
                vec![Code::Schema],
            ),
            (
                "\"op\":\"add\",\"content\":\"User rows\",\"quote\":\"\",\"confidence\":1.5"
                    .to_owned(),
                vec![Code::Confidence, Code::QuoteMissing],
            ),
            (
                "\"op\":\"add\",\"content\":7,\"quote\":\"I row\",\"confidence\":null".to_owned(),
                vec![Code::Schema],
            ),
        ] {
            assert_eq!(of(&fields), expected, "{fields}");
        }
    }

    #[test]
    fn two_on_one_memory_drop_both() {
        let one = |content: &str| {
            format!(
                "{{\"op\":\"update\",\"id\":2,\"content\":\"{content}\",\"quote\":\"q\",\"confidence\":1}}"
            )
        };
        let answer = format!("{{\"ops\":[{},{}]}}", one("a"), one("b"));
        assert_eq!(
            codes(&answer),
            [Code::DuplicateTarget, Code::DuplicateTarget]
        );
    }

    proptest! {
        #[test]
        fn no_answer_panics(answer in "\\PC{0,200}", cut in 0_usize..90) {
            let _ = codes(&answer);
            let _ = codes(GOOD.get(..cut).unwrap_or(GOOD));
            let _ = codes(&format!("{answer}{GOOD}{answer}"));
        }
    }
}
