//! Memories, links, tombstones and proposals of a change set, as parts of its statement.
//!
//! What goes goes first, then what ends, then what is new: so that a place given up in the set can be taken in
//! the set.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::change::{Alteration, RowChange};
use crate::ids::RowId;
use crate::link::Link;
use crate::memory::Memory;
use crate::order::Gather as _;
use crate::proposal::Proposal;
use crate::row::{Body, Kind, Row};
use crate::search::Document;
use crate::search::keywords::{Terms, memory_document};
use crate::search::scenes::Scene;
use crate::store::database::cache::Committed;
use crate::store::database::words::Word;
use crate::store::postgres::columns::{self, column, integer, to_json};
use crate::store::postgres::facts;
use crate::store::postgres::statement::{Part, Statement};
use crate::timestamp::Timestamp;
use crate::tombstone::Tombstone;

/// The statements for one kind of rows.
struct Kept {
    kind: Kind,
    purge: &'static str,
    alter: &'static str,
    /// The names of their parts.
    purged: &'static str,
    altered: &'static str,
    /// The precondition: so many of these rows are there and open.
    open: &'static str,
}

macro_rules! kept {
    ($kind:ident, $table:literal, $marks:literal) => {
        Kept {
            kind: Kind::$kind,
            purge: concat!(
                "DELETE FROM @", $table, " USING guard WHERE owner_id = guard.id AND ", $table, ".id = ANY($1) RETURNING 1"
            ),
            alter: concat!(
                "UPDATE @", $table, " SET ended_at = change.ended_at, ending = change.ending", $marks,
                " FROM guard, unnest($1::uuid[], $2::bigint[], $3::text[], $4::boolean[], $5::text[]) \
                 AS change (id, ended_at, ending, is_marked, marks) \
                 WHERE ", $table, ".owner_id = guard.id AND ", $table, ".id = change.id AND ", $table, ".ended_at IS NULL RETURNING 1"
            ),
            purged: concat!("purged_", $table),
            altered: concat!("altered_", $table),
            open: concat!(
                " AND (SELECT count(*) FROM @", $table, " WHERE owner_id = $1 AND ", $table, ".id = ANY($N) AND ended_at IS NULL) = cardinality($N)"
            ),
        }
    };
}

const KEPT: [Kept; 4] = [
    kept!(
        Memory,
        "memory",
        ", marks = CASE WHEN change.is_marked THEN change.marks ELSE memory.marks END"
    ),
    kept!(Link, "link", ""),
    kept!(Tombstone, "tombstone", ""),
    kept!(Proposal, "proposal", ""),
];

/// For each kind with rows that must be open, those and the condition that they are. `$N` is where they are bound.
pub(super) fn open_rows(
    rows: &BTreeMap<RowId, RowChange>,
) -> impl Iterator<Item = (&'static str, Vec<Uuid>)> {
    KEPT.iter().filter_map(|kept| {
        let altered: Vec<Uuid> = altered(rows, kept.kind).map(|(id, _)| id.uuid()).collect();
        (!altered.is_empty()).then_some((kept.open, altered))
    })
}

fn altered(
    rows: &BTreeMap<RowId, RowChange>,
    kind: Kind,
) -> impl Iterator<Item = (RowId, &Alteration)> {
    rows.iter().filter_map(move |(id, change)| match change {
        RowChange::Alter(alteration) if alteration.kind == kind => Some((*id, alteration)),
        _ => None,
    })
}

pub(super) fn purged_ids(rows: &BTreeMap<RowId, RowChange>, kind: Kind) -> Vec<Uuid> {
    let purged = rows.iter().filter(|(_, change)| match change {
        RowChange::Purge(purged) => *purged == kind,
        _ => false,
    });
    purged.map(|(id, _)| id.uuid()).collect()
}

