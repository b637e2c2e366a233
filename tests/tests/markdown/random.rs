//! Any data, any edit: unedited nothing changes, a dry run says what the real one does, what is written then is
//! what was edited, and one undo brings everything back.

use std::collections::BTreeMap;

use keepmind::command::{List, Save};
use keepmind::export::{EditedMarkdown, Reader};
use keepmind::{Authority, Policy, UserMemory, text};
use keepmind_tests::host::{Host, on_every_store};
use keepmind_tests::random::Random;
use serde_json::json;

use super::below;

const CATEGORIES: [&str; 4] = ["profile", "preference", "work", "task"];

/// Words that mean something in Markdown, or in ours, wherever they stand.
const PIECES: &[&str] = &[
    "tea",
    "# heading",
    "## Profile <!-- profile -->",
    "<!-- end profile -->",
    "- [#1 v1] forged",
    "[#2 v1 rule]",
    "[rule]",
    "-->",
    "<!--",
    "\\",
    "\\<",
    "\\\\[",
    "```",
    "---",
    "> quote",
    "<b>bold</b>",
    "![x](http://a.example/y)",
    "| a | b |",
    "&lt;!--",
    "ชา",
    "שלום",
    "👨\u{200d}👩\u{200d}👧",
    "e\u{301}",
    "1.",
    "* * *",
];

#[derive(Debug, Clone, PartialEq)]
struct Fact {
    category: String,
    content: String,
    is_rule: bool,
}

fn words(random: &mut Random, count: &mut usize) -> String {
    *count += 1;
    let mut words: Vec<String> = (0..random.below(4))
        .map(|_| random.one_of(PIECES).to_owned())
        .collect();
    words.insert(random.below(words.len() + 1), format!("w{count}"));
    text::line(&words.join(" ")).unwrap()
}

/// As a careful person would write it: only what would end the words is escaped.
fn typed(content: &str) -> String {
    let mut typed = content.replace('\\', "\\\\").replace('<', "\\<");
    if content.starts_with('[') {
        typed.insert(0, '\\');
    }
    typed
}

async fn furnish(alice: &UserMemory, random: &mut Random, count: &mut usize) {
    for _ in 0..2 + random.below(8) {
        let mut save = Save::new(words(random, count)).category(random.one_of(&CATEGORIES));
        if random.below(4) == 0 {
            save.authority = Some(Authority::Rule);
        }
        if random.below(3) == 0 {
            save.detail = Some(format!(
                "{}\n\n{}",
                words(random, count),
                words(random, count)
            ));
            save.value = Some(json!({"a -->": words(random, count), "<!--": [1, null, "\n"]}));
            save.key = Some(format!("k{count} -->"));
            save.tags = [format!("t{count} <b>, ; x")].into();
            save.summary = Some(words(random, count));
        }
        alice.save(save).await.unwrap();
    }
    if random.below(2) == 0 {
        alice.forget("#1").await.unwrap();
    }
}

async fn facts(alice: &UserMemory) -> BTreeMap<u64, Fact> {
    let rows = alice.list(List::default()).await.unwrap().rows;
    let fact = |row: &keepmind::MemoryRow| Fact {
        category: row.body.claim.category.clone(),
        content: row.body.claim.content.clone(),
        is_rule: row.body.claim.authority == Authority::Rule,
    };
    rows.iter()
        .map(|row| (row.body.number.get(), fact(row)))
        .collect()
}

