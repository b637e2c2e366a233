//! One chat: what a host's loop calls.

use std::ffi::c_char;
use std::future::Future;
use std::sync::Arc;

use keepmind::request::written;
use keepmind::{MessageOrigin, Push, Role, SessionHandle, SessionId, Span, ToolShape};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Notify;

use crate::boundary;
use crate::engine::Engine;
use crate::error::km_error;
use crate::handles::{self, handled};
use crate::status::{Failure, KM_CANCELLED, km_status};
use crate::strings::{self, Out};
use crate::user::{User, km_user};

/// The instructions of the host.
pub const KM_ROLE_SYSTEM: u32 = 1;
/// The user: the only one whose words are evidence.
pub const KM_ROLE_USER: u32 = 2;
/// The assistant.
pub const KM_ROLE_ASSISTANT: u32 = 3;
/// A tool's answer.
pub const KM_ROLE_TOOL: u32 = 4;

/// Tools as OpenAI's chat completions, and everything modelled on them, read them.
pub const KM_TOOLS_OPENAI: u32 = 1;
/// Tools as Anthropic's messages read them.
pub const KM_TOOLS_ANTHROPIC: u32 = 2;
/// Tools as a server of the Model Context Protocol lists them.
pub const KM_TOOLS_MCP: u32 = 3;

/// One chat of one user. Threads: any, at once.
pub struct km_session {
    _opaque: [u8; 0],
}

pub(crate) struct Session {
    engine: Arc<Engine>,
    handle: SessionHandle,
    cancelled: Notify,
}

handled!(Session, as km_session, 6, "session");

impl Session {
    fn of(user: &User, handle: SessionHandle) -> Self {
        Session {
            engine: Arc::clone(&user.engine),
            handle,
            cancelled: Notify::new(),
        }
    }

    /// Runs a call to its end on this thread, or until somebody cancels.
    fn run<T, F: Future<Output = keepmind::Result<T>>>(
        &self,
        call: impl FnOnce() -> F,
    ) -> Result<T, Failure> {
        self.engine.run(|| async {
            tokio::select! {
                biased;
                done = call() => Ok(done?),
                () = self.cancelled.notified() => {
                    Err(Failure::new(KM_CANCELLED, "the call was cancelled by km_session_cancel"))
                }
            }
        })
    }
}

fn role_of(number: u32) -> Result<Role, Failure> {
    Ok(match number {
        KM_ROLE_SYSTEM => Role::System,
        KM_ROLE_USER => Role::User,
        KM_ROLE_ASSISTANT => Role::Assistant,
        KM_ROLE_TOOL => Role::Tool,
        _ => return Err(Failure::invalid("the role is none of KM_ROLE_…")),
    })
}

fn shape_of(number: u32) -> Result<ToolShape, Failure> {
    Ok(match number {
        KM_TOOLS_OPENAI => ToolShape::OpenAi,
        KM_TOOLS_ANTHROPIC => ToolShape::Anthropic,
        KM_TOOLS_MCP => ToolShape::Mcp,
        _ => return Err(Failure::invalid("the shape is none of KM_TOOLS_…")),
    })
}

/// What may be said of a message.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PushOptions {
    hidden: Option<String>,
    origin: MessageOrigin,
    untrusted: Vec<Span>,
    calls: Vec<String>,
}

/// A message with what the options say of it.
fn message(role: Role, content: &str, options: Option<&str>) -> Result<Push, Failure> {
    let Some(options) = options else {
        return Ok(Push::new(role, content));
    };
    let wanted = || {
        let message =
            "options: a JSON object with some of hidden, origin, untrusted and calls is wanted";
        Failure::invalid(message)
    };
    if !options.trim_start().starts_with('{') {
        return Err(wanted());
    }
    let options: PushOptions = serde_json::from_str(options).map_err(|_| wanted())?;
    let mut push = Push::new(role, content);
    push.hidden = options.hidden;
    push.origin = options.origin;
    push.untrusted = options.untrusted;
    push.calls = options.calls;
    Ok(push)
}

