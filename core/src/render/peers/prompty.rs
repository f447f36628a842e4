//! Azure AI Evaluation: a `.prompty` file, with YAML between two `---` lines and then `system:` and `user:` parts in Jinja.
//!
//! ```text
//! ---
//! name: Tool Input Accuracy
//! model: { api: chat, parameters: { temperature: 0.0 } }
//! inputs: { query: { type: List }, tool_calls: { type: List } }
//! ---
//! system:
//! You judge calls. Reply in JSON: "score": <0 for fail, 1 for pass>
//! user:
//! {{query}} {{tool_calls}}
//! ```

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answers::Answers;
use super::labels::{self, NAME_THEM};
use super::sense::Sense;
use super::{Body, Evaluator, Unusable};
use crate::domain::Rails;
use crate::render::template::Origin;

/// From 1 to 5, these pass, as Azure's evaluators have it by default.
const THRESHOLD: f64 = 3.0;

/// What Azure puts where a file has `{{response}}`: the whole turn. The prelude is one line, so that errors keep theirs.
const TURN: &str = "{%- set response = tool_call ~ (\"\\n\" ~ tool_result if tool_result is defined else \"\") ~ (\"\\n\" ~ \
                    final_answer if final_answer is defined else \"\") -%}";
/// What it puts where a file has `{{tool_calls}}` and no conversation.
const CALLS_WITH_RESULTS: &str = "{%- set tool_calls = tool_call ~ \"\\n\" ~ tool_result -%}";

/// Nothing, but the space that follows is left out, as after the preludes above.
const START: &str = "{#- -#}";

struct Patterns {
    role: Regex,
    grades: Regex,
    digit: Regex,
    variable: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        role: Regex::new(r"(?i)^\s*#?\s*(system|developer|user|assistant)\s*:\s*$").ok()?,
        grades: Regex::new(r"\b1\s*(?:-|–|to|and|through|,)\s*5\b").ok()?,
        digit: Regex::new(r"\d+(?:\.\d+)?").ok()?,
        variable: Regex::new(r"\{[{%][^}%]*?\b(query|tool_calls|response|messages)\b").ok()?,
    })
});

#[derive(Deserialize)]
struct Head {
    name: Option<String>,
    #[serde(default)]
    description: String,
    model: Option<Value>,
    inputs: Option<Value>,
}

pub(super) fn read(source: &str) -> Option<Result<Evaluator, Unusable>> {
    let (head, body, before) = split(source)?;
    let patterns = PATTERNS.as_ref()?;
    let has_roles = body.lines().any(|line| patterns.role.is_match(line));
    let head = yaml_serde::from_str::<Head>(head);
    let is_prompty = match &head {
        Ok(head) => head.model.is_some() || head.inputs.is_some() || has_roles,
        Err(_) => has_roles,
    };
    let head = head.map_err(|why| format!("front matter: {why}"));
    is_prompty.then(|| {
        head.and_then(|head| evaluator(patterns, head, body, before))
            .map_err(|why| Unusable { origin: Origin::Prompty, why })
    })
}

/// The head, the body, and how many lines come before the body.
fn split(source: &str) -> Option<(&str, &str, usize)> {
    let rest = source.strip_prefix("---")?.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let mut at = 0;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..], number + 2));
        }
        at += line.len();
    }
    None
}

fn evaluator(patterns: &Patterns, head: Head, body: &str, before: usize) -> Result<Evaluator, String> {
    let is_example = |line: &str| patterns.role.is_match(line) && line.to_lowercase().contains("assistant");
    if body.lines().any(is_example) {
        return Err(
            "it has an `assistant:` part, an example of an answer, which is not carried over; write the example into the text"
                .to_owned(),
        );
    }
    let title = format!("{}: {}", head.name.as_deref().unwrap_or_default(), head.description);
    let rails = rails(patterns, &title, body);
    let uses = |name: &str| {
        patterns
            .variable
            .captures_iter(body)
            .any(|found| found.get(1).is_some_and(|found| found.as_str() == name))
    };
    let mut notes = vec![
        "of a reply, only the score counts: properties are not carried over, and a row that Azure would skip gets a label here; \
         a sentence at the end asks for the score alone"
            .to_owned(),
        "its system and user parts are sent as one text, in order".to_owned(),
    ];
    let prelude = if uses("response") && !uses("tool_calls") {
        notes.push("{{response}} shows the turn: its calls, what they returned and the answer".to_owned());
        TURN
    } else if uses("tool_calls") && !uses("query") && !uses("messages") {
        notes.push(
            "{{tool_calls}} shows the calls and what they returned, since the file shows no conversation"
                .to_owned(),
        );
        CALLS_WITH_RESULTS
    } else {
        START
    };
    if uses("messages") {
        notes.push(
            "{{messages}} is the whole conversation as one text, with all that came after the judged turn; loops over its messages are not \
             carried over"
                .to_owned(),
        );
    }
    if let Ok(rails) = &rails {
        let labels: Vec<&str> = rails.labels().collect();
        let passing: Vec<&str> = rails.labels().filter(|label| rails.passes_label(label)).collect();
        notes.push(format!(
            "the scores {} were read off its text; {} {}",
            labels.join(", "),
            passing.join(", "),
            if passing.len() == 1 { "passes" } else { "pass" },
        ));
    }
    notes.extend(settings(head.model.as_ref()));
    // A line that only names a role is empty here, so that the lines of errors stay those of the file.
    let text = body.lines().map(|line| if patterns.role.is_match(line) { "" } else { line });
    Ok(Evaluator {
        origin: Origin::Prompty,
        name: head.name.as_deref().and_then(super::identifier),
        description: head.description,
        body: Body::Jinja { source: format!("{prelude}{}", text.collect::<Vec<_>>().join("\n")), before },
        rails,
        wants_request: true,
        notes,
    })
}

