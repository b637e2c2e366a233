//! The open rows of owners that were looked at lately: what a block is made from and a text is looked
//! for in. Keyed by revision, moved along by this process's own commits, bounded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::change::{ChangeSet, RowChange};
use crate::inject::Line;
use crate::memory::Layer;
use crate::model::TokenCounter;
use crate::owner::{Owner, Revision};
use crate::policy::Policy;
use crate::row::{Body, MemoryRow};

/// How many rows are kept in all; the owner that was looked at least lately goes first.
const MOST_ROWS: usize = 50_000;
/// An owner with more rows than this is read anew each time.
const MOST_ROWS_OF_ONE: usize = 25_000;
/// How many rows an owner counts for besides its own: those without any take room too.
const ROWS_AN_OWNER: usize = 10;

/// One owner's open rows. Each is shared: a commit while a reader holds them copies none that it leaves alone.
///
/// Each layer by itself: there are ever more episodes, and hardly anybody who looks for facts wants those, or changes
/// them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    facts: Arc<Vec<Arc<OpenRow>>>,
    digests: Arc<Vec<Arc<OpenRow>>>,
    episodes: Arc<Vec<Arc<OpenRow>>>,
}

/// A row, and its line in a block once one has asked for it.
#[derive(Debug, Clone)]
struct OpenRow {
    row: MemoryRow,
    line: OnceLock<Option<Line>>,
}

impl OpenRow {
    fn new(row: MemoryRow) -> Arc<Self> {
        let line = OnceLock::new();
        Arc::new(OpenRow { row, line })
    }

    /// Takes its new marks, if it has any; false if it has ended or is gone.
    fn outlasts(self: &mut Arc<Self>, changes: &ChangeSet) -> bool {
        match changes.rows.get(&self.row.id) {
            Some(RowChange::Alter(alteration)) => {
                if let Some(marks) = alteration.marks {
                    let open = Arc::make_mut(self);
                    open.row.marks = marks;
                    // The line says whether the row is tentative, which the marks decide.
                    open.line = OnceLock::new();
                }
                alteration.end.is_none()
            }
            Some(RowChange::Purge(_)) => false,
            Some(RowChange::Insert(_)) | None => true,
        }
    }
}

impl From<Vec<MemoryRow>> for Rows {
    fn from(rows: Vec<MemoryRow>) -> Self {
        let mut sorted = Rows::default();
        for row in rows {
            sorted.push(row);
        }
        sorted
    }
}

impl Rows {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &MemoryRow> {
        let layers = [Layer::Fact, Layer::Episode, Layer::Digest];
        layers.into_iter().flat_map(|layer| self.of(layer))
    }

    /// The rows of a layer.
    pub(crate) fn of(&self, layer: Layer) -> impl Iterator<Item = &MemoryRow> {
        let rows = match layer {
            Layer::Fact => &self.facts,
            Layer::Digest => &self.digests,
            Layer::Episode => &self.episodes,
        };
        rows.iter().map(|open| &open.row)
    }

    /// The rows that a block may show, with their lines. Policy and counter are always the engine's: a
    /// line is made once.
    pub(crate) fn lines(
        &self,
        policy: &Policy,
        tokens: &dyn TokenCounter,
    ) -> impl Iterator<Item = (&MemoryRow, &Line)> {
        self.facts.iter().filter_map(move |open| {
            let OpenRow { row, line } = open.as_ref();
            let line = line.get_or_init(|| Line::of(row, policy, tokens));
            Some((row, line.as_ref()?))
        })
    }

    fn count(&self) -> usize {
        self.facts.len() + self.digests.len() + self.episodes.len()
    }

    fn push(&mut self, row: MemoryRow) {
        let rows = match row.body.claim.layer {
            Layer::Fact => &mut self.facts,
            Layer::Digest => &mut self.digests,
            Layer::Episode => &mut self.episodes,
        };
        Arc::make_mut(rows).push(OpenRow::new(row));
    }

