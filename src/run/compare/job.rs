//! The comparison job: labelled tables in, comparisons out.

use std::path::Path;

use serde_json::{Value, json};

use super::{CompareError, JudgeColumns, LabelledTable, Paired, Pairing, episodes, judges, pair};
use crate::bench::comparison::{self, Comparison, Question};
use crate::bench::{Words, columns};
use crate::read::{Selection, Table, Understanding};
use crate::report::{self, Compared, counted};
use crate::run::drive::passes;
use crate::run::settings::{CompareSettings, ComparedTable};
use crate::run::{Observer, RunError};
use crate::stats::Measure;
use crate::write;

/// What a comparison came to.
#[derive(Debug)]
pub struct CompareSummary {
    /// What was compared.
    pub compared: Compared,
    /// The column of gold; of agents, whether their episodes passed.
    pub gold: String,
    /// The judges or agents by name; the first is what the others are compared with.
    pub judges: Vec<String>,
    /// Each of the others with the first.
    pub comparisons: Vec<Comparison>,
    /// The measure that decides, and the margin.
    pub question: Question,
    /// The label that counts as right, where it was named.
    pub positive: Option<String>,
    /// All of it, as its JSON report holds it.
    pub record: Value,
}

impl CompareSummary {
    /// The comparisons in words, on lines of at most 100 columns.
    pub fn to_text(&self) -> String {
        self.to_text_within(report::USUAL_WIDTH)
    }

    /// The comparisons in words, on lines of at most `width` columns, from 60 up.
    pub fn to_text_within(&self, width: usize) -> String {
        let positive = self.positive.as_deref();
        let text = report::comparison(
            self.compared,
            &self.judges,
            &self.comparisons,
            self.question,
            positive,
            width,
        );
        format!("{}\n\n{text}", report::wrapped(&format!("by the column `{}`", self.gold), " ", width))
    }

    /// What each of the others left out that the first did not, in words: it counts neither for nor against them.
    pub fn gaps(&self) -> Vec<String> {
        let (item, lacks) = match self.compared {
            Compared::Judges => ("row", "label"),
            Compared::Agents => ("episode", "score"),
        };
        let gap = |found: &Comparison| {
            let [first, other] = &found.alone;
            (other.labelled < first.labelled).then(|| {
                format!(
                    "{} has no {lacks} in {} of {}, {} in {}: these do not count",
                    self.judges[found.b],
                    other.rows - other.labelled,
                    counted(other.rows, item),
                    self.judges[found.a],
                    first.rows - first.labelled
                )
            })
        };
        self.comparisons.iter().filter_map(gap).collect()
    }

    /// Whether all others are better than the first judge; with a margin, whether all are no worse by more.
    pub fn passes(&self) -> bool {
        // Where most episodes have no pair, those that have say little.
        let is_known = |found: &Comparison| self.compared == Compared::Judges || found.unpaired <= found.rows;
        let passes = |found: &Comparison| match found.non_inferior {
            Some(no_worse) => no_worse,
            None => found.verdict == comparison::Verdict::Better,
        };
        self.comparisons.iter().all(|found| is_known(found) && passes(found))
    }
}

/// Tells whether one judge is better than another on the same rows, or one agent in the same cases: every one that is found in the
/// tables is compared with the first.
///
/// # Errors
/// If the settings cannot hold, a table cannot be read, or there are not two judges with labels of the same rows.
///
/// ```
/// use tooljudge::domain::Task;
/// use tooljudge::run::settings::{CompareSettings, LabelSettings, OutputSettings, PanelSettings};
/// use tooljudge::run::{Silent, compare, label_blocking};
///
/// # let folder = tempfile::tempdir()?;
/// let tasks = [Task::ToolCalling, Task::ToolSelection];
/// let tables = tasks.map(|task| folder.path().join(format!("{}.csv", task.as_str())));
/// for (task, table) in tasks.iter().zip(&tables) {
///     label_blocking(LabelSettings {
///         panel: PanelSettings { tasks: vec![*task], ..PanelSettings::default() },
///         output: OutputSettings { path: Some(table.clone()), ..OutputSettings::default() },
///         ..LabelSettings::new(["datasets/quickstart.csv"])
///     })?;
/// }
/// let gold = Some("gold".to_owned());
/// let summary = compare(CompareSettings { gold, ..CompareSettings::new(tables) }, &Silent)?;
/// assert_eq!((summary.judges.len(), summary.comparisons.len()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(settings: CompareSettings, observer: &dyn Observer) -> Result<CompareSummary, RunError> {
    for path in &settings.reports {
        if !matches!(path.extension().and_then(|ending| ending.to_str()), Some("md" | "json")) {
            return Err(CompareError::ReportEnding(path.clone()).into());
        }
        write::check_text(path, settings.force)?;
    }
    let opened = open(&settings)?;
    let are_agents = match (settings.by, opened.first()) {
        (Some(by), _) => by == Compared::Agents,
        (None, Some((_, name, table))) => passes::missing(table).is_none() && judges(name, table)?.is_empty(),
        (None, None) => false,
    };
    if are_agents {
        return finish(&settings, of_agents(&settings, &opened)?);
    }
    let tables = tables(&settings, opened, observer)?;
    let pairing = pairing(&settings, &tables)?;
    let paired = pair(&tables, &pairing)?;
    check(&tables, &pairing, &paired, observer)?;
    if let Some(positive) = &settings.positive
        && !paired.says_right()
    {
        let (positive, table) = (positive.clone(), tables[0].name.clone());
        return Err(CompareError::NoPositive { positive, table }.into());
    }
    let question =
        Question { measure: settings.measure, margin: settings.margin, all_pairs: settings.all_pairs };
    let comparisons = comparison::compare(&paired.rows, &paired.contenders, question);
    let names = names(&tables);
    if let Some(found) = comparisons.iter().find(|found| found.rows == 0) {
        let (a, b) = (names[found.a].clone(), names[found.b].clone());
        return Err(CompareError::NothingInCommon { a, b }.into());
    }
    let found = Found { compared: Compared::Judges, gold: pairing.gold, names, comparisons };
    finish(&settings, found)
}

