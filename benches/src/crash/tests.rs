//! That the check can fail: what is acknowledged and not stored, or stored by halves, is found.

use std::sync::Arc;

use keepmind::{
    Clock as _, InMemoryStore, Keepmind, MessageNumber, Number, OwnerState, Push, Recap, Session,
    SessionHandle, SessionId, SessionStatus, Slice, Snapshot, SystemClock, UserMemory, Uuid,
};

use crate::crash::chats::{Around, check_close};
use crate::crash::findings::{Findings, Wrong};
use crate::crash::lines::{Answered, Asked, Closing, Line};
use crate::crash::structure;
use crate::crash::world::World;

const USER: &str = "ada";
const TEA: &str = "The kettle belongs to the porch";
const COFFEE: &str = "The kettle belongs to the attic";

/// What the child would have said, and what the store really holds.
struct Case {
    world: World,
    findings: Findings,
    said: u64,
}

impl Case {
    fn new() -> Self {
        let around = Around {
            cycle: 0,
            swept: false,
            every_turn: false,
            begun_at: SystemClock.now(),
        };
        Case {
            world: World::new(around),
            findings: Findings::default(),
            said: 0,
        }
    }

    fn announce(&mut self, asked: Asked) -> u64 {
        self.said += 1;
        let line = Line::Announced {
            announce: self.said,
            user: USER.to_owned(),
            asked,
        };
        self.world.hear(line, &mut self.findings);
        self.said
    }

    fn acknowledge(&mut self, asked: Asked, answered: Answered) {
        let ack = self.announce(asked);
        self.world
            .hear(Line::Acknowledged { ack, answered }, &mut self.findings);
    }

    fn saved(&mut self, number: u64, content: &str) {
        self.acknowledge(save(content), written(number, Some(content)));
    }

    /// What is found wrong with that, most serious first.
    fn settle(mut self, snapshot: &Snapshot) -> Vec<Wrong> {
        self.world.settle(USER, snapshot, &mut self.findings);
        let mut wrong: Vec<Wrong> = self
            .findings
            .since(0)
            .iter()
            .map(|found| found.wrong)
            .collect();
        wrong.sort();
        wrong.dedup();
        wrong
    }
}

fn save(content: &str) -> Asked {
    Asked::Save {
        content: content.to_owned(),
    }
}

fn update(number: u64, content: &str) -> Asked {
    Asked::Update {
        number: count(number),
        content: content.to_owned(),
    }
}

fn push(session: SessionId, content: &str) -> Asked {
    Asked::Push {
        session,
        content: content.to_owned(),
    }
}

fn written(number: u64, content: Option<&str>) -> Answered {
    Answered::Written {
        number: count(number),
        content: content.map(str::to_owned),
        token: None,
    }
}

fn count(number: u64) -> Number {
    Number::new(number).unwrap()
}

fn nothing() -> Snapshot {
    Snapshot::empty(OwnerState::NONE)
}

fn memory() -> (Keepmind, UserMemory) {
    let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .build()
        .unwrap();
    let memory = keepmind.user(USER).unwrap();
    (keepmind, memory)
}

async fn stored(memory: &(Keepmind, UserMemory)) -> Snapshot {
    let (keepmind, memory) = memory;
    let store = keepmind.store();
    store
        .load(memory.owner(), &Slice::everything())
        .await
        .unwrap()
}

async fn with_fact(content: &str) -> Snapshot {
    let memory = memory();
    memory.1.save(content).await.unwrap();
    stored(&memory).await
}

/// A chat in which one thing was said.
async fn with_chat() -> ((Keepmind, UserMemory), SessionHandle) {
    let memory = memory();
    let handle = memory.1.open_session().await.unwrap();
    handle.push(Push::user(TEA)).await.unwrap();
    (memory, handle)
}

#[test]
fn an_acknowledged_save_that_is_not_stored_is_lost() {
    let mut case = Case::new();
    case.saved(1, TEA);
    assert_eq!(case.settle(&nothing()), [Wrong::Lost]);
}

#[tokio::test]
async fn an_acknowledged_save_must_say_what_was_saved() {
    let mut case = Case::new();
    case.saved(1, TEA);
    assert_eq!(case.settle(&with_fact(TEA).await), []);
    let mut case = Case::new();
    case.saved(1, TEA);
    assert_eq!(case.settle(&with_fact(COFFEE).await), [Wrong::Lost]);
}

#[tokio::test]
async fn what_was_only_announced_is_there_or_not_and_nothing_else_is() {
    for snapshot in [nothing(), with_fact(TEA).await] {
        let mut case = Case::new();
        case.announce(save(TEA));
        assert_eq!(case.settle(&snapshot), []);
    }
    let mut case = Case::new();
    case.announce(save(TEA));
    assert_eq!(case.world.names(false), [USER]);
    assert_eq!(case.settle(&with_fact(COFFEE).await), [Wrong::HalfApplied]);
}

