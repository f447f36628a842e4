//! `bench`: figures of judges whose errors are known, and everything that comes out.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use crate::support::server::{Answer, Seen, Server};
use crate::support::workspace::{Ran, Workspace, repository, shown};

/// Kinds of rows, with how often the scripted judge recognises them for what they are.
const KINDS: [(&str, f64); 4] = [("", 0.9), ("wrong_tool", 0.95), ("enum_swap", 0.6), ("number_sign", 0.2)];

/// `count` rows of each kind, several to a question.
fn rows(count: usize) -> String {
    let mut csv = "id,question_id,question,tool_call,tool_definitions,gold,error_type\n".to_owned();
    for row in 0..count * KINDS.len() {
        let kind = KINDS[row % KINDS.len()].0;
        let gold = if kind.is_empty() { "correct" } else { "incorrect" };
        let question = row / (2 * KINDS.len());
        writeln!(csv, "r{row},q{question},Row {row} of {kind}.,f(a={row}),,{gold},{kind}").unwrap();
    }
    csv
}

/// The number of the row that is asked about.
pub fn number(seen: &Seen) -> usize {
    let after = seen.prompt().split("Row ").nth(1).unwrap();
    after.split(' ').next().unwrap().parse().unwrap()
}

/// A number from 0 to 1 that goes with a row.
pub fn chance(salt: u64, row: usize, time: usize) -> f64 {
    let hash = blake3::hash(format!("{salt} {row} {time}").as_bytes());
    f64::from(u32::from_le_bytes(hash.as_bytes()[..4].try_into().unwrap())) / f64::from(u32::MAX)
}

/// A judge that errs as [`KINDS`] says.
fn erring(salt: u64) -> Server {
    Server::start(move |seen| {
        let row = number(seen);
        let (kind, recognised) = KINDS[row % KINDS.len()];
        let right = kind.is_empty() == (chance(salt, row, 0) < recognised);
        let sure = 0.6 + 0.4 * chance(salt, row, 1);
        let (label, other) = if right { ("correct", "incorrect") } else { ("incorrect", "correct") };
        Answer::Sure(vec![(label, sure), (other, 1.0 - sure)])
    })
}

const MODEL: [&str; 4] = ["--judge", "openai:m", "--base-url", "URL"];

/// `tooljudge bench in.csv` with a model at `server`.
fn bench(work: &Workspace, server: &Server, more: &[&str]) -> Ran {
    let model = MODEL.map(|flag| if flag == "URL" { server.url.as_str() } else { flag });
    work.run(&[&["bench", "in.csv"][..], &model, more].concat())
}

fn json(work: &Workspace, name: &str) -> Value {
    serde_json::from_str(&work.read(name)).unwrap()
}

/// The slice of the first judge with that value of `by`.
fn slice<'a>(record: &'a Value, by: &str, value: &str) -> &'a Value {
    let slices = record["entrants"][0]["slices"].as_array().unwrap();
    slices.iter().find(|slice| slice["by"] == by && slice["value"] == value).unwrap()
}

#[test]
fn known_error_rates_are_recovered() {
    let (mut held, mut all) = (0, 0);
    for salt in 0..3 {
        let (server, work) = (erring(salt), Workspace::new());
        work.file("in.csv", rows(300));
        bench(&work, &server, &["--report", "bench.json"]).ended(0);
        let record = json(&work, "bench.json");
        assert_eq!(record["entrants"][0]["judge"], "openai:m");
        let mut figures = vec![(&record["entrants"][0]["overall"]["figures"]["recall_correct"], KINDS[0].1)];
        for (kind, recognised) in &KINDS[1..] {
            let slice = slice(&record, "error_type", kind);
            assert_eq!(slice["rows"], 300);
            figures.push((&slice["figures"]["recall_incorrect"], *recognised));
        }
        for (figure, truth) in figures {
            let [value, low, high] = ["value", "low", "high"].map(|key| figure[key].as_f64().unwrap());
            assert!(low <= value && value <= high && high - low < 0.15, "{figure}");
            all += 1;
            held += usize::from(low <= truth && truth <= high);
        }
    }
    // Of twelve intervals of 95 %, three or more miss less than twice in a hundred times.
    assert!(held >= all - 2, "{held} of {all}");
}

