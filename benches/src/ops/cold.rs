//! Cold starts: a closed file is opened, asked once and closed again. No other file is open meanwhile:
//! a store may go on working after it is open, and that must not fall on the next.

use std::path::Path;
use std::time::Duration;

use crate::Result;
use crate::measure::{Meter, Timings};
use crate::operation::{Input, Operation, Side};
use crate::subject::Subject;

/// How long one cold start took.
pub struct ColdStart {
    pub opening: Timings,
    /// Opening and what was asked first.
    pub whole: Timings,
}

pub async fn start(
    side: Side,
    directory: &Path,
    opened_before: u64,
    operation: Operation,
    input: &Input,
) -> Result<ColdStart> {
    let (mut opening, mut whole) = (Timings::default(), Timings::default());
    let meter = Meter::start();
    let mut subject = Subject::open(side, directory, true, opened_before).await?;
    opening.add(meter.elapsed());
    opening.spend(meter.spent_besides(Duration::ZERO));

    let meter = Meter::start();
    let answer = subject.answer(operation, input, None).await?;
    whole.add(opening.total() + meter.elapsed());
    whole.spend(meter.spent_besides(Duration::ZERO));
    whole.spend_also(&opening);
    std::hint::black_box(answer);
    subject.close().await?;
    Ok(ColdStart { opening, whole })
}
