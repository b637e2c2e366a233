//! Running a case: an engine of its own, the given rows, the chat, and then what the model wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use keepmind::export::export;
use keepmind::policy::Tool;
use keepmind::visibility::{Visibility, visibility};
use keepmind::{
    Clock, EventKind, Fate, InMemoryStore, Keepmind, Layer, MemoryRow, Policy, RowId, SystemClock,
    inject,
};
use serde::Deserialize;
use tempfile::TempDir;

use crate::Result;
use crate::arguments::{StoreKind, Through};
use crate::attacks::c_door::CDoor;
use crate::attacks::case::{Case, Given, Status, Surface};
use crate::attacks::door::{Called, Chat, Door, RustDoor};
use crate::stage;

/// What of an export is memory, beside what is only a record or waits for the user's word.
const MEMORY_LINES: [&str; 5] = ["memory", "link", "tombstone", "lineage", "consent"];

/// What happened.
#[derive(Debug)]
pub struct Seen {
    pub outcome: Outcome,
    pub codes: Vec<String>,
    /// What became of each operation of an answer.
    pub fates: Vec<Outcome>,
    pub user: String,
    /// Which facts the given rows became.
    pub placed: BTreeMap<String, Placed>,
    pub before: World,
    pub after: World,
    /// How many facts the reply shows.
    pub shown: usize,
    /// The memory part of the block of a chat opened afterwards.
    pub block: String,
    /// The reply, and whatever was recorded but what was said.
    pub log: String,
    /// What the case took, without the given rows.
    pub elapsed: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The call was refused.
    Reject,
    /// It waits for the user's word.
    Propose,
    /// It was done, or answered.
    Accept,
    /// There was nothing to do.
    Skip,
    /// The block was rendered.
    Render,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Reject => "reject",
            Outcome::Propose => "propose",
            Outcome::Accept => "accept",
            Outcome::Skip => "skip",
            Outcome::Render => "render",
        }
    }
}

/// Where a given row is.
#[derive(Debug, Clone)]
pub struct Placed {
    pub user: String,
    pub number: u64,
    pub row: RowId,
}

/// What is in the store.
#[derive(Debug, Default, Clone)]
pub struct World {
    pub facts: Vec<Kept>,
    /// The lines of every user's export that are memory.
    pub memories: Vec<String>,
    /// The lines of the user's export that were not said in a chat.
    pub records: BTreeSet<String>,
}

/// A row of a fact.
#[derive(Debug, Clone)]
pub struct Kept {
    pub user: String,
    pub row: RowId,
    pub number: u64,
    pub version: u64,
    pub content: String,
    pub is_explicit: bool,
    pub is_live: bool,
    /// All of it.
    pub json: String,
}

pub async fn run(case: &Case, store: StoreKind, through: Through) -> Result<Seen> {
    let host = Host::open(case, store, through).await?;
    let seen = host.run(case).await;
    host.door.close().await?;
    seen
}

struct Host {
    door: Box<dyn Door>,
    policy: Policy,
    /// Everyone who has rows, and the user of the chat.
    users: BTreeSet<String>,
    _folder: TempDir,
}

