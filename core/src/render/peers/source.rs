//! Files with a prompt somewhere in them, in a form that is not known: their syntax would be sent to the judge with it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::{Map, Value};

/// Keys of files that hold a prompt and more than that.
const KEYS: [&str; 10] = [
    "prompt",
    "prompts",
    "template",
    "instructions",
    "messages",
    "criteria",
    "evaluation_steps",
    "kwargs",
    "feedback_key",
    "system_prompt",
];

/// Keys that say how a model is asked, which no prompt has.
const SETTINGS: [&str; 9] = [
    "model",
    "temperature",
    "api_key",
    "apiKey",
    "max_tokens",
    "maxTokens",
    "top_p",
    "prompt_template",
    "promptTemplate",
];

/// Keys of such files that a prompt may have, too, but not several of them.
const MORE_SETTINGS: [&str; 4] = ["provider", "rubric", "scorer", "threshold"];

/// What the first line of a program looks like: an import, or a name that a text of several lines or a call is given to.
static PROGRAM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^(?:from [\w.]+ import .+|import [\w.]+(?: as \w+)?;?|import .+ from ['"].+|(?:export )?(?:const|let|var) \w+(?:\s*:[^=]+)?\s*=.*|[A-Za-z_]\w*(?:: ?\w+)? ?= ?(?:[rfbu]{0,2}(?:"""|'''|"|')|\w[\w.]*\().*)$"#,
    )
    .ok()
});

/// Why a text is no prompt but a file that holds one; `None` if nothing speaks against it.
pub(in crate::render) fn no_prompt(source: &str) -> Option<String> {
    const REMEDY: &str = "and no text of a prompt; write its prompt into a file of its own";
    if let Some(keys) = keys(source) {
        return Some(format!("it is a file with the keys {keys}, of a form that is not known, {REMEDY}"));
    }
    let mut lines = source.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let first = lines.next()?.trim_end();
    let is_program = PROGRAM.as_ref().is_some_and(|program| program.is_match(first));
    is_program.then(|| format!("it is the source of a program, {REMEDY}"))
}

/// Whether `{question}` or the like stands in it: a prompt has its placeholders all over, and a file that holds one in one value.
fn has_placeholder(text: &str) -> bool {
    text.match_indices('{').any(|(at, _)| {
        let name = text[at + 1..].trim_start_matches('{').split('}').next().unwrap_or_default().trim();
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    })
}

/// The keys of a JSON file that holds a prompt, or of YAML with several values, one of which is a text of several lines or has parts: whoever
/// wrote it did not mean all of it for a judge.
fn keys(source: &str) -> Option<String> {
    let has_settings = |keys: &[&str]| {
        keys.iter().any(|key| SETTINGS.contains(key))
            || keys.iter().filter(|key| MORE_SETTINGS.contains(key)).count() > 1
            || ["system", "user"].iter().all(|key| keys.contains(key))
    };
    let count = |keys: &[&str]| keys.iter().filter(|key| KEYS.contains(key)).count();
    // A prompt may ask in JSON, with placeholders for values.
    if source.trim_start().starts_with('{') {
        let file: Map<String, Value> = serde_json::from_str(source).ok()?;
        let keys: Vec<&str> = file.keys().map(String::as_str).collect();
        let placeholders = file.values().filter(|value| has_placeholder(&value.to_string())).count();
        let is_file = keys.len() > 1
            && (has_settings(&keys) || count(&keys) > 1 || count(&keys) == 1 && placeholders <= 1);
        return is_file.then(|| keys.join(", "));
    }
    let file: BTreeMap<String, yaml_serde::Value> = yaml_serde::from_str(source).ok()?;
    let keys: Vec<&str> = file.keys().map(String::as_str).collect();
    let is_key = |key: &&str| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // `{question}` is a map with a key without a value.
    let has_parts = |value: &yaml_serde::Value| matches!(value, yaml_serde::Value::Mapping(parts) if parts.values().any(|part| !part.is_null()));
    let is_long = |value: &yaml_serde::Value| match value {
        yaml_serde::Value::String(text) => text.contains('\n'),
        yaml_serde::Value::Sequence(items) => items.iter().any(has_parts),
        value => has_parts(value),
    };
    let has_known = has_settings(&keys) || count(&keys) > 0;
    let is_file = keys.len() > 1 && has_known && keys.iter().all(is_key) && file.values().any(is_long);
    is_file.then(|| keys.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_hold_a_prompt_are_none() {
        for (source, is_file) in [
            (
                "PROMPT = \"\"\"Is it correct or incorrect?\n{question} {tool_call}\"\"\"\njudge = create(prompt=PROMPT)\n",
                true,
            ),
            ("# My judge\nfrom openevals.llm import create_llm_as_judge\nP = 'correct or incorrect'\n", true),
            ("import openevals\n", true),
            ("import { evaluate } from 'openevals';\n", true),
            ("export const PROMPT = `Is it correct or incorrect?`;\n", true),
            ("metric = GEval(criteria=\"Is {tool_call} right?\")\n", true),
            (
                r#"{"lc": 1, "kwargs": {"messages": [{"prompt": {"template": "Is {tool_call} right?"}}]}}"#,
                true,
            ),
            (r#"{"name": "n", "criteria": "Is {tool_call} right?", "threshold": 0.5}"#, true),
            ("name: n\nprompt: |\n  Is it correct?\n  {question} {tool_call}\nmodel:\n  name: m\n", true),
            ("template: |\n  Is it correct?\n  {{ question }} {{ tool_call }}\nversion: 1\n", true),
            ("id: j\nmodel: m\nrubric: |\n  correct or incorrect:\n  {question} {tool_call}\n", true),
            ("name: j\nsystem: |\n  Be strict.\nuser: |\n  {question} {tool_call}\n", true),
            ("promptTemplate: |\n  {question}\n  {tool_call}\nmodelName: m\n", true),
            (
                r#"{"model": "m", "system_prompt": "Judge {question}.", "prompt": "Is {tool_call} right?"}"#,
                true,
            ),
            (r#"{"system_prompt": "Judge {question}.", "prompt": "Is {tool_call} right?"}"#, true),
            ("threshold: high\nquestion: |\n  {question}\n  {tool_call}\n", false),
            (r#"{"system": "Be strict.", "question": "{question}", "call": "{tool_call}"}"#, false),
            (r#"{"question": "{question}", "call": {tool_call}, "answer": "correct or incorrect"}"#, false),
            (
                r#"{"question": "{question}", "rules": ["be strict"], "task": {"answer": "correct or incorrect"}}"#,
                false,
            ),
            (r#"{"instructions": "Be strict.", "question": "{question}", "call": "{tool_call}"}"#, false),
            ("task: |\n  Judge it.\nquestion: |\n  {question}\ncall: |\n  {tool_call}\n", false),
            ("rules:\n  - be: strict\nquestion: |\n  {question}\n  {tool_call}\n", false),
            ("let me explain: x = 1 if {tool_call} is right\n", false),
            ("question: {question}\ncall: {tool_call}\nanswer: correct or incorrect\n", false),
            ("question: {{ question }}\ncall: {{ tool_call }}\nanswer: correct or incorrect\n", false),
            ("# Task\nIs {tool_call} right for {question}?\nx = \"\"\" is code\n", false),
            ("import the question: {question}\n", false),
            ("Score = 1 if {tool_call} is right\n", false),
            ("from what you see, import nothing\n", false),
        ] {
            assert_eq!(no_prompt(source).is_some(), is_file, "{source}");
        }
    }
}
