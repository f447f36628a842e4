//! promptfoo: a configuration holds prompts, providers and assertions, but no judge's prompt of its own, so it is refused by name.
//!
//! ```yaml
//! prompts: ["Book a table for {{party}}"]
//! providers: [openai:gpt-5-mini]
//! tests:
//!   - assert: [{ type: llm-rubric, value: Names a time }]
//! ```

use super::{Evaluator, Unusable};
use crate::render::template::Origin;

/// What a configuration has beside its prompts: one of these.
const BESIDE: &[&str] = &["providers", "targets", "tests", "defaultTest", "scenarios"];

/// Where a configuration says what a judge is asked.
const RUBRICS: &[&str] = &["rubricPrompt", "llm-rubric", "g-eval", "model-graded"];

pub(super) fn read(source: &str) -> Option<Result<Evaluator, Unusable>> {
    is_one(source).then(|| {
        let what = match RUBRICS.iter().find(|name| source.contains(**name)) {
            Some(name) => format!("the text of its `{name}`"),
            None => "what its assertions check".to_owned(),
        };
        let why = format!(
            "it configures a test, and is no judge's prompt, though its text could be read as one; write {what} into a file of \
             its own that shows {{question}} and {{tool_call}}; `label` reads the results of `promptfoo eval -o output.json`"
        );
        Err(Unusable { origin: Origin::Promptfoo, why })
    })
}

/// Whether the keys of a text's outermost level are a configuration's, in YAML or JSON.
fn is_one(source: &str) -> bool {
    let has: Box<dyn Fn(&str) -> bool> = match serde_json::from_str::<serde_json::Value>(source) {
        Ok(json) => Box::new(move |key| json.get(key).is_some()),
        Err(_) => Box::new(|key| {
            source.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
        }),
    };
    has("prompts") && BESIDE.iter().any(|key| has(key))
}
