//! A client that says exactly what a test wants it to, line by line, to a server that runs as people run it.

#![allow(dead_code, reason = "each test uses its part")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The program, on that file.
pub fn program(db: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keepmind-mcp"));
    command.arg("--db").arg(db);
    command
}

/// A server over stdio, and what it said that nobody has asked for yet.
pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    pub notified: Vec<Value>,
    next: u64,
}

impl Client {
    /// Starts a server and shakes hands.
    pub fn start(db: &Path, user: &str) -> Self {
        let mut client = Client::unshaken(db, user);
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let greeted = client.ask("initialize", hello);
        assert_eq!(
            greeted["result"]["serverInfo"]["name"], "keepmind",
            "{greeted}"
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    /// Starts a server.
    pub fn unshaken(db: &Path, user: &str) -> Self {
        let mut server = program(db)
            .args(["--user", user])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        Client {
            input: server.stdin.take(),
            output: BufReader::new(server.stdout.take().expect("its output")),
            server,
            notified: Vec::new(),
            next: 1,
        }
    }

    /// Says a line, whatever it is.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{line}").expect("the server listens");
    }

    /// Says a request, and which one it was.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request.to_string());
        id
    }

    /// The next message.
    pub fn heard(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server speaks");
        assert!(!line.is_empty(), "the server has gone");
        serde_json::from_str(&line).expect("it speaks JSON")
    }

    /// Asks, and waits for the answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        loop {
            let heard = self.heard();
            if heard["id"] == id {
                return heard;
            }
            self.notified.push(heard);
        }
    }

    /// Calls a tool: whether it was refused, and what it said.
    pub fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no result: {answer}"));
        (result["isError"] == true, text.to_owned())
    }

    /// What a resource holds.
    pub fn read(&mut self, uri: &str) -> String {
        let answer = self.ask("resources/read", json!({"uri": uri}));
        let text = answer["result"]["contents"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no contents: {answer}"))
            .to_owned()
    }

    /// Waits until it is told so, if it was not yet.
    pub fn wait_for(&mut self, method: &str) -> Value {
        loop {
            let mut told = self.notified.iter();
            if let Some(place) = told.position(|one| one["method"] == method) {
                return self.notified.remove(place);
            }
            let heard = self.heard();
            self.notified.push(heard);
        }
    }

    /// Leaves as clients do, and says whether the server ended in peace.
    pub fn leave(mut self) -> bool {
        self.input = None;
        self.server.wait().expect("the server ends").success()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        // One that does not end by itself has failed its test already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
