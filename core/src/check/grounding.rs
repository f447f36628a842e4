//! Whether the conversation supports an argument's value.

use std::sync::LazyLock;

use super::asked_unit::{asked_by, asks_for_cents, is_of_a_month, is_unconverted};
use super::evidence::Evidence;
use super::node::Node;
use super::placeholder::is_placeholder;
use super::schema::{folded_of, text_of};
use super::{currency, truth};
use crate::domain::Json;
use crate::language::phrases;
use crate::reading::aliases;
use crate::reading::codes::Hint;
use crate::reading::dates::{TimeMatch, Times, is_weekday};
use crate::reading::numbers::{FIRST_INEXACT, Figures, Measured, NumberMatch};
use crate::reading::words::{fold, fold_identifier, words};

/// Where a value comes from, from the surest source to none.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Support {
    /// It stands in the conversation.
    Literal,
    /// The conversation says the same in other words, units or spellings.
    Normalised,
    /// One of the allowed values, inferred; no other one is named.
    Choice,
    /// This number of the conversation in the unit the parameter asks for.
    Converted(f64),
    /// A number copied without the conversion the parameter asks for.
    WrongUnit,
    /// A number of the conversation with another sign, which nothing there explains.
    WrongSign,
    /// The default the definition names.
    Default,
    /// Worked out from numbers of the conversation, or from a day named relative to today.
    Derived,
    /// A percentage kept as it stands for a parameter that does not speak of percent.
    KeptPercent,
    /// This share of its words stands in the conversation.
    Partial(f64),
    /// The same of a text that nobody dictates, such as the body of a message.
    Composed(f64),
    /// Only the definition names it.
    Described,
    /// The conversation names this other allowed value.
    OtherChoice(String),
    /// A stand-in for a value.
    Placeholder,
    /// A required text without a letter.
    Empty,
    /// It is named only to be kept out.
    Excluded,
    /// Nothing.
    None,
}

/// Bytes of a longer text are no name of a thing.
const MAX_NAME: usize = 80;

/// Looks for the source of a value that is neither array nor object; `folded` is its text, [folded](fold).
pub(super) fn support(evidence: &Evidence, node: Option<&Node>, value: &Json, folded: &str) -> Support {
    match value {
        Json::Null => match node.and_then(|node| named_choice(evidence, node, "")) {
            // Left out, though the conversation says which one.
            Some(named) => Support::OtherChoice(named),
            None => Support::Default,
        },
        Json::Bool(value) => truth::support(evidence, node, *value),
        // Only their digits tell such numbers apart.
        Json::Number(number) if number.as_f64().abs() >= FIRST_INEXACT && evidence.has_phrase(folded) => {
            Support::Literal
        }
        Json::Number(number) => self::number(evidence, node, number.as_f64()),
        Json::String(text) => self::text(evidence, node, text, folded),
        Json::Array(_) | Json::Object(_) => Support::Literal,
    }
}

/// Whether the conversation names a value of a call of that tool only to keep it out; `path` leads to it, and `folded` is its text,
/// [folded](fold).
pub(super) fn is_excluded(
    evidence: &Evidence,
    tool: &str,
    path: &str,
    node: Option<&Node>,
    value: &Json,
    folded: &str,
) -> bool {
    evidence.excludes_anything()
        && matches!(value, Json::Number(_) | Json::String(_))
        && text_of(value).len() <= 60
        && evidence.excludes(folded, Some(&fold_identifier(tool)))
        && !is_for_the_unwanted(path)
        && !node.is_some_and(|node| is_default(node, folded, None))
}

