//! A fact's life, what it used to be for people and for a model, and behaviour that speaks for and against it.

use keepmind::command::{Behaviour, Update};
use keepmind::{Clock as _, Layer, Policy, Push, Timeline, UserMemory, Why};
use keepmind_tests::answers::answers;
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, call, on_every_store, on_every_store_with};
use keepmind_tests::learned::learn;
use serde_json::{Value, json};

async fn moved(host: &Host, alice: &UserMemory) {
    alice.save("Lives in Lyon").await.unwrap();
    host.at("2026-06-02T09:00:00Z");
    alice
        .update(Update::new("#1", "Lives in Paris"))
        .await
        .unwrap();
    host.at("2026-11-01T09:00:00Z");
}

fn told(timeline: &Timeline) -> Vec<(u64, &str)> {
    let events = timeline.events.iter();
    events
        .map(|event| (event.version.get(), event.what))
        .collect()
}

#[tokio::test]
async fn a_life_is_told_with_everything_that_happened() {
    on_every_store(Policy::advisor(), async |host| {
        let alice = host.alice();
        moved(host, &alice).await;
        alice.save("Has a dog").await.unwrap();
        alice.confirm("#1").await.unwrap();
        alice.observed("#1", Behaviour::Contradicted).await.unwrap();
        let forgot = alice.forget("#1").await.unwrap();
        let silent = alice.timeline("#1").await.unwrap();
        assert_eq!(silent.told, "", "what was forgotten is told to nobody");
        alice
            .undo(forgot.event.unwrap().undo.unwrap())
            .await
            .unwrap();

        let life = alice.timeline("#1").await.unwrap();
        assert_eq!(
            told(&life),
            [
                (1, "recorded"),
                (1, "superseded"),
                (2, "recorded"),
                (2, "confirmed"),
                (2, "contradicted"),
                (2, "forgotten"),
                (3, "brought back"),
            ]
        );
        assert_eq!(
            life.told,
            "Used to be: Lives in Lyon (March 2026 to June 2026). Since June 2026: Lives in Paris."
        );
        let picture = life.to_string();
        assert!(
            picture.contains("v1 =") && picture.contains("Lives in Paris"),
            "{picture}"
        );

        let answer = alice
            .request(r##"{"query":"timeline","target":"#1"}"##)
            .await
            .unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["text"], picture);
        assert_eq!(answer["timeline"]["versions"][0]["ended"], "superseded");
        alice.timeline("#9").await.unwrap_err();
        let bob = host.keepmind.user("bob").unwrap();
        bob.timeline("#1").await.unwrap_err();
    })
    .await;
}

#[tokio::test]
async fn a_model_is_told_what_was_before_only_where_the_past_is_asked_for() {
    on_every_store(Policy::advisor(), async |host| {
        let alice = host.alice();
        moved(host, &alice).await;
        alice.save("Lives with a cat").await.unwrap();
        let mut correction = Update::new("#2", "Lives with a dog");
        correction.correction = true;
        alice.update(correction).await.unwrap();
        let session = alice.open_session().await.unwrap();
        session
            .push(Push::user("Where did I live before?"))
            .await
            .unwrap();
        let recall = async |query: &str| {
            call(&session, "recall_preferences", json!({"query": query}))
                .await
                .message
        };
        let asked = recall("lives").await;
        assert!(
            asked.contains("Paris") && !asked.contains("Lyon"),
            "{asked}"
        );
        let asked = recall("where the user lived before: lives").await;
        assert!(
            asked.contains("| before: Lives in Lyon (March 2026 to June 2026)"),
            "{asked}"
        );
        assert!(asked.contains("dog") && !asked.contains("cat"), "{asked}");

        // Purged, it is in no answer any more.
        alice.purge("#1").await.unwrap();
        assert!(
            !recall("where the user lived before: lives")
                .await
                .contains("Lyon")
        );
    })
    .await;
}

