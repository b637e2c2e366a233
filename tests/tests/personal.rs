//! The personal agent (`Policy::personal`): five kinds of memory, a write pipeline in three stages, and a prompt
//! that keeps its baseline. What its document promises, one scenario each.

use keepmind::command::{ContextRequest, Observe, Recall, Save, Update};
use keepmind::export::{EditedMarkdown, Reader};
use keepmind::testing::ScriptedModel;
use keepmind::{
    DigestKind, Layer, MarkdownFate, Number, Policy, Push, Settling, Source, Tier, UserMemory,
};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{call, on_every_store, on_every_store_with};
use serde_json::json;

async fn said(user: &UserMemory, words: &str) {
    chat(user, words).await.close().await.unwrap();
}

async fn facts(user: &UserMemory) -> Vec<String> {
    let page = user.list(Default::default()).await.unwrap();
    let facts = page.rows.into_iter();
    let facts = facts.filter(|row| row.body.claim.layer == Layer::Fact);
    facts.map(|row| row.body.claim.content).collect()
}

async fn save(user: &UserMemory, category: &str, content: &str) -> Number {
    let save = Save::new(content).category(category);
    user.save(save).await.unwrap().number.unwrap()
}

#[tokio::test]
async fn who_somebody_is_what_is_under_way_and_how_to_help_are_in_every_prompt() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        save(&alice, "profile", "Lives in Lyon").await;
        save(&alice, "task", "Watching for a table at the Blue Door").await;
        save(
            &alice,
            "procedure",
            "Wants the noise level of a restaurant first",
        )
        .await;
        save(
            &alice,
            "knowledge",
            "Chip makers move in cycles of four years",
        )
        .await;
        alice.consolidate().await.unwrap();
        for message in ["What about chips?", "Tell me a joke about ducks.", "ok"] {
            let context = alice.context(message).await.unwrap();
            for told in ["Lyon", "Blue Door", "noise level"] {
                assert!(
                    context.baseline.contains(told),
                    "{message}: {}",
                    context.text
                );
            }
            assert!(!context.baseline.contains("Chip makers"));
        }
    })
    .await;
}

#[tokio::test]
async fn domain_knowledge_comes_with_a_message_of_its_domain() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        let mut knowledge = Save::new("Ramen at Toki is better than at Koya").category("knowledge");
        knowledge.domain = Some("food".to_owned());
        alice.save(knowledge).await.unwrap();
        let context = alice
            .context("Which restaurant has good food tonight?")
            .await
            .unwrap();
        assert_eq!(context.domains, ["food"], "{}", host.store);
        let told = context.used.iter().find(|used| used.tier == Tier::Domain);
        assert!(told.is_some(), "{}", context.text);
        let elsewhere = alice
            .context("How do I fix a bicycle chain at home?")
            .await
            .unwrap();
        assert!(!elsewhere.text.contains("Toki"));
    })
    .await;
}

#[tokio::test]
async fn what_a_chat_taught_is_staged_and_integrated_by_the_consolidation() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(
            &alice,
            "I work as a nurse. Thanks, that helps! What time is it?",
        )
        .await;
        assert!(facts(&alice).await.is_empty());
        // On schedule: the sweep does it once it is due.
        let swept = host.keepmind.sweep().await.unwrap();
        assert!(swept.of("consolidate") > 0, "{swept:?}");
        assert_eq!(
            facts(&alice).await,
            ["User works as a nurse"],
            "{}",
            host.store
        );
    })
    .await;
}

#[tokio::test]
async fn of_two_that_contradict_the_later_one_holds_and_the_earlier_is_history() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        host.at("2026-01-10T10:00:00Z");
        said(&alice, "I like bourbon.").await;
        alice.consolidate().await.unwrap();
        host.at("2026-02-10T10:00:00Z");
        said(&alice, "I don't like bourbon any more.").await;
        alice.consolidate().await.unwrap();
        let live = facts(&alice).await;
        assert_eq!(live.len(), 1, "{live:?}");
        assert!(live[0].contains("doesn't like bourbon"), "{live:?}");
        let row = &alice.list(Default::default()).await.unwrap().rows;
        let number = row
            .iter()
            .find(|row| row.body.claim.layer == Layer::Fact)
            .unwrap();
        let timeline = alice.timeline(number.body.number).await.unwrap();
        assert!(timeline.to_string().contains("likes bourbon"), "{timeline}");
    })
    .await;
}

