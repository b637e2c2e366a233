//! Vectors in two planes: the upper bits of every number, which say how near a vector is to within a
//! little, and the lower bits, which are read only of those that may be among the nearest. A scan reads a
//! quarter of what the floats would be; both planes together take three quarters.

use wide::{f32x4, f32x8, i16x8, i32x4, i32x8, u8x16};

/// How many numbers are looked at together. Rows are filled up to a whole block.
const BLOCK: usize = 16;

/// A number is a count of steps, up to so many either way: as fine as a float is for the greatest number of
/// its row. Rounded up it is still less than what is added.
const MOST_STEPS: i32 = SHIFT - 2;

/// What is added to a count so that it is not negative.
const SHIFT: i32 = 1 << 22;

/// How many steps the numbers of the coarse plane are apart: a power of two.
const STRIDE: i32 = 1 << 15;

/// What a coarse number stands for is the middle of its stride, in strides.
const MIDDLE: f64 = 127.5;

/// For how many rows there is room at first.
const LEAST_ROOM: usize = 4;

/// Rows of numbers, all of one dimension.
#[derive(Debug, Clone, Default)]
pub(super) struct Planes {
    /// How many blocks a row has.
    width: usize,
    coarse: Vec<u8x16>,
    fine: Vec<[i16x8; 2]>,
    /// What a step is, of each row.
    steps: Vec<f32>,
    /// None is greater.
    greatest_step: f32,
}

/// A vector that rows are held against.
#[derive(Debug, Clone, Default)]
pub(super) struct Aim {
    numbers: Vec<[f32x4; 4]>,
    /// The same in whole steps,
    steps: Vec<[i16x8; 2]>,
    step: f64,
    /// and the sum of them.
    sum: i64,
    /// How far a rough product may be off, for a row whose step is 1.
    blur: f64,
}

impl Planes {
    pub(super) fn new(dimensions: usize) -> Self {
        Planes {
            width: dimensions.div_ceil(BLOCK),
            ..Planes::default()
        }
    }

