//! Several models as one: another for each task, and one after another until one answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;

use crate::model::{Model, ModelRequest, PlugError, Task};

/// Another model for each task: a cheap one for titles, a careful one for extraction.
///
/// ```
/// use std::sync::Arc;
/// use keepmind::testing::ScriptedModel;
/// use keepmind::{ModelByTask, Task};
///
/// let careful = Arc::new(ScriptedModel::answering("{}"));
/// let cheap = Arc::new(ScriptedModel::answering("A short title"));
/// let models = ModelByTask::new(careful).with(Task::Title, cheap);
/// ```
#[derive(Debug)]
pub struct ModelByTask {
    otherwise: Arc<dyn Model>,
    by_task: BTreeMap<Task, Arc<dyn Model>>,
}

impl ModelByTask {
    /// That model for every task that gets no other.
    pub fn new(otherwise: Arc<dyn Model>) -> Self {
        ModelByTask {
            otherwise,
            by_task: BTreeMap::new(),
        }
    }

    /// That model for that task.
    #[must_use]
    pub fn with(mut self, task: Task, model: Arc<dyn Model>) -> Self {
        self.by_task.insert(task, model);
        self
    }
}

#[async_trait]
impl Model for ModelByTask {
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError> {
        let model = self.by_task.get(&request.task).unwrap_or(&self.otherwise);
        model.complete(request).await
    }
}

/// Models that are asked one after another until one answers.
///
/// The deadline is one for the whole chain: a model that hangs leaves nothing for those after it, unless
/// it has a shorter deadline of its own.
#[derive(Debug)]
pub struct ModelChain {
    first: Arc<dyn Model>,
    others: Vec<Arc<dyn Model>>,
}

impl ModelChain {
    /// Begins with that model.
    pub fn new(first: Arc<dyn Model>) -> Self {
        ModelChain {
            first,
            others: Vec::new(),
        }
    }

    /// And asks that one where all before it failed.
    #[must_use]
    pub fn then(mut self, next: Arc<dyn Model>) -> Self {
        self.others.push(next);
        self
    }
}

#[async_trait]
impl Model for ModelChain {
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError> {
        let mut failed = match self.first.complete(request).await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        for model in &self.others {
            match model.complete(request).await {
                Ok(answer) => return Ok(answer),
                // Asking the chain again can help as soon as it can help with one of them.
                Err(error) => {
                    failed = PlugError {
                        retryable: failed.retryable || error.retryable,
                        ..error
                    };
                }
            }
        }
        Err(failed)
    }
}
