//! `scale --sessions N`: what many chats cost a process that lives long. Memory should stay as it is,
//! and a chat should cost the same whether it is the first or the last.

use std::sync::Arc;
use std::time::Instant;

use keepmind::policy::Tool;
use keepmind::{Keepmind, Push, SqliteStore};
use serde::Serialize;
use serde_json::json;

use crate::Result;
use crate::arguments::ScaleOptions;
use crate::measure::{Figures, Timings, anonymous_memory};
use crate::report::{self, Table};
use crate::workload::Workload;

/// How many users the chats belong to.
const USERS: usize = 100;
/// How many facts are saved, over all users: after that the chats look something up instead, so that only
/// the number of chats grows.
const FACTS: usize = 1_000;
/// How many times it is looked at what was used.
const LOOKS: usize = 10;

/// A tenth of the chats.
#[derive(Debug, Serialize)]
struct Look {
    sessions: usize,
    memory: u64,
    chat: Figures,
}

pub async fn run(options: &ScaleOptions, sessions: usize) -> Result<()> {
    let folder = tempfile::Builder::new()
        .prefix("keepmind-bench-")
        .tempdir_in(&options.directory)?;
    let store = SqliteStore::open(folder.path().join("sessions.db")).await?;
    let keepmind = Keepmind::builder(Arc::new(store)).build()?;
    let workload = Workload::new();
    let save = keepmind.policy().tool_name(Tool::Save);
    let recall = keepmind.policy().tool_name(Tool::Recall);
    let mut looks = Vec::new();
    let mut timings = Timings::default();
    let each = sessions.div_ceil(LOOKS).max(1);
    for place in 0..sessions {
        let user = keepmind.user(format!("user-{}", place % USERS))?;
        let fact = workload.fact(place % USERS, place as u64, 1).plain();
        let start = Instant::now();
        let session = user.open_session().await?;
        session
            .push(Push::user(format!("Please remember: {}", fact.content)))
            .await?;
        let (tool, arguments) = if place < FACTS {
            let arguments = json!({"content": fact.content, "category": fact.category});
            (&save, arguments)
        } else {
            (&recall, json!({"query": fact.content}))
        };
        let reply = session.call_tool(None, tool, &arguments).await?;
        session
            .push(Push::tool(reply.call.clone(), reply.message))
            .await?;
        session.push(Push::assistant("Noted.")).await?;
        std::hint::black_box(session.view().await?);
        session.close().await?;
        timings.add(start.elapsed());
        if (place + 1) % each == 0 || place + 1 == sessions {
            looks.push(Look {
                sessions: place + 1,
                memory: anonymous_memory(),
                chat: std::mem::take(&mut timings).figures(),
            });
        }
    }
    keepmind.close().await?;
    print(&looks);
    match &options.json {
        Some(path) => report::write_json(path, &json!({"benchmark": "sessions", "looks": looks})),
        None => Ok(()),
    }
}

fn print(looks: &[Look]) {
    println!("Chats of {USERS} users in one process: opened, said, saved, viewed, closed");
    let mut table = Table::new(&[], &["chats so far", "memory", "a chat, p50", "p95"]);
    for look in looks {
        table.add(vec![
            look.sessions.to_string(),
            report::bytes(look.memory),
            report::time(look.chat.p50),
            report::time(look.chat.p95),
        ]);
    }
    table.print();
    if let (Some(first), Some(last)) = (looks.first(), looks.last()) {
        let ratio = last.memory as f64 / first.memory.max(1) as f64;
        println!(
            "Memory after all chats ÷ after the first tenth: {}; a chat: {}",
            report::ratio(ratio),
            report::ratio(last.chat.p50 / first.chat.p50)
        );
    }
}