/// New rows of one kind, by their bodies.
fn inserted<'a, B>(
    rows: &'a BTreeMap<RowId, RowChange>,
    body: impl Fn(&'a Body) -> Option<&'a B>,
) -> Vec<(&'a Row<Body>, &'a B)> {
    rows.values()
        .filter_map(|change| match change {
            RowChange::Insert(row) => Some((row, body(&row.body)?)),
            _ => None,
        })
        .collect()
}

/// Notes what a set brings and what it ends, as far as caches and counts care.
pub(super) fn note(rows: &BTreeMap<RowId, RowChange>, committed: &mut Committed) {
    let altered = altered(rows, Kind::Memory);
    let ended = altered.filter(|(_, change)| change.end.is_some());
    committed.ended.extend(ended.map(|(id, _)| id));
    for (row, memory) in inserted(rows, memory_of) {
        let document = memory_document(memory.number, memory.version);
        if row.is_open() {
            let scene = Scene::of(row.id, &memory.claim);
            committed.staged.push((document, scene));
        }
        let terms = Terms::of_memory(&memory.claim);
        committed.indexed.push((document, terms));
    }
}

fn memory_of(body: &Body) -> Option<&Memory> {
    match body {
        Body::Memory(memory) => Some(memory),
        _ => None,
    }
}

/// Writes all rows of a set; `committed` is what was noted of it. Facts that have waited for the keyword index come into
/// it, and those of later numbers than the last one wait.
pub(super) fn write(
    statement: &mut Statement,
    rows: &BTreeMap<RowId, RowChange>,
    committed: &Committed,
    (waiting, through): (&[(Document, Terms)], u64),
) {
    for kept in &KEPT {
        let purged = purged_ids(rows, kept.kind);
        if !purged.is_empty() {
            statement.part(kept.purged, kept.purge).bind(purged);
        }
        let altered: Vec<_> = altered(rows, kept.kind).collect();
        if !altered.is_empty() {
            alter(statement, kept, &altered);
        }
    }
    insert_memories(statement, rows, committed, (waiting, through));
    insert_links(statement, rows);
    insert_tombstones(statement, rows);
    insert_proposals(statement, rows);
}

fn alter(statement: &mut Statement, kept: &Kept, altered: &[(RowId, &Alteration)]) {
    let endings = column(altered, |(_, change)| columns::ending(change.end));
    let marks = column(altered, |(_, change)| {
        change.marks.as_ref().and_then(columns::marks)
    });
    statement
        .part(kept.altered, kept.alter)
        .bind(column(altered, |(id, _)| id.uuid()))
        .bind(column(&endings, |(at, _)| *at))
        .bind(column(&endings, |(_, ending)| ending.clone()))
        .bind(column(altered, |(_, change)| change.marks.is_some()))
        .bind(marks);
}

/// A part that inserts rows into a table, with what all of them have bound already. It waits for what goes and what
/// ends.
fn headed<'a, B>(
    statement: &'a mut Statement,
    (table, kind): (&str, Kind),
    columns: &str,
    rows: &BTreeMap<RowId, RowChange>,
    new: &[(&Row<Body>, &B)],
) -> Part<'a> {
    let kept = KEPT.iter().find(|kept| kept.kind == kind);
    let is_purged = !purged_ids(rows, kind).is_empty();
    let is_altered = altered(rows, kind).next().is_some();
    let endings = column(new, |(row, _)| columns::ending(row.end));
    let columns = format!("id uuid, origin uuid, ended_at bigint, ending text, {columns}");
    statement
        .insert(table, &columns, new.len())
        .after(kept.filter(|_| is_purged).map(|kept| kept.purged))
        .after(kept.filter(|_| is_altered).map(|kept| kept.altered))
        .each(column(new, |(row, _)| row.id.uuid()))
        .each(column(new, |(row, _)| row.origin.uuid()))
        .each(column(&endings, |(at, _)| *at))
        .each(column(&endings, |(_, ending)| ending.clone()))
}

