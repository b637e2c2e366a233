//! Search by words: BM25 over the library's own terms, for memories and for what was said.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{NewMessage, Place, SessionChange};
use crate::conformance::fixtures::{Scribe, claim, moment};
use crate::conformance::furnish::furnish;
use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
use crate::memory::{Authority, Claim, Layer};
use crate::message::{Role, Utterance};
use crate::row::{Kind, Why};
use crate::store::in_memory::InMemoryStore;
use crate::store::{Filter, Hit, KeywordQuery, MemoryStore, MessageSearch, Selection};

async fn hits(scribe: &Scribe, text: &str, limit: usize) -> Vec<Hit> {
    let query = KeywordQuery::new(text, Filter::new(Selection::All), limit);
    scribe
        .store
        .search(&scribe.owner, &query)
        .await
        .expect("a search")
}

/// A word is found wherever it stands in a sentence of a script without blanks.
pub async fn words_inside_thai_chinese_and_japanese_sentences_are_found(
    store: Arc<dyn MemoryStore>,
) {
    let mut scribe = Scribe::new(&store, "alice");
    let sentences = [
        ("ผมชอบดื่มชาเขียวทุกเช้า", "ชาเขียว"),
        ("我每天早上喝绿茶", "绿茶"),
        ("毎朝必ず緑茶を飲みます", "緑茶"),
        ("매일 아침 녹차를 마셔요", "녹차"),
    ];
    for (sentence, _) in sentences {
        scribe.note(sentence).await;
    }
    scribe.note("drinks green tea every morning").await;
    for (sentence, word) in sentences {
        let found = scribe.found(word, Selection::All).await;
        assert_eq!(found.first().map(String::as_str), Some(sentence), "{word}");
    }
}

/// Case, accents and endings make no difference.
pub async fn folding_and_stemming_find_other_forms(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("Anna's Cafés serve teas").await;
    for word in ["CAFE", "café", "cafes", "tea", "Anna"] {
        assert_eq!(
            scribe.found(word, Selection::All).await,
            ["Anna's Cafés serve teas"],
            "{word}"
        );
    }
    assert_eq!(scribe.found("teapot", Selection::All).await, [""; 0]);
}

/// A word of the long detail counts for less than one of the line that is shown.
pub async fn a_body_weighs_less_than_content(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks jasmine tea").await;
    scribe
        .save(Claim {
            body: Some("drinks jasmine tea".to_owned()),
            ..claim("has a habit")
        })
        .await;
    let found = scribe.found("jasmine", Selection::All).await;
    assert_eq!(found, ["drinks jasmine tea", "has a habit"]);
}

/// Content, body, tags, key and value are searched.
pub async fn every_text_of_a_claim_is_searched(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let full = Claim {
        tags: ["marzipan".to_owned()].into(),
        key: Some("saffron".to_owned()),
        value: Some(serde_json::json!({"list": ["turmeric", 4711], "deep": {"er": "cardamom"}})),
        body: Some("cinnamon\nand cloves".to_owned()),
        ..claim("likes vanilla")
    };
    scribe.save(full).await;
    for word in [
        "vanilla", "marzipan", "saffron", "turmeric", "4711", "cardamom", "cinnamon", "cloves",
    ] {
        assert_eq!(
            scribe.found(word, Selection::All).await,
            ["likes vanilla"],
            "{word}"
        );
    }
}

/// No character of a query has a special meaning.
pub async fn syntax_characters_are_plain(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    for content in ["drinks tea", "lives near the sea", "owns a teapot"] {
        scribe.note(content).await;
    }
    let none: [&str; 0] = [];
    for nothing in [
        "", " ", "%", "_", "\"", "*", "'", "()", "^", "-", "te%", "t_a", "\u{200b}",
    ] {
        assert_eq!(
            scribe.found(nothing, Selection::All).await,
            none,
            "{nothing:?}"
        );
    }
    let tea = ["drinks tea"];
    for query in [
        "tea*",
        "\"tea",
        "\"tea\"",
        "content:tea",
        "tea%",
        "'tea' --",
        "(tea",
        "tea^2",
        "-tea",
        "tea_",
        "te* tea",
    ] {
        assert_eq!(scribe.found(query, Selection::All).await, tea, "{query:?}");
    }
    assert_eq!(
        scribe.found("NEAR(", Selection::All).await,
        ["lives near the sea"]
    );
    let both = scribe.found("tea AND sea NOT xyz", Selection::All).await;
    assert_eq!(both.len(), 2, "words are words: {both:?}");
    assert_eq!(scribe.found("xyz OR", Selection::All).await, none);
}

