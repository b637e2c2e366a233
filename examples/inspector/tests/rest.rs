//! The REST API over HTTP: who may ask, what is answered, and that whatever comes is answered with how to do it right.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use common::{ANNA, Answer, BEN, Server};
use keepmind_example_inspector::route::Verb;
use keepmind_example_inspector::routes::ROUTES;
use serde_json::{Value, json};

fn save(server: &Server, token: &str, content: &str) -> Value {
    let body = json!({"content": content, "category": "preference"});
    let saved = server.ask(token, "POST", "/api/memory", Some(body));
    assert_eq!(saved.status, 200, "{saved:?}");
    saved.json()
}

fn contents(answer: &Answer) -> Vec<String> {
    let rows = answer.json()["rows"].as_array().expect("rows").clone();
    rows.iter()
        .map(|row| row["body"]["claim"]["content"].as_str().unwrap().to_owned())
        .collect()
}

fn method(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "GET",
        Verb::Post => "POST",
        Verb::Patch => "PATCH",
        Verb::Delete => "DELETE",
    }
}

/// A path of the table with something in it.
fn path(template: &str, id: &str) -> String {
    template.replace("{id}", id)
}

#[test]
fn nobody_is_answered_without_a_token() {
    let server = Server::start();
    for route in ROUTES {
        for token in ["", "wrong", "token-of-anna-012345678"] {
            let answer = server.ask(token, method(route.method), &path(route.path, "1"), None);
            assert_eq!(answer.status, 401, "{} {}", route.id, answer.text);
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
        let headers = [("authorization", "Basic dG9rZW4tb2YtYW5uYS0wMTIzNDU2Nzg5")];
        let answer = server.raw(method(route.method), &path(route.path, "1"), &headers, "");
        assert_eq!(answer.status, 401, "{}", route.id);
    }
}

#[test]
fn every_answer_says_what_a_browser_may_do_with_it() {
    let server = Server::start();
    for path in [
        "/",
        "/js/main.js",
        "/openapi.json",
        "/api/memory",
        "/nothing",
    ] {
        let answer = server.ask(ANNA, "GET", path, None);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"));
        assert!(!policy.contains("unsafe"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            Some("same-origin")
        );
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn other_names_and_other_sites_are_turned_away() {
    let server = Server::start();
    let bearer = format!("Bearer {ANNA}");
    let known = ("authorization", bearer.as_str());
    for (name, value, status) in [
        ("host", "rebound.example", 421),
        ("host", "127.0.0.1.rebound.example", 421),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-site", 403),
        ("sec-fetch-site", "same-origin", 200),
    ] {
        for path in ["/api/memory", "/", "/openapi.json"] {
            let answer = server.raw("GET", path, &[known, (name, value)], "");
            assert_eq!(answer.status, status, "{name}: {value} {path}");
        }
    }
}

#[test]
fn a_memory_lives_through_the_api_of_the_seed() {
    let server = Server::start();
    let ask = |method: &str, path: &str, body: Option<Value>| server.ask(ANNA, method, path, body);
    let rule = json!({"type": "HARD", "domain": "food", "key": "exclude", "content": ["shellfish", "peanuts"]});
    let saved = ask("POST", "/api/memory", Some(rule)).json();
    let claim = &saved["event"]["after"]["body"]["claim"];
    assert_eq!(claim["content"], "exclude: shellfish, peanuts");
    assert_eq!(claim["value"], json!(["shellfish", "peanuts"]));
    save(&server, ANNA, "Prefers trains to planes");

    assert_eq!(
        contents(&ask("GET", "/api/memory?type=HARD", None)).len(),
        1
    );
    assert_eq!(
        contents(&ask("GET", "/api/memory?domain=food", None)).len(),
        1
    );
    assert_eq!(
        contents(&ask("GET", "/api/memory?search=train&type=SOFT", None)),
        ["Prefers trains to planes"]
    );
    let first = ask("GET", "/api/memory?limit=1", None).json();
    let next = first["next"].as_str().unwrap().replace(' ', "%20");
    let second = ask("GET", &format!("/api/memory?limit=1&cursor={next}"), None);
    assert_eq!(contents(&second), ["Prefers trains to planes"]);

    let changed = json!({"content": "Prefers night trains to planes"});
    assert_eq!(ask("PATCH", "/api/memory/2", Some(changed)).status, 200);
    let fact = ask("GET", "/api/memory/2", None).json();
    assert_eq!(fact["row"]["body"]["version"], 2);
    let life = ask("GET", "/api/memory/2/timeline", None).json();
    assert_eq!(life["timeline"]["versions"].as_array().unwrap().len(), 2);
    assert_eq!(
        contents(&ask("GET", "/api/memory/2/history", None)).len(),
        2
    );
    let superseded = ask("GET", "/api/memory?status=SUPERSEDED", None);
    assert_eq!(contents(&superseded), ["Prefers trains to planes"]);

    let asked = json!({"domains": ["food"], "query": "Which train shall I take?"});
    let context = ask("POST", "/api/memory/retrieve", Some(asked)).json();
    assert!(context["text"].as_str().unwrap().contains("night trains"));

    assert_eq!(ask("DELETE", "/api/memory/2", None).status, 200);
    assert_eq!(ask("GET", "/api/memory/2", None).status, 404);
    assert_eq!(
        contents(&ask("GET", "/api/forgotten", None)),
        ["Prefers night trains to planes"]
    );
    assert_eq!(ask("DELETE", "/api/memory/1", None).status, 200);
    let latest = ask("GET", "/api/forgotten?limit=1", None);
    assert_ne!(contents(&latest), ["Prefers night trains to planes"]);
    let cursor = latest.json()["next"].as_str().unwrap().replace(' ', "%20");
    let older = ask("GET", &format!("/api/forgotten?cursor={cursor}"), None);
    assert_eq!(contents(&older), ["Prefers night trains to planes"]);
    assert_eq!(ask("POST", "/api/memory/1/restore", None).status, 200);
    assert_eq!(ask("POST", "/api/memory/2/restore", None).status, 200);
    assert_eq!(contents(&ask("GET", "/api/forgotten", None)), [""; 0]);
    let forgot = ask("POST", "/api/memory/2/forget", None).json();
    let token = json!({"token": forgot["event"]["undo"]});
    assert_eq!(ask("POST", "/api/undo", Some(token.clone())).status, 200);
    assert_eq!(ask("GET", "/api/memory/2", None).status, 200);
    assert_eq!(ask("POST", "/api/redo", Some(token)).status, 200);
    assert_eq!(ask("GET", "/api/memory/2", None).status, 404);
}

#[test]
fn a_proposal_waits_for_its_word() {
    let server = Server::start();
    let ask = |method: &str, path: &str, body: Option<Value>| server.ask(ANNA, method, path, body);
    for content in ["Shops at Kroger", "Shops on Sundays"] {
        let body = json!({"content": content, "type": "SOFT", "domain": "shopping", "reasoning": "Five orders"});
        assert_eq!(ask("POST", "/api/memory/propose", Some(body)).status, 200);
    }
    assert_eq!(contents(&ask("GET", "/api/memory", None)), [""; 0]);
    let waiting = ask("GET", "/api/memory?status=PROPOSED", None).json();
    let ids: Vec<&str> = waiting["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    let word =
        |id: &str, body: Value| ask("POST", &format!("/api/memory/{id}/confirm"), Some(body));
    assert_eq!(
        word(ids[0], json!({"confirm": false, "content": "x"})).status,
        400
    );
    let accepted = word(
        ids[0],
        json!({"confirm": true, "content": "Shops at Kroger's"}),
    );
    assert_eq!(accepted.status, 200, "{accepted:?}");
    assert_eq!(word(ids[1], json!({"confirm": false})).status, 200);
    assert_eq!(
        contents(&ask("GET", "/api/memory", None)),
        ["Shops at Kroger's"]
    );
    assert_eq!(
        ask("GET", "/api/proposals", None).json()["proposals"],
        json!([])
    );
    let again = word(ids[1], json!({"confirm": true}));
    assert!((400..500).contains(&again.status), "{again:?}");
}

#[test]
fn owners_do_not_cross() {
    let server = Server::start();
    let anna = save(&server, ANNA, "CANARY keeps bees");
    let forgotten = save(&server, ANNA, "CANARY kept a cat");
    let propose = json!({"content": "CANARY sails", "reasoning": "CANARY said so"});
    server.ask(ANNA, "POST", "/api/memory/propose", Some(propose));
    server.ask(ANNA, "POST", "/api/memory/2/forget", None);
    let row = anna["event"]["after"]["id"].as_str().unwrap();
    for route in ROUTES
        .iter()
        .filter(|route| route.method == Verb::Get && route.id != "events")
    {
        for id in ["1", "2", row] {
            let mut asked = path(route.path, id);
            match route.id {
                "memoriesAsOf" => asked.push_str("?valid=2100-01-01T00:00:00Z"),
                "searchChats" => asked.push_str("?text=CANARY"),
                _ => {}
            }
            let answer = server.ask(BEN, "GET", &asked, None);
            assert!(!answer.text.contains("CANARY"), "{asked}: {}", answer.text);
            assert!(!answer.text.contains("anna"), "{asked}: {}", answer.text);
            assert!(answer.status < 500, "{asked}: {answer:?}");
        }
    }
    let token = json!({"token": forgotten["event"]["undo"]});
    assert_eq!(
        server.ask(BEN, "POST", "/api/undo", Some(token)).status,
        404
    );
    for (method, path) in [
        ("DELETE", format!("/api/memory/{row}")),
        ("POST", "/api/memory/1/forget".to_owned()),
    ] {
        assert_eq!(server.ask(BEN, method, &path, None).status, 404, "{path}");
    }
    let forged = json!({"command": {"command": "forget", "target": 1, "user": "anna"}});
    assert_eq!(
        server.ask(BEN, "POST", "/api/command", Some(forged)).status,
        400
    );
    let about = server.ask(ANNA, "GET", "/api/memory", None);
    assert_eq!(contents(&about), ["CANARY keeps bees"]);
}

#[test]
fn what_is_wrong_is_answered_with_how_to_do_it_right() {
    let server = Server::start();
    save(&server, ANNA, "Prefers tea");
    let ask = |method: &str, path: &str, body: Value| server.ask(ANNA, method, path, Some(body));
    let mut wrong: Vec<String> = Vec::new();
    for (answer, status, part) in [
        (
            ask("POST", "/api/memory", json!({})),
            400,
            "`content` is missing",
        ),
        (
            ask("POST", "/api/memory", json!({"content": ""})),
            400,
            "empty",
        ),
        (
            ask(
                "POST",
                "/api/memory",
                json!({"content": "x", "category": "nope"}),
            ),
            400,
            "profile",
        ),
        (
            ask("POST", "/api/memory", json!({"content": "x", "more": 1})),
            400,
            "there are: content",
        ),
        (
            ask("POST", "/api/memory", json!({"content": "a\u{202e}b"})),
            400,
            "character",
        ),
        (
            ask(
                "POST",
                "/api/memory",
                json!({"content": "x".repeat(100_000)}),
            ),
            400,
            "characters",
        ),
        (
            ask(
                "POST",
                "/api/memory",
                json!({"content": "x", "since": "yesterday"}),
            ),
            400,
            "2026",
        ),
        (
            ask("PATCH", "/api/memory/99", json!({"content": "x"})),
            404,
            "#99",
        ),
        (
            ask("PATCH", "/api/memory/tea", json!({"content": "x"})),
            404,
            "number",
        ),
        (
            ask("POST", "/api/undo", json!({"token": "x"})),
            400,
            "undo token",
        ),
        (
            ask(
                "POST",
                "/api/command",
                json!({"command": {"command": "nope"}}),
            ),
            400,
            "save",
        ),
        (
            ask(
                "POST",
                "/api/command",
                json!({"command": {"query": "list"}}),
            ),
            400,
            "docs/REQUESTS.md",
        ),
        (
            ask("GET", "/api/as-of", json!({})),
            400,
            "`valid` is missing",
        ),
        (ask("GET", "/api/as-of?valid=x", json!({})), 400, "2026"),
        (ask("GET", "/api/memory?cursor=x", json!({})), 400, "cursor"),
        (
            ask("GET", "/api/memory?limit=1001", json!({})),
            400,
            "1 to 1000",
        ),
        (
            ask("GET", "/api/memory?status=PROPOSED&limit=2", json!({})),
            400,
            "PROPOSED",
        ),
        (ask("GET", "/api/chats/x/messages", json!({})), 400, "id"),
        (ask("PUT", "/api/memory", json!({})), 405, "openapi.json"),
        (ask("GET", "/api/nothing", json!({})), 404, "openapi.json"),
        (ask("GET", "/api/memory/%ff", json!({})), 400, ""),
    ] {
        let told = answer.text.to_lowercase();
        if answer.status != status || !told.contains(&part.to_lowercase()) {
            wrong.push(format!(
                "{status} {part}: {} {}",
                answer.status, answer.text
            ));
        }
    }
    assert_eq!(wrong, [""; 0]);
    let bearer = format!("Bearer {ANNA}");
    let known = ("authorization", bearer.as_str());
    let form = ("content-type", "application/x-www-form-urlencoded");
    let json = ("content-type", "application/json");
    assert_eq!(
        server
            .raw("POST", "/api/memory", &[known, form], "content=x")
            .status,
        415
    );
    assert_eq!(
        server
            .raw("POST", "/api/memory", &[known, json], "{\"content\":")
            .status,
        400
    );
    let large = format!("{{\"content\": \"{}\"}}", "x".repeat(300_000));
    assert_eq!(
        server
            .raw("POST", "/api/memory", &[known, json], &large)
            .status,
        413
    );
    let deep = format!("{{\"content\": {}1{}}}", "[".repeat(100), "]".repeat(100));
    assert_eq!(
        server
            .raw("POST", "/api/memory", &[known, json], &deep)
            .status,
        400
    );
    assert_eq!(
        contents(&server.ask(ANNA, "GET", "/api/memory", None)),
        ["Prefers tea"]
    );
}

#[test]
fn a_number_in_a_path_is_never_taken_for_words() {
    let server = Server::start();
    save(&server, ANNA, "Sleeps in room 99");
    for (method, path) in [
        ("DELETE", "/api/memory/99"),
        ("GET", "/api/memory/99"),
        ("POST", "/api/memory/99/forget"),
        ("GET", "/api/memory/room"),
    ] {
        let answer = server.ask(ANNA, method, path, None);
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
    let known = contents(&server.ask(ANNA, "GET", "/api/memory", None));
    assert_eq!(known, ["Sleeps in room 99"]);
}

/// Every operation with what nobody would send: always an answer, never the server's fault.
#[test]
fn nothing_that_comes_is_the_servers_fault() {
    let server = Server::start();
    save(&server, ANNA, "Prefers tea");
    let strange = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("\u{0}"),
        json!([[]]),
        json!({"a": {}}),
        json!(true),
    ];
    for route in ROUTES.iter().filter(|route| route.id != "events") {
        for id in [
            "0",
            "99999999999999999999",
            "-1",
            "%00",
            "..%2f..",
            "#1",
            "00000000-0000-0000-0000-000000000000",
            "%E2%80%AE",
        ] {
            for value in &strange {
                let fields = route
                    .takes
                    .iter()
                    .map(|field| (field.name.to_owned(), value.clone()));
                let body = Value::Object(fields.collect());
                let answer = server.ask(
                    ANNA,
                    method(route.method),
                    &path(route.path, id),
                    Some(body),
                );
                assert!(answer.status < 500, "{} {id} {value}: {answer:?}", route.id);
            }
            for query in [
                "?limit=0",
                "?limit=-1",
                "?limit=1e9",
                "?%00=%00",
                "?&&==&",
                "?valid=9999-12-31T23:59:59Z&known=0000-01-01T00:00:00Z",
                "?text=%F0%9F%98%80",
                "?search=*%22(%27",
            ] {
                let asked = path(route.path, id) + query;
                let answer = server.ask(ANNA, method(route.method), &asked, None);
                assert!(answer.status < 500, "{asked}: {answer:?}");
            }
        }
    }
    assert_eq!(server.ask(ANNA, "GET", "/api/memory", None).status, 200);
}

#[test]
fn changes_are_told_as_they_are_written_and_only_to_their_owner() {
    let server = Server::start();
    let mut feed = BufReader::new(server.follow(ANNA).into_reader()).lines();
    let mut next = |wanted: &str| {
        loop {
            let line = feed.next().expect("the feed goes on").unwrap();
            if let Some(data) = line.strip_prefix("data: ") {
                let data: Value = serde_json::from_str(data).unwrap();
                if wanted == "ready" || data["line"] == wanted {
                    return data;
                }
                panic!("wanted {wanted}, came {data}");
            }
        }
    };
    next("ready");
    save(&server, BEN, "CANARY of ben");
    let saved = save(&server, ANNA, "Prefers tea");
    let told = next("saved #1");
    assert_eq!(told["facts"], json!([1]));
    assert_eq!(told["undo"], saved["event"]["undo"]);
    let undone = server.ask(
        ANNA,
        "POST",
        "/api/undo",
        Some(json!({"token": told["undo"]})),
    );
    assert_eq!(undone.status, 200);
    assert_eq!(next("undid saved #1")["is_undo"], json!(true));
    let latest = server.ask(ANNA, "GET", "/api/changes?limit=1", None).json();
    assert_eq!(latest["changes"][0]["line"], "undid saved #1");
}

#[test]
fn everything_can_be_taken_along() {
    let server = Server::start();
    save(&server, ANNA, "Prefers tea");
    let lines = server.ask(ANNA, "GET", "/api/export", None);
    assert_eq!(lines.header("content-type"), Some("application/x-ndjson"));
    assert!(
        lines
            .header("content-disposition")
            .unwrap()
            .starts_with("attachment")
    );
    assert!(lines.text.contains("Prefers tea"));
    let page = server.ask(ANNA, "GET", "/api/export.md", None);
    assert!(page.text.contains("] Prefers tea"));
    let block = server.ask(ANNA, "GET", "/api/block", None).json();
    assert!(block["text"].as_str().unwrap().contains("- Prefers tea"));
    assert!(block["tokens"].as_u64().unwrap() < block["budget"].as_u64().unwrap());
}

#[test]
fn tokens_of_a_file_are_not_shown() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "{ANNA} anna\nanother-{ANNA} anna\n{BEN} ben").unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_keepmind-example-inspector"))
        .args(["--demo", "--port", "0", "--tokens"])
        .arg(file.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut shown = BufReader::new(program.stdout.take().unwrap()).lines();
    let lines: Vec<String> = shown.by_ref().take(2).map(Result::unwrap).collect();
    program.kill().unwrap();
    program.wait().unwrap();
    assert_eq!(shown.count(), 0);
    for (line, owner) in lines.iter().zip(["anna", "ben"]) {
        let is_bare =
            line.starts_with(&format!("{owner}: http://127.0.0.1:")) && line.ends_with('/');
        assert!(is_bare && !line.contains("token"), "{line}");
    }
    assert_eq!(lines.len(), 2);
}

#[test]
fn what_an_update_does_not_say_again_is_lost_and_what_it_says_is_kept() {
    let server = Server::start();
    let said = json!({"content": "Prefers window seets", "category": "preference", "detail": "Over the wing",
                      "summary": "window", "value": "window"});
    let saved = server.ask(ANNA, "POST", "/api/memory", Some(said)).json();
    let path = format!("/api/memory/{}", saved["number"]);
    let corrected = json!({"content": "Prefers window seats", "detail": "Over the wing", "summary": "window",
                           "value": "window"});
    let updated = server.ask(ANNA, "PATCH", &path, Some(corrected));
    assert_eq!(updated.status, 200, "{updated:?}");
    let claim = server.ask(ANNA, "GET", &path, None).json()["row"]["body"]["claim"].clone();
    assert_eq!(claim["body"], "Over the wing");
    assert_eq!(
        (&claim["summary"], &claim["value"]),
        (&json!("window"), &json!("window"))
    );
}
