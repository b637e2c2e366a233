//! What must hold for any bytes at all. The fuzz targets of `fuzz/` and the bounded run in CI share it.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use keepmind::command::{Save, Undo};
use keepmind::export::{EditedMarkdown, Import, Reader};
use keepmind::inject;
use keepmind::testing::ScriptedModel;
use keepmind::{
    ApproximateTokens, Authority, Claim, Code, Command, Evidence, Fate, InMemoryStore, Keepmind,
    Layer, Lesson, MarkdownFate, Marks, Memory, MemoryRow, Number, Owner, Patience, Policy, Push,
    Row, RowId, SessionHandle, Settling, Source, Timestamp, TokenCounter, Trust, UndoToken,
    UserMemory, Uuid, Version, text,
};
use serde_json::json;

/// The longest answer that a refused call may have: it is read by a model, every time.
const LONGEST_REFUSAL: usize = 8_000;

fn run(scenario: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    runtime.block_on(scenario);
}

async fn chat(policy: Policy) -> SessionHandle {
    let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .policy(policy)
        .build()
        .expect("a preset is sound");
    let alice = keepmind.user("alice").expect("a good name");
    alice.open_session().await.expect("a session")
}

/// A tool call made of any bytes is answered; a refused one writes nothing.
pub fn tool_arguments(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    run(async {
        let session = chat(Policy::default()).await;
        let alice = session.memory().clone();
        alice.save("Likes tea").await.expect("a save");
        session
            .push(Push::user(text.clone()))
            .await
            .expect("a push");
        let argument = json!(text);
        let mut replies = vec![
            session
                .call_tool_json(&text)
                .await
                .expect("the store works"),
        ];
        for name in ["save_memory", "forget_memory", "recall_memories", &text] {
            let reply = session.call_tool(None, name, &argument).await;
            replies.push(reply.expect("the store works"));
        }
        let arguments = [
            (
                "save_memory",
                json!({"content": text, "detail": text, "key": text, "value": text}),
            ),
            (
                "update_memory",
                json!({"id_or_substring": "#1", "new_content": text}),
            ),
            (
                "propose_memory",
                json!({"content": text, "reasoning": text, "evidence": text}),
            ),
            (
                "link_memories",
                json!({"from_id": text, "to_id": 1, "relation": text}),
            ),
            ("list_memories", json!({"category": text})),
            ("recall_memories", json!({"query": text})),
        ];
        for (name, arguments) in arguments {
            let before = alice
                .changes(Default::default())
                .await
                .expect("the feed")
                .next;
            let reply = session.call_tool(Some(&text), name, &arguments).await;
            let reply = reply.expect("the store works");
            let after = alice
                .changes(Default::default())
                .await
                .expect("the feed")
                .next;
            assert_eq!(before == after, reply.event.is_none(), "{}", reply.message);
            replies.push(reply);
        }
        for reply in replies {
            assert!(!reply.message.is_empty());
            assert!(!reply.is_error || reply.event.is_none());
            assert!(!reply.is_error || reply.message.len() <= LONGEST_REFUSAL);
        }
        session
            .traces(None, 100)
            .await
            .expect("the records are kept");
        session.block().await.expect("the block");
    });
}

