//! The tasks beyond the calls themselves: what a judge is shown of what came of them, graded labels, gates.

use std::collections::HashMap;

use serde_json::Value;

use crate::support::server::{Answer, Seen, Server};
use crate::support::workspace::{Workspace, repository};

/// What one judge was shown, per row of the output.
fn prompts(
    work: &Workspace,
    file: &str,
    args: &[&str],
    answer: &'static str,
) -> (Vec<String>, Vec<HashMap<String, String>>) {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = std::sync::Arc::clone(&seen);
    let server = Server::start(move |asked: &Seen| {
        kept.lock().unwrap().push(asked.prompt().to_owned());
        Answer::label(answer)
    });
    let base = [
        "label",
        file,
        "--judge",
        "openai:m",
        "--base-url",
        &server.url,
        "-o",
        "out.csv",
        "--force",
        "--allow-unjudged",
        "1",
        "--fresh",
    ];
    work.run(&[&base[..], args].concat()).ended(0);
    let mut prompts = seen.lock().unwrap().clone();
    prompts.sort();
    (prompts, work.rows("out.csv"))
}

#[test]
fn a_row_without_what_its_template_shows_is_not_sent() {
    let work = Workspace::new();
    work.file(
        "in.csv",
        "question,answer,gold_answer,policy\nCapital of Peru?,Lima,Lima,be brief\nCapital of Chad?,N'Djamena,,be brief\n",
    );
    let (sent, rows) = prompts(
        &work,
        "in.csv",
        &["--task", "answer_correctness", "--column", "reference=gold_answer"],
        "correct",
    );
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("Capital of Peru?") && sent[0].matches("\nLima\n").count() == 2, "{}", sent[0]);
    assert_eq!((rows[0]["label"].as_str(), rows[0]["status"].as_str()), ("correct", "judged"));
    assert_eq!((rows[1]["label"].as_str(), rows[1]["status"].as_str()), ("", "invalid_row"));
    assert_eq!(
        rows[1]["error"],
        "missing_value: reference: the row has none, but the template answer_correctness shows it"
    );
    // Any column, by its name.
    work.file("own.txt", "{question} {response} {row[\"policy\"]}: correct or incorrect?");
    let (sent, _) = prompts(&work, "in.csv", &["--template", "own.txt"], "correct");
    assert_eq!(
        sent,
        [
            "Capital of Chad? N'Djamena be brief: correct or incorrect?",
            "Capital of Peru? Lima be brief: correct or incorrect?"
        ]
    );
}

