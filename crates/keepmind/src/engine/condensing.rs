//! Asking a model for lines of digests, while nothing is locked: once where digests are to be compiled, and
//! once more where it failed in passing or its answer cannot be used.

use std::collections::BTreeMap;

use crate::change::Slice;
use crate::condense::{self, Question};
use crate::engine::Engine;
use crate::engine::consolidating::made_from;
use crate::error::Result;
use crate::extract;
use crate::ids::{Number, Version};
use crate::inject;
use crate::model::ModelRequest;
use crate::order::Gather;
use crate::owner::Owner;
use crate::plan::{self, Answered, Offered};
use crate::refusal::Refusal;
use crate::row::MemoryRow;

/// How many facts a model is shown, those that matter most.
const MOST_FACTS: usize = 300;
/// One fact alone cannot be said in fewer lines.
const LEAST_FACTS: usize = 2;

/// What asking came to.
pub(super) enum Asked {
    /// There was nobody, or nothing, to ask.
    Nobody,
    /// The model failed, or gave nothing that could be used.
    InVain,
    Answered(Answered),
}

/// What is wanting in an answer.
enum Wanting {
    Answer(Refusal),
    Model { is_retryable: bool },
}

impl Engine {
    /// Asks for lines where a model is plugged in and a digest is no longer what it was made from.
    pub(super) async fn lines_for(&self, owner: &Owner) -> Result<Asked> {
        if !self.has_model() || !self.is_compiling_due(owner).await? {
            return Ok(Asked::Nobody);
        }
        let (standing, rows) = self.at_one_moment(owner).await?;
        let slice = Slice {
            consents: true,
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        let live = made_from(&rows, &standing);
        let facts = plan::citable(&live, &self.policy, standing.now, &seen);
        let (request, shown) = self.question(&facts);
        if shown.len() < LEAST_FACTS {
            return Ok(Asked::Nobody);
        }
        Ok(match self.ask_for_lines(request).await {
            Some(lines) => Asked::Answered(Answered { shown, lines }),
            None => Asked::InVain,
        })
    }

    /// The question, and the facts that it shows.
    fn question(&self, facts: &[&MemoryRow]) -> (ModelRequest, BTreeMap<Number, Version>) {
        let policy = &self.policy;
        let told: Vec<(&MemoryRow, Vec<&str>)> = facts
            .iter()
            .map(|row| (*row, plan::stands_in(row, policy)))
            .filter(|(_, digests)| !digests.is_empty())
            .take(MOST_FACTS)
            .collect();
        let mut digests: Vec<&str> = Vec::new();
        for name in told.iter().flat_map(|(_, digests)| digests) {
            if !digests.contains(name) {
                digests.push(name);
            }
        }
        let shown = told.iter().map(|(row, digests)| {
            let line = inject::text(plan::text_of(row));
            (row.body.number, digests.clone(), line)
        });
        let shown: Vec<(Number, Vec<&str>, String)> = shown.collect();
        let question = Question {
            digests: &digests,
            facts: &shown,
            characters: policy.limits.content_characters,
            longest_tokens: policy.extraction.transcript_tokens as usize,
        };
        let (request, count) = condense::request(&question, self.tokens.as_ref());
        let versions = told[..count].iter();
        let versions = versions.map(|(row, _)| (row.body.number, row.body.version));
        (request, versions.gather())
    }

    async fn ask_for_lines(&self, request: ModelRequest) -> Option<Vec<Offered>> {
        let again = match self.lines_of_answer(&request).await {
            Ok(lines) => return Some(lines),
            Err(Wanting::Answer(refusal)) => extract::again(request, &refusal.message),
            Err(Wanting::Model {
                is_retryable: false,
            }) => return None,
            Err(Wanting::Model { is_retryable: true }) => {
                self.pause().await;
                request
            }
        };
        self.lines_of_answer(&again).await.ok()
    }

    async fn lines_of_answer(&self, request: &ModelRequest) -> Result<Vec<Offered>, Wanting> {
        match self.complete_once(request).await {
            None => Err(Wanting::Model {
                is_retryable: false,
            }),
            Some(Err(failure)) => Err(Wanting::Model {
                is_retryable: failure.retryable,
            }),
            Some(Ok(answer)) => condense::read(&answer, &self.policy).map_err(Wanting::Answer),
        }
    }
}
