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

use crate::domain::Object;
use crate::score::{Score, ScoreError, Scored, Scorer};

/// The line in the table of scorers.
pub const SCORER: Scorer = Scorer { name: "bfcl_ast", peers: &["bfcl"], matches, ready };

fn matches(record: &Object) -> bool {
    ["functions", "call", "possible_answer", "category"].iter().all(|key| record.contains_key(key))
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
