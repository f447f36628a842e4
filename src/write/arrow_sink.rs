//! Writes Arrow IPC files, zstd-compressed, in record batches of bounded size.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::prelude::*;
use polars_arrow::io::ipc::IpcField;
use polars_arrow::io::ipc::write::{
    Compression, DictionaryTracker, EncodedData, FileWriter, WriteOptions, default_ipc_fields,
    dictionaries_to_encode, encode_dictionary_values, encode_record_batch,
};

use super::WriteError;
use super::encoder::Encoder;
use super::group::Group;
use super::parquet_sink::explain;
use crate::table::arrow::{map_types, with_arrow_name};
use crate::table::{self, Batch, Pandas};

pub(super) struct ArrowSink {
    path: PathBuf,
    schema: Arc<ArrowSchema>,
    writer: FileWriter<Encoder>,
    options: WriteOptions,
    fields: Vec<IpcField>,
    /// The categories met so far. They only ever grow, so a file's last are all that its rows need: readers take a file's
    /// dictionaries first, wherever they stand.
    dictionaries: DictionaryTracker,
    group: Group,
}

impl ArrowSink {
    pub(super) fn create(
        path: &Path,
        encoder: Encoder,
        schema: &table::Schema,
    ) -> Result<ArrowSink, WriteError> {
        let pandas = schema.pandas.as_ref().and_then(|pandas| pandas.note(schema));
        let schema = Arc::new(map_types(&schema.arrow(), &with_arrow_name));
        let fields = default_ipc_fields(schema.iter_values());
        let options = WriteOptions { compression: Some(Compression::ZSTD(Default::default())) };
        let mut writer = FileWriter::new(encoder, Arc::clone(&schema), Some(fields.clone()), options);
        if let Some(note) = pandas {
            let notes = [(Pandas::KEY.into(), note.as_str().into())];
            writer.set_custom_schema_metadata(Arc::new(notes.into_iter().collect()));
        }
        writer.start().map_err(|error| explain(path, &error))?;
        let dictionaries = DictionaryTracker { dictionaries: Default::default(), cannot_replace: false };
        Ok(ArrowSink {
            path: path.to_owned(),
            schema,
            writer,
            options,
            fields,
            dictionaries,
            group: Group::default(),
        })
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        let frame = batch.into_frame().map_err(|error| WriteError::table(&self.path, error))?;
        let full = self.group.add(frame).map_err(|error| explain(&self.path, &error))?;
        self.put(full)
    }

    pub(super) fn finish(mut self) -> Result<(), WriteError> {
        let rest = self.group.take();
        self.put(rest)?;
        self.end().map_err(|error| explain(&self.path, &error))?;
        self.writer.into_inner().finish().map_err(|error| WriteError::io(&self.path, &error))
    }

    fn put(&mut self, group: Option<DataFrame>) -> Result<(), WriteError> {
        let Some(group) = group else { return Ok(()) };
        self.encode(&group).map_err(|error| explain(&self.path, &error))
    }

    fn encode(&mut self, group: &DataFrame) -> PolarsResult<()> {
        let batch = table::arrow::record_batch(group, &self.schema)?;
        for (field, array) in self.fields.iter().zip(batch.arrays()) {
            // Remembers what is new; that is written at the end.
            dictionaries_to_encode(field, array.as_ref(), &mut self.dictionaries, &mut Vec::new())?;
        }
        let mut message = EncodedData::default();
        encode_record_batch(&batch, &self.options, &mut message);
        self.writer.write_encoded(&[], &message)?;
        Ok(())
    }

    fn end(&mut self) -> PolarsResult<()> {
        let encoded = self
            .dictionaries
            .dictionaries
            .iter()
            .map(|(id, values)| encode_dictionary_values(*id, values.as_ref(), &self.options))
            .collect::<PolarsResult<Vec<_>>>()?;
        self.writer.write_encoded_dictionaries(&encoded)?;
        self.writer.finish()
    }
}
