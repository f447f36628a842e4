//! The end of a run: manifest, summary, gate.

use jiff::Timestamp;
use serde_json::Value;

use super::Labelling;
use super::summary_table::{self, Line, Run};
use crate::cli::Ending;
use crate::domain::Status;
use crate::report::counted;
use crate::run::Summary;
use crate::write::{self, Finished};

impl Labelling {
    /// The record of the finished run, for the store and for beside its output.
    pub(super) fn finished_manifest(&self, summaries: &[Summary], written: Finished) -> Value {
        let output = self.plan.destination.output.path.display().to_string();
        self.plan.manifest.finished(&Timestamp::now().to_string(), Some(&output), summaries, written)
    }

    /// Records the run beside its output, shows what came of it, and tells whether enough rows have a label.
    pub(super) fn conclude(&self, summaries: &[Summary], manifest: &Value) -> anyhow::Result<Ending> {
        let output = &self.plan.destination.output.path;
        if !write::is_stream(output) {
            write::write_manifest(output, manifest)?;
        }
        let shown = if self.json { format!("{manifest:#}") } else { self.table(summaries) };
        if write::is_stdout(output) {
            self.printer.talk(&shown);
        } else if self.json || !self.printer.quiet {
            self.printer.data(&shown);
        }
        if summaries.first().is_some_and(|summary| summary.rows == 0) {
            self.printer.warn("the input has no rows, or none that --where and --limit leave");
        }
        if let Some((code, rows)) = summaries.first().and_then(mostly_unreadable) {
            let formats: Vec<&str> = self
                .plan
                .source
                .table
                .logs()
                .unwrap_or_default()
                .iter()
                .flat_map(|log| log.formats.keys())
                .map(|(name, _)| *name)
                .collect();
            let taken = if formats.is_empty() { "tables".to_owned() } else { formats.join(" and ") };
            self.printer.warn(&format!(
                "{} cannot be read for one reason, {code}; the inputs were taken for {taken}: if they are something \
                 else, say so with --from; `tooljudge convert --summary` shows what was understood",
                counted(rows, "row")
            ));
        }
        for warning in self.strange_golds(summaries) {
            self.printer.warn(&warning);
        }
        for warning in summaries.iter().flat_map(|summary| &summary.rate).flat_map(|rate| &rate.warnings) {
            self.printer.warn(warning);
        }
        let left_out = |summary: &Summary| summary.statuses.get(&Status::SkippedBudget).copied().unwrap_or(0);
        let left_out: u64 = summaries.iter().map(left_out).sum();
        if left_out > 0 {
            self.printer.warn(&format!(
                "the ceiling of --max-cost was reached: {} {} left out; run the same command again to spend as much once more",
                counted(left_out, "question"),
                if left_out == 1 { "was" } else { "were" }
            ));
        }
        for (summary, member) in summaries.iter().zip(&self.plan.panel.members) {
            let cut = summary.statuses.get(&Status::Truncated).copied().unwrap_or(0);
            let capped = member.seat().is_some_and(|seat| seat.judge.parameters().is_capped());
            if cut > 0 && capped {
                self.printer.warn(&format!(
                    "{cut} answers from {} were cut off at the limit that a server of one's own has unless told otherwise; give a higher \
                     one with --max-tokens N, and ask again with --retry truncated",
                    member.judge
                ));
            }
        }
        let mut ending = Ending::Done;
        for (summary, member) in summaries.iter().zip(&self.plan.panel.members) {
            let unjudged = summary.unjudged();
            if unjudged as f64 <= self.allow_unjudged * summary.rows as f64 {
                continue;
            }
            ending = Ending::GateFailed;
            let whose = match summaries.len() {
                1 => String::new(),
                _ => format!(" from {} ({})", member.judge, member.criterion),
            };
            self.printer.warn(&format!(
                "{unjudged} of {} {have} no label{whose}: see the columns {prefix}status and {prefix}error; \
                 --allow-unjudged SHARE accepts them",
                counted(summary.rows, "row"),
                have = if summary.rows == 1 { "has" } else { "have" },
                prefix = member.prefix,
            ));
        }
        Ok(ending)
    }

    /// What stands in columns of gold and is not a label, once where judges share a column.
    fn strange_golds(&self, summaries: &[Summary]) -> Vec<String> {
        let mut warnings: Vec<String> = Vec::new();
        for (summary, member) in summaries.iter().zip(&self.plan.panel.members) {
            let warning = summary.gold.as_ref().and_then(|gold| gold.strange.warning(&member.words()));
            warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
        }
        warnings
    }

    fn table(&self, summaries: &[Summary]) -> String {
        let lines: Vec<Line<'_>> = self
            .plan
            .panel
            .members
            .iter()
            .zip(summaries)
            .map(|(member, summary)| Line { judge: &member.judge, criterion: &member.criterion, summary })
            .collect();
        let output = match &self.plan.destination.output.path {
            path if write::is_stdout(path) => "to the standard output".to_owned(),
            path => path.display().to_string(),
        };
        summary_table::render(&lines, &Run { elapsed: self.began.elapsed(), output: &output })
    }
}

/// The code that more than half of the rows cannot be read for, and how many.
fn mostly_unreadable(summary: &Summary) -> Option<(&str, u64)> {
    let codes = summary.errors.get(&Status::InvalidRow)?;
    let (code, rows) = codes.iter().max_by_key(|(_, rows)| **rows)?;
    (rows * 2 > summary.rows).then_some((code, *rows))
}
