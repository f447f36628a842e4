//! Converts frames to columns with the types of the input file, if frames only have a similar type.

use std::sync::Arc;

use polars::polars_compute::cast::{CastOptionsImpl, cast};
use polars::prelude::{ArrowDataType, ArrowField, ArrowSchema, CompatLevel, DataFrame, PolarsResult};
use polars_arrow::array::{
    Array, BinaryArray, FixedSizeListArray, ListArray, MapArray, StructArray, Utf8Array, new_empty_array,
};
use polars_arrow::datatypes::ExtensionType;
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::record_batch::RecordBatchT;

/// `schema` with every type within it changed by `change`, the inner ones first.
pub fn map_types(schema: &ArrowSchema, change: &dyn Fn(ArrowDataType) -> ArrowDataType) -> ArrowSchema {
    let fields = schema.iter_values().map(|field| map_field(field, change));
    fields.map(|field| (field.name.clone(), field)).collect()
}

/// As [`map_types`], for one column.
pub fn map_field(field: &ArrowField, change: &dyn Fn(ArrowDataType) -> ArrowDataType) -> ArrowField {
    ArrowField { dtype: map_type(&field.dtype, change), ..field.clone() }
}

fn map_type(dtype: &ArrowDataType, change: &dyn Fn(ArrowDataType) -> ArrowDataType) -> ArrowDataType {
    use ArrowDataType::{Extension, FixedSizeList, LargeList, List, Map, Struct};
    let within = |inner: &ArrowField| Box::new(map_field(inner, change));
    change(match dtype {
        List(inner) => List(within(inner)),
        LargeList(inner) => LargeList(within(inner)),
        FixedSizeList(inner, size) => FixedSizeList(within(inner), *size),
        Map(inner, sorted) => Map(within(inner), *sorted),
        Struct(members) => Struct(members.iter().map(|member| map_field(member, change)).collect()),
        Extension(extension) => {
            let inner = map_type(&extension.inner, change);
            Extension(Box::new(ExtensionType { inner, ..(**extension).clone() }))
        }
        other => other.clone(),
    })
}

/// What a value of an extension type is stored as; any other type is itself.
pub fn storage(dtype: ArrowDataType) -> ArrowDataType {
    match dtype {
        ArrowDataType::Extension(extension) => extension.inner,
        other => other,
    }
}

/// The mark of a text that Parquet calls JSON. Parquet files keep it as the type of the column.
const PARQUET_JSON: &str = "parquet.json";
/// Arrow's own name for such texts.
const ARROW_JSON: &str = "arrow.json";
/// The mark of texts of JSON in which a null field may be one that the row does not have. No file has it.
const PADDED_JSON: &str = "tooljudge.padded_json";

/// `dtype`, marked as one whose texts are JSON.
pub fn marked_json(dtype: ArrowDataType) -> ArrowDataType {
    ArrowDataType::Extension(Box::new(ExtensionType {
        name: PARQUET_JSON.into(),
        inner: dtype,
        metadata: None,
    }))
}

/// A column of texts, marked as JSON in which a null field may be one that the row does not have.
pub fn marked_padded(field: &ArrowField) -> ArrowField {
    let extension =
        ExtensionType { name: PADDED_JSON.into(), inner: storage(field.dtype.clone()), metadata: None };
    ArrowField { dtype: ArrowDataType::Extension(Box::new(extension)), ..field.clone() }
}

/// Whether a column is marked so.
pub fn is_padded(dtype: &ArrowDataType) -> bool {
    matches!(dtype, ArrowDataType::Extension(extension) if extension.name == PADDED_JSON)
}

/// `dtype` without the mark of Parquet, which no library knows.
pub fn without_mark(dtype: ArrowDataType) -> ArrowDataType {
    match dtype {
        ArrowDataType::Extension(extension) if extension.name == PARQUET_JSON => extension.inner,
        other => other,
    }
}

/// `dtype` with Arrow's name for JSON in place of the mark of Parquet.
pub fn with_arrow_name(dtype: ArrowDataType) -> ArrowDataType {
    match dtype {
        ArrowDataType::Extension(extension) if extension.name == PARQUET_JSON => {
            ArrowDataType::Extension(Box::new(ExtensionType {
                name: ARROW_JSON.into(),
                metadata: Some("".into()),
                ..*extension
            }))
        }
        other => other,
    }
}

