//! One user's memory: the only door to data. Every method is an entry of the table of commands or queries.

use std::sync::Arc;

use time::UtcOffset;

use crate::command::{
    Accept, AsOfQuery, Behaviour, Changes, Command, Complete, Confirm, ConsentTo, ContextRequest,
    Forget, Forgotten, Get, History, Join, LineageOf, List, NoArguments, ObservationList, Observe,
    Observed, Propose, Purge, Query, Recall, Redo, Reject, Restore, Save, TimelineOf, Trash, Undo,
    Update, UsageList, UsedAs, Which, WhyQuery,
};
use crate::consent::Consent;
use crate::conversation::LocalTime;
use crate::engine::Engine;
use crate::engine::answer::{Answer, Fact, Feed, Memories};
use crate::engine::execute::Request;
use crate::engine::observing::Observations;
use crate::engine::recalled::{FoundHit, Given, Recalled};
use crate::error::{Error, Result};
use crate::event::{Outcome, UndoToken};
use crate::govern::{
    Health, LineageTree, Review, SessionUsage, Stats, Timeline, UsagePage, UserMetrics,
};
use crate::ids::{Number, RowId, SessionId};
use crate::inject::Block;
use crate::observation::Observation;
use crate::owner::Owner;
use crate::plan::{Entry, Objection};
use crate::proposal::Proposal;
use crate::recall::Context;
use crate::row::Row;
use crate::timestamp::Timestamp;
use crate::visibility::Visibility;

/// The memory of one user. Cheap to clone.
///
/// What a host calls here counts as the user's own word. What a model asks for goes through the tools
/// of a session, where it is held against what the user wrote.
#[derive(Debug, Clone)]
pub struct UserMemory {
    pub(crate) engine: Arc<Engine>,
    pub(crate) owner: Owner,
    pub(crate) local: LocalTime,
}

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident, $variant:ident, $type:ident;)+) => {$(
        $(#[$doc])*
        pub async fn $name(&self, target: impl Into<Which>) -> Result<Outcome> {
            self.execute(Command::$variant($type::new(target))).await
        }
    )+};
}

impl UserMemory {
    pub(super) fn new(engine: Arc<Engine>, owner: Owner) -> Self {
        UserMemory {
            engine,
            owner,
            local: LocalTime {
                offset: UtcOffset::UTC,
                before: None,
            },
        }
    }

    /// The same memory for a user whose clock is that many minutes ahead of UTC: what depends on a day
    /// (a deadline, "today") means theirs. At most 26 hours either way.
    pub fn at_offset(mut self, minutes: i32) -> Result<Self> {
        self.local.offset = offset(minutes, "at_offset")?;
        Ok(self)
    }

    /// The same memory for a user whose clock was that many minutes ahead of UTC until a moment: so that
    /// yesterday is yesterday also on the days when clocks are changed.
    pub fn with_offset_before(mut self, moment: Timestamp, minutes: i32) -> Result<Self> {
        self.local.before = Some((moment, offset(minutes, "with_offset_before")?));
        Ok(self)
    }

    /// Whose memory it is.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Runs any command, as the user's own word.
    pub async fn execute(&self, command: Command) -> Result<Outcome> {
        let request = Request {
            owner: &self.owner,
            command: &command,
            entry: Entry::Host,
            offset: self.local.offset,
            trace: None,
        };
        let done = self.measured(command.name(), self.engine.execute(request));
        done.await
            .map_err(|objection| objection.into_error(command.name()))
    }

    /// Answers any query.
    pub async fn query(&self, query: Query) -> Result<Answer> {
        let answer = self.engine.answer(&self.owner, &query);
        let answer = self.measured("query", answer).await;
        let answer = answer.map_err(failed("query"))?;
        if let Answer::Recalled { hits } = &answer {
            self.note_retrieved(None, hits.iter().map(|hit| hit.row.id));
        }
        Ok(answer)
    }

    /// The query `recall`, for an answer in JSON.
    pub(crate) async fn recall_as_json(&self, recall: &Recall) -> Result<Vec<FoundHit>> {
        let found = self.engine.find_hits(&self.owner, recall, Given::AsJson);
        let found = self.measured("query", found).await;
        let hits = found.map_err(failed("query"))?;
        self.note_retrieved(None, hits.iter().map(|found| found.hit.row.id()));
        Ok(hits)
    }

    /// Keeps a new fact.
    pub async fn save(&self, save: impl Into<Save>) -> Result<Outcome> {
        self.execute(Command::Save(save.into())).await
    }

    /// Supersedes a fact with a new version.
    pub async fn update(&self, update: Update) -> Result<Outcome> {
        self.execute(Command::Update(update)).await
    }

    commands! {
        /// Ends a fact; it is kept for audit and not learned again from the same words.
        forget, Forget, Forget;
        /// Re-affirms a fact: it reads as current and does not fade.
        confirm, Confirm, Confirm;
        /// A task is done.
        complete, Complete, Complete;
        /// Puts a fact in the trash.
        trash, Trash, Trash;
        /// Brings back a fact that was trashed or forgotten, as it was; not one whose time has run out since.
        restore, Restore, Restore;
        /// A fact is gone for good, all versions. Cannot be undone.
        purge, Purge, Purge;
    }