/// Who was compared, and what came of it.
struct Found {
    compared: Compared,
    gold: String,
    names: Vec<String>,
    comparisons: Vec<Comparison>,
}

/// The summary, and the reports.
fn finish(settings: &CompareSettings, found: Found) -> Result<CompareSummary, RunError> {
    let Found { compared, gold, names, comparisons } = found;
    let question =
        Question { measure: settings.measure, margin: settings.margin, all_pairs: settings.all_pairs };
    let who = match compared {
        Compared::Judges => "judges",
        Compared::Agents => "agents",
    };
    let record = json!({
        "kind": "tooljudge compare",
        "tables": settings.tables.iter().map(|table| table.path().display().to_string()).collect::<Vec<_>>(),
        "gold": gold,
        "measure": settings.measure.as_str(),
        "margin": settings.margin,
        who: names,
        "comparisons": comparisons,
    });
    let positive = settings.positive.clone();
    let summary = CompareSummary { compared, gold, judges: names, comparisons, question, positive, record };
    for path in &settings.reports {
        let text = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => format!("{:#}\n", summary.record),
            _ => format!("<!-- tooljudge compare -->\n\n```text\n{}\n```\n", summary.to_text()),
        };
        write::write_text(path, &text)?;
    }
    Ok(summary)
}

/// A table, its path and its name.
type Opened<'a> = (&'a Path, String, Table);

fn open(settings: &CompareSettings) -> Result<Vec<Opened<'_>>, RunError> {
    let open = |compared: &'_ ComparedTable| {
        let (files, in_memory) = match compared {
            ComparedTable::File(path) => (vec![path.display().to_string()], Vec::new()),
            ComparedTable::Memory(_, table) => (Vec::new(), vec![table.clone()]),
        };
        Table::open_with(&files, &in_memory, Understanding::default(), Selection::default())
    };
    let opened =
        settings.tables.iter().map(|compared| Ok((compared.path(), compared.name(), open(compared)?)));
    opened.collect()
}

fn of_agents(settings: &CompareSettings, tables: &[Opened]) -> Result<Found, RunError> {
    let of_judges = [
        ("--gold", settings.gold.is_some()),
        ("--id", settings.id.is_some()),
        ("--cluster", settings.cluster.is_some()),
        ("--positive", settings.positive.is_some()),
        ("--measure", settings.measure != Measure::Accuracy),
    ];
    if let Some((flag, _)) = of_judges.into_iter().find(|(_, given)| *given) {
        return Err(CompareError::ForJudges(flag).into());
    }
    let episodes::Agents { names, rows, contenders } = episodes::pair(tables)?;
    let question =
        Question { measure: settings.measure, margin: settings.margin, all_pairs: settings.all_pairs };
    let mut comparisons = comparison::compare(&rows, &contenders, question);
    if let Some(found) = comparisons.iter().find(|found| found.rows == 0) {
        let (a, b) = (names[found.a].clone(), names[found.b].clone());
        return Err(CompareError::NoCaseInCommon { a, b }.into());
    }
    // Where all that counts is whether episodes pass, the other measures have no meaning.
    let accuracy = Measure::Accuracy.as_str();
    comparisons.iter_mut().for_each(|found| found.differences.retain(|of| of.measure == accuracy));
    Ok(Found { compared: Compared::Agents, gold: "passed".to_owned(), names, comparisons })
}

