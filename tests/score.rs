//! `score` end to end: which scorer, which settings, what is written and told, when it fails.

use crate::support::workspace::{Workspace, shown};

/// Two expected calls of which the second was made otherwise, and one that was made as expected.
const CASES: &str = r#"{"id":"a","tools_called":[{"name":"f","input_parameters":{"x":1}},{"name":"g","input_parameters":{"y":"<b>"}}],"expected_tools":[{"name":"f","input_parameters":{"x":1}},{"name":"g","input_parameters":{"y":"c"}}]}
{"id":"b","tools_called":[{"name":"f"}],"expected_tools":[{"name":"f"}]}
"#;

#[test]
fn what_people_see() {
    let work = Workspace::new();
    shown("score_help", &work.run(&["score", "--help"]).ended(0).stdout);
    shown("score_scorers", &work.run(&["score", "--scorers"]).ended(0).stdout);
    work.file("cases.jsonl", CASES);
    let args =
        ["score", "--allow-failures", "cases.jsonl", "--evaluate", "input_parameters", "--threshold", "1"];
    shown("score_summary", &work.run(&args).ended(0).stdout);
    shown("score_json", &work.run(&[&args[..], &["--json"]].concat()).ended(0).stdout);
    let gate = work.run(&[&args[..], &["--min-pass-rate", "0.9", "--junit", "junit.xml"]].concat()).ended(1);
    shown("score_gate", &gate.stderr);
    shown("score_junit", &work.read("junit.xml"));
    work.run(&[&args[..], &["--min-pass-rate", "0.5", "--quiet"]].concat()).ended(0);
}

