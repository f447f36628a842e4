//! Definitions as one line each: `f: What it does | Parameters: {"type":"object","properties":{}}`.

use super::schema::{self, TypeNames};
use crate::domain::{Json, ToolDefinition};
use crate::normalize::python_literal::{is_word, is_word_start};

/// What stands between a description and its parameters.
const MARK: &str = " | Parameters: ";

/// The definitions in `text`; `None` if it is prose.
///
/// Descriptions may hold lines, colons and bars: a definition ends at the first mark behind which one JSON object stands up to
/// the end of a line.
pub(super) fn read(text: &str, types: TypeNames) -> Option<Vec<ToolDefinition>> {
    let mut tools = Vec::new();
    let mut rest = text;
    while let Some((name, after_name)) = next_name(rest) {
        let Some((description, schema, after)) = next_parameters(after_name) else {
            // A definition that cannot be read would turn its calls into calls of an unknown tool.
            if after_name.contains(MARK) {
                return None;
            }
            break;
        };
        tools.push(ToolDefinition {
            name: name.to_owned(),
            description: description.trim_start().to_owned(),
            parameters: schema::parameters(Some(schema), types),
        });
        rest = after;
    }
    (!tools.is_empty()).then_some(tools)
}

/// The name at the start of the next line that begins like a definition, and what follows its colon.
fn next_name(text: &str) -> Option<(&str, &str)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some((name, _)) = line.split_once(": ")
            && name.starts_with(is_word_start)
            && name.chars().all(|c| is_word(c) || c == '.' || c == '-')
        {
            return Some((name, &text[start + name.len() + 1..]));
        }
        start += line.len();
    }
    None
}

/// The description, the parameters, and what follows the line they end on.
fn next_parameters(text: &str) -> Option<(&str, Json, &str)> {
    for (at, _) in text.match_indices(MARK) {
        let value = &text[at + MARK.len()..];
        if let Ok((schema @ Json::Object(_), end)) = Json::parse_prefix(value) {
            let after = value[end..].trim_start_matches([' ', '\t', '\r']);
            if after.is_empty() || after.starts_with('\n') {
                return Some((&text[..at], schema, after));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<Vec<String>> {
        let show = |tool: &ToolDefinition| format!("{}/{}/{}", tool.name, tool.description, tool.parameters);
        read(text, TypeNames::JsonSchema).map(|tools| tools.iter().map(show).collect())
    }

    #[test]
    fn reads_lines() {
        let schema = r#"{"type":"object","properties":{}}"#;
        let line = |name: &str, description: &str| format!("{name}: {description} | Parameters: {schema}");
        for (text, expected) in [
            (line("f", "d"), vec![("f", "d")]),
            (line("a.b-c", "one: two | three\nfour: five"), vec![("a.b-c", "one: two | three\nfour: five")]),
            (format!("Tools:\n{}\n\n{}\n", line("f", "d"), line("g", "")), vec![("f", "d"), ("g", "")]),
            (line("f", "see | Parameters: {broken"), vec![("f", "see | Parameters: {broken")]),
        ] {
            let expected: Vec<String> =
                expected.iter().map(|(name, d)| format!("{name}/{d}/{schema}")).collect();
            assert_eq!(shown(&text), Some(expected), "{text}");
        }
    }

    #[test]
    fn leaves_prose_alone() {
        for text in [
            "",
            "You can look up the weather.",
            "Note: call f",
            "f: d | Parameters: {\"cut",
            "f: d | Parameters: []",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn hostile_lines_end_soon() {
        for part in ["f: ", "f: | Parameters: ", "f: d | Parameters: {\n", "f: d | Parameters: {}\n"] {
            let _ = read(&part.repeat((1 << 20) / part.len()), TypeNames::JsonSchema);
        }
    }
}
