//! Running a case: an engine of its own, the given rows, the chat, and then what the model wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use keepmind::export::export;
use keepmind::policy::Tool;
use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::visibility::{Visibility, visibility};
use keepmind::{
    Clock, EventKind, Fate, Keepmind, ModelByTask, Owner, PlugError, Policy, RowId, SessionHandle,
    Slice, SystemClock, Task, ToolReply, inject,
};
use tempfile::TempDir;

use crate::Result;
use crate::arguments::StoreKind;
use crate::attacks::case::{Case, Given, Status, Surface};
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
    pub number: u64,
    pub version: u64,
    pub content: String,
    pub is_explicit: bool,
    pub is_live: bool,
    /// All of it.
    pub json: String,
}

pub async fn run(case: &Case, store: StoreKind) -> Result<Seen> {
    let host = Host::open(case, store).await?;
    let seen = host.run(case).await;
    host.keepmind.close().await?;
    seen
}

struct Host {
    keepmind: Keepmind,
    policy: Policy,
    /// Everyone who has rows, and the user of the chat.
    users: BTreeSet<String>,
    _folder: TempDir,
}

impl Host {
    async fn open(case: &Case, store: StoreKind) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let store = stage::store(store, &folder).await?;
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
        let mut builder = Keepmind::builder(store).policy(policy.clone());
        if case.surface == Surface::Extract {
            let answer = Scripted::Answers(case.output.clone());
            let failing = Scripted::Fails(PlugError::lasting("only asked to extract"));
            let model = ModelByTask::new(Arc::new(ScriptedModel::new([failing])))
                .with(Task::Extract, Arc::new(ScriptedModel::new([answer])));
            builder = builder.model(Arc::new(model));
        }
        let keepmind = builder.build()?;
        let users = case.given.iter().map(|row| row.user.clone());
        Ok(Host {
            keepmind,
            policy,
            users: users.chain([case.session_user.clone()]).collect(),
            _folder: folder,
        })
    }

    async fn run(&self, case: &Case) -> Result<Seen> {
        let placed = self.place(case).await?;
        let user = self.keepmind.user(case.session_user.as_str())?;
        for domain in &case.config.sensitive_opt_in {
            user.consent(domain.as_str(), true).await?;
        }
        let before = self.world(case).await?;
        let start = Instant::now();
        let session = user.open_session().await?;
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
            block: self.block(&session).await?,
            log: String::new(),
            elapsed: opened,
        };
        if case.surface == Surface::Render {
            return Ok(seen);
        }
        for turn in &case.transcript {
            session.push(turn.push()?).await?;
        }
        seen.before = self.world(case).await?;
        if case.surface == Surface::Extract {
            self.close(case, &session, &mut seen).await?;
            seen.block = self.block(&user.open_session().await?).await?;
            return Ok(seen);
        }
        let output = with_row_ids(&case.output, &seen.placed);
        let start = Instant::now();
        let reply = session.call_tool_json(&output).await?;
        seen.elapsed = start.elapsed();
        // Asking for the records writes those that wait.
        let called = session.traces(None, 1).await?.items.pop();
        let called = called.map(|trace| trace.tool).unwrap_or_default();
        seen.after = self.world(case).await?;
        seen.outcome = self.outcome(&reply, &called, &seen);
        seen.codes = reply.codes.iter().map(ToString::to_string).collect();
        seen.shown = reply.shown.len();
        let recorded = seen.after.records.difference(&seen.before.records);
        let log = [&reply.message].into_iter().chain(recorded);
        seen.log = log.map(String::as_str).collect::<Vec<_>>().join("\n");
        seen.block = self.block(&user.open_session().await?).await?;
        Ok(seen)
    }

    /// Closes the chat, with the case's answer as the model's.
    async fn close(&self, case: &Case, session: &SessionHandle, seen: &mut Seen) -> Result<()> {
        let start = Instant::now();
        let closed = session.close().await?;
        seen.elapsed = start.elapsed();
        seen.after = self.world(case).await?;
        let lessons = &closed.report.lessons;
        let codes = lessons.iter().flat_map(|lesson| &lesson.codes);
        let codes: BTreeSet<String> = codes.map(ToString::to_string).collect();
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
        let report = serde_json::to_string(&closed.report)?;
        let failure = closed.failure.map(|failure| failure.message);
        let log = recorded.cloned().chain([report]).chain(failure);
        seen.log = log.collect::<Vec<_>>().join("\n");
        Ok(())
    }

    fn outcome(&self, reply: &ToolReply, called: &str, seen: &Seen) -> Outcome {
        let reads = [Tool::List, Tool::Recall].map(|tool| self.policy.tool_name(tool));
        let proposed = |kind: EventKind| kind == EventKind::Proposed;
        if reply.is_error {
            Outcome::Reject
        } else if reply
            .event
            .as_ref()
            .is_some_and(|event| proposed(event.kind))
        {
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
    async fn block(&self, session: &SessionHandle) -> Result<String> {
        let tokens = keepmind::ApproximateTokens;
        let empty = inject::block(
            &[],
            &self.policy,
            &BTreeSet::new(),
            SystemClock.now(),
            &tokens,
        );
        let prompt = session.block().await?;
        let memories = prompt
            .strip_suffix(&empty.standing)
            .ok_or("the block does not end with the standing text")?;
        // A blank line parts the two.
        Ok(match memories.strip_suffix("\n\n") {
            Some(lines) => format!("{lines}\n"),
            None => memories.to_owned(),
        })
    }

    async fn place(&self, case: &Case) -> Result<BTreeMap<String, Placed>> {
        let mut rows: Vec<&Given> = case.given.iter().collect();
        // Whoever has no number comes in the order of the file.
        rows.sort_by_key(|row| row.n);
        let mut placed = BTreeMap::new();
        for given in rows {
            let place = self.place_row(given).await?;
            if placed.insert(given.id.clone(), place).is_some() {
                return Err(format!("two given rows are called {}", given.id).into());
            }
        }
        Ok(placed)
    }

    async fn place_row(&self, given: &Given) -> Result<Placed> {
        let user = self.keepmind.user(given.user.as_str())?;
        let number =
            stage::place(&self.keepmind, &user, given.tier, &given.content, given.n).await?;
        if given.status == Status::Trashed {
            user.trash(format!("#{number}")).await?;
        }
        let store = self.keepmind.store();
        let seen = store.load(user.owner(), &Slice::everything()).await?;
        let row = seen.memories().find(|row| row.body.number.get() == number);
        Ok(Placed {
            user: given.user.clone(),
            number,
            row: row.ok_or("a given row was not written")?.id,
        })
    }

    async fn world(&self, case: &Case) -> Result<World> {
        let store = self.keepmind.store();
        let mut world = World::default();
        for user in &self.users {
            let owner = Owner::new(user.as_str())?;
            let seen = store.load(&owner, &Slice::everything()).await?;
            let now = seen.state().reading_time(SystemClock.now());
            for row in seen.memories() {
                world.facts.push(Kept {
                    user: user.clone(),
                    number: row.body.number.get(),
                    version: row.body.version.get(),
                    content: row.body.claim.content.clone(),
                    is_explicit: row.body.claim.source.is_explicit(),
                    is_live: visibility(row, now) == Visibility::Live,
                    json: serde_json::to_string(row)?,
                });
            }
            let lines = export(store.as_ref(), &owner).await?;
            let is = |line: &str, kind: &str| line.starts_with(&format!("{{\"{kind}\":"));
            for line in lines.lines() {
                if MEMORY_LINES.iter().any(|kind| is(line, kind)) {
                    world.memories.push(line.to_owned());
                }
                if *user == case.session_user && !is(line, "message") {
                    world.records.insert(line.to_owned());
                }
            }
        }
        Ok(world)
    }
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
