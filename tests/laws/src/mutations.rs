//! Random changes of JSON after which it is still JSON: letters changed at random hardly ever get past the parser.

use tooljudge_core::domain::{Json, Number, Object};

/// Numbers out of a seed, the same ones every time.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `sides`; 0 if there are none.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed >> 33) as usize).checked_rem(sides).unwrap_or(0)
    }

    fn pick<'a>(&mut self, words: &'a [String]) -> &'a str {
        words.get(self.roll(words.len())).map_or("", String::as_str)
    }
}

/// Numbers that are hard to keep.
const NUMBERS: &[&str] = &["0", "-1", "300.0", "1e400", "123456789012345678901234567890", "1750000000.25"];

/// Changes one value somewhere within `json`; `words` are what keys and texts may become.
pub fn mutate(json: &mut Json, words: &[String], dice: &mut Dice) {
    let count = count(json);
    let spare = nth(json, dice.roll(count)).clone();
    let node = nth(json, dice.roll(count));
    match dice.roll(12) {
        0 => *node = Json::Null,
        1 => *node = spare,
        2 => *node = Json::from(dice.pick(words)),
        3 => {
            *node = NUMBERS
                .get(dice.roll(NUMBERS.len()))
                .and_then(|n| Number::parse(n))
                .map_or(spare, Json::Number)
        }
        4 => *node = Json::from(node.to_string()),
        5 => {
            if let Some(Ok(inner)) = node.as_str().map(Json::parse) {
                *node = inner;
            }
        }
        6 => *node = Json::Array(vec![node.clone()]),
        7 => *node = Json::Object(Object::from_iter([(dice.pick(words).to_owned(), node.clone())])),
        8 => drop_member(node, dice),
        9 => rename_member(node, words, dice),
        10 => add_member(node, spare, words, dice),
        _ => {
            // A text that breaks off, as logs cut them.
            if let Json::String(text) = node {
                let end = dice.roll(text.chars().count() + 1);
                *node = Json::from(text.chars().take(end).collect::<String>());
            }
        }
    }
}

/// How many values there are in `json`, itself included.
fn count(json: &Json) -> usize {
    1 + match json {
        Json::Array(items) => items.iter().map(count).sum(),
        Json::Object(object) => object.values().map(count).sum(),
        _ => 0,
    }
}

/// The `at`th value in `json`; itself where there are not so many.
fn nth(json: &mut Json, mut at: usize) -> &mut Json {
    if at == 0 {
        return json;
    }
    at -= 1;
    let mut path = None;
    let mut visit = |place: usize, child: &Json| {
        let size = count(child);
        if path.is_none() && at < size {
            path = Some((place, at));
        }
        at = at.wrapping_sub(if path.is_none() { size } else { 0 });
    };
    match json {
        Json::Array(items) => items.iter().enumerate().for_each(|(place, child)| visit(place, child)),
        Json::Object(object) => object.values().enumerate().for_each(|(place, child)| visit(place, child)),
        _ => {}
    }
    let Some((place, at)) = path else { return json };
    match json {
        Json::Array(items) => nth(&mut items[place], at),
        Json::Object(object) => match object.iter_mut().nth(place) {
            Some((_, child)) => nth(child, at),
            None => unreachable!("the place was just counted"),
        },
        _ => unreachable!("only lists and objects have children"),
    }
}

fn drop_member(node: &mut Json, dice: &mut Dice) {
    match node {
        Json::Array(items) if !items.is_empty() => {
            items.remove(dice.roll(items.len()));
        }
        Json::Object(object) => {
            let dropped = dice.roll(object.len());
            let kept = std::mem::take(object).into_iter().enumerate().filter(|(place, _)| *place != dropped);
            *object = kept.map(|(_, entry)| entry).collect();
        }
        other => *other = Json::Null,
    }
}

fn rename_member(node: &mut Json, words: &[String], dice: &mut Dice) {
    if let Json::Object(object) = node {
        let renamed = dice.roll(object.len());
        let name = dice.pick(words);
        let entries = std::mem::take(object).into_iter().enumerate();
        let entry = |(place, (key, value))| (if place == renamed { name.to_owned() } else { key }, value);
        *object = entries.map(entry).collect();
    }
}

fn add_member(node: &mut Json, spare: Json, words: &[String], dice: &mut Dice) {
    match node {
        Json::Array(items) => items.insert(dice.roll(items.len() + 1), spare),
        Json::Object(object) => object.insert(dice.pick(words), spare),
        other => *other = Json::Array(vec![other.clone(), spare]),
    }
}
