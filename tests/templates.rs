//! `templates`: list, show, check.

use tooljudge::domain::Task;

use crate::support::server::{Answer, Server};
use crate::support::workspace::{Workspace, repository};

#[test]
fn any_template_can_ask_for_explanations() {
    const FENCED: &str = "```json\n{\"explanation\": \"Oslo was asked for.\", \"label\": \"incorrect\"}\n```";
    for reply in [
        FENCED,
        r#"{"explanation": "Oslo was asked for.", "label": "incorrect"}"#,
        "Explanation: Oslo was asked for.\nLabel: incorrect",
    ] {
        let work = Workspace::new();
        work.file("in.csv", "question,tool_call\nWeather in Oslo?,f(city='Bergen')\n");
        work.file("mine.txt", "{question}\n{tool_call}\nAnswer with the single word correct or incorrect.");
        let server = Server::start(move |_| Answer::Text(reply.to_owned()));
        let flags =
            ["--base-url", &server.url, "--template", "mine.txt", "--explain", "--tools", "tools.txt"];
        work.file("tools.txt", "f: weather of a city");
        let ran =
            work.run(&[&["label", "in.csv", "--judge", "openai:m", "-o", "out.csv"], &flags[..]].concat());
        let ran = ran.ended(0);
        let said = "warning: the template mine does not ask for explanations";
        assert_eq!(ran.stderr.matches(said).count(), 1, "{}", ran.stderr);
        assert_eq!(work.column("out.csv", "label"), ["incorrect"], "{reply}");
        assert_eq!(work.column("out.csv", "explanation"), ["Oslo was asked for."], "{reply}");
        let seen = server.seen();
        let prompt = seen[0].prompt();
        let end = r#"Then "label": "correct" or "incorrect"."#;
        assert!(
            prompt.contains("single word correct or incorrect.\n\n") && prompt.ends_with(end),
            "{prompt}"
        );
    }
}

#[test]
fn a_run_says_that_its_template_asks_for_other_labels() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call\nq,f()\n");
    work.file("mine.txt", "{question} {tool_call} Answer valid or invalid.");
    let dry = |flags: &[&str]| {
        let args = ["label", "in.csv", "--judge", "openai:m", "--dry-run", "--template", "mine.txt"];
        work.run(&[&args[..], flags].concat()).ended(0).stderr
    };
    assert!(dry(&[]).contains("never names the labels `correct` and `incorrect`"));
    assert!(!dry(&["--rails", "valid,invalid"]).contains("never names"));
}

#[test]
fn what_is_shown_can_be_checked_and_used() {
    let work = Workspace::new();
    let list = work.run(&["templates", "list"]).ended(0).stdout;
    let names: Vec<&str> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, Task::ALL.map(Task::as_str));
    for name in names {
        let shown = work.run(&["templates", "show", name]).ended(0).stdout;
        work.file("mine.jinja", shown);
        let checked = work.run(&["templates", "check", "mine.jinja"]).ended(0).stdout;
        let (pass, fail) = name.parse::<Task>().unwrap().labels();
        assert!(checked.contains(pass) && checked.contains(fail), "{checked}");
        assert!(checked.contains("explains yes") && checked.contains("shows    "), "{checked}");
    }
}

