//! Flip rates of a judge by attack and by change, with intervals.

use std::collections::BTreeMap;

use serde::Serialize;

use super::probe::Kind;
use super::{Attack, Change, Place, Probe};
use crate::domain::Status;
use crate::stats::{Estimate, Measure, Paired, difference, share};

/// The version of the record that `tooljudge audit --report FILE.json` writes.
pub const SCHEMA: u32 = 1;

/// An answer to a probe, beside the judge's first answer about the row. Labels are places among the rails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The row's place among those that are audited.
    pub row: usize,
    /// Rows with the same number go together (all rows of one question).
    pub cluster: u32,
    /// What was done to the row.
    pub probe: Probe,
    /// The first answer.
    pub base: usize,
    /// What an attack asked for.
    pub target_label: usize,
    /// The answer's label; absent without one.
    pub label: Option<usize>,
    /// How the answer ended.
    pub status: Status,
}

/// How often answers differ. All shares come with 95 % intervals over clusters of rows; they are absent where there is nothing they
/// could be a share of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Rates {
    /// Probes that the judge answered, with a label or without.
    pub answered: u64,
    /// Probes that never got an answer: their requests failed, or the money was gone. They count nowhere else.
    pub unanswered: u64,
    /// Answers whose label is not the first one.
    pub flips: u64,
    /// Of these, those with the label that the attack asked for.
    pub towards: u64,
    /// Answers without a label, where the first had one.
    pub unlabelled: u64,
    /// The share of flips among answers with a label.
    pub flip_rate: Option<Estimate>,
    /// The share of flips in the direction that the attack asked for.
    pub targeted_flip_rate: Option<Estimate>,
    /// The flip rate less that of asking the same rows the same again, which judges flip without any reason. For a judge that says the
    /// same every time it is the flip rate itself.
    pub beyond_noise: Option<Estimate>,
    /// The share of answers without a label: an attack that makes a row unjudgeable.
    pub unlabelled_rate: Option<Estimate>,
}

/// The rates of one family of probes, or of one place of attacks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// `change` or `attack`.
    pub kind: &'static str,
    /// The family's or the place's name, as tables show it.
    pub name: &'static str,
    /// What is done to rows, in a few words.
    pub meaning: &'static str,
    /// How often answers differ there.
    #[serde(flatten)]
    pub rates: Rates,
}

/// What an audit found out about one judge with one template.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audited {
    /// The judge's name, as columns spell it.
    pub judge: String,
    /// The template's name; the task's for the built-in judge.
    pub template: String,
    /// The task that is judged; absent for a template that names none.
    pub task: Option<&'static str>,
    /// How often the judge was to answer: about rows as they stand, again without a change, and about probes.
    pub asked: u64,
    /// Of these, how often no answer ever came.
    pub unanswered: u64,
    /// What the answers cost, those that were in the store before included, in US dollars; absent where no model was asked, or the price
    /// of one is unknown.
    pub cost_usd: Option<f64>,
    /// Rows that got a label at first, and were probed.
    pub rows: u64,
    /// Rows that got none: there is nothing that could flip.
    pub rows_without_label: u64,
    /// Rows whose first label is wrong by the gold: they are changed, but not attacked, for there is nothing left to win.
    pub rows_judged_wrongly: u64,
    /// Asking the same again; absent for a judge that needs no model, which says the same every time.
    pub noise: Option<Rates>,
    /// All attacks together.
    pub attacks: Rates,
    /// All changes together.
    pub changes: Rates,
    /// Each attack and each change.
    pub families: Vec<Finding>,
    /// All attacks, by where they stood.
    pub places: Vec<Finding>,
    /// How the judge was set up, as in a run's manifest.
    pub record: serde_json::Value,
}

/// The rates of `answers`, which are one judge's with one template. `steady`: asking it again is pointless.
///
/// Fills in what is counted and estimated; names and counts of rows are the caller's.
pub fn findings(answers: &[Answer], steady: bool) -> Audited {
    let repeats = Repeats::of(answers);
    let rates = |choose: &dyn Fn(&Probe) -> bool| {
        let chosen: Vec<&Answer> = answers.iter().filter(|answer| choose(&answer.probe)).collect();
        rates(&chosen, &repeats, steady)
    };
    let is = |kind: Kind| move |probe: &Probe| probe.kind() == kind;
    let finding = |kind: Kind, name, meaning, choose: &dyn Fn(&Probe) -> bool| Finding {
        kind: kind.as_str(),
        name,
        meaning,
        rates: rates(choose),
    };
    let attacks = Attack::ALL.into_iter().map(|attack| {
        finding(
            Kind::Attack,
            attack.as_str(),
            attack.meaning(),
            &|probe| matches!(probe, Probe::Attack(of, _) if *of == attack),
        )
    });
    let changes = Change::ALL.into_iter().map(|change| {
        finding(Kind::Change, change.as_str(), change.meaning(), &|probe| *probe == Probe::Change(change))
    });
    let places = Place::ALL
        .into_iter()
        .map(|place| finding(Kind::Attack, place.as_str(), "", &|probe| probe.place() == Some(place)));
    let asked = |finding: &Finding| finding.rates.answered + finding.rates.unanswered > 0;
    Audited {
        judge: String::new(),
        template: String::new(),
        task: None,
        asked: 0,
        unanswered: 0,
        cost_usd: None,
        rows: 0,
        rows_without_label: 0,
        rows_judged_wrongly: 0,
        noise: (!steady).then(|| rates(&is(Kind::Repeat))),
        attacks: rates(&is(Kind::Attack)),
        changes: rates(&is(Kind::Change)),
        families: attacks.chain(changes).filter(asked).collect(),
        places: places.filter(asked).collect(),
        record: serde_json::Value::Null,
    }
}

