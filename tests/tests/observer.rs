//! The layered observer (`Policy::observer`): raw signal, episodes, facts and digests, each citing the layer
//! below; believed by how often it recurs, corrected at the edges. What its document promises, one scenario each.

use keepmind::command::{Behaviour, ContextRequest, ObservationList, Observe, Save};
use keepmind::{
    Authority, Evidence, Fate, Grade, Layer, MemoryRow, Number, Policy, ProposedOperation,
    Settling, Slice, Source, UserMemory, Why,
};
use keepmind_tests::answers::{add, answer, answers, with};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, on_every_store, on_every_store_with};
use serde_json::json;

async fn said(user: &UserMemory, words: &str) {
    chat(user, words).await.close().await.unwrap();
}

async fn rows(user: &UserMemory, layer: Layer) -> Vec<MemoryRow> {
    let rows = user.list(Default::default()).await.unwrap().rows;
    rows.into_iter()
        .filter(|row| row.body.claim.layer == layer)
        .collect()
}

fn opened() -> Observe {
    Observe::new("desktop", json!({"action": "opened", "app": "calendar"}))
}

/// A habit that was seen on five days.
async fn habit(host: &Host, alice: &UserMemory) -> Number {
    for _ in 0..5 {
        alice.observe(opened()).await.unwrap();
        host.days(1);
    }
    let done = alice.consolidate().await.unwrap();
    let derived = done
        .settled
        .iter()
        .find(|one| one.fate == Settling::Derived);
    derived.unwrap().number.unwrap()
}

#[tokio::test]
async fn every_layer_cites_the_one_below() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let number = habit(host, &alice).await;
        let tree = alice.lineage(number).await.unwrap();
        assert_eq!(tree.row.observations.len(), 5, "{tree}");
        let digests = tree.made_into.iter();
        let digests: Vec<Layer> = digests.map(|step| step.row.layer).collect();
        assert_eq!(digests, [Layer::Digest], "{}: {tree}", host.store);
        said(
            &alice,
            "Please plan the week with me, the calendar is full.",
        )
        .await;
        let [episode] = &rows(&alice, Layer::Episode).await[..] else {
            panic!("one episode");
        };
        assert!(!episode.body.claim.messages.is_empty());
    })
    .await;
}

#[tokio::test]
async fn raw_signal_is_never_rewritten_and_proves_only_what_is_derived() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let number = habit(host, &alice).await;
        alice.forget(number).await.unwrap();
        let list = ObservationList::default();
        let seen = alice.observations(list).await.unwrap().observations;
        assert_eq!(seen.len(), 5);
        let all = host
            .keepmind
            .store()
            .load(alice.owner(), &Slice::everything())
            .await
            .unwrap();
        for row in all.memories() {
            let observed = row.body.claim.evidence.iter();
            let is_seen = |piece: &Evidence| matches!(piece, Evidence::Observation { .. });
            if observed.into_iter().any(is_seen) {
                assert_eq!(row.body.claim.source, Source::Derived, "{}", host.store);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_pattern_is_held_then_tentative_then_strong() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let mut grades = Vec::new();
        for _ in 0..5 {
            alice.observe(opened()).await.unwrap();
            let done = alice.consolidate().await.unwrap();
            grades.push(done.settled.iter().find_map(|one| one.grade));
            host.days(1);
        }
        assert_eq!(grades[0], None);
        assert_eq!(grades[1], Some(Grade::Tentative));
        assert_eq!(grades[4], Some(Grade::Strong), "{}: {grades:?}", host.store);
        let [habit] = &rows(&alice, Layer::Fact).await[..] else {
            panic!("one habit");
        };
        assert!(habit.marks.importance >= 0.9);
    })
    .await;
}

#[tokio::test]
async fn what_behaviour_speaks_against_is_archived_without_the_user() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let number = habit(host, &alice).await;
        let mut last = 1.0;
        loop {
            alice
                .observed(number, Behaviour::Contradicted)
                .await
                .unwrap();
            let history = alice.history(number).await.unwrap().rows;
            let row = history.last().unwrap();
            let sure = row.marks.confidence.unwrap();
            assert!(sure < last);
            last = sure;
            if let Some(end) = row.end {
                assert!(matches!(end.why, Why::Faded { .. }), "{}", host.store);
                break;
            }
        }
        assert!(alice.digests().await.unwrap().is_empty());
        assert!(rows(&alice, Layer::Fact).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_wrong_fact_is_removed_and_everything_above_is_compiled_without_it() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let number = habit(host, &alice).await;
        let told = async || {
            let context = alice.context("Plan my morning, please.").await.unwrap();
            let digests = alice.digests().await.unwrap();
            context.text.contains("calendar") || format!("{digests:?}").contains("calendar")
        };
        assert!(told().await);
        alice.trash(number).await.unwrap();
        assert!(!told().await);
        alice.consolidate().await.unwrap();
        assert!(!told().await, "what was seen before does not bring it back");
        let open = rows(&alice, Layer::Digest).await;
        assert!(open.is_empty(), "{}", host.store);
        alice.restore(number).await.unwrap();
        assert!(told().await);
    })
    .await;
}

