//! The list of chats: by recency in the user's days, page by page, and only with cursors of its own.

use keepmind::store::Cursor;
use keepmind::{ErrorKind, Policy, Recency, SessionList, SessionStatus, Timestamp, UserMemory};
use keepmind_tests::chats::chat;
use keepmind_tests::host::on_every_store;

async fn recencies(user: &UserMemory) -> Vec<Recency> {
    let page = user.sessions(SessionList::default()).await.unwrap();
    page.sessions.iter().map(|line| line.recency).collect()
}

#[tokio::test]
async fn days_are_the_users_days() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for moment in [
            "2026-03-01T12:00:00Z",
            "2026-03-04T12:00:00Z",
            "2026-03-10T23:30:00Z",
            "2026-03-11T00:30:00Z",
        ] {
            host.at(moment);
            chat(&alice, "hello").await;
        }
        host.at("2026-03-11T01:00:00Z");
        use Recency::{Older, PreviousSevenDays, Today, Yesterday};
        assert_eq!(
            recencies(&alice).await,
            [Today, Yesterday, PreviousSevenDays, Older]
        );
        // In New York it is still the tenth, in Tokyo the eleventh since long.
        let west = alice.clone().at_offset(-4 * 60).unwrap();
        assert_eq!(
            recencies(&west).await,
            [Today, Today, PreviousSevenDays, Older]
        );
        let east = alice.clone().at_offset(9 * 60).unwrap();
        assert_eq!(
            recencies(&east).await,
            [Today, Today, PreviousSevenDays, Older]
        );
        // What is still to come, on a clock that was set back, is today.
        host.at("2026-03-10T12:00:00Z");
        assert_eq!(
            recencies(&alice).await,
            [Today, Today, PreviousSevenDays, Older]
        );
    })
    .await;
}

#[tokio::test]
async fn yesterday_is_yesterday_when_clocks_change() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        // Berlin, 29 March 2026: at two in the morning, 01:00 UTC, it is three. Before it the clock was one
        // hour ahead of UTC, after it two: 22:30 UTC was half past eleven of the day before.
        host.at("2026-03-28T22:30:00Z");
        chat(&alice, "hello").await;
        host.at("2026-03-29T10:00:00Z");
        let change = Timestamp::parse("2026-03-29T01:00:00Z").unwrap();
        let summer = alice.at_offset(120).unwrap();
        assert_eq!(recencies(&summer).await, [Recency::Today]);
        let berlin = summer.with_offset_before(change, 60).unwrap();
        assert_eq!(recencies(&berlin).await, [Recency::Yesterday]);
    })
    .await;
}

#[tokio::test]
async fn offsets_beyond_a_day_are_refused() {
    on_every_store(Policy::default(), async |host| {
        for minutes in [26 * 60 + 1, i32::MAX, i32::MIN] {
            let refused = host.alice().at_offset(minutes).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Invalid);
        }
    })
    .await;
}

#[tokio::test]
async fn pages_follow_each_other_and_the_trash_is_apart() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut all = Vec::new();
        for _ in 0..7 {
            all.push(chat(&alice, "hello").await.id());
            host.seconds(60);
        }
        all.reverse();
        let trashed = alice.session(all.remove(3)).await.unwrap();
        trashed.trash().await.unwrap();
        let idle = alice.session(all[0]).await.unwrap();
        idle.close().await.unwrap();

        let mut list = SessionList::default();
        list.limit = Some(4);
        let mut seen = Vec::new();
        loop {
            let page = alice.sessions(list.clone()).await.unwrap();
            seen.extend(page.sessions.iter().map(|line| line.id));
            list.after = page.next;
            if list.after.is_none() {
                break;
            }
        }
        assert_eq!(seen, all);

        let mut trash = SessionList::default();
        trash.trashed = true;
        let page = alice.sessions(trash).await.unwrap();
        assert_eq!(page.sessions.len(), 1);
        assert!(page.sessions[0].deleted_at.is_some());

        let mut closed = SessionList::default();
        closed.statuses = [SessionStatus::Idle].into();
        let page = alice.sessions(closed).await.unwrap();
        assert_eq!(page.sessions[0].id, all[0]);
        assert_eq!(page.sessions.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn cursors_and_limits_that_mean_nothing_are_refused() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let bob = host.keepmind.user("bob").unwrap();
        for user in [&alice, &bob] {
            chat(user, "hello").await;
            chat(user, "hello").await;
        }
        let mut first = SessionList::default();
        first.limit = Some(1);
        let bobs = bob.sessions(first).await.unwrap().next.unwrap();
        let nonsense = |text: &str| serde_json::from_value::<Cursor>(text.into()).unwrap();
        for cursor in [bobs, nonsense(""), nonsense("sessions 1 x"), nonsense("\0")] {
            let mut list = SessionList::default();
            list.after = Some(cursor);
            let refused = alice.sessions(list).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Invalid);
        }
        let mut none = SessionList::default();
        none.limit = Some(0);
        let refused = alice.sessions(none).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid);
        let refused = alice.search_sessions("hello", 0).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid);

        let mut many = SessionList::default();
        many.limit = Some(usize::MAX);
        assert_eq!(alice.sessions(many).await.unwrap().sessions.len(), 2);
        assert_eq!(
            alice
                .search_sessions("hello", usize::MAX)
                .await
                .unwrap()
                .len(),
            2
        );
    })
    .await;
}
