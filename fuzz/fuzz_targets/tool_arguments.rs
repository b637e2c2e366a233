//! See `keepmind_tests::fuzzed::tool_arguments`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keepmind_tests::fuzzed::tool_arguments(data));
