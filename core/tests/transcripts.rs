//! Transcripts: every call is judged or counted with a reason, seen with what came before it, and what came after is kept.

use std::path::Path;

use tooljudge_core::check::{BuiltinJudge, Decide};
use tooljudge_core::domain::{Calls, Flag, Json, Role, Sample, Task};
use tooljudge_core::normalize::logs::{Entry, Turns};
use tooljudge_core::normalize::{Normalizer, Options};
use tooljudge_laws::fixtures::folder;

/// What was made of a file.
#[derive(Default)]
struct Read {
    samples: Vec<Sample>,
    transcripts: usize,
    turns: usize,
    calls: usize,
    /// Turns that were not taken, and their calls, by reason.
    not_taken: Vec<(&'static str, usize)>,
    unreadable: Vec<String>,
}

impl Read {
    fn of(text: &str, turns: Turns) -> Read {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        let mut read = Read::default();
        tooljudge_laws::read_log(text, None, false, turns, |_, entry| match entry {
            Entry::Turn(turn) => match normalizer.turn(*turn) {
                Ok(sample) => read.samples.push(sample),
                Err(error) => read.unreadable.push(error.to_string()),
            },
            Entry::Transcript(tally) => {
                read.transcripts += 1;
                read.turns += tally.turns;
                read.calls += tally.calls;
            }
            Entry::NotTaken(why, calls) => read.not_taken.push((why.as_str(), calls)),
            Entry::Unreadable(error) => read.unreadable.push(error.to_string()),
            Entry::Skipped(_) | Entry::Fragment(_) => {}
        });
        read
    }

    fn judged_calls(&self) -> usize {
        self.samples.iter().map(calls_of).sum()
    }

    /// The sample of a transcript's turn.
    fn turn(&self, transcript: &str, turn: u32) -> &Sample {
        let is_it = |sample: &&Sample| {
            sample
                .place
                .as_ref()
                .is_some_and(|place| place.transcript_id.as_deref() == Some(transcript) && place.turn == turn)
        };
        self.samples.iter().find(is_it).unwrap_or_else(|| panic!("no turn {turn} of {transcript}"))
    }
}

fn calls_of(sample: &Sample) -> usize {
    match &sample.calls {
        Calls::Parsed(calls) => calls.len(),
        Calls::Unparsed => panic!("unread: {:?}", sample.raw.tool_call),
    }
}

fn file(name: &str) -> String {
    let path = folder().join("transcripts").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// How many calls a file holds, told without any reader: by the marks that calls have in these files' raw text.
fn calls_in(json: &Json) -> usize {
    match json {
        Json::Array(items) => items.iter().map(calls_in).sum(),
        Json::Object(object) => {
            let from = object.get("from").and_then(Json::as_str);
            let said = ["value", "chat"].iter().find_map(|key| object.get(key)?.as_str()).unwrap_or_default();
            let marked = match from {
                Some("function_call") => 1,
                Some("system") => 0,
                Some("assistant") => said.matches("v2(").count(),
                _ => said.matches("<tool_call>").count() + said.matches("<functioncall>").count(),
            };
            let listed = object.get("tool_calls").and_then(Json::as_array).map_or(0, <[Json]>::len);
            let within =
                object.iter().filter(|(key, _)| *key != "tool_calls").map(|(_, value)| calls_in(value));
            marked + listed + within.sum::<usize>()
        }
        _ => 0,
    }
}

fn records(text: &str) -> Vec<Json> {
    let (mut records, mut rest) = (Vec::new(), text);
    while let Ok((record, end)) = Json::parse_prefix(rest.trim_start()) {
        records.push(record);
        rest = &rest.trim_start()[end..];
    }
    assert!(rest.trim().is_empty(), "{rest}");
    records
}

#[test]
fn every_call_is_judged_or_counted() {
    let folder = folder().join("transcripts");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for path in ["chats.jsonl", "tau.json", "tau2.json", "sharegpt.jsonl"].map(|name| folder.join(name)) {
        assert!(files.contains(&path), "{}", path.display());
        let text = std::fs::read_to_string(Path::new(&path)).unwrap();
        let held: usize = records(&text).iter().map(calls_in).sum();
        assert!(held > 0);
        for turns in [Turns::Calls, Turns::All, Turns::Last] {
            let read = Read::of(&text, turns);
            let left: usize = read.not_taken.iter().map(|(_, calls)| calls).sum();
            let name = path.display();
            assert_eq!(read.unreadable, Vec::<String>::new(), "{name} {turns:?}");
            assert_eq!(read.calls, held, "{name} {turns:?}: calls of transcripts");
            assert_eq!(read.judged_calls() + left, held, "{name} {turns:?}: {:?}", read.not_taken);
            let others = read.not_taken.iter().filter(|(why, _)| *why == "simulated_user").count();
            assert_eq!(read.samples.len() + read.not_taken.len() - others, read.turns, "{name} {turns:?}");
            if turns == Turns::Calls {
                assert!(read.not_taken.iter().all(|(why, calls)| *calls == 0 || *why == "simulated_user"));
            }
        }
    }
}

#[test]
fn the_judge_sees_what_the_agent_saw() {
    let read = Read::of(&file("chats.jsonl"), Turns::Calls);
    let second = read.turn("ends-with-text", 2);
    let roles: Vec<Role> = second.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool]);
    assert!(second.raw.question.ends_with("tool: {\"status\": \"pending\"}"), "{}", second.raw.question);
    assert!(
        !second.raw.question.contains("ordered twice\",") && !second.raw.question.contains("cancel_order")
    );
    assert_eq!(second.question, "Cancel order W1, I ordered it twice.");
    assert_eq!(second.origin.source_id.as_deref(), Some("ends-with-text@2"));
    // A prompt of a later turn begins with the prompt of an earlier one, byte for byte.
    let first = read.turn("ends-with-text", 1);
    assert!(second.raw.question.starts_with(&*first.raw.question));
}

