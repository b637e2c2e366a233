//! The life of one user: what holds on each day, and what they say of it, all from one seed.

use std::collections::BTreeMap;

use keepmind::Push;
use keepmind::command::Observe;
use serde_json::json;

use crate::junk::chats::{Chat, Trick};
use crate::junk::facts::Fact;
use crate::workload::Random;

/// Something of which one value holds at a time.
#[derive(Debug, Clone)]
struct Topic {
    name: String,
    kind: Kind,
    /// The day on which the user first speaks of it.
    begins: u64,
    /// After how many days it changes; never where there is none.
    changes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Home,
    Job,
    Dog,
    Colour,
    Meal,
    Plays(&'static str),
    Avoids(&'static str),
    Likes(&'static str),
    Speaks(&'static str),
    Cousin(&'static str),
}

const PLACES: &[&str] = &[
    "Lyon", "Ghent", "Oslo", "Porto", "Graz", "Turku", "Bergen", "Leeds",
];
const JOBS: &[&str] = &[
    "baker", "welder", "pilot", "tailor", "florist", "plumber", "printer",
];
const DOGS: &[&str] = &["Rex", "Bello", "Luna", "Oskar", "Nala", "Tilly"];
const COLOURS: &[&str] = &[
    "green",
    "violet",
    "orange",
    "scarlet",
    "indigo",
    "turquoise",
];
const MEALS: &[&str] = &[
    "lasagne", "ramen", "goulash", "paella", "risotto", "falafel",
];
const PLAYED: &[&str] = &["cello", "viola", "oboe", "harp", "banjo", "tuba"];
const AVOIDED: &[&str] = &["olives", "celery", "turnips", "capers", "leeks", "fennel"];
const LIKED: &[&str] = &[
    "chess",
    "sailing",
    "pottery",
    "opera",
    "cycling",
    "origami",
    "karaoke",
    "birdwatching",
];
const SPOKEN: &[&str] = &["Danish", "Basque", "Welsh", "Finnish", "Maltese"];
const COUSINS: &[&str] = &["Mirel", "Tavin", "Odessa", "Kaspar", "Yara"];

const FILLER: &[&str] = &[
    "Thanks, that helps.",
    "Can you suggest a film for tonight?",
    "What is the capital of Peru?",
    "How long does it take to boil an egg?",
    "Could you say that in fewer words?",
    "Sounds good, go on.",
    "Please write a poem about rain.",
    "If I lived in Rome I would drive a scooter.",
    "My neighbour says he loves golf.",
];

/// What needs consent that nobody gave.
const SENSITIVE: &[&str] = &[
    "I was diagnosed with diabetes.",
    "I take insulin every morning.",
    "I owe the bank 40000 euros.",
];

/// Words that stand in nothing but what is sensitive.
pub const CANARIES: &[&str] = &["diabetes", "insulin", "40000"];

/// What a host sees again and again.
const SEEN: &[(&str, &str)] = &[
    ("desktop", "opened the calendar"),
    ("mail", "answered within a minute"),
    ("phone", "set an alarm for seven"),
];

/// One user, day by day.
pub struct Life {
    topics: Vec<Topic>,
    random: Random,
    /// What holds, by topic, as far as the user has said it.
    pub standing: BTreeMap<String, Fact>,
    /// Everything that was ever said.
    pub said: BTreeMap<String, String>,
    /// What held of a topic before, if anything did.
    pub before: BTreeMap<String, String>,
    chats: usize,
}

impl Life {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::of(&[seed, 9]);
        let single = [Kind::Home, Kind::Job, Kind::Dog, Kind::Colour, Kind::Meal];
        let kinds = single
            .into_iter()
            .chain(PLAYED.iter().map(|what| Kind::Plays(what)))
            .chain(AVOIDED.iter().map(|what| Kind::Avoids(what)))
            .chain(LIKED.iter().map(|what| Kind::Likes(what)))
            .chain(SPOKEN.iter().map(|what| Kind::Speaks(what)))
            .chain(COUSINS.iter().map(|name| Kind::Cousin(name)));
        let topics = kinds
            .map(|kind| Topic {
                name: format!("{kind:?}"),
                kind,
                begins: random.below(45) as u64,
                changes: match kind {
                    Kind::Home | Kind::Job | Kind::Dog | Kind::Colour | Kind::Meal => {
                        Some(50 + random.below(60) as u64)
                    }
                    Kind::Likes(_) => (random.below(2) == 0).then(|| 60 + random.below(90) as u64),
                    _ => None,
                },
            })
            .collect();
        Life {
            topics,
            random,
            standing: BTreeMap::new(),
            said: BTreeMap::new(),
            before: BTreeMap::new(),
            chats: 0,
        }
    }

    /// The chats of a day: what begins or changes that day, and now and then what holds already.
    pub fn day(&mut self, day: u64, chats: usize) -> Vec<Chat> {
        let mut due: Vec<Fact> = Vec::new();
        for index in 0..self.topics.len() {
            let topic = &self.topics[index];
            let begins = day == topic.begins;
            let changes = topic.changes.is_some_and(|every| {
                day > topic.begins && (day - topic.begins).is_multiple_of(every)
            });
            if begins || changes {
                due.push(self.say(index, changes));
            }
        }
        let mut made: Vec<Chat> = (0..chats).map(|_| self.chat()).collect();
        for fact in due {
            let chat = self.random.below(made.len());
            self.put(&mut made[chat], &fact);
        }
        for chat in &mut made {
            if chat.facts.is_empty() && self.random.below(3) == 0 {
                let known: Vec<Fact> = self.standing.values().cloned().collect();
                if !known.is_empty() {
                    let fact = known[self.random.below(known.len())].clone();
                    self.put(chat, &fact);
                }
            }
            if self.random.below(40) == 0 {
                let hint = self.random.choose(SENSITIVE);
                chat.turns.push(Push::user(hint));
            }
        }
        made
    }

    /// What the host sees on a day.
    pub fn seen(&mut self) -> Vec<Observe> {
        let mut seen = Vec::new();
        for (source, payload) in SEEN {
            if self.random.below(3) > 0 {
                seen.push(Observe::new(*source, json!(payload)));
            }
        }
        let once = self.random.below(100_000);
        seen.push(Observe::new(
            "browser",
            json!(format!("read page x{once}y")),
        ));
        seen
    }

    fn chat(&mut self) -> Chat {
        self.chats += 1;
        let tag = format!("ticket-0{:05}", self.chats);
        let mut turns = vec![Push::user(format!("Hello, this is about {tag}."))];
        for _ in 0..=self.random.below(3) {
            turns.push(Push::user(self.random.choose(FILLER)));
            turns.push(Push::assistant("Here you are."));
        }
        Chat {
            tag,
            turns,
            facts: Vec::new(),
            foreign: Vec::new(),
            secret: None,
            tricks: self.tricks(),
        }
    }

    fn put(&mut self, chat: &mut Chat, fact: &Fact) {
        if chat.facts.iter().any(|other| other.topic == fact.topic) {
            return;
        }
        chat.turns.push(Push::user(fact.said.clone()));
        chat.turns.push(Push::assistant("Good to know."));
        chat.facts.push(fact.clone());
    }

    fn tricks(&mut self) -> Vec<Trick> {
        let random = &mut self.random;
        match random.below(3) {
            0 => vec![Trick::ALL[random.below(Trick::ALL.len())], Trick::Right],
            _ => vec![Trick::Right],
        }
    }

    /// What the user says of a topic when it begins, or when it is another from now on.
    fn say(&mut self, index: usize, changes: bool) -> Fact {
        let kind = self.topics[index].kind;
        let name = self.topics[index].name.clone();
        let old = self.standing.get(&name).map(|fact| fact.content.clone());
        let mut other = |from: &'static [&'static str]| loop {
            let value = self.random.choose(from);
            let is_old = |old: &String| old.split(' ').any(|word| word == value);
            if !old.as_ref().is_some_and(is_old) {
                return value;
            }
        };
        let now = if changes { " now" } else { "" };
        let (said, content) = match kind {
            Kind::Home => {
                let place = other(PLACES);
                (
                    format!("I live in {place}{now}."),
                    format!("User lives in {place}"),
                )
            }
            Kind::Job => {
                let job = other(JOBS);
                (
                    format!("I work as a {job}{now}."),
                    format!("User works as a {job}"),
                )
            }
            Kind::Dog => {
                let dog = other(DOGS);
                (
                    format!("My dog is called {dog}{now}."),
                    format!("User's dog is called {dog}"),
                )
            }
            Kind::Colour => {
                let colour = other(COLOURS);
                let said = format!("My favourite colour is {colour}{now}.");
                (said, format!("User's favourite colour is {colour}"))
            }
            Kind::Meal => {
                let meal = other(MEALS);
                let said = format!("My favourite meal is {meal}{now}.");
                (said, format!("User's favourite meal is {meal}"))
            }
            Kind::Plays(what) => (
                format!("I play the {what}."),
                format!("User plays the {what}"),
            ),
            Kind::Avoids(what) => (
                format!("I don't eat {what}."),
                format!("User does not eat {what}"),
            ),
            Kind::Likes(what) => {
                let likes = old.is_none_or(|old| old.contains("not"));
                match likes {
                    true => (format!("I like {what}."), format!("User likes {what}")),
                    false => (
                        format!("I don't like {what} any more."),
                        format!("User does not like {what}"),
                    ),
                }
            }
            Kind::Speaks(what) => (format!("I speak {what}."), format!("User speaks {what}")),
            Kind::Cousin(who) => {
                let job = other(JOBS);
                let said = format!("My cousin {who} is a {job}.");
                (said, format!("User's cousin {who} is a {job}"))
            }
        };
        let fact = Fact {
            topic: name.clone(),
            said,
            content,
        };
        self.said.insert(fact.content.clone(), name.clone());
        if let Some(before) = self.standing.insert(name.clone(), fact.clone()) {
            self.before.insert(name, before.content);
        }
        fact
    }
}
