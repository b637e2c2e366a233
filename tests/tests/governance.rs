//! Counts, rates, health and what is traced: on every store, from what users and models did.

use keepmind::command::{Propose, ProposedChange, Save, UsedAs};
use keepmind::{Authority, Code, ConcernKind, Fate, Policy, Source, UsageKind, UserMemory};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{call, on_every_store, on_every_store_with};
use keepmind_tests::listener::Listener;
use serde_json::{Value, json};

async fn propose(user: &UserMemory, content: &str) -> keepmind::RowId {
    let change = ProposedChange::Save(Box::new(Save::new(content)));
    let proposed = user
        .propose(Propose::new(change, "said twice"))
        .await
        .unwrap();
    proposed.event.unwrap().proposal.unwrap().id
}

#[tokio::test]
async fn stats_count_what_is_kept() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        assert_eq!(alice.stats().await.unwrap().facts, 0, "nothing is known");
        for content in ["User likes tea", "User lives in Ghent", "User owns a boat"] {
            alice.save(content).await.unwrap();
        }
        let mut rule = Save::new("Vegetarian only").category("preference");
        rule.domain = Some("food".to_owned());
        rule.authority = Some(Authority::Rule);
        alice.save(rule).await.unwrap();
        let update = keepmind::command::Update::new("#1", "User likes green tea");
        alice.update(update).await.unwrap();
        alice.forget("#2").await.unwrap();
        alice.trash("#3").await.unwrap();
        let waiting = propose(&alice, "User likes jazz").await;
        alice.reject(waiting).await.unwrap();
        propose(&alice, "User likes blues").await;
        let session = alice.open_session().await.unwrap();
        session.close().await.unwrap();
        alice.open_session().await.unwrap();

        let stats = alice.stats().await.unwrap();
        assert_eq!((stats.facts, stats.rows), (4, 5), "{}", host.store);
        let by_status: Vec<_> = stats.by_status.clone().into_iter().collect();
        assert_eq!(by_status, [("forgotten", 1), ("live", 2), ("trashed", 1)]);
        assert_eq!(stats.by_domain["food"], 1);
        assert_eq!(stats.by_authority[&Authority::Rule], 1);
        assert_eq!(stats.by_source[&Source::User], 2);
        assert_eq!((stats.proposals.pending, stats.proposals.rejected), (1, 1));
        assert_eq!((stats.sessions.active, stats.sessions.idle), (1, 1));
        assert!(stats.sizes.content > 60);
        let report = stats.to_string();
        assert!(
            report.contains("- by status: forgotten 1, live 2, trashed 1"),
            "{report}"
        );
        assert!(!report.contains("tea"), "{report}");

        let asked = host.keepmind.request(r#"{"user":"alice","query":"stats"}"#);
        let answer: Value = serde_json::from_str(&asked.await.unwrap()).unwrap();
        assert_eq!(answer["by_authority"], json!({"note": 1, "rule": 1}));
    })
    .await;
}

#[tokio::test]
async fn rates_come_from_what_became_of_proposals_and_memories() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let metrics = alice.metrics().await.unwrap();
        assert_eq!(
            (metrics.acceptance_rate, metrics.citation_rate),
            (None, None)
        );

        let as_is = propose(&alice, "User likes jazz").await;
        alice.accept(as_is).await.unwrap();
        let edited = propose(&alice, "User likes blues").await;
        let edited = alice
            .accept_as(edited, "User likes slow blues")
            .await
            .unwrap();
        let rejected = propose(&alice, "User likes polka").await;
        alice.reject(rejected).await.unwrap();
        propose(&alice, "User likes techno").await;
        // What was there already is accepted as it is.
        alice.save("User likes soul").await.unwrap();
        let known = propose(&alice, "User likes soul").await;
        alice.accept(known).await.unwrap();
        let metrics = alice.metrics().await.unwrap();
        assert_eq!(
            (metrics.proposals.accepted, metrics.edited),
            (3, 1),
            "{}",
            host.store
        );
        assert_eq!(metrics.acceptance_rate, Some(0.75));
        assert_eq!(metrics.correction_rate, Some(1.0 / 3.0));
        // An acceptance that is taken back waits again.
        alice
            .undo(edited.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        let metrics = alice.metrics().await.unwrap();
        assert_eq!((metrics.proposals.accepted, metrics.edited), (2, 0));
        assert_eq!(metrics.proposals.pending, 2);

        let session = alice.open_session().await.unwrap();
        session
            .cite("As you like jazz, here you are.")
            .await
            .unwrap();
        let applied = UsedAs::new("soul", UsageKind::Applied);
        session.used(applied).await.unwrap();
        let metrics = alice.metrics().await.unwrap();
        assert_eq!((metrics.used, metrics.cited), (2, 1));
        assert_eq!(metrics.citation_rate, Some(0.5));
        assert_eq!(metrics.used_rate, Some(1.0));
        assert_eq!(metrics.override_rate, Some(0.0));
        assert!(
            metrics
                .to_string()
                .contains("cited, of what shaped an answer: 50 %")
        );
    })
    .await;
}

