//! The result of a run of agents, for people.

use crate::cli::failing::NAMED;
use crate::cli::label::summary_table::dollars;
use crate::cli::score::report::{INDENT, asked, findings, percent};
use crate::drive::Ended;
use crate::report::{Column, Table, counted, wrapped};
use crate::run::{AgentSummary, BaselineComparison, DriveSummary, EpisodeLine};
use crate::stats::Estimate;

/// What the agents came to, on lines of `width` columns; with a line for `each` episode if asked for.
pub fn render(found: &DriveSummary, each: bool, width: usize) -> String {
    let cases = counted(found.cases, "case");
    let times = match found.repeats {
        1 => String::new(),
        repeats => format!(", {repeats} times each"),
    };
    let mut text = vec![format!("{cases}{times}, scored by {}", found.scorer)];
    for agent in &found.agents {
        text.push(String::new());
        if each {
            text.extend(agent.lines.iter().map(|line| of_episode(line, width)));
            text.push(String::new());
        }
        text.extend(of_agent(agent, width));
    }
    for compared in &found.baseline {
        text.push(String::new());
        text.push(wrapped(&against(compared), INDENT, width));
    }
    if let Some(grade) = &found.grade {
        text.push(String::new());
        text.push(wrapped(&asked(grade), INDENT, width));
    }
    text.join("\n")
}

/// Issues of an episode that its line names.
const ISSUES: usize = 2;

fn of_episode(line: &EpisodeLine, width: usize) -> String {
    let word = match line.passed {
        Some(true) => "PASS",
        Some(false) => "FAIL",
        None if line.ended.is_scored() => "OPEN",
        None => "NONE",
    };
    let score = line.score.map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
    let issues: Vec<&str> = line.issues.iter().take(ISSUES).map(String::as_str).collect();
    let more = match line.issues.len().saturating_sub(ISSUES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let issues = if issues.is_empty() { String::new() } else { format!("  {}{more}", issues.join("; ")) };
    let issues = issues.replace('\n', " ");
    wrapped(&format!("[{word}] {}  {score}  {} ms{issues}", line.id, line.latency_ms), "       ", width)
}

fn of_agent(agent: &AgentSummary, width: usize) -> Vec<String> {
    let tally = &agent.tally;
    let mut lines = vec![format!("agent    {}", agent.agent)];
    if let Some(Estimate { value: rate, low, high }) = agent.pass_rate() {
        lines.push(format!(
            "passed   {} of {} ({}; 95 % interval {} to {})",
            tally.passed,
            counted(tally.decided(), "episode"),
            percent(rate),
            percent(low),
            percent(high)
        ));
    }
    if agent.flawed > 0 {
        lines.push(format!(
            "flawed   {} of those that passed: something was wrong, and the threshold or the scorer lets it pass",
            agent.flawed
        ));
    }
    if tally.undecided > 0 {
        lines.push(format!("open     {}: nobody has graded the answer", counted(tally.undecided, "episode")));
    }
    let unscored = agent.ended.iter().filter(|(ended, _)| !ended.is_scored());
    for (ended, episodes) in unscored {
        let why = agent.why.get(ended).map(|why| format!("; the first: {why}")).unwrap_or_default();
        lines.push(format!("no score {}: {}{why}", counted(*episodes, "episode"), ended.in_words()));
    }
    for (kind, (cases, example)) in &tally.errors {
        lines.push(format!("error    {cases} {kind}: {example}"));
    }
    if let Some(mean) = tally.mean() {
        lines.push(format!("score    {mean:.3} on average"));
    }
    let metrics: Vec<String> =
        agent.metrics().map(|(name, mean)| format!("{} {mean:.3}", in_words(name))).collect();
    let figures = tally.figures().map(|(name, mean)| format!("{name} {mean:.3}"));
    let metrics: Vec<String> = metrics.into_iter().chain(figures).collect();
    if !metrics.is_empty() {
        lines.push(format!("figures  {} on average", metrics.join(", ")));
    }
    if let Some((p50, p95)) = agent.latency_ms() {
        lines.push(format!("time     {p50} ms for half of the episodes, {p95} ms for 95 %, tools as mocked"));
    }
    lines.push(format!("turns    {} with {}", agent.steps, counted(agent.calls, "call")));
    if agent.cached > 0 {
        lines.push(format!(
            "stored   {} of {} turns were answered before, by an earlier run or for an equal turn (--fresh asks anew)",
            agent.cached, agent.steps
        ));
    }
    if let Some(paid) = agent.paid {
        let cost = match paid.cost_usd {
            Some(cost) if agent.cached > 0 => {
                format!("cost {}, of which this run paid {}", dollars(cost), dollars(agent.own_usd))
            }
            Some(cost) => format!("cost {}", dollars(cost)),
            None => "cost unknown: no price is known, or some replies were bought without one".to_owned(),
        };
        let tokens = match (paid.usage.prompt_tokens, paid.usage.completion_tokens) {
            (Some(prompt), Some(completion)) => format!("{prompt} tokens in, {completion} out, "),
            _ => String::new(),
        };
        lines.push(format!("paid     {tokens}{cost}"));
    }
    let mut lines: Vec<String> = lines.iter().map(|line| wrapped(line, INDENT, width)).collect();
    let early: Vec<(&str, u64)> = agent
        .ended
        .iter()
        .filter(|(ended, _)| ended.is_scored())
        .map(|(ended, episodes)| (ended.as_str(), *episodes))
        .collect();
    if early.len() > 1 || early.first().is_some_and(|(name, _)| *name != "finished") {
        lines.push(String::new());
        lines.push(ends(&early).text(width));
    }
    lines.extend(repeats(agent, width));
    lines.extend(categories(agent, width));
    let breakdowns = agent.ended.iter().filter_map(|(ended, episodes)| Some((remedy(*ended)?, *episodes)));
    let breakdowns =
        breakdowns.map(|(what, episodes)| format!("try      {what} ({})", counted(episodes, "episode")));
    lines.extend(findings(tally, breakdowns.collect(), width));
    lines
}

/// What to do about an agent of the user's own that comes to no result.
fn remedy(ended: Ended) -> Option<&'static str> {
    Some(match ended {
        Ended::AgentError => {
            "look at what the agent says when it fails: in the columns `reason` and `agent_log` of -o"
        }
        Ended::ProtocolError => {
            "let the agent write the protocol alone to standard output, one object at a time, and nothing after its answer"
        }
        Ended::TimedOut => "give the agent more time (--agent-timeout), or find out what it waits for",
        _ => return None,
    })
}

