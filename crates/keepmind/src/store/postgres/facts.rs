//! The keyword index of memories. New facts wait as they are, and many are put into it at once.
//!
//! A fact that is new is a row and no postings, of which it would have one for each of its terms: it is searched by
//! reading it. So many together are put into the index after a commit was answered. Any process may do it: the last
//! write's id lets one of them. Later versions of a fact, and what comes to an earlier number, do not wait; nor do more
//! at once than may wait.

use std::collections::BTreeMap;

use sqlx::Row as _;
use uuid::Uuid;

use crate::change::{ChangeSet, RowChange};
use crate::owner::Owner;
use crate::row::Body;
use crate::search::Document;
use crate::search::keywords::{Posting, Terms, memory_document};
use crate::store::database::columns::integer;
use crate::store::database::postings;
use crate::store::postgres::columns::{self, key};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::known::Known;
use crate::store::postgres::load::OWNER;
use crate::store::postgres::reading::Reading;
use crate::store::postgres::segments;
use crate::store::postgres::statement::Statement;

/// How many facts wait: each search for a word that is not in mind yet reads them.
pub(super) const MOST_WAITING: u64 = 16;
/// How many are put into the index at a time, where more have come to wait.
const TOGETHER: i64 = 512;
/// So many postings are written at a time: a fact may be a long text.
const MUCH: usize = 20_000;
/// So many words are not read again by every search, however few facts they are in: what waits is indexed.
pub(super) const MANY_WORDS: u64 = 4_096;

/// The first versions of facts that are not in the index, of which none has a number that was not given out yet. By that a
/// server knows that they are few.
macro_rules! waiting {
    () => {
        "FROM @memory WHERE owner_id = $1 AND version = 1 \
         AND number > (SELECT facts_indexed_through FROM @owner WHERE id = $1) \
         AND number < (SELECT next_number FROM @owner WHERE id = $1)"
    };
}
pub(super) const WAITING: &str = concat!("SELECT record ", waiting!());

/// Whether a set brings too many to wait: those that wait already are put into the index with them.
pub(super) fn overtakes(changes: &ChangeSet) -> bool {
    let new = changes.rows.values().filter(|change| match change {
        RowChange::Insert(row) => matches!(row.body, Body::Memory(_)),
        _ => false,
    });
    new.count() as u64 > MOST_WAITING
}

/// The number up to which all facts are in the index once a set is written, by what was known before it.
pub(super) fn indexed_through(known: Option<&Known>, changes: &ChangeSet, next_number: u64) -> u64 {
    match overtakes(changes) {
        true => next_number.saturating_sub(1),
        false => known.map_or(0, |known| known.facts_indexed_through),
    }
}

/// Whether a memory is to wait.
pub(super) fn waits(document: Document, through: u64) -> bool {
    let (number, version) = (document >> 24, document & 0xff_ffff);
    version == 1 && number > through
}

/// The postings of these terms, each list in order of document. One text for each term: a row for each posting would
/// cost many times as much.
pub(super) async fn read(
    line: &mut Line,
    owner_id: Uuid,
    terms: &[String],
) -> Work<BTreeMap<String, Vec<Posting>>> {
    let asked = line
        .query(concat!(
            "SELECT term, string_agg(document || ' ' || frequency || ' ' || length, ' ') FROM @posting \
             WHERE owner_id = $1 AND term = ANY($2) GROUP BY term UNION ALL SELECT NULL, record ",
            waiting!()
        ))
        .bind(owner_id)
        .bind(terms);
    let mut lists: BTreeMap<String, Vec<Posting>> = BTreeMap::new();
    let mut waiting = Vec::new();
    for row in line.read(Some(owner_id), asked).await? {
        let text: &str = row.try_get(1)?;
        match row.try_get(0)? {
            Some(term) => drop(lists.insert(term, postings::parse(text)?)),
            None => waiting.push(indexed(text)?),
        }
    }
    waiting.sort_unstable_by_key(|(document, _)| *document);
    for (document, words) in waiting {
        for term in terms {
            if let Some(&frequency) = words.frequencies.get(term) {
                let list = lists.entry(term.clone()).or_default();
                // A later version of an earlier fact is in the index, and may stand behind it.
                let place = list.partition_point(|posting| posting.document < document);
                list.insert(
                    place,
                    Posting {
                        document,
                        frequency,
                        length: words.length,
                    },
                );
            }
        }
    }
    Ok(lists)
}