#[tokio::test]
async fn a_process_counts_what_it_does() {
    let model = || {
        answers([answer([
            add("User likes tea", "I like tea"),
            add("User owns a castle", "I own a castle"),
        ])])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let session = chat(&alice, "I like tea").await;
        session.close().await.unwrap();
        session.resume().await.unwrap();
        session.recall("tea").await.unwrap();
        session.recall("tea").await.unwrap();
        session.context("tea?").await.unwrap();
        assert!(alice.forget("#99").await.is_err());

        let metrics = host.keepmind.metrics();
        let fates = &metrics.extraction.by_fate;
        assert_eq!((fates[&Fate::Learned], fates[&Fate::Refused]), (1, 1));
        assert_eq!(metrics.extraction.by_code[&Code::QuoteNotFound], 1);
        assert!(metrics.recalls >= 2 && metrics.cached_recalls >= 1);
        assert!(metrics.cache_hit_rate().unwrap() > 0.0);
        assert_eq!((metrics.tokens.blocks, metrics.tokens.contexts), (2, 1));
        assert!(metrics.tokens.block_tokens > 0);
        assert!(metrics.uses_waiting > 0 && metrics.uses_lost == 0);
        let names: Vec<&str> = metrics.operations.keys().copied().collect();
        for name in [
            "close",
            "context",
            "forget",
            "open_session",
            "push",
            "recall",
        ] {
            assert!(names.contains(&name), "{name} of {names:?}");
        }
        let forget = metrics.operations["forget"];
        assert_eq!((forget.count, forget.failed), (1, 1));
        let asked = host
            .keepmind
            .request(r#"{"request":"metrics"}"#)
            .await
            .unwrap();
        assert!(
            !asked.contains("tea") && !asked.contains("alice"),
            "{asked}"
        );
        assert!(asked.contains("\"E_QUOTE_NOT_FOUND\":1"), "{asked}");
    })
    .await;
}

#[tokio::test]
async fn health_names_what_wants_a_look() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        assert!(alice.health().await.unwrap().concerns.is_empty());
        let session = chat(&alice, "I like green tea").await;
        let saved = json!({"content": "User likes green tea"});
        assert!(!call(&session, "save_memory", saved).await.is_error);
        alice.save("User does not like green tea").await.unwrap();
        alice
            .save("User has to file taxes by 30 April 2026")
            .await
            .unwrap();
        alice.save("User lives in Ghent").await.unwrap();
        let one = keepmind::Number::new(1).unwrap();
        let four = keepmind::Number::new(4).unwrap();
        alice.link(four, one, "relates_to").await.unwrap();
        let found = async || {
            let health = alice.health().await.unwrap();
            let concerns = health.concerns.iter();
            concerns.map(|one| one.kind).collect::<Vec<_>>()
        };
        assert_eq!(
            found().await,
            [ConcernKind::Contradiction],
            "{}",
            host.store
        );
        session.purge().await.unwrap();
        assert_eq!(
            found().await,
            [ConcernKind::Contradiction, ConcernKind::Orphan],
            "its evidence is gone"
        );
        alice.trash("#4").await.unwrap();
        assert_eq!(found().await.len(), 3, "a link leads to the trash");
        alice.restore("#4").await.unwrap();
        alice.forget("#1").await.unwrap();
        let health = alice.health().await.unwrap();
        assert_eq!(health.concerns.len(), 1, "{health}");
        assert!(health.concerns[0].reason.contains("relates_to"));
        assert_eq!(health.block.shown, 3);
        assert!(!health.to_string().contains("tea"), "it quotes nobody");
    })
    .await;
}

#[tokio::test]
async fn what_is_traced_names_operations_and_holds_nobodys_words() {
    let heard = Listener::everywhere();
    on_every_store(Policy::default(), async |host| {
        let alice = host.keepmind.user("alice-canary").unwrap();
        let session = chat(&alice, "I collect zebrafinch feathers").await;
        let saved = json!({"content": "User collects zebrafinch feathers"});
        call(&session, "save_memory", saved).await;
        alice.save("User keeps zebrafinches").await.unwrap();
        session.recall("zebrafinch").await.unwrap();
        session.context("zebrafinch?").await.unwrap();
        session
            .cite("You collect zebrafinch feathers")
            .await
            .unwrap();
        session.close().await.unwrap();
        session.why().await.unwrap();
        alice.health().await.unwrap();
        alice.review().await.unwrap();
    })
    .await;
    let heard = heard.heard();
    // Other tests are heard too: none of them asks for a review.
    assert!(heard.contains("name=\"review\""), "spans: {heard}");
    assert!(heard.contains("operation=\"review\""), "events: {heard}");
    let lower = heard.to_lowercase();
    assert!(
        !lower.contains("zebrafinch") && !lower.contains("canary"),
        "{lower}"
    );
}
