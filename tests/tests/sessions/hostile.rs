//! What a host should not do, and a user may: sizes, ranges, clocks and ids that make no sense.

use keepmind::{Closing, ErrorKind, Policy, Push, Role, SessionList, SessionStatus, Timestamp};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{call, on_every_store};
use serde_json::json;

#[tokio::test]
async fn a_message_beyond_the_limit_is_refused_whole() {
    on_every_store(Policy::default(), async |host| {
        let session = host.alice().open_session().await.unwrap();
        let page = "tea and so on ".repeat(800_000);
        for push in [
            Push::user(page.as_str()),
            Push::user("see").hidden(page.as_str()),
        ] {
            let refused = session.push(push).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Invalid);
            assert!(!refused.to_string().contains("tea and"), "no user's words");
        }
        assert!(session.messages(None, 10).await.unwrap().items.is_empty());
        assert_eq!(session.record().await.unwrap().title, None);
    })
    .await;
}

#[tokio::test]
async fn larger_messages_can_be_allowed() {
    let mut policy = Policy::default();
    policy.limits.message_bytes = 2 << 20;
    on_every_store(policy, async |host| {
        let alice = host.alice();
        let session = host.alice().open_session().await.unwrap();
        let page = "x".repeat(3 << 19);
        session.push(Push::user(page)).await.unwrap();
        session
            .push(Push::user("Which tea is best?"))
            .await
            .unwrap();
        let view = session.view().await.unwrap();
        assert_eq!(
            view.messages.last().unwrap().utterance.content,
            "Which tea is best?"
        );
        assert!(view.tokens < 32_000, "{}", view.tokens);
        assert_eq!(session.close().await.unwrap().closing, Closing::Learned);
        assert_eq!(alice.search_sessions("tea", 10).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn messages_without_words_are_messages() {
    on_every_store(Policy::default(), async |host| {
        let session = host.alice().open_session().await.unwrap();
        for role in [Role::User, Role::Assistant, Role::Tool, Role::System] {
            session.push(Push::new(role, "")).await.unwrap();
        }
        assert_eq!(session.view().await.unwrap().messages.len(), 4);
        let closed = session.close().await.unwrap();
        assert_eq!((closed.closing, closed.messages), (Closing::Learned, 4));
        assert_eq!(session.close().await.unwrap().closing, Closing::NothingNew);
        assert_eq!(session.record().await.unwrap().title, None);
        let mut list = SessionList::default();
        list.statuses = [SessionStatus::Idle].into();
        assert_eq!(host.alice().sessions(list).await.unwrap().sessions.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn ranges_off_the_borders_of_characters_are_refused() {
    on_every_store(Policy::default(), async |host| {
        let session = host.alice().open_session().await.unwrap();
        for (start, end) in [(1, 3), (0, 1), (3, 2), (0, 99), (u32::MAX, u32::MAX)] {
            let push = Push::user("茶 tea").untrusted(start, end);
            let refused = session.push(push).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Invalid, "{start}..{end}");
        }
        let many = (0..5_000).fold(Push::user("tea"), |push, _| push.untrusted(0, 3));
        assert_eq!(
            session.push(many).await.unwrap_err().kind(),
            ErrorKind::Invalid
        );
        let fine = Push::user("茶 tea")
            .untrusted(0, 3)
            .untrusted(0, 7)
            .untrusted(7, 7);
        session.push(fine).await.unwrap();
        assert_eq!(session.messages(None, 10).await.unwrap().items.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_clock_may_stand_anywhere() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "I like oolong").await;
        alice.save("Likes oolong").await.unwrap();
        for moment in [
            Timestamp::UNIX_EPOCH,
            Timestamp::MIN,
            Timestamp::parse("9000-01-01T00:00:00Z").unwrap(),
            Timestamp::parse("2026-03-01T09:00:00Z").unwrap(),
        ] {
            host.clock.set(moment);
            session.push(Push::user("hello again")).await.unwrap();
            session.view().await.unwrap();
            session.close().await.unwrap();
            session.archive().await.unwrap();
            session.trash().await.unwrap();
            session.restore().await.unwrap();
            session.resume().await.unwrap();
            let swept = host.keepmind.sweep().await.unwrap();
            assert!(swept.failures.is_empty(), "{swept:?}");
            assert_eq!(
                alice
                    .sessions(SessionList::default())
                    .await
                    .unwrap()
                    .sessions
                    .len(),
                1
            );
            assert_eq!(host.live(&alice).await, ["Likes oolong"]);
        }
        let messages = session.messages(None, 100).await.unwrap().items;
        let numbers: Vec<u64> = messages
            .iter()
            .map(|message| message.number.get())
            .collect();
        assert_eq!(
            numbers,
            [1, 2, 3, 4, 5],
            "said in this order, whatever the clock says"
        );
    })
    .await;
}

#[tokio::test]
async fn a_model_cannot_write_from_a_chat_that_is_gone() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "I like oolong").await;
        session.purge().await.unwrap();
        let save = json!({"content": "User likes oolong"});
        let saved = session.call_tool(None, "save_memory", &save).await;
        assert!(
            saved.is_err() || saved.is_ok_and(|reply| reply.event.is_none()),
            "nothing the user said is there to hold it against"
        );
        assert!(host.kept(&alice).await.is_empty());
        assert!(
            session.traces(None, 10).await.is_err()
                || session.traces(None, 10).await.unwrap().items.is_empty()
        );
    })
    .await;
}

#[tokio::test]
async fn limits_of_nothing_are_refused_or_give_nothing() {
    on_every_store(Policy::default(), async |host| {
        let session = chat(&host.alice(), "I like oolong").await;
        if let Ok(page) = session.messages(None, 0).await {
            assert!(page.items.is_empty());
        }
        let view = session.view_within(0).await.unwrap();
        assert_eq!(
            view.messages.len(),
            1,
            "what was asked last is always shown"
        );
        call(&session, "list_memories", json!({})).await;
        if let Ok(page) = session.traces(None, 0).await {
            assert!(page.items.is_empty());
        }
    })
    .await;
}
