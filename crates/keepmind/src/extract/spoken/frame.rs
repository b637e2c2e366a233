//! A frame: a few fixed words, a hole, and what that means in English. Reading by them is in `frames`.

use super::StatementKind;

/// What may stand in the hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    /// Nothing: the frame says it all.
    None,
    /// A few words.
    Words,
    /// A few words, the first with a capital letter.
    Capital,
    /// A number.
    Number,
    /// A few words, among the first of which somebody close.
    Close,
    /// A few words, the first one of these.
    In(&'static [&'static str]),
}

/// A way to say something.
///
/// `said` holds folded words with blanks between them: `a|b` either, `a?` perhaps, `@` somebody close, `{}`
/// the hole, which otherwise stands at the end. `means` has `{}` for the hole and `@` for the person.
pub(super) struct Frame {
    pub(super) said: &'static str,
    pub(super) hole: Hole,
    pub(super) means: &'static str,
    /// What it means where the clause denies; empty where a denial says nothing.
    pub(super) denied: &'static str,
    pub(super) kind: StatementKind,
}