/// Whether a parameter, or one around it, is called after what is unwanted, or takes texts that may speak of it.
fn is_for_the_unwanted(path: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "exclu", "except", "avoid", "omit", "skip", "banned", "block", "blacklist", "deny", "denied", "disallow", "unavailable", "unwanted",
        "forbid", "prohibit", "remov", "delet", "reject", "ignor", "dislike", "allerg", "intoleran", "restriction", "negative", "mute",
        "hidden", "hide", "minus", "drop", "discard", "without",
    ];
    const WORDS: &[&str] = &["ban", "bans", "not", "no", "non", "ne", "neq", "nin"];
    #[rustfmt::skip]
    const OWN: &[&str] = &[
        "filter", "old", "query", "message", "text", "content", "body", "note", "notes", "reason", "instructions", "prompt", "description",
        "preferences", "field", "column", "key", "attribute", "property",
    ];
    let named = fold_identifier(path);
    // `/filters/0/value` is called `value`, `/notes/0` is called `notes`.
    let own = path.rsplit('/').find(|step| !step.bytes().all(|b| b.is_ascii_digit())).unwrap_or_default();
    words(&named).any(|word| WORDS.contains(&word) || STARTS.iter().any(|start| word.starts_with(start)))
        || words(&fold_identifier(own)).any(|word| OWN.contains(&word))
}

/// Whether a value is an operator that negates what stands beside it: `{"op": "ne", "value": "cancelled"}`.
pub(super) fn is_negation(value: &Json) -> bool {
    #[rustfmt::skip]
    const OPERATORS: &[&str] = &[
        "ne", "neq", "!=", "<>", "!", "not", "not_eq", "not_equal", "not_equals", "notequals", "not_in", "nin", "notin", "not in", "is not",
        "is_not", "not_contains", "exclude", "excludes", "without", "except", "$ne", "$nin", "$not", "!==", "noteq",
    ];
    value.as_str().is_some_and(|text| OPERATORS.contains(&text.trim().to_lowercase().as_str()))
}

/// Words that turn a number's sign around.
static SIGNS: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.minus));

/// What may stand between a number and a point of the compass: `33.9 deg S`.
const DEGREES: [&str; 4] = [" deg ", " degree ", " degrees ", " grad "];

/// Bytes of the folded conversation around a number in which a word may turn its sign.
const SIGN_BEFORE: usize = 60;
const SIGN_BEHIND: usize = 20;
/// Places of a number that are looked at.
const MAX_PLACES: usize = 8;

/// Whether words near a number of the conversation say that it is below zero, or that it is told without its sign. `None` where it
/// stands nowhere in digits and no word says so.
fn is_sign_told(evidence: &Evidence, node: Option<&Node>, value: f64) -> Option<bool> {
    let number = fold(&value.abs().to_string());
    let text = &evidence.text;
    let mut places = text.match_indices(number.as_str()).take(MAX_PLACES).peekable();
    if places.peek().is_none() {
        return SIGNS.iter().any(|word| evidence.has_phrase(word)).then_some(true);
    }
    let turned = places.any(|(at, _)| {
        let end = at + number.len();
        let around = &text[text.floor_char_boundary(at.saturating_sub(SIGN_BEFORE))
            ..text.ceil_char_boundary((end + SIGN_BEHIND).min(text.len()))];
        // One letter is a point of the compass only right behind its number: `74 W`, but not `5 m/s`.
        let behind = &text[end - 1..];
        let behind = DEGREES.iter().find_map(|word| behind.strip_prefix(word)).map_or(behind, |_| {
            let at = behind[1..].find(' ').map_or(0, |at| at + 1);
            &behind[at..]
        });
        let before = &text[..=at];
        SIGNS.iter().any(|word| match word.len() {
            // Before it only where a sign is asked for: `S 33.9`, but not the end of `it's 5`.
            0..=3 => {
                behind.starts_with(word.as_str())
                    || (node.is_some_and(has_direction) && before.ends_with(word.as_str()))
            }
            // A charge of 5 is none below zero; a loss of 5 is.
            _ => around.contains(word.as_str()) && !node.is_some_and(|node| is_namesake(node, word)),
        })
    });
    Some(turned)
}

/// Whether a word that may turn a sign is just what the parameter is called.
fn is_namesake(node: &Node, word: &str) -> bool {
    matches!(
        word.trim(),
        "charge" | "charged" | "cost" | "expense" | "expenses" | "pay" | "paid" | "spend" | "spent"
    ) && node.name.contains(word)
}