#[test]
fn what_came_after_is_kept_apart() {
    let read = Read::of(&file("chats.jsonl"), Turns::Calls);
    let results = |transcript: &str, turn: u32| -> Vec<(String, bool)> {
        let after = &read.turn(transcript, turn).after;
        after.results.iter().map(|result| (result.content.clone(), result.is_error)).collect()
    };
    assert_eq!(results("ends-with-text", 2), [("cancelled".to_owned(), false)]);
    assert_eq!(results("ends-with-result", 1), [("Error: not found".to_owned(), true)]);
    assert_eq!(results("in-parallel", 1), [("shipped".to_owned(), false), ("pending".to_owned(), false)]);
    let first = &read.turn("ends-with-text", 1).after;
    assert_eq!(first.next.as_ref().unwrap().tool_calls[0].name, "cancel_order");
    assert_eq!(first.final_answer.as_deref(), Some("Order W1 is cancelled."));
    assert!(read.turn("ends-with-result", 1).after.next.is_none());
}

#[test]
fn a_transcript_without_calls_is_judged_by_its_last_turn() {
    let read = Read::of(&file("chats.jsonl"), Turns::Calls);
    let turn = read.turn("calls-nothing", 2);
    assert_eq!((turn.question.as_str(), calls_of(turn)), ("And the weather?", 0));
    assert_eq!(turn.messages.len(), 3);
    let turns = |turns| {
        let read = Read::of(&file("chats.jsonl"), turns);
        let of = |id: &str| {
            let is_of =
                |sample: &&Sample| sample.place.as_ref().unwrap().transcript_id.as_deref() == Some(id);
            read.samples.iter().filter(is_of).count()
        };
        ["ends-with-text", "ends-with-user", "calls-nothing"].map(of)
    };
    assert_eq!(turns(Turns::Calls), [2, 1, 1]);
    assert_eq!(turns(Turns::All), [3, 2, 2]);
    assert_eq!(turns(Turns::Last), [1, 1, 1]);
}