/// The type in place of one that other libraries cannot read where it is nested: texts and bytes with offsets, not views.
pub(super) fn without_views(dtype: ArrowDataType) -> ArrowDataType {
    match dtype {
        ArrowDataType::Utf8View => ArrowDataType::Utf8,
        ArrowDataType::BinaryView => ArrowDataType::Binary,
        ArrowDataType::Dictionary(key, values, sorted) => {
            ArrowDataType::Dictionary(key, Box::new(without_views(*values)), sorted)
        }
        other => other,
    }
}

/// Whether the texts of this type are JSON, be it marked so here or by a library.
pub fn is_json(dtype: &ArrowDataType) -> bool {
    let ArrowDataType::Extension(extension) = dtype else { return false };
    [PARQUET_JSON, ARROW_JSON, PADDED_JSON].contains(&extension.name.as_str())
}

/// The same of a field at any depth.
pub(super) fn holds_json(dtype: &ArrowDataType) -> bool {
    match dtype {
        ArrowDataType::Struct(members) => members.iter().any(|member| holds_json(&member.dtype)),
        ArrowDataType::List(inner)
        | ArrowDataType::LargeList(inner)
        | ArrowDataType::FixedSizeList(inner, _)
        | ArrowDataType::Map(inner, _) => holds_json(&inner.dtype),
        dtype => is_json(dtype),
    }
}

/// The type in which a column that is `file` in the input and `frame` in frames is written: the input's, but for
/// categories, whose numbering is the frame library's, and what cannot be turned back.
fn written_type(file: &ArrowDataType, frame: &ArrowDataType) -> ArrowDataType {
    use ArrowDataType::{Dictionary, Extension, FixedSizeList, LargeList, List, Map, Struct};
    match (file, frame) {
        (List(file), LargeList(frame)) => List(Box::new(written_field(file, frame))),
        (LargeList(file), LargeList(frame)) => LargeList(Box::new(written_field(file, frame))),
        (Map(file, sorted), LargeList(frame)) => Map(Box::new(written_field(file, frame)), *sorted),
        (FixedSizeList(file, size), FixedSizeList(frame, _)) => {
            FixedSizeList(Box::new(written_field(file, frame)), *size)
        }
        (Struct(files), Struct(frames)) if files.len() == frames.len() => {
            Struct(files.iter().zip(frames).map(|(file, frame)| written_field(file, frame)).collect())
        }
        // Its texts are written without what only fills a place.
        (Extension(file), frame) if file.name == PADDED_JSON => marked_json(written_type(&file.inner, frame)),
        (Extension(file), frame) => {
            let inner = written_type(&file.inner, frame);
            Extension(Box::new(ExtensionType { inner, ..(**file).clone() }))
        }
        (Dictionary(..), _) => frame.clone(),
        _ if leaf(new_empty_array(frame.clone()).as_ref(), file).is_ok() => file.clone(),
        _ => frame.clone(),
    }
}

/// A column as it is written, whose name and type in the input are `file`, and in frames `frame`.
pub(super) fn written_field(file: &ArrowField, frame: &ArrowField) -> ArrowField {
    let dtype = written_type(&file.dtype, &frame.dtype);
    // What a library notes about its own type of categories belongs to that type.
    let metadata = if dtype == file.dtype { file.metadata.clone() } else { frame.metadata.clone() };
    ArrowField { name: file.name.clone(), dtype, is_nullable: file.is_nullable, metadata }
}

/// All rows of `frame` in the types of `schema`.
pub fn record_batch(
    frame: &DataFrame,
    schema: &Arc<ArrowSchema>,
) -> PolarsResult<RecordBatchT<Box<dyn Array>>> {
    let columns = frame.columns().iter().zip(schema.iter_values()).map(|(column, field)| {
        let series = column.as_materialized_series().rechunk();
        retype(series.to_arrow(0, CompatLevel::oldest()).as_ref(), &field.dtype)
    });
    RecordBatchT::try_new(frame.height(), Arc::clone(schema), columns.collect::<PolarsResult<_>>()?)
}

