//! An agent with scripted replies, to try a suite without a model.

use std::collections::HashMap;
use std::sync::Arc;

use super::episode::Heard;
use crate::domain::{Arguments, Json, Object, Stop, ToolCall, Turn, did_you_mean};

/// Replies, case by case.
///
/// ```text
/// {"case": "T001", "replies": [{"calls": [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]}, "It is 31 degrees."]}
/// {"case": "T001", "repeat": 2, "replies": ["I do not know."]}
/// ```
///
/// A reply is a text, or an object with `text`, `calls` and `stop` (`finished`, `truncated`, `refused`, `filtered`). A call has a `name`,
/// `arguments` (an object, or the text that a model wrote in its place) and perhaps an `id`. Replies without a `repeat` are for
/// every repeat that has none of its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    replies: HashMap<(String, Option<u32>), Vec<Heard>>,
}

/// A line of a script that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct ScriptError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl Script {
    /// Reads a script, a JSON object a line.
    ///
    /// # Errors
    /// If a line is no such object, has a key that is unknown here, or is the second for its case and repeat.
    pub fn read(text: &str) -> Result<Script, ScriptError> {
        let mut script = Script::default();
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        for (at, line) in lines {
            let error = |why: String| ScriptError { line: at + 1, why };
            let json = Json::parse(line).map_err(|why| error(why.to_string()))?;
            let (key, replies) = episode(&json).map_err(error)?;
            if script.replies.contains_key(&key) {
                return Err(error(format!("the case `{}` has replies already", key.0)));
            }
            script.replies.insert(key, replies);
        }
        if script.replies.is_empty() {
            return Err(ScriptError { line: 1, why: "there are no replies".to_owned() });
        }
        Ok(script)
    }

    /// The reply of a case in its `repeat`, counted from 1, after so many others; what is wrong where there is none.
    ///
    /// # Errors
    /// If the script has no reply for it.
    pub fn reply(&self, case: &str, repeat: u32, turn: usize) -> Result<&Heard, String> {
        let of = |repeat| self.replies.get(&(case.to_owned(), repeat));
        let replies = of(Some(repeat))
            .or_else(|| of(None))
            .ok_or_else(|| format!("the script has no replies for the case `{case}`"))?;
        replies.get(turn).ok_or_else(|| {
            format!(
                "the script has {} replies for the case `{case}`, and one more is asked for",
                replies.len()
            )
        })
    }

    /// The cases that it has replies for.
    pub fn cases(&self) -> impl Iterator<Item = &str> {
        self.replies.keys().map(|(case, _)| case.as_str())
    }
}

type Key = (String, Option<u32>);

fn episode(json: &Json) -> Result<(Key, Vec<Heard>), String> {
    let object = json.as_object().ok_or("expected an object with `case` and `replies`")?;
    known(object, &["case", "repeat", "replies"])?;
    let case = object.get("case").and_then(Json::as_str).ok_or("`case` must be the id of a case")?;
    let repeat = match object.get("repeat") {
        None => None,
        Some(Json::Number(number)) => match number.as_i64().and_then(|number| u32::try_from(number).ok()) {
            Some(repeat) if repeat > 0 => Some(repeat),
            _ => return Err("`repeat` must be a whole number from 1 on".to_owned()),
        },
        Some(_) => return Err("`repeat` must be a whole number from 1 on".to_owned()),
    };
    let replies = object.get("replies").and_then(Json::as_array).filter(|replies| !replies.is_empty());
    let replies = replies.ok_or("`replies` must be a list of one reply or more")?;
    let replies = replies.iter().map(reply).collect::<Result<_, String>>()?;
    Ok(((case.to_owned(), repeat), replies))
}

