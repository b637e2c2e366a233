//! How a server is reached and used.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;

use crate::error::{Error, Result};
use crate::store::database::runtime::OPEN;
use crate::store::database::segments::MOST_WAITING;
use crate::store::postgres::connection::Way;
use crate::store::postgres::failure::error_of;
use crate::store::postgres::schema::Schema;

/// How long a name in PostgreSQL may be.
const LONGEST_NAME: usize = 63;

/// How a server is reached and used. Made from a URL, then changed.
///
/// Behind a pooler that hands each transaction to any of its connections, as pgbouncer does in transaction mode, put
/// `statement-cache-capacity=0` into the URL. Then statements have no names, each travels in a transaction of its own
/// with all that it sets, and the pooler needs no setting for it; a commit takes four round trips instead of one.
/// A pooler that keeps prepared statements apart itself (pgbouncer from 1.21, `max_prepared_statements`) works without,
/// if it ignores the start-up parameter `options`; then give the role `statement_timeout` and `lock_timeout` by
/// `ALTER ROLE`.
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
    pub(super) answer_timeout: Duration,
    pub(super) row_security: bool,
    pub(super) index_after: usize,
    /// How many statements a connection keeps prepared, where the URL says it.
    cache_capacity: Option<usize>,
}

impl PostgresOptions {
    /// The database that a URL names, in PostgreSQL's own form: `postgres://user:password@host:port/database`.
    pub fn new(url: &str) -> Result<Self> {
        check_parameters(url)?;
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
            answer_timeout: Duration::from_secs(5),
            row_security: false,
            index_after: MOST_WAITING,
            cache_capacity: cache_capacity(url),
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
    /// [`Busy`](crate::ErrorKind::Busy). A minute unless told; zero for without a limit, and what is shorter than a
    /// millisecond is one. Opening a
    /// database that must be migrated takes as long as it needs, and erasing an owner up to an hour.
    pub fn statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = timeout;
        self
    }

    /// How long a write waits for other writers of the same owner before it answers
    /// [`Busy`](crate::ErrorKind::Busy). Half a minute unless told; zero for without a limit, and what is shorter
    /// than a millisecond is one.
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.lock_timeout = timeout;
        self
    }

    /// How long after [`statement_timeout`](PostgresOptions::statement_timeout) the server's answer is still waited
    /// for. Who hears nothing by then takes the line for cut: a read is tried again, and so is a commit, which may end
    /// as [`OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown). Five seconds unless told; without a limit for
    /// statements there is none for answers.
    pub fn answer_timeout(mut self, timeout: Duration) -> Self {
        self.answer_timeout = timeout;
        self
    }

    /// Has the server itself keep owners apart, by row-level security on every table, also from other programs with
    /// the same role: a transaction sees the rows of the owner in its setting `keepmind.owner`, and without one none.
    /// Off unless told, for it takes a commit from one round trip to three.
    ///
    /// Once it is on it stays on, for every process that opens the database after; end those that have opened it
    /// before, which would find nothing. Superusers and roles with `BYPASSRLS` are not held to it.
    pub fn row_security(mut self, is_on: bool) -> Self {
        self.row_security = is_on;
        self
    }

    /// How many messages of an owner wait until they are put into the keyword index together, at least 1.
    /// 64 unless told. They are found all the while: more of them make a message cheaper to store, and a
    /// search of what was said dearer. New facts wait as well, as many at most, and never more than 16.
    pub fn index_after(mut self, messages: u32) -> Self {
        self.index_after = messages.max(1) as usize;
        self
    }

    /// What every connection is made with.
    pub(super) fn connection(&self) -> PgConnectOptions {
        // Poolers refuse start-up parameters that they do not know: without need none is sent.
        let server = self.server.clone().disable_statement_logging();
        let server = server.extra_float_digits(None);
        if self.is_pooled() {
            return server;
        }
        let server = match self.cache_capacity {
            Some(_) => server,
            None => server.statement_cache_capacity(256),
        };
        let isolation = ("default_transaction_isolation", "read committed".to_owned());
        server.options(self.settings()).options([isolation])
    }

    /// How statements travel.
    pub(super) fn way(&self) -> Way {
        let is_pooled = self.is_pooled();
        let settings = self.settings().into_iter().filter(|_| is_pooled);
        let settings = settings.map(|(name, value)| format!("; SET LOCAL {name} = '{value}'"));
        let is_limited = !self.statement_timeout.is_zero();
        Way {
            schema: Schema::new(&self.schema),
            limit: is_limited.then(|| self.statement_timeout.saturating_add(self.answer_timeout)),
            settings: settings.collect(),
            is_pooled,
            is_secured: false,
            near: Arc::default(),
        }
    }

    /// Whether somebody stands between who hands each transaction to any connection: nothing can be prepared.
    fn is_pooled(&self) -> bool {
        self.cache_capacity == Some(0)
    }

    /// What holds for every statement.
    fn settings(&self) -> [(&'static str, String); 9] {
        let off = || "off".to_owned();
        [
            // Tables are named with their schema, and nobody else's functions are meant.
            ("search_path", "pg_catalog".to_owned()),
            ("statement_timeout", millis(self.statement_timeout)),
            ("lock_timeout", millis(self.lock_timeout)),
            ("idle_in_transaction_session_timeout", millis(IDLE)),
            // Statements are short and many: planning them anew or compiling them takes longer than running them.
            ("jit", off()),
            ("plan_cache_mode", "force_generic_plan".to_owned()),
            // Each is answered from an index that the owner leads, whatever the server's statistics say of tables
            // that were empty when it was planned: what an owner costs does not depend on others.
            ("enable_seqscan", off()),
            ("enable_hashjoin", off()),
            ("enable_mergejoin", off()),
        ]
    }
}

