//! The names in answers: there are few, and many of each. Bounded, unlike the interpreter's own table, where what is once in
//! stays: some names are a user's.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;
use pyo3::types::PyString;

const PLACES: usize = 512;
/// A longer name is no field's.
const LONG: usize = 32;

struct Name {
    told: Box<str>,
    text: Py<PyString>,
}

type Table = [Option<Name>; PLACES];

static KNOWN: Mutex<Table> = Mutex::new([const { None }; PLACES]);

/// The names that were made before, while one answer is read.
pub(crate) struct Names(RefCell<Option<MutexGuard<'static, Table>>>);

impl Names {
    /// Where another answer is being read none are known. That is waited for by nobody: it may be on this thread, as the
    /// interpreter tidies up between any two values, and calls whatever is to be called then.
    pub(crate) fn known() -> Self {
        Names(RefCell::new(match KNOWN.try_lock() {
            Ok(known) => Some(known),
            Err(TryLockError::Poisoned(known)) => Some(known.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }))
    }

    /// The name as Python's text.
    pub(crate) fn text<'py>(&self, py: Python<'py>, told: &str) -> Bound<'py, PyString> {
        let mut known = self.0.borrow_mut();
        let Some(known) = known.as_mut().filter(|_| told.len() <= LONG) else {
            return PyString::new(py, told);
        };
        let place = &mut known[place(told)];
        match place {
            Some(name) if *name.told == *told => name.text.bind(py).clone(),
            _ => {
                let text = PyString::new(py, told);
                *place = Some(Name {
                    told: told.into(),
                    text: text.clone().unbind(),
                });
                text
            }
        }
    }
}

/// FNV-1a: the names are short, and where two share a place both are still right.
fn place(told: &str) -> usize {
    let hash = told.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as usize % PLACES
}