/// A memory's place in the index, and its terms.
pub(super) fn indexed(record: &str) -> Work<(Document, Terms)> {
    let memory = columns::memory_of(record, None, None)?.body;
    let document = memory_document(memory.number, memory.version);
    Ok((document, Terms::of_memory(&memory.claim)))
}

/// Writes the postings of memories, once another part is done where there is one.
pub(super) fn post<'a>(
    statement: &mut Statement,
    memories: impl Iterator<Item = &'a (Document, Terms)>,
    after: Option<&str>,
) {
    let (mut terms, mut documents) = (Vec::new(), Vec::new());
    let (mut frequencies, mut lengths) = (Vec::new(), Vec::new());
    for (document, words) in memories {
        for (term, frequency) in &words.frequencies {
            terms.push(term.as_str());
            documents.push(integer(*document));
            frequencies.push(i64::from(*frequency));
            lengths.push(i64::from(words.length));
        }
    }
    if terms.is_empty() {
        return;
    }
    statement
        .insert(
            "posting",
            "term text, document bigint, frequency bigint, length bigint",
            terms.len(),
        )
        .after(after)
        .each(terms)
        .each(documents)
        .each(frequencies)
        .each(lengths);
}

/// Puts the facts into the index that have waited longest; whether there may be more to do.
pub(super) async fn gather(line: &mut Line, owner: &Owner) -> Work<bool> {
    let owner_id = key(owner);
    let mut reading = Reading::default();
    reading.ask("owner", OWNER).bind(owner_id);
    reading
        .ask(
            "waiting",
            concat!("SELECT record ", waiting!(), " ORDER BY number LIMIT $2"),
        )
        .bind(owner_id)
        .bind(TOGETHER);
    let (mut known, mut waiting) = (None, Vec::new());
    for (part, row) in reading.answer(line, owner_id).await? {
        match part.as_str() {
            "owner" => known = Some(Known::read(&row)?),
            _ => waiting.push(indexed(
                columns::Cells::text(&row, "record")?.unwrap_or_default(),
            )?),
        }
    }
    let Some(mut known) = known.filter(|known| known.facts_waiting() > 0) else {
        return Ok(false);
    };
    waiting.sort_unstable_by_key(|(document, _)| *document);
    let mut postings = 0;
    let few = waiting.iter().take_while(|(_, words)| {
        let is_more = postings < MUCH;
        postings += words.frequencies.len();
        is_more
    });
    let few = few.count();
    let is_full = waiting.len() as i64 >= TOGETHER || few < waiting.len();
    waiting.truncate(few);
    let last = waiting.iter().map(|(document, _)| document >> 24).max();
    known.facts_indexed_through = match last.filter(|_| is_full) {
        Some(last) => last,
        None => known.counters.state.next_number.saturating_sub(1),
    };
    let (mut statement, id) = (Statement::default(), Uuid::new_v4());
    segments::guard(&mut statement, owner_id, &known, id);
    post(&mut statement, waiting.iter(), None);
    // Where somebody else was faster, the next fact that is saved has it done.
    let is_written = segments::write(line, owner, &mut known, (id, statement)).await?;
    Ok(is_full && is_written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_version_of_a_new_fact_waits() {
        let document = |number: u64, version: u64| number << 24 | version;
        assert!(waits(document(8, 1), 7));
        assert!(!waits(document(7, 1), 7));
        assert!(!waits(document(8, 2), 7));
    }
}
