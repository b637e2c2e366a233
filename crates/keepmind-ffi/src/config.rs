//! How an engine is opened: settings by key and value, and what the host plugs in.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use keepmind::Policy;
use keepmind::store::StorePlace;
use keepmind::store::sqlite::{Durability, OpenCheck};

use crate::boundary;
use crate::callback::{UserData, km_finalizer};
use crate::embedder::{EmbedderPlug, km_embedder_callback};
use crate::error::km_error;
use crate::handles::{self, handled};
use crate::log::{Log, km_log_callback};
use crate::model::km_model_callback;
use crate::reply::Callback;
use crate::status::{Failure, km_status};
use crate::strings::{self, Out};

/// How an engine is opened. Threads: any, at once.
pub struct km_config {
    _opaque: [u8; 0],
}

pub(crate) struct Config(Mutex<Settings>);

handled!(Config, as km_config, 3, "config");

/// What was set so far.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    pub store: Option<StorePlace>,
    pub policy: Policy,
    pub durability: Durability,
    pub check: OpenCheck,
    pub busy_timeout: Option<Duration>,
    pub cache_bytes: Option<usize>,
    pub max_bytes: Option<u64>,
    pub readers: Option<u32>,
    pub model_timeout: Option<Duration>,
    pub model_retries: Option<u32>,
    pub retry_pause: Option<Duration>,
    pub embedder_timeout: Option<Duration>,
    pub model: Option<Arc<Callback>>,
    pub embedder: Option<EmbedderPlug>,
    pub log: Log,
    /// One that fails at a test's word.
    #[cfg(test)]
    pub clock: Option<Arc<dyn keepmind::Clock>>,
}

impl Config {
    pub fn settings(&self) -> MutexGuard<'_, Settings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Settings {
    fn set(&mut self, key: &str, value: &str) -> Result<(), Failure> {
        match key {
            "store" => {
                let place = StorePlace::read(value);
                self.store = Some(place.map_err(|error| refused(key, error.message()))?);
            }
            "policy" => {
                self.policy = Policy::from_json(value).map_err(|error| refused(key, error))?
            }
            "preset" => {
                let named = Policy::preset(value).map_err(|error| refused(key, error))?;
                self.policy = named;
            }
            "durability" => {
                self.durability = one_of(
                    key,
                    value,
                    &[
                        ("full", Durability::Full),
                        ("normal", Durability::Normal),
                        ("off", Durability::Off),
                    ],
                )?;
            }
            "check" => {
                self.check = one_of(
                    key,
                    value,
                    &[
                        ("automatic", OpenCheck::Automatic),
                        ("always", OpenCheck::Always),
                        ("header", OpenCheck::Header),
                    ],
                )?;
            }
            "busy_timeout_ms" => self.busy_timeout = Some(milliseconds(key, value)?),
            "model_timeout_ms" => self.model_timeout = Some(milliseconds(key, value)?),
            "embedder_timeout_ms" => self.embedder_timeout = Some(milliseconds(key, value)?),
            "retry_pause_ms" => self.retry_pause = Some(milliseconds(key, value)?),
            "model_retries" => self.model_retries = Some(number(key, value)?),
            "cache_bytes" => self.cache_bytes = Some(number(key, value)?),
            "max_bytes" => self.max_bytes = Some(number(key, value)?),
            "readers" => self.readers = Some(number(key, value)?),
            _ => {
                return Err(Failure::invalid(
                    "the keys are store, preset, policy, durability, check, busy_timeout_ms, \
                     model_timeout_ms, embedder_timeout_ms, model_retries, retry_pause_ms, cache_bytes, \
                     max_bytes and readers",
                ));
            }
        }
        Ok(())
    }
}

fn refused(key: &str, error: impl std::fmt::Display) -> Failure {
    Failure::invalid(format!("{key}: {error}"))
}