/// A target either names exactly one live fact, or nothing is touched.
pub fn substring_targets(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.split('\n');
    let target = parts.next().unwrap_or_default().to_owned();
    let contents: Vec<String> = parts.take(8).map(str::to_owned).collect();
    run(async {
        let session = chat(Policy::default()).await;
        let alice = session.memory().clone();
        for content in contents {
            // What cannot be a content is refused; that is another target's business.
            let _ = alice.save(content).await;
        }
        let live = alice.list(Default::default()).await.expect("a list").rows;
        let arguments = json!({"id_or_substring": target});
        let reply = session.call_tool(None, "forget_memory", &arguments).await;
        let reply = reply.expect("the store works");
        let left = alice.list(Default::default()).await.expect("a list").rows;
        let folded = text::line(&target)
            .map(|line| text::fold(&line))
            .unwrap_or_default();
        let holding: BTreeSet<Number> = live
            .iter()
            .filter(|row| text::fold(&row.body.claim.content).contains(&folded))
            .map(|row| row.body.number)
            .collect();
        let is_number = folded.trim_start_matches('#').trim().parse::<u64>().is_ok();
        if reply.is_error {
            assert_eq!(live.len(), left.len());
            let is_ambiguous = reply.codes == [Code::Ambiguous];
            assert!(is_ambiguous || is_number || holding.len() != 1 || folded.chars().count() < 2);
        } else {
            assert_eq!(live.len(), left.len() + 1);
            assert!(is_number || holding.len() == 1, "{holding:?}");
        }
    });
}

/// Whatever memories hold, the block parses back to exactly their lines, within its budget.
pub fn sanitise_and_render(data: &[u8]) {
    let written = String::from_utf8_lossy(data);
    for policy in [Policy::default(), Policy::assistant()] {
        let category = policy.default_category.clone();
        let rows: Vec<MemoryRow> = (1..)
            .zip(written.split('\u{1e}').take(64))
            .map(|(count, content)| row(count, &category, content))
            .collect();
        let now = Timestamp::UNIX_EPOCH;
        let block = inject::block(&rows, &policy, &BTreeSet::new(), now, &ApproximateTokens);
        assert!(ApproximateTokens.count(&block.text) <= policy.block.budget as usize);
        let parsed = inject::parse(&block.text);
        assert_eq!(parsed.len(), block.rows.len());
        for (line, id) in parsed.iter().zip(&block.rows) {
            let shown = rows
                .iter()
                .find(|row| row.id == *id)
                .expect("a row of ours");
            assert!(!line.text.contains(['\n', '\r', '\u{2028}']));
            if let Ok(cleaned) = text::line(&shown.body.claim.content) {
                assert_eq!(line.text, cleaned);
            }
        }
        for line in written.split('\n') {
            if let Ok(cleaned) = text::line(line) {
                assert_eq!(text::line(&cleaned).as_ref(), Ok(&cleaned));
            }
        }
    }
}

fn row(count: u64, category: &str, content: &str) -> MemoryRow {
    let id = RowId::new(Uuid::from_u128(count.into()));
    Row {
        id,
        origin: id.into(),
        recorded_at: Timestamp::UNIX_EPOCH,
        end: None,
        marks: Marks::default(),
        body: Memory {
            number: Number::new(count).expect("few rows"),
            version: Version::FIRST,
            claim: Claim {
                source: Source::User,
                ..Claim::note(category, content, Timestamp::UNIX_EPOCH)
            },
        },
    }
}

/// A model that answers any bytes: whatever is stored rests on the user's words, and everything has a fate.
pub fn model_reply(data: &[u8]) {
    let answer = String::from_utf8_lossy(data).into_owned();
    run(learn_from(
        "I like tea and live in Ghent since 2019",
        answer,
    ));
}

/// A consolidation whose model answers any bytes, and lines of any bytes: no fact is touched, and a line that
/// stands says what its facts say.
pub fn digest_lines(data: &[u8]) {
    let answer = String::from_utf8_lossy(data).into_owned();
    let line = json!({"digest": "profile", "text": answer, "cites": [1, 2]});
    for answer in [answer, json!({"lines": [line]}).to_string()] {
        run(consolidate_with(answer));
    }
}

