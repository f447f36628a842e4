//! Lists the first few failures on a terminal, one per line.

use super::printer::Printer;
use crate::run::Tally;

/// So many are named.
pub const NAMED: usize = 8;
/// So many of each judge or agent, where they are annotations.
const ANNOTATED: usize = 4;

/// Names the first of `all` rows or cases that failed: quiet or not if they fail the command. `rest` says where the others are.
pub fn name<'a>(
    first: impl Iterator<Item = (&'a str, &'a str)>,
    (all, rest): (u64, &str),
    are_fatal: bool,
    printer: Printer<'_>,
) {
    let say = |line: &str| if are_fatal { printer.failure(line) } else { printer.talk(line) };
    // GitHub shows ten annotations of a step, and the gates come last.
    let is_marked = are_fatal && printer.annotates();
    let most = if is_marked { ANNOTATED } else { NAMED };
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (name, why) in first.take(most) {
        say(&format!("FAIL {}: {}", one_line(name), one_line(why)));
    }
    if all > most as u64 {
        let more = format!("... and {} more; {rest}", all - most as u64);
        if is_marked { printer.notice(&more) } else { say(&more) }
    }
}

/// The same for scored cases.
pub fn name_cases(tally: &Tally, are_fatal: bool, printer: Printer<'_>) {
    let first = tally.failures.iter().map(|failure| (failure.case.as_str(), failure.why.as_str()));
    name(first, (tally.failed + tally.errored(), "-o FILE writes them all"), are_fatal, printer);
}
