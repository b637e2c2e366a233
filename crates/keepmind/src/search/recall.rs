//! One ranking of all that speaks for a memory: its words and meaning, what was said beside it, who said it,
//! when, and what else is in its chat. Measured in `benches/RETRIEVAL.md`.

mod space;
mod totals;

use std::borrow::Cow;
use std::sync::Arc;

use crate::policy::{Fusion, FusionMethod};
use crate::search::keywords::{self, Corpus, Posting};
use crate::search::scenes::{Named, Neighbours, Scenes};
use crate::search::vectors::Cosines;
use crate::search::{Around, Document, Ranked, Reasons, Scored};
use crate::text::{self, Period};

use space::Space;
use totals::{Meant, NOT_FOUND, Totals};

/// How much a word counts that the line before holds: an answer is found by its question.
const BEFORE: f64 = 0.5;
/// How much one of the line after.
const AFTER: f64 = 0.3;
/// What a line gets whose speaker the question names,
const SPEAKER: f64 = 0.2;
/// one that is of the time it names,
const PERIOD: f64 = 0.2;
/// and so many days after,
const DAYS_AFTER: u16 = 3;
/// and one that tells of oneself.
const FIRST_PERSON: f64 = 0.1;
/// How often a line says "I" that tells of oneself.
const FIRST_PERSON_TERMS: f64 = 2.0;

/// How much a word weighs that is none of a question's terms: as one that every third memory holds.
const COMMON_WORD: f64 = 1.0;

/// The terms by which somebody tells of oneself.
pub(crate) const FIRST_PERSON_WORDS: [&str; 3] = ["i", "my", "我"];

/// A question, and all that is known of the owner's memories.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) text: &'a str,
    pub(crate) fusion: &'a Fusion,
    pub(crate) corpus: Corpus,
    pub(crate) terms: &'a [String],
    pub(crate) lists: &'a [Arc<Vec<Posting>>],
    /// The lists of [`FIRST_PERSON_WORDS`].
    pub(crate) first_person: &'a [Arc<Vec<Posting>>],
    /// The cosines of all documents with a vector; `None` where meaning is not asked.
    pub(crate) meaning: Option<&'a Cosines<'a>>,
    pub(crate) scenes: &'a Scenes,
}

/// Whether a ranking looks at more than words and meaning: where it does not, nothing else need be read.
pub(crate) fn looks_around(fusion: &Fusion) -> bool {
    match fusion.method {
        FusionMethod::Score => true,
        FusionMethod::ReciprocalRank => false,
    }
}

/// The direction to look in: that of a whole text, or of its words by how rare they are.
pub(crate) fn direction<'a>(
    whole: &'a [f32],
    words: impl Iterator<Item = (&'a str, &'a [f32])>,
    corpus: Corpus,
    terms: &[String],
    lists: &[Arc<Vec<Posting>>],
) -> Cow<'a, [f32]> {
    let mut sum = vec![0.0_f64; whole.len()];
    for (term, vector) in words.filter(|(_, vector)| vector.len() == whole.len()) {
        let list = terms.iter().position(|one| one == term);
        let weight = list.map_or(COMMON_WORD, |list| corpus.weight(lists[list].len()));
        for (sum, number) in sum.iter_mut().zip(vector) {
            *sum += weight * f64::from(*number);
        }
    }
    let length = sum.iter().map(|number| number * number).sum::<f64>().sqrt();
    if !length.is_finite() || length < f64::from(f32::MIN_POSITIVE) {
        return Cow::Borrowed(whole);
    }
    let scaled = sum.iter().map(|number| (number / length) as f32);
    Cow::Owned(scaled.collect())
}

/// Every document that a question finds.
pub(crate) struct Found<'a> {
    question: Question<'a>,
    space: Space<'a>,
    totals: Totals<'a>,
    period: Option<Period>,
    named: Option<Named<'a>>,
}

impl<'a> Found<'a> {
    pub(crate) fn find(question: Question<'a>) -> Self {
        let mut found = Found {
            space: Space::of(&question),
            totals: Totals::default(),
            period: None,
            named: None,
            question,
        };
        found.totals = match question.fusion.method {
            FusionMethod::ReciprocalRank => found.by_rank(f64::from(question.fusion.rank_constant)),
            FusionMethod::Score => {
                let named = question.scenes.named(&text::fold(question.text));
                found.named = Some(named).filter(Named::is_any);
                found.period = Period::named_in(question.text);
                found.by_score(question.fusion.keyword_share)
            }
        };
        found
    }

