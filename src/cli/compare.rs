//! `compare`: is one judge better than another?

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::json;

use super::Ending;
use super::printer::Printer;
use crate::bench::comparison::{self, Comparison, Question};
use crate::bench::{Words, columns};
use crate::read::{Selection, Table, Understanding};
use crate::report;
use crate::report::counted;
use crate::run::{self, JudgeColumns, LabelledTable, Paired, Pairing, pair};
use crate::stats::Measure;
use crate::write;

/// Tell whether one judge is better than another, on the same rows.
///
/// Takes labelled tables with a column of gold, as `bench -o` or `label` write them: every judge found in them is held against the
/// first one. Differences come with 95 % intervals and p-values, Holm's where there are several; rows of one question are not taken
/// for independent. Nobody is called better on a difference that chance explains.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Labelled tables; the first judge of the first one is what the others are held against
    #[arg(required = true, value_name = "TABLE")]
    pub tables: Vec<PathBuf>,

    /// The column that says what the label should be, of the first table [default: as for `bench`, by the task of the first judge]
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,

    /// The column by which rows are found again in the other tables [default: id or row_id where all tables have it; else question, call
    /// and definitions]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// Rows with the same value of this column belong together [default: question_id, if there is one]
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,

    /// The label that means right, where it is not `correct`
    #[arg(long, value_name = "LABEL")]
    pub positive: Option<String>,

    /// The measure that decides
    #[arg(long, value_name = "MEASURE", default_value = "accuracy", value_parser = measure)]
    pub measure: Measure,

    /// Also say whether the others are worse by at most so much (non-inferiority)
    #[arg(long, value_name = "SHARE", value_parser = margin)]
    pub margin: Option<f64>,

    /// Exit with 1 unless all others are better than the first; with --margin, unless all are no worse by more
    #[arg(long)]
    pub gate: bool,

    /// Where a report goes: .md or .json; may be given several times
    #[arg(long = "report", value_name = "FILE")]
    pub reports: Vec<PathBuf>,

    /// Replace files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,

    /// Say nothing but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

pub fn run(args: &CompareArgs) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.quiet };
    for path in &args.reports {
        if !matches!(path.extension().and_then(|ending| ending.to_str()), Some("md" | "json")) {
            bail!("--report {}: a report ends in .md or .json", path.display());
        }
        write::check_text(path, args.force)?;
    }
    let tables = tables(args, printer)?;
    let pairing = pairing(args, &tables)?;
    let paired = pair(&tables, &pairing)?;
    remark(&tables, &pairing, &paired, printer)?;
    let question = Question { measure: args.measure, margin: args.margin };
    let comparisons = comparison::compare(&paired.rows, &paired.entrants, question);
    let names = names(&tables);
    if let Some(found) = comparisons.iter().find(|found| found.rows == 0) {
        bail!(
            "no row with gold has a label of both {} and {}: are these tables of the same rows? --id names the column by which \
             they are found",
            names[found.a],
            names[found.b]
        );
    }
    let record = json!({
        "kind": "tooljudge compare",
        "tables": args.tables.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "gold": pairing.gold,
        "measure": args.measure.as_str(),
        "margin": args.margin,
        "judges": names,
        "comparisons": comparisons,
    });
    let text = report::comparison(&names, &comparisons, question);
    let text = format!("by the column `{}`\n\n{text}", pairing.gold);
    for path in &args.reports {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => write::write_text(path, &format!("{record:#}\n"))?,
            _ => write::write_text(path, &format!("<!-- tooljudge compare -->\n\n```text\n{text}\n```\n"))?,
        }
    }
    if args.json {
        printer.data(&format!("{record:#}"));
    } else if !args.quiet {
        printer.data(&text);
    }
    Ok(ending(args, &comparisons))
}

fn ending(args: &CompareArgs, comparisons: &[Comparison]) -> Ending {
    let passes = |found: &Comparison| match found.non_inferior {
        Some(no_worse) => no_worse,
        None => found.verdict == comparison::Verdict::Better,
    };
    if args.gate && !comparisons.iter().all(passes) { Ending::GateFailed } else { Ending::Done }
}

