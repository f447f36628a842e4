//! Which earlier replies a run of agents may use.
//!
//! Another program may be behind an address than yesterday, and no request would show it. So replies are reused only if the user
//! names the same version, or if a run of the same agents through the same suites was stopped.

use serde_json::{Value, json};

use super::DriveError;
use super::agent::Agent;
use crate::run::RunError;
use crate::run::settings::DriveSettings;
use crate::store::{Reader, StoppedRun, Store};

/// Which replies are the agents' own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    /// Part of what identifies a reply.
    pub name: String,
    /// What two runs have in common of which one may go on where the other was stopped.
    key: String,
    /// The same, and which of the cases they drive.
    selected: String,
    /// When that was begun with which this run goes on.
    pub resumes: Option<String>,
}

impl Version {
    /// The version that is given or that the files of the agent's code have, or else that of the run that this one goes on with, or else one that no other run has.
    pub(super) fn find(
        settings: &DriveSettings,
        (agents, suites): (&[Agent], &[(String, usize)]),
        store: Option<&Store>,
        run: &str,
    ) -> Result<Version, RunError> {
        let key = key(agents, suites);
        let selected = json!([key, settings.cases, settings.categories, settings.limit]).to_string();
        let given = settings.agent_version.as_ref().map(|given| format!("version {given}"));
        let files = if settings.agent_files.is_empty() { None } else { Some(files(&settings.agent_files)?) };
        if settings.has_version() {
            let name = given.into_iter().chain(files).collect::<Vec<_>>().join(" ");
            return Ok(Version { name, key, selected, resumes: None });
        }
        let stopped = match store.filter(|_| !settings.store.fresh) {
            Some(store) => {
                let reader = store.reader()?;
                // A run of some of the cases that came to its end has not ended one of all of them. Of some of the cases, a wider run
                // that ended since may have.
                let is_whole =
                    settings.cases.is_empty() && settings.categories.is_empty() && settings.limit.is_none();
                match stopped(&reader, "key", &key)? {
                    None if is_whole => stopped(&reader, "selected", &selected)?,
                    last => last,
                }
            }
            None => None,
        };
        let (name, resumes) = match stopped {
            Some((name, since)) => (name, Some(since)),
            None => (format!("run {run}"), None),
        };
        Ok(Version { name, key, selected, resumes })
    }

    /// What names the agents' code, where the user says.
    pub(super) fn given(&self) -> Option<&str> {
        (!self.name.starts_with("run ")).then_some(self.name.as_str())
    }

    /// For the run's record, where the next run finds it.
    pub(super) fn to_json(&self) -> Value {
        json!({ "name": self.name, "key": self.key, "selected": self.selected })
    }
}

/// A hash of all files that match, their names included.
fn files(patterns: &[String]) -> Result<String, DriveError> {
    let mut hasher = blake3::Hasher::new();
    for pattern in patterns {
        let wrong = |why: String| DriveError::AgentFiles { pattern: pattern.clone(), why };
        let mut some = false;
        // At its end, `**` alone would match folders only.
        let is_folder = pattern == "**" || pattern.ends_with("/**");
        let whole = if is_folder { format!("{pattern}/*") } else { pattern.clone() };
        // In the order of their names.
        for path in glob::glob(&whole).map_err(|why| wrong(why.to_string()))? {
            let path = path.map_err(|why| wrong(why.to_string()))?;
            if !path.is_file() {
                continue;
            }
            let text = std::fs::read(&path).map_err(|why| wrong(format!("{}: {why}", path.display())))?;
            for part in [path.display().to_string().as_bytes(), &text] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
            some = true;
        }
        if !some {
            return Err(wrong(
                "no file matches; quote the pattern, so that the shell leaves it as it is".to_owned(),
            ));
        }
    }
    Ok(format!("files {}", hasher.finalize().to_hex()))
}

/// The version of the last run that has this value, if it was stopped, and when it was begun.
fn stopped(reader: &Reader, key: &str, value: &str) -> Result<Option<(String, String)>, RunError> {
    let Some(StoppedRun { run, manifest, started_at }) =
        reader.stopped_run(&["agent_version", key], value)?
    else {
        return Ok(None);
    };
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    let Some(name) = manifest["agent_version"]["name"].as_str() else { return Ok(None) };
    // Replies of a version that was named count only for those who name it.
    let Some(begun) = name.strip_prefix("run ") else { return Ok(None) };
    // Where nothing came there is nothing to go on with.
    for run in [run.as_str(), begun] {
        if reader.holds_replies_of(run)? {
            return Ok(Some((name.to_owned(), started_at)));
        }
    }
    Ok(None)
}

/// The agents and the suites; how often cases are driven, and which of them, may differ.
fn key(agents: &[Agent], suites: &[(String, usize)]) -> String {
    let models = agents.iter().filter_map(|agent| Some((&agent.name, agent.model()?.identity())));
    let models: Vec<Value> =
        models.map(|(name, identity)| json!([name, identity.stored_endpoint(), identity.model])).collect();
    let suites: Vec<&String> = suites.iter().map(|(name, _)| name).collect();
    json!([models, suites]).to_string()
}
