//! Answering queries: what is read, and in which words a host gets it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::change::Slice;
use crate::command::{AsOfQuery, Changes, Get, History, List, Query};
use crate::consent::Consent;
use crate::engine::Engine;
use crate::engine::findings::Among;
use crate::engine::observing::Observations;
use crate::engine::recalled::Recalled;
use crate::govern::{
    Health, LineageTree, Review, SessionUsage, Stats, Timeline, UsagePage, UserMetrics,
};
use crate::ids::Number;
use crate::journal::JournalEntry;
use crate::link::Link;
use crate::order::Gather;
use crate::owner::{Owner, Revision};
use crate::plan::{self, Objection};
use crate::proposal::Proposal;
use crate::refusal::{Code, Refusal};
use crate::row::{MemoryRow, Row};
use crate::store::{Cursor, Filter, ListQuery, Selection};
use crate::visibility::{AsOf, Status, Visibility, visibility};

/// What a query is answered with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// One fact.
    Fact(Box<Fact>),
    /// What a fact is to a reader now.
    Visibility {
        /// Which fact.
        number: Number,
        /// What it is.
        visibility: Visibility,
    },
    /// A page of memories.
    Memories(Memories),
    /// What a memory was made from, and what was made from it.
    Lineage {
        /// The rows.
        tree: Box<LineageTree>,
        /// The same, drawn for people.
        text: String,
    },
    /// A fact's life.
    Timeline {
        /// Its versions and what happened to them.
        timeline: Box<Timeline>,
        /// The same, drawn for people.
        text: String,
    },
    /// What was found, best first.
    Recalled {
        /// The hits.
        hits: Vec<Recalled>,
    },
    /// Proposals that wait, oldest first.
    Pending {
        /// The proposals.
        proposals: Vec<Row<Proposal>>,
    },
    /// The user's last word on each domain that there was one on.
    Consents {
        /// In order of domain.
        consents: Vec<Consent>,
    },
    /// What was written.
    Changes(Feed),
    /// What was used in a chat.
    Why(SessionUsage),
    /// A page of the usage ledger.
    Usage(UsagePage),
    /// What the host saw.
    Observations(Observations),
    /// How much is kept.
    Stats(Box<Stats>),
    /// How well the memory does.
    Metrics(Box<UserMetrics>),
    /// What wants a look.
    Health(Box<Health>),
    /// What is known, what is new and what is doubtful.
    Review {
        /// All of it, with what can be done about each.
        review: Box<Review>,
        /// The same as a page for people.
        markdown: String,
    },
}

/// A fact as it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Fact {
    /// Its live row.
    pub row: MemoryRow,
    /// The links between it and other live facts.
    pub links: Vec<Link>,
}

/// A page of memories, in order of number and version unless the query says another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Memories {
    /// The rows.
    pub rows: Vec<MemoryRow>,
    /// Where it ended, when there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Cursor>,
    /// Where the owner's data stood when it was read.
    pub revision: Revision,
}

/// What was written since a revision.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Feed {
    /// The entries, oldest first.
    pub entries: Vec<JournalEntry>,
    /// What to ask with the next time.
    pub next: Revision,
    /// The owner was erased since: what a host had kept of it is void, and the entries begin anew.
    pub restarted: bool,
}

