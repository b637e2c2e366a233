//! `close`: what closing a chat costs besides the model: CPU time of the one thread that does everything,
//! on a store in memory that counts its own time, with a model that answers at once.

use std::sync::Arc;
use std::time::Duration;

use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Claim, Draft, EntryHeader, Expected, Fate, InMemoryStore, Keepmind, Marks, MemoryStore,
    ModelByTask, PlugError, Policy, Push, Slice, Source, SystemClock, Task, TimeOrderedIds, Trust,
    Who,
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
}

pub fn run(options: &CloseOptions) -> Result<()> {
    // One thread, so that its clock counts all of it and nothing else.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut costs = Vec::new();
    println!("{TURNS} turns beside {MEMORIES} memories, CPU µs (median)");
    println!("operations learned   whole   store  engine");
    for operations in [0, ORDINARY, MOST] {
        let cost = runtime.block_on(measure(operations, options.repeat))?;
        let Cost {
            learned,
            whole,
            store,
            engine,
            ..
        } = cost;
        println!("{operations:10} {learned:7} {whole:7.0} {store:7.0} {engine:7.0}");
        costs.push(cost);
    }
    let whole = costs[1].whole;
    let alone = costs[2].engine - costs[0].engine;
    goal("close, CPU without the model", whole, CLOSE_GOAL);
    goal("ground, gate and reconcile 32", alone, OPERATIONS_GOAL);
    println!("{}", serde_json::to_string(&costs)?);
    Ok(())
}

fn goal(name: &str, micros: f64, goal: f64) {
    let word = if micros <= goal { "reached" } else { "missed" };
    println!("{name}: {micros:.0} µs, goal {goal:.0} µs: {word}");
}

async fn measure(operations: usize, repeat: usize) -> Result<Cost> {
    let workload = Workload::new();
    let (mut whole, mut store) = (Timings::default(), Timings::default());
    let mut engine = Timings::default();
    let mut learned = 0;
    for round in 0..=repeat {
        let (closed, took, in_store) = one(&workload, operations, round).await?;
        learned = closed.report.count(Fate::Learned);
        // The first one also makes what is made once in a process.
        if round > 0 {
            whole.add(took);
            store.add(in_store);
            engine.add(took.saturating_sub(in_store));
        }
    }
    Ok(Cost {
        operations,
        learned,
        whole: whole.figures().p50,
        store: store.figures().p50,
        engine: engine.figures().p50,
    })
}

/// A chat of somebody new, closed: what it took, and how much of that in the store.
async fn one(
    workload: &Workload,
    operations: usize,
    round: usize,
) -> Result<(Closed, Duration, Duration)> {
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
    let model = ModelByTask::new(Arc::new(ScriptedModel::new([failing])))
        .with(Task::Extract, Arc::new(ScriptedModel::new([answer])));
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
    let (begun, in_store) = (thread_cpu_time(), counting.spent());
    let closed = session.close().await?;
    let took = thread_cpu_time().saturating_sub(begun);
    Ok((closed, took, counting.spent().saturating_sub(in_store)))
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
        .commit(&owner, Expected::At(base.state().revision), changes)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_the_model_finds_is_learned() {
        let workload = Workload::new();
        let (closed, took, in_store) = one(&workload, MOST, 1).await.unwrap();
        let learned = closed.report.count(Fate::Learned);
        assert!(learned > MOST / 2, "{}", closed.report.line());
        assert!(took >= in_store);
    }
}
