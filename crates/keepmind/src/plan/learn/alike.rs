//! What two contents have to do with each other: the same, the opposite, or another value of one thing.

use std::cell::OnceCell;
use std::sync::LazyLock;

use crate::plan::details::{content_terms, details, folded_words};
use crate::plan::learn::openings::Openings;
use crate::policy::Policy;
use crate::text::{self, Cut, StringSet};

/// What a content says, for comparing. The words of most that a candidate is held against begin otherwise
/// already: anything more is made when somebody asks for it.
#[derive(Debug)]
pub(in crate::plan) struct Meaning {
    /// Without letters that only look like others.
    content: String,
    /// What its terms can begin with.
    openings: Openings,
    is_negated: OnceCell<bool>,
    may_be_framed: OnceCell<bool>,
    wording: OnceCell<Wording>,
    terms: OnceCell<Terms>,
    details: OnceCell<StringSet>,
}

/// What a content says, word by word.
#[derive(Debug)]
struct Wording {
    /// The folded words, a blank after each.
    words: String,
    /// Where each word begins and ends: contents are held against many others, word by word.
    places: Vec<(usize, usize)>,
    /// Weighs one thing against another, so that the order of words matters.
    compares: bool,
    /// How much of the words is before the value, where it names something that has one value at a time.
    frame: Option<usize>,
}

/// What a content is about, and what that begins with.
#[derive(Debug)]
struct Terms {
    set: StringSet,
    /// Of all but [`LIKED`], which stands for words of any beginning.
    openings: Openings,
}

/// Verbs of liking count as one: what is liked or disliked is told by the polarity.
const LIKING: &[&str] = &[
    "like", "love", "enjoy", "prefer", "adore", "hate", "dislike", "detest", "loathe", "avoid",
];

/// The term that they count as.
const LIKED: &str = "like";

impl Meaning {
    pub(in crate::plan) fn of(content: &str) -> Self {
        // A letter that only looks like another makes no other meaning.
        let content = text::without_look_alikes(content).into_owned();
        Meaning {
            openings: Openings::of(&content),
            content,
            is_negated: OnceCell::new(),
            may_be_framed: OnceCell::new(),
            wording: OnceCell::new(),
            terms: OnceCell::new(),
            details: OnceCell::new(),
        }
    }

    fn wording(&self) -> &Wording {
        self.wording.get_or_init(|| Wording::of(&self.content))
    }

    pub(in crate::plan) fn terms(&self) -> &StringSet {
        &self.made_terms().set
    }

    fn made_terms(&self) -> &Terms {
        static STEMS: LazyLock<StringSet> =
            LazyLock::new(|| LIKING.iter().flat_map(|word| text::terms(word)).collect());
        self.terms.get_or_init(|| {
            let terms = content_terms(&self.content, &Cut::of(&self.content));
            let is_liking = |term: &str| STEMS.contains(term);
            if !terms.iter().any(is_liking) {
                return Terms {
                    openings: Openings::of_terms(terms.iter()),
                    set: terms,
                };
            }
            let plain = terms.iter().filter(|term| !is_liking(term));
            let merged = |term| if is_liking(term) { LIKED } else { term };
            Terms {
                openings: Openings::of_terms(plain),
                set: terms.iter().map(merged).collect(),
            }
        })
    }

    fn details(&self) -> &StringSet {
        let of_content = || details(&self.content).flat_map(folded_words).collect();
        self.details.get_or_init(of_content)
    }

    /// Whether it denies something.
    pub(super) fn is_negated(&self) -> bool {
        let of_content = || text::is_negated(&self.content);
        *self.is_negated.get_or_init(of_content)
    }

    fn each_word(&self) -> impl Iterator<Item = &str> {
        let Wording { words, places, .. } = self.wording();
        places.iter().map(|&(start, end)| &words[start..end])
    }

    /// All words in a row: two contents with the same say the same.
    pub(super) fn words(&self) -> &str {
        &self.wording().words
    }

