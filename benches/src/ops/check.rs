//! Whether the sides answer alike: if they did not, their times would say nothing.

use std::collections::BTreeSet;

use crate::Result;
use crate::operation::{Found, Input, Operation, Side};
use crate::subject::Subject;

/// With how many inputs each operation is checked.
pub const INPUTS: usize = 20;

/// Fails unless all sides answer the same. Searches by words need not, for FTS5 ranks in its own way:
/// how many of its hits are also keepmind's, on average, is the answer.
pub async fn answers(subjects: &mut [(Side, Subject)], inputs: &[Input]) -> Result<f64> {
    use Operation::{AsOf, Block, Get, List, Recall, Search, SearchVectors};
    for operation in [Get, List, AsOf, SearchVectors, Block] {
        for input in inputs {
            let answers = ask(subjects, operation, input).await?;
            agree(operation, &answers)?;
        }
    }
    for input in inputs {
        let mut answers = ask(subjects, Recall, input).await?;
        answers.retain(|(side, _)| side.is_ours());
        agree(Recall, &answers)?;
    }
    let mut shared = 0;
    for input in inputs {
        let (ours, by_hand): (Vec<_>, Vec<_>) = ask(subjects, Search, input)
            .await?
            .into_iter()
            .partition(|(side, _)| side.is_ours());
        agree(Search, &ours)?;
        let ours: BTreeSet<&Found> = ours.iter().flat_map(|(_, found)| found).collect();
        let by_hand = by_hand.iter().flat_map(|(_, found)| found);
        shared += by_hand.filter(|found| ours.contains(found)).count();
    }
    Ok(shared as f64 / inputs.len() as f64)
}

async fn ask(
    subjects: &mut [(Side, Subject)],
    operation: Operation,
    input: &Input,
) -> Result<Vec<(Side, Vec<Found>)>> {
    let mut answers = Vec::new();
    for (side, subject) in subjects {
        if side.does(operation) {
            answers.push((*side, subject.answer(operation, input, None).await?));
        }
    }
    Ok(answers)
}

fn agree(operation: Operation, answers: &[(Side, Vec<Found>)]) -> Result<()> {
    let operation = operation.title();
    for (side, found) in answers {
        if found.is_empty() {
            return Err(format!("{operation}: {} finds nothing", side.title()).into());
        }
        let (first, expected) = &answers[0];
        if found != expected {
            let (side, first) = (side.title(), first.title());
            return Err(
                format!("{operation}: {side} finds {found:?}, {first} finds {expected:?}").into(),
            );
        }
    }
    Ok(())
}
