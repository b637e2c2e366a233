//! A user's memory in a text editor: the same data gives the same bytes, what is edited is written as one change,
//! and what was not meant (a file cut, a fact that changed meanwhile) changes nothing.

#[path = "markdown/hostile.rs"]
mod hostile;
#[path = "markdown/random.rs"]
mod random;
#[path = "markdown/reader.rs"]
mod reader;

use keepmind::command::{Complete, List, Save, Update};
use keepmind::export::{EditedMarkdown, MarkdownFile, Reader};
use keepmind::policy::TimeToLive;
use keepmind::{
    Authority, Code, Command, MarkdownFate, MarkdownReport, Number, Policy, Push, Source, Trust,
    UserMemory,
};
use keepmind_tests::host::{Host, call, on_every_store};
use serde_json::json;

fn number(number: u64) -> Number {
    Number::new(number).unwrap()
}

fn rule(content: &str) -> Save {
    let mut save = Save::new(content).category("preference");
    save.authority = Some(Authority::Rule);
    save.domain = Some("food".to_owned());
    save.key = Some("diet".to_owned());
    save.value = Some(json!({"fish": false}));
    save
}

fn fates(report: &MarkdownReport) -> Vec<(MarkdownFate, Option<u64>)> {
    let lines = report.lines.iter();
    lines
        .map(|line| (line.fate, line.number.map(Number::get)))
        .collect()
}

/// Alice with a rule, two notes of one category and one of another.
async fn furnished(host: &Host) -> (UserMemory, String) {
    let alice = host.alice();
    alice.save(rule("Eats no fish")).await.unwrap();
    for content in ["Lives in Ghent", "Was born in Namur"] {
        alice
            .save(Save::new(content).category("profile"))
            .await
            .unwrap();
    }
    let mut work = Save::new("Works as a carpenter").category("work");
    work.detail = Some("In a shop by the harbour\n\nSince the spring".to_owned());
    alice.save(work).await.unwrap();
    let text = alice.markdown(Reader::User).await.unwrap();
    (alice, text)
}

#[tokio::test]
async fn it_reads_as_a_person_would_write_it() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        let expected = "\
---
keepmind: 1
owner: \"alice\"
revision: 4
as_of: 2026-03-01T09:00:00.000003Z
---

# Memory

> One memory a line. Change its words, move it under another heading, or delete the line to have it forgotten.
> Write a new one as `- words` under a heading, or as `- [rule] words` if it must be respected.
> What stands in brackets, in comments and in quoted lines is not edited here.

## Profile <!-- profile -->

- [#2 v1] Lives in Ghent <!-- said by the user; since 2026-03-01 -->
- [#3 v1] Was born in Namur <!-- said by the user; since 2026-03-01 -->

<!-- end profile -->

## Preferences <!-- preference -->

- [#1 v1 rule] Eats no fish <!-- said by the user; since 2026-03-01; domain food; key diet; value {\"fish\":false} -->

<!-- end preference -->

## People <!-- relationship -->

<!-- end relationship -->

## Work <!-- work -->

- [#4 v1] Works as a carpenter <!-- said by the user; since 2026-03-01 -->
  > In a shop by the harbour
  >
  > Since the spring

<!-- end work -->
";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("<!-- end procedure -->\n"), "{text}");
        host.days(3);
        assert_eq!(alice.markdown(Reader::User).await.unwrap(), text, "the same data, the same bytes");

        let files = alice.markdown_files(Reader::User).await.unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "profile.md",
                "preference.md",
                "relationship.md",
                "work.md",
                "task.md",
                "context.md",
                "fact.md",
                "procedure.md"
            ]
        );
        let report = alice.read_markdown(files).await.unwrap();
        assert!(report.applies && report.lines.is_empty() && report.event.is_none());
        assert_eq!((report.unchanged, report.line()), (4, "nothing was edited".to_owned()));
        let report = alice.read_markdown(text.as_str()).await.unwrap();
        assert_eq!((report.unchanged, report.lines.len()), (4, 0));
    })
    .await;
}

