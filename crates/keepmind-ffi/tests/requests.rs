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

/// What a table takes in the place of what is asked here, as it tells whoever asks for something else.
fn expected(reader: &Reader, target: Target, asked: &Value) -> BTreeSet<String> {
    let failed = reader
        .request(target, &asked.to_string())
        .expect_err("there is no such thing");
    assert_eq!(failed.status, KM_INVALID, "{failed}");
    let list = failed.message.split("expected ").nth(1).unwrap_or_default();
    list.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The names that a table knows.
fn names(reader: &Reader, target: Target, table: &str) -> BTreeSet<String> {
    expected(reader, target, &json!({table: "something else"}))
}

/// A table, how many entries it has at least, and the part of the page that tells of it.
const TABLES: [(Target, &str, usize, &str); 5] = [
    (Target::User, "command", 17, "Commands"),
    (Target::User, "query", 9, "Queries"),
    (Target::User, "request", 8, "Requests of a user"),
    (Target::Session, "request", 17, "Requests of a session"),
    // What is asked of it stands beside what is asked of a user.
    (Target::Engine, "request", 2, ""),
];

/// What the page says of an entry: in that part of it, or where the same is told of another table's.
fn section(part: &str, name: &str) -> Option<&'static str> {
    let heading = format!("`{name}`\n");
    let within = |told: &'static str| {
        told.split("\n### ")
            .find(|section| section.starts_with(&heading))
    };
    let parts = || PAGE.split("\n## ");
    let own = parts().find(|told| told.starts_with(part));
    own.and_then(within).or_else(|| parts().find_map(within))
}

#[test]
fn every_field_is_told_of_where_its_entry_is() {
    let reader = Reader::open();
    let (mut untold, mut told) = (Vec::new(), 0);
    for (target, table, _, part) in TABLES {
        for name in names(&reader, target, table) {
            let section =
                section(part, &name).unwrap_or_else(|| panic!("{table} {name} has no heading"));
            let asked = json!({table: name, "no such field": 1});
            for field in expected(&reader, target, &asked) {
                told += 1;
                if !section.contains(&format!("`{field}`"))
                    && !section.contains(&format!("\"{field}\":"))
                {
                    untold.push(format!("{table} {name}: {field}"));
                }
            }
        }
    }
    assert_eq!(untold, [""; 0], "docs/REQUESTS.md does not tell of them");
    assert!(told > 150, "{told} fields");
}

#[test]
fn every_entry_of_the_tables_is_on_the_page() {
    let reader = Reader::open();
    let examples = examples();
    for (target, table, least, _) in TABLES {
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
    }
}
