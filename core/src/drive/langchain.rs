//! LangChain Benchmarks' four tool-usage tasks as suites.
//!
//! The questions of the typewriters and of the multiverse are LangChain's, under the license beside them. Those of the relational
//! task were never published with the package; twenty-four of our own replace them, each with a chain of calls that leads to its
//! answer. An export of the peer's data set can be driven instead ([`suite_of`]).

use std::sync::Arc;

use super::suite::{Bounds, Case, Expected, Suite, World};
use crate::domain::{Entry, Json, JsonError, Object, ToolDefinition};
use crate::environment::{Environment, EnvironmentName};

const QUESTIONS: &str = include_str!("../../langchain/questions.json");
const RELATIONAL: &str = include_str!("../../langchain/relational.jsonl");

/// An example of a task that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExampleError {
    /// The text is no JSON.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// It lacks something, or holds something else.
    #[error("{0}")]
    Lacks(String),
}

/// The task of an environment, with the questions that are shipped.
///
/// # Errors
/// If the shipped questions cannot be read, which a test rules out.
pub fn task(name: EnvironmentName) -> Result<Suite, ExampleError> {
    let examples = match name {
        EnvironmentName::Relational => RELATIONAL
            .lines()
            .map(|line| Ok(relational(&Json::parse(line)?)))
            .collect::<Result<_, JsonError>>()?,
        EnvironmentName::Multiverse => listed("multiverse")?.iter().map(multiverse).collect(),
        EnvironmentName::Typewriter1 | EnvironmentName::Typewriter26 => listed("typewriter")?
            .iter()
            .map(|word| typewriter(name, word.as_str().unwrap_or_default()))
            .collect(),
    };
    Ok(of_examples(name, examples))
}

/// The task of an environment with other questions: `examples` as LangSmith exports them (`inputs.question`, `outputs` with
/// `reference`, `expected_steps`, and where there is one a `state`), or with these keys at the top. `id` names a case where it is there.
///
/// # Errors
/// If an example has no question or no expected steps; the text names which, counted from 1.
pub fn suite_of(name: EnvironmentName, examples: &[Json]) -> Result<Suite, ExampleError> {
    let read = |(at, example): (usize, &Json)| {
        // A printed record has `input` and `output`.
        let within = |part: &str| {
            let named = |part: &str| example.get(part).and_then(Json::as_object);
            named(part).or_else(|| named(part.trim_end_matches('s')))
        };
        let find = |part: &str, key: &str| {
            within(part)
                .and_then(|within| within.get(key))
                .or_else(|| example.get(key))
                .filter(|value| !value.is_null())
        };
        let lacks = |what: &str| ExampleError::Lacks(format!("example {} has no {what}", at + 1));
        let question = find("inputs", "question")
            .and_then(Json::as_str)
            .ok_or_else(|| lacks("text under `question`"))?;
        let steps = find("outputs", "expected_steps");
        let steps = steps.filter(|steps| steps.as_array().is_some());
        let mut outputs = Object::new();
        outputs.insert("expected_steps", steps.ok_or_else(|| lacks("list under `expected_steps`"))?.clone());
        for key in ["reference", "state", "order_matters"] {
            if let Some(value) = find("outputs", key) {
                outputs.insert(key, value.clone());
            }
        }
        let id = example.get("id").and_then(Json::as_str).map(str::to_owned);
        Ok((id, Example { question: question.to_owned(), outputs }))
    };
    let read: Vec<(Option<String>, Example)> =
        examples.iter().enumerate().map(read).collect::<Result<_, ExampleError>>()?;
    let (ids, examples): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let mut known = std::collections::HashSet::new();
    if let Some(twice) = ids.iter().flatten().find(|id| !known.insert(id.as_str())) {
        return Err(ExampleError::Lacks(format!("two examples have the id `{twice}`")));
    }
    let mut suite = of_examples(name, examples);
    for (case, id) in suite.cases.iter_mut().zip(ids) {
        case.id = id.unwrap_or(std::mem::take(&mut case.id));
    }
    Ok(suite)
}

/// A question, and what LangChain Benchmarks holds a run of it against.
struct Example {
    question: String,
    outputs: Object,
}

