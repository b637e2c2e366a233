//! One side of the comparison, opened: it is filled, asked and timed.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::Result;
use crate::baseline::{Baseline, KeywordIndex};
use crate::measure::{Meter, Timings, cpu_time};
use crate::operation::{Found, Input, Operation, Side};
use crate::ours::{Ours, Plan};
use crate::workload::{self, Fact, Workload};
use keepmind::{SessionHandle, UndoToken};

#[derive(Debug)]
pub enum Subject {
    Ours(Ours),
    ByHand(Baseline),
}

/// What was made ready for an operation.
#[derive(Debug)]
pub enum Prepared {
    Plan(Box<Plan>),
    /// The chat in which a tool is called.
    Chat(SessionHandle),
    /// What takes a save back.
    Saved(UndoToken),
    /// The fact that was inserted by hand.
    Number(i64),
}

impl Input {
    fn fact(&self) -> Result<&Fact> {
        Ok(self.facts.first().ok_or("the input has no fact")?)
    }
}

impl Subject {
    /// Opens a side of the comparison. Ids count up from that many times 2^64, so that what is
    /// opened again makes new ones.
    pub async fn open(
        side: Side,
        directory: &Path,
        is_durable: bool,
        opened_before: u64,
    ) -> Result<Self> {
        let path = side.file(directory);
        let last_id = u128::from(opened_before) << 64;
        Ok(match side {
            Side::Memory => Subject::Ours(Ours::in_memory()?),
            Side::Sqlite => Subject::Ours(Ours::sqlite(&path, is_durable, last_id).await?),
            Side::HandFts5 => Subject::ByHand(Baseline::open(
                &path,
                KeywordIndex::Fts5,
                is_durable,
                last_id,
            )?),
            Side::HandPostings => Subject::ByHand(Baseline::open(
                &path,
                KeywordIndex::Postings,
                is_durable,
                last_id,
            )?),
        })
    }

    pub async fn fill(
        &mut self,
        workload: &Workload,
        owner: usize,
        facts: usize,
        vectors: bool,
    ) -> Result<()> {
        match self {
            Subject::Ours(ours) => ours.fill(workload, owner, facts, vectors).await,
            Subject::ByHand(baseline) => baseline.fill(workload, owner, facts, vectors),
        }
    }

    pub async fn close(self) -> Result<()> {
        match self {
            Subject::Ours(ours) => ours.close().await,
            Subject::ByHand(baseline) => baseline.close(),
        }
    }

    /// Times an operation with each of the inputs.
    pub async fn time(&mut self, operation: Operation, inputs: &[Input]) -> Result<Timings> {
        let mut timings = Timings::default();
        for input in operation.warming(inputs) {
            self.answer(operation, input, None).await?;
        }
        if let Subject::Ours(ours) = self {
            ours.host().leave_chats();
        }
        let meter = Meter::start();
        let mut preparing = Duration::ZERO;
        for input in inputs {
            let prepared = if operation.is_prepared() {
                let before = cpu_time();
                let prepared = self.prepare(operation, input).await?;
                preparing += cpu_time().saturating_sub(before);
                prepared
            } else {
                None
            };
            let start = Instant::now();
            let answer = self.answer(operation, input, prepared).await?;
            timings.add(start.elapsed());
            std::hint::black_box(answer);
        }
        timings.spend(meter.spent_besides(preparing));
        Ok(timings)
    }

