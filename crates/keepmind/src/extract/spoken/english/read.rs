//! Reads one clause: who, what of them, and whether that lasts.

use super::super::StatementKind::{self, Preference, Profile, Relationship, Task};
use super::super::frames::Reading;
use super::super::words::Word;
use super::before::Before;
use super::complement::{complement, had, has_begun, is_people};
use super::dates::has_date;
use super::lasting::{BASE, Form, PASTS, is_abstention, is_planned, is_somewhere, lasting};
use super::lists::{adverbs, starts};
use super::own_things;
use super::rewrite::turned;
use super::subject::{Subject, Who, subject};
use super::verbs::{ABLE, third};

/// Whether a clause may go on here with a verb and without its subject.
pub(in crate::extract::spoken) fn begins_with_verb(words: &[Word<'_>]) -> bool {
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let form = &*first.form;
    let goes_on = rest.first().is_some_and(Word::follows);
    goes_on
        && (BASE.contains_key(form)
            || PASTS.contains_key(form)
            || first.is(&["am", "do", "have", "can", "will"]))
}

/// Whether a clause begins as a question does: verb first, then its subject.
pub(in crate::extract::spoken) fn inverts(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const FIRST: &[&str] = &[
        "is", "are", "was", "were", "do", "does", "did", "can", "could", "would", "should", "will", "have",
        "has", "am", "might", "shall",
    ];
    #[rustfmt::skip]
    const SECOND: &[&str] = &[
        "i", "you", "he", "she", "it", "we", "they", "this", "that", "these", "those", "there", "my",
        "your", "his", "her", "our", "their", "the", "anyone", "someone", "anybody", "people", "any",
    ];
    words.first().is_some_and(|word| word.is(FIRST)) && words.get(1).is_some_and(|word| word.is(SECOND) && word.follows())
        // "Have a dog" and "do my best" command.
        && !(words[0].is(&["have", "do"]) && words[1].is(&["my", "your", "the", "this", "that", "these", "those", "any", "it", "his", "her", "our", "their"]))
}

/// What a clause says of the user or somebody close, if it lasts.
pub(in crate::extract::spoken) fn read(words: &[Word<'_>], before: Before) -> Option<Reading> {
    if let Some(reading) = own_things::read(words) {
        return Some(reading);
    }
    let subject = subject(words).or_else(|| {
        (before.inherits && begins_with_verb(words)).then(|| Subject {
            who: Who::User,
            length: 0,
            called: "User".to_owned(),
            plural: false,
        })
    })?;
    let rest = &words[subject.length..];
    if rest.first().is_none_or(|word| !word.follows()) && subject.length > 0 {
        return None;
    }
    if subject.who == Who::User
        && let Some(name) = named(rest)
    {
        return Some(Reading {
            length: subject.length + 2,
            content: format!("User's name is {name}"),
            kind: Profile,
        });
    }
    let (said, kind) = predicate(rest, &subject, before)?;
    let kind = if subject.who == Who::Close {
        Relationship
    } else {
        kind
    };
    Some(Reading {
        length: words.len(),
        content: format!("{} {said}", subject.called),
        kind,
    })
}

/// What one says with a date, and means.
#[rustfmt::skip]
const DATED_DOINGS: &[&str] = &[
    "be", "fly", "move", "start", "marry", "graduate", "retire", "turn", "leave", "travel", "return", "defend",
];

/// "am Marta": a single word with a capital that names no people.
fn named<'content>(words: &[Word<'content>]) -> Option<&'content str> {
    let [be, name, rest @ ..] = words else {
        return None;
    };
    let ends = rest
        .first()
        .is_none_or(|next| !next.follows() || next.is(&["from", "and", "by"]));
    let plain =
        name.written.chars().skip(1).all(char::is_lowercase) && name.written.chars().count() > 2;
    (be.form == "am" && name.follows() && name.is_capital() && plain && ends && !is_people(name))
        .then_some(name.written)
}

