//! Connections: a few, made when they are needed and handed on as they are.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Result;
#[cfg(feature = "postgres")]
use crate::error::{Error, ErrorKind};
use crate::store::database::runtime::closed;

/// How connections are made and let go.
pub(crate) trait Connecting: Send + Sync + 'static {
    type Connection: Send + 'static;

    /// Makes one.
    fn connect(&self) -> impl Future<Output = Result<Self::Connection>> + Send;

    /// Whether one must come to rest before it is handed on,
    fn is_restless(connection: &Self::Connection) -> bool;

    /// and how it does. False where it fails: then it is dropped.
    fn rest(connection: &mut Self::Connection) -> impl Future<Output = bool> + Send;

    /// Lets one go that nobody uses any more.
    fn close(connection: Self::Connection) -> impl Future<Output = ()> + Send;
}

/// What becomes of whoever has waited so long for a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WhenAllAreBusy {
    /// They are told so.
    #[cfg(feature = "postgres")]
    Refuse(Duration),
    /// They get one more, which is not kept. Whoever has the others may be somebody that goes on only after them.
    #[cfg(feature = "sqlite")]
    Lend(Duration),
}

/// A pool without a check at each return: what failed is dropped, what did not goes back.
pub(crate) struct Pool<C: Connecting> {
    pub(crate) connecting: C,
    idle: Mutex<Vec<C::Connection>>,
    permits: Arc<Semaphore>,
    size: u32,
    when_all_are_busy: WhenAllAreBusy,
}

/// A connection for one operation. Dropped without [`Pooled::give_back`] it is closed.
pub(crate) struct Pooled<C: Connecting> {
    pub(crate) connection: C::Connection,
    pool: Arc<Pool<C>>,
    // After the connection: nobody gets the permit before it is back or gone. One that was lent has none.
    permit: Option<OwnedSemaphorePermit>,
}

impl<C: Connecting> Pool<C> {
    /// So many at once.
    pub(crate) fn new(connecting: C, size: u32, when_all_are_busy: WhenAllAreBusy) -> Self {
        Pool {
            connecting,
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(size as usize)),
            size,
            when_all_are_busy,
        }
    }

    pub(crate) async fn acquire(self: &Arc<Self>, operation: &'static str) -> Result<Pooled<C>> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let permit = match self.when_all_are_busy {
            #[cfg(feature = "postgres")]
            WhenAllAreBusy::Refuse(patience) => {
                let permit = tokio::time::timeout(patience, permit).await;
                Some(permit.map_err(|_| all_busy(operation))?)
            }
            #[cfg(feature = "sqlite")]
            WhenAllAreBusy::Lend(patience) => tokio::time::timeout(patience, permit).await.ok(),
        };
        let permit = permit.transpose().map_err(|_| closed(operation))?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.connecting.connect().await?,
        };
        Ok(Pooled {
            connection,
            pool: Arc::clone(self),
            permit,
        })
    }

    /// Lets go of every connection that nobody uses now.
    #[cfg(feature = "postgres")]
    pub(crate) fn forget_idle(&self) {
        self.idle().clear();
    }

    /// Waits for the work under way, but no longer than that, and closes every connection.
    pub(crate) async fn close(&self, patience: Duration) {
        let all = self.permits.acquire_many(self.size);
        let _held = tokio::time::timeout(patience, all).await;
        self.permits.close();
        let idle = std::mem::take(&mut *self.idle());
        for connection in idle {
            C::close(connection).await;
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<C::Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Connecting> Pooled<C> {
    /// Hands the connection on, after an operation that has ended well. Nobody waits for it to come to rest.
    pub(crate) fn give_back(mut self) {
        if C::is_restless(&self.connection) {
            tokio::spawn(async move {
                if C::rest(&mut self.connection).await {
                    self.hand_on();
                }
            });
        } else {
            self.hand_on();
        }
    }

    fn hand_on(self) {
        let Pooled {
            connection,
            pool,
            permit,
        } = self;
        if permit.is_some() && !pool.permits.is_closed() {
            pool.idle().push(connection);
        }
    }
}

#[cfg(feature = "postgres")]
fn all_busy(operation: &'static str) -> Error {
    Error::new(
        ErrorKind::Busy,
        operation,
        "all connections were busy for too long: call again, or allow more of them",
    )
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[derive(Default)]
    struct Counting(AtomicU32);

    impl Connecting for Counting {
        type Connection = u32;

        async fn connect(&self) -> Result<u32> {
            Ok(self.0.fetch_add(1, Ordering::Relaxed))
        }

        fn is_restless(_: &u32) -> bool {
            false
        }

        async fn rest(_: &mut u32) -> bool {
            true
        }

        async fn close(_: u32) {}
    }

    #[tokio::test]
    async fn who_waits_for_those_that_wait_for_them_is_lent_another() {
        let lend = WhenAllAreBusy::Lend(Duration::ZERO);
        let pool = Arc::new(Pool::new(Counting::default(), 2, lend));
        let first = pool.acquire("load").await.unwrap();
        let second = pool.acquire("load").await.unwrap();
        let lent = pool.acquire("load").await.unwrap();
        assert_eq!((first.connection, second.connection), (0, 1));
        assert_eq!(lent.connection, 2);
        lent.give_back();
        first.give_back();
        let again = pool.acquire("load").await.unwrap();
        assert_eq!(again.connection, 0, "what was lent was kept");
        drop((second, again));
        pool.close(Duration::ZERO).await;
        assert!(pool.acquire("load").await.is_err());
    }
}