async fn consolidate_with(answer: String) {
    const FACTS: [&str; 3] = ["User likes tea", "User likes milk", "User's sister rows"];
    let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .patience(Patience::default().retries(0, Duration::ZERO))
        .model(Arc::new(ScriptedModel::answering(answer)))
        .build()
        .expect("the default policy is sound");
    let alice = keepmind.user("alice").expect("a good name");
    for content in FACTS {
        alice.save(content).await.expect("a save");
    }
    let done = alice.consolidate().await.expect("no model fails it");
    let refused = done.settled.iter();
    let mut refused = refused.filter(|one| one.fate == Settling::Refused);
    assert!(refused.all(|one| !one.codes.is_empty()), "{done:?}");
    let page = alice.list(Default::default()).await.expect("a list");
    let facts = page.rows.iter();
    let facts = facts.filter(|row| row.body.claim.layer == Layer::Fact);
    let facts: Vec<&str> = facts.map(|row| row.body.claim.content.as_str()).collect();
    assert_eq!(facts, FACTS);
    let digests = alice.digests().await.expect("the digests");
    for line in digests.iter().flat_map(|digest| &digest.lines) {
        let folded = text::fold(&line.text);
        for number in &line.cites {
            let said = FACTS[number.get() as usize - 1];
            let last = said.rsplit(' ').next().unwrap_or_default();
            assert!(folded.contains(last), "{line:?}");
        }
        assert!(text::secret(&line.text).is_none(), "{line:?}");
    }
}

/// A chat of any bytes, with a model that proposes parts of it.
pub fn transcript(data: &[u8]) {
    let said = String::from_utf8_lossy(data).into_owned();
    let words: Vec<&str> = said.split_whitespace().collect();
    let quote = words[..words.len().min(6)].join(" ");
    let operation =
        |content: &str| json!({"op": "add", "content": content, "quote": quote, "confidence": 0.9});
    let operations = [
        operation(&format!("User said {quote}")),
        operation(&said),
        json!({"op": "update", "id": 1, "content": quote, "quote": said, "confidence": 1}),
    ];
    let answer = json!({"ops": operations, "episode": said, "recap": said}).to_string();
    run(learn_from(&said, answer));
    run(learn_from(&said, String::new()));
}

/// Closes a chat in which that was said, with a model that answers that; without one where it is empty.
async fn learn_from(said: &str, answer: String) {
    let mut builder = Keepmind::builder(Arc::new(InMemoryStore::new()))
        .patience(Patience::default().retries(0, Duration::ZERO));
    if !answer.is_empty() {
        builder = builder.model(Arc::new(ScriptedModel::answering(answer)));
    }
    let keepmind = builder.build().expect("the default policy is sound");
    let alice = keepmind.user("alice").expect("a good name");
    alice.save("User plays the cello").await.expect("a save");
    let session = alice.open_session().await.expect("a session");
    if session.push(Push::user(said)).await.is_err() {
        return;
    }
    let closed = session
        .close()
        .await
        .expect("a close never fails for a model");
    let page = alice.list(Default::default()).await.expect("a list");
    for row in page
        .rows
        .iter()
        .filter(|row| !row.body.claim.source.is_explicit())
    {
        let claim = &row.body.claim;
        assert_eq!(text::line(&claim.content).as_ref(), Ok(&claim.content));
        assert!(text::secret(&claim.content).is_none(), "a secret was kept");
        if claim.layer == Layer::Fact {
            let [Evidence::Quote { quote, span, .. }] = &claim.evidence[..] else {
                panic!("without evidence: {claim:?}");
            };
            let messages = session.messages(None, 1).await.expect("the chat").items;
            let content = &messages[0].utterance.content;
            assert_eq!(&content[span.start as usize..span.end as usize], quote);
        }
    }
    let cello = alice.get("#1").await.expect("the fact").row;
    assert_eq!(cello.body.claim.content, "User plays the cello");
    let reported = closed.report.lessons.iter();
    let is_told = |lesson: &Lesson| (lesson.fate == Fate::Refused) != lesson.codes.is_empty();
    assert!(
        reported
            .clone()
            .all(|lesson| lesson.fate == Fate::Proposed || is_told(lesson)),
        "{:?}",
        closed.report
    );
}

