//! What a change set must be before any store looks at it: well-formed by itself.
//! What depends on the data it meets is checked in `apply`.

use std::fmt::Display;

use serde_json::Value;

use crate::change::{ChangeSet, EmbeddingChange, RowChange, SessionChange, TraceChange};
use crate::embedding::Vector;
use crate::error::{Error, Result};
use crate::ids::{Number, RowId};
use crate::journal::JournalEntry;
use crate::memory::{Claim, Evidence, Marks, Span};
use crate::message::Utterance;
use crate::row::{Body, End, Kind, Row};
use crate::session::Session;
use crate::text;

/// The most that is kept of each thing. A policy may ask for less, never for more.
pub mod limits {
    /// Characters of a memory's content or summary.
    pub const CONTENT_CHARS: usize = 500;
    /// Characters of a memory's body.
    pub const BODY_CHARS: usize = 32_768;
    /// Characters of a category, domain, relation, tag or embedder id.
    pub const NAME_CHARS: usize = 128;
    /// Tags of a memory.
    pub const TAGS: usize = 64;
    /// Bytes of a JSON value: a memory's value, an observation's payload, a call's arguments.
    pub const VALUE_BYTES: usize = 1 << 20;
    /// How deep a JSON value may be nested.
    pub const VALUE_DEPTH: usize = 64;
    /// Pieces of evidence of one row, messages it names, or untrusted spans of a message.
    pub const EVIDENCE: usize = 4_096;
    /// Bytes of a quote, a proposal's reasoning, or a use's influence.
    pub const NOTE_BYTES: usize = 1 << 16;
    /// Bytes of a message, its hidden part, a recap, a block, or a call's result.
    pub const MESSAGE_BYTES: usize = 16 << 20;
    /// Characters of a journal line or of a chat's title.
    pub const LINE_CHARS: usize = 300;
}

type Check = Result<(), String>;

impl ChangeSet {
    /// Says what is wrong with the set by itself, if anything is. Every store calls it first.
    pub fn validate(&self) -> Result<()> {
        self.check()
            .map_err(|message| Error::invalid("commit", message))
    }

    fn check(&self) -> Check {
        let ChangeSet {
            operation,
            at,
            entries,
            next_number,
            rows,
            lineage,
            consents,
            sessions,
            messages,
            observations,
            traces,
            usage,
            embeddings,
        } = self;

        require(!operation.uuid().is_nil(), "the operation has no id")?;
        self.check_entries(entries)?;
        if let Some(next) = next_number {
            require(Number::new(*next).is_some(), "next_number is out of range")?;
        }
        for (id, change) in rows {
            self.check_row(*id, change)
                .map_err(|what| format!("row {id}: {what}"))?;
        }
        for step in lineage {
            require(step.row != step.from, "a row cannot be made from itself")?;
        }
        for (domain, moment) in consents.keys() {
            name("consent's domain", domain)?;
            require(moment <= at, "consent cannot be given in the future")?;
        }
        for (id, change) in sessions {
            check_session(*id, change).map_err(|what| format!("session {id}: {what}"))?;
        }
        for message in messages {
            check_utterance(&message.utterance)
                .map_err(|what| format!("message to session {}: {what}", message.session))?;
        }
        for (id, observation) in observations {
            require(
                *id == observation.id,
                "an observation is filed under another id",
            )?;
            name("observation's source", &observation.source)?;
            value("observation's payload", &observation.payload)?;
        }
        for (key, change) in traces {
            name("call id", &key.call)?;
            if let TraceChange::Record(trace) = change {
                require(*key == trace.key, "a trace is filed under another call")?;
                name("tool's name", &trace.tool)?;
                value("call's arguments", &trace.arguments)?;
                long("call's result", &trace.result, limits::MESSAGE_BYTES)?;
            }
        }
        for (id, entry) in usage {
            require(*id == entry.id, "a use is filed under another id")?;
            if let Some(influence) = &entry.influence {
                long("influence", influence, limits::NOTE_BYTES)?;
            }
        }
        for (key, change) in embeddings {
            name("embedder's id", &key.embedder)?;
            let (EmbeddingChange::Set(_) | EmbeddingChange::Remove) = change;
        }
        Ok(())
    }

    fn check_entries(&self, entries: &[JournalEntry]) -> Check {
        let Some(last) = entries.last() else {
            let unchecked = self.rows.is_empty()
                && self.lineage.is_empty()
                && self.consents.is_empty()
                && self.next_number.is_none()
                && !self.sessions.values().any(moves_watermark);
            return require(
                unchecked,
                "rows, lineage, consent, numbers and watermarks need a journal entry",
            );
        };
        require(
            last.stamp == self.at,
            "the last journal entry does not carry the commit's stamp",
        )?;
        for pair in entries.windows(2) {
            require(
                pair[0].revision.checked_add(1) == Some(pair[1].revision)
                    && pair[0].stamp < pair[1].stamp,
                "journal entries must count up without gaps, with rising stamps",
            )?;
        }
        for entry in entries {
            line("journal line", &entry.line, limits::LINE_CHARS)?;
            require(
                entry.revision >= 1 && i64::try_from(entry.revision).is_ok(),
                "a journal entry's revision is out of range",
            )?;
            let ordered = entry
                .effects
                .windows(2)
                .all(|pair| (pair[0].origin, pair[0].kind) < (pair[1].origin, pair[1].kind));
            require(ordered, "effects must be in order of origin, one for each")?;
        }
        Ok(())
    }