    /// What comes before an operation and does not count.
    async fn prepare(&mut self, operation: Operation, input: &Input) -> Result<Option<Prepared>> {
        let Input { owner, at, .. } = input;
        match (operation, self) {
            (Operation::Commit, Subject::Ours(ours)) => {
                let plan = ours.plan_insert(owner, &input.facts, *at).await?;
                Ok(Some(Prepared::Plan(Box::new(plan))))
            }
            (Operation::ToolSave, Subject::Ours(ours)) => {
                let chat = ours.host().said(owner, input.fact()?, *at).await?;
                Ok(Some(Prepared::Chat(chat)))
            }
            (Operation::ToolRecall, Subject::Ours(ours)) => {
                let chat = ours.host().chat(owner, *at).await?;
                Ok(Some(Prepared::Chat(chat)))
            }
            (Operation::Undo, Subject::Ours(ours)) => {
                let token = ours.host().save(owner, input.fact()?, *at).await?;
                Ok(Some(Prepared::Saved(token)))
            }
            (Operation::Undo, Subject::ByHand(baseline)) => {
                baseline.insert(owner, &input.facts, *at)?;
                Ok(Some(Prepared::Number(baseline.last_number(owner)?)))
            }
            (Operation::SearchAfterInsert | Operation::SearchVectorsAfterInsert, subject) => {
                match subject {
                    Subject::Ours(ours) => {
                        ours.insert(&input.owner, &input.facts, input.at).await?
                    }
                    Subject::ByHand(baseline) => {
                        baseline.insert(&input.owner, &input.facts, input.at)?
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// What an operation answers; nothing for writes and the scan.
    pub async fn answer(
        &mut self,
        operation: Operation,
        input: &Input,
        prepared: Option<Prepared>,
    ) -> Result<Vec<Found>> {
        let Input {
            owner,
            number,
            query,
            vector,
            facts,
            at,
            shown,
        } = input;
        match self {
            Subject::Ours(ours) => match operation {
                Operation::Get => ours.get(owner, *number).await,
                Operation::List => ours.list(owner, workload::read_at()).await,
                Operation::AsOf => ours.as_of(owner, workload::before_second_versions()).await,
                Operation::Search | Operation::SearchAfterInsert | Operation::ColdSearch => {
                    ours.search(owner, query).await
                }
                Operation::SearchVectors | Operation::SearchVectorsAfterInsert => {
                    ours.search_vectors(owner, vector).await
                }
                Operation::Recall | Operation::ColdRecall => {
                    ours.recall(owner, query, vector).await
                }
                Operation::Insert | Operation::InsertHundred | Operation::ColdInsert => {
                    nothing(ours.insert(owner, facts, *at).await)
                }
                Operation::Commit => {
                    let Some(Prepared::Plan(plan)) = prepared else {
                        return Err("the plan was not made".into());
                    };
                    nothing(ours.commit(owner, *plan).await)
                }
                Operation::Supersede => {
                    nothing(ours.supersede(owner, *number, input.fact()?, *at).await)
                }
                Operation::ToolSave | Operation::ToolRecall => {
                    let Some(Prepared::Chat(chat)) = prepared else {
                        return Err("the chat was not opened".into());
                    };
                    match operation {
                        Operation::ToolSave => {
                            nothing(ours.host().tool_save(&chat, input.fact()?).await)
                        }
                        _ => nothing(ours.host().tool_recall(&chat, query).await),
                    }
                }
                Operation::Block => ours.host().block(owner, workload::read_at()).await,
                Operation::Undo => {
                    let Some(Prepared::Saved(token)) = prepared else {
                        return Err("nothing was saved".into());
                    };
                    nothing(ours.host().undo(owner, token).await)
                }
                Operation::Scan | Operation::ColdOpen => Err("not asked of keepmind".into()),
            },
            Subject::ByHand(baseline) => match operation {
                Operation::Get => baseline.get(owner, *number),
                Operation::List => baseline.list(owner, workload::read_at()),
                Operation::AsOf => baseline.as_of(owner, workload::before_second_versions()),
                Operation::Search
                | Operation::SearchAfterInsert
                | Operation::ColdSearch
                | Operation::ToolRecall => baseline.search(owner, query),
                Operation::SearchVectors | Operation::SearchVectorsAfterInsert => {
                    baseline.search_vectors(owner, vector)
                }
                Operation::Recall => baseline.recall(owner, query, vector),
                Operation::Scan | Operation::ColdRecall => nothing(baseline.scan(owner, vector)),
                Operation::Insert
                | Operation::InsertHundred
                | Operation::ColdInsert
                | Operation::ToolSave => nothing(baseline.insert(owner, facts, *at)),
                Operation::Supersede => {
                    nothing(baseline.supersede(owner, *number, input.fact()?, *at))
                }
                Operation::Block => baseline.block(owner, shown),
                Operation::Undo => {
                    let Some(Prepared::Number(number)) = prepared else {
                        return Err("nothing was saved".into());
                    };
                    nothing(baseline.undo(owner, number, *at))
                }
                Operation::Commit | Operation::ColdOpen => {
                    Err("not asked of what is written by hand".into())
                }
            },
        }
    }
}

fn nothing<T>(done: Result<T>) -> Result<Vec<Found>> {
    std::hint::black_box(done?);
    Ok(Vec::new())
}
