//! The facts, queries and vectors that are measured: made from a seed, so the same in every run.
//! Nothing is kept: each is made anew from its owner, number and version.

use std::collections::BTreeSet;
use std::time::Duration;

use keepmind::{Owner, Timestamp, text};

use crate::Result;

pub const DIMENSIONS: usize = 384;
/// Facts written in one commit while a store is filled.
pub const BATCH: u64 = 1_000;

const SEED: u64 = 0x6b65_6570_6d69_6e64;
const WORDS: usize = 5_000;
const NAMES: usize = 200;
const CATEGORIES: [&str; 4] = ["profile", "preference", "work", "fact"];
const GLUE: [&str; 14] = [
    "the", "a", "in", "and", "to", "of", "with", "for", "on", "at", "is", "was", "has", "from",
];

/// Midnight on 1 January 2026: when filling begins.
const BEGIN_MICROS: i64 = 1_767_225_600_000_000;
const HOUR: Duration = Duration::from_secs(3_600);

/// One fact to be kept.
#[derive(Debug, Clone)]
pub struct Fact {
    pub category: &'static str,
    pub content: String,
    pub body: Option<String>,
    pub tags: BTreeSet<String>,
}

impl Fact {
    /// As a tool saves it: without tags, which the tool does not know, and without detail.
    pub fn plain(self) -> Self {
        Fact {
            body: None,
            tags: BTreeSet::new(),
            ..self
        }
    }
}

/// A fact on its way into a store that is being filled.
#[derive(Debug)]
pub struct Entry {
    pub number: u64,
    pub fact: Fact,
    pub vector: Option<Vec<f32>>,
}

/// Makes everything that is measured.
#[derive(Debug)]
pub struct Workload {
    words: Vec<String>,
    names: Vec<String>,
    /// Up to each word, the share of all uses: few words are used often, as in any language.
    shares: Vec<f64>,
}

