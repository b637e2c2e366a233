//! The real model beside vectors that the reference made of the same texts.
//!
//! KEEPMIND_MINILM           a folder of weights, as scripts/weights.sh fetches it
//! KEEPMIND_MINILM_REFERENCE a folder with docs.jsonl, a line `{"text": …}` for each document, and
//!                           docs.minilm.f32, a vector for each line

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use keepmind::Embedder;
use keepmind_minilm::MiniLmEmbedder;
use serde_json::Value;

/// How many texts are compared: half of them spread over the file, half of them the longest.
const SAMPLE: usize = 64;

fn named(variable: &str) -> PathBuf {
    let value = env::var_os(variable);
    value
        .unwrap_or_else(|| panic!("{variable} names no folder"))
        .into()
}

fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let product = |left: &[f32], right: &[f32]| -> f64 {
        let products = left
            .iter()
            .zip(right)
            .map(|(one, other)| f64::from(*one) * f64::from(*other));
        products.sum()
    };
    product(left, right) / (product(left, left) * product(right, right)).sqrt()
}

#[tokio::test]
#[ignore = "needs KEEPMIND_MINILM and KEEPMIND_MINILM_REFERENCE"]
#[allow(clippy::print_stdout)] // What was measured is what one runs it for.
async fn vectors_are_the_references() {
    let embedder = MiniLmEmbedder::load(named("KEEPMIND_MINILM")).expect("the weights load");
    let folder = named("KEEPMIND_MINILM_REFERENCE");
    let lines = fs::read_to_string(folder.join("docs.jsonl")).expect("docs.jsonl");
    let texts: Vec<String> = lines
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            let document: Value = serde_json::from_str(line).expect("a line of JSON");
            document["text"].as_str().expect("a text").to_owned()
        })
        .collect();
    let bytes = fs::read(folder.join("docs.minilm.f32")).expect("docs.minilm.f32");
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers: Vec<f32> = numbers
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    let dimensions = embedder.dimensions();
    assert_eq!(
        numbers.len(),
        texts.len() * dimensions,
        "a vector for each line"
    );

    let mut places: Vec<usize> = (0..texts.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(texts[*place].len()));
    places.truncate(SAMPLE / 2);
    places.extend((0..texts.len()).step_by((texts.len() / (SAMPLE / 2)).max(1)));
    places.truncate(SAMPLE);
    let sample: Vec<&str> = places.iter().map(|place| texts[*place].as_str()).collect();

    let started = Instant::now();
    let together = embedder.embed(&sample).await.expect("vectors");
    let together_took = started.elapsed();
    let started = Instant::now();
    let mut alone = Vec::new();
    for text in &sample {
        alone.extend(embedder.embed(&[text]).await.expect("a vector"));
    }
    let alone_took = started.elapsed();

    let mut cosines = Vec::new();
    for (made, place) in together.iter().chain(&alone).zip(places.iter().cycle()) {
        let reference = &numbers[place * dimensions..(place + 1) * dimensions];
        cosines.push(cosine(made, reference));
    }
    let least = cosines.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
    let each = |took: std::time::Duration| took.as_secs_f64() * 1e3 / sample.len() as f64;
    let longest = sample.iter().map(|text| text.len()).max().unwrap_or(0);
    println!(
        "{} texts, the longest of {longest} bytes: cosine at least {least:.7}, on average {mean:.7}; \
         {:.1} ms a text together, {:.1} ms alone",
        sample.len(),
        each(together_took),
        each(alone_took),
    );
    assert!(least >= 0.999, "the least cosine is {least}");
}
