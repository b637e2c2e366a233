//! `close`: what closing a chat costs besides the model: CPU time of the one thread that does everything,
//! on a store in memory that counts its own time, with a model that answers at once.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Claim, Draft, EntryHeader, Expected, Fate, InMemoryStore, Keepmind, Marks, MemoryStore, Model,
    ModelByTask, ModelRequest, PlugError, Policy, Push, Slice, Source, SystemClock, Task,
    TimeOrderedIds, Trust, Who,
};
use keepmind::{Clock as _, Closed};
use serde::Serialize;
use serde_json::json;

use crate::Result;
use crate::arguments::CloseOptions;
use crate::measure::{Timings, thread_cpu_time};
use crate::ops::alone::Counting;
use crate::workload::{self, Workload};

/// The chat: so many turns of a user and an assistant, beside so many memories.
const TURNS: usize = 50;
const MEMORIES: u64 = 1_000;
/// How many things the model finds in an ordinary chat, and at most.
const ORDINARY: usize = 6;
const MOST: usize = 32;
/// The goals.
const CLOSE_GOAL: f64 = 3_000.0;
const OPERATIONS_GOAL: f64 = 1_000.0;

/// What one kind of close takes. Microseconds.
#[derive(Debug, Serialize)]
struct Cost {
    operations: usize,
    learned: usize,
    whole: f64,
    /// Of it, in the store.
    store: f64,
    engine: f64,
    /// Of that, from the model's answer to the next question to the store: reading the answer, finding its
    /// quotes in the chat, and summing the chat up.
    reading: f64,
    /// Of that, from the rows that are held against it to the commit: judging, and the set in the making.
    planning: f64,
}

impl Cost {
    /// What reading and judging operations takes by itself.
    fn judging(&self) -> f64 {
        self.reading + self.planning
    }
}

/// What one close took.
struct Took {
    whole: Duration,
    store: Duration,
    reading: Duration,
    planning: Duration,
}

pub fn run(options: &CloseOptions) -> Result<()> {
    // One thread, so that its clock counts all of it and nothing else.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let costs = runtime.block_on(measure([0, ORDINARY, MOST], options.repeat))?;
    println!("{TURNS} turns beside {MEMORIES} memories, CPU µs (median)");
    println!("operations learned   whole   store  engine reading planning");
    for cost in &costs {
        let Cost {
            operations,
            learned,
            whole,
            store,
            engine,
            reading,
            planning,
        } = cost;
        println!(
            "{operations:10} {learned:7} {whole:7.0} {store:7.0} {engine:7.0} {reading:7.0} {planning:8.0}"
        );
    }
    let whole = costs[1].whole;
    let judging = costs[2].judging() - costs[0].judging();
    let all = costs[2].engine - costs[0].engine;
    goal("close, CPU without the model", whole, CLOSE_GOAL);
    goal("ground, gate and reconcile 32", judging, OPERATIONS_GOAL);
    goal("all that 32 add to the engine", all, OPERATIONS_GOAL);
    println!("{}", serde_json::to_string(&costs)?);
    Ok(())
}

fn goal(name: &str, micros: f64, goal: f64) {
    let word = if micros <= goal { "reached" } else { "missed" };
    println!("{name}: {micros:.0} µs, goal {goal:.0} µs: {word}");
}

/// Closes of each kind in turn: what one takes more than another is told apart from a machine that becomes
/// slower or faster.
async fn measure<const KINDS: usize>(
    kinds: [usize; KINDS],
    repeat: usize,
) -> Result<[Cost; KINDS]> {
    let workload = Workload::new();
    let mut timings: [[Timings; 5]; KINDS] = std::array::from_fn(|_| Default::default());
    let mut learned = [0; KINDS];
    for round in 0..=repeat {
        for (kind, operations) in kinds.into_iter().enumerate() {
            let (closed, took) = one(&workload, operations, round).await?;
            learned[kind] = closed.report.count(Fate::Learned);
            // The first one also makes what is made once in a process.
            if round == 0 {
                continue;
            }
            let engine = took.whole.saturating_sub(took.store);
            let parts = [took.whole, took.store, engine, took.reading, took.planning];
            for (timings, part) in timings[kind].iter_mut().zip(parts) {
                timings.add(part);
            }
        }
    }
    Ok(std::array::from_fn(|kind| {
        let [whole, store, engine, reading, planning] =
            std::array::from_fn(|part| timings[kind][part].figures().p50);
        Cost {
            operations: kinds[kind],
            learned: learned[kind],
            whole,
            store,
            engine,
            reading,
            planning,
        }
    }))
}

