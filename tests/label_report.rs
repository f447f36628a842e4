//! The page of labelled rows: all rows are in it, nothing of them gets out of its place, and what is marked on it comes back as gold.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tooljudge_core::report::rows_page;

use crate::browser::{self, attribute, available as browser, probe};
use crate::support::workspace::{Workspace, repository};

/// The most bytes of looks and scripts.
const FRONT_END: usize = 150_000;

/// What a compressed element of a page holds.
fn unpacked(element: &str) -> Value {
    let (_, rest) = element.split_once('>').unwrap();
    let (packed, _) = rest.split_once("</script>").unwrap();
    let bytes = STANDARD.decode(packed).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// What a page holds: what it is about, its index, what rows share, and its chunks.
pub struct Payload {
    about: Value,
    pub index: Value,
    pub shared: Value,
    chunks: Vec<Value>,
}

impl Payload {
    pub fn of(page: &str) -> Payload {
        let after = |mark: &str| page.split_once(mark).unwrap().1;
        let (about, _) = after(r#"id="about">"#).split_once("</script>").unwrap();
        let chunks = page.split(r#"<script type="text/plain" class="chunk""#).skip(1).map(unpacked);
        Payload {
            about: serde_json::from_str(about).unwrap(),
            index: unpacked(after(r#"<script type="text/plain" id="index""#)),
            shared: unpacked(after(r#"<script type="text/plain" id="shared""#)),
            chunks: chunks.collect(),
        }
    }

    /// The rows by their numbers, each with its conversation.
    pub fn rows(&self) -> Vec<(u64, Value)> {
        let numbers = self.index["rows"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap());
        let row = |chunk: &Value, row: &Value| {
            let mut row = row.clone();
            if let (Some(talk), Some(upto)) = (row["talk"].as_u64(), row["upto"].as_u64()) {
                let messages = chunk["talks"][talk as usize]["messages"].as_array().unwrap();
                row["messages"] = json!(messages[..upto as usize]);
            }
            row
        };
        let rows = self
            .chunks
            .iter()
            .flat_map(|chunk| chunk["rows"].as_array().unwrap().iter().map(move |inner| row(chunk, inner)));
        let mut rows: Vec<(u64, Value)> = numbers.zip(rows).collect();
        rows.sort_by_key(|(number, _)| *number);
        rows
    }
}

fn data(name: &str) -> String {
    repository(&format!("datasets/{name}")).display().to_string()
}

/// The page of `input`, labelled with `more` flags; the table is `labels.jsonl`.
fn page(work: &Workspace, input: &str, more: &[&str]) -> String {
    let flags = ["label", input, "-o", "labels.jsonl", "--report", "labels.html", "-q", "--force"];
    work.run(&[&flags[..], &["--allow-unjudged", "1"], more].concat()).ended(0);
    work.read("labels.html")
}

fn table(work: &Workspace) -> Vec<Value> {
    work.read("labels.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The page with a script that works with it.
fn probed(page: &str, plan: &str, needle: &str) -> String {
    let script =
        include_str!("browser/label_probe.js").replace("{{plan}}", plan).replace("{{needle}}", needle);
    let (page, end) = page.rsplit_once("</body>").unwrap();
    format!("{page}<script>{script}</script></body>{end}")
}

#[test]
fn every_row_comes_back_out_of_the_page() {
    let work = Workspace::new();
    for input in ["quickstart.csv", "support.jsonl", "chats.jsonl"] {
        let payload = Payload::of(&page(&work, &data(input), &[]));
        let (rows, labels) = (payload.rows(), table(&work));
        assert_eq!(rows.len(), labels.len(), "{input}");
        for ((number, row), labelled) in rows.iter().zip(&labels) {
            let verdict = &row["verdicts"][0];
            assert_eq!(verdict["label"], labelled["label"], "{input} {number}");
            assert_eq!(verdict["status"], labelled["status"]);
            assert_eq!(verdict["why"], labelled["explanation"]);
            assert_eq!(verdict["error"], labelled["error"]);
            if labelled["messages"].is_array() {
                assert_eq!(row["question"], labelled["question"]);
                let (shown, said) = (&row["messages"], &labelled["messages"]);
                let texts = |messages: &Value| -> Vec<Value> {
                    messages.as_array().into_iter().flatten().map(|one| one["content"].clone()).collect()
                };
                assert_eq!(texts(shown), texts(said), "{input} {number}");
            }
        }
        assert_eq!(payload.about["sample"][0]["here"], payload.about["sample"][0]["all"]);
    }
}

#[test]
fn the_wrong_and_the_unsure_come_first_and_definitions_once() {
    let work = Workspace::new();
    let payload = Payload::of(&page(&work, &data("everyday.jsonl"), &["--limit", "600"]));
    let rank = |place: usize| {
        let labels = &payload.index["labels"];
        match payload.index["members"][0]["label"][place].as_i64().unwrap() {
            -1 => 1,
            code if labels[code as usize] == "incorrect" => 0,
            _ => 2,
        }
    };
    let ranks: Vec<i32> = (0..600).map(rank).collect();
    assert!(ranks.is_sorted() && ranks.contains(&0) && ranks.contains(&2), "{ranks:?}");
    assert!(payload.chunks.len() > 1);
    let boxes = payload.shared["boxes"].as_array().unwrap();
    let texts: std::collections::HashSet<&str> =
        boxes.iter().map(|one| one["raw"].as_str().unwrap()).collect();
    assert_eq!(texts.len(), boxes.len());
    assert!(payload.chunks.iter().all(|chunk| chunk["boxes"] == json!([])));
    let kinds = payload.index["kind_names"].as_array().unwrap();
    assert!(kinds.contains(&json!("missing_parameter")), "findings are there without --findings: {kinds:?}");
}

#[test]
fn several_judges_and_calls_one_by_one() {
    let work = Workspace::new();
    let flags = ["--task", "tool_selection", "--task", "parameter_extraction", "--per", "call"];
    let payload = Payload::of(&page(&work, &data("support.jsonl"), &flags));
    let members = payload.about["members"].as_array().unwrap();
    let golds: Vec<&Value> = members.iter().map(|member| &member["gold"]).collect();
    assert_eq!(golds, ["selection_label", "params_label"]);
    for ((_, row), labelled) in payload.rows().iter().zip(table(&work)) {
        assert_eq!(row["verdicts"][1]["label"], labelled["parameter_extraction_label"]);
        let calls = labelled["tool_selection_call_labels"].as_array().unwrap();
        assert_eq!(row["verdicts"][0]["calls"].as_array().unwrap().len(), calls.len());
    }
}

#[test]
fn the_page_is_written_as_any_output_is() {
    let work = Workspace::new();
    let input = data("langfuse.jsonl");
    work.file("mine.html", "<p>my own page</p>");
    let label = |report: &str, force: bool| {
        let flags =
            ["label", &input, "-o", "labels.jsonl", "-q", "--allow-unjudged", "1", "--report", report];
        work.run(&[&flags[..], if force { &["--force"] } else { &[] }].concat())
    };
    let ran = label("mine.html", false).ended(2);
    assert!(ran.stderr.contains("mine.html") && ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(work.read("mine.html"), "<p>my own page</p>");
    let ran = label("labels.txt", false).ended(2);
    assert!(ran.stderr.contains("ends in .html"), "{}", ran.stderr);
    label("mine.html", true).ended(0);
    // A page of ours is replaced without being told to.
    label("mine.html", false).ended(0);
    let ran = label("labels.jsonl", false).ended(2);
    assert!(ran.stderr.contains(".html"), "{}", ran.stderr);
    let left: Vec<String> = work.names().into_iter().filter(|name| name.starts_with(".tooljudge-")).collect();
    assert_eq!(left, Vec::<String>::new());
    assert!(work.read("mine.html").contains("<title>langfuse.jsonl</title>"), "the title is no path");
}

#[test]
fn the_page_asks_for_nothing_and_is_small() {
    let page = rows_page("Rows", &json!({})).concat();
    assert!(page.len() < FRONT_END, "{}", page.len());
    assert_eq!(page.matches("{{").count(), 0);
    let lower = page.to_lowercase();
    assert!(lower.contains(r#"content="default-src 'none'; "#));
    // The one address that the page makes is that of gold.csv.
    let lower = lower.replace("http://www.w3.org/2000/svg", "").replace("objecturl(", "");
    for reference in
        ["http://", "https://", "url(", "@import", " src=", "<link", "fetch(", "import(", "srcset", "href="]
    {
        assert_eq!(lower.matches(reference).count(), 0, "{reference}");
    }
    for sink in [
        "innerhtml",
        "outerhtml",
        "insertadjacent",
        "document.write",
        "eval(",
        "domparser",
        "javascript:",
        ".appendchild(",
        ".prepend(",
        ".insertbefore(",
    ] {
        assert!(!lower.contains(sink), "{sink}");
    }
    for call in ["append", "replaceChildren", "replaceWith"] {
        assert_eq!(page.matches(&format!(".{call}(")).count(), 1, "{call}");
    }
    // Only the address of gold.csv, which the page makes itself.
    assert_eq!(page.matches("href:").count(), 1);
}

#[test]
fn a_browser_reads_and_filters() {
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    let page = probed(&page(&work, &data("quickstart.csv"), &[]), "read", "Imran");
    for (size, is_phone) in [("1280,900", false), ("500,900", true)] {
        let seen = browser::open_in(&browser, &page, "", size);
        assert_eq!(seen.console, Vec::<String>::new());
        assert_eq!((attribute(&seen, "data-ready"), attribute(&seen, "data-error")), (Some("true"), None));
        let probe = probe(&seen);
        assert_eq!(probe["late"], json!([]), "{size}");
        assert_eq!(probe["found"], "60 rows");
        let first = probe["lines"][0].as_str().unwrap();
        for part in
            ["incorrect", "living room 70 degrees", r#"set_thermostat(room="living room", temperature_c=70)"#]
        {
            assert!(first.contains(part), "{part:?} is not in the first line: {first}");
        }
        assert_eq!((&probe["reachable"], &probe["names"]), (&json!(1), &json!([])), "{size}");
        assert_eq!(probe["wide"], false, "{size}");
        let opened = probe["opened"].as_str().unwrap();
        for part in ["home-2", "greater than the maximum", "Set the target temperature", "degrees Celsius"] {
            assert!(opened.contains(part), "{part:?} is not in the open row: {opened}");
        }
        assert_eq!(probe["faults"], json!(["temperature_c=701,2"]), "the argument at fault is underlined");
        assert_eq!((&probe["listHidden"], &probe["listBack"]), (&json!(is_phone), &json!(true)), "{size}");
        assert_eq!(probe["filtered"], json!(["14 of 60 rows. Show all", "#label=incorrect&row=31", 14]));
        assert_eq!(probe["nothing"], json!(["0 of 60 rows. Show all", 0]));
        assert_eq!(probe["searched"], json!(["1 of 60 rows. Show all", ["16"]]));
        assert_eq!((&probe["all"], &probe["help"]), (&json!("60 rows"), &json!(true)));
        assert_eq!((&probe["loaded"], &probe["owned"]), (&json!(0), &Value::Null));
    }
    // An address leads to what was looked at.
    let work_page = work.read("labels.html");
    let seen = browser::open(&browser, &work_page, "#label=incorrect&tool=set_thermostat&row=31");
    assert_eq!(attribute(&seen, "data-shown"), Some("31"));
    assert!(seen.document.contains("1 of 60 rows. "), "the filters of the address hold");
}

#[test]
fn quotes_are_marked_where_they_stand() {
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    let page = probed(&page(&work, &data("quickstart.csv"), &["--where", "id=travel-3"]), "read", "Sydney");
    let probe = probe(&browser::open(&browser, &page, ""));
    assert_eq!(probe["quoted"], json!(["first class1"]));
    assert_eq!(probe["faults"], json!(["cabin=\"first class\"1"]));
}

#[test]
fn a_browser_runs_nothing_of_the_rows_and_changes_no_number() {
    const MARKUP: &[&str] = &[
        "</script><script>window.owned = 1</script>",
        "<!--<script>window.owned = 2</script>-->",
        "<img src=x onerror=\"window.owned = 3\">",
        "\" autofocus onfocus=\"window.owned = 4",
        "javascript:window.owned=5",
        "<a href=\"javascript:window.owned=6\">x</a>",
        "__proto__",
        "constructor",
        "\u{202e}\u{200b}\u{2028} x",
        "{{script}}",
    ];
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    let rows: String = MARKUP.iter().map(|text| hostile_row(text)).collect();
    let unread =
        json!({"id": "unread", "question": "<b>x", "tool_call": {"weird": "<i>"}, "tool_definitions": "[]"});
    work.file("<img src=x onerror=owned=1>.jsonl", format!("{rows}{unread}\n"));
    let page = page(&work, "<img src=x onerror=owned=1>.jsonl", &["--decide", "always"]);
    let lower = page.to_lowercase();
    assert_eq!(lower.matches("<img").count(), 0);
    assert_eq!(lower.matches("<script").count(), lower.matches("</script>").count());
    let seen = browser::open(&browser, &probed(&page, "click", ""), "#row=1&javascript:window.owned=1");
    let probe = probe(&seen);
    assert_eq!(seen.console, Vec::<String>::new());
    assert_eq!((attribute(&seen, "data-ready"), attribute(&seen, "data-error")), (Some("true"), None));
    assert_eq!(probe["late"], json!([]));
    for (what, expected) in [
        ("owned", Value::Null),
        ("foreign", json!(0)),
        ("hrefs", json!(0)),
        ("handlers", json!(0)),
        ("loaded", json!(0)),
    ] {
        assert_eq!(probe[what], expected, "{what}");
    }
    let shown = seen.document;
    assert!(probe["texts"].as_str().unwrap().contains("n=12345678901234567890, f=1.0"), "{}", probe["texts"]);
    assert!(!shown.contains("12345678901234567000"), "numbers are as they were written");
}

/// A row whose every text is `text`, with numbers that a browser would round.
fn hostile_row(text: &str) -> String {
    let quoted = json!(text);
    let key = if ["question", "id"].contains(&text) { json!("k") } else { quoted.clone() };
    format!(
        r#"{{"id": {quoted}, "note": {quoted}, {key}: {quoted}, "question": {}, "tool_call": [{{"name": {quoted}, "arguments": {{"a": {quoted}, {key}: 1, "n": 12345678901234567890, "f": 1.0}}}}], "tool_definitions": [{{"name": "f", "description": {quoted}, "parameters": {{"properties": {{{key}: {{"description": {quoted}}}}}}}}}]}}"#,
        json!(format!("{text} Say 1."))
    ) + "\n"
}

/// Marks all rows of the page in the browser, loads it again and returns the table of marks with what the probe saw.
fn marked(browser: &std::path::Path, page: &str) -> (String, Value) {
    let seen = browser::open(browser, &probed(page, "mark", ""), "");
    assert_eq!(seen.console, Vec::<String>::new());
    let probe = probe(&seen);
    assert_eq!(probe["late"], json!([]));
    (probe["gold"].as_str().unwrap().to_owned(), probe)
}

#[test]
fn marks_survive_a_reload_and_can_be_taken_back() {
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    let (gold, probe) = marked(&browser, &page(&work, &data("langfuse.jsonl"), &[]));
    assert_eq!((&probe["changed"], &probe["undone"]), (&json!("incorrect2"), &json!("correct1")));
    assert_eq!(probe["noteFocus"], "note");
    assert_eq!(probe["marked"], "15 rows marked");
    // What was open and what was marked is there again.
    assert_eq!(probe["kept"], json!(["15 rows marked", "15", "correct1", 16]));
    assert_eq!(probe["noted"], "1 of 15 rows. Show all");
    work.file("gold.csv", gold);
    let rows = work.rows("gold.csv");
    let golds: Vec<&str> = rows.iter().map(|row| row["gold"].as_str()).collect();
    assert_eq!(golds[..4], ["correct", "incorrect", "correct", "incorrect"]);
    assert_eq!(rows[2]["note"], "He said \"so\", twice");
}

/// The loop: label, mark, and from then on the share of right calls is corrected by what was marked.
#[test]
fn marks_are_gold_for_every_command() {
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    for input in ["support.jsonl", "chats.jsonl", "langfuse.jsonl", "quickstart.csv"] {
        let input = data(input);
        let html = page(&work, &input, &["--decide", "always"]);
        let labels = table(&work);
        let (gold, _) = marked(&browser, &html);
        work.file("gold.csv", gold);
        // The rows are what was judged: the labels are the same.
        work.run(&["label", "gold.csv", "-o", "again.jsonl", "-q", "--force", "--decide", "always"]).ended(0);
        let again = work.read("again.jsonl");
        let again: Vec<Value> = again.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(again.len(), labels.len(), "{input}");
        for (at, (one, two)) in labels.iter().zip(&again).enumerate() {
            assert_eq!(
                (&one["label"], &one["p_correct"]),
                (&two["label"], &two["p_correct"]),
                "{input} {at}"
            );
        }
        let manifest: Value = serde_json::from_str(&work.read("again.jsonl.run.json")).unwrap();
        let summary = &manifest["panel"][0]["summary"];
        let labelled = labels.iter().filter(|row| !row["label"].is_null()).count();
        assert_eq!(summary["gold"]["compared"], labelled, "{input}");
        // A benchmark of the marked rows corrects the share of all.
        work.run(&["bench", "gold.csv", "--report", "bench.json", "-q", "--decide", "always"]).ended(0);
        let flags = ["label", &input, "-o", "all.jsonl", "-q", "--json", "--force", "--decide", "always"];
        let ran = work.run(&[&flags[..], &["--calibration", "bench.json"]].concat()).ended(0);
        assert!(ran.stdout.contains("\"rate\": {"), "{}", ran.stdout);
    }
    // By its ids the table corrects the gold that a table has.
    let input = data("quickstart.csv");
    let ran = work.run(&["bench", &input, "--errata", "gold.csv", "--json", "-q"]).ended(0);
    let bench: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(bench["rows"]["errata"].as_u64().unwrap() > 20, "{}", bench["rows"]);
    let ran = work.run(&["train", "gold.csv", "-o", "mine.model", "--dry-run"]);
    assert!(!ran.stderr.contains("no column"), "{}", ran.stderr);
    work.run(&["suite", "from-log", "gold.csv", "-o", "suite.jsonl", "-q"]).ended(0);
}

/// Rows that the page draws are the first rounds of a sample: `label --errata` says of gold.csv what the page says.
#[test]
fn what_the_page_draws_speaks_for_all_rows() {
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    let input = data("quickstart.csv");
    let html = page(&work, &input, &["--decide", "always", "--drop", "gold"]);
    let seen = browser::open(&browser, &probed(&html, "draw", ""), "");
    assert_eq!(seen.console, Vec::<String>::new());
    let probe = probe(&seen);
    assert_eq!(probe["late"], json!([]), "{probe}");
    assert_eq!(probe["inOrder"], json!([true, true]), "rows to mark stand in the order of the draw");
    // The row that was marked by hand may be drawn too, and then is done.
    for drawn in probe["drawn"].as_array().unwrap() {
        let (found, address) = (drawn[0].as_str().unwrap(), drawn[1].as_str().unwrap());
        assert!(["20 of 60 rows. Show all", "19 of 60 rows. Show all"].contains(&found), "{probe}");
        assert!(address.starts_with("#marked=todo"), "{probe}");
    }
    assert_eq!(
        (&probe["left"], &probe["todo"]),
        (&json!("Mark the 1 drawn row that is left"), &json!("1 of 60 rows. Show all"))
    );
    let share = probe["share"].as_str().unwrap();
    assert!(share.contains("of all 60 rows are right, by 39 marks on drawn rows"), "{share}");
    assert!(share.contains("1 drawn row has no mark yet"), "{share}");
    assert_eq!(probe["again"], probe["share"], "after loading it again");
    assert!(probe["unsure"][1].as_str().unwrap().starts_with("#marked=unsure"), "{probe}");
    work.file("gold.csv", probe["gold"].as_str().unwrap());
    let rows = work.rows("gold.csv");
    let rounds = |round: &str| rows.iter().filter(|row| row["draw_round"] == round).count();
    assert_eq!((rounds("1"), rounds("2")), (20, 20), "drawn rows go along, marked or not");
    work.run(&["label", &input, "-o", "rows.csv", "-q", "--decide", "always", "--drop", "gold"]).ended(0);
    let flags = ["label", "rows.csv", "-o", "out.jsonl", "--force", "--overwrite", "--decide", "always"];
    let ran = work.run(&[&flags[..], &["--errata", "gold.csv"]].concat()).ended(0);
    let figures = |text: &str| -> Vec<String> {
        let number = |word: &str| {
            word.trim_matches(['(', ')', ',', ';', '.']).parse::<f64>().ok().map(|n| format!("{n:.1}"))
        };
        text.split_whitespace().filter_map(number).collect()
    };
    let line = ran
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("right "))
        .take(3)
        .collect::<Vec<_>>()
        .join(" ");
    // The share, its ends, all rows and marks; then what more marks would bring.
    assert_eq!(figures(share)[..5], figures(&line)[..5], "{share}\n{line}");
    assert_eq!(figures(share)[5..9], figures(&line)[5..9], "{share}\n{line}");
}

/// A list of `next` leaves the page as whole as it came, with the rows that are not marked yet.
#[test]
fn a_drawn_list_leaves_the_page_whole() {
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    let input = data("quickstart.csv");
    work.run(&["label", &input, "-o", "rows.csv", "-q", "--decide", "always", "--drop", "gold"]).ended(0);
    work.run(&["next", "rows.csv", "-n", "10", "-o", "todo.csv"]).ended(0);
    let html = page(&work, "todo.csv", &["--decide", "always"]);
    let seen = browser::open(&browser, &probed(&html, "begin", ""), "");
    assert_eq!(seen.console, Vec::<String>::new());
    work.file("gold.csv", probe(&seen)["gold"].as_str().unwrap());
    let (rows, list) = (work.rows("gold.csv"), work.rows("todo.csv"));
    assert_eq!(rows.iter().filter(|row| !row["gold"].is_empty()).count(), 1);
    let drawn = |rows: &[std::collections::HashMap<String, String>]| {
        let mut drawn: Vec<String> =
            rows.iter().map(|row| row["id"].clone() + " " + &row["inclusion_probability"]).collect();
        drawn.sort();
        drawn
    };
    assert_eq!(drawn(&rows), drawn(&list));
    work.run(&["next", "rows.csv", "-n", "5", "-o", "more.csv", "--gold", "gold.csv"]).ended(0);
}

/// A table of a third of the rows of the quickstart with their ids, and what is right of them.
fn some_gold(work: &Workspace) -> usize {
    let rows = csv::Reader::from_path(repository("datasets/quickstart.csv")).unwrap().into_deserialize();
    let rows = rows.map(Result::<std::collections::HashMap<String, String>, _>::unwrap);
    let lines: Vec<String> = rows.step_by(3).map(|row| format!("{},{}\n", row["id"], row["gold"])).collect();
    work.file("gold.csv", format!("id,gold\n{}", lines.concat()));
    lines.len()
}

#[test]
fn errata_correct_the_share_of_right_calls() {
    let work = Workspace::new();
    let number = some_gold(&work);
    let whole = data("quickstart.csv");
    work.run(&["label", &whole, "-o", "rows.csv", "-q", "--decide", "always", "--drop", "gold"]).ended(0);
    let label = |more: &[&str]| {
        let flags = ["label", "rows.csv", "-o", "out.jsonl", "--force", "--overwrite", "--decide", "always"];
        work.run(&[&flags[..], more].concat())
    };
    label(&["--errata", "gold.csv"]).ended(0);
    let manifest: Value = serde_json::from_str(&work.read("out.jsonl.run.json")).unwrap();
    let summary = &manifest["panel"][0]["summary"];
    assert_eq!(summary["rate"]["gold_rows"], number, "{summary}");
    assert_eq!(summary["gold"]["compared"], number);
    let powered = &summary["rate"]["powered"];
    assert!(powered["value"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{summary}");
    // What does not fit is said.
    work.file("more.csv", work.read("gold.csv") + "nobody,correct\n");
    let ran = label(&["--errata", "more.csv"]).ended(0);
    assert!(
        ran.stderr.contains("1 corrections in --errata are for rows that do not exist"),
        "{}",
        ran.stderr
    );
    // What fits nothing is an error: nothing would be corrected.
    let header = "id,gold\n";
    let lines = |end: &str| {
        let gold = work.read("gold.csv");
        let line = |line: &str| line.replacen(',', &format!("{end},"), 1);
        header.to_owned() + &gold.lines().skip(1).map(line).collect::<Vec<_>>().join("\n")
    };
    for (end, said) in [
        ("-x", "and the column `id` of the input has `travel-1`; take the marks of this input"),
        (" ", "some are the same but for blanks at their ends"),
    ] {
        work.file("none.csv", lines(end));
        let before = work.read("out.jsonl");
        let ran = label(&["--errata", "none.csv"]).ended(2);
        assert!(ran.stderr.contains("none of its 20 ids is that of a row"), "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert_eq!(work.read("out.jsonl"), before);
        let bench = ["bench", &whole, "--decide", "always", "--errata", "none.csv"];
        let ran = work.run(&bench).ended(2);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    // Of rows that are left out nobody can say that they do not exist.
    let gold = work.read("gold.csv");
    let (first, last) = (gold.lines().nth(1).unwrap(), gold.lines().last().unwrap());
    let id = |line: &str| line.split(',').next().unwrap().to_owned();
    work.file("last.csv", format!("id,gold\n{last}\n"));
    let here = format!("id={}", id(first));
    let said = format!(
        "1 corrections in --errata are for rows that are not among the selected ones, such as `{}`",
        id(last)
    );
    for select in [["--limit", "1"], ["--sample", "1"], ["--where", here.as_str()], ["--shard", "0/500"]] {
        let ran = label(&[&["--errata", "last.csv"][..], &select].concat()).ended(0);
        assert!(ran.stderr.contains(&said), "{select:?}: {}", ran.stderr);
        if select[0] != "--shard" {
            let bench = ["bench", &whole, "--decide", "always", "--errata", "last.csv"];
            let ran = work.run(&[&bench[..], &select].concat()).ended(0);
            assert!(ran.stderr.contains(&said), "{select:?}: {}", ran.stderr);
        }
    }
    let ran = label(&["--errata", "gold.csv", "--id", "label"]).ended(2);
    assert!(ran.stderr.contains("there is no column `label`"), "{}", ran.stderr);
    let ran = label(&["--errata", "gold.csv", "--id", "nothing"]).ended(2);
    assert!(ran.stderr.contains("--id: there is no column `nothing`"), "{}", ran.stderr);
    work.file("strange.csv", "id,gold\ntravel-1,perhaps\n");
    let ran = label(&["--errata", "strange.csv"]).ended(2);
    assert!(ran.stderr.contains("strange.csv") && ran.stderr.contains("perhaps"), "{}", ran.stderr);
    let twice = work.read("rows.csv");
    let second = twice.lines().nth(1).unwrap().to_owned();
    work.file("rows.csv", format!("{twice}{second}\n"));
    let ran = label(&["--errata", "gold.csv"]).ended(2);
    assert!(ran.stderr.contains("several rows have that name"), "{}", ran.stderr);
}
