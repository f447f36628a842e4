//! The least that judges must reach.

use super::args::{GateArgs, GateOn};
use crate::bench::Measured;
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
                    "{} ({}): the {what} is {reached:.3}, below {least}",
                    judge.judge, judge.template
                )),
                None => failures.push(format!("{} ({}): there is no {name}", judge.judge, judge.template)),
            }
        }
        let unjudged = judge.overall.confusion.unjudged() as f64;
        let rows = (judge.overall.rows * judge.repeats) as f64;
        if unjudged > args.allow_unjudged.unwrap_or_default() * rows {
            failures.push(format!(
                "{} ({}): {unjudged} of {} {} no label; --allow-unjudged SHARE accepts them",
                judge.judge,
                judge.template,
                counted(rows as u64, "row"),
                if rows == 1.0 { "has" } else { "have" }
            ));
        }
    }
    failures
}
