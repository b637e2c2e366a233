//! What the user's words ask the assistant to do with its memory: turns of phrase, sentence by sentence.

use super::wording::{capital, third_person, without_end};

/// Something to do with the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Keep this.
    Save(NewFact),
    /// What is known is no longer right.
    Change {
        /// Words to find it by; none for "make that 55".
        about: String,
        /// The number to put in the place of the one that stands there.
        number: Option<String>,
        /// What to say instead, where the words are a fact by themselves.
        fact: Option<NewFact>,
    },
    /// Do not know this any more.
    Forget {
        /// A number, or words to find it by.
        about: String,
    },
    /// It is still so.
    Confirm {
        /// A number, or words to find it by.
        about: String,
    },
    /// Say what is known.
    Tell {
        /// About what; empty for everything.
        about: String,
    },
}

impl Wish {
    /// What to look for.
    pub fn about(&self) -> &str {
        match self {
            Wish::Save(_) => "",
            Wish::Change { about, .. }
            | Wish::Forget { about }
            | Wish::Confirm { about }
            | Wish::Tell { about } => about,
        }
    }
}

/// A fact as the tool takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFact {
    /// A category of the advisor's policy.
    pub category: &'static str,
    /// One line.
    pub content: String,
}

/// A fact as a tool's answer shows it: `#1 [profile] Lives in Ghent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// `#1`.
    pub number: String,
    /// What it says.
    pub content: String,
}

/// More than one message can ask for; a script that reads a whole book would ask for thousands.
const MOST_WISHES: usize = 8;
/// No fact is longer, and the tool would refuse it.
const LONGEST_SENTENCE: usize = 400;

/// What a message asks for.
pub fn wishes(text: &str) -> Vec<Wish> {
    let mut wishes = Vec::new();
    for sentence in sentences(text) {
        if let Some(wish) = wish(sentence)
            && !wishes.contains(&wish)
            && wishes.len() < MOST_WISHES
        {
            wishes.push(wish);
        }
    }
    wishes
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = |(at, character): (usize, char)| {
            let next = rest[at + character.len_utf8()..].chars().next();
            let is_end = match character {
                '\n' => true,
                '.' | '!' | '?' | ';' => next.is_none_or(char::is_whitespace),
                _ => false,
            };
            is_end.then_some(at + character.len_utf8())
        };
        let end = rest.char_indices().find_map(ends).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence.trim())
    })
    .filter(|sentence| !sentence.is_empty() && sentence.chars().count() <= LONGEST_SENTENCE)
}

fn wish(sentence: &str) -> Option<Wish> {
    let sentence = after_any(
        sentence,
        &["please", "and", "also,", "also", "oh,", "ok,", "so"],
    )
    .unwrap_or(sentence);
    if let Some(about) = after_any(
        sentence,
        &[
            "what do you know about",
            "what do you remember about",
            "what do you know",
            "what do you remember",
        ],
    ) {
        return Some(Wish::Tell {
            about: subject(about),
        });
    }
    if sentence.ends_with('?') {
        return None;
    }
    if let Some(about) = after_any(sentence, &["forget about", "forget that", "forget"]) {
        return Some(Wish::Forget {
            about: subject(about),
        })
        .filter(|wish| !wish.about().is_empty());
    }
    if let Some(about) = after_any(sentence, &["yes, still", "yes still", "still", "confirm"]) {
        return Some(Wish::Confirm {
            about: subject(about),
        });
    }
    if let Some(rest) = after_any(
        sentence,
        &[
            "actually,",
            "actually",
            "no,",
            "change",
            "make that",
            "make it",
        ],
    ) {
        return change(rest);
    }
    fact(sentence).map(Wish::Save)
}

fn change(rest: &str) -> Option<Wish> {
    let rest = after_any(rest, &["change", "make that", "make it", "make"]).unwrap_or(rest);
    let rest = without_end(rest);
    let number =
        words(rest).rfind(|word| word.starts_with(|character: char| character.is_ascii_digit()));
    let fact = fact(rest);
    let about = match &fact {
        Some(fact) => subject(&fact.content),
        None => subject(rest),
    };
    if fact.is_none() && number.is_none() {
        return None;
    }
    Some(Wish::Change {
        about,
        number: number.map(|word| {
            word.trim_matches(|character: char| !character.is_ascii_alphanumeric())
                .to_owned()
        }),
        fact,
    })
}

/// What a fact will say after a change: the new words, or the old ones with the new number.
pub fn changed(wish: &Wish, target: Option<&Found>) -> Option<String> {
    let Wish::Change { number, fact, .. } = wish else {
        return None;
    };
    let old = &target?.content;
    match (fact, number) {
        (Some(fact), _) => Some(fact.content.clone()),
        (None, Some(number)) => {
            let digits = |character: char| character.is_ascii_digit();
            let end = old.rfind(digits)? + 1;
            let start = old[..end].rfind(|character: char| !digits(character));
            let start = start.map_or(0, |at| {
                at + old[at..].chars().next().map_or(1, char::len_utf8)
            });
            Some(format!("{}{number}{}", &old[..start], &old[end..]))
        }
        (None, None) => None,
    }
}

