//! What of a chat the model still sees word for word. Everything before the cut is told by the running
//! summary; making that is elsewhere.
//!
//! A cut is kept from turn to turn as long as it can be, so that a provider's cache of the prompt holds and
//! no summary is made for a few messages.

use std::collections::HashMap;

use crate::ids::MessageNumber;
use crate::message::{Message, Role};

/// How much of a chat may be shown, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// What is shown takes no more, if that can be helped.
    pub most: usize,
    /// What to aim at when cutting, so that the next turns fit too.
    pub wanted: usize,
}

/// The newest stretch of a chat.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recent<'a> {
    /// Oldest first, none left out.
    pub messages: &'a [Message],
    /// What each costs, in tokens.
    pub costs: &'a [usize],
    /// Whether the first of them is the first of the chat.
    pub has_beginning: bool,
    /// The last message that the running summary covers.
    pub recap_through: Option<MessageNumber>,
}

/// Where the messages begin that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The whole chat is shown, and no summary.
    Whole,
    /// The summary, then the messages from `index` on.
    From {
        /// The first message shown.
        index: usize,
        /// How far the summary must reach, where it does not yet: up to the message before.
        needs_recap_through: Option<MessageNumber>,
    },
}

/// Where to cut.
///
/// The last user message and all after it are shown, whatever they cost; without a user message, the last
/// message. A tool call and its answers are on one side, unless the call is older than the stretch and its
/// answer newer than the last user message.
pub(crate) fn cut(recent: Recent<'_>, room: Room) -> Cut {
    let costs = Costs::of(recent);
    if recent.messages.is_empty() || recent.has_beginning && costs.from(0) <= room.most {
        return Cut::Whole;
    }
    let pairs = Pairs::of(recent);
    let target = costs.first_within(room.wanted.min(room.most));
    let covered = recent.covered();
    let stable =
        covered.filter(|&covered| covered < target && costs.first_within(room.most) <= covered);
    let mut index = stable.unwrap_or(target);
    if pairs.part(index) {
        let earlier = pairs.earlier(index);
        let affordable = earlier.filter(|&earlier| costs.from(earlier) <= room.most);
        index = affordable.unwrap_or_else(|| pairs.later(index));
    }
    let last = recent.last_asked();
    let index = index.min(pairs.earlier(last).unwrap_or(last));
    if index == 0 && recent.has_beginning {
        return Cut::Whole;
    }
    let is_covered = covered.is_some_and(|covered| index <= covered);
    let first_shown = recent.messages[index].number;
    Cut::From {
        index,
        needs_recap_through: MessageNumber::new(first_shown.get() - 1).filter(|_| !is_covered),
    }
}

impl Recent<'_> {
    /// How far from the start of the stretch nothing is untold: everything before that index stands in the
    /// summary. `None` if messages before the stretch do not.
    fn covered(&self) -> Option<usize> {
        let through = self.recap_through.map_or(0, MessageNumber::get);
        let first = self.messages.first()?.number.get();
        let reaches = self.has_beginning || first <= through + 1;
        reaches.then(|| {
            self.messages
                .partition_point(|message| message.number.get() <= through)
        })
    }

    /// What must be shown: the last user message, or else the last.
    fn last_asked(&self) -> usize {
        self.messages
            .iter()
            .rposition(|message| message.utterance.role == Role::User)
            .unwrap_or(self.messages.len().saturating_sub(1))
    }
}

/// What the messages from an index on cost.
struct Costs(Vec<usize>);

impl Costs {
    fn of(recent: Recent<'_>) -> Self {
        let mut sums = vec![0; recent.messages.len() + 1];
        for index in (0..recent.messages.len()).rev() {
            let cost = recent.costs.get(index).copied().unwrap_or(0);
            sums[index] = usize::saturating_add(sums[index + 1], cost);
        }
        Costs(sums)
    }

    fn from(&self, index: usize) -> usize {
        self.0[index]
    }

    /// The first index from which on everything fits.
    fn first_within(&self, most: usize) -> usize {
        self.0.partition_point(|&cost| cost > most)
    }
}

/// Tool calls and their answers: the index of each call, if the stretch has it, and that of one answer.
struct Pairs(Vec<(Option<usize>, usize)>);