#[tokio::test]
async fn a_habit_that_is_gone_is_not_concluded_again_from_what_was_seen_before() {
    for way in ["forget", "trash", "purge", "trash, then purge"] {
        on_every_store(Policy::observer(), async |host| {
            let alice = host.alice();
            let number = habit(host, &alice).await;
            // What it cites is seen no more by the time it goes, but the habit went on.
            for _ in 0..20 {
                alice.observe(opened()).await.unwrap();
                host.days(1);
            }
            match way {
                "forget" => alice.forget(number).await,
                "trash" => alice.trash(number).await,
                "purge" => alice.purge(number).await,
                _ => {
                    alice.trash(number).await.unwrap();
                    host.seconds(3_600);
                    alice.purge(number).await
                }
            }
            .unwrap();
            let derived = async || alice.consolidate().await.unwrap().count(Settling::Derived);
            assert_eq!(derived().await, 0, "{way} on {}", host.store);
            host.seconds(60);
            alice.observe(opened()).await.unwrap();
            assert_eq!(derived().await, 0, "{way}, seen once since");
            host.days(1);
            alice.observe(opened()).await.unwrap();
            assert_eq!(derived().await, 1, "{way}, seen anew");
        })
        .await;
    }
}

#[tokio::test]
async fn what_brings_a_habit_back_lets_it_be_seen_again() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let number = habit(host, &alice).await;
        let entombed = async || {
            let store = host.keepmind.store();
            let all = store.load(alice.owner(), &Slice::everything()).await;
            let all = all.unwrap();
            all.tombstones().filter(|row| row.is_open()).count()
        };
        let forgotten = alice.forget(number).await.unwrap();
        assert_eq!(entombed().await, 1);
        let undo = forgotten.event.unwrap().undo.unwrap();
        alice.undo(undo).await.unwrap();
        assert_eq!(entombed().await, 0);
        alice.trash(number).await.unwrap();
        assert_eq!(entombed().await, 1);
        alice.restore(number).await.unwrap();
        assert_eq!(entombed().await, 0, "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn what_is_sensitive_waits_for_the_user() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        for _ in 0..6 {
            let seen = Observe::new("phone", json!("took the insulin for diabetes"));
            alice.observe(seen).await.unwrap();
            host.days(1);
        }
        let done = alice.consolidate().await.unwrap();
        assert_eq!(done.count(Settling::Proposed), 1, "{done:?}");
        assert!(rows(&alice, Layer::Fact).await.is_empty());
        let again = alice.consolidate().await.unwrap();
        assert_eq!(again.count(Settling::Proposed), 0, "asked once: {again:?}");
        let [waits] = &alice.pending().await.unwrap()[..] else {
            panic!("one proposal");
        };
        alice.accept(waits.id).await.unwrap();
        assert_eq!(rows(&alice, Layer::Fact).await.len(), 1, "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn what_contradicts_something_that_matters_asks_which_is_true() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        for _ in 0..5 {
            said(&alice, "My favourite colour is green.").await;
            host.days(1);
        }
        alice.consolidate().await.unwrap();
        assert!(rows(&alice, Layer::Fact).await[0].marks.importance >= 0.9);
        for _ in 0..2 {
            said(&alice, "My favourite colour is red.").await;
            host.days(1);
        }
        alice.consolidate().await.unwrap();
        let believed = rows(&alice, Layer::Fact).await;
        assert_eq!(
            believed[0].body.claim.content,
            "User's favourite colour is green"
        );
        let pending = alice.pending().await.unwrap();
        let asks = |one: &keepmind::Row<keepmind::Proposal>| {
            matches!(one.body.operation, ProposedOperation::Choose { .. })
        };
        assert!(pending.iter().any(asks), "{}: {pending:?}", host.store);
    })
    .await;
}

#[tokio::test]
async fn what_permits_acting_is_always_asked() {
    let permits = || {
        let quote = "You may answer internal mail for me";
        let operation = add("User lets the assistant answer internal mail", quote);
        answers([answer([with(operation, "authorises_action", true)])])
    };
    on_every_store_with(Policy::observer(), permits, async |host, _| {
        let alice = host.alice();
        let session = chat(&alice, "You may answer internal mail for me.").await;
        let report = session.close().await.unwrap().report;
        assert_eq!(report.count(Fate::Proposed), 1, "{report:?}");
        alice.consolidate().await.unwrap();
        assert!(rows(&alice, Layer::Fact).await.is_empty(), "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn an_off_topic_message_never_loses_the_baseline() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let mut skill = Save::new("Speaks fluent Danish").category("skill");
        skill.authority = Some(Authority::Note);
        alice.save(skill).await.unwrap();
        for theme in 0..40 {
            let content = format!("Prefers oak for shelf number {theme} in the workshop");
            alice
                .save(Save::new(content).category("artifact"))
                .await
                .unwrap();
        }
        alice.consolidate().await.unwrap();
        let mut asked = ContextRequest::new("Which oak shelf is next in the workshop?");
        asked.budget = Some(400);
        let context = alice.context(asked).await.unwrap();
        assert!(context.tokens <= 400);
        let mut other = ContextRequest::new("What is the weather like on Mars?");
        other.budget = Some(400);
        let elsewhere = alice.context(other).await.unwrap();
        assert_eq!(context.baseline, elsewhere.baseline, "{}", host.store);
        assert!(!context.baseline.is_empty());
    })
    .await;
}