#[tokio::test]
async fn edits_are_one_write_of_the_users_and_one_token_takes_them_back() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        // Reworded, taken out, moved, made a rule, and three new lines of which one is said twice.
        let edited = text
            .replace("Lives in Ghent", "Lives in Bruges")
            .replace(
                "- [#3 v1] Was born in Namur <!-- said by the user; since 2026-03-01 -->\n",
                "- [rule] Speaks Dutch at home\n* Plays the cello\n+ plays the  cello\n",
            )
            .replace("- [#4 v1] Works", "- [#4 v1 rule] Works");
        let dry = alice
            .read_markdown(EditedMarkdown::from(edited.as_str()).dry_run())
            .await
            .unwrap();
        assert!(dry.dry_run && dry.applies && dry.event.is_none());
        assert_eq!(
            alice.markdown(Reader::User).await.unwrap(),
            text,
            "a dry run writes nothing"
        );

        host.seconds(60);
        let report = alice.read_markdown(edited.as_str()).await.unwrap();
        assert_eq!(report.lines, dry.lines);
        use MarkdownFate::{Forgotten, Known, Saved, Updated};
        assert_eq!(
            fates(&report),
            [
                (Updated, Some(2)),
                (Saved, Some(5)),
                (Saved, Some(6)),
                (Known, Some(6)),
                (Forgotten, Some(3)),
                (Updated, Some(4)),
            ],
            "{report:?}"
        );
        assert_eq!(report.line(), "saved 2, updated 2, forgotten 1, known 1");
        assert_eq!(report.lines[0].before.as_deref(), Some("Lives in Ghent"));
        assert_eq!(report.lines[0].after.as_deref(), Some("Lives in Bruges"));
        let event = report.event.unwrap();
        assert_eq!(event.line, "Edited 5 facts in Markdown");

        let fact = alice.get("#2").await.unwrap().row.body;
        assert_eq!(fact.claim.content, "Lives in Bruges");
        assert_eq!(
            (fact.claim.source, fact.claim.trust),
            (Source::User, Trust::User)
        );
        let born = alice.history("#3").await.unwrap().rows;
        assert_eq!(born[0].end.unwrap().why.word(), "forgotten");
        let work = alice.get("#4").await.unwrap().row.body.claim;
        assert_eq!(work.authority, Authority::Rule);
        assert!(
            work.body.is_some(),
            "what was said beside the same words stays"
        );
        assert_eq!(
            alice.get("#5").await.unwrap().row.body.claim.authority,
            Authority::Rule
        );
        assert_eq!(
            alice.get("#6").await.unwrap().row.body.claim.category,
            "profile"
        );

        // The same once more is so already; another edit of the same lines is told what happened meanwhile.
        let again = alice.read_markdown(edited.as_str()).await.unwrap();
        assert!(again.applies && again.event.is_none(), "{again:?}");
        assert_eq!(again.count(Known), 5, "{again:?}");
        let late = edited.replace("Bruges", "Mons");
        let late = alice.read_markdown(late).await.unwrap();
        assert!(!late.applies && late.event.is_none(), "{late:?}");
        assert_eq!(late.count(MarkdownFate::Conflict), 1, "{late:?}");

        let token = event.undo.unwrap();
        alice.undo(token).await.unwrap();
        assert_eq!(
            below(&alice.markdown(Reader::User).await.unwrap()),
            below(&text)
        );
        alice.redo(token).await.unwrap();
        alice.undo(token).await.unwrap();
        // What was taken back is as it was: the old copy can be edited after all.
        let again = alice.read_markdown(edited.as_str()).await.unwrap();
        assert!(again.event.is_some(), "{again:?}");
    })
    .await;
}

/// What stands below the head, without versions: an undo counts on, it does not go back.
fn below(text: &str) -> String {
    let (_, below) = text.split_once("# Memory").unwrap();
    let mut plain = String::new();
    for line in below.lines() {
        let mark = line
            .strip_prefix("- [#")
            .and_then(|rest| rest.split_once(" v"));
        match mark {
            Some((number, rest)) => {
                let rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
                plain.push_str(&format!("- [#{number} v{rest}\n"));
            }
            None => plain.push_str(&format!("{line}\n")),
        }
    }
    plain
}

#[tokio::test]
async fn a_line_under_another_heading_is_of_another_category() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        let line = "- [#4 v1] Works as a carpenter <!-- said by the user; since 2026-03-01 -->\n";
        let moved = text.replace(line, "").replace(
            "<!-- end context -->",
            &format!("{line}<!-- end context -->"),
        );
        // The lines of its detail were left behind: they were never to be edited.
        host.days(1);
        let report = alice.read_markdown(moved.as_str()).await.unwrap();
        assert_eq!(
            fates(&report),
            [(MarkdownFate::Updated, Some(4))],
            "{report:?}"
        );
        let fact = alice.get("#4").await.unwrap().row.body;
        assert_eq!(
            (fact.version.get(), fact.claim.category.as_str()),
            (2, "context")
        );
        assert!(fact.claim.body.is_some());
        assert_eq!(
            fact.claim.valid_from.to_string(),
            "2026-03-01T09:00:00.000003Z"
        );
    })
    .await;
}

