//! What reports and records say, and what must never stand in them.

use serde_json::Value;

use crate::support::server::{Answer, Server};
use crate::support::workspace::{Workspace, shown};

/// Rows of which every other is right, with more columns: their names, and each row's values.
fn rows(count: usize, columns: &str, values: impl Fn(usize) -> String) -> String {
    let head = format!("id,question,tool_call,tool_definitions,gold{columns}\n");
    let row = |row: usize| {
        let gold = if row.is_multiple_of(2) { "correct" } else { "incorrect" };
        format!("r{row},Row {row} of them.,f(a={row}),,{gold}{}\n", values(row))
    };
    std::iter::once(head).chain((0..count).map(row)).collect()
}

fn json(work: &Workspace, name: &str) -> Value {
    serde_json::from_str(&work.read(name)).unwrap()
}

#[test]
fn body_fields_stand_in_no_record() {
    let (server, work) = (Server::start(|_| Answer::label("correct")), Workspace::new());
    work.file("in.csv", rows(4, "", |_| String::new()));
    let settings = |token: &str| {
        let url = &server.url;
        work.file(
            "tooljudge.toml",
            format!(
                "[judges.m1]\njudge = 'openai:m'\nbase_url = '{url}'\nmax_tokens = 99\nbody = {{ metadata = {{ token = '{token}' }} }}\n"
            ),
        );
    };
    settings("my-secret");
    let reports = ["--report", "b.json", "--report", "b.html", "--report", "b.md", "-o", "out.csv"];
    work.run(&[&["bench", "in.csv", "--judge", "m1"][..], &reports].concat()).ended(0);
    work.run(&["label", "in.csv", "--judge", "m1", "-o", "labels.csv"]).ended(0);
    assert!(server.seen().iter().all(|seen| seen.body["metadata"]["token"] == "my-secret"));
    let mut looked_at = 0;
    for name in work.names().iter().filter(|name| *name != "tooljudge.toml" && *name != ".tooljudge") {
        looked_at += 1;
        assert!(!work.read(name).contains("my-secret"), "{name}");
    }
    assert!(looked_at >= 7, "{:?}", work.names());
    for part in std::fs::read_dir(work.path(".tooljudge")).unwrap() {
        let bytes = std::fs::read(part.unwrap().path()).unwrap();
        assert!(!bytes.windows(9).any(|part| part == b"my-secret"), "the store keeps manifests");
    }
    for record in
        [&json(&work, "b.json")["entrants"][0]["record"], &json(&work, "labels.csv.run.json")["panel"][0]]
    {
        let parameters = &record["judge"]["parameters"];
        assert_eq!(
            (&parameters["max_tokens"], parameters.get("body")),
            (&Value::from(99), None),
            "{parameters}"
        );
        assert_eq!(parameters["body_hash"].as_str().map(str::len), Some(8));
    }

    // That the fields changed is noticed all the same.
    let label = ["label", "in.csv", "--judge", "m1", "-o", "labels.csv", "--calibration", "b.json"];
    let same = work.run(&label).ended(0);
    assert!(!same.stderr.contains("other parameters"), "{}", same.stderr);
    settings("another");
    let other = work.run(&label).ended(0);
    assert!(
        other.stderr.contains("m1 (tool_calling) was benchmarked with other parameters"),
        "{}",
        other.stderr
    );
}

#[test]
fn a_benchmark_under_other_rules_is_warned_of() {
    let (server, work) = (Server::start(|_| Answer::label("correct")), Workspace::new());
    work.file("in.csv", rows(20, "", |_| String::new()));
    let judges = ["--judge", "builtin", "--judge", "openai:m", "--base-url", &server.url];
    work.run(
        &[&["bench", "in.csv", "--report", "b.json", "-q", "--allow-unjudged", "1"][..], &judges].concat(),
    )
    .ended(0);
    let label = |more: &[&str]| {
        let label = ["label", "in.csv", "-o", "out.csv", "--calibration", "b.json", "--allow-unjudged", "1"];
        work.run(&[&label[..], &judges, more].concat()).ended(0).stderr
    };
    assert!(!label(&[]).contains("benchmarked"));
    let snap = label(&["--snap", "legacy"]);
    assert!(
        snap.contains("openai:m (tool_calling) was benchmarked with replies read by other rules"),
        "{snap}"
    );
    let rails = label(&["--rails", "correct,incorrect,unsure"]);
    assert!(rails.contains("openai:m (tool_calling) was benchmarked with other labels"), "{rails}");

    // What the built-in judge finds depends on the program alone, what a model says does not depend on it.
    let version = env!("CARGO_PKG_VERSION");
    let record = json(&work, "b.json");
    assert_eq!(record["version"], version);
    for (then, words) in
        [(Value::from("0.0.0"), "tooljudge 0.0.0"), (Value::Null, "tooljudge another version")]
    {
        let mut older = record.clone();
        older["version"] = then;
        work.file("b.json", older.to_string());
        let warned = label(&[]);
        let warning = format!("builtin (tool_calling) was benchmarked by {words}, and this is {version}");
        assert!(warned.contains(&warning) && !warned.contains("openai:m (tool_calling)"), "{warned}");
    }
}

