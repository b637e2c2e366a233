//! Which columns of the schema may hold a user's words. Whoever adds a column of text decides it here.
//!
//! Of a column in [`WORDS`] a purge must leave nothing (a user's own messages aside) and an erasure nothing
//! at all, in any file. A column in [`NAMES`] holds ids, numbers packed as bytes, or names that the host, the
//! policy or the library gave; nothing that a user said or a model wrote ends up in it.

use std::collections::BTreeSet;

/// Tables that outlive a purge of what they speak of, and so never hold words.
pub const WORDLESS: &[&str] = &[
    "consent",
    "fact",
    "journal",
    "operation",
    "owner",
    "setting",
    "tombstone",
];

/// By table: the columns that may hold words of a user's or a model's, or what can be turned back into them.
pub const WORDS: &[(&str, &[&str])] = &[
    ("memory", &["key", "record", "speaker"]),
    ("proposal", &["proposal"]),
    ("session", &["block", "recap", "served", "title"]),
    ("message", &["content", "hidden"]),
    ("observation", &["payload"]),
    ("trace", &["arguments", "result"]),
    ("usage", &["influence"]),
    ("embedding", &["vector"]),
    ("posting", &["term"]),
    ("message_posting", &["term"]),
];

/// By table: the columns that hold none.
pub const NAMES: &[(&str, &[&str])] = &[
    ("owner", &["epoch", "name"]),
    ("memory", &["id", "origin", "session", "marks", "ending"]),
    ("memory", &["layer", "category", "authority", "domain"]),
    ("link", &["id", "origin", "relation", "ending"]),
    ("tombstone", &["id", "origin", "session", "ending"]),
    ("proposal", &["id", "origin", "ending"]),
    ("lineage", &["row_id", "from_id"]),
    ("consent", &["domain"]),
    ("journal", &["operation", "who", "session", "group_id"]),
    // `line` is written by the library and names numbers only: `saved #12`.
    ("journal", &["effects", "undoes", "redoes", "line"]),
    ("session", &["id", "status", "lease_holder", "block_rows"]),
    (
        "message",
        &["session", "role", "origin", "untrusted", "calls"],
    ),
    ("observation", &["id", "source"]),
    ("trace", &["session", "call", "tool", "outcome"]),
    ("usage", &["id", "session", "memory", "kind"]),
    ("embedding", &["memory", "embedder"]),
    ("operation", &["id", "receipt"]),
    // Numbers between blanks.
    ("message_posting", &["postings"]),
    ("setting", &["name"]),
];

/// A list as `table.column`.
pub fn listed(tables: &[(&str, &[&str])]) -> BTreeSet<String> {
    tables
        .iter()
        .flat_map(|(table, columns)| {
            columns
                .iter()
                .map(move |column| format!("{table}.{column}"))
        })
        .collect()
}
