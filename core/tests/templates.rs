//! Templates, parsed and rendered.

use tooljudge_core::domain::{AnswerForm, Cell, Message, RawRow, Role, Sample, Slot, ToolResult, Variable};
use tooljudge_core::normalize::{Normalizer, Options};
use tooljudge_core::render::{Template, TemplateError};

fn jinja(body: &str) -> Result<Template, TemplateError> {
    Template::parse(
        "t",
        &format!(
            "+++\nname = \"t\"\ntask = \"tool_calling\"\npositive = \"yes\"\n\
             rails = [{{ label = \"yes\", score = 1 }}, {{ label = \"no\", score = 0 }}]\n\
             variables = [\"question\", \"tool_call\"]\n+++\n{body}"
        ),
    )
}

fn sample(question: &str, call: &str) -> Sample {
    let cell = |text: &str| Cell::Text(text.to_owned());
    let row = RawRow { question: cell(question), tool_call: cell(call), ..RawRow::default() };
    Normalizer::new(Options::default()).unwrap().sample(row).unwrap()
}

fn text(template: &Template, sample: &Sample) -> Result<String, TemplateError> {
    template.render(sample, AnswerForm::LABEL).map(|prompt| prompt.text)
}

#[test]
fn values_are_never_read_again() {
    let template = Template::parse("t", "{question}|{tool_call}").unwrap();
    assert_eq!(text(&template, &sample("{tool_call}", "{question}")).unwrap(), "{tool_call}|{question}");
    let template = jinja("{{ question }}{{ tool_call }}").unwrap();
    let text = text(&template, &sample("{{ tool_call }}", "{% if")).unwrap();
    assert!(text.contains("\n{{ tool_call }}\n") && text.contains("\n{% if\n"));
}

