//! SQLite's file and its write-ahead log, as whoever opens the file finds them.
//!
//! What is committed goes into the log that a connection found when it was made. Where that is removed or replaced while
//! it is in use, or the file is, commits go on to succeed, and nobody finds them. SQLite's locks keep others from it, but
//! they belong to the process: a second SQLite in it that opens the file, or a descriptor of one of its files that is
//! closed, gives them up for all. So both are looked at before and after each commit; never opened, since closing them
//! would do the same.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// The file that a store has open, and the log that it writes to.
pub(super) struct Log {
    file: PathBuf,
    path: PathBuf,
    /// The file, then the log.
    known: Option<(Identity, Identity)>,
}

/// What has become of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// They are where they were; or nothing is known of them.
    Ours,
    /// There is no log, or the file is no longer there: whoever opens it next begins another log.
    Gone,
    /// There is another log.
    Replaced,
}

impl Log {
    /// The log of the file at that path, of which nothing is known yet.
    pub(super) fn beside(file: &Path) -> Self {
        // SQLite follows links too, when it opens a file.
        let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let mut path = file.clone().into_os_string();
        path.push("-wal");
        Log {
            file,
            path: path.into(),
            known: None,
        }
    }

    /// A connection was made: what is there now is what it reads and writes.
    pub(super) fn note(&mut self) {
        self.known = match (look(&self.file), look(&self.path)) {
            (Found::Is(file), Found::Is(log)) => Some((file, log)),
            _ => None,
        };
    }

    pub(super) fn is_known(&self) -> bool {
        self.known.is_some()
    }

    /// The connection is gone, and the log may go with it.
    pub(super) fn forget(&mut self) {
        self.known = None;
    }

    /// What has become of them since they were noted. A log that was not there then is noted now.
    pub(super) fn standing(&mut self) -> Standing {
        let Some((file, log)) = self.known else {
            self.note();
            return Standing::Ours;
        };
        match (look(&self.file), look(&self.path)) {
            (_, Found::Is(found)) if found != log => Standing::Replaced,
            (Found::Is(found), _) if found != file => Standing::Gone,
            (Found::Nothing, _) | (_, Found::Nothing) => Standing::Gone,
            _ => Standing::Ours,
        }
    }
}

/// What is at a path.
enum Found {
    Is(Identity),
    Nothing,
    /// It cannot be looked at, or told from others.
    Unknown,
}

fn look(path: &Path) -> Found {
    match fs::metadata(path) {
        Ok(found) => identity(&found).map_or(Found::Unknown, Found::Is),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Found::Nothing,
            _ => Found::Unknown,
        },
    }
}

/// Why nothing is written any more.
pub(super) fn lost(operation: &'static str) -> Error {
    Error::new(
        ErrorKind::Io,
        operation,
        "the file or SQLite's log beside it was removed or replaced while in use: it was moved, or something in this process \
         opened and closed one of them, a second SQLite or a copy being made; what is written now may be lost: close this \
         store and open it again",
    )
}

/// Which file it is, whatever it is called.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(file: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some((file.dev(), file.ino()))
}

/// Elsewhere a file in use is not removed, and locks belong to those who took them.
#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<Identity> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_removed_or_replaced_is_no_longer_ours() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memories.db");
        fs::write(&file, "").unwrap();
        let path = folder.path().join("memories.db-wal");
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let other = folder.path().join("other");
        // While the one that it takes the place of is there, so that it is another.
        let replace = |path: &Path| {
            fs::write(&other, "two").unwrap();
            fs::rename(&other, path).unwrap();
        };
        for opened in [&file, &link] {
            let mut log = Log::beside(opened);
            assert_eq!(log.standing(), Standing::Ours, "there is none yet");
            fs::write(&path, "one").unwrap();
            assert_eq!(log.standing(), Standing::Ours, "it is noted now");
            fs::write(&path, "").unwrap();
            assert_eq!(log.standing(), Standing::Ours, "it was emptied");
            replace(&path);
            assert_eq!(log.standing(), Standing::Replaced);
            fs::remove_file(&path).unwrap();
            assert_eq!(log.standing(), Standing::Gone);
            log.forget();
            assert_eq!(log.standing(), Standing::Ours);

            fs::write(&path, "one").unwrap();
            log.note();
            replace(&file);
            assert_eq!(log.standing(), Standing::Gone, "the file is another");
            fs::remove_file(&file).unwrap();
            assert_eq!(log.standing(), Standing::Gone, "the file was moved");
            replace(&path);
            assert_eq!(log.standing(), Standing::Replaced);
            fs::remove_file(&path).unwrap();
            fs::write(&file, "").unwrap();
        }
    }
}
