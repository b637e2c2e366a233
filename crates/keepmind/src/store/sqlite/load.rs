//! Slices: the part of an owner's data that a plan reads, at one revision.

use std::collections::BTreeSet;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use crate::change::{Slice, Snapshot, content_hash};
use crate::ids::Number;
use crate::owner::{Owner, OwnerState};
use crate::row::Kind;
use crate::store::sqlite::batch::{Batch, Rows, Statement, Stopped};
use crate::store::sqlite::columns::{self, blob, integer};
use crate::store::sqlite::failure::{Work, damaged};
use crate::text;
use uuid::Uuid;

/// An owner's counters, and by which number the file knows it.
pub(super) async fn owner(
    connection: &mut SqliteConnection,
    owner: &Owner,
) -> Work<Option<(i64, OwnerState)>> {
    let row = sqlx::query(
        "SELECT id, epoch, revision, next_number, last_stamp, embedding_changes FROM owner WHERE name = ?1",
    )
    .bind(owner.as_str())
    .fetch_optional(connection)
    .await?;
    row.map(|row| Ok((row.try_get("id")?, columns::owner_state(&row)?)))
        .transpose()
}

/// Loads a slice at one revision: in one statement where that is enough, otherwise in a transaction whose
/// statements travel together.
pub(super) async fn load(
    connection: &mut SqliteConnection,
    name: &Owner,
    slice: &Slice,
) -> Work<Snapshot> {
    let standing_alone = Slice {
        consents: slice.consents,
        ..Slice::default()
    };
    if *slice == standing_alone {
        return standing(connection, name, slice.consents).await;
    }
    if slice.everything {
        let mut loading = Loading::new(connection, name);
        loading.everything().await?;
        return Ok(loading.end().await?.snapshot);
    }
    // Which facts are meant is looked up with the rest: most often none but those that are named. Otherwise all is
    // read anew, until what was read is what is meant at the same moment.
    let mut numbers = slice.numbers.clone();
    loop {
        let mut loading = Loading::new(&mut *connection, name);
        loading.look_up(slice);
        loading.slice(slice, &numbers);
        let loaded = loading.end().await?;
        let meant = loaded.meant(slice)?;
        if meant == numbers {
            return Ok(loaded.snapshot);
        }
        numbers = meant;
    }
}

/// The owner's counters, and every word on consent if it is asked for. What is read most often: a statement
/// is handed to the driver's thread and back, which takes longer than what it does there.
async fn standing(
    connection: &mut SqliteConnection,
    name: &Owner,
    with_consents: bool,
) -> Work<Snapshot> {
    let rows = sqlx::query(
        "SELECT epoch, revision, next_number, last_stamp, embedding_changes, domain, recorded_at, granted \
         FROM owner LEFT JOIN consent ON consent.owner_id = owner.id AND ?2 WHERE name = ?1",
    )
    .bind(name.as_str())
    .bind(with_consents)
    .fetch_all(connection)
    .await?;
    let Some(first) = rows.first() else {
        return Ok(Snapshot::empty(OwnerState::NONE));
    };
    let mut snapshot = Snapshot::empty(columns::owner_state(first)?);
    for row in &rows {
        if row.try_get::<Option<&str>, _>("domain")?.is_some() {
            snapshot.put_consent(columns::consent(row)?);
        }
    }
    Ok(snapshot)
}

/// By what a statement of a slice knows its owner, whose name is its first value.
macro_rules! of_owner {
    ($head:expr, $rest:expr) => {
        concat!(
            $head,
            " owner_id = (SELECT id FROM owner WHERE name = ?1)",
            $rest
        )
    };
}

/// Where the answers to what is looked up begin: after the transaction's beginning and the owner's counters.
const LOOKED_UP: usize = 2;

/// What is done with the answer of a statement.
type Reader = fn(&[SqliteRow], &mut Snapshot) -> Work<()>;

/// A slice while it is read: statements that wait, each with what reads its answer.
struct Loading<'a> {
    connection: &'a mut SqliteConnection,
    name: &'a Owner,
    waiting: Batch,
    readers: Vec<Reader>,
    snapshot: Snapshot,
}

/// A reader that puts each row into the snapshot.
macro_rules! each {
    ($read:path, $put:ident) => {
        |rows, snapshot| {
            for row in rows {
                snapshot.$put($read(row)?);
            }
            Ok(())
        }
    };
}

