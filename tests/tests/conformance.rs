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

/// Through a pooler that hands each transaction to another connection.
mod postgres_pooled {
    use std::sync::Arc;

    use keepmind::PostgresStore;
    use keepmind_tests::pooler;
    use tempfile::TempDir;

    async fn fresh_store() -> Option<(Arc<PostgresStore>, TempDir)> {
        let pooler = pooler::shared()?;
        let folder = tempfile::tempdir().expect("a folder");
        let options = pooler.options(folder.path()).connections(4);
        let store = PostgresStore::connect_with(options).await;
        Some((Arc::new(store.expect("a fresh store")), folder))
    }

    keepmind::conformance_suite!(fresh_store);
}

/// With the server keeping owners apart itself, for a role that is held to it.
mod postgres_secured {
    use std::sync::Arc;

    use keepmind::PostgresStore;
    use keepmind::store::postgres::PostgresOptions;
    use keepmind_tests::cluster;
    use sqlx::{Connection as _, PgConnection};
    use tempfile::TempDir;

    async fn fresh_store() -> Option<(Arc<PostgresStore>, TempDir)> {
        let cluster = cluster::shared()?;
        let folder = tempfile::tempdir().expect("a folder");
        let schema = cluster::schema(folder.path());
        let role = format!("r{}", &schema[1..]);
        let prepare =
            format!("CREATE ROLE {role} LOGIN; CREATE SCHEMA {schema} AUTHORIZATION {role}");
        let mut admin = PgConnection::connect(&cluster.url())
            .await
            .expect("the server");
        let prepared = sqlx::raw_sql(sqlx::AssertSqlSafe(prepare))
            .execute(&mut admin)
            .await;
        prepared.expect("a role of its own");
        let options = PostgresOptions::new(&cluster.url_of(&role)).expect("a URL");
        let options = options.schema(schema).expect("a name").connections(4);
        let store = PostgresStore::connect_with(options.row_security(true)).await;
        Some((Arc::new(store.expect("a fresh store")), folder))
    }

    keepmind::conformance_suite!(fresh_store);
}
