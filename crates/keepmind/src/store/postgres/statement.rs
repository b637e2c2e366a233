//! One statement of many parts: what a commit writes goes to the server at once and stands or falls as a whole.
//!
//! Every part takes its owner from the part `guard`, which writes only where the owner still is what the set was
//! made for. Where it is not, the guard is empty, and with it all others: nothing is written. All parts see the
//! tables as they were before the statement, so a part that needs what another has taken away names it.

use std::fmt::Write as _;

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Arguments as _, Encode, Postgres, Type};
use uuid::Uuid;

use crate::store::postgres::connection::{Asked, Line};
use crate::store::postgres::failure::Work;

#[derive(Default)]
pub(super) struct Statement {
    sql: String,
    arguments: PgArguments,
    /// A value had no form that PostgreSQL knows.
    is_unfit: bool,
}

/// A part of a statement, of which values are still to be bound.
pub(super) struct Part<'a> {
    statement: &'a mut Statement,
    /// How many values were bound before it.
    before: usize,
}

impl Statement {
    /// Begins a part with a name. Its parameters are `$1`, `$2` and so on, bound in that order.
    pub(super) fn part(&mut self, name: &str, sql: &str) -> Part<'_> {
        self.sql.push_str(match self.sql.is_empty() {
            true => "WITH ",
            false => "), ",
        });
        self.sql.push_str(name);
        self.sql.push_str(" AS (");
        let before = self.arguments.len();
        self.number(sql, before);
        Part {
            statement: self,
            before,
        }
    }

    /// Begins a part that inserts rows for the guard's owner, each column bound with [`Part::each`]. What they wait
    /// for, and what becomes of those that are there already, may follow.
    pub(super) fn insert(&mut self, table: &str, columns: &str, rows: usize) -> Part<'_> {
        let names = names(columns);
        let given = given("new", columns, rows);
        let sql = format!(
            "INSERT INTO @{table} (owner_id, {names}) SELECT guard.id, new.* FROM guard, {given} WHERE true"
        );
        self.part(&format!("new_{table}"), &sql)
    }

    /// Reads all parts, and answers what a last one says.
    pub(super) async fn read(self, last: &str, line: &mut Line, owner: Uuid) -> Work<Vec<PgRow>> {
        let asked = self.asked(last, line)?;
        line.read(Some(owner), asked).await
    }

    /// Writes all parts, and answers what a last one says.
    pub(super) async fn write(self, last: &str, line: &mut Line, owner: Uuid) -> Work<Vec<PgRow>> {
        let asked = self.asked(last, line)?;
        line.write(owner, asked).await
    }

    /// The statement as it travels.
    pub(super) fn asked(mut self, last: &str, line: &Line) -> Work<Asked<'static>> {
        if self.is_unfit {
            let unfit = "a value has no form that PostgreSQL knows";
            return Err(sqlx::Error::Encode(unfit.into()).into());
        }
        self.sql.push_str(") ");
        self.sql.push_str(last);
        Ok(line.query_with(&self.sql, self.arguments))
    }

    /// Each part's parameters are numbered by the values' places among all.
    fn number(&mut self, sql: &str, before: usize) {
        let mut pieces = sql.split('$');
        self.sql.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = piece.split_at(digits);
            let place = number.parse::<usize>().unwrap_or_default() + before;
            write!(self.sql, "${place}{rest}").ok();
        }
    }
}

/// Rows of which each column is bound with [`Part::each`], as a table of that name. `columns` are `name type, …`.
/// A single row's values travel as they are: a server takes its time to unfold arrays, one for each column.
pub(super) fn given(name: &str, columns: &str, rows: usize) -> String {
    let mut sql = String::with_capacity(2 * columns.len() + 64);
    let is_one = rows == 1;
    sql.push_str(if is_one { "(SELECT " } else { "unnest(" });
    for (place, (column, kind)) in (1..).zip(parted(columns)) {
        let comma = if place == 1 { "" } else { ", " };
        match is_one {
            true => write!(sql, "{comma}${place}::{kind} AS {column}"),
            false => write!(sql, "{comma}${place}::{kind}[]"),
        }
        .ok();
    }
    match is_one {
        true => write!(sql, ") AS {name}"),
        false => write!(sql, ") AS {name} ({})", names(columns)),
    }
    .ok();
    sql
}

fn names(columns: &str) -> String {
    let mut names = String::with_capacity(columns.len());
    for (column, _) in parted(columns) {
        names.push_str(if names.is_empty() { "" } else { ", " });
        names.push_str(column);
    }
    names
}

/// The columns and their types.
fn parted(columns: &str) -> impl Iterator<Item = (&str, &str)> {
    columns
        .split(", ")
        .filter_map(|column| column.split_once(' '))
}

impl Part<'_> {
    /// Binds the next column of rows that are [`given`].
    pub(super) fn each<'v, T>(self, column: Vec<T>) -> Self
    where
        T: Encode<'v, Postgres> + Type<Postgres>,
        Vec<T>: Encode<'v, Postgres> + Type<Postgres>,
    {
        match <[T; 1]>::try_from(column) {
            Ok([value]) => self.bind(value),
            Err(column) => self.bind(column),
        }
    }

    /// Binds the next value.
    pub(super) fn bind<'v, T: Encode<'v, Postgres> + Type<Postgres>>(self, value: T) -> Self {
        self.statement.is_unfit |= self.statement.arguments.add(value).is_err();
        self
    }

    /// More of the part, with the same parameters.
    pub(super) fn and(self, sql: &str) -> Self {
        self.statement.number(sql, self.before);
        self
    }

    /// It waits until another part is done, where there is one.
    pub(super) fn after(self, name: Option<&str>) -> Self {
        match name {
            // A count is never less than nothing, but the server does not know.
            Some(name) => {
                let waiting = format!(" AND (SELECT count(*) FROM {name}) >= 0");
                self.and(&waiting)
            }
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_travels_as_values_and_many_as_arrays() {
        let columns = "id uuid, at bigint";
        let one = "(SELECT $1::uuid AS id, $2::bigint AS at) AS new";
        let many = "unnest($1::uuid[], $2::bigint[]) AS new (id, at)";
        assert_eq!(given("new", columns, 1), one);
        for rows in [0, 2, 100] {
            assert_eq!(given("new", columns, rows), many);
        }
    }

    #[test]
    fn an_insert_names_its_columns_and_numbers_its_values_after_those_before_it() {
        let mut statement = Statement::default();
        statement
            .part("guard", "UPDATE @owner SET writes = $2 WHERE id = $1")
            .bind(1_i64)
            .bind(2_i64);
        statement
            .insert("usage", "id uuid, at bigint", 1)
            .each(vec![Uuid::nil()])
            .each(vec![7_i64]);
        assert_eq!(
            statement.sql,
            "WITH guard AS (UPDATE @owner SET writes = $2 WHERE id = $1), new_usage AS (INSERT INTO @usage \
             (owner_id, id, at) SELECT guard.id, new.* FROM guard, (SELECT $3::uuid AS id, $4::bigint AS at) AS new \
             WHERE true"
        );
        assert_eq!(statement.arguments.len(), 4);
    }
}
