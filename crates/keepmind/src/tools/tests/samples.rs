//! The samples in `samples.json` against the parser. The tests' package holds the same samples against the
//! schemas with a validator of JSON Schema, so that the two cannot drift apart.

use serde::Deserialize;
use serde_json::Value;

use super::super::*;
use super::parse_in_utc;
use crate::policy::{Policy, Tool};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    tool: Tool,
    arguments: Value,
    /// The code of the parser's refusal; none where it accepts.
    refused: Option<Code>,
    /// Whether the arguments fit the schema.
    fits: bool,
    /// Why the two differ, where they do.
    #[serde(default)]
    because: String,
}

#[test]
fn samples_are_judged_as_they_say() {
    let samples: Vec<Sample> = serde_json::from_str(include_str!("samples.json")).expect("samples");
    let policy = Policy::default();
    for tool in Tool::ALL {
        assert!(samples.iter().any(|sample| sample.tool == tool));
    }
    for sample in samples {
        let Sample {
            tool,
            arguments,
            refused,
            fits,
            because,
        } = sample;
        let parsed = parse_in_utc(&policy, &policy.tool_name(tool), &arguments);
        assert_eq!(
            parsed.err().map(|refusal| refusal.code),
            refused,
            "{tool:?} {arguments}"
        );
        let differ = match refused {
            None => !fits,
            Some(Code::Schema) => fits,
            // What only cleaning shows is not the schema's to say.
            Some(_) => false,
        };
        assert_eq!(differ, !because.is_empty(), "{tool:?} {arguments}");
    }
}
