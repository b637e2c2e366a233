//! Strings across the border: borrowed as pointer and length, returned owned with a NUL at the end.

use std::ffi::{CString, c_char};
use std::slice;

use crate::status::{Failure, KM_NOT_UTF8, KM_TOO_LONG};

/// The longest text that the library takes, in bytes.
pub const KM_MAX_BYTES: usize = 64 << 20;

/// A text of the caller's.
///
/// # Safety
/// `pointer` is NULL, or `length` bytes can be read there for as long as `'a` lasts, where `length` is at
/// most [`KM_MAX_BYTES`].
pub(crate) unsafe fn text<'a>(
    pointer: *const c_char,
    length: usize,
    name: &str,
) -> Result<&'a str, Failure> {
    // SAFETY: the caller's promise.
    let text = unsafe { optional_text(pointer, length, name) }?;
    text.ok_or_else(|| Failure::null(name))
}

/// A text of the caller's, where there is one.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn optional_text<'a>(
    pointer: *const c_char,
    length: usize,
    name: &str,
) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    if length > KM_MAX_BYTES {
        let message = format!("`{name}` is longer than the {KM_MAX_BYTES} bytes that are read");
        return Err(Failure::new(KM_TOO_LONG, message));
    }
    // SAFETY: not NULL, and the caller promises that so many bytes can be read.
    let bytes = unsafe { slice::from_raw_parts(pointer.cast::<u8>(), length) };
    std::str::from_utf8(bytes).map(Some).map_err(|error| {
        let message = format!("`{name}` is not UTF-8 at byte {}", error.valid_up_to());
        Failure::new(KM_NOT_UTF8, message)
    })
}

/// Where an answer goes: checked before anything is done, written when it was.
pub(crate) struct Out<T>(*mut *mut T);

impl<T> Out<T> {
    /// # Safety
    /// `pointer` is NULL or can be written to for as long as this lives.
    pub unsafe fn new(pointer: *mut *mut T, name: &str) -> Result<Self, Failure> {
        if pointer.is_null() {
            return Err(Failure::null(name));
        }
        Ok(Out(pointer))
    }

    pub fn write(self, value: *mut T) {
        // SAFETY: not NULL, and writable as promised to `new`.
        unsafe { self.0.write(value) };
    }
}

impl Out<c_char> {
    pub fn text(self, text: String) {
        self.write(owned(text));
    }
}

/// A string that the caller frees.
fn owned(text: String) -> *mut c_char {
    let text = CString::new(text).unwrap_or_else(|error| c_string_of(error.into_vec()));
    text.into_raw()
}

/// A text for C, which knows no NUL within one.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_else(|error| c_string_of(error.into_vec()))
}

fn c_string_of(mut bytes: Vec<u8>) -> CString {
    bytes.retain(|byte| *byte != 0);
    CString::new(bytes).unwrap_or_default()
}

/// Frees a string that the library returned. NULL is fine.
///
/// Consumes `text`, which must be a string that the library returned owned and that was not freed.
/// Threads: any, also inside a callback and in a forked process.
///
/// # Safety
/// `text` is NULL, or was returned owned by this library and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_string_free(text: *mut c_char) {
    // Nothing of what a call looks at first matters: no lock is taken but the allocator's, which forking leaves in order.
    if !text.is_null() {
        // SAFETY: it came from `CString::into_raw`, and is freed once: the caller's promise.
        drop(unsafe { CString::from_raw(text) });
    }
}
