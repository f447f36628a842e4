//! The file of the shipped judge: one JSON object per line, so that a run reads only what it needs.
//!
//! The first line holds the format and the names of the features; the second the gate; then come the tasks.

use serde_json::{Value, json};

use super::{Experts, place};
use crate::check::features;
use crate::domain::CallTask;
use crate::learn::{Calibration, DamagedText, Forest};

/// The version of the format.
const VERSION: u64 = 1;

/// Why the file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum DamagedModel {
    #[error("line {line}: {why}")]
    Line { line: usize, why: String },
    #[error("it was fitted to other features; fit it again (tests/builtin_model.rs)")]
    OtherFeatures,
}

fn line(file: &str, at: usize) -> Result<Value, DamagedModel> {
    let damaged = |why: String| DamagedModel::Line { line: at + 1, why };
    let text = file.lines().nth(at).ok_or_else(|| damaged("missing".to_owned()))?;
    serde_json::from_str(text).map_err(|error| damaged(error.to_string()))
}

fn part<T>(
    value: &Value,
    key: &str,
    at: usize,
    read: fn(&Value) -> Result<T, DamagedText>,
) -> Result<T, DamagedModel> {
    read(value.get(key).unwrap_or(&Value::Null))
        .map_err(|why| DamagedModel::Line { line: at + 1, why: format!("{key}: {why}") })
}

/// The gate; checks that the features are those of this crate.
pub(super) fn gate(file: &str) -> Result<Forest, DamagedModel> {
    let head = line(file, 0)?;
    if head["tooljudge_builtin"] != json!(VERSION) || head["features"] != json!(features::names()) {
        return Err(DamagedModel::OtherFeatures);
    }
    sized(part(&line(file, 1)?, "gate", 1, Forest::from_json)?, 1)
}

/// The experts of a task.
pub(super) fn experts(file: &str, task: CallTask) -> Result<Experts, DamagedModel> {
    let at = place(task) + 2;
    let own = line(file, at)?;
    Ok(Experts {
        near: sized(part(&own, "near", at, Forest::from_json)?, at)?,
        wide: sized(part(&own, "wide", at, Forest::from_json)?, at)?,
        near_odds: part(&own, "near_odds", at, Calibration::from_json)?,
        wide_odds: part(&own, "wide_odds", at, Calibration::from_json)?,
    })
}

fn sized(forest: Forest, at: usize) -> Result<Forest, DamagedModel> {
    match forest.columns() == features::COLUMNS {
        true => Ok(forest),
        false => Err(DamagedModel::Line {
            line: at + 1,
            why: format!("a forest of {} features", forest.columns()),
        }),
    }
}

/// The file.
pub(super) fn write(gate: &Forest, tasks: &[Experts; 3]) -> String {
    let mut lines = vec![
        json!({"tooljudge_builtin": VERSION, "features": features::names()}),
        json!({"gate": gate.to_json()}),
    ];
    lines.extend(tasks.iter().map(|own| {
        json!({
            "near": own.near.to_json(), "wide": own.wide.to_json(),
            "near_odds": own.near_odds.to_json(), "wide_odds": own.wide_odds.to_json(),
        })
    }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}
