//! A child process, and what it took.

use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often memory is looked at, at least; at first more often, or short runs would seem longer than they are.
const LOOK: Duration = Duration::from_millis(5);

/// What a process took from its start to its end.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    pub seconds: f64,
    /// CPU seconds in user and kernel mode, in steps of 0.01.
    pub cpu: f64,
    /// The most memory of its own that it held, in MB of 2^20 bytes, as far as looks every 5 ms can tell.
    pub peak_anonymous: f64,
    /// The most memory that it held at all: files of which pages are in memory included.
    pub peak_resident: f64,
    pub status: ExitStatus,
}

/// Runs `command`, which must succeed.
pub fn run(command: &mut Command) -> Took {
    let took = run_until(command, || false);
    assert!(took.status.success(), "{:?} failed", command.get_args());
    took
}

/// Waits until all that was written is on the disk: nobody is to wait for the files that the bench has made.
fn settle() {
    // Where there is no such command, figures are those of a busier disk.
    let _ = Command::new("sync").status();
}

/// Runs `command` and kills it as soon as `enough` says so.
pub fn run_until(command: &mut Command, enough: impl Fn() -> bool) -> Took {
    settle();
    let before = cpu_of_children();
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let (mut peak_anonymous, mut peak_resident) = (0.0_f64, 0.0_f64);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let page = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        peak_anonymous = peak_anonymous.max(megabytes(&page, "RssAnon:"));
        peak_resident = peak_resident.max(megabytes(&page, "VmHWM:"));
        if enough() {
            child.kill().unwrap();
        }
        std::thread::sleep(LOOK.min(began.elapsed() / 50));
    };
    let seconds = began.elapsed().as_secs_f64();
    Took { seconds, cpu: cpu_of_children() - before, peak_anonymous, peak_resident, status }
}

fn megabytes(page: &str, name: &str) -> f64 {
    let line = page.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

/// CPU seconds of all children that have ended: the 16th and 17th field, in ticks of 10 ms.
fn cpu_of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    fields.split_whitespace().skip(13).take(2).map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}
