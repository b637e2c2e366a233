//! Answers worked out the slow way, from everything an owner has: what a store's answers must be.
//! Written from the design, without the library's own functions for the same thing.

use std::collections::{BTreeMap, BTreeSet};

use keepmind::store::{Filter, Selection};
use keepmind::text::{query_terms, terms};
use keepmind::visibility::AsOf;
use keepmind::{Claim, EmbeddingKey, MemoryRow, Number, Origin, RowId, Snapshot, Vector, Why};
use serde_json::Value;

/// The two numbers of BM25 the library has settled on for memories; tuning them there means changing them here.
const SATURATION: f64 = 1.8;
const LENGTH_SHARE: f64 = 0.6;

/// Which row of a fact answers a question about the past.
pub fn as_of(data: &Snapshot, number: Number, question: AsOf) -> Option<MemoryRow> {
    let AsOf { valid, known } = question;
    let recorded = data
        .versions(number)
        .filter(|row| row.recorded_at <= known && !row.body.claim.held);
    let last_copies: BTreeMap<Origin, &MemoryRow> = recorded.map(|row| (row.origin, row)).collect();
    let end = |row: &MemoryRow| match row.end {
        Some(end) if end.at <= known => Some(end.why),
        _ => None,
    };
    let mut rows: Vec<&MemoryRow> = last_copies
        .into_values()
        .filter(|row| end(row) != Some(Why::Undone))
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.body.version));
    let highest = rows.first()?;
    if matches!(
        end(highest),
        Some(Why::Forgotten | Why::Trashed | Why::Rejected)
    ) {
        return None;
    }
    let deciding = rows.iter().find(|row| row.body.claim.valid_from <= valid)?;
    if deciding
        .body
        .claim
        .expires_at
        .is_some_and(|expires| valid >= expires)
    {
        return None;
    }
    let holds = match end(deciding) {
        None => true,
        Some(
            Why::Superseded { until, .. }
            | Why::Expired { until }
            | Why::Done { until }
            | Why::Absorbed { until, .. }
            | Why::Faded { until },
        ) => valid < until,
        Some(_) => false,
    };
    holds.then(|| (*deciding).clone())
}

/// The rows that pass a filter, in order of number and version.
pub fn list(data: &Snapshot, filter: &Filter) -> Vec<MemoryRow> {
    let passes = |row: &&MemoryRow| match filter.selection {
        Selection::AsOf { question } => {
            as_of(data, row.body.number, question).is_some_and(|answer| answer.id == row.id)
                && filter.matches(row)
        }
        _ => filter.matches(row),
    };
    data.memories().filter(passes).cloned().collect()
}

/// Rows that hold so many of the words, with their BM25 scores, best first, the newest of equals first.
pub fn search(
    data: &Snapshot,
    text: &str,
    filter: &Filter,
    least_terms: usize,
) -> Vec<(RowId, f64)> {
    let documents: Vec<(&MemoryRow, BTreeMap<String, f64>)> = data
        .memories()
        .map(|row| (row, frequencies(&row.body.claim)))
        .collect();
    let passing: BTreeSet<RowId> = list(data, filter).into_iter().map(|row| row.id).collect();
    let scores = bm25(documents.iter().map(|(_, terms)| terms).collect(), text);
    let asked = query_terms(text);
    let held = |terms: &BTreeMap<String, f64>| {
        let held = asked.iter().filter(|term| terms.contains_key(*term));
        held.count()
    };
    let mut hits: Vec<(f64, Number, keepmind::Version, RowId)> = documents
        .iter()
        .zip(scores)
        .filter(|((row, _), score)| *score > 0.0 && passing.contains(&row.id))
        .filter(|((_, terms), _)| held(terms) >= least_terms)
        .map(|((row, _), score)| (score, row.body.number, row.body.version, row.id))
        .collect();
    hits.sort_by(|one, other| {
        other
            .0
            .total_cmp(&one.0)
            .then((other.1, other.2).cmp(&(one.1, one.2)))
    });
    hits.into_iter()
        .map(|(score, _, _, id)| (id, score))
        .collect()
}

/// How well each document fits a query.
pub fn bm25(documents: Vec<&BTreeMap<String, f64>>, text: &str) -> Vec<f64> {
    let count = documents.len() as f64;
    let lengths: Vec<f64> = documents.iter().map(|terms| terms.values().sum()).collect();
    let average = lengths.iter().sum::<f64>().max(1.0) / count.max(1.0);
    let mut scores = vec![0.0; documents.len()];
    for term in query_terms(text) {
        let holding = documents
            .iter()
            .filter(|terms| terms.contains_key(&term))
            .count() as f64;
        let weight = (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln();
        for ((terms, length), score) in documents.iter().zip(&lengths).zip(&mut scores) {
            if let Some(frequency) = terms.get(&term) {
                let share = 1.0 - LENGTH_SHARE + LENGTH_SHARE * length / average;
                *score +=
                    weight * frequency * (1.0 + SATURATION) / (frequency + SATURATION * share);
            }
        }
    }
    scores
}

fn frequencies(claim: &Claim) -> BTreeMap<String, f64> {
    fn strings(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Number(number) => into.push(number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
            Value::Object(fields) => fields.values().for_each(|item| strings(item, into)),
            Value::Null | Value::Bool(_) => {}
        }
    }
    let mut lines: Vec<String> = vec![claim.content.clone()];
    lines.extend(claim.tags.iter().cloned());
    lines.extend(claim.key.clone());
    if let Some(value) = &claim.value {
        strings(value, &mut lines);
    }
    let mut frequencies = BTreeMap::new();
    for (text, weight) in lines
        .iter()
        .map(|line| (line, 2.0))
        .chain(claim.body.iter().map(|body| (body, 1.0)))
    {
        for term in terms(text) {
            *frequencies.entry(term).or_default() += weight;
        }
    }
    frequencies
}

/// Rows by meaning with their cosines, in no order.
pub fn cosines(
    data: &Snapshot,
    embedder: &str,
    to: &Vector,
    filter: &Filter,
) -> BTreeMap<RowId, f64> {
    let passing: BTreeSet<RowId> = list(data, filter).into_iter().map(|row| row.id).collect();
    let is_comparable = |(key, vector): &(&EmbeddingKey, &Vector)| {
        key.embedder == embedder
            && vector.dimensions() == to.dimensions()
            && passing.contains(&key.memory)
    };
    let cosine = |vector: &Vector| -> f64 {
        let pairs = vector.as_slice().iter().zip(to.as_slice());
        pairs
            .map(|(&one, &other)| f64::from(one) * f64::from(other))
            .sum()
    };
    data.embeddings()
        .filter(is_comparable)
        .map(|(key, vector)| (key.memory, cosine(vector)))
        .collect()
}
