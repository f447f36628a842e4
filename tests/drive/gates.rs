//! What a build is told: gates, exit codes, reports.

use serde_json::{Value, json};

use super::{drive, number_of, rows, traveller, workspace};
use crate::support::server::{Answer, Said, Server};
use crate::support::workspace::{Ran, Workspace};

/// Fails in all cases with a number below `failing`.
fn failing(failing: usize) -> Server {
    Server::start(move |seen| match number_of(seen) < failing {
        true => Answer::Turn(Said::text("I do not know.")),
        false if seen.turns() == 1 => Answer::Turn(Said::call("get_weather", &json!({"city": "Oslo"}))),
        false => traveller(seen),
    })
}

fn run(work: &Workspace, server: &Server, more: &[&str]) -> Ran {
    work.run(&drive(server, more))
}

#[test]
fn a_share_that_passes_is_a_gate() {
    let (server, work) = (failing(3), workspace(10));
    run(&work, &server, &["--min-pass-rate", "0.7"]).ended(0);
    let ran = run(&work, &server, &["--min-pass-rate", "0.71"]).ended(1);
    assert!(
        ran.stderr.contains("7 of 10 scored episodes passed, fewer than the share of 0.71"),
        "{}",
        ran.stderr
    );
}

#[test]
fn pass_hat_is_a_gate_and_needs_repeats() {
    // Case 0 passes in the first repeat only.
    let server = Server::start(|seen| match (number_of(seen), seen.turns(), seen.earlier) {
        (0, 0, earlier) if earlier > 0 => Answer::Turn(Said::text("I do not know.")),
        (_, 1, _) => Answer::Turn(Said::call("get_weather", &json!({"city": "Oslo"}))),
        _ => traveller(seen),
    });
    let work = workspace(4);
    let repeats = ["--repeats", "3", "--concurrency", "1"];
    let with = |hat: &'static str| [&repeats[..], &["--min-pass-hat", hat]].concat();
    run(&work, &server, &with("3=0.75")).ended(0);
    let ran = run(&work, &server, &with("3=0.76")).ended(1);
    assert!(ran.stderr.contains("pass^3 is 0.750, below 0.76"), "{}", ran.stderr);
    let ran = run(&work, &server, &with("4=0.1")).ended(2);
    assert!(ran.stderr.contains("every case is driven 3 times; add --repeats 4"), "{}", ran.stderr);
    let told: Value =
        serde_json::from_str(&run(&work, &server, &[&repeats[..], &["--json"]].concat()).stdout).unwrap();
    let of = |k: usize| {
        &told["agents"][0]["repeats"].as_array().unwrap().iter().find(|rate| rate["k"] == k).unwrap()["pass_hat_k"]
            ["value"]
    };
    // Of case 0 one of three passes: no pair of its repeats passes whole.
    let is = |k: usize, value: f64| (of(k).as_f64().unwrap() - value).abs() < 1e-9;
    assert!(is(1, (1.0 / 3.0 + 3.0) / 4.0) && is(2, 0.75) && is(3, 0.75), "{told:#}");
    let odd = run(&work, &server, &["--min-pass-hat", "3"]).ended(2);
    assert!(odd.stderr.contains("`3` is not K=SHARE"), "{}", odd.stderr);
}

