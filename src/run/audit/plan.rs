//! A checked plan of an audit: the rows, the judges, and where the findings go.

use std::path::PathBuf;
use std::sync::Arc;

use super::AuditError;
use crate::bench::{Words, columns};
use crate::domain::Task;
use crate::normalize::Normalizer;
use crate::render::Template;
use crate::run::outputs::check_places;
use crate::run::panel::{Purpose, run_name, templates, wanted};
use crate::run::settings::AuditSettings;
use crate::run::{
    Control, Member, Panel, ProbeColumns, ProbedRow, ProbedRows, RunError, Session, Source, probed_rows,
};
use crate::table::Format;
use crate::write::{self, Output};

/// An audit that can begin.
pub struct Plan {
    pub rows: Arc<Vec<ProbedRow>>,
    pub unreadable: u64,
    pub normalizer: Arc<Normalizer>,
    pub columns: ProbeColumns,
    /// The column of gold that is named, if one is.
    pub named_gold: Option<String>,
    pub output: Option<Output>,
    pub reports: Vec<Destination>,
}

/// What a report is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    Markdown,
    Json,
    /// All figures as rows.
    Table(Output),
}

/// A report's place.
pub struct Destination {
    pub path: PathBuf,
    pub report: Report,
}

/// An audit that can begin, and the panel that it asks.
pub fn plan(
    settings: AuditSettings,
    purpose: &Purpose,
    control: &Control,
) -> Result<(Plan, Session), RunError> {
    let observer = control.observer.as_ref();
    settings.panel.check(observer)?;
    let wanted = wanted(&settings.panel)?;
    let source = Source::open_wanted(&settings.input, &wanted, false, observer)?;
    source.announce(observer);
    let inputs = source.paths();
    let to = &settings.output;
    let output = match (&to.collected, &to.path) {
        (Some(collected), _) => Some(Output::in_memory(collected)),
        (None, Some(path)) => {
            let output = Output::new(path.clone(), to.format, source.table.inputs()[0].format)?
                .with_formulas(to.formulas);
            output.check(&inputs, source.table.folders(), to.force)?;
            Some(output)
        }
        (None, None) => None,
    };
    let reports = destinations(&settings)?;
    check_places(
        &inputs,
        output.iter().map(|output| &output.path).chain(reports.iter().map(|report| &report.path)),
    )?;
    let names: Vec<&str> = source.table.schema().names().collect();
    let columns = probe_columns(&settings, &templates(&settings.panel)?, &names)?;
    let ProbedRows { rows, unreadable, invalid } = probed_rows(&source, &columns)?;
    source.tell_text_fields(None, observer);
    invalid.warning(&columns.words).into_iter().for_each(|warning| observer.warning(&warning));
    if rows.is_empty() {
        return Err(AuditError::NoRows.into());
    }
    let run = run_name();
    let repeats = settings.again.get().saturating_add(1);
    let panel = Panel::build(&settings.panel, &run, purpose, ("", repeats), observer)?;
    let manifest = panel.manifest(run, &settings.input, &source);
    let session = Session { panel, manifest, control: control.clone() };
    let (rows, normalizer) = (Arc::new(rows), Arc::clone(&source.normalizer));
    let named_gold = settings.gold;
    Ok((Plan { rows, unreadable, normalizer, columns, named_gold, output, reports }, session))
}

impl Plan {
    /// The column of gold that holds for `member`'s task, by its place among the columns of gold.
    pub fn gold(&self, member: &Member) -> Option<usize> {
        let golds: Vec<&str> = self.columns.golds.iter().map(String::as_str).collect();
        let named = self.named_gold.as_deref().or_else(|| columns::gold(member.task(), &golds))?;
        golds.iter().position(|gold| *gold == named)
    }
}

fn probe_columns(
    settings: &AuditSettings,
    templates: &[Template],
    names: &[&str],
) -> Result<ProbeColumns, AuditError> {
    let named = |flag: &'static str, column: &Option<String>, usual: &[&str]| match column {
        Some(column) if !names.contains(&column.as_str()) => {
            Err(AuditError::NoColumn { flag, column: column.clone(), columns: names.join(", ") })
        }
        Some(column) => Ok(Some(column.clone())),
        None => Ok(usual.iter().find(|usual| names.contains(usual)).map(|usual| (*usual).to_owned())),
    };
    let mut golds: Vec<String> = Vec::new();
    let tasks: Vec<Option<Task>> = templates.iter().map(Template::task).collect();
    let found = match named("gold", &settings.gold, &[])? {
        Some(gold) => vec![gold],
        None => tasks.iter().filter_map(|task| columns::gold(*task, names)).map(str::to_owned).collect(),
    };
    for gold in found {
        if !golds.contains(&gold) {
            golds.push(gold);
        }
    }
    let words = Words::of(templates.iter().map(|template| &**template.rails()))
        .map_err(|label| AuditError::AmbiguousLabel(label.0))?;
    Ok(ProbeColumns {
        golds,
        words,
        cluster: named("cluster", &settings.cluster, &columns::CLUSTERS)?,
        id: named("id", &settings.id, &columns::NAMES)?,
    })
}

/// The reports asked for, checked before anything is paid for.
fn destinations(settings: &AuditSettings) -> Result<Vec<Destination>, RunError> {
    let force = settings.output.force;
    let destination = |path: &PathBuf| {
        let report = match path.extension().and_then(|ending| ending.to_str()) {
            Some("md" | "markdown") => Report::Markdown,
            Some("json") => Report::Json,
            _ => match Output::new(path.clone(), None, Format::Jsonl) {
                Ok(output) => Report::Table(output),
                Err(_) => return Err(AuditError::ReportEnding(path.clone()).into()),
            },
        };
        match &report {
            Report::Table(output) => output.check(&[], &[], force)?,
            Report::Markdown | Report::Json => write::check_text(path, force)?,
        }
        Ok(Destination { path: path.clone(), report })
    };
    settings.reports.iter().map(destination).collect()
}
