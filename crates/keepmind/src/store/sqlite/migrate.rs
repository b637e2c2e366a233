//! Brings a file to the schema of this version, safely from several processes at once.

use sqlx::{Row, SqliteConnection};

use crate::error::{Error, ErrorKind, Result};
use crate::search::keywords::{Terms, memory_document};
use crate::search::scenes::Scene;
use crate::store::database::runtime::OPEN;
use crate::store::database::segments::MOST_WAITING;
use crate::store::sqlite::batch::Batch;
use crate::store::sqlite::columns::{self, blob};
use crate::store::sqlite::failure::{Failure, Work};
use crate::store::sqlite::postings::post;
use crate::store::sqlite::schema::{APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION};
use crate::store::sqlite::segments;
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
        "DELETE FROM posting; DELETE FROM message_posting; DELETE FROM message_segment; \
         UPDATE owner SET memory_documents = 0, memory_length = 0, message_documents = 0, message_length = 0",
    )
    .execute(&mut *connection)
    .await?;
    index_memories(connection).await?;
    count_messages(connection).await?;
    let owners: Vec<i64> = sqlx::query_scalar("SELECT id FROM owner")
        .fetch_all(&mut *connection)
        .await?;
    for owner_id in owners {
        while segments::gather(connection, owner_id, MOST_WAITING).await? {}
    }
    sqlx::query("INSERT INTO setting (name, value) VALUES ('terms', ?1) ON CONFLICT DO UPDATE SET value = ?1")
        .bind(i64::from(TERMS_VERSION))
        .execute(connection)
        .await?;
    Ok(())
}

async fn index_memories(connection: &mut SqliteConnection) -> Work<()> {
    let mut after = 0;
    loop {
        let rows = sqlx::query(
            "SELECT record, marks, ending, rowid, owner_id FROM memory WHERE rowid > ?1 ORDER BY rowid LIMIT 500",
        )
        .bind(after)
        .fetch_all(&mut *connection)
        .await?;
        let Some(last) = rows.last() else {
            return Ok(());
        };
        after = last.try_get("rowid")?;
        let mut batch = Batch::default();
        for row in &rows {
            let owner_id: i64 = row.try_get("owner_id")?;
            let rowid: i64 = row.try_get("rowid")?;
            let row = columns::memory(row)?;
            let scene = Scene::of(row.id, &row.body.claim);
            let memory = row.body;
            let document = memory_document(memory.number, memory.version);
            let terms = Terms::of_memory(&memory.claim);
            post(&mut batch, owner_id, document, &terms);
            batch
                .add(
                    "UPDATE memory SET session = ?2, speaker = ?3 \
                     WHERE rowid = ?1 AND (session IS NOT ?2 OR speaker IS NOT ?3)",
                )
                .bind(rowid)
                .bind(scene.session.map(|session| blob(session.uuid())))
                .bind(scene.speaker);
            batch
                .add("UPDATE owner SET memory_documents = memory_documents + 1, memory_length = memory_length + ?2 WHERE id = ?1")
                .bind(owner_id)
                .bind(terms.length);
        }
        let ran = batch.run(&mut *connection).await;
        ran.map_err(|stopped| stopped.failure)?;
    }
}

