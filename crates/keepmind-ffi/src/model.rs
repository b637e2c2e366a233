//! A model that the host plugs in as a callback.

use std::ffi::{c_char, c_void};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use keepmind::{Model, ModelRequest, PlugError};

use crate::reply::{Asking, Callback, Waiting, km_reply};

/// Asks the host's model. `request` is JSON, borrowed for the call: `task`, `system`, `prompt`, `schema`
/// (an object, or null) and `max_output_tokens`. Complete `reply` with km_reply_text or km_reply_failure,
/// inside the call or later.
///
/// Called on a thread of the library's where it may block, on several at once. Inside it only replies,
/// strings and errors may be used: everything else is KM_REENTRANT.
pub type km_model_callback = Option<
    unsafe extern "C" fn(user_data: *mut c_void, request: *const c_char, reply: *mut km_reply),
>;

/// The callback as the engine's model.
pub(crate) struct HostModel {
    pub callback: Arc<Callback>,
    pub asking: Asking,
}

impl fmt::Debug for HostModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HostModel")
    }
}

#[async_trait]
impl Model for HostModel {
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError> {
        let request = serde_json::to_string(request)
            .map_err(|_| PlugError::lasting("the question cannot be written as JSON"))?;
        let host = &self.callback;
        let answer = self.asking.ask("model", host, &request, Waiting::Text);
        answer.await
    }
}
