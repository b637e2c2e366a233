//! A fact gone for good: every version, and everything that quotes it but the user's own messages.

use std::collections::BTreeSet;

use crate::change::{ChangeSet, Draft, EntryHeader, SessionChange, Snapshot, TraceChange};
use crate::event::EventKind;
use crate::ids::{Number, Origin, SessionId};
use crate::journal::Who;
use crate::model::IdSource;
use crate::plan::{Entry, Planned, Planner, Planning, Told};
use crate::proposal::Proposal;
use crate::refusal::{Code, Refusal};
use crate::row::{Kind, Row};
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
        // What was told of the chats that it rests on may tell it too, and a digest is only a cache.
        let findings = self.findings;
        let told = findings.episodes.iter().chain(&findings.digests).copied();
        let gone: BTreeSet<Number> = told.chain([number]).collect();
        for number in gone {
            for row in base.versions(number) {
                self.draft.purge(Kind::Memory, row.id)?;
            }
            for link in base.links_of(number) {
                self.draft.purge(Kind::Link, link.id)?;
            }
        }
        for row in proposals_about(base, number) {
            self.draft.purge(Kind::Proposal, row.id)?;
        }
        for key in &self.findings.traces {
            self.draft
                .others()
                .traces
                .insert(key.clone(), TraceChange::Purge);
        }
        self.retell(&BTreeSet::from([number]))?;
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
        for row in base.versions(*number) {
            draft.purge(Kind::Memory, row.id)?;
        }
        for link in base.links_of(*number) {
            draft.purge(Kind::Link, link.id)?;
        }
    }
    draft
        .others()
        .sessions
        .insert(session, SessionChange::Purge);
    let header = EntryHeader::new(Who::User, "purged what was told of a chat");
    Ok(draft.finish(header)?)
}

/// Everything that a fact said, and that was proposed for it, folded. The slice holds all proposals.
pub(crate) fn words_of(seen: &Snapshot, number: Number) -> BTreeSet<String> {
    let proposed = proposals_about(seen, number)
        .filter_map(|row| row.body.claim())
        .map(|(claim, _)| &claim.content);
    let said = seen.versions(number).map(|row| &row.body.claim.content);
    said.chain(proposed)
        .map(|content| text::fold(content))
        .collect()
}

/// Proposals that name the fact, that say what it said, or that became it in other words.
fn proposals_about(seen: &Snapshot, number: Number) -> impl Iterator<Item = &Row<Proposal>> {
    let said: BTreeSet<String> = seen
        .versions(number)
        .map(|row| text::fold(&row.body.claim.content))
        .collect();
    // No two commits share a stamp: what ended just when a version began was accepted as that version.
    let recorded: BTreeSet<Timestamp> = seen.versions(number).map(|row| row.recorded_at).collect();
    let became: BTreeSet<Origin> = seen
        .proposals()
        .filter(|row| row.end.is_some_and(|end| recorded.contains(&end.at)))
        .map(|row| row.origin)
        .collect();
    seen.proposals().filter(move |row| {
        let names_it = row.body.targets().any(|target| target.number == number);
        let says_it = row
            .body
            .claim()
            .is_some_and(|(claim, _)| said.contains(&text::fold(&claim.content)));
        names_it || says_it || became.contains(&row.origin)
    })
}
