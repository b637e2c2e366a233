//! What was forgotten or thrown away and can be brought back: exactly that, the latest first.

use std::collections::BTreeSet;

use keepmind::command::{Forgotten, List, Save, Update};
use keepmind::policy::TimeToLive;
use keepmind::{Authority, ErrorKind, EventKind, MemoryRow, Number, Policy, UserMemory, Why};
use keepmind_tests::host::on_every_store;
use keepmind_tests::random::Random;

async fn save(user: &UserMemory, content: &str) -> Number {
    user.save(content).await.unwrap().number.unwrap()
}

async fn listed(user: &UserMemory) -> Vec<MemoryRow> {
    user.forgotten(Forgotten::default()).await.unwrap().rows
}

fn contents(rows: &[MemoryRow]) -> Vec<&str> {
    rows.iter()
        .map(|row| row.body.claim.content.as_str())
        .collect()
}

#[tokio::test]
async fn what_was_put_away_is_listed_until_it_comes_back() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        assert_eq!(listed(&alice).await, []);
        let boat = save(&alice, "Owns a boat").await;
        let cat = save(&alice, "Has a cat").await;
        let tea = save(&alice, "Drinks tea").await;
        let update = Update::new(tea, "Drinks green tea");
        alice.update(update).await.unwrap();
        let task = Save::new("Call the bank").category("task");
        let task = alice.save(task).await.unwrap().number.unwrap();
        alice.complete(task).await.unwrap();
        let taken_back = alice.save("Plays chess").await.unwrap();
        alice
            .undo(taken_back.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        assert_eq!(listed(&alice).await, [], "ended otherwise, or not at all");

        alice.forget(boat).await.unwrap();
        host.days(1);
        alice.trash(cat).await.unwrap();
        alice.forget(tea).await.unwrap();
        let rows = listed(&alice).await;
        assert_eq!(
            contents(&rows),
            ["Drinks green tea", "Has a cat", "Owns a boat"]
        );
        let why: Vec<Why> = rows.iter().map(|row| row.end.unwrap().why).collect();
        assert_eq!(why, [Why::Forgotten, Why::Trashed, Why::Forgotten]);

        alice.restore(cat).await.unwrap();
        alice.purge(boat).await.unwrap();
        assert_eq!(contents(&listed(&alice).await), ["Drinks green tea"]);
        assert_eq!(listed(&host.keepmind.user("bob").unwrap()).await, []);
    })
    .await;
}

