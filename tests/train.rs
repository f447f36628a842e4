//! `train`: models out of labelled rows, and every command that judges with them.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::support::workspace::{Workspace, repository};

/// By what the rows of a table are labelled.
#[derive(Clone, Copy, PartialEq)]
pub enum Gold {
    /// Units must always be given, which no definition says.
    HouseRule,
    /// A coin.
    Chance,
    /// All alike.
    Right,
}

/// Numbers below `below` that look like chance.
fn draw(at: usize, salt: usize, below: usize) -> usize {
    let mixed = (at * 0x9e37 + salt * 0x85eb + 0x1b56).wrapping_mul(0x2545_f491);
    (mixed ^ (mixed >> 15)) / 7 % below
}

/// `count` rows, two to a question, with seven sets of tools.
pub fn table(count: usize, gold: Gold) -> String {
    let things = ["table", "hotel", "taxi", "parcel", "bike", "route", "piano"];
    let cities = ["Oslo", "Lima", "Cairo", "Rome", "Kyoto", "Porto", "Quito", "Bergen"];
    let mut rows = String::new();
    for row in 0..count {
        let question = row / 2;
        let (thing, city) = (things[question % 7], cities[draw(row, 1, 8)]);
        let (is_wrong, has_units) = (draw(row, 2, 5) == 0, draw(row, 3, 5) < 3);
        let named = if is_wrong { "Leiden" } else { city };
        let mut arguments = json!({"city": named, "count": question % 8 + 2});
        if has_units {
            arguments["units"] = json!("metric");
        }
        let properties = json!({
            "city": {"type": "string", "description": "City"},
            "count": {"type": "integer", "description": "How many"},
            "units": {"type": "string", "enum": ["metric", "imperial"], "description": "System of units"},
        });
        let tool = json!({
            "name": format!("order_{thing}"), "description": format!("Orders a {thing} in a city"),
            "parameters": {"type": "object", "properties": properties, "required": ["city"]},
        });
        let right = match gold {
            Gold::HouseRule => has_units && !is_wrong,
            Gold::Chance => draw(row, 4, 2) == 0,
            Gold::Right => true,
        };
        let row = json!({
            "id": format!("r{row}"), "question_id": format!("q{question}"),
            "question": format!("Please order {} {thing}s in {city}.", question % 8 + 2),
            "tool_call": [{"name": format!("order_{thing}"), "arguments": arguments}],
            "tool_definitions": [tool], "gold": if right { "correct" } else { "incorrect" },
            "error_type": if is_wrong { "other_city" } else if has_units { "none" } else { "no_units" },
        });
        writeln!(rows, "{row}").unwrap();
    }
    rows
}

/// A workspace with a model that was trained to the house rule.
fn trained() -> Workspace {
    let work = Workspace::new();
    work.file("house.jsonl", table(360, Gold::HouseRule));
    work.run(&["train", "house.jsonl", "-o", "mine.model"]).ended(0);
    work
}

