//! Against a server that misbehaves: memory degrades, the chat goes on, and a later try learns.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use keepmind::{
    Closing, InMemoryStore, Keepmind, Layer, Model, ModelRequest, Patience, Push, Task,
};
use keepmind_example_openai::OpenAi;
use serde_json::{Value, json};

/// What the server does with one request.
#[derive(Debug, Clone)]
enum Does {
    Answers(u16, String),
    /// Says how long its answer is, and breaks off before.
    BreaksOff(String),
    Hangs,
}

/// A server on this machine that does what it is told, and remembers what it was asked.
struct Stub {
    url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Stub {
    fn start(script: Vec<Does>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let remembered = Arc::clone(&asked);
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for does in script {
                let Ok((mut stream, _)) = listener.accept() else {
                    return;
                };
                remembered.lock().unwrap().push(request(&mut stream));
                match does {
                    Does::Answers(status, body) => answer(&mut stream, status, body.len(), &body),
                    Does::BreaksOff(body) => answer(&mut stream, 200, body.len() + 100, &body),
                    Does::Hangs => held.push(stream),
                }
            }
        });
        Stub { url, asked }
    }
}

fn request(stream: &mut TcpStream) -> Value {
    let mut read = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length:")
                        .map(|n| n.trim().parse().unwrap())
                })
                .unwrap_or(0);
            if body.len() >= length {
                return serde_json::from_str(body).unwrap_or_default();
            }
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return Value::Null,
            Ok(count) => read.extend_from_slice(&chunk[..count]),
        }
    }
}

fn answer(stream: &mut TcpStream, status: u16, length: usize, body: &str) {
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    // Whoever asked may be gone.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body.as_bytes()));
}

fn said(content: &str) -> String {
    json!({"choices": [{"message": {"role": "assistant", "content": content}}]}).to_string()
}

fn learned() -> String {
    let operation = json!({
        "op": "add", "content": "User plays the cello", "quote": "I play the cello", "confidence": 0.9,
    });
    said(&json!({"ops": [operation]}).to_string())
}

fn keepmind(stub: &Stub) -> Keepmind {
    let model = OpenAi::new(&stub.url).unwrap().key("a key").named("small");
    let patience = Patience::default()
        .model(Duration::from_millis(500))
        .retries(0, Duration::ZERO);
    Keepmind::builder(Arc::new(InMemoryStore::new()))
        .model(Arc::new(model))
        .patience(patience)
        .build()
        .unwrap()
}

#[tokio::test]
async fn whatever_the_server_does_nothing_is_lost() {
    for broken in [
        Does::Answers(500, "{}".to_owned()),
        Does::Answers(200, learned()[..60].to_owned()),
        Does::Answers(200, json!({"choices": 7}).to_string()),
        Does::Answers(200, said("sorry, I cannot do that")),
        Does::BreaksOff(learned()),
        Does::Hangs,
    ] {
        let stub = Stub::start(vec![broken.clone(), Does::Answers(200, learned())]);
        let keepmind = keepmind(&stub);
        let alice = keepmind.user("alice").unwrap();
        let session = alice.open_session().await.unwrap();
        session.push(Push::user("I play the cello")).await.unwrap();
        let closed = session.close().await.unwrap();
        assert_eq!(closed.closing, Closing::Learned, "{broken:?}: {closed:?}");
        let rows = alice.list(Default::default()).await.unwrap().rows;
        let mut facts = rows
            .iter()
            .filter(|row| row.body.claim.layer == Layer::Fact);
        assert!(
            facts.next().is_some() && facts.next().is_none(),
            "{broken:?}"
        );
        assert_eq!(stub.asked.lock().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_server_that_never_works_leaves_the_chat_idle() {
    let fails = Does::Answers(503, String::new());
    let stub = Stub::start(vec![fails.clone(), fails]);
    let keepmind = keepmind(&stub);
    let session = keepmind
        .user("alice")
        .unwrap()
        .open_session()
        .await
        .unwrap();
    session.push(Push::user("I play the cello")).await.unwrap();
    let closed = session.close().await.unwrap();
    assert_eq!(closed.closing, Closing::Deferred);
    assert!(closed.failure.unwrap().message.contains("503"));
    assert!(closed.retry_at.is_some());
}

#[tokio::test]
async fn a_server_without_schemas_is_asked_without_one() {
    let stub = Stub::start(vec![
        Does::Answers(400, "no response_format".to_owned()),
        Does::Answers(200, said("first")),
        Does::Answers(200, said("second")),
    ]);
    let model = OpenAi::new(format!("{}/", stub.url)).unwrap();
    let mut request = ModelRequest::new(Task::Extract, "be brief", "hello");
    request.schema = Some(json!({"type": "object"}));
    assert_eq!(model.complete(&request).await.unwrap(), "first");
    assert_eq!(model.complete(&request).await.unwrap(), "second");
    let asked = stub.asked.lock().unwrap();
    let has_schema: Vec<bool> = asked
        .iter()
        .map(|one| one["response_format"].is_object())
        .collect();
    assert_eq!(has_schema, [true, false, false]);
    assert_eq!(asked[0]["messages"][0]["content"], "be brief");
}

#[test]
fn addresses_that_are_none_are_refused_and_keys_are_not_shown() {
    for url in ["", "localhost:8080", "ftp://x", "http://a b"] {
        assert!(OpenAi::new(url).is_err(), "{url}");
    }
    let model = OpenAi::new("http://127.0.0.1:1/v1").unwrap().key("hush");
    assert!(!format!("{model:?}").contains("hush"));
}
