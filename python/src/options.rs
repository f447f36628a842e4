//! Options as they come from Python: texts, numbers, truth values, lists and dicts, in the form of a settings file.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use tooljudge::internal::toml::{Table, Value};

/// The options of a job by their names.
pub fn table(options: &Bound<'_, PyDict>) -> PyResult<Table> {
    options.iter().map(|(name, value)| Ok((name.extract()?, value_of(&value)?))).collect()
}

/// `tooljudge/_options.py` has made texts of all else.
fn value_of(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(on) = value.cast::<PyBool>() {
        return Ok(Value::Boolean(on.is_true()));
    }
    if let Ok(number) = value.cast::<PyInt>() {
        return Ok(Value::Integer(number.extract()?));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if let Ok(list) = value.cast::<PyList>() {
        return list.iter().map(|one| value_of(&one)).collect::<PyResult<_>>().map(Value::Array);
    }
    match value.cast::<PyDict>() {
        Ok(pairs) => table(pairs).map(Value::Table),
        Err(_) => Err(PyTypeError::new_err("a setting is a text, a number, a truth value, a list or a dict")),
    }
}
