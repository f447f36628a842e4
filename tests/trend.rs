//! Results over time: what `drive --history` keeps, and what `trend` makes of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::support::child::Deadline;
use crate::support::server::{Answer, Said, Seen, Server};
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
fn drive_shows_the_interval_of_the_trend() {
    for repeats in ["1", "5"] {
        let work = Workspace::new();
        work.file("sky.toml", suite(CASES));
        let ran = drive(&work, 4, &["--repeats", repeats, "--json"]).ended(0);
        let driven: Value = serde_json::from_str(&ran.stdout).unwrap();
        let now = &driven["agents"][0]["scores"]["pass_rate"];
        let over_time = &found(&work, &[])["agents"][0]["runs"][0]["pass_rate"];
        for end in ["low", "high"] {
            let (now, over_time) = (now[end].as_f64().unwrap(), over_time[end].as_f64().unwrap());
            assert!((now - over_time).abs() < 1e-9, "{repeats}, {end}: {now} and {over_time}");
        }
        // Repeats that all come out alike tell no more than one of them; sixty episodes by themselves would give half of it.
        let width = now["high"].as_f64().unwrap() - now["low"].as_f64().unwrap();
        assert!(width > 0.45, "{repeats}: {width}");
    }
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
    assert_eq!((first["kind"].as_str(), first["format"].as_u64()), (Some("tooljudge history"), Some(2)));
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
    assert!(!ran.stderr.contains("cannot fail"), "{}", ran.stderr);
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
        (whole.replace("\"format\":2", "\"format\":3"), "history.jsonl:1: its format is 3"),
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
        (["--experiment", "none"], "--experiment none: no run is of that experiment"),
        (["--tag", "branch=main"], "--tag branch=main: no run has that tag"),
        (["--report", "trend.txt"], "a report ends in .html, .md or .json"),
        (["--report", "history.jsonl"], "history.jsonl"),
        (["-o", "history.jsonl"], "history.jsonl"),
        (["--max-drop", "5"], "expected a share between 0 and 1"),
    ] {
        let ran = trend(&work, &more).ended(2);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
    }
}

/// Drives an agent of a version that passes, fails, or dies before its first word in all twelve cases.
fn own(work: &Workspace, does: &str, version: &str, more: &[&str]) {
    let call =
        r#"print('{"type": "call", "id": "1", "name": "look", "arguments": {}}', flush=True); input()"#;
    let answer = r#"print('{"type": "answer", "text": "Clear."}', flush=True)"#;
    let program = match does {
        "pass" => format!("input()\n{call}\n{answer}\n"),
        "fail" => format!("input()\n{answer}\n"),
        _ => "import sys\nsys.exit(3)\n".to_owned(),
    };
    work.file("agent.py", program);
    let agent = ["--agent", "exec:python3 agent.py", "--agent-version", version];
    let usual = ["drive", "sky.toml", "--history", "history.jsonl", "--allow-failures", "-q"];
    work.run(&[&usual[..], &agent, more].concat()).ended(0);
}

#[test]
fn stored_replies_are_evidence_once_by_who_paid_for_them() {
    // What is driven one after the other, how the gate ends, and what is compared with what.
    let anew: &[&str] = &["--fresh"];
    let twice: &[&str] = &["--repeats", "2"];
    for (why, runs, code, verdict, episodes) in [
        (
            "all die before the first word",
            vec![("pass", "1", &[][..]), ("die", "1", anew)],
            1,
            "worse",
            (12, 12),
        ),
        ("the second repeats die", vec![("pass", "1", &[]), ("die", "1", twice)], 1, "worse", (12, 12)),
        (
            "back to a bad version, whose replies are stored",
            vec![("fail", "1", &[]), ("pass", "2", &[]), ("pass", "1", &[])],
            1,
            "worse",
            (12, 12),
        ),
        (
            "a failed run again, all of it stored",
            vec![("pass", "1", &[]), ("fail", "2", &[]), ("pass", "2", &[])],
            1,
            "worse",
            (12, 12),
        ),
    ] {
        let work = Workspace::new();
        work.file("sky.toml", suite(CASES));
        runs.iter().for_each(|(does, version, more)| own(&work, does, version, more));
        let change = &found(&work, &[])["agents"][0]["changes"][0];
        let of = |key: &str| change[key].as_u64().unwrap();
        assert_eq!(
            (change["verdict"].as_str(), of("episodes_before"), of("episodes_after")),
            (Some(verdict), episodes.0, episodes.1),
            "{why}"
        );
        let gate = trend(&work, &["--max-drop", "0", "-q"]).ended(code);
        assert!(gate.stderr.contains("has dropped by 100.0 points"), "{why}: {}", gate.stderr);
    }
}

