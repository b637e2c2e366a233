//! What a chat's tool calls are held against: the user's words so far, and whether others stand there too.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::engine::UserMemory;
use crate::error::Result;
use crate::ids::{MessageNumber, SessionId};
use crate::message::{MessageOrigin, Role, Utterance};
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
    /// Calls that the library answered and whose answers were not pushed yet: those are not foreign text.
    /// Some models count their calls anew in every turn, so that one id stands for several.
    own: BTreeMap<String, VecDeque<Own>>,
    /// The calls that are known, as their records name them.
    recorded: BTreeSet<String>,
    knows_calls: bool,
}

/// Parts a call's id from which of several calls of that id it is.
const REPEATED: char = '~';

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
            recorded: BTreeSet::new(),
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
                if !is_fresh && !self.turn.untrusted && self.is_foreign(&message.utterance) {
                    self.read_calls(memory, session).await?;
                    is_fresh = true;
                }
                self.take(message.number, &message.utterance);
            }
            if page.next.is_none() {
                return Ok(page.state.revision);
            }
        }
    }

    /// Takes a message that was just pushed, where it follows on what was read, and cuts what the user said:
    /// whoever calls a tool next waits for less. In a chat without calls nothing is taken.
    pub(super) fn hear(&mut self, number: MessageNumber, utterance: &Utterance) {
        let is_next = self.last.map_or(0, MessageNumber::get) + 1 == number.get();
        // What looks foreign may be the answer to a call of another handle: that is looked up first.
        let is_doubtful = !self.turn.untrusted && self.is_foreign(utterance);
        if self.knows_calls && is_next && !is_doubtful {
            self.take(number, utterance);
            if let (Role::User, Some(said)) = (utterance.role, self.turn.said.last()) {
                said.cut();
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
                self.answered(&trace.key.call, own);
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// A name for the record of a call with that id, which no other record of the chat has.
    pub(super) fn record_name(&self, call: &str) -> String {
        let mut name = call.to_owned();
        let mut times = 1;
        while self.recorded.contains(&name) {
            times += 1;
            name = format!("{call}{REPEATED}{times}");
        }
        name
    }

    /// The library answers a call: what is pushed for it next is its own.
    pub(super) fn answered(&mut self, record: &str, own: Own) {
        if self.recorded.insert(record.to_owned()) {
            let is_count = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let call = match record.rsplit_once(REPEATED) {
                Some((call, times)) if is_count(times) => call,
                _ => record,
            };
            self.own.entry(call.to_owned()).or_default().push_back(own);
        }
    }

    /// Whether a message holds words of somebody who is neither the speaker nor the library.
    fn is_foreign(&self, utterance: &Utterance) -> bool {
        let is_own = |call: &String| match self.own.get(call).and_then(VecDeque::front) {
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

    fn take(&mut self, number: MessageNumber, utterance: &Utterance) {
        self.last = Some(number);
        let is_prefilled = utterance.origin == MessageOrigin::Prefill;
        let is_foreign = self.is_foreign(utterance);
        if utterance.role == Role::Tool && !is_foreign {
            for call in &utterance.calls {
                self.own.get_mut(call).and_then(VecDeque::pop_front);
            }
        }
        let turn = Arc::make_mut(&mut self.turn);
        turn.untrusted |= is_foreign;
        if utterance.role == Role::User && !is_prefilled {
            let said = Said::new(number, &utterance.content, &utterance.untrusted);
            self.bytes += said.len();
            turn.said.push(said);
            while self.bytes > MOST_BYTES && turn.said.len() > 1 {
                self.bytes -= turn.said.remove(0).len();
            }
        }
    }
}
