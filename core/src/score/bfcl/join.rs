//! Joins a question, its accepted answer and a model's result into one record, and computes the share of valid ones.

use std::collections::BTreeMap;

use super::category::{Language, of_id};
use crate::domain::{Json, Object};
use crate::score::ScoreError;

/// Joins a line of a question file, the line of the file of possible answers with the same id (none for relevance) and the
/// line of a result file with that id.
///
/// `category` is what [`of_file`](super::of_file) says of the question file; without it the id's prefix counts. The language
/// follows from the category. `underscore_to_dot` says that the model had to write `a_b` for `a.b`.
///
/// `result` is a list of calls like `{"name": {"parameter": 1}}`; arguments may be JSON in a text, as providers send them.
/// Where one such text is no object, the whole result counts as undecoded, and so does null. A result that is a text, like
/// `[name(parameter=1)]`, is an error: decoding it is left to the caller, who puts null where it fails.
pub fn join(
    question: &Object,
    answer: Option<&Object>,
    result: &Object,
    category: Option<&str>,
    underscore_to_dot: bool,
) -> Result<Object, ScoreError> {
    let id = question.get("id").and_then(Json::as_str);
    for (what, other) in [("possible answer", answer), ("result", Some(result))] {
        if let Some(other) = other.filter(|other| other.get("id").and_then(Json::as_str) != id) {
            return Err(ScoreError::invalid(format!(
                "the {what} has the id {}, the question {}",
                other.get("id").unwrap_or(&Json::Null),
                question.get("id").unwrap_or(&Json::Null)
            )));
        }
    }
    let Some(category) = category.or_else(|| of_id(id?)) else {
        return Err(ScoreError::invalid(
            "neither the file's name nor the question's `id` tells the category",
        ));
    };
    let functions = question.get("function").or_else(|| question.get("functions"));
    let functions =
        functions.ok_or_else(|| ScoreError::invalid("the question has no definitions in `function`"))?;
    let mut record = Object::new();
    record.insert("question_id", id.map_or(Json::Null, Json::from));
    record.insert("category", category);
    record.insert("language", Language::of(category).as_str());
    record.insert("underscore_to_dot", Json::Bool(underscore_to_dot));
    record.insert("functions", functions.clone());
    record.insert("call", calls(result.get("result"))?);
    let truth = answer.and_then(|answer| answer.get("ground_truth"));
    record.insert("possible_answer", truth.cloned().unwrap_or(Json::Null));
    Ok(record)
}

fn calls(result: Option<&Json>) -> Result<Json, ScoreError> {
    match result {
        Some(Json::Array(calls)) => {
            let decoded: Option<Vec<Json>> = calls.iter().map(call).collect();
            Ok(decoded.map_or(Json::Null, Json::Array))
        }
        Some(Json::String(_)) => Err(ScoreError::invalid(
            "`result` is a text; it should be decoded to a list of calls like `{\"name\": {\"parameter\": 1}}`",
        )),
        other => Ok(other.cloned().unwrap_or(Json::Null)),
    }
}

/// `None` where arguments in a text are no object.
fn call(call: &Json) -> Option<Json> {
    let Json::Object(by_name) = call else { return Some(call.clone()) };
    let decoded = by_name.iter().map(|(name, arguments)| match arguments {
        Json::String(text) => match Json::parse(text.trim()) {
            Ok(Json::Object(arguments)) => Some((name.to_owned(), Json::Object(arguments))),
            _ => None,
        },
        other => Some((name.to_owned(), other.clone())),
    });
    decoded.collect::<Option<Object>>().map(Json::Object)
}

/// How many cases of a category are valid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accuracy {
    pub(crate) valid: usize,
    /// Cases that were scored.
    pub total: usize,
}

impl Accuracy {
    /// The share of valid cases; `None` where there are no cases.
    pub fn share(self) -> Option<f64> {
        (self.total > 0).then(|| self.valid as f64 / self.total as f64)
    }
}

/// The accuracy per category of cases that are each given as a category and whether they are valid.
pub fn accuracy<'a>(cases: impl IntoIterator<Item = (&'a str, bool)>) -> BTreeMap<&'a str, Accuracy> {
    let mut categories: BTreeMap<&str, Accuracy> = BTreeMap::new();
    for (category, valid) in cases {
        let accuracy = categories.entry(category).or_default();
        accuracy.valid += usize::from(valid);
        accuracy.total += 1;
    }
    categories
}
