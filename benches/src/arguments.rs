//! What the command line asks for.

mod fleet;
mod learning;
mod retrieval;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use fleet::FleetOptions;
pub use learning::{
    CloseOptions, ExtractOptions, JunkOptions, ReconcileOptions, Through, YearOptions,
};
pub use retrieval::RetrievalOptions;

pub const USAGE: &str = "\
Usage: keepmind-bench ops   [--json FILE] [--configs LIST] [--repeat N] [--directory DIR]
       keepmind-bench ops --store postgres [--json FILE] [--repeat N] [--directory DIR]
       keepmind-bench ops --through rust|c|python [--json FILE] [--repeat N] [--directory DIR]
       keepmind-bench scale [--json FILE] [--owners LIST] [--rows N] [--repeat N] [--directory DIR]
       keepmind-bench scale --sessions N [--json FILE] [--directory DIR]
       keepmind-bench fleet [--owners N] [--clusters LIST] [--seed N] [--repeat N] [--json FILE] [--directory DIR]
       keepmind-bench attacks --cases FILE [--store memory|sqlite|postgres] [--through rust|c] [--mutate N] [--seed N]
       keepmind-bench extract --cases FILE --out FILE [--store memory|sqlite|postgres]
       keepmind-bench reconcile --cases FILE [--store memory|sqlite|postgres]
       keepmind-bench junk [--sessions N] [--seed N] [--store memory|sqlite|postgres]
       keepmind-bench year [--days N] [--seed N] [--store memory|sqlite|postgres] [--repeat N] [--svg FILE] [--json FILE]
       keepmind-bench retrieval --docs FILE --queries FILE [--vectors DIR | --embed DIR] --out FILE
       keepmind-bench close [--repeat N]
       keepmind-bench crash --cycles N [--seed N] [--store-dir DIR]
       keepmind-bench peer

ops      every operation, for owners x facts (1x1000,1x10000,10x1000,100x1000; on request 1000x1000)
         --store postgres: on a PostgreSQL server of its own, beside SQL by hand and pgbench on the same one
         --through: what a call costs more through the C interface or from Python than in Rust;
         rust beside itself tells how far off the measure is
scale    what one owner's operations cost while the number of other owners grows (1,10,100,1000)
fleet    very many owners, few of whom talk much, on PostgreSQL servers of its own, as their number grows
attacks  cases in which a model writes what it must not; fails when one is not refused as it should be
extract  what is kept of labelled chats without a model; writes a line for each operation
reconcile  facts that change from chat to chat: whether the later value is the one that is known
junk     a month of chats with a model that misbehaves; fails unless all that is kept is true
year     a year of one user, closed and consolidated day by day; fails unless what is told stays right
retrieval  which memories labelled questions find; writes a line for each hit
close    CPU time of closing a chat, without the model's
crash    kills a process that writes, and looks whether anything is lost; fails when something is
peer     answers the commands of the driver that compares libraries, on stdin and stdout

--json FILE      writes every figure there, besides printing them
--configs LIST   owners x facts for each, such as 1x1000,10x1000
--owners LIST    how many other owners, such as 1,10,100
                 fleet: how many owners in the end (100000); a hundredth and a tenth are measured on the way
--clusters LIST  over how many servers the owners are spread, a fleet for each (1,2,4)
--rows N         facts of each owner (1000)
--sessions N     scale: instead of owners, so many chats in one process that lives long
                 junk: how many chats (1000)
