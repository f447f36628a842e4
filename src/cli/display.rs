//! Progress while a run goes on: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::eta::ThroughputMeter;
use super::log;
use super::printer::Printer;
use crate::judge::Activity;
use crate::run::{Pass, ProgressSnapshot};

const REDRAW: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(20);

/// Shows a run's progress until it is dropped.
pub struct Display {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    pub fn start(printer: Printer, pass: Pass) -> Display {
        if printer.quiet {
            return Display { done: None, thread: None };
        }
        let (done, ended) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut face = Face::new(printer, pass.name, pass.rows);
            let (began, mut meter) = (Instant::now(), ThroughputMeter::default());
            while ended.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                let snapshot = pass.progress.snapshot();
                meter.note(began.elapsed(), snapshot.done.saturating_sub(snapshot.spared));
                face.show(&snapshot, &meter, pass.activity());
            }
            face.clear();
        });
        Display { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // A display that panicked is no reason to fail a run.
            let _ = thread.join();
        }
    }
}

enum Face {
    Bar(ProgressBar),
    Lines { printer: Printer, what: &'static str, rows: Option<u64>, last: Instant },
}

impl Face {
    fn new(printer: Printer, what: &'static str, rows: Option<u64>) -> Face {
        if !std::io::stderr().is_terminal() || log::is_on_screen() {
            return Face::Lines { printer, what, rows, last: Instant::now() };
        }
        let bar = match rows {
            Some(rows) => ProgressBar::new(rows),
            None => ProgressBar::new_spinner(),
        };
        let template = match rows {
            Some(_) => "{prefix} {bar:20} {human_pos}/{human_len} rows  {msg}",
            None => "{prefix} {spinner} {human_pos} rows  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(what);
        Face::Bar(bar)
    }

    fn show(&mut self, snapshot: &ProgressSnapshot, meter: &ThroughputMeter, activity: Option<Activity>) {
        match self {
            Face::Bar(bar) => {
                bar.set_position(snapshot.done);
                bar.set_message(describe(snapshot, meter, bar.length(), activity));
            }
            Face::Lines { printer, what, rows, last } => {
                if last.elapsed() < LINE_EVERY {
                    return;
                }
                *last = Instant::now();
                let of = rows.map_or_else(String::new, |rows| format!(" of {rows}"));
                let told = describe(snapshot, meter, *rows, activity);
                printer.talk(&format!("{what}: {}{of} rows  {told}", snapshot.done));
            }
        }
    }

    fn clear(&self) {
        if let Face::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// `8/s  12 in flight  correct 40, incorrect 9  300 reused  2 slowdowns  ETA 2m`
fn describe(
    snapshot: &ProgressSnapshot,
    meter: &ThroughputMeter,
    rows: Option<u64>,
    activity: Option<Activity>,
) -> String {
    let rate = meter.rate();
    let mut parts = vec![if rate < 10.0 { format!("{rate:.1}/s") } else { format!("{rate:.0}/s") }];
    if let Some(activity) = activity {
        parts.push(format!("{} in flight", activity.in_flight));
    }
    if !snapshot.labels.is_empty() {
        let labels = snapshot.labels.iter().map(|(label, rows)| format!("{label} {rows}"));
        parts.push(labels.collect::<Vec<_>>().join(", "));
    }
    if snapshot.reused > 0 {
        parts.push(format!("{} reused", snapshot.reused));
    }
    if snapshot.elsewhere > 0 {
        parts.push(format!("{} asked by another run", snapshot.elsewhere));
    }
    if let Some(Activity { throttled, retried, limited_by, .. }) = activity {
        if throttled > 0 {
            parts.push(format!("{throttled} slowdowns"));
        }
        if retried > 0 {
            parts.push(format!("{retried} retries"));
        }
        parts.extend(limited_by.map(|limited_by| limited_by.to_string()));
    }
    if let Some(eta) = rows.and_then(|rows| meter.eta(rows.saturating_sub(snapshot.done))) {
        parts.push(format!("ETA {:#}", HumanDuration(eta)));
    }
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_that_were_there_already_are_no_speed() {
        let mut meter = ThroughputMeter::default();
        for second in 0..=10 {
            let snapshot = ProgressSnapshot {
                done: 900 + 2 * second,
                spared: 900,
                reused: 900,
                ..ProgressSnapshot::default()
            };
            meter.note(Duration::from_secs(second), snapshot.done - snapshot.spared);
        }
        let snapshot =
            ProgressSnapshot { done: 920, spared: 900, reused: 900, ..ProgressSnapshot::default() };
        assert_eq!(describe(&snapshot, &meter, Some(1040), None), "2.0/s  900 reused  ETA 60s");
        assert_eq!(describe(&snapshot, &meter, None, None), "2.0/s  900 reused");
    }
}