/// A hit says which terms of the query it holds, and how well it fits.
pub async fn a_hit_says_what_matched(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks green tea").await;
    scribe.note("drinks black coffee").await;
    let hits = hits(&scribe, "green teas and zebras, or coffee", 10).await;
    let matched: Vec<&[String]> = hits.iter().map(|hit| hit.matched.as_slice()).collect();
    assert_eq!(matched, [["green", "tea"].as_slice(), ["coffe"].as_slice()]);
    assert!(
        hits.iter()
            .all(|hit| hit.score > 0.0 && hit.score.is_finite())
    );
    assert!(hits[0].score > hits[1].score);
}

/// The best come first, the newest of equals, and no more than asked for.
pub async fn hits_come_best_first_and_the_newest_of_equals(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let mut rows = Vec::new();
    for content in [
        "likes tea",
        "likes tea",
        "tea tea tea",
        "likes tea",
        "likes coffee",
    ] {
        rows.push(scribe.note(content).await.id);
    }
    let found: Vec<_> = hits(&scribe, "tea", 10)
        .await
        .iter()
        .map(|hit| hit.row.id)
        .collect();
    assert_eq!(found, [rows[2], rows[3], rows[1], rows[0]]);
    for limit in [0, 1, 2, 3] {
        let fewer: Vec<_> = hits(&scribe, "tea", limit)
            .await
            .iter()
            .map(|hit| hit.row.id)
            .collect();
        assert_eq!(fewer, found[..limit], "at most {limit}");
    }
}

/// What was just written is found; what ended is found only where ended rows are asked for.
pub async fn a_search_sees_the_last_commit(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let live = |scribe: &Scribe| Selection::Live { at: scribe.clock };
    let tea = scribe.note("drinks tea").await;
    assert_eq!(scribe.found("tea", live(&scribe)).await, ["drinks tea"]);
    let coffee = scribe.update(&tea, "drinks coffee").await;
    assert_eq!(scribe.found("tea", live(&scribe)).await, [""; 0]);
    assert_eq!(
        scribe.found("drinks", live(&scribe)).await,
        ["drinks coffee"]
    );
    assert_eq!(scribe.found("tea", Selection::Ended).await, ["drinks tea"]);
    scribe.end(Kind::Memory, coffee.origin, Why::Trashed).await;
    assert_eq!(scribe.found("drinks", live(&scribe)).await, [""; 0]);
    let restored = crate::State::Live {
        marks: crate::Marks::default(),
    };
    scribe
        .write(|draft| draft.set(Kind::Memory, coffee.origin, restored))
        .await;
    assert_eq!(
        scribe.found("drinks", live(&scribe)).await,
        ["drinks coffee"]
    );
}

/// A filter takes hits away, and moves neither the others' order nor their scores.
pub async fn a_filter_only_takes_hits_away(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    furnish(&mut scribe).await;
    let all = hits(&scribe, "tea rome right ended brief so", 100).await;
    assert!(all.len() > 10);
    let any = || Filter::new(Selection::All);
    for filter in [
        Filter::live(moment(100)),
        Filter::new(Selection::Held),
        Filter::new(Selection::Ended),
        Filter {
            authorities: [Authority::Rule].into(),
            ..any()
        },
        Filter {
            layers: [Layer::Digest].into(),
            ..any()
        },
        Filter {
            tags: ["city".to_owned()].into(),
            ..any()
        },
        Filter {
            recorded_until: Some(moment(6)),
            ..any()
        },
        Filter {
            excluded_domains: ["travel".to_owned()].into(),
            ..any()
        },
    ] {
        let expected: Vec<Hit> = all
            .iter()
            .filter(|hit| filter.matches(&hit.row))
            .cloned()
            .collect();
        let query = KeywordQuery::new("tea rome right ended brief so", filter, 100);
        let found = store.search(&scribe.owner, &query).await.expect("a search");
        assert_eq!(found, expected, "{:?}", query.filter);
    }
}

