//! Memories by filter, page by page. The database narrows down; the filter itself decides, as everywhere.

use std::collections::BTreeSet;

use crate::owner::{Owner, OwnerState};
use crate::row::MemoryRow;
use crate::store::database::words::Word;
use crate::store::database::{Shelf, Standing};
use crate::store::paging::{self, MemoryPlace};
use crate::store::{Filter, ListQuery, Page, Selection, UnembeddedQuery};
use crate::visibility::{AsOf, Status, as_of};

/// What a database is asked for memories.
pub(crate) trait Lists: Shelf {
    /// The next rows that may be wanted, in order of number and version.
    fn selected(
        &mut self,
        key: Self::Key,
        chunk: &Chunk<'_>,
    ) -> impl Future<Output = Result<Vec<MemoryRow>, Self::Failure>> + Send;

    /// The next rows from a number on, all of them, in order of number and version.
    fn versions(
        &mut self,
        key: Self::Key,
        from: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<MemoryRow>, Self::Failure>> + Send;

    /// Open memories without a vector of an embedder.
    fn unembedded(
        &mut self,
        owner: &Owner,
        query: &UnembeddedQuery,
    ) -> impl Future<Output = Result<Vec<MemoryRow>, Self::Failure>> + Send;
}

/// Which rows a database is asked for: the part of a filter that it can look at without reading the row.
pub(crate) struct Chunk<'a> {
    pub(crate) chosen: Chosen,
    /// The moment that a choice is about, where it is.
    pub(crate) moment: Option<i64>,
    pub(crate) categories: Option<&'a BTreeSet<String>>,
    pub(crate) domains: Option<&'a BTreeSet<String>>,
    pub(crate) layers: Option<Vec<&'static str>>,
    /// After this number and version,
    pub(crate) after: (u64, u64),
    /// at most so many.
    pub(crate) limit: usize,
}

/// Where in their lives rows are, as far as a database can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    Live,
    Expired,
    Held,
    Ended,
    All,
}

impl<'a> Chunk<'a> {
    fn of(filter: &'a Filter, after: Option<MemoryPlace>, limit: usize) -> Self {
        let (chosen, moment) = match filter.selection {
            Selection::Live { at } => (Chosen::Live, Some(at)),
            Selection::Expired { at } => (Chosen::Expired, Some(at)),
            Selection::Held => (Chosen::Held, None),
            Selection::Ended => (Chosen::Ended, None),
            Selection::Status {
                status: Status::Active,
                at,
            } => (Chosen::Live, Some(at)),
            // Which of the others it is, the filter says.
            Selection::All | Selection::AsOf { .. } | Selection::Status { .. } => {
                (Chosen::All, None)
            }
        };
        fn some<T>(set: &BTreeSet<T>) -> Option<&BTreeSet<T>> {
            Some(set).filter(|set| !set.is_empty())
        }
        Chunk {
            chosen,
            moment: moment.map(|at| at.as_micros()),
            categories: some(&filter.categories),
            domains: some(&filter.domains),
            layers: some(&filter.layers).map(|layers| layers.iter().map(Word::word).collect()),
            after: after.map_or((0, 0), |place| (place.number.get(), place.version.get())),
            limit,
        }
    }
}

pub(crate) async fn list<S: Lists>(
    shelf: &mut S,
    owner: &Owner,
    query: &ListQuery,
) -> Result<Page<MemoryRow>, S::Failure> {
    query.filter.validate("list")?;
    let after = MemoryPlace::read(query.after.as_ref(), owner)?;
    let wanted = paging::limit(query.limit) + 1;
    let (items, state) = match shelf.begin(owner).await? {
        Some(Standing { key, counters, .. }) => {
            let items = match query.filter.selection {
                Selection::AsOf { question } => {
                    answers(shelf, key, &query.filter, question, after, wanted).await?
                }
                _ => rows(shelf, key, &query.filter, after, wanted).await?,
            };
            (items, counters.state)
        }
        None => (Vec::new(), OwnerState::NONE),
    };
    shelf.end().await?;
    Ok(paging::page(items.into_iter(), query.limit, state, |row| {
        MemoryPlace::of(row).cursor(owner)
    }))
}

async fn rows<S: Lists>(
    shelf: &mut S,
    key: S::Key,
    filter: &Filter,
    mut after: Option<MemoryPlace>,
    wanted: usize,
) -> Result<Vec<MemoryRow>, S::Failure> {
    let mut items = Vec::new();
    let mut chunk = wanted.max(32);
    loop {
        let rows = shelf
            .selected(key, &Chunk::of(filter, after, chunk))
            .await?;
        let is_last = rows.len() < chunk;
        after = rows.last().map(MemoryPlace::of).or(after);
        items.extend(rows.into_iter().filter(|row| filter.matches(row)));
        if is_last || items.len() >= wanted {
            return Ok(items);
        }
        chunk = (2 * chunk).min(4_096);
    }
}

/// The row of each fact that answers an as-of question: that takes all versions of a fact at once.
async fn answers<S: Lists>(
    shelf: &mut S,
    key: S::Key,
    filter: &Filter,
    question: AsOf,
    after: Option<MemoryPlace>,
    wanted: usize,
) -> Result<Vec<MemoryRow>, S::Failure> {
    let mut items = Vec::new();
    let mut from = after.map_or(0, |place| place.number.get());
    let mut chunk = wanted + wanted / 4 + 16;
    loop {
        let rows = shelf.versions(key, from, chunk).await?;
        let is_last = rows.len() < chunk;
        // The last fact of a full chunk may go on beyond it: it is read again with the next one.
        let open_end = rows.last().map(|row| row.body.number).filter(|_| !is_last);
        for versions in rows.chunk_by(|one, next| one.body.number == next.body.number) {
            if Some(versions[0].body.number) == open_end {
                break;
            }
            let versions: Vec<&MemoryRow> = versions.iter().collect();
            items.extend(
                as_of(&versions, question)
                    .filter(|row| after.is_none_or(|after| MemoryPlace::of(row) > after))
                    .filter(|row| filter.matches(row))
                    .cloned(),
            );
        }
        match open_end {
            None => return Ok(items),
            Some(_) if items.len() >= wanted => return Ok(items),
            Some(number) if number.get() == from => chunk *= 2,
            Some(number) => from = number.get(),
        }
    }
}
