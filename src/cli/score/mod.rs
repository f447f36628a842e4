//! `score`: flags and settings file in; scores and exit code out.

pub mod args;
mod page;
pub mod report;
mod settings;

pub use settings::options;
use settings::{as_typed, of_one_layer};

use anyhow::{anyhow, bail};
use args::{BfclArgs, ScoreArgs, SettingArgs};
use serde_json::json;

use super::config::Config;
use super::flags::flag;
use super::host::Host;
use super::judging::{Judging, panel};
use super::layers::{Layered, Origins};
use super::printer::Printer;
use super::step_summary::StepSummaryFile;
use super::{Ending, failing, job};
use crate::read::Take;
use crate::report::{Column, GateVerdict, Table, counted};
use crate::run::settings::{BfclFiles, InputKind, OutputSettings, ScoreSettings};
use crate::run::{self, RunError, ScoreSummary, Tally};
use crate::score::{SCORERS, Scorer};
use crate::write;

/// What is printed of scores, and what they must reach.
#[derive(Debug, Clone)]
struct Shown {
    json: bool,
    min_pass_rate: Option<f64>,
    allow_failures: bool,
    allow_empty: bool,
    /// Where the page of a build is written, if there is one.
    step_summary: Option<StepSummaryFile>,
}

pub fn run(args: Layered<ScoreArgs>, config: &Config, host: &Host) -> anyhow::Result<Ending> {
    let Layered { typed, args, origins } = args;
    config.say(&origins, host.printer(typed.result.quiet));
    let (scoring, typed) = (typed.scoring.clone(), typed.judge.judging());
    let printer = host.printer(args.result.quiet);
    if args.scorers {
        printer.data(&scorers(printer.width_of_list()));
        return Ok(Ending::Done);
    }
    let shown = Shown {
        json: args.result.json,
        min_pass_rate: args.result.min_pass_rate,
        allow_failures: args.result.allow_failures,
        allow_empty: args.result.allow_empty,
        step_summary: StepSummaryFile::of(host),
    };
    let judging = args.judge.judging();
    let panel = match judging.judges.is_empty() {
        true => {
            let idle = typed.of_models();
            if !idle.is_empty() {
                printer.warn(&format!("{} does nothing without --judge", idle.join(", ")));
            }
            None
        }
        false => {
            let (typed, args, origins) = (&typed, &judging, &origins);
            let judging = Judging { typed, args, origins, config, host, tells_routes: true, flag: "--judge" };
            Some(panel(&judging, &[], printer)?)
        }
    };
    let others = args.scoring.others.clone();
    let settings = ScoreSettings { panel, ..settings(args, &scoring, &origins, host)? };
    job::run(host, printer, async |control| {
        let found = run::score(settings, control).await.map_err(|error| match error {
            RunError::Score(why) => as_typed(&why, &others, &origins)
                .map_or_else(|| RunError::Score(why).into(), |why| anyhow!(why)),
            error => anyhow::Error::from(error),
        });
        show(&found?, &shown, printer)
    })
}

fn settings(
    args: ScoreArgs,
    typed: &SettingArgs,
    origins: &Origins,
    host: &Host,
) -> anyhow::Result<ScoreSettings> {
    let from = match args.cases.from {
        Some(InputKind::File(format)) => Some(format),
        None => None,
        Some(_) => bail!("--from: cases are tables; name a file format"),
    };
    let tables = host.tables.clone();
    let bfcl = bfcl(args.bfcl, !(args.inputs.is_empty() && tables.is_empty()), origins)?;
    Ok(ScoreSettings {
        inputs: if tables.is_empty() { args.inputs } else { Vec::new() },
        tables,
        from,
        columns: args.cases.columns,
        filters: args.cases.filters,
        take: args.cases.limit.map_or(Take::All, Take::First),
        bfcl,
        scorer: args.scorer,
        compat: args.compat,
        panel: None,
        options: options(typed, &args.scoring)?,
        functions: host.own_functions.clone(),
        demanded: of_one_layer(typed)?.iter().map(|(key, _)| key.to_owned()).collect(),
        output: host.output(OutputSettings {
            path: args.output,
            format: args.to,
            collected: None,
            formulas: args.spreadsheet.formulas(),
            force: args.result.force,
        }),
        prefix: args.result.prefix.unwrap_or_default(),
        overwrite: args.result.overwrite,
        junit: args.result.junit,
        report: args.result.report,
    })
}