/// To ask for many of the words takes hits away, and moves neither the others' order nor their scores.
pub async fn what_holds_too_few_of_the_words_is_not_found(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    furnish(&mut scribe).await;
    scribe.note("green tea in Rome at night").await;
    scribe.note("black tea in Rome").await;
    let text = "tea, green or black, in Rome at night, zebra tea";
    for selection in [Selection::All, Selection::Ended] {
        let mut query = KeywordQuery::new(text, Filter::new(selection), 100);
        let all = store.search(&scribe.owner, &query).await.expect("a search");
        assert!(all.iter().any(|hit| hit.matched.len() == 1));
        for least in 0..=9 {
            query.least_terms = least;
            let found = store.search(&scribe.owner, &query).await.expect("a search");
            let mut expected = all.clone();
            expected.retain(|hit| hit.matched.len() >= least);
            assert_eq!(found, expected, "{selection:?}, {least} of the words");
        }
        query.least_terms = usize::MAX;
        let none = store.search(&scribe.owner, &query).await.expect("a search");
        assert_eq!(none, []);
    }
}

/// What has ended is found however much else holds the same words, and however much else has ended.
pub async fn the_few_that_have_ended_are_found_among_many(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let (mut cups, mut bees) = (Vec::new(), Vec::new());
    for place in 0..24 {
        cups.push(scribe.note(&format!("likes tea from cup {place}")).await);
        bees.push(scribe.note(&format!("met bee {place}")).await);
    }
    let query = KeywordQuery::new("tea cup", Filter::new(Selection::Ended), 100);
    let mut ended = BTreeSet::new();
    // First there are fewer that have ended than hold the words, then more.
    let few = [&cups[11], &cups[23], &bees[3], &cups[0]];
    let many = bees[4..].iter().chain([&cups[12], &cups[1]]);
    for row in few.into_iter().chain(many) {
        scribe.end(Kind::Memory, row.origin, Why::Forgotten).await;
        if cups.contains(row) {
            ended.insert(row.id);
        }
        let found = store.search(&scribe.owner, &query).await.expect("a search");
        let found: BTreeSet<_> = found.iter().map(|hit| hit.row.id).collect();
        assert_eq!(found, ended);
    }
}

/// Messages are found by what was said, by whom and where, never by the hidden part.
pub async fn messages_are_found_by_what_was_said(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let (first, second) = (scribe.open_session().await, scribe.open_session().await);
    let said = [
        (first, Role::User, "I drink tea"),
        (first, Role::Assistant, "Tea it is"),
        (second, Role::User, "tea, tea and more tea"),
        (second, Role::User, "coffee today"),
    ];
    let mut changes = scribe.unchecked();
    for (session, role, words) in said {
        let hidden = Some("zebra".to_owned());
        let utterance = Utterance {
            hidden,
            ..Utterance::new(role, words, moment(0))
        };
        changes.messages.push(NewMessage {
            session,
            place: None,
            utterance,
        });
    }
    scribe.put(changes).await;
    let ask = async |text: &str, session, roles: &[Role], limit| -> Vec<String> {
        let roles: BTreeSet<Role> = roles.iter().copied().collect();
        let search = MessageSearch {
            text: text.to_owned(),
            session,
            roles,
            limit,
        };
        let hits = store
            .search_messages(&scribe.owner, &search)
            .await
            .expect("a search");
        hits.into_iter()
            .map(|hit| hit.message.utterance.content)
            .collect()
    };
    assert_eq!(ask("tea", None, &[], 10).await.len(), 3);
    assert_eq!(ask("tea", None, &[], 1).await, ["tea, tea and more tea"]);
    assert_eq!(ask("TEAS", Some(first), &[], 10).await.len(), 2);
    assert_eq!(
        ask("tea", Some(first), &[Role::User], 10).await,
        ["I drink tea"]
    );
    assert_eq!(ask("tea", None, &[Role::System], 10).await, [""; 0]);
    assert_eq!(ask("zebra", None, &[], 10).await, [""; 0]);
    assert_eq!(ask("%", None, &[], 10).await, [""; 0]);
    assert_eq!(ask("coffee", None, &[], 0).await, [""; 0]);
}