/// A file of any bytes, as they are and as a change in a good export: it is refused and nothing is written, or it
/// is taken, trusted no further than it may be, and taken back as one.
pub fn import(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    for file in [text.clone(), bent_export(data, &text)] {
        run(async {
            let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
                .build()
                .expect("the default policy is sound");
            let user = |name: &str| keepmind.user(name).expect("a good name");
            import_into(&user("alice"), &file).await;
            restore_into(&user("carol"), &file).await;
        });
    }
}

/// A good export with a piece of it replaced.
fn bent_export(data: &[u8], text: &str) -> String {
    static GOOD: OnceLock<String> = OnceLock::new();
    let good = GOOD.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(furnished_export())
    });
    bent(good, data, text)
}

/// A good text with a piece of it replaced: the first bytes say where and how much.
fn bent(good: &str, data: &[u8], text: &str) -> String {
    let byte = |place: usize| data.get(place).copied().map_or(0, usize::from);
    let start = (byte(0) * 65_536 + byte(1) * 256 + byte(2)) % (good.len() + 1);
    let end = (start + byte(3) % 16).min(good.len());
    let border = |mut place: usize| {
        while !good.is_char_boundary(place) {
            place -= 1;
        }
        place
    };
    let (start, end) = (border(start), border(end));
    let with: String = text.chars().skip(4).collect();
    format!("{}{with}{}", &good[..start], &good[end..])
}

async fn furnished_export() -> String {
    let session = chat(Policy::default()).await;
    let alice = session.memory();
    let said = Push::user("I live in Ghent and like tea");
    session.push(said).await.expect("a push");
    let arguments = json!({"content": "User lives in Ghent"});
    let called = session.call_tool(None, "save_memory", &arguments).await;
    called.expect("the store works");
    alice.save("User likes tea").await.expect("a save");
    let mut rule = Save::new("User eats no fish");
    rule.authority = Some(Authority::Rule);
    rule.domain = Some("food".to_owned());
    rule.key = Some("diet".to_owned());
    rule.value = Some(json!({"fish": false}));
    alice.save(rule).await.expect("a save");
    let (one, two) = (Number::FIRST, Number::new(2).expect("a number"));
    alice.link(one, two, "relates_to").await.expect("a link");
    alice.forget("#2").await.expect("it is live");
    alice.consent("health", true).await.expect("a domain");
    session.close().await.expect("a close");
    alice.export().await.expect("an export")
}

async fn import_into(alice: &UserMemory, file: &str) {
    alice.save("User plays the cello").await.expect("a save");
    let before = alice.export().await.expect("an export");
    let live = alice.list(Default::default()).await.expect("a list").rows;
    let owner = Owner::new("alice").expect("a good name");
    let dry = alice
        .import_export(Import::new(file).of(owner).dry_run())
        .await;
    assert_eq!(alice.export().await.expect("an export"), before);
    let Ok(report) = alice.import_export(file).await else {
        assert!(dry.is_err());
        assert_eq!(alice.export().await.expect("an export"), before);
        return;
    };
    let rows = alice.list(Default::default()).await.expect("a list").rows;
    for row in rows.iter().filter(|row| row.body.number != Number::FIRST) {
        let claim = &row.body.claim;
        assert_eq!(claim.source, Source::Imported);
        assert!(claim.trust <= Trust::Extracted && claim.authority == Authority::Note);
        assert!(row.marks.confidence.is_some() && !claim.authorises_action);
        assert!(text::secret(&claim.content).is_none(), "a secret was kept");
    }
    alice.block().await.expect("the block");
    if let Some(token) = report.event.and_then(|event| event.undo) {
        alice.undo(token).await.expect("an import can be undone");
        let left = alice.list(Default::default()).await.expect("a list").rows;
        assert_eq!(left, live);
        assert!(alice.pending().await.expect("proposals").is_empty());
    }
}

