//! See `keepmind_tests::fuzzed::import`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keepmind_tests::fuzzed::import(data));
