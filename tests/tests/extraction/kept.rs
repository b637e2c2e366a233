//! What is kept: a row with its evidence, in one commit with everything else, and undone as one.

use keepmind::command::{Changes, List};
use keepmind::store::Filter;
use keepmind::{
    Clock, Closing, Evidence, Fate, Layer, Policy, Push, Source, Trust, UndoToken, Who,
};
use keepmind_tests::answers::{add, answer, answers, confirm, update, with};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{on_every_store_with, until};
use serde_json::json;

#[tokio::test]
async fn what_the_user_said_becomes_a_row_with_its_evidence() {
    let model = || answers([answer([add("User plays the cello", "I play the cello")])]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let session = chat(&alice, "Hi! I play the cello, what should I practise?").await;
        let closed = session.close().await.unwrap();
        assert_eq!(closed.closing, Closing::Learned);
        assert_eq!(closed.report.count(Fate::Learned), 1);
        assert_eq!(closed.report.line(), "learned 1");
        assert_eq!(model.asked().len(), 1);

        let row = alice.get("#1").await.unwrap().row;
        let claim = &row.body.claim;
        assert_eq!(claim.content, "User plays the cello");
        assert_eq!(
            (claim.source, claim.trust),
            (Source::Extracted, Trust::Extracted)
        );
        assert_eq!(row.marks.confidence, Some(0.9));
        let [
            Evidence::Quote {
                quote,
                span,
                message,
                session: place,
            },
        ] = &claim.evidence[..]
        else {
            panic!("one quote is its evidence");
        };
        assert_eq!(
            (quote.as_str(), message.get(), *place),
            ("I play the cello", 1, session.id())
        );
        assert_eq!((span.start, span.end), (4, 20));
        let feed = alice.changes(Default::default()).await.unwrap();
        assert_eq!(feed.entries.last().unwrap().who, Who::Extractor);
    })
    .await;
}

#[tokio::test]
async fn the_next_chat_knows_it() {
    let model = || answers([answer([add("User plays the cello", "I play the cello")])]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        chat(&alice, "I play the cello")
            .await
            .close()
            .await
            .unwrap();
        let block = alice.open_session().await.unwrap().block().await.unwrap();
        assert!(block.contains("User plays the cello"), "{block}");
    })
    .await;
}

#[tokio::test]
async fn summary_and_episode_come_with_the_same_answer() {
    let told = json!({
        "ops": [add("User plays the cello", "I play the cello")],
        "episode": "User asked what to practise on the cello",
        "recap": "The user plays the cello and asked what to practise.",
    });
    let model = move || answers([told.to_string()]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let session = chat(&alice, "I play the cello, what should I practise?").await;
        let before = alice.changes(Default::default()).await.unwrap().next;
        session.close().await.unwrap();
        let recap = session.record().await.unwrap().recap.unwrap();
        assert_eq!(
            recap.text,
            "The user plays the cello and asked what to practise."
        );
        let mut filter = Filter::live(host.clock.now());
        filter.layers.insert(Layer::Episode);
        let mut list = List::default();
        list.filter = Some(filter);
        let episodes = alice.list(list).await.unwrap().rows;
        let contents: Vec<&str> = episodes
            .iter()
            .map(|row| &*row.body.claim.content)
            .collect();
        assert_eq!(contents, ["User asked what to practise on the cello"]);
        let mut since = Changes::default();
        since.since = Some(before);
        let feed = alice.changes(since).await.unwrap();
        assert_eq!(feed.entries.len(), 1, "one commit");
        assert_eq!(model.asked().len(), 1, "one question");
        let block = alice.open_session().await.unwrap().block().await.unwrap();
        assert!(!block.contains("practise"), "{block}");
    })
    .await;
}

