//! Where a library must say what it leaves to whoever loads it, this one says it: the interpreter's symbols.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        println!("cargo::rustc-cdylib-link-arg=-undefined");
        println!("cargo::rustc-cdylib-link-arg=dynamic_lookup");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
