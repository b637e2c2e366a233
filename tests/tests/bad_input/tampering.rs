//! Exports that somebody has tampered with: refused with nothing written, or taken and sound.

use std::sync::Arc;

use keepmind::conformance::fixtures::Scribe;
use keepmind::conformance::furnish::furnish;
use keepmind::export::{export, restore};
use keepmind::{
    CountingIds, ErrorKind, ManualClock, MemoryStore, Owner, OwnerState, Snapshot, Timestamp,
};
use keepmind_tests::invariants::assert_sound;
use keepmind_tests::random::setting;
use keepmind_tests::{Random, stores};

const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "1.5",
    "-0.0",
    "1e999",
    "1e-400",
    "16777215",
    "16777216",
    "549755813887",
    "549755813888",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999",
];
const WORDS: &[&str] = &[
    "",
    "\\u0000",
    "\\ud800",
    "a\\nb",
    "e\\u0301",
    " ",
    "9999-12-31T23:59:59.999999Z",
    "0000-01-01T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "00000000-0000-0000-0000-000000000000",
    "rule",
    "forgotten",
    "undone",
];

/// Changes a few places of a text, by bytes, by lines or by values.
fn tampered(random: &mut Random, lines: &str) -> String {
    let mut bytes = lines.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        match random.below(12) {
            0 => bytes[at] = random.bits() as u8,
            1 => bytes[at] = random.one_of(b"0123456789\"\\{}[],:\n-e."),
            2 => {
                bytes.remove(at);
            }
            3 => bytes.insert(at, random.bits() as u8),
            4 => bytes.truncate(at),
            5 | 6 => bytes = replace_number(random, &bytes),
            7 | 8 => bytes = replace_string(random, &bytes),
            9 => bytes = change_lines(random, &bytes),
            _ => bytes = exchange(random, &bytes),
        }
        if bytes.is_empty() {
            bytes.push(b'{');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn replace_number(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let start = random.below(bytes.len());
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(begin) = bytes[start..]
        .iter()
        .position(is_digit)
        .map(|place| start + place)
    else {
        return bytes.to_vec();
    };
    let length = bytes[begin..]
        .iter()
        .take_while(|byte| is_digit(byte))
        .count();
    [
        &bytes[..begin],
        random.one_of(NUMBERS).as_bytes(),
        &bytes[begin + length..],
    ]
    .concat()
}

/// What stands between two quotation marks, from a place on.
fn string_at(bytes: &[u8], start: usize) -> Option<std::ops::Range<usize>> {
    let begin = start + bytes[start..].iter().position(|byte| *byte == b'"')? + 1;
    let length = bytes[begin..].iter().position(|byte| *byte == b'"')?;
    Some(begin..begin + length)
}

fn replace_string(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    match string_at(bytes, random.below(bytes.len())) {
        Some(place) => [
            &bytes[..place.start],
            random.one_of(WORDS).as_bytes(),
            &bytes[place.end..],
        ]
        .concat(),
        None => bytes.to_vec(),
    }
}

/// One string of the file in the place of another: ids, moments and words that do not belong there.
fn exchange(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let (one, other) = (random.below(bytes.len()), random.below(bytes.len()));
    match (string_at(bytes, one), string_at(bytes, other)) {
        (Some(place), Some(from)) => {
            [&bytes[..place.start], &bytes[from], &bytes[place.end..]].concat()
        }
        _ => bytes.to_vec(),
    }
}

/// Leaves a line out, doubles it or moves it, and counts the rest again.
fn change_lines(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => {
            lines.remove(one);
        }
        1 => lines.insert(other, lines[one]),
        _ => lines.swap(one, other),
    }
    let footer = format!(
        "{{\"end\":{{\"lines\":{}}}}}",
        lines.len().saturating_sub(3)
    );
    if let Some(last) = lines
        .iter_mut()
        .rev()
        .find(|line| line.starts_with(b"{\"end\""))
    {
        *last = footer.as_bytes();
    }
    lines.join(&b'\n')
}

async fn restored(
    store: &Arc<dyn MemoryStore>,
    owner: &Owner,
    lines: &str,
) -> Result<(), ErrorKind> {
    let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
    let answer = restore(
        &**store,
        owner,
        lines,
        &clock,
        &mut CountingIds::after(1 << 100),
    )
    .await;
    answer.map(|_| ()).map_err(|error| error.kind())
}

async fn load(store: &Arc<dyn MemoryStore>, owner: &Owner) -> Snapshot {
    store
        .load(owner, &keepmind::Slice::everything())
        .await
        .expect("a load")
}

#[tokio::test]
async fn a_tampered_export_is_refused_or_sound() {
    let mut random = Random::new(setting("KEEPMIND_SEED", 7));
    let mut opened = Vec::new();
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        opened.push((backend, backend.open(folder.path()).await, folder));
    }
    let mut scribe = Scribe::new(&opened[0].1, "alice");
    furnish(&mut scribe).await;
    let lines = export(&*opened[0].1, &scribe.owner)
        .await
        .expect("an export");
    let bob = Owner::new("bob").expect("a name");
    let mut taken = 0;
    for round in 0..setting("KEEPMIND_TAMPERINGS", 600) {
        let hostile = tampered(&mut random, &lines);
        let mut exports = Vec::new();
        for (backend, store, _) in &opened {
            let what = format!("round {round}, {backend:?}");
            let answer = restored(store, &bob, &hostile).await;
            let data = load(store, &bob).await;
            if answer.is_err() {
                let is_typed = matches!(answer, Err(ErrorKind::Invalid | ErrorKind::NotFound));
                assert!(is_typed, "{what}: {answer:?}");
                assert!(
                    data == Snapshot::empty(OwnerState::NONE),
                    "{what}: refused, but something was written"
                );
            } else {
                assert_sound(&data);
                assert_lossless(store, &bob, &what).await;
                taken += 1;
            }
            exports.push(export(&**store, &bob).await.expect("an export"));
            store.erase(&bob).await.expect("an erasure");
        }
        assert!(
            exports.windows(2).all(|pair| pair[0] == pair[1]),
            "round {round}: stores differ on\n{hostile}"
        );
    }
    assert!(taken > 0, "some changes are harmless");
}

/// Whatever a store has taken, it exports and takes again.
async fn assert_lossless(store: &Arc<dyn MemoryStore>, owner: &Owner, what: &str) {
    let first = export(&**store, owner).await.expect("an export");
    store.erase(owner).await.expect("an erasure");
    assert_eq!(
        restored(store, owner, &first).await,
        Ok(()),
        "{what}: what was exported is not taken back"
    );
    let second = export(&**store, owner).await.expect("an export");
    assert!(
        first == second,
        "{what}: what was taken back is not the same"
    );
}
