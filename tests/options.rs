//! What is written out of the flags' own declaration: the options of the Python package, and the reference of all options.

use std::any::TypeId;
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};

/// A function of the package: its class of options, the command, flags that it does not take, options of its own.
struct Job {
    class: &'static str,
    command: &'static str,
    without: &'static [&'static str],
    own: &'static [(&'static str, &'static str)],
}

const KEY: (&str, &str) = ("api_key", "str | None");
const BAR: (&str, &str) = ("progress", "bool | None");
const SUMMARY: (&str, &str) = ("return_summary", "bool | None");
const PRICES: (&str, &str) = ("prices", "Mapping[str, Price] | None");
const FUNCTIONS: (&str, &str) = ("functions", "Mapping[str, Check] | None");
const ROWS: (&str, &str) = ("return_rows", "bool | None");

/// What only a file or a terminal needs.
const WRITTEN: &[&str] = &[
    "output",
    "to",
    "escape_formulas",
    "force",
    "partial",
    "dry_run",
    "report",
    "junit",
    "fold",
    "fold_output",
];

/// What only a whole run can have, or a table that one process reads: on a cluster each batch is a run.
const WHOLE: &[&str] = &[
    "output",
    "to",
    "escape_formulas",
    "force",
    "partial",
    "dry_run",
    "report",
    "errata",
    "id",
    "junit",
    "fold",
    "fold_output",
    "shard",
    "purse",
    "from",
    "where",
    "limit",
    "sample",
    "seed",
    "agents",
    "turns",
    "fresh",
    "retry",
    "allow_unjudged",
    "allow_empty",
    "max_abstained",
    "min_pass_rate",
    "gate_on",
    "max_fail",
];

const JOBS: &[Job] = &[
    Job { class: "LabelOptions", command: "label", without: &[], own: &[KEY, PRICES, BAR, SUMMARY] },
    Job { class: "BatchOptions", command: "label", without: WRITTEN, own: &[KEY, PRICES, BAR, SUMMARY] },
    Job { class: "ClusterOptions", command: "label", without: WHOLE, own: &[KEY, PRICES] },
    Job { class: "ResnapOptions", command: "resnap", without: &[], own: &[KEY, PRICES, BAR, SUMMARY] },
    Job {
        class: "ScoreOptions",
        command: "score",
        without: &["scorers"],
        own: &[KEY, PRICES, BAR, SUMMARY, FUNCTIONS],
    },
    Job { class: "ConvertOptions", command: "convert", without: &["formats", "summary"], own: &[SUMMARY] },
    Job { class: "GoldOptions", command: "gold", without: &[], own: &[SUMMARY] },
    Job {
        class: "BenchOptions",
        command: "bench",
        without: &[],
        own: &[KEY, PRICES, BAR, ROWS, ("judges", "Judges")],
    },
    Job { class: "CompareOptions", command: "compare", without: &[], own: &[] },
    Job { class: "AuditOptions", command: "audit", without: &[], own: &[KEY, PRICES, BAR, ROWS] },
    Job { class: "TrainOptions", command: "train", without: &[], own: &[] },
    Job {
        class: "DriveOptions",
        command: "drive",
        without: &["tasks"],
        own: &[KEY, PRICES, BAR, FUNCTIONS, ("agents", "Mapping[str, Agent] | None")],
    },
    Job { class: "SuiteOptions", command: "suite from-log", without: &[], own: &[] },
    Job { class: "NextOptions", command: "next", without: &[], own: &[SUMMARY] },
    Job { class: "MergeOptions", command: "merge", without: &[], own: &[] },
    Job { class: "PruneOptions", command: "store prune", without: &[], own: &[("store", "Path | None")] },
];

