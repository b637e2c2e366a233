//! The usage ledger: what was told, applied, cited and overridden, written off everybody's path and told to
//! whoever asks why; on every store.

use std::sync::Arc;
use std::time::Duration;

use keepmind::command::{Query, UsageList, UsedAs, WhyQuery};
use keepmind::{
    Answer, CitedBy, ErrorKind, Keepmind, Policy, Push, SessionHandle, SessionUsage, UsageKind,
    UserMemory,
};
use keepmind_tests::answers::{add, answer, answers, update};
use keepmind_tests::host::{call, on_every_moody_store, on_every_store, on_every_store_with};
use keepmind_tests::moody::Mood;
use keepmind_tests::{Backend, lasting};
use serde_json::{Value, json};

/// A fact that a block shows and one that it does not: nobody is to be told everything.
const TEA: &str = "User likes green tea";
const GHENT: &str = "User lives in Ghent";

async fn furnished(user: &UserMemory) -> SessionHandle {
    for content in [TEA, GHENT] {
        user.save(content).await.unwrap();
    }
    user.open_session().await.unwrap()
}

/// What a chat used, a line each: the number, how, how often.
fn told(usage: &SessionUsage) -> Vec<String> {
    let memories = usage.memories.iter();
    let lines = memories.flat_map(|memory| {
        let uses = memory.uses.iter();
        uses.map(move |one| format!("{} {} {}", memory.number, one.kind.word(), one.times))
    });
    lines.collect()
}

fn asking(fill: impl FnOnce(&mut UsageList)) -> UsageList {
    let mut list = UsageList::default();
    fill(&mut list);
    list
}

async fn entries(user: &UserMemory) -> usize {
    let page = user.usage(UsageList::default()).await.unwrap();
    page.uses.len()
}

#[tokio::test]
async fn what_a_chat_is_told_is_retrieved_once_for_each_telling() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        assert_eq!(
            told(&session.why().await.unwrap()),
            ["#1 retrieved 1", "#2 retrieved 1"],
            "{}: the block",
            host.store
        );
        // The block is asked for with every message, and was told once.
        session.block().await.unwrap();
        session.context("Which tea?").await.unwrap();
        session.recall("tea").await.unwrap();
        session.recall("tea").await.unwrap();
        let why = session.why().await.unwrap();
        assert_eq!(told(&why), ["#1 retrieved 2", "#2 retrieved 1"]);
        session.push(Push::user("What do I drink?")).await.unwrap();
        call(&session, "recall_memories", json!({"query": "green tea"})).await;
        let why = alice.why(session.id()).await.unwrap();
        assert_eq!(told(&why)[0], "#1 retrieved 3");
        assert_eq!(why.memories[0].line.as_deref(), Some(TEA));

        // Outside of any chat it belongs to none.
        alice.recall("Ghent").await.unwrap();
        alice.block().await.unwrap();
        alice.context("Where?").await.unwrap();
        let nowhere = alice.usage(UsageList::default()).await.unwrap().uses;
        let of_none = nowhere.iter().filter(|usage| usage.session.is_none());
        assert_eq!(of_none.count(), 2, "each row once while it waited");
    })
    .await;
}

#[tokio::test]
async fn nothing_is_written_for_a_read_nor_with_a_message_and_all_of_it_when_somebody_asks() {
    let model = || answers([]);
    on_every_moody_store(Policy::default(), model, async |host, _, store| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        let before = store.asked().len();
        for _ in 0..10 {
            session.recall("tea").await.unwrap();
            session.context("Which tea in Ghent?").await.unwrap();
            alice.recall("tea").await.unwrap();
        }
        assert_eq!(store.asked().len(), before, "a read commits nothing");
        session.push(Push::user("Hello")).await.unwrap();
        assert_eq!(
            store.asked().len(),
            before + 1,
            "a message brings only itself"
        );
        let all = keepmind::store::UsageQuery::all(100);
        let stored = async || {
            let store = host.keepmind.store();
            store.usage(alice.owner(), &all).await.unwrap().items.len()
        };
        assert_eq!(stored().await, 0);
        session.why().await.unwrap();
        assert_eq!(stored().await, 3);
    })
    .await;
}

#[tokio::test]
async fn a_store_that_fails_costs_the_chat_nothing_and_the_ledger_only_time() {
    let model = || answers([]);
    on_every_moody_store(Policy::default(), model, async |host, _, store| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        session.recall("tea").await.unwrap();
        store.expects([Mood::Refuses(ErrorKind::Full)]);
        let why = session.why().await.unwrap();
        assert!(why.memories.is_empty(), "not written, and no error");
        assert_eq!(told(&session.why().await.unwrap()).len(), 2, "later");

        // Written without anybody being told: it is entered once.
        session.recall("Ghent").await.unwrap();
        let silent = [Mood::WritesInSilence; 3];
        store.expects(silent);
        drop(session.why().await);
        assert_eq!(entries(&alice).await, 3);
    })
    .await;
}

