//! Limits and money end to end: the binary and the library against servers that enforce and bill.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tooljudge::domain::{AnswerForm, Prompt, Rails, Usage};
use tooljudge::judge::{
    AskError, Concurrency, CostBudget, Endpoint, Limiter, Limits, Parameters, Price, Provider, Remote,
    Settings, SetupError, Target, connect,
};

use crate::stores::Place;
use crate::support::enforcer::{Hints, Rules, Window};
use crate::support::limited_server::LimitedServer;
use crate::support::on_time::on_time;
use crate::support::server::{Answer, Server};
use crate::support::workspace::Workspace;

/// A table of `rows` questions that no other table holds.
fn rows(name: &str, rows: usize) -> String {
    let mut csv = "question,tool_call,tool_definitions\n".to_owned();
    for row in 0..rows {
        csv.push_str(&format!("Say {row} for {name} please,say(n={row}),say: Says a number\n"));
    }
    csv
}

fn quick() -> Rules {
    Rules::open(Duration::from_millis(20))
}

#[test]
fn two_runs_keep_one_limit_together() {
    const RPM: f64 = 1200.0;
    let server = LimitedServer::start(quick());
    let work = Workspace::new();
    work.file("a.csv", rows("a", 60));
    work.file("b.csv", rows("b", 60));
    let run = |input: &'static str| {
        // With few in flight, a server that was kept waiting for the processor does not see many at once afterwards.
        let limits = ["--rpm", "1200", "--concurrency", "2"];
        work.start(
            &[&["label", input, "--judge", "openai:m", "--base-url", &server.url], &limits[..]].concat(),
        )
    };
    for run in [run("a.csv"), run("b.csv")] {
        assert!(run.wait().success());
    }
    for output in ["a.labeled.csv", "b.labeled.csv"] {
        assert_eq!(work.column(output, "label"), vec!["correct"; 60]);
    }
    let truth = server.truth();
    let beyond = truth.most_requests_beyond(RPM);
    println!("{} requests of two runs, at most {beyond:.1} beyond 1,200 a minute", truth.arrivals.len());
    // A fifth of a second's worth for each, and what a busy machine bunches. Alone they would come to 30 and more.
    assert_eq!(truth.arrivals.len(), 120);
    assert!(beyond < 16.0, "{beyond}");
}

/// What two runs on one store, one of them slow, make of a limit together, in each kind of store.
#[test]
fn a_slow_run_beside_a_busy_one_wastes_nothing() {
    const RPM: f64 = 1200.0;
    for place in Place::each("slow_and_busy") {
        let server = LimitedServer::start(Rules::open(Duration::from_millis(500)));
        let (work, store) = (Workspace::new(), place.given());
        work.file("slow.csv", rows("slow", 400));
        work.file("busy.csv", rows("busy", 160));
        let run = |input: &'static str, concurrency: &'static str| {
            let limits = ["--rpm", "1200", "--concurrency", concurrency, "--store", &store];
            work.start(
                &[&["label", input, "--judge", "openai:m", "--base-url", &server.url], &limits[..]].concat(),
            )
        };
        let slow = run("slow.csv", "1");
        assert!(run("busy.csv", "64").wait().success());
        let truth = server.truth();
        slow.kill();
        slow.wait();
        let (first, last) = (truth.arrivals[0].at, truth.arrivals[truth.arrivals.len() - 1].at);
        let a_minute = 60.0 * truth.arrivals.len() as f64 / (last - first).as_secs_f64();
        let beyond = truth.most_requests_beyond(RPM);
        println!("{store}: {a_minute:.0} requests a minute of 1,200, at most {beyond:.1} beyond");
        // A tenth of a second's worth, and what a busy machine bunches.
        assert!(beyond < 16.0, "{beyond}");
    }
}

