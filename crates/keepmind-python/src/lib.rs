//! What Python's package asks most, without the interpreter: a request is written, the library called and its answer read
//! in one step. The package does without it where it is not there, and takes longer for that: after a call has waited for the
//! database, the interpreter's code is in no cache.

mod ask;
mod names;
mod read;
mod write;

/// The module, as Python has it: `keepmind._quick`.
#[pyo3::pymodule]
mod _quick {
    #[pymodule_export]
    use crate::ask::{Failed, Function, Unread};
    #[pymodule_export]
    use crate::read::read;
    #[pymodule_export]
    use crate::write::write;
}
