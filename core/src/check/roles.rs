//! Values that the request assigns to parameters by name: `to: A, cc: B`, `5 sets of 8`.

use std::sync::LazyLock;

use super::affinity::is_kin;
use super::schema::text_of;
use crate::domain::{Json, Object};
use crate::language;
use crate::reading::words::{WordSet, fold_identifier, words};

/// Arguments of one call that are compared with each other.
const MAX_ARGUMENTS: usize = 16;
/// Bytes of a value that is looked for.
const MAX_VALUE: usize = 60;

/// Two arguments of which each has the value that stands behind the other one's name and a colon in the text.
pub(super) fn by_labels(arguments: &Object, text: &str) -> Option<(String, String)> {
    if !text.contains([':', '=']) {
        return None;
    }
    let text = text.to_lowercase();
    if !is_one_wish(&text) {
        return None;
    }
    let given: Vec<(&str, String)> = arguments
        .iter()
        .take(MAX_ARGUMENTS)
        .filter_map(|(name, value)| {
            let value = match value {
                Json::Array(items) if items.len() == 1 => &items[0],
                value => value,
            };
            let is_told = matches!(value, Json::String(_) | Json::Number(_));
            let value = text_of(value).trim().to_lowercase();
            (is_told && value.len() <= MAX_VALUE && !value.is_empty()).then_some((name, value))
        })
        .collect();
    let labelled = |name: &str, value: &str| is_labelled(&text, &name.to_lowercase(), value);
    given.iter().enumerate().find_map(|(i, (name, value))| {
        let crossed = |(other, own): &&(&str, String)| {
            own != value
                && labelled(name, own)
                && labelled(other, value)
                && !labelled(name, value)
                && !labelled(other, own)
        };
        let (other, _) = given[i + 1..].iter().find(crossed)?;
        Some(((*name).to_owned(), (*other).to_owned()))
    })
}

/// Whether a text is a single sentence that takes nothing back: of others, such as mails to be answered, labels may name what was.
fn is_one_wish(text: &str) -> bool {
    const TAKEN_BACK: [&str; 6] = ["wrong", "swap", "swapped", "reverse", "reversed", "return"];
    let text = text.trim().trim_end_matches(['.', '!', '?', '…']);
    let ends = [". ", "! ", "? ", "\n"];
    !ends.iter().any(|end| text.contains(end))
        && !text.split(|c: char| !c.is_alphanumeric()).any(|word| TAKEN_BACK.contains(&word))
}

/// Whether a value stands right behind a name and a sign between them.
fn is_labelled(text: &str, name: &str, value: &str) -> bool {
    const MAX_PLACES: usize = 16;
    text.match_indices(name).take(MAX_PLACES).any(|(at, _)| {
        let begins = !text[..at].ends_with(char::is_alphanumeric);
        let behind = text[at + name.len()..].trim_start();
        let Some(told) = behind.strip_prefix([':', '=']) else { return false };
        let told = told.trim_start_matches([' ', '"', '\'', '„', '“', '«']);
        let ends = |rest: &str| !rest.starts_with(char::is_alphanumeric);
        begins && told.strip_prefix(value).is_some_and(ends)
    })
}

/// Names of what says how many of something are wanted: whatever that is stands beside the number.
const AMOUNTS: [&str; 10] =
    ["limit", "count", "number", "num", "step", "amount", "size", "offset", "max", "quantity"];

