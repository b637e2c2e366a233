//! See `keepmind_tests::fuzzed::substring_targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keepmind_tests::fuzzed::substring_targets(data));
