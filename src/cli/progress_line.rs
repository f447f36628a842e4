//! The progress line, fitted to the available width.

use std::time::Duration;

use indicatif::{HumanCount, HumanDuration};
use unicode_width::UnicodeWidthStr;

use crate::judge::Activity;
use crate::report::plain;
use crate::run::ProgressSnapshot;

/// Columns of the bar.
const BAR: usize = 20;

/// How far a pass is, and how fast it goes.
pub struct Moment<'a> {
    /// What is done, in a word.
    pub what: &'a str,
    /// How many rows there are, if that is known.
    pub rows: Option<u64>,
    pub snapshot: &'a ProgressSnapshot,
    pub activity: Option<Activity>,
    /// Rows a second.
    pub rate: f64,
    pub eta: Option<Duration>,
}

/// What the line says, the most important first: where it is too long, the last of these are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Position,
    Eta,
    What,
    Rate,
    Labels,
    Bar,
    InFlight,
    LimitedBy,
    Retries,
    Slowdowns,
    Elsewhere,
    Reused,
}

impl Moment<'_> {
    /// What is counted.
    fn unit(&self) -> &'static str {
        if self.what == "driving" { "episodes" } else { "rows" }
    }

    /// `label ██████░░░░ 52/420 rows  8/s  12 in flight  correct 40, incorrect 9  300 reused  2 slowdowns  ETA 2m`: one line of a
    /// terminal, which is redrawn.
    pub fn bar(&self, width: usize) -> String {
        let done = self.snapshot.done;
        let mut parts = vec![(Part::What, self.what.to_owned())];
        let unit = self.unit();
        let position = match self.rows {
            Some(rows) => {
                let share = (u128::from(done.min(rows)) * BAR as u128).checked_div(u128::from(rows));
                let filled = share.map_or(BAR, |cells| cells as usize);
                let cells = "█".repeat(filled) + &"░".repeat(BAR - filled);
                parts.push((Part::Bar, cells));
                format!("{}/{} {unit}", HumanCount(done), HumanCount(rows))
            }
            None => format!("{} {unit}", HumanCount(done)),
        };
        parts.push((Part::Position, position));
        parts.extend(self.details());
        let shortened = fitted(parts, width);
        match shortened.width() <= width {
            true => shortened,
            // Not even where it is fits.
            false => HumanCount(done).to_string().chars().take(width).collect(),
        }
    }

    /// The same without a bar, for a log.
    pub fn line(&self, width: usize) -> String {
        let of = self.rows.map_or_else(String::new, |rows| format!(" of {rows}"));
        let position = format!("{}: {}{of} {}", self.what, self.snapshot.done, self.unit());
        fitted([(Part::Position, position)].into_iter().chain(self.details()).collect(), width)
    }

    fn details(&self) -> Vec<(Part, String)> {
        let Moment { snapshot, rate, .. } = self;
        let mut parts =
            vec![(Part::Rate, if *rate < 10.0 { format!("{rate:.1}/s") } else { format!("{rate:.0}/s") })];
        if let Some(activity) = self.activity {
            parts.push((Part::InFlight, format!("{} in flight", activity.in_flight)));
        }
        if !snapshot.labels.is_empty() {
            let labels = snapshot.labels.iter().map(|(label, rows)| format!("{} {rows}", plain(label)));
            parts.push((Part::Labels, labels.collect::<Vec<_>>().join(", ")));
        }
        if snapshot.reused > 0 {
            parts.push((Part::Reused, format!("{} reused", snapshot.reused)));
        }
        if snapshot.elsewhere > 0 {
            parts.push((Part::Elsewhere, format!("{} asked by another run", snapshot.elsewhere)));
        }
        if let Some(Activity { throttled, retried, limited_by, .. }) = self.activity {
            if throttled > 0 {
                parts.push((Part::Slowdowns, format!("{throttled} slowdowns")));
            }
            if retried > 0 {
                parts.push((Part::Retries, format!("{retried} retries")));
            }
            parts.extend(limited_by.map(|limited_by| (Part::LimitedBy, limited_by.to_string())));
        }
        parts.extend(self.eta.map(|eta| (Part::Eta, format!("ETA {:#}", HumanDuration(eta)))));
        parts
    }
}

