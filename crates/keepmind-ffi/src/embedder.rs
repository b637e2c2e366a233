//! An embedder that the host plugs in as a callback.

use std::ffi::{c_char, c_void};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use keepmind::{Embedder, PlugError};
use serde_json::json;

use crate::log::KM_LOG_WARNING;
use crate::reply::{Asking, Callback, Waiting, km_reply};

/// Asks the host's embedder. `request` is JSON, borrowed for the call: `{"texts": [...]}`. Complete `reply`
/// with km_reply_vectors, a vector for each text in order, or with km_reply_failure, inside the call or
/// later.
///
/// Called on a thread of the library's where it may block, on several at once. Inside it only replies,
/// strings and errors may be used: everything else is KM_REENTRANT.
pub type km_embedder_callback = Option<
    unsafe extern "C" fn(user_data: *mut c_void, request: *const c_char, reply: *mut km_reply),
>;

/// What the host says of its embedder.
#[derive(Clone)]
pub(crate) struct EmbedderPlug {
    pub callback: Arc<Callback>,
    pub id: String,
    pub dimensions: usize,
}

/// It as the engine's embedder.
pub(crate) struct HostEmbedder {
    pub plug: EmbedderPlug,
    pub asking: Asking,
}

impl fmt::Debug for HostEmbedder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HostEmbedder")
    }
}

#[async_trait]
impl Embedder for HostEmbedder {
    fn id(&self) -> &str {
        &self.plug.id
    }

    fn dimensions(&self) -> usize {
        self.plug.dimensions
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError> {
        let request = json!({"texts": texts}).to_string();
        let host = &self.plug.callback;
        let answer = self
            .asking
            .ask("embedder", host, &request, Waiting::Vectors);
        let vectors = answer.await?;
        // Nobody else hears of it: what has no vector is found by its words.
        if let Some(unfit) = self.unfit(&vectors, texts.len()) {
            self.asking.log.say(KM_LOG_WARNING, &unfit);
        }
        Ok(vectors)
    }
}

impl HostEmbedder {
    /// What is wrong with an answer, if anything is. An empty vector says that a text has no meaning.
    fn unfit(&self, vectors: &[Vec<f32>], wanted: usize) -> Option<String> {
        if vectors.len() != wanted {
            let count = vectors.len();
            return Some(format!(
                "the embedder answered {count} vectors for {wanted} texts: none is used"
            ));
        }
        let dimensions = self.plug.dimensions;
        let mut lengths = vectors.iter().map(Vec::len);
        if let Some(length) = lengths.find(|length| *length != dimensions && *length != 0) {
            return Some(format!(
                "the embedder answered a vector of {length} dimensions, {dimensions} are wanted: it is not used"
            ));
        }
        let is_number = |vector: &Vec<f32>| vector.iter().all(|number| number.is_finite());
        (!vectors.iter().all(is_number))
            .then(|| "the embedder answered what is no number: it is not used".to_owned())
    }
}
