//! What learning from a chat must know beforehand: what is known already, and what is like each candidate.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::embedding::Vector;
use crate::engine::known::Known;
use crate::engine::{Engine, Standing};
use crate::error::Error;
use crate::ids::Number;
use crate::inject;
use crate::memory::Layer;
use crate::order::{self, Gather};
use crate::owner::Owner;
use crate::plan;
use crate::plan::learn::{About, Candidate, Near, Verb};
use crate::policy::{BlockStyle, WriteMode};
use crate::row::MemoryRow;
use crate::store::{Filter, Hit, KeywordQuery, Selection, VectorQuery};
use crate::text::{self, Cut};

/// How many facts that share words with a candidate are looked at.
const NEAR: usize = 6;

/// The share of its terms that a candidate must have in common with a fact to be held against it: one of
/// four. Another day of the same birthday shares no more.
const LEAST_SHARED: (usize, usize) = (1, 4);

impl Engine {
    /// Whose vectors are kept.
    pub(crate) fn embedder_id(&self) -> Option<&str> {
        self.embedder.as_ref().map(|embedder| embedder.id())
    }

    /// The memories that a model is shown before it says what is new: all where there are few, otherwise
    /// those closest to what was said.
    pub(crate) async fn known_for(
        &self,
        owner: &Owner,
        said: &str,
    ) -> Result<Vec<(Number, String)>, Error> {
        let most = self.policy.extraction.known_memories as usize;
        let standing = self.standing(owner).await?;
        let (rows, _) = self.open_rows(owner, standing.revision).await?;
        let is_known = |row: &&MemoryRow| standing.shows(row);
        let line = |row: &MemoryRow| {
            let text = inject::line(row, BlockStyle::Advisor).unwrap_or_default();
            let text = text.trim_start_matches("- ").trim_end().to_owned();
            (row.body.number, text)
        };
        let all: Vec<&MemoryRow> = rows
            .of(Layer::Fact)
            .filter(is_known)
            .take(most + 1)
            .collect();
        if all.len() <= most {
            return Ok(all.into_iter().map(line).collect());
        }
        let mut filter = standing.live();
        filter.layers = [Layer::Fact].into_iter().gather();
        let query = KeywordQuery::new(said, filter, most);
        let hits = self.store.search(owner, &query).await?;
        let mut known: Vec<(Number, String)> = hits.iter().map(|hit| line(&hit.row)).collect();
        order::sort_by(&mut known, Ord::cmp);
        Ok(known)
    }

    /// The vectors of what candidates would keep, where an embedder is there and they may be seen by it.
    pub(crate) async fn vectors_of(&self, candidates: &[Candidate]) -> Vec<Option<Vector>> {
        if self.embedder.is_none() {
            return vec![None; candidates.len()];
        }
        let contents: Vec<Option<String>> = candidates
            .iter()
            .map(|candidate| {
                let content = text::line(&candidate.save.content).ok()?;
                let is_fit = candidate.verb.writes() && plan::is_fit(&content, &self.policy);
                is_fit.then_some(content)
            })
            .collect();
        let texts: Vec<&str> = contents.iter().flatten().map(String::as_str).collect();
        let vectors = match texts.is_empty() {
            true => None,
            false => self.vectors(&texts).await,
        };
        let mut vectors = vectors.unwrap_or_default().into_iter();
        contents
            .iter()
            .map(|content| content.as_ref().and_then(|_| vectors.next()?))
            .collect()
    }

    /// What is like each candidate, in force or forgotten.
    pub(crate) async fn near(
        &self,
        owner: &Owner,
        candidates: &[Candidate],
        vectors: &[Option<Vector>],
        standing: &Standing,
    ) -> Result<Vec<Near>, Error> {
        // They are few, and a search would walk past everything else that shares a word.
        let held = match self.policy.extraction.write {
            WriteMode::Staged if !candidates.is_empty() => {
                let mut filter = Filter::new(Selection::Held);
                filter.layers = [Layer::Fact].into_iter().gather();
                Some(Known::of(self.rows(owner, filter).await?.iter()))
            }
            _ => None,
        };
        let mut near = Vec::with_capacity(candidates.len());
        for (index, candidate) in candidates.iter().enumerate() {
            let vector = vectors.get(index).cloned().flatten();
            let found = self.near_one(owner, candidate, vector, held.as_ref(), standing);
            near.push(found.await?);
        }
        Ok(near)
    }

