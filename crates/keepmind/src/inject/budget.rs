//! What fits: in rank order, whole or not at all, within the budget of each category and of the block.
//! What the lines look like is the layout's business.

use crate::model::TokenCounter;
use crate::order;
use crate::policy::Policy;

use super::line::Line;
use super::render::Layout;
use super::select::Candidate;
use super::tally::{Cost, Tally};

/// What fits, and the text that was measured.
#[derive(Debug, Default)]
pub(super) struct Fitted {
    /// Which candidates, in the order shown.
    pub(super) shown: Vec<usize>,
    pub(super) text: String,
}

/// Chooses from `candidates`, which are in rank order.
///
/// Each is taken that still fits, so one that is too large keeps nothing out that comes after it. The
/// text that is returned was counted as a whole, and every category's part of it too: both are within
/// their budgets whatever the counter makes of joined texts. Empty if not one memory fits.
pub(super) fn fit(
    candidates: &[Candidate<'_>],
    layout: &Layout,
    policy: &Policy,
    tokens: &dyn TokenCounter,
) -> Fitted {
    let fitting = Fitting {
        candidates,
        layout,
        policy,
        tokens,
        headings: layout
            .headings()
            .iter()
            .map(|line| tokens.count(line))
            .collect(),
    };
    // The last line takes room only if something is left out, so it is tried without.
    let all = fitting.choose(0);
    if all.len() == candidates.len() {
        let fitted = fitting.settle(all);
        if fitted.shown.len() == candidates.len() {
            return fitted;
        }
    }
    fitting.settle(fitting.choose(candidates.len()))
}

struct Fitting<'a> {
    candidates: &'a [Candidate<'a>],
    layout: &'a Layout,
    policy: &'a Policy,
    tokens: &'a dyn TokenCounter,
    headings: Vec<usize>,
}

impl Fitting<'_> {
    /// The candidates that fit, in rank order, when the last line begins with that many left out. With none,
    /// only whether all of them fit is of interest, and the first that does not is the end.
    fn choose(&self, left_out: usize) -> Vec<usize> {
        let frame = self.tokens.count(&self.layout.text([], left_out));
        let mut block = Tally::new(self.policy.block.budget as usize, frame);
        let mut categories: Vec<Tally> = self
            .policy
            .categories
            .iter()
            .map(|category| Tally::new(category.budget as usize, 0))
            .collect();
        let mut begun = vec![false; self.headings.len()];
        let mut chosen = Vec::new();
        for (index, candidate) in self.candidates.iter().enumerate() {
            let line = candidate.line;
            let bare = Cost {
                tokens: line.tokens,
                parts: 1,
            };
            let headed = if begun[line.section] {
                bare
            } else {
                Cost {
                    tokens: line.tokens.saturating_add(self.headings[line.section]),
                    parts: 2,
                }
            };
            let in_category = if self.layout.heads_categories() {
                headed
            } else {
                bare
            };
            let category = &mut categories[line.category];
            let fits = category.admits(in_category, |with| {
                self.count_category(line.category, &chosen, with.then_some(index))
            }) && block.admits(headed, |with| {
                let taken = chosen.len() + usize::from(with);
                self.count_block(
                    &chosen,
                    with.then_some(index),
                    left_out.saturating_sub(taken),
                )
            });
            if fits {
                category.take(in_category);
                block.take(headed);
                begun[line.section] = true;
                chosen.push(index);
            } else if left_out == 0 {
                break;
            }
        }
        chosen
    }

    /// Drops the last in rank until the text as it is holds every budget.
    fn settle(&self, mut chosen: Vec<usize>) -> Fitted {
        while !chosen.is_empty() {
            let overfull = (0..self.policy.categories.len()).find_map(|category| {
                let is_member = |index: &usize| self.candidates[*index].line.category == category;
                let last = chosen.iter().rposition(is_member)?;
                let budget = self.policy.categories[category].budget as usize;
                (self.count_category(category, &chosen, None) > budget).then_some(last)
            });
            if let Some(last) = overfull {
                chosen.remove(last);
                continue;
            }
            let shown = self.in_order(chosen.iter().copied());
            let left_out = self.candidates.len() - chosen.len();
            let text = self.layout.text(self.lines_at(&shown), left_out);
            if self.tokens.count(&text) <= self.policy.block.budget as usize {
                return Fitted { shown, text };
            }
            chosen.pop();
        }
        Fitted::default()
    }

    fn count_category(&self, category: usize, chosen: &[usize], with: Option<usize>) -> usize {
        let members = chosen.iter().copied().chain(with);
        let shown = self
            .in_order(members.filter(|index| self.candidates[*index].line.category == category));
        let text = self.layout.category_text(self.lines_at(&shown));
        self.tokens.count(&text)
    }

    fn count_block(&self, chosen: &[usize], with: Option<usize>, left_out: usize) -> usize {
        let shown = self.in_order(chosen.iter().copied().chain(with));
        let text = self.layout.text(self.lines_at(&shown), left_out);
        self.tokens.count(&text)
    }

    fn in_order(&self, indexes: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut shown: Vec<usize> = indexes.collect();
        order::sort_by_key(&mut shown, |index| self.candidates[*index].place());
        shown
    }

    fn lines_at<'s>(&'s self, shown: &'s [usize]) -> impl Iterator<Item = &'s Line> {
        shown.iter().map(|index| self.candidates[*index].line)
    }
}
