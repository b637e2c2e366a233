//! Taking over what an export holds: what comes in, what waits for the user's word, what stays out. The file is
//! somebody's word, not the user's: nothing in it decides how far it is trusted.

use std::collections::{BTreeMap, BTreeSet};

use time::UtcOffset;

use crate::change::{ChangeSet, Draft, EntryHeader, Slice, Snapshot};
use crate::command::Save;
use crate::confidence;
use crate::event::{EventKind, MemoryEvent, UndoToken};
use crate::ids::{GroupId, MessageNumber, Number, RowId, SessionId};
use crate::imported::{ImportFate, ImportedLine};
use crate::link::{Link, is_relation};
use crate::memory::{Authority, Claim, Evidence, Layer, Lineage, Marks, Source, Trust};
use crate::message::{MessageOrigin, Role, Utterance};
use crate::model::IdSource;
use crate::plan::learn::Near;
use crate::plan::learn::alike::Meaning;
use crate::plan::proposal::{PutUp, doubt_words};
use crate::plan::save::Worded;
use crate::plan::spans::{Stretch, stretches};
use crate::plan::words::category;
use crate::plan::{Entry, Findings, Planner, Planning, Told};
use crate::policy::{CategoryKind, Policy};
use crate::proposal::{ProposedOperation, Rival, Target};
use crate::refusal::{Code, Refusal};
use crate::row::{Body, MemoryRow, Row, Why};
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// The most trust that anything from a file has.
const MOST_TRUST: Trust = Trust::Extracted;

/// On which line of a file each thing stands.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Memories and links.
    pub rows: BTreeMap<RowId, u64>,
    pub lineage: BTreeMap<Lineage, u64>,
}

/// A file that is to be taken over.
#[derive(Clone, Copy)]
pub(crate) struct Shipment<'a> {
    /// What it would be restored to.
    pub file: &'a Snapshot,
    pub places: &'a Places,
    /// What of the owner's is like each memory of the file.
    pub near: &'a BTreeMap<RowId, Near>,
    /// Messages of the owner's that the file quotes.
    pub said: &'a BTreeMap<MessagePlace, Utterance>,
    pub group: GroupId,
}

/// A message of a chat.
pub(crate) type MessagePlace = (SessionId, MessageNumber);

/// What will be written, and what became of each line.
pub(crate) struct Arrived {
    /// Nothing where nothing comes in.
    pub written: Option<(ChangeSet, MemoryEvent)>,
    pub lines: Vec<ImportedLine>,
}

/// The memories of a file that may come in: what it holds in force.
pub(crate) fn in_force(file: &Snapshot, now: Timestamp) -> impl Iterator<Item = &MemoryRow> {
    file.memories().filter(move |row| {
        visibility(row, now) == Visibility::Live && row.body.claim.layer != Layer::Digest
    })
}

/// What an import must read of the owner's, given what was read so far. Called until it no longer grows.
pub(crate) fn reads_import(
    shipment: Shipment<'_>,
    now: Timestamp,
    seen: Option<&Snapshot>,
) -> Slice {
    let near = shipment.near.values();
    let mut slice = Slice {
        numbers: near
            .flat_map(|near| near.by_words.iter().chain(&near.forgotten).copied())
            .collect(),
        consents: true,
        all_proposals: true,
        ..Slice::default()
    };
    for row in in_force(shipment.file, now) {
        let claim = &row.body.claim;
        slice.contents.extend(text::line(&claim.content));
        if let (Some(domain), Some(key)) = (&claim.domain, &claim.key) {
            slice.rules.insert((domain.clone(), key.clone()));
        }
        let chats: BTreeSet<SessionId> = quoted(claim).chain(claim.session).collect();
        slice.tombstones.extend(&chats);
        slice.sessions.extend(chats);
    }
    // What a tombstone was laid for says whether it still counts.
    let tombstones = seen.into_iter().flat_map(Snapshot::tombstones);
    slice.numbers.extend(tombstones.map(|row| row.body.number));
    slice
}

