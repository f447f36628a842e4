//! The job: files of results in, the runs of each agent and what changed out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::TrendError;
use super::record::record;
use super::rows::{batch, schema};
use crate::domain::did_you_mean;
use crate::drive::history::{self, AgentTrend, NoTrend, RunRecord, trends};
use crate::report;
use crate::run::outputs::check_places;
use crate::run::settings::TrendSettings;
use crate::run::{Observer, RunError};
use crate::table::Format;
use crate::write::{self, Output, Sink};

/// What the runs came to.
#[derive(Debug)]
pub struct TrendSummary {
    /// Agent by agent, in the order of their first run.
    pub agents: Vec<AgentTrend>,
    /// All of it, as its JSON report holds it.
    pub record: Value,
    /// Where the table was written.
    pub output: Option<PathBuf>,
}

impl TrendSummary {
    /// The runs in words, on lines of at most `width` columns, from 60 up.
    pub fn to_text_within(&self, width: usize) -> String {
        report::trend(&self.agents, width)
    }
}

/// Shows how the results of agents change from run to run: the share that passes with its interval, and how the last run differs from
/// those before it.
///
/// # Errors
/// If a file cannot be read or holds something else (its line is named), or no run is the baseline.
///
/// ```
/// use tooljudge::run::settings::{AgentSettings, DriveSettings, DriveSource, TrendSettings};
/// use tooljudge::run::{Silent, drive_blocking, trend};
///
/// # let folder = tempfile::tempdir()?;
/// let history = folder.path().join("history.jsonl");
/// for _ in 0..2 {
///     let suite = DriveSource::Suites(vec!["datasets/weather.toml".into()]);
///     let agent = AgentSettings::script("datasets/weather_script.jsonl");
///     let settings = DriveSettings::new(suite, vec![agent]);
///     drive_blocking(DriveSettings { history: Some(history.clone()), ..settings })?;
/// }
/// let summary = trend(TrendSettings::new([history]), &Silent)?;
/// assert_eq!((summary.agents[0].runs.len(), summary.agents[0].changes.len()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn trend(settings: TrendSettings, observer: &dyn Observer) -> Result<TrendSummary, RunError> {
    let files: Vec<&Path> = settings.files.iter().map(PathBuf::as_path).collect();
    let output = output(&settings, &files)?;
    let mut records = Vec::new();
    for path in &files {
        records.push(read(path, observer)?);
    }
    if let Some(first) = files.first().filter(|_| records.iter().all(Vec::is_empty)) {
        return Err(TrendError::Empty((*first).to_owned()).into());
    }
    for (path, _) in files.iter().zip(&records).filter(|(_, records)| records.is_empty()) {
        observer.warning(&format!("{} holds no run", path.display()));
    }
    if files.len() > 1 {
        tell_clocks(&files, &records, observer);
    }
    choose(&mut records, &settings)?;
    let agents = trends(records, settings.baseline.as_deref()).map_err(|why| match why {
        NoTrend::NoBaseline(..) | NoTrend::Ambiguous { .. } => TrendError::Baseline(why.to_string()),
        NoTrend::Contradiction { .. } => why.into(),
    })?;
    if settings.baseline.is_some() {
        check_baseline(&agents, observer)?;
    }
    if let Some(output) = &output {
        let mut sink = Sink::open(output, &schema())?;
        sink.write(batch(&agents))?;
        sink.finish()?;
    }
    let record = record(&agents, &settings);
    let summary = TrendSummary { agents, record, output: output.map(|output| output.path.clone()) };
    for path in &settings.reports {
        let text = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => format!("{:#}\n", summary.record),
            Some("html") => report::trend_page(&summary.agents),
            _ => format!(
                "<!-- tooljudge trend -->\n\n```text\n{}\n```\n",
                summary.to_text_within(report::USUAL_WIDTH)
            ),
        };
        write::write_text(path, &text)?;
    }
    Ok(summary)
}

fn output(settings: &TrendSettings, files: &[&Path]) -> Result<Option<Output>, RunError> {
    check_places(files, settings.output.path.iter().chain(&settings.reports))?;
    for path in &settings.reports {
        if !matches!(path.extension().and_then(|ending| ending.to_str()), Some("md" | "json" | "html")) {
            return Err(TrendError::ReportEnding(path.clone()).into());
        }
        write::check_text(path, settings.output.force)?;
    }
    let Some(path) = settings.output.path.clone() else { return Ok(None) };
    let output =
        Output::new(path, settings.output.format, Format::Jsonl)?.with_formulas(settings.output.formulas);
    output.check(files, &[], settings.output.force)?;
    Ok(Some(output))
}

