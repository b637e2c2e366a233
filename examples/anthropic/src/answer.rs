//! What the API answered: a message, or why there is none. No error repeats a word of the answer.

use keepmind::PlugError;
use serde_json::Value;

/// The message of an answer.
pub(crate) fn message(status: u16, text: &str) -> Result<Value, PlugError> {
    match status {
        200..=299 => {}
        401 | 403 => {
            let message = format!("the model's server answered {status}: look at the key");
            return Err(PlugError::lasting(message));
        }
        404 => {
            let message = "the model's server knows neither the address nor the model (404)";
            return Err(PlugError::lasting(message));
        }
        // Busy (429, and 529 for overloaded), slow, or broken for now.
        408 | 409 | 425 | 429 | 500..=599 => {
            return Err(PlugError::passing(format!(
                "the model's server answered {status}"
            )));
        }
        _ => {
            return Err(PlugError::lasting(format!(
                "the model's server answered {status}"
            )));
        }
    }
    let message: Value = serde_json::from_str(text)
        .map_err(|_| PlugError::passing("the model's server answered no whole JSON"))?;
    if message["type"] != "message" || !message["content"].is_array() {
        return Err(PlugError::passing(
            "the model's server answered something else than a message",
        ));
    }
    Ok(message)
}

/// All that a message says in words.
pub(crate) fn words(message: &Value) -> String {
    let blocks = message["content"].as_array().into_iter().flatten();
    let texts = blocks.filter(|block| block["type"] == "text");
    texts.filter_map(|block| block["text"].as_str()).collect()
}

/// Refuses a message that was cut or declined: its words may lack their end, and its calls their arguments.
pub(crate) fn check_end(message: &Value) -> Result<(), PlugError> {
    match message["stop_reason"].as_str() {
        Some("max_tokens" | "model_context_window_exceeded") => {
            Err(PlugError::passing("the model's answer was cut"))
        }
        Some("refusal") => Err(PlugError::passing("the model declined to answer")),
        _ => Ok(()),
    }
}

/// Whether a request was refused for the shape that it asked the answer to have.
pub(crate) fn refuses_schema(status: u16, text: &str) -> bool {
    let error: Value = serde_json::from_str(text).unwrap_or_default();
    let said = error["error"]["message"].as_str().unwrap_or(text);
    let said = said.to_ascii_lowercase().replace('_', " ");
    let words = [
        "schema",
        "output config",
        "output format",
        "structured output",
    ];
    status == 400 && words.iter().any(|word| said.contains(word))
}

/// The words of a message that is an answer by itself.
pub(crate) fn whole(message: &Value) -> Result<String, PlugError> {
    check_end(message)?;
    let words = words(message);
    match words.trim().is_empty() {
        true => Err(PlugError::passing("the model answered nothing")),
        false => Ok(words),
    }
}

/// Why a call brought no answer.
pub(crate) fn unreachable(error: &ureq::Error) -> PlugError {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::HostNotFound => {
            PlugError::lasting("the model's address leads nowhere")
        }
        ureq::Error::Timeout(_) => PlugError::passing("the model's server did not answer in time"),
        ureq::Error::BodyExceedsLimit(_) => {
            PlugError::passing("the model's server sent more than an answer may have")
        }
        _ => PlugError::passing("the connection to the model's server broke"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_message_is_an_answer() {
        let said = |content: &str, stop: &str| {
            format!(r#"{{"type":"message","content":{content},"stop_reason":"{stop}"}}"#)
        };
        let text = r#"[{"type":"thinking","thinking":"hm"},{"type":"text","text":"te"},{"type":"text","text":"a"}]"#;
        let read = |status: u16, text: &str| message(status, text).and_then(|one| whole(&one));
        assert_eq!(read(200, &said(text, "end_turn")), Ok("tea".to_owned()));
        for (status, text, is_retryable) in [
            (500, "slow down".to_owned(), true),
            (529, "slow down".to_owned(), true),
            (429, String::new(), true),
            (401, String::new(), false),
            (404, String::new(), false),
            (400, "slow down".to_owned(), false),
            (413, String::new(), false),
            (200, String::new(), true),
            (200, "[]".to_owned(), true),
            (
                200,
                r#"{"type":"error","error":{"type":"api_error"}}"#.to_owned(),
                true,
            ),
            (
                200,
                r#"{"type":"message","content":"tea"}"#.to_owned(),
                true,
            ),
            (200, said("[]", "end_turn"), true),
            (
                200,
                said(r#"[{"type":"text","text":" "}]"#, "end_turn"),
                true,
            ),
            (200, said(text, "max_tokens"), true),
            (200, said(text, "refusal"), true),
            (200, said(text, "end_turn")[..40].to_owned(), true),
        ] {
            let error = read(status, &text).unwrap_err();
            assert_eq!(error.retryable, is_retryable, "{status} {text}");
            assert!(!error.message.contains("slow down"));
        }
    }
}
