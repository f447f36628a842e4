//! Calls as XML elements: `<function=f><parameter=a>1</parameter></function>`, `<arg_key>a</arg_key><arg_value>1</arg_value>`.

use std::collections::BTreeSet;

use super::Reader;
use super::tagged::Found;
use crate::domain::{Arguments, Flag, Json, ToolCall};
use crate::normalize::python_literal::{self, Dialect, is_word, is_word_start};

/// Names and attributes are not longer, in bytes.
const HEAD: usize = 512;

/// Whether a text begins with an element of a call.
pub(super) fn begins(text: &str) -> bool {
    let word = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let after = text[word..].trim_start();
    ["<arg_key", "<tool_sep", "<longcat_arg_key>", "<parameter", "<function=", "<invoke "]
        .iter()
        .any(|open| after.starts_with(open))
}

/// `f>{"a":1}</function>`, `f><parameter=a>1</parameter></function>`
pub(super) fn function(reader: &mut Reader, namespace: &'static str, rest: &str) -> Option<Found> {
    let (name, body) = head(rest, ">")?;
    let name = name.trim().trim_matches('"');
    if !is_tool_name(name) {
        return None;
    }
    let (arguments, body) = match body.trim_start().starts_with('{') {
        true => {
            let (value, end) = Json::parse_prefix(body).ok()?;
            let Json::Object(object) = value else { return None };
            (reader.parsed(object), &body[end..])
        }
        false => parameters(reader, namespace, name, body)?,
    };
    let call = ToolCall { name: name.to_owned(), arguments, id: None };
    Some((vec![call], rest.len() - body.len()))
}

/// `name="f"><parameter name="a">1</parameter></invoke>`
pub(super) fn invoke(reader: &mut Reader, namespace: &'static str, rest: &str) -> Option<Found> {
    let (attributes, body) = head(rest, ">")?;
    let name = attribute(attributes, "name").filter(|name| !name.trim().is_empty())?.to_owned();
    let (arguments, body) = parameters(reader, namespace, &name, body)?;
    Some((vec![ToolCall { name, arguments, id: None }], rest.len() - body.len()))
}

/// `"f"><param name="a">1</param></function>`. Without a parameter, it must be a tool on offer: the element has other uses.
pub(super) fn named_function(reader: &mut Reader, namespace: &'static str, rest: &str) -> Option<Found> {
    let (name, body) = head(rest, ">")?;
    let name = name.trim().trim_matches(['"', '\'']);
    if !is_tool_name(name) || !body.trim_start().starts_with("<param") && reader.definition(name).is_none() {
        return None;
    }
    let (arguments, body) = parameters(reader, namespace, name, body)?;
    Some((vec![ToolCall { name: name.to_owned(), arguments, id: None }], rest.len() - body.len()))
}

/// A call as JSON; or the tool's name, then a key and a value for each argument:
/// `f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>`.
pub(super) fn json_or_keys_and_values(
    reader: &mut Reader,
    namespace: &'static str,
    rest: &str,
) -> Option<Found> {
    if let Some(found) = reader.json_behind(rest) {
        return Some(found);
    }
    let written = rest.trim_start();
    let name = &written[..written.find(|c| !is_name(c))?];
    if !is_tool_name(name) {
        return None;
    }
    let body = written[name.len()..].trim_start();
    let mut body = opened(body, namespace, "tool_sep").unwrap_or(body);
    let mut entries = Vec::new();
    while let Some(element) = opened(body, namespace, "arg_key") {
        let (key, after) = closed(element, namespace, "arg_key")?;
        let (value, after) = closed(opened(after, namespace, "arg_value")?, namespace, "arg_value")?;
        entries.push((key.trim().to_owned(), reader.written_value(name, key.trim(), value)));
        body = after;
    }
    let arguments = reader.of_elements(entries);
    // Without the end of the call, it was cut, or something else stands within.
    body.trim_start().starts_with("</").then_some(())?;
    Some((vec![ToolCall { name: name.to_owned(), arguments, id: None }], rest.len() - body.len()))
}

/// The `<parameter>` or `<param>` elements at the start of `body`, and what follows them.
fn parameters<'a>(
    reader: &mut Reader,
    namespace: &str,
    tool: &str,
    mut body: &'a str,
) -> Option<(Arguments, &'a str)> {
    // Some write the short form.
    let open = format!("<{namespace}param");
    let mut entries = Vec::new();
    while let Some(element) = body.trim_start().strip_prefix(open.as_str()) {
        let (attributes, after) = head(element, ">")?;
        let (element, attributes) = match attributes.strip_prefix("eter") {
            Some(attributes) => ("parameter", attributes),
            None => ("param", attributes),
        };
        let name = attributes.strip_prefix('=').map(str::trim).or_else(|| attribute(attributes, "name"))?;
        let (value, after) = closed(after, namespace, element)?;
        if value.contains(open.as_str()) {
            return None;
        }
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let value = match attribute(attributes, "string") {
            Some("true") => Json::from(value),
            _ => reader.written_value(tool, name, value),
        };
        entries.push((name.to_owned(), value));
        body = after;
    }
    // Without the end of the call, it was cut, or something else stands within.
    body.trim_start().starts_with("</").then_some(())?;
    Some((reader.of_elements(entries), body))
}

