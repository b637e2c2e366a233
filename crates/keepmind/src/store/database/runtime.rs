//! The runtime that a store brings along, so that it works under any other, and who may use it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::{Error, ErrorKind, Result};

/// What errors while opening say was being done.
pub(crate) const OPEN: &str = "open";

/// Something to do, whatever it is: what runs it is made once for each kind of answer.
pub(crate) type Work<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// A runtime that may be dropped anywhere, an async context included.
pub(crate) struct OwnRuntime {
    runtime: Option<Runtime>,
    process: u32,
}

impl OwnRuntime {
    /// Threads to work on, told what else they are to drive.
    pub(crate) fn new(drive: impl FnOnce(&mut Builder)) -> Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder
            .worker_threads(2)
            .thread_name("keepmind")
            .enable_time();
        drive(&mut builder);
        let runtime = builder.build().map_err(|error| no_thread(&error))?;
        Ok(OwnRuntime {
            runtime: Some(runtime),
            process: std::process::id(),
        })
    }

    /// Runs work as a task of the library's, so that a caller who gives up changes nothing.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: Work<T>,
    ) -> Result<T> {
        let runtime = self.checked(operation)?;
        // The task ends early only when the runtime does: when the store is dropped while it works.
        runtime.spawn(work).await.map_err(|_| closed(operation))?
    }

    /// Runs work where its caller is: to wake another thread and to be woken by it takes longer than what is
    /// read most often. A caller who gives up changes nothing here either.
    #[cfg(feature = "sqlite")]
    pub(crate) async fn run_here<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: Work<T>,
    ) -> Result<T> {
        let runtime = self.checked(operation)?.handle().clone();
        let work = Some(work);
        Here { work, runtime }.await
    }

    fn checked(&self, operation: &'static str) -> Result<&Runtime> {
        self.check_process(operation)?;
        self.runtime.as_ref().ok_or_else(|| closed(operation))
    }

    /// Refuses a process that was forked from the one the store belongs to.
    pub(crate) fn check_process(&self, operation: &'static str) -> Result<()> {
        if std::process::id() == self.process {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Unsupported,
            operation,
            "the process was forked: the store belongs to the parent; open it anew after the fork",
        ))
    }

    #[cfg(all(test, feature = "sqlite"))]
    pub(crate) fn pretend_to_be_of(&mut self, process: u32) {
        self.process = process;
    }
}

/// Work that its caller drives, with the runtime at hand; dropped before its end, the runtime brings it there.
#[cfg(feature = "sqlite")]
struct Here<T: Send + 'static> {
    work: Option<Work<T>>,
    runtime: Handle,
}

#[cfg(feature = "sqlite")]
impl<T: Send + 'static> Future for Here<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        // Gone while it runs: what panics is not brought to its end.
        let Some(mut work) = self.work.take() else {
            return Poll::Pending;
        };
        let polled = {
            let _at_hand = self.runtime.enter();
            work.as_mut().poll(context)
        };
        if polled.is_pending() {
            self.work = Some(work);
        }
        polled
    }
}

#[cfg(feature = "sqlite")]
impl<T: Send + 'static> Drop for Here<T> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            self.runtime.spawn(work);
        }
    }
}

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

pub(crate) fn no_thread(error: &std::io::Error) -> Error {
    let why = format_args!("no thread could be started ({})", error.kind()).to_string();
    Error::new(ErrorKind::Unsupported, OPEN, why)
}

pub(crate) fn closed(operation: &'static str) -> Error {
    Error::new(
        ErrorKind::Closed,
        operation,
        "the store was closed: open another",
    )
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use std::task::Waker;

    use tokio::sync::oneshot;

    use super::*;

    fn polled_once<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn what_its_caller_gave_up_comes_to_its_end() {
        let own = OwnRuntime::new(|_| {}).unwrap();
        let (go_on, told) = oneshot::channel::<()>();
        let (done, ended) = oneshot::channel();
        let work = Box::pin(async move {
            told.await.ok();
            done.send(()).ok();
            Ok(())
        });
        {
            let mut read = Box::pin(own.run_here("load", work));
            assert!(polled_once(read.as_mut()).is_pending());
        }
        go_on.send(()).unwrap();
        ended.blocking_recv().unwrap();
    }

    #[test]
    fn under_another_runtime_the_store_has_its_own_at_hand() {
        let own = OwnRuntime::new(|_| {}).unwrap();
        let work = Box::pin(async { Ok(Handle::current().runtime_flavor()) });
        let mut read = Box::pin(own.run_here("load", work));
        match polled_once(read.as_mut()) {
            Poll::Ready(flavour) => {
                assert_eq!(flavour.unwrap(), tokio::runtime::RuntimeFlavor::MultiThread);
            }
            Poll::Pending => panic!("there was nothing to wait for"),
        }
        assert!(Handle::try_current().is_err());
    }

    #[test]
    fn what_panics_is_not_begun_again() {
        let own = OwnRuntime::new(|_| {}).unwrap();
        let (held, ended) = oneshot::channel::<()>();
        let work = Box::pin(async move {
            let _held = held;
            if Handle::try_current().is_ok() {
                panic!("as told");
            }
            Ok(())
        });
        let mut read = Box::pin(own.run_here("load", work));
        let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            polled_once(read.as_mut()).is_pending()
        }));
        assert!(polled.is_err());
        drop(read);
        assert!(ended.blocking_recv().is_err());
    }
}
