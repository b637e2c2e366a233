//! An embedder that the host plugs in as a callback.

use std::ffi::{c_char, c_void};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use keepmind::{Embedder, PlugError};
use serde_json::json;

use crate::callback::UserData;
use crate::guard::in_callback;
use crate::reply::{Asking, Waiting, km_reply};
use crate::strings::c_string;

/// Asks the host's embedder. `request` is JSON, borrowed for the call: `{"texts": [...]}`. Complete `reply`
/// with km_reply_vectors, a vector for each text in order, or with km_reply_failure, inside the call or
/// later.
///
/// Called on a thread of the library's where it may block, on several at once. Inside it only replies,
/// strings and errors may be used: everything else is KM_REENTRANT.
pub type km_embedder_callback = Option<
    unsafe extern "C" fn(user_data: *mut c_void, request: *const c_char, reply: *mut km_reply),
>;

/// The callback and its data, for as long as anybody may call it.
pub(crate) struct EmbedderCallback {
    pub callback: unsafe extern "C" fn(*mut c_void, *const c_char, *mut km_reply),
    pub data: UserData,
    pub id: String,
    pub dimensions: usize,
}

/// The callback as the engine's embedder.
pub(crate) struct HostEmbedder {
    pub callback: Arc<EmbedderCallback>,
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
        &self.callback.id
    }

    fn dimensions(&self) -> usize {
        self.callback.dimensions
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError> {
        let request = c_string(&json!({"texts": texts}).to_string());
        let host = Arc::clone(&self.callback);
        let call = move |reply| {
            // SAFETY: the host's own function, with the data it gave for it, which `host` keeps alive, and a
            // text that outlives the call.
            in_callback(|| unsafe {
                (host.callback)(host.data.pointer(), request.as_ptr(), reply);
            });
        };
        self.asking.ask("embedder", Waiting::Vectors, call).await
    }
}
