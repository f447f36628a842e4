//! Runs over time as one HTML file: for each agent a picture of the share that passes, and what is said of it in words. Nothing runs in it.

use std::fmt::Write;

use super::html::{STYLE, escaped};
use super::numbers::counted;
use super::trend::{of_agent, pass_rate, percent, range, time};
use super::{USUAL_WIDTH, plain, plain_within};
use crate::drive::history::{AgentTrend, RunRecord, SuiteRecord};

/// Runs in a picture: the newest.
const RUNS: usize = 60;
/// Suites have as many colors, and then the first again.
const COLORS: usize = 6;
/// Width, height and margins of a picture, in its own units.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 44.0;
/// The columns of an agent's name.
const NAME: usize = 80;
/// Labels below a picture that have room.
const LABELS: usize = 8;
/// How far apart suites of one run are drawn, and how wide the ends of an interval are.
const APART: f64 = 7.0;
const CAP: f64 = 3.5;

/// As many colors as [`COLORS`].
const LOOKS: &str = include_str!("page/trend.css");

const PAGE: [&str; 3] = [
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"tooljudge trend\">\n\
     <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action \
     'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" \
     content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>Results over time</title>\n<style>\n",
    "</style>\n</head>\n<body>\n<header class=\"page\">\n<p class=\"eyebrow\">tooljudge trend</p>\n<h1>Results over time</h1>\n\
     <p class=\"muted\">The share of episodes that pass, run by run, with its 95 % interval.</p>\n</header>\n<main>\n",
    "</main>\n</body>\n</html>\n",
];

/// The page that shows `agents`.
pub fn trend_page(agents: &[AgentTrend]) -> String {
    let [head, body, end] = PAGE;
    let mut page = format!("{head}{STYLE}{LOOKS}{body}");
    for agent in agents {
        let name = escaped(&plain_within(&agent.agent, NAME));
        let shown = &agent.runs[agent.runs.len().saturating_sub(RUNS)..];
        let suites = suites(shown);
        let _ = write!(
            page,
            "<section>\n<h2 dir=\"auto\">{name}</h2>\n{}",
            picture(&agent.agent, shown, &suites)
        );
        if suites.len() > 1 {
            page.push_str("<ul class=\"key\">\n");
            for (at, suite) in suites.iter().enumerate() {
                let _ =
                    writeln!(page, "<li><i class=\"b{}\"></i>{}</li>", at % COLORS, escaped(&plain(suite)));
            }
            page.push_str("</ul>\n");
        }
        if shown.len() < agent.runs.len() {
            let _ = writeln!(page, "<p class=\"muted\">The last {RUNS} of {} runs.</p>", agent.runs.len());
        }
        let _ = write!(
            page,
            "<pre class=\"words\">{}</pre>\n</section>\n",
            escaped(&of_agent(agent, USUAL_WIDTH))
        );
    }
    page + end
}

/// The suites of `runs`, in the order in which they first stand there.
fn suites(runs: &[RunRecord]) -> Vec<&str> {
    let mut suites: Vec<&str> = Vec::new();
    for suite in runs.iter().flat_map(|run| &run.suites) {
        if !suites.contains(&suite.suite.as_str()) {
            suites.push(&suite.suite);
        }
    }
    suites
}

fn picture(agent: &str, runs: &[RunRecord], suites: &[&str]) -> String {
    let label = format!("{}: {}", plain(agent), counted(runs.len() as u64, "run"));
    let mut svg = format!(
        "<svg class=\"over-time\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
        escaped(&label).replace('"', "&quot;")
    );
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let _ = writeln!(
            svg,
            "<line class=\"rule\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{:.0} %</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            height(share) + 4.5,
            100.0 * share,
            y = height(share),
        );
    }
    let times: Vec<String> = runs.iter().map(time).collect();
    let is_one_day = times.windows(2).all(|two| two[0].get(..10) == two[1].get(..10));
    let shown = if is_one_day && runs.len() > 1 { 11..16 } else { 0..10 };
    // The last one always, and before it as many as have room.
    let step = runs.len().div_ceil(LABELS).max(1);
    for (at, time) in times.iter().enumerate().filter(|(at, _)| (runs.len() - 1 - at).is_multiple_of(step)) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            place(at, runs.len()),
            HEIGHT - BOTTOM + 22.0,
            escaped(time.get(shown.clone()).unwrap_or(time))
        );
    }
    for (number, name) in suites.iter().enumerate() {
        let shift = APART * (number as f64 - (suites.len() - 1) as f64 / 2.0).clamp(-3.0, 3.0);
        svg.push_str(&line(runs, name, number % COLORS, shift));
    }
    svg + "</svg>\n"
}

/// One suite: its line, the interval of each share, and the share itself with its figures in words.
fn line(runs: &[RunRecord], name: &str, color: usize, shift: f64) -> String {
    let (mut line, mut marks) = (String::new(), String::new());
    for (at, run) in runs.iter().enumerate() {
        let Some(suite) = run.suites.iter().find(|suite| suite.suite == name) else { continue };
        let Some(rate) = pass_rate(suite.cases.iter().map(|case| &case.counts)) else { continue };
        let (x, y) = (place(at, runs.len()) + shift, height(rate.value));
        let _ = write!(line, "{x:.1},{y:.1} ");
        let (low, high) = (height(rate.low), height(rate.high));
        let (left, right) = (x - CAP, x + CAP);
        let _ = writeln!(
            marks,
            "<path class=\"interval s{color}\" d=\"M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}H{right:.1}M{left:.1} \
             {high:.1}H{right:.1}\"/><circle class=\"f{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
            escaped(&told(run, suite, (rate.value, rate.low, rate.high)))
        );
    }
    format!("<polyline class=\"s{color}\" points=\"{}\"/>\n{marks}", line.trim_end())
}

fn told(run: &RunRecord, suite: &SuiteRecord, (share, low, high): (f64, f64, f64)) -> String {
    let decided = suite.counts.decided();
    format!(
        "{}, {}: {} of {} passed, {} ({})",
        plain(&run.run),
        plain(&suite.suite),
        decided.passed,
        decided.scored,
        percent(share),
        range(low, high)
    )
}

/// Where the run stands that is the one `at` this place of so many.
fn place(at: usize, runs: usize) -> f64 {
    let room = WIDTH - LEFT - RIGHT;
    LEFT + room * (at as f64 + 0.5) / runs.max(1) as f64
}

fn height(share: f64) -> f64 {
    TOP + (1.0 - share) * (HEIGHT - TOP - BOTTOM)
}
