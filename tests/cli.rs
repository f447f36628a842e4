//! What people see: help, and the errors of a mistyped command.

use crate::support::workspace::{Workspace, shown};

#[test]
fn help_is_as_reviewed() {
    let work = Workspace::new();
    shown("help", &work.run(&["--help"]).ended(0).stdout);
    shown("help_label", &work.run(&["label", "--help"]).ended(0).stdout);
    for command in ["bench", "compare", "gold"] {
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
        (&["label", "in.csv", "--template", "x.jinja"], "reads no template"),
        (&["label", "in.csv", "--task", "tool"], "no task"),
        (&["label", "in.csv", "--column", "answer=a"], "answer"),
        (&["label", "in.csv", "--where", "model=x"], "no column `model`"),
        (&["label", "in.csv", "--retry", "errored"], "errored rows always are"),
        (&["label", "in.csv", "--concurrency", "0"], "concurrency"),
    ] {
        let ran = work.run(args).ended(2);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
}
