//! All the rules, as pure functions: from a slice of an owner's data and a command to a change set.
//! Loading the slice, asking the store and committing are the engine's.

mod absorbed;
mod calibration;
mod candidate;
mod citation;
mod consolidate;
mod details;
mod digest;
mod due;
mod edit;
mod ending;
mod episode;
mod expiry;
mod faults;
mod feedback;
mod gist;
mod grounding;
mod import;
pub(crate) mod learn;
mod leaves;
mod lifecycle;
mod link;
mod proposal;
mod purge;
mod said;
mod save;
mod settling;
mod spans;
mod target;
mod trust;
mod undo;
mod undone;
mod update;
mod wanted;
mod words;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use time::UtcOffset;

use crate::change::{ChangeSet, Draft, EntryHeader, SessionEdit, Slice, Snapshot};
use crate::command::Command;
use crate::embedding::{EmbeddingKey, Vector};
use crate::error::Error;
use crate::event::{EventKind, MemoryEvent, Outcome, UndoToken, Verdict};
use crate::ids::{Number, ObservationId, Origin, RowId, SessionId};
use crate::journal::Who;
use crate::memory::{Evidence, Source};
use crate::model::IdSource;
use crate::owner::Revision;
use crate::policy::Policy;
use crate::refusal::{Candidate, Code, Refusal};
use crate::row::{Kind, MemoryRow, Row};
use crate::text;
use crate::timestamp::Timestamp;
use crate::trace::TraceKey;

pub(crate) use absorbed::absorbed_by;
pub(crate) use calibration::floors;
pub(crate) use citation::Replied;
pub(crate) use consolidate::{
    Answered, Choice, Compiled, DigestsDue, Gathered, LastSeen, LookedAt, Offered, Pattern,
    Sighting, Subject, choose, consolidate, is_compiling, is_let_go, judge_lines, patterns,
    reads_consolidation,
};
pub(crate) use digest::{Chosen, citable, digests, recent, stands_in, text_of};
pub(crate) use due::{expire, is_expired_for_long, is_trashed_for_long};
pub(crate) use edit::{Edited, edit, named};
pub(crate) use ending::{put_away, restorable};
pub(crate) use episode::{Happened, Retold, is_retold_for, told_of};
pub(crate) use feedback::is_review;
pub(crate) use gist::{Gists, all_kept_in, kept_in};
pub(crate) use grounding::{grounds_of, names};
pub(crate) use import::{
    Arrived, MessagePlace, Places, Shipment, import, in_force, is_unwanted, quotes, reads_import,
    was_wrong,
};
pub(crate) use learn::contradicts;
pub(crate) use leaves::is_private;
pub(crate) use lifecycle::{Moved, Transition, is_lost, retry_delay, transition};
pub(crate) use purge::{Going, purge_chat};
pub(crate) use said::{Said, Turn};
pub(crate) use target::{Aim, fate, pick};
pub(crate) use words::{Likeness, Wording, category, domain, is_fit};

/// How a command came in. It decides source and trust; no payload does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Entry<'a> {
    /// The host, on the user's behalf.
    Host,
    /// The assistant, through a tool.
    Tool(&'a Turn),
    /// A close, from what was said in the chat.
    Extractor(&'a Turn),
    /// The sweep: what time alone makes due.
    Sweep,
    /// A file of somebody's: no hand typed it, and no chat holds it.
    Import,
    /// A consolidation: what is concluded from other rows, and from behaviour.
    Consolidator,
}

impl<'a> Entry<'a> {
    pub(crate) fn session(&self) -> Option<SessionId> {
        self.turn().map(|turn| turn.session)
    }

    /// The chat that a model's words come from.
    fn turn(&self) -> Option<&'a Turn> {
        match self {
            Entry::Host | Entry::Sweep | Entry::Import | Entry::Consolidator => None,
            Entry::Tool(turn) | Entry::Extractor(turn) => Some(turn),
        }
    }

    /// Whether its words are anybody's but the user's own: those are screened, and need consent.
    fn is_screened(&self) -> bool {
        match self {
            Entry::Host | Entry::Sweep => false,
            Entry::Tool(_) | Entry::Extractor(_) | Entry::Import | Entry::Consolidator => true,
        }
    }

    fn who(&self) -> Who {
        match self {
            Entry::Host => Who::User,
            Entry::Sweep => Who::Sweep,
            Entry::Import => Who::Host,
            Entry::Consolidator => Who::Consolidator,
            Entry::Tool(_) => Who::Agent,
            Entry::Extractor(_) => Who::Extractor,
        }
    }

    fn source(&self) -> Source {
        match self {
            Entry::Host | Entry::Sweep => Source::User,
            Entry::Tool(_) => Source::Agent,
            Entry::Extractor(_) => Source::Extracted,
            Entry::Import => Source::Imported,
            Entry::Consolidator => Source::Derived,
        }
    }
}

