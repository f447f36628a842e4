//! Fits candidates for a last stage fold by fold, and measures them on held-out rows.

use super::changes::{Changes, changes};
use super::evaluation::{Evaluation, Held, calibrate, evaluate};
use super::groups::{Grouping, count};
use super::material::{Material, UnusableMaterial};
use super::weights::weights;
use crate::check::{Stage, StageKind, bounded};
use crate::learn::{Examples, Folds, Forest, Growth};

/// Folds of a cross-validation.
const FOLDS: usize = 5;

/// Material on its way to a stage.
#[derive(Debug)]
pub struct Training {
    pub(super) material: Material,
    pub(super) seed: u64,
    /// Rows that no fault settles, by their places: what is learned from.
    pub(super) open: Vec<u32>,
    /// The shipped judge's log-odds of each row.
    pub(super) margins: Vec<f64>,
    /// How much each row counts in learning, and in measuring.
    pub(super) learning: Vec<f64>,
    pub(super) measuring: Vec<f64>,
    /// By question, and by tools where there are enough.
    pub(super) foldings: Vec<Folding>,
    candidates: Vec<StageKind>,
    /// For trees that correct, and for trees in place of the judge.
    plain: Option<Examples>,
    with_margin: Option<Examples>,
}

/// One way to hold rows out.
#[derive(Debug)]
pub(super) struct Folding {
    pub grouping: Grouping,
    pub groups: Vec<u64>,
    pub folds: Folds,
}

/// A part of the work that needs no other part: a candidate fitted without one fold, or to all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    kind: StageKind,
    /// The folding and the fold that is held out; none for what is kept in the end.
    held_out: Option<(usize, usize)>,
}

/// What came of a trial.
#[derive(Debug)]
pub struct Trained {
    trial: Trial,
    result: Result<Fitted, String>,
}

/// Margins of the rows held out, in their order, or the forest that is kept.
#[derive(Debug)]
enum Fitted {
    Margins(Vec<f64>),
    Forest(Forest),
    /// Recalibration grows nothing.
    Nothing,
}

impl Training {
    /// Rows from which on the last stage is refitted, and all of it; not counting those that a fault settles.
    pub const ROWS_TO_REFIT: usize = 300;
    /// As above.
    pub const ROWS_FOR_WHOLE: usize = 3000;
    /// Groups of tools from which on it is measured how the stage does with tools that it has not seen.
    pub const LEAST_TOOLS: usize = 5;

    /// Training on `material`; `seed` decides folds and trees.
    ///
    /// # Errors
    /// When there is too little to learn from.
    pub fn new(material: Material, seed: u64) -> Result<Training, UnusableMaterial> {
        material.check()?;
        let rows = &material.rows;
        let open: Vec<u32> = (0..rows.len() as u32).filter(|at| !rows[*at as usize].is_settled).collect();
        let margins: Vec<f64> = rows.iter().map(|row| bounded(row.margin)).collect();
        let (learning, measuring) = (weights(rows, true), weights(rows, false));
        let mut foldings = Vec::new();
        for grouping in [Grouping::Question, Grouping::Tools] {
            let groups = grouping.groups(rows);
            let of_open: Vec<u64> = open.iter().map(|at| groups[*at as usize]).collect();
            if grouping == Grouping::Question || count(&of_open) >= Self::LEAST_TOOLS {
                let folds = Folds::new(&groups, FOLDS, seed);
                foldings.push(Folding { grouping, groups, folds });
            }
        }
        let needed = |kind: &StageKind| match kind {
            StageKind::Recalibrated => 0,
            StageKind::Refitted => Self::ROWS_TO_REFIT,
            StageKind::Whole => Self::ROWS_FOR_WHOLE,
        };
        let candidates: Vec<StageKind> =
            StageKind::ALL.into_iter().filter(|kind| open.len() >= needed(kind)).collect();
        let mut training = Training {
            material,
            seed,
            open,
            margins,
            learning,
            measuring,
            foldings,
            candidates,
            plain: None,
            with_margin: None,
        };
        let wants = |kind| training.candidates.contains(&kind);
        let (refits, whole) = (wants(StageKind::Refitted), wants(StageKind::Whole));
        training.with_margin = whole.then(|| training.examples(StageKind::Whole)).flatten();
        training.plain = refits.then(|| training.examples(StageKind::Refitted)).flatten();
        Ok(training)
    }