async fn count_messages(connection: &mut SqliteConnection) -> Work<()> {
    let mut after = 0;
    loop {
        let rows: Vec<(i64, i64, String)> = sqlx::query_as(
            "SELECT rowid, owner_id, content FROM message WHERE rowid > ?1 ORDER BY rowid LIMIT 500",
        )
        .bind(after)
        .fetch_all(&mut *connection)
        .await?;
        let Some((last, ..)) = rows.last() else {
            return Ok(());
        };
        after = *last;
        let mut batch = Batch::default();
        for (_, owner_id, content) in &rows {
            batch
                .add("UPDATE owner SET message_documents = message_documents + 1, message_length = message_length + ?2 WHERE id = ?1")
                .bind(owner_id)
                .bind(Terms::of_content(content).length);
        }
        let ran = batch.run(&mut *connection).await;
        ran.map_err(|stopped| stopped.failure)?;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sqlx::{ConnectOptions, Connection};

    use super::*;
    use crate::MemoryStore;
    use crate::conformance::fixtures::{Scribe, claim, save};
    use crate::memory::Layer;
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
        let schema: Vec<(String, String, Option<String>)> =
            sqlx::query_as("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")
                .fetch_all(&mut connection)
                .await
                .unwrap();
        let plain = |sql: String| {
            let lines = sql.lines().map(|line| line.split("--").next().unwrap());
            let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
            words.join(" ")
        };
        let told = schema.into_iter();
        told.map(|(kind, name, sql)| (kind, name, sql.map(plain)))
            .collect()
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

    #[tokio::test]
    async fn what_was_said_in_a_file_of_version_1_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        std::fs::File::create_new(&path).unwrap();
        let options = SqliteOptions::new(path);
        let mut connection = options.writer().connect().await.unwrap();
        let mut script = format!(
            "{} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1; \
             INSERT INTO setting VALUES ('terms', {TERMS_VERSION}); \
             INSERT INTO owner VALUES (1, 'alice', zeroblob(16), 0, 1, NULL, 0, 0, 0, 200, 500); \
             INSERT INTO session (owner_id, id, opened_at, active_at, status, attempts) \
             VALUES (1, zeroblob(16), 0, 0, 'active', 0);",
            MIGRATIONS[0]
        );
        for place in 1..=200 {
            script.push_str(&format!(
                "INSERT INTO message (owner_id, ordinal, session, number, role, content, origin, at) \
                 VALUES (1, {place}, zeroblob(16), {place}, 'user', 'cup {place}', 'typed', 0); \
                 INSERT INTO posting VALUES (1, 2, 'cup', {place}, 1, 2);"
            ));
        }
        sqlx::raw_sql(sqlx::AssertSqlSafe(script))
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();

        let store: Arc<dyn MemoryStore> =
            Arc::new(SqliteStore::open_with(options.clone()).await.unwrap());
        let search = crate::store::MessageSearch {
            text: "cup 77".to_owned(),
            session: None,
            roles: Default::default(),
            limit: 500,
        };
        let alice = crate::conformance::fixtures::owner("alice");
        let hits = store.search_messages(&alice, &search).await.unwrap();
        assert_eq!(hits.len(), 200);
        assert_eq!(hits[0].message.utterance.content, "cup 77");
        store.close().await.unwrap();
        let mut connection = options.writer().connect().await.unwrap();
        let counted: (i64, i64, i64) = sqlx::query_as(
            "SELECT message_documents, message_length, (SELECT count(*) FROM message_segment) FROM owner",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        assert_eq!(counted, (200, 400, 3));
    }

    #[tokio::test]
    async fn memories_of_a_file_of_version_2_get_their_scenes() {
        type Scene = (Option<Vec<u8>>, Option<String>, i64);
        async fn scenes(connection: &mut sqlx::SqliteConnection) -> Vec<Scene> {
            sqlx::query_as("SELECT session, speaker, valid_from FROM memory ORDER BY number")
                .fetch_all(connection)
                .await
                .unwrap()
        }

        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("memories.db"));
        let store: Arc<dyn MemoryStore> =
            Arc::new(SqliteStore::open_with(options.clone()).await.unwrap());
        let mut alice = Scribe::new(&store, "alice");
        let session = alice.open_session().await;
        let mut said = claim("Anna: I moved to Graz");
        said.session = Some(session);
        said.valid_from = crate::Timestamp::parse("2023-05-07T10:00:00Z").unwrap();
        alice.save(said).await;
        alice.note("the user met a bee").await;
        let mut told = claim("Anna: I moved to Graz, and met a bee");
        told.layer = Layer::Episode;
        told.session = Some(session);
        alice.save(told).await;
        store.close().await.unwrap();

        let mut connection = options.writer().connect().await.unwrap();
        let written = scenes(&mut connection).await;
        assert_eq!(
            written[0].0.as_deref(),
            Some(&session.uuid().as_bytes()[..])
        );
        assert_eq!(written[0].1.as_deref(), Some("anna"));
        assert_eq!((&written[1].0, &written[1].1), (&None, &None));
        // An episode has neither: it speaks for no fact of its chat.
        assert_eq!((&written[2].0, &written[2].1), (&None, &None));
        sqlx::raw_sql(
            "DROP INDEX memory_ended; DROP INDEX memory_content; ALTER TABLE memory DROP COLUMN session; \
             ALTER TABLE memory DROP COLUMN speaker; ALTER TABLE memory DROP COLUMN valid_from; \
             CREATE INDEX memory_content ON memory (owner_id, content_hash) WHERE ended_at IS NULL; \
             PRAGMA user_version = 2",
        )
        .execute(&mut connection)
        .await
        .unwrap();
        connection.close().await.unwrap();

        let store = SqliteStore::open_with(options.clone()).await.unwrap();
        store.close().await.unwrap();
        let mut connection = options.writer().connect().await.unwrap();
        assert_eq!(scenes(&mut connection).await, written);
    }
}