/// What the engine found out by asking the store in ways that a slice cannot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    /// Where the owner's data stood when the store was asked; nothing where it was not.
    pub at: Option<Revision>,
    /// The fact that the command's target names.
    pub target: Option<Number>,
    /// Live facts that say nearly the same as what is to be written, closest first.
    pub closest: Vec<Candidate>,
    /// A rule that says the opposite of what is to be written, or has another value for it.
    pub opposed: Option<Number>,
    /// Where what is to be written stands in the user's words, forgotten or not.
    pub grounds: Option<Vec<Evidence>>,
    /// A forgotten fact that says the same as what is to be written.
    pub forgotten: Option<Number>,
    /// The vector of what is to be written, and whose it is.
    pub vector: Option<(String, Vector)>,
    /// What facts that are to end leave behind besides their own rows.
    pub trails: BTreeMap<Number, Trail>,
    /// Tool calls whose records speak of the fact to be purged.
    pub traces: Vec<TraceKey>,
    /// Episodes of chats that the fact to be purged rests on, or that repeat it; of one that is to come back,
    /// those that were told in its place.
    pub episodes: Vec<Number>,
    /// Episodes in force that the end of the fact has told anew.
    pub retold: Vec<Retold>,
    /// Digests that say, in a model's words, what the fact says that is to end, or facts of a domain
    /// withdrawn; of an undo all that are in force.
    pub digests: Vec<Number>,
    /// What becomes of chats that were served the fact to be purged, or rows of a domain withdrawn.
    pub sessions: Vec<(SessionId, SessionEdit)>,
}

/// What a fact that is to end leaves behind besides its own rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail {
    /// What was last seen of each behaviour that it was concluded from.
    pub seen: Vec<ObservationId>,
    /// Rows that said the same and were taken up by it, and by those.
    pub absorbed: BTreeSet<RowId>,
}

/// Why there is no plan.
#[derive(Debug)]
pub(crate) enum Objection {
    /// A rule says no.
    Refused(Refusal),
    /// The set would not be sound, or the store failed.
    Failed(Error),
}

impl From<Refusal> for Objection {
    fn from(refusal: Refusal) -> Self {
        Objection::Refused(refusal)
    }
}

impl From<Error> for Objection {
    fn from(error: Error) -> Self {
        Objection::Failed(error)
    }
}

impl Objection {
    pub(crate) fn into_error(self, operation: &'static str) -> Error {
        match self {
            Objection::Refused(refusal) => refusal.into_error(operation),
            Objection::Failed(error) => error,
        }
    }
}

type Planning<T> = Result<T, Objection>;

/// What will be written, and what it will be told as.
#[derive(Debug)]
pub(crate) struct Planned {
    /// Nothing when it is so already.
    pub changes: Option<ChangeSet>,
    pub outcome: Outcome,
}

/// What plans of all commands share.
pub(crate) struct Setting<'a> {
    pub policy: &'a Policy,
    pub entry: Entry<'a>,
    pub findings: &'a Findings,
    /// The clock, not yet the stamp.
    pub clock: Timestamp,
    /// Where the user's day begins.
    pub offset: UtcOffset,
}

