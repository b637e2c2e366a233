//! Several statements in one hand-over: the driver runs each call on a thread of its own, and getting there
//! and back takes longer than most statements do.

use std::fmt::Write as _;
use std::future::poll_fn;

use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments as _, AssertSqlSafe, Either, Encode, Executor as _, Sqlite};
use sqlx::{SqliteConnection, Type};

use crate::error::Error;
use crate::store::sqlite::failure::Failure;

/// How many statements go together. The driver keeps each call prepared under its whole text: a bound makes
/// long batches repeat a few texts, and keeps what is prepared small.
const LONGEST_CALL: usize = 16;

/// Statements that run in order, until one fails.
#[derive(Default, Clone)]
pub(super) struct Batch {
    calls: Vec<Call>,
    /// What is said where a statement changed no row, by its place.
    required: Vec<(usize, Error)>,
    count: usize,
    /// A value had no form that SQLite knows.
    is_unfit: bool,
}

#[derive(Default, Clone)]
struct Call {
    sql: String,
    arguments: SqliteArguments,
    count: usize,
}

/// What a statement answered.
pub(super) type Rows = Vec<SqliteRow>;

/// Why a batch did not run to its end, and how many of its statements ended well.
pub(super) struct Stopped {
    pub(super) done: usize,
    pub(super) failure: Failure,
}

impl Batch {
    /// Adds a statement with parameters `?1`, `?2` and so on, whose values are bound in that order.
    pub(super) fn add(&mut self, sql: &'static str) -> Statement<'_> {
        let is_full = |call: &Call| call.count >= LONGEST_CALL;
        if self.calls.last().is_none_or(is_full) {
            self.calls.push(Call::default());
        }
        let place = self.count;
        self.count += 1;
        if let Some(call) = self.calls.last_mut() {
            call.add(sql);
        }
        Statement { batch: self, place }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many statements it has.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether a statement must have changed a row: then nothing that cannot be taken back may follow it.
    pub(super) fn has_requirements(&self) -> bool {
        !self.required.is_empty()
    }

    /// Runs all, and answers for each. Where one fails, or does not change what it must, no later one counts.
    pub(super) async fn run(self, connection: &mut SqliteConnection) -> Result<Vec<Rows>, Stopped> {
        if self.is_unfit {
            let unfit = sqlx::Error::Protocol("a value has no form that SQLite knows".to_owned());
            return Err(Stopped {
                done: 0,
                failure: unfit.into(),
            });
        }
        let mut required = self.required.into_iter().peekable();
        let mut answers: Vec<Rows> = Vec::with_capacity(self.count);
        let mut expected = 0;
        for call in self.calls {
            expected += call.count;
            let query = sqlx::query_with(AssertSqlSafe(call.sql), call.arguments);
            let mut results = connection.fetch_many(query);
            let mut rows = Vec::new();
            while let Some(result) = poll_fn(|context| results.as_mut().poll_next(context)).await {
                let done = answers.len();
                let failure = match result {
                    Ok(Either::Right(row)) => {
                        rows.push(row);
                        continue;
                    }
                    Ok(Either::Left(ended)) => {
                        answers.push(std::mem::take(&mut rows));
                        match required.next_if(|(place, _)| *place == done) {
                            Some((_, refusal)) if ended.rows_affected() == 0 => refusal.into(),
                            _ => continue,
                        }
                    }
                    Err(error) => error.into(),
                };
                return Err(Stopped { done, failure });
            }
            // The driver's thread went away in between.
            if answers.len() < expected {
                return Err(Stopped {
                    done: answers.len(),
                    failure: sqlx::Error::WorkerCrashed.into(),
                });
            }
        }
        Ok(answers)
    }
}

impl Call {
    /// `?1` counts from the call's first value for the driver, so each statement's parameters are named by
    /// the values' places in the call. Under such names SQLite makes room only for those that are there.
    fn add(&mut self, sql: &str) {
        if self.count > 0 {
            self.sql.push_str("; ");
        }
        self.count += 1;
        let before = self.arguments.len();
        let mut parts = sql.split('?');
        self.sql.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = part.split_at(digits);
            let place = number.parse::<usize>().unwrap_or_default() + before;
            write!(self.sql, "${place}{rest}").ok();
        }
    }
}

/// A statement of a batch, of which values are still to be bound.
pub(super) struct Statement<'a> {
    batch: &'a mut Batch,
    place: usize,
}

