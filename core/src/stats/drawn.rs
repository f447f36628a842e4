//! Estimates the share of right calls among all rows of a log, labelled or not, from marks on rows drawn with known probabilities.

use super::clusters::{Part, Spread, spread, total};
use super::estimate::Estimate;

/// A row that was drawn and marked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnMark {
    /// Whether it is right.
    pub right: bool,
    /// Whether the judge passes it; `None` if it has no label.
    pub label: Option<bool>,
    /// For how many rows it stands: one over the probability with which it was drawn.
    pub weight: f64,
}

/// How many of all rows a judge passes, fails and does not label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LabelCounts {
    /// Rows that it passes.
    pub passed: u64,
    /// Rows that it fails.
    pub failed: u64,
    /// Rows without a label.
    pub unlabelled: u64,
}

/// The share of right calls, and what more marks would bring.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnShare {
    /// The share with its interval.
    pub share: Estimate,
    marks: f64,
    rows: f64,
    kinds: Vec<Kind>,
}

/// Rows of one label.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Kind {
    /// Their share among all rows.
    share: f64,
    /// How many of them are right.
    right: f64,
    /// Independent rows of the kind that know as much, for each mark on a row of any kind.
    worth: f64,
    /// What is known of the variance itself.
    freedom: f64,
    /// The share of the variance that is left because other rows are not marked.
    open: f64,
}

/// The share of right calls among all `rows`. `None` without marks.
///
/// The post-stratified estimator of sampling theory (D. Holt and T. M. F. Smith, "Post stratification", JRSS A 142, 1979; for a judge that errs
/// A. Tenenbein, "A double sampling scheme for estimating from binomial data with misclassifications", JASA 65, 1970; as
/// prediction-powered inference A. Fisch and others, "Stratified prediction-powered inference", 2024): how many of the passed rows are right, of
/// the failed and of those without a label, by marks on such rows, each weighing one over its probability (as ratios: J. Hájek,
/// comment on D. Basu, 1971); put together by how many rows have which label, which is known. It is a difference estimator whose correction is
/// made for each label by itself: a judge that knows nothing costs nothing.
///
/// It is about these rows, all of which the judge has seen, and not about others like them. Rows were drawn one by one, so rows that go
/// together (of one question) add no error that the marks do not show; that chance alone decides which rows are marked is all that is
/// assumed.
pub fn drawn_share(marks: &[DrawnMark], rows: LabelCounts) -> Option<DrawnShare> {
    let LabelCounts { passed, failed, unlabelled } = rows;
    let all = (passed + failed + unlabelled) as f64;
    let pooled = total(&marks.iter().map(part).collect::<Vec<_>>());
    if pooled.1.is_nan() || pooled.1 <= 0.0 || all <= 0.0 {
        return None;
    }
    let kind = |(label, rows): (Option<bool>, u64)| {
        let of_kind: Vec<&DrawnMark> = marks.iter().filter(|mark| mark.label == label).collect();
        Kind::of(&of_kind, rows, all, marks.len() as f64, pooled.0 / pooled.1)
    };
    let kinds = [(Some(true), passed), (Some(false), failed), (None, unlabelled)];
    let kinds = kinds.into_iter().filter(|(_, rows)| *rows > 0).map(kind).collect();
    let marks = marks.len() as f64;
    let mut found = DrawnShare { share: Estimate::unknown(0.0, 0.0, 1.0), marks, rows: all, kinds };
    found.share = found.after(1.0, |kind| kind.open);
    Some(found)
}

/// What a mark adds to a share.
fn part(mark: &DrawnMark) -> Part {
    (if mark.right { mark.weight } else { 0.0 }, mark.weight)
}

impl Kind {
    /// `rows` of `whole` rows, by the marks on them of `all` marks, of which the share `pooled` is right.
    fn of(marks: &[&DrawnMark], rows: u64, whole: f64, all: f64, pooled: f64) -> Kind {
        let share = rows as f64 / whole;
        // Marks on rows that were certain to be drawn say nothing of those that were not.
        let blind = rows > marks.len() as u64 && marks.iter().all(|mark| mark.weight <= 1.0 + 1e-9);
        let (count, sum) = (marks.len() as f64, marks.iter().map(|mark| mark.weight).sum::<f64>());
        // Weights that are all the same are plain cases.
        let even = sum / count;
        let are_even = marks.iter().all(|mark| (mark.weight / even - 1.0).abs() < 1e-9);
        let parts: Vec<Part> = marks
            .iter()
            .map(|mark| if are_even { (f64::from(u8::from(mark.right)), 1.0) } else { part(mark) })
            .map(|(right, weight)| if are_even { (right, weight) } else { (right / even, weight / even) })
            .collect();
        let Some(spread) = spread(&parts).filter(|_| count > 0.0 && !blind) else {
            let right = if count > 0.0 { total(&parts).0 / total(&parts).1 } else { pooled };
            // Nothing is known: of a kind that has no mark, or one, or only such.
            return Kind { share, right, worth: 0.0, freedom: f64::INFINITY, open: 1.0 };
        };
        let squares: f64 = marks.iter().map(|mark| mark.weight * mark.weight).sum();
        // A row that stands for itself alone adds no error.
        let open: f64 = marks.iter().map(|mark| mark.weight * (mark.weight - 1.0).max(0.0)).sum();
        let right = total(&parts).0 / total(&parts).1;
        Kind { share, right, worth: spread.effective / all, freedom: spread.freedom, open: open / squares }
    }