/// The part of the owner's data that a command must read, given what was read so far. Called until
/// the answer no longer grows.
pub(crate) fn slice(command: &Command, setting: &Setting<'_>, seen: Option<&Snapshot>) -> Slice {
    let mut slice = Slice::default();
    slice.numbers.extend(setting.findings.target);
    slice.numbers.extend(setting.findings.opposed);
    reads_findings(setting.findings, &mut slice);
    if let Entry::Tool(turn) = setting.entry {
        slice.sessions.insert(turn.session);
        slice.tombstones.insert(turn.session);
        slice.consents = true;
        // What may become a proposal must know what waits already, and what was turned down.
        slice.unaccepted_proposals |=
            turn.untrusted || save::may_be_doubted(command, setting.policy);
    }
    match command {
        Command::Save(save) => save::reads(save, setting.policy, &mut slice),
        Command::Propose(propose) => proposal::reads(propose, setting.policy, &mut slice),
        Command::Accept(accept) => {
            settling::reads(accept.proposal, seen, &mut slice);
            let edited = accept.content.as_deref().map(text::line);
            slice.contents.extend(edited.and_then(Result::ok));
        }
        Command::Reject(reject) => settling::reads(reject.proposal, seen, &mut slice),
        Command::Link(join) | Command::Unlink(join) => {
            slice.numbers.extend([join.from, join.to]);
        }
        Command::Restore(_) => {
            slice.numbers.extend(&setting.findings.episodes);
            ending::reads_restore(setting.findings.target, seen, &mut slice);
        }
        Command::Purge(_) | Command::Trash(_) => {
            slice.all_proposals = true;
            slice.numbers.extend(&setting.findings.episodes);
        }
        Command::Undo(undo) => undo::reads(&undo.token, seen, &mut slice),
        Command::Redo(redo) => undo::reads(&redo.token, seen, &mut slice),
        Command::Confirm(_) | Command::Consent(_) => slice.consents = true,
        Command::Reviewed(_)
        | Command::Update(_)
        | Command::Forget(_)
        | Command::Observed(_)
        | Command::Complete(_) => {}
    }
    slice
}

/// What must be read of what was found to end, or to be told anew, with facts.
pub(crate) fn reads_findings(findings: &Findings, slice: &mut Slice) {
    for retold in &findings.retold {
        slice.numbers.insert(retold.number);
        slice.tombstones.insert(retold.happened.turn.session);
        slice.consents = true;
        // What waits for the user's word or was turned down is not told.
        slice.unaccepted_proposals = true;
    }
    slice.numbers.extend(&findings.digests);
    for trail in findings.trails.values() {
        slice.rows.extend(&trail.absorbed);
    }
}

/// Whether what was read can ask for more: of the others, [`slice`] never looks at it.
pub(crate) fn looks_further(command: &Command) -> bool {
    matches!(
        command,
        Command::Accept(_)
            | Command::Reject(_)
            | Command::Restore(_)
            | Command::Undo(_)
            | Command::Redo(_)
    )
}

/// What a command does to the data it read.
pub(crate) fn plan(
    command: &Command,
    setting: &Setting<'_>,
    base: &Snapshot,
    ids: &mut dyn IdSource,
) -> Planning<Planned> {
    if let Some(session) = setting.entry.session()
        && base
            .session(session)
            .is_none_or(|session| session.deleted_at.is_some())
    {
        return Err(Refusal::new(
            Code::NotFound,
            "this session is not there any more: open another",
        )
        .into());
    }
    let planner = Planner {
        draft: Draft::new(base, setting.clock, ids)?,
        policy: setting.policy,
        entry: setting.entry,
        findings: setting.findings,
        offset: setting.offset,
        readings: RefCell::default(),
    };
    match command {
        Command::Save(save) => planner.save(save),
        Command::Update(update) => planner.update(update),
        Command::Forget(_) => planner.forget(),
        Command::Confirm(_) => planner.confirm(),
        Command::Observed(observed) => planner.observed(observed.behaviour),
        Command::Complete(_) => planner.complete(),
        Command::Link(join) => planner.link(join),
        Command::Unlink(join) => planner.unlink(join),
        Command::Propose(propose) => planner.propose(propose),
        Command::Accept(accept) => planner.accept(accept),
        Command::Reject(reject) => planner.reject(reject),
        Command::Trash(_) => planner.trash(),
        Command::Restore(_) => planner.restore(),
        Command::Purge(_) => planner.purge(),
        Command::Consent(consent) => planner.consent(consent),
        Command::Reviewed(_) => planner.reviewed(),
        Command::Undo(undo) => planner.undo(undo.token),
        Command::Redo(redo) => planner.redo(redo.token),
    }
}