    async fn near_one(
        &self,
        owner: &Owner,
        candidate: &Candidate,
        vector: Option<Vector>,
        held: Option<&Known>,
        standing: &Standing,
    ) -> Result<Near, Error> {
        let mut words = candidate.save.content.clone();
        if candidate.about == About::Nearest {
            // What it changes is often named only in what was said.
            words.push(' ');
            words.push_str(candidate.context.as_deref().unwrap_or_default());
        }
        let mut filters = vec![standing.live()];
        if self.policy.extraction.write == WriteMode::Staged {
            filters.push(Filter::new(Selection::Held));
        }
        for filter in &mut filters {
            filter.layers = [Layer::Fact].into_iter().gather();
        }
        let mut found = Near::default();
        let shared = Shared::with(&words);
        let is_any = candidate.about == About::Nearest;
        let mut hits = self
            .near_by_words(owner, &words, filters[0].clone())
            .await?;
        hits.retain(|hit| is_any || shared.is_much(hit));
        found.by_words.extend(numbers(&hits));
        if let Some(held) = held {
            let terms = Known::terms(&words);
            found.by_words.extend(match is_any {
                true => held.touching(&terms),
                false => held.near(&terms),
            });
        }
        if candidate.verb.writes() || candidate.verb == Verb::Confirm {
            let mut ended = Filter::new(Selection::Ended);
            ended.layers.insert(Layer::Fact);
            let mut hits = self.near_by_words(owner, &words, ended).await?;
            // Whether its last version was forgotten is seen once it is read; what is in force was not.
            hits.retain(|hit| !found.by_words.contains(&hit.row.body.number));
            let gone: BTreeSet<Number> = numbers(&hits).gather();
            found.forgotten.extend(gone);
        }
        if let (Some(vector), Some(embedder)) = (vector, &self.embedder) {
            let embedder = Arc::clone(embedder);
            for filter in filters {
                let query = VectorQuery {
                    embedder: embedder.id().to_owned(),
                    vector: vector.clone(),
                    filter,
                    limit: NEAR,
                };
                let mut hits = self.store.search_vectors(owner, &query).await?;
                hits.retain(|hit| hit.score >= self.policy.floors.near_duplicate_vectors);
                found.by_vectors.extend(numbers(&hits));
            }
            found.vector = Some(vector);
        }
        Ok(found)
    }

    /// The facts that say something, in force or ended.
    pub(crate) async fn near_text(
        &self,
        owner: &Owner,
        words: &str,
        standing: &Standing,
    ) -> Result<Near, Error> {
        let of_facts = |mut filter: Filter| {
            filter.layers.insert(Layer::Fact);
            self.near_by_words(owner, words, filter)
        };
        let live = of_facts(standing.live()).await?;
        let ended = of_facts(Filter::new(Selection::Ended)).await?;
        Ok(Near {
            by_words: numbers(&live).collect(),
            forgotten: numbers(&ended).collect(),
            ..Near::default()
        })
    }

    async fn near_by_words(
        &self,
        owner: &Owner,
        words: &str,
        filter: Filter,
    ) -> Result<Vec<Hit>, Error> {
        let query = KeywordQuery::new(words, filter, NEAR);
        self.store.search(owner, &query).await
    }
}

/// How much of a text is found in others, besides words for the user: those are in every memory.
struct Shared {
    terms: usize,
}

impl Shared {
    fn with(text: &str) -> Self {
        let terms = Cut::of(text).query_terms();
        let terms = terms.iter().filter(|term| !text::is_user_word(term));
        Shared {
            terms: terms.count(),
        }
    }

    /// Whether what was found can say the same, the opposite, or another value of the same.
    fn is_much(&self, hit: &Hit) -> bool {
        let common = hit.matched.iter().filter(|term| !text::is_user_word(term));
        common.count() * LEAST_SHARED.1 >= self.terms * LEAST_SHARED.0
    }
}

fn numbers(hits: &[Hit]) -> impl Iterator<Item = Number> {
    hits.iter().map(|hit| hit.row.body.number)
}
