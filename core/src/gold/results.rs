//! Real models' answers to the benchmark's questions, with the verdict on each.

use super::bfcl::{computed, decoded};
use super::call_source;
use super::question::{ExpectedAction, Question};
use super::row::Row;
use crate::domain::{Arguments, Findings, Json, Object, ToolCall};
use crate::score::bfcl::{Language, Rules};

/// What the benchmark's own score file says of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Official {
    /// Whether the answer counts as right there.
    pub valid: bool,
    /// The benchmark's type of error; `None` of valid answers, and where the file has none.
    pub error_type: Option<String>,
}

/// An answer as it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Calls, in the order of the answer; at least one.
    Calls(Vec<ToolCall>),
    /// Words, in which no tool is named.
    NoCall,
    /// There may be a call in it, but none can be read.
    Unreadable,
    /// The model was not reached.
    Failed,
}

/// An answer with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The answer as a row of a gold table.
    pub row: Row,
    /// Whether the score file says otherwise than the scorer.
    pub disagrees: bool,
}

/// Reads the `result` of a line of a result file: calls as `{name: arguments}` (arguments as an object or as JSON in a
/// text), as other providers write them, or as text in the syntax of the question's language. All of it may be JSON in a
/// text, and underscores may be escaped as in Markdown.
pub fn answer(question: &Question, result: &Json) -> Answer {
    let text = result.as_str().unwrap_or_default().trim().replace("\\_", "_");
    if text.starts_with("Error during inference") {
        return Answer::Failed;
    }
    let calls = match (Json::parse(&text), result) {
        (Ok(structured @ (Json::Array(_) | Json::Object(_))), _) => structure(question, &structured),
        (_, Json::String(_)) => source(question, &text),
        _ => structure(question, result),
    };
    match calls {
        Some(calls) if calls.iter().any(|call| call.parsed().is_none()) => Answer::Unreadable,
        Some(calls) if calls.is_empty() => Answer::NoCall,
        Some(calls) => Answer::Calls(calls),
        None if result.is_null() => Answer::NoCall,
        None if result.as_str().is_some() && !names_a_tool(question, &text) => Answer::NoCall,
        None => Answer::Unreadable,
    }
}

/// Calls as JSON; an empty list is none.
fn structure(question: &Question, result: &Json) -> Option<Vec<ToolCall>> {
    listed(result).or_else(|| decoded(result.clone(), &question.functions))
}

/// Calls as source code, which must be some.
fn source(question: &Question, text: &str) -> Option<Vec<ToolCall>> {
    if question.language != Language::Python
        && let Some(calls) = call_source::calls(text)
    {
        return Some(calls);
    }
    let mut calls = decoded(Json::from(text), &question.functions).filter(|calls| !calls.is_empty())?;
    for call in &mut calls {
        // Any expression but arithmetic stays as it is written.
        if let Some(arguments) = computed(call, text) {
            call.arguments = Arguments::Parsed(arguments);
        }
    }
    Some(calls)
}

fn names_a_tool(question: &Question, text: &str) -> bool {
    let text = text.replace('.', "_");
    text.contains("<tool_call>")
        || question.tools.iter().any(|tool| text.contains(&tool.name.replace('.', "_")))
}

/// `[{"f": {"a": 1}}]`, `[{"f": "{\"a\": 1}"}]`
fn listed(result: &Json) -> Option<Vec<ToolCall>> {
    let call = |call: &Json| {
        let members = call.as_object()?;
        let (name, arguments) = members.iter().next().filter(|_| members.len() == 1)?;
        let arguments = match arguments {
            Json::Object(arguments) => arguments.clone(),
            Json::String(text) => match Json::parse(text.trim()) {
                Ok(Json::Object(arguments)) => arguments,
                _ => return None,
            },
            Json::Null => Object::new(),
            _ => return None,
        };
        Some(ToolCall::new(name, arguments))
    };
    result.as_array()?.iter().map(call).collect()
}

