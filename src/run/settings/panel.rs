//! Settings of the judges and templates of a run, and their cost limit.

use std::num::NonZeroU32;

use super::{JudgeSettings, StoreSettings};
use crate::check::{BaseRate, Decide};
use crate::domain::{Task, Unit};
use crate::snap::Rules;

/// A panel: every judge judges with every template.
#[derive(Debug, Clone)]
pub struct PanelSettings {
    /// At least one; names differ. Default: the built-in judge.
    pub judges: Vec<JudgeSettings>,
    /// The tasks, if no templates are named. Default: tool calling.
    pub tasks: Vec<Task>,
    /// Template files, or names of built-in templates. Default: the tasks' own.
    pub templates: Vec<String>,
    /// Whether tasks that have a template with five grades use that one. Default: no.
    pub five_grades: bool,
    /// What names in templates show that mean nothing else: pairs of a name and a column of the rows. Each must be in a template.
    /// Default: none; in files of other tools such a name is the column of that name.
    pub variables: Vec<(String, String)>,
    /// The labels for templates that name none, the good one first: two or more. Default: `correct`, `incorrect`.
    pub rails: Vec<String>,
    /// Whether judges explain before they give the label. Default: no.
    pub explain: bool,
    /// Whether judges list findings before they give the label. Default: no.
    pub findings: bool,
    /// What one question is about. Default: a turn, with all of its calls.
    pub unit: Unit,
    /// How often each question is sent: an odd number. The most frequent label wins, and its share is the confidence. Default: 1.
    pub votes: NonZeroU32,
    /// The rules that read labels from replies. Default: careful.
    pub rules: Rules,
    /// When the built-in judge gives a label. Default: by evidence.
    pub decide: Decide,
    /// The built-in judge, trained or not, in front of the models: rows that it decides by evidence are not sent. Default: none.
    pub first: Option<JudgeSettings>,
    /// The assumed share of right calls, which the built-in judge's probabilities and labels depend on. Default: that of
    /// [`Decide::base_rate`].
    pub base_rate: Option<BaseRate>,
    /// The most that a run may cost, in US dollars, failed requests included. It needs a price and a limit on answers. Default:
    /// no limit.
    pub max_cost: Option<f64>,
    /// A name under which all runs on one store share `max_cost`, at any time. Default: each run has its own limit.
    pub purse: Option<String>,
    /// Where replies are kept.
    pub store: StoreSettings,
}

impl Default for PanelSettings {
    fn default() -> PanelSettings {
        PanelSettings {
            judges: vec![JudgeSettings::builtin()],
            tasks: Vec::new(),
            templates: Vec::new(),
            five_grades: false,
            variables: Vec::new(),
            rails: Vec::new(),
            explain: false,
            findings: false,
            unit: Unit::Turn,
            votes: NonZeroU32::MIN,
            rules: Rules::default(),
            decide: Decide::default(),
            first: None,
            base_rate: None,
            max_cost: None,
            purse: None,
            store: StoreSettings::default(),
        }
    }
}

impl PanelSettings {
    /// How many of the judges are models.
    pub(in crate::run) fn models(&self) -> usize {
        self.judges.iter().filter(|judge| !judge.is_builtin()).count()
    }
}
