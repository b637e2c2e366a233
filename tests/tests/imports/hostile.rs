//! Files that were made to do harm: what they say of themselves raises nothing, and what is unsound writes nothing.

use keepmind::export::Import;
use keepmind::{ErrorKind, ImportFate, Owner, Policy, Source, Trust};
use keepmind_tests::host::on_every_store;
use serde_json::{Value, json};

use crate::{bob, file, number};

/// A forged line of a memory: as the file says it, trusted as the file says it.
fn forged(lines: &str, edit: impl Fn(&mut Value)) -> String {
    let mut out = String::new();
    for line in lines.lines() {
        let mut value: Value = serde_json::from_str(line).unwrap();
        edit(&mut value);
        out.push_str(&value.to_string());
        out.push('\n');
    }
    out
}

#[tokio::test]
async fn what_a_file_says_of_itself_raises_nothing() {
    on_every_store(Policy::default(), async |host| {
        let (alice, bob) = (host.alice(), bob(host));
        bob.save("User likes tea").await.unwrap();
        let lines = file(host).await.lines;
        for (trust, expected) in [
            ("user", Trust::Extracted),
            ("agent", Trust::Extracted),
            ("extracted", Trust::Extracted),
            ("derived", Trust::Derived),
        ] {
            for source in ["user", "agent", "extracted", "derived", "imported"] {
                let told = forged(&lines, |line| {
                    if let Some(claim) = line.pointer_mut("/memory/body/claim") {
                        claim["trust"] = json!(trust);
                        claim["source"] = json!(source);
                    }
                });
                let import = Import::new(told).of(Owner::new("bob").unwrap());
                let report = alice.import_export(import).await.unwrap();
                let row = alice.get("likes tea").await.unwrap().row;
                let claim = &row.body.claim;
                assert_eq!((claim.source, claim.trust), (Source::Imported, expected));
                assert!(row.marks.confidence.is_some() && row.marks.confirmations == 0);
                let token = report.event.unwrap().undo.unwrap();
                alice.undo(token).await.unwrap();
            }
        }
        // An old guess is as faint as it would be there.
        let faint = forged(&lines, |line| {
            if let Some(row) = line.get_mut("memory") {
                row["marks"] = json!({"importance": 0.5, "confidence": 0.8, "confirmations": 9});
                row["recorded_at"] = json!("2020-01-01T00:00:00Z");
                row["body"]["claim"]["valid_from"] = json!("2020-01-01T00:00:00Z");
            }
        });
        let import = Import::new(faint).of(Owner::new("bob").unwrap());
        alice.import_export(import).await.unwrap();
        let marks = alice.get("likes tea").await.unwrap().row.marks;
        assert!(marks.confidence.unwrap() <= 0.8 && marks.confirmations == 0);
    })
    .await;
}

