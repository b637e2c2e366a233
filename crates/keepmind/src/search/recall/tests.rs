//! What speaks for a memory, on made-up documents.

use proptest::prelude::*;
use uuid::Uuid;

use super::space::advance;
use super::*;
use crate::Policy;
use crate::ids::{RowId, SessionId};
use crate::search::scenes::Scene;
use crate::search::vectors::Matrix;
use crate::timestamp::Timestamp;

const CORPUS: Corpus = Corpus {
    documents: 100,
    length: 1_000,
};

fn fusion(method: FusionMethod) -> Fusion {
    let mut fusion = Policy::default().recall.fusion;
    fusion.method = method;
    fusion
}

fn list(documents: &[Document]) -> Arc<Vec<Posting>> {
    let posting = |&document: &Document| Posting {
        document,
        frequency: 2,
        length: 10,
    };
    Arc::new(documents.iter().map(posting).collect())
}

/// Documents said in chats by speakers: `(document, chat, speaker)`.
fn scenes(of: &[(Document, u128, &str)]) -> Scenes {
    let mut scenes = Scenes::default();
    for &(document, chat, speaker) in of {
        let scene = Scene {
            row: RowId::new(Uuid::from_u128(u128::from(document))),
            session: (chat > 0).then(|| SessionId::new(Uuid::from_u128(chat))),
            speaker: (!speaker.is_empty()).then(|| speaker.to_owned()),
            since: Timestamp::UNIX_EPOCH,
        };
        scenes.set(document, scene);
    }
    scenes
}

/// What is meant; a document's vector is as near to it as its cosine says.
const AIM: [f32; 2] = [1.0, 0.0];

fn matrix(near: &[(Document, f64)]) -> Matrix {
    let mut matrix = Matrix::new(AIM.len());
    for &(document, cosine) in near {
        let sine = (1.0 - cosine * cosine).sqrt();
        matrix.set(document, &[cosine as f32, sine as f32]);
    }
    matrix
}

#[derive(Debug)]
struct Asked {
    text: &'static str,
    method: FusionMethod,
    terms: Vec<String>,
    lists: Vec<Arc<Vec<Posting>>>,
    meaning: Option<Matrix>,
    scenes: Scenes,
}

impl Asked {
    fn new(lists: &[&[Document]], meaning: Option<&[(Document, f64)]>) -> Self {
        Asked {
            text: "",
            method: FusionMethod::Score,
            terms: (0..lists.len()).map(|term| term.to_string()).collect(),
            lists: lists.iter().map(|documents| list(documents)).collect(),
            meaning: meaning.map(matrix),
            scenes: Scenes::default(),
        }
    }

    fn order(&self) -> Vec<Document> {
        let scored = self.scored();
        scored.iter().map(|one| one.document).collect()
    }

    fn scored(&self) -> Vec<Scored> {
        self.best(1_000)
    }

    fn best(&self, count: usize) -> Vec<Scored> {
        let fusion = fusion(self.method);
        let near = self.meaning.as_ref();
        let near = near.map(|matrix| matrix.cosines(&AIM));
        let found = Found::find(Question {
            text: self.text,
            fusion: &fusion,
            corpus: CORPUS,
            terms: &self.terms,
            lists: &self.lists,
            first_person: &[],
            meaning: near.as_ref(),
            scenes: &self.scenes,
        });
        found.ranked().take(count)
    }
}

#[test]
fn what_only_words_or_only_meaning_finds_can_win() {
    let by_words = Asked::new(&[&[1], &[1, 3]], Some(&[(2, 0.2), (3, 0.1), (4, 0.1)]));
    assert_eq!(by_words.order()[0], 1);
    let by_meaning = Asked::new(&[&[3, 4, 5], &[]], Some(&[(2, 0.9), (4, 0.1), (5, 0.1)]));
    assert_eq!(by_meaning.order()[0], 2);
}

#[test]
fn a_query_that_is_hardly_found_counts_less_than_one_that_is_found() {
    let near: &[(Document, f64)] = &[(1, 0.2), (2, 0.8), (3, 0.1)];
    let found = Asked::new(&[&[1]], Some(near));
    let hardly = Asked::new(&[&[1], &[], &[], &[], &[], &[]], Some(near));
    assert_eq!(found.order()[0], 1);
    assert_eq!(hardly.order()[0], 2);
}

#[test]
fn the_best_of_a_chat_lifts_the_others_of_it() {
    let mut asked = Asked::new(&[&[1, 2, 3], &[1]], None);
    assert_eq!(asked.order(), [1, 3, 2]);
    asked.scenes = scenes(&[(1, 7, ""), (2, 7, ""), (3, 8, "")]);
    assert_eq!(asked.order(), [1, 2, 3]);
}

#[test]
fn a_word_counts_once_for_a_line_however_many_lines_hold_it() {
    let lines: &[(Document, u128, &str)] = &[(1, 7, "anna"), (2, 7, "ben"), (3, 7, "anna")];
    let mut alone = Asked::new(&[&[2]], None);
    alone.scenes = scenes(lines);
    let mut beside = Asked::new(&[&[1, 2, 3]], None);
    beside.scenes = scenes(lines);
    assert_eq!(alone.order()[0], 2);
    assert_eq!(alone.order().len(), 3, "both lines beside it are found");
    let equal = beside.scored();
    assert!(equal.iter().all(|one| one.score == equal[0].score));
}