/// `array` as `to`, which is what [`written_type`] says of its type.
fn retype(array: &dyn Array, to: &ArrowDataType) -> PolarsResult<Box<dyn Array>> {
    use ArrowDataType::{Extension, FixedSizeList, LargeList, List, Map, Struct};
    if array.dtype() == to {
        return Ok(array.to_boxed());
    }
    if let Extension(extension) = to {
        let mut stored = retype(array, &extension.inner)?;
        *stored.dtype_mut() = to.clone();
        return Ok(stored);
    }
    let validity = array.validity().cloned();
    if let (List(field) | LargeList(field) | Map(field, _), Some(list)) =
        (to, array.as_any().downcast_ref::<ListArray<i64>>())
    {
        let values = retype(list.values().as_ref(), &field.dtype)?;
        let long = list.offsets().clone();
        let short = || OffsetsBuffer::<i32>::try_from(&long);
        return Ok(match to {
            List(_) => ListArray::<i32>::try_new(to.clone(), short()?, values, validity)?.boxed(),
            Map(..) => MapArray::try_new(to.clone(), short()?, values, validity)?.boxed(),
            _ => ListArray::<i64>::try_new(to.clone(), long, values, validity)?.boxed(),
        });
    }
    if let (FixedSizeList(field, _), Some(list)) = (to, array.as_any().downcast_ref::<FixedSizeListArray>()) {
        let values = retype(list.values().as_ref(), &field.dtype)?;
        return Ok(FixedSizeListArray::try_new(to.clone(), list.len(), values, validity)?.boxed());
    }
    if let (Struct(fields), Some(rows)) = (to, array.as_any().downcast_ref::<StructArray>()) {
        let values =
            rows.values().iter().zip(fields).map(|(values, field)| retype(values.as_ref(), &field.dtype));
        let values = values.collect::<PolarsResult<_>>()?;
        return Ok(StructArray::try_new(to.clone(), rows.len(), values, validity)?.boxed());
    }
    leaf(array, to)
}

/// `array` without extension types, at any depth: what they are stored as.
pub fn stored(array: &dyn Array) -> PolarsResult<Box<dyn Array>> {
    use ArrowDataType::{Extension, FixedSizeList, LargeList, List, Map, Struct};
    let validity = || array.validity().cloned();
    let any = array.as_any();
    let to = map_type(array.dtype(), &storage);
    if &to == array.dtype() {
        return Ok(array.to_boxed());
    }
    if let Extension(extension) = array.dtype() {
        let mut inner = array.to_boxed();
        *inner.dtype_mut() = extension.inner.clone();
        return stored(inner.as_ref());
    }
    Ok(match &to {
        List(_) if let Some(list) = any.downcast_ref::<ListArray<i32>>() => {
            let values = stored(list.values().as_ref())?;
            ListArray::<i32>::try_new(to, list.offsets().clone(), values, validity())?.boxed()
        }
        LargeList(_) if let Some(list) = any.downcast_ref::<ListArray<i64>>() => {
            let values = stored(list.values().as_ref())?;
            ListArray::<i64>::try_new(to, list.offsets().clone(), values, validity())?.boxed()
        }
        FixedSizeList(..) if let Some(list) = any.downcast_ref::<FixedSizeListArray>() => {
            let values = stored(list.values().as_ref())?;
            FixedSizeListArray::try_new(to, list.len(), values, validity())?.boxed()
        }
        Map(..) if let Some(map) = any.downcast_ref::<MapArray>() => {
            let values = stored(map.field().as_ref())?;
            MapArray::try_new(to, map.offsets().clone(), values, validity())?.boxed()
        }
        Struct(_) if let Some(rows) = any.downcast_ref::<StructArray>() => {
            let values = rows.values().iter().map(|values| stored(values.as_ref()));
            let values = values.collect::<PolarsResult<_>>()?;
            StructArray::try_new(to, rows.len(), values, validity())?.boxed()
        }
        _ => array.to_boxed(),
    })
}

fn leaf(array: &dyn Array, to: &ArrowDataType) -> PolarsResult<Box<dyn Array>> {
    let step = |array: &dyn Array, to: &ArrowDataType| cast(array, to, CastOptionsImpl::default());
    let validity = array.validity().cloned();
    match (array.dtype(), to) {
        (from, to) if from == to => Ok(array.to_boxed()),
        (ArrowDataType::LargeUtf8, ArrowDataType::Utf8) => {
            let Some(texts) = array.as_any().downcast_ref::<Utf8Array<i64>>() else { return step(array, to) };
            let offsets = OffsetsBuffer::<i32>::try_from(texts.offsets())?;
            Ok(Utf8Array::<i32>::try_new(to.clone(), offsets, texts.values().clone(), validity)?.boxed())
        }
        (ArrowDataType::LargeBinary, ArrowDataType::Binary) => {
            let Some(blobs) = array.as_any().downcast_ref::<BinaryArray<i64>>() else {
                return step(array, to);
            };
            let offsets = OffsetsBuffer::<i32>::try_from(blobs.offsets())?;
            Ok(BinaryArray::<i32>::try_new(to.clone(), offsets, blobs.values().clone(), validity)?.boxed())
        }
        (ArrowDataType::LargeBinary, ArrowDataType::FixedSizeBinary(_)) => {
            step(step(array, &ArrowDataType::BinaryView)?.as_ref(), to)
        }
        _ => step(array, to),
    }
}
