//! Copies that were damaged, forged or made for somebody else: an error or a report that says why, and nothing
//! is written.

use keepmind::command::{Save, Update};
use keepmind::export::{EditedMarkdown, MarkdownFile, Reader};
use keepmind::{Claim, CountingIds, Policy};
use keepmind::{Code, Draft, EntryHeader, ErrorKind, Expected, MarkdownFate, Marks, Slice, Who};
use keepmind_tests::host::{Host, on_every_store};

use super::{furnished, number};

/// What is wrong with a copy as a whole.
async fn refused(host: &Host, text: &str, because: &str) {
    let alice = host.alice();
    let before = alice.export().await.unwrap();
    let error = alice.read_markdown(text).await.expect_err(because);
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(
        error.message().contains(because),
        "{error} is not for: {because}"
    );
    assert!(error.message().len() < 1_000, "{error}");
    assert_eq!(alice.export().await.unwrap(), before, "{because}");
}

/// One line of a copy stands against all of it: the only one that does.
async fn blocked(host: &Host, text: &str, because: &str) {
    let alice = host.alice();
    let before = alice.export().await.unwrap();
    let edited = EditedMarkdown::from(text);
    let dry = alice.read_markdown(edited.clone().dry_run()).await.unwrap();
    let report = alice.read_markdown(edited).await.unwrap();
    assert_eq!(dry.lines, report.lines);
    assert!(
        !report.applies && report.event.is_none(),
        "{because}: {report:?}"
    );
    let against: Vec<_> = report
        .lines
        .iter()
        .filter(|line| line.fate.blocks())
        .collect();
    assert!(against[0].reason.contains(because), "{because}: {report:?}");
    assert!(
        against
            .iter()
            .all(|line| line.file == "memory.md" && line.line > 0)
    );
    assert_eq!(alice.export().await.unwrap(), before, "{because}");
}

