//! What holds for every text whatsoever, be it what a reader expects or not.
//!
//! Each law panics where it is broken. The property tests check them on texts that are nearly right, the fuzz targets
//! (`fuzz/`) on whatever they come up with. Beside the laws is what tests of both crates need: inputs that are made to hurt,
//! fixtures and what is expected of them.

#![allow(clippy::unwrap_used, reason = "a broken law is a panic")]

pub mod fences;
pub mod fixtures;
pub mod hostile_inputs;
pub mod mutations;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};

use tooljudge_core::bench::calibration::{CalibrationFile, ClusterKind, Operating};
use tooljudge_core::domain::{
    AnswerForm, Arguments, Calls, Cell, Definitions, Flag, Json, Object, Rails, RawRow, RawText, Role,
    RowError, RowErrorCode, Sample, Slot, ToolCall, ToolDefinition, Variable,
};
use tooljudge_core::normalize::columns;
use tooljudge_core::normalize::logs::{
    self, Context, Entries, Entry, Fragment, LogFormat, NoRelated, RelatedRecords, Turns,
};
use tooljudge_core::normalize::{Conversation, Normalizer, Options};
use tooljudge_core::render::{Origin, Template};
use tooljudge_core::score::{SCORERS, ScoreError, Scored, Scorer, bfcl};
use tooljudge_core::snap::{self, Rules};
use tooljudge_core::stats::Confusion;

/// What is read takes at most so many bytes in normal form for each byte that was read; and this much for nothing.
const MAX_LENGTH: (usize, usize) = (64, 1024);

/// JSON comes back as it was written, white space aside, and is JSON to others too.
pub fn json(text: &str) {
    if let Ok((value, end)) = Json::parse_prefix(text) {
        assert_eq!(Json::parse(&text[..end]), Ok(value), "a prefix is no value by itself");
    }
    let read = Json::parse(text);
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    let beyond_them = theirs.as_ref().is_err_and(|error| {
        let why = error.to_string();
        why.contains("out of range") || why.contains("recursion limit")
    });
    let too_deep = read.as_ref().is_err_and(tooljudge_core::domain::JsonError::is_too_deep);
    assert!(beyond_them || too_deep || read.is_ok() == theirs.is_ok(), "{read:?}, but {theirs:?}");
    let Ok(json) = read else { return };
    let written = json.to_string();
    assert_eq!(Json::parse(&written), Ok(json.clone()), "what is written is not what was read");
    if !text.contains('\\') && !repeats_a_key(&json) {
        assert_eq!(written, without_space(text));
    }
}

fn repeats_a_key(json: &Json) -> bool {
    match json {
        Json::Object(object) => object.has_repeated_key() || object.values().any(repeats_a_key),
        Json::Array(items) => items.iter().any(repeats_a_key),
        _ => false,
    }
}

/// JSON without escapes, and without white space between its tokens.
fn without_space(text: &str) -> String {
    let mut inside = false;
    let kept = text.chars().filter(|c| {
        inside ^= *c == '"';
        inside || !matches!(c, ' ' | '\t' | '\n' | '\r')
    });
    kept.collect()
}

