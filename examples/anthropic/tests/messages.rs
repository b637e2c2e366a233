//! The Messages API as a model: what it is asked, and what becomes of a chat when it misbehaves.

mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use keepmind::command::Save;
use keepmind::{
    Closing, InMemoryStore, Keepmind, Layer, Model, ModelRequest, Patience, Push, Task,
};
use keepmind_example_anthropic::{Anthropic, Assistant};
use serde_json::{Value, json};
use support::{Does, Stub, message, says, uses};

fn model(stub: &Stub) -> Anthropic {
    Anthropic::new(&stub.url, "a key", "small").unwrap()
}

fn keepmind(stub: &Stub) -> Keepmind {
    let patience = Patience::default()
        .model(Duration::from_millis(500))
        .retries(0, Duration::ZERO);
    Keepmind::builder(Arc::new(InMemoryStore::new()))
        .model(Arc::new(model(stub)))
        .patience(patience)
        .build()
        .unwrap()
}

fn learned() -> Does {
    let operation = json!({
        "op": "add", "content": "User plays the cello", "quote": "I play the cello", "confidence": 0.9,
    });
    says(&json!({"ops": [operation]}).to_string())
}

fn text(content: &str) -> Value {
    json!([{"type": "text", "text": content}])
}

#[tokio::test]
async fn whatever_the_server_does_nothing_is_lost() {
    let error =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    for broken in [
        Does::Answers(500, json!({})),
        Does::Answers(529, error.clone()),
        Does::Answers(200, error),
        Does::Answers(200, json!({"type": "message", "content": 7})),
        Does::Answers(200, message(text("sorry, I cannot do that"), "end_turn")),
        Does::Answers(200, message(text(r#"{"ops": [{"op": "add"#), "max_tokens")),
        Does::Answers(200, message(json!([]), "refusal")),
        Does::BreaksOff(message(text("{}"), "end_turn")),
        Does::Hangs,
    ] {
        let stub = Stub::start(vec![broken.clone(), learned()]);
        let keepmind = keepmind(&stub);
        let alice = keepmind.user("alice").unwrap();
        let session = alice.open_session().await.unwrap();
        session.push(Push::user("I play the cello")).await.unwrap();
        let closed = session.close().await.unwrap();
        assert_eq!(closed.closing, Closing::Learned, "{broken:?}: {closed:?}");
        let rows = alice.list(Default::default()).await.unwrap().rows;
        let facts = rows
            .iter()
            .filter(|row| row.body.claim.layer == Layer::Fact);
        assert_eq!(facts.count(), 1, "{broken:?}");
        assert_eq!(stub.asked().len(), 2);
    }
}

#[test]
fn the_program_talks_and_keeps_a_file() {
    // The library asks as well, in between and as often as it likes.
    let stub = Stub::start(vec![says("Noted."); 20]);
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_keepmind-example-anthropic"))
            .args(arguments)
            .current_dir(folder.path())
            .env("ANTHROPIC_API_KEY", "a key")
            .env("ANTHROPIC_BASE_URL", &stub.url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = program.stdin.take().unwrap();
        // Whoever was called wrongly does not listen.
        let _ = said.write_all(b"I keep bees, and I play the cello\n");
        drop(said);
        program.wait_with_output().unwrap()
    };
    let talked = run(&["small"]);
    let shown = String::from_utf8(talked.stdout).unwrap();
    assert!(talked.status.success(), "{shown}");
    for part in ["Noted.", "From this chat: "] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(folder.path().join("memory.db").exists());
    assert_eq!(run(&[]).status.code(), Some(2));
}

#[tokio::test]
async fn nobody_else_is_sent_the_key() {
    let other = Stub::start(vec![says("hello")]);
    let stub = Stub::start(vec![Does::SendsOn(other.url.clone())]);
    let request = ModelRequest::new(Task::Extract, "be brief", "hello");
    assert!(model(&stub).complete(&request).await.is_err());
    assert_eq!((stub.asked().len(), other.asked().len()), (1, 0));
}

#[tokio::test]
async fn what_was_withdrawn_leaves_the_prompt_at_once() {
    let stub = Stub::start(vec![says("Hello."), says("Fine.")]);
    let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .build()
        .unwrap();
    let alice = keepmind.user("alice").unwrap();
    let mut fact = Save::new("User eats no fish");
    fact.domain = Some("food".to_owned());
    alice.save(fact).await.unwrap();
    let mut assistant = Assistant::open(model(&stub), &keepmind, &alice)
        .await
        .unwrap();
    assistant.say("Hi!").await.unwrap();
    alice.consent("food", false).await.unwrap();
    assistant.say("How are you?").await.unwrap();
    let told: Vec<bool> = stub
        .asked()
        .iter()
        .map(|asked| asked["system"].to_string().contains("fish"))
        .collect();
    assert_eq!(told, [true, false]);
}

#[tokio::test]
async fn a_model_without_schemas_is_asked_without_one() {
    let stub = Stub::start(vec![
        Does::Answers(
            400,
            json!({"type": "error", "error": {"type": "invalid_request_error",
                "message": "output_config.format: this model does not support structured outputs"}}),
        ),
        says("first"),
        says("second"),
    ]);
    let model = Anthropic::new(format!("{}/", stub.url), "a key", "small").unwrap();
    let mut request = ModelRequest::new(Task::Extract, "be brief", "hello");
    request.schema = Some(json!({"type": "object"}));
    assert_eq!(model.complete(&request).await.unwrap(), "first");
    assert_eq!(model.complete(&request).await.unwrap(), "second");
    let asked = stub.asked();
    let has_schema = |one: &Value| one["output_config"]["format"]["type"] == "json_schema";
    assert_eq!(
        asked.iter().map(has_schema).collect::<Vec<_>>(),
        [true, false, false]
    );
    assert_eq!(asked[0]["system"], "be brief");
    assert_eq!(
        asked[0]["messages"],
        json!([{"role": "user", "content": "hello"}])
    );
}

#[tokio::test]
async fn a_request_that_is_refused_for_something_else_keeps_its_schema() {
    let long = "prompt is too long: 210000 tokens > 200000 maximum";
    let stub = Stub::start(vec![
        Does::Answers(
            400,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": long}}),
        ),
        says("second"),
    ]);
    let model = model(&stub);
    let mut request = ModelRequest::new(Task::Extract, "be brief", "hello");
    request.schema = Some(json!({"type": "object"}));
    assert!(!model.complete(&request).await.unwrap_err().retryable);
    assert_eq!(model.complete(&request).await.unwrap(), "second");
    let asked = stub.asked();
    assert!(asked.iter().all(|one| one["output_config"].is_object()));
}

#[tokio::test]
async fn a_message_that_was_cut_is_neither_an_answer_nor_run() {
    let input =
        json!({"command": "create", "path": "/memories/fact.md", "file_text": "- Sails\n- Is al"});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "memory", "input": input});
    for (stop, why) in [
        ("max_tokens", "cut"),
        ("model_context_window_exceeded", "cut"),
        ("refusal", "declined"),
    ] {
        for content in [json!([call.clone()]), text("You sail, and")] {
            let stub = Stub::start(vec![
                Does::Answers(200, message(content, stop)),
                says("You sail."),
            ]);
            let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
                .build()
                .unwrap();
            let alice = keepmind.user("alice").unwrap();
            let mut assistant = Assistant::open(model(&stub), &keepmind, &alice)
                .await
                .unwrap();
            let error = assistant.say("What do I do?").await.unwrap_err();
            assert!(error.to_string().contains(why), "{stop}: {error}");
            let spoken = assistant.say("What do I do?").await.unwrap();
            assert_eq!(
                (spoken.text.as_str(), spoken.events.len()),
                ("You sail.", 0)
            );
            let rows = alice.list(Default::default()).await.unwrap().rows;
            assert!(rows.is_empty(), "{stop}");
        }
    }
}

#[tokio::test]
async fn a_chat_uses_its_memory_tool_and_is_learned_from() {
    let stub = Stub::start(vec![
        uses("toolu_1", json!({"command": "view", "path": "/memories"})),
        uses(
            "toolu_2",
            json!({"command": "create", "path": "/memories/preference.md",
            "file_text": "- Only flies by day\n"}),
        ),
        says("Noted."),
    ]);
    // The library asks by itself: what the chat is called, what is to be learned from it.
    let library = Stub::start(vec![learned(); 4]);
    let keepmind = keepmind(&library);
    let alice = keepmind.user("alice").unwrap();
    let mut assistant = Assistant::open(model(&stub), &keepmind, &alice)
        .await
        .unwrap();
    let spoken = assistant
        .say("I only fly by day, and I play the cello.")
        .await
        .unwrap();
    assert_eq!(spoken.text, "Noted.");
    assert_eq!(spoken.events.len(), 1);
    assert_eq!(spoken.events[0].line, "Saved #1: Only flies by day");
    let asked = stub.asked();
    assert_eq!(
        asked[0]["tools"],
        json!([{"type": "memory_20250818", "name": "memory"}])
    );
    let listed = asked[1]["messages"][2]["content"][0].clone();
    assert_eq!(listed["is_error"], false);
    assert!(
        listed["content"]
            .as_str()
            .unwrap()
            .contains("preference.md"),
        "{listed}"
    );

    let closed = assistant.close().await.unwrap();
    assert_eq!(closed.closing, Closing::Learned);
    let rows = alice.list(Default::default()).await.unwrap().rows;
    assert!(
        rows.iter()
            .any(|row| row.body.claim.content == "User plays the cello"),
        "{closed:?}"
    );

    // What the next chat begins with.
    let stub = Stub::start(vec![Does::Answers(503, json!({})), says("By day.")]);
    let mut assistant = Assistant::open(model(&stub), &keepmind, &alice)
        .await
        .unwrap();
    assert!(assistant.say("When do I fly?").await.is_err());
    let spoken = assistant.say("When do I fly?").await.unwrap();
    assert_eq!(spoken.text, "By day.");
    let asked = stub.asked();
    assert!(
        asked[1]["system"]
            .as_str()
            .unwrap()
            .contains("Only flies by day"),
        "{}",
        asked[1]
    );
    assert_eq!(
        asked[1]["messages"].as_array().unwrap().len(),
        1,
        "what failed is said once"
    );
}

#[tokio::test]
async fn what_was_written_before_the_server_failed_is_told() {
    let create = json!({"command": "create", "path": "/memories/fact.md", "file_text": "Sails"});
    let stub = Stub::start(vec![
        uses("toolu_1", create.clone()),
        Does::Answers(529, json!({})),
        uses("toolu_2", create),
        says("Noted."),
    ]);
    let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .build()
        .unwrap();
    let alice = keepmind.user("alice").unwrap();
    let mut assistant = Assistant::open(model(&stub), &keepmind, &alice)
        .await
        .unwrap();
    assert!(assistant.say("I sail").await.is_err());
    let spoken = assistant.say("I sail").await.unwrap();
    assert_eq!(spoken.events.len(), 1);
    alice.undo(spoken.events[0].undo.unwrap()).await.unwrap();
    assert!(
        alice
            .list(Default::default())
            .await
            .unwrap()
            .rows
            .is_empty()
    );
}

#[tokio::test]
async fn a_model_that_never_stops_calling_is_stopped() {
    let view = json!({"command": "view", "path": "/memories"});
    let script = (0..20).map(|call| uses(&format!("toolu_{call}"), view.clone()));
    let stub = Stub::start(script.collect());
    let library = Stub::start(vec![learned(); 4]);
    let keepmind = keepmind(&library);
    let alice = keepmind.user("alice").unwrap();
    let mut assistant = Assistant::open(model(&stub), &keepmind, &alice)
        .await
        .unwrap();
    assert!(assistant.say("Hello").await.is_err());
    assert_eq!(stub.asked().len(), 12);
}

#[test]
fn addresses_that_are_none_are_refused_and_keys_are_not_shown() {
    for url in ["", "localhost:8080", "ftp://x", "http://a b"] {
        assert!(Anthropic::new(url, "hush", "small").is_err(), "{url}");
    }
    let model = Anthropic::new("http://127.0.0.1:1", "hush", "small").unwrap();
    assert!(!format!("{model:?}").contains("hush"));
}