/// Types that a flag does not tell.
const TYPES: &[(&str, &str)] = &[
    ("judge", "Judges"),
    ("agent", "Agents"),
    ("grade", "One"),
    ("first", "Path"),
    ("params", "Literal[\"strict\", \"fuzzy\"] | Check"),
    ("tools", "Path | Sequence[Mapping[str, Any]]"),
    ("store", "Path | Literal[False]"),
    ("template", "Path | Sequence[Path]"),
    ("base_rate", "float"),
    ("max_fail", "Mapping[str, int]"),
    ("snap", "Literal[\"careful\", \"legacy\"]"),
    ("decide", "Literal[\"evidence\", \"always\"]"),
    ("concurrency", "int | Literal[\"auto\"]"),
    ("dedup", "bool | str"),
    ("task", "Some"),
    ("from", "str"),
];

/// Settings of a judge that are no flags, or of another type than these.
const OF_JUDGES: &[(&str, &str)] = &[
    ("api_key", "str"),
    ("price", "Price"),
    ("headers", "Mapping[str, str]"),
    ("query", "Mapping[str, str]"),
    ("body", "Mapping[str, Any]"),
    ("num_ctx", "int"),
    ("proxy", "str"),
    ("ca_cert", "Path"),
];

/// Those that are flags.
const FLAGS_OF_JUDGES: &[&str] = &[
    "base_url",
    "allow_http",
    "api_key_env",
    "temperature",
    "max_tokens",
    "timeout",
    "max_attempts",
    "max_wait",
    "concurrency",
    "rpm",
    "tpm",
    "itpm",
    "otpm",
    "ignore_rate_headers",
];

/// The options with which a job gives something else, or more.
fn turning(job: &Job) -> &'static [&'static str] {
    match job.class {
        "AuditOptions" | "BenchOptions" => &["dry_run"],
        _ if job.own.contains(&SUMMARY) => &["return_summary", "output", "dry_run"],
        _ => &[],
    }
}

/// Flags that are about a command's own output.
const NEVER: [&str; 7] = ["json", "quiet", "help", "version", "verbose", "color", "log_file"];

fn kind(key: &str, arg: &Arg) -> String {
    let repeats = matches!(arg.get_action(), ArgAction::Append);
    if let Some((_, kind)) = TYPES.iter().find(|(name, _)| *name == key) {
        return if !repeats && *kind == "Some" { "str".to_owned() } else { (*kind).to_owned() };
    }
    let parser = arg.get_value_parser();
    let is = |id: TypeId| parser.type_id() == id;
    let names = arg.get_value_names().unwrap_or_default();
    let one = if is(TypeId::of::<bool>()) {
        "bool".to_owned()
    } else if is(TypeId::of::<u64>()) || is(TypeId::of::<NonZeroU32>()) || is(TypeId::of::<usize>()) {
        let short = names.iter().any(|name| name == "N") && is(TypeId::of::<u64>());
        let switch = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
        format!("{}int{}", if switch { "bool | " } else { "" }, if short { " | str" } else { "" })
    } else if is(TypeId::of::<f64>()) {
        "float".to_owned()
    } else if is(TypeId::of::<PathBuf>()) {
        "Path".to_owned()
    } else {
        match parser.possible_values() {
            Some(values) => {
                let values: Vec<String> = values.map(|value| format!("\"{}\"", value.get_name())).collect();
                format!("Literal[{}]", values.join(", "))
            }
            None => "str".to_owned(),
        }
    };
    match repeats {
        false => one,
        true if names.iter().any(|name| name.contains('=')) => "Mapping[str, Any]".to_owned(),
        true if one == "str" => "Some".to_owned(),
        true => format!("{one} | Sequence[{one}]"),
    }
}

