//! What must hold for any input: parsers that never panic, values that survive a round trip, fences that hold.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use tooljudge_core::bench::SCHEMA;
use tooljudge_core::domain::{
    Aftermath, AnswerForm, Calls, Definitions, Json, Messages, Number, Object, Origin, Prompt, Rails,
    RawText, Sample, Task,
};
use tooljudge_core::render;
use tooljudge_core::stats::PLACES;

use tooljudge_laws as laws;
use tooljudge_laws::mutations::{Dice, mutate};

/// A record of every scorer.
const SCORED: &[&str] = &[
    r#"{"tools_called":[{"name":"f","input_parameters":{"a":[1,{"b":2}]},"type":"MCP"}],"expected_tools":[{"name":"f","input_parameters":{"a":[1,{"b":3}]}}],"config":{"should_consider_ordering":true}}"#,
    r#"{"toolCalls":[{"name":"f","arguments":{"a":"1"}},{"name":"g"}],"expectedTools":[{"name":"f","arguments":{"a":1}}],"config":{"params":"fuzzy","ordered":true}}"#,
    r#"{"run":{"actual_steps":[{"tool":"f","tool_input":{"a":1}}]},"example":{"expected_steps":["f","g"],"order_matters":false}}"#,
    r#"{"test":{"expected_tool_calls":[{"tool_name":"f","required_params":{"a":1}}]},"tool_calls":[{"name":"f","input":{"a":1}},{"name":"f","input":{}}]}"#,
    r#"{"category":"parallel","functions":[{"name":"f","parameters":{"type":"dict","required":["a"],"properties":{"a":{"type":"array","items":{"type":"float"}}}}}],"call":[{"f":{"a":[1]}},{"f":{"a":[2]}}],"possible_answer":[{"f":{"a":[[2.0]]}},{"f":{"a":[[1.0],""]}}]}"#,
    r#"{"category":"java","functions":[{"name":"f","parameters":{"properties":{"a":{"type":"HashMap"}}}}],"call":[{"f":{"a":"new HashMap<>() {{ put(\"a\", 1); }}"}}],"possible_answer":[{"f":{"a":[{"a":[1]}]}}]}"#,
    r#"{"category":"javascript","functions":[{"name":"f","parameters":{"properties":{"a":{"type":"dict"}}}}],"call":[{"f":{"a":"{x: [1n, 'b'], \"y\": true}"}}],"possible_answer":[{"f":{"a":[{"x":[[1,"b"]],"y":[true]}]}}]}"#,
];

/// JSON values as deep and odd as logs hold them.
fn json() -> impl Strategy<Value = Json> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        "-?[1-9][0-9]{0,40}(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,2})?",
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number.prop_map(|text| Json::Number(Number::parse(&text).unwrap())),
        any::<String>().prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
            prop::collection::vec((any::<String>(), inner), 0..40)
                .prop_map(|entries| Json::Object(entries.into_iter().collect::<Object>())),
        ]
    })
}

fn sample(question: String, tool_call: String, tool_definitions: String) -> Sample {
    Sample {
        question: question.clone(),
        messages: Messages::default(),
        calls: Calls::Unparsed,
        definitions: Definitions::Unknown,
        raw: RawText {
            question: question.into(),
            tool_call: Some(tool_call),
            tool_definitions: Some(Arc::from(tool_definitions)),
        },
        flags: Vec::new(),
        origin: Origin::default(),
        place: None,
        after: Aftermath::default(),
        extras: Default::default(),
        part: None,
    }
}

