//! Over HTTP: no token, no data; one owner's token, session and stream open nothing of another's.

use std::sync::Arc;
use std::time::Duration;

use keepmind::{InMemoryStore, Keepmind};
use keepmind_example_mcp::http::{Doors, PATH, Tokens};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use ureq::Agent;
use ureq::http::{Request, Response};

const ALICE: &str = "alice-0123456789abcdef";
const BOB: &str = "bob-0123456789abcdef";

/// A server in this process.
struct Server {
    url: String,
    agent: Agent,
    _runtime: Runtime,
}

impl Server {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let url = runtime.block_on(async {
            let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
                .build()
                .unwrap();
            let tokens = Tokens::read(&format!("{ALICE} alice\n{BOB} bob\n")).unwrap();
            let doors = Doors::open(&keepmind, tokens, &[], Duration::from_secs(60)).await;
            let router = Arc::new(doors.unwrap()).router();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}{PATH}", listener.local_addr().unwrap());
            tokio::spawn(async move { axum::serve(listener, router).await });
            url
        });
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_idle_connections(0);
        Server {
            url,
            agent: config.build().into(),
            _runtime: runtime,
        }
    }

    /// Sends something; the status and the body.
    fn send(
        &self,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String, Option<String>) {
        let mut request = Request::builder().method(method).uri(&self.url);
        request = request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.to_owned()).unwrap();
        let mut response: Response<ureq::Body> = self.agent.run(request).unwrap();
        let session = response.headers().get("mcp-session-id");
        let session = session.map(|id| id.to_str().unwrap().to_owned());
        let text = response.body_mut().read_to_string().unwrap();
        (response.status().as_u16(), text, session)
    }

    fn client(&self, token: &str) -> Client<'_> {
        let authorization = format!("Bearer {token}");
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }});
        let headers = [("authorization", authorization.as_str())];
        let (status, text, session) = self.send("POST", &headers, &hello.to_string());
        assert_eq!(status, 200, "{text}");
        let client = Client {
            server: self,
            authorization,
            session: session.expect("a session"),
        };
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.post(&done.to_string()).0, 202);
        client
    }
}

struct Client<'a> {
    server: &'a Server,
    authorization: String,
    session: String,
}

impl Client<'_> {
    fn post(&self, body: &str) -> (u16, String) {
        let headers = [
            ("authorization", self.authorization.as_str()),
            ("mcp-session-id", self.session.as_str()),
            ("mcp-protocol-version", "2025-06-18"),
        ];
        let (status, text, _) = self.server.send("POST", &headers, body);
        (status, text)
    }

    /// Asks, and takes the answer out of the stream.
    fn ask(&self, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (status, text) = self.post(&request.to_string());
        assert_eq!(status, 200, "{text}");
        let mut events = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let answer = events.find_map(|data| {
            let message: Value = serde_json::from_str(data.trim()).ok()?;
            (message["id"] == 1).then_some(message)
        });
        answer.unwrap_or_else(|| panic!("no answer in {text}"))
    }

    fn call(&self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no result: {answer}"))
            .to_owned()
    }
}

#[test]
fn without_a_token_there_is_nothing() {
    let server = Server::start();
    let alice = server.client(ALICE);
    alice.call(
        "save_memory",
        json!({"content": "Keeps a canary called Zephyrine"}),
    );
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "list_memories", "arguments": {}}});
    let basic = format!("Basic {ALICE}");
    let shorter = format!("Bearer {}", &ALICE[..ALICE.len() - 1]);
    let longer = format!("Bearer {ALICE}x");
    let bearer = format!("Bearer {ALICE}");
    for headers in [
        &[][..],
        &[("authorization", "")],
        &[("authorization", "Bearer")],
        &[("authorization", "Bearer ")],
        &[("authorization", ALICE)],
        &[("authorization", basic.as_str())],
        &[("authorization", shorter.as_str())],
        &[("authorization", longer.as_str())],
        &[
            ("authorization", bearer.as_str()),
            ("authorization", bearer.as_str()),
        ],
        &[("cookie", ALICE)],
        &[("mcp-session-id", alice.session.as_str())],
    ] {
        for method in ["POST", "GET", "DELETE"] {
            let body = if method == "POST" {
                list.to_string()
            } else {
                String::new()
            };
            let (status, text, _) = server.send(method, headers, &body);
            assert_eq!(status, 401, "{method} {headers:?}: {text}");
            assert!(!text.contains("Zephyrine"));
        }
    }
}

