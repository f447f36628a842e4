//! Suite files: a good one in every format, bad ones with what is said of them, and texts that are anything but suites.

use std::fmt::Write;

use proptest::prelude::*;
use tooljudge_core::domain::{Entry, Json};
use tooljudge_core::drive::{
    Expected, Matching, MockResult, Suite, SuiteDefaults, SuiteError, SuiteFormat, Unmatched, World,
    read_suite,
};
use tooljudge_laws::hostile_inputs::CELLS;

const GOOD: [(&str, &str); 4] = [
    ("good.toml", include_str!("../../tests/cases/suites/good.toml")),
    ("good.json", include_str!("../../tests/cases/suites/good.json")),
    ("good.jsonl", include_str!("../../tests/cases/suites/good.jsonl")),
    ("good.yaml", include_str!("../../tests/cases/suites/good.yaml")),
];
/// `#### format`, with `tools` where the suite has those of `tools.json`, then the suite.
const BAD: &str = include_str!("../../tests/cases/suites/bad.txt");

fn load(name: &str) -> Result<String, String> {
    match name {
        "tools.json" => Ok(include_str!("../../tests/cases/suites/tools.json").to_owned()),
        "cut.json" => Ok("[\n  {\"name\": \"f\",\n".to_owned()),
        "twice.json" => Ok("[\n  {\"name\": \"f\", \"parameters\": {}},\n  {\"name\": \"f\", \"parameters\": {}}\n]".to_owned()),
        "schema.json" => Ok("[\n  {\"name\": \"f\", \"parameters\": {}},\n  {\"name\": \"g\", \"parameters\": {\"type\": \"object\", \"minProperties\": \"1\"}}\n]".to_owned()),
        "prose.txt" => Ok("You may use f.".to_owned()),
        _ => Err("no such file".to_owned()),
    }
}

fn read(name: &str, text: &str) -> Result<Suite, SuiteError> {
    read_suite(name, SuiteFormat::of_name(name).unwrap(), text, SuiteDefaults::default(), &load)
}

