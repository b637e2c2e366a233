//! Running a case: an engine of its own without a model, the given rows, the chat, and its close.

use keepmind::{Fate, Keepmind, Lesson, Policy, Push, UserMemory};
use serde::Serialize;

use crate::Result;
use crate::arguments::StoreKind;
use crate::extract::case::Case;
use crate::stage;

/// Whose chats they are.
const USER: &str = "ada";

/// What was done with something that was found in a chat.
#[derive(Debug, Serialize)]
pub struct Operation {
    pub id: String,
    pub op: &'static str,
    /// The row that was there and is changed, affirmed, or says all of it already.
    pub n: Option<u64>,
    pub content: String,
    pub quote: String,
}

pub async fn run(case: &Case, store: StoreKind) -> Result<Vec<Operation>> {
    let folder = tempfile::tempdir()?;
    let store = stage::store(store, &folder).await?;
    let policy = Policy::default();
    let keepmind = Keepmind::builder(store).policy(policy.clone()).build()?;
    let user = keepmind.user(USER)?;
    for domain in &policy.domains {
        user.consent(domain.name.as_str(), true).await?;
    }
    let mut given: Vec<_> = case.given.iter().collect();
    given.sort_by_key(|row| row.n);
    for row in given {
        stage::place(&keepmind, &user, row.tier, &row.content, Some(row.n)).await?;
    }
    let session = user.open_session().await?;
    for turn in &case.turns {
        session
            .push(Push::new(turn.role, turn.text.as_str()))
            .await?;
    }
    let closed = session.close().await?;
    let mut operations = Vec::new();
    for lesson in closed.report.lessons {
        let Some(op) = word(lesson.fate) else {
            continue;
        };
        let is_new = lesson.fate == Fate::Learned;
        operations.push(Operation {
            id: case.id.clone(),
            op,
            n: lesson.number.filter(|_| !is_new).map(|number| number.get()),
            content: stored(&user, &lesson).await?,
            quote: lesson.quote.unwrap_or_default(),
        });
    }
    keepmind.close().await?;
    Ok(operations)
}

/// What an operation is called. What waits for the user's word, or was refused, is none.
fn word(fate: Fate) -> Option<&'static str> {
    match fate {
        Fate::Learned => Some("add"),
        Fate::Updated => Some("update"),
        Fate::Confirmed => Some("confirm"),
        Fate::Skipped => Some("skip"),
        _ => None,
    }
}

/// What the row says now: what is stored, not what was proposed.
async fn stored(user: &UserMemory, lesson: &Lesson) -> Result<String> {
    let proposed = lesson.content.clone().unwrap_or_default();
    let (true, Some(number)) = (
        matches!(lesson.fate, Fate::Learned | Fate::Updated),
        lesson.number,
    ) else {
        return Ok(proposed);
    };
    Ok(user.get(number).await?.row.body.claim.content)
}
