//! What belongs to a callback of the host's: its data, and the finaliser that runs when nobody uses it.

use std::ffi::c_void;

use crate::guard::in_callback;

/// Told once that a callback's user data is not used any more. NULL where nobody needs to know. May be called on any thread,
/// also on one of the host's that is inside a call. Inside it only replies, strings and errors may be used: everything
/// else is KM_REENTRANT.
pub type km_finalizer = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// The user data of a callback. Dropped by the last who could use it, which runs the finaliser.
pub(crate) struct UserData {
    pointer: *mut c_void,
    finalizer: km_finalizer,
}

// SAFETY: the library only hands the pointer back. That its callbacks and finaliser may run on any thread
// is what the header asks of a host.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub fn new(pointer: *mut c_void, finalizer: km_finalizer) -> Self {
        UserData { pointer, finalizer }
    }

    pub fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(finalizer) = self.finalizer {
            // SAFETY: called once, by the last owner, with the pointer that it was given for.
            in_callback(|| unsafe { finalizer(self.pointer) });
        }
    }
}
