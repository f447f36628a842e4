//! Reads suite files (TOML, JSON, JSON Lines, YAML); every mistake is an error with its line before a request is paid for.
//!
//! ```toml
//! name = "weather"
//! tools = "tools.json"
//!
//! [[mocks]]
//! tool = "get_weather"
//! result = { temp = 31 }
//!
//! [[cases]]
//! id = "T001"
//! user_message = "Weather in Hue?"
//! expected_tool_calls = [{ tool_name = "get_weather", required_params = { city = "Hue" } }]
//! ```
//!
//! In JSON lines every case is a line, `{"id": …, "user_message": …}`, with `tools` and `mocks` of its own or those of lines
//! `{"suite": {"name": …, "system": …, "tools": …}}`, `{"defaults": {…}}` and `{"mock": {…}}`.

mod case;
mod defaults;
mod expected;
mod json;
mod messages;
mod mocks;
mod node;
mod source;
mod table;
mod toml;
mod tools;
mod validators;
mod yaml;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Suite;
use crate::domain::ToolDefinition;
use case::Shared;
use defaults::{CASE_DEFAULTS, Defaults};
use node::{Fault, Node, Read};
use source::Source;
use table::Table;
use tools::{Tools, undefined};

pub use defaults::SuiteDefaults;

/// The formats of suite files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteFormat {
    /// TOML: one document.
    Toml,
    /// JSON: one document.
    Json,
    /// JSON lines: a case a line.
    Jsonl,
    /// YAML: one document.
    Yaml,
}

impl SuiteFormat {
    /// The format of a file by the end of its name: `.toml`, `.json`, `.jsonl` or `.ndjson`, `.yaml` or `.yml`, in any letter case; `None`
    /// for any other.
    pub fn of_name(name: &str) -> Option<SuiteFormat> {
        tools::format_of(name)
    }
}

/// What is wrong with a suite file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SuiteError {
    /// The line, from 1; `None` where the parser could not tell it.
    pub line: Option<usize>,
    /// In words, with the key, the case and what to do. The suite file is not named; a file of tools is, with its own line.
    pub message: String,
}

/// Reads a suite.
///
/// `name` is the file's name without its folder: without its ending, it is the suite's name if the file sets none. `load` gives the text of
/// a file that the suite names, or says in words why it cannot be read; the suite's folder is the caller's to add. `defaults` hold
/// where neither the file nor a case sets something else.
///
/// # Errors
/// For the first thing that is wrong: a text that is not of the format, an unknown key, a value of the wrong type, and whatever would make
/// a case useless, such as a mock that never matches or a case that expects nothing.
pub fn read_suite(
    name: &str,
    format: SuiteFormat,
    text: &str,
    defaults: SuiteDefaults,
    load: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Suite, SuiteError> {
    let source = Source { format, text };
    let read = source.read().and_then(|root| suite(name, &root, source, defaults, load));
    read.map_err(|fault| SuiteError { line: source.line_of(&fault), message: fault.message })
}

fn suite(
    name: &str,
    root: &Node,
    source: Source,
    defaults: SuiteDefaults,
    load: &dyn Fn(&str) -> Result<String, String>,
) -> Read<Suite> {
    let table = Table::of(root, "", &["name", "system", "tools", "defaults", "mocks", "cases"])?;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let name = table.text("name")?.unwrap_or(stem).to_owned();
    let mut tools = Tools::new(load);
    let defaults_table = match table.table("defaults")? {
        Some(node) => Some(Table::of(node, "`defaults`", CASE_DEFAULTS)?),
        None => None,
    };
    let given = Defaults::new(defaults);
    let shared = Shared {
        system: table.text("system")?.map(Arc::from),
        tools: tools.read(&table)?,
        mocks: mocks::read(&table)?,
        defaults: defaults_table.as_ref().map_or(Ok(given.clone()), |table| given.overridden(table))?,
    };
    let items = table.list("cases")?.unwrap_or_default();
    if items.is_empty() {
        return Err(
            table.fault(table.place("cases"), "there are no cases: add one with `id` and `user_message`")
        );
    }
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut cases = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        let id = case::id(item, number + 1)?;
        let at = item.get("id").map_or(item.at, |member| member.at);
        if let Some(first) = places.insert(id, at) {
            let line = source.line(first).map_or(String::new(), |line| format!(" (first on line {line})"));
            return Err(Fault::at(at, format!("case `{id}`: this id is used twice{line}: ids must differ")));
        }
        cases.push(case::read(item, id, &shared, &mut tools)?);
    }
    let banned = match &defaults_table {
        Some(table) => table.texts("forbidden_tools")?.unwrap_or_default(),
        None => Vec::new(),
    };
    if !shared.mocks.is_empty() || !banned.is_empty() {
        let all = all_tools(shared.tools.iter().chain(cases.iter().map(|case| &case.tools)));
        for mock in &shared.mocks {
            mock.check(&all, shared.defaults.validate)?;
        }
        for (tool, at) in banned {
            if !all.iter().any(|known| known.name == tool) {
                let table = defaults_table.as_ref().unwrap_or(&table);
                return Err(undefined(table, at, "forbidden_tools", tool, &all));
            }
        }
    }
    Ok(Suite { name, cases })
}

/// The tools of a whole suite: its own first, then those of its cases.
fn all_tools<'a>(offers: impl Iterator<Item = &'a Arc<[ToolDefinition]>>) -> Vec<ToolDefinition> {
    let mut seen = HashSet::new();
    let mut all: Vec<ToolDefinition> = Vec::new();
    for tools in offers {
        if seen.insert(Arc::as_ptr(tools)) {
            all.extend(tools.iter().cloned());
        }
    }
    all
}
