//! How many memories a message gets, by what it looks like. The numbers are the policy's.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::message_words::{BEFORE, CONTINUING, REMEMBERING};
use crate::policy::Policy;
use crate::text;

/// How many memories to recall for a message, by the policy's `recall.message_limits`: few for a short one
/// or one that only carries the talk on, many for a long one or one that speaks of remembering. 0: nothing
/// is searched, as for a message that shows nothing.
///
/// ```
/// use keepmind::{Policy, recall_limit};
///
/// let policy = Policy::chat();
/// assert_eq!(recall_limit(&policy, "ok"), 0);
/// assert_eq!(recall_limit(&policy, "Do you remember the name of my dentist?"), 10);
/// assert_eq!(recall_limit(&policy, "Which tea should I buy today?"), 3);
/// ```
#[must_use]
pub fn recall_limit(policy: &Policy, message: &str) -> usize {
    let limits = &policy.recall.message_limits;
    let message = message.trim();
    let length = message.chars().count();
    let count = if length == 0 {
        0
    } else if length < limits.short_below_characters as usize {
        limits.short
    } else if length > limits.long_above_characters as usize {
        // Before it is read word by word: a long message may be very long.
        limits.long
    } else {
        let folded = text::fold(message);
        if is_continuation(&folded) {
            limits.continuation
        } else if speaks_of_remembering(&folded) {
            limits.long
        } else {
            limits.otherwise
        }
    };
    count as usize
}

/// Whether a folded message says nothing of its own.
fn is_continuation(folded: &str) -> bool {
    static TABLE: LazyLock<HashSet<&str>> = LazyLock::new(|| CONTINUING.split(' ').collect());
    let own: Vec<&str> = words(folded).filter(|word| !TABLE.contains(word)).collect();
    !text::weighs(&own.join(" "))
}

fn speaks_of_remembering(folded: &str) -> bool {
    let begins = |word: &str| REMEMBERING.split(' ').any(|stem| word.starts_with(stem));
    if words(folded).any(begins) {
        return true;
    }
    // With a mark around it, a phrase is found at whole words only.
    let row = words(folded).fold("_".to_owned(), |row, word| row + word + "_");
    BEFORE
        .split(' ')
        .any(|phrase| row.contains(&format!("_{phrase}_")))
}

fn words(folded: &str) -> impl Iterator<Item = &str> {
    let inner = |letter: char| letter.is_alphanumeric() || text::is_mark(letter) || letter == '\'';
    folded
        .split(move |letter| !inner(letter))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every kind of message has a number of its own.
    fn policy() -> Policy {
        let mut policy = Policy::chat();
        let limits = &mut policy.recall.message_limits;
        limits.short_below_characters = 0;
        (limits.short, limits.continuation) = (1, 2);
        (limits.long, limits.otherwise) = (4, 3);
        policy
    }

    #[test]
    fn what_only_carries_the_talk_on() {
        for message in [
            "ok",
            "OK!",
            "okay, thanks",
            "yes",
            "Yes, please.",
            "go on",
            "Go ahead",
            "continue",
            "Continue, please!",
            "more",
            "next",
            "got it, thanks",
            "and then?",
            "👍",
            "…",
            "ja",
            "Ja, genau",
            "weiter",
            "mach weiter",
            "alles klar",
            "danke, verstanden",
            "oui",
            "continue",
            "vas-y",
            "d'accord, merci",
            "la suite",
            "sí",
            "sigue",
            "vale, gracias",
            "continúa",
            "adelante",
            "好的",
            "はい",
        ] {
            assert_eq!(recall_limit(&policy(), message), 2, "{message}");
        }
    }

    #[test]
    fn what_speaks_of_remembering() {
        for message in [
            "Do you remember my dog?",
            "remind me of my plan",
            "What did I do last time?",
            "As I said, no fish",
            "you said tea was better",
            "What do you know about me?",
            "Erinnerst du dich an meinen Hund?",
            "Weißt du noch, wo ich wohne?",
            "Was war letztes Mal?",
            "Tu te souviens de mon chien ?",
            "la dernière fois on a pris le train",
            "rappelle-moi mon rendez-vous",
            "¿Recuerdas a mi perro?",
            "la última vez fuimos en tren",
            "¿qué te dije del viaje?",
        ] {
            assert_eq!(recall_limit(&policy(), message), 4, "{message}");
        }
    }

    #[test]
    fn every_other_message() {
        for message in [
            "Which tea should I buy?",
            "continue with the tea recipe",
            "yes, with milk",
            "go to Berlin",
            "Ein Rezept mit Fisch",
            "un billet pour Lyon",
            "dos entradas para el cine",
            "我喜欢喝茶",
        ] {
            assert_eq!(recall_limit(&policy(), message), 3, "{message}");
        }
    }

    #[test]
    fn lengths_are_of_characters_without_blanks_around() {
        let mut policy = Policy::chat();
        policy.recall.message_limits.otherwise = 5;
        let of = |message: &str| recall_limit(&policy, message);
        assert_eq!(of("remember my dog"), 0, "short");
        assert_eq!(of(&format!("  {}  ", "茶".repeat(19))), 0);
        assert_eq!(of(&"茶".repeat(20)), 5);
        assert_eq!(of(&"茶".repeat(100)), 5);
        assert_eq!(of(&"茶".repeat(101)), 10);
        assert_eq!(of("yes please, do go on with it"), 3);
        assert_eq!((of(""), of(" \n")), (0, 0));
        // Without short messages every one is looked at.
        assert_eq!(recall_limit(&Policy::default(), "tea?"), 10);
    }

    proptest! {
        #[test]
        fn any_message_gets_one_of_the_numbers(message in "(?s).{0,200}") {
            let count = recall_limit(&policy(), &message);
            prop_assert!(count <= 4);
        }
    }
}
