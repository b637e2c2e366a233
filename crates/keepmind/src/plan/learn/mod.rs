//! What a close keeps of what was found in a chat: candidates, judged one after another on one draft. Who
//! found them, a model or code, is told apart nowhere: both may be wrong.

pub(super) mod alike;
mod change;
mod episode;
mod gate;
mod judge;
mod made_up;
mod openings;
mod pairs;
mod person;
mod reconcile;
mod support;
mod telling;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use time::UtcOffset;

use crate::change::{ChangeSet, Draft, EmbeddingChange, EntryHeader, SessionEdit, Slice, Snapshot};
use crate::command::Save;
use crate::embedding::{EmbeddingKey, Vector};
use crate::ids::{GroupId, MessageNumber, Number, RowId};
use crate::journal::Who;
use crate::memory::{Evidence, Marks, Span};
use crate::model::IdSource;
use crate::order::Gather;
use crate::plan::{Entry, Findings, Happened, Planner, Planning, Said, Turn};
use crate::policy::Policy;
use crate::refusal::Code;
use crate::report::Lesson;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

use alike::Meaning;
pub(crate) use made_up::is_made_up;
pub(crate) use pairs::{Kinship, pairs};
pub(super) use person::is_first_person;
pub(super) use support::is_supported;

/// Whether a content says the opposite of one that is kept, or another value of what has only one.
pub(crate) fn contradicts(content: &str, kept: &str, policy: &Policy) -> bool {
    Meaning::of(content).contradicts(&Meaning::of(kept), policy)
}

/// Something found in a chat that may be worth keeping.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub verb: Verb,
    /// The fact it is about.
    pub about: About,
    /// What it would keep.
    pub save: Save,
    pub confidence: Option<f64>,
    /// The old value was never right.
    pub correction: bool,
    /// What it rests on.
    pub grounds: Grounds,
    /// The message that it was read from, where that may name what it changes.
    pub context: Option<String>,
    /// What is wrong with its form.
    pub codes: Vec<Code>,
}

impl Candidate {
    /// The message that it rests on, and where in it.
    fn quoted<'t>(&self, turn: &'t Turn) -> Option<(&'t Said, Span)> {
        let Grounds::Said {
            evidence: Evidence::Quote { message, span, .. },
            ..
        } = &self.grounds
        else {
            return None;
        };
        let mut said = turn.said.iter();
        Some((said.find(|said| said.message == *message)?, *span))
    }
}

/// What a candidate would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Verb {
    /// Keep something new.
    Add,
    /// Replace what a memory says.
    Update,
    /// A memory was said again.
    Confirm,
    /// Ask whether a memory shall be forgotten.
    Forget,
    /// Nothing.
    #[default]
    Skip,
}

impl Verb {
    /// Whether it would keep words.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Verb::Add | Verb::Update)
    }
}

/// Which fact a candidate is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// None that it knows of.
    Nothing,
    /// This one, as it was shown.
    Number(Number),
    /// The one that what was said changes, affirms or wants forgotten: to be found.
    Nearest,
}

/// What a candidate rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Grounds {
    /// The user's own words, and when they were said.
    Said { evidence: Evidence, at: Timestamp },
    /// Words that are not the user's own.
    Foreign,
    /// Words that the library put into the chat.
    Served,
    /// Words that nobody said.
    Nowhere,
    /// Words that say too little.
    TooShort,
    /// None.
    Missing,
}

impl Grounds {
    /// Where the user's words stand.
    fn place(&self) -> Option<Place> {
        match self {
            Grounds::Said {
                evidence: Evidence::Quote { message, span, .. },
                ..
            } => Some((*message, span.start)),
            _ => None,
        }
    }

    /// The user's words.
    pub(crate) fn quote(&self) -> Option<&str> {
        match self {
            Grounds::Said {
                evidence: Evidence::Quote { quote, .. },
                ..
            } => Some(quote),
            _ => None,
        }
    }
}

/// What the store says is like a candidate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Near {
    /// Facts in force that share words with it.
    pub by_words: Vec<Number>,
    /// Facts in force whose vectors are close enough to say the same.
    pub by_vectors: Vec<Number>,
    /// Facts that were forgotten and share words with it.
    pub forgotten: Vec<Number>,
    /// Its own vector.
    pub vector: Option<Vector>,
}

/// Everything that a close has found, and what becomes of the chat with it.
pub(crate) struct Learning<'a> {
    pub candidates: &'a [Candidate],
    /// For each candidate.
    pub near: &'a [Near],
    /// The name of whoever made the vectors.
    pub embedder: Option<&'a str>,
    /// What an episode is to be told of.
    pub happened: Option<&'a Happened>,
    /// What happened there, in a model's words.
    pub told: Option<&'a str>,
    pub edit: SessionEdit,
    pub group: GroupId,
    /// The rows that the chat was told.
    pub in_play: &'a BTreeSet<RowId>,
}

/// What will be written.
pub(crate) struct Learned {
    pub changes: ChangeSet,
    pub lessons: Vec<Lesson>,
    /// Whether any memory or proposal is among it.
    pub is_any: bool,
    /// The episode that is among it.
    pub episode: Option<Number>,
}

/// What learning must read.
pub(crate) fn reads(learning: &Learning<'_>, turn: &Turn) -> Slice {
    let aims = learning
        .candidates
        .iter()
        .filter_map(|one| match one.about {
            About::Number(number) => Some(number),
            About::Nothing | About::Nearest => None,
        });
    let near = learning.near.iter().flat_map(|near| {
        let alike = near.by_words.iter().chain(&near.by_vectors);
        alike.chain(&near.forgotten).copied()
    });
    Slice {
        numbers: aims.chain(near).gather(),
        sessions: [turn.session].into_iter().gather(),
        tombstones: [turn.session].into_iter().gather(),
        consents: true,
        unaccepted_proposals: true,
        ..Slice::default()
    }
}

