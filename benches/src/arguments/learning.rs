//! The options of what measures learning from chats.

use std::path::PathBuf;

use super::{AttacksOptions, Command, StoreKind, number, positive, store_kind, value_of};

/// How cases reach the engine: as a host in Rust does, or one in C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Through {
    Rust,
    C,
}

#[derive(Debug, PartialEq, Eq)]
pub struct ExtractOptions {
    pub cases: PathBuf,
    pub out: PathBuf,
    pub store: StoreKind,
}

#[derive(Debug, PartialEq, Eq)]
pub struct ReconcileOptions {
    pub cases: PathBuf,
    pub store: StoreKind,
}

#[derive(Debug, PartialEq, Eq)]
pub struct JunkOptions {
    pub sessions: usize,
    pub seed: u64,
    pub store: StoreKind,
}

#[derive(Debug, PartialEq, Eq)]
pub struct YearOptions {
    pub days: u64,
    pub seed: u64,
    pub store: StoreKind,
    /// How often the year is lived: of each day's costs the least is told.
    pub repeat: usize,
    pub svg: Option<PathBuf>,
    pub json: Option<PathBuf>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct CloseOptions {
    pub repeat: usize,
}

/// Which options a command knows.
fn knows(command: &str) -> &'static [&'static str] {
    match command {
        "attacks" => &["--cases", "--store", "--through", "--mutate", "--seed"],
        "extract" => &["--cases", "--store", "--out"],
        "reconcile" => &["--cases", "--store"],
        "junk" => &["--sessions", "--seed", "--store"],
        "year" => &["--days", "--seed", "--store", "--repeat", "--svg", "--json"],
        _ => &["--repeat"],
    }
}

/// Reads what follows such a command.
pub fn read(command: &str, mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let (mut cases, mut out, mut store) = (None, None, StoreKind::Memory);
    let (mut svg, mut json, mut days) = (None, None, 365);
    let mut through = Through::Rust;
    let (mut mutate, mut seed, mut sessions, mut repeat) = (0, 1, 1_000, None);
    while let Some(argument) = arguments.next() {
        if matches!(argument.as_str(), "--help" | "-h") {
            return Ok(Command::Help);
        }
        let (name, value) = value_of(argument, &mut arguments)?;
        if !knows(command).contains(&name.as_str()) {
            return Err(format!("{command} knows no {name}"));
        }
        match name.as_str() {
            "--cases" => cases = Some(PathBuf::from(value)),
            "--out" => out = Some(PathBuf::from(value)),
            "--store" => store = store_kind(&value)?,
            "--through" => through = way(&value)?,
            "--mutate" => mutate = positive(&name, &value)?,
            "--svg" => svg = Some(PathBuf::from(value)),
            "--json" => json = Some(PathBuf::from(value)),
            "--days" => days = positive(&name, &value)?,
            "--sessions" => sessions = positive(&name, &value)?,
            "--repeat" => repeat = Some(positive(&name, &value)?),
            _ => seed = number(&name, &value)?,
        }
    }
    let cases = || cases.ok_or_else(|| format!("{command} needs --cases FILE"));
    Ok(match command {
        "attacks" => Command::Attacks(AttacksOptions {
            cases: cases()?,
            store,
            through,
            mutate,
            seed,
        }),
        "extract" => Command::Extract(ExtractOptions {
            cases: cases()?,
            out: out.ok_or("extract needs --out FILE")?,
            store,
        }),
        "reconcile" => Command::Reconcile(ReconcileOptions {
            cases: cases()?,
            store,
        }),
        "junk" => Command::Junk(JunkOptions {
            sessions,
            seed,
            store,
        }),
        "year" => Command::Year(YearOptions {
            days: days as u64,
            seed,
            store,
            repeat: repeat.unwrap_or(3),
            svg,
            json,
        }),
        _ => Command::Close(CloseOptions {
            repeat: repeat.unwrap_or(50),
        }),
    })
}

fn way(value: &str) -> Result<Through, String> {
    match value {
        "rust" => Ok(Through::Rust),
        "c" => Ok(Through::C),
        _ => Err("--through: rust or c".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Result<Command, String> {
        super::super::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn what_measures_learning_is_read_or_refused() {
        let attacks = AttacksOptions {
            cases: PathBuf::from("cases.jsonl"),
            store: StoreKind::Sqlite,
            through: Through::C,
            mutate: 20,
            seed: 7,
        };
        assert_eq!(
            command("attacks --cases cases.jsonl --store sqlite --through c --mutate 20 --seed=7"),
            Ok(Command::Attacks(attacks))
        );
        let junk = JunkOptions {
            sessions: 60,
            seed: 1,
            store: StoreKind::Memory,
        };
        assert_eq!(command("junk --sessions 60"), Ok(Command::Junk(junk)));
        assert_eq!(command("reconcile -h"), Ok(Command::Help));
        for wrong in [
            "attacks",
            "attacks --cases c --store disk",
            "attacks --cases c --through python",
            "attacks --cases c --sessions 2",
            "extract --cases c",
            "extract --out c",
            "reconcile --cases c --seed 2",
            "junk --sessions 0",
            "close --store memory",
        ] {
            assert!(command(wrong).is_err(), "{wrong}");
        }
    }
}
