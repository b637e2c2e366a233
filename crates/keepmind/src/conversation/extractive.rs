//! A summary without a model: the sentences that say most, word for word and in order. Asking a model for a
//! better one is in `asking`.
//!
//! One line a sentence, with who said it. A summary can be summarised on: its lines come first, and the
//! oldest go when room is short.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::borders::{self, fullest};
use super::spoken::{own_words, readable_line};
use super::title::without_greeting;
use super::words::{DECISION_PIECES, DECISIONS, FIRST_PERSON, FIRST_PERSON_PIECES};
use crate::message::{Message, MessageOrigin, Role};
use crate::model::TokenCounter;
use crate::order;
use crate::text::{self, Cut, FnvBuilder, StringSet};

/// A line is cut here, in characters: what is longer was hardly said in one breath.
const LONGEST_LINE: usize = 240;

/// How many sentences of a message are looked at, the first and the last of them.
const MOST_SENTENCES: usize = 200;

/// A summary of `messages`, going on from an `earlier` one, within `most_tokens`.
///
/// Made of what the user and the assistant said themselves: no hidden parts, nothing filled in for the user,
/// no tool's answers, nothing marked as untrusted, no secrets. Empty only if none of that shows anything, or
/// if not even a character of it fits.
pub(crate) fn summarise(
    earlier: Option<&str>,
    messages: &[Message],
    most_tokens: usize,
    tokens: &dyn TokenCounter,
) -> String {
    let earlier = earlier.map(earlier_lines).unwrap_or_default();
    let cost = |line: &String| tokens.count(line).saturating_add(tokens.count("\n"));
    let total = |lines: &[String]| lines.iter().map(cost).fold(0, usize::saturating_add);

    let spoken = spoken(messages, &earlier);
    // What is new gets half of the room if it needs it, and what the old leaves.
    let room = most_tokens
        .saturating_sub(total(&earlier))
        .max(most_tokens / 2);
    let mut taken = 0;
    let mut chosen: Vec<&Spoken> = Vec::new();
    for sentence in &spoken {
        let cost = cost(&sentence.line);
        if usize::saturating_add(taken, cost) <= room && text::secret(&sentence.line).is_none() {
            taken += cost;
            chosen.push(sentence);
        }
    }
    // The sum is only near the whole's cost with some counters: the least goes until the whole fits.
    let mut kept = earlier.as_slice();
    loop {
        let mut new: Vec<&Spoken> = chosen.clone();
        order::sort_by_key(&mut new, |sentence| sentence.place);
        let new = new.iter().map(|sentence| sentence.line.as_str());
        let lines: Vec<&str> = kept.iter().map(String::as_str).chain(new).collect();
        let summary = lines.join("\n");
        if !summary.is_empty() && tokens.count(&summary) <= most_tokens {
            return summary;
        }
        if let [_, newer @ ..] = kept {
            kept = newer;
        } else if chosen.pop().is_none() {
            break;
        }
    }
    let mut lines = spoken.iter().map(|sentence| &sentence.line);
    let best = lines.find(|line| text::secret(line).is_none());
    best.or(earlier.last())
        .and_then(|line| fitting(line, most_tokens, tokens))
        .unwrap_or_default()
}

/// The longest beginning of a line that fits, with an ellipsis; not just who said it.
fn fitting(line: &str, most_tokens: usize, tokens: &dyn TokenCounter) -> Option<String> {
    let (label, words) = match line.split_once(": ") {
        Some((speaker, words)) => (format!("{speaker}: "), words),
        None => (String::new(), line),
    };
    let fits = |most: usize| {
        let short = format!("{label}{}", borders::shortened(words, most));
        let short = text::line(&short).ok()?;
        (tokens.count(&short) <= most_tokens).then_some(short)
    };
    // At least one character, and the ellipsis.
    fullest(2..=words.chars().count(), fits)
}

/// The lines of an earlier summary, whoever made it: a model's is cut into its sentences.
fn earlier_lines(summary: &str) -> Vec<String> {
    let is_long = |line: &str| text::limit(line, LONGEST_LINE).is_err();
    summary
        .lines()
        .flat_map(|line| match is_long(line) {
            true => borders::sentences(line).collect(),
            false => vec![line],
        })
        .filter_map(|line| readable_line(&borders::shortened(line, LONGEST_LINE)))
        .collect()
}

/// A sentence somebody said.
#[derive(Debug)]
struct Spoken {
    /// Which message, and where in it.
    place: (usize, usize),
    /// Who, and what, as it would stand in the summary.
    line: String,
    points: i32,
}

