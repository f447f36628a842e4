//! The report is one file that harms nobody: its data cannot get out of its element, and a browser shows all of it.

use serde_json::{Value, json};
use tooljudge_core::report::html;

use crate::browser::{self, attribute, available as browser, payloads, probe};
use crate::support::workspace::{Workspace, repository};

const OPENING: &str = r#"<script type="application/json" id="data">"#;

/// The payload, read back out of a page as a browser would find it.
fn payload_of(page: &str) -> Value {
    let (_, rest) = page.split_once(OPENING).unwrap();
    let (json, _) = rest.split_once("</script").unwrap();
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_payload_comes_back_out_of_the_page() {
    for payload in [payloads::small(), payloads::hostile(), json!({}), Value::Null] {
        assert_eq!(payload_of(&html("Report", &payload)), payload);
    }
}

#[test]
fn no_text_leaves_its_place() {
    let plain = html("Report", &json!({}));
    let hostile = html(payloads::MARKUP, &payloads::hostile());
    for page in [&plain, &hostile] {
        let lower = page.to_lowercase();
        assert_eq!(lower.matches("<script").count(), 2);
        assert_eq!(lower.matches("</script").count(), 2);
        assert_eq!(lower.matches("</title").count(), 1);
        assert_eq!(lower.matches("<!--").count(), 0);
        assert_eq!(lower.matches("<img").count(), 0);
    }
    let (_, rest) = hostile.split_once(OPENING).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
}

#[test]
fn the_page_asks_for_nothing() {
    let page = html("Report", &json!({}));
    let lower = page.to_lowercase();
    assert!(lower.contains(r#"content="default-src 'none'; "#));
    let namespace = "http://www.w3.org/2000/svg";
    for reference in
        ["http://", "https://", "url(", "@import", " src=", "<link", "fetch(", "import(", "srcset"]
    {
        assert_eq!(lower.replace(namespace, "").matches(reference).count(), 0, "{reference}");
    }
    for sink in [
        "innerhtml",
        "outerhtml",
        "insertadjacenthtml",
        "document.write",
        "eval(",
        "domparser",
        "javascript:",
    ] {
        assert!(!lower.contains(sink), "{sink}");
    }
}

/// The browser writes null out as a word where a node gets children, so the page has one place that leaves it out.
#[test]
fn children_are_added_in_one_place() {
    let page = html("Report", &json!({}));
    for call in ["append", "replaceChildren", "replaceWith"] {
        let through_the_filter = format!(".{call}(...nodesOf(");
        assert_eq!(page.matches(&through_the_filter).count(), 1, "{call}");
        assert_eq!(page.matches(&format!(".{call}(")).count(), 1, "{call}");
    }
    for call in [".prepend(", ".before(", ".after(", ".appendChild(", ".insertBefore(", ".insertAdjacent"] {
        assert_eq!(page.matches(call).count(), 0, "{call}");
    }
}

#[test]
fn a_browser_shows_a_small_report() {
    let Some(browser) = browser() else { return };
    let page = html("Judges & rules", &payloads::small());
    let seen = browser::open(&browser, &probed(&page), "#case-home-119");
    let probe = probe(&seen);
    assert_eq!(seen.console, Vec::<String>::new());
    assert_eq!(attribute(&seen, "data-ready"), Some("true"));
    assert_eq!(attribute(&seen, "data-error"), None);
    assert_eq!(probe["nothings"], json!([]));
    assert_eq!(probe["opened"], json!(["case-home-119"]), "the case that the address names is open");
    assert_eq!(probe["focus"], "case-home-119");
    assert_eq!(
        probe["found"], "1 of 120 cases. Show all",
        "a case beyond the first fifty is shown on its own"
    );
    assert_eq!((&probe["cases"], &probe["bodies"]), (&json!(120), &json!(120)));
    assert_eq!(probe["needles"], 1);
    assert_eq!((&probe["title"], &probe["loaded"]), (&json!("Judges & rules"), &json!(0)));
    let text = probe["text"].as_str().unwrap();
    for part in [
        "163",
        "of 165 read, 1 without gold, 1 unreadable",
        "81 : 82", // the head
        "builtin",
        "openai:gpt-5-mini",
        "all_correct",
        "0.84",
        "0.79 – 0.88",
        "$0.38",
        "410 ms", // the table
        "Balanced acc.",
        "acc. 0.71 – 0.82",
        "judged 160, abstained 3",
        "temperature 0",
        "400,000 / 9,000", // its details
        "86.4 %",
        "passes wrong", // confusion: 70 of 81
        "Wrong calls caught",
        "wrong_tool",
        "benign edit: key_order",
        "n 40", // slices
        "ECE 0.08",
        "Brier 0.17", // confidence
        "0.66",
        "20 : 41",
        "41 : 20", // agreement
        "This file holds 120 of the 171 cases",
        "Two seats to Lisbon",
        "احجز لي طاولة", // cases
        "\"origin\": \"OSL\"",
        "The date is made up.",
        "unparseable: two labels",
        "confidence 0.81",
        "passes a wrong call",
    ] {
        assert!(text.contains(part), "{part:?} is not on the page");
    }
}

/// What a label is called says nothing of what it means, and what settles a case is shown: the accepted answers and the reply.
#[test]
fn a_browser_tells_what_labels_of_any_name_mean() {
    let Some(browser) = browser() else { return };
    let page = html("Yes and no", &payloads::named_otherwise());
    let told = |case: &str| {
        let seen = browser::open(&browser, &probed(&page), &format!("#case-{case}"));
        assert_eq!(seen.console, Vec::<String>::new());
        probe(&seen)["opened_text"].as_str().expect("the case that the address names is open").to_owned()
    };
    for (case, meaning) in [
        ("let-through", "passes a wrong call"),
        ("held-back", "fails a right call"),
        ("agreed", "agrees with gold"),
    ] {
        let text = told(case);
        let meanings = ["passes a wrong call", "fails a right call", "agrees with gold"];
        let said: Vec<&str> = meanings.into_iter().filter(|meaning| text.contains(meaning)).collect();
        assert_eq!(said, [meaning], "{case}: {text}");
        for part in ["Accepted answers", "\"Lisbon\"", "Reply ("] {
            assert!(text.contains(part), "{case}: {part:?} is not shown: {text}");
        }
    }
    let seen = browser::open(&browser, &probed(&page), "");
    assert_eq!(
        probe(&seen)["found"],
        "2 of 3 cases. Show all",
        "what everybody got right is there, and not in the way"
    );
    let text = probe(&seen)["text"].as_str().unwrap().to_owned();
    assert!(text.contains("1 row of 40 that everybody got right is here too"), "{text}");
    assert!(text.contains("yes, I say"), "the reply is shown when it is unfolded");
}

#[test]
fn a_browser_shows_a_hostile_report_and_runs_nothing_of_it() {
    let Some(browser) = browser() else { return };
    let page = html(payloads::MARKUP, &payloads::hostile());
    let seen = browser::open(&browser, &probed(&page), "#case-%zz");
    let probe = probe(&seen);
    assert_eq!(seen.console, Vec::<String>::new());
    assert_eq!(attribute(&seen, "data-ready"), Some("true"));
    assert_eq!(attribute(&seen, "data-error"), None);
    assert_eq!(probe["owned"], Value::Null);
    assert_eq!(probe["nothings"], json!([]));
    assert_eq!((&probe["foreign"], &probe["handlers"], &probe["scripts"]), (&json!(0), &json!(0), &json!(3)));
    assert_eq!(probe["loaded"], 0);
    assert!(probe["title"].as_str().unwrap().starts_with("</script></title><img src=x"));
    assert_eq!((&probe["cases"], &probe["bodies"]), (&json!(9), &json!(9)));
    assert_eq!(probe["needles"], 3, "the poisoned case and the two long ones");
    let text = probe["text"].as_str().unwrap();
    for part in [
        "<img src=x onerror=",
        "U+202E",
        "U+200B",
        "U+E0041",
        "Two seats to Lisbon, please. </script>",
        "1 MB: needle",
    ] {
        assert!(text.contains(part), "{part:?} is not on the page");
    }
    assert_eq!(text.matches("1 MB: needle").count(), 2 * 80_000, "long texts are shown to their end");
}

/// Texts that run where a page forgets to escape them, in whatever context they land: each would set the page's canary.
const CANARIES: &[&str] = &[
    "</script><script>window.owned = 1</script>",
    "<!--<script>window.owned = 2</script>-->",
    "<img src=x onerror=\"window.owned = 3\">",
    "\" autofocus onfocus=\"window.owned = 4",
    "' onmouseover='window.owned = 5",
    "<svg/onload=window.owned=6>",
    "javascript:window.owned=7",
    "<a href=\"javascript:window.owned=8\">x</a>",
    "\u{2028}window.owned = 9;\u{2029}",
    "]]><script>window.owned = 10</script>",
    "</textarea></title></style><iframe srcdoc=\"<script>parent.owned = 11</script>\">",
    "${window.owned = 12}`${window.owned = 13}`",
    "\\u003cscript>window.owned = 14</script>",
    "<template><p is=x></template><math><mtext><img src onerror=window.owned=15>",
];

#[test]
fn a_browser_runs_nothing_of_the_rows_that_were_benched() {
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    let rows: String = CANARIES
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let gold = if at % 2 == 0 { "correct" } else { "incorrect" };
            let row = json!({
                "id": format!("{at}{text}"), "question_id": text, "error_type": text, "edit": text, "domain": text,
                "question": format!("{text} Say 1."), "note": text, "gold": gold, "accepted": text,
                "tool_call": [{"name": text, "arguments": {"a": text, *text: 1}}],
                "tool_definitions": [{"name": "f", "description": text, "parameters": {"properties": {*text: {"description": text}}}}],
            });
            format!("{row}\n")
        })
        .collect();
    // The input's name stands in the page's title.
    work.file("<img src=x onerror=owned=1>.jsonl", rows);
    work.run(&["bench", "<img src=x onerror=owned=1>.jsonl", "--report", "r.html", "--allow-unjudged", "1"])
        .ended(0);
    let seen = browser::open(&browser, &probed(&work.read("r.html")), "#javascript:window.owned=1");
    let probe = probe(&seen);
    assert_eq!(seen.console, Vec::<String>::new());
    assert_eq!((attribute(&seen, "data-ready"), attribute(&seen, "data-error")), (Some("true"), None));
    assert_eq!(
        (&probe["owned"], &probe["foreign"], &probe["handlers"]),
        (&Value::Null, &json!(0), &json!(0))
    );
    assert_eq!((&probe["scripts"], &probe["loaded"]), (&json!(3), &json!(0)));
    assert!(probe["cases"].as_u64().unwrap() > 3, "the rows are not on the page");
    // The canary itself works: where a script does run, it is seen.
    let page = work.read("r.html").replace("</body>", "<script>window.owned = 1</script></body>");
    assert_ne!(self::probe(&browser::open(&browser, &probed(&page), ""))["owned"], Value::Null);
}

#[test]
fn a_browser_shows_reports_of_nothing() {
    let Some(browser) = browser() else { return };
    for payload in [
        json!({}),
        Value::Null,
        json!({"bench": {"entrants": [], "agreement": []}, "cases": [], "toolboxes": []}),
    ] {
        let seen = browser::open(&browser, &probed(&html("Nothing", &payload)), "");
        assert_eq!(probe(&seen)["nothings"], json!([]), "{payload}");
        assert_eq!(seen.console, Vec::<String>::new());
        assert_eq!(
            (attribute(&seen, "data-ready"), attribute(&seen, "data-error")),
            (Some("true"), None),
            "{payload}"
        );
        assert!(seen.document.contains("No judge took part."));
    }
}

/// What the tests above rely on: that a value which is written out as a word would be seen.
#[test]
fn a_browser_tells_of_values_that_are_no_text() {
    let Some(browser) = browser() else { return };
    let page = html("Report", &json!({}));
    for value in ["null", "undefined", "0 / 0", "{}"] {
        let script = format!("<script>document.querySelector('main').append({value});</script></body>");
        let seen = browser::open(&browser, &probed(&page.replace("</body>", &script)), "");
        assert_ne!(probe(&seen)["nothings"], json!([]), "{value} went unseen");
    }
}

/// What the tests above rely on: that a page's errors, and what its policy refuses, would be seen.
#[test]
fn a_browser_tells_of_errors() {
    let Some(browser) = browser() else { return };
    let page = html("Report", &json!({}));
    for wrong in [
        "missing();",
        "document.body.innerHTML = 'x';",
        "document.body.append(Object.assign(new Image(), {src: 'x.png'}));",
    ] {
        let seen = browser::open(
            &browser,
            &page.replace("</body>", &format!("<script>{wrong}</script></body>")),
            "",
        );
        assert!(!seen.console.is_empty(), "{wrong} went unseen");
    }
}

/// The page with a script that uses all of it and writes down what it sees.
fn probed(page: &str) -> String {
    page.replace("</body>", concat!("<script>", include_str!("browser/probe.js"), "</script></body>"))
}

#[test]
fn a_browser_shows_what_a_benchmark_wrote() {
    let Some(browser) = browser() else { return };
    let work = Workspace::new();
    let data = repository("datasets/benchmark.jsonl").display().to_string();
    let tasks = ["--task", "tool_calling", "--task", "tool_selection"];
    work.run(&[&["bench", &data, "--report", "r.html", "--report", "r.json", "-q"][..], &tasks].concat())
        .ended(0);
    let seen = browser::open(&browser, &probed(&work.read("r.html")), "");
    assert_eq!(seen.console, Vec::<String>::new());
    assert_eq!((attribute(&seen, "data-ready"), attribute(&seen, "data-error")), (Some("true"), None));
    assert_eq!(probe(&seen)["nothings"], json!([]));
    let record: Value = serde_json::from_str(&work.read("r.json")).unwrap();
    for entrant in record["entrants"].as_array().unwrap() {
        let name = entrant["judge"].as_str().unwrap();
        assert!(seen.document.contains(name), "{name} is not named");
        let figure = entrant["overall"]["figures"]["balanced_accuracy"]["value"].as_f64().unwrap();
        assert!(seen.document.contains(&format!("{figure:.2}")), "{name}: {figure}");
    }
    // A name that the page does not know is called by its number.
    assert!(!seen.document.contains(">judge 1<"));
    for words in ["missing_required", "accepted_alias", "ECE", "Brier", "418"] {
        assert!(seen.document.contains(words), "{words}");
    }
}