/// Opens a chat: the block is rendered, and frozen with it.
///
/// Borrows `user`. Returns owned `session`, freed with km_session_free, and owned `error`. Threads: any.
///
/// # Safety
/// `session` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_open(
    user: *const km_user,
    session: *mut *mut km_session,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(session, "session") }?;
        let user = handles::of::<User>(user)?;
        let handle = user.engine.run(|| user.memory.open_session())?;
        out.write(handles::give(Session::of(&user, handle)));
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// A chat that was opened before, here or in another process, by its id. A closed one is talked in again
/// with the next message, which returns its new block.
///
/// Borrows `user` and `id`. Returns owned `session`, freed with km_session_free, and owned `error`.
/// Threads: any.
///
/// # Safety
/// `id` is NULL or can be read for `length` bytes; `session` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_resume(
    user: *const km_user,
    id: *const c_char,
    length: usize,
    session: *mut *mut km_session,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(session, "session") }?;
        let user = handles::of::<User>(user)?;
        // SAFETY: the caller's promise.
        let id = unsafe { strings::text(id, length, "id") }?;
        let id: SessionId = serde_json::from_value(Value::String(id.to_owned()))
            .map_err(|_| Failure::invalid("this is not the id of a session"))?;
        let handle = user.engine.run(|| user.memory.session(id))?;
        out.write(handles::give(Session::of(&user, handle)));
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// The chat's id, to find it again with km_session_resume.
///
/// Borrows `session`. Returns owned `id`, freed with km_string_free, and owned `error`. Threads: any.
///
/// # Safety
/// `id` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_id(
    session: *const km_session,
    id: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = |session: Arc<Session>| Ok(session.handle.id().to_string());
    // SAFETY: the caller's promise.
    unsafe { answered(session, id, error, body) }
}

/// Appends a message: every message of the chat belongs here as it is said, tools' answers too. `role` is a
/// KM_ROLE_ number.
///
/// `options` is JSON, or NULL: `hidden` (a part that the model sees and nobody is shown), `origin`
/// (`typed` or `prefill`), `untrusted` (ranges of bytes of the content that are not the speaker's own
/// words, `[{"start":0,"end":5}]`), `calls` (ids of the tool calls that the message makes or answers).
///
/// `pushed` is JSON: `number`, the message's place, and `block` where the message resumed the chat: it
/// goes into the system prompt from then on.
///
/// Borrows `session`, `content` and `options`. Returns owned `pushed`, freed with km_string_free, and owned
/// `error`. Threads: any.
///
/// # Safety
/// `content` and `options` are NULL or can be read for their lengths; `pushed` and `error` are NULL or can
/// be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_push(
    session: *const km_session,
    role: u32,
    content: *const c_char,
    content_length: usize,
    options: *const c_char,
    options_length: usize,
    pushed: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = |session: Arc<Session>| {
        let role = role_of(role)?;
        // SAFETY: the caller's promise.
        let content = unsafe { strings::text(content, content_length, "content") }?;
        // SAFETY: the caller's promise.
        let options = unsafe { strings::optional_text(options, options_length, "options") }?;
        let push = message(role, content, options)?;
        Ok(written(&session.run(|| session.handle.push(push))?)?)
    };
    // SAFETY: the caller's promise.
    unsafe { answered(session, pushed, error, body) }
}

/// What goes into the system prompt: the same bytes while the chat is active.
///
/// Borrows `session`. Returns owned `block`, freed with km_string_free, and owned `error`. Threads: any.
///
/// # Safety
/// `block` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_block(
    session: *const km_session,
    block: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = |session: Arc<Session>| session.run(|| session.handle.block());
    // SAFETY: the caller's promise.
    unsafe { answered(session, block, error, body) }
}

/// What to send to the model, within `budget` tokens, or the policy's budget where it is 0. `view` is JSON:
/// `summary` of what came before, where there is one, and `messages` word for word.
///
/// Borrows `session`. Returns owned `view`, freed with km_string_free, and owned `error`. Threads: any.
///
/// # Safety
/// `view` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_view(
    session: *const km_session,
    budget: u32,
    view: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = |session: Arc<Session>| {
        let budget = (budget > 0).then_some(budget);
        Ok(written(
            &session.run(|| session.handle.view_within(budget))?,
        )?)
    };
    // SAFETY: the caller's promise.
    unsafe { answered(session, view, error, body) }
}