    fn check_row(&self, id: RowId, change: &RowChange) -> Check {
        match change {
            RowChange::Insert(row) => {
                require(row.id == id, "it is filed under another id")?;
                self.check_inserted(row)
            }
            RowChange::Alter(alteration) => {
                require(
                    alteration.marks.is_some() || alteration.end.is_some(),
                    "an alteration changes nothing",
                )?;
                if let Some(marks) = &alteration.marks {
                    check_marks(alteration.kind, marks)?;
                }
                if let Some(end) = alteration.end {
                    require(end.at == self.at, "an end carries the commit's stamp")?;
                    check_end(&end)?;
                }
                Ok(())
            }
            RowChange::Purge(_) => Ok(()),
        }
    }

    fn check_inserted(&self, row: &Row<Body>) -> Check {
        require(
            row.recorded_at <= self.at,
            "it is recorded after its commit",
        )?;
        if let Some(end) = row.end {
            require(
                row.recorded_at <= end.at && end.at <= self.at,
                "it ends before it was recorded, or after its commit",
            )?;
            check_end(&end)?;
        }
        check_marks(row.body.kind(), &row.marks)?;
        match &row.body {
            Body::Memory(memory) => {
                check_claim(&memory.claim)?;
                require(
                    memory.claim.valid_from <= row.recorded_at,
                    "valid_from is later than when it was recorded: use the moment it is said at most",
                )
            }
            Body::Link(link) => {
                name("relation", &link.relation)?;
                require(link.from != link.to, "a link joins two different facts")
            }
            Body::Tombstone(tombstone) => span(tombstone.span),
            Body::Proposal(proposal) => {
                long("reasoning", &proposal.reasoning, limits::NOTE_BYTES)?;
                evidence(&proposal.evidence)?;
                if let Some((claim, marks)) = proposal.claim() {
                    check_claim(claim)?;
                    check_marks(Kind::Memory, marks)?;
                }
                Ok(())
            }
        }
    }
}

pub(super) fn moves_watermark(change: &SessionChange) -> bool {
    match change {
        SessionChange::Open(session) => session.extracted_through.is_some(),
        SessionChange::Edit(edit) => edit.extracted_through.is_some(),
        SessionChange::Purge => false,
    }
}

fn check_claim(claim: &Claim) -> Check {
    line("content", &claim.content, limits::CONTENT_CHARS)?;
    if let Some(summary) = &claim.summary {
        line("summary", summary, limits::CONTENT_CHARS)?;
    }
    if let Some(body) = &claim.body {
        text::limit(body, limits::BODY_CHARS).map_err(|error| format!("body: {error}"))?;
        require(
            text::passage(body).is_ok_and(|clean| clean == *body),
            "body: it must be sanitised before it is stored",
        )?;
    }
    name("category", &claim.category)?;
    for (what, part) in [("domain", &claim.domain), ("key", &claim.key)] {
        if let Some(part) = part {
            name(what, part)?;
        }
    }
    if let Some(json) = &claim.value {
        require(!json.is_null(), "value: null says nothing, leave it out")?;
        value("value", json)?;
    }
    require(claim.tags.len() <= limits::TAGS, "there are too many tags")?;
    for tag in &claim.tags {
        name("tag", tag)?;
    }
    require(
        claim.messages.len() <= limits::EVIDENCE,
        "there are too many messages",
    )?;
    evidence(&claim.evidence)
}

/// Otherwise a row that has ended would still answer for now.
fn check_end(end: &End) -> Check {
    let is_past = end.why.valid_until().is_none_or(|until| until <= end.at);
    require(is_past, "it is said to be true until after it ended")
}

fn check_marks(kind: Kind, marks: &Marks) -> Check {
    if kind != Kind::Memory {
        return require(*marks == Marks::default(), "only memories have marks");
    }
    unit("importance", marks.importance)?;
    marks
        .confidence
        .map_or(Ok(()), |confidence| unit("confidence", confidence))
}

