//! Where memories were said, read in one row.

use sqlx::{Row as _, SqliteConnection};
use uuid::Uuid;

use crate::ids::{RowId, SessionId};
use crate::search::Document;
use crate::search::scenes::Scene;
use crate::store::sqlite::columns;
use crate::store::sqlite::failure::{Work, damaged};
use crate::timestamp::Timestamp;

/// From an index that holds all of them. Each column comes as one value, put together inside SQLite: a row for
/// each memory would cost many times as much, one text of all columns more too. What has no session is
/// passed over in that column, and told by the one before: 1 has one, 2 has none, anything else is no row of ours.
macro_rules! scenes_sql {
    ($rows:literal, $sessions:literal) => {
        concat!(
            "SELECT group_concat(number << 24 | version), ",
            $rows,
            ", group_concat(valid_from), \
             group_concat(CASE length(id) WHEN 16 THEN coalesce(length(session) = 16, 2) ELSE 0 END, ''), ",
            $sessions,
            ", group_concat(coalesce(speaker, ''), '\u{1f}') \
             FROM memory INDEXED BY memory_content WHERE owner_id = ?1 AND ended_at IS NULL"
        )
    };
}
const AS_BYTES: &str = scenes_sql!(
    "CAST(group_concat(id, '') AS BLOB)",
    "CAST(group_concat(session, '') AS BLOB)"
);
const AS_DIGITS: &str = scenes_sql!(
    "group_concat(hex(id), '')",
    "group_concat(hex(session), '')"
);

pub(super) async fn read(
    connection: &mut SqliteConnection,
    owner_id: i64,
) -> Work<Vec<(Document, Scene)>> {
    let keeps_bytes = columns::keeps_bytes(connection).await?;
    let row = sqlx::query(if keeps_bytes { AS_BYTES } else { AS_DIGITS })
        .bind(owner_id)
        .fetch_one(connection)
        .await?;
    let ids = |place: usize| -> Work<_> {
        Ok(match keeps_bytes {
            true => Ids::Bytes(row.try_get::<Option<&[u8]>, _>(place)?.unwrap_or_default()),
            false => Ids::Digits(row.try_get::<Option<&str>, _>(place)?.unwrap_or_default()),
        })
    };
    let Some(documents) = row.try_get::<Option<&str>, _>(0)? else {
        return Ok(Vec::new());
    };
    let mut columns = Columns {
        rows: ids(1)?,
        since: row.try_get::<&str, _>(2)?.split(','),
        has_session: row.try_get::<&str, _>(3)?.bytes(),
        sessions: ids(4)?,
        speakers: row.try_get::<&str, _>(5)?.split('\u{1f}'),
    };
    let mut scenes = Vec::new();
    for document in documents.split(',') {
        let document = document.parse().ok();
        let read = document.zip(columns.next());
        scenes.push(read.ok_or_else(|| damaged("memory"))?);
    }
    // What is left over would have been somebody else's.
    match columns.is_at_end() {
        true => Ok(scenes),
        false => Err(damaged("memory")),
    }
}

struct Columns<'a> {
    rows: Ids<'a>,
    since: std::str::Split<'a, char>,
    has_session: std::str::Bytes<'a>,
    sessions: Ids<'a>,
    speakers: std::str::Split<'a, char>,
}

impl Columns<'_> {
    fn next(&mut self) -> Option<Scene> {
        let session = match self.has_session.next()? {
            b'1' => Some(SessionId::new(self.sessions.next()?)),
            b'2' => None,
            _ => return None,
        };
        let speaker = Some(self.speakers.next()?).filter(|speaker| !speaker.is_empty());
        Some(Scene {
            row: RowId::new(self.rows.next()?),
            session,
            speaker: speaker.map(str::to_owned),
            since: Timestamp::from_micros(self.since.next()?.parse().ok()?).ok()?,
        })
    }

    fn is_at_end(&mut self) -> bool {
        self.rows.next().is_none()
            && self.since.next().is_none()
            && self.has_session.next().is_none()
            && self.sessions.next().is_none()
            && self.speakers.next().is_none()
    }
}

