//! A row that a question found: read, or as JSON. A host that speaks JSON gets most rows as a database holds them; to read
//! them for it, only to write them anew, took a tenth of a recall.

use crate::error::{Error, Result};
use crate::ids::{RowId, SessionId};
use crate::json;
use crate::memory::Layer;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

/// A row that was found. A store of a host's own makes it of the row: `row.into()`.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundRow(Form);

#[derive(Debug, Clone, PartialEq)]
enum Form {
    Read(Box<MemoryRow>),
    Json(JsonRow),
}

/// A row as JSON, byte for byte as it would be written anew, and what is asked of rows that nobody reads. Damage in what is
/// not asked for is found by whoever reads it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JsonRow {
    pub json: Box<str>,
    pub id: RowId,
    pub layer: Layer,
    pub session: Option<SessionId>,
    pub expires_at: Option<Timestamp>,
}

impl JsonRow {
    fn of(row: &MemoryRow, json: Box<str>) -> Self {
        JsonRow {
            json,
            id: row.id,
            layer: row.body.claim.layer,
            session: row.body.claim.session,
            expires_at: row.body.claim.expires_at,
        }
    }
}

impl From<MemoryRow> for FoundRow {
    fn from(row: MemoryRow) -> Self {
        FoundRow(Form::Read(Box::new(row)))
    }
}

impl From<JsonRow> for FoundRow {
    fn from(row: JsonRow) -> Self {
        FoundRow(Form::Json(row))
    }
}

impl FoundRow {
    /// A row that was read, as JSON where that is at hand.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn of(row: MemoryRow, json: Option<Box<str>>) -> Self {
        match json {
            Some(json) => JsonRow::of(&row, json).into(),
            None => row.into(),
        }
    }

    /// A row that others keep: its JSON, or a copy.
    pub(crate) fn of_kept(row: &MemoryRow, is_json: bool) -> Self {
        let json = is_json.then(|| json::write(row)).and_then(Result::ok);
        match json {
            Some(json) => JsonRow::of(row, json.into()).into(),
            None => row.clone().into(),
        }
    }

    /// Which row it is.
    pub fn id(&self) -> RowId {
        match &self.0 {
            Form::Read(row) => row.id,
            Form::Json(row) => row.id,
        }
    }

    /// The row, where it was read.
    pub fn row(&self) -> Option<&MemoryRow> {
        match &self.0 {
            Form::Read(row) => Some(row),
            Form::Json(_) => None,
        }
    }

    /// The row as JSON, where it was not read.
    pub fn json(&self) -> Option<&str> {
        match &self.0 {
            Form::Read(_) => None,
            Form::Json(row) => Some(&row.json),
        }
    }

    /// The row, read now where it was not. Fails where the store's data is damaged.
    pub fn read(self) -> Result<MemoryRow> {
        match self.0 {
            Form::Read(row) => Ok(*row),
            Form::Json(row) => {
                serde_json::from_str(&row.json).map_err(|_| Error::unreadable("memory"))
            }
        }
    }

    pub(crate) fn layer(&self) -> Layer {
        match &self.0 {
            Form::Read(row) => row.body.claim.layer,
            Form::Json(row) => row.layer,
        }
    }

    /// The chat that it came from.
    pub(crate) fn session(&self) -> Option<SessionId> {
        match &self.0 {
            Form::Read(row) => row.body.claim.session,
            Form::Json(row) => row.session,
        }
    }

    pub(crate) fn expires_at(&self) -> Option<Timestamp> {
        match &self.0 {
            Form::Read(row) => row.body.claim.expires_at,
            Form::Json(row) => row.expires_at,
        }
    }
}
