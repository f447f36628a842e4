//! A checked plan of a labelling run: errors in settings are reported before anything is judged or paid for.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::identity::ShardIdentity;
use super::report::ReportWatch;
use super::stored::StoredWatch;
use crate::bench::calibration::Calibrated;
use crate::bench::{Words, columns};
use crate::domain::did_you_mean;
use crate::normalize::columns::Place;
use crate::read::{Format, InMemory, Input};
use crate::run::bench::{check_met, read_errata, unmet_errata};
use crate::run::input::Shard;
use crate::run::outputs::check_places;
use crate::run::panel::{Purpose, calibrated, run_name, wanted};
use crate::run::settings::{LabelSettings, OutputSettings, SettingsError};
use crate::run::{
    BenchError, Ceiling, Control, Destination, FoldWatch, GroupWatch, ListWatch, Listed, Member, NamedGold,
    Observer, Panel, RateInput, RateWatch, RunError, Session, Source, Summary, TOOL,
};
use crate::write::{self, InPlace, Output, WhenEmpty, WriteError, check_text};

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
    /// Whether these are not all rows of the input.
    is_part: bool,
    /// Where the list of all rows goes.
    pub(super) junit: Option<PathBuf>,
    /// Where the page of all rows goes.
    report: Option<PathBuf>,
    /// Columns to fold by, and where the folds go.
    pub(super) fold: Option<(Vec<String>, Output)>,
    pub(super) max_fail: Vec<Ceiling>,
    /// What is right by the names of rows.
    gold: Option<NamedGold>,
    /// Columns for each of whose values the share that passes is told.
    by: Vec<String>,
    /// How many of the rows that fail are kept.
    pub(super) failures: usize,
    /// Whether the share that passes is told with its interval, though nothing corrects it.
    rate: bool,
    /// Whether a table must hold what was read of some stored reply.
    needs_stored: bool,
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
        let mut source = Source::open_wanted(&settings.input, &wanted, false, observer)?;
        source.shard = settings.shard;
        source.announce(observer);
        let output = output(&settings, &source, purpose)?;
        let fold = settings.fold.as_ref().map(|fold| folded(fold, &source, purpose)).transpose()?;
        if let Some(report) = &settings.report {
            check_report(report, settings.output.force, purpose)?;
        }
        let inputs: Vec<&Path> = source.paths().into_iter().chain(settings.errata.as_deref()).collect();
        let others: Vec<&PathBuf> = fold
            .iter()
            .map(|(_, folds)| &folds.path)
            .chain(&settings.junit)
            .chain(&settings.report)
            .collect();
        if !others.is_empty() {
            check_places(&inputs, std::iter::once(&output.path).chain(others))?;
        }
        if let Some(junit) = settings.junit.as_ref().filter(|_| *purpose != Purpose::DryRun) {
            check_text(junit, settings.output.force)?;
        }
        if settings.shard.is_some() && settings.panel.store.fresh && settings.panel.models() > 0 {
            control.observer.warning(
                "--fresh asks everything again each time that this command is started: a shard that is started again after it was \
                 stopped is paid for twice. A new --store asks everything once",
            );
        }
        let run = run_name();
        let panel = Panel::build(&settings.panel, &run, purpose, (&settings.prefix, 1), observer)?;
        if let Some((by, _)) = &fold
            && let Some(name) = FoldWatch::new(by, &panel).clash()
        {
            return Err(SettingsError::FoldClash(name).into());
        }
        let destination = Destination::of(&panel, &source, output, settings.overwrite)?;
        let by = grouped(&settings.by, &source)?;
        let folded_by = fold.iter().flat_map(|(by, _)| by);
        let counted: Vec<String> = by.iter().chain(folded_by).cloned().collect();
        let mut destination = destination.without(&dropped(&settings, &source)?, &counted);
        let manifest = panel.manifest(run, &settings.input, &source);
        if destination.output.has_manifest() && !settings.output.force {
            let mut own = manifest.started();
            if let Some(Shard { index, count }) = settings.shard {
                own["shard"] = json!({ "index": index, "count": count });
            }
            let in_place = InPlace::found(&destination.output.path, own);
            if let Some(what) = in_place.other_part().filter(|_| settings.shard.is_some()) {
                return Err(
                    SettingsError::ShardReplaces { path: destination.output.path.clone(), what }.into()
                );
            }
            if let Some(what) = in_place.otherwise() {
                let path = destination.output.path.display();
                let replaces = if *purpose == Purpose::DryRun {
                    "a run without --dry-run replaces"
                } else {
                    "this run replaces"
                };
                observer.warning(&format!(
                    "{path} holds a table that was labeled {what}; {replaces} it if there are rows, and -o FILE keeps both"
                ));
            }
            destination.in_place = Some(in_place);
        }
        let calibrated = match &settings.calibration {
            Some(file) => calibrated(file, &panel, observer)?,
            None => Vec::new(),
        };
        let named = |file| named_gold(file, &settings, &panel, &source, observer);
        let gold = settings.errata.as_deref().map(named).transpose()?;
        let shard = ShardIdentity::new(&settings, &source, &destination, &panel, &manifest)?;
        let session = Session { panel, manifest, control: control.clone() };
        Ok(Plan {
            source: Arc::new(source),
            destination: Arc::new(destination),
            session,
            calibrated,
            shard,
            partial: settings.partial,
            is_part: settings.input.selects() || settings.shard.is_some(),
            junit: settings.junit,
            report: settings.report,
            fold,
            max_fail: settings.max_fail,
            gold,
            by,
            failures: settings.failures,
            rate: settings.rate,
            needs_stored: matches!(purpose, Purpose::Resnap { .. }) && !settings.output.force,
        })
    }

    /// What counts by the values of columns, where that was asked for.
    pub(super) fn grouping(&self) -> Option<GroupWatch> {
        let rails = || self.session.panel.members.iter().map(Member::rails).collect();
        (!self.by.is_empty()).then(|| GroupWatch::new(&self.by, rails()))
    }

    /// What looks for stored replies, where nobody is asked and a table without any is not wanted.
    pub(super) fn storing(&self) -> Option<StoredWatch> {
        self.needs_stored.then(|| StoredWatch::new(&self.session.panel))
    }

    /// What folds labels, where that was asked for.
    pub(super) fn folding(&self) -> Option<FoldWatch> {
        self.fold.as_ref().map(|(by, _)| FoldWatch::new(by, &self.session.panel))
    }

    /// What takes rows down for their page, where there is to be one.
    pub(super) fn reporting(&self) -> Result<Option<ReportWatch>, RunError> {
        let left_out = self.destination.left_out();
        let watch = |path: &PathBuf| ReportWatch::new(path, &self.session.panel, &self.source, &left_out);
        self.report.as_ref().map(watch).transpose()
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
        let judge_task = |(at, member): (usize, &Member)| RateInput {
            rails: member.rails(),
            gold: match &self.gold {
                Some(_) => Some(gold_column(member, &names).to_owned()),
                None => columns::gold(member.task(), &names).map(str::to_owned),
            },
            mixes: self
                .calibrated
                .get(at)
                .map(|known| known.mixes(names.iter().copied()))
                .unwrap_or_default(),
            base_rate: member.base_rate(),
            words: member.words(),
        };
        let inputs: Vec<RateInput> = self.session.panel.members.iter().enumerate().map(judge_task).collect();
        let is_told = |input: &RateInput| input.gold.is_some() || input.rails.is_graded();
        let wanted = self.rate || !self.calibrated.is_empty() || inputs.iter().any(is_told);
        let has_draws = columns::has_draws(names.iter().copied());
        wanted.then(|| RateWatch::new(inputs, self.gold.clone(), has_draws))
    }

    /// `summaries` with the rates that were gathered.
    pub(super) fn rated(&self, mut summaries: Vec<Summary>, rates: Option<RateWatch>) -> Vec<Summary> {
        let Some(rates) = rates else { return summaries };
        if let Some(warning) = unmet_errata(&rates.unmet(), self.is_part) {
            self.session.control.observer.warning(&warning);
        }
        let means: Vec<_> = (0..summaries.len()).map(|at| rates.mean_score(at)).collect();
        for (summary, mean) in summaries.iter_mut().zip(means) {
            summary.mean_score = mean;
        }
        let mixes: Vec<_> = (0..summaries.len()).map(|at| rates.mix_warnings(at)).collect();
        let RateWatch { labels, agreements, .. } = rates;
        for (at, (summary, (labels, agreement))) in
            summaries.iter_mut().zip(labels.into_iter().zip(agreements)).enumerate()
        {
            summary.gold = agreement;
            let mut rate = labels.rate(self.calibrated.get(at));
            if rate.corrected.is_some() {
                rate.warnings.extend(mixes[at].iter().cloned());
            }
            let is_told = self.rate || summary.mean_score.is_some() || !self.calibrated.is_empty();
            let column = summary.gold.as_ref().map_or(columns::gold_name(None), |gold| gold.column.as_str());
            if let Some(marked) =
                rate.marked.as_mut().filter(|marked| marked.marks == 0 && marked.unmarked > 0)
            {
                let unmarked = marked.unmarked;
                marked.refused =
                    Some(format!("none of the {unmarked} drawn rows is marked in the column `{column}`"));
            }
            let is_marked =
                rate.marked.as_ref().is_some_and(|marked| marked.marks + marked.chosen + marked.unmarked > 0);
            summary.rate = (is_told || rate.gold_rows > 0 || is_marked).then_some(rate);
        }
        summaries
    }
}

