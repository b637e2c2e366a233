//! How a store with a database answers: each call is work for a connection of the pool, which comes to its end
//! whether or not its caller waits for it.

/// Runs a read on a connection of its own. It sees to it by itself that what it reads fits together. The store is
/// told whether it is a small thing to do.
macro_rules! answer {
    ($store:ident, $operation:literal, $is_small:expr, |$connection:ident, $caches:ident| $work:expr, $($owned:ident),*) => {{
        let is_small = $is_small;
        $(let $owned = $owned.clone();)*
        let shared = std::sync::Arc::clone(&$store.shared);
        $store
            .read($operation, is_small, Box::pin(async move {
                let $caches = &shared.caches;
                let mut attempts = 0;
                loop {
                    let answer: Work<_> = async {
                        let mut pooled = shared.pool.acquire($operation).await?;
                        let $connection = &mut pooled.connection;
                        let answer = $work.await;
                        if answer.as_ref().err().is_none_or(|failure| failure.is_harmless()) {
                            pooled.give_back();
                        }
                        answer
                    }
                    .await;
                    attempts += 1;
                    match answer {
                        Ok(answer) => return Ok(answer),
                        Err(failure) if shared.may_read_again(&failure, attempts) => {}
                        Err(failure) => return Err(failure.into_error($operation)),
                    }
                }
            }))
            .await
    }};
}

