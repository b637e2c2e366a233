//! Chats closed, listed, found, opened again, thrown away; and what is no chat.

use keepmind::SessionStatus;

use crate::chat::Chat;
use crate::harness::{days_later, run, shown};
use crate::screen::Style;
use crate::sent;
use crate::stand_in::Said;

/// The gutter, which every line has.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_start).collect()
}

/// What the model is sent of the chat.
async fn sent_in(chat: &Chat) -> Vec<Said> {
    let view = chat.session.view().await.unwrap();
    let conversation = sent::conversation(&chat.session, view, &chat.calls).await;
    conversation.unwrap().messages
}

#[test]
fn chats_are_listed_by_how_long_ago_they_were() {
    run(async |chat, clock| {
        for (title, days) in [("One", 35), ("Two", 11), ("Three", 3), ("Four", 1)] {
            shown(chat, "Good day.").await;
            shown(chat, &format!("/rename {title}")).await;
            days_later(clock, days);
            let next = shown(chat, "/new").await;
            assert!(next.contains(&format!(": {title}   /open ")), "{next}");
        }
        // The fifth is left without a word.
        assert!(!shown(chat, "/new").await.contains("Closed"));
        chat.keepmind.sweep().await.unwrap();
        assert_eq!(
            lines(&shown(chat, "/chats").await),
            [
                "Today",
                "6  Nothing said yet   (this chat)",
                "Yesterday",
                "4  Four",
                "Previous 7 days",
                "3  Three",
                "Older",
                "2  Two",
                "Archived",
                "1  One",
            ]
        );
    });
}

#[test]
fn a_chat_is_opened_again_and_knows_what_was_said_since() {
    run(async |chat, clock| {
        shown(chat, "I only buy funds.").await;
        let first = chat.session.clone();
        days_later(clock, 1);
        let next = shown(chat, "/new").await;
        assert!(
            next.contains("· Closed chat 1: ") && next.contains("   /open 1"),
            "{next}"
        );
        assert_eq!(first.status().await.unwrap(), SessionStatus::Idle);
        let second = chat.session.clone();
        shown(chat, "I live in Ghent.").await;

        let opened = shown(chat, "/open 1").await;
        assert!(
            opened.contains("── chat 1 · 2026-03-02, resumed"),
            "{opened}"
        );
        assert!(opened.contains("you      I only buy funds."), "{opened}");
        assert!(opened.contains("advisor  Noted."), "{opened}");
        assert_eq!(first.status().await.unwrap(), SessionStatus::Active);
        assert_eq!(second.status().await.unwrap(), SessionStatus::Idle);
        assert!(shown(chat, "/block").await.contains("- Lives in Ghent"));
        assert!(
            shown(chat, "/open 1")
                .await
                .contains("You are in that chat")
        );

        for line in ["I hold gold.", "I like tea.", "I like jazz."] {
            shown(chat, line).await;
        }
        shown(chat, "/open 2").await;
        let opened = shown(chat, "/open 1").await;
        assert!(opened.contains("         …\n"), "{opened}");
        assert!(
            opened.contains("tea") && !opened.contains("gold"),
            "{opened}"
        );
    });
}

#[test]
fn the_model_is_sent_the_same_when_a_chat_is_opened_again() {
    run(async |chat, _| {
        shown(chat, "I only buy funds. I live in Ghent.").await;
        shown(chat, "Forget the funds.").await;
        let before = sent_in(chat).await;
        shown(chat, "/new").await;
        shown(chat, "/open 1").await;
        assert_eq!(sent_in(chat).await, before);
        shown(chat, "I like tea.").await;
        let ids: Vec<String> = chat.calls.keys().cloned().collect();
        assert_eq!(ids.len(), 5, "every call has an id of its own: {ids:?}");
    });
}

#[test]
fn chats_are_found_by_what_was_said() {
    run(async |chat, _| {
        shown(chat, "I might take a margin loan for the boat.").await;
        shown(chat, "/rename The boat").await;
        shown(chat, "/new").await;
        let found = shown(chat, "/search loans").await;
        assert_eq!(
            lines(&found)[..2],
            [
                "1  The boat",
                "2026-03-02 · you: I might take a margin *loan* for the boat.",
            ],
            "{found}"
        );
        for (words, says) in [
            ("submarine", "Nothing like that was said."),
            ("?!", "Nothing like that was said."),
            ("", "Write it like this: /search WORDS"),
        ] {
            let text = shown(chat, &format!("/search {words}")).await;
            assert!(text.contains(says), "{words}: {text}");
        }
        shown(chat, "/trash-chat 1").await;
        let text = shown(chat, "/search loans").await;
        assert!(text.contains("Nothing like that"), "{text}");
    });
}

