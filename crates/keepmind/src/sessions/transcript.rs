//! What a chat's tool calls are held against: the user's words so far, and whether others stand there too.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::UserMemory;
use crate::error::Result;
use crate::ids::{MessageNumber, SessionId};
use crate::message::{Message, MessageOrigin, Role};
use crate::owner::Revision;
use crate::plan::{Said, Turn};
use crate::store::{MAX_LIMIT, MessageQuery, TraceQuery};

/// How much of what the user wrote is kept at hand; the oldest goes first.
const MOST_BYTES: usize = 1 << 20;

/// The chat as far as it was read.
#[derive(Debug)]
pub(super) struct Transcript {
    last: Option<MessageNumber>,
    pub turn: Arc<Turn>,
    bytes: usize,
    /// Calls that the library answered: its answers are not foreign text.
    pub own: BTreeMap<String, Own>,
    knows_calls: bool,
}

/// What counts as the library's answer to a call.
#[derive(Debug)]
pub(super) enum Own {
    /// Whatever is pushed for the call: the tool is the library's.
    Tool,
    /// Just these words: no tool of the library's has the name, and another tool may answer as well.
    Exactly(String),
}

impl Default for Transcript {
    fn default() -> Self {
        Transcript {
            last: None,
            turn: Arc::new(Turn {
                session: SessionId::new(uuid::Uuid::nil()),
                said: Vec::new(),
                untrusted: false,
            }),
            bytes: 0,
            own: BTreeMap::new(),
            knows_calls: false,
        }
    }
}

impl Transcript {
    /// Reads what was said since: messages are only ever appended, whoever wrote them. Returns where the
    /// owner's data stands.
    pub(super) async fn catch_up(
        &mut self,
        memory: &UserMemory,
        session: SessionId,
    ) -> Result<Revision> {
        if !self.knows_calls {
            Arc::make_mut(&mut self.turn).session = session;
            self.read_calls(memory, session).await?;
            self.knows_calls = true;
        }
        let mut is_fresh = false;
        loop {
            let query = MessageQuery {
                after_number: self.last,
                ..MessageQuery::of(session, MAX_LIMIT)
            };
            let store = &memory.engine.store;
            let page = store.messages(&memory.owner, &query).await?;
            for message in &page.items {
                // Another handle may have made the call; its record came with the answer.
                if !is_fresh && !self.turn.untrusted && self.is_foreign(message) {
                    self.read_calls(memory, session).await?;
                    is_fresh = true;
                }
                self.take(message);
            }
            if page.next.is_none() {
                return Ok(page.state.revision);
            }
        }
    }

    async fn read_calls(&mut self, memory: &UserMemory, session: SessionId) -> Result<()> {
        let mut after = None;
        loop {
            let query = TraceQuery {
                session: Some(session),
                limit: MAX_LIMIT,
                after,
            };
            let page = memory.engine.store.traces(&memory.owner, &query).await?;
            for trace in page.items {
                let own = match memory.engine.policy.tools.by_name(&trace.tool) {
                    Some(_) => Own::Tool,
                    None => Own::Exactly(trace.result),
                };
                self.own.entry(trace.key.call).or_insert(own);
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Whether a message holds words of somebody who is neither the speaker nor the library.
    fn is_foreign(&self, message: &Message) -> bool {
        let utterance = &message.utterance;
        let is_own = |call: &String| match self.own.get(call) {
            Some(Own::Tool) => true,
            Some(Own::Exactly(answer)) => utterance.content.trim() == answer.trim(),
            None => false,
        };
        match utterance.role {
            Role::User => {
                utterance.origin == MessageOrigin::Prefill || !utterance.untrusted.is_empty()
            }
            Role::Tool => utterance.calls.is_empty() || !utterance.calls.iter().all(is_own),
            Role::Assistant | Role::System => !utterance.untrusted.is_empty(),
        }
    }

    fn take(&mut self, message: &Message) {
        self.last = Some(message.number);
        let utterance = &message.utterance;
        let is_prefilled = utterance.origin == MessageOrigin::Prefill;
        let is_foreign = self.is_foreign(message);
        let turn = Arc::make_mut(&mut self.turn);
        turn.untrusted |= is_foreign;
        if utterance.role == Role::User && !is_prefilled {
            let said = Said::new(message.number, &utterance.content, &utterance.untrusted);
            self.bytes += said.len();
            turn.said.push(said);
            while self.bytes > MOST_BYTES && turn.said.len() > 1 {
                self.bytes -= turn.said.remove(0).len();
            }
        }
    }
}
