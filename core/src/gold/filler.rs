//! Plausible wrong values for a parameter, as of a reader who skimmed the question.

use super::filler_table;
use super::random::Random;
use super::tool::{Parameter, Shape, choices, parameters, shape};
use super::words::{numbers, parts, proper_names, says_little, words};
use crate::domain::{Json, Number, Object};

/// Objects within lists within objects beyond this are left empty.
const MAX_DEPTH: usize = 4;
/// So many letters of a question are taken for a search or a message.
const MAX_LENGTH: usize = 120;

/// A value that fits the parameter's definition: an allowed one, its default, or what the question offers of that type.
pub(super) fn plausible(parameter: &Parameter, question: &str, random: &mut Random) -> Json {
    value(&parameter.name, &parameter.schema, question, random, MAX_DEPTH)
}

fn value(name: &str, schema: &Json, question: &str, random: &mut Random, depth: usize) -> Json {
    if let Some(choice) = random.pick(choices(schema)) {
        return choice.clone();
    }
    if let Some(default) = schema.get("default").filter(|default| !default.is_null())
        && default.as_str() != Some("")
    {
        return default.clone();
    }
    match shape(schema) {
        Shape::Text | Shape::Open => Json::from(phrase(name, question, random)),
        Shape::Integer => {
            let whole: Vec<Number> = numbers(question).into_iter().filter(Number::is_integer).collect();
            let number = random.pick(&whole).cloned();
            Json::Number(number.unwrap_or_else(|| Number::from(filler_table::whole(name, random))))
        }
        Shape::Float => {
            let said = random.pick(&numbers(question)).map(Number::as_f64);
            let float = said.unwrap_or_else(|| filler_table::fraction(name, random));
            Number::from_f64(float).map_or(Json::Null, Json::Number)
        }
        Shape::Boolean => Json::Bool(random.flip()),
        Shape::List if depth == 0 => Json::Array(Vec::new()),
        Shape::List => {
            let items = schema.get("items").unwrap_or(&Json::Null);
            Json::Array(vec![value(name, items, question, random, depth - 1)])
        }
        Shape::Object if depth == 0 => Json::Object(Object::new()),
        Shape::Object => {
            let members = parameters(schema);
            let wanted = |member: &&Parameter| member.required || members.len() <= 2;
            let filled = members.iter().filter(wanted).map(|member| {
                (member.name.clone(), value(&member.name, &member.schema, question, random, depth - 1))
            });
            Json::Object(filled.collect())
        }
    }
}

/// What the parameter's name asks for, else a name from the question, else some of its words that say something.
fn phrase(name: &str, question: &str, random: &mut Random) -> String {
    let asks_for = parts(name);
    let asks = |words: &[&str]| asks_for.iter().any(|part| words.contains(&part.as_str()));
    let named = |signs: &[&str]| {
        let pieces =
            question.split_whitespace().map(|piece| piece.trim_matches(|c| "\"'`‘’“”()[],?!.".contains(c)));
        pieces.filter(|piece| piece.len() > 3).find(|piece| signs.iter().any(|sign| piece.contains(sign)))
    };
    // What the question says in the form that is wanted; a name in it is no date, and no address of a page.
    let forms: [(&[&str], &[&str]); 5] = [
        (&["date", "day", "deadline"], &["-0", "-1", "/0", "/1"]),
        (&["time", "hour"], &[":"]),
        (&["url", "link", "website", "uri"], &["http", "www."]),
        (&["file", "path", "filename", "filepath", "folder"], &["/", "\\", ".c", ".j", ".p", ".t"]),
        (&["email", "mail"], &["@"]),
    ];
    if let Some((_, signs)) = forms.iter().find(|(words, _)| asks(words)) {
        let drawn = || filler_table::text(name, random);
        return named(signs).map(str::to_owned).or_else(drawn).unwrap_or_else(|| asks_for.join(" "));
    }
    if asks(&["id", "number", "code", "phone"]) {
        let said = random.pick(&numbers(question)).map(|number| number.as_str().to_owned());
        let drawn = || filler_table::text(name, random);
        return said.or_else(drawn).unwrap_or_else(|| asks_for.join(" "));
    }
    if asks(&["query", "question", "prompt", "text", "message", "description", "content"]) {
        return question.trim().trim_end_matches(['?', '.', '!']).chars().take(MAX_LENGTH).collect();
    }
    if let Some(name) = random.pick(&proper_names(question)) {
        return name.clone();
    }
    if let Some(drawn) = filler_table::text(name, random) {
        return drawn;
    }
    let telling: Vec<&str> =
        words(question).into_iter().filter(|word| word.chars().count() > 2 && !says_little(word)).collect();
    let length = 1 + random.below(2.min(telling.len()));
    let from = random.below((telling.len() + 1).saturating_sub(length));
    match telling.get(from..from + length) {
        Some(chosen) if !chosen.is_empty() => chosen.join(" "),
        _ => asks_for.join(" "),
    }
}

