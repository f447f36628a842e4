//! Progress while a run goes on: a bar on a terminal, a line now and then elsewhere.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::printer::Printer;
use crate::judge::Activity;
use crate::run::{Glance, Progress};

const REDRAW: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(20);

/// Shows a run's progress until it is dropped.
pub struct Display {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// `activity` tells what a model judge is doing; the built-in one has none.
    pub fn start(
        printer: Printer,
        what: &'static str,
        rows: Option<u64>,
        progress: Arc<Progress>,
        activity: impl Fn() -> Option<Activity> + Send + 'static,
    ) -> Display {
        if printer.quiet {
            return Display { done: None, thread: None };
        }
        let (done, ended) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut face = Face::new(printer, what, rows);
            while ended.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                face.show(&progress.glance(), activity());
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
    Lines { printer: Printer, what: &'static str, rows: Option<u64>, began: Instant, last: Instant },
}

impl Face {
    fn new(printer: Printer, what: &'static str, rows: Option<u64>) -> Face {
        if !std::io::stderr().is_terminal() {
            let now = Instant::now();
            return Face::Lines { printer, what, rows, began: now, last: now };
        }
        let bar = match rows {
            Some(rows) => ProgressBar::new(rows),
            None => ProgressBar::new_spinner(),
        };
        let template = match rows {
            Some(_) => "{prefix} {bar:20} {human_pos}/{human_len} rows  {rate}  {msg}  ETA {eta}",
            None => "{prefix} {spinner} {human_pos} rows  {rate}  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn Write| {
                // Fails only if the display does, and then nobody looks.
                let _ = write!(out, "{:.0}/s", state.per_sec());
            };
            bar.set_style(style.with_key("rate", rate));
        }
        bar.set_prefix(what);
        Face::Bar(bar)
    }

    fn show(&mut self, glance: &Glance, activity: Option<Activity>) {
        match self {
            Face::Bar(bar) => {
                bar.set_position(glance.done);
                bar.set_message(describe(glance, activity));
            }
            Face::Lines { printer, what, rows, began, last } => {
                if last.elapsed() < LINE_EVERY {
                    return;
                }
                *last = Instant::now();
                let of = rows.map_or_else(String::new, |rows| format!(" of {rows}"));
                let rate = glance.done as f64 / began.elapsed().as_secs_f64().max(1e-9);
                printer.talk(&format!(
                    "{what}: {}{of} rows, {rate:.1}/s  {}",
                    glance.done,
                    describe(glance, activity)
                ));
            }
        }
    }

    fn clear(&self) {
        if let Face::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// `12 in flight  correct 40, incorrect 9  300 reused  2 slowdowns`
fn describe(glance: &Glance, activity: Option<Activity>) -> String {
    let mut parts = Vec::new();
    if let Some(activity) = activity {
        parts.push(format!("{} in flight", activity.in_flight));
    }
    if !glance.labels.is_empty() {
        let labels = glance.labels.iter().map(|(label, rows)| format!("{label} {rows}"));
        parts.push(labels.collect::<Vec<_>>().join(", "));
    }
    if glance.reused > 0 {
        parts.push(format!("{} reused", glance.reused));
    }
    if glance.elsewhere > 0 {
        parts.push(format!("{} asked by another run", glance.elsewhere));
    }
    if let Some(Activity { throttled, retried, hold, .. }) = activity {
        if throttled > 0 {
            parts.push(format!("{throttled} slowdowns"));
        }
        if retried > 0 {
            parts.push(format!("{retried} retries"));
        }
        parts.extend(hold.map(|hold| hold.to_string()));
    }
    parts.join("  ")
}
