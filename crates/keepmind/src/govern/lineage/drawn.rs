//! Where a memory comes from, as a tree for people.

use std::fmt;

use crate::govern::lineage::{LineageRow, LineageStep, LineageTree};
use crate::govern::words;
use crate::memory::Layer;

/// A line of a drawn tree, and the lines under it.
struct Branch(String, Vec<Branch>);

impl Branch {
    fn draw(&self, formatter: &mut fmt::Formatter<'_>, before: &str, last: bool) -> fmt::Result {
        let (joint, below) = match last {
            true => ("└─ ", "   "),
            false => ("├─ ", "│  "),
        };
        writeln!(formatter, "{before}{joint}{}", self.0)?;
        draw(&self.1, formatter, &format!("{before}{below}"))
    }
}

fn draw(branches: &[Branch], formatter: &mut fmt::Formatter<'_>, before: &str) -> fmt::Result {
    for (place, branch) in (1..).zip(branches) {
        branch.draw(formatter, before, place == branches.len())?;
    }
    Ok(())
}

impl LineageStep {
    fn branch(&self, with_sources: bool) -> Branch {
        let mut line = self.row.line();
        if self.is_repeated {
            line.push_str(" (see above)");
            return Branch(line, Vec::new());
        }
        let mut below = match with_sources {
            true => self.row.sources(),
            false => Vec::new(),
        };
        below.extend(self.steps.iter().map(|step| step.branch(with_sources)));
        Branch(line, below)
    }
}

impl LineageRow {
    /// `#12 v2 likes tea (fact, read from a chat)`.
    fn line(&self) -> String {
        let layer = match self.layer {
            Layer::Fact => "fact",
            Layer::Episode => "episode",
            Layer::Digest => "digest",
        };
        let ended = self.ended.map(|why| format!(", {why}"));
        format!(
            "{} v{} {} ({layer}, {}{})",
            self.number,
            self.version.get(),
            one_line(&self.content),
            words::source(self.source),
            ended.unwrap_or_default()
        )
    }

    fn sources(&self) -> Vec<Branch> {
        let gone = |is_gone: bool| if is_gone { ", which is gone" } else { "" };
        let mut found: Vec<Branch> = self
            .quotes
            .iter()
            .map(|piece| {
                let line = format!(
                    "“{}” (message {} of chat {}{})",
                    one_line(&piece.quote),
                    piece.message.get(),
                    piece.session,
                    gone(piece.is_gone)
                );
                Branch(line, Vec::new())
            })
            .collect();
        if let Some(chat) = self.chat.as_ref().filter(|_| self.quotes.is_empty()) {
            let count = match chat.messages.len() {
                0 => String::new(),
                1 => "1 message of ".to_owned(),
                count => format!("{count} messages of "),
            };
            let line = format!("{count}chat {}{}", chat.session, gone(chat.is_gone));
            found.push(Branch(line, Vec::new()));
        }
        found.extend(self.observations.iter().map(|piece| {
            let line = match &piece.seen {
                Some(seen) => format!(
                    "seen by {} on {}: {}",
                    one_line(&seen.source),
                    words::day(seen.at),
                    one_line(&seen.payload.to_string())
                ),
                None => format!("seen: {}, which is gone", piece.id),
            };
            Branch(line, Vec::new())
        }));
        found
    }
}

/// A text without line breaks, cut where it is very long.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = joined.chars().take(LONGEST).collect();
    if cut.len() < joined.len() {
        cut.push('…');
    }
    cut
}

impl fmt::Display for LineageTree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.row.line())?;
        let mut from = self.row.sources();
        from.extend(self.made_from.iter().map(|step| step.branch(true)));
        let into: Vec<Branch> = self
            .made_into
            .iter()
            .map(|step| step.branch(false))
            .collect();
        let mut sides = Vec::new();
        if !from.is_empty() {
            sides.push(Branch("made from".to_owned(), from));
        }
        if !into.is_empty() {
            sides.push(Branch("made into".to_owned(), into));
        }
        if sides.is_empty() {
            writeln!(
                formatter,
                "Nothing else speaks for it, and nothing was made from it."
            )?;
        }
        draw(&sides, formatter, "")?;
        if self.is_cut {
            writeln!(formatter, "There is more than is shown.")?;
        }
        Ok(())
    }
}
