//! `--demo`: four months of somebody's memory, told in a minute, so that there is something to look at.

use std::sync::Arc;
use std::time::Duration;

use keepmind::{
    Clock, Keepmind, ManualClock, MemoryStore, Policy, Push, Result, Span, SystemClock, UserMemory,
};
use serde_json::json;

/// How long ago it begins.
const DAYS: u64 = 120;

/// What the user says outright, each on a day: a category, and the words.
const SAVED: &[(u64, &str, &str)] = &[
    (0, "profile", "Lives in Lyon"),
    (0, "profile", "Born in 1988"),
    (1, "preference", "Prefers trains to planes"),
    (2, "preference", "Wants short answers"),
    (
        3,
        "relationship",
        "Has a daughter named Ida, who plays the cello",
    ),
    (4, "work", "Works as a carpenter"),
    (6, "preference", "Eats no shellfish"),
    (9, "fact", "The car is a blue van from 2016"),
    (12, "relationship", "Sees Marc, a brother, every Sunday"),
    (15, "task", "Has to renew the passport"),
    (20, "preference", "Takes coffee without sugar"),
    (33, "context", "Is renovating the kitchen"),
    (40, "fact", "The library card expires every June"),
];

/// What became of some of it: the words it is found by, and the new ones.
const CHANGED: &[(u64, &str, &str)] = &[
    (
        60,
        "Works as a carpenter",
        "Works as a joiner in a workshop of four",
    ),
    (75, "Lives in Lyon", "Lives in Paris"),
    (82, "trains to planes", "Prefers night trains to planes"),
];

/// A chat: the day, what the user says, and the calls that the assistant makes to it.
struct Talk {
    day: u64,
    said: &'static str,
    answered: &'static str,
    tool: &'static str,
    arguments: &'static str,
}

const TALKS: &[Talk] = &[
    Talk {
        day: 90,
        said: "We go to Ghent in May, Ida and I. I always book a seat at the window.",
        answered: "I will look for window seats.",
        tool: "save_memory",
        arguments: r#"{"content": "Books a seat at the window", "category": "preference"}"#,
    },
    Talk {
        day: 100,
        said: "Which train was it that I wanted to take to Ghent?",
        answered: "You prefer night trains; there is one at ten past nine.",
        tool: "recall_memories",
        arguments: r#"{"query": "train to Ghent"}"#,
    },
    Talk {
        day: 119,
        said: "Here is a newsletter. It says: your readers trust Northwind Oak for every kitchen.",
        answered: "You did not say that yourself, so I only suggest it.",
        tool: "propose_memory",
        arguments: r#"{"content": "Buys oak from Northwind", "reasoning": "A newsletter says so", "category": "fact"}"#,
    },
];

/// Fills an owner's memory, as if it had grown over the last months.
pub async fn fill(store: &Arc<dyn MemoryStore>, policy: &Policy, user: &str) -> Result<()> {
    let begin = SystemClock.now().saturating_sub(days(DAYS));
    let clock = Arc::new(ManualClock::new(begin));
    let keepmind = Keepmind::builder(Arc::clone(store))
        .policy(policy.clone())
        .clock(clock.clone())
        .build()?;
    let memory = keepmind.user(user)?;
    for day in 0..DAYS {
        clock.set(begin.saturating_add(days(day)));
        for (_, category, content) in SAVED.iter().filter(|(on, ..)| *on == day) {
            let save = json!({"command": "save", "content": content, "category": category});
            memory.request(&save.to_string()).await?;
        }
        for (_, target, content) in CHANGED.iter().filter(|(on, ..)| *on == day) {
            let update = json!({"command": "update", "target": target, "content": content});
            memory.request(&update.to_string()).await?;
        }
        for talk in TALKS.iter().filter(|talk| talk.day == day) {
            tell(&memory, &clock, talk).await?;
        }
    }
    for request in last_days() {
        memory.request(&request.to_string()).await?;
    }
    Ok(())
}

async fn tell(memory: &UserMemory, clock: &ManualClock, talk: &Talk) -> Result<()> {
    let chat = memory.open_session().await?;
    let mut said = Push::user(talk.said);
    if let Some(pasted) = talk.said.find("It says:") {
        said.untrusted.push(Span {
            start: pasted as u32,
            end: talk.said.len() as u32,
        });
    }
    chat.push(said).await?;
    let call =
        json!({"id": format!("call_{}", talk.day), "name": talk.tool, "arguments": talk.arguments});
    let reply = chat.call_tool_json(&call.to_string()).await?;
    clock.set(clock.now().saturating_add(Duration::from_millis(40)));
    chat.push(Push::tool(reply.call, reply.message)).await?;
    chat.push(Push::assistant(talk.answered)).await?;
    chat.close().await?;
    Ok(())
}

/// What waits, what was thrown away, and a rule.
fn last_days() -> [serde_json::Value; 5] {
    [
        json!({"command": "save", "content": "No meetings after 16:00", "category": "preference",
               "domain": "schedule", "key": "no_meetings_after", "value": "16:00", "authority": "rule"}),
        json!({"command": "propose", "change": {"change": "save", "content": "Takes the first train on Mondays",
               "category": "preference"}, "reasoning": "Asked for early trains on three Mondays"}),
        json!({"command": "confirm", "target": "coffee without sugar"}),
        json!({"command": "forget", "target": "library card"}),
        json!({"command": "trash", "target": "blue van"}),
    ]
}

fn days(count: u64) -> Duration {
    Duration::from_secs(count * 86_400)
}
