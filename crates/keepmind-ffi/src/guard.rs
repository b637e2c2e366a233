//! The same process, not inside a callback, no panic beyond this point: what holds for everything exported.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::runtime::Handle;

use crate::status::{Failure, KM_FORKED, KM_IO, KM_OK, KM_PANIC, KM_REENTRANT, km_status};

/// The process that first called the library.
static PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs it unless this process was forked, and catches a panic.
pub(crate) fn anywhere<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Before any lock: another thread of the parent may have held one when the process was forked, and
    // nobody is left to release it.
    same_process()?;
    if is_thread_ending() {
        return on_another_thread(body);
    }
    guarded(body)
}

fn guarded<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        let message = "a fault in the library was caught: nothing was half written, and the handle can still \
                       be used; please report it with what standard error says";
        Err(Failure::new(KM_PANIC, message))
    })
}

/// Whether this thread's own variables are gone already, which a runtime needs: a host calls from a destructor, or at the
/// end of the program.
fn is_thread_ending() -> bool {
    Handle::try_current().is_err_and(|error| error.is_thread_local_destroyed())
}

/// Runs it where a thread's variables are, while this one waits.
fn on_another_thread<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    struct Lent<T>(T);
    // SAFETY: the other thread has it alone, and has ended before this one goes on. What a call holds are pointers and
    // handles of the caller's, which every thread may use.
    unsafe impl<T> Send for Lent<T> {}
    impl<T> Lent<T> {
        fn take(self) -> T {
            self.0
        }
    }
    let is_in_callback = IN_CALLBACK.get();
    let mut done = Err(Failure::new(KM_IO, "no thread could be started"));
    let lent = Lent((body, &mut done));
    std::thread::scope(|scope| {
        let work = move || {
            let (body, done) = lent.take();
            IN_CALLBACK.set(is_in_callback);
            *done = guarded(body);
        };
        // Scopes wait for their threads; where none could be started, `done` says so.
        drop(std::thread::Builder::new().spawn_scoped(scope, work));
    });
    done
}

/// As [`anywhere`], and refuses what a callback of the host's calls.
pub(crate) fn outside_callbacks<T>(
    body: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    anywhere(|| {
        if IN_CALLBACK.get() {
            let message = "called from inside a callback: only replies, strings and errors may be used there; \
                           let the callback return and go on from another thread";
            return Err(Failure::new(KM_REENTRANT, message));
        }
        body()
    })
}

pub(crate) fn status(done: Result<(), Failure>) -> km_status {
    done.map_or_else(|failure| failure.status, |()| KM_OK)
}

fn same_process() -> Result<(), Failure> {
    let here = std::process::id();
    let first = PROCESS.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed);
    match first {
        Err(first) if first != here => Err(Failure::new(
            KM_FORKED,
            "this process was forked from one that uses keepmind: execute a program first",
        )),
        _ => Ok(()),
    }
}

/// Runs a callback of the host's: calls that it makes into the library are refused meanwhile.
pub(crate) fn in_callback<T>(callback: impl FnOnce() -> T) -> T {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            IN_CALLBACK.set(self.0);
        }
    }
    let _back = Back(IN_CALLBACK.replace(true));
    callback()
}
