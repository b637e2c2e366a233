//! The stores to be tested, in one place: another backend joins with one entry.

use std::fmt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use keepmind::store::postgres::PostgresOptions;
use keepmind::store::sqlite::{Durability, SqliteOptions};
use keepmind::{InMemoryStore, MemoryStore, PostgresStore, SqliteStore};

use crate::cluster;

/// A way to open a store.
#[derive(Clone, Copy)]
pub struct Backend {
    /// What it is called in messages.
    pub name: &'static str,
    /// Whether what was written is there again after the store was closed and opened.
    pub is_lasting: bool,
    open: fn(&Path) -> Opening<'_>,
}

type Opening<'a> = Pin<Box<dyn Future<Output = Arc<dyn MemoryStore>> + 'a>>;

impl Backend {
    /// Opens the store that lives in a folder; makes one where there is none yet.
    pub async fn open(&self, folder: &Path) -> Arc<dyn MemoryStore> {
        (self.open)(folder).await
    }
}

/// Where a store is, as another process is told: two words, of which it makes a store again.
#[derive(Debug, Clone)]
pub struct Address {
    place: String,
    schema: String,
}

impl Address {
    /// What the other process is given.
    pub fn words(&self) -> [&str; 2] {
        [&self.place, &self.schema]
    }

    /// What it was given.
    pub fn of(place: impl Into<String>, schema: impl Into<String>) -> Self {
        Address {
            place: place.into(),
            schema: schema.into(),
        }
    }

    /// Opens the store there.
    pub async fn open(&self) -> Arc<dyn MemoryStore> {
        match self.schema.as_str() {
            "" => open(SqliteOptions::new(&self.place).durability(Durability::Off)).await,
            schema => {
                let options = PostgresOptions::new(&self.place).expect("a URL");
                let options = options.schema(schema).expect("a name").connections(4);
                let store = PostgresStore::connect_with(options).await;
                Arc::new(store.expect("a store that another process made"))
            }
        }
    }
}

impl Backend {
    /// Where another process finds the store that lives in a folder.
    ///
    /// # Panics
    ///
    /// Of a store that does not last: nobody else finds it.
    pub fn address(&self, folder: &Path) -> Address {
        assert!(self.is_lasting, "{} ends with its process", self.name);
        match cluster::shared().filter(|_| self.name.starts_with("postgres")) {
            Some(cluster) => Address::of(cluster.url(), cluster::schema(folder)),
            None => Address::of(folder.join("memories.db").to_string_lossy(), ""),
        }
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// Every store there is. The first is the one the others are compared with. PostgreSQL is among them where it
/// is installed.
pub fn stores() -> Vec<Backend> {
    let mut stores = vec![
        Backend {
            name: "memory",
            is_lasting: false,
            open: |_| Box::pin(in_memory()),
        },
        Backend {
            name: "sqlite",
            is_lasting: true,
            open: |folder| Box::pin(sqlite(folder)),
        },
    ];
    if cluster::shared().is_some() {
        stores.push(Backend {
            name: "postgres",
            is_lasting: true,
            open: |folder| Box::pin(postgres(folder, |options| options)),
        });
    }
    stores
}

/// The stores that are there again after they were closed, and that several can open at once.
pub fn lasting() -> Vec<Backend> {
    let mut stores = stores();
    stores.retain(|backend| backend.is_lasting);
    stores
}

/// The stores that are compared: every one, SQLite also and PostgreSQL only with an index that a few messages get
/// into, so that short runs see what long chats do.
pub fn compared() -> Vec<Backend> {
    let mut compared = stores();
    compared.retain(|backend| backend.name != "postgres");
    compared.push(Backend {
        name: "sqlite, indexed early",
        is_lasting: true,
        open: |folder| Box::pin(sqlite_indexed_early(folder)),
    });
    if cluster::shared().is_some() {
        compared.push(Backend {
            name: "postgres, indexed early",
            is_lasting: true,
            open: |folder| Box::pin(postgres(folder, |options| options.index_after(3))),
        });
    }
    compared
}

async fn in_memory() -> Arc<dyn MemoryStore> {
    Arc::new(InMemoryStore::new())
}

async fn sqlite(folder: &Path) -> Arc<dyn MemoryStore> {
    open(options(folder)).await
}

async fn sqlite_indexed_early(folder: &Path) -> Arc<dyn MemoryStore> {
    open(options(folder).index_after(3)).await
}

/// Without waiting for the disk: what survives a power failure is not what these tests ask.
fn options(folder: &Path) -> SqliteOptions {
    SqliteOptions::new(folder.join("memories.db")).durability(Durability::Off)
}

async fn open(options: SqliteOptions) -> Arc<dyn MemoryStore> {
    Arc::new(
        SqliteStore::open_with(options)
            .await
            .expect("a store in a folder of its own"),
    )
}

/// A store in the server of this process, in a schema of its own for each folder.
async fn postgres(
    folder: &Path,
    told: impl FnOnce(PostgresOptions) -> PostgresOptions,
) -> Arc<dyn MemoryStore> {
    let cluster = cluster::shared().expect("the server of this process");
    let options = told(cluster.options(folder).connections(4));
    let store = PostgresStore::connect_with(options).await;
    Arc::new(store.expect("a store in a schema of its own"))
}
