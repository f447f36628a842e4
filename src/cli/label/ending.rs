//! The end of a run: manifest, summary, gate.

use jiff::Timestamp;
use serde_json::Value;

use super::Labelling;
use super::summary_table::{self, Circumstances};
use crate::cli::Ending;
use crate::run::Summary;
use crate::write::{self, Finished};

impl Labelling {
    /// The record of the finished run, for the store and for beside its output.
    pub(super) fn finished_manifest(&self, summary: &Summary, written: Finished) -> Value {
        let output = self.destination.output.path.display().to_string();
        self.manifest.finished(&Timestamp::now().to_string(), &output, summary, written)
    }

    /// Records the run beside its output, shows what came of it, and tells whether enough rows have a label.
    pub(super) fn conclude(&self, summary: &Summary, manifest: &Value) -> anyhow::Result<Ending> {
        let output = &self.destination.output.path;
        if !write::is_stream(output) {
            write::write_manifest(output, manifest)?;
        }
        let shown = if self.json { format!("{manifest:#}") } else { self.table(summary) };
        if write::is_stdout(output) {
            self.printer.talk(&shown);
        } else if self.json || !self.printer.quiet {
            self.printer.data(&shown);
        }
        if summary.rows == 0 {
            self.printer.warn("the input has no rows, or none that --where and --limit leave");
        }
        let unjudged = summary.unjudged();
        if unjudged as f64 > self.allow_unjudged * summary.rows as f64 {
            self.printer.warn(&format!(
                "{unjudged} of {} rows have no label: see the columns status and error; --allow-unjudged SHARE accepts \
                 them",
                summary.rows
            ));
            return Ok(Ending::GateFailed);
        }
        Ok(Ending::Done)
    }

    fn table(&self, summary: &Summary) -> String {
        let template = self.manifest.template.as_ref().map(|template| template.name.as_str());
        summary_table::render(
            summary,
            &Circumstances {
                judge: &self.manifest.judge.name,
                criterion: template.or(self.manifest.task).unwrap_or_default(),
                elapsed: self.began.elapsed(),
                output: &self.destination.output.path.display().to_string(),
            },
        )
    }
}
