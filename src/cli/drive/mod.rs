//! `drive`: flags and settings file in; scored episodes and exit code out.

pub mod args;
mod dry_run;
mod page;
mod report;
mod settings;

use std::path::Path;

use args::{DriveArgs, PassHat};
use serde_json::{Value, json};

use super::config::Config;
use super::host::Host;
use super::layers::Layered;
use super::printer::Printer;
use super::step_summary::StepSummaryFile;
use super::{Ending, failing, job};
use crate::environment::EnvironmentName;
use crate::report::{Column, GateVerdict, Table, counted};
use crate::run::{self, AgentSummary, BaselineComparison, DriveSummary, EpisodeLine};
use crate::write;

/// What is printed of episodes, and what they must reach.
struct Shown {
    json: bool,
    /// Whether each episode has a line.
    each: bool,
    min_pass_rate: Option<f64>,
    min_pass_hat: Option<PassHat>,
    allow_failures: bool,
    allow_unscored: f64,
    /// Where the page of a build is written, if there is one.
    step_summary: Option<StepSummaryFile>,
}

pub fn run(args: Layered<DriveArgs>, config: &Config, host: &Host) -> anyhow::Result<Ending> {
    let Layered { typed, args, origins } = args;
    config.say(&origins, host.printer(typed.result.quiet));
    let printer = host.printer(args.result.quiet);
    if args.tasks {
        printer.data(&tasks(printer.width_of_list()));
        return Ok(Ending::Done);
    }
    let shown = Shown {
        json: args.result.json,
        each: args.result.each,
        min_pass_rate: args.result.min_pass_rate,
        min_pass_hat: args.result.min_pass_hat,
        allow_failures: args.result.allow_failures,
        allow_unscored: args.result.allow_unscored.unwrap_or_default(),
        step_summary: StepSummaryFile::of(host),
    };
    let dry_run = args.dry_run;
    let settings = settings::Settings { typed: &typed, args: &args, origins: &origins, config, host };
    let settings = settings.drive(printer)?;
    job::run(host, printer, async |control| {
        if let Some(dialogues) = dry_run {
            let forecasts = run::drive_forecast(settings, dialogues, control)?;
            dry_run::show(&forecasts, shown.json, printer);
            return Ok(Ending::Done);
        }
        Ok(show(&run::drive(settings, control).await?, &shown, printer))
    })
}

fn show(found: &DriveSummary, shown: &Shown, printer: Printer<'_>) -> Ending {
    let is_taken = |path: &Option<std::path::PathBuf>| path.as_deref().is_some_and(write::is_stdout);
    let to_stdout = is_taken(&found.output) || is_taken(&found.turns);
    let text = if shown.json {
        format!("{:#}", to_json(found, shown.each))
    } else {
        report::render(found, shown.each, printer.width(to_stdout))
    };
    match (to_stdout, printer.quiet && !shown.json) {
        (_, true) => {}
        (true, false) => printer.talk(&text),
        (false, false) => printer.data(&text),
    }
    let written = [("episodes", &found.output), ("turns", &found.turns), ("history", &found.history)];
    for (what, path) in written.into_iter().filter_map(|(what, path)| Some((what, path.as_ref()?))) {
        if !write::is_stdout(path) {
            printer.talk(&format!("{what:<8} written to {}", path.display()));
        }
    }
    if found.ungraded > 0 {
        printer.warn(&format!(
            "{} a reference answer; --grade JUDGE asks whether the agent's answer agrees with it",
            if found.ungraded == 1 {
                "1 case has".to_owned()
            } else {
                format!("{} cases have", found.ungraded)
            }
        ));
    }
    let is_gated =
        shown.min_pass_rate.is_some() || shown.min_pass_hat.is_some() || !found.baseline.is_empty();
    let unallowed = if is_gated || shown.allow_failures { Vec::new() } else { unallowed(found) };
    let failures = failures(found, shown);
    let all: Vec<String> = failures.iter().chain(&unallowed).cloned().collect();
    let verdict = match (all.is_empty(), is_gated) {
        (false, _) => GateVerdict::Failed(all.clone()),
        (true, false) => GateVerdict::NoGate,
        (true, true) => GateVerdict::Passed(gates(shown, found)),
    };
    if let Some(file) = &shown.step_summary {
        file.append(&page::page(found, verdict), printer);
    }
    for agent in &found.agents {
        failing::name_cases(&agent.tally, !all.is_empty(), printer);
    }
    unallowed.iter().for_each(|why| printer.failure(why));
    match (Ending::of_gates(&failures, printer), unallowed.is_empty()) {
        (Ending::Done, false) => Ending::GateFailed,
        (ending, _) => ending,
    }
}

