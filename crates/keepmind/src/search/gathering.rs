//! Vectors on their way into a matrix, in nearly the order of their documents.

use crate::search::Document;
use crate::search::planes::Planes;
use crate::search::vectors::Matrix;

/// What has come in order is in place; what comes after a later one waits beside it until all are there.
#[derive(Debug)]
pub(crate) struct Gathering {
    matrix: Matrix,
    last: Option<Document>,
    late: Vec<(Document, usize)>,
    late_vectors: Planes,
}

impl Gathering {
    pub(crate) fn new(dimensions: usize) -> Self {
        Gathering {
            matrix: Matrix::new(dimensions),
            last: None,
            late: Vec::new(),
            late_vectors: Planes::new(dimensions),
        }
    }

    pub(crate) fn add(&mut self, document: Document, vector: &[f32]) {
        if self.last.is_none_or(|last| last < document) {
            self.matrix.make_much_room();
            self.matrix.set(document, vector);
            self.last = Some(document);
        } else if self.matrix.can_hold(vector) {
            self.late.push((document, self.late.len()));
            self.late_vectors.make_much_room();
            self.late_vectors.push(vector);
        }
    }

    /// The matrix of all. To set the late ones one by one would move half of the others each time.
    pub(crate) fn finish(mut self) -> Matrix {
        self.late.sort_unstable();
        self.late.dedup_by_key(|(document, _)| *document);
        self.matrix.add_all(&self.late, &self.late_vectors);
        self.matrix.shrink();
        self.matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_comes_in_any_order_is_what_is_set_one_by_one(
            documents in prop::collection::vec(0_u64..60, 0..80),
            dimensions in prop_oneof![Just(1_usize), Just(3), Just(17)],
        ) {
            let mut gathering = Gathering::new(dimensions);
            let mut expected = Matrix::new(dimensions);
            let mut query = vec![0.0; dimensions];
            query[0] = 1.0;
            for (place, document) in documents.iter().enumerate() {
                // A document that comes twice, as of a damaged file, has its first vector.
                let mut vector = vec![place as f32 + 1.0; dimensions];
                vector[0] = if document % 7 == 0 { f32::NAN } else { *document as f32 };
                gathering.add(*document, &vector);
                if !expected.holds(*document) {
                    expected.set(*document, &vector);
                }
            }
            let matrix = gathering.finish();
            prop_assert_eq!(matrix.cosines(&query).nearest(100), expected.cosines(&query).nearest(100));
            let last = vec![1.0; dimensions];
            prop_assert_eq!(matrix.cosines(&last).nearest(100), expected.cosines(&last).nearest(100));
        }
    }

    #[test]
    fn what_was_gathered_takes_less_than_its_floats() {
        for rows in [1, 1_000, 1_025] {
            let mut gathering = Gathering::new(384);
            for row in (0..rows).rev() {
                gathering.add(row ^ 3, &[row as f32; 384]);
            }
            let floats = rows as usize * 384 * size_of::<f32>();
            let mut matrix = gathering.finish();
            let bytes = matrix.bytes();
            assert!(bytes * 10 <= floats * 8, "{bytes} for {floats}");
            matrix.set(rows + 3, &[1.0; 384]);
            let bytes = matrix.bytes();
            assert!(
                rows < 8 || bytes * 10 <= floats * 9,
                "{bytes} for {floats} and one"
            );
        }
    }
}
