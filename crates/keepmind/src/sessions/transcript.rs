//! What a chat's tool calls are held against: the user's words so far, and whether others stand there too.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::UserMemory;
use crate::error::Result;
use crate::ids::{MessageNumber, SessionId};
use crate::message::{Message, MessageOrigin, Role};
use crate::plan::{Said, Turn};
use crate::store::{MAX_LIMIT, MessageQuery, TraceQuery};

/// How much of what the user wrote is kept at hand; the oldest goes first.
const MOST_BYTES: usize = 8 << 20;

/// The chat as far as it was read.
#[derive(Debug)]
pub(super) struct Transcript {
    last: Option<MessageNumber>,
    pub turn: Arc<Turn>,
    bytes: usize,
    /// Calls of the library's own tools: their answers are not foreign text.
    pub own_calls: BTreeSet<String>,
    knows_calls: bool,
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
            own_calls: BTreeSet::new(),
            knows_calls: false,
        }
    }
}

impl Transcript {
    /// Reads what was said since: messages are only ever appended, whoever wrote them.
    pub(super) async fn catch_up(&mut self, memory: &UserMemory, session: SessionId) -> Result<()> {
        let store = &memory.engine.store;
        if !self.knows_calls {
            Arc::make_mut(&mut self.turn).session = session;
            let mut after = None;
            loop {
                let query = TraceQuery {
                    session: Some(session),
                    limit: MAX_LIMIT,
                    after,
                };
                let page = store.traces(&memory.owner, &query).await?;
                let tools = &memory.engine.policy.tools;
                let own = page
                    .items
                    .into_iter()
                    .filter(|trace| tools.by_name(&trace.tool).is_some());
                self.own_calls.extend(own.map(|trace| trace.key.call));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            self.knows_calls = true;
        }
        loop {
            let query = MessageQuery {
                after_number: self.last,
                ..MessageQuery::of(session, MAX_LIMIT)
            };
            let page = store.messages(&memory.owner, &query).await?;
            for message in &page.items {
                self.take(message);
            }
            if page.next.is_none() {
                return Ok(());
            }
        }
    }

    fn take(&mut self, message: &Message) {
        self.last = Some(message.number);
        let utterance = &message.utterance;
        let is_prefilled = utterance.origin == MessageOrigin::Prefill;
        let is_foreign = match utterance.role {
            Role::User => is_prefilled || !utterance.untrusted.is_empty(),
            Role::Tool => {
                utterance.calls.is_empty()
                    || !utterance
                        .calls
                        .iter()
                        .all(|call| self.own_calls.contains(call))
            }
            Role::Assistant | Role::System => !utterance.untrusted.is_empty(),
        };
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
