//! What the embedder makes of a model that the test makes.

#[path = "tiny/by_hand.rs"]
mod by_hand;
mod tiny;

use std::sync::Arc;
use std::time::Duration;

use keepmind::command::{Recall, RecallBy};
use keepmind::{Embedder, InMemoryStore, Keepmind};
use keepmind_minilm::MiniLmEmbedder;
use serde_json::json;
use tiny::{HIDDEN, put};

fn load(folder: &tempfile::TempDir) -> MiniLmEmbedder {
    MiniLmEmbedder::load(folder.path()).expect("it loads")
}

async fn one(embedder: &MiniLmEmbedder, text: &str) -> Vec<f32> {
    let vectors = embedder.embed(&[text]).await.expect("a vector");
    assert_eq!(vectors.len(), 1);
    vectors.into_iter().next().expect("one")
}

fn near(left: &[f32], right: &[f32]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .all(|(one, other)| (one - other).abs() < 1e-5)
}

#[tokio::test]
async fn vectors_are_what_the_arithmetic_gives() {
    let folder = tiny::folder();
    let embedder = load(&folder);
    assert_eq!(embedder.dimensions(), HIDDEN);
    let cases: [(&str, &[usize]); 6] = [
        ("The CAT sleeps", &[2, 4, 5, 8, 3]),
        ("kitten", &[2, 10, 9, 3]),
        ("", &[2, 3]),
        ("🦓 car", &[2, 1, 6, 3]),
        (
            "the car drives the car drives the car",
            &[2, 4, 6, 7, 4, 6, 7, 4, 6, 3],
        ),
        // Longer than its twelve positions: cut, and the mark of the end stays.
        (
            &"cat car ".repeat(500),
            &[2, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 3],
        ),
    ];
    let tensors = tiny::tensors();
    // Together, so that most are filled up, and alone.
    let together = embedder
        .embed(&cases.map(|(text, _)| text))
        .await
        .expect("vectors");
    for ((text, tokens), together) in cases.into_iter().zip(together) {
        let wanted: Vec<f32> = by_hand::vector(&tensors, tokens)
            .iter()
            .map(|number| *number as f32)
            .collect();
        assert!(
            near(&together, &wanted),
            "{text:.30}: {together:?}, not {wanted:?}"
        );
        assert!(near(&one(&embedder, text).await, &wanted), "{text:.30}");
        let length: f32 = together.iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
    assert!(embedder.embed(&[]).await.expect("none").is_empty());
}

#[tokio::test]
async fn texts_are_cut_where_the_settings_say() {
    let folder = tiny::folder();
    put(
        folder.path(),
        "sentence_bert_config.json",
        r#"{"max_seq_length": 4, "do_lower_case": false}"#,
    );
    let short = load(&folder);
    assert_eq!(
        one(&short, "the cat sleeps").await,
        one(&short, "the cat").await
    );
    // No further than there are positions.
    put(
        folder.path(),
        "sentence_bert_config.json",
        r#"{"max_seq_length": 4000}"#,
    );
    let long = load(&folder);
    assert_ne!(
        one(&long, "the cat sleeps").await,
        one(&long, "the cat").await
    );
    one(&long, &"cat ".repeat(100)).await;
    assert_ne!(short.id(), long.id());
}

#[tokio::test]
async fn a_model_inside_a_larger_one_is_found() {
    let folder = tiny::folder();
    let plain = one(&load(&folder), "the cat").await;
    let inside = tiny::tensors()
        .into_iter()
        .map(|(name, tensor)| (format!("bert.{name}"), tensor));
    let mut tensors: tiny::Tensors = inside.collect();
    tensors.insert(
        "cls.seq_relationship.bias".to_owned(),
        (vec![2], vec![0.0, 1.0]),
    );
    put(folder.path(), "model.safetensors", tiny::weights(&tensors));
    assert_eq!(one(&load(&folder), "the cat").await, plain);
}

#[test]
fn another_model_has_another_name() {
    let folder = tiny::folder();
    let id = load(&folder).id().to_owned();
    assert!(id.starts_with("minilm-8-"), "{id}");
    assert_eq!(load(&folder).id(), id);
    let mut ids = vec![id.clone()];
    let mut changed = tiny::tensors();
    changed.values_mut().next().expect("a tensor").1[0] += 0.5;
    put(folder.path(), "model.safetensors", tiny::weights(&changed));
    ids.push(load(&folder).id().to_owned());
    let mut config = tiny::config();
    config["num_attention_heads"] = json!(4);
    put(folder.path(), "config.json", config.to_string());
    ids.push(load(&folder).id().to_owned());
    // What changes no vector changes no name.
    config["transformers_version"] = json!("9.9.9");
    put(folder.path(), "config.json", config.to_string());
    assert_eq!(load(&folder).id(), ids[2]);
    put(
        folder.path(),
        "tokenizer.json",
        tiny::tokenizer().to_string() + "\n",
    );
    ids.push(load(&folder).id().to_owned());
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4, "{ids:?}");
    assert!(format!("{:?}", load(&folder)).contains("minilm-8-"));
}

/// A future that is polled by nobody's runtime.
#[test]
fn no_runtime_is_needed() {
    let folder = tiny::folder();
    let embedder = load(&folder);
    let mut answer = embedder.embed(&["the cat"]);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let answered = answer.as_mut().poll(&mut context);
    assert!(matches!(answered, std::task::Poll::Ready(Ok(vectors)) if vectors.len() == 1));
}

#[tokio::test]
async fn who_no_longer_waits_is_not_worked_for() {
    let folder = tiny::folder();
    let embedder = load(&folder);
    let text = "cat ".repeat(20);
    let many = vec![text.as_str(); 100_000];
    let late = tokio::time::timeout(Duration::ZERO, embedder.embed(&many)).await;
    assert!(late.is_err());
    // It answers others meanwhile, and ends soon: the runtime waits for it when it is dropped.
    assert_eq!(one(&embedder, "the cat").await.len(), HIDDEN);
}

#[tokio::test]
async fn memories_are_found_by_what_they_mean() {
    let folder = tiny::folder();
    let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .embedder(Arc::new(load(&folder)))
        .build()
        .expect("an engine");
    let alice = keepmind.user("alice").expect("a user");
    for content in ["The cat sleeps", "Drives a car"] {
        alice.save(content).await.expect("it is kept");
    }
    let mut recall = Recall::new("the cat sleeps");
    recall.by = RecallBy::Meaning;
    let found = alice.recall(recall).await.expect("hits");
    assert_eq!(found[0].row.body.claim.content, "The cat sleeps");
}