/// A number that stands right before or behind the name of another parameter, as in `5 sets of 8`, while that one holds another
/// number of the question, which stands beside no such name: they have each other's value.
pub(super) fn by_counts(arguments: &Object, question: &[&str]) -> Option<(String, String)> {
    let given: Vec<(&str, Vec<String>, Vec<usize>)> = arguments
        .iter()
        .take(MAX_ARGUMENTS)
        .filter(|(_, value)| matches!(value, Json::Number(_)))
        .filter_map(|(name, value)| {
            let value = text_of(value);
            let places: Vec<usize> =
                (0..question.len()).filter(|at| question[*at] == &*value).take(MAX_ARGUMENTS).collect();
            let own = words(&fold_identifier(name)).map(str::to_owned).collect();
            (!places.is_empty() && value.bytes().all(|b| b.is_ascii_digit())).then_some((name, own, places))
        })
        .collect();
    let word = |at: Option<usize>| at.and_then(|at| question.get(at)).copied().unwrap_or_default();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    // `3 rows` says how many, not which row.
    let is_plural = |word: &str| word.ends_with('s');
    let is_named = |own: &[String], word: &str| {
        own.len() == 1
            && is_kin(&own[0], word)
            && is_kin(word, &own[0])
            && is_plural(&own[0]) == is_plural(word)
    };
    if given.iter().any(|(_, own, _)| own.iter().any(|word| AMOUNTS.contains(&word.as_str()))) {
        return None;
    }
    // Of a name between two numbers nobody knows whose it is.
    let is_beside = |own: &[String], at: usize| {
        let behind = is_named(own, word(at.checked_add(1))) && !is_number(word(at.checked_add(2)));
        behind || (is_named(own, word(at.checked_sub(1))) && !is_number(word(at.checked_sub(2))))
    };
    let is_near = |own: &[String], at: usize| {
        let near = [at.checked_sub(1), at.checked_add(1)].map(word);
        near.iter().any(|word| own.iter().any(|own| is_kin(own, word)))
    };
    given.iter().find_map(|(name, own, places)| {
        let [at] = places[..] else { return None };
        let (other, ..) = given.iter().find(|(other, named, rest)| {
            let [of_other] = rest[..] else { return false };
            let apart = other != name && of_other != at;
            apart && is_beside(named, at) && !is_near(own, at) && !is_near(named, of_other)
        })?;
        Some(((*name).to_owned(), (*other).to_owned()))
    })
}

/// What is wrong with the arguments that hold the ends of a span such as `lines 200 to 260`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ends {
    /// The last one is given where their number is asked for.
    LastAsCount { count: String, last: String },
    /// The last one is given as the first.
    Crossed { first: String, count: String },
}

/// Whether a first and a count hold the first and the last of a span of the question.
pub(super) fn by_ends(arguments: &Object, question: &[&str]) -> Option<Ends> {
    const FIRSTS: [&str; 6] = ["offset", "start", "first", "from", "begin", "skip"];
    const COUNTS: [&str; 6] = ["limit", "count", "length", "number", "num", "size"];
    const NO_COUNTS: [&str; 8] = ["end", "last", "to", "stop", "until", "max", "page", "id"];
    let of = |names: &[&str], own: &str| words(&fold_identifier(own)).any(|word| names.contains(&word));
    let number = |(name, value): (&'_ str, &Json)| match value {
        Json::Number(number) => Some((name.to_owned(), number.as_f64())),
        _ => None,
    };
    let numbers: Vec<(String, f64)> = arguments.iter().take(MAX_ARGUMENTS).filter_map(number).collect();
    let (first, start) = numbers.iter().find(|(name, _)| of(&FIRSTS, name))?;
    // Of amounts and the like a limit is the upper end.
    let is_of_parts = of(&["offset", "skip"], first) || of(&PARTS, first);
    if !is_of_parts && !question.iter().any(|word| PARTS.contains(word)) {
        return None;
    }
    let (count, length) = numbers.iter().find(|(name, _)| of(&COUNTS, name) && !of(&NO_COUNTS, name))?;
    let spans = question.windows(3).filter(|own| UNTIL.has(own[1]) && own[1] != "and");
    spans.filter_map(|own| Some((own[0].parse::<f64>().ok()?, own[2].parse::<f64>().ok()?))).find_map(
        // From the first on the last one is the count.
        |(from, to)| match () {
            () if from <= 1.0 || to <= from => None,
            () if *start == from && *length == to => {
                Some(Ends::LastAsCount { count: count.clone(), last: to.to_string() })
            }
            () if *start == to && *length == from => {
                Some(Ends::Crossed { first: first.clone(), count: count.clone() })
            }
            () => None,
        },
    )
}