fn settings(model: Option<&Value>) -> Option<String> {
    let model = model?;
    let deployment =
        model.get("configuration").and_then(|with| with.get("azure_deployment")).and_then(Value::as_str);
    let parameters = model.get("parameters").and_then(Value::as_object);
    let parameters: Vec<String> = parameters.into_iter().flat_map(Map::keys).map(ToOwned::to_owned).collect();
    super::settings_note(deployment, &parameters)
}

/// The scores that lines about the score speak of: 0 and 1, or 1 to 5, in one line or one by one. Which end is good must be clear from what the text says of them, or
/// else from what is scored, as `title` has it.
fn rails(patterns: &Patterns, title: &str, body: &str) -> Result<Rails, String> {
    let (mut binary, mut graded) = (false, false);
    for line in body.lines() {
        let lower = line.to_lowercase();
        let Some(at) =
            ["score", "result\"", "_level", "rating"].iter().filter_map(|name| lower.find(name)).min()
        else {
            continue;
        };
        if patterns.grades.is_match(&lower) {
            graded = true;
            continue;
        }
        let numbers: Vec<&str> = patterns.digit.find_iter(&lower[at..]).map(|found| found.as_str()).collect();
        binary |= numbers.iter().all(|number| matches!(*number, "0" | "1"))
            && ["0", "1"].iter().all(|wanted| numbers.contains(wanted));
    }
    let named: BTreeSet<u32> = body.lines().filter_map(score_of_line).collect();
    binary |= named.iter().eq(&[0_u32, 1]);
    graded |=
        [1, 5].iter().all(|end| named.contains(end)) && named.iter().all(|score| (1..=5).contains(score));
    match (binary, graded) {
        (true, false) => match (Answers { high: "1", low: "0" }).of(title, body) {
            Sense::Good => labels::scored(vec![("1".to_owned(), 1.0), ("0".to_owned(), 0.0)], 1.0),
            other => {
                let why = match other {
                    Sense::Bad => "its text may give the score 1 to failures",
                    _ => "its text does not say clearly that 1 is good",
                };
                Err(format!("{why}; {NAME_THEM}: --rails 1,0 if 1 passes, --rails 0,1 if 0 does"))
            }
        },
        (false, true) => match (Answers { high: "5", low: "1" }).of(title, body) {
            Sense::Good => labels::grades(1, 5, THRESHOLD),
            other => {
                let why = match other {
                    Sense::Bad => "its text may give high scores to failures",
                    _ => "its text does not say clearly that 5 is good",
                };
                Err(format!("{why}; let it say so, as `5 = correct`, or {NAME_THEM}, the best first"))
            }
        },
        (true, true) => {
            Err(format!("its text speaks of scores 0 and 1 and of scores from 1 to 5; {NAME_THEM}"))
        }
        (false, false) => {
            Err(format!("its text does not say whether scores are 0 and 1 or from 1 to 5; {NAME_THEM}"))
        }
    }
}

/// The score that a line tells the meaning of: `### Score 1: the call is wrong`.
fn score_of_line(line: &str) -> Option<u32> {
    let lower = line.to_lowercase();
    let start = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = start.strip_prefix("score").or_else(|| start.strip_prefix("rating"))?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || "*_]`\"".contains(c));
    number.parse().ok().filter(|_| after.starts_with([':', '=', '-', '–', '—', '(']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_may_be_named_line_by_line() {
        const OPEN: &str = "does not say whether scores are 0 and 1 or from 1 to 5";
        for (text, error) in [
            ("Score 1: very poor\nScore 2: poor\nScore 3: fair\nScore 4: good\nScore 5: excellent", None),
            ("### **Score 1** - very poor\n\n### **Score 5** - excellent", None),
            ("- Score 0 (fail): no\n- Score 1 (pass): yes", None),
            ("Score 1: excellent\nScore 5: very poor", Some("may give high scores to failures")),
            (
                "Score 1: handed over late\nScore 5: handed over at once",
                Some("does not say clearly that 5 is good"),
            ),
            // Other scales, and scores that are only mentioned.
            ("Score 1: very poor\nScore 10: excellent", Some(OPEN)),
            ("Score 0: very poor\nScore 5: excellent", Some(OPEN)),
            ("Score 1: very poor\nScore 2: poor\nScore 3: excellent", Some(OPEN)),
            ("Score 1 very poor calls\nScore 5 excellent calls", Some(OPEN)),
        ] {
            let found = rails(PATTERNS.as_ref().unwrap(), "", text).err();
            let is_so = match (&found, error) {
                (Some(found), Some(error)) => found.contains(error),
                (found, error) => found.is_some() == error.is_some(),
            };
            assert!(is_so, "{found:?}: {text}");
        }
    }
}