/// A store as what its modules `load`, `maintenance` and `failure` and the common ones make of it. What writes
/// is the store's own: `put`, `let_go`, `wipe` and `shut`.
macro_rules! memory_store {
    ($store:ty) => {
        #[async_trait::async_trait]
        impl $crate::store::MemoryStore for $store {
            async fn load(&self, owner: &Owner, slice: &Slice) -> Result<Snapshot> {
                answer!(
                    self,
                    "load",
                    !slice.everything,
                    |connection, _caches| load::load(connection, &owner, &slice),
                    owner,
                    slice
                )
            }

            async fn commit(
                &self,
                owner: &Owner,
                expected: Expected,
                changes: std::sync::Arc<ChangeSet>,
            ) -> Result<Receipt> {
                self.put(CommitRequest::new(owner.clone(), expected, changes))
                    .await
            }

            async fn list(&self, owner: &Owner, query: &ListQuery) -> Result<Page<MemoryRow>> {
                answer!(
                    self,
                    "list",
                    true,
                    |connection, _caches| $crate::store::database::list::list(
                        connection, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn search(&self, owner: &Owner, query: &KeywordQuery) -> Result<Vec<Hit>> {
                answer!(
                    self,
                    "search",
                    self.shared.caches.knows(owner),
                    |connection, caches| $crate::store::database::search::search(
                        connection, caches, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn search_vectors(&self, owner: &Owner, query: &VectorQuery) -> Result<Vec<Hit>> {
                answer!(
                    self,
                    "search_vectors",
                    self.shared.caches.knows(owner),
                    |connection, caches| $crate::store::database::search::search_vectors(
                        connection, caches, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn recall(
                &self,
                owner: &Owner,
                query: &RecallQuery,
            ) -> Result<Vec<Hit<FoundRow>>> {
                answer!(
                    self,
                    "recall",
                    self.shared.caches.knows(owner),
                    |connection, caches| $crate::store::database::recall::recall(
                        connection, caches, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn unembedded(
                &self,
                owner: &Owner,
                query: &UnembeddedQuery,
            ) -> Result<Vec<MemoryRow>> {
                answer!(
                    self,
                    "unembedded",
                    false,
                    |connection, _caches| connection.unembedded(&owner, &query),
                    owner,
                    query
                )
            }

            async fn sessions(&self, owner: &Owner, query: &SessionQuery) -> Result<Page<Session>> {
                answer!(
                    self,
                    "sessions",
                    true,
                    |connection, _caches| $crate::store::database::records::sessions(
                        connection, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn messages(&self, owner: &Owner, query: &MessageQuery) -> Result<Page<Message>> {
                answer!(
                    self,
                    "messages",
                    true,
                    |connection, _caches| $crate::store::database::records::messages(
                        connection, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn search_messages(
                &self,
                owner: &Owner,
                query: &MessageSearch,
            ) -> Result<Vec<MessageHit>> {
                answer!(
                    self,
                    "search_messages",
                    false,
                    |connection, _caches| $crate::store::database::search::search_messages(
                        connection, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn observations(
                &self,
                owner: &Owner,
                query: &ObservationQuery,
            ) -> Result<Page<Observation>> {
                answer!(
                    self,
                    "observations",
                    true,
                    |connection, _caches| $crate::store::database::records::observations(
                        connection, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn traces(&self, owner: &Owner, query: &TraceQuery) -> Result<Page<Trace>> {
                answer!(
                    self,
                    "traces",
                    true,
                    |connection, _caches| $crate::store::database::records::traces(
                        connection, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn usage(&self, owner: &Owner, query: &UsageQuery) -> Result<Page<Usage>> {
                answer!(
                    self,
                    "usage",
                    true,
                    |connection, _caches| $crate::store::database::records::usage(
                        connection, &owner, &query
                    ),
                    owner,
                    query
                )
            }

            async fn journal(
                &self,
                owner: &Owner,
                since: u64,
                limit: usize,
            ) -> Result<Vec<JournalEntry>> {
                let limit = $crate::store::paging::limit(limit);
                answer!(
                    self,
                    "journal",
                    true,
                    |connection, _caches| connection.journal(&owner, since, limit),
                    owner
                )
            }

            async fn owners(
                &self,
                after: Option<&Owner>,
                limit: usize,
            ) -> Result<Vec<OwnerSummary>> {
                let after = after.cloned();
                let limit = $crate::store::paging::limit(limit);
                answer!(
                    self,
                    "owners",
                    true,
                    |connection, _caches| maintenance::owners(connection, after.as_ref(), limit),
                    after
                )
            }

            async fn retain(&self, owner: &Owner, retention: &Retention) -> Result<Retained> {
                self.let_go(owner.clone(), *retention).await
            }

            async fn erase(&self, owner: &Owner) -> Result<bool> {
                self.wipe(owner.clone()).await
            }

            async fn info(&self) -> Result<StoreInfo> {
                answer!(
                    self,
                    "info",
                    false,
                    |connection, _caches| maintenance::info(connection),
                )
            }

            async fn close(&self) -> Result<()> {
                match self.shut().await {
                    // Closed before: that is what was asked for.
                    Err(error) if error.kind() == ErrorKind::Closed => Ok(()),
                    outcome => outcome,
                }
            }
        }
    };
}

/// What the stores' calls speak of.
pub(crate) mod vocabulary {
    pub(crate) use crate::change::{ChangeSet, Expected, Receipt, Slice, Snapshot};
    pub(crate) use crate::error::{ErrorKind, Result};
    pub(crate) use crate::journal::JournalEntry;
    pub(crate) use crate::message::Message;
    pub(crate) use crate::observation::Observation;
    pub(crate) use crate::owner::Owner;
    pub(crate) use crate::row::MemoryRow;
    pub(crate) use crate::session::Session;
    pub(crate) use crate::store::database::list::Lists as _;
    pub(crate) use crate::store::database::prepare::CommitRequest;
    pub(crate) use crate::store::database::records::Records as _;
    pub(crate) use crate::store::{
        FoundRow, Hit, KeywordQuery, ListQuery, MessageHit, MessageQuery, MessageSearch,
        ObservationQuery, OwnerSummary, Page, RecallQuery, Retained, Retention, SessionQuery,
        StoreInfo, TraceQuery, UnembeddedQuery, UsageQuery, VectorQuery,
    };
    pub(crate) use crate::trace::Trace;
    pub(crate) use crate::usage::Usage;
}

pub(crate) use {answer, memory_store};
