//! Commands and queries as a host calls them, on every store.

use keepmind::command::{
    AsOfQuery, Behaviour, Changes, List, Propose, ProposedChange, Save, Update,
};
use keepmind::policy::TimeToLive;
use keepmind::store::{Filter, Selection};
use keepmind::visibility::Visibility;
use keepmind::{
    Authority, Command, ErrorKind, EventKind, Number, Outcome, Policy, Query, Source, Trust,
    UndoToken, Verdict, Why,
};
use keepmind_tests::host::on_every_store;

fn number(count: u64) -> Number {
    Number::new(count).expect("a number")
}

fn token(outcome: &Outcome) -> UndoToken {
    let event = outcome.event.as_ref().expect("something was written");
    event.undo.expect("it can be undone")
}

#[tokio::test]
async fn a_fact_is_saved_updated_and_its_past_can_be_asked_for() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let saved = alice.save("Lives in Ghent").await.unwrap();
        assert_eq!(saved.verdict, Verdict::Done);
        assert_eq!(saved.line, "saved #1");
        let event = saved.event.unwrap();
        assert_eq!(event.kind, EventKind::Saved);
        assert_eq!(event.line, "Saved #1: Lives in Ghent");
        assert_eq!(event.revision.count, 1);
        let row = event.after.unwrap();
        assert_eq!(row.body.claim.source, Source::User);
        assert_eq!(row.body.claim.trust, Trust::User);
        let before = keepmind::Clock::now(host.clock.as_ref());

        host.days(10);
        let updated = alice
            .update(Update::new("#1", "Lives in Bruges"))
            .await
            .unwrap();
        assert_eq!(
            updated.event.unwrap().line,
            "Updated #1: Lives in Ghent → Lives in Bruges"
        );
        assert_eq!(host.live(&alice).await, ["Lives in Bruges"]);

        let then = alice.as_of(AsOfQuery::at(before)).await.unwrap();
        assert_eq!(then.rows[0].body.claim.content, "Lives in Ghent");
        let history = alice.history("#1").await.unwrap();
        assert_eq!(history.rows.len(), 2);
        assert!(matches!(
            history.rows[0].end.unwrap().why,
            Why::Superseded { .. }
        ));
    })
    .await;
}

#[tokio::test]
async fn saving_the_same_again_changes_nothing() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Likes tea").await.unwrap();
        let again = alice.save("  LIKES   tea ").await.unwrap();
        assert_eq!(again.verdict, Verdict::Unchanged);
        assert_eq!(again.number, Some(number(1)));
        assert!(again.event.is_none());
        let other = alice
            .save(Save::new("Likes tea").category("preference"))
            .await
            .unwrap();
        assert_eq!(other.number, Some(number(2)));
        let same = alice.update(Update::new("#1", "Likes tea")).await.unwrap();
        assert_eq!(same.verdict, Verdict::Unchanged);
    })
    .await;
}

#[tokio::test]
async fn a_rule_for_a_key_is_updated_by_saving_it_again() {
    on_every_store(Policy::assistant(), async |host| {
        let alice = host.alice();
        let rule = |content: &str| {
            let mut save = Save::new(content);
            save.authority = Some(Authority::Rule);
            save.domain = Some("food".into());
            save.key = Some("diet".into());
            save
        };
        alice.save(rule("Eats no meat")).await.unwrap();
        let again = alice.save(rule("Eats no meat and no fish")).await.unwrap();
        assert_eq!(again.event.unwrap().kind, EventKind::Updated);
        assert_eq!(host.live(&alice).await, ["Eats no meat and no fish"]);

        alice.forget("#1").await.unwrap();
        alice.save(rule("Eats everything")).await.unwrap();
        let taken = alice.restore("#1").await.unwrap_err();
        assert_eq!(taken.code(), Some("E_TAKEN"));
    })
    .await;
}

