//! What the built-in judge finds, and bounds on its cost.

use proptest::prelude::*;

use super::evidence::Evidence;
use super::grounding::{self, Support};
use super::*;
use crate::domain::{Aftermath, Arguments, Json, Message, Object, Origin, RawText, Role, ToolResult};
use crate::reading::words::fold;

pub(super) fn sample(question: &str, definitions: Vec<ToolDefinition>, calls: Vec<ToolCall>) -> Sample {
    Sample {
        question: question.to_owned(),
        messages: vec![Message::new(Role::User, question)].into(),
        calls: Calls::Parsed(calls),
        definitions: Definitions::Known(definitions.into()),
        raw: RawText::default(),
        flags: Vec::new(),
        origin: Origin::default(),
        place: None,
        after: Aftermath::default(),
        extras: Default::default(),
        part: None,
    }
}

fn tool(name: &str, schema: Json) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: "Finds the thing asked for".to_owned(),
        parameters: schema,
    }
}

#[test]
fn a_definition_that_cannot_be_read_may_be_that_of_the_right_tool() {
    let known = tool("f", Json::Object(Object::new()));
    for (call, judged) in [(Some("f"), true), (Some("g"), false), (None, false)] {
        let calls = call.map(|name| ToolCall::new(name, Object::new()));
        let whole = sample("Find the thing", vec![known.clone()], calls.into_iter().collect());
        let partial = Sample { flags: vec![Flag::UnreadableDefinition], ..whole.clone() };
        let is_judged = |sample| {
            let outcome =
                BuiltinJudge::new(Task::ToolCalling).with_decide(Decide::Always).judge(sample).outcome;
            matches!(outcome, Outcome::Judged { .. })
        };
        assert!(is_judged(&whole), "{call:?}");
        assert_eq!(is_judged(&partial), judged, "{call:?}");
    }
}

#[test]
fn numbers_of_things_are_found_by_all_their_digits() {
    for (said, passed, is_found) in [
        ("5550001234", "5550001234", true),
        ("5550001234", "5550001235", false),
        ("4111111111111111", "4111111111111112", false),
        // No float tells these two apart.
        ("123456789012345678", "123456789012345678", true),
        ("123456789012345678", "123456789012345679", false),
    ] {
        let evidence = Evidence::new(&sample(&format!("Track parcel {said}, please"), vec![], vec![]));
        for value in [Json::parse(passed).unwrap(), Json::from(passed)] {
            let support = grounding::support(&evidence, None, &value, &fold(passed));
            assert_eq!(support == Support::Literal, is_found, "{said} {value}");
        }
    }
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(|n| Json::Number(n.into())),
        "\\PC{0,12}".prop_map(Json::String),
        prop::sample::select(vec![
            "object",
            "string",
            "array",
            "#/$defs/a",
            "integer",
            "5L",
            "2024-13-45",
            "١٢٪"
        ])
        .prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![
            prop::sample::select(vec![
                "type",
                "properties",
                "items",
                "required",
                "enum",
                "anyOf",
                "$ref",
                "default"
            ])
            .prop_map(str::to_owned),
            "[a-zé/~]{0,4}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn never_panics(question in "\\PC{0,60}", schema in json(), value in json(), name in "[a-c.]{0,3}") {
        let value_text = value.to_string();
        let arguments = match value {
            Json::Object(object) => Arguments::Parsed(object),
            other => Arguments::Malformed(other.to_string()),
        };
        let call = ToolCall { name: name.clone(), arguments, id: None };
        let result = ToolResult { tool_call_id: None, content: value_text.clone(), is_error: false };
        let mut sample = sample(&question, vec![tool(&name, schema.clone()), tool("b", schema)], vec![call]);
        sample.after.results = vec![result];
        sample.after.next = Some(Message::new(Role::Assistant, format!("{question} {value_text}")));
        for task in Task::ALL {
            let verdict = BuiltinJudge::new(task).with_decide(Decide::Always).judge(&sample);
            let is_sure = verdict.confidence.is_some_and(|confidence| (0.5..=1.0).contains(&confidence));
            let is_judged = task.about_calls().is_some() && verdict.label().is_some();
            prop_assert_eq!(is_sure, is_judged, "{:?}", verdict);
        }
        for observation in observations(&sample) {
            prop_assert!(observation.to_string().len() < 2_000);
        }
    }
}