    /// The table that trees of a candidate are grown from.
    fn examples(&self, kind: StageKind) -> Option<Examples> {
        let (columns, rows) = (self.material.columns, &self.material.rows);
        let mut features = Vec::with_capacity(rows.len() * kind.columns(columns));
        for (own, margin) in self.material.features.chunks(columns).zip(&self.margins) {
            features.extend(own.iter().map(|feature| if feature.is_finite() { *feature } else { 0.0 }));
            features.extend((kind == StageKind::Whole).then_some(*margin as f32));
        }
        let labels = rows.iter().map(|row| row.right).collect();
        let groups = rows.iter().map(|row| row.question).collect();
        Examples::new(features, kind.columns(columns), labels, self.learning.clone(), groups).ok()
    }

    /// What is to be trained on.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// How many rows no fault settles.
    pub fn open_rows(&self) -> usize {
        self.open.len()
    }

    /// Whether it is measured how a stage does with tools that it has not seen.
    pub fn measures_tools(&self) -> bool {
        self.foldings.len() > 1
    }

    /// The kinds of stages that there are enough rows for.
    pub fn candidates(&self) -> &[StageKind] {
        &self.candidates
    }

    /// All parts of the work, those that take longest first. They may be carried out in any order, and side by side.
    pub fn trials(&self) -> Vec<Trial> {
        let mut trials = Vec::new();
        for kind in self.candidates.iter().rev().copied() {
            trials.push(Trial { kind, held_out: None });
            for folding in 0..self.foldings.len() {
                trials.extend((0..FOLDS).map(|fold| Trial { kind, held_out: Some((folding, fold)) }));
            }
        }
        trials
    }

    /// Carries out one part of the work.
    pub fn carry_out(&self, trial: Trial) -> Trained {
        Trained { trial, result: self.fitted(trial) }
    }

    fn fitted(&self, Trial { kind, held_out }: Trial) -> Result<Fitted, String> {
        let is_open = |at: &u32| !self.material.rows[*at as usize].is_settled;
        let (rows, held) = match held_out {
            None => (self.open.clone(), Vec::new()),
            Some((folding, fold)) => {
                let folds = &self.foldings[folding].folds;
                (folds.rest(fold).into_iter().filter(is_open).collect(), folds.held_out(fold))
            }
        };
        let examples = match kind {
            StageKind::Recalibrated => None,
            StageKind::Refitted => Some(self.plain.as_ref()),
            StageKind::Whole => Some(self.with_margin.as_ref()),
        };
        let Some(examples) = examples else {
            let own = |at: &u32| self.margins[*at as usize];
            return Ok(match held_out {
                None => Fitted::Nothing,
                Some(_) => Fitted::Margins(held.iter().map(own).collect()),
            });
        };
        let examples = examples.ok_or("the features of a row are no numbers")?;
        let growth = growth(kind, rows.len(), self.seed);
        let forest = match kind {
            StageKind::Whole => {
                // The last column is the shipped judge's own estimate.
                let mut directions = self.material.directions.clone();
                directions.extend((!directions.is_empty()).then_some(1));
                Forest::fit(examples, &rows, &growth, &directions)
            }
            _ => Forest::fit_from(examples, &rows, &growth, &self.material.directions, &self.margins),
        };
        let forest = forest.map_err(|why| why.to_string())?;
        let margin = |at: &u32| {
            let start = if kind == StageKind::Whole { 0.0 } else { self.margins[*at as usize] };
            start + forest.margin(examples.row(*at as usize))
        };
        Ok(match held_out {
            None => Fitted::Forest(forest),
            Some(_) => Fitted::Margins(held.iter().map(margin).collect()),
        })
    }

