//! What only the inside can test: a panic becomes a status, and the handle can still be used.

use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;

use keepmind::store::StorePlace;

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