/// Whether these calls come from a model that may not write dots in names and wrote underscores: more names are a tool's
/// that way than have a dot.
pub fn writes_underscores<'a>(answers: impl IntoIterator<Item = (&'a Question, &'a Answer)>) -> bool {
    let (mut underscores, mut dots) = (0_usize, 0_usize);
    for (question, answer) in answers {
        let Answer::Calls(calls) = answer else { continue };
        for call in calls {
            let meant = question.tool(&call.name).is_none() && dotted(question, &call.name).is_some();
            underscores += usize::from(meant);
            dots += usize::from(call.name.contains('.'));
        }
    }
    underscores > dots
}

fn dotted<'q>(question: &'q Question, name: &str) -> Option<&'q str> {
    question.tools.iter().map(|tool| tool.name.as_str()).find(|tool| tool.replace('.', "_") == name)
}

/// An answer's row. The verdict is the score file's where there is one, else the scorer's by the benchmark's rules.
/// `underscores` says what [`writes_underscores`] found.
///
/// # Errors
/// Why there is no row: the answer cannot be read, or nobody knows whether it is right.
pub fn imported(
    question: &Question,
    model: &str,
    answer: Answer,
    official: Option<&Official>,
    underscores: bool,
    number: usize,
) -> Result<Imported, &'static str> {
    // What is wrong there may be the wrapping alone, which no table shows.
    let unread = |error: &str| error.contains("decoder_failed") || error.contains("wrong_output_format");
    let refused = official.is_some_and(|official| official.error_type.as_deref().is_some_and(unread));
    let mut calls = match answer {
        Answer::Calls(_) if refused => return Err("the benchmark could not read the answer"),
        Answer::Failed => return Err("the model was not reached"),
        Answer::Unreadable => return Err("no call can be read from the answer"),
        Answer::NoCall => Vec::new(),
        Answer::Calls(calls) => calls,
    };
    if underscores {
        for call in &mut calls {
            if let Some(name) = dotted(question, &call.name) {
                call.name = name.to_owned();
            }
        }
    }
    let by_rules = Question { rules: &[Rules::Peer], ..question.clone() };
    let scorer_verdict = by_rules.scorer_verdict(&calls).ok_or("the scorer cannot read the question")?;
    // These are judged by what comes of running them, of which other arguments may be as right.
    let is_run = question.category.starts_with("exec_");
    if question.expected_action == ExpectedAction::Something && !calls.is_empty() {
        return Err("a call is due, but the benchmark does not say which, so this one cannot be checked");
    }
    let (right, error_type) = match official {
        Some(official) => (official.valid, official.error_type.clone()),
        None if is_run => return Err("the benchmark runs these calls: only its scores say what is right"),
        None => (scorer_verdict.all_right(), scorer_verdict.error_type.map(str::to_owned)),
    };
    if official.is_some_and(|official| official.valid)
        && calls.is_empty()
        && question.expected_action != ExpectedAction::Nothing
    {
        return Err("no call can be read from the answer");
    }
    Ok(Imported {
        disagrees: official.is_some() && !is_run && right != scorer_verdict.all_right(),
        row: Row {
            id: format!("{}#{model}.{number}", question.id),
            calls,
            right,
            error_type: error_type.filter(|_| !right),
            findings: right.then(Findings::default),
            edit: None,
            model: Some(model.to_owned()),
        },
    })
}

