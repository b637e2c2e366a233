//! What a chat asks memory for: memories that fit, and all that a model is told with a message.

use crate::attempt::{Attempt, until_done};
use crate::change::{Expected, SessionEdit};
use crate::command::{ContextRequest, Recall};
use crate::engine::{FoundHit, Given, RecallStats, Recalled, Talk};
use crate::error::Result;
use crate::order::Gather;
use crate::recall::{Context, Tier, Used};
use crate::sessions::SessionHandle;

/// How many of the last messages are told where nobody says how many.
const RECENT_MESSAGES: u32 = 4;

impl SessionHandle {
    /// Live facts that fit, best first, as [`UserMemory::recall`](crate::UserMemory::recall) finds them.
    /// The same question again within the policy's `recall.cache_seconds` takes no search, unless something
    /// was written meanwhile.
    pub async fn recall(&self, recall: impl Into<Recall>) -> Result<Vec<Recalled>> {
        let recall = recall.into();
        let found = self
            .engine()
            .recall_in(&self.memory.owner, self.id, &recall);
        let found = self.memory.measured("recall", found).await;
        let hits = found.map_err(|objection| objection.into_error("recall"))?;
        self.told(hits.iter().map(|hit| hit.row.id));
        Ok(hits)
    }

    /// The same for an answer in JSON.
    pub(crate) async fn recall_as_json(&self, recall: &Recall) -> Result<Vec<FoundHit>> {
        let (owner, given) = (&self.memory.owner, Given::AsJson);
        let found = self.engine().find_hits_in(owner, self.id, recall, given);
        let found = self.memory.measured("recall", found).await;
        let hits = found.map_err(|objection| objection.into_error("recall"))?;
        self.told(hits.iter().map(|found| found.hit.row.id()));
        Ok(hits)
    }

    /// How often this chat recalled, here and for contexts, and how often that took no search.
    pub fn recall_stats(&self) -> RecallStats {
        self.engine().recall_stats(&self.memory.owner, self.id)
    }

    /// What to tell the model with a message, for a host that makes the prompt anew each time: what is told
    /// always, memories of the domains it speaks of, what fits it, and what was said last; within one
    /// budget, with what was left out and why.
    ///
    /// It begins with the memories of [`SessionHandle::block`], byte for byte as long as all of them are
    /// live and no rule has come since; then as a chat opened now would begin. Its
    /// [`prompt`](Context::prompt) takes the block's place in the system prompt.
    pub async fn context(&self, asked: impl Into<ContextRequest>) -> Result<Context> {
        let asked = asked.into();
        let making = self.make_context(&asked);
        let context = self.memory.measured("context", making).await?;
        self.engine().measures.count_context(context.tokens);
        // What is told always was told when the chat was opened.
        let is_new = |used: &&Used| used.tier != Tier::Baseline;
        let brought = context.used.iter().filter(is_new).filter_map(Used::row);
        self.told(brought);
        let always = context.memories();
        self.told(always.filter(|row| !self.shared.in_play.holds(*row)));
        Ok(context)
    }

    async fn make_context(&self, asked: &ContextRequest) -> Result<Context> {
        until_done("context", || async {
            let session = self.load().await?;
            let wanted = asked.recent_messages.unwrap_or(RECENT_MESSAGES) as usize;
            let messages = match wanted {
                0 => Vec::new(),
                // One more: the message itself may be the last.
                wanted => self.recent_messages(wanted.saturating_add(1)).await?,
            };
            let talk = Talk {
                session: self.id,
                frozen: session.block,
                messages,
            };
            let engine = self.engine();
            let made = engine
                .context(&self.memory.owner, asked, Some(&talk))
                .await?;
            if made.lines.is_subset(&session.served) {
                return Ok(Attempt::Done(made.context));
            }
            let served = session.served.union(&made.lines).cloned().gather();
            let edit = SessionEdit {
                served: Some(served),
                ..SessionEdit::default()
            };
            // It holds words of memories: not after a purge.
            let kept = self.edit(Expected::At(made.revision), edit).await;
            Ok(Attempt::of(kept)?.map(|()| made.context))
        })
        .await
    }
}