#[test]
fn worse_than_a_baseline_fails_and_equal_or_better_does_not() {
    let work = workspace(20);
    let (good, bad) = (failing(2), failing(12));
    let into = |server: &Server, store: &str, output: &str, more: &[&str]| {
        let base = [
            "drive",
            "suite.toml",
            "--agent",
            "openai:m",
            "--base-url",
            &server.url,
            "--store",
            store,
            "-o",
            output,
        ];
        work.run(&[&base[..], more].concat())
    };
    for output in ["good.jsonl", "good.parquet", "good.csv"] {
        into(&good, "good.sqlite", output, &["--allow-failures"]).ended(0);
    }
    for before in ["good.jsonl", "good.parquet", "good.csv"] {
        let equal = into(&good, "good.sqlite", "again.jsonl", &["--baseline", before]).ended(0);
        assert!(
            equal.stdout.contains("no difference is shown. 20 episodes of 20 cases in both runs"),
            "{before}: {}",
            equal.stdout
        );
        let worse = into(&bad, "bad.sqlite", "bad.jsonl", &["--baseline", before]).ended(1);
        assert!(
            worse.stderr.contains(
                "it does worse than in the baseline: 90.0 % of 20 episodes passed then, 40.0 % now"
            ),
            "{before}: {}",
            worse.stderr
        );
    }
    let better = into(&good, "good.sqlite", "again.jsonl", &["--baseline", "bad.jsonl"]).ended(0);
    assert!(better.stdout.contains("better than before"), "{}", better.stdout);
    // An agent of another name is compared with the only one that there is; of several with its namesake, or not at all.
    let other =
        ["drive", "suite.toml", "--agent", "openai:new", "--base-url", &bad.url, "--baseline", "good.jsonl"];
    work.run(&other).ended(1);
    work.file(
        "both.jsonl",
        work.read("good.jsonl") + &work.read("good.jsonl").replace("openai:m", "openai:k"),
    );
    into(&good, "good.sqlite", "again.jsonl", &["--baseline", "both.jsonl"]).ended(0);
    let both =
        ["drive", "suite.toml", "--agent", "openai:new", "--base-url", &bad.url, "--baseline", "both.jsonl"];
    let ran = work.run(&both).ended(2);
    assert!(
        ran.stderr.contains("it has several agents, and none is named openai:new: openai:m, openai:k"),
        "{}",
        ran.stderr
    );
    work.file("other.csv", "question,passed\nwhy,true\n");
    let ran = into(&good, "good.sqlite", "again.jsonl", &["--baseline", "other.csv"]).ended(2);
    assert!(
        ran.stderr.contains("it has no column `suite`: give it a table that `drive -o` wrote"),
        "{}",
        ran.stderr
    );
    into(&good, "good.sqlite", "again.jsonl", &["--baseline", "none.jsonl"]).ended(2);
    work.file(
        "elsewhere.jsonl",
        work.read("good.jsonl").replace("\"suite\":\"trips\"", "\"suite\":\"other\""),
    );
    let ran = into(&good, "good.sqlite", "again.jsonl", &["--baseline", "elsewhere.jsonl"]).ended(2);
    assert!(ran.stderr.contains("no episode of it has the suite, case and repeat"), "{}", ran.stderr);
}

/// What cannot be compared with is said before anybody is asked, and before a table takes another's place.
#[test]
fn a_baseline_that_is_none_is_found_out_before_the_first_request() {
    let (server, work) = (failing(0), workspace(3));
    work.file("other.csv", "question,passed\nwhy,true\n");
    for file in ["other.csv", "none.jsonl"] {
        run(&work, &server, &["--baseline", file]).ended(2);
        assert_eq!(server.requests(), 0, "{file}");
        assert!(!work.path("episodes.jsonl").exists(), "{file}");
    }
}

#[test]
fn a_table_may_take_the_place_of_its_own_baseline() {
    let (server, work) = (failing(0), workspace(3));
    run(&work, &server, &[]).ended(0);
    let ran = run(&work, &server, &["--baseline", "episodes.jsonl"]);
    // Either it is refused, or it is compared with what was there before.
    match ran.code {
        Some(0) => assert!(ran.stdout.contains("no difference is shown"), "{}", ran.stdout),
        code => assert_eq!((code, rows(&work, "episodes.jsonl").len()), (Some(2), 3), "{}", ran.stderr),
    }
}

