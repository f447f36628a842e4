//! Names what failed, for whoever reads a terminal: the first few, one line each.

use super::printer::Printer;
use crate::run::Tally;

/// So many are named.
pub const NAMED: usize = 8;

/// Names the first of `all` rows or cases that failed: quiet or not if they fail the command. `rest` says where the others are.
pub fn name<'a>(
    first: impl Iterator<Item = (&'a str, &'a str)>,
    (all, rest): (u64, &str),
    are_fatal: bool,
    printer: Printer<'_>,
) {
    let say = |line: &str| if are_fatal { printer.failure(line) } else { printer.talk(line) };
    for (name, why) in first.take(NAMED) {
        say(&format!("FAIL {name}: {}", why.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    if all > NAMED as u64 {
        say(&format!("... and {} more; {rest}", all - NAMED as u64));
    }
}

/// The same for scored cases.
pub fn name_cases(tally: &Tally, are_fatal: bool, printer: Printer<'_>) {
    let first = tally.failures.iter().map(|failure| (failure.case.as_str(), failure.why.as_str()));
    name(first, (tally.failed + tally.errored(), "-o FILE writes them all"), are_fatal, printer);
}
