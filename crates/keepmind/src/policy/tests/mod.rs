//! Tests of the policy as a whole: its rules, its presets, its JSON.

mod json;
mod presets;
mod validate;
