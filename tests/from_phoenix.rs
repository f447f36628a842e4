//! What `docs/from-phoenix.md` promises.

use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

const OLD: &str = "You compare a question with a call.\n[Question]: {question}\n[Tool Called]: {tool_call}\n{\"json\": {}}\n\
                   [Tool Definitions]: {tool_definitions}\nAnswer correct or incorrect.\n";

#[test]
fn an_old_template_works_as_it_is() {
    let server = Server::start(|_| Answer::Text("CORRECT".to_owned()));
    let work = Workspace::new();
    work.file("old.txt", OLD);
    work.file("calls.csv", "question,tool_call\n\"Braces {tool_call} in a question\",\"f(a={'b': 1})\"\n");
    work.file("tools.json", r#"[{"name":"f","description":"does f","parameters":{"type":"object"}}]"#);
    let args = [
        "label",
        "calls.csv",
        "--template",
        "old.txt",
        "--rails",
        "correct,incorrect",
        "--tools",
        "tools.json",
        "--judge",
        "openai:m",
        "--base-url",
        &server.url,
    ];
    work.run(&args).ended(0);
    assert_eq!(work.column("calls.labeled.csv", "label"), ["correct"]);
    let seen = server.seen();
    let prompt = seen[0].prompt();
    assert!(prompt.contains("[Question]: Braces {tool_call} in a question\n"), "{prompt}");
    assert!(prompt.contains("[Tool Called]: f(a={'b': 1})\n{\"json\": {}}\n"), "{prompt}");
    assert!(prompt.contains("does f"), "{prompt}");
}