    /// What it begins with, word by word, all but the whole.
    pub(super) fn beginnings(&self) -> impl Iterator<Item = &str> {
        let Wording { words, places, .. } = self.wording();
        places.iter().skip(1).map(|&(start, _)| &words[..start])
    }

    /// Says the same as a content that is kept, or less: the same polarity, no name or number that it
    /// has not, and nearly the same words, or only words of it.
    pub(in crate::plan) fn adds_nothing_to(&self, kept: &Meaning, policy: &Policy) -> bool {
        // What is part of the other shares all that it has.
        self.may_share(kept, policy.floors.near_duplicate_terms)
            && !self.weighs_otherwise(kept)
            && self.is_covered_by(kept)
            && (self.shares(kept, policy.floors.near_duplicate_terms) || self.is_part_of(kept))
    }

    /// "tea over coffee" has the words of "coffee over tea".
    fn weighs_otherwise(&self, kept: &Meaning) -> bool {
        let compares = self.wording().compares || kept.wording().compares;
        compares && self.words() != kept.words()
    }

    /// Read from the same words as a content that is kept, and of the same thing: half of the terms of
    /// whichever has fewer.
    pub(super) fn retells(&self, kept: &Meaning) -> bool {
        if !self.is_covered_by(kept) {
            return false;
        }
        let fewer = self.terms().len().min(kept.terms().len());
        let common = self.terms().common(kept.terms());
        fewer > 0 && common * 2 >= fewer
    }

    /// The same by vectors, as far as words can object.
    pub(super) fn is_covered_by(&self, kept: &Meaning) -> bool {
        self.is_negated() == kept.is_negated()
            && self
                .details()
                .iter()
                .all(|word| kept.each_word().any(|other| other == word))
    }

    /// Says the opposite of a content that is kept.
    pub(in crate::plan) fn opposes(&self, kept: &Meaning, policy: &Policy) -> bool {
        self.may_share(kept, policy.floors.near_duplicate_terms)
            && self.is_negated() != kept.is_negated()
            && !self.terms().is_empty()
            && self.shares(kept, policy.floors.near_duplicate_terms)
    }

    /// Gives another value of something that surely has only one: what a dog is called, when an exam is.
    pub(in crate::plan) fn revalues(&self, kept: &Meaning) -> bool {
        let Some(frame) = self.frame() else {
            return false;
        };
        kept.frame() == Some(frame)
            && self.words() != kept.words()
            && !self.is_negated()
            && !kept.is_negated()
    }

    /// Cannot be true at the same time as a content that is kept.
    pub(in crate::plan) fn contradicts(&self, kept: &Meaning, policy: &Policy) -> bool {
        self.opposes(kept, policy) || self.revalues(kept)
    }

    /// How much of a kept content is spoken of: in this content, or in words that deny it. That something
    /// is liked or had says nothing: it must be the same thing.
    pub(super) fn touches(&self, kept: &Meaning, denied: &StringSet) -> f64 {
        let is_plain = |term: &&str| !PREDICATES.contains(term);
        let things = || kept.terms().iter().filter(is_plain);
        let said = things().filter(|term| self.terms().contains(term)).count();
        let ended = things().filter(|term| denied.contains(term)).count();
        let share = ratio(said.max(ended), things().count());
        match self.has_same_lead(kept) {
            true => share.max(SAME_LEAD),
            false => share,
        }
    }

    /// Whether a sentence's terms speak of it at all.
    pub(super) fn is_spoken_of(&self, terms: &StringSet) -> bool {
        self.terms().common(terms) > 0
    }

    /// Says the same of the user up to where a place, a time or a trade follows: "User lives in".
    fn has_same_lead(&self, other: &Meaning) -> bool {
        let mut both = self.each_word().zip(other.each_word());
        let mut next = || both.next().filter(|(one, other)| one == other);
        next().is_some()
            && next().is_some()
            && next().is_some_and(|(word, _)| GOES_ON.contains(&word))
    }