#[tokio::test]
async fn nothing_is_lost_on_a_clean_close() {
    for closes_chat in [true, false] {
        on_every_store(Policy::default(), async |host| {
            let alice = host.alice();
            let session = furnished(&alice).await;
            session.recall("tea").await.unwrap();
            session
                .used(UsedAs::new("#1", UsageKind::Applied).influence("Offered tea"))
                .await
                .unwrap();
            let elsewhere = host.elsewhere(Arc::new(answers([])));
            let store = Arc::clone(host.keepmind.store());
            if closes_chat {
                session.close().await.unwrap();
            } else {
                session.flush().await.unwrap();
            }
            let all = keepmind::store::UsageQuery::all(100);
            let stored = store.usage(alice.owner(), &all).await.unwrap().items;
            assert_eq!(stored.len(), 3, "{}", host.store);
            let alice = elsewhere.user("alice").unwrap();
            let why = alice.why(session.id()).await.unwrap();
            assert_eq!(why.memories[0].uses[1].influences, ["Offered tea"]);
        })
        .await;
    }
}

#[tokio::test]
async fn a_store_that_is_opened_again_has_what_was_used_before_it_was_closed() {
    for backend in lasting() {
        opened_again(backend).await;
    }
}

async fn opened_again(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let id = {
        let store = backend.open(folder.path()).await;
        let keepmind = Keepmind::builder(store).build().unwrap();
        let alice = keepmind.user("alice").unwrap();
        let session = furnished(&alice).await;
        session.recall("tea").await.unwrap();
        keepmind.close().await.unwrap();
        session.id()
    };
    let store = backend.open(folder.path()).await;
    let keepmind = Keepmind::builder(store).build().unwrap();
    let alice = keepmind.user("alice").unwrap();
    let why = alice.why(id).await.unwrap();
    assert_eq!(told(&why), ["#1 retrieved 1", "#2 retrieved 1"]);
    // Whoever did not hear the chat knows from the ledger what was told in it.
    let session = alice.session(id).await.unwrap();
    let cited = session.cite("You live in Ghent, I see.").await.unwrap();
    assert_eq!(cited.len(), 1);
    keepmind.close().await.unwrap();
}

#[tokio::test]
async fn many_uses_are_written_by_themselves() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for place in 0..300 {
            alice.save(format!("Seat {place} is free")).await.unwrap();
        }
        let all = keepmind::store::UsageQuery::all(10_000);
        let store = Arc::clone(host.keepmind.store());
        for place in 0..300 {
            alice
                .recall(format!("seat {place}").as_str())
                .await
                .unwrap();
        }
        let owner = alice.owner().clone();
        let written = async || store.usage(&owner, &all).await.unwrap().items.len();
        let waiting = async {
            while written().await < 256 {
                tokio::task::yield_now().await;
            }
        };
        // The deadline only keeps a broken test from hanging.
        let waited = tokio::time::timeout(Duration::from_secs(120), waiting).await;
        waited.expect("nobody writes them");
    })
    .await;
}

#[tokio::test]
async fn a_host_says_what_a_fact_was_used_for() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        for (kind, target) in [
            (UsageKind::Applied, "#2"),
            (UsageKind::Cited, "green tea"),
            (UsageKind::Conflicted, "1"),
            (UsageKind::Overridden, "2"),
        ] {
            session.used(UsedAs::new(target, kind)).await.unwrap();
        }
        let told = told(&session.why().await.unwrap());
        assert_eq!(
            told,
            [
                "#1 retrieved 1",
                "#1 cited 1",
                "#1 conflicted 1",
                "#2 retrieved 1",
                "#2 applied 1",
                "#2 overridden 1"
            ]
        );
        let before = entries(&alice).await;
        let long = "x".repeat(501);
        for (used, kind) in [
            (UsedAs::new("#9", UsageKind::Applied), ErrorKind::NotFound),
            (UsedAs::new("#1", UsageKind::Retrieved), ErrorKind::Refused),
            (
                UsedAs::new("#1", UsageKind::Applied).influence(""),
                ErrorKind::Invalid,
            ),
            (
                UsedAs::new("#1", UsageKind::Applied).influence(long.as_str()),
                ErrorKind::Invalid,
            ),
            (
                UsedAs::new("#1", UsageKind::Applied).influence("a\u{202e}b"),
                ErrorKind::Invalid,
            ),
            (
                UsedAs::new("#1", UsageKind::Applied).influence("my password is hunter2secret!"),
                ErrorKind::Refused,
            ),
        ] {
            let failed = session.used(used.clone()).await.unwrap_err();
            assert_eq!(failed.kind(), kind, "{used:?}");
        }
        assert_eq!(entries(&alice).await, before);
        let mallory = host.keepmind.user("mallory").unwrap();
        let failed = mallory.used(UsedAs::new("#1", UsageKind::Applied)).await;
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::NotFound);
    })
    .await;
}

