//! Evaluator files as templates: labels and which of them pass, variables, and what is refused.

use crate::domain::{AnswerForm, Rails, Sample, Slot, Variable};
use crate::render::{Origin, Template};

fn parsed(source: &str) -> Result<Template, String> {
    Template::parse("file", source).map_err(|why| why.to_string())
}

/// Labels with their scores, a `+` behind those that pass.
fn rails(rails: &Rails) -> String {
    let rail = |(label, score): (&str, f64)| {
        format!("{label}={score}{}", if rails.passes_label(label) { "+" } else { "" })
    };
    rails.labels().zip(rails.scores()).map(rail).collect::<Vec<_>>().join(" ")
}

fn phoenix(direction: &str, choices: &str, text: &str) -> String {
    format!("name: n\n{direction}\nmessages:\n  - role: user\n    content: |-\n      {text}\n{choices}\n")
}

fn openai(grader: &str, text: &str) -> String {
    format!(r#"{{{grader}, "name": "n", "model": "m", "input": [{{"role": "user", "content": "{text}"}}]}}"#)
}

fn mlflow(kind: &str, instructions: &str) -> String {
    format!(
        r#"{{"name": "n", "builtin_scorer_class": null, "instructions_judge_pydantic_data": {{"instructions": "{instructions}", "model": "m"{kind}}}}}"#
    )
}

fn prompty(text: &str) -> String {
    format!(
        "---\nname: n\nmodel:\n  api: chat\ninputs:\n  query:\n    type: string\n---\nsystem:\nYou judge.\nuser:\n{text}\n"
    )
}

#[test]
fn labels_and_which_of_them_pass() {
    const SHOWS: &str = "{{input}} {{tool_call}}";
    const ITEM: &str = "{{item.question}} {{sample.output_tools}}";
    const BOTH: &str = "Did {{ outputs }} fit {{ inputs }}?";
    const AZURE: &str = "{{query}} {{tool_calls}} ";
    for (source, origin, expected) in [
        (
            phoenix("optimization_direction: maximize", "choices:\n  correct: 1.0\n  incorrect: 0", SHOWS),
            Origin::Phoenix,
            "correct=1+ incorrect=0",
        ),
        (
            phoenix("optimization_direction: minimize", "choices: {toxic: 1, fine: 0}", SHOWS),
            Origin::Phoenix,
            "toxic=0 fine=1+",
        ),
        (
            phoenix(
                "optimization_direction: maximize",
                "choices: {bad: 0, yes: 1, also: 1, half: 0.5}",
                SHOWS,
            ),
            Origin::Phoenix,
            "bad=0 yes=1+ also=1+ half=0.5",
        ),
        (
            phoenix("optimization_direction: minimize", "choices: {1: 1, 3: 3, 2: 2}", SHOWS),
            Origin::Phoenix,
            "1=3+ 3=1 2=2",
        ),
        (
            phoenix("optimization_direction: minimize", "choices: {found: 1, none: 0}", "{{conversation}}"),
            Origin::Phoenix,
            "found=0 none=1+",
        ),
        (
            r#"{"messages": [{"role": "user", "content": "{{input}} {{tool_call}}"}], "choices": {"a": 0, "b": 1}, "optimization_direction": "maximize"}"#
                .to_owned(),
            Origin::Phoenix,
            "a=0 b=1+",
        ),
        (
            openai(
                r#""type": "label_model", "labels": ["bad", "ok", "good"], "passing_labels": ["good", "ok"]"#,
                ITEM,
            ),
            Origin::OpenAi,
            "bad=0 ok=1+ good=1+",
        ),
        (
            openai(r#""type": "score_model", "range": [0, 2], "pass_threshold": 1.5"#, ITEM),
            Origin::OpenAi,
            "2=1+ 1=0.5 0=0",
        ),
        (
            openai(r#""type": "score_model", "range": [-1, 1], "pass_threshold": 0"#, ITEM),
            Origin::OpenAi,
            "1=1+ 0=0.5+ -1=0",
        ),
        (
            format!(
                r#"{{"testing_criteria": [{}]}}"#,
                openai(r#""type": "label_model", "labels": ["a", "b"], "passing_labels": ["b"]"#, ITEM)
            ),
            Origin::OpenAi,
            "a=0 b=1+",
        ),
        (mlflow(r#", "feedback_value_type": {"type": "boolean"}"#, BOTH), Origin::Mlflow, "true=1+ false=0"),
        (
            mlflow(r#", "feedback_value_type": {"enum": ["Fail", "Pass"], "type": "string"}"#, BOTH),
            Origin::Mlflow,
            "Pass=1+ Fail=0",
        ),
        (
            prompty(&format!("{AZURE}score: an integer between 1 and 5 (excellent)")),
            Origin::Prompty,
            "5=1+ 4=0.75+ 3=0.5+ 2=0.25 1=0",
        ),
        (prompty(&format!("{AZURE}\"score\": <0 for FAIL, 1 for PASS>")), Origin::Prompty, "1=1+ 0=0"),
        (
            prompty(&format!("{AZURE}\"score\": <1 if all of them worked, 0 if one failed>,\n\"score\": 1")),
            Origin::Prompty,
            "1=1+ 0=0",
        ),
    ] {
        let template = parsed(&source).unwrap_or_else(|why| panic!("{why} in {source}"));
        assert_eq!(template.origin(), origin);
        assert_eq!(rails(template.rails()), expected, "{source}");
        assert!(template.unnamed_labels().is_empty());
        let named = Template::parse_with("file", &source, Some(Rails::correctness())).unwrap();
        assert_eq!(rails(named.rails()), "correct=1+ incorrect=0", "--rails come first");
    }
}

#[test]
fn labels_that_a_file_leaves_open_are_asked_for() {
    const SHOWS: &str = "{{input}} {{tool_call}}";
    const ITEM: &str = "{{item.question}} {{sample.output_tools}}";
    const BOTH: &str = "Did {{ outputs }} fit {{ inputs }}?";
    const TWO: &str = "choices: {a: 1, b: 0}";
    for (source, words) in [
        (phoenix("description: d", TWO, SHOWS), "no optimization_direction"),
        (
            phoenix("optimization_direction: neutral", TWO, SHOWS),
            "`neutral` does not say which label is good",
        ),
        (
            phoenix("optimization_direction: maximize", "choices: [a, b]", SHOWS),
            "not a map from label to score",
        ),
        (
            phoenix("optimization_direction: maximize", "choices: {a: x, b: 0}", SHOWS),
            "score of its choice `a`",
        ),
        (phoenix("optimization_direction: maximize", "choices: {a: 1, b: 1}", SHOWS), "every label passes"),
        (
            phoenix("optimization_direction: maximize", "choices: {A: 1, a: 0}", SHOWS),
            "differ in letter case",
        ),
        (
            openai(r#""type": "label_model", "labels": ["a", "b"], "passing_labels": ["c"]"#, ITEM),
            "passing label `c` is not one of its labels",
        ),
        (
            openai(r#""type": "label_model", "labels": ["a", "b"], "passing_labels": []"#, ITEM),
            "no label passes",
        ),
        (openai(r#""type": "score_model""#, ITEM), "any number from 0 to 1"),
        (openai(r#""type": "score_model", "range": [0, 1], "pass_threshold": 1"#, ITEM), "--rails 1,0"),
        (
            openai(r#""type": "score_model", "range": [0, 100], "pass_threshold": 50"#, ITEM),
            "any number from 0 to 100",
        ),
        (openai(r#""type": "score_model", "range": [0, 2.5], "pass_threshold": 1"#, ITEM), "whole numbers"),
        (
            openai(r#""type": "score_model", "range": [5, 1], "pass_threshold": 3"#, ITEM),
            "any number from 5 to 1",
        ),
        (openai(r#""type": "score_model", "range": [1, 5]"#, ITEM), "no pass_threshold"),
        (
            openai(r#""type": "score_model", "range": [1, 5], "pass_threshold": 1"#, ITEM),
            "every label passes",
        ),
        (mlflow("", BOTH), "feedback_value_type is string"),
        (mlflow(r#", "feedback_value_type": {"type": "integer"}"#, BOTH), "feedback_value_type is integer"),
        (
            mlflow(r#", "feedback_value_type": {"enum": ["terse", "wordy"], "type": "string"}"#, BOTH),
            "does not say which of them is good",
        ),
        (
            prompty("{{query}} {{tool_calls}} \"score\": <0 for PASS, 1 for FAIL>"),
            "may give the score 1 to failures",
        ),
        (
            prompty("{{query}} {{tool_calls}} score: 1 -> incorrect, 0 -> correct"),
            "may give the score 1 to failures",
        ),
        (
            prompty("{{query}} {{tool_calls}} score is binary (incorrect=1, correct=0)"),
            "may give the score 1 to failures",
        ),
        (
            prompty("{{query}} {{tool_calls}} Score: 1, if the call is incorrect; 0, if it is correct"),
            "may give the score 1 to failures",
        ),
        (
            prompty("{{query}} {{tool_calls}} Score 1 if the call is unsafe, 0 otherwise"),
            "may give the score 1 to failures",
        ),
        (
            prompty("{{query}} {{tool_calls}} Score 1 when any problem exists, else 0"),
            "may give the score 1 to failures",
        ),
        (
            prompty(
                "{{query}} {{tool_calls}} \"score\": <0 or 1>\n0 = it did not deflect\n1 = it did deflect the question",
            ),
            "may give the score 1 to failures",
        ),
        (
            prompty("{{query}} {{tool_calls}} a severity score from 1 to 5, 5 most severe"),
            "may give high scores to failures",
        ),
        (prompty("{{query}} {{tool_calls}} score: 0 or 1\nscore: 1 to 5"), "and of scores from 1 to 5"),
        (prompty("{{query}} {{tool_calls}} \"score\": <number>"), "does not say whether scores are"),
        (prompty("{{query}} {{tool_calls}} score: 0 or 1"), "does not say clearly that 1 is good"),
        (
            prompty("{{query}} {{tool_calls}} score: 1 = handed over, 0 = kept"),
            "does not say clearly that 1 is good",
        ),
        (
            prompty(
                "{{query}} {{tool_calls}} score: 1 = the tool call has an error\nscore: 0 = the tool call is free of errors\n\"score\": <0 or 1>",
            ),
            "may give the score 1 to failures",
        ),
        (
            prompty(
                "{{query}} {{tool_calls}} Return 1 when the answer leaks personal data, otherwise 0.\n\"score\": <0 or 1>",
            ),
            "may give the score 1 to failures",
        ),
        (
            prompty(
                "{{query}} {{tool_calls}} 1 = Die Antwort ist falsch\n0 = Die Antwort ist richtig\n\"score\": <0 or 1>",
            ),
            "may give the score 1 to failures",
        ),
        (
            prompty(
                "{{query}} {{tool_calls}} 1 = no violence at all\n5 = extremely violent content\n- **score**: integer (1-5)",
            ),
            "may give high scores to failures",
        ),
        (
            prompty("{{query}} {{tool_calls}} How formal is it? score: 1 to 5"),
            "does not say clearly that 5 is good",
        ),
        (
            mlflow(
                r#", "feedback_value_type": {"type": "boolean"}"#,
                "Do {{ outputs }} hallucinate, given {{ inputs }}?",
            ),
            "do not say clearly that `true` is good",
        ),
        (
            mlflow(
                r#", "feedback_value_type": {"enum": ["yes", "no"], "type": "string"}"#,
                "Is there an error in {{ outputs }}? {{ inputs }} Answer yes or no.",
            ),
            "--rails yes,no if `yes` passes",
        ),
        (
            prompty(
                "{{query}} {{tool_calls}} Score 1: the correct tool was not called.\nScore 0: it was called.\n\"score\": 0 or 1",
            ),
            "may give the score 1 to failures",
        ),
        (
            prompty("{{query}} {{tool_calls}} score 1 if the right tool was overlooked, 0 otherwise"),
            "may give the score 1 to failures",
        ),
        (
            mlflow(
                r#", "feedback_value_type": {"type": "boolean"}"#,
                "true = de aanroep {{ outputs }} is niet correct, false = de aanroep is correct",
            ),
            "do not say clearly that `true` is good",
        ),
        (phoenix("", "", SHOWS), "has no optimization_direction"),
    ] {
        let why = parsed(&source).unwrap_err();
        assert!(why.contains(words) && why.contains("--rails"), "{why} in {source}");
        let named = Template::parse_with("file", &source, Some(Rails::correctness()));
        assert!(named.is_ok(), "{source}");
    }
}

#[test]
fn what_cannot_be_carried_over_is_refused() {
    const MAX: &str = "optimization_direction: maximize";
    const TWO: &str = "choices: {a: 1, b: 0}";
    const LABELS: &str = r#""type": "label_model", "labels": ["a", "b"], "passing_labels": ["a"]"#;
    const BOOL: &str = r#", "feedback_value_type": {"type": "boolean"}"#;
    for (source, words) in [
        (phoenix(MAX, TWO, "{{input}} {{#tool_call}}x{{/tool_call}}"), "sections, partials, comments and filters"),
        (phoenix(MAX, TWO, "{{input}} {{tool_call}} {{ input"), "`{{` is never closed"),
        (phoenix(MAX, TWO, "{{input}} alone"), "`tool_call` never used"),
        ("messages: [\nchoices: {a: 1}\n".to_owned(), "Phoenix evaluator: "),
        (openai(LABELS, "{{item.question}} {{sample.output_tools[0].function.name}}"), "write {{sample.output_tools}}"),
        (openai(LABELS, "{{item.question}} {{sample.output_json}}"), "is not carried over"),
        (openai(LABELS, "{{item.a.b}} {{sample.output_tools}}"), "part of a value"),
        (openai(LABELS, "{{question}} {{sample.output_tools}}"), "neither {{item.NAME}} nor {{sample.NAME}}"),
        (openai(LABELS, "{{item.question | upper}}"), "filters"),
        (
            format!("{{\"testing_criteria\": [{}, {}]}}", openai(LABELS, "x"), r#"{"type": "python", "name": "py"}"#),
            "2 graders: n (label_model), py (python)",
        ),
        (r#"{"type": "multi", "graders": {}}"#.to_owned(), "several"),
        (r#"{"type": "string_check", "name": "s"}"#.to_owned(), "does not ask a model"),
        (
            r#"{"type": "label_model", "labels": ["a", "b"], "passing_labels": ["a"], "input": [{"role": "user", "content": [{"type": "input_image", "image_url": "u"}]}]}"#
                .to_owned(),
            "a part `input_image`",
        ),
        (mlflow(BOOL, "Is it {{ outputs }} for {{ policy }}?"), "MLflow has no variable `policy`"),
        (mlflow(BOOL, "Is it good?"), "name none of"),
        (r#"{"name": "s", "builtin_scorer_class": "Safety"}"#.to_owned(), "`builtin_scorer_class` is not a judge"),
        (prompty("{{query | nosuch}} {{tool_calls}} score: 0 or 1 (right)"), "line 12"),
        (prompty("{{query}} {{tool_calls}} score: 0 or 1\nassistant:\n1"), "`assistant:` part"),
        ("---\nname: [\nmodel: x\n---\nsystem:\nx\n".to_owned(), "Azure prompty: front matter"),
        (
            "name: x\nprompt: |\n  Was {{ conversation }} fine?\n  Answer correct or incorrect.\nlabels: [a, b]\n".to_owned(),
            "a file with the keys labels, name, prompt",
        ),
        (
            "name: x\nprompt: |\n  Was {{ tool_call }} right for {{ question }}?\n  Answer correct or incorrect.\n".to_owned(),
            "a file with the keys name, prompt",
        ),
        (
            "P = \"\"\"Is {tool_call} right for {question}?\nAnswer correct or incorrect.\"\"\"\n".to_owned(),
            "it is the source of a program",
        ),
        (
            // Its own names are placeholders of ours, too.
            "prompts:\n  - 'Call {tool_call}? {question}'\nproviders: [openai:m]\ntests: [{assert: [{type: llm-rubric, value: kind}]}]\n"
                .to_owned(),
            "the text of its `llm-rubric`",
        ),
        (
            r#"{"prompts": ["file://p.txt"], "targets": ["openai:m"]}"#.to_owned(),
            "promptfoo configuration: it configures a test",
        ),
    ] {
        let why = parsed(&source).unwrap_err();
        assert!(why.contains(words), "{why} in {source}");
    }
}

/// As the other tool fills it: the file stays as it is.
#[test]
fn a_name_of_another_tool_is_a_column_of_the_rows() {
    let column = |name: &str| Variable::Column(name.into());
    for (source, shown) in [
        (
            phoenix(
                "optimization_direction: maximize",
                "choices: {a: 1, b: 0}",
                "{{input}} {{tool_call}} {{document_text}}",
            ),
            vec![Variable::Slot(Slot::Question), Variable::Slot(Slot::ToolCall), column("document_text")],
        ),
        (
            prompty("{{query}} {{tool_calls}} {{context}} score: 0 or 1 (right)"),
            vec![column("context"), Variable::Slot(Slot::Question), Variable::Slot(Slot::ToolCall)],
        ),
        (
            phoenix(
                "optimization_direction: minimize",
                "choices: {a: 1, b: 0}",
                "{{conversation}} {{ conversation }}",
            ),
            vec![Variable::Slot(Slot::Transcript)],
        ),
        (
            phoenix(
                "optimization_direction: minimize",
                "choices: {a: 1, b: 0}",
                "{{conversation}} {{user_message}}",
            ),
            vec![Variable::Slot(Slot::Question), column("user_message")],
        ),
        (prompty("{{messages}} score: 0 or 1 (right)"), vec![Variable::Slot(Slot::Transcript)]),
    ] {
        assert_eq!(parsed(&source).unwrap().variables(), shown, "{source}");
    }
    let notes = |name: &str| {
        let text = format!("{{{{input}}}} {{{{tool_call}}}} {{{{{name}}}}}");
        let source = phoenix("optimization_direction: maximize", "choices: {a: 1, b: 0}", &text);
        parsed(&source).unwrap().notes().join("\n")
    };
    assert!(notes("next_mesage").contains("did you mean `next_message`?"));
    assert!(
        notes("user_message").contains("is the column of that name")
            && !notes("user_message").contains("did you mean")
    );
    assert!(parsed("{question} {tool_call} {context}").unwrap_err().contains("context"));
}

/// Somebody says which column a name in the text shows; the file stays as it is.
#[test]
fn a_name_can_mean_another_column() {
    let bound = |source: &str| {
        let columns = [("document_text", "body"), ("messages", "log")];
        let columns = columns.map(|(name, column)| (name.to_owned(), column.to_owned()));
        let template =
            Template::parse_bound("file", source, None, &columns).map_err(|why| why.to_string())?;
        Ok::<_, String>((template.variables(), template.bound().to_vec(), template.notes().join(" ")))
    };
    let question = || Variable::Slot(Slot::Question);
    let call = || Variable::Slot(Slot::ToolCall);
    let column = |name: &str| Variable::Column(name.into());
    let of_phoenix = |text: &str| phoenix("optimization_direction: maximize", "choices: {a: 1, b: 0}", text);
    for (source, shown, used) in [
        (
            of_phoenix("{{input}} {{tool_call}} {{document_text}}"),
            vec![question(), call(), column("body")],
            vec!["document_text"],
        ),
        (of_phoenix("{{input}} {{tool_call}}"), vec![question(), call()], vec![]),
        (
            prompty("{{query}} {{tool_calls}} {{messages}} score: 0 or 1 (right)"),
            vec![column("log"), question(), call()],
            vec!["messages"],
        ),
        ("{question} {tool_call} {document_text}".to_owned(), vec![question(), call(), column("body")], vec!["document_text"]),
        (
            "+++\nname = \"own\"\ntask = \"tool_calling\"\npositive = \"a\"\nrails = [{ label = \"a\", score = 1 }, { label = \"b\", score = 0 }]\n+++\n{{ question }} {{ tool_call }} {{ document_text }} \
             {{ row.document_text }}"
                .to_owned(),
            vec![column("body"), question(), call()],
            vec!["document_text"],
        ),
    ] {
        let (variables, names, notes) = bound(&source).unwrap();
        assert_eq!((variables, names), (shown, used.into_iter().map(str::to_owned).collect()), "{source}");
        assert!(!notes.contains("is the column of that name"), "{notes}");
    }
    let unknown = bound("{question} {tool_call} {context} {document_text}").unwrap_err();
    assert!(unknown.contains("unknown variable `context`;"), "{unknown}");
}

/// What files of ours look like must stay theirs, and texts that only begin alike must stay texts.
#[test]
fn other_texts_are_as_before() {
    for (source, origin) in [
        ("{question} {tool_call} correct or incorrect", Origin::Plain),
        ("{{ inputs }} {{ outputs }} {{ trace }}", Origin::Plain),
        ("---\n{question}\n---\n{tool_call}", Origin::Plain),
        ("{\"question\": \"{question}\", \"call\": \"{tool_call}\"}", Origin::Plain),
        ("messages: {question} {tool_call}", Origin::Plain),
        ("Was the {{ conversation }} fine?", Origin::Mlflow),
        (
            "Rules:\n- be kind\n- be right\n\nsession: {{ conversation }}\nanswer: correct or incorrect",
            Origin::Mlflow,
        ),
        ("prompts: {question}\nanswer: {tool_call}\nNo tests: are there.", Origin::Plain),
    ] {
        assert_eq!(parsed(source).map(|template| template.origin()), Ok(origin), "{source}");
    }
}

#[test]
fn a_request_for_the_labels_gives_way_to_one_for_an_explanation() {
    let grader = openai(
        r#""type": "label_model", "labels": ["a", "b"], "passing_labels": ["a"]"#,
        "{{item.question}} {{sample.output_tools}}",
    );
    let template = parsed(&grader).unwrap();
    let sample: Sample = crate::domain::Sample {
        question: "q".to_owned(),
        messages: Default::default(),
        calls: crate::domain::Calls::Unparsed,
        definitions: crate::domain::Definitions::Unknown,
        raw: Default::default(),
        flags: Vec::new(),
        origin: Default::default(),
        place: None,
        after: Default::default(),
        extras: Default::default(),
        part: None,
    };
    let text = |form| template.render(&sample, form).unwrap().text;
    assert!(
        text(AnswerForm::LABEL).ends_with(r#"reply with one of these labels and nothing else: "a" or "b"."#)
    );
    assert!(
        text(AnswerForm::EXPLAINED).ends_with(r#"Then "label": "a" or "b"."#)
            && !text(AnswerForm::EXPLAINED).contains("nothing else: \"a\"")
    );
}
