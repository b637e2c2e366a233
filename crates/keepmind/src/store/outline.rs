//! What decides of most rows whether they are wanted: so little that it can be told without reading the rest of a row.

use std::borrow::Cow;

use crate::ids::SessionId;
use crate::memory::{Authority, Layer, Source};
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility_of};

/// What a filter asks of a row, unless it asks for moments, words or tags.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outline<'a> {
    pub is_open: bool,
    pub is_held: bool,
    pub expires_at: Option<Timestamp>,
    pub layer: Layer,
    pub category: Cow<'a, str>,
    pub authority: Authority,
    pub domain: Option<Cow<'a, str>>,
    pub source: Source,
    pub session: Option<SessionId>,
    pub confidence: Option<f64>,
}

impl<'a> Outline<'a> {
    pub fn of(row: &'a MemoryRow) -> Self {
        let claim = &row.body.claim;
        Outline {
            is_open: row.is_open(),
            is_held: claim.held,
            expires_at: claim.expires_at,
            layer: claim.layer,
            category: Cow::Borrowed(&claim.category),
            authority: claim.authority,
            domain: claim.domain.as_deref().map(Cow::Borrowed),
            source: claim.source,
            session: claim.session,
            confidence: row.marks.confidence,
        }
    }

    pub fn visibility(&self, now: Timestamp) -> Visibility {
        visibility_of(self.is_open, self.is_held, self.expires_at, now)
    }
}