fn of_examples(name: EnvironmentName, examples: Vec<Example>) -> Suite {
    let tools: Arc<[ToolDefinition]> = Environment::new(name).definitions().into();
    let system: Arc<str> = name.instructions().into();
    let case = |(at, Example { question, outputs }): (usize, Example)| Case {
        id: format!("{}-{:02}", name.as_str(), at + 1),
        category: None,
        system: Some(Arc::clone(&system)),
        tools: Arc::clone(&tools),
        world: World::Environment(name),
        start: vec![Entry::User(question)],
        follow_ups: Vec::new(),
        bounds: Bounds::default(),
        reference: None,
        expected: Expected::Example { example: outputs, output_evaluation: output_evaluation(name) },
    };
    let cases = examples.into_iter().enumerate().map(case).collect();
    Suite { name: format!("langchain:{}", name.as_str()), cases }
}

/// How the peer has answers graded.
fn output_evaluation(name: EnvironmentName) -> &'static str {
    match name {
        EnvironmentName::Typewriter1 | EnvironmentName::Typewriter26 => "none",
        EnvironmentName::Relational => "qa",
        EnvironmentName::Multiverse => "qa_math_without_question",
    }
}

fn listed(task: &str) -> Result<Vec<Json>, ExampleError> {
    let questions = Json::parse(QUESTIONS)?;
    let list = questions.get(task).and_then(Json::as_array);
    list.map(<[Json]>::to_vec).ok_or_else(|| ExampleError::Lacks(format!("no questions under `{task}`")))
}

fn typewriter(name: EnvironmentName, word: &str) -> Example {
    let step = |letter: char| match name {
        EnvironmentName::Typewriter26 => Json::from(letter.to_string()),
        _ => Json::from("type_letter"),
    };
    let mut outputs = Object::new();
    outputs.insert("expected_steps", Json::Array(word.chars().map(step).collect()));
    outputs.insert("state", word);
    Example { question: word.to_owned(), outputs }
}

fn multiverse(example: &Json) -> Example {
    let part = |key: &str| example.get(key).cloned().unwrap_or(Json::Null);
    let mut outputs = Object::new();
    outputs.insert("expected_steps", part("expected_steps"));
    outputs.insert("reference", part("answer"));
    Example { question: part("question").as_str().unwrap_or_default().to_owned(), outputs }
}

fn relational(example: &Json) -> Example {
    let part = |key: &str| example.get(key).cloned().unwrap_or(Json::Null);
    let chain = part("chain");
    let tool = |step: &Json| step.get("tool").cloned().unwrap_or(Json::Null);
    let mut outputs = Object::new();
    outputs.insert(
        "expected_steps",
        Json::Array(chain.as_array().unwrap_or_default().iter().map(tool).collect()),
    );
    outputs.insert("reference", part("reference"));
    outputs.insert("order_matters", part("order_matters"));
    Example { question: part("question").as_str().unwrap_or_default().to_owned(), outputs }
}

/// What is to be said of an answer in numbers without asking a model: whether its only number is the reference, both cut to four
/// decimals. `None` where the answer has no number or several.
pub fn number_agrees(answer: &str, reference: &Json) -> Option<bool> {
    let reference = match reference {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    let given = only_number(answer)?;
    let cut = |number: f64| (number * 1e4).trunc();
    // 19.8 may come as 19.799999999999997.
    let rounded = |number: f64| (number * 1e4).round();
    Some(cut(given) == cut(reference) || rounded(given) == rounded(reference))
}

/// The one number of a text.
fn only_number(text: &str) -> Option<f64> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | 'e' | 'E' | '−');
    let has_digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    let mut numbers = text.split(|c: char| !is_part(c)).filter(has_digit);
    let (first, None) = (numbers.next()?, numbers.next()) else { return None };
    let plain = first.trim_matches(|c| matches!(c, '.' | ',' | 'e' | 'E')).replace('−', "-");
    let number = match plain.contains(',') {
        // Commas between groups of three digits; any others are no number that can be read for certain.
        true if is_grouped(&plain) => plain.replace(',', ""),
        true => return None,
        false => plain,
    };
    number.parse().ok().filter(|number: &f64| number.is_finite())
}