#[test]
fn a_rule_of_the_house_is_learned_and_used_everywhere() {
    let work = trained();
    let always = ["--decide", "always"];
    let label = ["label", "house.jsonl", "--judge", "builtin:mine.model", "-o", "out.csv"];
    work.run(&[&label[..], &always].concat()).ended(0);
    let rows = work.rows("out.csv");
    let agree = rows.iter().filter(|row| row["label"] == row["gold"]).count();
    assert!(agree * 10 >= rows.len() * 9, "{agree} of {}", rows.len());
    assert!(rows.iter().all(|row| row["judge"] == "builtin:mine"));
    // By evidence both labels are given too, whatever share of calls is right otherwise.
    work.run(&[&label[..4], &["-o", "sure.csv"]].concat()).ended(0);
    for gold in ["correct", "incorrect"] {
        let sure = work.rows("sure.csv").into_iter().filter(|row| row["label"] == gold);
        let (held, wrong): (Vec<_>, Vec<_>) = sure.partition(|row| row["gold"] == gold);
        assert!(held.len() > 50 && wrong.len() * 20 <= held.len(), "{gold}: {} {}", held.len(), wrong.len());
    }
    let overruled = rows.iter().find(|row| row["error_type"] == "no_units" && row["label"] == "incorrect");
    let why = &overruled.unwrap()["explanation"];
    assert!(why.contains("trained"), "{why}");
    // What tells the model is in the manifest.
    let manifest: Value = serde_json::from_str(&work.read("out.csv.run.json")).unwrap();
    let checksum = manifest["panel"][0]["judge"]["parameters"]["model"].as_str().unwrap().to_owned();
    assert!(work.read("mine.model").contains(&checksum));
    // Beside the judge as shipped, with confidences for the share of right calls that there is.
    let both =
        ["bench", "house.jsonl", "--judge", "builtin", "--judge", "builtin:mine.model", "--report", "b.json"];
    work.run(&[&both[..], &always].concat()).ended(0);
    let record: Value = serde_json::from_str(&work.read("b.json")).unwrap();
    let figure = |judge: &str| {
        let entrants = record["entrants"].as_array().unwrap();
        let found = entrants.iter().find(|entrant| entrant["judge"] == judge).unwrap();
        found["overall"]["figures"]["balanced_accuracy"]["value"].as_f64().unwrap()
    };
    assert!(figure("builtin:mine") > figure("builtin") + 0.1);
    let rate =
        ["label", "house.jsonl", "--judge", "builtin:mine.model", "--base-rate", "0.9", "-o", "rate.csv"];
    work.run(&[&rate[..], &always].concat()).ended(0);
    assert_eq!(work.column("rate.csv", "label"), work.column("out.csv", "label"));
    assert_ne!(work.column("rate.csv", "confidence"), work.column("out.csv", "confidence"));
    work.run(&["audit", "house.jsonl", "--judge", "builtin:mine.model", "--limit", "5"]).ended(0);
    // Two files of one name would be one judge.
    std::fs::create_dir(work.path("older")).unwrap();
    work.file("older/mine.model", work.read("mine.model"));
    let twice = work
        .run(&[
            "label",
            "house.jsonl",
            "--judge",
            "builtin:mine.model",
            "--judge",
            "builtin:older/mine.model",
        ])
        .ended(2);
    assert!(twice.stderr.contains("would both be called builtin:mine; rename one"), "{}", twice.stderr);
    // By a name of one's own.
    work.file("tooljudge.toml", "[judges.house]\njudge = \"builtin:mine.model\"\n");
    work.run(&["label", "house.jsonl", "--judge", "house", "-o", "named.csv"]).ended(0);
    assert!(work.column("named.csv", "judge").iter().all(|judge| judge == "house"));
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let work = trained();
    work.run(&["train", "house.jsonl", "-o", "again.model", "--json"]).ended(0);
    assert_eq!(work.read("mine.model"), work.read("again.model"));
    work.run(&["train", "house.jsonl", "-o", "other.model", "--seed", "7"]).ended(0);
    assert_ne!(work.read("mine.model"), work.read("other.model"));
}

#[test]
fn the_record_says_what_changed() {
    let work = Workspace::new();
    work.file("house.jsonl", table(360, Gold::HouseRule));
    let ran = work.run(&["train", "house.jsonl", "--dry-run", "--json"]).ended(0);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&record["kept"], &record["rows"]["rows"]), (&json!("last stage"), &json!(360)));
    assert_eq!(record["other_tools_measured"], json!(true));
    let slices = record["slices"].as_array().unwrap();
    let no_units = slices.iter().find(|slice| slice["value"] == "no_units").unwrap();
    assert!(no_units["right_after"].as_u64() > no_units["right_before"].as_u64());
    assert!(!record["changed"].as_array().unwrap().is_empty());
    assert!(work.names().iter().all(|name| !name.ends_with(".model")), "{:?}", work.names());
}

#[test]
fn chance_gives_no_model() {
    let work = Workspace::new();
    work.file("chance.jsonl", table(360, Gold::Chance));
    let ran = work.run(&["train", "chance.jsonl", "-o", "mine.model"]).ended(1);
    assert!(ran.stderr.contains("no model was written"), "{}", ran.stderr);
    assert!(!work.path("mine.model").exists());
}

