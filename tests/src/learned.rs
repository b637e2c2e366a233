//! What extraction leaves in a store, put there by hand: rows with a confidence.

use keepmind::{
    Claim, CountingIds, Draft, EntryHeader, Expected, Keepmind, Marks, Number, Slice, Source,
    Timestamp, Trust, UserMemory, Who,
};

/// Keeps what extraction would have found in a chat, that sure.
pub async fn learn(
    keepmind: &Keepmind,
    user: &UserMemory,
    now: Timestamp,
    category: &str,
    content: &str,
    confidence: f64,
) -> Number {
    insert(keepmind, user, now, category, content, confidence, false).await
}

/// The same as a candidate, which nobody believes yet.
pub async fn hear(
    keepmind: &Keepmind,
    user: &UserMemory,
    now: Timestamp,
    category: &str,
    content: &str,
    confidence: f64,
) -> Number {
    insert(keepmind, user, now, category, content, confidence, true).await
}

async fn insert(
    keepmind: &Keepmind,
    user: &UserMemory,
    now: Timestamp,
    category: &str,
    content: &str,
    confidence: f64,
    held: bool,
) -> Number {
    let store = keepmind.store();
    let base = store
        .load(user.owner(), &Slice::default())
        .await
        .expect("a load");
    let revision = base.state().revision;
    let mut ids = CountingIds::after((1 << 100) + u128::from(revision.count) * 16);
    let mut draft = Draft::new(&base, now, &mut ids).expect("time goes on");
    let number = draft.new_number().expect("a number");
    let mut claim = Claim::note(category, content, draft.stamp());
    claim.source = Source::Extracted;
    claim.trust = Trust::Extracted;
    claim.held = held;
    let marks = Marks {
        confidence: Some(confidence),
        ..Marks::default()
    };
    draft
        .insert_version(number, claim, marks)
        .expect("a version");
    let header = EntryHeader::new(Who::Extractor, format!("learned {number}"));
    let changes = draft.finish(header).expect("a sound set");
    store
        .commit(user.owner(), Expected::At(revision), changes.into())
        .await
        .expect("a commit");
    number
}
