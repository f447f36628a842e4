//! What a row is recognised by, whatever file it stands in: a mark belongs to what was judged, and to no row that took its place.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{Calls, Definitions, Item, Json, Sample, ToolCall, ToolDefinition};

/// Makes the keys of a table's rows, in order.
#[derive(Default)]
pub(super) struct RowKeys {
    /// How often each content was met: equal rows without ids are told apart by their order.
    met: HashMap<[u8; 16], u64>,
    /// The last definitions and their hash: rows of a log have the same text.
    last: Option<(Arc<str>, blake3::Hash)>,
    table: blake3::Hasher,
}

/// Puts parts together so that no two lists of parts come to the same.
#[derive(Default)]
struct Parts(blake3::Hasher);

impl Parts {
    fn add(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }
}

impl RowKeys {
    /// The key of the next row.
    pub fn key(&mut self, id: Option<&str>, item: &Item) -> String {
        let mut parts = Parts::default();
        parts.add(id.unwrap_or_default());
        match item {
            Ok(sample) => self.add_sample(&mut parts, sample),
            Err(error) => parts.add(&error.to_string()),
        }
        let mut content = [0; 16];
        content.copy_from_slice(&parts.0.finalize().as_bytes()[..16]);
        let met = self.met.entry(content).or_default();
        *met += 1;
        let mut key = Parts::default();
        key.0.update(&content);
        key.0.update(&met.to_le_bytes());
        let key = key.0.finalize().to_hex()[..32].to_owned();
        self.table.update(key.as_bytes());
        key
    }

    /// The key of the table of all these rows in this order.
    pub fn table(&self) -> String {
        self.table.finalize().to_hex()[..32].to_owned()
    }

    fn add_sample(&mut self, parts: &mut Parts, sample: &Sample) {
        parts.add(&sample.question);
        let calls =
            |calls: &[ToolCall]| Json::Array(calls.iter().map(ToolCall::to_json).collect()).to_string();
        match &sample.calls {
            Calls::Parsed(parsed) => parts.add(&calls(parsed)),
            Calls::Unparsed => parts.add(sample.raw.tool_call.as_deref().unwrap_or_default()),
        }
        for message in sample.messages.iter() {
            parts.add(message.role.as_str());
            parts.add(&message.content);
            parts.add(&calls(&message.tool_calls));
        }
        if let Some(raw) = &sample.raw.tool_definitions {
            let known = self.last.as_ref().filter(|(last, _)| Arc::ptr_eq(last, raw)).map(|(_, hash)| *hash);
            let hash = known.unwrap_or_else(|| match &sample.definitions {
                Definitions::Known(tools) => blake3::hash(ToolDefinition::list(tools).to_string().as_bytes()),
                Definitions::FreeText | Definitions::Unknown => blake3::hash(raw.as_bytes()),
            });
            self.last = Some((Arc::clone(raw), hash));
            parts.0.update(hash.as_bytes());
        }
    }
}
