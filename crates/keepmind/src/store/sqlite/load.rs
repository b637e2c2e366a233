//! Slices: the part of an owner's data that a plan reads, at one revision.

use std::collections::BTreeSet;

use sqlx::{Connection as _, Row as _, SqliteConnection};

use crate::change::{Slice, Snapshot, content_hash};
use crate::ids::Number;
use crate::owner::{Owner, OwnerState};
use crate::row::Kind;
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

/// Loads a slice at one revision: in a transaction, or in one statement where that is enough.
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
    let mut transaction = connection.begin().await?;
    let snapshot = load_slice(&mut transaction, name, slice).await?;
    transaction.commit().await?;
    Ok(snapshot)
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

async fn load_slice(
    connection: &mut SqliteConnection,
    name: &Owner,
    slice: &Slice,
) -> Work<Snapshot> {
    let Some((owner_id, state)) = owner(connection, name).await? else {
        return Ok(Snapshot::empty(OwnerState::NONE));
    };
    let mut loading = Loading {
        connection,
        owner_id,
        snapshot: Snapshot::empty(state),
    };
    if slice.everything {
        loading.everything().await?;
    } else {
        loading.slice(slice).await?;
    }
    Ok(loading.snapshot)
}

struct Loading<'a> {
    connection: &'a mut SqliteConnection,
    owner_id: i64,
    snapshot: Snapshot,
}

/// Reads rows that match one bound parameter besides the owner, and puts each into the snapshot.
macro_rules! put {
    ($loading:ident, $sql:expr, $bind:expr, $read:path, $put:ident) => {
        for row in sqlx::query($sql)
            .bind($loading.owner_id)
            .bind($bind)
            .fetch_all(&mut *$loading.connection)
            .await?
        {
            $loading.snapshot.$put($read(&row)?);
        }
    };
}

