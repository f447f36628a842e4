//! Surveys a log: counts its contents before it is read.

use std::collections::BTreeMap;

use super::log::Part;
use crate::domain::Gold;
use crate::normalize::logs::{Entry, Skip};
use crate::table::{Column, samples};

/// What a log holds, by one pass over it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogSurvey {
    /// Of each format, and each way of writing it, how many records there are.
    pub formats: BTreeMap<(&'static str, Option<&'static str>), u64>,
    /// Rows: turns, and what should be one and cannot be read.
    pub items: u64,
    /// Parts of what other records hold.
    pub fragments: u64,
    /// Entries that hold nothing to judge, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Records that are transcripts.
    pub transcripts: u64,
    /// Those of them that are episodes of a benchmark.
    pub episodes: u64,
    /// Turns that a benchmark has labels for, and those that it has calls for.
    pub labelled: u64,
    pub expected: u64,
    /// Turns of the assistant's in them, judged or not.
    pub turns: u64,
    /// Calls in these turns.
    pub calls: u64,
    /// Those of the calls that stand in turns that are no rows, by the reason why they are none.
    pub calls_not_taken: BTreeMap<&'static str, u64>,
}

impl LogSurvey {
    pub(super) fn add(&mut self, other: LogSurvey) {
        self.items += other.items;
        self.fragments += other.fragments;
        self.transcripts += other.transcripts;
        self.episodes += other.episodes;
        self.labelled += other.labelled;
        self.expected += other.expected;
        self.turns += other.turns;
        self.calls += other.calls;
        for (why, count) in other.skipped {
            *self.skipped.entry(why).or_default() += count;
        }
        for (why, count) in other.calls_not_taken {
            *self.calls_not_taken.entry(why).or_default() += count;
        }
    }

    /// Takes a turn with that many calls out of the rows, because it repeats another one.
    pub(super) fn repeat(&mut self, calls: usize) {
        let why = Skip::Repeated.as_str();
        self.items = self.items.saturating_sub(1);
        *self.skipped.entry(why).or_default() += 1;
        *self.calls_not_taken.entry(why).or_default() += calls as u64;
    }

    /// Adds a record that is another one once more: what would be rows is left out.
    pub(super) fn repeats(&mut self, record: &LogSurvey) {
        self.skipped.clone_from(&record.skipped);
        if record.items > 0 {
            *self.skipped.entry(Skip::Repeated.as_str()).or_default() += record.items;
        }
    }

    pub(super) fn count(&mut self, part: &Part) {
        if let Part::Entry(Entry::Turn(turn)) = part {
            self.labelled += u64::from(matches!(turn.origin.gold, Some(Gold::Right(_))));
            self.expected += u64::from(matches!(turn.origin.gold, Some(Gold::Calls(_))));
        }
        match part {
            Part::Entry(Entry::Turn(_) | Entry::Unreadable(_)) | Part::Row(_) | Part::Invalid(_) => {
                self.items += 1;
            }
            Part::Entry(Entry::Skipped(why)) => *self.skipped.entry(why.as_str()).or_default() += 1,
            Part::Entry(Entry::NotTaken(why, calls)) => {
                *self.skipped.entry(why.as_str()).or_default() += 1;
                if *calls > 0 {
                    *self.calls_not_taken.entry(why.as_str()).or_default() += *calls as u64;
                }
            }
            Part::Entry(Entry::Transcript(tally)) => {
                self.transcripts += 1;
                self.episodes += u64::from(tally.is_episode);
                self.turns += tally.turns as u64;
                self.calls += tally.calls as u64;
            }
            Part::Entry(Entry::Fragment(fragment)) if fragment.is_sign() => {}
            Part::Entry(Entry::Fragment(_)) => self.fragments += 1,
        }
    }
}

/// The columns that tell of transcripts and episodes, and what benchmarks say of turns, where there are any.
pub fn of_transcripts(surveys: &[LogSurvey]) -> Vec<Column> {
    let some = |count: fn(&LogSurvey) -> u64| surveys.iter().any(|survey| count(survey) > 0);
    let mut columns = Vec::new();
    if some(|survey| survey.transcripts) {
        columns.extend(samples::of_transcripts());
    }
    if some(|survey| survey.episodes) {
        columns.extend(samples::of_episodes());
    }
    let [label, expected] = samples::of_gold();
    columns.extend(some(|survey| survey.labelled).then_some(label));
    columns.extend(some(|survey| survey.expected).then_some(expected));
    columns
}