fn read(path: &Path, observer: &dyn Observer) -> Result<Vec<RunRecord>, RunError> {
    let content = std::fs::read(path)
        .map_err(|why| TrendError::File { path: path.to_owned(), why: why.to_string() })?;
    let found = history::read(&content).map_err(|bad| TrendError::Line {
        path: path.to_owned(),
        line: bad.line,
        why: bad.why,
    })?;
    if found.torn_at.is_some() {
        observer.warning(&format!(
            "{}: the last line was cut off when a run was killed, and is left out",
            path.display()
        ));
    }
    if let Some(run) = history::out_of_order(&found.records) {
        observer.warning(&format!(
            "{}: the run {} of {} stands behind one of a later time: a clock was wrong, or lines were moved; runs are taken in the order \
             of their lines",
            path.display(),
            run.run,
            run.time
        ));
    }
    Ok(found.records)
}

/// Several files are merged by time, so a clock that is wrong puts runs where they do not belong.
fn tell_clocks(files: &[&Path], records: &[Vec<RunRecord>], observer: &dyn Observer) {
    let now = Timestamp::now();
    for (path, records) in files.iter().zip(records) {
        let ahead: Vec<&RunRecord> = history::in_future(records, now).collect();
        let [first, others @ ..] = &ahead[..] else { continue };
        let others: BTreeSet<&str> = others.iter().map(|run| run.run.as_str()).collect();
        let others = others.into_iter().filter(|run| *run != first.run).count();
        let more = if others == 0 { String::new() } else { format!(", as do {others} more") };
        observer.warning(&format!(
            "{}: the run {} ended in the future, by its time {}{more}: the clock of its machine, or of this one, is wrong; several files \
             are merged by time, so it may stand behind runs that came later, and be taken for the last one",
            path.display(),
            first.run,
            first.time
        ));
    }
}

/// Leaves the runs that are wanted.
fn choose(files: &mut [Vec<RunRecord>], settings: &TrendSettings) -> Result<(), TrendError> {
    let all = || files.iter().flatten();
    if let Some(name) = settings.agents.iter().find(|name| !all().any(|record| record.agent == **name)) {
        let near = did_you_mean(name, all().map(|record| record.agent.as_str()));
        return Err(TrendError::NoAgent { name: name.clone(), near });
    }
    let experiment = |record: &RunRecord| record.experiment.clone().unwrap_or_default();
    if let Some(name) =
        settings.experiments.iter().find(|name| !all().any(|record| experiment(record) == **name))
    {
        let near = did_you_mean(name, all().filter_map(|record| record.experiment.as_deref()));
        return Err(TrendError::NoExperiment { name: name.clone(), near });
    }
    let has = |record: &RunRecord, (name, value): &(String, String)| record.tags.get(name) == Some(value);
    if let Some(tag) = settings.tags.iter().find(|tag| !all().any(|record| has(record, tag))) {
        let (name, value) = tag.clone();
        let values = all().filter_map(|record| record.tags.get(&name)).map(String::as_str);
        let near = did_you_mean(&value, values);
        return Err(TrendError::NoTag { name, value, near });
    }
    for records in files.iter_mut() {
        records.retain(|record| {
            (settings.agents.is_empty() || settings.agents.contains(&record.agent))
                && (settings.experiments.is_empty() || settings.experiments.contains(&experiment(record)))
                && settings.tags.iter().all(|tag| has(record, tag))
        });
    }
    match files.iter().all(Vec::is_empty) {
        true => Err(TrendError::NoneLeft),
        false => Ok(()),
    }
}

/// A baseline that says nothing of any agent is a mistake; of one of several, it is said.
fn check_baseline(agents: &[AgentTrend], observer: &dyn Observer) -> Result<(), TrendError> {
    let without = agents.iter().filter(|agent| agent.changes.is_empty());
    let names: Vec<&str> = without.map(|agent| agent.agent.as_str()).collect();
    match names.len() {
        0 => Ok(()),
        all if all == agents.len() => {
            Err(TrendError::Baseline("it is the last run itself: name one before it".to_owned()))
        }
        _ => {
            observer.warning(&format!("the baseline has no earlier run of {}", names.join(", ")));
            Ok(())
        }
    }
}