impl Pairs {
    fn of(recent: Recent<'_>) -> Self {
        let mut called = HashMap::new();
        let mut pairs = Vec::new();
        for (index, message) in recent.messages.iter().enumerate() {
            for call in &message.utterance.calls {
                match message.utterance.role {
                    // Some models count their calls from 0 in every turn: an answer is to the last.
                    Role::Assistant => {
                        called.insert(call, index);
                    }
                    Role::Tool => match called.get(call) {
                        Some(&caller) => pairs.push((Some(caller), index)),
                        None if !recent.has_beginning => pairs.push((None, index)),
                        // Nobody asked: an answer to nothing has no other side.
                        None => {}
                    },
                    Role::User | Role::System => {}
                }
            }
        }
        Pairs(pairs)
    }

    /// The pairs that a cut before `index` would part.
    fn parted(&self, index: usize) -> impl Iterator<Item = (Option<usize>, usize)> {
        self.0
            .iter()
            .copied()
            .filter(move |&(call, answer)| call.is_none_or(|call| call < index) && index <= answer)
    }

    fn part(&self, index: usize) -> bool {
        self.parted(index).next().is_some()
    }

    /// The nearest cut not after `index` that parts nothing; `None` if a call is older than the stretch.
    fn earlier(&self, mut index: usize) -> Option<usize> {
        while self.part(index) {
            index = self.parted(index).map(|(call, _)| call).min()??;
        }
        Some(index)
    }

