//! Vectors that are elsewhere: how near each is was measured there, and only those that decide an answer come here.
//!
//! What was measured counts as rough, with a bound that it keeps. Which vectors decide is noted while an answer is made:
//! once these have come, the same answer made again is the one that a matrix of all of them gives, to the last bit.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::search::Document;
use crate::search::planes::Aim;
use crate::search::vectors::{Cosines, Matrix};

#[derive(Debug)]
pub(crate) struct Distant {
    dimensions: usize,
    documents: Vec<Document>,
    rough: Vec<f32>,
    here: Mutex<Here>,
}

/// What has come, and what was asked for besides.
#[derive(Debug)]
struct Here {
    matrix: Matrix,
    missing: BTreeSet<Document>,
}

impl Distant {
    /// All documents with their cosines, made in single precision.
    pub(crate) fn new(dimensions: usize, mut measured: Vec<(Document, f32)>) -> Self {
        measured.sort_unstable_by_key(|(document, _)| *document);
        let (documents, rough) = measured.into_iter().unzip();
        Distant {
            dimensions,
            documents,
            rough,
            here: Mutex::new(Here {
                matrix: Matrix::new(dimensions),
                missing: BTreeSet::new(),
            }),
        }
    }

    /// How near each is to the direction that it was measured by.
    pub(crate) fn cosines(&self, direction: &[f32]) -> Cosines<'_> {
        Cosines::measured(self, direction)
    }

    /// How far a cosine may be from the one that is made here: each product and sum is rounded, there and here, and
    /// here numbers are a little rounded as well.
    pub(super) fn blur(&self) -> f32 {
        1e-5 + self.dimensions as f32 * f32::EPSILON
    }

    pub(super) fn documents(&self) -> &[Document] {
        &self.documents
    }

    pub(super) fn rough(&self) -> &[f32] {
        &self.rough
    }

    /// The cosine of the document at this row; the rough one where its vector is missing, which is noted.
    pub(super) fn exact(&self, aim: &Aim, row: usize) -> f32 {
        let document = self.documents[row];
        let mut here = self.lock();
        let exact = here.matrix.exact(aim, document);
        exact.unwrap_or_else(|| {
            here.missing.insert(document);
            self.rough[row]
        })
    }

    /// Whether a vector was asked for that is not here.
    pub(super) fn is_lacking(&self) -> bool {
        !self.lock().missing.is_empty()
    }

    /// The documents whose vectors were asked for and are not here.
    pub(crate) fn missing(&self) -> Vec<Document> {
        self.lock().missing.iter().copied().collect()
    }

    /// Takes vectors that were missing.
    pub(crate) fn bring(&self, vectors: &[(Document, Vec<f32>)]) {
        let mut here = self.lock();
        here.missing.clear();
        for (document, vector) in vectors {
            here.matrix.set(*document, vector);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Here> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As a server measures: one number after the other, in single precision.
    fn product(one: &[f32], other: &[f32]) -> f32 {
        one.iter().zip(other).map(|(one, other)| one * other).sum()
    }

    fn unit(numbers: Vec<f32>) -> Vec<f32> {
        let length = numbers.iter().map(|number| number * number).sum::<f32>();
        let length = length.sqrt().max(1e-3);
        numbers.iter().map(|number| number / length).collect()
    }

    proptest! {
        #[test]
        fn the_nearest_are_those_of_all_vectors_once_what_decides_has_come(
            vectors in prop_oneof![Just(1_usize), Just(3), Just(40)].prop_flat_map(|dimensions| {
                // Few different ones, so that many are equally near.
                let number = prop_oneof![Just(1.0_f32), Just(-0.5), Just(0.25), -1.0_f32..1.0];
                prop::collection::vec(prop::collection::vec(number, dimensions), 1..60)
            }),
            count in 0_usize..20,
        ) {
            let vectors: Vec<Vec<f32>> = vectors.into_iter().map(unit).collect();
            let (direction, vectors) = vectors.split_last().expect("one at least");
            let mut matrix = Matrix::new(direction.len());
            let mut measured = Vec::new();
            for (document, vector) in vectors.iter().enumerate() {
                matrix.set(document as Document, vector);
                measured.push((document as Document, product(vector, direction)));
            }
            measured.reverse();
            let distant = Distant::new(direction.len(), measured);
            let answer = || {
                let cosines = distant.cosines(direction);
                (cosines.nearest(count), cosines.range())
            };
            answer();
            let missing = distant.missing();
            let wanted: Vec<_> = missing.iter().map(|document| (*document, vectors[*document as usize].clone())).collect();
            distant.bring(&wanted);
            let (nearest, range) = answer();
            prop_assert!(!distant.cosines(direction).are_lacking());
            let cosines = matrix.cosines(direction);
            prop_assert_eq!(nearest, cosines.nearest(count));
            prop_assert_eq!(range, cosines.range());
        }
    }

    #[test]
    fn few_vectors_decide() {
        let angle = |place: usize| (place as f32 * 0.01).sin_cos();
        let measured = (0..200).map(|place| (place as Document, angle(place).1));
        let distant = Distant::new(2, measured.collect());
        let cosines = distant.cosines(&[1.0, 0.0]);
        let nearest = cosines.nearest(5);
        assert_eq!(nearest.len(), 5);
        assert!(cosines.are_lacking() && (5..9).contains(&distant.missing().len()));
        let brought = distant.missing().into_iter().map(|document| {
            let (sine, cosine) = angle(document as usize);
            (document, vec![cosine, sine])
        });
        distant.bring(&brought.collect::<Vec<_>>());
        assert_eq!(distant.cosines(&[1.0, 0.0]).nearest(5).len(), 5);
        assert!(distant.missing().is_empty());
    }
}
