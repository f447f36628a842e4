//! Tables of edits: what each may make of a call.

use super::accepted::Benign;
use super::bfcl;
use super::mistakes::Mistake;
use super::question::{Call, Question};
use super::random::Random;
use crate::domain::{Json, Object};

fn object(text: &str) -> Object {
    Json::parse(text).unwrap().as_object().unwrap().clone()
}

/// A question about ferries; its tools are `find` and `book`.
fn question(category: &str, text: &str, answer: &str) -> Question {
    let asked = format!(
        r#"{{"id":"q_0","question":[[{{"role":"user","content":"{text}"}}]],"function":[
            {{"name":"ferry.find","parameters":{{"type":"dict","required":["origin"],"properties":{{
                "origin":{{"type":"string"}},"destination":{{"type":"string"}},"cars":{{"type":"integer"}},
                "length":{{"type":"float","description":"In meters."}},"cabin":{{"type":"string","enum":["none","inside","outside"]}},
                "night":{{"type":"boolean"}},"on":{{"type":"string"}},"stops":{{"type":"array","items":{{"type":"string"}}}},
                "who":{{"type":"dict","properties":{{"age":{{"type":"integer"}}}}}}}}}}}},
            {{"name":"ferry.book","parameters":{{"type":"dict","required":["origin","seats"],"properties":{{
                "origin":{{"type":"string"}},"seats":{{"type":"integer"}}}}}}}}]}}"#
    );
    let answer = format!(r#"{{"id":"q_0","ground_truth":{answer}}}"#);
    bfcl::question(&object(&asked), Some(&object(&answer)), category).unwrap()
}

fn shown(calls: &[Call]) -> String {
    calls.iter().map(|call| format!("{}{}", call.tool, call.arguments)).collect::<Vec<_>>().join(" ")
}

/// Everything that an edit makes of the answer with some seed or other.
fn outcomes(
    question: &Question,
    edit: impl Fn(&Question, &[Call], &mut Random) -> Option<Vec<Call>>,
) -> Vec<String> {
    let calls = question.answer().unwrap();
    let made = (0..60).filter_map(|seed| edit(question, &calls, &mut Random::of(seed, &[])));
    let mut made: Vec<String> = made.map(|calls| shown(&calls)).collect();
    made.sort();
    made.dedup();
    made
}

