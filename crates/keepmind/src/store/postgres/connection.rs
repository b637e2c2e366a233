//! A connection of the pool: how it is made, and how an operation reads with it at one revision.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};
use crate::owner::Owner;
use crate::store::database::pool::Connecting;
use crate::store::database::runtime::OPEN;
use crate::store::database::{Shelf, Standing};
use crate::store::postgres::columns::{self, key, owner_columns};
use crate::store::postgres::failure::{Failure, Work, error_of};
use crate::store::postgres::known::KnownOwners;

/// How connections are made.
pub(super) struct Server {
    pub(super) options: PgConnectOptions,
    pub(super) patience: Duration,
    pub(super) known: Arc<KnownOwners>,
}

/// A connection, and whether it reads in a transaction now.
pub(super) struct Line {
    pub(super) connection: PgConnection,
    /// What is known of owners: reading one tells it.
    pub(super) known: Arc<KnownOwners>,
    is_reading: bool,
}

impl Server {
    pub(super) async fn reach(&self) -> Result<PgConnection> {
        let reached = tokio::time::timeout(self.patience, self.options.connect()).await;
        match reached {
            Ok(connection) => connection.map_err(|error| error_of(OPEN, &error)),
            Err(_) => Err(Error::new(
                ErrorKind::Io,
                OPEN,
                "the server does not answer: check that it runs and that the URL names it",
            )),
        }
    }
}

impl Connecting for Server {
    type Connection = Line;

    async fn connect(&self) -> Result<Line> {
        Ok(Line {
            connection: self.reach().await?,
            known: Arc::clone(&self.known),
            is_reading: false,
        })
    }

    async fn close(line: Line) {
        line.connection.close().await.ok();
    }

    fn is_restless(line: &Line) -> bool {
        line.is_reading
    }

    /// Nobody waits for the end of what was only read.
    async fn rest(line: &mut Line) -> bool {
        let ended = sqlx::raw_sql("COMMIT").execute(&mut line.connection).await;
        line.is_reading = false;
        ended.is_ok()
    }
}

impl Shelf for Line {
    type Failure = Failure;
    type Key = Uuid;

    /// The transaction and its first statement travel together, without parameters: a key is digits.
    async fn begin(&mut self, owner: &Owner) -> Work<Option<Standing<Uuid>>> {
        let key = key(owner);
        let sql = format!(
            concat!(
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT ",
                owner_columns!(),
                ", memory_documents, memory_length, message_documents, message_length FROM owner WHERE id = '{key}'"
            ),
            key = key
        );
        self.is_reading = true;
        let rows = sqlx::raw_sql(AssertSqlSafe(sql))
            .fetch_all(&mut self.connection)
            .await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        Ok(Some(Standing {
            key,
            state: columns::owner_state(row)?,
            memories: columns::corpus(row, "memory_documents", "memory_length")?,
            messages: columns::corpus(row, "message_documents", "message_length")?,
        }))
    }

    async fn end(&mut self) -> Work<()> {
        Ok(())
    }
}