/// Links, and the facts that they hold fast. Only a fact that was linked is in the table of facts: a row for every one
/// would be another to write.
fn insert_links(statement: &mut Statement, rows: &BTreeMap<RowId, RowChange>) {
    let new: Vec<(_, &Link)> = inserted(rows, |body| match body {
        Body::Link(link) => Some(link),
        _ => None,
    });
    if new.is_empty() {
        return;
    }
    let ends: BTreeSet<i64> = new
        .iter()
        .flat_map(|(_, link)| [link.from, link.to])
        .map(|number| integer(number.get()))
        .gather();
    let brought = inserted(rows, memory_of);
    statement
        .part(
            "linked_fact",
            "INSERT INTO @fact (owner_id, number) SELECT guard.id, linked.number FROM guard, unnest($1::bigint[]) AS linked (number) \
             WHERE linked.number = ANY($2) OR EXISTS (SELECT 1 FROM @memory WHERE memory.owner_id = guard.id \
             AND memory.number = linked.number AND memory.id <> ALL($3)) ON CONFLICT DO NOTHING",
        )
        .bind(ends.into_iter().collect::<Vec<_>>())
        .bind(column(&brought, |(_, memory)| {
            integer(memory.number.get())
        }))
        .bind(purged_ids(rows, Kind::Memory));
    let columns = "recorded_at bigint, from_number bigint, to_number bigint, relation text";
    headed(statement, ("link", Kind::Link), columns, rows, &new)
        .each(column(&new, |(row, _)| row.recorded_at.as_micros()))
        .each(column(&new, |(_, link)| integer(link.from.get())))
        .each(column(&new, |(_, link)| integer(link.to.get())))
        .each(column(&new, |(_, link)| link.relation.clone()));
}

fn insert_tombstones(statement: &mut Statement, rows: &BTreeMap<RowId, RowChange>) {
    let new: Vec<(_, &Tombstone)> = inserted(rows, |body| match body {
        Body::Tombstone(tombstone) => Some(tombstone),
        _ => None,
    });
    if new.is_empty() {
        return;
    }
    let columns = "recorded_at bigint, number bigint, session uuid, message bigint, span_start bigint, span_end bigint";
    headed(
        statement,
        ("tombstone", Kind::Tombstone),
        columns,
        rows,
        &new,
    )
    .each(column(&new, |(row, _)| row.recorded_at.as_micros()))
    .each(column(&new, |(_, laid)| integer(laid.number.get())))
    .each(column(&new, |(_, laid)| laid.session.uuid()))
    .each(column(&new, |(_, laid)| integer(laid.message.get())))
    .each(column(&new, |(_, laid)| i64::from(laid.span.start)))
    .each(column(&new, |(_, laid)| i64::from(laid.span.end)));
}

fn insert_proposals(statement: &mut Statement, rows: &BTreeMap<RowId, RowChange>) {
    let new: Vec<(_, &Proposal)> = inserted(rows, |body| match body {
        Body::Proposal(proposal) => Some(proposal),
        _ => None,
    });
    if new.is_empty() {
        return;
    }
    let target = |proposal: &Proposal, place: usize| {
        let mut targets = proposal.targets();
        targets
            .nth(place)
            .map(|target| integer(target.number.get()))
    };
    let columns = "recorded_at bigint, target_number bigint, rival_number bigint, proposal text";
    headed(statement, ("proposal", Kind::Proposal), columns, rows, &new)
        .each(column(&new, |(row, _)| row.recorded_at.as_micros()))
        .each(column(&new, |(_, proposal)| target(proposal, 0)))
        .each(column(&new, |(_, proposal)| target(proposal, 1)))
        .each(column(&new, |(_, proposal)| to_json(proposal)));
}