    /// Whether the other has words that begin as so much of the terms does. Most contents have not: their
    /// terms need not be made to know.
    fn may_share(&self, other: &Meaning, floor: f64) -> bool {
        let ours = self.made_terms();
        let missing = ours.openings.missing_in(&other.openings);
        ratio(ours.set.len() - missing, ours.set.len()) >= floor
    }

    /// Whether so much of the terms of whichever has more is common.
    fn shares(&self, other: &Meaning, floor: f64) -> bool {
        if !self.may_share(other, floor) {
            return false;
        }
        let ours = self.terms();
        let common = ours.common(other.terms());
        ratio(common, ours.len().max(other.terms().len())) >= floor
    }

    /// Two terms or more, and word for word what the other begins with, before it says where, when or
    /// with whom.
    fn is_part_of(&self, other: &Meaning) -> bool {
        let Some(rest) = other.words().strip_prefix(self.words()) else {
            return false;
        };
        let next = rest.split_terminator(' ').next();
        next.is_none_or(|word| GOES_ON.contains(&word)) && self.terms().len() >= 2
    }

    /// The words before the value, where a content names something that has one value at a time.
    pub(super) fn frame(&self) -> Option<&str> {
        // What begins otherwise has none, and need not be cut into words.
        let begins = || {
            folded_words(&self.content)
                .next()
                .is_some_and(|word| word == FRAMED)
        };
        if !self.may_be_framed.get_or_init(begins) {
            return None;
        }
        let Wording { words, frame, .. } = self.wording();
        words.get(..(*frame)?)
    }
}

impl Wording {
    fn of(content: &str) -> Self {
        let mut words = String::with_capacity(content.len() + 1);
        let mut places = Vec::with_capacity(content.len() / 5 + 1);
        let mut compares = false;
        for word in folded_words(content) {
            places.push((words.len(), words.len() + word.len()));
            compares |= COMPARING.contains(&&*word);
            words.push_str(&word);
            words.push(' ');
        }
        Wording {
            frame: frame(&words).map(str::len),
            words,
            places,
            compares,
        }
    }
}

/// Words that weigh one thing against another.
const COMPARING: &[&str] = &["over", "than", "instead", "rather"];

/// Words that lead on to where, when, how or with whom.
const GOES_ON: &[&str] = &[
    "in", "at", "as", "for", "with", "on", "since", "from", "near", "and", "but", "because",
    "every", "when", "to",
];

/// Terms that say what is done with a thing, and not which.
const PREDICATES: &[&str] = &[
    "like", "live", "work", "have", "own", "want", "need", "use", "play",
];

/// How much it counts that two contents say the same up to a place, a time or a trade.
const SAME_LEAD: f64 = 0.5;

/// What every frame begins with.
const FRAMED: &str = "user";

/// What has one value at a time, in the words that contents are written in. `*` is any one word, of which
/// it depends what the value is of.
const FRAMES: &[&[&str]] = &[
    &[FRAMED, "is", "named"],
    &[FRAMED, "is", "called"],
    &[FRAMED, "name", "is"],
    &[FRAMED, "*", "is", "on"],
    &[FRAMED, "*", "is", "at"],
    &[FRAMED, "favourite", "*", "is"],
    &[FRAMED, "favorite", "*", "is"],
    &[FRAMED, "birthday", "is"],
];

/// The words before the value, where a content names something that has one value at a time.
fn frame(words: &str) -> Option<&str> {
    let (before, value) = FRAMES.iter().find_map(|frame| fits(frame, words))?;
    // A day or an hour has one value; to be at work or on holiday has not.
    let is_moment = value.chars().any(char::is_numeric);
    let last = before.split_terminator(' ').next_back()?;
    (is_moment || !matches!(last, "on" | "at")).then_some(before)
}

/// The words of a frame and those after them, where there are some.
fn fits<'w>(frame: &[&str], words: &'w str) -> Option<(&'w str, &'w str)> {
    let mut rest = words;
    for part in frame {
        let (word, after) = rest.split_once(' ')?;
        if *part != "*" && *part != word {
            return None;
        }
        rest = after;
    }
    (!rest.is_empty()).then(|| words.split_at(words.len() - rest.len()))
}

