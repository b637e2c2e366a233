//! What a candidate is to what is known: the fact that it is about, one that says the same, one that cannot
//! be true at the same time.

use std::rc::Rc;

use crate::ids::Number;
use crate::memory::Layer;
use crate::order;
use crate::plan::learn::alike::Meaning;
use crate::plan::learn::gate::form;
use crate::plan::learn::{About, Candidate, Grounds, Lessons, Near};
use crate::plan::spans::{Stretch, stretches};
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;
use crate::visibility::{Visibility, visibility};

/// From which share of its terms on a kept content is what somebody changes or wants forgotten.
const TOUCHED: f64 = 0.5;

/// A fact in force that a candidate is held against, and what it means.
pub(super) struct Kept<'r> {
    row: &'r MemoryRow,
    meaning: Rc<Meaning>,
}

impl Lessons<'_> {
    /// The fact that a candidate is about, where it is about one.
    pub(super) fn target_of(
        &self,
        candidate: &Candidate,
        kept: &[Kept<'_>],
        meaning: &Meaning,
    ) -> Result<Option<MemoryRow>, Refusal> {
        match candidate.about {
            About::Nothing => Ok(None),
            About::Number(number) if self.added.iter().any(|added| added.number == number) => {
                let code = Code::DuplicateTarget;
                Err(Refusal::new(code, form(code)))
            }
            About::Number(number) => match self.planner.live(number) {
                // A model is shown facts that are believed, and nothing else.
                Ok(row) if row.body.claim.held || row.body.claim.layer != Layer::Fact => {
                    Err(unknown())
                }
                Ok(row) => Ok(Some(row.clone())),
                // What became of another row is nothing that a model was shown.
                Err(_) => Err(unknown()),
            },
            About::Nearest => {
                let denied = self.denied_by(candidate);
                let touched = kept
                    .iter()
                    .map(|kept| (meaning.touches(&kept.meaning, &denied), kept.row));
                let touched: Vec<_> = touched.filter(|(share, _)| *share >= TOUCHED).collect();
                let shares = touched.iter().map(|(share, _)| *share);
                let most = shares.fold(TOUCHED, f64::max);
                let mut nearest = touched.iter().filter(|(share, _)| *share >= most);
                // Of two that could be meant, none is.
                match (nearest.next(), nearest.next()) {
                    (Some((_, row)), None) => Ok(Some((*row).clone())),
                    _ => Ok(None),
                }
            }
        }
    }

    /// A fact that says all of it already.
    pub(super) fn same_as(
        &self,
        candidate: &Candidate,
        near: &Near,
        kept: &[Kept<'_>],
        meaning: &Meaning,
    ) -> Option<Number> {
        let policy = self.planner.policy;
        let mut added = self.added.iter();
        let added = added.find(|added| meaning.adds_nothing_to(&added.meaning, policy));
        if let Some(added) = added {
            return Some(added.number);
        }
        let aimed = match candidate.about {
            About::Number(number) => self.planner.live(number).ok(),
            About::Nothing | About::Nearest => None,
        };
        let is_same = |row: &MemoryRow, kept: &Meaning| {
            let number = row.body.number;
            let is_close = near.by_vectors.contains(&number) && meaning.is_covered_by(kept);
            is_close
                || meaning.adds_nothing_to(kept, policy)
                || rests_on_the_same(candidate, row) && meaning.retells(kept)
        };
        let aimed = aimed.filter(|row| is_same(row, &self.meaning_of_row(row)));
        let mut others = kept.iter();
        let same = aimed.or_else(|| {
            let found = others.find(|kept| is_same(kept.row, &kept.meaning));
            found.map(|kept| kept.row)
        });
        same.map(|row| row.body.number)
    }

    /// A fact that cannot be true at the same time.
    pub(super) fn contradicted_by(
        &self,
        kept: &[Kept<'_>],
        meaning: &Meaning,
        target: Option<&MemoryRow>,
    ) -> Option<MemoryRow> {
        let policy = self.planner.policy;
        let is_other = |row: &MemoryRow| target.is_none_or(|target| target.id != row.id);
        let rival = kept
            .iter()
            .find(|kept| is_other(kept.row) && meaning.contradicts(&kept.meaning, policy))
            .map(|kept| kept.row);
        // With a target of its own it is only looked at whether it may be said at all.
        rival
            .filter(|row| target.is_none() || row.body.claim.source.is_explicit())
            .cloned()
    }

    /// The facts in force that share words or a vector with a candidate, each once.
    pub(super) fn kept_near(&self, near: &Near) -> Vec<Kept<'_>> {
        let now = self.planner.now();
        let mut numbers = [near.by_words.as_slice(), &near.by_vectors].concat();
        order::sort_by(&mut numbers, Ord::cmp);
        numbers.dedup();
        let in_force = numbers.into_iter().filter_map(|number| {
            let base = self.planner.base();
            // A candidate that is not believed yet is known all the same.
            let held = || base.versions(number).find(|row| row.is_open());
            let row = base.open_version(number).or_else(held)?;
            let is_changed = self.added.iter().any(|added| added.number == number);
            let is_there = row.body.claim.held || visibility(row, now) == Visibility::Live;
            (is_there && !is_changed).then_some(row)
        });
        in_force
            .map(|row| Kept {
                row,
                meaning: self.meaning_of_row(row),
            })
            .collect()
    }
}

/// Whether a fact was learned from words that a candidate rests on: a tool saves a thing while it is said,
/// and the close reads it again.
fn rests_on_the_same(candidate: &Candidate, row: &MemoryRow) -> bool {
    let Grounds::Said { evidence, .. } = &candidate.grounds else {
        return false;
    };
    let kept: Vec<Stretch> = stretches(&row.body.claim.evidence).collect();
    stretches(std::slice::from_ref(evidence))
        .any(|one| kept.iter().any(|other| other.overlaps(one)))
}

fn unknown() -> Refusal {
    Refusal::new(Code::NotFound, "it names a fact that is not there")
}