/// What was said and is not in `earlier` yet, what says most first.
fn spoken(messages: &[Message], earlier: &[String]) -> Vec<Spoken> {
    let mut known: HashSet<String> = earlier.iter().map(|line| text::fold(line)).collect();
    let mut sentences = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let utterance = &message.utterance;
        let speaker = match utterance.role {
            Role::User if utterance.origin == MessageOrigin::Typed => "user",
            Role::Assistant if utterance.origin == MessageOrigin::Typed => "assistant",
            _ => continue,
        };
        let said: Vec<&str> = own_words(utterance).flat_map(borders::sentences).collect();
        for (position, sentence) in said.iter().enumerate() {
            let is_middle = position >= MOST_SENTENCES / 2;
            if is_middle && position + MOST_SENTENCES / 2 < said.len() {
                continue;
            }
            let Some(clean) = readable_line(sentence) else {
                continue;
            };
            let line = borders::shortened(&format!("{speaker}: {clean}"), LONGEST_LINE);
            let Ok(line) = text::line(&line) else {
                continue;
            };
            if known.insert(text::fold(&line)) {
                let by_user = utterance.role == Role::User;
                let terms: StringSet = Cut::of(&clean).terms().collect();
                sentences.push((
                    Spoken {
                        place: (index, position),
                        line,
                        points: 0,
                    },
                    clean,
                    terms,
                    by_user,
                ));
            }
        }
    }
    let mut frequency: HashMap<&str, usize> = HashMap::new();
    for term in sentences.iter().flat_map(|(_, _, terms, _)| terms.iter()) {
        *frequency.entry(term).or_default() += 1;
    }
    let weighed: Vec<i32> = sentences
        .iter()
        .map(|(_, clean, terms, by_user)| {
            let is_topic = |term: &&str| !text::is_stop_word(term) && frequency[term] > 1;
            let topics = terms.iter().filter(is_topic);
            points(clean, &text::fold(clean), *by_user) + topics.take(3).count() as i32
        })
        .collect();
    let mut spoken: Vec<Spoken> = sentences
        .into_iter()
        .zip(weighed)
        .map(|((sentence, ..), points)| Spoken { points, ..sentence })
        .collect();
    // Bare replies only where nothing else was said.
    if spoken.iter().any(|sentence| sentence.points > 0) {
        spoken.retain(|sentence| sentence.points > 0);
    }
    // Of two that say as much, the newer.
    order::sort_by_key(&mut spoken, |sentence| {
        (-sentence.points, std::cmp::Reverse(sentence.place))
    });
    spoken
}

/// How much a sentence, written and folded, says about what was talked about, by its outer signs; not above 0
/// for what only replies or greets.
pub(super) fn points(sentence: &str, folded: &str, by_user: bool) -> i32 {
    let point = without_greeting(sentence);
    if !text::folded_weighs(folded) || !point.contains(char::is_alphanumeric) {
        return 0;
    }
    let signs = Signs::of(folded);
    let mut points = 0;
    if by_user {
        points += 5 + 3 * i32::from(signs.is_first_person);
    }
    points += 3 * i32::from(signs.decides);
    points += 2 * i32::from(sentence.chars().any(char::is_numeric));
    points += 2 * i32::from(has_name(sentence));
    points += 2 * i32::from(sentence.contains(['?', '？', '؟', ';']) && by_user);
    points
}

/// What the words of a sentence say of it.
#[derive(Debug, Clone, Copy, Default)]
struct Signs {
    is_first_person: bool,
    decides: bool,
}

impl Signs {
    fn of(folded: &str) -> Self {
        static WORDS: LazyLock<HashMap<&str, Signs, FnvBuilder>> = LazyLock::new(|| {
            let mut words: HashMap<&str, Signs, FnvBuilder> = HashMap::default();
            for word in FIRST_PERSON {
                words.entry(word).or_default().is_first_person = true;
            }
            for word in DECISIONS {
                words.entry(word).or_default().decides = true;
            }
            words
        });
        let is_apart = |letter: char| !(letter.is_alphanumeric() || text::is_mark(letter));
        let is_ascii = folded.is_ascii();
        let has_piece = |table: &[&str]| {
            let mut possible = table.iter().filter(|piece| !is_ascii || piece.is_ascii());
            possible.any(|piece| folded.contains(piece))
        };
        let of_pieces = Signs {
            is_first_person: has_piece(FIRST_PERSON_PIECES),
            decides: has_piece(DECISION_PIECES),
        };
        let words = folded.split(is_apart).filter_map(|word| WORDS.get(word));
        words.fold(of_pieces, |all, word| Signs {
            is_first_person: all.is_first_person || word.is_first_person,
            decides: all.decides || word.decides,
        })
    }
}

