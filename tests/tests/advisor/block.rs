//! What is loaded into every chat, and what is only recalled.

use keepmind::Clock as _;
use keepmind::command::Save;
use keepmind::inject::parse;
use keepmind_tests::host::call;
use keepmind_tests::learned::learn;
use serde_json::json;

use crate::{advisor, chat, next_block, shown};

#[tokio::test]
async fn a_save_lands_in_the_next_chat_not_in_this_ones_block() {
    advisor(async |_, alice| {
        let session = chat(&alice, "be concise").await;
        let before = session.block().await.unwrap();
        let save = json!({"category": "response_style", "content": "Be concise"});
        call(&session, "save_preference", save).await;
        assert_eq!(session.block().await.unwrap(), before);
        let again = alice.session(session.id()).await.unwrap();
        assert_eq!(again.block().await.unwrap(), before);
        let next = next_block(&alice).await;
        assert!(
            next.starts_with("## Stored preferences\n### Response style\n- Be concise\n"),
            "{next}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_confirmation_is_recorded_and_retrieval_is_not() {
    advisor(async |host, alice| {
        learn(
            &host.keepmind,
            &alice,
            host.clock.now(),
            "finance_context",
            "Funds only",
            0.75,
        )
        .await;
        let session = chat(&alice, "yes, still funds only").await;
        for _ in 0..5 {
            call(&session, "recall_preferences", json!({"query": "funds"})).await;
            call(&session, "list_preferences", json!({})).await;
        }
        let marks = alice.get("#1").await.unwrap().row.marks;
        assert_eq!((marks.last_confirmed_at, marks.confirmations), (None, 0));
        host.days(300);
        assert!(
            shown(&next_block(&alice).await).is_empty(),
            "it has faded from the block"
        );
        assert_eq!(
            alice.recall("funds").await.unwrap().len(),
            1,
            "and is still found"
        );
        call(
            &session,
            "confirm_preference",
            json!({"id_or_substring": "funds"}),
        )
        .await;
        let marks = alice.get("#1").await.unwrap().row.marks;
        assert_eq!(marks.last_confirmed_at, Some(host.clock.now()));
        assert_eq!(marks.confirmations, 1);
        assert_eq!(
            shown(&next_block(&alice).await),
            ["Funds only"],
            "it reads as current again"
        );
    })
    .await;
}

#[tokio::test]
async fn low_confidence_is_recalled_but_not_loaded() {
    advisor(async |host, alice| {
        let now = host.clock.now();
        for (content, confidence) in [
            ("Might like gold", 0.5),
            ("Might like silver", 0.69),
            ("Likes index funds", 0.7),
        ] {
            learn(&host.keepmind, &alice, now, "profile", content, confidence).await;
        }
        alice
            .save(Save::new("Likes cash").category("profile"))
            .await
            .unwrap();
        let session = alice.open_session().await.unwrap();
        let block = session.block().await.unwrap();
        assert_eq!(shown(&block), ["Likes index funds", "Likes cash"]);
        let marked: Vec<bool> = parse(&block).iter().map(|line| line.tentative).collect();
        assert_eq!(marked, [true, false]);
        let found = call(
            &session,
            "recall_preferences",
            json!({"query": "gold or silver"}),
        )
        .await;
        for words in ["Might like gold (tentative, 0.50)", "Might like silver"] {
            assert!(found.message.contains(words), "{}", found.message);
        }
    })
    .await;
}

#[tokio::test]
async fn the_block_renders_summary_before_content_and_never_the_body() {
    advisor(async |_, alice| {
        let mut save = Save::new("Has a 401k at Fidelity that was opened in 2011").category("finance_context");
        save.summary = Some("401k at Fidelity".into());
        save.detail = Some("The account number ends in 77".into());
        alice.save(save).await.unwrap();
        let session = chat(&alice, "my wife's name is Sarah").await;
        let wife = json!({"category": "fact", "content": "Wife's name is Sarah", "detail": "They met in Ghent"});
        call(&session, "save_preference", wife).await;
        let block = next_block(&alice).await;
        assert_eq!(shown(&block), ["401k at Fidelity", "Wife's name is Sarah"]);
        assert!(!block.contains("77") && !block.contains("Ghent") && !block.contains("2011"), "{block}");
        let found = call(&session, "recall_preferences", json!({"query": "Ghent"})).await;
        assert!(found.message.contains("They met in Ghent"), "{}", found.message);
    })
    .await;
}

#[tokio::test]
async fn the_long_tail_is_left_out_of_the_block_and_recalled_on_demand() {
    advisor(async |_, alice| {
        for place in 0..120 {
            let content = format!("Once bought share number {place} of a company with a long name");
            alice.save(content).await.unwrap();
        }
        let session = alice.open_session().await.unwrap();
        let block = session.block().await.unwrap();
        let count = shown(&block).len();
        assert!((10..120).contains(&count), "{count}");
        assert!(
            block.contains("more: recall_preferences finds them"),
            "{block}"
        );
        let found = call(
            &session,
            "recall_preferences",
            json!({"query": "number 3", "limit": 2}),
        )
        .await;
        assert!(
            found.message.contains("share number 3 of"),
            "{}",
            found.message
        );
        assert_eq!(found.shown.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn the_influence_order_stands_in_every_prompt() {
    advisor(async |_, alice| {
        let empty = next_block(&alice).await;
        assert!(
            empty.contains("safety outranks facts, and facts outrank style"),
            "{empty}"
        );
        assert!(empty.contains("verify with the user"), "{empty}");
        assert!(
            !empty.contains("## Stored preferences"),
            "nothing is stored: {empty}"
        );
        alice
            .save(Save::new("Likes bonds").category("fact"))
            .await
            .unwrap();
        let block = next_block(&alice).await;
        assert!(block.ends_with(&empty) && block.starts_with("## Stored preferences\n### Facts\n"));
    })
    .await;
}
