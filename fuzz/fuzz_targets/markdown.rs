//! See `keepmind_tests::fuzzed::markdown`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keepmind_tests::fuzzed::markdown(data));
