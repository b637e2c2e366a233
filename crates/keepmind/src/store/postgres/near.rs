//! Vectors that the server itself compares: in a column of pgvector's type, where somebody has installed that extension.
//!
//! Nothing depends on it. The column `vector` holds every vector, and what stands beside it in `near` is only asked where
//! `has_near` says of each row that it is the same. Whether to have the extension is the administrator's to decide, and
//! it may go while a store is open: what fails for that is done again without it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::Row as _;

use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::migrate;

/// How long the column's being added may wait for whoever reads: everybody else waits behind it.
const PATIENCE: &str = "2s";

/// What is known of the extension.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// The schema that its type and operators are in, quoted and with a dot; `None` without it.
    place: Option<String>,
    is_gone: AtomicBool,
}

impl Near {
    /// What stands before the names of the extension, where it is to be used.
    pub(super) fn place(&self) -> Option<&str> {
        let place = self.place.as_deref();
        place.filter(|_| !self.is_gone.load(Ordering::Relaxed))
    }

    /// It is used no more, until a store connects anew.
    pub(super) fn go_without(&self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }
}

/// Looks for the extension, and adds the column where it is missing and may be added. Whatever speaks against that, a
/// store is as good without.
pub(super) async fn find(line: &mut Line) -> Arc<Near> {
    let mut place = match look(line).await {
        Ok(Some(found)) if found.has_column => Some(found.place),
        Ok(Some(found)) if found.may_add => add(line).await.ok().flatten(),
        _ => None,
    };
    // Its names may be there and its program not, or not one that can be loaded.
    if let Some(found) = &place
        && try_out(line, found).await.is_err()
    {
        place = None;
    }
    Arc::new(Near {
        place,
        is_gone: AtomicBool::new(false),
    })
}

async fn try_out(line: &mut Line, place: &str) -> Work<()> {
    let sql = format!("SELECT '[1]'::{place}vector OPERATOR({place}<#>) '[1]'::{place}vector");
    line.raw(&sql).await?;
    Ok(())
}

struct Found {
    place: String,
    has_column: bool,
    may_add: bool,
}

/// The name of its schema is put into statements: one that means something there is left alone.
async fn look(line: &mut Line) -> Work<Option<Found>> {
    let sql = format!(
        "SELECT place.nspname::text AS place, pg_has_role(relowner, 'USAGE') AND typstorage <> 'p' AND NOT EXISTS \
         (SELECT 1 FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'near') AS may_add, \
         EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'near' AND atttypid = pg_type.oid) \
         AS has_column FROM pg_extension JOIN pg_namespace AS place ON place.oid = extnamespace \
         JOIN pg_type ON typnamespace = place.oid AND typname = 'vector' JOIN pg_class ON relname = 'embedding' \
         JOIN pg_namespace AS own ON own.oid = relnamespace AND own.nspname = '{name}' \
         WHERE extname = 'vector' AND place.nspname ~ '^[A-Za-z0-9_]+$' AND has_schema_privilege(place.oid, 'USAGE')",
        name = line.schema().name()
    );
    let rows = line.raw(&sql).await?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    Ok(Some(Found {
        place: format!("\"{}\".", row.try_get::<&str, _>("place")?),
        has_column: row.try_get("has_column")?,
        may_add: row.try_get("may_add")?,
    }))
}

/// Of many processes one adds it. What is compared is kept in the row itself: what would be put aside for its size had to
/// be looked up for each row, which takes longer than comparing.
async fn add(line: &mut Line) -> Work<Option<String>> {
    migrate::begin(line, PATIENCE).await?;
    let Some(found) = look(line).await? else {
        return Ok(None);
    };
    if !found.has_column {
        let add = format!(
            "ALTER TABLE @embedding ADD COLUMN near {}vector; \
             ALTER TABLE @embedding ALTER COLUMN near SET STORAGE MAIN",
            found.place
        );
        line.raw(&add).await?;
    }
    line.raw("COMMIT").await?;
    Ok(Some(found.place))
}
