//! The shared library shows the functions of the interface and nothing else: no SQLite, no Rust.

#[path = "library/mod.rs"]
mod library;

use std::fs;
use std::path::Path;
use std::process::Command;

/// What the table of hostile calls, `tests/c/functions.c`, leaves out: no handle is given, or nothing can fail. Each is
/// called in a forked process.
const APART: [&str; 8] = [
    "km_abi",
    "km_config_new",
    "km_copy",
    "km_error_code",
    "km_error_is_retryable",
    "km_error_message",
    "km_string_free",
    "km_version",
];

#[test]
fn every_function_is_called_as_a_hostile_caller_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(folder.join("tests/c/functions.c")).expect("the table is there");
    let listed = fs::read_to_string(folder.join("symbols.txt")).expect("symbols.txt is there");
    let has_row = |name: &str| {
        table.contains(&format!("{{\"{name}\",")) || table.contains(&format!("{{\"{name}: "))
    };
    let missing: Vec<&str> = listed.lines().filter(|name| !has_row(name)).collect();
    assert_eq!(missing, APART);
    let forked = fs::read_to_string(folder.join("tests/c/process.c")).expect("it is there");
    for name in APART {
        assert!(forked.contains(&format!("{name}(")), "{name}");
    }
}

#[test]
fn the_shared_library_shows_only_what_is_listed() {
    let nm = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library::library())
        .output();
    // It comes with the linker, without which nothing is built.
    let nm = nm.expect("nm lists the library's symbols");
    assert!(nm.status.success(), "nm failed");
    let shown = String::from_utf8(nm.stdout).expect("symbols are text");
    let mut shown: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    shown.sort_unstable();
    let listed = Path::new(env!("CARGO_MANIFEST_DIR")).join("symbols.txt");
    let listed = fs::read_to_string(listed).expect("symbols.txt is there");
    assert_eq!(shown, listed.lines().collect::<Vec<_>>());
}