#[test]
fn what_people_see() {
    let (server, work) = (erring(1), Workspace::new());
    work.file("in.csv", rows(60));
    let reports = ["--report", "r.md", "--report", "r.html", "--report", "r.json", "-o", "rows.parquet"];
    let ran = bench(&work, &server, &reports).ended(0);
    shown("bench_of_a_model", &ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100));
    shown("bench_as_markdown", &work.read("r.md"));
    let page = work.read("r.html");
    assert!(page.contains("Row 7 of number_sign."), "disagreements are there to be read");
    let record = json(&work, "r.json");
    assert_eq!(record["rows"]["benched"], 240);
    assert_eq!(record["cluster"], "question_id");
    assert!(record["entrants"][0]["calibration"]["ece"]["value"].as_f64().unwrap() > 0.0);
    assert!(record["entrants"][1]["baseline"].as_bool().unwrap());

    // Again: nobody is asked, and reports of ours may be replaced, while others may not.
    let asked = server.requests();
    bench(&work, &server, &reports).ended(0);
    assert_eq!(server.requests(), asked);
    work.file("r.md", "# My notes\n");
    let refused = bench(&work, &server, &reports).ended(2);
    assert!(refused.stderr.contains("r.md") && refused.stderr.contains("--force"), "{}", refused.stderr);
}

#[test]
fn rows_without_a_label_count_apart() {
    let server = Server::start(|seen| match number(seen) {
        row if row % 10 == 3 => Answer::Text("I would rather not say.".to_owned()),
        row if row.is_multiple_of(KINDS.len()) => Answer::label("correct"),
        _ => Answer::label("incorrect"),
    });
    let work = Workspace::new();
    work.file("in.csv", rows(50));
    let ran = bench(&work, &server, &["--report", "b.json", "--allow-unjudged", "0.05"]).ended(1);
    assert!(ran.stderr.contains("20 of 200 rows have no label"), "{}", ran.stderr);
    let judge = &json(&work, "b.json")["entrants"][0];
    assert_eq!(judge["overall"]["confusion"]["unjudged_negative"], 20);
    assert_eq!(judge["overall"]["figures"]["accuracy"]["value"], 1.0);
    let bounds = &judge["overall"]["bounds"]["accuracy"];
    assert_eq!((bounds[0].as_f64(), bounds[1].as_f64()), (Some(0.9), Some(1.0)));
    assert_eq!(judge["statuses"]["unparseable"], 20);
}

#[test]
fn asking_again_shows_who_wavers() {
    // One row in five gets another answer every other time.
    let server = Server::start(|seen| {
        let row = number(seen);
        let wavers = chance(0, row, 0) < 0.2 && seen.earlier % 2 == 1;
        Answer::label(if row.is_multiple_of(KINDS.len()) == wavers { "incorrect" } else { "correct" })
    });
    let work = Workspace::new();
    work.file("in.csv", rows(100));
    let repeat = ["--repeat", "4", "--report", "b.json", "-o", "o.csv", "--concurrency", "1"];
    let ran = bench(&work, &server, &repeat).ended(0);
    assert!(ran.stdout.contains("asked 4 times"), "{}", ran.stdout);
    assert_eq!(server.requests(), 4 * 400);
    let judge = &json(&work, "b.json")["entrants"][0];
    assert_eq!(judge["repeats"], 4);
    assert_eq!(judge["overall"]["rows"], 400);
    // Two of four answers differ on a row that wavers: 2/3 of its pairs.
    let flips = &judge["consistency"]["flip_rate"];
    let [low, high] = ["low", "high"].map(|key| flips[key].as_f64().unwrap());
    let expected = 0.2 * 2.0 / 3.0;
    assert!((low..=high).contains(&expected) && high < 0.25, "{flips}");
    let names = ["label", "r2_label", "r3_label", "r4_label"];
    let wavering =
        work.rows("o.csv").iter().filter(|row| names.iter().any(|name| row[*name] != row["label"])).count();
    assert!((50..110).contains(&wavering), "{wavering}");
    bench(&work, &server, &repeat).ended(0);
    assert_eq!(server.requests(), 4 * 400, "every repetition is an answer of its own, and kept");
}

