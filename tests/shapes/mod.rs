//! Whatever is written in any shape that is understood is read back as it was.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

mod calls;
mod odd_calls;
mod values;

use proptest::prelude::*;
use tooljudge::domain::{Arguments, Calls, Cell, Flag, Json, Object, RawRow, Sample, ToolCall};
use tooljudge::normalize::{Normalizer, Options};

use calls::SHAPES;
use odd_calls::{FREE_TEXT, MALFORMED};
use values::quoted;

/// What may stand around a text of calls without changing what it says.
const WRAPPERS: &[fn(&str) -> String] = &[
    |text| text.to_owned(),
    |text| format!("```json\n{text}\n```"),
    |text| format!("```\n{text}\n```<|eot_id|>"),
    |text| format!(" {text} </s>\n"),
    |text| quoted(text),
    |text| quoted(&quoted(&quoted(&quoted(text)))),
];

fn read(normalizer: &Normalizer, tool_call: Cell) -> Sample {
    let row = RawRow {
        question: Cell::Text("q".into()),
        tool_call: tool_call.clone(),
        tool_definitions: Cell::Null,
    };
    normalizer.sample(row).unwrap_or_else(|error| panic!("{error}: {tool_call:?}"))
}

fn parsed(sample: Sample) -> Vec<ToolCall> {
    match sample.calls {
        Calls::Parsed(calls) => calls,
        Calls::Unparsed => panic!("{sample:?}"),
    }
}

/// The same calls, or what differs in words that can be read.
fn same(found: &[ToolCall], expected: &[ToolCall], shape: &str, text: &str) -> Result<(), TestCaseError> {
    let shown = |calls: &[ToolCall]| Json::Array(calls.iter().map(ToolCall::to_json).collect());
    let why = || format!("{shape}: found {}, expected {}, in {text}", shown(found), shown(expected));
    if found == expected { Ok(()) } else { Err(TestCaseError::fail(why())) }
}

/// Each case is written in all shapes, so a fourth of the usual number of cases is plenty.
fn fewer() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.div_ceil(4), ..usual }
}

proptest! {
    #![proptest_config(fewer())]

    #[test]
    fn every_way_of_writing_calls_gives_the_same_calls(calls in values::calls()) {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        for shape in SHAPES {
            let text = (shape.write)(&calls);
            let expected = shape.expected(&calls);
            let check = |cell: Cell| {
                let found = parsed(read(&normalizer, cell));
                let found = if shape.python { calls::in_doubles(&found) } else { found };
                same(&found, &expected, shape.name, &text)
            };
            for wrap in WRAPPERS {
                check(Cell::Text(wrap(&text)))?;
            }
            if let Ok(json) = Json::parse(&text) {
                check(Cell::from(json))?;
            }
            let flags = read(&normalizer, Cell::Text(text.clone())).flags;
            prop_assert_eq!(flags, [shape.flags(&calls), vec![Flag::NoDefinitions]].concat(), "{}", shape.name);
            if shape.tagged {
                for words in [format!("So:\n{text}\nDone."), text.clone()] {
                    let words = quoted(&words);
                    check(Cell::Text(format!(r#"{{"role":"assistant","content":{words}}}"#)))?;
                    let part = format!(r#"{{"type":"text","text":{words}}}"#);
                    check(Cell::Text(format!(r#"{{"role":"assistant","content":[{part}]}}"#)))?;
                }
            }
        }
    }

    #[test]
    fn arguments_that_are_no_object_keep_their_text(calls in values::calls(), text in values::hostile_text()) {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        // Nothing that ends in a word is an object.
        let text = format!("{{\"a\": {text} and");
        let call = ToolCall { arguments: Arguments::Malformed(text.clone()), ..calls[0].clone() };
        for (shape, write) in MALFORMED {
            let written = write(&call, &text);
            let sample = read(&normalizer, Cell::Text(written.clone()));
            prop_assert!(sample.flags.contains(&Flag::MalformedArguments));
            same(&parsed(sample), std::slice::from_ref(&call), shape, &written)?;
        }
    }

    #[test]
    fn free_text_is_an_argument(calls in values::calls(), text in values::hostile_text(), key in values::name()) {
        let text = format!("go {text}");
        let one = format!(r#"[{{"name":{},"parameters":{{"type":"object","properties":{{"{key}":{{}}}}}}}}]"#, quoted(&calls[0].name));
        let without = Normalizer::new(Options::default()).unwrap();
        let with = Normalizer::new(Options { tools: Some(one), ..Options::default() }).unwrap();
        for (shape, flag, write) in FREE_TEXT {
            let written = write(&calls[0], &text);
            for (normalizer, key) in [(&without, "input"), (&with, key.as_str())] {
                // A custom tool has no parameters, so its input is called just that.
                let key = if *flag == Flag::CustomToolInput { "input" } else { key };
                let arguments = Arguments::Parsed(Object::from_iter([(key.to_owned(), Json::from(text.as_str()))]));
                let call = ToolCall { arguments, ..calls[0].clone() };
                let sample = read(normalizer, Cell::Text(written.clone()));
                prop_assert!(sample.flags.contains(flag), "{}", shape);
                same(&parsed(sample), &[call], shape, &written)?;
            }
        }
    }

    #[test]
    fn arguments_without_names_get_those_of_their_places(calls in values::calls()) {
        let schema = |call: &ToolCall| {
            let properties = values::object(call.parsed().unwrap().keys().map(|key| (key.to_owned(), values::object([]))));
            format!(r#"{{"name":{},"parameters":{{"type":"object","properties":{properties}}}}}"#, quoted(&call.name))
        };
        let call = &calls[0];
        let with = Normalizer::new(Options { tools: Some(schema(call)), ..Options::default() }).unwrap();
        let without = Normalizer::new(Options::default()).unwrap();
        let expected = ToolCall { id: None, ..calls::in_doubles(&calls)[0].clone() };
        let places = expected.parsed().unwrap().values().enumerate();
        let placed = places.map(|(place, value)| (format!("${place}"), value.clone())).collect();
        let unnamed = ToolCall { arguments: Arguments::Parsed(placed), ..expected.clone() };
        let text = odd_calls::by_place(call);
        for (normalizer, expected) in [(with, expected), (without, unnamed)] {
            let found = parsed(read(&normalizer, Cell::Text(text.clone())));
            same(&calls::in_doubles(&found), &[expected], "T20 by place", &text)?;
        }
    }
}