proptest! {
    #[test]
    fn times_and_amounts_never_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "today", "is", "tomorrow", "next", "monday", "in", "3", "999", "weeks", "ago", "0", "31", "2026", "9999",
            "february", "beginning of", "half past", "quarter to", "at 7.30", "24:59", "+01:00", "halb", "an hour",
            "and a half", "70 °F", "5 ft 11 in", "$12.50", "dozen", "thirds", "évening", "minutes", "1e308 km",
        ]), 0..24),
        value in "[0-9]{1,4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2})?|[0-9]{1,12}",
    ) {
        let schema = Json::parse(
            r#"{"properties":{"after":{"type":"string"},"size_km":{"type":"number"}},"required":["after"]}"#,
        )
        .unwrap();
        let number = Json::parse(value.trim_start_matches('0').split('-').next().unwrap()).unwrap_or(Json::Null);
        let arguments = [("after".to_owned(), Json::from(value)), ("size_km".to_owned(), number)];
        let call = ToolCall::new("t", arguments.into_iter().collect::<Object>());
        for calls in [vec![call], Vec::new()] {
            observations(&sample(&words.join(" "), vec![tool("t", schema.clone())], calls));
        }
    }
}

#[test]
fn hostile_rows_cost_little() {
    let deep = |value: &str| Json::parse(&format!("{}{value}{}", "[".repeat(120), "]".repeat(120))).unwrap();
    let wide: Object = (0..1_000).map(|i| (format!("p{i}"), deep("\"x\""))).collect();
    let long: Object =
        [("list".to_owned(), Json::Array(vec![Json::from("1 2 3 four"); 50_000]))].into_iter().collect();
    let many: Object = (0..1_000).map(|i| (format!("p{i}"), Json::from(format!("v {i}")))).collect();
    let properties: Vec<String> =
        (0..1_000).map(|i| format!("\"p{i}\":{{\"type\":\"integer\",\"minimum\":3}}")).collect();
    let schema =
        Json::parse(&format!("{{\"type\":\"object\",\"properties\":{{{}}}}}", properties.join(","))).unwrap();
    // Every reference doubles the tree it stands for.
    let bomb: Vec<String> = (0..40)
        .map(|i| format!("\"d{i}\":{{\"properties\":{{\"a\":{{\"$ref\":\"#/$defs/d{}\"}},\"b\":{{\"$ref\":\"#/$defs/d{}\"}}}}}}", i + 1, i + 1))
        .collect();
    let bomb = Json::parse(&format!("{{\"$ref\":\"#/$defs/d0\",\"$defs\":{{{}}}}}", bomb.join(","))).unwrap();
    let questions = ["7 5% '\"` ".repeat(12_000), "a".repeat(100_000), "Å, é and 東 \u{301}".repeat(8_000)];
    for question in &questions {
        let calls = [&wide, &long, &many].map(|arguments| ToolCall::new("t", arguments.clone()));
        let calls: Vec<ToolCall> = calls.into_iter().cycle().take(30).collect();
        let sample = sample(question, vec![tool("t", schema.clone()), tool("u", bomb.clone())], calls);
        let verdict = BuiltinJudge::new(Task::ToolCalling).judge(&sample);
        assert!(verdict.explanation.unwrap().len() < 4_000);
    }
}

