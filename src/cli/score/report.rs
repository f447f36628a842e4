//! The result of a scoring run, for people: how many passed, what went wrong, and what to do about it.

use crate::cli::label::summary_table::dollars;
use crate::report::{Column, Table, counted, wrapped};
use crate::run::{MemberSummary, Tally};
use crate::score::IssueKind;

/// Of failures, issues, tools and parameters, so many are shown.
const SHOWN: usize = 8;
/// Before the lines of a sentence that does not fit one.
pub const INDENT: &str = "         ";

/// What the cases came to, on lines of `width` columns.
pub fn render(tally: &Tally, scorer: &str, compares: &str, width: usize) -> String {
    let mut text = vec![
        format!("{} scored by {scorer}", cases_of(tally.cases)),
        format!("compared {compares}{}", compared_in(tally)),
        String::new(),
    ];
    if let Some((rate, (low, high))) = tally.pass_rate() {
        text.push(format!(
            "passed   {} of {} ({}; 95 % interval {} to {})",
            tally.passed,
            tally.decided(),
            percent(rate),
            percent(low),
            percent(high)
        ));
    }
    if tally.undecided > 0 {
        text.push(format!("no threshold decides about {}", cases_of(tally.undecided)));
    }
    if let Some(mean) = tally.mean() {
        text.push(format!("score    {mean:.3} on average"));
    }
    let figures: Vec<String> = tally.figures().map(|(name, mean)| format!("{name} {mean:.3}")).collect();
    if !figures.is_empty() {
        text.push(format!("figures  {} on average", figures.join(", ")));
    }
    for (kind, (cases, example)) in &tally.errors {
        text.push(format!("error    {cases} {kind}: {example}"));
    }
    let mut text: Vec<String> = text.iter().map(|line| wrapped(line, INDENT, width)).collect();
    text.extend(findings(tally, Vec::new(), width));
    text.join("\n")
}

/// What was found wrong: kinds of issues, tools, parameters, and what to do about the commonest, and `more` to do.
pub fn findings(tally: &Tally, more: Vec<String>, width: usize) -> Vec<String> {
    let mut text = Vec::new();
    let by = |title: &str, counts: Vec<(String, u64)>| section(title, counts, tally.cases, width);
    text.extend(by("issue", tally.kinds.iter().map(|(kind, n)| (kind.as_str().to_owned(), *n)).collect()));
    text.extend(by("tool", tally.tools.iter().map(|(tool, n)| (one_line(tool), *n)).collect()));
    let parameters =
        tally.parameters.iter().map(|((tool, path), n)| (one_line(&format!("{tool} {path}")), *n));
    text.extend(by("parameter", parameters.collect()));
    let advice: Vec<String> = advice(tally).into_iter().chain(more).collect();
    if !advice.is_empty() {
        text.push(String::new());
        text.extend(advice.iter().map(|line| wrapped(line, INDENT, width)));
    }
    text
}

/// Where not every case has arguments to compare, in how many they were.
fn compared_in(tally: &Tally) -> String {
    match tally.compared_arguments {
        (compared, counted) if compared < counted => {
            format!("; only {compared} of {} expect arguments", cases_of(counted))
        }
        _ => String::new(),
    }
}

/// What asking the judge came to.
pub fn asked(judge: &MemberSummary) -> String {
    let MemberSummary { judge, template, summary, .. } = judge;
    let cost = match summary.cost() {
        Some(cost) => format!(", cost {}", dollars(cost)),
        None => ", cost unknown: no price is known".to_owned(),
    };
    let tokens = match summary.prompt_tokens + summary.completion_tokens {
        0 => String::new(),
        _ => format!(", {} tokens in, {} out{cost}", summary.prompt_tokens, summary.completion_tokens),
    };
    format!("judge    {judge} ({template}) was asked about {}{tokens}", cases_of(summary.rows))
}

/// Why a command fails of which no gate was asked.
pub fn unallowed(failed: u64, decided: u64, what: &str) -> String {
    format!(
        "{failed} of {} failed; --min-pass-rate SHARE accepts some of them, --allow-failures all",
        counted(decided, what)
    )
}

fn section(title: &str, mut counts: Vec<(String, u64)>, cases: u64, width: usize) -> Vec<String> {
    if counts.is_empty() {
        return Vec::new();
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let more = counts.len().saturating_sub(SHOWN);
    let mut table = Table::new([Column::Name, Column::Figure, Column::Figure]);
    table.add_row([title, "cases", "share"]);
    for (name, count) in counts.into_iter().take(SHOWN) {
        table.add_row([name, count.to_string(), percent(count as f64 / cases as f64)]);
    }
    let mut lines = vec![String::new(), table.text(width)];
    if more > 0 {
        lines.push(format!(" ... and {more} more"));
    }
    lines
}

/// What to change, by pattern: the commonest first, as the article on tool evaluation asks.
fn advice(tally: &Tally) -> Vec<String> {
    let mut patterns: Vec<_> = tally.patterns.iter().collect();
    patterns.sort_by_key(|(_, (cases, _))| std::cmp::Reverse(*cases));
    let mut lines: Vec<String> = Vec::new();
    for ((kind, tool), (cases, first)) in patterns {
        let Some(what) = remedy(*kind, tool) else { continue };
        let more = if *cases > first.len() as u64 { ", ..." } else { "" };
        let line = format!("try      {what} ({}: {}{more})", cases_of(*cases), first.join(", "));
        let known = lines.iter().any(|known| known.split(" (").next() == line.split(" (").next());
        if !known && lines.len() < SHOWN / 2 {
            lines.push(line);
        }
    }
    lines
}

/// A name that an agent made up, which may not begin a line of its own.
fn one_line(name: &str) -> String {
    name.replace(char::is_control, "\u{fffd}")
}

fn remedy(kind: IssueKind, tool: &str) -> Option<String> {
    use IssueKind::*;
    let of = if tool.is_empty() { String::new() } else { format!(" of {}", one_line(tool)) };
    Some(match kind {
        WrongValue | WrongType | MissingParameter | ExtraParameter | ForbiddenParameter | FailedValidator
        | InvalidArguments | ForbiddenCall => {
            format!(
                "say in the schema{of} what its parameters look like: formats, allowed values, an example each"
            )
        }
        UnknownTool => {
            "say in the system prompt that no other tools are there than those on offer".to_owned()
        }
        UnexpectedCall | WrongTool | ForbiddenTool => {
            format!("say in the description{of} what tells it from similar tools, and what it is not for")
        }
        MissingCall => {
            format!("say in the description{of} which requests it is there for, in users' own words")
        }
        CallWhereNoneIsDue | TooManyCalls | LoopDetected | WrongCount | StoppedEarly => {
            "say in the system prompt when to answer without a tool, and when to stop calling".to_owned()
        }
        WrongOrder => "say in the descriptions which results a tool needs, and from which tool".to_owned(),
        LatencyOverBudget | MissingKeyword | WrongOutput | WrongState | WrongAnswer | WrongToolType
        | Undecodable | CheckerCrash | ToolError | UnmatchedCall => {
            return None;
        }
    })
}

fn cases_of(cases: u64) -> String {
    if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") }
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
