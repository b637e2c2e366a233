//! Searches: what SQL is asked for them.

use std::sync::Arc;

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::error::Result;
use crate::ids::{RowId, SessionId};
use crate::message::Message;
use crate::owner::Owner;
use crate::search::Document;
use crate::search::distant::Distant;
use crate::search::keywords::Posting;
use crate::search::scenes::Scene;
use crate::search::vectors::Matrix;
use crate::store::database::postings::{Lists, all_lists};
use crate::store::database::search::Searches;
use crate::store::database::stored::{StoredMemories, StoredMemory};
use crate::store::database::{Counters, Edition};
use crate::store::postgres::columns::{self, Cells as _, key, message_columns, owner_columns};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::{facts, segments};
use crate::timestamp::Timestamp;

/// The memories that documents are, each looked up by itself: a server that knows little of the table yet would
/// rather read all of the owner's.
macro_rules! documents {
    () => {
        "SELECT found.* FROM unnest($2::bigint[]) AS one CROSS JOIN LATERAL (SELECT one AS document, record, marks, ending FROM @memory \
         WHERE owner_id = $1 AND number = one >> 24 AND version = one & 16777215 LIMIT 1) AS found"
    };
}
/// The facts that documents belong to, each looked up by itself.
macro_rules! facts {
    () => {
        "SELECT found.* FROM (SELECT DISTINCT one >> 24 AS fact FROM unnest($2::bigint[]) AS one) AS wanted \
         CROSS JOIN LATERAL (SELECT number << 24 | version AS document, record, marks, ending FROM @memory \
         WHERE owner_id = $1 AND number = fact OFFSET 0) AS found"
    };
}
/// What is found beside the owner's counters, which are there also where nothing is.
macro_rules! with_state {
    ($found:expr) => {
        concat!(
            "SELECT ",
            owner_columns!(),
            ", found.* FROM @owner LEFT JOIN (",
            $found,
            ") AS found ON true WHERE owner.id = $1"
        )
    };
}

impl Searches for Line {
    async fn postings(&mut self, owner_id: Uuid, terms: &[String]) -> Work<Lists> {
        Ok(all_lists(terms, facts::read(self, owner_id, terms).await?))
    }

    /// All that a search reads takes as many round trips in a transaction.
    async fn postings_of(
        &mut self,
        _owner: &Owner,
        _edition: Edition,
        _terms: &[String],
    ) -> Work<Option<Lists>> {
        Ok(None)
    }

    async fn said(&mut self, owner_id: Uuid, terms: &[String]) -> Work<Vec<Arc<Vec<Posting>>>> {
        segments::read(self, owner_id, terms).await
    }

    async fn messages_at(&mut self, owner_id: Uuid, ordinals: &[Document]) -> Work<Vec<Message>> {
        let asked = self
            .query(concat!(
                "SELECT said.* FROM unnest($2::bigint[]) AS one CROSS JOIN LATERAL (SELECT ",
                message_columns!(),
                " FROM @message WHERE owner_id = $1 AND ordinal = one LIMIT 1) AS said"
            ))
            .bind(owner_id)
            .bind(signed(ordinals));
        let rows = self.read(Some(owner_id), asked).await?;
        columns::each(&rows, columns::message)
    }

    async fn matrix(&mut self, owner_id: Uuid, embedder: &str, dimensions: usize) -> Work<Matrix> {
        let asked = self.query(
            "SELECT document, vector FROM @embedding WHERE owner_id = $1 AND embedder = $2 AND length(vector) = $3 \
             ORDER BY document",
        )
        .bind(owner_id)
        .bind(columns::plain(embedder))
        .bind(bytes_of(dimensions));
        let rows = self.read(Some(owner_id), asked).await?;
        let mut matrix = Matrix::new(dimensions);
        matrix.reserve(rows.len());
        for row in &rows {
            let document: i64 = row.try_get(0)?;
            matrix.set(document.cast_unsigned(), &columns::numbers(row.try_get(1)?));
        }
        Ok(matrix)
    }

    fn measures(&self) -> bool {
        self.near().is_some()
    }

    /// Two arrays in one row: a row for each vector would cost many times as much. The product of two vectors of unit
    /// length is what the library takes for their cosine too.
    async fn measured(
        &mut self,
        owner_id: Uuid,
        embedder: &str,
        direction: &[f32],
    ) -> Work<Option<Distant>> {
        let Some(place) = self.near() else {
            return Ok(None);
        };
        let sql = format!(
            "SELECT array_agg(document), array_agg(cosine) FROM (SELECT document, \
             CASE WHEN has_near THEN -(near OPERATOR({place}<#>) (SELECT $4::real[]::{place}vector)) END::real AS cosine \
             FROM @embedding WHERE owner_id = $1 AND embedder = $2 AND length(vector) = $3) AS measured"
        );
        let asked = self
            .query(&sql)
            .bind(owner_id)
            .bind(columns::plain(embedder))
            .bind(bytes_of(direction.len()))
            .bind(direction);
        let rows = self.read(Some(owner_id), asked).await?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        let documents: Option<Vec<i64>> = row.try_get(0)?;
        let cosines: Option<Vec<Option<f32>>> = row.try_get(1)?;
        let documents = documents.unwrap_or_default().into_iter();
        let both = documents.zip(cosines.unwrap_or_default());
        // Of one that is not there too nothing is known.
        let both = both.map(|(document, cosine)| Some((document.cast_unsigned(), cosine?)));
        let measured: Option<Vec<_>> = both.collect();
        Ok(measured.map(|measured| Distant::new(direction.len(), measured)))
    }