#[test]
fn what_is_odd_is_flagged() {
    let read = Read::of(&file("chats.jsonl"), Turns::Calls);
    for (transcript, turn, flags) in [
        ("ends-with-text", 2, &[][..]),
        ("cut-in-the-middle", 1, &[Flag::MissingResult]),
        ("cut-in-the-middle", 2, &[]),
        ("orphans", 1, &[]),
        ("orphans", 2, &[Flag::OrphanResult, Flag::RepeatedCallId]),
        ("a-stranger", 1, &[Flag::UnknownRole]),
    ] {
        assert_eq!(read.turn(transcript, turn).flags, flags, "{transcript} {turn}");
    }
    assert!(read.turn("a-stranger", 1).raw.question.contains("system: moderator: Be quick."));
}

#[test]
fn episodes_keep_their_reward_and_leave_the_customer_alone() {
    let read = Read::of(&file("tau.json"), Turns::Calls);
    let episode = |sample: &Sample| sample.place.as_ref().unwrap().episode.clone().unwrap();
    assert_eq!(episode(read.turn("3#0", 1)).reward, Some(1.0));
    assert_eq!(
        episode(read.turn("3#0", 3)).reference_calls.as_ref().unwrap().to_string(),
        r#"[{"name":"cancel_order","arguments":{"order_id":"W1","reason":"ordered twice"}}]"#
    );
    let read = Read::of(&file("tau2.json"), Turns::All);
    assert_eq!(
        read.not_taken,
        [("nothing_asked", 0), ("simulated_user", 1)],
        "the greeting, and what the customer called"
    );
    let turn = read.turn("s-1", 3);
    assert!(turn.raw.question.starts_with("system: Help with phones."));
    assert!(!turn.raw.question.contains("No signal"), "only the customer saw it: {}", turn.raw.question);
    assert_eq!(turn.question, "It says no signal.");
    assert_eq!(turn.origin.model.as_deref(), Some("model-x"));
    assert!(turn.after.results[1].is_error);
}

#[test]
fn training_sets_bring_their_definitions() {
    let read = Read::of(&file("sharegpt.jsonl"), Turns::Calls);
    for (transcript, turn, tool, calls) in [
        ("toolace", 1, "Get Weather/v2", 2),
        ("apigen", 1, "find_order", 1),
        ("apigen", 2, "find_order", 1),
        ("hermes", 1, "find_order", 1),
        ("glaive", 1, "find_order", 1),
    ] {
        let sample = read.turn(transcript, turn);
        let tooljudge_core::domain::Definitions::Known(tools) = &sample.definitions else {
            panic!("{transcript}")
        };
        assert_eq!((tools[0].name.as_str(), calls_of(sample)), (tool, calls), "{transcript}");
    }
}

