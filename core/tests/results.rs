//! What the built-in judge says of what came of calls, case by case.

use tooljudge_core::check::BuiltinJudge;
use tooljudge_core::domain::{Cell, Json, RawRow, Sample, Slot, Task, Variable};
use tooljudge_core::normalize::{Conversation, Normalizer, Options};

/// A turn that calls `call`, with the `messages` before it, what came back and what was said then.
fn sample(messages: &str, call: &str, result: &str, answer: &str) -> Sample {
    let extras = [(Slot::ToolResult, result), (Slot::Response, answer)];
    let extras = extras.map(|(slot, text)| (Variable::Slot(slot), Cell::Text(text.to_owned())));
    let row = RawRow {
        question: Cell::Text(ASKED.to_owned()),
        tool_call: Cell::Text(call.to_owned()),
        tool_definitions: Cell::Missing,
        extras: extras.into(),
    };
    let messages = Json::parse(messages).unwrap();
    let context = Conversation::of([Some(messages)], true).unwrap();
    Normalizer::new(Options::default()).unwrap().sample_in_context(row, Some(&context)).unwrap()
}

/// What the user said last in all of these conversations.
const ASKED: &str = "Do it.";

fn label(task: Task, sample: &Sample) -> Option<String> {
    BuiltinJudge::new(task).judge(sample).label().map(str::to_owned)
}

/// A conversation of a question and earlier calls with their results.
fn earlier(calls: &[(&str, &str, &str)]) -> String {
    let mut messages = vec![format!(r#"{{"role":"user","content":"{ASKED}"}}"#)];
    for (at, (name, arguments, result)) in calls.iter().enumerate() {
        let arguments = Json::from(*arguments).to_string();
        let result = Json::from(*result).to_string();
        messages.push(format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"c{at}","function":{{"name":"{name}","arguments":{arguments}}}}}]}}"#
        ));
        messages.push(format!(r#"{{"role":"tool","tool_call_id":"c{at}","content":{result}}}"#));
    }
    format!("[{}]", messages.join(","))
}

#[test]
fn a_call_is_unneeded_only_if_nothing_can_have_changed() {
    for (before, call, unneeded) in [
        (
            &[("get_order", r#"{"id":1}"#, "shipped")][..],
            r#"{"name":"get_order","arguments":{"id":1}}"#,
            true,
        ),
        (&[("get_order", r#"{"id":2}"#, "shipped")], r#"{"name":"get_order","arguments":{"id":1}}"#, false),
        (
            &[("get_order", r#"{"id":1}"#, "Error: down")],
            r#"{"name":"get_order","arguments":{"id":1}}"#,
            false,
        ),
        (
            &[("get_order", r#"{"id":1}"#, "open"), ("cancel_order", r#"{"id":1}"#, "done")],
            r#"{"name":"get_order","arguments":{"id":1}}"#,
            false,
        ),
        (
            &[("get_order", r#"{"id":1}"#, "open"), ("get_user", r#"{"id":9}"#, "Ann")],
            r#"{"name":"get_order","arguments":{"id":1}}"#,
            true,
        ),
        // The same tool may change what it shows.
        (
            &[("bash", r#"{"cmd":"ls"}"#, "a b"), ("bash", r#"{"cmd":"rm a"}"#, "")],
            r#"{"name":"bash","arguments":{"cmd":"ls"}}"#,
            false,
        ),
        (
            &[("set_temperature", r#"{"c":20}"#, "ok"), ("set_temperature", r#"{"c":22}"#, "ok")],
            r#"{"name":"set_temperature","arguments":{"c":20}}"#,
            false,
        ),
        (
            &[("get_booking", r#"{"id":1}"#, "open"), ("check_in_guest", r#"{"id":1}"#, "ok")],
            r#"{"name":"get_booking","arguments":{"id":1}}"#,
            false,
        ),
        // What changes something may be meant twice.
        (&[("book_room", r#"{"id":1}"#, "booked")], r#"{"name":"book_room","arguments":{"id":1}}"#, false),
        // The first try failed.
        (
            &[("get_page", r#"{"id":1}"#, "502 upstream unavailable")],
            r#"{"name":"get_page","arguments":{"id":1}}"#,
            false,
        ),
        // Some answers change by themselves.
        (
            &[("get_job_status", r#"{"id":1}"#, "done")],
            r#"{"name":"get_job_status","arguments":{"id":1}}"#,
            false,
        ),
        (
            &[("get_report", r#"{"id":1}"#, "still running")],
            r#"{"name":"get_report","arguments":{"id":1}}"#,
            false,
        ),
    ] {
        let sample = sample(&earlier(before), call, "", "");
        let expected = unneeded.then(|| "unneeded".to_owned());
        assert_eq!(label(Task::CallNeed, &sample), expected, "{before:?} {call}");
    }
}

#[test]
fn an_answer_says_what_came_back() {
    for (result, answer, expected) in [
        (r#"{"price": 12.5}"#, "It costs 12.50.", Some("correct")),
        (r#"{"price": 12.5}"#, "It costs 21.50.", Some("incorrect")),
        // What a tool found may have a `content` too.
        (r#"[{"title": "A", "content": "14 inch", "price": 899}]"#, "The A costs 899.", Some("correct")),
        // Failures that are said, passed over, and denied.
        (r#"{"error": "down"}"#, "The service is down, so I could not book it.", Some("correct")),
        (r#"{"error": "down"}"#, "Booked.", Some("incorrect")),
        (r#"{"error": "down"}"#, "Booked. No error occurred.", Some("incorrect")),
        (r#"{"error": "down"}"#, "Your refund was issued. I could not be happier!", Some("incorrect")),
        // What follows from what came back.
        (r#"{"temperature": "68 °F"}"#, "It is 20 °C.", None),
        (r#"{"old": 80, "new": 100}"#, "That is up 25 %.", None),
        (r#"{"phone": "+49405558123"}"#, "Call +49 40 555 8123.", Some("correct")),
        (r#"{"phone": "+49405558123"}"#, "Call +49 40 555 9123.", Some("incorrect")),
        (r#"{"population": 291940}"#, "About 292,000 people live there.", None),
        (r#"{"a": [3, 5, 9, 14, 22, 31, 47, 58, 66, 71, 80, 93, 99]}"#, "On average it is 46.", None),
        ("Bergen has 17 parks.", "There are 17 parks.", Some("correct")),
        (r#"{"price": 100, "shipping": 20}"#, "You pay 120 dollars.", None),
        (r#"{"attendees": 1004}"#, "About 1000 people attend.", None),
        (r#"{"start": "14:00", "duration_minutes": 60}"#, "It ends at 15:00.", None),
        // Two digits that changed places are no arithmetic.
        (r#"{"fare": 112}"#, "It costs 121 euros.", Some("incorrect")),
        (r#"{"error": "down"}"#, "It is down, unfortunately. Your balance is 4532.10.", None),
        // Nothing to look for.
        (r#"{"ok": true}"#, "All done.", None),
        ("", "All done.", None),
    ] {
        let sample = sample(&earlier(&[]), "look()", result, answer);
        let found = label(Task::ToolResponseHandling, &sample);
        assert_eq!(found.as_deref(), expected, "{result} {answer}");
    }
}
