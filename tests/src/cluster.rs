//! A PostgreSQL server for the tests of one process: made from the binaries that are installed, in a temporary
//! folder, and gone with the process.
//!
//! Without binaries the tests that need it are skipped, and one line says so; `KEEPMIND_REQUIRE_POSTGRES=1` makes
//! that a failure. `KEEPMIND_POSTGRES_BIN` names the folder of the binaries where they are not found.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use keepmind::store::postgres::PostgresOptions;

/// Starts a server, says that it is ready, and takes it and its folder away once nobody holds the other end of its
/// input: also when that process was killed.
const KEEPER: &str = r#"
# Whoever stops the tests at the terminal stops them alone: it sees to the rest.
trap '' HUP INT PIPE TERM
"$1/pg_ctl" -D "$2/data" -w -t 60 -l "$2/log" -o "$3" start > /dev/null 2>&1 < /dev/null && echo ready
while read -r command; do
    case "$command" in
    stop) "$1/pg_ctl" -D "$2/data" -m immediate -w stop > /dev/null 2>&1 < /dev/null ;;
    start) "$1/pg_ctl" -D "$2/data" -w -t 60 -l "$2/log" -o "$3" start > /dev/null 2>&1 < /dev/null ;;
    esac
    echo done
done
"$1/pg_ctl" -D "$2/data" -m immediate -w stop > /dev/null 2>&1
rm -rf "$2"
"#;

/// Without waiting for the disk: what survives a power failure is not what these tests ask.
const SETTINGS: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=300 \
                        -c shared_buffers=64MB -c autovacuum=off -c listen_addresses=127.0.0.1";

/// A server that lives as long as somebody holds it, and no longer than the process.
#[derive(Debug)]
pub struct Cluster {
    port: u16,
    folder: PathBuf,
    keeper: Child,
}

/// The server of this process. `None` where none can be had: then the caller has nothing to test.
pub fn shared() -> Option<&'static Cluster> {
    static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
    let cluster = SHARED.get_or_init(|| {
        let cluster = Cluster::start("");
        if cluster.is_none() {
            // Not by a macro: those are only heard of tests that fail.
            let line = "skipped: the tests on PostgreSQL, whose binaries are not installed\n";
            std::io::stderr().write_all(line.as_bytes()).ok();
        }
        cluster
    });
    cluster.as_ref()
}

impl Cluster {
    /// Starts a server of its own, with these settings beside the usual ones. `None` without binaries.
    ///
    /// # Panics
    ///
    /// When the server does not start, and without binaries where they are required.
    pub fn start(settings: &str) -> Option<Cluster> {
        Cluster::start_in(&std::env::temp_dir(), settings)
    }

    /// The same, with its files in a folder of its own within this one.
    ///
    /// # Panics
    ///
    /// As [`start`](Cluster::start).
    pub fn start_in(directory: &Path, settings: &str) -> Option<Cluster> {
        let Some(binaries) = binaries() else {
            let is_required = std::env::var("KEEPMIND_REQUIRE_POSTGRES").as_deref() == Ok("1");
            assert!(
                !is_required,
                "PostgreSQL's binaries are required, and not found"
            );
            return None;
        };
        // Somebody else may take a port between its being found free and the start.
        let cluster = (0..3).find_map(|_| Cluster::try_start(directory, &binaries, settings));
        Some(cluster.expect("a PostgreSQL server starts from the binaries that are installed"))
    }

    fn try_start(directory: &Path, binaries: &Path, settings: &str) -> Option<Cluster> {
        let folder = tempfile::Builder::new()
            .prefix("keepmind-postgres-")
            .tempdir_in(directory);
        let folder = folder.expect("a folder");
        fill(folder.path(), binaries);
        let port = free_port();
        let mut keeper = Command::new("sh");
        keeper
            .args(["-c", KEEPER, "keeper"])
            .arg(binaries)
            .arg(folder.path())
            .arg(format!("-p {port} -k '' {SETTINGS} {settings}"))
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        as_nobody(&mut keeper, folder.path());
        let keeper = keeper.spawn().expect("a shell");
        // From here on it is the keeper's.
        let folder = folder.keep();
        let mut cluster = Cluster {
            port,
            folder,
            keeper,
        };
        (cluster.hear().trim() == "ready").then_some(cluster)
    }

    /// What the keeper says next.
    fn hear(&mut self) -> String {
        let mut line = String::new();
        let output = self.keeper.stdout.as_mut().expect("the keeper's output");
        BufReader::with_capacity(1, output)
            .read_line(&mut line)
            .expect("a line");
        line
    }

