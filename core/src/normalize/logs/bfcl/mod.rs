//! Files of the Berkeley Function-Calling Leaderboard, which keep questions, results and expected answers apart.
//!
//! ```json
//! {"id": "simple_0", "question": [[{"role": "user", "content": "Oslo?"}]], "function": [{"name": "f"}]}
//! ```

mod answer;
mod result;
mod steps;

pub(super) use answer::POSSIBLE_ANSWER;
pub(super) use result::RESULT;

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, one};
use super::format::LogFormat;
use super::value;
use crate::domain::{Cell, Json, Object, RowError, Slot};

pub(super) const QUESTION: LogFormat = LogFormat {
    name: "bfcl_question",
    sign: "keys `id`, `question` (a list) and `function`",
    matches,
    read,
    unmatched: None,
};

fn matches(record: &Object) -> bool {
    let listed = matches!(record.get("question"), Some(Json::Array(_)));
    // Files of conversations name the classes whose methods are the tools.
    let offers = record.contains_key("function") || record.contains_key("involved_classes");
    let called = Slot::ToolCall.aliases().iter().any(|key| record.contains_key(key));
    id(record).is_some() && listed && offers && !called
}

fn read(record: Object, _: &Context) -> Entries {
    let key = key(&id(&record).unwrap_or_default());
    one(Entry::Fragment(Fragment { key, object: record }))
}

fn id(record: &Object) -> Option<String> {
    value::text(record, &["id"])
}

fn key(id: &str) -> String {
    format!("bfcl:{id}")
}

/// What a question file has for one id.
struct Question {
    /// The messages of each of the user's turns.
    turns: Vec<Vec<Json>>,
    tools: Cell,
}

impl Question {
    fn find(id: &str, context: &Context) -> Result<Question, RowError> {
        let mut fragment = value::only(context.related.find(&key(id)), "id", id)?;
        let tools = value::tools(value::take(&mut fragment, "function"));
        let asked = value::take(&mut fragment, "question").map(value::messages).unwrap_or_default();
        let mut turns: Vec<Vec<Json>> = Vec::new();
        let mut flat = Vec::new();
        for item in asked {
            match item {
                Json::Array(turn) => turns.push(turn),
                message => flat.push(message),
            }
        }
        if !flat.is_empty() {
            turns.push(flat);
        }
        Ok(Question { turns, tools })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::logs::detect;

    #[test]
    fn the_leaderboards_files_are_told_from_rows() {
        for (record, format) in [
            (r#"{"id":"a_0","result":[]}"#, Some("bfcl_result")),
            (r#"{"id":"a_0","result":"f(a=1)","latency":1}"#, Some("bfcl_result")),
            (r#"{"id":"a_0","result":"f(a=1)","question":"Q"}"#, None),
            (r#"{"id":"a_0","result":[],"messages":[]}"#, None),
            (r#"{"id":7,"jsonrpc":"2.0","result":{"tools":[]}}"#, Some("mcp_jsonrpc")),
            (r#"{"id":"a_0","question":[[]],"function":[]}"#, Some("bfcl_question")),
            (r#"{"id":"a_0","question":[[]],"involved_classes":["C"]}"#, Some("bfcl_question")),
            (r#"{"id":"a_0","question":[[]],"function":[],"tool_call":[]}"#, None),
            (r#"{"id":"a_0","question":"Q","function":[]}"#, None),
            (r#"{"id":"a_0","ground_truth":[{"f":{"a":[1]}}]}"#, None),
        ] {
            let Json::Object(object) = Json::parse(record).unwrap() else { panic!("{record}") };
            assert_eq!(detect(&object).map(|format| format.name), format, "{record}");
        }
    }
}