impl Loading<'_> {
    async fn everything(&mut self) -> Work<()> {
        const ALL: Option<i64> = None;
        self.memories(columns::memory_sql!("owner_id = ?1 AND ?2 IS NULL"), None)
            .await?;
        put!(
            self,
            "SELECT * FROM link WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::link,
            put_link
        );
        put!(
            self,
            "SELECT * FROM tombstone WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::tombstone,
            put_tombstone
        );
        put!(
            self,
            "SELECT * FROM proposal WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::proposal,
            put_proposal
        );
        put!(
            self,
            "SELECT * FROM lineage WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::lineage,
            put_lineage
        );
        put!(
            self,
            "SELECT * FROM consent WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::consent,
            put_consent
        );
        put!(
            self,
            "SELECT * FROM journal WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::entry,
            put_entry
        );
        put!(
            self,
            columns::session_sql!("owner_id = ?1 AND ?2 IS NULL"),
            ALL,
            columns::session,
            put_session
        );
        put!(
            self,
            columns::message_sql!("owner_id = ?1 AND ?2 IS NULL"),
            ALL,
            columns::message,
            put_message
        );
        put!(
            self,
            "SELECT * FROM observation WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::observation,
            put_observation
        );
        put!(
            self,
            "SELECT * FROM trace WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::trace,
            put_trace
        );
        put!(
            self,
            "SELECT * FROM usage WHERE owner_id = ?1 AND ?2 IS NULL",
            ALL,
            columns::usage,
            put_usage
        );
        let embeddings =
            sqlx::query("SELECT memory, embedder, vector FROM embedding WHERE owner_id = ?1")
                .bind(self.owner_id)
                .fetch_all(&mut *self.connection)
                .await?;
        for row in &embeddings {
            let (key, vector) = columns::embedding(row)?;
            self.snapshot.put_embedding(key, vector);
        }
        Ok(())
    }

    async fn slice(&mut self, slice: &Slice) -> Work<()> {
        let numbers = self.numbers(slice).await?;
        if !numbers.is_empty() {
            let numbers = columns::to_json(&numbers);
            self.facts(&numbers).await?;
        }
        let ids = hex(slice.rows.iter().map(|id| id.uuid()));
        if !slice.rows.is_empty() {
            put!(
                self,
                "SELECT * FROM link WHERE owner_id = ?1 AND id IN (SELECT unhex(value) FROM json_each(?2))",
                &ids,
                columns::link,
                put_link
            );
            put!(
                self,
                "SELECT * FROM tombstone WHERE owner_id = ?1 AND id IN (SELECT unhex(value) FROM json_each(?2))",
                &ids,
                columns::tombstone,
                put_tombstone
            );
            put!(
                self,
                "SELECT * FROM proposal WHERE owner_id = ?1 AND id IN (SELECT unhex(value) FROM json_each(?2))",
                &ids,
                columns::proposal,
                put_proposal
            );
        }
        self.copies(slice).await?;
        if slice.all_proposals {
            put!(
                self,
                "SELECT * FROM proposal WHERE owner_id = ?1 AND ?2 IS NULL",
                None::<i64>,
                columns::proposal,
                put_proposal
            );
        } else if slice.unaccepted_proposals {
            put!(
                self,
                "SELECT * FROM proposal WHERE owner_id = ?1 AND ?2 IS NULL AND origin IN (SELECT origin FROM proposal \
                 WHERE owner_id = ?1 AND (ended_at IS NULL OR ending ->> '$.why.reason' <> 'done'))",
                None::<i64>,
                columns::proposal,
                put_proposal
            );
        } else if slice.proposals {
            put!(
                self,
                "SELECT * FROM proposal WHERE owner_id = ?1 AND ended_at IS NULL AND ?2 IS NULL",
                None::<i64>,
                columns::proposal,
                put_proposal
            );
        }
        if !slice.tombstones.is_empty() {
            let sessions = hex(slice.tombstones.iter().map(|id| id.uuid()));
            put!(
                self,
                "SELECT * FROM tombstone WHERE owner_id = ?1 AND session IN (SELECT unhex(value) FROM json_each(?2)) \
                 AND ended_at IS NULL",
                &sessions,
                columns::tombstone,
                put_tombstone
            );
        }
        if slice.consents {
            put!(
                self,
                "SELECT * FROM consent WHERE owner_id = ?1 AND ?2 IS NULL",
                None::<i64>,
                columns::consent,
                put_consent
            );
        }
        for session in &slice.sessions {
            put!(
                self,
                columns::session_sql!("owner_id = ?1 AND id = ?2"),
                blob(session.uuid()),
                columns::session,
                put_session
            );
        }
        if let Some(since) = slice.journal_since {
            put!(
                self,
                "SELECT * FROM journal WHERE owner_id = ?1 AND revision >= ?2",
                integer(since),
                columns::entry,
                put_entry
            );
        }
        for operation in &slice.operations {
            put!(
                self,
                "SELECT * FROM journal WHERE owner_id = ?1 AND operation = ?2",
                blob(operation.uuid()),
                columns::entry,
                put_entry
            );
        }
        for group in &slice.groups {
            put!(
                self,
                "SELECT * FROM journal WHERE owner_id = ?1 AND group_id = ?2",
                blob(group.uuid()),
                columns::entry,
                put_entry
            );
        }
        Ok(())
    }

    /// Whole facts: versions, lineage, links, tombstones and proposals.
    async fn facts(&mut self, numbers: &str) -> Work<()> {
        let sql =
            columns::memory_sql!("owner_id = ?1 AND number IN (SELECT value FROM json_each(?2))");
        self.memories(sql, Some(numbers)).await?;
        put!(
            self,
            "SELECT * FROM link WHERE owner_id = ?1 AND from_number IN (SELECT value FROM json_each(?2)) UNION ALL \
             SELECT * FROM link WHERE owner_id = ?1 AND to_number IN (SELECT value FROM json_each(?2))",
            numbers,
            columns::link,
            put_link
        );
        put!(
            self,
            "SELECT * FROM tombstone WHERE owner_id = ?1 AND number IN (SELECT value FROM json_each(?2))",
            numbers,
            columns::tombstone,
            put_tombstone
        );
        put!(
            self,
            "SELECT * FROM proposal WHERE owner_id = ?1 AND target_number IN (SELECT value FROM json_each(?2)) UNION ALL \
             SELECT * FROM proposal WHERE owner_id = ?1 AND rival_number IN (SELECT value FROM json_each(?2))",
            numbers,
            columns::proposal,
            put_proposal
        );
        let ids = hex(self.snapshot.memories().map(|row| row.id.uuid()));
        put!(
            self,
            "SELECT * FROM lineage WHERE owner_id = ?1 AND row_id IN (SELECT unhex(value) FROM json_each(?2)) UNION ALL \
             SELECT * FROM lineage WHERE owner_id = ?1 AND from_id IN (SELECT unhex(value) FROM json_each(?2))",
            &ids,
            columns::lineage,
            put_lineage
        );
        Ok(())
    }

    async fn memories(&mut self, sql: &'static str, numbers: Option<&str>) -> Work<()> {
        let rows = sqlx::query(sql)
            .bind(self.owner_id)
            .bind(numbers)
            .fetch_all(&mut *self.connection)
            .await?;
        for row in columns::memories(&rows)? {
            self.snapshot.put_memory(row);
        }
        Ok(())
    }

    async fn copies(&mut self, slice: &Slice) -> Work<()> {
        for (kind, origin) in &slice.origins {
            let origin = blob(origin.uuid());
            match kind {
                Kind::Memory => {}
                Kind::Link => put!(
                    self,
                    "SELECT * FROM link WHERE owner_id = ?1 AND origin = ?2",
                    origin,
                    columns::link,
                    put_link
                ),
                Kind::Tombstone => put!(
                    self,
                    "SELECT * FROM tombstone WHERE owner_id = ?1 AND origin = ?2",
                    origin,
                    columns::tombstone,
                    put_tombstone
                ),
                Kind::Proposal => put!(
                    self,
                    "SELECT * FROM proposal WHERE owner_id = ?1 AND origin = ?2",
                    origin,
                    columns::proposal,
                    put_proposal
                ),
            }
        }
        Ok(())
    }

    async fn numbers(&mut self, slice: &Slice) -> Work<BTreeSet<Number>> {
        let mut numbers = slice.numbers.clone();
        let mut found: Vec<i64> = Vec::new();
        if !slice.rows.is_empty() {
            let ids = hex(slice.rows.iter().map(|id| id.uuid()));
            found.extend(self.find("SELECT number FROM memory WHERE owner_id = ?1 AND id IN (SELECT unhex(value) FROM json_each(?2))", &ids).await?);
        }
        let origins: Vec<Uuid> = slice
            .origins
            .iter()
            .filter(|(kind, _)| *kind == Kind::Memory)
            .map(|(_, origin)| origin.uuid())
            .collect();
        if !origins.is_empty() {
            let origins = hex(origins.into_iter());
            found.extend(self.find("SELECT number FROM memory WHERE owner_id = ?1 AND origin IN (SELECT unhex(value) FROM json_each(?2))", &origins).await?);
        }
        for (domain, key) in &slice.rules {
            let rule: Vec<i64> = sqlx::query_scalar(
                "SELECT number FROM memory WHERE owner_id = ?1 AND domain = ?2 AND key = ?3 \
                 AND ended_at IS NULL AND held = 0 AND authority = 'rule'",
            )
            .bind(self.owner_id)
            .bind(domain)
            .bind(key)
            .fetch_all(&mut *self.connection)
            .await?;
            found.extend(rule);
        }
        for content in &slice.contents {
            let folded = text::fold(content);
            let alike: Vec<(i64, String)> = sqlx::query_as(
                "SELECT number, record ->> '$.body.claim.content' FROM memory WHERE owner_id = ?1 AND content_hash = ?2 AND ended_at IS NULL",
            )
            .bind(self.owner_id)
            .bind(content_hash(content))
            .fetch_all(&mut *self.connection)
            .await?;
            found.extend(
                alike
                    .into_iter()
                    .filter(|(_, other)| text::fold(other) == folded)
                    .map(|(number, _)| number),
            );
        }
        for number in found {
            numbers.insert(Number::new(number.cast_unsigned()).ok_or_else(|| damaged("number"))?);
        }
        Ok(numbers)
    }

    async fn find(&mut self, sql: &'static str, ids: &str) -> Work<Vec<i64>> {
        Ok(sqlx::query_scalar(sql)
            .bind(self.owner_id)
            .bind(ids)
            .fetch_all(&mut *self.connection)
            .await?)
    }
}

pub(super) fn hex(ids: impl Iterator<Item = Uuid>) -> String {
    columns::to_json(&ids.map(|id| id.simple().to_string()).collect::<Vec<_>>())
}
