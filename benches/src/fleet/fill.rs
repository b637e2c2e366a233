//! Filling a fleet: an owner's chats one after another, each with what was learned from it in one commit; many
//! owners at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use keepmind::{
    CountingIds, Draft, EntryHeader, Expected, FrozenBlock, Marks, MemoryStore, MessageNumber,
    NewMessage, Owner, Recap, Role, Session, SessionChange, SessionId, SessionStatus, Slice,
    Snapshot, Timestamp, Title, Utterance, Uuid, Who,
};

use crate::Result;
use crate::fleet::owners::Population;
use crate::fleet::shards::shard_of;
use crate::ours::claim;
use crate::workload::{self, Fact, Workload};

/// How many owners are filled at once.
const AT_ONCE: usize = 16;
/// Every fact has one version, this one.
pub const VERSION: u64 = 1;
/// How many facts the block of a chat tells at most.
const LINES: usize = 20;

/// Makes the owners in this range, each on its server.
pub async fn fill(
    stores: &[Arc<dyn MemoryStore>],
    workload: &Arc<Workload>,
    population: &Arc<Population>,
    owners: std::ops::Range<usize>,
) -> Result<()> {
    let next = Arc::new(AtomicUsize::new(owners.start));
    let mut tasks = Vec::new();
    for _ in 0..AT_ONCE {
        let (next, stores) = (Arc::clone(&next), stores.to_vec());
        let (workload, population) = (Arc::clone(workload), Arc::clone(population));
        tasks.push(tokio::spawn(async move {
            loop {
                let owner = next.fetch_add(1, Ordering::Relaxed);
                if owner >= owners.end {
                    return Ok::<(), String>(());
                }
                fill_owner(&stores, &workload, &population, owner).await?;
            }
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok(())
}

async fn fill_owner(
    stores: &[Arc<dyn MemoryStore>],
    workload: &Workload,
    population: &Population,
    index: usize,
) -> std::result::Result<(), String> {
    let told = |error: &dyn std::fmt::Display| format!("owner {index} cannot be filled: {error}");
    let owner = workload::owner(index).map_err(|error| told(&error))?;
    let store = &stores[shard_of(&owner, stores.len())];
    // Ids of an owner's own, those of the chats above those of the rows.
    let first = (index as u128 + 1) << 40;
    let mut ids = CountingIds::after(first);
    let mut known: Vec<String> = Vec::new();
    let mut number = 0;
    for (chat, facts) in population.chats(index).into_iter().enumerate() {
        let facts: Vec<Fact> = (0..facts)
            .map(|_| {
                number += 1;
                workload.fact(index, number, VERSION)
            })
            .collect();
        let at = workload::filled_at(chat as u64);
        let session = SessionId::new(Uuid::from_u128(first | 1 << 39 | chat as u128));
        let base = store.load(&owner, &Slice::default()).await;
        let base = base.map_err(|error| told(&error))?;
        let chat = Chat {
            session,
            at,
            facts: &facts,
            known: &known,
        };
        let done = chat.commit(store.as_ref(), &owner, &base, &mut ids).await;
        done.map_err(|error| told(&error))?;
        known.extend(facts.into_iter().map(|fact| fact.content));
    }
    Ok(())
}

/// A chat that is over, with what was learned from it.
struct Chat<'a> {
    session: SessionId,
    at: Timestamp,
    facts: &'a [Fact],
    /// What was known before.
    known: &'a [String],
}

impl Chat<'_> {
    async fn commit(
        &self,
        store: &dyn MemoryStore,
        owner: &Owner,
        base: &Snapshot,
        ids: &mut CountingIds,
    ) -> keepmind::Result<()> {
        let mut draft = Draft::new(base, self.at, ids)?;
        for fact in self.facts {
            let number = draft.new_number()?;
            let claim = claim(fact.clone(), draft.stamp());
            draft.insert_version(number, claim, Marks::default())?;
        }
        let others = draft.others();
        others.messages = self.messages();
        let session = self.closed(base.state().revision.count);
        others
            .sessions
            .insert(self.session, SessionChange::Open(session));
        let changes = draft.finish(EntryHeader::new(Who::Extractor, "learned from a chat"))?;
        let expected = Expected::At(base.state().revision);
        store.commit(owner, expected, changes.into()).await?;
        Ok(())
    }

    /// A greeting, then the facts, each with an answer.
    fn messages(&self) -> Vec<NewMessage> {
        let said = |role, content: String| NewMessage {
            session: self.session,
            place: None,
            utterance: Utterance::new(role, content, self.at),
        };
        let facts = self.facts.iter().map(|fact| fact.content.clone());
        std::iter::once("Hello, I would like to tell you something.".to_owned())
            .chain(facts)
            .flat_map(|words| {
                let answer = format!("I see: {words}");
                [said(Role::User, words), said(Role::Assistant, answer)]
            })
            .collect()
    }

    /// As a close leaves it.
    fn closed(&self, revision: u64) -> Session {
        let last = MessageNumber::new(2 * (self.facts.len() as u64 + 1));
        let lines = self.known.iter().rev().take(LINES);
        let lines: Vec<String> = lines.map(|line| format!("- {line}")).collect();
        let facts: Vec<&str> = self
            .facts
            .iter()
            .map(|fact| fact.content.as_str())
            .collect();
        let mut session = Session::open(self.session, self.at);
        session.status = SessionStatus::Idle;
        session.title = facts.first().map(|fact| Title {
            text: (*fact).to_owned(),
            by_user: false,
        });
        session.extracted_through = last;
        session.recap = last.map(|through| Recap {
            text: facts.join(" "),
            through,
        });
        session.block = Some(FrozenBlock {
            text: lines.join("\n"),
            revision,
            rows: Vec::new(),
        });
        session.served = lines.into_iter().collect();
        session
    }
}