--repeat N       how often each side is measured, in turns (5)
--directory DIR  where the databases are made and removed: a real disk, or the figures of durable
                 writes mean nothing (the system's folder for temporary files)
--cycles N       how often it is killed
--seed N         another run of the same kind (1)
--through WAY    attacks: how cases reach the engine, as a host in Rust does or one in C (rust)
                 ops: through which language the calls are made that are measured beside Rust's
--mutate N       besides each case so many forms of it that differ in what should not matter (0)
--out FILE       where a line for each operation, or hit, is written
--vectors DIR    retrieval: docs.minilm.f32 and queries.minilm.f32, a vector for each line
--embed DIR      retrieval: weights that vectors are made with
--store-dir DIR  where the file is made, and removed unless something was found (the system's folder for
                 temporary files)";

#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Ops(OpsOptions),
    /// `ops` through another language.
    Through(ThroughOptions),
    /// One configuration of `ops`, in a process of its own.
    Child(ChildOptions),
    Scale(ScaleOptions),
    Attacks(AttacksOptions),
    Extract(ExtractOptions),
    Reconcile(ReconcileOptions),
    Junk(JunkOptions),
    Year(YearOptions),
    Retrieval(RetrievalOptions),
    Close(CloseOptions),
    Crash(CrashOptions),
    /// The process that `crash` kills.
    CrashChild(CrashChildOptions),
    Fleet(FleetOptions),
    Peer,
}

#[derive(Debug, PartialEq, Eq)]
pub struct AttacksOptions {
    pub cases: PathBuf,
    pub store: StoreKind,
    pub through: Through,
    /// How many forms of each case are run besides.
    pub mutate: usize,
    pub seed: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub struct CrashOptions {
    pub cycles: u64,
    pub seed: u64,
    pub store_directory: Option<PathBuf>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct CrashChildOptions {
    pub file: PathBuf,
    pub seed: u64,
    pub cycle: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    Memory,
    Sqlite,
    Postgres,
}

#[derive(Debug, PartialEq, Eq)]
pub struct OpsOptions {
    pub json: Option<PathBuf>,
    pub configurations: Vec<Configuration>,
    /// On a PostgreSQL server, and nothing else.
    pub on_server: bool,
    pub repeat: usize,
    pub directory: PathBuf,
}

/// What a host is written in that is measured beside one in Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Nothing else: beside itself.
    Rust,
    C,
    Python,
}

#[derive(Debug, PartialEq, Eq)]
pub struct ThroughOptions {
    pub language: Language,
    pub json: Option<PathBuf>,
    pub repeat: usize,
    pub directory: PathBuf,
}

#[derive(Debug, PartialEq, Eq)]
pub struct ChildOptions {
    /// The subject whose peak of memory is wanted; without one, everything is timed.
    pub memory_of: Option<String>,
    pub configuration: Configuration,
    pub repeat: usize,
    pub directory: PathBuf,
}

#[derive(Debug, PartialEq, Eq)]
pub struct ScaleOptions {
    pub json: Option<PathBuf>,
    pub owners: Vec<usize>,
    pub facts: usize,
    /// How many chats to hold instead of growing the number of owners.
    pub sessions: Option<usize>,
    pub repeat: usize,
    pub directory: PathBuf,
}

/// How many owners, and how many facts each of them has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    pub owners: usize,
    pub facts: usize,
}

impl fmt::Display for Configuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x{}", self.owners, self.facts)
    }
}

impl FromStr for Configuration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not owners x facts, such as 10x1000");
        let (owners, facts) = text.split_once('x').ok_or_else(wrong)?;
        let count = |text: &str| {
            text.parse()
                .ok()
                .filter(|&count: &usize| count > 0)
                .ok_or_else(wrong)
        };
        let configuration = Configuration {
            owners: count(owners)?,
            facts: count(facts)?,
        };
        if configuration.facts < 100 {
            return Err(format!(
                "{text:?}: an owner needs at least 100 facts to be measured"
            ));
        }
        Ok(configuration)
    }
}

const COMMANDS: &str =
    "ops, scale, fleet, attacks, extract, reconcile, junk, year, retrieval, close, crash or peer";

