//! The labels a judge may answer with.

/// The allowed labels, each with the number it counts as.
#[derive(Debug, Clone, PartialEq)]
pub struct Rails {
    rails: Vec<Rail>,
    positive: usize,
    /// The score from which on a label passes, where more than one may.
    threshold: Option<f64>,
}

/// One label.
#[derive(Debug, Clone, PartialEq)]
pub struct Rail {
    /// In the spelling that goes into the output.
    pub label: String,
    /// What the label counts as in figures; 1 for right and 0 for wrong, where nothing else is set. Finite.
    pub score: f64,
}

/// Why a list of labels cannot be rails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RailsError {
    /// Fewer than two labels; how many there are.
    #[error("rails need at least two labels, got {0}")]
    TooFew(usize),
    /// A label without a visible character.
    #[error("a rail is blank")]
    Blank,
    /// Two labels that a reply cannot distinguish.
    #[error("the rails `{0}` and `{1}` differ in letter case or white space only")]
    Alike(String, String),
    /// The label for right calls is none of the labels.
    #[error("`{0}` is not one of the rails")]
    UnknownPositive(String),
    /// A threshold by which the positive label fails, or everything passes.
    #[error(
        "the threshold {0} is no number that the positive rail's score reaches and another rail's does not"
    )]
    Threshold(String),
    /// A label whose score is infinite or not a number.
    #[error("the score of rail `{0}` is not a finite number")]
    Score(String),
}

impl Rails {
    /// Rails in the given order; `positive` is the label that counts as a pass.
    pub fn new(rails: Vec<Rail>, positive: &str) -> Result<Rails, RailsError> {
        if rails.len() < 2 {
            return Err(RailsError::TooFew(rails.len()));
        }
        let folded = |rail: &Rail| rail.label.trim().to_lowercase();
        for (i, rail) in rails.iter().enumerate() {
            if rail.label.trim().is_empty() {
                return Err(RailsError::Blank);
            }
            if !rail.score.is_finite() {
                return Err(RailsError::Score(rail.label.clone()));
            }
            if let Some(twin) = rails[..i].iter().find(|other| folded(other) == folded(rail)) {
                return Err(RailsError::Alike(twin.label.clone(), rail.label.clone()));
            }
        }
        let positive = rails
            .iter()
            .position(|rail| rail.label == positive)
            .ok_or_else(|| RailsError::UnknownPositive(positive.to_owned()))?;
        Ok(Rails { rails, positive, threshold: None })
    }

    /// The same rails, of which every label passes that scores at least `threshold`; `None` leaves it to the positive one.
    ///
    /// # Errors
    /// If the threshold is no finite number, or if by it the positive label fails or all labels pass.
    pub fn with_threshold(self, threshold: Option<f64>) -> Result<Rails, RailsError> {
        let rails = Rails { threshold, ..self };
        let passing = rails.rails.iter().filter(|rail| rails.passes(rail)).count();
        let is_usable = threshold.is_none_or(f64::is_finite);
        match threshold {
            Some(threshold) if !is_usable || !rails.passes(rails.positive()) || passing == rails.len() => {
                Err(RailsError::Threshold(threshold.to_string()))
            }
            _ => Ok(rails),
        }
    }

    /// Whether a label counts as a pass.
    pub fn passes(&self, rail: &Rail) -> bool {
        match self.threshold {
            Some(threshold) => rail.score >= threshold,
            None => rail.label == self.positive().label,
        }
    }

    /// Whether a verdict of that label counts as a pass.
    pub fn passes_label(&self, label: &str) -> bool {
        self.find(label).is_some_and(|rail| self.passes(rail))
    }

    /// Two labels, the first of which passes (1) and the second fails (0).
    pub fn pass_and_fail((pass, fail): (&str, &str)) -> Rails {
        let rail = |label: &str, score| Rail { label: label.to_owned(), score };
        Rails { rails: vec![rail(pass, 1.0), rail(fail, 0.0)], positive: 0, threshold: None }
    }

    /// What the labels count as, in their order.
    pub fn scores(&self) -> impl ExactSizeIterator<Item = f64> {
        self.rails.iter().map(|rail| rail.score)
    }

    /// Whether there are degrees of right and wrong: more than two scores.
    pub fn is_graded(&self) -> bool {
        let mut scores: Vec<f64> = self.scores().collect();
        scores.sort_by(f64::total_cmp);
        scores.dedup();
        scores.len() > 2
    }

    /// `correct` (1) and `incorrect` (0).
    pub fn correctness() -> Rails {
        Rails::pass_and_fail(("correct", "incorrect"))
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Rail> {
        self.rails.iter()
    }

    /// The labels, in the order in which they were given.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.rails.iter().map(|rail| rail.label.as_str())
    }

    /// How many there are, at least 2.
    pub fn len(&self) -> usize {
        self.rails.len()
    }

    /// Never true: rails hold two labels or more.
    pub fn is_empty(&self) -> bool {
        self.rails.is_empty()
    }

    /// The rail at a place counted from 0.
    pub fn get(&self, index: usize) -> Option<&Rail> {
        self.rails.get(index)
    }

    /// The rail spelled exactly `label`.
    pub fn find(&self, label: &str) -> Option<&Rail> {
        self.rails.iter().find(|rail| rail.label == label)
    }

    /// The label that counts as a pass.
    pub fn positive(&self) -> &Rail {
        &self.rails[self.positive]
    }
}