fn class(job: &Job, all: &Command) -> String {
    let mut command = all;
    for name in job.command.split(' ') {
        command = command.find_subcommand(name).expect("a command");
    }
    let mut lines: Vec<(String, String)> = Vec::new();
    for (name, kind) in job.own {
        lines.push(((*name).to_owned(), (*kind).to_owned()));
    }
    for arg in command.get_arguments() {
        let Some(key) = arg.get_long().map(|long| long.replace('-', "_")) else { continue };
        if NEVER.contains(&key.as_str()) || job.without.contains(&key.as_str()) {
            continue;
        }
        let kind = format!("{} | None", kind(&key, arg));
        // A word of the language.
        lines.push((if key == "from" { "from_".to_owned() } else { key }, kind));
    }
    let turning = turning(job);
    if turning.is_empty() {
        return body(job.class, "TypedDict", &format!("The flags of `tooljudge {}`.", job.command), &lines);
    }
    // Signatures give the type of the result by what remains.
    let (turning, rest): (Vec<_>, Vec<_>) =
        lines.into_iter().partition(|(name, _)| turning.contains(&name.as_str()));
    let base = job.class.replace("Options", "Rest");
    format!(
        "{}\n\n{}",
        body(
            &base,
            "TypedDict",
            &format!("The flags of `tooljudge {}` that leave the kind of its result as it is.", job.command),
            &rest
        ),
        body(job.class, &base, &format!("The flags of `tooljudge {}`.", job.command), &turning)
    )
}

/// What a judge of one's own takes.
fn of_judges(all: &Command) -> String {
    let label = all.find_subcommand("label").expect("a command");
    let own = OF_JUDGES.iter().map(|(name, kind)| ((*name).to_owned(), format!("{kind} | None")));
    let flags = FLAGS_OF_JUDGES.iter().map(|name| {
        let is_named = |arg: &&Arg| arg.get_long().is_some_and(|long| long.replace('-', "_") == **name);
        let arg = label.get_arguments().find(is_named).expect("a flag");
        ((*name).to_owned(), format!("{} | None", kind(name, arg)))
    });
    let lines: Vec<(String, String)> = own.chain(flags).collect();
    body(
        "JudgeOptions",
        "TypedDict",
        "The settings of `Judge`, which are those of an entry of `[judges]`.",
        &lines,
    )
}

/// A class of options, with one line for each.
fn body(name: &str, base: &str, words: &str, lines: &[(String, String)]) -> String {
    let mut text = format!("class {name}({base}, total=False):\n    \"\"\"{words}\"\"\"\n\n");
    for (option, kind) in lines {
        let _ = writeln!(text, "    {option}: {kind}");
    }
    text
}

#[test]
fn the_options_of_the_package_are_the_flags() {
    let all = tooljudge::internal::commands();
    let jobs = JOBS.iter().map(|job| class(job, &all));
    let classes: Vec<String> = [of_judges(&all)].into_iter().chain(jobs).collect();
    let text = format!(
        "\"\"\"The options of the jobs, out of the flags' own declaration: `TOOLJUDGE_DOCS=write cargo test options` writes this file.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         import os\n\
         from collections.abc import Callable, Mapping, Sequence\n\n\
         TYPE_CHECKING = False\n\
         if TYPE_CHECKING:\n    from typing import Any, Literal, TypeAlias, TypedDict\n\n    from ._functions import Function as OwnFunction\n    from ._judge import Function, Judge\n\n\
         \x20   One: TypeAlias = str | Judge | Function\n    Judges: TypeAlias = One | Sequence[One]\n\
         \x20   Agent: TypeAlias = str | Judge | Callable[..., Any]\n    Agents: TypeAlias = Agent | Sequence[Agent]\n\
         \x20   Check: TypeAlias = Callable[..., Any] | OwnFunction\n\
         else:\n    from ._typed import TypedDict\n\n\
         Path = str | os.PathLike[str]\n\
         Price = tuple[float, float] | Sequence[float] | Mapping[str, float]\n\
         Some = str | Sequence[str]\n\n\n{}",
        classes.join("\n\n")
    );
    keeps("python/tooljudge/_flags.py", &text);
}

/// The file is what it should be, or is written where that is asked for.
fn keeps(file: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var("TOOLJUDGE_DOCS").is_ok_and(|value| value == "write") {
        std::fs::write(&path, text).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "{file} is not what the flags say; TOOLJUDGE_DOCS=write cargo test options writes it"
    );
}

fn shown_names(commands: &[String]) -> String {
    commands.iter().map(|command| format!("`{command}`")).collect::<Vec<_>>().join(", ")
}

