//! Closing: the file is left as others see it, and alone where nobody else has it open.

use std::sync::Arc;
use std::time::Duration;

use sqlx::Connection as _;

use crate::error::{ErrorKind, Result};
use crate::store::database::pool::Pool;
use crate::store::sqlite::failure::error_of;
use crate::store::sqlite::log::{self, Standing};
use crate::store::sqlite::writer::{Check, Writer};
use crate::store::sqlite::{Reading, open};

/// How long closing waits for reads that are under way.
const CLOSING: Duration = Duration::from_secs(30);

impl Writer {
    /// Lets go of the connection and leaves the file as others see it. The last one that may write puts what its log holds
    /// into the file, over what others have written there since, and removes their log; so one that only reads
    /// outlives it.
    async fn leave(&mut self, readers: &Arc<Pool<Reading>>) {
        self.check = Check::Failed(log::lost("close"));
        let Ok(mut reader) = readers.acquire("close").await else {
            return self.let_go();
        };
        if open::hold(&mut reader.connection).await.is_err() {
            return self.let_go();
        }
        if let Some(connection) = self.connection.take() {
            connection.close().await.ok();
        }
        reader.give_back();
    }

    /// Whether a log that is gone holds what was committed here and the file does not, so that only the last connection can
    /// still put it there. Whoever closes the file puts it there before removing the log; whoever only removes it does not.
    async fn holds_more(&mut self) -> bool {
        let Some(connection) = self.connection.as_mut().filter(|_| self.has_committed) else {
            return false;
        };
        let counted: sqlx::Result<(i64, i64, i64)> = sqlx::query_as("PRAGMA wal_checkpoint(NOOP)")
            .fetch_one(connection)
            .await;
        counted.is_ok_and(|(_, frames, in_the_file)| frames > in_the_file)
    }

    /// Lets go of the connection where nobody can wait; where its log was taken away it stays until the process ends, see
    /// [`Writer::leave`].
    pub(super) fn let_go(&mut self) {
        let connection = self.connection.take();
        if self.log.standing() != Standing::Ours {
            std::mem::forget(connection);
        }
    }

    /// The readers go first, so that the log can be emptied and the last connection leaves one file.
    pub(super) async fn close(&mut self, readers: &Arc<Pool<Reading>>) -> Result<()> {
        let mut was_stopped = false;
        if let Check::Running(_, checking) = &self.check {
            checking.stop();
            let verdict = self.sound("close").await;
            was_stopped = verdict.is_err_and(|error| error.kind() != ErrorKind::Damaged);
        }
        let is_left = match self.log.standing() {
            Standing::Ours => false,
            Standing::Gone => !self.holds_more().await,
            Standing::Replaced => true,
        };
        if is_left {
            self.leave(readers).await;
        }
        // Reads that take longer than this are cut off; they hold nothing that could be lost.
        readers.close(CLOSING).await;
        if let Some(anchor) = self.anchor.take() {
            anchor.close().await.ok();
        }
        if self.connection.is_none() {
            // Nothing is held any more: whatever others do with the log now is their right.
            self.log.forget();
        }
        // Reading alone makes SQLite's other files too, and only one that writes takes them away.
        let log = std::fs::metadata(self.options.log());
        let is_log_empty = log.as_ref().is_ok_and(|log| log.len() == 0);
        // Of an empty log nothing gets into the file, whose soundness nobody waited to know.
        let may_clear = matches!(self.check, Check::Passed) || was_stopped && is_log_empty;
        let cleared = match !is_left && may_clear && (self.connection.is_some() || log.is_ok()) {
            true => self.clear_log("close").await,
            false => Ok(()),
        };
        if let Some(connection) = self.connection.take() {
            connection
                .close()
                .await
                .map_err(|error| error_of("close", &error))?;
        }
        match cleared {
            // Another process still reads: it clears the log when it closes. Nothing is lost.
            Err(error) if error.kind() == ErrorKind::Busy => Ok(()),
            cleared => cleared,
        }
    }
}
