//! The settings of the trajectory scorer, by its peers' names.

use super::arguments::ArgumentRules;
use super::benchmark::Grading;
use super::compare::MatchMode;
use crate::domain::{Json, Object};
use crate::score::{SettingError, setting};

/// How trajectories are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How the answer was graded, where the record does not say.
    pub grading: Grading,
    /// `None`: as the example's `order_matters` says, or strict.
    pub match_mode: Option<MatchMode>,
    pub arguments: ArgumentRules,
    pub metric: Metric,
    /// From which score on a case passes.
    pub threshold: f64,
    /// Whether Ragas compares the calls in order.
    pub strict_order: bool,
    /// The tool that [`Metric::SingleToolUse`] looks for.
    pub tool_name: Option<String>,
}

/// What the score is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Whether the trajectories agree.
    Match,
    Precision,
    Recall,
    F1,
    /// Whether one tool was called at all.
    SingleToolUse,
    /// Ragas' own share of right arguments.
    ToolCallAccuracy,
}

impl Metric {
    /// As the setting spells it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Metric::Match => "match",
            Metric::Precision => "precision",
            Metric::Recall => "recall",
            Metric::F1 => "f1",
            Metric::SingleToolUse => "single_tool_use",
            Metric::ToolCallAccuracy => "tool_call_accuracy",
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            grading: Grading::None,
            match_mode: None,
            arguments: ArgumentRules::default(),
            metric: Metric::Match,
            threshold: 1.0,
            strict_order: true,
            tool_name: None,
        }
    }
}

impl Options {
    /// These options, overridden by `settings`.
    pub fn with(mut self, settings: &Object) -> Result<Options, SettingError> {
        for (key, value) in settings.iter() {
            match key {
                "output_evaluation" => self.grading = Grading::read(value)?,
                "trajectory_match_mode" => self.match_mode = Some(match_mode(key, value)?),
                "order_matters" => {
                    let mode =
                        if setting::boolean(key, value)? { MatchMode::Strict } else { MatchMode::Unordered };
                    self.match_mode = Some(mode);
                }
                "metric" => self.set_metric(value)?,
                "threshold" => self.threshold = setting::share(key, value)?,
                "strict_order" => self.strict_order = setting::boolean(key, value)?,
                "tool_name" => {
                    let name =
                        value.as_str().ok_or_else(|| setting::wrong(key, "the name of a tool", value))?;
                    self.tool_name = Some(name.to_owned());
                }
                key if ArgumentRules::KEYS.contains(&key) => self.arguments.set(key, value)?,
                _ => {
                    let own = [
                        "output_evaluation",
                        "trajectory_match_mode",
                        "order_matters",
                        "metric",
                        "threshold",
                        "strict_order",
                        "tool_name",
                    ];
                    return Err(setting::unknown(key, &[&own[..], &ArgumentRules::KEYS].concat()));
                }
            }
        }
        Ok(self)
    }

    /// The figure that is the score; Vertex' names say how trajectories are compared as well.
    fn set_metric(&mut self, value: &Json) -> Result<(), SettingError> {
        let words = [
            ("match", (Metric::Match, None)),
            ("precision", (Metric::Precision, None)),
            ("recall", (Metric::Recall, None)),
            ("f1", (Metric::F1, None)),
            ("single_tool_use", (Metric::SingleToolUse, None)),
            ("tool_call_accuracy", (Metric::ToolCallAccuracy, None)),
            ("tool_call_f1", (Metric::F1, None)),
            ("trajectory_exact_match", (Metric::Match, Some(MatchMode::Strict))),
            ("trajectory_in_order_match", (Metric::Match, Some(MatchMode::InOrder))),
            ("trajectory_any_order_match", (Metric::Match, Some(MatchMode::Superset))),
            ("trajectory_precision", (Metric::Precision, None)),
            ("trajectory_recall", (Metric::Recall, None)),
            ("trajectory_single_tool_use", (Metric::SingleToolUse, None)),
        ];
        let (metric, mode) = setting::one_of("metric", value, &words)?;
        self.metric = metric;
        self.match_mode = mode.or(self.match_mode);
        Ok(())
    }
}

/// Our names, Azure's with `_match`, and ADK's in capitals.
fn match_mode(key: &str, value: &Json) -> Result<MatchMode, SettingError> {
    let words = [
        ("strict", MatchMode::Strict),
        ("unordered", MatchMode::Unordered),
        ("subset", MatchMode::Subset),
        ("superset", MatchMode::Superset),
        ("in_order", MatchMode::InOrder),
        ("any_order", MatchMode::Superset),
        ("exact", MatchMode::Strict),
    ];
    let plain = value.as_str().map(str::to_lowercase);
    let plain = plain.as_deref().map(|word| Json::from(word.strip_suffix("_match").unwrap_or(word)));
    setting::one_of(key, plain.as_ref().unwrap_or(value), &words)
}