#[test]
fn what_came_of_a_call_is_shown_where_it_is_asked_for() {
    let mut row = sample("Oslo?", "f(city='Oslo')");
    let result =
        |content: &str, is_error| ToolResult { tool_call_id: None, content: content.to_owned(), is_error };
    row.after.results = vec![result("{sunny}", false)];
    row.after.next = Some(Message::new(Role::Assistant, "It is sunny."));
    row.extras.insert(Variable::Slot(Slot::Reference), "sun".to_owned());
    row.extras.insert(Variable::Column("the policy".into()), "be kind".to_owned());
    for (source, expected) in [
        ("{tool_result}", "{sunny}"),
        ("{response}|{next_message}", "It is sunny.|It is sunny."),
        ("{reference} {response}", "sun It is sunny."),
        ("{row[\"the policy\"]} {response}", "be kind It is sunny."),
        (
            "{transcript}",
            "user: Oslo?\n\nassistant: [{\"name\":\"f\",\"arguments\":{\"city\":\"Oslo\"}}]\n\ntool: {sunny}\n\nassistant: It is sunny.",
        ),
        // Names of other tools.
        (
            "{input}|{tool_selection}|{available_tools}|{output}",
            "Oslo?|f(city='Oslo')|No definitions were logged.|It is sunny.",
        ),
        ("{inputs} {outputs} {expectations}", "Oslo? It is sunny. sun"),
        ("{conversation} {tool_call}", "Oslo? f(city='Oslo')"),
    ] {
        assert_eq!(text(&Template::parse("t", source).unwrap(), &row).unwrap(), expected, "{source}");
    }
    row.after.results.push(result("down", true));
    let several = text(&Template::parse("t", "{tool_result}").unwrap(), &row).unwrap();
    assert_eq!(several, r#"[{"content":"{sunny}"},{"content":"down","is_error":true}]"#);
}

#[test]
fn a_row_lacks_only_what_is_shown() {
    let head = "+++\nname = \"t\"\ntask = \"tool_calling\"\npositive = \"yes\"\n\
                rails = [{ label = \"yes\", score = 1 }, { label = \"no\", score = 0 }]\n+++\n";
    let slot = Variable::Slot;
    let column = || Variable::Column("policy".into());
    for (body, required, lacks) in [
        ("{{ tool_call }}{{ tool_result }}", vec![slot(Slot::ToolResult)], true),
        ("{{ question }}{{ tool_call }}{{ row.policy }}", vec![slot(Slot::Question), column()], true),
        ("{{ response }}{{ row['policy'] }}", vec![slot(Slot::Response), column()], true),
        (
            "{{ question }}{{ tool_call }}{% if reference is defined %}{{ reference }}{% endif %}",
            vec![slot(Slot::Question)],
            false,
        ),
        ("{{ question }}{{ tool_call }}{% if response %}x{% endif %}", vec![slot(Slot::Question)], false),
        ("{{ transcript }}", vec![slot(Slot::Transcript)], false),
    ] {
        let template = Template::parse("t", &format!("{head}{body}")).unwrap();
        let mut found = template.required();
        found.sort();
        assert_eq!(found, required, "{body}");
        let shown = text(&template, &sample("q", "f()"));
        assert_eq!(matches!(shown, Err(TemplateError::Lacking(_))), lacks, "{body}: {shown:?}");
    }
    for body in ["{{ row[question] }}{{ tool_call }}", "{{ row }}{{ tool_call }}"] {
        let error = Template::parse("t", &format!("{head}{body}")).unwrap_err();
        assert_eq!(error, TemplateError::UnknownColumn, "{body}");
    }
}

#[test]
fn jinja_without_front_matter_is_refused() {
    for (source, tag) in [
        ("{{ question }}\n{% if explain %}x{% endif %}{{ tool_call }}", "{% if explain %}"),
        ("{question}\n{# a note #}{tool_call}", "{# a note #}"),
        ("{question}\n{{ tool_call | upper }}", "{{ tool_call | upper }}"),
        ("{{tool_call}}\n{{#question}}{{question}}{{/question}}", "{{#question}}"),
    ] {
        let tag = tag.to_owned();
        assert_eq!(
            Template::parse("t", source).unwrap_err(),
            TemplateError::JinjaWithoutFrontMatter { line: 2, tag },
            "{source}"
        );
    }
    for fine in [
        "{question} {tool_call} 100{% of it",
        r#"{{question}} {{ tool_call }} {"a": {"b": 1}} {{"c": 1}}"#,
        "{question} {tool_call} {{ 50 %}}",
    ] {
        Template::parse("t", fine).unwrap();
    }
}

#[test]
fn labels_that_the_wording_does_not_name() {
    let unnamed = |text: &str| {
        Template::parse("t", &format!("{{question}} {{tool_call}} {text}")).unwrap().unnamed_labels()
    };
    assert_eq!(unnamed("Answer \"Correct\" or *incorrect*."), [""; 0]);
    assert_eq!(unnamed("Answer valid or invalid."), ["correct", "incorrect"]);
    assert_eq!(unnamed("Answer incorrect or right."), ["correct"]);
    assert_eq!(unnamed("correctly, incorrect"), ["correct"]);
    assert_eq!(
        jinja("{{ question }}{{ tool_call }} yes{% if explain %} or no{% endif %}").unwrap().unnamed_labels(),
        [""; 0]
    );
    for (task, _) in tooljudge_core::render::builtins() {
        assert_eq!(tooljudge_core::render::builtin(task).unwrap().unnamed_labels(), [""; 0]);
    }
}

#[test]
fn mistakes_are_named_before_anything_runs() {
    let unknown =
        |names: &[&str]| TemplateError::UnknownVariables(names.iter().map(|n| n.to_string()).collect());
    assert_eq!(jinja("{{ question }}{{ tool_call }}{{ tool_cal }}").unwrap_err(), unknown(&["tool_cal"]));
    assert_eq!(
        jinja("{{ question }}").unwrap_err(),
        TemplateError::MissingVariables(vec!["tool_call".into()])
    );
    assert_eq!(
        jinja("{{ question }}{{ tool_call }}{{ tool_definitions }}").unwrap_err(),
        TemplateError::UndeclaredVariables(vec!["tool_definitions".into()])
    );
    assert!(matches!(jinja("{{ question }").unwrap_err(), TemplateError::Syntax(_)));
    assert!(matches!(
        jinja("{{ question | nofilter }}{{ tool_call }}").unwrap_err(),
        TemplateError::Syntax(_) | TemplateError::Render(_)
    ));
    assert_eq!(
        Template::parse("t", "{question}").unwrap_err(),
        TemplateError::MissingVariables(vec!["tool_call".into()])
    );
    assert_eq!(Template::parse("t", "{question} {tool_call} {tool}").unwrap_err(), unknown(&["tool"]));
    let line = |error: TemplateError| error.to_string();
    assert!(line(jinja("{{ question }}\n{{ tool_call").unwrap_err()).starts_with("line 9: syntax error"));
    let head = "+++\nname = \"t\"\nlabels = 1\n+++\n{{ question }}";
    let why = line(Template::parse("t", head).unwrap_err());
    assert!(why.starts_with("front matter: line 3: unknown field `labels`"), "{why}");
    let long = format!("{{question}} {{tool_call}} {{{}}}", "x".repeat(9_999));
    assert!(line(Template::parse("t", &long).unwrap_err()).len() < 300);
    for (name, remedy) in [
        ("document_text", "; or say --column document_text=COLUMN"),
        ("tool_cal", "; did you mean `tool_call`?"),
        (&*"x".repeat(31), "row[\"column\"]"),
        (&*"x".repeat(30), "x=COLUMN"),
    ] {
        let why = line(Template::parse("t", &format!("{{question}} {{tool_call}} {{{name}}}")).unwrap_err());
        assert!(why.ends_with(remedy) && why.len() < 300, "{why}");
    }
    assert!(matches!(Template::parse("t", "+++\nname=\"x\"\n").unwrap_err(), TemplateError::FrontMatter(_)));
}