#[tokio::test]
async fn what_is_missing_is_forgotten_only_where_its_section_is_whole() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        let before = alice.export().await.unwrap();
        // A file of the folder that is missing.
        let mut files = alice.markdown_files(Reader::User).await.unwrap();
        files.retain(|file| file.name != "profile.md");
        let report = alice.read_markdown(files).await.unwrap();
        assert!(
            report.lines.is_empty() && report.event.is_none(),
            "{report:?}"
        );
        assert_eq!(report.absent, ["profile"]);
        // A document that was cut anywhere: an error, or nothing is forgotten and nothing half a line.
        for (end, _) in text.char_indices() {
            if let Ok(report) = alice.read_markdown(&text[..end]).await {
                let changes = |fate| report.count(fate) > 0;
                use MarkdownFate::{Forgotten, Saved, Updated};
                assert!(
                    ![Forgotten, Saved, Updated].into_iter().any(changes),
                    "cut at {end}"
                );
            }
        }
        assert_eq!(alice.export().await.unwrap(), before);
        // A heading without its comment has no end: lines are read, and none is missed.
        let loose = "\n## profile\n\n- Has a dog\n";
        let head = text.split_once("\n## ").unwrap().0;
        let report = alice.read_markdown(format!("{head}{loose}")).await.unwrap();
        assert_eq!(fates(&report), [(MarkdownFate::Saved, Some(5))]);
        // A section that is there and empty is emptied, and a dry run says so.
        let text = alice.markdown(Reader::User).await.unwrap();
        let kept: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("- [#"))
            .collect();
        let emptied = EditedMarkdown::from(kept.join("\n"));
        let dry = alice
            .read_markdown(emptied.clone().dry_run())
            .await
            .unwrap();
        assert_eq!(dry.count(MarkdownFate::Forgotten), 5);
        assert_eq!(host.live(&alice).await.len(), 5);
        alice.read_markdown(emptied).await.unwrap();
        assert!(host.live(&alice).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn what_changed_meanwhile_stands_against_its_edit_and_no_other() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        host.seconds(60);
        alice
            .update(Update::new("#2", "Lives in Liège"))
            .await
            .unwrap();
        alice
            .save(Save::new("Has a dog").category("profile"))
            .await
            .unwrap();
        alice.forget("#3").await.unwrap();
        let rows = alice.list(List::default()).await.unwrap().rows;

        // Not edited here: what is there now stays, and so does what is younger than the copy.
        let report = alice
            .read_markdown(text.replace("a carpenter", "a joiner"))
            .await
            .unwrap();
        use MarkdownFate::{Conflict, Outdated, Updated};
        assert_eq!(
            fates(&report),
            [(Outdated, Some(2)), (Outdated, Some(3)), (Updated, Some(4))],
            "{report:?}"
        );
        let token = report.event.unwrap().undo.unwrap();
        alice.undo(token).await.unwrap();

        // Edited here and there, or taken out: nothing at all is written.
        let line = "- [#2 v1] Lives in Ghent <!-- said by the user; since 2026-03-01 -->\n";
        for edited in [
            text.replace("Lives in Ghent", "Lives in Bruges"),
            text.replace(line, ""),
            text.replace("Was born in Namur", "Was born in Mons"),
        ] {
            let edited = edited.replace("a carpenter", "a joiner");
            let report = alice.read_markdown(edited).await.unwrap();
            assert!(!report.applies && report.event.is_none());
            assert_eq!(report.count(Conflict), 1, "{report:?}");
            assert_eq!(report.count(Updated), 1, "it is told all the same");
            let conflict = report
                .lines
                .iter()
                .find(|line| line.fate == Conflict)
                .unwrap();
            assert_eq!(conflict.codes, [Code::Stale]);
        }
        let now = alice.list(List::default()).await.unwrap().rows;
        assert_eq!(contents(&now), contents(&rows));
    })
    .await;
}

