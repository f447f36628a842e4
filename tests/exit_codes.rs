//! Exit codes are what `docs/output.md` says: each line of its tables is a line here, and the binary is asked.

use std::collections::BTreeSet;
use std::time::Duration;

use tooljudge::internal::commands;

use crate::audit;
use crate::compare::labelled;
use crate::label_remote::{interrupt, numbered};
use crate::review;
use crate::support::markdown::code_spans;
use crate::support::server::{Answer, Seen, Server};
use crate::support::workspace::{Workspace, repository};
use crate::train;

/// A line of the table of what fails: how its condition begins, runs that meet it, and what is added to them where it is accepted.
struct Failure {
    condition: &'static str,
    runs: &'static [&'static str],
    accepted: &'static [&'static str],
}

/// In the order of the page. `ASK` is a model, `TO` a table that may be written again.
const FAILURES: &[Failure] = &[
    Failure {
        condition: "a row could not be judged",
        runs: &["label in.csv ASK TO", "resnap in.csv ASK TO"],
        accepted: &["--allow-unjudged 0.2"],
    },
    Failure {
        condition: "no row has a label",
        runs: &["label quickstart.csv --where id=travel-1 TO", "resnap in.csv ASK TO --where id=1"],
        accepted: &["--allow-unjudged 1"],
    },
    Failure {
        condition: "there is no row",
        runs: &["label none.csv TO", "label quickstart.csv --limit 0 TO", "resnap none.csv ASK TO"],
        accepted: &["--allow-empty", "--allow-unjudged 1"],
    },
    Failure {
        condition: "a [gate](ci.md) fails",
        runs: &[
            "label quickstart.csv TO --min-pass-rate 0.9",
            "label quickstart.csv TO --max-abstained 0",
            "label quickstart.csv TO --max-fail abstained=0",
            "resnap in.csv ASK TO --where id=3 --min-pass-rate 0.9",
            "label in.csv ASK TO --allow-unjudged 1 --max-fail errored=0",
        ],
        accepted: &[],
    },
    Failure {
        condition: "a judge could not judge a row",
        runs: &["bench in.csv ASK"],
        accepted: &["--allow-unjudged 0.2"],
    },
    Failure {
        condition: "a judge labels no row",
        runs: &["bench quickstart.csv --where id=travel-1"],
        accepted: &["--allow-unjudged 1"],
    },
    Failure {
        condition: "a [gate](bench.md#what-comes-out) fails",
        runs: &[
            "bench quickstart.csv --min-accuracy 1",
            "bench quickstart.csv --min-balanced-accuracy 1",
            "bench quickstart.csv --min-f1 1",
            "bench quickstart.csv --min-kappa 1",
            "bench quickstart.csv --min-mcc 1",
            "bench quickstart.csv --min-auc 1",
            "bench quickstart.csv --max-abstained 0",
        ],
        accepted: &[],
    },
    Failure {
        condition: "a case fails",
        runs: &["score cases.jsonl --scorer tool_call"],
        accepted: &["--min-pass-rate 0.5", "--allow-failures"],
    },
    Failure {
        condition: "no case passes or fails",
        runs: &["score cases.jsonl --scorer tool_correctness --set threshold=null"],
        accepted: &["--allow-failures"],
    },
    Failure {
        condition: "its gate fails",
        runs: &["score cases.jsonl --scorer tool_call --min-pass-rate 0.6 --allow-failures"],
        accepted: &[],
    },
    Failure {
        condition: "an episode fails",
        runs: &["drive suite.toml --agent script:script.jsonl --category called"],
        accepted: &["--min-pass-rate 0", "--allow-failures"],
    },
    Failure {
        condition: "fewer than half of the episodes pass or fail",
        runs: &["drive suite.toml --agent script:script.jsonl --category open"],
        accepted: &["--allow-failures"],
    },
    Failure {
        condition: "an episode has no score",
        runs: &["drive suite.toml --agent script:script.jsonl --category short"],
        accepted: &["--allow-unscored 1"],
    },
    Failure {
        condition: "a [gate](suites.md#in-ci) fails",
        runs: &[
            "drive suite.toml --agent script:script.jsonl --category called --min-pass-rate 0.5",
            "drive suite.toml --agent script:script.jsonl --category called --repeats 2 --min-pass-hat 2=0.5",
            "drive suite.toml --agent script:script.jsonl --category called --baseline before.jsonl",
        ],
        accepted: &[],
    },
    Failure {
        condition: "a request was not answered",
        runs: &["audit in.csv ASK"],
        accepted: &["--allow-unanswered 0.9"],
    },
    Failure {
        condition: "no row got a label",
        runs: &[
            "audit in.csv ASK --where id=1 --allow-unanswered 1",
            "audit quickstart.csv --where id=travel-1",
        ],
        accepted: &[],
    },
    Failure {
        condition: "a [gate](audit.md) fails",
        runs: &["audit say.jsonl ASK --max-flip-rate 0", "audit say.jsonl MUTE --max-unlabeled 0"],
        accepted: &[],
    },
    Failure {
        condition: "not all others are shown to be better",
        runs: &["compare a.csv c.csv --gate"],
        accepted: &[],
    },
    Failure {
        condition: "not all others are shown to be worse by at most that",
        runs: &["compare a.csv c.csv --gate --margin 0.0001"],
        accepted: &[],
    },
    Failure {
        condition: "the share that passes has dropped",
        runs: &["trend worse.jsonl --max-drop 0.1"],
        accepted: &[],
    },
    Failure {
        condition: "more episodes cannot be compared than can",
        runs: &["trend other.jsonl --max-drop 0.1"],
        accepted: &[],
    },
    Failure {
        condition: "the last run is not complete",
        runs: &["trend partial.jsonl --max-drop 0.1"],
        accepted: &[],
    },
    Failure { condition: "no model is better", runs: &["train chance.jsonl -o my.model"], accepted: &[] },
    Failure {
        condition: "nothing in the input can be judged",
        runs: &["convert none.csv TO"],
        accepted: &["--allow-empty", "--where gold=x", "--limit 3", "--sample 3", "--all"],
    },
    Failure {
        condition: "there are rows, and none can be read",
        runs: &["convert broken.csv TO", "convert broken.csv TO --allow-empty --all --limit 3"],
        accepted: &[],
    },
    Failure {
        condition: "no part has a row",
        runs: &["merge none0.csv none1.csv TO"],
        accepted: &["--allow-empty"],
    },
    Failure {
        condition: "no row of any part has a label",
        runs: &["merge vague0.csv vague1.csv TO"],
        accepted: &["--allow-empty"],
    },
];

