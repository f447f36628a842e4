//! Reads from a table of `drive` whether episodes passed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::domain::{Json, Object};
use crate::drive::Episode;
use crate::drive::record::case_record;
use crate::read::Table;
use crate::run::RunError;

/// An episode of an agent: its suite, case and repeat.
pub(in crate::run) type EpisodeKey = (String, String, u32);

/// What is known of whether episodes passed.
pub(in crate::run) type Passes = BTreeMap<EpisodeKey, EpisodeResult>;

/// Episodes that were driven and have no score, each with a short hash of what was expected of it.
pub(in crate::run) type Unscored = BTreeMap<EpisodeKey, u64>;

/// Whether an episode passed, and a short hash of what was expected of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::run) struct EpisodeResult {
    pub passed: bool,
    pub rules: u64,
}

/// A short hash of what a scorer expected of an episode, for this process only.
pub(in crate::run) fn rules(expected: &Json) -> u64 {
    let mut hasher = DefaultHasher::new();
    expected.to_string().hash(&mut hasher);
    hasher.finish()
}

/// The same of an episode, by its `record` if it has one.
pub(in crate::run) fn rules_of(record: Option<&Object>, episode: &Episode) -> u64 {
    let of = |record: &Object| record.get("test").or(record.get("example")).map_or(0, rules);
    record.map_or_else(|| of(&case_record(episode, 0)), of)
}

/// The scored episodes of each agent, in the order of their first.
pub(in crate::run) type OfAgents = Vec<(String, Passes)>;

/// The columns without which a table does not say whose episodes passed.
const NEEDED: [&str; 5] = ["suite", "case", "repeat", "agent", "passed"];

/// The column that the table lacks, if it is none of episodes.
pub(in crate::run) fn missing(table: &Table) -> Option<&'static str> {
    NEEDED.into_iter().find(|name| table.schema().position(name).is_none())
}

/// The scored episodes of `table`, which has the columns. `wrong` makes an error of what is wrong with it.
///
/// # Errors
/// If it cannot be read, or an episode stands in it twice.
pub(in crate::run) fn read(table: &Table, wrong: &dyn Fn(String) -> RunError) -> Result<OfAgents, RunError> {
    let expected = ["test", "example"].into_iter().find(|name| table.schema().position(name).is_some());
    let mut found = OfAgents::new();
    let mut before = 0;
    for batch in table.batches(None) {
        let batch = batch?;
        let columns = NEEDED.iter().map(|name| batch.column(name)).collect::<Result<Vec<_>, _>>()?;
        let expected = expected.map(|name| batch.column(name)).transpose()?;
        for row in 0..batch.len() {
            let rules = match expected.as_ref().and_then(|column| column[row].clone()) {
                Some(Json::String(text)) => Json::parse(&text).map_or(0, |expected| rules(&expected)),
                Some(expected) => rules(&expected),
                None => 0,
            };
            let number = before + row + 1;
            let cells: Vec<Json> =
                columns.iter().map(|column| column[row].clone().unwrap_or(Json::Null)).collect();
            let text = |column: usize| match &cells[column] {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            let passed = match text(4).to_lowercase().as_str() {
                "true" | "1" | "1.0" => Some(true),
                "false" | "0" | "0.0" => Some(false),
                "null" | "" | "none" | "nan" => None,
                other => {
                    let why =
                        format!("row {number}: `{other}` in the column `passed` is neither true nor false");
                    return Err(wrong(why));
                }
            };
            // A run that was killed may leave the beginning of a line.
            let no_repeat = || match &cells[2] {
                Json::Null => format!(
                    "row {number} has no `repeat`: is its line cut off? Take the row out, or write the file again with drive -o"
                ),
                other => format!("row {number}: `{other}` in the column `repeat` is no number of a repeat"),
            };
            let repeat = text(2).parse().map_err(|_| wrong(no_repeat()))?;
            let agent = text(3);
            // One without any score is an agent, too.
            let at = found.iter().position(|(known, _)| *known == agent).unwrap_or_else(|| {
                found.push((agent, Passes::new()));
                found.len() - 1
            });
            let Some(passed) = passed else { continue };
            let key = (text(0), text(1), repeat);
            if found[at].1.insert(key, EpisodeResult { passed, rules }).is_some() {
                return Err(wrong(format!("it has two rows of the case `{}`, repeat {repeat}", text(1))));
            }
        }
        before += batch.len();
    }
    Ok(found)
}
