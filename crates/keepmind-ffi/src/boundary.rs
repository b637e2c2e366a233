//! What every call of C goes through: guarded, and how it ends told as a status and an error.

use crate::error::{self, km_error};
use crate::guard::{anywhere, outside_callbacks, status};
use crate::handles::{self, Handled};
use crate::status::{Failure, KM_FORKED, KM_OK, km_status};

/// How much stack a thread must have that calls the library, in bytes.
pub const KM_STACK_BYTES: usize = 512 << 10;

/// Runs one call of C, and makes a status, and an error where one is wanted, of how it ends.
///
/// # Safety
/// `error` is NULL or can be written to.
pub(crate) unsafe fn call(
    error: *mut *mut km_error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> km_status {
    let done = outside_callbacks(body);
    // SAFETY: the caller's promise.
    unsafe { told(error, done) }
}

/// As [`call`], for what may be used inside a callback too.
///
/// # Safety
/// `error` is NULL or can be written to.
pub(crate) unsafe fn call_anywhere(
    error: *mut *mut km_error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> km_status {
    let done = anywhere(body);
    // SAFETY: the caller's promise.
    unsafe { told(error, done) }
}

/// Frees a handle; NULL is fine. `ended` is done with what stood behind it.
pub(crate) fn free<T: Handled>(handle: *const T::Seen, ended: impl FnOnce(&T)) -> km_status {
    if handle.is_null() {
        return KM_OK;
    }
    let body = || {
        let taken = handles::take::<T>(handle)?;
        ended(&taken);
        Ok(())
    };
    // SAFETY: NULL is allowed.
    unsafe { call(std::ptr::null_mut(), body) }
}

/// # Safety
/// `error` is NULL or can be written to.
unsafe fn told(error: *mut *mut km_error, done: Result<(), Failure>) -> km_status {
    if let Err(failure) = &done
        && !error.is_null()
        // The tables behind handles may be locked for ever in a forked process.
        && failure.status != KM_FORKED
    {
        // SAFETY: the caller's promise.
        unsafe { error.write(error::give(failure)) };
    }
    status(done)
}
