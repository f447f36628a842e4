//! Numbers in the calls compared with those in the request: amounts and units, shares, numbers without a source.

use super::question::Question;
use super::{Feature, Features};
use crate::check::asked_unit::{asked_by, asks_for_cents};
use crate::check::assess::Assessor;
use crate::check::node::Node;
use crate::domain::{Json, ToolCall};
use crate::reading::numbers::{Figures, Measured, NumberMatch, same};
use crate::reading::units::Unit;
use crate::reading::words::fold;

/// Bounds the work on hostile rows: calls, numbers in all, depth of a value, figures of a question.
const MAX_CALLS: usize = 16;
const MAX_NUMBERS: usize = 48;
const MAX_DEPTH: usize = 6;
const MAX_FIGURES: usize = 40;
/// Bytes read of the question.
const MAX_QUESTION: usize = 4_000;

/// A number that a call gives.
struct Given<'a> {
    value: f64,
    node: &'a Node,
}

pub(super) fn measure(features: &mut Features, assessor: &Assessor, question: &Question, calls: &[ToolCall]) {
    let given = given(assessor, calls);
    if given.is_empty() {
        return;
    }
    let text = &question.text[..question.text.floor_char_boundary(MAX_QUESTION)];
    let mut asked = Figures::default();
    asked.hear(assessor.evidence.figures.languages());
    asked.read(text, &fold(text));
    let (mut told, mut reached, mut nowhere) = (0, 0, 0);
    for number in &given {
        let Given { value, node } = *number;
        let way = asked.explain(value);
        told += usize::from(way == Some(NumberMatch::Same));
        reached += usize::from(way.is_some());
        let said = &assessor.evidence.figures;
        let unit = unit_way(node, value, &asked, said);
        let share = is_other_share(node, value, &asked);
        let known = unit == Some(true) || is_known(assessor, node, value);
        nowhere += usize::from(!known);
        features.raise(Feature::sum_unit, f32::from(u8::from(unit == Some(true))));
        features.raise(
            Feature::sum_unit_other,
            f32::from(u8::from(unit == Some(false) && !is_default(node, value))),
        );
        features.raise(Feature::sum_share_other, f32::from(u8::from(share)));
        let shifted = unit != Some(true)
            && way != Some(NumberMatch::Same)
            && !said.contains(value)
            && !is_default(node, value)
            && !is_of_two(value, &asked)
            && is_shifted(value, text, &asked);
        features.raise(Feature::sum_shifted, f32::from(u8::from(shifted && !asks_for_cents(node))));
    }
    let share = |count: usize| count as f32 / given.len() as f32;
    features.set(Feature::sum_told, share(told));
    features.set(Feature::sum_reached, share(reached));
    features.set(Feature::sum_nowhere, nowhere.min(5) as f32);
}

/// The numbers of the calls, each with its declaration.
fn given<'a>(assessor: &'a Assessor, calls: &[ToolCall]) -> Vec<Given<'a>> {
    let mut given = Vec::new();
    for call in calls.iter().take(MAX_CALLS) {
        let (Some(at), Some(arguments)) = (assessor.toolbox.find(&call.name), call.parsed()) else {
            continue;
        };
        let tool = &assessor.toolbox.tools[at];
        for (name, value) in arguments.iter() {
            let place = tool.root.properties.binary_search_by(|(own, _)| own.as_str().cmp(name));
            if let Ok(place) = place {
                let node = &tool.root.properties[place].1;
                numbers(value, node, 0, &mut |value: f64, node| {
                    // What is too large to be held is like no number.
                    if given.len() < MAX_NUMBERS && value.is_finite() {
                        given.push(Given { value, node });
                    }
                });
            }
        }
    }
    given
}