impl Engine {
    pub(crate) async fn answer(&self, owner: &Owner, query: &Query) -> Result<Answer, Objection> {
        Ok(match query {
            Query::Get(get) => Answer::Fact(Box::new(self.get(owner, get).await?)),
            Query::Visibility(get) => {
                let (number, visibility) = self.visibility(owner, get).await?;
                Answer::Visibility { number, visibility }
            }
            Query::List(list) => Answer::Memories(self.list(owner, list).await?),
            Query::History(history) => Answer::Memories(self.history(owner, history).await?),
            Query::Lineage(asked) => {
                let tree = self.lineage(owner, asked).await?;
                let text = tree.to_string();
                Answer::Lineage {
                    tree: Box::new(tree),
                    text,
                }
            }
            Query::Timeline(asked) => {
                let timeline = self.timeline(owner, asked).await?;
                let text = timeline.to_string();
                Answer::Timeline {
                    timeline: Box::new(timeline),
                    text,
                }
            }
            Query::Forgotten(asked) => Answer::Memories(self.forgotten(owner, asked).await?),
            Query::AsOf(question) => Answer::Memories(self.as_of(owner, question).await?),
            Query::Recall(recall) => Answer::Recalled {
                hits: self.recall(owner, recall).await?,
            },
            Query::Pending(_) => Answer::Pending {
                proposals: self.pending(owner).await?,
            },
            Query::Consents(_) => Answer::Consents {
                consents: self.consents(owner).await?,
            },
            Query::Changes(changes) => Answer::Changes(self.changes(owner, changes).await?),
            Query::Why(query) => Answer::Why(self.why(owner, query).await?),
            Query::Usage(list) => Answer::Usage(self.usage(owner, list).await?),
            Query::Observations(list) => {
                Answer::Observations(self.observations(owner, list).await?)
            }
            Query::Stats(_) => Answer::Stats(Box::new(self.stats(owner).await?)),
            Query::Metrics(_) => Answer::Metrics(Box::new(self.user_metrics(owner).await?)),
            Query::Health(_) => Answer::Health(Box::new(self.health(owner).await?)),
            Query::Review(_) => {
                let review = self.review(owner).await?;
                let markdown = review.to_markdown();
                Answer::Review {
                    review: Box::new(review),
                    markdown,
                }
            }
        })
    }

    pub(crate) async fn get(&self, owner: &Owner, get: &Get) -> Result<Fact, Objection> {
        let number = self.resolve(owner, &get.target, Among::Live).await?;
        let seen = self.load(owner, &Slice::number(number)).await?;
        let now = seen.state().reading_time(self.now());
        let is_live = |row: &&MemoryRow| visibility(row, now) == Visibility::Live;
        let Some(row) = seen.open_version(number).filter(is_live) else {
            return Err(plan::fate(number, seen.versions(number).last(), now, |_| None).into());
        };
        let open: Vec<&Link> = seen
            .links_of(number)
            .filter(|link| link.is_open())
            .map(|link| &link.body)
            .collect();
        let others = Slice {
            numbers: open.iter().flat_map(|link| [link.from, link.to]).gather(),
            ..Slice::default()
        };
        let ends = if open.is_empty() {
            seen.clone()
        } else {
            self.load(owner, &others).await?
        };
        let shows = |number: Number| ends.open_version(number).as_ref().is_some_and(is_live);
        let links = open
            .into_iter()
            .filter(|link| shows(link.from) && shows(link.to));
        Ok(Fact {
            row: row.clone(),
            links: links.cloned().collect(),
        })
    }

    pub(crate) async fn visibility(
        &self,
        owner: &Owner,
        get: &Get,
    ) -> Result<(Number, Visibility), Objection> {
        let number = self.resolve(owner, &get.target, Among::Kept).await?;
        let seen = self.load(owner, &Slice::number(number)).await?;
        let now = seen.state().reading_time(self.now());
        let open = seen.open_version(number);
        match open.or_else(|| seen.versions(number).last()) {
            Some(row) => Ok((number, visibility(row, now))),
            None => Err(plan::fate(number, None, now, |_| None).into()),
        }
    }

    pub(crate) async fn list(&self, owner: &Owner, list: &List) -> Result<Memories, Objection> {
        let standing = self.standing(owner).await?;
        let mut filter = match (&list.filter, list.status) {
            (Some(_), Some(_)) => {
                let message = "say `status`, or which rows with `filter`, not both";
                return Err(Refusal::new(Code::Schema, message).into());
            }
            (Some(filter), None) => filter.clone(),
            (None, None | Some(Status::Active)) => standing.live(),
            (None, Some(status)) => Filter::new(Selection::Status {
                status,
                at: standing.now,
            }),
        };
        let is_live = matches!(
            filter.selection,
            Selection::Live { .. }
                | Selection::Status {
                    status: Status::Active,
                    ..
                }
        );
        if is_live {
            filter.excluded_domains.extend(standing.withdrawn);
        }
        if let Some(category) = &list.category {
            filter.categories.insert(self.known_category(category)?);
        }
        filter.domains.extend(list.domain.clone());
        filter.authorities.extend(list.authority);
        if filter.text.is_some() && list.text.is_some() {
            let message = "say `text` once: beside `filter`, or in it";
            return Err(Refusal::new(Code::Schema, message).into());
        }
        filter.text = filter.text.or_else(|| list.text.clone());
        let limit = self.limit(list.limit, self.policy.limits.results)?;
        self.page(owner, filter, limit, list.after.clone()).await
    }

