//! The tools' schemas as a validator of JSON Schema sees them: they are draft 2020-12, and they say what the
//! parser does.
//!
//! The samples are those that the core's own tests hold against the parser.

use keepmind::Policy;
use keepmind::tools::{ToolShape, definitions};
use serde_json::Value;

const SAMPLES: &str = include_str!("../../crates/keepmind/src/tools/tests/samples.json");

#[test]
fn every_schema_of_every_preset_is_draft_2020_12() {
    for preset in Policy::presets() {
        let policy = Policy::preset(preset).expect("a listed preset");
        for (shape, place) in [
            (ToolShape::OpenAi, "/function/parameters"),
            (ToolShape::Anthropic, "/input_schema"),
            (ToolShape::Mcp, "/inputSchema"),
        ] {
            let tools = definitions(&policy, shape);
            assert_eq!(tools.len(), policy.tools.offered.len());
            for tool in tools {
                let schema = tool.pointer(place).expect("a schema");
                if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
                    panic!("{preset} {shape:?}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_schema_that_is_none_is_noticed() {
    for schema in [
        serde_json::json!({"type": "text"}),
        serde_json::json!({"required": "content"}),
        serde_json::json!({"properties": {"content": {"maxLength": -1}}}),
    ] {
        assert!(
            !jsonschema::draft202012::meta::is_valid(&schema),
            "{schema}"
        );
    }
}

#[test]
fn schemas_say_what_the_parser_does() {
    let policy = Policy::default();
    let tools = definitions(&policy, ToolShape::Mcp);
    let samples: Vec<Value> = serde_json::from_str(SAMPLES).expect("samples");
    for sample in samples {
        let verb = sample["tool"].as_str().expect("a tool");
        let index = policy
            .tools
            .offered
            .iter()
            .position(|tool| tool.verb() == verb)
            .expect("an offered tool");
        let validator =
            jsonschema::draft202012::new(&tools[index]["inputSchema"]).expect("a schema");
        assert_eq!(
            Value::from(validator.is_valid(&sample["arguments"])),
            sample["fits"],
            "{sample}"
        );
    }
}
