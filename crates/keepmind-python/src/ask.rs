//! A function of the library's C interface that is asked in JSON and answers in JSON.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{mem, ptr};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyNotImplemented};

use crate::read;
use crate::write::plainly_written;

/// The function did not answer.
#[pyclass(frozen, module = "keepmind._quick")]
pub(crate) struct Failed {
    #[pyo3(get)]
    status: u32,
    /// The address of its error; 0 where there is none, or none any more.
    error: AtomicUsize,
    free: FreeError,
}

#[pymethods]
impl Failed {
    /// The address of its error, or None. It is freed with this at the latest.
    #[getter]
    fn error(&self) -> Option<usize> {
        match self.error.load(Ordering::Relaxed) {
            0 => None,
            error => Some(error),
        }
    }

    /// Frees its error, if that was not done.
    fn free(&self) {
        let error = self.error.swap(0, Ordering::Relaxed);
        if error != 0 {
            // SAFETY: the function gave it away, and nobody else has it now.
            unsafe { (self.free)(ptr::with_exposed_provenance_mut(error)) };
        }
    }
}

impl Drop for Failed {
    fn drop(&mut self) {
        self.free();
    }
}

/// The function's answer, which is not read here.
#[pyclass(frozen, module = "keepmind._quick")]
pub(crate) struct Unread {
    #[pyo3(get)]
    answer: Py<PyBytes>,
}

type Ask = unsafe extern "C" fn(
    handle: *const c_void,
    asked: *const c_char,
    length: usize,
    answer: *mut *mut c_char,
    error: *mut *mut c_void,
) -> u32;
type FreeText = unsafe extern "C" fn(text: *mut c_char);
type FreeError = unsafe extern "C" fn(error: *mut c_void) -> u32;

/// One such function, and those that free what it gives away.
#[pyclass(frozen, module = "keepmind._quick")]
pub(crate) struct Function {
    ask: Ask,
    free_text: FreeText,
    free_error: FreeError,
}

#[pymethods]
impl Function {
    /// By their addresses, of `km_…_request` or `km_session_call_tool`, of `km_string_free` and `km_error_free`.
    #[new]
    fn new(ask: usize, free_text: usize, free_error: usize) -> PyResult<Self> {
        if [ask, free_text, free_error].contains(&0) {
            return Err(PyValueError::new_err("there is no function at address 0"));
        }
        let function = ptr::with_exposed_provenance::<()>;
        // SAFETY: the package gives addresses of functions with these signatures, of a library that stays loaded.
        unsafe {
            Ok(Function {
                ask: mem::transmute::<*const (), Ask>(function(ask)),
                free_text: mem::transmute::<*const (), FreeText>(function(free_text)),
                free_error: mem::transmute::<*const (), FreeError>(function(free_error)),
            })
        }
    }

    /// What it answers when it is asked this of a handle, the interpreter's lock released meanwhile. NotImplemented where the
    /// request is not written here: nothing was asked.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        handle: Option<usize>,
        asked: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(asked) = plainly_written(asked) else {
            return Ok(PyNotImplemented::get(py).to_owned().into_any());
        };
        let (status, answer, error) = py.detach(|| {
            let (mut answer, mut error) = (ptr::null_mut(), ptr::null_mut());
            // SAFETY: the handle is checked by the function; the request is readable for its length, and both places
            // can be written.
            let status = unsafe {
                (self.ask)(
                    ptr::without_provenance(handle.unwrap_or(0)),
                    asked.as_ptr().cast(),
                    asked.len(),
                    &raw mut answer,
                    &raw mut error,
                )
            };
            let answer = Answer {
                text: answer,
                free: self.free_text,
            };
            // An address may go to another thread, a pointer not.
            (status, answer, error.expose_provenance())
        });
        if status != 0 {
            let failed = Failed {
                status,
                error: AtomicUsize::new(error),
                free: self.free_error,
            };
            return Ok(Bound::new(py, failed)?.into_any());
        }
        let told = answer.bytes();
        match read::value(py, told) {
            Some(value) => Ok(value),
            None => {
                let answer = PyBytes::new(py, told).unbind();
                Ok(Bound::new(py, Unread { answer })?.into_any())
            }
        }
    }
}

/// What a function answered, until it is dropped.
struct Answer {
    text: *mut c_char,
    free: FreeText,
}

// SAFETY: the text may be read and freed on any thread.
unsafe impl Send for Answer {}

impl Answer {
    fn bytes(&self) -> &[u8] {
        if self.text.is_null() {
            return b"";
        }
        // SAFETY: the function ended its answer with a zero, and nobody else frees it.
        unsafe { CStr::from_ptr(self.text) }.to_bytes()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // SAFETY: it is the function's answer, or NULL, and freed only here.
        unsafe { (self.free)(self.text) }
    }
}