/// What is said of the subject, agreeing with it, and its kind.
fn predicate(
    words: &[Word<'_>],
    subject: &Subject,
    before: Before,
) -> Option<(String, StatementKind)> {
    let start = adverbs(words, 0);
    let verb = words.get(start)?;
    let lead = turned(&words[..start]);
    let always = words[..start].iter().any(|word| {
        word.is(&[
            "always",
            "never",
            "usually",
            "normally",
            "only",
            "generally",
        ])
    });
    let with_lead = |said: String| {
        if lead.is_empty() {
            said
        } else {
            format!("{lead} {said}")
        }
    };
    let denied = words.get(start + 1).is_some_and(|word| word.form == "not");
    let next = start + 1 + usize::from(denied);
    let body = words.get(next..).unwrap_or_default();
    let singular = |one: &'static str, many: &'static str| if subject.plural { many } else { one };
    let make = |auxiliary: &str, kind| {
        let said = with_lead(format!("{auxiliary} {}", turned(body)));
        Some((said.trim_end().to_owned(), kind))
    };
    match &*verb.form {
        "am" | "are" | "is" | "'s" => {
            let at = next + adverbs(body, 0);
            let kind = complement(words.get(at..)?, subject.who, denied)
                .or_else(|| before.remember.then_some(Profile))
                .or_else(|| (before.ended && is_somewhere(body)).then_some(Profile))
                .or_else(|| is_planned(body).then_some(Task))?;
            let auxiliary = match (singular("is", "are"), denied) {
                (be, true) => format!("{be} not"),
                (be, false) => be.to_owned(),
            };
            make(&auxiliary, kind)
        }
        "was" | "were" => {
            let lasts = body.first().is_some_and(|word| {
                word.is(&[
                    "born",
                    "raised",
                    "diagnosed",
                    "adopted",
                    "brought",
                    "widowed",
                ])
            });
            (lasts && !denied).then_some(())?;
            make(singular("was", "were"), Profile)
        }
        "do" | "does" if denied => {
            let at = adverbs(body, 0);
            let kind = lasting(&body[at..], before, Form::Base, always)
                .or_else(|| is_abstention(&body[at..]).then_some(Preference))?;
            make(singular("doesn't", "don't"), kind)
        }
        "do" | "does"
            if BASE.contains_key(body.first().map_or("", |word| &*word.form))
                && verb.form != body[0].form =>
        {
            let kind = lasting(body, before, Form::Base, always)?;
            make(singular("does", "do"), kind)
        }
        "can" => {
            let at = adverbs(body, 0);
            let able = starts(&body[at..], ABLE) || before.remember;
            let skilled = body.len() > at + 1
                && starts(
                    &body[at..],
                    &[
                        "speak",
                        "play_the",
                        "play_piano",
                        "play_guitar",
                        "read_music",
                        "sew",
                        "juggle",
                    ],
                );
            (denied && able || skilled || before.remember).then_some(())?;
            make(if denied { "can't" } else { "can" }, Preference)
        }
        "will" if denied => {
            let at = adverbs(body, 0);
            starts(&body[at..], ABLE).then_some(())?;
            make("won't", Preference)
        }
        "will" => {
            let moves = body.first().is_some_and(|word| word.is(DATED_DOINGS));
            (moves && has_date(body) || before.remember).then_some(())?;
            make("will", Task)
        }
        "would" => {
            let rather = body.first().is_some_and(|word| word.form == "rather");
            let compares = body.iter().any(|word| word.form == "than");
            (rather && compares && !denied).then_some(())?;
            make("would", Preference)
        }
        "have" | "has" if !denied => {
            possession(words, start, subject, before).map(|(said, kind)| (with_lead(said), kind))
        }
        "have" | "has" => {
            let got = body.first().is_some_and(|word| word.form == "got") && had(&body[1..]);
            (got || has_begun(body)).then_some(())?;
            let skipped = usize::from(got);
            let said = format!(
                "{} {}",
                singular(
                    if got { "doesn't have" } else { "hasn't" },
                    if got { "don't have" } else { "haven't" }
                ),
                turned(&body[skipped..])
            );
            Some((with_lead(said), Profile))
        }
        _ => {
            let third_person = subject.who == Who::Close && !subject.plural;
            let form = if third_person {
                Form::Third
            } else {
                Form::Base
            };
            let kind = lasting(&words[start..], before, form, always)?;
            let past = PASTS.contains_key(&*verb.form);
            let said = if past || third_person || subject.plural {
                verb.form.to_string()
            } else {
                third(&verb.form)
            };
            let body = turned(&words[start + 1..]);
            Some((
                with_lead(format!("{said} {body}").trim_end().to_owned()),
                kind,
            ))
        }
    }
}

/// "have", "have got", "have been".
fn possession(
    words: &[Word<'_>],
    at: usize,
    subject: &Subject,
    before: Before,
) -> Option<(String, StatementKind)> {
    let body = words.get(at + 1..)?;
    let has = if subject.plural { "have" } else { "has" };
    let said = |kind| Some((format!("{has} {}", turned(body)), kind));
    let skipped = adverbs(body, 0);
    let first = body.get(skipped)?;
    if first.form == "got" && had(&body[skipped + 1..]) {
        return Some((
            format!("{has} {}", turned(&body[skipped + 1..])),
            kind_of_had(body),
        ));
    }
    if had(&body[skipped..]) {
        return said(kind_of_had(body));
    }
    if has_begun(&body[skipped..]) {
        return said(Profile);
    }
    let always = body[..skipped]
        .iter()
        .any(|word| word.is(&["never", "always"]));
    if always
        && first.is(&[
            "smoked",
            "drunk",
            "owned",
            "driven",
            "learned",
            "learnt",
            "eaten",
            "played",
            "hated",
            "loved",
            "liked",
            "preferred",
            "wanted",
        ])
    {
        return said(Profile);
    }
    if before.remember && first.form != "been" {
        return said(Profile);
    }
    None
}

fn kind_of_had(words: &[Word<'_>]) -> StatementKind {
    if words
        .iter()
        .any(|word| super::people::is_person(&word.form))
    {
        Relationship
    } else {
        Profile
    }
}
