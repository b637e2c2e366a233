//! Commits: one statement in one round trip, where what it was made for still holds.
//!
//! A set is written after the very write that it was prepared at, and nothing else is locked or asked. If
//! somebody else was faster nothing is written, and it is prepared anew from what is stored; after a few times
//! under the owner's lock, so that it ends. If the way to the server is lost, the same is sent again: the
//! operation's id, or the last write's, keeps it from being written twice.

use std::time::Duration;

use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::change::{ChangeSet, EmbeddingChange, Receipt, SessionChange};
use crate::embedding::EmbeddingKey;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::RowId;
use crate::search::keywords::{Terms, memory_document};
use crate::store::database::cache::{Committed, Embedded};
use crate::store::database::postings::Counts;
use crate::store::database::prepare::CommitRequest;
use crate::store::database::segments::MUCH_TEXT;
use crate::store::database::words::Word;
use crate::store::postgres::columns::{column, integer, key, list, to_json};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::{Failure, Work};
use crate::store::postgres::known::Known;
use crate::store::postgres::prepare::{self, Prepared, Ready};
use crate::store::postgres::schema::IS_CURRENT;
use crate::store::postgres::statement::Statement;
use crate::store::postgres::{Shared, Waiting, outcome_unknown};
use crate::store::postgres::{facts, rows, sessions};
use crate::timestamp::Timestamp;

/// How often others may be in the way, or the way to the server be lost, before the caller is told.
const MOST_MISSES: u32 = 32;
const MOST_FAILURES: u32 = 5;
/// So many times others were faster: from now on they wait.
const PATIENT_MISSES: u32 = 2;

/// What came of one try.
enum Tried {
    Done(Receipt, Option<Box<Done>>),
    /// Somebody else was faster; nothing was written.
    Missed,
}

/// What a commit did, and what is known after it.
struct Done {
    committed: Committed,
    known: Known,
}

pub(super) async fn commit(shared: &Shared, request: &CommitRequest) -> Result<Receipt> {
    let owner = &request.owner;
    let _turn = shared.turn(owner, "commit").await?;
    let (mut misses, mut failures) = (0, 0);
    // Something was sent of which nobody knows what became of it.
    let mut is_uncertain = false;
    loop {
        let first = misses == 0 && failures == 0;
        // Only such a set names the extension's column.
        let has_near = shared.near.place().is_some() && !request.changes.embeddings.is_empty();
        let tried = attempt(shared, request, first, misses > PATIENT_MISSES).await;
        if tried.is_err() {
            shared.known.forget(owner);
        }
        match tried {
            Ok(Tried::Done(receipt, done)) => {
                if let Some(done) = done {
                    shared.caches.committed(owner, &done.committed);
                    let due = index_due(shared, &done, &request.changes);
                    shared.known.put(owner, done.known);
                    for waiting in due {
                        shared.index_soon(owner, waiting);
                    }
                }
                return Ok(receipt);
            }
            Ok(Tried::Missed) => {
                shared.known.forget(owner);
                misses += 1;
                if misses > MOST_MISSES {
                    return Err(Error::new(
                        ErrorKind::Busy,
                        "commit",
                        "other writers of the same owner were faster each time: call again",
                    ));
                }
            }
            Err(failure) if has_near && failure.is_of_what_is_missing() => {
                shared.near.go_without();
            }
            Err(failure) if failure.is_momentary() && failures < MOST_FAILURES => {
                failures += 1;
                rest(request, failures).await;
            }
            Err(failure) if failure.is_cut() && failures < MOST_FAILURES => {
                shared.pool.forget_idle();
                is_uncertain = true;
                failures += 1;
                rest(request, failures).await;
            }
            // The data refuses it as it stands now. Had it been written, its receipt would have been found; and
            // what is still under way was made for another last write, or for the same and refused as well.
            Err(Failure::Refused(error)) if !(is_uncertain && is_unreachable(&error)) => {
                return Err(error);
            }
            Err(_) if is_uncertain => {
                return Err(outcome_unknown("commit"));
            }
            Err(failure) => return Err(failure.into_error("commit")),
        }
    }
}

/// Whether no connection was to be had.
fn is_unreachable(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Io | ErrorKind::Busy | ErrorKind::Unsupported | ErrorKind::Closed
    )
}