#[test]
fn a_record_that_cannot_be_is_refused() {
    let work = Workspace::new();
    work.file("in.csv", rows(20, "", |_| String::new()));
    work.run(&["bench", "in.csv", "--report", "b.json", "-q", "--allow-unjudged", "1"]).ended(0);
    let mut record = json(&work, "b.json");
    record["entrants"][0]["operating"]["kinds"][0]["clusters"] = Value::from(10_u64.pow(13));
    work.file("b.json", record.to_string());
    let ran = work.run(&["label", "in.csv", "-o", "out.csv", "--calibration", "b.json"]).ended(2);
    assert!(ran.stderr.contains("b.json") && ran.stderr.contains("can be counted with"), "{}", ran.stderr);
}

#[test]
fn asking_the_builtin_judge_again_is_idle() {
    let work = Workspace::new();
    work.file("in.csv", rows(4, "", |_| String::new()));
    let ran = work.run(&["bench", "in.csv", "--repeat", "5", "--allow-unjudged", "1"]).ended(0);
    assert!(ran.stderr.contains("the built-in judge does not use --repeat"), "{}", ran.stderr);
    let once = work.run(&["bench", "in.csv", "--allow-unjudged", "1"]).ended(0);
    assert!(!once.stderr.contains("--repeat"), "{}", once.stderr);
    let twice = work.run(&["bench", "in.csv", "--judge", "openai:m", "--judge", "openai:m"]).ended(2);
    assert!(twice.stderr.contains("--votes") && twice.stderr.contains("bench --repeat"), "{}", twice.stderr);
}

/// No line of a terminal's text is wider than 100 columns, and nothing in it is more than text.
#[track_caller]
fn is_tame(text: &str) {
    for line in text.lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 100, "{line}");
        let hidden = |char: char| char.is_control() || "\u{202e}\u{2066}\u{200b}\u{feff}".contains(char);
        assert!(!line.contains(hidden), "{line:?}");
    }
}

/// Clears the screen, sets the window's title, turns the direction, and is long.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}\u{2066}\u{200b}\u{feff}你好 | `x` <img src=x> and a name without end";

#[test]
fn names_and_values_are_no_commands() {
    let (server, work) = (Server::start(|_| Answer::label("correct")), Workspace::new());
    let kind = |row: usize| match row % 4 {
        1 => format!(",\"{HOSTILE} {}\",", row / 4),
        3 => format!(",wrong_{},", "x".repeat(50)),
        _ => format!(",,\"{HOSTILE} {}\"", row / 4),
    };
    work.file("in.csv", rows(60, ",error_type,edit", kind));
    let mut settings = String::new();
    let names: Vec<String> = (0..6).map(|judge| format!("{HOSTILE} of judge {judge}")).collect();
    for name in &names {
        let name = serde_json::to_string(name).unwrap().replace("\u{200b}", "\\u200b");
        settings += &format!(
            "[judges.{name}]\njudge = 'openai:m'\nbase_url = '{}'\nprice = {{ input = 1e6, output = 1e6 }}\n",
            server.url
        );
    }
    work.file("tooljudge.toml", settings);
    let judges: Vec<&str> = names.iter().flat_map(|name| ["--judge", name.as_str()]).collect();
    for judges in [&judges[..2], &judges[..8], &judges] {
        let ran = work.run(&[&["bench", "in.csv", "--repeat", "2"][..], judges].concat()).ended(0);
        is_tame(&ran.stdout);
        assert!(ran.stdout.contains("recognized by") && ran.stdout.contains("你好"), "{}", ran.stdout);
        let more = ran.stdout.contains("of the first 4 judges; 2 judges more in the reports");
        assert_eq!(more, judges.len() > 8, "{}", ran.stdout);
    }
    work.run(&[&["bench", "in.csv", "--report", "r.md", "-q"][..], &judges].concat()).ended(0);
    let report = work.read("r.md");
    let tags = report.replace("<!-- tooljudge bench -->", "");
    assert!(!tags.contains(['<', '\u{1b}', '\u{7}', '\u{202e}', '\u{200b}']), "{report}");

    // The same names out of a table, held against each other.
    let table = |name: &str, judge: usize| {
        let label = if judge == 0 { "correct" } else { "incorrect" };
        let values = |_| format!(",{label},judged,\"{}\",tool_calling", names[judge]);
        work.file(name, rows(60, ",label,status,judge,template", values));
    };
    table("a.csv", 0);
    table("b.csv", 1);
    let ran = work.run(&["compare", "a.csv", "b.csv", "--margin", "0.1"]).ended(0);
    is_tame(&ran.stdout);
    assert!(ran.stdout.contains("60 rows of 60 questions"), "{}", ran.stdout);
}

