//! What a reply that the length limit cut off surely says, whatever the missing rest is.
//!
//! Almost every verdict can be overturned by what follows it, so that only three forms count: a closed field of a JSON object,
//! a first line or sentence that is nothing but the verdict, and a closed statement of the final one, the latter two with
//! nothing but plain reasons behind.

use super::json::{promises, promises_so_far};
use super::lexicon::Class;
use super::names::Names;
use super::token::{Token, tokens};

/// Fewer words behind a verdict tell nothing of how the reply goes on.
const REASONS: usize = 4;

/// Whether `rail` stands in `answer`, of which the end is missing.
pub(super) fn stands(answer: &str, rail: usize, names: &Names) -> bool {
    let text = answer.trim_start();
    let object =
        text.strip_prefix("```").and_then(|text| text.split_once('\n')).map_or(text, |(_, text)| text);
    match object.trim_start().strip_prefix('{') {
        Some(fields) => field(fields, names) == Some(rail),
        None => stated(text, rail, names),
    }
}

/// The rail of the only verdict's field of an object, closed and at its top.
fn field(text: &str, names: &Names) -> Option<usize> {
    let mut rest = text.trim_start();
    let mut said = None;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some(key) = rest.strip_prefix('"') else {
            let closed =
                rest.strip_prefix('}').is_some_and(|rest| rest.trim_matches(['`', '\n', ' ']).is_empty());
            return said.filter(|_| closed || rest.is_empty());
        };
        let Some((key, behind)) = string(key) else {
            return said.filter(|_| !promises_so_far(key, names));
        };
        let Some(value) = behind.trim_start().strip_prefix(':').map(str::trim_start) else {
            return said.filter(|_| behind.trim().is_empty() && !promises(&key, names));
        };
        if promises(&key, names) {
            let (value, behind) = string(value.strip_prefix('"')?)?;
            if said.is_some() || !behind.trim_start().starts_with([',', '}']) {
                return None;
            }
            said = Some(names.exactly(value.trim())?);
            rest = behind;
        } else if let Some(value) = value.strip_prefix('"') {
            match string(value) {
                Some((_, behind)) => rest = behind,
                None => return said,
            }
        } else {
            // A list or an object may hold verdicts of its own.
            let end = value.find([',', '}', '{', '[', '"']).unwrap_or(value.len());
            if value[end..].starts_with(['{', '[', '"']) {
                return None;
            }
            rest = &value[end..];
        }
    }
}

/// A string behind its opening quotation mark, and what follows its closing one.
fn string(text: &str) -> Option<(String, &str)> {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((text[..end].to_owned(), &text[end + 1..]))
}

/// Whether the text gives `rail` in a sentence of its own and goes on with plain reasons.
fn stated(text: &str, rail: usize, names: &Names) -> bool {
    let mut from = 0;
    while let Some(end) = sentence_end(&text[from..]).map(|end| from + end) {
        let given = verdict(&text[from..end], names);
        let form = given.filter(|(said, form)| *said == rail && (from == 0 || *form == Form::Final));
        if form.is_some() {
            // The same line again and again says no more than once.
            let mut rest = text[end..].trim_start();
            while let Some(more) = rest.strip_prefix(text[from..end].trim()).filter(|more| !more.is_empty()) {
                rest = more.trim_start();
            }
            let repeated = rest.len() < text[end..].trim_start().len();
            return explains(rest, if repeated { 0 } else { REASONS }, names.is_positive(rail), names);
        }
        if given.is_some() {
            return false;
        }
        from = end;
    }
    false
}

/// Where the first sentence or line of `text` ends; a full stop inside a word or number ends none.
fn sentence_end(text: &str) -> Option<usize> {
    let mut word = false;
    for (at, c) in text.char_indices() {
        let behind = &text[at + c.len_utf8()..];
        word |= c.is_alphanumeric();
        match c {
            '\n' if word => return Some(at + 1),
            '。' | '！' => return Some(at + c.len_utf8()),
            '.' | '!' | '?'
                if behind.trim_start_matches(['*', '"', '`', '_']).starts_with(char::is_whitespace) =>
            {
                return Some(at + 1);
            }
            _ => {}
        }
    }
    None
}

