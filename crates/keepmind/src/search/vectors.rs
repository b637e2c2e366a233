//! Exact search by cosine over one owner's vectors, laid out in one block of memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::search::{Document, Scored};

/// The vectors of one owner and embedder, all of one dimension.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matrix {
    dimensions: usize,
    documents: Vec<Document>,
    numbers: Vec<f32>,
}

impl Matrix {
    pub(crate) fn new(dimensions: usize) -> Self {
        Matrix {
            dimensions,
            documents: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// Sets the vector of a document. One of another dimension is left out: it cannot be compared.
    pub(crate) fn set(&mut self, document: Document, vector: &[f32]) {
        if vector.len() != self.dimensions {
            return self.remove(document);
        }
        match self.documents.binary_search(&document) {
            Ok(place) => self.row_mut(place).copy_from_slice(vector),
            Err(place) if place == self.documents.len() => {
                self.documents.push(document);
                self.numbers.extend_from_slice(vector);
            }
            Err(place) => {
                self.documents.insert(place, document);
                let at = place * self.dimensions;
                self.numbers.splice(at..at, vector.iter().copied());
            }
        }
    }

    pub(crate) fn remove(&mut self, document: Document) {
        if let Ok(place) = self.documents.binary_search(&document) {
            self.documents.remove(place);
            let at = place * self.dimensions;
            self.numbers.drain(at..at + self.dimensions);
        }
    }

    pub(crate) fn holds(&self, document: Document) -> bool {
        self.documents.binary_search(&document).is_ok()
    }

    fn row_mut(&mut self, place: usize) -> &mut [f32] {
        &mut self.numbers[place * self.dimensions..(place + 1) * self.dimensions]
    }

    /// The documents whose vectors are nearest to a unit vector by cosine, best first.
    pub(crate) fn nearest(&self, query: &[f32], count: usize) -> Vec<Scored> {
        if query.len() != self.dimensions || count == 0 {
            return Vec::new();
        }
        let mut best = BinaryHeap::with_capacity(count.min(self.documents.len()) + 1);
        let rows = self.numbers.chunks_exact(self.dimensions);
        for (row, &document) in rows.zip(&self.documents) {
            let score = f64::from(dot(query, row));
            let scored = Scored { document, score };
            if best.len() < count {
                best.push(Reverse(scored));
            } else if let Some(mut worst) = best.peek_mut()
                && scored > worst.0
            {
                *worst = Reverse(scored);
            }
        }
        best.into_sorted_vec()
            .into_iter()
            .map(|Reverse(scored)| scored)
            .collect()
    }

    /// The cosine of every document to a unit vector.
    pub(crate) fn cosines(&self, query: &[f32]) -> Cosines<'_> {
        if query.len() != self.dimensions {
            return Cosines::default();
        }
        let rows = self.numbers.chunks_exact(self.dimensions);
        Cosines {
            documents: &self.documents,
            cosines: rows.map(|row| dot(query, row)).collect(),
        }
    }

    /// How many bytes it takes.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.capacity() * size_of::<f32>()
            + self.documents.capacity() * size_of::<Document>()
    }
}

/// How near documents are, in order of document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cosines<'a> {
    documents: &'a [Document],
    cosines: Vec<f32>,
}

impl<'a> Cosines<'a> {
    #[cfg(test)]
    pub(crate) fn new(documents: &'a [Document], cosines: Vec<f32>) -> Self {
        Cosines { documents, cosines }
    }

    pub(crate) fn documents(&self) -> &'a [Document] {
        self.documents
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Document, f32)> {
        let cosines = self.cosines.iter().copied();
        self.documents.iter().copied().zip(cosines)
    }

    /// The least and the greatest.
    pub(crate) fn range(&self) -> (f32, f32) {
        let cosines = || self.cosines.iter().copied();
        let least = cosines().fold(f32::INFINITY, f32::min);
        (least, cosines().fold(f32::NEG_INFINITY, f32::max))
    }

    pub(crate) fn of(&self, document: Document) -> Option<f64> {
        let place = self.documents.binary_search(&document).ok()?;
        Some(f64::from(self.cosines[place]))
    }
}

/// Sixteen sums side by side: the compiler turns them into SIMD, and the order of addition is fixed.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (left_chunks, left_rest) = left.as_chunks::<LANES>();
    let (right_chunks, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in left_chunks.iter().zip(right_chunks) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    let rest: f32 = left_rest
        .iter()
        .zip(right_rest)
        .map(|(left, right)| left * right)
        .sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_keeps_its_rows_with_their_documents() {
        let mut matrix = Matrix::new(2);
        matrix.set(5, &[1.0, 0.0]);
        matrix.set(2, &[0.0, 1.0]);
        matrix.set(9, &[0.6, 0.8]);
        matrix.set(5, &[0.0, -1.0]);
        matrix.set(7, &[1.0, 2.0, 3.0]);
        matrix.remove(9);
        let nearest = |count| -> Vec<(u64, f64)> {
            let scored = matrix.nearest(&[0.0, 1.0], count);
            scored.iter().map(|hit| (hit.document, hit.score)).collect()
        };
        assert_eq!(nearest(9), vec![(2, 1.0), (5, -1.0)]);
        assert_eq!(nearest(1), vec![(2, 1.0)]);
        assert_eq!(nearest(0), vec![]);
        assert!(matrix.nearest(&[1.0], 3).is_empty());
    }

    #[test]
    fn dot_agrees_with_the_plain_sum() {
        for length in [1, 15, 16, 17, 100, 384] {
            let left: Vec<f32> = (0..length).map(|place| (place as f32).sin()).collect();
            let right: Vec<f32> = (0..length).map(|place| (place as f32).cos()).collect();
            let plain: f64 = left
                .iter()
                .zip(&right)
                .map(|(l, r)| f64::from(*l) * f64::from(*r))
                .sum();
            assert!((f64::from(dot(&left, &right)) - plain).abs() < 1e-4);
        }
    }
}