#[test]
fn gates() {
    let (server, work) = (erring(2), Workspace::new());
    work.file("in.csv", rows(100));
    bench(&work, &server, &["--min-kappa", "0.2", "--min-auc", "0.5", "-q"]).ended(0);
    let ran = bench(&work, &server, &["--min-kappa", "0.9", "-q"]).ended(1);
    assert!(ran.stderr.contains("openai:m (tool_calling): the kappa is 0."), "{}", ran.stderr);
    let low = bench(&work, &server, &["--min-accuracy", "0.6", "--gate-on", "low", "-q"]);
    let value = bench(&work, &server, &["--min-accuracy", "0.6", "-q"]);
    assert_eq!((value.code, low.code), (Some(0), Some(1)), "{}", low.stderr);
    // Passing everything is no merit.
    let nodding = Server::start(|_| Answer::label("correct"));
    let work = Workspace::new();
    work.file("in.csv", rows(20));
    bench(&work, &nodding, &["--min-f1", "0.1", "-q"]).ended(1);
}

#[test]
fn equal_rows_count_once_if_asked() {
    let (server, work) = (erring(0), Workspace::new());
    let once = rows(10);
    let again: String = once.lines().skip(1).map(|line| format!("copy-{line}\n")).collect();
    work.file("in.csv", format!("{once}{again}"));
    for (flag, benched) in [(None, 80), (Some("--dedup"), 40), (Some("--dedup=question"), 40)] {
        let flags: Vec<&str> = flag.into_iter().chain(["--report", "b.json", "-q"]).collect();
        bench(&work, &server, &flags).ended(0);
        assert_eq!(json(&work, "b.json")["rows"]["benched"], benched, "{flag:?}");
    }
    assert_eq!(server.requests(), 40, "equal rows are asked once anyway");
}

#[test]
fn a_row_that_stands_for_several_counts_in_the_slices_of_all() {
    let work = Workspace::new();
    // Both models made the calls 0 to 9; the second made ten more. Of call 0 the gold says opposite things, of call 9 the first row has none.
    let mut csv = "model,question,tool_call,gold\n".to_owned();
    for (model, call) in (0..10).map(|call| ("a", call)).chain((0..20).map(|call| ("b", call))) {
        let gold = match (model, call) {
            ("a", 0) => "incorrect",
            ("a", 9) => "",
            _ if call < 15 => "correct",
            _ => "incorrect",
        };
        writeln!(csv, "{model},Row {call} of it.,f(a={call}),{gold}").unwrap();
    }
    work.file("in.csv", csv);
    let server = Server::start(|seen| Answer::label(if number(seen) < 15 { "correct" } else { "incorrect" }));
    let ran = bench(&work, &server, &["--dedup", "--report", "b.json", "--no-baselines"]).ended(0);
    assert!(ran.stderr.contains("1 calls have duplicate rows with opposite gold"), "{}", ran.stderr);
    let record = json(&work, "b.json");
    let count = |name: &str| record["rows"][name].as_u64().unwrap();
    assert_eq!(["benched", "duplicates", "disputed_gold"].map(count), [19, 9, 1]);
    assert_eq!(["correct", "incorrect"].map(count), [14, 5]);
    let rows = ["a", "b"].map(|model| slice(&record, "model", model)["rows"].as_u64().unwrap());
    // A row without gold stands for nothing; call 0 counts for neither.
    assert_eq!(rows, [8, 19]);
}

