//! Asking what a host plugged in: with a deadline, and without believing the answer.

use std::time::Duration;

use crate::embedding::Vector;
use crate::engine::Engine;

/// How long an embedder may take.
const EMBEDDER_DEADLINE: Duration = Duration::from_secs(10);

impl Engine {
    /// Vectors for texts, or nothing where the embedder fails, is late or answers nonsense.
    pub(crate) async fn vectors(&self, texts: &[&str]) -> Option<Vec<Vector>> {
        let embedder = self.embedder.as_ref()?;
        let answer = tokio::time::timeout(EMBEDDER_DEADLINE, embedder.embed(texts)).await;
        let vectors = answer.ok()?.ok()?;
        if vectors.len() != texts.len() {
            return None;
        }
        vectors
            .into_iter()
            .map(|numbers| {
                (numbers.len() == embedder.dimensions())
                    .then(|| Vector::new(numbers).ok())
                    .flatten()
            })
            .collect()
    }
}
