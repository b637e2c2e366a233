//! What chats were answered lately, to be answered again: as long as nothing was written, no vector changed
//! and nothing in the answer expired, a search would find the same. Bounded in each chat and over all.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::command::Recall;
use crate::engine::Standing;
use crate::engine::recalled::FoundHit;
use crate::ids::SessionId;
use crate::owner::{Owner, Revision};
use crate::policy;
use crate::timestamp::Timestamp;

/// How many chats are kept; the one that recalled least lately goes first.
const MOST_CHATS: usize = 256;

/// How often a chat recalled, and how often that took no search. Counted in this process, as long as the
/// chat is among those that recalled lately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecallStats {
    /// How often it recalled.
    pub recalls: u64,
    /// How often the answer was still known.
    pub cached: u64,
}

impl RecallStats {
    /// The share of recalls that took no search, 0 to 1.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        match self.recalls {
            0 => 0.0,
            recalls => self.cached as f64 / recalls as f64,
        }
    }
}

/// The answers of some chats.
#[derive(Debug, Default)]
pub(super) struct RecallCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    chats: HashMap<(Owner, SessionId), Chat>,
    clock: u64,
    /// Of all chats, also those that are not kept any more.
    total: RecallStats,
}

#[derive(Debug, Default)]
struct Chat {
    used: u64,
    stats: RecallStats,
    /// Oldest first.
    answers: VecDeque<KeptAnswer>,
}

#[derive(Debug)]
struct KeptAnswer {
    at: State,
    given: Timestamp,
    recall: Recall,
    hits: Vec<FoundHit>,
}

/// What an answer depends on besides the question and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    revision: Revision,
    embedding_changes: u64,
}

impl State {
    fn of(standing: &Standing) -> Self {
        State {
            revision: standing.revision,
            embedding_changes: standing.embedding_changes,
        }
    }
}

impl RecallCache {
    /// The answer that the chat was given before, if a search would give the same.
    pub(super) fn get(
        &self,
        owner: &Owner,
        session: SessionId,
        recall: &Recall,
        standing: &Standing,
        now: Timestamp,
        policy: &policy::Recall,
    ) -> Option<Vec<FoundHit>> {
        let mut kept = self.kept();
        kept.total.recalls += 1;
        let answer = kept.answer(owner, session, recall, standing, now, policy);
        kept.total.cached += u64::from(answer.is_some());
        answer
    }

    /// How often all chats recalled.
    pub(super) fn total(&self) -> RecallStats {
        self.kept().total
    }

