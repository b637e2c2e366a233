//! What an assistant is told at the end of a day, held against what holds.

use std::collections::BTreeMap;

use keepmind::command::List;
use keepmind::store::MAX_LIMIT;
use keepmind::{ApproximateTokens, Layer, TokenCounter as _, UserMemory, text};

use crate::Result;
use crate::year::life::{CANARIES, Life};

/// What was found on one day.
#[derive(Debug, Default, Clone)]
pub struct Told {
    /// What holds, and how much of it is told.
    pub current: usize,
    pub present: usize,
    /// What is told and holds no longer.
    pub stale: usize,
    /// Live facts that say what another says.
    pub duplicates: usize,
    /// Live facts that nobody said, or that may not be kept.
    pub junk: usize,
    pub block_tokens: usize,
    pub is_in_budget: bool,
    /// What is wrong, in words.
    pub wrong: Vec<String>,
}

pub async fn check(user: &UserMemory, budget: u32, life: &Life) -> Result<Told> {
    let block = user.block().await?;
    let mut lines: Vec<String> = block.lines.iter().map(|line| plain(line)).collect();
    for digest in user.digests().await? {
        lines.extend(digest.lines.iter().map(|line| plain(&line.text)));
    }
    let mut told = Told {
        block_tokens: ApproximateTokens.count(&block.text),
        ..Told::default()
    };
    told.is_in_budget = told.block_tokens <= budget as usize;
    let tells = |content: &str| lines.iter().any(|line| *line == plain(content));
    for fact in life.standing.values() {
        told.current += 1;
        if tells(&fact.content) {
            told.present += 1;
        } else {
            told.wrong.push(format!("missing: {}", fact.content));
        }
    }
    for (content, topic) in &life.said {
        let holds = life.standing.get(topic);
        if holds.is_none_or(|fact| fact.content != *content) && tells(content) {
            told.stale += 1;
            told.wrong.push(format!("stale: {content}"));
        }
    }
    let mut list = List::default();
    list.limit = Some(MAX_LIMIT.min(100));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    loop {
        let page = user.list(list.clone()).await?;
        for row in &page.rows {
            let claim = &row.body.claim;
            let hidden = CANARIES.iter().any(|word| claim.content.contains(word));
            let is_fact = claim.layer == Layer::Fact;
            let known = claim.content.starts_with("Again and again: ")
                || life
                    .said
                    .keys()
                    .any(|said| plain(said) == plain(&claim.content));
            if hidden || is_fact && !known {
                told.junk += 1;
                told.wrong.push(format!("junk: {}", claim.content));
            }
            if is_fact {
                *seen.entry(plain(&claim.content)).or_default() += 1;
            }
        }
        list.after = page.next;
        if list.after.is_none() {
            break;
        }
    }
    told.duplicates = seen.values().filter(|count| **count > 1).count();
    Ok(told)
}

/// A line as it is compared: without its marks, and as a memory of the model's would say it.
pub fn plain(line: &str) -> String {
    let line = line.trim_start_matches("- ");
    let line = line.split(" (tentative").next().unwrap_or(line);
    text::fold(line)
        .replace("doesn't", "does not")
        .replace("no longer likes", "does not like")
        .trim_end_matches(" any more")
        .to_owned()
}