    /// Behaviour spoke for or against a fact.
    pub async fn observed(
        &self,
        target: impl Into<Which>,
        behaviour: Behaviour,
    ) -> Result<Outcome> {
        self.execute(Command::Observed(Observed::new(target, behaviour)))
            .await
    }

    /// Joins two facts.
    pub async fn link(
        &self,
        from: Number,
        to: Number,
        relation: impl Into<String>,
    ) -> Result<Outcome> {
        self.execute(Command::Link(Join::new(from, to, relation)))
            .await
    }

    /// Parts two facts.
    pub async fn unlink(
        &self,
        from: Number,
        to: Number,
        relation: impl Into<String>,
    ) -> Result<Outcome> {
        self.execute(Command::Unlink(Join::new(from, to, relation)))
            .await
    }

    /// Suggests something that waits for the user's word.
    pub async fn propose(&self, propose: Propose) -> Result<Outcome> {
        self.execute(Command::Propose(propose)).await
    }

    /// Accepts a proposal: exactly what it holds is stored, as the user's own word.
    pub async fn accept(&self, proposal: RowId) -> Result<Outcome> {
        self.execute(Command::Accept(Accept::new(proposal))).await
    }

    /// Accepts a proposal in the user's own words.
    pub async fn accept_as(&self, proposal: RowId, content: impl Into<String>) -> Result<Outcome> {
        self.execute(Command::Accept(Accept::new(proposal).content(content)))
            .await
    }

    /// Turns a proposal down.
    pub async fn reject(&self, proposal: RowId) -> Result<Outcome> {
        self.execute(Command::Reject(Reject::new(proposal))).await
    }

    /// Gives or withdraws consent for a domain of the policy.
    pub async fn consent(&self, domain: impl Into<String>, granted: bool) -> Result<Outcome> {
        self.execute(Command::Consent(ConsentTo::new(domain, granted)))
            .await
    }

    /// Takes a write back: all of it, or, once something it touched has changed again, nothing.
    pub async fn undo(&self, token: UndoToken) -> Result<Outcome> {
        self.execute(Command::Undo(Undo::new(token))).await
    }

    /// Takes an undo back. The token is that of the undo, or of the write that was undone.
    pub async fn redo(&self, token: UndoToken) -> Result<Outcome> {
        self.execute(Command::Redo(Redo::new(token))).await
    }

    /// A live fact with its links.
    pub async fn get(&self, target: impl Into<Which>) -> Result<Fact> {
        let get = Get::new(target);
        self.engine
            .get(&self.owner, &get)
            .await
            .map_err(failed("get"))
    }

    /// What a fact is to a reader now.
    pub async fn visibility(&self, target: impl Into<Which>) -> Result<Visibility> {
        let get = Get::new(target);
        let (_, visibility) = self
            .engine
            .visibility(&self.owner, &get)
            .await
            .map_err(failed("visibility"))?;
        Ok(visibility)
    }

    /// Facts by filter, page by page; live ones unless told otherwise.
    pub async fn list(&self, list: List) -> Result<Memories> {
        self.engine
            .list(&self.owner, &list)
            .await
            .map_err(failed("list"))
    }

    /// Every row of a fact, oldest first.
    pub async fn history(&self, target: impl Into<Which>) -> Result<Memories> {
        let history = History::new(target);
        self.engine
            .history(&self.owner, &history)
            .await
            .map_err(failed("history"))
    }

    /// What a memory was made from, down to the user's words and what the host saw, and what was made from it,
    /// up to digests. A fact is its live row, or its last; a row's full id names that row.
    pub async fn lineage(&self, target: impl Into<Which>) -> Result<LineageTree> {
        let asked = LineageOf::new(target);
        self.engine
            .lineage(&self.owner, &asked)
            .await
            .map_err(failed("lineage"))
    }

    /// A fact's life: its versions by when they were true, what happened to them and through whom, and what it
    /// used to be.
    pub async fn timeline(&self, target: impl Into<Which>) -> Result<Timeline> {
        let asked = TimelineOf::new(target);
        self.engine
            .timeline(&self.owner, &asked)
            .await
            .map_err(failed("timeline"))
    }

    /// What was forgotten or put in the trash and [`UserMemory::restore`] can bring back, the latest first, page by
    /// page: of each fact the row that would be as it was before. Where another fact holds the rule that one was,
    /// that must be ended first. It is for the user: also what consent was withdrawn for is there.
    pub async fn forgotten(&self, asked: Forgotten) -> Result<Memories> {
        self.engine
            .forgotten(&self.owner, &asked)
            .await
            .map_err(failed("forgotten"))
    }

    /// What was true at one moment, as known at another.
    pub async fn as_of(&self, question: AsOfQuery) -> Result<Memories> {
        self.engine
            .as_of(&self.owner, &question)
            .await
            .map_err(failed("as_of"))
    }

