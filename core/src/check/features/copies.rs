//! Identifiers and addresses among the arguments: copied exactly from the conversation, copied with an error, or made up.

use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::check::node::Node;
use crate::domain::{Json, Role, Sample, ToolCall};
use crate::reading::words::{fold, fold_identifier, words};

/// Bounds of the work on hostile rows: calls, values of a call, bytes of a value that is read, values compared with every word.
const MAX_CALLS: usize = 8;
const MAX_VALUES: usize = 64;
const MAX_TEXT: usize = 400;
const MAX_COMPARED: usize = 6;
/// Identifiers of a row that are looked for, and texts of earlier calls that each is compared with.
const MAX_TOKENS: usize = 512;
const MAX_EARLIER: usize = 2_000;
/// Words of the conversation that a value is compared with.
const MAX_WORDS: usize = 4_000;

/// Letters and digits of an identifier: shorter ones are like many others, longer ones are no identifiers.
const SHORTEST: usize = 4;
const LONGEST: usize = 48;
/// A longer identifier is taken for a copy that went wrong in two places.
const LONG: usize = 11;
/// The digits behind a country's prefix that make a phone number.
const PHONE_DIGITS: usize = 6;
const MAX_PREFIX: usize = 4;
/// Letters of a unit behind its number: `1080p`, `500ml`, `1200kcal`.
const MAX_UNIT: usize = 4;

pub(super) fn measure(features: &mut Features, assessor: &Assessor, sample: &Sample, calls: &[ToolCall]) {
    let (mut copied, mut near, mut invented, mut compared) = (0, 0, 0, 0);
    let (mut addresses, mut looked_at) = (0, 0);
    // What was not read may hold what stands nowhere else.
    let is_whole = !assessor.evidence.is_cut;
    for call in calls.iter().take(MAX_CALLS) {
        let Some(arguments) = call.parsed() else { continue };
        let tool = assessor.toolbox.find(&call.name).map(|at| &assessor.toolbox.tools[at]);
        for (name, value) in arguments.iter().take(MAX_VALUES) {
            let node = tool.and_then(|tool| tool.root.property(name));
            for text in texts(value).into_iter().take(MAX_VALUES) {
                for token in tokens(text) {
                    looked_at += 1;
                    if looked_at > MAX_TOKENS {
                        continue;
                    }
                    let known = stands(assessor, sample, token);
                    copied += usize::from(known);
                    if known || !is_whole || is_defined(node, token) {
                        continue;
                    }
                    if compared < MAX_COMPARED && is_like_another(assessor, token) {
                        near += 1;
                    } else if token.len() == text.trim().len()
                        && (is_code(token) || is_named_as_identifier(name))
                        && is_made_up(assessor, token)
                    {
                        invented += 1;
                    }
                    compared += 1;
                }
                if looked_at <= MAX_TOKENS
                    && is_whole
                    && is_address(text)
                    && !stands(assessor, sample, text)
                    && !is_defined(node, text)
                {
                    addresses += 1;
                }
            }
        }
    }
    let set = |features: &mut Features, feature, count: usize| features.set(feature, count.min(3) as f32);
    set(features, Feature::same_copied, copied);
    set(features, Feature::same_near, near);
    set(features, Feature::same_invented, invented);
    set(features, Feature::same_address, addresses);
}

/// The texts of an argument's value.
fn texts(value: &Json) -> Vec<&str> {
    match value {
        Json::String(text) => vec![text],
        Json::Array(items) => items.iter().take(MAX_VALUES).flat_map(texts_of_item).collect(),
        Json::Object(fields) => fields.values().take(MAX_VALUES).flat_map(texts_of_item).collect(),
        _ => Vec::new(),
    }
}