#[tokio::test]
async fn a_fact_that_moved_to_another_category_since_was_not_taken_out_there() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        let files = alice.markdown_files(Reader::User).await.unwrap();
        let of = |name: &str| files.iter().find(|file| file.name == name).unwrap();
        host.seconds(60);
        let mut moved = Update::new("#2", "Lives in Ghent");
        moved.category = Some("work".to_owned());
        alice.update(moved).await.unwrap();

        use MarkdownFate::{Conflict, Outdated, Updated};
        let work = of("work.md").text.replace("a carpenter", "a joiner");
        let work = MarkdownFile::new("work.md", work);
        let report = alice.read_markdown(vec![work]).await.unwrap();
        assert_eq!(
            fates(&report),
            [(Updated, Some(4)), (Outdated, Some(2))],
            "{report:?}"
        );
        assert!(report.applies && report.lines[1].reason.contains("since the copy"));
        assert!(
            host.live(&alice)
                .await
                .contains(&"Lives in Ghent".to_owned())
        );

        // Where it stood, the line is missed.
        let line = "- [#2 v1] Lives in Ghent <!-- said by the user; since 2026-03-01 -->\n";
        let profile = of("profile.md").text.replace(line, "");
        for edited in [
            EditedMarkdown::new([MarkdownFile::new("profile.md", profile)]),
            EditedMarkdown::from(text.replace(line, "")),
        ] {
            let report = alice.read_markdown(edited).await.unwrap();
            assert_eq!(report.count(Conflict), 1, "{report:?}");
            let twos = report
                .lines
                .iter()
                .filter(|line| line.number == Some(number(2)));
            assert_eq!(twos.count(), 1, "{report:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_has_expired_was_not_taken_out_by_the_user() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut passing = rule("Eats no fish this week");
        passing.ttl = Some(TimeToLive::Temporary);
        alice.save(passing.clone()).await.unwrap();
        alice.save("Lives in Ghent").await.unwrap();
        let shown = alice.markdown(Reader::User).await.unwrap();
        host.days(2);
        let later = alice.markdown(Reader::User).await.unwrap();
        assert!(shown.contains("fish") && !later.contains("fish"), "{later}");
        host.seconds(60);
        assert_eq!(
            alice.markdown(Reader::User).await.unwrap(),
            later,
            "the same data"
        );

        use MarkdownFate::{Conflict, Outdated, Updated};
        let moved = |text: &str| text.replace("Ghent", "Bruges");
        let tried = |text: String| EditedMarkdown::from(text).dry_run();
        let untouched = alice.read_markdown(tried(moved(&shown))).await.unwrap();
        assert_eq!(
            fates(&untouched),
            [(Outdated, Some(1)), (Updated, Some(2))],
            "{untouched:?}"
        );
        let line = shown.lines().find(|line| line.contains("fish")).unwrap();
        let without = moved(&shown).replace(&format!("{line}\n"), "");
        let without = alice.read_markdown(tried(without)).await.unwrap();
        assert_eq!(fates(&without), [(Updated, Some(2))], "{without:?}");
        let edited = shown.replace("this week", "this month");
        let edited = alice.read_markdown(tried(edited)).await.unwrap();
        assert_eq!(fates(&edited), [(Conflict, Some(1))]);
        assert!(edited.lines[0].reason.contains("has expired"), "{edited:?}");

        // It comes back after a copy that never showed it.
        let again = alice.save(passing).await.unwrap();
        assert_eq!(host.live(&alice).await.len(), 2, "{again:?}");
        let report = alice.read_markdown(moved(&later)).await.unwrap();
        assert_eq!(fates(&report), [(Updated, Some(2))], "{report:?}");
    })
    .await;
}

fn contents(rows: &[keepmind::MemoryRow]) -> Vec<&str> {
    rows.iter()
        .map(|row| row.body.claim.content.as_str())
        .collect()
}

#[tokio::test]
async fn what_is_learned_is_shown_with_how_sure_it_is_and_what_is_compiled_is_not_edited() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        for said in [
            "I live in Ghent and work as a carpenter.",
            "I have a dog called Rex.",
        ] {
            session.push(Push::user(said)).await.unwrap();
        }
        call(
            &session,
            "save_memory",
            json!({"content": "User likes tea"}),
        )
        .await;
        session.close().await.unwrap();
        let text = alice.markdown(Reader::User).await.unwrap();
        assert!(
            text.contains("read from a chat; ") && text.contains(" % sure; "),
            "{text}"
        );
        assert!(text.contains("saved by the assistant"), "{text}");
        let report = alice.read_markdown(text.as_str()).await.unwrap();
        assert!(report.lines.is_empty(), "{report:?}");
        // What the user edits is their own word from then on, whatever it was before.
        let edited = text
            .replace("Rex", "Rover")
            .replace("% sure", "% sure; tags mine");
        let report = alice.read_markdown(edited).await.unwrap();
        assert!(report.count(MarkdownFate::Updated) >= 1, "{report:?}");
        assert!(report.count(MarkdownFate::Ignored) >= 1, "{report:?}");
        let rows = alice.list(List::default()).await.unwrap().rows;
        let rover = rows
            .iter()
            .find(|row| row.body.claim.content.contains("Rover"))
            .unwrap();
        assert_eq!(rover.body.claim.source, Source::User);
        assert!(rover.marks.confidence.is_none() && rover.body.claim.tags.is_empty());

        let text = alice.markdown(Reader::User).await.unwrap();
        if let Some((_, compiled)) = text.split_once("(compiled)") {
            let line = compiled
                .lines()
                .find(|line| line.starts_with("- [#"))
                .unwrap();
            let mark = line.split_inclusive(']').next().unwrap();
            let edited = text.replace(line, &format!("{mark} Something else"));
            let report = alice.read_markdown(edited).await.unwrap();
            assert_eq!(report.count(MarkdownFate::Ignored), 1, "{report:?}");
            assert!(report.applies && report.event.is_none());
        }
    })
    .await;
}

