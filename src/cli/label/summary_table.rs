//! The summary of a run, for people.

use std::time::Duration;

use crate::bench::{MarkedShare, Rate};
use crate::domain::{Flag, Lack, Status};
use crate::report::{Column, Table, counted, wrapped};
use crate::run::{Agreement, CallCounts, Group, Summary};
use crate::stats::Estimate;

/// What one member of the panel came to.
pub struct Line<'a> {
    pub judge: &'a str,
    /// The task or template.
    pub criterion: &'a str,
    pub summary: &'a Summary,
    /// The judge that looks first, if there is one.
    pub first: Option<&'a str>,
}

/// What the table cannot know from the counts.
pub struct Run<'a> {
    pub elapsed: Duration,
    pub output: &'a str,
    /// The columns of a line.
    pub width: usize,
}

/// Before the lines of a sentence that does not fit one.
const INDENT: &str = "         ";

/// Labels, statuses, agreement, tokens, cost, time: in full for one judge, side by side for several.
pub fn render(lines: &[Line<'_>], run: &Run<'_>) -> String {
    let seconds = run.elapsed.as_secs_f64();
    let rows = lines.first().map_or(0, |line| line.summary.rows);
    let speed = format!("in {}, {} rows/s", duration(seconds), significant(rows as f64 / seconds.max(1e-9)));
    let sentence = |text: String| wrapped(&text, INDENT, run.width);
    let mut text = match lines {
        [Line { judge, criterion, summary, .. }] => {
            let mut text = vec![
                sentence(format!("{} judged by {judge} ({criterion}) {speed}", counted(rows, "row"))),
                String::new(),
            ];
            text.push(counts(summary).text(run.width));
            text
        }
        lines => {
            let mut text =
                vec![format!("{} judged {} times {speed}", counted(rows, "row"), lines.len()), String::new()];
            text.push(side_by_side(lines).text(run.width));
            text
        }
    };
    text.push(String::new());
    if let [Line { summary, .. }] = lines
        && let Some(gold) = summary.gold.as_ref().filter(|gold| gold.compared > 0)
    {
        // Who does not call it `gold` may not know which of the columns was taken for it.
        let by = match gold.column.as_str() {
            "gold" => String::new(),
            column => format!(" with the column `{column}`"),
        };
        let labels = if gold.compared == 1 { "label agrees" } else { "labels agree" };
        let shares = format!("{} of {} {labels}{by} ({})", gold.agree, gold.compared, agreement(gold));
        text.push(sentence(format!("gold     {shares}")));
    }
    for line in lines {
        text.extend(calls(&whose(line, lines), line.summary).map(sentence));
        text.extend(findings(&whose(line, lines), line.summary).into_iter().map(sentence));
        if let Some(mean) = &line.summary.mean_score {
            let of = whose(line, lines);
            text.push(sentence(format!(
                "score   {of} {:.2} on average ({:.2} to {:.2})",
                mean.value, mean.low, mean.high
            )));
        }
        let rates = line.summary.rate.iter().flat_map(|rate| rates(&whose(line, lines), rate));
        text.extend(rates.map(sentence));
    }
    text.extend(lines.iter().flat_map(|line| groups(line, lines, run.width)));
    text.extend(messages(lines).into_iter().map(sentence));
    text.extend(lines.iter().filter_map(|line| settled(line, lines)).map(sentence));
    let sum = |part: fn(&Summary) -> u64| lines.iter().map(|line| part(line.summary)).sum::<u64>();
    let (prompts, answers) = (sum(|summary| summary.prompt_tokens), sum(|summary| summary.completion_tokens));
    if prompts + answers > 0 {
        text.push(format!("tokens   {prompts} in, {answers} out"));
        text.push(sentence(cost(lines)));
    }
    if let Some(line) = lines.first()
        && !line.summary.flags.is_empty()
    {
        text.push(sentence(format!("flags    {}", flags(line.summary))));
    }
    let cut = sum(|summary| summary.cut);
    if cut > 0 {
        text.push(sentence(format!(
            "cut      {cut} of the labels were read before the point where the length limit cut the reply"
        )));
    }
    let cached = sum(|summary| summary.cached);
    if cached > 0 {
        text.push(format!(
            "reused   {} had their reply already",
            counted(cached, if lines.len() == 1 { "row" } else { "verdict" })
        ));
    }
    // In one piece, so that it can be copied.
    // A table in memory has no place to tell of.
    if !run.output.is_empty() {
        text.push(format!("written  {}", run.output));
    }
    text.join("\n")
}

/// What tells a line from the others: its judge, its task or template, or both. Nothing of the only one.
fn whose(line: &Line<'_>, lines: &[Line<'_>]) -> String {
    let judges = lines.iter().any(|other| other.judge != line.judge);
    let criteria = lines.iter().any(|other| other.criterion != line.criterion);
    match (judges, criteria) {
        (false, false) => String::new(),
        (true, false) => format!(" {}:", line.judge),
        (false, true) => format!(" {}:", line.criterion),
        (true, true) => format!(" {} ({}):", line.judge, line.criterion),
    }
}

