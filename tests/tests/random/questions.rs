//! Every question a store can be asked, at random: all stores answer alike, and as the slow way does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;

use keepmind::policy::FusionMethod;
use keepmind::store::{
    Cursor, Filter, FoundRow, Hit, KeywordQuery, ListQuery, Meaning, MessageQuery, MessageSearch,
    ObservationQuery, Page, RecallQuery, SessionQuery, TraceQuery, UnembeddedQuery, UsageQuery,
    VectorQuery, WordMeaning,
};
use keepmind::{
    Around, MemoryRow, MemoryStore, MessageNumber, Owner, Policy, Result, Role, RowId, SessionId,
    SessionStatus, Slice, Snapshot,
};
use keepmind_tests::claims::{any_moment, vector, words};
use keepmind_tests::{Random, naive};

use crate::Opened;
use crate::filters::{filter, limit, slice, some_of};

/// Asks every store, and fails unless all answer what the first does.
pub async fn ask<T: PartialEq + Debug>(
    opened: &[Opened],
    what: &dyn Debug,
    question: impl AsyncFn(Arc<dyn MemoryStore>) -> Result<T>,
) -> Result<T> {
    let asked = opened
        .iter()
        .map(|Opened { store, .. }| question(Arc::clone(store)));
    let mut answers = together(asked).await.into_iter();
    let first = answers.next().expect("at least one store");
    for (answer, Opened { backend, .. }) in answers.zip(&opened[1..]) {
        let is_same = match (&first, &answer) {
            (Ok(one), Ok(other)) => one == other,
            (Err(one), Err(other)) => one.kind() == other.kind(),
            _ => false,
        };
        let names = [opened[0].backend.name, backend.name];
        assert!(
            is_same,
            "{what:?}: {names:?} differ:\n{}",
            first_difference(&first, &answer)
        );
    }
    first
}

