//! A checked plan of a benchmark: the columns and the judges.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::{BenchError, doubt, errata};
use crate::bench::{Contender, NotALabel, Scale, Words, columns};
use crate::check::{Baseline, BaselineKind};
use crate::domain::{Rails, Slot, Task, Variable};
use crate::render::Template;
use crate::run::outputs::check_places;
use crate::run::panel::{Purpose, run_name, templates, wanted};
use crate::run::settings::{BenchSettings, InputSettings};
use crate::run::{Control, Destination, GoldPlan, Member, Panel, Repeated, RunError, Session, Source, gold};
use crate::write::Output;

/// A benchmark that can begin.
pub struct Plan {
    pub settings: BenchSettings,
    pub source: Arc<Source>,
    pub gold: GoldPlan,
    /// Whoever labels: the panel's members, then the baselines.
    pub label_sources: Vec<LabelSource>,
    /// Their places grouped by judge and template; repetitions are one contender.
    pub contenders: Vec<(Contender, Vec<usize>)>,
    pub destination: Option<Arc<Destination>>,
    /// Where doubtful gold goes.
    pub audit: Option<Output>,
    /// Where rows lie that were made for this run; gone with it.
    pub _made: Option<TempDir>,
}

/// What is known of a labeller.
pub struct LabelSource {
    /// What it calls right.
    pub rails: Arc<Rails>,
    pub baseline: Option<(BaselineKind, Task)>,
}

/// A benchmark that can begin, and the panel that it asks.
pub fn plan(
    settings: BenchSettings,
    purpose: &Purpose,
    control: &Control,
) -> Result<(Plan, Session), RunError> {
    let observer = control.observer.as_ref();
    settings.panel.check(observer)?;
    let (input, made) = match &settings.bfcl {
        None => (settings.input.clone(), None),
        Some(bfcl) => {
            let (folder, path) = gold::temporary(bfcl, observer)?;
            let inputs = vec![path.display().to_string()];
            (InputSettings { inputs, tables: Vec::new(), ..settings.input.clone() }, Some(folder))
        }
    };
    let wanted = wanted(&settings.panel)?;
    let source = Source::open_wanted(&input, &wanted, false, observer)?;
    if made.is_none() {
        source.announce(observer);
    }
    let names: Vec<&str> = source.table.schema().names().collect();
    let output = match (&settings.output.collected, &settings.output.path) {
        (Some(collected), _) => Some(Output::in_memory(collected)),
        (None, path) => path.as_ref().map(|path| output(&settings, path, &source)).transpose()?,
    };
    places(&settings, &source)?;
    let audit = doubt::destination(&settings, &source.paths())?;
    // Columns are checked before a store is made.
    let templates = templates(&settings.panel)?;
    let words = Words::of(templates.iter().map(|template| &**template.rails()))
        .map_err(|label| BenchError::AmbiguousLabel(label.0))?;
    let tasks: Vec<Option<Task>> = templates.iter().map(Template::task).collect();
    let golds = golds(settings.gold.as_ref(), &tasks, &names)?;
    if columns::has_draws(names.iter().copied()) {
        control.observer.note(
            "rows were drawn or chosen (column `inclusion_probability`): all figures count them alike, and are about these rows; they are \
             about the whole log only if all rows were drawn at random",
        );
    }
    let mut shown: Vec<Variable> = templates.iter().flat_map(Template::variables).collect();
    shown.retain(|variable| !Slot::ALWAYS.iter().any(|slot| *variable == Variable::Slot(*slot)));
    shown.sort();
    shown.dedup();
    let gold = gold_plan(&settings, &golds, &names, (words, shown))?;
    check_gold(&source, &gold)?;
    if let (Some(file), Some(id)) = (&settings.errata, &gold.id) {
        errata::check_met((file, &gold.errata), id, (&source.table, &settings.input), observer)?;
    }
    let run = run_name();
    let naming = (settings.prefix.as_str(), settings.repeat.get());
    let panel = Panel::build(&settings.panel, &run, purpose, naming, observer)?;
    let (label_sources, contenders) = label_sources(&settings, &panel, &gold.golds, &names);
    let destination = output.map(|output| Destination::of(&panel, &source, output, settings.overwrite));
    let destination = destination.transpose()?.map(Arc::new);
    let mut manifest = panel.manifest(run, &input, &source);
    if let Some(bfcl) = &settings.bfcl {
        let folders = [Some(&bfcl.folder), bfcl.results.as_ref(), bfcl.scores.as_ref()];
        manifest.inputs = folders.into_iter().flatten().map(|folder| folder.display().to_string()).collect();
    }
    let session = Session { panel, manifest, control: control.clone() };
    let source = Arc::new(source);
    Ok((Plan { settings, source, gold, label_sources, contenders, destination, audit, _made: made }, session))
}

