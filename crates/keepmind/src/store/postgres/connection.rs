//! A connection of the pool: how it is made, how statements travel, and how an operation reads at one revision.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, Postgres};
use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};
use crate::owner::Owner;
use crate::store::database::pool::Connecting;
use crate::store::database::runtime::OPEN;
use crate::store::database::{Shelf, Standing};
use crate::store::postgres::columns::{self, key, owner_columns};
use crate::store::postgres::failure::{Failure, Work, error_of};
use crate::store::postgres::known::KnownOwners;
use crate::store::postgres::near::Near;
use crate::store::postgres::schema::Schema;

/// A statement with its values.
pub(super) type Asked<'q> = Query<'q, Postgres, PgArguments>;

/// How statements travel.
#[derive(Debug, Clone)]
pub(super) struct Way {
    pub(super) schema: Schema,
    /// How long an answer is waited for. The server gives up before: who hears nothing by then has lost the line.
    pub(super) limit: Option<Duration>,
    /// What every transaction sets for itself, where a connection cannot be told once for all.
    pub(super) settings: String,
    /// Somebody stands between who hands each transaction to any connection: a statement is prepared and run in one
    /// transaction, and leaves nothing behind.
    pub(super) is_pooled: bool,
    /// The server itself keeps owners apart, and is told for each transaction whose rows it is about.
    pub(super) is_secured: bool,
    /// What the server can compare vectors with.
    pub(super) near: Arc<Near>,
}

/// How connections are made.
pub(super) struct Server {
    pub(super) options: PgConnectOptions,
    pub(super) patience: Duration,
    pub(super) known: Arc<KnownOwners>,
    pub(super) way: Arc<Way>,
}

/// A connection, and what it is in the middle of.
pub(super) struct Line {
    connection: PgConnection,
    /// What is known of owners: reading one tells it.
    pub(super) known: Arc<KnownOwners>,
    way: Arc<Way>,
    stage: Stage,
}

/// The transaction that a connection is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    None,
    /// One that nobody has to wait for the end of,
    Reading,
    /// and one that somebody commits.
    Writing,
}

impl Server {
    pub(super) async fn reach(&self) -> Result<Line> {
        let reached = tokio::time::timeout(self.patience, self.options.connect()).await;
        match reached {
            Ok(Ok(connection)) => Ok(Line {
                connection,
                known: Arc::clone(&self.known),
                way: Arc::clone(&self.way),
                stage: Stage::None,
            }),
            Ok(Err(error)) => Err(error_of(OPEN, &error)),
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
        self.reach().await
    }

    async fn close(line: Line) {
        let limit = line.way.limit;
        within(limit, line.connection.close()).await.ok();
    }

    fn is_restless(line: &Line) -> bool {
        line.stage != Stage::None
    }

    /// Nobody waits for the end of what was only read. What was not committed by now is not meant to be.
    async fn rest(line: &mut Line) -> bool {
        let ended = line.raw("ROLLBACK").await;
        line.stage = Stage::None;
        ended.is_ok()
    }
}

impl Line {
    /// A statement, whose tables are written `@name`.
    pub(super) fn query<'q>(&self, sql: &str) -> Asked<'q> {
        sqlx::query(AssertSqlSafe(self.way.schema.sql(sql))).persistent(!self.way.is_pooled)
    }

    /// The same, with its values.
    pub(super) fn query_with<'q>(&self, sql: &str, values: PgArguments) -> Asked<'q> {
        sqlx::query_with(AssertSqlSafe(self.way.schema.sql(sql)), values)
            .persistent(!self.way.is_pooled)
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.way.schema
    }

    pub(super) fn near(&self) -> Option<&str> {
        self.way.near.place()
    }

    /// Reads: what an owner's rows say, or for `None` those of all.
    pub(super) async fn read(&mut self, owner: Option<Uuid>, asked: Asked<'_>) -> Work<Vec<PgRow>> {
        if self.stage == Stage::None && self.is_wrapped() {
            self.open(owner).await?;
            self.stage = Stage::Reading;
        }
        self.fetch(asked).await
    }

    /// Writes: what it answers is committed, unless a transaction was begun by [`Line::begin_writing`].
    pub(super) async fn write(&mut self, owner: Uuid, asked: Asked<'_>) -> Work<Vec<PgRow>> {
        if self.stage == Stage::None && self.is_wrapped() {
            self.open(Some(owner)).await?;
            self.stage = Stage::Reading;
        }
        let rows = self.fetch(asked).await?;
        if self.stage == Stage::Reading {
            self.commit().await?;
        }
        Ok(rows)
    }

    /// Begins a transaction that ends with [`Line::commit`], whatever the server's usual isolation is: who has waited
    /// for a lock must see what was committed meanwhile.
    pub(super) async fn begin_writing(&mut self, owner: Uuid) -> Work<()> {
        self.stage = Stage::Writing;
        self.open(Some(owner)).await
    }

