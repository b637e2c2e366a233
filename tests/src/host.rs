//! A host in a test: an engine on each store, with a clock that stands still until it is moved.

use std::sync::Arc;
use std::time::Duration;

use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Clock, CountingIds, InMemoryStore, Keepmind, KeepmindBuilder, Layer, ManualClock, MemoryStore,
    Model, ModelByTask, Patience, PlugError, Policy, SessionHandle, Task, Timestamp, ToolReply,
    UserMemory,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::backends::stores;
use crate::moody::Moody;

/// An engine with everything a test wants to turn.
pub struct Host {
    /// The engine.
    pub keepmind: Keepmind,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    /// The store's name, for messages.
    pub store: &'static str,
    _folder: Option<TempDir>,
}

impl Host {
    /// A host on a store of the test's own, with what the builder is given beside.
    pub fn on(
        store: Arc<dyn MemoryStore>,
        policy: Policy,
        plugged: impl FnOnce(KeepmindBuilder) -> KeepmindBuilder,
    ) -> Self {
        let start = Timestamp::parse("2026-03-01T09:00:00Z").expect("a moment");
        let clock = Arc::new(ManualClock::new(start));
        let builder = Keepmind::builder(store)
            .policy(policy)
            .clock(clock.clone())
            .ids(CountingIds::after(1 << 64));
        Host {
            keepmind: plugged(builder).build().expect("a preset is sound"),
            clock,
            store: "given",
            _folder: None,
        }
    }

    /// A host in memory with a model that is waited for as patiently as by default: for time that stands
    /// still, which a store with threads of its own does not bear.
    pub fn in_memory(policy: Policy, model: Arc<dyn Model>) -> Self {
        let store = Arc::new(InMemoryStore::new());
        Host::on(store, policy, |builder| builder.model(model))
    }

    /// Another engine on the same store with the same clock, as in another process.
    pub fn elsewhere(&self, model: Arc<dyn Model>) -> Keepmind {
        Keepmind::builder(Arc::clone(self.keepmind.store()))
            .policy(self.keepmind.policy().clone())
            .clock(self.clock.clone())
            .model(model)
            .patience(asked_once())
            .build()
            .expect("the same policy")
    }

    /// Alice's memory.
    pub fn alice(&self) -> UserMemory {
        self.keepmind.user("alice").expect("a good name")
    }

    /// Lets days go by.
    pub fn days(&self, days: u64) {
        self.seconds(days * 86_400);
    }

    /// Lets seconds go by.
    pub fn seconds(&self, seconds: u64) {
        let later = Duration::from_secs(seconds);
        self.clock.set(self.clock.now().saturating_add(later));
    }

    /// Makes the clock show that moment.
    pub fn at(&self, moment: &str) {
        self.clock.set(Timestamp::parse(moment).expect("a moment"));
    }

    /// The contents of the facts that are live, in order of number.
    pub async fn live(&self, user: &UserMemory) -> Vec<String> {
        self.contents(user, Some(Layer::Fact)).await
    }

    /// What was told of chats and is live.
    pub async fn episodes(&self, user: &UserMemory) -> Vec<String> {
        self.contents(user, Some(Layer::Episode)).await
    }

    /// The contents of everything that is live.
    pub async fn kept(&self, user: &UserMemory) -> Vec<String> {
        self.contents(user, None).await
    }

    async fn contents(&self, user: &UserMemory, layer: Option<Layer>) -> Vec<String> {
        let page = user.list(Default::default()).await.expect("a list");
        page.rows
            .into_iter()
            .filter(|row| layer.is_none_or(|layer| row.body.claim.layer == layer))
            .map(|row| row.body.claim.content)
            .collect()
    }
}

/// Runs a scenario on every store, each with an engine of its own.
pub async fn on_every_store(policy: Policy, scenario: impl AsyncFn(&Host)) {
    each(policy, |builder| builder, scenario).await;
}

