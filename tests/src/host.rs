//! A host in a test: an engine on each store, with a clock that stands still until it is moved.

use std::sync::Arc;
use std::time::Duration;

use keepmind::{
    Clock, CountingIds, Keepmind, ManualClock, Policy, SessionHandle, Timestamp, ToolReply,
    UserMemory,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::backends::stores;

/// An engine with everything a test wants to turn.
pub struct Host {
    /// The engine.
    pub keepmind: Keepmind,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    /// The store's name, for messages.
    pub store: &'static str,
    _folder: TempDir,
}

impl Host {
    /// Alice's memory.
    pub fn alice(&self) -> UserMemory {
        self.keepmind.user("alice").expect("a good name")
    }

    /// Lets days go by.
    pub fn days(&self, days: u64) {
        let later = Duration::from_secs(days * 86_400);
        self.clock.set(self.clock.now().saturating_add(later));
    }

    /// The contents of what is live, in order of number.
    pub async fn live(&self, user: &UserMemory) -> Vec<String> {
        let page = user.list(Default::default()).await.expect("a list");
        page.rows
            .into_iter()
            .map(|row| row.body.claim.content)
            .collect()
    }
}

/// Runs a scenario on every store, each with an engine of its own.
pub async fn on_every_store(policy: Policy, scenario: impl AsyncFn(&Host)) {
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        let start = Timestamp::parse("2026-03-01T09:00:00Z").expect("a moment");
        let clock = Arc::new(ManualClock::new(start));
        let store = backend.open(folder.path()).await;
        let keepmind = Keepmind::builder(store)
            .policy(policy.clone())
            .clock(clock.clone())
            .ids(CountingIds::after(1 << 64))
            .build()
            .expect("a preset is sound");
        let host = Host {
            keepmind,
            clock,
            store: backend.name,
            _folder: folder,
        };
        scenario(&host).await;
        host.keepmind.close().await.expect("closing");
    }
}

/// A tool call, as a model makes it.
pub async fn call(session: &SessionHandle, name: &str, arguments: Value) -> ToolReply {
    session
        .call_tool(None, name, &arguments)
        .await
        .expect("the store works")
}
