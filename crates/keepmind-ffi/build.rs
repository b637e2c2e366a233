//! Gives the shared library the name that programs linked with it ask for when they start.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Cargo names the file after the crate; scripts/install-c.sh installs it under this name.
    let major = env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd" | "dragonfly") => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libkeepmind.so.{major}");
        }
        Ok("macos" | "ios") => {
            // A place that the program's own search path fills in: the library can be installed anywhere.
            let name = format!("@rpath/libkeepmind.{major}.dylib");
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,{name}");
        }
        _ => {}
    }
}