#[tokio::test]
async fn a_rule_whose_time_is_over_is_kept_anew_when_it_is_said_again() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut passing = Save::new("Eats no fish").category("preference");
        passing.authority = Some(Authority::Rule);
        passing.domain = Some("food".to_owned());
        passing.key = Some("diet".to_owned());
        passing.ttl = Some(TimeToLive::Temporary);
        alice.save(passing.clone()).await.unwrap();
        host.days(2);
        assert!(host.live(&alice).await.is_empty());
        // No sweep has ended it yet.
        let again = alice.save(passing).await.unwrap();
        assert_eq!(again.verdict, Verdict::Done, "{again:?}");
        assert_eq!(host.live(&alice).await, ["Eats no fish"], "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn forgotten_and_trashed_facts_leave_and_can_come_back() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Likes tea").await.unwrap();
        alice.save("Owns a boat").await.unwrap();
        alice.forget("tea").await.unwrap();
        alice.trash("#2").await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        assert_eq!(alice.visibility("#1").await.unwrap(), Visibility::Ended);

        let gone = alice.get("#1").await.unwrap_err();
        assert_eq!(gone.kind(), ErrorKind::NotFound);
        assert!(gone.message().contains("forgotten on 2026-03-01"), "{gone}");
        alice.restore("#1").await.unwrap();
        alice.restore("boat").await.unwrap();
        assert_eq!(host.live(&alice).await, ["Likes tea", "Owns a boat"]);

        alice.trash("#2").await.unwrap();
        host.days(31);
        let late = alice.restore("#2").await.unwrap_err();
        assert_eq!(late.code(), Some("E_NOT_FOUND"));
    })
    .await;
}

#[tokio::test]
async fn behaviour_moves_what_was_inferred_and_only_counts_for_what_was_said() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Likes tea").await.unwrap();
        alice.observed("#1", Behaviour::Contradicted).await.unwrap();
        let confirmed = alice
            .confirm("#1")
            .await
            .unwrap()
            .event
            .unwrap()
            .after
            .unwrap();
        assert_eq!(confirmed.marks.confidence, None);
        assert_eq!(confirmed.marks.confirmations, 1);
        assert_eq!(confirmed.marks.contradictions, 1);
        assert!(confirmed.marks.last_confirmed_at.is_some());
        assert_eq!(host.live(&alice).await, ["Likes tea"]);
    })
    .await;
}

#[tokio::test]
async fn facts_are_linked_and_links_follow_them() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Only buys funds").await.unwrap();
        alice.save("Lost money with stocks").await.unwrap();
        alice.link(number(2), number(1), "supports").await.unwrap();
        let again = alice.link(number(2), number(1), "supports").await.unwrap();
        assert_eq!(again.verdict, Verdict::Unchanged);
        alice
            .update(Update::new("#1", "Only buys index funds"))
            .await
            .unwrap();
        assert_eq!(alice.get("#1").await.unwrap().links.len(), 1);

        let forgotten = alice.forget("#2").await.unwrap();
        assert!(alice.get("#1").await.unwrap().links.is_empty());
        alice.undo(token(&forgotten)).await.unwrap();
        let parted = alice
            .unlink(number(2), number(1), "supports")
            .await
            .unwrap();
        assert!(alice.get("#1").await.unwrap().links.is_empty());
        alice.undo(token(&parted)).await.unwrap();
        assert_eq!(alice.get("#2").await.unwrap().links.len(), 1);

        for (from, to, relation, code) in [
            (1, 1, "supports", "E_SCHEMA"),
            (1, 9, "supports", "E_NOT_FOUND"),
            (1, 2, "no good", "E_SCHEMA"),
        ] {
            let refused = alice
                .link(number(from), number(to), relation)
                .await
                .unwrap_err();
            assert_eq!(refused.code(), Some(code), "{relation}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_proposal_waits_and_is_accepted_or_rejected() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let suggest = |content: &str| {
            let change = ProposedChange::Save(Box::new(Save::new(content)));
            Propose::new(change, "seen three times")
        };
        let first = alice.propose(suggest("Likes tea")).await.unwrap();
        assert_eq!(first.verdict, Verdict::Proposed);
        let again = alice.propose(suggest("likes TEA")).await.unwrap();
        assert_eq!(again.verdict, Verdict::Unchanged);
        alice.propose(suggest("Likes milk")).await.unwrap();
        let waiting = alice.pending().await.unwrap();
        assert_eq!(waiting.len(), 2);
        assert!(host.kept(&alice).await.is_empty());

        let accepted = alice.accept(waiting[0].id).await.unwrap();
        assert_eq!(
            accepted.event.as_ref().unwrap().line,
            "Accepted #1: Likes tea"
        );
        assert_eq!(host.live(&alice).await, ["Likes tea"]);
        alice.reject(waiting[1].id).await.unwrap();
        let settled = alice.accept(waiting[1].id).await.unwrap_err();
        assert_eq!(settled.code(), Some("E_NOT_FOUND"));

        alice.undo(token(&accepted)).await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        assert_eq!(alice.pending().await.unwrap().len(), 1);
        alice
            .accept_as(waiting[0].id, "Likes green tea")
            .await
            .unwrap();
        assert_eq!(host.live(&alice).await, ["Likes green tea"]);
    })
    .await;
}

