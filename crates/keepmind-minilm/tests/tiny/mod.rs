//! A BERT small enough to be made in a test: two layers of eight numbers, and eleven words.

#![allow(dead_code)] // Each test uses a part of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::{TensorView, serialize};
use serde_json::{Value, json};

pub const HIDDEN: usize = 8;
pub const INNER: usize = 16;
pub const HEADS: usize = 2;
pub const LAYERS: usize = 2;
pub const POSITIONS: usize = 12;
pub const WORDS: [&str; 11] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "car", "drives", "sleeps", "##ten", "kit",
];

pub type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// Numbers that look random and are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn some(&mut self, count: usize, around: f32) -> Vec<f32> {
        let mut one = || around + (self.next() % 2_000) as f32 / 1_000.0 - 1.0;
        (0..count).map(|_| one()).collect()
    }
}

pub fn tensors() -> Tensors {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut tensors = Tensors::new();
    let mut add = |name: String, shape: Vec<usize>, around| {
        let count = shape.iter().product();
        tensors.insert(name, (shape, numbers.some(count, around)));
    };
    let mut norms = Vec::new();
    for (table, rows) in [
        ("word", WORDS.len()),
        ("position", POSITIONS),
        ("token_type", 2),
    ] {
        let name = format!("embeddings.{table}_embeddings.weight");
        add(name, vec![rows, HIDDEN], 0.0);
    }
    norms.push("embeddings.LayerNorm".to_owned());
    for layer in 0..LAYERS {
        let at = format!("encoder.layer.{layer}");
        for (name, to, from) in [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", INNER, HIDDEN),
            ("output.dense", HIDDEN, INNER),
        ] {
            add(format!("{at}.{name}.weight"), vec![to, from], 0.0);
            add(format!("{at}.{name}.bias"), vec![to], 0.0);
        }
        norms.push(format!("{at}.attention.output.LayerNorm"));
        norms.push(format!("{at}.output.LayerNorm"));
    }
    for norm in norms {
        add(format!("{norm}.weight"), vec![HIDDEN], 1.5);
        add(format!("{norm}.bias"), vec![HIDDEN], 0.0);
    }
    tensors
}

pub fn weights(tensors: &Tensors) -> Vec<u8> {
    let bytes = |numbers: &[f32]| -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    };
    let data: BTreeMap<&str, (&Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, (shape, numbers))| (name.as_str(), (shape, bytes(numbers))))
        .collect();
    let views = data.iter().map(|(name, (shape, bytes))| {
        let view = TensorView::new(Dtype::F32, shape.to_vec(), bytes).expect("a tensor");
        (name.to_string(), view)
    });
    serialize(views, None).expect("a file of tensors")
}

pub fn config() -> Value {
    json!({
        "model_type": "bert", "architectures": ["BertModel"], "hidden_act": "gelu",
        "vocab_size": WORDS.len(), "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
        "position_embedding_type": "absolute", "pad_token_id": 0,
    })
}

/// As the files of these models are: with a truncation and a padding that are not the model's.
pub fn tokenizer() -> Value {
    let vocabulary: BTreeMap<&str, usize> = WORDS
        .iter()
        .enumerate()
        .map(|(place, word)| (*word, place))
        .collect();
    let special = |id: usize| {
        json!({"id": id, "content": WORDS[id], "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false, "special": true})
    };
    let mark = |word: &str| json!({"SpecialToken": {"id": word, "type_id": 0}});
    let text = json!({"Sequence": {"id": "A", "type_id": 0}});
    json!({
        "version": "1.0",
        "truncation": {"max_length": 5, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 6}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": [special(0), special(1), special(2), special(3)],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [mark("[CLS]"), text, mark("[SEP]")],
            "pair": [mark("[CLS]"), text, mark("[SEP]")],
            "special_tokens": {
                "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary},
    })
}

pub fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("a file is written");
}

/// A folder that loads.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "config.json", config().to_string());
    put(folder.path(), "tokenizer.json", tokenizer().to_string());
    put(folder.path(), "model.safetensors", weights(&tensors()));
    folder
}
