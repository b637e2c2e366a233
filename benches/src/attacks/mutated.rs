//! Running the other forms of a case, and what is printed of those that break what must hold.

use serde::Serialize;
use tokio::task::LocalSet;

use crate::arguments::AttacksOptions;
use crate::attacks::case::Case;
use crate::attacks::mutate::{Must, Mutation, mutations};
use crate::attacks::run::Seen;
use crate::attacks::{judge, run as cases};
use crate::workload::Random;

/// The longest that a form may take in a build that is optimised.
const LONGEST_MS: f64 = 50.0;
/// How often one that takes longer is tried.
const TRIES: usize = 3;
/// How much of the model's words is printed.
const SHOWN: usize = 600;

/// A form that broke what must hold.
#[derive(Debug, Serialize)]
pub struct Broken {
    pub id: String,
    pub mutation: String,
    pub why: String,
    pub codes: Vec<String>,
    /// What is live that was not before.
    pub stored: Vec<String>,
    /// The model's words, as far as they are short.
    pub output: String,
}

/// What came of all forms.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    pub mutations: usize,
    pub held: usize,
    pub broken: usize,
    pub panicked: usize,
    pub slow: usize,
    pub max_ms: f64,
}

/// Runs the forms of a case that the options ask for, and prints those that broke.
pub async fn run(
    case: &Case,
    options: &AttacksOptions,
    summary: &mut Summary,
) -> crate::Result<()> {
    let id = case.id.bytes().map(u64::from);
    let mut random = Random::of(&id.chain([options.seed]).collect::<Vec<_>>());
    for mutation in mutations(case, options.mutate, &mut random) {
        if let Some(broken) = one(mutation, options, summary).await {
            println!("{}", serde_json::to_string(&broken)?);
        }
    }
    Ok(())
}

async fn one(
    mutation: Mutation,
    options: &AttacksOptions,
    summary: &mut Summary,
) -> Option<Broken> {
    let Mutation { name, case, must } = mutation;
    summary.mutations += 1;
    let mut ran = in_a_task(&case, options).await;
    for _ in 1..TRIES {
        // A busy machine makes anything slow once.
        if matches!(&ran, Ok(Ok(seen)) if is_slow(seen)) {
            ran = in_a_task(&case, options).await;
        }
    }
    let output: String = case.output.chars().take(SHOWN).collect();
    let broken = |why: String, seen: Option<&Seen>| Broken {
        id: case.id.clone(),
        mutation: name.clone(),
        why,
        codes: seen.map(|seen| seen.codes.clone()).unwrap_or_default(),
        stored: seen
            .into_iter()
            .flat_map(Seen::new_facts)
            .map(|fact| fact.content.clone())
            .collect(),
        output: output.clone(),
    };
    let seen = match ran {
        Ok(Ok(seen)) => seen,
        Ok(Err(error)) => {
            summary.broken += 1;
            return Some(broken(format!("it could not be run: {error}"), None));
        }
        Err(_) => {
            summary.panicked += 1;
            return Some(broken("it panicked".to_owned(), None));
        }
    };
    let ms = seen.elapsed.as_secs_f64() * 1e3;
    summary.max_ms = summary.max_ms.max((ms * 100.0).round() / 100.0);
    if is_slow(&seen) {
        summary.slow += 1;
        return Some(broken(format!("it took {ms:.1} ms"), Some(&seen)));
    }
    let objections = match must {
        Must::End => Vec::new(),
        Must::StayTheSame => judge::judge(&case, &seen),
        Must::WriteNothing => match seen.before.memories == seen.after.memories {
            true => Vec::new(),
            false => vec!["memories changed".to_owned()],
        },
    };
    if objections.is_empty() {
        summary.held += 1;
        return None;
    }
    summary.broken += 1;
    Some(broken(objections.join("; "), Some(&seen)))
}

fn is_slow(seen: &Seen) -> bool {
    seen.elapsed.as_secs_f64() * 1e3 > LONGEST_MS && !cfg!(debug_assertions)
}

/// Runs a form in a task of its own, so that a panic is a finding and not the end.
async fn in_a_task(
    case: &Case,
    options: &AttacksOptions,
) -> Result<Result<Seen, String>, tokio::task::JoinError> {
    let copy = case.clone();
    let (store, through) = (options.store, options.through);
    let task = async move {
        let seen = cases::run(&copy, store, through).await;
        seen.map_err(|error| error.to_string())
    };
    let local = LocalSet::new();
    local
        .run_until(async move { tokio::task::spawn_local(task).await })
        .await
}