/// An error if the gold of the first rows is no label in any of them: better now than when everything is paid for.
fn check_gold(source: &Source, gold: &GoldPlan) -> Result<(), RunError> {
    let Some(batch) = source.table.batches(None).next() else { return Ok(()) };
    let batch = batch?;
    for column in &gold.golds {
        let read: Vec<Result<Option<bool>, NotALabel>> =
            batch.column(column)?.iter().map(|cell| gold.words.read(cell.as_ref())).collect();
        let invalid_gold = read.iter().find_map(|read| read.as_ref().err());
        if let Some(NotALabel(text)) = invalid_gold
            && !read.iter().any(|read| matches!(read, Ok(Some(_))))
        {
            let text: String = text.chars().take(40).collect();
            let (column, rows, words) = (column.clone(), read.len(), gold.words.list());
            return Err(BenchError::NoLabels { column, rows, text, words }.into());
        }
    }
    Ok(())
}

/// The columns of gold, each once.
fn golds(named: Option<&String>, tasks: &[Option<Task>], names: &[&str]) -> Result<Vec<String>, BenchError> {
    let mut golds: Vec<String> = Vec::new();
    for task in tasks {
        let column = gold_of(named, *task, names).ok_or_else(|| BenchError::NoGoldColumn(list(names)))?;
        if !golds.contains(&column) {
            golds.push(column);
        }
    }
    match named {
        Some(column) if !names.contains(&column.as_str()) => {
            Err(BenchError::no_column("gold", column, names))
        }
        _ => Ok(golds),
    }
}

fn gold_of(named: Option<&String>, task: Option<Task>, names: &[&str]) -> Option<String> {
    named.cloned().or_else(|| columns::gold(task, names).map(str::to_owned))
}

fn gold_plan(
    settings: &BenchSettings,
    golds: &[String],
    names: &[&str],
    (words, shown): (Words, Vec<Variable>),
) -> Result<GoldPlan, RunError> {
    let named = |flag: &'static str, column: &Option<String>, usual: &[&str]| match column {
        Some(column) if !names.contains(&column.as_str()) => Err(BenchError::no_column(flag, column, names)),
        Some(column) => Ok(Some(column.clone())),
        None => Ok(usual.iter().find(|usual| names.contains(usual)).map(|usual| (*usual).to_owned())),
    };
    let id = named("id", &settings.id, &columns::NAMES)?;
    let cluster = named("cluster", &settings.cluster, &columns::CLUSTERS)?;
    for column in &settings.by {
        named("by", &Some(column.clone()), &[])?;
    }
    let slicings = match settings.by.as_slice() {
        [] => columns::SLICINGS.iter().filter(|by| names.contains(by)).map(|by| (*by).to_owned()).collect(),
        by => by.to_vec(),
    };
    if let Repeated::FirstOf(column) = &settings.repeated {
        named("dedup", &Some(column.clone()), &[])?;
    }
    if settings.audit.is_some() {
        doubt::check(id.as_deref(), golds)?;
    }
    let errata = match (&settings.errata, &id) {
        (None, _) => Vec::new(),
        (Some(_), None) => return Err(BenchError::ErrataWithoutNames.into()),
        (Some(file), Some(id)) => {
            errata::read(file, id, &golds.iter().map(|gold| vec![gold.clone()]).collect::<Vec<_>>(), &words)?
        }
    };
    let findings = columns::FINDINGS.iter().find(|name| settings.panel.findings && names.contains(name));
    Ok(GoldPlan {
        golds: golds.to_vec(),
        findings: findings.map(|name| (*name).to_owned()),
        errata,
        words,
        cluster,
        slicings,
        id,
        shown,
        repeated: settings.repeated.clone(),
        audit: settings.audit.is_some(),
    })
}

