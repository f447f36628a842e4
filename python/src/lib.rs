//! The native half of the Python package: tables in and out, and the commands of the command line. What is pleasant to type is in
//! `tooljudge/`.

mod agent;
mod arrow_door;
mod job;
mod options;

use std::ffi::OsString;

use polars::prelude::{ArrowDataType, ArrowField};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tooljudge::internal::CollectedTable;
use tooljudge::run::Stop;
use tooljudge::run::settings::InMemory;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A table that a job reads.
#[pyclass(frozen, module = "tooljudge._native")]
struct Table(InMemory);

#[pymethods]
impl Table {
    /// Of anything with `__arrow_c_stream__`; the columns `padded` hold texts of JSON in which a null field may be one that the row does
    /// not have.
    #[staticmethod]
    #[pyo3(signature = (frame, padded=Vec::new()))]
    fn of_stream(py: Python<'_>, frame: &Bound<'_, PyAny>, padded: Vec<String>) -> PyResult<Table> {
        Ok(Table(arrow_door::import(py, frame, &padded)?))
    }

    /// Of a text in JSON Lines; `padded` says whether a null field of a nested object may be one that the row does not have.
    #[staticmethod]
    #[pyo3(signature = (text, padded=false))]
    fn of_lines(py: Python<'_>, text: &[u8], padded: bool) -> PyResult<Table> {
        let table = py.detach(|| InMemory::json_lines(text));
        let table = table.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Table(if padded { table.padded() } else { table }))
    }

    /// Of columns of text without a row.
    #[staticmethod]
    fn empty(names: Vec<String>) -> PyResult<Table> {
        let field = |name: &String| ArrowField::new(name.as_str().into(), ArrowDataType::LargeUtf8, true);
        let fields: Vec<ArrowField> = names.iter().map(field).collect();
        let table = InMemory::arrow(&fields, vec![Vec::new(); names.len()], 0);
        table.map(Table).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// A table that a job made.
#[pyclass(frozen, module = "tooljudge._native")]
struct Collected(CollectedTable);

#[pymethods]
impl Collected {
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.shape().0.iter_names().map(ToString::to_string).collect()
    }

    fn __len__(&self) -> usize {
        self.0.shape().1
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows to give what there is.
        drop(requested_schema);
        arrow_door::export(py, &self.0)
    }

    /// The columns from the one at `first` on as a text in JSON Lines.
    #[pyo3(signature = (first=0))]
    fn json_lines(&self, py: Python<'_>, first: usize) -> PyResult<String> {
        py.detach(|| self.0.json_lines(first)).map_err(|error| PyMemoryError::new_err(error.to_string()))
    }
}

/// Stops a job that another thread waits for.
#[pyclass(frozen, name = "Stop", module = "tooljudge._native")]
#[derive(Default)]
struct PyStop(Stop);

#[pymethods]
impl PyStop {
    #[new]
    fn new() -> PyStop {
        PyStop::default()
    }

    /// Asks nothing new, and waits for what is in flight; the second time, waits for nothing.
    fn stop(&self) {
        match self.0.gently.is_cancelled() {
            false => self.0.gently.cancel(),
            true => self.0.now.cancel(),
        }
    }

    /// Whether somebody asked it to stop.
    fn is_told(&self) -> bool {
        self.0.is_told()
    }
}

/// The settings file with this text, as JSON.
#[pyfunction]
fn settings(text: &str) -> PyResult<String> {
    tooljudge::internal::settings(text).map_err(PyValueError::new_err)
}

/// Runs the program, as it is started with `arguments`; its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| tooljudge::internal::main_with(arguments));
    // Which number it is, the standard library does not tell.
    (0..=u8::MAX).find(|number| code == std::process::ExitCode::from(*number)).unwrap_or(2)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ROW", InMemory::ROW)?;
    module.add_class::<Table>()?;
    module.add_class::<Collected>()?;
    module.add_class::<PyStop>()?;
    module.add_class::<agent::Conversation>()?;
    module.add_class::<agent::Environment>()?;
    module.add_function(wrap_pyfunction!(job::run, module)?)?;
    module.add_function(wrap_pyfunction!(agent::tasks, module)?)?;
    module.add_function(wrap_pyfunction!(settings, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)
}