/// What comes of all of them. They go on side by side: what they wait for is done elsewhere.
async fn together<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut all: Vec<_> = all.map(|one| (Box::pin(one), None)).collect();
    poll_fn(|context| {
        for (one, outcome) in all.iter_mut().filter(|(_, outcome)| outcome.is_none()) {
            if let Poll::Ready(ready) = one.as_mut().poll(context) {
                *outcome = Some(ready);
            }
        }
        match all.iter().all(|(_, outcome)| outcome.is_some()) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    all.into_iter().filter_map(|(_, outcome)| outcome).collect()
}

/// A few lines around where two answers part.
fn first_difference(one: &impl Debug, other: &impl Debug) -> String {
    let (one, other) = (format!("{one:#?}"), format!("{other:#?}"));
    let (one, other): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    let place = one
        .iter()
        .zip(&other)
        .take_while(|(one, other)| one == other)
        .count();
    let around = |lines: &[&str]| {
        let end = (place + 12).min(lines.len());
        lines[place.saturating_sub(12).min(end)..end].join("\n")
    };
    format!("{}\n--- but ---\n{}", around(&one), around(&other))
}

/// Follows the cursors to the end on every store; the whole list and how many pages were compared.
async fn pages<T: PartialEq + Debug>(
    opened: &[Opened],
    what: &dyn Debug,
    page: impl AsyncFn(Arc<dyn MemoryStore>, Option<Cursor>) -> Result<Page<T>>,
) -> (Vec<T>, usize) {
    let mut items = Vec::new();
    let mut after = None;
    for count in 1.. {
        let next = async |store: Arc<dyn MemoryStore>| page(store, after.clone()).await;
        let Ok(page) = ask(opened, what, next).await else {
            return (items, count);
        };
        items.extend(page.items);
        after = page.next;
        if after.is_none() {
            return (items, count);
        }
    }
    (items, 0)
}

/// Compares one owner's answers to every kind of question; how many were compared.
pub async fn compare(
    opened: &[Opened],
    owner: &Owner,
    data: &Snapshot,
    random: &mut Random,
) -> usize {
    let mut count = 1;
    let all = Slice::everything();
    let load = async |store: Arc<dyn MemoryStore>| store.load(owner, &all).await;
    let loaded = ask(opened, &"everything", load).await.expect("a load");
    assert!(
        loaded == *data,
        "what is loaded has changed without a write"
    );
    for _ in 0..3 {
        let slice = slice(random, data);
        let load = async |store: Arc<dyn MemoryStore>| store.load(owner, &slice).await;
        let part = ask(opened, &slice, load).await.expect("a load");
        assert!(
            part == data.slice(&slice),
            "{slice:?} is not what the reference cuts out"
        );
        count += 1;
    }
    count += lists(opened, owner, data, random).await;
    count += searches(opened, owner, data, random).await;
    count += chats(opened, owner, data, random).await;
    count + records(opened, owner, data, random).await
}

/// Compares the owners' page and what the stores say about themselves.
pub async fn compare_owners(opened: &[Opened], random: &mut Random) -> usize {
    let after = random.sometimes(30, |random| {
        Owner::new(random.one_of(&["A", "alice", "b", "z"])).expect("a name")
    });
    let limit = random.below(4);
    let owners = async |store: Arc<dyn MemoryStore>| store.owners(after.as_ref(), limit).await;
    ask(opened, &(&after, limit), owners).await.expect("owners");
    let count = async |store: Arc<dyn MemoryStore>| Ok(store.info().await?.owners);
    ask(opened, &"how many owners", count).await.expect("info");
    2
}

fn is_sound(filter: &Filter) -> bool {
    filter.min_confidence.is_none_or(|floor| !floor.is_nan())
}

async fn lists(opened: &[Opened], owner: &Owner, data: &Snapshot, random: &mut Random) -> usize {
    let mut count = 0;
    for _ in 0..4 {
        let (filter, limit) = (filter(random, data), limit(random));
        let page = async |store: Arc<dyn MemoryStore>, after: Option<Cursor>| {
            store
                .list(
                    owner,
                    &ListQuery {
                        filter: filter.clone(),
                        limit,
                        after,
                    },
                )
                .await
        };
        let (rows, pages) = pages(opened, &filter, page).await;
        count += pages;
        if is_sound(&filter) {
            assert!(
                rows == naive::list(data, &filter),
                "{filter:?} lists something else than the slow way"
            );
        }
    }
    count
}

async fn searches(opened: &[Opened], owner: &Owner, data: &Snapshot, random: &mut Random) -> usize {
    for _ in 0..3 {
        let mut query = KeywordQuery::new(words(random), filter(random, data), limit(random));
        query.least_terms = random.below(4);
        let search = async |store: Arc<dyn MemoryStore>| store.search(owner, &query).await;
        let Ok(hits) = ask(opened, &query, search).await else {
            continue;
        };
        let slow = naive::search(data, &query.text, &query.filter, query.least_terms);
        assert_eq!(hits.len(), slow.len().min(query.limit), "{query:?}");
        for hit in &hits {
            let score = slow
                .iter()
                .find(|(id, _)| *id == hit.row.id)
                .map(|(_, score)| *score);
            let is_close = score.is_some_and(|score| (score - hit.score).abs() < 1e-9);
            assert!(
                is_close,
                "{query:?}: {} scores {}, not {score:?}",
                hit.row.id, hit.score
            );
        }
        assert_ranked(&hits);
    }
    for _ in 0..2 {
        let query = VectorQuery {
            embedder: random.one_of(&["small", "small", "large"]).to_owned(),
            vector: vector(random),
            filter: filter(random, data),
            limit: limit(random),
        };
        let search = async |store: Arc<dyn MemoryStore>| store.search_vectors(owner, &query).await;
        let Ok(hits) = ask(opened, &query, search).await else {
            continue;
        };
        let slow = naive::cosines(data, &query.embedder, &query.vector, &query.filter);
        assert_eq!(hits.len(), slow.len().min(query.limit), "{query:?}");
        for hit in &hits {
            let is_close = slow
                .get(&hit.row.id)
                .is_some_and(|score| (score - hit.score).abs() < 1e-6);
            assert!(is_close, "{query:?}: {} scores {}", hit.row.id, hit.score);
        }
        assert_ranked(&hits);
    }
    searches_by_both(opened, owner, data, random).await;
    rows_without_a_vector(opened, owner, data, random).await;
    7
}

async fn rows_without_a_vector(
    opened: &[Opened],
    owner: &Owner,
    data: &Snapshot,
    random: &mut Random,
) {
    let known: Vec<&MemoryRow> = data.memories().collect();
    let after = random.pick(&known).filter(|_| random.chance(50));
    let query = UnembeddedQuery {
        embedder: random.one_of(&["small", "small", "large"]).to_owned(),
        dimensions: vector(random).dimensions(),
        after: after.map(|row| (row.body.number, row.body.version)),
        limit: limit(random),
    };
    let find = async |store: Arc<dyn MemoryStore>| store.unembedded(owner, &query).await;
    let Ok(rows) = ask(opened, &query, find).await else {
        return;
    };
    let has_vector = |row: &MemoryRow| {
        data.embeddings().any(|(key, vector)| {
            key.memory == row.id
                && key.embedder == query.embedder
                && vector.dimensions() == query.dimensions
        })
    };
    let is_after = |row: &MemoryRow| {
        query
            .after
            .is_none_or(|after| (row.body.number, row.body.version) > after)
    };
    let slow: Vec<MemoryRow> = known
        .into_iter()
        .filter(|row| row.is_open() && is_after(row) && !has_vector(row))
        .take(query.limit)
        .cloned()
        .collect();
    assert_eq!(rows, slow, "{query:?}");
}

/// Words and meaning at once: every row that either finds, with what each says of it.
async fn searches_by_both(opened: &[Opened], owner: &Owner, data: &Snapshot, random: &mut Random) {
    let mut fusion = Policy::default().recall.fusion;
    fusion.method = random.one_of(&[FusionMethod::Score, FusionMethod::ReciprocalRank]);
    let meaning = Meaning {
        embedder: random.one_of(&["small", "small", "large"]).to_owned(),
        vector: vector(random),
        words: (0..random.below(4))
            .map(|_| WordMeaning {
                term: words(random),
                vector: vector(random).into(),
            })
            .collect(),
    };
    let query = RecallQuery {
        text: match random.sometimes(30, |random| random.one_of(&["Anna", "in May", "I"])) {
            Some(more) => format!("{} {more}", words(random)),
            None => words(random),
        },
        meaning: Some(meaning).filter(|_| random.one_of(&[true, true, false])),
        fusion,
        filter: filter(random, data),
        limit: limit(random),
        json: random.one_of(&[true, false]),
    };
    let search = async |store: Arc<dyn MemoryStore>| {
        let read = |hit: Hit<FoundRow>| {
            let json = hit.row.json().map(str::to_owned);
            let hit = hit.read()?;
            if let Some(json) = json {
                assert!(query.json, "{json} was not asked for");
                assert_eq!(json, serde_json::to_string(&hit.row).unwrap());
            }
            Ok(hit)
        };
        let hits = store.recall(owner, &query).await?;
        hits.into_iter()
            .map(read)
            .collect::<keepmind::Result<Vec<Hit>>>()
    };
    let Ok(hits) = ask(opened, &query, search).await else {
        return;
    };
    let by_words: BTreeMap<RowId, f64> = naive::search(data, &query.text, &query.filter, 0)
        .into_iter()
        .collect();
    let by_meaning = query
        .meaning
        .as_ref()
        .map(|meaning| naive::cosines(data, &meaning.embedder, &meaning.vector, &query.filter));
    let by_meaning = by_meaning.unwrap_or_default();
    let either: BTreeSet<&RowId> = by_words.keys().chain(by_meaning.keys()).collect();
    let by_itself = hits.iter().filter(|hit| either.contains(&hit.row.id));
    let is_all = hits.len() >= query.limit || by_itself.count() == either.len();
    assert!(is_all, "{query:?}");
    for hit in &hits {
        let is_found = either.contains(&hit.row.id) || hit.around.contains(&Around::Neighbour);
        assert!(is_found, "{query:?}");
        let is_close = |told: Option<f64>, slow: Option<&f64>| match (told, slow) {
            (Some(told), Some(slow)) => (told - slow).abs() < 1e-6,
            (told, slow) => told.is_none() && slow.is_none(),
        };
        assert!(is_close(hit.words, by_words.get(&hit.row.id)), "{query:?}");
        // Words that weigh turn the direction; then it is enough that every store finds the same.
        let is_turned = query
            .meaning
            .as_ref()
            .is_some_and(|meaning| !meaning.words.is_empty());
        let slow = by_meaning.get(&hit.row.id);
        let is_right = match is_turned {
            true => hit.meaning.is_some() == slow.is_some(),
            false => is_close(hit.meaning, slow),
        };
        assert!(is_right, "{query:?}");
    }
    assert_ranked(&hits);
}

/// Fails unless the best come first, and of equals the newest.
fn assert_ranked(hits: &[Hit]) {
    let place = |hit: &Hit| (hit.row.body.number, hit.row.body.version);
    let is_ranked = hits.windows(2).all(|pair| {
        let order = pair[0]
            .score
            .total_cmp(&pair[1].score)
            .then(place(&pair[0]).cmp(&place(&pair[1])));
        order.is_gt()
    });
    assert!(is_ranked, "hits are not in order");
}

async fn chats(opened: &[Opened], owner: &Owner, data: &Snapshot, random: &mut Random) -> usize {
    let mut count = 0;
    let known: Vec<SessionId> = data.sessions().map(|session| session.id).collect();
    let query = SessionQuery {
        statuses: some_of(
            random,
            40,
            &[
                SessionStatus::Active,
                SessionStatus::Idle,
                SessionStatus::Archived,
            ],
        ),
        deleted: random.sometimes(50, |random| random.chance(50)),
        inactive_since: random.sometimes(30, any_moment),
        retry_due: random.sometimes(20, any_moment),
        limit: limit(random),
        after: None,
    };
    let page = async |store: Arc<dyn MemoryStore>, after: Option<Cursor>| {
        store
            .sessions(
                owner,
                &SessionQuery {
                    after,
                    ..query.clone()
                },
            )
            .await
    };
    count += pages(opened, &query, page).await.1;
    for newest_first in [false, true] {
        let session = random.sometimes(60, |random| random.pick(&known)).flatten();
        let after_number = random
            .sometimes(20, |random| MessageNumber::new(1 + random.below(9) as u64))
            .flatten();
        let query = MessageQuery {
            session,
            after_number,
            newest_first,
            limit: limit(random),
            after: None,
        };
        let page = async |store: Arc<dyn MemoryStore>, after: Option<Cursor>| {
            store
                .messages(
                    owner,
                    &MessageQuery {
                        after,
                        ..query.clone()
                    },
                )
                .await
        };
        let (messages, pages) = pages(opened, &query, page).await;
        count += pages;
        if session.is_some() || after_number.is_none() {
            let mut slow: Vec<_> = data
                .messages()
                .filter(|message| session.is_none_or(|session| message.session == session))
                .filter(|message| after_number.is_none_or(|number| message.number > number))
                .cloned()
                .collect();
            if session.is_some() {
                slow.sort_by_key(|message| message.number);
            }
            if newest_first {
                slow.reverse();
            }
            assert!(
                messages == slow,
                "{query:?} reads something else than the slow way"
            );
        }
    }
    for _ in 0..2 {
        let query = MessageSearch {
            text: words(random),
            session: random.sometimes(40, |random| random.pick(&known)).flatten(),
            roles: some_of(random, 30, &[Role::User, Role::Assistant, Role::Tool]),
            limit: limit(random),
        };
        let search = async |store: Arc<dyn MemoryStore>| store.search_messages(owner, &query).await;
        ask(opened, &query, search).await.expect("a search");
    }
    count + 2
}

async fn records(opened: &[Opened], owner: &Owner, data: &Snapshot, random: &mut Random) -> usize {
    let mut count = 1;
    let sessions: Vec<SessionId> = data.sessions().map(|session| session.id).collect();
    let memories: Vec<_> = data.memories().map(|row| row.id).collect();
    let seen: Vec<_> = data.observations().map(|seen| seen.id).collect();
    let ids = random.sometimes(30, |random| random.pick(&seen)).flatten();
    let query = ObservationQuery {
        ids: ids.into_iter().collect(),
        newest_first: random.chance(50),
        source: random.sometimes(40, |random| {
            random.one_of(&["phone", "watch", "nobody"]).to_owned()
        }),
        text: random.sometimes(40, words),
        from: random.sometimes(30, any_moment),
        until: random.sometimes(30, any_moment),
        limit: limit(random),
        after: None,
    };
    let page = async |store: Arc<dyn MemoryStore>, after: Option<Cursor>| {
        store
            .observations(
                owner,
                &ObservationQuery {
                    after,
                    ..query.clone()
                },
            )
            .await
    };
    count += pages(opened, &query, page).await.1;
    let session = random.pick(&sessions).filter(|_| random.chance(50));
    let query = TraceQuery {
        session,
        limit: limit(random),
        after: None,
    };
    let page = async |store: Arc<dyn MemoryStore>, after: Option<Cursor>| {
        store
            .traces(
                owner,
                &TraceQuery {
                    after,
                    ..query.clone()
                },
            )
            .await
    };
    count += pages(opened, &query, page).await.1;
    let memory = random.pick(&memories).filter(|_| random.chance(30));
    let query = UsageQuery {
        session,
        memories: memory.into_iter().collect(),
        ..UsageQuery::all(limit(random))
    };
    let page = async |store: Arc<dyn MemoryStore>, after: Option<Cursor>| {
        store
            .usage(
                owner,
                &UsageQuery {
                    after,
                    ..query.clone()
                },
            )
            .await
    };
    count += pages(opened, &query, page).await.1;
    let (since, limit) = (random.below(200) as u64, limit(random));
    let journal = async |store: Arc<dyn MemoryStore>| store.journal(owner, since, limit).await;
    let entries = ask(opened, &(since, limit), journal)
        .await
        .expect("a journal");
    let slow = data
        .journal()
        .filter(|entry| entry.revision >= since)
        .take(limit);
    assert!(
        entries.iter().eq(slow),
        "the journal since {since} is not the journal"
    );
    count
}