#[test]
fn rows_without_a_label_are_accounted_for() {
    let server = Server::start(|seen| match crate::bench::number(seen) {
        row if row % 10 == 3 => Answer::Text("I would rather not say.".to_owned()),
        row if row.is_multiple_of(2) => Answer::Sure(vec![("correct", 0.9), ("incorrect", 0.1)]),
        _ => Answer::Sure(vec![("incorrect", 0.9), ("correct", 0.1)]),
    });
    let work = Workspace::new();
    work.file("in.csv", rows(100, "", |_| String::new()));
    let judge = ["bench", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--no-baselines"];
    let ran = work
        .run(&[&judge[..], &["--repeat", "2", "--report", "r.md", "--allow-unjudged", "0.1"]].concat())
        .ended(0);
    shown("bench_without_labels", &ran.stdout);
    assert!(ran.stdout.contains("openai:m, no label: 20 unparseable"), "{}", ran.stdout);
    is_tame(&ran.stdout);
    let report = work.read("r.md");
    let of = |heading: &str| {
        let line = report.lines().find(|line| line.starts_with(&format!("| {heading} |")));
        line.unwrap_or_else(|| panic!("no {heading} in\n{report}"))
            .split('|')
            .nth(2)
            .unwrap()
            .trim()
            .to_owned()
    };
    assert_eq!((of("unparseable"), of("judged")), ("20".to_owned(), "180".to_owned()));
    assert!(report.contains("## Bounds") && report.contains("| accuracy | 0.900 to 1.000 |"), "{report}");
    assert_eq!(of("rows with a probability"), "180");
    assert!(
        of("Brier score (0 is best)").starts_with("0.010 (")
            && of("expected calibration error").starts_with("0.100 (")
    );
    assert_eq!(of("times asked"), "2");
    assert!(of("two answers differ with probability").starts_with("0.000 ("));
    assert!(of("tokens of prompts").parse::<u64>().unwrap() > 0);
    assert!(of("milliseconds, 95 of 100 answers within").parse::<u64>().is_ok());
}

#[test]
fn one_class_has_its_recall() {
    let (server, work) = (Server::start(|_| Answer::label("incorrect")), Workspace::new());
    work.file("in.csv", "question,tool_call,tool_definitions,gold\nRow 0 of it.,f(),,incorrect\n");
    let judge = ["bench", "in.csv", "--judge", "openai:m", "--base-url", &server.url];
    let ran = work.run(&[&judge[..], &["--report", "r.md"]].concat()).ended(0);
    shown("bench_of_one_class", &ran.stdout);
    assert!(ran.stdout.starts_with("1 row of 1 question;"), "{}", ran.stdout);
    assert!(work.read("r.md").contains("1 row of 1 question: 0 correct, 1 incorrect."));
    assert!(!work.read("r.md").contains("| kappa |"));
}

#[test]
fn slices_are_not_lost_silently() {
    let work = Workspace::new();
    let values = |row: usize| format!(",kind {},name {row}", row % 70);
    work.file("in.csv", rows(1400, ",error_type,domain", values));
    let ran = work
        .run(&["bench", "in.csv", "--report", "r.md", "--report", "r.json", "--allow-unjudged", "1"])
        .ended(0);
    assert!(ran.stdout.contains("no figures by `domain`: it has 1400 values"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" ... and 40 more, in the reports"), "{}", ran.stdout);
    let report = work.read("r.md");
    assert!(report.contains("And 10 more, with fewer rows, in the JSON record."), "{report}");
    assert!(report.contains("No figures by domain: it has 1400 values."), "{report}");
    let judge = &json(&work, "r.json")["entrants"][0];
    assert_eq!(judge["slices"].as_array().map(Vec::len), Some(70));
    assert_eq!(judge["slicings_left_out"], serde_json::json!([{"by": "domain", "values": 1400}]));
}
