//! Chats: opening, saying something, what is sent to the model, closing, and finding a chat again; beside
//! the same by hand, in turns.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use keepmind::{
    InMemoryStore, Keepmind, MemoryStore, Push, SessionHandle, SqliteStore, UserMemory,
};
use serde::Serialize;

use crate::Result;
use crate::measure::{Figures, Meter, Timings};
use crate::ops::chats_by_hand::ByHand;
use crate::report::{self, Goal, Table};
use crate::workload::Workload;

/// The chats that are searched: so many, with so many messages each.
const CHATS: usize = 200;
const MESSAGES: usize = 50;
/// Turns of the chats whose views are made.
const SHORT: usize = 50;
const LONG: usize = 500;
/// Other chats are this long when it is measured that their length makes no difference.
const HITS: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Act {
    Open,
    Push,
    ViewShort,
    ViewLong,
    Close,
    Search,
}

/// What is done, and how often in a turn.
const ACTS: [(Act, usize, &str); 6] = [
    (Act::Open, 10, "open"),
    (Act::Push, 40, "push"),
    (Act::ViewShort, 20, "view at 50 turns"),
    (Act::ViewLong, 20, "view at 500 turns"),
    (Act::Close, 10, "close without a model, 20 messages"),
    (Act::Search, 20, "search over 10,000 messages"),
];

/// One side, filled.
enum Side {
    Ours(Box<Ours>),
    ByHand(Box<ByHand>),
}

struct Ours {
    keepmind: Keepmind,
    user: UserMemory,
    short: SessionHandle,
    long: SessionHandle,
    current: SessionHandle,
}

/// What was measured of one act on one side.
#[derive(Debug, Serialize)]
pub struct Point {
    act: &'static str,
    side: &'static str,
    figures: Figures,
}

const NAMES: [&str; 3] = ["keepmind, in memory", "keepmind, SQLite", "by hand, FTS5"];

pub async fn run(directory: &Path, repeat: usize) -> Result<(Vec<Point>, Vec<Goal>)> {
    let workload = Workload::new();
    let folder = tempfile::Builder::new()
        .prefix("keepmind-bench-")
        .tempdir_in(directory)?;
    let sqlite = SqliteStore::open(folder.path().join("ours.db")).await?;
    let mut sides = [
        Side::Ours(Box::new(
            Ours::fill(Arc::new(InMemoryStore::new()), &workload).await?,
        )),
        Side::Ours(Box::new(Ours::fill(Arc::new(sqlite), &workload).await?)),
        Side::ByHand(Box::new(ByHand::fill(
            &folder.path().join("hand.db"),
            CHATS,
            MESSAGES,
            [2 * SHORT, 2 * LONG],
            |chat, number| words(&workload, chat, number),
        )?)),
    ];
    let mut timings: Vec<Vec<Timings>> = Vec::new();
    timings.resize_with(ACTS.len(), || {
        sides.iter().map(|_| Timings::default()).collect()
    });
    for turn in 0..repeat {
        for (place, (act, count, _)) in ACTS.iter().enumerate() {
            let mut order: Vec<usize> = (0..sides.len()).collect();
            if turn % 2 == 1 {
                order.reverse();
            }
            for side in order {
                let timed = sides[side].time(*act, turn, *count, &workload).await?;
                timings[place][side].extend(timed);
            }
        }
    }
    for side in sides {
        side.close().await?;
    }
    let figures = |place: usize, side: usize| timings[place][side].figures();
    let mut points = Vec::new();
    for (place, (_, _, title)) in ACTS.iter().enumerate() {
        for (side, name) in NAMES.iter().enumerate() {
            points.push(Point {
                act: title,
                side: name,
                figures: figures(place, side),
            });
        }
    }
    let (ours, hand) = (figures(1, 1), figures(1, 2));
    let goals = vec![Goal {
        goal: "push, SQLite ÷ a durable insert by hand".to_owned(),
        measured: "chats".to_owned(),
        reached: Some(ours.p50 / hand.p50),
        reached_by_cpu: Some(ours.cpu / hand.cpu),
        waiting: ours.waiting.max(hand.waiting),
        at_most: 2.0,
    }];
    Ok((points, goals))
}