/// Waits a little, and not as long as others do.
async fn rest(request: &CommitRequest, failures: u32) {
    let bytes = request.changes.operation.uuid().into_bytes();
    let own = u64::from(bytes[15] ^ bytes[failures as usize % 16]);
    let millis = (1 << failures.min(5)) + own % 16;
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

/// What waits in such numbers that it is to be put into the keyword index.
fn index_due(
    shared: &Shared,
    Done { committed, known }: &Done,
    changes: &ChangeSet,
) -> impl Iterator<Item = Waiting> + use<> {
    let messages = &changes.messages;
    let last = known.last_ordinal.map_or(0, |last| last.get());
    let text: usize = messages
        .iter()
        .map(|message| message.utterance.content.len())
        .sum();
    let most = shared.index_after as u64;
    let waiting = last.saturating_sub(known.indexed_through);
    let is_said = !messages.is_empty() && (waiting >= most || text >= MUCH_TEXT);
    let words = committed.indexed.iter();
    let words: u64 = words.map(|(_, words)| u64::from(words.length)).sum();
    let waiting = known.facts_waiting();
    let is_many = waiting >= most.min(facts::MOST_WAITING) || words >= facts::MANY_WORDS;
    let is_known = !committed.indexed.is_empty() && waiting > 0 && is_many;
    let due = [(is_said, Waiting::Messages), (is_known, Waiting::Facts)];
    due.into_iter()
        .filter_map(|(is_due, waiting)| is_due.then_some(waiting))
}

async fn attempt(
    shared: &Shared,
    request: &CommitRequest,
    is_first: bool,
    is_patient: bool,
) -> Work<Tried> {
    let known = match is_first {
        true => shared.known.get(&request.owner),
        false => None,
    };
    let known = known.filter(|known| known.suffices(&request.changes));
    let mut pooled = shared.pool.acquire("commit").await?;
    let line = &mut pooled.connection;
    let tried = match is_patient {
        false => write_at(line, request, known).await,
        true => write_locked(line, request).await,
    };
    if tried.as_ref().err().is_none_or(Failure::is_harmless) {
        pooled.give_back();
    }
    tried
}

async fn write_at(line: &mut Line, request: &CommitRequest, known: Option<Known>) -> Work<Tried> {
    let prepared = match known {
        Some(known) => match prepare::prepare_known(request, known) {
            Ok(prepared) => prepared,
            // It may be that only what is known is old: what is stored decides.
            Err(_) => prepare::prepare(line, request).await?,
        },
        None => prepare::prepare(line, request).await?,
    };
    match prepared {
        Prepared::Repeated(receipt) => Ok(Tried::Done(receipt, None)),
        Prepared::Ready(ready) => write(line, request, &ready).await,
    }
}

/// Under the owner's lock nobody else can be faster.
async fn write_locked(line: &mut Line, request: &CommitRequest) -> Work<Tried> {
    let owner_id = key(&request.owner);
    line.begin_writing(owner_id).await?;
    line.lock(owner_id).await?;
    let tried = write_at(line, request, None).await?;
    line.commit().await?;
    Ok(tried)
}

async fn write(line: &mut Line, request: &CommitRequest, ready: &Ready) -> Work<Tried> {
    let ChangeSet {
        operation,
        at,
        entries: _,
        next_number: _,
        rows,
        lineage: _,
        consents: _,
        sessions: _,
        messages: _,
        observations: _,
        traces: _,
        usage: _,
        embeddings,
    } = request.changes.as_ref();
    let mut committed = Committed {
        before: ready.counters_before(),
        after: ready.counters_after(),
        indexed: Vec::new(),
        unindexed: Vec::new(),
        staged: Vec::new(),
        ended: Vec::new(),
        embedded: Vec::new(),
    };
    for row in &ready.purged {
        let memory = &row.body;
        let document = memory_document(memory.number, memory.version);
        let terms = Terms::of_memory(&memory.claim);
        committed.unindexed.push((document, terms));
    }
    rows::note(rows, &mut committed);
    let said = sessions::note_messages(request, ready);
    let mut memories = Counts::default();
    let came = committed.indexed.iter();
    came.for_each(|(_, terms)| memories.add(Counts::of(terms)));
    let went = committed.unindexed.iter();
    went.for_each(|(_, terms)| memories.subtract(Counts::of(terms)));
    let indexed_through = indexed_through(ready);
    let counts = [memories, said.counts];

    let mut statement = Statement::default();
    let next_number = ready.after.next_number;
    let facts_through = facts::indexed_through(ready.known.as_ref(), &request.changes, next_number);
    let through = [indexed_through, facts_through];
    guard(&mut statement, request, ready, counts, through);
    rows::write(
        &mut statement,
        rows,
        &committed,
        (&ready.waiting, facts_through),
    );
    sessions::write(&mut statement, request, ready);
    sessions::write_messages(&mut statement, request, ready, &said);
    write_records(&mut statement, request);
    sessions::write_traces(&mut statement, request);
    sessions::write_usage(&mut statement, request);
    let has_embeddings = sessions::write_embeddings(&mut statement, request, line.near());
    let receipt = Receipt {
        revision: ready.after.revision,
        at: *at,
        places: ready.places.clone(),
    };
    statement
        .insert("operation", "id uuid, at bigint, receipt text", 1)
        .bind(operation.uuid())
        .bind(at.as_micros())
        .bind(to_json(&receipt));
    let last = match has_embeddings {
        true => {
            "SELECT memory, embedder, document FROM guard LEFT JOIN \
             (SELECT * FROM embedded UNION ALL SELECT * FROM unembedded) AS changed ON true"
        }
        false => "SELECT NULL::uuid AS memory FROM guard",
    };
    let answer = statement.write(last, line, key(&request.owner)).await?;
    if answer.is_empty() {
        return Ok(Tried::Missed);
    }
    for row in &answer {
        committed.embedded.extend(embedded(row, embeddings)?);
    }
    let known = ready.known_after(request, through);
    let done = Done { committed, known };
    Ok(Tried::Done(receipt, Some(Box::new(done))))
}

/// How far the index reaches after it: places that are free again are given anew, and what comes there waits.
fn indexed_through(ready: &Ready) -> u64 {
    let through = ready
        .known
        .as_ref()
        .map_or(0, |known| known.indexed_through);
    let last = ready.last_ordinal().map_or(0, |last| last.get());
    match ready.silenced.is_empty() {
        true => through,
        false => through.min(last),
    }
}

/// The part that all others depend on: the owner's counters move if they are what the set was prepared at, by the same
/// write, and the tables are what they were.
fn guard(
    statement: &mut Statement,
    request: &CommitRequest,
    ready: &Ready,
    [memories, messages]: [Counts; 2],
    [indexed_through, facts_indexed_through]: [u64; 2],
) {
    let changes = &request.changes;
    let sql = match ready.known {
        Some(_) => {
            "UPDATE @owner SET writes = writes + 1, revision = $2, next_number = $3, last_stamp = $4, embedding_changes = $5, \
             memory_documents = memory_documents + $6, memory_length = memory_length + $7, \
             message_documents = message_documents + $8, message_length = message_length + $9, \
             last_ordinal = $10, indexed_through = $11, facts_indexed_through = $15, last_write = $13, \
             revised = CASE revision WHEN $2 THEN revised ELSE $13 END, \
             embedded = CASE embedding_changes WHEN $5 THEN embedded ELSE $13 END \
             WHERE id = $1 AND epoch = $12 AND writes = $14 AND last_write = $17 \
             AND NOT EXISTS (SELECT 1 FROM @operation WHERE owner_id = $1 AND operation.id = $16) AND "
        }
        None => {
            "INSERT INTO @owner (id, revision, next_number, last_stamp, embedding_changes, memory_documents, memory_length, \
             message_documents, message_length, last_ordinal, indexed_through, epoch, last_write, revised, embedded, writes, \
             facts_indexed_through, name) \
             SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $13, $14, $15, $16 WHERE "
        }
    };
    let state = &ready.after;
    let part = statement
        .part("guard", sql)
        .and(&IS_CURRENT)
        .bind(key(&request.owner))
        .bind(integer(state.revision.count))
        .bind(integer(state.next_number))
        .bind(state.last_stamp.map(Timestamp::as_micros))
        .bind(integer(state.embedding_changes))
        .bind(memories.documents)
        .bind(memories.length)
        .bind(messages.documents)
        .bind(messages.length)
        .bind(ready.last_ordinal().map(|last| integer(last.get())))
        .bind(integer(indexed_through))
        .bind(state.revision.epoch.uuid())
        .bind(ready.write);
    let part = match &ready.known {
        Some(known) => {
            let mut part = part
                .bind(known.writes)
                .bind(integer(facts_indexed_through))
                .bind(changes.operation.uuid())
                .bind(known.last_write);
            let mut place = 18;
            for (condition, ids) in rows::open_rows(&changes.rows) {
                let condition = condition.replace("$N", &format!("${place}"));
                part = part.and(&condition).bind(ids);
                place += 1;
            }
            let opened: Vec<_> = changes
                .sessions
                .iter()
                .filter(|(_, change)| matches!(change, SessionChange::Open(_)))
                .map(|(id, _)| id.uuid())
                .collect();
            if !opened.is_empty() {
                let condition = format!(
                    " AND NOT EXISTS (SELECT 1 FROM @session WHERE owner_id = $1 AND session.id = ANY(${place}))"
                );
                part = part.and(&condition).bind(opened);
            }
            part
        }
        None => part
            .and(" ON CONFLICT DO NOTHING")
            .bind(1_i64)
            .bind(integer(facts_indexed_through))
            .bind(request.owner.as_str()),
    };
    part.and(" RETURNING owner.id");
}

/// Journal, lineage, consent and observations.
fn write_records(statement: &mut Statement, request: &CommitRequest) {
    let changes = &request.changes;
    let entries = &changes.entries;
    if !entries.is_empty() {
        let columns = "revision bigint, operation uuid, stamp bigint, who text, session uuid, group_id uuid, \
                       effects text, undoes text, redoes text, line text";
        statement
            .insert("journal", columns, entries.len())
            .each(column(entries, |entry| integer(entry.revision)))
            .each(column(entries, |entry| entry.operation.uuid()))
            .each(column(entries, |entry| entry.stamp.as_micros()))
            .each(column(entries, |entry| entry.who.word()))
            .each(column(entries, |entry| entry.session.map(|id| id.uuid())))
            .each(column(entries, |entry| entry.group.map(|id| id.uuid())))
            .each(column(entries, |entry| to_json(&entry.effects)))
            .each(column(entries, |entry| {
                list(&entry.undoes, entry.undoes.is_empty())
            }))
            .each(column(entries, |entry| {
                list(&entry.redoes, entry.redoes.is_empty())
            }))
            .each(column(entries, |entry| entry.line.clone()));
    }
    if !changes.lineage.is_empty() {
        let steps: Vec<_> = changes.lineage.iter().collect();
        statement
            .insert("lineage", "row_id uuid, from_id uuid", steps.len())
            .and(" ON CONFLICT DO NOTHING")
            .each(column(&steps, |step| step.row.uuid()))
            .each(column(&steps, |step| step.from.uuid()));
    }
    if !changes.consents.is_empty() {
        let words: Vec<_> = changes.consents.iter().collect();
        statement
            .insert(
                "consent",
                "domain text, recorded_at bigint, granted boolean",
                words.len(),
            )
            .each(column(&words, |((domain, _), _)| domain.clone()))
            .each(column(&words, |((_, moment), _)| moment.as_micros()))
            .each(column(&words, |(_, granted)| **granted));
    }
    if !changes.observations.is_empty() {
        let seen: Vec<_> = changes.observations.values().collect();
        statement
            .insert(
                "observation",
                "id uuid, source text, payload text, at bigint",
                seen.len(),
            )
            .and(" ON CONFLICT DO NOTHING")
            .each(column(&seen, |seen| seen.id.uuid()))
            .each(column(&seen, |seen| seen.source.clone()))
            .each(column(&seen, |seen| to_json(&seen.payload)))
            .each(column(&seen, |seen| seen.at.as_micros()));
    }
}

/// An embedding that was set or removed, by the statement's answer.
fn embedded(
    row: &PgRow,
    changes: &std::collections::BTreeMap<EmbeddingKey, EmbeddingChange>,
) -> Work<Option<Embedded>> {
    let Some(memory) = row.try_get("memory")? else {
        return Ok(None);
    };
    let key = EmbeddingKey {
        memory: RowId::new(memory),
        embedder: row.try_get("embedder")?,
    };
    let document: i64 = row.try_get("document")?;
    let vector = match changes.get(&key) {
        Some(EmbeddingChange::Set(vector)) => Some(vector.clone()),
        _ => None,
    };
    Ok(Some((document.cast_unsigned(), key.embedder, vector)))
}