fn tables(args: &CompareArgs, printer: Printer) -> anyhow::Result<Vec<LabelledTable>> {
    let mut tables = Vec::new();
    for path in &args.tables {
        let inputs = [path.display().to_string()];
        let table = Table::open(&inputs, Understanding::default(), Selection::default())?;
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let judges = run::judges(&name, &table)?;
        if judges.is_empty() {
            bail!(
                "{}: no judge's labels are in it: there should be columns `label` and `status`, as `tooljudge label` and `bench -o` \
                 write them",
                path.display()
            );
        }
        tables.push(LabelledTable { name, table, judges });
    }
    if args.gold.is_none() {
        leave_out_other_tasks(&mut tables, printer);
    }
    if tables.iter().map(|table| table.judges.len()).sum::<usize>() < 2 {
        bail!("there is only one judge in {}; give a second table", args.tables[0].display());
    }
    Ok(tables)
}

/// Judges of another task than the first one's have another gold.
fn leave_out_other_tasks(tables: &mut [LabelledTable], printer: Printer) {
    let first = tables.first().and_then(|table| table.judges.first());
    let Some(task) = first.map(JudgeColumns::task) else { return };
    for table in tables {
        let (kept, others): (Vec<_>, Vec<_>) = table.judges.drain(..).partition(|judge| judge.task() == task);
        table.judges = kept;
        for other in others {
            printer.warn(&format!(
                "{} ({}) is left out: its task is not that of the first judge; --gold names a gold for all",
                other.judge,
                other.template.as_deref().unwrap_or("no template")
            ));
        }
    }
}

fn pairing(args: &CompareArgs, tables: &[LabelledTable]) -> anyhow::Result<Pairing> {
    let has = |table: &LabelledTable, name: &str| table.table.schema().position(name).is_some();
    let names: Vec<&str> = tables[0].table.schema().names().collect();
    let task = tables[0].judges.first().and_then(JudgeColumns::task);
    let gold = match &args.gold {
        Some(gold) => Some(gold.as_str()),
        None => columns::gold(task, &names),
    };
    let Some(gold) = gold.filter(|gold| has(&tables[0], gold)) else {
        bail!("{}: no column says what the labels should be; name it with --gold", args.tables[0].display());
    };
    let id = match &args.id {
        Some(id) => match tables.iter().position(|table| !has(table, id)) {
            Some(at) => bail!("{}: there is no column `{id}`", args.tables[at].display()),
            None => Some(id.clone()),
        },
        None => {
            let everywhere = |id: &&str| tables.iter().all(|table| has(table, id));
            columns::IDS.into_iter().find(everywhere).map(str::to_owned)
        }
    };
    let cluster = match &args.cluster {
        Some(cluster) if !has(&tables[0], cluster) => {
            bail!("{}: there is no column `{cluster}`", args.tables[0].display())
        }
        Some(cluster) => Some(cluster.clone()),
        None => columns::CLUSTERS.into_iter().find(|name| has(&tables[0], name)).map(str::to_owned),
    };
    let words = args.positive.as_deref().map_or_else(Words::default, Words::right);
    Ok(Pairing { gold: gold.to_owned(), id, cluster, words })
}

fn remark(
    tables: &[LabelledTable],
    pairing: &Pairing,
    paired: &Paired,
    printer: Printer,
) -> anyhow::Result<()> {
    if paired.rows.golds.iter().all(|gold| gold.right.iter().all(Option::is_none)) {
        bail!("no row of {} has a gold in the column `{}`", tables[0].name, pairing.gold);
    }
    for (at, table) in tables.iter().enumerate() {
        let (strangers, other_gold) = (paired.strangers[at], paired.other_gold[at]);
        if strangers > 0 {
            printer.warn(&format!(
                "{} of {} {} not in {}: left out",
                counted(strangers, "row"),
                table.name,
                if strangers == 1 { "is" } else { "are" },
                tables[0].name
            ));
        }
        if other_gold > 0 {
            printer.warn(&format!(
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

fn measure(text: &str) -> Result<Measure, String> {
    Measure::ALL
        .into_iter()
        .find(|measure| measure.as_str() == text)
        .ok_or_else(|| format!("use one of {}", Measure::ALL.map(Measure::as_str).join(", ")))
}

fn margin(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(margin) if margin > 0.0 && margin <= 1.0 => Ok(margin),
        _ => Err("expected a share above 0: being worse by nothing at all cannot be shown".to_owned()),
    }
}
