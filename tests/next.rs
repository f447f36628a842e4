//! `next`: which rows to mark, and what their marks say of all rows.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::support::child::Deadline;
use crate::support::workspace::{Ran, Workspace, repository};

const ROWS: usize = 400;
const TOOL: &str = r#""[{""name"":""say"",""parameters"":{""properties"":{""n"":{""type"":""integer""}}}}]""#;

/// Two of three calls are right, in questions of four rows each.
fn is_right(row: usize) -> bool {
    !row.is_multiple_of(3)
}

/// A log, and the table that a judge of it might have written: it is wrong in one row of seven, and says how sure it is.
fn labelled(work: &Workspace) {
    let mut log = "id,question_id,question,tool_call,tool_definitions,kind\n".to_owned();
    let mut table = log.trim_end().to_owned() + ",label,status,p_correct,judge,template\n";
    for row in 0..ROWS {
        let kind = if row % 20 == 0 { "rare" } else { "usual" };
        let passes = is_right(row) != (row % 7 == 0);
        let argument = if passes { "n" } else { "unknown" };
        let line = format!("r{row},q{},Say {row}.,say({argument}={row}),{TOOL},{kind}", row / 4);
        let doubt = if row % 7 == 0 { 0.45 } else { 0.1 };
        let p = if passes { 1.0 - doubt } else { doubt };
        writeln!(log, "{line}").unwrap();
        let label = if passes { "correct" } else { "incorrect" };
        writeln!(table, "{line},{label},judged,{p},builtin,tool_calling").unwrap();
    }
    work.file("log.csv", log);
    work.file("labelled.csv", table);
}

fn next(work: &Workspace, output: &str, more: &[&str]) -> Ran {
    work.run(&[&["next", "labelled.csv", "-o", output, "--force"][..], more].concat())
}

/// Fills in the column of gold, of all rows or of those that `which` names.
fn mark(work: &Workspace, file: &str, which: impl Fn(usize) -> bool) -> Vec<HashMap<String, String>> {
    let rows = work.rows(file);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut names: Vec<&String> = rows[0].keys().collect();
    names.sort();
    writer.write_record(&names).unwrap();
    for row in &rows {
        let number: usize = row["id"][1..].parse().unwrap();
        let said = if is_right(number) { "correct" } else { "incorrect" };
        let cell = |name: &&String| match name.as_str() {
            "gold" if which(number) => said,
            _ => row[*name].as_str(),
        };
        writer.write_record(names.iter().map(cell)).unwrap();
    }
    work.file(file, writer.into_inner().unwrap());
    rows
}

/// What `label` says of the log with these marks.
fn rate(work: &Workspace, errata: &str) -> (Value, Ran) {
    let flags = ["label", "log.csv", "-o", "out.csv", "--force", "--decide", "always", "--errata", errata];
    let ran = work.run(&flags).ended(0);
    let manifest: Value = serde_json::from_str(&work.read("out.csv.run.json")).unwrap();
    (manifest["panel"][0]["summary"]["rate"].clone(), ran)
}

fn truth() -> f64 {
    (0..ROWS).filter(|row| is_right(*row)).count() as f64 / ROWS as f64
}

