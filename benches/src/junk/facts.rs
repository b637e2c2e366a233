//! What the users of the month have to say: facts in the words of a user, and in those of a memory.

use crate::workload::Random;

/// Something that a user may say of themselves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// What it is a value of. A topic has one value at a time.
    pub topic: String,
    /// As the user says it.
    pub said: String,
    /// As it is remembered.
    pub content: String,
}

/// The values of one user, which no other has.
#[derive(Debug)]
pub struct Pool {
    names: Vec<String>,
    places: Vec<String>,
}

const JOBS: &[&str] = &[
    "baker", "welder", "pilot", "tailor", "florist", "plumber", "glazier", "jeweller", "printer",
    "roofer", "saddler", "cooper",
];
const INSTRUMENTS: &[&str] = &[
    "cello", "viola", "oboe", "bassoon", "lute", "harp", "banjo", "ukulele", "tuba", "trombone",
    "mandolin", "zither",
];
const FOODS: &[&str] = &[
    "figs",
    "olives",
    "celery",
    "turnips",
    "radishes",
    "capers",
    "leeks",
    "lentils",
    "parsnips",
    "beetroot",
    "fennel",
    "anchovies",
];
const THINGS: &[&str] = &[
    "teapots",
    "kites",
    "marbles",
    "postcards",
    "thimbles",
    "puppets",
    "lanterns",
    "globes",
    "whistles",
    "medals",
    "compasses",
    "keyrings",
];
const COLOURS: &[&str] = &[
    "green",
    "violet",
    "orange",
    "scarlet",
    "indigo",
    "maroon",
    "turquoise",
    "beige",
];
const LANGUAGES: &[&str] = &[
    "Danish", "Basque", "Welsh", "Finnish", "Maltese", "Latvian", "Swahili", "Tamil",
];

/// How many names and places a user has.
const OWN: usize = 40;

impl Pool {
    /// The pool of a user: names and places are made of syllables, and end as nobody else's do.
    pub fn of(seed: u64, user: u64, ending: &str) -> Self {
        let mut random = Random::of(&[seed, user, 1]);
        let mut made = Vec::new();
        while made.len() < 2 * OWN {
            let name = name(&mut random, ending);
            if !made.contains(&name) {
                made.push(name);
            }
        }
        let places = made.split_off(OWN);
        Pool {
            names: made,
            places,
        }
    }

    /// A fact, any of them.
    pub fn draw(&self, random: &mut Random) -> Fact {
        let name = &self.names[random.below(self.names.len())];
        let place = &self.places[random.below(self.places.len())];
        let number = 11 + random.below(88);
        match random.below(12) {
            0 => fact(
                "home",
                format!("I live in {place}."),
                format!("User lives in {place}"),
            ),
            1 => fact(
                "dog",
                format!("My dog is called {name}."),
                format!("User's dog is called {name}"),
            ),
            2 => {
                let colour = random.choose(COLOURS);
                fact(
                    "colour",
                    format!("My favourite colour is {colour}."),
                    format!("User's favourite colour is {colour}"),
                )
            }
            3 => {
                let job = random.choose(JOBS);
                fact(
                    "job",
                    format!("I work as a {job}."),
                    format!("User works as a {job}"),
                )
            }
            4 => {
                let day = 10 + random.below(19);
                fact(
                    "exam",
                    format!("My exam is on {day} June."),
                    format!("User's exam is on {day} June"),
                )
            }
            5 => {
                let played = random.choose(INSTRUMENTS);
                fact(
                    played,
                    format!("I play the {played}."),
                    format!("User plays the {played}"),
                )
            }
            6 => {
                let eaten = random.choose(FOODS);
                fact(
                    eaten,
                    format!("I don't eat {eaten}."),
                    format!("User does not eat {eaten}"),
                )
            }
            7 => {
                let owned = random.choose(THINGS);
                fact(
                    owned,
                    format!("I own {number} {owned}."),
                    format!("User owns {number} {owned}"),
                )
            }
            8 => {
                let language = random.choose(LANGUAGES);
                fact(
                    language,
                    format!("I speak {language}."),
                    format!("User speaks {language}"),
                )
            }
            9 => {
                let job = random.choose(JOBS);
                fact(
                    &format!("cousin {name}"),
                    format!("My cousin {name} is a {job}."),
                    format!("User's cousin {name} is a {job}"),
                )
            }
            10 => fact(
                &format!("friend {name}"),
                format!("My friend {name} lives in {place}."),
                format!("User's friend {name} lives in {place}"),
            ),
            _ => fact(
                &format!("boat {name}"),
                format!("I bought a boat named {name} in {place}."),
                format!("User bought a boat named {name} in {place}"),
            ),
        }
    }

    /// A fact that is another value of the same topic; nothing where it has but one.
    pub fn redraw(&self, old: &Fact, random: &mut Random) -> Option<Fact> {
        let drawn = (0..400).map(|_| self.draw(random));
        let mut others = drawn.filter(|new| new.topic == old.topic && new != old);
        others.next()
    }
}

fn fact(topic: &str, said: String, content: String) -> Fact {
    Fact {
        topic: topic.to_owned(),
        said,
        content,
    }
}

fn name(random: &mut Random, ending: &str) -> String {
    const OPEN: &[&str] = &["B", "D", "F", "G", "K", "L", "M", "N", "R", "S", "T", "V"];
    const MIDDLE: &[&str] = &["ab", "el", "ir", "on", "ud", "av", "em", "ip", "os", "un"];
    const AFTER: &[&str] = &["a", "e", "i", "o", "u"];
    let begin = random.choose(OPEN);
    let middle = random.choose(MIDDLE);
    format!("{begin}{}{middle}{ending}", random.choose(AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_nothing_in_common_that_has_a_name() {
        let (one, two) = (Pool::of(1, 0, "sk"), Pool::of(1, 1, "zt"));
        let own = |pool: &Pool, ending: &str| {
            let mut all = pool.names.iter().chain(&pool.places);
            all.all(|name| name.ends_with(ending))
        };
        assert!(own(&one, "sk") && own(&two, "zt"));
        assert_eq!(one.names.len(), OWN);
    }

    #[test]
    fn what_is_drawn_again_is_another_value_of_the_topic() {
        let pool = Pool::of(1, 0, "sk");
        let mut random = Random::of(&[7]);
        for _ in 0..50 {
            let old = pool.draw(&mut random);
            if let Some(new) = pool.redraw(&old, &mut random) {
                assert_eq!(new.topic, old.topic);
                assert_ne!(new.content, old.content);
            }
        }
    }
}
