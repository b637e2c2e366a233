//! One user's memory.

use std::ffi::c_char;
use std::sync::Arc;

use keepmind::{Timestamp, UserMemory};
use serde::Deserialize;

use crate::boundary;
use crate::engine::{Engine, km_engine};
use crate::error::km_error;
use crate::handles::{self, handled};
use crate::status::{Failure, km_status};
use crate::strings::{self, Out};

/// One user's memory. Threads: any, at once.
pub struct km_user {
    _opaque: [u8; 0],
}

pub(crate) struct User {
    pub engine: Arc<Engine>,
    pub memory: UserMemory,
}

handled!(User, as km_user, 5, "user");

/// What may be said of a user.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    offset_minutes: i32,
    offset_before: Option<OffsetBefore>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OffsetBefore {
    moment: Timestamp,
    minutes: i32,
}

impl Options {
    fn read(text: Option<&str>) -> Result<Self, Failure> {
        let Some(text) = text else {
            return Ok(Options::default());
        };
        let wanted = || {
            let message = "options: {\"offset_minutes\": 120, \"offset_before\": {\"moment\": …, \"minutes\": 60}} is wanted";
            Failure::invalid(message)
        };
        if !text.trim_start().starts_with('{') {
            return Err(wanted());
        }
        serde_json::from_str(text).map_err(|_| wanted())
    }
}

/// The memory of one user: the only door to data. `name` is the host's stable id of the user.
///
/// `options` is JSON, or NULL: `offset_minutes`, how far the user's clock is ahead of UTC; `offset_before`
/// with `moment` and `minutes`, how far it was before that moment.
///
/// Borrows `engine`, `name` and `options`. Returns owned `user`, freed with km_user_free, and owned
/// `error`. Threads: any.
///
/// # Safety
/// `name` and `options` are NULL or can be read for their lengths; `user` and `error` are NULL or can be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_engine_user(
    engine: *const km_engine,
    name: *const c_char,
    name_length: usize,
    options: *const c_char,
    options_length: usize,
    user: *mut *mut km_user,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(user, "user") }?;
        let engine = handles::of::<Engine>(engine)?;
        // SAFETY: the caller's promise.
        let name = unsafe { strings::text(name, name_length, "name") }?;
        // SAFETY: the caller's promise.
        let options = unsafe { strings::optional_text(options, options_length, "options") }?;
        let options = Options::read(options)?;
        let mut memory = engine.run(|| async {
            engine
                .keepmind()
                .user(name)?
                .at_offset(options.offset_minutes)
        })?;
        if let Some(before) = options.offset_before {
            memory = memory.with_offset_before(before.moment, before.minutes)?;
        }
        out.write(handles::give(User { engine, memory }));
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Runs a request of this user: any command, any query, and more: docs/REQUESTS.md has them all. It counts
/// as the user's own word; what a model asks for goes through km_session_call_tool.
///
/// Borrows `user` and `request`, which is JSON. Returns owned `answer`, JSON, freed with km_string_free,
/// and owned `error`. Threads: any.
///
/// # Safety
/// `request` is NULL or can be read for `length` bytes; `answer` and `error` are NULL or can be written
/// to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_user_request(
    user: *const km_user,
    request: *const c_char,
    length: usize,
    answer: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(answer, "answer") }?;
        let user = handles::of::<User>(user)?;
        // SAFETY: the caller's promise.
        let request = unsafe { strings::text(request, length, "request") }?;
        out.text(user.engine.run(|| user.memory.request(request))?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Frees a user. NULL is fine; one that was freed already is KM_STALE_HANDLE. Sessions of it go on.
///
/// Consumes `user`. Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn km_user_free(user: *mut km_user) -> km_status {
    boundary::free::<User>(user, |_| ())
}
