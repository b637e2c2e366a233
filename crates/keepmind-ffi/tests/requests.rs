//! Every entry of the tables is reached through the C interface, by the page that documents it.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use keepmind_ffi::KM_INVALID;
use keepmind_ffi::host::{Answered, Host, HostSession, HostUser};
use serde_json::{Value, json};

const PAGE: &str = include_str!("../../../docs/REQUESTS.md");

/// What a request is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Engine,
    User,
    Session,
}

/// An engine in memory, one user, and a chat of theirs that is opened when it is first asked for.
struct Reader {
    host: Host,
    user: HostUser,
    session: OnceCell<HostSession>,
}

impl Reader {
    fn open() -> Self {
        let host = Host::open(&[("store", "memory:")], None).expect("a store in memory opens");
        let user = host.user("alice").expect("a user");
        Reader {
            host,
            user,
            session: OnceCell::new(),
        }
    }

    fn request(&self, target: Target, request: &str) -> Answered {
        let opened = || self.user.open_session().expect("a chat");
        match target {
            Target::Engine => self.host.request(request),
            Target::User => self.user.request(request),
            Target::Session => self.session.get_or_init(opened).request(request),
        }
    }
}

/// One example of the page: what it is asked of, and the request.
struct Example {
    target: Target,
    request: String,
}

fn examples() -> Vec<Example> {
    let mut found = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        let target = match line.strip_prefix("```json ") {
            None => continue,
            Some("engine") => Target::Engine,
            Some("user") => Target::User,
            Some("session") => Target::Session,
            Some(other) => panic!("a request of {other}"),
        };
        let request: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        found.push(Example {
            target,
            request: request.join("\n"),
        });
    }
    found
}

/// What an earlier answer held, in the place of a word in capitals.
#[derive(Default)]
struct Held {
    token: String,
    proposal: String,
    lines: String,
    session: String,
    markdown: String,
}

impl Held {
    fn fill(&self, request: &str) -> Value {
        let mut request: Value = serde_json::from_str(request).expect("an example is JSON");
        for (field, held) in [
            ("token", &self.token),
            ("proposal", &self.proposal),
            ("lines", &self.lines),
            ("session", &self.session),
        ] {
            if request.get(field).is_some() {
                assert!(!held.is_empty(), "no answer held a {field} so far");
                request[field] = json!(held);
            }
        }
        if request.get("text") == Some(&json!("MARKDOWN")) {
            assert!(!self.markdown.is_empty(), "no answer held a text so far");
            request["text"] = json!(self.markdown);
        }
        request
    }

    fn keep(&mut self, answer: &Value) {
        for (kept, place) in [
            (&mut self.token, "/event/undo"),
            (&mut self.proposal, "/event/proposal/id"),
            (&mut self.lines, "/lines"),
            (&mut self.session, "/session"),
            (&mut self.markdown, "/text"),
        ] {
            if let Some(text) = answer.pointer(place).and_then(Value::as_str) {
                text.clone_into(kept);
            }
        }
    }
}

#[test]
fn the_page_runs_from_top_to_bottom() {
    let reader = Reader::open();
    let mut held = Held::default();
    for example in examples() {
        let request = held.fill(&example.request);
        let answer = reader
            .request(example.target, &request.to_string())
            .unwrap_or_else(|failed| panic!("{request}: {failed}"));
        let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
        assert!(answer.is_object(), "{request}: {answer}");
        assert_ne!(
            answer.get("is_error"),
            Some(&json!(true)),
            "{request}: {answer}"
        );
        held.keep(&answer);
    }
}

/// The names that a table knows, as it tells them to whoever asks for another.
fn names(reader: &Reader, target: Target, table: &str) -> BTreeSet<String> {
    let asked = json!({table: "something else"}).to_string();
    let failed = reader
        .request(target, &asked)
        .expect_err("there is no such entry");
    assert_eq!(failed.status, KM_INVALID, "{failed}");
    let list = failed
        .message
        .split("expected ")
        .nth(1)
        .expect("it lists them");
    list.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_entry_of_the_tables_is_on_the_page() {
    let reader = Reader::open();
    let examples = examples();
    for (target, table, least) in [
        (Target::User, "command", 17),
        (Target::User, "query", 9),
        (Target::User, "request", 8),
        (Target::Session, "request", 17),
        (Target::Engine, "request", 2),
    ] {
        let shown: BTreeSet<String> = examples
            .iter()
            .filter(|example| example.target == target)
            .filter_map(|example| {
                let request: Value = serde_json::from_str(&example.request).ok()?;
                Some(request.get(table)?.as_str()?.to_owned())
            })
            .collect();
        let known = names(&reader, target, table);
        assert!(known.len() >= least, "{table}: {known:?}");
        assert_eq!(
            shown, known,
            "docs/REQUESTS.md shows every {table} once or more"
        );
        for name in &known {
            assert!(
                PAGE.contains(&format!("### `{name}`")),
                "{table} {name} has no heading"
            );
        }
    }
}
