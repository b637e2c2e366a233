//! Recall around the store's search: which rows a recall is among, the order a model may give the hits, and
//! what a chat was answered before.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::command::{Recall, RecallBy};
use crate::engine::{Engine, Standing};
use crate::error::Error;
use crate::ids::SessionId;
use crate::inject;
use crate::order::Gather;
use crate::owner::Owner;
use crate::plan::Objection;
use crate::recall::{self, Seen, rerank};
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;
use crate::search::Around;
use crate::store::{Filter, FoundRow, Hit, RecallQuery, Selection, VectorQuery};
use crate::text;

/// How many hits are looked at beside those that were asked for.
const BESIDE: usize = 4;

/// A memory that was found, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Recalled {
    /// The memory.
    pub row: MemoryRow,
    /// How well it fits.
    pub score: f64,
    /// How well its words fit, where words were looked for and it holds one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<f64>,
    /// How near its meaning is, where meaning was looked for and it has a vector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<f64>,
    /// The words of the query that it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matched: Vec<String>,
    /// What else speaks for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<Around>,
    /// Its place before a model put the hits into another order, counted from 1. Nothing where it still
    /// stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked_from: Option<usize>,
}

/// The same, whether or not its row was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundHit {
    pub hit: Hit<FoundRow>,
    pub reranked_from: Option<usize>,
}

/// What becomes of what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// It is looked at.
    AsRows,
    /// It is written as JSON: its rows need not be read.
    AsJson,
}

/// What a recall found.
struct Found {
    hits: Vec<FoundHit>,
    /// Everything plugged in that was asked has answered: the same recall would find the same again.
    is_whole: bool,
}

impl Engine {
    /// Memories that fit, best first.
    pub(crate) async fn recall(
        &self,
        owner: &Owner,
        recall: &Recall,
    ) -> Result<Vec<Recalled>, Objection> {
        read(self.find_hits(owner, recall, Given::AsRows).await?)
    }

    /// The same, given as it is wanted.
    pub(crate) async fn find_hits(
        &self,
        owner: &Owner,
        recall: &Recall,
        given: Given,
    ) -> Result<Vec<FoundHit>, Objection> {
        let standing = self.standing(owner).await?;
        Ok(self.recall_at(owner, recall, &standing, given).await?.hits)
    }

    /// The same in a chat, where what was found for the same question a little while ago is found again
    /// without a search, as long as nothing was written.
    pub(crate) async fn recall_in(
        &self,
        owner: &Owner,
        session: SessionId,
        recall: &Recall,
    ) -> Result<Vec<Recalled>, Objection> {
        let hits = self.find_hits_in(owner, session, recall, Given::AsRows);
        read(hits.await?)
    }

    /// The same, given as it is wanted.
    pub(crate) async fn find_hits_in(
        &self,
        owner: &Owner,
        session: SessionId,
        recall: &Recall,
        given: Given,
    ) -> Result<Vec<FoundHit>, Objection> {
        let standing = self.standing(owner).await?;
        let cache = &self.recall_cache;
        let now = self.now();
        let kept = cache.get(owner, session, recall, &standing, now, &self.policy.recall);
        if let Some(hits) = kept {
            return Ok(hits);
        }
        let Found { hits, is_whole } = self.recall_at(owner, recall, &standing, given).await?;
        if is_whole {
            let kept = &self.policy.recall;
            cache.put(owner, session, recall, &standing, now, &hits, kept);
        }
        Ok(hits)
    }

