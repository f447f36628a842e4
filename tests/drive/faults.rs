//! No fault of a server becomes a score: an episode ends as if nothing had happened, or has none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::{REPLIES, drive, ended, number_of, only_ends_are_scored, rows, told, traveller, workspace};
use crate::support::server::{Answer, Manner, Seen, Server};
use crate::support::workspace::Ran;

const CASES: usize = 6;

fn raw(status: u16, body: &str) -> Answer {
    Answer::Raw { status, headers: Vec::new(), body: body.to_owned() }
}

fn whole(body: serde_json::Value) -> Answer {
    let headers = vec![("content-type", "application/json".to_owned())];
    Answer::Raw { status: 200, headers, body: body.to_string() }
}

type Trouble = fn(Answer) -> Answer;

/// What a server does in place of an answer, by name; each is over at the second try, or never.
const TROUBLES: [(&str, Trouble); 24] = [
    ("429", |_| Answer::Raw {
        status: 429,
        headers: vec![("retry-after", "0".to_owned())],
        body: "{}".to_owned(),
    }),
    ("500", |_| Answer::status(500, "sorry")),
    ("502", |_| raw(502, "<html>bad gateway</html>")),
    ("529", |_| Answer::status(529, "overloaded")),
    ("408", |_| Answer::status(408, "too slow")),
    ("reset", |_| Answer::Reset),
    ("no HTTP", |_| Answer::Bytes(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())),
    ("half, then reset", |answer| Answer::By(Manner::HalfThenReset, Box::new(answer))),
    ("half, then closed", |answer| Answer::By(Manner::HalfThenClose, Box::new(answer))),
    ("half of its length", |answer| Answer::By(Manner::HalfOfItsLength, Box::new(answer))),
    ("half of the JSON", |_| raw(200, r#"{"choices": [{"message": {"content": "In Hue."}, "finish_re"#)),
    ("HTML", |_| raw(200, "<html><body>Log in</body></html>")),
    ("nothing", |_| raw(200, "")),
    ("another shape", |_| whole(json!({"answer": "In Hue."}))),
    ("no choices", |_| whole(json!({"choices": []}))),
    ("choices of another kind", |_| whole(json!({"choices": "In Hue."}))),
    ("a list", |_| whole(json!([1, 2]))),
    ("an error under 200", |_| whole(json!({"error": {"code": 502, "message": "bad gateway"}}))),
    ("a message that is none", |_| whole(json!({"choices": [{"message": 7, "finish_reason": "stop"}]}))),
    ("an end by an error", |_| {
        whole(json!({"choices": [{"message": {"content": "In H"}, "finish_reason": "error"}]}))
    }),
    ("an end by a stop of the server", |_| {
        whole(json!({"choices": [{"message": {"content": "In H"}, "finish_reason": "abort"}]}))
    }),
    ("silence without a reason", |_| whole(json!({"choices": [{"message": {"content": null}}]}))),
    ("an error beside a choice", |_| {
        whole(
            json!({"choices": [{"message": {"content": "In H"}, "finish_reason": "stop", "error": {"code": 502}}]}),
        )
    }),
    ("a refused request", |_| Answer::status(400, "nothing I know")),
];

/// Whether asking again is of no use, whatever the server does next.
fn is_final(name: &str) -> bool {
    name == "a refused request"
}

#[test]
fn a_fault_at_any_turn_is_outlived_or_leaves_an_episode_without_a_score() {
    let well = {
        let (server, work) = (Server::start(traveller), workspace(CASES));
        work.run(&drive(&server, &[])).ended(0);
        told(&work, "episodes.jsonl")
    };
    let (next, wrong) = (std::sync::atomic::AtomicUsize::new(0), std::sync::Mutex::new(Vec::new()));
    let mut plays = Vec::new();
    for (name, trouble) in TROUBLES {
        plays.extend([0, 1, 2].map(|turn| (name, trouble, turn, false)));
        plays.extend([0, 2].map(|turn| (name, trouble, turn, true)));
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(&(name, trouble, turn, for_ever)) =
                    plays.get(next.fetch_add(1, Ordering::SeqCst))
                {
                    let played = std::panic::catch_unwind(|| play(&well, name, trouble, turn, for_ever));
                    if played.is_err() {
                        wrong.lock().unwrap().push(format!("{name} at turn {turn}, for ever: {for_ever}"));
                    }
                }
            });
        }
    });
    assert!(wrong.lock().unwrap().is_empty(), "{:#?}", wrong.lock().unwrap());
    println!("{} faults played", plays.len());
}

