//! Whether what a verb says lasts: by the verb and what follows it, or because it is done again and again.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::StatementKind::{self, Profile};
use super::super::words::Word;
use super::before::Before;
use super::complement::{had, is_liked, is_playable, runs};
use super::dates::has_date;
use super::lists::starts;
use super::verbs::{After, HABITS, OF_THE_MIND, PAST, PRESENT, third};

type Row = &'static (&'static str, After, StatementKind);

pub(super) static BASE: LazyLock<HashMap<&str, Row>> =
    LazyLock::new(|| PRESENT.iter().map(|row| (row.0, row)).collect());
static THIRD: LazyLock<HashMap<String, Row>> =
    LazyLock::new(|| PRESENT.iter().map(|row| (third(row.0), row)).collect());
pub(super) static PASTS: LazyLock<HashMap<&str, Row>> =
    LazyLock::new(|| PAST.iter().map(|row| (row.0, row)).collect());

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Base,
    Third,
}

/// Whether a verb with what follows it says something lasting, and of which kind.
pub(super) fn lasting(
    words: &[Word<'_>],
    before: Before,
    form: Form,
    always: bool,
) -> Option<StatementKind> {
    let (verb, rest) = words.split_first()?;
    let row = match form {
        Form::Base => BASE.get(&*verb.form),
        Form::Third => THIRD.get(&*verb.form),
    };
    let row = row.or_else(|| PASTS.get(&*verb.form));
    if let Some(row) = row
        && follows_well(rest, row.1)
        && !starts(
            rest,
            &[
                "the_model",
                "a_model",
                "the_network",
                "a_network",
                "the_dataset",
            ],
        )
    {
        return Some(row.2);
    }
    // A day in the calendar makes a plan of a beginning.
    if verb.is(&["start", "starts"]) && has_date(rest) {
        return Some(StatementKind::Task);
    }
    let known =
        verb.form.chars().all(|letter| letter.is_ascii_lowercase()) && !verb.is(OF_THE_MIND);
    let present = known
        && !verb.form.ends_with("ed")
        && !verb.form.ends_with("ing")
        && !verb.form.ends_with("ly");
    let agrees = form == Form::Base || verb.form.ends_with('s');
    if before.remember && known {
        return Some(Profile);
    }
    (present && agrees && (always || before.habit || is_habit(rest)) && !works_on(rest))
        .then_some(Profile)
}

fn follows_well(rest: &[Word<'_>], after: After) -> bool {
    let goes_on = rest.first().is_some_and(Word::follows);
    match after {
        After::Open => rest.is_empty() || goes_on && !rest[0].is(&["i", "we", "they", "he", "she"]),
        After::Something => goes_on && !rest[0].is(&["that", "how", "what", "why", "when", "if"]),
        After::Begins(list) => goes_on && starts(rest, list) && !starts(rest, FIGURES),
        After::Liking => goes_on && is_liked(rest),
        After::Had => goes_on && had(rest),
        After::Run => goes_on && runs(rest),
        After::Owned => goes_on && (had(rest) || runs(rest)),
        After::Dated => goes_on && has_date(rest),
        After::Age => {
            goes_on && (rest[0].number().is_some_and(|age| age < 120) || rest[0].is(AGES))
        }
        After::Play => goes_on && is_playable(rest),
        After::Name => {
            goes_on
                && rest.iter().any(|word| {
                    word.is_capital()
                        || word.is(&[
                            "languages",
                            "english",
                            "german",
                            "spanish",
                            "french",
                            "italian",
                            "dutch",
                        ])
                })
        }
    }
}

#[rustfmt::skip]
const AGES: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty",
    "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// Whether somebody who does not do this says something lasting by it: "I don't drive", "I don't watch TV".
pub(super) fn is_abstention(words: &[Word<'_>]) -> bool {
    let verb = words.first().is_some_and(|verb| {
        verb.is(&[
            "drive",
            "own",
            "watch",
            "wear",
            "ride",
            "cook",
            "celebrate",
            "fly",
            "gamble",
            "swim",
            "dance",
            "travel",
            "sing",
            "exercise",
        ])
    });
    verb && words.get(1).is_none_or(|next| {
        next.follows() && !next.is(&["the", "that", "him", "her", "them", "there", "to", "his"])
    })
}

/// Places and ways that are none: "live in fear".
#[rustfmt::skip]
const FIGURES: &[&str] = &[
    "in_fear", "in_constant", "in_hope", "in_denial", "in_hell", "in_a_bubble", "in_the_past",
    "in_the_moment", "in_a_dream", "in_sin", "with_it", "with_that", "with_this", "in_the_future",
    "in_interesting", "in_a_world", "on_it", "for_it", "like",
];

/// What is done to what one works on is no habit worth keeping: "run the script every morning".
pub(super) fn works_on(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const WORKED_ON: &[&str] = &[
        "script", "code", "build", "tests", "test", "query", "command", "program", "pipeline", "app",
        "server", "file", "job", "backup", "error", "bug", "function", "page", "report", "database",
        "migration", "version", "update",
    ];
    words.iter().take(4).any(|word| word.is(WORKED_ON))
}

/// Something done again and again.
pub(in crate::extract::spoken) fn is_habit(words: &[Word<'_>]) -> bool {
    (0..words.len()).any(|at| starts(&words[at..], HABITS))
}

/// "in York", "at Spotify".
pub(super) fn is_somewhere(words: &[Word<'_>]) -> bool {
    words
        .first()
        .is_some_and(|word| word.is(&["in", "at", "with"]))
        && words
            .get(1)
            .is_some_and(|word| word.is_capital() && word.follows())
}

/// A doing with a day in the calendar.
pub(super) fn is_planned(words: &[Word<'_>]) -> bool {
    let Some(first) = words.first() else {
        return false;
    };
    // "Going to Lima" is a journey, "going to say" nothing.
    let only_will = first.form == "going" && !words.get(2).is_some_and(Word::is_capital);
    first.form.ends_with("ing") && !only_will && has_date(words)
}
