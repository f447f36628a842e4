//! Standard streams that are closed, broken, empty or full: no panic, and an exit code that means something.

use std::process::{Command, Output};

use crate::label_remote::numbered;
use crate::support::child::Deadline;
use crate::support::workspace::Workspace;

/// Runs a line of the shell in which `$T` is the binary.
fn shell(work: &Workspace, line: &str) -> Output {
    let ours = work.tooljudge(&[]);
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("set -o pipefail; {line}")]).current_dir(work.path("."));
    shell.env("T", ours.get_program()).env("NO_COLOR", "1").env_remove("OPENAI_API_KEY").finish()
}

#[cfg(unix)]
#[test]
fn closed_and_broken_streams_end_in_order() {
    let work = Workspace::new();
    work.file("in.csv", numbered(3_000));
    let label = "$T label --allow-unjudged 1";
    for (line, code, words) in [
        // The input.
        (format!("{label} - < /dev/null"), 2, "standard input is empty"),
        (format!("{label} - <&-"), 2, "standard input is empty"),
        (format!("printf '' | {label} -"), 2, "standard input is empty"),
        (format!("cat in.csv | {label} - -o out.csv -q"), 0, ""),
        (format!("{label} in.csv -o out.csv -q <&-"), 0, ""),
        // The output.
        (format!("{label} in.csv -o - -q >&-"), 2, "standard output is closed"),
        ("$T convert in.csv -o - >&-".to_owned(), 2, "standard output is closed"),
        (format!("{label} in.csv -o - -q > /dev/null"), 0, ""),
        (format!("{label} in.csv -o out.csv >&-"), 0, ""),
        (format!("{label} in.csv -o out.csv 2>&-"), 0, ""),
        (format!("{label} in.csv -o out.csv <&- >&- 2>&-"), 0, ""),
        (format!("{label} in.csv -o - -q | head -1"), 0, ""),
        (format!("{label} in.csv -o out.csv --json | head -1"), 0, ""),
        ("$T convert in.csv | head -1".to_owned(), 0, ""),
        ("$T templates show tool_calling | head -1".to_owned(), 0, ""),
        ("$T --help | head -1".to_owned(), 0, ""),
        ("$T label --help | true".to_owned(), 0, ""),
        ("$T store stat --json 2>&1 | true; true".to_owned(), 0, ""),
        // A full device is no reader who has seen enough.
        (format!("{label} in.csv -o - -q > /dev/full"), 2, "no space left"),
        (format!("{label} in.csv -o out.csv --json > /dev/full"), 2, "cannot write the standard output"),
        ("$T convert in.csv -q > /dev/full".to_owned(), 2, "no space left"),
        ("$T templates list > /dev/full".to_owned(), 2, "cannot write the standard output"),
        (format!("{label} in.csv -o out.csv 2> /dev/full"), 0, ""),
    ] {
        let output = shell(&work, &line);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!told.contains("panicked"), "{line}\n{told}");
        assert_eq!(output.status.code(), Some(code), "{line}\n{told}");
        assert!(told.contains(words), "{line}\n{told}");
    }
    assert_eq!(work.rows("out.csv").len(), 3_000);
}