    /// Live facts by words, best first, also those that the block leaves out.
    pub async fn recall(&self, recall: impl Into<Recall>) -> Result<Vec<Recalled>> {
        let recall = recall.into();
        let found = self.engine.recall(&self.owner, &recall);
        let found = self.measured("recall", found).await;
        let hits = found.map_err(failed("recall"))?;
        self.note_retrieved(None, hits.iter().map(|hit| hit.row.id));
        Ok(hits)
    }

    /// What to tell a model with a message, outside of any chat; see
    /// [`SessionHandle::context`](crate::SessionHandle::context).
    pub async fn context(&self, asked: impl Into<ContextRequest>) -> Result<Context> {
        let asked = asked.into();
        let made = self.engine.context(&self.owner, &asked, None);
        let context = self.measured("context", made).await?.context;
        self.engine.measures.count_context(context.tokens);
        self.note_retrieved(None, context.memories());
        Ok(context)
    }

    /// What the next chat would begin with: what is known about the user that is loaded by itself.
    pub async fn block(&self) -> Result<Block> {
        let rendered = self.engine.render(&self.owner, &|_| false).await?;
        self.note_retrieved(None, rendered.block.rows.iter().copied());
        Ok(rendered.block)
    }

    /// Records what a fact was used for outside of any chat; see
    /// [`SessionHandle::used`](crate::SessionHandle::used).
    pub async fn used(&self, used: UsedAs) -> Result<()> {
        let noted = self
            .engine
            .use_of(&self.owner, None, &used, |_| false)
            .await;
        self.note([noted.map_err(failed("used"))?]);
        Ok(())
    }

    /// What was used in a chat, by memory: how, how often, and what it changed.
    pub async fn why(&self, session: SessionId) -> Result<SessionUsage> {
        self.engine
            .why(&self.owner, &WhyQuery::of(session))
            .await
            .map_err(failed("why"))
    }

    /// The usage ledger, page by page, oldest first.
    pub async fn usage(&self, list: UsageList) -> Result<UsagePage> {
        self.engine
            .usage(&self.owner, &list)
            .await
            .map_err(failed("usage"))
    }

    /// Keeps behaviour that the host saw: evidence for what is derived, and nothing more.
    pub async fn observe(&self, observe: Observe) -> Result<Observation> {
        self.engine
            .observe(&self.owner, observe)
            .await
            .map_err(failed("observe"))
    }

    /// What the host saw, page by page, oldest first.
    pub async fn observations(&self, list: ObservationList) -> Result<Observations> {
        self.engine
            .observations(&self.owner, &list)
            .await
            .map_err(failed("observations"))
    }

    /// How much is kept of this user: facts, proposals and chats, by what they are.
    pub async fn stats(&self) -> Result<Stats> {
        self.measured("stats", self.engine.stats(&self.owner)).await
    }

    /// How well the memory does: which share of proposals was accepted, and of memories used and cited.
    pub async fn metrics(&self) -> Result<UserMetrics> {
        self.measured("metrics", self.engine.user_metrics(&self.owner))
            .await
    }

    /// What wants a look: duplicates, contradictions, orphans, what is stale, looks like junk or takes much
    /// room, and what the block cannot hold. No model is asked.
    pub async fn health(&self) -> Result<Health> {
        self.measured("health", self.engine.health(&self.owner))
            .await
    }

    /// What is known, what is new since the last review and what is doubtful, each with what can be done about
    /// it. Looking is not reviewing: when the user is through, say so with [`UserMemory::reviewed`].
    pub async fn review(&self) -> Result<Review> {
        let made = self.measured("review", self.engine.review(&self.owner));
        made.await.map_err(failed("review"))
    }

    /// The user has looked through what is known: the next review is due the policy's days from now.
    pub async fn reviewed(&self) -> Result<Outcome> {
        self.execute(Command::Reviewed(NoArguments::default()))
            .await
    }

    /// Proposals that wait, oldest first; not those that waited when consent for their domain was withdrawn.
    pub async fn pending(&self) -> Result<Vec<Row<Proposal>>> {
        self.engine
            .pending(&self.owner)
            .await
            .map_err(failed("pending"))
    }

    /// The user's last word on each domain that there was one on, in order of domain.
    pub async fn consents(&self) -> Result<Vec<Consent>> {
        self.engine
            .consents(&self.owner)
            .await
            .map_err(failed("consents"))
    }

    /// What was written since a revision: the change feed.
    pub async fn changes(&self, changes: Changes) -> Result<Feed> {
        self.engine
            .changes(&self.owner, &changes)
            .await
            .map_err(failed("changes"))
    }

    /// Everything of this user is gone for good. True when there was anything.
    pub async fn erase(&self) -> Result<bool> {
        self.engine.erase(&self.owner).await
    }
}

fn offset(minutes: i32, operation: &'static str) -> Result<UtcOffset> {
    UtcOffset::from_whole_seconds(minutes.saturating_mul(60))
        .map_err(|_| Error::invalid(operation, "an offset is less than 26 hours"))
}

fn failed(operation: &'static str) -> impl FnOnce(Objection) -> Error {
    move |objection| objection.into_error(operation)
}