#[test]
fn a_draw_says_how_many_of_all_rows_are_right() {
    let work = Workspace::new();
    labelled(&work);
    for (queue, name) in [("random", "random"), ("stratified:kind", "stratified"), ("active", "active")] {
        let ran = next(&work, "todo.csv", &["-n", "120", "--queue", queue]).ended(0);
        assert!(
            ran.stderr.contains(&format!("120 rows of 400 drawn (queue {name}, round 1)")),
            "{}",
            ran.stderr
        );
        let rows = mark(&work, "todo.csv", |_| true);
        assert_eq!(rows.len(), 120);
        let ids: HashSet<&String> = rows.iter().map(|row| &row["id"]).collect();
        assert_eq!(ids.len(), 120);
        for row in &rows {
            assert_eq!(
                [&row["draw_queue"], &row["draw_round"], &row["draw_size"], &row["draw_from"]],
                [name, "1", "120", "400"]
            );
            let probability: f64 = row["inclusion_probability"].parse().unwrap();
            assert!(probability > 0.0 && probability <= 1.0);
            assert_eq!(row["gold"], "");
            // What the judge said would sway whoever marks.
            assert!(!row.contains_key("label") && !row.contains_key("p_correct"));
        }
        let (rate, ran) = rate(&work, "todo.csv");
        let share = &rate["marked"]["share"];
        assert!(
            share["low"].as_f64() <= Some(truth()) && Some(truth()) <= share["high"].as_f64(),
            "{queue}: {rate}"
        );
        assert_eq!(
            (&rate["marked"]["marks"], &rate["marked"]["chosen"], &rate["powered"]),
            (&120.into(), &0.into(), &Value::Null)
        );
        assert!(
            ran.stdout.contains("of all 400 rows, by 120 marks on rows that were drawn"),
            "{}",
            ran.stdout
        );
        assert!(ran.stdout.contains("± 2 points would take about"), "{}", ran.stdout);
    }
}

#[test]
fn the_same_seed_draws_the_same_rows() {
    let work = Workspace::new();
    labelled(&work);
    let drawn = |seed: &str| {
        next(&work, "todo.csv", &["--seed", seed]).ended(0);
        work.column("todo.csv", "id")
    };
    let (one, again, other) = (drawn("1"), drawn("1"), drawn("2"));
    assert_eq!((one.len(), &one), (20, &again));
    assert_ne!(one, other);
}

#[test]
fn rounds_follow_each_other() {
    let work = Workspace::new();
    labelled(&work);
    next(&work, "todo1.csv", &["-n", "60"]).ended(0);
    mark(&work, "todo1.csv", |_| true);
    next(&work, "todo2.csv", &["-n", "50", "--queue", "active", "--gold", "todo1.csv"]).ended(0);
    let second = mark(&work, "todo2.csv", |_| true);
    assert_eq!([&second[0]["draw_round"], &second[0]["draw_from"]], ["2", "340"]);
    let first = work.column("todo1.csv", "id");
    assert!(second.iter().all(|row| !first.contains(&row["id"])));
    let (both, _) = rate(&work, "todo*.csv");
    assert_eq!(both["marked"]["marks"], 110);
    // A round by itself is not a draw from all rows.
    let (alone, ran) = rate(&work, "todo2.csv");
    assert_eq!(alone["marked"]["share"], Value::Null, "{alone}");
    assert!(ran.stdout.contains("the marks of round 1 are missing"), "{}", ran.stdout);
    // Nor can a third follow without the first two.
    let ran = next(&work, "todo3.csv", &["--gold", "todo2.csv"]).ended(2);
    assert!(ran.stderr.contains("round 1 are missing"), "{}", ran.stderr);
    next(&work, "todo3.csv", &["--gold", "todo1.csv", "--gold", "todo2.csv"]).ended(0);
    assert_eq!(work.column("todo3.csv", "draw_from")[0], "290");
}

/// Intervals of two rounds hold the truth in 95 % of all draws; that four of ten seeds miss it has a chance of one in a thousand.
#[test]
fn shares_of_two_rounds_hold_the_truth() {
    let work = Workspace::new();
    labelled(&work);
    let mut held = 0;
    for seed in 0..10 {
        let seed = seed.to_string();
        next(&work, "todo1.csv", &["-n", "60", "--seed", &seed]).ended(0);
        mark(&work, "todo1.csv", |_| true);
        let second = ["-n", "50", "--queue", "active", "--gold", "todo1.csv", "--seed", &seed];
        next(&work, "todo2.csv", &second).ended(0);
        mark(&work, "todo2.csv", |_| true);
        let (both, _) = rate(&work, "todo*.csv");
        let share = &both["marked"]["share"];
        held +=
            usize::from(share["low"].as_f64() <= Some(truth()) && Some(truth()) <= share["high"].as_f64());
    }
    assert!(held >= 7, "{held} of 10");
}

