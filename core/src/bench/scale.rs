//! Graded labels in order, for judges with more than right and wrong.

use serde::Serialize;

use super::{Contender, Rows};
use crate::domain::Rails;
use crate::stats::{self, Estimate, GradePairs};

/// The labels of a graded template with their places, counted from the lowest score.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    labels: Vec<(String, u8)>,
    grades: u8,
}

impl Scale {
    /// The scale of these labels; `None` of labels that only tell right from wrong. Labels of one score are one grade.
    pub fn of(rails: &Rails) -> Option<Scale> {
        let mut scores: Vec<f64> = rails.scores().collect();
        scores.sort_by(f64::total_cmp);
        scores.dedup();
        let grades = u8::try_from(scores.len()).ok().filter(|_| rails.is_graded())?;
        let place = |score: f64| scores.iter().position(|other| *other == score).unwrap_or(0) as u8;
        let labels = rails.iter().map(|rail| (rail.label.clone(), place(rail.score)));
        Some(Scale { labels: labels.collect(), grades })
    }

    /// The place of a label or of a word of gold; a number may be written with zeros behind its point.
    pub fn place(&self, word: &str) -> Option<u8> {
        let word = word.trim();
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let same = |label: &str| {
            label.eq_ignore_ascii_case(word) || number(word).is_some_and(|word| number(label) == Some(word))
        };
        self.labels.iter().find(|(label, _)| same(label)).map(|(_, place)| *place)
    }

    /// How many grades there are.
    pub fn grades(&self) -> u8 {
        self.grades
    }
}

/// How grades agree with graded gold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grades {
    /// How many grades the template has.
    pub grades: u8,
    /// Labels of rows whose gold is one of the grades; each repetition counts.
    pub rows: u64,
    /// Labels of rows whose gold only says right or wrong.
    pub without_grade: u64,
    /// Cohen's kappa with quadratic weights.
    pub weighted_kappa: Option<Estimate>,
    /// Why it is not defined.
    pub undefined: Option<&'static str>,
}

/// The grades of `members`, of which those of a cluster stand together; `None` of a judge without grades.
pub(super) fn grades(rows: &Rows, contender: &Contender, members: &[usize]) -> Option<Grades> {
    let scale = contender.scale.as_ref()?;
    let gold = &rows.golds[contender.gold];
    let places: Vec<Option<u8>> = gold.vocabulary.iter().map(|word| scale.place(word)).collect();
    let mut without_grade = 0;
    let mut pairs = |cluster: &[usize]| {
        let mut pairs = GradePairs::default();
        for row in cluster {
            let place = gold.word(*row).and_then(|word| places[word]);
            for label in contender.repeats.iter().filter_map(|predictions| *predictions.grades.get(*row)?) {
                match place {
                    Some(place) => pairs.add(place, label),
                    None => without_grade += 1,
                }
            }
        }
        pairs
    };
    let clusters: Vec<GradePairs> =
        members.chunk_by(|a, b| rows.clusters[*a] == rows.clusters[*b]).map(&mut pairs).collect();
    let weighted_kappa = stats::weighted_kappa(&clusters, scale.grades());
    let compared = clusters.iter().map(GradePairs::rows).sum();
    let undefined = match (&weighted_kappa, compared) {
        (Some(_), _) => None,
        (None, 0) => Some("no row has both a label and a grade as gold"),
        (None, _) => Some("gold and labels are all of one grade"),
    };
    Some(Grades { grades: scale.grades(), rows: compared, without_grade, weighted_kappa, undefined })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Rail;

    #[test]
    fn places_follow_scores() {
        let rail = |(label, score): (&str, f64)| Rail { label: label.to_owned(), score };
        let rails = |labels: &[(&str, f64)]| {
            Rails::new(labels.iter().copied().map(rail).collect(), labels[0].0).unwrap()
        };
        let scale =
            Scale::of(&rails(&[("full", 1.0), ("none", 0.0), ("half", 0.5), ("also half", 0.5)])).unwrap();
        for (word, place) in [
            ("full", Some(2)),
            ("Half ", Some(1)),
            ("also half", Some(1)),
            ("none", Some(0)),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(scale.place(word), place, "{word}");
        }
        let numbers = Scale::of(&rails(&[("5", 1.0), ("3", 0.5), ("1", 0.0)])).unwrap();
        assert_eq!(
            ["5", "3.0", "1.00", "2", "nan"].map(|word| numbers.place(word)),
            [Some(2), Some(1), Some(0), None, None]
        );
        assert_eq!((numbers.grades(), scale.grades()), (3, 3));
        assert_eq!(Scale::of(&Rails::correctness()), None);
        assert_eq!(Scale::of(&rails(&[("a", 1.0), ("b", 0.0), ("c", 0.0)])), None);
    }
}
