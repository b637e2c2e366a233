//! A copy for a model: without what it must not be told, and read back without harm to that.

use keepmind::command::Save;
use keepmind::export::{EditedMarkdown, MarkdownFile, Reader};
use keepmind::{Code, ErrorKind, MarkdownFate, Policy, UserMemory};
use keepmind_tests::host::{Host, on_every_store};
use serde_json::json;

use super::{fates, number};

/// Alice with a memory that consent was withdrawn for, between two others of its category.
async fn reserved(host: &Host) -> UserMemory {
    let alice = host.alice();
    for (content, domain) in [
        ("Keeps a boat", None),
        ("Has gout", Some("health")),
        ("Plays chess", None),
    ] {
        let mut save = Save::new(content).category("fact");
        save.domain = domain.map(str::to_owned);
        save.detail = domain.map(|_| "Since the spring".to_owned());
        alice.save(save).await.unwrap();
    }
    alice.consent("health", false).await.unwrap();
    alice
}

async fn contents(alice: &UserMemory) -> Vec<String> {
    let text = alice.markdown(Reader::User).await.unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("- ["));
    lines
        .filter_map(|line| {
            let words = line.split_once("] ")?.1;
            Some(words.split_once(" <!--")?.0.to_owned())
        })
        .collect()
}

#[tokio::test]
async fn a_model_is_not_shown_what_consent_was_withdrawn_for() {
    on_every_store(Policy::default(), async |host| {
        let alice = reserved(host).await;
        let mut texts = vec![alice.markdown(Reader::Model).await.unwrap()];
        let files = alice.markdown_files(Reader::Model).await.unwrap();
        texts.extend(files.into_iter().map(|file| file.text));
        for text in &texts {
            assert!(!text.contains("gout") && !text.contains("Since the spring"));
            assert!(text.contains("\nwithheld: [\"health\"]\n"), "{text}");
        }
        assert!(texts[0].contains("Keeps a boat") && texts[0].contains("Plays chess"));
        let own = alice.markdown(Reader::User).await.unwrap();
        assert!(own.contains("Has gout") && !own.contains("withheld"));

        // Where nothing is kept back, both are shown the same.
        alice.consent("health", true).await.unwrap();
        let (model, own) = (Reader::Model, Reader::User);
        assert_eq!(
            alice.markdown(model).await.unwrap(),
            alice.markdown(own).await.unwrap()
        );
    })
    .await;
}

#[tokio::test]
async fn what_a_copy_never_showed_is_not_deleted_with_it() {
    on_every_store(Policy::default(), async |host| {
        let alice = reserved(host).await;
        let copy = alice.markdown(Reader::Model).await.unwrap();
        assert!(
            alice
                .read_markdown(copy.clone())
                .await
                .unwrap()
                .lines
                .is_empty()
        );

        let boat = copy.lines().find(|line| line.contains("boat")).unwrap();
        let without = copy.replace(&format!("{boat}\n"), "");
        let report = alice.read_markdown(without.clone()).await.unwrap();
        assert_eq!(fates(&report), [(MarkdownFate::Forgotten, Some(1))]);
        assert_eq!(contents(&alice).await, ["Has gout", "Plays chess"]);
        alice
            .undo(report.event.unwrap().undo.unwrap())
            .await
            .unwrap();

        // Not either once it may be told again: the copy is still the one that was made without it.
        alice.consent("health", true).await.unwrap();
        let report = alice.read_markdown(without).await.unwrap();
        assert!(!fates(&report).contains(&(MarkdownFate::Forgotten, Some(2))));
        assert!(contents(&alice).await.contains(&"Has gout".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn a_line_of_what_was_kept_back_cannot_stand_in_the_copy() {
    on_every_store(Policy::default(), async |host| {
        let alice = reserved(host).await;
        let copy = alice.markdown(Reader::Model).await.unwrap();
        let chess = copy.lines().find(|line| line.contains("chess")).unwrap();
        for line in [
            "- [#2 v1] Has no gout",
            "- [#2 v1] Has gout",
            "- [#2 v1 rule] Has gout",
        ] {
            let edited = copy.replace(chess, &format!("{chess}\n{line}"));
            let report = alice.read_markdown(edited).await.unwrap();
            assert!(!report.applies, "{line}");
            assert_eq!(fates(&report), [(MarkdownFate::Refused, Some(2))]);
            assert_eq!(report.lines[0].codes, [Code::NotFound]);
            assert_eq!(report.lines[0].number, Some(number(2)));
            assert!(!report.lines[0].reason.contains("gout"));
        }
        assert_eq!(
            contents(&alice).await,
            ["Keeps a boat", "Has gout", "Plays chess"]
        );
    })
    .await;
}

#[tokio::test]
async fn a_head_that_was_tampered_with_is_an_error() {
    on_every_store(Policy::default(), async |host| {
        let alice = reserved(host).await;
        let copy = alice.markdown(Reader::Model).await.unwrap();
        let kept_back = "withheld: [\"health\"]";
        for other in [
            "withheld:",
            "withheld: health",
            "withheld: {}",
            "withheld: [1]",
        ] {
            let file = MarkdownFile::new("memory.md", copy.replace(kept_back, other));
            let error = alice.read_markdown(EditedMarkdown::new([file])).await;
            let error = error.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{other}");
            assert!(error.message().contains("withheld"), "{error}");
        }
        let twice = copy.replace(kept_back, &format!("{kept_back}\n{kept_back}"));
        assert!(alice.read_markdown(twice).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn the_reader_is_named_in_a_request_too() {
    on_every_store(Policy::default(), async |host| {
        let alice = reserved(host).await;
        for request in ["markdown", "markdown_files"] {
            let asked = |reader: &str| json!({"request": request, "reader": reader}).to_string();
            let told = alice.request(&asked("model")).await.unwrap();
            assert!(!told.contains("gout") && told.contains("chess"));
            let own = alice.request(&asked("user")).await.unwrap();
            assert!(own.contains("gout"));
            let plain = json!({ "request": request }).to_string();
            assert_eq!(alice.request(&plain).await.unwrap(), own);
            let error = alice.request(&asked("assistant")).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
        }
    })
    .await;
}