#[test]
fn ten_thousand_turns_are_held_once() {
    let mut messages = vec![r#"{"role":"user","content":"Go"}"#.to_owned()];
    for turn in 0..10_000 {
        messages.push(format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"c{turn}","function":{{"name":"f","arguments":"{{\"n\":{turn}}}"}}}}]}}"#
        ));
        messages.push(format!(r#"{{"role":"tool","tool_call_id":"c{turn}","content":"{turn}"}}"#));
    }
    let read = Read::of(&format!(r#"{{"messages":[{}]}}"#, messages.join(",")), Turns::Calls);
    assert_eq!((read.samples.len(), read.calls), (10_000, 10_000));
    // Were each turn to hold what it shows, this would be more than 2 GB.
    let shown: usize = read.samples.iter().map(|sample| sample.raw.question.len()).sum();
    assert!(shown > 1 << 31);
    let (first, last) = (&read.samples[1], &read.samples[9_999]);
    assert!(std::ptr::eq(first.messages.as_ptr(), last.messages.as_ptr()));
    assert!(std::ptr::eq(first.raw.question.as_ptr(), last.raw.question.as_ptr()));
}

#[test]
fn a_first_step_need_not_be_all_that_was_asked_for() {
    let judge = BuiltinJudge::new(Task::ToolCalling).with_decide(Decide::Always);
    let read = Read::of(include_str!("../../datasets/support.jsonl"), Turns::Calls);
    for (transcript, turn, wrong) in
        [("order-twice", 1, false), ("order-twice", 2, false), ("wrong-order", 2, true), ("again", 2, true)]
    {
        let verdict = judge.judge(read.turn(transcript, turn));
        assert_eq!(verdict.label() == Some("incorrect"), wrong, "{transcript}@{turn}: {verdict:?}");
    }
}

/// What each turn that calls something shows, gets back and is flagged with.
#[test]
fn what_readers_found_missing() {
    const USER: &str = r#"{"role":"user","content":"Go"}"#;
    const SAID: &str = r#"{"role":"assistant","content":"One moment."}"#;
    let calling = |ids: &[&str]| {
        let call = |id: &&str| {
            format!(r#"{{"id":"{id}","function":{{"name":"f","arguments":"{{\"of\":\"{id}\"}}"}}}}"#)
        };
        let calls: Vec<String> = ids.iter().map(call).collect();
        format!(r#"{{"role":"assistant","tool_calls":[{}]}}"#, calls.join(","))
    };
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"of {id}"}}"#);
    let chat = |messages: &[String]| format!(r#"{{"id":"x","messages":[{}]}}"#, messages.join(","));
    let (user, said) = (USER.to_owned(), SAID.to_owned());
    // The record, and of each turn with calls: how many messages are before it, its results, its flags.
    type Turn = (usize, &'static [&'static str], &'static [Flag]);
    let cases: Vec<(String, Vec<Turn>)> = vec![
        // Results that come late, and in another order.
        (
            chat(&[user.clone(), calling(&["a", "b"]), result("b"), said.clone(), result("a"), said.clone()]),
            vec![(1, &["of b", "of a"], &[])],
        ),
        (
            chat(&[user.clone(), calling(&["a"]), calling(&["b"]), user.clone(), result("b"), result("a")]),
            vec![(1, &["of b", "of a"], &[])],
        ),
        (
            chat(&[user.clone(), calling(&["a"]), user.clone(), calling(&["b"]), result("b"), result("a")]),
            vec![(1, &["of a"], &[]), (3, &["of b"], &[])],
        ),
        // An id that is used again.
        (
            chat(&[user.clone(), calling(&["a"]), result("a"), calling(&["a"]), result("a")]),
            vec![(1, &["of a"], &[]), (3, &["of a"], &[Flag::RepeatedCallId])],
        ),
        (
            chat(&[user.clone(), result("z"), calling(&["a"]), result("a")]),
            vec![(2, &["of a"], &[Flag::OrphanResult])],
        ),
        // What the system says beside the messages.
        (
            format!(r#"{{"id":"x","system":"You live in Oslo.","messages":[{user},{}]}}"#, calling(&["a"])),
            vec![(2, &[], &[])],
        ),
        // Older messages of Vercel's, with steps.
        (
            format!(
                r#"{{"id":"x","messages":[{user},{{"role":"assistant","content":"Done.","toolInvocations":[
                    {{"state":"result","step":0,"toolCallId":"a","toolName":"f","args":{{}},"result":"of a"}},
                    {{"state":"result","step":1,"toolCallId":"b","toolName":"f","args":{{}},"result":"of b"}}]}}]}}"#
            ),
            vec![(1, &["of a"], &[]), (3, &["of b"], &[])],
        ),
        // One message's calls are parallel; the same once more is another try.
        (
            r#"{"id":"x","input":"Go","intermediate_steps":[
                [{"tool":"f","tool_input":{"a":1},"message_log":[{"content":"m"}]},"of a"],
                [{"tool":"f","tool_input":{"a":2},"message_log":[{"content":"m"}]},"of b"],
                [{"tool":"f","tool_input":{"a":1},"message_log":[{"content":"m"}]},"of c"]]}"#
                .to_owned(),
            vec![(1, &["of a", "of b"], &[]), (4, &["of c"], &[])],
        ),
        // A provider's own tool, whose result the agent saw.
        (
            format!(
                r#"{{"id":"x","messages":[{user},{{"type":"mcp_call","id":"m","name":"who","arguments":"{{}}","output":"Ann is 77"}},
                    {{"type":"function_call","call_id":"a","name":"f","arguments":"{{}}"}}]}}"#
            ),
            vec![(3, &[], &[])],
        ),
    ];
    for (record, turns) in cases {
        let read = Read::of(&record, Turns::Calls);
        assert_eq!(read.unreadable, Vec::<String>::new(), "{record}");
        let found: Vec<(usize, Vec<&str>, Vec<Flag>)> = read
            .samples
            .iter()
            .map(|sample| {
                let results = sample.after.results.iter().map(|result| result.content.as_str()).collect();
                let flags =
                    sample.flags.iter().filter(|flag| **flag != Flag::NoDefinitions).copied().collect();
                (sample.messages.len(), results, flags)
            })
            .collect();
        let expected: Vec<(usize, Vec<&str>, Vec<Flag>)> = turns
            .iter()
            .map(|(before, results, flags)| (*before, results.to_vec(), flags.to_vec()))
            .collect();
        assert_eq!(found, expected, "{record}");
    }
}

