//! A labelling run that can begin: what is wrong with the settings is said before anything is judged or paid for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::identity::ShardIdentity;
use crate::bench::calibration::Calibrated;
use crate::bench::columns;
use crate::domain::did_you_mean;
use crate::read::{Format, Input};
use crate::run::outputs::check_places;
use crate::run::panel::{Purpose, calibrated, run_name, wanted};
use crate::run::settings::{LabelSettings, OutputSettings, SettingsError};
use crate::run::{
    Ceiling, Control, Destination, FoldWatch, ListWatch, Listed, Member, Panel, RateInput, RateWatch,
    RunError, Session, Source, Summary,
};
use crate::write::{Output, WriteError, check_text};

/// A run that can begin.
pub(super) struct Plan {
    pub(super) source: Arc<Source>,
    pub(super) destination: Arc<Destination>,
    pub(super) session: Session,
    /// What a benchmark found out about each member of the panel; empty where nobody asked.
    calibrated: Vec<Calibrated>,
    /// What it has in common with the other parts of the run, if it labels only a part.
    pub(super) shard: Option<ShardIdentity>,
    pub(super) partial: bool,
    /// Where the list of all rows goes.
    pub(super) junit: Option<PathBuf>,
    /// Columns to fold by, and where the folds go.
    pub(super) fold: Option<(Vec<String>, Output)>,
    pub(super) max_fail: Vec<Ceiling>,
    /// How many of the rows that fail are kept.
    pub(super) failures: usize,
    /// Whether the share that passes is told with its interval, though nothing corrects it.
    rate: bool,
}

impl Plan {
    pub(super) fn new(
        settings: LabelSettings,
        purpose: &Purpose,
        control: &Control,
    ) -> Result<Plan, RunError> {
        let observer = control.observer.as_ref();
        settings.panel.check(observer)?;
        if let Some(ceiling) = settings.max_fail.iter().find(|ceiling| ceiling.needs_findings())
            && !settings.panel.findings
        {
            return Err(SettingsError::CountsFindings { ceiling: ceiling.to_string() }.into());
        }
        let wanted = wanted(&settings.panel)?;
        let source = Source::open_wanted(&settings.input, &wanted, false, observer)?;
        let source = Source { shard: settings.shard, ..source };
        source.announce(observer);
        let output = output(&settings, &source, purpose)?;
        let fold = settings.fold.as_ref().map(|fold| folded(fold, &source, purpose)).transpose()?;
        let others: Vec<&PathBuf> =
            fold.iter().map(|(_, folds)| &folds.path).chain(&settings.junit).collect();
        if !others.is_empty() {
            check_places(&source.paths(), std::iter::once(&output.path).chain(others))?;
        }
        if let Some(junit) = settings.junit.as_ref().filter(|_| *purpose != Purpose::DryRun) {
            check_text(junit, settings.output.force)?;
        }
        let run = run_name();
        let panel = Panel::build(&settings.panel, &run, purpose, (&settings.prefix, 1))?;
        if let Some((by, _)) = &fold
            && let Some(name) = FoldWatch::new(by, &panel).clash()
        {
            return Err(SettingsError::FoldClash(name).into());
        }
        let destination = Destination::of(&panel, &source, output, settings.overwrite)?;
        let destination = destination.without(&dropped(&settings.drop, &source)?);
        let manifest = panel.manifest(run, &settings.input, &source);
        let calibrated = match &settings.calibration {
            Some(file) => calibrated(file, &panel, observer)?,
            None => Vec::new(),
        };
        let shard = ShardIdentity::new(&settings, &source, &destination, &manifest)?;
        let session = Session { panel, manifest, control: control.clone() };
        Ok(Plan {
            source: Arc::new(source),
            destination: Arc::new(destination),
            session,
            calibrated,
            shard,
            partial: settings.partial,
            junit: settings.junit,
            fold,
            max_fail: settings.max_fail,
            failures: settings.failures,
            rate: settings.rate,
        })
    }

    /// What folds labels, where that was asked for.
    pub(super) fn folding(&self) -> Option<FoldWatch> {
        self.fold.as_ref().map(|(by, _)| FoldWatch::new(by, &self.session.panel))
    }

