//! Agents that are functions of the process, as a program that uses the library gives them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tooljudge::run::settings::{
    AgentFunction, AgentSettings, Conversation, DriveSettings, DriveSource, OwnKind, OwnSettings,
};
use tooljudge::run::{DriveSummary, drive_blocking};

use super::own::SUITE;
use crate::support::workspace::Workspace;

/// What becomes of the case of [`SUITE`] with an agent that is begun by `begin`.
fn driven(timeout: Duration, begin: impl Fn(Conversation) + Send + Sync + 'static) -> DriveSummary {
    let work = Workspace::new();
    let suite = work.file("suite.toml", SUITE);
    let function = AgentFunction { name: "mine".to_owned(), begin: Arc::new(begin) };
    let own = OwnSettings { timeout, ..OwnSettings::new(OwnKind::Function(function)) };
    let agents = vec![AgentSettings::own("mine", own)];
    drive_blocking(DriveSettings::new(DriveSource::Suites(vec![suite]), agents)).unwrap()
}

const LONG: Duration = Duration::from_secs(300);

fn on_a_thread(
    agent: impl Fn(Conversation) + Send + Sync + Clone + 'static,
) -> impl Fn(Conversation) + Send + Sync {
    move |conversation| {
        let agent = agent.clone();
        std::thread::spawn(move || agent(conversation));
    }
}

fn call() -> String {
    json!({"type": "call", "id": "1", "name": "get_weather", "arguments": {"city": "Hue"}}).to_string()
}

fn answer() -> String {
    json!({"type": "answer", "text": "31 degrees"}).to_string()
}

/// How its only episode ended, and why it failed.
fn end_of(summary: &DriveSummary) -> (String, String) {
    let agent = &summary.agents[0];
    let ended = agent.ended.keys().next().map(|ended| ended.as_str().to_owned());
    let why = agent.failures().next().map(|(_, why)| why.to_owned());
    (ended.unwrap_or_default(), why.unwrap_or_default())
}

#[test]
fn a_function_calls_hears_and_answers() {
    let heard: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let all = Arc::clone(&heard);
    let summary = driven(
        LONG,
        on_a_thread(move |conversation: Conversation| {
            let case: Value = serde_json::from_str(conversation.case()).unwrap();
            assert_eq!((&case["id"], &case["tools"][0]["name"]), (&json!("hue#1"), &json!("get_weather")));
            let said = [call(), answer(), call()].map(|said| conversation.say(said));
            all.lock().unwrap().extend(said);
        }),
    );
    assert_eq!(end_of(&summary), ("finished".to_owned(), String::new()));
    assert_eq!(summary.agents[0].tally.passed, 1);
    // The agent's thread may be behind the run's end.
    let heard = (0..6000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        Some(heard.lock().unwrap().clone()).filter(|heard| heard.len() == 3)
    });
    let heard = heard.expect("the agent hears that its case is over");
    let result: Value = serde_json::from_str(heard[0].as_deref().unwrap()).unwrap();
    assert_eq!(result[0]["content"], json!("{\"temperature\":31}"));
    assert_eq!(heard[1..], [None, None]);
}

#[test]
fn one_that_fails_or_goes_away_fails_its_case_and_one_that_cannot_begin_has_no_score() {
    let gone = driven(LONG, on_a_thread(|conversation: Conversation| drop(conversation)));
    let (ended, why) = end_of(&gone);
    assert_eq!(ended, "agent_error");
    assert!(why.contains("the function ended without an answer"), "{why}");
    let failed = driven(
        LONG,
        on_a_thread(|conversation: Conversation| {
            conversation.say(call());
            conversation.fail("no\nnetwork".to_owned(), "a trace".to_owned());
        }),
    );
    let (ended, why) = end_of(&failed);
    assert_eq!(ended, "agent_error");
    assert!(why.contains("no network"), "{why}");
    let strange = driven(LONG, on_a_thread(|conversation: Conversation| drop(conversation.say("?".into()))));
    assert_eq!(end_of(&strange).0, "protocol_error");
    let unable = driven(LONG, |conversation| conversation.cancel("no thread".to_owned()));
    assert_eq!((end_of(&unable).0.as_str(), unable.agents[0].unscored()), ("errored", 1));
}

#[test]
fn one_that_is_late_is_heard_no_more() {
    let kept: Arc<Mutex<Vec<Conversation>>> = Arc::default();
    let all = Arc::clone(&kept);
    let summary =
        driven(Duration::from_millis(200), move |conversation| all.lock().unwrap().push(conversation));
    let (ended, why) = end_of(&summary);
    assert_eq!(ended, "timed_out");
    assert!(why.contains("no answer within 0.2 s (agent_timeout)"), "{why}");
    let conversation = kept.lock().unwrap().pop().unwrap();
    assert!(conversation.is_over());
    assert_eq!(conversation.say(answer()), None);
}
