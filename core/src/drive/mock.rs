//! Mocked tools: rules that say what a call returns.

use crate::domain::{Json, Object};
use crate::score::{Equality, is_about_equal};

/// The rules of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Mocks {
    /// The first that matches a call and is not used up answers it.
    pub rules: Vec<Rule>,
    /// What becomes of a call of a tool that has rules, none of which answers it.
    pub unmatched: Unmatched,
}

/// What calls of one tool return.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The tool.
    pub tool: String,
    /// The arguments that a call must have; none for every call.
    pub when: Object,
    /// How they are compared.
    pub matching: Matching,
    /// What calls return, in turn; the last one again and again. Never empty.
    pub outcomes: Vec<MockResult>,
    /// After so many calls it is used up.
    pub times: Option<u32>,
    /// How long a call takes, in milliseconds that nobody waits.
    pub latency_ms: u64,
}

/// How arguments are compared with a rule's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Matching {
    /// Those of the rule must be equal; a call may have others.
    #[default]
    Strict,
    /// The same, with texts compared without regard to case and parts, and numbers within a thousandth.
    Fuzzy,
    /// All arguments must be equal, and there may be no others but those that say nothing: null, or the default of the definition.
    Exact,
}

/// What a call returns.
#[derive(Debug, Clone, PartialEq)]
pub enum MockResult {
    /// A value, shown to the model as JSON.
    Result(Json),
    /// A text, shown as it is.
    Text(String),
    /// A failure, in these words.
    Error(String),
}

/// What becomes of a call that no rule of its tool answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unmatched {
    /// It fails, and counts as an issue.
    #[default]
    Error,
    /// It returns what a tool without rules does: its own arguments.
    Echo,
    /// The episode ends without a score; so it does after a call of a tool that has no rules.
    Stop,
}

/// The mocks of one episode: what of the rules is used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MockState {
    /// How often each rule has answered.
    used: Vec<u32>,
}

/// What the mocks say to a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MockAnswer<'a> {
    /// A rule answers.
    Rule(&'a MockResult, u64),
    /// The tool has no rules.
    NoRules,
    /// It has rules, and none answers.
    Unmatched,
}

impl MockState {
    pub(super) fn new(mocks: &Mocks) -> MockState {
        MockState { used: vec![0; mocks.rules.len()] }
    }

    /// `parameters` is the schema of the tool's arguments.
    pub(super) fn answer<'a>(
        &mut self,
        mocks: &'a Mocks,
        (tool, parameters): (&str, &Json),
        arguments: &Object,
    ) -> MockAnswer<'a> {
        let mut has_rules = false;
        for (rule, used) in mocks.rules.iter().zip(&mut self.used) {
            if rule.tool != tool {
                continue;
            }
            has_rules = true;
            if rule.times.is_some_and(|times| *used >= times) || !rule.matches(arguments, parameters) {
                continue;
            }
            let at = (*used as usize).min(rule.outcomes.len().saturating_sub(1));
            *used = used.saturating_add(1);
            if let Some(outcome) = rule.outcomes.get(at) {
                return MockAnswer::Rule(outcome, rule.latency_ms);
            }
        }
        if has_rules { MockAnswer::Unmatched } else { MockAnswer::NoRules }
    }
}

impl Rule {
    /// Whether it is for a call with these arguments of a tool with these parameters.
    fn matches(&self, arguments: &Object, parameters: &Json) -> bool {
        let default = |name: &str| parameters.get("properties")?.get(name)?.get("default");
        let exact = self.matching == Matching::Exact;
        let every = |is_equal: &dyn Fn(&Json, &Json) -> bool| {
            self.when.iter().all(|(name, wanted)| {
                let given = arguments.get(name).or_else(|| default(name).filter(|_| exact));
                given.is_some_and(|given| is_equal(wanted, given))
            })
        };
        let equal = |wanted: &Json, given: &Json| Equality::Json.values(wanted, given);
        match self.matching {
            Matching::Strict => every(&equal),
            Matching::Exact => {
                let says_nothing = |(name, given): (&str, &Json)| {
                    given.is_null() || default(name).is_some_and(|default| equal(default, given))
                };
                every(&equal)
                    && arguments.iter().all(|added| self.when.contains_key(added.0) || says_nothing(added))
            }
            Matching::Fuzzy => every(&is_about_equal),
        }
    }
}