/// The same chats in a store and in memory, for what depends on how much was said.
struct Twins([Scribe; 2]);

impl Twins {
    fn new(store: &Arc<dyn MemoryStore>) -> Self {
        let memory: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
        Twins([Scribe::new(store, "alice"), Scribe::new(&memory, "alice")])
    }

    async fn open_session(&mut self) -> SessionId {
        let [one, other] = &mut self.0;
        let session = one.open_session().await;
        assert_eq!(other.open_session().await, session);
        session
    }

    async fn say(&mut self, session: SessionId, words: &str, place: Option<Place>) {
        for scribe in &mut self.0 {
            let mut changes = scribe.unchecked();
            changes.messages.push(NewMessage {
                session,
                place,
                utterance: Utterance::new(Role::User, words, moment(0)),
            });
            scribe.put(changes).await;
        }
    }

    async fn purge(&mut self, session: SessionId) {
        for scribe in &mut self.0 {
            let mut changes = scribe.unchecked();
            changes.sessions.insert(session, SessionChange::Purge);
            scribe.put(changes).await;
        }
    }

    /// Fails unless both find the same messages with the same bits of every score; how many they find.
    async fn compare(&self, text: &str) -> usize {
        let search = MessageSearch {
            text: text.to_owned(),
            session: None,
            roles: BTreeSet::new(),
            limit: 500,
        };
        let [one, other] = &self.0;
        let hits = one.store.search_messages(&one.owner, &search).await;
        let expected = other.store.search_messages(&other.owner, &search).await;
        let (hits, expected) = (hits.expect("a search"), expected.expect("a search"));
        assert!(hits == expected, "{text:?} finds something else");
        hits.len()
    }
}

/// A store may put off indexing what is said; what is found, and in which order, never depends on it.
pub async fn however_many_messages_there_are_they_rank_alike(store: Arc<dyn MemoryStore>) {
    let mut twins = Twins::new(&store);
    let (tea, coffee) = (twins.open_session().await, twins.open_session().await);
    for place in 0..300 {
        let (session, drink) = match place % 3 {
            0 => (coffee, "coffee"),
            _ => (tea, "tea"),
        };
        let sips = "sip ".repeat(place % 5);
        let words = format!("cup {place} of {drink} {sips}on day {}", place % 7);
        twins.say(session, &words, None).await;
        if place % 23 == 0 || (60..70).contains(&place) {
            assert!(twins.compare("tea sip day 3").await > 0);
        }
    }
    let much = "sip of water ".repeat(2_000);
    twins.say(tea, &much, None).await;
    assert_eq!(twins.compare("cup").await, 300);
    twins.purge(coffee).await;
    assert_eq!(twins.compare("cup").await, 200);
    assert_eq!(twins.compare("coffee").await, 0);
    assert!(twins.compare("tea sip water").await > 0);
}

/// What is purged gives its places up. What is said there next is found, and nothing else is in its stead.
pub async fn a_place_that_is_free_again_holds_what_came_there_last(store: Arc<dyn MemoryStore>) {
    let mut twins = Twins::new(&store);
    let stays = twins.open_session().await;
    twins.say(stays, "tea stays", None).await;
    for round in 0..3 {
        let goes = twins.open_session().await;
        for place in 0..70 {
            let words = format!("tea of round {round}, cup {place}");
            twins.say(goes, &words, None).await;
        }
        assert_eq!(twins.compare("tea").await, 71);
        twins.purge(goes).await;
        assert_eq!(twins.compare("tea").await, 1);
        assert_eq!(twins.compare("cup").await, 0);
    }
    for place in 0..70 {
        let words = format!("more tea {place}");
        twins.say(stays, &words, None).await;
    }
    // An export brings its places along: far ahead, and in the gap before it.
    for ordinal in [900, 500, 400, 899] {
        let place = Place {
            number: MessageNumber::new(ordinal).expect("a number"),
            ordinal: MessageOrdinal::new(ordinal).expect("an ordinal"),
        };
        twins.say(stays, "tea from elsewhere", Some(place)).await;
        twins.say(stays, "tea at home", None).await;
        assert!(twins.compare("elsewhere home tea").await > 71);
    }
    assert_eq!(twins.compare("tea").await, 79);
}
