//! Whether one owner's searches rank the same, whoever else is in the file.

use keepmind::{Owner, RowId};

use crate::Result;
use crate::baseline::Baseline;
use crate::operation::Found;
use crate::ours::Ours;
use crate::scale::{Place, READER};
use crate::subject::Subject;
use crate::workload::{self, Workload};

pub const QUERIES: usize = 50;

/// The rows that each query found, and every bit of their scores.
pub type Rankings = Vec<Vec<(RowId, u64)>>;

/// How keepmind ranks the queries in memory, with no other owner at all.
pub async fn alone(workload: &Workload, facts: usize) -> Result<Rankings> {
    let mut alone = Ours::in_memory()?;
    alone.fill(workload, READER, facts, false).await?;
    rankings(&alone, workload, facts).await
}

async fn rankings(ours: &Ours, workload: &Workload, facts: usize) -> Result<Rankings> {
    let owner = workload::owner(READER)?;
    let mut rankings = Vec::new();
    for query in ranked_queries(workload, facts) {
        rankings.push(ours.ranking(&owner, &query).await?);
    }
    Ok(rankings)
}

fn ranked_queries(workload: &Workload, facts: usize) -> impl Iterator<Item = String> {
    (0..QUERIES as u64).map(move |index| workload.query(READER, facts, 1 << 40 | index))
}

/// Fails unless keepmind ranks the same everywhere. Answers how many of the queries FTS5 ranks
/// differently among most owners than among fewest.
pub async fn check(
    places: &mut [Place],
    workload: &Workload,
    facts: usize,
    alone: &Rankings,
) -> Result<usize> {
    let owner = workload::owner(READER)?;
    let mut by_hand = Vec::new();
    for place in places {
        match &mut place.subject {
            Subject::Ours(ours) => {
                let found = rankings(ours, workload, facts).await?;
                if let Some(query) = (0..QUERIES).find(|&query| found[query] != alone[query]) {
                    return Err(format!(
                        "with {} other owners, query {query} is ranked {:?}, alone in memory {:?}",
                        place.others, found[query], alone[query],
                    )
                    .into());
                }
            }
            Subject::ByHand(baseline) => {
                by_hand.push(rankings_by_hand(baseline, &owner, workload, facts)?)
            }
        }
    }
    let (Some(fewest), Some(most)) = (by_hand.first(), by_hand.last()) else {
        return Ok(0);
    };
    Ok(fewest
        .iter()
        .zip(most)
        .filter(|(fewest, most)| fewest != most)
        .count())
}

fn rankings_by_hand(
    baseline: &Baseline,
    owner: &Owner,
    workload: &Workload,
    facts: usize,
) -> Result<Vec<Vec<Found>>> {
    ranked_queries(workload, facts)
        .map(|query| baseline.search(owner, &query))
        .collect()
}
