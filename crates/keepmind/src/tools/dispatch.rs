//! Running a tool call: from typed arguments to a command or a query, and back to words for the model.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;

use crate::command::{
    Command, Confirm, Forget, Join, List, Propose, ProposedChange, Recall, Save, Update,
};
use crate::engine::{Request, UserMemory};
use crate::error::Error;
use crate::event::{EventKind, MemoryEvent, Outcome, Verdict};
use crate::ids::{Number, RowId};
use crate::inject;
use crate::plan::{self, Entry, Objection, Turn};
use crate::policy::Policy;
use crate::refusal::{Candidate, Code, Refusal};
use crate::row::MemoryRow;
use crate::text;
use crate::tools::{ProposeArguments, SaveArguments, ToolRequest, UpdateArguments};
use crate::trace::Trace;

/// How much of a long detail a reply shows.
const DETAIL_CHARACTERS: usize = 400;

/// What a tool call is answered with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolReply {
    /// The id that the call is known by: the one given, or a new one where none or an unfit one was. Push
    /// the answer with it.
    pub call: String,
    /// For the model: what happened, or how to call it right.
    pub message: String,
    /// Whether the call was refused.
    pub is_error: bool,
    /// For the host, when something was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<MemoryEvent>,
    /// Which rules objected: why it was refused, or became a proposal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Code>,
    /// The facts that the message shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<Number>,
    /// The rows that were found.
    #[serde(skip)]
    pub(crate) found: Vec<RowId>,
}

impl ToolReply {
    fn said(message: String) -> Self {
        ToolReply {
            call: String::new(),
            message,
            is_error: false,
            event: None,
            codes: Vec::new(),
            shown: Vec::new(),
            found: Vec::new(),
        }
    }

    pub(crate) fn refused(refusal: &Refusal) -> Self {
        let mut message = refusal.message.clone();
        for candidate in &refusal.candidates {
            let _ = write!(message, "\n{}", candidate_line(candidate));
        }
        ToolReply {
            is_error: true,
            codes: refusal.codes().collect(),
            shown: refusal
                .candidates
                .iter()
                .map(|candidate| candidate.number)
                .collect(),
            ..ToolReply::said(message)
        }
    }

    /// A call's arguments as far as they may be recorded: a secret, and what may not be known without
    /// consent, is not kept here either, whatever the call was refused for.
    pub(crate) fn recordable(
        &self,
        done: Option<EventKind>,
        arguments: Value,
        policy: &Policy,
    ) -> Value {
        if done == Some(EventKind::Saved) {
            // Every text of a save that was done has been looked through already.
            return arguments;
        }
        // What was refused may not have been looked through, nor what a proposal quotes.
        let is_unread = self.is_error || done == Some(EventKind::Proposed);
        let is_told = |code: &Code| matches!(code, Code::Secret | Code::Sensitive);
        match self.codes.iter().any(is_told) || plan::is_private(&arguments, is_unread, policy) {
            true => Value::Null,
            false => arguments,
        }
    }
}

/// From what a call is answered with, and what was done, to the record of the call.
pub(crate) type Recording<'a> = dyn Fn(&ToolReply, Option<EventKind>) -> Trace + Sync + 'a;

/// Runs a call. What a rule refuses is a reply; only the store failing is an error.
pub(crate) async fn dispatch(
    memory: &UserMemory,
    turn: &Turn,
    request: ToolRequest,
    record: &Recording<'_>,
) -> Result<ToolReply, Error> {
    let answered = match Action::from(request) {
        Action::List(list) => memory.engine.list(&memory.owner, &list).await.map(|page| {
            let rows: Vec<&MemoryRow> = page.rows.iter().collect();
            listed(
                &rows,
                &BTreeMap::new(),
                "There is nothing saved.",
                page.next.is_some(),
            )
        }),
        Action::Recall(recall) => recalled(memory, &recall).await,
        Action::Write(command) => {
            // What is recorded before the commit is what is answered after it.
            let told = Mutex::new(None);
            let trace = |outcome: &Outcome| {
                let reply = written(outcome);
                let done = outcome.event.as_ref().map(|event| event.kind);
                let trace = record(&reply, done);
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
                trace
            };
            let request = Request {
                owner: &memory.owner,
                command: &command,
                entry: Entry::Tool(turn),
                offset: memory.local.offset,
                trace: Some(&trace),
            };
            let executed = memory.engine.execute(request).await;
            let told = told.into_inner().unwrap_or_else(PoisonError::into_inner);
            executed.map(|outcome| {
                // A plan that was made anew may have come to nothing.
                let told = told.filter(|_| outcome.event.is_some());
                let reply = told.unwrap_or_else(|| written(&outcome));
                let event = outcome.event;
                ToolReply { event, ..reply }
            })
        }
    };
    match answered {
        Ok(reply) => Ok(reply),
        Err(Objection::Refused(refusal)) => Ok(ToolReply::refused(&refusal)),
        Err(Objection::Failed(error)) => Err(error),
    }
}

/// What fits, with what it was before where that is asked for.
async fn recalled(memory: &UserMemory, recall: &Recall) -> Result<ToolReply, Objection> {
    let hits = memory.engine.recall(&memory.owner, recall).await?;
    let rows: Vec<&MemoryRow> = hits.iter().map(|hit| &hit.row).collect();
    let pasts = match text::asks_about_past(&recall.text) {
        true => memory.engine.pasts(&memory.owner, &rows).await?,
        false => BTreeMap::new(),
    };
    Ok(listed(&rows, &pasts, "Nothing saved fits that.", false))
}

