//! What went wrong elsewhere, as a model that does just that.

use keepmind::{Code, Fate, Policy, Push};
use keepmind_tests::answers::{add, answer, answers, update};
use keepmind_tests::chats::chat;
use keepmind_tests::host::on_every_store_with;
use serde_json::json;

/// Recalled memories were learned again and again: 97.8 % of what was stored was junk.
#[tokio::test]
async fn mem0_4573_recalled_memories_are_not_learned_again() {
    let model = || answers([answer([add("User keeps bees", "- User keeps bees")])]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        alice.save("User keeps bees").await.unwrap();
        for _ in 0..20 {
            let session = alice.open_session().await.unwrap();
            let block = session.block().await.unwrap();
            session
                .push(Push::user(format!("{block}\n\nhow are my hives?")))
                .await
                .unwrap();
            session.close().await.unwrap();
        }
        assert_eq!(host.live(&alice).await, ["User keeps bees"]);
    })
    .await;
}

/// Ids were invented, and other memories overwritten.
#[tokio::test]
async fn mem0_3931_invented_ids_change_nothing() {
    let script = answer([
        update(7, "User lives in Bruges", "I moved to Bruges"),
        json!({"op": "update", "id": "0", "content": "User lives in Bruges", "quote": "I moved to Bruges", "confidence": 1}),
    ]);
    let model = move || answers([script.clone()]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        alice.save("User plays the cello").await.unwrap();
        let report = chat(&alice, "I moved to Bruges")
            .await
            .close()
            .await
            .unwrap()
            .report;
        assert_eq!(report.count(Fate::Refused), 2);
        assert!(
            report
                .lessons
                .iter()
                .all(|lesson| lesson.codes.contains(&Code::NotFound))
        );
        assert_eq!(host.live(&alice).await, ["User plays the cello"]);
    })
    .await;
}

/// Memories were deleted that nobody had spoken of.
#[tokio::test]
async fn mem0_4536_a_model_cannot_delete() {
    let script = answer([
        json!({"op": "delete", "id": 1}),
        json!({"op": "forget", "id": 1, "quote": "I like tea", "confidence": 1}),
        json!({"op": "DELETE", "id": 1}),
    ]);
    let model = move || answers([script.clone()]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        alice.save("User plays the cello").await.unwrap();
        let report = chat(&alice, "I like tea")
            .await
            .close()
            .await
            .unwrap()
            .report;
        let unknown = |lesson: &keepmind::Lesson| lesson.codes.contains(&Code::OperationUnknown);
        assert!(report.lessons.iter().all(unknown), "{report:?}");
        assert_eq!(host.live(&alice).await, ["User plays the cello"]);
    })
    .await;
}

/// Adding the same memory a second time deleted the first.
#[tokio::test]
async fn mem0_1674_the_same_again_keeps_the_first() {
    let model = || answers([answer([add("User plays the cello", "I play the cello")])]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        for _ in 0..5 {
            chat(&alice, "I play the cello")
                .await
                .close()
                .await
                .unwrap();
        }
        assert_eq!(host.live(&alice).await, ["User plays the cello"]);
        assert_eq!(alice.history("#1").await.unwrap().rows.len(), 1);
    })
    .await;
}

/// Facts were lost without a word when the answer was no JSON.
#[tokio::test]
async fn mem0_4540_broken_json_loses_nothing() {
    let good = || answer([add("用户住在 Ghent", "我住在 Ghent")]);
    let broken = good().replace("Ghent", "\\ud83d Ghent");
    let model = move || answers([broken.clone(), good()]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        chat(&alice, "我住在 Ghent").await.close().await.unwrap();
        assert_eq!(model.asked().len(), 2);
        assert_eq!(host.live(&alice).await, ["用户住在 Ghent"]);
    })
    .await;
}

/// A sentence of the instructions was stored as a memory.
#[tokio::test]
async fn mem0_2736_instructions_are_no_memories() {
    let sentence = "an empty list is a good answer";
    let model = move || {
        answers([answer([add(
            "User says an empty list is a good answer",
            sentence,
        )])])
    };
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let report = chat(&alice, "hello there")
            .await
            .close()
            .await
            .unwrap()
            .report;
        assert!(
            model.asked()[0].system.contains(sentence),
            "it is in the instructions"
        );
        assert_eq!(report.lessons[0].codes, [Code::QuoteNotFound]);
        assert!(host.kept(&alice).await.is_empty());
    })
    .await;
}

/// Half of the memories were duplicates after two hours.
#[tokio::test]
async fn hindsight_360_rewordings_are_known() {
    let words = [
        "User is training for a marathon in April",
        "User trains for an April marathon",
        "User is training for the April marathon",
        "User is in training for a marathon in April",
    ];
    let script = words.map(|content| answer([add(content, "training for a marathon in April")]));
    let model = move || answers(script.clone());
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        for _ in words {
            chat(&alice, "I'm training for a marathon in April")
                .await
                .close()
                .await
                .unwrap();
        }
        assert_eq!(host.live(&alice).await, [words[0]]);
    })
    .await;
}

/// The prompt's examples were stored as facts, 132 of them.
#[tokio::test]
async fn hindsight_4280_examples_are_no_facts() {
    let model = || {
        answers([answer([
            add(
                "User's name is Alex and works at Acme",
                "My name is Alex and I work at Acme",
            ),
            add("User prefers window seats", "I prefer window seats"),
        ])])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let report = chat(&alice, "what is the weather like?")
            .await
            .close()
            .await
            .unwrap()
            .report;
        assert_eq!(report.count(Fate::Refused), 2);
        assert!(host.live(&alice).await.is_empty());
    })
    .await;
}

/// 41 % of the facts were invalidated by edges that had nothing to do with them.
#[tokio::test]
async fn graphiti_1728_facts_are_not_invalidated_in_bulk() {
    let facts = [
        "User plays the cello",
        "User lives in Ghent",
        "User likes tea",
        "User has two cats",
    ];
    let model = move || {
        let changes = (1..)
            .zip(facts)
            .map(|(id, fact)| update(id, &format!("{fact} no more"), "I went swimming yesterday"));
        answers([answer(changes)])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        for fact in facts {
            alice.save(fact).await.unwrap();
        }
        let report = chat(&alice, "I went swimming yesterday")
            .await
            .close()
            .await
            .unwrap()
            .report;
        assert_eq!(report.count(Fate::Refused), 4, "{report:?}");
        assert_eq!(host.live(&alice).await, facts);
        // What little is changed can be seen and taken back.
        assert!(alice.pending().await.unwrap().is_empty());
    })
    .await;
}
