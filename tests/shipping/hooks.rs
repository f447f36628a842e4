//! The hooks for pre-commit: which files each looks at, and what it says of good and bad ones.

use regex_lite::Regex;

use super::workflow::{read, text};
use crate::support::markdown::blocks;
use crate::support::workspace::{Ran, Workspace, repository};

const TOOLS: &str = r#"tools = [{ name = "look", parameters = { type = "object" } }]"#;

/// What pre-commit does: the hook's command, its arguments, and those of the changed files that it looks at.
fn commit(work: &Workspace, id: &str, changed: &[&str]) -> Option<Ran> {
    let hooks = read(".pre-commit-hooks.yaml");
    let hook = hooks.as_sequence().unwrap().iter().find(|hook| hook["id"].as_str() == Some(id)).unwrap();
    let looks_at = Regex::new(hook["files"].as_str().unwrap()).unwrap();
    let files: Vec<&str> = changed.iter().copied().filter(|file| looks_at.is_match(file)).collect();
    let page = std::fs::read_to_string(repository("docs/ci.md")).unwrap();
    let shown = blocks(&page).into_iter().find(|block| block.lines[0] == "repos:").unwrap().lines.join("\n");
    let shown: yaml_serde::Value = yaml_serde::from_str(&shown).unwrap();
    let used = shown["repos"][0]["hooks"].as_sequence().unwrap();
    let used = used.iter().find(|used| used["id"] == hook["id"]).expect("the page shows each hook");
    let args = used.get("args").or_else(|| hook.get("args"));
    let args: Vec<String> =
        args.and_then(|args| args.as_sequence()).into_iter().flatten().map(text).collect();
    let mut words = hook["entry"].as_str().unwrap().split(' ');
    assert_eq!(words.next(), Some("tooljudge"));
    let words: Vec<&str> =
        words.chain(args.iter().map(String::as_str)).chain(files.iter().copied()).collect();
    (!files.is_empty()).then(|| work.run(&words))
}

#[test]
fn calls_that_are_not_the_expected_ones_are_not_committed() {
    let work = Workspace::new();
    std::fs::create_dir(work.path("tests")).unwrap();
    let case = |called: &str| {
        format!(
            r#"{{"id":"a","tool_calls":[{{"name":"{called}","arguments":{{}}}}],"expected_tool_calls":[{{"name":"f","arguments":{{}}}}]}}"#
        )
    };
    work.file("cases.jsonl", case("f"));
    work.file("tests/cases.jsonl", case("g"));
    let commit = |changed: &[&str]| commit(&work, "tooljudge-score", changed);
    commit(&["cases.jsonl", "README.md"]).unwrap().ended(0);
    // The page's own cases, which hold whole conversations.
    let page = std::fs::read_to_string(repository("docs/ci.md")).unwrap();
    let (_, shown) = page.split_once("cat > cases.jsonl <<'END'\n").unwrap();
    std::fs::create_dir(work.path("shown")).unwrap();
    work.file("shown/cases.jsonl", shown.split_once("\nEND").unwrap().0);
    commit(&["shown/cases.jsonl"]).unwrap().ended(0);
    let ran = commit(&["cases.jsonl", "tests/cases.jsonl"]).unwrap().ended(1);
    assert!(ran.stderr.contains("FAIL a: "), "{}", ran.stderr);
    assert!(commit(&["src/main.rs", "showcases.jsonl", "cases.jsonl.gz"]).is_none());
}

#[test]
fn suites_with_a_mistake_are_not_committed() {
    let work = Workspace::new();
    std::fs::create_dir(work.path("suites")).unwrap();
    let case = "[[cases]]\nid = \"a\"\nuser_message = \"Sky?\"\n";
    work.file(
        "suites/good.toml",
        format!("{TOOLS}\n{case}expected_tool_calls = [{{ tool_name = \"look\" }}]\n"),
    );
    work.file(
        "suites/bad.toml",
        format!("{TOOLS}\n{case}expected_tool_calls = [{{ tool_name = \"loook\" }}]\n"),
    );
    let commit = |changed: &[&str]| commit(&work, "tooljudge-suites", changed);
    commit(&["suites/good.toml"]).unwrap().ended(0);
    let ran = commit(&["suites/bad.toml"]).unwrap().ended(2);
    assert!(ran.stderr.contains("suites/bad.toml:"), "{}", ran.stderr);
    assert!(commit(&["good.toml", "suites/README.md"]).is_none());
}
