//! Gists: lines of a digest in a model's words, as the digest's row keeps them. One stands only as long as
//! every row that it cites is what it was when the line was judged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::DigestKind;
use crate::ids::{Number, Version};
use crate::memory::Layer;
use crate::row::MemoryRow;

/// The field of a digest's value that holds them.
pub(super) const FIELD: &str = "gists";

/// Which digest a line stands in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub kind: DigestKind,
    pub domain: Option<String>,
}

/// A line in a model's words that says what several rows say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Gist {
    pub text: String,
    /// What it says, to the very version.
    pub cites: Vec<(Number, Version)>,
}

impl Gist {
    /// Whether it says what a fact says, or once said.
    pub(crate) fn cites(&self, number: Number) -> bool {
        self.cites.iter().any(|(cited, _)| *cited == number)
    }
}

/// The gists of each digest.
pub(crate) type Gists = BTreeMap<Place, Vec<Gist>>;

/// The gists that a row keeps: none where it is no digest, or its value is not one of ours.
pub(crate) fn kept_in(row: &MemoryRow) -> Vec<Gist> {
    let claim = &row.body.claim;
    if claim.layer != Layer::Digest {
        return Vec::new();
    }
    let kept = claim.value.as_ref().and_then(|value| value.get(FIELD));
    kept.map(gists_of).unwrap_or_default()
}

fn gists_of(value: &Value) -> Vec<Gist> {
    serde_json::from_value(value.clone()).unwrap_or_default()
}

/// The gists that digests keep, by the digest they stand in.
pub(crate) fn all_kept_in<'a>(rows: impl IntoIterator<Item = &'a MemoryRow>) -> Gists {
    let mut found = Gists::new();
    for row in rows {
        let claim = &row.body.claim;
        let kind = [
            DigestKind::Profile,
            DigestKind::Procedures,
            DigestKind::Domain,
        ];
        let kind = kind
            .into_iter()
            .find(|kind| claim.key.as_deref() == Some(kind.word()));
        let gists = kept_in(row);
        if let Some(kind) = kind.filter(|_| !gists.is_empty()) {
            let domain = claim.domain.clone();
            found.insert(Place { kind, domain }, gists);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_is_not_ours_holds_none() {
        let good = json!([{"text": "User likes tea and milk", "cites": [[1, 1], [2, 3]]}]);
        assert_eq!(gists_of(&good).len(), 1);
        assert_eq!(json!(gists_of(&good)), good);
        for value in [
            json!(null),
            json!("User likes tea"),
            json!({"text": "x", "cites": []}),
            json!([{"text": "x"}]),
            json!([{"text": "x", "cites": [[0, 1]]}]),
            json!([{"text": "x", "cites": [[1]]}]),
            json!([{"text": "x", "cites": [], "trust": "user"}]),
        ] {
            assert_eq!(gists_of(&value), [], "{value}");
        }
    }
}
