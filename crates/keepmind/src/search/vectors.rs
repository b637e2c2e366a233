//! Exact search by cosine over one owner's vectors, laid out in one block of memory: nothing is passed over, and
//! a number counts to a four-millionth of the greatest of its vector.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use crate::search::distant::Distant;
use crate::search::planes::{self, Aim, Planes};
use crate::search::{Document, Ranked, Scored, floor_of_best};

/// The vectors of one owner and embedder, all of one dimension.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matrix {
    dimensions: usize,
    documents: Vec<Document>,
    planes: Planes,
}

impl Matrix {
    pub(crate) fn new(dimensions: usize) -> Self {
        Matrix {
            dimensions,
            documents: Vec::new(),
            planes: Planes::new(dimensions),
        }
    }

    /// Makes room for so many more.
    #[cfg(feature = "postgres")]
    pub(crate) fn reserve(&mut self, count: usize) {
        self.documents.reserve_exact(count);
        self.planes.reserve(count);
    }

    /// See [`Planes::make_much_room`].
    #[cfg(feature = "sqlite")]
    pub(super) fn make_much_room(&mut self) {
        self.planes.make_much_room();
    }

    /// Gives back what room is left.
    #[cfg(feature = "sqlite")]
    pub(super) fn shrink(&mut self) {
        self.documents.shrink_to_fit();
        self.planes.shrink();
    }

    /// Sets the vector of a document. One of another dimension is left out, as is one with what is no number, as
    /// of a damaged file: it cannot be compared.
    pub(crate) fn set(&mut self, document: Document, vector: &[f32]) {
        if !self.can_hold(vector) {
            return self.remove(document);
        }
        match self.documents.binary_search(&document) {
            Ok(row) => self.planes.replace(row, vector),
            Err(row) if row == self.documents.len() => {
                self.documents.push(document);
                self.planes.push(vector);
            }
            Err(row) => {
                self.documents.insert(row, document);
                self.planes.insert(row, vector);
            }
        }
    }

    pub(super) fn can_hold(&self, vector: &[f32]) -> bool {
        vector.len() == self.dimensions && planes::are_finite(vector)
    }

    /// Sets vectors that stand in rows of other planes, in order of document, where the document is not here yet:
    /// what is moved for them is moved once.
    #[cfg(feature = "sqlite")]
    pub(super) fn add_all(&mut self, vectors: &[(Document, usize)], planes: &Planes) {
        let mut places = Vec::with_capacity(vectors.len());
        let mut added = Vec::with_capacity(vectors.len());
        for (document, row) in vectors {
            if let Err(place) = self.documents.binary_search(document) {
                places.push((place, *row));
                added.push(*document);
            }
        }
        self.planes.insert_all(planes, &places);
        self.documents.extend(added);
        self.documents.sort_unstable();
    }

    pub(crate) fn remove(&mut self, document: Document) {
        if let Ok(row) = self.documents.binary_search(&document) {
            self.documents.remove(row);
            self.planes.remove(row);
        }
    }

    pub(crate) fn holds(&self, document: Document) -> bool {
        self.documents.binary_search(&document).is_ok()
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(super) fn exact(&self, aim: &Aim, document: Document) -> Option<f32> {
        let row = self.documents.binary_search(&document).ok()?;
        Some(self.planes.exact(aim, row))
    }

    /// How near every document is to a unit vector.
    pub(crate) fn cosines(&self, query: &[f32]) -> Cosines<'_> {
        if query.len() != self.dimensions {
            return Cosines::default();
        }
        let aim = Aim::new(query);
        Cosines {
            rough: self.planes.rough(&aim),
            blur: self.planes.blur(&aim),
            documents: &self.documents,
            whole: Whole::Matrix(&self.planes),
            aim,
        }
    }

    /// How many bytes it takes.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn bytes(&self) -> usize {
        self.planes.bytes() + self.documents.capacity() * size_of::<Document>()
    }
}

/// How near documents are, in order of document: roughly all, exactly where it is asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cosines<'a> {
    documents: &'a [Document],
    whole: Whole<'a>,
    aim: Aim,
    rough: Vec<f32>,
    blur: f32,
}

