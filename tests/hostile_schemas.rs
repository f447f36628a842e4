//! Short schemas that would need more memory than any machine has: their rows end quickly and in little memory, and a signal ends the run.

use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::child::{DEADLINE, Deadline};
use crate::support::workspace::{Ran, Workspace};

/// `levels` definitions, each of which is `step` with a reference to the next one for `@`.
fn chain(levels: usize, step: &str) -> String {
    let mut links = String::new();
    for at in 0..levels {
        let next = format!(r##"{{"$ref":"#/$defs/n{}"}}"##, at + 1);
        write!(links, "\"n{at}\":{},", step.replace('@', &next)).unwrap();
    }
    format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/n0"}}}},"$defs":{{{links}"n{levels}":{{"type":"object"}}}}}}"##
    )
}

/// Runs the binary with two gigabytes of addresses, most of which go to threads and to the program itself.
fn run(work: &Workspace, args: &[&str]) -> Ran {
    let binary = work.tooljudge(&[]).get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "ulimit -v 2000000; exec \"$0\" \"$@\""])
        .arg(binary)
        .args(args)
        .current_dir(work.path(""));
    shell.env_clear().env("HOME", work.path(""));
    for threads in ["RAYON_NUM_THREADS", "TOKIO_WORKER_THREADS", "POLARS_MAX_THREADS"] {
        shell.env(threads, "2");
    }
    shell.env("MALLOC_ARENA_MAX", "2").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ran::from(shell.start().output())
}

const STEPS: [&str; 7] = [
    r#"{"anyOf":[@,@],"unevaluatedProperties":false}"#,
    r#"{"allOf":[@,@],"unevaluatedItems":false}"#,
    r#"{"if":@,"then":@,"unevaluatedProperties":false}"#,
    r#"{"dependentSchemas":{"a":@,"b":@},"unevaluatedProperties":false}"#,
    // To compile it is nothing, to check it is.
    r#"{"dependentSchemas":{"b":@,"c":@}}"#,
    r#"{"allOf":[@],"unevaluatedProperties":false}"#,
    r#"{"oneOf":[@,@,{"allOf":[@,@,@,@,@,@,@,@,@,@]}]}"#,
];

#[cfg(target_os = "linux")]
#[test]
fn rows_end_in_little_room() {
    let work = Workspace::new();
    let schemas = STEPS.map(|step| chain(30, step));
    let patterns: Vec<String> =
        (0..300).map(|at| format!(r#""p{at}":{{"pattern":"^\\p{{L}}{{{}}}$"}}"#, 100 + at)).collect();
    let patterns = format!(r#"{{"type":"object","properties":{{{}}}}}"#, patterns.join(","));
    let schemas: Vec<&String> = schemas.iter().chain([&patterns]).collect();
    let (mut labelled, mut scored) = (String::new(), String::new());
    for schema in &schemas {
        let (tool, call) = (
            format!(r#"{{"name":"f","description":"Sets a","parameters":{schema}}}"#),
            r#"{"name":"f","arguments":{"a":{"b":1}}}"#,
        );
        writeln!(
            labelled,
            r#"{{"question":"Set a","tool_call":{call},"tool_definitions":[{tool}],"gold":"correct"}}"#
        )
        .unwrap();
        writeln!(
            scored,
            r#"{{"test":{{"expected_tool_calls":[{{"tool_name":"f","param_validators":{{"a":{{"kind":"schema","schema":{schema}}}}}}}]}},"tool_calls":[{{"name":"f","input":{{"a":{{"a":{{"b":1}}}}}}}}]}}"#
        )
        .unwrap();
    }
    work.file("in.jsonl", &labelled);
    work.file("cases.jsonl", &scored);
    run(&work, &["label", "in.jsonl", "-o", "out.jsonl", "--quiet"]);
    let lines = |name: &str| -> Vec<serde_json::Value> {
        work.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let labelled = lines("out.jsonl");
    assert_eq!(labelled.len(), schemas.len());
    let told = |row: &serde_json::Value| row["error"].to_string().contains("definition_too_complex");
    assert!(labelled.iter().take(STEPS.len()).all(told), "{labelled:#?}");
    run(
        &work,
        &[
            "score",
            "--allow-failures",
            "cases.jsonl",
            "--scorer",
            "tool_evaluator",
            "-o",
            "scores.jsonl",
            "--quiet",
        ],
    );
    let scored = lines("scores.jsonl");
    assert_eq!(scored.len(), schemas.len());
    // No fault of the agent.
    let told =
        |row: &serde_json::Value| row["error"].to_string().contains("too complex") && row["score"].is_null();
    assert!(scored.iter().take(STEPS.len()).all(told), "{scored:#?}");
    let ran = run(&work, &["bench", "in.jsonl", "--json"]);
    assert!(ran.stdout.contains("builtin"), "{} {}", ran.stdout, ran.stderr);
}

/// Far less than the rows take, in hundredths of a second on any machine that runs Linux.
const ROWS_UNDER_WAY: u64 = 30;

/// How long a process has computed: what it waits for a core does not count.
fn computed(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Behind the name, which may hold blanks: the state is the first, time in the program and in the kernel are the 12th and 13th.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    fields.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// One signal is enough while rows are computed that take long, of which a batch has two thousand.
#[cfg(target_os = "linux")]
#[test]
fn one_signal_ends_a_run_of_hostile_rows() {
    let work = Workspace::new();
    let schema = chain(16, r#"{"allOf":[@,@]}"#);
    let rows: String = (0..2_000)
        .map(|at| {
            format!(
                r#"{{"question":"Set a","tool_call":{{"name":"f{at}","arguments":{{"a":{{}}}}}},"expected_tool_calls":[],"tool_definitions":[{{"name":"f{at}","description":"Sets a","parameters":{schema}}}]}}
"#
            )
        })
        .collect();
    work.file("in.jsonl", rows);
    for signal in ["INT", "TERM"].into_iter().filter(|signal| crate::faults::signals::is_heard(signal)) {
        let mut child = work.tooljudge(&["label", "in.jsonl", "-o", "out.jsonl", "--quiet"]);
        let child = child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).start();
        let catches = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
            u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 14) != 0
        };
        let began = Instant::now();
        while !catches() && began.elapsed() < DEADLINE {
            std::thread::sleep(Duration::from_millis(5));
        }
        // So that the first rows are under way: all of them take a hundred times as much.
        let ready = computed(child.id());
        while computed(child.id()) < ready + ROWS_UNDER_WAY && began.elapsed() < DEADLINE {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(child.ended().is_none(), "{signal}: over before it was stopped");
        crate::faults::signals::send(child.id(), signal);
        Ran::from(child.output()).ended(130);
        assert!(!work.path("out.jsonl").exists(), "{signal}");
    }
}