/// The texts of an entry of a list or an object, one level deep.
fn texts_of_item(value: &Json) -> Vec<&str> {
    match value {
        Json::String(text) => vec![text],
        Json::Object(fields) => fields.values().take(MAX_VALUES).filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The identifiers in a text: words with a digit that are neither times nor code.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let text = if text.len() <= MAX_TEXT { text } else { "" };
    let around = |c: char| !c.is_alphanumeric() && c != '+';
    text.split_whitespace().map(move |token| token.trim_matches(around)).filter(|token| is_identifier(token))
}

/// Whether a word may be an identifier.
fn is_identifier(token: &str) -> bool {
    let size = token.bytes().filter(u8::is_ascii_alphanumeric).count();
    token.is_ascii()
        && (SHORTEST..=LONGEST).contains(&size)
        && token.bytes().any(|byte| byte.is_ascii_digit())
        && !token.contains(['(', '*', '=', '<', '{', '[', '!', ':', '|', '%', '$', '\\', '@', '/', ','])
        && !is_time(token)
}

/// Whether a word is a date or a part of one: `2026-11-04`, `4.11.2026`, `2027-Q1`, `20261104`.
fn is_time(token: &str) -> bool {
    let bytes = token.as_bytes();
    let begins_with_year = bytes.len() > 4
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && (token.starts_with("19") || token.starts_with("20"));
    let numeric = bytes.iter().all(|byte| byte.is_ascii_digit() || b".-".contains(byte));
    let parts = token.split(['.', '-']);
    let dated = numeric && parts.clone().count() == 3 && parts.clone().all(|part| part.len() <= 4);
    let year = bytes.len() == 4 && numeric && (token.starts_with("19") || token.starts_with("20"));
    (begins_with_year && (b"-T".contains(&bytes[4]) || bytes.len() == 8)) || dated || year
}

/// The letters and digits of a text, lower-cased, as the conversation is searched for them.
fn squeezed(text: &str) -> String {
    fold(text).split(' ').collect()
}

/// Whether an identifier stands in the conversation, with whatever signs between its letters; a phone number also without its prefix;
/// or whether an earlier call was made with it.
fn stands(assessor: &Assessor, sample: &Sample, token: &str) -> bool {
    let evidence = assessor.evidence;
    let plain = squeezed(token);
    if evidence.is_spelled(&plain) {
        return true;
    }
    let is_number = plain.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && plain.parse().is_ok_and(|value| evidence.figures.contains(value)) {
        return true;
    }
    if is_number && (token.starts_with('+') || token.starts_with("00")) {
        let behind = |prefix: usize| plain.get(prefix..).filter(|rest| rest.len() >= PHONE_DIGITS);
        if (1..=MAX_PREFIX).filter_map(behind).any(|rest| evidence.is_spelled(rest)) {
            return true;
        }
    }
    let earlier =
        sample.before_turn().iter().rev().take(MAX_VALUES).filter(|own| own.role == Role::Assistant);
    let values = earlier.flat_map(|own| own.tool_calls.iter().take(MAX_CALLS)).filter_map(ToolCall::parsed);
    let mut texts = values.flat_map(|own| own.values().take(MAX_VALUES).flat_map(texts)).take(MAX_EARLIER);
    texts.any(|text| text == token)
}

/// Whether the definition of a parameter names a value.
fn is_defined(node: Option<&Node>, token: &str) -> bool {
    let Some(node) = node else { return false };
    let folded = fold(token);
    !node.choices.is_empty()
        || node.default.as_ref().and_then(Json::as_str).is_some_and(|own| own == token)
        || node.description.contains(folded.trim())
}

/// Whether a word is an identifier by its form: letters and digits, or a number with its country's prefix; neither an amount, a length
/// of time, a time zone nor a colour.
fn is_code(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    if let Some(number) = token.strip_prefix('+') {
        return digits > PHONE_DIGITS && number.len() - digits <= MAX_PREFIX;
    }
    let behind = token.trim_start_matches(|c: char| c.is_ascii_digit() || ".,:".contains(c));
    let is_amount = behind.len() < token.len()
        && behind.len() <= MAX_UNIT
        && behind.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_length = token.starts_with('P')
        && token[1..].bytes().all(|byte| byte.is_ascii_digit() || b"TYMWDHS.".contains(&byte));
    let is_hour = digits + 1 == token.len() && token.contains(['h', 'H', 'T', 'x', 'X']) && token.len() <= 9;
    let is_colour = matches!(token.len(), 6 | 8) && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_letters = token.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_letters && !token.contains('+') && !(is_amount || is_length || is_hour || is_colour)
}

/// Whether a parameter is named as one for identifiers: their numbers need no letters.
fn is_named_as_identifier(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "id", "ids", "uuid", "guid", "number", "numbers", "no", "nr", "num", "nummer", "numero", "nomor", "numer", "номер", "key", "ref",
        "reference", "iban", "isbn", "sku", "serial", "tracking", "passport", "番号", "번호", "编号", "号码",
    ];
    words(&fold_identifier(name)).any(|word| NAMES.contains(&word))
}

/// Whether an identifier that stands nowhere is too much of one to be said in other words.
fn is_made_up(assessor: &Assessor, token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let text = assessor.evidence.names_thing(token, crate::reading::codes::Hint::default());
    digits >= 3 && !text
}

/// Whether a text is a mail address.
fn is_address(text: &str) -> bool {
    let Some((name, host)) = text.trim().split_once('@') else { return false };
    let plain = |c: char| c.is_alphanumeric() || "._+-".contains(c);
    text.len() <= LONGEST * 2
        && !name.is_empty()
        && name.chars().all(plain)
        && host.chars().all(plain)
        && host.contains('.')
}