/// What a line of a score file says: the id of an answer that is not valid, and why. `None` for the line of totals.
pub fn failure(line: &Object) -> Option<(String, Official)> {
    let id = line.get("id").and_then(Json::as_str)?;
    let valid = matches!(line.get("valid"), Some(Json::Bool(true)));
    let stated = line.get("error_type").or_else(|| line.get("error")?.get("error_type"));
    let error_type = stated.and_then(Json::as_str).map(str::to_owned);
    Some((id.to_owned(), Official { valid, error_type }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::bfcl;

    fn question(category: &str) -> Question {
        let asked = r#"{"id":"q_0","question":[[{"role":"user","content":"Q"}]],"function":[{"name":"a.f","parameters":
            {"type":"dict","properties":{"x":{"type":"integer"}},"required":["x"]}}]}"#;
        let answer = r#"{"id":"q_0","ground_truth":[{"a.f":{"x":[1]}}]}"#;
        let object = |text| Json::parse(text).unwrap().as_object().unwrap().clone();
        bfcl::question(&object(asked), Some(&object(answer)), category).unwrap()
    }

    #[test]
    fn answers_in_all_shapes() {
        let python = question("simple_python");
        let one = |name: &str, arguments: &str| {
            let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!() };
            Answer::Calls(vec![ToolCall::new(name, arguments)])
        };
        for (result, expected) in [
            (r#"[{"a.f":{"x":1}}]"#, one("a.f", r#"{"x":1}"#)),
            (r#"[{"a_f":"{\"x\": 1}"}]"#, one("a_f", r#"{"x":1}"#)),
            (r#"[{"name":"a.f","arguments":{"x":1}}]"#, one("a.f", r#"{"x":1}"#)),
            (r#""[a.f(x=1)]""#, one("a.f", r#"{"x":1}"#)),
            (r#"[{"a.f":"{\"x\": "}]"#, Answer::Unreadable),
            (r#""a.f(x=2*3)""#, one("a.f", r#"{"x":6}"#)),
            (r#""a.f(x=y)""#, one("a.f", r#"{"x":"y"}"#)),
            (r#""I would call a.f with 1""#, Answer::Unreadable),
            (r#""I cannot help.""#, Answer::NoCall),
            ("[]", Answer::NoCall),
            ("null", Answer::NoCall),
            (r#""Error during inference: timeout""#, Answer::Failed),
        ] {
            assert_eq!(answer(&python, &Json::parse(result).unwrap()), expected, "{result}");
        }
        let java = question("simple_java");
        assert_eq!(answer(&java, &Json::from("a.f(x=1L)")), one("a.f", r#"{"x":"1L"}"#));
    }

    #[test]
    fn verdicts_are_the_score_files_or_the_scorers() {
        let python = question("simple_python");
        let read = |text: &str| answer(&python, &Json::parse(text).unwrap());
        let (right, wrong) = (read(r#"[{"a.f":{"x":1}}]"#), read(r#"[{"a_f":{"x":1}}]"#));
        let imported = |answer: &Answer, official: Option<bool>, underscores| {
            let official = official.map(|valid| Official { valid, error_type: Some("e".to_owned()) });
            let imported = super::imported(&python, "m", answer.clone(), official.as_ref(), underscores, 0)?;
            Ok::<_, &str>((imported.row.right, imported.row.error_type, imported.disagrees))
        };
        let e = || Some("e".to_owned());
        assert_eq!(imported(&right, None, false), Ok((true, None, false)));
        assert_eq!(imported(&right, Some(false), false), Ok((false, e(), true)));
        assert_eq!(imported(&right, Some(true), false), Ok((true, None, false)));
        assert_eq!(imported(&wrong, None, true), Ok((true, None, false)));
        let (verdict, error, _) = imported(&wrong, None, false).unwrap();
        assert_eq!((verdict, error.as_deref()), (false, Some("simple_function_checker:wrong_func_name")));
        assert!(imported(&Answer::Unreadable, None, false).is_err());
        assert!(imported(&Answer::NoCall, Some(true), false).is_err());
        assert_eq!(imported(&Answer::NoCall, Some(false), false), Ok((false, e(), false)));
        // Where only some call is due, a call is neither right nor wrong; none is wrong.
        let expected_action = Question { expected_action: ExpectedAction::Something, ..python.clone() };
        let known = |answer: &Answer| {
            super::imported(&expected_action, "m", answer.clone(), None, false, 0)
                .map(|known| known.row.right)
        };
        assert!(known(&right).is_err() && known(&wrong).is_err());
        assert_eq!(known(&Answer::NoCall), Ok(false));
        assert!(writes_underscores([(&python, &wrong)]));
        assert!(!writes_underscores([(&python, &wrong), (&python, &right)]));
    }
}
