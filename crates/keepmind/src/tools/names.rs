//! What is said to a model that called a tool by a name there is none of. No name is ever mended: a
//! suggestion is words, and only the exact name runs.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::policy::{Policy, Tool};
use crate::refusal::{Code, Refusal};
use crate::tools::{listed, refuse};

/// The longest name that is looked at, in bytes: three times any name that a policy can make.
const LONGEST: usize = 300;

/// The refusal of a name that no offered tool has exactly.
pub(super) fn unknown(policy: &Policy, name: &str) -> Refusal {
    let offered: Vec<String> = offered(policy).map(|(_, name)| name).collect();
    if offered.is_empty() {
        return refuse(Code::ToolName, "No tool is offered here.");
    }
    let suggestion = match nearest(policy, name) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => ".".to_owned(),
    };
    let names = listed(offered.iter().map(String::as_str), 240);
    refuse(
        Code::ToolName,
        format_args!("There is no tool of that exact name{suggestion} The tools are: {names}"),
    )
}

fn offered(policy: &Policy) -> impl Iterator<Item = (Tool, String)> {
    let tools = policy.tools.offered.iter();
    tools.map(|tool| (*tool, policy.tool_name(*tool)))
}

/// The offered tool that was probably meant.
fn nearest(policy: &Policy, name: &str) -> Option<String> {
    const NEAR: usize = 2;
    if name.len() > LONGEST {
        return None;
    }
    let plain = plain(name);
    // Too little is left to tell what was meant: characters beyond ASCII match anything.
    if plain
        .iter()
        .filter(|character| character.is_ascii())
        .count()
        < 3
    {
        return None;
    }
    offered(policy)
        .filter_map(|(tool, name)| {
            let distance = if other_number(policy, tool, &plain) {
                1
            } else {
                distance(&plain, &name)
            };
            (distance <= NEAR).then_some((distance, name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Without the namespace that some hosts put before a name, in lower case, with one kind of joint.
fn plain(name: &str) -> Vec<char> {
    let name = name.trim();
    let name = name.rsplit(['.', ':', '/']).next().unwrap_or(name);
    let name = name.rsplit_once("__").map_or(name, |(_, last)| last);
    name.nfkd()
        .filter(|character| !is_combining_mark(*character))
        .map(|character| match character {
            '-' | ' ' => '_',
            other => other.to_ascii_lowercase(),
        })
        .collect()
}

/// Whether it is the tool's verb with the noun in the wrong number: too far for the distance to tell.
fn other_number(policy: &Policy, tool: Tool, plain: &[char]) -> bool {
    let tools = &policy.tools;
    let noun = if tool.is_plural() {
        &tools.singular
    } else {
        &tools.plural
    };
    let other = format!("{}_{noun}", tool.verb());
    plain.iter().copied().eq(other.chars())
}

/// How many characters must be put in, left out or changed. What is not ASCII equals everything, so that
/// letters which only look right cost nothing.
fn distance(given: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=given.len()).collect();
    for (index, wanted) in name.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, character) in given.iter().enumerate() {
            let same = *character == wanted || !character.is_ascii();
            let changed = diagonal + usize::from(!same);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[given.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_recognised() {
        let policy = Policy::default();
        for (given, meant) in [
            ("SAVE_MEMORY", Some("save_memory")),
            ("save_memory ", Some("save_memory")),
            ("\tsave_memory\n", Some("save_memory")),
            ("save-memory", Some("save_memory")),
            ("saveMemory", Some("save_memory")),
            ("functions.save_memory", Some("save_memory")),
            ("default_api:recall_memories", Some("recall_memories")),
            ("mcp__keepmind__forget_memory", Some("forget_memory")),
            ("s\u{430}ve_mem\u{43e}ry", Some("save_memory")),
            ("ｓａｖｅ_ｍｅｍｏｒｙ", Some("save_memory")),
            ("save\u{200b}_memory", Some("save_memory")),
            ("save_memory\0", Some("save_memory")),
            ("sav_memry", Some("save_memory")),
            ("recall_memory", Some("recall_memories")),
            ("save_memories", Some("save_memory")),
            ("delete_all", None),
            ("memory", None),
            ("", None),
            ("сохранить_факт", None),
            (
                "\u{430}\u{430}\u{430}\u{430}\u{430}\u{430}\u{430}\u{430}",
                None,
            ),
        ] {
            assert_eq!(nearest(&policy, given).as_deref(), meant, "{given:?}");
        }
        assert_eq!(nearest(&policy, &"save_memory ".repeat(1_000)), None);
    }

    #[test]
    fn what_is_not_offered_is_not_suggested() {
        let mut policy = Policy::default();
        policy.tools.offered = vec![Tool::Recall];
        assert_eq!(nearest(&policy, "Save_memory"), None);
        policy.tools.offered.clear();
        let refusal = unknown(&policy, "save_memory");
        assert_eq!(refusal.code, Code::ToolName);
        assert_eq!(refusal.message, "No tool is offered here.");
    }
}
