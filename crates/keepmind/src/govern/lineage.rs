//! Where a memory comes from, down to the user's words and what a host saw, and what was made from it, up to
//! digests. Pure; reading the rows, step by step, is the engine's, and drawing them is in `drawn`.

mod drawn;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::ids::{MessageNumber, Number, ObservationId, Origin, RowId, SessionId, Version};
use crate::memory::{Evidence, Layer, Lineage, Source};
use crate::observation::Observation;
use crate::order::Gather;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

/// How many steps are followed in each direction.
pub(crate) const DEEPEST: usize = 8;
/// How many rows are told in each direction.
pub(crate) const MOST_ROWS: usize = 200;

/// What a memory was made from and what was made from it. Its `Display` is a tree for people.
///
/// Every row is followed once in each direction, whatever an import has joined: where it comes up again it
/// is only named.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LineageTree {
    /// The memory that was asked about.
    pub row: LineageRow,
    /// The rows it was made from, and theirs.
    pub made_from: Vec<LineageStep>,
    /// The rows that were made from any version of it, and what was made from those.
    pub made_into: Vec<LineageStep>,
    /// There is more than is told: it goes deeper, or has more branches.
    pub is_cut: bool,
}

/// A row on the way, and where the way goes on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LineageStep {
    /// The row.
    #[serde(flatten)]
    pub row: LineageRow,
    /// It stands elsewhere in the tree already, with its steps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_repeated: bool,
    /// Where it goes on, in the same direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<LineageStep>,
}

/// One row, and what it rests on itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LineageRow {
    /// Its fact.
    pub number: Number,
    /// Which version of it.
    pub version: Version,
    /// The row.
    pub id: RowId,
    /// Which layer it belongs to.
    pub layer: Layer,
    /// What it says.
    pub content: String,
    /// How it came in.
    pub source: Source,
    /// When.
    pub recorded_at: Timestamp,
    /// Why it ended, where it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<&'static str>,
    /// The chat it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<LineageChat>,
    /// The user's words that it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<LineageQuote>,
    /// The behaviour that it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub observations: Vec<LineageObservation>,
}

/// A chat that a row came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LineageChat {
    /// Which chat.
    pub session: SessionId,
    /// It was purged: its messages are not there any more.
    pub is_gone: bool,
    /// Which of its messages.
    pub messages: Vec<MessageNumber>,
}

/// Words of the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LineageQuote {
    /// In which chat they were said.
    pub session: SessionId,
    /// In which message.
    pub message: MessageNumber,
    /// The words.
    pub quote: String,
    /// The chat was purged: only the quote is left.
    pub is_gone: bool,
}

/// Behaviour that a host saw.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LineageObservation {
    /// Which one.
    pub id: ObservationId,
    /// What was seen, by what and when; nothing where it is not there any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Seen {
    /// What saw it.
    pub source: String,
    /// What it was.
    pub payload: Value,
    /// When.
    pub at: Timestamp,
}

/// Which way is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// To what a row was made from.
    Down,
    /// To what was made from it.
    Up,
}

/// What was read of a row's family.
#[derive(Debug, Default)]
pub(crate) struct Kin {
    /// Whole facts: all versions of each.
    pub rows: BTreeMap<RowId, MemoryRow>,
    pub steps: BTreeSet<Lineage>,
    /// The chats that are still there.
    pub sessions: BTreeSet<SessionId>,
    pub observations: BTreeMap<ObservationId, Observation>,
    /// More was found than was read.
    pub is_cut: bool,
}

impl Kin {
    /// The rows one step away from some others. A copy of a row comes from where the row does.
    pub(crate) fn next(&self, rows: &BTreeSet<RowId>, way: Way) -> Vec<RowId> {
        let origins: BTreeSet<Origin> = self.of(rows).map(|row| row.origin).gather();
        let copies = self
            .rows
            .values()
            .filter(|row| origins.contains(&row.origin));
        let copies: BTreeSet<RowId> = copies
            .map(|row| row.id)
            .chain(rows.iter().copied())
            .gather();
        let next = self.steps.iter().filter_map(|step| match way {
            Way::Down => copies.contains(&step.row).then_some(step.from),
            Way::Up => copies.contains(&step.from).then_some(step.row),
        });
        let distinct: BTreeSet<RowId> = next.gather();
        distinct.into_iter().collect()
    }