/// Whether two calls of a tool with these `parameters` say the same. What says nothing does not count: the default of the definition, and
/// null for what may be left out.
pub(super) fn is_same_call(parameters: &Json, a: &Object, b: &Object) -> bool {
    let says_nothing = |name: &str, value: &Json| {
        let default = parameters.get("properties").and_then(|all| all.get(name)?.get("default"));
        let required = parameters.get("required").and_then(Json::as_array).unwrap_or_default();
        default.is_some_and(|default| Equality::Json.values(default, value))
            || value.is_null() && required.iter().all(|other| other.as_str() != Some(name))
    };
    let said = |arguments: &Object| -> Object {
        let kept = arguments.iter().filter(|(name, value)| !says_nothing(name, value));
        kept.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    };
    Equality::Json.objects(&said(a), &said(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object {
        match Json::parse(text) {
            Ok(Json::Object(object)) => object,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn calls_are_the_same_whatever_says_nothing() {
        let parameters = Json::parse(
            r#"{"properties":{"id":{"type":"string"},"force":{"default":false},"to":{"default":1}},"required":["id","to"]}"#,
        )
        .unwrap();
        for (a, b, is_same) in [
            (r#"{"id":"7"}"#, r#"{"id":"7"}"#, true),
            (r#"{"id":"7"}"#, r#"{"id":"7","force":false}"#, true),
            (r#"{"id":"7"}"#, r#"{"id":"7","force":true}"#, false),
            (r#"{"id":"7"}"#, r#"{"id":"7","note":null}"#, true),
            (r#"{"id":"7"}"#, r#"{"id":"7","note":""}"#, false),
            (r#"{"id":"7"}"#, r#"{"id":"7","force":null,"note":null,"to":1.0}"#, true),
            (r#"{"id":"7","force":true}"#, r#"{"id":"7"}"#, false),
            // What is required is told.
            (r#"{}"#, r#"{"id":null}"#, false),
            (r#"{"id":"7"}"#, r#"{"id":"7","to":null}"#, false),
            (r#"{"id":"7"}"#, r#"{"id":"8"}"#, false),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(is_same_call(&parameters, &object(a), &object(b)), is_same, "{a} {b}");
            }
        }
        // Nothing is known of the parameters.
        assert!(is_same_call(&Json::Null, &object(r#"{"a":1,"b":null}"#), &object(r#"{"a":1}"#)));
        assert!(!is_same_call(&Json::Null, &object(r#"{"a":1,"b":false}"#), &object(r#"{"a":1}"#)));
    }

    #[test]
    fn what_says_nothing_is_no_other_argument() {
        let parameters =
            Json::parse(r#"{"properties":{"a":{"default":2},"b":{"default":[1]},"d":{"default":"x"}}}"#)
                .unwrap();
        let (tool, times, latency_ms, outcomes) = (String::new(), None, 0, Vec::new());
        let when = object(r#"{"a":1,"d":"x"}"#);
        let rule = Rule { tool, when, matching: Matching::Exact, outcomes, times, latency_ms };
        for (arguments, matches) in [
            (r#"{"a":1}"#, true),
            (r#"{"a":1,"b":null}"#, true),
            (r#"{"a":1,"b":[1]}"#, true),
            (r#"{"a":1,"b":[2]}"#, false),
            (r#"{"a":1,"c":[1]}"#, false),
            (r#"{"a":1,"d":"x"}"#, true),
            (r#"{"a":1,"d":"y"}"#, false),
            (r#"{"a":2}"#, false),
            (r#"{"a":null}"#, false),
            (r#"{}"#, false),
        ] {
            assert_eq!(rule.matches(&object(arguments), &parameters), matches, "{arguments}");
        }
    }
}
