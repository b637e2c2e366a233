//! The context of one message: what it is made from is read here, and put together in `recall`.

use std::collections::BTreeSet;

use crate::command::{ContextRequest, Recall};
use crate::engine::Engine;
use crate::engine::recalled::Recalled;
use crate::error::Error;
use crate::ids::{Number, SessionId};
use crate::inject;
use crate::memory::Layer;
use crate::message::Message;
use crate::owner::{Owner, Revision};
use crate::plan::{self, Objection};
use crate::recall::{
    self, Context, Fitting, Item, Material, Room, Sections, Tier, Used, assemble, recall_limit,
};
use crate::refusal::Refusal;
use crate::row::MemoryRow;
use crate::session::FrozenBlock;

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
        let (standing, rows) = self.at_one_moment(owner).await?;
        let room = self.room(asked);
        let lines: Vec<_> = rows.lines(policy, tokens).collect();
        let base = inject::baseline(
            &lines,
            policy,
            &standing.withdrawn,
            standing.now,
            talk.and_then(|talk| talk.frozen.as_ref()),
            room.of_baseline(),
            tokens,
        );
        let told: BTreeSet<Number> = base.rows.iter().map(|row| row.body.number).collect();
        let limit = recall_limit(policy, &asked.message);
        let hits = self
            .hits_for(owner, &asked.message, limit, told.len(), talk)
            .await?;
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
        let messages = talk.map_or(&[][..], |talk| &talk.messages);
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
        let used: BTreeSet<Item> = context.used.iter().map(|used| used.item).collect();
        let found = hits.iter().map(|hit| &hit.row);
        let facts = rows
            .iter()
            .chain(found)
            .filter(|row| row.body.claim.layer == Layer::Fact && used.contains(&item(row)));
        let lines = facts
            .filter_map(|row| inject::line(row, policy.block.style))
            .map(|line| inject::unmarked(&line).to_owned())
            .collect();
        Ok(Made {
            context,
            revision: standing.revision,
            lines,
        })
    }

    /// What fits a message: as many as it gets, and as many more as may be told anyway. A message that
    /// cannot be looked for finds nothing: it must not keep the chat from what is told always.
    async fn hits_for(
        &self,
        owner: &Owner,
        message: &str,
        limit: usize,
        told: usize,
        talk: Option<&Talk>,
    ) -> Result<Vec<Recalled>, Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let most = self.policy.limits.results as usize;
        let recall = Recall::new(message).limit((limit + told).min(most));
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