/// How many statements a URL says that a connection keeps prepared.
fn cache_capacity(url: &str) -> Option<usize> {
    let (_, parameters) = url.split_once('?')?;
    let told = parameters
        .split('&')
        .filter_map(|parameter| parameter.strip_prefix("statement-cache-capacity="))
        .next_back()?;
    told.parse().ok()
}

/// What a URL may tell besides the server. Anything else would be passed over, and logged with its value, which may
/// be a secret.
const PARAMETERS: &[&str] = &[
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

fn check_parameters(url: &str) -> Result<()> {
    let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
    let parameters = parameters.split('#').next().unwrap_or_default();
    let names = parameters.split('&').filter(|pair| !pair.is_empty());
    let names = names.map(|pair| pair.split('=').next().unwrap_or_default());
    let is_option = |name: &str| {
        let beginnings = ["options[", "options%5B", "options%5b"];
        beginnings.iter().any(|one| name.starts_with(one))
    };
    if names
        .into_iter()
        .all(|name| PARAMETERS.contains(&name) || is_option(name))
    {
        return Ok(());
    }
    // Not which one: where a password was not escaped, it may be a part of that.
    let known = PARAMETERS.join(", ");
    let message = format!("the URL has a parameter that is not known; known are {known}");
    Err(Error::invalid(OPEN, message))
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

/// As the server takes it: zero is without a limit, so less than a millisecond is one, and more than it can count
/// is the most that it can.
fn millis(timeout: Duration) -> String {
    let most = i32::MAX.unsigned_abs().into();
    let least = u128::from(!timeout.is_zero());
    timeout.as_millis().clamp(least, most).to_string()
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

    #[test]
    fn a_parameter_that_is_not_known_is_refused_and_not_shown() {
        let new = |url: &str| PostgresOptions::new(url);
        for known in ["?options[jit]=off", "?user=app&password=se%3Dcret", "?", ""] {
            new(&format!("postgres://localhost/memories{known}")).unwrap();
        }
        for unknown in ["?sslpassword=secret", "?user=app&pass=secret"] {
            let error = new(&format!("postgres://localhost/memories{unknown}")).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{error}");
            assert!(error.message().contains("sslmode"), "{error}");
        }
    }

    #[test]
    fn a_time_is_one_that_a_server_can_count() {
        assert_eq!(millis(Duration::ZERO), "0");
        assert_eq!(millis(Duration::from_micros(1)), "1");
        assert_eq!(millis(Duration::from_secs(60)), "60000");
        assert_eq!(millis(Duration::MAX), i32::MAX.to_string());
    }

    #[test]
    fn a_url_may_say_that_nothing_is_prepared() {
        let pooled = |url: &str| PostgresOptions::new(url).unwrap().way().is_pooled;
        assert!(!pooled("postgres://app@localhost/memories"));
        assert!(!pooled(
            "postgres://app@localhost/memories?statement-cache-capacity=8"
        ));
        assert!(pooled(
            "postgres://app@localhost/memories?sslmode=disable&statement-cache-capacity=0"
        ));
    }
}
