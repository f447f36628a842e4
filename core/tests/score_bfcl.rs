//! The function-calling benchmark's checker: recorded verdicts of the official one, what ours does differently, real data.

use std::io::Read;
use std::path::{Path, PathBuf};

use tooljudge_core::domain::{Json, Object};
use tooljudge_core::score::{SCORERS, Score, bfcl};

fn object(text: &str) -> Object {
    match Json::parse(text).unwrap() {
        Json::Object(object) => object,
        other => panic!("{other}"),
    }
}

fn scorer(peer: Option<&str>) -> Box<dyn Score> {
    let scorer = SCORERS.iter().find(|scorer| scorer.name == "bfcl_ast").unwrap();
    (scorer.ready)(&Object::new(), peer).unwrap()
}

/// The folder of the data that cannot be shipped.
fn shared() -> Option<PathBuf> {
    let shared = std::env::var("TOOLJUDGE_SHARED").ok();
    if shared.is_none() {
        println!("skipped: TOOLJUDGE_SHARED is not set");
    }
    shared.map(PathBuf::from)
}

fn unzipped(path: &Path) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn recorded_verdicts_of_the_official_checker() {
    let recorded = |folder: PathBuf| Some(folder.join("bfcl_ast.jsonl.gz")).filter(|path| path.exists());
    let own_folder = std::env::var("TOOLJUDGE_PARITY").ok().and_then(|folder| recorded(folder.into()));
    let Some(path) = own_folder.or_else(|| recorded(shared()?.join("parity"))) else { return };
    let (peer, own) = (scorer(Some("bfcl")), scorer(None));
    let (mut compared, mut differences) = (0, std::collections::BTreeMap::<_, Vec<String>>::new());
    for line in unzipped(&path).lines() {
        let record = object(line);
        assert!((SCORERS.iter().find(|scorer| scorer.name == "bfcl_ast").unwrap().matches)(&record));
        let scored = peer.score(&record).unwrap();
        for key in ["valid", "error_type"] {
            assert_eq!(scored.metadata.get(key), record.get(key), "case {compared}: {line}\n{scored:?}");
        }
        let valid = record.get("valid") == Some(&Json::Bool(true));
        assert_eq!((scored.score, scored.passed), (Some(f64::from(u8::from(valid))), Some(valid)));
        assert_eq!(scored.issues.is_empty(), valid, "{line}");
        compared += 1;

        let ours = own.score(&record).unwrap();
        if ours.metadata.get("error_type") != record.get("error_type") {
            let kind = |json: Option<&Json>| json.and_then(Json::as_str).unwrap_or("valid").to_owned();
            let key = (kind(record.get("error_type")), kind(ours.metadata.get("error_type")));
            differences.entry(key).or_default().push(kind(record.get("case_id")));
        }
    }
    println!("bfcl_ast: {compared} compared, {compared} equal");
    for ((theirs, ours), cases) in &differences {
        println!("by our own rules {ours} where theirs is {theirs}: {} ({})", cases.len(), cases[0]);
    }
    assert!(compared > 0);
}

