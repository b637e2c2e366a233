//! The engine on a store, as a host has it: chats, tool calls, the block, undo.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use keepmind::command::Save;
use keepmind::policy::Tool;
use keepmind::store::{Filter, ListQuery, MAX_LIMIT};
use keepmind::{
    CountingIds, Keepmind, ManualClock, MemoryStore, Owner, Policy, Push, RowId, SessionHandle,
    Timestamp, ToolReply, UndoToken, UserMemory,
};
use serde_json::json;

use crate::Result;
use crate::operation::{Found, HITS};
use crate::ours::found;
use crate::workload::{self, Fact};

#[derive(Debug)]
pub struct Host {
    keepmind: Keepmind,
    clock: Arc<ManualClock>,
    save_tool: String,
    recall_tool: String,
    /// The chat of each owner that has one.
    chats: HashMap<Owner, SessionHandle>,
    /// What the rows of blocks are called.
    names: Mutex<HashMap<RowId, Found>>,
}

impl Host {
    /// An engine with the default policy, consent aside. Ids count up from `last_id`.
    pub fn new(store: Arc<dyn MemoryStore>, last_id: u128) -> Result<Self> {
        let clock = Arc::new(ManualClock::new(workload::read_at()));
        let mut policy = Policy::default();
        // The words are made up, and some look like those of a domain that needs consent: only one does
        // here that is in no words, so that they are looked for and nothing is refused.
        for domain in &mut policy.domains {
            (domain.sensitive, domain.opt_in) = (false, domain.name == "travel");
        }
        let keepmind = Keepmind::builder(store)
            .policy(policy)
            .clock(Arc::<ManualClock>::clone(&clock))
            .ids(CountingIds::after(last_id))
            .build()?;
        Ok(Host {
            save_tool: keepmind.policy().tool_name(Tool::Save),
            recall_tool: keepmind.policy().tool_name(Tool::Recall),
            keepmind,
            clock,
            chats: HashMap::new(),
            names: Mutex::default(),
        })
    }

    /// What follows is said in new chats: a chat that grows for ever is nobody's.
    pub fn leave_chats(&mut self) {
        self.chats.clear();
    }

    /// The store that the engine is on.
    pub fn store(&self) -> Arc<dyn MemoryStore> {
        Arc::clone(self.keepmind.store())
    }

    /// What is kept of an owner, at a moment.
    pub fn user(&self, owner: &Owner, at: Timestamp) -> Result<UserMemory> {
        self.clock.set(at);
        Ok(self.keepmind.user(owner.as_str())?)
    }

    /// The owner's chat, opened where there is none.
    pub async fn chat(&mut self, owner: &Owner, at: Timestamp) -> Result<SessionHandle> {
        self.clock.set(at);
        if let Some(chat) = self.chats.get(owner) {
            return Ok(chat.clone());
        }
        let user = self.keepmind.user(owner.as_str())?;
        let chat = user.open_session().await?;
        self.chats.insert(owner.clone(), chat.clone());
        Ok(chat)
    }

    /// The owner's chat, in which the user just said a fact.
    pub async fn said(
        &mut self,
        owner: &Owner,
        fact: &Fact,
        at: Timestamp,
    ) -> Result<SessionHandle> {
        let chat = self.chat(owner, at).await?;
        let words = format!("Please remember this: {}", fact.content);
        chat.push(Push::user(words)).await?;
        Ok(chat)
    }

    /// The model saves what was said.
    pub async fn tool_save(&self, chat: &SessionHandle, fact: &Fact) -> Result<()> {
        let arguments = json!({"content": fact.content, "category": fact.category});
        let reply = chat.call_tool(None, &self.save_tool, &arguments).await?;
        match reply.event {
            Some(_) if reply.codes.is_empty() => Ok(()),
            _ => Err(format!(
                "the save of {:?} was not done: {}",
                fact.content, reply.message
            )
            .into()),
        }
    }

    /// The model looks something up.
    pub async fn tool_recall(&self, chat: &SessionHandle, query: &str) -> Result<ToolReply> {
        let arguments = json!({"query": query, "limit": HITS});
        let reply = chat.call_tool(None, &self.recall_tool, &arguments).await?;
        match reply.is_error {
            false => Ok(reply),
            true => Err(format!("the recall was refused: {}", reply.message).into()),
        }
    }

    /// A save of the host's, and what takes it back.
    pub async fn save(&self, owner: &Owner, fact: &Fact, at: Timestamp) -> Result<UndoToken> {
        self.clock.set(at);
        let user = self.keepmind.user(owner.as_str())?;
        let saved = user
            .save(Save::new(&fact.content).category(fact.category))
            .await?;
        let token = saved.event.and_then(|event| event.undo);
        Ok(token.ok_or("the save cannot be undone")?)
    }

    pub async fn undo(&self, owner: &Owner, token: UndoToken) -> Result<()> {
        self.keepmind.user(owner.as_str())?.undo(token).await?;
        Ok(())
    }

    /// Renders the block that a chat would begin with now.
    pub async fn block(&self, owner: &Owner, at: Timestamp) -> Result<Vec<Found>> {
        self.clock.set(at);
        let user = self.keepmind.user(owner.as_str())?;
        let block = user.block().await?;
        std::hint::black_box(block.prompt());
        let known = |names: &HashMap<RowId, Found>| -> Option<Vec<Found>> {
            block.rows.iter().map(|id| names.get(id).copied()).collect()
        };
        let mut shown = known(&*self.names.lock().map_err(|_| "a reader panicked")?);
        if shown.is_none() {
            // Once for each owner: what the ids stand for, to compare answers by.
            let listed = self.names_of(owner).await?;
            let mut names = self.names.lock().map_err(|_| "a reader panicked")?;
            names.extend(listed);
            shown = known(&names);
        }
        let mut shown = shown.ok_or("the block shows a row that is not listed")?;
        shown.sort();
        Ok(shown)
    }

    async fn names_of(&self, owner: &Owner) -> Result<Vec<(RowId, Found)>> {
        let mut named = Vec::new();
        let mut query = ListQuery {
            filter: Filter::live(Timestamp::MIN),
            limit: MAX_LIMIT,
            after: None,
        };
        loop {
            let page = self.keepmind.store().list(owner, &query).await?;
            named.extend(page.items.iter().map(|row| (row.id, found(row))));
            query.after = page.next;
            if query.after.is_none() {
                return Ok(named);
            }
        }
    }
}