/// How a sentence gives its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `Correct.`, `Label: correct`, `The call is correct.`: only at the very beginning.
    First,
    /// `Final answer: correct.`
    Final,
}

fn verdict(sentence: &str, names: &Names) -> Option<(usize, Form)> {
    const DECOR: [char; 12] = ['*', '"', '`', '_', ' ', '\n', '\t', '\'', '“', '”', '.', '!'];
    const CALL: [&str; 3] = ["the call is", "the tool call is", "this call is"];
    const LABEL: [&str; 6] = ["label", "verdict", "answer", "grade", "judgment", "judgement"];
    let sentence = sentence.trim_matches(DECOR);
    if let Some(rail) = names.exactly(sentence) {
        // `A. The first of the two` counts.
        return (sentence.chars().count() > 1).then_some((rail, Form::First));
    }
    let said = |text: &str| names.exactly(text.trim_matches(DECOR));
    if let Some((key, value)) = sentence.split_once(':') {
        let key = key.trim_matches(DECOR).to_lowercase();
        let own = key.strip_prefix("my ").unwrap_or(&key);
        let form = match own.strip_prefix("final ") {
            Some(own) if LABEL.contains(&own) => Form::Final,
            None if LABEL.contains(&own) => Form::First,
            _ => return None,
        };
        return said(value).map(|rail| (rail, form));
    }
    let (lead, value) = sentence.rsplit_once(' ')?;
    let lead = lead.trim_matches(DECOR).to_lowercase();
    CALL.contains(&&*lead).then(|| said(value)).flatten().map(|rail| (rail, Form::First))
}

/// Whether nothing but plain reasons stand in `text`, at least so many words of them: no turn, condition or second look, no rail, and
/// behind a success no fault.
fn explains(text: &str, least: usize, success: bool, names: &Names) -> bool {
    const ELABORATES: [&str; 8] =
        ["elaborate", "explain", "justify", "give", "list", "lay", "summarise", "summarize"];
    let tokens = tokens(text);
    let words: Vec<&Token> = tokens.iter().filter(|token| token.is_word()).collect();
    let again = words.windows(3).any(|three| {
        three[0].word() == "let" && !ELABORATES.contains(&three[2].word()) || three[0].word() == "let's"
    });
    let rail = (0..tokens.len()).any(|at| names.at(&tokens, at).is_some());
    let turns = words.iter().any(|token| turns(token) || success && faults(token));
    let trails = text.trim_end().ends_with("let")
        || text.trim_end().ends_with("Let")
        || text.trim_end().ends_with("Let me");
    words.len() >= least
        && !again
        && !rail
        && !turns
        && !trails
        && !text.contains(['?', '…'])
        && !text.contains("...")
}

fn turns(token: &Token) -> bool {
    matches!(token.class, Class::Contrast | Class::Cue | Class::Condition | Class::Hedge)
        || matches!(
            token.word(),
            "wait"
                | "oh"
                | "ah"
                | "well"
                | "hmm"
                | "actually"
                | "though"
                | "although"
                | "however"
                | "except"
                | "unless"
                | "otherwise"
                | "apart"
                | "aside"
                | "double"
                | "recheck"
                | "reconsider"
                | "again"
                | "second"
                | "verify"
                | "sorry"
                | "mistake"
                | "oops"
                | "still"
                | "label"
                | "verdict"
                | "i"
                | "my"
                | "or"
                | "correction"
                | "only"
        )
}

fn faults(token: &Token) -> bool {
    matches!(token.class, Class::Negation | Class::Partial | Class::Unclear)
        || matches!(
            token.word(),
            "wrong"
                | "missing"
                | "misses"
                | "lacks"
                | "instead"
                | "should"
                | "fails"
                | "failed"
                | "forgot"
                | "invented"
                | "ignores"
        )
}