/// Whether a parameter says that its sign means something.
fn has_direction(node: &Node) -> bool {
    #[rustfmt::skip]
    const DIRECTIONS: &[&str] = &[
        "negative", "minus", "sign", "signed", "delta", "offset", "shift", "change", "adjustment", "difference", "direction", "latitude",
        "longitude", "lat", "lon", "lng", "balance", "gain", "increment", "step", "relative", "displacement", "profit",
    ];
    words(&node.name).chain(words(&node.description)).any(|word| DIRECTIONS.contains(&word))
}

fn number(evidence: &Evidence, node: Option<&Node>, value: f64) -> Support {
    let measured = node.and_then(|node| evidence.figures.in_unit(value, || asked_by(node)));
    match measured {
        Some(Measured::Same) => return Support::Literal,
        Some(Measured::Converted(own)) => return Support::Converted(own),
        Some(Measured::Unconverted) => return Support::WrongUnit,
        Some(Measured::Other) | None => {}
    }
    if node.is_some_and(|node| {
        is_unconverted(&evidence.figures, node, value) || is_of_a_month(&evidence.text, node, value)
    }) {
        return Support::WrongUnit;
    }
    let way = evidence.figures.explain(value);
    let percent = node.is_some_and(|node| {
        [" percent ", " percentage ", " pct "]
            .iter()
            .any(|word| node.description.contains(word) || node.name.contains(word))
    });
    match way {
        Some(NumberMatch::Same) => return Support::Literal,
        Some(NumberMatch::FromPercent) if percent => return Support::Partial(0.5),
        Some(NumberMatch::FromPercent) => return Support::Normalised,
        Some(NumberMatch::KeptPercent) if percent => return Support::Literal,
        Some(NumberMatch::KeptPercent) => return Support::KeptPercent,
        _ => {}
    }
    let of_hundred = |node: &Node| {
        [" 0 100 ", " 0 to 100 ", " 1 100 ", " 1 to 100 "]
            .iter()
            .any(|range| node.description.contains(range))
    };
    if percent || node.is_some_and(of_hundred) {
        let full = [" full ", " maximum ", " max "].iter().any(|word| evidence.has_phrase(word));
        if evidence.figures.has_share(value) || (value == 100.0 && full) {
            return Support::Normalised;
        }
    }
    if node.is_some_and(|node| is_default(node, "", Some(value))) {
        return Support::Default;
    }
    if way == Some(NumberMatch::Negated) {
        return match (is_sign_told(evidence, node, value), node.is_some_and(has_direction)) {
            // `-5` for `5 below`, but not the other way round.
            (Some(true), _) if value < 0.0 => Support::Normalised,
            (Some(true), _) => Support::Choice,
            // A number in words may have its sign anywhere.
            (None, true) => Support::Choice,
            (Some(false) | None, _) => Support::WrongSign,
        };
    }
    // A single thing is asked for without its number.
    if value == 1.0
        && [" a ", " an ", " per ", " each ", " every ", " the "].iter().any(|word| evidence.has_phrase(word))
    {
        return Support::Choice;
    }
    if value == 0.0
        && [" rest ", " start ", " starting ", " origin ", " no ", " without ", " none ", " dropped "]
            .iter()
            .any(|word| evidence.has_phrase(word))
    {
        return Support::Normalised;
    }
    // A parameter that names its unit asks for a conversion.
    let names_unit = |node: &Node| words(&node.name).chain(words(&node.description)).any(aliases::is_unit);
    match way {
        // 12.50 is not 1250, unless cents are asked for.
        Some(NumberMatch::Scaled) if evidence.figures.is_money_shifted(value) => {
            if node.is_some_and(asks_for_cents) { Support::Normalised } else { Support::None }
        }
        Some(NumberMatch::Scaled) if measured.is_none() && !percent && node.is_some_and(names_unit) => {
            Support::Normalised
        }
        Some(_) => Support::Derived,
        None if node.is_some_and(|node| Figures::of(&node.description).contains(value)) => Support::Described,
        None => Support::None,
    }
}