fn one_of<T: Copy>(key: &str, value: &str, allowed: &[(&str, T)]) -> Result<T, Failure> {
    let found = allowed.iter().find(|(name, _)| *name == value);
    found.map(|(_, meant)| *meant).ok_or_else(|| {
        let names: Vec<&str> = allowed.iter().map(|(name, _)| *name).collect();
        refused(key, format_args!("one of {} is wanted", names.join(", ")))
    })
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, Failure> {
    let parsed = value.parse();
    parsed.map_err(|_| refused(key, "a whole number, in decimal digits, is wanted"))
}

fn milliseconds(key: &str, value: &str) -> Result<Duration, Failure> {
    number(key, value).map(Duration::from_millis)
}

/// Begins a configuration: everything at its default, and no store.
///
/// Returns owned `config`, freed with km_config_free, and owned `error`. Threads: any.
///
/// # Safety
/// `config` and `error` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_config_new(
    config: *mut *mut km_config,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(config, "config") }?;
        out.write(handles::give(Config(Mutex::default())));
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Sets one key. All values are texts:
///
/// store: a file's path, `memory:`, or a URL `postgres://user:password@host/database` where the library was built
/// with PostgreSQL. Needed. While a file is open nothing else in the same process may open it or the files beside it, whose
/// names begin with its own, not even to read or to copy them: closing them gives up the locks of the whole process.
/// Where that took the log away from under saves, the next one fails with KM_IO, and everything after it, until the
/// engine is closed and another opened. Another process may; km_copy makes a copy, and the request `export` a backup.
/// preset: default, advisor, chat, assistant, personal or observer.
/// policy: JSON, what differs from a preset that it names. Of preset and policy the one that was set last holds.
/// durability: full (default), normal or off. check: automatic (default), always or header.
/// model_timeout_ms, embedder_timeout_ms, model_retries, retry_pause_ms, busy_timeout_ms: numbers.
/// cache_bytes, max_bytes, readers: numbers.
///
/// With PostgreSQL, `readers` says how many connections there may be, and `busy_timeout_ms` how long to wait for one
/// and for other writers; durability, check and max_bytes are the server's own.
///
/// Borrows `config`, `key` and `value`. Returns owned `error`. Threads: any.
///
/// # Safety
/// `key` and `value` are NULL or can be read for their lengths; `error` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_config_set(
    config: *mut km_config,
    key: *const c_char,
    key_length: usize,
    value: *const c_char,
    value_length: usize,
    error: *mut *mut km_error,
) -> km_status {
    let body = || {
        let config = handles::of::<Config>(config)?;
        // SAFETY: the caller's promise.
        let key = unsafe { strings::text(key, key_length, "key") }?;
        // SAFETY: the caller's promise.
        let value = unsafe { strings::text(value, value_length, "value") }?;
        config.settings().set(key, value)
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Plugs in a model: it is asked what is worth remembering, for summaries and titles. Without one, code
/// does what it can.
///
/// `finalizer` is called once, when neither the configuration nor an engine opened with it can call
/// `callback` any more; also where this function fails.
///
/// Borrows `config`. Consumes `user_data`. Returns owned `error`. Threads: any.
///
/// # Safety
/// `callback` and `finalizer` may be called on any thread with `user_data`; `error` is NULL or can be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_config_set_model(
    config: *mut km_config,
    callback: km_model_callback,
    user_data: *mut c_void,
    finalizer: km_finalizer,
    error: *mut *mut km_error,
) -> km_status {
    let data = UserData::new(user_data, finalizer);
    let body = || {
        let config = handles::of::<Config>(config)?;
        let function = callback.ok_or_else(|| Failure::null("callback"))?;
        let model = Arc::new(Callback { function, data });
        let before = config.settings().model.replace(model);
        // Its finaliser is the host's code: it must not run while the settings are locked.
        drop(before);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Plugs in an embedder: memories are then found by meaning too. `id` is a name that changes whenever its
/// vectors would, one line of at most 128 characters; `dimensions` how many numbers a vector has, at most 8192.
/// An empty name and no dimensions are refused at once, the rest when an engine is opened.
///
/// `finalizer` is called once, as for km_config_set_model.
///
/// Borrows `config` and `id`. Consumes `user_data`. Returns owned `error`. Threads: any.
///
/// # Safety
/// `callback` and `finalizer` may be called on any thread with `user_data`; `id` is NULL or can be read
/// for its length; `error` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_config_set_embedder(
    config: *mut km_config,
    id: *const c_char,
    id_length: usize,
    dimensions: usize,
    callback: km_embedder_callback,
    user_data: *mut c_void,
    finalizer: km_finalizer,
    error: *mut *mut km_error,
) -> km_status {
    let data = UserData::new(user_data, finalizer);
    let body = || {
        let config = handles::of::<Config>(config)?;
        // SAFETY: the caller's promise.
        let id = unsafe { strings::text(id, id_length, "id") }?.to_owned();
        let function = callback.ok_or_else(|| Failure::null("callback"))?;
        if id.is_empty() || dimensions == 0 {
            return Err(Failure::invalid(
                "an embedder has a name and at least one dimension",
            ));
        }
        let embedder = EmbedderPlug {
            callback: Arc::new(Callback { function, data }),
            id,
            dimensions,
        };
        let before = config.settings().embedder.replace(embedder);
        drop(before);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Has `callback` hear what the library has to say. `finalizer` is called once, as for
/// km_config_set_model.
///
/// Borrows `config`. Consumes `user_data`. Returns owned `error`. Threads: any.
///
/// # Safety
/// `callback` and `finalizer` may be called on any thread with `user_data`; `error` is NULL or can be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn km_config_set_log(
    config: *mut km_config,
    callback: km_log_callback,
    user_data: *mut c_void,
    finalizer: km_finalizer,
    error: *mut *mut km_error,
) -> km_status {
    let data = UserData::new(user_data, finalizer);
    let body = || {
        let config = handles::of::<Config>(config)?;
        if callback.is_none() {
            return Err(Failure::null("callback"));
        }
        let before = std::mem::replace(&mut config.settings().log, Log::new(callback, data));
        drop(before);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { boundary::call(error, body) }
}

/// Frees a configuration. NULL is fine; one that was freed already is KM_STALE_HANDLE. Engines that were
/// opened with it go on.
///
/// Consumes `config`. Threads: any.
#[unsafe(no_mangle)]
pub extern "C" fn km_config_free(config: *mut km_config) -> km_status {
    boundary::free::<Config>(config, |_| ())
}
