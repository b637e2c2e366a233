//! Handles: numbers that look like pointers. None is given out twice (where a pointer has 64 bits, not in any
//! program's life), so one that was freed is recognised,
//! and the kind is part of the number, so one of another kind is too.

use std::collections::HashMap;
use std::ptr::without_provenance_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::status::{Failure, KM_STALE_HANDLE, KM_WRONG_HANDLE};

/// How many bits of a handle say of which kind it is.
const KIND_BITS: u32 = 4;

static NEXT: AtomicUsize = AtomicUsize::new(1);

/// What stands behind a handle of one kind.
pub(crate) trait Handled: Send + Sync + Sized + 'static {
    /// The type that C sees.
    type Seen;
    const KIND: usize;
    const NAME: &'static str;
    fn table() -> &'static Table<Self>;
}

/// All live handles of one kind.
pub(crate) struct Table<T>(LazyLock<RwLock<HashMap<usize, Arc<T>>>>);

impl<T> Table<T> {
    pub const fn new() -> Self {
        Table(LazyLock::new(RwLock::default))
    }

    // A panic while a lock is held leaves the map whole: one panic must not become many.
    fn read(&self) -> RwLockReadGuard<'_, HashMap<usize, Arc<T>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<usize, Arc<T>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives out a handle.
pub(crate) fn give<T: Handled>(value: T) -> *mut T::Seen {
    give_shared(Arc::new(value))
}

/// Gives out a handle of something that the library uses too.
pub(crate) fn give_shared<T: Handled>(value: Arc<T>) -> *mut T::Seen {
    let number = (NEXT.fetch_add(1, Ordering::Relaxed) << KIND_BITS) | T::KIND;
    T::table().write().insert(number, value);
    without_provenance_mut(number)
}

/// What stands behind a handle.
pub(crate) fn of<T: Handled>(handle: *const T::Seen) -> Result<Arc<T>, Failure> {
    let number = checked::<T>(handle)?;
    let table = T::table().read();
    table.get(&number).cloned().ok_or_else(stale::<T>)
}

/// Takes a handle back: from now on it is stale. What stood behind it lives until the last call that
/// uses it returns.
pub(crate) fn take<T: Handled>(handle: *const T::Seen) -> Result<Arc<T>, Failure> {
    let number = checked::<T>(handle)?;
    let taken = T::table().write().remove(&number);
    taken.ok_or_else(stale::<T>)
}

fn checked<T: Handled>(handle: *const T::Seen) -> Result<usize, Failure> {
    let number = handle.addr();
    if number == 0 {
        return Err(Failure::null(T::NAME));
    }
    if number & ((1 << KIND_BITS) - 1) != T::KIND {
        let message = format!("this is not a handle of a {}", T::NAME);
        return Err(Failure::new(KM_WRONG_HANDLE, message));
    }
    Ok(number)
}

fn stale<T: Handled>() -> Failure {
    let message = format!("this {} was freed, or was never given out", T::NAME);
    Failure::new(KM_STALE_HANDLE, message)
}

/// Says what stands behind a type that C sees. The type itself is written out: the header is made from
/// the source, before macros.
macro_rules! handled {
    ($inner:ty, as $seen:ident, $kind:literal, $name:literal) => {
        impl $crate::handles::Handled for $inner {
            type Seen = $seen;
            const KIND: usize = $kind;
            const NAME: &'static str = $name;
            fn table() -> &'static $crate::handles::Table<Self> {
                static TABLE: $crate::handles::Table<$inner> = $crate::handles::Table::new();
                &TABLE
            }
        }
    };
}
pub(crate) use handled;
