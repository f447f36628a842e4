//! `label` with the built-in judge: files in, labelled files out.

use crate::label_remote::numbered;
use crate::support::workspace::{Workspace, repository, shown};

#[test]
fn the_quickstart_is_labelled_without_key_or_network() {
    let work = Workspace::new();
    std::fs::copy(repository("datasets/quickstart.csv"), work.path("quickstart.csv")).unwrap();
    let ran = work.run(&["label", "quickstart.csv"]).ended(0);
    let rows = work.rows("quickstart.labeled.csv");
    assert!((40..=60).contains(&rows.len()));
    for row in &rows {
        if row["label"].is_empty() {
            assert!(row["error"].starts_with("no_evidence: "), "{}: {}", row["id"], row["error"]);
            continue;
        }
        assert_eq!(row["status"], "judged", "{}: {}", row["id"], row["error"]);
        assert!(row["label"] == "correct" || row["label"] == "incorrect");
        let confidence: f64 = row["confidence"].parse().unwrap();
        assert!((0.5..=1.0).contains(&confidence));
        assert!(!row["explanation"].is_empty());
    }
    shown("summary_builtin", &ran.stdout);
    let agree = rows.iter().filter(|row| row["label"] == row["gold"]).count();
    let labelled = rows.iter().filter(|row| !row["label"].is_empty()).count();
    assert!(labelled * 3 >= rows.len() && agree * 10 >= labelled * 9, "{agree} of {labelled}");
    assert!(ran.stdout.contains(&format!("gold     {agree} of {labelled} labels agree")), "{}", ran.stdout);
    // No store where nothing is paid for.
    assert!(!work.path(".tooljudge").exists());
}

#[test]
fn a_base_rate_moves_labels_and_probabilities_together() {
    let work = Workspace::new();
    std::fs::copy(repository("datasets/quickstart.csv"), work.path("rows.csv")).unwrap();
    work.run(&["label", "rows.csv", "-o", "even.csv", "--decide", "always"]).ended(0);
    work.run(&["label", "rows.csv", "-o", "here.csv", "--base-rate", "0.9", "--decide", "always"]).ended(0);
    let mut turned = 0;
    for (even, here) in work.rows("even.csv").iter().zip(&work.rows("here.csv")) {
        let [even_share, here_share] = [even, here].map(|row| row["p_correct"].parse::<f64>().unwrap());
        for row in [even, here] {
            let [right, confidence]: [f64; 2] =
                ["p_correct", "confidence"].map(|name| row[name].parse().unwrap());
            let of_label = if row["label"] == "correct" { right } else { 1.0 - right };
            assert!((of_label - confidence).abs() < 2e-4 && confidence >= 0.5, "{}", row["id"]);
        }
        // What a fault settles is certain, however good the agent is otherwise.
        if even["explanation"].starts_with("Whatever else") {
            assert!(here["label"] == "incorrect" && here_share <= 0.15, "{}", even["id"]);
            continue;
        }
        let expected = even_share * 0.9 / (even_share * 0.9 + (1.0 - even_share) * 0.1);
        // Probabilities have four digits.
        assert!((here_share - expected).abs() < 1e-3, "{}: {even_share} {here_share}", even["id"]);
        turned += u32::from(here["label"] != even["label"]);
    }
    assert!(turned > 0, "where most calls are right, what faintly speaks against one is no evidence");
    let manifest: serde_json::Value = serde_json::from_str(&work.read("here.csv.run.json")).unwrap();
    assert_eq!(manifest["panel"][0]["judge"]["parameters"]["base_rate"], 0.9, "{manifest}");
    for share in ["0", "1", "90"] {
        let ran = work.run(&["label", "rows.csv", "-o", "no.csv", "--base-rate", share]).ended(2);
        assert!(ran.stderr.contains("such as 0.9"), "{}", ran.stderr);
    }
}

#[test]
fn a_second_run_replaces_our_output_but_nobody_elses() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions\nhi,,\n");
    let args = ["label", "in.csv", "--allow-unjudged", "1"];
    work.run(&args).ended(0);
    let again = work.run(&args).ended(0);
    assert!(!again.stderr.contains("-o FILE"), "{}", again.stderr);
    // Other labels than those that are there lose them.
    let other = work.run(&[&args[..], &["--task", "tool_selection"]].concat()).ended(0);
    assert!(other.stderr.contains("in.labeled.csv holds a table that was labeled"), "{}", other.stderr);
    work.file("in.labeled.csv", "my own notes");
    let ran = work.run(&args).ended(2);
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(work.read("in.labeled.csv"), "my own notes");
    work.run(&["label", "in.csv", "--allow-unjudged", "1", "--force"]).ended(0);
    assert!(work.read("in.labeled.csv").starts_with("question,"));
}

#[test]
fn unjudged_rows_fail_the_gate() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions\nhi,f(a=1),\n");
    let ran = work.run(&["label", "in.csv"]).ended(1);
    assert_eq!(work.column("in.labeled.csv", "status"), ["abstained"]);
    assert!(ran.stderr.contains("1 of 1 row has no label"), "{}", ran.stderr);
}

