//! The vector of a memory's text. Making vectors is the host's [`Embedder`](crate::Embedder).

use serde::{Deserialize, Serialize};

use crate::ids::RowId;

/// What an embedding is found by: one for each row and embedder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingKey {
    /// Whose text it stands for.
    pub memory: RowId,
    /// Which embedder made it.
    pub embedder: String,
}

/// A vector of unit length, finite in every component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f32>", into = "Vec<f32>")]
pub struct Vector(Vec<f32>);

/// Why numbers cannot be a vector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// There are no numbers, or too many.
    #[error("a vector has 1 to {max} dimensions, not {dimensions}")]
    Dimensions {
        /// How many there are.
        dimensions: usize,
        /// How many there may be.
        max: usize,
    },
    /// A number is not finite.
    #[error("component {position} of a vector is not a finite number")]
    NotFinite {
        /// Where it stands.
        position: usize,
    },
    /// The vector has no direction.
    #[error("a vector of length zero has no direction and cannot be compared")]
    Zero,
}

impl Vector {
    /// The most dimensions a vector may have.
    pub const MAX_DIMENSIONS: usize = 8_192;

    /// Takes numbers in any length and scales them to unit length. What is already of unit length (to
    /// within rounding) is kept bit for bit, so that a stored vector reads back as it was.
    pub fn new(numbers: Vec<f32>) -> Result<Self, VectorError> {
        if numbers.is_empty() || numbers.len() > Self::MAX_DIMENSIONS {
            return Err(VectorError::Dimensions {
                dimensions: numbers.len(),
                max: Self::MAX_DIMENSIONS,
            });
        }
        if let Some(position) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(VectorError::NotFinite { position });
        }
        let length = numbers
            .iter()
            .map(|&number| f64::from(number).powi(2))
            .sum::<f64>()
            .sqrt();
        if length < 1e-30 {
            return Err(VectorError::Zero);
        }
        if (length - 1.0).abs() < 1e-4 {
            return Ok(Vector(numbers));
        }
        let scaled = numbers
            .into_iter()
            .map(|number| (f64::from(number) / length) as f32)
            .collect();
        Ok(Vector(scaled))
    }

    /// How many dimensions it has.
    pub fn dimensions(&self) -> usize {
        self.0.len()
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }
}

impl TryFrom<Vec<f32>> for Vector {
    type Error = VectorError;

    fn try_from(numbers: Vec<f32>) -> Result<Self, VectorError> {
        Vector::new(numbers)
    }
}

impl From<Vector> for Vec<f32> {
    fn from(vector: Vector) -> Self {
        vector.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_of_unit_length_and_finite() {
        assert_eq!(Vector::new(vec![3.0, 4.0]).unwrap().as_slice(), &[0.6, 0.8]);
        assert_eq!(Vector::new(vec![0.0, 0.0]), Err(VectorError::Zero));
        assert_eq!(
            Vector::new(vec![1.0, f32::NAN]),
            Err(VectorError::NotFinite { position: 1 })
        );
        assert!(Vector::new(vec![]).is_err());
        assert!(Vector::new(vec![1.0; 8_193]).is_err());
        assert!(Vector::new(vec![f32::MAX, f32::MAX]).is_ok());
    }

    #[test]
    fn a_unit_vector_is_kept_bit_for_bit() {
        let unit = Vector::new(vec![0.1, 0.7, -0.3]).unwrap();
        assert_eq!(Vector::new(unit.as_slice().to_vec()).unwrap(), unit);
    }
}
