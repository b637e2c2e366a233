//! The one-shot reply to a question that a callback was asked: completed once, now or later, from any thread.

use std::ffi::{c_char, c_void};
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use keepmind::PlugError;
use tokio::sync::{oneshot, watch};

use crate::boundary;
use crate::callback::UserData;
use crate::error::km_error;
use crate::guard::in_callback;
use crate::handles::{self, handled};
use crate::log::{KM_LOG_WARNING, Log};
use crate::status::{Failure, KM_STALE_HANDLE, KM_TOO_LONG, km_status};
use crate::strings::{self, KM_MAX_BYTES, c_string};

/// Where a callback's answer goes. Complete it once, inside the callback or later. Threads: any.
pub struct km_reply {
    _opaque: [u8; 0],
}

type Answer<T> = Result<T, PlugError>;

/// Who waits, and for what.
pub(crate) enum Waiting {
    Text(oneshot::Sender<Answer<String>>),
    Vectors(oneshot::Sender<Answer<Vec<Vec<f32>>>>),
}

pub(crate) struct Reply(Mutex<Option<Waiting>>);

handled!(Reply, as km_reply, 2, "reply");

impl Reply {
    /// Takes the one who waits out, if `fits`.
    fn take(&self, fits: impl FnOnce(&Waiting) -> Result<(), Failure>) -> Result<Waiting, Failure> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(found) = waiting.take() else {
            return Err(answered());
        };
        if let Err(failure) = fits(&found) {
            *waiting = Some(found);
            return Err(failure);
        }
        Ok(found)
    }
}

fn answered() -> Failure {
    let message = "this reply was completed already, or nobody waits for it any more";
    Failure::new(KM_STALE_HANDLE, message)
}

/// A function of the host's that is asked, and its data, for as long as anybody may call it.
pub(crate) struct Callback {
    pub function: unsafe extern "C" fn(*mut c_void, *const c_char, *mut km_reply),
    pub data: UserData,
}

/// What every question of one engine needs.
#[derive(Clone)]
pub(crate) struct Asking {
    pub log: Log,
    /// Turns true when the engine closes: nobody is asked any more, and nobody waited for.
    pub closing: watch::Receiver<bool>,
}

impl Asking {
    /// Asks the host on a thread where it may block, with a request in JSON, and waits for the reply.
    pub async fn ask<T: Send + 'static>(
        &self,
        who: &'static str,
        host: &Arc<Callback>,
        request: &str,
        waiting: fn(oneshot::Sender<Answer<T>>) -> Waiting,
    ) -> Answer<T> {
        let closed = || Err(PlugError::lasting("the engine is closing"));
        if *self.closing.borrow() {
            return closed();
        }
        let (sender, answer) = oneshot::channel();
        let reply = Arc::new(Reply(Mutex::new(Some(waiting(sender)))));
        let number = handles::give_shared(Arc::clone(&reply)).addr();
        let waits = Waits {
            number,
            who,
            log: &self.log,
        };
        let called = Arc::downgrade(&reply);
        drop(reply);
        let heard = self.closing.clone();
        let host = Arc::clone(host);
        let request = c_string(request);
        tokio::task::spawn_blocking(move || {
            // All threads may have been busy for so long that nobody waits any more.
            if called.strong_count() > 0 && !*heard.borrow() {
                let reply = std::ptr::without_provenance_mut(number);
                // SAFETY: the host's own function, with the data it gave for it, which `host` keeps alive,
                // and a text that outlives the call.
                in_callback(|| unsafe {
                    (host.function)(host.data.pointer(), request.as_ptr(), reply);
                });
            }
        });
        let mut closing = self.closing.clone();
        tokio::select! {
            answer = answer => {
                waits.ended();
                answer.unwrap_or_else(|_| Err(PlugError::passing("the reply was dropped")))
            }
            _ = closing.wait_for(|closing| *closing) => {
                waits.ended();
                closed()
            }
        }
    }
}

/// Makes the reply stale when nobody waits for it any more.
struct Waits<'a> {
    number: usize,
    who: &'static str,
    log: &'a Log,
}

impl Waits<'_> {
    fn ended(self) {
        self.let_go();
        std::mem::forget(self);
    }

    fn let_go(&self) {
        let handle = std::ptr::without_provenance_mut(self.number);
        drop(handles::take::<Reply>(handle));
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.let_go();
        let message = format!("the {} was not waited for any longer", self.who);
        self.log.say(KM_LOG_WARNING, &message);
    }
}

