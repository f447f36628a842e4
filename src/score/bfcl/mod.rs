//! The function-calling benchmark's check of calls against accepted values (`bfcl_ast`).

mod answer;
mod call;
mod case;
mod category;
mod equality;
mod failure;
mod java;
mod javascript;
mod join;
mod literal;
mod matching;
mod options;
mod python;
mod rules;
mod standard;
mod types;
mod value;
mod values;
mod verdict;

pub use case::{Call, Calls, Case, Expected, Function};
pub use category::{Assignment, Language, of_file, of_id};
pub use failure::{Detail, ErrorType, Exception, Failure, Place};
pub use join::{Accuracy, accuracy, join};
pub use options::Options;
pub use rules::Rules;
pub use value::{Kind, Value};
pub use verdict::{Verdict, judge};

use crate::domain::{Arguments, Json, Object, ToolCall};
use crate::score::{Score, ScoreError, Scored, Scorer};

/// The line in the table of scorers.
pub const SCORER: Scorer = Scorer { name: "bfcl_ast", peers: &["bfcl"], matches, case, ready };

fn matches(record: &Object) -> bool {
    ["functions", "call", "possible_answer", "category"].iter().all(|key| record.contains_key(key))
}

/// The expected calls' arguments are the only accepted ones; a row's own `category` counts, else how many calls are expected.
fn case(called: &[ToolCall], expected: &[ToolCall], row: &Object) -> Object {
    let by_name = |call: &ToolCall, arguments: Json| {
        Json::Object([(call.name.clone(), arguments)].into_iter().collect())
    };
    let made = |call: &ToolCall| match &call.arguments {
        Arguments::Parsed(arguments) => by_name(call, Json::Object(arguments.clone())),
        Arguments::Malformed(text) => by_name(call, Json::from(text.as_str())),
    };
    let accepted = |call: &ToolCall| {
        let arguments = call.parsed().into_iter().flat_map(Object::iter);
        let only = arguments.map(|(key, value)| (key.to_owned(), Json::Array(vec![value.clone()])));
        by_name(call, Json::Object(only.collect()))
    };
    let category = match expected.len() {
        0 => "irrelevance",
        1 => "multiple",
        _ => "parallel_multiple",
    };
    let category = row.get("category").cloned().unwrap_or_else(|| Json::from(category));
    let functions = row.get("functions").or_else(|| row.get("tool_definitions")).cloned();
    super::own_case(
        row,
        [
            ("category", category),
            ("functions", functions.unwrap_or_else(|| Json::Array(Vec::new()))),
            ("call", Json::Array(called.iter().map(made).collect())),
            ("possible_answer", Json::Array(expected.iter().map(accepted).collect())),
        ],
    )
}

fn ready(settings: &Object, peer: Option<&str>) -> Result<Box<dyn Score>, String> {
    let rules = match peer {
        None => Rules::Own,
        Some("bfcl") => Rules::Peer,
        Some(other) => return Err(format!("unknown peer `{other}`; there is `bfcl`")),
    };
    Ok(Box::new(Checker { options: Options::read(settings)?, rules }))
}

struct Checker {
    options: Options,
    rules: Rules,
}

impl Score for Checker {
    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let case = Case::read(record, &self.options)?;
        Ok(judge(&case, self.rules).scored())
    }
}