fn tables(
    settings: &CompareSettings,
    opened: Vec<Opened<'_>>,
    observer: &dyn Observer,
) -> Result<Vec<LabelledTable>, RunError> {
    let mut tables = Vec::new();
    for (path, name, table) in opened {
        let judges = judges(&name, &table)?;
        if judges.is_empty() {
            return Err(CompareError::NoJudge(path.to_owned()).into());
        }
        tables.push(LabelledTable { name, table, judges });
    }
    let Some(first) = settings.tables.first() else { return Err(CompareError::NoTable.into()) };
    if settings.gold.is_none() {
        leave_out_other_tasks(&mut tables, observer);
    }
    if tables.iter().map(|table| table.judges.len()).sum::<usize>() < 2 {
        return Err(CompareError::OneJudge(first.path().to_owned()).into());
    }
    Ok(tables)
}

/// Judges of another task than the first one's have another gold.
fn leave_out_other_tasks(tables: &mut [LabelledTable], observer: &dyn Observer) {
    let first = tables.first().and_then(|table| table.judges.first());
    let Some(task) = first.map(JudgeColumns::task) else { return };
    for table in tables {
        let (kept, others): (Vec<_>, Vec<_>) = table.judges.drain(..).partition(|judge| judge.task() == task);
        table.judges = kept;
        for other in others {
            observer.warning(&format!(
                "{} ({}) is left out: its task differs from that of the first judge; --gold names one gold column for all",
                other.judge,
                other.template.as_deref().unwrap_or("no template")
            ));
        }
    }
}

fn pairing(settings: &CompareSettings, tables: &[LabelledTable]) -> Result<Pairing, CompareError> {
    let path = |at: usize| settings.tables[at].path().to_owned();
    let has = |table: &LabelledTable, name: &str| table.table.schema().position(name).is_some();
    let names: Vec<&str> = tables[0].table.schema().names().collect();
    let task = tables[0].judges.first().and_then(JudgeColumns::task);
    let gold = match &settings.gold {
        Some(gold) => Some(gold.as_str()),
        None => columns::gold(task, &names),
    };
    let Some(gold) = gold.filter(|gold| has(&tables[0], gold)) else {
        return Err(CompareError::NoGoldColumn(path(0)));
    };
    let id = match &settings.id {
        Some(id) => match tables.iter().position(|table| !has(table, id)) {
            Some(at) => {
                return Err(CompareError::NoColumn { table: path(at), column: id.clone() });
            }
            None => Some(id.clone()),
        },
        None => {
            let everywhere = |id: &&str| tables.iter().all(|table| has(table, id));
            columns::IDS.into_iter().find(everywhere).map(str::to_owned)
        }
    };
    let cluster = match &settings.cluster {
        Some(cluster) if !has(&tables[0], cluster) => {
            return Err(CompareError::NoColumn { table: path(0), column: cluster.clone() });
        }
        Some(cluster) => Some(cluster.clone()),
        None => columns::CLUSTERS.into_iter().find(|name| has(&tables[0], name)).map(str::to_owned),
    };
    let words = settings.positive.as_deref().map_or_else(Words::default, Words::right);
    Ok(Pairing { gold: gold.to_owned(), id, cluster, words })
}

fn check(
    tables: &[LabelledTable],
    pairing: &Pairing,
    paired: &Paired,
    observer: &dyn Observer,
) -> Result<(), CompareError> {
    if paired.rows.golds.iter().all(|gold| gold.right.iter().all(Option::is_none)) {
        let (table, column) = (tables[0].name.clone(), pairing.gold.clone());
        return Err(CompareError::NoGold { table, column });
    }
    for (at, table) in tables.iter().enumerate() {
        let (strangers, other_gold) = (paired.strangers[at], paired.other_gold[at]);
        if strangers > 0 {
            observer.warning(&format!(
                "{} of {} {} not in {}: left out",
                counted(strangers, "row"),
                table.name,
                if strangers == 1 { "is" } else { "are" },
                tables[0].name
            ));
        }
        if other_gold > 0 {
            observer.warning(&format!(
                "{} of {} {} another gold than in {}, which counts",
                counted(other_gold, "row"),
                table.name,
                if other_gold == 1 { "has" } else { "have" },
                tables[0].name
            ));
        }
    }
    Ok(())
}

/// Judges by name; as much more of where they come from as tells them apart.
fn names(tables: &[LabelledTable]) -> Vec<String> {
    let judges: Vec<[String; 3]> = tables
        .iter()
        .flat_map(|table| table.judges.iter().map(move |judge| (table, judge)))
        .map(|(table, judge)| {
            let template = judge.template.as_deref().unwrap_or_default();
            [
                judge.judge.clone(),
                format!("{} {template}", judge.judge),
                format!("{} ({})", judge.judge, table.name),
            ]
        })
        .collect();
    let is_alone = |at: usize, name: &str| judges.iter().filter(|names| names[at] == name).count() == 1;
    let name = |names: &[String; 3]| {
        let known = (0..2).find(|at| is_alone(*at, &names[*at])).unwrap_or(2);
        names[known].clone()
    };
    judges.iter().map(name).collect()
}