/// Ids one after the other: their bytes, or the digits of these.
enum Ids<'a> {
    Bytes(&'a [u8]),
    Digits(&'a str),
}

impl Ids<'_> {
    fn next(&mut self) -> Option<Uuid> {
        match self {
            Ids::Bytes(bytes) => {
                let (id, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Uuid::from_bytes(*id))
            }
            Ids::Digits(digits) => {
                let (id, rest) = digits.split_at_checked(32)?;
                *digits = rest;
                Uuid::try_parse(id).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::Connection as _;

    use super::*;

    /// Ids whose bytes are no text in any encoding, and some that begin with nothing.
    fn uuid(number: u128) -> Uuid {
        Uuid::from_u128((number << 64) | 0xd800_00ff_0a2c_1f00)
    }

    #[tokio::test]
    async fn scenes_are_read_as_they_were_written_whatever_the_file_keeps_text_as() {
        for encoding in ["UTF-8", "UTF-16le"] {
            let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
            let make = format!(
                "PRAGMA encoding = '{encoding}'; \
                 CREATE TABLE memory (owner_id INTEGER, number INTEGER, version INTEGER, id BLOB, session BLOB, \
                 speaker TEXT, valid_from INTEGER, ended_at INTEGER, content_hash INTEGER); \
                 CREATE INDEX memory_content ON memory (owner_id, content_hash) WHERE ended_at IS NULL"
            );
            sqlx::raw_sql(sqlx::AssertSqlSafe(make))
                .execute(&mut connection)
                .await
                .unwrap();
            assert!(read(&mut connection, 1).await.unwrap().is_empty());
            let mut expected = Vec::new();
            for number in 0..40_u8 {
                let session = (number % 3 == 0).then(|| uuid(u128::from(number / 9)));
                let speaker = (number % 2 == 0).then(|| format!("anna, Ł{}", number % 4));
                let since = i64::from(number) - 20;
                let row = uuid(u128::from(number) << 40);
                sqlx::query("INSERT INTO memory VALUES (?1, ?2, 3, ?3, ?4, ?5, ?6, ?7, ?2)")
                    .bind(1 + i64::from(number % 5 == 4))
                    .bind(i64::from(number))
                    .bind(row.as_bytes().to_vec())
                    .bind(session.map(|session| session.as_bytes().to_vec()))
                    .bind(&speaker)
                    .bind(since)
                    .bind((number % 5 == 3).then_some(1))
                    .execute(&mut connection)
                    .await
                    .unwrap();
                if number % 5 < 3 {
                    let scene = Scene {
                        row: RowId::new(row),
                        session: session.map(SessionId::new),
                        speaker,
                        since: Timestamp::from_micros(since).unwrap(),
                    };
                    expected.push((Document::from(number) << 24 | 3, scene));
                }
            }
            let found = read(&mut connection, 1).await.unwrap();
            assert_eq!(found, expected, "{encoding}");

            for damage in [
                "id = id || id",
                "id = zeroblob(8)",
                "id = NULL",
                "session = zeroblob(32)",
                "session = zeroblob(0)",
                "session = zeroblob(15)",
                "speaker = 'anna' || char(31) || 'ben'",
                "valid_from = NULL",
                "valid_from = 'never'",
            ] {
                let harm =
                    format!("BEGIN; UPDATE memory SET {damage} WHERE owner_id = 1 AND number = 0");
                sqlx::raw_sql(sqlx::AssertSqlSafe(harm))
                    .execute(&mut connection)
                    .await
                    .unwrap();
                let read = read(&mut connection, 1).await;
                assert!(read.is_err(), "{encoding}: {damage}: {read:?}");
                let mend = sqlx::raw_sql("ROLLBACK");
                mend.execute(&mut connection).await.unwrap();
            }
        }
    }
}
