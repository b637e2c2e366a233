//! What time alone makes due: each step, done once, by whoever comes first, and no further than it is let.

#[path = "sweep/shared.rs"]
mod shared;

use keepmind::command::Save;
use keepmind::policy::TimeToLive;
use keepmind::testing::ScriptedModel;
use keepmind::{
    ErrorKind, MessageNumber, Number, Policy, Push, SessionHandle, SessionStatus, Slice,
    SweepReport, Task, UserMemory, Why,
};
use keepmind_tests::chats::{chat, recaps, tasks};
use keepmind_tests::host::{Host, on_every_store, on_every_store_with};

async fn swept(host: &Host) -> SweepReport {
    let report = host.keepmind.sweep().await.unwrap();
    assert!(report.failures.is_empty(), "{}: {report:?}", host.store);
    assert!(!report.stopped);
    report
}

/// Nothing is left to do, but to compile anew what was just swept out of digests.
async fn is_over(host: &Host) {
    let report = swept(host).await;
    assert!(
        report.done.keys().all(|step| *step == "consolidate"),
        "{}: {report:?}",
        host.store
    );
    let report = swept(host).await;
    assert!(report.done.is_empty(), "{}: {report:?}", host.store);
}

async fn is_gone(session: &SessionHandle) -> bool {
    match session.record().await {
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotFound);
            true
        }
        Ok(_) => false,
    }
}

/// A fact whose time runs out by itself, in two days.
async fn save_passing(user: &UserMemory) {
    let mut passing = Save::new("Is in Kyoto this week");
    passing.ttl = Some(TimeToLive::Temporary);
    user.save(passing).await.unwrap();
}

/// How the last version of a fact ended; nothing where there is no such fact.
async fn ended(host: &Host, user: &UserMemory, number: u64) -> Option<Option<Why>> {
    let number = Number::new(number).unwrap();
    let store = host.keepmind.store();
    let seen = store
        .load(user.owner(), &Slice::number(number))
        .await
        .unwrap();
    let last = seen.versions(number).last().cloned();
    last.map(|row| row.end.map(|end| end.why))
}

#[tokio::test]
async fn a_sweep_of_nothing_does_nothing() {
    on_every_store(Policy::default(), async |host| {
        assert_eq!(swept(host).await.owners, 0);
        let alone = host.alice().sweep().await.unwrap();
        assert!(alone.done.is_empty() && alone.failures.is_empty());
        assert_eq!(swept(host).await.owners, 0, "looking makes nobody known");
    })
    .await;
}

#[tokio::test]
async fn chats_that_nobody_closed_are_closed() {
    let model = || ScriptedModel::new([recaps("They spoke of tea.")]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let left = chat(&alice, "I like oolong").await;
        host.seconds(6 * 3_600);
        let fresh = chat(&alice, "I like sencha").await;
        is_over(host).await;
        assert!(
            model.asked().is_empty(),
            "six hours are not more than six hours"
        );

        host.seconds(1);
        assert_eq!(swept(host).await.of("close_stale"), 1);
        let record = left.record().await.unwrap();
        assert_eq!(record.status, SessionStatus::Idle);
        assert_eq!(record.extracted_through, MessageNumber::new(1));
        assert_eq!(fresh.status().await.unwrap(), SessionStatus::Active);
        is_over(host).await;
        assert_eq!(tasks(model), [Task::Extract]);
    })
    .await;
}

#[tokio::test]
async fn what_a_model_failed_at_is_tried_again_when_it_is_time() {
    on_every_store_with(
        Policy::default(),
        ScriptedModel::failing,
        async |host, model| {
            let session = chat(&host.alice(), "I have decided to drink oolong only").await;
            session.close().await.unwrap();
            for (attempt, wait) in [(2, 60), (3, 120), (4, 240)] {
                host.seconds(wait - 1);
                is_over(host).await;
                host.seconds(1);
                assert_eq!(swept(host).await.of("try_again"), 1);
                let record = session.record().await.unwrap();
                assert_eq!(
                    (record.attempts, model.asked().len()),
                    (attempt, 2 * attempt as usize),
                    "each attempt asks once more, and not oftener"
                );
                is_over(host).await;
            }
            host.seconds(480);
            swept(host).await;
            let record = session.record().await.unwrap();
            assert_eq!(
                record.extracted_through,
                MessageNumber::new(1),
                "code did it"
            );
            assert_eq!((record.attempts, record.retry_at), (0, None));
            assert_eq!(model.asked().len(), 10);
            host.days(1);
            is_over(host).await;
        },
    )
    .await;
}

#[tokio::test]
async fn a_model_that_recovers_is_heard() {
    on_every_store_with(
        Policy::default(),
        ScriptedModel::failing,
        async |host, model| {
            let session = chat(&host.alice(), "I like oolong").await;
            session.close().await.unwrap();
            model.follow([recaps("They spoke of tea.")]);
            host.seconds(60);
            assert_eq!(swept(host).await.of("try_again"), 1);
            let record = session.record().await.unwrap();
            assert_eq!(record.recap.unwrap().text, "They spoke of tea.");
            is_over(host).await;
        },
    )
    .await;
}

