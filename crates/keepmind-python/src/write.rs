//! Python's plain values as JSON. What else has a word in JSON, or none, the package's own writer knows.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

/// How deep a value is followed; the library refuses what is nested more deeply.
const DEEP: usize = 64;
/// How much is written here: meanwhile nothing interrupts, and without memory the process would end.
const MUCH: usize = 1 << 20;
/// A longer text is given its UTF-8 for a while; a shorter one keeps it.
const LONG: usize = 256;

/// An object as JSON, if all that it holds is plain and it is not much: texts, whole numbers of 64 bits, finite ones, truths,
/// None, and lists and dicts of these. None otherwise.
#[pyfunction]
pub(crate) fn write<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyDict>,
) -> Option<Bound<'py, PyBytes>> {
    plainly_written(value).map(|written| PyBytes::new(py, &written))
}

pub(crate) fn plainly_written(value: &Bound<'_, PyDict>) -> Option<Vec<u8>> {
    let mut written = Vec::with_capacity(256);
    object(value, &mut written, 0)?;
    Some(written)
}

/// Of exactly these types: another that is derived from one may mean something else.
fn any(value: &Bound<'_, PyAny>, written: &mut Vec<u8>, depth: usize) -> Option<()> {
    if depth > DEEP || written.len() > MUCH {
        return None;
    }
    if let Ok(held) = value.cast_exact::<PyString>() {
        text(held, written)
    } else if let Ok(held) = value.cast_exact::<PyDict>() {
        object(held, written, depth)
    } else if let Ok(held) = value.cast_exact::<PyList>() {
        written.push(b'[');
        for (place, held) in held.iter().enumerate() {
            if place > 0 {
                written.push(b',');
            }
            any(&held, written, depth + 1)?;
        }
        written.push(b']');
        Some(())
    } else if value.is_none() {
        written.extend_from_slice(b"null");
        Some(())
    } else if let Ok(held) = value.cast_exact::<PyBool>() {
        serde_json::to_writer(written, &held.is_true()).ok()
    } else if let Ok(held) = value.cast_exact::<PyInt>() {
        // What goes wrong here makes an exception, and the interpreter may tidy up meanwhile and change a dict that is being
        // written: nothing is written after it.
        serde_json::to_writer(written, &held.extract::<i64>().ok()?).ok()
    } else {
        let held = value.cast_exact::<PyFloat>().ok()?.value();
        held.is_finite()
            .then(|| serde_json::to_writer(written, &held).ok())?
    }
}

fn object(value: &Bound<'_, PyDict>, written: &mut Vec<u8>, depth: usize) -> Option<()> {
    written.push(b'{');
    for (place, (name, held)) in value.iter().enumerate() {
        if place > 0 {
            written.push(b',');
        }
        text(name.cast_exact().ok()?, written)?;
        written.push(b':');
        any(&held, written, depth + 1)?;
    }
    written.push(b'}');
    Some(())
}

/// Half of a surrogate pair has no UTF-8.
fn text(value: &Bound<'_, PyString>, written: &mut Vec<u8>) -> Option<()> {
    let length = value.len().ok()?;
    if length + written.len() > MUCH {
        return None;
    }
    if length <= LONG {
        return serde_json::to_writer(written, value.to_str().ok()?).ok();
    }
    let told = value.encode_utf8().ok()?;
    serde_json::to_writer(written, std::str::from_utf8(told.as_bytes()).ok()?).ok()
}
