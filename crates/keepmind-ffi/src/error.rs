//! An error as C sees it: the status, what was wrong and what to do, the rule's name, whether to retry.

use std::ffi::{CString, c_char};
use std::ptr;

use crate::guard;
use crate::handles::{self, handled};
use crate::status::{Failure, KM_OK, km_status};
use crate::strings::c_string;

/// Why a call failed. Threads: any, at once.
pub struct km_error {
    _opaque: [u8; 0],
}

pub(crate) struct ErrorObject {
    status: km_status,
    message: CString,
    code: Option<CString>,
    is_retryable: bool,
}

handled!(ErrorObject, as km_error, 1, "error");

/// A failure as a handle.
pub(crate) fn give(failure: &Failure) -> *mut km_error {
    handles::give(ErrorObject {
        status: failure.status,
        message: c_string(&failure.message),
        code: failure.code.map(c_string),
        is_retryable: failure.is_retryable,
    })
}

fn read<T>(error: *const km_error, otherwise: T, read: impl FnOnce(&ErrorObject) -> T) -> T {
    guard::anywhere(|| handles::of::<ErrorObject>(error)).map_or(otherwise, |error| read(&error))
}

/// The status that the call returned with it; the status of asking where the error is NULL or was freed.
///
/// Borrows `error`. Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn km_error_status(error: *const km_error) -> km_status {
    match guard::anywhere(|| handles::of::<ErrorObject>(error)) {
        Ok(error) => error.status,
        Err(failure) => failure.status,
    }
}

/// What was wrong and what to do: English, for a developer, without any user's words. Never NULL.
///
/// Borrows `error`; the text lives as long as it does. Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn km_error_message(error: *const km_error) -> *const c_char {
    read(error, c"".as_ptr(), |error| error.message.as_ptr())
}

/// The stable name of the rule that objected, such as `E_AMBIGUOUS`; NULL where none did.
///
/// Borrows `error`; the text lives as long as it does. Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn km_error_code(error: *const km_error) -> *const c_char {
    read(error, ptr::null(), |error| {
        error
            .code
            .as_ref()
            .map_or(ptr::null(), |code| code.as_ptr())
    })
}

/// 1 where the same call can succeed later without a change, otherwise 0.
///
/// Borrows `error`. Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn km_error_is_retryable(error: *const km_error) -> i32 {
    read(error, 0, |error| i32::from(error.is_retryable))
}

/// Frees an error. NULL is fine; one that was freed already is KM_STALE_HANDLE.
///
/// Consumes `error`. Threads: any, also inside a callback.
#[unsafe(no_mangle)]
pub extern "C" fn km_error_free(error: *mut km_error) -> km_status {
    if error.is_null() {
        return KM_OK;
    }
    guard::status(guard::anywhere(|| handles::take::<ErrorObject>(error)).map(drop))
}
