//! What a recall is among: every filter alone and together, what contradicts itself, the past, and time.

use std::collections::BTreeSet;
use std::time::Duration;

use keepmind::command::{Recall, RecallBy, Save, Update};
use keepmind::policy::TimeToLive;
use keepmind::visibility::AsOf;
use keepmind::{Clock as _, Layer, Policy, Source, Timestamp};
use keepmind_tests::host::on_every_store;
use keepmind_tests::learned::learn;

use super::contents;

fn tea() -> Recall {
    Recall::new("tea").limit(50)
}

fn tags(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn moment(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

#[tokio::test]
async fn each_filter_narrows_down_and_all_of_them_together() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut home = Save::new("Drinks tea at home").category("preference");
        home.tags = tags(&["drink", "home"]);
        home.domain = Some("food".to_owned());
        home.since = Some(moment("2025-01-01T00:00:00Z"));
        alice.save(home).await.unwrap();
        let mut office = Save::new("Drinks tea in the office").category("work");
        office.tags = tags(&["drink"]);
        alice.save(office).await.unwrap();
        let now = host.clock.now();
        learn(&host.keepmind, &alice, now, "fact", "Sells tea", 0.6).await;

        let mut narrowed: Vec<(Recall, Vec<&str>)> = Vec::new();
        let mut with = |change: &dyn Fn(&mut Recall), found: &[&'static str]| {
            let mut recall = tea();
            change(&mut recall);
            narrowed.push((recall, found.to_vec()));
        };
        let (home, office, sells) = (
            "Drinks tea at home",
            "Drinks tea in the office",
            "Sells tea",
        );
        with(
            &|recall| recall.category = Some("work".to_owned()),
            &[office],
        );
        with(&|recall| recall.domain = Some("food".to_owned()), &[home]);
        with(
            &|recall| recall.layer = Some(Layer::Fact),
            &[sells, office, home],
        );
        with(&|recall| recall.layer = Some(Layer::Episode), &[]);
        with(&|recall| recall.source = Some(Source::Extracted), &[sells]);
        with(
            &|recall| recall.source = Some(Source::User),
            &[office, home],
        );
        with(&|recall| recall.tags = tags(&["drink"]), &[office, home]);
        with(&|recall| recall.tags = tags(&["drink", "home"]), &[home]);
        with(&|recall| recall.tags = tags(&["home", "never"]), &[]);
        with(
            &|recall| recall.min_confidence = Some(0.6),
            &[sells, office, home],
        );
        with(
            &|recall| recall.min_confidence = Some(0.61),
            &[office, home],
        );
        let year = moment("2026-01-01T00:00:00Z");
        with(&|recall| recall.since_until = Some(year), &[home]);
        with(&|recall| recall.since_from = Some(year), &[sells, office]);
        with(
            &|recall| {
                recall.tags = tags(&["drink"]);
                recall.source = Some(Source::User);
                recall.since_from = Some(moment("2025-01-01T00:00:00Z"));
                recall.since_until = Some(year);
                recall.layer = Some(Layer::Fact);
                recall.min_confidence = Some(1.0);
            },
            &[home],
        );
        for (recall, mut expected) in narrowed {
            let hits = alice.recall(recall.clone()).await.unwrap();
            let mut found = contents(&hits);
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{}: {recall:?}", host.store);
        }
    })
    .await;
}

