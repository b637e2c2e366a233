//! An owner's data as JSON Lines, and back: lossless, canonical, one thing a line; and as Markdown, for a person.
//! Equal data gives equal bytes on every backend, so exports are what stores are compared by. From store to store in
//! `copy`.

mod copy;
mod lines;
mod markdown;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::change::{ChangeSet, Expected, Receipt, Slice, Snapshot};
use crate::engine::UserMemory;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::OperationId;
use crate::imported::ImportReport;
use crate::model::{Clock, IdSource};
use crate::order::Gather;
use crate::owner::{Owner, OwnerState, Revision};
use crate::store::MemoryStore;
use crate::timestamp::Timestamp;

pub use crate::markdown::{MarkdownFile, Reader};
pub use copy::{
    CopyOptions, CopyOutcome, CopyProgress, CopyRefusal, CopyReport, copy, copy_between,
};
pub use markdown::EditedMarkdown;

use lines::{FORMAT, Footer, Header, Line, Writer, lines_of, read};

const RESTORE: &str = "restore";
const IMPORT: &str = "import_export";

/// How much time there must be after a restored file. Every later write is stamped after it, whatever the clock
/// says, so one from the end of time would leave none.
const ROOM_AFTER: Duration = Duration::from_secs(100 * 365 * 86_400);

/// Everything of an owner, at one revision, as JSON Lines.
///
/// Left out is only what is the store's own: the operation ids it remembers, its epoch, its indexes.
pub async fn export(store: &dyn MemoryStore, owner: &Owner) -> Result<String> {
    let snapshot = store.load(owner, &Slice::everything()).await?;
    let mut writer = Writer::default();
    writer.line(&Line::Keepmind(Header {
        format: FORMAT,
        owner: owner.clone(),
        next_number: snapshot.state().next_number,
    }))?;
    for line in lines_of(&snapshot) {
        writer.line(&line)?;
    }
    let lines = writer.lines - 1;
    writer.line(&Line::End(Footer { lines }))?;
    Ok(writer.text)
}

/// Brings an export back, without loss, for an owner of whom nothing is known.
///
/// One commit: all of it or nothing. The file is untrusted: every line is checked, and the error says
/// which line is wrong. What the rows say of their source and trust is taken over, so restore only what
/// this library exported for the same user; what comes from elsewhere is [imported](UserMemory::import_export).
pub async fn restore(
    store: &dyn MemoryStore,
    owner: &Owner,
    lines: &str,
    clock: &dyn Clock,
    ids: &mut dyn IdSource,
) -> Result<Receipt> {
    restore_until(Timestamp::MAX, store, owner, lines, clock, ids).await
}

/// [`restore`] of a file that was written at the latest then.
async fn restore_until(
    latest: Timestamp,
    store: &dyn MemoryStore,
    owner: &Owner,
    lines: &str,
    clock: &dyn Clock,
    ids: &mut dyn IdSource,
) -> Result<Receipt> {
    let present = store.load(owner, &Slice::default()).await?;
    if present.state().revision != Revision::NONE {
        return Err(Error::new(
            ErrorKind::Conflict,
            RESTORE,
            "the owner has data already: import the file instead, or erase the owner first",
        ));
    }
    let now = clock.now();
    let changes = ChangeSet::new(OperationId::new(ids.next_id()), now);
    let changes = read(lines, RESTORE, changes)?.changes;
    if changes.at > latest {
        let message = "the export says it was written at the end of time: nothing could follow it";
        return Err(Error::invalid(RESTORE, message));
    }
    store
        .commit(owner, Expected::At(Revision::NONE), changes.into())
        .await
}

