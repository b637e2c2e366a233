//! The committed header is what the crate makes, compiles everywhere, and says what a caller must know.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn include_folder() -> PathBuf {
    crate_folder().join("../../include")
}

fn made() -> String {
    let config = cbindgen::Config::from_file(crate_folder().join("cbindgen.toml"))
        .expect("cbindgen.toml is read");
    let bindings = cbindgen::Builder::new()
        .with_crate(crate_folder())
        .with_config(config)
        .generate()
        .expect("the header is made");
    let mut header = Vec::new();
    bindings.write(&mut header);
    let header = String::from_utf8(header).expect("a header is text");
    for_c(&header)
}

/// The sections that rustdoc wants for `unsafe` functions say nothing that the rest does not.
fn for_c(header: &str) -> String {
    let mut kept = Vec::new();
    let mut in_safety = false;
    for line in header.lines() {
        if line.trim_end() == "// # Safety" {
            in_safety = true;
            // The empty comment line before it.
            if kept
                .last()
                .is_some_and(|line: &&str| line.trim_end() == "//")
            {
                kept.pop();
            }
        }
        in_safety &= line.starts_with("//");
        if !in_safety {
            kept.push(line.trim_end());
        }
    }
    kept.join("\n") + "\n"
}

fn committed() -> String {
    fs::read_to_string(include_folder().join("keepmind.h")).expect("include/keepmind.h is there")
}

#[test]
fn the_committed_header_is_what_the_crate_makes() {
    let made = made();
    let path = include_folder().join("keepmind.h");
    if std::env::var_os("KEEPMIND_WRITE_HEADER").is_some() {
        fs::write(&path, &made).expect("include/keepmind.h is written");
    }
    assert!(
        fs::read_to_string(&path).is_ok_and(|committed| committed == made),
        "include/keepmind.h is not what crates/keepmind-ffi makes. To write it anew:\n\n    \
         KEEPMIND_WRITE_HEADER=1 cargo test -p keepmind-ffi --test header\n"
    );
}

/// A function of the header, or a type of callback.
struct Declared {
    name: String,
    /// What stands above it.
    comment: String,
    /// Between its parentheses.
    parameters: String,
}

impl Declared {
    /// The names of parameters that point to something, but for functions.
    fn pointers(&self) -> impl Iterator<Item = &str> {
        let pointers = self.parameters.split(',').filter(|one| one.contains('*'));
        pointers.filter_map(|one| one.rsplit(['*', ' ']).next())
    }

    /// The sentences of its comment that say who owns what.
    fn ownership(&self) -> String {
        let words = ["Borrows ", "Consumes ", "Returns owned ", "Returns static "];
        let sentences = self.comment.split(". ");
        sentences
            .map(str::trim)
            .filter(|sentence| words.iter().any(|word| sentence.contains(word)))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

fn declared(header: &str) -> Vec<Declared> {
    let mut found = Vec::new();
    let (mut comment, mut code) = (String::new(), String::new());
    for line in header.lines() {
        if let Some(text) = line.strip_prefix("//") {
            comment.push_str(text);
            continue;
        }
        if line.starts_with('#') || line.trim().is_empty() {
            comment.clear();
            code.clear();
            continue;
        }
        code.push_str(line.trim());
        code.push(' ');
        if !line.ends_with(';') {
            continue;
        }
        // A callback's name stands in parentheses of its own.
        let parts: Vec<&str> = code.split(['(', ')']).collect();
        let (named, parameters) = match parts[..] {
            [_, named, _, parameters, ..] => (named, parameters),
            [named, parameters, ..] => (named, parameters),
            _ => ("", ""),
        };
        let name = named.rsplit(['*', ' ']).next().unwrap_or_default();
        if name.starts_with("km_") {
            found.push(Declared {
                name: name.to_owned(),
                comment: comment.clone(),
                parameters: parameters.to_owned(),
            });
        }
        comment.clear();
        code.clear();
    }
    found
}

fn functions(header: &str) -> Vec<Declared> {
    let mut found = declared(header);
    found.retain(|declared| !is_callback(declared));
    found
}

fn is_callback(declared: &Declared) -> bool {
    declared.name.ends_with("_callback") || declared.name.ends_with("_finalizer")
}

#[test]
fn every_function_says_who_owns_what_and_which_threads_may_call_it() {
    let functions = functions(&committed());
    assert!(functions.len() > 25, "{} functions", functions.len());
    for function in functions {
        let (name, ownership) = (&function.name, function.ownership());
        assert!(
            function.comment.contains("Threads: any"),
            "{name}: no thread rule"
        );
        for pointer in function.pointers() {
            assert!(
                ownership.contains(&format!("`{pointer}`")),
                "{name}: nothing about who owns `{pointer}`, but \"{ownership}\""
            );
        }
    }
}

#[test]
fn every_callback_says_where_it_is_called_and_what_it_may_use() {
    let header = committed();
    let callbacks: Vec<Declared> = declared(&header).into_iter().filter(is_callback).collect();
    assert!(callbacks.len() >= 5, "{} callbacks", callbacks.len());
    for callback in callbacks {
        for told in ["thread", "KM_REENTRANT"] {
            assert!(
                callback.comment.contains(told),
                "{}: no {told}",
                callback.name
            );
        }
    }
}

/// The names that the shared library may export, one a line.
#[test]
fn the_header_declares_exactly_the_exported_functions() {
    let declared: BTreeSet<String> = functions(&committed())
        .into_iter()
        .map(|function| function.name)
        .collect();
    let listed = fs::read_to_string(crate_folder().join("symbols.txt")).expect("symbols.txt");
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    assert_eq!(
        declared, listed,
        "symbols.txt lists what keepmind.h declares"
    );
}

#[test]
fn the_header_compiles_as_c_and_as_cpp() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "#include <keepmind.h>\n#include <keepmind.h>\n\
        typedef char abi_is_known[KM_ABI == 1 && KM_OK == 0 && KM_IO == 32 ? 1 : -1];\n\
        int main(void) { km_status status = KM_OK; abi_is_known known; (void)known; return (int)status; }\n";
    for (compiler, extension, standards) in [
        ("cc", "c", ["-std=c99", "-std=c17"].as_slice()),
        ("c++", "cpp", ["-std=c++17"].as_slice()),
    ] {
        if Command::new(compiler).arg("--version").output().is_err() {
            // The C compiler is needed to build the library at all.
            assert_ne!(compiler, "cc", "there is no C compiler");
            continue;
        }
        let file = folder.path().join(format!("header.{extension}"));
        fs::write(&file, source).expect("the program is written");
        for standard in standards {
            let output = Command::new(compiler)
                .args([
                    standard,
                    "-Wall",
                    "-Wextra",
                    "-pedantic",
                    "-Werror",
                    "-fsyntax-only",
                ])
                .arg("-I")
                .arg(include_folder())
                .arg(&file)
                .output()
                .expect("the compiler runs");
            assert!(
                output.status.success(),
                "{compiler} {standard}:\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}
