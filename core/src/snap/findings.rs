//! Reads the findings out of a judge's reply, and checks them against the row: findings that cannot be true of its calls are
//! dropped, and quotes that do not occur in it are marked.

use crate::domain::{Calls, Finding, FindingKind, Findings, Json, Object, Sample, ToolCall, Variable};

/// Objects that are looked at, from the end, for the one that answers; each finding is one.
const MAX_OBJECTS: usize = 2_000;

/// What a reply says is wrong, before anybody looks whether it can be so.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Which call it is about.
    pub call: Claimed,
    /// As the reply spells it; may be empty.
    pub argument: String,
    /// What is wrong; what the reply calls otherwise is [`FindingKind::Other`].
    pub kind: FindingKind,
    /// May be empty.
    pub quote: String,
}

/// The call that a claim names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// None, by 0 or by nothing.
    Nothing,
    /// The call of this number, from 1.
    Number(u64),
    /// Something that is no number of a call.
    Strange,
}

/// The findings of a reply, and the reply without them, which a label can be read out of: a quote may hold any words. `None` where the
/// reply has no list of findings.
pub fn take(reply: &str) -> Option<(Vec<Claim>, String)> {
    // The last one answers: a model that thinks aloud may write the form down before.
    let mut starts = reply.rmatch_indices('{').map(|(at, _)| at).take(MAX_OBJECTS);
    let (start, mut object, len) = starts.find_map(|start| {
        let (json, len) = Json::parse_prefix(&reply[start..]).ok()?;
        let Json::Object(object) = json else { return None };
        object
            .get(Findings::FIELD)
            .is_some_and(|list| list.as_array().is_some())
            .then_some((start, object, len))
    })?;
    let claims = match object.remove(Findings::FIELD) {
        Some(Json::Array(items)) => items.iter().map(claim).collect(),
        _ => return None,
    };
    let rest = format!("{}{}{}", &reply[..start], Json::Object(object), &reply[start + len..]);
    Some((claims, rest))
}

fn claim(item: &Json) -> Claim {
    let nothing = Object::new();
    let object = item.as_object().unwrap_or(&nothing);
    let text = |name: &str| object.get(name).and_then(Json::as_str).unwrap_or_default().trim().to_owned();
    let number = |text: &str| text.trim().parse().ok();
    let call = match object.get("call") {
        _ if item.as_object().is_none() => Claimed::Strange,
        None | Some(Json::Null) => Claimed::Nothing,
        Some(Json::Number(given)) => numbered(given.as_i64().and_then(|given| u64::try_from(given).ok())),
        Some(Json::String(given)) if given.trim().is_empty() => Claimed::Nothing,
        Some(Json::String(given)) => numbered(number(given)),
        Some(_) => Claimed::Strange,
    };
    Claim { call, argument: text("argument"), kind: kind(&text("kind")), quote: text("quote") }
}

/// The kind that is meant, whatever its letter case and what stands between its words.
fn kind(text: &str) -> FindingKind {
    let spelled: String =
        text.to_lowercase().chars().map(|c| if matches!(c, ' ' | '-') { '_' } else { c }).collect();
    spelled.parse().unwrap_or(FindingKind::Other)
}

fn numbered(number: Option<u64>) -> Claimed {
    match number {
        Some(0) => Claimed::Nothing,
        Some(number) => Claimed::Number(number),
        None => Claimed::Strange,
    }
}

/// The claims that can be true of the calls of `sample`, whose judge was shown `variables`.
pub fn check(claims: Vec<Claim>, sample: &Sample, variables: &[Variable]) -> Findings {
    let calls = match &sample.calls {
        Calls::Parsed(calls) => &calls[..],
        Calls::Unparsed => &[],
    };
    let mut shown = None;
    let mut findings = Findings::default();
    for claim in claims {
        let Some((place, argument)) = locate(&claim, sample, calls) else {
            findings.dropped += 1;
            continue;
        };
        let quote = Some(claim.quote).filter(|quote| !quote.is_empty());
        let supported = quote.as_ref().is_some_and(|quote| {
            let quote = plain(quote);
            let shown: &Vec<String> = shown.get_or_insert_with(|| texts(sample, variables));
            !quote.is_empty() && shown.iter().any(|text| stands_in(&quote, text))
        });
        findings.list.push(Finding {
            call: place.map(|at| at + sample.part.as_ref().map_or(0, |part| part.at) + 1),
            tool: place.and_then(|at| calls.get(at)).map(|call| call.name.clone()),
            argument,
            kind: claim.kind,
            quote,
            supported,
        });
    }
    findings
}

