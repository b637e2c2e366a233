//! What stands before a case begins: a store of its own, and rows that are in it already.

use std::sync::Arc;

use keepmind::{
    Claim, Clock, Draft, EntryHeader, Expected, InMemoryStore, Keepmind, Marks, MemoryStore,
    PostgresStore, Slice, Source, SqliteStore, SystemClock, TimeOrderedIds, Trust, UserMemory,
    Verdict, Who, limits, text,
};
use keepmind_tests::cluster;
use serde::Deserialize;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _};
use tempfile::TempDir;

use crate::Result;
use crate::arguments::StoreKind;

/// How sure the store is of a row that was read from a chat.
const CONFIDENCE: f64 = 0.9;

/// Why nothing can be done on a server.
pub const NO_SERVER: &str = "PostgreSQL is not installed: KEEPMIND_POSTGRES_BIN names its folder";

/// How a row came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The user had it kept.
    Explicit,
    /// It was read from a chat.
    Extracted,
}

/// A new store; a file of its own in the folder where it is one, or an empty database.
pub async fn store(kind: StoreKind, folder: &TempDir) -> Result<Arc<dyn MemoryStore>> {
    Ok(match kind {
        StoreKind::Memory => Arc::new(InMemoryStore::new()),
        StoreKind::Sqlite => Arc::new(SqliteStore::open(folder.path().join("case.db")).await?),
        StoreKind::Postgres => Arc::new(PostgresStore::connect(&empty_database().await?).await?),
    })
}

/// The URL of a database with nothing in it, on a server of this process. It is the same one each time: what the last
/// case left is gone.
pub async fn empty_database() -> Result<String> {
    const NAME: &str = "one_case";
    let server = cluster::shared().ok_or(NO_SERVER)?;
    let options: PgConnectOptions = server.url().parse()?;
    let mut connection = PgConnection::connect_with(&options).await?;
    for statement in [
        format!("DROP DATABASE IF EXISTS {NAME} WITH (FORCE)"),
        format!("CREATE DATABASE {NAME}"),
    ] {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await?;
    }
    connection.close().await?;
    Ok(server.url().replace("/postgres?", &format!("/{NAME}?")))
}

/// Writes a row that is there already, and says its number: the one that is wanted, where one is.
pub async fn place(
    keepmind: &Keepmind,
    user: &UserMemory,
    tier: Tier,
    content: &str,
    wanted: Option<u64>,
) -> Result<u64> {
    let store = keepmind.store();
    let seen = store.load(user.owner(), &Slice::default()).await?;
    let mut next = seen.state().next_number;
    // Numbers that a case leaves out were someone's who is gone.
    while wanted.is_some_and(|number| number > next) {
        user.save(format!("left out {next}")).await?;
        user.purge(format!("#{next}")).await?;
        next += 1;
    }
    if wanted.is_some_and(|number| number < next) {
        return Err(format!(
            "a given row has the number {wanted:?}, and {next} is the next: order them"
        )
        .into());
    }
    let saved = match tier {
        Tier::Explicit => match user.save(content).await {
            Ok(saved) => saved.verdict == Verdict::Done,
            // What would be refused today may have been kept before.
            Err(_) => false,
        },
        Tier::Extracted => false,
    };
    if !saved {
        commit(keepmind, user, tier, content).await?;
    }
    Ok(next)
}

/// Writes a row past the rules: as it stands, but for what no store takes.
async fn commit(keepmind: &Keepmind, user: &UserMemory, tier: Tier, content: &str) -> Result<()> {
    let store = keepmind.store();
    let base = store.load(user.owner(), &Slice::default()).await?;
    let now = SystemClock.now();
    let mut ids = TimeOrderedIds::at(now);
    let mut draft = Draft::new(&base, now, &mut ids)?;
    let category = &keepmind.policy().default_category;
    let mut claim = Claim::note(category, storable_line(content)?, draft.stamp());
    let mut marks = Marks::default();
    let mut who = Who::User;
    if tier == Tier::Extracted {
        (claim.source, claim.trust) = (Source::Extracted, Trust::Extracted);
        marks.confidence = Some(CONFIDENCE);
        who = Who::Extractor;
    }
    let number = draft.new_number()?;
    draft.insert_version(number, claim, marks)?;
    let changes = draft.finish(EntryHeader::new(who, "given"))?;
    let expected = Expected::At(base.state().revision);
    store.commit(user.owner(), expected, changes.into()).await?;
    Ok(())
}

/// A given content as a store could have taken it.
fn storable_line(given: &str) -> Result<String> {
    let short: String = given.chars().take(limits::CONTENT_CHARS).collect();
    let line = text::line(&short).or_else(|_| {
        let is_plain = |letter: &char| letter.is_alphanumeric() || letter.is_ascii_graphic();
        let plain = |letter: char| if is_plain(&letter) { letter } else { ' ' };
        text::line(&short.chars().map(plain).collect::<String>())
    });
    Ok(line?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_given_can_be_stored() {
        for given in ["tea", "a\u{202e}b\u{0}c", &"long ".repeat(9_000)] {
            assert!(storable_line(given).is_ok(), "{given}");
        }
    }
}