#[test]
fn rare_words_turn_the_direction() {
    let terms = ["graz".to_owned(), "tea".to_owned()];
    let everywhere: Vec<Document> = (1..=90).collect();
    let lists = [list(&[1]), list(&everywhere)];
    let whole = [0.6, 0.8];
    let parts: [(&str, &[f32]); 3] = [("graz", &[1.0, 0.0]), ("tea", &[0.0, 1.0]), ("no", &[9.0])];
    let turned = direction(&whole, parts.into_iter(), CORPUS, &terms, &lists);
    assert!(turned[0] > 0.9 && turned[1] < 0.1 * turned[0], "{turned:?}");
    let length: f32 = turned.iter().map(|number| number * number).sum();
    assert!((length - 1.0).abs() < 1e-5);
    for useless in [
        &[][..],
        &[("tea", &[0.0, 0.0][..])],
        &[("tea", &[f32::MAX, 1.0, 2.0])],
    ] {
        let kept = direction(&whole, useless.iter().copied(), CORPUS, &terms, &lists);
        assert_eq!(*kept, whole);
    }
}

#[test]
fn by_rank_only_ranks_count() {
    let mut asked = Asked::new(&[&[1, 3]], Some(&[(2, 0.9), (3, 0.8), (4, 0.1)]));
    asked.method = FusionMethod::ReciprocalRank;
    asked.text = "anna";
    asked.scenes = scenes(&[(4, 1, "anna")]);
    assert_eq!(asked.order(), [3, 2, 1, 4]);
}

#[test]
fn the_next_document_is_found_wherever_it_stands() {
    let documents: Vec<Document> = (0..100).map(|place| place * 3).collect();
    for from in 0..=100 {
        for wanted in 0..310 {
            let slow = documents[from..]
                .iter()
                .position(|found| *found >= wanted)
                .map_or(100, |place| from + place);
            assert_eq!(advance(&documents, from, wanted), slow, "{from} {wanted}");
        }
    }
}

fn any_asked() -> impl Strategy<Value = Asked> {
    let documents = || prop::collection::btree_set(1_u64..40, 0..20);
    let lists = prop::collection::vec(documents(), 0..4);
    // Many so close to each other that rough cosines do not tell them apart.
    let cosine = prop_oneof![-1.0..1.0, 0.5..0.503];
    let meaning = prop::option::of(prop::collection::btree_map(1_u64..40, cosine, 0..30));
    let said = (0_u128..4, prop::sample::select(vec!["", "anna", "ben"]));
    let scenes_of = prop::collection::btree_map(1_u64..40, said, 0..30);
    let text = prop::sample::select(vec!["", "what does anna say in 1970", "ben"]);
    (lists, meaning, scenes_of, text, any::<bool>()).prop_map(
        |(lists, meaning, of, text, by_rank)| {
            let lists: Vec<Vec<Document>> = lists
                .into_iter()
                .map(|documents| documents.into_iter().collect())
                .collect();
            let slices: Vec<&[Document]> = lists.iter().map(Vec::as_slice).collect();
            let meaning: Option<Vec<(Document, f64)>> =
                meaning.map(|cosines| cosines.into_iter().collect());
            let mut asked = Asked::new(&slices, meaning.as_deref());
            let of: Vec<(Document, u128, &str)> = of
                .into_iter()
                .map(|(document, (chat, speaker))| (document, chat, speaker))
                .collect();
            asked.scenes = scenes(&of);
            asked.text = text;
            if by_rank {
                asked.method = FusionMethod::ReciprocalRank;
            }
            asked
        },
    )
}

proptest! {
    #[test]
    fn every_document_is_found_once_and_its_score_is_a_number(asked in any_asked()) {
        let scored = asked.scored();
        prop_assert!(scored.is_sorted_by(|one, next| one > next));
        let found: std::collections::BTreeSet<Document> = asked.order().into_iter().collect();
        prop_assert_eq!(found.len(), scored.len());
        for one in &scored {
            prop_assert!(one.score.is_finite() && one.score >= 0.0, "{}", one.score);
        }
        let near = asked.meaning.as_ref().map(|matrix| matrix.cosines(&AIM));
        let meaning = near.iter().flat_map(|cosines| cosines.documents().iter().copied());
        let words = asked.lists.iter().flat_map(|list| list.iter().map(|one| one.document));
        for document in meaning.chain(words) {
            prop_assert!(found.contains(&document));
        }
    }
    #[test]
    fn the_best_are_the_first_of_all(asked in any_asked(), count in 0_usize..20) {
        let mut all = asked.scored();
        all.truncate(count);
        let best = asked.best(count);
        let pairs = |scored: &[Scored]| -> Vec<(Document, f64)> {
            scored.iter().map(|one| (one.document, one.score)).collect()
        };
        prop_assert_eq!(pairs(&best), pairs(&all));
    }
}
