//! What a benchmark measured about the judges of a run.

use std::path::Path;

use serde_json::Value;

use super::Panel;
use crate::bench::calibration::{Calibrated, CalibrationFile};
use crate::report::plain;
use crate::run::Observer;
use crate::run::settings::SettingsError;

/// What must be the same for errors to be the same, in the records of a benchmark and of this run.
const SAME: [(&str, &str); 12] = [
    ("/first", "with another judge in front of it, or none (--first)"),
    ("/judge/model", "as another model"),
    ("/judge/endpoint", "at another endpoint"),
    ("/judge/parameters", "with other parameters"),
    ("/judge/parameters/model", "with another model file"),
    ("/template/hash", "in another wording"),
    ("/template/explain", "in another wording (--explain)"),
    ("/template/rails", "with other labels (--rails)"),
    ("/template/snap", "with replies read by other rules (--snap)"),
    ("/votes", "with another number of votes"),
    ("/per", "with turns where this run judges calls, or the other way round (--per)"),
    ("/template/findings", "with or without a list of findings, unlike this run (--findings)"),
];

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The benchmark's part on each member of `panel`.
///
/// # Errors
/// When `file` is no benchmark's record, or says nothing of some member.
pub(in crate::run) fn calibrated(
    file: &Path,
    panel: &Panel,
    observer: &dyn Observer,
) -> Result<Vec<Calibrated>, SettingsError> {
    let unfit = |why: String| SettingsError::Calibration { path: file.to_owned(), why };
    let text = std::fs::read_to_string(file).map_err(|why| unfit(why.to_string()))?;
    let record = CalibrationFile::parse(&text).map_err(|why| unfit(why.to_string()))?;
    let mut calibrated = Vec::new();
    for member in &panel.members {
        let Some(found) = record.find(&member.name(), &member.criterion) else {
            let there = record.contenders.iter().filter(|contender| !contender.baseline);
            let there: Vec<String> = there
                .map(|contender| plain(&format!("{} ({})", contender.judge, contender.template)))
                .collect();
            return Err(SettingsError::NotBenchmarked {
                path: file.to_owned(),
                judge: member.name(),
                template: member.criterion.clone(),
                there: there.join(", "),
            });
        };
        let now = serde_json::json!(member.record());
        let differ = |pointer: &str| {
            let (then, now) = (found.record.pointer(pointer), now.pointer(pointer));
            then.unwrap_or(&Value::Null) != now.unwrap_or(&Value::Null)
        };
        let mut others: Vec<String> =
            SAME.iter().filter(|(pointer, _)| differ(pointer)).map(|(_, what)| (*what).to_owned()).collect();
        // What the built-in judge finds changes with the program alone.
        if (member.judge_task().is_none() || member.first().is_some())
            && record.version.as_deref() != Some(VERSION)
        {
            let then = record.version.as_deref().unwrap_or("another version");
            others.push(format!("by tooljudge {}, and this is {VERSION}", plain(then)));
        }
        for what in others {
            observer.warning(&format!(
                "{} ({}) was benchmarked {what}: its error rates may have changed",
                member.name(),
                member.criterion
            ));
        }
        calibrated.push(found.clone());
    }
    Ok(calibrated)
}
