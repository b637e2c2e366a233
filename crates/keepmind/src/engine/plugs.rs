//! Asking what a host plugged in: with a deadline, a few times where that can help, and without believing
//! the answer.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::embedding::Vector;
use crate::engine::Engine;
use crate::model::{Model, ModelRequest, PlugError};
use crate::store::{Meaning, WordMeaning};
use crate::text;

/// How long the library waits for what a host plugged in, and how often it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patience {
    /// How long a model may take for one answer.
    pub model: Duration,
    /// How long a model may take to reorder what was recalled: somebody waits for it.
    pub rerank: Duration,
    /// How long an embedder may take for one batch.
    pub embedder: Duration,
    /// How often one that failed in passing, or was late, is asked again.
    pub retries: u32,
    /// How long to wait before asking again; twice as long each time.
    pub pause: Duration,
}

impl Default for Patience {
    /// A minute for a model, five seconds for it to reorder, ten for an embedder, two retries, half a second before
    /// the first.
    fn default() -> Self {
        Patience {
            model: Duration::from_secs(60),
            rerank: Duration::from_secs(5),
            embedder: Duration::from_secs(10),
            retries: 2,
            pause: Duration::from_millis(500),
        }
    }
}

impl Patience {
    /// With that deadline for a model's answer.
    #[must_use]
    pub fn model(mut self, deadline: Duration) -> Self {
        self.model = deadline;
        self
    }

    /// With that deadline for a model that reorders what was recalled.
    #[must_use]
    pub fn rerank(mut self, deadline: Duration) -> Self {
        self.rerank = deadline;
        self
    }

    /// With that deadline for an embedder's batch.
    #[must_use]
    pub fn embedder(mut self, deadline: Duration) -> Self {
        self.embedder = deadline;
        self
    }

    /// Asking again that often, at first after that pause.
    #[must_use]
    pub fn retries(mut self, retries: u32, pause: Duration) -> Self {
        self.retries = retries;
        self.pause = pause;
        self
    }

    /// Asks until it is answered, will not be, or was asked often enough.
    async fn ask(&self, model: &dyn Model, request: &ModelRequest) -> Result<String, PlugError> {
        let mut pause = self.pause;
        let mut left = self.retries;
        loop {
            let failed = match timeout(self.model, model.complete(request)).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => error,
                Err(_) => PlugError::passing("there was no answer before the deadline"),
            };
            if !failed.retryable || left == 0 {
                return Err(failed);
            }
            left -= 1;
            sleep(pause).await;
            pause = pause.saturating_mul(2);
        }
    }
}

impl Engine {
    /// How long a close can wait for the model and the embedder: it asks twice at most, and once.
    pub(crate) fn longest_wait(&self) -> Duration {
        let asked = match self.model {
            Some(_) => self.patience.model.saturating_mul(2),
            None => Duration::ZERO,
        };
        let embedded = match self.embedder {
            Some(_) => self.patience.embedder,
            None => Duration::ZERO,
        };
        asked
            .saturating_add(self.patience.pause)
            .saturating_add(embedded)
    }

    /// Waits before a model that failed is asked again.
    pub(crate) async fn pause(&self) {
        sleep(self.patience.pause).await;
    }

    /// Whether a model is plugged in.
    pub(crate) fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// A model's answer, where there is a model: no longer than the policy lets a reply be.
    pub(crate) async fn complete(
        &self,
        request: &ModelRequest,
    ) -> Option<Result<String, PlugError>> {
        let model = self.model.as_ref()?;
        let answer = self.patience.ask(model.as_ref(), request).await;
        let longest = self.policy.limits.reply_bytes as usize;
        Some(answer.and_then(|answer| {
            if answer.len() > longest {
                let message = "the answer is longer than the policy's limits.reply_bytes";
                return Err(PlugError::passing(message));
            }
            Ok(answer)
        }))
    }

    /// A model's answer to a question that is asked only once, of any length: whoever asks looks at it,
    /// and asks again where that can help.
    pub(crate) async fn complete_once(
        &self,
        request: &ModelRequest,
    ) -> Option<Result<String, PlugError>> {
        self.complete_within(request, self.patience.model).await
    }

    /// The same, within that deadline.
    pub(crate) async fn complete_within(
        &self,
        request: &ModelRequest,
        deadline: Duration,
    ) -> Option<Result<String, PlugError>> {
        let model = self.model.as_ref()?;
        let once = self.patience.model(deadline).retries(0, Duration::ZERO);
        Some(once.ask(model.as_ref(), request).await)
    }

    /// Vectors for texts: none at all where the embedder fails or is late, none for a text of which it knows none
    /// or answers nonsense.
    pub(crate) async fn vectors(&self, texts: &[&str]) -> Option<Vec<Option<Vector>>> {
        let embedder = self.embedder.as_ref()?;
        // Asked while somebody waits: one try, and the sweep asks again for what has no vector.
        let answer = timeout(self.patience.embedder, embedder.embed(texts)).await;
        let vectors = answer.ok()?.ok()?;
        if vectors.len() != texts.len() {
            return None;
        }
        let dimensions = embedder.dimensions();
        let vector = |numbers: Vec<f32>| match numbers.len() == dimensions {
            true => Vector::new(numbers).ok(),
            false => None,
        };
        Some(vectors.into_iter().map(vector).collect())
    }

    /// What a question means, as far as the embedder can tell in time.
    pub(crate) async fn meaning(&self, question: &str) -> Option<Meaning> {
        let embedder = self.embedder.as_ref()?;
        let vector = self.vectors(&[question]).await?.pop()??;
        let words = text::words(question);
        let written: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let is_sound = |vector: &Vec<f32>| {
            vector.len() == embedder.dimensions() && vector.iter().all(|number| number.is_finite())
        };
        let vectors = embedder
            .word_vectors(&written)
            .filter(|vectors| vectors.len() == written.len() && vectors.iter().all(is_sound));
        let of_words = words.into_iter().zip(vectors.unwrap_or_default());
        Some(Meaning {
            embedder: embedder.id().to_owned(),
            vector,
            words: of_words
                .map(|((_, term), vector)| WordMeaning { term, vector })
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Task;
    use crate::testing::{Scripted, ScriptedModel};

    async fn ask(script: Vec<Scripted>) -> (Result<String, PlugError>, usize) {
        let model = ScriptedModel::new(script);
        let request = ModelRequest::new(Task::Title, "", "");
        let answer = Patience::default().ask(&model, &request).await;
        (answer, model.asked().len())
    }

    fn late() -> Scripted {
        Scripted::After(Duration::from_secs(61), "late".to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn what_fails_in_passing_is_asked_again() {
        let busy = || Scripted::Fails(PlugError::passing("busy"));
        let good = || Scripted::Answers("good".to_owned());
        assert_eq!(ask(vec![good()]).await, (Ok("good".to_owned()), 1));
        assert_eq!(
            ask(vec![busy(), late(), good()]).await,
            (Ok("good".to_owned()), 3)
        );
        let (given_up, asked) = ask(vec![busy()]).await;
        assert_eq!((given_up.is_err(), asked), (true, 3));
        let (given_up, asked) = ask(vec![Scripted::NeverAnswers]).await;
        assert_eq!((given_up.is_err(), asked), (true, 3));
        let lasting = Scripted::Fails(PlugError::lasting("no key"));
        let (given_up, asked) = ask(vec![lasting, good()]).await;
        assert_eq!((given_up.is_err(), asked), (true, 1));
    }
}
