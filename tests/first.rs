//! The built-in judge in front of a model: what it settles is not sent, and everything says who decided.

use serde_json::Value;

use crate::evidence::{HEAD, OPEN};
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

/// Two calls whose arguments are not those that their tool has: wrong whatever was asked.
const WRONG: &str = r#""Weather in Oslo, please","[{""name"": ""get_weather"", ""arguments"": {""town"": ""Oslo""}}]","[{""name"": ""get_weather"", ""parameters"": {""type"": ""object"", ""properties"": {""city"": {""type"": ""string""}}, ""required"": [""city""], ""additionalProperties"": false}}]""#;
/// Of its two calls the first is wrong and the second open.
const HALF: &str = r#""Weather in Oslo, and where the Eiffel Tower stands","[{""name"": ""get_weather"", ""arguments"": {""town"": ""Oslo""}}, {""name"": ""get_weather"", ""arguments"": {""city"": ""Paris""}}]","[{""name"": ""get_weather"", ""parameters"": {""type"": ""object"", ""properties"": {""city"": {""type"": ""string""}}, ""required"": [""city""], ""additionalProperties"": false}}]""#;

fn table(work: &Workspace, rows: &[&str]) {
    let numbered = rows.iter().enumerate().map(|(at, row)| format!("{at},{row}\n"));
    work.file("in.csv", format!("id,{HEAD}{}", numbered.collect::<String>()));
}

/// A judge of models that passes everything.
fn lenient() -> Server {
    Server::start(|_| Answer::label("correct"))
}

/// A workspace whose judges `mini` and `other` are the server's, at ten dollars a million tokens.
fn workspace(server: &Server) -> Workspace {
    let work = Workspace::new();
    let judge = |name: &str| {
        let (url, price) = (&server.url, "{ input = 10.0, output = 10.0 }");
        format!("[judges.{name}]\njudge = 'openai:{name}'\nbase_url = '{url}'\nprice = {price}\n")
    };
    work.file("tooljudge.toml", judge("mini") + &judge("other"));
    work
}

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let usual = ["label", "in.csv", "-o", "out.csv", "--first", "builtin", "--judge", "mini", "--force"];
    usual.iter().chain(more).copied().collect()
}

#[test]
fn what_the_builtin_judge_settles_is_not_sent() {
    let server = lenient();
    let work = workspace(&server);
    table(&work, &[OPEN, WRONG, OPEN, WRONG]);
    let ran = work.run(&args(&[])).ended(0);
    assert_eq!(server.requests(), 1, "the open question, once");
    assert_eq!(work.column("out.csv", "label"), ["correct", "incorrect", "correct", "incorrect"]);
    let judges = ["mini", "builtin", "mini", "builtin"];
    assert_eq!(work.column("out.csv", "judge"), judges);
    let settled = &work.rows("out.csv")[1];
    assert!(settled["explanation"].contains("town"), "{}", settled["explanation"]);
    assert_eq!((settled["cost_usd"].as_str(), settled["attempts"].as_str()), ("", ""));
    assert!(!settled["confidence"].is_empty() && !settled["p_correct"].is_empty());
    // Both rows ask the same, which would have been paid for once.
    let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let spared = said.split("have cost about $").nth(1).unwrap_or_else(|| panic!("{said}"));
    assert!(
        ran.stdout.contains("builtin settled 2 of 4 rows (50.0 %), which were not sent"),
        "{}",
        ran.stdout
    );
    let spared: f64 = spared.split_whitespace().next().unwrap().parse().unwrap();
    let manifest: Value = serde_json::from_str(&work.read("out.csv.run.json")).unwrap();
    let member = &manifest["panel"][0];
    assert_eq!(member["judge"]["name"], "mini");
    assert_eq!(member["first"]["name"], "builtin");
    assert_eq!(member["first"]["parameters"]["decide"], "evidence");
    assert_eq!(member["summary"]["settled"]["rows"], 2);
    let record = member["summary"]["settled"]["spared_usd"].as_f64().unwrap();
    assert!((record - spared).abs() < 1e-6 && record > 0.0, "{record} {spared}");

    // Again: nothing is sent, and the labels are the same.
    let before = work.read("out.csv");
    work.run(&args(&[])).ended(0);
    assert_eq!(server.requests(), 1);
    let labels = work.column("out.csv", "label");
    assert_eq!(labels, ["correct", "incorrect", "correct", "incorrect"], "{before}");
}