/// What is counted off from a first one.
const PARTS: [&str; 13] = [
    "line", "lines", "row", "rows", "page", "pages", "byte", "bytes", "zeile", "zeilen", "lignes", "righe",
    "lineas",
];

/// Words between the ends of a span.
static UNTIL: LazyLock<WordSet> = LazyLock::new(|| WordSet::of(language::words(|of| &of.dates.until)));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_span_is_no_count() {
        for (question, arguments, wrong) in [
            ("lines 200 to 260", r#"{"offset":200,"limit":260}"#, true),
            ("lines 200 to 260", r#"{"offset":260,"limit":200}"#, true),
            ("lines 200 to 260", r#"{"offset":200,"limit":61}"#, false),
            ("lines 200 to 260", r#"{"start":200,"end":260}"#, false),
            ("Zeilen 200 bis 260", r#"{"startLine":200,"lineCount":260}"#, true),
            ("lines 1 to 260", r#"{"offset":1,"limit":260}"#, false),
            ("line 200 and limit 260", r#"{"offset":200,"limit":260}"#, false),
            ("from 100 to 200 euros", r#"{"price_from":100,"price_limit":200}"#, false),
        ] {
            let arguments = Json::parse(arguments).unwrap();
            let words: Vec<&str> = question.split(' ').collect();
            assert_eq!(
                by_ends(arguments.as_object().unwrap(), &words).is_some(),
                wrong,
                "{question} {arguments}"
            );
        }
    }

    #[test]
    fn values_belong_to_the_names_beside_them() {
        for (question, arguments, swapped) in [
            ("to: a@x.example, cc: b@x.example", r#"{"to":["b@x.example"],"cc":["a@x.example"]}"#, true),
            ("to: a@x.example, cc: b@x.example", r#"{"to":["a@x.example"],"cc":["b@x.example"]}"#, false),
            ("to: a@x.example, cc: a@x.example", r#"{"to":"a@x.example","cc":"a@x.example"}"#, false),
            ("rows=3 columns=40", r#"{"rows":40,"columns":3}"#, true),
            ("rows=3 columns=40", r#"{"rows":3,"columns":40}"#, false),
            ("rows=3 columns=40", r#"{"rows":4,"columns":3}"#, false),
            ("5 sets of 8", r#"{"sets":8,"reps":5}"#, true),
            ("5 sets of 8", r#"{"sets":5,"reps":8}"#, false),
            ("5 sets of 8, then 5 more", r#"{"sets":8,"reps":5}"#, false),
            ("I want 3 rows starting at 12", r#"{"row":12,"limit":3}"#, false),
            ("5 episodes beginning with 7", r#"{"episode":7,"number":5}"#, false),
            ("it was from: Oslo, to: Rome. Book the way back", r#"{"from":"Rome","to":"Oslo"}"#, false),
            ("from: en, to: de was wrong", r#"{"from":"de","to":"en"}"#, false),
            ("134 over 86, pulse 71", r#"{"diastolic":86,"pulse":71}"#, false),
            ("write 350 to address 40", r#"{"address":350,"value":40}"#, true),
            ("write 350 to address 40", r#"{"address":40,"value":350}"#, false),
            ("a table for 4 at 8", r#"{"guests":4,"hour":8}"#, false),
            ("", r#"{"sets":8,"reps":5}"#, false),
        ] {
            let arguments = Json::parse(arguments).unwrap();
            let object = arguments.as_object().unwrap();
            let question_words: Vec<&str> = question.split([' ', ',']).collect();
            let found = by_labels(object, question).or_else(|| by_counts(object, &question_words));
            assert_eq!(found.is_some(), swapped, "{question} {arguments}");
        }
    }
}
