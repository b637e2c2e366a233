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

impl Part<'_> {
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
