//! Messages about a cost limit at the end of the ask pass.

use crate::judge::Remote;
use crate::run::Observer;

/// Tells if more was spent than the limit of `judges` allows, or if it is too small for a single request. Of the limit that was given,
/// `kept` dollars are for others.
pub fn tell_spending<'a>(judges: impl IntoIterator<Item = &'a Remote>, kept: f64, observer: &dyn Observer) {
    let judges: Vec<&Remote> = judges.into_iter().collect();
    // A run has one limit for all of them.
    let Some(budget) = judges.iter().find_map(|judge| judge.cost_budget()) else { return };
    let limit = dollars(budget.ceiling() + kept);
    let less =
        if kept > 0.0 { format!(", of which {} is kept for grading,", dollars(kept)) } else { String::new() };
    if let Some(beyond) = budget.exceeded().map(|beyond| beyond - kept).filter(|beyond| *beyond > 0.0) {
        let mut why: Vec<String> = judges.iter().filter_map(|judge| judge.excess()).collect();
        why.dedup();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
        let whose = if budget.is_shared() { ", which all runs with this purse share," } else { "" };
        observer.warning(&format!(
            "the cost limit --max-cost ({limit}){whose} was exceeded by {}{why}",
            dollars(beyond)
        ));
    }
    if let Some(lost) = budget.lost() {
        observer.warning(&format!(
            "runs that were killed had taken {} of the purse: they did not say what they spent, so that all of it counts as spent; \
             a limit that is higher by as much makes up for it",
            dollars(lost)
        ));
    }
    if let Some(worst) = budget.too_small_for() {
        observer.warning(&format!(
            "the cost limit --max-cost ({limit}){less} is below what one request may cost, which is up to {}: nothing was sent; give a higher \
             limit, or a lower --max-tokens",
            dollars(worst)
        ));
    }
}

/// An amount as messages show it.
pub fn dollars(amount: f64) -> String {
    if amount >= 1.0 { format!("${amount:.2}") } else { format!("${amount:.6}") }
}