/// What the judge that looks first settled, and what that spared.
fn settled(line: &Line<'_>, lines: &[Line<'_>]) -> Option<String> {
    let (first, summary) = (line.first?, line.summary);
    let spared = match summary.spared_usd {
        Some(spared) => format!("; what was not asked would have cost about {} (estimate)", dollars(spared)),
        None => String::new(),
    };
    Some(format!(
        "first   {} {first} settled {} of {} ({}), which were not sent{spared}",
        whose(line, lines),
        summary.settled,
        counted(summary.rows, "row"),
        percent(summary.settled, summary.rows)
    ))
}

/// The share that passes by the values of columns, the largest groups first.
fn groups(line: &Line<'_>, lines: &[Line<'_>], width: usize) -> Vec<String> {
    const SHOWN: usize = 20;
    let of_column = |groups: &[Group]| {
        let mut table =
            Table::new([Column::Name, Column::Figure, Column::Figure, Column::Figure, Column::Words]);
        let column = one_line(&groups[0].column);
        table.add_row([
            format!("by {column}"),
            "rows".to_owned(),
            "labeled".to_owned(),
            "pass".to_owned(),
            "95 % interval".to_owned(),
        ]);
        for group in groups.iter().take(SHOWN) {
            let value = match &group.value {
                Some(value) => one_line(value),
                None if group.is_rest => "(all other values)".to_owned(),
                None => "(none)".to_owned(),
            };
            let (share, interval) = match &group.share {
                Some(share) => (
                    format!("{:.1} %", 100.0 * share.value),
                    format!("{:.1} to {:.1}", 100.0 * share.low, 100.0 * share.high),
                ),
                None => (String::new(), String::new()),
            };
            table.add_row([value, group.rows.to_string(), group.judged.to_string(), share, interval]);
        }
        let mut text: Vec<String> = Some(whose(line, lines).trim().to_owned())
            .filter(|whose| !whose.is_empty())
            .into_iter()
            .collect();
        text.push(table.text(width));
        if groups.len() > SHOWN {
            text.push(format!("... and {} more values (--json has all)", groups.len() - SHOWN));
        }
        text.push(String::new());
        text
    };
    line.summary.groups.chunk_by(|a, b| a.column == b.column).flat_map(of_column).collect()
}

/// How many calls have which verdict, where each has its own.
fn calls(of: &str, summary: &Summary) -> Option<String> {
    let CallCounts { calls, judged, correct } = summary.calls?;
    let without = match calls - judged {
        0 => String::new(),
        some => format!(", {some} without a label"),
    };
    Some(format!("calls   {of} {correct} of {judged} pass ({}){without}", percent(correct, judged)))
}

/// What was found wrong, the commonest first.
fn findings(of: &str, summary: &Summary) -> Vec<String> {
    const SHOWN: usize = 4;
    let Some(counts) = &summary.findings else { return Vec::new() };
    let listed = |mut counts: Vec<(String, u64)>| {
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let more = if counts.len() > SHOWN { ", ..." } else { "" };
        let shown: Vec<String> =
            counts.into_iter().take(SHOWN).map(|(name, rows)| format!("{rows} {name}")).collect();
        format!("{}{more}", shown.join(", "))
    };
    let kinds = counts.kinds.iter().map(|(kind, rows)| (kind.as_str().to_owned(), *rows)).collect();
    let arguments = counts.arguments.iter();
    let arguments = arguments
        .map(|((tool, path), rows)| (format!("{} {}", one_line(tool), one_line(path)), *rows))
        .collect();
    let mut lines = Vec::new();
    if counts.findings > 0 {
        lines.push(format!("found   {of} rows by kind: {}", listed(kinds)));
    }
    if !counts.arguments.is_empty() {
        lines.push(format!("         rows by argument: {}", listed(arguments)));
    }
    let odd = [
        (counts.unsupported, "without a quote that occurs in its row"),
        (counts.dropped, "dropped: its row has no such call or argument"),
    ];
    for (findings, why) in odd.into_iter().filter(|(findings, _)| *findings > 0) {
        lines.push(format!("         {} {why}", counted(findings, "finding")));
    }
    if counts.unlisted > 0 {
        lines.push(format!(
            "         {} whose reply lists no findings",
            counted(counts.unlisted, "labeled row")
        ));
    }
    lines
}