#[test]
fn junit_and_json_tell_of_every_episode() {
    let server = Server::start(|seen| match (number_of(seen), seen.turns()) {
        (1, 1) => Answer::status(400, "nothing <I> know"),
        _ => traveller(seen),
    });
    let work = workspace(4);
    let ran = run(&work, &server, &["--junit", "r.xml", "--json"]).ended(1);
    let junit = work.read("r.xml");
    assert_eq!((junit.matches("<testcase").count(), junit.matches("<failure").count()), (4, 3), "{junit}");
    assert!(junit.contains("no score: ") && !junit.contains("<I>"), "{junit}");
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    let agent = &told["agents"][0];
    assert_eq!(agent["ended"], json!({"finished": 3, "errored": 1}));
    let failures = agent["failures"].as_array().unwrap();
    let ids: Vec<&str> = failures.iter().map(|failure| failure["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["c0#1", "c1#1", "c3#1"]);
    assert!(failures[1]["reason"].as_str().unwrap().starts_with("no score: "), "{failures:?}");
    assert_eq!(
        (&agent["episodes"], &agent["unscored"], &agent["scores"]["passed"]),
        (&json!(4), &json!(1), &json!(1)),
        "{agent:#}"
    );
    assert_eq!(
        (&told["cases"], &told["repeats"], &told["output"]),
        (&json!(4), &json!(1), &json!("episodes.jsonl"))
    );
}

/// A script for cases `0` to `cases`, which call what they should or nothing at all.
fn script(cases: usize, calls: bool) -> String {
    let of = |case: usize| {
        let call = if calls { r#"{"calls": [{"name": "look", "arguments": {}}]}, "# } else { "" };
        format!("{{\"case\": \"{case}\", \"replies\": [{call}\"Clear.\"]}}\n")
    };
    (0..cases).map(of).collect()
}

fn looks(cases: usize, more: &str) -> String {
    let tools = r#"tools = [{ name = "look", parameters = { type = "object" } }]"#;
    let case = |case: usize| {
        format!(
            "[[cases]]\nid = \"{case}\"\nuser_message = \"Sky?\"\nexpected_tool_calls = [{{ tool_name = \"look\" }}]\n{more}\n"
        )
    };
    format!("{tools}\n{}", (0..cases).map(case).collect::<String>())
}

#[test]
fn a_case_that_fails_is_named_and_fails_the_command() {
    let work = Workspace::new();
    work.file("suite.toml", looks(3, ""));
    work.file(
        "script.jsonl",
        script(1, true) + &script(3, false).split_inclusive('\n').skip(1).collect::<String>(),
    );
    let drive = |more: &[&str]| {
        work.run(&[&["drive", "suite.toml", "--agent", "script:script.jsonl"][..], more].concat())
    };
    let named = "FAIL 1#1: `look` is not called";
    let ran = drive(&["--quiet"]).ended(1);
    assert!(ran.stderr.contains(named), "{}", ran.stderr);
    assert!(
        ran.stderr.contains(
            "2 of 3 scored episodes failed; --min-pass-rate SHARE accepts some of them, --allow-failures all"
        ),
        "{}",
        ran.stderr
    );
    for allowed in [&["--allow-failures"][..], &["--min-pass-rate", "0.3"]] {
        let ran = drive(allowed).ended(0);
        assert!(ran.stderr.contains(named) && !ran.stderr.contains("warning"), "{}", ran.stderr);
        assert_eq!(drive(&[allowed, &["--quiet"]].concat()).ended(0).stderr, "");
    }
    work.file("tooljudge.toml", "[drive]\nallow_failures = true\n");
    drive(&[]).ended(0);
    drive(&["--min-pass-rate", "0.9"]).ended(1);
}

#[test]
fn a_small_suite_can_fail_its_baseline_and_other_expectations_are_no_baseline() {
    let work = Workspace::new();
    work.file("suite.toml", looks(5, ""));
    work.file("good.jsonl", script(5, true));
    work.file("bad.jsonl", script(5, false));
    let drive = |agent: &str, more: &[&str]| {
        let agent = format!("script:{agent}.jsonl");
        work.run(&[&["drive", "suite.toml", "--agent", &agent][..], more].concat())
    };
    drive("good", &["-o", "once.jsonl"]).ended(0);
    // No test can show anything of five episodes: those that are broken count, and are named.
    let few = drive("bad", &["--baseline", "once.jsonl", "--quiet"]).ended(1);
    assert!(few.stderr.contains("too few differ for a test, so that 5 points fewer count"), "{}", few.stderr);
    let few = drive("bad", &["--baseline", "once.jsonl"]).ended(1);
    assert!(
        few.stdout.contains("worse than before") && few.stdout.contains("5 broken (0, 1, 2, 3, 4)"),
        "{}",
        few.stdout
    );
    drive("good", &["--baseline", "once.jsonl"]).ended(0);
    // Five cases are few, though no one of them is most of them.
    drive("bad", &["-o", "worse.jsonl", "--allow-failures"]).ended(0);
    let compared = work.run(&["compare", "once.jsonl", "worse.jsonl"]).ended(0).stdout;
    let compared = compared.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in ["There are only 5 cases", "The interval is on one side of 0, but that is not enough"] {
        assert!(compared.contains(said), "{compared}");
    }
    // Nor of six of which five differ, or of twenty of which one does; one of thirty may be chance.
    for (cases, broken, code) in [(6, 5, 1), (20, 1, 1), (30, 1, 0), (5, 1, 1)] {
        let name = |what: &str| format!("{what}_{cases}.jsonl");
        work.file(&name("script"), script(cases, true));
        let good: String = script(cases, true).lines().skip(broken).map(|line| format!("{line}\n")).collect();
        work.file(&name("mixed"), script(broken, false) + &good);
        work.file("many.toml", looks(cases, ""));
        let drive = |agent: &str, more: &[&str]| {
            let agent = format!("script:{}", name(agent));
            work.run(&[&["drive", "many.toml", "--agent", &agent, "--quiet"][..], more].concat())
        };
        drive("script", &["-o", &name("many")]).ended(0);
        drive("mixed", &["--baseline", &name("many")]).ended(code);
    }
    // A comparison of few of many says little.
    let first = work.read("once.jsonl").lines().next().unwrap().to_owned() + "\n";
    work.file("one.jsonl", first);
    let one = drive("good", &["--baseline", "one.jsonl", "--quiet"]).ended(1);
    assert!(one.stderr.contains("--baseline holds for 1 of 5 scored episodes only"), "{}", one.stderr);
    drive("good", &["--repeats", "8", "-o", "before.jsonl"]).ended(0);
    let worse = drive("bad", &["--repeats", "8", "--baseline", "before.jsonl"]).ended(1);
    assert!(worse.stderr.contains("100.0 % of 40 episodes passed then, 0.0 % now"), "{}", worse.stderr);
    // The same episodes under another threshold say nothing of the agent.
    let other = drive("good", &["--set", "threshold=0.5", "--baseline", "before.jsonl"]);
    assert!(other.ended(2).stderr.contains("its cases expected something else, or had another threshold"));
    work.file(
        "suite.toml",
        looks(5, "").replacen("[[cases]]", "[[cases]]\nforbidden_tools = []\nmax_tool_calls = 9", 1),
    );
    let one = drive("good", &["--repeats", "8", "--baseline", "before.jsonl", "--json"]).ended(0);
    let told: Value = serde_json::from_str(&one.stdout).unwrap();
    let compared = &told["baseline"][0];
    assert_eq!(
        (&compared["changed"], &compared["episodes"], &compared["unpaired"]),
        (&json!(8), &json!(32), &json!(0))
    );
    let once = work.read("once.jsonl");
    let (third, _) = once.match_indices('\n').nth(2).unwrap();
    work.file("cut.jsonl", format!("{}\n{{\"id\":\"3#1\",\"suit", &once[..third]));
    let cut = drive("good", &["--baseline", "cut.jsonl"]).ended(2);
    assert!(cut.stderr.contains("--baseline cut.jsonl: row 4 has no `repeat`"), "{}", cut.stderr);
    work.file("twice.jsonl", work.read("once.jsonl").repeat(2));
    let twice = drive("good", &["--baseline", "twice.jsonl"]).ended(2);
    assert!(twice.stderr.contains("it has two rows of the case `0`, repeat 1"), "{}", twice.stderr);
}

/// Cases that an agent leaves, and new ones, say nothing of it: a gate must not pass because few are left to compare.
#[test]
fn a_baseline_is_held_by_the_cases_that_it_had() {
    let work = Workspace::new();
    let suite = |cases: usize| {
        let case = |at: usize| {
            format!(
                "[[cases]]\nid = \"{at}\"\nuser_message = \"do\"\nexpected_tool_calls = [{{ tool_name = \"f\", required_params = \
                 {{ x = \"a\" }} }}]\nmocks = [{{ tool = \"f\", when = {{ x = \"a\" }}, result = 1 }}]\n"
            )
        };
        let cases: String = (0..cases).map(case).collect();
        "name = \"s\"\n[defaults]\nunmatched = \"stop\"\nthreshold = 0.5\n[[tools]]\nname = \"f\"\ndescription = \"d\"\nparameters = { type = \"object\", properties = { x = { \
         type = \"string\" } } }\n"
            .to_owned()
            + &cases
    };
    // What each case is called with; anything but `a` is off script, nothing is a failure.
    let script = |values: &[&str]| -> String {
        let line = |(at, value): (usize, &&str)| match *value {
            "" => format!("{{\"case\": \"{at}\", \"replies\": [\"no\"]}}\n"),
            x => format!(
                "{{\"case\": \"{at}\", \"replies\": [{{\"calls\": [{{\"name\": \"f\", \"arguments\": {{\"x\": \"{x}\"}}}}]}}, \"done\"]}}\n"
            ),
        };
        values.iter().enumerate().map(line).collect()
    };
    work.file("suite.toml", suite(10));
    work.file("half.toml", suite(5));
    let drive = |suite: &str, values: &[&str], more: &[&str]| {
        work.file("agent.jsonl", script(values));
        work.run(&[&["drive", suite, "--agent", "script:agent.jsonl", "--quiet"][..], more].concat())
    };
    drive("suite.toml", &["a"; 10], &["-o", "ten.jsonl"]).ended(0);
    drive("half.toml", &["a"; 5], &["-o", "five.jsonl"]).ended(0);
    let values = |right: usize, other: &'static str| [vec!["a"; right], vec![other; 10 - right]].concat();
    for (baseline, right, other, code, said) in [
        ("ten.jsonl", 10, "b", 0, ""),
        ("ten.jsonl", 9, "b", 0, ""),
        (
            "ten.jsonl",
            8,
            "b",
            1,
            "2 episodes passed in the baseline and have no score now: if that is a failure, 100.0 % of 10 episodes",
        ),
        (
            "ten.jsonl",
            1,
            "b",
            1,
            "--baseline holds for 1 of 10 episodes only: 9 had a score in it and have none now",
        ),
        (
            "ten.jsonl",
            0,
            "b",
            1,
            "--baseline holds for 0 of 10 episodes only: 10 had a score in it and have none now",
        ),
        (
            "five.jsonl",
            5,
            "",
            1,
            "--baseline holds for 5 of 10 scored episodes only: the others are not in it",
        ),
        (
            "five.jsonl",
            10,
            "",
            1,
            "--baseline holds for 5 of 10 scored episodes only: the others are not in it",
        ),
    ] {
        let gate = ["--baseline", baseline, "--allow-unscored", "1"];
        let ran = drive("suite.toml", &values(right, other), &gate).ended(code);
        assert!(ran.stderr.contains(said) && said.is_empty() == ran.stderr.is_empty(), "{}", ran.stderr);
    }
    let told =
        drive("suite.toml", &values(1, "b"), &["--baseline", "ten.jsonl", "--allow-unscored", "1", "--json"]);
    let told: Value = serde_json::from_str(&told.ended(1).stdout).unwrap();
    let compared = &told["baseline"][0];
    assert_eq!(
        (&compared["episodes"], &compared["lost"], &compared["lost_passed"], &compared["worse"]),
        (&json!(1), &json!(9), &json!(9), &json!(true))
    );
    // The summary names the shares by which it is worse.
    work.file("agent.jsonl", script(&values(8, "b")));
    let gate = ["--agent", "script:agent.jsonl", "--baseline", "ten.jsonl", "--allow-unscored", "1"];
    let ran = work.run(&[&["drive", "suite.toml"][..], &gate].concat()).ended(1);
    let said =
        "2 episodes with a score then and none now; with these as failed, 100.0 % passed then, 80.0 % now";
    let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("worse than before. 8 episodes of 8 cases"), "{told}");
    assert!(told.contains(said), "{told}");
    // Where the case expects something else now, it says nothing of the agent that there is no score.
    let eased = |cases: String| cases.replace("required_params = { x = \"a\" }", "required_params = {}");
    work.file("other.toml", eased(suite(10)));
    let gate = ["--baseline", "ten.jsonl", "--allow-unscored", "1", "--json"];
    let ran = drive("other.toml", &values(0, "b"), &gate).ended(2);
    assert!(ran.stderr.contains("its cases expected something else"), "{}", ran.stderr);
    let whole = suite(10);
    for (kept, code, said) in [
        (6, 0, ""),
        (5, 1, "--baseline holds for 5 of 10 episodes only: the others are not in it, or their case"),
    ] {
        let (same, rest) = whole.split_at(suite(kept).len());
        work.file("mixed.toml", same.to_owned() + &eased(rest.to_owned()));
        let ran = drive("mixed.toml", &values(kept, "b"), &gate).ended(code);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        let told: Value = serde_json::from_str(&ran.stdout).unwrap();
        let compared = &told["baseline"][0];
        let numbers =
            ["episodes", "changed", "lost", "unpaired"].map(|name| compared[name].as_u64().unwrap());
        assert_eq!(numbers, [kept as u64, 10 - kept as u64, 0, 0], "{compared}");
    }
}

#[test]
fn agents_are_compared_by_the_episodes_that_pass() {
    let work = Workspace::new();
    work.file("suite.toml", looks(12, ""));
    work.file("good.jsonl", script(12, true));
    work.file(
        "bad.jsonl",
        script(8, false)
            + &script(12, true).lines().skip(8).map(|line| format!("{line}\n")).collect::<String>(),
    );
    let drive = |output: &str, agents: &[&str]| {
        let agents = agents.iter().flat_map(|agent| ["--agent", agent]).collect::<Vec<_>>();
        let base = ["drive", "suite.toml", "--allow-failures", "-o", output];
        work.run(&[&base[..], &agents].concat()).ended(0);
    };
    drive("both.jsonl", &["script:bad.jsonl", "script:good.jsonl"]);
    drive("bad.csv", &["script:bad.jsonl"]);
    drive("good.parquet", &["script:good.jsonl"]);
    drive("good.parquet.jsonl", &["script:good.jsonl"]);
    drive("bad.jsonl.csv", &["script:bad.jsonl"]);
    for (folder, from) in [("base", "bad"), ("pr", "good")] {
        drive(&format!("{from}_.csv"), &[&format!("script:{from}.jsonl")]);
        std::fs::create_dir_all(work.path(folder)).unwrap();
        // As pandas writes what is true or not known.
        let rows = work.read(&format!("{from}_.csv")).replace(&format!("script:{from}.jsonl"), "m");
        work.file(&format!("{folder}/out.csv"), rows);
    }
    for (tables, names) in [
        (&["both.jsonl"][..], ["script:bad.jsonl", "script:good.jsonl"]),
        (&["bad.csv", "good.parquet"], ["script:bad.jsonl", "script:good.jsonl"]),
        (&["bad.csv", "both.jsonl"], ["script:bad.jsonl (bad)", "script:good.jsonl"]),
        (&["base/out.csv", "pr/out.csv"], ["m (base/out.csv)", "m (pr/out.csv)"]),
    ] {
        let ran = work.run(&[&["compare", "--json", "--gate"][..], tables].concat());
        let told: Value = serde_json::from_str(&ran.stdout).unwrap();
        let found = told["comparisons"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&told["agents"][0], told["agents"].as_array().unwrap().last().unwrap()),
            (&json!(names[0]), &json!(names[1]))
        );
        assert_eq!(
            (&found["rows"], &found["only_b_right"], &found["only_a_right"]),
            (&json!(12), &json!(8), &json!(0))
        );
        assert_eq!(found["verdict"], "better");
        assert_eq!(found["differences"].as_array().unwrap().len(), 1);
    }
    let ran = work.run(&["compare", "both.jsonl", "--by", "agent"]).ended(0);
    for said in [
        "script:good.jsonl against script:bad.jsonl, 12 episodes of 12 cases",
        "only script:bad.jsonl passes 0, only script:good.jsonl 8",
        "pass rate",
        "is better than",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    // Too few of them have a pair for a gate.
    let half: String =
        work.read("good.parquet.jsonl").lines().take(5).map(|line| format!("{line}\n")).collect();
    work.file("few.jsonl", half);
    work.run(&["compare", "bad.jsonl.csv", "few.jsonl", "--gate", "--margin", "0.9"]).ended(1);
    // What cannot be compared says why.
    work.file("judged.csv", "id,label,status,gold\n1,correct,judged,correct\n");
    work.file("other.toml", looks(12, "ordered = true"));
    work.run(&["drive", "other.toml", "--agent", "script:good.jsonl", "-o", "other.jsonl"]).ended(0);
    for (args, why) in [
        (&["good.parquet"][..], "there are not two agents with scored episodes in good.parquet"),
        (&["both.jsonl", "judged.csv"], "judged.csv: it has no column `suite`"),
        (&["judged.csv", "--by", "agent"], "judged.csv: it has no column `suite`"),
        (&["both.jsonl", "--gold", "passed"], "--gold is for judges"),
        (&["both.jsonl", "--measure", "kappa"], "--measure is for judges"),
        (&["bad.csv", "other.jsonl"], "no episode of a case that expects the same has a score of both"),
    ] {
        let ran = work.run(&[&["compare"][..], args].concat()).ended(2);
        assert!(ran.stderr.contains(why), "{why}: {}", ran.stderr);
    }
}

#[test]
fn an_answer_alone_is_no_pass_until_it_is_graded() {
    let work = Workspace::new();
    work.file(
        "suite.toml",
        "tools = []\n[[cases]]\nid = \"0\"\nuser_message = \"Capital of France?\"\nreference = \"Paris\"\n",
    );
    work.file("script.jsonl", r#"{"case": "0", "replies": ["It is Berlin."]}"#);
    let ran =
        work.run(&["drive", "suite.toml", "--agent", "script:script.jsonl", "--min-pass-rate", "1"]).ended(1);
    assert!(ran.stdout.contains("open     1 episode: nobody has graded the answer"), "{}", ran.stdout);
    let drive = ["drive", "suite.toml", "--agent", "script:script.jsonl", "--quiet"];
    let ran = work.run(&drive).ended(1);
    assert!(ran.stderr.contains("only 0 of 1 episode passed or failed; --grade JUDGE"), "{}", ran.stderr);
    work.run(&[&drive[..], &["--allow-failures"]].concat()).ended(0);
}

#[test]
fn agents_whose_replies_the_store_cannot_tell_apart_are_refused() {
    let (server, work) = (Server::start(traveller), workspace(2));
    work.file(
        "tooljudge.toml",
        "[judges.a]\njudge = \"openai:m\"\nheaders = { X-Token = \"a\" }\n[judges.b]\njudge = \"openai:m\"\nheaders = { X-Token = \"b\" }\n\
         [judges.c]\njudge = \"openai:m\"\nbody = { seed = 1 }\n[judges.d]\njudge = \"openai:m\"\nheaders = { X-Route = \"d\" }\n",
    );
    let of = |name: &str| format!("base_url = \"{}\"\n[judges.{name}]", server.url);
    let settings = work.read("tooljudge.toml");
    let settings = settings
        .replace("[judges.b]", &of("b"))
        .replace("[judges.c]", &of("c"))
        .replace("[judges.d]", &of("d"));
    work.file("tooljudge.toml", format!("{settings}base_url = \"{}\"\n", server.url));
    let drive = |agents: [&str; 2]| {
        work.run(&["drive", "--allow-failures", "suite.toml", "--agent", agents[0], "--agent", agents[1]])
    };
    let ran = drive(["a", "b"]).ended(2);
    assert!(ran.stderr.contains("a and b ask the same model at the same address"), "{}", ran.stderr);
    assert_eq!(server.requests(), 0);
    drive(["a", "c"]).ended(0);
    // A gateway may choose the model by a header: that tells them apart.
    let before = server.requests();
    drive(["a", "d"]).ended(0);
    assert!(server.requests() > before, "the replies of one are not the other's");
}

#[test]
fn equal_turns_are_paid_once_and_told_once() {
    let (server, work) = (Server::start(|_| Answer::Turn(Said::text("Clear."))), Workspace::new());
    let suite = "tools = []\n[[cases]]\nid = \"0\"\nuser_message = \"Sky?\"\nshould_not_call_tools = true\n";
    work.file(
        "suite.toml",
        suite.to_owned() + &suite.replacen("tools = []\n", "", 1).replace("\"0\"", "\"1\""),
    );
    let args = ["drive", "suite.toml", "--agent", "openai:m", "--base-url", &server.url, "--json"];
    let told: Value = serde_json::from_str(&work.run(&args).ended(0).stdout).unwrap();
    let agent = &told["agents"][0];
    assert_eq!(
        (server.requests(), &agent["usage"]["requests"], &agent["cached"]),
        (1, &json!(1), &json!(1)),
        "{agent:#}"
    );
}
