//! A closed engine answers nothing, and calls nobody.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use keepmind_ffi::*;

fn in_memory() -> *mut km_engine {
    let (key, value) = ("store", "memory:");
    let (mut config, mut engine) = (ptr::null_mut(), ptr::null_mut());
    let none = ptr::null_mut();
    // SAFETY: literals with their lengths, and local variables to write to.
    unsafe {
        assert_eq!(km_config_new(&mut config, none), KM_OK);
        let (key, key_length) = (key.as_ptr().cast(), key.len());
        let set = km_config_set(
            config,
            key,
            key_length,
            value.as_ptr().cast(),
            value.len(),
            none,
        );
        assert_eq!(set, KM_OK);
        assert_eq!(km_engine_open(config, &mut engine, none), KM_OK);
    }
    assert_eq!(km_config_free(config), KM_OK);
    engine
}

fn save_for(engine: *const km_engine, user: &str) {
    let request = format!(r#"{{"user":"{user}","command":"save","content":"Lives in Ghent"}}"#);
    let mut answer = ptr::null_mut();
    // SAFETY: a text with its length, and a local variable to write to.
    unsafe {
        let text = request.as_ptr().cast();
        let saved = km_engine_request(engine, text, request.len(), &mut answer, ptr::null_mut());
        assert_eq!(saved, KM_OK);
        km_string_free(answer);
    }
}

#[test]
fn what_needs_no_store_is_refused_after_a_close_too() {
    let engine = in_memory();
    let (mut user, mut session) = (ptr::null_mut(), ptr::null_mut());
    let mut text = ptr::null_mut();
    let none = ptr::null_mut();
    // SAFETY: a literal with its length, and local variables to write to.
    unsafe {
        let name = c"alice";
        let made = km_engine_user(engine, name.as_ptr(), 5, ptr::null(), 0, &mut user, none);
        assert_eq!(made, KM_OK);
        assert_eq!(km_session_open(user, &mut session, none), KM_OK);
        assert_eq!(km_engine_close(engine, none), KM_OK);
        assert_eq!(km_session_id(session, &mut text, none), KM_CLOSED);
        assert_eq!(
            km_session_tools(session, KM_TOOLS_OPENAI, &mut text, none),
            KM_CLOSED
        );
        assert_eq!(km_session_cancel(session, none), KM_CLOSED);
    }
    assert!(text.is_null());
    assert_eq!(km_session_free(session), KM_OK);
    assert_eq!(km_user_free(user), KM_OK);
    assert_eq!(km_engine_free(engine), KM_OK);
}

/// A sweep that somebody watches: it says that it was told, and waits until it may go on.
struct Watcher {
    told: AtomicUsize,
    tell: SyncSender<()>,
    go_on: Mutex<Receiver<()>>,
}

unsafe extern "C" fn watch(data: *mut c_void, _: *const c_char) -> i32 {
    // SAFETY: the watcher that the sweep was given, which outlives it.
    let watcher = unsafe { &*data.cast::<Watcher>() };
    if watcher.told.fetch_add(1, Ordering::SeqCst) == 0 {
        watcher.tell.send(()).expect("the test waits");
        let waiting = watcher.go_on.lock().expect("one waits");
        waiting.recv().expect("the test goes on");
    }
    0
}

#[test]
fn a_close_ends_a_sweep_and_nobody_is_told_any_more() {
    let engine = in_memory();
    for user in ["alice", "bob", "carol"] {
        save_for(engine, user);
    }
    let (tell, told) = sync_channel(1);
    let (go_on, waiting) = sync_channel(1);
    let mut watcher = Watcher {
        told: AtomicUsize::new(0),
        tell,
        go_on: Mutex::new(waiting),
    };
    let address = engine.addr();
    let closing = thread::spawn(move || {
        told.recv().expect("the sweep begins");
        let engine = ptr::without_provenance_mut(address);
        // SAFETY: no error is wanted.
        assert_eq!(unsafe { km_engine_close(engine, ptr::null_mut()) }, KM_OK);
        go_on.send(()).expect("the sweep waits");
    });
    let mut report = ptr::null_mut();
    let data = ptr::from_mut(&mut watcher).cast();
    // SAFETY: the watcher outlives the call, and the report is a local variable.
    let swept = unsafe { km_engine_sweep(engine, Some(watch), data, &mut report, ptr::null_mut()) };
    closing.join().expect("it closes");
    assert_eq!(watcher.told.load(Ordering::SeqCst), 1);
    if swept == KM_OK {
        // SAFETY: a string that the library returned owned, freed once.
        unsafe { km_string_free(report) };
    }
    assert_eq!(km_engine_free(engine), KM_OK);
}
