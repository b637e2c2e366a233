//! The model: from tokens to vectors of unit length.

use std::collections::HashMap;

use candle_core::{DType, Device, Tensor, safetensors};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use keepmind::PlugError;

use crate::files::LoadError;
use crate::settings::Settings;

/// Where the tensors are, in a file of the model alone and in one of a model with a head.
const PREFIXES: [&str; 2] = ["", "bert."];

pub(crate) struct Bert {
    model: BertModel,
    dimensions: usize,
}

impl Bert {
    pub fn read(file: &[u8], settings: &Settings) -> Result<Self, LoadError> {
        let failed = |error| LoadError::Weights(first_line(&error));
        let tensors = safetensors::load_buffer(file, &Device::Cpu).map_err(failed)?;
        for (name, tensor) in &tensors {
            if !is_finite(tensor).map_err(failed)? {
                let reason = format!("{name} holds what is no number");
                return Err(LoadError::Weights(reason));
            }
        }
        let prefix = PREFIXES
            .into_iter()
            .find(|prefix| {
                tensors.contains_key(&format!("{prefix}embeddings.word_embeddings.weight"))
            })
            .ok_or_else(|| {
                LoadError::Weights(
                    "there is no tensor embeddings.word_embeddings.weight".to_owned(),
                )
            })?;
        // More layers than the settings tell would be left out without a word.
        let surplus = format!("{prefix}encoder.layer.{}.", settings.layers());
        if tensors.keys().any(|name| name.starts_with(&surplus)) {
            let reason = "it has more layers than num_hidden_layers in config.json";
            return Err(LoadError::Weights(reason.to_owned()));
        }
        let tensors: HashMap<String, Tensor> = tensors
            .into_iter()
            .filter_map(|(name, tensor)| Some((name.strip_prefix(prefix)?.to_owned(), tensor)))
            .collect();
        let named = VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu);
        let model = BertModel::load(named, &settings.bert()).map_err(failed)?;
        Ok(Bert {
            model,
            dimensions: settings.dimensions(),
        })
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// One vector for each text. Every text has tokens, none more than the model reads.
    pub fn vectors(&self, texts: &[&[u32]]) -> Result<Vec<Vec<f32>>, PlugError> {
        let sums = self.sums(texts).map_err(|error| {
            PlugError::lasting(format!("the model fails: {}", first_line(&error)))
        })?;
        sums.into_iter()
            .map(|sum| {
                unit_length(&sum).ok_or_else(|| {
                    PlugError::lasting("the model makes what is no vector: its weights are damaged")
                })
            })
            .collect()
    }

    /// The sum of the last states of each text's tokens: it points where their mean does.
    fn sums(&self, texts: &[&[u32]]) -> candle_core::Result<Vec<Vec<f32>>> {
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
        let shape = (texts.len(), longest);
        let mut tokens = Vec::with_capacity(texts.len() * longest);
        let mut mask = Vec::with_capacity(texts.len() * longest);
        for text in texts {
            let filled = longest - text.len();
            // Any token fills up: the mask hides it.
            tokens.extend_from_slice(text);
            tokens.extend(std::iter::repeat_n(0, filled));
            mask.extend(std::iter::repeat_n(1.0_f32, text.len()));
            mask.extend(std::iter::repeat_n(0.0_f32, filled));
        }
        let tokens = Tensor::from_vec(tokens, shape, &Device::Cpu)?;
        let mask = Tensor::from_vec(mask, shape, &Device::Cpu)?;
        let states = self
            .model
            .forward(&tokens, &tokens.zeros_like()?, Some(&mask))?;
        states.broadcast_mul(&mask.unsqueeze(2)?)?.sum(1)?.to_vec2()
    }
}

fn unit_length(sum: &[f32]) -> Option<Vec<f32>> {
    let squares = sum.iter().map(|number| f64::from(*number).powi(2));
    let length = squares.sum::<f64>().sqrt();
    if !length.is_finite() || length < f64::from(f32::MIN_POSITIVE) {
        return None;
    }
    let at_unit = |number: &f32| (f64::from(*number) / length) as f32;
    Some(sum.iter().map(at_unit).collect())
}

/// Whether all numbers are some; whole ones always are.
fn is_finite(tensor: &Tensor) -> candle_core::Result<bool> {
    if !tensor.dtype().is_float() || tensor.elem_count() == 0 {
        return Ok(true);
    }
    let numbers = tensor.to_dtype(DType::F32)?.flatten_all()?;
    Ok(numbers
        .to_vec1::<f32>()?
        .iter()
        .all(|number| number.is_finite()))
}

/// Without the trace that candle adds on some machines.
fn first_line(error: &candle_core::Error) -> String {
    let told = error.to_string();
    told.lines().next().unwrap_or_default().to_owned()
}
