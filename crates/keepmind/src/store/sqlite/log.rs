//! SQLite's write-ahead log, as whoever opens the file finds it.
//!
//! What is committed goes into the log that a connection found when it was made. Where that is removed or replaced while
//! it is in use, commits go on to succeed, and nobody finds them. SQLite's locks keep others from it, but they belong to the
//! process: a second SQLite in it that opens the file, or a descriptor of one of its files that is closed, gives them up
//! for all. So the log is looked at after each commit; never opened, since closing it would do the same.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// The log that a connection writes to.
pub(super) struct Log {
    path: PathBuf,
    known: Option<Identity>,
}

/// What has become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is where it was; or nothing is known of it.
    Ours,
    /// There is none, and whoever opens the file next begins another.
    Gone,
    /// There is another.
    Replaced,
}

impl Log {
    /// The log of the file at that path, of which nothing is known yet.
    pub(super) fn beside(file: &Path) -> Self {
        // SQLite follows links and turns of the folder too, when it opens a file.
        let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let mut path = file.into_os_string();
        path.push("-wal");
        Log {
            path: path.into(),
            known: None,
        }
    }

    /// A connection was made: what is there now is what it writes to.
    pub(super) fn note(&mut self) {
        self.known = fs::metadata(&self.path).ok().as_ref().and_then(identity);
    }

    /// The connection is gone, and the log may go with it.
    pub(super) fn forget(&mut self) {
        self.known = None;
    }

    /// What has become of it since it was noted. One that was not there then is noted now.
    pub(super) fn standing(&mut self) -> Standing {
        let Some(known) = &self.known else {
            self.note();
            return Standing::Ours;
        };
        match fs::metadata(&self.path) {
            Ok(found) => match identity(&found) {
                Some(found) if found != *known => Standing::Replaced,
                _ => Standing::Ours,
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Standing::Gone,
            // Nothing can be said of what cannot be looked at.
            Err(_) => Standing::Ours,
        }
    }
}

/// Why nothing is written any more.
pub(super) fn lost(operation: &'static str) -> Error {
    Error::new(
        ErrorKind::Io,
        operation,
        "SQLite's log beside the file was removed or replaced while it was in use: the file was moved, or something in this \
         process opened and closed it or one beside it, a second SQLite or a copy being made; what is written now may be \
         lost: close this store and open it again",
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
        for file in [&file, &link] {
            let mut log = Log::beside(file);
            assert_eq!(log.standing(), Standing::Ours, "there is none yet");
            fs::write(&path, "one").unwrap();
            assert_eq!(log.standing(), Standing::Ours, "it is noted now");
            fs::write(&path, "").unwrap();
            assert_eq!(log.standing(), Standing::Ours, "it was emptied");
            // Both at once, so that the other is another file.
            let other = folder.path().join("other");
            fs::write(&other, "two").unwrap();
            fs::rename(&other, &path).unwrap();
            assert_eq!(log.standing(), Standing::Replaced);
            fs::remove_file(&path).unwrap();
            assert_eq!(log.standing(), Standing::Gone);
            log.forget();
            assert_eq!(log.standing(), Standing::Ours);
        }
    }
}