    /// Stops the server as a crash would, or starts it again.
    pub fn tell(&mut self, command: &str) {
        let input = self.keeper.stdin.as_mut().expect("the keeper's input");
        writeln!(input, "{command}").expect("the keeper listens");
        assert_eq!(self.hear().trim(), "done");
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of its database.
    pub fn url(&self) -> String {
        self.url_at(self.port)
    }

    /// The same, reached through another port: that of somebody who hands on what is said.
    pub fn url_at(&self, port: u16) -> String {
        format!("postgres://keepmind@127.0.0.1:{port}/postgres?sslmode=disable")
    }

    /// The same for somebody else, whom the server knows.
    pub fn url_of(&self, role: &str) -> String {
        self.url().replace("keepmind@", &format!("{role}@"))
    }

    /// A store that lives in this server under a name, as one in a folder does.
    pub fn options(&self, folder: &Path) -> PostgresOptions {
        let options = PostgresOptions::new(&self.url()).expect("a URL");
        options.schema(schema(folder)).expect("a name")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        self.keeper.wait().ok();
        // The keeper may empty its folder, but not always take it out of the one that it is in.
        fs::remove_dir(&self.folder).ok();
    }
}

/// A name for what lives in a folder.
pub fn schema(folder: &Path) -> String {
    let name: String = folder
        .to_string_lossy()
        .bytes()
        .map(|byte| match byte.is_ascii_alphanumeric() {
            true => char::from(byte.to_ascii_lowercase()).to_string(),
            false => format!("_{byte:x}"),
        })
        .collect();
    let from = name.len().saturating_sub(60);
    format!("t_{}", &name[from..])
}

/// Makes the files of a server in a folder. Making them takes seconds, copying them none: the first process keeps a
/// copy beside its program for all others.
fn fill(folder: &Path, binaries: &Path) {
    let kept = std::env::current_exe().ok().and_then(|program| {
        let name = binaries.to_string_lossy().replace('/', "-");
        Some(program.parent()?.join(format!("server{name}")))
    });
    let data = folder.join("data");
    if kept.as_deref().is_some_and(|kept| copy(kept, &data)) {
        return;
    }
    let mut made = Command::new(binaries.join("initdb"));
    made.arg("-D").arg(&data);
    made.args(["-U", "keepmind", "-A", "trust", "-E", "UTF8", "--locale=C"]);
    made.args(["--no-sync", "--no-instructions"]);
    made.current_dir(folder).stdout(Stdio::null());
    as_nobody(&mut made, folder);
    let is_made = made.status().is_ok_and(|status| status.success());
    assert!(is_made, "initdb makes the files of a server");
    install_vectors(folder, binaries, &data);
    if let Some(kept) = kept {
        // Others may do the same now: whole or not at all, and one of them is enough.
        let own = kept.with_extension(std::process::id().to_string());
        if copy(&data, &own) && fs::rename(&own, &kept).is_err() {
            fs::remove_dir_all(&own).ok();
        }
    }
}

/// Installs the extension pgvector where the server has it, so that all that is tested on such a server is tested with it.
/// Where it has not, nothing comes of it.
fn install_vectors(folder: &Path, binaries: &Path, data: &Path) {
    let mut server = Command::new(binaries.join("postgres"));
    server.arg("--single").arg("-D").arg(data).arg("postgres");
    server.current_dir(folder).stdin(Stdio::piped());
    server.stdout(Stdio::null()).stderr(Stdio::null());
    as_nobody(&mut server, folder);
    let mut server = server.spawn().expect("a server");
    let mut input = server.stdin.take().expect("its input");
    writeln!(input, "CREATE EXTENSION vector").expect("the server reads");
    drop(input);
    server.wait().expect("the server ends");
}

/// Copies a folder with all that it says of its files; whether it did.
fn copy(from: &Path, to: &Path) -> bool {
    let mut copy = Command::new("cp");
    copy.arg("-a").arg(from).arg(to).stderr(Stdio::null());
    from.exists() && copy.status().is_ok_and(|status| status.success())
}

/// What refuses to run as root runs as somebody else, to whom the folder is given.
pub(crate) fn as_nobody(command: &mut Command, folder: &Path) {
    // Whoever made the folder is who runs here, unless it was given away before, which only root can.
    let (user, group) = unprivileged();
    let owner = fs::metadata(folder).expect("the folder").uid();
    if owner == 0 {
        chown(folder, Some(user), Some(group)).expect("a folder can be given away");
    }
    if owner == 0 || is_root() {
        command.uid(user).gid(group);
    }
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Whether it is root who runs this: what a process makes is its own.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The user and group that a server runs as where the tests run as root.
fn unprivileged() -> (u32, u32) {
    let users = fs::read_to_string("/etc/passwd").expect("the users");
    let find = |name: &str| {
        let line = users
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    find("postgres")
        .or_else(|| find("nobody"))
        .expect("a user that is not root")
}

/// Where `initdb` and `pg_ctl` are.
pub fn binaries() -> Option<PathBuf> {
    let told = std::env::var_os("KEEPMIND_POSTGRES_BIN").map(PathBuf::from);
    let configured = Command::new("pg_config")
        .arg("--bindir")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|text| PathBuf::from(text.trim()));
    let mut installed: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    installed.sort();
    installed.reverse();
    told.into_iter()
        .chain(configured)
        .chain(installed)
        .find(|folder| folder.join("initdb").exists() && folder.join("pg_ctl").exists())
}
