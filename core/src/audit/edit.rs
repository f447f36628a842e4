//! A sample with another question, call or definitions, parsed like any row.

use crate::domain::{Calls, Cell, Json, Object, RawRow, Role, Sample};
use crate::normalize::Normalizer;

/// The sample with `edit` done to what the user said last. `None` where that cannot be found in the text that prompts show.
pub(super) fn question(sample: &Sample, edit: impl Fn(&str) -> String) -> Option<Sample> {
    let (old, new) = (sample.question.as_str(), edit(&sample.question));
    let at = sample.raw.question.rfind(old).filter(|_| !old.is_empty() && new != old)?;
    let mut edited = sample.clone();
    let mut shown = sample.raw.question.to_string();
    shown.replace_range(at..at + old.len(), &new);
    edited.raw.question = shown.into();
    let asked = sample.messages.iter().rposition(|message| message.role == Role::User)?;
    edited.messages.edit(|messages| messages[asked].content.clone_from(&new));
    edited.question = new;
    Some(edited)
}

/// The sample with these texts of its call and definitions, read anew. `None` where they cannot be read, or are what they were.
pub(super) fn texts(
    sample: &Sample,
    normalizer: &Normalizer,
    call: Option<String>,
    definitions: Option<String>,
) -> Option<Sample> {
    let raw = &sample.raw;
    if raw.tool_call == call && raw.tool_definitions.as_deref() == definitions.as_deref() {
        return None;
    }
    let row = RawRow {
        question: Cell::Text("?".to_owned()),
        tool_call: call.map_or(Cell::Null, Cell::Text),
        tool_definitions: definitions.map_or(Cell::Missing, Cell::Text),
        ..RawRow::default()
    };
    let read = normalizer.sample(row).ok()?;
    let mut edited = sample.clone();
    (edited.calls, edited.definitions, edited.flags) = (read.calls, read.definitions, read.flags);
    (edited.raw.tool_call, edited.raw.tool_definitions) = (read.raw.tool_call, read.raw.tool_definitions);
    Some(edited)
}

/// Whether the texts of the call and the definitions, read by themselves, mean what they mean in the sample. Some logs keep more than
/// their texts; such rows are only changed in their question.
pub(super) fn reads_back(sample: &Sample, normalizer: &Normalizer) -> bool {
    let raw = &sample.raw;
    let row = RawRow {
        question: Cell::Text("?".to_owned()),
        tool_call: raw.tool_call.clone().map_or(Cell::Null, Cell::Text),
        tool_definitions: raw
            .tool_definitions
            .as_deref()
            .map_or(Cell::Missing, |text| Cell::Text(text.to_owned())),
        ..RawRow::default()
    };
    normalizer
        .sample(row)
        .is_ok_and(|read| read.calls == sample.calls && read.definitions == sample.definitions)
}

/// The call's JSON, if it is JSON.
pub(super) fn call(sample: &Sample) -> Option<Json> {
    Json::parse(sample.raw.tool_call.as_deref()?).ok()
}

/// The definitions' JSON, if they are a list of tools.
pub(super) fn tools(sample: &Sample) -> Option<Vec<Json>> {
    match Json::parse(sample.raw.tool_definitions.as_deref()?) {
        Ok(Json::Array(tools)) if tools.iter().all(|tool| tool.as_object().is_some()) => Some(tools),
        _ => None,
    }
}

/// Where a tool's name and description stand: in the object itself, or in its `function`.
pub(super) fn face(tool: &mut Json) -> Option<&mut Object> {
    let Json::Object(object) = tool else { return None };
    if !object.contains_key("function") {
        return object.contains_key("name").then_some(object);
    }
    match object.get_mut("function") {
        Some(Json::Object(function)) if function.contains_key("name") => Some(function),
        _ => None,
    }
}

/// The sample with its calls' arguments as `edit` leaves them, wherever the text of the call has them. `None` where `edit` changes
/// nothing (returns `None` for all), or where the text does not read as what was meant.
pub(super) fn arguments(
    sample: &Sample,
    normalizer: &Normalizer,
    mut edit: impl FnMut(usize, &Object) -> Option<Object>,
) -> Option<Sample> {
    let Calls::Parsed(calls) = &sample.calls else { return None };
    let mut text = call(sample)?;
    let mut meant: Vec<Option<Object>> = calls.iter().map(|call| call.parsed().cloned()).collect();
    for (at, place) in meant.iter_mut().enumerate() {
        let Some(old) = place else { continue };
        let Some(new) = edit(at, old) else { continue };
        if !replace(&mut text, old, &new) {
            return None;
        }
        *old = new;
    }
    let definitions = sample.raw.tool_definitions.as_deref().map(str::to_owned);
    let edited = texts(sample, normalizer, Some(text.to_string()), definitions)?;
    let Calls::Parsed(read) = &edited.calls else { return None };
    read.iter().map(|call| call.parsed()).eq(meant.iter().map(Option::as_ref)).then_some(edited)
}

/// Puts `new` in the place of the first object that is `old`, be it written out or inside a text. Depth is bounded by the parser's.
fn replace(json: &mut Json, old: &Object, new: &Object) -> bool {
    match json {
        Json::Object(object) if object == old => {
            *object = new.clone();
            true
        }
        Json::Object(object) => object.iter_mut().any(|(_, value)| replace(value, old, new)),
        Json::Array(items) => items.iter_mut().any(|item| replace(item, old, new)),
        Json::String(text) => match Json::parse(text) {
            Ok(Json::Object(object)) if object == *old => {
                *text = new.to_string();
                true
            }
            _ => false,
        },
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::normalize::Options;

    /// A row as tables hold it, read.
    pub fn sample(question: &str, call: &str, definitions: &str) -> (Normalizer, Sample) {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        let cell = |text: &str| Cell::Text(text.to_owned());
        let row = RawRow {
            question: cell(question),
            tool_call: cell(call),
            tool_definitions: cell(definitions),
            ..RawRow::default()
        };
        let sample = normalizer.sample(row).unwrap();
        (normalizer, sample)
    }

    #[test]
    fn only_the_last_words_of_the_user_change() {
        let turns = r#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Hi"}]"#;
        let (_, sample) = sample(turns, "f()", "[]");
        let edited = question(&sample, |text| format!("{text}!")).unwrap();
        assert_eq!(edited.raw.question, "user: Hi\n\nassistant: Hello\n\nuser: Hi!");
        assert_eq!((edited.question.as_str(), edited.messages[0].content.as_str()), ("Hi!", "Hi"));
        assert!(question(&sample, str::to_owned).is_none());
    }

    #[test]
    fn arguments_are_found_in_any_shape() {
        for call in [
            r#"{"name":"f","arguments":{"a":1}}"#,
            r#"[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]"#,
            r#"{"f":{"a":1}}"#,
        ] {
            let (normalizer, sample) = sample("q", call, r#"[{"name":"f","parameters":{}}]"#);
            let add = |_: usize, old: &Object| {
                let mut new = old.clone();
                new.insert("note", "x");
                Some(new)
            };
            let edited = arguments(&sample, &normalizer, add).unwrap();
            let Calls::Parsed(calls) = &edited.calls else { panic!("{call}") };
            assert_eq!(calls[0].to_json().get("arguments").unwrap().to_string(), r#"{"a":1,"note":"x"}"#);
            assert!(arguments(&sample, &normalizer, |_, _| None).is_none());
        }
        let (normalizer, text) = sample("q", "f(a=1)", "[]");
        assert!(arguments(&text, &normalizer, |_, old| Some(old.clone())).is_none());
    }
}
