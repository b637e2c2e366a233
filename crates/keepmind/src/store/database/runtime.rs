//! The runtime that a store brings along, so that it works under any other, and who may use it.

use std::future::Future;
use std::pin::Pin;

use tokio::runtime::{Builder, Runtime};

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

    pub(super) fn checked(&self, operation: &'static str) -> Result<&Runtime> {
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