#[test]
fn votes_and_single_calls_are_spared_too() {
    for (rows, more, requests, labels) in [
        (&[WRONG, OPEN][..], &["--votes", "3"][..], 3, &["incorrect", "correct"][..]),
        (&[HALF, OPEN, WRONG], &["--per", "call"], 2, &["incorrect", "correct", "incorrect"]),
        (&[HALF, OPEN], &["--per", "call", "--votes", "3"], 6, &["incorrect", "correct"]),
        (&[WRONG, OPEN, WRONG], &["--findings"], 1, &["incorrect", "correct", "incorrect"]),
    ] {
        let server = lenient();
        let work = workspace(&server);
        table(&work, rows);
        work.run(&args(more)).ended(0);
        assert_eq!(server.requests(), requests, "{more:?}");
        assert_eq!(work.column("out.csv", "label"), labels, "{more:?}");
        let judges = work.column("out.csv", "judge");
        let settled: Vec<bool> = judges.iter().map(|judge| judge == "builtin").collect();
        let wrong: Vec<bool> = labels.iter().map(|label| *label == "incorrect").collect();
        assert_eq!(settled, wrong, "{more:?}: the model passes everything");
        if more.contains(&"--findings") {
            assert!(work.column("out.csv", "findings")[0].contains("town"));
        }
        if more == ["--per", "call"] {
            // Of the first row one call was settled, and the other one asked about.
            let again = work.run(&args(more)).ended(0);
            assert_eq!(server.requests(), requests, "nothing is asked again");
            assert!(again.stdout.contains("builtin settled 1 of 3 rows"), "{}", again.stdout);
            assert_eq!(work.column("out.csv", "cached"), ["true", "true", "false"]);
        }
        if more.contains(&"call") {
            assert_eq!(work.column("out.csv", "calls_judged")[0], "2");
            assert_eq!(work.column("out.csv", "calls_correct")[0], "1");
        }
    }
}

#[test]
fn every_judge_and_task_has_it_in_front() {
    let server = lenient();
    let work = workspace(&server);
    table(&work, &[WRONG, OPEN]);
    let judges = ["--judge", "other", "--task", "tool_calling", "--task", "parameter_extraction"];
    work.run(&args(&judges)).ended(0);
    assert_eq!(server.requests(), 4, "one row, two judges, two tasks");
    for judge in ["mini", "other"] {
        for task in ["tool_calling", "parameter_extraction"] {
            let of = |name| work.column("out.csv", &format!("{judge}_{task}_{name}"));
            assert_eq!(of("judge")[0], "builtin");
            assert_eq!(of("label"), ["incorrect", "correct"]);
        }
    }
}

#[test]
fn a_dry_run_says_what_is_not_sent() {
    let server = lenient();
    let work = workspace(&server);
    table(&work, &[OPEN, WRONG, WRONG]);
    let ran = work.run(&args(&["--dry-run"])).ended(0);
    assert!(
        ran.stdout.contains("builtin settles 2 of 3 rows by itself: they are not sent"),
        "{}",
        ran.stdout
    );
    let ran = work.run(&args(&["--dry-run", "--json"])).ended(0);
    let forecasts: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&forecasts[0]["settled"]["rows"], &forecasts[0]["questions"]), (&2.into(), &1.into()));
    assert_eq!(server.requests(), 0);
}