/// The agents that failed in episodes, or of which too little is known, a sentence each.
fn unallowed(found: &DriveSummary) -> Vec<String> {
    let of = |AgentSummary { agent, tally, episodes, .. }: &AgentSummary| {
        let failed = tally.decided() - tally.passed;
        if failed > 0 {
            let why = super::score::report::unallowed(failed, tally.decided(), "scored episode");
            return Some(format!("{agent}: {why}"));
        }
        // Those without a score are spoken of elsewhere.
        (tally.decided() * 2 < *episodes && tally.undecided > 0).then(|| {
            format!(
                "{agent}: only {} of {} passed or failed; --grade JUDGE grades answers, --allow-failures accepts it",
                tally.decided(),
                counted(*episodes, "episode")
            )
        })
    };
    found.agents.iter().filter_map(of).collect()
}

fn gates(shown: &Shown, found: &DriveSummary) -> Vec<String> {
    let rate = shown.min_pass_rate.map(|share| format!("--min-pass-rate {share}"));
    let hat = shown.min_pass_hat.map(|hat| format!("--min-pass-hat {}={}", hat.k, hat.least));
    let baseline = (!found.baseline.is_empty()).then(|| "--baseline".to_owned());
    rate.into_iter().chain(hat).chain(baseline).collect()
}

/// What falls short, one sentence each.
fn failures(found: &DriveSummary, shown: &Shown) -> Vec<String> {
    let mut failures = Vec::new();
    for agent in &found.agents {
        let AgentSummary { agent: name, tally, episodes, .. } = agent;
        // An answer that was to be graded and was not is nobody's success and nobody's failure.
        let ungraded = if found.grade.is_some() { tally.undecided } else { 0 };
        let unscored = agent.unscored() + ungraded;
        if unscored as f64 > shown.allow_unscored * *episodes as f64 + 1e-9 {
            failures.push(format!(
                "{name}: {unscored} of {} without a score; --allow-unscored SHARE accepts them",
                counted(*episodes, "episode")
            ));
        }
        if let Some(least) = shown.min_pass_rate.filter(|least| !tally.reaches(*least)) {
            failures.push(format!(
                "{name}: {} of {} passed, fewer than the share of {least} that --min-pass-rate asks for",
                tally.passed,
                counted(tally.decided(), "scored episode")
            ));
        }
        if shown.min_pass_rate.is_some() && tally.decided() * 2 < *episodes {
            failures.push(format!(
                "{name}: only {} of {} passed or failed, too few for --min-pass-rate",
                tally.decided(),
                counted(*episodes, "episode")
            ));
        }
        if let Some(PassHat { k, least }) = shown.min_pass_hat {
            match agent.worst_pass_hat(k.get().into()) {
                Some(rate) if rate.all.value >= least - 1e-9 => {}
                Some(rate) => {
                    let missing =
                        if agent.unscored() > 0 { ", episodes without a score taken as failed" } else { "" };
                    failures
                        .push(format!("{name}: pass^{k} is {:.3}{missing}, below {least}", rate.all.value));
                }
                None => failures.push(format!("{name}: there is no pass^{k}: no case was driven {k} times")),
            }
        }
    }
    failures.extend(found.baseline.iter().flat_map(of_baseline));
    failures
}

