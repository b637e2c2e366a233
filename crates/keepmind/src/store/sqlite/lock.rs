//! The lock that one writer of all processes has at a time.

use std::time::Duration;

use sqlx::SqliteConnection;

use crate::store::sqlite::failure::{Failure, Work, error_of, is_busy};

/// Takes the write lock, waiting for other processes as long as patience lasts.
pub(super) async fn begin(connection: &mut SqliteConnection, patience: Duration) -> Work<()> {
    let mut left = attempts(patience);
    loop {
        match sqlx::query("BEGIN IMMEDIATE")
            .execute(&mut *connection)
            .await
        {
            Ok(_) => return Ok(()),
            Err(error) if is_busy(&error) => {
                left -= 1;
                if left == 0 {
                    return Err(Failure::Refused(error_of("begin", &error)));
                }
            }
            Err(error) => return Err(Failure::Broken(error)),
        }
    }
}

/// How often SQLite's own wait (five seconds at most) fits into one's patience.
pub(super) fn attempts(patience: Duration) -> u64 {
    patience.as_secs().div_ceil(5).max(1)
}
