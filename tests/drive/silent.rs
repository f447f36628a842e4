//! Replies that look like answers and are none: calls written as text, words that nobody can see, an end that promises a call.

use serde_json::json;

use super::{TOOLS, ended, issues, rows};
use crate::support::server::{Answer, Said, Seen, Server};
use crate::support::workspace::{Ran, Workspace};

const SUITE: &str = "name = \"silent\"\ntools = \"tools.json\"\n\
[[cases]]\nid = \"none\"\nuser_message = \"<<none>> Say hello.\"\nshould_not_call_tools = true\n\
[[cases]]\nid = \"call\"\nuser_message = \"<<call>> The weather in Hue?\"\n\
mocks = [{ tool = \"get_weather\", result = { of = 1 } }]\n\
expected_tool_calls = [{ tool_name = \"get_weather\", required_params = { city = \"Hue\" } }]\n";

fn drive(script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> (Server, Workspace, Ran) {
    let (server, work) = (Server::start(script), Workspace::new());
    work.file("tools.json", TOOLS);
    work.file("suite.toml", SUITE);
    let args = [
        "drive",
        "suite.toml",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
        "-o",
        "episodes.jsonl",
        "--max-attempts",
        "3",
    ];
    let ran = work.run(&args);
    (server, work, ran)
}

#[test]
fn a_call_that_is_written_as_text_is_no_answer() {
    for text in [
        r#"<tool_call>{"name": "get_weather", "arguments": {"city": "Hue"}}</tool_call>"#,
        r#"Let me look.<tool_call>
{"name": "get_weather", "arguments": {"city": "Hue"}}
</tool_call>"#,
        "<function=get_weather><parameter=city>Hue</parameter></function>",
        r#"[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Hue"}}]"#,
        r#"{"name": "get_weather", "arguments": {"city": "Hue"}}"#,
        r#"<tool_call>{"name": "get_weather", "arguments": {"city": "#,
    ] {
        let (_, work, ran) = drive(move |_| Answer::Turn(Said::text(text)));
        assert_eq!(ran.code, Some(1), "{text}: {}{}", ran.stdout, ran.stderr);
        let rows = rows(&work, "episodes.jsonl");
        assert_eq!(ended(&rows, "call_as_text"), 2, "{text}: {}", ran.stdout);
        for row in &rows {
            assert_eq!((&row["passed"], issues(row)), (&json!(false), vec!["undecodable"]), "{row}");
            assert!(row["reason"].as_str().unwrap().contains("--tool-call-parser"), "{row}");
        }
        assert!(!ran.stdout.contains("which requests it is there for"), "{}", ran.stdout);
    }
    // Prose about calls is an answer.
    for text in
        ["Hello! I could use get_weather, if you like.", "A call looks like f(x).", r#"{"city": "Hue"}"#]
    {
        let (_, work, _) = drive(move |_| Answer::Turn(Said::text(text)));
        assert_eq!(ended(&rows(&work, "episodes.jsonl"), "finished"), 2, "{text}");
    }
}

#[test]
fn words_that_nobody_can_see_are_none() {
    for text in ["", " \n", "\u{200b}", " \u{feff}\u{2060}\u{ad}\u{3164} "] {
        let (_, work, ran) = drive(move |_| Answer::Turn(Said::text(text)));
        let rows = rows(&work, "episodes.jsonl");
        assert_eq!(ended(&rows, "empty"), 2, "{text:?}: {}", ran.stdout);
        assert!(rows.iter().all(|row| row["passed"] == false), "{text:?}");
    }
}

#[test]
fn a_reply_that_lost_its_call_is_an_error() {
    for content in ["", "I look it up."] {
        let script =
            move |_: &Seen| Answer::Message(json!({"role": "assistant", "content": content}), "tool_calls");
        let (server, work, ran) = drive(script);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let rows = rows(&work, "episodes.jsonl");
        assert_eq!(ended(&rows, "errored"), 2, "{}", ran.stdout);
        assert!(
            rows[0]["error"].as_str().unwrap().contains("ends with a call, and holds none"),
            "{}",
            rows[0]
        );
        // Once more, and no third time.
        assert_eq!(server.requests(), 4);
    }
}