/// A plan in the making.
struct Planner<'a> {
    draft: Draft<'a>,
    policy: &'a Policy,
    entry: Entry<'a>,
    findings: &'a Findings,
    offset: UtcOffset,
    /// The texts of the command that the screens have read.
    readings: RefCell<Vec<Rc<text::Reading>>>,
}

/// What a finished plan tells.
#[derive(Default)]
struct Told {
    number: Option<Number>,
    before: Option<MemoryRow>,
    after: Option<Origin>,
    proposal: Option<Origin>,
    codes: Vec<Code>,
    header: Option<EntryHeader>,
}

impl<'a> Planner<'a> {
    fn base(&self) -> &'a Snapshot {
        self.draft.base()
    }

    fn now(&self) -> Timestamp {
        self.draft.stamp()
    }

    /// Nothing is written: it is so already.
    fn unchanged(self, number: Option<Number>, line: impl Into<String>) -> Planning<Planned> {
        Ok(Planned {
            changes: None,
            outcome: Outcome {
                verdict: Verdict::Unchanged,
                line: line.into(),
                number,
                event: None,
                closest: Vec::new(),
                codes: Vec::new(),
            },
        })
    }

    /// Finishes the change set and says what it did.
    fn done(
        mut self,
        kind: EventKind,
        subject: impl Into<String>,
        told: Told,
    ) -> Planning<Planned> {
        let subject = subject.into();
        let line = format!("{} {subject}", kind.word());
        let last = |kind, origin: Option<Origin>| self.draft.last_copy(kind, origin?);
        let after = last(Kind::Memory, told.after).and_then(Row::into_memory);
        let proposal = last(Kind::Proposal, told.proposal).and_then(Row::into_proposal);
        if let (Some(row), Some((embedder, vector))) = (&after, &self.findings.vector) {
            let key = EmbeddingKey {
                memory: row.id,
                embedder: embedder.clone(),
            };
            let change = crate::change::EmbeddingChange::Set(vector.clone());
            self.draft.others().embeddings.insert(key, change);
        }
        let stamp = self.now();
        let mut header = told
            .header
            .unwrap_or_else(|| EntryHeader::new(self.entry.who(), String::new()));
        header.line = line.clone();
        header.session = self.entry.session();
        let changes = self.draft.finish(header)?;

        let is_final = matches!(
            kind,
            EventKind::Purged | EventKind::Consented | EventKind::Reviewed
        );
        let mut event = MemoryEvent {
            kind,
            before: told.before.map(Box::new),
            after: after.map(Box::new),
            proposal: proposal.map(Box::new),
            line: String::new(),
            undo: (!is_final).then_some(UndoToken::Operation(changes.operation)),
            revision: Revision::NONE,
            at: stamp,
        };
        event.line = event.told(&line, str::to_owned);
        Ok(Planned {
            outcome: Outcome {
                verdict: if kind == EventKind::Proposed {
                    Verdict::Proposed
                } else {
                    Verdict::Done
                },
                line,
                number: told.number,
                closest: self.findings.closest.clone(),
                codes: told.codes,
                event: Some(event),
            },
            changes: Some(changes),
        })
    }
}
