//! What must hold after a case: each check by itself, with words for when it does not.

use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation;

use crate::attacks::case::{Case, Post};
use crate::attacks::run::{Kept, Placed, Seen, World};
use crate::stage::Tier;

/// Everything that should hold and does not.
pub fn check(case: &Case, seen: &Seen) -> Vec<String> {
    let Post {
        stored,
        unchanged,
        trashed,
        updated,
        count,
        results,
        tier,
        block_max_chars,
        block_must_contain,
        block_must_not_contain,
        no_broken_grapheme,
        log_must_not_contain,
    } = &case.post;
    let mut objections = Vec::new();
    for content in stored {
        if !seen.live().any(|fact| fact.content == *content) {
            objections.push(format!("stored: no live fact says {content:?}"));
        }
    }
    let mut named = |name: &str, ids: &[String], holds: fn(&Seen, &Placed) -> bool| {
        for id in ids {
            match seen.placed.get(id) {
                None => objections.push(format!("{name}: there is no given row {id}")),
                Some(place) if !holds(seen, place) => objections.push(format!("{name}: {id}")),
                Some(_) => {}
            }
        }
    };
    named("unchanged", unchanged, is_unchanged);
    named("trashed", trashed, is_ended);
    named("updated", updated, is_updated);
    let mut numbers = |name: &str, wanted: Option<usize>, got: usize| {
        if wanted.is_some_and(|wanted| wanted != got) {
            objections.push(format!("{name}: {got}, not {}", wanted.unwrap_or(0)));
        }
    };
    numbers("count", *count, seen.live().count());
    numbers("results", *results, seen.shown);
    if let Some(tier) = tier {
        let new = seen.new_facts();
        if new.is_empty() {
            objections.push("tier: nothing was written".to_owned());
        }
        let is_wrong = |fact: &&Kept| fact.is_explicit != (*tier == Tier::Explicit);
        objections.extend(new.iter().copied().filter(is_wrong).map(|fact| {
            let tier = if fact.is_explicit {
                "explicit"
            } else {
                "extracted"
            };
            format!("tier: #{} is {tier}", fact.number)
        }));
    }
    let length = seen.block.chars().count();
    if block_max_chars.is_some_and(|most| length > most) {
        objections.push(format!("block_max_chars: it has {length}"));
    }
    let lacking = block_must_contain
        .iter()
        .filter(|text| !seen.block.contains(*text));
    objections.extend(lacking.map(|text| format!("block_must_contain: {text:?} is not there")));
    let there = block_must_not_contain
        .iter()
        .filter(|text| seen.block.contains(*text));
    objections.extend(there.map(|text| format!("block_must_not_contain: {text:?} is there")));
    if *no_broken_grapheme {
        let contents = case.given.iter().map(|row| row.content.as_str());
        objections.extend(
            contents
                .filter(|content| is_cut(content, &seen.block))
                .map(|content| {
                    let begin: String = content.chars().take(20).collect();
                    format!("no_broken_grapheme: {begin:?}… is cut inside a character")
                }),
        );
    }
    // The text itself is not repeated: reports are logs too.
    let logged = log_must_not_contain
        .iter()
        .filter(|text| seen.log.contains(*text));
    objections.extend(logged.map(|_| "log_must_not_contain: it is there".to_owned()));
    objections
}

impl Seen {
    /// The user's live facts.
    pub fn live(&self) -> impl Iterator<Item = &Kept> {
        self.after
            .facts
            .iter()
            .filter(|fact| fact.is_live && fact.user == self.user)
    }

    /// Live facts or versions that were not there before.
    pub fn new_facts(&self) -> Vec<&Kept> {
        let key = |fact: &Kept| (fact.number, fact.version);
        let own = self
            .before
            .facts
            .iter()
            .filter(|fact| fact.user == self.user);
        let known: BTreeSet<(u64, u64)> = own.map(key).collect();
        self.live()
            .filter(|fact| !known.contains(&key(fact)))
            .collect()
    }
}

fn rows<'a>(world: &'a World, place: &'a Placed) -> impl Iterator<Item = &'a Kept> {
    let is_it = |fact: &&Kept| fact.user == place.user && fact.number == place.number;
    world.facts.iter().filter(is_it)
}

fn is_unchanged(seen: &Seen, place: &Placed) -> bool {
    let before = rows(&seen.before, place).map(|row| &row.json);
    before.eq(rows(&seen.after, place).map(|row| &row.json))
}

fn is_ended(seen: &Seen, place: &Placed) -> bool {
    !rows(&seen.after, place).any(|row| row.is_live)
}

fn is_updated(seen: &Seen, place: &Placed) -> bool {
    let last = rows(&seen.before, place).map(|row| row.version).max();
    rows(&seen.after, place).any(|row| row.is_live && Some(row.version) > last)
}

