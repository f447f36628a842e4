//! The commands in a program without a command line, as the Python package runs them.

use std::sync::{Arc, Mutex};

use tooljudge::internal::{Fault, Host, HostError, Hosted, Listener, Said, run_job, toml};
use tooljudge::judge::{Function, FunctionCall, FunctionError};
use tooljudge::run::Stop;
use tooljudge::run::settings::{Collected, InMemory};

use crate::support::workspace::Workspace;

/// How a command ended, what was said, and its table.
type Ran = (Result<Hosted, HostError>, Vec<Said>, Option<Vec<Option<String>>>);

fn hosted(words: &[&str], rows: &str, stop: Stop) -> Ran {
    hosted_with(words, &[rows], stop, Vec::new())
}

fn hosted_with(words: &[&str], tables: &[&str], stop: Stop, functions: Vec<Function>) -> Ran {
    let (heard, collected) = (Arc::<Mutex<Vec<Said>>>::default(), Collected::default());
    let hears = Arc::clone(&heard);
    let host = Host {
        tables: tables.iter().map(|rows| InMemory::json_lines(rows.as_bytes()).unwrap()).collect(),
        functions,
        settings: toml::Table::new(),
        variable: None,
        collected: Some(collected.clone()),
        stop,
        listener: Some(Listener {
            verbose: 2,
            hear: Arc::new(move |said| hears.lock().unwrap().push(said)),
            pass: Arc::new(|pass| Box::new(pass)),
        }),
        ..Host::default()
    };
    let (job, options, inputs) = asked(words);
    let ended = run_job(&job, &options, inputs, &host);
    let labels = |frame: polars::prelude::DataFrame| {
        let labels = frame.column("label").unwrap().str().unwrap().clone();
        labels.iter().map(|label| label.map(str::to_owned)).collect()
    };
    let said = heard.lock().unwrap().clone();
    (ended, said, collected.take().map(labels))
}

/// The command that `words` type: its name, its options, its inputs.
fn asked(words: &[&str]) -> (String, toml::Table, Vec<String>) {
    let (mut options, mut rest) = (toml::Table::new(), words[1..].iter());
    for word in rest.by_ref().take_while(|word| **word != "--") {
        let word = word.trim_start_matches("--");
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key, toml::Value::from(value)),
            None => (word, toml::Value::from(true)),
        };
        options.insert(key.replace('-', "_"), value);
    }
    (words[0].to_owned(), options, rest.map(|&input| input.to_owned()).collect())
}

const ROWS: &str = r#"{"question": "Weather in Oslo?", "tool_call": "weather(town='Oslo')", "tool_definitions": [{"name": "weather", "parameters": {"properties": {"city": {}}}}]}
{"question": "Hello", "tool_call": null, "tool_definitions": "weather: Tells the weather"}
"#;

