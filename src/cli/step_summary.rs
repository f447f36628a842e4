//! Appends to GitHub's job summary, the file that a variable names.

use std::path::PathBuf;

use super::host::Host;
use super::printer::Printer;
use crate::report::{StepSummary, StepTable, counted, step_summary};
use crate::write;

const VARIABLE: &str = "GITHUB_STEP_SUMMARY";
/// How many of the cases that fail a summary lists.
pub const FAILURES: usize = 10;

/// Where a summary goes.
#[derive(Debug, Clone)]
pub struct StepSummaryFile(PathBuf);

impl StepSummaryFile {
    /// The file that the environment names, if it does.
    pub fn of(host: &Host) -> Option<StepSummaryFile> {
        host.variable(VARIABLE).map(|path| StepSummaryFile(path.into()))
    }

    /// Appends a summary. What cannot be shown on a page fails no build.
    pub fn append(&self, summary: &StepSummary, printer: Printer<'_>) {
        if let Err(error) = write::append_text(&self.0, &step_summary(summary)) {
            printer.warn(&format!("no summary for {VARIABLE}: {error}"));
        }
    }
}

/// A table of these counts, the largest first.
pub fn counts<N: Into<String>>(header: [&str; 2], counts: impl IntoIterator<Item = (N, u64)>) -> StepTable {
    let mut counts: Vec<(String, u64)> =
        counts.into_iter().map(|(name, count)| (name.into(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    StepTable {
        header: header.map(str::to_owned).into(),
        lines: counts.into_iter().map(|(name, count)| vec![name, count.to_string()]).collect(),
        note: None,
    }
}

/// A table of the first of `all` rows or cases that fail, each with its reason.
pub fn failing<'a>(thing: &str, all: u64, first: impl Iterator<Item = (&'a str, &'a str)>) -> StepTable {
    let lines: Vec<Vec<String>> =
        first.take(FAILURES).map(|(name, why)| vec![name.to_owned(), why.to_owned()]).collect();
    let note = match lines.len() as u64 {
        shown if shown < all => format!("The first {shown} of {} that fail", counted(all, thing)),
        _ => format!("{} that {}", counted(all, thing), if all == 1 { "fails" } else { "fail" }),
    };
    StepTable { header: vec![thing.to_owned(), "why".to_owned()], lines, note: Some(format!("{note}:")) }
}