#[test]
fn chats_are_thrown_away_and_brought_back() {
    run(async |chat, _| {
        shown(chat, "I only buy funds.").await;
        shown(chat, "/rename Funds").await;
        let thrown = shown(chat, "/trash-chat").await;
        assert!(
            thrown.contains("Chat 1 is in the trash for 30 days   /restore-chat 1"),
            "{thrown}"
        );
        assert!(thrown.contains("── chat 2"), "{thrown}");
        assert_eq!(
            lines(&shown(chat, "/chats").await)[2..],
            [
                "In the trash",
                "1  Funds",
                "since 2026-03-02 · /restore-chat 1",
            ]
        );
        let refused = shown(chat, "/open 1").await;
        assert!(refused.contains("! this chat is in the trash"), "{refused}");
        assert_eq!(
            chat.session.status().await.unwrap(),
            SessionStatus::Active,
            "what cannot be opened closes nothing"
        );
        let back = shown(chat, "/restore-chat 1").await;
        assert!(back.contains("Chat 1 is back   /open 1"), "{back}");
        let again = shown(chat, "/restore-chat 1").await;
        assert!(again.contains("not in the trash"), "{again}");
        assert!(shown(chat, "/open 1").await.contains("I only buy funds."));
        assert!(shown(chat, "/trash-chat 2").await.contains("Chat 2 is in"));
    });
}

#[test]
fn what_is_no_chat_is_said() {
    run(async |chat, _| {
        for name in ["open", "restore-chat", "trash-chat"] {
            for given in ["0", "2", "-1", "#1", "one", "99999999999999999999999"] {
                let text = shown(chat, &format!("/{name} {given}")).await;
                assert!(
                    text.contains("There is no such chat"),
                    "/{name} {given}: {text}"
                );
            }
        }
        let long = "x".repeat(121);
        for (line, says) in [
            ("/open", "Write it like this: /open n"),
            ("/restore-chat", "Write it like this: /restore-chat n"),
            ("/rename", "Write it like this: /rename TITLE"),
            (&format!("/rename {long}"), "! "),
            ("/chats all", "Write it like this: /chats"),
        ] {
            let text = shown(chat, line).await;
            assert!(text.contains(says), "{line}: {text}");
        }
    });
}

#[test]
fn a_long_chat_is_summarised_and_stays_whole() {
    run(async |chat, _| {
        shown(chat, "I only buy funds. I live in Ghent.").await;
        shown(chat, "I might take a loan for the boat.").await;
        let whole = shown(chat, "/compress").await;
        assert!(whole.contains("All of this chat is sent"), "{whole}");
        for bad in ["0", "-1", "many", "99999999999"] {
            let text = shown(chat, &format!("/compress {bad}")).await;
            assert!(text.contains("Write a number of tokens"), "{bad}: {text}");
        }
        let short = shown(chat, "/compress 50").await;
        assert!(short.contains("Nothing was deleted."), "{short}");
        assert!(short.contains("user: I only buy funds."), "{short}");
        assert!(short.contains("Sent: this summary and "), "{short}");
        assert_eq!(shown(chat, "/compress").await, short, "it stays small");
        // Told once, and again only when more is left out.
        let told = "Older messages are summarised";
        let said = shown(chat, &format!("I hold gold. {}", "And so on. ".repeat(40))).await;
        assert!(said.contains(told) && said.contains("Saved #"), "{said}");
        let found = shown(chat, "/search Ghent").await;
        assert!(found.contains("I live in *Ghent*."), "{found}");
        shown(chat, "/new").await;
        let next = shown(chat, "Good day.").await;
        assert!(!next.contains(told), "{next}");
    });
}

#[test]
fn what_was_left_open_is_closed_by_the_next_start() {
    run(async |chat, clock| {
        shown(chat, "I only buy funds.").await;
        let left = chat.session.clone();
        let keepmind = chat.keepmind.clone();
        let start = async || {
            Chat::open(&keepmind, "ann", Style::default())
                .await
                .unwrap()
        };

        let (_also_left, welcome) = start().await;
        assert!(
            !welcome.contains("left open"),
            "it may be in use: {welcome}"
        );
        days_later(clock, 1);
        let (mut third, welcome) = start().await;
        assert!(
            welcome.contains("· Closed 2 chats that were left open."),
            "{welcome}"
        );
        assert_eq!(left.status().await.unwrap(), SessionStatus::Idle);
        third.leave().await.unwrap();
        let (_, welcome) = start().await;
        assert!(!welcome.contains("left open"), "{welcome}");

        // Nobody had left it after all: what is said next resumes it.
        let saved = shown(chat, "I like tea.").await;
        assert!(saved.contains("Saved #"), "{saved}");
        assert!(shown(chat, "/block").await.contains("- Only buys funds"));
    });
}

#[test]
fn a_chat_that_another_window_deleted_can_be_left() {
    run(async |chat, _| {
        shown(chat, "I only buy funds.").await;
        chat.session.trash().await.unwrap();
        assert!(
            shown(chat, "I like tea.")
                .await
                .contains("! this chat is in the trash")
        );
        assert!(shown(chat, "/new").await.contains("── chat 2"));
        chat.session.purge().await.unwrap();
        assert!(shown(chat, "/new").await.contains("── chat 2"));
    });
}
