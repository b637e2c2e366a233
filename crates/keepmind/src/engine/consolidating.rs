//! Consolidating: what is new is gathered with what is like it, then one plan and one commit; then the digests
//! are made anew where what they cite has changed, with the lines of a model where there is one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use time::UtcOffset;

use crate::attempt::{Attempt, until_done};
use crate::change::{Expected, Slice};
use crate::consolidated::{Consolidated, Settled};
use crate::digest::Digest;
use crate::engine::condensing::Asked;
use crate::engine::known::Known;
use crate::engine::open_rows::Rows;
use crate::engine::{Engine, Standing, UserMemory};
use crate::error::{ErrorKind, Result};
use crate::event::MemoryEvent;
use crate::ids::{GroupId, RowId};
use crate::memory::{Evidence, Layer};
use crate::order::Gather;
use crate::owner::{Owner, Revision};
use crate::plan::learn::Near;
use crate::plan::{
    self, Answered, Choice, Chosen, Compiled, DigestsDue, Gathered, Gists, Pattern, Sighting,
    Subject,
};
use crate::row::MemoryRow;
use crate::store::ObservationQuery;
use crate::timestamp::Timestamp;

const CONSOLIDATE: &str = "consolidate";

/// How many rows one consolidation looks at; the next one goes on.
const MOST_SUBJECTS: usize = 1_000;
/// For how long it is asked of an episode whether facts say all of it: what they do not say within days they
/// never will, and there are ever more episodes.
const RECENT: Duration = Duration::from_secs(7 * 86_400);
/// How many observations are looked through for what recurs, the newest.
const MOST_OBSERVATIONS: usize = 20_000;
/// How many of them are held at a time: a payload may be long.
pub(super) const OBSERVATIONS_AT_A_TIME: usize = 500;

/// Why a consolidation is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occasion {
    /// Somebody wants it now.
    Asked,
    /// It was due: not any more where another process was faster.
    Due,
}

impl UserMemory {
    /// Makes one memory of many: candidates are believed or let go, what says the same becomes one, what
    /// cannot be true together is settled or asked, what behaviour repeats becomes a habit, and digests are
    /// compiled.
    ///
    /// Of what the host saw, the latest 20,000 observations are looked through.
    ///
    /// All of that is code's. A model, where one is plugged in, is asked once for lines that join facts of a
    /// digest, and only where a digest has changed; a line that says anything but what the rows say that it
    /// cites is refused, and reported without its words.
    ///
    /// What the user said on purpose is never touched. Everything is one step: the event's token takes all of
    /// it back, and what was taken back is not done again before somebody says it anew. The sweep does this
    /// by itself when the policy says it is due.
    pub async fn consolidate(&self) -> Result<Consolidated> {
        self.consolidate_on(Occasion::Asked).await
    }

    /// The same, unless somebody else does it first: then nothing is left to do.
    pub(crate) async fn consolidate_while_due(&self) -> Result<Consolidated> {
        self.consolidate_on(Occasion::Due).await
    }

    async fn consolidate_on(&self, occasion: Occasion) -> Result<Consolidated> {
        let offset = self.local.offset;
        let done = self.engine.consolidate(&self.owner, offset, occasion);
        self.measured(CONSOLIDATE, done).await
    }

    /// What is known, in short: the profile card, how to help, what is under way, and a digest of each domain.
    ///
    /// Made from what is live right now, so nothing that has ended is in it. Every line cites its facts.
    pub async fn digests(&self) -> Result<Vec<Digest>> {
        self.engine.digests(&self.owner).await
    }
}