#[tokio::test]
async fn what_was_in_the_trash_for_too_long_is_not_offered() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let days = u64::from(host.keepmind.policy().retention.trash_days);
        let boat = save(&alice, "Owns a boat").await;
        let cat = save(&alice, "Has a cat").await;
        alice.trash(boat).await.unwrap();
        alice.forget(cat).await.unwrap();
        host.days(days);
        assert_eq!(listed(&alice).await.len(), 2);
        host.seconds(1);
        assert_eq!(contents(&listed(&alice).await), ["Has a cat"]);
        assert!(alice.restore(boat).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn pages_follow_one_another_and_nothing_is_twice_on_them() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut expected = Vec::new();
        for count in 0..7 {
            let number = save(&alice, &format!("Has a boat called N{count}")).await;
            expected.insert(0, number);
            if count % 3 == 0 {
                host.seconds(1);
            }
        }
        for number in expected.iter().rev() {
            alice.forget(*number).await.unwrap();
        }
        for limit in 1..=8 {
            let mut asked = Forgotten::default().limit(limit);
            let mut found = Vec::new();
            loop {
                let page = alice.forgotten(asked.clone()).await.unwrap();
                assert!(page.rows.len() <= limit);
                found.extend(page.rows.iter().map(|row| row.body.number));
                asked.after = page.next;
                if asked.after.is_none() {
                    break;
                }
            }
            assert_eq!(found, expected, "{limit} at a time");
        }
        // What comes back between two pages is not on the next.
        let mut asked = Forgotten::default().limit(2);
        asked.after = alice.forgotten(asked.clone()).await.unwrap().next;
        alice.restore(expected[1]).await.unwrap();
        alice.restore(expected[2]).await.unwrap();
        let page = alice.forgotten(asked.clone()).await.unwrap();
        let numbers: Vec<Number> = page.rows.iter().map(|row| row.body.number).collect();
        assert_eq!(numbers, expected[3..5]);

        let bob = host.keepmind.user("bob").unwrap();
        let foreign = bob.forgotten(asked).await.unwrap_err();
        assert_eq!(foreign.kind(), ErrorKind::Invalid);
        let mut list = List::default();
        list.limit = Some(1);
        let mut other = Forgotten::default();
        other.after = alice.list(list).await.unwrap().next;
        assert!(other.after.is_some());
        assert!(alice.forgotten(other).await.is_err(), "of another question");
        let none = alice.forgotten(Forgotten::default().limit(0)).await;
        assert!(none.is_err());
        for wrong in [
            r#"{"query":"forgotten","after":"forgotten 1 xalice"}"#,
            r#"{"query":"forgotten","after":"forgotten 3 1 0alice"}"#,
            r#"{"query":"forgotten","after":"forgotten 23 9999999999999999999 9 9alice"}"#,
            r#"{"query":"forgotten","status":"inactive"}"#,
        ] {
            assert!(alice.request(wrong).await.is_err(), "{wrong}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_has_run_out_since_is_not_brought_back_to_be_gone_again() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut save = Save::new("Is at the hotel by the station");
        save.ttl = Some(TimeToLive::Temporary);
        let hotel = alice.save(save).await.unwrap().number.unwrap();
        alice.forget(hotel).await.unwrap();
        assert_eq!(listed(&alice).await.len(), 1);
        host.days(400);
        assert_eq!(listed(&alice).await, []);
        let error = alice.restore(hotel).await.unwrap_err();
        assert!(error.message().contains("has run out"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_rule_whose_place_is_taken_is_there_and_names_who_took_it() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let rule = |content: &str| {
            let mut save = Save::new(content).category("preference");
            save.authority = Some(Authority::Rule);
            save.domain = Some("food".to_owned());
            save.key = Some("diet".to_owned());
            save
        };
        let fish = alice.save(rule("Eats no fish")).await.unwrap();
        let fish = fish.number.unwrap();
        alice.forget(fish).await.unwrap();
        let meat = alice.save(rule("Eats no meat")).await.unwrap();
        let meat = meat.number.unwrap();
        assert_eq!(contents(&listed(&alice).await), ["Eats no fish"]);
        let error = alice.restore(fish).await.unwrap_err();
        assert!(error.message().contains(&meat.to_string()), "{error}");
        alice.forget(meat).await.unwrap();
        alice.restore(fish).await.unwrap();
        assert_eq!(contents(&listed(&alice).await), ["Eats no meat"]);
    })
    .await;
}

/// Whatever happened: what is listed can be restored, and what is not cannot.
#[tokio::test]
async fn it_is_exactly_what_a_restore_brings_back() {
    on_every_store(Policy::default(), async |host| {
        let mut random = Random::new(11);
        let alice = host.alice();
        for round in 0..40 {
            step(&alice, &mut random, round).await;
            if random.below(4) == 0 {
                host.days(random.below(20) as u64);
            }
        }
        let numbers = 1..=alice.list(all()).await.unwrap().rows.len() as u64 + 40;
        let offered: BTreeSet<Number> = listed(&alice)
            .await
            .iter()
            .map(|row| row.body.number)
            .collect();
        assert!(!offered.is_empty());
        let mut brought_back = BTreeSet::new();
        for number in numbers.filter_map(Number::new) {
            let Ok(done) = alice.restore(number).await else {
                continue;
            };
            if let Some(event) = done.event.filter(|event| event.kind == EventKind::Restored) {
                brought_back.insert(number);
                alice.undo(event.undo.unwrap()).await.unwrap();
            }
        }
        assert_eq!(brought_back, offered);
        assert_eq!(listed(&alice).await.len(), offered.len());
    })
    .await;
}

fn all() -> List {
    let mut list = List::default();
    list.limit = Some(1_000);
    list
}

async fn step(alice: &UserMemory, random: &mut Random, round: usize) {
    let number = Number::new(1 + random.below(round / 3 + 1) as u64).unwrap();
    // Much of it is refused: of what is gone already, or was never there.
    let done = match random.below(8) {
        0..=2 => {
            let mut save = Save::new(format!("Owns boat {round}"));
            save.ttl = random.sometimes(30, |_| TimeToLive::Temporary);
            alice.save(save).await
        }
        3 => alice.forget(number).await,
        4 => alice.trash(number).await,
        5 => alice.restore(number).await,
        6 => {
            let update = Update::new(number, format!("Sold boat {round}"));
            alice.update(update).await
        }
        _ => alice.purge(number).await,
    };
    let undo = done
        .ok()
        .and_then(|done| done.event)
        .and_then(|event| event.undo);
    if random.below(5) == 0
        && let Some(undo) = undo
    {
        let _ = alice.undo(undo).await;
    }
}