#[test]
fn columns_that_clash_are_named() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions,label\nhi,,,mine\n");
    let ran = work.run(&["label", "in.csv"]).ended(2);
    assert!(ran.stderr.contains("`label`") && ran.stderr.contains("--prefix"), "{}", ran.stderr);
    work.run(&["label", "in.csv", "--prefix", "judge_", "--allow-unjudged", "1"]).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), ["mine"]);
    assert_eq!(work.column("in.labeled.csv", "judge_status"), ["abstained"]);
    work.run(&["label", "in.csv", "--overwrite", "--allow-unjudged", "1"]).ended(0);
    assert_eq!(work.column("in.labeled.csv", "label"), [""]);
}

#[test]
fn flags_that_do_nothing_are_named() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions\nhi,,\n");
    let ran = work.run(&["label", "in.csv", "--allow-unjudged", "1", "--rpm", "9", "--explain"]).ended(0);
    assert!(ran.stderr.contains("does not use --explain, --rpm"), "{}", ran.stderr);
}

#[test]
fn a_sample_is_drawn_by_its_seed() {
    let work = Workspace::new();
    work.file("in.csv", numbered(500));
    let draw = |more: &[&str]| {
        let args = ["label", "in.csv", "--allow-unjudged", "1", "-o", "out.csv", "--sample", "40"];
        work.run(&[&args[..], more].concat()).ended(0);
        work.column("out.csv", "id").iter().map(|id| id.parse::<u32>().unwrap()).collect::<Vec<_>>()
    };
    let first = draw(&[]);
    assert_eq!(first.len(), 40);
    assert!(first.is_sorted(), "rows keep their order");
    assert_eq!(draw(&["--seed", "0"]), first);
    assert_ne!(draw(&["--seed", "1"]), first);
    // Conditions come first.
    let wrong = draw(&["--where", "gold=incorrect"]);
    assert!(wrong.len() == 40 && wrong.iter().all(|id| id % 3 == 0), "{wrong:?}");
    assert_eq!(draw(&["--where", "id=7"]), [7]);
}