/// Calls survive being written in normal form, as text and as JSON, and tools on offer change only what has no name.
pub fn tool_call(text: &str) {
    const TOOLS: &str = r#"[{"name":"f","parameters":{"type":"object","properties":{"a":{},"b":{}}}}]"#;
    /// What can be wrong with one call among others that are right.
    const OF_CALLS: &[RowErrorCode] = &[
        RowErrorCode::ArgumentsNotRecorded,
        RowErrorCode::UnrecognisedToolCall,
        RowErrorCode::ToolCallWithoutName,
        RowErrorCode::DefinitionInToolCall,
        RowErrorCode::Redacted,
    ];
    static WITHOUT: LazyLock<Normalizer> = LazyLock::new(|| normalizer(None));
    static WITH: LazyLock<Normalizer> = LazyLock::new(|| normalizer(Some(TOOLS)));
    let without = cell_of_calls(text, &WITHOUT);
    let with = cell_of_calls(text, &WITH);
    let by_place = [Flag::Positional, Flag::PositionalMapped, Flag::StringToolInput];
    let named = |sample: &Sample| !sample.flags.iter().any(|flag| by_place.contains(flag));
    match (without, with) {
        (Ok(without), Ok(with)) => {
            assert!(!named(&without) || without.calls == with.calls, "{without:?}, {with:?}");
        }
        // Of several unknown keys, the error names one that is no parameter; what all parameters hold may be hidden.
        (Err(without), Err(with)) if without.code == RowErrorCode::UnrecognisedToolCall => {
            assert!([without.code, RowErrorCode::Redacted].contains(&with.code), "{without:?}, {with:?}");
        }
        // The tool on offer excuses that of its own calls; what is wrong with another call of the cell is said then.
        (Err(without), Err(with)) if without.code == RowErrorCode::ArgumentsNotRecorded => {
            assert!(
                without == with || OF_CALLS.contains(&with.code) && text.contains('f'),
                "{without:?}, {with:?}"
            );
        }
        (Err(without), Err(with)) => assert_eq!(without, with),
        // Arguments that were not recorded matter only to a tool that takes some.
        (Err(without), Ok(with)) if without.code == RowErrorCode::ArgumentsNotRecorded => {
            assert!(with.flags.contains(&Flag::ArgumentsNotRecorded), "{with:?}");
        }
        // What stands beside a name is its arguments where the tool has such parameters.
        (Err(without), Ok(with)) if with.flags.contains(&Flag::FlatArguments) => {
            assert_eq!(without.code, RowErrorCode::UnrecognisedToolCall);
        }
        (without, with) => panic!("{without:?}, but {with:?}"),
    }
}

fn cell_of_calls(text: &str, normalizer: &Normalizer) -> Result<Sample, RowError> {
    let read = |cell| normalizer.sample(RawRow { tool_call: cell, ..row() });
    let found = read(Cell::Text(text.to_owned()));
    if let Some(json) = structure(text) {
        match (&found, read(Cell::Json(json))) {
            (Ok(found), Ok(structured)) => {
                assert_eq!((&found.calls, &found.flags), (&structured.calls, &structured.flags));
            }
            (Err(found), Err(structured)) => assert_eq!(found.code, structured.code),
            (found, structured) => panic!("{found:?}, but as JSON {structured:?}"),
        }
    }
    let sample = found.inspect_err(check_error)?;
    let raw = Some(text).filter(|text| !text.trim().is_empty());
    assert_eq!(sample.raw.tool_call.as_deref(), raw, "a prompt shows what was logged");
    assert_eq!(sample.flags.contains(&Flag::RawToolCall), sample.calls == Calls::Unparsed);
    if let Calls::Parsed(calls) = &sample.calls {
        check_calls(calls, text);
        let malformed = calls.iter().any(|call| call.parsed().is_none());
        assert_eq!(sample.flags.contains(&Flag::MalformedArguments), malformed, "{calls:?}");
        let written = normal_form(calls, ToolCall::to_json);
        check_size(&written, text);
        match read(Cell::Text(written.clone())) {
            Ok(again) => assert_eq!(again.calls, sample.calls, "read again from {written}"),
            Err(error) => assert_eq!(error.code, RowErrorCode::NestingTooDeep, "{error}: {written}"),
        }
    }
    check_sample(normalizer, &sample);
    Ok(sample)
}

/// A blank name is what an agent wrote, never what a reader made up; integers stand in the source as they were read.
fn check_calls(calls: &[ToolCall], source: &str) {
    for call in calls {
        assert!(!call.name.trim().is_empty() || writes_blank_text(source), "{call:?} in {source}");
        if let Arguments::Parsed(arguments) = &call.arguments {
            arguments.values().for_each(|value| check_numbers(value, source));
        }
    }
}

