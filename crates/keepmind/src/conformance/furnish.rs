//! An owner with one of everything: what slices, exports and comparisons are asked about.

use serde_json::json;

use crate::change::{
    ChangeSet, EmbeddingChange, NewMessage, SessionChange, SessionEdit, TraceChange,
};
use crate::conformance::fixtures::{Scribe, claim, moment, rule, save, vector};
use crate::embedding::EmbeddingKey;
use crate::ids::{GroupId, LeaseHolder, MessageNumber, ObservationId, RowId, SessionId, UsageId};
use crate::link::Link;
use crate::memory::{Claim, Evidence, Layer, Lineage, Marks, Source, Span, Trust};
use crate::message::{MessageOrigin, Role, Utterance};
use crate::observation::Observation;
use crate::proposal::{Proposal, ProposedOperation, Rival, Target};
use crate::row::{Body, Kind, MemoryRow, Why};
use crate::session::{FrozenBlock, Lease, Recap, Session, SessionStatus, Title};
use crate::tombstone::Tombstone;
use crate::trace::{Trace, TraceKey, TraceOutcome};
use crate::usage::{Usage, UsageKind};

/// What of a furnished owner is asked for by name.
#[derive(Debug)]
pub struct Furnished {
    /// The open version of a fact whose first one has every field set.
    pub home: MemoryRow,
    /// A note that is linked to it and proposed to be forgotten.
    pub tea: MemoryRow,
    /// An open rule.
    pub rule: MemoryRow,
    /// A digest made from both facts.
    pub digest: MemoryRow,
    /// A chat with every column set.
    pub session: SessionId,
    /// The group of one journal entry.
    pub group: GroupId,
}

/// Writes one of everything.
pub async fn furnish(scribe: &mut Scribe) -> Furnished {
    let session = chat(scribe).await;
    let first = scribe.save(full_claim(session)).await;
    let home = scribe.update(&first, "moved from Rome to Oslo").await;
    let tea = scribe.note("drinks green tea").await;
    let standing = scribe.save(rule("communication", "tone", "be brief")).await;
    let digest = digest(scribe, &[home.id, tea.id]).await;
    endings(scribe).await;
    let group = neighbours(scribe, session, &home, &tea, &first.body.claim.evidence).await;
    records(scribe, session, &[home.id, tea.id]).await;
    Furnished {
        home,
        tea,
        rule: standing,
        digest,
        session,
        group,
    }
}

fn full_claim(session: SessionId) -> Claim {
    Claim {
        domain: Some("travel".to_owned()),
        key: Some("home".to_owned()),
        value: Some(
            json!({"city": "Rome", "since": 2019, "sure": 0.1, "large": u64::MAX, "not": null}),
        ),
        summary: Some("in Rome".to_owned()),
        body: Some("An old flat near the river.\nThird floor, no lift.".to_owned()),
        tags: ["city", "home"].map(str::to_owned).into(),
        source: Source::Extracted,
        trust: Trust::Extracted,
        session: Some(session),
        messages: vec![MessageNumber::FIRST],
        evidence: vec![
            Evidence::Quote {
                session,
                message: MessageNumber::FIRST,
                span: Span { start: 0, end: 14 },
                quote: "I live in Rome".to_owned(),
            },
            Evidence::Observation {
                id: ObservationId::new(uuid::Uuid::max()),
            },
        ],
        expires_at: Some(moment(1_000_000)),
        authorises_action: true,
        ..claim("lives in Rome")
    }
}

