//! What was said just before a clause, as far as it bears on it.

/// What the clauses before say about how this one is to be read.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::extract::spoken) struct Before {
    /// The user asked that it be remembered: it need not sound lasting.
    pub(in crate::extract::spoken) remember: bool,
    /// The user is the subject of the clause before, which this one goes on from.
    pub(in crate::extract::spoken) inherits: bool,
    /// Something was said to be over, so that what follows took its place.
    pub(in crate::extract::spoken) ended: bool,
    /// "At work", "on Sundays" stands before it: what follows is done again and again.
    pub(in crate::extract::spoken) habit: bool,
}
