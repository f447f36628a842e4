//! `convert` and `label` on transcripts of several files: their ids, copies, errors, and what their judges are shown.

use tooljudge::domain::Json;
use tooljudge_laws::fixtures::folder;

use crate::support::workspace::{Workspace, shown};

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| Json::parse(line).unwrap()).collect()
}

fn field<'a>(line: &'a Json, key: &str) -> &'a str {
    line.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// Two transcripts of one id are two, unless they say the same; a session that was copied into another is judged once.
#[test]
fn transcripts_of_one_id_are_told_apart() {
    let work = Workspace::new();
    let chat = |asked: &str, call: &str| {
        format!(
            r#"{{"id":"x","messages":[{{"role":"user","content":"{asked}"}},
                {{"role":"assistant","tool_calls":[{{"id":"{call}","function":{{"name":"f","arguments":"{{}}"}}}}]}}]}}"#
        )
        .replace('\n', "")
    };
    let head = |id: &str| format!(r#"{{"timestamp":"t","type":"session_meta","payload":{{"id":"{id}"}}}}"#);
    let item = |payload: &str| format!(r#"{{"timestamp":"t","type":"response_item","payload":{payload}}}"#);
    let asked = item(r#"{"type":"message","role":"user","content":"Go"}"#);
    let call = |id: &str| {
        let call = format!(r#"{{"type":"function_call","name":"f","arguments":"{{}}","call_id":"{id}"}}"#);
        let output = format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"ok"}}"#);
        format!("{}\n{}", item(&call), item(&output))
    };
    work.file("a.jsonl", chat("A", "c1"));
    work.file("b.jsonl", chat("B", "c2"));
    work.file("both.jsonl", format!("{}\n{}", chat("A", "c1"), chat("B", "c2")));
    work.file("copy.jsonl", chat("A", "c1"));
    work.file("first.jsonl", [head("s1"), asked.clone(), call("c1"), call("c2")].join("\n"));
    work.file("same.jsonl", work.read("first.jsonl"));
    work.file("longer.jsonl", [work.read("first.jsonl"), call("c4")].join("\n"));
    work.file("fork.jsonl", [head("s2"), head("s1"), asked.clone(), call("c1"), call("c3")].join("\n"));
    // The same words, but other calls: no copy.
    work.file("like.jsonl", [head("s3"), asked, call("c9")].join("\n"));
    for (inputs, flagged, expected) in [
        (&["a.jsonl", "b.jsonl"][..], true, &["x", "x~2"][..]),
        (&["both.jsonl"], true, &["x", "x~2"]),
        (&["a.jsonl", "copy.jsonl"], false, &["x"]),
        (&["first.jsonl", "same.jsonl", "longer.jsonl"], false, &["s1@1", "s1@2", "s1@3"]),
        (&["first.jsonl", "fork.jsonl", "like.jsonl"], false, &["s1@1", "s1@2", "s2@2", "s3"]),
        (&["fork.jsonl", "first.jsonl"], false, &["s2@1", "s2@2", "s1@2"]),
    ] {
        work.run(&[&["convert", "-o", "out.jsonl", "--force", "--quiet"], inputs].concat()).ended(0);
        let rows = lines(&work.read("out.jsonl"));
        let ids: Vec<&str> = rows.iter().map(|row| field(row, "source_id")).collect();
        assert_eq!(ids, expected, "{inputs:?}");
        for row in &rows {
            let flags = row.get("flags").unwrap().to_string();
            assert_eq!(flags.contains("repeated_transcript_id"), flagged, "{inputs:?}");
            assert!(field(row, "source_id").starts_with(field(row, "transcript_id")), "{row}");
        }
    }
    let summary = work.run(&["convert", "--summary", "first.jsonl", "fork.jsonl"]).ended(0).stdout;
    assert!(summary.contains("repeated") && summary.contains("calls not taken"), "{summary}");
}

/// A chat that is logged again with every request is judged once, also where its records have no id.
#[test]
fn a_growing_chat_without_an_id_is_judged_once() {
    let work = Workspace::new();
    let asked = r#"{"role":"user","content":"find a"}"#.to_owned();
    let step = |id: &str, said: &str| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"{id}","content":"{said}"}}"#
        )
    };
    let steps =
        [asked, step("c1", "7"), step("c2", "8"), r#"{"role":"assistant","content":"Done"}"#.to_owned()];
    let chat = |messages: &[String]| format!(r#"{{"messages":[{}]}}"#, messages.join(","));
    let other = chat(&[steps[0].clone(), step("c1", "9")]);
    let grown: Vec<String> = (2..=4).map(|length| chat(&steps[..length])).collect();
    work.file("chats.jsonl", [grown.join("\n"), other].join("\n"));
    work.run(&["convert", "chats.jsonl", "-o", "out.jsonl", "--quiet"]).ended(0);
    let ids: Vec<String> = lines(&work.read("out.jsonl"))
        .iter()
        .map(|row| format!("{} {}", field(row, "transcript_id"), row.get("tool_results").unwrap()))
        .collect();
    assert_eq!(ids.len(), 3, "two turns of the chat, and the one of another result: {ids:#?}");
}

/// A log in which nothing can be judged fails, unless rows were chosen.
#[test]
fn a_log_without_anything_to_judge_fails() {
    let work = Workspace::new();
    work.file(
        "spans.jsonl",
        r#"{"name":"tool","context":{"trace_id":"t","span_id":"s"},"start_time":"2026-01-01T00:00:00Z","attributes":{"gen_ai.operation.name":"execute_tool"},"events":[]}"#,
    );
    let failed = work.run(&["label", "spans.jsonl", "--judge", "builtin", "-o", "out.csv"]).ended(1);
    assert!(failed.stderr.contains("none of its records is a model call"), "{}", failed.stderr);
    let failed = work.run(&["convert", "spans.jsonl", "-o", "out.jsonl"]).ended(1);
    assert!(failed.stderr.contains("nothing in the input can be judged"), "{}", failed.stderr);
    work.run(&["convert", "spans.jsonl", "-o", "all.jsonl", "--all"]).ended(0);
    work.run(&["label", "spans.jsonl", "--judge", "builtin", "-o", "few.csv", "--allow-unjudged", "1"])
        .ended(0);
}

/// Lines of one conversation belong together by the file or the folder that holds them.
#[test]
fn lines_are_joined_by_the_name_of_their_file() {
    let work = Workspace::new();
    let line = |session: &str, uuid: &str, parent: &str, kind: &str, content: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"sessionId":"{session}","message":{{"role":"{kind}","content":{content}}}}}"#
        )
    };
    let resumed = [
        line("s1", "u1", "null", "user", r#""Delete the old branch""#),
        line(
            "s2",
            "a1",
            r#""u1""#,
            "assistant",
            r#"[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]"#,
        ),
    ];
    work.file("session.jsonl", resumed.join("\n"));
    let events = work.path("runs/c1/events");
    std::fs::create_dir_all(&events).unwrap();
    for (name, event) in [
        (
            "event-00010-b.json",
            r#"{"kind":"ActionEvent","source":"agent","tool_name":"f","tool_call":{"name":"f","arguments":"{}"}}"#,
        ),
        (
            "event-00009-a.json",
            r#"{"kind":"MessageEvent","source":"user","llm_message":{"role":"user","content":"Fix it."}}"#,
        ),
    ] {
        std::fs::write(events.join(name), event).unwrap();
    }
    for (input, name, asked) in [("session.jsonl", "s2", "Delete the old branch"), ("runs", "c1", "Fix it.")]
    {
        work.run(&["convert", input, "-o", "rows.jsonl", "--force", "--quiet"]).ended(0);
        let rows = lines(&work.read("rows.jsonl"));
        let [row] = &rows[..] else { panic!("{rows:#?}") };
        assert_eq!((field(row, "transcript_id"), field(row, "question")), (name, asked), "{row}");
        assert!(!row.get("flags").unwrap().to_string().contains("missing_parent"), "{row}");
    }
}