#[test]
fn wrong_gold_is_found_and_corrected() {
    let work = Workspace::new();
    let mut csv = rows(100);
    // The gold of every twentieth row is turned around.
    let wrong: Vec<String> = (0..400).step_by(20).map(|row| format!("r{row}")).collect();
    csv = csv
        .lines()
        .map(|line| match wrong.iter().any(|id| line.starts_with(&format!("{id},"))) {
            true => line.replace(",correct,", ",incorrect,") + "\n",
            false => format!("{line}\n"),
        })
        .collect();
    work.file("in.csv", csv);
    let server = Server::start(|seen| {
        let row = number(seen);
        let right = row.is_multiple_of(KINDS.len()) == (chance(5, row, 0) < 0.9);
        Answer::Sure(if right {
            vec![("correct", 0.95), ("incorrect", 0.05)]
        } else {
            vec![("incorrect", 0.9), ("correct", 0.1)]
        })
    });
    bench(&work, &server, &["--audit", "doubts.csv", "--report", "before.json", "-q"]).ended(0);
    let doubts = work.rows("doubts.csv");
    let found = doubts.iter().filter(|row| wrong.contains(&row["id"])).count();
    assert!(found >= 15, "{found} of {} are in the {} doubtful rows", wrong.len(), doubts.len());
    assert!(doubts.iter().all(|row| row["gold"] != row["was"] && row["voices"].contains("openai:m")));

    // A reader keeps those that are wrong; the file corrects the gold as it is.
    let kept: String = std::iter::once("id,gold\n".to_owned())
        .chain(wrong.iter().map(|id| format!("{id},correct\n")))
        .chain(["r1,\n".to_owned(), "gone,correct\n".to_owned()])
        .collect();
    work.file("errata.csv", kept);
    let ran = bench(&work, &server, &["--errata", "errata.csv", "--report", "after.json", "-q"]).ended(0);
    assert!(ran.stderr.contains("1 corrections in --errata"), "{}", ran.stderr);
    assert!(ran.stderr.contains("rows that do not exist, such as `"), "{}", ran.stderr);
    let accuracy = |name: &str| {
        json(&work, name)["entrants"][0]["overall"]["figures"]["accuracy"]["value"].as_f64().unwrap()
    };
    assert!(accuracy("after.json") > accuracy("before.json") + 0.03);
    let rows = &json(&work, "after.json")["rows"];
    assert_eq!((rows["errata"].as_u64(), rows["benched"].as_u64()), (Some(21), Some(399)));
}

#[test]
fn each_task_has_a_gold_of_its_own() {
    let work = Workspace::new();
    work.file(
        "in.csv",
        "id,question,tool_call,tool_definitions,gold,selection_label,params_label\n\
         a,Row 0 of x.,f(),,correct,correct,correct\nb,Row 1 of x.,g(),,incorrect,incorrect,\nc,Row 2 of x.,f(a=1),,incorrect,correct,incorrect\n",
    );
    let server = Server::start(|_| Answer::label("correct"));
    let tasks = ["--task", "tool_calling", "--task", "tool_selection", "--task", "parameter_extraction"];
    bench(&work, &server, &[&tasks[..], &["--report", "b.json", "-q"]].concat()).ended(0);
    let record = json(&work, "b.json");
    let counts: HashMap<String, (u64, u64)> = record["entrants"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|judge| judge["baseline"] == false)
        .map(|judge| {
            let counts = &judge["overall"]["confusion"];
            let of = |name: &str| counts[name].as_u64().unwrap();
            (judge["gold"].as_str().unwrap().to_owned(), (of("true_positive"), of("false_positive")))
        })
        .collect();
    assert_eq!(counts["gold"], (1, 2));
    assert_eq!(counts["selection_label"], (2, 1));
    assert_eq!(counts["params_label"], (1, 1));
    // A run that was to write no table is finished without one.
    let stat = work.run(&["store", "stat", "--json"]).ended(0).stdout;
    let stat: Value = serde_json::from_str(&stat).unwrap();
    assert_eq!((&stat["runs"], &stat["unfinished"]), (&1.into(), &0.into()));
}

#[test]
fn what_is_wrong_with_gold_is_said() {
    let work = Workspace::new();
    work.file("in.csv", "question,tool_call,tool_definitions,label_by_hand\nq,f(),,maybe\nq,f(),,correct\n");
    let ended =
        |args: &[&str], code: i32| work.run(&[&["bench", "in.csv"], args].concat()).ended(code).stderr;
    let none = ended(&[], 2);
    assert!(none.contains("--gold COLUMN") && none.contains("`label_by_hand`"), "{none}");
    let unknown = ended(&["--gold", "gould"], 2);
    assert!(unknown.contains("no column `gould`"), "{unknown}");
    let judged = ["--allow-unjudged", "1"];
    let strange = ended(&[&["--gold", "label_by_hand"][..], &judged].concat(), 0);
    assert!(
        strange.contains("`label_by_hand`, row 1 has `maybe`") && strange.contains("same gold"),
        "{strange}"
    );
    let unjudged = ended(&["--gold", "label_by_hand"], 1);
    assert!(unjudged.contains("1 of 1 row has no label"), "{unjudged}");
    let audit = ended(&["--gold", "label_by_hand", "--audit", "a.csv"], 2);
    assert!(audit.contains("--id"), "{audit}");
    let errata = ended(&["--gold", "label_by_hand", "--errata", "e.csv"], 2);
    assert!(errata.contains("--id"), "{errata}");
    ended(&[&["--gold", "label_by_hand", "--report", "figures.csv"][..], &judged].concat(), 0);
    let figures = work.rows("figures.csv");
    assert!(figures.iter().any(|row| row["figure"] == "recall_correct"
        && row["judge"] == "all_correct"
        && row["value"] == "1.0"));
    let report = ended(&["--gold", "label_by_hand", "--report", "r.pdf"], 2);
    assert!(report.contains(".html, .md or .json"), "{report}");
    work.file("in.csv", "question,tool_call,tool_definitions,gold\nq,f(),,\n");
    let empty = ended(&[], 2);
    assert!(empty.contains("empty in all of 1 row"), "{empty}");
    work.file("in.csv", "question,tool_call,tool_definitions,gold\nq,f(),,fine\nq,f(),,awful\n");
    let words = ended(&[], 2);
    assert!(words.contains("`fine`") && words.contains("`correct` or `incorrect`"), "{words}");
}

