//! A definitions cell to definitions: `[{"type":"function","function":{"name":"f","parameters":{…}}}]`.
//!
//! [`Catalogue`] caches definitions, because most logs repeat them in every row. The shapes are a table in [`shapes`], the
//! notebook's lines are parsed in [`lines`], and [`schema`] translates the dialects' type names.

mod lines;
mod schema;
mod shapes;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::{Arc, PoisonError, RwLock};

use schema::TypeNames;

use super::python_literal::{self, Dialect};
use crate::domain::{Cell, Definitions, Flag, Json, RowError, RowErrorCode, ToolDefinition};

/// What a definitions cell says.
#[derive(Debug, Clone)]
pub(super) struct Tools {
    pub(super) definitions: Definitions,
    pub(super) raw: Option<Arc<str>>,
    pub(super) flags: BTreeSet<Flag>,
}

impl Tools {
    /// The definitions that checks and positional arguments may rely on.
    pub(super) fn known(&self) -> &[ToolDefinition] {
        match &self.definitions {
            Definitions::Known(tools) => tools,
            Definitions::FreeText | Definitions::Unknown => &[],
        }
    }
}

type Read = Result<Tools, RowError>;

/// The definitions seen lately, by their text.
#[derive(Default)]
pub(super) struct Catalogue {
    seen: RwLock<Seen>,
}

#[derive(Default)]
struct Seen {
    /// The keys are long, and looked up for every row.
    tools: HashMap<Arc<str>, Read, foldhash::fast::RandomState>,
    bytes: usize,
    /// Hashes of texts that were met, to keep only what comes again: to keep what never does takes as long as to read it.
    met: HashSet<u64>,
}

/// Text kept in a catalogue. What is read out of it takes about ten times as much.
const CATALOGUE_BYTES: usize = 2 << 20;

/// Texts whose hashes a catalogue keeps.
const MET: usize = 1 << 16;

impl Catalogue {
    /// Reads a cell; `None` when it holds nothing.
    pub(super) fn read(&self, cell: &Cell) -> Option<Read> {
        match cell {
            Cell::Missing | Cell::Null => None,
            Cell::Text(text) if text.trim().is_empty() => None,
            Cell::Text(text) => Some(self.remembered(text, || from_text(text, TypeNames::JsonSchema))),
            Cell::Json(json @ (Json::Array(_) | Json::Object(_))) => {
                Some(self.remembered(&json.to_string(), || from_json(json.clone(), TypeNames::JsonSchema)))
            }
            Cell::Json(other) => Some(Err(unrecognised(other))),
        }
    }

    /// The same of a value that need not be a cell yet; none where they cannot be read.
    pub(super) fn known(&self, value: &Json) -> Option<Tools> {
        let read = match value {
            Json::String(text) if !text.trim().is_empty() => {
                self.remembered(text, || from_text(text, TypeNames::JsonSchema))
            }
            Json::Array(_) | Json::Object(_) => {
                self.remembered(&value.to_string(), || from_json(value.clone(), TypeNames::JsonSchema))
            }
            _ => return None,
        };
        read.ok()
    }

    fn remembered(&self, text: &str, read: impl FnOnce() -> Result<Found, RowError>) -> Read {
        let known = |seen: &Seen| seen.tools.get(text).cloned();
        if let Some(known) = known(&self.seen.read().unwrap_or_else(PoisonError::into_inner)) {
            return known;
        }
        let raw: Arc<str> = text.into();
        let tools = read().map(|found| found.into_tools(raw.clone()));
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have read the same text meanwhile: all rows share what came first.
        if let Some(known) = known(&seen) {
            return known;
        }
        let hash = seen.tools.hasher().hash_one(text);
        if seen.met.len() == MET {
            seen.met.clear();
        }
        if seen.met.insert(hash) {
            return tools;
        }
        // Cells either repeat all the time or hardly ever: starting over costs little in both cases.
        let full = seen.bytes + text.len() > CATALOGUE_BYTES;
        let old = full.then(|| {
            seen.bytes = 0;
            std::mem::take(&mut seen.tools)
        });
        seen.bytes += text.len();
        seen.tools.insert(raw, tools.clone());
        // To free that much takes a while; nobody need wait for it.
        drop(seen);
        drop(old);
        tools
    }
}

