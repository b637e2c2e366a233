//! What a command reads unless something is found that asks for more: read with where the data stands, before anything is
//! looked for, it need not be loaded afterwards.

use time::UtcOffset;

use crate::change::{Slice, Snapshot};
use crate::command::Command;
use crate::engine::ending::may_end;
use crate::engine::{Engine, Standing};
use crate::error::Result;
use crate::owner::Owner;
use crate::plan::{self, Aim, Entry, Findings, Setting};
use crate::timestamp::Timestamp;

/// How often a slice may grow: no command needs to look further than this.
const LOOKS: usize = 6;

/// What was read before anything was looked for.
pub(super) struct Ahead {
    slice: Slice,
    seen: Snapshot,
}

impl Ahead {
    /// Where the owner's data stands.
    pub(super) fn standing(&self, clock: Timestamp) -> Standing {
        Standing::of(&self.seen, clock)
    }

    fn holds(&self, wanted: &Slice) -> bool {
        let wanted = Slice {
            consents: true,
            ..wanted.clone()
        };
        self.slice == wanted
    }
}

/// What a plan is made from.
pub(super) struct Basis {
    pub(super) seen: Snapshot,
    /// Whether it was read before what else was found out: nobody has looked since.
    pub(super) is_ahead: bool,
}

impl Engine {
    /// Reads where the owner's data stands, for commands that are held against it, and what such a command reads where
    /// nothing is found that asks for more.
    pub(super) async fn read_ahead(
        &self,
        owner: &Owner,
        command: &Command,
        entry: Entry<'_>,
        offset: UtcOffset,
    ) -> Result<Option<Ahead>> {
        if !is_held_against_data(command, entry) {
            return Ok(None);
        }
        let mut slice = match foreseen(command) {
            Some(findings) => {
                let setting = Setting {
                    policy: &self.policy,
                    entry,
                    findings: &findings,
                    clock: self.now(),
                    offset,
                };
                plan::slice(command, &setting, None)
            }
            None => Slice::default(),
        };
        slice.consents = true;
        let seen = self.store.load(owner, &slice).await?;
        Ok(Some(Ahead { slice, seen }))
    }

    /// Loads what the command must read and nobody has read yet, until what was read asks for nothing more.
    pub(super) async fn look(
        &self,
        owner: &Owner,
        command: &Command,
        setting: &Setting<'_>,
        ahead: Option<Ahead>,
    ) -> Result<Basis> {
        let mut slice = plan::slice(command, setting, None);
        let ahead = ahead.filter(|ahead| ahead.holds(&slice));
        let mut is_ahead = ahead.is_some();
        let mut seen = match ahead {
            Some(ahead) => ahead.seen,
            None => self.store.load(owner, &slice).await?,
        };
        if !plan::looks_further(command) {
            debug_assert_eq!(plan::slice(command, setting, Some(&seen)), slice);
            return Ok(Basis { seen, is_ahead });
        }
        for _ in 0..LOOKS {
            let wanted = plan::slice(command, setting, Some(&seen));
            if wanted == slice {
                break;
            }
            slice = wanted;
            seen = self.store.load(owner, &slice).await?;
            is_ahead = false;
        }
        Ok(Basis { seen, is_ahead })
    }
}

/// What ends or comes back with a command is looked for.
pub(super) fn has_ends(command: &Command) -> bool {
    may_end(command)
        || matches!(
            command,
            Command::Consent(_) | Command::Undo(_) | Command::Redo(_)
        )
}

/// Whether it must be known where the data stands before anything else is.
fn is_held_against_data(command: &Command, entry: Entry<'_>) -> bool {
    match entry {
        Entry::Tool(_) | Entry::Extractor(_) => true,
        Entry::Host | Entry::Sweep | Entry::Import | Entry::Consolidator => {
            has_ends(command) || command.target().is_some_and(|which| !which.is_number())
        }
    }
}

/// What will be found for a command where nothing is found that asks for more: its target, where it is named by its number.
/// Nothing can be foreseen where it is named by its words, or where something may end.
fn foreseen(command: &Command) -> Option<Findings> {
    let target = match command.target() {
        _ if has_ends(command) => return None,
        None => None,
        Some(which) => match Aim::read(which) {
            Ok(Aim::Number(number)) => Some(number),
            _ => return None,
        },
    };
    Some(Findings {
        target,
        ..Findings::default()
    })
}