/// Whether the conversation holds another identifier that one or two letters tell from this one: a copy that went wrong.
fn is_like_another(assessor: &Assessor, token: &str) -> bool {
    let plain = squeezed(token);
    if plain.len() < SHORTEST || !plain.is_ascii() {
        return false;
    }
    let slack = if plain.len() < LONG { 1 } else { 2 };
    let all: Vec<&str> = words(&assessor.evidence.text).take(MAX_WORDS).collect();
    let mut run = String::with_capacity(LONGEST + 8);
    for start in 0..all.len() {
        run.clear();
        for word in &all[start..] {
            if *word == "|" || run.len() + word.len() > plain.len() + slack || !word.is_ascii() {
                break;
            }
            run.push_str(word);
            let comparable =
                run.len() + slack >= plain.len() && run.bytes().any(|byte| byte.is_ascii_digit());
            if comparable && is_near(run.as_bytes(), plain.as_bytes(), slack) && !is_used(assessor, &run) {
                return true;
            }
        }
    }
    false
}

/// Whether the calls use an identifier as well, so that the other one is no copy of it.
fn is_used(assessor: &Assessor, run: &str) -> bool {
    let used = &assessor.used.text;
    let squeezed: String = used.chars().filter(|c| *c != ' ').take(MAX_TEXT * 10).collect();
    squeezed.contains(run)
}

/// Whether two texts differ in at most `slack` letters that were changed, left out, put in, or turned around with the next one.
fn is_near(one: &[u8], two: &[u8], slack: usize) -> bool {
    // What is close begins or ends alike.
    if one == two || one.first() != two.first() && one.last() != two.last() {
        return false;
    }
    let width = two.len() + 1;
    let (mut before, mut last) = (vec![0; width], (0..width).collect::<Vec<usize>>());
    for (i, a) in one.iter().enumerate() {
        let mut next = vec![i + 1; width];
        for (j, b) in two.iter().enumerate() {
            let changed = last[j] + usize::from(a != b);
            next[j + 1] = changed.min(last[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == two[j - 1] && one[i - 1] == *b {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        if next.iter().all(|cost| *cost > slack) {
            return false;
        }
        (before, last) = (last, next);
    }
    last[two.len()] <= slack
}

#[cfg(test)]
mod tests {
    use super::super::measured;
    use super::*;

    #[test]
    fn identifiers_are_made_up_and_forms_are_normal() {
        let tools = r#"[{"name": "f", "parameters": {"type": "object", "properties": {
            "at": {"type": "string"}, "order_id": {"type": "string"}}}}]"#;
        let invented = |question: &str, name: &str, value: &str| {
            let calls = format!(r#"[{{"name": "f", "arguments": {{"{name}": "{value}"}}}}]"#);
            measured(Feature::same_invented, question, tools, &calls) > 0.0
        };
        for (name, value, expected) in [
            ("at", "1730", false),
            ("at", "12.50", false),
            ("at", "11-2026", false),
            ("at", "ff0000", false),
            ("at", "PT120M", false),
            ("at", "1080p", false),
            ("at", "UTC+0530", false),
            ("at", "KL-77812", true),
            ("at", "+15550123456", true),
            ("order_id", "100001", true),
            ("orderId", "12345", true),
        ] {
            assert_eq!(invented("please do it for me", name, value), expected, "{name} {value}");
        }
        // The beginning of a conversation that is too long to be read.
        let long = "a word ".repeat(20_000);
        let messages = format!(
            r#"[{{"role": "user", "content": "my order is KL-77812"}}, {{"role": "assistant", "content": "{long}"}},
                {{"role": "user", "content": "please do it for me"}}]"#
        );
        assert!(!invented(&messages, "order_id", "KL-77812"));
    }

    #[test]
    fn a_copy_may_go_wrong_in_one_place() {
        for (one, two, near) in [
            ("k74x2q", "k74x20", true),
            ("ab1234", "ab1243", true),
            ("ab1234", "ab123", true),
            ("ab1234", "ab1234", false),
            ("ab1234", "ab4321", false),
            ("zz1234", "ab1234", false),
        ] {
            assert_eq!(is_near(one.as_bytes(), two.as_bytes(), 1), near, "{one} {two}");
        }
    }

    #[test]
    fn times_are_no_identifiers() {
        for (token, is) in [
            ("R-3021", true),
            ("+447700900461", true),
            ("2026-11-04", false),
            ("2026-11-04T10:00", false),
            ("4.11.2026", false),
            ("20261104", false),
            ("2027-Q1", false),
            ("word", false),
            ("lines[0]", false),
        ] {
            assert_eq!(is_identifier(token), is, "{token}");
        }
    }

    #[test]
    fn addresses_have_a_name_and_a_host() {
        assert!(is_address("jo.b@mill.example"));
        assert!(!is_address("@mill"));
        assert!(!is_address("mail jo.b@mill.example now"));
    }
}