/// Reads the arguments after the program's name.
pub fn read(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut arguments = arguments.peekable();
    let command = arguments
        .next()
        .ok_or_else(|| format!("say what to run: {COMMANDS}"))?;
    match command.as_str() {
        "help" | "--help" | "-h" => return Ok(Command::Help),
        "ops" | "scale" | "peer" => {}
        "crash" => return crash(arguments),
        "fleet" => return fleet::read(arguments),
        "retrieval" => return retrieval::read(arguments),
        "attacks" | "extract" | "reconcile" | "junk" | "year" | "close" => {
            return learning::read(&command, arguments);
        }
        other => return Err(format!("{other:?} is not known: say {COMMANDS}")),
    }

    let mut json = None;
    let mut configurations = list("1x1000,1x10000,10x1000,100x1000")?;
    let mut owners = list("1,10,100,1000")?;
    let mut facts = 1_000;
    let mut repeat = 5;
    let mut directory = std::env::temp_dir();
    let mut child = false;
    let mut memory_of = None;
    let mut sessions = None;
    let mut language = None;
    let mut on_server = false;
    while let Some(argument) = arguments.next() {
        if matches!(argument.as_str(), "--help" | "-h") {
            return Ok(Command::Help);
        }
        let (name, value) = value_of(argument, &mut arguments)?;
        match (command.as_str(), name.as_str()) {
            ("peer", _) => return Err(format!("{command} knows no {name}")),
            (_, "--json") => json = Some(PathBuf::from(value)),
            (_, "--repeat") => repeat = positive(&name, &value)?,
            (_, "--directory") => directory = PathBuf::from(value),
            ("ops", "--configs") => configurations = list(&value)?,
            ("ops", "--child") => (child, configurations) = (true, list(&value)?),
            ("ops", "--store") if value == "postgres" => on_server = true,
            ("ops", "--store") => return Err(format!("ops: --store is postgres, not {value:?}")),
            ("ops", "--through") => language = Some(language_of(&value)?),
            ("ops", "--memory-of") => memory_of = Some(value),
            ("scale", "--owners") => owners = list(&value)?,
            ("scale", "--sessions") => sessions = Some(positive(&name, &value)?),
            ("scale", "--rows") => facts = positive(&name, &value)?,
            _ => return Err(format!("{command} knows no {name}")),
        }
    }
    if let Some(language) = language {
        return Ok(Command::Through(ThroughOptions {
            language,
            json,
            repeat,
            directory,
        }));
    }
    match command.as_str() {
        "peer" => Ok(Command::Peer),
        "scale" if owners.contains(&0) || !owners.is_sorted() => {
            Err("--owners: numbers above 0, in rising order".to_owned())
        }
        "scale" if facts < 100 => {
            Err("--rows: an owner needs at least 100 facts to be measured".to_owned())
        }
        "scale" => Ok(Command::Scale(ScaleOptions {
            json,
            owners,
            facts,
            sessions,
            repeat,
            directory,
        })),
        _ if child => {
            let configuration = *configurations
                .first()
                .ok_or("--child names no configuration")?;
            Ok(Command::Child(ChildOptions {
                memory_of,
                configuration,
                repeat,
                directory,
            }))
        }
        _ => Ok(Command::Ops(OpsOptions {
            json,
            configurations,
            on_server,
            repeat,
            directory,
        })),
    }
}

/// Reads what follows `crash`.
fn crash(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let (mut cycles, mut cycle, mut seed) = (None, None, 1);
    let (mut store_directory, mut file) = (None, None);
    while let Some(argument) = arguments.next() {
        if matches!(argument.as_str(), "--help" | "-h") {
            return Ok(Command::Help);
        }
        let (name, value) = value_of(argument, &mut arguments)?;
        let number = || number(&name, &value);
        match name.as_str() {
            "--cycles" => cycles = Some(positive(&name, &value)? as u64),
            "--seed" => seed = number()?,
            "--store-dir" => store_directory = Some(PathBuf::from(value)),
            "--child" => file = Some(PathBuf::from(value)),
            "--cycle" => cycle = Some(number()?),
            _ => return Err(format!("crash knows no {name}")),
        }
    }
    match (file, cycle, cycles) {
        (Some(file), Some(cycle), None) => {
            Ok(Command::CrashChild(CrashChildOptions { file, seed, cycle }))
        }
        (None, None, Some(cycles)) => Ok(Command::Crash(CrashOptions {
            cycles,
            seed,
            store_directory,
        })),
        _ => Err("crash needs --cycles N".to_owned()),
    }
}