/// Of a wait that one run was told: who would wait so long keeps it, whoever has no such patience finds out on its own.
#[test]
fn a_wait_that_one_is_told_is_kept_by_all_that_have_the_patience() {
    const WAIT: Duration = Duration::from_secs(20);
    for place in Place::each("shared_wait") {
        let server = Server::start(|seen| match (seen.prompt().contains("for told"), seen.earlier) {
            (true, 0) => Answer::Raw {
                status: 429,
                headers: vec![("retry-after", WAIT.as_secs().to_string())],
                body: r#"{"error":{"message":"slow down"}}"#.into(),
            },
            _ => Answer::label("correct"),
        });
        let (work, store) = (Workspace::new(), place.given());
        let run = |name: &str, more: &[&str]| {
            work.file(&format!("{name}.csv"), rows(name, 1));
            let input = format!("{name}.csv");
            let judge =
                ["label", &input, "--judge", "openai:m", "--base-url", &server.url, "--store", &store];
            work.start(&[&judge[..], more].concat())
        };
        let told = run("told", &["--max-wait", "60"]);
        server.await_requests(1);
        // Until the store has heard of it.
        std::thread::sleep(Duration::from_secs(2));
        let others = [
            run("limited", &["--max-wait", "60", "--rpm", "600"]),
            run("patient", &["--max-wait", "60"]),
            run("hasty", &["--max-wait", "5", "--rpm", "600"]),
        ];
        for run in others.iter().chain([&told]) {
            assert!(run.wait().success());
        }
        let seen = server.seen();
        let came = |name: &str| {
            let name = format!("for {name} ");
            let mut of = seen.iter().filter(|seen| seen.prompt().contains(&name));
            of.next().unwrap().at.duration_since(seen[0].at)
        };
        println!("{store}: {:?} {:?} {:?}", came("limited"), came("patient"), came("hasty"));
        assert!(came("limited") >= WAIT && came("patient") >= WAIT);
        assert!(came("hasty") < came("limited").min(came("patient")));
    }
}