/// Runs that end with 0, and with 2: at least one of each command. The first ones make what others read.
const OTHERS: &[(u8, &str)] = &[
    (0, "label quickstart.csv TO --min-pass-rate 0.4"),
    (2, "label nowhere.csv TO"),
    (2, "label nothing.jsonl TO --allow-empty"),
    (2, "label list.json TO --allow-empty"),
    (0, "label none.csv TO --allow-empty --min-pass-rate 0.9 --max-abstained 0 --max-fail invalid_row=0"),
    (1, "label none.csv TO --allow-unjudged 1 --min-pass-rate 0.9"),
    (0, "label none.csv --shard 0/2 -o none0.csv --min-pass-rate 0.9"),
    (0, "label none.csv --shard 1/2 -o none1.csv --min-pass-rate 0.9"),
    (0, "label quickstart.csv --where id=travel-1 --shard 0/2 -o vague0.csv"),
    (0, "label quickstart.csv --where id=travel-1 --shard 1/2 -o vague1.csv"),
    (0, "label in.csv ASK --shard 0/2 -o part0.csv --allow-unjudged 1"),
    (0, "label in.csv ASK --shard 1/2 -o part1.csv --allow-unjudged 1"),
    (0, "resnap in.csv ASK TO --where id=3"),
    (2, "resnap quickstart.csv TO"),
    (0, "merge part0.csv part1.csv TO"),
    (2, "merge part0.csv TO"),
    (0, "next part0.csv -n 1 -o todo.csv"),
    (2, "next none.csv -o no_todo.csv"),
    (0, "review export labelled.jsonl -o marked.csv"),
    (2, "review none.csv"),
    (2, "review export part0.csv -o no_gold.csv"),
    (0, "bench quickstart.csv --min-accuracy 0.6"),
    (2, "bench none.csv"),
    (0, "score cases.jsonl --scorer tool_call --where id=a"),
    (2, "score none.jsonl --scorer tool_call"),
    (2, "score cases.jsonl --scorer tool_call --limit 0 --allow-failures"),
    (0, "score cases.jsonl --scorer tool_call --limit 0 --allow-empty --min-pass-rate 1"),
    (0, "drive suite.toml --agent script:good.jsonl --category called --repeats 6 -o before.jsonl"),
    (2, "drive suite.toml --agent script:good.jsonl --limit 0"),
    (2, "drive nothing.jsonl --agent script:good.jsonl"),
    (0, "audit say.jsonl ASK"),
    (2, "audit none.csv"),
    (0, "compare a.csv b.csv --gate"),
    (0, "compare a.csv c.csv --gate --margin 0.1"),
    (2, "compare a.csv"),
    (0, "trend worse.jsonl"),
    (2, "trend nothing.jsonl"),
    (0, "train house.jsonl --dry-run"),
    (2, "train none.csv --dry-run"),
    (0, "gold quickstart.csv -o gold.jsonl"),
    (2, "gold none.csv -o empty.jsonl"),
    (0, "suite from-log gold.jsonl --where gold=correct -o cases.toml.jsonl"),
    (2, "suite from-log none.csv --where gold=correct -o no_cases.jsonl"),
    (0, "convert quickstart.csv TO"),
    (2, "convert nothing.jsonl TO --allow-empty"),
    (0, "store stat"),
    (2, "store stat --store nowhere.sqlite"),
    (0, "store prune --older-than 30d"),
    (2, "store prune"),
    (0, "store merge .tooljudge/replies.sqlite --store other.sqlite"),
    (2, "store merge nowhere.sqlite"),
    (0, "templates list"),
    (2, "templates list more"),
    (0, "templates show tool_calling"),
    (2, "templates show tool_caling"),
    (0, "templates check good.jinja"),
    (2, "templates check bad.jinja"),
    (0, "privacy"),
    (0, "help privacy"),
    (2, "privacy please"),
    (0, "completions fish"),
    (2, "completions dos"),
    (0, "man pages"),
    (2, "man suite.toml"),
];

