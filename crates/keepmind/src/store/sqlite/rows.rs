//! Memories, links, tombstones and proposals of a change set, as SQL.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{Alteration, RowChange};
use crate::error::Error;
use crate::ids::{Number, RowId};
use crate::memory::Memory;
use crate::row::{Body, Kind, Row};
use crate::search::keywords::{Terms, memory_document};
use crate::search::scenes::Scene;
use crate::store::database::words::Word;
use crate::store::sqlite::batch::Statement;
use crate::store::sqlite::columns::{self, blob, integer, to_json};
use crate::store::sqlite::commit::Writing;
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::postings::{post, unpost};
use crate::timestamp::Timestamp;

impl Writing<'_, '_> {
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
                self.alter(*id, alteration);
            }
        }
        for change in rows.values() {
            if let RowChange::Insert(row) = change {
                self.insert(row);
                self.transaction.relieve().await?;
            }
        }
        let owner_id = self.owner_id;
        for number in emptied {
            self.add(
                "DELETE FROM fact WHERE owner_id = ?1 AND number = ?2 \
                 AND NOT EXISTS (SELECT 1 FROM memory WHERE owner_id = ?1 AND number = ?2)",
            )
            .bind(owner_id)
            .bind(integer(number.get()));
        }
        Ok(())
    }

    /// Purges a row; answers the number that may have no row left.
    async fn purge(&mut self, kind: Kind, id: RowId) -> Work<Option<Number>> {
        let owner_id = self.owner_id;
        let mut number = None;
        if kind == Kind::Memory {
            self.add(columns::memory_sql!("owner_id = ?1 AND id = ?2"))
                .bind(owner_id)
                .bind(blob(id.uuid()));
            let found = self.transaction.run().await?.pop().unwrap_or_default();
            let memory = columns::memories(&found)?
                .pop()
                .ok_or_else(|| refused(id, "it is not there"))?
                .body;
            let document = memory_document(memory.number, memory.version);
            let terms = Terms::of_memory(&memory.claim);
            let batch = self.transaction.batch();
            unpost(batch, owner_id, document, &terms);
            self.unindexed.push((document, terms));
            number = Some(memory.number);
        }
        let purge = match kind {
            Kind::Memory => "DELETE FROM memory WHERE owner_id = ?1 AND id = ?2",
            Kind::Link => "DELETE FROM link WHERE owner_id = ?1 AND id = ?2",
            Kind::Tombstone => "DELETE FROM tombstone WHERE owner_id = ?1 AND id = ?2",
            Kind::Proposal => "DELETE FROM proposal WHERE owner_id = ?1 AND id = ?2",
        };
        self.add(purge)
            .bind(owner_id)
            .bind(blob(id.uuid()))
            .requires_change(refused(id, "it is not there"));
        Ok(number)
    }

    fn alter(&mut self, id: RowId, alteration: &Alteration) {
        let Alteration { kind, marks, end } = alteration;
        let (ended_at, ending) = columns::ending(*end);
        let owner_id = self.owner_id;
        if *kind == Kind::Memory && end.is_some() {
            self.ended.push(id);
        }
        let alter = self
            .add(alter_sql(*kind))
            .bind(owner_id)
            .bind(blob(id.uuid()))
            .bind(ended_at)
            .bind(ending);
        let alter = match kind {
            Kind::Memory => alter
                .bind(marks.is_some())
                .bind(marks.as_ref().and_then(columns::marks)),
            // The others have no marks to set.
            Kind::Link | Kind::Tombstone | Kind::Proposal => alter,
        };
        alter.requires_change(refused(id, "it is not there, or has ended"));
    }

    fn insert(&mut self, row: &Row<Body>) {
        match &row.body {
            Body::Memory(memory) => self.insert_memory(row, memory),
            Body::Link(link) => {
                self.headed(
                    "INSERT INTO link (owner_id, id, origin, recorded_at, ended_at, ending, \
                     from_number, to_number, relation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                    row,
                )
                .bind(integer(link.from.get()))
                .bind(integer(link.to.get()))
                .bind(&link.relation);
            }
            Body::Tombstone(tombstone) => {
                self.headed(
                    "INSERT INTO tombstone (owner_id, id, origin, recorded_at, ended_at, ending, \
                     number, session, message, span_start, span_end) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                    row,
                )
                .bind(integer(tombstone.number.get()))
                .bind(blob(tombstone.session.uuid()))
                .bind(integer(tombstone.message.get()))
                .bind(tombstone.span.start)
                .bind(tombstone.span.end);
            }
            Body::Proposal(proposal) => {
                let mut targets = proposal
                    .targets()
                    .map(|target| integer(target.number.get()));
                self.headed(
                    "INSERT INTO proposal (owner_id, id, origin, recorded_at, ended_at, ending, \
                     target_number, rival_number, proposal) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                    row,
                )
                .bind(targets.next())
                .bind(targets.next())
                .bind(to_json(proposal));
            }
        }
    }

    /// A statement with what all rows have bound to its first six parameters.
    fn headed(&mut self, sql: &'static str, row: &Row<Body>) -> Statement<'_> {
        let (ended_at, ending) = columns::ending(row.end);
        let owner_id = self.owner_id;
        self.add(sql)
            .bind(owner_id)
            .bind(blob(row.id.uuid()))
            .bind(blob(row.origin.uuid()))
            .bind(row.recorded_at.as_micros())
            .bind(ended_at)
            .bind(ending)
    }

    fn insert_memory(&mut self, row: &Row<Body>, memory: &Memory) {
        let Memory {
            number,
            version,
            claim,
        } = memory;
        let owner_id = self.owner_id;
        self.add("INSERT OR IGNORE INTO fact (owner_id, number) VALUES (?1, ?2)")
            .bind(owner_id)
            .bind(integer(number.get()));
        let (ended_at, ending) = columns::ending(row.end);
        let scene = Scene::of(row.id, claim);
        self.add(
            "INSERT INTO memory (owner_id, number, version, id, origin, layer, category, authority, domain, key, held, \
             expires_at, content_hash, record, marks, ended_at, ending, session, speaker, valid_from) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
        )
        .bind(owner_id)
        .bind(integer(number.get()))
        .bind(integer(version.get()))
        .bind(blob(row.id.uuid()))
        .bind(blob(row.origin.uuid()))
        .bind(claim.layer.word())
        .bind(&claim.category)
        .bind(claim.authority.word())
        .bind(&claim.domain)
        .bind(&claim.key)
        .bind(claim.held)
        .bind(claim.expires_at.map(Timestamp::as_micros))
        .bind(crate::change::content_hash(&claim.content))
        .bind(columns::record(row, memory))
        .bind(columns::marks(&row.marks))
        .bind(ended_at)
        .bind(ending)
        .bind(scene.session.map(|session| blob(session.uuid())))
        .bind(&scene.speaker)
        .bind(scene.since.as_micros());
        let document = memory_document(*number, *version);
        if row.is_open() {
            self.staged.push((document, scene));
        }
        let terms = Terms::of_memory(claim);
        let batch = self.transaction.batch();
        post(batch, owner_id, document, &terms);
        self.indexed.push((document, terms));
    }
}

fn alter_sql(kind: Kind) -> &'static str {
    match kind {
        Kind::Memory => {
            "UPDATE memory SET ended_at = ?3, ending = ?4, marks = iif(?5, ?6, marks) \
             WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Link => {
            "UPDATE link SET ended_at = ?3, ending = ?4 \
             WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Tombstone => {
            "UPDATE tombstone SET ended_at = ?3, ending = ?4 \
             WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Proposal => {
            "UPDATE proposal SET ended_at = ?3, ending = ?4 \
             WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
    }
}

fn refused(id: RowId, what: &str) -> Error {
    Error::invalid("commit", format_args!("row {id}: {what}"))
}