#[tokio::test]
async fn a_copy_that_is_not_this_users_or_not_whole_is_refused() {
    on_every_store(Policy::default(), async |host| {
        let (_, text) = furnished(host).await;
        let swap = |from: &str, to: &str| text.replace(from, to);
        let table = [
            (String::new(), "head"),
            ("# Memory\n\n- Likes tea\n".to_owned(), "head"),
            ("---\nkeepmind: 1\n".to_owned(), "no end"),
            (swap("keepmind: 1", "keepmind: 2"), "newer version"),
            (swap("keepmind: 1", "keepmind: one"), "never was"),
            (swap("keepmind: 1\n", ""), "head"),
            (swap("keepmind: 1", "keepmind: 1\nkeepmind: 1"), "twice"),
            (swap("\"alice\"", "\"bob\""), "another owner"),
            (swap("\"alice\"", "\"al\\u0000ice\""), "another owner"),
            (swap("as_of: 2026", "as_of: soon"), "no moment"),
            (swap("as_of: 2026", "as_of: 2027"), "later data"),
            (
                swap("## Work <!-- work -->", "## Hobbies"),
                "Profile, Preferences, People, Work",
            ),
            (
                swap("## Work <!-- work -->", "## Work <!-- Work! -->"),
                "there are: Profile",
            ),
            (
                swap("## Work <!-- work -->", "## Profile <!-- profile -->"),
                "another section",
            ),
            (
                swap("## Work <!-- work -->", "## Work <!-- work --")
                    .replace("<!-- end work -->", ""),
                "no such section",
            ),
            (swap("<!-- end work -->\n", ""), "lost its end"),
            (
                swap("<!-- end work -->", "<!-- end task -->"),
                "ends another section",
            ),
            (swap("Ghent", &"x".repeat(300_000)), "longer than"),
            (
                swap("Ghent", &"long words\n".repeat(1 << 20)),
                "write a folder",
            ),
        ];
        for (copy, because) in table {
            refused(host, &copy, because).await;
        }
        let twice = [
            MarkdownFile::new("a.md", &text),
            MarkdownFile::new("b.md", &text),
        ];
        let error = host
            .alice()
            .read_markdown(EditedMarkdown::new(twice))
            .await
            .unwrap_err();
        assert!(
            error
                .message()
                .starts_with("b.md: a section stands there twice"),
            "{error}"
        );
        let many = vec![MarkdownFile::new("a.md", ""); 2_000];
        assert!(host.alice().read_markdown(many).await.is_err());
        let hostile = MarkdownFile::new("\u{1b}[2J".repeat(1_000), "");
        let error = host.alice().read_markdown(vec![hostile]).await.unwrap_err();
        assert!(error.message().starts_with("a file"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_line_that_cannot_be_stands_against_all() {
    on_every_store(Policy::default(), async |host| {
        let (alice, _) = furnished(host).await;
        // What is not live: forgotten, in the trash, superseded; and another owner's.
        for content in ["Likes opera", "Collects stamps"] {
            alice
                .save(Save::new(content).category("profile"))
                .await
                .unwrap();
        }
        alice
            .update(Update::new("#5", "Likes ballet"))
            .await
            .unwrap();
        alice.forget("#5").await.unwrap();
        alice.trash("#6").await.unwrap();
        let bob = host.keepmind.user("bob").unwrap();
        for count in 0..9 {
            bob.save(format!("Bob's fact {count}")).await.unwrap();
        }
        let text = alice.markdown(Reader::User).await.unwrap();
        let with = |line: &str| {
            text.replace(
                "<!-- end profile -->",
                &format!("{line}\n<!-- end profile -->"),
            )
        };
        let long = format!("- {}", "x".repeat(501));
        let table = [
            ("- [#2 v1] Lives in Ghent", "twice"),
            ("- [#9 v1] Bob's fact 8", "there is no #9 v1"),
            ("- [#2 v9] Lives in Ghent", "twice"),
            ("- [#77777 v1] Never was", "there is no #77777"),
            ("- [#5 v1] Likes opera", "not in the copy when it was made"),
            ("- [#5 v2] Likes ballet", "not in the copy when it was made"),
            (
                "- [#6 v1] Collects stamps",
                "not in the copy when it was made",
            ),
            ("- [#7] Likes tea", "mark is damaged"),
            ("- [#7 v1 Likes tea", "mark is damaged"),
            ("- [#7 v1 note] Likes tea", "mark is damaged"),
            ("- [#07 v1] Likes tea", "mark is damaged"),
            ("- [#+7 v1] Likes tea", "mark is damaged"),
            ("- [#0 v1] Likes tea", "mark is damaged"),
            ("- [#99999999999999999999 v1] Likes tea", "mark is damaged"),
            ("- Likes \0 tea", "U+0000"),
            ("- Likes \u{202e}aet", "U+202E"),
            ("- \u{200b}", "nothing visible"),
            (&long, "501"),
            ("- Likes tea <!-- since", "not closed"),
            ("- Likes <!-- green --> tea", "behind its comment"),
            ("Likes tea", "begins with `- `"),
            ("-Likes tea", "begins with `- `"),
            ("1. Likes tea", "begins with `- `"),
            ("<!-- a note of mine -->", "begins with `- `"),
            ("```", "begins with `- `"),
            ("  - Likes tea", "not nested"),
            ("\t- [#2 v1] Likes tea", "not nested"),
            ("  and much more", "one line"),
            ("### Drinks", "headings are"),
            ("# Drinks", "headings are"),
        ];
        for (line, because) in table {
            blocked(host, &with(line), because).await;
        }
        blocked(host, &format!("{text}\n- Likes tea\n"), "under no heading").await;
        // All that is wrong is told at once.
        let report = alice
            .read_markdown(with("- [#7] a\nb\n- c\0\n- [#2 v1] d"))
            .await
            .unwrap();
        assert_eq!(report.count(MarkdownFate::Refused), 4, "{report:?}");
        let codes: Vec<Code> = report
            .lines
            .iter()
            .flat_map(|line| line.codes.clone())
            .collect();
        assert_eq!(codes, [Code::ControlCharacters, Code::DuplicateTarget]);
    })
    .await;
}

#[tokio::test]
async fn a_line_of_what_is_not_believed_yet_cannot_stand_there() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let store = host.keepmind.store();
        let owner = alice.owner().clone();
        let base = store.load(&owner, &Slice::default()).await.unwrap();
        let mut ids = CountingIds::after(1 << 80);
        let now = keepmind::Timestamp::parse("2026-03-01T09:00:00Z").unwrap();
        let mut draft = Draft::new(&base, now, &mut ids).unwrap();
        let fact = draft.new_number().unwrap();
        let mut claim = Claim::note("profile", "May like opera", draft.stamp());
        claim.held = true;
        draft.insert_version(fact, claim, Marks::default()).unwrap();
        let changes = draft.finish(EntryHeader::new(Who::Host, "held")).unwrap();
        let expected = Expected::At(base.state().revision);
        store
            .commit(&owner, expected, changes.into())
            .await
            .unwrap();
        let text = alice.markdown(Reader::User).await.unwrap();
        assert!(!text.contains("opera"));
        let forged = text.replace(
            "<!-- end profile -->",
            "- [#1 v1] May like opera\n<!-- end profile -->",
        );
        blocked(host, &forged, "not in the copy when it was made").await;
    })
    .await;
}

#[tokio::test]
async fn what_editors_do_to_a_file_changes_nothing() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        let reversed = {
            let (first, second) = ("- [#2 v1] Lives", "- [#3 v1] Was");
            let line = |begin: &str| text.lines().find(|line| line.starts_with(begin)).unwrap();
            let (first, second) = (line(first), line(second));
            text.replace(first, "\0")
                .replace(second, first)
                .replace('\0', second)
        };
        let copies = [
            text.replace('\n', "\r\n"),
            format!("\u{feff}{text}"),
            text.replace('\n', "  \t\n"),
            text.replace("\n\n", "\n"),
            text.replace('\n', "\n\n").replacen("\n\n", "\n", 6),
            text.replace("- [#", "*\t[#"),
            text.replace("- [#", " +   [#"),
            text.replace("]  ", "]\t"),
            text.replace("keepmind: 1", "tags: [mine]\nkeepmind: 1\nnothing at all"),
            text.replace("owner: \"alice\"", "owner: alice"),
            text.replace("<!-- end work -->", "-\n- \n<!-- end work -->"),
            text.replace(
                "said by the user; since 2026-03-01",
                "said by the user; 40 % sure; since 2026-03-01",
            ),
            reversed,
        ];
        for copy in copies {
            let report = alice.read_markdown(copy.as_str()).await.unwrap();
            assert!(
                report.lines.is_empty() && report.event.is_none(),
                "{report:?} of {copy}"
            );
            assert_eq!(report.unchanged, 4);
        }
        // What is shown and not edited is told where it was.
        let beside = text
            .replace("value {\"fish\":false}", "value {\"fish\":true}")
            .replace("by the harbour", "by the station");
        let report = alice.read_markdown(beside).await.unwrap();
        assert_eq!(report.count(MarkdownFate::Ignored), 2, "{report:?}");
        assert!(report.applies && report.event.is_none());
    })
    .await;
}

#[tokio::test]
async fn an_earlier_life_of_the_owner_is_another() {
    on_every_store(Policy::default(), async |host| {
        let (alice, text) = furnished(host).await;
        alice.erase().await.unwrap();
        host.seconds(60);
        for count in 0..4 {
            alice
                .save(Save::new(format!("Fact {count}")).category("profile"))
                .await
                .unwrap();
        }
        let edited = text.replace("Ghent", "Bruges");
        let report = alice.read_markdown(edited).await.unwrap();
        assert_eq!(report.count(MarkdownFate::Refused), 4, "{report:?}");
        assert_eq!(report.count(MarkdownFate::Forgotten), 0);
        assert_eq!(
            alice.get(number(1)).await.unwrap().row.body.claim.content,
            "Fact 0"
        );
    })
    .await;
}
