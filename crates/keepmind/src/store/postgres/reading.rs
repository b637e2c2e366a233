//! One question about many tables: the rows of all come in one answer, at one moment, each as JSON under the name
//! of its part.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use sqlx::Row as _;
use uuid::Uuid;

use crate::store::postgres::columns::damaged;
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::statement::{Part, Statement};

#[derive(Default)]
pub(super) struct Reading {
    statement: Statement,
    last: String,
    count: usize,
}

impl Reading {
    /// A part that others read from, and that is not answered by itself.
    pub(super) fn given(&mut self, name: &str, sql: &str) -> Part<'_> {
        self.statement.part(name, sql)
    }

    /// Asks for the rows that a statement selects, under that name.
    pub(super) fn ask(&mut self, part: &'static str, sql: &str) -> Part<'_> {
        let name = format!("part_{}", self.count);
        self.count += 1;
        if !self.last.is_empty() {
            self.last.push_str(" UNION ALL ");
        }
        write!(
            self.last,
            "SELECT '{part}' AS part, row_to_json({name})::text AS line FROM {name}"
        )
        .ok();
        self.statement.part(&name, sql)
    }

    /// The rows, each with the name it was asked for by.
    pub(super) async fn answer(
        self,
        line: &mut Line,
        owner: Uuid,
    ) -> Work<Vec<(String, Map<String, Value>)>> {
        let rows = self.statement.read(&self.last, line, owner).await?;
        rows.iter()
            .map(|row| {
                let line: &str = row.try_get("line")?;
                let cells = serde_json::from_str(line).map_err(|_| damaged("row"))?;
                Ok((row.try_get("part")?, cells))
            })
            .collect()
    }
}
