//! Reads verdicts out of JSON and almost-JSON.

use std::ops::Range;

use super::fold::folded;
use super::lenient_json::{LenientJson, Reader};
use super::markup;
use super::names::Names;
use super::token::{Token, tokens};
use super::words::Words;

/// A JSON object or list found in a reply.
#[derive(Debug)]
pub(super) struct Found {
    pub at: Range<usize>,
    pub says: Says,
    pub explanation: Option<String>,
}

/// What a value says about the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Nothing,
    Rail(usize),
    /// A verdict's field holds something that is no rail.
    NoRail,
    /// Verdicts that differ.
    Several,
    /// The text ends before a verdict.
    Cut,
}

/// All objects and lists of `text`, in order.
pub(super) fn find(text: &str, names: &Names) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = text.len() - text.trim_start().len();
    // Each failed attempt is paid for, so that hostile text stays cheap.
    let mut budget = 64 * text.len() + 1024;
    while let Some(step) = text[at..].find(['{', '[']) {
        at += step;
        if text[at..].starts_with('[') && !opens_list(&text[at..]) {
            at += 1;
            continue;
        }
        let mut reader = Reader::at(text, at);
        let value = reader.value();
        budget = budget.saturating_sub(reader.at - at);
        match value {
            Some(value)
                if holds_fields(&value)
                    || reader.cut
                        && begins_object(&text[at..], found.is_empty() && text[..at].trim().is_empty()) =>
            {
                let whole =
                    text[..at].trim().is_empty() && text[reader.at..].trim().is_empty() && !reader.cut;
                let lone = || lone(&value, names).filter(|_| whole).map(Says::Rail);
                let says = match ticked(&value, names).unwrap_or_else(|| says(&value, names)) {
                    Says::Nothing | Says::NoRail if reader.cut => Says::Cut,
                    Says::Nothing => lone().unwrap_or(Says::Nothing),
                    says => says,
                };
                let says = match says {
                    // A comment may hold the rest.
                    _ if reader.cut && !reader.remarks.is_empty() => Says::Cut,
                    // A remark that names another rail takes the verdict back, or may do so.
                    Says::Rail(rail)
                        if reader.remarks.iter().any(|at| is_doubted(&text[at.clone()], rail, names)) =>
                    {
                        Says::Several
                    }
                    says => says,
                };
                found.push(Found { at: at..reader.at, says, explanation: explanation(&value) });
                at = reader.at;
            }
            _ => at += 1,
        }
        if budget == 0 || reader.cut {
            break;
        }
    }
    found
}

/// The members of an object whose braces are missing: `"label": "incorrect",` and so on, to the end.
pub(super) fn without_braces(text: &str, names: &Names) -> Option<Found> {
    let key = text.split(':').next()?.trim().trim_matches(['"', '\'']);
    let is_key = |key: &str| {
        promises(key, names) || EXPLANATION.contains(&plain(key).as_str()) || plain(key) == "confidence"
    };
    let is_quoted = text.get(key.len()..)?.split_once(':')?.1.trim_start().starts_with(['"', '\'', '“']);
    if !is_quoted || !is_key(key) {
        return None;
    }
    let braced = format!("{{{text}}}");
    let mut reader = Reader::at(&braced, 0);
    let value = reader.value()?;
    let LenientJson::Object(fields) = &value else { return None };
    let is_whole = !reader.cut && reader.at == braced.len() && reader.remarks.is_empty();
    let is_ours = fields.len() > 1 && fields.iter().all(|(key, _)| is_key(key));
    (is_whole && is_ours).then(|| Found {
        at: 0..text.len(),
        says: says(&value, names),
        explanation: explanation(&value),
    })
}

/// What a call in markup hands over, if the text is one.
pub(super) fn in_markup(text: &str, names: &Names) -> Option<Found> {
    let value = markup::arguments(text)?;
    let says = says(&value, names);
    (says != Says::Nothing).then(|| Found { at: 0..text.len(), says, explanation: explanation(&value) })
}

/// Words of a remark that may speak against the verdict beside it, or of something else.
static DOUBTS: Words = Words::new(
    "wait no not nope never neither nor none isn't aren't don't doesn't can't cannot won't wouldn't n/a a actually but maybe perhaps unsure
    sure or should could would might though although however hmm hm if unless except when while right fine ok okay good correct true untrue
    false opposite disagree guess unclear undecided example placeholder todo template format sample fill previous earlier another other
    others first second last only both strike scratch flip flipped inverted reverse mistake typo was were idea claims claimed says said
    judge judges agent agent's user user's allowed acceptable accepted optional harmless",
);
/// Words of which a reason for a failure has one.
static FAULTS: Words = Words::new(
    "wrong missing misses lacks absent invalid mismatch mismatched unsupported outdated stale swapped invented unknown extra needless bad
    error off incomplete",
);
/// Longer remarks say more than a reason.
const REMARK: usize = 6;