    pub(crate) async fn history(
        &self,
        owner: &Owner,
        history: &History,
    ) -> Result<Memories, Objection> {
        let number = self.resolve(owner, &history.target, Among::Kept).await?;
        let seen = self.load(owner, &Slice::number(number)).await?;
        let rows: Vec<MemoryRow> = seen.versions(number).cloned().collect();
        if rows.is_empty() {
            return Err(plan::fate(number, None, self.now(), |_| None).into());
        }
        Ok(Memories {
            rows,
            next: None,
            revision: seen.state().revision,
        })
    }

    pub(crate) async fn as_of(
        &self,
        owner: &Owner,
        question: &AsOfQuery,
    ) -> Result<Memories, Objection> {
        let standing = self.standing(owner).await?;
        let known = question.known.unwrap_or(standing.now);
        let valid = question.valid;
        let mut filter = Filter::new(Selection::AsOf {
            question: AsOf { valid, known },
        });
        filter.excluded_domains = standing.withdrawn;
        let limit = self.limit(question.limit, self.policy.limits.results)?;
        self.page(owner, filter, limit, question.after.clone())
            .await
    }

    pub(crate) async fn consents(&self, owner: &Owner) -> Result<Vec<Consent>, Objection> {
        let slice = Slice {
            consents: true,
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        let mut last: BTreeMap<String, Consent> = BTreeMap::new();
        for word in seen.consents() {
            last.insert(word.domain.clone(), word);
        }
        Ok(last.into_values().collect())
    }

    pub(crate) async fn changes(
        &self,
        owner: &Owner,
        changes: &Changes,
    ) -> Result<Feed, Objection> {
        let revision = self.load(owner, &Slice::default()).await?.state().revision;
        let restarted = changes
            .since
            .is_some_and(|since| since != Revision::NONE && since.epoch != revision.epoch);
        let since = changes
            .since
            .filter(|_| !restarted)
            .map_or(0, |since| since.count);
        let limit = self.limit(changes.limit, self.policy.limits.results)?;
        let entries = self
            .store
            .journal(owner, since.saturating_add(1), limit)
            .await?;
        let count = entries.last().map_or(since, |entry| entry.revision);
        Ok(Feed {
            entries,
            next: Revision {
                epoch: revision.epoch,
                count,
            },
            restarted,
        })
    }

    async fn page(
        &self,
        owner: &Owner,
        filter: Filter,
        limit: usize,
        after: Option<Cursor>,
    ) -> Result<Memories, Objection> {
        let query = ListQuery {
            filter,
            limit,
            after,
        };
        let page = self.store.list(owner, &query).await?;
        Ok(Memories {
            rows: page.items,
            next: page.next,
            revision: page.state.revision,
        })
    }

    pub(super) fn known_category(&self, name: &str) -> Result<String, Refusal> {
        match self.policy.category(name) {
            Some(category) => Ok(category.name.clone()),
            None => plan::category(&self.policy, Some(name)),
        }
    }

    pub(super) fn limit(&self, wanted: Option<usize>, otherwise: u32) -> Result<usize, Refusal> {
        let most = self.policy.limits.results as usize;
        match wanted {
            Some(0) => Err(Refusal::new(Code::Schema, "a limit is at least 1")),
            Some(wanted) => Ok(wanted.min(most)),
            None => Ok((otherwise as usize).clamp(1, most)),
        }
    }
}