#[test]
fn calls_of_no_tool_on_offer_are_not_words() {
    for (said, unread) in [
        ("[Get Weather(city=\\\"Oslo\\\"), Get Wether(city=\\\"Rome\\\")]", true),
        ("[Get Wether(city=\\\"Oslo\\\")]", true),
        ("[Get Weather(city=\\\"Oslo\\\"", true),
        ("[Get Weather(city=\\\"Oslo\\\")]", false),
        ("I would call [Get Weather(city=\\\"Oslo\\\")].", false),
    ] {
        let record = format!(
            r#"{{"id":"x","system":"[{{\"name\":\"Get Weather\",\"description\":\"d\"}}]",
                "conversations":[{{"from":"user","value":"Weather?"}},{{"from":"assistant","value":"{said}"}}]}}"#
        );
        let read = Read::of(&record, Turns::Calls);
        assert_eq!(read.samples[0].calls == Calls::Unparsed, unread, "{said}: {:?}", read.samples[0].calls);
    }
}

#[test]
fn words_that_are_a_conversation_stay_words() {
    let asked = Json::from(r#"[{"role":"user","content":"inner"}]"#).to_string();
    let record = format!(
        r#"{{"id":"x","messages":[{{"role":"system","content":"s"}},{{"role":"user","content":{asked}}},
            {{"role":"assistant","tool_calls":[{{"id":"a","function":{{"name":"f","arguments":"{{}}"}}}}]}}]}}"#
    );
    let read = Read::of(&record, Turns::Calls);
    assert_eq!(read.samples[0].question, r#"[{"role":"user","content":"inner"}]"#);
    tooljudge_laws::check_sample(&Normalizer::new(Options::default()).unwrap(), &read.samples[0]);
}

