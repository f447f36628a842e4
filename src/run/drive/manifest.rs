//! What is recorded of a run of agents, in the store and beside its outputs.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::plan::DrivePlan;
use super::summary::{AgentSummary, DriveSummary};
use crate::run::RunError;
use crate::run::settings::AgentKind;
use crate::write::{self, Finished};

impl DrivePlan {
    /// What is known of the run before anybody was asked.
    pub(super) fn record(&self) -> Value {
        let agents: Vec<Value> = self
            .agents
            .iter()
            .zip(&self.settings.agents)
            .map(|(agent, settings)| {
                let model = agent.model().map(|model| {
                    json!({
                        "endpoint": model.identity().endpoint,
                        "model": model.identity().model,
                        "parameters": model.parameters().to_record(),
                        "adaptations": model.adaptations().iter().map(|adaptation| adaptation.as_str()).collect::<Vec<_>>(),
                    })
                });
                let script = match &settings.kind {
                    AgentKind::Script(path) => Some(path.display().to_string()),
                    AgentKind::Model(_) | AgentKind::Own(_) => None,
                };
                let own = agent.own().map(|own| &own.identity);
                json!({ "name": agent.name, "model": model, "script": script, "own": own })
            })
            .collect();
        json!({
            "run": self.run,
            "version": env!("CARGO_PKG_VERSION"),
            "command": "drive",
            "suites": self.suites.iter().map(|(name, cases)| json!({ "name": name, "cases": cases })).collect::<Vec<_>>(),
            "repeats": self.repeats(),
            "compat": self.settings.follows.peer(),
            "experiment": self.settings.experiment,
            "tags": self.settings.tags,
            "agent_version": self.version.to_json(),
            "agents": agents,
            "store": self.store.as_ref().map(|store| store.place().to_string()),
        })
    }

    /// Records the run in the store and beside its outputs. One that is not whole can go on.
    pub(super) async fn keep(
        &self,
        summary: &DriveSummary,
        (episodes, turns): (Option<Finished>, Option<Finished>),
        is_whole: bool,
    ) -> Result<(), RunError> {
        let mut record = self.record();
        record["finished_at"] = json!(Timestamp::now().to_string());
        record["scorer"] = json!(summary.scorer);
        record["summary"] = json!(summary.agents.iter().map(AgentSummary::to_json).collect::<Vec<_>>());
        if let Some(store) = &self.store {
            store.manifest(record.to_string(), is_whole).await?;
        }
        for (output, finished) in [(&self.output, episodes), (&self.turns, turns)] {
            if let (Some(output), Some(finished)) =
                (output.as_ref().filter(|output| output.has_manifest()), finished)
            {
                let path = &output.path;
                record["output"] = json!({ "path": path.display().to_string(), "rows": finished.rows, "bytes": finished.bytes });
                write::write_manifest(path, &record)?;
            }
        }
        Ok(())
    }
}