/// Plans what becomes of a file.
pub(crate) fn import(
    shipment: Shipment<'_>,
    policy: &Policy,
    base: &Snapshot,
    (clock, offset): (Timestamp, UtcOffset),
    ids: &mut dyn IdSource,
) -> Planning<Arrived> {
    let findings = Findings::default();
    let planner = Planner {
        draft: Draft::new(base, clock, ids)?,
        policy,
        entry: Entry::Import,
        findings: &findings,
        offset,
        readings: Default::default(),
    };
    let mut arrival = Arrival {
        planner,
        shipment,
        lines: Vec::new(),
        contents: BTreeMap::new(),
        numbers: BTreeMap::new(),
        rows: BTreeMap::new(),
        joined: BTreeSet::new(),
        live: BTreeMap::new(),
    };
    let now = arrival.planner.now();
    for row in base.memories() {
        if visibility(row, now) == Visibility::Live {
            let folded = text::fold(&row.body.claim.content);
            arrival.live.entry(folded).or_default().push(row);
        }
    }
    for row in shipment.file.memories() {
        arrival.memory(row)?;
    }
    for row in shipment.file.links() {
        arrival.link(row)?;
    }
    for step in shipment.file.lineage() {
        arrival.lineage(step);
    }
    arrival.finish()
}

/// An import in the making.
struct Arrival<'a> {
    planner: Planner<'a>,
    shipment: Shipment<'a>,
    lines: Vec<ImportedLine>,
    /// What came in, by its folded content; nothing for what waits.
    contents: BTreeMap<String, Option<Number>>,
    /// Which fact here each fact of the file became, or was already.
    numbers: BTreeMap<Number, Number>,
    /// Which row each row of the file became.
    rows: BTreeMap<RowId, RowId>,
    /// The links that came in.
    joined: BTreeSet<(Number, Number, String)>,
    /// The live facts that say the same as something in the file, by their folded content.
    live: BTreeMap<String, Vec<&'a MemoryRow>>,
}

