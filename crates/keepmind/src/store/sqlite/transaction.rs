//! One transaction of the writer: what only writes is gathered and travels with the next read, or with the
//! COMMIT.

use std::time::Duration;

use sqlx::SqliteConnection;

use crate::store::sqlite::batch::{Batch, Rows, Statement, Stopped};
use crate::store::sqlite::failure::{Failure, Work, error_of, is_busy};

/// How many statements are gathered at most where more are to come.
const MOST_WAITING: usize = 256;

/// A transaction that holds the write lock from its first statement on. Unless it is committed or rolled
/// back, its connection must go.
pub(super) struct Transaction<'c> {
    connection: &'c mut SqliteConnection,
    waiting: Batch,
    has_begun: bool,
    attempts: u64,
}

impl<'c> Transaction<'c> {
    /// Begins with the first statements that run, waiting for other processes as long as patience lasts.
    pub(super) fn begin(connection: &'c mut SqliteConnection, patience: Duration) -> Self {
        let mut waiting = Batch::default();
        waiting.add("BEGIN IMMEDIATE");
        Transaction {
            connection,
            waiting,
            has_begun: false,
            attempts: attempts(patience),
        }
    }

    /// Adds a statement to those that run next. Its failure is that of whatever makes them run.
    pub(super) fn add(&mut self, sql: &'static str) -> Statement<'_> {
        self.waiting.add(sql)
    }

    /// What runs next.
    pub(super) fn batch(&mut self) -> &mut Batch {
        &mut self.waiting
    }

    /// Runs what was added; answers for each statement added since the last time.
    pub(super) async fn run(&mut self) -> Work<Vec<Rows>> {
        let waiting = std::mem::take(&mut self.waiting);
        if self.has_begun {
            return waiting
                .run(self.connection)
                .await
                .map_err(|stopped| stopped.failure);
        }
        loop {
            match waiting.clone().run(self.connection).await {
                Ok(mut answers) => {
                    self.has_begun = true;
                    answers.remove(0);
                    return Ok(answers);
                }
                Err(Stopped {
                    done: 0,
                    failure: Failure::Broken(error),
                }) if is_busy(&error) => {
                    self.attempts -= 1;
                    if self.attempts == 0 {
                        return Err(Failure::Refused(error_of("begin", &error)));
                    }
                }
                Err(Stopped { done, failure }) => {
                    self.has_begun = done > 0;
                    return Err(failure);
                }
            }
        }
    }

    /// Runs what was added once it is much: a large set is not held a second time as a whole.
    pub(super) async fn relieve(&mut self) -> Work<()> {
        if self.waiting.len() >= MOST_WAITING {
            self.run().await?;
        }
        Ok(())
    }

    /// Runs what was added if something of it may yet be refused: whoever adds it is to hear of it.
    pub(super) async fn settle(&mut self) -> Work<()> {
        if self.waiting.has_requirements() {
            self.run().await?;
        }
        Ok(())
    }

    /// Commits, with what was added last.
    pub(super) async fn commit(mut self) -> Work<()> {
        self.settle().await?;
        if !self.has_begun {
            self.run().await?;
        }
        self.waiting.add("COMMIT");
        let last = self.waiting.len() - 1;
        match self.waiting.run(self.connection).await {
            Ok(_) => Ok(()),
            Err(Stopped { done, failure }) => Err(match failure {
                // An earlier statement failed: nothing came to the COMMIT.
                Failure::Broken(error) if done < last && error.as_database_error().is_some() => {
                    Failure::Broken(error)
                }
                Failure::Broken(error) => Failure::Uncertain(error),
                other => other,
            }),
        }
    }

    /// Takes back what ran, and forgets what did not.
    pub(super) async fn roll_back(self) -> Work<()> {
        if self.has_begun {
            sqlx::query("ROLLBACK").execute(self.connection).await?;
        }
        Ok(())
    }

    /// The connection, for what answers by itself. What was added runs first.
    pub(super) async fn connection(&mut self) -> Work<&mut SqliteConnection> {
        if !self.waiting.is_empty() {
            self.run().await?;
        }
        Ok(self.connection)
    }
}

/// How often SQLite's own wait (five seconds at most) fits into one's patience.
pub(super) fn attempts(patience: Duration) -> u64 {
    patience.as_secs().div_ceil(5).max(1)
}

#[cfg(test)]
mod tests {
    use sqlx::{ConnectOptions as _, Connection as _};

