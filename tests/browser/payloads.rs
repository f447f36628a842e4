//! Payloads of reports: a small one as a benchmark gives it, and one whose every text is out to harm.

use serde_json::{Value, json};

/// A figure and an interval around it.
fn figure(value: f64) -> Value {
    json!({"value": value, "low": value - 0.05, "high": (value + 0.04).min(1.0)})
}

/// A slice of which a judge passes and fails so many right (`tp`, `fail`) and wrong (`fp`, `tn`) calls.
fn slice(tp: u32, fail: u32, fp: u32, tn: u32) -> Value {
    let share = |part: u32, whole: u32| (whole > 0).then(|| figure(f64::from(part) / f64::from(whole)));
    let mut figures = json!({"recall_correct": share(tp, tp + fail), "recall_incorrect": share(tn, fp + tn)});
    if tp + fail > 0 && fp + tn > 0 {
        let recalls = f64::from(tp) / f64::from(tp + fail) + f64::from(tn) / f64::from(fp + tn);
        figures["balanced_accuracy"] = figure(recalls / 2.0);
        figures["accuracy"] = figure(f64::from(tp + tn) / f64::from(tp + fail + fp + tn));
        figures["kappa"] = figure(recalls - 1.0);
        figures["mcc"] = figure(recalls - 1.0);
        figures["f1_correct"] = figure(0.8125);
        figures["f1_incorrect"] = figure(0.7375);
    }
    json!({
        "rows": tp + fail + fp + tn + 3,
        "clusters": 40,
        "confusion": {
            "true_positive": tp, "false_negative": fail, "false_positive": fp, "true_negative": tn,
            "unjudged_positive": 1, "unjudged_negative": 2,
        },
        "figures": figures,
        "bounds": {"accuracy": [0.71, 0.82]},
    })
}

fn sliced(by: &str, value: &str, mut slice: Value) -> Value {
    slice["by"] = by.into();
    slice["value"] = value.into();
    slice
}

fn entrant(name: &str, baseline: bool) -> Value {
    json!({
        "judge": name, "template": "tool_calling", "task": "tool_calling", "baseline": baseline,
        "gold": "gold", "repeats": 3,
        "record": {"endpoint": null, "model": null, "parameters": {"temperature": 0}, "template_hash": "9f2c1a"},
        "statuses": {"judged": 160, "abstained": 3},
        "overall": slice(70, 10, 15, 65),
        "slices": [
            sliced("error_type", "wrong_tool", slice(0, 0, 9, 31)),
            sliced("error_type", "unit", slice(0, 0, 6, 34)),
            sliced("edit", "key_order", slice(19, 1, 0, 0)),
            sliced("language", "de", slice(35, 5, 8, 32)),
            sliced("language", "ar", slice(35, 5, 7, 33)),
        ],
        "calibration": {
            "brier": figure(0.17), "ece": figure(0.08),
            "bins": [
                {"low": 0.0, "high": 0.5, "n": 60, "mean_score": 0.2, "share": figure(0.15)},
                {"low": 0.5, "high": 1.0, "n": 100, "mean_score": 0.8, "share": figure(0.75)},
            ],
        },
        "consistency": {"repeats": 3, "flip_rate": figure(0.09), "kappa": figure(0.82)},
        "usage": {
            "cost_usd": 0.0617, "cost_usd_per_1000": 0.38, "prompt_tokens": 400_000, "completion_tokens": 9_000,
            "latency_ms": {"p50": 410, "p95": 1290}, "cached": 12,
        },
    })
}

fn verdict(entrant: usize, label: Option<&str>, gold: &str, explanation: &str) -> Value {
    json!({
        "entrant": entrant, "label": label, "right": label.map(|label| label == gold), "confidence": 0.81,
        "status": if label.is_some() { "judged" } else { "unparseable" }, "explanation": explanation,
        "error": if label.is_some() { Value::Null } else { "unparseable: two labels".into() },
        "passes": label.map(|label| label == "correct"), "reply": format!("In the judge's own words: {explanation}"),
    })
}