#[test]
fn a_column_that_is_not_there_is_named_before_anything_is_sent() {
    let work = Workspace::new();
    work.file("in.csv", "question,answer,polcy\nq,a,p\n");
    work.file("own.txt", "{question} {response} {row.policy}");
    for (args, words) in [
        (&["--task", "answer_correctness"][..], "no column holds the reference"),
        (
            &["--template", "own.txt"],
            "a template shows `row[\"policy\"]`, but there is no such column; did you mean `polcy`?",
        ),
        (
            &["--column", "reference=answer"],
            "the reference is given a column, but nothing that judges here is shown a reference",
        ),
    ] {
        let base = ["label", "in.csv", "--judge", "openai:m", "--base-url", "http://127.0.0.1:9"];
        let ran = work.run(&[&base[..], args].concat()).ended(2);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn names_of_other_tools_mean_the_same() {
    let work = Workspace::new();
    work.file(
        "in.jsonl",
        r#"{"input": "Oslo?", "available_tools": "weather: tells it", "tool_selection": "weather(city='Oslo')", "tool_result": {"sky": "clear"}, "output": "Clear."}"#,
    );
    work.file(
        "phoenix.txt",
        "{input}|{available_tools}|{tool_selection}|{tool_result}|{output} correct or incorrect",
    );
    let (sent, _) = prompts(
        &work,
        "in.jsonl",
        &["--template", "phoenix.txt", "--column", "tool_call=tool_selection"],
        "correct",
    );
    assert_eq!(
        sent,
        [r#"Oslo?|weather: tells it|weather(city='Oslo')|{"sky":"clear"}|Clear. correct or incorrect"#]
    );
}

/// A transcript shows the same whether its log is judged, or the table that `convert` made of it.
#[test]
fn what_came_of_a_call_is_the_same_in_a_log_and_in_its_table() {
    let work = Workspace::new();
    let log = repository("datasets/support.jsonl");
    let log = log.to_str().unwrap();
    for (task, answer) in
        [("tool_response_handling", "correct"), ("tool_call_success", "succeeded"), ("call_need", "needed")]
    {
        let (from_log, rows) = prompts(&work, log, &["--task", task], answer);
        for table in ["rows.jsonl", "rows.parquet", "rows.csv"] {
            work.run(&["convert", log, "-o", table, "--force"]).ended(0);
            let (from_table, again) = prompts(&work, table, &["--task", task], answer);
            let other = from_log.iter().zip(&from_table).find(|(log, table)| log != table);
            assert!(other.is_none() && from_log.len() == from_table.len(), "{task} {table}: {other:?}");
            let status = |rows: &[HashMap<String, String>]| {
                rows.iter().map(|row| row["status"].clone()).collect::<Vec<_>>()
            };
            assert_eq!(status(&rows), status(&again), "{task} {table}");
        }
    }
}

#[test]
fn whole_transcripts_are_asked_about_once_and_graded() {
    let work = Workspace::new();
    let log = repository("datasets/support.jsonl");
    let log = log.to_str().unwrap();
    let (sent, rows) = prompts(&work, log, &["--task", "task_completion"], "mostly");
    assert_eq!((sent.len(), rows.len()), (6, 6));
    assert!(
        rows.iter()
            .all(|row| row["label"] == "mostly" && row["score"] == "0.67" && row["turn"] == row["turns"])
    );
    let twice = sent.iter().find(|prompt| prompt.contains("I ordered A-1001 twice")).unwrap();
    for part in ["cancel_order", "cancelled", "assistant: A-1001 is cancelled."] {
        assert!(twice.contains(part), "{part}: {twice}");
    }
    let (all, rows) = prompts(&work, log, &["--task", "task_completion", "--turns", "calls"], "mostly");
    assert!(
        rows.len() > 6 && all.len() == 6,
        "a row for each turn, but every transcript is asked about once"
    );
}

#[test]
fn five_grades_and_a_gate() {
    let work = Workspace::new();
    work.file("in.csv", crate::label_remote::numbered(40));
    let server = Server::start(|seen| match crate::label_remote::row_of(seen) % 4 {
        0 => Answer::label("wrong"),
        1 => Answer::label("mixed"),
        _ => Answer::label("all_right"),
    });
    let run = |args: &[&str]| {
        let base = [
            "label",
            "in.csv",
            "--judge",
            "openai:m",
            "--base-url",
            &server.url,
            "--task",
            "tool_selection",
            "--scale",
            "five",
        ];
        work.run(&[&base[..], args].concat())
    };
    let ran = run(&["--json"]).ended(0);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    let summary = &record["panel"][0]["summary"];
    assert_eq!(summary["mean_score"]["value"], 0.625);
    assert_eq!(summary["rate"]["observed"]["value"], 0.75);
    let low = summary["rate"]["observed"]["low"].as_f64().unwrap();
    assert!(low > 0.5 && low < 0.7, "{low}");
    let ran = run(&[]).ended(0);
    assert!(
        ran.stdout.contains("score    0.62 on average") || ran.stdout.contains("score    0.63 on average"),
        "{}",
        ran.stdout
    );
    run(&["--min-pass-rate", "0.75"]).ended(0);
    let ran = run(&["--min-pass-rate", "0.75", "--gate-on", "low"]).ended(1);
    assert!(
        ran.stderr.contains("the low end of the 95 % interval of the share of labels that pass is 0."),
        "{}",
        ran.stderr
    );
    let ran = run(&["--min-pass-rate", "0.8"]).ended(1);
    assert!(
        ran.stderr.contains("is 0.750 over 40 of 40 rows, below the 0.8 that --min-pass-rate asks for"),
        "{}",
        ran.stderr
    );
    let ran = work
        .run(&["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--scale", "five"])
        .ended(2);
    assert!(
        ran.stderr.contains("--scale five is for tool_selection and parameter_extraction"),
        "{}",
        ran.stderr
    );
}

/// Nothing without a label passes a gate.
#[test]
fn no_label_is_no_pass() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call\nq,f()\n");
    let ran = work.run(&["label", "in.csv", "--min-pass-rate", "0.1", "--allow-unjudged", "1"]).ended(1);
    assert!(
        ran.stderr.contains("no row has a label, so the 0.1 that --min-pass-rate asks for is not reached"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_report_lists_every_row() {
    let work = Workspace::new();
    work.file(
        "in.csv",
        "id,question,tool_call,tool_definitions\n\
         \"a <1>\",Weather in Oslo?,weather(city='Oslo'),\"[{\"\"name\"\":\"\"weather\"\",\"\"parameters\"\":{\"\"properties\"\":{\"\"city\"\":{\"\"type\"\":\"\"string\"\"}}}}]\"\n\
         b,Weather in Oslo?,news(),\"[{\"\"name\"\":\"\"weather\"\",\"\"parameters\"\":{}}]\"\n\
         c,,f(),\n\
         d,q,f(),\n",
    );
    let gates = ["--junit", "r.xml", "--allow-unjudged", "1", "--min-pass-rate", "0.6"];
    work.run(&[&["label", "in.csv", "--decide", "always"], &gates[..]].concat()).ended(1);
    let xml = work.read("r.xml");
    assert!(
        xml.contains("<testsuite name=\"builtin tool_calling\" tests=\"4\" failures=\"2\" skipped=\"1\">"),
        "{xml}"
    );
    for part in [
        "<testcase name=\"a &lt;1&gt;\" classname=\"builtin tool_calling\"/>",
        "<testcase name=\"b\" classname=\"builtin tool_calling\"><failure message=\"incorrect: ",
        "<testcase name=\"c\" classname=\"builtin tool_calling\"><failure message=\"empty_question: ",
        "<testcase name=\"d\" classname=\"builtin tool_calling\"><skipped message=\"abstained: ",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    let ran = work.run(&["label", "in.csv", "--junit", "in.csv"]).ended(2);
    assert!(ran.stderr.contains("in.csv"), "{}", ran.stderr);
    // A report is replaced by the next one, and no file of anybody else is.
    work.run(&[&["label", "in.csv", "--decide", "always"], &gates[..]].concat()).ended(1);
    let other = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"of another tool\"/>\n";
    for theirs in ["alias ll='ls -l'\n", other] {
        work.file("theirs", theirs);
        work.file(
            "cases.jsonl",
            "{\"tool_call\": {\"name\": \"f\"}, \"expected_tool_calls\": [{\"name\": \"f\"}]}\n",
        );
        work.file("suite.toml", "name = 's'\ntools = []\n[[cases]]\nid = 'a'\nuser_message = 'hi'\nshould_not_call_tools = true\n");
        work.file("script.jsonl", "{\"case\": \"a\", \"replies\": [\"hello\"]}\n");
        for command in [
            &["label", "in.csv", "-o", "o.csv"][..],
            &["score", "cases.jsonl", "--scorer", "tool_correctness"],
            &["drive", "suite.toml", "--agent", "script:script.jsonl"],
        ] {
            let ran = work.run(&[command, &["--junit", "theirs"]].concat()).ended(2);
            assert!(
                ran.stderr.contains("theirs") && ran.stderr.contains("--force"),
                "{command:?}: {}",
                ran.stderr
            );
            assert_eq!(work.read("theirs"), theirs);
        }
    }
    let forced = ["score", "cases.jsonl", "--scorer", "tool_correctness", "--junit", "theirs", "--force"];
    work.run(&forced).ended(0);
    assert!(work.read("theirs").contains("tool_correctness"));
}

#[test]
fn failures_of_one_kind_have_a_ceiling() {
    let work = Workspace::new();
    work.file("in.csv", "id,question,tool_call,tools\na,q,f(),f: t\nb,,f(),f: t\nc,,f(),f: t\n");
    let run = |gates: &[&str]| {
        let base = [
            "label",
            "in.csv",
            "-o",
            "out.csv",
            "--force",
            "--allow-unjudged",
            "1",
            "--junit",
            "r.xml",
            "--json",
        ];
        work.run(&[&base[..], gates].concat())
    };
    let holds = run(&["--max-fail", "invalid_row=2", "--max-fail", "missing_tool_call=0"]).ended(0);
    let record: Value = serde_json::from_str(&holds.stdout).unwrap();
    assert_eq!((&record["max_fail"][0]["rows"], &record["max_fail"][1]["passed"]), (&2.into(), &true.into()));
    assert!(
        work.read("r.xml")
            .contains("<testcase name=\"--max-fail invalid_row=2\" classname=\"builtin tool_calling\"/>")
    );
    let fails = run(&["--max-fail", "empty_question=1"]).ended(1);
    let why = "2 rows have empty_question, more than the 1 that --max-fail allows";
    assert!(fails.stderr.contains(why), "{}", fails.stderr);
    assert!(work.read("r.xml").contains(&format!("<failure message=\"{why}\"/>")), "{}", work.read("r.xml"));
    let record: Value = serde_json::from_str(&fails.stdout).unwrap();
    assert_eq!(record["max_fail"][0]["passed"], false);
    let unknown = run(&["--max-fail", "invalid_rows=1"]).ended(2).stderr;
    assert!(
        unknown.contains("not a kind of failure: use unparseable") && unknown.contains("invalid_row`"),
        "{unknown}"
    );
    let unasked = run(&["--max-fail", "wrong_value=0"]).ended(2).stderr;
    assert!(
        unasked.contains("--max-fail wrong_value=0 counts findings") && unasked.contains("add --findings"),
        "{unasked}"
    );
    work.file("tooljudge.toml", "[label]\nmax_fail = [\"invalid_row=1\"]\n");
    assert!(run(&[]).ended(1).stderr.contains("2 rows have invalid_row"));
}

/// A column of calls that nobody finds is no turn without calls, and a transcript is not made of nothing.
#[test]
fn nothing_is_judged_in_place_of_a_missing_column() {
    let work = Workspace::new();
    work.file("nocall.csv", "question,agent_call,tools\nOslo?,f(),f: a tool\n");
    work.file("nothing.csv", "id,notes\n1,x\n");
    work.file("trace.csv", "id,trace\n1,user: hi\n");
    let dry = |file: &str, args: &[&str]| {
        let base = ["label", file, "--judge", "openai:m", "--dry-run"];
        work.run(&[&base[..], args].concat())
    };
    for task in ["tool_calling", "call_need"] {
        let ran = dry("nocall.csv", &["--task", task]).ended(2);
        assert!(
            ran.stderr.contains("no column holds the tool_call (try `--column tool_call=agent_call`)"),
            "{}",
            ran.stderr
        );
    }
    let ran = dry("nothing.csv", &["--task", "task_completion"]).ended(2);
    assert!(ran.stderr.contains("no column holds the transcript"), "{}", ran.stderr);
    let ran = dry("trace.csv", &["--task", "task_completion"]).ended(0);
    assert!(ran.stdout.contains("\nuser: hi\n"), "{}", ran.stdout);
}

/// What may be the call and what may be the answer is not guessed where both are shown.
#[test]
fn an_answer_is_not_taken_for_the_call() {
    let work = Workspace::new();
    work.file("in.csv", "question,response,reference\nCapital?,Lima,Lima\n");
    let base = ["label", "in.csv", "--judge", "openai:m", "--dry-run", "--task", "answer_correctness"];
    work.run(&base).ended(0);
    let ran = work.run(&[&base[..], &["--task", "tool_calling"]].concat()).ended(2);
    assert!(ran.stderr.contains("no column holds the tool_call"), "{}", ran.stderr);
}

/// A converted transcript is shown whole to judges of the whole, up to the turn and what is known to have followed.
#[test]
fn the_table_of_a_transcript_keeps_its_end() {
    let work = Workspace::new();
    let log = repository("datasets/support.jsonl");
    let log = log.to_str().unwrap();
    let (from_log, _) = prompts(&work, log, &["--task", "task_completion"], "mostly");
    work.run(&["convert", log, "-o", "rows.jsonl", "--turns", "last"]).ended(0);
    let (from_table, rows) = prompts(&work, "rows.jsonl", &["--task", "task_completion"], "mostly");
    let other = from_log.iter().zip(&from_table).find(|(log, table)| log != table);
    assert!(other.is_none() && from_log.len() == from_table.len(), "{other:?}");
    assert!(rows.iter().all(|row| !row["flags"].contains("raw_tool_call")));
}

/// A share that a calibration cannot correct passes no gate.
#[test]
fn a_gate_asks_for_the_corrected_share() {
    let work = Workspace::new();
    let server = Server::start(|seen| {
        Answer::label(if crate::label_remote::row_of(seen).is_multiple_of(2) {
            "correct"
        } else {
            "incorrect"
        })
    });
    work.file("in.csv", crate::label_remote::numbered(60));
    let judge = ["--judge", "openai:m", "--base-url", &server.url];
    work.run(&[&["bench", "in.csv", "--report", "bench.json"][..], &judge].concat()).ended(0);
    let args = ["label", "in.csv", "-o", "out.csv", "--calibration", "bench.json", "--min-pass-rate", "0.1"];
    let ran = work.run(&[&args[..], &judge].concat()).ended(1);
    assert!(ran.stderr.contains("the corrected share of labels that pass is unknown"), "{}", ran.stderr);
}

/// The gold of calls is not the gold of what came of them.
#[test]
fn gold_of_another_question_is_not_compared() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_result,gold\nq,f(),12 hits,incorrect\n");
    let ran = work.run(&["label", "in.csv", "--task", "tool_call_success"]).ended(0);
    assert!(!ran.stdout.contains("gold"), "{}", ran.stdout);
}