#[test]
fn marks_that_were_chosen_are_left_out_of_the_share() {
    let work = Workspace::new();
    labelled(&work);
    let ran = next(&work, "unsure.csv", &["-n", "40", "--queue", "unsure"]).ended(0);
    assert!(ran.stderr.contains("left out of the share"), "{}", ran.stderr);
    let rows = mark(&work, "unsure.csv", |_| true);
    assert!(rows.iter().all(|row| row["id"][1..].parse::<usize>().unwrap() % 7 == 0), "the least sure");
    assert!(rows.iter().all(|row| row["inclusion_probability"].is_empty() && row["draw_queue"] == "unsure"));
    let (alone, ran) = rate(&work, "unsure.csv");
    assert_eq!((&alone["marked"]["share"], &alone["powered"]), (&Value::Null, &Value::Null), "{alone}");
    assert!(ran.stdout.contains("40 marks were chosen, not drawn: left out of the share"), "{}", ran.stdout);
    // A draw goes on as if they were not there, but does not ask twice for a mark.
    let ran = next(&work, "todo.csv", &["-n", "200", "--gold", "unsure.csv"]).ended(0);
    assert!(ran.stderr.contains("are marked already"), "{}", ran.stderr);
    assert_eq!(work.column("todo.csv", "draw_from")[0], "400");
    assert!(work.column("todo.csv", "gold").iter().any(|gold| gold == "correct" || gold == "incorrect"));
    // The next unsure ones are others.
    next(&work, "more.csv", &["-n", "17", "--queue", "unsure", "--gold", "unsure.csv"]).ended(0);
    let chosen = work.column("unsure.csv", "id");
    assert!(work.column("more.csv", "id").iter().all(|id| !chosen.contains(id)));
}

#[test]
fn rows_that_were_drawn_and_not_marked_are_told() {
    let work = Workspace::new();
    labelled(&work);
    next(&work, "todo.csv", &["-n", "60"]).ended(0);
    mark(&work, "todo.csv", |row| row % 4 > 0);
    let (rate, ran) = rate(&work, "todo.csv");
    let unmarked = rate["marked"]["unmarked"].as_u64().unwrap();
    assert_eq!(unmarked + rate["marked"]["marks"].as_u64().unwrap(), 60);
    assert!(ran.stdout.contains(&format!("{unmarked} rows were drawn and not marked")), "{}", ran.stdout);
    // A list that lost rows cannot be gone on from.
    let text = work.read("todo.csv");
    let short: Vec<&str> = text.lines().take(31).collect();
    work.file("todo.csv", short.join("\n"));
    let ran = next(&work, "todo2.csv", &["--gold", "todo.csv"]).ended(2);
    assert!(ran.stderr.contains("30 of the 60 rows of round 1 are there"), "{}", ran.stderr);
}

/// Who deletes the rows that were wrong leaves a list that looks whole.
#[test]
fn rows_that_are_missing_from_a_list_are_told() {
    let work = Workspace::new();
    labelled(&work);
    next(&work, "todo.csv", &["-n", "60"]).ended(0);
    mark(&work, "todo.csv", |_| true);
    let text = work.read("todo.csv");
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("incorrect")).collect();
    work.file("todo.csv", kept.join("\n"));
    let (rate, ran) = rate(&work, "todo.csv");
    let missing = 61 - kept.len();
    assert!(missing > 5);
    assert_eq!(rate["marked"]["unmarked"], missing);
    assert!(ran.stdout.contains(&format!("{missing} rows were drawn and not marked")), "{}", ran.stdout);
}

