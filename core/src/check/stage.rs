//! The trained last stage: turns the built-in judge's log-odds into a probability.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::learn::{Calibration, DamagedText, Forest};

/// The last step from what the built-in judge makes of a sample to the probability that the calls are right.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// The judge's own log-odds, read otherwise: labels move, and no two calls change their order.
    Recalibrated(Calibration),
    /// Trees that correct the judge's log-odds, from the same features.
    Refitted {
        /// Its margin is added to the judge's.
        forest: Forest,
        /// Of the sum.
        calibration: Calibration,
    },
    /// Trees in place of the judge's log-odds, which are one feature more, the last.
    Whole {
        /// Over all features and the judge's margin.
        forest: Forest,
        /// Of its margin.
        calibration: Calibration,
    },
}

/// Which kind of stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StageKind {
    /// [`Stage::Recalibrated`].
    Recalibrated,
    /// [`Stage::Refitted`].
    Refitted,
    /// [`Stage::Whole`].
    Whole,
}

/// Log-odds beyond this are as good as certain.
const MOST_CERTAIN: f64 = 15.0;

/// Log-odds as stages take them: never infinite.
pub fn bounded(margin: f64) -> f64 {
    if margin.is_nan() { 0.0 } else { margin.clamp(-MOST_CERTAIN, MOST_CERTAIN) }
}

/// The explanation of a label that the shipped judge would not have given, and the shipped judge's own.
pub(super) fn overruled(label: &str, shipped: &str) -> String {
    format!("Judged {label} by what the model was trained on. The judge as shipped says: {shipped}")
}

/// What to say where the shipped judge leaves a row open.
pub(super) fn decided(label: &str, why: &str) -> String {
    format!("Judged {label} by what the model was trained on. The judge as shipped abstains: {why}.")
}

impl StageKind {
    /// All of them, from the one that needs the fewest rows.
    pub const ALL: [StageKind; 3] = [StageKind::Recalibrated, StageKind::Refitted, StageKind::Whole];

    /// The name in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            StageKind::Recalibrated => "recalibration",
            StageKind::Refitted => "last stage",
            StageKind::Whole => "whole",
        }
    }

    /// The columns that a forest of this kind reads, where the judge has so many features.
    pub fn columns(self, features: usize) -> usize {
        features + usize::from(self == StageKind::Whole)
    }
}

impl Stage {
    /// Which kind it is.
    pub fn kind(&self) -> StageKind {
        match self {
            Stage::Recalibrated(_) => StageKind::Recalibrated,
            Stage::Refitted { .. } => StageKind::Refitted,
            Stage::Whole { .. } => StageKind::Whole,
        }
    }

    /// The probability that the calls are right, of a sample with these features and this margin of the shipped judge.
    pub fn probability(&self, features: &[f32], margin: f64) -> f64 {
        let margin = bounded(margin);
        match self {
            Stage::Recalibrated(calibration) => calibration.probability(margin),
            Stage::Refitted { forest, calibration } => {
                calibration.probability(margin + forest.margin(features))
            }
            Stage::Whole { forest, calibration } => {
                let mut row = features.to_vec();
                row.push(margin as f32);
                calibration.probability(forest.margin(&row))
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let of = |forest: &Forest, calibration: &Calibration| json!({"forest": forest.to_json(), "calibration": calibration.to_json()});
        match self {
            Stage::Recalibrated(calibration) => {
                json!({"recalibrated": {"calibration": calibration.to_json()}})
            }
            Stage::Refitted { forest, calibration } => json!({"refitted": of(forest, calibration)}),
            Stage::Whole { forest, calibration } => json!({"whole": of(forest, calibration)}),
        }
    }

    /// Reads what [`to_json`](Stage::to_json) wrote, for a judge with so many features.
    pub(super) fn from_json(json: &Value, features: usize) -> Result<Stage, DamagedText> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "snake_case")]
        enum Text {
            Recalibrated { calibration: Value },
            Refitted { forest: Value, calibration: Value },
            Whole { forest: Value, calibration: Value },
        }
        let damaged = |why: String| DamagedText { place: "stage".to_owned(), why };
        let grown = |forest: &Value, kind: StageKind| {
            let forest = Forest::from_json(forest)?;
            match forest.columns() == kind.columns(features) {
                true => Ok(forest),
                false => Err(damaged(format!("it reads {} columns", forest.columns()))),
            }
        };
        Ok(match Text::deserialize(json).map_err(|error| damaged(error.to_string()))? {
            Text::Recalibrated { calibration } => Stage::Recalibrated(Calibration::from_json(&calibration)?),
            Text::Refitted { forest, calibration } => Stage::Refitted {
                forest: grown(&forest, StageKind::Refitted)?,
                calibration: Calibration::from_json(&calibration)?,
            },
            Text::Whole { forest, calibration } => Stage::Whole {
                forest: grown(&forest, StageKind::Whole)?,
                calibration: Calibration::from_json(&calibration)?,
            },
        })
    }
}