/// Where a claim stands: the place of its call, if it is one call's, and its argument.
type Located = (Option<usize>, Option<String>);

/// Where a claim stands; `None` where there is no such place.
fn locate(claim: &Claim, sample: &Sample, calls: &[ToolCall]) -> Option<Located> {
    let place = match (claim.kind, claim.call) {
        (_, Claimed::Strange) => return None,
        (FindingKind::MissingCall, _) => None,
        // One call has no order, but its place in its turn.
        (FindingKind::WrongOrder, _) if sample.part.is_some() => Some(0),
        (FindingKind::WrongOrder, _) if calls.len() < 2 => return None,
        // What could not be read has no numbers.
        _ if sample.calls == Calls::Unparsed => None,
        (FindingKind::WrongOrder, Claimed::Nothing) => None,
        (_, Claimed::Nothing) if calls.len() == 1 => Some(0),
        // Of a turn that calls nothing only what it lacks, and what was made of results, can be wrong.
        (FindingKind::Other | FindingKind::MisusedResult, Claimed::Nothing) => None,
        (_, Claimed::Nothing) if calls.is_empty() => return None,
        (_, Claimed::Nothing) => None,
        (_, Claimed::Number(number)) => {
            let at = usize::try_from(number).ok()? - 1;
            // A judge that is shown one call of a turn may count all of them or only this one.
            let own = sample.part.as_ref().is_some_and(|part| part.at == at);
            let at = if own { 0 } else { at };
            calls.get(at)?;
            Some(at)
        }
    };
    if claim.argument.is_empty() || claim.argument == "/" {
        return Some((place, None));
    }
    // Malformed arguments have no places, and what is no single call's fault has no arguments.
    match place.and_then(|at| calls[at].parsed()) {
        Some(arguments) => Some((place, Some(argument(claim, arguments)?))),
        None => Some((place, None)),
    }
}

/// The argument of a claim as a pointer; `None` where the call has no such argument, or has the one that it is said to lack.
fn argument(claim: &Claim, arguments: &Object) -> Option<String> {
    let mut pointers = pointers(&claim.argument).into_iter();
    if !claim.kind.is_of_what_is_not_there() {
        return pointers.find(|pointer| arguments.at(pointer).is_some());
    }
    let is_there = |pointer: &String| arguments.at(pointer).is_some_and(|value| !value.is_null());
    if pointers.clone().any(|pointer| is_there(&pointer)) {
        return None;
    }
    // The plainest: `/days` for `arguments.days`.
    pointers.min_by_key(|pointer| (pointer.contains(['.', '[']), pointer.len()))
}

/// What an argument's name may stand for, as it is spelled first: `/city`, `city`, `arguments.city`, `$.items[0].price`.
fn pointers(argument: &str) -> Vec<String> {
    let path = argument.trim_start_matches('$').trim_start_matches(['.', '/']);
    let stepped = || path.replace("].", "/").replace(['.', '['], "/").replace(']', "");
    let escaped = || path.replace('~', "~0").replace('/', "~1");
    let mut pointers = Vec::new();
    for spelled in [path.to_owned(), escaped(), stepped()] {
        let inner = ["arguments/", "args/", "parameters/", "input/"];
        let inner = inner.iter().find_map(|prefix| spelled.strip_prefix(prefix)).map(str::to_owned);
        for path in [Some(spelled), inner].into_iter().flatten() {
            let pointer = format!("/{path}");
            if !pointers.contains(&pointer) {
                pointers.push(pointer);
            }
        }
    }
    pointers
}

/// What a judge was shown of a row, to look for its quotes in.
fn texts(sample: &Sample, variables: &[Variable]) -> Vec<String> {
    variables.iter().filter_map(|variable| sample.shown(variable)).map(|text| plain(&text)).collect()
}

