//! A review as a page for people, in Markdown.

use std::fmt::Write as _;

use super::{Doubt, DoubtKind, Known, Review};
use crate::govern::words::{day, source};
use crate::inject;
use crate::memory::Authority;

impl Review {
    /// The review as a page for people, in Markdown. Days are in UTC.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut page = format!("# Review of {}\n\n", day(self.at));
        let last = match self.last_reviewed_at {
            Some(at) => format!("Last reviewed on {}.", day(at)),
            None => "Never reviewed before.".to_owned(),
        };
        let due = match self.due_at {
            Some(_) if self.is_due => " A review is due.".to_owned(),
            Some(at) => format!(" The next review is due on {}.", day(at)),
            None => String::new(),
        };
        let _ = writeln!(page, "{last}{due}");

        page.push_str("\n## What I know\n");
        if self.known.is_empty() {
            page.push_str("\nNothing.\n");
        }
        for category in &self.known {
            let _ = writeln!(page, "\n### {}\n", category.title);
            for fact in &category.facts {
                let _ = writeln!(page, "{}", fact.line());
            }
        }
        if self.withdrawn > 0 {
            let _ = writeln!(
                page,
                "\n{} more are kept and not used: consent for their domain was withdrawn.",
                self.withdrawn
            );
        }
        let _ = writeln!(page, "\n## What is new since {}\n", day(self.new_since));
        if self.new.is_empty() {
            page.push_str("Nothing.\n");
        }
        for fact in &self.new {
            let _ = writeln!(page, "{}", fact.line());
        }
        page.push_str("\n## What is doubtful\n");
        if self.doubtful.is_empty() {
            page.push_str("\nNothing.\n");
        }
        let mut kind = None;
        for doubt in &self.doubtful {
            if kind.replace(doubt.kind) != Some(doubt.kind) {
                let _ = writeln!(page, "\n### {}\n", capitalised(doubt.kind.title()));
            }
            let _ = writeln!(page, "{}", doubt.line());
        }
        page
    }
}

impl Known {
    fn line(&self) -> String {
        let rule = match self.authority {
            Authority::Rule => "rule, ",
            Authority::Note => "",
        };
        let mut told = format!(
            "- {} {} ({rule}{}, {}, since {}",
            self.number,
            inject::text(&self.content),
            self.sure.word(),
            source(self.source),
            day(self.since)
        );
        if let Some(at) = self.confirmed_at {
            let _ = write!(told, ", confirmed {}", day(at));
        }
        told.push(')');
        told
    }
}

impl Doubt {
    fn line(&self) -> String {
        let facts: Vec<String> = match self.kind {
            // What it would do names the fact already.
            DoubtKind::Proposal => Vec::new(),
            _ => self.facts.iter().map(ToString::to_string).collect(),
        };
        let mut actions: Vec<&str> = self.actions.iter().map(|action| action.action).collect();
        actions.sort_unstable();
        actions.dedup();
        let named = if facts.is_empty() {
            String::new()
        } else {
            format!("{} ", facts.join(", "))
        };
        format!(
            "- {named}{}: {} ({})",
            inject::text(&self.content),
            inject::text(&self.reason),
            actions.join(", ")
        )
    }
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}