impl Host {
    async fn open(case: &Case, store: StoreKind, through: Through) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut policy = Policy::default();
        if let Some(characters) = case.config.block_budget_chars {
            let tokens = characters / 4;
            policy.block.budget = tokens;
            let shown = policy
                .categories
                .iter_mut()
                .filter(|shown| shown.budget > 0);
            shown.for_each(|category| category.budget = tokens);
        }
        let answer = (case.surface == Surface::Extract).then(|| case.output.clone());
        let door: Box<dyn Door> = match through {
            Through::Rust => {
                Box::new(RustDoor::open(store, &folder, policy.clone(), answer).await?)
            }
            Through::C => Box::new(CDoor::open(store, &folder, &policy, answer).await?),
        };
        let users = case.given.iter().map(|row| row.user.clone());
        Ok(Host {
            door,
            policy,
            users: users.chain([case.session_user.clone()]).collect(),
            _folder: folder,
        })
    }

    async fn run(&self, case: &Case) -> Result<Seen> {
        let placed = self.place(case).await?;
        let user = case.session_user.as_str();
        for domain in &case.config.sensitive_opt_in {
            self.door.consent(user, domain).await?;
        }
        let before = self.world(case).await?;
        let start = Instant::now();
        let chat = self.door.open_chat(user).await?;
        let opened = start.elapsed();
        let mut seen = Seen {
            outcome: Outcome::Render,
            codes: Vec::new(),
            fates: Vec::new(),
            user: case.session_user.clone(),
            placed,
            after: before.clone(),
            before,
            shown: 0,
            block: self.block(chat.as_ref()).await?,
            log: String::new(),
            elapsed: opened,
        };
        if case.surface == Surface::Render {
            return Ok(seen);
        }
        for turn in &case.transcript {
            chat.push(turn.push()?).await?;
        }
        seen.before = self.world(case).await?;
        if case.surface == Surface::Extract {
            self.close(case, chat.as_ref(), &mut seen).await?;
        } else {
            self.call(case, chat.as_ref(), &mut seen).await?;
        }
        let next = self.door.open_chat(user).await?;
        seen.block = self.block(next.as_ref()).await?;
        Ok(seen)
    }

    /// Runs the case's tool call.
    async fn call(&self, case: &Case, chat: &dyn Chat, seen: &mut Seen) -> Result<()> {
        let output = with_row_ids(&case.output, &seen.placed);
        let start = Instant::now();
        let reply = chat.call_tool(&output).await?;
        seen.elapsed = start.elapsed();
        let called = chat.called_tool().await?;
        seen.after = self.world(case).await?;
        seen.outcome = self.outcome(&reply, &called, seen);
        seen.codes = reply.codes;
        seen.shown = reply.shown;
        let recorded = seen.after.records.difference(&seen.before.records);
        let log = [&reply.message].into_iter().chain(recorded);
        seen.log = log.map(String::as_str).collect::<Vec<_>>().join("\n");
        Ok(())
    }

    /// Closes the chat, with the case's answer as the model's.
    async fn close(&self, case: &Case, chat: &dyn Chat, seen: &mut Seen) -> Result<()> {
        let start = Instant::now();
        let learned = chat.close().await?;
        seen.elapsed = start.elapsed();
        seen.after = self.world(case).await?;
        let lessons = &learned.lessons;
        let codes = lessons.iter().flat_map(|lesson| &lesson.codes).cloned();
        let codes: BTreeSet<String> = codes.collect();
        seen.codes = codes.into_iter().collect();
        seen.fates = lessons.iter().map(|lesson| fate(lesson.fate)).collect();
        let is_any = |outcome: Outcome| seen.fates.contains(&outcome);
        seen.outcome = if seen.before.memories != seen.after.memories {
            Outcome::Accept
        } else if is_any(Outcome::Propose) {
            Outcome::Propose
        } else if is_any(Outcome::Reject) {
            Outcome::Reject
        } else {
            Outcome::Skip
        };
        let recorded = seen.after.records.difference(&seen.before.records);
        // A report is for the host, which may log it.
        let said = [learned.report].into_iter().chain(learned.failure);
        let log = recorded.cloned().chain(said);
        seen.log = log.collect::<Vec<_>>().join("\n");
        Ok(())
    }

    fn outcome(&self, reply: &Called, called: &str, seen: &Seen) -> Outcome {
        let reads = [Tool::List, Tool::Recall].map(|tool| self.policy.tool_name(tool));
        if reply.is_error {
            Outcome::Reject
        } else if reply.event == Some(EventKind::Proposed) {
            Outcome::Propose
        } else if reply.event.is_none() && !reply.codes.is_empty() {
            // It waits already; what speaks against it still does.
            Outcome::Propose
        } else if seen.before.memories != seen.after.memories
            || reads.iter().any(|read| read == called)
        {
            Outcome::Accept
        } else {
            Outcome::Skip
        }
    }

    /// The memory part of a chat's block: what stands before the standing text.
    async fn block(&self, chat: &dyn Chat) -> Result<String> {
        let tokens = keepmind::ApproximateTokens;
        let empty = inject::block(
            &[],
            &self.policy,
            &BTreeSet::new(),
            SystemClock.now(),
            &tokens,
        );
        let prompt = chat.block().await?;
        let memories = prompt
            .strip_suffix(&empty.standing)
            .ok_or("the block does not end with the standing text")?;
        // A blank line parts the two.
        Ok(match memories.strip_suffix("\n\n") {
            Some(lines) => format!("{lines}\n"),
            None => memories.to_owned(),
        })
    }

    /// Writes the given rows beside the engine of the case, and brings them into it as a backup is brought back:
    /// no host may write past the rules, and some of them were never allowed.
    async fn place(&self, case: &Case) -> Result<BTreeMap<String, Placed>> {
        let aside = Keepmind::builder(Arc::new(InMemoryStore::new()))
            .policy(self.policy.clone())
            .build()?;
        let mut rows: Vec<&Given> = case.given.iter().collect();
        // Whoever has no number comes in the order of the file.
        rows.sort_by_key(|row| row.n);
        let mut numbers = Vec::new();
        for given in rows {
            numbers.push((given, place_row(&aside, given).await?));
        }
        let owners: BTreeSet<&str> = numbers.iter().map(|(row, _)| row.user.as_str()).collect();
        for user in owners {
            let owner = aside.user(user)?;
            let lines = export(aside.store().as_ref(), owner.owner()).await?;
            self.door.restore(user, &lines).await?;
        }
        let world = self.world(case).await?;
        let mut placed = BTreeMap::new();
        for (given, number) in numbers {
            let is_it = |fact: &&Kept| fact.user == given.user && fact.number == number;
            let fact = world.facts.iter().find(is_it);
            let place = Placed {
                user: given.user.clone(),
                number,
                row: fact.ok_or("a given row was not written")?.row,
            };
            if placed.insert(given.id.clone(), place).is_some() {
                return Err(format!("two given rows are called {}", given.id).into());
            }
        }
        Ok(placed)
    }

    async fn world(&self, case: &Case) -> Result<World> {
        let mut world = World::default();
        for user in &self.users {
            let lines = self.door.export(user).await?;
            let is = |line: &str, kind: &str| line.starts_with(&format!("{{\"{kind}\":"));
            for line in lines.lines() {
                if *user == case.session_user && !is(line, "message") {
                    world.records.insert(line.to_owned());
                }
                if is(line, "memory") {
                    // An episode tells what was said: it claims nothing, and no block ever shows it.
                    if layer(line)? != Layer::Fact {
                        continue;
                    }
                    world.facts.push(Kept::read(user, line)?);
                }
                if MEMORY_LINES.iter().any(|kind| is(line, kind)) {
                    world.memories.push(line.to_owned());
                }
            }
        }
        Ok(world)
    }
}