#[tokio::test]
async fn a_proposal_about_a_fact_that_changed_since_is_stale() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Retires at 50").await.unwrap();
        let change = ProposedChange::Update(Box::new(Update::new("#1", "Retires at 60")));
        alice
            .propose(Propose::new(change, "said so"))
            .await
            .unwrap();
        alice
            .update(Update::new("#1", "Retires at 55"))
            .await
            .unwrap();
        let waiting = alice.pending().await.unwrap();
        let stale = alice.accept(waiting[0].id).await.unwrap_err();
        assert_eq!(stale.code(), Some("E_STALE"));
        host.days(31);
        assert!(alice.pending().await.unwrap().is_empty());
        assert_eq!(
            alice.reject(waiting[0].id).await.unwrap_err().code(),
            Some("E_NOT_FOUND")
        );
    })
    .await;
}

#[tokio::test]
async fn a_task_is_completed_and_other_memories_are_not() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice
            .save(Save::new("File the taxes").category("task"))
            .await
            .unwrap();
        alice.save("Likes tea").await.unwrap();
        alice.complete("taxes").await.unwrap();
        assert_eq!(host.live(&alice).await, ["Likes tea"]);
        let refused = alice.complete("#2").await.unwrap_err();
        assert_eq!(refused.code(), Some("E_NOT_APPLICABLE"));
        let gone = alice.complete("#1").await.unwrap_err();
        assert!(gone.message().contains("was done on"), "{gone}");
    })
    .await;
}

#[tokio::test]
async fn what_passes_vanishes_by_itself() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let save = |ttl: &str, content: &str| {
            let command = serde_json::json!({"command": "save", "content": content, "ttl": ttl});
            serde_json::from_value::<Command>(command).unwrap()
        };
        alice
            .execute(save("temporary", "Is at the airport"))
            .await
            .unwrap();
        alice
            .execute(save("deadline", "Report due 2026-03-05"))
            .await
            .unwrap();
        assert_eq!(host.live(&alice).await.len(), 2);
        host.days(2);
        assert_eq!(host.live(&alice).await, ["Report due 2026-03-05"]);
        assert_eq!(alice.visibility("#1").await.unwrap(), Visibility::Expired);
        host.days(10);
        assert!(host.kept(&alice).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_change_feed_says_what_happened_and_when_to_start_over() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Likes tea").await.unwrap();
        let feed = alice.changes(Changes::default()).await.unwrap();
        let lines = |entries: &[keepmind::JournalEntry]| -> Vec<String> {
            entries.iter().map(|entry| entry.line.clone()).collect()
        };
        assert_eq!(lines(&feed.entries), ["saved #1"]);
        alice.confirm("#1").await.unwrap();
        alice.forget("#1").await.unwrap();
        let mut since = Changes::default();
        since.since = Some(feed.next);
        let feed = alice.changes(since.clone()).await.unwrap();
        assert_eq!(lines(&feed.entries), ["confirmed #1", "forgot #1"]);
        assert!(!feed.restarted);

        alice.erase().await.unwrap();
        alice.save("Likes milk").await.unwrap();
        let feed = alice.changes(since).await.unwrap();
        assert!(feed.restarted);
        assert_eq!(lines(&feed.entries), ["saved #1"]);
    })
    .await;
}

