//! Which library this is.

use std::ffi::c_char;

/// The number of this interface: it changes when a program must be compiled anew.
pub const KM_ABI: u32 = 1;

/// The number of the interface that the library was built with: compare it with KM_ABI.
///
/// Threads: any, also inside a callback.
#[unsafe(no_mangle)]
pub extern "C" fn km_abi() -> u32 {
    KM_ABI
}

/// The library's version, such as 0.1.0: static.
///
/// Threads: any, also inside a callback.
#[unsafe(no_mangle)]
pub extern "C" fn km_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