    /// Looks through the rows once, however many have changed, no further than until all that have are found, and not
    /// at all for what is only new.
    fn apply(&mut self, changes: &ChangeSet) {
        let is_new = |change: &&RowChange| matches!(change, RowChange::Insert(_));
        let mut sought = changes.rows.values().filter(|one| !is_new(one)).count();
        for rows in [&mut self.facts, &mut self.digests, &mut self.episodes] {
            let is_changed = |open: &Arc<OpenRow>| changes.rows.contains_key(&open.row.id);
            if sought > 0 && rows.iter().any(is_changed) {
                Arc::make_mut(rows).retain_mut(|open| match is_changed(open) {
                    true => {
                        sought = sought.saturating_sub(1);
                        open.outlasts(changes)
                    }
                    false => true,
                });
            }
        }
        for change in changes.rows.values() {
            if let RowChange::Insert(row) = change
                && row.is_open()
                && let Body::Memory(memory) = &row.body
                && !memory.claim.held
                && let Some(row) = row.clone().into_memory()
            {
                self.push(row);
            }
        }
    }
}

/// The open rows of some owners, each at one revision. A row is never served at another.
#[derive(Debug, Default)]
pub(super) struct OpenRows(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    owners: HashMap<Owner, Entry>,
    /// How much room all of them take.
    room: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    revision: Revision,
    rows: Arc<Rows>,
    used: u64,
}

impl OpenRows {
    /// The rows, if they are known at that revision.
    pub(super) fn get(&self, owner: &Owner, revision: Revision) -> Option<Arc<Rows>> {
        let mut kept = self.kept();
        kept.clock += 1;
        let clock = kept.clock;
        let entry = kept.owners.get_mut(owner)?;
        if entry.revision != revision {
            return None;
        }
        entry.used = clock;
        Some(Arc::clone(&entry.rows))
    }

    /// Keeps rows as they are at a revision.
    pub(super) fn put(&self, owner: &Owner, revision: Revision, rows: Arc<Rows>) {
        let mut kept = self.kept();
        kept.forget(owner);
        kept.keep(owner, revision, rows);
    }

    /// Moves the rows along with a commit of this process, or lets go of them.
    pub(super) fn advance(&self, owner: &Owner, from: Revision, changes: &ChangeSet, to: Revision) {
        let mut kept = self.kept();
        let Some(mut entry) = kept.forget(owner) else {
            return;
        };
        if entry.revision != from {
            return;
        }
        // What a reader still holds is copied, pointer by pointer: not for a commit without any.
        if !changes.rows.is_empty() {
            Arc::make_mut(&mut entry.rows).apply(changes);
        }
        kept.keep(owner, to, entry.rows);
    }

    /// Lets go of an owner's rows.
    pub(super) fn let_go(&self, owner: &Owner) {
        self.kept().forget(owner);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Takes in an owner's rows, unless they are too many, and makes room for them.
    fn keep(&mut self, owner: &Owner, revision: Revision, rows: Arc<Rows>) {
        if rows.count() > MOST_ROWS_OF_ONE {
            return;
        }
        self.clock += 1;
        let entry = Entry {
            revision,
            rows,
            used: self.clock,
        };
        self.room += entry.room();
        while self.room > MOST_ROWS {
            let oldest = self.owners.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(owner, _)| owner.clone()) else {
                break;
            };
            self.forget(&oldest);
        }
        self.owners.insert(owner.clone(), entry);
    }

    fn forget(&mut self, owner: &Owner) -> Option<Entry> {
        let entry = self.owners.remove(owner)?;
        self.room -= entry.room();
        Some(entry)
    }
}

