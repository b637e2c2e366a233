//! Memories, links, tombstones and proposals of a change set, as SQL.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{Alteration, RowChange};
use crate::error::Error;
use crate::ids::{Number, RowId};
use crate::memory::Memory;
use crate::row::{Body, Kind, Row};
use crate::search::keywords::{Terms, memory_document};
use crate::store::sqlite::columns::{self, blob, end_columns, integer, list, to_json};
use crate::store::sqlite::commit::Writing;
use crate::store::sqlite::failure::{Failure, Work};
use crate::store::sqlite::postings::{Space, post, unpost};
use crate::store::sqlite::words::Word;
use crate::timestamp::Timestamp;

impl Writing<'_> {
    /// Purges, then closes, then opens: so that a place given up in the set can be taken in the set.
    pub(super) async fn rows(&mut self, rows: &BTreeMap<RowId, RowChange>) -> Work<()> {
        let mut emptied = BTreeSet::new();
        for (id, change) in rows {
            if let RowChange::Purge(kind) = change {
                emptied.extend(self.purge(*kind, *id).await?);
            }
        }
        for (id, change) in rows {
            if let RowChange::Alter(alteration) = change {
                self.alter(*id, alteration).await?;
            }
        }
        for change in rows.values() {
            if let RowChange::Insert(row) = change {
                self.insert(row).await?;
            }
        }
        for number in emptied {
            sqlx::query(
                "DELETE FROM fact WHERE owner_id = ?1 AND number = ?2 \
                 AND NOT EXISTS (SELECT 1 FROM memory WHERE owner_id = ?1 AND number = ?2)",
            )
            .bind(self.owner_id)
            .bind(integer(number.get()))
            .execute(&mut *self.connection)
            .await?;
        }
        Ok(())
    }

    /// Purges a row; answers the number that may have no row left.
    async fn purge(&mut self, kind: Kind, id: RowId) -> Work<Option<Number>> {
        let mut number = None;
        if kind == Kind::Memory {
            let row = sqlx::query(columns::memory_sql!("owner_id = ?1 AND id = ?2"))
                .bind(self.owner_id)
                .bind(blob(id.uuid()))
                .fetch_optional(&mut *self.connection)
                .await?
                .ok_or_else(|| refused(id, "it is not there"))?;
            let memory = columns::memory(&row)?.body;
            let document = memory_document(memory.number, memory.version);
            let terms = Terms::of_memory(&memory.claim);
            unpost(
                self.connection,
                self.owner_id,
                Space::Memories,
                document,
                &terms,
            )
            .await?;
            self.unindexed.push((document, terms));
            number = Some(memory.number);
        }
        let purge = match kind {
            Kind::Memory => "DELETE FROM memory WHERE owner_id = ?1 AND id = ?2",
            Kind::Link => "DELETE FROM link WHERE owner_id = ?1 AND id = ?2",
            Kind::Tombstone => "DELETE FROM tombstone WHERE owner_id = ?1 AND id = ?2",
            Kind::Proposal => "DELETE FROM proposal WHERE owner_id = ?1 AND id = ?2",
        };
        let purged = sqlx::query(purge)
            .bind(self.owner_id)
            .bind(blob(id.uuid()))
            .execute(&mut *self.connection)
            .await?;
        match purged.rows_affected() {
            0 => Err(refused(id, "it is not there")),
            _ => Ok(number),
        }
    }

    async fn alter(&mut self, id: RowId, alteration: &Alteration) -> Work<()> {
        let Alteration { kind, marks, end } = alteration;
        let mut altered = 1;
        if let (Kind::Memory, Some(marks)) = (kind, marks) {
            altered = sqlx::query(
                "UPDATE memory SET importance = ?3, confidence = ?4, last_confirmed_at = ?5, confirmations = ?6, \
                 contradictions = ?7 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL",
            )
            .bind(self.owner_id)
            .bind(blob(id.uuid()))
            .bind(marks.importance)
            .bind(marks.confidence)
            .bind(marks.last_confirmed_at.map(Timestamp::as_micros))
            .bind(marks.confirmations)
            .bind(marks.contradictions)
            .execute(&mut *self.connection)
            .await?
            .rows_affected();
        }
        // An alteration without an end still must meet an open row.
        if end.is_some() || *kind != Kind::Memory {
            let (at, reason, by, until) = end_columns(*end);
            altered = altered.min(
                sqlx::query(end_sql(*kind))
                    .bind(self.owner_id)
                    .bind(blob(id.uuid()))
                    .bind(at)
                    .bind(reason)
                    .bind(by)
                    .bind(until)
                    .execute(&mut *self.connection)
                    .await?
                    .rows_affected(),
            );
        }
        match altered {
            0 => Err(refused(id, "it is not there, or has ended")),
            _ => Ok(()),
        }
    }

    async fn insert(&mut self, row: &Row<Body>) -> Work<()> {
        match &row.body {
            Body::Memory(memory) => return self.insert_memory(row, memory).await,
            Body::Link(link) => self
                .headed(
                    "INSERT INTO link (owner_id, id, origin, recorded_at, ended_at, end_reason, superseded_by, valid_until, \
                     from_number, to_number, relation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                    row,
                )
                .bind(integer(link.from.get()))
                .bind(integer(link.to.get()))
                .bind(&link.relation),
            Body::Tombstone(tombstone) => self
                .headed(
                    "INSERT INTO tombstone (owner_id, id, origin, recorded_at, ended_at, end_reason, superseded_by, valid_until, \
                     number, session, message, span_start, span_end) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                    row,
                )
                .bind(integer(tombstone.number.get()))
                .bind(blob(tombstone.session.uuid()))
                .bind(integer(tombstone.message.get()))
                .bind(tombstone.span.start)
                .bind(tombstone.span.end),
            Body::Proposal(proposal) => {
                let mut targets = proposal.targets().map(|target| integer(target.number.get()));
                self.headed(
                    "INSERT INTO proposal (owner_id, id, origin, recorded_at, ended_at, end_reason, superseded_by, valid_until, \
                     target_number, rival_number, proposal) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                    row,
                )
                .bind(targets.next())
                .bind(targets.next())
                .bind(to_json(proposal))
            }
        }
        .execute(&mut *self.connection)
        .await?;
        Ok(())
    }

    /// A statement with what all rows have bound to its first eight parameters.
    fn headed<'q>(
        &self,
        sql: &'static str,
        row: &Row<Body>,
    ) -> sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments> {
        let (at, reason, by, until) = end_columns(row.end);
        sqlx::query(sql)
            .bind(self.owner_id)
            .bind(blob(row.id.uuid()))
            .bind(blob(row.origin.uuid()))
            .bind(row.recorded_at.as_micros())
            .bind(at)
            .bind(reason)
            .bind(by)
            .bind(until)
    }

    async fn insert_memory(&mut self, row: &Row<Body>, memory: &Memory) -> Work<()> {
        let Memory {
            number,
            version,
            claim,
        } = memory;
        sqlx::query("INSERT OR IGNORE INTO fact (owner_id, number) VALUES (?1, ?2)")
            .bind(self.owner_id)
            .bind(integer(number.get()))
            .execute(&mut *self.connection)
            .await?;
        self.headed(
            "INSERT INTO memory (owner_id, id, origin, recorded_at, ended_at, end_reason, superseded_by, valid_until, \
             number, version, layer, category, authority, domain, key, value, content, content_hash, summary, body, tags, \
             source, trust, held, session, messages, evidence, valid_from, expires_at, authorises_action, importance, \
             confidence, last_confirmed_at, confirmations, contradictions) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, \
             ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, \
             ?33, ?34, ?35)",
            row,
        )
        .bind(integer(number.get()))
        .bind(integer(version.get()))
        .bind(claim.layer.word())
        .bind(&claim.category)
        .bind(claim.authority.word())
        .bind(&claim.domain)
        .bind(&claim.key)
        .bind(claim.value.as_ref().map(to_json))
        .bind(&claim.content)
        .bind(crate::change::content_hash(&claim.content))
        .bind(&claim.summary)
        .bind(&claim.body)
        .bind(list(&claim.tags, claim.tags.is_empty()))
        .bind(claim.source.word())
        .bind(claim.trust.word())
        .bind(claim.held)
        .bind(claim.session.map(|session| blob(session.uuid())))
        .bind(list(&claim.messages, claim.messages.is_empty()))
        .bind(list(&claim.evidence, claim.evidence.is_empty()))
        .bind(claim.valid_from.as_micros())
        .bind(claim.expires_at.map(Timestamp::as_micros))
        .bind(claim.authorises_action)
        .bind(row.marks.importance)
        .bind(row.marks.confidence)
        .bind(row.marks.last_confirmed_at.map(Timestamp::as_micros))
        .bind(row.marks.confirmations)
        .bind(row.marks.contradictions)
        .execute(&mut *self.connection)
        .await?;
        let document = memory_document(*number, *version);
        let terms = Terms::of_memory(claim);
        post(
            self.connection,
            self.owner_id,
            Space::Memories,
            document,
            &terms,
        )
        .await?;
        self.indexed.push((document, terms));
        Ok(())
    }
}

fn end_sql(kind: Kind) -> &'static str {
    match kind {
        Kind::Memory => {
            "UPDATE memory SET ended_at = ?3, end_reason = ?4, superseded_by = ?5, valid_until = ?6 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Link => {
            "UPDATE link SET ended_at = ?3, end_reason = ?4, superseded_by = ?5, valid_until = ?6 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Tombstone => {
            "UPDATE tombstone SET ended_at = ?3, end_reason = ?4, superseded_by = ?5, valid_until = ?6 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Proposal => {
            "UPDATE proposal SET ended_at = ?3, end_reason = ?4, superseded_by = ?5, valid_until = ?6 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
    }
}

fn refused(id: RowId, what: &str) -> Failure {
    Error::invalid("commit", format_args!("row {id}: {what}")).into()
}
