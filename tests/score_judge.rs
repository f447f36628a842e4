//! Scores of which a judge says a part.

use serde_json::{Value, json};

use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace};

fn case(id: &str, called: &str, available: &[&str]) -> Value {
    let available: Vec<Value> =
        available.iter().map(|name| json!({"name": name, "description": format!("does {name}")})).collect();
    json!({
        "id": id,
        "input": format!("Please {id}"),
        "tools_called": [{"name": called, "input_parameters": {"q": id}}],
        "expected_tools": [{"name": "search"}],
        "available_tools": available,
    })
}

fn lines(cases: &[Value]) -> String {
    cases.iter().map(|case| format!("{case}\n")).collect()
}

fn score(work: &Workspace, server: &Server, args: &[&str]) -> Ran {
    let base = [
        "score",
        "--allow-failures",
        "in.jsonl",
        "-o",
        "out.jsonl",
        "--force",
        "--judge",
        "openai:m",
        "--base-url",
        &server.url,
    ];
    work.run(&[&base[..], args].concat())
}

fn rows(work: &Workspace) -> Vec<Value> {
    work.read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn tools_to_choose_from_can_be_given_for_all_cases() {
    let work = Workspace::new();
    let mut bare = case("bare", "search", &[]);
    bare.as_object_mut().unwrap().remove("available_tools");
    work.file("in.jsonl", lines(&[bare, case("none", "search", &[])]));
    let server = Server::start(|seen| {
        let prompt = seen.prompt();
        assert!(prompt.contains("Please bare") && prompt.contains("sends a letter"), "{prompt}");
        Answer::label("mixed")
    });
    let tools = r#"available_tools=[{"name":"search"},{"name":"mail","description":"sends a letter"}]"#;
    score(&work, &server, &["--scorer", "tool_correctness", "--set", tools]).ended(0);
    let scores: Vec<Value> = rows(&work).iter().map(|row| row["score"].clone()).collect();
    assert_eq!(scores, [json!(0.5), json!(1.0)]);
}

#[test]
fn the_lower_of_both_scores_counts() {
    let work = Workspace::new();
    let answered = json!({"selection": {"score": 0.25, "reason": "asked before"}});
    let mut known = case("known", "search", &["search", "mail"]);
    known.as_object_mut().unwrap().extend(answered.as_object().unwrap().clone());
    let cases = [
        case("good", "search", &["search", "mail"]),
        case("doubtful", "search", &["search", "mail"]),
        case("wrong", "mail", &["search", "mail"]),
        case("unasked", "search", &[]),
        known,
        case("broken", "search", &["search"]),
    ];
    work.file("in.jsonl", lines(&cases));
    let server = Server::start(|seen| match seen.prompt() {
        prompt if prompt.contains("Please doubtful") => Answer::label("mixed"),
        prompt if prompt.contains("Please broken") => Answer::status(400, "no"),
        _ => Answer::label("all_right"),
    });
    let ran = score(&work, &server, &["--scorer", "tool_correctness"]).ended(0);
    assert!(
        ran.stdout.contains("judge    openai:m (tool_selection_five) was asked about 4 cases, "),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("the judge gave no label for 1 of 4 cases (1 errored)"), "{}", ran.stderr);
    let scores: Vec<(Value, Value)> =
        rows(&work).iter().map(|row| (row["score"].clone(), row["error"].clone())).collect();
    let told: Vec<&Value> = scores.iter().map(|(score, _)| score).collect();
    assert_eq!(told, [&json!(1.0), &json!(0.5), &json!(0.0), &json!(1.0), &json!(0.25), &Value::Null]);
    assert!(
        scores[5].1.as_str().unwrap().starts_with("NoVerdict: the judge gave no label: "),
        "{:?}",
        scores[5]
    );
    assert_eq!(
        server.asked().len(),
        4,
        "nothing is asked where there is nothing to choose from, or an answer: {}",
        ran.stderr
    );
    let seen = server.seen();
    let prompt = seen.iter().map(|seen| seen.prompt()).find(|prompt| prompt.contains("Please good")).unwrap();
    assert!(prompt.contains("does mail") && prompt.contains("\"all_right\""), "{prompt}");
    // As the peer scores: the same minimum, and what was paid for is not asked again.
    let asked = server.requests();
    let peer = score(&work, &server, &["--compat", "deepeval"]).ended(0);
    let again: Vec<Value> = rows(&work).iter().map(|row| row["score"].clone()).collect();
    assert_eq!(again[..5], [json!(1.0), json!(0.5), json!(0.0), json!(1.0), json!(0.25)], "{}", peer.stderr);
    let again = server.seen().split_off(asked);
    assert!(
        again.iter().all(|seen| seen.prompt().contains("Please broken")),
        "only what failed is asked again"
    );
}

#[test]
fn an_answer_is_graded_where_the_record_asks_for_it() {
    let work = Workspace::new();
    let case = |output: &str, evaluation: &str| {
        json!({
            "question": "What is 2 + 2?",
            "run": {"actual_steps": ["add"], "output": output},
            "example": {"expected_steps": ["add"], "reference": "4"},
            "output_evaluation": evaluation,
        })
    };
    work.file("in.jsonl", lines(&[case("It is 4.", "qa"), case("It is 5.", "qa"), case("It is 5.", "none")]));
    let server = Server::start(|seen| {
        Answer::label(if seen.prompt().contains("It is 4.") { "correct" } else { "incorrect" })
    });
    let ran = score(&work, &server, &["--scorer", "trajectory"]).ended(0);
    let passed: Vec<Value> = rows(&work).iter().map(|row| row["passed"].clone()).collect();
    assert_eq!(passed, [json!(true), json!(false), json!(true)], "{} {:?}", ran.stdout, rows(&work));
    assert_eq!(server.requests(), 2);
}

#[test]
fn a_judge_that_nobody_needs_is_said_to_be_so() {
    let work = Workspace::new();
    work.file("in.jsonl", lines(&[case("a", "search", &[])]));
    let server = Server::start(|_| Answer::label("all_right"));
    let ran = score(&work, &server, &["--scorer", "tool_correctness"]).ended(0);
    assert!(ran.stderr.contains("no case leaves anything for a judge to say"), "{}", ran.stderr);
    let ran = score(&work, &server, &["--scorer", "loop_detection"]).ended(2);
    assert!(
        ran.stderr.contains("loop_detection compares calls and asks nobody; these scorers take a judge: tool_correctness, trajectory"),
        "{}",
        ran.stderr
    );
    let ran = work
        .run(&["score", "--allow-failures", "in.jsonl", "--scorer", "tool_correctness", "--rpm", "5"])
        .ended(0);
    assert!(
        ran.stderr.contains("--rpm does nothing without --judge")
            || ran.stderr.contains("does nothing without --judge"),
        "{}",
        ran.stderr
    );
    assert_eq!(server.requests(), 0);
}