/// The server fails for the even cases at `turn`, once or for ever.
fn play(well: &[serde_json::Value], name: &str, trouble: Trouble, turn: usize, for_ever: bool) {
    let healed = Arc::new(AtomicBool::new(false));
    let server = Server::start({
        let healed = Arc::clone(&healed);
        move |seen| {
            let meant =
                number_of(seen).is_multiple_of(2) && seen.turns() == turn && (for_ever || seen.earlier == 0);
            if meant && !healed.load(Ordering::SeqCst) { trouble(traveller(seen)) } else { traveller(seen) }
        }
    });
    let work = workspace(CASES);
    let args = drive(&server, &["--max-attempts", "2", "--max-wait", "5", "--concurrency", "3"]);
    if !for_ever && !is_final(name) {
        let first = work.run(&args);
        let episodes = rows(&work, "episodes.jsonl");
        only_ends_are_scored(&episodes);
        // What is not sent again for its own sake is sent again by the next run.
        if first.code != Some(0) {
            assert!(ended(&episodes, "errored") > 0, "{name} at {turn}: {}", first.stderr);
            work.run(&args).ended(0);
        }
        assert_eq!(told(&work, "episodes.jsonl"), well, "{name} at {turn}");
        assert_eq!(server.answered_twice(), 0, "{name} at {turn}");
        return;
    }
    let ran = work.run(&args);
    if ran.code == Some(2) {
        // All alike: that is no episode's own fault, and no table is written.
        assert!(
            !work.path("episodes.jsonl").exists() && !work.path("episodes.jsonl.run.json").exists(),
            "{name}"
        );
    } else {
        let ran = ran.ended(1);
        let episodes = rows(&work, "episodes.jsonl");
        only_ends_are_scored(&episodes);
        assert_eq!(
            (ended(&episodes, "errored"), ended(&episodes, "finished")),
            (3, 3),
            "{name} at {turn}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains("3 of 6 episodes without a score"), "{name}: {}", ran.stderr);
        assert!(
            episodes[0]["error"].as_str().unwrap().starts_with("errored: "),
            "{name}: {}",
            episodes[0]["error"]
        );
        work.run(&[&args[..], &["--allow-unscored", "1"]].concat()).ended(0);
    }
    // By a server that is well the same command goes on, and asks only for what is missing.
    healed.store(true, Ordering::SeqCst);
    let kept = server.completions();
    work.run(&args).ended(0);
    assert_eq!(told(&work, "episodes.jsonl"), well, "{name} at {turn}, healed");
    let paid_again = server
        .completions()
        .iter()
        .filter(|(prompt, count)| kept.get(*prompt).is_some_and(|kept| kept < count))
        .count();
    assert_eq!(paid_again, 0, "{name} at {turn}");
}

#[test]
fn a_refused_key_stops_the_run_and_the_next_one_goes_on() {
    for turn in 0..REPLIES {
        let healed = Arc::new(AtomicBool::new(false));
        let server = Server::start({
            let healed = Arc::clone(&healed);
            move |seen: &Seen| match healed.load(Ordering::SeqCst) || seen.turns() < turn {
                true => traveller(seen),
                false => Answer::status(401, "Incorrect API key provided"),
            }
        });
        let work = workspace(12);
        let args = drive(&server, &["--concurrency", "2", "--turns", "turns.jsonl", "--junit", "r.xml"]);
        let ran = work.run(&args).ended(2);
        assert!(
            ran.stderr.contains("Incorrect API key") && ran.stdout.is_empty(),
            "{} {}",
            ran.stdout,
            ran.stderr
        );
        assert_eq!(work.names(), [".tooljudge", "suite.toml", "tools.json"], "turn {turn}");
        healed.store(true, Ordering::SeqCst);
        work.run(&args).ended(0);
        assert_eq!(server.answered_twice(), 0, "turn {turn}");
        let refused = server.requests() - 12 * REPLIES;
        // Nobody is sent to the same end once it is known, but those on their way.
        assert!((1..=4).contains(&refused), "turn {turn}: {refused} refused");
    }
}

#[test]
fn hangs_end_with_the_time_that_a_request_has() {
    let server = Server::start(|seen| match (number_of(seen), seen.turns()) {
        (1, 1) => Answer::Hang,
        (2, 2) => Answer::By(Manner::HalfThenHang, Box::new(traveller(seen))),
        (3, 0) => Answer::By(Manner::Endless, Box::new(traveller(seen))),
        _ => traveller(seen),
    });
    let work = workspace(4);
    let ran: Ran = work.run(&drive(&server, &["--timeout", "1", "--max-attempts", "1"])).ended(1);
    let episodes = rows(&work, "episodes.jsonl");
    only_ends_are_scored(&episodes);
    assert_eq!(
        super::column(&episodes, "ended"),
        ["finished", "errored", "errored", "errored"],
        "{}",
        ran.stderr
    );
    assert_eq!(super::column(&episodes, "steps"), [3, 1, 2, 0]);
}
