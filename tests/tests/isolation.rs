//! Two owners of one store, and calls at random over the whole table of what can be asked: nothing of the one
//! is ever in what the other is answered, nor in anything that is logged.
//!
//! The requests are those of the page that documents them, with other words and names in their places, so that
//! what is added there is called here. `KEEPMIND_ISOLATION_CALLS` and `KEEPMIND_ISOLATION_SEED` turn it.

use std::collections::BTreeMap;
use std::sync::Arc;

use keepmind::{Keepmind, MemoryStore, Policy};
use keepmind_tests::listener::Listener;
use keepmind_tests::random::setting;
use keepmind_tests::{Backend, Random, stores};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const PAGE: &str = include_str!("../../docs/REQUESTS.md");

/// How many calls are made on all stores together.
const CALLS: u64 = 100_000;

/// After how many calls an owner is let go of, so that what is read stays small.
const ERASE_EVERY: usize = 400;

/// Who owns what, and the words that only they say.
const OWNERS: [(&str, &str); 2] = [("alice", "zanzibarine"), ("bob", "quetzalcoat")];

/// The fields whose words are somebody's own.
const SAID: &[&str] = &[
    "content",
    "new_content",
    "summary",
    "detail",
    "reasoning",
    "message",
    "text",
    "title",
    "influence",
    "answer",
    "reply",
    "key",
    "evidence",
    "hidden",
];

/// The requests of the page, and whether each is asked in a chat.
fn examples() -> Vec<(bool, Value)> {
    let mut found = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        let in_chat = match line.strip_prefix("```json ") {
            Some("user") => false,
            Some("session") => true,
            _ => continue,
        };
        let request: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let request: Value = serde_json::from_str(&request.join("\n")).expect("an example is JSON");
        found.push((in_chat, request));
    }
    found
}

/// What answers held: names that anybody may try to use, whosever they are.
#[derive(Default)]
struct Held {
    /// By what they are called in an answer.
    values: BTreeMap<&'static str, Vec<Value>>,
    /// The last export of each owner.
    exports: [Option<String>; 2],
}

/// The fields of answers that name something, and what a request calls it.
const NAMES: &[(&str, &str)] = &[
    ("undo", "token"),
    ("session", "session"),
    ("next", "after"),
    ("id", "id"),
    ("row", "id"),
    ("proposal", "proposal"),
    ("origin", "id"),
];

/// How many names of a kind are kept.
const KEPT: usize = 64;

impl Held {
    fn keep(&mut self, answer: &Value, random: &mut Random) {
        match answer {
            Value::Object(fields) => {
                for (field, value) in fields {
                    let name = NAMES.iter().find(|(name, _)| name == field);
                    if let Some((_, called)) = name
                        && (value.is_string() || field == "undo" && value.is_object())
                    {
                        self.put(called, value.clone(), random);
                    }
                    self.keep(value, random);
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.keep(item, random);
                }
            }
            _ => {}
        }
    }

    fn put(&mut self, called: &'static str, value: Value, random: &mut Random) {
        let values = self.values.entry(called).or_default();
        match values.len() < KEPT {
            true => values.push(value),
            false => {
                let place = random.below(KEPT);
                values[place] = value;
            }
        }
    }

    fn any(&self, called: &str, random: &mut Random) -> Option<Value> {
        random.pick(self.values.get(called)?)
    }
}

/// A caller: makes requests of an owner's, of whatever is known of both.
struct Caller<'a> {
    random: &'a mut Random,
    held: &'a Held,
    owner: usize,
}

impl Caller<'_> {
    /// Something that only this owner says.
    fn words(&mut self) -> String {
        let (_, canary) = OWNERS[self.owner];
        let topic = self.random.one_of(&[
            "tea",
            "boats",
            "Ghent",
            "chess",
            "a cello",
            "the exam on 3 May",
        ]);
        let verb =
            self.random
                .one_of(&["likes", "dislikes", "does not want", "remembers", "plans"]);
        let number = self.random.below(30);
        format!("User {verb} {topic} {canary}{number}")
    }

    fn fact(&mut self) -> Value {
        match self.random.below(6) {
            0 => self.held.any("id", self.random).unwrap_or(json!(1)),
            1 => json!(
                self.random
                    .one_of(&["tea", "boats", "Ghent", OWNERS[0].1, OWNERS[1].1])
            ),
            _ => json!(1 + self.random.below(25)),
        }
    }

    /// Other words and names in the places of those of an example.
    fn vary(&mut self, field: &str, value: &mut Value) {
        let held = |caller: &mut Self, called| caller.held.any(called, caller.random);
        match (field, &mut *value) {
            ("target" | "from" | "to" | "id_or_substring", _) => {
                *value = self.fact();
                if field == "id_or_substring" && !value.is_string() {
                    *value = json!(format!("#{value}"));
                }
            }
            ("payload", _) => *value = json!({"seen": [self.words()]}),
            ("token" | "proposal" | "after" | "session", _) => {
                let called = if field == "proposal" { "id" } else { field };
                let other = held(self, field).or_else(|| held(self, called));
                *value = other.unwrap_or(Value::Null);
            }
            (_, Value::String(_)) if SAID.contains(&field) => *value = json!(self.words()),
            (_, Value::Object(fields)) => {
                for (field, value) in fields.iter_mut() {
                    self.vary(field, value);
                }
            }
            (_, Value::Array(items)) if field == "said" => {
                for item in items {
                    *item = json!(self.words());
                }
            }
            _ => {}
        }
    }

    fn request(&mut self, in_chat: bool, example: &Value) -> Value {
        let mut request = example.clone();
        let Value::Object(fields) = &mut request else {
            panic!("a request is an object");
        };
        for (field, value) in fields.iter_mut() {
            if field == "lines" {
                // A file is its bearer's own doing: only what they exported themselves.
                let own = self.held.exports[self.owner].clone();
                *value = json!(own.unwrap_or_default());
            } else if self.random.chance(90) {
                self.vary(field, value);
            }
        }
        if in_chat {
            let session = self.held.any("session", self.random);
            fields.insert("session".to_owned(), session.unwrap_or(Value::Null));
        }
        fields.insert("user".to_owned(), json!(OWNERS[self.owner].0));
        request
    }
}

