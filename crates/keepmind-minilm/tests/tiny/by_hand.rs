//! The same model, written out in plain loops and double precision: one text at a time, nothing filled up.

use crate::tiny::{HEADS, HIDDEN, LAYERS, Tensors};

type Rows = Vec<Vec<f64>>;

/// The mean of the last states of these tokens, at unit length.
pub fn vector(tensors: &Tensors, tokens: &[usize]) -> Vec<f64> {
    let row = |table: &str, row: usize, place: usize| {
        let (_, numbers) = &tensors[&format!("embeddings.{table}_embeddings.weight")];
        f64::from(numbers[row * HIDDEN + place])
    };
    let states = tokens.iter().enumerate().map(|(position, token)| {
        let sum = |place| {
            row("word", *token, place)
                + row("position", position, place)
                + row("token_type", 0, place)
        };
        (0..HIDDEN).map(sum).collect()
    });
    let mut states = norm(tensors, "embeddings.LayerNorm", states.collect());
    for layer in 0..LAYERS {
        states = one_layer(tensors, &format!("encoder.layer.{layer}"), states);
    }
    let sums: Vec<f64> = (0..HIDDEN)
        .map(|place| states.iter().map(|state| state[place]).sum())
        .collect();
    let length = sums
        .iter()
        .map(|number| number * number)
        .sum::<f64>()
        .sqrt();
    sums.iter().map(|number| number / length).collect()
}

fn one_layer(tensors: &Tensors, at: &str, states: Rows) -> Rows {
    let seen = attention(tensors, at, &states);
    let seen = dense(tensors, &format!("{at}.attention.output.dense"), &seen);
    let states = norm(
        tensors,
        &format!("{at}.attention.output.LayerNorm"),
        add(seen, &states),
    );
    let mut inner = dense(tensors, &format!("{at}.intermediate.dense"), &states);
    for number in inner.iter_mut().flatten() {
        *number *= 0.5 * (1.0 + error_function(*number / std::f64::consts::SQRT_2));
    }
    let outer = dense(tensors, &format!("{at}.output.dense"), &inner);
    norm(
        tensors,
        &format!("{at}.output.LayerNorm"),
        add(outer, &states),
    )
}

fn attention(tensors: &Tensors, at: &str, states: &Rows) -> Rows {
    let [query, key, value] = ["query", "key", "value"]
        .map(|name| dense(tensors, &format!("{at}.attention.self.{name}"), states));
    let size = HIDDEN / HEADS;
    let mut seen = vec![vec![0.0; HIDDEN]; states.len()];
    for head in 0..HEADS {
        let part = head * size..(head + 1) * size;
        for (from, seen) in seen.iter_mut().enumerate() {
            let score = |to: usize| -> f64 {
                let products = part
                    .clone()
                    .map(|place| query[from][place] * key[to][place]);
                (products.sum::<f64>() / (size as f64).sqrt()).exp()
            };
            let scores: Vec<f64> = (0..states.len()).map(score).collect();
            let all: f64 = scores.iter().sum();
            for place in part.clone() {
                let shares = scores
                    .iter()
                    .zip(&value)
                    .map(|(score, value)| score / all * value[place]);
                seen[place] = shares.sum();
            }
        }
    }
    seen
}

fn dense(tensors: &Tensors, name: &str, states: &Rows) -> Rows {
    let (_, weight) = &tensors[&format!("{name}.weight")];
    let (_, bias) = &tensors[&format!("{name}.bias")];
    let one = |state: &Vec<f64>| {
        let to = |to: usize| {
            let row = &weight[to * state.len()..(to + 1) * state.len()];
            let products = row
                .iter()
                .zip(state)
                .map(|(weight, number)| f64::from(*weight) * number);
            f64::from(bias[to]) + products.sum::<f64>()
        };
        (0..bias.len()).map(to).collect()
    };
    states.iter().map(one).collect()
}

fn norm(tensors: &Tensors, name: &str, states: Rows) -> Rows {
    let (_, weight) = &tensors[&format!("{name}.weight")];
    let (_, bias) = &tensors[&format!("{name}.bias")];
    let one = |state: Vec<f64>| {
        let count = state.len() as f64;
        let mean = state.iter().sum::<f64>() / count;
        let spread = state
            .iter()
            .map(|number| (number - mean).powi(2))
            .sum::<f64>()
            / count;
        let scaled = |(place, number): (usize, &f64)| {
            (number - mean) / (spread + 1e-12).sqrt() * f64::from(weight[place])
                + f64::from(bias[place])
        };
        state.iter().enumerate().map(scaled).collect()
    };
    states.into_iter().map(one).collect()
}

fn add(mut left: Rows, right: &Rows) -> Rows {
    for (left, right) in left.iter_mut().flatten().zip(right.iter().flatten()) {
        *left += right;
    }
    left
}

/// By its series, which is good for what a small model makes.
fn error_function(number: f64) -> f64 {
    if number.abs() > 5.0 {
        return number.signum();
    }
    let (mut term, mut sum) = (number, number);
    for at in 1..200 {
        let at = f64::from(at);
        term *= -number * number / at;
        sum += term / (2.0 * at + 1.0);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}
