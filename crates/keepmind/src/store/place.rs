//! Where a store is, in one text: what a host writes in a setting or on a command line.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::store::MemoryStore;
use crate::store::in_memory::InMemoryStore;

const OPEN: &str = "open";

/// Where a store is: `memory:`, a PostgreSQL URL, or else the path of a SQLite file.
///
/// A URL may hold a password, so nothing shows one: neither `Debug` nor `Display` nor an error.
///
/// ```
/// use keepmind::store::StorePlace;
///
/// let place = StorePlace::read("postgres://app:secret@db.internal/memory")?;
/// assert_eq!(place.to_string(), "postgres://db.internal/memory");
/// # Ok::<(), keepmind::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorePlace {
    /// Nowhere but in the process.
    Memory,
    /// A SQLite file, made where it is not there.
    File(PathBuf),
    /// A database in PostgreSQL, by its URL.
    Postgres(String),
}

impl StorePlace {
    /// Takes a text, or says why it is no place.
    pub fn read(text: &str) -> Result<Self> {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.trim());
        let is_postgres = scheme.is_some_and(|scheme| {
            ["postgres", "postgresql"]
                .iter()
                .any(|name| scheme.eq_ignore_ascii_case(name))
        });
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        let is_url = scheme.is_some_and(|scheme| scheme.len() > 1 && scheme.chars().all(is_letter));
        match text {
            "memory:" => Ok(StorePlace::Memory),
            _ if text.is_empty() || text.contains('\0') => Err(Error::invalid(
                OPEN,
                "a file's path, a postgres:// URL or `memory:` is wanted",
            )),
            url if is_postgres => Ok(StorePlace::Postgres(url.trim().to_owned())),
            // As a file's name it would be shown, with the password that it may hold.
            _ if is_url => Err(Error::invalid(
                OPEN,
                "no store is known by such a URL: it must begin with postgres://",
            )),
            path => Ok(StorePlace::File(PathBuf::from(path))),
        }
    }

    /// Opens it with the defaults of its kind.
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where this build has no store of that kind.
    pub async fn open(&self) -> Result<Arc<dyn MemoryStore>> {
        match self {
            StorePlace::Memory => Ok(Arc::new(InMemoryStore::new())),
            #[cfg(feature = "sqlite")]
            StorePlace::File(path) => Ok(Arc::new(
                crate::store::sqlite::SqliteStore::open(path).await?,
            )),
            #[cfg(not(feature = "sqlite"))]
            StorePlace::File(_) => Err(unsupported("SQLite", "sqlite")),
            #[cfg(feature = "postgres")]
            StorePlace::Postgres(url) => {
                let store = crate::store::postgres::PostgresStore::connect(url).await?;
                Ok(Arc::new(store))
            }
            #[cfg(not(feature = "postgres"))]
            StorePlace::Postgres(_) => Err(unsupported("PostgreSQL", "postgres")),
        }
    }

    /// True of a store that ends with whoever has it open.
    pub(crate) fn is_fleeting(&self) -> bool {
        *self == StorePlace::Memory
    }

    /// True where both are known to be one store: a database may have more names than can be told.
    pub(crate) fn is_same_as(&self, other: &StorePlace) -> bool {
        match (self, other) {
            (StorePlace::File(one), StorePlace::File(other)) => {
                let real = |path: &PathBuf| path.canonicalize().ok();
                one == other || real(one).is_some_and(|one| real(other) == Some(one))
            }
            _ => self == other,
        }
    }

    /// True of a file that is not there: opening it would make an empty one.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, StorePlace::File(path) if !path.exists())
    }
}

/// What a build without a kind of store says of it, and how to get one that has it.
#[cfg(not(all(feature = "sqlite", feature = "postgres")))]
fn unsupported(kind: &str, feature: &str) -> Error {
    let message =
        format!("this library was built without {kind}: build it with the feature `{feature}`");
    Error::new(crate::error::ErrorKind::Unsupported, OPEN, message)
}

/// The place without user, password and parameters.
impl fmt::Display for StorePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorePlace::Memory => formatter.write_str("memory:"),
            StorePlace::File(path) => path.display().fmt(formatter),
            StorePlace::Postgres(url) => {
                write!(
                    formatter,
                    "postgres://{}",
                    server_of(url).unwrap_or_default()
                )
            }
        }
    }
}

/// Host, port and database of a URL; `None` where nobody can say which part of it is the password: one that was
/// not escaped may hold any of the signs that part a URL.
fn server_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (place, parameters) = rest.split_at(end);
    if parameters.contains('@') {
        return None;
    }
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    let host = place.split('/').next().unwrap_or_default();
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    (is_port || host.ends_with(']')).then_some(place)
}

impl fmt::Debug for StorePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "StorePlace({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_text_names_a_place() {
        let read = |text| StorePlace::read(text).unwrap();
        assert_eq!(read("memory:"), StorePlace::Memory);
        for url in ["postgres://a@b/c", "postgresql:///c", "POSTGRES://b"] {
            assert_eq!(read(url), StorePlace::Postgres(url.to_owned()));
        }
        for path in ["memories.db", "postgres.db", "/a/postgres:b", "memory"] {
            assert_eq!(read(path), StorePlace::File(path.into()));
        }
        assert_eq!(
            read(" postgres://a@b/c\n"),
            StorePlace::Postgres("postgres://a@b/c".to_owned())
        );
        let wrong = ["", "a\0b", "postgress://u:secret@b/c", " pg://u:secret@b"];
        for wrong in wrong.into_iter().chain(["sqlite://secret.db"]) {
            let error = StorePlace::read(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        assert_eq!(read("./a://b"), StorePlace::File("./a://b".into()));
    }

    #[cfg(not(feature = "postgres"))]
    #[tokio::test]
    async fn a_build_without_a_kind_of_store_says_how_to_get_one() {
        let place = StorePlace::read("postgres://alice:secret@db/memory").unwrap();
        let error = place.open().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("the feature `postgres`"));
        assert!(!error.to_string().contains("secret"));
    }

    #[test]
    fn a_password_is_shown_nowhere() {
        for url in [
            "postgres://alice:secret@db:5432/memory",
            "postgres://alice:se@cret@db:5432/memory",
            "postgres://alice:secret@db:5432/memory?password=secret&options=secret",
            "postgres://db:5432/memory?user=alice&password=secret",
            "postgres://db:5432/memory?password=se@cret",
            "postgres://alice:se/cret@db:5432/memory#secret",
            "postgres://alice:secret?@db:5432/memory",
            "postgres://alice:secret",
            "postgres://alice:secret/memory",
        ] {
            let place = StorePlace::read(url).unwrap();
            let shown = format!("{place} {place:?}");
            assert!(!shown.contains("alice"), "{shown}");
            assert!(!shown.contains("sec") && !shown.contains("cret"), "{shown}");
        }
    }
}