#[test]
fn a_list_without_marks_or_without_probabilities_is_told() {
    let work = Workspace::new();
    labelled(&work);
    next(&work, "todo.csv", &["-n", "20"]).ended(0);
    let (empty, ran) = rate(&work, "todo.csv");
    assert_eq!((&empty["marked"]["share"], &empty["marked"]["unmarked"]), (&Value::Null, &20.into()));
    let said = "none of the 20 drawn rows is marked in the column `gold`";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    mark(&work, "todo.csv", |_| true);
    work.file("todo.csv", work.read("todo.csv").replace("inclusion_probability", "p"));
    let flags = ["label", "log.csv", "-o", "out.csv", "--force", "--decide", "always"];
    let ran = work.run(&[&flags[..], &["--errata", "todo.csv"]].concat()).ended(2);
    assert!(ran.stderr.contains("there is no column `inclusion_probability`"), "{}", ran.stderr);
    let ran = next(&work, "more.csv", &["--gold", "todo.csv"]).ended(2);
    assert!(ran.stderr.contains("there is no column `inclusion_probability`"), "{}", ran.stderr);
}

/// One value that most rows have, and one row of each other value: these are certain to be drawn.
#[test]
fn rows_that_were_certain_do_not_speak_for_others() {
    let work = Workspace::new();
    labelled(&work);
    for file in ["log.csv", "labelled.csv"] {
        let kind = |line: String, row: usize| match row {
            0 => line,
            1..=40 => line.replace(",usual", &format!(",k{row}")).replace(",rare", &format!(",k{row}")),
            _ => line.replace(",rare", ",usual"),
        };
        let lines = work
            .read(file)
            .lines()
            .map(str::to_owned)
            .enumerate()
            .map(|(row, line)| kind(line, row))
            .collect::<Vec<_>>();
        work.file(file, lines.join("\n"));
    }
    next(&work, "todo.csv", &["-n", "44", "--queue", "stratified:kind"]).ended(0);
    mark(&work, "todo.csv", |_| true);
    let (rate, _) = rate(&work, "todo.csv");
    let share = &rate["marked"]["share"];
    let width = share["high"].as_f64().unwrap() - share["low"].as_f64().unwrap();
    assert!(width > 0.2, "four marks for 360 rows: {rate}");
}

/// An empty cell of a list to mark is no mark yet, whoever picked its row.
#[test]
fn empty_cells_of_a_chosen_list_change_nothing() {
    let work = Workspace::new();
    labelled(&work);
    next(&work, "unsure1.csv", &["-n", "40", "--queue", "unsure"]).ended(0);
    let chosen = work.column("unsure1.csv", "id");
    // The same rows, drawn and marked later.
    next(&work, "unsure2.csv", &["-n", "400"]).ended(0);
    mark(&work, "unsure2.csv", |_| true);
    let (both, _) = rate(&work, "unsure*.csv");
    assert_eq!((&both["marked"]["marks"], &both["marked"]["chosen"]), (&400.into(), &0.into()), "{both}");
    // Gold that the log has stays.
    let log = work.read("log.csv");
    let mut lines = log.lines();
    let mut with_gold = format!("{},gold\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        let gold = if chosen.contains(&format!("r{row}")) { "correct" } else { "" };
        writeln!(with_gold, "{line},{gold}").unwrap();
    }
    work.file("log.csv", with_gold);
    let (own, _) = rate(&work, "unsure1.csv");
    assert_eq!(own["marked"]["chosen"], 40, "{own}");
}

#[test]
fn marks_of_another_log_are_refused() {
    let work = Workspace::new();
    labelled(&work);
    next(&work, "todo.csv", &["-n", "60"]).ended(0);
    mark(&work, "todo.csv", |_| true);
    let log = work.read("log.csv");
    work.file("log.csv", format!("{log}r400,q100,Say 400.,say(n=400),{TOOL},usual\n"));
    let (rate, ran) = rate(&work, "todo.csv");
    assert_eq!(rate["marked"]["share"], Value::Null);
    assert!(ran.stdout.contains("drawn from 400 rows, and here are 401"), "{}", ran.stdout);
}