#[expect(clippy::cast_precision_loss, reason = "a line has few terms")]
fn ratio(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 0.0,
        _ => part as f64 / whole as f64,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn beginnings_rule_out_nothing_that_is_shared(
            first in "((User|user's|likes|loves|dying|died|O'Brien's|tea|Teas|GPT-4|is|in|Zoë|x|don't)[ ,]{1,2}){0,5}",
            second in "((User|liked|die|O'Brien|tea|at|with|4|Zoe|never)[ ,]{1,2}){0,4}",
        ) {
            let floor = Policy::default().floors.near_duplicate_terms;
            for kept in [&second, &format!("{first}{second}")] {
                let (new, kept) = (Meaning::of(&first), Meaning::of(kept));
                let common = new.terms().common(kept.terms());
                let most = new.terms().len().max(kept.terms().len());
                if ratio(common, most) >= floor || new.is_part_of(&kept) {
                    prop_assert!(new.may_share(&kept, floor));
                }
            }
        }

        #[test]
        fn a_frame_is_found_without_the_rest(
            content in "(The |the )?([Uu]ser|USER|Anna|Üser)('s|’s| )? ?(name|birthday|exam|favourite)? ?(dog)? ?(is|was) (on|at|called|named)? ?[a-z0-9é]{0,4}",
        ) {
            let meaning = Meaning::of(&content);
            let words = Wording::of(&meaning.content).words;
            prop_assert_eq!(meaning.frame(), frame(&words));
        }
    }

    fn judged(new: &str, kept: &str) -> &'static str {
        let policy = Policy::default();
        let (new, kept) = (Meaning::of(new), Meaning::of(kept));
        if new.adds_nothing_to(&kept, &policy) {
            "same"
        } else if new.opposes(&kept, &policy) {
            "opposite"
        } else if new.revalues(&kept) {
            "revalued"
        } else {
            "new"
        }
    }

    #[test]
    fn what_a_content_is_to_another() {
        for (new, kept, expected) in [
            ("User likes tea", "User likes tea", "same"),
            (
                "User trains for an April marathon",
                "User is training for a marathon in April",
                "same",
            ),
            (
                "User works as a nurse",
                "User works as a nurse in Leeds",
                "same",
            ),
            (
                "User works as a nurse in Leeds",
                "User works as a nurse",
                "new",
            ),
            ("User has 2 cats", "User has 3 cats", "new"),
            (
                "User has a cat named Pip",
                "User has a cat named Pop",
                "new",
            ),
            (
                "User likes green tea",
                "User's sister likes green tea and jazz",
                "new",
            ),
            ("User has a dog", "User has a dog allergy", "new"),
            ("User is not vegetarian", "User is vegetarian", "opposite"),
            ("User hates mushrooms", "User likes mushrooms", "opposite"),
            ("Uѕеr іs nоt vegetаriаn", "User is vegetarian", "opposite"),
            ("Usеr likes tеa", "User likes tea", "same"),
            ("User lives in Belgium", "User lives in Ghent", "new"),
            (
                "User's dog is named Rocco",
                "User's dog is named Rocky",
                "new",
            ),
            (
                "User's cat is named Rocco",
                "User's dog is named Rocky",
                "new",
            ),
            (
                "User does not live in Ghent",
                "User lives in Ghent",
                "opposite",
            ),
            ("User detests mushrooms", "User likes mushrooms", "opposite"),
            (
                "User prefers tea over coffee",
                "User prefers coffee over tea",
                "new",
            ),
            (
                "User likes black tea",
                "User likes black coffee and green tea",
                "new",
            ),
            ("User has a pet dog", "User has a pet dog allergy", "new"),
            (
                "User's exam is on 17 May",
                "User's exam is on 3 May",
                "revalued",
            ),
            (
                "User's son is at work",
                "User's son is at university",
                "new",
            ),
            ("用户喜欢喝茶", "用户喜欢喝茶", "same"),
        ] {
            assert_eq!(judged(new, kept), expected, "{new} / {kept}");
        }
    }
}
