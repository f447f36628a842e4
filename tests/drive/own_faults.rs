//! Agents of the user's own that misbehave: none passes, none is waited for longer than it may take, none leaves a process.

use std::time::Duration;

use serde_json::Value;

use super::own::{DRIVE, GOOD, PRELUDE, SUITE, has, workspace};
use super::rows;
use crate::support::child::Deadline;
use crate::support::workspace::{Ran, Workspace};

/// How each misbehaves, and how its case ends: in one of two ways where the shell that waits for the program may hold its pipe.
const MISBEHAVING: &[(&str, &str, &str)] = &[
    // Without end.
    ("calls without end", "hear()\nfor at in range(10**9): call(str(at)); hear()", "max_steps"),
    ("calls without end that reads nothing", "for at in range(10**9): call(str(at))", "max_steps"),
    ("noise without end", "while True: print('thinking')", "protocol_error"),
    ("empty lines without end", "while True: print()", "timed_out"),
    ("a line without end", "while True: sys.stdout.write('x' * 65536)", "protocol_error"),
    ("a log without end", "while True: sys.stderr.write('x' * 65536)", "timed_out"),
    // Lines that are none.
    ("a line of 10 MB", "answer('31' * 5_000_000)", "protocol_error"),
    ("binary", "sys.stdout.buffer.write(bytes(range(256)) * 8); sys.stdout.flush()", "protocol_error"),
    (
        "no UTF-8",
        "sys.stdout.buffer.write(b'{\"type\": \"answer\", \"text\": \"31 \\xff\"}\\n')",
        "protocol_error",
    ),
    ("words", "print('It is 31 degrees.')", "protocol_error"),
    ("half an object", "sys.stdout.write('{\"type\": \"answer\", \"text\": \"31')", "protocol_error"),
    ("two objects on a line", "print('{\"type\": \"answer\", \"text\": \"31\"} {}')", "protocol_error"),
    ("a list", "print('[{\"type\": \"answer\", \"text\": \"31\"}]')", "protocol_error"),
    ("a deep list", "print('[' * 1_000_000)", "protocol_error"),
    (
        "a key twice",
        "print('{\"type\": \"answer\", \"text\": \"31\", \"type\": \"call\"}')",
        "protocol_error",
    ),
    (
        "a key twice in arguments",
        "print('{\"type\": \"call\", \"id\": \"1\", \"name\": \"get_weather\", \"arguments\": {\"city\": \"Hue\", \"city\": \"Rome\"}}')",
        "protocol_error",
    ),
    // Objects that are none of the protocol's.
    ("an unknown type", "say(type='final', text='31')", "protocol_error"),
    ("no type", "say(text='31')", "protocol_error"),
    ("an answer that is no text", "say(type='answer', text={'temperature': 31})", "protocol_error"),
    ("a call without a name", "say(type='call', id='1', arguments={})", "protocol_error"),
    (
        "a call without an id",
        "say(type='call', name='get_weather', arguments={'city': 'Hue'})",
        "protocol_error",
    ),
    ("a number as id", "call(id=1)", "protocol_error"),
    ("one id for all calls", "hear(); call(); hear(); call(); hear(); answer()", "protocol_error"),
    (
        "one id for two calls at once",
        "c = {'id': '1', 'name': 'get_weather'}; say(type='calls', calls=[c, c])",
        "protocol_error",
    ),
    ("another case's name", "hear(); call(); hear(); answer(case='hue#2')", "protocol_error"),
    // The order.
    ("an answer before the case is read", "answer()", "finished"),
    ("an answer before the call", "answer(); call()", "protocol_error"),
    (
        "two answers",
        "hear(); call(); hear(); sys.stdout.write('{\"type\": \"answer\", \"text\": \"31\"}\\n' * 2)",
        "protocol_error",
    ),
    (
        "words after the answer",
        "hear(); call(); hear(); sys.stdout.write('{\"type\": \"answer\", \"text\": \"31\"}\\ndone\\n')",
        "protocol_error",
    ),
    ("an empty answer", "hear(); call(); hear(); answer('')", "empty"),
    ("an unknown tool", "hear(); call(name='get_wether'); hear(); answer()", "finished"),
    (
        "arguments that are none",
        "hear(); say(type='call', id='1', name='get_weather', arguments='{bad'); hear(); answer()",
        "finished",
    ),
    // Slow, dead, closed.
    ("sleep", "time.sleep(1000)", "timed_out"),
    ("sleep after a call", "hear(); call(); hear(); time.sleep(1000)", "timed_out"),
    (
        "deaf to signals",
        "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]; time.sleep(1000)",
        "timed_out",
    ),
    ("closed input and sleep", "sys.stdin.close(); os.close(0); time.sleep(1000)", "timed_out"),
    (
        "closed output and sleep",
        "hear(); call(); hear(); sys.stdout.flush(); os.close(1); time.sleep(1000)",
        "timed_out|agent_error",
    ),
    ("end at once", "", "agent_error"),
    ("an end with a code", "hear(); call(); hear(); sys.exit(3)", "agent_error"),
    ("an exception", "hear(); call(); hear(); raise ValueError('no such city')", "agent_error"),
    ("a crash", "hear(); os.kill(os.getpid(), signal.SIGSEGV)", "agent_error"),
    // Children.
    (
        "a child that holds the output",
        "hear(); call(); hear(); subprocess.Popen(['sleep', '1000'])",
        "timed_out",
    ),
    (
        "a child in a session of its own",
        "hear(); subprocess.Popen(['sleep', '1000'], start_new_session=True, stdout=2); sys.exit(1)",
        "agent_error",
    ),
    (
        "twenty children in sessions of their own",
        "hear(); [subprocess.Popen(['sleep', '1000'], start_new_session=True) for _ in range(20)]; time.sleep(1000)",
        "timed_out",
    ),
    (
        "an orphan",
        "hear()\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(1000)\n    os._exit(0)\nos.wait()\nos._exit(1)",
        "timed_out",
    ),
    (
        "a thread that does not end",
        "hear(); threading.Thread(target=time.sleep, args=(1000,)).start(); raise ValueError('x')",
        "timed_out",
    ),
];