impl Reader<'_> {
    fn of_elements(&mut self, entries: Vec<(String, Json)>) -> Arguments {
        if !entries.is_empty() {
            self.flags.insert(Flag::XmlArguments);
        }
        self.parsed(entries.into_iter().collect())
    }

    /// A value is a text by nature. One that the definition says is a string stays one; anything else is read as JSON, or
    /// as the Python that some models are taught to write. If it may be a string, only what the definition allows beside is read.
    fn written_value(&self, tool: &str, parameter: &str, text: &str) -> Json {
        let root = self.definition(tool).map(|tool| &tool.parameters);
        let schema = root.and_then(|root| root.get("properties")?.get(parameter));
        let mut types = BTreeSet::new();
        let is_known = root.zip(schema).is_some_and(|(root, schema)| allowed(schema, root, 0, &mut types));
        let may_be_text = is_known && types.contains("string");
        if may_be_text && types.len() == 1 {
            return Json::from(text);
        }
        let fits =
            |value: &Json| !may_be_text || types.contains(value.type_name()) && value.as_str().is_none();
        if let Ok(value) = Json::parse(text) {
            return if fits(&value) { value } else { Json::from(text) };
        }
        let is_python = schema.is_some_and(|schema| schema.get("type").is_some())
            || matches!(text.trim(), "True" | "False" | "None")
            || text.trim_start().starts_with(['{', '[']);
        let literal = is_python.then(|| python_literal::whole(text, Dialect::Python)).flatten();
        literal.filter(fits).unwrap_or_else(|| Json::from(text))
    }
}

/// Alternatives and references are not nested deeper.
const MAX_DEPTH: usize = 8;

/// Adds the names of the types that a schema allows; `false` if it may allow any.
pub(super) fn allowed<'a>(
    schema: &'a Json,
    root: &'a Json,
    depth: usize,
    types: &mut BTreeSet<&'a str>,
) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let mut add = |name: &'a str| {
        types.insert(name);
        // To JSON, a whole number is a number.
        if name == "integer" {
            types.insert("number");
        } else if name == "number" {
            types.insert("integer");
        }
    };
    match schema.get("type") {
        Some(Json::String(name)) => {
            add(name);
            return true;
        }
        Some(Json::Array(names)) if !names.is_empty() => {
            names.iter().filter_map(Json::as_str).for_each(add);
            return true;
        }
        _ => {}
    }
    if let Some(values) = schema.get("enum").and_then(Json::as_array).filter(|values| !values.is_empty()) {
        values.iter().for_each(|value| add(value.type_name()));
        return true;
    }
    if let Some(value) = schema.get("const") {
        add(value.type_name());
        return true;
    }
    if let Some(path) = schema.get("$ref").and_then(Json::as_str) {
        let target = path.strip_prefix("#/").and_then(|path| {
            path.split('/').try_fold(root, |at, key| at.get(&key.replace("~1", "/").replace("~0", "~")))
        });
        return target.is_some_and(|target| allowed(target, root, depth + 1, types));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(alternatives) = schema.get(key).and_then(Json::as_array).filter(|list| !list.is_empty()) {
            return alternatives.iter().all(|schema| allowed(schema, root, depth + 1, types));
        }
    }
    let parts = schema.get("allOf").and_then(Json::as_array).unwrap_or_default();
    parts.iter().any(|part| allowed(part, root, depth + 1, types))
}

fn is_name(c: char) -> bool {
    is_word(c) || matches!(c, '.' | '-' | ':' | '/')
}

pub(super) fn is_tool_name(name: &str) -> bool {
    name.starts_with(is_word_start) && name.chars().all(is_name)
}

/// What stands before `end`, and what follows it; `None` if that is far away.
pub(super) fn head<'a>(text: &'a str, end: &str) -> Option<(&'a str, &'a str)> {
    let reach = (0..=text.len().min(HEAD)).rev().find(|&at| text.is_char_boundary(at))?;
    let at = text[..reach].find(end)?;
    Some((&text[..at], &text[at + end.len()..]))
}

/// What follows `<NAME>` at the start of `text`.
fn opened<'a>(text: &'a str, namespace: &str, name: &str) -> Option<&'a str> {
    let (before, behind) = around(namespace);
    let name = text.trim_start().strip_prefix('<')?.strip_prefix(before)?.strip_prefix(name)?;
    name.strip_prefix(behind)?.strip_prefix('>')
}

/// What stands before `</NAME>`, and what follows it.
fn closed<'a>(text: &'a str, namespace: &str, name: &str) -> Option<(&'a str, &'a str)> {
    let (before, behind) = around(namespace);
    text.split_once(&format!("</{before}{name}{behind}>"))
}

/// What stands before and behind the names of a namespace: one model has it behind.
fn around(namespace: &str) -> (&str, &str) {
    if namespace.starts_with(':') { ("", namespace) } else { (namespace, "") }
}

/// The value of `key="…"` in an element's attributes.
pub(super) fn attribute<'a>(attributes: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = attributes;
    loop {
        let at = rest.find(key)?;
        let before = rest[..at].chars().next_back();
        rest = &rest[at + key.len()..];
        let Some(value) = rest.strip_prefix('=') else { continue };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        if before.is_none_or(char::is_whitespace) {
            return value[1..].split_once(quote).map(|(value, _)| value);
        }
    }
}
