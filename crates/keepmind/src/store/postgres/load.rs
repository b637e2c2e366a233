//! Slices: the part of an owner's data that a plan reads, in one round trip and so at one revision.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::change::{Slice, Snapshot, content_hash};
use crate::ids::{Number, SessionId};
use crate::order::Gather;
use crate::owner::{Owner, OwnerState};
use crate::row::Kind;
use crate::store::postgres::columns::{
    self, Cells as _, column, damaged, integer, key, message_columns, owner_columns,
    session_columns,
};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::known::{Chat, Known};
use crate::store::postgres::reading::Reading;
use crate::text;

/// What is read of the owner itself.
pub(super) const OWNER: &str = concat!(
    "SELECT writes, last_write, last_ordinal, indexed_through, facts_indexed_through, ",
    owner_columns!(),
    " FROM @owner WHERE id = $1"
);

/// What is read of whole chats.
pub(super) const SESSIONS: &str = concat!(
    "SELECT last_number, ",
    session_columns!(),
    " FROM @session WHERE owner_id = $1 AND id = ANY($2)"
);

pub(super) async fn load(line: &mut Line, name: &Owner, slice: &Slice) -> Work<Snapshot> {
    let owner_id = key(name);
    if *slice == Slice::default() {
        return state(line, name).await;
    }
    let mut reading = Reading::default();
    reading.ask("owner", OWNER).bind(owner_id);
    match slice.everything {
        true => everything(&mut reading, owner_id),
        false => part(&mut reading, owner_id, slice),
    }
    let rows = reading.answer(line, owner_id).await?;
    let Some((_, row)) = rows.iter().find(|(part, _)| part == "owner") else {
        return Ok(Snapshot::empty(OwnerState::NONE));
    };
    let mut known = Known::read(row)?;
    let mut loaded = Loaded {
        snapshot: Snapshot::empty(known.counters.state),
        alike: BTreeSet::new(),
        others: false,
    };
    for (part, row) in &rows {
        if part == "session" {
            let session = columns::session(row)?;
            let last = row.optional_integer("last_number")?;
            let chat = Chat {
                status: session.status,
                deleted_at: session.deleted_at,
                last_number: last.map(columns::message_number).transpose()?,
            };
            known.put_chat(session.id, chat);
            loaded.snapshot.put_session(session);
        } else {
            loaded.put(part, row, slice)?;
        }
    }
    line.known.put(name, known);
    if loaded.others {
        // Contents that only share a number with those that were asked for: they are named one by one instead.
        let mut exact = slice.clone();
        exact.contents.clear();
        exact.numbers.extend(loaded.alike);
        return Box::pin(load(line, name, &exact)).await;
    }
    Ok(loaded.snapshot)
}

/// Where the owner stands, and nothing else: what a plan that only adds is made on.
async fn state(line: &mut Line, name: &Owner) -> Work<Snapshot> {
    let owner_id = key(name);
    let asked = line.query(OWNER).bind(owner_id);
    let rows = line.read(Some(owner_id), asked).await?;
    let Some(row) = rows.first() else {
        return Ok(Snapshot::empty(OwnerState::NONE));
    };
    let known = Known::read(row)?;
    let state = known.counters.state;
    line.known.put(name, known);
    Ok(Snapshot::empty(state))
}

struct Loaded {
    snapshot: Snapshot,
    /// Facts that say the same as a content that was asked for,
    alike: BTreeSet<Number>,
    /// and whether there are some that only seemed to.
    others: bool,
}

impl Loaded {
    fn put(&mut self, part: &str, row: &Map<String, Value>, slice: &Slice) -> Work<()> {
        let snapshot = &mut self.snapshot;
        match part {
            "memory" => snapshot.put_memory(columns::memory(row)?),
            "link" => snapshot.put_link(columns::link(row)?),
            "tombstone" => snapshot.put_tombstone(columns::tombstone(row)?),
            "proposal" => snapshot.put_proposal(columns::proposal(row)?),
            "lineage" => snapshot.put_lineage(columns::lineage(row)?),
            "consent" => snapshot.put_consent(columns::consent(row)?),
            "journal" => snapshot.put_entry(columns::entry(row)?),
            "message" => snapshot.put_message(columns::message(row)?),
            "observation" => snapshot.put_observation(columns::observation(row)?),
            "trace" => snapshot.put_trace(columns::trace(row)?),
            "usage" => snapshot.put_usage(columns::usage(row)?),
            "embedding" => {
                let (key, vector) = columns::embedding(row)?;
                snapshot.put_embedding(key, vector);
            }
            "alike" => {
                let memory = columns::memory(row)?.body;
                let folded = text::fold(&memory.claim.content);
                let says = |content: &String| text::fold(content) == folded;
                match slice.contents.iter().any(says) {
                    true => {
                        self.alike.insert(memory.number);
                    }
                    false => self.others = true,
                }
            }
            "owner" => {}
            _ => return Err(damaged("part").into()),
        }
        Ok(())
    }
}

