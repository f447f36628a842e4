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
        let output = self.destination.path.display().to_string();
        self.manifest.finished(&Timestamp::now().to_string(), &output, summary, written)
    }

    /// Records the run beside its output, shows what came of it, and tells whether enough rows have a label.
    pub(super) fn conclude(&self, summary: &Summary, manifest: &Value) -> anyhow::Result<Ending> {
        write::write_manifest(&self.destination.path, manifest)?;
        if self.json {
            self.printer.data(&format!("{manifest:#}"));
        } else if !self.printer.quiet {
            self.printer.data(&self.table(summary));
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
                output: &self.destination.path.display().to_string(),
            },
        )
    }
}