async fn chat(scribe: &mut Scribe) -> SessionId {
    let id = SessionId::new(scribe.new_id());
    let holder = LeaseHolder::new(scribe.new_id());
    let session = Session {
        status: SessionStatus::Idle,
        deleted_at: Some(moment(3)),
        title: Some(Title {
            text: "Moving".to_owned(),
            by_user: true,
        }),
        attempts: 2,
        retry_at: Some(moment(9)),
        lease: Some(Lease {
            holder,
            until: moment(10),
        }),
        recap: Some(Recap {
            text: "They talked\nabout a move.".to_owned(),
            through: MessageNumber::FIRST,
        }),
        block: Some(FrozenBlock {
            text: "# Memory\n".to_owned(),
            revision: 7,
            rows: vec![RowId::new(holder.uuid())],
        }),
        served: ["- one".to_owned(), String::new()].into(),
        ..Session::open(id, moment(0))
    };
    let said = Utterance {
        hidden: Some("the page they look at".to_owned()),
        origin: MessageOrigin::Prefill,
        untrusted: vec![Span { start: 10, end: 14 }],
        calls: vec!["call_1".to_owned()],
        ..Utterance::new(Role::User, "I live in Rome", moment(0))
    };
    let empty = Utterance::new(Role::Tool, "", moment(1));
    let mut changes = scribe.unchecked();
    changes.sessions.insert(id, SessionChange::Open(session));
    for utterance in [said, empty] {
        changes.messages.push(NewMessage {
            session: id,
            place: None,
            utterance,
        });
    }
    scribe.put(changes).await;
    id
}

async fn digest(scribe: &mut Scribe, from: &[RowId]) -> MemoryRow {
    let claim = Claim {
        layer: Layer::Digest,
        source: Source::Derived,
        ..claim("tea and towns")
    };
    let id = scribe
        .write(|draft| {
            let row = save(draft, claim)?;
            draft
                .others()
                .lineage
                .extend(from.iter().map(|&from| Lineage { row, from }));
            Ok(row)
        })
        .await;
    scribe.row(id).await
}

/// One fact ended for every reason, a candidate, and one whose marks have moved.
async fn endings(scribe: &mut Scribe) {
    let until = moment(2);
    let ends = [
        Why::Forgotten,
        Why::Trashed,
        Why::Expired { until },
        Why::Rejected,
        Why::Undone,
        Why::Faded { until },
        Why::Absorbed { by: None, until },
        Why::Discarded,
        Why::Done { until },
    ];
    for why in ends {
        let row = scribe.note("ended one way or another").await;
        scribe.end(Kind::Memory, row.origin, why).await;
    }
    let wrong = scribe.note("was never right").await;
    scribe
        .write(|draft| {
            let right =
                draft.insert_version(wrong.body.number, claim("is right"), Marks::default())?;
            draft.end(
                Kind::Memory,
                wrong.origin,
                Why::Corrected { by: right.into() },
            )
        })
        .await;
    let trashed = scribe.note("came back from the trash").await;
    scribe.end(Kind::Memory, trashed.origin, Why::Trashed).await;
    let marks = Marks {
        importance: 0.1 + 0.2,
        confidence: Some(1.0 / 3.0),
        last_confirmed_at: Some(moment(5)),
        confirmations: u32::MAX,
        contradictions: 1,
    };
    let live = crate::row::State::Live { marks };
    scribe
        .write(|draft| draft.set(Kind::Memory, trashed.origin, live))
        .await;
    scribe
        .save(Claim {
            held: true,
            ..claim("may be so")
        })
        .await;
}