    use super::*;
    use crate::error::ErrorKind;
    use crate::store::sqlite::options::SqliteOptions;

    async fn connections() -> (tempfile::TempDir, [SqliteConnection; 2]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.db");
        std::fs::File::create_new(&path).unwrap();
        let options = SqliteOptions::new(&path).busy_timeout(Duration::ZERO);
        let mut one = options.writer().connect().await.unwrap();
        sqlx::raw_sql(
            "CREATE TABLE parent (id INTEGER PRIMARY KEY); \
             CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)",
        )
        .execute(&mut one)
        .await
        .unwrap();
        let other = options.writer().connect().await.unwrap();
        (folder, [one, other])
    }

    async fn parents(connection: &mut SqliteConnection) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM parent")
            .fetch_one(connection)
            .await
            .unwrap()
    }

    fn add_parent(transaction: &mut Transaction<'_>, id: i64) {
        transaction.add("INSERT INTO parent VALUES (?1)").bind(id);
    }

    #[tokio::test]
    async fn what_was_added_is_committed_together_or_taken_back() {
        let (_folder, [mut one, mut other]) = connections().await;
        let mut transaction = Transaction::begin(&mut one, Duration::ZERO);
        add_parent(&mut transaction, 1);
        transaction.commit().await.unwrap();
        assert_eq!(parents(&mut other).await, 1);

        let mut transaction = Transaction::begin(&mut one, Duration::ZERO);
        add_parent(&mut transaction, 2);
        transaction.add("SELECT id FROM parent");
        let answers = transaction.run().await.unwrap();
        assert_eq!((answers[0].len(), answers[1].len()), (0, 2));
        add_parent(&mut transaction, 3);
        transaction.roll_back().await.unwrap();
        assert_eq!(parents(&mut one).await, 1);
        let mut transaction = Transaction::begin(&mut other, Duration::ZERO);
        add_parent(&mut transaction, 4);
        transaction.commit().await.unwrap();
        assert_eq!(parents(&mut one).await, 2);
    }

    #[tokio::test]
    async fn a_lock_that_is_not_to_be_had_changes_nothing() {
        let (_folder, [mut one, mut other]) = connections().await;
        let mut holding = Transaction::begin(&mut one, Duration::ZERO);
        holding.run().await.unwrap();
        let mut waiting = Transaction::begin(&mut other, Duration::ZERO);
        add_parent(&mut waiting, 1);
        match waiting.run().await {
            Err(Failure::Refused(error)) => assert_eq!(error.kind(), ErrorKind::Busy),
            Err(failure) => panic!("{failure:?}"),
            Ok(_) => panic!("two wrote at once"),
        }
        waiting.roll_back().await.unwrap();
        add_parent(&mut holding, 2);
        holding.commit().await.unwrap();
        let mut again = Transaction::begin(&mut other, Duration::ZERO);
        add_parent(&mut again, 1);
        again.commit().await.unwrap();
        assert_eq!(parents(&mut one).await, 2);
    }

    #[tokio::test]
    async fn only_a_failed_commit_is_uncertain() {
        let (_folder, [mut one, mut other]) = connections().await;
        let mut transaction = Transaction::begin(&mut one, Duration::ZERO);
        transaction.run().await.unwrap();
        for id in [1, 2, 1] {
            add_parent(&mut transaction, id);
        }
        let failed = transaction.commit().await.unwrap_err();
        assert!(matches!(failed, Failure::Broken(_)), "{failed:?}");
        one.close_hard().await.unwrap();
        assert_eq!(parents(&mut other).await, 0);

        // The other one's lock goes when its thread has ended, which may be a moment later: SQLite waits for it.
        let waits = sqlx::raw_sql("PRAGMA busy_timeout = 60000");
        waits.execute(&mut other).await.unwrap();
        let mut transaction = Transaction::begin(&mut other, Duration::ZERO);
        add_parent(&mut transaction, 1);
        transaction.add("INSERT INTO child VALUES (?1)").bind(2);
        let failed = transaction.commit().await.unwrap_err();
        assert!(matches!(failed, Failure::Uncertain(_)), "{failed:?}");
    }
}
