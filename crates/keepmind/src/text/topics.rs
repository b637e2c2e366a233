//! Which sensitive domains a text belongs to.

use std::collections::BTreeSet;
pub(crate) fn topics(_text: &str) -> BTreeSet<&'static str> {
    BTreeSet::new()
}
pub(crate) fn is_about_another(_text: &str) -> bool {
    false
}
