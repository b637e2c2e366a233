//! The trees of crates as cargo sees them, and what `deny.toml` says of crates and licences.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use crate::source::workspace;

/// What people install, with the features that the tests have it built with.
pub const SHIPPED: &[(&str, &str)] = &[
    ("keepmind", "sqlite,postgres"),
    ("keepmind-embed", ""),
    ("keepmind-ffi", "postgres"),
    ("keepmind-python", ""),
];

/// The crates that a package is built from with its default features and these, and their licences.
///
/// Asked of `cargo tree` rather than `cargo metadata`: the latter merges the features that other packages
/// of the workspace ask for, and wants the crates of every platform downloaded. Nothing is downloaded here:
/// what is in the tree was just built.
pub fn tree(package: &str, features: &str) -> BTreeMap<String, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args([
            "tree",
            "--offline",
            "--package",
            package,
            "--features",
            features,
            "--edges",
            "normal,build",
        ])
        .args(["--prefix", "none", "--format", "{p}|{l}|"])
        .current_dir(workspace())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo tree: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| {
            let mut parts = line.split('|');
            let name = parts.next()?.split_whitespace().next()?;
            Some((name.to_owned(), parts.next()?.to_owned()))
        })
        .collect()
}

/// The crates that `deny.toml` bans.
pub fn denied_crates() -> BTreeSet<String> {
    list("deny = [")
}

/// The licences that `deny.toml` allows.
pub fn allowed_licences() -> BTreeSet<String> {
    list("allow = [")
}

/// The crates that may have a licence which no other may, and that licence.
pub fn exceptions() -> BTreeMap<String, String> {
    let text = fs::read_to_string(workspace().join("deny.toml")).expect("deny.toml");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("exceptions = ["))
        .expect("deny.toml has a line of exceptions");
    let words: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
    words
        .chunks(2)
        .map(|pair| (pair[0].to_owned(), pair[1].to_owned()))
        .collect()
}

/// Where the crates of the workspace come from, without those that are in it.
pub fn sources() -> BTreeSet<String> {
    let text = fs::read_to_string(workspace().join("Cargo.lock")).expect("Cargo.lock");
    text.lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .map(|source| source.trim_matches('"').to_owned())
        .collect()
}

/// The strings of the one list in `deny.toml` that begins with this line.
fn list(head: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(workspace().join("deny.toml")).expect("deny.toml");
    let mut lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    assert!(
        lines.by_ref().any(|line| line == head),
        "deny.toml has a line `{head}`"
    );
    lines
        .take_while(|line| *line != "]")
        .flat_map(|line| {
            line.split('"')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Whether an SPDX expression can be met with the allowed licences alone.
pub fn allows(allowed: &BTreeSet<String>, licence: &str) -> bool {
    let spaced = licence
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let met = either(allowed, &mut rest);
    met && rest.is_empty()
}

fn either(allowed: &BTreeSet<String>, rest: &mut &[&str]) -> bool {
    let mut met = both(allowed, rest);
    while let ["OR", tail @ ..] = rest {
        *rest = tail;
        met |= both(allowed, rest);
    }
    met
}

fn both(allowed: &BTreeSet<String>, rest: &mut &[&str]) -> bool {
    let mut met = one(allowed, rest);
    while let ["AND", tail @ ..] = rest {
        *rest = tail;
        met &= one(allowed, rest);
    }
    met
}

fn one(allowed: &BTreeSet<String>, rest: &mut &[&str]) -> bool {
    match rest {
        ["(", tail @ ..] => {
            *rest = tail;
            let met = either(allowed, rest);
            let closed = rest.first() == Some(&")");
            *rest = rest.get(1..).unwrap_or_default();
            met && closed
        }
        [name, "WITH", exception, tail @ ..] => {
            *rest = tail;
            allowed.contains(&format!("{name} WITH {exception}"))
        }
        [name, tail @ ..] => {
            *rest = tail;
            allowed.contains(*name)
        }
        [] => false,
    }
}
