//! JSON as Python's values.

use std::fmt;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use crate::names::Names;

/// How deep an answer is followed: some threads have small stacks.
const DEEP: usize = 64;
/// A whole number that has no 64 bits is at least this much, or at most its opposite.
const LONG: f64 = 9_223_372_036_854_775_808.0;

/// What the library answered. A ValueError where it is no JSON, or such as is not read here: nested deeply, with
/// numbers longer than 64 bits, or with escapes in names.
#[pyfunction]
pub(crate) fn read<'py>(py: Python<'py>, answer: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    value(py, answer).ok_or_else(|| PyValueError::new_err("this is not read here"))
}

pub(crate) fn value<'py>(py: Python<'py>, told: &[u8]) -> Option<Bound<'py, PyAny>> {
    let mut reader = serde_json::Deserializer::from_str(std::str::from_utf8(told).ok()?);
    let names = Names::known();
    let value = Value {
        py,
        names: &names,
        depth: 0,
    }
    .deserialize(&mut reader)
    .ok()?;
    reader.end().ok()?;
    Some(value)
}

/// A value of whatever kind comes.
#[derive(Clone, Copy)]
struct Value<'names, 'py> {
    py: Python<'py>,
    names: &'names Names,
    depth: usize,
}

impl Value<'_, '_> {
    /// What this one holds.
    fn held<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        if depth > DEEP {
            return Err(E::custom("nested too deeply"));
        }
        Ok(Value { depth, ..self })
    }
}

impl<'de, 'py> DeserializeSeed<'de> for Value<'_, 'py> {
    type Value = Bound<'py, PyAny>;

    fn deserialize<D: Deserializer<'de>>(self, told: D) -> Result<Self::Value, D::Error> {
        told.deserialize_any(self)
    }
}

impl<'de, 'py> Visitor<'de> for Value<'_, 'py> {
    type Value = Bound<'py, PyAny>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(self.py.None().into_bound(self.py))
    }

    fn visit_bool<E: Error>(self, told: bool) -> Result<Self::Value, E> {
        Ok(PyBool::new(self.py, told).to_owned().into_any())
    }

    fn visit_i64<E: Error>(self, told: i64) -> Result<Self::Value, E> {
        Ok(PyInt::new(self.py, told).into_any())
    }

    fn visit_u64<E: Error>(self, told: u64) -> Result<Self::Value, E> {
        Ok(PyInt::new(self.py, told).into_any())
    }

    fn visit_f64<E: Error>(self, told: f64) -> Result<Self::Value, E> {
        // Such numbers arrive here too, and so does -0.
        if told.abs() >= LONG || told == 0.0 && told.is_sign_negative() {
            return Err(E::custom("it may have been a whole number"));
        }
        Ok(PyFloat::new(self.py, told).into_any())
    }

    fn visit_str<E: Error>(self, told: &str) -> Result<Self::Value, E> {
        Ok(PyString::new(self.py, told).into_any())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut told: A) -> Result<Self::Value, A::Error> {
        let (list, any) = (PyList::empty(self.py), self.held()?);
        while let Some(held) = told.next_element_seed(any)? {
            list.append(held).map_err(Error::custom)?;
        }
        Ok(list.into_any())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut told: A) -> Result<Self::Value, A::Error> {
        let (object, any) = (PyDict::new(self.py), self.held()?);
        // As it stands in the answer: a name with an escape is a user's, and not read here.
        while let Some(name) = told.next_key::<&str>()? {
            let name = self.names.text(self.py, name);
            let held = told.next_value_seed(any)?;
            object.set_item(name, held).map_err(Error::custom)?;
        }
        Ok(object.into_any())
    }
}
