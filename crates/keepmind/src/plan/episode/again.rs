//! Episodes told anew: where one was thrown away, or tells what was forgotten or purged. In the commit that
//! does so, so that nobody finds the one without the other.

use std::collections::BTreeSet;

use crate::ids::Number;
use crate::memory::{Claim, Layer};
use crate::plan::episode::{Happened, told_of};
use crate::plan::spans::stretches;
use crate::plan::{Entry, Planner, Planning};
use crate::row::{Kind, MemoryRow, Why};

/// An episode in force that is to be told anew.
#[derive(Debug, Clone)]
pub(crate) struct Retold {
    pub number: Number,
    pub happened: Happened,
}

/// Whether an episode tells, or may tell, what versions of a fact rest on.
pub(crate) fn is_retold_for(episode: &Claim, versions: &[MemoryRow]) -> bool {
    let mut ranges = versions
        .iter()
        .flat_map(|row| stretches(&row.body.claim.evidence));
    if !episode.evidence.is_empty() {
        return ranges.any(|range| stretches(&episode.evidence).any(|told| told.overlaps(range)));
    }
    // A model's words may rest on anything that was said.
    let Some((first, last)) = told_of(episode) else {
        return false;
    };
    ranges.any(|range| {
        Some(range.session) == episode.session && (first..=last).contains(&range.message)
    })
}

impl<'a> Planner<'a> {
    /// Tells anew what the end of facts takes away, without the words that are entombed with them.
    pub(in crate::plan) fn retell(&mut self, ended: &BTreeSet<Number>) -> Planning<()> {
        let findings = self.findings;
        if findings.retold.is_empty() {
            return Ok(());
        }
        let base = self.base();
        let laid = ended.iter().flat_map(|number| self.rests_on(*number));
        let mut untellable = self.untellable();
        untellable.extend(laid);
        for Retold { number, happened } in &findings.retold {
            let Some(old) = base.open_version(*number) else {
                continue;
            };
            let told = self.as_extractor(happened, |planner| {
                planner.episode(happened, None, &untellable)
            });
            // One that is gone or in the trash keeps its number to itself.
            let is_gone = ended.contains(number) || findings.episodes.contains(number);
            match told {
                Some((claim, marks)) if is_gone => {
                    let number = self.draft.new_number()?;
                    self.draft.insert_version(number, claim, marks)?;
                }
                Some((claim, marks)) => {
                    self.succeed(old, claim, marks, true)?;
                }
                None if is_gone => {}
                None => self.draft.end(Kind::Memory, old.origin, Why::Discarded)?,
            }
        }
        Ok(())
    }

    /// Ends the episodes that were told in the place of one that comes back.
    pub(in crate::plan) fn make_way(&mut self, restored: Number) -> Planning<()> {
        let base = self.base();
        for number in &self.findings.episodes {
            if let Some(row) = base.open_version(*number)
                && *number != restored
                && row.body.claim.layer == Layer::Episode
            {
                self.draft.end(Kind::Memory, row.origin, Why::Discarded)?;
            }
        }
        Ok(())
    }

    /// Does something as a close would: whoever ends a fact, what is told of a chat is screened.
    fn as_extractor<T>(&mut self, happened: &'a Happened, act: impl FnOnce(&Self) -> T) -> T {
        let entry = std::mem::replace(&mut self.entry, Entry::Extractor(&happened.turn));
        let done = act(self);
        self.entry = entry;
        done
    }
}