pub fn print(points: &[Point]) {
    println!("Chats ({CHATS} of {MESSAGES} messages, one of {SHORT} and one of {LONG} turns)");
    let heads = ["what", "side", "p50", "p95", "CPU", "÷ by hand"];
    let mut table = Table::new(&[0, 1], &heads);
    for point in points {
        let hand = points
            .iter()
            .find(|other| other.act == point.act && other.side == NAMES[2]);
        let ratio = hand.map(|hand| point.figures.p50 / hand.figures.p50);
        table.add(vec![
            point.act.to_owned(),
            point.side.to_owned(),
            report::time(point.figures.p50),
            report::time(point.figures.p95),
            report::time(point.figures.cpu),
            ratio.map_or("-".to_owned(), report::ratio),
        ]);
    }
    table.print();
}

/// What is said in a chat.
fn words(workload: &Workload, chat: usize, number: usize) -> String {
    let first = workload.fact(chat, number as u64, 1).content;
    let second = workload.fact(chat, number as u64, 2).content;
    format!("{first} {second}")
}

impl Ours {
    async fn fill(store: Arc<dyn MemoryStore>, workload: &Workload) -> Result<Self> {
        let keepmind = Keepmind::builder(store).build()?;
        let user = keepmind.user("user-0")?;
        let say = async |chat: usize, messages: usize| -> Result<SessionHandle> {
            let session = user.open_session().await?;
            for number in 0..messages {
                let content = words(workload, chat, number);
                let push = match number % 2 {
                    0 => Push::user(content),
                    _ => Push::assistant(content),
                };
                session.push(push).await?;
            }
            Ok(session)
        };
        for chat in 0..CHATS {
            say(chat, MESSAGES).await?.close().await?;
        }
        let short = say(CHATS, 2 * SHORT).await?;
        let long = say(CHATS + 1, 2 * LONG).await?;
        let current = user.open_session().await?;
        Ok(Ours {
            keepmind,
            user,
            short,
            long,
            current,
        })
    }
}

impl Side {
    async fn time(
        &mut self,
        act: Act,
        turn: usize,
        count: usize,
        workload: &Workload,
    ) -> Result<Timings> {
        let mut timings = Timings::default();
        let mut preparing = std::time::Duration::ZERO;
        let meter = Meter::start();
        for index in turn * count..(turn + 1) * count {
            let content = words(workload, CHATS + 2 + turn, index);
            let query = workload.query(index % CHATS, MESSAGES, index as u64);
            let before = crate::measure::cpu_time();
            let closing = self.prepare(act, workload, index).await?;
            preparing += crate::measure::cpu_time().saturating_sub(before);
            let start = Instant::now();
            match self {
                Side::Ours(ours) => ours.run(act, content, &query, closing).await?,
                Side::ByHand(hand) => hand.run(act.into(), &content, &query)?,
            }
            timings.add(start.elapsed());
        }
        timings.spend(meter.spent_besides(preparing));
        Ok(timings)
    }

    /// A chat to be closed.
    async fn prepare(
        &mut self,
        act: Act,
        workload: &Workload,
        index: usize,
    ) -> Result<Option<SessionHandle>> {
        let Side::Ours(ours) = self else {
            return Ok(None);
        };
        if act != Act::Close {
            return Ok(None);
        }
        let session = ours.user.open_session().await?;
        for number in 0..20 {
            let content = words(workload, CHATS + 100 + index, number);
            session.push(Push::user(content)).await?;
        }
        Ok(Some(session))
    }

    async fn close(self) -> Result<()> {
        if let Side::Ours(ours) = self {
            ours.keepmind.close().await?;
        }
        Ok(())
    }
}

impl Ours {
    async fn run(
        &mut self,
        act: Act,
        content: String,
        query: &str,
        closing: Option<SessionHandle>,
    ) -> Result<()> {
        match act {
            Act::Open => self.current = self.user.open_session().await?,
            Act::Push => {
                self.current.push(Push::user(content)).await?;
            }
            Act::ViewShort => {
                std::hint::black_box(self.short.view().await?);
            }
            Act::ViewLong => {
                std::hint::black_box(self.long.view().await?);
            }
            Act::Close => {
                let session = closing.ok_or("there is nothing to close")?;
                std::hint::black_box(session.close().await?);
            }
            Act::Search => {
                std::hint::black_box(self.user.search_sessions(query, HITS).await?);
            }
        }
        Ok(())
    }
}

impl From<Act> for crate::ops::chats_by_hand::Act {
    fn from(act: Act) -> Self {
        use crate::ops::chats_by_hand::Act as Hand;
        match act {
            Act::Open => Hand::Open,
            Act::Push => Hand::Push,
            Act::ViewShort => Hand::View(0),
            Act::ViewLong => Hand::View(1),
            Act::Close => Hand::Close,
            Act::Search => Hand::Search,
        }
    }
}
