//! LangChain Benchmarks' tasks, solved by an agent that knows how.

use serde_json::{Value, json};

use super::{issues, rows};
use crate::support::server::{Answer, Said, Seen, Server};
use crate::support::workspace::{Workspace, repository};

/// The questions as they are shipped.
fn questions() -> Value {
    serde_json::from_str(&std::fs::read_to_string(repository("datasets/langchain/questions.json")).unwrap())
        .unwrap()
}

/// What the user asked: the first message of a user.
fn question(seen: &Seen) -> String {
    let messages = seen.body["messages"].as_array().unwrap();
    messages.iter().find(|message| message["role"] == "user").unwrap()["content"].as_str().unwrap().to_owned()
}

/// Types letter by letter, and says nothing in the end.
fn typist(seen: &Seen) -> Answer {
    let word = question(seen);
    let letters: Vec<char> = word.chars().collect();
    let by_one = seen.tools().len() == 1;
    let press = |letter: char| match by_one {
        true => ("type_letter".to_owned(), json!({"letter": letter.to_string()})),
        false => (letter.to_string(), json!({})),
    };
    // Fifteen replies are fewer than some words have letters: three at a time.
    let typed = 3 * seen.turns();
    let mut said = Said::text("");
    for letter in letters.iter().skip(typed).take(3) {
        let (name, arguments) = press(*letter);
        said = said.and_call(&name, &arguments.to_string());
    }
    Answer::Turn(said)
}

#[test]
fn a_typist_passes_both_typewriters_and_may_end_without_a_word() {
    for task in ["langchain:typewriter-1", "langchain:typewriter-26"] {
        let (server, work) = (Server::start(typist), Workspace::new());
        let args = [
            "drive",
            "--agent-version",
            "1",
            "--allow-failures",
            task,
            "--agent",
            "openai:m",
            "--base-url",
            &server.url,
            "-o",
            "episodes.jsonl",
        ];
        let ran = work.run(&args).ended(0);
        assert!(ran.stdout.contains("passed   20 of 20 episodes"), "{task}: {}", ran.stdout);
        for row in rows(&work, "episodes.jsonl") {
            assert_eq!(
                (&row["ended"], &row["response"], &row["passed"]),
                (&json!("finished"), &json!(""), &json!(true)),
                "{row}"
            );
            assert_eq!(row["state"], row["question"], "{row}");
        }
        let stored = server.requests();
        let as_peer = work.run(&[&args[..], &["--compat", "langchain"]].concat()).ended(0);
        assert!(as_peer.stdout.contains("passed   20 of 20 episodes"), "{task}: {}", as_peer.stdout);
        assert_eq!(server.requests(), stored, "the same dialogues are stored already");
    }
}

#[test]
fn a_typist_who_slips_fails() {
    let server = Server::start(|seen| match question(seen).as_str() {
        "cat" if seen.turns() == 0 => Answer::Turn(Said::call("type_letter", &json!({"letter": "k"}))),
        "dog" if seen.turns() == 0 => Answer::Turn(Said::call("type_letter", &json!({"key": "d"}))),
        _ => typist(seen),
    });
    let work = Workspace::new();
    let args = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "langchain:typewriter-1",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
        "-o",
        "episodes.jsonl",
    ];
    work.run(&args).ended(0);
    for row in rows(&work, "episodes.jsonl") {
        let slipped = ["cat", "dog"].iter().any(|word| row["question"] == *word);
        assert_eq!(row["passed"], json!(!slipped), "{row}");
        assert_eq!(row["question"] == "dog", issues(&row).contains(&"invalid_arguments"), "{row}");
    }
}

/// Calls what is expected with any numbers, and answers with the number that is right: nobody else is to say so.
#[test]
fn a_single_number_is_graded_without_a_judge() {
    let known = questions();
    let solver = {
        let known = known.clone();
        move |seen: &Seen| {
            let asked = question(seen);
            let task = known["multiverse"]
                .as_array()
                .unwrap()
                .iter()
                .find(|task| task["question"] == asked.as_str())
                .unwrap();
            let steps = task["expected_steps"].as_array().unwrap();
            Answer::Turn(match steps.get(seen.turns()) {
                Some(tool) => {
                    let offered = seen.body["tools"].as_array().unwrap();
                    let definition =
                        offered.iter().find(|offered| offered["function"]["name"] == *tool).unwrap();
                    let fields = definition["function"]["parameters"]["properties"].as_object().unwrap();
                    let arguments: Value = fields.keys().map(|field| (field.clone(), json!(2))).collect();
                    Said::call(tool.as_str().unwrap(), &arguments)
                }
                None => Said::text(&format!("The result is {}.", task["answer"])),
            })
        }
    };
    let (server, work) = (Server::start(solver), Workspace::new());
    let args = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "langchain:multiverse",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
        "-o",
        "episodes.jsonl",
    ];
    let ran = work.run(&args);
    let episodes = rows(&work, "episodes.jsonl");
    assert_eq!(episodes.len(), known["multiverse"].as_array().unwrap().len());
    for row in &episodes {
        assert_eq!(
            (&row["passed"], &row["llm_reply"]),
            (&json!(true), &json!("CORRECT")),
            "{row}\n{}",
            ran.stderr
        );
    }
    ran.ended(0);
}

#[test]
fn another_number_is_wrong_and_words_are_left_open() {
    let server = Server::start(|seen| {
        let asked = question(seen);
        Answer::Turn(match asked.as_str() {
            "Add 2 and 3" if seen.turns() == 0 => Said::call("add", &json!({"a": 2, "b": 3})),
            "Add 2 and 3" => Said::text("It is 5."),
            "Subtract 3 from 2" if seen.turns() == 0 => Said::call("subtract", &json!({"a": 2, "b": 3})),
            "Subtract 3 from 2" => Said::text("Minus four."),
            _ => Said::text("I do not know."),
        })
    });
    let work = Workspace::new();
    let args = [
        "drive",
        "--agent-version",
        "1",
        "--allow-failures",
        "langchain:multiverse",
        "--limit",
        "2",
        "--agent",
        "openai:m",
        "--base-url",
        &server.url,
        "-o",
        "episodes.jsonl",
    ];
    work.run(&args);
    let episodes = rows(&work, "episodes.jsonl");
    let of = |question: &str| episodes.iter().find(|row| row["question"] == question).unwrap();
    assert_eq!(of("Add 2 and 3")["passed"], json!(false), "{}", of("Add 2 and 3"));
    assert_ne!(of("Subtract 3 from 2")["passed"], json!(true), "{}", of("Subtract 3 from 2"));
}
