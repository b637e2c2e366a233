//! A test kit for hosts: a model whose answers are written down beforehand. Together with
//! [`ManualClock`](crate::ManualClock) and [`CountingIds`](crate::CountingIds) everything that a host's
//! assistant remembers can be tested without a model, a key or a wait.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use crate::model::{Model, ModelRequest, PlugError};

/// What a [`ScriptedModel`] does when it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scripted {
    /// Answers with these words.
    Answers(String),
    /// Fails.
    Fails(PlugError),
    /// Never answers: only a deadline ends it.
    NeverAnswers,
    /// Answers after that long.
    After(Duration, String),
    /// Answers once the gate is opened.
    Waits(Gate, String),
}

/// Holds an answer back until it is opened. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate(Arc<tokio::sync::Semaphore>);

impl Gate {
    /// A closed gate.
    pub fn closed() -> Self {
        Gate(Arc::new(tokio::sync::Semaphore::new(0)))
    }

    /// Lets everything through that waits, and whatever comes.
    pub fn open(&self) {
        self.0.close();
    }

    async fn pass(&self) {
        // Closing the semaphore is opening the gate: nobody ever gets a permit.
        let _ = self.0.acquire().await;
    }
}

impl PartialEq for Gate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Gate {}

/// A model that does what is written down, one entry for each question; and remembers the questions.
///
/// When the script is over it answers as the last entry did.
///
/// ```
/// use keepmind::testing::{Scripted, ScriptedModel};
/// use keepmind::{Model, ModelRequest, PlugError, Task};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = ScriptedModel::new([
///     Scripted::Fails(PlugError::passing("busy")),
///     Scripted::Answers("Tea and kettles".to_owned()),
/// ]);
/// let request = ModelRequest::new(Task::Title, "", "");
/// assert!(model.complete(&request).await.is_err());
/// assert_eq!(model.complete(&request).await.unwrap(), "Tea and kettles");
/// assert_eq!(model.asked().len(), 2);
/// # });
/// ```
#[derive(Debug, Default)]
pub struct ScriptedModel {
    script: Mutex<VecDeque<Scripted>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl ScriptedModel {
    /// A model with that script. An empty one fails.
    pub fn new(script: impl IntoIterator<Item = Scripted>) -> Self {
        ScriptedModel {
            script: Mutex::new(script.into_iter().collect()),
            asked: Mutex::default(),
        }
    }

    /// A model that always answers the same.
    pub fn answering(answer: impl Into<String>) -> Self {
        ScriptedModel::new([Scripted::Answers(answer.into())])
    }

    /// A model that always fails, in a way that asking again may mend.
    pub fn failing() -> Self {
        ScriptedModel::new([Scripted::Fails(PlugError::passing("the script says so"))])
    }

    /// From now on it does this instead.
    pub fn follow(&self, script: impl IntoIterator<Item = Scripted>) {
        *lock(&self.script) = script.into_iter().collect();
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<ModelRequest> {
        lock(&self.asked).clone()
    }

    fn next(&self) -> Scripted {
        let mut script = lock(&self.script);
        if script.len() > 1 {
            return script.pop_front().unwrap_or(Scripted::NeverAnswers);
        }
        match script.front() {
            Some(last) => last.clone(),
            None => Scripted::Fails(PlugError::lasting("the script is empty")),
        }
    }
}

#[async_trait]
impl Model for ScriptedModel {
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError> {
        lock(&self.asked).push(request.clone());
        match self.next() {
            Scripted::Answers(answer) => Ok(answer),
            Scripted::Fails(error) => Err(error),
            Scripted::NeverAnswers => std::future::pending().await,
            Scripted::After(delay, answer) => {
                tokio::time::sleep(delay).await;
                Ok(answer)
            }
            Scripted::Waits(gate, answer) => {
                gate.pass().await;
                Ok(answer)
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
