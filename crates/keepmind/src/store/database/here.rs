//! Work that is done where its caller is, and that a runtime of the library's brings to its end where the caller
//! gives up.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;

use crate::error::Result;
use crate::store::database::runtime::{OwnRuntime, Work};

impl OwnRuntime {
    /// Runs work where its caller is: to wake another thread and to be woken by it takes longer than what is
    /// read most often. A caller who gives up changes nothing here either.
    pub(crate) async fn run_here<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: Work<T>,
    ) -> Result<T> {
        let runtime = self.checked(operation)?.handle().clone();
        let work = Some(work);
        Here { work, runtime }.await
    }
}

/// Work that its caller drives, with the runtime at hand; dropped before its end, the runtime brings it there.
struct Here<T: Send + 'static> {
    work: Option<Work<T>>,
    runtime: Handle,
}

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

impl<T: Send + 'static> Drop for Here<T> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            self.runtime.spawn(work);
        }
    }
}

#[cfg(test)]
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