fn reply(json: &Json) -> Result<Heard, String> {
    let mut turn = Turn::default();
    let mut stop = Stop::Finished;
    match json {
        Json::String(text) => turn.text.clone_from(text),
        Json::Object(object) => {
            known(object, &["text", "calls", "stop"])?;
            match object.get("text") {
                None | Some(Json::Null) => {}
                Some(Json::String(text)) => turn.text.clone_from(text),
                Some(_) => return Err("`text` must be a text".to_owned()),
            }
            match object.get("calls") {
                None => {}
                Some(Json::Array(calls)) => {
                    turn.calls = calls.iter().map(call).collect::<Result<_, String>>()?
                }
                Some(_) => return Err("`calls` must be a list of calls".to_owned()),
            }
            if let Some(named) = object.get("stop") {
                let named = named.as_str().unwrap_or_default();
                let known = Stop::ALL.into_iter().find(|stop| stop.as_str() == named);
                stop = known.ok_or_else(|| {
                    format!("`stop` must be one of {}", Stop::ALL.map(Stop::as_str).join(", "))
                })?;
            }
        }
        _ => return Err("a reply must be a text or an object with `text`, `calls` and `stop`".to_owned()),
    }
    Ok(Heard { message: Arc::from(json.to_string()), stop, turn })
}

fn call(json: &Json) -> Result<ToolCall, String> {
    let object = json.as_object().ok_or("a call must be an object with `name` and `arguments`")?;
    known(object, &["name", "arguments", "id"])?;
    let name = object.get("name").and_then(Json::as_str).ok_or("`name` of a call must be a text")?;
    let arguments = arguments(object.get("arguments"));
    let id = match object.get("id") {
        None | Some(Json::Null) => None,
        Some(id) => Some(id.as_str().ok_or("`id` of a call must be a text")?.to_owned()),
    };
    Ok(ToolCall { name: name.to_owned(), arguments, id })
}

/// The arguments of a call: an object, or the text that a model wrote in its place.
pub(super) fn arguments(json: Option<&Json>) -> Arguments {
    match json {
        None | Some(Json::Null) => Arguments::Parsed(Object::new()),
        Some(Json::Object(arguments)) => Arguments::Parsed(arguments.clone()),
        Some(Json::String(text)) if text.trim().is_empty() => Arguments::Parsed(Object::new()),
        Some(Json::String(text)) => match Json::parse(text) {
            Ok(Json::Object(arguments)) => Arguments::Parsed(arguments),
            _ => Arguments::Malformed(text.clone()),
        },
        Some(other) => Arguments::Malformed(other.to_string()),
    }
}

fn known(object: &Object, keys: &[&'static str]) -> Result<(), String> {
    match object.keys().find(|key| !keys.contains(key)) {
        None => Ok(()),
        Some(key) => {
            let near = did_you_mean(key, keys.iter().copied());
            Err(format!("`{key}` is no key here: use {}{near}", keys.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_found_by_case_repeat_and_turn() {
        let script = Script::read(
            "{\"case\": \"a\", \"replies\": [{\"calls\": [{\"name\": \"f\", \"arguments\": \"{bad\"}]}, \"done\"]}\n\n\
             {\"case\": \"a\", \"repeat\": 2, \"replies\": [{\"text\": \"no\", \"stop\": \"refused\"}]}",
        )
        .unwrap();
        assert_eq!(
            script.reply("a", 1, 0).unwrap().turn.calls[0].arguments,
            Arguments::Malformed("{bad".into())
        );
        assert_eq!(script.reply("a", 3, 1).unwrap().turn.text, "done");
        assert_eq!(script.reply("a", 2, 0).unwrap().stop, Stop::Refused);
        assert!(script.reply("a", 2, 1).unwrap_err().contains("has 1 replies"));
        assert!(script.reply("b", 1, 0).unwrap_err().contains("no replies for the case `b`"));
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, why) in [
            ("", "line 1: there are no replies"),
            ("{\"case\": \"a\", \"replies\": []}", "line 1: `replies` must be a list of one reply or more"),
            ("{\"case\": \"a\", \"reply\": []}", "line 1: `reply` is no key here: use case, repeat, replies"),
            ("{\"case\": \"a\", \"replies\": [1]}", "line 1: a reply must be a text or an object"),
            (
                "{\"case\": \"a\", \"repeat\": 0, \"replies\": [\"x\"]}",
                "line 1: `repeat` must be a whole number",
            ),
            (
                "{\"case\": \"a\", \"replies\": [\"x\"]}\n{\"case\": \"a\", \"replies\": [\"x\"]}",
                "line 2: the case `a` has replies already",
            ),
        ] {
            let error = Script::read(text).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