fn case(id: &str, gold: &str, question: &str, verdicts: Value) -> Value {
    json!({
        "id": id, "row": 17, "question_id": "travel-07", "gold": {"tool_calling": gold},
        "slices": {"error_type": "wrong_tool", "language": "de"}, "question": question,
        "calls": "[\n  {\"name\": \"search_flights\", \"arguments\": {\"origin\": \"OSL\"}}\n]",
        "toolbox": 0, "note": "made from a right call",
        "accepted": "[\n  {\"search_trains\": {\"to\": [\"LIS\", \"Lisbon\"]}}\n]", "verdicts": verdicts,
    })
}

/// Two judges, a baseline, a hundred and twenty cases.
pub fn small() -> Value {
    let mut cases = vec![
        case(
            "travel-07-b",
            "incorrect",
            "Two seats to Lisbon, please.",
            json!([
                verdict(0, Some("correct"), "incorrect", "The tool is on offer."),
                verdict(1, Some("incorrect"), "incorrect", "Trains were asked for, a needle in a haystack."),
                verdict(2, Some("correct"), "incorrect", ""),
            ]),
        ),
        case(
            "shop-01",
            "correct",
            "احجز لي طاولة لأربعة أشخاص",
            json!([
                verdict(0, Some("incorrect"), "correct", "The date is made up."),
                verdict(1, None, "correct", ""),
            ]),
        ),
    ];
    cases.extend((3..=120).map(|at| {
        case(
            &format!("home-{at}"),
            "correct",
            &format!("Lights off in room {at}."),
            json!([verdict(0, Some("incorrect"), "correct", "No.")]),
        )
    }));
    json!({
        "bench": {
            "schema": 1, "version": "0.1.0", "created_at": "2026-11-21T21:00:00Z", "inputs": ["datasets/benchmark.jsonl"],
            "rows": {
                "read": 165, "benched": 163, "without_gold": 1, "unreadable": 1, "duplicates": 0, "errata": 0,
                "clusters": 40, "correct": 81, "incorrect": 82,
            },
            "cluster": "question_id", "slicings": ["error_type", "edit", "language"],
            "entrants": [entrant("builtin", false), entrant("openai:gpt-5-mini", false), entrant("all_correct", true)],
            "agreement": [
                {"a": 0, "b": 1, "rows": 157, "agree": figure(0.85), "kappa": figure(0.66), "only_a_right": 20, "only_b_right": 41},
                {"a": 0, "b": 2, "rows": 157, "agree": figure(0.5), "kappa": null, "only_a_right": 60, "only_b_right": 9},
            ],
        },
        "cases": cases,
        "toolboxes": ["[\n  {\"name\": \"search_flights\"}\n]"],
        "cases_found": 171,
    })
}

/// A judge whose labels are `yes` and `no`: it lets a wrong call pass, fails a right one, and is right on a third.
pub fn named_otherwise() -> Value {
    let answer = |label: &str, passes: bool, right: bool| json!([{"entrant": 0, "label": label, "passes": passes, "right": right, "status": "judged", "reply": format!("{label}, I say")}]);
    json!({
        "bench": {"entrants": [entrant("openai:gpt-5-mini", false)]},
        "cases": [
            case("let-through", "incorrect", "One seat.", answer("yes", true, false)),
            case("held-back", "correct", "Two seats.", answer("no", false, false)),
            case("agreed", "correct", "Three seats.", answer("yes", true, true)),
        ],
        "toolboxes": ["[]"], "cases_found": 2, "right_found": 40,
    })
}

/// What every text of the hostile report is made of.
pub const MARKUP: &str = "</script></title><img src=x onerror=\"owned=1;document.title='owned'\"><script>owned=1</script>\
    <!--<script>{{data}}\u{2028}\u{2029}\u{202e}\u{200b}\u{e0041}&amp;\u{5d0}\u{5d1}\u{0}";