    /// The nearest cut not before `index` that parts nothing.
    fn later(&self, mut index: usize) -> usize {
        while let Some(answer) = self.parted(index).map(|(_, answer)| answer).max() {
            index = answer + 1;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conversation::fixtures::chat_from;

    /// A chat written as one letter a message: `u`ser, `a`ssistant, `c` an assistant's call `1`, `t` its
    /// answer, `d` and `s` the same for `2`; every message costs 10.
    fn messages(first: u64, letters: &str) -> Vec<Message> {
        let said: Vec<(Role, &str)> = letters
            .chars()
            .map(|letter| match letter {
                'u' => (Role::User, ""),
                't' | 's' => (Role::Tool, ""),
                _ => (Role::Assistant, ""),
            })
            .collect();
        let mut messages = chat_from(first, &said);
        for (message, letter) in messages.iter_mut().zip(letters.chars()) {
            message.utterance.calls = match letter {
                'c' | 't' => vec!["1".to_owned()],
                'd' | 's' => vec!["2".to_owned()],
                _ => Vec::new(),
            };
        }
        messages
    }

    fn number(number: u64) -> Option<MessageNumber> {
        MessageNumber::new(number)
    }

    #[track_caller]
    fn check(
        first: u64,
        letters: &str,
        recap: u64,
        most: usize,
        wanted: usize,
        expected: Option<(usize, u64)>,
    ) {
        let messages = messages(first, letters);
        let costs = vec![10; messages.len()];
        let recent = Recent {
            messages: &messages,
            costs: &costs,
            has_beginning: first == 1,
            recap_through: number(recap),
        };
        let expected = expected.map_or(Cut::Whole, |(index, needs)| Cut::From {
            index,
            needs_recap_through: number(needs),
        });
        assert_eq!(
            cut(recent, Room { most, wanted }),
            expected,
            "{letters} after {recap}"
        );
    }

    #[test]
    fn short_chats_are_whole() {
        check(1, "", 0, 0, 0, None);
        check(1, "uaua", 0, 40, 20, None);
        check(1, "uaua", 2, 40, 20, None);
        // The last user message is the first of all.
        check(1, "uaaa", 0, 10, 10, None);
    }

    #[test]
    fn a_long_chat_is_cut_and_stays_cut() {
        check(1, "uauaua", 0, 50, 30, Some((3, 3)));
        check(1, "uauauaua", 3, 50, 30, Some((3, 0)));
        check(1, "uauauauau", 3, 50, 30, Some((6, 6)));
        // The summary reaches further than it must: both tell of the fourth and fifth.
        check(1, "uauaua", 5, 50, 30, Some((3, 0)));
        // A wish for more than fits is none.
        check(1, "uauaua", 0, 50, 90, Some((1, 1)));
    }

    #[test]
    fn a_stretch_from_the_middle_needs_what_is_before_it() {
        check(11, "uaua", 0, 100, 50, Some((0, 10)));
        check(11, "uaua", 9, 100, 50, Some((0, 10)));
        check(11, "uaua", 10, 100, 50, Some((0, 0)));
        check(11, "uaua", 10, 30, 20, Some((2, 12)));
        check(11, "uauaua", 12, 50, 30, Some((2, 0)));
    }

    #[test]
    fn calls_stay_with_their_answers() {
        // Before the call, as far as there is room; otherwise after all answers.
        check(1, "uactttau", 0, 60, 30, Some((2, 2)));
        check(1, "uactttau", 0, 50, 30, Some((6, 6)));
        // A chain: the second call came before the first was answered.
        check(1, "uacdtsau", 0, 60, 20, Some((6, 6)));
        check(1, "uacdtsau", 0, 60, 40, Some((2, 2)));
        check(1, "uacdtsau", 0, 50, 40, Some((6, 6)));
        // The same id again is another call.
        check(1, "uctauctau", 0, 60, 30, Some((5, 5)));
        // An unanswered call, and an answer that nobody asked for.
        check(1, "uacau", 0, 40, 20, Some((3, 3)));
        check(1, "uatau", 0, 40, 30, Some((2, 2)));
        // The call is older than the stretch.
        check(11, "tauau", 10, 60, 60, Some((1, 11)));
    }

    #[test]
    fn the_last_user_message_is_always_shown() {
        check(1, "uauctcta", 0, 30, 20, Some((2, 2)));
        check(1, "uaucta", 2, 30, 20, Some((2, 0)));
        // A call answered only after the user spoke again.
        check(1, "uacut", 0, 20, 10, Some((2, 2)));
        check(11, "aut", 10, 10, 10, Some((1, 11)));
        // Nobody asked anything.
        check(1, "aaaa", 0, 5, 5, Some((3, 3)));
    }

    fn any_chat() -> impl Strategy<Value = (u64, Vec<(char, usize)>)> {
        let letter = prop::sample::select("uuaacdtsts".chars().collect::<Vec<_>>());
        let first = prop_oneof![Just(1u64), Just(21u64)];
        (first, prop::collection::vec((letter, 0usize..40), 1..24))
    }

    proptest! {
        #[test]
        fn every_rule_holds(
            (first, said) in any_chat(),
            recap in 0u64..48,
            most in 0usize..300,
            wanted in 0usize..300,
        ) {
            let letters: String = said.iter().map(|&(letter, _)| letter).collect();
            let costs: Vec<usize> = said.iter().map(|&(_, cost)| cost).collect();
            let messages = messages(first, &letters);
            let recent = Recent {
                messages: &messages,
                costs: &costs,
                has_beginning: first == 1,
                recap_through: number(recap),
            };
            let pairs = Pairs::of(recent);
            let last = recent.last_asked();
            let forced = pairs.earlier(last);
            match cut(recent, Room { most, wanted }) {
                Cut::Whole => {
                    prop_assert!(recent.has_beginning);
                    let total: usize = costs.iter().sum();
                    let is_needed = forced == Some(0) || pairs.earlier(pairs.later(1)) == Some(0);
                    prop_assert!(total <= most || is_needed, "{letters} {costs:?}");
                }
                Cut::From { index, needs_recap_through } => {
                    prop_assert!(index <= last);
                    prop_assert!(forced.is_none() || !pairs.part(index), "{letters} {index}");
                    let cost: usize = costs[index..].iter().sum();
                    prop_assert!(cost <= most || index == forced.unwrap_or(last));
                    let told = needs_recap_through.or(number(recap)).map_or(0, MessageNumber::get);
                    prop_assert!(told + 1 >= messages[index].number.get());
                    if needs_recap_through.is_some() {
                        prop_assert_eq!(told + 1, messages[index].number.get());
                        prop_assert!(told > recap);
                    }
                }
            }
        }

        #[test]
        fn small_messages_do_not_move_a_cut(
            (first, said) in any_chat(),
            most in 0usize..300,
            wanted in 0usize..300,
            added in prop::collection::vec((prop::bool::ANY, 0usize..6), 0..12),
        ) {
            let mut letters: String = said.iter().map(|&(letter, _)| letter).collect();
            let mut costs: Vec<usize> = said.iter().map(|&(_, cost)| cost).collect();
            let room = Room { most, wanted };
            let before = messages(first, &letters);
            let recent = Recent {
                messages: &before,
                costs: &costs,
                has_beginning: first == 1,
                recap_through: None,
            };
            if let Cut::From { index, needs_recap_through } = cut(recent, room) {
                for (by_user, cost) in added {
                    letters.push(if by_user { 'u' } else { 'a' });
                    costs.push(cost);
                }
                let after = messages(first, &letters);
                let recent = Recent {
                    messages: &after,
                    costs: &costs,
                    has_beginning: first == 1,
                    recap_through: needs_recap_through,
                };
                // Where an answer is forced that has lost its call, the next turn may do better.
                let is_small = costs[index..].iter().sum::<usize>() <= most
                    && !Pairs::of(recent).part(index);
                let same = Cut::From { index, needs_recap_through: None };
                prop_assert!(!is_small || cut(recent, room) == same, "{letters}");
            }
        }
    }
}