/// Runs a scenario on every store, each with a model of its own that learns and sums up, and is not waited
/// for where it fails. It names no chat: that is done off the chat's path, and would come between.
pub async fn on_every_store_with(
    policy: Policy,
    model: impl Fn() -> ScriptedModel,
    scenario: impl AsyncFn(&Host, &ScriptedModel),
) {
    each_with(policy, model, for_all_but_names, scenario).await;
}

/// The same with a model that names chats, beside one that finds nothing to learn.
pub async fn on_every_store_naming(
    policy: Policy,
    model: impl Fn() -> ScriptedModel,
    scenario: impl AsyncFn(&Host, &ScriptedModel),
) {
    let plugged = |naming| {
        let learning = Arc::new(ScriptedModel::answering(r#"{"ops": []}"#));
        by_task(learning, naming)
    };
    each_with(policy, model, plugged, scenario).await;
}

/// One model for everything, and another for the names of chats.
pub fn by_task(learning: Arc<ScriptedModel>, naming: Arc<ScriptedModel>) -> Arc<dyn Model> {
    Arc::new(ModelByTask::new(learning).with(Task::Title, naming))
}

fn for_all_but_names(model: Arc<ScriptedModel>) -> Arc<dyn Model> {
    let nameless = Scripted::Fails(PlugError::lasting("chats have no names here"));
    by_task(model, Arc::new(ScriptedModel::new([nameless])))
}

async fn each_with(
    policy: Policy,
    model: impl Fn() -> ScriptedModel,
    plug: impl Fn(Arc<ScriptedModel>) -> Arc<dyn Model>,
    scenario: impl AsyncFn(&Host, &ScriptedModel),
) {
    let newest = std::cell::RefCell::new(Arc::new(model()));
    let plugged = |builder: KeepmindBuilder| {
        let fresh = Arc::new(model());
        *newest.borrow_mut() = Arc::clone(&fresh);
        builder.model(plug(fresh)).patience(asked_once())
    };
    each(policy, plugged, async |host| {
        let model = Arc::clone(&newest.borrow());
        scenario(host, &model).await;
    })
    .await;
}

/// The same on stores that fail as told, or let somebody else write first.
pub async fn on_every_moody_store(
    policy: Policy,
    model: impl Fn() -> ScriptedModel,
    scenario: impl AsyncFn(&Host, &ScriptedModel, &Moody),
) {
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Arc::new(Moody::new(backend.open(folder.path()).await));
        let model = Arc::new(model());
        let plugged = |builder: KeepmindBuilder| {
            let model = for_all_but_names(model.clone());
            builder.model(model).patience(asked_once())
        };
        let host = Host {
            store: backend.name,
            _folder: Some(folder),
            ..Host::on(store.clone(), policy.clone(), plugged)
        };
        scenario(&host, &model, &store).await;
        host.keepmind.close().await.expect("closing");
    }
}

/// Runs a scenario on every store with what the builder is given.
pub async fn each(
    policy: Policy,
    plugged: impl Fn(KeepmindBuilder) -> KeepmindBuilder,
    scenario: impl AsyncFn(&Host),
) {
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = backend.open(folder.path()).await;
        let host = Host {
            store: backend.name,
            _folder: Some(folder),
            ..Host::on(store, policy.clone(), &plugged)
        };
        scenario(&host).await;
        host.keepmind.close().await.expect("closing");
    }
}

/// Patience for one try; a close asks once more, and at once.
pub fn asked_once() -> Patience {
    Patience::default().retries(0, Duration::ZERO)
}

/// Lets everybody else work until it is so. The deadline only keeps a broken test from hanging.
pub async fn until(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), waiting)
        .await
        .expect("it never became so");
}

/// A tool call, as a model makes it.
pub async fn call(session: &SessionHandle, name: &str, arguments: Value) -> ToolReply {
    session
        .call_tool(None, name, &arguments)
        .await
        .expect("the store works")
}