fn one_line(text: &str) -> String {
    const LIMIT: usize = 40;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LIMIT).collect();
    if text.chars().nth(LIMIT).is_some() { format!("{line}…") } else { line }
}

/// How many calls are right, as far as that can be told from how many pass.
fn rates(of: &str, rate: &Rate) -> Vec<String> {
    let share = |figure: &Estimate| {
        format!("{:.1} % ({:.1} to {:.1})", 100.0 * figure.value, 100.0 * figure.low, 100.0 * figure.high)
    };
    let passed = rate.observed.as_ref().map(|observed| {
        format!("passed  {of} {} of {} with a label", share(observed), counted(rate.judged, "row"))
    });
    let mut lines: Vec<String> = passed.into_iter().collect();
    if let (Some(corrected), Some(sensitivity), Some(specificity)) =
        (&rate.corrected, &rate.sensitivity, &rate.specificity)
    {
        lines.push(format!(
            "right   {of} {}, corrected for what it gets wrong in the benchmark",
            share(corrected)
        ));
        lines.push(format!(
            "         (there it passes {} of right calls and fails {} of wrong ones)",
            share(sensitivity),
            share(specificity)
        ));
    }
    if let Some(powered) = &rate.powered {
        lines.push(format!(
            "right   {of} {}, corrected by the {} with gold, if they were drawn at random",
            share(powered),
            counted(rate.gold_rows, "row")
        ));
    }
    if let Some(why) = rate.refused.as_ref().filter(|_| rate.observed.is_some()) {
        lines.push(format!("right   {of} is unknown: {why}"));
    }
    if let Some(marked) = &rate.marked {
        lines.extend(marks(of, marked, rate.rows));
    }
    lines
}

/// The share that is right by marks on rows that were drawn, and what more marks would bring.
fn marks(of: &str, marked: &MarkedShare, rows: u64) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(share) = &marked.share {
        lines.push(format!(
            "right   {of} {:.1} % ({:.1} to {:.1}) of {}, by {} on rows that were drawn",
            100.0 * share.value,
            100.0 * share.low,
            100.0 * share.high,
            if rows == 1 { "1 row".to_owned() } else { format!("all {rows} rows") },
            counted(marked.marks, "mark"),
        ));
        if let Some(narrow) = marked.marks_for_2_points.filter(|narrow| *narrow > 0) {
            let twenty =
                marked.reach_after_20.map(|reach| format!("; 20 more would bring ± {:.1}", 100.0 * reach));
            lines.push(format!(
                "         (± 2 points would take about {narrow} more{})",
                twenty.unwrap_or_default()
            ));
        }
    }
    if let Some(why) = &marked.refused {
        lines.push(format!("right   {of} is unknown: {why}"));
    }
    if marked.unmarked > 0 && marked.marks > 0 {
        lines.push(format!(
            "         {} drawn and not marked: if they are the hard ones, the share is wrong",
            were(marked.unmarked, "row")
        ));
    }
    if marked.chosen > 0 {
        lines.push(format!(
            "         {} chosen, not drawn: left out of the share",
            were(marked.chosen, "mark")
        ));
    }
    lines
}

fn were(count: u64, what: &str) -> String {
    format!("{} {}", counted(count, what), if count == 1 { "was" } else { "were" })
}

/// What was unusual about rows, the commonest first.
fn flags(summary: &Summary) -> String {
    let mut flags: Vec<(Flag, u64)> = summary.flags.iter().map(|(flag, rows)| (*flag, *rows)).collect();
    flags.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    let shown: Vec<String> = flags.iter().map(|(flag, rows)| format!("{rows} {}", flag.as_str())).collect();
    shown.join(", ")
}

