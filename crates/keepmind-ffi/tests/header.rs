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

/// Each function of the header with the comment above it.
fn functions(header: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut comment = String::new();
    for line in header.lines() {
        if let Some(text) = line.strip_prefix("//") {
            comment.push_str(text);
        } else {
            if let Some(at) = line.find("km_").filter(|_| line.contains('(')) {
                let is_function = !line.starts_with("typedef") && !line.starts_with(' ');
                let name = line[line[..line.find('(').unwrap_or(0)]
                    .rfind([' ', '*'])
                    .map_or(at, |space| space + 1)..]
                    .split('(')
                    .next()
                    .unwrap_or_default();
                if is_function && name.starts_with("km_") {
                    found.push((name.to_owned(), comment.clone()));
                }
            }
            comment.clear();
        }
    }
    found
}

#[test]
fn every_function_says_who_owns_what_and_which_threads_may_call_it() {
    let header = committed();
    let functions = functions(&header);
    assert!(functions.len() > 25, "{} functions", functions.len());
    for (name, comment) in functions {
        assert!(comment.contains("Threads: any"), "{name}: no thread rule");
        let words = ["Borrows", "Consumes", "Returns owned", "static"];
        let is_plain = name == "km_abi";
        assert!(
            is_plain || words.iter().any(|word| comment.contains(word)),
            "{name}: nothing about ownership"
        );
    }
}

/// The names that the shared library may export, one a line.
#[test]
fn the_header_declares_exactly_the_exported_functions() {
    let declared: BTreeSet<String> = functions(&committed())
        .into_iter()
        .map(|(name, _)| name)
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
