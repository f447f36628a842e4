//! A model file: the result of training, task by task, as a text with checks against damage and other versions.
//!
//! The text has two lines of JSON: `{"tooljudge_model":1,"checksum":"..."}`, and the content that the checksum covers.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::{Value, json};

use super::stage::Stage;
use super::{feature_names, fingerprint};
use crate::domain::Task;

/// The built-in judge with stages of one's own for some tasks. For all other tasks it is the judge as shipped.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainedModel {
    stages: Vec<TaskStage>,
    checksum: String,
}

/// What training made of the judge for one task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskStage {
    /// The task.
    pub task: Task,
    /// How its probabilities come about.
    pub stage: Stage,
    /// What it was trained on and what it gained, for people: an object.
    pub notes: Value,
}

/// Why a text is no model that this program can use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableModel {
    /// It does not begin as one.
    #[error("it is not a model that `tooljudge train` wrote")]
    NotAModel,
    /// Its form is another version's.
    #[error(
        "it has the form of another version ({0}, and this program reads {read}); train it again with `tooljudge train`",
        read = TrainedModel::VERSION
    )]
    Version(u64),
    /// Its contents are not what was written; the cause.
    #[error("it is damaged: {0}; copy it again, or train it again with `tooljudge train`")]
    Damaged(String),
    /// It was trained on what another version of the shipped judge makes of calls.
    #[error(
        "it was made for another version of the built-in judge; train it again with `tooljudge train` on the rows that it was \
         trained on"
    )]
    OtherJudge,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    tooljudge_model: u64,
    #[serde(default)]
    checksum: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    judge: String,
    stages: Vec<StageText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageText {
    task: String,
    stage: Value,
    notes: Value,
}

impl TrainedModel {
    /// The version of the file's form.
    pub const VERSION: u64 = 1;

    /// A model of such stages; of several for one task, the last.
    pub fn new(stages: impl IntoIterator<Item = TaskStage>) -> TrainedModel {
        let mut model = TrainedModel { stages: Vec::new(), checksum: String::new() };
        stages.into_iter().for_each(|stage| model.set(stage));
        model
    }

    /// Adds a stage for its task, or replaces the one that there was.
    pub fn set(&mut self, stage: TaskStage) {
        self.stages.retain(|other| other.task != stage.task);
        self.stages.push(stage);
        let place = |stage: &TaskStage| Task::ALL.iter().position(|task| *task == stage.task);
        self.stages.sort_by_key(place);
        self.checksum = checksum(&self.contents());
    }

    /// The stage for `task`, if it was trained for it.
    pub fn stage(&self, task: Task) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.task == task).map(|stage| &stage.stage)
    }

    /// All tasks that it was trained for.
    pub fn stages(&self) -> &[TaskStage] {
        &self.stages
    }

    /// What tells it from every other model.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let head = json!({"tooljudge_model": Self::VERSION, "checksum": self.checksum});
        format!("{head}\n{}", self.contents())
    }

    fn contents(&self) -> String {
        let stages = self.stages.iter().map(|stage| {
            json!({"task": stage.task.as_str(), "stage": stage.stage.to_json(), "notes": stage.notes})
        });
        let stages: Vec<Value> = stages.collect();
        format!("{}\n", json!({"judge": fingerprint(), "stages": stages}))
    }

    /// Reads what [`to_text`](TrainedModel::to_text) wrote.
    ///
    /// # Errors
    /// When it is anything else, was changed since, or was made for another version of the shipped judge.
    pub fn from_text(text: &str) -> Result<TrainedModel, UnusableModel> {
        let damaged = |why: &str| UnusableModel::Damaged(why.to_owned());
        if !text.starts_with("{\"tooljudge_model\"") {
            return Err(UnusableModel::NotAModel);
        }
        let (head, contents) = text.split_once('\n').ok_or_else(|| damaged("its end is missing"))?;
        let head: Head = serde_json::from_str(head).map_err(|_| damaged("its first line cannot be read"))?;
        if head.tooljudge_model != Self::VERSION {
            return Err(UnusableModel::Version(head.tooljudge_model));
        }
        if checksum(contents) != head.checksum {
            return Err(damaged("its contents do not agree with its checksum"));
        }
        let read: Contents = serde_json::from_str(contents).map_err(|why| damaged(&why.to_string()))?;
        if read.judge != fingerprint() {
            return Err(UnusableModel::OtherJudge);
        }
        let features = feature_names().len();
        let mut stages: Vec<TaskStage> = Vec::new();
        for StageText { task, stage, notes } in read.stages {
            let task: Task = task.parse().map_err(|_| damaged(&format!("there is no task `{task}`")))?;
            if task.about_calls().is_none() || stages.iter().any(|other| other.task == task) {
                return Err(damaged(&format!("`{}` cannot stand there", task.as_str())));
            }
            let stage = Stage::from_json(&stage, features).map_err(|why| damaged(&why.to_string()))?;
            stages.push(TaskStage { task, stage, notes });
        }
        Ok(TrainedModel { stages, checksum: head.checksum })
    }
}