#[test]
fn every_format_says_the_same() {
    let [toml, others @ ..] =
        GOOD.map(|(name, text)| read(name, text).unwrap_or_else(|error| panic!("{name}:{error}")));
    for other in others {
        assert_eq!(other, toml);
    }
    let [first, second, third, fourth, fifth] = &toml.cases[..] else { panic!("{} cases", toml.cases.len()) };
    assert_eq!(
        (toml.name.as_str(), first.system.as_deref()),
        ("weather", Some("You are a weather assistant."))
    );
    let World::Mocked(mocks) = &first.world else { panic!("no mocks") };
    let shown: Vec<_> = mocks
        .rules
        .iter()
        .map(|rule| (rule.tool.as_str(), rule.matching, rule.times, rule.latency_ms))
        .collect();
    assert_eq!(
        shown,
        [
            ("get_weather", Matching::Fuzzy, None, 0),
            ("get_forecast", Matching::Strict, None, 0),
            ("get_weather", Matching::Strict, Some(2), 300),
        ]
    );
    assert_eq!(mocks.unmatched, Unmatched::Stop);
    let result = MockResult::Result(Json::parse(r#"{"temp":31.5}"#).unwrap());
    assert_eq!(mocks.rules[2].outcomes, [result, MockResult::Error("rate limited".to_owned())]);
    let tests = [
        r#"{"expected_tool_calls":[{"tool_name":"get_weather","required_params":{"city":"Hue"},"forbidden_params":["unit"]}],"ordered":true,"forbidden_tools":["delete_all"],"max_tool_calls":5,"max_latency_ms":10000}"#,
        r#"{"expected_tool_calls":[{"tool_name":"get_forecast","required_params":{"city":"Hue","days":5},"param_validators":{"days":{"kind":"range","min":1,"max":7},"city":{"kind":"regex","pattern":"^H"}}}],"expected_output_contains":["forecast"],"max_tool_calls":2,"max_latency_ms":10000}"#,
        r#"{"expected_tool_calls":[{"tool_name":"get_weather"},{"tool_name":"get_forecast"}],"ordered":true,"forbidden_tools":["delete_all"],"max_tool_calls":5,"max_latency_ms":10000}"#,
        r#"{"expected_tool_calls":[],"ordered":true,"forbidden_tools":["delete_all"],"not_calls":[{"tool_name":"get_weather","params":{"city":"Hue"}}],"max_tool_calls":5,"max_latency_ms":10000}"#,
        r#"{"expected_tool_calls":[],"should_not_call_tools":true,"ordered":true,"forbidden_tools":["delete_all"],"max_tool_calls":5,"max_latency_ms":10000}"#,
    ];
    for (case, test) in toml.cases.iter().zip(tests) {
        let Expected::Test(found) = &case.expected else { panic!("{}", case.id) };
        assert_eq!(found.to_string(), test, "{}", case.id);
    }
    let bounds = |at: usize| {
        let bounds = toml.cases[at].bounds;
        (bounds.max_steps, bounds.max_tool_calls, bounds.validate)
    };
    assert_eq!((bounds(0), bounds(1)), ((15, 5, true), (3, 2, false)));
    assert_eq!((second.category.as_deref(), second.reference.as_deref()), (Some("forecast"), Some("Rain.")));
    assert_eq!(third.start, [Entry::User("Weather in Hue?".to_owned())]);
    assert_eq!(third.follow_ups, ["And tomorrow?"]);
    assert_eq!((fourth.system.as_deref(), fourth.tools.len()), (Some("Answer in Vietnamese."), 1));
    assert_eq!(fourth.world, World::Recorded);
    assert!(std::sync::Arc::ptr_eq(&first.tools, &fifth.tools), "equal tools are shared");
}

#[test]
fn a_prefix_may_be_logged_in_any_form() {
    let calls = [("c1", "f", r#"{"a":1}"#), ("c2", "g", "{}")];
    let forms = [
        r#"[{"role":"user","content":"q"},{"role":"assistant","content":"Well.","tool_calls":[
            {"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"c2","content":"2"},{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"user","content":"r"}]"#,
        r#"[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"Well."},
            {"type":"tool_use","id":"c1","name":"f","input":{"a":1}},{"type":"tool_use","id":"c2","name":"g","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"1"},{"type":"tool_result","tool_use_id":"c2","content":"2"},{"type":"text","text":"r"}]}]"#,
        r#"[{"role":"user","content":"q"},{"role":"assistant","content":"Well."},{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},
            {"type":"function_call","call_id":"c2","name":"g","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"1"},
            {"type":"function_call_output","call_id":"c2","output":"2"},{"role":"user","content":"r"}]"#,
    ];
    for messages in forms {
        let line = format!(
            r#"{{"id":"a","tools":[],"should_not_call_tools":true,"messages":{}}}"#,
            messages.replace('\n', " ")
        );
        let suite = read("a.jsonl", &line).unwrap();
        let [Entry::User(q), Entry::Assistant { text, calls: made }, Entry::Results(results), Entry::User(r)] =
            &suite.cases[0].start[..]
        else {
            panic!("{:?}", suite.cases[0].start)
        };
        assert_eq!((q.as_str(), text.as_str(), r.as_str()), ("q", "Well.", "r"));
        let shown: Vec<String> = made.iter().map(|call| call.to_json().to_string()).collect();
        let expected: Vec<String> = calls
            .iter()
            .map(|(id, name, arguments)| {
                format!(r#"{{"name":"{name}","arguments":{arguments},"id":"{id}"}}"#)
            })
            .collect();
        assert_eq!(shown, expected);
        let shown: Vec<_> =
            results.iter().map(|it| (it.id.as_str(), it.tool.as_str(), it.content.as_str())).collect();
        assert_eq!(shown, [("c1", "f", "1"), ("c2", "g", "2")]);
    }
}

#[test]
fn calls_without_ids_or_with_repeated_ones_get_their_own() {
    let call = r#"{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"id":"c","function":{"name":"f","arguments":"{}"}}]}"#;
    let results = r#"{"role":"tool","content":"1"},{"role":"tool","tool_call_id":"c","content":"2"}"#;
    let messages = format!(r#"[{{"role":"user","content":"q"}},{call},{results},{call},{results}]"#);
    let line = format!(r#"{{"id":"a","tools":[],"should_not_call_tools":true,"messages":{messages}}}"#);
    let suite = read("a.jsonl", &line).unwrap();
    let ids: Vec<Vec<&str>> = suite.cases[0]
        .start
        .iter()
        .filter_map(|entry| match entry {
            Entry::Results(results) => Some(results.iter().map(|result| result.id.as_str()).collect()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, [["logged_2_1", "c"], ["logged_4_1", "logged_4_2"]]);
}

#[test]
fn what_is_said_of_bad_suites() {
    let mut shown = String::new();
    for block in BAD.split("#### ").skip(1) {
        let (head, text) = block.split_once('\n').unwrap();
        let (format, tools) = head.split_once(' ').unwrap_or((head, ""));
        let text = match (tools, format) {
            ("", _) => text.to_owned(),
            (_, "toml") => format!("tools = \"tools.json\" # {text}").replacen("# ", "\n", 1),
            _ => text.replacen('{', "{\"tools\": \"tools.json\", ", 1),
        };
        let said = match read(&format!("bad.{format}"), &text) {
            Ok(_) => "NOTHING IS WRONG".to_owned(),
            Err(error) => format!(
                "bad.{format}:{}: {error}",
                error.line.map_or("?".to_owned(), |line| line.to_string())
            ),
        };
        let _ = writeln!(shown, "{}\n=> {said}\n", text.trim_end());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_parameter_is_not_both_required_and_forbidden() {
    let tools = r#"[{"name":"del","parameters":{"type":"object","properties":{"id":{},"note":{}},"required":["id"]}}]"#;
    for (expected, why) in [
        (
            r#""required_params":{"note":"a"},"forbidden_params":["note"]"#,
            Some("no call can be without `note`: `required_params` asks for it"),
        ),
        (
            r#""required_params":{"note":null},"forbidden_params":["note"]"#,
            Some("no call can be without `note`: `required_params` asks for it"),
        ),
        (r#""forbidden_params":["id"]"#, Some("no call can be without `id`: the tool's schema requires it")),
        (r#""required_params":{"id":"7"},"forbidden_params":["note"]"#, None),
    ] {
        let line = format!(
            r#"{{"id":"a","user_message":"q","tools":{tools},"expected_tool_calls":[{{"tool_name":"del",{expected}}}]}}"#
        );
        let said = read("s.jsonl", &line).err().map(|error| error.to_string());
        match why {
            Some(why) => {
                assert!(said.as_ref().is_some_and(|said| said.contains(why)), "{expected}: {said:?}")
            }
            None => assert_eq!(said, None, "{expected}"),
        }
    }
    // Where the tool refuses nothing, a call may lack what its schema requires.
    let line = format!(
        r#"{{"id":"a","user_message":"q","tools":{tools},"validate":false,"expected_tool_calls":[{{"tool_name":"del","forbidden_params":["id"]}}]}}"#
    );
    assert!(read("s.jsonl", &line).is_ok());
}

#[test]
fn the_articles_defaults() {
    let text = r#"{"id":"a","tools":[],"should_not_call_tools":true,"user_message":"q"}"#;
    let shown = |defaults| {
        let suite = read_suite("a.b.jsonl", SuiteFormat::Jsonl, text, defaults, &load).unwrap();
        let Expected::Test(test) = &suite.cases[0].expected else { panic!("no test") };
        let World::Mocked(mocks) = &suite.cases[0].world else { panic!("no mocks") };
        let bounds = suite.cases[0].bounds;
        (
            suite.name,
            bounds.max_steps,
            bounds.max_tool_calls,
            bounds.validate,
            mocks.unmatched,
            test.get("max_latency_ms").map(Json::to_string),
        )
    };
    let latency = |text: &str| Some(text.to_owned());
    let name = || "a.b".to_owned();
    assert_eq!(shown(SuiteDefaults::default()), (name(), 15, 50, true, Unmatched::Error, latency("600000")));
    assert_eq!(shown(SuiteDefaults::article()), (name(), 6, 5, false, Unmatched::Echo, latency("10000")));
}

const FORMATS: [SuiteFormat; 4] =
    [SuiteFormat::Toml, SuiteFormat::Json, SuiteFormat::Jsonl, SuiteFormat::Yaml];

fn comes_back(text: &str) {
    for format in FORMATS {
        let _ = read_suite("a", format, text, SuiteDefaults::default(), &|_| Ok(text.to_owned()));
    }
}

#[test]
fn hostile_texts_come_back() {
    const SIZE: usize = 32 << 10;
    for (_, write) in CELLS {
        comes_back(&write(SIZE));
    }
    for text in [
        format!("a{} = 1", ".a".repeat(SIZE)),
        format!("[a{}]", ".a".repeat(SIZE)),
        format!("a = {}", "[".repeat(SIZE)),
        format!("a = {}", "{a=".repeat(SIZE)),
        format!("{}1", "a: {".repeat(SIZE)),
        "- ".repeat(SIZE / 8),
        format!(
            "a: &a [1,1]\n{}",
            (0..60).map(|at| format!("a{at}: &a [*a,*a,*a,*a]\n")).collect::<String>()
        ),
        format!(r#"{{"cases":{}1{}}}"#, "[".repeat(SIZE), "]".repeat(SIZE)),
    ] {
        comes_back(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn no_text_panics(
        text in any::<String>(),
        which in 0..4_usize,
        (from, length) in (0.0..1.0, 0..40_usize),
        put in prop_oneof![Just(""), Just("\""), Just("["), Just("]"), Just("{"), Just("\n"), Just("-1"), Just("null"), Just("x = ")],
    ) {
        comes_back(&text);
        let (name, good) = GOOD[which];
        let from = good.floor_char_boundary((good.len() as f64 * from) as usize);
        let to = good.floor_char_boundary((from + length).min(good.len()));
        let broken = format!("{}{put}{}", &good[..from], &good[to..]);
        if let Err(error) = read(name, &broken) {
            let lines = broken.matches('\n').count() + 1;
            prop_assert!(error.line.is_some_and(|line| (1..=lines + 1).contains(&line)), "{error:?} in {broken}");
        }
    }
}