#[tokio::test]
async fn an_update_is_applied_as_a_whole() {
    let mut case = Case::new();
    case.saved(1, TEA);
    case.acknowledge(update(1, COFFEE), written(1, Some(COFFEE)));
    assert_eq!(case.settle(&with_fact(TEA).await), [Wrong::Lost]);
    let mut case = Case::new();
    case.saved(1, TEA);
    case.announce(update(1, COFFEE));
    assert_eq!(case.settle(&with_fact(TEA).await), []);
    // Neither what it was nor what it should become.
    let mut case = Case::new();
    case.saved(1, TEA);
    case.announce(update(1, COFFEE));
    assert_eq!(case.settle(&nothing()), [Wrong::HalfApplied]);
    // What it becomes, without what it was.
    let mut case = Case::new();
    case.saved(1, TEA);
    case.announce(update(1, COFFEE));
    assert_eq!(case.settle(&with_fact(COFFEE).await), [Wrong::Lost]);
}

#[tokio::test]
async fn what_was_purged_is_looked_for() {
    let mut case = Case::new();
    case.saved(1, TEA);
    case.acknowledge(Asked::Purge { number: count(1) }, written(1, None));
    assert_eq!(case.world.purged_now, [TEA]);
    let export = format!("{{\"served\":[\"- {TEA}\"]}}");
    let mut findings = Findings::default();
    case.world.users[USER].look_for_purged(&export, false, &mut findings);
    assert_eq!(findings.count(Wrong::Leaked), 1);
    assert_eq!(case.settle(&with_fact(TEA).await), [Wrong::Lost]);
}

#[tokio::test]
async fn an_acknowledged_message_stands_in_its_place() {
    let (memory, handle) = with_chat().await;
    let session = handle.id();
    let snapshot = stored(&memory).await;
    let said = |number, content| {
        let mut case = Case::new();
        case.acknowledge(Asked::Open, Answered::Opened { session });
        case.acknowledge(push(session, content), Answered::Pushed { session, number });
        case
    };
    assert_eq!(said(1, TEA).settle(&snapshot), []);
    assert!(said(1, COFFEE).settle(&snapshot).contains(&Wrong::Lost));
    assert!(said(2, TEA).settle(&snapshot).contains(&Wrong::Lost));
    assert_eq!(said(1, TEA).settle(&nothing()), [Wrong::Lost]);
    let mut case = said(1, TEA);
    case.announce(push(session, COFFEE));
    assert_eq!(case.settle(&snapshot), []);
}

#[tokio::test]
async fn an_acknowledged_close_is_whole() {
    let (memory, handle) = with_chat().await;
    let session = handle.id();
    let closed = |through| {
        let mut case = Case::new();
        case.acknowledge(Asked::Open, Answered::Opened { session });
        case.acknowledge(push(session, TEA), Answered::Pushed { session, number: 1 });
        let closing = Closing::Learned;
        let answered = Answered::Closed {
            session,
            closing,
            through,
        };
        case.acknowledge(Asked::Close { session }, answered);
        case
    };
    let before = stored(&memory).await;
    assert_eq!(closed(1).settle(&before), [Wrong::Lost]);
    handle.close().await.unwrap();
    let after = stored(&memory).await;
    assert_eq!(closed(1).settle(&after), []);
    assert_eq!(closed(0).settle(&after), [Wrong::HalfApplied]);
}

#[test]
fn a_close_that_was_written_in_part_is_found() {
    let half_applied = |change: &dyn Fn(&mut Session)| {
        let mut session = Session::open(SessionId::new(Uuid::nil()), SystemClock.now());
        session.extracted_through = MessageNumber::new(2);
        session.status = SessionStatus::Idle;
        change(&mut session);
        let mut findings = Findings::default();
        check_close(&session, 3, &mut findings);
        findings.count(Wrong::HalfApplied) > 0
    };
    let recap = |through| {
        Some(Recap {
            text: TEA.to_owned(),
            through: MessageNumber::new(through).unwrap(),
        })
    };
    let deferred = |session: &mut Session| {
        session.attempts = 1;
        session.retry_at = Some(SystemClock.now());
    };
    assert!(half_applied(&|_| {}), "idle, and one message was left out");
    assert!(!half_applied(&deferred));
    assert!(!half_applied(
        &|session| session.status = SessionStatus::Active
    ));
    assert!(half_applied(&|session| session.attempts = 1));
    assert!(half_applied(&|session| {
        deferred(session);
        session.recap = recap(3);
    }));
    assert!(half_applied(
        &|session| session.extracted_through = MessageNumber::new(4)
    ));
}

#[tokio::test]
async fn rows_without_their_journal_are_found() {
    let (keepmind, memory) = memory();
    memory.save(TEA).await.unwrap();
    let owner = memory.owner();
    let whole = keepmind
        .store()
        .load(owner, &Slice::everything())
        .await
        .unwrap();
    let part = keepmind
        .store()
        .load(owner, &Slice::number(count(1)))
        .await
        .unwrap();
    let mut findings = Findings::default();
    structure::check(&whole, &mut findings);
    assert_eq!(findings.len(), 0);
    structure::check(&part, &mut findings);
    assert!(findings.count(Wrong::HalfApplied) > 0);
}
