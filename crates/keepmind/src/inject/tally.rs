//! How full one budget is, without counting the whole text for every candidate. Any token counter may be
//! behind the numbers, so what they say is checked on the final text.

/// What a candidate would add, as the sum of its parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) tokens: usize,
    /// How many pieces of text were counted for it.
    pub(super) parts: usize,
}

/// One budget: what was counted for what is in it, and the parts that came since.
///
/// A text joined from parts usually takes a little less than they do, at most one token a part: counters
/// round up. Between what surely fits and what surely does not, the text itself is counted, and that
/// count is what the estimate goes on from, so few are needed.
#[derive(Debug)]
pub(super) struct Tally {
    limit: usize,
    counted: usize,
    since: Cost,
    /// The count that the last question needed, if the answer was yes.
    measured: Option<usize>,
    /// The smallest cost that a count has refused. What is in never gets less, so it stays refused.
    refused: usize,
}

impl Tally {
    pub(super) fn new(limit: usize, counted: usize) -> Self {
        Tally {
            limit,
            counted,
            since: Cost {
                tokens: 0,
                parts: 0,
            },
            measured: None,
            refused: usize::MAX,
        }
    }

    /// Whether the candidate fits. `count` counts the text with or without it.
    pub(super) fn admits(&mut self, cost: Cost, mut count: impl FnMut(bool) -> usize) -> bool {
        self.measured = None;
        if self.fits(cost) {
            return true;
        }
        if self.exceeds(cost) {
            return false;
        }
        if self.since.parts > 0 {
            self.restart(count(false));
            if self.fits(cost) {
                return true;
            }
            if self.exceeds(cost) {
                return false;
            }
        }
        let measured = count(true);
        if measured > self.limit {
            self.refused = cost.tokens;
            return false;
        }
        self.measured = Some(measured);
        true
    }

    /// Takes in the candidate that was just admitted.
    pub(super) fn take(&mut self, cost: Cost) {
        match self.measured.take() {
            Some(measured) => self.restart(measured),
            None => {
                self.since.tokens = self.since.tokens.saturating_add(cost.tokens);
                self.since.parts += cost.parts;
            }
        }
    }

    fn restart(&mut self, counted: usize) {
        self.counted = counted;
        self.since = Cost {
            tokens: 0,
            parts: 0,
        };
    }

    fn most(&self, cost: Cost) -> usize {
        self.counted
            .saturating_add(self.since.tokens)
            .saturating_add(cost.tokens)
    }

    fn fits(&self, cost: Cost) -> bool {
        self.most(cost) <= self.limit
    }

    fn exceeds(&self, cost: Cost) -> bool {
        let saved = self.since.parts + cost.parts;
        cost.tokens >= self.refused || self.most(cost).saturating_sub(saved) > self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(tokens: usize) -> Cost {
        Cost { tokens, parts: 1 }
    }

    #[test]
    fn only_what_is_close_is_counted_and_the_smaller_still_gets_in() {
        let mut tally = Tally::new(20, 0);
        let uncounted = |_| panic!("the estimate is enough");
        for _ in 0..2 {
            assert!(tally.admits(cost(8), uncounted));
            tally.take(cost(8));
        }
        assert!(!tally.admits(cost(30), uncounted));
        // Joined, the two take 15: the estimate goes on from there.
        let joined = |with| if with { 21 } else { 15 };
        assert!(!tally.admits(cost(6), joined));
        assert!(!tally.admits(cost(6), uncounted));
        assert!(tally.admits(cost(4), uncounted));
        tally.take(cost(4));
        assert!(tally.admits(cost(1), uncounted));
    }
}