#[tokio::test]
async fn what_comes_up_again_and_again_is_a_focus() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        for company in ["Nvidia", "Intel", "Micron", "Broadcom"] {
            said(
                &alice,
                &format!("Please compare the semiconductor margins of {company} with last year."),
            )
            .await;
            host.days(1);
        }
        alice.consolidate().await.unwrap();
        let digests = alice.digests().await.unwrap();
        let lines: Vec<&str> = digests
            .iter()
            .flat_map(|digest| &digest.lines)
            .map(|line| line.text.as_str())
            .collect();
        let told = lines
            .iter()
            .any(|line| line.starts_with("Comes up often") && line.contains("semiconductor"));
        assert!(told, "{}: {lines:?}", host.store);
    })
    .await;
}

#[tokio::test]
async fn episodes_are_recalled_on_demand_and_never_injected() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(
            &alice,
            "We looked at the earnings of Nvidia: margins were weak.",
        )
        .await;
        let session = alice.open_session().await.unwrap();
        assert!(!session.block().await.unwrap().contains("Nvidia"));
        session
            .push(Push::user("What did we say about Nvidia?"))
            .await
            .unwrap();
        let reply = call(
            &session,
            "recall_memories",
            json!({"query": "Nvidia earnings"}),
        )
        .await;
        assert!(
            reply.message.contains("margins were weak"),
            "{}",
            reply.message
        );
        let mut recall = Recall::new("Nvidia margins");
        recall.layer = Some(Layer::Episode);
        let found = alice.recall(recall).await.unwrap();
        assert_eq!(found[0].row.body.claim.layer, Layer::Episode);
        assert!(!found[0].row.body.claim.messages.is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_episode_that_facts_have_taken_up_is_ended() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "I work as a nurse.").await;
        let done = alice.consolidate().await.unwrap();
        assert_eq!(done.count(Settling::Promoted), 1, "{done:?}");
        assert_eq!(done.count(Settling::Absorbed), 1, "{done:?}");
        assert_eq!(
            alice.recall("nurse").await.unwrap().len(),
            1,
            "{}",
            host.store
        );
    })
    .await;
}

#[tokio::test]
async fn the_briefing_follows_the_tasks() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        let table = save(&alice, "task", "Watching for a table at the Blue Door").await;
        save(&alice, "task", "Comparing two flats").await;
        let briefing = async || {
            let digests = alice.digests().await.unwrap().into_iter();
            let mut briefings = digests.filter(|digest| digest.kind == DigestKind::Briefing);
            let lines = briefings
                .next()
                .map(|digest| digest.lines)
                .unwrap_or_default();
            lines.into_iter().map(|line| line.text).collect::<Vec<_>>()
        };
        assert_eq!(briefing().await[0], "2 things are under way");
        alice.complete(table).await.unwrap();
        assert_eq!(briefing().await, ["Comparing two flats"], "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn what_a_model_makes_up_never_gets_in() {
    let invented = || {
        answers([answer([
            add("User lives in Atlantis", "I live in Atlantis"),
            add("User has 3 children named Bo", "I work as a nurse"),
        ])])
    };
    on_every_store_with(
        Policy::personal(),
        invented,
        async |host, _: &ScriptedModel| {
            let alice = host.alice();
            said(&alice, "I work as a nurse.").await;
            alice.consolidate().await.unwrap();
            assert!(facts(&alice).await.is_empty(), "{}", host.store);
        },
    )
    .await;
}