/// The definitions in a cell, with what is unusual about them; `None` when it holds nothing.
pub(crate) fn definitions_in(cell: &Cell) -> Option<Result<(Definitions, BTreeSet<Flag>), RowError>> {
    let read = Catalogue::default().read(cell)?;
    Some(read.map(|tools| (tools.definitions, tools.flags)))
}

/// Definitions of which some may be unreadable.
pub struct DefinitionsOfBenchmark {
    /// Those that could be read.
    pub tools: Vec<ToolDefinition>,
    /// Why the first that could not be read could not be.
    pub unread: Option<RowError>,
}

/// The definitions in a cell as the Berkeley benchmark reads them: its own names of types stay, which tell apart what is one type in JSON
/// Schema. `None` where there are none to be read, though nothing is wrong with the cell.
///
/// # Errors
/// If the cell has no known shape of definitions.
pub fn definitions_of_benchmark(cell: &Cell) -> Option<Result<DefinitionsOfBenchmark, RowError>> {
    let found = match cell {
        Cell::Missing | Cell::Null => return None,
        Cell::Text(text) if text.trim().is_empty() => return None,
        Cell::Text(text) => from_text(text, TypeNames::Benchmarks),
        Cell::Json(json @ (Json::Array(_) | Json::Object(_))) => {
            from_json(json.clone(), TypeNames::Benchmarks)
        }
        Cell::Json(other) => Err(unrecognised(other)),
    };
    match found {
        Ok(Found::Tools { tools, unread, .. }) => Some(Ok(DefinitionsOfBenchmark { tools, unread })),
        Ok(Found::Nothing | Found::FreeText) => None,
        Err(error) => Some(Err(error)),
    }
}

/// What was read, before it is shared.
enum Found {
    Nothing,
    FreeText,
    Tools {
        tools: Vec<ToolDefinition>,
        flags: BTreeSet<Flag>,
        /// Why the first definition that cannot be read could not be, where others could.
        unread: Option<RowError>,
    },
}

impl Found {
    fn into_tools(self, raw: Arc<str>) -> Tools {
        let (definitions, flags) = match self {
            Found::Nothing => (Definitions::Unknown, BTreeSet::from([Flag::NoDefinitions])),
            Found::FreeText => (Definitions::FreeText, BTreeSet::from([Flag::DefinitionsFreeText])),
            Found::Tools { tools, mut flags, .. } => {
                let mut names = BTreeSet::new();
                if !tools.iter().all(|tool| names.insert(tool.name.as_str())) {
                    flags.insert(Flag::DuplicateDefinition);
                }
                (Definitions::Known(tools.into()), flags)
            }
        };
        Tools { definitions, raw: Some(raw), flags }
    }
}

/// How many times a JSON string may hold JSON.
const MAX_ENCODINGS: usize = 4;

fn from_text(text: &str, types: TypeNames) -> Result<Found, RowError> {
    let mut text = text.trim().to_owned();
    for _ in 0..MAX_ENCODINGS {
        match json_values(&text)? {
            Some(mut values) if values.len() == 1 => match values.remove(0) {
                Json::String(inner) => text = inner.trim().to_owned(),
                value => return from_json(value, types),
            },
            Some(values) => return from_json(Json::Array(values), types),
            None => break,
        }
    }
    let bracketed = text.starts_with(['[', '{', '(']) || text.starts_with("array(");
    // Whoever reads this as a value without one judges by other definitions than the model had.
    if bracketed && python_literal::holds_nan(&text, Dialect::Repr) {
        return Err(error(RowErrorCode::InvalidJson, "NaN or infinity, which JSON does not have", text));
    }
    if let Some(value) = bracketed.then(|| python_literal::whole(&text, Dialect::Repr)).flatten() {
        return from_json(value, types);
    }
    Ok(match lines::read(&text, types) {
        Some(tools) => Found::Tools { tools, flags: BTreeSet::new(), unread: None },
        None => Found::FreeText,
    })
}