/// An option's name and what it is set to: `--name=value` or `--name value`.
fn value_of(
    argument: String,
    rest: &mut impl Iterator<Item = String>,
) -> Result<(String, String), String> {
    match argument.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => match rest.next() {
            Some(value) => Ok((argument, value)),
            None => Err(format!("{argument} needs a value after it")),
        },
    }
}

fn number(name: &str, value: &str) -> Result<u64, String> {
    let wrong = |_| format!("{name} takes a number, not {value:?}");
    value.parse().map_err(wrong)
}

fn language_of(value: &str) -> Result<Language, String> {
    match value {
        "rust" => Ok(Language::Rust),
        "c" => Ok(Language::C),
        "python" => Ok(Language::Python),
        _ => Err(format!("--through is rust, c or python, not {value:?}")),
    }
}

fn store_kind(value: &str) -> Result<StoreKind, String> {
    match value {
        "memory" => Ok(StoreKind::Memory),
        "sqlite" => Ok(StoreKind::Sqlite),
        "postgres" => Ok(StoreKind::Postgres),
        _ => Err(format!(
            "--store is memory, sqlite or postgres, not {value:?}"
        )),
    }
}

fn positive(name: &str, value: &str) -> Result<usize, String> {
    value
        .parse()
        .ok()
        .filter(|&count| count > 0)
        .ok_or_else(|| format!("{name} takes a number above 0, not {value:?}"))
}

fn list<T: FromStr>(text: &str) -> Result<Vec<T>, String>
where
    T::Err: fmt::Display,
{
    text.split(',')
        .map(|item| {
            item.trim()
                .parse()
                .map_err(|wrong| format!("{item:?}: {wrong}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Result<Command, String> {
        read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_command_line_is_read_or_refused() {
        let Ok(Command::Ops(options)) = command("ops --configs 1x1000,10x500 --repeat=3") else {
            panic!("ops with options");
        };
        assert_eq!(
            options.configurations[1],
            Configuration {
                owners: 10,
                facts: 500
            }
        );
        assert_eq!(options.repeat, 3);
        assert_eq!(command("scale --help"), Ok(Command::Help));
        assert_eq!(command("peer"), Ok(Command::Peer));
        let crash = CrashOptions {
            cycles: 200,
            seed: 7,
            store_directory: None,
        };
        assert_eq!(
            command("crash --cycles 200 --seed=7"),
            Ok(Command::Crash(crash))
        );
        let child = CrashChildOptions {
            file: PathBuf::from("x.db"),
            seed: 1,
            cycle: 0,
        };
        assert_eq!(
            command("crash --child x.db --cycle 0"),
            Ok(Command::CrashChild(child))
        );
        for wrong in [
            "",
            "crash",
            "crash --cycles 0",
            "crash --cycles 5 --seed x",
            "crash --cycles 5 --cycle 5",
            "crash --cycles 5 --repeat 2",
            "peers",
            "ops --rows 5",
            "ops --configs 1x",
            "ops --configs 0x1000",
            "ops --through java",
            "ops --store disk",
            "ops --repeat",
            "ops --repeat 0",
            "scale --owners 10,1",
            "scale --owners 0",
            "scale --rows 5",
            "attacks",
            "retrieval --docs a --queries b",
            "retrieval --docs a --queries b --out c --vectors d --embed e",
            "attacks --cases x --store disk",
            "attacks --cases x --repeat 2",
            "peer --repeat 2",
        ] {
            assert!(command(wrong).is_err(), "{wrong}");
        }
    }
}