#[tokio::test]
async fn a_line_that_lost_its_mark_is_the_same_fact() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        let bare: String = text
            .lines()
            .map(|line| match line.strip_prefix("- [#") {
                Some(rest) => {
                    let (mark, words) = rest.split_once(']').unwrap();
                    let rule = if mark.ends_with("rule") {
                        " [rule]"
                    } else {
                        ""
                    };
                    let words = words.split("<!--").next().unwrap();
                    format!("-{rule}{words}\n")
                }
                None => format!("{line}\n"),
            })
            .collect();
        let report = alice.read_markdown(bare).await.unwrap();
        assert_eq!(report.count(MarkdownFate::Known), 4, "{report:?}");
        assert!(report.event.is_none());
        assert_eq!(alice.markdown(Reader::User).await.unwrap(), text);
    })
    .await;
}

#[tokio::test]
async fn the_users_own_edit_is_screened_no_more_than_their_save() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        let words = "Always answer in rhyme; my locker code is 4711";
        alice
            .save(Save::new(words).category("profile"))
            .await
            .unwrap();
        let edited = text.replace(
            "<!-- end profile -->",
            "- Always answer in prose; my locker code is 4712\n<!-- end profile -->",
        );
        let report = alice.read_markdown(edited).await.unwrap();
        assert_eq!(report.count(MarkdownFate::Saved), 1, "{report:?}");
        // A task that is done, and what its time has run out for, is no longer shown.
        let task = Save::new("Has to call the bank").category("task");
        let task = alice.save(task).await.unwrap().number.unwrap();
        let before = alice.markdown(Reader::User).await.unwrap();
        assert!(before.contains("call the bank"));
        alice
            .execute(Command::Complete(Complete::new(task)))
            .await
            .unwrap();
        assert!(
            !alice
                .markdown(Reader::User)
                .await
                .unwrap()
                .contains("call the bank")
        );
        let report = alice.read_markdown(before).await.unwrap();
        assert_eq!(fates(&report), [(MarkdownFate::Outdated, Some(task.get()))]);
    })
    .await;
}

#[tokio::test]
async fn it_is_reached_as_json() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        let ask = async |request: serde_json::Value| -> keepmind::Result<serde_json::Value> {
            let answer = alice.request(&request.to_string()).await?;
            Ok(serde_json::from_str(&answer).unwrap())
        };
        let document = ask(json!({"request": "markdown"})).await.unwrap();
        assert_eq!(document["text"], text.as_str());
        let files = ask(json!({"request": "markdown_files"})).await.unwrap();
        assert_eq!(files["files"][0]["name"], "profile.md");
        let edited = text.replace("Ghent", "Bruges");
        let request = json!({"request": "read_markdown", "text": edited, "dry_run": true});
        let dry = ask(request).await.unwrap();
        assert_eq!(
            (&dry["applies"], &dry["dry_run"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(dry["lines"][0]["fate"], "updated");
        let files: Vec<MarkdownFile> = serde_json::from_value(files["files"].clone()).unwrap();
        let request = json!({"request": "read_markdown", "files": files});
        assert_eq!(ask(request).await.unwrap()["unchanged"], 4);
        for wrong in [
            json!({"request": "read_markdown"}),
            json!({"request": "read_markdown", "text": "x", "files": []}),
            json!({"request": "read_markdown", "files": []}),
            json!({"request": "read_markdown", "text": "x", "more": 1}),
        ] {
            assert!(ask(wrong.clone()).await.is_err(), "{wrong}");
        }
    })
    .await;
}
