//! What is wrong with suites, agents and flags, and what people then read: before anybody is asked.

use std::fmt::Write;

use super::{TOOLS, traveller, trips};
use crate::support::server::Server;
use crate::support::workspace::{Workspace, shown};

fn workspace() -> Workspace {
    let work = Workspace::new();
    work.file("tools.json", TOOLS);
    work.file("suite.toml", trips(3));
    work.file("typo.toml", trips(1).replace("ordered", "orderd"));
    work.file("unfinished.toml", "name = \"x\n");
    work.file("suite.txt", trips(1));
    work.file(
        "clash.toml",
        "[[cases]]\nid = \"a\"\nuser_message = \"q\"\nshould_not_call_tools = true\n\
         tools = [{ name = \"a.b\" }, { name = \"a_b\" }]\n",
    );
    let case = |id: &str, category: &str| {
        format!(
            "[[cases]]\ntools = []\nid = \"{id}\"\ncategory = \"{category}\"\nuser_message = \"q\"\nshould_not_call_tools = true\n"
        )
    };
    work.file("categories.toml", case("a", "x") + &case("b", "y"));
    work.file("script.jsonl", "{\"case\": \"c0\", \"replies\": [\"In Hue.\"]}\n");
    work.file("other_script.jsonl", "{\"case\": \"c9\", \"replies\": [\"In Hue.\"]}\n");
    work.file(
        "bad_script.jsonl",
        "{\"case\": \"c0\", \"replies\": [\"In Hue.\"]}\n{\"case\": \"c1\", \"reply\": []}\n",
    );
    work.file("examples.json", "[{\"question\": ");
    work.file("no_table.csv", "question,passed\nwhy,true\n");
    work.file("theirs.jsonl", "{\"mine\": true}\n");
    work
}

#[test]
fn every_mistake_is_told_before_the_first_request() {
    let work = workspace();
    let server = Server::start(traveller);
    let model = ["--agent", "openai:m", "--base-url", &server.url];
    let of = |input: &[&str], more: &[&str]| -> Vec<String> {
        [&["drive"], input, more].concat().into_iter().map(str::to_owned).collect()
    };
    let suite = |more: &[&str]| of(&["suite.toml"], &[&model[..], more].concat());
    let alone = |more: &[&str]| of(&["suite.toml"], more);
    let cases: Vec<(&str, Vec<String>)> = vec![
        ("no suite", of(&[], &model)),
        ("a suite that is not there", of(&["none.toml"], &model)),
        ("a suite of no known format", of(&["suite.txt"], &model)),
        ("a suite that is no TOML", of(&["unfinished.toml"], &model)),
        ("an unknown key", of(&["typo.toml"], &model)),
        ("two tools under one name", of(&["clash.toml"], &model)),
        ("one suite twice", of(&["suite.toml", "suite.toml"], &model)),
        ("an unknown task", of(&["langchain:typewriter-2"], &model)),
        ("a task beside a suite", of(&["suite.toml", "langchain:multiverse"], &model)),
        ("no agent", alone(&[])),
        ("an agent that is no model", alone(&["--agent", "builtin"])),
        ("an unknown provider", alone(&["--agent", "acme:m"])),
        ("two agents at one address", suite(&["--agent", "openai:m"])),
        ("one agent twice", alone(&["--agent", "script:script.jsonl", "--agent", "script:script.jsonl"])),
        ("no key", alone(&["--agent", "openai:m"])),
        ("no such script", alone(&["--agent", "script:none.jsonl"])),
        ("no script's name", alone(&["--agent", "script:"])),
        ("a script with a mistake", alone(&["--agent", "script:bad_script.jsonl"])),
        ("a script for another case", alone(&["--agent", "script:other_script.jsonl"])),
        ("no such case", suite(&["--case", "c4"])),
        ("no such category", suite(&["--category", "forecast"])),
        ("a limit of none", suite(&["--limit", "0"])),
        (
            "filters that leave nothing together",
            of(&["categories.toml"], &[&model[..], &["--case", "a", "--category", "y"]].concat()),
        ),
        ("no repeats", suite(&["--repeats", "0"])),
        ("an unknown peer", suite(&["--compat", "langchian"])),
        ("a peer's loop with a suite", suite(&["--compat", "langchain"])),
        (
            "another peer's loop with a task",
            of(&["langchain:multiverse"], &[&model[..], &["--compat", "article"]].concat()),
        ),
        ("examples for a suite", suite(&["--examples", "examples.json"])),
        (
            "examples that are none",
            of(&["langchain:multiverse"], &[&model[..], &["--examples", "examples.json"]].concat()),
        ),
        ("an unknown scorer", suite(&["--scorer", "tool_evaluater"])),
        ("an unknown setting", suite(&["--set", "treshold=1"])),
        ("a grader that cannot grade", suite(&["--grade", "builtin"])),
        ("a template without a grader", suite(&["--template", "x.jinja"])),
        ("gold without a table", suite(&["--gold"])),
        ("an output that is an input", suite(&["-o", "suite.toml"])),
        ("one file for both tables", suite(&["-o", "e.jsonl", "--turns", "e.jsonl"])),
        ("a report in a table's place", suite(&["-o", "e.jsonl", "--junit", "e.jsonl"])),
        ("an output of another's", suite(&["-o", "theirs.jsonl"])),
        ("an output of no known format", suite(&["-o", "e.xlsx"])),
        ("a baseline that is no table of episodes", suite(&["--baseline", "no_table.csv"])),
        ("a baseline that is not there", suite(&["--baseline", "none.jsonl"])),
        ("a ceiling without a price", suite(&["--max-cost", "1"])),
        ("a share above 1", suite(&["--min-pass-rate", "90"])),
        ("no pass^k", suite(&["--min-pass-hat", "4:0.8"])),
    ];
    let mut page = String::new();
    let before = work.names();
    for (situation, args) in cases {
        let ran = work.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let told = ran.stderr.replace(&server.url, "http://SERVER/v1");
        writeln!(page, "{situation}: exit {}\n{}\n", ran.code.unwrap(), told.trim_end()).unwrap();
        assert!(ran.stdout.is_empty(), "{situation}: {}", ran.stdout);
        assert_eq!(server.requests(), 0, "{situation}");
        let mut names = work.names();
        names.retain(|name| name != ".tooljudge");
        assert_eq!(names, before, "{situation}");
    }
    shown("drive_errors", page.trim_end());
}