impl Arrival<'_> {
    fn memory(&mut self, row: &MemoryRow) -> Planning<()> {
        // What was read for one memory is of no use to the next.
        self.planner.readings.borrow_mut().clear();
        let place = place(self.shipment.places.rows.get(&row.id));
        let line = match left_out(row, self.planner.now()) {
            Some(reason) => told(place, ImportFate::LeftOut, reason),
            None => self.claim(row, place)?,
        };
        if let Some(number) = line.number {
            self.numbers.insert(row.body.number, number);
        }
        self.lines.push(line);
        Ok(())
    }

    /// A memory that the file holds in force.
    fn claim(&mut self, row: &MemoryRow, place: u64) -> Planning<ImportedLine> {
        let Worded {
            claim,
            marks,
            mut doubts,
        } = match self.worded(row) {
            Ok(worded) => worded,
            Err(refusal) => return Ok(refused(place, &refusal)),
        };
        let folded = text::fold(&claim.content);
        if let Some(known) = self.contents.get(&folded) {
            let line = told(place, ImportFate::Known, "the file says it twice");
            return Ok(ImportedLine {
                number: *known,
                ..line
            });
        }
        let meaning = Meaning::of(&claim.content);
        if let Some(number) = self.known(row.id, &claim, &folded, &meaning) {
            let line = told(place, ImportFate::Known, "it is known already");
            return Ok(ImportedLine {
                number: Some(number),
                ..line
            });
        }
        if self.is_forgotten(row, &meaning) {
            let message = "the user had this forgotten, and a file does not say it again";
            return Ok(refused(place, &Refusal::new(Code::Forgotten, message)));
        }
        let binds = claim.authority == Authority::Rule || claim.authorises_action;
        if binds {
            doubts.push(Code::QuoteNotFound);
        }
        let holder = self.planner.rule_of(&claim);
        if holder.is_some() {
            doubts.push(Code::Taken);
        }
        let rival = match claim.layer {
            Layer::Fact if holder.is_none() => self.contradicted(row.id, &meaning),
            _ => None,
        };
        if rival.is_some() {
            doubts.push(Code::Tier);
        }
        if !doubts.is_empty() {
            self.contents.insert(folded, None);
            return self.ask(place, claim, marks, holder.as_ref(), rival.as_ref(), doubts);
        }
        let number = self.planner.draft.new_number()?;
        let id = self.planner.draft.insert_version(number, claim, marks)?;
        self.contents.insert(folded, Some(number));
        self.rows.insert(row.id, id);
        Ok(ImportedLine {
            number: Some(number),
            ..told(place, ImportFate::Imported, "it is a fact of its own now")
        })
    }

    /// What would be kept of a memory of the file.
    fn worded(&self, row: &MemoryRow) -> Result<Worded, Refusal> {
        let planner = &self.planner;
        let policy = planner.policy;
        let old = &row.body.claim;
        let is_known = |name: &String| policy.domain(name).is_some();
        let save = Save {
            content: old.content.clone(),
            category: Some(old.category.clone())
                .filter(|name| category(policy, Some(name)).is_ok()),
            summary: old.summary.clone(),
            detail: old.body.clone(),
            domain: old.domain.clone().filter(is_known),
            key: old.key.clone(),
            value: old.value.clone(),
            authority: Some(old.authority),
            tags: old.tags.clone(),
            importance: Some(row.marks.importance),
            since: Some(old.valid_from.min(planner.now())),
            ttl: None,
            authorises_action: old.authorises_action,
        };
        let mut worded = planner.claim(&save)?;
        let claim = &mut worded.claim;
        if old.layer == Layer::Episode {
            let mut categories = policy.categories.iter();
            let episodes = categories.find(|category| category.kind == CategoryKind::Episode);
            let Some(episodes) = episodes else {
                let message = "the policy has no category for episodes";
                return Err(Refusal::new(Code::NotApplicable, message));
            };
            claim.layer = Layer::Episode;
            claim.category.clone_from(&episodes.name);
        }
        claim.trust = old.trust.min(MOST_TRUST);
        claim.expires_at = [claim.expires_at, old.expires_at]
            .into_iter()
            .flatten()
            .min();
        let is_elsewhere = |session: SessionId| planner.base().session(session).is_none();
        let is_kept = |piece: &&Evidence| match piece {
            Evidence::Quote { session, quote, .. } => {
                let stands = is_elsewhere(*session) || self.is_said(piece);
                stands && planner.reading(quote).secret().is_none()
            }
            Evidence::Observation { .. } => false,
        };
        claim.evidence = old.evidence.iter().filter(is_kept).cloned().collect();
        let is_quoted = |session: SessionId| quoted(claim).any(|chat| chat == session);
        let chat = old
            .session
            .filter(|chat| is_elsewhere(*chat) || is_quoted(*chat));
        claim.session = chat;
        if chat.is_some() {
            claim.messages.clone_from(&old.messages);
        }
        // As sure as it still is: neither said here, nor affirmed here.
        let sure = confidence::effective(row, policy, planner.now());
        worded.marks.confidence = Some(sure);
        Ok(worded)
    }

    /// Whether a quote stands where it says in a chat of this user's, in their own words.
    fn is_said(&self, piece: &Evidence) -> bool {
        let Evidence::Quote {
            session,
            message,
            span,
            quote,
        } = piece
        else {
            return false;
        };
        self.shipment
            .said
            .get(&(*session, *message))
            .is_some_and(|said| {
                let words = said.content.get(span.start as usize..span.end as usize);
                words == Some(quote.as_str())
                    && said.role == Role::User
                    && said.origin == MessageOrigin::Typed
                    && !said.untrusted.iter().any(|part| part.overlaps(*span))
            })
    }

    /// The fact that says all of it already, and binds as much.
    fn known(&self, id: RowId, claim: &Claim, folded: &str, meaning: &Meaning) -> Option<Number> {
        let policy = self.planner.policy;
        let mut live = self.live.get(folded).into_iter().flatten().copied();
        let same = live.find(|row| row.body.claim.authority >= claim.authority);
        let near = || {
            let is_note = claim.authority == Authority::Note && claim.layer == Layer::Fact;
            let mut near = self.near(id).filter(|_| is_note);
            near.find(|row| meaning.adds_nothing_to(&Meaning::of(&row.body.claim.content), policy))
        };
        same.or_else(near).map(|row| row.body.number)
    }

    /// Live facts that share words with a memory of the file.
    fn near(&self, id: RowId) -> impl Iterator<Item = &MemoryRow> {
        let now = self.planner.now();
        let numbers = self.shipment.near.get(&id).into_iter();
        numbers
            .flat_map(|near| &near.by_words)
            .filter_map(|number| self.planner.base().open_version(*number))
            .filter(move |row| visibility(row, now) == Visibility::Live)
    }

    /// Whether the user had it forgotten or trashed: the words it rests on, or a fact that says the same.
    fn is_forgotten(&self, row: &MemoryRow, meaning: &Meaning) -> bool {
        let base = self.planner.base();
        let counts = |number: Number| !is_import_taken_back(base, number);
        let mut ranges = stretches(&row.body.claim.evidence);
        let is_entombed = |range: Stretch| {
            let mut tombstones = base.tombstones().filter(|row| row.is_open());
            tombstones.any(|row| {
                Stretch::of_tombstone(&row.body).overlaps(range) && counts(row.body.number)
            })
        };
        if ranges.any(is_entombed) {
            return true;
        }
        let near = self.shipment.near.get(&row.id).into_iter();
        let mut ended = near
            .flat_map(|near| &near.forgotten)
            .filter_map(|number| base.versions(*number).last());
        ended.any(|row| {
            let is_gone = |why: Why| matches!(why, Why::Forgotten | Why::Trashed);
            row.end.is_some_and(|end| is_gone(end.why))
                && meaning
                    .adds_nothing_to(&Meaning::of(&row.body.claim.content), self.planner.policy)
        })
    }

    /// A live fact that cannot be true at the same time.
    fn contradicted(&self, id: RowId, meaning: &Meaning) -> Option<MemoryRow> {
        let policy = self.planner.policy;
        let mut near = self
            .near(id)
            .filter(|row| row.body.claim.layer == Layer::Fact);
        let rival = near.find(|row| {
            let kept = Meaning::of(&row.body.claim.content);
            meaning.opposes(&kept, policy) || meaning.revalues(&kept)
        });
        rival.cloned()
    }

    /// Puts a memory of the file up for the user's word.
    fn ask(
        &mut self,
        place: u64,
        claim: Claim,
        marks: Marks,
        holder: Option<&MemoryRow>,
        rival: Option<&MemoryRow>,
        doubts: Vec<Code>,
    ) -> Planning<ImportedLine> {
        // Accepted, it is the user's word, of which nobody is more or less sure.
        let marks = Marks {
            confidence: None,
            ..marks
        };
        let claim = Box::new(claim);
        let operation = match (holder, rival) {
            (Some(old), _) => ProposedOperation::Update {
                target: Target::of(old),
                claim,
                marks,
                correction: false,
            },
            (None, Some(old)) => ProposedOperation::Choose {
                target: Target::of(old),
                rival: Rival::Claim { claim, marks },
            },
            (None, None) => ProposedOperation::Save { claim, marks },
        };
        let reasoning = format!("a file holds it: {}", doubt_words(&doubts));
        let put_up = self
            .planner
            .put_up(operation, reasoning.clone(), Vec::new())?;
        Ok(match put_up {
            PutUp::Made(id) => ImportedLine {
                proposal: Some(id),
                codes: doubts,
                ..told(place, ImportFate::Proposed, reasoning)
            },
            PutUp::Waits => ImportedLine {
                codes: doubts,
                ..told(place, ImportFate::Known, "it is proposed already")
            },
            PutUp::TurnedDown => {
                let message = "the user turned this down before";
                refused(place, &Refusal::new(Code::Forgotten, message))
            }
        })
    }

    fn link(&mut self, row: &Row<Link>) -> Planning<()> {
        let place = place(self.shipment.places.rows.get(&row.id));
        let Link { from, to, relation } = &row.body;
        let ends = (self.numbers.get(from), self.numbers.get(to));
        let line = match ends {
            _ if !row.is_open() => told(place, ImportFate::LeftOut, ENDED),
            _ if !is_relation(relation) => {
                let message = "a relation is a word of a-z, 0-9 and _";
                refused(place, &Refusal::new(Code::Schema, message))
            }
            (Some(from), Some(to)) if from != to => {
                let link = Link {
                    from: *from,
                    to: *to,
                    relation: relation.clone(),
                };
                match self.join(link)? {
                    true => told(place, ImportFate::Imported, "it joins facts that came in"),
                    false => told(place, ImportFate::Known, "it is known already"),
                }
            }
            _ => told(place, ImportFate::LeftOut, ALONE),
        };
        self.lines.push(line);
        Ok(())
    }

    /// Joins two facts, unless they are joined so already.
    fn join(&mut self, link: Link) -> Planning<bool> {
        let mut known = self.planner.base().links_of(link.from);
        let is_known = known.any(|row| row.is_open() && row.body == link);
        let key = (link.from, link.to, link.relation.clone());
        if is_known || !self.joined.insert(key) {
            return Ok(false);
        }
        self.planner.draft.insert(Body::Link(link))?;
        Ok(true)
    }

    fn lineage(&mut self, step: Lineage) {
        let place = place(self.shipment.places.lineage.get(&step));
        let line = match (self.rows.get(&step.row), self.rows.get(&step.from)) {
            (Some(&row), Some(&from)) => {
                let lineage = &mut self.planner.draft.others().lineage;
                lineage.insert(Lineage { row, from });
                told(place, ImportFate::Imported, "both of its memories came in")
            }
            _ => told(place, ImportFate::LeftOut, ALONE),
        };
        self.lines.push(line);
    }

    fn finish(mut self) -> Planning<Arrived> {
        self.lines.sort_by_key(|line| line.line);
        let lines = self.lines;
        let count = |fate| lines.iter().filter(|line| line.fate == fate).count();
        let (came, waits) = (count(ImportFate::Imported), count(ImportFate::Proposed));
        if came + waits == 0 {
            let written = None;
            return Ok(Arrived { written, lines });
        }
        let subject = match waits {
            0 => format!("{came} lines"),
            _ => format!("{came} lines, {waits} wait"),
        };
        let mut header = EntryHeader::new(Entry::Import.who(), String::new());
        header.group = Some(self.shipment.group);
        let told = Told {
            header: Some(header),
            ..Told::default()
        };
        let planned = self.planner.done(EventKind::Imported, subject, told)?;
        let written = planned.changes.zip(planned.outcome.event);
        let undo = Some(UndoToken::Group(self.shipment.group));
        let written = written.map(|(changes, event)| (changes, MemoryEvent { undo, ..event }));
        Ok(Arrived { written, lines })
    }
}

