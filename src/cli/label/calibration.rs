//! `--calibration`: what a benchmark found out about the judges of this run.

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::bench::calibration::{Calibrated, CalibrationFile};
use crate::cli::judging::Panel;
use crate::cli::printer::Printer;
use crate::report;

/// What must be the same for errors to be the same, in the records of a benchmark and of this run.
const SAME: [(&str, &str); 8] = [
    ("/judge/model", "as another model"),
    ("/judge/endpoint", "at another endpoint"),
    ("/judge/parameters", "with other parameters"),
    ("/template/hash", "in another wording"),
    ("/template/explain", "in another wording (--explain)"),
    ("/template/rails", "with other labels (--rails)"),
    ("/template/snap", "with replies read by other rules (--snap)"),
    ("/votes", "with another number of votes"),
];

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The benchmark's part on each member of `panel`.
///
/// # Errors
/// When `file` is no benchmark's record, or says nothing of some member.
pub fn read(file: &Path, panel: &Panel, printer: Printer) -> anyhow::Result<Vec<Calibrated>> {
    let about = || format!("--calibration {}", file.display());
    let text = std::fs::read_to_string(file).with_context(about)?;
    let record = CalibrationFile::parse(&text).map_err(anyhow::Error::msg).with_context(about)?;
    let mut calibrated = Vec::new();
    for member in &panel.members {
        let Some(found) = record.find(&member.judge, &member.criterion) else {
            let there = record.entrants.iter().filter(|entrant| !entrant.baseline);
            let there: Vec<String> = there
                .map(|entrant| report::plain(&format!("{} ({})", entrant.judge, entrant.template)))
                .collect();
            bail!(
                "{}: {} ({}) was not benchmarked there, only {}; run `tooljudge bench --judge {} --report FILE.json` on rows with gold",
                about(),
                member.judge,
                member.criterion,
                there.join(", "),
                member.judge
            );
        };
        let now = serde_json::to_value(member.record())?;
        let differ = |pointer: &str| {
            let (then, now) = (found.record.pointer(pointer), now.pointer(pointer));
            then.unwrap_or(&Value::Null) != now.unwrap_or(&Value::Null)
        };
        // The built-in judge's one parameter, its base rate, moves confidences and no label.
        let matters = |pointer: &str| member.seat().is_some() || pointer != "/judge/parameters";
        let differs = |(pointer, _): &&(&str, &str)| matters(pointer) && differ(pointer);
        let mut others: Vec<String> =
            SAME.iter().filter(differs).map(|(_, what)| (*what).to_owned()).collect();
        // What the built-in judge finds changes with the program alone.
        if member.seat().is_none() && record.version.as_deref() != Some(VERSION) {
            let then = record.version.as_deref().unwrap_or("another version");
            others.push(format!("by tooljudge {}, and this is {VERSION}", report::plain(then)));
        }
        for what in others {
            printer.warn(&format!(
                "{} ({}) was benchmarked {what}: its errors may be others now",
                member.judge, member.criterion
            ));
        }
        calibrated.push(found.clone());
    }
    Ok(calibrated)
}
