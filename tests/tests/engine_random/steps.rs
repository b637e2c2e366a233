//! What a host, a user and a model do, at random.

use keepmind::policy::Tool;
use keepmind::{Command, Policy, Push, Query, Role, Snapshot, Timestamp, UndoToken};
use keepmind_tests::Random;
use serde_json::{Value, json};

use crate::side::Told;

/// One thing that happens.
#[derive(Debug, Clone)]
pub enum Step {
    Clock(Timestamp),
    Open,
    Push {
        session: usize,
        push: Push,
    },
    Tool {
        session: usize,
        call: Option<String>,
        name: String,
        arguments: Value,
    },
    Host(Command),
}

/// What the one who makes up steps has seen so far.
pub struct Known {
    policy: Policy,
    sessions: usize,
    tokens: Vec<UndoToken>,
    /// What users said, and in which chat.
    said: Vec<(usize, String)>,
    now: Timestamp,
    messages: u64,
}

const THINGS: &[&str] = &["tea", "boats", "jazz", "Ghent", "chess", "green tea"];
const RELATIONS: &[&str] = &["supports", "contradicts", "relates_to"];

impl Known {
    pub fn new(policy: &Policy) -> Self {
        Known {
            policy: policy.clone(),
            sessions: 0,
            tokens: Vec::new(),
            said: Vec::new(),
            now: Timestamp::parse("2026-03-01T09:00:00Z").expect("a moment"),
            messages: 10,
        }
    }

    pub fn next(&mut self, random: &mut Random, data: &Snapshot) -> Step {
        if self.sessions == 0 {
            return Step::Open;
        }
        match random.below(100) {
            0..3 => Step::Open,
            3..15 => self.clock(random),
            15..30 => self.push(random),
            30..60 => self.tool(random, data),
            _ => Step::Host(self.host(random, data)),
        }
    }

    pub fn learn(&mut self, step: &Step, told: &Told) {
        match step {
            Step::Open => self.sessions += 1,
            Step::Clock(moment) => self.now = *moment,
            _ => {}
        }
        self.tokens
            .extend(told.event.as_ref().and_then(|event| event.undo));
    }

    fn clock(&self, random: &mut Random) -> Step {
        let minute = 60_000_000;
        let minutes = match random.below(6) {
            0 => random.between(-3_000, 0),
            1 => random.between(0, 60_000),
            _ => random.between(0, 600),
        };
        let micros = self.now.as_micros() + minutes * minute;
        Step::Clock(Timestamp::from_micros(micros).expect("a moment near the others"))
    }

    fn push(&mut self, random: &mut Random) -> Step {
        let session = random.below(self.sessions);
        let thing = random.one_of(THINGS);
        self.messages += 1;
        let words = format!("{thing} since {}", self.messages);
        let said = format!("Hello. I like {words}!");
        let push = match random.below(12) {
            0 => Push::assistant(format!("You like {words}")),
            1 => Push::new(Role::Tool, format!("The user likes {words}")),
            2 => Push::user(&said).prefilled(),
            3 => Push::user(&said).untrusted(7, said.len() as u32),
            _ => {
                self.said.push((session, words));
                Push::user(&said)
            }
        };
        Step::Push { session, push }
    }

    fn tool(&self, random: &mut Random, data: &Snapshot) -> Step {
        let mut session = random.below(self.sessions);
        let mut words = self.words(random);
        if let Some((chat, said)) = random.pick(&self.said).filter(|_| random.chance(80)) {
            session = chat;
            words = said;
        }
        let tool = random.one_of(&[
            Tool::Save,
            Tool::Save,
            Tool::Save,
            Tool::Save,
            Tool::Update,
            Tool::Update,
            Tool::Forget,
            Tool::Forget,
            Tool::Confirm,
            Tool::Link,
            Tool::List,
            Tool::Recall,
            Tool::Propose,
        ]);
        let content = format!("User likes {words}");
        let target = self.target(random, data);
        let mut arguments = match tool {
            Tool::Save => json!({"content": content}),
            Tool::Update => json!({"id_or_substring": target, "new_content": content}),
            Tool::Link => {
                json!({"from_id": self.number(random, data), "to_id": self.number(random, data),
                    "relation": random.one_of(RELATIONS)})
            }
            Tool::List => json!({}),
            Tool::Recall => json!({"query": words}),
            Tool::Propose => json!({"content": content, "reasoning": "it was said"}),
            _ => json!({"id_or_substring": target}),
        };
        if tool == Tool::Save {
            self.decorate(random, &mut arguments);
        }
        if tool == Tool::Update && random.chance(20) {
            arguments["correction"] = json!(true);
        }
        if tool == Tool::Propose && random.chance(40) {
            arguments["evidence"] = json!(words);
        }
        Step::Tool {
            session,
            call: random.sometimes(30, |random| format!("call_{}", random.below(8))),
            name: self.policy.tool_name(tool),
            arguments,
        }
    }

