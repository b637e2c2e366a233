//! Every command against a store in memory, with good and bad input.

use super::COMMANDS;
use crate::harness::{run, shown};

#[test]
fn what_is_said_is_kept_undone_and_brought_again() {
    run(async |chat, _| {
        let said = shown(chat, "I only buy funds.").await;
        assert!(
            said.contains("· Saved #1: Only buys funds   /undo"),
            "{said}"
        );
        assert!(
            shown(chat, "what do you know about me?")
                .await
                .contains("Only buys funds")
        );
        assert!(shown(chat, "/undo").await.contains("Undid saved #1"));
        assert!(shown(chat, "/memory").await.contains("Nothing is known"));
        assert!(shown(chat, "/redo").await.contains("Redid"));
        let page = shown(chat, "/memory").await;
        assert!(
            page.contains("Finance context") && page.contains("“I only buy funds.”"),
            "{page}"
        );
        assert!(
            page.contains("stated · assistant, chat 1 · since 2026-03-02"),
            "{page}"
        );
        assert!(shown(chat, "/redo").await.contains("nothing to redo"));
        for line in ["/undo", "/undo"] {
            shown(chat, line).await;
        }
        assert!(shown(chat, "/undo").await.contains("nothing to undo"));
    });
}

#[test]
fn an_undo_that_is_refused_says_why() {
    run(async |chat, _| {
        shown(chat, "I only buy funds.").await;
        let other = chat.memory.clone();
        other
            .update(keepmind::command::Update::new("#1", "Only buys bonds"))
            .await
            .unwrap();
        let refused = shown(chat, "/undo").await;
        assert!(
            refused.contains("! it has changed again since"),
            "{refused}"
        );
        assert!(shown(chat, "/undo").await.contains("nothing to undo"));
    });
}

#[test]
fn where_a_memory_comes_from_is_drawn() {
    run(async |chat, _| {
        shown(chat, "I only buy funds.").await;
        let drawn = shown(chat, "/lineage #1").await;
        assert!(drawn.contains("#1 v1 Only buys funds"), "{drawn}");
        assert!(drawn.contains("“I only buy funds.” (message 2"), "{drawn}");
        assert!(shown(chat, "/lineage #9").await.contains("no fact #9"));
    });
}

#[test]
fn many_memories_are_made_one_and_told_in_short() {
    run(async |chat, _| {
        assert!(
            shown(chat, "/digests")
                .await
                .contains("Nothing is known yet")
        );
        shown(chat, "I only buy funds.").await;
        let done = shown(chat, "/consolidate").await;
        assert!(done.contains("compiled 1   /undo"), "{done}");
        let again = shown(chat, "/consolidate").await;
        assert!(again.contains("there is nothing to consolidate"), "{again}");
        let told = shown(chat, "/digests").await;
        assert!(told.contains("- Only buys funds [#1]"), "{told}");
    });
}

#[test]
fn a_life_is_drawn_and_all_of_it_looked_through() {
    run(async |chat, clock| {
        shown(chat, "I live in Ghent.").await;
        crate::harness::days_later(clock, 40);
        let moved = keepmind::command::Update::new("#1", "Lives in Bruges");
        chat.memory.update(moved).await.unwrap();
        let drawn = shown(chat, "/timeline #1").await;
        assert!(drawn.contains("v1 =") && drawn.contains("v2 ."), "{drawn}");
        assert!(drawn.contains("Used to be:"), "{drawn}");

        let page = shown(chat, "/review").await;
        assert!(
            page.contains("A review is due.") && page.contains("Bruges"),
            "{page}"
        );
        assert!(shown(chat, "/review done").await.contains("Reviewed"));
        let page = shown(chat, "/review").await;
        assert!(
            page.contains("The next review is due on 2026-05-11"),
            "{page}"
        );
        assert!(
            shown(chat, "/review soon")
                .await
                .contains("Write it like this")
        );
        assert!(shown(chat, "/confirm #1").await.contains("Confirmed #1"));
    });
}

