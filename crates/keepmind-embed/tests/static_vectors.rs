//! Static token vectors from files that the test makes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use keepmind::command::{Recall, RecallBy};
use keepmind::{Embedder, InMemoryStore, Keepmind};
use keepmind_embed::{LoadError, StaticEmbedder};
use safetensors::Dtype;
use safetensors::tensor::{TensorView, serialize};

const WORDS: [&str; 6] = ["[UNK]", "cat", "kitten", "car", "lorry", "the"];

fn table() -> Vec<f32> {
    [
        [9.0, 9.0],
        [1.0, 0.1],
        [0.9, 0.2],
        [0.1, 1.0],
        [0.2, 0.9],
        [0.0, 0.0],
    ]
    .concat()
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn weights(tensors: &[(&str, Dtype, Vec<usize>, Vec<u8>)]) -> Vec<u8> {
    let views: HashMap<String, TensorView<'_>> = tensors
        .iter()
        .map(|(name, dtype, shape, data)| {
            let view = TensorView::new(*dtype, shape.clone(), data).expect("a tensor");
            ((*name).to_owned(), view)
        })
        .collect();
    serialize(&views, None).expect("a file of tensors")
}

fn tokenizer() -> String {
    let vocabulary: Vec<String> = WORDS
        .iter()
        .enumerate()
        .map(|(place, word)| format!("\"{word}\": {place}"))
        .collect();
    format!(
        r#"{{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": {{"type": "Lowercase"}}, "pre_tokenizer": {{"type": "Whitespace"}},
            "post_processor": null, "decoder": null,
            "model": {{"type": "WordLevel", "vocab": {{{}}}, "unk_token": "[UNK]"}}}}"#,
        vocabulary.join(", ")
    )
}

fn write(folder: &Path, weights: &[u8]) {
    fs::write(folder.join("model.safetensors"), weights).expect("weights are written");
    fs::write(folder.join("tokenizer.json"), tokenizer()).expect("a tokenizer is written");
}

fn plain() -> Vec<u8> {
    weights(&[("embeddings", Dtype::F32, vec![6, 2], bytes(&table()))])
}

fn near(left: &[f32], right: &[f32]) -> bool {
    left.iter()
        .zip(right)
        .all(|(one, other)| (one - other).abs() < 1e-6)
}

#[test]
fn a_text_is_the_mean_of_its_tokens_at_unit_length() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &plain());
    let embedder = StaticEmbedder::load(folder.path()).expect("it loads");
    assert_eq!(embedder.dimensions(), 2);
    let vector = embedder.vector("Cat kitten").expect("a vector");
    let length = (1.9_f32.powi(2) + 0.3_f32.powi(2)).sqrt();
    assert!(near(&vector, &[1.9 / length, 0.3 / length]), "{vector:?}");
    // What is not known says nothing; a text of nothing else still has a vector.
    assert_eq!(
        embedder.vector("cat zebra").ok(),
        embedder.vector("cat").ok()
    );
    for nothing in ["", "zebra", "the", "🦓"] {
        let vector = embedder.vector(nothing).expect("a vector");
        let length: f32 = vector.iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-5, "{nothing}: {vector:?}");
    }
    let long = embedder.vector(&"cat ".repeat(1 << 20)).expect("a vector");
    assert!(near(&long, &embedder.vector("cat").expect("a vector")));
}

#[test]
fn what_a_tokenizer_says_of_a_models_input_does_not_concern_it() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &plain());
    let pair = r#""post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}], "special_tokens": {}}"#;
    let asking = tokenizer().replace(r#""post_processor": null"#, pair);
    fs::write(folder.path().join("tokenizer.json"), asking).expect("written");
    let embedder = StaticEmbedder::load(folder.path()).expect("it loads");
    let vector = embedder.vector("cat").expect("a vector");
    assert!(near(&vector, &[0.995_037_2, 0.099_503_72]), "{vector:?}");
}

#[test]
fn words_add_what_they_are_and_unknown_scripts_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &plain());
    let embedder = StaticEmbedder::load(folder.path()).expect("it loads");
    let words = embedder.word_vectors(&["Cat", "zebra", ""]).expect("words");
    assert!(near(&words[0], &[1.0, 0.1]), "{words:?}");
    assert_eq!(words[1..], [[0.0, 0.0], [0.0, 0.0]]);
    assert!(embedder.vector("我喜欢猫").expect("none").is_empty());
    assert!(!embedder.vector("我 cat").expect("one").is_empty());
}

