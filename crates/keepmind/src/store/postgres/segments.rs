//! The keyword index of what was said. Messages wait as they are, and many are put into it at once.
//!
//! What was said last is searched by reading it; so many messages together become a *segment*, written in one
//! piece after a commit was answered. Any process may do it: the last write's id lets one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sqlx::Row as _;
use uuid::Uuid;

use crate::order::Gather;
use crate::owner::Owner;
use crate::search::Document;
use crate::search::keywords::{Posting, Terms};
use crate::store::database::columns::integer;
use crate::store::database::segments::{
    self, LAST_LEVEL, MERGED_TOGETHER, lists, said, with_waiting,
};
use crate::store::postgres::columns::{Cells as _, key};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::known::Known;
use crate::store::postgres::load::OWNER;
use crate::store::postgres::reading::Reading;
use crate::store::postgres::schema::IS_CURRENT;
use crate::store::postgres::statement::Statement;

/// A list of the index, shorter than it was: of that segment and term.
pub(super) type Shortened = (i64, String, String);

/// The postings of these terms, each list in order of document.
pub(super) async fn read(
    line: &mut Line,
    owner_id: Uuid,
    terms: &[String],
) -> Work<Vec<Arc<Vec<Posting>>>> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let asked = line.query(
        "SELECT NULL::bigint, term || E'\\x1f' || string_agg(postings, ' ') FROM @message_posting \
         WHERE owner_id = $1 AND term = ANY($2) GROUP BY term UNION ALL \
         SELECT ordinal, content FROM @message WHERE owner_id = $1 \
         AND ordinal > (SELECT indexed_through FROM @owner WHERE id = $1)",
    )
    .bind(owner_id)
    .bind(terms);
    let (mut indexed, mut waiting) = (Vec::new(), Vec::new());
    for row in line.read(Some(owner_id), asked).await? {
        let text: &str = row.try_get(1)?;
        match row.try_get(0)? {
            Some(ordinal) => waiting.push(said(ordinal, text)?),
            None => {
                let (term, postings) = text.split_once('\u{1f}').unwrap_or_default();
                indexed.push((term.to_owned(), postings.to_owned()));
            }
        }
    }
    waiting.sort_unstable_by_key(|(document, _)| *document);
    Ok(with_waiting(terms, indexed, &waiting)?)
}

/// The lists that hold these messages, without them. An empty one goes.
pub(super) async fn without(
    line: &mut Line,
    owner_id: Uuid,
    messages: &BTreeMap<Document, Terms>,
) -> Work<Vec<Shortened>> {
    let terms: BTreeSet<&str> = messages
        .values()
        .flat_map(|terms| terms.frequencies.keys().map(String::as_str))
        .gather();
    let terms: Vec<&str> = terms.into_iter().collect();
    let asked = line.query(
        "SELECT segment, term, postings FROM @message_posting WHERE owner_id = $1 AND term = ANY($2)",
    )
    .bind(owner_id)
    .bind(terms);
    let mut shortened = Vec::new();
    for row in line.read(Some(owner_id), asked).await? {
        if let Some(left) = segments::without(row.try_get(2)?, messages)? {
            shortened.push((row.try_get(0)?, row.try_get(1)?, left));
        }
    }
    Ok(shortened)
}

