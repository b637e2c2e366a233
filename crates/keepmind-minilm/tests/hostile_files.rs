//! Files that are damaged, do not belong together, or were made to do harm: refused with a reason, never a panic.

mod tiny;

use keepmind::Embedder;
use keepmind_minilm::{LoadError, MiniLmEmbedder};
use serde_json::{Value, json};
use tempfile::TempDir;
use tiny::{HIDDEN, Numbers, Tensors, put};

#[track_caller]
fn refused(folder: &TempDir) -> LoadError {
    MiniLmEmbedder::load(folder.path()).expect_err("it does not load")
}

/// What is said of a folder with this file in place of its own.
#[track_caller]
fn with(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let folder = tiny::folder();
    put(folder.path(), name, bytes);
    refused(&folder).to_string()
}

#[track_caller]
fn with_config(field: &str, value: Value) -> String {
    let mut config = tiny::config();
    config[field] = value;
    with("config.json", config.to_string())
}

#[track_caller]
fn with_tensors(change: impl FnOnce(&mut Tensors)) -> String {
    let mut tensors = tiny::tensors();
    change(&mut tensors);
    with("model.safetensors", tiny::weights(&tensors))
}

#[test]
fn missing_files_are_named() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = tiny::folder();
        std::fs::remove_file(folder.path().join(name)).expect("removed");
        let error = refused(&folder);
        assert!(
            matches!(&error, LoadError::Io { path, .. } if path.ends_with(name)),
            "{error}"
        );
        assert!(
            error.to_string().contains("a folder of weights holds"),
            "{error}"
        );
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
        assert!(refused(&folder).to_string().contains("not a file"));
    }
    let nowhere = MiniLmEmbedder::load("no such folder").expect_err("there is none");
    assert!(matches!(nowhere, LoadError::Io { .. }), "{nowhere}");
}

#[test]
fn a_shape_that_no_model_has_is_refused() {
    for field in [
        "vocab_size",
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "intermediate_size",
        "max_position_embeddings",
        "type_vocab_size",
    ] {
        for value in [
            json!(0),
            json!(-1),
            json!(u64::MAX),
            json!(1u64 << 40),
            json!("8"),
            Value::Null,
        ] {
            let said = with_config(field, value);
            assert!(
                said.contains("config.json cannot be used"),
                "{field}: {said}"
            );
        }
        // One that could be, but is not this model's.
        let said = with_config(field, json!(3));
        assert!(said.contains("cannot be used"), "{field}: {said}");
    }
    assert!(with_config("num_attention_heads", json!(5)).contains("multiple"));
    for value in [json!(0.0), json!(-1.0), json!(1e300), json!("x")] {
        assert!(with_config("layer_norm_eps", value).contains("config.json"));
    }
    assert!(with_config("hidden_act", json!("swish")).contains("hidden_act"));
    assert!(with_config("model_type", json!("roberta")).contains("roberta"));
    assert!(with_config("position_embedding_type", json!("relative_key")).contains("relative_key"));
    for file in ["", "{", "[]", "null", "\u{0}", &"[".repeat(100_000)] {
        assert!(with("config.json", file).contains("config.json"));
    }
}

#[test]
fn a_shape_that_is_not_the_tensors_is_refused() {
    assert!(with_config("num_hidden_layers", json!(1)).contains("more layers"));
    assert!(with_config("num_hidden_layers", json!(3)).contains("encoder.layer.2"));
    let said = with_config("hidden_size", json!(16));
    assert!(said.contains("shape"), "{said}");
    let said = with_tensors(|tensors| {
        tensors.remove("encoder.layer.1.output.dense.bias");
    });
    assert!(said.contains("encoder.layer.1.output.dense.bias"), "{said}");
    let said = with_tensors(|tensors| {
        let tensor = tensors.get_mut("encoder.layer.0.attention.self.key.weight");
        tensor.expect("a tensor").0 = vec![HIDDEN * HIDDEN];
    });
    assert!(said.contains("shape"), "{said}");
    assert!(with_tensors(Tensors::clear).contains("word_embeddings"));
    for number in [f32::NAN, f32::INFINITY] {
        let said = with_tensors(|tensors| {
            let name = "embeddings.word_embeddings.weight";
            tensors.get_mut(name).expect("a tensor").1[40] = number;
        });
        assert!(said.contains("no number"), "{said}");
    }
    // Numbers each of which is one, and whose products are none.
    let said = with_tensors(|tensors| {
        for (_, numbers) in tensors.values_mut() {
            numbers.fill(f32::MAX);
        }
    });
    assert!(said.contains("damaged"), "{said}");
    // Nothing but noughts: no direction.
    let said = with_tensors(|tensors| {
        for (_, numbers) in tensors.values_mut() {
            numbers.fill(0.0);
        }
    });
    assert!(said.contains("damaged"), "{said}");
}

