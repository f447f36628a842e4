//! Files of ACEBench, which keep questions, results and accepted answers apart.
//!
//! ```json
//! {"id": "normal_atom_bool_0", "question": "user: Oslo?\n", "function": [{"name": "f"}], "time": ""}
//! {"id": "normal_atom_bool_0", "result": "[f(city='Oslo')]"}
//! {"id": "normal_atom_bool_0", "ground_truth": {"f": {"city": "Oslo"}}}
//! ```
//!
//! The expected calls are kept beside the turn and shown to no judge. Where the benchmark expects words (`special_`), it expects
//! no call; which words it expects is ignored.

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, one, unreadable};
use super::format::LogFormat;
use super::turn::{Output, Turn};
use super::value;
use crate::domain::{Gold, Json, Object, RowError, RowErrorCode};

pub(super) const QUESTION: LogFormat = LogFormat {
    name: "acebench_question",
    sign: "an `id` that begins with normal_, special_ or agent_, a text `question`, and `function`",
    matches: |record| {
        is_of_benchmark(record) && is_text(record, "question") && record.contains_key("function")
    },
    read: |record, _| fragment("question", record),
    unmatched: None,
};

pub(super) const POSSIBLE_ANSWER: LogFormat = LogFormat {
    name: "acebench_possible_answer",
    sign: "an `id` that begins with normal_, special_ or agent_, and `ground_truth` or `mile_stone`",
    matches: |record| {
        is_of_benchmark(record) && (record.contains_key("ground_truth") || record.contains_key("mile_stone"))
    },
    read: |record, _| fragment("answer", record),
    unmatched: None,
};

pub(super) const RESULT: LogFormat = LogFormat {
    name: "acebench_result",
    sign: "an `id` that begins with normal_, special_ or agent_, and `result`",
    matches: |record| is_of_benchmark(record) && record.contains_key("result") && !value::asks(record),
    read: |record, context| entries(record, context).unwrap_or_else(unreadable),
    unmatched: None,
};

/// How the ids of its categories begin.
const CATEGORIES: [&str; 3] = ["normal_", "special_", AGENT];
const AGENT: &str = "agent_";

fn is_of_benchmark(record: &Object) -> bool {
    let id = record.get("id").and_then(Json::as_str).unwrap_or_default();
    CATEGORIES.iter().any(|category| id.starts_with(category))
}

fn is_text(record: &Object, key: &str) -> bool {
    record.get(key).is_some_and(|value| value.as_str().is_some())
}

fn id(record: &Object) -> String {
    value::text(record, &["id"]).unwrap_or_default()
}

fn key(of: &str, id: &str) -> String {
    format!("acebench {of}:{id}")
}

fn fragment(of: &str, record: Object) -> Entries {
    one(Entry::Fragment(Fragment { key: key(of, &id(&record)), object: record }))
}

fn entries(mut record: Object, context: &Context) -> Result<Entries, RowError> {
    let id = id(&record);
    if id.starts_with(AGENT) {
        let why = format!(
            "{}: ACEBench keeps of its agents what became of the world, not what was said before each call; log the \
             conversations, each as a line {{\"messages\": […], \"tools\": […]}}",
            RowError::excerpt(&id)
        );
        return Err(RowError::new(RowErrorCode::UnrecognisedRecord, why));
    }
    let mut question = value::only(context.related.find(&key("question", &id)), "id", &id)?;
    let tools = value::take(&mut question, "function");
    let gold = match context.related.find(&key("answer", &id)) {
        answers if answers.is_empty() => None,
        answers => {
            let mut answer = value::only(answers, "id", &id)?;
            let truth = answer.remove("ground_truth").filter(|truth| !truth.is_null());
            truth.map(|truth| Gold::Calls(expected(&id, truth, tools.as_ref())))
        }
    };
    let mut turn = Turn::answering(messages(&question), Json::Null);
    turn.output = Output::Message(record.remove("result").unwrap_or(Json::Null));
    turn.tools = value::tools(tools);
    turn.origin.source_id = Some(id);
    turn.origin.gold = gold;
    Ok(turn.alone())
}

