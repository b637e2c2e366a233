//! A purge leaves no words behind: not in settled proposals, not in records of calls on their way, not in
//! chats that another process opens meanwhile.

use std::sync::Arc;

use keepmind::{
    InMemoryStore, Keepmind, MemoryStore, Policy, Push, Role, SessionHandle, UserMemory,
};
use keepmind_tests::host::{call, on_every_store};
use keepmind_tests::moody::Moody;
use serde_json::json;

#[tokio::test]
async fn words_that_were_accepted_in_other_words_go_too() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        session.push(Push::new(Role::Tool, "a page")).await.unwrap();
        let save = json!({"content": "User keeps bees in Narvik"});
        let reply = session
            .call_tool(Some("call_1"), "save_memory", &save)
            .await
            .unwrap();
        assert!(reply.event.is_some(), "a proposal");
        let waiting = alice.pending().await.unwrap();
        alice
            .accept_as(waiting[0].id, "Is a beekeeper up north")
            .await
            .unwrap();
        alice.purge("beekeeper").await.unwrap();
        let store = host.keepmind.store();
        let exported = keepmind::export::export(store.as_ref(), alice.owner())
            .await
            .unwrap();
        assert!(!exported.contains("bees"), "{exported}");
        assert!(!exported.contains("beekeeper"));
    })
    .await;
}

#[tokio::test]
async fn records_on_their_way_lose_their_words() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Keeps bees in Narvik").await.unwrap();
        let session = alice.open_session().await.unwrap();
        let asked = json!({"query": "hives"});
        call(&session, "recall_memories", asked).await;
        let refused = json!({"content": "Keeps bees in Narvik", "category": "none such"});
        call(&session, "save_memory", refused).await;
        alice.purge("#1").await.unwrap();
        session.push(Push::user("hello")).await.unwrap();
        let traces = session.traces(None, 10).await.unwrap().items;
        assert_eq!(traces.len(), 2);
        let written = serde_json::to_string(&traces).unwrap();
        assert!(!written.contains("bees"), "{written}");
    })
    .await;
}

/// Alice's memory in two engines on one store, as in two processes; what the first one commits can be
/// interfered with.
fn two_processes() -> (Arc<Moody>, UserMemory, UserMemory) {
    let plain: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let moody = Arc::new(Moody::new(Arc::clone(&plain)));
    let alice = |store: Arc<dyn MemoryStore>| {
        Keepmind::builder(store)
            .build()
            .unwrap()
            .user("alice")
            .unwrap()
    };
    let (here, elsewhere) = (alice(moody.clone()), alice(plain));
    (moody, here, elsewhere)
}

async fn written(session: &SessionHandle) -> String {
    serde_json::to_string(&session.record().await.unwrap()).unwrap()
}

#[tokio::test]
async fn a_chat_opened_during_a_purge_does_not_show_what_went() {
    let (moody, alice, elsewhere) = two_processes();
    alice.save("Keeps bees in Narvik").await.unwrap();
    let opened = moody.meanwhile(async move {
        let session = elsewhere.open_session().await.unwrap();
        assert!(session.block().await.unwrap().contains("bees"));
        session
    });
    alice.purge("#1").await.unwrap();
    let written = written(&opened.result()).await;
    assert!(!written.contains("bees"), "{written}");
}

#[tokio::test]
async fn a_block_made_before_a_purge_is_not_frozen_after_it() {
    let (moody, alice, elsewhere) = two_processes();
    alice.save("Keeps bees in Narvik").await.unwrap();
    moody.meanwhile(async move { elsewhere.purge("#1").await.unwrap() });
    let session = alice.open_session().await.unwrap();
    let written = written(&session).await;
    assert!(!written.contains("bees"), "{written}");
}