#[test]
fn a_file_of_tensors_is_not_believed() {
    let whole = tiny::weights(&tiny::tensors());
    for length in [0, 1, 7, 8, 9, 100, whole.len() / 2, whole.len() - 1] {
        with("model.safetensors", &whole[..length]);
    }
    with("model.safetensors", [&whole[..], &[0; 16]].concat());
    // A header longer than the file, than memory, than numbers go.
    for length in [whole.len() as u64, 1 << 32, 1 << 62, u64::MAX] {
        let mut huge = whole.clone();
        huge[..8].copy_from_slice(&length.to_le_bytes());
        with("model.safetensors", huge);
    }
    // Shapes whose product is beyond all numbers, and tensors outside the file.
    for tensor in [
        json!({"dtype": "F32", "shape": [u64::MAX, u64::MAX], "data_offsets": [0, 4]}),
        json!({"dtype": "F32", "shape": [1], "data_offsets": [u64::MAX - 3, u64::MAX]}),
        json!({"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}),
        json!({"dtype": "F32", "shape": [0, 8], "data_offsets": [0, 0]}),
        json!({"dtype": "F4", "shape": [2], "data_offsets": [0, 1]}),
    ] {
        let header = json!({"embeddings.word_embeddings.weight": tensor}).to_string();
        let length = (header.len() as u64).to_le_bytes();
        with(
            "model.safetensors",
            [&length[..], header.as_bytes(), &[0; 4]].concat(),
        );
    }
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut tokenizer = tiny::tokenizer();
        change(&mut tokenizer);
        with("tokenizer.json", tokenizer.to_string())
    };
    let more = changed(&|tokenizer| tokenizer["model"]["vocab"]["zebra"] = json!(11));
    assert!(more.contains("more tokens than the model"), "{more}");
    let unmarked = changed(&|tokenizer| tokenizer["post_processor"] = Value::Null);
    assert!(unmarked.contains("begins and ends"), "{unmarked}");
    let outside = changed(&|tokenizer| {
        tokenizer["post_processor"]["special_tokens"]["[CLS]"]["ids"] = json!([4_000_000_000_u32]);
    });
    assert!(outside.contains("does not have"), "{outside}");
    let unknown = changed(&|tokenizer| tokenizer["model"]["unk_token"] = json!("[NONE]"));
    assert!(unknown.contains("cannot read"), "{unknown}");
    // On these the crate that reads them panics.
    let undescribed = changed(&|tokenizer| {
        let described = &mut tokenizer["post_processor"]["special_tokens"];
        described.as_object_mut().expect("marks").remove("[CLS]");
    });
    assert!(undescribed.contains("panic"), "{undescribed}");
    let second = changed(&|tokenizer| {
        tokenizer["post_processor"]["single"][1]["Sequence"]["id"] = json!("B");
    });
    assert!(second.contains("panic"), "{second}");
    for file in ["", "{}", "null", "[1", "\u{feff}"] {
        assert!(with("tokenizer.json", file).contains("tokenizer.json"));
    }
}

#[test]
fn a_model_that_is_used_in_another_way_is_refused() {
    let pooling = "1_Pooling/config.json";
    for file in [
        r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
        r#"{"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true}"#,
        r#"{"pooling_mode": "cls"}"#,
        "[]",
    ] {
        assert!(with(pooling, file).contains(pooling), "{file}");
    }
    let dense = r#"[{"type": "sentence_transformers.models.Dense"}]"#;
    assert!(with("modules.json", dense).contains("Dense"));
    for length in ["0", "1", "2", "-1", "1.5", "\"x\"", "1e400"] {
        let file = format!(r#"{{"max_seq_length": {length}}}"#);
        let said = with("sentence_bert_config.json", file);
        assert!(said.contains("cannot be used"), "{length}: {said}");
    }

    let folder = tiny::folder();
    put(
        folder.path(),
        pooling,
        r#"{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}"#,
    );
    put(
        folder.path(),
        "modules.json",
        r#"[{"type": "sentence_transformers.models.Pooling"}]"#,
    );
    put(
        folder.path(),
        "sentence_bert_config.json",
        r#"{"max_seq_length": null}"#,
    );
    MiniLmEmbedder::load(folder.path()).expect("it loads");
}

/// Some bytes of a file changed, many times: it is refused, or what it makes are vectors or an error.
#[tokio::test]
async fn damage_anywhere_is_no_panic() {
    let folder = tiny::folder();
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let (mut loaded, mut tried) = (0, 0);
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let path = folder.path().join(name);
        let whole = std::fs::read(&path).expect("a file");
        for _ in 0..400 {
            let mut damaged = whole.clone();
            // Of the weights mostly the header.
            let reach = damaged.len().min(5_000);
            for _ in 0..=numbers.below(3) {
                let place = numbers.below(reach);
                damaged[place] = match numbers.below(3) {
                    0 => numbers.next() as u8,
                    1 => b"0129{}[]\",:-e"[numbers.below(13)],
                    _ => damaged[numbers.below(reach)],
                };
            }
            std::fs::write(&path, damaged).expect("written");
            tried += 1;
            let Ok(embedder) = MiniLmEmbedder::load(folder.path()) else {
                continue;
            };
            loaded += 1;
            let texts = ["", "the kitten sleeps", "🦓 a\u{0}b", &"cat ".repeat(40)];
            if let Ok(vectors) = embedder.embed(&texts).await {
                assert_eq!(vectors.len(), texts.len());
                let numbers = vectors.iter().flatten();
                assert!(numbers.into_iter().all(|number| number.is_finite()));
            }
        }
        std::fs::write(&path, whole).expect("written");
    }
    assert!(loaded > 0 && loaded < tried, "{loaded} of {tried} loaded");
}