#[tokio::test]
async fn every_fact_leads_back_to_the_chat_it_came_from() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "I work as a nurse.").await;
        alice.consolidate().await.unwrap();
        let rows = alice.list(Default::default()).await.unwrap().rows;
        let fact = rows
            .iter()
            .find(|row| row.body.claim.layer == Layer::Fact)
            .unwrap();
        assert_eq!(fact.body.claim.source, Source::Extracted);
        let tree = alice.lineage(fact.body.number).await.unwrap();
        assert_eq!(tree.row.quotes[0].quote, "I work as a nurse", "{tree}");
        assert!(tree.row.chat.is_some());
        let digests = tree
            .made_into
            .iter()
            .filter(|step| step.row.layer == Layer::Digest);
        assert_eq!(digests.count(), 1, "{}: {tree}", host.store);
    })
    .await;
}

#[tokio::test]
async fn preferences_fade_unless_they_are_said_again_and_facts_of_life_do_not() {
    let mut policy = Policy::personal();
    policy.categories[0].half_life_days = Some(180);
    on_every_store(policy, async |host| {
        let alice = host.alice();
        said(&alice, "I work as a nurse.").await;
        alice.consolidate().await.unwrap();
        let shows = async || alice.block().await.unwrap().text.contains("nurse");
        assert!(shows().await);
        host.days(700);
        assert!(!shows().await, "half of its life is over, twice");
        assert!(
            !alice.recall("nurse").await.unwrap().is_empty(),
            "recall still finds it"
        );
    })
    .await;
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "I work as a nurse.").await;
        alice.consolidate().await.unwrap();
        host.days(700);
        assert!(
            alice.block().await.unwrap().text.contains("nurse"),
            "{}",
            host.store
        );
    })
    .await;
}

#[tokio::test]
async fn the_user_reviews_what_is_known_and_acts_from_it() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "I work as a nurse.").await;
        alice.consolidate().await.unwrap();
        let review = alice.review().await.unwrap();
        assert!(
            review
                .new
                .iter()
                .any(|known| known.content.contains("nurse"))
        );
        assert!(review.to_markdown().contains("nurse"));
        alice.reviewed().await.unwrap();
        host.days(29);
        assert!(!alice.review().await.unwrap().is_due);
        host.days(2);
        assert!(alice.review().await.unwrap().is_due, "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn memory_is_files_of_markdown_that_a_person_can_edit() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        save(&alice, "profile", "Lives in Lyon").await;
        save(&alice, "procedure", "Wants mechanism, not reassurance").await;
        let mut files = alice.markdown_files(Reader::User).await.unwrap();
        assert!(
            files.iter().any(|file| file.name.contains("profile")),
            "{files:?}"
        );
        for file in &mut files {
            file.text = file.text.replace("Lives in Lyon", "Lives in Paris");
        }
        let report = alice
            .read_markdown(EditedMarkdown::new(files))
            .await
            .unwrap();
        assert_eq!(report.count(MarkdownFate::Updated), 1, "{report:?}");
        assert_eq!(
            facts(&alice).await,
            ["Lives in Paris", "Wants mechanism, not reassurance"],
            "{}",
            host.store
        );
        alice
            .undo(report.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        assert_eq!(facts(&alice).await[0], "Lives in Lyon");
    })
    .await;
}

#[tokio::test]
async fn the_past_can_be_asked_about() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        host.at("2026-01-10T10:00:00Z");
        let home = save(&alice, "profile", "Lives in Lyon").await;
        let then = keepmind::visibility::AsOf::now(host_now(host));
        host.at("2026-03-10T10:00:00Z");
        alice
            .update(Update::new(home, "Lives in Paris"))
            .await
            .unwrap();
        let mut asked = ContextRequest::new("Where do I live?");
        asked.as_of = Some(then);
        let context = alice.context(asked).await.unwrap();
        assert!(
            context.text.contains("Lyon") && !context.text.contains("Paris"),
            "{}",
            context.text
        );
        alice
            .observe(Observe::new("calendar", json!("moved house")))
            .await
            .unwrap();
    })
    .await;
}

fn host_now(host: &keepmind_tests::host::Host) -> keepmind::Timestamp {
    use keepmind::Clock as _;
    host.clock.now()
}
