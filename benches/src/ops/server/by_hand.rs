//! PostgreSQL by hand: the row and its keywords, in a transaction of prepared statements on one connection.

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use crate::Result;
use crate::baseline::frequencies;
use crate::workload::{BATCH, Fact, Workload};

const SCHEMA: &str = include_str!("by_hand.sql");

/// A connection, and the ids that it gave out.
pub struct ByHand {
    connection: PgConnection,
    last_id: u128,
}

impl ByHand {
    /// Makes the tables.
    pub async fn open(url: &str) -> Result<Self> {
        let mut opened = ByHand::beside(url).await?;
        opened.connection.execute(AssertSqlSafe(SCHEMA)).await?;
        Ok(opened)
    }

    /// Another connection, for owners of its own.
    pub async fn beside(url: &str) -> Result<Self> {
        let options: PgConnectOptions = url.parse()?;
        Ok(ByHand {
            connection: PgConnection::connect_with(&options).await?,
            last_id: 0,
        })
    }

    /// Makes an owner with so many facts.
    pub async fn fill(&mut self, workload: &Workload, owner: usize, facts: usize) -> Result<()> {
        let id = owner as i64;
        self.add_owner(id).await?;
        for first in (1..=facts as u64).step_by(BATCH as usize) {
            let last = (first + BATCH - 1).min(facts as u64);
            let facts: Vec<Fact> = (first..=last)
                .map(|number| workload.fact(owner, number, 1))
                .collect();
            self.insert(id, &facts, 0).await?;
        }
        Ok(())
    }

    /// Makes an owner without any.
    pub async fn add_owner(&mut self, owner: i64) -> Result<()> {
        sqlx::query("INSERT INTO by_hand.owner (id) VALUES ($1)")
            .bind(owner)
            .execute(&mut self.connection)
            .await?;
        Ok(())
    }

    /// Inserts facts in one transaction.
    pub async fn insert(&mut self, owner: i64, facts: &[Fact], at: i64) -> Result<()> {
        let mut transaction = self.connection.begin().await?;
        for fact in facts {
            self.last_id += 1;
            let (terms, length) = frequencies(fact);
            let number: i64 = sqlx::query_scalar(
                "UPDATE by_hand.owner SET next_number = next_number + 1,
                 memory_documents = memory_documents + 1, memory_length = memory_length + $2
                 WHERE id = $1 RETURNING next_number - 1",
            )
            .bind(owner)
            .bind(length)
            .fetch_one(&mut *transaction)
            .await?;
            let tags: Vec<&str> = fact.tags.iter().map(String::as_str).collect();
            sqlx::query(
                "INSERT INTO by_hand.memory (owner_id, number, version, id, origin, recorded_at, layer, category,
                 authority, content, body, tags, source, trust, valid_from, importance)
                 VALUES ($1, $2, 1, $3, $3, $4, 'fact', $5, 'note', $6, $7, $8, 'user', 'user', $4, 0.5)",
            )
            .bind(owner)
            .bind(number)
            .bind(self.last_id.to_be_bytes().to_vec())
            .bind(at)
            .bind(fact.category)
            .bind(&fact.content)
            .bind(&fact.body)
            .bind((!tags.is_empty()).then(|| tags.join("\n")))
            .execute(&mut *transaction)
            .await?;
            let (terms, counts): (Vec<String>, Vec<i64>) = terms.into_iter().unzip();
            sqlx::query(
                "INSERT INTO by_hand.posting (owner_id, term, document, frequency, length)
                 SELECT $1, term, $2, frequency, $3 FROM unnest($4::text[], $5::bigint[]) AS t (term, frequency)",
            )
            .bind(owner)
            .bind(number)
            .bind(length)
            .bind(terms)
            .bind(counts)
            .execute(&mut *transaction)
            .await?;
        }
        Ok(transaction.commit().await?)
    }
}
