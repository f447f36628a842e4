//! `templates`: list, show, check.

use crate::support::workspace::Workspace;

#[test]
fn what_is_shown_can_be_checked_and_used() {
    let work = Workspace::new();
    let list = work.run(&["templates", "list"]).ended(0).stdout;
    let names: Vec<&str> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ["parameter_extraction", "tool_selection", "tool_calling"]);
    for name in names {
        let shown = work.run(&["templates", "show", name]).ended(0).stdout;
        work.file("mine.jinja", shown);
        let checked = work.run(&["templates", "check", "mine.jinja"]).ended(0).stdout;
        assert!(checked.contains("correct, incorrect") && checked.contains("explains yes"), "{checked}");
    }
}

#[test]
fn mistakes_are_named() {
    let work = Workspace::new();
    work.file("unknown.txt", "{question} {tool_call} {tool_defs}");
    work.file("missing.txt", "{question}");
    for (file, words) in [
        ("unknown.txt", "unknown variable `tool_defs`"),
        ("missing.txt", "`tool_call` never used"),
        ("nothing.txt", "cannot read the template nothing.txt"),
    ] {
        let ran = work.run(&["templates", "check", file]).ended(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    assert!(work.run(&["templates", "show", "nope"]).ended(2).stderr.contains("templates list"));
}