#[test]
fn nothing_is_written_over_what_is_read_or_written() {
    let (server, work) = (erring(0), Workspace::new());
    let rows = rows(5);
    work.file("in.csv", &rows);
    work.file("notes.md", "Notes about tooljudge, precious.\n");
    for (flags, words) in [
        (&["--report", "in.csv", "--force"][..], "in.csv"),
        (&["--report", "notes.md"], "--force"),
        (&["-o", "a.csv", "--report", "a.csv"], "written twice"),
        (&["--audit", "a.csv", "--report", "./a.csv"], "written twice"),
        (&["--errata", "in.csv", "--audit", "in.csv", "--force"], "in.csv"),
    ] {
        let ran = bench(&work, &server, flags).ended(2);
        assert!(ran.stderr.contains(words), "{flags:?}: {}", ran.stderr);
    }
    assert_eq!(server.requests(), 0, "all of that is told before anybody is asked");
    assert_eq!(work.read("in.csv"), rows);
}

#[test]
fn rails_of_ones_own_are_held_against_gold_of_ones_own() {
    let work = Workspace::new();
    let yes_and_no = rows(40).replace(",correct,", ",Yes,").replace(",incorrect,", ",No,");
    work.file("in.csv", yes_and_no);
    work.file("plain.txt", "Is this right?\n{question}\n{tool_call}\n");
    let asked = ["--template", "plain.txt", "--rails", "yes,no"];
    for (skill, name) in [(0.7, "a"), (0.95, "b")] {
        let server = Server::start(move |seen| {
            let right = number(seen).is_multiple_of(KINDS.len()) == (chance(3, number(seen), 0) < skill);
            Answer::label(if right { "yes" } else { "no" })
        });
        let (labelled, record) = (format!("{name}.csv"), format!("{name}.json"));
        bench(&work, &server, &[&asked[..], &["-o", &labelled, "--report", &record, "-q"]].concat()).ended(0);
        let counts = &json(&work, &record)["rows"];
        assert_eq!((counts["correct"].as_u64(), counts["incorrect"].as_u64()), (Some(40), Some(120)));
    }
    let ran = work.run(&["compare", "a.csv", "b.csv", "--positive", "yes", "--json"]).ended(0);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let of = |name: &str| json(&work, name)["entrants"][0]["overall"]["figures"]["accuracy"]["value"].clone();
    let accuracy = &found["comparisons"][0]["differences"][0];
    assert_eq!((&accuracy["a"], &accuracy["b"]), (&of("a.json"), &of("b.json")));
    assert_eq!(found["comparisons"][0]["verdict"], "better");
    let untold = work.run(&["compare", "a.csv", "b.csv"]).ended(2);
    assert!(
        untold.stderr.contains("row 1 has `Yes`") && untold.stderr.contains("--positive"),
        "{}",
        untold.stderr
    );
}

