//! The suite job: reviewed logs in, a suite file out.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::SuiteError;
use super::reviews::Reviews;
use crate::domain::{Slot, Variable};
use crate::normalize::columns::Wanted;
use crate::run::session::apart;
use crate::run::settings::{CaseMode, ExpectedParts, SuiteSettings};
use crate::run::{Control, Observer, RunError, Source, runtime};
use crate::table::Format;
use crate::write::{Output, is_stream, write_manifest, write_private};
use tooljudge_core::drive::from_log::{
    FromLog, FromLogOptions, Ignored, LeftOutCount, LoggedSuite, Redaction,
};

/// What was made of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteSummary {
    /// The suite, and what was left out.
    pub suite: LoggedSuite,
    /// Rows that were read.
    pub rows: u64,
    /// The columns whose labels counted; none where all calls count as right.
    pub labels: Vec<String>,
    /// Where the suite was written; nowhere if it has no case.
    pub output: Option<PathBuf>,
}

/// Makes a suite for `drive` of reviewed calls: right ones are expected again, wrong ones must not come back.
///
/// A suite without cases is not written, and is not an error here.
///
/// # Errors
/// If the settings cannot hold, an input cannot be read or the file not be written; [`RunError::Unfinished`] if the run was stopped.
/// No suite appears then.
///
/// ```
/// use tooljudge::run::settings::SuiteSettings;
/// use tooljudge::run::suite_from_log_blocking;
///
/// let summary = suite_from_log_blocking(SuiteSettings::new(["datasets/quickstart.csv"]))?;
/// assert!(summary.suite.cases > 0);
/// assert!(summary.suite.text.starts_with(r#"{"suite":{"name":"from-log""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn suite_from_log(settings: SuiteSettings, control: &Control) -> Result<SuiteSummary, RunError> {
    let observer = Arc::clone(&control.observer);
    let made = apart(&control.stop, move |stopped| make(&settings, &*observer, stopped)).await;
    made.map_err(|error| error.if_interrupted("nothing was written"))
}

/// [`suite_from_log()`] for programs that are not asynchronous.
///
/// # Errors
/// As there, and if no runtime can be started.
///
/// # Panics
/// Within an asynchronous runtime: await [`suite_from_log()`] there.
pub fn suite_from_log_blocking(settings: SuiteSettings) -> Result<SuiteSummary, RunError> {
    runtime()?.block_on(suite_from_log(settings, &Control::default()))
}

fn make(
    settings: &SuiteSettings,
    observer: &dyn Observer,
    stopped: &dyn Fn() -> bool,
) -> Result<SuiteSummary, RunError> {
    let go_on = || if stopped() { Err(RunError::Interrupted) } else { Ok(()) };
    let options = FromLogOptions {
        mode: settings.mode,
        expect: settings.expect,
        ignored: Ignored::new(&settings.ignore).map_err(SuiteError::Ignore)?,
        redaction: Redaction::new(&settings.redact).map_err(SuiteError::Redact)?,
    };
    let mut wanted = Wanted::default();
    // What calls returned is read from tables only where somebody wants it.
    wanted.optional.insert(Variable::Slot(Slot::ToolResult));
    let source = Source::open_wanted(&settings.input, &wanted, false, observer)?;
    let output = output(settings, &source)?;
    let columns: Vec<String> = source.table.schema().names().map(str::to_owned).collect();
    let reviews = Reviews::new(settings.label.as_deref(), &columns)?;
    if reviews.labels.is_empty() {
        unlabelled(&columns, observer);
    }
    let mut from_log = FromLog::new(options);
    let mut rows = 0;
    for batch in source.table.batches(None) {
        let batch = batch?;
        let items = source.items(&batch)?;
        rows += items.len() as u64;
        for logged in reviews.turns(&batch, items, &source.normalizer)? {
            go_on()?;
            match logged {
                Ok(logged) => from_log.add(logged),
                Err(why) => from_log.add_unreadable(&why),
            }
        }
    }
    source.tell_text_fields(None, observer);
    let stem = settings.output.as_deref().filter(|path| !is_stream(path)).and_then(|path| path.file_stem());
    let name = stem.and_then(|stem| stem.to_str()).unwrap_or("from-log");
    let suite = from_log.finish(name, stopped).ok_or(RunError::Interrupted)?;
    if suite.unredacted > 0 {
        observer.warning(&format!(
            "--redact: the definitions of tools in {} of {} cases hold text that it matches, and stay as they are, so that agents can call \
             the tools; look through them before you share the suite",
            suite.unredacted, suite.cases
        ));
    }
    tell_idle(&suite, settings, observer);
    let mut summary = SuiteSummary { suite, rows, labels: reviews.labels, output: None };
    if let Some(output) = output.filter(|_| summary.suite.cases > 0) {
        write(&mut summary, &output, settings)?;
    }
    Ok(summary)
}

