//! What is asked of the database by hand.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Params, Row, params};

use keepmind::{Owner, Timestamp};

use crate::Result;
use crate::baseline::Baseline;
use crate::baseline::matrix::Matrix;
use crate::operation::{Found, HITS, PAGE};
use crate::workload;

/// How many of each list are fused.
const CANDIDATES: usize = 100;

/// A memory, as the developer's program has it.
#[derive(Debug)]
#[expect(
    dead_code,
    reason = "every column is read, as a program would; the benchmark looks at two"
)]
pub struct MemoryRecord {
    id: [u8; 16],
    origin: [u8; 16],
    number: i64,
    version: i64,
    recorded_at: i64,
    layer: String,
    category: String,
    authority: String,
    content: String,
    body: Option<String>,
    tags: Vec<String>,
    source: String,
    trust: String,
    valid_from: i64,
    expires_at: Option<i64>,
    importance: f64,
    confidence: Option<f64>,
    ended_at: Option<i64>,
    end_reason: Option<String>,
    superseded_by: Option<[u8; 16]>,
    valid_until: Option<i64>,
}

macro_rules! select {
    ($($rest:literal)+) => {
        concat!(
            "SELECT m.id, m.origin, m.number, m.version, m.recorded_at, m.layer, m.category, m.authority,",
            " m.content, m.body, m.tags, m.source, m.trust, m.valid_from, m.expires_at, m.importance,",
            " m.confidence, m.ended_at, m.end_reason, m.superseded_by, m.valid_until ",
            $($rest),+
        )
    };
}

impl Baseline {
    /// A fact, with all its versions.
    pub fn get(&self, owner: &Owner, number: u64) -> Result<Vec<Found>> {
        self.select(
            select!(
                "FROM memory m WHERE m.owner_id = (SELECT id FROM owner WHERE name = ?1) AND m.number = ?2"
                " ORDER BY m.version"
            ),
            params![owner.as_str(), number as i64],
        )
    }

    /// The first page of what is live.
    pub fn list(&self, owner: &Owner, at: Timestamp) -> Result<Vec<Found>> {
        self.select(
            select!(
                "FROM memory m WHERE m.owner_id = (SELECT id FROM owner WHERE name = ?1)"
                " AND m.ended_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?2)"
                " ORDER BY m.number, m.version LIMIT ?3"
            ),
            params![owner.as_str(), at.as_micros(), PAGE as i64],
        )
    }

    /// The first page of what was true at a moment, as known then.
    pub fn as_of(&self, owner: &Owner, at: Timestamp) -> Result<Vec<Found>> {
        self.select(
            select!(
                "FROM memory m WHERE m.owner_id = (SELECT id FROM owner WHERE name = ?1)"
                " AND m.recorded_at <= ?2 AND m.valid_from <= ?2"
                " AND (m.ended_at IS NULL OR m.ended_at > ?2)"
                " AND (m.expires_at IS NULL OR m.expires_at > ?2)"
                " ORDER BY m.number, m.version LIMIT ?3"
            ),
            params![owner.as_str(), at.as_micros(), PAGE as i64],
        )
    }

    /// The rows that the block shows, fetched by their numbers, and a line of each. Which ones these are
    /// is known beforehand: whoever writes it by hand would have to find that out too.
    pub fn block(&self, owner: &Owner, shown: &[u64]) -> Result<Vec<Found>> {
        let numbers: Vec<String> = shown.iter().map(u64::to_string).collect();
        let sql = format!(
            select!(
                "FROM memory m WHERE m.owner_id = (SELECT id FROM owner WHERE name = ?1)"
                " AND m.ended_at IS NULL AND m.number IN ({}) ORDER BY m.number"
            ),
            numbers.join(",")
        );
        let records = self.records(&sql, [owner.as_str()])?;
        let lines = records
            .iter()
            .map(|record| format!("- {}\n", record.content));
        std::hint::black_box(lines.collect::<String>());
        Ok(records.iter().map(MemoryRecord::found).collect())
    }

    /// The best by words. FTS5 is the outer loop, and only rows of this owner are ranked: of the ways to
    /// write it, the one that is nearly the fastest for one owner and much the fastest for many.
    pub fn search(&self, owner: &Owner, query: &str) -> Result<Vec<Found>> {
        let words: Vec<String> = query.split(' ').map(|word| format!("\"{word}\"")).collect();
        self.select(
            select!(
                "FROM memory_text t CROSS JOIN memory m ON m.rowid = t.rowid"
                " WHERE t.memory_text MATCH ?1 AND m.owner_id = (SELECT id FROM owner WHERE name = ?2)"
                " AND m.ended_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?3)"
                " ORDER BY bm25(memory_text, 2.0, 2.0, 1.0) LIMIT ?4"
            ),
            params![words.join(" OR "), owner.as_str(), workload::read_at().as_micros(), HITS as i64],
        )
    }

    /// The best by meaning: a scan, and the rows it names.
    pub fn search_vectors(&mut self, owner: &Owner, vector: &[f32]) -> Result<Vec<Found>> {
        let mut found = Vec::with_capacity(HITS);
        for row in self.scan(owner, vector)? {
            found.extend(self.select(
                select!("FROM memory m WHERE m.rowid = ?1 AND m.ended_at IS NULL"),
                [row],
            )?);
        }
        Ok(found)
    }

