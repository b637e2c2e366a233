//! Where an episode is found for nothing but what a fact of its chat says: the fact comes first, and is told
//! alone.

use crate::ids::SessionId;
use crate::memory::Layer;
use crate::order;

/// Something that was found, and the words of the question that it holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub layer: Layer,
    pub session: Option<SessionId>,
    pub matched: &'a [String],
}

/// The place of the fact that says what an episode was found for: of the same chat, and with every word that
/// the episode holds of the question.
pub(crate) fn repeated(hits: &[Seen<'_>], place: usize) -> Option<usize> {
    let Seen {
        layer,
        session,
        matched,
    } = hits[place];
    if layer != Layer::Episode || session.is_none() || matched.is_empty() {
        return None;
    }
    hits.iter().position(|hit| {
        hit.layer == Layer::Fact
            && hit.session == session
            && matched.iter().all(|word| hit.matched.contains(word))
    })
}

/// The hits' places in the order that they are to be shown in: every episode after the fact that it repeats.
pub(crate) fn facts_first(hits: &[Seen<'_>]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..hits.len()).collect();
    order::sort_by_key(&mut places, |&place| match repeated(hits, place) {
        Some(fact) if fact > place => (fact, true),
        _ => (place, false),
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_follows_the_fact_that_it_repeats() {
        use Layer::{Episode, Fact};
        type Row<'t> = (Layer, u128, &'t [&'t str]);
        let table: &[(&[Row<'_>], &[usize])] = &[
            // It holds no more of the question than the fact does.
            (&[(Episode, 1, &["cello"]), (Fact, 1, &["cello"])], &[1, 0]),
            (
                &[
                    (Episode, 1, &["cello"]),
                    (Fact, 1, &["bow"]),
                    (Fact, 1, &["bow", "cello"]),
                    (Fact, 1, &["cello"]),
                ],
                &[1, 2, 0, 3],
            ),
            // It says more, is of another chat, or was found by its meaning.
            (
                &[(Episode, 1, &["cello", "bow"]), (Fact, 1, &["cello"])],
                &[0, 1],
            ),
            (&[(Episode, 1, &["cello"]), (Fact, 2, &["cello"])], &[0, 1]),
            (&[(Episode, 1, &[]), (Fact, 1, &["cello"])], &[0, 1]),
            // Facts stay where they are.
            (&[(Fact, 1, &["cello"]), (Episode, 1, &["cello"])], &[0, 1]),
            (&[], &[]),
        ];
        for (rows, expected) in table {
            let words: Vec<Vec<String>> = rows
                .iter()
                .map(|(_, _, words)| words.iter().map(|&word| word.to_owned()).collect())
                .collect();
            let hits: Vec<Seen<'_>> = rows
                .iter()
                .zip(&words)
                .map(|((layer, chat, _), matched)| Seen {
                    layer: *layer,
                    session: Some(SessionId::new(uuid::Uuid::from_u128(*chat))),
                    matched,
                })
                .collect();
            assert_eq!(facts_first(&hits), *expected);
        }
    }
}
