//! The definitions against what is checked in, and against what every provider asks of them.
//! `KEEPMIND_BLESS=1` writes the snapshots anew.

use std::path::PathBuf;

use serde_json::Value;

use super::super::*;
use crate::policy::{Policy, Tool};

const SHAPES: [(&str, ToolShape); 3] = [
    ("openai", ToolShape::OpenAi),
    ("anthropic", ToolShape::Anthropic),
    ("mcp", ToolShape::Mcp),
];

/// Every preset, and policies at the edges of what is valid.
fn policies() -> Vec<Policy> {
    let presets = Policy::presets().iter();
    let mut policies: Vec<Policy> = presets
        .map(|name| Policy::preset(name).expect("a listed preset"))
        .collect();
    let mut bare = Policy::default();
    bare.domains.clear();
    policies.push(bare);
    for tool in Tool::ALL {
        let mut alone = Policy::default();
        alone.tools.offered = vec![tool];
        policies.push(alone);
    }
    policies
}

#[test]
fn definitions_are_as_checked_in() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tools/snapshots");
    for preset in ["default", "advisor"] {
        let policy = Policy::preset(preset).expect("a listed preset");
        for (shape_name, shape) in SHAPES {
            let path = folder.join(format!("{preset}.{shape_name}.json"));
            let made = Value::Array(definitions(&policy, shape));
            if std::env::var_os("KEEPMIND_BLESS").is_some() {
                std::fs::write(&path, format!("{made:#}\n")).expect("a snapshot is written");
            }
            let kept = std::fs::read_to_string(&path).expect("a snapshot is checked in");
            let kept: Value = serde_json::from_str(&kept).expect("a snapshot is JSON");
            assert!(
                made == kept,
                "{} differs: KEEPMIND_BLESS=1 writes it anew",
                path.display()
            );
        }
    }
}

#[test]
fn the_three_shapes_say_the_same_in_the_policy_s_order() {
    for policy in policies() {
        let [open_ai, anthropic, mcp] = SHAPES.map(|(_, shape)| definitions(&policy, shape));
        let names: Vec<String> = policy
            .tools
            .offered
            .iter()
            .map(|tool| policy.tool_name(*tool))
            .collect();
        assert_eq!(open_ai.len(), names.len());
        for (index, name) in names.iter().enumerate() {
            let (open_ai, anthropic, mcp) = (&open_ai[index], &anthropic[index], &mcp[index]);
            assert_eq!(open_ai["type"], "function");
            let function = &open_ai["function"];
            assert_eq!(&function["name"], name);
            assert_eq!(&anthropic["name"], name);
            assert_eq!(&mcp["name"], name);
            assert_eq!(function["description"], anthropic["description"]);
            assert_eq!(function["description"], mcp["description"]);
            assert_eq!(function["parameters"], anthropic["input_schema"]);
            assert_eq!(function["parameters"], mcp["inputSchema"]);
            assert_eq!(mcp["annotations"]["openWorldHint"], false);
        }
        let again = definitions(&policy, ToolShape::OpenAi);
        assert_eq!(
            format!("{open_ai:?}"),
            format!("{again:?}"),
            "the same bytes each time"
        );
    }
}

#[test]
fn descriptions_are_short_and_name_only_what_is_offered() {
    for policy in policies() {
        let every: Vec<String> = Tool::ALL
            .iter()
            .map(|tool| policy.tool_name(*tool))
            .collect();
        for tool in definitions(&policy, ToolShape::Anthropic) {
            let description = tool["description"].as_str().expect("a description");
            // What the strictest provider takes.
            assert!(description.len() <= 1_024, "{description}");
            for name in &every {
                let offered = policy.tools.by_name(name).is_some();
                assert!(
                    offered || !description.contains(name),
                    "{name}: {description}"
                );
            }
            let schema = &tool["input_schema"];
            assert_eq!(schema["type"], "object");
            assert_eq!(schema["additionalProperties"], false);
            let properties = schema["properties"].as_object().expect("properties");
            for (name, property) in properties {
                let words = property["description"].as_str().expect("a description");
                assert!(
                    words.ends_with('.') && !words.contains('\n'),
                    "{name}: {words}"
                );
            }
        }
    }
}

#[test]
fn what_the_policy_lacks_is_not_offered() {
    let mut policy = Policy::default();
    policy.domains.clear();
    for tool in definitions(&policy, ToolShape::Mcp) {
        assert_eq!(tool["inputSchema"]["properties"].get("domain"), None);
    }
    policy.tools.offered.clear();
    assert!(definitions(&policy, ToolShape::Mcp).is_empty());
    let default = definitions(&Policy::default(), ToolShape::Mcp);
    let categories = &default[0]["inputSchema"]["properties"]["category"]["enum"];
    let categories = categories.as_array().expect("names");
    assert!(
        !categories.contains(&Value::from("episode")),
        "only the library writes episodes"
    );
    assert_eq!(
        categories.len(),
        Policy::default().writable_categories().count()
    );
}