/// Processes that stem from a run in this folder, which their environment names.
#[cfg(target_os = "linux")]
fn left_over(mark: &str) -> Vec<String> {
    let entry = format!("OWN_FAULTS={mark}");
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|process| process.path());
    let is_marked = |path: &std::path::PathBuf| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == entry.as_bytes())
    };
    processes
        .filter(is_marked)
        .map(|path| std::fs::read_to_string(path.join("cmdline")).unwrap_or_default())
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn left_over(_mark: &str) -> Vec<String> {
    Vec::new()
}

/// Runs the suite; no process may be left.
fn drive(work: &Workspace, more: &[&str]) -> Ran {
    let mark = work.path("").display().to_string();
    let mut command = work.tooljudge(&[&DRIVE[..], more].concat());
    let ran = Ran::from(command.env("OWN_FAULTS", &mark).finish());
    assert_eq!(left_over(&mark), Vec::<String>::new(), "{}", ran.stderr);
    ran
}

fn row(work: &Workspace) -> Value {
    rows(work, "episodes.jsonl").remove(0)
}

#[test]
fn no_agent_that_misbehaves_passes_hangs_or_leaves_a_process() {
    if !has("python3") {
        return;
    }
    let mut wrong = Vec::new();
    for (what, agent, ended) in MISBEHAVING {
        let work = workspace(agent);
        // Only those have little time that come to no end in any.
        let time: &[&str] = if ended.contains("timed_out") { &["--agent-timeout", "1.5"] } else { &[] };
        let ran = drive(&work, time).ended(1);
        let row = row(&work);
        let as_expected = ended.split('|').any(|ended| row["ended"] == ended);
        let is_right = as_expected && row["passed"] == false && row["error"].is_null();
        if !is_right {
            wrong.push(format!(
                "{what}: {} {} {}\n{}",
                row["ended"], row["passed"], row["reason"], ran.stderr
            ));
        }
        let log = row["agent_log"].as_str().unwrap_or_default();
        assert!(log.len() <= 8 << 10, "{what}: a log of {}", log.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With the weakest expectations, too: what counts is that the agent failed.
#[test]
fn a_threshold_lets_no_failure_pass() {
    for agent in ["hear(); call(); hear(); sys.exit(3)", "hear(); call(); hear(); answer(); print('x')"] {
        let work = workspace(agent);
        let lenient = SUITE.replace("expected_output_contains = [\"31\"]", "threshold = 0.0");
        work.file("suite.toml", lenient);
        drive(&work, &[]).ended(1);
        assert_eq!(row(&work)["passed"], false, "{agent}");
    }
}

#[test]
fn what_happened_is_said() {
    let reason = |agent: &str| {
        let work = workspace(agent);
        drive(&work, &[]).ended(1);
        row(&work)["reason"].as_str().unwrap().to_owned()
    };
    let said = reason("hear(); raise ValueError('no such city')");
    assert!(
        said.contains("the agent failed: the program ended before an answer, with exit code 1; on standard error: ValueError: no such city"),
        "{said}"
    );
    let said = reason("print('thinking')");
    assert!(said.contains("`thinking` is not JSON") && said.contains("belongs on standard error"), "{said}");
    let said = reason("print('why', file=sys.stderr, flush=True); print('thinking')");
    assert!(said.ends_with("; on standard error: why"), "{said}");
    let said = reason("hear(); answer(); print('x')");
    assert!(said.contains("after its answer it wrote `x`"), "{said}");
}

/// It may be nobody's fault but the command line's: that is no score.
#[test]
fn a_command_that_cannot_be_run_has_no_score() {
    for command in ["exec:no-such-program-anywhere", "exec:./suite.toml"] {
        let work = workspace("");
        let args = ["drive", "suite.toml", "--agent", command, "-o", "episodes.jsonl", "--allow-failures"];
        let ran = work.run(&args).ended(1);
        let row = row(&work);
        assert_eq!(
            (row["ended"].as_str(), &row["score"], &row["passed"]),
            (Some("errored"), &Value::Null, &Value::Null)
        );
        let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("the command cannot be run (exit code 12"), "{told}");
    }
}

/// Its own code, once it has said something: no other may be blamed.
#[test]
fn an_exit_code_of_a_shell_is_the_agents_once_it_has_spoken() {
    let work = workspace("hear(); call(); hear(); sys.exit(127)");
    drive(&work, &[]).ended(1);
    assert_eq!((&row(&work)["ended"], &row(&work)["passed"]), (&"agent_error".into(), &Value::Bool(false)));
}

/// Escaped, halved by a cut, in several lines: what is read, shown or kept has no key.
#[test]
fn no_key_passes_the_mask() {
    let key = "sk-a1b2c3d4e5f6g7h8";
    let pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END KEY-----";
    let agent = r#"hear(); call(); hear()
k = os.environ['AGENT_TEST_KEY']
sys.stderr.write(k + 'x' * (8192 - 29)); sys.stderr.write(os.environ['AGENT_PEM_KEY'].splitlines()[1])
sys.stderr.flush()
sys.stdout.write('{"type": "answer", "text": "31 ' + ''.join('\\u%04x' % ord(c) for c in k) + '"}\n')
"#;
    let work = workspace(agent);
    let mut command = work.tooljudge(&DRIVE);
    Ran::from(command.env("AGENT_TEST_KEY", key).env("AGENT_PEM_KEY", pem).finish()).ended(0);
    let row = row(&work).to_string();
    assert!(row.contains("31 [secret]"), "{row}");
    for part in [key, &key[10..], "MIIEvQIBADAN", "\\u0073"] {
        assert!(!row.contains(part), "{part}: {row}");
    }
}

/// What is kept for all cases answers each, and only for the case that it names.
#[test]
fn a_kept_program_answers_all_cases() {
    let cases: String = (0..6)
        .map(|at| {
            let case =
                SUITE.split_once("[[cases]]").unwrap().1.replace("id = \"hue\"", &format!("id = \"c{at}\""));
            format!("[[cases]]{case}")
        })
        .collect();
    let suite = format!("{}{cases}", SUITE.split_once("[[cases]]").unwrap().0);
    let drive_kept = |agent: &str, more: &[&str]| {
        let work = workspace(agent);
        work.file("suite.toml", &suite);
        let code = drive(&work, &[&["--agent-keep", "--concurrency", "2"], more].concat()).code;
        let rows = rows(&work, "episodes.jsonl");
        let ends: Vec<String> = rows.iter().map(|row| row["ended"].as_str().unwrap().to_owned()).collect();
        let passed = rows.iter().filter(|row| row["passed"] == true).count();
        let started = std::fs::read_to_string(work.path("started")).unwrap_or_default().len();
        (code, ends, passed, started)
    };
    let each = "open('started', 'a').write('x')\nat = 0\nwhile (case := hear()):\n    at += 1\n    id = case['id']\n";
    let good = "    call(case=id)\n    assert hear()['case'] == id\n    answer(case=id)\n";
    let finished = vec!["finished".to_owned(); 6];
    let all = drive_kept(&format!("{each}{good}"), &[]);
    assert_eq!((all.0, &all.1, all.2), (Some(0), &finished, 6));
    assert!(all.3 <= 2, "{} programs", all.3);
    // What is late of a case that is over does nothing to the next.
    let late = format!(
        "{each}    if at > 1: answer('late', case=before); call(id='late', case=before)\n    before = id\n{good}"
    );
    let all = drive_kept(&late, &[]);
    assert_eq!((all.0, &all.1, all.2), (Some(0), &finished, 6));
    // Without the case's name nobody knows which case is answered.
    let all = drive_kept(&format!("{each}    call()\n    hear()\n    answer()\n"), &[]);
    assert_eq!((all.0, all.1, all.2), (Some(1), vec!["protocol_error".to_owned(); 6], 0));
    // One that ends after its answer is replaced, at whatever moment it does so, and no case is at fault.
    for wait in ["0", "0.01", "0.2"] {
        let all = drive_kept(&format!("{each}{good}    time.sleep({wait}); sys.exit(0)\n"), &[]);
        assert_eq!((all.0, &all.1, all.2), (Some(0), &finished, 6), "{wait}");
        assert_eq!(all.3, 6, "{wait}");
    }
    // One that dies in a case is replaced for the next.
    let dying = format!("{each}    if id in ('c1#1', 'c4#1'): sys.exit(1)\n{good}");
    let (code, ends, passed, _) = drive_kept(&dying, &[]);
    assert_eq!((code, passed, ends.iter().filter(|ended| *ended == "agent_error").count()), (Some(1), 4, 2));
    // One that is too slow in a case, too.
    let slow = format!("{each}    if id == 'c0#1': time.sleep(1000)\n{good}");
    let (code, ends, ..) = drive_kept(&slow, &["--agent-timeout", "4"]);
    assert_eq!((code, ends[0].as_str()), (Some(1), "timed_out"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_its_programs() {
    for signal in ["INT", "TERM"].into_iter().filter(|signal| crate::faults::signals::is_heard(signal)) {
        let work = workspace(
            "open('started', 'w').write('x'); subprocess.Popen(['sleep', '1000']); time.sleep(1000)",
        );
        let mark = work.path("").display().to_string();
        let mut command = work.tooljudge(&DRIVE);
        command
            .env("OWN_FAULTS", &mark)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        let run = command.start();
        while !work.path("started").exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        crate::faults::signals::send(run.id(), signal);
        let ran = Ran::from(run.output()).ended(130);
        assert!(ran.stderr.contains("nothing is kept of an agent without --agent-version"), "{}", ran.stderr);
        assert_eq!(left_over(&mark), Vec::<String>::new());
        assert!(!work.path("episodes.jsonl").exists());
    }
}

/// Where the user has more to say, an answer ends the agent's turn: what it says then it says without having heard the user.
#[test]
fn an_agent_that_does_not_hear_the_user_fails() {
    let expected =
        r#"expected_tool_calls = [{ tool_name = "get_weather", required_params = { city = "Hue" } }]"#;
    let turns = format!(r#"turns = [{{ user = "one", {expected} }}, {{ user = "two", {expected} }}]"#);
    let suite = format!("{}[[cases]]\nid = \"hue\"\n{turns}\n", SUITE.split_once("[[cases]]").unwrap().0);
    let ends = |agent: &str, more: &[&str]| {
        let work = workspace(&format!("case = hear()['id']\n{agent}"));
        work.file("suite.toml", &suite);
        drive(&work, &[more, &["--allow-failures"]].concat()).ended(0);
        let row = row(&work);
        let ended = row["ended"].as_str().unwrap().to_owned();
        (ended, row["passed"] == true, row["reason"].as_str().unwrap_or_default().to_owned())
    };
    let good = "call('1', case=case); hear(); answer('done', case=case); hear()\ncall('2', case=case); hear(); answer('done', case=case)";
    for more in [&[][..], &["--agent-keep"]] {
        assert_eq!(ends(good, more).0, "finished", "{more:?}");
        assert!(ends(good, more).1, "{more:?}");
        for early in [
            "answer('done', case=case); call('1', case=case); call('2', case=case); answer('done', case=case)",
            "call('1', case=case); hear(); answer('done', case=case); answer('done', case=case)",
        ] {
            let (ended, passed, reason) = ends(early, more);
            assert_eq!((ended.as_str(), passed), ("protocol_error", false), "{more:?} {early}: {reason}");
            assert!(reason.contains("after its answer it wrote `{"), "{reason}");
        }
        // That it wrote empty lines is nothing.
        let blank = good.replace(
            "answer('done', case=case); hear()",
            "answer('done', case=case); print(flush=True); hear()",
        );
        assert_eq!(ends(&blank, more).0, "finished", "{more:?}");
    }
}

/// Nothing called and nothing said is all that the case expects: who crashes has not done it, either.
#[test]
fn who_comes_to_no_result_has_no_score_for_it() {
    let suite =
        SUITE.split_once("expected_tool_calls").unwrap().0.to_owned() + "should_not_call_tools = true\n";
    for (agent, time, advice) in [
        ("hear(); sys.exit(3)", "300", "try look at what the agent says when it fails"),
        ("hear(); time.sleep(1000)", "1", "try give the agent more time (--agent-timeout)"),
        ("hear(); answer('Hello'); print('x')", "300", "try let the agent write the protocol alone"),
    ] {
        let work = workspace(agent);
        work.file("suite.toml", &suite);
        let ran = drive(&work, &["--agent-timeout", time, "--each"]).ended(1);
        let row = row(&work);
        assert_eq!((&row["score"], &row["passed"]), (&0.0.into(), &false.into()), "{agent}");
        assert!(!row["reason"].as_str().unwrap().contains("nothing is wrong"), "{row}");
        let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("score 0.000 on average") && told.contains("[FAIL] hue#1 0.000"), "{told}");
        assert!(!told.contains("precision") && !told.contains("system prompt"), "{told}");
        assert!(told.contains(advice), "{told}");
        // The same from the table.
        let again = work.run(&["score", "episodes.jsonl", "--allow-failures"]).ended(0);
        assert!(again.stdout.contains("score    0.000 on average"), "{}", again.stdout);
        assert!(!again.stdout.contains("system prompt"), "{}", again.stdout);
    }
}

/// Nothing that this process does can be done any more: a shell beside each program does it.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_leaves_no_program() {
    let work = workspace(
        "hear(); subprocess.Popen(['sleep', '1000'], start_new_session=True)\n\
         subprocess.Popen(['sleep', '1000']); open('started', 'w').write('x'); time.sleep(1000)",
    );
    let mark = work.path("").display().to_string();
    let mut command = work.tooljudge(&DRIVE);
    command
        .env("OWN_FAULTS", &mark)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let run = command.start();
    while !work.path("started").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(left_over(&mark).len() >= 4, "{:?}", left_over(&mark));
    run.kill();
    run.wait();
    for _ in 0..200 {
        if left_over(&mark).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{:?}", left_over(&mark));
}

#[test]
fn the_control_passes() {
    assert!(PRELUDE.contains("def hear"));
    let work = workspace(GOOD);
    drive(&work, &[]).ended(0);
    assert_eq!(row(&work)["passed"], true);
}
