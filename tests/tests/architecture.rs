//! The invariants of ARCHITECTURE.md, each an ordinary test over the source tree.
//!
//! What a test reads, it reads from where it is decided: the floors from the order of modules in `lib.rs`,
//! the crates and licences from `deny.toml`. Only the columns that may hold somebody's words are listed
//! here, because deciding that is the point.

#[path = "architecture/columns.rs"]
mod columns;
#[path = "architecture/dependencies.rs"]
mod dependencies;
#[path = "architecture/floors.rs"]
mod floors;
#[path = "architecture/schema.rs"]
mod schema;
#[path = "architecture/source.rs"]
mod source;
#[path = "architecture/types.rs"]
mod types;

use std::collections::BTreeSet;
use std::fs;

use source::{File, Token, core_files, paths_below, workspace};

/// The folders whose code may speak to a database.
const DATABASES: &[&str] = &["store/sqlite/", "store/postgres/"];

/// Fails with everything that was found, one a line.
#[track_caller]
fn none(rule: &str, found: Vec<String>) {
    assert!(found.is_empty(), "{rule}:\n  {}", found.join("\n  "));
}

/// What `judge` says of each place in the code of the files, tests left out.
fn in_code(files: &[File], judge: impl Fn(&File, &[Token]) -> Option<String>) -> Vec<String> {
    files
        .iter()
        .flat_map(|file| {
            let code = file.code();
            (0..code.len())
                .filter_map(|at| {
                    let what = judge(file, &code[at..])?;
                    Some(format!("{}:{}: {what}", file.path, code[at].line))
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

fn speaks_to_a_database(file: &File) -> bool {
    DATABASES.iter().any(|folder| file.path.starts_with(folder))
}

#[test]
fn imports_point_down() {
    let files = core_files();
    let root = files
        .iter()
        .find(|file| file.path == "lib.rs")
        .expect("lib.rs");
    let floors = floors::Floors::of(root);
    assert!(
        floors.count() > 5,
        "lib.rs lists its modules in groups, a floor each"
    );
    for file in files.iter().filter(|file| file.path != "lib.rs") {
        let module = &file.module[0];
        assert!(
            floors.contains(module),
            "lib.rs does not list `{module}` of {}",
            file.path
        );
    }
    let found = files.iter().flat_map(|file| floors.upward(file)).collect();
    none(
        "a module uses only its own floor and those that lib.rs lists before it",
        found,
    );
}

#[test]
fn no_sql_outside_the_stores() {
    let files = core_files();
    let found = in_code(&files, |file, code| {
        if speaks_to_a_database(file) {
            None
        } else if code[0].is_text() && reads_as_sql(&code[0].text) {
            Some(format!("a statement: {:?}", code[0].text))
        } else if code[0].is_word("sqlx") || code[0].is_word("libsqlite3_sys") {
            Some(format!("names the driver `{}`", code[0].text))
        } else {
            None
        }
    });
    none(
        "SQL stands only in the folders of the stores that speak it",
        found,
    );

    let found = source::paths_below("crates/keepmind/src")
        .into_iter()
        .filter(|path| path.ends_with(".sql"))
        .filter(|path| !DATABASES.iter().any(|folder| path.starts_with(folder)))
        .collect();
    none(
        "files of SQL stand only in the folders of the stores that speak it",
        found,
    );
}

#[test]
fn no_statement_is_made_anew_for_its_limit() {
    let found = in_code(&core_files(), |file, code| {
        let text = &code[0].text;
        let mut limits = text.match_indices("LIMIT ?").map(|(at, _)| &text[at + 7..]);
        let is_plain = |rest: &str| {
            !rest
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .starts_with(" + 0")
        };
        let is_sqlite = file.path.starts_with("store/sqlite/");
        (is_sqlite && code[0].is_text() && limits.any(is_plain)).then(|| format!("{text:?}"))
    });
    none(
        "a limit that is bound is written `LIMIT ?1 + 0`: see store/sqlite/mod.rs",
        found,
    );
}

/// Statements in any case, but not the English words they are made of.
fn reads_as_sql(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let follows = |phrase: &[&str]| words.windows(phrase.len()).any(|some| some == phrase);
    text.contains("SELECT ")
        || text.contains("UPDATE ")
        || words.first() == Some(&"select") && words.contains(&"from")
        || words.first() == Some(&"update") && words.get(2) == Some(&"set")
        || follows(&["insert", "into"])
        || follows(&["insert", "or"])
        || follows(&["delete", "from"])
        || follows(&["create", "table"])
        || follows(&["begin", "immediate"])
        || words.first() == Some(&"pragma")
}

#[test]
fn sql_is_told_from_english() {
    for statement in [
        "SELECT 1",
        "select id from memory",
        "INSERT INTO memory VALUES (1)",
        "insert or ignore into memory",
        "UPDATE OR ROLLBACK memory SET content = ?",
        "update memory\n set content = ?",
        "DELETE FROM memory",
        "PRAGMA user_version",
        "BEGIN IMMEDIATE",
    ] {
        assert!(reads_as_sql(statement), "{statement}");
    }
    for sentence in [
        "select another row",
        "an update must set one of its columns",
        "inserted into an empty owner",
        "it was deleted from the trash",
    ] {
        assert!(!reads_as_sql(sentence), "{sentence}");
    }
}

#[test]
fn no_clock_outside_clock() {
    const CLOCKS: &[&str] = &[
        "Instant",
        "Local",
        "OffsetDateTime",
        "SystemTime",
        "UtcDateTime",
        "Utc",
        "Uuid",
    ];
    const READINGS: &[&str] = &["now_local", "now_utc", "now_v1", "now_v6", "now_v7"];
    let found = in_code(&core_files(), |file, code| {
        let word = |at: usize| code.get(at).map_or("", |token| token.text.as_str());
        let reads = CLOCKS.contains(&word(0)) && word(1) == "::" && word(2).starts_with("now")
            || READINGS.contains(&word(0))
            || word(0) == "." && word(1) == "elapsed";
        if reads && file.path != "model/clock.rs" {
            return Some(format!(
                "reads a clock: {} {} {}",
                word(0),
                word(1),
                word(2)
            ));
        }
        let timer =
            word(0) == "tokio" && word(1) == "::" && floors::names(&code[2..]).contains(&"time");
        let may_wait = speaks_to_a_database(file)
            || ["engine/plugs.rs", "store/database/pool.rs", "testing.rs"]
                .contains(&file.path.as_str());
        (timer && !may_wait).then(|| "uses tokio's timers".to_owned())
    });
    none(
        "time is read through `Clock` in model/clock.rs; only who asks a database or a plug-in may wait",
        found,
    );
}

#[test]
fn no_network_in_the_tree() {
    let denied = dependencies::denied_crates();
    assert!(
        denied.contains("hyper"),
        "deny.toml lists the crates that reach the network"
    );
    let tree = dependencies::tree("normal,build,dev");
    for package in [
        "keepmind",
        "keepmind-embed",
        "keepmind-ffi",
        "keepmind-python",
    ] {
        assert!(tree.contains_key(package), "cargo knows {package}");
    }
    let found = tree
        .into_keys()
        .filter(|name| denied.contains(name))
        .collect();
    none(
        "no crate in the tree reaches the network, but those of the examples that speak HTTP",
        found,
    );
}

#[test]
fn licences_are_allowed() {
    let allowed = dependencies::allowed_licences();
    assert!(allowed.contains("MIT"), "deny.toml lists the licences");
    let exceptions = dependencies::exceptions();
    let found = dependencies::tree("normal,build")
        .into_iter()
        .filter(|(_, licence)| !dependencies::allows(&allowed, licence))
        .filter(|(name, licence)| exceptions.get(name) != Some(licence))
        .map(|(name, licence)| format!("{name}: {licence:?}"))
        .collect();
    none(
        "every crate in the tree has a licence that deny.toml allows",
        found,
    );
}

#[test]
fn crates_come_from_one_registry() {
    let found: Vec<String> = dependencies::sources().into_iter().collect();
    assert_eq!(
        found,
        ["registry+https://github.com/rust-lang/crates.io-index"]
    );
}

#[test]
fn no_version_is_left_open() {
    let mut manifests = vec!["Cargo.toml".to_owned()];
    for folder in ["benches", "crates", "examples", "fuzz", "tests"] {
        let below = paths_below(folder).into_iter();
        let below = below.filter(|path| path.ends_with("Cargo.toml"));
        manifests.extend(below.map(|path| format!("{folder}/{path}")));
    }
    assert!(
        manifests
            .iter()
            .any(|path| path == "crates/keepmind/Cargo.toml")
    );
    let mut found = Vec::new();
    for path in manifests {
        let text = fs::read_to_string(workspace().join(&path)).expect("a manifest");
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default());
        // A table's name may hold one: that of all packages in a profile.
        let open = lines.filter(|line| !line.starts_with('[') && line.contains("\"*\""));
        found.extend(open.map(|line| format!("{path}: {line}")));
    }
    none("every dependency says its version", found);
}

#[test]
fn licence_expressions_are_understood() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Zlib".to_owned()]);
    for licence in [
        "MIT",
        "MIT/Apache-2.0",
        "Apache-2.0 OR MIT",
        "(GPL-3.0 OR MIT) AND Zlib",
    ] {
        assert!(dependencies::allows(&allowed, licence), "{licence}");
    }
    for licence in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "MIT WITH Classpath-exception-2.0",
        "(MIT",
    ] {
        assert!(!dependencies::allows(&allowed, licence), "{licence}");
    }
}

#[test]
fn the_library_prints_nothing_and_finishes_its_code() {
    const MACROS: &[&str] = &[
        "dbg",
        "eprint",
        "eprintln",
        "print",
        "println",
        "todo",
        "unimplemented",
    ];
    let mut found = Vec::new();
    for file in core_files() {
        for pair in file.tokens.windows(2) {
            if pair[0].is_word("unsafe") {
                found.push(format!("{}:{}: unsafe", file.path, pair[0].line));
            }
            if MACROS.iter().any(|name| pair[0].is_word(name)) && pair[1].text == "!" {
                found.push(format!("{}:{}: {}!", file.path, pair[0].line, pair[0].text));
            }
        }
    }
    none(
        "no printing, no `unsafe`, nothing left to do, tests included",
        found,
    );
}

#[test]
fn files_are_small_and_say_what_they_hold() {
    const MOST: usize = 700;
    const MEDIAN: usize = 250;
    let files = core_files();
    let mut found = Vec::new();
    let mut lengths = Vec::new();
    for file in &files {
        let lines = file.text.lines().count();
        lengths.push(lines);
        if lines > MOST {
            found.push(format!("{}: {lines} lines, more than {MOST}", file.path));
        }
        if !file.text.starts_with("//! ") {
            found.push(format!("{}: the first line is not `//! …`", file.path));
        }
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    if median >= MEDIAN {
        found.push(format!(
            "the median file has {median} lines, not under {MEDIAN}"
        ));
    }
    none("files begin with what lives there, and are small", found);
}

#[test]
fn every_text_column_is_classified() {
    let path = workspace().join("crates/keepmind/src/store/sqlite/schema.sql");
    let text = fs::read_to_string(&path).expect("the checked-in schema of the SQLite store");
    let columns = schema::text_columns(&text);
    assert!(!columns.is_empty(), "the schema has columns of text");

    let words = columns::listed(columns::WORDS);
    let names = columns::listed(columns::NAMES);
    let mut found = Vec::new();
    for column in &columns {
        match (words.contains(column), names.contains(column)) {
            (false, false) => found.push(format!("{column} is in neither list")),
            (true, true) => found.push(format!("{column} is in both lists")),
            _ => {}
        }
    }
    for column in words
        .union(&names)
        .filter(|column| !columns.contains(*column))
    {
        found.push(format!(
            "{column} is listed, but the schema has no such column of text"
        ));
    }
    let path = workspace().join("crates/keepmind/src/store/postgres/migrations/0001.sql");
    let text = fs::read_to_string(&path).expect("the tables of the PostgreSQL store");
    let mut elsewhere = schema::text_columns(&text);
    assert!(!elsewhere.is_empty(), "its tables have columns of text");
    elsewhere.retain(|column| !columns.contains(column));
    let others = elsewhere.iter();
    found.extend(others.map(|column| format!("{column}: only PostgreSQL has it")));
    none(
        "every TEXT and BLOB column is listed in columns.rs as one that may hold a user's words, or not",
        found,
    );
}

#[test]
fn what_outlives_a_purge_holds_no_words() {
    let found = columns::listed(columns::WORDS)
        .into_iter()
        .filter(|column| columns::WORDLESS.contains(&column.split('.').next().unwrap_or_default()))
        .collect();
    none("what outlives a purge holds no words", found);
}

#[test]
fn journal_and_tombstones_have_no_field_for_text() {
    let files = core_files();
    assert_eq!(
        types::text_reachable_from("JournalEntry", &files),
        ["JournalEntry.line: String"],
        "but for one line that names numbers, nothing in a journal entry can carry text"
    );
    none(
        "nothing in a tombstone can carry text",
        types::text_reachable_from("Tombstone", &files),
    );
}