#[test]
fn what_cannot_be_checked_in_time_is_no_verdict() {
    let link = |i: u32| format!("{{\"$ref\":\"#/$defs/n{i}\"}}");
    let doubling = |levels: u32| -> Json {
        let links: Vec<String> =
            (0..levels).map(|i| format!("\"n{i}\":{{\"anyOf\":[{0},{0}]}}", link(i + 1))).collect();
        let links = links.join(",");
        let schema = format!(
            "{{\"properties\":{{\"a\":{},\"b\":{{\"type\":\"integer\"}}}},\"$defs\":{{{links},\"n{levels}\":{{\"minimum\":5}}}}}}",
            link(0)
        );
        Json::parse(&schema).unwrap()
    };
    let described = format!("{{\"$ref\":\"#/$defs/d\",\"description\":\"{}\"}}", "word ".repeat(300));
    let fields: Vec<String> = (0..3_900).map(|i| format!("\"p{i}\":{described}")).collect();
    let wordy =
        format!("{{\"properties\":{{\"a\":{{}},\"b\":{{\"type\":\"integer\"}},{}}}}}", fields.join(","));
    let backtracking =
        r#"{"properties":{"a":{"type":"string","pattern":"^((a|aa)(?=a|!))+$"},"b":{"type":"integer"}}}"#;
    let stuck = format!(r#"{{"a":"{}!"}}"#, "a".repeat(60));
    let values: Vec<String> = (0..250).map(|i| format!("\"z {i} z\"")).collect();
    let searched = format!(r#"{{"a":[{}]}}"#, values.join(","));
    let choices: Vec<String> = (0..2_000).map(|i| format!("\"choice {i}\"")).collect();
    let chosen = format!(
        r#"{{"properties":{{"a":{{"type":"array","items":{{"type":"string","enum":[{},{}]}}}},"b":{{"type":"integer"}}}}}}"#,
        values.join(","),
        choices.join(",")
    );
    let json = |text: &str| Json::parse(text).unwrap();
    for (schema, arguments, label) in [
        (doubling(4), r#"{"a":7}"#, Some("correct")),
        (doubling(4), r#"{"a":3}"#, Some("incorrect")),
        (doubling(60), r#"{"a":7}"#, None),
        (doubling(60), r#"{"a":3}"#, None),
        // What is known to be wrong stays wrong.
        (doubling(60), r#"{"a":7,"b":[]}"#, Some("incorrect")),
        (json(&wordy), r#"{"a":7}"#, None),
        (json(&wordy), r#"{"a":7,"b":[]}"#, Some("incorrect")),
        (json(backtracking), &stuck, None),
        (json(backtracking), r#"{"a":"a"}"#, Some("incorrect")),
    ] {
        let Json::Object(object) = json(arguments) else { panic!() };
        let sample =
            sample("Find the thing t asked for 7", vec![tool("t", schema)], vec![ToolCall::new("t", object)]);
        let verdict = Baseline::new(BaselineKind::SchemaOnly, Task::ParameterExtraction).judge(&sample);
        assert_eq!(verdict.label(), label, "{arguments} {:?}", verdict.explanation);
        let verdict = BuiltinJudge::new(Task::ParameterExtraction).judge(&sample);
        // Whether a value stands in the question is another matter.
        if label != Some("correct") {
            assert_eq!(verdict.label(), label, "{arguments} {:?}", verdict.explanation);
        }
        if label.is_none() {
            let Outcome::Abstained(reason) = verdict.outcome else { panic!() };
            assert!(reason.why.starts_with("definition_too_complex: "), "{reason:?}");
            // The choice of tools does not hang on it.
            assert!(
                BuiltinJudge::new(Task::ToolSelection)
                    .with_decide(Decide::Always)
                    .judge(&sample)
                    .label()
                    .is_some()
            );
        }
    }
    let Json::Object(object) = json(&searched) else { panic!() };
    let sample =
        sample(&"word ".repeat(12_000), vec![tool("t", json(&chosen))], vec![ToolCall::new("t", object)]);
    let verdict = BuiltinJudge::new(Task::ToolCalling).judge(&sample);
    let Outcome::Abstained(reason) = verdict.outcome else { panic!("{:?}", verdict.explanation) };
    assert!(reason.why.starts_with("row_too_complex: "), "{reason:?}");
}

#[test]
fn a_call_is_made_again_only_with_reason() {
    let schema = Json::parse(r#"{"properties":{"city":{"type":"string"}}}"#).unwrap();
    let call = |city: &str| {
        ToolCall::new("find", [("city".to_owned(), Json::from(city))].into_iter().collect::<Object>())
    };
    for (question, result, city, repeat) in [
        ("Find the thing in Oslo", "12 degrees", "Oslo", true),
        ("Find the thing in Oslo", "12 degrees", "Bergen", false),
        ("Find the thing in Oslo", "Error: timed out", "Oslo", false),
        ("Find the thing in Oslo", "the job is still running", "Oslo", false),
        ("Find the thing in Oslo twice", "12 degrees", "Oslo", false),
    ] {
        let mut sample = sample(question, vec![tool("find", schema.clone())], vec![call(city)]);
        let made = Message { tool_calls: vec![call("Oslo")], ..Message::new(Role::Assistant, "") };
        sample.messages.edit(|messages| messages.extend([made, Message::new(Role::Tool, result)]));
        let kinds: Vec<&str> = observations(&sample).iter().map(Observation::kind).collect();
        assert_eq!(kinds.contains(&"repeat"), repeat, "{question} {result} {city}");
        // Only the fault is certain; of the others the trees may think what they like.
        let judge = BuiltinJudge::new(Task::ToolSelection).with_decide(Decide::Evidence);
        let is_failed = judge.judge(&sample).label() == Some("incorrect");
        assert_eq!(is_failed, repeat, "{question} {result} {city}");
        // The user spoke again.
        sample.messages.edit(|messages| messages.push(Message::new(Role::User, question)));
        assert!(!observations(&sample).iter().any(|observation| observation.kind() == "repeat"));
    }
}

#[test]
fn every_call_is_held_against_its_definition() {
    let schema = Json::parse(r#"{"properties":{"n":{"type":"integer"}}}"#).unwrap();
    let call = |n: Json| ToolCall::new("t", [("n".to_owned(), n)].into_iter().collect::<Object>());
    for (calls, faulty) in [(70, 69), (300, 299)] {
        let value = |i: i64| if i == faulty { Json::from("many") } else { Json::Number(i.into()) };
        let calls: Vec<ToolCall> = (0..calls).map(|i| call(value(i))).collect();
        let sample = sample("Find the thing", vec![tool("t", schema.clone())], calls);
        assert!(observations(&sample).iter().any(|observation| observation.kind() == "wrong_type"));
        assert_eq!(BuiltinJudge::new(Task::ParameterExtraction).judge(&sample).label(), Some("incorrect"));
    }
}

#[test]
fn a_wide_pattern_hides_no_other_rule() {
    let schema = Json::parse(
        r#"{"type":"object","properties":{"name":{"type":"string","pattern":"^.{1,500}$"},"age":{"type":"integer","minimum":0}}}"#,
    );
    let arguments = Json::parse(r#"{"name":"Anna","age":-200}"#).unwrap();
    let call = ToolCall::new("find", arguments.as_object().unwrap().clone());
    let sample =
        sample("find people called Anna of age -200", vec![tool("find", schema.unwrap())], vec![call]);
    assert_eq!(BuiltinJudge::new(Task::ToolCalling).judge(&sample).label(), Some("incorrect"));
}

#[test]
fn as_many_equal_calls_as_are_asked_for_are_no_repeats() {
    let repeats = |question: &str, calls: usize| {
        let schema = Json::parse(r#"{"type":"object","properties":{}}"#).unwrap();
        let call = ToolCall::new("roll_die", Object::new());
        let sample = sample(question, vec![tool("roll_die", schema)], vec![call; calls]);
        observations(&sample).iter().any(|observation| matches!(observation, Observation::Duplicate { .. }))
    };
    assert!(!repeats("Roll a die 5 times", 5) && !repeats("Roll five dice", 5));
    assert!(repeats("Roll a die", 2) && repeats("Roll five dice", 6));
}

#[test]
fn a_try_that_failed_may_be_made_again() {
    for (is_error, repeats) in [(false, true), (true, false)] {
        let schema = Json::parse(r#"{"type":"object","properties":{}}"#).unwrap();
        let call = ToolCall::new("book_slot", Object::new());
        let mut sample = sample("Book the slot", vec![tool("book_slot", schema)], vec![call.clone()]);
        sample.messages = vec![
            Message::new(Role::User, "Book the slot"),
            Message { tool_calls: vec![call], ..Message::new(Role::Assistant, "") },
            Message { is_error, ..Message::new(Role::Tool, "slot taken") },
        ]
        .into();
        let found =
            observations(&sample).iter().any(|observation| matches!(observation, Observation::Repeat { .. }));
        assert_eq!(found, repeats, "{is_error}");
    }
}

#[test]
fn sentences_name_what_they_are_about() {
    let schema =
        Json::parse(r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#)
            .unwrap();
    let arguments = Json::parse(r#"{"city":"Lima","a/b":1}"#).unwrap();
    let Json::Object(arguments) = arguments else { panic!() };
    let told: Vec<String> = observations(&sample(
        "Weather in Oslo?",
        vec![tool("weather", schema)],
        vec![ToolCall::new("weather", arguments)],
    ))
    .iter()
    .map(Observation::to_string)
    .collect();
    assert_eq!(told[0], "parameter `a~1b` of call 1 is not in the definition");
    assert_eq!(told[1], "parameter `city` of call 1: nothing in the conversation supports `Lima`");
}

/// What the schema alone settles must be settled the same way, whatever else is in the row.
#[test]
fn what_the_schema_settles_stays_settled() {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"unit":{"enum":["metric","imperial"]}},"required":["city"]}"#;
    let tools = || vec![tool("forecast", Json::parse(schema).unwrap())];
    let call = |name: &str, arguments: &str| {
        let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!("{arguments}") };
        ToolCall::new(name, arguments)
    };
    let unknown = || (0..3_000).map(|_| ToolCall::new("news", Object::new()));
    let cases = [
        (vec![call("news", r#"{"city":"Oslo"}"#)], "unknown_tool"),
        (vec![call("", r#"{"city":"Oslo"}"#)], "no_name"),
        (vec![call("forecast", "{}")], "missing_parameter"),
        (vec![call("forecast", r#"{"city":"Oslo","hours":3}"#)], "unknown_parameter"),
        (vec![call("forecast", r#"{"city":["Oslo"]}"#)], "wrong_type"),
        (vec![call("forecast", r#"{"city":"Oslo","days":"3"}"#)], "loose_type"),
        (vec![call("forecast", r#"{"city":"Oslo","unit":"kelvin"}"#)], "not_allowed"),
        (unknown().chain([call("forecast", "{}")]).collect(), "unknown_tool"),
    ];
    for (calls, kind) in cases {
        let sample = sample("The forecast for Oslo for 3 days", tools(), calls);
        assert!(observations(&sample).iter().any(|own| own.is_fault() && own.kind() == kind), "{kind}");
        for task in [Task::ToolCalling, Task::ParameterExtraction, Task::ToolSelection] {
            let floor = Baseline::new(BaselineKind::SchemaOnly, task).judge(&sample);
            let verdict = BuiltinJudge::new(task).judge(&sample);
            if floor.label() == Some("incorrect") {
                assert_eq!(verdict.label(), Some("incorrect"), "{kind} {task:?}");
            }
        }
    }
}

#[test]
fn only_what_was_found_is_said_to_be_found() {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"},"word":{"type":"string"},"unit":{"type":"string","default":"metric"}},"required":["city","word"]}"#;
    for (arguments, said) in [
        (
            r#"{"city":"Oslo","word":"rain","unit":"metric"}"#,
            "2 of 3 values were found in the conversation, 1 is the default",
        ),
        (r#"{"city":"Oslo","word":"the"}"#, "1 of 2 values were found"),
        (r#"{"city":"Oslo","word":""}"#, "is required, but empty"),
    ] {
        let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!("{arguments}") };
        let calls = vec![ToolCall::new("find", arguments.clone())];
        let sample = sample(
            "Find the thing: rain in the city of Oslo",
            vec![tool("find", Json::parse(schema).unwrap())],
            calls,
        );
        let told = BuiltinJudge::new(Task::ParameterExtraction)
            .with_decide(Decide::Always)
            .judge(&sample)
            .explanation
            .unwrap();
        assert!(told.contains(said), "{arguments}: {told}");
    }
}