/// The function `f.g` with one parameter `p` of the schema given, called with `p`, of which `accepted` is expected.
fn one(category: &str, schema: &str, p: &str, accepted: &str) -> String {
    let (call, expected) = (format!(r#"{{"f.g":{{"p":{p}}}}}"#), format!(r#"{{"f.g":{{"p":{accepted}}}}}"#));
    several(category, schema, &[&call], &[&expected])
}

fn several(category: &str, schema: &str, calls: &[&str], expected: &[&str]) -> String {
    let parameters = format!(r#"{{"type":"dict","properties":{{"p":{schema}}},"required":["p"]}}"#);
    with(category, &parameters, calls, expected)
}

fn with(category: &str, parameters: &str, calls: &[&str], expected: &[&str]) -> String {
    format!(
        r#"{{"category":"{category}","functions":[{{"name":"f.g","parameters":{parameters}}}],"call":[{}],"possible_answer":[{}]}}"#,
        calls.join(","),
        expected.join(",")
    )
}

const FINE: &str = "valid";

fn error_type(scorer: &dyn Score, record: &str) -> String {
    let scored = scorer.score(&object(record)).unwrap();
    scored.metadata.get("error_type").unwrap().as_str().unwrap_or(FINE).to_owned()
}

/// The table in the module's documentation, row by row.
#[test]
fn what_ours_does_differently() {
    let python = "simple_python";
    let (integer, dict) = (r#"{"type":"integer"}"#, r#"{"type":"dict"}"#);
    let integers = r#"{"type":"array","items":{"type":"integer"}}"#;
    let dicts = r#"{"type":"array","items":{"type":"dict"}}"#;
    let floats = r#"{"type":"array","items":{"type":"float"}}"#;
    let strings = r#"{"type":"array","items":{"type":"string"}}"#;
    let huge = format!("1{}", "0".repeat(400));
    for (record, theirs, ours) in [
        (
            several(
                "parallel",
                integer,
                &[r#"{"f.g":{"p":1}}"#, r#"{"f.g":{"p":2}}"#],
                &[r#"{"f.g":{"p":[1,2]}}"#, r#"{"f.g":{"p":[1]}}"#],
            ),
            "parallel_function_checker_no_order:cannot_find_match",
            FINE,
        ),
        (one(python, dict, r#"{"a":true}"#, r#"[{"a":[1]}]"#), FINE, "value_error:dict_value"),
        (one(python, r#"{"type":"boolean"}"#, "true", "[1]"), FINE, "value_error:others"),
        (one(python, integers, "[true]", r#"[[1],""]"#), FINE, "type_error:nested"),
        (one(python, integers, "[1.0]", r#"[[1],""]"#), FINE, "type_error:nested"),
        (one(python, floats, "[1,2.5]", "[[1.0,2.5]]"), "type_error:nested", FINE),
        (
            one(python, dicts, r#"["s"]"#, r#"[[{"a":["x"]}],""]"#),
            "exception:AttributeError",
            "type_error:nested",
        ),
        (one(python, r#"{"type":"number"}"#, "1", "[1]"), "exception:KeyError", FINE),
        (one(python, r#"{"type":"object"}"#, r#"{"a":1}"#, r#"[{"a":[1]}]"#), "exception:KeyError", FINE),
        (one(python, r#"{"type":["string","null"]}"#, "null", "[null]"), "exception:TypeError", FINE),
        (one(python, r#"{"type":"array"}"#, r#"[{"a":1}]"#, r#"[[{"a":[1]}]]"#), "exception:KeyError", FINE),
        (
            one("simple_java", r#"{"type":"Queue"}"#, r#""x""#, r#"["x"]"#),
            "exception:NotImplementedError",
            FINE,
        ),
        (one(python, r#"{"type":"float"}"#, &huge, "[1.5]"), "exception:OverflowError", "type_error:simple"),
        (one("simple_javascript", r#"{"type":"Bigint"}"#, r#""5n\n""#, "[5]"), "exception:ValueError", FINE),
        (
            one(python, dict, r#"{"a":2}"#, r#"[{"a":[1]},"text"]"#),
            "exception:AttributeError",
            "value_error:dict_value",
        ),
        (one(python, integer, "5", "5"), "exception:TypeError", FINE),
        (one(python, dict, r#"{"a":"xy"}"#, r#"[{"a":"xy"}]"#), "value_error:dict_value", FINE),
        (one(python, dict, "{}", r#"[{"a":"xy"}]"#), FINE, "value_error:dict_key"),
        (one(python, strings, r#"["a","b"]"#, r#"[["x"],"ab"]"#), FINE, "value_error:list/tuple"),
        (
            with(python, r#"{"properties":{},"required":[]}"#, &[r#"{"f.g":null}"#], &[r#"{"f.g":{}}"#]),
            "exception:AttributeError",
            FINE,
        ),
        (with(python, "{}", &[r#"{"f.g":{"p":1}}"#], &[r#"{"f.g":{"p":[1]}}"#]), "exception:KeyError", FINE),
        (
            several("multiple", integer, &[r#"{"h":{"p":1}}"#], &[r#"{"h":{"p":[1]}}"#]),
            "exception:TypeError",
            "simple_function_checker:wrong_func_name",
        ),
        (
            several(python, integer, &[r#"{"f.g":{"p":1}}"#], &[]),
            "exception:IndexError",
            "simple_function_checker:wrong_count",
        ),
        // What stays strict.
        (one(python, integer, "5.0", "[5]"), "type_error:simple", "type_error:simple"),
        (one(python, integers, r#"{"__tuple__":[1]}"#, "[[1]]"), "type_error:simple", "type_error:simple"),
        (one(python, integers, "[2,1]", "[[1,2]]"), "value_error:list/tuple", "value_error:list/tuple"),
    ] {
        assert_eq!(error_type(&*scorer(Some("bfcl")), &record), theirs, "theirs: {record}");
        assert_eq!(error_type(&*scorer(None), &record), ours, "ours: {record}");
    }
}

#[test]
fn issues_say_what_and_where() {
    let python = "simple_python";
    let dicts = r#"{"type":"array","items":{"type":"dict"}}"#;
    for (record, kind, path, message) in [
        (
            one(python, r#"{"type":"string"}"#, r#""Rome""#, r#"["Paris"]"#),
            "wrong_value",
            Some("/p"),
            "`p`: \"Rome\" is not accepted, but [\"Paris\"] is",
        ),
        (
            one(python, r#"{"type":"integer"}"#, r#""5""#, "[5]"),
            "wrong_type",
            Some("/p"),
            "`p`: \"5\" should be of type integer, but is of type string",
        ),
        (
            one(python, dicts, r#"[{"a/b":1},{"a/b":3}]"#, r#"[[{"a/b":[1]},{"a/b":[2]}]]"#),
            "wrong_value",
            Some("/p/1/a~1b"),
            "`p`, element 1, key `a/b`: [{\"a/b\": 1}, {\"a/b\": 3}] is not accepted, but [[{\"a/b\": [1]}, {\"a/b\": [2]}]] is",
        ),
        (
            several(python, r#"{"type":"integer"}"#, &[r#"{"f.g":{}}"#], &[r#"{"f.g":{"p":[1]}}"#]),
            "missing_parameter",
            Some("/p"),
            "`p`: left out",
        ),
        (
            several(
                python,
                r#"{"type":"integer"}"#,
                &[r#"{"f.g":{"p":1,"q":2}}"#],
                &[r#"{"f.g":{"p":[1]}}"#],
            ),
            "extra_parameter",
            Some("/q"),
            "`q`: 2 is unexpected",
        ),
        (
            several(python, r#"{"type":"integer"}"#, &[r#"{"h":{"p":1}}"#], &[r#"{"f.g":{"p":[1]}}"#]),
            "wrong_tool",
            None,
            "expected a call of `f.g`, found `h`",
        ),
        (several(python, "{}", &[], &[r#"{"f.g":{"p":[1]}}"#]), "wrong_count", None, "0 calls, expected 1"),
        (
            several("live_irrelevance", "{}", &[r#"{"f.g":{}}"#], &[]),
            "call_where_none_is_due",
            None,
            "1 calls where none is due",
        ),
    ] {
        for peer in [None, Some("bfcl")] {
            let scored = scorer(peer).score(&object(&record)).unwrap();
            let issue = &scored.issues[0];
            assert_eq!((issue.kind.as_str(), issue.path.as_deref()), (kind, path), "{record}");
            assert_eq!(issue.message, message);
            assert_eq!(scored.reason.as_deref(), Some(message));
            assert_eq!(scored.metadata.get("errors"), Some(&Json::Array(vec![Json::from(message)])));
        }
    }
    // Of parallel calls, the expectation without a call and what is wrong with the call that nearly fits it.
    let record = several(
        "parallel",
        r#"{"type":"integer"}"#,
        &[r#"{"f.g":{"p":1}}"#, r#"{"f.g":{"p":3}}"#],
        &[r#"{"f.g":{"p":[2]}}"#, r#"{"f.g":{"p":[1]}}"#],
    );
    let scored = scorer(None).score(&object(&record)).unwrap();
    let issues: Vec<_> =
        scored.issues.iter().map(|issue| (issue.kind.as_str(), issue.message.as_str())).collect();
    let expected = [
        ("missing_call", "no call fits the expected `f.g` with {\"p\": [2]}"),
        ("wrong_value", "`p`: 3 is not accepted, but [2] is"),
    ];
    assert_eq!(issues, expected);
}

#[test]
fn settings_and_records_that_cannot_be_read() {
    let entry = SCORERS.iter().find(|scorer| scorer.name == "bfcl_ast").unwrap();
    for (settings, peer, words) in [
        (r#"{"underscores":true}"#, None, "unknown setting `underscores`"),
        (r#"{"underscore_to_dot":1}"#, None, "`underscore_to_dot` should be true or false"),
        (r#"{"language":"cobol"}"#, None, "`language` should be `python`"),
        (r#"{"category":3}"#, None, "`category` should be a text"),
        ("{}", Some("deepeval"), "unknown peer `deepeval`"),
    ] {
        let error = (entry.ready)(&object(settings), peer).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
    for (record, words) in [
        ("{}", "`category` is missing"),
        (r#"{"category":"multiple"}"#, "`possible_answer` should be"),
        (r#"{"category":"multiple","possible_answer":[],"functions":{}}"#, "`functions` should be"),
        (
            r#"{"category":"multiple","functions":[],"call":[{"f":{}}],"possible_answer":[{"f":{}}]}"#,
            "no definitions: no call could be right; list the tools that the agent had in `functions`",
        ),
        (r#"{"category":"multiple","config":{"lang":1}}"#, "config: unknown setting `lang`"),
    ] {
        let error = scorer(None).score(&object(record)).unwrap_err();
        assert_eq!(error.kind, "InvalidCase");
        assert!(error.message.contains(words), "{error}");
    }
    // The record counts more than its `config`, that more than the settings.
    let call = r#""functions":[{"name":"f.g","parameters":{"properties":{},"required":[]}}],"call":[{"f_g":{}}],"possible_answer":[{"f.g":{}}]"#;
    let ready = |settings: &str| (entry.ready)(&object(settings), None).unwrap();
    for (settings, record, passed) in [
        (r#"{"category":"simple"}"#, "", false),
        (r#"{"category":"simple","underscore_to_dot":true}"#, "", true),
        (
            r#"{"category":"simple","underscore_to_dot":true}"#,
            r#","config":{"underscore_to_dot":false}"#,
            false,
        ),
        (
            r#"{"category":"simple"}"#,
            r#","config":{"underscore_to_dot":false},"underscore_to_dot":true"#,
            true,
        ),
    ] {
        let scored = ready(settings).score(&object(&format!("{{{call}{record}}}"))).unwrap();
        assert_eq!(scored.passed, Some(passed), "{settings} {record}");
    }
}

#[test]
fn files_are_joined() {
    let question = object(
        r#"{"id":"live_multiple_3-1-0","question":[],"function":[{"name":"f.g","parameters":{"properties":{"p":{"type":"integer"}},"required":["p"]}}]}"#,
    );
    let answer = object(r#"{"id":"live_multiple_3-1-0","ground_truth":[{"f.g":{"p":[1]}}]}"#);
    for (result, expected) in [
        (r#"[{"f_g":{"p":1}}]"#, Ok(FINE)),
        (r#"[{"f_g":"{\"p\": 1}"}]"#, Ok(FINE)),
        (r#"[{"f_g":"p=1"}]"#, Ok("ast_decoder:decoder_failed")),
        ("null", Ok("ast_decoder:decoder_failed")),
        (r#"["f_g"]"#, Ok("ast_decoder:decoder_wrong_output_format")),
        ("[]", Ok("multiple_function_checker:wrong_count")),
        (r#""[f_g(p=1)]""#, Err("should be decoded")),
    ] {
        let line = object(&format!(r#"{{"id":"live_multiple_3-1-0","result":{result}}}"#));
        match (bfcl::join(&question, Some(&answer), &line, None, true), expected) {
            (Ok(record), Ok(expected)) => {
                assert_eq!(error_type(&*scorer(Some("bfcl")), &record.to_string()), expected, "{result}");
                assert_eq!(record.get("language"), Some(&Json::from("python")));
            }
            (Err(error), Err(words)) => assert!(error.message.contains(words), "{error}"),
            (joined, _) => panic!("{result}: {joined:?}"),
        }
    }
    let other = object(r#"{"id":"multiple_4","result":[]}"#);
    let error = bfcl::join(&question, Some(&answer), &other, None, true).unwrap_err();
    assert!(error.message.contains("the result has the id \"multiple_4\""), "{error}");

    let accuracy = bfcl::accuracy([("simple", true), ("multiple", true), ("simple", false)]);
    assert_eq!(accuracy["simple"].share(), Some(0.5));
    assert_eq!(bfcl::Accuracy::default().share(), None);
}

mod any_input {
    use proptest::prelude::*;
    use tooljudge_core::domain::{Json, Object};

    use super::scorer;

    /// Words that the checker looks for, so that random records get somewhere.
    fn text() -> impl Strategy<Value = String> {
        let known = [
            "",
            "f",
            "p",
            "type",
            "items",
            "string",
            "integer",
            "float",
            "array",
            "tuple",
            "dict",
            "boolean",
            "any",
            "number",
            "Array",
            "ArrayList",
            "HashMap",
            "Bigint",
            "__tuple__",
            "__dict__",
            "5n\n",
            "5L",
            "new int[]{1, x}",
            "new HashMap<>() {{ put(\"a\", 1); }}",
            "[[1], [2]]",
            "{a: 1, b: {c: 2}}",
        ];
        prop_oneof![
            prop::sample::select(known.to_vec()).prop_map(str::to_owned),
            "[\\[\\]{}(),:'\"n0-9 \\né]{0,12}",
            "(new |ArrayList|<>|\\(|\\)|\\{|\\}|add\\(|put\\(\"|\",|[a\\n;1]){0,12}",
        ]
    }

    fn json() -> impl Strategy<Value = Json> {
        let numbers = ["0", "1", "1.0", "-0.0", "1e999", "1000000000000000000000"];
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            prop::sample::select(numbers.to_vec()).prop_map(|number| Json::parse(number).unwrap()),
            text().prop_map(Json::String),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
                prop::collection::vec((text(), inner), 0..4).prop_map(object),
            ]
        })
    }

    fn object(entries: Vec<(String, Json)>) -> Json {
        Json::Object(entries.into_iter().collect::<Object>())
    }

    fn keyed(key: &str, value: Json) -> Json {
        object(vec![(key.to_owned(), value)])
    }

    fn categories() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "simple",
            "simple_java",
            "simple_javascript",
            "multiple",
            "parallel",
            "relevance",
        ])
    }

    proptest! {
        #[test]
        fn records_never_panic(
            category in categories(),
            [functions, call, answer] in [json(), json(), json()],
            [schema, value, accepted] in [json(), json(), json()],
            shaped in any::<bool>(),
        ) {
            let mut record = Object::new();
            record.insert("category", category);
            if shaped {
                let parameters = object(vec![
                    ("properties".to_owned(), keyed("p", schema)),
                    ("required".to_owned(), Json::Array(Vec::new())),
                ]);
                let definition = object(vec![("name".to_owned(), "f".into()), ("parameters".to_owned(), parameters)]);
                record.insert("functions", Json::Array(vec![definition]));
                record.insert("call", Json::Array(vec![keyed("f", keyed("p", value))]));
                record.insert("possible_answer", Json::Array(vec![keyed("f", keyed("p", accepted))]));
            } else {
                record.insert("functions", functions);
                record.insert("call", call);
                record.insert("possible_answer", answer);
            }
            for peer in [None, Some("bfcl")] {
                if let Ok(scored) = scorer(peer).score(&record) {
                    let valid = scored.metadata.get("valid") == Some(&Json::Bool(true));
                    prop_assert_eq!(scored.passed, Some(valid));
                    prop_assert_eq!(scored.issues.is_empty(), valid);
                    let crashed = scored.issues.iter().any(|issue| issue.kind.as_str() == "checker_crash");
                    prop_assert!(peer.is_some() || !crashed, "{:?}", scored.issues);
                }
            }
        }
    }
}
