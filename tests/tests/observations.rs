//! What a host saw: kept as it is given, found again, and nobody else's.

use keepmind::command::{ObservationList, Observe};
use keepmind::{Clock as _, ErrorKind, Policy};
use keepmind_tests::host::on_every_store;
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
