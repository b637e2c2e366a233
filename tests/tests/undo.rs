//! Taking writes back and forth, as a host does, on every store.

use keepmind::command::Update;
use keepmind::export::Reader;
use keepmind::{
    Claim, Draft, EntryHeader, Expected, GroupId, Marks, Outcome, Policy, Slice, TimeOrderedIds,
    UndoToken, Uuid, Who,
};
use keepmind_tests::host::on_every_store;

fn token(outcome: &Outcome) -> UndoToken {
    let event = outcome.event.as_ref().expect("something was written");
    event.undo.expect("it can be undone")
}

#[tokio::test]
async fn undo_and_redo_reach_every_write_until_it_is_overtaken() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let saved = alice.save("Likes tea").await.unwrap();
        let updated = alice
            .update(Update::new("#1", "Likes coffee"))
            .await
            .unwrap();
        let overtaken = alice.undo(token(&saved)).await.unwrap_err();
        assert_eq!(overtaken.code(), Some("E_STALE"));
        assert!(overtaken.message().contains("updated #1"), "{overtaken}");

        let undone = alice.undo(token(&updated)).await.unwrap();
        assert_eq!(undone.line, "undid updated #1");
        assert_eq!(host.live(&alice).await, ["Likes tea"]);
        let twice = alice.undo(token(&updated)).await.unwrap_err();
        assert_eq!(twice.code(), Some("E_STALE"));

        alice.redo(token(&updated)).await.unwrap();
        assert_eq!(host.live(&alice).await, ["Likes coffee"]);
        let none = alice.redo(token(&updated)).await.unwrap_err();
        assert_eq!(none.code(), Some("E_STALE"));

        let forgotten = alice.forget("#1").await.unwrap();
        let undone = alice.undo(token(&forgotten)).await.unwrap();
        assert_eq!(host.live(&alice).await, ["Likes coffee"]);
        alice.undo(token(&undone)).await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn writes_are_undone_one_after_another_and_redone_again() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let saved = alice.save("Likes tea").await.unwrap();
        let updated = alice.update(Update::new("#1", "Likes milk")).await.unwrap();
        let forgotten = alice.forget("#1").await.unwrap();
        for (write, live) in [
            (&forgotten, vec!["Likes milk"]),
            (&updated, vec!["Likes tea"]),
            (&saved, vec![]),
        ] {
            alice.undo(token(write)).await.unwrap();
            assert_eq!(host.live(&alice).await, live);
        }
        for (write, live) in [
            (&saved, vec!["Likes tea"]),
            (&updated, vec!["Likes milk"]),
            (&forgotten, vec![]),
        ] {
            let redone = alice.redo(token(write)).await.unwrap();
            assert_eq!(redone.line, format!("redid {}", write.line));
            assert_eq!(host.live(&alice).await, live);
        }
        alice.undo(token(&forgotten)).await.unwrap();
        let early = alice.undo(token(&saved)).await.unwrap_err();
        assert_eq!(early.code(), Some("E_STALE"));
        assert_eq!(host.live(&alice).await, ["Likes milk"]);
    })
    .await;
}

#[tokio::test]
async fn a_group_is_undone_as_a_whole_or_not_at_all() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let store = host.keepmind.store();
        let group = GroupId::new(Uuid::from_u128(7));
        for content in ["Likes tea", "Likes milk"] {
            let base = store.load(alice.owner(), &Slice::default()).await.unwrap();
            let mut ids = TimeOrderedIds::at(keepmind::Clock::now(host.clock.as_ref()));
            let now = keepmind::Clock::now(host.clock.as_ref());
            let mut draft = Draft::new(&base, now, &mut ids).unwrap();
            let number = draft.new_number().unwrap();
            let claim = Claim::note("fact", content, draft.stamp());
            draft
                .insert_version(number, claim, Marks::default())
                .unwrap();
            let mut header = EntryHeader::new(Who::Host, format!("imported {number}"));
            header.group = Some(group);
            let changes = draft.finish(header).unwrap();
            let expected = Expected::At(base.state().revision);
            store
                .commit(alice.owner(), expected, changes.into())
                .await
                .unwrap();
        }
        let token = UndoToken::Group(group);
        let undone = alice.undo(token).await.unwrap();
        assert_eq!(undone.line, "undid 2 changes: saved #1, saved #2");
        assert!(host.kept(&alice).await.is_empty());
        alice.redo(token).await.unwrap();
        assert_eq!(host.live(&alice).await, ["Likes tea", "Likes milk"]);

        alice
            .update(Update::new("#2", "Likes oat milk"))
            .await
            .unwrap();
        let refused = alice.undo(token).await.unwrap_err();
        assert_eq!(refused.code(), Some("E_STALE"));
        assert_eq!(host.live(&alice).await, ["Likes tea", "Likes oat milk"]);
    })
    .await;
}

#[tokio::test]
async fn tokens_that_are_forged_or_foreign_name_nothing() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let saved = alice.save("Likes tea").await.unwrap();
        let bob = host.keepmind.user("bob").unwrap();
        bob.save("Likes milk").await.unwrap();
        let foreign = bob.undo(token(&saved)).await.unwrap_err();
        assert_eq!(foreign.code(), Some("E_NOT_FOUND"));
        let forged: UndoToken = "write-0192f0c1-2345-7abc-8def-0123456789ab"
            .parse()
            .unwrap();
        assert_eq!(
            alice.undo(forged).await.unwrap_err().code(),
            Some("E_NOT_FOUND")
        );
        assert_eq!(host.live(&alice).await, ["Likes tea"]);

        let purged = alice.purge("#1").await.unwrap();
        assert!(purged.event.unwrap().undo.is_none());
        let gone = alice.undo(token(&saved)).await.unwrap_err();
        assert_eq!(gone.code(), Some("E_STALE"));
    })
    .await;
}

#[tokio::test]
async fn undoing_what_touched_several_facts_names_them_and_shows_the_words_of_none() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for content in ["Lives in Ghent", "Likes tea", "Has a dog"] {
            alice.save(content).await.unwrap();
        }
        let copy = alice.markdown(Reader::User).await.unwrap();
        let tea = copy.lines().find(|line| line.contains("tea")).unwrap();
        let edited = copy.replace("in Ghent", "in Bruges");
        let edited = edited.replace(tea, "- Plays the cello");
        let event = alice.read_markdown(edited).await.unwrap().event.unwrap();
        let undone = alice.undo(event.undo.unwrap()).await.unwrap();
        let told = "3 changes: updated #1, forgot #2, saved #4";
        assert_eq!(undone.line, format!("undid {told}"), "{}", host.store);
        assert_eq!(undone.number, None);
        let event = undone.event.unwrap();
        assert_eq!(event.line, format!("Undid {told}"));
        let redone = alice.redo(event.undo.unwrap()).await.unwrap();
        assert_eq!(redone.line, format!("redid {told}"));
        assert_eq!(redone.event.unwrap().line, format!("Redid {told}"));

        // Of many, some are named.
        let mut copy = alice.markdown(Reader::User).await.unwrap();
        let lines = (0..7).map(|place| format!("- Has read book {place}\n"));
        copy = copy.replace(
            "<!-- end fact -->",
            &(lines.collect::<String>() + "\n<!-- end fact -->"),
        );
        let event = alice.read_markdown(copy).await.unwrap().event.unwrap();
        let undone = alice.undo(event.undo.unwrap()).await.unwrap();
        assert!(
            undone.line.starts_with("undid 7 changes: saved #5, "),
            "{}",
            undone.line
        );
        assert!(undone.line.ends_with("saved #9, …"), "{}", undone.line);
    })
    .await;
}