#[tokio::test]
async fn a_chat_opened_while_consent_is_withdrawn_does_not_show_the_domain() {
    let (moody, alice, elsewhere) = two_processes();
    alice.consent("health", true).await.unwrap();
    let mut save = keepmind::command::Save::new("Has a bad back");
    save.domain = Some("health".to_owned());
    alice.save(save).await.unwrap();
    let opened = moody.meanwhile(async move { elsewhere.open_session().await.unwrap() });
    alice.consent("health", false).await.unwrap();
    let session = opened.result();
    assert!(!session.block().await.unwrap().contains("back"));
}

#[tokio::test]
async fn a_record_that_waits_while_another_process_purges_loses_its_words() {
    let (moody, alice, elsewhere) = two_processes();
    alice.save("Keeps bees in Narvik").await.unwrap();
    let session = alice.open_session().await.unwrap();
    call(&session, "recall_memories", json!({"query": "bees"})).await;
    moody.meanwhile(async move { elsewhere.purge("#1").await.unwrap() });
    session.push(Push::user("hello")).await.unwrap();
    let traces = session.traces(None, 10).await.unwrap().items;
    let written = serde_json::to_string(&traces).unwrap();
    assert!(!written.contains("bees"), "{written}");
    assert_eq!(session.messages(None, 10).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn a_summary_repeats_nothing_that_was_purged() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        session
            .push(Push::user("I keep bees in Narvik. I also play the oboe."))
            .await
            .unwrap();
        let save = json!({"content": "User keeps bees in Narvik"});
        call(&session, "save_memory", save).await;
        session.close().await.unwrap();
        let recap = |record: &keepmind::Session| {
            let recap = record.recap.as_ref();
            recap.map(|recap| recap.text.clone()).unwrap_or_default()
        };
        let record = session.record().await.unwrap();
        assert!(recap(&record).contains("bees"), "{record:?}");

        alice.purge("#1").await.unwrap();
        assert_eq!(recap(&session.record().await.unwrap()), "");
        session
            .push(Push::user("And I sing in a choir on Mondays."))
            .await
            .unwrap();
        session.close().await.unwrap();
        let record = session.record().await.unwrap();
        assert!(!recap(&record).contains("bees"), "{record:?}");
        assert!(
            recap(&record).contains("oboe"),
            "the rest is caught up with"
        );
        assert!(recap(&record).contains("choir"));
    })
    .await;
}

#[tokio::test]
async fn a_version_written_meanwhile_goes_too() {
    let (moody, alice, elsewhere) = two_processes();
    alice.save("Keeps bees in Narvik").await.unwrap();
    let opened = moody.meanwhile(async move {
        let update = keepmind::command::Update::new("#1", "Keeps wasps in Narvik");
        elsewhere.update(update).await.unwrap();
        elsewhere.open_session().await.unwrap()
    });
    alice.purge("#1").await.unwrap();
    let written = written(&opened.result()).await;
    assert!(!written.contains("wasps"), "{written}");
}

#[tokio::test]
async fn what_an_engine_of_another_style_served_goes_too() {
    let store: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let engine = |policy: Policy| {
        let builder = Keepmind::builder(Arc::clone(&store)).policy(policy);
        builder.build().unwrap().user("alice").unwrap()
    };
    let (plain, assistant) = (engine(Policy::default()), engine(Policy::assistant()));
    let rule = json!({"command": "save", "content": "User never eats narwhals", "authority": "rule",
        "domain": "food", "key": "never", "value": ["narwhals"]});
    for (serves, purges) in [(&plain, &assistant), (&assistant, &plain)] {
        serves.request(&rule.to_string()).await.unwrap();
        let session = serves.open_session().await.unwrap();
        assert!(session.block().await.unwrap().contains("narwhals"));
        session.push(Push::user("hello")).await.unwrap();
        session.close().await.unwrap();
        // Confirmed since, its line would be marked otherwise.
        purges.confirm("narwhals").await.unwrap();
        purges.purge("narwhals").await.unwrap();
        let exported = keepmind::export::export(store.as_ref(), purges.owner())
            .await
            .unwrap();
        assert!(!exported.contains("narwhals"), "{exported}");
    }
}