/// The small report with markup for every text and every key that is the data's own, and beside it judges, slices and
/// cases in which something, or everything, is missing or of another type.
pub fn hostile() -> Value {
    let mut payload = small();
    let mut broken = payload["cases"][0].clone();
    poison(&mut payload);
    payload["bench"]["created_at"] = MARKUP.into();
    payload["bench"]["slicings"] = json!([MARKUP, "__proto__", "constructor", null, 3]);
    payload["bench"]["rows"] = json!({"read": "many", "benched": null, "clusters": [], "correct": 1e308});
    let entrants = payload["bench"]["entrants"].as_array_mut().unwrap();
    entrants[0]["slices"].as_array_mut().unwrap().extend([
        sliced("__proto__", "constructor", slice(3, 2, 1, 4)),
        sliced("constructor", "__proto__", slice(3, 2, 1, 4)),
        json!({"by": null, "value": null}),
        json!(null),
        json!("slice"),
    ]);
    entrants[1]["judge"] = "x".repeat(3000).into();
    entrants.extend([
        json!({}),
        json!(null),
        json!("judge"),
        json!({"judge": null, "overall": null, "slices": null, "calibration": {"bins": [{}, null, {"n": 3}]}, "usage": {"latency_ms": 3}}),
        json!({"judge": "same", "overall": {"figures": {"kappa": {"value": -0.9, "low": -1.0, "high": null}, "mcc": 3}}}),
        json!({"judge": "same", "task": "other", "overall": {"rows": 3}, "consistency": {"flip_rate": {"value": "x"}}}),
    ]);
    payload["bench"]["agreement"].as_array_mut().unwrap().extend([
        json!({"a": 0, "b": 99}),
        json!({"a": "map", "b": "constructor"}),
        json!(null),
        json!({"a": 0, "b": 3, "agree": {"value": null}}),
    ]);
    broken["slices"] = json!({"__proto__": "x", "constructor": MARKUP, "toString": null});
    broken["verdicts"] = json!([null, {}, {"entrant": "map"}, {"entrant": 99}, {"entrant": 0}, {"entrant": 0, "label": MARKUP, "right": "yes"},
        {"entrant": 1, "label": "correct", "right": false, "explanation": "1 MB: needle ".repeat(80_000)}]);
    broken["toolbox"] = "constructor".into();
    let unseen: Value = "\u{200b}\u{202e}".repeat(20_000).into();
    let cases = payload["cases"].as_array_mut().unwrap();
    cases.truncate(2);
    cases.extend([
        broken.clone(),
        broken,
        json!({}),
        json!(null),
        json!([]),
        json!({"id": {"a": [MARKUP]}, "question": [MARKUP], "calls": 3, "gold": "correct", "toolbox": 99, "verdicts": "none"}),
        json!({"id": "unseen", "question": unseen, "calls": "e\u{301}".repeat(200), "gold": {"a": null, "b": MARKUP}, "toolbox": -1}),
    ]);
    payload["cases_found"] = MARKUP.into();
    payload
}

/// Puts markup in the place of every text, except of those that the report's own words name.
fn poison(value: &mut Value) {
    match value {
        Value::String(text) if !["correct", "incorrect"].contains(&text.as_str()) => {
            *text = format!("{text} {MARKUP}");
        }
        Value::Array(items) => items.iter_mut().for_each(poison),
        Value::Object(object) => {
            let keys = ["statuses", "parameters", "gold", "slices"];
            for (key, inner) in object.iter_mut() {
                poison(inner);
                if let (true, Some(own)) = (keys.contains(&key.as_str()), inner.as_object_mut()) {
                    own.insert(MARKUP.to_owned(), MARKUP.into());
                }
            }
        }
        _ => {}
    }
}
