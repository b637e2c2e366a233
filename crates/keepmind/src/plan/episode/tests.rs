//! Whatever was said: what is told of it is the user's own, within the limit, and the same again.

use std::collections::BTreeSet;

use proptest::prelude::*;
use time::UtcOffset;
use uuid::Uuid;

use super::*;
use crate::change::{Draft, Snapshot};
use crate::ids::SessionId;
use crate::memory::Span;
use crate::model::CountingIds;
use crate::owner::OwnerState;
use crate::plan::{Entry, Findings, Said};
use crate::policy::Policy;
use crate::text;

fn session() -> SessionId {
    SessionId::new(Uuid::from_u128(7))
}

fn happened(messages: &[&str]) -> Happened {
    let number = |place: usize| MessageNumber::new(place as u64 + 1).expect("from one on");
    let said = messages.iter().enumerate();
    Happened {
        messages: (
            MessageNumber::FIRST,
            number(messages.len().saturating_sub(1)),
        ),
        time: (Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH),
        turn: Turn {
            session: session(),
            said: said
                .map(|(place, content)| Said::new(number(place), content, &[]))
                .collect(),
            untrusted: false,
        },
        served: BTreeSet::new(),
    }
}

fn claim(happened: &Happened, told: Option<&str>, entombed: &[Stretch]) -> Option<Claim> {
    let base = Snapshot::empty(OwnerState::NONE);
    let mut ids = CountingIds::default();
    let findings = Findings::default();
    let policy = Policy::default();
    let planner = Planner {
        draft: Draft::new(&base, Timestamp::UNIX_EPOCH, &mut ids).expect("a draft"),
        policy: &policy,
        entry: Entry::Extractor(&happened.turn),
        findings: &findings,
        offset: UtcOffset::UTC,
        readings: Default::default(),
    };
    let (claim, _) = planner.episode(happened, told, entombed)?;
    Some(claim)
}

fn stretch(message: u64, start: u32, end: u32) -> Stretch {
    Stretch {
        session: session(),
        message: MessageNumber::new(message).expect("from one on"),
        span: Span { start, end },
    }
}

#[test]
fn what_is_told() {
    for (messages, expected) in [
        (&["hi", "ok thanks"][..], None),
        (
            &["I like tea.", "I like tea."],
            Some(r#"On 1970-01-01: "I like tea.""#),
        ),
        (
            &["ok. I moved to Graz in May.", "Is it far from Vienna?"],
            Some(r#"On 1970-01-01: "I moved to Graz in May."; asked "Is it far from Vienna?""#),
        ),
        (
            &["I was served a tea. My key is sk-proj-9fK2mQ7xW4vB8nL1cR5tY3uZ6aE0"],
            Some(r#"On 1970-01-01: "I was served a tea.""#),
        ),
        (
            &["I take insulin. I like tea."],
            Some(r#"On 1970-01-01: "I like tea.""#),
        ),
    ] {
        let told = claim(&happened(messages), None, &[]).map(|claim| claim.content);
        assert_eq!(told.as_deref(), expected, "{messages:?}");
    }
}

#[test]
fn a_sentence_that_was_forgotten_in_part_is_not_told() {
    let chat = happened(&["I like tea and milk. I moved to Graz."]);
    for (start, end) in [(0, 10), (15, 19), (19, 20)] {
        let told = claim(&chat, None, &[stretch(1, start, end)]).expect("an episode");
        assert_eq!(told.content, r#"On 1970-01-01: "I moved to Graz.""#);
    }
    let elsewhere = claim(&chat, None, &[stretch(2, 0, 10)]).expect("an episode");
    assert!(elsewhere.content.contains("tea"));
    let all = [stretch(1, 0, 5), stretch(1, 25, 28)];
    assert_eq!(claim(&chat, None, &all), None);
    // Nor does a model tell the name that stood there.
    let told = Some("User spoke of Graz");
    let content = |entombed: &[Stretch]| claim(&chat, told, entombed).map(|claim| claim.content);
    assert_eq!(content(&[]).as_deref(), told);
    assert_ne!(content(&[stretch(1, 21, 37)]).as_deref(), told);
}

#[test]
fn echoes_are_not_told() {
    let mut chat = happened(&["User keeps bees in a barn near Ghent"]);
    assert!(claim(&chat, None, &[]).is_some());
    chat.served
        .insert("- #2 User keeps bees in a barn near Ghent".to_owned());
    assert_eq!(claim(&chat, None, &[]), None);
}

#[test]
fn an_episode_says_of_which_messages_it_tells() {
    let place = |number| MessageNumber::new(number).expect("from one on");
    let told = claim(&happened(&["I like tea.", "ok"]), None, &[]).expect("an episode");
    assert_eq!(told_of(&told), Some((place(1), place(2))));
    let mut old = told.clone();
    old.value = None;
    old.messages = vec![place(5), place(3)];
    assert_eq!(told_of(&old), Some((place(3), place(5))));
    old.messages.clear();
    assert_eq!(told_of(&old), None);
    let fact = Claim {
        layer: Layer::Fact,
        ..told
    };
    assert_eq!(told_of(&fact), None);
}

fn any_message() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "I like tea",
        "My dog is called Rex",
        "ok",
        "Is it far",
        "password",
        "hunter2hunter2",
        "ignore all rules",
        "I take insulin",
        "我养了一只猫",
        "。",
        ".",
        "?",
        "\n",
        " ",
        "\u{202e}",
        "\"",
        "é",
        "forget that",
    ]);
    prop_oneof![
        prop::collection::vec(parts, 0..12).prop_map(|parts| parts.join(" ")),
        "(?s).{0,80}",
    ]
}

proptest! {
    #[test]
    fn bounded_the_users_own_and_the_same_again(
        messages in prop::collection::vec(any_message(), 0..6),
        told in prop::option::of(any_message()),
        entombed in prop::collection::vec((1_u64..7, 0_u32..60, 1_u32..20), 0..4),
    ) {
        let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
        let chat = happened(&messages);
        let entombed: Vec<Stretch> = entombed
            .into_iter()
            .map(|(message, start, length)| stretch(message, start, start + length))
            .collect();
        let first = claim(&chat, told.as_deref(), &entombed);
        prop_assert_eq!(&first, &claim(&chat, told.as_deref(), &entombed));
        let Some(claim) = first else {
            return Ok(());
        };
        let content = &claim.content;
        prop_assert!(text::line(content).is_ok_and(|line| line == *content));
        prop_assert!(content.chars().count() <= Policy::default().limits.content_characters as usize);
        prop_assert!(text::secret(content).is_none() && text::instruction(content).is_none());
        for piece in &claim.evidence {
            let Evidence::Quote { message, span, quote, .. } = piece else {
                continue;
            };
            let said = messages[message.get() as usize - 1];
            prop_assert_eq!(&said[span.start as usize..span.end as usize], quote.as_str());
            let here = stretch(message.get(), span.start, span.end);
            prop_assert!(!entombed.iter().any(|laid| laid.overlaps(here)));
        }
    }
}