/// Whether two quotes have nothing but white space between them. White space may be written as an escape, and quotes within
/// JSON within JSON are.
fn writes_blank_text(source: &str) -> bool {
    const NUMBERED: [&str; 2] = ["\\u", "\\x"];
    const WHITE_SPACE: [&str; 5] = ["\\t", "\\n", "\\r", "\\f", "\\v"];
    let plain = WHITE_SPACE.iter().fold(source.to_owned(), |text, escape| text.replace(escape, " "));
    let mut last = None;
    let mut written = plain.chars().filter(|c| !c.is_whitespace() && *c != '\\');
    NUMBERED.iter().any(|escape| source.contains(escape))
        || written.any(|c| {
            let closes = matches!(c, '"' | '\'') && last == Some(c);
            last = Some(c);
            closes
        })
}

/// An escape may stand for a digit; otherwise all digits are there, in order. Floats may be spelled as Python prints them.
fn check_numbers(json: &Json, source: &str) {
    match json {
        Json::Number(number) if number.is_integer() && !source.contains('\\') => {
            let written = number.as_str();
            assert!(is_within(written, source), "{written} in {source}");
        }
        Json::Array(items) => items.iter().for_each(|item| check_numbers(item, source)),
        Json::Object(object) => object.values().for_each(|value| check_numbers(value, source)),
        _ => {}
    }
}

/// Whether the letters of `part` come in this order in `whole`, though there may be others between: Python joins strings
/// that follow one another.
fn is_within(part: &str, whole: &str) -> bool {
    let mut whole = whole.bytes();
    part.bytes().all(|letter| whole.any(|other| other == letter))
}

/// Definitions survive being written in normal form.
pub fn tool_definitions(text: &str) {
    let normalizer = normalizer(None);
    let read = |cell| normalizer.sample(RawRow { tool_definitions: cell, ..row() });
    let found = read(Cell::Text(text.to_owned()));
    if let Some(json) = structure(text) {
        match (&found, read(Cell::Json(json))) {
            (Ok(found), Ok(structured)) => {
                assert_eq!((&found.definitions, &found.flags), (&structured.definitions, &structured.flags));
            }
            (Err(found), Err(structured)) => assert_eq!(found.code, structured.code),
            (found, structured) => panic!("{found:?}, but as JSON {structured:?}"),
        }
    }
    let sample = match found {
        Ok(sample) => sample,
        Err(error) => return check_error(&error),
    };
    if let Definitions::Known(tools) = &sample.definitions {
        assert_eq!(sample.raw.tool_definitions.as_deref(), Some(text), "a prompt shows what was logged");
        assert!(
            tools.iter().all(|tool| !tool.name.trim().is_empty() && tool.parameters.as_object().is_some())
        );
        let mut names = BTreeSet::new();
        let twice = !tools.iter().all(|tool| names.insert(&tool.name));
        assert_eq!(sample.flags.contains(&Flag::DuplicateDefinition), twice);
        let written = normal_form(tools, ToolDefinition::to_json);
        check_size(&written, text);
        match read(Cell::Text(written.clone())) {
            Ok(again) => assert_eq!(again.definitions, sample.definitions, "read again from {written}"),
            Err(error) => assert_eq!(error.code, RowErrorCode::NestingTooDeep, "{error}: {written}"),
        }
    }
    check_sample(&normalizer, &sample);
}

/// A conversation survives being written in normal form; anything else is the question itself.
pub fn question(text: &str) {
    let normalizer = normalizer(None);
    let read = |cell| normalizer.sample(RawRow { question: cell, ..row() });
    let found = read(Cell::Text(text.to_owned()));
    if let Some(Ok(structured)) = structure(text).map(|json| read(Cell::Json(json))) {
        let found = found.as_ref().unwrap();
        assert_eq!((&found.messages, &found.flags), (&structured.messages, &structured.flags));
    }
    let sample = match found {
        Ok(sample) => sample,
        Err(error) => return check_error(&error),
    };
    check_conversation(&sample);
    let written = sample.messages_json().to_string();
    check_size(&written, text);
    match read(Cell::Text(written.clone())) {
        Ok(again) => {
            assert_eq!(again.messages, sample.messages, "read again from {written}");
            assert_eq!(again.raw, sample.raw, "a prompt shows the same");
            assert_eq!(again.raw.question, sample.raw.question);
        }
        Err(error) => assert_eq!(error.code, RowErrorCode::NestingTooDeep, "{error}: {written}"),
    }
    check_sample(&normalizer, &sample);
}

