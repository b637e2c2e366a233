//! Purged text is taken out of the file and its log, down to the last byte.

use crate::error::{Error, ErrorKind, Result};
use crate::store::sqlite::failure::{error_of, is_busy};
use crate::store::sqlite::transaction::attempts;
use crate::store::sqlite::writer::Writer;

/// What is larger is rewritten through a temporary file instead of memory.
const LARGE_FILE: u64 = 256 << 20;

impl Writer {
    /// Takes the last bytes of purged text out of the file.
    ///
    /// `secure_delete` overwrites what is deleted, but not the copies that stay in the gaps of pages
    /// whose rows were moved to others before: only pages made anew have none. Then the log goes.
    /// What was committed stays committed, so a failure here is an outcome to be asked for again.
    pub(super) async fn scrub(&mut self, operation: &'static str) -> Result<()> {
        let scrubbed = match self.rewrite(operation).await {
            Ok(()) => self.clear_log(operation).await,
            failed => failed,
        };
        scrubbed.map_err(|error| {
            Error::new(
                ErrorKind::OutcomeUnknown,
                operation,
                format_args!(
                    "the rows are gone, but old bytes may stay in the file ({}): do the same again",
                    error.message()
                ),
            )
        })
    }

    /// Makes every page of the file anew. In memory, unless the file is too large for that.
    async fn rewrite(&mut self, operation: &'static str) -> Result<()> {
        let size = std::fs::metadata(&self.options.path).map_or(0, |file| file.len());
        let rewrite = match size > LARGE_FILE {
            false => "VACUUM",
            true => "PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY",
        };
        let mut left = attempts(self.options.busy_timeout);
        loop {
            let connection = self.connection().await?;
            match sqlx::raw_sql(rewrite).execute(connection).await {
                Ok(_) => return Ok(()),
                Err(error) if is_busy(&error) && left > 1 => left -= 1,
                Err(error) => {
                    self.discard().await;
                    return Err(error_of(operation, &error));
                }
            }
        }
    }

    /// Empties the write-ahead log, where purged text would otherwise still stand.
    pub(super) async fn clear_log(&mut self, operation: &'static str) -> Result<()> {
        for _ in 0..attempts(self.options.busy_timeout) {
            let connection = self.connection().await?;
            match sqlx::query_scalar::<_, i64>("PRAGMA wal_checkpoint(TRUNCATE)")
                .fetch_one(connection)
                .await
            {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if is_busy(&error) => {}
                Err(error) => {
                    self.discard().await;
                    return Err(error_of(operation, &error));
                }
            }
        }
        Err(Error::new(
            ErrorKind::Busy,
            operation,
            "another process reads from the log",
        ))
    }
}
