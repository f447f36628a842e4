//! Baselines that a judge must beat: passing every call, and checking only the schema.

use super::assess::dialect;
use super::cache::Cache;
use super::observation::Observation;
use super::readable;
use super::schema;
use crate::domain::{Abstention, CallTask, Outcome, Sample, Task, Verdict};
use crate::reading::words::fold;

/// A judge that hardly looks. Judges are measured beside both kinds, since shares alone say little: where nine calls in ten
/// are right, saying so of all is right nine times in ten.
pub struct Baseline {
    kind: BaselineKind,
    task: Task,
    cache: Cache,
}

/// How little a baseline looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineKind {
    /// Every row is right.
    AllCorrect,
    /// Tools must exist, and arguments must fit their definition. Rows without readable calls or definitions have no label.
    SchemaOnly,
}

impl BaselineKind {
    /// Both.
    pub const ALL: [BaselineKind; 2] = [BaselineKind::AllCorrect, BaselineKind::SchemaOnly];

    /// The name in columns and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            BaselineKind::AllCorrect => "all_correct",
            BaselineKind::SchemaOnly => "schema_only",
        }
    }
}

impl Baseline {
    /// A baseline for `task`: of the schema, selection needs the names only, and extraction the arguments only.
    pub fn new(kind: BaselineKind, task: Task) -> Baseline {
        Baseline { kind, task, cache: Cache::default() }
    }

    /// Labels the sample's calls as a whole.
    pub fn judge(&self, sample: &Sample) -> Verdict {
        let label = |correct, explanation| label(self.task, correct, explanation);
        if self.kind == BaselineKind::AllCorrect {
            return label(true, None);
        }
        let Some(task) = self.task.about_calls() else {
            return Verdict::bare(Outcome::Abstained(Abstention::missing(
                "the schema says nothing about it",
            )));
        };
        let (calls, definitions) = match readable(sample) {
            Ok(parts) => parts,
            Err(reason) => return Verdict::bare(Outcome::Abstained(Abstention::missing(reason))),
        };
        let toolbox = self.cache.get(definitions);
        let dialect = dialect(&toolbox, &fold(&sample.question));
        let mut observations = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            match (toolbox.find(&call.name), call.parsed()) {
                (None, _) if task != CallTask::ParameterExtraction => {
                    return label(false, Some(format!("no tool is called `{}`", call.name)));
                }
                (Some(tool), Some(arguments)) if task != CallTask::ToolSelection => {
                    schema::check(&toolbox.tools[tool], arguments, at, dialect, &mut observations);
                }
                (_, None) if task != CallTask::ToolSelection => {
                    return label(false, Some("the arguments are not a JSON object".to_owned()));
                }
                _ => {}
            }
        }
        // A definition that cannot be used is no fault of the call.
        if let Some(fault) = observations.iter().find(|observation| observation.is_fault()) {
            return label(false, Some(fault.to_string()));
        }
        match observations.iter().find(|observation| matches!(observation, Observation::TooComplex { .. })) {
            Some(observation) => {
                Verdict::bare(Outcome::Abstained(Abstention::missing(observation.to_string())))
            }
            None => label(true, observations.first().map(ToString::to_string)),
        }
    }
}

fn label(task: Task, correct: bool, explanation: Option<String>) -> Verdict {
    let (pass, fail) = task.labels();
    let (label, score) = if correct { (pass, 1.0) } else { (fail, 0.0) };
    let outcome = Outcome::Judged { label: label.to_owned(), score, rule: None };
    Verdict { explanation, ..Verdict::bare(outcome) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Cell, RawRow};
    use crate::normalize::{Normalizer, Options};

    #[test]
    fn looks_at_the_schema_only() {
        let tools = r#"[{"name": "weather", "parameters": {"properties": {"city": {"type": "string"}}, "required": ["city"]}}]"#;
        let normalizer =
            Normalizer::new(Options { tools: Some(tools.to_owned()), ..Options::default() }).unwrap();
        for (call, calling, selection, extraction) in [
            (r#"{"name": "weather", "arguments": {"city": "Mars"}}"#, true, true, true),
            (r#"{"name": "weather", "arguments": {"city": 5}}"#, false, true, false),
            (r#"{"name": "weather", "arguments": {}}"#, false, true, false),
            (r#"{"name": "news", "arguments": {}}"#, false, false, true),
            ("[]", true, true, true),
        ] {
            let row = RawRow {
                question: Cell::Text("Weather in Oslo?".to_owned()),
                tool_call: Cell::Text(call.to_owned()),
                tool_definitions: Cell::Missing,
                ..RawRow::default()
            };
            let sample = normalizer.sample(row).unwrap();
            for (task, correct) in [
                (Task::ToolCalling, calling),
                (Task::ToolSelection, selection),
                (Task::ParameterExtraction, extraction),
            ] {
                let label = |kind| Baseline::new(kind, task).judge(&sample).score();
                assert_eq!(
                    label(BaselineKind::SchemaOnly),
                    Some(f64::from(u8::from(correct))),
                    "{call} {task:?}"
                );
                assert_eq!(label(BaselineKind::AllCorrect), Some(1.0));
            }
        }
    }
}
