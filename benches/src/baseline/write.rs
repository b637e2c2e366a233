//! What is written to the database by hand: the row and its index entries, in one transaction.

use std::collections::BTreeMap;

use rusqlite::{Connection, TransactionBehavior, params};

use keepmind::{Owner, Timestamp, text};

use crate::Result;
use crate::baseline::{Baseline, KeywordIndex};
use crate::workload::{Entry, Fact};

/// How often a term counts in the content and the tags, against once in the body: as in keepmind.
const LINE_WEIGHT: i64 = 2;

/// Where a new row goes.
struct Place {
    owner: i64,
    number: i64,
    version: i64,
    id: u128,
    at: Timestamp,
}

impl Baseline {
    /// Inserts facts in one commit.
    pub fn insert(&mut self, owner: &Owner, facts: &[Fact], at: Timestamp) -> Result<()> {
        let owner = self.owner_id(owner)?.ok_or("the owner was not filled")?;
        let index = self.index;
        let mut last_id = self.last_id;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (number, fact) in (next_number(&transaction, owner)?..).zip(facts) {
            last_id += 1;
            let place = Place {
                owner,
                number,
                version: 1,
                id: last_id,
                at,
            };
            insert_row(&transaction, index, &place, fact)?;
        }
        transaction.commit()?;
        self.last_id = last_id;
        Ok(())
    }

    /// Ends the live row of a fact and inserts the next version, in one commit.
    pub fn supersede(
        &mut self,
        owner: &Owner,
        number: u64,
        fact: &Fact,
        at: Timestamp,
    ) -> Result<()> {
        self.matrices.remove(owner.as_str());
        let owner = self.owner_id(owner)?.ok_or("the owner was not filled")?;
        let index = self.index;
        let id = self.last_id + 1;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        supersede_row(&transaction, index, owner, number as i64, id, fact, at)?;
        transaction.commit()?;
        self.last_id = id;
        Ok(())
    }

    /// The number of the fact that was inserted last.
    pub fn last_number(&self, owner: &Owner) -> Result<i64> {
        let owner = self.owner_id(owner)?.ok_or("the owner was not filled")?;
        Ok(next_number(&self.connection, owner)? - 1)
    }

    /// Ends a fact that should not have been inserted. As after superseding, its index entries stay.
    pub fn undo(&mut self, owner: &Owner, number: i64, at: Timestamp) -> Result<()> {
        let owner = self.owner_id(owner)?.ok_or("the owner was not filled")?;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let ended = transaction
            .prepare_cached(
                "UPDATE memory SET ended_at = ?1, end_reason = 'undone'
                 WHERE owner_id = ?2 AND number = ?3 AND ended_at IS NULL",
            )?
            .execute(params![at.as_micros(), owner, number])?;
        transaction.commit()?;
        match ended {
            1 => Ok(()),
            _ => Err("there was nothing to undo".into()),
        }
    }

    /// Inserts first versions with their vectors; makes the owner where there is none.
    pub(super) fn insert_entries(
        &mut self,
        owner: &Owner,
        entries: &[Entry],
        at: Timestamp,
    ) -> Result<()> {
        let owner = match self.owner_id(owner)? {
            Some(id) => id,
            None => {
                self.connection
                    .execute("INSERT INTO owner (name) VALUES (?1)", [owner.as_str()])?;
                self.connection.last_insert_rowid()
            }
        };
        let index = self.index;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for entry in entries {
            self.last_id += 1;
            let place = Place {
                owner,
                number: entry.number as i64,
                version: 1,
                id: self.last_id,
                at,
            };
            let row = insert_row(&transaction, index, &place, &entry.fact)?;
            insert_vector(&transaction, row, entry)?;
        }
        Ok(transaction.commit()?)
    }

    pub(super) fn supersede_entries(
        &mut self,
        owner: &Owner,
        entries: &[Entry],
        at: Timestamp,
    ) -> Result<()> {
        let owner = self.owner_id(owner)?.ok_or("the owner was not filled")?;
        let index = self.index;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for entry in entries {
            self.last_id += 1;
            let number = entry.number as i64;
            let row = supersede_row(
                &transaction,
                index,
                owner,
                number,
                self.last_id,
                &entry.fact,
                at,
            )?;
            insert_vector(&transaction, row, entry)?;
        }
        Ok(transaction.commit()?)
    }
}

