//! `reconcile`: facts that change from chat to chat. After the last of them, is the later value what is
//! known, and the earlier one no longer?
//!
//! Modules in reading order: what a case says (`case`), what a good model would make of it (`oracle`),
//! where each value is to be found (`values`), and running it (`run`).

mod case;
mod oracle;
mod run;
mod values;

use serde::Serialize;

use crate::Result;
use crate::arguments::ReconcileOptions;
use crate::reconcile::run::Reader;
use crate::reconcile::values::Known;

/// How often each came out.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Counts {
    cases: usize,
    /// Only the later value is known.
    later: usize,
    /// Both are.
    both: usize,
    /// Only the earlier one is.
    earlier: usize,
    none: usize,
}

#[derive(Debug, Serialize)]
struct Summary {
    /// Cases with one turn of evidence only: nothing in them changes.
    unchanging: usize,
    built_in: Counts,
    oracle: Counts,
    built_in_later: f64,
    oracle_later: f64,
}

/// Runs every case of a file twice: read by code, and by a model that does what it should.
pub async fn run(options: &ReconcileOptions) -> Result<()> {
    let cases = case::all(&options.cases)?;
    let (changing, single): (Vec<_>, Vec<_>) =
        cases.into_iter().partition(|case| case.evidence.len() > 1);
    let mut counts = [Counts::default(); 2];
    for case in &changing {
        let mut words = Vec::new();
        for (reader, counts) in [Reader::Code, Reader::Oracle].into_iter().zip(&mut counts) {
            let ended = run::run(case, reader, options.store)
                .await
                .map_err(|error| format!("{}: {error}", case.id))?;
            counts.add(ended.known);
            words.push(format!("{:8} {}", ended.known.word(), ended.rows));
        }
        println!("{}  code {}  oracle {}", case.id, words[0], words[1]);
    }
    let [built_in, oracle] = counts;
    let summary = Summary {
        unchanging: single.len(),
        built_in,
        oracle,
        built_in_later: built_in.share(),
        oracle_later: oracle.share(),
    };
    println!("\n{:8} {}", "", Counts::HEAD);
    println!("{:8} {built_in}\n{:8} {oracle}", "code", "oracle");
    println!("{}", serde_json::to_string(&summary)?);
    Ok(())
}

impl Counts {
    const HEAD: &str = "cases later both earlier none  later/cases";

    fn add(&mut self, known: Known) {
        self.cases += 1;
        match known {
            Known::Later => self.later += 1,
            Known::Both => self.both += 1,
            Known::Earlier => self.earlier += 1,
            Known::Neither => self.none += 1,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "there are few cases")]
    fn share(self) -> f64 {
        let share = self.later as f64 / self.cases.max(1) as f64;
        (share * 1_000.0).round() / 1_000.0
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts {
            cases,
            later,
            both,
            earlier,
            none,
        } = self;
        write!(
            formatter,
            "{cases:5} {later:5} {both:4} {earlier:7} {none:4}  {:.3}",
            self.share()
        )
    }
}
