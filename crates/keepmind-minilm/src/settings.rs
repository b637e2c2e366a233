//! What a model says of itself: its shape, and how sentence-transformers uses it.

use candle_transformers::models::bert::{self, HiddenAct, PositionEmbeddingType};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::files::{Folder, LoadError};

const CONFIG: &str = "config.json";
const SENTENCES: &str = "sentence_bert_config.json";
const MODULES: &str = "modules.json";
const POOLING: &str = "1_Pooling/config.json";

/// How many tokens are read of a text where no file says it.
const TOKENS: usize = 256;

/// The shape of a model, checked: every number is one that a BERT has.
#[derive(Debug)]
pub(crate) struct Settings {
    shape: Shape,
    act: HiddenAct,
    /// How many tokens are read of a text, those counted that mark its ends.
    pub longest: usize,
    /// Whether a text is written in small letters before the tokenizer sees it.
    pub lower_case: bool,
}

#[derive(Debug, Deserialize)]
struct Shape {
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    hidden_act: String,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f64,
    model_type: Option<String>,
    position_embedding_type: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Sentences {
    max_seq_length: Option<usize>,
    do_lower_case: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
}

impl Settings {
    pub fn read(folder: &Folder<'_>) -> Result<Self, LoadError> {
        let shape: Shape = parse(CONFIG, &folder.read(CONFIG)?)?;
        let act = shape.check().map_err(|reason| wrong(CONFIG, reason))?;
        let sentences: Sentences = match folder.read_if_there(SENTENCES)? {
            Some(file) => parse(SENTENCES, &file)?,
            None => Sentences::default(),
        };
        let longest = sentences.max_seq_length.unwrap_or(TOKENS);
        if longest == 0 {
            return Err(wrong(SENTENCES, "max_seq_length is 0"));
        }
        if let Some(file) = folder.read_if_there(MODULES)? {
            check_modules(&parse::<Vec<Module>>(MODULES, &file)?)?;
        }
        if let Some(file) = folder.read_if_there(POOLING)? {
            check_pooling(&parse(POOLING, &file)?)?;
        }
        Ok(Settings {
            longest: longest.min(shape.max_position_embeddings),
            lower_case: sentences.do_lower_case.unwrap_or_default(),
            shape,
            act,
        })
    }

    pub fn dimensions(&self) -> usize {
        self.shape.hidden_size
    }

    pub fn layers(&self) -> usize {
        self.shape.num_hidden_layers
    }

    /// How many tokens have a row in the table of tokens.
    pub fn vocabulary(&self) -> usize {
        self.shape.vocab_size
    }

    /// What changes vectors and stands in no other file that is part of the id.
    pub fn told_apart(&self) -> String {
        format!(
            "layers {} heads {} act {:?} epsilon {:e} longest {} lower case {}\n",
            self.shape.num_hidden_layers,
            self.shape.num_attention_heads,
            self.act,
            self.shape.layer_norm_eps,
            self.longest,
            self.lower_case,
        )
    }

    pub fn bert(&self) -> bert::Config {
        bert::Config {
            vocab_size: self.shape.vocab_size,
            hidden_size: self.shape.hidden_size,
            num_hidden_layers: self.shape.num_hidden_layers,
            num_attention_heads: self.shape.num_attention_heads,
            intermediate_size: self.shape.intermediate_size,
            hidden_act: self.act,
            max_position_embeddings: self.shape.max_position_embeddings,
            type_vocab_size: self.shape.type_vocab_size,
            layer_norm_eps: self.shape.layer_norm_eps,
            position_embedding_type: PositionEmbeddingType::Absolute,
            // Where the tensors are is found out beforehand.
            model_type: None,
            ..bert::Config::default()
        }
    }
}

impl Shape {
    /// Refuses what candle would divide by, or would take for something else.
    fn check(&self) -> Result<HiddenAct, String> {
        let sizes = [
            ("vocab_size", self.vocab_size, 4_000_000),
            ("hidden_size", self.hidden_size, 4_096),
            ("num_hidden_layers", self.num_hidden_layers, 128),
            ("num_attention_heads", self.num_attention_heads, 4_096),
            ("intermediate_size", self.intermediate_size, 65_536),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                65_536,
            ),
            ("type_vocab_size", self.type_vocab_size, 1_024),
        ];
        for (name, size, most) in sizes {
            if !(1..=most).contains(&size) {
                return Err(format!("{name} is {size}: 1 to {most} can be"));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err("hidden_size is no multiple of num_attention_heads".to_owned());
        }
        if !(self.layer_norm_eps > 0.0 && self.layer_norm_eps < 1.0) {
            return Err("layer_norm_eps is not between 0 and 1".to_owned());
        }
        let told = |name, value: &Option<String>, wanted| match value {
            Some(value) if value != wanted => {
                Err(format!("{name} is {value:?}: only {wanted:?} is read"))
            }
            _ => Ok(()),
        };
        told("model_type", &self.model_type, "bert")?;
        let positions = &self.position_embedding_type;
        told("position_embedding_type", positions, "absolute")?;
        match self.hidden_act.as_str() {
            "gelu" => Ok(HiddenAct::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" => Ok(HiddenAct::GeluApproximate),
            "relu" => Ok(HiddenAct::Relu),
            other => Err(format!(
                "hidden_act is {other:?}: gelu, gelu_new and relu are known"
            )),
        }
    }
}

/// A model that does more than average and bring to unit length would get wrong vectors without a word.
fn check_modules(modules: &[Module]) -> Result<(), LoadError> {
    for module in modules {
        let kind = module.kind.rsplit('.').next().unwrap_or_default();
        if !["Transformer", "Pooling", "Normalize"].contains(&kind) {
            let reason = format!("it has a module {kind:?}, which is not known here");
            return Err(wrong(MODULES, reason));
        }
    }
    Ok(())
}

/// One that takes the first token, or the greatest numbers, as well.
fn check_pooling(pooling: &Map<String, Value>) -> Result<(), LoadError> {
    for (name, value) in pooling {
        let other = match name.as_str() {
            "pooling_mode" => value != "mean",
            "pooling_mode_mean_tokens" => value == false,
            _ => name.starts_with("pooling_mode_") && value == true,
        };
        if other {
            let reason = format!("{name} is {value}: only the mean of all tokens is made");
            return Err(wrong(POOLING, reason));
        }
    }
    Ok(())
}

fn parse<'a, T: Deserialize<'a>>(file: &'static str, bytes: &'a [u8]) -> Result<T, LoadError> {
    serde_json::from_slice(bytes).map_err(|error| wrong(file, error.to_string()))
}

fn wrong(file: &'static str, reason: impl Into<String>) -> LoadError {
    LoadError::Settings {
        file,
        reason: reason.into(),
    }
}
