//! Short hashes that tell whether two runs asked the same of an agent, in any process and on any machine.

use super::record::CaseRecord;
use crate::domain::{Json, Message, Object, ToolDefinition};
use crate::drive::mock::{Matching, MockResult, Rule, Unmatched};
use crate::drive::stage;
use crate::drive::suite::{Case, Expected, World};

/// What decides beside a case whether an episode of it passes.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The scorer, with the peer whose numbers these are.
    pub scorer: &'a str,
    /// Its settings.
    pub settings: &'a Object,
    /// Whether a judge grades answers.
    pub graded: bool,
}

/// Of what the user says, what tools return, the limits, and what passes. Two runs can be compared where it is the same.
pub fn asked(case: &Case, rules: Rules<'_>) -> String {
    let expected = match &case.expected {
        Expected::Test(test) => object([("test", Json::Object(test.clone()))]),
        Expected::Example { example, output_evaluation } => object([
            ("example", Json::Object(example.clone())),
            ("evaluation", Json::from(*output_evaluation)),
        ]),
    };
    // What a case says of its own holds, and `drive` gives each the threshold.
    let mut settings = rules.settings.clone();
    if matches!(&case.expected, Expected::Test(test) if test.contains_key("threshold")) {
        settings.remove("threshold");
    }
    let reference = case.reference.as_deref().filter(|_| rules.graded);
    let bounds = [case.bounds.max_steps, case.bounds.max_tool_calls, u32::from(case.bounds.validate)];
    hash(&object([
        ("said", said(case)),
        ("follow_ups", texts(&case.follow_ups)),
        ("world", world(&case.world)),
        ("bounds", Json::Array(bounds.map(|bound| Json::from(bound.to_string())).to_vec())),
        ("expected", expected),
        ("reference", reference.map_or(Json::Null, Json::from)),
        ("scorer", Json::from(rules.scorer)),
        ("settings", Json::Object(settings)),
    ]))
}

/// Of what the user says first: cases that differ in what tools return, or in what is expected, ask the same question.
pub fn question(case: &Case) -> String {
    hash(&said(case))
}

fn said(case: &Case) -> Json {
    Json::Array(case.start.iter().flat_map(stage::messages).map(|message| message.to_json()).collect())
}

/// Of the instructions and the tools on offer, which are the agent's as much as the case's: who improves them wants to see whether that
/// helps.
pub fn setup(case: &Case) -> String {
    let system = case.system.as_deref().map(|text| Message::new(crate::domain::Role::System, text).to_json());
    hash(&object([
        ("system", system.unwrap_or(Json::Null)),
        ("tools", Json::Array(case.tools.iter().map(ToolDefinition::to_json).collect())),
    ]))
}

/// Of the cases that were driven, in order.
pub fn together(cases: &[CaseRecord]) -> String {
    hash(&Json::Array(
        cases
            .iter()
            .flat_map(|case| [&case.case, &case.asked])
            .map(|part| Json::from(part.as_str()))
            .collect(),
    ))
}

/// 64 bits of BLAKE3, whatever the order of keys.
fn hash(value: &Json) -> String {
    blake3::hash(sorted(value).to_string().as_bytes()).to_hex()[..16].to_owned()
}

