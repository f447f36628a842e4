//! The notebooks: executed in order without an error, small, nobody's paths in them, and true of this binary.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::workspace::{Workspace, repository};

const NOTEBOOKS: [&str; 2] = ["label_logs", "benchmark_judges"];
const MAX_BYTES: usize = 400_000;

/// What tells one machine or one run from another.
const PARTICULARS: [&str; 9] =
    ["/tmp/", "/home/", "/root/", "/Users/", "/var/", "C:\\", "127.0.0.1:", "rows/s", "Warning: "];

/// A notebook's cells.
fn cells(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(repository(&format!("notebooks/{name}.ipynb"))).unwrap();
    assert!(text.len() < MAX_BYTES, "{name}: {} bytes", text.len());
    let notebook: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(notebook["nbformat"], 4, "{name}");
    notebook["cells"].as_array().unwrap().clone()
}

fn code_cells(name: &str) -> Vec<Value> {
    cells(name).into_iter().filter(|cell| cell["cell_type"] == "code").collect()
}

/// A text that a notebook keeps whole or as a list of lines.
fn text(value: &Value) -> String {
    match value {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

/// What a cell shows, pictures aside.
fn shown(cell: &Value) -> String {
    let outputs = cell["outputs"].as_array().unwrap();
    let parts = outputs.iter().flat_map(|output| match &output["data"] {
        Value::Object(data) => {
            data.iter().filter(|(kind, _)| !kind.starts_with("image/")).map(|(_, part)| text(part)).collect()
        }
        _ => vec![text(&output["text"])],
    });
    parts.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_cell_was_executed_in_order_and_none_failed() {
    for name in NOTEBOOKS {
        let cells = code_cells(name);
        assert!(cells.len() >= 10, "{name}");
        for (at, cell) in cells.iter().enumerate() {
            assert_eq!(cell["execution_count"], at + 1, "{name}: {}", text(&cell["source"]));
            for output in cell["outputs"].as_array().unwrap() {
                let kind = output["output_type"].as_str().unwrap();
                assert!(["stream", "display_data", "execute_result"].contains(&kind), "{name}: {kind}");
                assert_ne!(output["name"], "stderr", "{name}: {}", text(&output["text"]));
            }
            let metadata = cell["metadata"].as_object().unwrap();
            assert!(metadata.is_empty(), "{name}: cell {} has metadata: {metadata:?}", at + 1);
        }
        let pictures = cells.iter().flat_map(|cell| cell["outputs"].as_array().unwrap());
        assert!(pictures.filter(|output| output["data"].get("image/png").is_some()).count() >= 1, "{name}");
    }
}

#[test]
fn outputs_name_no_machine_and_no_moment() {
    for name in NOTEBOOKS {
        for cell in code_cells(name) {
            let shown = shown(&cell);
            for particular in PARTICULARS {
                assert!(!shown.contains(particular), "{name} shows `{particular}`:\n{shown}");
            }
        }
    }
}

#[test]
fn every_flag_of_the_notebooks_exists() {
    let workspace = Workspace::new();
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    for name in NOTEBOOKS {
        let commands = commands(name);
        assert!(commands.len() >= 6, "{name}: {commands:?}");
        for command in commands {
            let mut words = command.split_whitespace();
            let subcommand = words.next().unwrap();
            let help = helps.entry(subcommand.to_owned()).or_insert_with(|| {
                let help = workspace.run(&[subcommand, "--help"]);
                assert_eq!(help.code, Some(0), "{name}: tooljudge {command}\n{}", help.stderr);
                help.stdout
            });
            for flag in words.filter(|word| word.starts_with('-')) {
                assert!(has_flag(help, flag), "{name}: `{subcommand}` has no {flag}: tooljudge {command}");
            }
        }
        let helps: Vec<&String> = helps.values().collect();
        for flag in flags_in_prose(name) {
            assert!(helps.iter().any(|help| has_flag(help, &flag)), "{name}: no command has {flag}");
        }
    }
}

fn has_flag(help: &str, flag: &str) -> bool {
    help.split(|letter: char| letter.is_whitespace() || letter == ',' || letter == '[')
        .any(|word| word == flag)
}

/// What follows `$ tooljudge`, in outputs and in the text.
fn commands(name: &str) -> Vec<String> {
    let texts = cells(name).into_iter().map(|cell| match cell["cell_type"] == "code" {
        true => shown(&cell),
        false => text(&cell["source"]).replace("\\\n", " "),
    });
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().filter_map(|line| line.strip_prefix("$ tooljudge ").map(str::to_owned)).collect()
}

/// Flags between backticks.
fn flags_in_prose(name: &str) -> Vec<String> {
    let prose = cells(name).into_iter().filter(|cell| cell["cell_type"] == "markdown");
    let quoted = prose.flat_map(|cell| {
        let text = text(&cell["source"]).replace("```", "");
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
    });
    let flags = quoted.flat_map(|code| code.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    flags.filter(|word| word.starts_with("--")).collect()
}

#[test]
fn the_judge_is_as_good_as_the_notebook_says() {
    const TASKS: [&str; 3] = ["tool_calling", "tool_selection", "parameter_extraction"];
    let workspace = Workspace::new();
    let rows = repository("datasets/benchmark.jsonl").display().to_string();
    let mut args = vec!["bench", &rows, "--json"];
    args.extend(TASKS.iter().flat_map(|task| ["--task", task]));
    let ran = workspace.run(&args);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    let shown: String = code_cells("benchmark_judges").iter().map(shown).collect();
    for task in TASKS {
        let mut entrants = record["entrants"].as_array().unwrap().iter();
        let judge = entrants.find(|judge| judge["judge"] == "builtin" && judge["task"] == task).unwrap();
        let figure = &judge["overall"]["figures"]["balanced_accuracy"];
        let [value, low, high] = ["value", "low", "high"].map(|part| figure[part].as_f64().unwrap());
        let row = shown
            .split("<tr>")
            .find(|row| row.contains(&format!(">{task}<")) && row.contains(">balanced_accuracy<"))
            .unwrap();
        assert!(
            [value, low, high].iter().all(|part| row.contains(&format!(">{part:.3}<"))),
            "{task}: the balanced accuracy is {value:.3} ({low:.3} to {high:.3}) now. Execute notebooks/run, and read whether the text \
             still holds"
        );
    }
}

/// A command that a notebook shows, with what it said, line by line, its exit code at the end if that was shown.
struct Shown {
    args: Vec<String>,
    said: Vec<String>,
}

/// The commands of the code cells, in order.
fn shown_commands(name: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    for cell in code_cells(name) {
        // What a cell prints after its commands comes after an empty line.
        let mut own = None;
        for line in shown(&cell).lines() {
            match line.strip_prefix("$ tooljudge ") {
                Some(args) => {
                    let args = args.split_whitespace().map(str::to_owned).collect();
                    commands.push(Shown { args, said: Vec::new() });
                    own = Some(commands.len() - 1);
                }
                None => own.into_iter().for_each(|at| commands[at].said.push(line.trim_end().to_owned())),
            }
        }
    }
    commands
}

/// What a run took is not the same each time, and `notebooks/command.py` leaves it out.
fn without_time(line: &str) -> String {
    match line.split_once(" rows/s") {
        Some((before, after)) => {
            format!("{}{after}", before.rsplit_once(" in ").map_or(before, |(start, _)| start))
        }
        None => line.to_owned(),
    }
}

#[test]
fn commands_say_what_the_notebooks_show() {
    let mut compared = 0;
    for name in NOTEBOOKS {
        let workspace = Workspace::new();
        std::fs::create_dir(workspace.path("datasets")).unwrap();
        for file in std::fs::read_dir(repository("datasets")).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), workspace.path("datasets").join(file.file_name())).unwrap();
        }
        for Shown { args, said } in shown_commands(name) {
            // Other judges are stand-ins written in Python, and other tables are made by cells before.
            let asks = args.windows(2).any(|pair| pair[0] == "--judge" && pair[1] != "builtin");
            if asks || args[1] != "datasets/benchmark.jsonl" {
                continue;
            }
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let ran = workspace.tooljudge(&args).env("COLUMNS", "100").output().unwrap();
            let text = String::from_utf8([ran.stdout, ran.stderr].concat()).unwrap();
            let mut says: Vec<String> =
                text.trim_end().lines().map(|line| without_time(line).trim_end().to_owned()).collect();
            let code = ran.status.code().unwrap();
            if code != 0 || says.is_empty() {
                says.push(format!("(exit code {code})"));
            }
            let said = &said[..says.len().min(said.len())];
            assert_eq!(
                said,
                says,
                "{name} shows another output of `tooljudge {}`. Execute notebooks/run, and read whether the text still holds",
                args.join(" ")
            );
            compared += 1;
        }
    }
    assert!(compared >= 6, "{compared}");
}
