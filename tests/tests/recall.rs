//! Recall as a host gets it: narrowed down, explained, reordered by a model only as far as it may, served
//! again from a chat's cache, and there whatever is plugged in.

#[path = "recall/bad_input.rs"]
mod bad_input;
#[path = "recall/cache.rs"]
mod cache;
#[path = "recall/filters.rs"]
mod filters;
#[path = "recall/json.rs"]
mod json;
#[path = "recall/plugs.rs"]
mod plugs;
#[path = "recall/rerank.rs"]
mod rerank;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use keepmind::{Embedder, PlugError, Recalled};

/// What the hits say, best first.
fn contents(hits: &[Recalled]) -> Vec<&str> {
    hits.iter()
        .map(|hit| hit.row.body.claim.content.as_str())
        .collect()
}

/// What an embedder does when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Answers,
    NeverAnswers,
    Fails,
    TooMany,
    TooFew,
    WrongDimension,
    NotANumber,
    Endless,
}

impl Manner {
    const BAD: [Manner; 7] = [
        Manner::NeverAnswers,
        Manner::Fails,
        Manner::TooMany,
        Manner::TooFew,
        Manner::WrongDimension,
        Manner::NotANumber,
        Manner::Endless,
    ];
}

/// An embedder that knows darkness from everything else, in any words.
#[derive(Debug)]
struct Meanings {
    manner: Mutex<Manner>,
    dimensions: AtomicUsize,
    asked: AtomicUsize,
}

impl Meanings {
    fn new() -> Arc<Self> {
        Arc::new(Meanings {
            manner: Mutex::new(Manner::Answers),
            dimensions: AtomicUsize::new(2),
            asked: AtomicUsize::new(0),
        })
    }

    fn behaves(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let is_dark = ["dark", "night", "dim"]
            .iter()
            .any(|word| text.contains(word));
        let mut vector = vec![0.1; self.dimensions()];
        vector[usize::from(!is_dark)] = 1.0;
        vector
    }
}

#[async_trait]
impl Embedder for Meanings {
    fn id(&self) -> &str {
        "meanings"
    }

    fn dimensions(&self) -> usize {
        self.dimensions.load(Ordering::SeqCst)
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut vectors: Vec<Vec<f32>> = texts.iter().map(|text| self.vector(text)).collect();
        let manner = *self.manner.lock().unwrap();
        match manner {
            Manner::Answers => {}
            Manner::NeverAnswers => std::future::pending().await,
            Manner::Fails => return Err(PlugError::lasting("out of order")),
            Manner::TooMany => vectors.push(vec![1.0, 0.0]),
            Manner::TooFew => vectors.truncate(texts.len() - 1),
            Manner::WrongDimension => vectors.iter_mut().for_each(|vector| vector.push(0.5)),
            Manner::NotANumber => vectors.iter_mut().for_each(|vector| vector[0] = f32::NAN),
            Manner::Endless => vectors
                .iter_mut()
                .for_each(|vector| vector[0] = f32::INFINITY),
        }
        Ok(vectors)
    }
}
