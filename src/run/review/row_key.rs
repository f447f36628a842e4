//! The key of a row, the same in any file: a mark belongs to what was judged, never to a row that replaced it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bench::columns;
use crate::domain::{
    Calls, Definitions, Item, Json, Message, Sample, ToolCall, ToolDefinition, gold_columns,
};
use crate::normalize::columns::Columns;

/// What `review export` adds to each row, beside its gold and how it was drawn.
pub(super) const ADDED: [&str; 4] = ["note", "reviewers", "marked_at", "marks"];

/// Where a row comes from, and how it was read: another file of the same rows says otherwise.
const PROVENANCE: [&str; 4] = ["source_file", "record", "item", "flags"];

/// Makes the keys of a table's rows, in order.
#[derive(Default)]
pub(super) struct RowKeys {
    /// How often each content was met: equal rows without ids are told apart by their order.
    met: HashMap<[u8; 16], u64>,
    /// The last definitions and their hash: rows of a log have the same text.
    last: Option<(Arc<str>, blake3::Hash)>,
    table: blake3::Hasher,
    all: Vec<String>,
}

/// The columns whose cells belong to what is judged, whatever they are called: a template can show any of them. What judges and
/// reviewers say, and how a row was drawn, are not among them.
pub(super) struct Judged {
    /// Those that belong to the key of any row, in the order of their names.
    others: Vec<String>,
    /// Those that a sample holds already; only of rows that cannot be read, their cells count.
    read: Vec<String>,
}

impl Judged {
    pub fn of<'a>(names: impl Iterator<Item = &'a str>, columns_: &Columns, of_judges: &[String]) -> Judged {
        let Columns { question, tool_call, tool_definitions, messages, raw, next_message, .. } = columns_;
        let own = [question, tool_call, tool_definitions, raw, next_message];
        let own: Vec<&str> = own.into_iter().flatten().chain(messages).map(String::as_str).collect();
        let is_said = |name: &str| {
            of_judges.iter().any(|column| column == name)
                || gold_columns::is_gold(name)
                || [&ADDED[..], &PROVENANCE, &columns::DRAW, &columns::FINDINGS]
                    .iter()
                    .any(|names| names.contains(&name))
        };
        let mut names: Vec<&str> = names.filter(|name| !is_said(name)).collect();
        names.sort_unstable();
        let (read, others): (Vec<&str>, Vec<&str>) = names.into_iter().partition(|name| own.contains(name));
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        Judged { others: owned(others), read: owned(read) }
    }

    pub fn others(&self) -> &[String] {
        &self.others
    }

    pub fn read(&self) -> &[String] {
        &self.read
    }
}

/// The filled cells of a row, each with its column.
pub(super) type Cells<'a> = Vec<(&'a str, String)>;

/// Puts parts together so that no two lists of parts come to the same.
#[derive(Default)]
struct Parts(blake3::Hasher);

impl Parts {
    fn add(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn count(&mut self, number: usize) {
        self.0.update(&(number as u64).to_le_bytes());
    }
}

impl RowKeys {
    /// The key of the next row; `cells` are those of the columns beside its sample, or of all its columns where it cannot be read.
    pub fn key(&mut self, id: Option<&str>, item: &Item, cells: &Cells<'_>) -> String {
        let mut parts = Parts::default();
        parts.add(id.unwrap_or_default());
        match item {
            Ok(sample) => self.add_sample(&mut parts, sample),
            Err(_) => parts.add("unreadable"),
        }
        parts.count(cells.len());
        for (column, text) in cells {
            parts.add(column);
            parts.add(text);
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
        self.all.push(key.clone());
        key
    }

    /// The key of the table of all these rows in this order.
    pub fn table(&self) -> String {
        self.table.finalize().to_hex()[..32].to_owned()
    }

    /// The key of these rows in any order.
    pub fn set(mut self) -> String {
        self.all.sort_unstable();
        let mut set = blake3::Hasher::new();
        for key in &self.all {
            set.update(key.as_bytes());
        }
        set.finalize().to_hex()[..32].to_owned()
    }

    fn add_sample(&mut self, parts: &mut Parts, sample: &Sample) {
        parts.add(&sample.question);
        let calls =
            |calls: &[ToolCall]| Json::Array(calls.iter().map(ToolCall::to_json).collect()).to_string();
        match &sample.calls {
            Calls::Parsed(parsed) => parts.add(&calls(parsed)),
            Calls::Unparsed => parts.add(sample.raw.tool_call.as_deref().unwrap_or_default()),
        }
        let message = |parts: &mut Parts, message: &Message| {
            parts.add(message.role.as_str());
            parts.add(&message.content);
            parts.add(&calls(&message.tool_calls));
        };
        // Some judges see the whole conversation, however much of it came after.
        let whole = sample.messages.whole();
        parts.count(sample.messages.len());
        parts.count(whole.len());
        whole.iter().for_each(|said| message(parts, said));
        let after = &sample.after;
        parts.count(after.results.len());
        for result in &after.results {
            parts.add(result.tool_call_id.as_deref().unwrap_or_default());
            parts.add(&result.content);
            parts.count(usize::from(result.is_error));
        }
        parts.count(usize::from(after.next.is_some()));
        after.next.iter().for_each(|said| message(parts, said));
        parts.add(after.final_answer.as_deref().unwrap_or_default());
        parts.count(sample.extras.len());
        for (variable, text) in &sample.extras {
            parts.add(&variable.to_string());
            parts.add(text);
        }
        parts.count(sample.part.as_ref().map_or(0, |part| part.at + 1));
        if let Some(part) = &sample.part {
            parts.add(&calls(&part.turn));
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
