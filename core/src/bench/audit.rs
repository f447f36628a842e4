//! Gold that is probably wrong: rows on which all judges contradict it, ranked by the weight of their evidence.
//!
//! The weight of each vote against the gold is its log likelihood ratio (wrong gold against right gold), measured on the
//! benchmark itself: for a judge, from the frequencies of its label and confidence among right and wrong rows. The votes are
//! added as if they were independent (naive Bayes), and each is capped, since they are not. The rank says what to read first; do
//! not correct gold by it unseen.

use std::collections::HashMap;

use super::{Contender, Rows};

/// A row whose gold is doubtful.
#[derive(Debug, Clone, PartialEq)]
pub struct SuspectedLabelError {
    /// Its place among the rows.
    pub row: usize,
    /// What its gold should be.
    pub right: bool,
    /// The sum of the votes' weights: natural logarithm of odds.
    pub evidence: f64,
    /// The evidence, from the heaviest vote on.
    pub votes: Vec<Vote>,
}

/// Who contradicts the gold, or bears it out.
#[derive(Debug, Clone, PartialEq)]
pub struct Vote {
    /// A judge's name, `schema`, or another source of evidence, in words.
    pub who: String,
    /// Above 0 against the gold.
    pub weight: f64,
}

/// Rows by what a vote says: ten bins of the probability that the call is right, then labels without confidence, wrong and
/// right, then no label.
type Histogram = [u64; BINS];

const BINS: usize = 13;

/// Which bin a row is in.
fn bin(label: Option<bool>, probability: Option<f64>) -> usize {
    match (label, probability) {
        (None, _) => 12,
        (Some(_), Some(probability)) => ((probability * 10.0) as usize).min(9),
        (Some(right), None) => 10 + usize::from(right),
    }
}

/// The most that one vote weighs: e³, twenty to one.
const MAX_WEIGHT: f64 = 3.0;

/// Rows whose gold number `gold` all judges contradict, the most doubtful first.
///
/// A row of which no judge has a label is none. Baselines and checkers have a vote, but no veto.
pub fn audit(rows: &Rows, contenders: &[Contender], gold: usize) -> Vec<SuspectedLabelError> {
    let judges: Vec<&Contender> = contenders.iter().filter(|contender| contender.gold == gold).collect();
    let rights = &rows.golds[gold].right;
    let mut witnesses: Vec<Witness<'_>> =
        judges.iter().filter_map(|judge| Witness::judge(judge, rights)).collect();
    witnesses.extend(Witness::checker(&rows.checked, rights));
    let twins = Twins::of(rows, rights);
    let mut suspects: Vec<SuspectedLabelError> = (0..rows.len())
        .filter_map(|row| {
            let right = rights[row]?;
            let mut voters = judges.iter().filter(|judge| !judge.baseline);
            let labels = |judge: &&&Contender| judge.first().and_then(|predictions| predictions.labels[row]);
            if !voters.any(|judge| labels(&judge) == Some(!right))
                || judges.iter().filter(|judge| !judge.baseline).any(|judge| labels(&judge) == Some(right))
            {
                return None;
            }
            let mut votes: Vec<Vote> =
                witnesses.iter().filter_map(|witness| witness.vote(row, right)).collect();
            votes.extend(twins.vote(rows, row, right));
            let evidence = votes.iter().map(|vote| vote.weight).sum();
            Some(SuspectedLabelError { row, right: !right, evidence, votes })
        })
        .collect();
    suspects.sort_by(|a, b| b.evidence.total_cmp(&a.evidence).then(a.row.cmp(&b.row)));
    suspects
}

/// Somebody with something to say on each row.
struct Witness<'a> {
    who: String,
    /// The bin of each row.
    says: Box<dyn Fn(usize) -> usize + 'a>,
    right: Histogram,
    wrong: Histogram,
}

