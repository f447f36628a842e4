//! Episodes of an agent of the user's own are kept where it has a version, and else never replayed.

use super::own::{DRIVE, GOOD, PRELUDE, SUITE, workspace};
use super::rows;
use crate::support::child::Deadline;
use crate::support::workspace::Workspace;

/// An agent that leaves a sign of each start.
fn counting(agent: &str) -> String {
    format!("open('started', 'a').write('x')\n{agent}")
}

fn started(work: &Workspace) -> usize {
    std::fs::read_to_string(work.path("started")).unwrap_or_default().len()
}

fn cases(count: usize) -> String {
    let (head, case) = SUITE.split_once("[[cases]]").unwrap();
    let cases =
        (0..count).map(|at| format!("[[cases]]{}", case.replace("id = \"hue\"", &format!("id = \"c{at}\""))));
    head.to_owned() + &cases.collect::<String>()
}

#[test]
fn only_a_version_is_replayed() {
    let work = workspace(&counting(GOOD));
    let run = |more: &[&str]| {
        work.run(&[&DRIVE[..], more].concat()).ended(0);
        started(&work)
    };
    assert_eq!((run(&[]), run(&[])), (1, 2));
    let version = ["--agent-version", "1"];
    assert_eq!((run(&version), run(&version)), (3, 3));
    let row = &rows(&work, "episodes.jsonl")[0];
    assert_eq!((&row["passed"], &row["steps"]), (&true.into(), &2.into()));
    assert_eq!(run(&["--agent-version", "2"]), 4);
    // Another repeat is another episode.
    assert_eq!(run(&["--agent-version", "2", "--repeats", "2"]), 5);
    assert_eq!(run(&["--agent-version", "2", "--fresh"]), 6);
    assert_eq!(run(&[]), 7);
    // Its code is a version, too, and both together are another.
    let files = ["--agent-files", "*.py"];
    assert_eq!((run(&files), run(&files)), (8, 8));
    assert_eq!(run(&[&files[..], &version].concat()), 9);
    work.file("helper.py", "x = 1\n");
    assert_eq!((run(&files), run(&files)), (10, 10));
    work.file("helper.py", "x = 2\n");
    assert_eq!(run(&files), 11);
    // All files of a folder, at every depth.
    let files = ["--agent-files", "code/**"];
    std::fs::create_dir_all(work.path("code/deep")).unwrap();
    work.file("code/deep/helper.py", "x = 1\n");
    assert_eq!((run(&files), run(&files)), (12, 12));
    work.file("code/deep/helper.py", "x = 2\n");
    assert_eq!(run(&files), 13);
}

#[test]
fn what_an_agent_could_be_told_otherwise_is_driven_again() {
    let work = workspace(&counting(GOOD));
    let run = |suite: &str| {
        work.file("suite.toml", suite);
        work.run(&[&DRIVE[..], &["--agent-version", "1", "--allow-failures"]].concat()).ended(0);
        started(&work)
    };
    assert_eq!(run(SUITE), 1);
    assert_eq!(run(&SUITE.replace("\"31\"", "\"32\"")), 1, "what is expected no agent is told");
    assert_eq!(run(&SUITE.replace("temperature = 31", "temperature = 32")), 2);
    assert_eq!(run(&SUITE.replace("How warm", "Tell me how warm")), 3);
    assert_eq!(run(&SUITE.replace("The weather now.", "The weather here.")), 4);
    assert_eq!(run(SUITE), 4);
}

/// It may go better the next time, and what was an accident is not to stay.
#[test]
fn a_failed_episode_is_not_kept() {
    let work = workspace(&counting("if len(open('started').read()) == 1: sys.exit(1)\n"));
    work.file(
        "agent.py",
        format!("{PRELUDE}{}{GOOD}\n", counting("if os.path.getsize('started') == 1: sys.exit(1)\n")),
    );
    let args = [&DRIVE[..], &["--agent-version", "1"]].concat();
    work.run(&args).ended(1);
    assert_eq!(rows(&work, "episodes.jsonl")[0]["ended"], "agent_error");
    work.run(&args).ended(0);
    work.run(&args).ended(0);
    assert_eq!(started(&work), 2);
}

#[cfg(unix)]
#[test]
fn a_killed_run_keeps_the_episodes_that_were_over() {
    let work = workspace(&counting(GOOD));
    work.file("suite.toml", cases(12));
    let args = [&DRIVE[..], &["--agent-version", "1", "--concurrency", "1"]].concat();
    let run = work.start(&args);
    while started(&work) < 5 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    run.kill();
    run.wait();
    let before = started(&work);
    assert!((5..12).contains(&before), "{before}");
    work.run(&args).ended(0);
    // The one that was under way may be driven twice.
    assert!(
        (12..=before.max(12) + 2).contains(&started(&work)) && started(&work) <= 14,
        "{}",
        started(&work)
    );
    assert!(rows(&work, "episodes.jsonl").iter().all(|row| row["passed"] == true));
}

#[test]
fn two_runs_drive_each_episode_once() {
    let work = workspace(&counting(GOOD));
    work.file("suite.toml", cases(8));
    let run = |output: &str| {
        let args =
            ["drive", "suite.toml", "--agent", "exec:python3 agent.py", "-o", output, "--agent-version", "1"];
        let mut command = work.tooljudge(&args);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).start()
    };
    let (a, b) = (run("a.jsonl"), run("b.jsonl"));
    for run in [a, b] {
        crate::support::workspace::Ran::from(run.output()).ended(0);
    }
    assert_eq!(started(&work), 8);
    assert_eq!(rows(&work, "a.jsonl").len(), rows(&work, "b.jsonl").len());
}