fn everything(reading: &mut Reading, owner_id: Uuid) {
    for (part, sql) in [
        (
            "memory",
            "SELECT record, marks, ending FROM @memory WHERE owner_id = $1",
        ),
        ("link", "SELECT * FROM @link WHERE owner_id = $1"),
        ("tombstone", "SELECT * FROM @tombstone WHERE owner_id = $1"),
        ("proposal", "SELECT * FROM @proposal WHERE owner_id = $1"),
        ("lineage", "SELECT * FROM @lineage WHERE owner_id = $1"),
        ("consent", "SELECT * FROM @consent WHERE owner_id = $1"),
        ("journal", "SELECT * FROM @journal WHERE owner_id = $1"),
        ("session", "SELECT * FROM @session WHERE owner_id = $1"),
        (
            "message",
            concat!(
                "SELECT ",
                message_columns!(),
                " FROM @message WHERE owner_id = $1"
            ),
        ),
        (
            "observation",
            "SELECT * FROM @observation WHERE owner_id = $1",
        ),
        ("trace", "SELECT * FROM @trace WHERE owner_id = $1"),
        ("usage", "SELECT * FROM @usage WHERE owner_id = $1"),
        (
            "embedding",
            "SELECT memory, embedder, '\\x' || encode(vector, 'hex') AS vector FROM @embedding WHERE owner_id = $1",
        ),
    ] {
        reading.ask(part, sql).bind(owner_id);
    }
}

fn part(reading: &mut Reading, owner_id: Uuid, slice: &Slice) {
    if reaches_facts(slice) {
        facts(reading, owner_id, slice);
    }
    let rows: Vec<Uuid> = slice.rows.iter().map(|id| id.uuid()).collect();
    for (kind, part, by_id, by_origin) in [
        (
            Kind::Link,
            "link",
            "SELECT * FROM @link WHERE owner_id = $1 AND id = ANY($2)",
            "SELECT * FROM @link WHERE owner_id = $1 AND origin = ANY($2)",
        ),
        (
            Kind::Tombstone,
            "tombstone",
            "SELECT * FROM @tombstone WHERE owner_id = $1 AND id = ANY($2)",
            "SELECT * FROM @tombstone WHERE owner_id = $1 AND origin = ANY($2)",
        ),
        (
            Kind::Proposal,
            "proposal",
            "SELECT * FROM @proposal WHERE owner_id = $1 AND id = ANY($2)",
            "SELECT * FROM @proposal WHERE owner_id = $1 AND origin = ANY($2)",
        ),
    ] {
        if !rows.is_empty() {
            reading.ask(part, by_id).bind(owner_id).bind(rows.clone());
        }
        let origins = origins(slice, kind);
        if !origins.is_empty() {
            reading.ask(part, by_origin).bind(owner_id).bind(origins);
        }
    }
    if slice.all_proposals || slice.proposals {
        reading
            .ask(
                "proposal",
                "SELECT * FROM @proposal WHERE owner_id = $1 AND ($2 OR ended_at IS NULL)",
            )
            .bind(owner_id)
            .bind(slice.all_proposals);
    }
    if slice.unaccepted_proposals && !slice.all_proposals {
        reading
            .ask(
                "proposal",
                "SELECT * FROM @proposal WHERE owner_id = $1 AND origin IN (SELECT origin FROM @proposal \
                 WHERE owner_id = $1 AND (ended_at IS NULL OR ending::json #>> '{why,reason}' <> 'done'))",
            )
            .bind(owner_id);
    }
    if !slice.tombstones.is_empty() {
        reading
            .ask(
                "tombstone",
                "SELECT * FROM @tombstone WHERE owner_id = $1 AND session = ANY($2) AND ended_at IS NULL",
            )
            .bind(owner_id)
            .bind(ids(&slice.tombstones));
    }
    if slice.consents {
        reading
            .ask("consent", "SELECT * FROM @consent WHERE owner_id = $1")
            .bind(owner_id);
    }
    if !slice.sessions.is_empty() {
        reading
            .ask("session", SESSIONS)
            .bind(owner_id)
            .bind(ids(&slice.sessions));
    }
    if let Some(since) = slice.journal_since {
        reading
            .ask(
                "journal",
                "SELECT * FROM @journal WHERE owner_id = $1 AND revision >= $2",
            )
            .bind(owner_id)
            .bind(integer(since));
    }
    if !slice.operations.is_empty() {
        let operations: Vec<Uuid> = slice.operations.iter().map(|id| id.uuid()).collect();
        reading
            .ask(
                "journal",
                "SELECT * FROM @journal WHERE owner_id = $1 AND operation = ANY($2)",
            )
            .bind(owner_id)
            .bind(operations);
    }
    if !slice.groups.is_empty() {
        let groups: Vec<Uuid> = slice.groups.iter().map(|id| id.uuid()).collect();
        reading
            .ask(
                "journal",
                "SELECT * FROM @journal WHERE owner_id = $1 AND group_id = ANY($2)",
            )
            .bind(owner_id)
            .bind(groups);
    }
}

