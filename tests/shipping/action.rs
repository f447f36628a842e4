//! Our action, and the workflow that `docs/ci.md` shows, played through on a runner of our own.

use yaml_serde::Value;

use super::workflow::{Runner, make_executable};
use crate::support::child::Deadline;
use crate::support::markdown::blocks;
use crate::support::workspace::repository;

const ARCHIVE: &str = "tooljudge-v0.1.0-x86_64-unknown-linux-gnu";

/// A runner, and a server of releases behind `curl` that has one with our binary.
fn runner() -> Runner {
    let runner = Runner::new();
    let releases = runner.work.path("releases");
    let folder = releases.join(ARCHIVE);
    std::fs::create_dir_all(&folder).unwrap();
    let binary = assert_cmd::cargo::cargo_bin!("tooljudge").display().to_string();
    let file = folder.join("tooljudge");
    std::fs::write(&file, format!("#!/bin/sh\nexec '{binary}' \"$@\"\n")).unwrap();
    make_executable(&file);
    let script = format!(
        "tar -czf {ARCHIVE}.tar.gz {ARCHIVE} && sha256sum {ARCHIVE}.tar.gz > {ARCHIVE}.tar.gz.sha256"
    );
    let made = std::process::Command::new("bash").args(["-c", &script]).current_dir(&releases).finish();
    assert!(made.status.success());
    runner.stub(
        "curl",
        r#"echo "$*" >> "$ROOT/curl.log"
while [ "$1" != --output ]; do shift; done
[ "$(dirname "$3")" = https://github.test/OWNER/tooljudge/releases/download/v0.1.0 ] || exit 22
cp "$ROOT/releases/$(basename "$3")" "$2""#,
    );
    runner
}

/// The documented workflow, and the files that its tests write.
fn example() -> (Value, String) {
    let page = std::fs::read_to_string(repository("docs/ci.md")).unwrap();
    let blocks = blocks(&page);
    let workflow = blocks.iter().find(|block| block.language == "yaml").unwrap().lines.join("\n");
    let files = blocks.iter().find(|block| block.lines[0].starts_with("cat > calls.jsonl")).unwrap();
    (yaml_serde::from_str(&workflow).unwrap(), files.lines.join("\n"))
}

/// Plays the workflow through with an agent whose tests run `more` after they have written their files.
fn play(more: &str) -> Runner {
    let (workflow, files) = example();
    let mut runner = runner();
    runner.stub("pip", "[ \"$*\" = 'install pytest' ]");
    runner.stub("python", &format!("[ \"$*\" = '-m pytest' ] || exit 1\n{files}\n{more}"));
    let jobs = workflow["jobs"].as_mapping().unwrap();
    assert_eq!(jobs.len(), 1);
    runner.steps(&jobs.values().next().unwrap()["steps"]);
    runner
}

#[test]
fn the_documented_workflow_is_green_for_an_agent_that_is_right() {
    let runner = play("");
    assert!(!runner.failed, "{}", runner.log);
    assert!(!runner.log.contains("::error"), "{}", runner.log);
    let uploaded = runner.used.iter().find(|(name, _)| name == "actions/upload-artifact").unwrap();
    for file in uploaded.1["path"].as_str().unwrap().lines() {
        assert!(!runner.file(&format!("job/{file}")).is_empty(), "{file}");
    }
    assert!(runner.file("job/score.xml").contains("test_cancel"));
    let summary = runner.file("files/summary");
    assert!(summary.contains("score") && summary.contains("label"), "{summary}");
    // The second step finds what the first has installed: an archive and its checksum, once.
    assert_eq!(runner.file("curl.log").lines().count(), 2, "{}", runner.file("curl.log"));
    assert_eq!(runner.outputs["exit-code"], "0");
}

#[test]
fn the_documented_workflow_is_red_for_an_agent_that_is_wrong() {
    let runner = play(r#"sed -i 's/BK-1987\\"/BK-1978\\"/' cases.jsonl"#);
    assert!(runner.failed);
    assert!(runner.log.contains("::error title=tooljudge::FAIL test_cancel: "), "{}", runner.log);
    assert!(runner.file("files/summary").contains("test\\_cancel"), "{}", runner.file("files/summary"));
    assert!(runner.file("job/score.xml").contains("<failure"));
    assert_eq!(runner.outputs["exit-code"], "1");
    // The steps behind it are left out, but for the upload.
    assert!(!runner.work.path("job/labelled.csv").exists());
    assert!(runner.used.iter().any(|(name, _)| name == "actions/upload-artifact"));
}

#[test]
fn words_are_words_and_no_commands() {
    let mut runner = runner();
    let quickstart = repository("datasets/quickstart.csv");
    std::fs::copy(quickstart, runner.work.path("job/my calls.csv")).unwrap();
    let run = |runner: &mut Runner, line: &str| runner.action(&[("run", line)]);
    assert!(run(&mut runner, "label 'my calls.csv'\n  -o \"out put.csv\" --quiet"), "{}", runner.log);
    assert!(runner.work.path("job/out put.csv").exists());
    for line in ["label $(touch harm) -o x.csv", "label nothing.csv; touch harm", "label `touch harm` > harm"]
    {
        assert!(!run(&mut runner, line), "{line}");
        assert_eq!(runner.outputs["exit-code"], "2", "{line}: {}", runner.log);
    }
    assert!(!run(&mut runner, "label 'my calls.csv"));
    assert!(
        runner.log.contains("::error title=tooljudge::the quotes of `run` do not match"),
        "{}",
        runner.log
    );
    assert!(!runner.work.path("job/harm").exists());
    assert!(!run(&mut runner, "label 'my calls.csv' -o labelled.csv --min-pass-rate 0.9"));
    assert_eq!(runner.outputs["exit-code"], "1");
}

#[test]
fn what_cannot_be_installed_is_said() {
    let label = ("run", "templates list");
    let mut absent = runner();
    assert!(!absent.action(&[label, ("version", "v9.9.9")]));
    assert!(absent.log.contains("::error title=tooljudge::no tooljudge-v9.9.9-x86_64"), "{}", absent.log);

    let mut elsewhere = runner();
    elsewhere.context.insert("runner.os".to_owned(), "macOS".to_owned());
    assert!(!elsewhere.action(&[label]));
    assert!(elsewhere.log.contains("no release has a binary for macOS-X64: set `from: source`"));

    let mut damaged = runner();
    let archive = damaged.work.path(&format!("releases/{ARCHIVE}.tar.gz"));
    let mut bytes = std::fs::read(&archive).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&archive, bytes).unwrap();
    assert!(!damaged.action(&[label]));
    assert!(damaged.log.contains("is damaged"), "{}", damaged.log);
    assert!(!damaged.work.path("temp/tooljudge/bin/tooljudge").exists());

    let mut unknown = runner();
    assert!(!unknown.action(&[label, ("from", "nowhere")]));
    assert!(unknown.log.contains("`from` is `release` or `source`, not `nowhere`"), "{}", unknown.log);
}

#[test]
fn it_can_be_compiled_instead() {
    let mut runner = runner();
    let binary = assert_cmd::cargo::cargo_bin!("tooljudge").display().to_string();
    runner.stub(
        "cargo",
        &format!("echo \"$*\" > \"$ROOT/cargo.log\"\ncp '{binary}' \"$ROOT/temp/tooljudge/bin/tooljudge\""),
    );
    assert!(runner.action(&[("run", "templates list"), ("from", "source")]), "{}", runner.log);
    let folder = runner.work.path("temp/tooljudge").display().to_string();
    assert_eq!(
        runner.file("cargo.log").trim(),
        format!("install --locked --path /action --features postgres --root {folder}")
    );
    assert_eq!(runner.file("curl.log"), "");
}