/// The JSON values that make up `text`, one after another: a whole document, or one definition a line.
fn json_values(text: &str) -> Result<Option<Vec<Json>>, RowError> {
    let mut values = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if !rest.starts_with(['{', '[', '"']) && rest != "null" {
            return Ok(None);
        }
        match Json::parse_prefix(rest) {
            Ok((value, end)) => {
                values.push(value);
                rest = rest[end..].trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            }
            Err(problem) if problem.is_too_deep() => {
                return Err(error(RowErrorCode::NestingTooDeep, "nesting deeper than 128 levels", text));
            }
            Err(_) => return Ok(None),
        }
    }
    Ok((!values.is_empty()).then_some(values))
}

fn from_json(mut json: Json, types: TypeNames) -> Result<Found, RowError> {
    if json.is_null() {
        return Ok(Found::Nothing);
    }
    let mut reader = shapes::Reader::new(types);
    let unread = reader.cell(&mut json)?;
    Ok(Found::Tools { tools: reader.tools, flags: reader.flags, unread })
}

fn unrecognised(what: impl std::fmt::Display) -> RowError {
    error(RowErrorCode::UnrecognisedToolDefinitions, "no known shape of tool definitions", what)
}

fn error(code: RowErrorCode, why: &str, what: impl std::fmt::Display) -> RowError {
    RowError::new(code, format!("tool_definitions: {why}: {}", RowError::excerpt(&what.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name(parameters) description`, one per definition, and the flags; or what else was found.
    fn shown(cell: &Cell) -> String {
        let tools = match Catalogue::default().read(cell) {
            Some(Ok(tools)) => tools,
            Some(Err(error)) => return error.code.as_str().to_owned(),
            None => return "nothing".to_owned(),
        };
        let mut shown: Vec<String> = match &tools.definitions {
            Definitions::Known(tools) => tools
                .iter()
                .map(|tool| {
                    let properties =
                        tool.parameters.get("properties").map(Json::to_string).unwrap_or_default();
                    format!("{}{properties}{}", tool.name, tool.description)
                })
                .collect(),
            Definitions::FreeText => vec!["prose".to_owned()],
            Definitions::Unknown => vec!["unknown".to_owned()],
        };
        shown.extend(tools.flags.iter().map(|flag| format!("!{}", flag.as_str())));
        shown.join(" ")
    }

    #[test]
    fn objects() {
        for (source, expected) in [
            (r#"[]"#, ""),
            (r#"{"type":"function","function":{"name":"f","description":"d"}}"#, "fd !unknown_parameters"),
            (
                r#"{"function":{"name":"f","parameters":{"a":{"type":"int"}}}}"#,
                r#"f{"a":{"type":"integer"}}"#,
            ),
            (
                r#"[{"name":"f","description":"d"},{"name":"f","parameters":null}]"#,
                "fd f !unknown_parameters !duplicate_definition",
            ),
            (
                r#"{"function_declarations":[{"name":"f","parameters_json_schema":{"type":"object","properties":{"a":{}}}}]}"#,
                r#"f{"a":{}}"#,
            ),
            (
                r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object","properties":{"a":{}}}}}},{"cachePoint":{"type":"default"}}]}}"#,
                r#"f{"a":{}}"#,
            ),
            (r#"{"name":"f","args":{"a":{"type":"string"}}}"#, r#"f{"a":{"type":"string"}}"#),
            (
                r#"{"f":{"description":"d","parameters":{"jsonSchema":{"type":"object","properties":{"a":{}}}}}}"#,
                r#"f{"a":{}}d"#,
            ),
            (r#"{"parameters":{"description":"d"}}"#, "parametersd !unknown_parameters"),
            (
                r#"{"tool":{"json_schema":{"name":"f","input_schema":{"type":"object","properties":{}}}}}"#,
                "f{}",
            ),
            (r#"["{\"name\":\"f\",\"description\":\"d\"}"]"#, "fd !unknown_parameters"),
            (
                r#"[{"type":"web_search_20250305","name":"web_search"},{"type":"code_interpreter"},{"googleSearch":{}}]"#,
                "web_search code_interpreter googleSearch !server_tool",
            ),
            (r#"[{"systemTool":{"name":"nova_grounding"}}]"#, "nova_grounding !server_tool"),
            (
                r#"[{"type":"namespace","name":"crm","description":"n","tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object","properties":{"a":{}}}},{"type":"custom","name":"g","description":"e"}]}]"#,
                r#"f{"a":{}}d ge"#,
            ),
            (r#"[{"type":"namespace","name":"crm","tools":[]}]"#, ""),
            (r#"[{"type":"namespace","name":"crm"}]"#, "unrecognised_tool_definitions"),
            (
                r#"[{"type":"namespace","name":"crm"},{"type":"code_interpreter"}]"#,
                "code_interpreter !server_tool !unreadable_definition",
            ),
            (r#"{"type":"tool_search"}"#, "tool_search !server_tool"),
            (
                r#"{"type":"tool_search","execution":"client","parameters":{"type":"object","properties":{"a":{}}}}"#,
                r#"tool_search{"a":{}}"#,
            ),
            (r#"{"type":"custom","name":"f","description":"d"}"#, "fd"),
            (r#"{"type":"function","parameters":{}}"#, "definition_without_name"),
            (r#"{"type":"object","properties":{}}"#, "definition_without_name"),
            (r#"{"name":"Ann","age":5}"#, "unrecognised_tool_definitions"),
            (r#"{"name":"f","parameters":7}"#, "unrecognised_tool_definitions"),
            (r#"{"name":"f","inputSchema":{"json":7}}"#, "unrecognised_tool_definitions"),
            (
                r#"{"name":"f","args_schema":{"jsonSchema":{"jsonSchema":{"a":{"type":"str"}}}}}"#,
                r#"f{"a":{"type":"string"}}"#,
            ),
            (r#"{"name":"f","parameters":{"json":{"type":"str"}}}"#, r#"f{"json":{"type":"string"}}"#),
            (r#"{"":{"description":"d"}}"#, "definition_without_name"),
            (r#"{"title":" ","type":"object","properties":{}}"#, "definition_without_name"),
            (r#"{"type":" "}"#, "unrecognised_tool_definitions"),
            (r#"{"name":"f","parameters":"{\"type\":\"dict\",\"properties\":{}}"}"#, "f{}"),
            (r#"["f","g"]"#, "unrecognised_tool_definitions"),
            (
                r#"[{"name":"f","parameters":7},{"name":"g","description":"e"}]"#,
                "ge !unreadable_definition !unknown_parameters",
            ),
            (
                r#"{"tools":[{"name":"g","description":"e"},7,{"type":"function","parameters":{}}]}"#,
                "ge !unreadable_definition !unknown_parameters",
            ),
            (
                r#"{"f":{"parameters":7},"g":{"description":"e"}}"#,
                "ge !unreadable_definition !unknown_parameters",
            ),
            (r#"[{"name":"f","parameters":7},{"name":"g","parameters":7}]"#, "unrecognised_tool_definitions"),
            (r#"[[],{"name":"f","parameters":7}]"#, "unrecognised_tool_definitions"),
            (r#"{}"#, "unrecognised_tool_definitions"),
            ("7", "unrecognised_tool_definitions"),
            ("null", "nothing"),
        ] {
            assert_eq!(shown(&Cell::from(Json::parse(source).unwrap())), expected, "{source}");
        }
    }

    #[test]
    fn what_says_nothing_of_parameters_leaves_them_unknown() {
        let schema = r#"{"type":"object","properties":{"a":{"type":"str"}},"required":["a"]}"#;
        let a = r#"f{"a":{"type":"string"}}"#;
        let unknown = "f !unknown_parameters";
        for key in [
            "fn_schema",
            "schema",
            "params",
            "json_schema",
            "input_json_schema",
            "argument_schema",
            "parametersSchema",
            "arguments",
            "input",
            "inputs",
            "parameter_definitions",
        ] {
            for source in [
                format!(r#"{{"name":"f","{key}":{schema}}}"#),
                format!(
                    r#"{{"type":"function","function":{{"name":"f","description":"","{key}":{schema}}}}}"#
                ),
                format!(
                    r#"{{"name":"f","description":"","parameters":"","{key}":{{"a":{{"type":"str"}}}}}}"#
                ),
            ] {
                assert_eq!(shown(&Cell::from(Json::parse(&source).unwrap())), a, "{source}");
            }
            let other = format!(r#"{{"name":"f","description":"","{key}":7}}"#);
            assert_eq!(shown(&Cell::from(Json::parse(&other).unwrap())), unknown, "{other}");
        }
        for (source, expected) in [
            (r#"{"name":"f","description":"","parameters":" "}"#, unknown),
            (r#"{"name":"f","parameters":null}"#, unknown),
            (r#"{"f":{"description":""}}"#, unknown),
            (r#"{"name":"f","inputSchema":{"_def":{"typeName":"ZodObject"},"~standard":{}}}"#, unknown),
            (r#"{"name":"f","parameters":{"type":"object","additionalProperties":true}}"#, unknown),
            (r#"{"name":"f","description":"","properties":{"a":{"type":"str"}},"required":["a"]}"#, a),
            (
                r#"{"type":"haystack.tools.tool.Tool","data":{"name":"f","parameters":{"a":{"type":"str"}}}}"#,
                a,
            ),
            (
                r#"{"lc":1,"type":"not_implemented","id":["StructuredTool"],"repr":"StructuredTool(name='f', description='d', args_schema=<class 'x'>)"}"#,
                "fd !unknown_parameters",
            ),
            (
                r#"{"type":"webhook","name":"f","api_schema":{"request_body_schema":{"type":"object","properties":{"a":{"type":"str"}}}}}"#,
                a,
            ),
            // These say that there are none.
            (r#"{"name":"f","parameters":{"type":"object","properties":{}}}"#, "f{}"),
            (r#"{"name":"f","parameters":{}}"#, "f{}"),
            (r#"{"name":"f","inputSchema":{"type":"object"}}"#, "f"),
            (r#"{"name":"f","input":{"a":1}}"#, "unrecognised_tool_definitions"),
        ] {
            assert_eq!(shown(&Cell::from(Json::parse(source).unwrap())), expected, "{source}");
        }
        let cohere = r#"{"name":"f","description":"","parameter_definitions":{"a":{"type":"str","required":true},"b":{"type":"int","required":false}}}"#;
        let Some(Ok(tools)) = Catalogue::default().read(&Cell::Text(cohere.to_owned())) else {
            panic!("{cohere}")
        };
        assert_eq!(
            tools.known()[0].parameters.to_string(),
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}"#
        );
    }

    #[test]
    fn texts() {
        for (text, expected) in [
            (" ", "nothing"),
            ("null", "unknown !no_definitions"),
            ("[]", ""),
            ("\"[{\\\"name\\\":\\\"f\\\",\\\"description\\\":\\\"d\\\"}]\"", "fd !unknown_parameters"),
            (
                "{\"name\":\"f\",\"description\":\"d\"}{\"name\":\"g\",\"description\":\"e\"}",
                "fd ge !unknown_parameters",
            ),
            ("({'name': 'f', 'parameters': None},)", "f !unknown_parameters"),
            ("f: d | Parameters: {}", "f{}d"),
            ("You may use f.", "prose !definitions_free_text"),
            ("[f] is a tool", "prose !definitions_free_text"),
            ("{\"a\": 1}", "unrecognised_tool_definitions"),
        ] {
            assert_eq!(shown(&Cell::Text(text.to_owned())), expected, "{text}");
        }
        assert_eq!(shown(&Cell::Text("[".repeat(1 << 20))), "nesting_too_deep");
    }

    #[test]
    fn equal_cells_share_their_definitions_and_memory_stays_bounded() {
        let catalogue = Catalogue::default();
        let cell =
            |i: usize| Cell::Text(format!(r#"[{{"name":"f{i}","description":"{}"}}]"#, "d".repeat(1 << 16)));
        let known = |i| match catalogue.read(&cell(i)) {
            Some(Ok(Tools { definitions: Definitions::Known(tools), .. })) => tools,
            other => panic!("{other:?}"),
        };
        known(0);
        assert!(Arc::ptr_eq(&known(0), &known(0)), "from the second time on");
        for i in 0..100 {
            known(i);
        }
        assert_eq!(catalogue.seen.read().unwrap().tools.len(), 1, "what does not come again is not kept");
        for i in 0..100 {
            known(i);
        }
        assert!(catalogue.seen.read().unwrap().bytes <= CATALOGUE_BYTES);
    }
}