/// Whether a remark may take back the verdict beside it: beside a failure, all that is not surely its reason; beside a success, anything.
fn is_doubted(remark: &str, rail: usize, names: &Names) -> bool {
    let tokens = tokens(remark);
    let words: Vec<&str> = tokens.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    let names_rail = || (0..tokens.len()).any(|at| names.at(&tokens, at).is_some());
    let is_reason = words.len() <= REMARK
        && words.iter().all(|word| word.is_ascii() && !DOUBTS.has(word))
        && words.iter().any(|word| FAULTS.has(word))
        && !tokens.iter().any(|token| token.is('?'));
    names.is_positive(rail) || !is_reason || names_rail()
}

/// Whether `[` begins a list of objects or strings rather than an aside.
fn opens_list(text: &str) -> bool {
    text[1..].trim_start().starts_with(['{', '"', '\'', '“'])
}

/// Whether what was cut off before its first field was meant to be an object: surely if the reply begins with it.
fn begins_object(text: &str, first: bool) -> bool {
    text.starts_with('{') && (first || text[1..].trim_start().starts_with(['"', '\'', '“']))
}

fn holds_fields(value: &LenientJson) -> bool {
    match value {
        LenientJson::Object(fields) => !fields.is_empty(),
        LenientJson::List(items) => !items.is_empty(),
        LenientJson::Text(_) => false,
    }
}

/// Keys of the last word, of a verdict, and of wrappers around one; letter case and separators aside.
const OVERALL: [&str; 13] = [
    "overall",
    "overalllabel",
    "overallverdict",
    "overalljudgment",
    "overalljudgement",
    "overallresult",
    "final",
    "finallabel",
    "finalverdict",
    "finalanswer",
    "finaljudgment",
    "finaljudgement",
    "finaldecision",
];
const VERDICT: [&str; 10] = [
    "label",
    "verdict",
    "judgment",
    "judgement",
    "classification",
    "decision",
    "answer",
    "conclusion",
    "determination",
    "category",
];
/// Keys of a verdict, or of a number or remark beside one.
const PERHAPS: [&str; 12] = [
    "result",
    "response",
    "rating",
    "prediction",
    "grade",
    "evaluation",
    "assessment",
    "output",
    "outcome",
    "score",
    "class",
    "correctness",
];
const WRAPPER: [&str; 9] =
    ["data", "json", "content", "arguments", "parameters", "input", "args", "properties", "value"];
const EXPLANATION: [&str; 14] = [
    "explanation",
    "reasoning",
    "reason",
    "reasons",
    "rationale",
    "justification",
    "analysis",
    "thought",
    "thoughts",
    "chainofthought",
    "comment",
    "feedback",
    "why",
    "explain",
];

fn plain(key: &str) -> String {
    let key = folded(key);
    if key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return key;
    }
    key.chars().filter(|c| c.is_alphanumeric()).collect()
}

fn says(value: &LenientJson, names: &Names) -> Says {
    match value {
        LenientJson::Text(text) => {
            match names.exactly(text.trim().trim_matches(['*', '"', '\'', '`', '.', '!', ' '])) {
                Some(rail) => Says::Rail(rail),
                None => names.exactly(text).or_else(|| denied(text, names)).map_or(Says::NoRail, Says::Rail),
            }
        }
        LenientJson::List(items) => agree(items.iter().map(|item| says(item, names))),
        LenientJson::Object(fields) => {
            // Each value is looked at once, however many of the questions below concern it.
            let per_call = ["call", "toolcall", "evaluation", "judg", "verdict", "label", "result"];
            let lone = fields.len() == 1;
            // `"is_correct": false` beside the label
            let answers: Vec<Says> =
                fields.iter().filter_map(|(key, value)| answers(key, value, names)).collect();
            let fields: Vec<(Place, bool, Says)> = fields
                .iter()
                .map(|(key, value)| {
                    let key = plain(key);
                    let place = Place::of(&key);
                    let nested = holds_fields(value)
                        && (lone
                            || WRAPPER.contains(&key.as_str())
                            || per_call.iter().any(|prefix| key.starts_with(prefix)));
                    let matters = nested || place != Place::Elsewhere;
                    (place, nested, if matters { says(value, names) } else { Says::Nothing })
                })
                .collect();
            let under =
                |place: Place| agree(fields.iter().filter(|(at, ..)| *at == place).map(|(_, _, says)| *says));
            let said = match (under(Place::Overall), under(Place::Verdict), under(Place::Perhaps)) {
                (Says::Nothing, Says::Nothing, perhaps) => perhaps,
                (Says::Nothing, says, Says::Nothing | Says::NoRail) => says,
                (Says::Nothing, says, perhaps) => agree([says, perhaps].into_iter()),
                (overall, ..) => overall,
            };
            match said {
                Says::Nothing => {}
                Says::Rail(_) => return agree(std::iter::once(said).chain(answers)),
                said => return said,
            }
            agree(fields.iter().filter(|(_, nested, _)| *nested).map(|(_, _, says)| *says))
        }
    }
}