fn next_number(connection: &Connection, owner: i64) -> Result<i64> {
    let mut statement = connection
        .prepare_cached("SELECT coalesce(max(number), 0) + 1 FROM memory WHERE owner_id = ?1")?;
    Ok(statement.query_row([owner], |row| row.get(0))?)
}

fn supersede_row(
    connection: &Connection,
    index: KeywordIndex,
    owner: i64,
    number: i64,
    id: u128,
    fact: &Fact,
    at: Timestamp,
) -> Result<i64> {
    let (old, version): (i64, i64) = connection
        .prepare_cached(
            "SELECT rowid, version FROM memory WHERE owner_id = ?1 AND number = ?2 AND ended_at IS NULL",
        )?
        .query_row([owner, number], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let place = Place {
        owner,
        number,
        version: version + 1,
        id,
        at,
    };
    let row = insert_row(connection, index, &place, fact)?;
    connection
        .prepare_cached(
            "UPDATE memory SET ended_at = ?1, end_reason = 'superseded', superseded_by = ?2, valid_until = ?1
             WHERE rowid = ?3",
        )?
        .execute(params![at.as_micros(), id.to_be_bytes(), old])?;
    Ok(row)
}

fn insert_row(
    connection: &Connection,
    index: KeywordIndex,
    place: &Place,
    fact: &Fact,
) -> Result<i64> {
    let Place {
        owner,
        number,
        version,
        id,
        at,
    } = place;
    let tags: Option<String> = (!fact.tags.is_empty()).then(|| {
        fact.tags
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    });
    connection
        .prepare_cached(
            "INSERT INTO memory (owner_id, id, origin, number, version, recorded_at, layer, category, authority,
             content, body, tags, source, trust, valid_from, importance)
             VALUES (?1, ?2, ?2, ?3, ?4, ?5, 'fact', ?6, 'note', ?7, ?8, ?9, 'user', 'user', ?5, 0.5)",
        )?
        .execute(params![
            owner,
            id.to_be_bytes(),
            number,
            version,
            at.as_micros(),
            fact.category,
            fact.content,
            fact.body,
            tags,
        ])?;
    let row = connection.last_insert_rowid();
    match index {
        KeywordIndex::Fts5 => {
            connection
                .prepare_cached(
                    "INSERT INTO memory_text (rowid, content, tags, body) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![row, fact.content, tags, fact.body])?;
        }
        KeywordIndex::Postings => insert_postings(connection, *owner, row, fact)?,
    }
    Ok(row)
}

/// The terms of a fact with how often each counts, and how long it is in all: as in keepmind.
pub fn frequencies(fact: &Fact) -> (BTreeMap<String, i64>, i64) {
    let mut frequencies = BTreeMap::<String, i64>::new();
    let mut length = 0;
    let mut add = |text: &str, weight: i64| {
        for term in text::terms(text) {
            *frequencies.entry(term).or_default() += weight;
            length += weight;
        }
    };
    add(&fact.content, LINE_WEIGHT);
    fact.tags.iter().for_each(|tag| add(tag, LINE_WEIGHT));
    if let Some(body) = &fact.body {
        add(body, 1);
    }
    (frequencies, length)
}

fn insert_postings(connection: &Connection, owner: i64, row: i64, fact: &Fact) -> Result<()> {
    let (frequencies, length) = frequencies(fact);
    let mut insert = connection.prepare_cached(
        "INSERT INTO posting (owner_id, term, document, frequency, length) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (term, frequency) in &frequencies {
        insert.execute(params![owner, term, row, frequency, length])?;
    }
    connection
        .prepare_cached(
            "UPDATE owner SET memory_documents = memory_documents + 1, memory_length = memory_length + ?1
             WHERE id = ?2",
        )?
        .execute([length, owner])?;
    Ok(())
}

fn insert_vector(connection: &Connection, row: i64, entry: &Entry) -> Result<()> {
    if let Some(vector) = &entry.vector {
        let bytes: Vec<u8> = vector
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        connection
            .prepare_cached("INSERT INTO embedding (memory, vector) VALUES (?1, ?2)")?
            .execute(params![row, bytes])?;
    }
    Ok(())
}
