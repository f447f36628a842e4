//! Child processes that cannot outlive their test: each has a deadline, is killed at it, and the test fails with what it had said.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far more than any child needs on a busy machine, and far less than anybody would wait.
pub const DEADLINE: Duration = Duration::from_secs(300);

/// How tests run commands: `Command`'s own methods would wait for ever.
pub trait Deadline {
    /// Runs to its end and returns what it said.
    fn finish(&mut self) -> Output;

    /// Starts it. Outputs are piped only if the command says so.
    fn start(&mut self) -> Running;

    /// Starts it with a deadline of its own.
    fn start_within(&mut self, time: Duration) -> Running;
}

impl Deadline for Command {
    #[track_caller]
    fn finish(&mut self) -> Output {
        self.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).start().output()
    }

    #[track_caller]
    fn start(&mut self) -> Running {
        self.start_within(DEADLINE)
    }

    #[track_caller]
    fn start_within(&mut self, time: Duration) -> Running {
        let name: String = format!("{self:?}").chars().take(400).collect();
        // A group of its own, so that what it starts can be ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(self, 0);
        let mut child = self.spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        super::keeper::started(child.id());
        let (id, child, killed) = (child.id(), Arc::new(Mutex::new(child)), Arc::new(AtomicBool::new(false)));
        let (alive, over) = channel::<()>();
        {
            // A thread, since the test may be held up by a pipe of the child that never ends.
            let (child, killed) = (Arc::clone(&child), Arc::clone(&killed));
            std::thread::spawn(move || {
                if over.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                    killed.store(true, Ordering::SeqCst);
                    end_group(&mut child.lock().unwrap());
                }
            });
        }
        Running { child, id, name, killed, stdin, stdout, stderr, _alive: alive }
    }
}

/// A child that is running. Dropped, it is killed.
pub struct Running {
    child: Arc<Mutex<Child>>,
    id: u32,
    name: String,
    /// Whether its deadline killed it.
    killed: Arc<AtomicBool>,
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    /// Gone, it ends the thread that waits for the deadline.
    _alive: Sender<()>,
}

impl Running {
    pub fn id(&self) -> u32 {
        self.id
    }

    pub fn kill(&self) {
        self.child.lock().unwrap().kill().unwrap();
    }

    /// The exit status, if it has ended.
    #[track_caller]
    pub fn ended(&self) -> Option<ExitStatus> {
        let status = self.child.lock().unwrap().try_wait().unwrap();
        assert!(status.is_none() || !self.is_late(), "{}", self.lateness());
        status
    }

    /// Waits for its end.
    #[track_caller]
    pub fn wait(&self) -> ExitStatus {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = self.ended() {
                return status;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(16));
        }
    }

    /// Waits for its end and returns what it said on the outputs that were piped and not taken.
    #[track_caller]
    pub fn output(mut self) -> Output {
        drop(self.stdin.take());
        let (stdout, stderr) = (Drain::of(self.stdout.take()), Drain::of(self.stderr.take()));
        let [stdout, stderr] = [stdout, stderr].map(|drain| drain.all(&self));
        let late =
            || format!("{}\nstdout:\n{}\nstderr:\n{}", self.lateness(), lossy(&stdout), lossy(&stderr));
        assert!(!self.is_late(), "{}", late());
        Output { status: self.wait(), stdout, stderr }
    }

    fn is_late(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }

    fn lateness(&self) -> String {
        let test = std::thread::current();
        format!("{}: killed at its deadline: {}", test.name().unwrap_or("a test"), self.name)
    }
}

fn lossy(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap();
        if child.try_wait().is_ok_and(|status| status.is_none()) {
            end_group(&mut child);
            let _ = child.wait();
        }
        super::keeper::ended(self.id);
    }
}

/// Kills a child that still runs, and all that it has started.
fn end_group(child: &mut Child) {
    #[cfg(unix)]
    let _ = Command::new("kill")
        .args(["-KILL", "--", &format!("-{}", child.id())])
        .stderr(Stdio::null())
        .status();
    let _ = child.kill();
}

/// How long an output may stay open after the child's end, held by something it started.
const HELD_OPEN: Duration = Duration::from_secs(20);

/// An output that is read as it comes, so that a full pipe never holds the child up.
struct Drain {
    read: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl Drain {
    fn of(pipe: Option<impl Read + Send + 'static>) -> Drain {
        let read = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&read);
        let thread = std::thread::spawn(move || {
            let Some(mut pipe) = pipe else { return };
            let mut part = [0; 8192];
            loop {
                match pipe.read(&mut part) {
                    Ok(0) => break,
                    Ok(length) => to.lock().unwrap().extend_from_slice(&part[..length]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => panic!("the output of a child: {error}"),
                }
            }
        });
        Drain { read, thread }
    }

    /// All of it, once the child has closed it.
    fn all(self, child: &Running) -> Vec<u8> {
        let (mut pause, mut over) = (Duration::from_millis(1), None);
        while !self.thread.is_finished() {
            if child.child.lock().unwrap().try_wait().unwrap().is_some() {
                let over = *over.get_or_insert_with(Instant::now);
                let said = lossy(&self.read.lock().unwrap()).into_owned();
                assert!(
                    over.elapsed() < HELD_OPEN || child.is_late(),
                    "{}: ended, but something that it started holds its output open:\n{said}",
                    child.name
                );
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(16));
        }
        std::mem::take(&mut *self.read.lock().unwrap())
    }
}

#[test]
#[cfg(unix)]
fn a_child_that_hangs_is_killed_and_named() {
    let hung = std::panic::catch_unwind(|| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo begun; sleep 1000; echo over"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        shell.start_within(Duration::from_millis(300)).output()
    });
    let message = *hung.unwrap_err().downcast::<String>().unwrap();
    for part in ["a_child_that_hangs_is_killed_and_named", "sleep 1000", "begun"] {
        assert!(message.contains(part), "{message}");
    }
}

/// The files of Rust code in these folders of the repository.
pub fn sources(folders: &[&str]) -> Vec<PathBuf> {
    fn look(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for folder in folders {
        look(&super::workspace::repository(folder), &mut found);
    }
    found
}

#[test]
fn no_test_starts_a_child_in_another_way() {
    let found = sources(&["tests", "core/tests"]);
    for path in found.iter().filter(|path| {
        // The keeper ends with this process.
        !path.ends_with("tests/support/child.rs") && !path.ends_with("tests/support/keeper.rs")
    }) {
        let text = std::fs::read_to_string(path).unwrap();
        for forbidden in [".spawn()", ".wait_with_output()", ".output().unwrap()", ".status().unwrap()"] {
            assert!(
                !text.contains(forbidden),
                "{}: {forbidden} waits for ever; use `Deadline`",
                path.display()
            );
        }
    }
}
