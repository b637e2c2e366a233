//! What a host saw: kept as it is given, found again, and nobody else's.

use std::sync::Arc;

use keepmind::command::{ObservationList, Observe};
use keepmind::{
    ChangeSet, Clock as _, CountingIds, ErrorKind, Expected, IdSource as _, InMemoryStore,
    MemoryStore as _, Observation, ObservationId, OperationId, Policy,
};
use keepmind_tests::host::{Host, on_every_store};
use keepmind_tests::moody::Moody;
use serde_json::{Value, json};

#[tokio::test]
async fn what_was_seen_is_kept_as_it_was_given_and_found_by_its_words() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let payload = json!({"moved": "the weekly meeting", "to": "09:00", "times": 3});
        let first = alice
            .observe(Observe::new("calendar", payload.clone()))
            .await
            .unwrap();
        assert_eq!((&first.payload, first.at), (&payload, host.clock.now()));
        host.seconds(60);
        let between = host.clock.now();
        alice
            .observe(Observe::new("mail", json!("answered within a minute")))
            .await
            .unwrap();
        host.seconds(60);
        let early = Observe::new("calendar", json!(["declined", "a meeting"])).at(first.at);
        alice.observe(early).await.unwrap();

        let seen = async |list: ObservationList| {
            let page = alice.observations(list).await.unwrap();
            let sources = page.observations.into_iter().map(|seen| seen.source);
            sources.collect::<Vec<_>>()
        };
        let list = |change: &dyn Fn(&mut ObservationList)| {
            let mut list = ObservationList::default();
            change(&mut list);
            list
        };
        assert_eq!(seen(list(&|_| ())).await, ["calendar", "calendar", "mail"]);
        let by = list(&|list| list.source = Some("mail".into()));
        assert_eq!(seen(by).await, ["mail"]);
        let with = list(&|list| list.text = Some("MEETINGS weekly".into()));
        assert_eq!(seen(with).await, ["calendar"]);
        let late = list(&|list| list.since = Some(between));
        assert_eq!(seen(late).await, ["mail"]);
        let before = list(&|list| list.until = Some(between));
        assert_eq!(seen(before).await, ["calendar", "calendar"]);

        let page = alice
            .observations(list(&|list| list.limit = Some(2)))
            .await
            .unwrap();
        let rest = list(&|list| list.after.clone_from(&page.next));
        assert_eq!((page.observations.len(), seen(rest).await.len()), (2, 1));

        // It is raw: nobody believes anything because of it, and nobody else sees it.
        assert!(host.kept(&alice).await.is_empty());
        assert!(alice.block().await.unwrap().text.is_empty());
        let bob = host.keepmind.user("bob").unwrap();
        let theirs = bob.observations(ObservationList::default()).await.unwrap();
        assert!(theirs.observations.is_empty());
        alice.erase().await.unwrap();
        assert!(seen(ObservationList::default()).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn what_cannot_have_been_seen_is_refused_and_nothing_is_kept() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let later = host
            .clock
            .now()
            .saturating_add(std::time::Duration::from_secs(1));
        for observe in [
            Observe::new("calendar", Value::Null),
            Observe::new("calendar", json!(1)).at(later),
            Observe::new("", json!(1)),
            Observe::new("a\0b", json!(1)),
            Observe::new("x".repeat(10_000), json!(1)),
            Observe::new("calendar", json!("x".repeat(1 << 20))),
        ] {
            let refused = alice.observe(observe.clone()).await.unwrap_err();
            assert!(
                matches!(refused.kind(), ErrorKind::Invalid | ErrorKind::Refused),
                "{observe:?}: {refused:?}"
            );
        }
        for request in [
            r#"{"request":"observe","source":"calendar"}"#,
            r#"{"request":"observe","source":1,"payload":1}"#,
            r#"{"request":"observe","source":"calendar","payload":1,"owner":"bob"}"#,
            r#"{"query":"observations","limit":-1}"#,
            r#"{"query":"observations","after":"forged"}"#,
        ] {
            alice.request(request).await.unwrap_err();
        }
        let kept = alice
            .observations(ObservationList::default())
            .await
            .unwrap();
        assert!(kept.observations.is_empty());
    })
    .await;
}

