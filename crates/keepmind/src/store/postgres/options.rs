//! How a server is reached and used.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;

use crate::error::{Error, Result};
use crate::store::database::runtime::OPEN;
use crate::store::database::segments::MOST_WAITING;
use crate::store::postgres::failure::error_of;

/// How long a name in PostgreSQL may be.
const LONGEST_NAME: usize = 63;

/// How a server is reached and used. Made from a URL, then changed.
///
/// ```
/// use std::time::Duration;
/// use keepmind::store::postgres::PostgresOptions;
///
/// let options = PostgresOptions::new("postgres://keepmind@localhost/memories")?
///     .connections(32)
///     .statement_timeout(Duration::from_secs(10));
/// # Ok::<(), keepmind::Error>(())
/// ```
#[derive(Clone)]
pub struct PostgresOptions {
    pub(super) server: PgConnectOptions,
    pub(super) schema: String,
    pub(super) connections: u32,
    pub(super) cache_bytes: usize,
    pub(super) acquire_timeout: Duration,
    pub(super) connect_timeout: Duration,
    pub(super) statement_timeout: Duration,
    pub(super) lock_timeout: Duration,
    pub(super) index_after: usize,
}

impl PostgresOptions {
    /// The database that a URL names, in PostgreSQL's own form: `postgres://user:password@host:port/database`.
    pub fn new(url: &str) -> Result<Self> {
        let server = PgConnectOptions::from_str(url).map_err(|error| error_of(OPEN, &error))?;
        Ok(PostgresOptions {
            server: server.application_name("keepmind"),
            schema: "keepmind".to_owned(),
            connections: 16,
            cache_bytes: 64 << 20,
            acquire_timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            statement_timeout: Duration::from_secs(60),
            lock_timeout: Duration::from_secs(30),
            index_after: MOST_WAITING,
        })
    }

    /// The schema that the tables are in, made if it is not there. `keepmind` unless told.
    pub fn schema(mut self, name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_plain) {
            return Err(Error::invalid(
                OPEN,
                "a schema's name is made of a to z, 0 to 9 and _, at most 63 of them",
            ));
        }
        self.schema = name;
        Ok(self)
    }

    /// How many connections there are at most, at least 1. 16 unless told.
    pub fn connections(mut self, connections: u32) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// How much memory postings and vectors may take. 64 MiB unless told. One owner's data is kept
    /// even when it takes more.
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// How long a call waits for a free connection before it answers [`Busy`](crate::ErrorKind::Busy).
    /// Half a minute unless told.
    pub fn acquire_timeout(mut self, timeout: Duration) -> Self {
        self.acquire_timeout = timeout;
        self
    }

    /// How long reaching the server may take. Ten seconds unless told.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long a statement may take before the server gives it up, and the call answers
    /// [`Busy`](crate::ErrorKind::Busy). A minute unless told; zero for without a limit.
    pub fn statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = timeout;
        self
    }

    /// How long a write waits for other writers of the same owner before it answers
    /// [`Busy`](crate::ErrorKind::Busy). Half a minute unless told; zero for without a limit.
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.lock_timeout = timeout;
        self
    }

    /// How many messages of an owner wait until they are put into the keyword index together, at least 1.
    /// 64 unless told. They are found all the while: more of them make a message cheaper to store, and a
    /// search of what was said dearer.
    pub fn index_after(mut self, messages: u32) -> Self {
        self.index_after = messages.max(1) as usize;
        self
    }

    /// What every connection is made with.
    pub(super) fn connection(&self) -> PgConnectOptions {
        let server = self.server.clone().disable_statement_logging();
        server.statement_cache_capacity(256).options([
            ("search_path", self.schema.clone()),
            ("statement_timeout", millis(self.statement_timeout)),
            ("lock_timeout", millis(self.lock_timeout)),
            ("idle_in_transaction_session_timeout", millis(IDLE)),
            // Statements are short and many: planning them anew or compiling them takes longer than running them.
            ("jit", "off".to_owned()),
            ("plan_cache_mode", "force_generic_plan".to_owned()),
            // Each is answered from an index that the owner leads, whatever the server's statistics say of tables
            // that were empty when it was planned: what an owner costs does not depend on others.
            ("enable_seqscan", "off".to_owned()),
            ("enable_hashjoin", "off".to_owned()),
            ("enable_mergejoin", "off".to_owned()),
        ])
    }
}

/// Says nothing of the server: a URL may hold a password.
impl fmt::Debug for PostgresOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PostgresOptions")
            .field("schema", &self.schema)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

/// Between two statements of a transaction the library waits for nobody: who is idle for so long is gone.
const IDLE: Duration = Duration::from_secs(60);

fn millis(timeout: Duration) -> String {
    timeout.as_millis().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let options = PostgresOptions::new("postgres://alice:secret@localhost/memories").unwrap();
        let shown = format!("{options:?}");
        assert!(
            !shown.contains("secret") && !shown.contains("alice"),
            "{shown}"
        );
    }
}
