//! "True at one moment, as known at another": the table of the design, asked of the rule itself and of
//! every store; and that what is asked about now is what is live.

#[path = "as_of/cases.rs"]
mod cases;

use std::collections::BTreeSet;
use std::sync::Arc;

use cases::Step::*;
use cases::When::*;
use cases::{CASES, Case, Step, When};
use keepmind::conformance::fixtures::{Scribe, claim, moment};
use keepmind::store::{Filter, KeywordQuery, ListQuery, Selection};
use keepmind::visibility::{AsOf, Visibility, as_of, visibility};
use keepmind::{
    Claim, Direction, Draft, Expected, Kind, Marks, MemoryRow, MemoryStore, Number, OwnerState,
    Result, RowId, Snapshot, State, Timestamp, Why,
};
use keepmind_tests::random::setting;
use keepmind_tests::{Random, claims, drafts, naive, stores};

/// The fact of a case, as the draft's base shows it.
struct Fact<'a> {
    base: &'a Snapshot,
    entries: &'a [u64],
}

impl Fact<'_> {
    fn number(&self) -> Number {
        self.base
            .memories()
            .next()
            .expect("the case has saved something")
            .body
            .number
    }

    fn open(&self, is_held: bool) -> MemoryRow {
        let is_wanted = |row: &&MemoryRow| row.is_open() && row.body.claim.held == is_held;
        self.base
            .versions(self.number())
            .find(is_wanted)
            .expect("an open version")
            .clone()
    }

    fn take(&self, draft: &mut Draft<'_>, step: Step) -> Result<()> {
        let stamp = draft.stamp();
        let since = |content: &str, valid_from: Timestamp| Claim {
            valid_from,
            ..claim(content)
        };
        match step {
            Save(content) => insert(draft, None, since(content, stamp)),
            SaveSince(content, minute) => insert(draft, None, since(content, moment(minute))),
            SaveUntil(content, minute) => {
                let expires_at = Some(moment(minute));
                insert(
                    draft,
                    None,
                    Claim {
                        expires_at,
                        ..since(content, stamp)
                    },
                )
            }
            Hold(content) => {
                let number = self.base.memories().next().map(|row| row.body.number);
                insert(
                    draft,
                    number,
                    Claim {
                        held: true,
                        ..since(content, stamp)
                    },
                )
            }
            Promote => {
                let held = self.open(true);
                insert(
                    draft,
                    Some(self.number()),
                    Claim {
                        held: false,
                        ..held.body.claim
                    },
                )?;
                draft.end(Kind::Memory, held.origin, Why::Done { until: stamp })
            }
            Update(content) => self.succeed(draft, since(content, stamp), None),
            UpdateSince(content, minute) => {
                self.succeed(draft, since(content, moment(minute)), None)
            }
            Correct(content) => {
                let valid_from = self.open(false).body.claim.valid_from;
                self.succeed(draft, since(content, valid_from), Some(()))
            }
            Forget => draft.end(Kind::Memory, self.open(false).origin, Why::Forgotten),
            Trash => draft.end(Kind::Memory, self.open(false).origin, Why::Trashed),
            Restore => {
                let last = self.base.versions(self.number()).last().expect("a version");
                draft.set(Kind::Memory, last.origin, State::Live { marks: last.marks })
            }
            Done => draft.end(
                Kind::Memory,
                self.open(false).origin,
                Why::Done { until: stamp },
            ),
            Sweep => {
                let row = self.open(false);
                let until = row.body.claim.expires_at.expect("something that expires");
                draft.end(Kind::Memory, row.origin, Why::Expired { until })
            }
            Undo(place) => self.replay(draft, place, Direction::Back),
            Redo(place) => self.replay(draft, place, Direction::Forth),
        }
    }

    fn succeed(&self, draft: &mut Draft<'_>, claim: Claim, correction: Option<()>) -> Result<()> {
        let old = self.open(false);
        let until = claim.valid_from;
        let by = draft
            .insert_version(self.number(), claim, Marks::default())?
            .into();
        let why = match correction {
            Some(()) => Why::Corrected { by },
            None => Why::Superseded { by, until },
        };
        draft.end(Kind::Memory, old.origin, why)
    }

    fn replay(&self, draft: &mut Draft<'_>, place: usize, direction: Direction) -> Result<()> {
        let revision = self.entries[place];
        let entry = self
            .base
            .journal()
            .find(|entry| entry.revision == revision)
            .expect("the step's entry");
        draft.replay(&entry.effects, direction)
    }
}

fn insert(draft: &mut Draft<'_>, number: Option<Number>, claim: Claim) -> Result<()> {
    let number = match number {
        Some(number) => number,
        None => draft.new_number()?,
    };
    draft
        .insert_version(number, claim, Marks::default())
        .map(|_| ())
}

/// Plays a case for an owner of its own; the stamps of its steps.
async fn play(scribe: &mut Scribe, case: &Case) -> Vec<Timestamp> {
    let mut stamps = Vec::new();
    let mut entries = Vec::new();
    for &(minute, step) in case.steps {
        scribe.clock = moment(minute);
        let base = scribe.everything().await;
        let fact = Fact {
            base: &base,
            entries: &entries,
        };
        let (stamp, planned) = scribe.plan_on(&base, |draft| {
            fact.take(draft, step)?;
            Ok(draft.stamp())
        });
        scribe.commit(planned).await.expect("a step of the case");
        stamps.push(stamp);
        entries.push(base.state().revision.count + 1);
    }
    stamps
}

