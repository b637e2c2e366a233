//! Against a real model, a small and weak one: whatever it proposes, what is stored is grounded, unique and
//! allowed, and what it could not be asked about is not lost. `.ci/run` serves one on this machine.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use keepmind::{
    Clock, Closing, Evidence, Fate, InMemoryStore, Keepmind, Layer, ManualClock, Model,
    ModelRequest, Patience, PlugError, Policy, Push, Timestamp, text,
};
use keepmind_example_openai::OpenAi;

/// Says little at a time: a small model on a small machine is slow.
#[derive(Debug)]
struct Brief(OpenAi);

#[async_trait]
impl Model for Brief {
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError> {
        let mut request = request.clone();
        request.max_output_tokens = request.max_output_tokens.min(200);
        self.0.complete(&request).await
    }
}

const CHATS: &[&[&str]] = &[
    &[
        "Hi! I work as a beekeeper near Ghent.",
        "Which flowers should I plant in March?",
    ],
    &["my wifi password is Tram-77-olive, why is the signal weak?"],
    &["I have two daughters and I don't eat meat. Suggest a dinner."],
    &["What is the capital of Peru?"],
];

#[tokio::test]
#[ignore = "needs KEEPMIND_LLM_URL: the address of an OpenAI-compatible server"]
async fn what_is_stored_is_grounded_unique_and_allowed() {
    let url = std::env::var("KEEPMIND_LLM_URL").expect("KEEPMIND_LLM_URL is the server's address");
    let model = OpenAi::new(format!("{}/v1", url.trim_end_matches('/'))).unwrap();
    let mut policy = Policy::default();
    policy.compression.context_budget = 1_000;
    policy.close.attempts = 2;
    let clock = Arc::new(ManualClock::new(
        Timestamp::parse("2026-03-01T09:00:00Z").unwrap(),
    ));
    let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .policy(policy)
        .clock(clock.clone())
        .patience(Patience::default().model(Duration::from_secs(100)))
        .model(Arc::new(Brief(model)))
        .build()
        .unwrap();
    let alice = keepmind.user("alice").unwrap();
    let mut answered = 0;
    let mut sessions = Vec::new();
    for said in CHATS {
        let session = alice.open_session().await.unwrap();
        for message in *said {
            session.push(Push::user(*message)).await.unwrap();
        }
        let mut closed = session.close().await.unwrap();
        if closed.closing == Closing::Deferred {
            clock.set(clock.now().saturating_add(Duration::from_secs(86_400)));
            closed = session.close().await.unwrap();
        }
        // Whatever the model did, the chat is done with: by the model, or in the end by code.
        assert!(
            matches!(closed.closing, Closing::Learned | Closing::WithoutModel),
            "{closed:?}"
        );
        answered += usize::from(closed.closing == Closing::Learned);
        let told = serde_json::to_string(&closed.report).unwrap();
        assert!(!told.contains("olive"), "{told}");
        let proposed = closed.report.lessons.len();
        let refused = closed.report.count(Fate::Refused);
        assert!(closed.report.count(Fate::Learned) + refused <= proposed);
        sessions.push((session, closed.closing));
    }

    let rows = alice.list(Default::default()).await.unwrap().rows;
    let mut contents = BTreeSet::new();
    // An episode tells what was said, in several quotes or in the model's own words.
    let facts = rows
        .iter()
        .filter(|row| row.body.claim.layer == Layer::Fact);
    for row in facts {
        let claim = &row.body.claim;
        assert!(
            contents.insert(text::fold(&claim.content)),
            "twice: {claim:?}"
        );
        assert!(
            text::secret(&claim.content).is_none() && text::instruction(&claim.content).is_none()
        );
        assert!(row.marks.confidence.is_some_and(|sure| sure >= 0.5));
        let [
            Evidence::Quote {
                quote,
                message,
                session,
                span,
            },
        ] = &claim.evidence[..]
        else {
            panic!("without evidence: {claim:?}");
        };
        let place = alice.session(*session).await.unwrap();
        let said = place.messages(None, 10).await.unwrap().items;
        let said = said
            .iter()
            .find(|said| said.number == *message)
            .expect("the message");
        let words = &said.utterance.content[span.start as usize..span.end as usize];
        assert_eq!(words, quote, "{claim:?}");
    }
    let (_, closing) = &sessions[0];
    if *closing == Closing::WithoutModel {
        let is_kept = |content: &String| content.contains("beekeeper");
        assert!(
            contents.iter().any(is_kept),
            "what no model read, code reads: {contents:?}"
        );
    }
    // A server that is not there would leave all of it to code.
    assert!(
        answered > 0,
        "the model answered nothing that could be used"
    );
    keepmind.close().await.unwrap();
}
