//! The gates of `bench`: the lowest figures that pass.

use super::args::{GateArgs, GateOn};
use crate::bench::Measured;
use crate::cli::without_label::{Ended, Limits, exceeded};
use crate::report::counted;

/// What judges fall short of, one sentence each.
pub fn failures(args: &GateArgs, measured: &[Measured]) -> Vec<String> {
    let mut failures = Vec::new();
    for judge in measured.iter().filter(|judge| !judge.baseline) {
        let figure = |name: &str| {
            let figure = judge.overall.figures.get(name)?;
            Some(match args.gate_on.unwrap_or(GateOn::Value) {
                GateOn::Value => figure.value,
                GateOn::Low => figure.low,
            })
        };
        let lower_f1 = figure("f1_correct").zip(figure("f1_incorrect")).map(|(a, b)| a.min(b));
        for (name, least, reached) in [
            ("accuracy", args.min_accuracy, figure("accuracy")),
            ("balanced accuracy", args.min_balanced_accuracy, figure("balanced_accuracy")),
            ("F1", args.min_f1, lower_f1),
            ("kappa", args.min_kappa, figure("kappa")),
            ("MCC", args.min_mcc, figure("mcc")),
            ("AUC", args.min_auc, figure("auc")),
        ] {
            let Some(least) = least else { continue };
            let what = match args.gate_on.unwrap_or(GateOn::Value) {
                GateOn::Value => name.to_owned(),
                GateOn::Low => format!("low end of the {name}'s interval"),
            };
            match reached {
                Some(reached) if reached >= least => {}
                Some(reached) => failures.push(format!(
                    "{} ({}): the {what} is {reached:.3} over {}, below {least}",
                    judge.judge,
                    judge.template,
                    over(judge, name)
                )),
                None => failures.push(format!("{} ({}): there is no {name}", judge.judge, judge.template)),
            }
        }
        let ended = Ended {
            rows: (judge.overall.rows * judge.repeats) as u64,
            labelled: judge.overall.confusion.judged(),
            no_evidence: judge.no_evidence,
        };
        let limits = Limits {
            allow_unjudged: args.allow_unjudged.unwrap_or_default(),
            max_abstained: args.max_abstained,
            all_may_abstain: false,
        };
        let exceeded = exceeded(ended, limits, "", "");
        failures
            .extend(exceeded.into_iter().map(|why| format!("{} ({}): {why}", judge.judge, judge.template)));
    }
    failures
}

/// The rows that a figure is over.
fn over(judge: &Measured, figure: &str) -> String {
    let confusion = &judge.overall.confusion;
    let all = confusion.judged() + confusion.unjudged();
    let rows = match (figure, &judge.calibration) {
        ("AUC", Some(calibration)) => calibration.rows as u64,
        _ => confusion.judged(),
    };
    format!("{rows} of {}", counted(all, "row"))
}
