//! The connections that read: a few, made when they are needed and handed on as they are.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, ErrorKind, Result};
use crate::store::sqlite::open;
use crate::store::sqlite::options::SqliteOptions;

/// A pool without a check at each return: what failed is dropped, what did not goes back.
pub(super) struct Readers {
    options: SqliteOptions,
    idle: Mutex<Vec<SqliteConnection>>,
    permits: Arc<Semaphore>,
}

/// A connection for one operation. Dropped without [`Reader::give_back`] it is closed.
pub(super) struct Reader {
    pub(super) connection: SqliteConnection,
    readers: Arc<Readers>,
    // After the connection: nobody gets the permit before it is back or gone.
    _permit: OwnedSemaphorePermit,
}

impl Readers {
    pub(super) fn new(options: SqliteOptions) -> Self {
        let permits = Arc::new(Semaphore::new(options.readers as usize));
        Readers {
            options,
            idle: Mutex::default(),
            permits,
        }
    }

    pub(super) async fn acquire(self: &Arc<Self>, operation: &'static str) -> Result<Reader> {
        let closed = |_| {
            Error::new(
                ErrorKind::Closed,
                operation,
                "the store was closed: open another",
            )
        };
        let permit = Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .map_err(closed)?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open::connect(&self.options.reader()).await?,
        };
        Ok(Reader {
            connection,
            readers: Arc::clone(self),
            _permit: permit,
        })
    }

    /// Waits for the reads under way, but no longer than that, and closes every connection.
    pub(super) async fn close(&self, patience: Duration) {
        let all = self.permits.acquire_many(self.options.readers);
        let _held = tokio::time::timeout(patience, all).await;
        self.permits.close();
        let idle = std::mem::take(&mut *self.idle());
        for connection in idle {
            connection.close().await.ok();
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    /// Hands the connection on, after an operation that has ended well.
    pub(super) fn give_back(self) {
        let Reader {
            connection,
            readers,
            _permit,
        } = self;
        if !readers.permits.is_closed() {
            readers.idle().push(connection);
        }
    }
}
