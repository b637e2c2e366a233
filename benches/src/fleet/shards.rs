//! Several servers, and which owner is on which: what a host does that has more owners than one server holds.

use std::path::Path;
use std::sync::Arc;

use keepmind::store::postgres::PostgresOptions;
use keepmind::{MemoryStore, Owner, PostgresStore};
use keepmind_tests::cluster::{self, Cluster};
use keepmind_tests::proxy::Proxy;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _};

use crate::Result;
use crate::stage;

/// As a server is run: what was answered is on the disk. Small, for several share the machine.
const SETTINGS: &str = "-c fsync=on -c synchronous_commit=on -c full_page_writes=on -c autovacuum=on \
                        -c shared_buffers=128MB -c max_wal_size=1GB";
/// Connections of a store.
const CONNECTIONS: u32 = 16;

const SLOTS: usize = 4_096;

/// Which of 4,096 slots an owner is in: the first 12 bits of the digest that is the owner's key on the server.
pub fn slot_of(owner: &Owner) -> usize {
    let digest = Sha256::digest(owner.as_str().as_bytes());
    usize::from(digest[0]) << 4 | usize::from(digest[1]) >> 4
}

/// Which server an owner is on. A host has a table of slots here, so that a slot can move by itself.
pub fn shard_of(owner: &Owner, shards: usize) -> usize {
    slot_of(owner) * shards / SLOTS
}

/// How many rows a table has and how many bytes they take, indexes too.
#[derive(Debug, Clone, Serialize)]
pub struct TableSize {
    pub table: String,
    pub rows: u64,
    pub bytes: u64,
}

/// Servers of their own, gone with the fleet.
#[derive(Debug)]
pub struct Fleet {
    servers: Vec<Cluster>,
}

impl Fleet {
    pub fn start(servers: usize, directory: &Path) -> Result<Fleet> {
        if cluster::binaries().is_none() {
            return Err(stage::NO_SERVER.into());
        }
        let directory = directory
            .canonicalize()
            .ok()
            .filter(|directory| directory.is_dir())
            .ok_or_else(|| format!("--directory: {} is no folder", directory.display()))?;
        let servers = (0..servers).filter_map(|_| Cluster::start_in(&directory, SETTINGS));
        Ok(Fleet {
            servers: servers.collect(),
        })
    }

    pub fn len(&self) -> usize {
        self.servers.len()
    }

    /// What the servers are.
    pub async fn engine(&self) -> Result<String> {
        let (store, _) = self.counted().await?;
        let engine = store.info().await?.engine;
        store.close().await?;
        Ok(engine)
    }

    /// A store for each server, with caches that know nobody.
    pub async fn stores(&self) -> Result<Vec<Arc<dyn MemoryStore>>> {
        self.connect("").await
    }

    /// The same, for filling: a commit is answered before it is on the disk.
    pub async fn hasty_stores(&self) -> Result<Vec<Arc<dyn MemoryStore>>> {
        self.connect("&options[synchronous_commit]=off").await
    }

    async fn connect(&self, parameters: &str) -> Result<Vec<Arc<dyn MemoryStore>>> {
        let mut stores: Vec<Arc<dyn MemoryStore>> = Vec::new();
        for server in &self.servers {
            let url = format!("{}{parameters}", server.url());
            stores.push(store(&url, CONNECTIONS).await?);
        }
        Ok(stores)
    }

    /// A store on the first server, by way of somebody who counts what is asked. On one connection, so that each
    /// statement is soon prepared.
    pub async fn counted(&self) -> Result<(Arc<dyn MemoryStore>, Proxy)> {
        let server = self.servers.first().ok_or("a fleet without servers")?;
        let proxy = Proxy::to(server.port()).await;
        Ok((store(&server.url_at(proxy.port()), 1).await?, proxy))
    }

    /// A bare connection to each server.
    pub async fn connections(&self) -> Result<Vec<PgConnection>> {
        let mut connections = Vec::new();
        for server in &self.servers {
            connections.push(PgConnection::connect(&server.url()).await?);
        }
        Ok(connections)
    }

    /// Has the servers do what filling leaves to be done, so that it is not measured.
    pub async fn settle(&self) -> Result<()> {
        for mut connection in self.connections().await? {
            connection.execute("VACUUM (ANALYZE)").await?;
            connection.execute("CHECKPOINT").await?;
            connection.close().await?;
        }
        Ok(())
    }

    /// What the tables take on all servers, the largest first.
    pub async fn tables(&self) -> Result<Vec<TableSize>> {
        let mut tables: Vec<TableSize> = Vec::new();
        for mut connection in self.connections().await? {
            let named = sqlx::query(
                "SELECT relname::text AS name, pg_total_relation_size(oid) AS bytes FROM pg_class \
                 WHERE relkind = 'r' AND relnamespace = 'keepmind'::regnamespace",
            );
            for row in named.fetch_all(&mut connection).await? {
                let (table, bytes): (String, i64) = (row.try_get("name")?, row.try_get("bytes")?);
                let count = format!("SELECT count(*) FROM keepmind.\"{table}\"");
                let rows: i64 = sqlx::query_scalar(AssertSqlSafe(count))
                    .fetch_one(&mut connection)
                    .await?;
                let (rows, bytes) = (rows.unsigned_abs(), bytes.unsigned_abs());
                match tables.iter_mut().find(|known| known.table == table) {
                    Some(known) => {
                        (known.rows, known.bytes) = (known.rows + rows, known.bytes + bytes)
                    }
                    None => tables.push(TableSize { table, rows, bytes }),
                }
            }
            connection.close().await?;
        }
        tables.sort_by(|one, other| (other.bytes, &one.table).cmp(&(one.bytes, &other.table)));
        Ok(tables)
    }
}

async fn store(url: &str, connections: u32) -> Result<Arc<dyn MemoryStore>> {
    let options = PostgresOptions::new(url)?.connections(connections);
    Ok(Arc::new(PostgresStore::connect_with(options).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_always_on_the_same_server() {
        let owner = |name: &str| Owner::new(name).unwrap();
        // `printf alice | sha256sum` begins with 2bd806c9.
        assert_eq!(slot_of(&owner("alice")), 0x2bd);
        assert_eq!(shard_of(&owner("alice"), 1), 0);
        assert_eq!(shard_of(&owner("alice"), 4), 0x2bd * 4 / 4_096);
    }

    #[test]
    fn servers_have_their_share_of_the_owners() {
        for shards in [1, 2, 3, 4, 7] {
            let mut counts = vec![0_u32; shards];
            for index in 0..20_000 {
                let owner = crate::workload::owner(index).unwrap();
                counts[shard_of(&owner, shards)] += 1;
            }
            let even = 20_000.0 / shards as f64;
            for count in counts {
                let share = f64::from(count) / even;
                assert!((0.9..1.1).contains(&share), "{share} of {shards}");
            }
        }
    }
}
