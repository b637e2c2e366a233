//! What holds after every step, whatever it was.

use std::collections::{BTreeMap, BTreeSet};

use keepmind::command::{AsOfQuery, List};
use keepmind::inject::parse;
use keepmind::visibility::{Visibility, visibility};
use keepmind::{
    Command, EventKind, Evidence, JournalEntry, Kind, MemoryRow, MessageNumber, Number, Origin,
    SessionId, Snapshot, State, Timestamp, UndoToken, Why,
};
use keepmind_tests::history::{is_state, redoable, undoable};
use keepmind_tests::invariants::{assert_sound, assert_unchanged, rows};

use crate::side::{Side, Told};
use crate::steps::Step;

type States = BTreeMap<(Kind, Origin), State>;
type Place = (SessionId, MessageNumber);

/// What was seen so far, to hold the next step against.
pub struct Promises {
    last: Snapshot,
    blocks: Vec<String>,
    /// What each revision changed: the states before it of what it touched.
    before: BTreeMap<u64, States>,
    /// What was live after each revision.
    live: BTreeMap<u64, BTreeMap<Number, String>>,
    /// Where the words of purged facts stand.
    purged: BTreeSet<Place>,
    /// Where the words of accepted proposals stand: accepting lifts what lies on them.
    lifted: BTreeSet<Place>,
}

impl Promises {
    pub fn new(last: Snapshot) -> Self {
        Promises {
            live: BTreeMap::from([(0, open(&last))]),
            last,
            blocks: Vec::new(),
            before: BTreeMap::new(),
            purged: BTreeSet::new(),
            lifted: BTreeSet::new(),
        }
    }

    pub fn last(&self) -> &Snapshot {
        &self.last
    }

    pub fn learn(&mut self, data: Snapshot) {
        self.last = data;
    }

    pub async fn check(&mut self, side: &Side, step: &Step, told: &Told, data: &Snapshot) {
        assert_sound(data);
        assert_unchanged(&self.last, data);
        let count = data.state().revision.count;
        if told.wrote {
            assert_eq!(
                count,
                self.last.state().revision.count + 1,
                "one write, one entry"
            );
            let entry = data.journal().last().expect("an entry").clone();
            self.check_entry(&entry, data);
            self.check_forgotten(step, told);
            self.check_saved(side.now(), told);
            self.remember(count, told, data);
        } else {
            assert_eq!(
                count,
                self.last.state().revision.count,
                "a refusal wrote: {told:?}"
            );
            assert_eq!(rows(data), rows(&self.last), "a refusal wrote: {told:?}");
            self.check_refused(step, told);
        }
        self.check_blocks(side, told, data).await;
        check_now(side, data).await;
    }

    fn remember(&mut self, count: u64, told: &Told, data: &Snapshot) {
        let (before, after) = (states(&self.last), states(data));
        let was = |key: &(Kind, Origin)| before.get(key).copied().unwrap_or(State::Absent);
        let changed = after.keys().chain(before.keys()).copied();
        let changed = changed.filter(|key| after.get(key).copied() != Some(was(key)));
        self.before
            .insert(count, changed.map(|key| (key, was(&key))).collect());
        self.live.insert(count, open(data));
        match told.kind() {
            Some(EventKind::Purged) => {
                let kept: BTreeSet<_> = data.memories().map(|row| row.id).collect();
                let gone = self.last.memories().filter(|row| !kept.contains(&row.id));
                self.purged.extend(gone.flat_map(places));
            }
            Some(EventKind::Accepted) => {
                let proposal = told
                    .event
                    .as_ref()
                    .and_then(|event| event.proposal.as_ref());
                self.lifted
                    .extend(proposal.iter().flat_map(|row| quoted(&row.body.evidence)));
            }
            _ => {}
        }
    }

