//! What is left of the month: every live fact is true, unique and evidenced, and nothing is lost.

use std::collections::{BTreeMap, BTreeSet};

use keepmind::store::{MAX_LIMIT, MessageQuery};
use keepmind::visibility::{Visibility, visibility};
use keepmind::{
    Evidence, Layer, MemoryRow, Message, MessageOrigin, Owner, Role, SessionId, Slice, text,
};
use serde::Serialize;

use crate::Result;
use crate::junk::facts::Fact;
use crate::junk::month::{Month, USERS};

/// What was found.
#[derive(Debug, Default, Serialize)]
pub struct Findings {
    pub sessions: usize,
    /// Live facts.
    pub rows: usize,
    /// Of these, said by the user.
    #[serde(rename = "true")]
    pub said: usize,
    /// Of these, said by no other live row.
    pub unique: usize,
    /// Of these, with a quote that stands in the user's own words.
    pub evidenced: usize,
    /// The latest values that the model proposed rightly and that are not known.
    pub lost: usize,
    /// Of the live rows, earlier values of something whose later value is known too.
    pub stale: usize,
    /// How often the model was asked.
    pub asked: usize,
    pub true_ratio: f64,
    pub unique_ratio: f64,
    pub evidenced_ratio: f64,
    /// What is wrong, in words.
    #[serde(skip)]
    pub told: Vec<String>,
}

impl Findings {
    pub fn is_good(&self) -> bool {
        let all = [self.said, self.unique, self.evidenced];
        all.iter().all(|count| *count == self.rows) && self.lost == 0 && self.rows > 0
    }
}

pub async fn check(month: &Month, sessions: usize) -> Result<Findings> {
    let mut findings = Findings {
        sessions,
        asked: month.model.asked(),
        ..Findings::default()
    };
    for (user, said) in USERS.iter().zip(&month.said) {
        check_user(month, user, said, &mut findings).await?;
    }
    let share = |part: usize| ratio(part, findings.rows);
    let shares = [findings.said, findings.unique, findings.evidenced].map(share);
    [
        findings.true_ratio,
        findings.unique_ratio,
        findings.evidenced_ratio,
    ] = shares;
    Ok(findings)
}

async fn check_user(
    month: &Month,
    user: &str,
    said: &[(String, Fact)],
    findings: &mut Findings,
) -> Result<()> {
    let store = month.keepmind.store();
    let owner = Owner::new(user)?;
    let seen = store.load(&owner, &Slice::everything()).await?;
    let now = seen.state().reading_time(month.now);
    let is_live = |row: &&MemoryRow| {
        row.body.claim.layer == Layer::Fact && visibility(row, now) == Visibility::Live
    };
    let rows: Vec<&MemoryRow> = seen.memories().filter(is_live).collect();
    let contents: BTreeSet<String> = said
        .iter()
        .map(|(_, fact)| wording(&fact.content))
        .collect();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for row in &rows {
        let folded = wording(&row.body.claim.content);
        *known.entry(folded).or_default() += 1;
    }
    let mut chats: BTreeMap<SessionId, Vec<Message>> = BTreeMap::new();
    for row in rows {
        let claim = &row.body.claim;
        let content = claim.content.as_str();
        findings.rows += 1;
        let is_true = contents.contains(&wording(content));
        let is_unique = known.get(&wording(content)) == Some(&1);
        let mut is_evidenced = !claim.evidence.is_empty();
        for evidence in &claim.evidence {
            let Evidence::Quote { session, .. } = evidence else {
                is_evidenced = false;
                continue;
            };
            if !chats.contains_key(session) {
                let query = MessageQuery::of(*session, MAX_LIMIT);
                let page = store.messages(&owner, &query).await?;
                chats.insert(*session, page.items);
            }
            let chat = chats.get(session).map_or(&[][..], Vec::as_slice);
            is_evidenced &= stands(evidence, chat);
        }
        findings.said += usize::from(is_true);
        findings.unique += usize::from(is_unique);
        findings.evidenced += usize::from(is_evidenced);
        let number = row.body.number;
        for (holds, word) in [
            (is_true, "was never said"),
            (is_unique, "stands there twice"),
            (is_evidenced, "rests on no words of the user's"),
        ] {
            if !holds {
                let line = format!("{user} {number}: {word}: {content}");
                findings.told.push(line);
            }
        }
    }
    look_for_lost(month, user, said, &known, findings);
    Ok(())
}

/// A content as it is compared: code says "doesn't" where the model says "does not".
fn wording(content: &str) -> String {
    text::fold(content).replace("doesn't", "does not")
}

/// Whether a quote stands where it says, in the user's own words.
fn stands(evidence: &Evidence, chat: &[Message]) -> bool {
    let Evidence::Quote {
        message,
        span,
        quote,
        ..
    } = evidence
    else {
        return false;
    };
    let Some(message) = chat.iter().find(|one| one.number == *message) else {
        return false;
    };
    let utterance = &message.utterance;
    let words = utterance
        .content
        .get(span.start as usize..span.end as usize);
    utterance.role == Role::User
        && utterance.origin == MessageOrigin::Typed
        && words == Some(quote.as_str())
        && !utterance
            .untrusted
            .iter()
            .any(|part| part.start < span.end && span.start < part.end)
}

/// Of every topic the latest value that was proposed rightly is known, or one that was said later.
fn look_for_lost(
    month: &Month,
    user: &str,
    said: &[(String, Fact)],
    known: &BTreeMap<String, usize>,
    findings: &mut Findings,
) {
    let is_known = |fact: &Fact| known.contains_key(&wording(&fact.content));
    let mut topics: BTreeMap<&str, Vec<(&str, &Fact)>> = BTreeMap::new();
    for (tag, fact) in said {
        topics.entry(&fact.topic).or_default().push((tag, fact));
    }
    for values in topics.into_values() {
        let proposed = values
            .iter()
            .rposition(|(tag, fact)| month.model.proposed(tag, &fact.content));
        let later = &values[proposed.unwrap_or(values.len())..];
        if !later.is_empty() && !later.iter().any(|(_, fact)| is_known(fact)) {
            findings.lost += 1;
            let (tag, fact) = later[0];
            findings
                .told
                .push(format!("{user} {tag}: lost: {}", fact.content));
        }
        let live: BTreeSet<&str> = values
            .iter()
            .filter(|(_, fact)| is_known(fact))
            .map(|(_, fact)| fact.content.as_str())
            .collect();
        let mut latest_first = values.iter().rev().map(|(_, fact)| &fact.content);
        let latest = latest_first.find(|content| live.contains(content.as_str()));
        for content in live
            .iter()
            .filter(|content| Some(**content) != latest.map(String::as_str))
        {
            findings.stale += 1;
            findings.told.push(format!("{user}: stale: {content}"));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a month has few rows")]
fn ratio(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 0.0,
        _ => part as f64 / whole as f64,
    }
}