    fn of<'k>(&'k self, rows: &'k BTreeSet<RowId>) -> impl Iterator<Item = &'k MemoryRow> {
        rows.iter().filter_map(|id| self.rows.get(id))
    }

    /// The chats and the behaviour that any of the rows names.
    pub(crate) fn sources(&self) -> (BTreeSet<SessionId>, BTreeSet<ObservationId>) {
        let (mut sessions, mut observations) = (BTreeSet::new(), BTreeSet::new());
        for row in self.rows.values() {
            sessions.extend(row.body.claim.session);
            for piece in &row.body.claim.evidence {
                match piece {
                    Evidence::Quote { session, .. } => sessions.insert(*session),
                    Evidence::Observation { id } => observations.insert(*id),
                };
            }
        }
        (sessions, observations)
    }

    /// The tree around a row.
    pub(crate) fn tree(&self, row: &MemoryRow) -> LineageTree {
        let versions = self.rows.values();
        let versions = versions.filter(|other| other.body.number == row.body.number);
        let family: BTreeSet<RowId> = versions.map(|row| row.id).gather();
        let mut is_cut = self.is_cut;
        let mut follow = |rows: BTreeSet<RowId>, way| {
            let mut following = Following {
                kin: self,
                way,
                seen: [row.origin].into_iter().gather(),
                told: 0,
                is_cut: false,
            };
            let steps = following.steps(&rows, DEEPEST);
            is_cut |= following.is_cut;
            steps
        };
        let made_from = follow([row.id].into_iter().gather(), Way::Down);
        let made_into = follow(family, Way::Up);
        LineageTree {
            row: self.told(row),
            made_from,
            made_into,
            is_cut,
        }
    }

    fn told(&self, row: &MemoryRow) -> LineageRow {
        let claim = &row.body.claim;
        let is_gone = |session: &SessionId| !self.sessions.contains(session);
        let (mut quotes, mut observations) = (Vec::new(), Vec::new());
        for piece in &claim.evidence {
            match piece {
                Evidence::Quote {
                    session,
                    message,
                    quote,
                    ..
                } => quotes.push(LineageQuote {
                    session: *session,
                    message: *message,
                    quote: quote.clone(),
                    is_gone: is_gone(session),
                }),
                Evidence::Observation { id } => {
                    let seen = self.observations.get(id).map(|seen| Seen {
                        source: seen.source.clone(),
                        payload: seen.payload.clone(),
                        at: seen.at,
                    });
                    observations.push(LineageObservation { id: *id, seen });
                }
            }
        }
        LineageRow {
            number: row.body.number,
            version: row.body.version,
            id: row.id,
            layer: claim.layer,
            content: claim.content.clone(),
            source: claim.source,
            recorded_at: row.recorded_at,
            ended: row.end.map(|end| end.why.word()),
            chat: claim.session.map(|session| LineageChat {
                session,
                is_gone: is_gone(&session),
                messages: claim.messages.clone(),
            }),
            quotes,
            observations,
        }
    }
}

/// A way through a family on which nothing is followed twice.
struct Following<'k> {
    kin: &'k Kin,
    way: Way,
    seen: BTreeSet<Origin>,
    told: usize,
    is_cut: bool,
}