impl Workload {
    pub fn new() -> Self {
        let mut random = Random::of(&[0]);
        let mut known = BTreeSet::new();
        let mut words = Vec::with_capacity(WORDS);
        while words.len() < WORDS {
            const ENDINGS: [&str; 8] = ["", "", "", "s", "ing", "ed", "er", "ly"];
            let word = format!("{}{}", random.root(), random.choose(&ENDINGS));
            if !text::is_stop_word(&word) && known.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut names = Vec::with_capacity(NAMES);
        while names.len() < NAMES {
            let root = random.root();
            if known.insert(root.clone()) {
                names.push(root[..1].to_uppercase() + &root[1..]);
            }
        }
        let mut total = 0.0;
        let shares: Vec<f64> = (0..WORDS)
            .map(|rank| {
                total += 1.0 / (rank as f64 + 2.7);
                total
            })
            .collect();
        Workload {
            words,
            names,
            shares: shares.into_iter().map(|share| share / total).collect(),
        }
    }

    pub fn fact(&self, owner: usize, number: u64, version: u64) -> Fact {
        let mut random = Random::of(&[1, owner as u64, number, version]);
        let category = CATEGORIES[random.below(CATEGORIES.len())];
        let content = self.sentence(&mut random);
        let body = (random.below(8) == 0).then(|| {
            (0..3)
                .map(|_| self.sentence(&mut random))
                .collect::<Vec<_>>()
                .join(" ")
        });
        let tags = (0..random.below(3))
            .map(|_| self.words[random.below(200)].clone())
            .collect();
        Fact {
            category,
            content,
            body,
            tags,
        }
    }

    /// The facts of one commit while filling, without vectors or with one for each that stays live.
    pub fn batch(
        &self,
        owner: usize,
        numbers: impl Iterator<Item = u64>,
        version: u64,
        vectors: bool,
    ) -> Vec<Entry> {
        numbers
            .map(|number| Entry {
                number,
                fact: self.fact(owner, number, version),
                vector: (vectors && (version > 1 || !has_second_version(number)))
                    .then(|| unit_vector(&[2, owner as u64, number, version])),
            })
            .collect()
    }

    /// Two to five words of one of the owner's facts.
    pub fn query(&self, owner: usize, facts: usize, index: u64) -> String {
        let mut random = Random::of(&[3, owner as u64, index]);
        let wanted = 2 + random.below(4);
        loop {
            let number = 1 + random.below(facts) as u64;
            let version = if has_second_version(number) { 2 } else { 1 };
            let content = self.fact(owner, number, version).content;
            let mut words: Vec<&str> = content
                .split([' ', '.'])
                .filter(|word| !word.is_empty() && !text::is_stop_word(&word.to_lowercase()))
                .collect();
            if words.len() < wanted {
                continue;
            }
            while words.len() > wanted {
                words.remove(random.below(words.len()));
            }
            return words.join(" ");
        }
    }

    fn sentence(&self, random: &mut Random) -> String {
        let mut sentence = self.names[random.below(NAMES)].clone();
        for _ in 0..random.below(8) + 7 {
            sentence.push(' ');
            match random.below(100) {
                0..40 => sentence.push_str(random.choose(&GLUE)),
                40..48 => sentence.push_str(&random.below(10_000).to_string()),
                _ => {
                    let share = random.unit();
                    let rank = self.shares.partition_point(|&upto| upto < share);
                    sentence.push_str(&self.words[rank.min(WORDS - 1)]);
                }
            }
        }
        sentence.push('.');
        sentence
    }
}

/// The vector of a question.
pub fn query_vector(index: u64) -> Vec<f32> {
    unit_vector(&[4, index])
}

/// Whether the fill supersedes the fact: every tenth has two versions.
pub fn has_second_version(number: u64) -> bool {
    number.is_multiple_of(10)
}

pub fn owner(index: usize) -> Result<Owner> {
    Ok(Owner::new(format!("user-{index:05}"))?)
}

/// When a batch of first versions is recorded.
pub fn filled_at(batch: u64) -> Timestamp {
    begin().saturating_add(Duration::from_secs(batch))
}

/// A moment at which all first versions were known and no second one.
pub fn before_second_versions() -> Timestamp {
    begin().saturating_add(12 * HOUR)
}

/// When a batch of second versions is recorded.
pub fn superseded_at(batch: u64) -> Timestamp {
    begin().saturating_add(24 * HOUR + Duration::from_secs(batch))
}

/// When what is measured is written.
pub fn written_at(index: u64) -> Timestamp {
    begin().saturating_add(48 * HOUR + Duration::from_millis(index))
}

/// When what is measured is read: after everything.
pub fn read_at() -> Timestamp {
    begin().saturating_add(1_000 * HOUR)
}

fn begin() -> Timestamp {
    Timestamp::from_micros(BEGIN_MICROS).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn unit_vector(parts: &[u64]) -> Vec<f32> {
    let mut random = Random::of(parts);
    let numbers: Vec<f64> = (0..DIMENSIONS).map(|_| random.unit() * 2.0 - 1.0).collect();
    let length = numbers
        .iter()
        .map(|number| number * number)
        .sum::<f64>()
        .sqrt();
    numbers
        .into_iter()
        .map(|number| (number / length) as f32)
        .collect()
}

/// SplitMix64: small, fast, and the same everywhere.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn of(parts: &[u64]) -> Self {
        let mut random = Random(SEED);
        for part in parts {
            random.0 = random.next() ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// At least 0 and below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Two or three syllables.
    fn root(&mut self) -> String {
        const OPEN: &[u8] = b"bdfgklmnprstvz";
        const VOWELS: &[u8] = b"aeiou";
        const CLOSE: [&str; 6] = ["", "n", "r", "l", "sk", "t"];
        let mut root = String::new();
        for _ in 0..2 + self.below(2) {
            root.push(char::from(OPEN[self.below(OPEN.len())]));
            root.push(char::from(VOWELS[self.below(VOWELS.len())]));
        }
        root + self.choose(&CLOSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_workload() {
        let (one, two) = (Workload::new(), Workload::new());
        let fact = one.fact(3, 12, 1);
        assert_eq!(fact.content, two.fact(3, 12, 1).content);
        assert_ne!(fact.content, one.fact(3, 12, 2).content);
        assert_eq!(query_vector(5), query_vector(5));
        let words = fact.content.split(' ').count();
        assert!((8..=15).contains(&words), "{words} words");
    }

    #[test]
    fn queries_have_two_to_five_words_of_a_fact() {
        let workload = Workload::new();
        for index in 0..200 {
            let query = workload.query(0, 1_000, index);
            assert!((2..=5).contains(&query.split(' ').count()), "{query}");
        }
    }

    #[test]
    fn vectors_are_of_unit_length() {
        let length: f32 = query_vector(1).iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
}
