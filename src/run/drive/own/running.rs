//! A running program: its pipes, its log, and its end.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitStatus;
use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::mpsc as lines;
use tokio::task::spawn_blocking;

use super::group::{Pipes, ProcessGroup};
use super::log_tail::LogTail;
use crate::domain::Json;

/// The longest line that is read, in bytes. Chosen: far above any answer, far below what memory holds.
pub(super) const LONGEST: usize = 4 << 20;
/// Lines that are read ahead of being looked at.
const AHEAD: usize = 4;
/// How long the end of a program's log is waited for, once all of its processes have ended.
const LOG_GRACE: Duration = Duration::from_millis(500);

/// A program under way.
pub(super) struct Program {
    group: ProcessGroup,
    pub(super) input: Option<mpsc::Sender<Vec<u8>>>,
    pub(super) output: lines::Receiver<Line>,
    pub(super) log: LogTail,
    /// Ends when its log does.
    logged: mpsc::Receiver<()>,
    /// The episodes that it has come to the end of.
    pub(super) over: HashSet<String>,
    /// Whether it has said anything: the command can be run.
    pub(super) spoke: bool,
}

/// What a program wrote up to the end of a line.
pub(super) enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// What a program is that waits for another case.
pub(super) enum Idle {
    Ready,
    /// It ended, or closed its output.
    Ended,
    /// It wrote a line of no case that is over; nothing of it where it was too long.
    Wrote(Option<Vec<u8>>),
}

impl Program {
    /// Whether it can be given another case. Late lines of cases that are over are gone afterwards.
    pub(super) fn state(&mut self) -> Idle {
        loop {
            match self.output.try_recv() {
                Err(lines::error::TryRecvError::Empty) => return Idle::Ready,
                Err(lines::error::TryRecvError::Disconnected) => return Idle::Ended,
                Ok(Line::TooLong) => return Idle::Wrote(None),
                Ok(Line::Whole(line)) => {
                    let text = String::from_utf8_lossy(&line);
                    if !text.trim().is_empty() && !self.is_late(&text) {
                        return Idle::Wrote(Some(line));
                    }
                }
            }
        }
    }

    /// Whether a line is of a case that is over.
    pub(super) fn is_late(&self, line: &str) -> bool {
        let case_of = |text: &str| Json::parse(text).ok()?.get("case")?.as_str().map(str::to_owned);
        case_of(line).is_some_and(|case| self.over.contains(&case))
    }

    pub(super) fn start(command: &str) -> std::io::Result<Program> {
        let (group, Pipes { mut input, output, mut errors }) = ProcessGroup::start(command)?;
        let (to_write, writing) = mpsc::channel::<Vec<u8>>();
        let (read, lines) = lines::channel(AHEAD);
        let (log, (log_end, logged)) = (LogTail::default(), mpsc::channel());
        // Threads of their own: a program that reads nothing, or writes without end, holds up nobody else. They end with its pipes.
        spawn(move || {
            for bytes in writing {
                if input.write_all(&bytes).and_then(|()| input.flush()).is_err() {
                    return;
                }
            }
        })?;
        spawn(move || read_lines(BufReader::new(output), &read))?;
        let tail = log.clone();
        spawn(move || {
            let _log_end: mpsc::Sender<()> = log_end;
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = errors.read(&mut buffer) {
                tail.push(&buffer[..read]);
            }
        })?;
        Ok(Program {
            group,
            input: Some(to_write),
            output: lines,
            log,
            logged,
            over: HashSet::new(),
            spoke: false,
        })
    }

    /// Ends all of its processes; how the program ended, and its log.
    pub(super) async fn end(mut self) -> (Option<ExitStatus>, Vec<u8>) {
        let ended = spawn_blocking(move || {
            let status = self.group.end();
            // What it wrote last is on its way.
            let _ = self.logged.recv_timeout(LOG_GRACE);
            (status, self.log.take())
        });
        ended.await.unwrap_or_default()
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name("agent pipe".to_owned()).spawn(work).map(drop)
}

fn read_lines(mut from: impl BufRead, to: &lines::Sender<Line>) {
    loop {
        let mut line = Vec::new();
        let read = (&mut from).take(LONGEST as u64 + 1).read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() > LONGEST => Line::TooLong,
            Ok(_) => Line::Whole(line),
        };
        let is_last = matches!(line, Line::TooLong);
        if to.blocking_send(line).is_err() || is_last {
            return;
        }
    }
}
