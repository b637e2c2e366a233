//! The tree of crates as cargo sees it, and what `deny.toml` says of crates and licences.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use crate::source::workspace;

/// The crates that the workspace is built with, by edges of these kinds, and their licences; without what `deny.toml`
/// leaves out, and what only that needs.
pub fn tree(edges: &str) -> BTreeMap<String, String> {
    let left_out = line("exclude = [");
    assert!(!left_out.is_empty(), "deny.toml leaves examples out");
    let all = told(edges, &left_out, &[]);
    // Cargo refuses to prune what is not there: what nobody depends on.
    let needed: Vec<String> = left_out
        .iter()
        .filter(|package| all.contains_key(*package))
        .cloned()
        .collect();
    told(edges, &left_out, &needed)
}

/// Asked of `cargo tree` rather than `cargo metadata`, which wants the crates of every platform downloaded. Nothing is
/// downloaded here: what is in the tree was just built.
fn told(edges: &str, left_out: &[String], pruned: &[String]) -> BTreeMap<String, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--workspace", "--edges", edges])
        .args(left_out.iter().flat_map(|package| ["--exclude", package]))
        .args(pruned.iter().flat_map(|package| ["--prune", package]))
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
    let pairs = line("exceptions = [");
    let pair = |pair: &[String]| (pair[0].clone(), pair[1].clone());
    pairs.chunks(2).map(pair).collect()
}

/// The strings on the one line of `deny.toml` that begins so.
fn line(head: &str) -> Vec<String> {
    let text = fs::read_to_string(workspace().join("deny.toml")).expect("deny.toml");
    let line = text.lines().find_map(|line| line.strip_prefix(head));
    let line = line.unwrap_or_else(|| panic!("deny.toml has a line `{head}`"));
    line.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
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
