//! Frames of any library by Arrow's stream interface in C: the one place of this package that is `unsafe`.
#![allow(unsafe_code)]

use polars::prelude::{ArrowDataType, ArrowField, PolarsError};
use polars_arrow::array::{Array, StructArray};
use polars_arrow::ffi::{ArrowArrayStream, ArrowArrayStreamReader, export_iterator};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tooljudge::internal::CollectedTable;
use tooljudge::run::settings::InMemory;

const NAME: &std::ffi::CStr = c"arrow_array_stream";

/// A stream on its way to a thread that does not hold Python's lock.
struct Moved(Box<ArrowArrayStream>);

// SAFETY: Arrow's interface lets a stream be used by any one thread at a time, and this one is moved, never shared.
unsafe impl Send for Moved {}

/// All rows of a frame that speaks `__arrow_c_stream__`.
pub fn import(py: Python<'_>, frame: &Bound<'_, PyAny>) -> PyResult<InMemory> {
    let capsule = frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>().map_err(PyErr::from)?;
    let at = capsule.pointer_checked(Some(NAME))?.as_ptr().cast::<ArrowArrayStream>();
    // SAFETY: a capsule of the checked name holds a pointer to a stream, and lives until the end of this function. The stream is moved
    // out and an empty one left, as the interface asks of consumers, so that nobody releases it twice.
    let stream = Moved(Box::new(unsafe { std::ptr::replace(at, ArrowArrayStream::empty()) }));
    // A producer may need the lock on a thread of its own.
    let read = py.detach(move || {
        // The whole of it, not its field only.
        let stream = stream;
        read(stream.0)
    });
    read.map_err(|error| match error {
        Unread::NotATable(dtype) => {
            PyTypeError::new_err(format!("__arrow_c_stream__ gives {dtype}, not a table with columns"))
        }
        Unread::Stream(error) => PyValueError::new_err(error.to_string()),
        Unread::Table(why) => PyValueError::new_err(why),
    })
}

enum Unread {
    NotATable(String),
    Stream(PolarsError),
    Table(String),
}

fn read(stream: Box<ArrowArrayStream>) -> Result<InMemory, Unread> {
    // SAFETY: whoever made the capsule promises by its name that the stream keeps to the interface.
    let mut stream = unsafe { ArrowArrayStreamReader::try_new(stream) }.map_err(Unread::Stream)?;
    let ArrowDataType::Struct(fields) = stream.field().dtype().clone() else {
        return Err(Unread::NotATable(format!("{:?}", stream.field().dtype())));
    };
    InMemory::check(&fields).map_err(|error| Unread::Table(error.to_string()))?;
    let mut columns: Vec<Vec<Box<dyn Array>>> = vec![Vec::new(); fields.len()];
    let mut rows = 0;
    // SAFETY: as above; the reader is used by this thread only.
    while let Some(batch) = unsafe { stream.next() } {
        let batch = batch.map_err(Unread::Stream)?;
        let Some(batch) = batch.as_any().downcast_ref::<StructArray>() else {
            return Err(Unread::NotATable(format!("{:?}", batch.dtype())));
        };
        rows += batch.len();
        for (column, values) in columns.iter_mut().zip(batch.values()) {
            column.push(values.clone());
        }
    }
    InMemory::arrow(&fields, columns, rows).map_err(|error| Unread::Table(error.to_string()))
}

/// `table` for whoever reads the interface; it may be asked for as often as needed.
pub fn export<'py>(py: Python<'py>, table: &CollectedTable) -> PyResult<Bound<'py, PyCapsule>> {
    let array = py.detach(|| table.to_array()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let field = ArrowField::new("".into(), array.dtype().clone(), false);
    let stream = export_iterator(Box::new(std::iter::once(Ok(array))), field);
    PyCapsule::new_with_value(py, stream, NAME)
}