/// `not correct` where the other rail is `incorrect`. What is not good may be less than bad, and what is not wrong need not be right.
fn denied(text: &str, names: &Names) -> Option<usize> {
    let text = folded(text);
    let rest = ["not ", "isn't ", "is not ", "it is not ", "it isn't "]
        .iter()
        .find_map(|no| text.strip_prefix(no))?;
    names.negated(names.exactly(rest)?)
}

/// Whether a key promises a verdict, as `label` and `is_correct` do.
pub(super) fn promises(key: &str, names: &Names) -> bool {
    Place::of(&plain(key)) != Place::Elsewhere || names.exactly(key).or_else(|| asked(key, names)).is_some()
}

/// Whether a key that was cut off may become such a one.
pub(super) fn promises_so_far(key: &str, names: &Names) -> bool {
    let start = plain(key);
    let mut keys = OVERALL.iter().chain(&VERDICT).chain(&PERHAPS);
    !start.is_empty() && keys.any(|key| key.starts_with(&start)) || promises(key, names)
}

/// What a key promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Overall,
    Verdict,
    Perhaps,
    Elsewhere,
}

impl Place {
    fn of(plain: &str) -> Place {
        match plain {
            key if OVERALL.contains(&key) => Place::Overall,
            key if VERDICT.contains(&key) => Place::Verdict,
            key if PERHAPS.contains(&key) => Place::Perhaps,
            _ => Place::Elsewhere,
        }
    }
}

/// `{"correct": true, "incorrect": false}`: what an object says whose keys are rails. Other keys than these and remarks make it data.
fn ticked(value: &LenientJson, names: &Names) -> Option<Says> {
    let LenientJson::Object(fields) = value else { return None };
    let mut chosen = Vec::new();
    for (key, value) in fields {
        let Some(rail) = names.exactly(key).or_else(|| asked(key, names)) else {
            let remark = EXPLANATION.contains(&plain(key).as_str())
                || matches!(plain(key).as_str(), "confidence" | "score");
            if remark { continue } else { return None }
        };
        match value {
            LenientJson::Text(text) if text.eq_ignore_ascii_case("true") => chosen.push((rail, true)),
            LenientJson::Text(text) if text.eq_ignore_ascii_case("false") => chosen.push((rail, false)),
            _ => return None,
        }
    }
    let ticked: Vec<usize> = chosen.iter().filter(|(_, ticked)| *ticked).map(|(rail, _)| *rail).collect();
    match (&chosen[..], &ticked[..]) {
        ([], _) => None,
        (_, [rail]) if chosen.iter().all(|(other, ticked)| *ticked || other != rail) => {
            Some(Says::Rail(*rail))
        }
        ([(rail, false)], []) => Some(names.opposite(*rail).map_or(Says::NoRail, Says::Rail)),
        _ => Some(Says::Several),
    }
}

/// What `"is_correct": false` says.
fn answers(key: &str, value: &LenientJson, names: &Names) -> Option<Says> {
    let LenientJson::Text(text) = value else { return None };
    let rail = asked(key, names)?;
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(Says::Rail(rail)),
        "false" | "no" | "0" => names.opposite(rail).map(Says::Rail),
        _ => None,
    }
}

/// `is_correct`, `wasCorrect`, `correct?`
fn asked(key: &str, names: &Names) -> Option<usize> {
    let key = plain(key);
    let rail = |verb: &&str| names.exactly(key.strip_prefix(*verb)?);
    ["", "is", "was", "callis", "iscall", "toolcallis"].iter().find_map(rail)
}

/// The only value of a whole reply that is a rail, under whatever key, if everything beside it is a remark or a number.
fn lone(value: &LenientJson, names: &Names) -> Option<usize> {
    let LenientJson::Object(fields) = value else { return None };
    let mut only = None;
    for (key, value) in fields {
        let LenientJson::Text(text) = value else { return None };
        let data =
            ["status", "state", "type", "name", "tag", "tool", "id", "value", "field", "text", "query"];
        match names.exactly(text) {
            Some(_) if only.is_some() || data.contains(&plain(key).as_str()) => return None,
            Some(rail) => only = Some(rail),
            None if EXPLANATION.contains(&plain(key).as_str()) || plain(key) == "confidence" => {}
            None if text.split_whitespace().nth(1).is_some() => {}
            None => return None,
        }
    }
    only
}

/// What several values say together: a rail only if all that say anything say that rail.
fn agree(all: impl Iterator<Item = Says>) -> Says {
    all.fold(Says::Nothing, |so_far, next| match (so_far, next) {
        (so_far, Says::Nothing) => so_far,
        (Says::Nothing, next) => next,
        (so_far, next) if so_far == next => so_far,
        _ => Says::Several,
    })
}

fn explanation(value: &LenientJson) -> Option<String> {
    let LenientJson::Object(fields) = value else { return None };
    let here = fields.iter().find_map(|(key, value)| match value {
        LenientJson::Text(text) if EXPLANATION.contains(&plain(key).as_str()) => Some(text.trim().to_owned()),
        _ => None,
    });
    let nested = || fields.iter().find_map(|(_, value)| explanation(value));
    here.or_else(nested).filter(|text| !text.is_empty())
}
