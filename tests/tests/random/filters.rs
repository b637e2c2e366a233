//! Slices, filters and limits at random.

use std::collections::BTreeSet;

use keepmind::store::{Filter, Selection};
use keepmind::visibility::{AsOf, Status};
use keepmind::{Authority, GroupId, Kind, SessionId, Slice, Snapshot, Uuid};
use keepmind_tests::Random;
use keepmind_tests::claims::{any_moment, category, domain, layer, source, tag, words};

/// A few of these, so many times out of a hundred.
pub fn some_of<T: Clone + Ord>(random: &mut Random, percent: usize, items: &[T]) -> BTreeSet<T> {
    let count = if random.chance(percent) {
        1 + random.below(3)
    } else {
        0
    };
    (0..count).filter_map(|_| random.pick(items)).collect()
}

/// A part of what there is.
pub fn slice(random: &mut Random, data: &Snapshot) -> Slice {
    let rows = keepmind_tests::invariants::rows(data);
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let origins: Vec<_> = rows
        .iter()
        .map(|row| (row.body.kind(), row.origin))
        .collect();
    let numbers: Vec<_> = data.memories().map(|row| row.body.number).collect();
    let contents: Vec<_> = data
        .memories()
        .map(|row| row.body.claim.content.to_uppercase())
        .collect();
    let sessions: Vec<SessionId> = data.sessions().map(|session| session.id).collect();
    let buried: Vec<SessionId> = data.tombstones().map(|row| row.body.session).collect();
    let operations: Vec<_> = data.journal().map(|entry| entry.operation).collect();
    let mut origins = some_of(random, 30, &origins);
    origins.extend(random.sometimes(5, |random| {
        (
            Kind::Memory,
            keepmind::Origin::new(Uuid::from_u128(random.below(9) as u128)),
        )
    }));
    Slice {
        everything: false,
        numbers: some_of(random, 30, &numbers),
        rows: some_of(random, 30, &ids),
        origins,
        rules: (0..random.below(3))
            .map(|_| (domain(random), random.one_of(&["home", "diet"]).to_owned()))
            .collect(),
        contents: some_of(random, 30, &contents),
        proposals: random.chance(30),
        unaccepted_proposals: random.chance(25),
        all_proposals: random.chance(15),
        tombstones: some_of(random, 30, &buried),
        consents: random.chance(30),
        sessions: some_of(random, 30, &sessions),
        journal_since: random.sometimes(20, |random| random.below(40) as u64),
        operations: some_of(random, 20, &operations),
        groups: (0..random.below(2))
            .map(|_| GroupId::new(Uuid::from_u128(random.below(3) as u128)))
            .collect(),
    }
}

/// A filter, now and then one that is refused.
pub fn filter(random: &mut Random, data: &Snapshot) -> Filter {
    let at = any_moment(random);
    let selection = match random.below(8) {
        0 => Selection::Held,
        1 => Selection::Expired { at },
        2 => Selection::Ended,
        6 => Selection::Status {
            status: random.one_of(&[
                Status::Active,
                Status::Candidate,
                Status::Expired,
                Status::Superseded,
                Status::Inactive,
            ]),
            at,
        },
        3 => Selection::All,
        4 | 5 => Selection::Live { at },
        _ => Selection::AsOf {
            question: AsOf {
                valid: at,
                known: any_moment(random),
            },
        },
    };
    let sessions: Vec<SessionId> = data.sessions().map(|session| session.id).collect();
    let is_narrow = random.chance(50);
    let mut few = |percent: usize| {
        if is_narrow && random.chance(percent) {
            1 + random.below(2)
        } else {
            0
        }
    };
    let counts = [few(20), few(20), few(20), few(20), few(20), few(20)];
    Filter {
        layers: (0..counts[0]).map(|_| layer(random)).collect(),
        categories: (0..counts[1]).map(|_| category(random)).collect(),
        domains: (0..counts[2]).map(|_| domain(random)).collect(),
        excluded_domains: (0..counts[3]).map(|_| domain(random)).collect(),
        sources: (0..counts[4]).map(|_| source(random)).collect(),
        tags: (0..counts[5]).map(|_| tag(random)).collect(),
        authorities: random
            .sometimes(10, |random| {
                random.one_of(&[Authority::Rule, Authority::Note])
            })
            .into_iter()
            .collect(),
        sessions: some_of(random, 10, &sessions),
        min_confidence: random.sometimes(15, |random| {
            if random.chance(90) {
                random.fraction()
            } else {
                f64::NAN
            }
        }),
        recorded_from: random.sometimes(15, any_moment),
        recorded_until: random.sometimes(15, any_moment),
        since_from: random.sometimes(15, any_moment),
        since_until: random.sometimes(15, any_moment),
        all_tags: random.sometimes(10, tag).into_iter().collect(),
        text: random.sometimes(10, |random| {
            let said = words(random);
            said.split(' ').next().unwrap_or_default().to_owned()
        }),
        ..Filter::new(selection)
    }
}

/// How much of an answer is wanted at once.
pub fn limit(random: &mut Random) -> usize {
    match random.below(10) {
        0..3 => usize::MAX,
        3 => 1 + random.below(3),
        _ => 5 + random.below(60),
    }
}