/// Drives an agent of a version that passes, but for what `fails` says of the number of a case and a repeat, in Python; with `crash`, it
/// dies there, the first time that it comes there.
fn flaky(work: &Workspace, version: &str, (fails, crash): (&str, bool), more: &[&str]) -> Ran {
    let ends = match crash {
        true => "\n    if not os.path.exists(mark):\n        open(mark, 'w').close()\n        sys.exit(3)\n",
        false => "\n    print('{\"type\": \"answer\", \"text\": \"Clear.\"}', flush=True)\n    sys.exit()\n",
    };
    let program = format!(
        "import os, re, sys\ncase, repeat = map(int, re.search(r'c(\\d+)#(\\d+)', input()).groups())\nmark = f'{version}-{{case}}-{{repeat}}'\n\
         if {fails}:{ends}print('{{\"type\": \"call\", \"id\": \"1\", \"name\": \"look\", \"arguments\": {{}}}}', flush=True)\ninput()\n\
         print('{{\"type\": \"answer\", \"text\": \"Clear.\"}}', flush=True)\n"
    );
    work.file("agent.py", program);
    let agent = ["--agent", "exec:python3 agent.py", "--agent-version", version];
    let usual = ["drive", "sky.toml", "--history", "history.jsonl", "--allow-failures", "-q"];
    work.run(&[&usual[..], &agent, more].concat()).ended(0)
}

#[test]
fn a_crash_is_told_and_hides_no_fall() {
    let work = Workspace::new();
    work.file("sky.toml", suite(CASES));
    // A third of the cases crash, and pass when they are driven again.
    flaky(&work, "1", ("case < 4", true), &[]);
    flaky(&work, "1", ("case < 4", true), &[]);
    flaky(&work, "2", ("case > 7", true), &[]);
    let text = work.read("history.jsonl");
    let passed: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["suites"][0]["passed"].clone())
        .collect();
    assert_eq!(passed, [8, 12, 8], "they are driven again all the same");
    let check = |shares: [f64; 2], crashed: u64| {
        let json = found(&work, &[]);
        let change = &json["agents"][0]["changes"][0];
        let found = ["before", "after"].map(|side| (change[side].as_f64().unwrap() * 12.0).round());
        assert_eq!((found, &change["episodes_crashed"]), (shares, &crashed.into()), "{change:#}");
        trend(&work, &["--max-drop", "0", "-q"]).ended(0);
        json
    };
    check([12.0, 8.0], 0);
    flaky(&work, "2", ("case > 7", true), &[]);
    let json = check([8.0, 12.0], 4);
    let run = |at: usize| json["agents"][0]["runs"][at]["run"].as_str().unwrap().to_owned();
    let case = &json["agents"][0]["runs"][3]["suites"][0]["cases"][11];
    assert_eq!(case["crashed"], serde_json::json!({ run(2): [1] }), "{case}");
    flaky(&work, "2", ("case > 7", true), &[]);
    let json = check([8.0, 12.0], 4);
    let case = &json["agents"][0]["runs"][4]["suites"][0]["cases"][11];
    assert_eq!(
        (&case["crashed"], &case["payers"]),
        (&serde_json::json!({ run(2): [1] }), &serde_json::json!({ run(3): [1] }))
    );
    let text = trend(&work, &[]).ended(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("4 episodes of now were driven again after the same version crashed"), "{text}");
    // A version that passes nothing has fallen, whatever crashed before.
    flaky(&work, "3", ("case >= 0", false), &[]);
    assert_eq!(found(&work, &[])["agents"][0]["changes"][0]["episodes_crashed"], 0);
    trend(&work, &["--max-drop", "0", "-q"]).ended(1);
}