fn text(evidence: &Evidence, node: Option<&Node>, text: &str, folded: &str) -> Support {
    if folded.trim().is_empty() {
        return match text.trim() {
            "" if is_left_empty(node) => Support::Default,
            "" => Support::Empty,
            "?" | "-" | "..." | "_" => Support::Placeholder,
            // Operators and the like: nothing to look for.
            _ => Support::Choice,
        };
    }
    let mut times = Times::default();
    times.read(text, folded);
    // Today's date stands in the conversation, but may not be the day that is meant.
    if times.has_dates() && evidence.times.knows_today() && text.len() <= MAX_TIME_LENGTH {
        match evidence.times.explain(&times) {
            Some(TimeMatch::Told) => return Support::Normalised,
            Some(_) if is_bound(evidence, node, &times) => return Support::Normalised,
            Some(TimeMatch::Possible) => return Support::Derived,
            Some(TimeMatch::Other) => return Support::None,
            None => {}
        }
    }
    let word = folded.trim();
    if !evidence.currencies.is_empty() && currency::is_told(&evidence.currencies, folded) {
        return Support::Normalised;
    }
    // `IT` is not told by every `it`.
    let told = !is_code(text) || !aliases::is_common_word(word) || evidence.has_code(word);
    if told && evidence.has_phrase(folded) {
        return Support::Literal;
    }
    if text.len() <= MAX_NAME {
        let hint = node.map_or_else(Hint::default, |node| Hint::of(&node.name, &node.description));
        if evidence.names_thing(text, hint) {
            return Support::Normalised;
        }
    }
    if matches!(folded.trim(), "null" | "none" | "n a") && node.is_some_and(|node| !node.required) {
        return Support::Default;
    }
    if is_placeholder(text, folded) {
        return Support::Placeholder;
    }
    if let Some(node) = node {
        if !node.choices.is_empty() {
            return choice(evidence, node, folded, text);
        }
        if is_default(node, folded, None) {
            return Support::Default;
        }
    }
    match evidence.times.explain(&times) {
        Some(TimeMatch::Told) => return Support::Normalised,
        Some(TimeMatch::Possible) => return Support::Derived,
        Some(TimeMatch::Other) if evidence.times.has_dates() || evidence.times.has_clock_of(&times) => {
            return Support::None;
        }
        _ => {}
    }
    let digits = text.trim().trim_end_matches(['L', 'f', 'F', 'n', '%']);
    if let Some(value) = digits.parse::<f64>().ok().filter(|value| value.is_finite()) {
        return number(evidence, node, value);
    }
    if evidence.times.tells_weekday(word) {
        return Support::Normalised;
    }
    if evidence.has_meaning(folded, text) {
        return Support::Normalised;
    }
    let (known, of) = evidence.known_words(folded);
    if of > 0 && known == of {
        return Support::Normalised;
    }
    if is_elaborated(evidence, text) || is_looked_up(node, text) || is_its_language(evidence, folded) {
        return Support::Choice;
    }
    if node.is_some_and(|node| node.description.contains(folded)) {
        return Support::Described;
    }
    let share = known as f64 / of.max(1) as f64;
    match known {
        0 => Support::None,
        _ if of > 2 && share >= 0.2 && node.is_some_and(is_composed) => Support::Composed(share),
        _ => Support::Partial(share),
    }
}

/// Whether an empty text may be meant: of what need not be given, or where the definition speaks of it.
fn is_left_empty(node: Option<&Node>) -> bool {
    node.is_none_or(|node| {
        !node.required
            || node.default.as_ref().and_then(Json::as_str) == Some("")
            || [" empty ", " blank ", " optional "].iter().any(|word| node.description.contains(word))
    })
}

/// Two or three capitals.
fn is_code(text: &str) -> bool {
    (2..=3).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase())
}

/// `after: 31 January` for what was asked for since 1 February.
fn is_bound(evidence: &Evidence, node: Option<&Node>, times: &Times) -> bool {
    let Some(node) = node else { return false };
    (node.name.contains(" after ") && evidence.times.is_bound(times, 1))
        || (node.name.contains(" before ") && evidence.times.is_bound(times, -1))
}

