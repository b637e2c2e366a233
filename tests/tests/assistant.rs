//! The promises of the document on hard and soft memory: its services, its proposal flow, its safety rules and
//! its examples, on every store and through the C interface.

#[path = "assistant/door.rs"]
mod door;
#[path = "assistant/proposals.rs"]
mod proposals;
#[path = "assistant/services.rs"]
mod services;

use door::{Door, through_every_door};
use keepmind::Policy;
use keepmind_tests::host::on_every_store;
use serde_json::{Value, json};

/// The document's examples of hard memory.
fn hard() -> [Value; 4] {
    [
        json!({"domain": "schedule", "key": "no_meetings_after", "content": "16:00"}),
        json!({"domain": "food", "key": "exclude_ingredients", "content": "No shellfish or peanuts",
            "value": ["shellfish", "peanuts"]}),
        json!({"domain": "shopping", "key": "preferred_store", "content": "Kroger"}),
        json!({"domain": "communication", "key": "email_signature", "content": "Best, Jonathan"}),
    ]
}

/// And of soft memory.
const SOFT: [&str; 4] = [
    "User is planning a wedding this month",
    "Prefers low-effort dinners during busy work weeks",
    "Currently onboarding a new team member named Alex",
    "Training for a marathon, watching protein intake",
];

async fn fill(door: &Door) {
    for mut rule in hard() {
        rule["command"] = json!("save");
        rule["authority"] = json!("rule");
        rule["category"] = json!("preference");
        door.ask(rule).await;
    }
    for note in SOFT {
        door.ask(json!({"command": "save", "content": note})).await;
    }
}

