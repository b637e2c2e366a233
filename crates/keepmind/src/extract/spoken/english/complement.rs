//! What follows a verb: whether it is a trait, something one has for long, something one can like.

use super::super::StatementKind::{self, Preference, Profile, Relationship, Task, Work};
use super::super::words::Word;
use super::dates::has_date;
use super::lists::starts;
use super::nouns::{HAD, NO_TRAIT, POSTS, RUN};
use super::people;
use super::subject::Who;
use super::traits::{DOINGS, PEOPLES, RELATIONS, TRAITS};

/// End a noun with its adjectives.
#[rustfmt::skip]
const BORDERS: &[&str] = &[
    "who", "that", "which", "with", "in", "at", "of", "for", "named", "called", "since", "from", "on", "and",
    "or", "because", "but", "to", "about", "by", "as", "near", "where", "whose", "without", "under", "is", "'s",
    "so", "while", "when", "if", "aged", "over", "after", "before", "plus", "living", "now", "here", "too",
];

/// What "am" or "is" says of somebody, if it lasts.
pub(super) fn complement(words: &[Word<'_>], who: Who, denied: bool) -> Option<StatementKind> {
    let first = words.first().filter(|word| word.follows())?;
    // "6'2".
    let height = first.form.split_once('\'').is_some_and(|(feet, inches)| {
        feet.len() == 1
            && [feet, inches]
                .iter()
                .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let zone = first.form == "in" && words.iter().any(|word| word.is(&["timezone", "zone"]));
    if height || zone {
        return Some(Profile);
    }
    if first.number().is_some() {
        return is_age(words, who).then_some(Profile);
    }
    if first.is(&["a", "an"]) {
        return is_trait(words, denied).then_some(Profile);
    }
    if first.form == "the" {
        let head = head(words);
        return head
            .is_some_and(|head| {
                POSTS.contains(&head)
                    || words.iter().take(4).any(|word| {
                        word.is(&["oldest", "youngest", "eldest", "head", "lead", "only"])
                    }) && head != "one"
            })
            .then_some(Work);
    }
    // "severely lactose intolerant", "type 2 diabetic".
    let by_head = words.len() <= 4 && head(words).is_some_and(|head| TRAITS.contains(&head));
    if starts(words, TRAITS) || by_head {
        return Some(Profile);
    }
    if starts(words, RELATIONS) {
        let liked = !first.is(&[
            "into",
            "good",
            "bad",
            "terrible",
            "keen",
            "fond",
            "crazy",
            "obsessed",
            "interested",
            "afraid",
            "scared",
            "new",
            "passionate",
        ]) || !words
            .last()
            .is_some_and(|word| word.is(&["that", "this", "him", "her", "them"]));
        return (words.len() > 1 && liked).then_some(Profile);
    }
    if starts(words, DOINGS) {
        let moves = first.is(&["moving", "retiring"]) && !has_date(words);
        return (!moves).then_some(if first.is(&["targeting", "aiming", "saving"]) {
            Task
        } else {
            Profile
        });
    }
    if first.is_capital() && !first.is_shouted() && first.form != "i" {
        let people = is_people(first);
        let short = words.len() <= 3
            || words
                .get(1)
                .is_some_and(|word| BORDERS.contains(&&*word.form));
        return (short && (people || who == Who::Close || words.len() == 1)).then_some(Profile);
    }
    // "we are farmers", "my parents are doctors".
    let alone = words.len() == 1 && first.form.len() > 4 && first.form.ends_with('s');
    let kin = first.is(&["parents", "twins", "vegetarians", "vegans"]);
    (alone
        && (first.form.ends_with("ers")
            || first.form.ends_with("ors")
            || first.form.ends_with("ians")
            || first.form.ends_with("ists"))
        || kin)
        .then_some(if kin { Relationship } else { Preference })
}

/// A people, a faith, a trait: not a name.
pub(super) fn is_people(word: &Word<'_>) -> bool {
    PEOPLES.iter().any(|ending| word.form.ends_with(ending)) || word.is(TRAITS)
}

/// "34", "34 years old", "180 cm tall"; not "5 minutes away".
fn is_age(words: &[Word<'_>], who: Who) -> bool {
    let Some(number) = words.first().and_then(Word::number) else {
        return false;
    };
    let plausible = (if who == Who::User { 8 } else { 1 }..=250).contains(&number);
    let unit = words.get(1).is_none_or(|word| {
        !word.follows()
            || word.is(&[
                "years", "yrs", "year", "yo", "y/o", "and", "now", "cm", "kg", "feet", "foot",
                "ft", "lbs", "pounds", "months", "weeks",
            ])
    });
    let weeks = words
        .get(1)
        .is_some_and(|word| word.is(&["months", "weeks", "years"]));
    let old = words.get(2).is_some_and(|word| {
        word.is(&[
            "old",
            "pregnant",
            "postpartum",
            "along",
            "sober",
            "of",
            "clean",
        ])
    });
    plausible && unit && (!weeks || old)
}

/// "a nurse", "an early bird"; not "a bit tired", "an idiot", "a week late".
fn is_trait(words: &[Word<'_>], denied: bool) -> bool {
    let Some(noun) = words.get(1).filter(|word| word.follows()) else {
        return false;
    };
    let head = head(words).unwrap_or_default();
    let idiom = denied
        && [
            "lawyer",
            "doctor",
            "expert",
            "scientist",
            "robot",
            "child",
            "kid",
            "fool",
            "machine",
            "monster",
            "millionaire",
            "therapist",
        ]
        .contains(&head);
    let manner = [
        "morning", "night", "people", "cat", "dog", "early", "private", "visual", "tea", "coffee",
    ];
    let person = head == "person" && words.iter().any(|word| word.is(&manner));
    let counted = noun.number().is_some()
        && !words
            .iter()
            .take(5)
            .any(|word| word.is(&["year", "years", "old"]));
    !idiom && !counted && (person || !noun.is(NO_TRAIT) && !NO_TRAIT.contains(&head))
}

/// The noun that a phrase with its adjectives ends in.
fn head<'words>(words: &'words [Word<'_>]) -> Option<&'words str> {
    let end = words
        .iter()
        .enumerate()
        .position(|(index, word)| index > 0 && (!word.follows() || BORDERS.contains(&&*word.form)))
        .unwrap_or(words.len());
    words[..end].last().map(|word| &*word.form)
}

/// Whether this is a thing that one has for long, or somebody close.
pub(super) fn had(words: &[Word<'_>]) -> bool {
    let counted = words.first().is_some_and(|word| {
        word.is(&[
            "a", "an", "no", "any", "my", "our", "some", "several", "the", "two", "three", "four",
            "five", "six", "one", "many", "type", "high", "severe", "mild", "chronic", "bad",
            "poor", "kids", "children", "twin", "own", "both", "very", "really",
        ]) || word.number().is_some()
            || HAD.contains(&&*word.form)
            || people::is_person(&word.form)
            || words.len() > 1
    });
    let vague = words
        .iter()
        .take(3)
        .any(|word| word.is(&["specific", "particular", "special"]));
    counted
        && !vague
        && head(words).is_some_and(|head| {
            let one = head.strip_suffix('s').unwrap_or(head);
            HAD.contains(&head)
                || HAD.contains(&one)
                || people::is_person(head)
                || people::is_person(one)
        })
}

/// Whether this is a business or a group.
pub(super) fn runs(words: &[Word<'_>]) -> bool {
    let determined = words.first().is_some_and(|word| {
        word.is(&[
            "a",
            "an",
            "my",
            "our",
            "the",
            "two",
            "three",
            "marathons",
            "half-marathons",
        ])
    });
    determined
        && head(words).is_some_and(|head| {
            RUN.contains(&head) || RUN.contains(&head.strip_suffix('s').unwrap_or(head))
        })
}

/// Whether this can be liked in general, and does not lie before the speakers.
pub(super) fn is_liked(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const HERE: &[&str] = &[
        "it", "this", "that", "these", "those", "your", "you", "how", "when", "where", "what", "why", "him",
        "her", "them", "its", "his", "to_see", "to_hear", "to_say", "to_know", "to_think", "seeing_you",
        "one", "both", "the_way", "the_idea", "the_look", "the_sound_of_that", "everything", "nothing",
        "all_of", "option", "version", "the_new", "the_second", "the_first", "the_last", "the_third",
        "the_other", "the_latest", "the_previous", "the_one", "the_current", "the_updated", "the_fact",
        "the_latter", "the_former", "our_chats", "our_talks", "talking_to_you", "chatting_with_you",
        "to_be_honest", "having_to", "being_told", "not", "to_complain", "to_admit", "a_challenge",
        "a_good", "or", "and", "to_think_i", "my_chances", "when_people", "asking", "to_ask", "to_break",
        "to_bother", "to_brag", "some_of",
    ];
    #[rustfmt::skip]
    const JUDGED: &[&str] = &[
        "version", "option", "draft", "idea", "one", "ones", "suggestion", "plan", "answer", "better",
        "best", "variant", "solution", "approach", "you", "layout", "that", "this", "mine", "already",
        "edit",
    ];
    let last = words.last().is_some_and(|word| word.is(JUDGED));
    let the_judged = words.first().is_some_and(|word| word.form == "the")
        && words.iter().any(|word| word.is(JUDGED));
    !starts(words, HERE) && !last && !the_judged && (words[0].form != "the" || is_general(words))
}

/// What "the" stands before without pointing at anything: "the sea", "the Beatles".
fn is_general(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const GENERAL: &[&str] = &[
        "sea", "ocean", "cold", "heat", "beach", "outdoors", "mountains", "rain", "snow", "sun",
        "countryside", "city", "summer", "winter", "autumn", "fall", "spring", "dark", "theatre", "theater",
        "opera", "ballet", "smell", "taste", "colour", "color", "gym", "water", "forest", "wind", "news",
        "cinema", "internet", "phone", "dentist", "lake",
    ];
    words
        .get(1)
        .is_some_and(|word| word.is(GENERAL) || word.is_capital() && words.len() <= 4)
}

/// Whether this is played: an instrument, a game, a sport.
pub(super) fn is_playable(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const NOT: &[&str] = &[
        "devil's", "devil", "it", "along", "with", "this", "that", "around", "by", "dumb", "dead", "nice",
        "fair", "safe", "the_part", "the_role", "the_fool", "the_victim", "a_role", "a_part", "catch",
        "favourites", "favorites", "second_fiddle", "hard", "to", "a_halfling", "a_wizard", "a_character",
        "the_long", "the_video", "the_audio", "the_file", "the_clip", "the_sound", "the_animation",
        "the_recording", "the_stream", "the_game", "them", "him", "her", "no",
    ];
    !starts(words, NOT)
}

/// "been a nurse for ten years", "played the bassoon since I was nine".
pub(super) fn has_begun(words: &[Word<'_>]) -> bool {
    let Some(first) = words.first() else {
        return false;
    };
    #[rustfmt::skip]
    const DONE: &[&str] = &[
        "been", "had", "known", "worn", "taught", "sung", "run", "kept", "driven", "ridden", "spoken",
        "written", "done", "grown", "drunk", "eaten", "gone", "built", "made", "sold",
    ];
    let participle = first.is(DONE) || first.form.ends_with("ed");
    let tried = words.iter().take(2).any(|word| {
        word.is(&[
            "trying",
            "waiting",
            "meaning",
            "thinking",
            "wondering",
            "looking",
            "stuck",
            "wanting",
            "hoping",
            "considering",
            "busy",
            "debugging",
        ])
    });
    // "that I have had for years": what, stands before.
    let gap = words.windows(2).any(|pair| {
        pair[0].is(&["had", "to", "with", "of", "in", "at"]) && pair[1].is(&["for", "since"])
    });
    participle
        && !gap
        && !tried
        && words.iter().enumerate().any(|(index, word)| {
            let rest = &words[index + 1..];
            match &*word.form {
                "for" => {
                    let counted = rest.iter().take(4).any(|word| {
                        word.is(&["years", "year", "decades", "decade", "months", "yrs"])
                    });
                    counted
                        || starts(
                            rest,
                            &["ages", "my_whole_life", "most_of_my_life", "as_long_as"],
                        )
                }
                "since" => {
                    rest.first()
                        .is_some_and(|word| word.number().is_some_and(|year| year > 1900))
                        || starts(
                            rest,
                            &[
                                "i_was",
                                "i_were",
                                "birth",
                                "childhood",
                                "school",
                                "college",
                                "university",
                                "high_school",
                                "the_age",
                                "my_childhood",
                                "he_was",
                                "she_was",
                                "they_were",
                                "january",
                                "february",
                                "march",
                                "april",
                                "may",
                                "june",
                                "july",
                                "august",
                                "september",
                                "october",
                                "november",
                                "december",
                                "last_year",
                                "the_pandemic",
                                "covid",
                                "the_nineties",
                                "the_90s",
                                "the_80s",
                                "my_teens",
                                "my_twenties",
                                "we_married",
                                "we_got",
                            ],
                        )
                }
                "whole" => starts(rest, &["life"]),
                "all" => starts(rest, &["my_life", "his_life", "her_life"]),
                "years" | "decades" => {
                    words.len() == index + 1 && index > 1 && first.form == "been"
                }
                _ => false,
            }
        })
}
