//! See `keepmind_tests::fuzzed::digest_lines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keepmind_tests::fuzzed::digest_lines(data));