fn is_grouped(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or_default().trim_start_matches(['-', '+']);
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&first.len())
        && digits(first)
        && groups.all(|group| group.len() == 3 && digits(group))
        && !number.split('.').skip(1).any(|rest| rest.contains(','))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Number;
    use crate::environment::Input;

    #[test]
    fn tasks_have_as_many_cases_as_the_peers() {
        let sizes = EnvironmentName::ALL.map(|name| task(name).unwrap().cases.len());
        assert_eq!(sizes, [20, 20, 24, 20]);
    }

    #[test]
    fn numbers_are_compared_without_a_model() {
        let number = |value: f64| Json::Number(Number::from_f64(value).unwrap());
        for (answer, reference, agrees) in [
            ("The result is 19.8.", 19.8, Some(true)),
            ("19.799999999999997", 19.8, Some(true)),
            ("6.2223", 6.222318693323366, Some(true)),
            ("6.2224", 6.222318693323366, Some(false)),
            ("102,518.7812", 102518.7812110542, Some(true)),
            ("1,5", 1.5, None),
            ("-4", -4.0, Some(true)),
            ("−4", -4.0, Some(true)),
            ("4", -4.0, Some(false)),
            ("1.0251878e5", 102518.78, Some(true)),
            ("2 + 3 = 6.2", 6.2, None),
            ("six", 6.0, None),
            ("", 6.0, None),
        ] {
            assert_eq!(number_agrees(answer, &number(reference)), agrees, "{answer}");
        }
    }

    /// Each of our questions has a chain of calls that leads to its answer.
    #[test]
    fn chains_lead_to_the_references() {
        for line in RELATIONAL.lines() {
            let example = Json::parse(line).unwrap();
            let reference = example.get("reference").and_then(Json::as_str).unwrap();
            let mut environment = Environment::new(EnvironmentName::Relational);
            let mut seen = Vec::new();
            for step in example.get("chain").and_then(Json::as_array).unwrap() {
                let tool = step.get("tool").and_then(Json::as_str).unwrap();
                let input = step.get("tool_input").and_then(Json::as_object).unwrap();
                let is_known = environment.definitions().iter().any(|known| known.name == tool);
                assert!(is_known, "{line}");
                let observation = environment.call(tool, Input::Fields(input)).unwrap();
                // What an earlier call returned is what a later one is about.
                for (name, value) in
                    input.iter().filter(|(name, _)| name.ends_with("_id") && !seen.is_empty())
                {
                    let told = seen.iter().any(|text: &String| text.contains(&value.to_string()));
                    assert!(
                        told || example.get("question").unwrap().to_string().contains(&value.to_string()),
                        "{name}: {line}"
                    );
                }
                seen.push(observation.to_string());
            }
            let answers: usize = example.get("answers").unwrap().to_string().parse().unwrap();
            for text in &seen[seen.len() - answers..] {
                assert!(reference.contains(text.as_str()), "{text}: {line}");
            }
            if answers == 0 {
                let last = &seen[seen.len() - 1];
                let derived = match reference {
                    "Milk and Soy" => r#"["Milk", "Soy"]"#,
                    "No, nothing." => "[]",
                    "6" => "[1, 21, 35, 41, 42, 43]",
                    "380" => "200",
                    other => panic!("{other}"),
                };
                assert_eq!(last, derived, "{line}");
            }
        }
    }

    #[test]
    fn an_export_is_read_in_both_shapes() {
        let parse = |text: &str| Json::parse(text).unwrap();
        let langsmith = parse(
            r#"{"id": "a", "inputs": {"question": "q"}, "outputs": {"reference": "r", "expected_steps": ["x"]}}"#,
        );
        let flat = parse(r#"{"question": "q", "reference": "r", "expected_steps": ["x"]}"#);
        let printed =
            parse(r#"{"input": {"question": "q"}, "output": {"reference": "r", "expected_steps": ["x"]}}"#);
        let suite = suite_of(EnvironmentName::Relational, &[langsmith, flat, printed]).unwrap();
        assert_eq!(suite.cases[2].expected, suite.cases[0].expected);
        assert_eq!([&*suite.cases[0].id, &*suite.cases[1].id], ["a", "relational-02"]);
        assert_eq!(suite.cases[0].expected, suite.cases[1].expected);
        let bad = parse(r#"{"inputs": {"question": "q"}}"#);
        let error = suite_of(EnvironmentName::Relational, &[bad]).unwrap_err().to_string();
        assert_eq!(error, "example 1 has no list under `expected_steps`");
    }
}