/// The column of gold for a member: the table's own, else the one that gold for its task is best put in.
fn gold_column<'a>(member: &Member, names: &[&'a str]) -> &'a str {
    columns::gold(member.task(), names).unwrap_or(columns::gold_name(member.task()))
}

/// What the table `file` says of rows, which it names.
fn named_gold(
    file: &Path,
    settings: &LabelSettings,
    panel: &Panel,
    source: &Source,
    observer: &dyn Observer,
) -> Result<NamedGold, RunError> {
    let names: Vec<&str> = source.table.schema().names().collect();
    let id = match &settings.id {
        Some(id) if names.contains(&id.as_str()) => id.clone(),
        Some(id) => {
            let (column, columns) = (id.clone(), names.join(", "));
            return Err(BenchError::NoColumn { flag: "id", column, columns }.into());
        }
        None => match columns::NAMES.into_iter().find(|name| names.contains(name)) {
            Some(id) => id.to_owned(),
            None => return Err(BenchError::ErrataWithoutNames.into()),
        },
    };
    // The task's own name is the surest: what a page saves is called so, whatever the log calls it.
    let names_of = |member: &Member| {
        vec![columns::gold_name(member.task()).to_owned(), gold_column(member, &names).to_owned()]
    };
    let golds: Vec<Vec<String>> = panel.members.iter().map(names_of).collect();
    let rails: Vec<_> = panel.members.iter().map(Member::rails).collect();
    let words = Words::of(rails.iter().map(|rails| &**rails)).unwrap_or_default();
    let errata = read_errata(file, &id, &golds, &words)?;
    check_met((file, &errata), &id, (&source.table, &settings.input), observer)?;
    Ok(NamedGold { errata: errata.into(), id })
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

/// An error where no page can be written to `path`.
fn check_report(path: &Path, force: bool, purpose: &Purpose) -> Result<(), RunError> {
    if !matches!(path.extension().and_then(|ending| ending.to_str()), Some("html" | "htm")) {
        return Err(SettingsError::NotAPage(path.to_owned()).into());
    }
    if *purpose != Purpose::DryRun {
        write::check_text(path, force)?;
    }
    Ok(())
}

/// The columns to group by, each of which must be there: itself, or as a place in one.
fn grouped(names: &[String], source: &Source) -> Result<Vec<String>, SettingsError> {
    let schema = source.table.schema();
    let is_there = |name: &str| {
        name == TOOL
            || schema.other_keys().is_some()
            || Place::of(name, &|column| schema.position(column).is_some()).is_some()
    };
    match names.iter().find(|name| !is_there(name)) {
        Some(name) => Err(SettingsError::NoColumnToGroup {
            column: name.clone(),
            near: did_you_mean(name, schema.names().chain([TOOL])),
        }),
        None => {
            let mut met = HashSet::new();
            Ok(names.iter().filter(|name| met.insert(*name)).cloned().collect())
        }
    }
}

/// The columns of the input that are not written. Those that are named must be there, and not both kept and dropped.
fn dropped(settings: &LabelSettings, source: &Source) -> Result<Vec<String>, SettingsError> {
    let LabelSettings { keep, drop, .. } = settings;
    let schema = source.table.schema();
    let missing = |names: &[String]| {
        let name = names.iter().find(|name| schema.position(name).is_none())?;
        let own = schema.names().filter(|name| *name != InMemory::ROW);
        Some((name.clone(), did_you_mean(name, own)))
    };
    if let Some((column, near)) = missing(keep) {
        return Err(SettingsError::NoColumnToKeep { column, near });
    }
    if let Some((column, near)) = missing(drop) {
        return Err(SettingsError::NoColumnToDrop { column, near });
    }
    if let Some(name) = drop.iter().find(|name| keep.contains(name)) {
        return Err(SettingsError::KeptAndDropped(name.clone()));
    }
    // By its number a row of a table in memory finds its way back.
    let is_kept =
        |name: &str| keep.is_empty() || name == InMemory::ROW || keep.iter().any(|keep| keep == name);
    let others = schema.names().filter(|name| !is_kept(name)).map(str::to_owned);
    Ok(drop.iter().cloned().chain(others.filter(|name| !drop.contains(name))).collect())
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
    let output = output.with_formulas(to.formulas).when_empty(WhenEmpty::unless(to.force));
    if *purpose != Purpose::DryRun {
        output.check(&source.paths(), table.folders(), to.force)?;
    }
    Ok(output)
}
