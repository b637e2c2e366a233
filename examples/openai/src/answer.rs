//! What a server answered: a text, or why there is none. No message repeats a word of the answer.

use keepmind::PlugError;
use serde_json::Value;

/// The text of an answer.
pub(crate) fn read(status: u16, text: &str) -> Result<String, PlugError> {
    match status {
        200..=299 => {}
        // Busy, slow, or broken for now.
        408 | 409 | 425 | 429 | 500..=599 => {
            return Err(PlugError::passing(format!(
                "the model's server answered {status}"
            )));
        }
        401 | 403 => {
            let message = format!("the model's server answered {status}: look at the key");
            return Err(PlugError::lasting(message));
        }
        404 => {
            let message = "the model's server knows neither the address nor the model (404)";
            return Err(PlugError::lasting(message));
        }
        _ => {
            return Err(PlugError::lasting(format!(
                "the model's server answered {status}"
            )));
        }
    }
    let answer: Value = serde_json::from_str(text)
        .map_err(|_| PlugError::passing("the model's server answered no whole JSON"))?;
    match answer.pointer("/choices/0/message/content") {
        Some(Value::String(content)) if !content.trim().is_empty() => Ok(content.clone()),
        Some(Value::String(_)) => Err(PlugError::passing("the model answered nothing")),
        _ => Err(PlugError::passing(
            "the model's server answered something else than a chat completion",
        )),
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
    fn only_a_chat_completion_is_an_answer() {
        let whole = r#"{"choices":[{"message":{"role":"assistant","content":"tea"}}]}"#;
        assert_eq!(read(200, whole), Ok("tea".to_owned()));
        for (status, text, is_retryable) in [
            (500, "", true),
            (503, whole, true),
            (429, "slow down", true),
            (401, "", false),
            (404, "", false),
            (400, "", false),
            (200, "", true),
            (200, &whole[..40], true),
            (200, "[]", true),
            (200, r#"{"choices":[]}"#, true),
            (200, r#"{"choices":[{"message":{"content":7}}]}"#, true),
            (200, r#"{"choices":[{"message":{"content":"  "}}]}"#, true),
            (200, "data: {\"choices\":[]}\n\n", true),
        ] {
            let error = read(status, text).unwrap_err();
            assert_eq!(error.retryable, is_retryable, "{status} {text}");
            assert!(!error.message.contains("slow down"));
        }
    }
}
