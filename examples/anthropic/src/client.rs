//! The client: one request, one answer; and the model that the library asks through it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use keepmind::{Model, ModelRequest, PlugError};
use serde_json::{Value, json};
use ureq::Agent;

use crate::answer;

/// The version of the API that is spoken here.
const VERSION: &str = "2023-06-01";
/// How long a call may take, connecting and all. The library gives up sooner where it is told to.
const LONGEST_CALL: Duration = Duration::from_secs(300);
/// More than any answer that is of use: a server that sends without end is cut off.
const LONGEST_ANSWER: u64 = 4 << 20;

/// A model behind the Messages API.
#[derive(Clone)]
pub struct Anthropic {
    url: String,
    key: String,
    name: String,
    agent: Agent,
    /// The model does not know how to keep to a schema, or not to this kind: it is not asked to again.
    is_free_form: Arc<AtomicBool>,
}

impl fmt::Debug for Anthropic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        formatter
            .debug_struct("Anthropic")
            .field("url", &self.url)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Anthropic {
    /// The model of that name at the server whose API begins at `url`, as in `https://api.anthropic.com`.
    pub fn new(
        url: impl Into<String>,
        key: impl Into<String>,
        name: impl Into<String>,
    ) -> Result<Self, PlugError> {
        let url = url.into().trim().trim_end_matches('/').to_owned();
        let scheme = url.split_once("://").map(|(scheme, _)| scheme);
        if !matches!(scheme, Some("http" | "https")) || url.contains(char::is_whitespace) {
            let message = "the model's address must begin with http:// or https://";
            return Err(PlugError::lasting(message));
        }
        let agent: Agent = Agent::config_builder()
            .timeout_global(Some(LONGEST_CALL))
            .http_status_as_error(false)
            // Another address would be sent the key.
            .max_redirects(0)
            .build()
            .into();
        Ok(Anthropic {
            url,
            key: key.into(),
            name: name.into(),
            agent,
            is_free_form: Arc::default(),
        })
    }

    /// Sends a request, with the model's name in it; the status and the body of what came back.
    async fn post(&self, mut body: Value) -> Result<(u16, String), PlugError> {
        body["model"] = json!(self.name);
        let (agent, url) = (self.agent.clone(), format!("{}/v1/messages", self.url));
        let key = self.key.clone();
        // The client waits on its own thread; the library's deadline does not wait for it.
        let called = tokio::task::spawn_blocking(move || {
            let call = agent
                .post(&url)
                .header("content-type", "application/json")
                .header("anthropic-version", VERSION)
                .header("x-api-key", key);
            let mut response = call.send(body.to_string())?;
            let status = response.status().as_u16();
            let text = response
                .body_mut()
                .with_config()
                .limit(LONGEST_ANSWER)
                .read_to_string()?;
            Ok::<_, ureq::Error>((status, text))
        });
        match called.await {
            Ok(answered) => answered.map_err(|error| answer::unreachable(&error)),
            Err(_) => Err(PlugError::passing("the call to the model was broken off")),
        }
    }

    /// The model's next message.
    pub(crate) async fn message(&self, body: Value) -> Result<Value, PlugError> {
        let (status, text) = self.post(body).await?;
        answer::message(status, &text)
    }

    fn question(request: &ModelRequest, with_schema: bool) -> Value {
        let mut body = json!({
            "max_tokens": request.max_output_tokens,
            "system": request.system,
            "messages": [{"role": "user", "content": request.prompt}],
        });
        if let Some(schema) = request.schema.as_ref().filter(|_| with_schema) {
            body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
        }
        body
    }
}

#[async_trait]
impl Model for Anthropic {
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError> {
        let with_schema = request.schema.is_some() && !self.is_free_form.load(Ordering::Relaxed);
        let (mut status, mut text) = self.post(Self::question(request, with_schema)).await?;
        // Any other request that was refused says nothing about the next one's schema.
        if with_schema && answer::refuses_schema(status, &text) {
            self.is_free_form.store(true, Ordering::Relaxed);
            (status, text) = self.post(Self::question(request, false)).await?;
        }
        answer::message(status, &text).and_then(|message| answer::whole(&message))
    }
}
