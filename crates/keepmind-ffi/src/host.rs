//! A host in Rust that reaches the library as C does, through the exported functions, and the engine behind them to compare
//! with: for tests and benchmarks, which then need no `unsafe` of their own.

mod direct;

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use keepmind::Keepmind;

use crate::engine::Engine;
use crate::*;

pub use direct::{Call, Direct};

/// A status that is not KM_OK, and what the error said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// The status.
    pub status: km_status,
    /// The error's message.
    pub message: String,
    /// The error's code, where it has one.
    pub code: Option<String>,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} (status {})", self.message, self.status)
    }
}

impl std::error::Error for Failed {}

/// How a call ended.
pub type Answered<T = Text> = Result<T, Failed>;

/// A text that the library returned owned: read where it is, as C does, and freed when it is dropped.
#[derive(Debug)]
pub struct Text(*mut c_char);

// SAFETY: nobody else has it, and the header says that every thread may free it.
unsafe impl Send for Text {}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        // SAFETY: a string that the library returned owned, not freed while this lives.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().expect("strings are UTF-8")
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        // SAFETY: a string that the library returned owned, freed once.
        unsafe { km_string_free(self.0) };
    }
}

/// What answers a model's questions, given as JSON.
pub type Answers = Box<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// A model as C's user data: a thin pointer to what answers.
struct HostModel(Answers);

/// An engine.
#[derive(Debug)]
pub struct Host(*mut km_engine);

/// The engine behind a handle; nothing where that was freed.
pub fn keepmind_of(engine: *const km_engine) -> Option<Keepmind> {
    let engine = handles::of::<Engine>(engine).ok()?;
    Some(engine.keepmind().clone())
}

/// A user of it.
#[derive(Debug)]
pub struct HostUser(*mut km_user);

/// A chat of theirs.
#[derive(Debug)]
pub struct HostSession(*mut km_session);

// SAFETY: handles are numbers that every thread may use; the header says so.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}
// SAFETY: as above.
unsafe impl Send for HostUser {}
// SAFETY: as above.
unsafe impl Sync for HostUser {}
// SAFETY: as above.
unsafe impl Send for HostSession {}
// SAFETY: as above.
unsafe impl Sync for HostSession {}

/// A text as C gives it.
fn given(text: &str) -> (*const c_char, usize) {
    (text.as_ptr().cast(), text.len())
}

/// What a call that writes to a place of its own came to.
fn outcome<T>(call: impl FnOnce(*mut *mut T, *mut *mut km_error) -> km_status) -> Answered<*mut T> {
    let mut out = ptr::null_mut();
    let mut error = ptr::null_mut();
    let status = call(&mut out, &mut error);
    if status == KM_OK {
        assert!(error.is_null(), "an error is written on failure only");
        return Ok(out);
    }
    assert!(out.is_null(), "an answer is written on KM_OK only");
    assert_eq!(km_error_status(error), status);
    // SAFETY: both texts live as long as the error.
    let (message, code) = unsafe {
        let code = km_error_code(error);
        let code = (!code.is_null()).then(|| CStr::from_ptr(code));
        (CStr::from_ptr(km_error_message(error)), code)
    };
    let failed = Failed {
        status,
        message: message.to_string_lossy().into_owned(),
        code: code.map(|code| code.to_string_lossy().into_owned()),
    };
    assert_eq!(km_error_free(error), KM_OK);
    Err(failed)
}

/// What a call that answers with a text came to.
fn text(call: impl FnOnce(*mut *mut c_char, *mut *mut km_error) -> km_status) -> Answered {
    outcome(call).map(Text)
}

unsafe extern "C" fn ask(data: *mut c_void, request: *const c_char, reply: *mut km_reply) {
    // SAFETY: the data is the box that `Host::open` gave, alive until the finaliser; the request is a text.
    let (answers, request) = unsafe {
        let model: &HostModel = &*data.cast();
        (&model.0, CStr::from_ptr(request).to_str().expect("UTF-8"))
    };
    // SAFETY: a text with its length, and nobody wants the error.
    unsafe {
        match answers(request) {
            Ok(answer) => {
                let (answer, length) = given(&answer);
                km_reply_text(reply, answer, length, ptr::null_mut())
            }
            Err(message) => {
                let (message, length) = given(&message);
                km_reply_failure(reply, message, length, 1, ptr::null_mut())
            }
        }
    };
}

unsafe extern "C" fn finish(data: *mut c_void) {
    // SAFETY: the box that `Host::open` gave, freed by the library's one call of this.
    drop(unsafe { Box::from_raw(data.cast::<HostModel>()) });
}

