//! One ranking of two: what words find and what meaning finds. Neither list may drown the other.

use crate::policy::{Fusion, FusionMethod};
use crate::search::{Document, Scored};

/// A document of either list, and what each said of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fused {
    pub(crate) document: Document,
    pub(crate) score: f64,
    /// Its BM25 score, where it holds a word of the query.
    pub(crate) words: Option<f64>,
    /// Its cosine, where it has a vector.
    pub(crate) meaning: Option<f64>,
}

/// What a query could score at best by words: a document full of every one of its terms.
///
/// A list is brought to 0..1 by both its best score and this: by its best alone, a query of which next to
/// nothing is found would count as much as one that is found whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ideal(pub(crate) f64);

/// Fuses two lists, each in order of document, into one in order of document.
pub(crate) fn fuse(
    fusion: &Fusion,
    words: &[Scored],
    ideal: Ideal,
    meaning: &[Scored],
) -> Vec<Fused> {
    let mut fused = joined(words, meaning);
    match fusion.method {
        FusionMethod::ReciprocalRank => by_rank(&mut fused, f64::from(fusion.rank_constant)),
        FusionMethod::Score => by_score(&mut fused, ideal, fusion.keyword_share),
    }
    fused
}

/// Every document of either list, with what both say of it.
fn joined(mut words: &[Scored], mut meaning: &[Scored]) -> Vec<Fused> {
    let mut all = Vec::with_capacity(words.len().max(meaning.len()));
    loop {
        let next = |list: &[Scored]| list.first().map(|first| first.document);
        let document = match (next(words), next(meaning)) {
            (Some(one), Some(other)) => one.min(other),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return all,
        };
        let take = |list: &mut &[Scored]| {
            let (first, rest) = list.split_first()?;
            (first.document == document).then(|| {
                *list = rest;
                first.score
            })
        };
        all.push(Fused {
            document,
            score: 0.0,
            words: take(&mut words),
            meaning: take(&mut meaning),
        });
    }
}

fn by_score(fused: &mut [Fused], ideal: Ideal, keyword_share: f64) {
    let best = fused.iter().filter_map(|one| one.words).fold(0.0, f64::max);
    let full = (best * ideal.0).sqrt();
    let cosines = || fused.iter().filter_map(|one| one.meaning);
    let nearest = cosines().fold(f64::NEG_INFINITY, f64::max);
    let farthest = cosines().fold(f64::INFINITY, f64::min);
    let span = nearest - farthest;
    for one in fused {
        let words = match one.words {
            Some(score) if full > 0.0 => score / full,
            _ => 0.0,
        };
        let meaning = match one.meaning {
            Some(cosine) if span > 0.0 => (cosine - farthest) / span,
            // All are equally near.
            Some(_) => 1.0,
            None => 0.0,
        };
        one.score = keyword_share * words + (1.0 - keyword_share) * meaning;
    }
}

fn by_rank(fused: &mut [Fused], constant: f64) {
    for list in [|one: &Fused| one.words, |one: &Fused| one.meaning] {
        let mut ranked: Vec<(Scored, usize)> = fused
            .iter()
            .enumerate()
            .filter_map(|(place, one)| {
                let score = list(one)?;
                let document = one.document;
                Some((Scored { document, score }, place))
            })
            .collect();
        ranked.sort_unstable_by_key(|(scored, _)| std::cmp::Reverse(*scored));
        for (rank, (_, place)) in ranked.into_iter().enumerate() {
            fused[place].score += 1.0 / (constant + 1.0 + rank as f64);
        }
    }
}