    /// What fits, as the data stands.
    async fn recall_at(
        &self,
        owner: &Owner,
        recall: &Recall,
        standing: &Standing,
        given: Given,
    ) -> Result<Found, Objection> {
        let text = text::passage(&recall.text).map_err(Refusal::from)?;
        let longest = self.policy.limits.query_characters as usize;
        let text: String = text.chars().take(longest).collect();
        let filter = self.recall_filter(recall, standing)?;
        let query = text.clone();
        let wanted = self.limit(recall.limit, self.policy.recall.limit)?;
        // An episode must not take the place of the fact that it repeats.
        let beside = match recall.layer {
            None if self.keeps_episodes() => BESIDE,
            _ => 0,
        };
        let limit = wanted + beside;
        if recall.by == RecallBy::Meaning && self.embedder.is_none() {
            let message = "recall by meaning needs an embedder: plug one in, or recall by words";
            return Err(Refusal::new(Code::NotApplicable, message).into());
        }
        // An embedder that fails costs its hits, not the chat.
        let meaning = match recall.by {
            RecallBy::Words => None,
            RecallBy::Meaning | RecallBy::Both => self.meaning(&text).await,
        };
        let is_whole = meaning.is_some() || recall.by == RecallBy::Words || self.embedder.is_none();
        let hits = match (meaning, recall.by) {
            (None, RecallBy::Meaning) => Vec::new(),
            (Some(meaning), RecallBy::Meaning) => {
                let query = VectorQuery {
                    embedder: meaning.embedder,
                    vector: meaning.vector,
                    filter,
                    limit,
                };
                let hits = self.store.search_vectors(owner, &query).await?;
                let found = |hit: Hit| hit.try_map(|row| Ok(FoundRow::from(row)));
                hits.into_iter().map(found).collect::<Result<_, Error>>()?
            }
            (meaning, _) => {
                let query = RecallQuery {
                    text,
                    meaning,
                    fusion: self.policy.recall.fusion.clone(),
                    filter,
                    limit,
                    // A model reads their lines first.
                    json: given == Given::AsJson && !self.reranks(),
                };
                self.store.recall(owner, &query).await?
            }
        };
        let mut hits = facts_first(hits);
        hits.truncate(wanted);
        Ok(self.reranked(&query, hits, is_whole).await?)
    }

    /// Among which rows a recall looks.
    fn recall_filter(&self, recall: &Recall, standing: &Standing) -> Result<Filter, Refusal> {
        let mut filter = standing.live();
        if let Some(question) = recall.as_of {
            filter.selection = Selection::AsOf { question };
        }
        if let Some(category) = &recall.category {
            filter.categories.insert(self.known_category(category)?);
        }
        filter.domains.extend(recall.domain.clone());
        if let Some(layer) = recall.layer {
            filter.layers = [layer].into_iter().gather();
        }
        filter.sources.extend(recall.source);
        filter.all_tags = self.wanted_tags(recall)?;
        filter.min_confidence = self.floor(recall.min_confidence)?;
        (filter.since_from, filter.since_until) = (recall.since_from, recall.since_until);
        check_times(recall)?;
        Ok(filter)
    }

    /// The tags as they are stored. More than a memory can have are a mistake, not a search.
    fn wanted_tags(&self, recall: &Recall) -> Result<BTreeSet<String>, Refusal> {
        let most = self.policy.limits.tags as usize;
        if recall.tags.len() > most {
            let message = format!("no memory has more than {most} tags: ask for fewer");
            return Err(Refusal::new(Code::Limit, message));
        }
        let mut cleaned = BTreeSet::new();
        for tag in &recall.tags {
            cleaned.insert(text::line(tag)?);
        }
        Ok(cleaned)
    }

    /// The higher of the policy's floor and the recall's own.
    fn floor(&self, wanted: Option<f64>) -> Result<Option<f64>, Refusal> {
        if wanted.is_some_and(|wanted| !(0.0..=1.0).contains(&wanted)) {
            let message = "`min_confidence` is a number from 0 to 1";
            return Err(Refusal::new(Code::Schema, message));
        }
        let floor = wanted.unwrap_or(0.0).max(self.policy.floors.recall);
        Ok(Some(floor).filter(|floor| *floor > 0.0))
    }

    /// Whether a model is asked for another order.
    fn reranks(&self) -> bool {
        self.policy.recall.rerank_candidates > 1 && self.has_model()
    }

