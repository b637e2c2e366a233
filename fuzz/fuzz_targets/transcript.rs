//! See `keepmind_tests::fuzzed::transcript`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keepmind_tests::fuzzed::transcript(data));
