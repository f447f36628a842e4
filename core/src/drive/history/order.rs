//! The order of runs: of one file, that of its lines; of several, by time.

use jiff::{SignedDuration, Timestamp};

use super::record::RunRecord;

/// Runs that end at once may stand in either order.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(60);

/// The records of several files as one sequence, whatever the order of files. Those of one file stay in its order: a clock may have been
/// wrong, but each run added its line behind those that were there.
pub(super) fn ordered(mut files: Vec<Vec<RunRecord>>) -> Vec<RunRecord> {
    files.sort_by_cached_key(|records| records.first().map(|first| (first.at(), first.run.clone())));
    let mut timed: Vec<(Option<Timestamp>, RunRecord)> = Vec::new();
    for records in files {
        // No run ended later than those behind it.
        let mut latest: Option<Timestamp> = None;
        let mut of_file = Vec::new();
        for record in records.into_iter().rev() {
            latest = match (latest, record.at()) {
                (Some(latest), Some(at)) => Some(latest.min(at)),
                (latest, at) => latest.or(at),
            };
            of_file.push((latest, record));
        }
        timed.extend(of_file.into_iter().rev());
    }
    timed.sort_by_key(|(at, _)| *at);
    timed.into_iter().map(|(_, record)| record).collect()
}

/// The first run of a file that ended before the one in the line before it, by their times.
pub fn out_of_order(records: &[RunRecord]) -> Option<&RunRecord> {
    let is_before = |pair: &[RunRecord]| match (pair[0].at(), pair[1].at()) {
        (Some(first), Some(second)) => first.duration_since(second) > AT_ONCE,
        _ => false,
    };
    records.windows(2).find(|pair| is_before(pair)).map(|pair| &pair[1])
}

/// The runs that ended after `now`, by their times: those of a machine whose clock is wrong.
pub fn in_future(records: &[RunRecord], now: Timestamp) -> impl Iterator<Item = &RunRecord> {
    records.iter().filter(move |record| record.at().is_some_and(|at| at.duration_since(now) > AT_ONCE))
}

#[cfg(test)]
mod tests {
    use super::super::trend::tests::run;
    use super::*;

    #[test]
    fn lines_decide_within_a_file_and_times_between_files() {
        // Runs whose number is their minute, file by file.
        for (files, expected, is_told) in [
            (vec!["1 2 3"], "1 2 3", false),
            (vec!["1 50 3"], "1 50 3", true),
            (vec!["1 50 3", "2 4"], "1 2 50 3 4", true),
            (vec!["2 4", "1 50 3"], "1 2 50 3 4", true),
            (vec!["3 4 1"], "3 4 1", true),
        ] {
            let of = |numbers: &&str| -> Vec<RunRecord> {
                numbers.split(' ').map(|number| run(number, "a", &[("x", 1, 1)])).collect()
            };
            let files: Vec<Vec<RunRecord>> = files.iter().map(of).collect();
            assert_eq!(files.iter().any(|file| out_of_order(file).is_some()), is_told);
            // The clock says 45: what ended in the next minute may be a clock that is a little off.
            let now = run("45", "a", &[]).at().unwrap();
            let ahead: Vec<&str> =
                files.iter().flat_map(|file| in_future(file, now)).map(|run| run.run.as_str()).collect();
            assert_eq!(ahead.join(" "), if expected.contains("50") { "50" } else { "" });
            let found: Vec<String> = ordered(files).into_iter().map(|record| record.run).collect();
            assert_eq!(found.join(" "), expected);
        }
    }
}
