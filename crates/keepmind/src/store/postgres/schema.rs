//! The schema's versions.

/// One script for each version, in order. A script that was released never changes.
pub(super) const MIGRATIONS: [&str; 1] = [include_str!("migrations/0001.sql")];

pub(super) const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;