    /// Each looked up by its memory: there is no index by document.
    async fn vectors_at(
        &mut self,
        owner_id: Uuid,
        embedder: &str,
        documents: &[Document],
    ) -> Work<Vec<(Document, Vec<f32>)>> {
        let asked = self
            .query(
                "SELECT one, found.vector FROM unnest($2::bigint[]) AS one CROSS JOIN LATERAL (SELECT id FROM @memory \
                 WHERE owner_id = $1 AND number = one >> 24 AND version = one & 16777215 LIMIT 1) AS named \
                 CROSS JOIN LATERAL (SELECT vector FROM @embedding WHERE owner_id = $1 AND memory = named.id \
                 AND embedder = $3 LIMIT 1) AS found",
            )
            .bind(owner_id)
            .bind(signed(documents))
            .bind(columns::plain(embedder));
        let rows = self.read(Some(owner_id), asked).await?;
        let mut vectors = Vec::with_capacity(rows.len());
        for row in &rows {
            let document: i64 = row.try_get(0)?;
            vectors.push((document.cast_unsigned(), columns::numbers(row.try_get(1)?)));
        }
        Ok(vectors)
    }

    async fn scenes(&mut self, owner_id: Uuid) -> Work<Vec<(Document, Scene)>> {
        let asked = self
            .query(
                "SELECT number << 24 | version AS document, id, valid_from, session, speaker \
             FROM @memory WHERE owner_id = $1 AND ended_at IS NULL",
            )
            .bind(owner_id);
        let rows = self.read(Some(owner_id), asked).await?;
        columns::each(&rows, scene)
    }

    async fn ended(&mut self, owner_id: Uuid, most: usize) -> Work<Option<Vec<Document>>> {
        let asked = self
            .query(
                "SELECT number << 24 | version AS document FROM @memory \
                 WHERE owner_id = $1 AND ended_at IS NOT NULL ORDER BY number, version LIMIT $2",
            )
            .bind(owner_id)
            .bind(i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1));
        let rows = self.read(Some(owner_id), asked).await?;
        let documents = columns::each(&rows, |row| columns::count(row, "document"))?;
        Ok((documents.len() <= most).then_some(documents))
    }

    async fn memories_at(
        &mut self,
        owner_id: Uuid,
        documents: &[Document],
        by_fact: bool,
    ) -> Work<StoredMemories> {
        let sql = match by_fact {
            true => facts!(),
            false => documents!(),
        };
        let asked = self.query(sql).bind(owner_id).bind(signed(documents));
        let rows = self.read(Some(owner_id), asked).await?;
        stored(&rows)
    }

    /// Rows and counters are of one statement, and so of one moment.
    async fn memories_and_state(
        &mut self,
        owner: &Owner,
        documents: &[Document],
        by_fact: bool,
    ) -> Work<Option<(StoredMemories, Counters)>> {
        let sql = match by_fact {
            true => with_state!(facts!()),
            false => with_state!(documents!()),
        };
        let asked = self.query(sql).bind(key(owner)).bind(signed(documents));
        let rows = self.read(Some(key(owner)), asked).await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let counters = columns::counters(first)?;
        Ok(Some((stored(&rows)?, counters)))
    }
}

/// The memories of rows that have one.
fn stored(rows: &[PgRow]) -> Work<StoredMemories> {
    let mut memories = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(record) = row.text("record")? else {
            continue;
        };
        let document = columns::count(row, "document")?;
        let (marks, ending) = (row.text("marks")?, row.text("ending")?);
        memories.push(StoredMemory::new(document, record, marks, ending));
    }
    Ok(StoredMemories::gather(memories.into_iter()))
}

fn scene(row: &PgRow) -> Result<(Document, Scene)> {
    let id = row.id("id")?.ok_or_else(|| columns::damaged("id"))?;
    let since = Timestamp::from_micros(row.integer("valid_from")?);
    let scene = Scene {
        row: RowId::new(id),
        session: row.id("session")?.map(SessionId::new),
        speaker: row.text("speaker")?.map(str::to_owned),
        since: since.map_err(|_| columns::damaged("moment"))?,
    };
    Ok((columns::count(row, "document")?, scene))
}

/// How long a vector is where it is kept.
fn bytes_of(dimensions: usize) -> i32 {
    i32::try_from(4 * dimensions).unwrap_or(i32::MAX)
}

/// Documents as the database keeps them.
fn signed(documents: &[Document]) -> Vec<i64> {
    columns::column(documents, |document| document.cast_signed())
}