    /// What came of all trials: each candidate by each way to hold rows out.
    pub fn evaluations(&self, trained: &[Trained]) -> Vec<Evaluation> {
        self.candidates
            .iter()
            .map(|kind| {
                let held = (0..self.foldings.len()).map(|folding| self.held(*kind, folding, trained));
                match held.collect::<Result<Vec<Held>, String>>() {
                    Ok(held) => evaluate(self, *kind, &held),
                    Err(why) => Evaluation::failed(*kind, why),
                }
            })
            .collect()
    }

    /// Margins and probabilities of all rows by a candidate that did not see them.
    fn held(&self, kind: StageKind, folding: usize, trained: &[Trained]) -> Result<Held, String> {
        let mut margins = self.margins.clone();
        let folds = &self.foldings[folding].folds;
        for fold in 0..FOLDS {
            let wanted = Trial { kind, held_out: Some((folding, fold)) };
            let found = trained.iter().find(|trained| trained.trial == wanted);
            match found.map(|trained| &trained.result) {
                Some(Ok(Fitted::Margins(of_fold))) => {
                    let places = folds.held_out(fold);
                    places.iter().zip(of_fold).for_each(|(at, margin)| margins[*at as usize] = *margin);
                }
                Some(Err(why)) => return Err(why.clone()),
                _ => return Err("a part of the work is missing".to_owned()),
            }
        }
        Held::new(self, folding, margins)
    }

    /// What the best candidate changes, of those that are better than the shipped judge beyond chance; none if none is.
    pub fn best<'e>(&self, evaluations: &'e [Evaluation]) -> Option<&'e Evaluation> {
        let kept = evaluations.iter().filter(|evaluation| evaluation.is_kept());
        kept.max_by(|a, b| a.lower_bound().total_cmp(&b.lower_bound()))
    }

    /// The stage of a candidate, fitted to all rows.
    ///
    /// # Errors
    /// When it could not be fitted, in words.
    pub fn stage(&self, kind: StageKind, trained: &[Trained]) -> Result<Stage, String> {
        let held = self.held(kind, 0, trained)?;
        let calibration = calibrate(self, &self.open, &held.margins)?;
        let wanted = Trial { kind, held_out: None };
        let found = trained.iter().find(|trained| trained.trial == wanted).map(|trained| &trained.result);
        match (kind, found) {
            (_, Some(Err(why))) => Err(why.clone()),
            (StageKind::Recalibrated, _) => Ok(Stage::Recalibrated(calibration)),
            (StageKind::Refitted, Some(Ok(Fitted::Forest(forest)))) => {
                Ok(Stage::Refitted { forest: forest.clone(), calibration })
            }
            (StageKind::Whole, Some(Ok(Fitted::Forest(forest)))) => {
                Ok(Stage::Whole { forest: forest.clone(), calibration })
            }
            _ => Err("a part of the work is missing".to_owned()),
        }
    }

    /// What a candidate changes on rows that it did not see, held out by question.
    ///
    /// # Errors
    /// As [`Training::stage`].
    pub fn changes(&self, kind: StageKind, trained: &[Trained]) -> Result<Changes, String> {
        Ok(changes(self, &self.held(kind, 0, trained)?))
    }
}

/// How trees are grown from so many rows: few, small and held back where rows are few.
fn growth(kind: StageKind, rows: usize, seed: u64) -> Growth {
    let usual = Growth { seed, row_share: 0.8, column_share: 0.5, ..Growth::default() };
    match kind {
        StageKind::Whole => Growth {
            trees: 150,
            leaves: 10,
            depth: 6,
            min_rows: (rows / 200).clamp(20, 100),
            learning_rate: 0.08,
            l2: 3.0,
            ..usual
        },
        _ => Growth {
            trees: 80,
            leaves: 6,
            depth: 4,
            min_rows: (rows / 40).clamp(8, 60),
            learning_rate: 0.1,
            l2: 5.0,
            ..usual
        },
    }
}