/// Judges every candidate and writes what passes, together with what becomes of the chat.
pub(crate) fn learn(
    learning: &Learning<'_>,
    turn: &Turn,
    policy: &Policy,
    base: &Snapshot,
    (clock, offset): (Timestamp, UtcOffset),
    ids: &mut dyn IdSource,
) -> Planning<Learned> {
    let findings = Findings::default();
    let planner = Planner {
        draft: Draft::new(base, clock, ids)?,
        policy,
        entry: Entry::Extractor(turn),
        findings: &findings,
        offset,
        readings: Default::default(),
    };
    let mut lessons = Lessons {
        planner,
        turn,
        embedder: learning.embedder,
        in_play: learning.in_play,
        added: Vec::new(),
        meanings: RefCell::default(),
        meanings_of_rows: RefCell::default(),
        is_any: false,
    };
    let mut told = Vec::with_capacity(learning.candidates.len());
    let nothing = Near::default();
    let overtaken = lessons.all_overtaken(learning.candidates);
    for (index, candidate) in learning.candidates.iter().enumerate() {
        if overtaken.contains(&index) {
            told.push(lessons.overtaken(candidate));
            continue;
        }
        let near = learning.near.get(index).unwrap_or(&nothing);
        told.push(lessons.judge(candidate, near)?);
    }
    let episode = match learning.happened {
        Some(happened) => lessons.keep_episode(happened, learning, &told)?,
        None => None,
    };
    let is_any = lessons.is_any;
    let mut draft = lessons.planner.draft;
    let change = crate::change::SessionChange::Edit(learning.edit.clone());
    draft.others().sessions.insert(turn.session, change);
    let mut header = EntryHeader::new(Who::Extractor, "learned from a chat");
    header.session = Some(turn.session);
    header.group = Some(learning.group);
    Ok(Learned {
        changes: draft.finish(header)?,
        lessons: told,
        is_any,
        episode,
    })
}

/// Where words stand in a chat: which message, and where in it.
type Place = (MessageNumber, u32);

/// Learning in the making.
struct Lessons<'a> {
    planner: Planner<'a>,
    turn: &'a Turn,
    embedder: Option<&'a str>,
    in_play: &'a BTreeSet<RowId>,
    /// What this same close has added or changed so far.
    added: Vec<Added>,
    /// What contents mean: a candidate's is asked for at every step.
    meanings: RefCell<HashMap<String, Rc<Meaning>>>,
    /// What facts mean: many candidates are held against the same.
    meanings_of_rows: RefCell<BTreeMap<RowId, Rc<Meaning>>>,
    is_any: bool,
}

/// A fact that is not in the store yet.
struct Added {
    number: Number,
    meaning: Rc<Meaning>,
}

impl Lessons<'_> {
    /// Takes note of a row that was written, and of its vector.
    fn wrote(&mut self, number: Number, row: RowId, content: &str, vector: Option<&Vector>) {
        self.is_any = true;
        let meaning = self.meaning_of(content);
        self.added.push(Added { number, meaning });
        if let (Some(embedder), Some(vector)) = (self.embedder, vector) {
            let key = EmbeddingKey {
                memory: row,
                embedder: embedder.to_owned(),
            };
            let change = EmbeddingChange::Set(vector.clone());
            self.planner.draft.others().embeddings.insert(key, change);
        }
    }

    /// What a content means.
    fn meaning_of(&self, content: &str) -> Rc<Meaning> {
        let mut meanings = self.meanings.borrow_mut();
        if let Some(meaning) = meanings.get(content) {
            return Rc::clone(meaning);
        }
        let meaning = Rc::new(Meaning::of(content));
        meanings.insert(content.to_owned(), Rc::clone(&meaning));
        meaning
    }

    /// What a fact in force means.
    fn meaning_of_row(&self, row: &MemoryRow) -> Rc<Meaning> {
        let mut meanings = self.meanings_of_rows.borrow_mut();
        let meaning = meanings
            .entry(row.id)
            .or_insert_with(|| Rc::new(Meaning::of(&row.body.claim.content)));
        Rc::clone(meaning)
    }

    /// The candidates that say what a later one, resting on later words, says otherwise: "Rex. No, Max."
    fn all_overtaken(&self, candidates: &[Candidate]) -> BTreeSet<usize> {
        let policy = self.planner.policy;
        let meanings: Vec<Option<(Place, Rc<Meaning>)>> = candidates
            .iter()
            .map(|candidate| {
                let place = candidate
                    .grounds
                    .place()
                    .filter(|_| candidate.verb.writes())?;
                Some((place, self.meaning_of(&candidate.save.content)))
            })
            .collect();
        let is_overtaken = |one: &(Place, Rc<Meaning>)| {
            meanings
                .iter()
                .flatten()
                .any(|other| other.0 > one.0 && other.1.contradicts(&one.1, policy))
        };
        let found = meanings.iter().enumerate();
        found
            .filter(|(_, one)| one.as_ref().is_some_and(is_overtaken))
            .map(|(index, _)| index)
            .gather()
    }

    fn marks(&self, candidate: &Candidate) -> Marks {
        let marks = Marks::default();
        Marks {
            importance: candidate.save.importance.unwrap_or(marks.importance),
            confidence: candidate.confidence,
            ..marks
        }
    }
}