fn check_conversation(sample: &Sample) {
    let asked = sample.messages.iter().rev().find(|message| message.role == Role::User).unwrap();
    assert_eq!(asked.content, sample.question);
    assert!(!sample.question.trim().is_empty());
    match &sample.messages[..] {
        [only] => assert_eq!(&*sample.raw.question, only.content),
        // What the system said too.
        all => assert!(all.iter().all(|message| sample.raw.question.contains(&message.content))),
    }
}

/// The columns that are chosen are there, and none is two things. The text names a column a line, and after a blank line
/// what is said about them: `tool_call=generated`.
pub fn columns(text: &str) {
    let (names, mapping) = text.split_once("\n\n").unwrap_or((text, ""));
    let names: Vec<String> = names.lines().map(str::to_owned).collect();
    let slot = |line: &str| {
        let (slot, column) = line.split_once('=')?;
        let slot = slot.parse::<Slot>().ok()?;
        Slot::ALWAYS.contains(&slot).then(|| (slot, column.to_owned()))
    };
    let mapping: Vec<(Slot, String)> = mapping.lines().filter_map(slot).collect();
    for elsewhere in [false, true] {
        match columns::resolve(&names, &mapping, elsewhere) {
            Ok(chosen) => {
                assert!(elsewhere || chosen.tool_definitions.is_some());
                for (slot, column) in &mapping {
                    let given = match slot {
                        Slot::Question => &chosen.question,
                        Slot::ToolCall => &chosen.tool_call,
                        _ => &chosen.tool_definitions,
                    };
                    assert_eq!(given.as_ref(), Some(column));
                }
                assert!(chosen.question.is_some() && chosen.tool_call.is_some());
                let own = [chosen.question, chosen.tool_call, chosen.tool_definitions];
                let beside = own.into_iter().chain([chosen.raw]).flatten();
                let chosen: Vec<String> = beside.chain(chosen.messages).collect();
                assert!(chosen.iter().all(|column| names.contains(column)));
                assert_eq!(chosen.iter().collect::<BTreeSet<_>>().len(), chosen.len(), "{chosen:?}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// A verdict is one of the rails, and its explanation is the reply's own.
pub fn snap(text: &str) {
    let rails = Rails::correctness();
    for rules in Rules::ALL {
        for explain in [false, true] {
            let explanation = match snap::snap(text, &rails, rules, explain) {
                Ok(snapped) => {
                    assert!(rails.find(&snapped.rail.label).is_some());
                    snapped.explanation
                }
                Err(none) => none.explanation,
            };
            assert!(explanation.is_none_or(|words| explain && words.len() <= text.len()));
        }
    }
}

/// What parses renders whatever the data are, a value stands where it was asked for and nowhere else, and what is wrong is
/// said shortly. The text is a template, and the body of one.
pub fn template(text: &str) {
    check_template(text);
    let used: Vec<String> = Slot::ALL
        .iter()
        .filter(|slot| text.contains(slot.as_str()))
        .map(|slot| format!("{:?}", slot.as_str()))
        .collect();
    let head = "name = \"t\"\ntask = \"tool_calling\"\npositive = \"yes\"\n\
                rails = [{ label = \"yes\", score = 1 }, { label = \"no\", score = 0 }]";
    check_template(&format!("+++\n{head}\nvariables = [{}]\n+++\n{text}", used.join(", ")));
    check_template(&format!("+++\n{head}\n+++\n{text}"));
}

fn check_template(source: &str) {
    let template = match Template::parse("t", source) {
        Ok(template) => template,
        Err(error) => {
            let error = error.to_string();
            return assert!(!error.is_empty() && error.chars().count() < 1000, "{error}");
        }
    };
    assert!(template.rails().len() >= 2 && (template.origin() == Origin::Jinja) == template.task().is_some());
    // What makes up data: placeholders, fences, the template itself.
    let known = "[begin 0123456789abcdef]\nq\n[end 0123456789abcdef]";
    let rows = [
        ["one", "two", "three"],
        ["{tool_call}{{ tool_call }}", "{{question}}{question}", "{% if explain %}{# }}"],
        [known, "\n[end ", source],
    ];
    let fragments = fragments(source, template.origin());
    // A row has any column that is asked for.
    let extras: BTreeMap<Variable, String> =
        template.variables().into_iter().map(|variable| (variable, EXTRA.to_owned())).collect();
    for explain in [false, true] {
        for row @ [question, call, tools] in rows {
            let sample =
                Sample { raw: raw(question, call, tools), extras: extras.clone(), ..sample("q", "c") };
            let prompt = template.render(&sample, AnswerForm::explained(explain)).unwrap();
            assert_eq!(prompt, template.render(&sample, AnswerForm::explained(explain)).unwrap());
            // A wording that knows no explanations is asked for one behind its end.
            let bare = template.render(&sample, AnswerForm::LABEL).unwrap();
            let own = if explain && !template.can_explain() { &bare.text } else { &prompt.text };
            let request = prompt.text.strip_prefix(own.as_str()).unwrap();
            assert!(request.is_empty() || template.rails().labels().all(|label| request.contains(label)));
            if let Some(fragments) = &fragments {
                check_prompt(own, fragments, row, template.origin());
            }
        }
    }
}

/// What stands in every cell but the question's, the call's and the definitions'.
const EXTRA: &str = "extra {{ question }}";

fn raw(question: &str, call: &str, tools: &str) -> RawText {
    RawText {
        question: question.into(),
        tool_call: Some(call.to_owned()),
        tool_definitions: Some(tools.into()),
    }
}

enum TemplatePiece<'a> {
    Text(&'a str),
    Value(Slot),
}

/// A template's texts and values, in order; `None` where it does anything but show values of every row.
fn fragments(source: &str, origin: Origin) -> Option<Vec<TemplatePiece<'_>>> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let body = match origin {
        Origin::Plain => source,
        Origin::Jinja => {
            let mut lines = source.split_inclusive('\n');
            let head: usize = lines.by_ref().take(1).map(str::len).sum();
            let rest: usize = lines.by_ref().take_while(|line| line.trim_end() != "+++").map(str::len).sum();
            let closing = source[head + rest..].split_inclusive('\n').next()?.len();
            source[head + rest + closing..].trim_end()
        }
        // What files of other tools show is tested where they are read.
        _ => return None,
    };
    if body.contains("row") {
        return None;
    }
    let pairs: &[(&str, &str)] = match origin {
        Origin::Plain => &[("{{", "}}"), ("{", "}")],
        _ => &[("{{", "}}")],
    };
    let mut fragments = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(open) = body[at..].find('{').map(|open| at + open) {
        let found = pairs.iter().find_map(|(left, right)| {
            let (name, _) = body[open..].strip_prefix(left)?.split_once(right)?;
            Some((Slot::of_variable(name.trim())?, left.len() + name.len() + right.len()))
        });
        if let Some((value, length)) = found {
            fragments.extend([TemplatePiece::Text(&body[from..open]), TemplatePiece::Value(value)]);
            at = open + length;
            from = at;
        } else {
            let means_more = ["{{", "{%", "{#"].iter().any(|mark| body[open..].starts_with(mark));
            if origin == Origin::Jinja && means_more {
                return None;
            }
            at = open + 1;
        }
    }
    fragments.push(TemplatePiece::Text(&body[from..]));
    Some(fragments)
}

/// A prompt is the template's own text and the values of `row`, each whole, and in its fence where it has one.
fn check_prompt(prompt: &str, fragments: &[TemplatePiece<'_>], row: [&str; 3], origin: Origin) {
    let mut rest = prompt;
    for fragment in fragments {
        let expected = match fragment {
            TemplatePiece::Text(text) => (*text).to_owned(),
            TemplatePiece::Value(value) => {
                let data = match value {
                    Slot::Question => row[0],
                    Slot::ToolCall => row[1],
                    Slot::ToolDefinitions => row[2],
                    _ => EXTRA,
                };
                match origin {
                    Origin::Plain => data.to_owned(),
                    _ => {
                        let code = rest.strip_prefix("[begin ").unwrap().get(..16).unwrap();
                        assert!(row.iter().all(|data| !data.contains(code)), "{code} in {row:?}");
                        format!("[begin {code}]\n{data}\n[end {code}]")
                    }
                }
            }
        };
        rest = rest.strip_prefix(&expected).unwrap_or_else(|| panic!("no {expected:?} in {rest:?}"));
    }
    assert!(rest.is_empty(), "{rest:?}");
}

/// A score is a share, the same every time, and calls that are what was expected earn all of it. The text has records of
/// any scorer.
pub fn score(text: &str) {
    for record in records(text).into_iter().take(4) {
        for scorer in SCORERS {
            for peer in std::iter::once(None).chain(scorer.peers.iter().copied().map(Some)) {
                let ready = (scorer.ready)(&Object::new(), peer).unwrap();
                let scored = ready.score(&record);
                assert_eq!(scored, ready.score(&record), "{}", scorer.name);
                check_scored(scorer, peer, scored, text);
            }
            if let Err(why) = (scorer.ready)(&record, None) {
                let why = why.to_string();
                assert!(why.chars().count() < 500 + 2 * longest_key(&record), "{why}");
            }
        }
        check_equal_calls(&record);
        for (question, answer) in [("question", "answer"), ("functions", "possible_answer")] {
            let part = |key| record.get(key).and_then(Json::as_object);
            let category = record.get("category").and_then(Json::as_str);
            let joined = bfcl::join(part(question).unwrap_or(&record), part(answer), &record, category, true);
            if let Ok(joined) = joined {
                assert!((SCORERS.iter().find(|scorer| scorer.name == "bfcl_ast").unwrap().matches)(&joined));
            }
        }
    }
}

fn check_scored(scorer: &Scorer, peer: Option<&str>, scored: Result<Scored, ScoreError>, source: &str) {
    let scored = match scored {
        Ok(scored) => scored,
        Err(error) => {
            return assert!(error.message.len() < 1000 + 2 * source.len(), "{}: {error}", scorer.name);
        }
    };
    if let Some(score) = scored.score {
        // A peer's arithmetic may leave its scale.
        let share = if peer.is_none() { (0.0..=1.0).contains(&score) } else { score.is_finite() };
        assert!(share, "{} {peer:?}: {score}", scorer.name);
    }
    let written = Json::Object(scored.to_json()).to_string();
    assert_eq!(Json::parse(&written), Ok(Json::Object(scored.to_json())), "{}", scorer.name);
    check_size(&written, source);
}

fn longest_key(record: &Object) -> usize {
    record.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0)
}

/// The members of a record as calls, which are expected and made.
fn check_equal_calls(record: &Object) {
    let call = |(name, value): (&str, &Json)| {
        let arguments = Arguments::Parsed(value.as_object()?.clone());
        Some(ToolCall { id: None, name: name.to_owned(), arguments })
    };
    let calls: Vec<ToolCall> = record.iter().filter_map(call).take(5).collect();
    for scorer in SCORERS.iter().filter(|scorer| scorer.expects && scorer.name != "bfcl_ast") {
        let case = (scorer.case)(&calls, &calls, &Object::new());
        let scored = (scorer.ready)(&Object::new(), None).unwrap().score(&case).unwrap();
        assert!(scored.score.is_none_or(|score| score == 1.0), "{}: {scored:?} of {case:?}", scorer.name);
        assert!(scored.passed != Some(false), "{}: {scored:?}", scorer.name);
    }
}

/// What a benchmark wrote is read back, and nothing else is counted with.
pub fn calibration(text: &str) {
    match CalibrationFile::parse(text) {
        Ok(file) => {
            for contender in &file.contenders {
                assert!(contender.baseline || file.find(&contender.judge, &contender.template).is_some());
                let kinds = &contender.operating.kinds;
                let clusters: u64 = kinds.iter().map(|kind| kind.clusters).sum();
                if clusters > 10_000 {
                    continue;
                }
                let written = serde_json::to_string(&contender.operating).unwrap();
                assert_eq!(serde_json::from_str::<Operating>(&written).unwrap(), contender.operating);
                let tables = contender.operating.tables();
                assert_eq!(tables.len() as u64, clusters);
                let rows = |table: &Confusion| table.judged() + table.unjudged();
                let counted: u64 = tables.iter().map(rows).sum();
                let rows =
                    |kind: &ClusterKind| kind.table.iter().map(|count| u128::from(*count)).sum::<u128>();
                let stated: u128 = kinds.iter().map(|kind| u128::from(kind.clusters) * rows(kind)).sum();
                assert_eq!(u128::from(counted), stated);
                let (right, wrong) = contender.operating.histograms();
                assert_eq!((right.len(), wrong.len()), (tables.len(), tables.len()));
            }
        }
        Err(why) => assert!(why.to_string().chars().count() < 500, "{why}"),
    }
}

/// Whatever a log holds, its turns survive being written in normal form.
pub fn log(text: &str, format: Option<&'static LogFormat>, agents: bool) {
    let normalizer = normalizer(None);
    read_log(text, format, agents, Turns::All, |_, entry| check_entry(&normalizer, entry, text));
}

/// Reads a log, of a `format` that is named or told by its keys. Its records are JSON values one after another, and have
/// each other for related records.
pub fn read_log(
    text: &str,
    format: Option<&'static LogFormat>,
    agents: bool,
    turns: Turns,
    mut take: impl FnMut(&'static LogFormat, Entry),
) {
    let normalizer = std::sync::Arc::new(normalizer(None));
    let records = records(text);
    let mut fragments = Fragments::default();
    for record in &records {
        for_each_entry(
            record,
            format,
            &Context { agents, turns, normalizer: &normalizer, related: &NoRelated, source: "" },
            |format, entry| {
                if let Entry::Fragment(fragment) = entry {
                    fragments.add(format, fragment);
                }
            },
        );
    }
    let context = Context { agents, turns, normalizer: &normalizer, related: &fragments, source: "" };
    for record in &records {
        for_each_entry(record, format, &context, &mut take);
    }
    for (format, unmatched) in fragments.unmatched() {
        format.unmatched(unmatched, &context).for_each(|entry| take(format, entry));
    }
}

fn records(text: &str) -> Vec<Object> {
    if logs::is_log_of_mcp(text.as_bytes()) {
        return text.lines().map(logs::McpLine::record).collect();
    }
    let mut records = Vec::new();
    let mut rest = text;
    while let Ok((value, end)) = Json::parse_prefix(rest) {
        match value {
            Json::Object(record) => records.push(record),
            Json::Array(items) => records.extend(items.into_iter().filter_map(|item| match item {
                Json::Object(record) => Some(record),
                _ => None,
            })),
            _ => {}
        }
        rest = &rest[end..];
    }
    records
}

fn for_each_entry(
    record: &Object,
    format: Option<&'static LogFormat>,
    context: &Context,
    mut take: impl FnMut(&'static LogFormat, Entry),
) {
    let Some(format) = format.or_else(|| logs::detect(record)) else { return };
    let entries: Entries = format.read(record.clone(), context);
    entries.for_each(|entry| take(format, entry));
}

fn check_entry(normalizer: &Normalizer, entry: Entry, source: &str) {
    let turn = match entry {
        Entry::Turn(turn) => *turn,
        Entry::Unreadable(error) => return check_error(&error),
        Entry::Skipped(_) | Entry::NotTaken(..) | Entry::Transcript(_) | Entry::Fragment(_) => return,
    };
    match normalizer.turn(turn) {
        Ok(sample) => {
            check_conversation(&sample);
            check_size(&sample.to_json().to_string(), source);
            check_sample(normalizer, &sample);
        }
        Err(error) => check_error(&error),
    }
}

/// Fragments, as a whole log would provide them.
#[derive(Default)]
struct Fragments {
    by_key: BTreeMap<String, (Option<&'static LogFormat>, Vec<Object>)>,
    asked: Mutex<BTreeSet<String>>,
}

impl Fragments {
    fn add(&mut self, format: &'static LogFormat, fragment: Fragment) {
        let (of, objects) = self.by_key.entry(fragment.key).or_default();
        *of = Some(format);
        objects.push(fragment.object);
    }

    /// What nobody asked for.
    fn unmatched(&self) -> Vec<(&'static LogFormat, Vec<Object>)> {
        let asked = self.asked.lock().unwrap();
        let left = self.by_key.iter().filter(|(key, _)| !asked.contains(*key));
        left.filter_map(|(_, (format, objects))| Some(((*format)?, objects.clone()))).collect()
    }
}

impl RelatedRecords for Fragments {
    fn find(&self, key: &str) -> Vec<Object> {
        let Some((_, objects)) = self.by_key.get(key) else { return Vec::new() };
        self.asked.lock().unwrap().insert(key.to_owned());
        objects.clone()
    }
}

/// A sample's normal form is a row, and that row is the same sample.
pub fn check_sample(normalizer: &Normalizer, sample: &Sample) {
    let written = sample.to_json().to_string();
    let json = match Json::parse(&written) {
        Ok(json) => json,
        Err(error) => return assert!(error.is_too_deep(), "{error}: {written}"),
    };
    assert_eq!(json, sample.to_json());
    let again = match normalizer.sample_in_context(row_of(&json), Some(&context_of(&json))) {
        Ok(again) => again,
        Err(error) => {
            // What is left of an answer may be JSON that is no call.
            let cut = error.code == RowErrorCode::UnrecognisedToolCall && sample.calls == Calls::Unparsed;
            return assert!(cut || error.code == RowErrorCode::NestingTooDeep, "{error}: {written}");
        }
    };
    assert_eq!(again.question, sample.question);
    // What a log knows to be broken may look whole to somebody who has nothing but the text.
    if sample.calls != Calls::Unparsed {
        assert_eq!(again.calls, sample.calls, "read again from {written}");
    }
    assert_eq!(again.definitions, sample.definitions, "read again from {written}");
    assert_eq!(again.messages, sample.messages, "read again from {written}");
    assert_eq!(again.raw, sample.raw, "a prompt shows the same");
}

/// The conversation of a sample's normal form.
fn context_of(json: &Json) -> Conversation {
    Conversation::of([json.get("messages").cloned()], true).unwrap()
}

/// A sample's normal form as the row of a table.
fn row_of(json: &Json) -> RawRow {
    let given = |value: Option<&Json>| value.filter(|value| !value.is_null()).cloned();
    let original = |key: &str| given(json.get("raw")?.get(key));
    let cell = |value: Option<Json>| value.map_or(Cell::Null, Cell::from);
    let is_empty = |calls: &Json| calls.as_array().is_some_and(<[Json]>::is_empty);
    let calls = given(json.get("tool_calls"));
    RawRow {
        question: cell(given(json.get("question"))),
        tool_call: cell(original("tool_call").or_else(|| calls.filter(|calls| !is_empty(calls)))),
        tool_definitions: cell(original("tool_definitions").or_else(|| given(json.get("tool_definitions")))),
        ..RawRow::default()
    }
}

fn normalizer(tools: Option<&str>) -> Normalizer {
    Normalizer::new(Options { tools: tools.map(str::to_owned), ..Options::default() }).unwrap()
}

fn sample(question: &str, call: &str) -> Sample {
    let row =
        RawRow { question: Cell::Text(question.to_owned()), tool_call: Cell::Text(call.to_owned()), ..row() };
    normalizer(None).sample(row).unwrap()
}

/// A row that asks something, and calls nothing.
fn row() -> RawRow {
    RawRow {
        question: Cell::Text("q".to_owned()),
        tool_call: Cell::Null,
        tool_definitions: Cell::Null,
        ..RawRow::default()
    }
}

/// The object or array that makes up `text`.
fn structure(text: &str) -> Option<Json> {
    Json::parse(text).ok().filter(|json| matches!(json, Json::Array(_) | Json::Object(_)))
}

fn normal_form<T>(items: &[T], write: fn(&T) -> Json) -> String {
    Json::Array(items.iter().map(write).collect()).to_string()
}

fn check_size(written: &str, source: &str) {
    let (times, more) = MAX_LENGTH;
    assert!(written.len() <= source.len() * times + more, "{} bytes out of {}", written.len(), source.len());
}

fn check_error(error: &RowError) {
    assert!(error.message.chars().count() < 400, "{error}");
}
