//! See `keepmind_tests::fuzzed::sanitise_and_render`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keepmind_tests::fuzzed::sanitise_and_render(data));