#[test]
fn comparisons_know_tasks_questions_and_repetitions() {
    let work = Workspace::new();
    let csv: String = rows(40)
        .lines()
        .map(|line| {
            let params = if line.starts_with("id,") {
                "params_label"
            } else if line.ends_with(',') {
                "correct"
            } else {
                "incorrect"
            };
            format!("{line},{params}\n").replace("question_id", "group")
        })
        .collect();
    work.file("in.csv", csv);
    let tasks = ["--task", "parameter_extraction", "--task", "tool_calling"];
    for salt in [0, 1] {
        let (server, labelled) = (erring(salt), format!("{salt}.csv"));
        bench(&work, &server, &[&tasks[..], &["--repeat", "2", "-o", &labelled, "-q"]].concat()).ended(0);
    }
    let ran = work.run(&["compare", "0.csv", "1.csv", "--json"]).ended(0);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["gold"], "params_label");
    assert_eq!(found["judges"].as_array().unwrap().len(), 2, "{}", found["judges"]);
    assert_eq!(ran.stderr.matches("left out").count(), 2, "{}", ran.stderr);
    // Without a column that says so, a question's rows belong together: here each has its own.
    assert_eq!(found["comparisons"][0]["clusters"], 160);
    let grouped = work.run(&["compare", "0.csv", "1.csv", "--json", "--cluster", "group"]).ended(0);
    let grouped: Value = serde_json::from_str(&grouped.stdout).unwrap();
    assert_eq!(grouped["comparisons"][0]["clusters"], 20);
    work.file("other.csv", work.read("1.csv").replace("\nr", "\nx"));
    let strangers = work.run(&["compare", "0.csv", "other.csv"]).ended(2);
    assert!(strangers.stderr.contains("same rows"), "{}", strangers.stderr);
}

#[test]
fn the_shipped_benchmark_runs_from_the_start() {
    let work = Workspace::new();
    let data = repository("datasets/benchmark.jsonl").display().to_string();
    let tasks = ["--task", "tool_calling", "--task", "tool_selection", "--task", "parameter_extraction"];
    let ran = work.run(&[&["bench", &data, "--report", "b.json"][..], &tasks].concat()).ended(0);
    assert!(ran.stdout.contains("missing_required"));
    for judge in json(&work, "b.json")["entrants"].as_array().unwrap() {
        let figure = judge["overall"]["figures"]["balanced_accuracy"]["value"].as_f64().unwrap();
        match judge["judge"].as_str().unwrap() {
            "all_correct" => assert_eq!(figure, 0.5),
            "schema_only" => assert!(figure >= 0.5),
            _ => assert!(figure > 0.55, "{figure}"),
        }
    }
}

