//! The standing text: how a model should use what it is told, in files with a sentence a line.
//! It is the same for every user, and no budget counts it.

use crate::policy::{BlockStyle, Policy, Tool};

const ADVISOR: &str = include_str!("standing/advisor.md");
const ASSISTANT: &str = include_str!("standing/assistant.md");

/// The standing text of a policy's style, with the policy's names for the tools. A sentence about a tool
/// that is not offered is left out.
pub(super) fn standing(policy: &Policy) -> String {
    let sentences = match policy.block.style {
        BlockStyle::Advisor => ADVISOR,
        BlockStyle::Assistant => ASSISTANT,
    };
    sentences
        .lines()
        .filter_map(|sentence| filled_in(sentence, policy))
        .map(|sentence| sentence + "\n")
        .collect()
}

fn filled_in(sentence: &str, policy: &Policy) -> Option<String> {
    let mut filled = sentence.to_owned();
    for tool in Tool::ALL {
        let placeholder = format!("{{{}}}", tool.verb());
        if filled.contains(&placeholder) {
            if !policy.tools.offers(tool) {
                return None;
            }
            filled = filled.replace(&placeholder, &policy.tool_name(tool));
        }
    }
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOTS: [(&str, &str); 6] = [
        ("default", include_str!("snapshots/default.md")),
        ("advisor", include_str!("snapshots/advisor.md")),
        ("chat", include_str!("snapshots/chat.md")),
        ("assistant", include_str!("snapshots/assistant.md")),
        ("personal", include_str!("snapshots/personal.md")),
        ("observer", include_str!("snapshots/observer.md")),
    ];

    #[test]
    fn every_preset_has_the_text_of_its_snapshot() {
        assert_eq!(Policy::presets(), SNAPSHOTS.map(|(name, _)| name));
        for (name, expected) in SNAPSHOTS {
            let text = standing(&Policy::preset(name).unwrap());
            assert_eq!(text, expected, "{name}");
        }
    }

    #[test]
    fn it_is_short_and_names_no_tool_that_is_not_offered() {
        for name in Policy::presets() {
            let mut policy = Policy::preset(name).unwrap();
            let text = standing(&policy);
            assert!(text.split_whitespace().count() <= 130, "{name}");
            assert!(!text.contains(['{', '}']), "{name}: {text}");
            for tool in Tool::ALL {
                let named = text.contains(&policy.tool_name(tool));
                assert!(!named || policy.tools.offers(tool), "{name}: {tool:?}");
            }
            policy.tools.offered.clear();
            let text = standing(&policy);
            assert!(!text.contains('`') && text.lines().count() >= 5, "{name}");
        }
    }
}