impl Engine {
    async fn consolidate(
        &self,
        owner: &Owner,
        offset: UtcOffset,
        occasion: Occasion,
    ) -> Result<Consolidated> {
        let group = GroupId::new(self.new_id());
        let settled = {
            let _queue = self.queue(owner).await;
            Box::pin(self.settle(owner, offset, group, occasion)).await?
        };
        let Some((settled, event)) = settled else {
            return Ok(Consolidated::default());
        };
        let mut done = Consolidated {
            settled,
            event,
            ..Consolidated::default()
        };
        match self.condense(owner, offset, group, &mut done).await {
            Ok(()) => Ok(done),
            // What was written is told: nobody else has the token that takes it back.
            Err(error) if done.event.is_some() => Ok(Consolidated {
                failed: Some(error),
                ..done
            }),
            Err(error) => Err(error),
        }
    }

    /// Compiles digests, with the lines of a model where there is one.
    async fn condense(
        &self,
        owner: &Owner,
        offset: UtcOffset,
        group: GroupId,
        done: &mut Consolidated,
    ) -> Result<()> {
        // Nobody waits for a model: what changes meanwhile, its lines no longer speak of.
        let asked = self.lines_for(owner).await?;
        let answered = match &asked {
            Asked::Answered(answered) => Some(answered),
            Asked::Nobody | Asked::InVain => None,
        };
        done.model_failed = matches!(asked, Asked::InVain);
        let _queue = self.queue(owner).await;
        let (more, compiled) = self.compile(owner, offset, group, answered).await?;
        done.settled.extend(more);
        done.event = done.event.take().or(compiled);
        Ok(())
    }

    pub(crate) async fn digests(&self, owner: &Owner) -> Result<Vec<Digest>> {
        let standing = self.standing(owner).await?;
        let (rows, _) = self.open_rows(owner, standing.revision).await?;
        let shown = made_from(&rows, &standing);
        let gists = plan::all_kept_in(shown.iter().copied());
        let chosen = self.chosen(&shown, &standing, &gists);
        Ok(chosen.into_iter().map(|one| one.digest).collect())
    }

    /// Nothing where it was due and is not any more.
    async fn settle(
        &self,
        owner: &Owner,
        offset: UtcOffset,
        group: GroupId,
        occasion: Occasion,
    ) -> Result<Option<(Vec<Settled>, Option<MemoryEvent>)>> {
        let done = until_done(CONSOLIDATE, || async {
            let standing = self.standing(owner).await?;
            let (rows, revision) = self.open_rows(owner, standing.revision).await?;
            if revision != standing.revision {
                return Ok(Attempt::Overtaken);
            }
            let last = self.looked_at(owner, &standing).await?;
            let last = last.as_ref();
            if occasion == Occasion::Due && !self.is_due_after(owner, last, &standing).await? {
                return Ok(Attempt::Done(None));
            }
            let is_new = |row: &&MemoryRow| last.is_none_or(|last| last.is_before(row));
            let is_shown = |row: &&MemoryRow| standing.shows(row);
            let facts: Vec<&MemoryRow> = rows.of(Layer::Fact).filter(is_shown).collect();
            let recent = standing.now.saturating_sub(RECENT);
            let episodes: Vec<&MemoryRow> = rows
                .of(Layer::Episode)
                .filter(|row| row.recorded_at > recent && is_new(row) && is_shown(row))
                .collect();
            let held = self.held(owner, &standing).await?;
            let Choice { rows, through } = plan::choose(&held, &facts, last, MOST_SUBJECTS);
            let subjects = subjects(&rows, &facts, &held);
            let patterns = self.recurring(owner, &standing, offset).await?;
            let gathered = Gathered {
                subjects: &subjects,
                patterns: &patterns,
                episodes: &episodes,
                facts: &facts,
                group,
                through,
                is_new: self.is_worth_noting(owner, last, &held, &standing).await?,
            };
            let seen = self
                .load(owner, &plan::reads_consolidation(gathered))
                .await?;
            if seen.state().revision != standing.revision {
                return Ok(Attempt::Overtaken);
            }
            let now = self.now();
            let mut ids = self.plan_ids(now);
            let planned = plan::consolidate(gathered, &self.policy, &seen, (now, offset), &mut ids);
            let planned = planned.map_err(|objection| objection.into_error(CONSOLIDATE))?;
            let Some((changes, mut event)) = planned.written else {
                return Ok(Attempt::Done(Some((planned.settled, None))));
            };
            let changes = Arc::new(changes);
            let expected = Expected::At(standing.revision);
            match self.commit(owner, expected, &changes).await {
                Ok(receipt) => {
                    self.moved_on(owner, standing.revision, &changes, receipt.revision);
                    if let Some(event) = &mut event {
                        event.revision = receipt.revision;
                    }
                    Ok(Attempt::Done(Some((
                        planned.settled,
                        Some((changes, event)),
                    ))))
                }
                Err(error) if error.kind() == ErrorKind::Conflict => Ok(Attempt::Overtaken),
                Err(error) => Err(error),
            }
        })
        .await?;
        Ok(match done {
            None => None,
            Some((settled, None)) => Some((settled, None)),
            Some((settled, Some((changes, event)))) => {
                self.embed_rest(owner, &changes).await;
                Some((settled, event))
            }
        })
    }