#[tokio::test]
async fn withdrawn_consent_hides_its_rows_at_once() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut save = Save::new("Takes blood pressure pills");
        save.domain = Some("health".into());
        alice.save(save).await.unwrap();
        let session = alice.open_session().await.unwrap();
        assert!(session.block().await.unwrap().contains("pills"));
        assert_eq!(alice.recall("pills").await.unwrap().len(), 1);
        alice.consent("health", false).await.unwrap();
        assert!(alice.recall("pills").await.unwrap().is_empty());
        assert!(host.kept(&alice).await.is_empty());
        assert!(!session.block().await.unwrap().contains("pills"));
        alice.consent("health", true).await.unwrap();
        assert_eq!(alice.recall("pills").await.unwrap().len(), 1);
        let unknown = alice.consent("astrology", true).await.unwrap_err();
        assert_eq!(unknown.code(), Some("E_SCHEMA"));
    })
    .await;
}

#[tokio::test]
async fn a_purged_fact_leaves_nothing_that_speaks_of_it() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Gate code is 4471").await.unwrap();
        let change = ProposedChange::Update(Box::new(Update::new("#1", "Gate code is 4472")));
        alice
            .propose(Propose::new(change, "told so"))
            .await
            .unwrap();
        let session = alice.open_session().await.unwrap();
        assert!(session.block().await.unwrap().contains("4471"));
        let arguments = serde_json::json!({"query": "gate code"});
        let recalled = session
            .call_tool(Some("call_1"), "recall_memories", &arguments)
            .await
            .unwrap();
        assert!(recalled.message.contains("4471"));
        assert_eq!(session.traces(None, 10).await.unwrap().items.len(), 1);

        alice.purge("#1").await.unwrap();
        assert!(!session.block().await.unwrap().contains("4471"));
        assert!(session.record().await.unwrap().served.is_empty());
        assert!(session.traces(None, 10).await.unwrap().items.is_empty());
        assert!(alice.pending().await.unwrap().is_empty());
        assert_eq!(
            alice.history("#1").await.unwrap_err().kind(),
            ErrorKind::NotFound
        );
    })
    .await;
}

#[tokio::test]
async fn owners_never_meet() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let bob = host.keepmind.user("bob").unwrap();
        let saved = bob.save("Bob's gate code is 4471").await.unwrap();
        let row = saved.event.unwrap().after.unwrap();
        for target in ["#1".to_owned(), row.id.to_string(), "gate".to_owned()] {
            let refused = alice.forget(target.as_str()).await.unwrap_err();
            assert_eq!(refused.code(), Some("E_NOT_FOUND"), "{target}");
            assert_eq!(
                alice.get(target.as_str()).await.unwrap_err().kind(),
                ErrorKind::NotFound
            );
        }
        assert!(alice.recall("gate code").await.unwrap().is_empty());
        let session = bob.open_session().await.unwrap();
        let stolen = alice.session(session.id()).await.unwrap_err();
        assert_eq!(stolen.kind(), ErrorKind::NotFound);
        assert!(host.keepmind.user(" ").is_err());
    })
    .await;
}

