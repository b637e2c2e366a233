//! The schema's versions, and how the file says which it has.

/// Marks a file as keepmind's: "kmnd".
pub(super) const APPLICATION_ID: u32 = 0x6b6d_6e64;

/// One script for each version, in order. A script that was released never changes.
pub(super) const MIGRATIONS: [&str; 4] = [
    include_str!("migrations/0001.sql"),
    include_str!("migrations/0002.sql"),
    include_str!("migrations/0003.sql"),
    include_str!("migrations/0004.sql"),
];

pub(super) const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;