/// Warns of what was to be hidden or ignored, and was not there. Where no row became a case, that is not known.
fn tell_idle(suite: &LoggedSuite, settings: &SuiteSettings, observer: &dyn Observer) {
    if suite.cases == 0 {
        return;
    }
    for number in &suite.idle_patterns {
        // It is not shown: it may hold what it is to hide.
        observer.warning(&format!(
            "--redact: pattern {number} matches nothing in the cases, so nothing was replaced for it; look through the suite before you share it"
        ));
    }
    for pointer in suite.idle_pointers.iter().filter_map(|number| settings.ignore.get(number - 1)) {
        observer.warning(&format!(
            "--ignore {pointer}: no call in the log has this argument, so nothing is left out of the comparison for it"
        ));
    }
}

fn unlabelled(columns: &[String], observer: &dyn Observer) {
    let others: Vec<&str> =
        columns.iter().map(String::as_str).filter(|name| name.ends_with("_label")).collect();
    match &others[..] {
        [] => observer.note(
            "no column `label` or `gold`: all calls count as right; label the log first to tell right from wrong",
        ),
        others => observer.warning(&format!(
            "no column `label` or `gold`: all calls count as right; --label names the column that says which are: {}",
            others.join(", ")
        )),
    }
}

fn output(settings: &SuiteSettings, source: &Source) -> Result<Option<Output>, RunError> {
    let Some(path) = settings.output.clone() else { return Ok(None) };
    let output = Output::new(path, None, Format::Jsonl).ok();
    let is_lines =
        |output: &Output| output.format.format == Format::Jsonl && output.format.compression.is_none();
    let Some(output) = output.filter(is_lines) else {
        return Err(SuiteError::NotJsonLines(settings.output.clone().unwrap_or_default()).into());
    };
    output.check(&source.paths(), source.table.folders(), settings.force)?;
    Ok(Some(output))
}

fn write(summary: &mut SuiteSummary, output: &Output, settings: &SuiteSettings) -> Result<(), RunError> {
    let bytes = write_private(&output.path, &summary.suite.text)?;
    if output.has_manifest() {
        // Patterns are not among these: they may hold what they are to hide.
        let manifest = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "inputs": settings.input.inputs,
            "mode": match settings.mode {
                CaseMode::Turn => "turn",
                CaseMode::Episode => "episode",
            },
            "expect": match settings.expect {
                ExpectedParts::Names => "names",
                ExpectedParts::Arguments => "arguments",
                ExpectedParts::Nothing => "none",
            },
            "ignore": settings.ignore,
            "redacted_patterns": settings.redact.len(),
            "summary": summary.to_json(false),
            "output": { "path": output.path.display().to_string(), "bytes": bytes },
        });
        write_manifest(&output.path, &manifest)?;
    }
    summary.output = Some(output.path.clone());
    Ok(())
}

impl SuiteSummary {
    /// For manifests, and with `examples` for `--json`: these may hold texts of the log, which a manifest is not to tell.
    pub(crate) fn to_json(&self, examples: bool) -> Value {
        let LoggedSuite { cases, bans, unvalidated, unredacted, duplicates, left_out, .. } = &self.suite;
        let reason = |count: &LeftOutCount| match examples {
            true => json!({ "count": count.count, "example": count.example }),
            false => json!(count.count),
        };
        json!({
            "rows": self.rows,
            "cases": cases,
            "cases_with_not_calls": bans,
            "cases_without_validation": unvalidated,
            "cases_with_unredacted_tools": unredacted,
            "duplicates": duplicates,
            "labels": self.labels,
            "left_out": left_out.iter().map(|(why, count)| (why.as_str().to_owned(), reason(count))).collect::<serde_json::Map<_, _>>(),
            "output": self.output,
        })
    }
}
