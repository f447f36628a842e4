//! The tools of a suite or a case: from a file, or inline.

use std::collections::HashMap;
use std::sync::Arc;

use super::node::{Fault, Member, Node, Read, Value};
use super::source::line_of_byte;
use super::table::Table;
use super::{SuiteFormat, json};
use crate::domain::{Cell, Definitions, Flag, Json, ToolDefinition, did_you_mean};
use crate::normalize::definitions_in;
use crate::schema::ArgumentSchemas;

/// Reads tools, equal ones once: most cases of a suite share theirs.
pub(super) struct Tools<'a> {
    load: &'a dyn Fn(&str) -> Result<String, String>,
    /// By the name of their file, or by themselves.
    known: HashMap<String, Arc<[ToolDefinition]>>,
}

/// What was read of a value `tools`, for errors: where a tool is in it.
enum Origin<'a> {
    Inline(&'a Node),
    File { name: &'a str, text: String },
}

impl<'a> Tools<'a> {
    pub fn new(load: &'a dyn Fn(&str) -> Result<String, String>) -> Tools<'a> {
        Tools { load, known: HashMap::new() }
    }

    /// The tools of a table's key `tools`; `None` where it does not have the key.
    pub fn read(&mut self, table: &Table) -> Read<Option<Arc<[ToolDefinition]>>> {
        let Some(member) = table.get("tools") else { return Ok(None) };
        let (known_as, cell) = match &member.value.value {
            Value::Text(name) => (format!("file {name}"), None),
            Value::List(_) | Value::Table(_) => {
                let json = member.value.to_json();
                (json.to_string(), Some(Cell::Json(json)))
            }
            _ => return Err(table.wrong(member, "the name of a file, or a list of tool definitions")),
        };
        if let Some(tools) = self.known.get(&known_as) {
            return Ok(Some(Arc::clone(tools)));
        }
        let (cell, origin) = match (cell, &member.value.value) {
            (None, Value::Text(name)) => {
                let text = (self.load)(name).map_err(|why| {
                    table.fault(member.at, format!("`tools`: `{name}` cannot be read: {why}"))
                })?;
                (Cell::Text(text.clone()), Origin::File { name, text })
            }
            (cell, _) => (cell.unwrap_or_default(), Origin::Inline(&member.value)),
        };
        let tools = definitions(table, member, &cell, &origin)?;
        usable(table, member, &tools, &origin)?;
        self.known.insert(known_as, Arc::clone(&tools));
        Ok(Some(tools))
    }
}

fn definitions(table: &Table, member: &Member, cell: &Cell, origin: &Origin) -> Read<Arc<[ToolDefinition]>> {
    let wrong = |why: String| match origin {
        Origin::Inline(_) => table.fault(member.at, format!("`tools`: {why}")),
        Origin::File { name, text } => {
            let begins_like_json = text.trim_start().starts_with(['[', '{']);
            match Json::parse(text).err().filter(|_| begins_like_json) {
                Some(error) => table
                    .fault(member.at, format!("`tools`: `{name}`, line {}: not JSON: {error}", error.line)),
                None => table.fault(member.at, format!("`tools`: `{name}`, line 1: {why}")),
            }
        }
    };
    let (definitions, flags) = match definitions_in(cell) {
        Some(Ok(read)) => read,
        Some(Err(error)) => {
            let why = error.message.strip_prefix("tool_definitions: ").unwrap_or(&error.message).to_owned();
            return Err(wrong(why));
        }
        None => return Err(wrong("it holds no tool definitions".to_owned())),
    };
    match definitions {
        _ if flags.contains(&Flag::UnreadableDefinition) => Err(wrong(
            "one of the definitions cannot be read: each needs a name and a JSON Schema".to_owned(),
        )),
        Definitions::Known(tools) => Ok(tools),
        Definitions::FreeText | Definitions::Unknown => {
            Err(wrong("it holds no tool definitions in a form that `tooljudge convert` reads".to_owned()))
        }
    }
}

/// An error if two tools have one name, or a schema cannot be compiled.
fn usable(table: &Table, member: &Member, tools: &Arc<[ToolDefinition]>, origin: &Origin) -> Read<()> {
    let mut names = std::collections::HashSet::new();
    if let Some(twice) = tools.iter().find(|tool| !names.insert(tool.name.as_str())) {
        return Err(about(table, member, &twice.name, 1, origin, "is defined twice: remove one definition"));
    }
    ArgumentSchemas::new(tools).map(drop).map_err(|error| {
        let why = format!("has a schema that cannot be used: {}", error.why);
        about(table, member, &error.tool, 0, origin, &why)
    })
}

/// An error about one tool, at the place where it is named for the `nth` time.
fn about(table: &Table, member: &Member, tool: &str, nth: usize, origin: &Origin, what: &str) -> Fault {
    match origin {
        Origin::Inline(node) => {
            let at = node.named(tool).get(nth).copied().unwrap_or(member.at);
            table.fault(at, format!("`tools`: tool `{tool}` {what}"))
        }
        Origin::File { name, text } => {
            let places = json::read(text, 0).map(|node| node.named(tool)).unwrap_or_default();
            let line = places.get(nth).map_or(1, |at| line_of_byte(text, *at));
            table.fault(member.at, format!("`tools`: `{name}`, line {line}: tool `{tool}` {what}"))
        }
    }
}

/// An error for a name that no tool has.
pub(super) fn undefined(table: &Table, at: usize, key: &str, tool: &str, tools: &[ToolDefinition]) -> Fault {
    let names = || tools.iter().map(|tool| tool.name.as_str());
    let meant = did_you_mean(tool, names());
    let hint = match (meant.is_empty(), tools.is_empty()) {
        (false, _) => meant,
        (true, true) => "; there are no tools: set `tools`".to_owned(),
        (true, false) => format!("; the tools are: {}", names().collect::<Vec<_>>().join(", ")),
    };
    table.fault(at, format!("`{key}` names the tool `{tool}`, which is not defined{hint}"))
}

/// The suite's format of a file by the end of its name, for those who have a path only.
pub(super) fn format_of(name: &str) -> Option<SuiteFormat> {
    let (_, end) = name.rsplit_once('.')?;
    match end.to_ascii_lowercase().as_str() {
        "toml" => Some(SuiteFormat::Toml),
        "json" => Some(SuiteFormat::Json),
        "jsonl" | "ndjson" => Some(SuiteFormat::Jsonl),
        "yaml" | "yml" => Some(SuiteFormat::Yaml),
        _ => None,
    }
}