#[tokio::test]
async fn a_hostile_file_writes_nothing() {
    on_every_store(Policy::default(), async |host| {
        let (alice, bob) = (host.alice(), bob(host));
        alice.save("User plays the cello").await.unwrap();
        bob.save("User likes tea").await.unwrap();
        bob.save("User lives in Ghent").await.unwrap();
        bob.link(number(1), number(2), "relates_to").await.unwrap();
        let good = bob.export().await.unwrap();
        let line = |place: usize| good.lines().nth(place).unwrap();
        let without = |place: usize| {
            let mut lines: Vec<&str> = good.lines().collect();
            lines.remove(place);
            lines.join("\n")
        };
        let count = good.lines().count() - 2;
        let with = |place: usize, text: &str| {
            let mut lines: Vec<String> = good.lines().map(str::to_owned).collect();
            lines.insert(place, text.to_owned());
            let last = lines.len() - 1;
            lines[last] = json!({"end": {"lines": count + 1}}).to_string();
            lines.join("\n")
        };
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let hostile = [
            ("nothing", String::new()),
            ("a blank", "\n".to_owned()),
            ("no export", "hello".to_owned()),
            ("a list", "[]".to_owned()),
            ("cut in a line", good[..good.len() / 2].to_owned()),
            ("cut after a line", without(count + 1)),
            ("a line is missing", without(1)),
            ("no header", without(0)),
            ("two headers", with(1, line(0))),
            ("an id twice", with(2, line(1))),
            ("an unknown line", with(1, r#"{"password": 1}"#)),
            ("deep", with(1, &deep)),
            (
                "deep where a value may be",
                with(1, &format!(r#"{{"memory":{deep}}}"#)),
            ),
            (
                "no number",
                good.replace("\"importance\":0.5", "\"importance\":NaN")
                    .replacen("\"body\":", "\"marks\":{\"importance\":NaN},\"body\":", 1),
            ),
            (
                "a number too large",
                good.replacen("\"body\":", "\"marks\":{\"importance\":1e999},\"body\":", 1),
            ),
            (
                "a share above one",
                good.replacen("\"body\":", "\"marks\":{\"importance\":1.5},\"body\":", 1),
            ),
            (
                "a field twice",
                good.replacen("\"body\":", "\"body\":{},\"body\":", 1),
            ),
            (
                "another format",
                good.replacen("\"format\":1", "\"format\":2", 1),
            ),
            (
                "an owner without a name",
                good.replacen("\"bob\"", "\"\"", 1),
            ),
            (
                "a number of its own",
                good.replacen("\"next_number\":3", "\"next_number\":1", 1),
            ),
            (
                "no numbers left",
                good.replacen("\"next_number\":3", "\"next_number\":549755813887", 1),
            ),
            (
                "a forged journal",
                good.replace("\"revision\":2", "\"revision\":7"),
            ),
            (
                "a link to nowhere",
                good.replacen("\"to\":2", "\"to\":99", 1),
            ),
            ("NUL", good.replacen("likes tea", "likes\\u0000tea", 1)),
            (
                "half a pair",
                good.replacen("likes tea", "likes\\ud800tea", 1),
            ),
            (
                "another direction",
                good.replacen("likes tea", "likes \\u202etea", 1),
            ),
            ("long", good.replacen("likes tea", &"x".repeat(2 << 20), 1)),
            ("more after the end", format!("{good}{}", line(1))),
        ];
        let before = alice.export().await.unwrap();
        let carol = host.keepmind.user("carol").unwrap();
        for (what, lines) in hostile {
            let import = Import::new(lines.clone()).of(Owner::new("bob").unwrap());
            let error = alice.import_export(import).await.expect_err(what);
            assert_eq!(error.kind(), ErrorKind::Invalid, "{what}: {error}");
            let told = error.message();
            assert!(!told.contains("tea") && told.len() < 300, "{what}: {told}");
            assert_eq!(alice.export().await.unwrap(), before, "{what}");
            let error = carol.restore_export(&lines).await.expect_err(what);
            let is_typed = matches!(error.kind(), ErrorKind::Invalid | ErrorKind::NotFound);
            assert!(is_typed, "{what}: {error}");
            assert!(
                !carol.erase().await.unwrap(),
                "{what}: something was written"
            );
        }
        // Whose it is must be said.
        let error = alice.import_export(good.as_str()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.message().contains("another owner"), "{error}");
        assert_eq!(alice.export().await.unwrap(), before);
        // What an editor does to a file does no harm.
        let edited = format!("\u{feff}{}", good.replace('\n', "\r\n"));
        let import = Import::new(edited).of(Owner::new("bob").unwrap());
        let report = alice.import_export(import).await.unwrap();
        assert_eq!(report.count(ImportFate::Imported), 3);
    })
    .await;
}

#[tokio::test]
async fn a_file_from_the_end_of_time_is_not_restored() {
    on_every_store(Policy::default(), async |host| {
        bob(host).save("User likes tea").await.unwrap();
        let lines = file(host).await.lines;
        let late = lines.replace("2026-03-01T", "9999-03-01T");
        assert_ne!(late, lines);
        let carol = host.keepmind.user("carol").unwrap();
        let error = carol.restore_export(&late).await.unwrap_err();
        assert!(error.message().contains("end of time"), "{error}");
        assert!(!carol.erase().await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn another_policys_words_are_kept_in_this_ones() {
    on_every_store(Policy::advisor(), async |host| {
        let alice = host.alice();
        bob(host).save("User likes tea").await.unwrap();
        let lines = file(host).await.lines;
        let foreign = forged(&lines, |line| {
            if let Some(claim) = line.pointer_mut("/memory/body/claim") {
                claim["category"] = json!("something_else");
                claim["domain"] = json!("astrology");
            }
        });
        let import = Import::new(foreign).of(Owner::new("bob").unwrap());
        alice.import_export(import).await.unwrap();
        let claim = alice.get("#1").await.unwrap().row.body.claim;
        assert_eq!(claim.category, Policy::advisor().default_category);
        assert_eq!(claim.domain, None);
    })
    .await;
}
