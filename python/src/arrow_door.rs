//! Frames of any library by Arrow's stream interface in C: the one place of this package that is `unsafe`.
#![allow(unsafe_code)]

use polars::prelude::{ArrowDataType, ArrowField, PolarsError};
use polars_arrow::array::{
    Array, DictionaryArray, FixedSizeListArray, ListArray, MapArray, StructArray, Utf8Array, Utf8ViewArray,
};
use polars_arrow::datatypes::PhysicalType;
use polars_arrow::ffi::{ArrowArrayStream, ArrowArrayStreamReader, export_iterator};
use polars_arrow::match_integer_type;
use polars_arrow::types::Offset;
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

/// All rows of a frame that speaks `__arrow_c_stream__`; the columns `padded` hold texts of JSON in which a null field may be one that the
/// row does not have.
pub fn import(py: Python<'_>, frame: &Bound<'_, PyAny>, padded: &[String]) -> PyResult<InMemory> {
    let capsule = frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>().map_err(PyErr::from)?;
    let at = capsule.pointer_checked(Some(NAME))?.as_ptr().cast::<ArrowArrayStream>();
    // SAFETY: a capsule of the checked name holds a pointer to a stream, and lives until the end of this function. The stream is moved
    // out and an empty one left, as the interface asks of consumers, so that nobody releases it twice.
    let stream = Moved(Box::new(unsafe { std::ptr::replace(at, ArrowArrayStream::empty()) }));
    // A producer may need the lock on a thread of its own.
    let read = py.detach(move || {
        // The whole of it, not its field only.
        let stream = stream;
        read(stream.0, padded)
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

fn read(stream: Box<ArrowArrayStream>, padded: &[String]) -> Result<InMemory, Unread> {
    // SAFETY: whoever made the capsule promises by its name that the stream keeps to the interface.
    let mut stream = unsafe { ArrowArrayStreamReader::try_new(stream) }.map_err(Unread::Stream)?;
    let ArrowDataType::Struct(mut fields) = stream.field().dtype().clone() else {
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
        for ((column, values), field) in columns.iter_mut().zip(batch.values()).zip(&fields) {
            if !is_unicode(values.as_ref()) {
                return Err(Unread::Table(format!(
                    "column `{}` holds text that is not UTF-8: decode it from the encoding that it has",
                    field.name
                )));
            }
            column.push(values.clone());
        }
    }
    for field in fields.iter_mut().filter(|field| padded.iter().any(|name| field.name == name.as_str())) {
        *field = InMemory::padded_column(field);
    }
    InMemory::arrow(&fields, columns, rows).map_err(|error| Unread::Table(error.to_string()))
}

/// Whether all texts are UTF-8. Producers promise it and not all check it: files may hold anything, and what takes the bytes for text
/// would be undefined.
fn is_unicode(array: &dyn Array) -> bool {
    use PhysicalType::{Dictionary, FixedSizeList, LargeList, LargeUtf8, List, Map, Struct, Utf8, Utf8View};
    fn of<A: 'static>(array: &dyn Array) -> Option<&A> {
        array.as_any().downcast_ref()
    }
    match array.dtype().to_physical_type() {
        Utf8 => of::<Utf8Array<i32>>(array).is_some_and(are_texts),
        LargeUtf8 => of::<Utf8Array<i64>>(array).is_some_and(are_texts),
        Utf8View => of::<Utf8ViewArray>(array).is_some_and(|views| {
            views.to_binview().iter().flatten().all(|bytes| std::str::from_utf8(bytes).is_ok())
        }),
        Struct => of::<StructArray>(array)
            .is_some_and(|fields| fields.values().iter().all(|values| is_unicode(&**values))),
        List => of::<ListArray<i32>>(array).is_some_and(|list| is_unicode(&**list.values())),
        LargeList => of::<ListArray<i64>>(array).is_some_and(|list| is_unicode(&**list.values())),
        FixedSizeList => of::<FixedSizeListArray>(array).is_some_and(|list| is_unicode(&**list.values())),
        Map => of::<MapArray>(array).is_some_and(|map| is_unicode(&**map.field())),
        Dictionary(keys) => match_integer_type!(keys, |$K| {
            of::<DictionaryArray<$K>>(array).is_some_and(|dictionary| is_unicode(&**dictionary.values()))
        }),
        _ => true,
    }
}

fn are_texts<O: Offset>(array: &Utf8Array<O>) -> bool {
    let (values, offsets) = (array.values().as_slice(), array.offsets().as_slice());
    let ends = || offsets.iter().map(|offset| offset.to_usize());
    let (Some(first), Some(last)) = (ends().next(), ends().next_back()) else { return true };
    // The texts one after the other are one, and none of them begins within a character.
    values.get(first..last).and_then(|texts| std::str::from_utf8(texts).ok()).is_some_and(|texts| {
        ends().all(|end| end.checked_sub(first).is_some_and(|at| texts.is_char_boundary(at)))
    })
}

/// `table` for whoever reads the interface; it may be asked for as often as needed.
pub fn export<'py>(py: Python<'py>, table: &CollectedTable) -> PyResult<Bound<'py, PyCapsule>> {
    let array = py.detach(|| table.to_array()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let field = ArrowField::new("".into(), array.dtype().clone(), false);
    let stream = export_iterator(Box::new(std::iter::once(Ok(array))), field);
    PyCapsule::new_with_value(py, stream, NAME)
}