/// The gold that a log itself has may come from draws too.
#[test]
fn a_partly_filled_column_of_gold_goes_on() {
    let work = Workspace::new();
    labelled(&work);
    next(&work, "todo.csv", &["-n", "60"]).ended(0);
    let marked: HashMap<String, HashMap<String, String>> =
        mark(&work, "todo.csv", |_| true).into_iter().map(|row| (row["id"].clone(), row)).collect();
    let names = ["draw_queue", "draw_round", "draw_size", "draw_from", "inclusion_probability"];
    let text = work.read("log.csv");
    let mut lines = text.lines();
    let mut log = format!("{},gold,{}\n", lines.next().unwrap(), names.join(","));
    for (row, line) in lines.enumerate() {
        let cells = match marked.get(&format!("r{row}")) {
            Some(drawn) => names.map(|name| drawn[name].clone()).join(","),
            None => ",,,,".to_owned(),
        };
        let gold = match marked.contains_key(&format!("r{row}")) {
            true if is_right(row) => "correct",
            true => "incorrect",
            false => "",
        };
        writeln!(log, "{line},{gold},{cells}").unwrap();
    }
    work.file("log.csv", &log);
    work.run(&["label", "log.csv", "-o", "out.csv", "--decide", "always"]).ended(0);
    let manifest: Value = serde_json::from_str(&work.read("out.csv.run.json")).unwrap();
    let found = &manifest["panel"][0]["summary"]["rate"]["marked"];
    assert_eq!((&found["marks"], &found["chosen"]), (&60.into(), &0.into()), "{found}");
    work.run(&["next", "out.csv", "-o", "todo2.csv"]).ended(0);
    assert_eq!(work.column("todo2.csv", "draw_from")[0], "340");
    work.file("log.csv", log.replacen(",0.15", ",1.15", 1));
    let ran = work.run(&["label", "log.csv", "-o", "bad.csv", "--decide", "always"]).ended(2);
    assert!(ran.stderr.contains("`1.15` in the column `inclusion_probability`"), "{}", ran.stderr);
}

#[test]
fn judges_that_differ_make_a_queue() {
    let work = Workspace::new();
    let mut table = "id,question,a_label,a_status,a_template,b_label,b_status,b_template\n".to_owned();
    for row in 0..30 {
        let other = if row % 10 == 3 { "incorrect" } else { "correct" };
        writeln!(table, "r{row},Say {row}.,correct,judged,t,{other},judged,t").unwrap();
    }
    work.file("labelled.csv", table);
    let ran = next(&work, "todo.csv", &["--queue", "disagreement"]).ended(0);
    assert!(ran.stderr.contains("3 rows of 3 chosen"), "{}", ran.stderr);
    let mut ids = work.column("todo.csv", "id");
    ids.sort();
    assert_eq!(ids, ["r13", "r23", "r3"]);
}