#[test]
fn accepted_values_have_a_voice_whatever_the_shape_of_definitions() {
    let work = Workspace::new();
    let tools = r#"[{"type":"function","function":{"name":"book","description":"Books a table.","parameters":{"type":"object","properties":{"place":{"type":"string"},"guests":{"type":"integer"}},"required":["place","guests"]}}}]"#;
    let row = |at: usize| {
        format!(
            r#"{{"id":"r{at}","question":"A table for {guests} at Marta{at}, please","tool_call":[{{"name":"book","arguments":{{"place":"Marta{at}","guests":{guests}}}}}],"tool_definitions":{tools}}}"#,
            guests = at + 2
        )
    };
    work.file("own.jsonl", (0..12).map(row).collect::<Vec<_>>().join("\n"));
    work.run(&["gold", "own.jsonl", "-o", "gold.jsonl", "-q"]).ended(0);
    // Two wrong calls pass for right ones.
    let mut turned = 0;
    let gold: String = work
        .read("gold.jsonl")
        .lines()
        .map(|line| match line.contains(r#""error_type":"missing_required""#) && turned < 2 {
            true => {
                turned += 1;
                line.replace(r#""gold":"incorrect""#, r#""gold":"correct""#) + "\n"
            }
            false => format!("{line}\n"),
        })
        .collect();
    assert_eq!(turned, 2);
    work.file("gold.jsonl", gold);
    work.run(&["bench", "gold.jsonl", "--audit", "doubts.csv", "-q"]).ended(0);
    let doubts = work.rows("doubts.csv");
    assert!(doubts.len() >= 2, "{doubts:?}");
    for doubt in &doubts[..2] {
        assert!(doubt["id"].contains("missing_required") && doubt["was"] == "correct", "{doubt:?}");
        assert!(doubt["voices"].contains("accepted values +"), "{doubt:?}");
    }
}

#[test]
fn rows_that_share_a_column_only_keep_the_gold_of_the_first() {
    let work = Workspace::new();
    let mut csv = "group,question,tool_call,gold\n".to_owned();
    for group in 0..6 {
        for (value, gold) in [(1, "correct"), (2, "incorrect")] {
            writeln!(csv, "{group},Row {group} of it.,f(a={value}),{gold}").unwrap();
        }
    }
    work.file("in.csv", csv);
    let server = Server::start(|_| Answer::label("correct"));
    let ran = bench(&work, &server, &["--dedup=group", "--report", "b.json"]).ended(0);
    let rows = &json(&work, "b.json")["rows"];
    assert_eq!((&rows["benched"], &rows["disputed_gold"]), (&6.into(), &0.into()), "{}", ran.stderr);
}

/// Grades of gold are kept: a near miss counts for more than a far one, which folding to right and wrong could not tell.
#[test]
fn grades_are_held_against_graded_gold() {
    const GRADES: [&str; 5] = ["wrong", "mostly_wrong", "mixed", "mostly_right", "all_right"];
    let server = Server::start(|seen| {
        // One grade too high in every third row.
        let row = number(seen);
        Answer::label(GRADES[(row % 5 + usize::from(row.is_multiple_of(3))).min(4)])
    });
    let work = Workspace::new();
    let table = |gold: fn(usize) -> String| {
        let mut csv = "id,question,tool_call,tool_definitions,gold\n".to_owned();
        for row in 0..30 {
            writeln!(csv, "r{row},Row {row} of it.,f(a={row}),f,{}", gold(row)).unwrap();
        }
        csv
    };
    work.file(
        "graded.csv",
        table(|row| if row == 29 { "correct".to_owned() } else { GRADES[row % 5].to_owned() }),
    );
    work.file("folded.csv", table(|row| if row % 5 >= 2 { "correct" } else { "incorrect" }.to_owned()));
    let run = |table: &str| {
        let base =
            ["bench", table, "--judge", "openai:m", "--base-url", &server.url, "--task", "tool_selection"];
        let rest = [
            "--scale", "five", "--report", "b.json", "--report", "b.md", "--report", "b.html", "--report",
            "b.csv",
        ];
        let ran = work.run(&[&base[..], &rest[..], &["--no-baselines"]].concat()).ended(0);
        let record: Value = serde_json::from_str(&work.read("b.json")).unwrap();
        (ran.stdout, record["entrants"][0].clone())
    };
    let (shown, judge) = run("graded.csv");
    let pairs: Vec<(f64, f64)> = (0..29)
        .map(|row: usize| ((row % 5) as f64, (row % 5 + usize::from(row.is_multiple_of(3))).min(4) as f64))
        .collect();
    let distance: f64 = pairs.iter().map(|(gold, label)| (gold - label).powi(2)).sum();
    let by_chance: f64 = pairs
        .iter()
        .flat_map(|(gold, _)| pairs.iter().map(move |(_, label)| (gold - label).powi(2) / 29.0))
        .sum();
    let kappa = &judge["grades"]["weighted_kappa"];
    assert!((kappa["value"].as_f64().unwrap() - (1.0 - distance / by_chance)).abs() < 1e-12, "{kappa}");
    assert_eq!(judge["overall"]["figures"]["weighted_kappa"], *kappa);
    assert_eq!(
        (&judge["grades"]["rows"], &judge["grades"]["without_grade"], &judge["grades"]["undefined"]),
        (&Value::from(29), &Value::from(1), &Value::Null)
    );
    let in_one_line = |shown: &str| shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = in_one_line(&shown);
    assert!(shown.contains("5 grades: weighted kappa 0.9"), "{shown}");
    assert!(shown.contains("over 29 labels; left out: 1 label with a gold that is not a grade"), "{shown}");
    assert!(work.read("b.md").contains("| weighted kappa | 0.9"));
    assert!(work.read("b.csv").contains("weighted_kappa,0.9"));
    let (shown, judge) = run("folded.csv");
    assert_eq!(judge["grades"]["weighted_kappa"], Value::Null);
    assert_eq!(judge["overall"]["figures"].get("weighted_kappa"), None);
    let why = "no row has both a label and a grade as gold";
    assert_eq!(judge["grades"]["undefined"], why);
    assert!(in_one_line(&shown).contains(why), "{shown}");
}
