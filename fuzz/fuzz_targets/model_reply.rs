//! See `keepmind_tests::fuzzed::model_reply`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keepmind_tests::fuzzed::model_reply(data));