/// Chats that nobody answered are named, with what to do about them.
#[test]
fn chats_that_nobody_answered_are_named() {
    let work = Workspace::new();
    std::fs::create_dir(work.path("runs")).unwrap();
    for name in ["runs/1.json", "runs/2.json"] {
        work.file(name, r#"{"messages":[{"role":"user","content":"find a"}],"tools":[]}"#);
    }
    for command in ["label", "convert"] {
        let failed = work.run(&[command, "runs", "-o", "out.jsonl"]).ended(2);
        for said in ["1.json and 1 more: nobody answers", "--column tool_call=COLUMN"] {
            assert!(failed.stderr.contains(said), "{}", failed.stderr);
        }
    }
    // Whoever names the column of calls is believed.
    work.file(
        "calls.jsonl",
        r#"{"messages":[{"role":"user","content":"find a"}],"question":"find a","did":"f(x='a')"}"#,
    );
    work.run(&["convert", "calls.jsonl", "--column", "tool_call=did", "-o", "rows.jsonl"]).ended(0);
}

/// A turn that cannot be read says where it stands.
#[test]
fn errors_say_which_turn_they_are() {
    let work = Workspace::new();
    let log = r#"{"id":"e","messages":[{"role":"user","content":"A"},
        {"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"B"},
        {"role":"assistant","tool_calls":[{"id":"a","function":{"arguments":"{}"}}]}]}"#;
    work.file("log.jsonl", log.replace('\n', ""));
    work.run(&["convert", "log.jsonl", "--all", "-o", "rows.jsonl", "--quiet"]);
    work.run(&["label", "log.jsonl", "-o", "labels.jsonl", "--quiet"]);
    for file in ["rows.jsonl", "labels.jsonl"] {
        let rows = lines(&work.read(file));
        let row = rows.iter().find(|row| row.get("turn").unwrap().to_string() == "2").unwrap();
        assert_eq!((field(row, "transcript_id"), field(row, "source_id")), ("e", "e@2"), "{file}: {row}");
        assert!(row.to_string().contains("tool_call_without_name"), "{file}: {row}");
    }
}