impl<'a> Witness<'a> {
    fn judge(contender: &'a Contender, rights: &[Option<bool>]) -> Option<Witness<'a>> {
        let predictions = contender.first()?;
        let varied = predictions.labels.contains(&Some(false));
        let says = move |row| bin(predictions.labels[row], predictions.probability(row));
        // Who never finds anything wrong has nothing to say.
        varied.then(|| Witness::new(contender.judge.clone(), says, rights))
    }

    fn checker(checked: &'a [Option<bool>], rights: &[Option<bool>]) -> Option<Witness<'a>> {
        let says = |row: usize| bin(checked[row], None);
        checked.iter().any(Option::is_some).then(|| Witness::new("accepted values".to_owned(), says, rights))
    }

    fn new(who: String, says: impl Fn(usize) -> usize + 'a, rights: &[Option<bool>]) -> Witness<'a> {
        let (mut right, mut wrong) = ([0; BINS], [0; BINS]);
        for (row, gold) in rights.iter().enumerate() {
            match gold {
                Some(true) => right[says(row)] += 1,
                Some(false) => wrong[says(row)] += 1,
                None => {}
            }
        }
        Witness { who, says: Box::new(says), right, wrong }
    }

    fn vote(&self, row: usize, gold: bool) -> Option<Vote> {
        let bin = (self.says)(row);
        // Half a row more in each bin, so that none is impossible.
        let frequency = |of: &Histogram| {
            let all: u64 = of.iter().sum();
            (of[bin] as f64 + 0.5) / (all as f64 + 0.5 * BINS as f64)
        };
        let (same, other) = if gold { (&self.right, &self.wrong) } else { (&self.wrong, &self.right) };
        let weight = (frequency(other) / frequency(same)).ln().clamp(-MAX_WEIGHT, MAX_WEIGHT);
        (bin != BINS - 1 && weight != 0.0).then(|| Vote { who: self.who.clone(), weight })
    }
}

/// The same call in several rows.
struct Twins(HashMap<[u8; 16], [u64; 2]>);

impl Twins {
    fn of(rows: &Rows, rights: &[Option<bool>]) -> Twins {
        let mut twins: HashMap<[u8; 16], [u64; 2]> = HashMap::new();
        for (identity, right) in rows.identities.iter().zip(rights) {
            if let Some(right) = right {
                twins.entry(*identity).or_default()[usize::from(*right)] += 1;
            }
        }
        Twins(twins)
    }

    /// Rows that are the same but have another gold.
    fn vote(&self, rows: &Rows, row: usize, right: bool) -> Option<Vote> {
        let counts = self.0.get(rows.identities.get(row)?)?;
        let (same, other) = (counts[usize::from(right)], counts[usize::from(!right)]);
        let weight = ((other as f64 + 0.5) / (same as f64 + 0.5)).ln().clamp(-MAX_WEIGHT, MAX_WEIGHT);
        (other > 0).then(|| Vote { who: format!("{other} equal rows of other gold"), weight })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Facts, Predictions};
    use crate::domain::Random;
    use crate::domain::Status;

    /// A thousand rows, of which every fiftieth has the wrong gold, and judges that are right nine times in ten.
    #[test]
    fn planted_errors_come_first() {
        let mut rows = Rows::new(["gold"], []);
        let mut judges = [Predictions::default(), Predictions::default(), Predictions::default()];
        let mut random = Random::new(7);
        let wrong_gold = |row: u64| row % 50 == 7;
        for row in 0..1000_u64 {
            let truth = row % 2 == 0;
            let gold = [Some(truth != wrong_gold(row))];
            let cluster = u128::from(row).to_le_bytes();
            rows.push(Facts {
                number: row,
                golds: &gold,
                slices: &[],
                cluster,
                checked: None,
                identity: None,
            });
            for predictions in &mut judges {
                let errs = random.chance(0.1);
                predictions.push(Some(truth != errs), Some(if errs { 0.6 } else { 0.9 }), Status::Judged);
            }
        }
        let contenders =
            judges.map(|predictions| Contender { repeats: vec![predictions], ..Contender::default() });
        let suspects = audit(&rows, &contenders, 0);
        let planted = |suspects: &[SuspectedLabelError]| {
            suspects.iter().filter(|suspect| wrong_gold(suspect.row as u64)).count()
        };
        assert!(planted(&suspects[..10]) == 10, "{:?}", &suspects[..10]);
        // Where some judge errs, it bears the gold out: 0.9³ of twenty are expected.
        assert!(planted(&suspects) >= 12, "{}", planted(&suspects));
        let first = &suspects[0];
        assert_eq!(Some(first.right), rows.golds[0].right[first.row].map(|right| !right));
    }

    #[test]
    fn equal_rows_of_other_gold_count() {
        let mut rows = Rows::new(["gold"], []);
        let mut predictions = Predictions::default();
        for (row, gold) in [true, true, true, false, false].into_iter().enumerate() {
            let identity = Some([u8::from(row == 4); 16]);
            let golds = [Some(gold)];
            rows.push(Facts {
                number: row as u64,
                golds: &golds,
                slices: &[],
                cluster: [0; 16],
                checked: None,
                identity,
            });
            predictions.push(Some(true), None, Status::Judged);
        }
        predictions.labels[0] = Some(false);
        let contenders = [Contender { repeats: vec![predictions], ..Contender::default() }];
        let suspects = audit(&rows, &contenders, 0);
        assert_eq!(suspects.iter().map(|suspect| suspect.row).collect::<Vec<_>>()[0], 3);
        assert!(suspects[0].votes.iter().any(|vote| vote.who.contains("equal rows")));
    }
}