fn cost(lines: &[Line<'_>]) -> String {
    let known: f64 = lines.iter().map(|line| line.summary.cost_usd).sum();
    let mut unpriced: Vec<&str> =
        lines.iter().filter(|line| line.summary.unpriced > 0).map(|line| line.judge).collect();
    unpriced.dedup();
    match unpriced[..] {
        [] => format!("cost     {}", dollars(known)),
        _ if known > 0.0 => {
            format!("cost     {} and more: no price is known for {}", dollars(known), unpriced.join(", "))
        }
        _ => format!("cost     unknown: no price is known for {}", unpriced.join(", ")),
    }
}

/// One line for each judge and criterion.
fn side_by_side(lines: &[Line<'_>]) -> Table {
    let mut labels: Vec<&str> = Vec::new();
    for label in lines.iter().flat_map(|line| line.summary.labels.keys()) {
        if !labels.contains(&label.as_str()) {
            labels.push(label);
        }
    }
    let gold = lines.iter().any(|line| line.summary.gold.as_ref().is_some_and(|gold| gold.compared > 0));
    let mut header = vec!["judge", "template"];
    header.extend(&labels);
    header.push("no label");
    if gold {
        header.push("agrees with gold");
    }
    let of_labels = vec![Column::Figure; labels.len()];
    let columns = [Column::Name, Column::Name].into_iter().chain(of_labels).chain([Column::Words]);
    let mut table = Table::new(columns.chain(gold.then_some(Column::Figure)));
    table.add_row(header);
    for Line { judge, criterion, summary, .. } in lines {
        let mut row = vec![(*judge).to_owned(), (*criterion).to_owned()];
        row.extend(labels.iter().map(|label| summary.labels.get(*label).copied().unwrap_or(0).to_string()));
        row.push(match summary.unjudged() {
            0 => "0".to_owned(),
            rows => {
                let statuses = summary.statuses.iter().filter(|(status, _)| **status != Status::Judged);
                let statuses: Vec<String> =
                    statuses.map(|(status, rows)| format!("{rows} {}", status.as_str())).collect();
                format!("{rows} ({})", statuses.join(", "))
            }
        });
        if gold {
            row.push(summary.gold.as_ref().map_or_else(String::new, agreement));
        }
        table.add_row(row);
    }
    table
}

fn agreement(gold: &Agreement) -> String {
    percent(gold.agree, gold.compared)
}

/// Cents and more matter in sums, fractions of a cent in small runs.
pub fn dollars(cost: f64) -> String {
    if cost >= 1.0 || cost == 0.0 { format!("${cost:.2}") } else { format!("${cost:.6}") }
}

fn counts(summary: &Summary) -> Table {
    let mut table = Table::new([Column::Name, Column::Figure, Column::Figure, Column::Words]);
    table.add_row(["label", "rows", "share", ""]);
    for (label, rows) in &summary.labels {
        table.add_row([label.clone(), rows.to_string(), percent(*rows, summary.rows), String::new()]);
    }
    for (status, rows) in summary.statuses.iter().filter(|(status, _)| **status != Status::Judged) {
        let why = errors(summary, *status);
        table.add_row([
            format!("({})", status.as_str()),
            rows.to_string(),
            percent(*rows, summary.rows),
            why,
        ]);
    }
    table
}

/// The commonest reasons of a status that has several.
fn errors(summary: &Summary, status: Status) -> String {
    const SHOWN: usize = 3;
    if status == Status::Abstained && !summary.lacks.is_empty() {
        return lacks(summary);
    }
    let Some(codes) = summary.errors.get(&status) else { return String::new() };
    let mut codes: Vec<(&String, &u64)> = codes.iter().collect();
    codes.sort_by_key(|(_, rows)| std::cmp::Reverse(**rows));
    let mut shown: Vec<String> =
        codes.iter().take(SHOWN).map(|(code, rows)| format!("{code} {rows}")).collect();
    if codes.len() > SHOWN {
        shown.push("...".to_owned());
    }
    shown.join(", ")
}

/// How many rows need a model, and why, the commonest first.
fn lacks(summary: &Summary) -> String {
    let mut lacks: Vec<(Lack, u64)> = summary.lacks.iter().map(|(lack, rows)| (*lack, *rows)).collect();
    lacks.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    let why: Vec<String> = lacks.iter().map(|(lack, rows)| format!("{rows} {}", lack.words(*rows))).collect();
    let open = summary.without_evidence();
    let need = if open == 1 { "needs" } else { "need" };
    let missing = summary.statuses.get(&Status::Abstained).copied().unwrap_or(0) - open;
    let missing = match missing {
        0 => String::new(),
        rows => format!("; {rows} could not be judged"),
    };
    format!("{open} {need} a model: {}{missing}", why.join(", "))
}

/// What stands behind the codes of errors, in the words of one row each.
fn messages(lines: &[Line<'_>]) -> Vec<String> {
    const MAX_LENGTH: usize = 160;
    let mut shown: Vec<String> = Vec::new();
    for (code, message) in lines.iter().flat_map(|line| &line.summary.messages) {
        let line: String = message.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = line.char_indices().nth(MAX_LENGTH).map_or(line.len(), |(end, _)| end);
        let more = if end < line.len() { "…" } else { "" };
        let text = format!("error    {code}, as in one row: {}{more}", &line[..end]);
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    shown.truncate(5);
    shown
}

pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

fn duration(seconds: f64) -> String {
    if seconds < 100.0 {
        format!("{seconds:.2} s")
    } else {
        let whole = seconds as u64;
        format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
    }
}

/// Three digits are all that a rate means.
fn significant(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}