const ENDED: &str = "it is not in force in the file";
const ALONE: &str = "what it joins did not come in";

/// Why a memory of the file stays there.
fn left_out(row: &MemoryRow, now: Timestamp) -> Option<&'static str> {
    match visibility(row, now) {
        Visibility::Live if row.body.claim.layer == Layer::Digest => {
            Some("a digest is compiled anew from what it was made from")
        }
        Visibility::Live => None,
        Visibility::Held => Some("it was not believed yet"),
        Visibility::Expired => Some("its time has run out"),
        Visibility::Ended => Some(ENDED),
    }
}

/// Whether a fact is only what an import brought and an undo took back: that may be imported again.
fn is_import_taken_back(base: &Snapshot, number: Number) -> bool {
    let mut versions = base.versions(number).peekable();
    versions.peek().is_some()
        && versions.all(|row| {
            let is_undone = row.end.is_some_and(|end| end.why == Why::Undone);
            is_undone && row.body.claim.source == Source::Imported
        })
}

/// Where the quotes of what a file holds in force stand.
pub(crate) fn quotes(file: &Snapshot, now: Timestamp) -> BTreeSet<MessagePlace> {
    let evidence = in_force(file, now).flat_map(|row| stretches(&row.body.claim.evidence));
    evidence
        .map(|range| (range.session, range.message))
        .collect()
}

/// The chats that a claim quotes.
fn quoted(claim: &Claim) -> impl Iterator<Item = SessionId> {
    stretches(&claim.evidence).map(|range| range.session)
}

fn place(known: Option<&u64>) -> u64 {
    known.copied().unwrap_or_default()
}

fn told(line: u64, fate: ImportFate, reason: impl Into<String>) -> ImportedLine {
    ImportedLine {
        line,
        fate,
        number: None,
        proposal: None,
        codes: Vec::new(),
        reason: reason.into(),
    }
}

fn refused(line: u64, refusal: &Refusal) -> ImportedLine {
    ImportedLine {
        codes: refusal.codes().collect(),
        ..told(line, ImportFate::Refused, refusal.message.clone())
    }
}
