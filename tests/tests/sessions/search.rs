//! Finding a chat by what was said in it: ranked, with the words that fit, in any script; never the trash,
//! never another's.

use keepmind::{Policy, Push, Role, SessionHit, SessionId, UserMemory};
use keepmind_tests::chats::chat;
use keepmind_tests::host::on_every_store;

async fn found(user: &UserMemory, query: &str) -> Vec<SessionHit> {
    user.search_sessions(query, 10).await.unwrap()
}

async fn ids(user: &UserMemory, query: &str) -> Vec<SessionId> {
    let hits = found(user, query).await;
    hits.into_iter().map(|hit| hit.session.id).collect()
}

/// The words of a snippet that are set off.
fn highlighted(hit: &SessionHit) -> Vec<&str> {
    let text = &hit.snippet.text;
    let spans = hit.snippet.highlights.iter();
    spans
        .map(|span| &text[span.start as usize..span.end as usize])
        .collect()
}

#[tokio::test]
async fn the_words_that_fit_are_set_off_in_every_script() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let table = [
            ("We drank Café au lait in Paris", "CAFE", "Café"),
            ("我昨天在北京喝了咖啡", "咖啡", "咖啡"),
            ("ผมชอบกินข้าวมันไก่ตอนเช้า", "ข้าวมันไก่", "ข้าวมันไก่"),
            ("أحب القهوة في الصباح", "القهوة", "القهوة"),
            ("Вчера мы пили кофе", "КОФЕ", "кофе"),
        ];
        let mut chats = Vec::new();
        for (said, ..) in table {
            chats.push(chat(&alice, said).await.id());
        }
        for ((said, query, word), id) in table.into_iter().zip(chats) {
            let hits = found(&alice, query).await;
            assert_eq!(hits.len(), 1, "{query}");
            assert_eq!(hits[0].session.id, id, "{query}");
            assert_eq!(hits[0].snippet.text, said);
            assert_eq!(highlighted(&hits[0]).concat(), word, "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_fits_better_comes_first_and_each_chat_once() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let both = chat(&alice, "my green teapot broke").await;
        let one = chat(&alice, "my green bicycle is new, and so on, and so on").await;
        both.push(Push::assistant("A green teapot is hard to find"))
            .await
            .unwrap();
        let hits = found(&alice, "green teapot").await;
        let order: Vec<SessionId> = hits.iter().map(|hit| hit.session.id).collect();
        assert_eq!(order, [both.id(), one.id()]);
        assert!(hits[0].score > hits[1].score);
        assert_eq!(highlighted(&hits[0]), ["green", "teapot"]);
    })
    .await;
}

#[tokio::test]
async fn only_what_the_two_said_to_each_other_is_found() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "hello").await;
        let quiet = [
            Push::new(Role::System, "the word is marjoram"),
            Push::new(Role::Tool, "the word is marjoram"),
            Push::user("and now?").hidden("the word is marjoram"),
        ];
        for push in quiet {
            session.push(push).await.unwrap();
            assert!(found(&alice, "marjoram").await.is_empty());
        }
        session
            .push(Push::assistant("It is marjoram"))
            .await
            .unwrap();
        assert_eq!(ids(&alice, "marjoram").await, [session.id()]);
    })
    .await;
}

#[tokio::test]
async fn the_trash_is_not_searched_until_it_is_restored() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "my green teapot broke").await;
        session.trash().await.unwrap();
        assert!(found(&alice, "teapot").await.is_empty());
        session.restore().await.unwrap();
        assert_eq!(ids(&alice, "teapot").await, [session.id()]);
        session.close().await.unwrap();
        session.archive().await.unwrap();
        assert_eq!(ids(&alice, "teapot").await, [session.id()]);
    })
    .await;
}

#[tokio::test]
async fn many_hits_in_one_chat_or_in_the_trash_hide_no_other() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let trashed = alice.open_session().await.unwrap();
        let loud = alice.open_session().await.unwrap();
        for session in [&trashed, &loud] {
            for _ in 0..40 {
                session.push(Push::user("teapot")).await.unwrap();
            }
        }
        let said = "once there was a teapot, long ago, among many other things";
        let quiet = chat(&alice, said).await;
        trashed.trash().await.unwrap();
        let hits = alice.search_sessions("teapot", 2).await.unwrap();
        let order: Vec<SessionId> = hits.iter().map(|hit| hit.session.id).collect();
        assert_eq!(order, [loud.id(), quiet.id()]);
    })
    .await;
}

#[tokio::test]
async fn nothing_to_look_for_finds_nothing() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        chat(&alice, "my green teapot broke").await;
        for query in [
            "?!",
            "…",
            "unicorn",
            "\"",
            "* OR 1=1",
            "NEAR(",
            "teapot\u{0}",
        ] {
            let hits = alice.search_sessions(query, 10).await;
            assert!(
                hits.is_err() || hits.as_ref().is_ok_and(|hits| hits.len() <= 1),
                "{query:?}"
            );
        }
        assert!(found(&alice, "unicorn").await.is_empty());
        let long = "teapot ".repeat(20_000);
        assert_eq!(found(&alice, &long).await.len(), 1);
    })
    .await;
}