#[tokio::test]
async fn what_no_memory_can_be_is_refused_with_what_would_be_right() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let year = moment("2026-01-01T00:00:00Z");
        let earlier = moment("2025-01-01T00:00:00Z");
        let mut bad: Vec<(Recall, &str, &str)> = Vec::new();
        let mut with = |change: &dyn Fn(&mut Recall), code, told| {
            let mut recall = tea();
            change(&mut recall);
            bad.push((recall, code, told));
        };
        for floor in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            with(
                &|recall| recall.min_confidence = Some(floor),
                "E_SCHEMA",
                "from 0 to 1",
            );
        }
        with(&|recall| recall.limit = Some(0), "E_SCHEMA", "at least 1");
        with(
            &|recall| recall.category = Some("nowhere".to_owned()),
            "E_SCHEMA",
            "there are: profile",
        );
        with(&|recall| recall.tags = tags(&[" "]), "E_EMPTY", "");
        with(
            &|recall| recall.tags = tags(&["a\0b"]),
            "E_CONTROL_CHARS",
            "",
        );
        let many: Vec<String> = (0..17).map(|count| format!("tag {count}")).collect();
        with(
            &|recall| recall.tags = many.iter().cloned().collect(),
            "E_LIMIT",
            "16 tags",
        );
        with(
            &|recall| (recall.since_from, recall.since_until) = (Some(year), Some(year)),
            "E_SCHEMA",
            "before `since_until`",
        );
        with(
            &|recall| {
                recall.since_from = Some(year);
                recall.as_of = Some(AsOf {
                    valid: earlier,
                    known: year,
                });
            },
            "E_SCHEMA",
            "as_of.valid",
        );
        with(
            &|recall| recall.by = RecallBy::Meaning,
            "E_NOT_APPLICABLE",
            "embedder",
        );
        for (recall, code, told) in bad {
            let refused = alice.recall(recall.clone()).await.unwrap_err();
            assert_eq!(refused.code(), Some(code), "{recall:?}: {refused}");
            assert!(refused.to_string().contains(told), "{recall:?}: {refused}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_past_is_recalled_as_it_was_without_what_is_withdrawn() {
    on_every_store(Policy::advisor(), async |host| {
        let alice = host.alice();
        alice.save("Drinks black tea").await.unwrap();
        let mut dose = Save::new("Drinks tea against a cough");
        dose.domain = Some("health".to_owned());
        alice.save(dose).await.unwrap();
        let before = host.clock.now().saturating_add(Duration::from_secs(60));
        host.days(10);
        alice
            .update(Update::new("#1", "Drinks green tea"))
            .await
            .unwrap();
        let after = host.clock.now().saturating_add(Duration::from_secs(60));
        host.days(1);

        let at = async |valid, known| {
            let mut recall = tea();
            recall.as_of = Some(AsOf { valid, known });
            let hits = alice.recall(recall).await.unwrap();
            let mut found: Vec<String> = contents(&hits).into_iter().map(str::to_owned).collect();
            found.sort();
            found
        };
        let cough = "Drinks tea against a cough";
        assert_eq!(at(before, before).await, ["Drinks black tea", cough]);
        assert_eq!(at(before, after).await, ["Drinks black tea", cough]);
        assert_eq!(at(after, after).await, ["Drinks green tea", cough]);
        alice.consent("health", false).await.unwrap();
        assert_eq!(at(before, before).await, ["Drinks black tea"]);
        alice.forget("#1").await.unwrap();
        assert_eq!(
            at(before, before).await,
            ["Drinks black tea"],
            "{}",
            host.store
        );
        assert!(alice.recall(tea()).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn what_has_expired_is_not_recalled_and_what_is_too_unsure_neither() {
    on_every_store(Policy::chat(), async |host| {
        let alice = host.alice();
        let mut today = Save::new("Wants tea today");
        today.ttl = Some(TimeToLive::Temporary);
        alice.save(today).await.unwrap();
        alice.save("Likes tea").await.unwrap();
        let now = host.clock.now();
        learn(
            &host.keepmind,
            &alice,
            now,
            "preference",
            "May grow tea",
            0.5,
        )
        .await;
        learn(&host.keepmind, &alice, now, "preference", "Grows tea", 0.8).await;
        let mut found = alice.recall(tea()).await.unwrap();
        found.sort_by_key(|hit| hit.row.body.number);
        assert_eq!(
            contents(&found),
            ["Wants tea today", "Likes tea", "Grows tea"]
        );
        host.days(2);
        let mut found = alice.recall(tea()).await.unwrap();
        found.sort_by_key(|hit| hit.row.body.number);
        assert_eq!(contents(&found), ["Likes tea", "Grows tea"]);
    })
    .await;
}