/// What judges see of transcripts, without the words around it, which other tests know.
#[test]
fn prompts_show_what_the_agent_saw() {
    let work = Workspace::new();
    for (name, file) in [
        ("chats", "transcripts/chats.jsonl"),
        ("claude_code", "own/logs/claude_code.jsonl"),
        ("atif", "own/logs/atif.json"),
    ] {
        let file = folder().join(file).display().to_string();
        let said = work.run(&["label", &file, "--judge", "openai:m", "--dry-run", "99"]).ended(0).stdout;
        let prompts: Vec<&str> = said.split("The conversation:\n").skip(1).collect();
        let prompts = prompts.iter().map(|prompt| prompt.split("Reply with one").next().unwrap().trim_end());
        let mut text = String::new();
        for line in prompts.collect::<Vec<_>>().join("\n\n=====\n\n").lines() {
            // The marks of what was logged depend on the words around it.
            if !(line.starts_with("[begin ") || line.starts_with("[end ")) {
                text.push_str(line);
                text.push('\n');
            }
        }
        shown(&format!("transcript_prompts_{name}"), &text);
    }
}

/// What could not be read in a log is no call, no "nothing called" and no error in the table that it is converted to.
#[test]
fn what_was_unread_stays_unread() {
    let work = Workspace::new();
    let texts = [
        r#"<tool_call>{"name": "f", "arguments": {"a": </tool_call>"#,
        r#"I call it. <tool_call>{"name": "f", "arguments": {}}</tool_call> <tool_call>{"name": "#,
        "[TOOL_CALLS]f[ARGS]{\"a\":",
        r#"{"name":"f","x":{"a":1}}"#,
        "[f(a=1), f(",
        "[f(a=1",
    ];
    let chat = |(at, text): (usize, &&str)| {
        format!(
            r#"{{"id":"m{at}","messages":[{{"role":"user","content":"Go"}},{{"role":"assistant","content":{}}}],
                "tools":[{{"name":"f","parameters":{{"type":"object","properties":{{"a":{{}}}}}}}}]}}"#,
            Json::from(*text)
        )
        .replace('\n', "")
    };
    let log: Vec<String> = texts.iter().enumerate().map(chat).collect();
    work.file("log.jsonl", log.join("\n"));
    work.run(&["convert", "log.jsonl", "-o", "direct.jsonl"]).ended(0);
    let direct = lines(&work.read("direct.jsonl"));
    assert_eq!(direct.len(), texts.len());
    for row in &direct {
        assert!(
            row.get("tool_calls").unwrap().is_null() && row.to_string().contains("raw_tool_call"),
            "{row}"
        );
    }
    for table in ["rows.jsonl", "rows.csv", "rows.parquet"] {
        work.run(&["convert", "log.jsonl", "-o", table]).ended(0);
        work.run(&["convert", table, "-o", "again.jsonl", "--force"]).ended(0);
        let again = lines(&work.read("again.jsonl"));
        assert_eq!(again.len(), direct.len(), "{table}");
        for (row, expected) in again.iter().zip(&direct) {
            for key in ["tool_calls", "raw", "flags", "messages"] {
                assert_eq!(row.get(key), expected.get(key), "{table}: {key}");
            }
        }
    }
}

