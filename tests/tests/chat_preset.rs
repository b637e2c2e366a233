//! The chat preset, as its document promises it, as far as learning goes.

use std::sync::Arc;

use async_trait::async_trait;
use keepmind::testing::ScriptedModel;
use keepmind::{Code, Embedder, Fate, InMemoryStore, PlugError, Policy, Push, SessionHandle};
use keepmind_tests::answers::{add, answer, answers, update, with};
use keepmind_tests::host::{Host, asked_once, on_every_store_with, until};
use serde_json::Value;

/// A turn of the chat, learned from.
async fn turn(session: &SessionHandle, model: &ScriptedModel, said: &str) {
    let before = model.asked().len();
    session.push(Push::user(said)).await.unwrap();
    session.push(Push::assistant("I see.")).await.unwrap();
    until(|| model.asked().len() > before).await;
}

async fn named_chat(host: &Host) -> SessionHandle {
    let session = host.alice().open_session().await.unwrap();
    session.rename("A chat").await.unwrap();
    session
}

fn sure(content: &str, quote: &str, confidence: f64, importance: f64) -> Value {
    let operation = with(add(content, quote), "confidence", confidence);
    with(operation, "importance", importance)
}

#[tokio::test]
async fn only_what_is_sure_and_matters_is_kept() {
    let script = answer([
        sure(
            "User is considering Rust",
            "I'm thinking about trying Rust",
            0.5,
            0.8,
        ),
        sure("User saw a film", "I saw a film", 0.9, 0.3),
        sure("User prefers TypeScript", "I prefer TypeScript", 0.9, 0.8),
        add("User works from Porto", "I work from Porto"),
    ]);
    let model = move || answers([script.clone(), answer([])]);
    on_every_store_with(Policy::chat(), model, async |host, model| {
        let session = named_chat(host).await;
        let said =
            "I'm thinking about trying Rust. I saw a film. I prefer TypeScript. I work from Porto.";
        turn(&session, model, said).await;
        session.close().await.unwrap();
        let live = host.live(&host.alice()).await;
        assert_eq!(live, ["User prefers TypeScript", "User works from Porto"]);
    })
    .await;
}

#[tokio::test]
async fn identity_is_in_the_prompt_and_the_rest_is_recalled() {
    let script = answer([
        with(
            add("User's name is Jona", "I'm Jona"),
            "category",
            "identity",
        ),
        with(
            add("User knows Haskell", "I know Haskell"),
            "category",
            "project",
        ),
    ]);
    let model = move || answers([script.clone(), answer([])]);
    on_every_store_with(Policy::chat(), model, async |host, model| {
        let session = named_chat(host).await;
        turn(&session, model, "Hi, I'm Jona and I know Haskell").await;
        session.close().await.unwrap();
        let alice = host.alice();
        let block = alice.open_session().await.unwrap().block().await.unwrap();
        assert!(
            block.contains("Jona") && !block.contains("Haskell"),
            "{block}"
        );
        assert_eq!(alice.recall("Haskell").await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn the_last_messages_are_its_context_and_nothing_is_learned_twice() {
    let model = || answers([answer([])]);
    on_every_store_with(Policy::chat(), model, async |host, model| {
        let session = named_chat(host).await;
        for number in 0..8 {
            turn(&session, model, &format!("message number {number}")).await;
        }
        session.close().await.unwrap();
        let last = model.asked().last().unwrap().prompt.clone();
        let (_, shown) = last.split_once("Said before").unwrap();
        let (context, transcript) = shown.split_once("Transcript:").unwrap();
        assert!(
            transcript.contains("message number 7") && !transcript.contains("number 6"),
            "{last}"
        );
        assert!(
            context.contains("message number 6") && context.contains("message number 2"),
            "{last}"
        );
        assert!(
            !context.contains("message number 1"),
            "ten messages, and no more: {last}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_new_version_supersedes_the_old_one() {
    let script = [
        answer([add(
            "User's favourite editor is Vim",
            "my favourite editor is Vim",
        )]),
        answer([update(
            1,
            "User's favourite editor is Helix",
            "my favourite editor is Helix",
        )]),
        answer([]),
    ];
    let model = move || answers(script.clone());
    on_every_store_with(Policy::chat(), model, async |host, model| {
        let session = named_chat(host).await;
        turn(&session, model, "my favourite editor is Vim").await;
        turn(&session, model, "my favourite editor is Helix").await;
        session.close().await.unwrap();
        let rows = host.alice().history("#1").await.unwrap().rows;
        assert_eq!(rows.len(), 2);
        let ended = rows.iter().find(|row| !row.is_open()).unwrap();
        assert!(
            ended.end.unwrap().why.successor().is_some(),
            "the old names the new"
        );
    })
    .await;
}

#[tokio::test]
async fn a_memory_that_fails_never_fails_the_chat() {
    on_every_store_with(
        Policy::chat(),
        ScriptedModel::failing,
        async |host, model| {
            let session = named_chat(host).await;
            turn(&session, model, "I prefer TypeScript").await;
            let view = session.view().await.unwrap();
            assert_eq!(view.messages.len(), 2);
        },
    )
    .await;
}

/// Says that two phrases mean the same.
#[derive(Debug)]
struct Synonyms;

#[async_trait]
impl Embedder for Synonyms {
    fn id(&self) -> &str {
        "synonyms"
    }

    fn dimensions(&self) -> usize {
        2
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError> {
        let is_dark = |text: &str| text.contains("dark") || text.contains("night");
        let vector = |text: &&str| match is_dark(text) {
            true => vec![1.0, 0.0],
            false => vec![0.0, 1.0],
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[tokio::test]
async fn what_means_the_same_is_known_by_its_vector() {
    let script = [
        answer([add("User prefers a dark theme", "I prefer a dark theme")]),
        answer([
            add("User wants night colours", "I want night colours"),
            add("User never wants night colours", "I want night colours"),
        ]),
    ];
    let model = Arc::new(answers(script));
    let plugged = model.clone();
    let host = Host::on(
        Arc::new(InMemoryStore::new()),
        Policy::default(),
        |builder| {
            let builder = builder.model(plugged).patience(asked_once());
            builder.embedder(Arc::new(Synonyms))
        },
    );
    let alice = host.alice();
    for said in ["I prefer a dark theme", "I want night colours"] {
        let session = alice.open_session().await.unwrap();
        session.push(Push::user(said)).await.unwrap();
        let report = session.close().await.unwrap().report;
        if said.contains("night") {
            assert_eq!(report.lessons[0].fate, Fate::Skipped, "{report:?}");
            assert_eq!(
                report.lessons[1].codes,
                [Code::UnsupportedDetail],
                "{report:?}"
            );
        }
    }
    assert_eq!(host.live(&alice).await, ["User prefers a dark theme"]);
}