#[test]
fn a_benchmark_measures_the_pair_beside_the_model_alone() {
    let server = lenient();
    let work = workspace(&server);
    let rows = [(OPEN, "correct"), (WRONG, "incorrect"), (HALF, "incorrect")];
    let text: String = rows.iter().map(|(row, gold)| format!("{gold},{row}\n")).collect();
    work.file("in.csv", format!("gold,{HEAD}{text}"));
    let judge = ["--judge", "mini"];
    let command = ["bench", "in.csv", "-o", "out.csv", "--first", "builtin", "--json"];
    let ran = work.run(&[&command[..], &judge, &["--dry-run"]].concat()).ended(0);
    let forecasts: Value = serde_json::from_str(&ran.stdout).unwrap();
    let questions = [&forecasts[0]["questions"], &forecasts[1]["questions"]];
    assert_eq!((questions, server.requests()), ([&3.into(), &0.into()], 0), "{forecasts:#}");
    assert_eq!(work.names(), ["in.csv", "tooljudge.toml"]);
    let ran = work.run(&[&command[..], &judge].concat()).ended(0);
    assert_eq!(server.requests(), 3, "the model alone is asked about everything, and the pair about no more");
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    let of = |judge: &str| {
        let judges = record["entrants"].as_array().unwrap();
        judges.iter().find(|own| own["judge"] == judge).unwrap_or_else(|| panic!("{record:#}"))
    };
    let (alone, pair) = (of("mini"), of("builtin, then mini"));
    assert_eq!(alone["overall"]["figures"]["accuracy"]["value"].as_f64(), Some(1.0 / 3.0));
    assert_eq!(pair["overall"]["figures"]["accuracy"]["value"].as_f64(), Some(1.0));
    assert!(alone.get("settled").is_none());
    assert_eq!((&pair["settled"]["rows"], &pair["settled"]["settled"]), (&3.into(), &2.into()));
    assert_eq!(pair["settled"]["precision_incorrect"]["value"].as_f64(), Some(1.0));
    assert!(pair["settled"]["precision_correct"].is_null());
    let cost = |judge: &Value| judge["usage"]["cost_usd"].as_f64().unwrap();
    assert!(cost(pair) < cost(alone), "{} {}", cost(pair), cost(alone));
    assert_eq!(work.column("out.csv", "label"), ["correct"; 3]);
    assert_eq!(work.column("out.csv", "first_judge"), ["mini", "builtin", "builtin"]);
    let ran = work.run(&[&command[..command.len() - 1], &judge, &["--force"]].concat()).ended(0);
    assert!(ran.stdout.contains("2 of 3 rows settled before a model was asked (66.7 %)"), "{}", ran.stdout);
}

#[test]
fn what_it_cannot_speak_for_is_refused() {
    let server = lenient();
    let work = workspace(&server);
    table(&work, &[OPEN]);
    work.file("plain.txt", "Judge {tool_call} for {question} with {tool_definitions}.");
    for (more, words) in [
        (&["--first", "openai:gpt-4.1"][..], "--first takes `builtin` or `builtin:FILE`"),
        (&["--first", "buildin"], "builtin"),
        (&["--task", "trajectory"], "does not judge trajectory"),
        (&["--task", "tool_selection", "--scale", "five"], "has 5 labels"),
        (&["--template", "plain.txt"], "does not say which task it judges"),
    ] {
        let mut args = args(more);
        if let ["--first", name] = more {
            args.truncate(args.len() - 2);
            args[5] = name;
        }
        let ran = work.run(&args).ended(2);
        assert!(ran.stderr.contains(words), "{more:?}: {}", ran.stderr);
    }
    let ran = work.run(&["label", "in.csv", "--first", "builtin"]).ended(2);
    assert!(ran.stderr.contains("name one with --judge"), "{}", ran.stderr);
    assert_eq!(server.requests(), 0);
}

#[test]
fn of_results_only_faults_are_settled() {
    let server = Server::start(|_| Answer::label("succeeded"));
    let work = workspace(&server);
    let row = |result: &str| {
        serde_json::json!({
            "question": "Weather in Oslo?",
            "tool_call": [{"name": "get_weather", "arguments": {"city": "Oslo"}}],
            "tool_definitions": [{"name": "get_weather"}],
            "tool_result": result,
        })
    };
    let rows = [row(r#"{"error": "ECONNREFUSED"}"#), row(r#"{"temperature": 4, "sky": "clear"}"#)];
    work.file("in.jsonl", rows.map(|row| row.to_string()).join("\n"));
    let judge = ["--judge", "mini"];
    let command = ["label", "in.jsonl", "-o", "out.csv", "--first", "builtin", "--task", "tool_call_success"];
    work.run(&[&command[..], &judge].concat()).ended(0);
    assert_eq!(server.requests(), 1);
    assert_eq!(work.column("out.csv", "judge"), ["builtin", "mini"]);
}