#[tokio::test]
async fn every_command_and_query_has_one_form_as_json() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for command in [
            r##"{"command":"save","content":"Likes tea"}"##,
            r##"{"command":"save","content":"Owns a boat","category":"fact","tags":["sea"],"importance":0.9}"##,
            r##"{"command":"update","target":1,"content":"Likes green tea","correction":true}"##,
            r##"{"command":"confirm","target":"#1"}"##,
            r##"{"command":"observed","target":"#1","behaviour":"confirmed"}"##,
            r##"{"command":"link","from":1,"to":2,"relation":"relates_to"}"##,
            r##"{"command":"unlink","from":1,"to":2,"relation":"relates_to"}"##,
            r##"{"command":"propose","change":{"change":"forget","target":"#2"},"reasoning":"sold it"}"##,
            r##"{"command":"consent","domain":"health","granted":true}"##,
            r##"{"command":"trash","target":"boat"}"##,
            r##"{"command":"restore","target":"#2"}"##,
            r##"{"command":"forget","target":"#2"}"##,
            r##"{"command":"purge","target":"#2"}"##,
        ] {
            let command: Command = serde_json::from_str(command).unwrap();
            let written = serde_json::to_string(&command).unwrap();
            assert_eq!(serde_json::from_str::<Command>(&written).unwrap(), command);
            alice.execute(command).await.unwrap();
        }
        for query in [
            r##"{"query":"get","target":"#1"}"##,
            r##"{"query":"visibility","target":1}"##,
            r##"{"query":"list","category":"fact"}"##,
            r##"{"query":"history","target":"#1"}"##,
            r##"{"query":"forgotten"}"##,
            r##"{"query":"as_of","valid":"2026-03-01T09:00:00Z"}"##,
            r##"{"query":"recall","text":"tea"}"##,
            r##"{"query":"pending"}"##,
            r##"{"query":"changes"}"##,
        ] {
            let query: Query = serde_json::from_str(query).unwrap();
            let answer = alice.query(query).await.unwrap();
            serde_json::to_string(&answer).unwrap();
        }
        for wrong in [
            r#"{"command":"save"}"#,
            r#"{"command":"save","content":"x","owner":"bob"}"#,
            r#"{"command":"save","content":"x","trust":"user"}"#,
            r#"{"command":"delete_all"}"#,
            r##"{"command":"forget","target":["#1"]}"##,
        ] {
            let read = serde_json::from_str::<Command>(wrong);
            let refused = match read {
                Err(_) => true,
                Ok(command) => alice.execute(command).await.is_err(),
            };
            assert!(refused, "{wrong}");
        }
    })
    .await;
}

#[tokio::test]
async fn bad_words_are_refused_with_what_to_do() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut unknown = Save::new("x y z");
        unknown.category = Some("nonsense".into());
        let mut late = Save::new("x y z");
        late.since = Some(keepmind::Timestamp::MAX);
        let mut heavy = Save::new("x y z");
        heavy.importance = Some(f64::NAN);
        for (save, code) in [
            (Save::new(" \u{200b}"), "E_EMPTY"),
            (Save::new("a\u{202e}b"), "E_CONTROL_CHARS"),
            (Save::new("x".repeat(501)), "E_LIMIT"),
            (unknown, "E_SCHEMA"),
            (late, "E_SCHEMA"),
            (heavy, "E_SCHEMA"),
        ] {
            let refused = alice.save(save).await.unwrap_err();
            assert_eq!(refused.code(), Some(code), "{refused}");
        }
        assert!(host.kept(&alice).await.is_empty());
        assert_eq!(
            alice
                .changes(Changes::default())
                .await
                .unwrap()
                .entries
                .len(),
            0
        );
        let mut list = List::default();
        list.filter = Some(Filter::new(Selection::Ended));
        assert!(alice.list(list).await.unwrap().rows.is_empty());
    })
    .await;
}
