//! Sweeps among others: several at once, owners that fail, and a host that watches or has had enough.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use keepmind::command::Save;
use keepmind::policy::TimeToLive;
use keepmind::testing::{Gate, Scripted, ScriptedModel};
use keepmind::{ErrorKind, Number, Owner, Policy, SessionStatus, Slice, Task, Who};
use keepmind_tests::chats::{chat, recapped, recaps, tasks};
use keepmind_tests::host::{
    Host, on_every_moody_store, on_every_store, on_every_store_with, until,
};

use super::{ended, is_gone, is_over, save_passing};

fn model() -> ScriptedModel {
    ScriptedModel::new([recaps("They spoke of tea.")])
}

/// Something for every step, for that many users.
async fn much_to_do(host: &Host, users: &[&str]) {
    for user in users {
        let user = host.keepmind.user(*user).unwrap();
        chat(&user, "I like oolong").await;
        let trashed = chat(&user, "I like sencha").await;
        trashed.trash().await.unwrap();
        user.save("Likes oolong").await.unwrap();
        user.trash(Number::new(1).unwrap()).await.unwrap();
        save_passing(&user).await;
    }
    host.days(31);
}

const STEPS: [&str; 5] = [
    "close_stale",
    "expire",
    "archive",
    "empty_session_trash",
    "empty_trash",
];