    /// The best by words and meaning: the best hundred of each, their scores brought to 0..1 and added.
    pub fn recall(&mut self, owner: &Owner, query: &str, vector: &[f32]) -> Result<Vec<Found>> {
        let words = self.best_by_words(owner, query)?;
        self.know_matrix(owner)?;
        let nearest = self.matrices[owner.as_str()].scored(vector, CANDIDATES);
        let mut scores: HashMap<i64, f64> = HashMap::new();
        for list in [words, nearest] {
            let all = || list.iter().map(|(_, score)| *score);
            let (least, most) = (
                all().fold(f64::MAX, f64::min),
                all().fold(f64::MIN, f64::max),
            );
            for (row, score) in &list {
                let share = (score - least) / (most - least).max(f64::MIN_POSITIVE);
                *scores.entry(*row).or_default() += share / 2.0;
            }
        }
        let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut found = Vec::with_capacity(HITS);
        for (row, _) in best.into_iter().take(HITS) {
            found.extend(self.select(
                select!("FROM memory m WHERE m.rowid = ?1 AND m.ended_at IS NULL"),
                [row],
            )?);
        }
        Ok(found)
    }

    fn best_by_words(&self, owner: &Owner, query: &str) -> Result<Vec<(i64, f64)>> {
        let words: Vec<String> = query.split(' ').map(|word| format!("\"{word}\"")).collect();
        let mut statement = self.connection.prepare_cached(
            "SELECT m.rowid, -bm25(memory_text, 2.0, 2.0, 1.0) FROM memory_text t CROSS JOIN memory m ON m.rowid = t.rowid
             WHERE t.memory_text MATCH ?1 AND m.owner_id = (SELECT id FROM owner WHERE name = ?2)
             AND m.ended_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?3)
             ORDER BY 2 DESC LIMIT ?4",
        )?;
        let now = workload::read_at().as_micros();
        let rows = statement.query_map(
            params![words.join(" OR "), owner.as_str(), now, CANDIDATES as i64],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The scan alone.
    pub fn scan(&mut self, owner: &Owner, vector: &[f32]) -> Result<Vec<i64>> {
        self.know_matrix(owner)?;
        Ok(self.matrices[owner.as_str()].nearest(vector, HITS))
    }

    fn know_matrix(&mut self, owner: &Owner) -> Result<()> {
        if !self.matrices.contains_key(owner.as_str()) {
            let matrix = self.load_matrix(owner)?;
            self.matrices.insert(owner.as_str().to_owned(), matrix);
        }
        Ok(())
    }

    fn load_matrix(&self, owner: &Owner) -> Result<Matrix> {
        let mut statement = self.connection.prepare_cached(
            "SELECT e.memory, e.vector FROM memory m JOIN embedding e ON e.memory = m.rowid
             WHERE m.owner_id = (SELECT id FROM owner WHERE name = ?1) AND m.ended_at IS NULL
             ORDER BY m.number, m.version",
        )?;
        let mut rows = statement.query([owner.as_str()])?;
        let mut matrix = Matrix::default();
        while let Some(row) = rows.next()? {
            matrix.push(row.get(0)?, row.get_ref(1)?.as_blob()?);
        }
        Ok(matrix)
    }

    pub(super) fn owner_id(&self, owner: &Owner) -> Result<Option<i64>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id FROM owner WHERE name = ?1")?;
        Ok(statement
            .query_row([owner.as_str()], |row| row.get(0))
            .optional()?)
    }

    fn select(&self, sql: &str, parameters: impl Params) -> Result<Vec<Found>> {
        let records = self.records(sql, parameters)?;
        Ok(records.iter().map(MemoryRecord::found).collect())
    }

    fn records(&self, sql: &str, parameters: impl Params) -> Result<Vec<MemoryRecord>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let records: Vec<MemoryRecord> = statement
            .query_map(parameters, MemoryRecord::read)?
            .collect::<rusqlite::Result<_>>()?;
        Ok(std::hint::black_box(records))
    }
}

impl MemoryRecord {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let tags: Option<String> = row.get(10)?;
        Ok(MemoryRecord {
            id: row.get(0)?,
            origin: row.get(1)?,
            number: row.get(2)?,
            version: row.get(3)?,
            recorded_at: row.get(4)?,
            layer: row.get(5)?,
            category: row.get(6)?,
            authority: row.get(7)?,
            content: row.get(8)?,
            body: row.get(9)?,
            tags: tags
                .iter()
                .flat_map(|tags| tags.lines())
                .map(str::to_owned)
                .collect(),
            source: row.get(11)?,
            trust: row.get(12)?,
            valid_from: row.get(13)?,
            expires_at: row.get(14)?,
            importance: row.get(15)?,
            confidence: row.get(16)?,
            ended_at: row.get(17)?,
            end_reason: row.get(18)?,
            superseded_by: row.get(19)?,
            valid_until: row.get(20)?,
        })
    }

    fn found(&self) -> Found {
        Found {
            number: self.number as u64,
            version: self.version as u64,
        }
    }
}