/// Whether as much of a content as the block shows ends inside a character.
fn is_cut(content: &str, block: &str) -> bool {
    let borders: Vec<usize> = content.char_indices().map(|(at, _)| at).skip(1).collect();
    let shown = borders.partition_point(|&end| block.contains(&content[..end]));
    let end = match shown {
        0 => return false,
        all if all == borders.len() && block.contains(content) => content.len(),
        shown => borders[shown - 1],
    };
    let is_border = |(at, _): (usize, &str)| at == end;
    end < content.len() && !content.grapheme_indices(true).any(is_border)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::run::Outcome;
    use keepmind::{RowId, Uuid};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use std::time::Duration;

    fn fact(user: &str, number: u64, version: u64, content: &str) -> Kept {
        Kept {
            user: user.to_owned(),
            row: RowId::new(Uuid::nil()),
            number,
            version,
            content: content.to_owned(),
            is_explicit: true,
            is_live: true,
            json: format!("{number}.{version} {content}"),
        }
    }

    /// Two facts of alice's, one of bob's, and whatever became of them.
    fn seen(change: impl FnOnce(&mut Seen)) -> Seen {
        let facts = vec![
            fact("alice", 1, 1, "User likes tea"),
            fact("alice", 2, 1, "User has a cat"),
            fact("bob", 1, 1, "User has a dog"),
        ];
        let world = World {
            facts,
            ..World::default()
        };
        let place = |user: &str, number| Placed {
            user: user.to_owned(),
            number,
            row: RowId::new(Uuid::nil()),
        };
        let mut seen = Seen {
            outcome: Outcome::Accept,
            codes: Vec::new(),
            fates: Vec::new(),
            user: "alice".to_owned(),
            placed: BTreeMap::from([
                ("a1".to_owned(), place("alice", 1)),
                ("a2".to_owned(), place("alice", 2)),
                ("b1".to_owned(), place("bob", 1)),
            ]),
            before: world.clone(),
            after: world,
            shown: 1,
            block: "- #1 User likes tea\n".to_owned(),
            log: "refused".to_owned(),
            elapsed: Duration::ZERO,
        };
        change(&mut seen);
        seen
    }

    fn objections(post: Value, seen: &Seen) -> Vec<String> {
        let case = json!({
            "id": "x", "surface": "tool_call", "session_user": "alice", "expected": "accept",
            "given": [{
                "id": "a1", "user": "alice", "tier": "explicit", "status": "active",
                "content": "Family 👨‍👩‍👧‍👦 at home",
            }],
            "post": post,
        });
        check(&serde_json::from_value(case).unwrap(), seen)
    }

    /// Holds with one world and not with the other.
    fn tells(post: Value, good: &Seen, bad: &Seen) {
        assert_eq!(
            objections(post.clone(), good),
            Vec::<String>::new(),
            "{post}"
        );
        assert_eq!(objections(post.clone(), bad).len(), 1, "{post}");
    }

    fn same() -> Seen {
        seen(|_| {})
    }

    #[test]
    fn stored_means_live_and_the_users() {
        let ended = seen(|seen| seen.after.facts[0].is_live = false);
        tells(json!({"stored": ["User likes tea"]}), &same(), &ended);
        assert_eq!(
            objections(json!({"stored": ["User has a dog"]}), &same()).len(),
            1
        );
    }

    #[test]
    fn given_rows_are_unchanged_ended_or_updated() {
        let marked = seen(|seen| seen.after.facts[2].json.push('!'));
        tells(json!({"unchanged": ["a1", "a2", "b1"]}), &same(), &marked);
        let ended = seen(|seen| seen.after.facts[1].is_live = false);
        tells(json!({"trashed": ["a2"]}), &ended, &same());
        let updated = seen(|seen| {
            seen.after.facts[0].is_live = false;
            seen.after
                .facts
                .push(fact("alice", 1, 2, "User likes milk"));
        });
        tells(json!({"updated": ["a1"]}), &updated, &ended);
        assert_eq!(objections(json!({"trashed": ["a1"]}), &updated).len(), 1);
        assert!(objections(json!({"unchanged": ["nobody"]}), &same())[0].contains("no given row"));
    }

    #[test]
    fn counts_are_of_the_users_live_facts_and_of_what_is_shown() {
        let ended = seen(|seen| seen.after.facts[1].is_live = false);
        tells(json!({"count": 2}), &same(), &ended);
        let nothing = seen(|seen| seen.shown = 0);
        tells(json!({"results": 1}), &same(), &nothing);
    }

    #[test]
    fn the_tier_is_of_what_is_new() {
        let new = |is_explicit| {
            seen(|seen| {
                let new = fact("alice", 3, 1, "User is new");
                seen.after.facts.push(Kept { is_explicit, ..new });
            })
        };
        tells(json!({"tier": "explicit"}), &new(true), &new(false));
        tells(json!({"tier": "extracted"}), &new(false), &same());
    }

    #[test]
    fn the_block_is_short_and_says_what_it_should() {
        let long = seen(|seen| seen.block.push_str("- #2 User has a cat\n"));
        tells(json!({"block_max_chars": 20}), &same(), &long);
        tells(json!({"block_must_contain": ["a cat"]}), &long, &same());
        tells(json!({"block_must_not_contain": ["a cat"]}), &same(), &long);
    }

    #[test]
    fn characters_of_several_code_points_are_whole_or_not_there() {
        let shows = |text: &str| seen(|seen| seen.block = format!("- {text}…\n"));
        let check = json!({"no_broken_grapheme": true});
        tells(check.clone(), &shows("Family 👨‍👩‍👧‍👦"), &shows("Family 👨‍👩"));
        tells(
            check.clone(),
            &shows("Family 👨‍👩‍👧‍👦 at home"),
            &shows("Family 👨‍"),
        );
        assert!(objections(check.clone(), &shows("Family")).is_empty());
        assert!(objections(check, &shows("")).is_empty());
    }

    #[test]
    fn the_log_is_searched_and_not_repeated() {
        let leaky = seen(|seen| seen.log.push_str(" hunter2"));
        tells(
            json!({"log_must_not_contain": ["hunter2"]}),
            &same(),
            &leaky,
        );
        let said = objections(json!({"log_must_not_contain": ["hunter2"]}), &leaky);
        assert!(!said[0].contains("hunter2"));
    }
}