    pub(crate) fn ranked(&self) -> Ranked<'_> {
        Ranked::Found {
            found: self,
            taken: 0,
        }
    }

    /// Whether cosines are missing that were asked for.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(super) fn is_lacking(&self) -> bool {
        let meaning = self.question.meaning;
        meaning.is_some_and(|cosines| cosines.are_lacking())
    }

    /// So many documents, best first.
    pub(super) fn best(&self, count: usize) -> Vec<Scored> {
        let candidates = self.totals.candidates(count).into_iter();
        let scored = candidates.map(|(place, score)| Scored {
            document: self.space.document(place),
            score,
        });
        let mut best: Vec<Scored> = scored.collect();
        best.sort_unstable_by(|one, other| other.cmp(one));
        best.truncate(count);
        best
    }

    /// Why a document was found.
    pub(crate) fn reasons(&self, scored: Scored) -> Reasons {
        let Question {
            corpus,
            terms,
            lists,
            meaning,
            scenes,
            ..
        } = self.question;
        let document = scored.document;
        let words = keywords::score_of(corpus, lists, document);
        let meaning = meaning.and_then(|meaning| meaning.of(document));
        let mut around = Vec::new();
        if let Some(place) = self.space.scene_of(document)
            && looks_around(self.question.fusion)
        {
            let neighbours = scenes.neighbours();
            let beside = [neighbours.before(place), neighbours.after(place)];
            let holds = |place: usize| {
                keywords::score_of(corpus, lists, self.space.document(place)).is_some()
            };
            if beside.into_iter().flatten().any(holds) {
                around.push(Around::Neighbour);
            }
            if self.named.as_ref().is_some_and(|named| named.at(place)) {
                around.push(Around::Speaker);
            }
            if self.is_of_period(place) {
                around.push(Around::Time);
            }
        }
        Reasons {
            matched: keywords::matched(terms, lists, document),
            words,
            meaning,
            around,
        }
    }

    fn is_of_period(&self, place: usize) -> bool {
        let since = self.question.scenes.since(place);
        match (self.period, since) {
            (Some(period), Some(since)) => period.holds(since, DAYS_AFTER),
            _ => false,
        }
    }

    fn by_score(&self, keyword_share: f64) -> Totals<'a> {
        let Question {
            corpus,
            lists,
            meaning,
            scenes,
            ..
        } = self.question;
        let meant = meaning.map(|meaning| Meant::new(meaning, &self.space, 1.0 - keyword_share));
        let words = self.words(scenes.neighbours());
        let best = words.iter().copied().fold(0.0, f64::max);
        // By its best alone, a query of which next to nothing is found would count as much as one that is
        // found whole.
        let full = (best * keywords::ideal(corpus, lists)).sqrt();
        let by_words = |(place, &score): (usize, &f64)| match score > 0.0 {
            true => keyword_share * score / full,
            false if meant.as_ref().is_some_and(|meant| meant.holds(place)) => 0.0,
            false => NOT_FOUND,
        };
        let mut base: Vec<f64> = words.iter().enumerate().map(by_words).collect();
        self.add_circumstances(&mut base);
        Totals {
            base,
            meant,
            scenes: Some(scenes),
        }
    }

    /// What each document and the lines beside it score by words; each word counts where it counts most.
    fn words(&self, neighbours: &Neighbours) -> Vec<f64> {
        let Question { corpus, lists, .. } = self.question;
        let mut totals = vec![0.0; self.space.len()];
        let mut of_term = vec![0.0; self.space.len()];
        let mut touched = Vec::new();
        for list in lists {
            let scored = keywords::term_scores(corpus, list);
            if neighbours.is_empty() {
                self.space
                    .each(scored, |place, score| totals[place] += score);
                continue;
            }
            self.space.each(scored, |place, score| {
                let mut touch = |place: usize, score: f64| {
                    if of_term[place] == 0.0 {
                        touched.push(place);
                    }
                    of_term[place] = f64::max(of_term[place], score);
                };
                touch(place, score);
                if let Some(answer) = neighbours.after(place) {
                    touch(answer, BEFORE * score);
                }
                if let Some(question) = neighbours.before(place) {
                    touch(question, AFTER * score);
                }
            });
            for place in touched.drain(..) {
                totals[place] += std::mem::take(&mut of_term[place]);
            }
        }
        totals
    }

    /// Who said it, when, and whether of oneself: only for what is found anyway.
    fn add_circumstances(&self, base: &mut [f64]) {
        let told = self.question.first_person;
        if self.named.is_none() && self.period.is_none() && told.iter().all(|list| list.is_empty())
        {
            return;
        }
        let mut of_oneself = vec![0.0; self.space.len()];
        for list in told {
            let shares = list
                .iter()
                .map(|posting| (posting.document, keywords::in_lines(posting)));
            self.space
                .each(shares, |place, share| of_oneself[place] += share);
        }
        for (place, base) in base.iter_mut().enumerate() {
            *base += FIRST_PERSON * f64::min(1.0, of_oneself[place] / FIRST_PERSON_TERMS);
            if self.named.as_ref().is_some_and(|named| named.at(place)) {
                *base += SPEAKER;
            }
            if self.is_of_period(place) {
                *base += PERIOD;
            }
        }
    }

    fn by_rank(&self, constant: f64) -> Totals<'a> {
        let Question {
            corpus,
            lists,
            meaning,
            ..
        } = self.question;
        let mut base = vec![NOT_FOUND; self.space.len()];
        let words = keywords::scored(corpus, lists);
        let scored = |(document, cosine)| Scored {
            document,
            score: f64::from(cosine),
        };
        let near = meaning.map_or(Vec::new(), |meaning| meaning.all().map(scored).collect());
        for mut ranked in [words, near] {
            ranked.sort_unstable_by_key(|scored| std::cmp::Reverse(*scored));
            let mut by_document: Vec<(Document, f64)> = ranked
                .iter()
                .enumerate()
                .map(|(rank, scored)| (scored.document, 1.0 / (constant + 1.0 + rank as f64)))
                .collect();
            by_document.sort_unstable_by_key(|(document, _)| *document);
            self.space.each(by_document.into_iter(), |place, share| {
                base[place] = base[place].max(0.0) + share;
            });
        }
        Totals {
            base,
            ..Totals::default()
        }
    }
}

#[cfg(test)]
mod tests;
