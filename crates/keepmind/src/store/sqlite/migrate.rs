//! Brings a file to the schema of this version, safely from several processes at once.

use sqlx::{Row, SqliteConnection};

use crate::error::{Error, ErrorKind, Result};
use crate::search::keywords::{Terms, memory_document, message_document};
use crate::store::sqlite::batch::Batch;
use crate::store::sqlite::columns;
use crate::store::sqlite::failure::{Failure, Work};
use crate::store::sqlite::options::OPEN;
use crate::store::sqlite::postings::{Space, post};
use crate::store::sqlite::schema::{APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION};
use crate::store::sqlite::transaction::Transaction;
use crate::text::TERMS_VERSION;

/// Applies what is missing. Under the write lock the version is read again, so that of several
/// processes one migrates and the others find it done.
pub(super) async fn migrate(
    connection: &mut SqliteConnection,
    patience: std::time::Duration,
) -> Result<()> {
    let mut transaction = Transaction::begin(connection, patience);
    let applied = match transaction.connection().await {
        Ok(connection) => apply(connection).await,
        Err(failure) => Err(failure),
    };
    let migrated = match applied {
        Ok(()) => transaction.commit().await,
        Err(failure) => Err(failure),
    };
    // Whether it was committed or not, opening again finds out.
    migrated.map_err(|failure| failure.into_known_error(OPEN))
}

async fn apply(connection: &mut SqliteConnection) -> Work<()> {
    let found: u32 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut *connection)
        .await?;
    if found > SCHEMA_VERSION {
        return Err(Failure::Refused(Error::new(
            ErrorKind::Newer,
            OPEN,
            format_args!(
                "the file has schema {found}, this version knows {SCHEMA_VERSION}: upgrade the library"
            ),
        )));
    }
    for script in &MIGRATIONS[found as usize..] {
        sqlx::raw_sql(*script).execute(&mut *connection).await?;
    }
    if found < SCHEMA_VERSION {
        let versions = format!(
            "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(versions))
            .execute(&mut *connection)
            .await?;
    }
    rebuild_index(connection).await
}

/// Makes the keyword index anew when it was made with other terms.
async fn rebuild_index(connection: &mut SqliteConnection) -> Work<()> {
    let made_with: Option<i64> =
        sqlx::query_scalar("SELECT value FROM setting WHERE name = 'terms'")
            .fetch_optional(&mut *connection)
            .await?;
    if made_with == Some(i64::from(TERMS_VERSION)) {
        return Ok(());
    }
    sqlx::raw_sql(
        "DELETE FROM posting; \
         UPDATE owner SET memory_documents = 0, memory_length = 0, message_documents = 0, message_length = 0",
    )
    .execute(&mut *connection)
    .await?;
    for space in [Space::Memories, Space::Messages] {
        let mut after = 0;
        loop {
            let found = documents(connection, space, after).await?;
            let Some((last, ..)) = found.last() else {
                break;
            };
            after = *last;
            let mut batch = Batch::default();
            for (_, owner, document, terms) in &found {
                post(&mut batch, *owner, space, *document, terms);
                batch
                    .add(space.count_sql())
                    .bind(owner)
                    .bind(1)
                    .bind(i64::from(terms.length));
            }
            let ran = batch.run(&mut *connection).await;
            ran.map_err(|stopped| stopped.failure)?;
        }
    }
    sqlx::query("INSERT INTO setting (name, value) VALUES ('terms', ?1) ON CONFLICT DO UPDATE SET value = ?1")
        .bind(i64::from(TERMS_VERSION))
        .execute(connection)
        .await?;
    Ok(())
}

type Indexed = (i64, i64, u64, Terms);

async fn documents(
    connection: &mut SqliteConnection,
    space: Space,
    after: i64,
) -> Work<Vec<Indexed>> {
    let rows = match space {
        Space::Memories => sqlx::query(
            "SELECT record, marks, ending, rowid, owner_id FROM memory WHERE rowid > ?1 ORDER BY rowid LIMIT 500",
        ),
        Space::Messages => {
            sqlx::query(columns::message_sql!("rowid > ?1 ORDER BY rowid LIMIT 500"))
        }
    }
    .bind(after)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            let rowid = row.try_get("rowid")?;
            let owner = row.try_get("owner_id")?;
            let (document, terms) = match space {
                Space::Memories => {
                    let memory = columns::memory(row)?.body;
                    (
                        memory_document(memory.number, memory.version),
                        Terms::of_memory(&memory.claim),
                    )
                }
                Space::Messages => {
                    let message = columns::message(row)?;
                    (
                        message_document(message.ordinal),
                        Terms::of_message(&message.utterance),
                    )
                }
            };
            Ok((rowid, owner, document, terms))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sqlx::{ConnectOptions, Connection};

    use super::*;
    use crate::MemoryStore;
    use crate::conformance::fixtures::{Scribe, claim, save};
    use crate::store::Selection;
    use crate::store::sqlite::{SqliteOptions, SqliteStore};

    async fn schema_of(script: &str) -> Vec<(String, String, Option<String>)> {
        let mut connection = sqlx::SqliteConnection::connect("sqlite::memory:")
            .await
            .unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(script.to_owned()))
            .execute(&mut connection)
            .await
            .unwrap();
        sqlx::query_as("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")
            .fetch_all(&mut connection)
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn the_schema_is_what_the_migrations_make() {
        let migrated = schema_of(&MIGRATIONS.concat()).await;
        let written = schema_of(include_str!("schema.sql")).await;
        assert!(migrated.len() > 30);
        assert_eq!(migrated, written);
    }

    #[tokio::test]
    async fn an_index_of_other_terms_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("memories.db"));
        let store: Arc<dyn MemoryStore> =
            Arc::new(SqliteStore::open_with(options.clone()).await.unwrap());
        let mut alice = Scribe::new(&store, "alice");
        alice
            .write(|draft| {
                (0..600).try_for_each(|place| {
                    save(draft, claim(&format!("the user met bee {place}"))).map(drop)
                })
            })
            .await;
        let session = alice.open_session().await;
        alice.say(session, "bees are kind").await;
        let before = alice.found("bee 7", Selection::All).await;
        assert_eq!(before[0], "the user met bee 7");
        store.close().await.unwrap();

        let mut connection = options.writer().connect().await.unwrap();
        let kept: i64 = sqlx::query_scalar("SELECT sum(frequency * length) FROM posting")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        sqlx::raw_sql("UPDATE setting SET value = 0; UPDATE posting SET frequency = 9 WHERE term = 'bee'; UPDATE owner SET memory_documents = 3")
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();

        let store: Arc<dyn MemoryStore> =
            Arc::new(SqliteStore::open_with(options.clone()).await.unwrap());
        let alice = Scribe::new(&store, "alice");
        assert_eq!(alice.found("bee 7", Selection::All).await, before);
        store.close().await.unwrap();
        let mut connection = options.writer().connect().await.unwrap();
        let rebuilt: i64 = sqlx::query_scalar("SELECT sum(frequency * length) FROM posting")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(rebuilt, kept);
    }
}
