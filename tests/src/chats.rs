//! Chats in a test: what was said in them, and what happens while a model thinks about one.

use keepmind::testing::{Gate, Scripted, ScriptedModel};
use keepmind::{Closed, ModelRequest, Policy, Push, Result, SessionHandle, Task, UserMemory};
use serde_json::json;

use crate::host::until;

/// A chat in which the user said that.
pub async fn chat(user: &UserMemory, said: &str) -> SessionHandle {
    let session = user.open_session().await.expect("a chat");
    session.push(Push::user(said)).await.expect("a message");
    session
}

/// A turn: the user said that, and the assistant answered.
pub async fn turn(session: &SessionHandle, said: &str) {
    session.push(Push::user(said)).await.expect("a message");
    let answer = Push::assistant("I see.");
    session.push(answer).await.expect("a message");
}

/// A policy under which a long chat is learned from part by part.
pub fn short_transcripts() -> Policy {
    let mut policy = Policy::default();
    policy.extraction.transcript_tokens = 500;
    policy
}

/// A chat of forty messages, too long to be learned from at once where transcripts are short.
pub async fn long_chat(user: &UserMemory) -> SessionHandle {
    let session = user.open_session().await.expect("a chat");
    let words = "word ".repeat(100);
    for _ in 0..20 {
        turn(&session, &words).await;
    }
    session
}

/// What a model answers at a close that finds nothing to learn and sums the chat up like that.
pub fn recapped(recap: &str) -> String {
    json!({"ops": [], "recap": recap}).to_string()
}

/// The same, as a step of a script.
pub fn recaps(recap: &str) -> Scripted {
    Scripted::Answers(recapped(recap))
}

/// What a model was asked to do, in order.
pub fn tasks(model: &ScriptedModel) -> Vec<Task> {
    model.asked().iter().map(|asked| asked.task).collect()
}

/// What a model was asked to sum up.
pub fn summaries(model: &ScriptedModel) -> Vec<ModelRequest> {
    let asked = model.asked().into_iter();
    asked
        .filter(|asked| asked.task == Task::Summarise)
        .collect()
}

/// The messages that a model was to learn from, each time it was asked: without what came before them,
/// which it is shown only to understand them.
pub fn transcripts(model: &ScriptedModel) -> Vec<String> {
    let asked = model.asked().into_iter();
    asked
        .filter(|asked| asked.task == Task::Extract)
        .map(|asked| {
            // No line of a message begins like this: they are indented.
            let (_, transcript) = asked
                .prompt
                .split_once("\nTranscript:\n")
                .expect("a prompt");
            transcript.to_owned()
        })
        .collect()
}

/// Closes a chat, and does something else before the model gives its answer.
pub async fn closed_while<T>(
    session: &SessionHandle,
    model: &ScriptedModel,
    answer: &str,
    meanwhile: impl Future<Output = T>,
) -> (Result<Closed>, T) {
    let gate = Gate::closed();
    model.follow([Scripted::Waits(gate.clone(), answer.to_owned())]);
    let before = model.asked().len();
    let meanwhile = async {
        until(|| model.asked().len() > before).await;
        let done = meanwhile.await;
        gate.open();
        done
    };
    tokio::join!(session.close(), meanwhile)
}

/// Begins to close a chat, and goes away once the model was asked that often and does not answer.
pub async fn closed_half(session: &SessionHandle, model: &ScriptedModel, asked: usize) {
    let before = model.asked().len();
    tokio::select! {
        biased;
        _ = session.close() => unreachable!("the model never answers"),
        () = until(|| model.asked().len() == before + asked) => {}
    }
}
