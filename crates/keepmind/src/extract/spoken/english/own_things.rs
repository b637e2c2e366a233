//! "My name is …", "my birthday's on …", "my dog's name is …", "my visa expires on …", "call me …".

use super::super::StatementKind::{Preference, Profile, Relationship, Style, Task};
use super::super::frames::Reading;
use super::super::words::Word;
use super::dates::has_date;
use super::lists::starts;
use super::nouns::{DATED, OWN, SECRETS};
use super::rewrite::turned;
use super::subject::{Who, subject};

/// How many words a thing of the user's may take: "favourite board game of all time".
const LONGEST_THING: usize = 7;

/// What a clause says of a thing of the user's, if that lasts.
pub(super) fn read(words: &[Word<'_>]) -> Option<Reading> {
    let first = words.first()?;
    let reading = |content: String, kind| {
        Some(Reading {
            length: words.len(),
            content,
            kind,
        })
    };
    if let Some(name) = called(words) {
        return reading(format!("User wants to be called {name}"), Style);
    }
    if words.iter().any(|word| word.is(SECRETS)) {
        return None;
    }
    // "name's Ada", "based in Ibadan": said without a subject.
    if first.form == "name" && words.get(1).is_some_and(|word| word.form == "is") && words.len() > 2
    {
        return reading(format!("User's name is {}", turned(&words[2..])), Profile);
    }
    if starts(
        words,
        &[
            "based_in",
            "allergic_to",
            "born_in",
            "originally_from",
            "born_and_raised",
            "married_to",
        ],
    ) && words.len() > 2
    {
        return reading(
            format!("User is {}", super::rewrite::lowered(words)),
            Profile,
        );
    }
    // "Not a fan of musicals", "can't stand wet socks", "studying law at Leuven".
    let leads: [(&str, &[&str]); 4] = [
        (
            "User is",
            &[
                "not_a_fan_of",
                "not_big_on",
                "not_keen_on",
                "studying",
                "working_as",
                "working_at",
                "living_in",
                "more_of_a",
            ],
        ),
        ("User is a", &["big_fan_of", "huge_fan_of"]),
        ("User", &["grew_up_in", "grew_up_on"]),
        ("User can't stand", &["can_not_stand"]),
    ];
    for (lead, list) in leads {
        if starts(words, list) && words.len() > 2 {
            let skipped = if lead.ends_with("stand") { 3 } else { 0 };
            return reading(
                format!("{lead} {}", super::rewrite::lowered(&words[skipped..])),
                Preference,
            );
        }
    }
    if first.form == "moved"
        && words.get(1).is_some_and(|word| word.form == "to")
        && words.get(2).is_some_and(Word::is_capital)
    {
        return reading(format!("User {}", super::rewrite::lowered(words)), Profile);
    }
    if first.form == "been" && super::complement::has_begun(words) {
        return reading(
            format!("User has {}", super::rewrite::lowered(words)),
            Profile,
        );
    }
    if !first.is(&["my", "our"]) {
        return None;
    }
    let (owner, from) = match subject(words) {
        Some(close) if close.who == Who::Close => {
            words.get(close.length).filter(|word| word.form == "'s")?;
            (format!("{}'s", close.called), close.length + 1)
        }
        _ => ("User's".to_owned(), 1),
    };
    let things = words.get(from..)?;
    let said = || format!("{owner} {}", turned(things));
    let kind = if owner == "User's" {
        Profile
    } else {
        Relationship
    };
    let be = things
        .iter()
        .take(LONGEST_THING + 1)
        .position(|word| word.is(&["is", "are", "'s"]))
        .filter(|&be| be > 0);
    if let Some(be) = be {
        let rest = &things[be + 1..];
        let favourite = things[0].is(&[
            "favourite",
            "favorite",
            "go-to",
            "preferred",
            "favourites",
            "favorites",
        ]) && be > 1
            || starts(
                things,
                &[
                    "hobby",
                    "hobbies",
                    "goal",
                    "goals",
                    "pronouns",
                    "allergies",
                    "dream_job",
                    "least_favourite",
                    "least_favorite",
                    "all-time_favourite",
                    "all-time_favorite",
                ],
            );
        if favourite
            && !rest.is_empty()
            && !things[..be].iter().any(|word| word.is(&["thing", "part"]))
        {
            return reading(said(), if owner == "User's" { Preference } else { kind });
        }
        let own = starts(things, OWN) && be <= 3;
        let is_name = things[..be]
            .iter()
            .any(|word| word.form == "name" || word.form == "nickname");
        if own && !rest.is_empty() && (is_name || is_specific(rest)) {
            return reading(said(), kind);
        }
    }
    let dated = things.iter().take(3).any(|word| word.is(DATED));
    #[rustfmt::skip]
    let falls = things.iter().take(6).any(|word| word.is(&["is", "are", "'s", "expires", "ends", "starts", "begins", "falls", "runs", "takes", "got", "expire", "end", "start", "was"]));
    if dated && falls && has_date(things) {
        return reading(said(), Task);
    }
    None
}

/// What "as a teacher, I …" says before it comes to its point.
pub(in crate::extract::spoken) fn role(words: &[Word<'_>]) -> Option<Reading> {
    let noun = as_a(words)?;
    Some(Reading {
        length: noun + 2,
        content: format!("User is {}", turned(&words[1..noun + 2])),
        kind: Profile,
    })
}

/// "as a teacher", before what that means for the user: how many words the noun takes, with its adjectives.
fn as_a(words: &[Word<'_>]) -> Option<usize> {
    #[rustfmt::skip]
    const NO_ROLES: &[&str] = &[
        "joke", "result", "kid", "child", "rule", "favour", "favor", "treat", "test", "gift", "start",
        "whole", "matter", "side", "backup", "teenager", "last", "first", "next", "temporary", "quick",
        "reference", "reminder", "way", "bonus", "snack", "hobby", "family", "team", "couple", "group",
        "customer", "general", "present", "user", "workaround", "precaution", "compromise", "consequence",
        "boy", "girl", "baby", "human", "starter", "thank", "heads-up", "language", "company",
    ];
    let opens = words.first()?.form == "as" && words.get(1)?.is(&["a", "an"]);
    let i = words.iter().position(|word| word.form == "i");
    let noun = i
        .unwrap_or(words.len())
        .checked_sub(2)
        .filter(|noun| (1..=4).contains(noun))?;
    let role = &words[2..2 + noun];
    let plain = !role.iter().any(|word| word.is(NO_ROLES)) && role.iter().all(Word::follows);
    (opens
        && plain
        && super::complement::complement(&words[1..2 + noun], Who::User, false).is_some())
    .then_some(noun)
}

/// A thing is said to be something, not how it goes today.
fn is_specific(words: &[Word<'_>]) -> bool {
    let Some(first) = words.first() else {
        return false;
    };
    first.is(&[
        "a",
        "an",
        "to",
        "o",
        "ab",
        "from",
        "in",
        "they/them",
        "she/her",
        "he/him",
        "on",
    ]) || words.iter().any(|word| {
        word.is_capital() && word.form != "i" || word.form.bytes().any(|byte| byte.is_ascii_digit())
    }) || super::complement::complement(words, Who::User, false).is_some()
}

/// "call me Teo", "you can call me Teo", "everyone calls me Teo", "I go by Teo".
fn called<'content>(words: &[Word<'content>]) -> Option<&'content str> {
    #[rustfmt::skip]
    const OPENINGS: &[&str] = &[
        "call_me", "you_can_call_me", "just_call_me", "please_call_me", "people_call_me", "friends_call_me",
        "my_friends_call_me", "everyone_calls_me", "everybody_calls_me", "i_go_by", "address_me_as",
        "refer_to_me_as", "i_am_called", "most_people_call_me",
    ];
    let opening = OPENINGS.iter().find(|opening| starts(words, &[opening]))?;
    let length = opening.split('_').count();
    let name = words.get(length).filter(|name| name.follows())?;
    let ends = words.len() <= length + 2;
    let named = name.is_capital() && !name.is_shouted() && name.form != "i";
    #[rustfmt::skip]
    let idiom = name.is(&["crazy", "mad", "paranoid", "biased", "picky", "naive", "stupid", "back", "later", "a", "an", "when", "if", "at", "old-fashioned", "old", "what", "whatever", "lazy", "weird", "the", "tomorrow", "anything", "on"]);
    (named || ends && words.len() == length + 1 && !idiom).then_some(name.written)
}
