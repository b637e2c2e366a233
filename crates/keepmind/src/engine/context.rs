//! The context of one message: what it is made from is read here, and put together in `recall`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::command::{ContextRequest, Recall};
use crate::engine::open_rows::Rows;
use crate::engine::recalled::Recalled;
use crate::engine::{Engine, Standing};
use crate::error::Error;
use crate::ids::{Number, RowId, SessionId};
use crate::inject;
use crate::memory::Layer;
use crate::message::Message;
use crate::order::Gather;
use crate::owner::{Owner, Revision};
use crate::plan::{self, Objection};
use crate::recall::{
    self, Context, Fitting, Item, Material, Room, Sections, Seen, Tier, Used, assemble,
    recall_limit,
};
use crate::refusal::Refusal;
use crate::row::MemoryRow;
use crate::session::FrozenBlock;
use crate::store::{Filter, Selection};
use crate::visibility::AsOf;

/// The chat that a context is for.
pub(crate) struct Talk {
    pub session: SessionId,
    /// What it begins with.
    pub frozen: Option<FrozenBlock>,
    /// What was said last.
    pub messages: Vec<Message>,
}

/// A context, and what a chat keeps of it.
pub(crate) struct Made {
    pub context: Context,
    /// Where the data stood.
    pub revision: Revision,
    /// The lines of facts in it: what the chat must not learn from.
    pub lines: BTreeSet<String>,
}

impl Engine {
    pub(crate) async fn context(
        &self,
        owner: &Owner,
        asked: &ContextRequest,
        talk: Option<&Talk>,
    ) -> Result<Made, Error> {
        let (policy, tokens) = (&self.policy, self.tokens.as_ref());
        let wanted = asked.domains.iter().map(|name| plan::domain(policy, name));
        let wanted: Result<Vec<&str>, Refusal> = wanted.collect();
        let wanted = wanted.map_err(|refusal| refusal.into_error("context"))?;
        let (standing, rows) = match asked.as_of {
            None => self.at_one_moment(owner).await?,
            Some(question) => self.at_moment(owner, question).await?,
        };
        let room = self.room(asked);
        let lines: Vec<_> = rows.lines(policy, tokens).collect();
        let mut base = inject::baseline(
            &lines,
            policy,
            &standing.withdrawn,
            standing.now,
            // What the chat has frozen is of its own time.
            talk.filter(|_| asked.as_of.is_none())
                .and_then(|talk| talk.frozen.as_ref()),
            room.of_baseline(),
            tokens,
        );
        let mut joined = BTreeSet::new();
        // Before anything was compiled there is nothing but the block.
        if !base.is_shrunk && rows.iter().any(|row| row.body.claim.layer == Layer::Digest) {
            let shown: Vec<&MemoryRow> = rows.iter().filter(|row| standing.shows(row)).collect();
            let told: BTreeSet<RowId> = base.rows.iter().map(|row| row.id).gather();
            let gists = plan::all_kept_in(shown.iter().copied());
            let chosen = plan::digests(&shown, policy, standing.now, tokens, &told, &gists);
            let most = room.of_baseline();
            let (added, lines) = inject::add_digests(&mut base.text, &chosen, policy, most, tokens);
            joined = lines;
            let is_added = |row: &MemoryRow| added.iter().any(|one| one.id == row.id);
            base.left_out.retain(|row| !is_added(row));
            base.rows.extend(added);
        }
        let told: BTreeSet<Number> = base.rows.iter().map(|row| row.body.number).gather();
        let limit = recall_limit(policy, &asked.message);
        let mut hits = self.hits_for(owner, asked, limit, told.len(), talk).await?;
        if let Some(question) = asked.as_of {
            let known: BTreeSet<Number> = rows.iter().map(|row| row.body.number).gather();
            hits.retain(|hit| known.contains(&hit.row.body.number));
            hits.iter_mut()
                .for_each(|hit| as_then(&mut hit.row, question));
        }
        let (hits, repeated) = without_repeats(hits);
        let found: Vec<Fitting<'_>> = hits.iter().map(fitting).collect();

        let mut domains = recall::domains(policy, &asked.message);
        for name in wanted {
            if !domains.contains(&name) {
                domains.push(name);
            }
        }
        let sections = Sections::new(policy, &domains);
        let (mut offers, mut turned_down) = recall::of_domains(
            rows.iter(),
            &sections,
            &found,
            policy,
            &standing.withdrawn,
            standing.now,
        );
        let (recalled, beyond) = recall::recalled(found, &sections, &told, limit);
        offers.extend(recalled);
        turned_down.extend(beyond);
        turned_down.extend(repeated.iter().map(|hit| recall::LeftOut {
            item: item(&hit.row),
            tier: Tier::Recalled,
            relevance: Some(hit.score),
            reason: recall::LeftOutReason::Duplicate,
        }));
        let mut messages = talk.map_or(&[][..], |talk| &talk.messages);
        let said_by_then: Vec<Message>;
        if let Some(question) = asked.as_of {
            let was_said = |message: &&Message| message.utterance.at <= question.known;
            said_by_then = messages.iter().filter(was_said).cloned().collect();
            messages = &said_by_then;
        }
        offers.extend(recall::said(messages, &sections, &asked.message));
        turned_down.extend(base.left_out.iter().map(|row| recall::LeftOut {
            item: item(row),
            tier: Tier::Baseline,
            relevance: None,
            reason: recall::LeftOutReason::Budget,
        }));
        let material = Material {
            baseline: base.text,
            is_full: base.is_shrunk,
            standing_in: base.rows.iter().map(|row| in_baseline(row)).collect(),
            title: format!("## {}\n", policy.block.title),
            headings: sections.headings,
            offers,
            turned_down,
        };
        let mut context = assemble(material, room, policy, tokens);
        context.standing = inject::standing_text(policy);
        context.domains = domains.into_iter().map(str::to_owned).collect();
        let used: BTreeSet<Item> = context.used.iter().map(|used| used.item).gather();
        let found = hits.iter().map(|hit| &hit.row);
        let facts = rows
            .iter()
            .chain(found)
            .filter(|row| row.body.claim.layer == Layer::Fact && used.contains(&item(row)));
        let lines = facts
            .filter_map(|row| inject::line(row, policy.block.style))
            .map(|line| inject::unmarked(&line).to_owned())
            .chain(joined)
            .gather();
        Ok(Made {
            context,
            revision: standing.revision,
            lines,
        })
    }