impl Following<'_> {
    fn steps(&mut self, rows: &BTreeSet<RowId>, deeper: usize) -> Vec<LineageStep> {
        let mut steps = Vec::new();
        for id in self.kin.next(rows, self.way) {
            let Some(row) = self.kin.rows.get(&id).filter(|_| deeper > 0) else {
                self.is_cut = true;
                continue;
            };
            if self.told == MOST_ROWS {
                self.is_cut = true;
                break;
            }
            self.told += 1;
            let is_repeated = !self.seen.insert(row.origin);
            let further = match is_repeated {
                true => Vec::new(),
                false => self.steps(&[id].into_iter().gather(), deeper - 1),
            };
            steps.push(LineageStep {
                row: self.kin.told(row),
                is_repeated,
                steps: further,
            });
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Claim, Marks, Memory};
    use crate::row::{End, Why};

    fn id(count: u128) -> RowId {
        RowId::new(uuid::Uuid::from_u128(count))
    }

    fn row(count: u128, number: u64, layer: Layer, content: &str) -> MemoryRow {
        let claim = Claim {
            layer,
            ..Claim::note("fact", content, Timestamp::UNIX_EPOCH)
        };
        MemoryRow {
            id: id(count),
            origin: id(count).into(),
            recorded_at: Timestamp::UNIX_EPOCH,
            end: None,
            marks: Marks::default(),
            body: Memory {
                number: Number::new(number).unwrap(),
                version: Version::FIRST,
                claim,
            },
        }
    }

    fn kin(rows: Vec<MemoryRow>, steps: &[(u128, u128)]) -> Kin {
        Kin {
            rows: rows.into_iter().map(|row| (row.id, row)).collect(),
            steps: steps
                .iter()
                .map(|(row, from)| Lineage {
                    row: id(*row),
                    from: id(*from),
                })
                .collect(),
            ..Kin::default()
        }
    }

    fn numbers(steps: &[LineageStep]) -> Vec<u64> {
        let mut found = Vec::new();
        for step in steps {
            found.push(step.row.number.get());
            found.extend(numbers(&step.steps));
        }
        found
    }

    #[test]
    fn it_goes_down_to_episodes_and_up_to_digests_and_not_to_siblings() {
        let rows = vec![
            row(1, 1, Layer::Episode, "spoke of tea"),
            row(2, 2, Layer::Fact, "likes tea"),
            row(3, 3, Layer::Digest, "profile"),
            row(4, 4, Layer::Fact, "likes cake"),
        ];
        let kin = kin(rows, &[(2, 1), (4, 1), (3, 2), (3, 4)]);
        let tree = kin.tree(&kin.rows[&id(2)]);
        assert_eq!(numbers(&tree.made_from), [1]);
        assert_eq!(numbers(&tree.made_into), [3]);
        assert!(!tree.is_cut);
        let drawn = tree.to_string();
        assert_eq!(
            drawn,
            "#2 v1 likes tea (fact, said by the user)\n\
             ├─ made from\n\
             │  └─ #1 v1 spoke of tea (episode, said by the user)\n\
             └─ made into\n   \
                └─ #3 v1 profile (digest, said by the user)\n"
        );
    }

    #[test]
    fn a_copy_comes_from_where_the_row_does() {
        let mut copy = row(5, 2, Layer::Fact, "likes tea");
        copy.origin = id(2).into();
        copy.body.version = Version::FIRST.next().unwrap();
        let mut first = row(2, 2, Layer::Fact, "likes tea");
        first.end = Some(End {
            at: Timestamp::UNIX_EPOCH,
            why: Why::Trashed,
        });
        let rows = vec![row(1, 1, Layer::Episode, "spoke of tea"), first, copy];
        let kin = kin(rows, &[(2, 1)]);
        assert_eq!(numbers(&kin.tree(&kin.rows[&id(5)]).made_from), [1]);
        let tree = kin.tree(&kin.rows[&id(1)]);
        assert_eq!(numbers(&tree.made_into), [2]);
        assert_eq!(tree.made_into[0].row.ended, Some("trashed"));
    }

    #[test]
    fn a_ring_is_walked_once_and_a_long_way_is_cut() {
        let ring = [(1, 2), (2, 3), (3, 1)];
        let rows = (1..=3).map(|count| row(count, count as u64, Layer::Fact, "ring"));
        let kin_of_ring = kin(rows.collect(), &ring);
        let tree = kin_of_ring.tree(&kin_of_ring.rows[&id(1)]);
        assert_eq!(numbers(&tree.made_from), [2, 3, 1]);
        assert!(tree.made_from[0].steps[0].steps[0].is_repeated);
        assert!(tree.to_string().contains("see above"));

        let rows = (1..=30).map(|count| row(count, count as u64, Layer::Fact, "chain"));
        let chain: Vec<(u128, u128)> = (1..30).map(|count| (count, count + 1)).collect();
        let kin_of_chain = kin(rows.collect(), &chain);
        let tree = kin_of_chain.tree(&kin_of_chain.rows[&id(1)]);
        assert_eq!(numbers(&tree.made_from).len(), DEEPEST);
        assert!(tree.is_cut);

        let wide: Vec<(u128, u128)> = (2..=500).map(|count| (1, count)).collect();
        let rows = (1..=500).map(|count| row(count, count as u64, Layer::Fact, "wide"));
        let kin_of_wide = kin(rows.collect(), &wide);
        let tree = kin_of_wide.tree(&kin_of_wide.rows[&id(1)]);
        assert_eq!(numbers(&tree.made_from).len(), MOST_ROWS);
        assert!(tree.is_cut);
    }
}
