//! How far a long call is, told to the host; and the report that it ends with.

use std::ffi::{c_char, c_void};
use std::ops::ControlFlow;

use serde::Serialize;

use crate::guard::in_callback;
use crate::status::{Failure, KM_IO};
use crate::strings::c_string;

/// Hears where a sweep or a copy is. `progress` is JSON, borrowed for the call. Of a sweep: `owner`, `step`, `done` and
/// `owners`; of a copy: `owner`, `outcome`, `owners` and `total`. Returns 0 to go on, anything else to stop. Called on
/// the thread that called km_engine_sweep or km_copy. Inside it only replies, strings and errors may be used: everything
/// else is KM_REENTRANT.
pub type km_progress_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, progress: *const c_char) -> i32>;

/// Who is told, with the data that goes along.
#[derive(Clone, Copy)]
pub(crate) struct Watching {
    function: km_progress_callback,
    /// Handed back as it came; a number, since it travels with a future that may move between threads.
    user_data: usize,
}

impl Watching {
    pub fn new(function: km_progress_callback, user_data: *mut c_void) -> Self {
        Watching {
            function,
            user_data: user_data.expose_provenance(),
        }
    }

    /// Tells the host, and does what it says.
    pub fn tell(self, at: &impl Serialize) -> ControlFlow<()> {
        let Some(function) = self.function else {
            return ControlFlow::Continue(());
        };
        let json = c_string(&serde_json::to_string(at).unwrap_or_default());
        let user_data = std::ptr::with_exposed_provenance_mut(self.user_data);
        // SAFETY: the host's own function, with the data it gave for it and a text that outlives the call.
        match in_callback(|| unsafe { function(user_data, json.as_ptr()) }) {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// A report as the host gets it.
pub(crate) fn report(report: &impl Serialize) -> Result<String, Failure> {
    let written = serde_json::to_string(report);
    written.map_err(|_| Failure::new(KM_IO, "the report cannot be written as JSON"))
}