    /// The share of right rows among these after so many marks on rows of all kinds.
    fn after(&self, marks: f64, open: f64) -> Estimate {
        let value = self.right;
        let (low, high) = match self.worth * marks {
            _ if open <= 1e-12 => (value, value),
            effective if effective > 0.0 => {
                Spread { effective: effective / open, freedom: self.freedom, least: None }.interval(value)
            }
            _ => (0.0, 1.0),
        };
        Estimate { value, low, high }
    }
}

impl DrawnShare {
    /// Half the width of the interval after `more` marks on rows that are drawn at random, if they are like those so far.
    pub fn reach(&self, more: u64) -> f64 {
        let marks = (self.marks + more as f64).min(self.rows);
        let found = self.after(marks / self.marks, |kind| {
            let open = 1.0 - marks / self.rows;
            open.min(kind.open)
        });
        (found.width() / 2.0).min(self.share.width() / 2.0)
    }

    /// How many more marks bring the interval to `reach` on each side; 0 if it is there.
    pub fn marks_for(&self, reach: f64) -> u64 {
        let (mut short, mut enough) = (0, (self.rows - self.marks).max(0.0) as u64);
        if self.reach(0) <= reach {
            return 0;
        }
        while enough - short > 1 {
            let middle = short + (enough - short) / 2;
            if self.reach(middle) <= reach {
                enough = middle;
            } else {
                short = middle;
            }
        }
        enough
    }

