//! Agents of the user's own: those of docs/own-agent.md, and what they are told.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{column, rows};
use crate::support::child::Deadline;
use crate::support::markdown::blocks;
use crate::support::workspace::{Ran, Workspace, repository};

/// A case in which the weather of Hue is to be asked and told, and one that is over when something is said.
pub const SUITE: &str = r#"
name = "own"
system = "You know the weather."
[[tools]]
name = "get_weather"
description = "The weather now."
parameters = { type = "object", properties = { city = { type = "string" } }, required = ["city"], additionalProperties = false }
[[mocks]]
tool = "get_weather"
result = { temperature = 31 }
[[cases]]
id = "hue"
user_message = "How warm is it in Hue?"
expected_tool_calls = [{ tool_name = "get_weather", required_params = { city = "Hue" } }]
expected_output_contains = ["31"]
"#;

/// What every agent of the tests begins with.
pub const PRELUDE: &str = r#"
import json, os, signal, subprocess, sys, threading, time

def hear():
    return json.loads(sys.stdin.readline() or "null")

def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()

def call(id="1", name="get_weather", city="Hue", **more):
    say(type="call", id=id, name=name, arguments={"city": city}, **more)

def answer(text="31 degrees", **more):
    say(type="answer", text=text, **more)
"#;

/// An agent as it should be.
pub const GOOD: &str = "hear(); call(); hear(); answer()";

/// A folder with the suite and an agent.
pub fn workspace(agent: &str) -> Workspace {
    let work = Workspace::new();
    work.file("suite.toml", SUITE);
    work.file("agent.py", format!("{PRELUDE}{agent}\n"));
    work
}

pub const DRIVE: [&str; 6] =
    ["drive", "suite.toml", "--agent", "exec:python3 agent.py", "-o", "episodes.jsonl"];

/// Whether a program can be run here. Where it cannot, a test says so.
pub fn has(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).finish().status.success();
    if !found {
        println!("skipped: {program} is not here");
    }
    found
}

/// The code blocks of a language in docs/own-agent.md.
fn documented(language: &str) -> Vec<String> {
    let document = std::fs::read_to_string(repository("docs/own-agent.md")).unwrap();
    let found = blocks(&document).into_iter().filter(|block| block.language == language);
    found.map(|block| block.lines.join("\n") + "\n").collect()
}

/// The server of docs/own-agent.md.
pub fn documented_server() -> String {
    documented("python").remove(1)
}

fn weather(work: &Workspace, more: &[&str]) -> Ran {
    let suite = repository("datasets/weather.toml");
    let args =
        [&["drive", suite.to_str().unwrap(), "-o", "episodes.jsonl", "--allow-failures"], more].concat();
    work.run(&args)
}