/// What a call comes down to.
enum Action {
    List(Box<List>),
    Recall(Recall),
    Write(Command),
}

impl From<ToolRequest> for Action {
    fn from(request: ToolRequest) -> Self {
        Action::Write(match request {
            ToolRequest::List(list) => {
                return Action::List(Box::new(List {
                    category: list.category,
                    domain: list.domain,
                    ..List::default()
                }));
            }
            ToolRequest::Recall(recall) => {
                return Action::Recall(Recall {
                    text: recall.query,
                    limit: recall.limit,
                    category: recall.category,
                    ..Recall::default()
                });
            }
            ToolRequest::Save(save) => Command::Save(save.into()),
            ToolRequest::Update(update) => Command::Update(update.into()),
            ToolRequest::Forget { target } => Command::Forget(Forget::new(target)),
            ToolRequest::Confirm { target } => Command::Confirm(Confirm::new(target)),
            ToolRequest::Link(link) => Command::Link(Join::new(link.from, link.to, link.relation)),
            ToolRequest::Propose(propose) => Command::Propose(propose.into()),
        })
    }
}

impl From<SaveArguments> for Save {
    fn from(save: SaveArguments) -> Self {
        Save {
            content: save.content,
            category: save.category,
            detail: save.detail,
            domain: save.domain,
            key: save.key,
            value: save.value,
            authority: save.authority,
            since: save.since,
            ttl: save.time_to_live,
            ..Save::default()
        }
    }
}

impl From<UpdateArguments> for Update {
    fn from(update: UpdateArguments) -> Self {
        Update {
            detail: update.detail,
            since: update.since,
            correction: update.correction,
            ..Update::new(update.target, update.new_content)
        }
    }
}

impl From<ProposeArguments> for Propose {
    fn from(propose: ProposeArguments) -> Self {
        let change = match propose.target {
            None => ProposedChange::Save(Box::new(propose.fact.into())),
            Some(target) => ProposedChange::Update(Box::new(Update {
                detail: propose.fact.detail,
                value: propose.fact.value,
                category: propose.fact.category,
                since: propose.fact.since,
                ..Update::new(target, propose.fact.content)
            })),
        };
        Propose {
            evidence: propose.evidence,
            ..Propose::new(change, propose.reasoning)
        }
    }
}

/// A write's outcome in words for the model, without the event.
fn written(outcome: &Outcome) -> ToolReply {
    let mut message = match outcome.verdict {
        Verdict::Unchanged => format!("Nothing to do: {}.", outcome.line),
        Verdict::Proposed if outcome.codes.is_empty() => {
            "Proposed: it waits until the user accepts or rejects it.".to_owned()
        }
        Verdict::Proposed => {
            let why = if outcome.codes.contains(&Code::Sensitive) {
                "it belongs to a domain that needs the user's consent".to_owned()
            } else if let (Some(rule), true) = (outcome.number, outcome.codes.contains(&Code::Tier))
            {
                format!("it speaks against the rule {rule}")
            } else {
                "it is not in the user's own words".to_owned()
            };
            format!("Not done yet: {why}, so it waits until the user accepts or rejects it.")
        }
        Verdict::Done => {
            let event = outcome.event.as_ref();
            let told = event.map(|event| event.told(&outcome.line, inject::text));
            let mut message = told.unwrap_or_else(|| outcome.line.clone());
            message.push('.');
            message
        }
    };
    if outcome.verdict == Verdict::Done && !outcome.closest.is_empty() {
        message.push_str("\nClose to it; if one says the same, update it and forget the other:");
        for candidate in &outcome.closest {
            let _ = write!(message, "\n{}", candidate_line(candidate));
        }
    }
    let shown = outcome
        .number
        .into_iter()
        .chain(outcome.closest.iter().map(|candidate| candidate.number));
    ToolReply {
        shown: shown.collect(),
        codes: outcome.codes.clone(),
        ..ToolReply::said(message)
    }
}

fn candidate_line(candidate: &Candidate) -> String {
    format!("{} {}", candidate.number, inject::text(&candidate.content))
}

/// Rows in words for the model: one line each.
fn listed(
    rows: &[&MemoryRow],
    pasts: &BTreeMap<Number, String>,
    otherwise: &str,
    more: bool,
) -> ToolReply {
    if rows.is_empty() {
        return ToolReply::said(otherwise.to_owned());
    }
    let mut message = String::new();
    for row in rows {
        let claim = &row.body.claim;
        let _ = write!(
            message,
            "{} [{}] {}",
            row.body.number,
            claim.category,
            inject::text(&claim.content)
        );
        if let Some(confidence) = row.marks.confidence {
            let _ = write!(message, " (tentative, {confidence:.2})");
        }
        if let Some(body) = &claim.body {
            let _ = write!(message, " | {}", inject::text(&shortened(body)));
        }
        if let Some(past) = pasts.get(&row.body.number) {
            let _ = write!(message, " | {past}");
        }
        message.push('\n');
    }
    if more {
        message.push_str("(there are more: recall finds them by words)\n");
    }
    message.pop();
    ToolReply {
        shown: rows.iter().map(|row| row.body.number).collect(),
        found: rows.iter().map(|row| row.id).collect(),
        ..ToolReply::said(message)
    }
}

fn shortened(body: &str) -> String {
    let mut short: String = body
        .chars()
        .map(|character| if character == '\n' { ' ' } else { character })
        .take(DETAIL_CHARACTERS)
        .collect();
    if short.len() < body.len() {
        short.push('…');
    }
    short
}
