//! Forgotten stays forgotten, until the user says it anew: across close, resume, restore and every turn.

use keepmind::{Code, Fate, Policy, Push};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::{chat, closed_while};
use keepmind_tests::host::{call, on_every_store, on_every_store_with, until};

const SAID: &str = "I play the cello";

fn cello() -> String {
    answer([add("User plays the cello", SAID)])
}

#[tokio::test]
async fn words_that_were_forgotten_are_not_shown_again() {
    on_every_store_with(
        Policy::default(),
        || answers([cello()]),
        async |host, model| {
            let alice = host.alice();
            let session = chat(&alice, SAID).await;
            session.close().await.unwrap();
            alice.forget("#1").await.unwrap();
            host.days(1);
            session.push(Push::user("and now?")).await.unwrap();
            let report = session.close().await.unwrap().report;
            assert_eq!(report.lessons[0].codes, [Code::QuoteNotFound]);
            let asked = &model.asked()[1].prompt;
            let (_, shown) = asked.split_once("Transcript:").expect("a transcript");
            assert!(!shown.contains("cello"), "{asked}");
            assert!(host.kept(&alice).await.is_empty());
        },
    )
    .await;
}

#[tokio::test]
async fn an_older_chat_does_not_bring_it_back() {
    on_every_store_with(
        Policy::default(),
        || answers([cello()]),
        async |host, _| {
            let alice = host.alice();
            let older = chat(&alice, SAID).await;
            host.days(1);
            chat(&alice, SAID).await.close().await.unwrap();
            alice.forget("#1").await.unwrap();
            host.days(1);
            // Said before it was forgotten, and closed only now.
            let report = older.close().await.unwrap().report;
            assert_eq!(report.lessons[0].codes, [Code::Forgotten], "{report:?}");
            assert!(host.kept(&alice).await.is_empty());
            // Said anew, it is new.
            let report = chat(&alice, SAID).await.close().await.unwrap().report;
            assert_eq!(report.count(Fate::Learned), 1, "{report:?}");
        },
    )
    .await;
}

#[tokio::test]
async fn what_was_trashed_and_restored_is_known_again() {
    on_every_store_with(
        Policy::default(),
        || answers([cello()]),
        async |host, _| {
            let alice = host.alice();
            let session = chat(&alice, SAID).await;
            session.close().await.unwrap();
            alice.trash("#1").await.unwrap();
            session.push(Push::user("hello")).await.unwrap();
            session.close().await.unwrap();
            assert!(host.kept(&alice).await.is_empty());
            alice.restore("#1").await.unwrap();
            let report = chat(&alice, SAID).await.close().await.unwrap().report;
            assert_eq!(report.count(Fate::Skipped), 1, "{report:?}");
            assert_eq!(host.live(&alice).await, ["User plays the cello"]);
        },
    )
    .await;
}

#[tokio::test]
async fn turn_by_turn_too() {
    on_every_store_with(
        Policy::chat(),
        || answers([cello()]),
        async |host, model| {
            let alice = host.alice();
            let session = alice.open_session().await.unwrap();
            session.rename("Music").await.unwrap();
            session.push(Push::user(SAID)).await.unwrap();
            session.push(Push::assistant("Nice.")).await.unwrap();
            until(|| model.asked().len() == 1).await;
            session.close().await.unwrap();
            alice.forget("#1").await.unwrap();
            session.push(Push::user("and now?")).await.unwrap();
            session.push(Push::assistant("I see.")).await.unwrap();
            session.close().await.unwrap();
            assert!(host.kept(&alice).await.is_empty());
        },
    )
    .await;
}

#[tokio::test]
async fn a_proposal_that_was_turned_down_is_not_made_again() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("User keeps bees").await.unwrap();
        let session = chat(&alice, "please forget that I keep bees").await;
        let closed = session.close().await.unwrap();
        assert_eq!(
            closed.report.count(Fate::Proposed),
            1,
            "{:?}",
            closed.report
        );
        assert_eq!(
            host.live(&alice).await.len(),
            1,
            "nothing is ended by what was overheard"
        );
        let [waiting] = &alice.pending().await.unwrap()[..] else {
            panic!("one proposal waits");
        };
        alice.reject(waiting.id).await.unwrap();
        session.push(Push::user("thanks")).await.unwrap();
        session.close().await.unwrap();
        assert!(alice.pending().await.unwrap().is_empty());
        let again = chat(&alice, "please forget that I keep bees").await;
        again.close().await.unwrap();
        assert_eq!(
            alice.pending().await.unwrap().len(),
            1,
            "said anew, it is asked anew"
        );
    })
    .await;
}

#[tokio::test]
async fn a_purge_while_the_model_thinks_is_not_undone_by_its_answer() {
    let told = serde_json::json!({
        "ops": [add("User has a cat named Pip", "I have a cat named Pip")],
        "episode": "User spoke of a cat named Pip",
        "recap": "The user has a cat named Pip.",
    })
    .to_string();
    let model = || answers([]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let session = chat(&alice, "I have a cat named Pip").await;
        let save = serde_json::json!({"content": "User has a cat named Pip"});
        call(&session, "save_memory", save).await;
        let purge = async { alice.purge("#1").await.unwrap() };
        let (closed, _) = closed_while(&session, model, &told, purge).await;
        assert_eq!(closed.unwrap().report.count(Fate::Learned), 0);
        let everything = keepmind::Slice::everything();
        let store = host.keepmind.store();
        let kept = store.load(alice.owner(), &everything).await.unwrap();
        assert_eq!(kept.memories().count(), 0);
        assert_eq!(session.record().await.unwrap().recap, None);
    })
    .await;
}