const NOTHING: Reader = |_, _| Ok(());
const MEMORIES: Reader = |rows, snapshot| {
    for memory in columns::memories(rows)? {
        snapshot.put_memory(memory);
    }
    Ok(())
};
const LINKS: Reader = each!(columns::link, put_link);
const TOMBSTONES: Reader = each!(columns::tombstone, put_tombstone);
const PROPOSALS: Reader = each!(columns::proposal, put_proposal);
const LINEAGE: Reader = each!(columns::lineage, put_lineage);
const CONSENTS: Reader = each!(columns::consent, put_consent);
const ENTRIES: Reader = each!(columns::entry, put_entry);
const SESSIONS: Reader = each!(columns::session, put_session);
const MESSAGES: Reader = each!(columns::message, put_message);
const OBSERVATIONS: Reader = each!(columns::observation, put_observation);
const TRACES: Reader = each!(columns::trace, put_trace);
const USES: Reader = each!(columns::usage, put_usage);
const EMBEDDINGS: Reader = |rows, snapshot| {
    for row in rows {
        let (key, vector) = columns::embedding(row)?;
        snapshot.put_embedding(key, vector);
    }
    Ok(())
};

impl<'a> Loading<'a> {
    fn new(connection: &'a mut SqliteConnection, name: &'a Owner) -> Self {
        let mut waiting = Batch::default();
        waiting.add("BEGIN");
        let mut loading = Loading {
            connection,
            name,
            waiting,
            readers: vec![NOTHING],
            snapshot: Snapshot::empty(OwnerState::NONE),
        };
        let state = "SELECT epoch, revision, next_number, last_stamp, embedding_changes FROM owner WHERE name = ?1";
        loading.add(state, |rows, snapshot| {
            if let Some(row) = rows.first() {
                *snapshot = Snapshot::empty(columns::owner_state(row)?);
            }
            Ok(())
        });
        loading
    }

