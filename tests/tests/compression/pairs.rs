//! What is never left out or parted: the last words of the user, and a call from its answer.

use keepmind::{Message, Policy, Push, Role};
use keepmind_tests::host::on_every_store;

use super::{small, talk};

#[tokio::test]
async fn the_last_words_of_the_user_are_shown_whatever_they_cost() {
    on_every_store(small(), async |host| {
        let session = host.alice().open_session().await.unwrap();
        talk(&session, 1..=20).await;
        let question = format!("Which of these? {}", "tea ".repeat(10_000));
        session.push(Push::user(question.as_str())).await.unwrap();
        for _ in 0..3 {
            session
                .push(Push::assistant("Let me think."))
                .await
                .unwrap();
        }
        let view = session.view().await.unwrap();
        assert_eq!(view.messages[0].utterance.content, question);
        assert_eq!(view.messages.len(), 4);
        assert_eq!(view.replaced, 40);
    })
    .await;
}

fn calling(call: &str, words: &str) -> Push {
    let mut push = Push::assistant(words);
    push.calls = vec![call.to_owned()];
    push
}

fn is_whole(messages: &[Message]) -> bool {
    let answers = messages
        .iter()
        .enumerate()
        .filter(|(_, message)| message.utterance.role == Role::Tool);
    answers.into_iter().all(|(index, answer)| {
        answer.utterance.calls.iter().all(|call| {
            messages[..index]
                .iter()
                .any(|message| message.utterance.calls.contains(call))
        })
    })
}

#[tokio::test]
async fn a_call_and_its_answer_are_not_parted() {
    on_every_store(Policy::default(), async |host| {
        let session = host.alice().open_session().await.unwrap();
        for turn in 0..60 {
            session
                .push(Push::user(format!("look up tea {turn}")))
                .await
                .unwrap();
            for call in ["a", "b"] {
                let call = format!("{turn}-{call}");
                let words = "thinking ".repeat(turn % 7);
                session.push(calling(&call, &words)).await.unwrap();
                let page = "a page about tea ".repeat(turn % 11);
                session.push(Push::tool(call, page)).await.unwrap();
            }
        }
        let mut cuts = std::collections::BTreeSet::new();
        for budget in (100..6_000).step_by(97) {
            let view = session.view_within(budget).await.unwrap();
            assert!(is_whole(&view.messages), "within {budget}");
            cuts.insert(view.replaced);
        }
        assert!(cuts.len() > 10, "{cuts:?}");
    })
    .await;
}