#[test]
fn mistakes_are_named() {
    let work = Workspace::new();
    work.file("unknown.txt", "{question} {tool_call} {tool_defs}");
    work.file("missing.txt", "{question}");
    work.file("other.txt", "{question} {tool_call} Answer valid or invalid.");
    work.file(
        "bare.jinja",
        "{{ question }} {{ tool_call }}\n{% if explain %}Why?{% endif %} correct or incorrect?",
    );
    for (file, words) in [
        ("unknown.txt", "unknown variable `tool_defs`"),
        ("missing.txt", "`tool_call` never used"),
        ("other.txt", "never names the labels `correct` and `incorrect`"),
        ("bare.jinja", "line 2: `{% if explain %}` is Jinja, but the file has no front matter"),
        ("nothing.txt", "cannot read the template nothing.txt"),
    ] {
        let ran = work.run(&["templates", "check", file]).ended(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    work.run(&["templates", "check", "other.txt", "--rails", "valid,invalid"]).ended(0);
    assert!(work.run(&["templates", "show", "nope"]).ended(2).stderr.contains("templates list"));
}

/// What each evaluator file of another tool becomes: what `check` says of it, and the prompt that a judge gets.
#[test]
fn evaluator_files_of_other_tools_are_templates() {
    const FILES: [&str; 7] = [
        "phoenix.yaml",
        "input_accuracy.prompty",
        "call_accuracy.prompty",
        "mlflow.json",
        "mlflow.txt",
        "label_model.json",
        "score_model.json",
    ];
    let work = Workspace::new();
    work.file(
        "in.csv",
        "question,tool_call,tool_definitions,answer,tool_result,policy,reference\nWeather in Oslo?,get_weather(city='Oslo'),get_weather: \
         weather of a city,It rains.,\"{\"\"rain\"\": true}\",be brief,one call\n",
    );
    let mut seen = String::new();
    for file in FILES {
        let path = repository("tests/cases/evaluators").join(file);
        work.file(file, std::fs::read(path).unwrap());
        let checked = work.run(&["templates", "check", file]).ended(0);
        let dry = work
            .run(&[
                "label",
                "in.csv",
                "--judge",
                "openai:m",
                "--base-url",
                "http://localhost:9",
                "--template",
                file,
                "--dry-run",
            ])
            .ended(0);
        let prompt = dry.stdout.split("\n judge ").next().unwrap();
        seen.push_str(&format!("{}\n{prompt}\n{}\n", checked.stdout, dry.stderr));
    }
    insta::assert_snapshot!("evaluator_files", seen);
}

#[test]
fn labels_that_an_evaluator_file_leaves_open_are_named_by_the_user() {
    let work = Workspace::new();
    work.file(
        "grader.json",
        r#"{"type": "score_model", "name": "g", "model": "m", "input": [{"role": "user", "content": "{{item.question}} {{sample.output_tools}}: 1 or 0?"}]}"#,
    );
    work.file("in.csv", "question,tool_call\nq,f()\n");
    for command in [
        &["templates", "check", "grader.json"][..],
        &[
            "label",
            "in.csv",
            "--judge",
            "openai:m",
            "--base-url",
            "http://localhost:9",
            "--dry-run",
            "--template",
            "grader.json",
        ],
    ] {
        let refused = work.run(command).ended(2).stderr;
        assert!(refused.contains("any number from 0 to 1") && refused.contains("--rails 1,0"), "{refused}");
        work.run(&[command, &["--rails", "1,0"]].concat()).ended(0);
    }
}

/// The variables of other tools' files, and of one's own, come from columns with other names.
#[test]
fn a_variable_can_show_any_column() {
    const PHOENIX: &str = "name: grounded\noptimization_direction: maximize\nchoices:\n  grounded: 1\n  invented: 0\nmessages:\n  - \
                           role: user\n    content: |\n      Asked: {{input}}\n      Called: {{tool_call}}\n      Text: {{document_text}}\n";
    let server = Server::start(|_| Answer::Text("grounded".to_owned()));
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,body\nHow long?,f(),It takes an hour.\n");
    work.file("phoenix.yaml", PHOENIX);
    work.file("mine.txt", "{question} {tool_call} {document_text} Answer correct or incorrect.");
    let run = |more: &[&str]| {
        let args =
            ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url, "--force", "-o", "out.csv"];
        work.run(&[&args[..], more].concat())
    };
    run(&["--template", "phoenix.yaml", "--column", "document_text=body"]).ended(0);
    assert_eq!(work.column("out.csv", "label"), ["grounded"]);
    assert!(server.seen()[0].prompt().contains("Text: It takes an hour.\n"), "{}", server.seen()[0].prompt());
    let dry = run(&["--template", "mine.txt", "--column", "document_text=body", "--dry-run", "1"]).ended(0);
    assert!(dry.stdout.contains("f() It takes an hour. Answer"), "{}", dry.stdout);
    for (flags, words) in [
        (
            &["--template", "mine.txt"][..],
            "unknown variable `document_text`; a template can use question, tool_call, tool_definitions, tool_result, next_message, \
             response, transcript, reference, expected_tool_calls, explain, and any column by its name as row[\"column\"]; or say --column document_text=COLUMN",
        ),
        (
            &["--template", "phoenix.yaml", "--column", "documnet_text=body"],
            "--column documnet_text=body: no template has a variable `documnet_text`; `documnet_text` is not one of question,",
        ),
        (&["--column", "questoin=body"], "did you mean `question`?"),
        (
            &["--column", "body=document_text", "--template", "phoenix.yaml"],
            "no template has a variable `body`",
        ),
        (
            &["--template", "phoenix.yaml", "--column", "document_text=text"],
            "a template shows `row[\"text\"]`, but there is no such column",
        ),
        (
            &["--column", "output=body"],
            "in a template, `output` is the response: say which column holds that, as response=body",
        ),
        (
            &[
                "--template",
                "mine.txt",
                "--column",
                "document_text=body",
                "--column",
                "document_text=response",
            ],
            "the variable `document_text` is mapped to more than one column",
        ),
        (&["--column", "body=question"], "what it holds comes first: `question=body`"),
    ] {
        let ran = run(flags).ended(2);
        assert!(ran.stderr.contains(words), "{flags:?}: {}", ran.stderr);
    }
    // Where there is no template, there is no variable.
    let ran = work.run(&["convert", "in.csv", "--column", "document_text=body"]).ended(2);
    assert!(
        ran.stderr.contains("--column document_text=body: `document_text` is not one of"),
        "{}",
        ran.stderr
    );
}