/// The calls that are accepted; a list for each answer where there are several, which no scorer takes for one.
fn expected(id: &str, truth: Json, tools: Option<&Json>) -> Json {
    if id.starts_with("special_") {
        return Json::Array(Vec::new());
    }
    match truth {
        Json::Array(mut answers) if answers.len() == 1 => calls(answers.remove(0), tools),
        Json::Array(answers) => Json::Array(answers.into_iter().map(|answer| calls(answer, tools)).collect()),
        answer => calls(answer, tools),
    }
}

/// `{"f":{"a":1}}` to a list of calls.
fn calls(answer: Json, tools: Option<&Json>) -> Json {
    let Json::Object(calls) = answer else { return answer };
    let is_tool = |name: &str| {
        let tools = tools.and_then(Json::as_array).unwrap_or_default();
        tools.iter().any(|tool| tool.get("name").and_then(Json::as_str) == Some(name))
    };
    let call = |(key, arguments): (String, Json)| {
        // A tool that is called again has the number of the call behind its name.
        let numbered = key
            .rsplit_once('_')
            .filter(|(name, number)| number.parse::<u32>().is_ok() && is_tool(name) && !is_tool(&key));
        let name = numbered.map_or(key.as_str(), |(name, _)| name);
        Json::Object(Object::from_iter([
            ("name".to_owned(), Json::from(name)),
            ("arguments".to_owned(), arguments),
        ]))
    };
    Json::Array(calls.into_iter().map(call).collect())
}

/// The conversation, a text whose lines begin with who speaks. The assistant is called the system there.
fn messages(question: &Object) -> Vec<Json> {
    const SPEAKERS: [(&str, &str); 3] =
        [("user:", "user"), ("system:", "assistant"), ("assistant:", "assistant")];
    let known = ["time", "profile"].iter().filter_map(|key| question.get(key));
    let known: Vec<String> = known
        .filter(|value| !value.is_null())
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .filter(|text| !text.trim().is_empty())
        .collect();
    let mut said: Vec<(&str, String)> = Vec::new();
    if !known.is_empty() {
        said.push(("system", known.join("\n")));
    }
    let mut is_begun = false;
    for line in question.get("question").and_then(Json::as_str).unwrap_or_default().lines() {
        let speaker =
            SPEAKERS.iter().find_map(|(sign, role)| Some((*role, line.strip_prefix(sign)?.trim_start())));
        match (speaker, said.last_mut()) {
            (Some((role, words)), _) => said.push((role, words.to_owned())),
            (None, Some((_, words))) if is_begun => {
                words.push('\n');
                words.push_str(line);
            }
            (None, _) => said.push(("user", line.to_owned())),
        }
        is_begun = true;
    }
    said.into_iter().map(|(role, words)| value::message(role, words.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::logs::detect;

    #[test]
    fn the_benchmarks_files_are_told_from_others() {
        for (record, format) in [
            (r#"{"id":"normal_a_0","result":"[f()]"}"#, Some("acebench_result")),
            (r#"{"id":"normal_a_0","result":"[f()]","question":"Q"}"#, None),
            (r#"{"id":"normal_a_0","question":"user: Q","function":[]}"#, Some("acebench_question")),
            (r#"{"id":"special_a_0","ground_truth":{"f":{}}}"#, Some("acebench_possible_answer")),
            (r#"{"id":"simple_0","question":"Q","function":[]}"#, None),
            (r#"{"id":"simple_0","result":"f(a=1)"}"#, Some("bfcl_result")),
        ] {
            let Json::Object(object) = Json::parse(record).unwrap() else { panic!("{record}") };
            assert_eq!(detect(&object).map(|format| format.name), format, "{record}");
        }
    }
}
