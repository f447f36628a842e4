//! Several processes with one limit on cost.

use std::time::Duration;

use serde_json::Value;

use crate::label_remote::{gold, numbered, row_of};
use crate::stores::Place;
use crate::support::server::{Answer, Server};
use crate::support::workspace::{Ran, Workspace};

/// So many that no shard can be paid for as a whole.
const ROWS: usize = 1000;
const CEILING: f64 = 0.6;

#[test]
fn a_purse_without_a_limit_is_an_error() {
    let work = crate::support::workspace::Workspace::new();
    work.file("in.csv", "question,tool_call,tools\nhi,f(),f: t\n");
    work.file("tooljudge.toml", "[label]\npurse = 'p'\n");
    let label = ["label", "in.csv", "--judge", "openai:m", "--base-url", "http://127.0.0.1:9"];
    let ran = work.run(&label).ended(2);
    assert!(ran.stderr.contains("--purse shares a limit on cost, and there is none"), "{}", ran.stderr);
    work.file("tooljudge.toml", "[label]\npurse = 'p'\nmax_cost = 1.0\n");
    let ran = work.run(&[&label[..], &["--max-cost=false"]].concat()).ended(2);
    assert!(ran.stderr.contains("--purse shares a limit on cost"), "{}", ran.stderr);
}

/// Of four shards one is killed and started again. All together are billed no more than the limit, and what there is of it is used.
#[test]
fn processes_that_share_a_purse_keep_one_limit() {
    for place in Place::each("shared_purse") {
        let server = Server::start(|seen| {
            Answer::After(Duration::from_millis(20), Box::new(Answer::label(gold(row_of(seen)))))
        });
        let (work, store) = (Workspace::new(), place.given());
        work.file("in.csv", numbered(ROWS));
        work.file(
            "tooljudge.toml",
            format!(
                "[judges.fair]\njudge = 'openai:fair'\nbase_url = '{}'\nprice = {{ input = 10.0, output = 10.0 }}\n",
                server.url
            ),
        );
        let ceiling = CEILING.to_string();
        let args = |shard: usize| -> Vec<String> {
            let mut args = ["label", "in.csv", "--judge", "fair", "--max-tokens", "50", "--concurrency", "4"]
                .map(str::to_owned)
                .to_vec();
            args.extend(
                ["--max-cost", &ceiling, "--purse", "ours", "--store", &store, "--json"].map(str::to_owned),
            );
            args.extend(["--shard".into(), format!("{shard}/4"), "-o".into(), format!("{shard}.csv")]);
            args
        };
        let start = |shard: usize| {
            let args = args(shard);
            work.start(&args.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let mut runs: Vec<_> = (0..4).map(start).collect();
        server.await_requests(30);
        let killed = runs.remove(0);
        killed.kill();
        killed.wait();
        runs.push(start(0));
        let (mut each, mut judged, mut skipped) = (0.0_f64, 0, 0);
        let mut told_of_killed = false;
        for run in runs {
            let ran = Ran::from(run.output()).ended(1);
            let summary = &serde_json::from_str::<Value>(&ran.stdout).unwrap()["panel"][0]["summary"];
            // A run that came too late has neither.
            let own = summary["statuses"]["judged"].as_u64().unwrap_or(0);
            each = each.max(summary["cost_usd"].as_f64().unwrap_or(0.0) / own.max(1) as f64);
            judged += own;
            skipped += summary["statuses"]["skipped_budget"].as_u64().unwrap_or(0);
            assert!(ran.stderr.contains("reached by the runs that share the purse ours"), "{}", ran.stderr);
            told_of_killed |= ran.stderr.contains("runs that were killed had taken $0.");
        }
        // A run that found nothing left before it was known that another was dead cannot tell.
        assert!(told_of_killed);
        // All requests cost the same, or nearly so.
        let billed = each * server.requests() as f64;
        println!(
            "billed {billed:.4} of {CEILING} dollars, {judged} judged, {skipped} left out, {each:.5} each"
        );
        assert!((CEILING / 3.0..=CEILING * 1.001).contains(&billed), "{billed}");
        assert!(judged + skipped == ROWS as u64 && judged > 0 && skipped > 0);
        let stat =
            |more: &[&str]| work.run(&[&["store", "stat", "--store", &store], more].concat()).ended(0).stdout;
        let told = &serde_json::from_str::<Value>(&stat(&["--json"])).unwrap()["purses"][0];
        let (taken, spent) = (told["taken_usd"].as_f64().unwrap(), told["spent_usd"].as_f64().unwrap());
        let lost = told["lost_usd"].as_f64().unwrap();
        assert!(
            told["purse"] == "ours" && 0.0 < spent && spent <= taken && taken <= CEILING * 1.001,
            "{told}"
        );
        // Nobody is alive.
        assert!(lost > 0.0 && (taken - spent - lost).abs() < 1e-9, "{told}");
        let shown = stat(&[]);
        assert!(
            shown.contains(&format!("purse     ours: ${spent:.6} spent, ${lost:.6} counted as spent")),
            "{shown}"
        );
    }
}

/// A row that was sent, and may have been billed, is not told as one that was not.
#[test]
fn what_failed_and_cannot_be_tried_again_is_errored() {
    let server = Server::start(|_| Answer::status(500, "sorry"));
    let work = Workspace::new();
    work.file("in.csv", numbered(5));
    work.file(
        "tooljudge.toml",
        format!(
            "[judges.dear]\njudge = 'openai:dear'\nbase_url = '{}'\nprice = {{ input = 0.0, output = 1000.0 }}\n",
            server.url
        ),
    );
    let limit = ["--max-tokens", "10", "--max-cost", "0.025", "--concurrency", "1"];
    let ran =
        work.run(&[&["label", "in.csv", "--judge", "dear", "-o", "out.csv"][..], &limit].concat()).ended(1);
    let status = work.column("out.csv", "status");
    let of = |name: &str| status.iter().filter(|status| *status == name).count();
    assert_eq!(
        (of("errored"), of("skipped_budget"), server.requests()),
        (2, 3, 2),
        "{status:?} {}",
        ran.stderr
    );
    let error = work.column("out.csv", "error");
    let told =
        error.iter().filter(|error| error.contains("sorry; --max-cost leaves nothing for another attempt"));
    assert_eq!(told.count(), 2, "{error:?}");
}