#[test]
fn who_is_too_slow_did_nothing_wrong_with_more_time() {
    for (timeout, is_crash) in [("8", true), ("16", false)] {
        let work = Workspace::new();
        work.file("sky.toml", suite(1));
        let slow = ("__import__('time').sleep(0 if os.path.exists('fast') else 30)", false);
        flaky(&work, "1", slow, &["--agent-timeout", "8"]);
        work.file("fast", "");
        flaky(&work, "1", slow, &["--agent-timeout", timeout]);
        let json = found(&work, &[]);
        let case = &json["agents"][0]["runs"][1]["suites"][0]["cases"][0];
        assert_eq!(
            (&case["episodes"], case["crashed"].as_object().unwrap().len()),
            (&"p".into(), usize::from(is_crash))
        );
    }
}

#[test]
fn repeats_that_are_lowered_change_no_verdict() {
    let work = Workspace::new();
    work.file("sky.toml", suite(CASES));
    flaky(&work, "1", ("False", false), &[]);
    let bad = ("repeat > 1", false);
    let verdict = |repeats: &str| {
        flaky(&work, "2", bad, &["--repeats", repeats]);
        trend(&work, &["--max-drop", "0", "-q"]).ended(1);
        let change = found(&work, &[])["agents"][0]["changes"][0].clone();
        [&change["verdict"], &change["difference"], &change["p_adjusted"]].map(Value::clone)
    };
    let first = verdict("4");
    assert_eq!(first[0], "worse");
    for repeats in ["1", "2", "4"] {
        assert_eq!(verdict(repeats), first, "{repeats}: nobody was asked");
    }
}

#[test]
fn a_part_fails_the_gate_until_it_is_whole() {
    let gate = |work: &Workspace, code: i32, words: &str| {
        let ran = trend(work, &["--max-drop", "0"]).ended(code);
        let told = format!("{}{}", ran.stdout, ran.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(words), "{words}: {told}");
    };
    // Of chosen cases, as often as one likes.
    let work = driven(&[0, 0]);
    for _ in 0..2 {
        drive(&work, 0, &["-q", "--case", "c1"]).ended(0);
        gate(&work, 1, "it fails until a run of all cases is the last one");
    }
    drive(&work, 0, &["-q"]).ended(0);
    gate(&work, 0, "no difference is shown");
    // Where most are chosen, the others are named.
    drive(&work, 0, &["-q", "--limit", "10"]).ended(0);
    gate(&work, 0, "2 of the suite are not judged");
    // A fall behind a run of one case is found.
    let work = driven(&[12, 12, 12, 0]);
    drive(&work, 0, &["-q", "--case", "c1"]).ended(0);
    drive(&work, 12, &["-q"]).ended(0);
    gate(&work, 1, "has dropped by 100.0 points");
    // What asks something else is compared with itself the next time, and the gate says that nobody judged it.
    let work = driven(&[0, 0]);
    work.file("sky.toml", suite(CASES).replace("Sky", "Sea"));
    drive(&work, 12, &["-q"]).ended(0);
    gate(&work, 1, "for a part of the last run only");
    drive(&work, 12, &["-q"]).ended(0);
    gate(&work, 0, "what changed then is judged by nobody");
    drive(&work, 12, &["-q"]).ended(0);
    gate(&work, 0, "--max-drop cannot fail");
    // One suite is not finished, another is.
    let work = driven(&[0, 0]);
    work.file(
        "history.jsonl",
        work.read("history.jsonl").replacen("\"suites\"", "\"incomplete\":true,\"suites\"", 2),
    );
    work.file("sea.toml", suite(CASES).replace("\"sky\"", "\"sea\""));
    let other = ["drive", "sea.toml", "--agent", "script:agent.jsonl", "--history", "history.jsonl", "-q"];
    for _ in 0..2 {
        work.run(&other).ended(0);
        gate(&work, 1, "the newest run of the suite sky, 20261102T030000Z-00000001, is not complete");
    }
    drive(&work, 0, &["-q"]).ended(0);
    gate(&work, 0, "no difference is shown");
}