    /// Makes room for so many rows more.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.coarse.reserve_exact(rows * self.width);
        self.fine.reserve_exact(rows * self.width);
        self.steps.reserve_exact(rows);
    }

    fn is_full(&self) -> bool {
        self.steps.len() == self.steps.capacity()
    }

    /// Makes room for twice as many where there is none left: while very many come, and until [`Planes::shrink`].
    #[cfg(feature = "sqlite")]
    pub(super) fn make_much_room(&mut self) {
        if self.is_full() {
            self.reserve(self.steps.len());
        }
    }

    /// Gives back what room is left.
    #[cfg(feature = "sqlite")]
    pub(super) fn shrink(&mut self) {
        self.coarse.shrink_to_fit();
        self.fine.shrink_to_fit();
        self.steps.shrink_to_fit();
    }

    fn place(&self, row: usize) -> std::ops::Range<usize> {
        row * self.width..(row + 1) * self.width
    }

    pub(super) fn push(&mut self, vector: &[f32]) {
        // Twice the room, as a list takes when it is full, would be more than the floats.
        if self.is_full() {
            self.reserve(LEAST_ROOM.max(self.steps.len() / 8));
        }
        let (coarse, fine) = (&mut self.coarse, &mut self.fine);
        let step = split(vector, |upper, lower| {
            coarse.push(upper);
            fine.push(lower);
        });
        self.steps.push(step);
        self.greatest_step = self.greatest_step.max(step);
    }

    /// Puts rows of others before rows of these: `places` are pairs of which row here and which of the others, in
    /// order. What stands behind is moved once for all of them.
    #[cfg(feature = "sqlite")]
    pub(super) fn insert_all(&mut self, others: &Planes, places: &[(usize, usize)]) {
        let mut end = self.steps.len();
        let rows = end + places.len();
        self.coarse.resize(rows * self.width, u8x16::ZERO);
        self.fine.resize(rows * self.width, [i16x8::ZERO; 2]);
        self.steps.resize(rows, 0.0);
        for (before, (place, other)) in places.iter().enumerate().rev() {
            let target = place + before;
            let behind = place * self.width..end * self.width;
            let moved = (target + 1) * self.width;
            self.coarse.copy_within(behind.clone(), moved);
            self.fine.copy_within(behind, moved);
            self.steps.copy_within(*place..end, target + 1);
            end = *place;
            let (into, from) = (self.place(target), others.place(*other));
            self.coarse[into.clone()].copy_from_slice(&others.coarse[from.clone()]);
            self.fine[into].copy_from_slice(&others.fine[from]);
            self.steps[target] = others.steps[*other];
        }
        self.greatest_step = self.greatest_step.max(others.greatest_step);
    }

    pub(super) fn insert(&mut self, row: usize, vector: &[f32]) {
        self.push(vector);
        let last = self.steps.len() - 1;
        let blocks = self.place(row).start..self.coarse.len();
        self.coarse[blocks.clone()].rotate_right(self.width);
        self.fine[blocks].rotate_right(self.width);
        self.steps[row..=last].rotate_right(1);
    }

    pub(super) fn replace(&mut self, row: usize, vector: &[f32]) {
        let mut at = self.place(row);
        let (coarse, fine) = (&mut self.coarse, &mut self.fine);
        let step = split(vector, |upper, lower| {
            if let Some(place) = at.next() {
                (coarse[place], fine[place]) = (upper, lower);
            }
        });
        self.steps[row] = step;
        self.greatest_step = self.greatest_step.max(step);
    }

    pub(super) fn remove(&mut self, row: usize) {
        let blocks = self.place(row);
        self.coarse.drain(blocks.clone());
        self.fine.drain(blocks);
        self.steps.remove(row);
    }

    /// The products of all rows with a vector, each at most [`Planes::blur`] from the exact one.
    pub(super) fn rough(&self, aim: &Aim) -> Vec<f32> {
        let scale = aim.step * f64::from(STRIDE);
        let middle = MIDDLE * aim.sum as f64;
        let rows = self.coarse.chunks_exact(self.width.max(1));
        rows.zip(&self.steps)
            .map(|(row, step)| {
                let product = coarse_product(&aim.steps, row) as f64 - middle;
                (product * scale * f64::from(*step)) as f32
            })
            .collect()
    }

    /// The product of a row with a vector, as exact as sums of floats are.
    pub(super) fn exact(&self, aim: &Aim, row: usize) -> f32 {
        let at = self.place(row);
        let product = product(&aim.numbers, &self.coarse[at.clone()], &self.fine[at]);
        product * self.steps[row]
    }

    /// How far a rough product is from the exact one at most.
    pub(super) fn blur(&self, aim: &Aim) -> f32 {
        // The next greater one: this too is rounded.
        ((aim.blur * f64::from(self.greatest_step)) as f32).next_up()
    }

    /// How many bytes it takes.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(super) fn bytes(&self) -> usize {
        self.coarse.capacity() * size_of::<u8x16>()
            + self.fine.capacity() * size_of::<[i16x8; 2]>()
            + self.steps.capacity() * size_of::<f32>()
    }
}

impl Aim {
    pub(super) fn new(vector: &[f32]) -> Self {
        let width = vector.len().div_ceil(BLOCK);
        // Sums of products stay within 32 bits: a lane adds two of them for every block.
        let most = i64::from(i32::MAX) / (2 * 255 * width.max(1) as i64);
        let most = most.min(i64::from(i16::MAX)) as f64;
        let step = f64::from(greatest(vector)) / most;
        let in_steps = |number: f32| match step > 0.0 {
            true => (f64::from(number) / step).round() as i16,
            false => 0,
        };
        let counts: Vec<i16> = vector.iter().copied().map(in_steps).collect();
        let (mut kept, mut lost) = (0.0, 0.0);
        for (number, count) in vector.iter().zip(&counts) {
            let near = f64::from(*count) * step;
            kept += near.abs();
            lost += (f64::from(*number) - near).abs();
        }
        // What the coarse plane leaves of a row, what the steps leave of the vector, and the rounding of
        // one sum a block and a few more.
        let rounding = (width + BLOCK) as f64 * f64::from(f32::EPSILON);
        let blur =
            kept * f64::from(STRIDE) / 2.0 + (lost + (kept + lost) * rounding) * f64::from(SHIFT);
        let quarters = |block: [f32; BLOCK]| {
            let (quarters, _) = block.as_chunks::<4>();
            [0, 1, 2, 3].map(|quarter| f32x4::new(quarters[quarter]))
        };
        let halves = |block: [i16; BLOCK]| {
            let (halves, _) = block.as_chunks::<8>();
            [i16x8::new(halves[0]), i16x8::new(halves[1])]
        };
        Aim {
            numbers: blocks(vector).map(quarters).collect(),
            sum: counts.iter().map(|count| i64::from(*count)).sum(),
            steps: blocks(&counts).map(halves).collect(),
            step,
            blur,
        }
    }
}