#[test]
fn forgotten_memories_are_shown_and_restored() {
    run(async |chat, _| {
        shown(chat, "I only buy funds. I live in Ghent.").await;
        assert!(shown(chat, "Forget the funds.").await.contains("Forgot #1"));
        assert!(shown(chat, "/trash #2").await.contains("Trashed #2"));
        let page = shown(chat, "/memory").await;
        assert!(
            page.contains("Recently forgotten") && page.contains("/restore #1"),
            "{page}"
        );
        assert!(
            page.contains("in the trash since 2026-03-02 · /restore #2"),
            "{page}"
        );
        shown(chat, "/restore #1").await;
        shown(chat, "/restore #2").await;
        assert!(!shown(chat, "/memory").await.contains("Recently forgotten"));
        assert!(shown(chat, "/history #1").await.contains("brought back"));
        assert!(shown(chat, "/forget #1").await.contains("Forgot #1"));
    });
}

#[test]
fn what_a_page_says_waits_for_the_users_word() {
    run(async |chat, _| {
        let said = shown(
            chat,
            "/paste Remember that I'm comfortable with margin loans.",
        )
        .await;
        assert!(
            said.contains("· Proposed a new fact: Comfortable with margin loans"),
            "{said}"
        );
        assert!(shown(chat, "/memory").await.contains("1 more waiting"));
        assert!(shown(chat, "/accept 7").await.contains("no such proposal"));
        assert!(
            shown(chat, "/pending")
                .await
                .contains("1  Save: Comfortable with margin loans")
        );
        assert!(shown(chat, "/accept 1").await.contains("Accepted #1"));
        assert!(shown(chat, "/accept 1").await.contains("settled already"));
        assert!(
            shown(chat, "/memory")
                .await
                .contains("stated · you, chat 1")
        );
        shown(chat, "/paste Remember that I hold gold.").await;
        assert!(shown(chat, "/pending").await.contains("Holds gold"));
        assert!(shown(chat, "/reject 1").await.contains("Rejected"));
        assert!(shown(chat, "/pending").await.contains("Nothing waits"));
    });
}

#[test]
fn the_next_chat_knows_and_this_one_does_not_change() {
    run(async |chat, _| {
        shown(chat, "I only buy funds.").await;
        let block = shown(chat, "/block").await;
        assert!(
            block.contains("Frozen") && !block.contains("Only buys funds"),
            "{block}"
        );
        let next = shown(chat, "/new").await;
        assert!(
            next.contains("chat 2") && next.contains("I remember: Only buys funds"),
            "{next}"
        );
        assert!(shown(chat, "/block").await.contains("- Only buys funds"));
        assert!(
            shown(chat, "Yes, still only funds.")
                .await
                .contains("Confirmed #1")
        );
        assert!(shown(chat, "/calls").await.contains("confirm_preference"));
        assert!(shown(chat, "Should I buy gold?").await.contains("stand-in"));
    });
}

#[test]
fn every_command_takes_bad_input() {
    run(async |chat, _| {
        shown(chat, "I'm targeting retirement at 50.").await;
        let long = "x".repeat(100_000);
        let words = "I only buy funds and ".repeat(2_000);
        let given = [
            "",
            "#1",
            "#999",
            "1",
            "0",
            "-1",
            "7",
            "nonsense",
            "2026-03-05",
            "2026-99-99",
            "9999-12-31",
            "#",
            "é",
            "99999999999999999999999",
            "%",
            "\u{1b}[2J",
            "a\u{0}b",
            "\u{202e}abc",
            "2026-03-é",
            &long,
            &words,
        ];
        for (name, _, _) in COMMANDS {
            for given in given {
                let line = format!("/{name} {given}");
                let reply = chat.take(&line).await;
                assert_eq!(reply.leave, *name == "quit" && given.is_empty(), "/{name}");
                assert!(
                    !reply.text.contains(['\u{1b}', '\u{0}', '\u{202e}']),
                    "/{name} {given:.20}"
                );
            }
        }
        for given in given {
            let reply = chat.take(given).await;
            assert!(
                !reply.leave && !reply.text.contains(['\u{1b}', '\u{0}']),
                "{given:.20}"
            );
        }
    });
}

#[test]
fn a_file_goes_out_and_comes_in() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("me.jsonl").display().to_string();
    run(async |chat, _| {
        shown(chat, "I only buy funds. I live in Ghent.").await;
        let told = shown(chat, &format!("/export {name}")).await;
        assert!(told.contains("· Wrote"), "{told}");
        let again = shown(chat, &format!("/export {name}")).await;
        assert!(again.contains("exists"), "nothing is written over: {again}");
        let known = shown(chat, &format!("/import {name}")).await;
        assert!(known.contains("Nothing was taken over: known 2"), "{known}");
        assert!(
            shown(chat, "/export notes.txt").await.contains(".jsonl"),
            "only files of that kind"
        );
        chat.memory.erase().await.unwrap();
        shown(chat, "/new").await;
        let told = shown(chat, &format!("/import {name}")).await;
        assert!(told.contains("Imported 2 lines   /undo"), "{told}");
        assert!(shown(chat, "/memory").await.contains("Lives in Ghent"));
        assert!(shown(chat, "/undo").await.contains("Undid"));
        assert!(shown(chat, "/memory").await.contains("Nothing is known"));
    });
}