#[test]
fn a_clock_that_is_wrong_is_told_where_files_are_merged() {
    let work = driven(&[0, 0, 12]);
    let text = work.read("history.jsonl");
    let (first, others) = text.split_at(text.find('\n').unwrap() + 1);
    work.file("one.jsonl", first.replace("2026-11-01", "2036-11-01"));
    work.file("other.jsonl", others);
    let ran = work.run(&["trend", "one.jsonl", "other.jsonl", "-q"]).ended(0);
    assert!(
        ran.stderr.contains("one.jsonl: the run 20261101T030000Z-00000000 ended in the future"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("other.jsonl"), "{}", ran.stderr);
    let alone = work.run(&["trend", "one.jsonl", "-q"]).ended(0);
    assert!(alone.stderr.is_empty(), "lines decide: {}", alone.stderr);
}

#[test]
fn cases_that_ask_the_same_are_told() {
    let work = Workspace::new();
    let mut asked = suite(CASES);
    for at in 0..CASES {
        let mock = format!("mocks = [{{ tool = \"look\", result = {at} }}]\n");
        asked = asked.replace(&format!("\"Sky {at}?\"\n"), &format!("\"Sky {}?\"\n{mock}", at % 2));
    }
    work.file("sky.toml", asked);
    drive(&work, 0, &["-q"]).ended(0);
    drive(&work, 12, &["-q"]).ended(0);
    let text = trend(&work, &[]).ended(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("The cases ask 2 questions, and count as independent all the same"), "{text}");
    assert_eq!(found(&work, &[])["agents"][0]["changes"][0]["questions"], 2);
}

#[test]
fn cases_that_ask_a_model_the_same_are_taken_together() {
    let is_bad = Arc::new(AtomicBool::new(false));
    let begins = Arc::clone(&is_bad);
    let server = Server::start(move |seen: &Seen| {
        let tool = if begins.load(Ordering::SeqCst) { "peek" } else { "look" };
        Answer::Turn(match seen.turns() {
            0 => Said::call(tool, &serde_json::json!({})),
            _ => Said::text("Clear."),
        })
    });
    let work = Workspace::new();
    let tool = |name: &str| format!("{{ name = \"{name}\", parameters = {{ type = \"object\" }} }}");
    let mut asked = suite(CASES).replace(&tool("look"), &format!("{}, {}", tool("look"), tool("peek")));
    for at in 0..CASES {
        let mocks = ["look", "peek"].map(|tool| format!("{{ tool = \"{tool}\", result = {at} }}")).join(", ");
        let case = format!("\"Sky {}?\"\nmocks = [{mocks}]\n", at % 2);
        asked = asked.replace(&format!("\"Sky {at}?\"\n"), &case);
    }
    work.file("sky.toml", asked);
    let agent = ["--agent", "openai:m", "--base-url", &server.url, "--fresh"];
    let usual = ["drive", "sky.toml", "--history", "history.jsonl", "--allow-failures", "-q"];
    for bad in [false, true] {
        is_bad.store(bad, Ordering::SeqCst);
        work.run(&[&usual[..], &agent].concat()).ended(0);
    }
    // Two first replies made all twelve fail.
    let change = &found(&work, &[])["agents"][0]["changes"][0];
    let of = |key: &str| change[key].as_u64().unwrap();
    assert_eq!(
        [of("episodes_before"), of("episodes_after"), of("questions"), of("cases_bunched")],
        [12, 12, 2, 12]
    );
    assert_eq!((&change["verdict"], &change["p"]), (&"untestable".into(), &0.5.into()), "{change:#}");
    let text = trend(&work, &[]).ended(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("so 12 of them are taken together"), "{text}");
}

#[test]
fn a_run_that_only_repeats_stored_replies_says_so() {
    let work = Workspace::new();
    work.file("sky.toml", suite(CASES));
    own(&work, "pass", "1", &[]);
    own(&work, "pass", "1", &[]);
    let first: Value = serde_json::from_str(work.read("history.jsonl").lines().next().unwrap()).unwrap();
    let text = work.read("history.jsonl");
    let second: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    let case = &second["suites"][0]["cases"][3];
    assert_eq!(case["stored"][first["run"].as_str().unwrap()], serde_json::json!([1]), "{case}");
    assert_eq!((&case["episodes"], &first["suites"][0]["cases"][3]["stored"]), (&"p".into(), &Value::Null));
    let json = found(&work, &[]);
    let told = &json["agents"][0]["runs"][1]["suites"][0]["cases"][3];
    assert_eq!((&told["payers"], &told["episodes"]), (&case["stored"], &"p".into()), "{told}");
    let ran = trend(&work, &["--max-drop", "0"]).ended(0);
    assert!(ran.stdout.contains("12 only repeat stored replies of then"), "{}", ran.stdout);
    assert!(ran.stderr.contains("all replies of the last run are stored ones"), "{}", ran.stderr);
}

#[test]
fn two_cases_with_the_same_replies_are_one_piece_of_evidence() {
    let server = Server::start(|_| Answer::Turn(Said::text("Clear.")));
    let work = Workspace::new();
    work.file("sky.toml", suite(3).replace("Sky 2?", "Sky 1?"));
    let agent = ["--agent", "openai:m", "--base-url", &server.url, "--agent-version", "1"];
    let usual = ["drive", "sky.toml", "--history", "history.jsonl", "--allow-failures", "-q"];
    work.run(&[&usual[..], &agent].concat()).ended(0);
    work.run(&[&usual[..], &agent, &["--fresh"]].concat()).ended(0);
    for line in work.read("history.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let cases = line["suites"][0]["cases"].as_array().unwrap();
        let shared: Vec<bool> = cases.iter().map(|case| case.get("shared").is_some()).collect();
        assert_eq!(shared, [false, false, true], "{line}");
        assert!(cases.iter().all(|case| case.get("stored").is_none()), "{line}");
    }
    let change = &found(&work, &[])["agents"][0]["changes"][0];
    assert_eq!((&change["episodes_after"], &change["cases_shared"]), (&2.into(), &1.into()), "{change}");
}

#[test]
fn what_is_kept_of_a_run_that_cannot_be_added_is_said() {
    let work = Workspace::new();
    work.file("sky.toml", suite(1));
    // While the agent is asked, the file becomes something else.
    let spoil = "open('history.jsonl', 'w').write('id\\n')";
    work.file(
        "agent.py",
        format!("input()\n{spoil}\nprint('{{\"type\": \"answer\", \"text\": \"Clear.\"}}', flush=True)\n"),
    );
    let usual = ["drive", "sky.toml", "--agent", "exec:python3 agent.py", "--history", "history.jsonl"];
    for (more, words) in [
        (&[][..], "and nothing is kept of an agent without --agent-version or --agent-files"),
        (&["--agent-version", "1"], "but every reply is kept: run it again with the same store"),
    ] {
        work.file("history.jsonl", "");
        let ran = work.run(&[&usual[..], more].concat());
        assert!(ran.code != Some(0) && ran.stderr.contains(words), "{}", ran.stderr);
        assert_eq!(work.read("history.jsonl"), "id\n");
    }
}

#[test]
fn no_key_is_in_the_file() {
    const KEY: &str = "sk-canary-4f9a17c2";
    let work = Workspace::new();
    // Names that are alike without the key.
    let keyed = suite(2).replace("\"c0\"", &format!("\"c {KEY}\"")).replace("\"c1\"", "\"c [secret]\"");
    work.file("sky.toml", keyed.replace("name = \"sky\"", &format!("name = \"sky {KEY}\"")));
    work.file("agent.py", "input()\nprint('{\"type\": \"answer\", \"text\": \"Clear.\"}', flush=True)\n");
    let (version, tag) = (format!("v {KEY}"), format!("{KEY}=of {KEY}"));
    let args =
        ["drive", "sky.toml", "--agent", "exec:python3 agent.py", "--agent-version", &version, "--tag", &tag];
    let more = ["--history", "history.jsonl", "--allow-failures", "-q"];
    let mut command = work.tooljudge(&[&args[..], &more].concat());
    Ran::from(command.env("OWN_API_KEY", KEY).finish()).ended(0);
    let text = work.read("history.jsonl");
    assert!(
        !text.contains(KEY)
            && text.contains("\"case\":\"c [secret]\"")
            && text.contains("\"c [secret] (2)\""),
        "{text}"
    );
    trend(&work, &[]).ended(0);
}

#[test]
fn experiments_and_tags_choose_runs() {
    let work = Workspace::new();
    work.file("sky.toml", suite(CASES));
    drive(&work, 0, &["-q", "--tag", "branch=main"]).ended(0);
    drive(&work, 12, &["-q", "--experiment", "no prompt", "--tag", "branch=main"]).ended(0);
    drive(&work, 0, &["-q", "--tag", "branch=other"]).ended(0);
    let runs = |more: &[&str]| found(&work, more)["agents"][0]["runs"].as_array().unwrap().len();
    for (more, left) in [
        (&[][..], 3),
        (&["--experiment", ""], 2),
        (&["--experiment", "no prompt"], 1),
        (&["--experiment", "", "--experiment", "no prompt"], 3),
        (&["--tag", "branch=main"], 2),
        (&["--tag", "branch=main", "--experiment", ""], 1),
    ] {
        assert_eq!(runs(more), left, "{more:?}");
    }
    let none = trend(&work, &["--tag", "branch=other", "--experiment", "no prompt"]).ended(2);
    assert!(none.stderr.contains("no run is left"), "{}", none.stderr);
    // The id of a run stays in one piece beside an experiment.
    let text = trend(&work, &[]).ended(0).stdout;
    assert!(
        text.contains("no prompt")
            && found(&work, &[])["agents"][0]["runs"]
                .as_array()
                .unwrap()
                .iter()
                .all(|run| text.contains(run["run"].as_str().unwrap())),
        "{text}"
    );
}

#[test]
fn an_agent_that_is_driven_no_more_is_named_and_not_judged() {
    let work = driven(&[0, 12]);
    work.file("other.jsonl", script(CASES, 0));
    let other = |more: &[&str]| {
        let usual =
            ["drive", "sky.toml", "--agent", "script:other.jsonl", "--history", "history.jsonl", "-q"];
        work.run(&[&usual, more].concat()).ended(0);
    };
    other(&[]);
    trend(&work, &["--max-drop", "0", "-q"]).ended(1);
    other(&[]);
    let ran = trend(&work, &["--max-drop", "0"]).ended(0);
    assert!(ran.stderr.contains("--max-drop does not judge it"), "{}", ran.stderr);
    assert!(ran.stdout.contains("is without this agent"), "{}", ran.stdout);
    trend(&work, &["--max-drop", "0", "--agent", "script:agent.jsonl", "-q"]).ended(1);
    // A file that a failed run left empty is no reason to show none.
    work.file("empty.jsonl", "");
    let ran = work.run(&["trend", "history.jsonl", "empty.jsonl"]).ended(0);
    assert!(ran.stderr.contains("empty.jsonl holds no run"), "{}", ran.stderr);
    // Of runs whose times contradict their lines, the lines decide.
    let work = driven(&[0, 0, 12]);
    work.file("history.jsonl", work.read("history.jsonl").replace("2026-11-02", "2036-11-02"));
    let ran = trend(&work, &["--max-drop", "0"]).ended(1);
    assert!(ran.stderr.contains("stands behind one of a later time"), "{}", ran.stderr);
}

#[test]
fn tables_and_reports_hold_all_runs() {
    let work = driven(&[1, 2]);
    work.file("copy.jsonl", work.read("history.jsonl"));
    let more =
        ["-o", "runs.csv", "--report", "trend.md", "--report", "trend.json", "--report", "trend.html", "-q"];
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
    let page = work.read("trend.html");
    assert_eq!((page.matches("<circle").count(), page.matches("<polyline").count()), (2, 1), "{page}");
    assert!(page.contains("11 of 12 passed, 91.7 % (") && page.contains("against  the run before"), "{page}");
    assert!(!page.contains("<script") && page.contains("default-src 'none'"), "{page}");
    // They may be written again.
    work.run(&[&["trend", "history.jsonl"], &more[..]].concat()).ended(0);
}
