//! Detects arguments that a table may have turned into texts: a field in a column of structs has one type, so a single text in it
//! turns all numbers beside it into texts.

use std::collections::BTreeSet;
use std::sync::Mutex;

use tooljudge_core::schema::misplaced_texts;

use crate::domain::{Arguments, Calls, Definitions, Json, Object, Sample, ToolCall};
use crate::report::counted;

/// Fields of a column of structs that hold texts where the called tools take none, as rows are read.
#[derive(Debug)]
pub(in crate::run) struct TextFields {
    column: String,
    found: Mutex<BTreeSet<String>>,
}

impl TextFields {
    /// Who wants no text as a rule.
    pub const TOOL: &str = "the tool takes none";

    /// Of this column.
    pub fn of(column: &str) -> TextFields {
        TextFields { column: column.to_owned(), found: Mutex::default() }
    }

    /// Whether `cell` of the column, with the calls of `sample`, holds a text where the called tool takes none.
    pub fn are_in(&self, cell: &Json, sample: &Sample) -> bool {
        let (Calls::Parsed(calls), Definitions::Known(tools)) = (&sample.calls, &sample.definitions) else {
            return false;
        };
        let mut is_found = false;
        for call in calls {
            let tool = tools.iter().find(|tool| tool.name == call.name);
            let (Some(tool), Arguments::Parsed(arguments)) = (tool, &call.arguments) else { continue };
            for text in misplaced_texts(&tool.parameters, arguments) {
                if holds(cell, text.field, text.text) {
                    is_found = true;
                    self.add(&text.path);
                }
            }
        }
        is_found
    }

    /// Notes the texts of `calls`, which `cell` holds, that are numbers or truth values in calls of the same tools among `others`.
    pub fn are_beside_numbers(&self, cell: &Json, calls: &[ToolCall], others: &[ToolCall]) {
        for call in calls {
            let Arguments::Parsed(arguments) = &call.arguments else { continue };
            for other in others.iter().filter(|other| other.name == call.name) {
                if let Arguments::Parsed(others) = &other.arguments {
                    self.compare(cell, arguments, others, "");
                }
            }
        }
    }

    fn compare(&self, cell: &Json, own: &Object, others: &Object, path: &str) {
        for (name, value) in own.iter() {
            let path = || if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            match (value, others.get(name)) {
                (Json::String(text), Some(Json::Number(_) | Json::Bool(_))) if holds(cell, name, text) => {
                    self.add(&path());
                }
                (Json::Object(own), Some(Json::Object(others))) => self.compare(cell, own, others, &path()),
                _ => {}
            }
        }
    }

    /// Notes a field.
    pub fn add(&self, field: &str) {
        let mut found = self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !found.contains(field) {
            found.insert(field.to_owned());
        }
    }

    /// What to say of them, if there are any; in how many `rows`, where that is known, and who `wants` none.
    pub fn warning(&self, rows: Option<u64>, wants: &str) -> Option<String> {
        const NAMED: usize = 5;
        let found = self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if found.is_empty() {
            return None;
        }
        let rows = match rows {
            Some(1) => "1 row holds".to_owned(),
            Some(rows) => format!("{rows} rows hold"),
            None => "rows hold".to_owned(),
        };
        let named: Vec<String> = found.iter().take(NAMED).map(|field| format!("`{field}`")).collect();
        let more = match found.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {}", counted(more as u64, "other field")),
        };
        Some(format!(
            "{rows} text where {wants}, in the column of structs `{}`, at {}{more}; a field of such a column has one type, so \
             a frame may have made texts of numbers: if the calls had numbers, give them as dicts, as JSON Lines or as JSON text",
            self.column,
            named.join(", ")
        ))
    }
}

/// Whether `name` is a field with this text, or a list with it, somewhere in `cell`: not in a text of JSON, whose types are the agent's
/// own.
fn holds(cell: &Json, name: &str, text: &str) -> bool {
    match cell {
        Json::Array(items) => items.iter().any(|item| holds(item, name, text)),
        Json::Object(fields) => {
            fields.get(name).is_some_and(|field| has(field, text))
                || fields.values().any(|field| holds(field, name, text))
        }
        _ => false,
    }
}

fn has(field: &Json, text: &str) -> bool {
    match field {
        Json::String(own) => own == text,
        Json::Array(items) => items.iter().any(|item| has(item, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_count_where_the_cell_itself_has_them() {
        let read = |text: &str| Json::parse(text).unwrap();
        for (cell, is_own) in [
            (r#"[{"name":"f","arguments":{"n":"5"}}]"#, true),
            (r#"{"f":{"n":["4","5"]}}"#, true),
            (r#"[{"name":"f","arguments":{"n":5}}]"#, false),
            (r#"[{"name":"f","arguments":{"m":"5"}}]"#, false),
        ] {
            assert_eq!(holds(&read(cell), "n", "5"), is_own, "{cell}");
            // What JSON in a text says is as the agent wrote it.
            let written = Json::from(cell);
            assert!(!holds(&written, "n", "5") && !holds(&Json::Array(vec![written]), "n", "5"), "{cell}");
        }
    }

    #[test]
    fn texts_beside_numbers_are_found() {
        let call = |arguments: &str| {
            let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!("no object") };
            vec![ToolCall::new("f", arguments)]
        };
        let cell = Json::parse(r#"{"name":"f","arguments":{"n":"5","in":{"on":"true"},"s":"a"}}"#).unwrap();
        let own = call(r#"{"n":"5","in":{"on":"true"},"s":"a"}"#);
        for (others, expected) in [
            (r#"{"n":5,"s":"b"}"#, &["n"][..]),
            (r#"{"in":{"on":true}}"#, &["in.on"]),
            (r#"{"n":"6","in":5}"#, &[]),
        ] {
            let fields = TextFields::of("call");
            fields.are_beside_numbers(&cell, &own, &call(others));
            let found: Vec<String> = fields.found.lock().unwrap().iter().cloned().collect();
            assert_eq!(found, expected, "{others}");
        }
    }

    #[test]
    fn the_warning_names_the_column_and_the_fields() {
        let fields = TextFields::of("call");
        assert_eq!(fields.warning(None, TextFields::TOOL), None);
        fields.add("guests");
        fields.add("guests");
        let said = fields.warning(Some(3), TextFields::TOOL).unwrap();
        let begin =
            "3 rows hold text where the tool takes none, in the column of structs `call`, at `guests`; ";
        assert!(said.starts_with(begin), "{said}");
        (0..6).for_each(|at| fields.add(&format!("a.{at}")));
        let said = fields.warning(Some(1), TextFields::TOOL).unwrap();
        assert!(
            said.starts_with("1 row holds text") && said.contains("`a.4` and 2 other fields; "),
            "{said}"
        );
    }
}