/// An export that is to join what is known of a user already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Import {
    /// What `export` answered.
    pub lines: String,
    /// Whose export it is, where it is not this user's own: a file that names another owner is refused
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Owner>,
    /// Only says what would become of each line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Import {
    /// An export of the same user's.
    pub fn new(lines: impl Into<String>) -> Self {
        Import {
            lines: lines.into(),
            from: None,
            dry_run: false,
        }
    }

    /// An export of that owner's.
    #[must_use]
    pub fn of(mut self, owner: Owner) -> Self {
        self.from = Some(owner);
        self
    }

    /// Writes nothing, and says what it would.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }
}

impl UserMemory {
    /// Everything of this user, as JSON Lines.
    pub async fn export(&self) -> Result<String> {
        // What memories were used for is part of it, also what nobody has written yet.
        self.engine.write_uses(&self.owner).await?;
        export(self.engine.store.as_ref(), &self.owner).await
    }

    /// Brings an export back, without loss, for a user of whom nothing is known; see [`restore`].
    pub async fn restore_export(&self, lines: &str) -> Result<Receipt> {
        let clock = self.engine.clock();
        let mut ids = self.engine.plan_ids(clock.now());
        let store = self.engine.store.as_ref();
        let latest = Timestamp::MAX.saturating_sub(ROOM_AFTER);
        restore_until(latest, store, &self.owner, lines, clock, &mut ids).await
    }

    /// Takes over what an export holds in force into what is known already: one write, undone as one.
    ///
    /// The file is untrusted. One that could not be restored as it stands (cut, forged, an id twice) is
    /// refused with the line that is wrong, and so is one of another owner's unless
    /// `from` names them; nothing is written then. Otherwise the report says what became of
    /// every line:
    ///
    /// - A live fact or episode becomes a fact with a number and an id of its own, source `imported`, trusted
    ///   no more than what was extracted and never more than the file says; how sure it is starts at what is
    ///   left of it now. A category or domain that the policy does not have becomes the default one, or none.
    /// - Its words are cleaned and screened as a tool's are: secrets, instructions and sensitive facts about
    ///   others are refused.
    /// - What is known already is left as it is. What the user had forgotten or put in the trash is refused:
    ///   a file is not the user saying it again.
    /// - Rules, what authorises action, what holds a link, what contradicts a live fact, and, where the policy
    ///   says so, what needs consent become proposals: only the user's word makes a rule, or breaks one.
    /// - Links and lineage follow the facts that came in.
    /// - Earlier versions, digests, chats, messages, tombstones, proposals, consent, the journal, traces,
    ///   usage and vectors stay in the file: they speak of another store. A quote stays with its fact where
    ///   its chat is not here, and leads nowhere; of a chat of this user's it stays only if it stands there, in
    ///   their own words.
    pub async fn import_export(&self, import: impl Into<Import>) -> Result<ImportReport> {
        let import = import.into();
        let now = self.engine.now();
        let operation = OperationId::new(self.engine.new_id());
        let contents = read(&import.lines, IMPORT, ChangeSet::new(operation, now))?;
        if contents.owner != *import.from.as_ref().unwrap_or(&self.owner) {
            let message =
                "the export is of another owner: name whose it is in `from` if it shall be taken";
            return Err(Error::invalid(IMPORT, message));
        }
        // What it would be to restore it says whether it is sound.
        let mut file = Snapshot::empty(OwnerState::NONE);
        let unsound = |error: Error| Error::invalid(IMPORT, error.message());
        file.apply(Expected::At(Revision::NONE), &contents.changes)
            .map_err(unsound)?;
        let mut report = self
            .engine
            .import(self, &file, &contents.places, import.dry_run)
            .await?;
        let others = contents.kinds.into_iter();
        report.left_out = others
            .filter(|(kind, _)| !["memory", "link", "lineage"].contains(kind))
            .map(|(kind, count)| (kind.to_owned(), count))
            .gather();
        Ok(report)
    }
}

impl From<&str> for Import {
    fn from(lines: &str) -> Self {
        Import::new(lines)
    }
}

impl From<String> for Import {
    fn from(lines: String) -> Self {
        Import::new(lines)
    }
}
