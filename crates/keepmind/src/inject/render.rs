//! How the memory part of the block is laid out: title, headings, lines, and a last line that says how
//! many are missing. Which of them fit is not decided here.

use crate::policy::{BlockStyle, Policy, Tool};

use super::line::Line;

/// The parts of the block that do not depend on any row.
#[derive(Debug)]
pub(super) struct Layout {
    style: BlockStyle,
    title: String,
    /// With their newlines, in the order shown.
    headings: Vec<String>,
    /// What follows the number of those that are missing.
    missing: String,
}

impl Layout {
    pub(super) fn new(policy: &Policy) -> Self {
        let headings = match policy.block.style {
            BlockStyle::Advisor => policy
                .categories
                .iter()
                .map(|category| format!("### {}\n", category.title))
                .collect(),
            BlockStyle::Assistant => vec![
                "### Rules (must be respected)\n".to_owned(),
                "### Notes (for judgement, not rules)\n".to_owned(),
            ],
        };
        let missing = if policy.tools.offers(Tool::Recall) {
            format!("more: {} finds them", policy.tool_name(Tool::Recall))
        } else {
            "more not shown".to_owned()
        };
        Layout {
            style: policy.block.style,
            title: format!("## {}\n", policy.block.title),
            headings,
            missing,
        }
    }

    pub(super) fn headings(&self) -> &[String] {
        &self.headings
    }

    /// Whether a category has a heading of its own, which its budget then pays for.
    pub(super) fn heads_categories(&self) -> bool {
        self.style == BlockStyle::Advisor
    }

    /// The memory part with these lines, which are in the order shown.
    pub(super) fn text<'e>(
        &self,
        shown: impl IntoIterator<Item = &'e Line>,
        left_out: usize,
    ) -> String {
        let mut text = self.title.clone();
        self.lines(shown, true, &mut text);
        if left_out > 0 {
            // Without the blank line, Markdown would take it for more of the last memory.
            text.push_str(&format!("\n({left_out} {})\n", self.missing));
        }
        text
    }

    /// What the budget of a category pays for, given its lines in the order shown.
    pub(super) fn category_text<'e>(&self, shown: impl IntoIterator<Item = &'e Line>) -> String {
        let mut text = String::new();
        self.lines(shown, self.heads_categories(), &mut text);
        text
    }

    fn lines<'e>(
        &self,
        shown: impl IntoIterator<Item = &'e Line>,
        with_headings: bool,
        text: &mut String,
    ) {
        let mut section = None;
        for line in shown {
            if with_headings && section != Some(line.section) {
                section = Some(line.section);
                text.push_str(&self.headings[line.section]);
            }
            text.push_str(&line.text);
        }
    }
}