/// What is known of a document, in a list in order of document.
pub(crate) fn of(fused: &[Fused], document: Document) -> Option<&Fused> {
    let place = fused.binary_search_by_key(&document, |one| one.document);
    place.ok().and_then(|place| fused.get(place))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Policy;

    fn fusion(method: FusionMethod) -> Fusion {
        let mut fusion = Policy::default().recall.fusion;
        fusion.method = method;
        fusion
    }

    fn list(scores: &[(Document, f64)]) -> Vec<Scored> {
        let scored = |&(document, score)| Scored { document, score };
        scores.iter().map(scored).collect()
    }

    fn order(fused: &[Fused]) -> Vec<Document> {
        let mut fused = fused.to_vec();
        fused.sort_by(|one, other| other.score.total_cmp(&one.score));
        fused.iter().map(|one| one.document).collect()
    }

    #[test]
    fn what_only_words_or_only_meaning_finds_can_win() {
        for method in [FusionMethod::Score, FusionMethod::ReciprocalRank] {
            let fusion = fusion(method);
            let words = list(&[(1, 9.0), (3, 1.0)]);
            let meaning = list(&[(2, 0.1), (3, 0.1), (4, 0.1)]);
            let by_words = fuse(&fusion, &words, Ideal(10.0), &meaning);
            assert_eq!(
                order(&by_words)[0],
                if method == FusionMethod::Score { 1 } else { 3 }
            );
            let words = list(&[(3, 0.5)]);
            let meaning = list(&[(2, 0.9), (4, 0.1), (5, 0.1)]);
            let by_meaning = fuse(&fusion, &words, Ideal(20.0), &meaning);
            let place = order(&by_meaning)
                .iter()
                .position(|document| *document == 2);
            assert!(place.is_some_and(|place| place < 2), "{by_meaning:?}");
        }
    }

    #[test]
    fn a_query_that_is_hardly_found_counts_less_than_one_that_is_found() {
        let fusion = fusion(FusionMethod::Score);
        let words = list(&[(1, 4.0)]);
        let meaning = list(&[(1, 0.2), (2, 0.8), (3, 0.1)]);
        let found = fuse(&fusion, &words, Ideal(4.0), &meaning);
        let hardly = fuse(&fusion, &words, Ideal(64.0), &meaning);
        assert!(of(&found, 1).unwrap().score > of(&hardly, 1).unwrap().score);
        assert_eq!(order(&hardly)[0], 2);
    }

    #[test]
    fn one_list_alone_keeps_its_order() {
        for method in [FusionMethod::Score, FusionMethod::ReciprocalRank] {
            let some = list(&[(1, 3.0), (2, 5.0), (7, 4.0)]);
            let words = fuse(&fusion(method), &some, Ideal(6.0), &[]);
            assert_eq!(order(&words), [2, 7, 1]);
            let meaning = fuse(&fusion(method), &[], Ideal(0.0), &some);
            assert_eq!(order(&meaning), [2, 7, 1]);
            assert!(fuse(&fusion(method), &[], Ideal(0.0), &[]).is_empty());
        }
    }

    fn any_list(scores: std::ops::Range<f64>) -> impl Strategy<Value = Vec<Scored>> {
        prop::collection::btree_map(1_u64..60, scores, 0..40).prop_map(|scores| {
            let scored = |(document, score)| Scored { document, score };
            scores.into_iter().map(scored).collect()
        })
    }

    proptest! {
        #[test]
        fn every_document_is_there_once_and_its_score_is_a_number(
            words in any_list(0.0..30.0),
            meaning in any_list(-1.0..1.0),
            ideal in 0.0..60.0_f64,
            by_rank in any::<bool>(),
        ) {
            let method = if by_rank { FusionMethod::ReciprocalRank } else { FusionMethod::Score };
            let fused = fuse(&fusion(method), &words, Ideal(ideal), &meaning);
            prop_assert!(fused.is_sorted_by(|one, next| one.document < next.document));
            for one in &fused {
                prop_assert!(one.score.is_finite() && one.score >= 0.0);
                let score_of = |list: &[Scored]| {
                    list.iter().find(|scored| scored.document == one.document).map(|scored| scored.score)
                };
                prop_assert_eq!(one.words, score_of(&words));
                prop_assert_eq!(one.meaning, score_of(&meaning));
            }
            let documents: std::collections::BTreeSet<u64> =
                words.iter().chain(&meaning).map(|scored| scored.document).collect();
            prop_assert_eq!(documents.len(), fused.len());
        }

        /// Being better in one list, and as good in the other, never costs a place.
        #[test]
        fn a_better_score_never_hurts(
            words in any_list(0.1..30.0),
            meaning in any_list(-1.0..1.0),
            by_rank in any::<bool>(),
        ) {
            let method = if by_rank { FusionMethod::ReciprocalRank } else { FusionMethod::Score };
            let fused = fuse(&fusion(method), &words, Ideal(40.0), &meaning);
            for one in &fused {
                for other in &fused {
                    if one.words > other.words && one.meaning > other.meaning {
                        prop_assert!(one.score >= other.score);
                    }
                }
            }
        }
    }
}