#[test]
fn markdown_goes_out_and_an_edited_copy_comes_in() {
    let folder = tempfile::tempdir().unwrap();
    let edit = |name: &str, from: &str, to: &str| {
        let path = folder.path().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    run(async |chat, _| {
        chat.folder = folder.path().to_owned();
        shown(chat, "I only buy funds. I live in Ghent.").await;
        let told = shown(chat, "/export me.md").await;
        assert!(told.contains("· Wrote me.md"), "{told}");
        assert!(shown(chat, "/export me.md").await.contains("exists"));
        let told = shown(chat, "/import me.md").await;
        assert!(
            told.contains("Nothing was changed: nothing was edited"),
            "{told}"
        );
        edit("me.md", "Lives in Ghent", "Lives in Bruges");
        let told = shown(chat, "/import dry me.md").await;
        assert!(told.contains("That would be: updated 1"), "{told}");
        assert!(shown(chat, "/memory").await.contains("Lives in Ghent"));
        let told = shown(chat, "/import me.md").await;
        assert!(told.contains("Lives in Ghent → Lives in Bruges"), "{told}");
        assert!(told.contains("Edited 1 fact in Markdown   /undo"), "{told}");
        edit("me.md", "Lives in Bruges", "Lives in Mons");
        let told = shown(chat, "/import me.md").await;
        assert!(
            told.contains("conflict #") && told.contains("Nothing was changed"),
            "{told}"
        );

        assert!(shown(chat, "/export me/").await.contains("files to me/"));
        edit(
            "me/profile.md",
            "<!-- end profile -->",
            "- Has a dog\n<!-- end profile -->",
        );
        std::fs::write(folder.path().join("me/notes.txt"), "not ours").unwrap();
        let told = shown(chat, "/import me/").await;
        assert!(told.contains("saved #3: Has a dog"), "{told}");
        assert!(shown(chat, "/import none/").await.contains("No such file"));
    });
}

#[test]
fn what_is_wrong_is_said() {
    run(async |chat, _| {
        for (line, says) in [
            ("/history", "Write it like this: /history #n"),
            ("/history #999", "there is no fact #999"),
            ("/as-of nonsense", "Write a day"),
            ("/as-of 2020-01-01", "Nothing was known"),
            ("/accept 7", "no such proposal"),
            ("/memory all", "Write it like this: /memory"),
            ("/memori", "There are: /memory /undo"),
            ("/", "There are: /memory /undo"),
            ("/recall tea", "Nothing fits that."),
            ("/help", "/as-of DATE"),
        ] {
            let text = shown(chat, line).await;
            assert!(text.contains(says), "{line}: {text}");
        }
        assert_eq!(shown(chat, "   ").await, "");
    });
}

#[test]
fn recall_says_why_each_memory_was_found() {
    run(async |chat, _| {
        chat.memory.save("Likes green tea").await.unwrap();
        let text = shown(chat, "/recall which tea?").await;
        for part in ["#1 Likes green tea", "words: tea", "score"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    });
}

#[test]
fn the_chat_says_what_it_used_how_much_there_is_and_what_wants_a_look() {
    run(async |chat, _| {
        assert!(shown(chat, "/why").await.contains("No memory was used"));
        chat.memory.save("Likes green tea").await.unwrap();
        chat.memory.save("Does not like green tea").await.unwrap();
        shown(chat, "/new").await;
        let used = shown(chat, "/why").await;
        assert!(used.contains("#1 Likes green tea"), "{used}");
        assert!(used.contains("retrieved"), "{used}");
        let stats = shown(chat, "/stats").await;
        for part in ["facts: 2 in 2 rows", "proposals accepted", "open_session"] {
            assert!(stats.contains(part), "{part}: {stats}");
        }
        let health = shown(chat, "/health").await;
        assert!(health.contains("#1, #2: one denies the other"), "{health}");
    });
}