#[test]
fn a_limit_that_is_told_is_never_refused() {
    let server = LimitedServer::start(Rules { rpm: Some(3000.0), ..quick() });
    let work = Workspace::new();
    work.file("in.csv", rows("one", 150));
    let told = ["--rpm", "3000"];
    let args = ["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url];
    work.run(&[&args[..], &told].concat()).ended(0);
    assert_eq!(server.truth().refused(), 0);
}

#[test]
fn refusals_alone_lose_no_row_and_nothing_comes_early() {
    for hints in [Hints::Silent, Hints::RetryAfterMs] {
        let window = Window::Bucket { saves: 0.2 };
        // So slow that even a busy machine asks for more.
        let server = LimitedServer::start(Rules { rpm: Some(1500.0), window, hints, ..quick() });
        let work = Workspace::new();
        work.file("in.csv", rows("one", 100));
        work.run(&["label", "in.csv", "--judge", "openai:m", "--base-url", &server.url]).ended(0);
        let truth = server.truth();
        assert_eq!((truth.taken(), truth.early()), (100, 0));
        assert!(truth.refused() > 0);
    }
}

const PRICE: Price = Price { input: 0.25, cached_input: None, output: 2.0, up_to: None };
const MAX_TOKENS: u32 = 64;

fn judge(
    url: &str,
    price: Option<Price>,
    max_tokens: Option<u32>,
    cost_budget: Option<Arc<CostBudget>>,
) -> Result<Remote, SetupError> {
    let concurrency = Concurrency::Fixed(NonZeroU32::new(8).unwrap());
    let limits = Limits { concurrency, rpm: None, tpm: None, ..Limits::default() };
    let settings = Settings {
        limiter: Limiter::new(limits),
        price,
        cost_budget,
        timeout: Duration::from_secs(20),
        max_attempts: 3,
        max_wait: Duration::from_secs(20),
    };
    let target = Target {
        provider: Provider::OpenAi,
        model: "m".to_owned(),
        endpoint: Endpoint::new(url, None).unwrap(),
        parameters: Parameters { max_tokens, ..Parameters::default() },
    };
    connect(target, settings, &[])
}

fn prompt(text: String) -> Prompt {
    Prompt { text, rails: Arc::new(Rails::correctness()), form: AnswerForm::LABEL }
}

#[tokio::test]
async fn what_the_server_bills_stays_below_the_ceiling() {
    let _on_time = on_time();
    for seed in 0..6_u64 {
        let bill = Arc::new(Mutex::new(0.0));
        let billing = Arc::clone(&bill);
        let server = Server::start(move |seen| {
            let mut random = fastrand::Rng::with_seed(seed * 1000 + seen.number as u64);
            let body = seen.body.to_string().len() as u64;
            let (prompt_tokens, completion_tokens) = (random.u64(1..=body), random.u64(1..=64));
            let usage = Usage {
                prompt_tokens: Some(prompt_tokens),
                cached_tokens: None,
                completion_tokens: Some(completion_tokens),
            };
            let end = random.u32(0..10);
            if end > 1 {
                *billing.lock().unwrap() += PRICE.cost(&usage).unwrap();
            }
            let usage = json!({"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens});
            let choice = json!({"message": {"content": "{\"label\": \"correct\"}"}, "finish_reason": "stop"});
            let raw = |status, body: String| Answer::Raw { status, headers: Vec::new(), body };
            match end {
                0 => raw(400, json!({"error": {"message": "no"}}).to_string()),
                1 => Answer::Raw {
                    status: 429,
                    headers: vec![("retry-after-ms", "5".into())],
                    body: "{}".into(),
                },
                // Billed, and then something went wrong.
                2 => Answer::Cut,
                3 => raw(500, String::new()),
                4 => raw(200, "<html>".into()),
                5 => raw(200, json!({"choices": [choice]}).to_string()),
                _ => raw(200, json!({"choices": [choice], "usage": usage}).to_string()),
            }
        });
        let ceiling = 0.004;
        let cost_budget = CostBudget::new(ceiling);
        let judge = Arc::new(
            judge(&server.url, Some(PRICE), Some(MAX_TOKENS), Some(Arc::clone(&cost_budget))).unwrap(),
        );
        let mut tasks = tokio::task::JoinSet::new();
        for row in 0..200_usize {
            let judge = Arc::clone(&judge);
            let text = format!("{row} {}", "word ".repeat(row * 7 % 90));
            tasks.spawn(async move {
                judge.ask(&prompt(text), &CancellationToken::new()).await.map(|asked| asked.reply)
            });
        }
        let (mut left_out, mut paid) = (0, 0.0);
        while let Some(asked) = tasks.join_next().await {
            match asked.unwrap() {
                Ok(reply) => paid += reply.cost_usd.unwrap_or(0.0),
                Err(AskError::Ceiling) => left_out += 1,
                Err(AskError::Question { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        let (bill, spent) = (*bill.lock().unwrap(), cost_budget.spent());
        println!("billed {bill:.6}, booked {spent:.6} of {ceiling} dollars, {left_out} of 200 rows left out");
        assert!(paid <= bill + 1e-12 && bill <= spent + 1e-12 && spent <= ceiling, "{paid} {bill} {spent}");
        // Each request may cost half a thousandth of a dollar; less than that is left.
        assert!(left_out > 0 && ceiling - spent < 0.0006, "{spent}");
    }
}

#[tokio::test]
async fn a_ceiling_that_cannot_hold_is_refused() {
    let _on_time = on_time();
    let cost_budget = || Some(CostBudget::new(1.0));
    let error =
        |price, max_tokens| judge("http://localhost", price, max_tokens, cost_budget()).err().unwrap();
    assert!(error(None, Some(64)).to_string().contains("tooljudge.toml"));
    assert!(error(Some(PRICE), None).to_string().contains("--max-tokens"));
    assert!(judge("http://localhost", None, None, None).is_ok());

    // An endpoint that takes no length limit after all.
    let server = Server::start(|seen| match seen.body.get("max_tokens") {
        Some(_) => Answer::status(400, "max_tokens is not supported"),
        None => Answer::label("correct"),
    });
    let judge = judge(&server.url, Some(PRICE), Some(MAX_TOKENS), cost_budget()).unwrap();
    match judge.ask(&prompt("q".into()), &CancellationToken::new()).await {
        Err(AskError::Run { message, .. }) => assert!(message.contains("--max-cost"), "{message}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn what_a_reply_cost_is_kept_where_it_is_known() {
    let _on_time = on_time();
    let server = Server::start(|_| Answer::label("correct"));
    let ask = |price| {
        let judge = judge(&server.url, price, None, None).unwrap();
        async move {
            judge.ask(&prompt("x".repeat(4000)), &CancellationToken::new()).await.unwrap().reply.cost_usd
        }
    };
    assert_eq!(ask(None).await, None);
    assert_eq!(ask(Some(PRICE)).await, Some((1000.0 * 0.25 + 5.0 * 2.0) / 1e6));
}