#[tokio::test]
async fn what_an_answer_cites_is_found_among_what_was_told() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        alice.save("User's dog is named Rex").await.unwrap();
        let answer = "Since you live in Ghent (#2), Rex, your dog, may come. #1 helps too.";
        let cited = session.cite(answer).await.unwrap();
        let found: Vec<(u64, bool)> = cited
            .iter()
            .map(|one| (one.number.get(), one.by == CitedBy::Number))
            .collect();
        assert_eq!(found, [(1, true), (2, true)], "Rex was not told");
        let cited = session.cite("You live in Ghent.").await.unwrap();
        assert!(matches!(&cited[0].by, CitedBy::Words { matched, .. } if matched.len() == 2));
        assert!(session.cite("Hello there!").await.unwrap().is_empty());
        let why = session.why().await.unwrap();
        assert_eq!(told(&why)[1], "#1 cited 1");
        let ledger = serde_json::to_string(&alice.usage(UsageList::default()).await.unwrap());
        assert!(!ledger.unwrap().contains("Rex"), "no words of the answer");
    })
    .await;
}

#[tokio::test]
async fn what_the_user_says_otherwise_is_overridden() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        alice.save("User owns a canoe").await.unwrap();
        let said = "Actually I live in Bruges. Forget the canoe.";
        session.push(Push::user(said)).await.unwrap();
        let change = json!({"id_or_substring": "#2", "new_content": "User lives in Bruges"});
        let reply = call(&session, "update_memory", change).await;
        assert!(!reply.is_error, "{}", reply.message);
        let reply = call(
            &session,
            "forget_memory",
            json!({"id_or_substring": "canoe"}),
        )
        .await;
        assert!(!reply.is_error, "{}", reply.message);
        let why = session.why().await.unwrap();
        assert_eq!(
            told(&why),
            ["#1 retrieved 1", "#2 retrieved 1", "#2 overridden 1"],
            "{}: the canoe was not told in this chat",
            host.store
        );
        assert_eq!(
            why.memories[1].line.as_deref(),
            Some(GHENT),
            "as it was told"
        );
    })
    .await;
}

#[tokio::test]
async fn what_a_close_learns_otherwise_is_overridden_too() {
    let model = || {
        answers([
            answer([add("User lives in Ghent", "I live in Ghent")]),
            answer([update(
                1,
                "User lives in Bruges",
                "I moved to Bruges, I live there",
            )]),
        ])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let first = alice.open_session().await.unwrap();
        first.push(Push::user("I live in Ghent")).await.unwrap();
        first.close().await.unwrap();
        let second = alice.open_session().await.unwrap();
        let said = "I moved to Bruges, I live there";
        second.push(Push::user(said)).await.unwrap();
        let report = second.close().await.unwrap().report;
        assert_eq!(report.count(keepmind::Fate::Updated), 1, "{report:?}");
        let why = second.why().await.unwrap();
        assert_eq!(told(&why), ["#1 retrieved 1", "#1 overridden 1"]);
    })
    .await;
}

#[tokio::test]
async fn what_is_gone_or_hidden_is_not_told() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        let applied = UsedAs::new("#2", UsageKind::Applied).influence("Booked in Ghent");
        session.used(applied.clone()).await.unwrap();
        alice.trash("#1").await.unwrap();
        let why = session.why().await.unwrap();
        assert_eq!(why.memories[0].line, None, "{}: in the trash", host.store);
        // It waits while its fact is purged.
        session.used(applied).await.unwrap();
        session.recall("Ghent").await.unwrap();
        alice.purge("#2").await.unwrap();
        let why = session.why().await.unwrap();
        assert_eq!(told(&why), ["#1 retrieved 1"]);
        let ledger = alice.usage(UsageList::default()).await.unwrap();
        assert!(!serde_json::to_string(&ledger).unwrap().contains("Ghent"));

        session.recall("tea").await.unwrap();
        alice.restore("#1").await.unwrap();
        session.recall("tea").await.unwrap();
        assert!(alice.erase().await.unwrap());
        host.keepmind
            .user("alice")
            .unwrap()
            .usage(UsageList::default())
            .await
            .unwrap();
        let owners = host.keepmind.store().owners(None, 10).await.unwrap();
        assert!(
            owners.is_empty(),
            "{}: nobody comes back by the ledger",
            host.store
        );
    })
    .await;
}