/// The tools to offer the model, as a JSON list in the shape of a KM_TOOLS_ number.
///
/// Borrows `session`. Returns owned `tools`, freed with km_string_free, and owned `error`. Threads: any.
///
/// # Safety
/// `tools` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_tools(
    session: *const km_session,
    shape: u32,
    tools: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = |session: Arc<Session>| Ok(written(&session.handle.tools(shape_of(shape)?))?);
    // SAFETY: the caller's promise.
    unsafe { answered(session, tools, error, body) }
}

/// Runs a tool call as the model's provider wrote it: OpenAI's, Anthropic's, or
/// `{"name":"...","arguments":{...}}`. Whatever the model wrote, the status is KM_OK and `reply` has a `message`
/// for it; only the store failing is a status.
///
/// `reply` is JSON: `call` (the id to push the message with), `message`, `is_error`, and, where something
/// was written, `event` with a line for the user and a token for undo.
///
/// Borrows `session` and `call`. Returns owned `reply`, freed with km_string_free, and owned `error`.
/// Threads: any.
///
/// # Safety
/// `call` is NULL or can be read for `length` bytes; `reply` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_call_tool(
    session: *const km_session,
    call: *const c_char,
    length: usize,
    reply: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = |session: Arc<Session>| {
        // SAFETY: the caller's promise.
        let call = unsafe { strings::text(call, length, "call") }?;
        let reply = session.run(|| session.handle.call_tool_json(call))?;
        Ok(reply.to_json()?)
    };
    // SAFETY: the caller's promise.
    unsafe { answered(session, reply, error, body) }
}

/// Closes the chat: learns from what is new in it. `closed` is JSON: how it ended, what became of
/// everything that was found, and a token to undo it. The handle can be used on.
///
/// Borrows `session`. Returns owned `closed`, freed with km_string_free, and owned `error`. Threads: any.
///
/// # Safety
/// `closed` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_close(
    session: *const km_session,
    closed: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = |session: Arc<Session>| Ok(written(&session.run(|| session.handle.close())?)?);
    // SAFETY: the caller's promise.
    unsafe { answered(session, closed, error, body) }
}

/// Runs a request of this chat: rename, archive, trash, messages and more; or any command or query of its
/// user: docs/REQUESTS.md has them all.
///
/// Borrows `session` and `request`, which is JSON. Returns owned `answer`, JSON, freed with
/// km_string_free, and owned `error`. Threads: any.
///
/// # Safety
/// `request` is NULL or can be read for `length` bytes; `answer` and `error` are NULL or can be written
/// to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_request(
    session: *const km_session,
    request: *const c_char,
    length: usize,
    answer: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = |session: Arc<Session>| {
        // SAFETY: the caller's promise.
        let request = unsafe { strings::text(request, length, "request") }?;
        session.run(|| session.handle.request(request))
    };
    // SAFETY: the caller's promise.
    unsafe { answered(session, answer, error, body) }
}

/// Ends the calls that run on this handle now: they return KM_CANCELLED. What was being written may have
/// been. A close that was cancelled is finished by a later one, or by the sweep, when its lease has run out
/// (`close.lease_seconds` of the policy); until then closing says `by_another`. Later calls are not affected.
///
/// Borrows `session`. Returns owned `error`. Threads: any.
///
/// # Safety
/// `error` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_session_cancel(
    session: *const km_session,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        let session = handles::of::<Session>(session)?;
        session.engine.check_open()?;
        session.cancelled.notify_waiters();
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Frees the handle of a chat. NULL is fine; one that was freed already is KM_STALE_HANDLE. The chat
/// itself goes on: it can be resumed by its id.
///
/// Consumes `session`. Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn km_session_free(session: *mut km_session) -> km_status {
    boundary::free::<Session>(session, |_| ())
}

/// Runs a call that is answered with a text.
///
/// # Safety
/// `out` and `error` are NULL or can be written to.
unsafe fn answered(
    session: *const km_session,
    out: *mut *mut c_char,
    error: *mut *mut km_error,
    body: impl FnOnce(Arc<Session>) -> Result<String, Failure>,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, "the answer") }?;
        let session = handles::of::<Session>(session)?;
        // Not everything that is answered needs the store.
        session.engine.check_open()?;
        out.text(body(session)?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}
