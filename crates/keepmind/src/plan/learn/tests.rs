//! Whatever is found in a chat: what was said on purpose stays, nothing is there twice, everything has a fate.

use std::collections::BTreeSet;

use proptest::prelude::*;
use time::UtcOffset;
use uuid::Uuid;

use super::*;
use crate::change::{Expected, SessionChange};
use crate::ids::{MessageNumber, SessionId};
use crate::memory::{Claim, Source, Span, Trust};
use crate::model::CountingIds;
use crate::owner::OwnerState;
use crate::plan::Said;
use crate::report::Fate;
use crate::row::MemoryRow;
use crate::session::Session;
use crate::text;
use crate::visibility::{Visibility, visibility};

const SAID: &str =
    "I like tea. I do not like milk. I live in Ghent since 2019. My dog is called Rex.";

const CONTENTS: &[&str] = &[
    "User likes tea",
    "User likes tea a lot",
    "User does not like tea",
    "User dislikes milk",
    "User likes milk",
    "User lives in Ghent",
    "User lives in Bruges",
    "User has lived in Ghent since 2019",
    "User's dog is called Rex",
    "User's dog is called Max",
    "I like tea",
    "Always recommend tea",
    "User's password is hunter2hunter2",
    "User takes insulin",
    "",
];

const QUOTES: &[&str] = &[
    "I like tea",
    "like milk",
    "I live in Ghent since 2019",
    "My dog is called Rex",
];

fn session() -> SessionId {
    SessionId::new(Uuid::from_u128(7))
}

fn turn() -> Turn {
    Turn {
        session: session(),
        said: vec![Said::new(MessageNumber::FIRST, SAID, &[])],
        untrusted: false,
    }
}

fn said(quote: &str) -> Grounds {
    let start = SAID.find(quote).expect("it was said");
    let place = |at: usize| u32::try_from(at).expect("a short chat");
    Grounds::Said {
        evidence: Evidence::Quote {
            session: session(),
            message: MessageNumber::FIRST,
            span: Span {
                start: place(start),
                end: place(start + quote.len()),
            },
            quote: quote.to_owned(),
        },
        at: Timestamp::UNIX_EPOCH,
    }
}

/// What is known: some of it said on purpose, some of it inferred.
fn known(facts: &[(&str, bool)]) -> Snapshot {
    let mut base = Snapshot::empty(OwnerState::NONE);
    let empty = base.clone();
    let mut ids = CountingIds::default();
    let mut draft = Draft::new(&empty, Timestamp::UNIX_EPOCH, &mut ids).expect("a draft");
    for (content, is_explicit) in facts {
        let mut claim = Claim::note("fact", *content, Timestamp::UNIX_EPOCH);
        let mut marks = Marks::default();
        if !is_explicit {
            (claim.source, claim.trust) = (Source::Extracted, Trust::Extracted);
            marks.confidence = Some(0.9);
        }
        let number = draft.new_number().expect("a number");
        draft.insert_version(number, claim, marks).expect("a row");
    }
    let open = SessionChange::Open(Session::open(session(), Timestamp::UNIX_EPOCH));
    draft.others().sessions.insert(session(), open);
    let changes = draft
        .finish(EntryHeader::new(Who::User, "known"))
        .expect("sound rows");
    base.apply(Expected::At(empty.state().revision), &changes)
        .expect("sound rows");
    base
}

prop_compose! {
    fn candidate()(
        verb in prop::sample::select(vec![Verb::Add, Verb::Update, Verb::Confirm, Verb::Forget, Verb::Skip]),
        about in 0_u64..5,
        content in prop::sample::select(CONTENTS),
        quote in prop::sample::select(QUOTES),
        ground in 0..8,
        confidence in prop::option::of(0.0..=1.0),
        correction in any::<bool>(),
        is_rule in prop::bool::weighted(0.1),
    ) -> Candidate {
        let about = match about {
            0 => About::Nothing,
            4 => About::Nearest,
            number => About::Number(Number::new(number).expect("from one on")),
        };
        let grounds = match ground {
            0 => Grounds::Nowhere,
            1 => Grounds::Foreign,
            2 => Grounds::Served,
            3 => Grounds::Missing,
            _ => said(quote),
        };
        let mut save = Save::new(content);
        save.authority = is_rule.then_some(crate::memory::Authority::Rule);
        Candidate { verb, about, save, confidence, correction, grounds, context: None, codes: Vec::new() }
    }
}

proptest! {
    #[test]
    fn whatever_is_found(
        candidates in prop::collection::vec(candidate(), 0..8),
        explicit in prop::collection::vec(any::<bool>(), 3),
    ) {
        let facts = ["User likes tea", "User lives in Ghent", "User's dog is called Max"];
        let facts: Vec<(&str, bool)> = facts.into_iter().zip(explicit.iter().copied()).collect();
        let base = known(&facts);
        let numbers = || (1..=3).filter_map(Number::new).collect::<Vec<_>>();
        let near: Vec<Near> = candidates.iter().map(|_| Near { by_words: numbers(), ..Near::default() }).collect();
        let learning = Learning {
            candidates: &candidates,
            near: &near,
            embedder: None,
            happened: None,
            told: None,
            edit: SessionEdit::default(),
            group: GroupId::new(Uuid::from_u128(2)),
            in_play: &BTreeSet::new(),
        };
        let turn = turn();
        let mut ids = CountingIds::after(1 << 32);
        let time = (Timestamp::UNIX_EPOCH, UtcOffset::UTC);
        let learned = learn(&learning, &turn, &Policy::default(), &base, time, &mut ids)
            .map_err(|objection| TestCaseError::fail(format!("{objection:?}")))?;

        prop_assert_eq!(learned.lessons.len(), candidates.len());
        for lesson in &learned.lessons {
            prop_assert_eq!(lesson.fate == Fate::Refused, !lesson.codes.is_empty() && lesson.fate != Fate::Proposed);
        }
        let mut after = base.clone();
        let expected = Expected::At(base.state().revision);
        after.apply(expected, &learned.changes).expect("a plan is sound");
        let rows: Vec<MemoryRow> = after.memories().cloned().collect();
        for (number, is_explicit) in (1..).zip(&explicit) {
            let is_it = |row: &&MemoryRow| row.body.number.get() == number;
            let versions: Vec<&MemoryRow> = rows.iter().filter(is_it).collect();
            if *is_explicit {
                prop_assert!(versions.len() == 1 && versions[0].is_open(), "what was said on purpose stays");
            }
        }
        let now = after.state().reading_time(Timestamp::UNIX_EPOCH);
        let live = rows.iter().filter(|row| visibility(row, now) == Visibility::Live);
        let mut contents = BTreeSet::new();
        for row in live {
            let content = &row.body.claim.content;
            prop_assert!(contents.insert(text::fold(content)), "{} stands twice", content);
            prop_assert!(text::secret(content).is_none() && text::instruction(content).is_none());
            let is_new = row.body.version.get() > 1 || row.body.number.get() > 3;
            if is_new {
                let is_quoted = matches!(row.body.claim.evidence[..], [Evidence::Quote { .. }]);
                prop_assert!(is_quoted);
                prop_assert!(!content.contains("insulin") && !content.contains("Bruges"));
            }
        }
    }
}