#[tokio::test]
async fn behaviour_says_nothing_of_what_happened_and_comes_in_through_every_door() {
    let model = || {
        let told = json!({"ops": [], "episode": "The user spoke of running at seven"});
        answers([told.to_string()])
    };
    on_every_store_with(Policy::personal(), model, async |host, _| {
        let alice = host.alice();
        let talk = chat(&alice, "I went running at seven today").await;
        talk.close().await.unwrap();
        let rows = alice.list(Default::default()).await.unwrap().rows;
        let episode = rows
            .iter()
            .find(|row| row.body.claim.layer == Layer::Episode);
        let episode = episode.unwrap().body.number;
        let refused = alice
            .observed(episode, Behaviour::Contradicted)
            .await
            .unwrap_err();
        assert!(refused.to_string().contains("behaviour"), "{refused}");

        let number = alice.save("Runs at seven").await.unwrap().number.unwrap();
        for (behaviour, word) in [("confirmed", "confirmed"), ("contradicted", "contradicted")] {
            let request = json!({"command": "observed", "target": number, "behaviour": behaviour});
            let answer = alice.request(&request.to_string()).await.unwrap();
            assert!(
                answer.contains(&format!("observed {number} {word}")),
                "{answer}"
            );
        }
        let wrong = json!({"command": "observed", "target": number, "behaviour": "denied"});
        alice.request(&wrong.to_string()).await.unwrap_err();
        let marks = alice.get(number).await.unwrap().row.marks;
        assert_eq!((marks.confirmations, marks.contradictions), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn behaviour_moves_what_was_inferred_until_it_fades_and_the_timeline_says_so() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let category = host.keepmind.policy().default_category.clone();
        let now = host.clock.now();
        let number = learn(&host.keepmind, &alice, now, &category, "Runs at seven", 0.8).await;
        alice.observed(number, Behaviour::Confirmed).await.unwrap();
        let row = alice.get(number).await.unwrap().row;
        assert!(row.marks.confidence.unwrap() > 0.8);
        assert_eq!(row.marks.confirmations, 1);
        let mut times = 0;
        let faded = loop {
            host.days(1);
            times += 1;
            assert!(times < 20, "it fades");
            let seen = alice
                .observed(number, Behaviour::Contradicted)
                .await
                .unwrap();
            if seen.line.contains("faded") {
                break seen;
            }
        };
        let last = alice.history(number).await.unwrap().rows.pop().unwrap();
        assert!(matches!(last.end.unwrap().why, Why::Faded { .. }));
        assert_eq!(last.marks.contradictions, times);
        let life = alice.timeline(number).await.unwrap();
        let words: Vec<&str> = life.events.iter().map(|event| event.what).collect();
        assert_eq!(words[..2], ["recorded", "confirmed"]);
        assert_eq!(words[words.len() - 2..], ["contradicted", "faded"]);
        assert!(
            life.told.starts_with("Used to be: Runs at seven"),
            "{}",
            life.told
        );
        let refused = alice
            .observed(number, Behaviour::Confirmed)
            .await
            .unwrap_err();
        assert!(refused.to_string().contains("faded"), "{refused}");

        assert!(life.to_string().contains("faded, by the host"), "{life}");

        // Taken back, it is as sure as it was before the last time.
        alice
            .undo(faded.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        let row = alice.get(number).await.unwrap().row;
        assert_eq!(row.marks.contradictions, times - 1);

        // What was said on purpose only counts.
        let said = alice.save("Gets up at six").await.unwrap().number.unwrap();
        for _ in 0..20 {
            alice.observed(said, Behaviour::Contradicted).await.unwrap();
        }
        let row = alice.get(said).await.unwrap().row;
        assert_eq!((row.marks.confidence, row.marks.contradictions), (None, 20));
        let review = alice.review().await.unwrap();
        let doubt = review
            .doubtful
            .iter()
            .find(|doubt| doubt.facts == [said])
            .unwrap();
        assert_eq!(doubt.kind, keepmind::DoubtKind::Contradicted);
    })
    .await;
}
