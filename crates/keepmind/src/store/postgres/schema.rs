//! The schema: its versions, and where in the database its tables are.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use crate::error::{Error, ErrorKind, Result};
use crate::text::TERMS_VERSION;

/// One script for each version, in order. A script that was released never changes.
pub(super) const MIGRATIONS: [&str; 5] = [
    include_str!("migrations/0001.sql"),
    include_str!("migrations/0002.sql"),
    include_str!("migrations/0003.sql"),
    include_str!("migrations/0004.sql"),
    include_str!("migrations/0005.sql"),
];

pub(super) const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// The versions that a database names, and those that this library knows.
const VERSIONS: [(&str, u32); 2] = [("schema", SCHEMA_VERSION), ("terms", TERMS_VERSION)];

/// The precondition of every write: the tables and the index are those that this version knows. Other processes may
/// have been upgraded meanwhile.
pub(super) static IS_CURRENT: LazyLock<String> = LazyLock::new(|| {
    let [schema, terms] = VERSIONS.map(|(name, version)| format!("WHEN '{name}' THEN {version}"));
    // The few rows are read through: by name the server would look up each in the index.
    format!("(SELECT count(*) FROM @setting WHERE value = CASE name {schema} {terms} END) = 2")
});

/// Where the tables are. A statement names each as `@name`: nothing depends on what a session's path is, which a
/// pooler does not keep.
#[derive(Debug, Clone)]
pub(super) struct Schema {
    name: Arc<str>,
    prefix: Arc<str>,
}

impl Schema {
    /// The name is letters, digits and underscores.
    pub(super) fn new(name: &str) -> Self {
        Schema {
            name: name.into(),
            prefix: format!("\"{name}\".").into(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The statement, with its tables where they are.
    pub(super) fn sql(&self, statement: &str) -> String {
        statement.replace('@', &self.prefix)
    }
}

/// What a database says of itself, by name.
pub(super) type Settings = BTreeMap<String, i64>;

/// Whether a database is of the versions that are known; an error where it is newer.
pub(super) fn is_current(operation: &'static str, settings: &Settings) -> Result<bool> {
    let mut is_current = true;
    for (name, known) in VERSIONS {
        let found = settings.get(name).copied().unwrap_or_default();
        if found > i64::from(known) {
            return Err(Error::new(
                ErrorKind::Newer,
                operation,
                format_args!(
                    "the database has {name} {found}, this version knows {known}: upgrade the library; nothing was changed"
                ),
            ));
        }
        is_current &= found == i64::from(known);
    }
    Ok(is_current)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_where_they_are() {
        let schema = Schema::new("app");
        let named = "SELECT 1 FROM \"app\".memory JOIN \"app\".link ON true WHERE id = $1";
        assert_eq!(
            schema.sql("SELECT 1 FROM @memory JOIN @link ON true WHERE id = $1"),
            named
        );
    }

    #[test]
    fn a_newer_database_is_told_from_an_older_one() {
        let settings = |schema: u32, terms: u32| {
            let pairs = [("schema", schema), ("terms", terms)];
            pairs
                .map(|(name, version)| (name.to_owned(), i64::from(version)))
                .into()
        };
        let (schema, terms) = (SCHEMA_VERSION, TERMS_VERSION);
        assert!(is_current("open", &settings(schema, terms)).unwrap());
        assert!(!is_current("open", &settings(schema - 1, terms)).unwrap());
        for newer in [settings(schema + 1, terms), settings(schema, terms + 1)] {
            let refused = is_current("open", &newer).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Newer);
        }
    }
}