#[test]
fn the_judge_is_shown_what_came_before_the_judged_turn() {
    let work = Workspace::new();
    let call = r#"{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Oslo\"}"}}"#;
    let chat = format!(
        r#"[{{"role":"user","content":"Weather in Oslo?"}},{{"role":"assistant","content":null,"tool_calls":[{call}]}},{{"role":"tool","tool_call_id":"c1","content":"rain"}},{{"role":"assistant","content":"It rains."}}]"#
    );
    let judged = r#""tool_call":{"name":"get_weather","arguments":{"city":"Oslo"}}"#;
    let rows = [
        format!(r#"{{"question":"Weather in Oslo?","messages":{chat},{judged}}}"#),
        format!(r#"{{"question":{chat},{judged}}}"#),
        format!(r#"{{"question":"Weather in Oslo?",{judged}}}"#),
    ];
    for (at, row) in rows.iter().enumerate() {
        work.file(&format!("{at}.jsonl"), row);
    }
    let prompt = |at: usize| {
        let file = format!("{at}.jsonl");
        let said = work.run(&["label", &file, "--judge", "openai:m", "--dry-run", "1"]).ended(0).stdout;
        // Behind the prompt and the forecast stands what is unusual about the row, which differs.
        said.split("\nflags of rows").next().unwrap_or_default().to_owned()
    };
    assert_eq!([prompt(0), prompt(1)], [prompt(2), prompt(2)]);
    let said = work.run(&["label", "0.jsonl", "--allow-unjudged", "1"]).ended(0).stdout;
    assert!(said.contains("judged_turn_cut"), "{said}");
}

#[test]
fn an_empty_selection_replaces_no_table() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions,gold\nhi,f(a=1),,correct\n");
    for (command, output) in [("label", "in.labeled.csv"), ("convert", "out.csv")] {
        let args = [command, "in.csv", "-o", output];
        work.run(&args).ended(i32::from(command == "label"));
        let before = work.read(output);
        let none = [&args[..], &["--where", "gold=nope"]].concat();
        let ran = work.run(&none).ended(2);
        assert!(
            ran.stderr.contains("--where and --limit leave no row") && ran.stderr.contains("--force"),
            "{}",
            ran.stderr
        );
        assert_eq!(work.read(output), before, "{command}");
        // Nothing to label is a failure of its own.
        let code = i32::from(command == "label");
        work.run(&[&none[..], &["--force"]].concat()).ended(code);
        assert_eq!(work.rows(output).len(), 0, "{command}");
        // Where no table is, an empty one is as good as any.
        std::fs::remove_file(work.path(output)).unwrap();
        work.run(&none).ended(code);
    }
}

/// A log that is not written any more must not take yesterday's labels with it.
#[test]
fn an_input_without_rows_replaces_no_table() {
    let work = Workspace::new();
    let header = "question,tool_call,tool_definitions\n";
    for (command, output) in [("label", "in.labeled.csv"), ("convert", "out.csv")] {
        work.file("in.csv", format!("{header}hi,f(a=1),\n"));
        let args = [command, "in.csv", "-o", output];
        work.run(&args).ended(i32::from(command == "label"));
        let before = work.read(output);
        work.file("in.csv", header);
        let ran = work.run(&args).ended(2);
        assert!(
            ran.stderr.contains("the input has no rows") && ran.stderr.contains("stays as it is"),
            "{}",
            ran.stderr
        );
        assert_eq!(work.read(output), before, "{command}");
        work.run(&[&args[..], &["--force"]].concat()).ended(1);
        assert_eq!(work.rows(output).len(), 0, "{command}");
        // An empty table holds nothing that could be lost.
        work.run(&args).ended(1);
    }
}

#[test]
fn a_dry_run_replaces_no_table_and_says_so() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions\nhi,f(a=1),f: does\n");
    work.run(&["label", "in.csv", "-o", "y.csv", "--allow-unjudged", "1"]).ended(0);
    let before = work.read("y.csv");
    let ran = work.run(&["label", "in.csv", "--judge", "vllm:x", "--dry-run", "-o", "y.csv"]).ended(0);
    assert!(ran.stderr.contains("a run without --dry-run replaces it"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("this run replaces it"), "{}", ran.stderr);
    assert_eq!(work.read("y.csv"), before);
}

#[test]
fn columns_that_are_kept_are_the_only_ones_of_the_input() {
    let work = Workspace::new();
    work.file("in.csv", "id,note,question,tool_call,tool_definitions,team\n1,n,hi,f(a=1),f: does,x\n2,n,ho,f(a=1),f: does,y\n");
    let label = |file: &str, keep: &str, more: &[&str]| {
        let args = ["label", file, "-o", "out.csv", "--force", "--allow-unjudged", "1", "--keep", keep];
        work.run(&[&args[..], more].concat())
    };
    let header = || work.read("out.csv").lines().next().unwrap().to_owned();
    label("in.csv", "team,id", &[]).ended(0);
    assert!(header().starts_with("id,team,label,score,status,"), "{}", header());
    // What is not written is read all the same.
    let ran =
        label("in.csv", "id", &["--by", "team", "--fold", "team", "--fold-output", "folds.csv"]).ended(0);
    assert!(ran.stdout.contains("by team") && header().starts_with("id,label,"), "{}", ran.stdout);
    assert_eq!(work.rows("folds.csv").len(), 2);
    let log = repository("datasets/langfuse.jsonl").display().to_string();
    label(&log, "source_id", &["--fold", "question", "--fold-output", "folds.csv"]).ended(0);
    assert!(header().starts_with("source_id,label,"), "{}", header());
    for (keep, more, said) in [
        ("id,teem", &[][..], "--keep: there is no column `teem`; did you mean `team`?"),
        ("id", &["--drop", "note"], "--drop has no effect beside --keep"),
    ] {
        let ran = label("in.csv", keep, more).ended(2);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    work.file("tooljudge.toml", "[label]\ndrop = [\"note\"]\n");
    label("in.csv", "id,team", &[]).ended(0);
    let ran = label("in.csv", "id,note", &[]).ended(2);
    assert!(ran.stderr.contains("--keep and --drop both name the column `note`"), "{}", ran.stderr);
}

#[test]
fn a_summary_has_colors_where_they_are_wanted() {
    let work = Workspace::new();
    let input = repository("datasets/quickstart.csv").display().to_string();
    let label = |color: &str| {
        let args = ["label", &input, "-o", "out.csv", "--color", color, "--min-pass-rate", "1"];
        work.run(&args).ended(1)
    };
    let ran = label("always");
    assert!(ran.stdout.contains("\u{1b}[32mcorrect\u{1b}[0m "), "{}", ran.stdout);
    assert!(ran.stdout.contains("\u{1b}[31mincorrect\u{1b}[0m "), "{}", ran.stdout);
    assert!(ran.stderr.contains("\u{1b}[31mFAIL\u{1b}[0m "), "{}", ran.stderr);
    assert!(!work.read("out.csv").contains('\u{1b}'));
    for color in ["auto", "never"] {
        let ran = label(color);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{}", ran.stdout);
    }
}

#[test]
fn tools_that_are_cut_off_are_an_error_before_anything_is_judged() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call\nhi,f(a=1)\n");
    let whole = r#"[{"name": "f", "parameters": {"type": "object", "properties": {}}}]"#;
    for cut in [1, 9, whole.len() / 2] {
        work.file("tools.json", &whole[..whole.len() - cut]);
        let ran = work.run(&["label", "in.csv", "--tools", "tools.json"]).ended(2);
        assert!(
            ran.stderr.contains("--tools tools.json") && ran.stderr.contains("begin like JSON"),
            "{}",
            ran.stderr
        );
        assert!(!work.path("in.labeled.csv").exists());
    }
    for prose in ["f: does things", "[f] does things", "{f} does things", "{'name': 'f', 'parameters': {}}"] {
        work.file("tools.json", prose);
        let ran = work.run(&["label", "in.csv", "--tools", "tools.json", "--allow-unjudged", "1"]);
        assert_eq!(ran.code, Some(0), "{prose}: {}", ran.stderr);
    }
}