    /// Keeps an answer for the chat.
    #[expect(
        clippy::too_many_arguments,
        reason = "what is kept, for whom, and for how long"
    )]
    pub(super) fn put(
        &self,
        owner: &Owner,
        session: SessionId,
        recall: &Recall,
        standing: &Standing,
        now: Timestamp,
        hits: &[FoundHit],
        policy: &policy::Recall,
    ) {
        let most = policy.cache_memories as usize;
        if policy.cache_seconds == 0 || hits.len() > most {
            return;
        }
        let mut kept = self.kept();
        let chat = kept.chat(owner, session);
        chat.answers.retain(|answer| answer.recall != *recall);
        chat.answers.push_back(KeptAnswer {
            at: State::of(standing),
            given: now,
            recall: recall.clone(),
            hits: hits.to_vec(),
        });
        // An answer without hits takes room too.
        let room = |answer: &KeptAnswer| answer.hits.len().max(1);
        while chat.answers.iter().map(room).sum::<usize>() > most {
            chat.answers.pop_front();
        }
    }

    pub(super) fn stats(&self, owner: &Owner, session: SessionId) -> RecallStats {
        let kept = self.kept();
        let chat = kept.chats.get(&(owner.clone(), session));
        chat.map(|chat| chat.stats).unwrap_or_default()
    }

    /// Lets go of what an owner's chats were answered; how often they asked is still known.
    pub(super) fn forget_answers(&self, owner: &Owner) {
        for ((of, _), chat) in &mut self.kept().chats {
            if of == owner {
                chat.answers.clear();
            }
        }
    }

    /// Lets go of everything of an owner.
    pub(super) fn let_go(&self, owner: &Owner) {
        self.kept().chats.retain(|(of, _), _| of != owner);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn answer(
        &mut self,
        owner: &Owner,
        session: SessionId,
        recall: &Recall,
        standing: &Standing,
        now: Timestamp,
        policy: &policy::Recall,
    ) -> Option<Vec<FoundHit>> {
        let chat = self.chat(owner, session);
        chat.stats.recalls += 1;
        let lasts = Duration::from_secs(policy.cache_seconds.into());
        let state = State::of(standing);
        // A clock that went back says nothing about how old an answer is.
        let is_fresh = |answer: &KeptAnswer| {
            answer.at == state && answer.given <= now && now < answer.given.saturating_add(lasts)
        };
        chat.answers.retain(is_fresh);
        let known = chat
            .answers
            .iter()
            .find(|answer| answer.recall == *recall)?;
        // Where one has run out, another that did not fit takes its place.
        let is_over = |found: &FoundHit| {
            let expires = found.hit.row.expires_at();
            expires.is_some_and(|expires| expires <= standing.now)
        };
        if known.hits.iter().any(is_over) {
            return None;
        }
        chat.stats.cached += 1;
        Some(known.hits.clone())
    }

    /// What is kept of a chat, which is now the one that recalled last.
    fn chat(&mut self, owner: &Owner, session: SessionId) -> &mut Chat {
        self.clock += 1;
        let key = (owner.clone(), session);
        if !self.chats.contains_key(&key) && self.chats.len() >= MOST_CHATS {
            let oldest = self.chats.iter().min_by_key(|(_, chat)| chat.used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.chats.remove(&oldest);
            }
        }
        let chat = self.chats.entry(key).or_default();
        chat.used = self.clock;
        chat
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use uuid::Uuid;

    use super::*;
    use crate::ids::{Epoch, Number, RowId, Version};
    use crate::memory::{Claim, Marks, Memory};
    use crate::policy::Policy;
    use crate::row::Row;
    use crate::store::Hit;

    fn second(count: u64) -> Timestamp {
        Timestamp::UNIX_EPOCH.saturating_add(Duration::from_secs(count))
    }

    fn standing(count: u64, now: u64) -> Standing {
        Standing {
            revision: Revision {
                epoch: Epoch::new(Uuid::from_u128(1)),
                count,
            },
            next_number: 1,
            embedding_changes: 0,
            now: second(now),
            withdrawn: BTreeSet::new(),
        }
    }

    fn hits(count: u64, expires: Option<u64>) -> Vec<FoundHit> {
        let one = |number: u64| {
            let id = RowId::new(Uuid::from_u128(number.into()));
            let mut claim = Claim::note("fact", "likes tea", second(0));
            claim.expires_at = expires.map(second);
            let row = Row {
                id,
                origin: id.into(),
                recorded_at: second(0),
                end: None,
                marks: Marks::default(),
                body: Memory {
                    number: Number::new(number).unwrap(),
                    version: Version::FIRST,
                    claim,
                },
            };
            let hit = Hit {
                row: row.into(),
                score: 1.0,
                words: None,
                meaning: None,
                matched: Vec::new(),
                around: Vec::new(),
            };
            FoundHit::from(hit)
        };
        (1..=count).map(one).collect()
    }

    fn owner() -> Owner {
        Owner::new("alice").unwrap()
    }

    fn chat(number: u128) -> SessionId {
        SessionId::new(Uuid::from_u128(number))
    }

    struct Asking {
        cache: RecallCache,
        policy: policy::Recall,
    }

    impl Asking {
        fn new() -> Self {
            Asking {
                cache: RecallCache::default(),
                policy: Policy::default().recall,
            }
        }

        fn knows(&self, text: &str, standing: &Standing) -> bool {
            let recall = Recall::new(text);
            let now = standing.now;
            let known = self
                .cache
                .get(&owner(), chat(1), &recall, standing, now, &self.policy);
            known.is_some()
        }

        fn keep(&self, text: &str, standing: &Standing, hits: &[FoundHit]) {
            let recall = Recall::new(text);
            let now = standing.now;
            self.cache.put(
                &owner(),
                chat(1),
                &recall,
                standing,
                now,
                hits,
                &self.policy,
            );
        }
    }

    #[test]
    fn an_answer_lasts_while_a_search_would_give_the_same() {
        let asking = Asking::new();
        let kept = || asking.keep("tea", &standing(1, 10), &hits(2, Some(100)));
        for (text, standing, is_known) in [
            ("tea", standing(1, 10), true),
            ("tea", standing(1, 99), true),
            ("coffee", standing(1, 10), false),
            ("tea", standing(2, 10), false),
            ("tea", standing(1, 9), false),
            ("tea", standing(1, 100), false),
            ("tea", standing(1, 310), false),
        ] {
            kept();
            let told = format!("{text} at {} {}", standing.revision.count, standing.now);
            assert_eq!(asking.knows(text, &standing), is_known, "{told}");
        }
        kept();
        let mut vectors = standing(1, 10);
        vectors.embedding_changes = 1;
        assert!(!asking.knows("tea", &vectors));
        let stats = asking.cache.stats(&owner(), chat(1));
        assert_eq!((stats.recalls, stats.cached), (8, 2));
        assert!((stats.hit_rate() - 0.25).abs() < f64::EPSILON);
    }

    #[test]
    fn it_is_bounded_in_a_chat_and_over_chats() {
        let mut asking = Asking::new();
        asking.policy.cache_memories = 4;
        let now = standing(1, 10);
        asking.keep("one", &now, &hits(2, None));
        asking.keep("two", &now, &hits(2, None));
        assert!(asking.knows("one", &now) && asking.knows("two", &now));
        asking.keep("three", &now, &[]);
        assert!(!asking.knows("one", &now) && asking.knows("two", &now));
        asking.keep("many", &now, &hits(5, None));
        assert!(!asking.knows("many", &now) && asking.knows("three", &now));
        asking.policy.cache_seconds = 0;
        asking.keep("none", &now, &[]);
        assert!(!asking.knows("none", &now));
        for number in 2..=MOST_CHATS as u128 + 1 {
            let recall = Recall::new("tea");
            let policy = &asking.policy;
            let cache = &asking.cache;
            cache.get(&owner(), chat(number), &recall, &now, now.now, policy);
        }
        assert_eq!(asking.cache.kept().chats.len(), MOST_CHATS);
        assert_eq!(
            asking.cache.stats(&owner(), chat(1)),
            RecallStats::default()
        );
        asking.cache.let_go(&owner());
        assert!(asking.cache.kept().chats.is_empty());
    }
}