/// What tells exactly how near a document is.
#[derive(Debug, Clone, Copy, Default)]
enum Whole<'a> {
    #[default]
    None,
    Matrix(&'a Planes),
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    Distant(&'a Distant),
}

impl<'a> Cosines<'a> {
    pub(crate) fn documents(&self) -> &'a [Document] {
        self.documents
    }

    /// The cosines in order of document, each at most [`Cosines::blur`] from the exact one.
    pub(crate) fn rough(&self) -> &[f32] {
        &self.rough
    }

    pub(crate) fn blur(&self) -> f32 {
        self.blur
    }

    /// The cosine of the document at this row.
    pub(crate) fn exact(&self, row: usize) -> f32 {
        match self.whole {
            Whole::None => 0.0,
            Whole::Matrix(planes) => planes.exact(&self.aim, row),
            #[cfg(any(feature = "sqlite", feature = "postgres"))]
            Whole::Distant(distant) => distant.exact(&self.aim, row),
        }
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(super) fn measured(distant: &'a Distant, direction: &[f32]) -> Self {
        Cosines {
            documents: distant.documents(),
            whole: Whole::Distant(distant),
            aim: Aim::new(direction),
            rough: distant.rough().to_vec(),
            blur: distant.blur(),
        }
    }

    /// Whether what was asked exactly is only roughly known.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn are_lacking(&self) -> bool {
        match self.whole {
            Whole::None | Whole::Matrix(_) => false,
            Whole::Distant(distant) => distant.is_lacking(),
        }
    }

    /// All documents, the nearest first.
    pub(crate) fn ranked(self) -> Ranked<'a> {
        Ranked::Nearest {
            cosines: self,
            taken: 0,
        }
    }

    /// So many documents, the nearest first.
    pub(crate) fn nearest(&self, count: usize) -> Vec<Scored> {
        let floor = floor_of_best(self.rough.iter().copied().map(f64::from), count);
        // What is among the best is at most so far below the last of those that look best.
        let floor = floor - 2.0 * f64::from(self.blur);
        let rows = self.rough.iter().enumerate();
        let mut nearest: Vec<Scored> = rows
            .filter(|(_, rough)| f64::from(**rough) >= floor)
            .map(|(row, _)| Scored {
                document: self.documents[row],
                score: f64::from(self.exact(row)),
            })
            .collect();
        nearest.sort_unstable_by(|one, other| other.cmp(one));
        nearest.truncate(count);
        nearest
    }

    /// The cosines of all documents.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Document, f32)> {
        let documents = self.documents().iter().copied().enumerate();
        documents.map(|(row, document)| (document, self.exact(row)))
    }

    /// The least and the greatest.
    pub(crate) fn range(&self) -> (f32, f32) {
        let rough = || self.rough.iter().copied();
        let low = rough().fold(f32::INFINITY, f32::min) + 2.0 * self.blur;
        let high = rough().fold(f32::NEG_INFINITY, f32::max) - 2.0 * self.blur;
        let ends = rough()
            .enumerate()
            .filter(|(_, rough)| *rough <= low || *rough >= high)
            .map(|(row, _)| self.exact(row));
        let nothing = (f32::INFINITY, f32::NEG_INFINITY);
        ends.fold(nothing, |(least, greatest), cosine| {
            (least.min(cosine), greatest.max(cosine))
        })
    }

    pub(crate) fn of(&self, document: Document) -> Option<f64> {
        let row = self.documents().binary_search(&document).ok()?;
        Some(f64::from(self.exact(row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_matrix_keeps_its_rows_with_their_documents() {
        let mut matrix = Matrix::new(2);
        matrix.set(5, &[1.0, 0.0]);
        matrix.set(2, &[0.0, 1.0]);
        matrix.set(9, &[0.6, 0.8]);
        matrix.set(5, &[0.0, -1.0]);
        matrix.set(7, &[1.0, 2.0, 3.0]);
        matrix.set(8, &[f32::INFINITY, 0.0]);
        matrix.set(9, &[0.6, f32::NAN]);
        assert!(!matrix.holds(8) && !matrix.holds(9));
        let nearest = |count| -> Vec<(u64, f64)> {
            let scored = matrix.cosines(&[0.0, 1.0]).nearest(count);
            scored.iter().map(|hit| (hit.document, hit.score)).collect()
        };
        assert_eq!(nearest(9), vec![(2, 1.0), (5, -1.0)]);
        assert_eq!(nearest(1), vec![(2, 1.0)]);
        assert_eq!(nearest(0), vec![]);
        assert!(matrix.cosines(&[1.0]).nearest(3).is_empty());
        assert!(Matrix::new(2).cosines(&[0.0, 1.0]).nearest(3).is_empty());
    }

    proptest! {
        #[test]
        fn the_nearest_and_the_range_are_as_if_all_had_been_looked_at_exactly(
            angles in prop::collection::vec(0_u32..400, 0..200),
            count in 0_usize..30,
        ) {
            // Angles so close that rough cosines cannot tell them apart, many of them twice.
            let mut matrix = Matrix::new(2);
            for (document, angle) in angles.iter().enumerate() {
                let (sine, cosine) = (f64::from(*angle) * 1e-4).sin_cos();
                matrix.set(document as Document, &[cosine as f32, sine as f32]);
            }
            let query = [0.6, 0.8];
            let cosines = matrix.cosines(&query);
            let mut all: Vec<Scored> = cosines
                .all()
                .map(|(document, cosine)| Scored { document, score: f64::from(cosine) })
                .collect();
            all.sort_unstable_by(|one, other| other.cmp(one));
            if let (Some(nearest), Some(farthest)) = (all.first(), all.last()) {
                let (least, greatest) = cosines.range();
                prop_assert_eq!((f64::from(least), f64::from(greatest)), (farthest.score, nearest.score));
            }
            all.truncate(count);
            prop_assert_eq!(cosines.nearest(count), all);
        }
    }
}