#[tokio::test]
async fn a_chat_that_is_talked_in_again_is_left_alone() {
    on_every_store_with(
        Policy::default(),
        ScriptedModel::failing,
        async |host, _| {
            let session = chat(&host.alice(), "I like oolong").await;
            session.close().await.unwrap();
            session.push(Push::user("one more thing")).await.unwrap();
            let block = session.block().await.unwrap();
            host.seconds(3_600);
            host.alice().save("Likes sencha").await.unwrap();
            is_over(host).await;
            assert_eq!(session.status().await.unwrap(), SessionStatus::Active);
            let pushed = session.push(Push::user("and another")).await.unwrap();
            assert_eq!(pushed.block, None);
            assert_eq!(session.block().await.unwrap(), block);
        },
    )
    .await;
}

#[tokio::test]
async fn what_was_put_off_is_not_tried_in_the_trash() {
    on_every_store_with(
        Policy::default(),
        ScriptedModel::failing,
        async |host, model| {
            let session = chat(&host.alice(), "I like oolong").await;
            session.close().await.unwrap();
            session.trash().await.unwrap();
            host.days(1);
            is_over(host).await;
            assert_eq!(model.asked().len(), 2);
            session.restore().await.unwrap();
            assert_eq!(swept(host).await.of("try_again"), 1);
            assert_eq!(model.asked().len(), 4);
        },
    )
    .await;
}

#[tokio::test]
async fn what_has_expired_is_ended_and_says_why() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Likes oolong").await.unwrap();
        save_passing(&alice).await;
        is_over(host).await;
        host.days(2);
        assert_eq!(host.live(&alice).await, ["Likes oolong"]);
        assert_eq!(ended(host, &alice, 2).await, Some(None));
        assert_eq!(swept(host).await.of("expire"), 1);
        let why = ended(host, &alice, 2).await.flatten();
        assert!(matches!(why, Some(Why::Expired { .. })), "{why:?}");
        assert_eq!(ended(host, &alice, 1).await, Some(None));
        is_over(host).await;
        host.days(3_650);
        swept(host).await;
        assert!(ended(host, &alice, 2).await.is_some(), "kept for audit");
    })
    .await;
}

#[tokio::test]
async fn where_the_policy_says_so_what_expired_is_purged() {
    let mut policy = Policy::default();
    policy.retention.expired_purge_days = Some(90);
    on_every_store(policy, async |host| {
        let alice = host.alice();
        save_passing(&alice).await;
        host.days(2);
        assert_eq!(swept(host).await.of("expire"), 1);
        host.days(90);
        swept(host).await;
        assert!(ended(host, &alice, 1).await.is_some(), "not before");
        host.seconds(1);
        assert_eq!(swept(host).await.of("purge_expired"), 1);
        assert_eq!(ended(host, &alice, 1).await, None);
        host.days(1);
        is_over(host).await;
    })
    .await;
}

#[tokio::test]
async fn the_trash_is_emptied_after_its_days_and_not_before() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for content in ["Likes oolong", "Owns a kettle", "Lives in Osaka"] {
            alice.save(content).await.unwrap();
        }
        for number in [1, 2] {
            alice.trash(Number::new(number).unwrap()).await.unwrap();
        }
        alice.forget(Number::new(3).unwrap()).await.unwrap();
        host.days(30);
        swept(host).await;
        assert_eq!(ended(host, &alice, 1).await.flatten(), Some(Why::Trashed));
        alice.restore(Number::new(2).unwrap()).await.unwrap();
        host.seconds(1);
        assert_eq!(swept(host).await.of("empty_trash"), 1);
        assert_eq!(ended(host, &alice, 1).await, None, "gone");
        assert_eq!(ended(host, &alice, 2).await, Some(None), "restored");
        assert_eq!(
            ended(host, &alice, 3).await.flatten(),
            Some(Why::Forgotten),
            "kept"
        );
        host.days(100);
        swept(host).await;
        assert_eq!(host.live(&alice).await, ["Owns a kettle"]);
        is_over(host).await;
    })
    .await;
}

#[tokio::test]
async fn chats_are_archived_and_their_trash_is_emptied() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let kept = chat(&alice, "I like oolong").await;
        let trashed = chat(&alice, "I like sencha").await;
        let restored = chat(&alice, "I like assam").await;
        for session in [&kept, &trashed, &restored] {
            session.close().await.unwrap();
        }
        trashed.trash().await.unwrap();
        restored.trash().await.unwrap();
        host.days(30);
        is_over(host).await;
        restored.restore().await.unwrap();
        host.seconds(1);
        let report = swept(host).await;
        assert_eq!(report.of("archive"), 2);
        assert_eq!(report.of("empty_session_trash"), 1);
        for session in [&kept, &restored] {
            assert_eq!(session.status().await.unwrap(), SessionStatus::Archived);
        }
        assert!(is_gone(&trashed).await);
        assert!(
            alice
                .search_sessions("sencha", 10)
                .await
                .unwrap()
                .is_empty()
        );
        is_over(host).await;

        let resumed = kept.push(Push::user("hello again")).await.unwrap();
        assert!(resumed.block.is_some());
        is_over(host).await;
    })
    .await;
}

#[tokio::test]
async fn old_records_are_let_go() {
    on_every_store(Policy::default(), async |host| {
        host.alice().save("Likes oolong").await.unwrap();
        host.days(30);
        is_over(host).await;
        host.seconds(1);
        assert_eq!(swept(host).await.of("let_go"), 1, "the operation's answer");
        is_over(host).await;
        assert_eq!(host.live(&host.alice()).await, ["Likes oolong"]);
    })
    .await;
}