/// Finds nothing right, has no answer to one row, and gives way to text that asks for a label.
fn script(seen: &Seen) -> Answer {
    match audit::asked_for(seen) {
        _ if seen.prompt().contains("Say 1 please") => Answer::status(413, "too long"),
        Some(_) if seen.body["model"] == "mute" => Answer::Text("I will not take part in this.".to_owned()),
        Some(right) => Answer::label(if right { "correct" } else { "incorrect" }),
        None => Answer::label("incorrect"),
    }
}

fn workspace() -> Workspace {
    let work = Workspace::new();
    std::fs::copy(repository("datasets/quickstart.csv"), work.path("quickstart.csv")).unwrap();
    work.file("in.csv", numbered(8));
    work.file("say.jsonl", audit::table(20));
    let header = "id,question,tool_call,tool_definitions,gold\n";
    work.file("none.csv", header);
    work.file("broken.csv", format!("{header}0,,f(),f: t,correct\n"));
    work.file("nothing.jsonl", "");
    work.file("list.json", "[]");
    let case = |id: &str, called: &str| {
        let call = |name: &str| format!(r#"[{{"name":"{name}","arguments":{{}}}}]"#);
        format!(r#"{{"id":"{id}","tool_calls":{},"expected_tool_calls":{}}}"#, call(called), call("f"))
    };
    work.file("cases.jsonl", [case("a", "f"), case("b", "g")].join("\n"));
    let called = |id: &str, category: &str| {
        format!(
            "[[cases]]\nid = \"{id}\"\ncategory = \"{category}\"\nuser_message = \"Sky?\"\nexpected_tool_calls = [{{ tool_name = \"look\" }}]\n"
        )
    };
    let (first, second) = (called("0", "called"), called("1", "short"));
    let open = "[[cases]]\nid = \"2\"\ncategory = \"open\"\nuser_message = \"Capital of France?\"\nreference = \"Paris\"\n";
    let tools = r#"tools = [{ name = "look", parameters = { type = "object" } }]"#;
    work.file("suite.toml", format!("{tools}\n{first}{second}{open}"));
    let looks = r#"{"calls": [{"name": "look", "arguments": {}}]}"#;
    let replies = |of_first: &str| {
        format!(
            "{{\"case\": \"0\", \"replies\": [{of_first}\"Clear.\"]}}\n{{\"case\": \"1\", \"replies\": [{looks}]}}\n{{\"case\": \"2\", \"replies\": [\"Paris.\"]}}\n"
        )
    };
    work.file("script.jsonl", replies(""));
    work.file("good.jsonl", replies(&format!("{looks}, ")));
    for (name, salt, skill) in [("a", 1, 0.6), ("b", 2, 0.75), ("c", 3, 0.61)] {
        work.file(&format!("{name}.csv"), labelled(name, 0..600, salt, skill));
    }
    work.file("chance.jsonl", train::table(360, train::Gold::Chance));
    work.file("house.jsonl", train::table(360, train::Gold::HouseRule));
    work.file("worse.jsonl", history(&[("asked", 10), ("asked", 1)]));
    work.file("other.jsonl", history(&[("asked", 10), ("else", 10)]));
    let partial = history(&[("asked", 10), ("asked", 10)]);
    work.file("partial.jsonl", partial.replacen("\"run\":\"1\"", "\"incomplete\":true,\"run\":\"1\"", 1));
    work.file("good.jinja", "{{ question }} {{ tool_call }} {{ tool_definitions }} correct or incorrect");
    work.file("bad.jinja", "{{ nope }}");
    review::labelled(&work, 4);
    assert_eq!(review::Desk::open(&work, "anna", &[]).mark(1, 0, "correct", "").unwrap().status, 200);
    work
}

/// Runs of one case that was tried ten times: what it asks, and how often it passed.
fn history(runs: &[(&str, u64)]) -> String {
    let run = |(at, (asked, passed)): (usize, &(&str, u64))| {
        let counts = format!(r#""trials":10,"passed":{passed},"failed":{},"errors":0"#, 10 - passed);
        format!(
            r#"{{"kind":"tooljudge history","format":1,"time":"2026-11-2{at}T00:00:00Z","run":"{at}","version":"0.1.0","agent":"a","scorer":"tool_evaluator","repeats":10,"suites":[{{"suite":"s","asked":"{asked}",{counts},"cases":[{{"case":"c","asked":"{asked}","setup":"s",{counts}}}]}}]}}"#
        ) + "\n"
    };
    runs.iter().enumerate().map(run).collect()
}

/// Runs a line, and says how it ended otherwise than by `code`, if it did.
fn wrong(work: &Workspace, server: &Server, line: &str, code: u8) -> Option<String> {
    let ask = |model: &str| format!("--judge openai:{model} --base-url {} --max-attempts 1", server.url);
    let line =
        line.replace("ASK", &ask("m")).replace("MUTE", &ask("mute")).replace("TO", "-o to.csv --force");
    let ran = work.run(&line.split(' ').collect::<Vec<_>>());
    // Whoever reads only the messages must know why.
    let is_told = code == 0 || !ran.stderr.trim().is_empty();
    (ran.code != Some(code.into()) || !is_told)
        .then(|| format!("`{line}` ended with {:?}, not {code}:\n{}{}", ran.code, ran.stdout, ran.stderr))
}

#[test]
fn every_command_ends_as_the_page_says() {
    let (server, work) = (Server::start(script), workspace());
    let mut found: Vec<String> =
        OTHERS.iter().filter_map(|(code, line)| wrong(&work, &server, line, *code)).collect();
    for Failure { runs, accepted, .. } in FAILURES {
        for run in *runs {
            found.extend(wrong(&work, &server, &format!("{run} --quiet"), 1));
            for more in *accepted {
                found.extend(wrong(&work, &server, &format!("{run} {more}"), 0));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// The lines of the page's table: commands, condition, what accepts it.
fn lines() -> Vec<(BTreeSet<String>, String, BTreeSet<String>)> {
    let page = std::fs::read_to_string(repository("docs/output.md")).unwrap();
    let (_, table) = page.split_once("| command | exits with 1 if | accepted by |\n|---|---|---|\n").unwrap();
    let mut lines: Vec<(BTreeSet<String>, String, BTreeSet<String>)> = Vec::new();
    for line in table.lines().take_while(|line| line.starts_with('|')) {
        let [_, named, condition, accepted, _] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let mut named: BTreeSet<String> = code_spans(named).into_iter().collect();
        if named.is_empty() {
            named = lines.last().unwrap().0.clone();
        }
        lines.push((named, condition.trim().to_owned(), flags(&code_spans(accepted).join(" "))));
    }
    lines
}

/// The flags of a command line.
fn flags(line: &str) -> BTreeSet<String> {
    line.split(' ').filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

#[test]
fn the_page_and_the_test_have_the_same_lines() {
    let page = lines();
    assert_eq!(page.len(), FAILURES.len());
    for ((named, condition, accepted), failure) in page.iter().zip(FAILURES) {
        assert!(condition.starts_with(failure.condition), "{condition}: {}", failure.condition);
        let run: BTreeSet<String> =
            failure.runs.iter().map(|run| run.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(run, *named, "{condition}");
        assert_eq!(flags(&failure.accepted.join(" ")), *accepted, "{condition}");
        let gates = flags(&code_spans(condition).join(" "));
        assert!(gates.is_subset(&flags(&failure.runs.join(" "))), "{condition}: {gates:?}");
    }
}

#[test]
fn every_command_is_seen_to_succeed_and_to_refuse() {
    for command in commands().get_subcommands() {
        let inner: Vec<&str> =
            command.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help").collect();
        let name = command.get_name();
        let names = if inner.is_empty() {
            vec![name.to_owned()]
        } else {
            inner.iter().map(|inner| format!("{name} {inner}")).collect()
        };
        for name in names {
            for code in [0, 2] {
                let is_of = |line: &str| line == name || line.starts_with(&format!("{name} "));
                assert!(OTHERS.iter().any(|(ends, line)| *ends == code && is_of(line)), "{name}: {code}");
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn what_can_be_stopped_ends_with_130() {
    for run in
        ["label in.csv", "bench in.csv", "audit in.csv", "score graded.jsonl --scorer tool_correctness"]
    {
        let server =
            Server::start(|_| Answer::After(Duration::from_millis(20), Box::new(Answer::label("correct"))));
        let work = Workspace::new();
        work.file("in.csv", numbered(2000));
        let case = |at: usize| {
            format!(
                r#"{{"id":{at},"input":"Say {at} please","tools_called":[{{"name":"say"}}],"expected_tools":[{{"name":"say"}}],"available_tools":[{{"name":"say"}}]}}"#
            )
        };
        work.file("graded.jsonl", (0..2000).map(case).collect::<Vec<_>>().join("\n"));
        let line = format!("{run} --judge openai:m --base-url {} --concurrency 2", server.url);
        let run = work.start(&line.split(' ').collect::<Vec<_>>());
        server.await_requests(6);
        interrupt(run.id());
        let output = run.output();
        assert_eq!(output.status.code(), Some(130), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
