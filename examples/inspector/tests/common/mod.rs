//! A server on a port of its own, with two owners, and a client that speaks to it over HTTP.

use std::sync::Arc;
use std::time::Duration;

use keepmind::{InMemoryStore, Keepmind, Policy};
use keepmind_example_inspector::accounts::Accounts;
use keepmind_example_inspector::api::Api;
use keepmind_example_inspector::routes::MOST;
use keepmind_example_inspector::server;
use serde_json::Value;
use tokio::runtime::Runtime;
use ureq::http::Request;
use ureq::{Agent, Body};

pub const ANNA: &str = "token-of-anna-0123456789";
pub const BEN: &str = "token-of-ben-0123456789";

pub struct Server {
    pub url: String,
    agent: Agent,
    // Ends with the test, and the server with it.
    _runtime: Runtime,
}

/// What was answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Server {
    pub fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let mut policy = Policy::default();
        policy.limits.results = MOST as u32;
        let store = Arc::new(InMemoryStore::new());
        let keepmind = Keepmind::builder(store).policy(policy).build().unwrap();
        let tokens = [(ANNA, "anna"), (BEN, "ben")];
        let tokens = tokens.map(|(token, owner)| (token.to_owned(), owner.to_owned()));
        let accounts = Accounts::new(&keepmind, tokens).unwrap();
        let listener = runtime.block_on(server::listen(0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let api = Arc::new(Api { keepmind, accounts });
        runtime.spawn(server::serve(listener, api, std::future::pending()));
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            // A server may close after an answer that did not need the body.
            .max_idle_connections(0)
            .timeout_global(Some(Duration::from_secs(30)))
            .build()
            .new_agent();
        Server {
            url,
            agent,
            _runtime: runtime,
        }
    }

    /// Asks as whoever has the token.
    pub fn ask(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        let authorization = format!("Bearer {token}");
        let headers = [
            ("authorization", authorization.as_str()),
            ("content-type", "application/json"),
        ];
        let body = body.map(|body| body.to_string());
        self.raw(method, path, &headers, body.as_deref().unwrap_or(""))
    }

    /// Asks in any way.
    pub fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = self
            .agent
            .run(request.body(body.to_owned()).unwrap())
            .unwrap();
        let headers = answer
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        Answer {
            status: answer.status().as_u16(),
            headers,
            text: answer.body_mut().read_to_string().unwrap(),
        }
    }

    /// Follows the feed; the body is read as it comes.
    pub fn follow(&self, token: &str) -> Body {
        let request = Request::builder()
            .uri(format!("{}/api/events", self.url))
            .header("authorization", format!("Bearer {token}"));
        let answer = self.agent.run(request.body(()).unwrap()).unwrap();
        assert_eq!(answer.status(), 200);
        answer.into_body()
    }
}
