//! Claims, words and moments at random.

use keepmind::{
    Authority, Claim, Evidence, Layer, Marks, MessageNumber, SessionId, Source, Span, Timestamp,
    Trust, Vector,
};
use serde_json::{Value, json};

use crate::random::Random;

const WORDS: &[&str] = &[
    "tea",
    "teas",
    "Rome",
    "Oslo",
    "green",
    "drinks",
    "lives",
    "likes",
    "the",
    "café",
    "fish",
    "42",
    "0.5%",
    "NEAR(",
    "ผมชอบดื่มชา",
    "我喝绿茶",
    "緑茶を飲む",
    "녹차",
    "🍵",
    "won't",
];
const DOMAINS: &[&str] = &["food", "travel", "health"];
const KEYS: &[&str] = &["home", "diet"];
const CATEGORIES: &[&str] = &["facts", "preferences", "tasks"];
const TAGS: &[&str] = &["city", "drink", "old"];

/// A moment within a few hours of a fixed one.
pub fn moment(minutes: i64) -> Timestamp {
    let beginning = 1_767_225_600_000_000;
    Timestamp::from_micros(beginning + minutes * 60_000_000).expect("a moment near the beginning")
}

/// A moment to ask about.
pub fn any_moment(random: &mut Random) -> Timestamp {
    match random.below(20) {
        0 => Timestamp::MIN,
        1 => Timestamp::MAX,
        _ => moment(random.between(-50, 1_500)),
    }
}

/// Words in many scripts.
pub fn words(random: &mut Random) -> String {
    let count = 1 + random.below(5);
    let words: Vec<&str> = (0..count).map(|_| random.one_of(WORDS)).collect();
    words.join(" ")
}

/// Some words, at times of somebody.
fn said(random: &mut Random) -> String {
    let words = words(random);
    match random.sometimes(40, |random| random.one_of(&["Anna", "Ben"])) {
        Some(name) => format!("{name}: {words}"),
        None => words,
    }
}

/// A domain of the few there are.
pub fn domain(random: &mut Random) -> String {
    random.one_of(DOMAINS).to_owned()
}

/// A category of the few there are.
pub fn category(random: &mut Random) -> String {
    random.one_of(CATEGORIES).to_owned()
}

/// A tag of the few there are.
pub fn tag(random: &mut Random) -> String {
    random.one_of(TAGS).to_owned()
}

/// A layer.
pub fn layer(random: &mut Random) -> Layer {
    random.one_of(&[Layer::Fact, Layer::Fact, Layer::Episode, Layer::Digest])
}

/// A source.
pub fn source(random: &mut Random) -> Source {
    random.one_of(&[
        Source::User,
        Source::Agent,
        Source::Extracted,
        Source::Derived,
        Source::Imported,
    ])
}

/// A JSON value that can be stored.
pub fn value(random: &mut Random) -> Value {
    match random.below(5) {
        0 => json!(words(random)),
        1 => json!(random.fraction()),
        2 => json!({"b": words(random), "a": [random.below(100), null]}),
        3 => json!(u64::MAX),
        _ => json!([]),
    }
}

/// A vector in three dimensions, rarely two.
pub fn vector(random: &mut Random) -> Vector {
    let dimensions = if random.chance(90) { 3 } else { 2 };
    let numbers = (0..dimensions)
        .map(|_| random.between(-5, 6) as f32 + 0.25)
        .collect();
    Vector::new(numbers).expect("a direction")
}

/// A claim that is true since a moment.
pub fn claim(random: &mut Random, valid_from: Timestamp, sessions: &[SessionId]) -> Claim {
    let session = random.pick(sessions).filter(|_| random.chance(50));
    let is_rule = random.chance(25);
    let quotes = session.map_or(0, |_| random.below(3));
    let evidence = session
        .into_iter()
        .flat_map(|session| (0..quotes).map(move |place| (session, place as u32)))
        .map(|(session, place)| Evidence::Quote {
            session,
            message: MessageNumber::FIRST,
            span: Span {
                start: place,
                end: place + 1 + random.below(4) as u32,
            },
            quote: words(random),
        })
        .collect();
    Claim {
        layer: layer(random),
        category: category(random),
        authority: if is_rule {
            Authority::Rule
        } else {
            Authority::Note
        },
        domain: random.sometimes(if is_rule { 90 } else { 40 }, domain),
        key: random.sometimes(if is_rule { 90 } else { 20 }, |random| {
            random.one_of(KEYS).to_owned()
        }),
        value: random.sometimes(20, value),
        content: said(random),
        summary: random.sometimes(10, words),
        body: random.sometimes(20, |random| format!("{}\n{}", words(random), words(random))),
        tags: (0..random.below(3)).map(|_| tag(random)).collect(),
        source: source(random),
        trust: random.one_of(&[Trust::User, Trust::Agent, Trust::Extracted, Trust::Derived]),
        held: false,
        session,
        messages: session.map(|_| MessageNumber::FIRST).into_iter().collect(),
        evidence,
        valid_from,
        expires_at: random.sometimes(20, |random| moment(random.between(0, 1_500))),
        authorises_action: random.chance(5),
    }
}

/// Marks at random.
pub fn marks(random: &mut Random) -> Marks {
    Marks {
        importance: random.fraction(),
        confidence: random.sometimes(50, Random::fraction),
        last_confirmed_at: random.sometimes(30, |random| moment(random.between(0, 100))),
        confirmations: random.below(4) as u32,
        contradictions: random.below(2) as u32,
    }
}