    fn host(&self, random: &mut Random, data: &Snapshot) -> Command {
        let content = format!("User likes {}", self.words(random));
        let target = self.target(random, data);
        let (from, to) = (self.number(random, data), self.number(random, data));
        let command = match random.below(30) {
            0..5 => {
                let mut save = json!({"command": "save", "content": content});
                self.decorate(random, &mut save);
                save
            }
            5..8 => {
                let mut update = json!({"command": "update", "target": target, "content": content});
                if random.chance(30) {
                    update["correction"] = json!(true);
                } else if random.chance(30) {
                    let back = self.now.as_micros() - random.between(0, 86_400_000_000 * 9);
                    update["since"] = json!(Timestamp::from_micros(back).expect("a moment"));
                }
                update
            }
            8..10 => json!({"command": "forget", "target": target}),
            10 => json!({"command": "confirm", "target": target}),
            11 => {
                let behaviour = random.one_of(&["confirmed", "contradicted"]);
                json!({"command": "observed", "target": target, "behaviour": behaviour})
            }
            12 => json!({"command": "complete", "target": target}),
            13..15 => json!({"command": "link", "from": from, "to": to,
                "relation": random.one_of(RELATIONS)}),
            15 => json!({"command": "unlink", "from": from, "to": to,
                "relation": random.one_of(RELATIONS)}),
            16 => {
                let change = random.one_of(&[
                    json!({"change": "save", "content": content}),
                    json!({"change": "update", "target": target, "content": content}),
                    json!({"change": "forget", "target": target}),
                ]);
                json!({"command": "propose", "change": change, "reasoning": "it seems so"})
            }
            17 => {
                let mut accept = json!({"command": "accept", "proposal": proposal(random, data)});
                if random.chance(30) {
                    accept["content"] = json!(content);
                }
                accept
            }
            18 => json!({"command": "reject", "proposal": proposal(random, data)}),
            19 | 20 => json!({"command": "trash", "target": target}),
            21 | 22 => json!({"command": "restore", "target": target}),
            23 => json!({"command": "purge", "target": target}),
            24 => {
                let domain = random.one_of(&["health", "food"]);
                json!({"command": "consent", "domain": domain, "granted": random.chance(50)})
            }
            25..28 => json!({"command": "undo", "token": self.token(random)}),
            _ => json!({"command": "redo", "token": self.token(random)}),
        };
        serde_json::from_value(command.clone()).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// Category, domain, key, authority and time to live, now and then.
    fn decorate(&self, random: &mut Random, save: &mut Value) {
        if random.chance(30) {
            let categories: Vec<&str> = self
                .policy
                .writable_categories()
                .map(|category| category.name.as_str())
                .collect();
            save["category"] = json!(random.one_of(&categories));
        }
        if random.chance(30) {
            save["domain"] = json!(random.one_of(&["health", "food"]));
            if random.chance(60) {
                save["key"] = json!(random.one_of(&["diet", "drink"]));
            }
        }
        if random.chance(25) {
            save["authority"] = json!(random.one_of(&["rule", "note"]));
        }
        if random.chance(15) {
            save["ttl"] = json!(random.one_of(&["temporary", "contextual", "lasting"]));
        }
        if random.chance(15) {
            save["detail"] = json!("a long story");
        }
    }

    fn words(&self, random: &mut Random) -> String {
        let said = random.pick(&self.said).map(|(_, words)| words);
        said.filter(|_| random.chance(50))
            .unwrap_or_else(|| random.one_of(THINGS).to_owned())
    }

    /// The newest tokens more often than old ones: what a user would undo.
    fn token(&self, random: &mut Random) -> UndoToken {
        let unknown = || {
            "write-0192f0c1-2345-7abc-8def-0123456789ab"
                .parse()
                .expect("a token")
        };
        let recent = self.tokens.len().saturating_sub(8);
        let from = if random.chance(70) { recent } else { 0 };
        random.pick(&self.tokens[from..]).unwrap_or_else(unknown)
    }

    fn number(&self, random: &mut Random, data: &Snapshot) -> u64 {
        let next = data.state().next_number as usize;
        let recent = if random.chance(60) {
            next.saturating_sub(6)
        } else {
            0
        };
        (recent + random.below(next - recent + 1)).max(1) as u64
    }

    fn target(&self, random: &mut Random, data: &Snapshot) -> String {
        let ids: Vec<String> = data.memories().map(|row| row.id.to_string()).collect();
        match random.below(10) {
            0 => random.one_of(THINGS).to_owned(),
            1 => random.pick(&ids).unwrap_or_else(|| "#1".to_owned()),
            2 => self.words(random),
            _ => format!("#{}", self.number(random, data)),
        }
    }
}

fn proposal(random: &mut Random, data: &Snapshot) -> String {
    let open: Vec<String> = data
        .proposals()
        .filter(|row| row.is_open() || random.chance(20))
        .map(|row| row.id.to_string())
        .collect();
    let unknown = || "0192f0c1-2345-7abc-8def-0123456789ab".to_owned();
    random.pick(&open).unwrap_or_else(unknown)
}

/// A question at random.
pub fn question(random: &mut Random, now: Timestamp) -> Query {
    let back = |random: &mut Random| {
        let micros = now.as_micros() - random.between(-1_000_000, 86_400_000_000 * 5);
        Timestamp::from_micros(micros).expect("a moment near now")
    };
    let target = format!("#{}", 1 + random.below(12));
    let query = match random.below(10) {
        0 => json!({"query": "list"}),
        1 => json!({"query": "list", "category": "fact", "limit": 1 + random.below(3)}),
        2 => json!({"query": "recall", "text": random.one_of(THINGS)}),
        3 => json!({"query": "history", "target": target}),
        4 => json!({"query": "as_of", "valid": back(random), "known": back(random)}),
        5 => json!({"query": "pending"}),
        6 => json!({"query": "changes", "limit": 3}),
        7 => json!({"query": "visibility", "target": target}),
        8 => json!({"query": "forgotten", "limit": 1 + random.below(3)}),
        _ => json!({"query": "get", "target": target}),
    };
    serde_json::from_value(query.clone()).unwrap_or_else(|error| panic!("{query}: {error}"))
}