    /// Nothing may have failed since it was begun: an aborted transaction is committed without a word, and stores
    /// nothing.
    pub(super) async fn commit(&mut self) -> Work<()> {
        self.raw("COMMIT").await?;
        self.stage = Stage::None;
        Ok(())
    }

    /// Keeps others from writing to an owner until the transaction ends; whether there is such an owner.
    pub(super) async fn lock(&mut self, owner: Uuid) -> Work<bool> {
        let asked = self
            .query("SELECT 1 FROM @owner WHERE id = $1 FOR UPDATE")
            .bind(owner);
        Ok(!self.fetch(asked).await?.is_empty())
    }

    /// In a transaction that was begun: lets a statement take as long as that.
    pub(super) async fn fetch_within(
        &mut self,
        limit: Duration,
        asked: Asked<'_>,
    ) -> Work<Vec<PgRow>> {
        let millis = limit.as_millis();
        self.raw(&format!("SET LOCAL statement_timeout = {millis}"))
            .await?;
        let limit = self.way.limit.map(|usual| usual.max(limit));
        within(limit, asked.fetch_all(&mut self.connection)).await
    }

    /// Statements without values, in one round trip.
    pub(super) async fn raw(&mut self, sql: &str) -> Work<Vec<PgRow>> {
        let asked = sqlx::raw_sql(AssertSqlSafe(self.way.schema.sql(sql)));
        within(self.way.limit, asked.fetch_all(&mut self.connection)).await
    }

    /// The same, however long it takes.
    pub(super) async fn raw_patiently(&mut self, sql: &str) -> Work<Vec<PgRow>> {
        let asked = sqlx::raw_sql(AssertSqlSafe(self.way.schema.sql(sql)));
        Ok(asked.fetch_all(&mut self.connection).await?)
    }

    /// The same for a statement, in a transaction that was begun.
    pub(super) async fn fetch_patiently(&mut self, asked: Asked<'_>) -> Work<Vec<PgRow>> {
        Ok(asked.fetch_all(&mut self.connection).await?)
    }

    pub(super) async fn hang_up(self) {
        Server::close(self).await;
    }

    async fn fetch(&mut self, asked: Asked<'_>) -> Work<Vec<PgRow>> {
        within(self.way.limit, asked.fetch_all(&mut self.connection)).await
    }

    /// Whether every statement needs a transaction around it.
    fn is_wrapped(&self) -> bool {
        self.way.is_pooled || self.way.is_secured
    }

    async fn open(&mut self, owner: Option<Uuid>) -> Work<()> {
        let opening = self.opening("READ COMMITTED", owner);
        self.raw(&opening).await?;
        Ok(())
    }

    /// What a transaction begins with.
    fn opening(&self, level: &str, owner: Option<Uuid>) -> String {
        let whose = match owner {
            _ if !self.way.is_secured => String::new(),
            Some(owner) => format!("; SET LOCAL keepmind.owner = '{owner}'"),
            None => "; SET LOCAL keepmind.owners = 'listed'".to_owned(),
        };
        let settings = &self.way.settings;
        format!("BEGIN ISOLATION LEVEL {level}{settings}{whose}")
    }
}

/// Waits for the server, but not for ever: a line can be dead without a word.
async fn within<T>(
    limit: Option<Duration>,
    work: impl Future<Output = sqlx::Result<T>>,
) -> Work<T> {
    let answer = match limit {
        Some(limit) => tokio::time::timeout(limit, work)
            .await
            .map_err(|_| Failure::silence())?,
        None => work.await,
    };
    Ok(answer?)
}

impl Shelf for Line {
    type Failure = Failure;
    type Key = Uuid;

    /// The transaction and its first statement travel together, without parameters: a key is digits.
    async fn begin(&mut self, owner: &Owner) -> Work<Option<Standing<Uuid>>> {
        let key = key(owner);
        let opening = self.opening("REPEATABLE READ READ ONLY", Some(key));
        // What was read before, in a transaction of its own, has ended.
        let end = match self.stage {
            Stage::None => "",
            _ => "ROLLBACK; ",
        };
        let sql = format!(
            concat!(
                "{end}{opening}; SELECT ",
                owner_columns!(),
                ", memory_documents, memory_length, message_documents, message_length FROM @owner WHERE id = '{key}'"
            ),
            end = end,
            opening = opening,
            key = key
        );
        self.stage = Stage::Reading;
        let rows = self.raw(&sql).await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        Ok(Some(Standing {
            key,
            counters: columns::counters(row)?,
            memories: columns::corpus(row, "memory_documents", "memory_length")?,
            messages: columns::corpus(row, "message_documents", "message_length")?,
        }))
    }

    async fn end(&mut self) -> Work<()> {
        Ok(())
    }
}
