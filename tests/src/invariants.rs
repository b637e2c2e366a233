//! What holds after every commit, checked on everything an owner has.

use std::collections::BTreeSet;

use keepmind::{Authority, Body, Kind, Row, Snapshot, Timestamp};

/// Fails unless everything of an owner keeps what every commit promises.
pub fn assert_sound(data: &Snapshot) {
    assert_rows(data);
    let state = data.state();
    let mut last: Option<(u64, Timestamp)> = None;
    for entry in data.journal() {
        let next = last.map_or(1, |(revision, _)| revision + 1);
        assert_eq!(
            entry.revision, next,
            "journal entries count up without gaps"
        );
        assert!(
            last.is_none_or(|(_, stamp)| stamp < entry.stamp),
            "stamps go up"
        );
        last = Some((entry.revision, entry.stamp));
    }
    assert_eq!(
        state.revision.count,
        last.map_or(0, |(revision, _)| revision)
    );
    assert_eq!(state.last_stamp, last.map(|(_, stamp)| stamp));

    for link in data.links() {
        for number in [link.body.from, link.body.to] {
            assert!(
                data.versions(number).next().is_some(),
                "link {} has lost fact {number}",
                link.id
            );
        }
    }
    for step in data.lineage() {
        assert!(
            data.memory(step.row).is_some() && data.memory(step.from).is_some(),
            "{step:?} hangs in the air"
        );
    }
    assert!(
        data.usage()
            .all(|usage| data.memory(usage.memory).is_some()),
        "a use of nothing"
    );
    assert!(
        data.embeddings()
            .all(|(key, _)| data.memory(key.memory).is_some()),
        "a vector of nothing"
    );
    assert!(
        data.traces()
            .all(|trace| data.session(trace.key.session).is_some()),
        "a trace of no chat"
    );
    assert!(
        data.messages()
            .all(|message| data.session(message.session).is_some()),
        "a message to no chat"
    );
}

fn assert_rows(data: &Snapshot) {
    let mut origins = BTreeSet::new();
    let mut numbers = BTreeSet::new();
    let mut rules = BTreeSet::new();
    for row in rows(data) {
        if row.is_open() {
            assert!(
                origins.insert((row.body.kind(), row.origin)),
                "two open rows of origin {}",
                row.origin
            );
        }
        let Some(memory) = row.memory() else { continue };
        assert!(
            memory.number.get() < data.state().next_number,
            "{} was not given out",
            memory.number
        );
        if !row.is_open() || memory.claim.held {
            continue;
        }
        assert!(
            numbers.insert(memory.number),
            "two open versions of {}",
            memory.number
        );
        if let (Authority::Rule, Some(domain), Some(key)) = (
            memory.claim.authority,
            &memory.claim.domain,
            &memory.claim.key,
        ) {
            let open = data.open_rule(domain, key).map(|rule| rule.id);
            assert_eq!(open, Some(row.id), "the open rule for {domain}, {key}");
            assert!(
                rules.insert((domain.clone(), key.clone())),
                "two open rules for {domain}, {key}"
            );
        }
    }
}

/// Fails unless what was there before is as it was: bodies for ever, marks and ends once a row has ended.
pub fn assert_unchanged(before: &Snapshot, after: &Snapshot) {
    if before.state().revision.epoch != after.state().revision.epoch {
        return;
    }
    for old in rows(before) {
        let Some(new) = after.row_of(old.body.kind(), old.id) else {
            continue;
        };
        if old.is_open() {
            let unmarked = Row {
                end: old.end,
                marks: old.marks,
                ..new
            };
            assert_eq!(unmarked, old, "a row has another body");
        } else {
            assert_eq!(new, old, "an ended row has changed");
        }
    }
    let kept = before
        .journal()
        .zip(after.journal())
        .all(|(old, new)| old == new);
    assert!(
        kept && before.journal().count() <= after.journal().count(),
        "the journal was rewritten"
    );
    for message in before.messages() {
        let now = after.message(message.session, message.number);
        assert!(
            now.is_none_or(|now| now == message),
            "a message was rewritten"
        );
    }
}

/// Every row of every kind.
pub fn rows(data: &Snapshot) -> Vec<Row<Body>> {
    let mut ids: Vec<(Kind, keepmind::RowId)> =
        data.memories().map(|row| (Kind::Memory, row.id)).collect();
    ids.extend(data.links().map(|row| (Kind::Link, row.id)));
    ids.extend(data.tombstones().map(|row| (Kind::Tombstone, row.id)));
    ids.extend(data.proposals().map(|row| (Kind::Proposal, row.id)));
    ids.into_iter()
        .filter_map(|(kind, id)| data.row_of(kind, id))
        .collect()
}