/// What somebody wrote as thoughts is no answer, several results in one message are several, and nothing is nothing.
#[test]
fn what_came_back_and_what_was_said_last() {
    let call = |id: &str| format!(r#"{{"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}"#);
    let record = format!(
        r#"{{"id":"x","messages":[{{"role":"user","content":"Go"}},{{"role":"assistant","tool_calls":[{}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":""}}]}},
            {{"role":"assistant","content":"<think>Was it done?</think>\n\nDone."}}]}}"#,
        call("a")
    );
    let after = &Read::of(&record, Turns::Calls).samples[0].after;
    assert_eq!((after.results[0].content.as_str(), after.final_answer.as_deref()), ("", Some("Done.")));

    let record = r#"{"id":"x","conversations":[{"from":"human","value":"Go"},
        {"from":"gpt","value":"<tool_call>{'name': 'f', 'arguments': {}}</tool_call><tool_call>{'name': 'g', 'arguments': {}}</tool_call>"},
        {"from":"tool","value":"<tool_response>\n{\"n\": 1}\n</tool_response>\n<tool_response>\n2\n</tool_response>"},
        {"from":"gpt","value":"Done."}]}"#;
    let sample = &Read::of(record, Turns::Calls).samples[0];
    let results: Vec<&str> = sample.after.results.iter().map(|result| result.content.as_str()).collect();
    assert_eq!((results, sample.flags.as_slice()), (vec![r#"{"n": 1}"#, "2"], &[Flag::NoDefinitions][..]));
}

/// Messages that are the elements of an array are one conversation, in the form of any framework.
#[test]
fn arrays_of_messages_are_transcripts() {
    let ui = r#"[{"id":"m1","role":"user","parts":[{"type":"text","text":"Delete Ann."}]},
        {"id":"m2","role":"assistant","metadata":{},"parts":[{"type":"step-start"},
            {"type":"tool-find","toolCallId":"c1","state":"output-available","input":{},"output":77},{"type":"step-start"},
            {"type":"tool-delete","toolCallId":"c2","state":"output-available","input":{"id":77},"output":"ok"}]}]"#;
    let dicts = r#"[{"type":"human","data":{"content":"Oslo?"}},
        {"type":"ai","data":{"content":"","tool_calls":[{"name":"f","args":{},"id":"c1"}]}},
        {"type":"tool","data":{"content":"sun","tool_call_id":"c1"}},{"type":"ai","data":{"content":"Sunny."}}]"#;
    let dumped = r#"[{"lc":1,"type":"constructor","id":["m","HumanMessage"],"kwargs":{"content":"Oslo?"}},
        {"lc":1,"type":"constructor","id":["m","AIMessage"],"kwargs":{"content":"","tool_calls":[{"name":"f","args":{},"id":"c1"}]}},
        {"lc":1,"type":"constructor","id":["m","ToolMessage"],"kwargs":{"content":"sun","tool_call_id":"c1"}},
        {"lc":1,"type":"constructor","id":["m","AIMessage"],"kwargs":{"content":"Sunny."}}]"#;
    let google = r#"[{"role":"user","parts":[{"text":"Oslo?"}]},
        {"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}]"#;
    for (array, turns, judged, result) in
        [(ui, 2, 2, "77"), (dicts, 2, 1, "sun"), (dumped, 2, 1, "sun"), (google, 1, 1, "")]
    {
        let read = Read::of(array, Turns::Calls);
        assert_eq!((read.transcripts, read.turns, read.samples.len()), (1, turns, judged), "{array}");
        assert_eq!((read.calls, read.unreadable.len()), (judged, 0), "{array}");
        let results = read.samples[0].after.results.iter().map(|result| result.content.as_str());
        assert_eq!(results.collect::<String>(), result, "{array}");
    }
}

/// Several messages of a span are one answer, unless the model was asked for several to choose from.
#[test]
fn all_output_messages_of_a_span_are_read() {
    for (asked, calls) in [("", 2), (r#""gen_ai.request.choice.count":2,"#, 1)] {
        let message = |id: &str| {
            format!(
                r#"{{"role":"assistant","finish_reason":"tool_call","parts":[{{"type":"tool_call","id":"{id}","name":"f","arguments":{{}}}}]}}"#
            )
        };
        let messages = Json::from(format!("[{},{}]", message("a"), message("b")));
        let record = format!(
            r#"{{"span_id":"1a","attributes":{{{asked}"gen_ai.input.messages":"Go","gen_ai.output.messages":{messages}}}}}"#
        );
        let read = Read::of(&record, Turns::Calls);
        let is_choice = read.samples[0].flags.contains(&Flag::MultipleChoices);
        assert_eq!((read.judged_calls(), is_choice), (calls, calls == 1), "{record}");
    }
}