fn passed(work: &Workspace) -> Vec<String> {
    let rows = rows(work, "episodes.jsonl");
    let passed = rows.iter().filter(|row| row["passed"] == true);
    passed.map(|row| row["case"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_documented_agents_do_what_they_should() {
    for (language, file, program) in
        [("python", "my_agent.py", "python3"), ("javascript", "my_agent.mjs", "node")]
    {
        if !has(program) {
            continue;
        }
        let work = Workspace::new();
        work.file(file, &documented(language)[0]);
        weather(&work, &["--agent", &format!("exec:{program} {file}")]).ended(0);
        assert_eq!(passed(&work), ["now", "no-alert"], "{program}");
        let rows = rows(&work, "episodes.jsonl");
        assert!(rows.iter().all(|row| row["ended"] == "finished"), "{rows:?}");
        // The user's second message came after the first answer.
        let follow_up = rows.iter().find(|row| row["case"] == "follow-up").unwrap();
        assert_eq!(follow_up["steps"], 3);
        assert_eq!(follow_up["transcript"].as_array().unwrap().len(), 7);
    }
}

#[test]
fn an_agent_is_told_the_case_and_the_results_of_its_calls() {
    let agent = r#"
heard = [hear()]
call(id="a"); heard.append(hear())
say(type="calls", calls=[{"id": "b", "name": "get_wether", "arguments": {}}, {"id": "c", "name": "get_weather", "arguments": {"town": 1}}])
heard += [hear(), hear()]
open("heard.json", "w").write(json.dumps(heard))
sys.stderr.write("thinking with key " + os.environ["OWN_API_KEY"] + "\n")
answer("31, says " + os.environ["OWN_API_KEY"])
"#;
    let work = workspace(agent);
    let mut command = work.tooljudge(&DRIVE);
    let ran = Ran::from(command.env("OWN_API_KEY", "sk-canary-4f9a17c2").finish()).ended(1);
    let heard: Vec<Value> = serde_json::from_str(&work.read("heard.json")).unwrap();
    assert_eq!(
        heard[0],
        json!({
            "type": "case",
            "version": 1,
            "id": "hue#1",
            "messages": [
                { "role": "system", "content": "You know the weather." },
                { "role": "user", "content": "How warm is it in Hue?" },
            ],
            "tools": [{
                "name": "get_weather",
                "description": "The weather now.",
                "parameters": {
                    "type": "object",
                    "properties": { "city": { "type": "string" } },
                    "required": ["city"],
                    "additionalProperties": false,
                },
            }],
        })
    );
    let result = json!({
        "type": "result", "id": "a", "name": "get_weather", "content": "{\"temperature\":31}", "is_error": false,
    });
    assert_eq!(heard[1], result);
    assert_eq!((&heard[2]["id"], &heard[2]["is_error"]), (&json!("b"), &json!(true)));
    assert_eq!(heard[2]["content"], "unknown tool \"get_wether\"; there are: get_weather");
    assert!(heard[3]["content"].as_str().unwrap().starts_with("invalid arguments for \"get_weather\": "));
    let row = &rows(&work, "episodes.jsonl")[0];
    assert_eq!(
        (&row["ended"], &row["steps"], &row["passed"]),
        (&json!("finished"), &json!(3), &json!(false))
    );
    assert_eq!(column(std::slice::from_ref(row), "response"), ["31, says [secret]"]);
    assert_eq!(row["agent_log"], "thinking with key [secret]\n");
    let ids: Vec<&str> =
        row["tool_call"].as_array().unwrap().iter().map(|call| call["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert!(!ran.stdout.contains("canary") && !ran.stderr.contains("canary"));
}

#[test]
fn a_good_agent_passes_and_models_keep_their_columns() {
    let work = workspace(GOOD);
    let ran = work.run(&[&DRIVE[..], &["--repeats", "3", "--turns", "turns.jsonl"]].concat()).ended(0);
    assert!(ran.stdout.contains("passed   3 of 3 episodes"), "{}", ran.stdout);
    assert_eq!(rows(&work, "turns.jsonl").len(), 6);
    assert_eq!(column(&rows(&work, "episodes.jsonl"), "agent_log"), vec![Value::Null; 3]);
    assert!(!work.path(".tooljudge").exists(), "nothing is kept of an agent without a version");
    let script = "{\"case\": \"hue\", \"replies\": [\"31\"]}\n";
    work.file("script.jsonl", script);
    work.run(&[
        "drive",
        "suite.toml",
        "--agent",
        "script:script.jsonl",
        "-o",
        "script_episodes.jsonl",
        "--allow-failures",
    ])
    .ended(0);
    assert!(rows(&work, "script_episodes.jsonl")[0].get("agent_log").is_none());
}

#[test]
fn a_task_is_driven_too_and_a_dry_run_starts_nothing() {
    let work = workspace(
        "case = hear()\nword = case['messages'][-1]['content'].split(\"'\")[1] if \"'\" in case['messages'][-1]['content'] else case['messages'][-1]['content']\n\
         open('started', 'a').write('x')\n\
         for at, letter in enumerate(word):\n    say(type='call', id=str(at), name='type_letter', arguments={'letter': letter}); hear()\n\
         answer(word)\n",
    );
    let task = ["drive", "langchain:typewriter-1", "--agent", "exec:python3 agent.py", "--max-steps", "60"];
    let ran = work.run(&[&task[..], &["--dry-run"]].concat()).ended(0);
    assert!(ran.stdout.contains("exec:python3 agent.py") && !work.path("started").exists(), "{}", ran.stdout);
    let ran = work.run(&task).ended(0);
    assert!(ran.stdout.contains("passed   20 of 20 episodes"), "{}", ran.stdout);
}

#[test]
fn what_does_not_fit_is_said_before_anything_is_started() {
    let work = workspace("open('started', 'w').write('x')");
    for (more, why) in [
        (
            &["--compat", "article"][..],
            "--compat article follows a loop around a model, and exec:python3 agent.py has a loop of its own",
        ),
        (&["--agent-files", "none/*.py"], "--agent-files none/*.py: no file matches"),
        (&["--agent-files", "[a"], "--agent-files [a: "),
        (&["--agent", "exec:"], "--agent exec:: name a command"),
        (&["--agent", "http://"], "--agent http...: "),
        (&["--agent", "http://agents.example/a"], "http://agents.example/a is plain http to another host"),
        (&["--agent-timeout", "0"], "--agent-timeout"),
    ] {
        let ran = work.run(&[&DRIVE[..], more].concat()).ended(2);
        assert!(ran.stderr.contains(why), "{more:?}: {}", ran.stderr);
    }
    let ran = work.run(&[&DRIVE[..], &["--max-cost", "1", "--dry-run"]].concat()).ended(0);
    assert!(ran.stderr.contains("an agent of your own does not use --max-cost"), "{}", ran.stderr);
    assert!(!Path::new(&work.path("started")).exists());
}

#[test]
fn instructions_are_replaced_or_extended() {
    let work = workspace("case = hear(); open('told', 'w').write(case['messages'][0]['content']); answer()");
    for (system, told) in [("Be brief. {system}\n", "Be brief. You know the weather."), ("Guess.", "Guess.")]
    {
        work.file("system.txt", system);
        work.run(&[&DRIVE[..], &["--system", "system.txt", "--allow-failures"]].concat()).ended(0);
        assert_eq!(work.read("told"), told);
    }
    let ran = work.run(&[&DRIVE[..], &["--system", "none.txt"]].concat()).ended(2);
    assert!(ran.stderr.contains("cannot read the instructions none.txt"), "{}", ran.stderr);
}

#[test]
fn all_tasks_are_driven_in_one_run() {
    let work = workspace("hear(); answer()");
    let drive = |inputs: &[&str]| {
        let more =
            ["--agent", "exec:python3 agent.py", "-o", "episodes.jsonl", "--limit", "30", "--allow-failures"];
        work.run(&[&["drive"], inputs, &more].concat()).ended(0);
        rows(&work, "episodes.jsonl")
    };
    let all = drive(&["langchain:*"]);
    assert_eq!(all.len(), 30);
    assert!(all[0]["id"].as_str().unwrap().starts_with("langchain:typewriter-1/"), "{}", all[0]["id"]);
    assert_eq!(drive(&["langchain:multiverse", "langchain:relational"])[29]["suite"], "langchain:relational");
    let dry = work
        .run(&["drive", "langchain:*", "--agent", "exec:python3 agent.py", "--dry-run", "--json"])
        .ended(0);
    let told: Value = serde_json::from_str(&dry.stdout).unwrap();
    assert_eq!((&told[0]["episodes"], &told[0]["next_turns"]), (&json!(84), &json!(84)));
}