/// Links, tombstones, proposals, consent and a watermark, in one group.
async fn neighbours(
    scribe: &mut Scribe,
    session: SessionId,
    home: &MemoryRow,
    tea: &MemoryRow,
    evidence: &[Evidence],
) -> GroupId {
    let target = |row: &MemoryRow| Target {
        number: row.body.number,
        origin: row.origin,
    };
    let (of_home, of_tea) = (target(home), target(tea));
    let link = Link {
        from: of_home.number,
        to: of_tea.number,
        relation: "supports".to_owned(),
    };
    let span = Span { start: 2, end: 6 };
    let buried = Tombstone {
        number: of_tea.number,
        session,
        message: MessageNumber::FIRST,
        span,
    };
    let marks = Marks {
        importance: 0.9,
        ..Marks::default()
    };
    let operations = [
        ProposedOperation::Save {
            claim: Box::new(claim("has a cat")),
            marks,
        },
        ProposedOperation::Update {
            target: of_home,
            claim: Box::new(claim("lives in Bergen")),
            marks,
            correction: true,
        },
        ProposedOperation::Forget { target: of_tea },
        ProposedOperation::Choose {
            target: of_tea,
            rival: Rival::Fact { target: of_home },
        },
        ProposedOperation::Choose {
            target: of_home,
            rival: Rival::Claim {
                claim: Box::new(claim("lives nowhere")),
                marks,
            },
        },
    ];
    let mut lifted = Vec::new();
    scribe
        .write(|draft| {
            let other_way = Link {
                from: link.to,
                to: link.from,
                relation: "relates_to".to_owned(),
            };
            draft.insert(Body::Link(link))?;
            lifted.push((Kind::Link, draft.insert(Body::Link(other_way))?));
            draft.insert(Body::Tombstone(buried))?;
            lifted.push((Kind::Tombstone, draft.insert(Body::Tombstone(buried))?));
            for operation in operations {
                let reasoning = "it was said\ntwice".to_owned();
                let proposal = Proposal {
                    operation,
                    reasoning,
                    evidence: evidence.to_vec(),
                    session: Some(session),
                    expires_at: Some(moment(500)),
                };
                lifted.push((Kind::Proposal, draft.insert(Body::Proposal(proposal))?));
            }
            let stamp = draft.stamp();
            draft
                .others()
                .consents
                .insert(("health".to_owned(), stamp), true);
            Ok(())
        })
        .await;
    lifted.pop();
    let group = GroupId::new(scribe.new_id());
    let (_, mut planned) = scribe
        .plan(|draft| {
            for (kind, id) in lifted {
                draft.end(kind, id.into(), Why::Discarded)?;
            }
            let stamp = draft.stamp();
            draft
                .others()
                .consents
                .insert(("health".to_owned(), stamp), false);
            let edit = SessionEdit {
                extracted_through: Some(MessageNumber::FIRST),
                ..SessionEdit::default()
            };
            draft
                .others()
                .sessions
                .insert(session, SessionChange::Edit(edit));
            Ok(())
        })
        .await;
    let entry = &mut planned.changes.entries[0];
    entry.group = Some(group);
    entry.session = Some(session);
    entry.undoes = [1, 2].into();
    entry.redoes = [3].into();
    scribe
        .commit(planned)
        .await
        .expect("a sound plan is committed");
    group
}

async fn records(scribe: &mut Scribe, session: SessionId, memories: &[RowId]) {
    let mut changes = scribe.unchecked();
    for (place, memory) in memories.iter().enumerate() {
        add_usage(scribe, &mut changes, session, *memory);
        let key = EmbeddingKey {
            memory: *memory,
            embedder: "small".to_owned(),
        };
        let direction = vector(&[1.0, place as f32, -0.25]);
        changes
            .embeddings
            .insert(key, EmbeddingChange::Set(direction));
    }
    let id = ObservationId::new(scribe.new_id());
    let payload = json!(["walked", {"km": 4.5}, null]);
    let seen = Observation {
        id,
        source: "phone".to_owned(),
        payload,
        at: moment(4),
    };
    changes.observations.insert(id, seen);
    for (call, outcome) in [
        ("call_1", TraceOutcome::Complete),
        ("call_2", TraceOutcome::Failed),
    ] {
        let key = TraceKey {
            session,
            call: call.to_owned(),
        };
        let trace = Trace {
            key: key.clone(),
            tool: "save".to_owned(),
            arguments: json!({"content": "x"}),
            result: "saved\n#1".to_owned(),
            outcome,
            started_at: moment(5),
            finished_at: moment(6),
        };
        changes.traces.insert(key, TraceChange::Record(trace));
    }
    scribe.put(changes).await;
}

fn add_usage(scribe: &mut Scribe, changes: &mut ChangeSet, session: SessionId, memory: RowId) {
    for (kind, influence) in [
        (UsageKind::Cited, None),
        (UsageKind::Applied, Some("chose tea".to_owned())),
    ] {
        let id = UsageId::new(scribe.new_id());
        let usage = Usage {
            id,
            at: moment(7),
            session: Some(session),
            memory,
            kind,
            influence,
        };
        changes.usage.insert(id, usage);
    }
}