async fn restore_into(carol: &UserMemory, file: &str) {
    if carol.restore_export(file).await.is_err() {
        assert!(!carol.erase().await.expect("an erasure"));
        return;
    }
    let first = carol.export().await.expect("an export");
    carol.block().await.expect("the block");
    let feed = carol.changes(Default::default()).await.expect("the feed");
    for entry in feed.entries.iter().rev() {
        // A journal that was made up may say what cannot be taken back: then nothing is.
        let undo = Undo::new(UndoToken::Operation(entry.operation));
        let _ = carol.execute(Command::Undo(undo)).await;
    }
    assert!(carol.erase().await.expect("an erasure"));
    carol.restore_export(&first).await.expect("its own export");
    assert_eq!(carol.export().await.expect("an export"), first);
}

/// Markdown of any bytes, as they are and as a change in a good copy: it is refused and nothing is written, or what it
/// says is done as its dry run said, and taken back as one. A model's copy tells nothing of what it was made without.
pub fn markdown(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    run(async {
        let session = chat(Policy::default()).await;
        let alice = session.memory();
        for content in ["Lives in Ghent", "Likes <b>tea</b>", "[#1 v1] was here"] {
            let save = Save::new(content).category("profile");
            alice.save(save).await.expect("a save");
        }
        let copy = alice.markdown(Reader::User).await.expect("Markdown");
        let read = alice.read_markdown(copy.as_str()).await;
        assert!(read.expect("its own copy").lines.is_empty());
        read_into(alice, &text).await;
        read_into(alice, &bent(&copy, data, &text)).await;

        let mut hidden = Save::new("Takes warfarin").category("profile");
        hidden.domain = Some("health".to_owned());
        let hidden = alice.save(hidden).await.expect("a save").number;
        alice.consent("health", false).await.expect("a word");
        let copy = alice.markdown(Reader::Model).await.expect("Markdown");
        assert!(!copy.contains("warfarin"));
        let bent = bent(&copy, data, &text);
        let before = alice.export().await.expect("an export");
        let dry = alice.read_markdown(EditedMarkdown::from(bent.as_str()).by_model());
        if let Ok(report) = dry.await {
            for line in report.lines {
                let is_refused = line.fate == MarkdownFate::Refused;
                assert!(is_refused || line.number != hidden, "{line:?}");
            }
        }
        assert_eq!(alice.export().await.expect("an export"), before);
    });
}

async fn read_into(alice: &UserMemory, text: &str) {
    let contents = async || {
        let rows = alice.list(Default::default()).await.expect("a list").rows;
        let content = |row: &MemoryRow| (row.body.number, row.body.claim.content.clone());
        rows.iter().map(content).collect::<Vec<_>>()
    };
    let before = (alice.export().await.expect("an export"), contents().await);
    let dry = alice
        .read_markdown(EditedMarkdown::from(text).dry_run())
        .await;
    assert_eq!(alice.export().await.expect("an export"), before.0);
    let read = alice.read_markdown(text).await;
    let (Ok(dry), Ok(read)) = (&dry, &read) else {
        assert!(dry.is_err() && read.is_err());
        assert_eq!(alice.export().await.expect("an export"), before.0);
        return;
    };
    assert_eq!(dry.lines, read.lines);
    assert_eq!(
        read.applies,
        !read.lines.iter().any(|line| line.fate.blocks())
    );
    let copy = alice.markdown(Reader::User).await.expect("Markdown");
    let again = alice.read_markdown(copy).await.expect("its own copy");
    assert!(again.lines.is_empty(), "{again:?}");
    match read.event.as_ref().and_then(|event| event.undo) {
        Some(token) => {
            alice.undo(token).await.expect("an edit can be undone");
            assert_eq!(contents().await, before.1);
        }
        None => assert_eq!(alice.export().await.expect("an export"), before.0),
    }
}