impl Entry {
    fn room(&self) -> usize {
        self.rows.count() + ROWS_AN_OWNER
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::change::Alteration;
    use crate::ids::{Epoch, Number, OperationId, RowId, Version};
    use crate::memory::{Claim, Marks, Memory, Source};
    use crate::model::ApproximateTokens;
    use crate::row::{End, Kind, Row, Why};
    use crate::timestamp::Timestamp;

    fn id(number: u64) -> RowId {
        RowId::new(Uuid::from_u128(number.into()))
    }

    fn row(number: u64, content: &str) -> MemoryRow {
        Row {
            id: id(number),
            origin: id(number).into(),
            recorded_at: Timestamp::UNIX_EPOCH,
            end: None,
            marks: Marks::default(),
            body: Memory {
                number: Number::new(number).unwrap(),
                version: Version::FIRST,
                claim: Claim::note("fact", content, Timestamp::UNIX_EPOCH),
            },
        }
    }

    fn inserted(row: MemoryRow) -> (RowId, RowChange) {
        (row.id, RowChange::Insert(row.map(Body::Memory)))
    }

    fn altered(number: u64, marks: Option<Marks>, end: Option<End>) -> (RowId, RowChange) {
        let kind = Kind::Memory;
        (
            id(number),
            RowChange::Alter(Alteration { kind, marks, end }),
        )
    }

    fn changes(rows: impl IntoIterator<Item = (RowId, RowChange)>) -> ChangeSet {
        let operation = OperationId::new(Uuid::from_u128(1));
        let mut changes = ChangeSet::new(operation, Timestamp::UNIX_EPOCH);
        changes.rows.extend(rows);
        changes
    }

    fn revision(count: u64) -> Revision {
        let epoch = Epoch::new(Uuid::from_u128(7));
        Revision { epoch, count }
    }

    fn lines(rows: &Rows) -> Vec<&str> {
        let policy = Policy::advisor();
        let lines = rows.lines(&policy, &ApproximateTokens);
        lines.map(|(_, line)| line.text.as_str()).collect()
    }

    #[test]
    fn a_commit_moves_rows_and_lines_along() {
        let mut uncertain = row(3, "drinks tea");
        uncertain.body.claim.source = Source::Extracted;
        let before = vec![
            row(1, "likes tea"),
            row(2, "hates tea"),
            uncertain,
            row(4, "tea?"),
        ];
        let mut rows = Rows::from(before);
        assert_eq!(
            lines(&rows),
            [
                "- likes tea\n",
                "- hates tea\n",
                "- drinks tea\n",
                "- tea?\n"
            ]
        );

        let ended = End {
            at: Timestamp::UNIX_EPOCH,
            why: Why::Forgotten,
        };
        let doubtful = Marks {
            confidence: Some(0.8),
            ..Marks::default()
        };
        let mut held = row(6, "may like tea");
        held.body.claim.held = true;
        let mut over = row(7, "liked tea");
        over.end = Some(ended);
        rows.apply(&changes([
            altered(2, None, Some(ended)),
            altered(3, Some(doubtful), None),
            (id(4), RowChange::Purge(Kind::Memory)),
            inserted(row(5, "has tea")),
            inserted(held),
            inserted(over),
        ]));
        assert_eq!(
            lines(&rows),
            ["- likes tea\n", "- drinks tea (tentative)\n", "- has tea\n"]
        );
        assert_eq!(
            rows.iter().map(|row| row.id).collect::<Vec<_>>(),
            [id(1), id(3), id(5)]
        );
    }

    #[test]
    fn the_least_lately_used_goes_when_rows_are_put_or_grow() {
        let owner = |name: &str| Owner::new(name).unwrap();
        let of = |count: usize| Arc::new(Rows::from(vec![row(1, "likes tea"); count]));
        let (first, second, third) = (owner("first"), owner("second"), owner("third"));
        let open_rows = OpenRows::default();
        let all = MOST_ROWS - 3 * ROWS_AN_OWNER;
        open_rows.put(&first, revision(1), of(all / 2));
        open_rows.put(&second, revision(1), of(all / 2 - 1));
        open_rows.put(&third, revision(1), of(1));
        let knows = |owner: &Owner, count| open_rows.get(owner, revision(count)).is_some();
        assert!(knows(&second, 1) && knows(&first, 1) && knows(&third, 1));

        let grows = changes([inserted(row(2, "has tea"))]);
        open_rows.advance(&third, revision(1), &grows, revision(2));
        assert!(!knows(&second, 1), "{}", open_rows.kept().room);
        assert!(knows(&first, 1) && knows(&third, 2) && !knows(&third, 1));
        assert_eq!(open_rows.kept().room, all / 2 + 2 + 2 * ROWS_AN_OWNER);

        open_rows.put(&third, revision(3), of(MOST_ROWS_OF_ONE + 1));
        assert!(!knows(&third, 2) && !knows(&third, 3));
        for count in 0..=MOST_ROWS / ROWS_AN_OWNER {
            open_rows.put(&owner(&format!("nobody {count}")), revision(1), of(0));
        }
        assert!(!knows(&first, 1));
        assert_eq!(open_rows.kept().owners.len(), MOST_ROWS / ROWS_AN_OWNER);
    }
}