impl Statement<'_> {
    /// Binds the next value.
    pub(super) fn bind<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(self, value: T) -> Self {
        if let Some(call) = self.batch.calls.last_mut() {
            self.batch.is_unfit |= call.arguments.add(value).is_err();
        }
        self
    }

    /// It must change a row; where it does not, the batch ends with that refusal.
    pub(super) fn requires_change(self, refusal: Error) {
        self.batch.required.push((self.place, refusal));
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{ConnectOptions as _, Row as _};

    use super::*;

    async fn connection() -> SqliteConnection {
        let options = sqlx::sqlite::SqliteConnectOptions::new().in_memory(true);
        let mut connection = options.connect().await.unwrap();
        sqlx::query("CREATE TABLE pair (one INTEGER UNIQUE, other TEXT)")
            .execute(&mut connection)
            .await
            .unwrap();
        connection
    }

    async fn pairs(connection: &mut SqliteConnection) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM pair")
            .fetch_one(connection)
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn each_statement_gets_its_own_values_and_answers() {
        let mut connection = connection().await;
        let mut batch = Batch::default();
        let count = 3 * LONGEST_CALL as i64 + 1;
        for number in 1..=count {
            batch
                .add("INSERT INTO pair SELECT ?2, ?1 || ?2 || ?1")
                .bind(format!("<{number}>"))
                .bind(number);
            batch
                .add("SELECT other, ?1 + 1 FROM pair WHERE one = ?1")
                .bind(number);
        }
        let answers = batch.run(&mut connection).await.ok().unwrap();
        assert_eq!(answers.len(), 2 * count as usize);
        for (number, pair) in (1..=count).zip(answers.chunks(2)) {
            assert!(pair[0].is_empty());
            let other: &str = pair[1][0].get(0);
            assert_eq!(other, format!("<{number}>{number}<{number}>"));
            assert_eq!(pair[1][0].get::<i64, _>(1), number + 1);
        }
    }

    #[tokio::test]
    async fn nothing_runs_after_a_statement_that_fails() {
        let mut connection = connection().await;
        let mut batch = Batch::default();
        for number in [1, 2, 1, 3] {
            batch.add("INSERT INTO pair VALUES (?1, NULL)").bind(number);
        }
        let stopped = batch.run(&mut connection).await.err().unwrap();
        assert_eq!(stopped.done, 2);
        assert!(matches!(stopped.failure, Failure::Broken(_)));
        assert_eq!(pairs(&mut connection).await, 2);
    }

    #[tokio::test]
    async fn what_must_change_a_row_and_does_not_is_refused() {
        let mut connection = connection().await;
        let mut batch = Batch::default();
        for (number, name) in [(1, "first"), (2, "second")] {
            batch
                .add("UPDATE pair SET other = ?2 WHERE one = ?1")
                .bind(number)
                .bind(name)
                .requires_change(Error::invalid("commit", name));
            batch
                .add("INSERT INTO pair VALUES (?1 + 1, NULL)")
                .bind(number);
        }
        assert!(batch.has_requirements());
        sqlx::query("INSERT INTO pair VALUES (1, NULL)")
            .execute(&mut connection)
            .await
            .unwrap();
        batch.clone().run(&mut connection).await.ok().unwrap();
        sqlx::query("DELETE FROM pair WHERE one > 1")
            .execute(&mut connection)
            .await
            .unwrap();
        sqlx::query("UPDATE pair SET one = 7")
            .execute(&mut connection)
            .await
            .unwrap();
        let stopped = batch.run(&mut connection).await.err().unwrap();
        match stopped.failure {
            Failure::Refused(error) => assert_eq!(error.message(), "first"),
            other => panic!("{other:?}"),
        }
    }
}
