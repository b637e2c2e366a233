//! Which domains a message speaks of: word by word, without a model.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use super::domain_words::DOMAIN_WORDS;
use crate::order::{self, Gather};
use crate::policy::Policy;
use crate::text::{self, Reading};

/// A message is about one thing, or two: more would fill the room that recall needs.
const MOST: usize = 2;
/// What surely belongs to a sensitive domain counts as much as so many words.
const SURELY: usize = 3;
/// A long message is judged by how it begins.
const LONGEST: usize = 2_000;

/// The policy's domains that a message speaks of, those it speaks of most first.
///
/// A domain of the host's own is found by the words of its name and title.
pub(crate) fn domains<'p>(policy: &'p Policy, message: &str) -> Vec<&'p str> {
    let message: String = message.chars().take(LONGEST).collect();
    let said: BTreeSet<String> = text::query_terms(&message).into_iter().gather();
    if said.is_empty() {
        return Vec::new();
    }
    let topics = Reading::of(&message).topics();
    let mut found: Vec<(usize, &str)> = policy
        .domains
        .iter()
        .filter_map(|domain| {
            let name = domain.name.as_str();
            let own = named(name, &domain.title);
            let known = TABLE.get(name);
            let is_word = |term: &&String| {
                own.contains(*term) || known.is_some_and(|words| words.contains(*term))
            };
            let words = said.iter().filter(is_word).count();
            let surely = if topics.contains(name) { SURELY } else { 0 };
            Some((words + surely, name)).filter(|(count, _)| *count > 0)
        })
        .collect();
    // Stable: of equals the one that stands first in the policy.
    order::sort_by_key(&mut found, |(count, _)| std::cmp::Reverse(*count));
    found.truncate(MOST);
    found.into_iter().map(|(_, name)| name).collect()
}

/// The words of each domain, as search compares them.
static TABLE: LazyLock<HashMap<&str, BTreeSet<String>>> = LazyLock::new(|| {
    let cut = |words: &str| {
        words
            .split_whitespace()
            .flat_map(text::query_terms)
            .gather()
    };
    let table = DOMAIN_WORDS.iter();
    table.map(|(domain, words)| (*domain, cut(words))).collect()
});

fn named(name: &str, title: &str) -> BTreeSet<String> {
    let words = format!("{} {title}", name.replace('_', " "));
    let terms = text::query_terms(&words).into_iter();
    terms.filter(|term| !text::is_stop_word(term)).gather()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Domain;
    use proptest::prelude::*;

    #[test]
    fn messages_and_their_domains() {
        let policy = Policy::default();
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("What is the capital of France?", &[]),
            ("Which restaurant do you suggest for dinner?", &["food"]),
            ("Book me a flight and a hotel", &["travel"]),
            (
                "Soll ich Aktien oder Fonds kaufen?",
                &["finance", "shopping"],
            ),
            ("Un cadeau pour ma femme", &["relationships", "shopping"]),
            ("¿Qué receta hago para la cena?", &["food"]),
            ("I have diabetes", &["health"]),
            ("How do I tell my boss about the project?", &["work"]),
            ("Trade union membership", &["union_membership"]),
        ];
        for (message, expected) in table {
            assert_eq!(domains(&policy, message), *expected, "{message}");
        }
    }

    #[test]
    fn a_domain_of_the_hosts_own_is_found_by_its_name() {
        let mut policy = Policy::advisor();
        policy
            .domains
            .push(Domain::new("model_trains", "Model railways"));
        assert_eq!(domains(&policy, "my railway is broken"), ["model_trains"]);
        policy.domains.clear();
        assert!(domains(&policy, "food, travel and health").is_empty());
    }

    proptest! {
        #[test]
        fn any_message_is_routed_to_few(message in "(?s).{0,80}") {
            prop_assert!(domains(&Policy::default(), &message).len() <= MOST);
        }
    }
}