    /// What recurs in what the host saw lately, with the facts that say so or did.
    async fn recurring(
        &self,
        owner: &Owner,
        standing: &Standing,
        offset: UtcOffset,
    ) -> Result<Vec<(Pattern, Near)>> {
        if !self.policy.consolidation.observations {
            return Ok(Vec::new());
        }
        let seen = self.seen_lately(owner, standing.now).await?;
        let mut found = Vec::new();
        for pattern in plan::patterns(seen, &self.policy.grades, offset) {
            let near = self.near_text(owner, &pattern.content, standing).await?;
            found.push((pattern, near));
        }
        Ok(found)
    }

    /// What the host saw for as long as a candidate waits, in words: the latest of it, where it is much.
    async fn seen_lately(&self, owner: &Owner, now: Timestamp) -> Result<Vec<Sighting>> {
        let days = u64::from(self.policy.grades.candidate_days);
        let most = self.policy.limits.content_characters as usize;
        let mut query = ObservationQuery {
            from: Some(now.saturating_sub(Duration::from_secs(days * 86_400))),
            // A clock that went back leaves behind what has not happened yet.
            until: now.next(),
            newest_first: true,
            ..ObservationQuery::all(OBSERVATIONS_AT_A_TIME)
        };
        let mut seen = Vec::new();
        for _ in 0..MOST_OBSERVATIONS / OBSERVATIONS_AT_A_TIME {
            let page = self.store.observations(owner, &query).await?;
            seen.extend(page.items.iter().filter_map(|one| Sighting::of(one, most)));
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        Ok(seen)
    }

    /// Whether compiling would change anything.
    pub(super) async fn is_compiling_due(&self, owner: &Owner) -> Result<bool> {
        let standing = self.standing(owner).await?;
        let (rows, _) = self.open_rows(owner, standing.revision).await?;
        let shown = made_from(&rows, &standing);
        let gists = plan::all_kept_in(shown.iter().copied());
        let chosen = self.chosen(&shown, &standing, &gists);
        let open: Vec<&MemoryRow> = rows.of(Layer::Digest).collect();
        Ok(!DigestsDue::of(&open, &chosen).is_nothing())
    }

    fn chosen<'r>(
        &self,
        shown: &[&'r MemoryRow],
        standing: &Standing,
        gists: &Gists,
    ) -> Vec<Chosen<'r>> {
        let told = BTreeSet::<RowId>::new();
        let tokens = self.tokens.as_ref();
        plan::digests(shown, &self.policy, standing.now, tokens, &told, gists)
    }

