//! How right what was kept is: of all that was kept how much may be, and of all that must be how much was.
//!
//! Counted as the scorer that comes with the cases counts, so that both print the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use keepmind::text;

use crate::extract::case::{Case, Fact};
use crate::extract::run::Operation;

/// Words that say nothing of what a fact is about.
const EMPTY: &[&str] = &[
    "user", "user's", "users", "a", "an", "the", "is", "are", "was", "were", "be", "been", "has",
    "have", "had", "of", "to", "in", "on", "at", "for", "with", "and", "or", "that", "this", "it",
    "its", "his", "her", "their", "my", "your", "s", "do", "does", "did", "will", "would", "wants",
    "want", "prefers", "prefer", "likes", "like",
];
const DENYING: &[&str] = &[
    "not", "no", "never", "without", "cannot", "dislike", "dislikes", "hate", "hates", "avoid",
    "avoids",
];
/// The share of a fact's words that must be kept.
const ENOUGH: f64 = 0.6;
/// Longer words count by their beginning, whatever their ending.
const STEM: usize = 5;

#[derive(Debug, Default)]
pub struct Score {
    cases: usize,
    all: Counts,
    kinds: BTreeMap<String, Counts>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    kept: usize,
    right: usize,
    must: usize,
    found: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.kept += other.kept;
        self.right += other.right;
        self.must += other.must;
        self.found += other.found;
    }
}

impl Score {
    pub fn add(&mut self, case: &Case, operations: &[Operation]) {
        let counts = count(case, operations);
        self.cases += 1;
        self.all.add(counts);
        self.kinds
            .entry(case.kind().to_owned())
            .or_default()
            .add(counts);
    }
}

fn count(case: &Case, operations: &[Operation]) -> Counts {
    let aim = case.ops.iter().rev().find(|wanted| wanted.op == "update");
    let mut hit = BTreeSet::new();
    let mut counts = Counts::default();
    for kept in operations
        .iter()
        .filter(|one| matches!(one.op, "add" | "update"))
    {
        counts.kept += 1;
        let is_aimed = aim.is_none_or(|aim| kept.op == "update" && kept.n == aim.n);
        let found = case.facts.iter().position(|fact| matches(fact, kept));
        if let Some(place) = found.filter(|_| is_aimed) {
            counts.right += 1;
            hit.insert(place);
        }
    }
    for (place, _) in case.facts.iter().enumerate().filter(|(_, fact)| fact.must) {
        counts.must += 1;
        counts.found += usize::from(hit.contains(&place));
    }
    counts
}

#[expect(clippy::cast_precision_loss, reason = "a fact has few words")]
fn matches(fact: &Fact, kept: &Operation) -> bool {
    let wanted = words(&fact.content);
    let said: BTreeSet<String> = words(&kept.content).into_iter().collect();
    let common = wanted.iter().filter(|word| said.contains(*word)).count();
    overlap(&fact.quote, &kept.quote)
        && !wanted.is_empty()
        && common as f64 >= ENOUGH * wanted.len() as f64
        && is_denied(&fact.content) == is_denied(&kept.content)
}

/// Whether two quotes may be of the same words.
fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (folded(one), folded(other));
    if one.is_empty() || other.is_empty() {
        return false;
    }
    if one.contains(&other) || other.contains(&one) {
        return true;
    }
    let all = |text: &str| -> BTreeSet<String> { runs(text, "").map(str::to_owned).collect() };
    let (one, other) = (all(&one), all(&other));
    let fewer = one.len().min(other.len());
    fewer > 0 && one.intersection(&other).count() * 2 >= fewer
}

fn words(content: &str) -> Vec<String> {
    let folded = folded(content);
    let bare = runs(&folded, "'").map(|word| word.strip_suffix("'s").unwrap_or(word));
    bare.filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .map(|word| match word.chars().count() {
            0..=STEM => word.to_owned(),
            _ => word.chars().take(STEM).collect(),
        })
        .collect()
}

fn is_denied(content: &str) -> bool {
    let content = content.replace('’', "'").to_lowercase();
    runs(&content, "'").any(|word| {
        let plain = word.split('\'').any(|part| DENYING.contains(&part));
        plain || word.ends_with("n't")
    })
}

fn folded(text: &str) -> String {
    text::fold(text).replace('’', "'")
}

/// Runs of letters and digits, and of these characters too.
fn runs<'a>(text: &'a str, besides: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = move |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(move |letter: char| !is_part(letter) && !besides.contains(letter))
        .filter(|word| !word.is_empty())
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_any = |counts: &Counts| counts.kept + counts.must > 0;
        for (kind, counts) in self.kinds.iter().filter(|(_, counts)| is_any(counts)) {
            let Counts {
                kept,
                right,
                must,
                found,
            } = counts;
            writeln!(
                formatter,
                "{kind:14} kept {kept:3} right {right:3}   must {must:3} found {found:3}"
            )?;
        }
        let (all, cases) = (self.all, self.cases);
        writeln!(
            formatter,
            "cases {cases}  kept {}  precision {:.3}  must {}  recall {:.3}",
            all.kept,
            ratio(all.right, all.kept),
            all.must,
            ratio(all.found, all.must)
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are few cases")]
fn ratio(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 1.0,
        _ => part as f64 / whole as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn case(facts: serde_json::Value, ops: serde_json::Value) -> Case {
        let case = json!({
            "id": "x", "why": "kind: more", "turns": [], "facts": facts, "ops": ops,
        });
        serde_json::from_value(case).unwrap()
    }

    fn kept(op: &'static str, n: Option<u64>, content: &str, quote: &str) -> Operation {
        Operation {
            id: "x".to_owned(),
            op,
            n,
            content: content.to_owned(),
            quote: quote.to_owned(),
        }
    }

    #[test]
    fn kept_facts_are_right_where_words_quote_and_polarity_are() {
        let fact = json!([{"content": "User keeps two bees", "quote": "I keep two bees"}]);
        for (op, content, quote, right) in [
            ("add", "User keeps two bees", "I keep two bees", 1),
            ("add", "User keeps bees", "well, I keep two bees", 1),
            ("add", "User keeps no bees", "I keep two bees", 0),
            ("add", "User keeps two bees", "and wasps", 0),
            ("add", "User keeps wasps", "I keep two bees", 0),
        ] {
            let counts = count(
                &case(fact.clone(), json!([])),
                &[kept(op, None, content, quote)],
            );
            assert_eq!((counts.kept, counts.right), (1, right), "{content}");
            assert_eq!((counts.must, counts.found), (1, right), "{content}");
        }
    }

    #[test]
    fn updates_hit_the_row_they_should() {
        let fact = json!([{"content": "User keeps bees", "quote": "bees", "must": false}]);
        let ops = json!([{"op": "update", "n": 2}]);
        for (op, n, right) in [
            ("update", Some(2), 1),
            ("update", Some(1), 0),
            ("add", None, 0),
        ] {
            let operations = [kept(op, n, "User keeps bees", "bees")];
            let counts = count(&case(fact.clone(), ops.clone()), &operations);
            assert_eq!((counts.right, counts.must), (right, 0), "{op}");
        }
        let idle = [kept("skip", Some(2), "User keeps bees", "bees")];
        assert_eq!(count(&case(fact, ops), &idle), Counts::default());
    }

    #[test]
    fn an_empty_score_is_perfect() {
        let line = "cases 0  kept 0  precision 1.000  must 0  recall 1.000\n";
        assert_eq!(Score::default().to_string(), line);
    }
}