#[test]
fn what_cannot_be_picked_is_said() {
    let work = Workspace::new();
    labelled(&work);
    work.file("plain.csv", "question,tool_call\nSay 1.,say(n=1)\n");
    work.file("bare.csv", "id,question,tool_call\n1,Say 1.,say(n=1)\n");
    work.file("header.csv", "id,question,tool_call\n");
    work.file("twice.csv", "id,question\n1,Say 1.\n1,Say 2.\n");
    work.file("nameless.csv", "id,question\n1,Say 1.\n,Say 2.\n");
    work.file("foreign.csv", "id,gold\nnobody,correct\n");
    work.file("misspelt.csv", "id,gold\nr1,corect\n");
    // A log's own columns are no judge's.
    work.file("human.csv", "id,question,human_label,human_status\n1,Say 1.,correct,done\n");
    work.file("differs.csv", "id,gold\nr1,correct\nr1,incorrect\n");
    for (args, said) in [
        (&["plain.csv"][..], "no column names the rows"),
        (&["bare.csv", "--queue", "unsure"], "needs the labels of `tooljudge label`"),
        (&["bare.csv", "--queue", "disagreement"], "needs the labels"),
        (&["labelled.csv", "--queue", "disagreement"], "there is one"),
        (&["header.csv"], "no row is left to mark: the table has no rows"),
        (&["twice.csv"], "row 2 has the `id` `1`, as an earlier row has"),
        (&["nameless.csv"], "row 2 has no `id`"),
        (&["labelled.csv", "--queue", "stratified:nothing"], "there is no column `nothing`"),
        (&["labelled.csv", "--queue", "stratified:question"], "take --rows 400 or more"),
        (&["labelled.csv", "--queue", "best"], "expected random, stratified:COLUMN"),
        (&["labelled.csv", "--id", "nothing"], "--id: there is no column `nothing`"),
        (&["labelled.csv", "-n", "0"], "--rows 0 picks nothing"),
        (&["labelled.csv", "--gold", "foreign.csv"], "no row of the labeled table has the `id` `nobody`"),
        (&["labelled.csv", "--gold", "differs.csv"], "`r1` is marked twice, and not alike"),
        (&["labelled.csv", "--gold", "misspelt.csv"], "the row with the `id` `r1` is marked `corect`"),
        (&["human.csv", "--queue", "disagreement"], "needs the labels of `tooljudge label`"),
        (&["labelled.csv", "--gold", "log.csv"], "there is no column `gold`"),
        (&["labelled.csv", "-o", "labelled.csv"], "labelled.csv"),
    ] {
        let output = if args.contains(&"-o") { &[][..] } else { &["-o", "todo.csv"] };
        let ran = work.run(&[&["next"][..], args, output].concat()).ended(2);
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
        assert!(!work.path("todo.csv").exists(), "{args:?}");
    }
}

#[test]
fn a_list_is_made_again_until_it_has_marks() {
    let work = Workspace::new();
    labelled(&work);
    let again = || work.run(&["next", "labelled.csv", "-n", "20", "-o", "lists/todo1.csv"]);
    std::fs::create_dir(work.path("lists")).unwrap();
    again().ended(0);
    again().ended(0);
    mark(&work, "lists/todo1.csv", |_| true);
    again().ended(2);
    // Nor are marks written over that are read, be they named by a pattern.
    let marked = work.read("lists/todo1.csv");
    next(&work, "lists/todo1.csv", &["--gold", "lists/todo*.csv"]).ended(2);
    assert_eq!(work.read("lists/todo1.csv"), marked);
}

#[test]
fn a_drawn_row_without_its_probability_is_refused() {
    let work = Workspace::new();
    labelled(&work);
    next(&work, "todo.csv", &[]).ended(0);
    let rows = mark(&work, "todo.csv", |_| true);
    let lost = work.read("todo.csv").replacen(&rows[0]["inclusion_probability"], "", 1);
    work.file("todo.csv", lost);
    let ran = work.run(&["label", "log.csv", "--errata", "todo.csv", "-o", "out.csv", "--force"]).ended(2);
    assert!(ran.stderr.contains("`` in the column `inclusion_probability`"), "{}", ran.stderr);
}

