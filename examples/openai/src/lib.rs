//! A model behind any server that speaks OpenAI's chat completions (OpenAI, llama.cpp, Ollama, vLLM and many
//! more), plugged into keepmind. The library itself opens no connection: this is what a host writes.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use keepmind::{InMemoryStore, Keepmind};
//! use keepmind_example_openai::OpenAi;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = OpenAi::new("http://127.0.0.1:8080/v1")?.named("llama");
//! let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
//!     .model(Arc::new(model))
//!     .build()?;
//! # Ok(())
//! # }
//! ```

mod answer;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use keepmind::{Model, ModelRequest, PlugError};
use serde_json::{Value, json};
use ureq::Agent;

/// How long a call may take, connecting and all. The library gives up sooner where it is told to.
const LONGEST_CALL: Duration = Duration::from_secs(120);
/// More than any answer that is of use: a server that sends without end is cut off.
const LONGEST_ANSWER: u64 = 1 << 20;

/// A model behind an OpenAI-compatible server.
pub struct OpenAi {
    url: String,
    key: Option<String>,
    name: String,
    agent: Agent,
    /// The server does not know how to keep to a schema: it is not asked to again.
    is_free_form: Arc<AtomicBool>,
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the key.
        formatter
            .debug_struct("OpenAi")
            .field("url", &self.url)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl OpenAi {
    /// The server whose API begins at `url`, as in `https://api.openai.com/v1` or
    /// `http://127.0.0.1:8080/v1`.
    pub fn new(url: impl Into<String>) -> Result<Self, PlugError> {
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
        Ok(OpenAi {
            url,
            key: None,
            name: "default".to_owned(),
            agent,
            is_free_form: Arc::new(AtomicBool::new(false)),
        })
    }

    /// With that key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The model of that name, where the server has several.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    fn body(&self, request: &ModelRequest, with_schema: bool) -> Value {
        let mut body = json!({
            "model": self.name,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            "max_tokens": request.max_output_tokens,
            "temperature": 0,
            "stream": false,
        });
        if let Some(schema) = request.schema.as_ref().filter(|_| with_schema) {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema},
            });
        }
        body
    }

    async fn post(&self, body: Value) -> Result<(u16, String), PlugError> {
        let (agent, url) = (self.agent.clone(), format!("{}/chat/completions", self.url));
        let key = self.key.clone();
        // The client waits on its own thread; the library's deadline does not wait for it.
        let called = tokio::task::spawn_blocking(move || {
            let mut call = agent.post(&url).header("content-type", "application/json");
            if let Some(key) = key {
                call = call.header("authorization", format!("Bearer {key}"));
            }
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
}

#[async_trait]
impl Model for OpenAi {
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError> {
        let with_schema = !self.is_free_form.load(Ordering::Relaxed);
        let (status, text) = self.post(self.body(request, with_schema)).await?;
        // Servers that cannot keep to a schema say so with one of these.
        if with_schema && request.schema.is_some() && matches!(status, 400 | 422) {
            self.is_free_form.store(true, Ordering::Relaxed);
            let (status, text) = self.post(self.body(request, false)).await?;
            return answer::read(status, &text);
        }
        answer::read(status, &text)
    }
}