    /// The hits in the order that a model gives the first of them, where the policy asks for that; in their
    /// own where it fails, is late, or answers with anything but an order of exactly these.
    async fn reranked(
        &self,
        query: &str,
        hits: Vec<Hit<FoundRow>>,
        is_whole: bool,
    ) -> Result<Found, Error> {
        let mut hits: Vec<FoundHit> = hits.into_iter().map(FoundHit::from).collect();
        let first = hits
            .len()
            .min(self.policy.recall.rerank_candidates as usize);
        if first < 2 || !self.reranks() {
            return Ok(Found { hits, is_whole });
        }
        let lines = hits[..first].iter().map(|found| line(&found.hit.row));
        let lines: Vec<String> = lines.collect::<Result<_, Error>>()?;
        let request = rerank::request(query, &lines);
        let answer = self.complete_within(&request, self.patience.rerank).await;
        let longest = self.policy.limits.reply_bytes as usize;
        let order = answer
            .and_then(Result::ok)
            .and_then(|answer| rerank::order(&answer, first, longest));
        let Some(order) = order else {
            return Ok(Found {
                hits,
                is_whole: false,
            });
        };
        let rest = hits.split_off(first);
        let mut before: Vec<Option<FoundHit>> = hits.into_iter().map(Some).collect();
        let ordered = order.iter().enumerate().filter_map(|(place, &from)| {
            let mut hit = before[from].take()?;
            hit.reranked_from = (place != from).then_some(from + 1);
            Some(hit)
        });
        let mut hits: Vec<FoundHit> = ordered.collect();
        hits.extend(rest);
        Ok(Found { hits, is_whole })
    }
}

/// The same hits, every episode after the fact that it repeats.
fn facts_first(hits: Vec<Hit<FoundRow>>) -> Vec<Hit<FoundRow>> {
    let seen: Vec<Seen<'_>> = hits
        .iter()
        .map(|Hit { row, matched, .. }| Seen {
            layer: row.layer(),
            session: row.session(),
            matched,
        })
        .collect();
    let places = recall::facts_first(&seen);
    let mut hits: Vec<Option<Hit<FoundRow>>> = hits.into_iter().map(Some).collect();
    let ordered = places.into_iter().filter_map(|place| hits[place].take());
    ordered.collect()
}

/// The line of a hit, as a model reads it.
fn line(row: &FoundRow) -> Result<String, Error> {
    let told = |row: &MemoryRow| inject::text(&row.body.claim.content);
    match row.row() {
        Some(row) => Ok(told(row)),
        None => Ok(told(&row.clone().read()?)),
    }
}

fn read(hits: Vec<FoundHit>) -> Result<Vec<Recalled>, Objection> {
    let read = hits.into_iter().map(Recalled::try_from);
    Ok(read.collect::<Result<_, Error>>()?)
}

impl Recalled {
    /// Why it was found, in a few words for a person: the words it holds, how near its meaning is, what else
    /// speaks for it, and where a model has taken it from.
    #[must_use]
    pub fn why(&self) -> String {
        let mut reasons = Vec::new();
        if !self.matched.is_empty() {
            reasons.push(format!("words: {}", self.matched.join(", ")));
        }
        if let Some(words) = self.words {
            reasons.push(format!("words fit {words:.2}"));
        }
        if let Some(meaning) = self.meaning {
            reasons.push(format!("meaning {meaning:.2}"));
        }
        reasons.extend(self.around.iter().map(|around| {
            let told = match around {
                Around::Neighbour => "said beside what fits",
                Around::Speaker => "by whom the query names",
                Around::Time => "of the time that the query names",
            };
            told.to_owned()
        }));
        reasons.push(format!("score {:.2}", self.score));
        if let Some(place) = self.reranked_from {
            reasons.push(format!("moved by the model from place {place}"));
        }
        reasons.join(" · ")
    }
}

impl From<Hit<FoundRow>> for FoundHit {
    fn from(hit: Hit<FoundRow>) -> Self {
        FoundHit {
            hit,
            reranked_from: None,
        }
    }
}

impl TryFrom<FoundHit> for Recalled {
    type Error = Error;

    fn try_from(found: FoundHit) -> Result<Self, Error> {
        let Hit {
            row,
            score,
            words,
            meaning,
            matched,
            around,
        } = found.hit.read()?;
        Ok(Recalled {
            row,
            score,
            words,
            meaning,
            matched,
            around,
            reranked_from: found.reranked_from,
        })
    }
}

/// Times that no memory can have are a mistake that finding nothing would hide.
fn check_times(recall: &Recall) -> Result<(), Refusal> {
    let refused = |message| Err(Refusal::new(Code::Schema, message));
    let (from, until) = (recall.since_from, recall.since_until);
    if let (Some(from), Some(until)) = (from, until)
        && from >= until
    {
        return refused("`since_from` must be before `since_until`");
    }
    if let (Some(from), Some(question)) = (from, recall.as_of)
        && from > question.valid
    {
        return refused(
            "nothing that began after `as_of.valid` was true then: `since_from` must not be later",
        );
    }
    Ok(())
}