/// Calls at random on one store.
async fn run(name: &str, store: Arc<dyn MemoryStore>, calls: usize, seed: u64, log: Listener) {
    let keepmind = Keepmind::builder(store)
        .policy(Policy::default())
        .build()
        .expect("a preset is sound");
    let examples = examples();
    let mut random = Random::new(seed);
    let mut held = Held::default();
    let (mut asked, mut answered) = (0, 0);
    let mut reached = vec![false; examples.len()];
    for call in 0..calls {
        let owner = random.below(2);
        let one = |field: &str, name: &str| {
            let mut all = examples.iter();
            all.position(|(_, example)| example[field] == name)
                .expect("it is documented")
        };
        let index = match random.below(100) {
            _ if call % ERASE_EVERY == ERASE_EVERY - 1 => one("request", "erase"),
            // Rows and chats come first: without any, there is nothing to keep apart.
            0..12 => one("command", "save"),
            12..15 => one("request", "open_session"),
            15..25 => one("request", "push"),
            _ => random.below(examples.len()),
        };
        if examples[index].1["request"] == "erase" && call % ERASE_EVERY != ERASE_EVERY - 1 {
            continue;
        }
        let (in_chat, example) = &examples[index];
        asked += 1;
        let mut caller = Caller {
            random: &mut random,
            held: &held,
            owner,
        };
        let request = caller.request(*in_chat, example).to_string();
        let answer = keepmind.request(&request).await;
        let text = match &answer {
            Ok(answer) => answer.clone(),
            Err(error) => format!("{error} {error:?}"),
        };
        let (_, others) = OWNERS[1 - owner];
        let case = || format!("{name}, seed {seed}, call {call}: {request}");
        // Not even where they guessed it: a refusal quotes nothing.
        assert!(!text.to_lowercase().contains(others), "{}\n{text}", case());
        let heard = log.heard().to_lowercase();
        for (_, canary) in OWNERS {
            assert!(!heard.contains(canary), "{}\nwas logged: {heard}", case());
        }
        if let Ok(answer) = answer {
            answered += 1;
            reached[index] = true;
            let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
            if example["request"] == "export" {
                held.exports[owner] = answer["lines"].as_str().map(str::to_owned);
            } else {
                held.keep(&answer, &mut random);
            }
        }
    }
    keepmind.close().await.expect("it closes");
    assert!(
        answered * 3 >= asked,
        "{name}: only {answered} of {asked} were answered"
    );
    let missed = reached
        .iter()
        .zip(&examples)
        .filter(|(reached, _)| !**reached);
    let missed: Vec<String> = missed
        .map(|(_, (_, example))| example.to_string())
        .collect();
    assert!(
        missed.len() * 10 <= examples.len(),
        "{name}: never answered: {missed:#?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_one_owner_is_in_what_the_other_is_answered() {
    let log = Listener::everywhere();
    let calls = usize::try_from(setting("KEEPMIND_ISOLATION_CALLS", CALLS)).unwrap();
    let seed = setting("KEEPMIND_ISOLATION_SEED", 7);
    let stores = stores();
    // A server is asked over a line, call by call: it gets a tenth of them, and the others share the rest.
    let is_served = |backend: &&Backend| backend.name == "postgres";
    let of_servers = calls / 10;
    let served = stores.iter().filter(is_served).count();
    let of_others = (calls - served * of_servers) / (stores.len() - served);
    // Beside each other: whoever logs a word of anybody's, somebody hears it.
    let mut running = JoinSet::new();
    for (place, backend) in stores.into_iter().enumerate() {
        let calls = match is_served(&&backend) {
            true => of_servers,
            false => of_others,
        };
        let log = log.clone();
        let folder = tempfile::tempdir().unwrap();
        let store = backend.open(folder.path()).await;
        running.spawn(async move {
            run(backend.name, store, calls, seed + place as u64, log).await;
            drop(folder);
        });
    }
    while let Some(ran) = running.join_next().await {
        ran.expect("no call panics");
    }
}
