//! The gates of `audit`: the highest flip rates that pass.

use super::args::AuditGateArgs;
use crate::audit::Audited;

/// Where judges gave way, one sentence each.
pub fn failures(args: &AuditGateArgs, audited: &[Audited]) -> Vec<String> {
    let mut failures = Vec::new();
    for judge in audited {
        let name = format!("{} ({})", judge.judge, judge.template);
        for family in &judge.families {
            let surely = |figure: Option<crate::stats::Estimate>, most: Option<f64>| {
                Some((figure?.low, most?)).filter(|(low, most)| low > most)
            };
            let (what, rates) = (family.name, &family.rates);
            if let Some((low, most)) = surely(rates.beyond_noise, args.max_flip_rate) {
                failures
                    .push(format!("{name}: {what} flips at least {low:.3} of the labels, more than {most}"));
            }
            if let Some((low, most)) = surely(rates.unlabelled_rate, args.max_unlabelled) {
                failures.push(format!(
                    "{name}: {what} leaves at least {low:.3} without a label, more than {most}"
                ));
            }
        }
        let Audited { asked, unanswered, .. } = judge;
        if *unanswered as f64 > args.allow_unanswered.unwrap_or_default() * *asked as f64 {
            failures.push(format!(
                "{name}: {unanswered} of {asked} questions were never answered; --allow-unanswered SHARE accepts them"
            ));
        }
        if judge.rows == 0 {
            failures.push(format!("{name}: no row got a label, so there was nothing to attack"));
        }
    }
    failures
}
