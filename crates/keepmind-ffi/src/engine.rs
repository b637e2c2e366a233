//! An engine: a memory for every user of the host, with a runtime of its own.

use std::ffi::{c_char, c_void};
use std::future::Future;
use std::ops::ControlFlow;
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use keepmind::store::StorePlace;
use keepmind::store::sqlite::SqliteOptions;
use keepmind::{Keepmind, MemoryStore, Patience, SqliteStore, SweepProgress};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::boundary;
use crate::config::{Config, Settings, km_config};
use crate::embedder::HostEmbedder;
use crate::error::km_error;
use crate::handles::{self, handled};
use crate::log::{KM_LOG_ERROR, KM_LOG_INFO, Log};
use crate::model::HostModel;
use crate::progress::{self, Watching, km_progress_callback};
use crate::reply::Asking;
use crate::status::{Failure, KM_IO, km_status};
use crate::strings::{self, Out};

/// How many callbacks may be on their way at once.
const CALLBACKS: usize = 64;
/// How long freeing an engine waits for callbacks that have not returned.
const LAST_CALLBACKS: Duration = Duration::from_secs(1);

/// A memory for every user of the host. Threads: any, at once.
pub struct km_engine {
    _opaque: [u8; 0],
}

pub(crate) struct Engine {
    keepmind: Keepmind,
    /// Taken out only when the engine is dropped.
    runtime: Option<Runtime>,
    closed: AtomicBool,
    /// Whoever closes holds it, and finds out whether somebody has: a close that failed is tried again.
    is_let_go: Mutex<bool>,
    closing: watch::Sender<bool>,
    log: Log,
}

handled!(Engine, as km_engine, 4, "engine");

impl Engine {
    pub fn open(settings: Settings) -> Result<Self, Failure> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(CALLBACKS)
            .thread_name("keepmind")
            .enable_time()
            .build()
            .map_err(|error| Failure::new(KM_IO, format!("no thread could be started: {error}")))?;
        let (closing, heard) = watch::channel(false);
        let log = settings.log.clone();
        let asking = Asking {
            log: log.clone(),
            closing: heard,
        };
        let opened = runtime.block_on(open(settings, asking));
        let keepmind = match opened {
            Ok(keepmind) => keepmind,
            Err(failure) => {
                runtime.shutdown_timeout(LAST_CALLBACKS);
                return Err(failure);
            }
        };
        log.say(KM_LOG_INFO, "opened");
        Ok(Engine {
            keepmind,
            runtime: Some(runtime),
            closed: AtomicBool::new(false),
            is_let_go: Mutex::new(false),
            closing,
            log,
        })
    }

    pub fn keepmind(&self) -> &Keepmind {
        &self.keepmind
    }

    /// Fails where the engine was closed.
    pub fn check_open(&self) -> Result<(), Failure> {
        match self.closed.load(Ordering::Acquire) {
            true => Err(Failure::closed()),
            false => Ok(()),
        }
    }

    /// Runs a call to its end on this thread.
    pub fn run<T, E: Into<Failure>, F: Future<Output = Result<T, E>>>(
        &self,
        call: impl FnOnce() -> F,
    ) -> Result<T, Failure> {
        self.check_open()?;
        let runtime = self.runtime.as_ref().ok_or_else(Failure::closed)?;
        // Begun where it runs: a call is two to three kilobytes, and would be moved from function to function.
        let running = pin!(call());
        runtime.block_on(running).map_err(Into::into)
    }

    fn close(&self) -> Result<(), Failure> {
        self.closed.store(true, Ordering::Release);
        // Who waits for a model is told that there is no answer, and goes on without.
        self.closing.send_replace(true);
        let mut is_let_go = self
            .is_let_go
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(runtime) = self.runtime.as_ref().filter(|_| !*is_let_go) else {
            return Ok(());
        };
        let closed = runtime.block_on(self.keepmind.close());
        *is_let_go = closed.is_ok();
        // The log is the host's code: it must not run under a lock.
        drop(is_let_go);
        match &closed {
            Ok(()) => self.log.say(KM_LOG_INFO, "closed"),
            Err(error) => self.log.say(KM_LOG_ERROR, &error.to_string()),
        }
        Ok(closed?)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Closed before, or by the free that leads here; nobody is left to hear of a failure.
        drop(self.close());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(LAST_CALLBACKS);
        }
    }
}

async fn open(settings: Settings, asking: Asking) -> Result<Keepmind, Failure> {
    let store: Arc<dyn MemoryStore> = match &settings.store {
        None => {
            let message =
                "no store was set: km_config_set(config, \"store\", …) with a path or memory:";
            return Err(Failure::invalid(message));
        }
        Some(StorePlace::File(path)) => {
            let options = sqlite_options(&settings, path);
            Arc::new(SqliteStore::open_with(options).await?)
        }
        #[cfg(feature = "postgres")]
        Some(StorePlace::Postgres(url)) => {
            let options = postgres_options(&settings, url)?;
            Arc::new(keepmind::PostgresStore::connect_with(options).await?)
        }
        Some(place) => place.open().await?,
    };
    let mut patience = Patience::default();
    patience.model = settings.model_timeout.unwrap_or(patience.model);
    patience.embedder = settings.embedder_timeout.unwrap_or(patience.embedder);
    patience.retries = settings.model_retries.unwrap_or(patience.retries);
    patience.pause = settings.retry_pause.unwrap_or(patience.pause);
    let mut builder = Keepmind::builder(store)
        .policy(settings.policy)
        .patience(patience);
    if let Some(callback) = settings.model {
        let asking = asking.clone();
        builder = builder.model(Arc::new(HostModel { callback, asking }));
    }
    if let Some(plug) = settings.embedder {
        builder = builder.embedder(Arc::new(HostEmbedder { plug, asking }));
    }
    #[cfg(test)]
    if let Some(clock) = settings.clock {
        builder = builder.clock(clock);
    }
    Ok(builder.build()?)
}

