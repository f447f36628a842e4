//! What people see: help, and the errors of a mistyped command.

use crate::support::workspace::{Workspace, shown};

#[test]
fn help_is_as_reviewed() {
    let work = Workspace::new();
    shown("help", &work.run(&["--help"]).ended(0).stdout);
    shown("help_label", &work.run(&["label", "--help"]).ended(0).stdout);
    shown("help_label_short", &work.run(&["label", "-h"]).ended(0).stdout);
    for command in ["bench", "compare", "drive", "gold", "train"] {
        shown(&format!("help_{command}"), &work.run(&[command, "--help"]).ended(0).stdout);
    }
    shown("help_templates", &work.run(&["templates", "--help"]).ended(0).stdout);
}

#[test]
fn mistakes_on_the_command_line_end_with_2() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call\n");
    for (args, words) in [
        (&["label"][..], "INPUT"),
        (&["label", "in.csv", "--judge", "gpt"], "use `builtin`, or PROVIDER:MODEL"),
        (&["label", "in.csv", "--judge", "openai:m"], "OPENAI_API_KEY"),
        (&["label", "in.csv", "--judge", "openai:m", "--base-url", "nope"], "no URL"),
        (&["label", "in.csv", "--template", "x.jinja"], "does not use templates"),
        (&["label", "in.csv", "--task", "tool"], "not a task"),
        (&["label", "in.csv", "--column", "answer=a"], "answer"),
        (&["label", "in.csv", "--where", "model=x"], "no column `model`"),
        (&["label", "in.csv", "--retry", "errored"], "errored rows always are"),
        (&["label", "in.csv", "--concurrency", "0"], "concurrency"),
    ] {
        let ran = work.run(args).ended(2);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn shells_and_man_know_every_command() {
    let work = Workspace::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = work.run(&["completions", shell]).ended(0).stdout;
        assert!(script.contains("resnap") && script.contains("max-cost"), "{shell}: {script:.200}");
    }
    let bash = work.run(&["completions", "bash"]).ended(0).stdout;
    for name in
        ["tool_selection", "langfuse", "tool_correctness", "anthropic:", "parquet", "balanced_accuracy"]
    {
        assert!(bash.contains(name), "{name} is not offered");
    }
    work.run(&["man", "pages"]).ended(0);
    assert!(work.read("pages/tooljudge-label.1").contains("tooljudge label calls.csv"));
}

#[test]
fn an_error_is_json_where_results_are() {
    let work = Workspace::new();
    for args in [&["label", "none.csv", "--json"][..], &["label", "--json", "--limit", "many", "none.csv"]] {
        let ran = work.run(args).ended(2);
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(told["exit_code"], 2);
        assert!(ran.stderr.contains(told["error"].as_str().unwrap()), "{told} {}", ran.stderr);
    }
    assert_eq!(work.run(&["label", "none.csv"]).ended(2).stdout, "");
    // Where rows go to the standard output, nothing else does.
    assert_eq!(work.run(&["label", "none.csv", "--json", "-o", "-"]).ended(2).stdout, "");
}

#[test]
fn colour_is_for_those_who_want_it() {
    let work = Workspace::new();
    let error = |args: &[&str]| work.run(&[&["label", "none.csv"], args].concat()).ended(2).stderr;
    assert!(error(&["--color", "always"]).starts_with("\u{1b}["));
    for args in [&["--color", "never"][..], &["--color=auto"], &[]] {
        assert!(error(args).starts_with("error: "), "{args:?}");
    }
}

/// Who mends one thing should not meet the next one after it.
#[test]
fn a_missing_key_hides_no_missing_limit() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions\nq,{},[]\n");
    let ran = work.run(&["label", "in.csv", "--judge", "openai:gpt-5-mini", "--max-cost", "1"]).ended(2);
    assert!(
        ran.stderr.contains("OPENAI_API_KEY") && ran.stderr.contains("give --max-tokens N"),
        "{}",
        ran.stderr
    );
    let limited = ["label", "in.csv", "--judge", "openai:gpt-5-mini", "--max-cost", "1", "--max-tokens", "9"];
    let ran = work.run(&limited).ended(2);
    assert!(
        ran.stderr.contains("OPENAI_API_KEY") && !ran.stderr.contains("give --max-tokens"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_name_that_is_nearly_right_is_offered() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions\nq,{},[]\n");
    work.file("asks.txt", "Is {tool_cal} right? {question}");
    for (args, offered) in [
        (&["label", "in.csv", "--judge", "opneai:m"][..], "did you mean `openai`?"),
        (&["label", "in.csv", "--task", "tool_caling"], "did you mean `tool_calling`?"),
        (&["templates", "show", "tool_selecton"], "did you mean `tool_selection`?"),
        (&["label", "in.csv", "--judge", "openai"], "as in `openai:MODEL`"),
        (&["label", "in.csv", "--judge", "gpt5-mini"], "`openai:gpt-5-mini`"),
        (&["label", "in.csv", "--from", "Langfuse"], "did you mean `langfuse"),
        (&["label", "in.csv", "--from", "lf"], "did you mean `langfuse"),
        (&["label", "in.csv", "--where", "questoin=x"], "did you mean `question`?"),
        (&["label", "in.csv", "--min-pass-rate", "90%"], "90 % is 0.9"),
        (&["label", "in.csv", "--limit", "-5"], "`-5` is not a number of rows"),
        (&["label", "in.csv", "--judge", "vllm:m", "--template", "asks.txt"], "did you mean `tool_call`?"),
    ] {
        let ran = work.run(args).ended(2);
        assert!(ran.stderr.contains(offered), "{}", ran.stderr);
    }
    work.file("tooljudge.toml", "[label]\nconcurency = 3\n");
    let ran = work.run(&["label", "in.csv"]).ended(2);
    assert!(ran.stderr.contains("did you mean `concurrency`?"), "{}", ran.stderr);
}