#[test]
fn a_host_hears_what_would_be_printed_and_gets_the_table() {
    let (ended, said, labels) =
        hosted(&["label", "--json", "--explain", "--limit=1", "--", "-"], ROWS, Stop::default());
    assert_eq!(ended.unwrap(), Hosted::Done);
    assert_eq!(labels.unwrap(), [Some("incorrect".to_owned())]);
    assert!(
        matches!(&said[..], [Said::Warning(warning), Said::Data(record)]
        if warning.contains("does not use --explain") && record.contains(r#""incorrect": 1"#)),
        "{said:?}"
    );
    let (ended, said, labels) = hosted(&["label", "--", "-"], ROWS, Stop::default());
    assert_eq!((ended.unwrap(), labels.unwrap().len()), (Hosted::GateFailed, 2));
    assert!(
        said.iter().any(|said| matches!(said, Said::Warning(text) if text.contains("have no label"))),
        "{said:?}"
    );
}

#[test]
fn errors_have_kinds_and_no_usage() {
    let work = Workspace::new();
    let (missing, store) =
        (work.path("no.toml").display().to_string(), work.path("s.sqlite").display().to_string());
    for (words, rows, kind, text) in [
        (&["label", "--votes=2", "--", "-"][..], ROWS, Fault::Settings, "--votes"),
        (&["label", "--judge=gpt", "--", "-"], ROWS, Fault::Settings, "PROVIDER:MODEL"),
        (&["label", &format!("--config={missing}"), "--", "-"], ROWS, Fault::Settings, "no.toml"),
        (&["label", "--where=nope=1", "--", "-"], ROWS, Fault::Input, "nope"),
        (&["label", "--", "-"], "{\"a\": 1}\n", Fault::Input, "`a`"),
        (
            &[
                "label",
                "--judge=vllm:m",
                "--base-url=http://10.1.2.3/v1",
                &format!("--store={store}"),
                "--",
                "-",
            ],
            ROWS,
            Fault::Judge,
            "http",
        ),
        (
            &["label", "--", "-"],
            "{\"question\": \"a\", \"tool_call\": \"f()\", \"label\": 1}",
            Fault::Settings,
            "--prefix",
        ),
    ] {
        let (ended, _, table) = hosted(words, rows, Stop::default());
        let error = ended.unwrap_err();
        assert_eq!(error.kind, kind, "{error:?}");
        assert!(error.message.contains(text) && !error.message.contains("Usage"), "{error:?}");
        assert!(table.is_none());
    }
}

#[test]
fn a_host_can_stop_the_work() {
    let stop = Stop::default();
    stop.gently.cancel();
    let (ended, said, table) = hosted(&["label", "--", "-"], ROWS, stop);
    assert_eq!(ended.unwrap(), Hosted::Interrupted);
    assert!(
        table.is_none()
            && said.iter().any(|said| matches!(said, Said::Talk(text) if text.contains("interrupted"))),
        "{said:?}"
    );
}

fn function(version: &str, answer: fn(&str) -> Result<String, FunctionError>) -> Function {
    let ask = move |call: FunctionCall| {
        let said = answer(&call.prompt);
        call.answer(said);
    };
    Function { name: "mine".to_owned(), version: version.to_owned(), ask: Arc::new(ask) }
}

#[test]
fn a_function_of_the_host_judges_under_the_same_store() {
    let work = Workspace::new();
    let store = work.path("s.sqlite").display().to_string();
    let words =
        ["label", "--json", "--judge=mine", "--allow-unjudged=1", &format!("--store={store}"), "--", "-"];
    let label = |version: &str, answer: fn(&str) -> Result<String, FunctionError>| {
        hosted_with(&words, &[ROWS], Stop::default(), vec![function(version, answer)])
    };
    let oslo = |prompt: &str| match prompt.contains("Oslo") {
        true => Ok("correct".to_owned()),
        false => Err(FunctionError::Question("too long".to_owned())),
    };
    let (ended, said, labels) = label("1", oslo);
    assert_eq!((ended.unwrap(), labels.unwrap()), (Hosted::Done, vec![Some("correct".to_owned()), None]));
    assert!(
        said.iter().any(|said| matches!(said, Said::Data(record) if record.contains("function_failed"))),
        "{said:?}"
    );
    // Stored replies are not asked for again, failures are; another version has replies of its own.
    let (_, _, labels) = label("1", |_| Ok("incorrect".to_owned()));
    assert_eq!(labels.unwrap(), [Some("correct".to_owned()), Some("incorrect".to_owned())]);
    let (_, _, labels) = label("2", |_| Ok("{\"error\": \"no\", \"label\": \"incorrect\"}".to_owned()));
    assert_eq!(labels.unwrap(), [Some("incorrect".to_owned()), Some("incorrect".to_owned())]);
    let (ended, _, _) = label("3", |_| Err(FunctionError::Run("it returned a dict".to_owned())));
    let error = ended.unwrap_err();
    assert_eq!(error.kind, Fault::Judge);
    assert!(error.message.starts_with("the function mine: it returned a dict"), "{error:?}");
}

#[test]
fn a_function_cannot_take_the_place_of_a_judge() {
    for name in ["builtin", "Builtin", "openai:gpt-5-mini", "builtin:mine", "schema_only"] {
        let function =
            Function { name: name.to_owned(), ..function("1", |_| panic!("nobody named the function")) };
        let words = ["label", &format!("--judge={name}"), "--", "-"];
        let (ended, _, table) = hosted_with(&words, &[ROWS], Stop::default(), vec![function]);
        let error = ended.unwrap_err();
        assert_eq!(error.kind, Fault::Settings, "{name}");
        assert!(error.message.contains("another name") && table.is_none(), "{error:?}");
    }
}

#[test]
fn a_host_hears_what_changes_the_course_of_a_run() {
    let work = Workspace::new();
    let store = work.path("s.sqlite").display().to_string();
    let words = [
        "label",
        "--judge=vllm:m",
        "--base-url=http://127.0.0.1:1/v1",
        "--max-attempts=1",
        &format!("--store={store}"),
        "--",
        "-",
    ];
    let (ended, said, _) = hosted(&words, ROWS, Stop::default());
    assert_eq!(ended.unwrap_err().kind, Fault::Judge);
    assert!(
        said.iter().any(|said| matches!(said, Said::Detail(text) if text.contains("not answered"))),
        "{said:?}"
    );
}

#[test]
fn tables_in_memory_are_compared_beside_files() {
    let work = Workspace::new();
    let table = |labels: [&str; 2]| {
        let row = |(at, label): (usize, &&str)| {
            format!(
                r#"{{"id": {at}, "gold": "correct", "label": "{label}", "status": "judged", "judge": "j"}}"#
            )
        };
        labels.iter().enumerate().map(row).collect::<Vec<_>>().join("\n")
    };
    let file = work.file("file.jsonl", table(["correct", "incorrect"])).display().to_string();
    let words = ["compare", "--json", "--", "memory:ours", &file, "memory:theirs"];
    let tables = [table(["correct", "correct"]), table(["incorrect", "incorrect"])];
    let (ended, said, _) = hosted_with(&words, &[&tables[0], &tables[1]], Stop::default(), Vec::new());
    assert_eq!(ended.unwrap(), Hosted::Done);
    assert!(
        said.iter().any(|said| matches!(said, Said::Data(record) if ["j (ours)", "j (file)", "j (theirs)"]
            .iter()
            .all(|name| record.contains(name)))),
        "{said:?}"
    );
}