    /// What lists all rows where a report of them is wanted, or else the first that fail.
    pub(super) fn listing(&self) -> Option<ListWatch> {
        let listed = match (&self.junit, self.failures) {
            (Some(_), _) => Listed::All,
            (None, 0) => return None,
            (None, most) => Listed::Failures(most),
        };
        let name = |member: &Member| (format!("{} {}", member.name(), member.criterion), member.rails());
        Some(ListWatch::new(self.session.panel.members.iter().map(name), listed))
    }

    /// What gathers rates, where there is something to correct them by: a benchmark, or gold.
    pub(super) fn rates(&self) -> Option<RateWatch> {
        let names: Vec<&str> = self.source.table.schema().names().collect();
        let judge_task = |member: &Member| RateInput {
            rails: member.rails(),
            gold: columns::gold(member.task(), &names).map(str::to_owned),
            base_rate: member.base_rate(),
            words: member.words(),
        };
        let inputs: Vec<RateInput> = self.session.panel.members.iter().map(judge_task).collect();
        let is_told = |input: &RateInput| input.gold.is_some() || input.rails.is_graded();
        let wanted = self.rate || !self.calibrated.is_empty() || inputs.iter().any(is_told);
        wanted.then(|| RateWatch::new(inputs))
    }

    /// `summaries` with the rates that were gathered.
    pub(super) fn rated(&self, mut summaries: Vec<Summary>, rates: Option<RateWatch>) -> Vec<Summary> {
        let Some(rates) = rates else { return summaries };
        let means: Vec<_> = (0..summaries.len()).map(|at| rates.mean_score(at)).collect();
        for (summary, mean) in summaries.iter_mut().zip(means) {
            summary.mean_score = mean;
        }
        let RateWatch { labels, agreements, .. } = rates;
        for (at, (summary, (labels, agreement))) in
            summaries.iter_mut().zip(labels.into_iter().zip(agreements)).enumerate()
        {
            summary.gold = agreement;
            let rate = labels.rate(self.calibrated.get(at));
            let is_told = self.rate || summary.mean_score.is_some() || !self.calibrated.is_empty();
            summary.rate = (is_told || rate.gold_rows > 0).then_some(rate);
        }
        summaries
    }
}

/// The columns to fold by, each of which must be there, and where the folds go.
fn folded(
    (by, to): &(Vec<String>, OutputSettings),
    source: &Source,
    purpose: &Purpose,
) -> Result<(Vec<String>, Output), RunError> {
    let schema = source.table.schema();
    if let Some(name) = by.iter().find(|name| schema.position(name).is_none()) {
        let near = did_you_mean(name, schema.names());
        return Err(SettingsError::NoColumnToFold { column: name.clone(), near }.into());
    }
    let path = to.path.clone().unwrap_or_else(|| PathBuf::from("-"));
    let output = Output::new(path, to.format, source.table.inputs()[0].format)?.with_formulas(to.formulas);
    if *purpose != Purpose::DryRun {
        output.check(&source.paths(), source.table.folders(), to.force)?;
    }
    Ok((by.clone(), output))
}

/// The columns that are not written, each of which must be there.
fn dropped(names: &[String], source: &Source) -> Result<Vec<String>, SettingsError> {
    let schema = source.table.schema();
    match names.iter().find(|name| schema.position(name).is_none()) {
        Some(name) => Err(SettingsError::NoColumnToDrop {
            column: name.clone(),
            near: did_you_mean(name, schema.names()),
        }),
        None => Ok(names.to_vec()),
    }
}

fn output(settings: &LabelSettings, source: &Source, purpose: &Purpose) -> Result<Output, WriteError> {
    let (table, to) = (&source.table, &settings.output);
    let formats: Vec<(&Path, Format)> =
        table.inputs().iter().map(|input| (input.path.as_path(), input.format)).collect();
    let output = match (&to.collected, &to.path) {
        (Some(collected), _) => Output::in_memory(collected),
        (None, Some(path)) => Output::new(path.clone(), to.format, formats[0].1)?,
        (None, None) if table.inputs().iter().any(Input::is_in_memory) => return Err(WriteError::NoPlace),
        // A folder's files change; a table beside one of them would be read as another.
        (None, None) if !table.folders().is_empty() => return Err(WriteError::NoDefault),
        (None, None) => Output::beside(&formats, to.format)?,
    };
    let output = output.with_formulas(to.formulas).when_empty(settings.input.when_empty(to.force));
    if *purpose != Purpose::DryRun {
        output.check(&source.paths(), table.folders(), to.force)?;
    }
    Ok(output)
}
