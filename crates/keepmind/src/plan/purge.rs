//! A fact gone for good: every version, and everything that quotes it but the user's own messages.

use std::collections::BTreeSet;

use crate::change::{ChangeSet, Draft, EntryHeader, SessionChange, Snapshot, TraceChange};
use crate::event::EventKind;
use crate::ids::{Number, Origin, RowId, SessionId};
use crate::journal::Who;
use crate::model::IdSource;
use crate::order::Gather;
use crate::plan::{Entry, Planned, Planner, Planning, Told};
use crate::proposal::Proposal;
use crate::refusal::{Code, Refusal};
use crate::row::{Kind, MemoryRow, Row};
use crate::text;
use crate::timestamp::Timestamp;

impl Planner<'_> {
    pub(super) fn purge(mut self) -> Planning<Planned> {
        let number = self
            .findings
            .target
            .filter(|number| self.base().versions(*number).next().is_some())
            // What the sweep saw in the trash may have been brought back since.
            .filter(|number| {
                !matches!(self.entry, Entry::Sweep) || self.base().open_version(*number).is_none()
            })
            .ok_or_else(|| Refusal::new(Code::NotFound, "there is no such fact"))?;
        self.entomb_fact(number)?;
        let base = self.base();
        let findings = self.findings;
        let absorbed = findings.trails.get(&number).map(|trail| &trail.absorbed);
        let going = Going::of(base, number, absorbed.into_iter().flatten().copied());
        // What was told of the chats that it rests on may tell it too, and a digest is only a cache.
        let told = findings.episodes.iter().chain(&findings.digests).copied();
        let gone: BTreeSet<Number> = told.chain(going.numbers.iter().copied()).gather();
        for gone in gone {
            purge_number(&mut self.draft, base, gone)?;
        }
        for row in &going.rows {
            self.draft.purge(Kind::Memory, row.id)?;
        }
        for row in going.proposals() {
            self.draft.purge(Kind::Proposal, row.id)?;
        }
        for key in &self.findings.traces {
            self.draft
                .others()
                .traces
                .insert(key.clone(), TraceChange::Purge);
        }
        self.retell(&[number].into_iter().gather())?;
        self.edit_sessions();
        let told = Told {
            number: Some(number),
            ..Told::default()
        };
        self.done(EventKind::Purged, number.to_string(), told)
    }
}

/// A chat gone for good, with what was told of it: an episode is made of nothing but its words.
pub(crate) fn purge_chat(
    base: &Snapshot,
    session: SessionId,
    episodes: &BTreeSet<Number>,
    clock: Timestamp,
    ids: &mut dyn IdSource,
) -> Planning<ChangeSet> {
    let mut draft = Draft::new(base, clock, ids)?;
    for number in episodes {
        purge_number(&mut draft, base, *number)?;
    }
    draft
        .others()
        .sessions
        .insert(session, SessionChange::Purge);
    let header = EntryHeader::new(Who::User, "purged what was told of a chat");
    Ok(draft.finish(header)?)
}

/// All versions go, with the links that lead to them.
pub(super) fn purge_number(draft: &mut Draft<'_>, base: &Snapshot, number: Number) -> Planning<()> {
    for row in base.versions(number) {
        draft.purge(Kind::Memory, row.id)?;
    }
    for link in base.links_of(number) {
        draft.purge(Kind::Link, link.id)?;
    }
    Ok(())
}

/// What goes with a fact: its versions, and what it has taken up. The slice holds all proposals.
pub(crate) struct Going<'a> {
    seen: &'a Snapshot,
    /// The facts of which nothing is left.
    pub numbers: BTreeSet<Number>,
    pub rows: Vec<&'a MemoryRow>,
}

impl<'a> Going<'a> {
    pub(crate) fn of(
        seen: &'a Snapshot,
        number: Number,
        absorbed: impl Iterator<Item = RowId>,
    ) -> Self {
        let versions = seen.versions(number).map(|row| row.id);
        let ids: BTreeSet<RowId> = versions.chain(absorbed).gather();
        let rows: Vec<&MemoryRow> = ids.iter().filter_map(|id| seen.memory(*id)).collect();
        let numbers = rows.iter().map(|row| row.body.number);
        let is_gone = |number: &Number| seen.versions(*number).all(|row| ids.contains(&row.id));
        Going {
            seen,
            numbers: numbers.filter(is_gone).gather(),
            rows,
        }
    }

    /// Everything that was said, and that was proposed for it, folded.
    pub(crate) fn words(&self) -> BTreeSet<String> {
        let proposed = self.proposals().filter_map(|row| row.body.claim());
        let proposed = proposed.map(|(claim, _)| &claim.content);
        let said = self.rows.iter().map(|row| &row.body.claim.content);
        said.chain(proposed)
            .map(|content| text::fold(content))
            .gather()
    }

    /// Proposals that name a fact of these, that say what one said, or that became it in other words.
    fn proposals(&self) -> impl Iterator<Item = &'a Row<Proposal>> {
        let rows = self.rows.iter();
        let said: BTreeSet<String> = rows.map(|row| text::fold(&row.body.claim.content)).gather();
        // No two commits share a stamp: what ended just when a version began was accepted as that version.
        let recorded: BTreeSet<Timestamp> = self.rows.iter().map(|row| row.recorded_at).gather();
        let became: BTreeSet<Origin> = self
            .seen
            .proposals()
            .filter(|row| row.end.is_some_and(|end| recorded.contains(&end.at)))
            .map(|row| row.origin)
            .gather();
        let numbers = self.numbers.clone();
        self.seen.proposals().filter(move |row| {
            let mut targets = row.body.targets();
            let names_it = targets.any(|target| numbers.contains(&target.number));
            let says_it = row
                .body
                .claim()
                .is_some_and(|(claim, _)| said.contains(&text::fold(&claim.content)));
            names_it || says_it || became.contains(&row.origin)
        })
    }
}
