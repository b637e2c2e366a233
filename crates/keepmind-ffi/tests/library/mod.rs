//! The shared library that was built for a test: it lies beside the test itself.

use std::env;
use std::path::PathBuf;

pub fn library() -> PathBuf {
    let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let test = env::current_exe().expect("a test knows its own file");
    let library = test.with_file_name(format!("{prefix}keepmind_ffi{suffix}"));
    assert!(library.is_file(), "{} is not there", library.display());
    library
}
