//! Arguments of the right type whose text shows nothing, or hides what it shows.

use serde_json::json;

use super::super::*;
use super::refused;

#[test]
fn what_shows_nothing_is_empty() {
    for blank in [
        "",
        " ",
        "\u{200b}\u{a0}\u{2060}",
        "\n\t",
        "\u{3164}",
        "\u{200d}",
    ] {
        for (tool, arguments) in [
            ("save_memory", json!({"content": blank})),
            (
                "update_memory",
                json!({"id_or_substring": blank, "new_content": "x"}),
            ),
            (
                "update_memory",
                json!({"id_or_substring": "#1", "new_content": blank}),
            ),
            ("forget_memory", json!({"id_or_substring": blank})),
            ("confirm_memory", json!({"id_or_substring": blank})),
            (
                "link_memories",
                json!({"from_id": 1, "to_id": 2, "relation": blank}),
            ),
            ("recall_memories", json!({"query": blank})),
            (
                "propose_memory",
                json!({"content": blank, "reasoning": "x"}),
            ),
            (
                "propose_memory",
                json!({"content": "x", "reasoning": blank}),
            ),
            (
                "propose_memory",
                json!({"content": "x", "reasoning": "x", "target": blank}),
            ),
        ] {
            assert_eq!(
                refused(tool, &arguments).code,
                Code::Empty,
                "{tool} {arguments}"
            );
        }
    }
}

#[test]
fn what_hides_or_reorders_is_refused_wherever_it_stands() {
    for unfit in [
        "a\0b",
        "a\u{202e}b",
        "a\u{2066}b",
        "\u{e0041}",
        "a\u{1b}[0m",
        "\u{fffe}",
    ] {
        for (tool, arguments) in [
            ("save_memory", json!({"content": unfit})),
            ("save_memory", json!({"content": "x", "detail": unfit})),
            ("save_memory", json!({"content": "x", "key": unfit})),
            ("save_memory", json!({"content": "x", "value": unfit})),
            (
                "save_memory",
                json!({"content": "x", "value": [{"a": [unfit]}]}),
            ),
            (
                "save_memory",
                json!({"content": "x", "value": {(unfit): 1}}),
            ),
            (
                "update_memory",
                json!({"id_or_substring": "#1", "new_content": unfit}),
            ),
            ("forget_memory", json!({"id_or_substring": unfit})),
            ("recall_memories", json!({"query": unfit})),
            (
                "propose_memory",
                json!({"content": "x", "reasoning": unfit}),
            ),
            (
                "propose_memory",
                json!({"content": "x", "reasoning": "x", "evidence": unfit}),
            ),
            (
                "propose_memory",
                json!({"content": "x", "reasoning": "x", "target": unfit}),
            ),
        ] {
            let refusal = refused(tool, &arguments);
            assert_eq!(refusal.code, Code::ControlCharacters, "{tool} {arguments}");
            assert!(refusal.message.contains("control character U+"));
        }
    }
}