fn checksum(contents: &str) -> String {
    short(blake3::hash(contents.as_bytes()))
}

/// The first half of a hash, as hexadecimal digits.
pub(super) fn short(hash: blake3::Hash) -> String {
    hash.as_bytes()[..16].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{Calibration, Examples, Forest, Growth, Platt, Scored};

    fn calibration() -> Calibration {
        let score =
            |at: i32| Scored { margin: f64::from(at) / 10.0, label: at % 3 != 0 || at > 20, weight: 1.0 };
        Calibration::Platt(Platt::fit(&(0..60).map(score).collect::<Vec<_>>()).unwrap())
    }

    fn stages() -> [Stage; 3] {
        let columns = feature_names().len();
        let forest = |columns: usize| {
            let features: Vec<f32> = (0..200 * columns).map(|at| (at * 7919 % 1013) as f32).collect();
            let labels = (0..200).map(|at| features[at * columns] > 500.0).collect();
            let examples =
                Examples::new(features, columns, labels, vec![1.0; 200], (0..200).collect()).unwrap();
            let growth = Growth { trees: 3, leaves: 4, ..Growth::default() };
            Forest::fit(&examples, &(0..200).collect::<Vec<_>>(), &growth, &[]).unwrap()
        };
        [
            Stage::Recalibrated(calibration()),
            Stage::Refitted { forest: forest(columns), calibration: calibration() },
            Stage::Whole { forest: forest(columns + 1), calibration: calibration() },
        ]
    }

    fn model(stage: Stage) -> TrainedModel {
        TrainedModel::new([TaskStage { task: Task::ToolCalling, stage, notes: json!({"rows": 60}) }])
    }

    #[test]
    fn what_was_written_is_read() {
        let features = vec![3.0; feature_names().len()];
        for stage in stages() {
            let model = model(stage);
            let read = TrainedModel::from_text(&model.to_text()).unwrap();
            assert_eq!((read.checksum(), read.to_text()), (model.checksum(), model.to_text()));
            for margin in [-40.0, -1.0, 0.5, f64::INFINITY, f64::NAN] {
                let of = |model: &TrainedModel| {
                    model.stage(Task::ToolCalling).unwrap().probability(&features, margin)
                };
                assert!((of(&model) - of(&read)).abs() < 1e-9);
                assert!((0.0..=1.0).contains(&of(&read)));
            }
            assert_eq!(read.stage(Task::ToolSelection), None);
        }
    }

    #[test]
    fn a_task_has_one_stage() {
        let [first, second, _] = stages();
        let mut model = model(first.clone());
        let before = model.checksum().to_owned();
        model.set(TaskStage { task: Task::ParameterExtraction, stage: first, notes: Value::Null });
        model.set(TaskStage { task: Task::ToolCalling, stage: second.clone(), notes: Value::Null });
        assert_eq!(model.stages().len(), 2);
        assert_eq!(model.stage(Task::ToolCalling), Some(&second));
        assert_ne!(model.checksum(), before);
    }

    #[test]
    fn every_damage_is_told() {
        let text = model(stages()[1].clone()).to_text();
        let other = |judge: &str, stages: &str| {
            let contents = format!("{{\"judge\":\"{judge}\",\"stages\":{stages}}}");
            format!("{{\"tooljudge_model\":1,\"checksum\":\"{}\"}}\n{contents}", checksum(&contents))
        };
        for (text, word) in [
            (String::new(), "not a model"),
            ("question,tool_call\n".to_owned(), "not a model"),
            (text.replace("\"tooljudge_model\":1", "\"tooljudge_model\":2"), "another version (2"),
            (text.replacen("platt", "plott", 1), "damaged"),
            (text[..text.len() / 2].to_owned(), "damaged"),
            (text[..20].to_owned(), "damaged"),
            (other("0123", "[]"), "another version of the built-in judge"),
            (other(&fingerprint(), "[{}]"), "damaged"),
            (
                other(&fingerprint(), r#"[{"task": "trajectory", "stage": {}, "notes": {}}]"#),
                "cannot stand there",
            ),
        ] {
            let error = TrainedModel::from_text(&text).unwrap_err().to_string();
            assert!(error.contains(word), "{error} for {text:.60}");
        }
        // A forest for another number of features.
        let [_, refitted, whole] = stages();
        let (Stage::Refitted { calibration, .. }, Stage::Whole { forest, .. }) = (refitted, whole) else {
            unreachable!()
        };
        let text = model(Stage::Refitted { forest, calibration }).to_text();
        assert!(matches!(TrainedModel::from_text(&text), Err(UnusableModel::Damaged(_))));
    }
}