    async fn compile(
        &self,
        owner: &Owner,
        offset: UtcOffset,
        group: GroupId,
        answered: Option<&Answered>,
    ) -> Result<(Vec<Settled>, Option<MemoryEvent>)> {
        until_done(CONSOLIDATE, || async {
            let planned = self.plan_digests(owner, offset, group, answered).await?;
            let Some((revision, compiled)) = planned else {
                return Ok(Attempt::Overtaken);
            };
            let settled = compiled.settled;
            let Some((changes, mut event)) = compiled.written else {
                return Ok(Attempt::Done((settled, None)));
            };
            let changes = Arc::new(changes);
            match self.commit(owner, Expected::At(revision), &changes).await {
                Ok(receipt) => {
                    self.moved_on(owner, revision, &changes, receipt.revision);
                    event.revision = receipt.revision;
                    Ok(Attempt::Done((settled, Some(event))))
                }
                Err(error) if error.kind() == ErrorKind::Conflict => Ok(Attempt::Overtaken),
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// The digests as they should be, with a model's lines or those they have; nothing where somebody wrote
    /// between.
    async fn plan_digests(
        &self,
        owner: &Owner,
        offset: UtcOffset,
        group: GroupId,
        answered: Option<&Answered>,
    ) -> Result<Option<(Revision, Compiled)>> {
        let standing = self.standing(owner).await?;
        let (rows, revision) = self.open_rows(owner, standing.revision).await?;
        if revision != standing.revision {
            return Ok(None);
        }
        let shown = made_from(&rows, &standing);
        let (policy, tokens) = (&self.policy, self.tokens.as_ref());
        let now = self.now();
        let mut ids = self.plan_ids(now);
        let (gists, refused) = match answered {
            None => (plan::all_kept_in(shown.iter().copied()), Vec::new()),
            Some(answered) => {
                let slice = Slice {
                    consents: true,
                    ..Slice::default()
                };
                let seen = self.load(owner, &slice).await?;
                let plugged = (policy, tokens);
                let moment = (now, offset);
                plan::judge_lines(answered, &shown, plugged, &seen, moment, &mut ids)
                    .map_err(|objection| objection.into_error(CONSOLIDATE))?
            }
        };
        let chosen = self.chosen(&shown, &standing, &gists);
        let open: Vec<&MemoryRow> = rows.of(Layer::Digest).collect();
        let due = DigestsDue::of(&open, &chosen);
        let mut compiled = if due.is_nothing() {
            Compiled {
                written: None,
                settled: Vec::new(),
            }
        } else {
            let seen = self.load(owner, &due.reads()).await?;
            if seen.state().revision != standing.revision {
                return Ok(None);
            }
            due.compile(group, &seen, now, &mut ids)
                .map_err(|objection| objection.into_error(CONSOLIDATE))?
        };
        compiled.settled.splice(0..0, refused);
        Ok(Some((standing.revision, compiled)))
    }
}

/// Rows that are to be settled, each with the facts and candidates that are like it.
fn subjects(rows: &[&MemoryRow], facts: &[&MemoryRow], held: &[MemoryRow]) -> Vec<Subject> {
    let facts = Known::of(facts.iter().copied());
    let held = Known::of(held.iter());
    let like = |row: &MemoryRow| {
        let terms = Known::terms(&row.body.claim.content);
        let mut by_words = facts.near(&terms);
        by_words.extend(held.near(&terms));
        Near {
            by_words,
            ..Near::default()
        }
    };
    let chat = |piece: &Evidence| match piece {
        Evidence::Quote { session, .. } => Some(*session),
        _ => None,
    };
    let subject = |row: &&MemoryRow| Subject {
        number: row.body.number,
        row: row.id,
        near: like(row),
        chats: row.body.claim.evidence.iter().filter_map(chat).gather(),
    };
    rows.iter().map(subject).collect()
}

/// The rows that digests are made from, as far as they may be shown: facts, what came up lately, and the lines that
/// digests have.
pub(super) fn made_from<'r>(rows: &'r Rows, standing: &Standing) -> Vec<&'r MemoryRow> {
    let since = plan::recent(standing.now);
    let is_recent = |row: &&MemoryRow| row.body.claim.valid_from >= since;
    let lasting = rows.of(Layer::Fact).chain(rows.of(Layer::Digest));
    lasting
        .chain(rows.of(Layer::Episode).filter(is_recent))
        .filter(|row| standing.shows(row))
        .collect()
}
