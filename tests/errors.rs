//! What goes wrong, and what people then read: one snapshot of all messages.

use std::fmt::Write;

use crate::label_remote::numbered;
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Workspace, shown};

/// A folder as a user may have it.
fn workspace() -> Workspace {
    let work = Workspace::new();
    work.file("in.csv", numbered(3));
    work.file("template.jinja", "+++\nname = \"t\"\ntask = \"tool_calling\"\ndescription = \"d\"\npositive = \"a\"\nrails = [{label = \"a\", score = 1}, {label = \"b\", \
         score = 0}]\nvariables = [\"question\"]\n+++\n{{ question }} {{ tol_call }}");
    work.file("old.txt", "{question} {tool_call} {tool_definitions}");
    work.file("typo.txt", "{qestion} {tool_call}");
    work.file(
        "garbage.sqlite",
        "this is no database, and it is longer than a header of one hundred bytes would be, so that it is \
                                looked at and found to be none",
    );
    work.file("empty.json", "");
    work.file("tools.json", "[{\"nam\": 1}]");
    work
}

#[test]
fn every_mistake_is_told_in_words_that_help() {
    let work = workspace();
    let refusing = Server::start(|_| Answer::status(401, "Incorrect API key provided: sk-secret"));
    let unknown = Server::start(|_| Answer::Raw {
        status: 404,
        headers: Vec::new(),
        body: r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#.to_owned(),
    });
    let url = |server: &Server| server.url.clone();
    let (refused, missing) = (url(&refusing), url(&unknown));
    let model = ["label", "in.csv", "--judge", "openai:m"];
    let label =
        |more: &[&str]| [&["label", "in.csv"], more].concat().into_iter().map(str::to_owned).collect();
    let ask = |more: &[&str]| [&model[..], more].concat().into_iter().map(str::to_owned).collect();
    let cases: Vec<(&str, Vec<String>)> = vec![
        (
            "a template with an unknown variable",
            ask(&["--template", "template.jinja", "--base-url", "http://x"]),
        ),
        ("an old template with a mistyped name", ask(&["--template", "typo.txt", "--rails", "a,b"])),
        ("one rail only", ask(&["--template", "old.txt", "--rails", "correct"])),
        ("two rails alike", ask(&["--template", "old.txt", "--rails", "yes,Yes"])),
        ("no such template", ask(&["--template", "none.txt"])),
        ("an unknown task", label(&["--task", "tool"])),
        ("an unknown judge", label(&["--judge", "gpt-5"])),
        ("an unknown provider", label(&["--judge", "acme:m"])),
        ("no key", ask(&[])),
        ("no key under the name given", ask(&["--api-key-env", "MY_KEY"])),
        ("a base URL that is none", ask(&["--base-url", "localhost:8000"])),
        ("nobody at the endpoint", ask(&["--base-url", "http://127.0.0.1:9/v1", "--max-attempts", "1"])),
        ("plain http to another host", ask(&["--base-url", "http://judge.example/v1"])),
        (
            "no such host",
            ask(&["--base-url", "http://no-such-host.invalid/v1", "--max-attempts", "1", "--allow-http"]),
        ),
        ("a refused key", ask(&["--base-url", &refused])),
        ("an unknown model", ask(&["--base-url", &missing])),
        ("a store that is none", ask(&["--base-url", &refused, "--store", "garbage.sqlite"])),
        ("a store in a file's place", ask(&["--base-url", &refused, "--store", "in.csv/replies.sqlite"])),
        ("tool definitions that are none", label(&["--tools", "tools.json"])),
        ("no such file of tool definitions", label(&["--tools", "none.json"])),
        ("a wrong condition", label(&["--where", "id"])),
        ("a share above 1", label(&["--allow-unjudged", "50"])),
    ];
    let mut page = String::new();
    for (situation, args) in cases {
        let ran = work.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let told = ran.stderr.replace(&refused, "http://SERVER/v1").replace(&missing, "http://SERVER/v1");
        writeln!(page, "{situation}: exit {}\n{}", ran.code.unwrap(), told.trim_end()).unwrap();
        writeln!(page).unwrap();
        assert!(ran.stdout.is_empty(), "{situation}: {}", ran.stdout);
        assert!(!work.path("in.labeled.csv").exists(), "{situation}");
    }
    shown("errors", page.trim_end());
}