#[test]
fn what_cannot_be_learned_from_is_refused_in_words() {
    let work = Workspace::new();
    work.file("few.jsonl", table(30, Gold::HouseRule));
    work.file("right.jsonl", table(120, Gold::Right));
    work.file("house.jsonl", table(120, Gold::HouseRule));
    work.file("bare.csv", "question,tool_call\na,b\n");
    work.file("weighted.jsonl", table(60, Gold::HouseRule).replace("\"id\"", "\"weight\":\"none\",\"id\""));
    work.file("heavy.jsonl", table(60, Gold::HouseRule).replace("\"id\"", "\"weight\":1e308,\"id\""));
    work.file("notes.txt", "do not lose");
    for (args, words) in [
        (&["few.jsonl", "-o", "m.model"][..], "label 20 more"),
        (&["right.jsonl", "-o", "m.model"], "120 are right and 0 are wrong"),
        (&["bare.csv", "-o", "m.model"], "name it with --gold"),
        (&["house.jsonl", "-o", "m.model", "--gold", "none"], "no column `none`"),
        (&["house.jsonl", "-o", "m.model", "--task", "trajectory"], "nothing to train"),
        (&["weighted.jsonl", "-o", "m.model", "--weight", "weight"], "row 1 has `none`"),
        (&["heavy.jsonl", "-o", "m.model", "--weight", "weight"], "at most 1000000"),
        (&["house.jsonl", "-o", "house.jsonl"], "house.jsonl"),
        (&["house.jsonl", "-o", "notes.txt"], "notes.txt"),
        (&["house.jsonl", "-o", "-"], "not to a stream"),
        (&["house.jsonl"], "--output"),
    ] {
        let ran = work.run(&[&["train"], args].concat()).ended(2);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(work.read("notes.txt"), "do not lose");
    assert!(!work.path("m.model").exists());
}

#[test]
fn a_file_that_is_no_model_judges_nothing() {
    let work = trained();
    let model = work.read("mine.model");
    let (head, contents) = model.split_once('\n').unwrap();
    work.file("cut.model", &model[..model.len() / 2]);
    work.file("changed.model", format!("{head}\n{}", contents.replacen("platt", "plat", 1)));
    work.file("newer.model", model.replacen("\"tooljudge_model\":1", "\"tooljudge_model\":9", 1));
    for (name, words) in [
        ("missing.model", "cannot read"),
        ("house.jsonl", "not a model"),
        ("cut.model", "damaged"),
        ("changed.model", "damaged"),
        ("newer.model", "another version"),
    ] {
        let ran = work.run(&["label", "house.jsonl", "--judge", &format!("builtin:{name}")]).ended(2);
        assert!(ran.stderr.contains(words) && ran.stderr.contains(name), "{name}: {}", ran.stderr);
    }
    let ran = work
        .run(&["label", "house.jsonl", "--judge", "builtin:mine.model", "--task", "tool_selection"])
        .ended(2);
    assert!(ran.stderr.contains("trained for tool_calling"), "{}", ran.stderr);
}

#[test]
fn a_task_is_added_to_a_model() {
    let work = trained();
    let add = [
        "train",
        "house.jsonl",
        "-o",
        "mine.model",
        "--task",
        "parameter_extraction",
        "--gold",
        "gold",
        "--add",
    ];
    work.run(&add).ended(0);
    let contents = work.read("mine.model");
    let contents: Value = serde_json::from_str(contents.split_once('\n').unwrap().1).unwrap();
    let tasks: Vec<&str> =
        contents["stages"].as_array().unwrap().iter().map(|stage| stage["task"].as_str().unwrap()).collect();
    assert_eq!(tasks, ["parameter_extraction", "tool_calling"]);
    // Without --add the other task would be lost.
    let refused = work.run(&["train", "house.jsonl", "-o", "mine.model"]).ended(2);
    assert!(refused.stderr.contains("is also a model for parameter_extraction"), "{}", refused.stderr);
    work.run(&["train", "house.jsonl", "-o", "mine.model", "--force"]).ended(0);
    assert!(!work.read("mine.model").contains("parameter_extraction"));
}

#[test]
fn corrections_count_more_and_replace_gold() {
    let work = Workspace::new();
    work.file("house.jsonl", table(360, Gold::HouseRule));
    work.file("errata.csv", "id,gold\nr0,correct\nr1,\nr2,incorrect\n");
    let args = ["train", "house.jsonl", "--dry-run", "--json", "--errata", "errata.csv"];
    let ran = work.run(&args).ended(0);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&record["rows"]["reviewed"], &record["rows"]["left_out"]), (&json!(2), &json!(1)));
    let reviewed = table(360, Gold::HouseRule).replace("\"id\":\"r1", "\"reviewed_by\":\"Kim\",\"id\":\"r1");
    work.file("reviewed.jsonl", reviewed);
    let args = ["train", "reviewed.jsonl", "--dry-run", "--json", "--reviewed", "reviewed_by"];
    let record: Value = serde_json::from_str(&work.run(&args).ended(0).stdout).unwrap();
    // r1, r10 to r19 and r100 to r199.
    assert_eq!(record["rows"]["reviewed"], json!(111));
}

#[test]
fn the_shipped_example_is_learned() {
    let work = Workspace::new();
    let rows = repository("datasets/house_rule.jsonl");
    work.run(&["train", rows.to_str().unwrap(), "-o", "rule.model", "-q"]).ended(0);
    assert!(work.read("rule.model").starts_with("{\"tooljudge_model\":1,"));
}
