//! The table of token vectors, kept as it is stored where that is half as large.

use half::f16;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::folder::LoadError;

/// What the table is called: by WordLlama, by model2vec, by sentence-transformers.
const NAMES: [&str; 3] = ["embedding.weight", "embeddings", "embedding"];
/// The most dimensions and tokens that are taken for a table of token vectors.
const MOST_DIMENSIONS: usize = 4_096;
const MOST_TOKENS: usize = 4_000_000;

/// A row for each token, or for several that share one.
pub(crate) struct Matrix {
    dimensions: usize,
    numbers: Numbers,
    /// Which row a token has, where that is not its own number.
    rows: Option<Vec<u32>>,
    /// How much a token counts, where not all count the same.
    weights: Option<Vec<f32>>,
    /// For a text without any known token: the mean of all rows.
    nothing: Vec<f32>,
}

enum Numbers {
    Half(Vec<f16>),
    Single(Vec<f32>),
}

impl Matrix {
    pub fn read(file: &[u8]) -> Result<Self, LoadError> {
        let wrong = |message: &str| LoadError::Weights(message.to_owned());
        let tensors = SafeTensors::deserialize(file)
            .map_err(|error| LoadError::Weights(error.to_string()))?;
        let table = NAMES
            .iter()
            .find_map(|name| tensors.tensor(name).ok())
            .ok_or_else(|| wrong("there is no tensor `embedding.weight` or `embeddings`"))?;
        let &[tokens, dimensions] = table.shape() else {
            return Err(wrong("the table has not two dimensions"));
        };
        if !(1..=MOST_TOKENS).contains(&tokens) || !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(wrong("the table has no size that a table of tokens has"));
        }
        let numbers = Numbers::read(&table)?;
        let weights = optional(&tensors, "weights", Numbers::read)?;
        if !numbers.are_finite()
            || weights
                .as_ref()
                .is_some_and(|weights| !weights.are_finite())
        {
            return Err(wrong("the table holds what is no number"));
        }
        // Any direction will do where even the mean of all rows has none.
        let mut nothing = vec![0.0; dimensions];
        nothing[0] = 1.0;
        let mut matrix = Matrix {
            dimensions,
            numbers,
            rows: None,
            weights: None,
            nothing,
        };
        let all: Vec<u32> = (0..tokens as u32).collect();
        matrix.nothing = matrix.mean(&all);
        matrix.rows = optional(&tensors, "mapping", whole_numbers)?;
        matrix.weights = weights.map(Numbers::into_single);
        Ok(matrix)
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Where the row of a token begins; nothing where it has none.
    fn place(&self, token: u32) -> Option<usize> {
        let row = match &self.rows {
            None => token as usize,
            Some(rows) => *rows.get(token as usize)? as usize,
        };
        let place = row.checked_mul(self.dimensions)?;
        (place < self.numbers.len()).then_some(place)
    }

    fn weight(&self, token: u32) -> f32 {
        match &self.weights {
            None => 1.0,
            Some(weights) => weights.get(token as usize).copied().unwrap_or(1.0),
        }
    }

    /// The sum of the tokens' rows. Tokens beyond the table are unknown.
    pub fn sum(&self, tokens: &[u32]) -> Vec<f64> {
        // Of a long text, so many small numbers are added that single precision would be felt.
        let mut sums = vec![0.0_f64; self.dimensions];
        for &token in tokens {
            if let Some(place) = self.place(token) {
                let row = place..place + self.dimensions;
                self.numbers.add(row, self.weight(token), &mut sums);
            }
        }
        sums
    }

    /// The mean of the tokens' rows, brought to unit length.
    pub fn mean(&self, tokens: &[u32]) -> Vec<f32> {
        let sums = self.sum(tokens);
        let length = sums.iter().map(|number| number.powi(2)).sum::<f64>().sqrt();
        if length < f64::from(f32::MIN_POSITIVE) {
            return self.nothing.clone();
        }
        sums.iter().map(|number| (number / length) as f32).collect()
    }
}

impl Numbers {
    fn read(table: &TensorView<'_>) -> Result<Self, LoadError> {
        let bytes = table.data();
        match table.dtype() {
            Dtype::F16 => {
                let (numbers, _) = bytes.as_chunks::<2>();
                let half = numbers.iter().map(|bytes| f16::from_le_bytes(*bytes));
                Ok(Numbers::Half(half.collect()))
            }
            Dtype::F64 => {
                let (numbers, _) = bytes.as_chunks::<8>();
                let double = numbers
                    .iter()
                    .map(|bytes| f64::from_le_bytes(*bytes) as f32);
                Ok(Numbers::Single(double.collect()))
            }
            Dtype::F32 => {
                let (numbers, _) = bytes.as_chunks::<4>();
                let single = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
                Ok(Numbers::Single(single.collect()))
            }
            other => Err(LoadError::Weights(format!(
                "its numbers are {other:?}: F16, F32 and F64 are read"
            ))),
        }
    }

    fn len(&self) -> usize {
        match self {
            Numbers::Half(numbers) => numbers.len(),
            Numbers::Single(numbers) => numbers.len(),
        }
    }

    fn are_finite(&self) -> bool {
        match self {
            Numbers::Half(numbers) => numbers.iter().all(|number| number.is_finite()),
            Numbers::Single(numbers) => numbers.iter().all(|number| number.is_finite()),
        }
    }

    fn into_single(self) -> Vec<f32> {
        match self {
            Numbers::Half(numbers) => numbers.into_iter().map(f16::to_f32).collect(),
            Numbers::Single(numbers) => numbers,
        }
    }

    fn add(&self, row: std::ops::Range<usize>, weight: f32, sums: &mut [f64]) {
        match self {
            Numbers::Half(numbers) => {
                for (sum, number) in sums.iter_mut().zip(&numbers[row]) {
                    *sum += f64::from(weight * number.to_f32());
                }
            }
            Numbers::Single(numbers) => {
                for (sum, number) in sums.iter_mut().zip(&numbers[row]) {
                    *sum += f64::from(weight * number);
                }
            }
        }
    }
}

/// A tensor that a file may have.
fn optional<T>(
    tensors: &SafeTensors<'_>,
    name: &str,
    read: impl FnOnce(&TensorView<'_>) -> Result<T, LoadError>,
) -> Result<Option<T>, LoadError> {
    tensors
        .tensor(name)
        .ok()
        .map(|tensor| read(&tensor))
        .transpose()
}

/// Which row each token has.
fn whole_numbers(tensor: &TensorView<'_>) -> Result<Vec<u32>, LoadError> {
    let bytes = tensor.data();
    let numbers: Vec<i64> = match tensor.dtype() {
        Dtype::I64 => {
            let (numbers, _) = bytes.as_chunks::<8>();
            numbers
                .iter()
                .map(|bytes| i64::from_le_bytes(*bytes))
                .collect()
        }
        Dtype::I32 => {
            let (numbers, _) = bytes.as_chunks::<4>();
            let numbers = numbers.iter().map(|bytes| i32::from_le_bytes(*bytes));
            numbers.map(i64::from).collect()
        }
        other => {
            let message = format!("`mapping` holds {other:?}: I32 and I64 are read");
            return Err(LoadError::Weights(message));
        }
    };
    let row = |number: i64| u32::try_from(number).ok();
    let rows: Option<Vec<u32>> = numbers.into_iter().map(row).collect();
    rows.ok_or_else(|| LoadError::Weights("`mapping` names a row that cannot be".to_owned()))
}