fn resolve(when: When, stamps: &[Timestamp]) -> Timestamp {
    match when {
        At(minute) => moment(minute),
        Stamp(step) => stamps[step],
        Before(step) => {
            Timestamp::from_micros(stamps[step].as_micros() - 1).expect("a moment before")
        }
        End => moment(1_000_000),
    }
}

async fn ask(store: &Arc<dyn MemoryStore>, scribe: &Scribe, question: AsOf) -> [Vec<String>; 2] {
    let filter = Filter::new(Selection::AsOf { question });
    let listed = scribe
        .listed(filter.clone())
        .await
        .into_iter()
        .map(|row| row.body.claim.content)
        .collect();
    let query = KeywordQuery::new("Rome Roma Oslo Bern", filter, 10);
    let hits = store.search(&scribe.owner, &query).await.expect("a search");
    [
        listed,
        hits.into_iter()
            .map(|hit| hit.row.body.claim.content)
            .collect(),
    ]
}

#[tokio::test]
async fn the_table_holds_for_the_rule_and_for_every_store() {
    let mut asked = 0;
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = backend.open(folder.path()).await;
        for case in CASES {
            let mut scribe = Scribe::new(&store, case.name);
            let stamps = play(&mut scribe, case).await;
            let everything = scribe.everything().await;
            let versions: Vec<&MemoryRow> = everything.memories().collect();
            for &(valid, known, expected) in case.questions {
                let question = AsOf {
                    valid: resolve(valid, &stamps),
                    known: resolve(known, &stamps),
                };
                let what = format!(
                    "{}, {backend:?}: true at {valid:?}, known at {known:?}",
                    case.name
                );
                let row = as_of(&versions, question);
                assert_eq!(
                    row.map(|row| row.body.claim.content.as_str()),
                    expected,
                    "{what}"
                );
                let slow = naive::as_of(&everything, versions[0].body.number, question);
                assert_eq!(
                    slow.as_ref().map(|row| row.id),
                    row.map(|row| row.id),
                    "{what}"
                );
                let expected: Vec<&str> = expected.into_iter().collect();
                let [listed, found] = ask(&store, &scribe, question).await;
                assert_eq!(listed, expected, "list: {what}");
                assert_eq!(found, expected, "search: {what}");
                asked += 1;
            }
        }
        store.close().await.expect("a store can be closed");
    }
    assert!(asked > 150, "only {asked} questions were asked");
}

/// The rows that a reader sees at a moment, by the one function that says so.
fn live(data: &Snapshot, now: Timestamp) -> BTreeSet<RowId> {
    let is_live = |row: &&MemoryRow| visibility(row, now) == Visibility::Live;
    data.memories().filter(is_live).map(|row| row.id).collect()
}

fn answers(data: &Snapshot, question: AsOf) -> BTreeSet<RowId> {
    let rows: Vec<&MemoryRow> = data.memories().collect();
    rows.chunk_by(|one, other| one.body.number == other.body.number)
        .filter_map(|versions| as_of(versions, question).map(|row| row.id))
        .collect()
}

#[test]
fn as_of_now_is_the_live_set_whatever_was_done() {
    let first = setting("KEEPMIND_SEED", 1);
    for seed in first..first + setting("KEEPMIND_LIVES", 40) {
        let mut random = Random::new(seed);
        let mut ids = Random::new(!seed);
        let mut data = Snapshot::empty(OwnerState::NONE);
        for step in 0..60 {
            // A clock that jumps: mostly on, often back.
            let clock = claims::moment(random.between(0, 1_000));
            let (what, planned) = drafts::plan(&mut random, &mut ids, &data, clock);
            if let Ok(changes) = planned {
                let expected = Expected::At(data.state().revision);
                data.apply(expected, &changes).expect("a draft's own set");
            }
            let now = data.state().reading_time(clock);
            let question = AsOf::now(now);
            assert_eq!(
                answers(&data, question),
                live(&data, now),
                "seed {seed}, step {step}, {what:?}"
            );
            let past = AsOf {
                valid: claims::any_moment(&mut random),
                known: claims::any_moment(&mut random),
            };
            let slow: BTreeSet<RowId> = data
                .memories()
                .filter_map(|row| naive::as_of(&data, row.body.number, past))
                .map(|row| row.id)
                .collect();
            assert_eq!(
                answers(&data, past),
                slow,
                "seed {seed}, step {step}, {what:?}, {past:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_list_as_of_goes_on_where_its_page_ended() {
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = backend.open(folder.path()).await;
        let mut scribe = Scribe::new(&store, "alice");
        for case in CASES.iter().take(6) {
            // One owner for all: each case's fact is the last one saved.
            let content = format!("{} of its own", case.name);
            let row = scribe.note(&content).await;
            scribe.update(&row, &format!("{content}, again")).await;
        }
        let question = AsOf {
            valid: moment(0),
            known: moment(1_000),
        };
        let mut query = ListQuery {
            filter: Filter::new(Selection::AsOf { question }),
            limit: 2,
            after: None,
        };
        let mut shown = Vec::new();
        loop {
            let page = store.list(&scribe.owner, &query).await.expect("a page");
            shown.extend(page.items.into_iter().map(|row| row.body.claim.content));
            let Some(next) = page.next else { break };
            query.after = Some(next);
        }
        let expected: Vec<String> = CASES
            .iter()
            .take(6)
            .map(|case| format!("{} of its own", case.name))
            .collect();
        assert_eq!(shown, expected, "{backend:?}");
    }
}