/// A text without what quoting changes: letter case, white space, escapes, and marks around it.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            'n' | 't' | 'r' if escaped => {
                escaped = false;
                space(&mut plain);
            }
            c => {
                escaped = false;
                match c {
                    c if c.is_whitespace() => space(&mut plain),
                    '“' | '”' | '"' => plain.push('"'),
                    '‘' | '’' => plain.push('\''),
                    c => plain.extend(c.to_lowercase()),
                }
            }
        }
    }
    let edges = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '…' | '.');
    plain.trim_matches(edges).to_owned()
}

/// Whether a quote stands in a text; one of a few letters must be a word of it.
fn stands_in(quote: &str, text: &str) -> bool {
    const SHORT: usize = 4;
    if quote.chars().count() >= SHORT {
        return text.contains(quote);
    }
    let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(quote).any(|(at, found)| {
        !joins(text[..at].chars().next_back()) && !joins(text[at + found.len()..].chars().next())
    })
}

fn space(plain: &mut String) {
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_taken_out_of_a_reply() {
        for (reply, expected, rest) in [
            (
                r#"{"findings": [{"call": 1, "argument": "/city", "kind": "wrong_value", "quote": "Oslo"}], "label": "incorrect"}"#,
                Some(1),
                r#"{"label":"incorrect"}"#,
            ),
            (r#"{"findings": [], "label": "correct"}"#, Some(0), r#"{"label":"correct"}"#),
            (
                "```json\n{\"label\": \"correct\", \"findings\": []}\n```",
                Some(0),
                "```json\n{\"label\":\"correct\"}\n```",
            ),
            (
                r#"I looked at {city}. {"findings": [{"kind": "other"}], "label": "x"}"#,
                Some(1),
                r#"I looked at {city}. {"label":"x"}"#,
            ),
            (
                r#"<think>The form is {"findings": [], "label": "x"}.</think>{"findings": [{"kind": "other"}], "label": "y"}"#,
                Some(1),
                r#"<think>The form is {"findings": [], "label": "x"}.</think>{"label":"y"}"#,
            ),
            (r#"{"findings": ["a remark"], "label": "x"}"#, Some(1), r#"{"label":"x"}"#),
            (r#"{"label": "correct"}"#, None, ""),
            (r#"{"findings": "none", "label": "correct"}"#, None, ""),
            (r#"{"findings": [{"kind": "wrong_val"#, None, ""),
            ("correct", None, ""),
        ] {
            match take(reply) {
                Some((claims, without)) => {
                    assert_eq!(Some(claims.len()), expected, "{reply}");
                    assert_eq!(without, rest, "{reply}");
                }
                None => assert_eq!(expected, None, "{reply}"),
            }
        }
    }

    #[test]
    fn quotes_are_found_however_they_are_written() {
        for (text, quote) in [
            (r#"{"city":"New  York"}"#, r#"new york"#),
            (r#"{"arguments":"{\"city\":\"Oslo\"}"}"#, r#""city":"Oslo""#),
            ("line one\nline two", "Line one line two"),
            ("line one\\nline two", "line one line two"),
            ("say “yes”", "say \"yes\""),
            ("a long sentence that goes on", "\"a long sentence...\""),
        ] {
            assert!(plain(text).contains(&plain(quote)), "{text} {quote}");
        }
        assert!(!plain("Oslo").contains(&plain("Bergen")));
    }

    #[test]
    fn arguments_are_found_however_they_are_spelled() {
        let json =
            Json::parse(r#"{"city": 1, "a/b": 2, "c.d": 3, "items": [{"price": 4}], "arguments": {"x": 5}}"#)
                .unwrap();
        let arguments = json.as_object().unwrap();
        for (spelled, value) in [
            ("/city", Some("1")),
            ("city", Some("1")),
            ("$.city", Some("1")),
            ("arguments.city", Some("1")),
            ("/arguments/city", Some("1")),
            ("/a~1b", Some("2")),
            ("a/b", Some("2")),
            ("c.d", Some("3")),
            ("/items/0/price", Some("4")),
            ("items[0].price", Some("4")),
            ("/arguments/x", Some("5")),
            ("/nothing", None),
            ("/items/7", None),
        ] {
            let found =
                pointers(spelled).iter().find_map(|pointer| arguments.at(pointer).map(Json::to_string));
            assert_eq!(found.as_deref(), value, "{spelled}");
        }
    }
}
