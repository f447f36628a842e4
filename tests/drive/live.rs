//! What `-v` tells of the agents as it happens.

use serde_json::json;

use super::own::{DRIVE, has, workspace};
use super::{drive, traveller, workspace as trips};
use crate::support::child::Deadline;
use crate::support::server::Server;
use crate::support::workspace::Ran;

/// Each step is a line in which nothing is hidden, and which hides nothing: no keys, and nothing that a terminal would obey.
#[test]
fn each_step_of_an_own_agent_is_a_line() {
    if !has("python3") {
        return;
    }
    let agent = "hear(); call(); hear(); call(id='2', name='no\\nsuch'); hear()\n\
                 answer('31 \\u202e\\x1b[31m ' + os.environ['OWN_API_KEY'] + ' x' * 1000)";
    let run = |args: &[&str]| {
        let work = workspace(agent);
        let mut command = work.tooljudge(&[&DRIVE[..], &["--allow-failures"], args].concat());
        let ran = Ran::from(command.env("OWN_API_KEY", "sk-a1b2c3d4e5f6g7h8").finish()).ended(0);
        (ran.stderr, std::fs::read_to_string(work.path("run.log")).unwrap_or_default())
    };
    let (told, log) = run(&["-v", "--log-file", "run.log"]);
    for text in [&told, &log] {
        for line in [
            r#"INFO hue#1 calls get_weather {"city":"Hue"}"#,
            r#"INFO hue#1 get_weather returns {"temperature":31}"#,
            r#"INFO hue#1 calls no such {"city":"Hue"}"#,
            "INFO hue#1 no such returns an error ",
            "INFO hue#1 answers 31 \u{fffd}\u{fffd}[31m [secret] x x",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("sk-a1b2") && text.lines().all(|line| line.chars().count() < 300), "{text}");
    }
    assert!(!run(&[]).0.contains("calls get_weather"));
}

#[test]
fn how_it_ended_is_told() {
    let work = workspace("hear(); sys.exit(3)");
    let ran = work.run(&[&DRIVE[..], &["-v", "--allow-failures"]].concat()).ended(0);
    assert!(
        ran.stderr.contains("INFO hue#1 ended as agent_error: the program ended before"),
        "{}",
        ran.stderr
    );
}

#[test]
fn models_and_scripts_are_told_of_too() {
    let (server, work) = (Server::start(traveller), trips(1));
    let ran = work.run(&drive(&server, &["-v"])).ended(0);
    assert!(ran.stderr.contains(r#"INFO c0#1 calls get_weather {"city":"Hue"}"#), "{}", ran.stderr);
    assert!(ran.stderr.contains("INFO c0#1 answers In Hue."), "{}", ran.stderr);
    let call = json!({ "calls": [{ "name": "get_weather", "arguments": { "city": "Oslo" } }] });
    work.file("script.jsonl", json!({ "case": "c0", "replies": [call, "Cold."] }).to_string());
    let args = ["drive", "suite.toml", "--agent", "script:script.jsonl", "-v", "--allow-failures"];
    let told = work.run(&args).ended(0).stderr;
    assert_eq!(told.matches(r#"INFO c0#1 calls get_weather {"city":"Oslo"}"#).count(), 1, "{told}");
    assert!(told.contains("INFO c0#1 answers Cold."), "{told}");
}