/// A chat of somebody new, closed, and what it took.
async fn one(workload: &Workload, operations: usize, round: usize) -> Result<(Closed, Took)> {
    let memory: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let counting = Arc::new(Counting::new(Arc::clone(&memory)));
    // Contents of somebody else: nothing of it is known.
    let said: Vec<String> = (1..=TURNS as u64)
        .map(|number| workload.fact(round + 1_000, number, 1).content)
        .collect();
    let proposed: Vec<_> = said
        .iter()
        .take(operations)
        .map(|said| json!({"op": "add", "content": said, "quote": said, "confidence": 0.9}))
        .collect();
    let answer = Scripted::Answers(json!({"ops": proposed}).to_string());
    let failing = Scripted::Fails(PlugError::lasting("only asked to extract"));
    let extracting = Arc::new(Noting {
        model: ScriptedModel::new([answer]),
        store: Arc::clone(&counting),
    });
    let model =
        ModelByTask::new(Arc::new(ScriptedModel::new([failing]))).with(Task::Extract, extracting);
    let keepmind = Keepmind::builder(Arc::<Counting>::clone(&counting))
        .policy(Policy::default())
        .model(Arc::new(model))
        .build()?;
    let user = keepmind.user(workload::owner(0)?.as_str())?;
    fill(&keepmind, workload).await?;
    let session = user.open_session().await?;
    for said in &said {
        session.push(Push::user(said.as_str())).await?;
        session
            .push(Push::assistant("I see. Is there more to it?"))
            .await?;
    }
    let (in_store, planning) = (counting.spent(), counting.planning());
    let begun = thread_cpu_time();
    let closed = session.close().await?;
    let took = Took {
        whole: thread_cpu_time().saturating_sub(begun),
        store: counting.spent().saturating_sub(in_store),
        reading: counting.reading(),
        planning: counting.planning().saturating_sub(planning),
    };
    Ok((closed, took))
}

/// A model whose answer the store takes note of: what follows on it is measured.
#[derive(Debug)]
struct Noting {
    model: ScriptedModel,
    store: Arc<Counting>,
}

#[async_trait]
impl Model for Noting {
    async fn complete(&self, request: &ModelRequest) -> std::result::Result<String, PlugError> {
        let answer = self.model.complete(request).await;
        self.store.note_answer();
        answer
    }
}

/// Memories that were read from chats before.
async fn fill(keepmind: &Keepmind, workload: &Workload) -> Result<()> {
    let owner = workload::owner(0)?;
    let store = keepmind.store();
    let base = store.load(&owner, &Slice::default()).await?;
    let now = SystemClock.now();
    let mut ids = TimeOrderedIds::at(now);
    let mut draft = Draft::new(&base, now, &mut ids)?;
    for number in 1..=MEMORIES {
        let fact = workload.fact(0, number, 1);
        let mut claim = Claim::note(fact.category, fact.content, draft.stamp());
        (claim.source, claim.trust) = (Source::Extracted, Trust::Extracted);
        let marks = Marks {
            confidence: Some(0.9),
            ..Marks::default()
        };
        let number = draft.new_number()?;
        draft.insert_version(number, claim, marks)?;
    }
    let changes = draft.finish(EntryHeader::new(Who::Extractor, "filled"))?;
    store
        .commit(&owner, Expected::At(base.state().revision), changes.into())
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_the_model_finds_is_learned() {
        let workload = Workload::new();
        let (closed, took) = one(&workload, MOST, 1).await.unwrap();
        let learned = closed.report.count(Fate::Learned);
        assert!(learned > MOST / 2, "{}", closed.report.line());
        assert!(took.whole >= took.store + took.reading + took.planning);
        assert!(took.reading > Duration::ZERO && took.planning > Duration::ZERO);
    }
}
