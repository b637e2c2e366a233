//! The shared library shows the functions of the interface and nothing else: no SQLite, no Rust.

#[path = "library/mod.rs"]
mod library;

use std::fs;
use std::path::Path;
use std::process::Command;

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
