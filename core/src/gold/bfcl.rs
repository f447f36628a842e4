//! Questions of the Berkeley function-calling benchmark, from a line of its question file and the line of accepted answers.

use super::arithmetic::evaluate;
use super::question::{Expectation, ExpectedAction, Question};
use super::tool::Tool;
use crate::domain::{Calls, Cell, Json, Object, RawRow, ToolCall};
use crate::normalize::{Normalizer, Options};
use crate::score::bfcl::{Assignment, Language, Rules};

/// Why nothing is made of a question. The reason is one of a few, so that it can be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{id}: {reason}")]
pub struct Unusable {
    /// The question's id in the benchmark.
    pub id: String,
    /// One of a closed set of sentences.
    pub reason: &'static str,
}

/// Joins a question with its accepted answer (none where no call is due, or any).
///
/// Answers are lists of accepted values for each parameter, or calls in Python's syntax (the benchmark's `exec_*`
/// questions), whose arguments are the only accepted ones; plain arithmetic among them is computed. What is right is said
/// by our own rules and by the official checker's: only what both agree on is used.
///
/// # Errors
/// When the question has several turns or no definitions, when there is no accepted answer though one is needed, or when an
/// answer is an expression other than plain arithmetic.
pub fn question(question: &Object, answer: Option<&Object>, category: &str) -> Result<Question, Unusable> {
    let id = question.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
    let unusable = |reason| Unusable { id: id.clone(), reason };
    let (asked, text) = asked(question.get("question"))
        .ok_or_else(|| unusable("the question has no text, or several turns"))?;
    let functions = question.get("function").or_else(|| question.get("functions"));
    let functions = functions.filter(|functions| functions.as_array().is_some());
    let functions = functions.ok_or_else(|| unusable("no definitions"))?.clone();
    let tools: Vec<Tool> = functions.as_array().into_iter().flatten().filter_map(Tool::read).collect();
    let expected_action = match Assignment::of(category) {
        Assignment::Irrelevance => ExpectedAction::Nothing,
        Assignment::Relevance => ExpectedAction::Something,
        _ => {
            let truth =
                answer.and_then(|answer| answer.get("ground_truth")).or_else(|| question.get("ground_truth"));
            let truth = truth.and_then(Json::as_array).filter(|truth| !truth.is_empty());
            let truth = truth.ok_or_else(|| unusable("no accepted answer"))?;
            let read = |answer: &Json| match answer {
                Json::String(source) => executed(source, &functions),
                answer => accepted(answer).ok_or("no accepted answer"),
            };
            ExpectedAction::Calls(truth.iter().map(read).collect::<Result<_, _>>().map_err(unusable)?)
        }
    };
    Ok(Question {
        asked,
        text,
        definitions: functions.clone(),
        functions,
        tools,
        expected_action,
        category: category.to_owned(),
        language: Language::of(category),
        rules: &[Rules::Own, Rules::Peer],
        cluster: id.clone(),
        id,
    })
}

/// What was asked, as the table shows it, and as one text.
fn asked(question: Option<&Json>) -> Option<(Json, String)> {
    let messages = match question? {
        Json::String(text) => return Some((Json::from(text.as_str()), text.clone())),
        Json::Array(turns) => match turns.as_slice() {
            [Json::Array(messages)] => messages.as_slice(),
            [Json::Object(_), ..] => turns.as_slice(),
            _ => return None,
        },
        _ => return None,
    };
    let contents: Vec<&str> =
        messages.iter().filter_map(|message| message.get("content")?.as_str()).collect();
    match (messages.len(), contents.as_slice()) {
        (_, []) => None,
        (1, [text]) => Some((Json::from(*text), (*text).to_owned())),
        _ => Some((Json::Array(messages.to_vec()), contents.join("\n"))),
    }
}

/// `{"f": {"a": [1, 2]}}`
fn accepted(answer: &Json) -> Option<Expectation> {
    let (tool, parameters) = answer.as_object()?.iter().next()?;
    let values = |values: &Json| match values {
        Json::Array(values) => values.clone(),
        value => vec![value.clone()],
    };
    let accepted = parameters.as_object()?.iter().map(|(name, own)| (name.to_owned(), values(own))).collect();
    Some(Expectation { tool: tool.to_owned(), accepted })
}

/// `f(a=1, b=[2])`
fn executed(source: &str, functions: &Json) -> Result<Expectation, &'static str> {
    let calls = decoded(Json::from(source), functions).unwrap_or_default();
    let [call] = calls.as_slice() else { return Err("the expected call cannot be read") };
    let arguments =
        computed(call, source).ok_or("the expected call has an expression that is not plain arithmetic")?;
    let accepted = arguments.iter().map(|(name, value)| (name.to_owned(), vec![only(value)])).collect();
    Ok(Expectation { tool: call.name.clone(), accepted })
}

