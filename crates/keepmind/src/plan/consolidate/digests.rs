//! Digests as rows: each cites what it was made from, and is made anew when that is no longer the same.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::change::{ChangeSet, Draft, EntryHeader, Slice, Snapshot};
use crate::consolidated::{Settled, Settling};
use crate::digest::DigestKind;
use crate::event::{EventKind, MemoryEvent, UndoToken};
use crate::ids::{GroupId, Number, RowId, Version};
use crate::journal::{JournalEntry, Who};
use crate::memory::{Claim, Layer, Lineage, Marks, Source, Trust};
use crate::model::IdSource;
use crate::order::{self, Gather};
use crate::owner::Revision;
use crate::plan::digest::Chosen;
use crate::plan::gist::{FIELD, kept_in};
use crate::plan::purge::purge_number;
use crate::plan::{Entry, Planning};
use crate::row::{Kind, MemoryRow};
use crate::timestamp::Timestamp;

/// The category of digests. They are shown as digests or not at all, so no policy need know it.
const CATEGORY: &str = "digest";
/// Where a digest's value keeps the facts it was made from.
const FACTS: &str = "facts";

/// What compiling comes to.
pub(crate) struct Compiled {
    /// Nothing where every digest stands as it should.
    pub written: Option<(ChangeSet, MemoryEvent)>,
    pub settled: Vec<Settled>,
}

/// What is to be done about digests.
pub(crate) struct DigestsDue<'a> {
    /// Those to write, each with the row in whose place it comes.
    new: Vec<(&'a Chosen<'a>, Option<&'a MemoryRow>)>,
    /// Those that nothing is left of.
    over: Vec<&'a MemoryRow>,
}

impl<'a> DigestsDue<'a> {
    /// Holds the digests as they should be against those there are.
    pub(crate) fn of(open: &[&'a MemoryRow], chosen: &'a [Chosen<'a>]) -> Self {
        let mut due = DigestsDue {
            new: Vec::new(),
            over: open.to_vec(),
        };
        for one in chosen {
            let (key, domain) = (key(one), &one.digest.domain);
            let is_same_digest = |row: &&MemoryRow| {
                row.body.claim.key.as_deref() == Some(key) && row.body.claim.domain == *domain
            };
            let old = open.iter().copied().find(is_same_digest);
            due.over
                .retain(|row| old.is_none_or(|old| old.id != row.id));
            // The chats of what comes up often are others every day: for them alone nothing is compiled.
            let stands = |old: &MemoryRow| {
                facts_of(&old.body.claim) == Some(&json!(facts_in(one)))
                    && kept_in(old) == one.gists
            };
            if !old.is_some_and(stands) {
                due.new.push((one, old));
            }
        }
        due
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.new.is_empty() && self.over.is_empty()
    }

    /// What compiling must read: the digests that go, and everything that the new ones cite.
    pub(crate) fn reads(&self) -> Slice {
        let cited = self
            .new
            .iter()
            .flat_map(|(one, _)| one.rows.iter().copied());
        let replaced = self.new.iter().filter_map(|(_, old)| *old);
        let rows = cited.chain(replaced).chain(self.over.iter().copied());
        Slice {
            numbers: rows.map(|row| row.body.number).gather(),
            ..Slice::default()
        }
    }

    /// Writes the digests that are not there yet. What they replace, and what nothing is left of, goes for good:
    /// a digest is a cache, and one that is kept would keep the words of facts that go later.
    pub(crate) fn compile(
        self,
        group: GroupId,
        base: &Snapshot,
        clock: Timestamp,
        ids: &mut dyn IdSource,
    ) -> Planning<Compiled> {
        let mut draft = Draft::new(base, clock, ids)?;
        let now = draft.stamp();
        let mut settled = Vec::new();
        for (one, old) in self.new {
            let number = match old {
                Some(old) => old.body.number,
                None => draft.new_number()?,
            };
            let id = draft.insert_version(number, claim(one, now), Marks::default())?;
            let cites: BTreeSet<RowId> = one.rows.iter().map(|row| row.id).gather();
            for from in cites {
                draft.others().lineage.insert(Lineage { row: id, from });
            }
            if let Some(old) = old {
                draft.purge(Kind::Memory, old.id)?;
            }
            let reason = "what it was made from is no longer the same";
            settled.push(Settled::new(Settling::Compiled, Some(number), reason));
        }
        for row in self.over {
            purge_number(&mut draft, base, row.body.number)?;
            let reason = "nothing is left of it";
            settled.push(Settled::new(
                Settling::Compiled,
                Some(row.body.number),
                reason,
            ));
        }
        if settled.is_empty() {
            let written = None;
            return Ok(Compiled { written, settled });
        }
        let line = format!("{} {} digests", Settling::Compiled.word(), settled.len());
        let mut header = EntryHeader::new(Entry::Consolidator.who(), line);
        header.group = Some(group);
        let event = MemoryEvent {
            kind: EventKind::Consolidated,
            before: None,
            after: None,
            proposal: None,
            line: header.line.clone(),
            undo: Some(UndoToken::Group(group)),
            revision: Revision::NONE,
            at: now,
        };
        let written = Some((draft.finish(header)?, event));
        Ok(Compiled { written, settled })
    }
}

/// Whether an entry tells of digests that were compiled, and of nothing else.
pub(crate) fn is_compiling(entry: &JournalEntry) -> bool {
    let told = entry.line.strip_prefix(Settling::Compiled.word());
    entry.who == Who::Consolidator && told.is_some_and(|told| told.ends_with(" digests"))
}

/// Which versions of which facts a digest was made from.
fn facts_of(claim: &Claim) -> Option<&Value> {
    claim.value.as_ref()?.get(FACTS)
}

fn facts_in(chosen: &Chosen<'_>) -> Vec<(Number, Version)> {
    let facts = chosen.rows.iter();
    let facts = facts.filter(|row| row.body.claim.layer == Layer::Fact);
    let mut facts: Vec<(Number, Version)> = facts
        .map(|row| (row.body.number, row.body.version))
        .collect();
    order::sort_by(&mut facts, Ord::cmp);
    facts
}

fn key(chosen: &Chosen<'_>) -> &'static str {
    match (chosen.digest.kind, &chosen.digest.domain) {
        (DigestKind::Domain, None) => "other",
        (kind, _) => kind.word(),
    }
}

fn claim(chosen: &Chosen<'_>, now: Timestamp) -> Claim {
    let digest = &chosen.digest;
    let sources = chosen.rows.iter().map(|row| row.body.claim.trust);
    let facts = facts_in(chosen);
    let count = facts.len();
    let mut value = json!({FACTS: facts, "left_out": digest.left_out});
    if !chosen.gists.is_empty() {
        value[FIELD] = json!(chosen.gists);
    }
    Claim {
        layer: Layer::Digest,
        domain: digest.domain.clone(),
        key: Some(key(chosen).to_owned()),
        value: Some(value),
        source: Source::Derived,
        trust: sources.min().unwrap_or(Trust::Derived),
        ..Claim::note(CATEGORY, format!("{} ({count} facts)", digest.title), now)
    }
}