#[test]
fn a_log_may_have_columns_that_are_called_as_ours() {
    let work = Workspace::new();
    labelled(&work);
    let mut log = String::new();
    for (at, line) in work.read("log.csv").lines().enumerate() {
        let more = match at {
            0 => ",draw_size,gold",
            _ if at % 4 == 0 => ",L,correct",
            _ => ",M,",
        };
        writeln!(log, "{line}{more}").unwrap();
    }
    work.file("log.csv", log);
    let ran = work.run(&["label", "log.csv", "-o", "out.csv", "--decide", "always"]).ended(0);
    assert!(ran.stdout.contains("if they were drawn at random"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("chosen, not drawn"), "{}", ran.stdout);
}

/// Rows of a log are its turns, as `label` makes them: marks that are made before anything is labelled find them again.
#[test]
fn a_log_is_drawn_from_as_it_is_labelled() {
    for (log, turns) in [("langfuse.jsonl", 15), ("support.jsonl", 11), ("chats.jsonl", 9)] {
        let work = Workspace::new();
        let log = repository(&format!("datasets/{log}")).display().to_string();
        let ran = work.run(&["next", &log, "-n", "4", "-o", "todo.csv"]).ended(0);
        assert!(ran.stderr.contains(&format!("4 rows of {turns} drawn")), "{}", ran.stderr);
        work.file("todo.csv", work.read("todo.csv").replace(",,random,", ",correct,random,"));
        assert_eq!(work.column("todo.csv", "gold"), ["correct"; 4]);
        let label = ["label", &log, "-o", "out.jsonl", "--decide", "always", "--errata", "todo.csv"];
        let ran = work.run(&label).ended(0);
        assert!(
            ran.stdout.contains(&format!("of all {turns} rows, by 4 marks on rows that were drawn")),
            "{}",
            ran.stdout
        );
        // The labelled table has the same rows in the same order.
        work.run(&["next", "out.jsonl", "-n", "4", "-o", "again.csv"]).ended(0);
        assert_eq!(work.column("again.csv", "source_id"), work.column("todo.csv", "source_id"));
    }
    // What nobody has answered holds nothing to mark.
    let work = Workspace::new();
    work.file("open.jsonl", r#"{"id":"a","messages":[{"role":"user","content":"Say 1."}]}"#);
    let ran = work.run(&["next", "open.jsonl", "-o", "todo.csv"]).ended(2);
    assert!(ran.stderr.contains("open.jsonl"), "{}", ran.stderr);
}

/// A stream is read once, whatever it turns out to hold; a settings file that has `label` read other rows is told.
#[test]
fn a_stream_is_drawn_from_and_other_rows_of_label_are_told() {
    let work = Workspace::new();
    let table: String = (0..5).map(|id| format!("{id},Say {id},say(n={id}),say: Says\n")).collect();
    let table = format!("id,question,tool_call,tool_definitions\n{table}");
    let chat = r#"{"id": "ID", "messages": [{"role": "user", "content": "Say 1"}, {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "say", "arguments": "{\"n\": 1}"}}]}]}"#;
    for (input, rows) in
        [(table.as_str(), 3), (&["c1", "c2"].map(|id| chat.replace("ID", id) + "\n").concat(), 2)]
    {
        let stream = std::fs::File::open(work.file("stream", input)).unwrap();
        let mut next = work.tooljudge(&["next", "-", "-n", "3", "-o", "todo.csv", "--force"]);
        let next = next.stdin(stream).stdout(Stdio::piped()).stderr(Stdio::piped()).start();
        let ran = Ran::from(next.output()).ended(0);
        assert_eq!(work.rows("todo.csv").len(), rows, "{}", ran.stderr);
        assert!(!ran.stderr.contains("[label]"), "{}", ran.stderr);
    }
    work.file("tooljudge.toml", "[label]\nturns = 'last'\nrpm = 5\n");
    work.file("in.csv", &table);
    let ran = next_of(&work, "in.csv");
    assert!(
        ran.stderr.contains("what [label] says of rows, `turns` (line 2): label the input first"),
        "{}",
        ran.stderr
    );
    work.run(&["label", "in.csv", "-o", "in.labeled.csv", "--allow-unjudged", "1"]);
    let ran = next_of(&work, "in.labeled.csv");
    assert!(!ran.stderr.contains("[label]"), "{}", ran.stderr);
}

fn next_of(work: &Workspace, input: &str) -> Ran {
    work.run(&["next", input, "-o", "todo.csv", "--force"]).ended(0)
}
