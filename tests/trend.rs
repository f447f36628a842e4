//! Results over time: what `drive --history` keeps, and what `trend` makes of it.

use serde_json::Value;

use crate::support::workspace::{Ran, Workspace, shown};

const CASES: usize = 12;

/// A suite of cases, each of which expects one call.
fn suite(cases: usize) -> String {
    let case = |at: usize| {
        format!(
            "[[cases]]\nid = \"c{at}\"\nuser_message = \"Sky {at}?\"\nexpected_tool_calls = [{{ tool_name = \"look\" }}]\n"
        )
    };
    let tools = "tools = [{ name = \"look\", parameters = { type = \"object\" } }]\n";
    format!("name = \"sky\"\n{tools}{}", (0..cases).map(case).collect::<String>())
}

/// Replies that pass, but in the first `failing` cases.
fn script(cases: usize, failing: usize) -> String {
    let replies = |at: usize| match at < failing {
        true => "\"Clear.\"".to_owned(),
        false => r#"{"calls": [{"name": "look", "arguments": {}}]}, "Clear.""#.to_owned(),
    };
    (0..cases).map(|at| format!("{{\"case\": \"c{at}\", \"replies\": [{}]}}\n", replies(at))).collect()
}

fn drive(work: &Workspace, failing: usize, more: &[&str]) -> Ran {
    work.file("agent.jsonl", script(CASES, failing));
    let usual = [
        "drive",
        "sky.toml",
        "--agent",
        "script:agent.jsonl",
        "--history",
        "history.jsonl",
        "--allow-failures",
    ];
    work.run(&[&usual, more].concat())
}

fn trend(work: &Workspace, more: &[&str]) -> Ran {
    work.run(&[&["trend", "history.jsonl"], more].concat())
}

fn found(work: &Workspace, more: &[&str]) -> Value {
    serde_json::from_str(&trend(work, &[more, &["--json"]].concat()).stdout).unwrap()
}

/// Runs in which so many of twelve cases fail, at known times.
fn driven(failing: &[usize]) -> Workspace {
    let work = Workspace::new();
    work.file("sky.toml", suite(CASES));
    for failing in failing {
        drive(&work, *failing, &["-q"]).ended(0);
    }
    let lines = work.read("history.jsonl");
    let dated = lines.lines().enumerate().map(|(at, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["time"] = format!("2026-11-{:02}T03:00:00Z", at + 1).into();
        line["run"] = format!("202611{:02}T030000Z-0000000{at}", at + 1).into();
        format!("{line}\n")
    });
    work.file("history.jsonl", dated.collect::<String>());
    work
}