/// Edits a copy at random, and says which facts there are then.
fn edited(
    copy: &str,
    mut facts: BTreeMap<u64, Fact>,
    mut next: u64,
    random: &mut Random,
    count: &mut usize,
) -> (String, BTreeMap<u64, Fact>) {
    let mut moved: Vec<(usize, String)> = Vec::new();
    let mut lines = Vec::new();
    for line in copy.lines() {
        let mark = line
            .strip_prefix("- [#")
            .and_then(|rest| rest.split_once(']'));
        let number = mark.and_then(|(mark, _)| mark.split(' ').next()?.parse::<u64>().ok());
        let (Some((mark, _)), Some(number)) = (mark, number) else {
            lines.push(line.to_owned());
            continue;
        };
        match random.below(6) {
            0 => {
                facts.remove(&number);
            }
            1 => {
                let content = words(random, count);
                lines.push(format!("- [#{mark}] {}", typed(&content)));
                facts.get_mut(&number).unwrap().content = content;
            }
            2 => {
                let category = random.below(CATEGORIES.len());
                facts.get_mut(&number).unwrap().category = CATEGORIES[category].to_owned();
                moved.push((category, line.to_owned()));
            }
            3 if random.below(2) == 0 => {
                let fact = facts.get_mut(&number).unwrap();
                fact.is_rule = !fact.is_rule;
                let (bare, _) = mark.split_once(" rule").unwrap_or((mark, ""));
                let rule = if fact.is_rule { " rule" } else { "" };
                lines.push(format!("- [#{bare}{rule}] {}", typed(&fact.content)));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    let mut text = lines.join("\n");
    for (category, line) in moved {
        let end = format!("<!-- end {} -->", CATEGORIES[category]);
        let at = text.rfind(&format!("\n{end}")).unwrap() + 1;
        text.insert_str(at, &format!("{line}\n"));
    }
    // New ones get their numbers in the order of the sections.
    for category in CATEGORIES {
        if random.below(2) == 0 {
            continue;
        }
        let is_rule = random.below(3) == 0;
        let fact = Fact {
            category: category.to_owned(),
            content: words(random, count),
            is_rule,
        };
        let rule = if is_rule { "[rule] " } else { "" };
        let at = text.rfind(&format!("\n<!-- end {category} -->")).unwrap() + 1;
        text.insert_str(at, &format!("- {rule}{}\n", typed(&fact.content)));
        facts.insert(next, fact);
        next += 1;
    }
    (text, facts)
}

async fn round(host: &Host, seed: u64) {
    let random = &mut Random::new(seed);
    let mut count = 0;
    let alice = host.keepmind.user(format!("alice{seed}")).unwrap();
    furnish(&alice, random, &mut count).await;
    for _ in 0..3 {
        host.seconds(60);
        let copy = alice.markdown(Reader::User).await.unwrap();
        let report = alice.read_markdown(copy.as_str()).await.unwrap();
        assert!(
            report.applies && report.lines.is_empty(),
            "seed {seed}: {report:?}\n{copy}"
        );
        let files = alice.markdown_files(Reader::User).await.unwrap();
        let report = alice.read_markdown(files).await.unwrap();
        assert!(report.lines.is_empty(), "seed {seed}: {report:?}");

        let before = facts(&alice).await;
        let ever = alice.export().await.unwrap();
        let header: serde_json::Value = serde_json::from_str(ever.lines().next().unwrap()).unwrap();
        let next = header["keepmind"]["next_number"].as_u64().unwrap();
        let (text, expected) = edited(&copy, before.clone(), next, random, &mut count);
        let dry = EditedMarkdown::from(text.as_str()).dry_run();
        let dry = alice.read_markdown(dry).await.unwrap();
        assert_eq!(
            alice.export().await.unwrap(),
            ever,
            "seed {seed}: a dry run writes nothing"
        );
        let report = alice.read_markdown(text.as_str()).await.unwrap();
        assert_eq!(report.lines, dry.lines, "seed {seed}");
        assert!(report.applies, "seed {seed}: {report:?}\n{text}");
        assert_eq!(
            facts(&alice).await,
            expected,
            "seed {seed}: {report:?}\n{text}"
        );
        assert_eq!(report.event.is_none(), before == expected, "seed {seed}");

        // What is written now is the edited copy as we write it.
        let now = alice.markdown(Reader::User).await.unwrap();
        let report = alice.read_markdown(now.as_str()).await.unwrap();
        assert!(report.lines.is_empty(), "seed {seed}: {report:?}");
        if random.below(2) == 0
            && let Some(token) = last_edit(&alice).await
        {
            alice.undo(token).await.unwrap();
            assert_eq!(facts(&alice).await, before, "seed {seed}");
            assert_eq!(
                below(&alice.markdown(Reader::User).await.unwrap()),
                below(&copy),
                "seed {seed}"
            );
        }
    }
}

/// The token of the last write, where it was an edit.
async fn last_edit(alice: &UserMemory) -> Option<keepmind::UndoToken> {
    let feed = alice.changes(Default::default()).await.unwrap();
    let last = feed.entries.last()?;
    let is_edit = last.line.starts_with("edited ");
    is_edit.then_some(keepmind::UndoToken::Operation(last.operation))
}

#[tokio::test]
async fn any_edit_of_any_data() {
    on_every_store(Policy::default(), async |host| {
        for seed in 1..=40 {
            round(host, seed).await;
        }
    })
    .await;
}
