//! One ranking of all that speaks for a memory: its words and meaning, what was said beside it, who said it,
//! when, and what else is in its chat. Measured in `benches/RETRIEVAL.md`.

use std::borrow::Cow;
use std::sync::Arc;

use crate::policy::{Fusion, FusionMethod};
use crate::search::keywords::{self, Corpus, Posting};
use crate::search::scenes::{Named, Neighbours, Scenes};
use crate::search::vectors::Cosines;
use crate::search::{Around, Document, Ranked, Reasons, Scored};
use crate::text::{self, Period};

/// How much a word counts that the line before holds: an answer is found by its question.
const BEFORE: f64 = 0.5;
/// How much one of the line after.
const AFTER: f64 = 0.3;
/// How much the meaning of either counts.
const BESIDE: f64 = 0.2;
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
/// How much the best line of a chat counts for the others.
const CHAT: f64 = 0.5;

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
    scores: Vec<Option<f64>>,
    period: Option<Period>,
    named: Option<Named<'a>>,
}

impl<'a> Found<'a> {
    pub(crate) fn find(question: Question<'a>) -> Self {
        let mut found = Found {
            space: Space::of(&question),
            scores: Vec::new(),
            period: None,
            named: None,
            question,
        };
        found.scores = match question.fusion.method {
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

    pub(crate) fn ranked(&self) -> Ranked<'static> {
        let scored = |(place, score): (usize, &Option<f64>)| {
            score.map(|score| Scored {
                document: self.space.document(place),
                score,
            })
        };
        Ranked::scored(self.scores.iter().enumerate().filter_map(scored).collect())
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

    fn by_score(&self, keyword_share: f64) -> Vec<Option<f64>> {
        let Question {
            corpus,
            lists,
            meaning,
            scenes,
            ..
        } = self.question;
        let neighbours = scenes.neighbours();
        let words = self.words(neighbours);
        let best = words.iter().copied().fold(0.0, f64::max);
        // By its best alone, a query of which next to nothing is found would count as much as one that is
        // found whole.
        let full = (best * keywords::ideal(corpus, lists)).sqrt();
        let mut scores: Vec<Option<f64>> = words
            .iter()
            .map(|&score| (score > 0.0).then(|| keyword_share * score / full))
            .collect();
        if let Some(meaning) = meaning {
            self.add_meaning(&mut scores, meaning, neighbours, 1.0 - keyword_share);
        }
        self.add_circumstances(&mut scores);
        self.add_chats(&mut scores);
        scores
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

    fn add_meaning(
        &self,
        scores: &mut [Option<f64>],
        meaning: &Cosines<'_>,
        neighbours: &Neighbours,
        share: f64,
    ) {
        let (farthest, nearest) = meaning.range();
        let farthest = f64::from(farthest);
        let span = f64::from(nearest) - farthest;
        // Of equals each is as near as can be.
        let near = |cosine: f32| match span > 0.0 {
            true => (f64::from(cosine) - farthest) / span,
            false => 1.0,
        };
        let all = meaning
            .iter()
            .map(|(document, cosine)| (document, near(cosine)));
        let mut add = |place: usize, near: f64| {
            *scores[place].get_or_insert(0.0) += share * near;
        };
        if neighbours.is_empty() {
            self.space.each_of_most(all, add);
            return;
        }
        let mut nears = vec![None; self.space.len()];
        self.space
            .each_of_most(all, |place, near| nears[place] = Some(near));
        for (place, near) in nears.iter().enumerate() {
            let beside = [neighbours.before(place), neighbours.after(place)];
            let beside = beside.into_iter().flatten();
            let beside: f64 = beside.filter_map(|other| nears[other]).sum();
            if let Some(near) = near {
                add(place, near + BESIDE * beside);
            }
        }
    }

    /// Who said it, when, and whether of oneself: only for what is found anyway.
    fn add_circumstances(&self, scores: &mut [Option<f64>]) {
        let told = self.question.first_person;
        let mut of_oneself = vec![0.0; self.space.len()];
        for list in told {
            let shares = list
                .iter()
                .map(|posting| (posting.document, keywords::in_lines(posting)));
            self.space
                .each(shares, |place, share| of_oneself[place] += share);
        }
        if self.named.is_none() && self.period.is_none() && told.iter().all(|list| list.is_empty())
        {
            return;
        }
        for (place, score) in scores.iter_mut().enumerate() {
            let Some(score) = score else {
                continue;
            };
            *score += FIRST_PERSON * f64::min(1.0, of_oneself[place] / FIRST_PERSON_TERMS);
            if self.named.as_ref().is_some_and(|named| named.at(place)) {
                *score += SPEAKER;
            }
            if self.is_of_period(place) {
                *score += PERIOD;
            }
        }
    }

    /// The best of a chat lifts the others of it. What belongs to none is a chat of its own.
    fn add_chats(&self, scores: &mut [Option<f64>]) {
        let scenes = self.question.scenes;
        let mut best = vec![0.0; scenes.chat_count() + 1];
        for (place, score) in scores.iter().enumerate() {
            let chat = scenes.chat(place);
            best[chat] = f64::max(best[chat], score.unwrap_or(0.0));
        }
        for (place, score) in scores.iter_mut().enumerate() {
            if let Some(score) = score {
                *score += CHAT
                    * match scenes.chat(place) {
                        0 => *score,
                        chat => best[chat],
                    };
            }
        }
    }

    fn by_rank(&self, constant: f64) -> Vec<Option<f64>> {
        let Question {
            corpus,
            lists,
            meaning,
            ..
        } = self.question;
        let mut scores = vec![None; self.space.len()];
        let words = keywords::scored(corpus, lists);
        let scored = |(document, cosine)| Scored {
            document,
            score: f64::from(cosine),
        };
        let near = meaning.map_or(Vec::new(), |meaning| meaning.iter().map(scored).collect());
        for mut ranked in [words, near] {
            ranked.sort_unstable_by_key(|scored| std::cmp::Reverse(*scored));
            let mut by_document: Vec<(Document, f64)> = ranked
                .iter()
                .enumerate()
                .map(|(rank, scored)| (scored.document, 1.0 / (constant + 1.0 + rank as f64)))
                .collect();
            by_document.sort_unstable_by_key(|(document, _)| *document);
            self.space.each(by_document.into_iter(), |place, share| {
                *scores[place].get_or_insert(0.0) += share;
            });
        }
        scores
    }
}

/// Places for all documents of a question: those with a scene first, then the others.
struct Space<'a> {
    staged: &'a [Document],
    others: Vec<Document>,
}

impl<'a> Space<'a> {
    fn of(question: &Question<'a>) -> Self {
        let staged = question.scenes.documents();
        let mut others = Vec::new();
        for list in question.lists {
            let mut at = 0;
            for posting in list.iter() {
                at = advance(staged, at, posting.document);
                if staged.get(at) != Some(&posting.document) {
                    others.push(posting.document);
                }
            }
        }
        if let Some(meaning) = question.meaning {
            let mut staged = staged.iter().peekable();
            for document in meaning.documents() {
                while staged.next_if(|known| *known < document).is_some() {}
                if staged.peek() != Some(&document) {
                    others.push(*document);
                }
            }
        }
        others.sort_unstable();
        others.dedup();
        Space { staged, others }
    }

    fn len(&self) -> usize {
        self.staged.len() + self.others.len()
    }

    fn document(&self, place: usize) -> Document {
        match self.staged.get(place) {
            Some(document) => *document,
            None => self.others[place - self.staged.len()],
        }
    }

    /// The place of a document that has a scene.
    fn scene_of(&self, document: Document) -> Option<usize> {
        self.staged.binary_search(&document).ok()
    }

    /// Visits documents in order that are nearly all, and all have a place: step by step through both.
    fn each_of_most(
        &self,
        all: impl Iterator<Item = (Document, f64)>,
        mut visit: impl FnMut(usize, f64),
    ) {
        let (mut at, mut other) = (0, 0);
        for (document, of_it) in all {
            while self.staged.get(at).is_some_and(|known| *known < document) {
                at += 1;
            }
            if self.staged.get(at) == Some(&document) {
                visit(at, of_it);
                continue;
            }
            while self
                .others
                .get(other)
                .is_some_and(|known| *known < document)
            {
                other += 1;
            }
            visit(self.staged.len() + other, of_it);
        }
    }

    /// Visits those of some documents in order that have a place.
    fn each<T>(&self, all: impl Iterator<Item = (Document, T)>, mut visit: impl FnMut(usize, T)) {
        let (mut at, mut other) = (0, 0);
        for (document, of_it) in all {
            at = advance(self.staged, at, document);
            if self.staged.get(at) == Some(&document) {
                visit(at, of_it);
                continue;
            }
            other = advance(&self.others, other, document);
            if self.others.get(other) == Some(&document) {
                visit(self.staged.len() + other, of_it);
            }
        }
    }
}

/// The first place from `from` on whose document is not before `wanted`, in steps that double: the next is
/// mostly near.
fn advance(documents: &[Document], from: usize, wanted: Document) -> usize {
    let rest = &documents[from.min(documents.len())..];
    let mut reach = 1;
    while rest.get(reach - 1).is_some_and(|found| *found < wanted) {
        reach *= 2;
    }
    let start = reach / 2;
    let end = reach.min(rest.len());
    from + start + rest[start.min(end)..end].partition_point(|found| *found < wanted)
}

#[cfg(test)]
mod tests;