/// A longer text is more than a date and a time.
pub(super) const MAX_TIME_LENGTH: usize = 40;

/// A parameter whose text an agent writes itself.
fn is_composed(node: &Node) -> bool {
    const COMPOSED: &[&str] = &[
        "body",
        "message",
        "text",
        "content",
        "contents",
        "note",
        "notes",
        "summary",
        "query",
        "title",
        "subject",
        "description",
        "comment",
        "caption",
        "prompt",
        "reason",
        "details",
        "instructions",
    ];
    words(&node.name).last().is_some_and(|word| COMPOSED.contains(&word))
}

/// `Lyon, France` where only Lyon was spoken of.
fn is_elaborated(evidence: &Evidence, text: &str) -> bool {
    text.split_once(',').is_some_and(|(head, rest)| {
        (1..=24).contains(&rest.trim().len()) && evidence.has_phrase(&fold(head)) && !head.trim().is_empty()
    })
}

/// A code or symbol that stands for a name: `AAPL`, `LHR`. Nobody can tell its source without knowing the world.
fn is_looked_up(node: Option<&Node>, text: &str) -> bool {
    const CODES: &[&str] = &[" symbol ", " ticker ", " code ", " abbreviation ", " iso ", " acronym "];
    (2..=6).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_uppercase())
        && aliases::of(&text.to_lowercase()).next().is_none()
        && node.is_some_and(|node| {
            CODES.iter().any(|word| node.description.contains(word) || node.name.contains(word))
        })
}

/// The name of the language the conversation itself is in, as far as that is easily seen.
fn is_its_language(evidence: &Evidence, folded: &str) -> bool {
    matches!(folded.trim(), "en" | "english" | "en us") && evidence.has_phrase(" the ")
}

fn choice(evidence: &Evidence, node: &Node, folded: &str, text: &str) -> Support {
    let (known, of) = evidence.known_words(folded);
    if (of > 0 && known == of) || evidence.has_meaning(folded, text) {
        return Support::Normalised;
    }
    match named_choice(evidence, node, folded) {
        Some(named) => Support::OtherChoice(named),
        None if is_default(node, folded, None) => Support::Default,
        None => Support::Choice,
    }
}

/// Whether two weekdays may both be meant, though only one is named: `Monday to Friday`, `every day from Monday on`.
fn is_span_of_days(evidence: &Evidence, one: &str, other: &str) -> bool {
    is_weekday(one.trim())
        && is_weekday(other.trim())
        && [" to ", " through ", " until ", " till ", " every day ", " daily "]
            .iter()
            .any(|word| evidence.has_phrase(word))
}

/// Another of the allowed values, which the conversation names.
fn named_choice(evidence: &Evidence, node: &Node, folded: &str) -> Option<String> {
    let other = node.choices.iter().find(|choice| {
        choice.folded.len() > 4
            && choice.folded.trim() != folded.trim()
            && evidence.has_phrase(&choice.folded)
            && !evidence.excludes(&choice.folded, None)
            && !is_span_of_days(evidence, folded, &choice.folded)
    });
    other.map(|choice| text_of(&choice.value).into_owned())
}

/// Whether the definition calls this the default, in its schema or its words.
pub(super) fn is_default(node: &Node, folded: &str, number: Option<f64>) -> bool {
    match (&node.default, number) {
        (Some(Json::Number(own)), Some(value)) if own.as_f64() == value => return true,
        (Some(own), None) if folded_of(own) == folded => return true,
        _ => {}
    }
    let Some((_, after)) = node.description.split_once(" default") else { return false };
    let sentence: String = words(after).take(16).fold(String::from(" "), |text, word| text + word + " ");
    match number {
        Some(value) => {
            Figures::of(&after[..head(after, 80)]).contains(value)
                || sentence.contains(&fold(&value.to_string()))
        }
        None => sentence.contains(folded),
    }
}

fn head(text: &str, limit: usize) -> usize {
    (0..=limit.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