fn check_session(id: crate::ids::SessionId, change: &SessionChange) -> Check {
    let (title, recap, block, served) = match change {
        SessionChange::Open(session) => {
            let Session {
                title,
                recap,
                block,
                served,
                ..
            } = session;
            require(session.id == id, "it is filed under another id")?;
            (title.as_ref(), recap.as_ref(), block.as_ref(), Some(served))
        }
        SessionChange::Edit(edit) => (
            edit.title.as_ref().and_then(Option::as_ref),
            edit.recap.as_ref().and_then(Option::as_ref),
            edit.block.as_ref().and_then(Option::as_ref),
            edit.served.as_ref(),
        ),
        SessionChange::Purge => (None, None, None, None),
    };
    if let Some(title) = title {
        line("title", &title.text, limits::LINE_CHARS)?;
    }
    if let Some(recap) = recap {
        long("recap", &recap.text, limits::MESSAGE_BYTES)?;
    }
    if let Some(block) = block {
        long("block", &block.text, limits::MESSAGE_BYTES)?;
        require(
            i64::try_from(block.revision).is_ok(),
            "the block's revision is out of range",
        )?;
    }
    for line in served.into_iter().flatten() {
        long("served line", line, limits::NOTE_BYTES)?;
    }
    Ok(())
}

fn check_utterance(utterance: &Utterance) -> Check {
    long("content", &utterance.content, limits::MESSAGE_BYTES)?;
    if let Some(hidden) = &utterance.hidden {
        long("hidden part", hidden, limits::MESSAGE_BYTES)?;
    }
    require(
        utterance.untrusted.len() <= limits::EVIDENCE && utterance.calls.len() <= limits::EVIDENCE,
        "there are too many untrusted spans or calls",
    )?;
    for &part in &utterance.untrusted {
        span(part)?;
        require(
            utterance.content.is_char_boundary(part.start as usize)
                && utterance.content.is_char_boundary(part.end as usize),
            "an untrusted span does not lie on character borders of the content",
        )?;
    }
    utterance
        .calls
        .iter()
        .try_for_each(|call| name("call id", call))
}

fn evidence(pieces: &[Evidence]) -> Check {
    require(
        pieces.len() <= limits::EVIDENCE,
        "there is too much evidence",
    )?;
    for piece in pieces {
        if let Evidence::Quote {
            quote, span: place, ..
        } = piece
        {
            long("quote", quote, limits::NOTE_BYTES)?;
            span(*place)?;
        }
    }
    Ok(())
}

fn require(holds: bool, otherwise: impl Display) -> Check {
    if holds {
        Ok(())
    } else {
        Err(otherwise.to_string())
    }
}

fn unit(what: &str, number: f64) -> Check {
    // Minus zero would come back as zero from a store that keeps whole numbers as integers.
    require(
        (0.0..=1.0).contains(&number) && number.is_sign_positive(),
        format_args!("{what} must be a number from 0 to 1"),
    )
}

fn span(part: Span) -> Check {
    require(part.start < part.end, "a span is empty or turned around")
}

/// What an embedder says of itself must be fit to be stored with every vector.
pub(crate) fn check_embedder(id: &str, dimensions: usize) -> Check {
    name("embedder's id", id)?;
    let max = Vector::MAX_DIMENSIONS;
    require(
        (1..=max).contains(&dimensions),
        format_args!("an embedder's vectors have 1 to {max} dimensions, not {dimensions}"),
    )
}

fn name(what: &str, text: &str) -> Check {
    line(what, text, limits::NAME_CHARS)
}

fn line(what: &str, line: &str, max: usize) -> Check {
    text::limit(line, max).map_err(|error| format!("{what}: {error}"))?;
    if text::is_plain_line(line) {
        return Ok(());
    }
    let clean = text::line(line).map_err(|error| format!("{what}: {error}"))?;
    require(
        clean == line,
        format_args!("{what}: it must be sanitised to one line before it is stored"),
    )
}

fn long(what: &str, passage: &str, max: usize) -> Check {
    require(
        passage.len() <= max,
        format_args!("{what} has {} bytes; at most {max} are kept", passage.len()),
    )?;
    stored(what, passage)
}

/// NUL would be cut by one backend and refused by another; two forms of one accent would not compare equal.
fn stored(what: &str, text: &str) -> Check {
    require(!text.contains('\0'), format_args!("{what} holds NUL"))?;
    require(
        matches!(text::nfc(text), std::borrow::Cow::Borrowed(_)),
        format_args!("{what} is not in Unicode form NFC"),
    )
}

fn value(what: &str, json: &Value) -> Check {
    fn walk(what: &str, json: &Value, depth: usize, bytes: &mut usize) -> Check {
        require(
            depth <= limits::VALUE_DEPTH,
            format_args!("{what} is nested more than {} deep", limits::VALUE_DEPTH),
        )?;
        *bytes += 8;
        match json {
            Value::String(text) => {
                *bytes += text.len();
                stored(what, text)?;
            }
            Value::Array(items) => {
                for item in items {
                    walk(what, item, depth + 1, bytes)?;
                }
            }
            Value::Object(fields) => {
                for (field, item) in fields {
                    *bytes += field.len();
                    stored(what, field)?;
                    walk(what, item, depth + 1, bytes)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }
    let mut bytes = 0;
    walk(what, json, 1, &mut bytes)?;
    require(
        bytes <= limits::VALUE_BYTES,
        format_args!("{what} is larger than {} bytes", limits::VALUE_BYTES),
    )
}