/// The arguments of a call that was read from `source`, with what is arithmetic there computed; `None` where some other
/// expression is among them, or no arguments can be read.
pub(super) fn computed(call: &ToolCall, source: &str) -> Option<Object> {
    let value = |(name, value): (&str, &Json)| {
        let value = match value {
            Json::String(text) if is_bare(source, text) => evaluate(text)?,
            value => value.clone(),
        };
        Some((name.to_owned(), value))
    };
    call.parsed()?.iter().map(value).collect()
}

/// Whether a text of a decoded call stands in its source without quotes, so that it is code.
fn is_bare(source: &str, text: &str) -> bool {
    source.match_indices(text).any(|(at, _)| source[..at].trim_end().ends_with(['=', '(', ',']))
        && !source.contains(&format!("'{text}'"))
        && !source.contains(&format!("\"{text}\""))
}

/// An accepted value of which objects list the only accepted value of each member.
pub(super) fn only(value: &Json) -> Json {
    let options = |members: &Object| {
        let option = |(name, value): (&str, &Json)| (name.to_owned(), Json::Array(vec![value.clone()]));
        Json::Object(members.iter().map(option).collect())
    };
    match value {
        Json::Object(members) => options(members),
        Json::Array(items) if !items.is_empty() && items.iter().all(|item| item.as_object().is_some()) => {
            Json::Array(items.iter().filter_map(Json::as_object).map(options).collect())
        }
        value => value.clone(),
    }
}

/// The calls in whatever shape they are written; `None` where none can be read.
pub(super) fn decoded(written: Json, functions: &Json) -> Option<Vec<ToolCall>> {
    let row = RawRow {
        question: Cell::Text("-".to_owned()),
        tool_call: Cell::from(written),
        tool_definitions: Cell::from(functions.clone()),
        ..RawRow::default()
    };
    match Normalizer::new(Options::default()).ok()?.sample(row).ok()?.calls {
        Calls::Parsed(calls) => Some(calls),
        Calls::Unparsed => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object {
        let Json::Object(object) = Json::parse(text).unwrap() else { panic!("{text}") };
        object
    }

    const ASKED: &str = r#"{"id":"q_0","question":[[{"role":"user","content":"Q"}]],"function":[{"name":"f","parameters":{"type":"dict","properties":{"a":{"type":"float"},"b":{"type":"string"}},"required":["a"]}}]"#;

    #[test]
    fn answers_are_accepted_values_or_calls() {
        let asked = object(&format!("{ASKED}}}"));
        for (category, truth, expected) in [
            ("simple_python", r#"[{"f":{"a":[1.0,""]}}]"#, Ok(r#"[{"f":{"a":[1.0,""]}}]"#)),
            // The same text with quotes and without: a text, which the scorer will not take for a number.
            ("exec_simple", r#"["f(a=1/4, b='1/4')"]"#, Ok(r#"[{"f":{"a":["1/4"],"b":["1/4"]}}]"#)),
            ("exec_simple", r#"["f(a=1/4)"]"#, Ok(r#"[{"f":{"a":[0.25]}}]"#)),
            ("exec_simple", r#"["f(a=2, b='x*2')"]"#, Ok(r#"[{"f":{"a":[2],"b":["x*2"]}}]"#)),
            ("exec_simple", r#"["f(a=[{'k':1}])"]"#, Ok(r#"[{"f":{"a":[[{"k":[1]}]]}}]"#)),
            ("exec_simple", r#"["f(a=g(1))"]"#, Err("arithmetic")),
            ("exec_simple", r#"["f(a="]"#, Err("cannot be read")),
            ("multiple", "[]", Err("no accepted answer")),
            ("irrelevance", "[]", Ok("[]")),
        ] {
            let answer = object(&format!(r#"{{"id":"q_0","ground_truth":{truth}}}"#));
            let found = question(&asked, Some(&answer), category);
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.possible_answer().to_string(), expected),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (found, _) => panic!("{truth}: {found:?}"),
            }
        }
    }

    #[test]
    fn one_message_is_a_text_and_several_stay_a_list() {
        for (question, expected) in [
            (r#"[[{"role":"user","content":"Q"}]]"#, Some("\"Q\" Q")),
            (
                r#"[[{"role":"system","content":"S"},{"role":"user","content":"Q"}]]"#,
                Some("[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\",\"content\":\"Q\"}] S\nQ"),
            ),
            (r#"[[{"role":"user","content":"Q"}],[]]"#, None),
            ("\"Q\"", Some("\"Q\" Q")),
            ("[]", None),
            ("5", None),
        ] {
            let found = asked(Some(&Json::parse(question).unwrap()));
            let found = found.map(|(shown, text)| format!("{shown} {text}"));
            assert_eq!(found.as_deref(), expected, "{question}");
        }
    }
}
