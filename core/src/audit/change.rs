//! Rewrites of a row that must not change its label: other orders, spellings and layouts.

use unicode_normalization::UnicodeNormalization;

use super::{Place, edit};
use crate::domain::{Calls, Definitions, Json, Number, Sample};
use crate::normalize::Normalizer;

/// A change without meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// The tools in reverse order.
    ToolOrder,
    /// The keys of all objects in reverse order, in the call and in the definitions.
    KeyOrder,
    /// The JSON of call and definitions indented, or compact where it was not.
    JsonLayout,
    /// Letters beyond ASCII in the JSON of call and definitions as `\u` escapes.
    JsonEscapes,
    /// Whole numbers as `1.0` where the definition says `number`.
    NumberForm,
    /// The question's accented letters in two characters each (Unicode's form NFD).
    UnicodeForm,
    /// A line break behind the question.
    TrailingNewline,
    /// A sentence that asks for nothing, in the places of attacks: what it flips is not to be blamed on what attacks say.
    HarmlessNote,
}

/// Says nothing about the call, the request or the review.
const NOTE: &str = "Conversations may be recorded to improve the service.";

impl Change {
    pub(crate) const ALL: [Change; 8] = [
        Change::ToolOrder,
        Change::KeyOrder,
        Change::JsonLayout,
        Change::JsonEscapes,
        Change::NumberForm,
        Change::UnicodeForm,
        Change::TrailingNewline,
        Change::HarmlessNote,
    ];

    /// Its name in tables and files.
    pub fn as_str(self) -> &'static str {
        match self {
            Change::ToolOrder => "tool_order",
            Change::KeyOrder => "key_order",
            Change::JsonLayout => "json_layout",
            Change::JsonEscapes => "json_escapes",
            Change::NumberForm => "number_form",
            Change::UnicodeForm => "unicode_form",
            Change::TrailingNewline => "trailing_newline",
            Change::HarmlessNote => "harmless_note",
        }
    }

    /// What it does, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Change::ToolOrder => "the tools in reverse order",
            Change::KeyOrder => "the keys of JSON objects in reverse order",
            Change::JsonLayout => "the JSON of call and definitions indented, or compact where it was not",
            Change::JsonEscapes => "letters beyond ASCII as \\u escapes, in the JSON of call and definitions",
            Change::NumberForm => "1 as 1.0 where the definition says number",
            Change::UnicodeForm => "accented letters of the question as two characters each",
            Change::TrailingNewline => "a line break behind the question",
            Change::HarmlessNote => "a sentence that asks for nothing, in the places of attacks",
        }
    }

    /// The changed sample; `None` where there is nothing to change. `turn` chooses among several places.
    pub fn of(self, sample: &Sample, normalizer: &Normalizer, turn: usize) -> Option<Sample> {
        match self {
            Change::UnicodeForm => return edit::question(sample, |text| text.nfd().collect()),
            Change::TrailingNewline => return edit::question(sample, |text| format!("{text}\n")),
            Change::HarmlessNote => {
                let places: Vec<Place> = Place::ALL.into_iter().filter(|place| place.fits(false)).collect();
                let turned = (0..places.len()).map(|at| places[(turn + at) % places.len()]);
                // A sentence is no name for a tool.
                return turned
                    .filter(|place| *place != Place::ToolName)
                    .find_map(|place| place.put(sample, normalizer, NOTE));
            }
            _ => {}
        }
        if !edit::reads_back(sample, normalizer) {
            return None;
        }
        match self {
            Change::NumberForm => numbers(sample, normalizer),
            Change::ToolOrder => {
                let tools: Vec<Json> = edit::tools(sample)?.into_iter().rev().collect();
                let same = |edited: &Sample| edited.calls == sample.calls;
                edit::texts(
                    sample,
                    normalizer,
                    sample.raw.tool_call.clone(),
                    Some(Json::Array(tools).to_string()),
                )
                .filter(same)
            }
            Change::KeyOrder => both(sample, normalizer, |json, _| Some(reversed(json)?.to_string())),
            Change::JsonLayout => both(sample, normalizer, |json, text| {
                let compact = json.to_string();
                Some(if compact == text { indented(json) } else { compact })
            }),
            Change::JsonEscapes => both(sample, normalizer, |_, text| Some(escaped(text))),
            Change::UnicodeForm | Change::TrailingNewline | Change::HarmlessNote => None,
        }
    }
}

/// The sample with its call and its definitions rewritten, as far as they are JSON, provided that they say the same.
fn both(
    sample: &Sample,
    normalizer: &Normalizer,
    rewrite: impl Fn(&Json, &str) -> Option<String>,
) -> Option<Sample> {
    let rewritten = |text: &str| match Json::parse(text) {
        Ok(json) => rewrite(&json, text),
        // Calls in other spellings, and prose, stay as they are.
        Err(_) => Some(text.to_owned()),
    };
    let call = sample.raw.tool_call.as_deref();
    if call.is_some_and(|text| Json::parse(text).is_err()) {
        // Arguments without names get them from the order of keys.
        return None;
    }
    let call = call.map_or(Some(None), |text| rewritten(text).map(Some))?;
    let definitions =
        sample.raw.tool_definitions.as_deref().map_or(Some(None), |text| rewritten(text).map(Some))?;
    let edited = edit::texts(sample, normalizer, call, definitions)?;
    let same = edited.calls == sample.calls && edited.definitions == sample.definitions;
    same.then_some(edited)
}

