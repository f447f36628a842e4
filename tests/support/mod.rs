//! What the end-to-end tests stand on: a folder to work in, the binary, and a judge that does as it is told.

pub mod archive;
pub mod child;
pub mod enforcer;
pub mod faults;
pub mod http;
pub mod keeper;
pub mod limited_server;
pub mod markdown;
pub mod on_time;
pub mod postgres;
pub mod server;
pub mod transcript;
pub mod workspace;

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Says why a test is skipped, once for each reason: past what is kept of a test's words, of which one that passes shows none.
pub fn skipped(why: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(why.to_owned()) {
        let test = std::thread::current();
        let _ = writeln!(std::io::stderr(), "\nskipped: {why} ({})", test.name().unwrap_or("a test"));
    }
}

#[test]
fn what_is_skipped_is_seen() {
    use child::Deadline;

    let name = "support::what_is_skipped_is_seen";
    if std::env::var_os("TOOLJUDGE_TEST_SKIPS").is_some() {
        skipped("no such thing");
        skipped("no such thing");
        return;
    }
    let mut itself = std::process::Command::new(std::env::current_exe().unwrap());
    let ended = itself.args(["--exact", name]).env("TOOLJUDGE_TEST_SKIPS", "1").finish();
    assert!(ended.status.success());
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(said.matches(&format!("skipped: no such thing ({name})")).count(), 1, "{said}");
}

#[test]
fn a_test_that_hangs_ends_and_is_named() {
    use child::Deadline;

    const HANGS: &str = "TOOLJUDGE_TEST_HANGS";
    let name = "support::a_test_that_hangs_ends_and_is_named";
    if std::env::var_os(HANGS).is_some() {
        let _on_time = on_time::within(std::time::Duration::from_millis(100));
        loop {
            std::thread::park();
        }
    }
    let mut itself = std::process::Command::new(std::env::current_exe().unwrap());
    let ended = itself.args(["--exact", name]).env(HANGS, "1").finish();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.contains(&format!("{name}: hangs")), "{said}");
    assert_eq!(ended.status.code(), Some(101));
}

/// In the tests' own process nobody ends a thread that waits for ever.
#[test]
fn every_test_that_waits_here_has_a_deadline() {
    let mut late = Vec::new();
    let mut seen = 0;
    let product = workspace::repository("src");
    for path in child::sources(&["tests", "core/tests", "src"]) {
        // What waits for others on purpose, and servers, which end with the process.
        if path.components().any(|part| part.as_os_str() == "support") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let tests = ["#[test]", "#[tokio::test"].map(|mark| text.match_indices(mark).map(|(at, _)| at));
        let mut tests: Vec<usize> = tests.into_iter().flatten().collect();
        tests.sort_unstable();
        for (number, from) in tests.iter().enumerate() {
            let test = &text[*from..tests.get(number + 1).copied().unwrap_or(text.len())];
            let waits = ["#[tokio::test", ".recv().unwrap()", "Barrier::new", ".block_on("];
            // Tests of the whole program have threads that wait for children.
            let threads = ["thread::spawn", "thread::scope"];
            let threads = if path.starts_with(&product) { &threads[..] } else { &[] };
            if !waits.iter().chain(threads).any(|wait| test.contains(wait)) {
                continue;
            }
            seen += 1;
            if !test.contains("= on_time();") {
                let name =
                    test.split_once("fn ").and_then(|(_, rest)| rest.split_once('(')).map(|found| found.0);
                late.push(format!("{}: {}", path.display(), name.unwrap_or_default()));
            }
        }
    }
    assert!(seen > 50, "{seen}");
    assert!(late.is_empty(), "these wait without `let _on_time = on_time();`:\n{}", late.join("\n"));
}