/// A line of an export that holds a memory.
#[derive(Deserialize)]
struct MemoryLine {
    memory: MemoryRow,
}

fn layer(line: &str) -> Result<Layer> {
    let row = serde_json::from_str::<MemoryLine>(line)?.memory;
    Ok(row.body.claim.layer)
}

impl Kept {
    fn read(user: &str, line: &str) -> Result<Self> {
        let row = serde_json::from_str::<MemoryLine>(line)?.memory;
        // Stamps may be ahead of the clock: rows that come at once get one each.
        let now = SystemClock.now().max(row.recorded_at);
        Ok(Kept {
            user: user.to_owned(),
            row: row.id,
            number: row.body.number.get(),
            version: row.body.version.get(),
            is_explicit: row.body.claim.source.is_explicit(),
            is_live: visibility(&row, now) == Visibility::Live,
            json: serde_json::to_string(&row)?,
            content: row.body.claim.content,
        })
    }
}

async fn place_row(aside: &Keepmind, given: &Given) -> Result<u64> {
    let user = aside.user(given.user.as_str())?;
    let number = stage::place(aside, &user, given.tier, &given.content, given.n).await?;
    if given.status == Status::Trashed {
        user.trash(format!("#{number}")).await?;
    }
    Ok(number)
}

fn fate(fate: Fate) -> Outcome {
    match fate {
        Fate::Learned | Fate::Updated | Fate::Confirmed => Outcome::Accept,
        Fate::Proposed => Outcome::Propose,
        Fate::Skipped => Outcome::Skip,
        _ => Outcome::Reject,
    }
}

/// The model's words, with the ids of given rows as the store has them.
fn with_row_ids(output: &str, placed: &BTreeMap<String, Placed>) -> String {
    let is_part = |character: char| character.is_alphanumeric() || "-_".contains(character);
    let mut written = String::with_capacity(output.len());
    let mut rest = output;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        written.push_str(before);
        match placed.get(word) {
            Some(place) => written.push_str(&place.row.to_string()),
            None => written.push_str(word),
        }
        rest = after;
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use keepmind::Uuid;

    #[test]
    fn only_whole_ids_are_named() {
        let row = RowId::new(Uuid::nil());
        let place = Placed {
            user: "alice".to_owned(),
            number: 1,
            row,
        };
        let placed = BTreeMap::from([("mem-alice-1".to_owned(), place)]);
        for output in [
            "",
            "mem-alice",
            "{\"a\": \"mem-alice-12\"}",
            "é \u{0}\u{200b}x\"",
        ] {
            assert_eq!(with_row_ids(output, &placed), output);
        }
        assert_eq!(
            with_row_ids("\"mem-alice-1\"", &placed),
            format!("\"{row}\"")
        );
    }
}
