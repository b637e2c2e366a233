//! From one store to another, before an engine is opened on it.

use std::ffi::{c_char, c_void};

use keepmind::export::{CopyOptions, CopyProgress, copy_between};
use keepmind::store::StorePlace;
use tokio::runtime::Builder;

use crate::boundary;
use crate::error::km_error;
use crate::progress::{self, Watching, km_progress_callback};
use crate::status::{Failure, KM_IO, km_status};
use crate::strings::{self, Out};

/// Copies every user from one store into another, without loss: both are named as km_config_set takes `store`, a
/// file's path or a PostgreSQL URL. Interrupted anywhere, it is called again: users who are there already, exactly so,
/// are passed over.
///
/// A user of whom the target has anything else is left as they are there, and named in the report; where `replace` is
/// not 0, they are erased there and copied anew. Nobody should write to the source meanwhile.
///
/// `progress` may be NULL. `report` is JSON: `owners`, `copied`, `unchanged`, `replaced`, `refused`, `stopped`.
///
/// Borrows `from`, `to` and `user_data`. Returns owned `report`, freed with km_string_free, and owned `error`.
/// Threads: any.
///
/// # Safety
/// `from` and `to` are NULL or can be read for their lengths; `progress` may be called with `user_data` during the
/// call; `report` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_copy(
    from: *const c_char,
    from_length: usize,
    to: *const c_char,
    to_length: usize,
    replace: i32,
    progress: km_progress_callback,
    user_data: *mut c_void,
    report: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(report, "report") }?;
        // SAFETY: the caller's promise.
        let from = StorePlace::read(unsafe { strings::text(from, from_length, "from") }?)?;
        // SAFETY: the caller's promise.
        let to = StorePlace::read(unsafe { strings::text(to, to_length, "to") }?)?;
        let mut options = CopyOptions::default();
        options.replace = replace != 0;
        let watching = Watching::new(progress, user_data);
        let watch = |at: &CopyProgress| watching.tell(at);
        // The stores bring threads of their own; this one only waits.
        let runtime = Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| Failure::new(KM_IO, format!("nothing to wait with: {error}")))?;
        let copied = runtime.block_on(copy_between(&from, &to, options, watch))?;
        out.text(progress::report(&copied)?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}