fn label_sources(
    settings: &BenchSettings,
    panel: &Panel,
    golds: &[String],
    names: &[&str],
) -> (Vec<LabelSource>, Vec<(Contender, Vec<usize>)>) {
    let mut label_sources = Vec::new();
    let mut contenders: Vec<(Contender, Vec<usize>)> = Vec::new();
    let gold_at = |task| {
        let column = gold_of(settings.gold.as_ref(), task, names).unwrap_or_default();
        golds.iter().position(|gold| *gold == column).unwrap_or(0)
    };
    let mut tasks: Vec<Task> = Vec::new();
    for member in &panel.members {
        let (task, rails) = (member.task(), member.rails());
        let task_of_baselines = task.unwrap_or(Task::ToolCalling);
        if !tasks.contains(&task_of_baselines) {
            tasks.push(task_of_baselines);
        }
        let place = label_sources.len();
        label_sources.push(LabelSource { rails, baseline: None });
        match contenders.last_mut() {
            Some((_, places)) if member.repeat > 0 => places.push(place),
            _ => contenders.push((contender(member, task, gold_at(task)), vec![place])),
        }
    }
    if settings.baselines {
        for (task, kind) in tasks.iter().flat_map(|task| BaselineKind::ALL.map(|kind| (*task, kind))) {
            let contender = Contender {
                judge: kind.as_str().to_owned(),
                template: task.as_str().to_owned(),
                task: Some(task),
                baseline: true,
                gold: gold_at(Some(task)),
                ..Contender::default()
            };
            contenders.push((contender, vec![label_sources.len()]));
            let rails = Arc::new(Rails::pass_and_fail(task.labels()));
            label_sources.push(LabelSource { rails, baseline: Some((kind, task)) });
        }
    }
    (label_sources, contenders)
}

fn contender(member: &Member, task: Option<Task>, gold: usize) -> Contender {
    Contender {
        judge: member.name(),
        template: member.criterion.clone(),
        task,
        baseline: false,
        gold,
        record: serde_json::to_value(member.record()).unwrap_or_default(),
        base_rate: member.base_rate(),
        scale: Scale::of(&member.rails()),
        repeats: Vec::new(),
    }
}

impl LabelSource {
    /// The baseline that sits here, if one does.
    pub fn baseline(&self) -> Option<Baseline> {
        self.baseline.map(|(kind, task)| Baseline::new(kind, task))
    }
}

fn output(settings: &BenchSettings, path: &Path, source: &Source) -> Result<Output, RunError> {
    let (table, to) = (&source.table, &settings.output);
    let output =
        Output::new(path.to_owned(), to.format, table.inputs()[0].format)?.with_formulas(to.formulas);
    output.check(&source.paths(), table.folders(), to.force)?;
    Ok(output)
}

/// No file is written twice, and none is read too.
fn places(settings: &BenchSettings, source: &Source) -> Result<(), RunError> {
    let mut inputs = source.paths();
    inputs.extend(settings.errata.as_deref());
    let BenchSettings { output, audit, reports, .. } = settings;
    let outputs: Vec<&PathBuf> = output.path.iter().chain(audit).chain(reports).collect();
    Ok(check_places(&inputs, outputs.into_iter())?)
}

/// Names of columns as messages list them.
pub(super) fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
