//! What every call goes through: the same process, not inside a callback, no panic beyond this point.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{self, km_error};
use crate::handles::{self, Handled};
use crate::status::{Failure, KM_FORKED, KM_OK, KM_PANIC, KM_REENTRANT, km_status};

/// The process that first called the library.
static PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs one call of C, and makes a status, and an error where one is wanted, of how it ends.
///
/// # Safety
/// `error` is NULL or can be written to.
pub(crate) unsafe fn call(
    error: *mut *mut km_error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> km_status {
    let done = anywhere(|| {
        if IN_CALLBACK.get() {
            let message = "called from inside a callback: only replies, strings and errors may be used there; \
                           let the callback return and go on from another thread";
            return Err(Failure::new(KM_REENTRANT, message));
        }
        body()
    });
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

/// Runs it unless this process was forked, and catches a panic.
pub(crate) fn anywhere<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Before any lock: another thread of the parent may have held one when the process was forked, and
    // nobody is left to release it.
    same_process()?;
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        let message = "a fault in the library was caught: nothing was half written, and the handle can still \
                       be used; please report it with what standard error says";
        Err(Failure::new(KM_PANIC, message))
    })
}

pub(crate) fn status(done: Result<(), Failure>) -> km_status {
    done.map_or_else(|failure| failure.status, |()| KM_OK)
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

fn same_process() -> Result<(), Failure> {
    let here = std::process::id();
    let first = PROCESS.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed);
    match first {
        Err(first) if first != here => Err(Failure::new(
            KM_FORKED,
            "this process was forked from one that uses keepmind: execute a program first",
        )),
        _ => Ok(()),
    }
}

/// Runs a callback of the host's: calls that it makes into the library are refused meanwhile.
pub(crate) fn in_callback<T>(callback: impl FnOnce() -> T) -> T {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            IN_CALLBACK.set(self.0);
        }
    }
    let _back = Back(IN_CALLBACK.replace(true));
    callback()
}