    /// Adds a statement whose first value is the owner's name.
    fn add(&mut self, sql: &'static str, reader: Reader) -> Statement<'_> {
        self.readers.push(reader);
        self.waiting.add(sql).bind(self.name.as_str().to_owned())
    }

    /// Runs what waits, and reads what it answers.
    async fn run(&mut self) -> Work<Vec<Rows>> {
        let waiting = std::mem::take(&mut self.waiting);
        let answers = waiting.run(self.connection).await;
        let answers = answers.map_err(|Stopped { failure, .. }| failure)?;
        for (rows, reader) in answers.iter().zip(self.readers.drain(..)) {
            reader(rows, &mut self.snapshot)?;
        }
        Ok(answers)
    }

    async fn end(mut self) -> Work<Loaded> {
        self.waiting.add("COMMIT");
        self.readers.push(NOTHING);
        let answers = self.run().await?;
        Ok(Loaded {
            snapshot: self.snapshot,
            answers,
        })
    }

    /// Table by table: what one holds is not kept twice while the next is read.
    async fn everything(&mut self) -> Work<()> {
        let tables = [
            (
                columns::memory_sql!("owner_id = (SELECT id FROM owner WHERE name = ?1)"),
                MEMORIES,
            ),
            (of_owner!("SELECT * FROM link WHERE", ""), LINKS),
            (of_owner!("SELECT * FROM tombstone WHERE", ""), TOMBSTONES),
            (of_owner!("SELECT * FROM proposal WHERE", ""), PROPOSALS),
            (of_owner!("SELECT * FROM lineage WHERE", ""), LINEAGE),
            (of_owner!("SELECT * FROM consent WHERE", ""), CONSENTS),
            (of_owner!("SELECT * FROM journal WHERE", ""), ENTRIES),
            (
                columns::session_sql!("owner_id = (SELECT id FROM owner WHERE name = ?1)"),
                SESSIONS,
            ),
            (
                columns::message_sql!("owner_id = (SELECT id FROM owner WHERE name = ?1)"),
                MESSAGES,
            ),
            (
                of_owner!("SELECT * FROM observation WHERE", ""),
                OBSERVATIONS,
            ),
            (of_owner!("SELECT * FROM trace WHERE", ""), TRACES),
            (of_owner!("SELECT * FROM usage WHERE", ""), USES),
            (
                of_owner!("SELECT memory, embedder, vector FROM embedding WHERE", ""),
                EMBEDDINGS,
            ),
        ];
        for (sql, reader) in tables {
            self.add(sql, reader);
            self.run().await?;
        }
        Ok(())
    }

    fn slice(&mut self, slice: &Slice, numbers: &BTreeSet<Number>) {
        if !numbers.is_empty() {
            self.facts(&columns::to_json(numbers));
        }
        self.rows(slice);
        self.copies(slice);
        self.proposals(slice);
        if !slice.tombstones.is_empty() {
            let sessions = hex(slice.tombstones.iter().map(|id| id.uuid()));
            let sql = of_owner!(
                "SELECT * FROM tombstone WHERE",
                " AND session IN (SELECT unhex(value) FROM json_each(?2)) AND ended_at IS NULL"
            );
            self.add(sql, TOMBSTONES).bind(sessions);
        }
        if slice.consents {
            self.add(of_owner!("SELECT * FROM consent WHERE", ""), CONSENTS);
        }
        for session in &slice.sessions {
            let sql = columns::session_sql!(
                "owner_id = (SELECT id FROM owner WHERE name = ?1) AND id = ?2"
            );
            self.add(sql, SESSIONS).bind(blob(session.uuid()));
        }
        if let Some(since) = slice.journal_since {
            let sql = of_owner!("SELECT * FROM journal WHERE", " AND revision >= ?2");
            self.add(sql, ENTRIES).bind(integer(since));
        }
        for operation in &slice.operations {
            let sql = of_owner!("SELECT * FROM journal WHERE", " AND operation = ?2");
            self.add(sql, ENTRIES).bind(blob(operation.uuid()));
        }
        for group in &slice.groups {
            let sql = of_owner!("SELECT * FROM journal WHERE", " AND group_id = ?2");
            self.add(sql, ENTRIES).bind(blob(group.uuid()));
        }
    }

    /// Whole facts: versions, lineage, links, tombstones and proposals.
    fn facts(&mut self, numbers: &str) {
        let facts = [
            (
                columns::memory_sql!(
                    "owner_id = (SELECT id FROM owner WHERE name = ?1) AND number IN (SELECT value FROM json_each(?2))"
                ),
                MEMORIES,
            ),
            (
                concat!(
                    of_owner!(
                        "SELECT * FROM link WHERE",
                        " AND from_number IN (SELECT value FROM json_each(?2)) UNION ALL "
                    ),
                    of_owner!(
                        "SELECT * FROM link WHERE",
                        " AND to_number IN (SELECT value FROM json_each(?2))"
                    )
                ),
                LINKS,
            ),
            (
                of_owner!(
                    "SELECT * FROM tombstone WHERE",
                    " AND number IN (SELECT value FROM json_each(?2))"
                ),
                TOMBSTONES,
            ),
            (
                concat!(
                    of_owner!(
                        "SELECT * FROM proposal WHERE",
                        " AND target_number IN (SELECT value FROM json_each(?2)) UNION ALL "
                    ),
                    of_owner!(
                        "SELECT * FROM proposal WHERE",
                        " AND rival_number IN (SELECT value FROM json_each(?2))"
                    )
                ),
                PROPOSALS,
            ),
            (
                concat!(
                    "WITH fact AS (",
                    of_owner!(
                        "SELECT owner_id, id FROM memory WHERE",
                        " AND number IN (SELECT value FROM json_each(?2))) "
                    ),
                    "SELECT lineage.* FROM fact JOIN lineage ON lineage.owner_id = fact.owner_id AND row_id = fact.id UNION ALL \
                     SELECT lineage.* FROM fact JOIN lineage ON lineage.owner_id = fact.owner_id AND from_id = fact.id"
                ),
                LINEAGE,
            ),
        ];
        for (sql, reader) in facts {
            self.add(sql, reader).bind(numbers.to_owned());
        }
    }

    /// Rows that are no memories.
    fn rows(&mut self, slice: &Slice) {
        if slice.rows.is_empty() {
            return;
        }
        let ids = hex(slice.rows.iter().map(|id| id.uuid()));
        let tables = [
            (
                of_owner!(
                    "SELECT * FROM link WHERE",
                    " AND id IN (SELECT unhex(value) FROM json_each(?2))"
                ),
                LINKS,
            ),
            (
                of_owner!(
                    "SELECT * FROM tombstone WHERE",
                    " AND id IN (SELECT unhex(value) FROM json_each(?2))"
                ),
                TOMBSTONES,
            ),
            (
                of_owner!(
                    "SELECT * FROM proposal WHERE",
                    " AND id IN (SELECT unhex(value) FROM json_each(?2))"
                ),
                PROPOSALS,
            ),
        ];
        for (sql, reader) in tables {
            self.add(sql, reader).bind(ids.clone());
        }
    }

    fn copies(&mut self, slice: &Slice) {
        for (kind, origin) in &slice.origins {
            let (sql, reader) = match kind {
                Kind::Memory => continue,
                Kind::Link => (
                    of_owner!("SELECT * FROM link WHERE", " AND origin = ?2"),
                    LINKS,
                ),
                Kind::Tombstone => (
                    of_owner!("SELECT * FROM tombstone WHERE", " AND origin = ?2"),
                    TOMBSTONES,
                ),
                Kind::Proposal => (
                    of_owner!("SELECT * FROM proposal WHERE", " AND origin = ?2"),
                    PROPOSALS,
                ),
            };
            self.add(sql, reader).bind(blob(origin.uuid()));
        }
    }

    fn proposals(&mut self, slice: &Slice) {
        let sql = if slice.all_proposals {
            of_owner!("SELECT * FROM proposal WHERE", "")
        } else if slice.unaccepted_proposals {
            concat!(
                of_owner!("SELECT * FROM proposal WHERE", " AND origin IN ("),
                of_owner!(
                    "SELECT origin FROM proposal WHERE",
                    " AND (ended_at IS NULL OR ending ->> '$.why.reason' <> 'done'))"
                )
            )
        } else if slice.proposals {
            of_owner!("SELECT * FROM proposal WHERE", " AND ended_at IS NULL")
        } else {
            return;
        };
        self.add(sql, PROPOSALS);
    }

    /// Asks which facts are meant, by whatever they are known; [`Loaded::meant`] reads the answers, which come first.
    fn look_up(&mut self, slice: &Slice) {
        if !slice.rows.is_empty() {
            let sql = of_owner!(
                "SELECT number FROM memory WHERE",
                " AND id IN (SELECT unhex(value) FROM json_each(?2))"
            );
            self.add(sql, NOTHING)
                .bind(hex(slice.rows.iter().map(|id| id.uuid())));
        }
        let origins: Vec<Uuid> = slice
            .origins
            .iter()
            .filter(|(kind, _)| *kind == Kind::Memory)
            .map(|(_, origin)| origin.uuid())
            .collect();
        if !origins.is_empty() {
            let sql = of_owner!(
                "SELECT number FROM memory WHERE",
                " AND origin IN (SELECT unhex(value) FROM json_each(?2))"
            );
            self.add(sql, NOTHING).bind(hex(origins.into_iter()));
        }
        for (domain, key) in &slice.rules {
            let sql = of_owner!(
                "SELECT number FROM memory WHERE",
                " AND domain = ?2 AND key = ?3 AND ended_at IS NULL AND held = 0 AND authority = 'rule'"
            );
            self.add(sql, NOTHING)
                .bind(domain.clone())
                .bind(key.clone());
        }
        for content in &slice.contents {
            let sql = of_owner!(
                "SELECT number, record ->> '$.body.claim.content' FROM memory WHERE",
                " AND content_hash = ?2 AND ended_at IS NULL"
            );
            self.add(sql, NOTHING).bind(content_hash(content));
        }
    }
}

/// What was read.
struct Loaded {
    snapshot: Snapshot,
    answers: Vec<Rows>,
}

impl Loaded {
    /// The facts that a slice means, by what was looked up.
    fn meant(&self, slice: &Slice) -> Work<BTreeSet<Number>> {
        let mut numbers = slice.numbers.clone();
        let is_memory = |(kind, _): &(Kind, _)| *kind == Kind::Memory;
        let by_name = usize::from(!slice.rows.is_empty())
            + usize::from(slice.origins.iter().any(is_memory))
            + slice.rules.len();
        let mut answers = self.answers.iter().skip(LOOKED_UP);
        for row in answers.by_ref().take(by_name).flatten() {
            numbers.insert(number(row)?);
        }
        for (rows, content) in answers.zip(&slice.contents) {
            for row in rows {
                // A hash may be that of other words.
                if text::fold(row.try_get(1)?) == text::fold(content) {
                    numbers.insert(number(row)?);
                }
            }
        }
        Ok(numbers)
    }
}

fn number(row: &SqliteRow) -> Work<Number> {
    let number: i64 = row.try_get(0)?;
    Number::new(number.cast_unsigned()).ok_or_else(|| damaged("number"))
}

pub(super) fn hex(ids: impl Iterator<Item = Uuid>) -> String {
    columns::to_json(&ids.map(|id| id.simple().to_string()).collect::<Vec<_>>())
}