#[tokio::test]
async fn a_close_is_undone_as_one_and_not_learned_again() {
    let first = answer([
        add("User plays the cello", "I play the cello"),
        add("User lives in Ghent", "live in Ghent"),
    ]);
    let model = move || answers([first.clone()]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let session = chat(&alice, "I play the cello and live in Ghent").await;
        let closed = session.close().await.unwrap();
        let token = closed.undo.expect("something was learned");
        assert!(matches!(token, UndoToken::Group(_)));
        assert_eq!(host.live(&alice).await.len(), 2);
        alice.undo(token).await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        // The same answer to the same words: they teach nothing any more.
        session.push(Push::user("what else?")).await.unwrap();
        let again = session.close().await.unwrap();
        assert_eq!(again.report.count(Fate::Learned), 0, "{:?}", again.report);
        assert!(host.kept(&alice).await.is_empty());
        alice.redo(token).await.unwrap();
        assert_eq!(host.live(&alice).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn what_changed_gets_a_new_version_and_what_holds_is_affirmed() {
    let script = [
        answer([
            add("User lives in Ghent", "I live in Ghent"),
            add("User plays the cello", "play the cello"),
        ]),
        answer([
            update(1, "User lives in Bruges", "I moved to Bruges"),
            confirm(2, "still play the cello"),
        ]),
    ];
    let model = move || answers(script.clone());
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        chat(&alice, "I live in Ghent and play the cello")
            .await
            .close()
            .await
            .unwrap();
        let later = chat(&alice, "I moved to Bruges but still play the cello").await;
        let closed = later.close().await.unwrap();
        assert_eq!(closed.report.line(), "updated 1, confirmed 1");
        assert_eq!(
            host.live(&alice).await,
            ["User lives in Bruges", "User plays the cello"]
        );
        assert_eq!(alice.history("#1").await.unwrap().rows.len(), 2);
        let cello = alice.get("#2").await.unwrap().row;
        assert_eq!(cello.marks.confirmations, 1);
        assert!(cello.marks.confidence.unwrap() > 0.9);
        let asked = &model.asked()[1].prompt;
        assert!(asked.contains("#1 User lives in Ghent"), "{asked}");
    })
    .await;
}

#[tokio::test]
async fn every_candidate_is_told_with_its_fate() {
    let script = answer([
        add("User plays the cello", "I play the cello"),
        add("User plays a cello", "I play the cello"),
        add("User owns a boat", "I own a boat"),
        json!({"op": "skip"}),
        with(add("User likes jazz", "I like jazz"), "confidence", 0.2),
    ]);
    let model = move || answers([script.clone()]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let closed = chat(&alice, "I play the cello. I like jazz.")
            .await
            .close()
            .await
            .unwrap();
        let fates: Vec<Fate> = closed
            .report
            .lessons
            .iter()
            .map(|lesson| lesson.fate)
            .collect();
        use Fate::{Learned, Refused, Skipped};
        assert_eq!(fates, [Learned, Skipped, Refused, Skipped, Refused]);
        let line = "learned 1, skipped 2, refused 2: the quote stands in no message of the user's";
        assert_eq!(closed.report.line(), line);
        assert_eq!(
            closed.report.lessons[1].number,
            closed.report.lessons[0].number
        );
        assert_eq!(host.live(&alice).await, ["User plays the cello"]);
    })
    .await;
}

#[tokio::test]
async fn what_another_user_said_is_nowhere_in_the_question() {
    let model = || answers([answer([update(1, "User is vegan", "I am vegan now")])]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let bob = host.keepmind.user("bob").unwrap();
        bob.save("Gate code is on the fridge").await.unwrap();
        let alice = host.alice();
        let closed = chat(&alice, "I am vegan now").await.close().await.unwrap();
        assert_eq!(closed.report.count(Fate::Refused), 1);
        let asked = &model.asked()[0];
        assert!(!asked.prompt.contains("fridge") && !asked.system.contains("fridge"));
        assert_eq!(bob.list(Default::default()).await.unwrap().rows.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn turns_are_learned_from_as_they_come() {
    let mut policy = Policy::chat();
    policy.extraction.queue_turns = 8;
    let script = [
        answer([add("User plays the cello", "I play the cello")]),
        answer([add("User lives in Ghent", "I live in Ghent")]),
        answer([]),
    ];
    let model = move || answers(script.clone());
    on_every_store_with(policy, model, async |host, model| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        // A title would be asked for after the first exchange: it has one of the user's.
        session.rename("Music").await.unwrap();
        for (turn, said) in (1..).zip(["I play the cello", "I live in Ghent"]) {
            session.push(Push::user(said)).await.unwrap();
            session.push(Push::assistant("I see.")).await.unwrap();
            until(|| model.asked().len() == turn).await;
        }
        session.close().await.unwrap();
        let live = host.live(&alice).await;
        assert_eq!(live, ["User plays the cello", "User lives in Ghent"]);
        let second = &model.asked()[1].prompt;
        assert!(second.contains("Said before, for context only"), "{second}");
        assert!(second.contains("#1 User plays the cello"), "{second}");
    })
    .await;
}

#[tokio::test]
async fn purging_a_fact_takes_what_was_told_of_its_chat_along() {
    let told = json!({
        "ops": [add("User plays the cello", "I play the cello")],
        "episode": "User asked for pieces for a string player",
        "recap": "The user plays the cello.",
    });
    let other = json!({"ops": [], "episode": "User asked for the weather"});
    let model = move || answers([told.to_string(), other.to_string()]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let session = chat(&alice, "I play the cello").await;
        session.close().await.unwrap();
        chat(&alice, "how is the weather?")
            .await
            .close()
            .await
            .unwrap();
        alice.purge("#1").await.unwrap();
        let mut list = List::default();
        list.filter = Some(Filter::new(keepmind::store::Selection::All));
        let rows = alice.list(list).await.unwrap().rows;
        let left: Vec<&str> = rows.iter().map(|row| &*row.body.claim.content).collect();
        assert_eq!(left, ["User asked for the weather"]);
        assert_eq!(session.record().await.unwrap().recap, None);
    })
    .await;
}

#[tokio::test]
async fn a_value_in_another_form_takes_nothing_with_it() {
    let model = || {
        let opera = add("User loves the opera in Ghent", "I love the opera in Ghent");
        let opera = with(with(opera, "key", "favourite"), "value", "Cafe\u{301}");
        answers([answer([
            add("User plays the cello", "I play the cello"),
            opera,
        ])])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let session = chat(&alice, "I play the cello. I love the opera in Ghent.").await;
        let closed = session.close().await.unwrap();
        assert_eq!(closed.report.line(), "learned 2");
        let learned = alice.get("User loves the opera").await.unwrap();
        assert_eq!(learned.row.body.claim.value, Some(json!("Café")));
    })
    .await;
}