fn in_words(metric: &str) -> &str {
    match metric {
        "param_accuracy" => "parameters",
        metric => metric,
    }
}

fn ends(early: &[(&str, u64)]) -> Table {
    let mut table = Table::new([Column::Name, Column::Figure]);
    table.add_row(["ended", "episodes"]);
    for (name, episodes) in early {
        table.add_row([(*name).to_owned(), episodes.to_string()]);
    }
    table
}

fn repeats(agent: &AgentSummary, width: usize) -> Vec<String> {
    let rates = agent.pass_rates();
    if rates.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::Figure,
        Column::Figure,
        Column::Words,
        Column::Figure,
        Column::Words,
        Column::Figure,
    ]);
    table.add_row(["k", "pass@k", "95 % interval", "pass^k", "95 % interval", "cases"]);
    for rate in &rates {
        let interval = |low: f64, high: f64| format!("{} to {}", percent(low), percent(high));
        table.add_row([
            rate.k.to_string(),
            percent(rate.any.value),
            interval(rate.any.low, rate.any.high),
            percent(rate.all.value),
            interval(rate.all.low, rate.all.high),
            rate.cases.to_string(),
        ]);
    }
    vec![String::new(), table.text(width)]
}

fn categories(agent: &AgentSummary, width: usize) -> Vec<String> {
    if agent.categories.is_empty() {
        return Vec::new();
    }
    let mut table =
        Table::new([Column::Name, Column::Figure, Column::Figure, Column::Figure, Column::Figure]);
    table.add_row(["category", "passed", "of", "share", "no score"]);
    for category in &agent.categories {
        let share = match category.decided {
            0 => "-".to_owned(),
            decided => percent(category.passed as f64 / decided as f64),
        };
        table.add_row([
            category.category.clone(),
            category.passed.to_string(),
            category.decided.to_string(),
            share,
            category.unscored.to_string(),
        ]);
    }
    vec![String::new(), table.text(width)]
}

/// The first cases, in brackets.
fn names(cases: &[String]) -> String {
    let shown: Vec<&str> = cases.iter().take(NAMED).map(String::as_str).collect();
    match (shown.is_empty(), cases.len() - shown.len()) {
        (true, _) => String::new(),
        (false, 0) => format!(" ({})", shown.join(", ")),
        (false, more) => format!(" ({} and {more} more)", shown.join(", ")),
    }
}

fn against(compared: &BaselineComparison) -> String {
    let BaselineComparison {
        agent, episodes, cases, broken, mended, shares, p, unpaired, changed, lost, ..
    } = compared;
    let is_worse = compared.is_worse() || compared.is_worse_by_lost();
    let verdict = match (is_worse, shares.1 > shares.0 && *p < 0.05) {
        (false, _) if *episodes == 0 => "nothing can be compared",
        (true, _) => "worse than before",
        (_, true) => "better than before",
        // With fewer pairs that differ, no test can tell.
        _ if broken + mended > 0 && compared.is_untestable() => {
            "too few episodes to show a difference; --repeats makes more"
        }
        _ => "no difference is shown",
    };
    let left = match lost {
        0 => String::new(),
        lost => format!("; {} with a score then and none now", counted(*lost, "episode")),
    };
    let left = match unpaired.saturating_sub(*lost) {
        0 => left,
        others => format!("{left}; {} scored in one run only", counted(others, "episode")),
    };
    let left = match changed {
        0 => left,
        changed => format!("{left}; {} whose case expects something else now", counted(*changed, "episode")),
    };
    // What makes it worse, if what is in both runs does not.
    let left = match compared.is_worse_by_lost() && !compared.is_worse() {
        false => left,
        true => {
            let (then, now) = compared.shares_with_lost();
            let one = if *lost == 1 { "it" } else { "these" };
            format!("{left}; with {one} as failed, {} passed then, {} now", percent(then), percent(now))
        }
    };
    if *episodes == 0 {
        return format!("baseline {agent}: {verdict}. No episode has a score in both runs{left}");
    }
    let names = names(&compared.broken_cases);
    format!(
        "baseline {agent}: {verdict}. {} of {} in both runs: {} passed then, {} now; {broken} broken{names}, {mended} mended (p = {p:.4}){left}",
        counted(*episodes, "episode"),
        counted(*cases as u64, "case"),
        percent(shares.0),
        percent(shares.1)
    )
}