#[test]
fn a_long_transcript_needs_no_column_of_conversations() {
    let work = Workspace::new();
    let log = crate::support::workspace::repository("datasets/support.jsonl");
    let log = log.to_str().unwrap();
    work.run(&["label", log, "-o", "all.csv", "--allow-unjudged", "1"]).ended(0);
    work.run(&[
        "label",
        log,
        "-o",
        "few.csv",
        "--allow-unjudged",
        "1",
        "--drop",
        "messages",
        "--drop",
        "tool_definitions",
    ])
    .ended(0);
    let (all, few) = (work.rows("all.csv"), work.rows("few.csv"));
    assert!(all[0].contains_key("messages") && !few[0].contains_key("messages"));
    for column in ["label", "explanation", "tool_call", "transcript_id", "turn"] {
        let of = |rows: &[std::collections::HashMap<String, String>]| {
            rows.iter().map(|row| row[column].clone()).collect::<Vec<_>>()
        };
        assert_eq!(of(&all), of(&few), "{column}");
    }
    let ran = work.run(&["label", log, "-o", "no.csv", "--drop", "mesages"]).ended(2);
    assert!(
        ran.stderr.contains("--drop: there is no column `mesages`; did you mean `messages`?"),
        "{}",
        ran.stderr
    );
}