fn insert_memories(
    statement: &mut Statement,
    rows: &BTreeMap<RowId, RowChange>,
    committed: &Committed,
    (waiting, through): (&[(Document, Terms)], u64),
) {
    let new = inserted(rows, memory_of);
    forget_facts(statement, rows, &new, committed);
    unpost(statement, committed);
    if new.is_empty() {
        return;
    }
    let is_purged = !committed.unindexed.is_empty();
    let scenes = column(&new, |(row, memory)| Scene::of(row.id, &memory.claim));
    let columns = "valid_from bigint, number bigint, version bigint, layer text, category text, authority text, \
                   domain text, key text, held boolean, expires_at bigint, content_hash bigint, record text, \
                   marks text, session uuid, speaker text";
    headed(statement, ("memory", Kind::Memory), columns, rows, &new)
        .each(column(&scenes, |scene| scene.since.as_micros()))
        .each(column(&new, |(_, memory)| integer(memory.number.get())))
        .each(column(&new, |(_, memory)| integer(memory.version.get())))
        .each(column(&new, |(_, memory)| memory.claim.layer.word()))
        .each(column(&new, |(_, memory)| memory.claim.category.clone()))
        .each(column(&new, |(_, memory)| memory.claim.authority.word()))
        .each(column(&new, |(_, memory)| memory.claim.domain.clone()))
        .each(column(&new, |(_, memory)| memory.claim.key.clone()))
        .each(column(&new, |(_, memory)| memory.claim.held))
        .each(column(&new, |(_, memory)| {
            memory.claim.expires_at.map(Timestamp::as_micros)
        }))
        .each(column(&new, |(_, memory)| {
            crate::change::content_hash(&memory.claim.content)
        }))
        .each(column(&new, |(row, memory)| columns::record(row, memory)))
        .each(column(&new, |(row, _)| columns::marks(&row.marks)))
        .each(column(&scenes, |scene| scene.session.map(|id| id.uuid())))
        .each(column(&scenes, |scene| scene.speaker.clone()));
    let indexed = committed.indexed.iter();
    let indexed = indexed.filter(|(document, _)| !facts::waits(*document, through));
    let indexed = indexed.chain(waiting);
    facts::post(statement, indexed, is_purged.then_some("purged_posting"));
}

/// Takes away the postings of memories that go.
fn unpost(statement: &mut Statement, committed: &Committed) {
    if committed.unindexed.is_empty() {
        return;
    }
    let (mut terms, mut documents) = (Vec::new(), Vec::new());
    for (document, words) in &committed.unindexed {
        for term in words.frequencies.keys() {
            terms.push(term.clone());
            documents.push(integer(*document));
        }
    }
    statement
        .part(
            "purged_posting",
            "DELETE FROM @posting USING guard, unnest($1::text[], $2::bigint[]) AS gone (term, document) \
             WHERE owner_id = guard.id AND posting.term = gone.term AND posting.document = gone.document RETURNING 1",
        )
        .bind(terms)
        .bind(documents);
}

/// Facts of which no row is left go too, with all that hung on the rows. Links of theirs keep them, and refuse it.
fn forget_facts(
    statement: &mut Statement,
    rows: &BTreeMap<RowId, RowChange>,
    new: &[(&Row<Body>, &Memory)],
    committed: &Committed,
) {
    if committed.unindexed.is_empty() {
        return;
    }
    let purged = purged_ids(rows, Kind::Memory);
    let numbers = column(&committed.unindexed, |(document, _)| {
        integer(*document >> 24)
    });
    statement
        .part(
            "purged_fact",
            "DELETE FROM @fact USING guard WHERE owner_id = guard.id AND number = ANY($1) AND number <> ALL($2) \
             AND NOT EXISTS (SELECT 1 FROM @memory WHERE memory.owner_id = guard.id AND memory.number = fact.number \
             AND memory.id <> ALL($3))",
        )
        .bind(numbers)
        .bind(column(new, |(_, memory)| integer(memory.number.get())))
        .bind(purged.clone());
    for (name, sql) in [
        (
            "purged_usage",
            "DELETE FROM @usage USING guard WHERE owner_id = guard.id AND memory = ANY($1)",
        ),
        (
            "purged_embedding",
            "DELETE FROM @embedding USING guard WHERE owner_id = guard.id AND memory = ANY($1)",
        ),
    ] {
        statement.part(name, sql).bind(purged.clone());
    }
}