/// A host whose store tells how much was read, with ever so much that was seen before.
async fn after_much(count: u32) -> (Arc<Moody>, Host) {
    let store = Arc::new(Moody::new(Arc::new(InMemoryStore::new())));
    let host = Host::on(store.clone(), Policy::observer(), |builder| builder);
    let now = host.clock.now();
    let mut ids = CountingIds::after(1 << 100);
    let mut changes = ChangeSet::new(OperationId::new(ids.next_id()), now);
    for place in 1..=count {
        let id = ObservationId::new(ids.next_id());
        let seen = Observation {
            id,
            source: "door".to_owned(),
            payload: json!(format!("visitor {place} came")),
            at: now,
        };
        changes.observations.insert(id, seen);
    }
    let owner = host.alice().owner().clone();
    store
        .commit(&owner, Expected::Any, changes.into())
        .await
        .unwrap();
    host.days(1);
    store.observations_read();
    (store, host)
}

#[tokio::test]
async fn of_very_much_that_was_seen_the_latest_is_looked_through() {
    let (store, host) = after_much(20_500).await;
    let alice = host.alice();
    for _ in 0..2 {
        let opened = Observe::new("desktop", json!("opened the calendar"));
        alice.observe(opened).await.unwrap();
    }
    alice.consolidate().await.unwrap();
    let habit = "Again and again: opened the calendar (desktop)";
    assert_eq!(host.live(&alice).await, [habit]);
    // One more tells that there is anything new.
    assert!(store.observations_read() <= 20_001);
}

#[tokio::test]
async fn what_was_seen_long_ago_or_is_not_cited_is_not_read() {
    let (store, host) = after_much(100).await;
    let alice = host.alice();
    host.days(30);
    for _ in 0..2 {
        let opened = Observe::new("desktop", json!("opened the calendar"));
        alice.observe(opened).await.unwrap();
    }
    let done = alice.consolidate().await.unwrap();
    assert_eq!(store.observations_read(), 3, "both, and one that is new");
    let habit = done.settled[0].number.unwrap();
    let tree = alice.lineage(habit).await.unwrap();
    assert!(tree.row.observations.iter().all(|one| one.seen.is_some()));
    assert_eq!(
        (tree.row.observations.len(), store.observations_read()),
        (2, 2)
    );
}

#[tokio::test]
async fn hostile_payloads_never_fail_a_consolidation() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let long = "opened the calendar again ".repeat(4_000);
        for payload in [
            json!(long),
            json!({ "page": long, "title": "\u{1b}[2J" }),
            json!("\u{1}\u{7}\u{202e}"),
            json!({ "\n# System": "one\r\ntwo" }),
            json!("字".repeat(50_000)),
        ] {
            for _ in 0..3 {
                let seen = Observe::new("phone", payload.clone());
                alice.observe(seen).await.unwrap();
            }
        }
        let done = alice.consolidate().await.unwrap();
        let live = host.live(&alice).await;
        let most = host.keepmind.policy().limits.content_characters as usize;
        assert!(
            live.iter().all(|line| line.chars().count() <= most),
            "{live:?}"
        );
        let cut = live.iter().filter(|line| line.ends_with("… (phone)"));
        assert_eq!(cut.count(), 2, "{}: {live:?} {done:?}", host.store);
        assert!(live.iter().all(|line| !line.contains(char::is_control)));
    })
    .await;
}

#[tokio::test]
async fn what_was_seen_is_kept_in_the_form_of_all_text() {
    on_every_store(Policy::observer(), async |host| {
        let file = json!({"Cafe\u{301}": ["menu\u{308}.txt", "a\0b"]});
        let seen = Observe::new("files", file);
        let kept = host.alice().observe(seen).await.unwrap();
        assert_eq!(kept.payload, json!({"Café": ["menü.txt", "a b"]}));
    })
    .await;
}
