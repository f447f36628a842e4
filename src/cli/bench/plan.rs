//! Flags to a benchmark that can begin: which columns say what, who takes part.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use tempfile::TempDir;

use super::args::{BenchArgs, GoldArgs};
use super::{audit, errata};
use crate::bench::{Entrant, Words, columns};
use crate::check::{Baseline, BaselineKind};
use crate::cli::config::Config;
use crate::cli::defaults::Given;
use crate::cli::gold;
use crate::cli::input::InputArgs;
use crate::cli::judging::{self, Member, Panel, Purpose, flags, panel};
use crate::cli::outputs::apart;
use crate::cli::printer::Printer;
use crate::domain::Task;
use crate::render::Template;
use crate::run::{Destination, GoldPlan, Manifest, Repeated, Source};
use crate::write::{LabelColumns, Output};

/// A benchmark that can begin.
pub struct Plan {
    pub source: Arc<Source>,
    pub panel: Panel,
    pub manifest: Manifest,
    pub gold: GoldPlan,
    /// Whoever labels: the panel's members, then the baselines.
    pub seats: Vec<SeatPlan>,
    /// Their places grouped by judge and template; repetitions are one entrant.
    pub entrants: Vec<(Entrant, Vec<usize>)>,
    pub destination: Option<Destination>,
    /// Where doubtful gold goes.
    pub audit: Option<Output>,
    /// Where rows lie that were made for this run; gone with it.
    pub _made: Option<TempDir>,
}

/// What is known of a labeller.
pub struct SeatPlan {
    /// What it calls right.
    pub positive: String,
    pub baseline: Option<(BaselineKind, Task)>,
}

pub fn plan(args: &BenchArgs, config: &Config, given: &Given, printer: Printer) -> anyhow::Result<Plan> {
    let judging = &args.judging;
    let judges = panel::judges(judging, config)?;
    flags::check(judging, given, &judges, printer)?;
    let (inputs, made) = match &args.bfcl {
        None => (args.inputs.clone(), None),
        Some(bfcl) => {
            let (folder, path) = gold::temporary(bfcl, &args.results, printer)?;
            (vec![path.display().to_string()], Some(folder))
        }
    };
    let source = args.input.open(&inputs, false, printer)?;
    if made.is_none() {
        InputArgs::announce(&source, printer);
    }
    let names: Vec<&str> = source.table.schema().names().collect();
    let output = args.output.as_ref().map(|path| output(args, path, &source)).transpose()?;
    places(args, &source)?;
    let inputs: Vec<&Path> = source.table.inputs().iter().map(|input| input.path.as_path()).collect();
    let audit = audit::destination(args, &inputs)?;
    // Columns are checked before a store is made.
    let templates = judging::wording::templates(&args.judging)?;
    let words = Words::of(templates.iter().map(|template| &**template.rails())).map_err(|label| {
        anyhow!("`{label}` is right by one template and wrong by another, so nobody knows what gold means; bench them one by one")
    })?;
    let tasks: Vec<Option<Task>> = templates.iter().map(Template::task).collect();
    let golds = golds(&args.gold, &tasks, &names)?;
    let gold = gold_plan(args, &golds, &names, words)?;
    look(&source, &gold)?;
    let run = judging::run_name();
    let naming = (args.report.prefix.as_str(), args.repeat.get());
    let panel = Panel::convene(judging, &run, config, given, &Purpose::Label, &judges, naming)?;
    panel.say_routes(config, printer);
    let (seats, entrants) = seats(args, &panel, &gold.golds, &names);
    let destination =
        output.map(|output| destination(&panel, &source, output, args.report.overwrite)).transpose()?;
    let mut manifest = panel.manifest(run, &args.input, &source);
    if let Some(bfcl) = &args.bfcl {
        let folders = [Some(bfcl), args.results.results.as_ref(), args.results.scores.as_ref()];
        manifest.inputs = folders.into_iter().flatten().map(|folder| folder.display().to_string()).collect();
    }
    Ok(Plan {
        source: Arc::new(source),
        panel,
        manifest,
        gold,
        seats,
        entrants,
        destination,
        audit,
        _made: made,
    })
}

/// An error if the gold of the first rows is no label in any of them: better now than when everything is paid for.
fn look(source: &Source, gold: &GoldPlan) -> anyhow::Result<()> {
    let Some(batch) = source.table.batches(None).next() else { return Ok(()) };
    let batch = batch?;
    for column in &gold.golds {
        let read: Vec<Result<Option<bool>, String>> =
            batch.column(column)?.iter().map(|cell| gold.words.read(cell.as_ref())).collect();
        let strange = read.iter().find_map(|read| read.as_ref().err());
        if let Some(text) = strange
            && !read.iter().any(|read| matches!(read, Ok(Some(_))))
        {
            let text: String = text.chars().take(40).collect();
            bail!(
                "the column `{column}` has no label in its first {} rows, but texts like `{text}`: gold is {}",
                read.len(),
                gold.words.list()
            );
        }
    }
    Ok(())
}

/// The columns of gold, each once.
fn golds(args: &GoldArgs, tasks: &[Option<Task>], names: &[&str]) -> anyhow::Result<Vec<String>> {
    let mut golds: Vec<String> = Vec::new();
    for task in tasks {
        let column = gold_of(args, *task, names).with_context(|| {
            format!(
                "no column says what the labels should be: name it with --gold COLUMN; the columns are {}",
                list(names)
            )
        })?;
        if !golds.contains(&column) {
            golds.push(column);
        }
    }
    if let Some(column) = &args.gold
        && !names.contains(&column.as_str())
    {
        bail!("--gold: there is no column `{column}`; the columns are {}", list(names));
    }
    Ok(golds)
}

