//! Ends what the tests have started if they are ended themselves, by `timeout`, by Ctrl-C or by a crash: children have groups of their own,
//! which no signal to the tests reaches.

use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Hears of each child when it starts and when it ends. Its input ends with the process that speaks to it, whatever ended that; what then
/// still runs is killed. A number that another process has by now is known by when that one began.
const SCRIPT: &str = r#"
running=
began() {
    began=
    read -r began <"/proc/$1/stat" || return 0
    set -- ${began##*) }
    began=${20}
}
while read -r word process; do
    others=
    for one in $running; do
        [ "${one%%:*}" = "$process" ] || others="$others $one"
    done
    running=$others
    [ "$word" = started ] || continue
    began "$process"
    running="$running $process:$began"
done
for one in $running; do
    process=${one%%:*}
    began "$process"
    [ -z "$began" ] || [ "$began" = "${one##*:}" ] || continue
    kill -KILL "-$process" || :
done
"#;

#[allow(clippy::zombie_processes, reason = "it ends when this process has")]
static KEEPER: LazyLock<Option<Mutex<ChildStdin>>> = LazyLock::new(|| {
    let mut shell = Command::new("sh");
    shell.args(["-c", SCRIPT, "keeper"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Where a signal to the tests does not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    // Without it tests do as well.
    shell.spawn().ok()?.stdin.take().map(Mutex::new)
});

/// Tells the keeper of a child that leads a group.
pub fn started(process: u32) {
    tell("started", process);
}

/// Tells it that this child has ended, and was waited for.
pub fn ended(process: u32) {
    tell("ended", process);
}

fn tell(word: &str, process: u32) {
    if let Some(keeper) = KEEPER.as_ref() {
        let _ = writeln!(keeper.lock().unwrap_or_else(PoisonError::into_inner), "{word} {process}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_child_does_not_outlive_tests_that_are_killed() {
    use std::path::PathBuf;
    use std::time::{Duration, Instant};

    use super::child::{DEADLINE, Deadline};

    const FILE: &str = "TOOLJUDGE_TEST_ORPHANS";
    if let Some(file) = std::env::var_os(FILE) {
        // A child with a child of its own.
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 1000 & echo $$ $! >\"$0.new\"; mv \"$0.new\" \"$0\"; wait"]).arg(file);
        shell.stdout(Stdio::null()).stderr(Stdio::null()).start().wait();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("orphans");
    let mut itself = Command::new(std::env::current_exe().unwrap());
    itself.args(["--exact", "support::keeper::a_child_does_not_outlive_tests_that_are_killed"]);
    let itself = itself.env(FILE, &file).stdout(Stdio::null()).stderr(Stdio::null()).start();
    let ends = Instant::now() + DEADLINE;
    let wait_until = |what: &str, done: &dyn Fn() -> bool| {
        while !done() {
            assert!(Instant::now() < ends, "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait_until("it starts no child", &|| file.exists());
    let orphans = std::fs::read_to_string(&file).unwrap();
    let orphans: Vec<&str> = orphans.split_whitespace().collect();
    assert_eq!(orphans.len(), 2);
    // One that nobody has waited for yet has ended too.
    let is_over = |process: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_none_or(|(_, fields)| fields.starts_with('Z'))
    };
    assert!(!orphans.iter().any(|process| is_over(process)));
    itself.kill();
    itself.wait();
    wait_until("its children are still there", &|| orphans.iter().all(|process| is_over(process)));
}
