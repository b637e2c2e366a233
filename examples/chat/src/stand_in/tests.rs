//! The stand-in's decisions, as a table.

use keepmind::{Policy, ToolShape, tools};

use super::wish::{NewFact, wishes};
use super::*;

fn save(category: &'static str, content: &str) -> Wish {
    let content = content.to_owned();
    Wish::Save(NewFact { category, content })
}

fn about(make: impl Fn(String) -> Wish, words: &str) -> Wish {
    make(words.to_owned())
}

#[test]
fn what_is_said_decides_what_is_done() {
    let forget = |about| Wish::Forget { about };
    let confirm = |about| Wish::Confirm { about };
    let tell = |about| Wish::Tell { about };
    let change =
        |about: &str, number: Option<&str>, fact: Option<(&'static str, &str)>| Wish::Change {
            about: about.to_owned(),
            number: number.map(str::to_owned),
            fact: fact.map(|(category, content)| NewFact {
                category,
                content: content.to_owned(),
            }),
        };
    let table: Vec<(&str, Vec<Wish>)> = vec![
        (
            "I'm targeting retirement at 50.",
            vec![save("profile", "Targeting retirement at 50")],
        ),
        ("I am a nurse", vec![save("profile", "A nurse")]),
        (
            "My wife's name is Sarah!",
            vec![save("fact", "Wife's name is Sarah")],
        ),
        (
            "my broker is Fidelity",
            vec![save("finance_context", "Broker is Fidelity")],
        ),
        (
            "I only buy funds.",
            vec![save("finance_context", "Only buys funds")],
        ),
        ("I live in Ghent", vec![save("profile", "Lives in Ghent")]),
        (
            "Please don't suggest individual stocks.",
            vec![save(
                "finance_context",
                "Does not want individual stocks suggested",
            )],
        ),
        (
            "Keep answers short.",
            vec![save("response_style", "Keep answers short")],
        ),
        ("remember that I like tea", vec![save("fact", "Likes tea")]),
        (
            "Remember: the boat is blue",
            vec![save("fact", "The boat is blue")],
        ),
        (
            "I only buy funds. Also, be concise!",
            vec![
                save("finance_context", "Only buys funds"),
                save("response_style", "Be concise"),
            ],
        ),
        ("Actually, make that 55", vec![change("", Some("55"), None)]),
        (
            "actually make that retirement at 55.",
            vec![change("retirement", Some("55"), None)],
        ),
        (
            "Change my retirement age to 55",
            vec![change("retirement age", Some("55"), None)],
        ),
        (
            "Actually, I live in Bruges now",
            vec![change(
                "Lives Bruges",
                None,
                Some(("profile", "Lives in Bruges now")),
            )],
        ),
        (
            "Forget the retirement age thing.",
            vec![about(forget, "retirement age")],
        ),
        ("forget #12", vec![about(forget, "#12")]),
        ("Yes, still only funds.", vec![about(confirm, "funds")]),
        ("What do you know about me?", vec![about(tell, "")]),
        (
            "what do you know about my retirement?",
            vec![about(tell, "retirement")],
        ),
        ("Should I buy gold?", vec![]),
        ("I'm not sure about that", vec![]),
        ("myself", vec![]),
        ("no, thanks", vec![]),
        ("forget it", vec![]),
        ("", vec![]),
        ("ich wohne in Zürich", vec![]),
        ("İ’m ok", vec![]),
    ];
    for (said, expected) in table {
        assert_eq!(wishes(said), expected, "{said}");
    }
    assert!(wishes(&"I only buy funds ".repeat(1_000)).is_empty());
    let many: String = (0..100)
        .map(|index| format!("My code is {index}. "))
        .collect();
    assert_eq!(wishes(&many).len(), 8);
}

fn conversation(messages: Vec<Said>) -> Conversation {
    Conversation {
        system: String::new(),
        tools: tools::definitions(&Policy::advisor(), ToolShape::OpenAi),
        messages,
        ..Conversation::default()
    }
}

fn user(text: &str) -> Said {
    Said::User(text.to_owned())
}

fn tool(content: &str) -> Said {
    Said::Tool {
        call: "call_1".to_owned(),
        content: content.to_owned(),
    }
}

#[test]
fn calls_are_written_as_a_provider_writes_them() {
    let Step::Call(calls) = next(&conversation(vec![user("I only buy funds")])) else {
        panic!("it calls a tool");
    };
    let call: Value = serde_json::from_str(&calls[0]).unwrap();
    assert_eq!(call["id"], "call_1");
    assert_eq!(call["type"], "function");
    assert_eq!(call["function"]["name"], "save_preference");
    let arguments: Value =
        serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(
        arguments,
        json!({"category": "finance_context", "content": "Only buys funds"})
    );
}

#[test]
fn it_looks_before_it_changes() {
    let mut messages = vec![user("Actually, make that retirement at 55.")];
    let Step::Call(calls) = next(&conversation(messages.clone())) else {
        panic!("it looks");
    };
    assert!(calls[0].contains("recall_preferences"));
    messages.extend([
        Said::Calls(calls),
        tool("#4 [profile] Targeting retirement at 50\n#2 [fact] Retirement party planned"),
    ]);
    let Step::Call(calls) = next(&conversation(messages.clone())) else {
        panic!("it updates");
    };
    assert!(
        calls[0].contains("call_3") && calls[0].contains("update_preference"),
        "{calls:?}"
    );
    assert!(
        calls[0].contains("#4") && calls[0].contains("Targeting retirement at 55"),
        "{calls:?}"
    );
    messages.extend([
        Said::Calls(calls),
        tool("Updated #4: Targeting retirement at 50 → …"),
    ]);
    assert!(
        matches!(next(&conversation(messages)), Step::Say(words) if words.starts_with("Noted"))
    );
}

#[test]
fn that_is_what_was_spoken_of_last() {
    let messages = vec![
        tool("Saved #7: Pays 30 a month."),
        tool("Saved #8: Keep answers short."),
        user("make that 40"),
        Said::Calls(vec![String::new()]),
        tool(
            "#1 [profile] Targeting retirement at 50\n#7 [fact] Pays 30 a month\n#8 [fact] Keep answers short",
        ),
    ];
    let Step::Call(calls) = next(&conversation(messages)) else {
        panic!("it updates");
    };
    assert!(
        calls[0].contains("#7") && calls[0].contains("Pays 40 a month"),
        "{calls:?}"
    );
}

#[test]
fn it_always_answers() {
    for (said, result) in [
        ("forget the boat", "Nothing saved fits that."),
        ("what do you know about boats?", "Nothing saved fits that."),
        ("make that 55", "#1 [fact] No digits here"),
        ("still so", "There is nothing saved."),
        ("I only buy funds", "some refusal"),
        ("hello", ""),
    ] {
        let messages = vec![user(said), Said::Calls(vec![String::new()]), tool(result)];
        let Step::Say(words) = next(&conversation(messages)) else {
            panic!("{said}: it answers");
        };
        assert!(!words.trim().is_empty(), "{said}");
    }
    assert_eq!(
        next(&Conversation::default()),
        Step::Say("Hello. I know nothing about you yet.".into())
    );
}