/// The numbers in whole blocks, filled up with zeros.
fn blocks<T: Copy + Default>(numbers: &[T]) -> impl Iterator<Item = [T; BLOCK]> {
    let (whole, rest) = numbers.as_chunks::<BLOCK>();
    let rest = (!rest.is_empty()).then(|| {
        let mut filled = [T::default(); BLOCK];
        filled[..rest.len()].copy_from_slice(rest);
        filled
    });
    whole.iter().copied().chain(rest)
}

/// Whether all are numbers, and none is endless.
pub(super) fn are_finite(vector: &[f32]) -> bool {
    let mut sum = f32x8::ZERO;
    // Nothing times what is finite is nothing.
    blocks(vector).for_each(|block| {
        let (halves, _) = block.as_chunks::<8>();
        let (left, right) = (f32x8::new(halves[0]), f32x8::new(halves[1]));
        sum += left * f32x8::ZERO + right * f32x8::ZERO;
    });
    sum.reduce_add() == 0.0
}

/// The greatest number, whatever its sign.
fn greatest(vector: &[f32]) -> f32 {
    let mut greatest = f32x8::ZERO;
    blocks(vector).for_each(|block| {
        let (halves, _) = block.as_chunks::<8>();
        greatest = greatest.fast_max(f32x8::new(halves[0]).abs());
        greatest = greatest.fast_max(f32x8::new(halves[1]).abs());
    });
    greatest.to_array().into_iter().fold(0.0, f32::max)
}

/// Both planes of a row, block by block; returns what its step is.
fn split(vector: &[f32], mut block: impl FnMut(u8x16, [i16x8; 2])) -> f32 {
    let greatest = greatest(vector);
    let (scale, step) = match greatest > 0.0 {
        true => (MOST_STEPS as f32 / greatest, greatest / MOST_STEPS as f32),
        false => (0.0, 0.0),
    };
    let scale = f32x8::splat(scale);
    blocks(vector).for_each(|numbers| {
        let (halves, _) = numbers.as_chunks::<8>();
        let (left, left_rest) = split_half(f32x8::new(halves[0]) * scale);
        let (right, right_rest) = split_half(f32x8::new(halves[1]) * scale);
        block(u8x16::narrow_i16x8(left, right), [left_rest, right_rest]);
    });
    step
}

/// The upper and the lower bits of counts of steps.
fn split_half(counts: f32x8) -> (i16x8, i16x8) {
    let counts = counts.fast_round_int() + i32x8::splat(SHIFT);
    let upper = counts >> STRIDE.ilog2();
    let lower = counts & i32x8::splat(STRIDE - 1);
    (
        i16x8::from_i32x8_saturate(upper),
        i16x8::from_i32x8_saturate(lower),
    )
}

fn coarse_product(aim: &[[i16x8; 2]], row: &[u8x16]) -> i64 {
    let (mut left, mut right) = (i32x4::ZERO, i32x4::ZERO);
    for (aim, row) in aim.iter().zip(row) {
        left += i16x8::from_u8x16_low(*row).dot(aim[0]);
        right += i16x8::from_u8x16_high(*row).dot(aim[1]);
    }
    let (left, right) = (left.to_array(), right.to_array());
    let sums = left.iter().chain(&right);
    sums.map(|sum| i64::from(*sum)).sum()
}

fn product(aim: &[[f32x4; 4]], coarse: &[u8x16], fine: &[[i16x8; 2]]) -> f32 {
    let mut sums = [f32x4::ZERO; 4];
    for ((aim, coarse), fine) in aim.iter().zip(coarse).zip(fine) {
        let (first, second) = counts(i16x8::from_u8x16_low(*coarse), fine[0]);
        let (third, fourth) = counts(i16x8::from_u8x16_high(*coarse), fine[1]);
        sums[0] += aim[0] * first;
        sums[1] += aim[1] * second;
        sums[2] += aim[2] * third;
        sums[3] += aim[3] * fourth;
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])).reduce_add()
}

