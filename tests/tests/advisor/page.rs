//! What the memory page shows: what is believed, what was, and the way back.

use keepmind::command::{AsOfQuery, List, Save, Update};
use keepmind::store::{Filter, Selection};
use keepmind::{Clock as _, EventKind, Source, Why};
use keepmind_tests::host::call;
use keepmind_tests::learned::learn;
use serde_json::json;

use crate::{advisor, chat, next_block, shown};

fn ended() -> List {
    let mut list = List::default();
    list.filter = Some(Filter::new(Selection::Ended));
    list
}

#[tokio::test]
async fn an_update_supersedes_and_links_follow() {
    advisor(async |host, alice| {
        alice
            .save(Save::new("Retires at 50").category("profile"))
            .await
            .unwrap();
        alice.save("Wants to travel after work").await.unwrap();
        let session = chat(&alice, "actually, change that to retirement at 55").await;
        let link = json!({"from_id": 2, "to_id": 1, "relation": "relates_to"});
        call(&session, "link_preferences", link).await;
        let then = host.clock.now();
        host.days(3);
        let update = json!({"id_or_substring": "Retires", "new_content": "Retires at 55"});
        let reply = call(&session, "update_preference", update).await;
        assert_eq!(reply.message, "Updated #1: Retires at 50 → Retires at 55.");
        assert_eq!(
            host.live(&alice).await,
            ["Retires at 55", "Wants to travel after work"]
        );

        let history = alice.history("#1").await.unwrap().rows;
        let end = history[0].end.expect("the old row is stamped with an end");
        assert!(matches!(end.why, Why::Superseded { by, .. } if by == history[1].origin));
        assert_eq!(history[0].body.claim.content, "Retires at 50");
        let old = alice.as_of(AsOfQuery::at(then)).await.unwrap().rows;
        assert_eq!(old[0].body.claim.content, "Retires at 50");

        let links = alice.get("#1").await.unwrap().links;
        assert_eq!((links[0].from.get(), links[0].to.get()), (2, 1));
        alice.forget("#2").await.unwrap();
        assert!(
            alice.get("#1").await.unwrap().links.is_empty(),
            "a link to a fact that ended drops out"
        );
    })
    .await;
}

#[tokio::test]
async fn forgotten_is_kept_for_audit_and_never_injected() {
    advisor(async |host, alice| {
        alice
            .save(Save::new("Retires at 50").category("profile"))
            .await
            .unwrap();
        let session = chat(&alice, "Forget the retirement age thing, retires is wrong").await;
        call(
            &session,
            "forget_preference",
            json!({"id_or_substring": "retires"}),
        )
        .await;
        assert!(host.kept(&alice).await.is_empty());
        assert!(shown(&next_block(&alice).await).is_empty());
        let found = call(&session, "recall_preferences", json!({"query": "retires"})).await;
        assert_eq!(found.message, "Nothing saved fits that.");
        let kept = alice.list(ended()).await.unwrap().rows;
        assert_eq!(kept[0].body.claim.content, "Retires at 50");
        assert_eq!(kept[0].end.map(|end| end.why), Some(Why::Forgotten));
        alice.restore("#1").await.unwrap();
        assert_eq!(shown(&next_block(&alice).await), ["Retires at 50"]);
    })
    .await;
}

#[tokio::test]
async fn deleted_rows_wait_thirty_days_in_the_trash() {
    advisor(async |host, alice| {
        alice.save("Owns a boat").await.unwrap();
        alice.save("Owns a kite").await.unwrap();
        alice.trash("boat").await.unwrap();
        alice.trash("kite").await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        host.days(29);
        let restored = alice.restore("boat").await.unwrap();
        assert_eq!(restored.event.unwrap().kind, EventKind::Restored);
        assert_eq!(host.live(&alice).await, ["Owns a boat"]);
        host.days(2);
        assert_eq!(
            alice.restore("kite").await.unwrap_err().code(),
            Some("E_NOT_FOUND")
        );
    })
    .await;
}

#[tokio::test]
async fn the_memory_page_lists_by_category_with_source_and_window() {
    advisor(async |host, alice| {
        let opened = host.clock.now();
        alice
            .save(Save::new("Thai tax resident").category("finance_context"))
            .await
            .unwrap();
        host.days(1);
        let session = chat(&alice, "show percentages, not dollars").await;
        let style =
            json!({"category": "response_style", "content": "Show percentages, not dollars"});
        call(&session, "save_preference", style).await;
        learn(
            &host.keepmind,
            &alice,
            host.clock.now(),
            "profile",
            "Lives in Chiang Mai",
            0.8,
        )
        .await;

        let page = alice.list(List::default()).await.unwrap().rows;
        let seen: Vec<(&str, Source, Option<f64>)> = page
            .iter()
            .map(|row| {
                (
                    row.body.claim.category.as_str(),
                    row.body.claim.source,
                    row.marks.confidence,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("finance_context", Source::User, None),
                ("response_style", Source::Agent, None),
                ("profile", Source::Extracted, Some(0.8)),
            ]
        );
        assert_eq!(page[0].body.claim.valid_from, opened);
        assert_eq!(
            page[1].body.claim.session,
            Some(session.id()),
            "where it came from"
        );
        assert_eq!(page[1].body.claim.messages.len(), 1, "and in which message");
        assert!(page.iter().all(|row| row.end.is_none()));
        let mut one = List::default();
        one.category = Some("profile".into());
        assert_eq!(alice.list(one).await.unwrap().rows.len(), 1);

        host.days(1);
        alice
            .update(Update::new("#1", "Belgian tax resident"))
            .await
            .unwrap();
        let gone = alice.list(ended()).await.unwrap().rows;
        let until = gone[0].end.and_then(|end| end.why.valid_until());
        assert_eq!(
            until,
            Some(host.clock.now()),
            "the window of the old value is closed"
        );
    })
    .await;
}
