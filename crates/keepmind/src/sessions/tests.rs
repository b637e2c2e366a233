//! Chats that are learned from late, after others that came later.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::command::List;
use crate::engine::{Keepmind, Patience, UserMemory};
use crate::model::{Clock as _, ManualClock};
use crate::report::Fate;
use crate::sessions::{Closing, Push, SessionHandle};
use crate::store::in_memory::InMemoryStore;
use crate::testing::{Scripted, ScriptedModel};
use crate::timestamp::Timestamp;

struct Host {
    alice: UserMemory,
    model: Arc<ScriptedModel>,
    clock: Arc<ManualClock>,
}

impl Host {
    fn new() -> Self {
        let model = Arc::new(ScriptedModel::failing());
        let clock = Arc::new(ManualClock::new(
            Timestamp::parse("2026-03-01T09:00:00Z").unwrap(),
        ));
        let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
            .model(Arc::<ScriptedModel>::clone(&model))
            .patience(Patience::default().retries(0, Duration::ZERO))
            .clock(Arc::<ManualClock>::clone(&clock))
            .build()
            .unwrap();
        Host {
            alice: keepmind.user("alice").unwrap(),
            model,
            clock,
        }
    }

    async fn chat(&self, said: &str) -> SessionHandle {
        let session = self.alice.open_session().await.unwrap();
        session.push(Push::user(said)).await.unwrap();
        session
    }

    fn an_hour_later(&self) {
        let hour = Duration::from_secs(3_600);
        self.clock.set(self.clock.now().saturating_add(hour));
    }

    fn answer(&self, op: &str, id: Option<u64>, content: &str, quote: &str) {
        let mut operation =
            json!({"op": op, "content": content, "quote": quote, "confidence": 0.9});
        if let Some(id) = id {
            operation["id"] = id.into();
        }
        let answer = json!({"ops": [operation]}).to_string();
        self.model.follow([Scripted::Answers(answer)]);
    }

    async fn live(&self) -> Vec<(String, Timestamp)> {
        let rows = self.alice.list(List::default()).await.unwrap().rows;
        let claims = rows
            .into_iter()
            .filter(|row| row.body.claim.layer == crate::memory::Layer::Fact)
            .map(|row| row.body.claim);
        claims
            .map(|claim| (claim.content, claim.valid_from))
            .collect()
    }
}

#[tokio::test]
async fn older_words_do_not_overtake_newer_ones() {
    let (old, new) = (
        "User's favourite tea is mint",
        "User's favourite tea is sage",
    );
    for (op, id) in [("update", Some(1)), ("add", None)] {
        let host = Host::new();
        let first = host.chat("My favourite tea is mint.").await;
        assert_eq!(first.close().await.unwrap().closing, Closing::Deferred);

        host.an_hour_later();
        let second = host.chat("My favourite tea is sage.").await;
        host.answer("add", None, new, "My favourite tea is sage.");
        second.close().await.unwrap();
        let said_at = host.clock.now();

        host.an_hour_later();
        host.answer(op, id, old, "My favourite tea is mint.");
        let closed = first.close().await.unwrap();
        assert_eq!(closed.report.lessons[0].fate, Fate::Skipped, "{op}");
        assert_eq!(host.live().await, [(new.to_owned(), said_at)], "{op}");

        host.an_hour_later();
        let third = host.chat("My favourite tea is mint.").await;
        host.answer(op, id, old, "My favourite tea is mint.");
        let closed = third.close().await.unwrap();
        assert_eq!(closed.report.lessons[0].fate, Fate::Updated, "{op}");
    }
}

#[tokio::test]
async fn what_is_learned_late_is_true_since_it_was_said() {
    let host = Host::new();
    let session = host.chat("I keep bees.").await;
    let said_at = host.clock.now();
    session.close().await.unwrap();
    host.an_hour_later();
    host.answer("add", None, "User keeps bees", "I keep bees.");
    session.close().await.unwrap();
    assert_eq!(host.live().await, [("User keeps bees".to_owned(), said_at)]);
}