#[test]
fn mistakes() {
    let one = |arguments: &str| format!(r#"[{{"ferry.find":{arguments}}}]"#);
    let two = r#"[{"ferry.find":{"origin":["Oslo"]}},{"ferry.find":{"origin":["Bergen"]}}]"#;
    for (mistake, answer, expected) in [
        (
            Mistake::WrongTool,
            one(r#"{"origin":["Oslo"],"cars":[2]}"#),
            &[r#"ferry.book{"origin":"Oslo","seats":2}"#][..],
        ),
        (Mistake::MissingRequired, one(r#"{"origin":["Oslo"],"cars":[2]}"#), &[r#"ferry.find{"cars":2}"#]),
        (Mistake::MissingRequired, one(r#"{"cars":[2]}"#), &[]),
        (
            Mistake::WrongType,
            one(r#"{"cars":[2],"night":[true]}"#),
            &[
                r#"ferry.find{"cars":"2","night":true}"#,
                r#"ferry.find{"cars":[2],"night":true}"#,
                r#"ferry.find{"cars":null,"night":true}"#,
                r#"ferry.find{"cars":2,"night":"true"}"#,
                r#"ferry.find{"cars":2,"night":1}"#,
            ],
        ),
        (
            Mistake::WrongType,
            one(r#"{"stops":[["A","B"]]}"#),
            &[
                r#"ferry.find{"stops":"A, B"}"#,
                r#"ferry.find{"stops":"[\"A\",\"B\"]"}"#,
                r#"ferry.find{"stops":null}"#,
            ],
        ),
        (
            Mistake::WrongType,
            one(r#"{"stops":[["A"]]}"#),
            &[
                r#"ferry.find{"stops":"A"}"#,
                r#"ferry.find{"stops":"[\"A\"]"}"#,
                r#"ferry.find{"stops":null}"#,
            ],
        ),
        (
            Mistake::WrongType,
            one(r#"{"who":[{"age":[3]}]}"#),
            &[r#"ferry.find{"who":"{\"age\":3}"}"#, r#"ferry.find{"who":null}"#],
        ),
        (
            Mistake::WrongType,
            one(r#"{"origin":["5 km"]}"#),
            &[
                r#"ferry.find{"origin":["5 km"]}"#,
                r#"ferry.find{"origin":{"type":"string","value":"5 km"}}"#,
                r#"ferry.find{"origin":5}"#,
                r#"ferry.find{"origin":null}"#,
            ],
        ),
        (
            Mistake::EnumSwap,
            one(r#"{"cabin":["none"],"origin":["Oslo"]}"#),
            &[
                r#"ferry.find{"cabin":"inside","origin":"Oslo"}"#,
                r#"ferry.find{"cabin":"outside","origin":"Oslo"}"#,
            ],
        ),
        (Mistake::EnumSwap, one(r#"{"night":[true]}"#), &[r#"ferry.find{"night":false}"#]),
        (Mistake::EnumSwap, one(r#"{"cabin":["other"]}"#), &[]),
        (
            Mistake::NumberOffByOne,
            one(r#"{"cars":[2]}"#),
            &[r#"ferry.find{"cars":1}"#, r#"ferry.find{"cars":3}"#],
        ),
        (
            Mistake::NumberOffByOne,
            one(r#"{"length":[0.5]}"#),
            &[r#"ferry.find{"length":0.4}"#, r#"ferry.find{"length":0.6}"#],
        ),
        (Mistake::NumberOffByOne, one(r#"{"cars":[250000]}"#), &[]),
        (
            Mistake::NumberOffByOne,
            one(r#"{"cars":[2024]}"#),
            &[
                r#"ferry.find{"cars":2014}"#,
                r#"ferry.find{"cars":2023}"#,
                r#"ferry.find{"cars":2025}"#,
                r#"ferry.find{"cars":2034}"#,
            ],
        ),
        (Mistake::NumberSign, one(r#"{"cars":[2]}"#), &[]),
        (Mistake::NumberSign, one(r#"{"cars":[-2]}"#), &[r#"ferry.find{"cars":2}"#]),
        (Mistake::NumberSign, one(r#"{"cars":[0]}"#), &[]),
        (Mistake::NumberScale, one(r#"{"cars":[2]}"#), &[r#"ferry.find{"cars":20}"#]),
        (Mistake::NumberUnit, one(r#"{"length":[10.0]}"#), &[r#"ferry.find{"length":32.8084}"#]),
        (
            Mistake::NumberScale,
            one(r#"{"cars":[2024]}"#),
            &[r#"ferry.find{"cars":2042}"#, r#"ferry.find{"cars":2204}"#],
        ),
        (Mistake::NumberUnit, one(r#"{"cars":[2]}"#), &[]),
        (
            Mistake::SwappedArguments,
            one(r#"{"origin":["Oslo"],"destination":["Kiel"],"cars":[2]}"#),
            &[r#"ferry.find{"origin":"Kiel","destination":"Oslo","cars":2}"#],
        ),
        (Mistake::SwappedArguments, one(r#"{"origin":["Oslo"],"cabin":["none"]}"#), &[]),
        (
            Mistake::DateShifted,
            one(r#"{"on":["2031-12-31"]}"#),
            &[
                r#"ferry.find{"on":"2030-12-31"}"#,
                r#"ferry.find{"on":"2031-12-30"}"#,
                r#"ferry.find{"on":"2032-12-31"}"#,
            ],
        ),
        (Mistake::DateShifted, one(r#"{"origin":["Oslo"]}"#), &[]),
        (
            Mistake::NestedEdit,
            one(r#"{"who":[{"age":[3]}]}"#),
            &[r#"ferry.find{"who":{"age":2}}"#, r#"ferry.find{"who":{"age":4}}"#],
        ),
        (Mistake::NestedEdit, one(r#"{"origin":["Oslo"]}"#), &[]),
        (
            Mistake::DroppedCall,
            two.to_owned(),
            &[r#"ferry.find{"origin":"Bergen"}"#, r#"ferry.find{"origin":"Oslo"}"#],
        ),
        (Mistake::DroppedCall, one("{}"), &[]),
        (
            Mistake::DuplicatedCall,
            two.to_owned(),
            &[
                r#"ferry.find{"origin":"Oslo"} ferry.find{"origin":"Bergen"} ferry.find{"origin":"Bergen"}"#,
                r#"ferry.find{"origin":"Oslo"} ferry.find{"origin":"Oslo"} ferry.find{"origin":"Bergen"}"#,
            ],
        ),
        (Mistake::MergedCall, two.to_owned(), &[r#"ferry.find{"origin":"Oslo, Bergen"}"#]),
        (
            Mistake::MergedCall,
            r#"[{"ferry.find":{"cars":[1],"stops":[["A"]]}},{"ferry.find":{"cars":[2],"stops":[["B"]]}}]"#
                .to_owned(),
            &[r#"ferry.find{"cars":[1,2],"stops":["A","B"]}"#],
        ),
        (Mistake::CallMissing, one("{}"), &[""]),
        (Mistake::CallNotNeeded, one("{}"), &[]),
    ] {
        let question = question("simple_python", "A ferry for my car?", &answer);
        let made = outcomes(&question, |question, calls, random| mistake.apply(question, calls, random));
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(made, expected, "{mistake:?} of {answer}");
    }
}

#[test]
fn mistakes_of_many_outcomes() {
    let answer = r#"[{"ferry.find":{"origin":["Oslo"],"on":["2031-12-31"]}}]"#;
    let asked = question("simple_python", "A ferry from Oslo to Kiel in a language of mine?", answer);
    let made =
        |mistake: Mistake| outcomes(&asked, |question, calls, random| mistake.apply(question, calls, random));
    let near = made(Mistake::NearMissString);
    assert_eq!(near, [r#"ferry.find{"origin":"Kiel","on":"2031-12-31"}"#]);
    let invented = made(Mistake::HallucinatedParameter);
    // The neighbour's parameter, and the one that the question speaks of.
    for part in [r#","seats":"#, r#","language":"en""#] {
        assert!(invented.iter().any(|call| call.contains(part)), "{invented:?}");
    }
    let nothing = question("irrelevance", "Who will book me a ferry with 3 seats from Kiel?", "[]");
    let made =
        outcomes(&nothing, |question, calls, random| Mistake::CallNotNeeded.apply(question, calls, random));
    assert_eq!(made, [r#"ferry.book{"origin":"Kiel","seats":3}"#]);
}

#[test]
fn edits_that_change_nothing_that_matters() {
    let one = |arguments: &str| format!(r#"[{{"ferry.find":{arguments}}}]"#);
    for (edit, answer, expected) in [
        (
            Benign::KeyOrder,
            one(r#"{"origin":["Oslo"],"cars":[2]}"#),
            &[r#"ferry.find{"cars":2,"origin":"Oslo"}"#][..],
        ),
        (Benign::KeyOrder, one(r#"{"cars":[2]}"#), &[]),
        (Benign::IntegerForFloat, one(r#"{"length":[5.0]}"#), &[r#"ferry.find{"length":5}"#]),
        (Benign::IntegerForFloat, one(r#"{"length":[5.5],"cars":[5]}"#), &[]),
        (
            Benign::OmittedDefault,
            one(r#"{"cars":[2,""],"cabin":["none"]}"#),
            &[r#"ferry.find{"cabin":"none"}"#],
        ),
        (
            Benign::StatedDefault,
            one(r#"{"cars":["",2],"cabin":["none"]}"#),
            &[r#"ferry.find{"cabin":"none","cars":2}"#],
        ),
        (
            Benign::AcceptedAlias,
            one(r#"{"origin":["Oslo","Oslo, Norway",""],"cars":[2]}"#),
            &[r#"ferry.find{"origin":"Oslo, Norway","cars":2}"#],
        ),
        (
            Benign::ReorderedCalls,
            r#"[{"ferry.find":{"origin":["Oslo"]}},{"ferry.find":{"origin":["Kiel"]}}]"#.to_owned(),
            &[r#"ferry.find{"origin":"Kiel"} ferry.find{"origin":"Oslo"}"#],
        ),
        (Benign::ReorderedCalls, one("{}"), &[]),
    ] {
        let question = question("simple_python", "A ferry?", &answer);
        let made = outcomes(&question, |question, calls, random| edit.apply(question, calls, random));
        assert_eq!(made, expected, "{edit:?} of {answer}");
    }
}

#[test]
fn the_answer_keeps_what_the_question_speaks_of() {
    let answer = r#"[{"ferry.find":{"origin":["Oslo","Oslo, Norway"],"cabin":["","inside"],"night":["",true],"cars":["",7],
                     "length":["","any",3.5],"who":[{"age":[3,4],"name":["","Bo"]}]}}]"#;
    let asked =
        question("simple_python", "From Oslo, in a cabin inside, with 3.5 meters, true to form", answer);
    let expected = r#"ferry.find{"origin":"Oslo","cabin":"inside","length":3.5,"who":{"age":3,"name":"Bo"}}"#;
    assert_eq!(shown(&asked.answer().unwrap()), expected);
    assert_eq!(question("live_relevance", "Q", "[]").answer(), None);
    assert_eq!(question("irrelevance", "Q", "[]").answer(), Some(Vec::new()));
}