/// Parameters that many tools have, with values that are usual.
const USUAL: [(&str, &[&str]); 18] = [
    ("limit", &["10", "5", "20", "50", "100"]),
    ("max_results", &["5", "10", "3", "20"]),
    ("language", &["\"en\"", "\"es\"", "\"English\""]),
    ("format", &["\"json\"", "\"text\"", "\"csv\""]),
    ("units", &["\"metric\"", "\"imperial\"", "\"celsius\""]),
    ("include_details", &["true", "false"]),
    ("sort_by", &["\"relevance\"", "\"price\"", "\"date\"", "\"rating\""]),
    ("timeout", &["30", "10", "60", "5000"]),
    ("verbose", &["true", "false"]),
    ("page", &["1", "2", "0"]),
    ("region", &["\"US\"", "\"EU\"", "\"us-east-1\""]),
    ("currency", &["\"USD\"", "\"EUR\"", "\"GBP\""]),
    ("timezone", &["\"UTC\"", "\"America/New_York\"", "\"Europe/Berlin\""]),
    ("precision", &["2", "3", "4"]),
    ("date", &["\"today\"", "\"tomorrow\"", "\"2024-03-15\"", "\"2025-01-10\""]),
    ("priority", &["\"high\"", "\"normal\"", "\"low\""]),
    ("source", &["\"default\"", "\"web\"", "\"database\""]),
    ("category", &["\"general\"", "\"all\"", "\"other\""]),
];

/// A parameter that none of `known` is, in the same style of writing, with a value: one of a neighbouring tool's, else a
/// usual one, rather one that the question speaks of.
pub(super) fn invented(
    known: &[Parameter],
    neighbours: &[&Parameter],
    question: &str,
    random: &mut Random,
) -> Option<(String, Json)> {
    let is_known = |name: &str| known.iter().any(|own| parts(&own.name) == parts(name));
    let others: Vec<&&Parameter> = neighbours.iter().filter(|other| !is_known(&other.name)).collect();
    if random.flip()
        && let Some(other) = random.pick(&others)
    {
        return Some((other.name.clone(), plausible(other, question, random)));
    }
    let folded = question.to_lowercase();
    let usual = USUAL.iter().filter(|(name, _)| !is_known(name)).map(|(name, values)| {
        let spoken_of = parts(name).iter().any(|part| part.len() > 3 && folded.contains(part.as_str()));
        (if spoken_of { 8 } else { 1 }, (*name, *values))
    });
    let (name, values) = random.weighted(usual.collect())?;
    let value = random.pick(values)?;
    let camel = known.iter().any(|own| own.name.contains(char::is_uppercase) && !own.name.contains('_'));
    Some((if camel { camel_case(name) } else { name.to_owned() }, Json::parse(value).ok()?))
}

fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    for (at, part) in name.split('_').enumerate() {
        let mut chars = part.chars();
        match chars.next() {
            Some(first) if at > 0 => camel.extend(first.to_uppercase().chain(chars)),
            _ => camel.push_str(part),
        }
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_definitions() {
        let question = "Book 2 rooms in Oslo for 99.5 euros";
        for (schema, among) in [
            (r#"{"type":"string","enum":["a","b"]}"#, &["\"a\"", "\"b\""][..]),
            (r#"{"type":"integer","default":7}"#, &["7"]),
            (r#"{"type":"integer"}"#, &["2"]),
            (r#"{"type":"float"}"#, &["2.0", "99.5"]),
            (r#"{"type":"string"}"#, &["\"Oslo\""]),
            (r#"{"type":"boolean"}"#, &["true", "false"]),
            (r#"{"type":"array","items":{"type":"integer"}}"#, &["[2]"]),
            (r#"{"type":"dict","properties":{"n":{"type":"integer"}},"required":["n"]}"#, &["{\"n\":2}"]),
        ] {
            let parameter =
                Parameter { name: "p".to_owned(), required: true, schema: Json::parse(schema).unwrap() };
            for seed in 0..20 {
                let value = plausible(&parameter, question, &mut Random::of(seed, &[])).to_string();
                assert!(among.contains(&value.as_str()), "{schema}: {value}");
            }
        }
        let empty = Parameter { name: "home_town".to_owned(), required: true, schema: Json::Null };
        for (name, question, expected) in [
            ("start_date", "Rooms from 2024-05-01?", "2024-05-01"),
            ("image_url", "What is on https://a.b/c.png?", "https://a.b/c.png"),
            ("user_id", "Who is user 77?", "77"),
            ("query", "Who won?", "Who won"),
        ] {
            let parameter = Parameter { name: name.to_owned(), ..empty.clone() };
            let expected = Json::from(expected);
            assert_eq!(plausible(&parameter, question, &mut Random::of(1, &[])), expected, "{name}");
        }
        // What nobody said is not always the same.
        for name in ["home_town", "departureTime", "website", "account_number"] {
            let parameter = Parameter { name: name.to_owned(), ..empty.clone() };
            let drawn =
                (0..40).map(|seed| plausible(&parameter, "Rooms?", &mut Random::of(seed, &[])).to_string());
            assert!(drawn.collect::<std::collections::BTreeSet<_>>().len() >= 3, "{name}");
        }
        let unknown = Parameter { name: "blue_thing".to_owned(), ..empty };
        assert_eq!(plausible(&unknown, "", &mut Random::of(1, &[])).to_string(), "\"blue thing\"");
    }

    #[test]
    fn invented_parameters_are_new_and_written_alike() {
        let own = |name: &str| Parameter { name: name.to_owned(), required: true, schema: Json::Null };
        let known = [own("sortBy"), own("maxResults")];
        for seed in 0..100 {
            let (name, _) = invented(&known, &[], "currency", &mut Random::of(seed, &[])).unwrap();
            assert!(!name.contains('_') && !known.iter().any(|own| own.name == name), "{name}");
        }
    }
}