fn numbers<'a>(value: &Json, node: &'a Node, depth: usize, found: &mut impl FnMut(f64, &'a Node)) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Json::Number(number) => found(number.as_f64(), node),
        Json::Array(items) => {
            let inner = node.items.as_deref().unwrap_or(node);
            items.iter().take(MAX_NUMBERS).for_each(|item| numbers(item, inner, depth + 1, found));
        }
        Json::Object(object) => {
            for (name, item) in object.iter().take(MAX_NUMBERS) {
                numbers(item, node.property(name).unwrap_or(node), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// Whether anything tells a number: the conversation, the definition, or that it counts a single thing or none.
fn is_known(assessor: &Assessor, node: &Node, value: f64) -> bool {
    value == 0.0
        || value == 1.0
        || is_default(node, value)
        || assessor.evidence.figures.explain(value).is_some()
}

fn is_default(node: &Node, value: f64) -> bool {
    matches!(&node.default, Some(Json::Number(own)) if own.as_f64() == value)
}

/// Whether a number is what an amount of the request comes to in the unit that is asked for; `None` where no unit is asked for, the
/// request names no amount of its kind, or the number follows from more that was said.
fn unit_way(node: &Node, value: f64, asked: &Figures, said: &Figures) -> Option<bool> {
    let near = |own: f64| (own - value.abs()).abs() <= 1e-6 * value.abs().max(1.0);
    if asks_for_cents(node) {
        let money =
            || asked.iter().take(MAX_FIGURES).filter(|own| own.unit.is_some_and(|unit| unit.is_money()));
        if money().any(|own| near(own.value * 100.0)) {
            return Some(true);
        }
        return money().any(|own| near(own.value)).then_some(false);
    }
    // `mg_per_kg` asks for no weight of its own.
    let wanted = asked_by(node).filter(|_| !node.name.contains(" per "))?;
    let value = value.abs();
    match asked.in_unit(value, || Some(wanted))? {
        Measured::Same | Measured::Converted(_) => return Some(true),
        Measured::Other if matches!(said.explain(value), Some(NumberMatch::Same | NumberMatch::Combined)) => {
            return None;
        }
        Measured::Other if matches!(said.in_unit(value, || Some(wanted)), Some(Measured::Converted(_))) => {
            return None;
        }
        Measured::Unconverted | Measured::Other => {}
    }
    let amounts = asked.iter().take(MAX_FIGURES).filter_map(|own| Some((own.value, own.unit?)));
    let parts: Vec<f64> = amounts
        .filter(|(_, unit)| unit.is_like(wanted))
        .map(|(own, unit)| unit.convert(own, wanted))
        .collect();
    let sum: f64 = parts.iter().sum();
    // Rounded by hand: 175 degrees for 350 Fahrenheit.
    let close = parts.iter().any(|own| (own - value).abs() <= 0.015 * value);
    // A part of an amount, or some of the same: a rate.
    let multiple =
        parts.iter().any(|own| [0.5, 2.0].iter().any(|of| (own * of - value).abs() <= 1e-6 * value));
    // An hour and forty, or so many kilometres at so many minutes each.
    let more = asked.iter().take(MAX_FIGURES).map(|own| own.value).any(|own| {
        (own != 0.0 && own != 1.0) && (near(sum + own) || parts.iter().any(|part| near(part * own)))
    });
    if multiple || more || (close && !near(sum)) { None } else { Some(near(sum)) }
}

/// Whether a number is a share told in percent, but not on the scale that its declaration names.
fn is_other_share(node: &Node, value: f64, asked: &Figures) -> bool {
    let says =
        |words: &[&str]| words.iter().any(|own| node.name.contains(own) || node.description.contains(own));
    let of_one = says(&[
        " fraction ",
        " 0 1 ",
        " 0 to 1 ",
        " 0 and 1 ",
        " 0 0 1 0 ",
        " 0 0 to 1 0 ",
        " 0 0 and 1 0 ",
        " 0 bis 1 ",
        " 0 a 1 ",
        " 0 et 1 ",
        " 0 do 1 ",
        " ratio ",
        " as a decimal ",
    ]);
    let of_hundred =
        says(&[" percent ", " percentage ", " pct ", " prozent ", " 0 100 ", " 0 to 100 ", " 1 to 100 "]);
    if !of_one && !of_hundred {
        return false;
    }
    // `5 %` beside `50 guests`: the number is said as it is.
    let is_said = asked.explain(value) == Some(NumberMatch::Same);
    asked.iter().take(MAX_FIGURES).filter(|own| own.value != 0.0).any(|own| {
        let is = |of: f64| same(own.value * of, value);
        // `thirty percent` names the scale as well as `a quarter` does, each of them another one.
        let above = is(1.0) && of_one && !of_hundred && value > 1.0 && own.unit.is_none() && !is_said;
        let below = of_hundred && !of_one && value < 1.0 && own.unit.is_none();
        let part = below && value > 0.0 && (is(0.01) || (is(1.0) && !own.percent && own.place.is_none()));
        above
            || part
            || (own.percent && !is_said && (is(0.001) || is(10.0) || (is(1.0) && of_one && !of_hundred)))
    })
}

/// Whether a number is the product or quotient of two that the request names.
fn is_of_two(value: f64, asked: &Figures) -> bool {
    let is_near = |own: f64| (own - value).abs() <= 1e-6 * value.abs();
    let own: Vec<f64> = asked.iter().take(MAX_FIGURES).map(|own| own.value).collect();
    own.iter().enumerate().any(|(at, one)| {
        own[at + 1..].iter().any(|two| [one * two, one / two, two / one].into_iter().any(is_near))
    })
}

/// Whether a number is one of the request but for some zeros.
fn is_shifted(value: f64, text: &str, asked: &Figures) -> bool {
    let is_near = |own: f64| same(own, value);
    let shifts = [0.001, 0.01, 0.1, 10.0, 100.0, 1000.0];
    // Letters behind the digits say how much they are to be taken for: `35rb`.
    let is_plain = |place: Option<(usize, usize)>| {
        place.is_some_and(|(_, end)| {
            !text.get(end..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        })
    };
    let figures = asked.iter().take(MAX_FIGURES).filter(|own| !own.percent && is_plain(own.place));
    let mut plain = figures.filter(|own| own.unit.is_none_or(Unit::is_money)).map(|own| own.value);
    value != 0.0 && plain.any(|own| own != 0.0 && shifts.iter().any(|of| is_near(own * of)))
}

#[cfg(test)]
mod tests {
    use super::super::measured;
    use super::*;

    fn node(name: &str, description: &str) -> Node {
        Node { name: format!(" {name} "), description: format!(" {description} "), ..Node::default() }
    }

    #[test]
    fn amounts_are_held_against_the_unit() {
        for (name, text, value, way) in [
            ("length minutes", "block it for three hours", 180.0, Some(true)),
            ("length minutes", "block it for three hours", 3.0, Some(false)),
            ("length minutes", "an hour and 20 minutes", 80.0, Some(true)),
            ("weight kg", "block it for three hours", 3.0, None),
            ("price cents", "it costs 12 euros", 1200.0, Some(true)),
            ("price cents", "it costs 12 euros", 12.0, Some(false)),
        ] {
            assert_eq!(
                unit_way(&node(name, ""), value, &Figures::of(text), &Figures::of(text)),
                way,
                "{name} {text} {value}"
            );
        }
    }

    #[test]
    fn shares_are_held_against_their_scale() {
        for (description, value, other) in [
            ("level from 0 to 1", 0.4, false),
            ("level from 0 to 1", 40.0, true),
            ("level from 0 to 1", 0.04, true),
            ("level in percent", 0.4, true),
            ("level in percent", 40.0, false),
            ("level", 40.0, false),
            ("level", 400.0, false),
        ] {
            let figures = Figures::of("dim it to 40 %");
            assert_eq!(
                is_other_share(&node("level", description), value, &figures),
                other,
                "{description} {value}"
            );
        }
        for (text, value) in [("a 5 % tip for 50 guests", 50.0), ("less than 15 GB", 15.0)] {
            let figures = Figures::of(text);
            assert!(!is_other_share(&node("value", "a fraction, or an amount"), value, &figures), "{text}");
        }
    }

    #[test]
    fn what_follows_from_more_is_not_off_by_zeros() {
        for (text, value, shifted) in [
            ("spend 350 on it", 3500.0, true),
            ("spend 2,800 over 28 days", 100.0, false),
            ("10 bags of 35", 350.0, false),
            ("it was 35rb", 35_000.0, false),
        ] {
            let asked = Figures::of(text);
            assert_eq!(is_shifted(value, text, &asked) && !is_of_two(value, &asked), shifted, "{text}");
        }
        let called = |amount: &str| {
            let tools = r#"[{"name": "pay", "parameters": {"type": "object", "properties": {
                "amount": {"type": "number", "default": 1000}}}}]"#;
            let calls = format!(r#"[{{"name": "pay", "arguments": {{"amount": {amount}}}}}]"#);
            measured(Feature::sum_shifted, "pay 100 of it", tools, &calls)
        };
        assert_eq!([called("10000"), called("1000"), called("1e999")], [1.0, 0.0, 0.0]);
    }
}
