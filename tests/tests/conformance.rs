//! The conformance suite on every store of this crate.

mod in_memory {
    use std::sync::Arc;

    use keepmind::InMemoryStore;

    keepmind::conformance_suite!(async || Arc::new(InMemoryStore::new()));
}

mod sqlite {
    use std::sync::Arc;

    use keepmind::SqliteStore;
    use keepmind::store::sqlite::{Durability, SqliteOptions};
    use tempfile::TempDir;

    async fn fresh_store() -> (Arc<SqliteStore>, TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let options =
            SqliteOptions::new(folder.path().join("memories.db")).durability(Durability::Off);
        let store = SqliteStore::open_with(options)
            .await
            .expect("a fresh store");
        (Arc::new(store), folder)
    }

    keepmind::conformance_suite!(fresh_store);
}

mod postgres {
    use std::sync::Arc;

    use keepmind::PostgresStore;
    use keepmind_tests::cluster;
    use tempfile::TempDir;

    async fn fresh_store() -> Option<(Arc<PostgresStore>, TempDir)> {
        let cluster = cluster::shared()?;
        let folder = tempfile::tempdir().expect("a folder");
        let options = cluster.options(folder.path()).connections(4);
        let store = PostgresStore::connect_with(options).await;
        Some((Arc::new(store.expect("a fresh store")), folder))
    }

    keepmind::conformance_suite!(fresh_store);
}