/// BFCL's own files, where they are what is scored: cases that are given go before those of a settings file.
fn bfcl(args: BfclArgs, has_cases: bool, origins: &Origins) -> anyhow::Result<Option<BfclFiles>> {
    const FILES: [&str; 3] = ["questions", "answers", "results"];
    if has_cases {
        return match FILES.into_iter().find(|key| origins.given.is_on(key)) {
            Some(key) => bail!("{} has no effect beside cases: give either of them", flag(key)),
            None => Ok(None),
        };
    }
    match (args.questions, args.answers, args.results) {
        (Some(questions), Some(answers), Some(results)) => {
            let underscore_to_dot = args.underscore_to_dot;
            Ok(Some(BfclFiles { questions, answers, results, underscore_to_dot }))
        }
        (None, None, None) => bail!(
            "there is nothing to score: give cases, or BFCL's own files as --questions, --answers and --results"
        ),
        _ => {
            let place = FILES.into_iter().find_map(|key| origins.place(key));
            let place = place.map_or_else(String::new, |place| format!("{place}: "));
            bail!("{place}--questions, --answers and --results belong together: give all three")
        }
    }
}

fn show(found: &ScoreSummary, shown: &Shown, printer: Printer<'_>) -> anyhow::Result<Ending> {
    let ScoreSummary { scorer, compares, tally, judge, output } = found;
    let to_stdout = output.as_deref().is_some_and(write::is_stdout);
    let text = if shown.json {
        let mut summary = tally.to_json();
        summary["compares"] = json!(compares);
        if let Some(judge) = judge {
            summary["judge"] = run::asked(judge);
        }
        format!("{summary:#}")
    } else {
        let text = report::render(tally, scorer, compares, printer.width(to_stdout));
        judge.iter().fold(text, |text, judge| format!("{text}\n\n{}", report::asked(judge)))
    };
    match (to_stdout, printer.quiet && !shown.json) {
        (_, true) => {}
        (true, false) => printer.talk(&text),
        (false, false) => printer.data(&text),
    }
    if let Some(output) = output.as_ref().filter(|_| !to_stdout) {
        printer.talk(&format!("\nwritten  {}", output.display()));
    }
    let (ending, verdict) = gate(tally, shown, printer);
    if let Some(file) = &shown.step_summary {
        file.append(&page::page(tally, scorer, verdict), printer);
    }
    match tally.cases {
        0 if !shown.allow_empty => bail!("{NO_CASES}; --allow-empty accepts that"),
        _ => Ok(ending),
    }
}

const NO_CASES: &str = "the input has no cases";

/// Whether enough cases pass: the share that is asked for, or else all of them. Names those that fail.
fn gate(tally: &Tally, shown: &Shown, printer: Printer<'_>) -> (Ending, GateVerdict) {
    match tally.cases {
        0 if shown.allow_empty => {
            printer.talk("there are no cases, which is accepted: no gate was checked");
            return (Ending::Done, GateVerdict::Empty);
        }
        0 => return (Ending::GateFailed, GateVerdict::Failed(vec![NO_CASES.to_owned()])),
        _ => {}
    }
    // Failures that are accepted are those of agents, and here nothing was said of any.
    if shown.allow_failures && tally.errored() == tally.cases {
        let first = tally.errors.iter().next().map(|(kind, (_, why))| format!("; the first: {kind}: {why}"));
        printer.warn(&format!("no case has a score{}", first.unwrap_or_default()));
    }
    if tally.allowed_any_call > 0 {
        printer.warn(&format!(
            "{} of {} expect no call, and count as right although calls were made; --allow-extras false fails them, and every case with \
             a call beside the expected ones",
            tally.allowed_any_call,
            counted(tally.cases, "case")
        ));
    }
    let (passed, decided) = (tally.passed, tally.decided());
    let (why, verdict) = match shown.min_pass_rate {
        Some(share) if tally.reaches(share) => {
            (None, GateVerdict::Passed(vec![format!("--min-pass-rate {share}")]))
        }
        Some(share) => {
            let why = format!(
                "{passed} of {decided} cases passed, fewer than the share of {share} that --min-pass-rate asks for"
            );
            (Some(why.clone()), GateVerdict::Failed(vec![why]))
        }
        None if shown.allow_failures => (None, GateVerdict::NoGate),
        None if passed == decided && decided > 0 => (None, GateVerdict::NoGate),
        None => {
            let why = match decided {
                0 => "no case passed or failed: they have no threshold, or a grade is missing; --allow-failures accepts it"
                    .to_owned(),
                _ => report::unallowed(decided - passed, decided, "case"),
            };
            (Some(why.clone()), GateVerdict::Failed(vec![why]))
        }
    };
    failing::name_cases(tally, why.is_some(), printer);
    let Some(why) = why else { return (Ending::Done, verdict) };
    match shown.min_pass_rate {
        Some(_) => printer.gate(&why),
        None => printer.failure(&why),
    }
    (Ending::GateFailed, verdict)
}

fn scorers(width: usize) -> String {
    let mut grid = Table::new([Column::Name, Column::Words]);
    for Scorer { name, peers, .. } in SCORERS {
        let peers = if peers.is_empty() { String::new() } else { format!("--compat {}", peers.join(", ")) };
        grid.add_row([(*name).to_owned(), peers]);
    }
    grid.text(width)
}
