//! A host that reaches the library through its C functions.

use std::ffi::{CStr, c_char};
use std::ptr;

use keepmind_ffi::*;

/// What a request is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Engine,
    User,
    Session,
}

/// An engine in memory, one user, one chat of theirs.
pub struct Host {
    engine: *mut km_engine,
    user: *mut km_user,
    session: std::cell::Cell<*mut km_session>,
}

impl Host {
    pub fn open() -> Self {
        let mut config = ptr::null_mut();
        let mut engine = ptr::null_mut();
        let mut user = ptr::null_mut();
        let (key, value, name) = ("store", "memory:", "alice");
        // SAFETY: every pointer is to a local variable or a literal, with its length.
        unsafe {
            assert_eq!(km_config_new(&mut config, ptr::null_mut()), KM_OK);
            let set = km_config_set(
                config,
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                ptr::null_mut(),
            );
            assert_eq!(set, KM_OK);
            assert_eq!(km_engine_open(config, &mut engine, ptr::null_mut()), KM_OK);
            assert_eq!(km_config_free(config), KM_OK);
            let given = km_engine_user(
                engine,
                name.as_ptr().cast(),
                name.len(),
                ptr::null(),
                0,
                &mut user,
                ptr::null_mut(),
            );
            assert_eq!(given, KM_OK);
        }
        Host {
            engine,
            user,
            session: std::cell::Cell::new(ptr::null_mut()),
        }
    }

    /// The chat: opened when it is first asked for.
    fn session(&self) -> *mut km_session {
        if self.session.get().is_null() {
            let mut session = ptr::null_mut();
            // SAFETY: the pointer is to a local variable.
            let opened = unsafe { km_session_open(self.user, &mut session, ptr::null_mut()) };
            assert_eq!(opened, KM_OK);
            self.session.set(session);
        }
        self.session.get()
    }

    /// The answer, or the status and what the error says.
    pub fn request(&self, target: Target, request: &str) -> Result<String, (km_status, String)> {
        let mut answer: *mut c_char = ptr::null_mut();
        let mut error: *mut km_error = ptr::null_mut();
        let (text, length) = (request.as_ptr().cast(), request.len());
        // SAFETY: the request is borrowed for the call, the rest are local variables.
        let status = unsafe {
            match target {
                Target::Engine => {
                    km_engine_request(self.engine, text, length, &mut answer, &mut error)
                }
                Target::User => km_user_request(self.user, text, length, &mut answer, &mut error),
                Target::Session => {
                    km_session_request(self.session(), text, length, &mut answer, &mut error)
                }
            }
        };
        if status == KM_OK {
            assert!(error.is_null());
            // SAFETY: a string that the library returned owned, freed once.
            return unsafe {
                let text = CStr::from_ptr(answer).to_str().expect("UTF-8").to_owned();
                km_string_free(answer);
                Ok(text)
            };
        }
        assert!(answer.is_null(), "an answer is written on KM_OK only");
        assert_eq!(km_error_status(error), status);
        // SAFETY: the message lives as long as the error.
        let message = unsafe { CStr::from_ptr(km_error_message(error)) };
        let message = message.to_str().expect("UTF-8").to_owned();
        assert_eq!(km_error_free(error), KM_OK);
        Err((status, message))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        assert_eq!(km_session_free(self.session.get()), KM_OK);
        assert_eq!(km_user_free(self.user), KM_OK);
        assert_eq!(km_engine_free(self.engine), KM_OK);
    }
}
