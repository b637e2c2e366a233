//! One way to ask, whichever way in: JSON requests of Rust on each store, and of the C interface.

use std::sync::atomic::{AtomicU32, Ordering};

use keepmind::{Clock as _, Keepmind, Policy, SystemClock};
use keepmind_ffi::host::Host as CHost;
use keepmind_tests::host::on_every_store;
use serde_json::{Value, json};

/// A host that asks in JSON, for alice.
pub struct Door {
    way: Way,
    /// What the host's clock says.
    today: String,
    calls: AtomicU32,
}

enum Way {
    Rust(Keepmind),
    /// Nothing once it was freed.
    C(Option<CHost>),
}

impl Door {
    fn new(way: Way, today: String) -> Self {
        Door {
            way,
            today,
            calls: AtomicU32::new(0),
        }
    }

    /// The day that the host's clock shows.
    pub fn today(&self) -> &str {
        &self.today
    }

    async fn answer(&self, request: &Value) -> Result<String, String> {
        let request = request.to_string();
        match &self.way {
            Way::Rust(keepmind) => {
                let answer = keepmind.request(&request).await;
                answer.map_err(|error| error.to_string())
            }
            Way::C(host) => {
                let host = host.as_ref().expect("freed with the door");
                let answer = on_a_thread(|| host.request(&request));
                let answer = answer.map(|text| text.to_owned());
                answer.map_err(|error| error.to_string())
            }
        }
    }

    /// What alice's memory answers.
    pub async fn ask(&self, mut request: Value) -> Value {
        request["user"] = json!("alice");
        let answer = self.answer(&request).await;
        let answer = answer.unwrap_or_else(|error| panic!("{request}: {error}"));
        serde_json::from_str(&answer).unwrap()
    }

    /// Why it does not.
    pub async fn refused(&self, mut request: Value) -> String {
        request["user"] = json!("alice");
        self.refused_as_written(request).await
    }

    /// Why a request of whoever it names is not answered.
    pub async fn refused_as_written(&self, request: Value) -> String {
        match self.answer(&request).await {
            Ok(answer) => panic!("{request}: {answer}"),
            Err(error) => error,
        }
    }

    /// What a tool answers in a new chat in which alice said that.
    pub async fn tool(&self, said: &str, name: &str, arguments: Value) -> Value {
        let session = self.ask(json!({"request": "open_session"})).await["session"].clone();
        let push = json!({"request": "push", "session": session, "role": "user", "content": said});
        self.ask(push).await;
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let call = json!({"request": "call_tool", "session": session, "call": format!("call_{call}"),
            "name": name, "arguments": arguments});
        self.ask(call).await
    }

    /// What waits for alice's word.
    pub async fn pending(&self) -> Vec<Value> {
        let answer = self.ask(json!({"query": "pending"})).await;
        answer["proposals"].as_array().unwrap().clone()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        if let Way::C(host) = &mut self.way {
            let host = host.take();
            on_a_thread(|| drop(host));
        }
    }
}

/// Runs a scenario in Rust on every store, and in C on every store that it opens, each time from nothing.
pub async fn through_every_door(scenario: impl AsyncFn(&Door)) {
    on_every_store(Policy::assistant(), async |host| {
        let today = host.clock.now().to_string()[..10].to_owned();
        let door = Door::new(Way::Rust(host.keepmind.clone()), today);
        scenario(&door).await;
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    for store in ["memory:", file.to_str().unwrap()] {
        let open = || CHost::open(&[("store", store), ("preset", "assistant")], None);
        let host = on_a_thread(open).unwrap();
        let today = SystemClock.now().to_string()[..10].to_owned();
        scenario(&Door::new(Way::C(Some(host)), today)).await;
    }
}

/// Calls from a thread as C has it: a runtime's own must not wait, and calls of the C interface do.
fn on_a_thread<T: Send>(call: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(call).join().expect("no call panics"))
}
