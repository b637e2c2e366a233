//! SQLite written by hand, as a developer would who needs exactly these operations and no library:
//! rusqlite, prepared statements, one connection, one thread. What everything is compared with.

mod matrix;
mod read;
mod write;

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::Result;
use crate::baseline::matrix::Matrix;
use crate::workload::{self, BATCH, Workload};

pub use write::frequencies;

/// Which keyword index the database has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeywordIndex {
    Fts5,
    Postings,
}

#[derive(Debug)]
pub struct Baseline {
    connection: Connection,
    index: KeywordIndex,
    /// The vectors of each owner asked for so far.
    matrices: HashMap<String, Matrix>,
    last_id: u128,
}

impl Baseline {
    /// Opens a database, and makes its tables where there are none yet. Ids count up from `last_id`.
    pub fn open(path: &Path, index: KeywordIndex, is_durable: bool, last_id: u128) -> Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch(
            "PRAGMA page_size = 4096;
             PRAGMA journal_mode = WAL;
             PRAGMA secure_delete = ON;
             PRAGMA foreign_keys = ON;",
        )?;
        connection.pragma_update(None, "synchronous", if is_durable { "FULL" } else { "OFF" })?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            let index = match index {
                KeywordIndex::Fts5 => include_str!("baseline/fts5.sql"),
                KeywordIndex::Postings => include_str!("baseline/postings.sql"),
            };
            let schema = include_str!("baseline/schema.sql");
            connection.execute_batch(&format!(
                "BEGIN IMMEDIATE; {schema} {index} PRAGMA user_version = 1; COMMIT;"
            ))?;
        }
        Ok(Baseline {
            connection,
            index,
            matrices: HashMap::new(),
            last_id,
        })
    }

    /// The version of the SQLite underneath.
    pub fn engine() -> &'static str {
        rusqlite::version()
    }

    /// Writes all facts of an owner, a batch in a commit.
    pub fn fill(
        &mut self,
        workload: &Workload,
        owner: usize,
        facts: usize,
        vectors: bool,
    ) -> Result<()> {
        let name = workload::owner(owner)?;
        for (batch, first) in (1..=facts as u64).step_by(BATCH as usize).enumerate() {
            let last = (first + BATCH - 1).min(facts as u64);
            let entries = workload.batch(owner, first..=last, 1, vectors);
            self.insert_entries(&name, &entries, workload::filled_at(batch as u64))?;
            let second = (first..=last).filter(|number| workload::has_second_version(*number));
            let entries = workload.batch(owner, second, 2, vectors);
            self.supersede_entries(&name, &entries, workload::superseded_at(batch as u64))?;
        }
        Ok(())
    }

    /// Closes the database: the last connection takes the log into the file.
    pub fn close(self) -> Result<()> {
        self.connection.close().map_err(|(_, error)| error)?;
        Ok(())
    }
}