fn sorted(value: &Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        Json::Object(members) => {
            let mut members: Vec<(String, Json)> =
                members.iter().map(|(key, value)| (key.to_owned(), sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(members.into_iter().collect())
        }
        other => other.clone(),
    }
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn texts(texts: &[String]) -> Json {
    Json::Array(texts.iter().map(|text| Json::from(text.as_str())).collect())
}

fn world(world: &World) -> Json {
    match world {
        World::Recorded => Json::from("recorded"),
        World::Environment(name) => Json::from(name.as_str()),
        World::Mocked(mocks) => {
            let unmatched = match mocks.unmatched {
                Unmatched::Error => "error",
                Unmatched::Echo => "echo",
                Unmatched::Stop => "stop",
            };
            object([
                ("unmatched", Json::from(unmatched)),
                ("rules", Json::Array(mocks.rules.iter().map(rule).collect())),
            ])
        }
    }
}

fn rule(rule: &Rule) -> Json {
    let matching = match rule.matching {
        Matching::Strict => "strict",
        Matching::Fuzzy => "fuzzy",
        Matching::Exact => "exact",
    };
    let outcome = |outcome: &MockResult| match outcome {
        MockResult::Result(value) => object([("result", value.clone())]),
        MockResult::Text(text) => object([("text", Json::from(text.as_str()))]),
        MockResult::Error(text) => object([("error", Json::from(text.as_str()))]),
    };
    object([
        ("tool", Json::from(rule.tool.as_str())),
        ("when", Json::Object(rule.when.clone())),
        ("match", Json::from(matching)),
        ("outcomes", Json::Array(rule.outcomes.iter().map(outcome).collect())),
        ("times", rule.times.map_or(Json::Null, |times| Json::from(times.to_string()))),
        ("latency_ms", Json::from(rule.latency_ms.to_string())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::{SuiteDefaults, SuiteFormat, read_suite};

    fn rules(settings: &Object) -> Rules<'_> {
        Rules { scorer: "tool_evaluator", settings, graded: false }
    }

    fn case(more: &str) -> Case {
        let suite = format!(
            r#"
            system = "You help."
            tools = [{{ name = "look", description = "Looks", parameters = {{ type = "object", properties = {{ at = {{}} }} }} }}]
            [[mocks]]
            tool = "look"
            result = 4
            [[cases]]
            id = "one"
            user_message = "Sky?"
            expected_tool_calls = [{{ tool_name = "look" }}]
            {more}
            "#
        );
        let none = |_: &str| Err("no file".to_owned());
        let suite = read_suite("s", SuiteFormat::Toml, &suite, SuiteDefaults::default(), &none);
        suite.unwrap().cases.remove(0)
    }

    #[test]
    fn what_changes_a_case_and_what_its_setup() {
        let usual = case("");
        let none = Object::new();
        let rules = rules(&none);
        // Hashes stand in files: they must stay the same from version to version.
        let other = Rules { scorer: "tool_call", ..rules };
        assert_eq!(
            (asked(&usual, other).as_str(), setup(&usual).as_str()),
            ("d29fca2640d530e5", "77084c11f3a7cbf8")
        );
        let same =
            |other: &Case| (asked(other, rules) == asked(&usual, rules), setup(other) == setup(&usual));
        for (more, expected) in [
            ("", (true, true)),
            ("category = \"sky\"", (true, true)),
            ("reference = \"Blue\"", (true, true)),
            ("max_steps = 3", (false, true)),
            ("expected_output_contains = [\"blue\"]", (false, true)),
            ("mocks = [{ tool = \"look\", result = 5 }]", (false, true)),
            ("system = \"You help a lot.\"", (true, false)),
            ("tools = [{ name = \"look\", parameters = { type = \"object\" } }]", (true, false)),
        ] {
            assert_eq!(same(&case(more)), expected, "{more}");
        }
        let is_question = |more: &str| question(&case(more)) == question(&usual);
        assert!(is_question("mocks = [{ tool = \"look\", result = 5 }]") && is_question("max_steps = 3"));
        let mut other = case("");
        other.start.clear();
        assert_ne!(question(&other), question(&usual));
        // A threshold that the case has anyway is no other question.
        let mut own = case("");
        if let Expected::Test(test) = &mut own.expected {
            test.insert("threshold", Json::from("1"));
        }
        let given: Object = [("threshold".to_owned(), Json::from("1"))].into_iter().collect();
        let told = Rules { settings: &given, ..rules };
        assert_eq!(asked(&own, told), asked(&own, rules));
        assert_ne!(asked(&usual, told), asked(&usual, rules));
        // The order of keys says nothing, that of items does.
        let of = |text: &str| hash(&Json::parse(text).unwrap());
        assert_eq!(of(r#"[{"a": 1, "b": {"c": 2, "d": 3}}]"#), of(r#"[{"b": {"d": 3, "c": 2}, "a": 1}]"#));
        assert_ne!(of("[1, 2]"), of("[2, 1]"));
        let graded = Rules { graded: true, ..rules };
        let with = case("reference = \"Blue\"");
        assert_ne!(asked(&with, graded), asked(&with, rules));
        assert_eq!(asked(&usual, graded), asked(&usual, rules));
        assert_ne!(asked(&usual, Rules { scorer: "tool_call", ..rules }), asked(&usual, rules));
    }
}