/// A conversation that is logged again with every request is judged once, and stays one conversation.
#[test]
fn a_growing_conversation_is_one() {
    let work = Workspace::new();
    let call = |id: &str| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{\"a\":\"{id}\"}}"}}}}]}}"#
        )
    };
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"ok"}}"#);
    let user = r#"{"role":"user","content":"Do a and b."}"#;
    let record = |messages: &[String]| format!(r#"{{"id":"g","messages":[{}]}}"#, messages.join(","));
    let first = vec![user.to_owned(), call("a")];
    let second: Vec<String> = first.iter().cloned().chain([result("a"), call("b")]).collect();
    let third: Vec<String> = second.iter().cloned().chain([result("b"), call("c")]).collect();
    let log = [record(&first), record(&second), record(&third)].join("\n");
    work.file("grow.jsonl", log);
    work.run(&["convert", "grow.jsonl", "-o", "rows.jsonl"]).ended(0);
    let rows = lines(&work.read("rows.jsonl"));
    let calls: Vec<String> = rows.iter().map(|row| row.get("tool_calls").unwrap().to_string()).collect();
    assert_eq!(calls.len(), 3, "{calls:?}");
    for (row, id) in rows.iter().zip(["a", "b", "c"]) {
        assert_eq!(field(row, "transcript_id"), "g");
        assert!(row.get("tool_calls").unwrap().to_string().contains(&format!(r#""a":"{id}""#)));
    }
    let summary = work.run(&["convert", "grow.jsonl", "--summary"]).ended(0).stdout;
    assert!(summary.contains("repeated"), "{summary}");
}

/// No name that is given to a transcript is another one's own.
#[test]
fn given_names_are_not_taken() {
    let work = Workspace::new();
    let chat = |id: &str, asked: &str| {
        format!(
            r#"{{"id":"{id}","messages":[{{"role":"user","content":"{asked}"}},{{"role":"assistant","tool_calls":[{{"function":{{"name":"f","arguments":"{{}}"}}}}]}}]}}"#
        )
    };
    work.file("in.jsonl", [chat("x", "one"), chat("x", "two"), chat("x~2", "three")].join("\n"));
    work.run(&["convert", "in.jsonl", "-o", "rows.jsonl"]).ended(0);
    let names: std::collections::BTreeSet<String> =
        lines(&work.read("rows.jsonl")).iter().map(|row| field(row, "transcript_id").to_owned()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

/// Runs of one case look alike up to their first call, which a framework may give the same id in each.
#[test]
fn runs_that_only_begin_alike_are_no_copies() {
    let work = Workspace::new();
    let run = |id: &str, degrees: u32| {
        format!(
            r#"{{"id": "{id}", "messages": [{{"role": "user", "content": "Weather in Oslo?"}}, {{"role": "assistant", "content": null, "tool_calls": [{{"id": "call_0", "type": "function", "function": {{"name": "weather", "arguments": "{{\"city\": \"Oslo\"}}"}}}}]}}, {{"role": "tool", "tool_call_id": "call_0", "content": "{degrees} degrees"}}, {{"role": "assistant", "content": "It is {degrees} degrees."}}]}}"#
        )
    };
    let unnamed = run("run-1", 7).replace(r#""id": "run-1", "#, "");
    work.file("runs.jsonl", [run("run-1", 7), run("run-2", 9), unnamed, run("run-3", 7)].join("\n"));
    let ran =
        work.run(&["label", "runs.jsonl", "--task", "tool_response_handling", "-o", "out.csv"]).ended(0);
    let names = work.column("out.csv", "transcript_id");
    assert_eq!(
        names,
        ["run-1", "run-2", "run-3"],
        "the one without a name is the first once more: {}",
        ran.stderr
    );
    assert!(ran.stderr.contains("1 repeated"), "{}", ran.stderr);
}

/// Two sessions that differ anywhere are two, also where what differs is only the answer; the same conversation once more is one,
/// judged where it is the longest.
#[test]
fn only_the_same_conversation_is_a_repeat() {
    let work = Workspace::new();
    let user = r#"{"role":"user","content":"What is my balance?"}"#;
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"balance","arguments":"{}"}}]}"#;
    let result = r#"{"role":"tool","tool_call_id":"call_0","content":"1532"}"#;
    let says = |number: u32| format!(r#"{{"role":"assistant","content":"You have {number}."}}"#);
    let more = r#"{"role":"user","content":"Thanks."}"#;
    let record =
        |id: &str, messages: &[&str]| format!(r#"{{"id":"{id}","messages":[{}]}}"#, messages.join(","));
    let (right, wrong) = (says(1532), says(7004));
    let whole = |id: &str, answer: &str| record(id, &[user, call, result, answer]);
    for (log, expected, answers) in [
        (vec![whole("a", &right), whole("b", &wrong)], &["a@1", "b@1"][..], &["1532", "7004"][..]),
        (
            vec![whole("a", &right), whole("b", &wrong), whole("c", &wrong)],
            // Equal to the end, with a name of its own.
            &["a@1", "b@1", "c@1"],
            &["1532", "7004", "7004"],
        ),
        (vec![whole("a", &right), record("a", &[user, call, result, &right, more])], &["a@1"], &["1532"]),
        // Each request logs all that was said before it: what came of a call stands in a later one.
        (
            vec![record("a", &[user, call]), record("a", &[user, call, result]), whole("a", &wrong)],
            &["a@1"],
            &["7004"],
        ),
        (
            vec![
                record("a", &[user, call]),
                whole("a", &right),
                record("b", &[user, call]),
                whole("b", &wrong),
            ],
            &["a@1", "b@1"],
            &["1532", "7004"],
        ),
    ] {
        work.file("log.jsonl", log.join("\n"));
        work.run(&["convert", "log.jsonl", "-o", "rows.jsonl", "--force", "--quiet"]).ended(0);
        let rows = lines(&work.read("rows.jsonl"));
        let ids: Vec<&str> = rows.iter().map(|row| field(row, "source_id")).collect();
        assert_eq!(ids, expected, "{log:?}");
        for (row, answer) in rows.iter().zip(answers) {
            assert!(field(row, "final_answer").contains(answer), "{log:?}");
        }
    }
}