/// An option as all commands that have it say it.
#[derive(PartialEq)]
struct Row {
    heading: String,
    flag: String,
    kind: String,
    meaning: String,
}

/// Commands that are no function in Python.
const NO_FUNCTION: [&str; 3] = ["next", "review", "review export"];

fn rows(name: &str, command: &Command) -> Vec<Row> {
    let row = |arg: &Arg| {
        let long = arg.get_long()?;
        let names = arg.get_value_names().unwrap_or_default();
        let takes_value = !matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::Count);
        let value = names.first().filter(|_| takes_value).map(|name| format!(" {name}")).unwrap_or_default();
        let help = arg.get_help()?.to_string();
        let values: Vec<String> = match arg.is_hide_possible_values_set() || !takes_value {
            true => Vec::new(),
            false => arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
        };
        let values = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
        let key = long.replace('-', "_");
        let only_typed = NO_FUNCTION.contains(&name)
            || NEVER.contains(&key.as_str())
            || ["formats", "summary", "scorers", "tasks"].contains(&&*key);
        Some(Row {
            heading: arg.get_help_heading().unwrap_or("Options").to_owned(),
            flag: format!("`--{long}{}`", value.replace('|', "\\|")),
            kind: match only_typed {
                true => String::new(),
                false => kind(&key, arg)
                    .replace("Some", "str or list")
                    .replace("One", "str, Judge or function")
                    .replace('|', "or"),
            },
            meaning: format!("{}{values}", help.replace('|', "\\|")),
        })
    };
    let hidden = ["help", "version", "verbose", "color", "log-file"];
    let arguments =
        command.get_arguments().filter(|arg| arg.get_long().is_none_or(|long| !hidden.contains(&long)));
    arguments.filter_map(row).collect()
}

#[test]
fn the_reference_of_options_is_what_the_flags_say() {
    let all = tooljudge::internal::commands();
    let leaves = all.get_subcommands().flat_map(|command| {
        let inner: Vec<(String, &Command)> = command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help")
            .map(|inner| (format!("{} {}", command.get_name(), inner.get_name()), inner))
            .collect();
        // A command with commands of its own may be one itself.
        let is_one = inner.is_empty() || command.get_name() == "review";
        let own = is_one.then(|| (command.get_name().to_owned(), command));
        own.into_iter().chain(inner).collect::<Vec<_>>()
    });
    let mut options: Vec<(Row, Vec<String>)> = Vec::new();
    for (name, command) in leaves {
        for row in rows(&name, command) {
            match options.iter_mut().find(|(known, _)| *known == row) {
                Some((_, commands)) => commands.push(name.clone()),
                None => options.push((row, vec![name.clone()])),
            }
        }
    }
    let mut headings: Vec<&str> = Vec::new();
    options.iter().for_each(|(row, _)| {
        if !headings.contains(&row.heading.as_str()) {
            headings.push(&row.heading);
        }
    });
    let mut text = String::from(
        "# All options\n\n\
         `TOOLJUDGE_DOCS=write cargo test options` writes this page out of the flags' own declaration. An option is a flag of the command\n\
         line (`--max-cost 5`), a key of `tooljudge.toml` for `label`, `score` and `drive` (`max_cost = 5`, [settings.md](settings.md)), and\n\
         an argument in Python (`max_cost=5`, [python.md](python.md)), of the type in the second column, where there is one. `--explain=false` and\n\
         `--max-cost=false` turn off what a file sets.\n",
    );
    for heading in headings {
        let _ = write!(text, "\n## {heading}\n\n| flag | Python | commands | meaning |\n|---|---|---|---|\n");
        for (Row { flag, kind, meaning, .. }, commands) in
            options.iter().filter(|(row, _)| row.heading == heading)
        {
            let _ = writeln!(text, "| {flag} | {kind} | {} | {meaning} |", shown_names(commands));
        }
    }
    keeps("docs/options.md", &text);
}