    /// Where an owner's data stood at a moment, and the rows that answered then, as they were: without those of
    /// facts that would not answer for the same time as it is known now, which are told to no model any more.
    async fn at_moment(
        &self,
        owner: &Owner,
        question: AsOf,
    ) -> Result<(Standing, Arc<Rows>), Error> {
        let standing = self.standing(owner).await?;
        let as_known = |known| {
            let question = AsOf { known, ..question };
            let mut filter = Filter::new(Selection::AsOf { question });
            filter.excluded_domains.clone_from(&standing.withdrawn);
            filter
        };
        let then = self.rows(owner, as_known(question.known)).await?;
        let now = self.rows(owner, as_known(standing.now)).await?;
        let stands: BTreeSet<Number> = now.iter().map(|row| row.body.number).gather();
        let mut rows = then;
        rows.retain(|row| stands.contains(&row.body.number));
        rows.iter_mut().for_each(|row| as_then(row, question));
        let standing = Standing {
            now: question.valid,
            ..standing
        };
        Ok((standing, Arc::new(Rows::from(rows))))
    }

    /// What fits a message: as many as it gets, and as many more as may be told anyway. A message that
    /// cannot be looked for finds nothing: it must not keep the chat from what is told always.
    async fn hits_for(
        &self,
        owner: &Owner,
        asked: &ContextRequest,
        limit: usize,
        told: usize,
        talk: Option<&Talk>,
    ) -> Result<Vec<Recalled>, Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let most = self.policy.limits.results as usize;
        let recall = Recall {
            as_of: asked.as_of,
            ..Recall::new(&asked.message).limit((limit + told).min(most))
        };
        let found = match talk {
            Some(talk) => self.recall_in(owner, talk.session, &recall).await,
            None => self.recall(owner, &recall).await,
        };
        match found {
            Ok(hits) => Ok(hits),
            Err(Objection::Refused(_)) => Ok(Vec::new()),
            Err(Objection::Failed(error)) => Err(error),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a window of tokens"
    )]
    fn room(&self, asked: &ContextRequest) -> Room {
        let window = asked
            .window
            .unwrap_or(self.policy.compression.context_budget);
        let memories = (f64::from(window) * self.policy.recall.window_share) as usize;
        Room {
            budget: asked.budget.map_or(memories, |budget| budget as usize),
            memories,
        }
    }
}

/// The hits, and apart from them the episodes that say nothing that a fact among them does not.
fn without_repeats(hits: Vec<Recalled>) -> (Vec<Recalled>, Vec<Recalled>) {
    let all: Vec<Seen<'_>> = hits
        .iter()
        .map(|hit| Seen {
            layer: hit.row.body.claim.layer,
            session: hit.row.body.claim.session,
            matched: &hit.matched,
        })
        .collect();
    let repeats: Vec<bool> = (0..all.len())
        .map(|place| recall::repeated(&all, place).is_some())
        .collect();
    let (repeated, kept): (Vec<_>, Vec<_>) = hits.into_iter().zip(repeats).partition(|(_, is)| *is);
    let bare = |hits: Vec<(Recalled, bool)>| hits.into_iter().map(|(hit, _)| hit).collect();
    (bare(kept), bare(repeated))
}

/// A row that answers a question about the past as it stood then. How sure it was is not kept with it.
fn as_then(row: &mut MemoryRow, question: AsOf) {
    row.end = None;
    let confirmed = &mut row.marks.last_confirmed_at;
    *confirmed = confirmed.filter(|at| *at <= question.known);
}

fn item(row: &MemoryRow) -> Item {
    Item::Memory {
        number: row.body.number,
        row: row.id,
    }
}

fn in_baseline(row: &MemoryRow) -> Used {
    Used {
        item: item(row),
        tier: Tier::Baseline,
        relevance: None,
        why: "told always".to_owned(),
    }
}

fn fitting(hit: &Recalled) -> Fitting<'_> {
    Fitting {
        row: &hit.row,
        relevance: hit.score,
        why: hit.why(),
    }
}