/// The parts in their order, without the least important ones that do not fit `width`.
fn fitted(mut parts: Vec<(Part, String)>, width: usize) -> String {
    loop {
        let mut line = String::new();
        for (part, text) in &parts {
            // Where a pass is reads as one thing.
            let gap = if *part > Part::Position && !matches!(part, Part::Bar) { "  " } else { " " };
            if !line.is_empty() {
                line += gap;
            }
            line += text;
        }
        let least = parts.iter().enumerate().max_by_key(|(_, (part, _))| *part).map(|(at, _)| at);
        match least {
            Some(at) if line.width() > width && parts.len() > 1 => drop(parts.remove(at)),
            _ => return line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy() -> ProgressSnapshot {
        let labels = [("correct", 40), ("incorrect", 9), ("一个很长的标签 of a rail", 3)];
        ProgressSnapshot {
            done: 1_052,
            spared: 300,
            reused: 300,
            elsewhere: 4,
            labels: labels.map(|(label, rows)| (label.to_owned(), rows)).into(),
        }
    }

    fn moment(snapshot: &ProgressSnapshot) -> Moment<'_> {
        let activity = Activity { in_flight: 12, throttled: 2, retried: 5, ..Activity::default() };
        let eta = Some(Duration::from_secs(120));
        Moment { what: "label", rows: Some(420_000), snapshot, activity: Some(activity), rate: 8.0, eta }
    }

    #[test]
    fn no_width_is_exceeded_and_what_matters_stays() {
        let snapshot = busy();
        for rows in [Some(420_000), Some(1), Some(0), None] {
            let moment = Moment { rows, ..moment(&snapshot) };
            let mut before = 0;
            for width in 20..=200 {
                let line = moment.bar(width);
                assert!(line.width() <= width, "{width}: {line}");
                assert!(line.contains("1,052") && !line.contains('\n'), "{width}: {line}");
                assert!(width < 30 || line.contains("ETA"), "{width}: {line}");
                // More room never shows less.
                let parts = line.split("  ").count();
                assert!(parts >= before, "{width}: {line}");
                before = parts;
                assert!(moment.line(width.max(30)).width() <= width.max(30));
            }
        }
        let crowded = ProgressSnapshot { done: u64::MAX, ..snapshot };
        let moment = Moment { rows: Some(u64::MAX), ..moment(&crowded) };
        assert!((1..=200).all(|width| moment.bar(width).width() <= width));
    }

    #[test]
    fn the_least_important_goes_first() {
        let snapshot = busy();
        let labels = "correct 40, incorrect 9, 一个很长的标签 of a rail 3";
        for (width, expected) in [
            (
                200,
                format!(
                    "label ░░░░░░░░░░░░░░░░░░░░ 1,052/420,000 rows  8.0/s  12 in flight  {labels}  300 reused  4 asked by another run  2 slowdowns  5 retries  ETA 2m"
                ),
            ),
            (120, format!("label ░░░░░░░░░░░░░░░░░░░░ 1,052/420,000 rows  8.0/s  {labels}  ETA 2m")),
            (100, format!("label 1,052/420,000 rows  8.0/s  {labels}  ETA 2m")),
            (60, "label 1,052/420,000 rows  8.0/s  ETA 2m".to_owned()),
            (30, "1,052/420,000 rows  ETA 2m".to_owned()),
            (20, "1,052/420,000 rows".to_owned()),
            (10, "1,052".to_owned()),
        ] {
            assert_eq!(moment(&snapshot).bar(width), expected, "{width}");
        }
        let quiet = ProgressSnapshot { done: 920, spared: 900, reused: 900, ..ProgressSnapshot::default() };
        let eta = Some(Duration::from_secs(60));
        let moment =
            Moment { what: "label", rows: Some(1040), snapshot: &quiet, activity: None, rate: 2.0, eta };
        assert_eq!(moment.line(usize::MAX), "label: 920 of 1040 rows  2.0/s  900 reused  ETA 60s");
    }
}