    /// The journal tells the truth, and what is taken back is as it was.
    fn check_entry(&self, entry: &JournalEntry, data: &Snapshot) {
        let (before, after) = (states(&self.last), states(data));
        let at = |states: &States, key| states.get(&key).copied().unwrap_or(State::Absent);
        for effect in &entry.effects {
            let key = (effect.kind, effect.origin);
            assert_eq!(at(&before, key), effect.before, "the journal: {entry:?}");
            assert_eq!(at(&after, key), effect.after, "the journal: {entry:?}");
        }
        let told: BTreeSet<_> = entry
            .effects
            .iter()
            .map(|one| (one.kind, one.origin))
            .collect();
        for key in before.keys().chain(after.keys()) {
            let same = at(&before, *key) == at(&after, *key);
            assert!(
                same || told.contains(key),
                "the journal is silent on {key:?}: {entry:?}"
            );
        }

        let taken_back: BTreeSet<u64> = entry.undoes.union(&entry.redoes).copied().collect();
        let mut restored: States = BTreeMap::new();
        for revision in taken_back.iter().rev() {
            restored.extend(self.before[revision].clone());
        }
        if taken_back.is_empty() {
            return;
        }
        for (key, state) in &restored {
            let now = at(&after, *key);
            assert!(
                is_state(now, *state),
                "{key:?} is {now:?}, was {state:?}: {entry:?}"
            );
        }
        for (key, now) in &after {
            let is_new_tombstone = key.0 == Kind::Tombstone && !before.contains_key(key);
            let is_same = before.get(key) == Some(now);
            let is_restored = restored.contains_key(key);
            assert!(
                is_same || is_restored || is_new_tombstone,
                "{key:?} was touched: {entry:?}"
            );
        }
        if taken_back == BTreeSet::from([entry.revision - 1]) {
            assert_eq!(open(data), self.live[&(entry.revision - 2)], "{entry:?}");
        }
    }

    /// What can be undone or redone is not refused, but for the sake of what took its place.
    fn check_refused(&self, step: &Step, told: &Told) {
        let (token, possible) = match step {
            Step::Host(Command::Undo(undo)) => (undo.token, undoable(&self.last)),
            Step::Host(Command::Redo(redo)) => {
                let entries = redoable(&self.last).into_iter().map(|(entry, _)| entry);
                (redo.token, entries.collect())
            }
            _ => return,
        };
        let named = |entry: &&JournalEntry| UndoToken::Operation(entry.operation) == token;
        let entry = possible.iter().find(named);
        let is_taken = told.told.contains("E_TAKEN");
        assert!(entry.is_none() || is_taken, "{} for {entry:?}", told.told);
    }

    /// No tool keeps again what was forgotten, undone, trashed or purged, from the same message.
    fn check_forgotten(&self, step: &Step, told: &Told) {
        let after = told.event.as_ref().and_then(|event| event.after.as_ref());
        let is_new = matches!(told.kind(), Some(EventKind::Saved | EventKind::Updated));
        let (Step::Tool { .. }, Some(row), true) = (step, after, is_new) else {
            return;
        };
        for place in places(row).difference(&self.lifted) {
            assert!(
                !self.purged.contains(place),
                "purged words were learned again: {row:?}"
            );
            let mut numbers: BTreeMap<Number, &MemoryRow> = BTreeMap::new();
            let cites = |row: &&MemoryRow| places(row).contains(place);
            let cited: BTreeSet<Number> = self
                .last
                .memories()
                .filter(cites)
                .map(|row| row.body.number)
                .collect();
            for old in self
                .last
                .memories()
                .filter(|old| cited.contains(&old.body.number))
            {
                numbers.insert(old.body.number, old);
            }
            for (number, last) in numbers {
                let is_own = number == row.body.number;
                let why = last.end.map(|end| end.why);
                let ended = matches!(why, Some(Why::Forgotten | Why::Trashed | Why::Undone));
                assert!(
                    is_own || !ended,
                    "{number} had ended ({why:?}) and was learned again: {row:?}"
                );
            }
        }
    }

