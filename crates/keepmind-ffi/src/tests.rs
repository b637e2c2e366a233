//! What only the inside can test: a panic becomes a status, and the handle can still be used.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use keepmind::store::StorePlace;
use keepmind::{Clock, SystemClock, Timestamp};

use crate::boundary;
use crate::config::Settings;
use crate::engine::{Engine, km_engine};
use crate::handles;
use crate::status::Failure;
use crate::*;

fn engine() -> *mut km_engine {
    let settings = Settings {
        store: Some(StorePlace::Memory),
        ..Settings::default()
    };
    handles::give(Engine::open(settings).expect("a store in memory opens"))
}

fn save(engine: *const km_engine) -> km_status {
    let request = r#"{"user":"alice","command":"save","content":"Lives in Ghent"}"#;
    let mut answer = ptr::null_mut();
    // SAFETY: a literal with its length, a local variable, and no error wanted.
    unsafe {
        let text = request.as_ptr().cast();
        let status = km_engine_request(engine, text, request.len(), &mut answer, ptr::null_mut());
        km_string_free(answer);
        status
    }
}

/// What a body that panics within a call on the engine ends with.
fn panicking(engine: *const km_engine, error: &mut *mut km_error) -> km_status {
    let body = || {
        let engine: Arc<Engine> = handles::of::<Engine>(engine)?;
        engine.run(|| async {
            // Behind a call, or what follows would not be reached.
            Err::<(), Failure>(fault())
        })
    };
    // SAFETY: a variable of the caller's.
    unsafe { boundary::call(error, body) }
}

fn fault() -> Failure {
    panic!("a fault made by a test")
}

#[test]
fn a_panic_becomes_a_status_and_the_handle_can_be_used() {
    let engine = engine();
    assert_eq!(save(engine), KM_OK);
    let mut error = ptr::null_mut();
    for _ in 0..3 {
        assert_eq!(panicking(engine, &mut error), KM_PANIC);
        assert_eq!(km_error_status(error), KM_PANIC);
        // SAFETY: the message lives as long as the error.
        let message = unsafe { CStr::from_ptr(km_error_message(error)) };
        assert!(!message.to_bytes().is_empty());
        assert_eq!(km_error_free(error), KM_OK);
        assert_eq!(save(engine), KM_OK);
    }
    assert_eq!(km_engine_free(engine), KM_OK);
}

/// Fails when it is asked, while it is broken: in the midst of whatever a call does.
#[derive(Debug, Default)]
struct Brittle {
    is_broken: AtomicBool,
}

impl Clock for Brittle {
    fn now(&self) -> Timestamp {
        assert!(
            !self.is_broken.load(Ordering::SeqCst),
            "a fault made by a test"
        );
        SystemClock.now()
    }
}

type Out = *mut *mut c_char;
type CallOfAChat = fn(*const km_session, Out) -> km_status;

/// Those that read the clock.
const CALLS: [(&str, CallOfAChat); 4] = [
    ("push", |chat, out| {
        let said = "I live in Ghent.";
        // SAFETY: a literal with its length, no options, a local variable, and no error wanted.
        unsafe {
            let text = said.as_ptr().cast();
            let none = ptr::null();
            km_session_push(
                chat,
                KM_ROLE_USER,
                text,
                said.len(),
                none,
                0,
                out,
                ptr::null_mut(),
            )
        }
    }),
    ("call_tool", |chat, out| {
        let call = r#"{"name":"save_memory","arguments":{"content":"Lives in Ghent"}}"#;
        // SAFETY: as above.
        unsafe {
            km_session_call_tool(chat, call.as_ptr().cast(), call.len(), out, ptr::null_mut())
        }
    }),
    ("request", |chat, out| {
        let request = r#"{"command":"save","content":"Owns a bicycle"}"#;
        // SAFETY: as above.
        unsafe {
            let text = request.as_ptr().cast();
            km_session_request(chat, text, request.len(), out, ptr::null_mut())
        }
    }),
    ("close", |chat, out| {
        // SAFETY: as above.
        unsafe { km_session_close(chat, out, ptr::null_mut()) }
    }),
];

