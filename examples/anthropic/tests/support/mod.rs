//! A stand-in for the Messages API on this machine: it holds every request against what the API's documentation asks
//! for, answers what it is told to, and remembers what it was asked.

#![allow(dead_code, reason = "each test uses its part")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the server does with one request.
#[derive(Debug, Clone)]
pub enum Does {
    /// Answers with that status and body.
    Answers(u16, Value),
    /// Says how long its answer is, and breaks off before.
    BreaksOff(Value),
    /// Says that another address has the answer.
    SendsOn(String),
    Hangs,
}

/// The server.
pub struct Stub {
    pub url: String,
    pub asked: Arc<Mutex<Vec<Value>>>,
}

impl Stub {
    /// Answers one request after another; none after the last.
    pub fn start(script: Vec<Does>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let remembered = Arc::clone(&asked);
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for does in script {
                let Ok((mut stream, _)) = listener.accept() else {
                    return;
                };
                let (head, body) = request(&mut stream);
                let wrong = wrong(&head, &body);
                remembered.lock().unwrap().push(body);
                if let Some(wrong) = wrong {
                    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": wrong}});
                    answer(&mut stream, 400, 0, &error);
                    continue;
                }
                match does {
                    Does::Answers(status, body) => answer(&mut stream, status, 0, &body),
                    Does::BreaksOff(body) => answer(&mut stream, 200, 100, &body),
                    Does::SendsOn(url) => {
                        let head = format!(
                            "HTTP/1.1 302 Found\r\nlocation: {url}/v1/messages\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                        );
                        stream.write_all(head.as_bytes()).unwrap();
                    }
                    Does::Hangs => held.push(stream),
                }
            }
        });
        Stub { url, asked }
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

/// A message of the model's.
pub fn message(content: Value, stop_reason: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "small", "content": content,
        "stop_reason": stop_reason, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

/// The model says something.
pub fn says(text: &str) -> Does {
    Does::Answers(
        200,
        message(json!([{"type": "text", "text": text}]), "end_turn"),
    )
}

/// The model uses its memory tool.
pub fn uses(id: &str, input: Value) -> Does {
    let call = json!({"type": "tool_use", "id": id, "name": "memory", "input": input});
    Does::Answers(200, message(json!([call]), "tool_use"))
}

/// What the API would object to.
fn wrong(head: &str, body: &Value) -> Option<String> {
    let mut lines = head.lines();
    if lines.next() != Some("POST /v1/messages HTTP/1.1") {
        return Some("no such address".to_owned());
    }
    let head = head.to_ascii_lowercase();
    let wanted = [
        "x-api-key: a key",
        "anthropic-version: 2023-06-01",
        "content-type: application/json",
    ];
    if let Some(missing) = wanted
        .iter()
        .find(|wanted| !head.lines().any(|line| line == **wanted))
    {
        return Some(format!("{missing} is missing"));
    }
    let known = [
        "model",
        "max_tokens",
        "system",
        "messages",
        "tools",
        "output_config",
    ];
    let fields = body.as_object()?;
    if let Some(other) = fields.keys().find(|field| !known.contains(&field.as_str())) {
        return Some(format!("{other} is not permitted"));
    }
    if !body["model"].is_string() || !body["max_tokens"].is_u64() {
        return Some("model and max_tokens are required".to_owned());
    }
    let messages = body["messages"]
        .as_array()
        .filter(|messages| !messages.is_empty())?;
    let mut waiting: Vec<&Value> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        if message["role"] != ["user", "assistant"][place % 2] {
            return Some("roles must alternate, beginning with the user".to_owned());
        }
        let blocks = message["content"].as_array().into_iter().flatten();
        let results: Vec<&Value> = blocks
            .clone()
            .filter(|block| block["type"] == "tool_result")
            .map(|block| &block["tool_use_id"])
            .collect();
        if results != waiting {
            return Some("every tool_use needs its tool_result in the next message".to_owned());
        }
        let uses = blocks.filter(|block| block["type"] == "tool_use");
        waiting = uses.map(|block| &block["id"]).collect();
    }
    None
}

fn request(stream: &mut TcpStream) -> (String, Value) {
    let mut read = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let line = line.to_ascii_lowercase();
                let length = line.strip_prefix("content-length:")?;
                length.trim().parse::<usize>().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return (
                    head.to_owned(),
                    serde_json::from_str(body).unwrap_or_default(),
                );
            }
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return Default::default(),
            Ok(count) => read.extend_from_slice(&chunk[..count]),
        }
    }
}

fn answer(stream: &mut TcpStream, status: u16, more: usize, body: &Value) {
    let body = body.to_string();
    let length = body.len() + more;
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    // Whoever asked may be gone.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body.as_bytes()));
}