fn ids(sessions: &BTreeSet<SessionId>) -> Vec<Uuid> {
    sessions.iter().map(|id| id.uuid()).collect()
}

fn origins(slice: &Slice, wanted: Kind) -> Vec<Uuid> {
    let of_kind = slice.origins.iter().filter(|(kind, _)| *kind == wanted);
    of_kind.map(|(_, origin)| origin.uuid()).collect()
}

fn reaches_facts(slice: &Slice) -> bool {
    !(slice.numbers.is_empty()
        && slice.rows.is_empty()
        && slice.rules.is_empty()
        && slice.contents.is_empty())
        || slice.origins.iter().any(|(kind, _)| *kind == Kind::Memory)
}

/// Whole facts: versions, lineage, links, tombstones and proposals.
fn facts(reading: &mut Reading, owner_id: Uuid, slice: &Slice) {
    // What is looked for may be any text: none that is stored holds NUL.
    let is_plain =
        |(domain, key): &&(String, String)| !(domain.contains('\0') || key.contains('\0'));
    let rules: Vec<&(String, String)> = slice.rules.iter().filter(is_plain).collect();
    let hashes: BTreeSet<i64> = slice
        .contents
        .iter()
        .map(|text| content_hash(text))
        .gather();
    let hashes: Vec<i64> = hashes.into_iter().collect();
    reading
        .given(
            "wanted",
            "SELECT unnest($2::bigint[]) AS number UNION \
             SELECT number FROM @memory WHERE owner_id = $1 AND id = ANY($3) UNION \
             SELECT number FROM @memory WHERE owner_id = $1 AND origin = ANY($4) AND ended_at IS NULL UNION \
             SELECT number FROM @memory WHERE owner_id = $1 AND origin = ANY($4) AND ended_at IS NOT NULL UNION \
             SELECT number FROM @memory JOIN unnest($5::text[], $6::text[]) AS rule (domain, key) \
             ON memory.domain = rule.domain AND memory.key = rule.key \
             WHERE owner_id = $1 AND ended_at IS NULL AND NOT held AND authority = 'rule' UNION \
             SELECT number FROM @memory WHERE owner_id = $1 AND content_hash = ANY($7) AND ended_at IS NULL",
        )
        .bind(owner_id)
        .bind(slice.numbers.iter().map(|number| integer(number.get())).collect::<Vec<_>>())
        .bind(slice.rows.iter().map(|id| id.uuid()).collect::<Vec<_>>())
        .bind(origins(slice, Kind::Memory))
        .bind(column(&rules, |(domain, _)| domain.clone()))
        .bind(column(&rules, |(_, key)| key.clone()))
        .bind(hashes.clone());
    // Each looked up by itself: a server that knows little of the table yet would rather read all of the owner's.
    reading
        .given(
            "found",
            "SELECT found.* FROM wanted CROSS JOIN LATERAL (SELECT id, record, marks, ending FROM @memory \
             WHERE owner_id = $1 AND memory.number = wanted.number OFFSET 0) AS found",
        )
        .bind(owner_id);
    reading.ask("memory", "SELECT record, marks, ending FROM found");
    for (part, sql) in [
        (
            "link",
            "SELECT * FROM @link WHERE owner_id = $1 AND from_number = ANY (ARRAY(SELECT number FROM wanted)) UNION \
             SELECT * FROM @link WHERE owner_id = $1 AND to_number = ANY (ARRAY(SELECT number FROM wanted))",
        ),
        (
            "tombstone",
            "SELECT * FROM @tombstone WHERE owner_id = $1 AND number = ANY (ARRAY(SELECT number FROM wanted))",
        ),
        (
            "proposal",
            "SELECT * FROM @proposal WHERE owner_id = $1 AND target_number = ANY (ARRAY(SELECT number FROM wanted)) UNION \
             SELECT * FROM @proposal WHERE owner_id = $1 AND rival_number = ANY (ARRAY(SELECT number FROM wanted))",
        ),
        (
            "lineage",
            "SELECT * FROM @lineage WHERE owner_id = $1 AND row_id = ANY (ARRAY(SELECT id FROM found)) UNION \
             SELECT * FROM @lineage WHERE owner_id = $1 AND from_id = ANY (ARRAY(SELECT id FROM found))",
        ),
    ] {
        reading.ask(part, sql).bind(owner_id);
    }
    if !hashes.is_empty() {
        reading
            .ask(
                "alike",
                "SELECT record, marks, ending FROM @memory WHERE owner_id = $1 AND content_hash = ANY($2) AND ended_at IS NULL",
            )
            .bind(owner_id)
            .bind(hashes);
    }
}