/// What a sentence says of the user, if it says anything that lasts.
fn fact(sentence: &str) -> Option<NewFact> {
    let sentence = without_end(sentence);
    if let Some(rest) = after_any(
        sentence,
        &["remember that", "remember:", "remember", "note that"],
    ) {
        return fact(rest).or_else(|| NewFact::about(capital(rest), None));
    }
    if let Some(rest) = after_any(sentence, &["i'm", "i’m", "i am"]) {
        let passing = after_any(rest, PASSING).is_some();
        return NewFact::about(capital(rest), Some("profile")).filter(|_| !passing);
    }
    if let Some(rest) = after_any(sentence, &["my"]) {
        let says = words(rest).any(|word| matches!(word, "is" | "are"));
        return NewFact::about(capital(rest), None).filter(|_| says);
    }
    if let Some(rest) = after_any(
        sentence,
        &[
            "don't suggest",
            "don’t suggest",
            "do not suggest",
            "don't recommend",
            "do not recommend",
        ],
    ) {
        return NewFact::about(
            format!("Does not want {rest} suggested"),
            Some("finance_context"),
        );
    }
    if after_any(sentence, STYLES).is_some() {
        return NewFact::about(capital(sentence), Some("response_style"));
    }
    let rest = after_any(sentence, &["i"])?;
    let said = third_person(rest, ADVERBS, LASTING)?;
    NewFact::about(capital(&said), None)
}

/// "I'm …" that says nothing to keep.
const PASSING: &[&str] = &[
    "not sure",
    "sure",
    "fine",
    "good",
    "ok",
    "okay",
    "sorry",
    "afraid",
    "glad",
    "back",
    "here",
    "done",
    "wondering",
    "asking",
    "looking",
    "thinking",
    "curious",
    "just",
    "going to",
];
const ADVERBS: &[&str] = &[
    "only", "never", "always", "usually", "mostly", "also", "now",
];
/// Verbs of what lasts: "I live …", and not "I saw …".
const LASTING: &[&str] = &[
    "want", "plan", "prefer", "like", "love", "hate", "dislike", "own", "hold", "have", "live",
    "work", "use", "pay", "earn", "save", "invest", "buy", "sell", "trade", "retire", "need",
    "avoid", "speak", "rent",
];
const STYLES: &[&str] = &[
    "keep answers",
    "keep your answers",
    "keep replies",
    "keep it",
    "be concise",
    "be brief",
    "be short",
    "be direct",
    "answer in",
    "write in",
    "reply in",
    "skip",
    "show percentages",
    "use bullet",
    "use plain",
    "use metric",
    "explain",
];

impl NewFact {
    fn about(content: String, category: Option<&'static str>) -> Option<Self> {
        if content.trim().is_empty() {
            return None;
        }
        let lower = content.to_lowercase();
        let holds = |topics: &[&str]| topics.iter().any(|topic| lower.contains(topic));
        let category = match category {
            Some("response_style") => "response_style",
            _ if holds(FINANCE) => "finance_context",
            Some(category) => category,
            None if holds(PROFILE) => "profile",
            None => "fact",
        };
        Some(NewFact { category, content })
    }
}

const FINANCE: &[&str] = &[
    "fund",
    "stock",
    "bond",
    "share",
    "etf",
    "tax",
    "account",
    "broker",
    "401k",
    "portfolio",
    "invest",
    "loan",
    "margin",
    "mortgage",
    "pension",
    "salary",
    "gold",
    "crypto",
    "dividend",
];
const PROFILE: &[&str] = &[
    "retire",
    "risk",
    "horizon",
    "years old",
    "time zone",
    "timezone",
    "live",
    "work",
];

/// The words of a tool's answer that lists facts.
pub fn found(result: &str) -> Vec<Found> {
    result
        .lines()
        .filter_map(|line| {
            let (number, rest) = line.split_once(" [")?;
            let (_, content) = rest.split_once("] ")?;
            let digits = number.strip_prefix('#')?;
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let content = content.split(" | ").next().unwrap_or(content);
            is_number.then(|| Found {
                number: number.to_owned(),
                content: content.to_owned(),
            })
        })
        .collect()
}

/// What a phrase is about: a number alone, or its words without those that name nothing.
fn subject(phrase: &str) -> String {
    let phrase = without_end(phrase);
    if let Some(number) = words(phrase).find(|word| word.len() > 1 && word.starts_with('#')) {
        return number.to_owned();
    }
    let names_nothing = |word: &str| {
        let word = word
            .trim_matches(|character: char| !character.is_alphanumeric())
            .to_lowercase();
        word.is_empty()
            || word.bytes().all(|byte| byte.is_ascii_digit())
            || keepmind::text::is_stop_word(&word.replace(['\'', '’'], ""))
            || matches!(
                word.as_str(),
                "thing"
                    | "rule"
                    | "one"
                    | "true"
                    | "right"
                    | "so"
                    | "instead"
                    | "now"
                    | "make"
                    | "change"
                    | "i'm"
                    | "i’m"
            )
    };
    let kept: Vec<&str> = words(phrase).filter(|word| !names_nothing(word)).collect();
    kept.join(" ")
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split_whitespace()
}

/// What follows one of these phrases at the beginning of a text, in any case.
fn after_any<'t>(text: &'t str, phrases: &[&str]) -> Option<&'t str> {
    phrases.iter().find_map(|phrase| {
        let start = text.get(..phrase.len())?;
        let rest = &text[phrase.len()..];
        // A whole word: "my", not "myself".
        let is_whole =
            !phrase.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric);
        (start.eq_ignore_ascii_case(phrase) && is_whole).then(|| rest.trim_start())
    })
}