#[test]
fn scores_stand_beside_their_cases() {
    let work = Workspace::new();
    work.file("cases.jsonl", CASES);
    work.run(&[
        "score",
        "--allow-failures",
        "cases.jsonl",
        "--evaluate",
        "input_parameters",
        "-o",
        "out.jsonl",
        "--quiet",
    ])
    .ended(0);
    let first = work.read("out.jsonl").lines().next().unwrap().to_owned();
    assert!(first.starts_with(r#"{"id":"a","tools_called":[{"#), "{first}");
    assert!(first.contains(r#""score":0.5,"passed":true,"#), "{first}");
    assert!(first.contains(r#"{"kind":"wrong_value","tool":"g","path":"/y","#), "{first}");
    work.file("clash.jsonl", CASES.replace("\"id\"", "\"score\""));
    let clash = work.run(&["score", "--allow-failures", "clash.jsonl", "-o", "out.csv"]).ended(2).stderr;
    assert!(clash.contains("--prefix"), "{clash}");
    work.run(&["score", "--allow-failures", "clash.jsonl", "-o", "out.csv", "--prefix", "our_", "--quiet"])
        .ended(0);
    assert_eq!(work.column("out.csv", "our_score"), ["1.0", "1.0"]);
}

#[test]
fn any_table_of_calls_can_be_scored() {
    let work = Workspace::new();
    work.file(
        "calls.csv",
        "id,tool_call,expected_tool_calls\n\
         1,\"[f(x=1), g(y=2)]\",\"[{\"\"name\"\":\"\"g\"\",\"\"arguments\"\":{\"\"y\"\":2.0}},{\"\"f\"\":{\"\"x\"\":1}}]\"\n\
         2,No tools called,f(x=1)\n",
    );
    let args = [
        "score",
        "--allow-failures",
        "calls.csv",
        "--scorer",
        "tool_correctness",
        "--evaluate",
        "input_parameters",
    ];
    work.run(&[&args[..], &["-o", "out.csv", "--quiet"]].concat()).ended(0);
    assert_eq!(work.column("out.csv", "score"), ["1.0", "0.0"]);
    assert_eq!(work.column("out.csv", "passed"), ["true", "false"]);
}

#[test]
fn what_was_compared_is_said() {
    let work = Workspace::new();
    work.file("in.csv", "id,tool_call,expected_tool_calls\n1,f(x=1),f(x=2)\n");
    for (flags, compared, passed) in [
        (&["tool_correctness"][..], "names of tools only, not arguments (--evaluate", 1),
        (&["tool_correctness", "--evaluate", "input_parameters"], "names of tools and arguments\n", 0),
        (&["tool_call"], "names of tools, and arguments that are equal\n", 0),
        (&["tool_call", "--params", "fuzzy"], "names of tools, and arguments that are about equal\n", 0),
        (&["trajectory"], "names of tools only, not arguments (--args exact", 1),
        (&["trajectory", "--args", "exact"], "names of tools and arguments\n", 0),
        (&["trajectory", "--args", "superset"], "names of tools, and the expected arguments\n", 0),
        (&["tool_evaluator"], "names of tools and the expected arguments\n", 1),
        (
            &["loop_detection"],
            "names of tools and arguments, each call with the others of its row or transcript\n",
            1,
        ),
    ] {
        let ran = work.run(&[&["score", "--allow-failures", "in.csv", "--scorer"], flags].concat()).ended(0);
        assert!(ran.stdout.contains(&format!("compared {compared}")), "{flags:?}: {}", ran.stdout);
        assert!(ran.stdout.contains(&format!("passed   {passed} of 1")), "{flags:?}: {}", ran.stdout);
    }
}

#[test]
fn cases_without_arguments_to_compare_are_counted() {
    let work = Workspace::new();
    work.file(
        "in.jsonl",
        r#"{"toolCalls":[{"name":"f","arguments":{"x":1}}],"expectedTools":["f"]}
{"toolCalls":[{"name":"f","arguments":{"x":1}}],"expectedTools":[{"name":"f","arguments":{"x":1}}]}
"#,
    );
    let said = work.run(&["score", "--allow-failures", "in.jsonl"]).ended(0).stdout;
    assert!(said.contains("arguments that are equal; only 1 of 2 cases expect arguments\n"), "{said}");
}

/// Whoever wrote `nan` knew of no expected call; taken for "nothing expected", it lets any agent pass, or an idle one.
#[test]
fn what_says_nothing_of_a_case_is_an_error() {
    let work = Workspace::new();
    let error = |row: &str, scorer: &str| {
        work.file("in.jsonl", format!("{row}\n"));
        work.run(&["score", "in.jsonl", "--scorer", scorer, "-o", "out.csv", "--force"]).ended(1);
        work.rows("out.csv")[0]["error"].clone()
    };
    for said in ["nan", "None", "NULL", "n/a", "{}", "\\\"\\\"", " "] {
        let row = format!(r#"{{"tool_call":"f(x=1)","expected_tool_calls":"{said}"}}"#);
        for scorer in ["tool_call", "tool_correctness", "trajectory"] {
            let why = error(&row, scorer);
            assert!(why.contains(": write [] where nothing should be called"), "{said}: {why}");
        }
    }
    for (row, scorer, says) in [
        (
            r#"{"tool_call":[{"name":"f","arguments":{}}],"tool_calls":[{"name":"g","arguments":{}}],"expected_tool_calls":[]}"#,
            "tool_correctness",
            "`tool_call` and `tool_calls` say different calls",
        ),
        (
            r#"{"tool_call":null,"tool_calls":[{"name":"g","arguments":{}}],"expected_tool_calls":[]}"#,
            "tool_correctness",
            "",
        ),
        (
            r#"{"tool_call":[{"name":"f","arguments":{"x":1,"x":2}}],"expected_tool_calls":[{"name":"f","arguments":{"x":2}}]}"#,
            "tool_call",
            "`tool_call` holds an object with a key twice",
        ),
        (
            r#"{"tool_call":[{"name":"f","arguments":"{\"x\":1,\"x\":2}"}],"expected_tool_calls":[{"name":"f","arguments":{"x":2}}]}"#,
            "tool_call",
            "`tool_call`: `f` has an argument twice",
        ),
        (
            r#"{"test":{"expected_tool_calls":null},"tool_calls":[]}"#,
            "tool_evaluator",
            "`test` expects nothing",
        ),
        (
            r#"{"test":{"expected_tool_calls":[],"should_not_call_tool":true},"tool_calls":[]}"#,
            "tool_evaluator",
            "`test.should_not_call_tool` is not read; did you mean `should_not_call_tools`?",
        ),
        (
            r#"{"test":{"expected_tool_calls":[{"tool_name":"f"}],"forbiden_tools":["rm"]},"tool_calls":[]}"#,
            "tool_evaluator",
            "did you mean `forbidden_tools`?",
        ),
        (
            r#"{"test":{"expected_tool_calls":[{"tool_name":"f","forbidden_parms":["x"]}]},"tool_calls":[]}"#,
            "tool_evaluator",
            "did you mean `forbidden_params`?",
        ),
        (
            r#"{"functions":[],"possible_answer":[],"category":"irrelevance","call":"f(a=1)"}"#,
            "bfcl_ast",
            "`call` is a text, and no list of decoded calls",
        ),
        (
            r#"{"functions":[],"possible_answer":[],"category":"smple","call":[]}"#,
            "bfcl_ast",
            "`category` is \"smple\", which the benchmark does not have",
        ),
    ] {
        let why = error(row, scorer);
        assert!(why.contains(says), "{row}: {why}");
    }
    work.file(
        "in.csv",
        "tool_call,expected_tool_calls,category\n\"f(x=1), g(x=1)\",\"f(x=1), g(x=1)\",travel\n",
    );
    let denied = ["score", "in.csv", "--scorer", "tool_permission", "--denied-tools", "h, g", "-q"];
    work.run(&denied).ended(1);
}

/// As in vitest-evals, `[]` forbids nothing unless other calls are forbidden. Elsewhere it does, so that must not go unsaid.
#[test]
fn calls_that_nobody_expects_are_told() {
    let work = Workspace::new();
    work.file("in.csv", "tool_call,expected_tool_calls\nf(x=1),[]\nNo tools called,[]\nf(x=1),f(x=1)\n");
    let told =
        "1 of 3 cases expect no call, and count as right although calls were made; --allow-extras false";
    let score = |more: &[&str]| work.run(&[&["score", "in.csv"], more].concat());
    let ran = score(&["--scorer", "tool_call", "-q"]).ended(0);
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    for more in [&["--scorer", "tool_call", "--allow-extras", "false"][..], &["--scorer", "tool_correctness"]]
    {
        let ran = score(more).ended(1);
        assert!(!ran.stderr.contains("expect no call"), "{more:?}: {}", ran.stderr);
    }
}

#[test]
fn columns_may_have_other_names() {
    let work = Workspace::new();
    work.file("in.csv", "key,made,gold_calls\n1,f(x=1),f(x=1)\n2,f(x=1),f(x=2)\n3,f(x=1),\n");
    let flags = ["score", "--allow-failures", "in.csv", "--scorer", "tool_call", "--json"];
    let run = |more: &[&str]| work.run(&[&flags[..], more].concat());
    let columns = ["--column", "tool_call=made", "--column", "expected_tool_calls=gold_calls"];
    let summary: serde_json::Value = serde_json::from_str(&run(&columns).ended(0).stdout).unwrap();
    // A cell that says nothing is not one that says "nothing".
    assert_eq!((&summary["passed"], &summary["failed"]), (&1.into(), &1.into()));
    assert_eq!(summary["errors"]["InvalidCase"], 1);
    for (column, says) in [
        ("tool_call=mad", "no such column, only key, made, gold_calls; did you mean `made`?"),
        (
            "question=key",
            "`score` does not read `question`, only tool_call, expected_tool_calls, tool_definitions",
        ),
    ] {
        let said = run(&["--column", column]).ended(2).stderr;
        assert!(said.contains(says), "{said}");
    }
}

/// Every row has one right call and one that lacks what its definition requires: who cannot read the definition misses one of both.
#[test]
fn definitions_may_have_any_shape_that_label_reads() {
    let work = Workspace::new();
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}"#;
    let dialect = schema.replace("object", "dict");
    let gemini = schema.replace("object", "OBJECT").replace("string", "STRING").replace("integer", "INTEGER");
    let in_text = |json: &str| serde_json::to_string(json).unwrap();
    let openai = format!(
        r#"[{{"type":"function","function":{{"name":"f","description":"d","parameters":{schema}}}}}]"#
    );
    let shapes = [
        format!(r#"[{{"name":"f","description":"d","parameters":{schema}}}]"#),
        format!(r#"[{{"name":"f","description":"d","parameters":{dialect}}}]"#),
        openai.clone(),
        format!(r#"[{{"function":{{"name":"f","parameters":{schema}}}}}]"#),
        format!(r#"{{"type":"function","function":{{"name":"f","parameters":{dialect}}}}}"#),
        format!(r#"[{{"type":"function","name":"f","parameters":{schema},"strict":true}}]"#),
        format!(r#"[{{"type":"custom","name":"f","input_schema":{schema}}}]"#),
        format!(r#"[{{"name":"f","description":"d","inputSchema":{schema}}}]"#),
        format!(r#"{{"result":{{"tools":[{{"name":"f","inputSchema":{schema}}}]}}}}"#),
        format!(r#"[{{"functionDeclarations":[{{"name":"f","parameters":{gemini}}}]}}]"#),
        format!(r#"{{"function_declarations":[{{"name":"f","parameters_json_schema":{schema}}}]}}"#),
        format!(r#"{{"toolConfig":{{"tools":[{{"toolSpec":{{"name":"f","inputSchema":{{"json":{schema}}}}}}}]}}}}"#),
        format!(r#"[{{"toolSpec":{{"name":"f","inputSchema":{{"json":{schema}}}}}}}]"#),
        format!(r#"[{{"tool":{{"json_schema":{{"name":"f","input_schema":{schema}}}}}}}]"#),
        // Groups of tools, and keys of other frameworks beside a name.
        format!(r#"[{{"type":"namespace","name":"n","description":"d","tools":[{{"type":"function","name":"f","parameters":{schema}}}]}}]"#),
        format!(r#"[{{"type":"custom","name":"g"}},{{"type":"namespace","name":"n","tools":[{{"type":"function","name":"f","description":"d","parameters":{schema},"strict":true}}]}}]"#),
        format!(r#"[{{"name":"server","tools":[{{"name":"f","inputSchema":{schema}}}]}}]"#),
        format!(r#"[{{"name":"f","description":"d","schema":{schema}}}]"#),
        format!(r#"[{{"name":"f","description":"d","params":{schema}}}]"#),
        format!(r#"[{{"name":"f","description":"d",{}]"#, &schema[r#"{"type":"object","#.len()..]),
        format!(r#"[{{"title":"f","type":"object",{}]"#, &schema[r#"{"type":"object","#.len()..]),
        format!(r#"{{"f":{{"description":"d","parameters":{{"jsonSchema":{schema}}}}}}}"#),
        r#"[{"name":"f","parameters":{"type":"dict","properties":[["city",[["type","string"]]],["days",[["type","int"]]]],"required":["city"]}}]"#.to_owned(),
        // What else cannot be read costs only calls of its own.
        format!(r#"[{{"type":"function"}},{}"#, &openai[1..]),
        in_text(&openai),
        in_text(&in_text(&openai)),
        format!("[{}]", in_text(&openai[1..openai.len() - 1])),
        in_text(&format!("f: d | Parameters: {schema}")),
        in_text("[{'type': 'function', 'function': {'name': 'f', 'parameters': {'type': 'object', 'properties': {'city': {'type': 'string'}, 'days': {'type': 'integer'}}, 'required': ['city']}}}]"),
    ];
    for column in ["tool_definitions", "tools", "available_tools", "functions", "function", "mine"] {
        let rows: String = shapes
            .iter()
            .flat_map(|shape| [(shape, r#""city":"Oslo","days":2"#), (shape, r#""days":2"#)])
            .map(|(shape, arguments)| {
                let call = format!(r#"{{"name":"f","arguments":{{{arguments}}}}}"#);
                format!("{{\"tool_call\":{call},\"expected_tool_calls\":[{call}],\"{column}\":{shape}}}\n")
            })
            .collect();
        work.file("in.jsonl", rows);
        let mut args =
            vec!["score", "--allow-failures", "in.jsonl", "--scorer", "bfcl_ast", "-o", "out.csv", "--quiet"];
        if column == "mine" {
            args.extend(["--column", "tool_definitions=mine"]);
        }
        work.run(&args).ended(0);
        let expected = ["1.0", "0.0"].repeat(shapes.len());
        assert_eq!(work.column("out.csv", "score"), expected, "{column}: {shapes:#?}");
        // A case of the scorer's own holds them under its own key.
        if column == "functions" {
            let rows = work.read("in.jsonl");
            let own = rows.lines().map(|line| {
                let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
                let arguments = row["tool_call"]["arguments"].clone();
                row["call"] = serde_json::json!([{ "f": arguments }]);
                row["possible_answer"] = serde_json::json!([{ "f": {"city": ["Oslo"], "days": [2]} }]);
                row["category"] = "multiple".into();
                format!("{row}\n")
            });
            work.file("own.jsonl", own.collect::<String>());
            work.run(&[
                "score",
                "--allow-failures",
                "own.jsonl",
                "--scorer",
                "bfcl_ast",
                "-o",
                "own.csv",
                "--quiet",
            ])
            .ended(0);
            assert_eq!(work.column("own.csv", "score"), expected);
        }
    }
    // Where the definitions say nothing of a call that is expected, the agent is not blamed, and a silent definition allows any argument.
    let (right, none) =
        (r#"{"name":"f","arguments":{"city":"Oslo"}}"#, "no definitions: no call could be right");
    for (definitions, says) in [
        (Some("[]"), none),
        (Some(r#"{"tools":[]}"#), none),
        (Some(r#"[{"type":"namespace","name":"n","tools":[]}]"#), none),
        (Some("null"), none),
        (Some(r#""""#), none),
        (None, none),
        (Some(r#""You may use f.""#), "`tools`: no definition can be read from the text"),
        (Some(r#"[{"type":"function"}]"#), "tool_definitions: a definition without a name"),
        (Some(r#"[{"type":"namespace","name":"f"}]"#), "tool_definitions: no known shape"),
        (
            Some(
                r#"[{"type":"function","function":{"name":"f","parameters":7}},{"type":"function","function":{"name":"g"}}]"#,
            ),
            "`tools`: no definition of `f`, but one that cannot be read: ",
        ),
        (
            Some(
                r#"[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}]},{"type":"function","name":"f"}]"#,
            ),
            "`tools`: `f` is defined twice, with different parameters",
        ),
        (Some(r#"[{"name":"f","description":"d"}]"#), ""),
        (Some(r#"[{"type":"function","function":{"name":"f","description":"d"}}]"#), ""),
        (Some(r#"[{"type":"function","function":{"name":"f","parameters":{}}}]"#), ""),
    ] {
        let definitions = definitions.map(|tools| format!(r#","tools":{tools}"#)).unwrap_or_default();
        let row = |id: &str, call: &str, expected: &str| {
            format!(
                "{{\"id\":\"{id}\",\"tool_call\":{call},\"expected_tool_calls\":{expected}{definitions}}}\n"
            )
        };
        let rows = [
            row("wanted", right, &format!("[{right}]")),
            // Nothing is due, so nothing need be defined.
            if says == none { row("idle", "[]", "[]") } else { String::new() },
        ];
        work.file("in.jsonl", rows.concat());
        let args = [
            "score",
            "--allow-failures",
            "in.jsonl",
            "--scorer",
            "bfcl_ast",
            "-o",
            "out.jsonl",
            "--force",
            "--quiet",
        ];
        work.run(&args).ended(0);
        let scored: Vec<serde_json::Value> =
            work.read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let error = scored[0]["error"].as_str().unwrap_or_default();
        match says {
            "" => assert_eq!(scored[0]["score"], 1.0, "{definitions}: {}", scored[0]),
            says => {
                assert!(
                    error.contains("InvalidCase: ") && error.contains(says),
                    "{definitions}: {}",
                    scored[0]
                );
                assert_eq!(scored[0]["score"], serde_json::Value::Null, "{definitions}");
            }
        }
        assert!(scored.get(1).is_none_or(|idle| idle["score"] == 1.0), "{definitions}: {scored:?}");
    }
}

/// Of two definitions of a tool that is wanted, neither is chosen, whatever their form; the peer has a rule for it.
#[test]
fn what_is_defined_twice_is_an_error() {
    let work = Workspace::new();
    let parameters = |name: &str| {
        format!(r#"{{"type":"object","properties":{{"{name}":{{"type":"string"}}}},"required":["{name}"]}}"#)
    };
    let plain = |name: &str| format!(r#"{{"name":"f","parameters":{}}}"#, parameters(name));
    let openai = |name: &str| format!(r#"{{"type":"function","function":{}}}"#, plain(name));
    let (a, b) = ("city", "z");
    for (one, other, is_error) in [
        (plain(a), plain(b), true),
        (plain(b), plain(a), true),
        (openai(a), openai(b), true),
        (plain(b), openai(a), true),
        (plain(a), plain(a), false),
        (openai(a), openai(a), false),
        (plain(a), plain(b).replace(r#""name":"f""#, r#""name":"g""#), false),
    ] {
        let call = r#"{"name":"f","arguments":{"city":"Oslo"}}"#;
        let table =
            format!(r#"{{"tool_call":[{call}],"expected_tool_calls":[{call}],"tools":[{one},{other}]}}"#);
        let native = format!(
            r#"{{"functions":[{one},{other}],"call":[{{"f":{{"city":"Oslo"}}}}],"possible_answer":[{{"f":{{"city":["Oslo"]}}}}],"category":"multiple"}}"#
        );
        for row in [table, native] {
            work.file("in.jsonl", format!("{row}\n"));
            let args = ["score", "in.jsonl", "--scorer", "bfcl_ast", "-o", "out.csv", "--force", "--quiet"];
            work.run(&args).ended(if is_error { 1 } else { 0 });
            let error = &work.rows("out.csv")[0]["error"];
            assert_eq!(
                error.contains("`f` is defined twice, with different parameters"),
                is_error,
                "{row}: {error}"
            );
        }
    }
    // As the benchmark's own checker has it: the first.
    let native = format!(
        r#"{{"functions":[{},{}],"call":[{{"f":{{"city":"Oslo"}}}}],"possible_answer":[{{"f":{{"city":["Oslo"]}}}}],"category":"multiple"}}"#,
        plain(a),
        plain(b)
    );
    work.file("in.jsonl", format!("{native}\n"));
    work.run(&["score", "in.jsonl", "--compat", "bfcl"]).ended(0);
}

/// Turns as `convert` writes them out of a transcript.
#[test]
fn turns_of_a_transcript_are_scored_together() {
    let work = Workspace::new();
    let sample = |id: &str, cities: &[&str], expected: &str| {
        let turn = |city: &&str| {
            format!(
                r#"{{"type":"ai","content":"","tool_calls":[{{"name":"f","args":{{"city":"{city}"}}}}]}},{{"type":"tool","content":"ok"}}"#
            )
        };
        let turns: Vec<String> = cities.iter().map(turn).collect();
        format!(
            r#"{{"id":"{id}","user_input":[{{"type":"human","content":"Go"}},{}],"reference_tool_calls":[{expected}]}}"#,
            turns.join(",")
        )
    };
    let call = |city: &str| format!(r#"{{"name":"f","args":{{"city":"{city}"}}}}"#);
    let lines = [
        sample("a", &["Oslo", "Rome"], &[call("Oslo"), call("Rome")].join(",")),
        sample("b", &["Oslo", "Oslo", "Rome", "Oslo"], &call("Oslo")),
        sample("c", &["Oslo"], ""),
    ];
    work.file("log.jsonl", lines.join("\n"));
    for table in ["rows.jsonl", "rows.parquet"] {
        work.run(&["convert", "log.jsonl", "-o", table, "--quiet"]).ended(0);
        let gold = ["score", "--allow-failures", table, "--scorer", "trajectory", "--args", "exact"];
        let ran =
            work.run(&[&gold[..], &["--min-pass-rate", "1", "-o", "out.csv", "--force"]].concat()).ended(1);
        assert!(
            ran.stdout.contains("3 cases scored") && ran.stdout.contains("passed   1 of 3"),
            "{}",
            ran.stdout
        );
        for name in ["b", "c"] {
            assert!(ran.stderr.contains(&format!("FAIL {name}: ")), "{}", ran.stderr);
        }
        assert_eq!(work.column("out.csv", "score"), ["", "1.0", "", "", "", "0.0", "0.0"]);
        assert_eq!(work.column("out.csv", "recall"), ["", "1.0", "", "", "", "1.0", "1.0"]);
        let cut = work.run(&[&gold[..], &["--limit", "2"]].concat()).ended(2).stderr;
        assert!(cut.contains("--limit"), "{cut}");

        let ran = work
            .run(&[
                "score",
                "--allow-failures",
                table,
                "--scorer",
                "loop_detection",
                "-o",
                "out.csv",
                "--force",
            ])
            .ended(0);
        assert!(ran.stdout.contains("passed   6 of 7"), "{}", ran.stdout);
        assert_eq!(work.column("out.csv", "score"), ["1.0", "1.0", "1.0", "1.0", "1.0", "0.5", "1.0"]);
    }
    // Turns of one transcript that are apart would be two transcripts.
    let rows = work.read("rows.jsonl");
    let mut lines: Vec<&str> = rows.lines().collect();
    lines.swap(1, 2);
    work.file("apart.jsonl", lines.join("\n"));
    let apart = work
        .run(&["score", "--allow-failures", "apart.jsonl", "--scorer", "trajectory", "--json"])
        .ended(0)
        .stdout;
    let apart: serde_json::Value = serde_json::from_str(&apart).unwrap();
    // Neither is scored by a part of its turns.
    assert_eq!(apart["errors"]["InvalidCase"], 4);
}

#[test]
fn figures_are_columns() {
    let work = Workspace::new();
    work.file(
        "in.jsonl",
        r#"{"id":"a","predicted_trajectory":[{"tool_name":"f","tool_input":{"x":1}},{"tool_name":"g","tool_input":{}}],"reference_trajectory":[{"tool_name":"f","tool_input":{"x":1}}]}
{"id":"b","predicted_trajectory":[{"tool_name":"f","tool_input":{"x":2}}],"reference_trajectory":[{"tool_name":"f","tool_input":{"x":1}}]}
"#,
    );
    let run = |flags: &[&str]| {
        work.run(&[&["score", "--allow-failures", "in.jsonl", "-o", "out.csv", "--force"], flags].concat())
    };
    shown("score_trajectory", &run(&[]).ended(0).stdout);
    let column = |name| work.column("out.csv", name);
    assert_eq!(
        (column("precision"), column("f1")),
        (vec!["0.5".into(), "0.0".into()], vec!["0.6666666666666666".into(), "0.0".into()])
    );
    run(&["--metric", "trajectory_precision", "--threshold", "0.5"]).ended(0);
    assert_eq!(
        (column("score"), column("passed")),
        (vec!["0.5".into(), "0.0".into()], vec!["true".into(), "false".into()])
    );
    run(&["--compat", "adk", "--match", "IN_ORDER", "--args", "ignore"]).ended(0);
    assert_eq!(column("score"), ["1.0", "1.0"]);
}

#[test]
fn cases_keep_their_names() {
    let work = Workspace::new();
    let case =
        |described: &str| format!(r#"{{{described},"tool_call":"f(x=1)","expected_tool_calls":"g(x=2)"}}"#);
    for (described, name) in [
        (r#""id":"a""#, "a"),
        (r#""test":{"id":"b"}"#, "b"),
        (r#""test":{"name":"c"},"metadata":{"id":"x"}"#, "c"),
        (r#""test.id":"d""#, "d"),
        (r#""metadata":{"test_id":7}"#, "7"),
        (r#""id":"","example":{"id":"e"}"#, "e"),
        (r#""sample_id":"f""#, "f"),
        (r#""source_id":null,"transcript_id":"chat","turn":2"#, "chat@2"),
        (r#""other":1"#, "1"),
    ] {
        work.file("in.jsonl", case(described));
        let flags = ["--scorer", "tool_correctness", "--min-pass-rate", "1", "--junit", "j.xml"];
        let ran = work.run(&[&["score", "--allow-failures", "in.jsonl"][..], &flags].concat()).ended(1);
        assert!(ran.stderr.contains(&format!("FAIL {name}: ")), "{described}: {}", ran.stderr);
        assert!(work.read("j.xml").contains(&format!("<testcase name=\"{name}\"")), "{described}");
    }
}

#[test]
fn runs_and_examples_may_have_outputs() {
    let work = Workspace::new();
    work.file(
        "in.jsonl",
        r#"{"run":{"id":"r","outputs":{"output":"3","intermediate_steps":[[{"tool":"f","tool_input":{}},"3"]]}},"example":{"id":"e","outputs":{"reference":"3","expected_steps":["f"]}}}"#,
    );
    for flags in [&[][..], &["--compat", "langchain"]] {
        let ran = work.run(&[&["score", "--allow-failures", "in.jsonl", "--json"], flags].concat()).ended(0);
        let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((&summary["cases"], &summary["errors"]), (&1.into(), &serde_json::json!({})), "{flags:?}");
        assert_eq!(summary["mean_score"], 1.0);
    }
}

#[test]
fn converted_tables_can_be_scored() {
    let work = Workspace::new();
    work.file("in.csv", "id,question,tool_call,expected_tool_calls,gold\n1,q,f(x=1),f(x=1),correct\n2,q,{broken,f(x=1),incorrect\n");
    work.run(&["convert", "in.csv", "-o", "rows.jsonl"]).ended(0);
    let first = work.read("rows.jsonl").lines().next().unwrap().to_owned();
    assert!(first.ends_with(r#""expected_tool_calls":"f(x=1)","gold":"correct"}"#), "{first}");
    let score = |file: &str| {
        let ran = work.run(&["score", "--allow-failures", file, "--scorer", "tool_call", "--json"]);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap()
    };
    let (table, converted) = (score("in.csv"), score("rows.jsonl"));
    assert_eq!((&table["passed"], &table["errors"]["InvalidCase"]), (&1.into(), &1.into()));
    assert_eq!(table, converted);
    // What was called is what the column says, not the text that it was read from.
    work.file("rows.jsonl", first.replacen(r#""arguments":{"x":1}"#, r#""arguments":{"x":2}"#, 1));
    assert_eq!(score("rows.jsonl")["passed"], 0);
}

#[test]
fn settings_come_from_flags_files_and_cases() {
    let work = Workspace::new();
    work.file("cases.jsonl", CASES);
    let passed = |args: &[&str]| {
        let ran =
            work.run(&[&["score", "--allow-failures", "cases.jsonl", "--json"], args].concat()).ended(0);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap()["passed"].as_u64().unwrap()
    };
    assert_eq!(passed(&[]), 2);
    let all = ["--evaluate", "input_parameters"];
    assert_eq!(passed(&[&all[..], &["--threshold", "0.6"]].concat()), 1);
    assert_eq!(passed(&[&all[..], &["--set", "threshold=0.6"]].concat()), 1);
    work.file("tooljudge.toml", "[score]\nevaluate = [\"input_parameters\"]\nthreshold = 0.6\n");
    assert_eq!(passed(&[]), 1);
    assert_eq!(passed(&["--threshold", "0.5"]), 2);
    work.file(
        "tooljudge.toml",
        "[score]\nscorers = true\nevaluate = [\"input_parameters\"]\nset = { threshold = 0.6 }\n",
    );
    assert_eq!(passed(&[]), 1, "a list is printed only for who asks for it");
    assert_eq!(passed(&["--threshold", "0.5"]), 2, "what is typed counts more, whatever its form");
    work.file("cases.jsonl", CASES.replace("\"id\":\"a\"", "\"config\":{\"threshold\":0.1}"));
    assert_eq!(passed(&[]), 2, "a case's own settings count more");
}

#[test]
fn arguments_that_cannot_be_read_are_no_arguments_at_all() {
    let work = Workspace::new();
    let tool =
        r#"{"name":"f","parameters":{"type":"dict","properties":{"a":{"type":"integer"}},"required":[]}}"#;
    work.file(
        "BFCL_v4_multiple.json",
        format!(r#"{{"id":"multiple_0","question":[[]],"function":[{tool}]}}"#),
    );
    work.file("answers.json", r#"{"id":"multiple_0","ground_truth":[{"f":{"a":[1,""]}}]}"#);
    let score = |arguments: &str| {
        work.file(
            "results.json",
            format!(r#"{{"id":"multiple_0","result":[{{"name":"f","arguments":{arguments}}}]}}"#),
        );
        let files = [
            "--questions",
            "BFCL_v4_multiple.json",
            "--answers",
            "answers.json",
            "--results",
            "results.json",
        ];
        let ran = work
            .run(&[&["score", "--allow-failures", "--scorer", "bfcl_ast", "--json"][..], &files].concat())
            .ended(0);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap()["passed"].as_u64().unwrap()
    };
    assert_eq!(score("{}"), 1);
    assert_eq!(score(r#""{\"a\": ""#), 0);
}

#[test]
fn what_cannot_be_scored_is_said() {
    let work = Workspace::new();
    work.file("cases.jsonl", CASES);
    work.file("other.jsonl", "{\"a\":1}\n");
    work.file("calls.jsonl", "{\"id\":1,\"tool_call\":\"f(a=1)\"}\n");
    for (args, expected) in [
        (&["cases.jsonl", "--scorer", "bleu"][..], "--scorer: `bleu` is not one of tool_correctness"),
        (
            &["cases.jsonl", "--scorer", "tol_call"],
            "bfcl_ast, tool_permission, loop_detection, judged_metric; did you mean `tool_call`?",
        ),
        (&["cases.jsonl", "--compat", "vitest-eval"], "bfcl; did you mean `vitest-evals`?"),
        (&["cases.jsonl", "--compat", "promptfoo"], "--compat: `promptfoo` is not one of deepeval"),
        (
            &["other.jsonl"],
            "the cases' keys do not tell which scorer is meant: there is no column `tool_call`",
        ),
        (
            &["calls.jsonl"],
            "there is no column `expected_tool_calls` with the right calls (--column names others)",
        ),
        (
            &["other.jsonl", "--scorer", "tool_correctness"],
            "these are not cases of tool_correctness: their keys are `a`",
        ),
        (
            &["cases.jsonl", "--set", "threshold=\"high\""],
            "--set threshold: it must be a number, and not \"high\"",
        ),
        (
            &["cases.jsonl", "--ordered"],
            "--ordered: this scorer has no such setting; its settings are: threshold",
        ),
        (&["cases.jsonl", "--set", "threshold=high"], "--set threshold: `high` is not valid JSON"),
        (&["cases.jsonl", "-o", "cases.jsonl"], "is an input of this run"),
    ] {
        let ran = work.run(&[&["score", "--allow-failures"], args].concat()).ended(2);
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
}

/// A list of accepted values is no argument: whoever compares it as one finds every agent wrong, or half right.
#[test]
fn accepted_values_of_the_benchmark_are_for_its_scorer() {
    let work = Workspace::new();
    let row = |called: &str, expected: &str| {
        format!(
            r#"{{"tool_call": [{{"name": "f", "arguments": {called}}}], "expected_tool_calls": [{{"f": {expected}}}], "tool_definitions": [{{"name": "f", "parameters": {{"type": "object", "properties": {{"city": {{"type": "string"}}, "days": {{"type": "integer"}}, "tags": {{"type": "array"}}}}}}}}]}}"#
        ) + "\n"
    };
    work.file(
        "nested.jsonl",
        row(r#"{"city": "Oslo", "days": 3}"#, r#"{"city": ["Oslo"], "days": [3, ""]}"#),
    );
    work.file("lists.jsonl", row(r#"{"tags": ["a"]}"#, r#"{"tags": ["a"]}"#));
    for flags in [
        &["--scorer", "tool_call"][..],
        &["--scorer", "trajectory", "--args", "exact"],
        &["--scorer", "tool_correctness", "--evaluate", "input_parameters"],
        &["--scorer", "tool_evaluator"],
    ] {
        let ran =
            work.run(&[&["score", "nested.jsonl", "-o", "out.csv", "--force"], flags].concat()).ended(1);
        let scored = &work.rows("out.csv")[0];
        assert_eq!(scored["score"], "");
        let error = &scored["error"];
        assert!(
            error.contains("`f` are lists of accepted values") && error.contains("--scorer bfcl_ast"),
            "{error}"
        );
        assert!(ran.stderr.contains("accepted values"), "{}", ran.stderr);
        work.run(&[&["score", "lists.jsonl", "-o", "out.csv", "--force"], flags].concat()).ended(0);
    }
    work.run(&["score", "nested.jsonl", "--scorer", "bfcl_ast"]).ended(0);
    // As arguments they are read there too.
    let written = work.read("nested.jsonl").replace(
        r#"[{"f": {"city": ["Oslo"], "days": [3, ""]}}]"#,
        r#"[{"name": "f", "arguments": {"city": ["Oslo", "Oslo, NO"], "days": [3]}}]"#,
    );
    assert!(written.contains("Oslo, NO"), "{written}");
    work.file("written.jsonl", &written);
    work.run(&["score", "written.jsonl", "--scorer", "bfcl_ast"]).ended(0);
    work.file("written.jsonl", written.replacen("Oslo", "Rome", 1));
    work.run(&["score", "written.jsonl", "--scorer", "bfcl_ast"]).ended(1);
    // A list where none can be, and one that may be the value: neither reading is sure.
    work.file(
        "doubtful.jsonl",
        row(r#"{"city": "Oslo", "tags": ["a"]}"#, r#"{"city": ["Oslo"], "tags": ["a"]}"#),
    );
    work.run(&["score", "doubtful.jsonl", "--scorer", "bfcl_ast", "-o", "out.csv", "--force"]).ended(1);
    let error = &work.rows("out.csv")[0]["error"];
    assert!(error.contains("`f` has a list where its definition wants none"), "{error}");
    // Beside a value or an empty list, too: it is not the agent that is wrong.
    for expected in [r#"{"city": ["Oslo"], "days": 3}"#, r#"{"city": ["Oslo"], "days": []}"#] {
        work.file("mixed.jsonl", row(r#"{"city": "Oslo", "days": 3}"#, expected));
        for (scorer, says) in [
            ("tool_call", "`city` of `f` is a list, and its definition takes none"),
            ("bfcl_ast", "`f` has a list where its definition wants none"),
        ] {
            work.run(&["score", "mixed.jsonl", "--scorer", scorer, "-o", "out.csv", "--force"]).ended(1);
            let error = &work.rows("out.csv")[0]["error"];
            assert!(error.contains(says), "{scorer}: {error}");
        }
        work.run(&["score", "mixed.jsonl", "--scorer", "tool_correctness"]).ended(0);
    }
    // Where no values are compared, they are no trouble.
    for flags in [
        &["--scorer", "trajectory"][..],
        &["--scorer", "tool_correctness"],
        &["--scorer", "tool_call", "--set", r#"params={"custom":"keys_subset"}"#],
    ] {
        work.run(&[&["score", "nested.jsonl"], flags].concat()).ended(0);
    }
    let quiet = ["score", "nested.jsonl", "--scorer", "tool_call", "--allow-failures", "-q"];
    assert!(work.run(&quiet).ended(0).stderr.contains("no case has a score; the first: InvalidCase"));
}

#[test]
fn the_docs_name_every_scorer_issue_and_difference() {
    use crate::support::workspace::repository;

    let docs = std::fs::read_to_string(repository("docs/scorers.md")).unwrap();
    for scorer in tooljudge::score::SCORERS {
        assert!(docs.contains(&format!("| `{}` |", scorer.name)), "{}", scorer.name);
        for peer in scorer.peers {
            assert!(docs.contains(&format!("`{peer}`")), "{peer}");
        }
    }
    let issues = std::fs::read_to_string(repository("core/src/score/issue.rs")).unwrap();
    for (kind, _) in issues.lines().filter_map(|line| line.split_once("=> \"")?.1.split_once('"')) {
        assert!(docs.contains(&format!("`{kind}`")), "{kind}");
    }
    for folder in ["deepeval", "vitest", "trajectory", "article", "bfcl"] {
        let source = std::fs::read_to_string(repository(&format!("core/src/score/{folder}/mod.rs"))).unwrap();
        let table = source.lines().skip_while(|line| !line.starts_with("//! | case |")).skip(2);
        let mut rows = 0;
        for row in table.map_while(|line| line.strip_prefix("//! |")) {
            assert!(docs.contains(&format!(" |{row}")), "{folder}: {row}");
            rows += 1;
        }
        assert!(rows >= 8, "{folder}");
    }
}