fn answered(what: &str, wanted: km_status, call: impl FnOnce(Out) -> km_status) -> String {
    let mut out = ptr::null_mut();
    assert_eq!(call(&mut out), wanted, "{what}");
    assert_eq!(out.is_null(), wanted != KM_OK, "{what}");
    if out.is_null() {
        return String::new();
    }
    // SAFETY: a string that the library returned owned, freed once.
    unsafe {
        let text = CStr::from_ptr(out).to_string_lossy().into_owned();
        km_string_free(out);
        text
    }
}

fn panics_within_the_calls_of_a_chat(store: StorePlace) {
    let clock = Arc::new(Brittle::default());
    let settings = Settings {
        store: Some(store),
        clock: Some(clock.clone()),
        ..Settings::default()
    };
    let engine = handles::give(Engine::open(settings).expect("the store opens"));
    let (mut user, mut chat) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: a literal with its length, no options, local variables, and no error wanted.
    unsafe {
        let (name, none) = ("alice".as_ptr().cast(), ptr::null());
        assert_eq!(
            km_engine_user(engine, name, 5, none, 0, &mut user, ptr::null_mut()),
            KM_OK
        );
        assert_eq!(km_session_open(user, &mut chat, ptr::null_mut()), KM_OK);
    }
    for (name, call) in CALLS {
        for _ in 0..2 {
            clock.is_broken.store(true, Ordering::SeqCst);
            answered(name, KM_PANIC, |out| call(chat, out));
        }
        clock.is_broken.store(false, Ordering::SeqCst);
        answered(name, KM_OK, |out| call(chat, out));
    }
    let asked = |request: &str| {
        answered(request, KM_OK, |out| {
            let text = request.as_ptr().cast();
            // SAFETY: as above.
            unsafe { km_session_request(chat, text, request.len(), out, ptr::null_mut()) }
        })
    };
    // What failed left nothing behind, and what did not is there once.
    let said = asked(r#"{"request":"messages"}"#);
    assert_eq!(said.matches("I live in Ghent.").count(), 1, "{said}");
    let kept = asked(r#"{"query":"list"}"#);
    for content in ["Lives in Ghent", "Owns a bicycle"] {
        let told = format!(r#""content":"{content}""#);
        assert_eq!(kept.matches(&told).count(), 1, "{kept}");
    }
    assert_eq!(km_session_free(chat), KM_OK);
    assert_eq!(km_user_free(user), KM_OK);
    assert_eq!(km_engine_free(engine), KM_OK);
}

#[test]
fn a_panic_within_a_chats_call_leaves_nothing_behind_in_memory() {
    panics_within_the_calls_of_a_chat(StorePlace::Memory);
}

#[test]
fn a_panic_within_a_chats_call_leaves_nothing_behind_on_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    panics_within_the_calls_of_a_chat(StorePlace::File(folder.path().join("memories.db")));
}

#[test]
fn a_panic_in_one_thread_is_nobody_elses() {
    let engine = engine().addr();
    std::thread::scope(|scope| {
        for turn in 0..8 {
            scope.spawn(move || {
                let engine = ptr::without_provenance(engine);
                let mut error = ptr::null_mut();
                match turn % 2 {
                    0 => assert_eq!(panicking(engine, &mut error), KM_PANIC),
                    _ => assert_eq!(save(engine), KM_OK),
                }
                assert_eq!(km_error_free(error), KM_OK);
            });
        }
    });
    assert_eq!(km_engine_free(ptr::without_provenance_mut(engine)), KM_OK);
    assert_eq!(
        km_engine_free(ptr::without_provenance_mut(engine)),
        KM_STALE_HANDLE
    );
}
