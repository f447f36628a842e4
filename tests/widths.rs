//! Everything that commands show fits the columns that there are, and shows the same figures in any of them.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr;

use crate::support::child::Deadline;
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace, repository};

const WIDTHS: [usize; 4] = [60, 72, 100, 160];

/// A command, whether what it shows goes to stderr, and a text of it that no width changes.
type Case<'a> = (&'a [&'a str], bool, &'a str);

fn workspace() -> Workspace {
    let work = Workspace::new();
    for name in [
        "benchmark.jsonl",
        "langfuse.jsonl",
        "langfuse_gold.csv",
        "labelled_lenient.csv",
        "labelled_strict.csv",
        "quickstart.csv",
        "score_deepeval.jsonl",
        "score_vitest.jsonl",
        "support.jsonl",
    ] {
        work.file(name, std::fs::read(repository("datasets").join(name)).unwrap());
    }
    work.file(
        "mine.txt",
        "Question: {question}\nCall: {tool_call}\nTools: {tool_definitions}\nSay correct or incorrect.",
    );
    work
}

/// Names of judges as gateways have them: long, and different in their ends only.
fn settings(work: &Workspace, server: &Server) {
    let judge =
        |name: &str| format!("[judges.\"{name}\"]\njudge = \"openai:m\"\nbase_url = \"{}\"\n", server.url);
    let names = [
        "gateway.example.com/team-a/gpt-oss-120b-instruct-first",
        "gateway.example.com/team-a/gpt-oss-120b-instruct-second",
    ];
    let prices = "[prices.\"openai:m\"]\ninput = 0.25\noutput = 2.0\n";
    work.file("tooljudge.toml", names.map(judge).concat() + prices);
}

fn run(work: &Workspace, args: &[&str], width: usize) -> Ran {
    Ran::from(work.tooljudge(args).env("COLUMNS", width.to_string()).finish())
}

/// What is made of digits, but for times and rates.
fn figures(text: &str) -> BTreeSet<String> {
    let is_figure = |word: &&str| {
        word.contains(|char: char| char.is_ascii_digit())
            && word.chars().all(|char| char.is_ascii_digit() || "+-.,–%()$".contains(char))
    };
    let lines = text.lines().filter(|line| !line.contains("judged by") && !line.contains("rows/s"));
    let words = lines.flat_map(str::split_whitespace).filter(is_figure);
    words.map(|word| word.trim_matches(|char: char| "(),".contains(char)).to_owned()).collect()
}

#[test]
fn what_is_shown_fits_every_width() {
    let server = Server::start(|seen| {
        Answer::label(if seen.prompt().len().is_multiple_of(3) { "correct" } else { "incorrect" })
    });
    let work = workspace();
    settings(&work, &server);
    let (a, b) = (
        "gateway.example.com/team-a/gpt-oss-120b-instruct-first",
        "gateway.example.com/team-a/gpt-oss-120b-instruct-second",
    );
    let panel = ["--judge", "builtin", "--judge", a, "--judge", b, "--allow-unjudged", "1"];
    let with_panel = |args: &[&'static str]| [args, &panel[..]].concat();
    let label_panel = with_panel(&["label", "benchmark.jsonl", "-o", "panel.csv"]);
    let bench_panel = with_panel(&["bench", "benchmark.jsonl", "--by", "error_type", "--repeat", "2"]);
    let dry_run = ["label", "benchmark.jsonl", "--judge", a, "--judge", b, "--dry-run", "0"];
    let audit = ["audit", "benchmark.jsonl", "--judge", a, "--limit", "6", "--allow-unanswered", "1"];
    let cases: &[Case<'_>] = &[
        (&["label", "quickstart.csv", "-o", "out.csv", "--allow-unjudged", "1"], false, "label"),
        (&["label", "support.jsonl", "-o", "-", "--to", "jsonl", "--allow-unjudged", "1"], true, "written"),
        (&["label", "langfuse_gold.csv", "-o", "out.csv", "--allow-unjudged", "1"], false, "gold"),
        (&label_panel, false, "no label"),
        (&dry_run, false, "tokens out"),
        (&["bench", "benchmark.jsonl", "--allow-unjudged", "1"], false, "kappa"),
        (&bench_panel, false, "recognized by"),
        (&["compare", "labelled_lenient.csv", "labelled_strict.csv", "--margin", "0.1"], false, "interval"),
        (&["score", "score_deepeval.jsonl"], false, "compared"),
        (&["score", "score_vitest.jsonl"], false, "compared"),
        (&["score", "--scorers"], false, "tool_call"),
        (&["gold", "langfuse_gold.csv", "-o", "gold.csv", "--force"], false, "discarded"),
        (&["convert", "langfuse.jsonl", "support.jsonl", "--summary"], false, "rows"),
        (&["convert", "--formats"], false, "langfuse"),
        (&audit, false, "flip rate"),
        (&["store", "stat"], false, "replies"),
        (&["templates", "list"], false, "tool_calling"),
        (&["templates", "check", "mine.txt"], false, "rails"),
    ];
    let mut wrong: Vec<String> = Vec::new();
    for (args, on_stderr, holds) in cases {
        // Replies that are there already count among what is reused.
        run(&work, args, 100);
        let mut seen: Vec<BTreeSet<String>> = Vec::new();
        for width in WIDTHS {
            let ran = run(&work, args, width);
            let said = if *on_stderr { &ran.stderr } else { &ran.stdout };
            if matches!(ran.code, None | Some(2)) || !said.contains(holds) {
                wrong.push(format!("{args:?} at {width}: {:?}\n{said}\n{}", ran.code, ran.stderr));
            }
            // Messages are a line each, for those who search a log.
            let is_message = |line: &&str| {
                ["warning: ", "settings: ", "support.jsonl ("].iter().any(|start| line.starts_with(start))
            };
            let lines = said.lines().filter(|line| !is_message(line));
            wrong.extend(
                lines.filter(|line| line.width() > width).map(|line| format!("{args:?} at {width}: {line}")),
            );
            seen.push(figures(said));
        }
        for (width, figures) in WIDTHS.iter().zip(&seen) {
            let lost: Vec<_> = seen[3].symmetric_difference(figures).collect();
            if !lost.is_empty() {
                wrong.push(format!("{args:?} at {width} has other figures than at 160: {lost:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
