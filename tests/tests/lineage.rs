//! Where a memory comes from, down to what was said and seen, and what was made from it, up to digests.

use keepmind::command::Observe;
use keepmind::{
    Claim, Clock as _, CountingIds, Draft, EntryHeader, Evidence, Expected, Layer, Lineage,
    LineageStep, Marks, MessageNumber, Number, ObservationId, Policy, RowId, SessionId, Slice,
    Source, Span, Trust, UserMemory, Who,
};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, on_every_store};
use serde_json::{Value, json};

const SAID: &str = "I really like rye bread";

/// An episode, a fact made from it and from what was seen, and a digest made from the fact.
struct Layers {
    session: SessionId,
    episode: (Number, RowId),
    fact: (Number, RowId),
    digest: (Number, RowId),
}

async fn write<T>(host: &Host, alice: &UserMemory, change: impl FnOnce(&mut Draft<'_>) -> T) -> T {
    let store = host.keepmind.store();
    let base = store
        .load(alice.owner(), &Slice::everything())
        .await
        .unwrap();
    let revision = base.state().revision;
    let mut ids = CountingIds::after((1 << 100) + u128::from(revision.count) * 64);
    let mut draft = Draft::new(&base, host.clock.now(), &mut ids).unwrap();
    let made = change(&mut draft);
    let header = EntryHeader::new(Who::Consolidator, "consolidated");
    let changes = draft.finish(header).unwrap();
    let expected = Expected::At(revision);
    store
        .commit(alice.owner(), expected, changes.into())
        .await
        .unwrap();
    made
}

fn claim(layer: Layer, content: &str, draft: &Draft<'_>) -> Claim {
    Claim {
        layer,
        source: Source::Derived,
        trust: Trust::Derived,
        ..Claim::note("profile", content, draft.stamp())
    }
}

async fn layers(host: &Host, alice: &UserMemory, seen: ObservationId) -> Layers {
    let talk = chat(alice, SAID).await;
    let session = talk.id();
    write(host, alice, |draft| {
        let mut episode = claim(Layer::Episode, "Spoke of bread", draft);
        episode.session = Some(session);
        episode.messages = vec![MessageNumber::new(1).unwrap()];
        let mut fact = claim(Layer::Fact, "Likes rye bread", draft);
        fact.evidence = vec![
            Evidence::Quote {
                session,
                message: MessageNumber::new(1).unwrap(),
                span: Span {
                    start: 0,
                    end: u32::try_from(SAID.len()).unwrap(),
                },
                quote: SAID.to_owned(),
            },
            Evidence::Observation { id: seen },
        ];
        let digest = claim(Layer::Digest, "Profile", draft);
        let mut made = [episode, fact, digest].map(|claim| {
            let number = draft.new_number().unwrap();
            (
                number,
                draft
                    .insert_version(number, claim, Marks::default())
                    .unwrap(),
            )
        });
        let [episode, fact, digest] = made.each_mut().map(|made| *made);
        draft.others().lineage.extend([
            Lineage {
                row: fact.1,
                from: episode.1,
            },
            Lineage {
                row: digest.1,
                from: fact.1,
            },
        ]);
        Layers {
            session,
            episode,
            fact,
            digest,
        }
    })
    .await
}

async fn seen(alice: &UserMemory) -> ObservationId {
    let bought = Observe::new("shop", json!({"bought": "rye bread"}));
    alice.observe(bought).await.unwrap().id
}

fn numbers(steps: &[LineageStep]) -> Vec<Number> {
    steps.iter().map(|step| step.row.number).collect()
}

#[tokio::test]
async fn it_is_followed_down_to_words_and_behaviour_and_up_to_digests() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let layers = layers(host, &alice, seen(&alice).await).await;

        let tree = alice.lineage(layers.fact.0).await.unwrap();
        assert_eq!(tree.row.id, layers.fact.1);
        assert_eq!(tree.row.quotes[0].quote, SAID);
        assert!(!tree.row.quotes[0].is_gone);
        let behaviour = tree.row.observations[0].seen.as_ref().unwrap();
        assert_eq!(behaviour.payload, json!({"bought": "rye bread"}));
        assert_eq!(numbers(&tree.made_from), [layers.episode.0]);
        assert_eq!(numbers(&tree.made_into), [layers.digest.0]);
        let episode = tree.made_from[0].row.chat.as_ref().unwrap();
        assert_eq!((episode.session, episode.is_gone), (layers.session, false));

        let tree = alice.lineage(layers.digest.0).await.unwrap();
        assert_eq!(numbers(&tree.made_from), [layers.fact.0]);
        assert_eq!(numbers(&tree.made_from[0].steps), [layers.episode.0]);
        let tree = alice.lineage(layers.episode.0).await.unwrap();
        assert_eq!(numbers(&tree.made_into), [layers.fact.0]);
        assert_eq!(numbers(&tree.made_into[0].steps), [layers.digest.0]);

        // A new version is the user's word; what was made from the old one is told all the same.
        let update = keepmind::command::Update::new(layers.fact.0, "Likes white bread");
        alice.update(update).await.unwrap();
        let tree = alice.lineage(layers.fact.0).await.unwrap();
        assert!(tree.made_from.is_empty());
        assert_eq!(numbers(&tree.made_into), [layers.digest.0]);
        let old = alice.lineage(layers.fact.1.to_string()).await.unwrap();
        assert_eq!(old.row.ended, Some("superseded"));
        assert_eq!(numbers(&old.made_from), [layers.episode.0]);

        let request = json!({"query": "lineage", "target": layers.digest.0});
        let answer = alice.request(&request.to_string()).await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["answer"], "lineage");
        let drawn = answer["text"].as_str().unwrap();
        assert!(
            drawn.contains("Likes rye bread") && drawn.contains(SAID),
            "{drawn}"
        );
        let bob = host.keepmind.user("bob").unwrap();
        bob.lineage(layers.fact.1.to_string()).await.unwrap_err();
        bob.lineage(layers.fact.0).await.unwrap_err();
    })
    .await;
}

#[tokio::test]
async fn a_chat_that_is_gone_is_said_to_be_and_what_is_purged_is_nowhere() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let layers = layers(host, &alice, seen(&alice).await).await;
        let session = alice.session(layers.session).await.unwrap();
        session.trash().await.unwrap();
        session.purge().await.unwrap();
        let tree = alice.lineage(layers.fact.0).await.unwrap();
        assert!(tree.row.quotes[0].is_gone);
        assert!(tree.to_string().contains("which is gone"), "{tree}");

        alice.purge(layers.fact.0).await.unwrap();
        let tree = alice.lineage(layers.digest.0).await.unwrap();
        assert!(tree.made_from.is_empty(), "{tree}");
        alice.lineage(layers.fact.0).await.unwrap_err();
    })
    .await;
}

#[tokio::test]
async fn rows_that_are_made_from_each_other_are_walked_once() {
    on_every_store(Policy::observer(), async |host| {
        let alice = host.alice();
        let layers = layers(host, &alice, seen(&alice).await).await;
        write(host, &alice, |draft| {
            draft.others().lineage.insert(Lineage {
                row: layers.episode.1,
                from: layers.digest.1,
            })
        })
        .await;
        let tree = alice.lineage(layers.fact.0).await.unwrap();
        let around = &tree.made_from[0].steps[0];
        assert_eq!(around.row.number, layers.digest.0);
        assert!(around.steps[0].is_repeated);
        assert!(!tree.is_cut);
    })
    .await;
}
