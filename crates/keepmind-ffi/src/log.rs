//! What the library has to say that is nobody's answer: opened, closed, a plug that did not answer.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use crate::callback::UserData;
use crate::guard::in_callback;
use crate::strings::c_string;

/// Something failed that should not.
pub const KM_LOG_ERROR: u32 = 1;
/// Something was done without.
pub const KM_LOG_WARNING: u32 = 2;
/// What happened.
pub const KM_LOG_INFO: u32 = 3;

/// Hears one line: a KM_LOG_ level, and English without any user's words, borrowed for the call. May be
/// called on any thread, and on several at once. Inside it only replies, strings and errors may be used:
/// everything else is KM_REENTRANT.
pub type km_log_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, level: u32, message: *const c_char)>;

/// Where lines go: nowhere, unless the host asked.
#[derive(Clone, Default)]
pub(crate) struct Log(Option<Arc<Listener>>);

struct Listener {
    callback: unsafe extern "C" fn(*mut c_void, u32, *const c_char),
    data: UserData,
}

impl Log {
    pub fn new(callback: km_log_callback, data: UserData) -> Self {
        Log(callback.map(|callback| Arc::new(Listener { callback, data })))
    }

    pub fn say(&self, level: u32, message: &str) {
        if let Some(listener) = &self.0 {
            let message = c_string(message);
            // SAFETY: the host's own function, with the data it gave for it and a text that outlives the call.
            in_callback(|| unsafe {
                (listener.callback)(listener.data.pointer(), level, message.as_ptr());
            });
        }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.0.is_some() { "Log" } else { "no Log" })
    }
}