fn gold_of(args: &GoldArgs, task: Option<Task>, names: &[&str]) -> Option<String> {
    args.gold.clone().or_else(|| columns::gold(task, names).map(str::to_owned))
}

fn gold_plan(args: &BenchArgs, golds: &[String], names: &[&str], words: Words) -> anyhow::Result<GoldPlan> {
    let flags = &args.gold;
    let named = |flag: &str, column: &Option<String>, usual: &[&str]| match column {
        Some(column) if !names.contains(&column.as_str()) => {
            bail!("--{flag}: there is no column `{column}`; the columns are {}", list(names))
        }
        Some(column) => Ok(Some(column.clone())),
        None => Ok(usual.iter().find(|usual| names.contains(usual)).map(|usual| (*usual).to_owned())),
    };
    let id = named("id", &flags.id, &columns::IDS)?;
    let cluster = named("cluster", &flags.cluster, &columns::CLUSTERS)?;
    for column in &flags.by {
        named("by", &Some(column.clone()), &[])?;
    }
    let slicings = match flags.by.as_slice() {
        [] => columns::SLICINGS.iter().filter(|by| names.contains(by)).map(|by| (*by).to_owned()).collect(),
        by => by.to_vec(),
    };
    let repeated = match &flags.dedup {
        None => Repeated::All,
        Some(None) => Repeated::FirstOfCall,
        Some(column) => {
            let column = named("dedup", column, &[])?;
            column.map_or(Repeated::FirstOfCall, Repeated::FirstOf)
        }
    };
    if args.report.audit.is_some() {
        audit::check(id.as_deref(), golds)?;
    }
    let errata = match &flags.errata {
        None => Vec::new(),
        Some(_) if id.is_none() => {
            bail!("--errata goes by the names of rows: say which column has them with --id")
        }
        Some(file) => errata::read(file, id.as_deref().unwrap_or_default(), golds, &words)?,
    };
    Ok(GoldPlan {
        golds: golds.to_vec(),
        errata,
        words,
        cluster,
        slicings,
        id,
        repeated,
        audit: args.report.audit.is_some(),
    })
}

fn seats(
    args: &BenchArgs,
    panel: &Panel,
    golds: &[String],
    names: &[&str],
) -> (Vec<SeatPlan>, Vec<(Entrant, Vec<usize>)>) {
    let mut seats = Vec::new();
    let mut entrants: Vec<(Entrant, Vec<usize>)> = Vec::new();
    let gold_at = |task| {
        let column = gold_of(&args.gold, task, names).unwrap_or_default();
        golds.iter().position(|gold| *gold == column).unwrap_or(0)
    };
    let mut tasks: Vec<Task> = Vec::new();
    for member in &panel.members {
        let (task, positive) = (member.task(), member.positive());
        let task_of_baselines = task.unwrap_or(Task::ToolCalling);
        if !tasks.contains(&task_of_baselines) {
            tasks.push(task_of_baselines);
        }
        let place = seats.len();
        seats.push(SeatPlan { positive, baseline: None });
        match entrants.last_mut() {
            Some((_, places)) if member.repeat > 0 => places.push(place),
            _ => entrants.push((entrant(member, task, gold_at(task)), vec![place])),
        }
    }
    if !args.gold.no_baselines {
        for (task, kind) in tasks.iter().flat_map(|task| BaselineKind::ALL.map(|kind| (*task, kind))) {
            let entrant = Entrant {
                judge: kind.as_str().to_owned(),
                template: task.as_str().to_owned(),
                task: Some(task),
                baseline: true,
                gold: gold_at(Some(task)),
                ..Entrant::default()
            };
            entrants.push((entrant, vec![seats.len()]));
            seats.push(SeatPlan { positive: "correct".to_owned(), baseline: Some((kind, task)) });
        }
    }
    (seats, entrants)
}

fn entrant(member: &Member, task: Option<Task>, gold: usize) -> Entrant {
    Entrant {
        judge: member.judge.clone(),
        template: member.criterion.clone(),
        task,
        baseline: false,
        gold,
        record: serde_json::to_value(member.record()).unwrap_or_default(),
        base_rate: member.base_rate(),
        repeats: Vec::new(),
    }
}

impl SeatPlan {
    /// The baseline that sits here, if one does.
    pub fn baseline(&self) -> Option<Baseline> {
        self.baseline.map(|(kind, task)| Baseline::new(kind, task))
    }
}

fn output(args: &BenchArgs, path: &Path, source: &Source) -> anyhow::Result<Output> {
    let table = &source.table;
    let output = Output::new(path.to_owned(), args.to, table.inputs()[0].format)?
        .with_formulas(args.spreadsheet.formulas());
    let inputs: Vec<&Path> = table.inputs().iter().map(|input| input.path.as_path()).collect();
    output.check(&inputs, table.folders(), args.report.force)?;
    Ok(output)
}

fn places(args: &BenchArgs, source: &Source) -> anyhow::Result<()> {
    let inputs = source.table.inputs().iter().map(|input| input.path.as_path());
    let inputs: Vec<&Path> = inputs.chain(args.gold.errata.as_deref()).collect();
    apart(&inputs, args.output.iter().chain(&args.report.audit).chain(&args.report.reports))
}

/// Columns for each member of the panel; baselines have none.
fn destination(
    panel: &Panel,
    source: &Source,
    output: Output,
    overwrite: bool,
) -> anyhow::Result<Destination> {
    let column = |member: &Member| LabelColumns::new(&member.prefix, &member.judge, &member.criterion);
    let labels: Vec<LabelColumns> = panel.members.iter().map(column).collect();
    let mut replaced = Vec::new();
    for labels in &labels {
        replaced.extend(labels.clashes(source.table.schema(), overwrite)?);
    }
    Ok(Destination { output, labels, replaced })
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
