//! The user's word on what is not believed yet: confirmed it is believed, forgotten it is gone, and both can
//! be taken back.

use keepmind::command::{List, Update};
use keepmind::testing::ScriptedModel;
use keepmind::visibility::{Status, Visibility};
use keepmind::{
    ErrorKind, EventKind, Layer, MemoryRow, Policy, Push, Source, Trust, UserMemory, Verdict, Why,
};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{call, on_every_store_with};
use serde_json::json;

const SAID: &str = "I really like rye bread";
const KEPT: &str = "User likes rye bread";

fn finding() -> ScriptedModel {
    answers([answer([add(KEPT, SAID)])])
}

/// Lets a chat find something that is not believed yet.
async fn found(alice: &UserMemory) -> MemoryRow {
    chat(alice, SAID).await.close().await.unwrap();
    let mut list = List::default();
    list.status = Some(Status::Candidate);
    let mut rows = alice.list(list).await.unwrap().rows;
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.remove(0)
}

/// The contents of the facts that are live.
async fn believed(alice: &UserMemory) -> Vec<String> {
    let rows = alice.list(List::default()).await.unwrap().rows;
    let facts = rows.into_iter().map(|row| row.body.claim);
    let facts = facts.filter(|claim| claim.layer == Layer::Fact);
    facts.map(|claim| claim.content).collect()
}

#[tokio::test]
async fn what_the_user_confirms_is_believed_and_trusted_no_further_than_before() {
    on_every_store_with(Policy::personal(), finding, async |host, _| {
        let alice = host.alice();
        let held = found(&alice).await;
        let found = alice.recall("rye").await.unwrap();
        assert!(
            found
                .iter()
                .all(|hit| hit.row.body.claim.layer == Layer::Episode)
        );

        let done = alice.confirm(held.body.number).await.unwrap();
        let event = done.event.unwrap();
        assert_eq!(
            (done.verdict, event.kind),
            (Verdict::Done, EventKind::Confirmed)
        );
        let row = alice.get(KEPT).await.unwrap().row;
        assert_eq!(row.body.number, held.body.number);
        let claim = &row.body.claim;
        assert!(!claim.held);
        assert_eq!(
            (claim.source, claim.trust),
            (Source::Extracted, Trust::Extracted)
        );
        assert_eq!(
            (&claim.evidence, claim.valid_from),
            (&held.body.claim.evidence, held.body.claim.valid_from)
        );
        assert_eq!(row.marks.confirmations, held.marks.confirmations + 1);
        assert!(row.marks.confidence.unwrap() >= host.keepmind.policy().floors.inject);
        assert!(alice.block().await.unwrap().text.contains("rye bread"));
        let first = &alice.recall("rye").await.unwrap()[0].row;
        assert_eq!(first.body.claim.layer, Layer::Fact);

        let rows = alice.history(held.body.number).await.unwrap().rows;
        let ends: Vec<_> = rows.iter().map(|row| row.end.map(|end| end.why)).collect();
        assert!(
            matches!(ends[..], [Some(Why::Superseded { by, .. }), None] if by == row.origin),
            "{ends:?}"
        );

        let undone = alice.undo(event.undo.unwrap()).await.unwrap();
        assert_eq!(undone.verdict, Verdict::Done);
        let seen = alice.visibility(held.body.number).await.unwrap();
        assert_eq!(seen, Visibility::Held, "the candidate is back");
        let found = alice.recall("rye").await.unwrap();
        assert!(
            found
                .iter()
                .all(|hit| hit.row.body.claim.layer == Layer::Episode)
        );
        // Nothing was forgotten: it may still be confirmed.
        alice
            .redo(undone.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        assert_eq!(believed(&alice).await, [KEPT]);
    })
    .await;
}

#[tokio::test]
async fn a_candidate_is_forgotten_trashed_put_right_and_brought_back() {
    on_every_store_with(Policy::personal(), finding, async |host, _| {
        let alice = host.alice();
        let number = found(&alice).await.body.number;
        alice.forget("rye").await.unwrap();
        let refused = alice.confirm(number).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotFound, "{refused:?}");
        alice.restore(number).await.unwrap();
        assert_eq!(alice.visibility(number).await.unwrap(), Visibility::Held);

        alice.trash(number).await.unwrap();
        let last = |rows: Vec<MemoryRow>| rows.last().unwrap().end.map(|end| end.why);
        let rows = alice.history(number).await.unwrap().rows;
        assert_eq!(last(rows), Some(Why::Trashed));
        alice.restore(number).await.unwrap();

        // What the user says instead is theirs, and believed.
        let words = "Prefers rye bread to all other bread";
        alice.update(Update::new(number, words)).await.unwrap();
        let row = alice.get(number).await.unwrap().row;
        assert_eq!(
            (row.body.claim.source, row.body.claim.held),
            (Source::User, false)
        );
        assert_eq!(row.marks.confidence, None);
    })
    .await;
}

#[tokio::test]
async fn in_a_domain_that_needs_consent_it_is_asked_for_first() {
    let model = || {
        answers([answer([add(
            "User takes insulin",
            "I take insulin every day",
        )])])
    };
    on_every_store_with(Policy::personal(), model, async |host, _| {
        let alice = host.alice();
        alice.consent("health", true).await.unwrap();
        chat(&alice, "I take insulin every day")
            .await
            .close()
            .await
            .unwrap();
        alice.consent("health", false).await.unwrap();
        let refused = alice.confirm("insulin").await.unwrap_err();
        assert!(refused.to_string().contains("consent"), "{refused}");
        assert!(believed(&alice).await.is_empty());
        alice.consent("health", true).await.unwrap();
        alice.confirm("insulin").await.unwrap();
        assert_eq!(believed(&alice).await, ["User takes insulin"]);
    })
    .await;
}

#[tokio::test]
async fn a_tool_confirms_or_forgets_a_candidate_only_where_the_user_just_asked() {
    on_every_store_with(Policy::personal(), finding, async |host, _| {
        let alice = host.alice();
        let number = found(&alice).await.body.number;
        let session = alice.open_session().await.unwrap();
        session
            .push(Push::user("What is the weather like?"))
            .await
            .unwrap();
        for tool in ["confirm_memory", "forget_memory"] {
            let reply = call(
                &session,
                tool,
                json!({"id_or_substring": number.to_string()}),
            )
            .await;
            assert!(reply.is_error, "{tool}: {}", reply.message);
            assert!(!reply.message.contains("rye"), "{tool}: {}", reply.message);
        }
        assert_eq!(alice.visibility(number).await.unwrap(), Visibility::Held);
        session
            .push(Push::user(format!("Yes, {number} is right, keep it")))
            .await
            .unwrap();
        let reply = call(
            &session,
            "confirm_memory",
            json!({"id_or_substring": number.to_string()}),
        )
        .await;
        assert!(!reply.is_error, "{}", reply.message);
        assert_eq!(believed(&alice).await, [KEPT]);
    })
    .await;
}
