//! Reading strictly where serde alone would not.

use serde::{Deserialize, Deserializer};

/// Reads a variant without fields, and refuses any field beside its tag: serde ignores them there.
pub(crate) fn no_fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(deserializer).map(|Nothing {}| ())
}