/// Why a comparison with an earlier run fails, if it does.
fn of_baseline(compared: &BaselineComparison) -> Vec<String> {
    let agent = &compared.agent;
    let worse = compared.is_worse().then(|| {
        let few = if compared.is_untestable() {
            "too few differ for a test, so that 5 points fewer count; --repeats makes more".to_owned()
        } else {
            format!("p = {:.4}; a fall of 20 points counts without a test", compared.p)
        };
        format!(
            "{agent}: it does worse than in the baseline: {:.1} % of {} passed then, {:.1} % now ({few})",
            compared.shares.0 * 100.0,
            counted(compared.episodes, "episode"),
            compared.shares.1 * 100.0,
        )
    });
    let BaselineComparison { episodes, left_out, lost, changed, .. } = *compared;
    let partial = compared.is_partial().then(|| {
        let what = if lost + changed == 0 { "scored episode" } else { "episode" };
        let mut why = Vec::new();
        if lost > 0 {
            why.push(format!("{lost} had a score in it and have none now"));
        }
        if left_out > 0 {
            let others = if lost == 0 { "the others".to_owned() } else { format!("{left_out} others") };
            why.push(format!(
                "{others} are not in it, or their case expects something else now; write a new one with -o"
            ));
        }
        format!(
            "{agent}: --baseline holds for {episodes} of {} only: {}",
            counted(episodes + left_out + lost, what),
            why.join("; ")
        )
    });
    let fallen = (compared.is_worse_by_lost() && worse.is_none() && partial.is_none()).then(|| {
        let shares = compared.shares_with_lost();
        format!(
            "{agent}: {} passed in the baseline and {} no score now: if that is a failure, {:.1} % of {} passed then, {:.1} % now",
            counted(compared.lost_passed, "episode"),
            if compared.lost_passed == 1 { "has" } else { "have" },
            shares.0 * 100.0,
            counted(episodes + lost, "episode"),
            shares.1 * 100.0,
        )
    });
    worse.into_iter().chain(partial).chain(fallen).collect()
}

fn to_json(found: &DriveSummary, each: bool) -> Value {
    let baseline: Vec<Value> = found
        .baseline
        .iter()
        .map(|compared| {
            let of_some = |share: f64| (compared.episodes > 0).then_some(share);
            json!({
                "agent": compared.agent,
                "episodes": compared.episodes,
                "cases": compared.cases,
                "unpaired": compared.unpaired,
                "changed": compared.changed,
                "left_out": compared.left_out,
                "lost": compared.lost,
                "lost_passed": compared.lost_passed,
                "broken": compared.broken,
                "broken_cases": compared.broken_cases,
                "mended": compared.mended,
                "passed_then": of_some(compared.shares.0),
                "passed_now": of_some(compared.shares.1),
                "p": compared.p,
                "worse": compared.is_worse() || compared.is_worse_by_lost(),
            })
        })
        .collect();
    let mut summary = json!({
        "scorer": found.scorer,
        "cases": found.cases,
        "repeats": found.repeats,
        "agents": found.agents.iter().map(AgentSummary::to_json).collect::<Vec<_>>(),
        "ungraded_cases": found.ungraded,
        "baseline": baseline,
        "elapsed_s": found.elapsed.as_secs_f64(),
    });
    for (at, agent) in found.agents.iter().enumerate() {
        let failure = |(id, why): (&str, &str)| json!({ "id": id, "reason": why });
        summary["agents"][at]["failures"] = agent.failures().map(failure).collect();
        if each {
            let line = |line: &EpisodeLine| {
                json!({
                    "id": line.id,
                    "passed": line.passed,
                    "ended": line.ended.as_str(),
                    "score": line.score,
                    "latency_ms": line.latency_ms,
                    "issues": line.issues,
                })
            };
            summary["agents"][at]["each"] = agent.lines.iter().map(line).collect();
        }
    }
    if let Some(grade) = &found.grade {
        summary["grade"] = run::asked(grade);
    }
    let shown = |path: &Path| path.display().to_string();
    summary["output"] = json!(found.output.as_deref().map(shown));
    summary["turns"] = json!(found.turns.as_deref().map(shown));
    summary["history"] = json!(found.history.as_deref().map(shown));
    summary["experiment"] = json!(found.experiment);
    summary["tags"] = json!(found.tags);
    summary
}

/// The built-in tasks.
fn tasks(width: usize) -> String {
    let mut grid = Table::new([Column::Name, Column::Words]);
    for name in EnvironmentName::ALL {
        let what = match name {
            EnvironmentName::Typewriter1 => "20 words to type, with one tool that types a letter",
            EnvironmentName::Typewriter26 => "20 words to type, with a tool for each letter",
            EnvironmentName::Relational => {
                "24 questions about three tables of users, places and foods; answers need --grade"
            }
            EnvironmentName::Multiverse => {
                "20 calculations where arithmetic is another; answers that are no single number need --grade"
            }
        };
        grid.add_row([format!("langchain:{}", name.as_str()), what.to_owned()]);
    }
    grid.text(width)
}