fn sqlite_options(settings: &Settings, path: &Path) -> SqliteOptions {
    let mut options = SqliteOptions::new(path)
        .durability(settings.durability)
        .check(settings.check);
    if let Some(timeout) = settings.busy_timeout {
        options = options.busy_timeout(timeout);
    }
    if let Some(bytes) = settings.cache_bytes {
        options = options.cache_bytes(bytes);
    }
    if let Some(bytes) = settings.max_bytes {
        options = options.max_bytes(bytes);
    }
    if let Some(readers) = settings.readers {
        options = options.readers(readers);
    }
    options
}

#[cfg(feature = "postgres")]
fn postgres_options(
    settings: &Settings,
    url: &str,
) -> keepmind::Result<keepmind::store::postgres::PostgresOptions> {
    let mut options = keepmind::store::postgres::PostgresOptions::new(url)?;
    if let Some(timeout) = settings.busy_timeout {
        // Not to wait at all: for a server no time means without end.
        let timeout = timeout.max(Duration::from_millis(1));
        options = options.acquire_timeout(timeout).lock_timeout(timeout);
    }
    if let Some(bytes) = settings.cache_bytes {
        options = options.cache_bytes(bytes);
    }
    if let Some(connections) = settings.readers {
        options = options.connections(connections);
    }
    Ok(options)
}

/// Opens an engine. A file is made where it is not there, and so are the tables in a database.
///
/// Borrows `config`, which may be used again. Returns owned `engine`, freed with km_engine_free, and owned
/// `error`. Threads: any.
///
/// # Safety
/// `engine` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_engine_open(
    config: *const km_config,
    engine: *mut *mut km_engine,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(engine, "engine") }?;
        let settings = handles::of::<Config>(config)?.settings().clone();
        out.write(handles::give(Engine::open(settings)?));
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Runs a request that names its user, and its chat where it is about one: docs/REQUESTS.md has them all.
///
/// Borrows `engine` and `request`, which is JSON. Returns owned `answer`, JSON, freed with km_string_free,
/// and owned `error`. Threads: any.
///
/// # Safety
/// `request` is NULL or can be read for `length` bytes; `answer` and `error` are NULL or can be written
/// to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_engine_request(
    engine: *const km_engine,
    request: *const c_char,
    length: usize,
    answer: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(answer, "answer") }?;
        let engine = handles::of::<Engine>(engine)?;
        // SAFETY: the caller's promise.
        let request = unsafe { strings::text(request, length, "request") }?;
        out.text(engine.run(|| engine.keepmind().request(request))?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Does everything that is due, for every user: closes chats that nobody closed, tries again what a model
/// failed at, ends what has expired, empties trash. Call it now and then; several processes may.
///
/// `progress` may be NULL. `report` is JSON.
///
/// Borrows `engine` and `user_data`. Returns owned `report`, freed with km_string_free, and owned `error`.
/// Threads: any.
///
/// # Safety
/// `progress` may be called with `user_data` during the call; `report` and `error` are NULL or can be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_engine_sweep(
    engine: *const km_engine,
    progress: km_progress_callback,
    user_data: *mut c_void,
    report: *mut *mut c_char,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(report, "report") }?;
        let engine = handles::of::<Engine>(engine)?;
        let watching = Watching::new(progress, user_data);
        let watch = |at: &SweepProgress| match engine.check_open() {
            Ok(()) => watching.tell(at),
            // Nothing more can be done, and the host may be on its way out.
            Err(_) => ControlFlow::Break(()),
        };
        let swept = engine.run(|| engine.keepmind().sweep_watched(watch))?;
        out.text(progress::report(&swept)?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Closes an engine: finishes what is being written and lets go of the file. Calls that wait for a model
/// go on without it. From now on every call on it and on what it gave out is KM_CLOSED. Closing twice is
/// fine.
///
/// Borrows `engine`, which is still to be freed. Returns owned `error`. Threads: any, also while others
/// use it.
///
/// # Safety
/// `error` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_engine_close(
    engine: *mut km_engine,
    error: *mut *mut km_error,
) -> km_status {
    let body = || handles::of::<Engine>(engine)?.close();
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Frees an engine, and closes it where it is open. NULL is fine; one that was freed already is
/// KM_STALE_HANDLE. Users and sessions of it are still to be freed. Freeing the last of them all waits a
/// second at most for callbacks that have not returned.
///
/// Consumes `engine`. Threads: any, also while others use it.
#[unsafe(no_mangle)]
pub extern "C" fn km_engine_free(engine: *mut km_engine) -> km_status {
    boundary::free::<Engine>(engine, |engine| drop(engine.close()))
}
