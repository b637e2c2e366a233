//! The shared library, and beside it the same calls as a host in Rust makes them: a process of another language that loads it
//! measures what calls from there cost more. For `keepmind-bench ops --through python`.

#![allow(non_camel_case_types)]

use std::ffi::c_char;
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use keepmind_ffi::host::{Call, Direct, keepmind_of};
use keepmind_ffi::km_engine;
use rustix::time::{ClockId, clock_gettime};

/// Who calls.
static DIRECT: Mutex<Option<Direct>> = Mutex::new(None);

fn direct() -> MutexGuard<'static, Option<Direct>> {
    DIRECT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nanoseconds of CPU time.
fn spent(clock: ClockId) -> i64 {
    let time = Duration::try_from(clock_gettime(clock)).unwrap_or_default();
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// Opens a chat of the user `name`, to whom all calls belong: another name later changes nothing. Answers whether that could
/// be done.
///
/// # Safety
/// `name` can be read for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn beside_new_chat(
    engine: *const km_engine,
    name: *const c_char,
    length: usize,
) -> bool {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name, length) };
    let Some(keepmind) = keepmind_of(engine) else {
        return false;
    };
    let mut direct = direct();
    match &mut *direct {
        Some(direct) => direct.new_chat().is_ok(),
        None => {
            *direct = Direct::open(&keepmind, name).ok();
            direct.is_some()
        }
    }
}

/// Makes a call by its name with each of the `count` lines of `told`, one after the other as a host in Rust does, and writes
/// what each took of this thread's and of all threads' CPU time, in nanoseconds. Answers whether all could be done.
///
/// # Safety
/// `call` and `told` can be read for their lengths; two numbers for each of `count` can be written to `took`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn beside_call(
    call: *const c_char,
    call_length: usize,
    told: *const c_char,
    told_length: usize,
    took: *mut i64,
    count: usize,
) -> bool {
    // SAFETY: the caller's promise.
    let (call, told) = unsafe { (text(call, call_length), text(told, told_length)) };
    let call = Call::all().into_iter().find(|known| known.name() == call);
    let (Some(call), Some(direct)) = (call, &*direct()) else {
        return false;
    };
    if told.split('\n').count() != count {
        return false;
    }
    // SAFETY: the caller's promise.
    let took = unsafe { slice::from_raw_parts_mut(took, 2 * count) };
    for (told, took) in told.split('\n').zip(took.chunks_exact_mut(2)) {
        // The thread's clock is looked at last and first: nothing but the call is in between.
        let all_threads = spent(ClockId::ProcessCPUTime);
        let calling = spent(ClockId::ThreadCPUTime);
        let done = direct.call(call, told);
        took[0] = spent(ClockId::ThreadCPUTime) - calling;
        took[1] = spent(ClockId::ProcessCPUTime) - all_threads;
        if done.is_err() {
            return false;
        }
    }
    true
}

/// Lets go of the user, before the engine is closed.
#[unsafe(no_mangle)]
pub extern "C" fn beside_end() {
    *direct() = None;
}

/// # Safety
/// `length` bytes can be read at `text`.
unsafe fn text<'a>(text: *const c_char, length: usize) -> &'a str {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice::from_raw_parts(text.cast::<u8>(), length) };
    std::str::from_utf8(bytes).unwrap_or_default()
}
