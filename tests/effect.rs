//! Options that have no effect say so; a settings file may hold them, and never hinders what is typed.

use crate::support::workspace::{Workspace, repository};

const CASE: &str = r#"{"tool_call": {"name": "f", "arguments": {"n": 1}}, "expected_tool_calls": [{"name": "f", "arguments": {"n": 1.04}}]}"#;
const STEPS: &str = r#"{"tool_call": {"name": "f", "arguments": {}}, "expected_tool_calls": [{"name": "g", "arguments": {}}]}"#;
const SUITE: &str = "tools = []\n[[cases]]\nid = 'a'\nuser_message = 'Hello'\nshould_not_call_tools = true\n";

fn workspace() -> Workspace {
    let work = Workspace::new();
    std::fs::copy(repository("datasets/quickstart.csv"), work.path("in.csv")).unwrap();
    work.file("cases.jsonl", CASE);
    work.file("steps.jsonl", STEPS);
    work.file("own.jsonl", CASE.replacen('{', r#"{"config": {"params": "fuzzy"}, "#, 1));
    work.file(
        "mixed.jsonl",
        format!("{CASE}\n{}", CASE.replacen('{', r#"{"config": {"params": "fuzzy"}, "#, 1)),
    );
    work.file("suite.toml", SUITE);
    work.file("script.jsonl", r#"{"case": "a", "replies": ["Hello"]}"#);
    work.file("own.txt", "{question} {tool_call} {tool_definitions}: good or bad?");
    work
}

/// What is typed, and what is said of it.
const REFUSED: &[(&str, &str)] = &[
    ("label in.csv --seed 1", "--seed has no effect without --sample: "),
    (
        "label in.csv --seed 1 --limit 2",
        "--seed has no effect beside --limit: it is the seed of a random sample",
    ),
    ("resnap in.csv --judge openai:m --seed 1", "--seed has no effect without --sample: "),
    ("convert in.csv --seed 1", "--seed has no effect without --sample: "),
    ("bench in.csv --seed 1", "--seed has no effect without --sample: "),
    ("audit in.csv --seed 1", "--seed has no effect without --sample: "),
    ("suite from-log in.csv -o x.jsonl --seed 1", "--seed has no effect without --sample: "),
    ("label in.csv --gate-on low", "--gate-on has no effect without --min-pass-rate: "),
    (
        "label in.csv --fold id",
        "--fold has no effect without --fold-output: its table is written there; add that, or leave --fold out",
    ),
    ("label in.csv --fold-output x.csv", "--fold-output has no effect without --fold: "),
    ("label in.csv --id id", "--id has no effect without --errata: "),
    ("label in.csv --rails a,b", "--rails has no effect: the built-in judge has labels of its own"),
    (
        "label in.csv --scale five --task tool_selection",
        "--scale has no effect: the built-in judge has labels",
    ),
    (
        "label in.csv --judge openai:m --scale five --template own.txt",
        "--scale has no effect beside --template: ",
    ),
    (
        "label in.csv --judge openai:m --max-abstained 0.1",
        "--max-abstained has no effect: it is about the built-in",
    ),
    (
        "bench in.csv --judge openai:m --max-abstained 0.1",
        "--max-abstained has no effect: it is about the built-in",
    ),
    ("convert in.csv --summary --to csv", "--to has no effect without --output: "),
    ("convert in.csv --json --escape-formulas", "--escape-formulas has no effect without --output: "),
    ("gold --bfcl x -o x.jsonl --column question=x", "--column has no effect beside --bfcl: "),
    ("gold --bfcl x -o x.jsonl --where a=b", "--where has no effect beside --bfcl: "),
    ("gold --bfcl x --results y -o x.jsonl --per-type 3", "--per-type has no effect beside --results: "),
    ("gold --bfcl x --scores y -o x.jsonl", "--scores has no effect without --results: "),
    (
        "bench in.csv --gate-on low",
        "--gate-on has no effect without --min-accuracy or --min-balanced-accuracy or ",
    ),
    ("bench in.csv --gate-on=false", "invalid value 'false' for '--gate-on <WHAT>'"),
    ("bench --bfcl x --tools y.json", "--tools has no effect beside --bfcl: it is about rows of your own"),
    ("bench --bfcl x --turns all", "--turns has no effect beside --bfcl: "),
    ("bench in.csv --cases 3", "--cases has no effect without --report FILE.html: "),
    ("bench in.csv --cases 3 --report x.md", "--cases has no effect without --report FILE.html: "),
    ("bench in.csv --suspects 3", "--suspects has no effect without --audit: "),
    ("bench in.csv --prefix x_", "--prefix has no effect without --output: "),
    ("bench in.csv --overwrite", "--overwrite has no effect without --output: "),
    ("bench in.csv --to csv", "--to has no effect without --output: "),
    ("audit in.csv --to csv", "--to has no effect without --output: "),
    ("audit in.csv --escape-formulas", "--escape-formulas has no effect without --output or --report: "),
    ("train in.csv --dry-run --id id", "--id has no effect without --errata: "),
    ("score cases.jsonl --to csv", "--to has no effect without --output: "),
    ("score cases.jsonl --prefix x_", "--prefix has no effect without --output: "),
    ("score cases.jsonl --explain", "--explain has no effect without --judge: "),
    ("score cases.jsonl --template own.txt", "--template has no effect without --judge: "),
    ("score cases.jsonl --underscore-to-dot", "--underscore-to-dot has no effect without --questions: "),
    ("score cases.jsonl --questions x", "--questions has no effect beside cases: "),
    ("score --questions x", "--questions, --answers and --results belong together"),
    ("score", "there is nothing to score: give cases"),
    (
        "score cases.jsonl --scorer tool_call --tolerance 0.1",
        "--tolerance: it has no effect without --params fuzzy",
    ),
    (
        "score cases.jsonl --scorer tool_call --params strict --tolerance 0.1",
        "--tolerance: it has no effect without --params fuzzy",
    ),
    (
        "score cases.jsonl --scorer tool_call --set fuzzyOptions={\"substring\":false}",
        "--set fuzzyOptions: it has no effect without --params fuzzy",
    ),
    (
        "score steps.jsonl --scorer tool_correctness --strict --threshold 0.5",
        "--threshold: it has no effect beside --strict",
    ),
    (
        "score steps.jsonl --scorer tool_correctness --exact-match --consider-ordering",
        "--consider-ordering: it has no effect beside --exact-match",
    ),
    (
        "score steps.jsonl --scorer trajectory --threshold 0.5",
        "--threshold: it has no effect without --metric precision, recall or f1",
    ),
    (
        "score steps.jsonl --scorer trajectory --order-matters --match subset",
        "--order-matters has no effect beside --match: ",
    ),
    (
        "score steps.jsonl --scorer trajectory --compat langchain --match subset",
        "--match: it has no effect beside --compat langchain",
    ),
    (
        "score steps.jsonl --scorer trajectory --compat ragas --order-matters",
        "--order-matters: it has no effect beside --compat ragas",
    ),
    (
        "score steps.jsonl --scorer trajectory --metric single_tool_use --set tool_name=\"g\" --set ignore=[\"n\"]",
        "--set ignore: it has no effect beside --metric single_tool_use",
    ),
    (
        "drive suite.toml --agent script:script.jsonl --scorer tool_call --set fuzzyOptions={\"substring\":false}",
        "--set fuzzyOptions: it has no effect without --params fuzzy",
    ),
    ("drive suite.toml --agent script:script.jsonl --gold", "--gold has no effect without --output: "),
    (
        "drive suite.toml --agent script:script.jsonl --to csv",
        "--to has no effect without --output or --turns: ",
    ),
    (
        "drive suite.toml --agent script:script.jsonl --template own.txt",
        "--template has no effect without --grade: ",
    ),
    (
        "drive langchain:multiverse --agent script:script.jsonl --scorer tool_call",
        "--scorer has no effect: a built-in task has scores of its own",
    ),
];

#[test]
fn what_is_typed_and_has_no_effect_is_refused() {
    let work = workspace();
    let before = work.names();
    for (typed, said) in REFUSED {
        let words: Vec<&str> = typed.split(' ').collect();
        let ran = work.run(&words);
        assert_eq!(ran.code, Some(2), "{typed}\n{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(said), "{typed}\n{}", ran.stderr);
    }
    assert_eq!(work.names(), before);
}

#[test]
fn an_error_over_what_a_settings_file_says_names_the_place() {
    let work = workspace();
    for (settings, typed, said) in [
        (
            "[label]\ndrop = ['nope']",
            "label in.csv",
            "tooljudge.toml: line 2: [label] `drop`: --drop: there is no column",
        ),
        (
            "[label]\npurse = 'a'",
            "label in.csv",
            "tooljudge.toml: line 2: [label] `purse`: --purse shares a limit",
        ),
        ("[label]\nlimit = 2", "label in.csv --drop nope", "error: --drop: there is no column"),
        (
            "[label]\nkeep = ['tool_cal']",
            "label in.csv",
            "[label] `keep`: --keep: there is no column `tool_cal`; did you mean `tool_call`?",
        ),
        ("[label]\nlimit = 2", "label in.csv --keep id,nope", "error: --keep: there is no column `nope`"),
        ("[score]\nrequire_all = false", "score cases.jsonl --scorer trajectory", "[score] `require_all`: "),
    ] {
        work.file("tooljudge.toml", settings);
        let words: Vec<&str> = typed.split(' ').collect();
        let ran = work.run(&words).ended(2);
        assert!(ran.stderr.contains(said), "{settings}: {typed}\n{}", ran.stderr);
    }
}

#[test]
fn what_only_says_how_models_are_asked_or_which_gate_decides_is_a_warning() {
    let work = workspace();
    for (typed, said) in [
        (
            "label in.csv --max-abstained 1 --allow-unjudged 1 --rpm 5 --votes 3 --purse mine --max-cost 1",
            "the built-in judge does not use --votes, --rpm, --max-cost, --purse",
        ),
        (
            "label in.csv --judge ollama:m --decide always --dry-run",
            "--decide is of use to the built-in judge only; choose it with --judge builtin",
        ),
        (
            "label in.csv --judge ollama:m --base-rate 0.5 --dry-run",
            "--base-rate is of use to the built-in judge only; choose it with --judge builtin",
        ),
        ("audit in.csv --limit 6 --again 2", "the built-in judge does not use --again"),
        (
            "score cases.jsonl --scorer tool_call --allow-failures --min-pass-rate 0",
            "--allow-failures has no effect beside --min-pass-rate: that gate decides",
        ),
        (
            "drive suite.toml --agent script:script.jsonl --allow-failures --min-pass-rate 0",
            "--allow-failures has no effect beside --min-pass-rate: that gate decides",
        ),
    ] {
        let words: Vec<&str> = typed.split(' ').collect();
        let ran = work.run(&words).ended(0);
        assert!(ran.stderr.contains(said), "{typed}\n{}", ran.stderr);
    }
}

/// A settings file, what is typed beside it, and what shows that it holds.
const BESIDE: &[(&str, &str, &str)] = &[
    // The file holds what is for other runs of the command.
    ("[label]\nseed = 1", "label in.csv --max-abstained 1 --allow-unjudged 1 --json", "\"rows\": 60"),
    ("[label]\ndecide = 'always'\nrails = ['a', 'b']", "label in.csv --json", "\"rows\": 60"),
    (
        "[label]\ngate_on = 'low'\nfold = ['id']",
        "label in.csv --max-abstained 1 --allow-unjudged 1 --json",
        "\"rows\": 60",
    ),
    (
        "[score]\nto = 'csv'\nexplain = true",
        "score cases.jsonl --scorer tool_call --allow-failures",
        "1 case",
    ),
    (
        "[score]\ntolerance = 0.1",
        "score cases.jsonl --scorer tool_call --params strict --allow-failures",
        "1 case",
    ),
    ("[score]\nquestions = 'q.json'", "score cases.jsonl --scorer tool_call --allow-failures", "1 case"),
    ("[drive]\ngold = true", "drive suite.toml --agent script:script.jsonl", "1 of 1"),
    // What is typed needs what the file holds.
    ("[label]\nsample = 5", "label in.csv --seed 3 --allow-unjudged 1 --json", "\"rows\": 5"),
    ("[label]\nmin_pass_rate = 0.1", "label in.csv --gate-on low --allow-unjudged 1 --json", "\"rows\": 60"),
    (
        "[label]\nfold_output = 'folds.csv'",
        "label in.csv --fold id --allow-unjudged 1 --json",
        "\"rows\": 60",
    ),
    ("[score]\nparams = 'fuzzy'", "score cases.jsonl --scorer tool_call --tolerance 0.1", "passed   1 of 1"),
    // Of two that cannot stand together, the one that was typed holds.
    ("[label]\nsample = 5", "label in.csv --limit 2 --allow-unjudged 1 --json", "\"rows\": 2"),
    ("[label]\nlimit = 2", "label in.csv --sample 5 --allow-unjudged 1 --json", "\"rows\": 5"),
    ("[label]\noverwrite = true", "label in.csv --prefix x_ --allow-unjudged 1 --json", "\"rows\": 60"),
    (
        "[label]\ntemplate = 'own.txt'",
        "label in.csv --task tool_selection --allow-unjudged 1 --json",
        "tool_selection",
    ),
    (
        "[label]\ntask = 'tool_calling'",
        "label in.csv --template tool_selection --allow-unjudged 1 --json",
        "tool_selection",
    ),
    (
        "[label]\nfirst = 'builtin'\njudge = 'openai:m'",
        "label in.csv --judge builtin --allow-unjudged 1 --json",
        "\"rows\": 60",
    ),
    // What it says beside the scorer that it names is about that scorer.
    (
        "[score]\nscorer = 'tool_correctness'\nstrict = true\nset = ['evaluation_params=[\"OUTPUT\"]']",
        "score cases.jsonl --scorer trajectory",
        "passed   1 of 1",
    ),
    (
        "[score]\nscorer = 'trajectory'\nargs = 'exact'",
        "score cases.jsonl --scorer trajectory --allow-failures",
        "passed   0 of 1",
    ),
    ("[score]\nargs = 'exact'", "score cases.jsonl --scorer trajectory --allow-failures", "passed   0 of 1"),
    (
        "[drive]\nscorer = 'tool_call'\nset = ['allowExtras=false']",
        "drive suite.toml --agent script:script.jsonl --scorer tool_correctness",
        "1 of 1",
    ),
    (
        "[score]\nscorer = 'trajectory'\nset = {ignore = ['n'], tool_args_match_mode = 'exact'}",
        "score cases.jsonl",
        "passed   1 of 1",
    ),
    // Its labels are those of its template.
    (
        "[label]\njudge = 'ollama:m'\ntemplate = 'own.txt'\nrails = ['good', 'bad']",
        "label in.csv --task tool_calling --dry-run --json",
        "Answer \\\"correct\\\" only if",
    ),
    // The file's format is about the file's output.
    (
        "[score]\nto = 'csv'",
        "score own.jsonl --scorer tool_call --tolerance 0.1 -o out.jsonl",
        "passed   1 of 1",
    ),
    // A case's own settings count, whichever case has them.
    ("", "score mixed.jsonl --scorer tool_call --tolerance 0.1 --allow-failures", "passed   1 of 2"),
    ("", "score own.jsonl --scorer tool_call --tolerance 0.1", "passed   1 of 1"),
];

#[test]
fn a_settings_file_hinders_nothing_that_is_typed() {
    for (settings, typed, shown) in BESIDE {
        let work = workspace();
        work.file("tooljudge.toml", settings);
        let words: Vec<&str> = typed.split(' ').collect();
        let ran = work.run(&words).ended(0);
        assert!(ran.stdout.contains(shown), "{settings}\n{typed}\n{}{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains("no effect"), "{settings}\n{typed}\n{}", ran.stderr);
        if typed.contains("out.jsonl") {
            assert!(work.read("out.jsonl").starts_with('{'), "{}", work.read("out.jsonl"));
        }
    }
}

#[test]
fn a_value_that_cannot_be_is_named_with_its_option_and_where_it_stands() {
    let work = workspace();
    for (settings, typed, said) in [
        (
            "",
            "score cases.jsonl --scorer tool_call --tolerance 3",
            "'3' for '--tolerance <SHARE>': expected a share between 0 and 1",
        ),
        ("", "score cases.jsonl --scorer tool_call --params about", "--params: it must be `strict`, `fuzzy`"),
        (
            "",
            "score cases.jsonl --scorer tool_call --strict",
            "--strict: this scorer has no such setting; its settings are: ordered",
        ),
        ("", "score cases.jsonl --scorer trajectory --match near", "--match: it must be "),
        (
            "",
            "score cases.jsonl --scorer tool_call --set params=1",
            "--set params: it must be `strict`, `fuzzy`",
        ),
        (
            "[score]\ntolerance = 3",
            "score cases.jsonl --scorer tool_call",
            "tooljudge.toml: line 2: [score] `tolerance`: expected a share between 0 and 1 (it is 3)",
        ),
        (
            "[score]\nscorer = 'tool_call'\nparams = 'about'",
            "score cases.jsonl",
            "tooljudge.toml: line 3: [score] `params`: it must be `strict`, `fuzzy`",
        ),
        (
            "[label]\nmin_pass_rate = 1.5",
            "label in.csv",
            "tooljudge.toml: line 2: [label] `min_pass_rate`: expected a share between 0 and 1 (it is 1.5)",
        ),
        (
            "[prices.\"gpt-5\"]\ninput = 1\noutput = 1",
            "label in.csv",
            "tooljudge.toml: line 1: [prices.\"gpt-5\"]: a price is that of",
        ),
    ] {
        work.file("tooljudge.toml", settings);
        let words: Vec<&str> = typed.split(' ').collect();
        let ran = work.run(&words).ended(2);
        assert!(ran.stderr.contains(said), "{settings}\n{typed}\n{}", ran.stderr);
    }
}