#[tokio::test]
async fn hard_memory_comes_first_and_reads_as_it_was_meant() {
    through_every_door(async |door| {
        fill(door).await;
        door.ask(json!({"command": "confirm", "target": 1})).await;
        let block = door.ask(json!({"request": "block"})).await;
        let text = block["text"].as_str().unwrap();
        let today = door.today();
        let expected = format!(
            "\
## User memory
### Rules (must be respected)
- [schedule] no_meetings_after: 16:00 (confidence: high, confirmed: {today})
- [food] exclude_ingredients: shellfish, peanuts (confidence: high)
- [shopping] preferred_store: Kroger (confidence: high)
- [communication] email_signature: Best, Jonathan (confidence: high)
### Notes (for judgement, not rules)
- User is planning a wedding this month
- Prefers low-effort dinners during busy work weeks
- Currently onboarding a new team member named Alex
- Training for a marathon, watching protein intake
"
        );
        assert_eq!(text, expected);
        let standing = block["standing"].as_str().unwrap();
        for promise in [
            "Rules must be respected unless the user sets one aside",
            "ask before acting",
            "Refer to what the user said, never to what they supposedly think",
        ] {
            assert!(standing.contains(promise), "{promise}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_message_gets_the_rules_of_its_domains_and_the_notes_that_fit() {
    through_every_door(async |door| {
        fill(door).await;
        let asked =
            json!({"request": "context", "message": "Schedule a meeting with Alex tomorrow"});
        let context = door.ask(asked).await;
        let text = context["text"].as_str().unwrap();
        assert!(text.contains("no_meetings_after: 16:00"), "{text}");
        assert!(text.contains("team member named Alex"), "{text}");

        let wanted = json!({"request": "context", "message": "plan meals for next week",
            "domains": ["food", "schedule"]});
        let context = door.ask(wanted).await;
        let domains: Vec<&str> = context["domains"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert!(
            domains.contains(&"food") && domains.contains(&"schedule"),
            "{domains:?}"
        );
        let unknown = json!({"request": "context", "message": "x", "domains": ["astrology"]});
        let refused = door.refused(unknown).await;
        assert!(refused.contains("there is no such domain"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn a_rule_outranks_a_note_that_speaks_against_it() {
    through_every_door(async |door| {
        let rule = json!({"command": "save", "content": "User eats meat", "authority": "rule",
            "domain": "food", "key": "meat", "category": "preference"});
        door.ask(rule).await;
        let said = "I do not eat meat";
        let reply = door
            .tool(
                said,
                "propose_memory",
                json!({"content": "User does not eat meat", "reasoning": "they said so"}),
            )
            .await;
        assert_eq!(reply["is_error"], json!(false), "{reply}");
        assert_eq!(reply["codes"], json!(["E_TIER"]), "{reply}");
        let waiting = door.pending().await;
        assert_eq!(
            waiting[0]["body"]["operation"]["operation"],
            json!("choose")
        );
        assert_eq!(waiting[0]["body"]["reasoning"], json!("they said so"));
        // Nothing of the rule has changed, and it is still the first thing that is told.
        let rules = door
            .ask(json!({"query": "list", "authority": "rule"}))
            .await;
        assert_eq!(
            rules["rows"][0]["body"]["claim"]["content"],
            json!("User eats meat")
        );
        let block = door.ask(json!({"request": "block"})).await;
        assert!(
            !block["text"]
                .as_str()
                .unwrap()
                .contains("does not eat meat")
        );
    })
    .await;
}

#[tokio::test]
async fn replies_tell_what_was_said_and_not_what_is_thought() {
    through_every_door(async |door| {
        for (reply, wrong) in [
            ("You previously told me that you like tea.", false),
            (
                "Based on your preference for mornings, I chose 9:00.",
                false,
            ),
            ("You mentioned that Alex starts on Monday.", false),
            ("I remember you said no shellfish.", false),
            ("You believe in early starts.", true),
            ("You think that tea is best.", true),
            ("You are the type of person who plans ahead.", true),
            ("Your personality suggests a quiet hotel.", true),
        ] {
            let checked = json!({"request": "check_phrasing", "reply": reply});
            let found = door.ask(checked).await;
            let findings = found["findings"].as_array().unwrap();
            assert_eq!(!findings.is_empty(), wrong, "{reply}: {found}");
            let suggests = |finding: &Value| finding["suggestion"].as_str() != Some("");
            assert!(findings.iter().all(suggests), "{found}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_was_used_and_how_well_it_went_can_be_asked() {
    through_every_door(async |door| {
        fill(door).await;
        let session = door.ask(json!({"request": "open_session"})).await["session"].clone();
        let recall = json!({"request": "recall", "session": session, "text": "meeting with Alex"});
        door.ask(recall).await;
        let used = json!({"request": "used", "session": session, "target": 7, "kind": "applied",
            "influence": "Invited Alex"});
        door.ask(used).await;
        let answer = json!({"request": "cite", "session": session,
            "answer": "You previously told me that you are onboarding a new team member named Alex (#7)."});
        let cited = door.ask(answer).await;
        assert!(cited.to_string().contains("\"number\":7"), "{cited}");
        let why = door.ask(json!({"query": "why", "session": session})).await;
        let alex = why["memories"].as_array().unwrap().iter().find(|one| one["number"] == 7);
        let kinds: Vec<&str> = alex.unwrap()["uses"].as_array().unwrap().iter()
            .filter_map(|one| one["kind"].as_str()).collect();
        assert_eq!(kinds, ["retrieved", "applied", "cited"]);
        let stats = door.ask(json!({"query": "stats"})).await;
        assert_eq!(stats["by_authority"]["rule"], json!(4), "{stats}");
        let metrics = door.ask(json!({"query": "metrics"})).await;
        assert_eq!(metrics["citation_rate"], json!(1.0), "{metrics}");
        assert_eq!(metrics["acceptance_rate"], Value::Null);
        let health = door.ask(json!({"query": "health"})).await;
        assert_eq!(health["concerns"], json!([]), "{health}");
    })
    .await;
}

#[tokio::test]
async fn sensitive_domains_need_a_word_and_lose_everything_without_it() {
    through_every_door(async |door| {
        let said = "I take pills for my blood pressure";
        let proposed = json!({"content": "User takes pills for their blood pressure",
            "domain": "health", "reasoning": "it matters for meals"});
        let reply = door.tool(said, "propose_memory", proposed).await;
        assert_eq!(reply["is_error"], json!(false), "{reply}");
        let live = door.ask(json!({"query": "list"})).await;
        assert_eq!(live["rows"], json!([]));

        door.ask(json!({"command": "consent", "domain": "health", "granted": true}))
            .await;
        let waiting = door.pending().await;
        door.ask(json!({"command": "accept", "proposal": waiting[0]["id"]}))
            .await;
        let block = door.ask(json!({"request": "block"})).await;
        assert!(block["text"].as_str().unwrap().contains("blood pressure"));

        door.ask(json!({"command": "consent", "domain": "health", "granted": false}))
            .await;
        let block = door.ask(json!({"request": "block"})).await;
        assert!(!block["text"].as_str().unwrap().contains("blood pressure"));
        // However the live ones are asked for.
        let now = "2026-03-01T09:00:00Z";
        for selection in [
            json!({"rows": "live", "at": now}),
            json!({"rows": "status", "status": "active", "at": now}),
        ] {
            let list = json!({"query": "list", "filter": {"selection": selection}});
            assert_eq!(door.ask(list).await["rows"], json!([]));
        }
        let found = door
            .ask(json!({"query": "recall", "text": "blood pressure pills"}))
            .await;
        assert_eq!(found["hits"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn rules_stay_and_notes_of_a_domain_pass_with_its_days() {
    on_every_store(Policy::assistant(), async |host| {
        let alice = host.alice();
        for (content, domain, rule) in [
            ("Works on the launch", "work", false),
            ("No calls on Fridays", "work", true),
            ("Reads a lot of poems", "personal", false),
            ("Flies only by day", "travel", false),
        ] {
            let save = json!({"command": "save", "content": content, "domain": domain,
                "authority": if rule { "rule" } else { "note" }});
            alice.request(&save.to_string()).await.unwrap();
        }
        host.days(59);
        assert_eq!(host.live(&alice).await.len(), 4);
        host.days(2);
        assert!(
            !host
                .live(&alice)
                .await
                .iter()
                .any(|line| line.contains("poems"))
        );
        host.days(30);
        assert_eq!(
            host.live(&alice).await,
            ["No calls on Fridays", "Flies only by day"]
        );
    })
    .await;
}