    /// Saving what is live already makes no second fact, and the same waits only once.
    fn check_saved(&self, clock: Timestamp, told: &Told) {
        let Some(event) = &told.event else { return };
        let now = self.last.state().reading_time(clock);
        let is_new = |row: &MemoryRow| self.last.versions(row.body.number).next().is_none();
        if let Some(row) = event.after.as_ref().filter(|row| is_new(row)) {
            let twin = self.last.memories().find(|other| {
                visibility(other, now) == Visibility::Live
                    && other.body.claim.category == row.body.claim.category
                    && other.body.claim.content == row.body.claim.content
            });
            assert!(twin.is_none(), "saved twice: {row:?} beside {twin:?}");
        }
        if let (EventKind::Proposed, Some(made)) = (event.kind, &event.proposal) {
            let words = |row: &keepmind::Row<keepmind::Proposal>| {
                let claim = row.body.claim().map(|(claim, _)| claim);
                let said = claim.map(|claim| (claim.category.clone(), claim.content.clone()));
                let targets: Vec<_> = row.body.targets().collect();
                (std::mem::discriminant(&row.body.operation), said, targets)
            };
            let mut waiting = self.last.proposals().filter(|row| {
                row.is_open() && row.body.expires_at.is_none_or(|expires| expires > now)
            });
            let twin = waiting.find(|row| words(row) == words(made));
            assert!(twin.is_none(), "proposed twice: {made:?}");
        }
    }

    /// A block stands still while its chat is active; purged and withdrawn rows leave it.
    async fn check_blocks(&mut self, side: &Side, told: &Told, data: &Snapshot) {
        let blocks = side.blocks().await;
        if !matches!(told.kind(), Some(EventKind::Purged | EventKind::Consented)) {
            assert_eq!(
                blocks[..self.blocks.len()],
                self.blocks[..],
                "a block has moved"
            );
        }
        self.blocks = blocks;
        for session in data.sessions() {
            let Some(block) = &session.block else {
                continue;
            };
            for id in &block.rows {
                assert!(data.memory(*id).is_some(), "the block shows a purged row");
            }
            for line in parse(&block.text) {
                let is_served = session
                    .served
                    .iter()
                    .any(|served| served.contains(&line.text));
                assert!(is_served, "{line:?} is in the block and not served");
            }
        }
    }
}

/// What is live is what was true now, as known now.
async fn check_now(side: &Side, data: &Snapshot) {
    let mut question = AsOfQuery::at(data.state().reading_time(side.now()));
    question.limit = Some(1_000);
    let mut list = List::default();
    list.limit = Some(1_000);
    let then = side.user.as_of(question).await.expect("an answer");
    let live = side.user.list(list).await.expect("a list");
    assert_eq!(live.rows, then.rows, "as of now is not what is live");
}

fn states(data: &Snapshot) -> States {
    let rows = rows(data);
    let keys: BTreeSet<(Kind, Origin)> = rows
        .iter()
        .map(|row| (row.body.kind(), row.origin))
        .collect();
    keys.into_iter()
        .filter_map(|(kind, origin)| Some(((kind, origin), data.last_copy(kind, origin)?.state())))
        .collect()
}

fn open(data: &Snapshot) -> BTreeMap<Number, String> {
    data.memories()
        .filter(|row| row.is_open())
        .map(|row| (row.body.number, row.body.claim.content.clone()))
        .collect()
}

fn places(row: &MemoryRow) -> BTreeSet<Place> {
    quoted(&row.body.claim.evidence)
}

fn quoted(evidence: &[Evidence]) -> BTreeSet<Place> {
    let places = evidence.iter().filter_map(|piece| match piece {
        Evidence::Quote {
            session, message, ..
        } => Some((*session, *message)),
        _ => None,
    });
    places.collect()
}