#[tokio::test]
async fn two_sweeps_at_once_do_everything_once() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let users = ["alice", "bob", "carol"];
        much_to_do(host, &users).await;
        let other = Arc::new(self::model());
        let elsewhere = host.elsewhere(other.clone());
        let (one, two) = tokio::join!(host.keepmind.sweep(), elsewhere.sweep());
        let (one, two) = (one.unwrap(), two.unwrap());
        assert!(one.failures.is_empty(), "{:?}", one.failures);
        assert!(two.failures.is_empty(), "{:?}", two.failures);
        let asked = [tasks(model), tasks(&other)].concat();
        assert_eq!(asked, [Task::Extract; 3], "nobody pays twice");
        // What one found done by the other is left to the next.
        host.keepmind.sweep().await.unwrap();
        is_over(host).await;
        for name in users {
            let user = host.keepmind.user(name).unwrap();
            assert!(host.live(&user).await.is_empty());
            assert_eq!(host.episodes(&user).await.len(), 1, "{name} is told once");
            assert_eq!(ended(host, &user, 1).await, None, "{name}");
            let page = user.sessions(Default::default()).await.unwrap();
            let statuses: Vec<_> = page.sessions.iter().map(|line| line.status).collect();
            assert_eq!(statuses, [SessionStatus::Archived], "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_another_process_purged_first_is_no_failure() {
    on_every_moody_store(Policy::default(), model, async |host, _, store| {
        let session = chat(&host.alice(), "I like sencha").await;
        session.trash().await.unwrap();
        host.days(31);
        let first = session.clone();
        store.meanwhile(async move { first.purge().await.unwrap() });
        let report = host.alice().sweep().await.unwrap();
        assert!(report.failures.is_empty(), "{:?}", report.failures);
        assert_eq!(report.of("empty_session_trash"), 0);
        assert!(is_gone(&session).await);
    })
    .await;
}

#[tokio::test]
async fn what_another_process_consolidated_first_is_not_done_again() {
    on_every_moody_store(Policy::default(), model, async |host, _, store| {
        let alice = host.alice();
        alice.save("Likes oolong").await.unwrap();
        host.days(2);
        let elsewhere = host.elsewhere(Arc::new(self::model()));
        let other = elsewhere.user("alice").unwrap();
        // What is said after it was consolidated is left to the next one.
        let first = store.meanwhile(async move {
            let swept = other.sweep().await.unwrap();
            other.save("Likes sencha").await.unwrap();
            swept
        });
        let report = alice.sweep().await.unwrap();
        assert!(report.failures.is_empty(), "{:?}", report.failures);
        assert!(first.result().failures.is_empty());
        let everything = Slice::everything();
        let data = host.keepmind.store().load(alice.owner(), &everything);
        let data = data.await.unwrap();
        let consolidated = data
            .journal()
            .filter(|entry| entry.who == Who::Consolidator);
        let groups: BTreeSet<_> = consolidated.map(|entry| entry.group).collect();
        assert_eq!(groups.len(), 1, "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn a_chat_deleted_while_it_is_swept_stops_nothing() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let other = chat(&alice, "I like assam").await;
        host.seconds(1);
        let deleted = chat(&alice, "I like sencha").await;
        host.seconds(7 * 3_600);
        let gate = Gate::closed();
        model.follow([Scripted::Waits(gate.clone(), recapped("A summary."))]);
        let trashed = async {
            until(|| model.asked().len() == 1).await;
            // The most recent comes first.
            deleted.trash().await.unwrap();
            gate.open();
        };
        let (report, ()) = tokio::join!(host.keepmind.sweep(), trashed);
        let report = report.unwrap();
        assert!(report.failures.is_empty(), "{:?}", report.failures);
        assert_eq!(report.of("close_stale"), 1);
        assert_eq!(other.status().await.unwrap(), SessionStatus::Idle);
    })
    .await;
}

#[tokio::test]
async fn an_owner_that_fails_is_reported_and_the_rest_is_done() {
    on_every_moody_store(Policy::default(), model, async |host, _, store| {
        much_to_do(host, &["alice", "bob", "carol"]).await;
        let bob = Owner::new("bob").unwrap();
        store.fails_for(Some(bob.clone()));
        let report = host.keepmind.sweep().await.unwrap();
        assert!(!report.failures.is_empty());
        for failure in &report.failures {
            assert_eq!(failure.owner, bob);
            assert_eq!(failure.error.kind(), ErrorKind::Io);
        }
        for step in STEPS {
            assert_eq!(report.of(step), 2, "{step}");
            assert!(
                report.failures.iter().any(|failure| failure.step == step),
                "{step}"
            );
        }
        store.fails_for(None);
        let report = host.keepmind.sweep().await.unwrap();
        assert!(report.failures.is_empty());
        for step in STEPS {
            assert_eq!(report.of(step), 1, "{step}");
        }
        is_over(host).await;
    })
    .await;
}

#[tokio::test]
async fn a_host_is_told_where_the_sweep_is() {
    on_every_store(Policy::default(), async |host| {
        much_to_do(host, &["alice", "bob"]).await;
        let mut told = Vec::new();
        let report = host.keepmind.sweep_watched(|progress| {
            told.push(progress.clone());
            ControlFlow::Continue(())
        });
        let report = report.await.unwrap();
        assert_eq!(report.owners, 2);
        for (name, finished) in [("alice", 0), ("bob", 1)] {
            for step in STEPS {
                let of_step = told
                    .iter()
                    .filter(|one| one.owner.as_str() == name && one.step == step);
                let done: Vec<u64> = of_step
                    .inspect(|one| assert_eq!(one.owners, finished))
                    .map(|one| one.done)
                    .collect();
                assert_eq!(done, [0, 1], "{name} {step}");
            }
        }
        let counted: u64 = STEPS.iter().map(|step| report.of(step)).sum();
        assert_eq!(counted, 10);
    })
    .await;
}

#[tokio::test]
async fn a_sweep_that_is_stopped_does_no_more() {
    on_every_store(Policy::default(), async |host| {
        much_to_do(host, &["alice", "bob"]).await;
        let report = host
            .keepmind
            .sweep_watched(|_| ControlFlow::Break(()))
            .await;
        let report = report.unwrap();
        assert!(report.stopped);
        assert!(report.done.is_empty(), "{report:?}");
        assert_eq!(report.owners, 0);

        let report = host.keepmind.sweep_watched(|progress| match progress.done {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
        let report = report.await.unwrap();
        assert!(report.stopped);
        assert_eq!(report.done.values().sum::<u64>(), 1, "{report:?}");

        // The next goes on where it was.
        let report = host.keepmind.sweep().await.unwrap();
        assert!(!report.stopped);
        for step in STEPS {
            let expected = if step == "close_stale" { 1 } else { 2 };
            assert_eq!(report.of(step), expected, "{step}");
        }
        is_over(host).await;
    })
    .await;
}

#[tokio::test]
async fn one_user_is_swept_alone() {
    on_every_store(Policy::default(), async |host| {
        much_to_do(host, &["alice", "bob"]).await;
        let report = host.alice().sweep().await.unwrap();
        assert_eq!(report.owners, 1);
        for step in STEPS {
            assert_eq!(report.of(step), 1, "{step}");
        }
        let report = host.keepmind.sweep().await.unwrap();
        for step in STEPS {
            assert_eq!(report.of(step), 1, "{step}");
        }
    })
    .await;
}

#[tokio::test]
async fn every_owner_is_swept_however_many() {
    on_every_store(Policy::default(), async |host| {
        for number in 0..300 {
            let user = host.keepmind.user(format!("user {number}")).unwrap();
            let mut passing = Save::new("Is in Kyoto this week");
            passing.ttl = Some(TimeToLive::Temporary);
            user.save(passing).await.unwrap();
        }
        host.days(2);
        let report = host.keepmind.sweep().await.unwrap();
        assert_eq!((report.owners, report.of("expire")), (300, 300));
    })
    .await;
}