#[tokio::test]
async fn nobody_is_told_what_another_user_used() {
    on_every_store(Policy::default(), async |host| {
        let (alice, bob) = (host.alice(), host.keepmind.user("bob").unwrap());
        let session = furnished(&alice).await;
        bob.save("User keeps bees").await.unwrap();
        session.why().await.unwrap();
        let failed = bob.why(session.id()).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::NotFound);
        assert_eq!(entries(&bob).await, 0);
        let asked = asking(|list| list.session = Some(session.id()));
        assert!(bob.usage(asked).await.unwrap().uses.is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_ledger_is_read_by_fact_chat_kind_and_time() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        session.flush().await.unwrap();
        host.seconds(60);
        let now = keepmind::Clock::now(host.clock.as_ref());
        alice
            .update(keepmind::command::Update::new("#1", "User likes black tea"))
            .await
            .unwrap();
        alice.recall("black").await.unwrap();
        session
            .used(UsedAs::new("#2", UsageKind::Applied))
            .await
            .unwrap();
        let count = async |list: UsageList| alice.usage(list).await.unwrap().uses.len();
        assert_eq!(count(UsageList::default()).await, 4);
        let target = Some("#1".into());
        assert_eq!(
            count(asking(|list| list.target = target)).await,
            2,
            "both versions"
        );
        let id = session.id();
        let session = Some(id);
        assert_eq!(count(asking(|list| list.session = session)).await, 3);
        let kind = Some(UsageKind::Applied);
        assert_eq!(count(asking(|list| list.kind = kind)).await, 1);
        let since = Some(now);
        assert_eq!(count(asking(|list| list.since = since)).await, 2);
        let page = alice
            .usage(asking(|list| list.limit = Some(3)))
            .await
            .unwrap();
        let rest = asking(|list| list.after = page.next);
        assert_eq!((page.uses.len(), count(rest).await), (3, 1));

        let answered = alice.query(Query::Why(WhyQuery::default())).await;
        assert_eq!(answered.unwrap_err().kind(), ErrorKind::Invalid);
        let asked = json!({"user": "alice", "session": session, "query": "why"});
        let why = host.keepmind.request(&asked.to_string()).await.unwrap();
        let why: Value = serde_json::from_str(&why).unwrap();
        assert_eq!(why["answer"], "why");
        assert_eq!(why["memories"][1]["uses"][1]["kind"], "applied");
        let typed = alice.query(Query::Why(WhyQuery::of(id))).await.unwrap();
        assert!(matches!(typed, Answer::Why(usage) if usage.to_string().contains("applied")));
    })
    .await;
}

#[tokio::test]
async fn a_clock_that_steps_back_hides_no_use() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = furnished(&alice).await;
        let earlier = keepmind::Timestamp::UNIX_EPOCH;
        host.clock.set(earlier);
        let used = UsedAs::new("#1", UsageKind::Applied);
        session.used(used).await.unwrap();
        let why = session.why().await.unwrap();
        assert!(
            told(&why).iter().any(|line| line.contains("applied 1")),
            "{why}"
        );
    })
    .await;
}

#[tokio::test]
async fn many_uses_are_written_even_after_a_try_that_failed() {
    let model = || answers([]);
    on_every_moody_store(Policy::default(), model, async |host, _, store| {
        let alice = host.alice();
        furnished(&alice).await;
        // Nobody asks: the queue alone makes somebody write.
        store.expects([Mood::Refuses(ErrorKind::Full)]);
        for number in 0..600 {
            let used = UsedAs::new("#1", UsageKind::Applied).influence(format!("tea {number}"));
            alice.used(used).await.unwrap();
            tokio::task::yield_now().await;
        }
        let all = keepmind::store::UsageQuery::all(1_000);
        let mut stored = 0;
        // Somebody else writes: a store that is asked often enough has had the time.
        for _ in 0..2_000 {
            tokio::task::yield_now().await;
            let uses = host.keepmind.store().usage(alice.owner(), &all).await;
            stored = uses.unwrap().items.len();
            if stored >= 256 {
                break;
            }
        }
        assert!(stored >= 256, "{}: {stored}", host.store);
    })
    .await;
}
