//! Lists of memories: what a filter lets pass, in order. Pages and cursors are in `pages`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conformance::fixtures::{Scribe, claim, moment};
use crate::conformance::furnish::furnish;
use crate::memory::{Authority, Claim, Layer, Marks, Source};
use crate::row::MemoryRow;
use crate::store::{Filter, MemoryStore, Selection};

/// Every filter by itself: what passes is what [`Filter::matches`] lets pass, in order.
pub async fn a_list_is_what_the_filter_lets_pass(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let furnished = furnish(&mut scribe).await;
    scribe
        .save(Claim {
            expires_at: Some(moment(1)),
            ..claim("is over")
        })
        .await;
    let marks = Marks {
        confidence: Some(0.5),
        ..Marks::default()
    };
    scribe
        .write(|draft| {
            let number = draft.new_number()?;
            let claim = Claim {
                layer: Layer::Episode,
                source: Source::Extracted,
                ..claim("was seen")
            };
            draft.insert_version(number, claim, marks)
        })
        .await;
    let everything = scribe.everything().await;
    let all = || Filter::new(Selection::All);
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|&word| word.to_owned())
            .collect::<BTreeSet<_>>()
    };
    let now = moment(100);
    let filters = [
        all(),
        Filter::new(Selection::Held),
        Filter::new(Selection::Ended),
        Filter::live(now),
        Filter::live(moment(0)),
        Filter::live(moment(2_000_000)),
        Filter::new(Selection::Expired { at: now }),
        Filter::new(Selection::Expired { at: moment(1) }),
        Filter {
            layers: [Layer::Digest, Layer::Episode].into(),
            ..all()
        },
        Filter {
            categories: words(&["facts"]),
            ..all()
        },
        Filter {
            categories: words(&["other"]),
            ..all()
        },
        Filter {
            domains: words(&["travel", "food"]),
            ..all()
        },
        Filter {
            excluded_domains: words(&["travel"]),
            ..all()
        },
        Filter {
            domains: words(&["travel"]),
            excluded_domains: words(&["travel"]),
            ..all()
        },
        Filter {
            authorities: [Authority::Rule].into(),
            ..all()
        },
        Filter {
            sources: [Source::Extracted, Source::Derived].into(),
            ..all()
        },
        Filter {
            tags: words(&["home", "never"]),
            ..all()
        },
        Filter {
            all_tags: words(&["home"]),
            ..all()
        },
        Filter {
            all_tags: words(&["home", "never"]),
            ..all()
        },
        Filter {
            since_from: Some(moment(3)),
            ..all()
        },
        Filter {
            since_from: Some(moment(1)),
            since_until: Some(moment(4)),
            ..all()
        },
        Filter {
            sessions: [furnished.session].into(),
            ..all()
        },
        Filter {
            min_confidence: Some(0.0),
            ..all()
        },
        Filter {
            min_confidence: Some(0.5),
            ..all()
        },
        Filter {
            min_confidence: Some(0.500_000_1),
            ..all()
        },
        Filter {
            min_confidence: Some(1.0),
            ..all()
        },
        Filter {
            recorded_from: Some(moment(5)),
            ..all()
        },
        Filter {
            recorded_until: Some(moment(5)),
            ..all()
        },
        Filter {
            recorded_from: Some(moment(5)),
            recorded_until: Some(moment(5)),
            ..all()
        },
        Filter {
            recorded_from: Some(moment(3)),
            layers: [Layer::Fact].into(),
            ..Filter::live(now)
        },
    ];
    for filter in filters {
        let expected: Vec<MemoryRow> = everything
            .memories()
            .filter(|row| filter.matches(row))
            .cloned()
            .collect();
        assert_eq!(scribe.listed(filter.clone()).await, expected, "{filter:?}");
    }
}

/// Rows come in order of number and version, whatever their ids and stamps.
pub async fn a_list_is_in_order_of_number_and_version(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let first = scribe.note("one").await;
    for content in [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    ] {
        scribe.note(content).await;
    }
    let mut last = first;
    for version in 2..=11 {
        last = scribe.update(&last, &format!("one, again {version}")).await;
    }
    let rows = scribe.listed(Filter::new(Selection::All)).await;
    let places: Vec<_> = rows
        .iter()
        .map(|row| (row.body.number.get(), row.body.version.get()))
        .collect();
    let mut expected: Vec<(u64, u64)> = (1..=11).map(|version| (1, version)).collect();
    expected.extend((2..=11).map(|number| (number, 1)));
    assert_eq!(places, expected);
}