#[test]
fn each_run_adds_a_line_of_counts_and_names() {
    let work = Workspace::new();
    work.file("sky.toml", suite(CASES));
    let ran = drive(&work, 2, &["--experiment", "short prompt", "--tag", "branch=main", "--tag", "night=3"])
        .ended(0);
    assert!(ran.stderr.contains("history  written to history.jsonl"), "{}", ran.stderr);
    drive(&work, 0, &["--repeats", "3", "--json"]).ended(0);
    let text = work.read("history.jsonl");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    let first = &lines[0];
    assert_eq!((first["kind"].as_str(), first["format"].as_u64()), (Some("tooljudge history"), Some(1)));
    assert_eq!((&first["experiment"], &first["tags"]["branch"]), (&"short prompt".into(), &"main".into()));
    let suite = &first["suites"][0];
    assert_eq!(
        (&suite["suite"], &suite["trials"], &suite["passed"], &suite["failed"]),
        (&"sky".into(), &12.into(), &10.into(), &2.into())
    );
    assert_eq!(lines[1]["suites"][0]["cases"][4]["passed"], 3);
    assert_eq!(suite["asked"], lines[1]["suites"][0]["asked"], "the same was asked");
    for words in ["Sky", "Clear", "user_message"] {
        assert!(!text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_drop_that_is_more_than_chance_is_told_and_fails_the_gate() {
    let work = driven(&[1, 0, 1, 8]);
    let ran = trend(&work, &[]).ended(0);
    shown("trend_drop", &ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100));
    let json = found(&work, &[]);
    let changes = json["agents"][0]["changes"].as_array().unwrap();
    // Seven of twelve cases: McNemar's exact test gives 2/128, and Holm's correction doubles it.
    let previous = &changes[0];
    assert_eq!((&previous["against"], &previous["verdict"]), (&"previous".into(), &"worse".into()));
    assert!((previous["p"].as_f64().unwrap() - 2.0 / 128.0).abs() < 1e-9, "{previous:#}");
    assert!(previous["p_adjusted"].as_f64().unwrap() <= 4.0 / 128.0 + 1e-9);
    assert_eq!((&changes[1]["against"], &changes[1]["episodes_before"]), (&"earlier".into(), &36.into()));

    let ran = trend(&work, &["--max-drop", "0", "-q"]).ended(1);
    assert!(
        ran.stderr.contains("the weighted pass rate has dropped by 58.3 points, from 91.7 % to 33.3 %"),
        "{}",
        ran.stderr
    );
    trend(&work, &["--max-drop", "0.7", "-q"]).ended(0);
    trend(&work, &["--max-drop", "0", "--baseline", "20261103", "-q"]).ended(1);
}

#[test]
fn what_chance_explains_is_no_drop() {
    let work = driven(&[4, 0, 4, 3]);
    let ran = trend(&work, &["--max-drop", "0"]).ended(0);
    assert!(ran.stdout.contains("no difference is shown"), "{}", ran.stdout);
    // Where all passed, and all pass or three fail, twelve failures would have been shown; where none did, no drop could be.
    for (failing, is_told) in [([0, 0], false), ([0, 3], false), ([12, 12], true)] {
        let ran = trend(&driven(&failing), &["--max-drop", "0"]).ended(0);
        assert!(ran.stdout.contains("no difference is shown"), "{}", ran.stdout);
        assert_eq!(ran.stderr.contains("--max-drop cannot fail"), is_told, "{}", ran.stderr);
    }
    let work = driven(&[0]);
    let ran = trend(&work, &["--max-drop", "0"]).ended(0);
    assert!(ran.stderr.contains("no run to compare the last one with"), "{}", ran.stderr);
}

#[test]
fn cases_that_changed_are_counted_and_not_compared() {
    let work = driven(&[0]);
    // One expects something else, one is new, and all have other instructions.
    let changed = suite(CASES)
        .replacen("{ tool_name = \"look\" }", "{ tool_name = \"look\", forbidden_params = [\"at\"] }", 1)
        .replace("name = \"sky\"", "name = \"sky\"\nsystem = \"Look up.\"")
        + "[[cases]]\nid = \"new\"\nuser_message = \"Sea?\"\nshould_not_call_tools = true\n";
    work.file("sky.toml", changed);
    work.file("agent.jsonl", script(CASES, 0) + "{\"case\": \"new\", \"replies\": [\"Blue.\"]}\n");
    let usual = ["drive", "sky.toml", "--agent", "script:agent.jsonl", "--history", "history.jsonl"];
    work.run(&[&usual[..], &["-q"]].concat()).ended(0);
    let json = found(&work, &[]);
    let change = &json["agents"][0]["changes"][0];
    let count = |key: &str| change[key].as_u64().unwrap();
    assert_eq!(
        [
            count("cases_changed"),
            count("cases_added"),
            count("cases_removed"),
            count("cases_with_other_setup")
        ],
        [1, 1, 0, 11]
    );
    let ran = trend(&work, &[]).ended(0);
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "1 asks or expects something else now, 1 is new",
        "11 cases with other instructions or tools",
        "differs from run to run: the cases of the suite",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Where most of the last run is new, nothing holds.
    let other = suite(CASES).replace("Sky", "Sea");
    work.file("sky.toml", other);
    drive(&work, 0, &["-q"]).ended(0);
    let ran = trend(&work, &["--max-drop", "0", "-q"]).ended(1);
    assert!(ran.stderr.contains("for a part of the last run only"), "{}", ran.stderr);
}

#[test]
fn a_run_that_was_killed_costs_no_other_its_record() {
    let work = driven(&[0, 1]);
    let whole = work.read("history.jsonl");
    work.file("history.jsonl", &whole[..whole.len() - 40]);
    let ran = trend(&work, &[]).ended(0);
    assert!(ran.stderr.contains("the last line was cut off"), "{}", ran.stderr);
    assert_eq!(found(&work, &[])["agents"][0]["runs"].as_array().unwrap().len(), 1);
    let ran = drive(&work, 1, &[]).ended(0);
    assert!(ran.stderr.contains("the last line was cut off"), "{}", ran.stderr);
    assert_eq!(work.read("history.jsonl").lines().count(), 2);
    assert_eq!(found(&work, &[])["agents"][0]["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_no_history_is_named() {
    let work = driven(&[0, 1]);
    let whole = work.read("history.jsonl");
    let (first, second) = whole.split_once('\n').unwrap();
    for (content, why) in [
        (String::new(), "holds no run: `tooljudge drive SUITE --history history.jsonl` adds one"),
        ("id,label\n1,correct\n".to_owned(), "history.jsonl:1: it is not JSON"),
        ("{\"id\": 1}\n".to_owned(), "history.jsonl:1: it is not a record of the results of a run"),
        (format!("{first}\n{}\n{second}", &first[..90]), "history.jsonl:2: it is not JSON"),
        (whole.replace("\"format\":1", "\"format\":2"), "history.jsonl:1: its format is 2"),
    ] {
        work.file("history.jsonl", &content);
        let ran = trend(&work, &[]).ended(2);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
        // Nobody is asked for a run that could not be added, and the file stays as it is.
        if !content.is_empty() {
            drive(&work, 0, &[]).ended(2);
            assert_eq!(work.read("history.jsonl"), content);
        }
    }
    let gone = work.run(&["trend", "nowhere.jsonl"]).ended(2);
    assert!(gone.stderr.contains("cannot read nowhere.jsonl"), "{}", gone.stderr);
    work.file("history.jsonl", &whole);
    for (more, why) in [
        (["--baseline", "2025"], "--baseline: no run is named `2025`"),
        (["--baseline", "2026"], "--baseline: several runs begin with `2026`"),
        (["--baseline", "20261102"], "--baseline: it is the last run itself"),
        (["--agent", "script:agent.json"], "--agent script:agent.json: no run is of that agent"),
        (["--report", "trend.txt"], "a report ends in .md or .json"),
        (["--report", "history.jsonl"], "history.jsonl"),
        (["-o", "history.jsonl"], "history.jsonl"),
        (["--max-drop", "5"], "expected a share between 0 and 1"),
    ] {
        let ran = trend(&work, &more).ended(2);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
    }
}

#[test]
fn stored_replies_of_a_version_are_not_fresh() {
    let work = Workspace::new();
    work.file("sky.toml", suite(2));
    work.file("agent.py", "input()\nprint('{\"type\": \"answer\", \"text\": \"Clear.\"}', flush=True)\n");
    let usual = [
        "drive",
        "sky.toml",
        "--agent",
        "exec:python3 agent.py",
        "--agent-version",
        "1",
        "--history",
        "history.jsonl",
    ];
    for repeats in ["1", "1", "2"] {
        work.run(&[&usual[..], &["--allow-failures", "--repeats", repeats, "-q"]].concat()).ended(0);
    }
    let text = work.read("history.jsonl");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fresh: Vec<&Value> = lines.iter().map(|line| &line["suites"][0]["cases"][1]["fresh"]).collect();
    assert_eq!((fresh[0], &fresh[1]["scored"], &fresh[2]["scored"]), (&Value::Null, &0.into(), &1.into()));
    let agent = &found(&work, &[])["agents"][0];
    assert_eq!(
        (agent["replayed"].as_array().unwrap().len(), agent["runs"].as_array().unwrap().len()),
        (1, 2)
    );
    let change = &agent["changes"][0];
    assert_eq!((&change["episodes_before"], &change["episodes_after"]), (&2.into(), &2.into()));
}

#[test]
fn tables_and_reports_hold_all_runs() {
    let work = driven(&[1, 2]);
    work.file("copy.jsonl", work.read("history.jsonl"));
    let more = ["-o", "runs.csv", "--report", "trend.md", "--report", "trend.json", "-q"];
    work.run(&[&["trend", "history.jsonl", "copy.jsonl"], &more[..]].concat()).ended(0);
    let rows = work.rows("runs.csv");
    assert_eq!(rows.len(), 2 * (1 + CASES), "a run that is in two files counts once");
    assert_eq!(
        (rows[0]["case"].as_str(), rows[0]["passed"].as_str(), rows[0]["trials"].as_str()),
        ("", "11", "12")
    );
    assert_eq!((rows[1]["case"].as_str(), rows[1]["pass_rate"].as_str()), ("c0", "0.0"));
    assert!(work.read("trend.md").contains("against  the run before"));
    let json: Value = serde_json::from_str(&work.read("trend.json")).unwrap();
    assert_eq!(json["agents"][0]["runs"][1]["suites"][0]["counts"]["passed"], 10);
    // They may be written again.
    work.run(&[&["trend", "history.jsonl"], &more[..]].concat()).ended(0);
}
