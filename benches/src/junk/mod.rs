//! `junk`: a month of chats with a model that misbehaves in every way that models do. In the end every fact
//! that is kept is true, unique and evidenced, and nothing that was proposed rightly is lost.
//!
//! Modules in reading order: what there is to say (`facts`), the chats (`chats`), the model (`model`), the
//! month (`month`), and what is left of it (`check`).

pub mod chats;
mod check;
pub mod facts;
pub mod model;
mod month;

use crate::Result;
use crate::arguments::JunkOptions;
use crate::junk::check::Findings;

/// Runs the month. False unless all that is kept is true and nothing is lost.
pub async fn run(options: &JunkOptions) -> Result<bool> {
    let findings = findings(options).await?;
    for line in &findings.told {
        eprintln!("{line}");
    }
    println!("{}", serde_json::to_string(&findings)?);
    Ok(findings.is_good())
}

async fn findings(options: &JunkOptions) -> Result<Findings> {
    let month = month::run(options).await?;
    let findings = check::check(&month, options.sessions).await;
    month.keepmind.close().await?;
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::StoreKind;

    #[tokio::test]
    async fn two_days_of_a_bad_model_leave_nothing_but_the_truth() {
        for seed in [1, 2] {
            let options = JunkOptions {
                sessions: 60,
                seed,
                store: StoreKind::Memory,
            };
            let findings = findings(&options).await.unwrap();
            assert!(findings.is_good(), "{findings:?}");
            assert!(findings.rows > 20 && findings.asked > 60, "{findings:?}");
        }
    }
}
