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
use crate::owner::Revision;
use crate::plan::digest::Chosen;
use crate::plan::gist::{FIELD, kept_in};
use crate::plan::{Entry, Planning};
use crate::row::{Kind, MemoryRow, Why};
use crate::timestamp::Timestamp;

/// The category of digests. They are shown as digests or not at all, so no policy need know it.
const CATEGORY: &str = "digest";
/// Where a digest's value keeps the facts it was made from.
const FACTS: &str = "facts";

/// What compiling must read: the digests there are, and everything that the new ones cite.
pub(crate) fn reads_digests(open: &[&MemoryRow], chosen: &[Chosen<'_>]) -> Slice {
    let cited = chosen.iter().flat_map(|one| one.rows.iter());
    let rows = open.iter().chain(cited);
    Slice {
        numbers: rows.map(|row| row.body.number).collect(),
        ..Slice::default()
    }
}

/// What compiling comes to.
pub(crate) struct Compiled {
    /// Nothing where every digest stands as it should.
    pub written: Option<(ChangeSet, MemoryEvent)>,
    pub settled: Vec<Settled>,
}

/// Writes the digests that are not there yet, and ends those that nothing is left of.
pub(crate) fn compile(
    open: &[&MemoryRow],
    chosen: &[Chosen<'_>],
    group: GroupId,
    base: &Snapshot,
    clock: Timestamp,
    ids: &mut dyn IdSource,
) -> Planning<Compiled> {
    let mut draft = Draft::new(base, clock, ids)?;
    let now = draft.stamp();
    let mut settled = Vec::new();
    let mut kept = BTreeSet::new();
    for one in chosen {
        let claim = claim(one, now);
        let is_same_digest = |row: &&&MemoryRow| {
            row.body.claim.key == claim.key && row.body.claim.domain == claim.domain
        };
        let old = open.iter().find(is_same_digest);
        let cites: BTreeSet<RowId> = one.rows.iter().map(|row| row.id).collect();
        // The chats of what comes up often are others every day: for them alone nothing is compiled.
        if let Some(old) = old
            && facts_of(&old.body.claim) == facts_of(&claim)
            && kept_in(old) == one.gists
        {
            kept.insert(old.id);
            continue;
        }
        let number = draft.new_number()?;
        let id = draft.insert_version(number, claim, Marks::default())?;
        for from in cites {
            draft.others().lineage.insert(Lineage { row: id, from });
        }
        if let Some(old) = old {
            kept.insert(old.id);
            let by = Some(id.into());
            draft.end(Kind::Memory, old.origin, Why::Absorbed { by, until: now })?;
        }
        let reason = "what it was made from is no longer the same";
        settled.push(Settled::new(Settling::Compiled, Some(number), reason));
    }
    for row in open.iter().filter(|row| !kept.contains(&row.id)) {
        let why = Why::Absorbed {
            by: None,
            until: now,
        };
        draft.end(Kind::Memory, row.origin, why)?;
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

/// Whether an entry tells of digests that were compiled, and of nothing else.
pub(crate) fn is_compiling(entry: &JournalEntry) -> bool {
    let told = entry.line.strip_prefix(Settling::Compiled.word());
    entry.who == Who::Consolidator && told.is_some_and(|told| told.ends_with(" digests"))
}

/// Which versions of which facts a digest was made from.
fn facts_of(claim: &Claim) -> Option<&Value> {
    claim.value.as_ref()?.get(FACTS)
}

fn claim(chosen: &Chosen<'_>, now: Timestamp) -> Claim {
    let digest = &chosen.digest;
    let sources = chosen.rows.iter().map(|row| row.body.claim.trust);
    let key = match (digest.kind, &digest.domain) {
        (DigestKind::Domain, None) => "other",
        (kind, _) => kind.word(),
    };
    let facts = chosen.rows.iter();
    let facts = facts.filter(|row| row.body.claim.layer == Layer::Fact);
    let mut facts: Vec<(Number, Version)> = facts
        .map(|row| (row.body.number, row.body.version))
        .collect();
    facts.sort_unstable();
    let count = facts.len();
    let mut value = json!({FACTS: facts, "left_out": digest.left_out});
    if !chosen.gists.is_empty() {
        value[FIELD] = json!(chosen.gists);
    }
    Claim {
        layer: Layer::Digest,
        domain: digest.domain.clone(),
        key: Some(key.to_owned()),
        value: Some(value),
        source: Source::Derived,
        trust: sources.min().unwrap_or(Trust::Derived),
        ..Claim::note(CATEGORY, format!("{} ({count} facts)", digest.title), now)
    }
}
