//! Progress during a run: a bar on a terminal, occasional lines elsewhere.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::eta::ThroughputMeter;
use super::log;
use super::printer::Printer;
use super::progress_line::Moment;
use super::width::{self, Stream};
use crate::judge::Activity;
use crate::report::USUAL_WIDTH;
use crate::run::{Pass, ProgressSnapshot};

const REDRAW: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(20);

/// Shows a run's progress until it is dropped.
pub struct Display {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    pub fn start(printer: Printer<'static>, pass: Pass) -> Display {
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
    Bar { bar: ProgressBar, what: &'static str, rows: Option<u64> },
    Lines { printer: Printer<'static>, what: &'static str, rows: Option<u64>, last: Instant },
}

impl Face {
    fn new(printer: Printer<'static>, what: &'static str, rows: Option<u64>) -> Face {
        if !std::io::stderr().is_terminal() || log::is_on_screen() {
            return Face::Lines { printer, what, rows, last: Instant::now() };
        }
        let bar = match rows {
            Some(rows) => ProgressBar::new(rows),
            None => ProgressBar::new_spinner(),
        };
        let template = if rows.is_some() { "{msg}" } else { "{spinner} {msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Face::Bar { bar, what, rows }
    }

    fn show(&mut self, snapshot: &ProgressSnapshot, meter: &ThroughputMeter, activity: Option<Activity>) {
        match self {
            Face::Bar { bar, what, rows } => {
                // Terminals move on when the last column is written; the spinner takes two.
                let taken = if rows.is_some() { 1 } else { 3 };
                let width = width::of_terminal(Stream::Err).unwrap_or(USUAL_WIDTH).saturating_sub(taken);
                bar.set_position(snapshot.done);
                bar.set_message(moment(what, *rows, snapshot, meter, activity).bar(width));
            }
            Face::Lines { printer, what, rows, last } => {
                if last.elapsed() < LINE_EVERY {
                    return;
                }
                *last = Instant::now();
                // In a log, nothing is left out.
                let width = width::of_terminal(Stream::Err).unwrap_or(usize::MAX);
                printer.talk(&moment(what, *rows, snapshot, meter, activity).line(width));
            }
        }
    }

    fn clear(&self) {
        if let Face::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }
}

fn moment<'a>(
    what: &'a str,
    rows: Option<u64>,
    snapshot: &'a ProgressSnapshot,
    meter: &ThroughputMeter,
    activity: Option<Activity>,
) -> Moment<'a> {
    let eta = rows.and_then(|rows| meter.eta(rows.saturating_sub(snapshot.done)));
    Moment { what, rows, snapshot, activity, rate: meter.rate(), eta }
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
        let line = |rows| moment("label", rows, &snapshot, &meter, None).line(usize::MAX);
        assert_eq!(line(Some(1040)), "label: 920 of 1040 rows  2.0/s  900 reused  ETA 60s");
        assert_eq!(line(None), "label: 920 rows  2.0/s  900 reused");
    }
}
