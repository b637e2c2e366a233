//! An owner's vectors in one block of memory, scanned plainly.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wide::f32x8;

use crate::workload::DIMENSIONS;

#[derive(Debug, Default)]
pub struct Matrix {
    rows: Vec<i64>,
    numbers: Vec<f32>,
}

impl Matrix {
    pub fn push(&mut self, row: i64, vector: &[u8]) {
        let (numbers, _) = vector.as_chunks::<4>();
        self.rows.push(row);
        self.numbers
            .extend(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
    }

    /// The rows nearest to a unit vector, best first.
    pub fn nearest(&self, query: &[f32], limit: usize) -> Vec<i64> {
        let scored = self.scored(query, limit);
        scored.into_iter().map(|(row, _)| row).collect()
    }

    /// The same, with their cosines.
    pub fn scored(&self, query: &[f32], limit: usize) -> Vec<(i64, f64)> {
        let mut best = BinaryHeap::with_capacity(limit + 1);
        for (vector, &row) in self.numbers.chunks_exact(DIMENSIONS).zip(&self.rows) {
            let score = Score(dot(query, vector));
            if best.len() < limit {
                best.push(Reverse((score, row)));
            } else if let Some(mut worst) = best.peek_mut()
                && score > worst.0.0
            {
                *worst = Reverse((score, row));
            }
        }
        best.into_sorted_vec()
            .into_iter()
            .map(|Reverse((score, row))| (row, f64::from(score.0)))
            .collect()
    }
}

/// Eight sums side by side. What the compiler makes of plain loops depends on its settings, and is four times
/// as slow with those that this program is built with.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left, _) = left.as_chunks::<8>();
    let (right, _) = right.as_chunks::<8>();
    let mut sums = f32x8::ZERO;
    for (left, right) in left.iter().zip(right) {
        sums += f32x8::new(*left) * f32x8::new(*right);
    }
    sums.reduce_add()
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Score(f32);

impl Eq for Score {}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::query_vector;

    #[test]
    fn the_nearest_rows_come_first() {
        let mut matrix = Matrix::default();
        for row in 0..50 {
            let bytes: Vec<u8> = query_vector(row)
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect();
            matrix.push(row as i64, &bytes);
        }
        let nearest = matrix.nearest(&query_vector(7), 10);
        assert_eq!((nearest[0], nearest.len()), (7, 10));
    }
}