/// Writes lists that became shorter.
pub(super) fn shorten(statement: &mut Statement, shortened: &[Shortened]) {
    if shortened.is_empty() {
        return;
    }
    let lists = |is_empty: bool| {
        let some = shortened
            .iter()
            .filter(|list| list.2.is_empty() == is_empty);
        let (mut segments, mut terms, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        for (segment, term, list) in some {
            segments.push(*segment);
            terms.push(term.clone());
            postings.push(list.clone());
        }
        (segments, terms, postings)
    };
    let (segments, terms, postings) = lists(false);
    statement
        .part(
            "shorter_list",
            "UPDATE @message_posting SET postings = shorter.postings \
             FROM guard, unnest($1::bigint[], $2::text[], $3::text[]) AS shorter (segment, term, postings) \
             WHERE owner_id = guard.id AND message_posting.segment = shorter.segment AND message_posting.term = shorter.term",
        )
        .bind(segments)
        .bind(terms)
        .bind(postings);
    let (segments, terms, _) = lists(true);
    statement
        .part(
            "empty_list",
            "DELETE FROM @message_posting USING guard, unnest($1::bigint[], $2::text[]) AS empty (segment, term) \
             WHERE owner_id = guard.id AND message_posting.segment = empty.segment AND message_posting.term = empty.term",
        )
        .bind(segments)
        .bind(terms);
}

/// Writes a segment.
pub(super) fn put(statement: &mut Statement, lists: &BTreeMap<&str, String>) {
    statement.part(
        "new_segment",
        "INSERT INTO @message_segment (owner_id, number, level) SELECT guard.id, \
         coalesce((SELECT max(number) FROM @message_segment WHERE owner_id = guard.id), 0) + 1, 0 FROM guard RETURNING number",
    );
    let terms: Vec<&str> = lists.keys().copied().collect();
    let postings: Vec<&str> = lists.values().map(String::as_str).collect();
    statement
        .part(
            "new_list",
            "INSERT INTO @message_posting (owner_id, term, segment, postings) \
             SELECT guard.id, new.term, new_segment.number, new.postings FROM guard, new_segment, \
             unnest($1::text[], $2::text[]) AS new (term, postings)",
        )
        .bind(terms)
        .bind(postings);
}

/// The guard of a write that moves nothing but the index.
pub(super) fn guard(statement: &mut Statement, owner_id: Uuid, known: &Known, write: Uuid) {
    statement
        .part(
            "guard",
            "UPDATE @owner SET writes = writes + 1, last_write = $6, indexed_through = $4, facts_indexed_through = $7 \
             WHERE id = $1 AND writes = $2 AND epoch = $3 AND last_write = $5 AND ",
        )
        .and(&IS_CURRENT)
        .and(" RETURNING owner.id")
        .bind(owner_id)
        .bind(known.writes)
        .bind(known.counters.state.revision.epoch.uuid())
        .bind(integer(known.indexed_through))
        .bind(known.last_write)
        .bind(write)
        .bind(integer(known.facts_indexed_through));
}

/// Makes a segment of the messages that have waited longest, as many as may wait; whether there may be more to do.
pub(super) async fn gather(line: &mut Line, owner: &Owner, most: usize) -> Work<bool> {
    let owner_id = key(owner);
    let mut reading = Reading::default();
    reading.ask("owner", OWNER).bind(owner_id);
    reading
        .ask(
            "waiting",
            "SELECT ordinal, content FROM @message WHERE owner_id = $1 \
             AND ordinal > (SELECT indexed_through FROM @owner WHERE id = $1) ORDER BY ordinal LIMIT $2",
        )
        .bind(owner_id)
        .bind(most as i64);
    let (mut known, mut waiting) = (None, Vec::new());
    for (part, row) in reading.answer(line, owner_id).await? {
        match part.as_str() {
            "owner" => known = Some(Known::read(&row)?),
            _ => {
                let content = row.text("content")?.unwrap_or_default();
                waiting.push(said(row.integer("ordinal")?, content)?);
            }
        }
    }
    waiting.sort_unstable_by_key(|(document, _)| *document);
    let (Some(mut known), Some((through, _))) = (known, waiting.last()) else {
        return Ok(false);
    };
    let is_full = waiting.len() >= most;
    known.indexed_through = *through;
    let (mut statement, id) = (Statement::default(), Uuid::new_v4());
    guard(&mut statement, owner_id, &known, id);
    put(&mut statement, &lists(&waiting));
    if !write(line, owner, &mut known, (id, statement)).await? {
        // Somebody else was faster, and sees to it.
        return Ok(false);
    }
    for level in 0..LAST_LEVEL {
        if !merge(line, owner, &mut known, level).await? {
            break;
        }
    }
    Ok(is_full)
}

/// Makes one segment of all of a level, if they are enough; whether it did.
async fn merge(line: &mut Line, owner: &Owner, known: &mut Known, level: i64) -> Work<bool> {
    let owner_id = key(owner);
    let asked = line
        .query("SELECT number FROM @message_segment WHERE owner_id = $1 AND level = $2")
        .bind(owner_id)
        .bind(level);
    let mut merged: Vec<i64> = Vec::new();
    for row in line.read(Some(owner_id), asked).await? {
        merged.push(row.try_get(0)?);
    }
    if (merged.len() as i64) < MERGED_TOGETHER {
        return Ok(false);
    }
    let (mut statement, id) = (Statement::default(), Uuid::new_v4());
    guard(&mut statement, owner_id, known, id);
    statement
        .part(
            "new_segment",
            "INSERT INTO @message_segment (owner_id, number, level) SELECT guard.id, \
             (SELECT max(number) FROM @message_segment WHERE owner_id = guard.id) + 1, $1 FROM guard RETURNING number",
        )
        .bind(level + 1);
    statement
        .part(
            "merged_list",
            "INSERT INTO @message_posting (owner_id, term, segment, postings) \
             SELECT guard.id, term, new_segment.number, string_agg(postings, ' ') FROM guard, new_segment, @message_posting \
             WHERE owner_id = guard.id AND segment = ANY($1) GROUP BY guard.id, term, new_segment.number",
        )
        .bind(merged.clone());
    statement
        .part(
            "old_list",
            "DELETE FROM @message_posting USING guard WHERE owner_id = guard.id AND segment = ANY($1)",
        )
        .bind(merged.clone());
    statement
        .part(
            "old_segment",
            "DELETE FROM @message_segment USING guard WHERE owner_id = guard.id AND number = ANY($1)",
        )
        .bind(merged);
    write(line, owner, known, (id, statement)).await
}

/// Writes what moves nothing but the index; whether nobody else was faster.
pub(super) async fn write(
    line: &mut Line,
    owner: &Owner,
    known: &mut Known,
    (id, statement): (Uuid, Statement),
) -> Work<bool> {
    let guarded = statement
        .write("SELECT id FROM guard", line, key(owner))
        .await?;
    if guarded.is_empty() {
        return Ok(false);
    }
    // What is known of chats holds on: only the index has moved.
    if let Some(before) = line.known.get(owner)
        && before.last_write == known.last_write
    {
        known.chats = before.chats;
    }
    known.writes += 1;
    known.last_write = id;
    line.known.put(owner, known.clone());
    Ok(true)
}
