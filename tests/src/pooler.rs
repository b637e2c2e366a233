//! A pooler between a store and the server of this process: pgbouncer in transaction mode, which hands each
//! transaction to the next of a few connections, so that nothing said in one is known in the other.
//!
//! Without the binary the tests that need it are skipped, and one line says so; `KEEPMIND_REQUIRE_POSTGRES=1` makes
//! that a failure.

use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use keepmind::store::postgres::PostgresOptions;

use crate::cluster::{self, as_nobody, free_port};

/// Takes the pooler and its folder away once nobody holds the other end of its input.
const KEEPER: &str = r#"
trap '' HUP INT PIPE
"$1" -q "$2/pgbouncer.ini" < /dev/null > "$2/log" 2>&1 &
while read -r command; do :; done
kill -TERM $!
wait
rm -rf "$2"
"#;

/// A pooler that lives as long as somebody holds it, and no longer than the process.
#[derive(Debug)]
pub struct Pooler {
    port: u16,
    keeper: Child,
}

/// The pooler of this process, to its server. `None` where there is none to be had of either.
pub fn shared() -> Option<&'static Pooler> {
    static SHARED: OnceLock<Option<Pooler>> = OnceLock::new();
    let pooler = SHARED.get_or_init(|| {
        let cluster = cluster::shared()?;
        let Some(binary) = binary() else {
            let is_required = std::env::var("KEEPMIND_REQUIRE_POSTGRES").as_deref() == Ok("1");
            assert!(!is_required, "pgbouncer is required, and not found");
            let line = "skipped: the tests with pgbouncer, which is not installed\n";
            std::io::stderr().write_all(line.as_bytes()).ok();
            return None;
        };
        Some(Pooler::start(&binary, cluster.port()))
    });
    pooler.as_ref()
}

impl Pooler {
    fn start(binary: &Path, server: u16) -> Pooler {
        let folder = tempfile::Builder::new()
            .prefix("keepmind-pooler-")
            .tempdir();
        let folder = folder.expect("a folder").keep();
        let port = free_port();
        // It knows no start-up parameter beyond its own: what it does not know it refuses.
        let settings = format!(
            "[databases]\npostgres = host=127.0.0.1 port={server} dbname=postgres user=keepmind\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = 5\nserver_round_robin = 1\nmax_client_conn = 500\n"
        );
        fs::write(folder.join("pgbouncer.ini"), settings).expect("a file");
        let mut keeper = Command::new("sh");
        keeper
            .args(["-c", KEEPER, "keeper"])
            .arg(binary)
            .arg(&folder)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // It refuses to run as root.
        as_nobody(&mut keeper, &folder);
        let keeper = keeper.spawn().expect("a shell");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let is_late = begun.elapsed() > Duration::from_secs(30);
            assert!(!is_late, "pgbouncer listens");
            std::thread::yield_now();
        }
        Pooler { port, keeper }
    }

    /// Where it is reached.
    pub fn url(&self) -> String {
        format!(
            "postgres://keepmind@127.0.0.1:{}/postgres?sslmode=disable&statement-cache-capacity=0",
            self.port
        )
    }

    /// A store that is reached through it, in the schema that belongs to a folder.
    pub fn options(&self, folder: &Path) -> PostgresOptions {
        let options = PostgresOptions::new(&self.url()).expect("a URL");
        options.schema(cluster::schema(folder)).expect("a name")
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        self.keeper.wait().ok();
    }
}

fn binary() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/bin".into()]);
    folders
        .map(|folder| folder.join("pgbouncer"))
        .find(|binary| binary.exists())
}
