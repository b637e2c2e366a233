//! Sets and bodies that no store may take, each with one thing wrong.

use crate::SECRET;
use keepmind::conformance::fixtures::{Scribe, claim, moment, vector};
use keepmind::{
    Body, ChangeSet, Claim, EmbeddingChange, EmbeddingKey, Evidence, FrozenBlock, Link, Marks,
    MessageNumber, NewMessage, Number, Observation, ObservationId, Proposal, ProposedOperation,
    Recap, Role, RowId, Session, SessionChange, SessionId, Span, Title, Tombstone, Trace,
    TraceChange, TraceKey, TraceOutcome, Usage, UsageId, UsageKind, Utterance, Uuid, limits,
};
use serde_json::{Value, json};

/// Sets that no store may take, by what is wrong with them.
pub fn bad_sets(scribe: &mut Scribe, session: SessionId) -> Vec<(&'static str, ChangeSet)> {
    let said = |content: &str| Utterance::new(Role::User, content, moment(0));
    let open = |change: &dyn Fn(&mut Session)| {
        let mut session = Session::open(SessionId::new(Uuid::max()), moment(0));
        change(&mut session);
        SessionChange::Open(session)
    };
    let nul = format!("{SECRET}\0");
    let decomposed = format!("{SECRET} e\u{301}");
    let long = format!("{SECRET} {}", "x".repeat(limits::LINE_CHARS));
    let name = format!("{SECRET}{}", "n".repeat(limits::NAME_CHARS));
    let mut sets: Vec<(&'static str, ChangeSet)> = Vec::new();
    let mut add = |what, fill: &dyn Fn(&mut ChangeSet)| {
        let mut changes = scribe.unchecked();
        fill(&mut changes);
        sets.push((what, changes));
    };
    let speak = |utterance: Utterance| {
        move |changes: &mut ChangeSet| {
            let utterance = utterance.clone();
            changes.messages.push(NewMessage {
                session,
                place: None,
                utterance,
            });
        }
    };
    add("a message with NUL", &speak(said(&nul)));
    add("a message that is not NFC", &speak(said(&decomposed)));
    add(
        "a hidden part with NUL",
        &speak(Utterance {
            hidden: Some(nul.clone()),
            ..said("hello")
        }),
    );
    add(
        "a message too large",
        &speak(said(
            &SECRET.repeat(limits::MESSAGE_BYTES / SECRET.len() + 1),
        )),
    );
    add(
        "an empty span",
        &speak(Utterance {
            untrusted: vec![Span { start: 1, end: 1 }],
            ..said(SECRET)
        }),
    );
    add(
        "a span beyond the end",
        &speak(Utterance {
            untrusted: vec![Span { start: 0, end: 99 }],
            ..said(SECRET)
        }),
    );
    add(
        "a span inside a character",
        &speak(Utterance {
            untrusted: vec![Span { start: 0, end: 1 }],
            ..said("é")
        }),
    );
    add(
        "a call id too long",
        &speak(Utterance {
            calls: vec![name.clone()],
            ..said("hello")
        }),
    );
    let title = |text: &str| {
        let title = Some(Title {
            text: text.to_owned(),
            by_user: true,
        });
        open(&|session| session.title = title.clone())
    };
    for (what, change) in [
        ("an empty title", title("")),
        ("a title too long", title(&long)),
        ("a title of two lines", title(&format!("{SECRET}\nx"))),
        (
            "a recap with NUL",
            open(&|session| {
                session.recap = Some(Recap {
                    text: nul.clone(),
                    through: MessageNumber::FIRST,
                });
            }),
        ),
        (
            "a block out of range",
            open(&|session| {
                session.block = Some(FrozenBlock {
                    text: SECRET.to_owned(),
                    revision: u64::MAX,
                    rows: Vec::new(),
                });
            }),
        ),
        (
            "a served line with NUL",
            open(&|session| session.served = [nul.clone()].into()),
        ),
    ] {
        add(what, &|changes| {
            changes
                .sessions
                .insert(SessionId::new(Uuid::max()), change.clone());
        });
    }
    let observation = |source: &str, payload: Value| Observation {
        id: ObservationId::new(Uuid::max()),
        source: source.to_owned(),
        payload,
        at: moment(0),
    };
    for (what, seen) in [
        ("a source that is empty", observation("", json!(SECRET))),
        (
            "a payload with NUL",
            observation("phone", json!({"a": [nul]})),
        ),
        (
            "a payload too large",
            observation("phone", json!(SECRET.repeat(limits::VALUE_BYTES / 4))),
        ),
    ] {
        add(what, &|changes| {
            changes.observations.insert(seen.id, seen.clone());
        });
    }
    add("an observation under another id", &|changes| {
        changes.observations.insert(
            ObservationId::new(Uuid::nil()),
            observation("phone", json!(SECRET)),
        );
    });
    add("a call without a name", &|changes| {
        let key = TraceKey {
            session,
            call: String::new(),
        };
        let trace = Trace {
            key: key.clone(),
            tool: "save".to_owned(),
            arguments: json!(SECRET),
            result: String::new(),
            outcome: TraceOutcome::Complete,
            started_at: moment(0),
            finished_at: moment(0),
        };
        changes.traces.insert(key, TraceChange::Record(trace));
    });
    add("an influence with NUL", &|changes| {
        let id = UsageId::new(Uuid::max());
        let memory = RowId::new(Uuid::max());
        let influence = Some(nul.clone());
        let usage = Usage {
            id,
            at: moment(0),
            session: None,
            memory,
            kind: UsageKind::Cited,
            influence,
        };
        changes.usage.insert(id, usage);
    });
    add("an embedder without a name", &|changes| {
        let key = EmbeddingKey {
            memory: RowId::new(Uuid::max()),
            embedder: String::new(),
        };
        changes
            .embeddings
            .insert(key, EmbeddingChange::Set(vector(&[1.0])));
    });
    sets
}

/// Bodies that no store may take, by what is wrong with them.
pub fn bad_bodies(session: SessionId) -> Vec<(&'static str, Body)> {
    let number = |count| Number::new(count).expect("a number");
    let link = |from, to, relation: &str| {
        Body::Link(Link {
            from: number(from),
            to: number(to),
            relation: relation.to_owned(),
        })
    };
    let proposal = |claim: Claim, reasoning: &str| {
        let operation = ProposedOperation::Save {
            claim: Box::new(claim),
            marks: Marks::default(),
        };
        let reasoning = reasoning.to_owned();
        Body::Proposal(Proposal {
            operation,
            reasoning,
            evidence: Vec::new(),
            session: None,
            expires_at: None,
        })
    };
    let quoted = |span| {
        let quote = SECRET.to_owned();
        Claim {
            evidence: vec![Evidence::Quote {
                session,
                message: MessageNumber::FIRST,
                span,
                quote,
            }],
            ..claim("x")
        }
    };
    let tombstone = |start, end| {
        Body::Tombstone(Tombstone {
            number: number(1),
            session,
            message: MessageNumber::FIRST,
            span: Span { start, end },
        })
    };
    vec![
        ("a link to itself", link(1, 1, "supports")),
        ("a link without a relation", link(1, 2, "")),
        ("a link to nothing", link(1, 99, SECRET)),
        ("an empty tombstone", tombstone(3, 3)),
        ("a tombstone turned around", tombstone(4, 3)),
        ("a proposal of nothing", proposal(claim(""), SECRET)),
        (
            "a reasoning with NUL",
            proposal(claim("x"), &format!("{SECRET}\0")),
        ),
        (
            "a proposal too long",
            proposal(claim(&SECRET.repeat(100)), "so it seems"),
        ),
        (
            "an empty quote's span",
            proposal(quoted(Span { start: 5, end: 5 }), "so it seems"),
        ),
    ]
}
