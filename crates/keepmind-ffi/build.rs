//! Gives the shared library the name that programs linked with it ask for when they start.

use std::{env, fs};

/// Where the number of the interface stands.
const VERSION: &str = "src/version.rs";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={VERSION}");
    // A program must not start with a library whose interface is another one. Cargo names the file after the
    // crate; scripts/install-c.sh installs it under this name.
    let abi = abi();
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd" | "dragonfly") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libkeepmind.so.{abi}");
        }
        Ok("macos" | "ios") => {
            // A place that the program's own search path fills in: the library can be installed anywhere.
            let name = format!("@rpath/libkeepmind.{abi}.dylib");
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,{name}");
        }
        _ => {}
    }
}

fn abi() -> u32 {
    let version = fs::read_to_string(VERSION).expect("src/version.rs can be read");
    let line = version.lines().find(|line| line.contains("const KM_ABI"));
    let number = line.and_then(|line| line.rsplit(' ').next());
    let number = number.map(|number| number.trim_end_matches(';'));
    number
        .and_then(|number| number.parse().ok())
        .expect("KM_ABI is a number")
}
