//! Agents driven through suites by the binary, against a server in this process: what comes out, what is asked, and what is paid.

mod costs;
mod episodes;
mod faults;
mod gates;
mod grading;
mod live;
mod mistakes;
mod outputs;
mod own;
mod own_faults;
mod own_function;
mod own_kept;
mod own_server;
mod resume;
mod silent;
mod tasks;

use serde_json::{Value, json};

use crate::support::server::{Answer, Said, Seen, Server};
use crate::support::workspace::Workspace;

/// Two tools, one of which is picky.
pub const TOOLS: &str = r#"[
  {"name": "get_weather", "description": "The weather now.", "parameters": {"type": "object",
    "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false}},
  {"name": "get.forecast", "description": "The weather of some days.", "parameters": {"type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 7}}, "required": ["city", "days"]}}
]"#;

/// A suite of so many cases, each of which takes three replies: two calls, one after another, and an answer.
pub fn trips(cases: usize) -> String {
    let mut suite =
        "name = \"trips\"\nsystem = \"You know the weather.\"\ntools = \"tools.json\"\n".to_owned();
    for case in 0..cases {
        suite.push_str(&format!(
            "[[cases]]\nid = \"c{case}\"\nuser_message = \"<<c{case}>> Where is it warmer?\"\n\
             mocks = [{{ tool = \"get_weather\", result = {{ of = {case} }}, latency_ms = 7 }}]\n\
             expected_tool_calls = [{{ tool_name = \"get_weather\", required_params = {{ city = \"Hue\" }} }}, \
             {{ tool_name = \"get_weather\", required_params = {{ city = \"Oslo\" }} }}]\n\
             ordered = true\nforbidden_tools = [\"get.forecast\"]\nexpected_output_contains = [\"Hue\"]\n"
        ));
    }
    suite
}

/// Replies of an episode of [`trips`].
pub const REPLIES: usize = 3;

/// An agent that passes all cases of [`trips`] but each third, in which it calls what it must not.
pub fn traveller(seen: &Seen) -> Answer {
    let weather = |city: &str| Answer::Turn(Said::call("get_weather", &json!({ "city": city })));
    match seen.turns() {
        0 => weather("Hue"),
        1 if number_of(seen).is_multiple_of(3) => {
            Answer::Turn(Said::call("get_forecast", &json!({"city": "Oslo", "days": 1})))
        }
        1 => weather("Oslo"),
        _ => Answer::Turn(Said::text("In Hue.")),
    }
}

/// What stands in the first message between angle brackets: which case it is.
pub fn case_of(seen: &Seen) -> String {
    let (_, after) = seen.prompt().split_once("<<").unwrap();
    after.split_once(">>").unwrap().0.to_owned()
}

/// The number of a case of [`trips`].
pub fn number_of(seen: &Seen) -> usize {
    case_of(seen)[1..].parse().unwrap()
}

/// A folder with [`trips`].
pub fn workspace(cases: usize) -> Workspace {
    let work = Workspace::new();
    work.file("tools.json", TOOLS);
    work.file("suite.toml", trips(cases));
    work
}

/// The command, with a table of episodes. It is the same agent each time, and its failures are no matter.
pub fn drive<'a>(server: &'a Server, more: &[&'a str]) -> Vec<&'a str> {
    [&anew(server)[..], &["--agent-version", "1", "--allow-failures"], more].concat()
}

/// The command as it is by itself.
pub fn anew(server: &Server) -> Vec<&str> {
    vec!["drive", "suite.toml", "--agent", "openai:m", "--base-url", &server.url, "-o", "episodes.jsonl"]
}

pub fn rows(work: &Workspace, name: &str) -> Vec<Value> {
    work.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Episodes without what tells how their replies were bought.
pub fn told(work: &Workspace, name: &str) -> Vec<Value> {
    let mut rows = rows(work, name);
    for row in &mut rows {
        let row = row.as_object_mut().unwrap();
        row.remove("latency_ms");
        let usage = row["usage"].as_object_mut().unwrap();
        usage.remove("attempts");
        usage.remove("cached");
    }
    rows
}

/// One column of a table of episodes.
pub fn column(rows: &[Value], name: &str) -> Vec<Value> {
    rows.iter().map(|row| row[name].clone()).collect()
}

/// How many episodes ended so.
pub fn ended(rows: &[Value], how: &str) -> usize {
    rows.iter().filter(|row| row["ended"] == how).count()
}

/// No episode without a proper end has a score, and every one that has an end has one.
#[track_caller]
pub fn only_ends_are_scored(rows: &[Value]) {
    for row in rows {
        let scored = ["finished", "max_steps", "max_calls", "truncated", "refused", "empty"];
        let is_scored = scored.iter().any(|ended| row["ended"] == *ended);
        assert_eq!(!row["score"].is_null(), is_scored, "{row}");
        assert_eq!(!row["passed"].is_null(), is_scored, "{row}");
        assert_eq!(row["error"].is_null(), is_scored, "{row}");
    }
}

/// The kinds of the issues of an episode.
pub fn issues(row: &Value) -> Vec<&str> {
    row["issues"].as_array().unwrap().iter().map(|issue| issue["kind"].as_str().unwrap()).collect()
}