#[test]
fn rows_may_be_shared_and_weighed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mapping: Vec<u8> = [0_i64, 0, 0, 1, 1, 0]
        .iter()
        .flat_map(|row| row.to_le_bytes())
        .collect();
    let tensors = [
        (
            "embeddings",
            Dtype::F32,
            vec![2, 2],
            bytes(&[1.0, 0.0, 0.0, 1.0]),
        ),
        ("mapping", Dtype::I64, vec![6], mapping),
        (
            "weights",
            Dtype::F32,
            vec![6],
            bytes(&[1.0, 3.0, 1.0, 4.0, 1.0, 0.0]),
        ),
    ];
    write(folder.path(), &weights(&tensors));
    let embedder = StaticEmbedder::load(folder.path()).expect("it loads");
    let vector = embedder.vector("cat car").expect("a vector");
    assert!(near(&vector, &[0.6, 0.8]), "{vector:?}");
}

#[test]
fn other_weights_have_another_name() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &plain());
    let one = StaticEmbedder::load(folder.path()).expect("it loads");
    let again = StaticEmbedder::load(folder.path()).expect("it loads");
    assert_eq!(one.id(), again.id());
    let mut changed = table();
    changed[2] += 0.5;
    let changed = weights(&[("embeddings", Dtype::F32, vec![6, 2], bytes(&changed))]);
    write(folder.path(), &changed);
    let other = StaticEmbedder::load(folder.path()).expect("it loads");
    assert_ne!(one.id(), other.id());
}

#[test]
fn files_that_cannot_be_used_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |weights: &[u8]| {
        write(folder.path(), weights);
        StaticEmbedder::load(folder.path())
            .expect_err("it does not load")
            .to_string()
    };
    let one_row = |numbers: &[f32], shape: Vec<usize>| {
        weights(&[("embeddings", Dtype::F32, shape, bytes(numbers))])
    };
    assert!(refused(b"").contains("weights"));
    assert!(refused(&[0xff; 64]).contains("weights"));
    assert!(refused(&one_row(&[1.0, f32::NAN], vec![1, 2])).contains("no number"));
    assert!(refused(&one_row(&[1.0, 2.0], vec![2])).contains("two dimensions"));
    assert!(refused(&one_row(&[], vec![0, 2])).contains("size"));
    let named = weights(&[("other", Dtype::F32, vec![1, 2], bytes(&[1.0, 2.0]))]);
    assert!(refused(&named).contains("no tensor"));
    let whole = weights(&[("embeddings", Dtype::I64, vec![1, 1], vec![0; 8])]);
    assert!(refused(&whole).contains("F16"));

    write(folder.path(), &plain());
    fs::write(folder.path().join("tokenizer.json"), "{}").expect("written");
    let broken = StaticEmbedder::load(folder.path()).expect_err("no tokenizer");
    assert!(matches!(broken, LoadError::Tokenizer(_)), "{broken}");
    fs::remove_file(folder.path().join("tokenizer.json")).expect("removed");
    let missing = StaticEmbedder::load(folder.path()).expect_err("no tokenizer");
    assert!(
        matches!(missing, LoadError::Files { found: 0, .. }),
        "{missing}"
    );
    fs::write(folder.path().join("second.safetensors"), plain()).expect("written");
    fs::write(folder.path().join("tokenizer.json"), tokenizer()).expect("written");
    let two = StaticEmbedder::load(folder.path()).expect_err("two files of weights");
    assert!(matches!(two, LoadError::Files { found: 2, .. }), "{two}");
    let nowhere = StaticEmbedder::load(folder.path().join("nowhere")).expect_err("no folder");
    assert!(matches!(nowhere, LoadError::Io { .. }), "{nowhere}");
}

#[tokio::test]
async fn memories_are_found_by_what_they_mean() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &plain());
    let embedder = StaticEmbedder::load(folder.path()).expect("it loads");
    let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .embedder(Arc::new(embedder))
        .build()
        .expect("an engine");
    let alice = keepmind.user("alice").expect("a user");
    for content in ["Has a cat", "Drives a car"] {
        alice.save(content).await.expect("it is kept");
    }
    let mut recall = Recall::new("kitten");
    recall.by = RecallBy::Meaning;
    let found = alice.recall(recall).await.expect("hits");
    assert_eq!(found[0].row.body.claim.content, "Has a cat");
}