#[test]
fn no_owner_reaches_anothers() {
    let server = Server::start();
    let (alice, bob) = (server.client(ALICE), server.client(BOB));
    let saved = alice.call(
        "save_memory",
        json!({"content": "Keeps a canary called Zephyrine"}),
    );
    assert!(saved.starts_with("Saved #1"), "{saved}");
    assert!(
        alice
            .call("recall_memories", json!({"query": "canary"}))
            .contains("Zephyrine")
    );
    let told = [
        bob.call("list_memories", json!({})),
        bob.call("recall_memories", json!({"query": "canary Zephyrine"})),
        bob.call("forget_memory", json!({"id_or_substring": "#1"})),
        bob.call(
            "update_memory",
            json!({"id_or_substring": "canary", "new_content": "No canary"}),
        ),
        bob.ask("resources/list", json!({})).to_string(),
        bob.ask("resources/read", json!({"uri": "keepmind://memory"}))
            .to_string(),
        bob.ask("resources/read", json!({"uri": "keepmind://fact/1"}))
            .to_string(),
        bob.ask("prompts/get", json!({"name": "memory"}))
            .to_string(),
    ];
    for told in told {
        assert!(!told.contains("Zephyrine"), "{told}");
    }
    // A session is its owner's: with another's token it does not exist, neither to speak in, listen to, nor end.
    let stolen = Client {
        server: &server,
        authorization: bob.authorization.clone(),
        session: alice.session.clone(),
    };
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(stolen.post(&list.to_string()).0, 404);
    let headers = [
        ("authorization", stolen.authorization.as_str()),
        ("mcp-session-id", stolen.session.as_str()),
        ("last-event-id", "0"),
    ];
    assert_eq!(server.send("GET", &headers, "").0, 404);
    server.send("DELETE", &headers[..2], "");
    assert!(alice.call("list_memories", json!({})).contains("Zephyrine"));
}

#[test]
fn pages_of_other_names_are_turned_away() {
    let server = Server::start();
    let bearer = format!("Bearer {ALICE}");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    for other in [
        ("host", "evil.example"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let (status, text, _) = server.send("POST", &[("authorization", &bearer), other], &list);
        assert_eq!(status, 403, "{other:?}: {text}");
    }
}

#[test]
fn what_is_too_long_or_no_request_is_refused() {
    let server = Server::start();
    let client = server.client(ALICE);
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "save_memory", "arguments": {"content": "x".repeat(300_000)}}});
    assert_eq!(client.post(&long.to_string()).0, 413);
    for wrong in [
        "",
        "nonsense",
        "{",
        "[]",
        "null",
        r#"{"jsonrpc":"2.0","id":1}"#,
    ] {
        let (status, text) = client.post(wrong);
        assert!((400..500).contains(&status), "{wrong}: {status} {text}");
    }
    let unknown = client.ask("nothing/here", json!({}));
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
    let said = client.call("save_memory", json!({"content": "x".repeat(100_000)}));
    assert!(said.contains("shorten"), "{said}");
    let bearer = [
        ("authorization", client.authorization.as_str()),
        ("mcp-session-id", "x"),
    ];
    assert_eq!(server.send("POST", &bearer, "{}").0 / 100, 4);
    for method in ["PUT", "PATCH", "OPTIONS"] {
        assert_eq!(server.send(method, &bearer, "{}").0, 405, "{method}");
    }
    assert_eq!(
        client.call("list_memories", json!({})),
        "There is nothing saved."
    );
}