/// Answers with a text: what the model said.
///
/// KM_STALE_HANDLE where the reply was completed before or came too late. On any other failure the reply
/// can still be completed.
///
/// Consumes `reply` on KM_OK. Borrows `text`. Returns owned `error`. Threads: any, also inside a callback.
///
/// # Safety
/// `text` is NULL or can be read for `length` bytes; `error` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_reply_text(
    reply: *mut km_reply,
    text: *const c_char,
    length: usize,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        let found = handles::of::<Reply>(reply)?;
        // SAFETY: the caller's promise.
        let text = unsafe { strings::text(text, length, "text") }?.to_owned();
        let waiting = found.take(|waiting| match waiting {
            Waiting::Text(_) => Ok(()),
            Waiting::Vectors(_) => Err(Failure::invalid("vectors are wanted: km_reply_vectors")),
        })?;
        if let Waiting::Text(sender) = waiting {
            return sender.send(Ok(text)).map_err(|_| answered());
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call_anywhere(error, body) }
}

/// Answers with vectors: `count` of them, one after the other, each of `dimensions` numbers. `values` need not
/// be aligned.
///
/// KM_STALE_HANDLE where the reply was completed before or came too late. On any other failure the reply
/// can still be completed.
///
/// Consumes `reply` on KM_OK. Borrows `values`. Returns owned `error`. Threads: any, also inside a
/// callback.
///
/// # Safety
/// `values` is NULL or can be read for `count` times `dimensions` floats; `error` is NULL or can be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_reply_vectors(
    reply: *mut km_reply,
    values: *const f32,
    count: usize,
    dimensions: usize,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        let found = handles::of::<Reply>(reply)?;
        if values.is_null() {
            return Err(Failure::null("values"));
        }
        if dimensions == 0 {
            return Err(Failure::invalid("a vector has at least one dimension"));
        }
        let length = count
            .checked_mul(dimensions)
            .filter(|length| *length <= KM_MAX_BYTES / size_of::<f32>())
            .ok_or_else(|| {
                let message =
                    format!("`values` is longer than the {KM_MAX_BYTES} bytes that are read");
                Failure::new(KM_TOO_LONG, message)
            })?;
        // SAFETY: not NULL, and the caller promises that so many can be read; bytes may lie anywhere.
        let bytes =
            unsafe { slice::from_raw_parts(values.cast::<u8>(), size_of::<f32>() * length) };
        let (numbers, _) = bytes.as_chunks();
        let vectors = numbers
            .chunks_exact(dimensions)
            .map(|vector| vector.iter().copied().map(f32::from_ne_bytes).collect())
            .collect();
        let waiting = found.take(|waiting| match waiting {
            Waiting::Vectors(_) => Ok(()),
            Waiting::Text(_) => Err(Failure::invalid("a text is wanted: km_reply_text")),
        })?;
        if let Waiting::Vectors(sender) = waiting {
            return sender.send(Ok(vectors)).map_err(|_| answered());
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call_anywhere(error, body) }
}

/// Says that there is no answer, and whether asking again can help (`is_retryable` is not 0). `message`
/// says why in English, without any user's words.
///
/// KM_STALE_HANDLE where the reply was completed before or came too late.
///
/// Consumes `reply` on KM_OK. Borrows `message`. Returns owned `error`. Threads: any, also inside a
/// callback.
///
/// # Safety
/// `message` is NULL or can be read for `length` bytes; `error` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_reply_failure(
    reply: *mut km_reply,
    message: *const c_char,
    length: usize,
    is_retryable: i32,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        let found = handles::of::<Reply>(reply)?;
        // SAFETY: the caller's promise.
        let message = unsafe { strings::text(message, length, "message") }?;
        let failure = match is_retryable {
            0 => PlugError::lasting(message),
            _ => PlugError::passing(message),
        };
        let sent = match found.take(|_| Ok(()))? {
            Waiting::Text(sender) => sender.send(Err(failure)).map_err(drop),
            Waiting::Vectors(sender) => sender.send(Err(failure)).map_err(drop),
        };
        sent.map_err(|()| answered())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call_anywhere(error, body) }
}