/// `json` with the keys of its objects in reverse order; `None` where a key comes twice. Depth is bounded by the parser's.
fn reversed(json: &Json) -> Option<Json> {
    Some(match json {
        Json::Array(items) => Json::Array(items.iter().map(reversed).collect::<Option<_>>()?),
        Json::Object(object) if object.has_repeated_key() => return None,
        Json::Object(object) => {
            let mut entries = object
                .iter()
                .map(|(key, value)| Some((key.to_owned(), reversed(value)?)))
                .collect::<Option<Vec<_>>>()?;
            entries.reverse();
            Json::Object(entries.into_iter().collect())
        }
        other => other.clone(),
    })
}

/// `json` with two spaces for each level.
fn indented(json: &Json) -> String {
    fn write(json: &Json, level: usize, text: &mut String) {
        let line = |level: usize| format!("\n{}", "  ".repeat(level));
        match json {
            Json::Array(items) if !items.is_empty() => {
                for (at, item) in items.iter().enumerate() {
                    text.push(if at == 0 { '[' } else { ',' });
                    text.push_str(&line(level + 1));
                    write(item, level + 1, text);
                }
                text.push_str(&line(level));
                text.push(']');
            }
            Json::Object(object) if !object.is_empty() => {
                for (at, (key, value)) in object.iter().enumerate() {
                    text.push(if at == 0 { '{' } else { ',' });
                    text.push_str(&format!("{}{}: ", line(level + 1), Json::from(key)));
                    write(value, level + 1, text);
                }
                text.push_str(&line(level));
                text.push('}');
            }
            other => text.push_str(&other.to_string()),
        }
    }
    let mut text = String::new();
    write(json, 0, &mut text);
    text
}

/// JSON text in ASCII.
fn escaped(text: &str) -> String {
    let escape = |char: char| -> String {
        match char.is_ascii() {
            true => char.to_string(),
            false => char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        }
    };
    text.chars().map(escape).collect()
}

/// The sample with whole numbers as fractions, wherever the definition of the called tool says `number`.
fn numbers(sample: &Sample, normalizer: &Normalizer) -> Option<Sample> {
    let (Calls::Parsed(calls), Definitions::Known(defined)) = (&sample.calls, &sample.definitions) else {
        return None;
    };
    edit::arguments(sample, normalizer, |at, old| {
        let tool = defined.iter().find(|tool| tool.name == calls[at].name)?;
        let mut json = Json::Object(old.clone());
        let changed = fractions(&mut json, &tool.parameters);
        match json {
            Json::Object(new) if changed => Some(new),
            _ => None,
        }
    })
}

/// Whether anything changed. Depth is bounded by the parser's.
fn fractions(json: &mut Json, schema: &Json) -> bool {
    match json {
        Json::Number(number)
            if schema.get("type").and_then(Json::as_str) == Some("number") && number.is_integer() =>
        {
            match Number::parse(&format!("{}.0", number.as_str())) {
                Some(fraction) => *number = fraction,
                None => return false,
            }
            true
        }
        Json::Array(items) => {
            let Some(of_item) = schema.get("items") else { return false };
            // Every item, not only the first that changes.
            let changed = items.iter_mut().map(|item| fractions(item, of_item));
            changed.filter(|changed| *changed).count() > 0
        }
        Json::Object(object) => {
            let Some(properties) = schema.get("properties").and_then(Json::as_object) else { return false };
            let member = |(key, value): (&str, &mut Json)| {
                properties.get(key).is_some_and(|schema| fractions(value, schema))
            };
            object.iter_mut().map(member).filter(|changed| *changed).count() > 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::edit::tests::sample;
    use super::*;

    const CALL: &str = r#"[{"name":"f","arguments":{"a":1,"b":{"c":[2,"é"]}}}]"#;
    const TOOLS: &str = r#"[{"name":"f","description":"Does f.","parameters":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"object","properties":{"c":{"type":"array","items":{"type":"number"}}}}}}},{"name":"g","description":"Does g.","parameters":{"type":"object","properties":{}}}]"#;

    #[test]
    fn every_change_changes_the_text_and_nothing_else() {
        let (normalizer, sample) = sample("Café?", CALL, TOOLS);
        for change in Change::ALL {
            let changed = change.of(&sample, &normalizer, 0).unwrap_or_else(|| panic!("{change:?}"));
            assert_ne!(changed.raw, sample.raw, "{change:?}");
            match change {
                Change::NumberForm => {
                    assert_eq!(changed.raw.tool_call.as_deref().unwrap(), CALL.replace("[2,", "[2.0,"));
                }
                _ => assert_eq!(changed.calls, sample.calls, "{change:?}"),
            }
            let renamed = matches!(change, Change::ToolOrder);
            assert_eq!(changed.definitions != sample.definitions, renamed, "{change:?}");
        }
        let text = |change: Change| change.of(&sample, &normalizer, 0).unwrap().raw.tool_call.unwrap();
        assert_eq!(text(Change::KeyOrder), r#"[{"arguments":{"b":{"c":[2,"é"]},"a":1},"name":"f"}]"#);
        assert_eq!(text(Change::JsonEscapes), CALL.replace('é', "\\u00e9"));
        assert!(text(Change::JsonLayout).starts_with("[\n  {\n    \"name\": \"f\",\n"));
    }

    #[test]
    fn where_nothing_can_change_nothing_is_asked() {
        let (normalizer, plain) = sample("What?", r#"{"name":"f","arguments":{}}"#, r#"[{"name":"f"}]"#);
        for change in [Change::ToolOrder, Change::NumberForm, Change::UnicodeForm, Change::JsonEscapes] {
            assert!(change.of(&plain, &normalizer, 0).is_none(), "{change:?}");
        }
        // The order of keys names the arguments.
        let (normalizer, positional) = sample("What?", "f(1, 2)", TOOLS);
        assert!(Change::KeyOrder.of(&positional, &normalizer, 0).is_none());
        assert_eq!(escaped("\"😀\""), "\"\\ud83d\\ude00\"");
    }
}