proptest! {
    #[test]
    fn json_survives_writing_and_reading(value in json()) {
        prop_assert_eq!(Json::parse(&value.to_string()).unwrap(), value);
    }

    /// The independent reader agrees about what is JSON, except for numbers that it cannot hold.
    #[test]
    fn json_is_what_others_take_for_json(text in "[\\[\\]{}\",:\\\\0-9eE+.tfnrualse \\-]{0,24}") {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        let too_large = theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        if !too_large {
            prop_assert_eq!(Json::parse(&text).is_ok(), theirs.is_ok(), "{}", text);
        }
    }

    #[test]
    fn any_record_can_be_offered_to_the_scorers(record in json(), dice: u64) {
        static SEEDS: LazyLock<Vec<Json>> = LazyLock::new(|| {
            SCORED.iter().map(|text| Json::parse(text).unwrap()).collect()
        });
        let words = ["name", "arguments", "expectedTools", "tools_called", "type", "x", "1n", "[1]"].map(str::to_owned);
        let mut dice = Dice::new(dice);
        let mut mutated = SEEDS[dice.roll(SEEDS.len())].clone();
        for _ in 0..=dice.roll(4) {
            mutate(&mut mutated, &words, &mut dice);
        }
        laws::score(&record.to_string());
        laws::score(&mutated.to_string());
    }

    #[test]
    fn any_text_can_be_offered_as_calibration(counts in prop::collection::vec(prop_oneof![0..9_u64, any::<u64>()], 7)) {
        let [clusters, a, b, c, d, e, f] = counts[..] else { unreachable!("seven") };
        let places = |sum: u64| [vec![0; PLACES - 1], vec![sum]].concat();
        let (right, wrong) = (places(a.wrapping_add(b).wrapping_add(e)), places(c.wrapping_add(d).wrapping_add(f)));
        let kind = serde_json::json!({"clusters": clusters, "table": [a, b, c, d, e, f], "right": right, "wrong": wrong});
        let contender = serde_json::json!({"judge": "m", "template": "t", "operating": {"kinds": [kind, kind]}});
        laws::calibration(&serde_json::json!({"schema": SCHEMA, "entrants": [contender]}).to_string());
    }

    #[test]
    fn any_text_can_be_offered_to_the_json_parser(text in any::<String>()) {
        if let Ok((_, end)) = Json::parse_prefix(&text) {
            prop_assert!(text.is_char_boundary(end));
        }
    }

    #[test]
    fn any_text_can_be_offered_as_a_template(text in any::<String>(), body in "[{}%# a-z_\\n]{0,60}") {
        laws::template(&text);
        laws::template(&body);
        laws::template(&format!("+++\n{body}+++\n{text}"));
        laws::template(&format!("{{question}}{{{{ tool_call }}}}{body}"));
    }

    /// Data stays inside its fence, whatever it holds: every block is opened and closed once, in order.
    #[test]
    fn no_block_can_close_a_fence(
        texts in prop::collection::vec("(\\[(begin|end) [0-9a-f]{16}\\]|\\{\\{ question \\}\\}|[a-z\\n])*", 3),
    ) {
        let [question, call, definitions]: [String; 3] = texts.try_into().unwrap();
        for task in Task::ALL.into_iter().filter(|task| task.about_calls().is_some()) {
            let template = render::builtin(task).unwrap();
            let sample = sample(question.clone(), call.clone(), definitions.clone());
            let Prompt { text, .. } = template.render(&sample, AnswerForm::EXPLAINED).unwrap();
            let mut rest = text.as_str();
            for block in [&definitions, &question, &call] {
                // The data itself may hold lines that look like fences, but never with its own code.
                let (code, inside) = fence_around(rest, block);
                let lines = |edge: &str| text.matches(&format!("[{edge} {code}]")).count();
                prop_assert_eq!(lines("begin"), lines("end"));
                prop_assert!(!question.contains(&code) && !call.contains(&code) && !definitions.contains(&code));
                rest = inside;
            }
        }
    }

    #[test]
    fn rails_keep_their_spelling(labels in prop::collection::vec("[A-Za-z]{1,8}", 2..5)) {
        let rail = |label: &String| tooljudge_core::domain::Rail { label: label.clone(), score: 0.0 };
        if let Ok(rails) = Rails::new(labels.iter().map(rail).collect(), &labels[0]) {
            prop_assert_eq!(rails.labels().map(str::to_owned).collect::<Vec<_>>(), labels);
        }
    }
}

/// The code of the first fence in `text` that holds exactly `block`, and what follows the fence.
fn fence_around<'a>(text: &'a str, block: &str) -> (String, &'a str) {
    let mut from = 0;
    while let Some(at) = text[from..].find("[begin ").map(|at| from + at) {
        let code = &text[at + 7..at + 23];
        let whole = format!("[begin {code}]\n{block}\n[end {code}]");
        if text[at..].starts_with(&whole) {
            return (code.to_owned(), &text[at + whole.len()..]);
        }
        from = at + 1;
    }
    panic!("no fence holds the block");
}