/// Counts of steps from their upper and lower bits.
fn counts(upper: i16x8, lower: i16x8) -> (f32x4, f32x4) {
    // What a stride is fits only with the sign turned.
    let counts = lower.widening_mul(i16x8::splat(1))
        - upper.widening_mul(i16x8::splat(i16::MIN))
        - i32x8::splat(SHIFT);
    let (halves, _) = counts.as_array().as_chunks::<4>();
    (
        f32x4::from_i32x4(i32x4::new(halves[0])),
        f32x4::from_i32x4(i32x4::new(halves[1])),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(left: &[f32], right: &[f32]) -> f64 {
        let both = left.iter().zip(right);
        both.map(|(left, right)| f64::from(*left) * f64::from(*right))
            .sum()
    }

    /// Numbers of every size, as many as are asked for.
    fn vectors(dimensions: usize, rows: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
        let number = prop_oneof![
            4 => -1.0_f32..1.0,
            1 => -1e-6_f32..1e-6,
            1 => Just(0.0),
            1 => prop_oneof![Just(1.0_f32), Just(-1.0)],
        ];
        prop::collection::vec(prop::collection::vec(number, dimensions), rows)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn products_are_exact_and_rough_ones_within_the_blur(
            (aim, rows) in prop_oneof![Just(1_usize), Just(2), Just(16), Just(17), Just(100), Just(384), Just(3_000)]
                .prop_flat_map(|dimensions| (vectors(dimensions, 1), vectors(dimensions, 4)))
        ) {
            let mut planes = Planes::new(aim[0].len());
            rows.iter().for_each(|row| planes.push(row));
            let aimed = Aim::new(&aim[0]);
            let rough = planes.rough(&aimed);
            let blur = f64::from(planes.blur(&aimed));
            for (place, row) in rows.iter().enumerate() {
                let exact = f64::from(planes.exact(&aimed, place));
                prop_assert!((f64::from(rough[place]) - exact).abs() <= blur);
                let size: f64 = row.iter().zip(&aim[0]).map(|(one, other)| f64::from(one * other).abs()).sum();
                // A step of the row for every number, and the rounding of the sum.
                let step = 2e-7 * aim[0].iter().map(|number| f64::from(number.abs())).sum::<f64>();
                prop_assert!((exact - plain(row, &aim[0])).abs() <= step + 1e-5 * size, "{exact}");
            }
        }
    }

    #[test]
    fn rows_are_where_they_were_put() {
        let row = |number: f32| vec![number; 20];
        let mut planes = Planes::new(20);
        for number in [1.0, 3.0, 4.0] {
            planes.push(&row(number));
        }
        planes.insert(1, &row(2.0));
        planes.insert(0, &row(0.0));
        planes.remove(1);
        planes.replace(1, &row(-2.0));
        let aim = Aim::new(&row(0.05));
        let exact: Vec<f32> = (0..4).map(|at| planes.exact(&aim, at).round()).collect();
        assert_eq!(exact, [0.0, -2.0, 3.0, 4.0]);
        let rough = planes.rough(&aim);
        assert_eq!(rough.len(), 4);
    }

    #[test]
    fn one_number_that_is_none_is_found_wherever_it_stands() {
        for dimensions in [1, 7, 8, 16, 17, 384] {
            let mut vector: Vec<f32> = (0..dimensions).map(|place| place as f32 - 8.0).collect();
            vector[0] = f32::MAX;
            vector[dimensions / 2] = f32::MIN;
            assert!(are_finite(&vector));
            for place in 0..dimensions {
                for none in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                    let before = std::mem::replace(&mut vector[place], none);
                    assert!(!are_finite(&vector));
                    vector[place] = before;
                }
            }
        }
        assert!(are_finite(&[]));
    }

    #[test]
    fn numbers_that_are_none_are_no_panic() {
        let mut planes = Planes::new(3);
        for number in [f32::NAN, f32::INFINITY, f32::MIN_POSITIVE / 4.0, f32::MAX] {
            planes.push(&[number, 1.0, -number]);
            let aim = Aim::new(&[number, 0.5, 0.5]);
            planes.rough(&aim);
            planes.exact(&aim, 0);
        }
    }
}