/// Whether a word within the sentence begins with a capital letter and is none by itself.
fn has_name(sentence: &str) -> bool {
    sentence.split_whitespace().skip(1).any(|word| {
        let mut letters = word.chars().filter(|letter| letter.is_alphabetic());
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::fixtures::chat;
    use crate::memory::Span;
    use crate::model::ApproximateTokens;
    use proptest::prelude::*;

    const COUNT: &ApproximateTokens = &ApproximateTokens;

    #[test]
    fn what_says_most_is_kept_in_order() {
        let messages = chat(&[
            (
                Role::User,
                "Hello there! I am planning a trip to Lisbon in May. ok",
            ),
            (
                Role::Assistant,
                "Great idea! There are many things to see. The flight takes 3 hours.",
            ),
            (Role::Tool, "I am a secret tool"),
            (
                Role::User,
                "My budget is 900 euros.\nCan we stay near the river?",
            ),
        ]);
        assert_eq!(
            summarise(None, &messages, 40, COUNT),
            "user: I am planning a trip to Lisbon in May.\nuser: My budget is 900 euros.\nuser: Can we stay near the river?"
        );
        let all = summarise(None, &messages, 1_000, COUNT);
        assert!(
            all.contains("assistant: The flight takes 3 hours."),
            "{all}"
        );
        assert!(
            !all.contains("user: ok") && !all.contains("secret tool"),
            "{all}"
        );
    }

    #[test]
    fn only_own_words_are_taken() {
        let mut messages = chat(&[
            (Role::User, "I typed this. Ignore me, said the document."),
            (Role::User, "I was filled in."),
            (Role::System, "I am the host."),
        ]);
        messages[0].utterance.hidden = Some("I am hidden.".to_owned());
        messages[0].utterance.untrusted = vec![Span { start: 14, end: 43 }];
        messages[1].utterance.origin = MessageOrigin::Prefill;
        assert_eq!(
            summarise(None, &messages, 100, COUNT),
            "user: I typed this."
        );
    }

    #[test]
    fn it_goes_on_from_an_earlier_one() {
        let first = chat(&[(
            Role::User,
            "I live in Bern. I have two cats called Mo and Lu.",
        )]);
        let second = chat(&[(
            Role::User,
            "I moved to Basel in 2024. I have two cats called Mo and Lu.",
        )]);
        let earlier = summarise(None, &first, 40, COUNT);
        assert_eq!(
            summarise(Some(&earlier), &second, 60, COUNT),
            "user: I live in Bern.\nuser: I have two cats called Mo and Lu.\nuser: I moved to Basel in 2024."
        );
        assert_eq!(
            summarise(Some(&earlier), &second, 20, COUNT),
            "user: I have two cats called Mo and Lu.\nuser: I moved to Basel in 2024."
        );
        assert_eq!(summarise(Some(&earlier), &[], 40, COUNT), earlier);
        let prose = "The user lives in Bern. ".repeat(20) + "They have a cat.";
        let thinned = summarise(Some(&prose), &[], 20, COUNT);
        assert!(
            thinned.ends_with("They have a cat.") && thinned.lines().count() > 1,
            "{thinned}"
        );
    }

    #[test]
    fn every_script_and_little_room() {
        let table = [
            (
                "我住在北京，有一只猫。好的。",
                "user: 我住在北京，有一只猫。",
            ),
            ("ผมชอบกินข้าวมันไก่", "user: ผมชอบกินข้าวมันไก่"),
            ("ok", "user: ok"),
            ("\0ok\u{202e}", "user: ok"),
            ("", ""),
            ("\u{200b}", ""),
        ];
        for (content, expected) in table {
            assert_eq!(
                summarise(None, &chat(&[(Role::User, content)]), 50, COUNT),
                expected
            );
        }
        let long = chat(&[(Role::User, &"I walk and walk ".repeat(60))]);
        let short = summarise(None, &long, 5, COUNT);
        assert_eq!(short, "user: I walk and…");
        assert_eq!(summarise(None, &long, 2, COUNT), "user: I…");
        assert_eq!(summarise(None, &long, 1, COUNT), "");
        let word = chat(&[(Role::User, "Walking")]);
        assert_eq!(summarise(None, &word, 2, COUNT), "user: W…");
        assert!(summarise(None, &long, 900, COUNT).chars().count() <= LONGEST_LINE);
    }

    fn any_content() -> impl Strategy<Value = String> {
        prop_oneof![
            "(?s).{0,60}",
            "([A-Za-z0-9]{1,8}[ .?!\n]{1,2}){0,20}",
            "[我猫ที่ไก่é。\n👩\u{200d}\u{202e}\0]{0,60}",
        ]
    }

    proptest! {
        #[test]
        fn bounded_clean_and_the_same_again(
            said in prop::collection::vec((prop::bool::ANY, any_content()), 0..6),
            earlier in prop::option::of(any_content()),
            most in 0usize..80,
        ) {
            let role = |by_user| if by_user { Role::User } else { Role::Assistant };
            let said: Vec<(Role, &str)> = said.iter().map(|(by_user, content)| (role(*by_user), content.as_str())).collect();
            let messages = chat(&said);
            let summary = summarise(earlier.as_deref(), &messages, most, COUNT);
            prop_assert!(COUNT.count(&summary) <= most);
            prop_assert_eq!(&summary, &summarise(earlier.as_deref(), &messages, most, COUNT));
            for line in summary.split('\n').filter(|_| !summary.is_empty()) {
                prop_assert_eq!(text::line(line), Ok(line.to_owned()));
            }
            let is_visible = |content: &str| readable_line(content).is_some();
            // Five tokens hold the longest label and a character with its marks.
            let is_anything = said.iter().any(|(_, content)| is_visible(content));
            if is_anything && most >= 8 {
                prop_assert!(!summary.is_empty());
            }
            let again = summarise(Some(&summary), &messages, most, COUNT);
            prop_assert!(COUNT.count(&again) <= most);
        }
    }
}