    /// The share after so many times as many marks.
    fn after(&self, times: f64, open: impl Fn(&Kind) -> f64) -> Estimate {
        let of = |kind: &Kind| {
            // Of a kind without marks, more marks would bring as many as it has rows.
            let expected = kind.share * (times - 1.0) / times;
            let worth = if kind.worth > 0.0 { kind.worth } else { expected };
            (kind.share, Kind { worth, ..*kind }.after(self.marks * times, open(kind)))
        };
        let parts: Vec<(f64, Estimate)> = self.kinds.iter().map(of).collect();
        let found = Estimate::sum(&parts, |_, _| 0.0);
        Estimate { value: found.value.clamp(0.0, 1.0), low: found.low.max(0.0), high: found.high.min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Random;
    use crate::sampling::unevenly;
    use crate::stats::{Confusion, prediction_powered_share};

    fn mark(right: bool, passes: bool, weight: f64) -> DrawnMark {
        DrawnMark { right, label: Some(passes), weight }
    }

    fn counts(passed: u64, failed: u64) -> LabelCounts {
        LabelCounts { passed, failed, unlabelled: 0 }
    }

    #[test]
    fn by_hand() {
        // The judge is always right: the share is what it passes.
        let marks: Vec<DrawnMark> = (0..100).map(|row| mark(row % 2 == 0, row % 2 == 0, 1e6)).collect();
        let found = drawn_share(&marks, counts(70_000_000, 30_000_000)).unwrap();
        assert!((found.share.value - 0.7).abs() < 1e-12 && found.share.width() < 0.12, "{found:?}");
        // Of four passed rows those that stand for most are right; of 20 failed ones half is.
        let marks = [
            mark(true, true, 30.0),
            mark(true, true, 30.0),
            mark(false, true, 10.0),
            mark(false, true, 10.0),
            mark(true, false, 10.0),
            mark(false, false, 10.0),
        ];
        let found = drawn_share(&marks, counts(80, 20)).unwrap();
        assert!((found.share.value - (0.8 * 0.75 + 0.2 * 0.5)).abs() < 1e-12, "{found:?}");
        assert_eq!(drawn_share(&[], counts(80, 20)), None);
    }

    #[test]
    fn a_label_without_marks_may_be_anything() {
        let marks: Vec<DrawnMark> = (0..60).map(|_| mark(true, true, 10.0)).collect();
        let found = drawn_share(&marks, LabelCounts { passed: 500, failed: 0, unlabelled: 100 }).unwrap();
        assert!(found.share.low < 1.0 - 1.0 / 6.0 && found.share.high == 1.0, "{found:?}");
        assert!(found.reach(60) < found.reach(0));
    }

    /// Rows that were certain to be drawn stand for themselves alone.
    #[test]
    fn marks_on_rows_that_were_certain_say_nothing_of_others() {
        // Of 40 rows with a value of their own all are marked; of 960 with the same one four, which the judge passes.
        let certain = (0..40).map(|row| mark(true, row % 2 == 0, 1.0));
        let marks: Vec<DrawnMark> = certain.chain((0..4).map(|_| mark(true, true, 240.0))).collect();
        let found = drawn_share(&marks, counts(700, 300)).unwrap();
        assert!(found.share.low < 0.71 && found.share.high > 0.99, "{found:?}");
        assert!(found.reach(0) > 0.1 && found.marks_for(0.02) > 0, "{found:?}");
    }

    #[test]
    fn all_rows_marked_is_certain() {
        let marks: Vec<DrawnMark> = (0..40).map(|row| mark(row % 4 > 0, row % 2 > 0, 1.0)).collect();
        let found = drawn_share(&marks, counts(20, 20)).unwrap();
        assert!((found.share.value - 0.75).abs() < 1e-12 && found.share.width() < 1e-9, "{found:?}");
        assert_eq!((found.marks_for(0.02), found.reach(20)), (0, 0.0));
    }

    /// Few marks of very many rows, evenly drawn, are what prediction-powered inference is about.
    #[test]
    fn even_draws_are_nearly_the_usual_inference() {
        let mut random = Random::new(4);
        let marks: Vec<DrawnMark> = (0..400)
            .map(|_| {
                let right = random.chance(0.6);
                mark(right, random.chance(if right { 0.9 } else { 0.2 }), 1e4)
            })
            .collect();
        let table = |mark: &DrawnMark| [(mark.right, mark.label)].into_iter().collect();
        let tables: Vec<Confusion> = marks.iter().map(table).collect();
        let others = vec![(1, 1); 124_000].into_iter().chain(vec![(0, 1); 76_000]).collect::<Vec<_>>();
        let usual = prediction_powered_share(&others, &tables).unwrap();
        let found = drawn_share(&marks, counts(2_480_000, 1_520_000)).unwrap().share;
        for (a, b) in [(usual.value, found.value), (usual.low, found.low), (usual.high, found.high)] {
            assert!((a - b).abs() < 0.01, "{usual:?} {found:?}");
        }
    }

    /// Few rows pass, most of them rightly, and few marks are on them: a judge that was right so far must not pass for one that always is.
    #[test]
    fn a_judge_that_is_rarely_wrong_is_not_taken_to_be_always_right() {
        const TIMES: u32 = 600;
        let mut random = Random::new(6);
        let mut held = 0;
        for _ in 0..TIMES {
            let rows: Vec<(bool, bool)> = (0..200)
                .map(|_| {
                    let right = random.chance(0.1);
                    (right, random.chance(if right { 0.98 } else { 0.05 }))
                })
                .collect();
            let sizes: Vec<f64> = rows.iter().map(|(_, passes)| if *passes { 0.7 } else { 1.4 }).collect();
            let drawn = unevenly(&sizes, 40, &mut random);
            let marks: Vec<DrawnMark> = drawn
                .into_iter()
                .map(|(at, probability)| mark(rows[at].0, rows[at].1, 1.0 / probability))
                .collect();
            let count = |of: fn(&(bool, bool)) -> bool| rows.iter().filter(|row| of(row)).count() as u64;
            let found = drawn_share(&marks, counts(count(|row| row.1), count(|row| !row.1))).unwrap();
            held += u32::from(found.share.holds(count(|row| row.0) as f64 / 200.0));
        }
        assert!(held >= TIMES * 93 / 100, "{held} of {TIMES}");
    }

    #[test]
    fn more_marks_bring_more() {
        let mut random = Random::new(9);
        let marks: Vec<DrawnMark> = (0..60)
            .map(|_| {
                let right = random.chance(0.7);
                mark(right, random.chance(if right { 0.9 } else { 0.3 }), 50.0)
            })
            .collect();
        let found = drawn_share(&marks, counts(2100, 900)).unwrap();
        assert!((found.reach(0) - found.share.width() / 2.0).abs() < 1e-9);
        assert!((0..100).all(|more| found.reach(10 * more) >= found.reach(10 * more + 10)));
        let needed = found.marks_for(0.02);
        assert!(found.reach(needed) <= 0.02 && found.reach(needed - 1) > 0.02, "{needed}");
        assert!(found.marks_for(0.0) <= 2940);
    }
}
