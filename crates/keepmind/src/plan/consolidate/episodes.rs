//! Episodes that tell nothing which facts do not say: they are taken up, and recall is rid of them.

use std::collections::BTreeSet;

use time::OffsetDateTime;

use crate::consolidated::{Settled, Settling};
use crate::ids::SessionId;
use crate::memory::Evidence;
use crate::order::Gather;
use crate::plan::Planning;
use crate::plan::consolidate::{Work, is_brought_back};
use crate::row::{MemoryRow, Why};
use crate::text;

impl Work<'_> {
    pub(super) fn episode(&mut self, row: &MemoryRow) -> Planning<()> {
        let Some(chat) = row.body.claim.session else {
            return Ok(());
        };
        if is_brought_back(row) {
            return Ok(());
        }
        let gone = &self.gone;
        let standing = self.gathered.facts.iter().copied();
        let standing = standing.filter(|fact| !gone.contains(&fact.origin));
        let facts = standing.chain(self.believed.values());
        let of_chat: Vec<&MemoryRow> = facts.filter(|fact| rests_on(fact, chat)).collect();
        let known: BTreeSet<String> = of_chat
            .iter()
            .flat_map(|fact| text::query_terms(&fact.body.claim.content))
            .gather();
        let told = text::query_terms(&row.body.claim.content);
        let day = self.day_terms(row);
        let mut told = told
            .into_iter()
            .filter(|term| !text::is_user_word(term) && !day.contains(term))
            .peekable();
        let is_told = told.peek().is_some() && told.all(|term| known.contains(&term));
        let by = match of_chat.as_slice() {
            [fact] => Some(fact.origin),
            _ => None,
        };
        if !is_told {
            return Ok(());
        }
        let until = self.planner.now();
        self.end(row, Why::Absorbed { by, until })?;
        let reason = "facts say all of it";
        self.told(Settled::new(
            Settling::Absorbed,
            Some(row.body.number),
            reason,
        ));
        Ok(())
    }

    /// The day that an episode begins with is no word of the user's.
    fn day_terms(&self, row: &MemoryRow) -> Vec<String> {
        let moment = OffsetDateTime::from(row.body.claim.valid_from);
        let day = moment.checked_to_offset(self.planner.offset);
        text::query_terms(&day.map(|day| day.date().to_string()).unwrap_or_default())
    }
}

fn rests_on(fact: &MemoryRow, chat: SessionId) -> bool {
    let claim = &fact.body.claim;
    claim.session == Some(chat)
        || claim
            .evidence
            .iter()
            .any(|piece| matches!(piece, Evidence::Quote { session, .. } if *session == chat))
}