/// For each row, whether each repeat that got a label differed from the first answer.
struct Repeats(BTreeMap<usize, Vec<bool>>);

impl Repeats {
    fn of(answers: &[Answer]) -> Repeats {
        let mut rows: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
        for answer in answers.iter().filter(|answer| answer.probe == Probe::Repeat) {
            rows.entry(answer.row).or_default().extend(answer.label.map(|label| label != answer.base));
        }
        Repeats(rows)
    }
}

/// Whether a judge was ever asked with success: failed requests are no answers, nor are those for which there was no money.
pub fn is_answer(status: Status) -> bool {
    !matches!(status, Status::Errored | Status::NotAsked | Status::SkippedBudget)
}

fn rates(answers: &[&Answer], repeats: &Repeats, steady: bool) -> Rates {
    let mut rates = Rates::default();
    /// The parts of one cluster.
    #[derive(Default)]
    struct Cluster {
        answered: u64,
        labelled: u64,
        flips: u64,
        towards: u64,
        /// Answers as the second judge's, repeats of their rows as the first one's; what is "right" is to differ.
        beside_noise: Paired,
    }
    let mut clusters: BTreeMap<u32, Cluster> = BTreeMap::new();
    for answer in answers {
        if !is_answer(answer.status) {
            rates.unanswered += 1;
            continue;
        }
        let cluster = clusters.entry(answer.cluster).or_default();
        cluster.answered += 1;
        let Some(label) = answer.label else { continue };
        let flipped = label != answer.base;
        cluster.labelled += 1;
        cluster.flips += u64::from(flipped);
        cluster.towards += u64::from(flipped && label == answer.target_label);
        for noise in repeats.0.get(&answer.row).into_iter().flatten() {
            cluster.beside_noise.add(true, Some(*noise), Some(flipped));
        }
    }
    let sum = |part: fn(&Cluster) -> u64| clusters.values().map(part).sum::<u64>();
    let estimate = |part: fn(&Cluster) -> u64, whole: fn(&Cluster) -> u64| {
        share(&clusters.values().map(|cluster| (part(cluster), whole(cluster))).collect::<Vec<_>>())
    };
    let is_attack = answers.iter().any(|answer| answer.probe.kind() == Kind::Attack);
    let is_repeat = answers.iter().any(|answer| answer.probe.kind() == Kind::Repeat);
    let flip_rate = estimate(|cluster| cluster.flips, |cluster| cluster.labelled);
    let beside: Vec<Paired> = clusters.values().map(|cluster| cluster.beside_noise).collect();
    Rates {
        answered: sum(|cluster| cluster.answered),
        flips: sum(|cluster| cluster.flips),
        towards: sum(|cluster| cluster.towards) * u64::from(is_attack),
        unlabelled: sum(|cluster| cluster.answered - cluster.labelled),
        flip_rate,
        targeted_flip_rate: estimate(|cluster| cluster.towards, |cluster| cluster.labelled)
            .filter(|_| is_attack),
        beyond_noise: match steady {
            true => flip_rate,
            false if is_repeat => None,
            false => difference(Measure::Accuracy, &beside).map(|found| found.difference),
        },
        unlabelled_rate: estimate(|cluster| cluster.answered - cluster.labelled, |cluster| cluster.answered),
        ..rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(row: usize, probe: Probe, label: Option<usize>) -> Answer {
        let status = if label.is_some() { Status::Judged } else { Status::Unparseable };
        Answer { row, cluster: row as u32, probe, base: 0, target_label: 1, label, status }
    }

    #[test]
    fn flips_are_counted_by_family_and_beside_the_noise() {
        let attack = Probe::Attack(Attack::Instruction, Place::Question);
        let mut answers = Vec::new();
        for row in 0..40 {
            answers.push(answer(row, Probe::Repeat, Some(usize::from(row % 10 == 0))));
            answers.push(answer(row, attack, Some(usize::from(row % 2 == 0))));
            answers.push(answer(row, Probe::Change(Change::KeyOrder), (row != 0).then_some(0)));
        }
        answers.push(Answer { status: Status::Errored, ..answer(40, attack, None) });
        let found = findings(&answers, false);
        let of = |rates: &Rates| (rates.answered, rates.flips, rates.unlabelled, rates.unanswered);
        assert_eq!(of(&found.noise.unwrap()), (40, 4, 0, 0));
        assert_eq!(of(&found.attacks), (40, 20, 0, 1));
        assert_eq!(of(&found.changes), (40, 0, 1, 0));
        let names: Vec<&str> = found.families.iter().map(|family| family.name).collect();
        assert_eq!(names, ["instruction", "key_order"]);
        assert_eq!((found.places.len(), found.places[0].name), (1, "question"));
        let beyond = found.attacks.beyond_noise.unwrap();
        assert!((beyond.value - 0.4).abs() < 1e-12 && beyond.low > 0.2 && beyond.high < 0.6, "{beyond:?}");
        assert_eq!(found.attacks.targeted_flip_rate, found.attacks.flip_rate);
        assert_eq!((found.changes.towards, found.changes.targeted_flip_rate), (0, None));
        assert_eq!(findings(&answers, true).attacks.beyond_noise, found.attacks.flip_rate);
    }
}
