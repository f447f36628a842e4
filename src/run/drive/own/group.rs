//! A program's process group, with all processes that it starts: they end together.

use std::io;
#[cfg(unix)]
use std::io::Write;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names, in the environment, the program that a process comes from. On Linux, those who left its group are found by it.
const MARK: &str = "TOOLJUDGE_AGENT_PROCESS";
/// How often is looked for processes that left the group. Who starts others faster than they are ended wins at last.
#[cfg(target_os = "linux")]
const SWEEPS: usize = 100;

/// A program under way. All of its processes end with it.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    child: Child,
    #[cfg(unix)]
    warden: Option<Warden>,
    mark: String,
    status: Option<ExitStatus>,
}

/// The ends of its pipes.
pub(super) struct Pipes {
    pub input: ChildStdin,
    pub output: ChildStdout,
    pub errors: ChildStderr,
}

impl ProcessGroup {
    /// Starts a command line by the system's shell.
    pub(super) fn start(command_line: &str) -> io::Result<(ProcessGroup, Pipes)> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{number}-{:016x}", std::process::id(), fastrand::u64(..));
        let mut command = shell(command_line);
        command.env(MARK, &mark).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Without one, the program is only left behind where this process is killed.
        #[cfg(unix)]
        let mut warden = Warden::start(&mark).ok();
        let started = command.spawn();
        #[cfg(unix)]
        if let Some(warden) = &mut warden {
            warden.watch(started.as_ref().ok().map(Child::id));
        }
        let mut child = started?;
        let pipes = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
        let group = ProcessGroup {
            child,
            #[cfg(unix)]
            warden,
            mark,
            status: None,
        };
        let ((input, output), errors) = pipes.ok_or_else(|| io::Error::other("a pipe is missing"))?;
        Ok((group, Pipes { input, output, errors }))
    }

    /// Ends all of its processes; how the program itself ended, which may have been by this.
    pub(super) fn end(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            // Before it is waited for: until then nobody else can have its number.
            self.kill();
            self.status = self.child.wait().ok();
            #[cfg(target_os = "linux")]
            for _ in 0..SWEEPS {
                if sweep(&self.mark) == 0 {
                    break;
                }
                // What is killed is there for another moment.
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }
        self.status
    }

    #[cfg(unix)]
    fn kill(&mut self) {
        if !self.warden.take().is_some_and(Warden::end) {
            // A negative number is a group's.
            kill_all(&[format!("-{}", self.child.id())]);
        }
        // Without a shell too, such as where no file can be opened any more: else the wait would have no end.
        let _ = self.child.kill();
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        let _ = self.child.kill();
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end();
    }
}

/// A shell beside a program that ends the program's processes when its own input closes: because they are to be ended, or because this
/// process is no more, be it killed.
#[cfg(unix)]
#[derive(Debug)]
struct Warden {
    shell: Child,
    input: Option<ChildStdin>,
}

/// It is told the group, and then that the group is to be ended. Where it is not told that, nobody looks for those any more who left the
/// group, so that it does, by their mark.
#[cfg(unix)]
const WARDEN: &str = r#"trap '' HUP INT QUIT TERM
read -r group || exit 0
read -r word
kill -s KILL -- "-$group"
[ -n "$word" ] && exit 0
for round in 1 2 3; do
    for file in $(grep -a -l -s -F -e "$1" /proc/[0-9]*/environ); do
        process=${file#/proc/}
        kill -s KILL -- "${process%/environ}"
    done
done
exit 0"#;

#[cfg(unix)]
impl Warden {
    fn start(mark: &str) -> io::Result<Warden> {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", WARDEN, "warden", &format!("{MARK}={mark}")]);
        // It outlives this process's group, and is none of the processes that another one looks for.
        command.process_group(0).env_remove(MARK);
        let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let input = shell.stdin.take();
        Ok(Warden { shell, input })
    }

    /// Tells it what it watches; if that is nothing, it ends.
    fn watch(&mut self, group: Option<u32>) {
        let told = match (&mut self.input, group) {
            (Some(input), Some(group)) => writeln!(input, "{group}").is_ok(),
            _ => false,
        };
        if !told {
            self.input = None;
            let _ = self.shell.wait();
        }
    }

    /// Has the group ended; whether it is.
    fn end(mut self) -> bool {
        let told = self.input.take().is_some_and(|mut input| writeln!(input, "end").is_ok());
        let ended = self.shell.wait();
        told && ended.is_ok_and(|status| status.success())
    }
}

#[cfg(unix)]
fn shell(command_line: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", command_line]).process_group(0);
    command
}

#[cfg(windows)]
fn shell(command_line: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    // As it stands: the shell has rules of its own for quotation marks.
    command.raw_arg("/C").raw_arg(command_line);
    command
}

/// Ends processes and groups, by the shell's own command: the standard library ends single children only. Those that have ended already
/// are no matter.
#[cfg(unix)]
fn kill_all(targets: &[String]) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "for target; do kill -s KILL -- \"$target\"; done", "kill"]).args(targets);
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

/// Ends the processes that have this mark; how many there were.
#[cfg(target_os = "linux")]
fn sweep(mark: &str) -> usize {
    let entry = format!("{MARK}={mark}");
    let is_marked = |pid: &String| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == entry.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|process| process.file_name().into_string().ok());
    let is_number = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
    let marked: Vec<String> = pids.filter(is_number).filter(is_marked).collect();
    if !marked.is_empty() {
        kill_all(&marked);
    }
    marked.len()
}
