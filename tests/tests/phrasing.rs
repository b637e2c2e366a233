//! A reply is held against the chat it is said in: what the user wrote may be repeated.

use keepmind::{PhrasingKind, Policy, Push};
use keepmind_tests::host::on_every_store;

#[tokio::test]
async fn a_reply_is_checked_in_its_chat() {
    on_every_store(Policy::assistant(), async |host| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        let song = "It's my song: “You believe in rain and thunder.”";
        session.push(Push::user(song)).await.unwrap();
        let said = "You think that trains are slow.";
        session.push(Push::assistant(said)).await.unwrap();

        let found = session.check_phrasing(said).await.unwrap();
        assert_eq!(
            found[0].kind,
            PhrasingKind::Thought,
            "only the user's words count"
        );
        assert_eq!((found[0].span.start, found[0].span.end), (0, 14));
        let repeated = "The second verse, you believe in rain, is the best.";
        assert!(session.check_phrasing(repeated).await.unwrap().is_empty());

        // The same as JSON, in the chat and outside of it.
        let asked = serde_json::json!({"request": "check_phrasing", "reply": repeated});
        let answer = session.request(&asked.to_string()).await.unwrap();
        assert_eq!(answer, r#"{"findings":[]}"#);
        let answer = alice.request(&asked.to_string()).await.unwrap();
        assert!(answer.contains(r#""kind":"belief""#), "{answer}");
        // Another chat knows nothing of the song.
        let other = alice.open_session().await.unwrap();
        assert_eq!(other.check_phrasing(repeated).await.unwrap().len(), 1);
    })
    .await;
}

/// What the library itself tells a model to say is nothing that it would object to.
#[tokio::test]
async fn the_standing_text_keeps_to_it() {
    for policy in [
        Policy::default(),
        Policy::advisor(),
        Policy::chat(),
        Policy::assistant(),
        Policy::personal(),
        Policy::observer(),
    ] {
        on_every_store(policy, async |host| {
            let block = host.alice().block().await.unwrap();
            let found = keepmind::govern::check_phrasing(&block.prompt(), &[]);
            assert!(found.is_empty(), "{found:?}");
        })
        .await;
    }
}
