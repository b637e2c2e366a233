//! The second belt: row-level security. The server itself shows a transaction the rows of the owner that it has named,
//! and nobody's where it has named none.
//!
//! The library asks for one owner's rows anyway. This holds also for a statement that does not, its own or somebody
//! else's with the same role; superusers and roles that may bypass row-level security are not bound by it.

use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::maintenance::OWNED;

/// Under this name a database says that it is on.
pub(super) const SETTING: &str = "row_security";

/// Whose rows a transaction is about. A setting that was made and has ended is an empty text.
const OWNER: &str = "nullif(current_setting('keepmind.owner', true), '')::uuid";

/// Puts it on: also the role that the tables belong to is held to it.
pub(super) async fn put_on(line: &mut Line) -> Work<()> {
    let mut sql = String::new();
    for (table, column) in tables() {
        sql.push_str(&format!(
            "ALTER TABLE @{table} ENABLE ROW LEVEL SECURITY; ALTER TABLE @{table} FORCE ROW LEVEL SECURITY; \
             DROP POLICY IF EXISTS keepmind_owner ON @{table}; \
             CREATE POLICY keepmind_owner ON @{table} USING ({column} = {OWNER}); "
        ));
    }
    // The owners' page reads owners' names and counters, and nothing else.
    sql.push_str(
        "DROP POLICY IF EXISTS keepmind_owners ON @owner; \
         CREATE POLICY keepmind_owners ON @owner FOR SELECT \
         USING (current_setting('keepmind.owners', true) = 'listed')",
    );
    line.raw_patiently(&sql).await?;
    Ok(())
}

/// Lets the role that the tables belong to see all of them, until it is put on again.
pub(super) async fn loosen(line: &mut Line) -> Work<()> {
    let tables = tables()
        .map(|(table, _)| format!("ALTER TABLE IF EXISTS @{table} NO FORCE ROW LEVEL SECURITY; "));
    let sql: String = tables.collect();
    line.raw_patiently(&sql).await?;
    Ok(())
}

/// All tables with rows of owners, and the column that says whose they are.
fn tables() -> impl Iterator<Item = (&'static str, &'static str)> {
    let owned = OWNED.iter().map(|(table, ..)| (*table, "owner_id"));
    owned.chain([("owner", "id")])
}