/// Copies a store, telling nobody.
pub fn copy(from: &str, to: &str, replace: bool) -> Answered {
    let ((from, from_length), (to, to_length)) = (given(from), given(to));
    // SAFETY: texts with their lengths, and places to write to.
    text(|out, error| unsafe {
        let (progress, data) = (None, ptr::null_mut());
        km_copy(
            from,
            from_length,
            to,
            to_length,
            i32::from(replace),
            progress,
            data,
            out,
            error,
        )
    })
}

impl Host {
    /// Opens an engine with these settings, and a model where there is one.
    pub fn open(settings: &[(&str, &str)], model: Option<Answers>) -> Answered<Self> {
        // SAFETY: every pointer is to a local variable or a text with its length.
        unsafe {
            let config = outcome(|out, error| km_config_new(out, error))?;
            let opened = (|| {
                for (key, value) in settings {
                    let ((key, key_length), (value, value_length)) = (given(key), given(value));
                    outcome::<()>(|_, error| {
                        km_config_set(config, key, key_length, value, value_length, error)
                    })?;
                }
                if let Some(model) = model {
                    let data = Box::into_raw(Box::new(HostModel(model))).cast();
                    outcome::<()>(|_, error| {
                        km_config_set_model(config, Some(ask), data, Some(finish), error)
                    })?;
                }
                outcome(|out, error| km_engine_open(config, out, error))
            })();
            assert_eq!(km_config_free(config), KM_OK);
            opened.map(Host)
        }
    }

    /// A user of it.
    pub fn user(&self, name: &str) -> Answered<HostUser> {
        let (name, length) = given(name);
        // SAFETY: a text with its length, and places to write to.
        let user = outcome(|out, error| unsafe {
            km_engine_user(self.0, name, length, ptr::null(), 0, out, error)
        })?;
        Ok(HostUser(user))
    }

    /// The engine itself, which a call through C is compared with; nothing where the handle was freed.
    pub fn keepmind(&self) -> Option<Keepmind> {
        keepmind_of(self.0)
    }

    /// Runs a request that names its user.
    pub fn request(&self, request: &str) -> Answered {
        let (request, length) = given(request);
        // SAFETY: a text with its length, and places to write to.
        text(|out, error| unsafe { km_engine_request(self.0, request, length, out, error) })
    }

    /// Closes it.
    pub fn close(&self) -> Answered<()> {
        // SAFETY: a place to write to.
        outcome::<()>(|_, error| unsafe { km_engine_close(self.0, error) }).map(drop)
    }
}

impl HostUser {
    /// Runs a request.
    pub fn request(&self, request: &str) -> Answered {
        let (request, length) = given(request);
        // SAFETY: a text with its length, and places to write to.
        text(|out, error| unsafe { km_user_request(self.0, request, length, out, error) })
    }

    /// Opens a chat.
    pub fn open_session(&self) -> Answered<HostSession> {
        // SAFETY: places to write to.
        let session = outcome(|out, error| unsafe { km_session_open(self.0, out, error) })?;
        Ok(HostSession(session))
    }
}

impl HostSession {
    /// Appends a message.
    pub fn push(&self, role: u32, content: &str, options: Option<&str>) -> Answered {
        let (content, length) = given(content);
        let (options, options_length) = options.map_or((ptr::null(), 0), given);
        // SAFETY: texts with their lengths, and places to write to.
        text(|out, error| unsafe {
            km_session_push(
                self.0,
                role,
                content,
                length,
                options,
                options_length,
                out,
                error,
            )
        })
    }

    /// Runs a tool call as a provider wrote it.
    pub fn call_tool(&self, call: &str) -> Answered {
        let (call, length) = given(call);
        // SAFETY: a text with its length, and places to write to.
        text(|out, error| unsafe { km_session_call_tool(self.0, call, length, out, error) })
    }

    /// Runs a request.
    pub fn request(&self, request: &str) -> Answered {
        let (request, length) = given(request);
        // SAFETY: a text with its length, and places to write to.
        text(|out, error| unsafe { km_session_request(self.0, request, length, out, error) })
    }

    /// The block.
    pub fn block(&self) -> Answered {
        // SAFETY: places to write to.
        text(|out, error| unsafe { km_session_block(self.0, out, error) })
    }

    /// Closes the chat.
    pub fn close(&self) -> Answered {
        // SAFETY: places to write to.
        text(|out, error| unsafe { km_session_close(self.0, out, error) })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        km_engine_free(self.0);
    }
}

impl Drop for HostUser {
    fn drop(&mut self) {
        km_user_free(self.0);
    }
}

impl Drop for HostSession {
    fn drop(&mut self) {
        km_session_free(self.0);
    }
}
