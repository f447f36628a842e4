//! Numbers written in digits, with their signs, powers and units.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::figure::{Figure, MAX_FIGURES};
use super::spelled::scale;
use super::spoken::Languages;
use super::units::Unit;
use super::vocabulary::{Role, Word};
use crate::language::all;

/// Reads numbers in digits: `1,200.50`, `3e8`, `9 x 10^-12`, `45k`, `5%`, `1/6`; in texts of other languages `3,5`, `1.500` and
/// `50万` too.
pub fn digits(text: &str, spoken: Languages, figures: &mut Vec<Figure>, mixtures: &mut Vec<[f64; 3]>) {
    let second = |value: f64| Figure { value, percent: false, place: None, unit: None };
    let mut parts = Parts::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut before: Option<(f64, usize)> = None;
    while at < bytes.len() && figures.len() < MAX_FIGURES {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        if let Some(end) = list_marker(text, start, spoken) {
            (at, before) = (end, None);
            continue;
        }
        if let Some((end_of_date, parts)) = dotted_date(text, start) {
            let part = |value: &str| value.parse().unwrap_or(f64::NAN);
            figures.extend(parts.map(|p| second(part(p))));
            (at, before) = (end_of_date, None);
            continue;
        }
        let (mut value, mut end) = plain_number(text, start);
        if let Some((grouped, grouped_end)) = grouped_number(text, start) {
            // `1,200` may be one number or two: keep the parts as second readings.
            figures.push(second(value));
            (value, end) = (grouped, grouped_end);
        } else if let Some((spaced, spaced_end, sign)) = spaced_number(text, start) {
            if sign == ' ' {
                // `1 500` may be two numbers: that of both is a second reading.
                figures.push(second(spaced));
                let parts = text[start..spaced_end].split(' ').filter_map(|part| part.parse().ok());
                mixtures.extend(parts.map(|part: f64| [part, part, spaced]));
            } else {
                (value, end) = (spaced, spaced_end);
            }
        }
        if let Some((european, european_end, others)) = european_number(text, start, spoken) {
            figures.extend(others.iter().copied().map(second));
            mixtures.extend(others.iter().map(|other| [european, european, *other]));
            (value, end) = (european, european_end);
        }
        let rest = &text[end..];
        if let Some((factor, length)) = power_of_ten(rest) {
            (value, end) = (value * factor, end + length);
        }
        let (factor, length) = magnitude(&text[end..], spoken);
        if length > 0 {
            figures.push(second(value));
            mixtures.push([value, value, value * factor]);
        }
        (value, end) = (value * factor, end + length);
        let percent = is_percent(&text[end..]);
        // Digits inside a name, as in `BRCA1` or `A4`, are evidence but no number of their own.
        let inside_word = text[..start].chars().next_back().is_some_and(|c| c.is_alphabetic() || c == '_');
        // Neither are the minutes of `7:30`.
        let minutes =
            text[..start].strip_suffix(':').is_some_and(|text| text.ends_with(|c: char| c.is_ascii_digit()));
        let place = (!inside_word && !minutes).then_some((start, end));
        match sign(&text[..start]) {
            Sign::None => {}
            Sign::Minus => value = -value,
            // `4x - 7` takes seven away or has a term of minus seven.
            Sign::Either => figures.push(Figure { percent, ..second(-value) }),
        }
        let unit = unit_of(text, start, end);
        figures.push(Figure { value, percent, place, unit });
        // `2만 5천`.
        if let Some(whole) = parts.join(text, (start, end), value, factor) {
            figures.insert(figures.len() - 1, Figure { unit, ..second(whole) });
            mixtures.extend(parts.values.iter().map(|part| [*part, *part, whole]));
        }
        // Feet and inches, hours and minutes.
        mixtures.extend(mix(figures, text));
        if let Some((numerator, numerator_end)) = before
            && matches!(text[numerator_end..start].trim(), "/" | "in" | "out of" | "of" | ":")
            && value != 0.0
        {
            figures.push(second(numerator / value));
        }
        before = Some((value, end));
        at = end.max(start + 1);
    }
}

/// Numbers with falling scales behind them, which make one.
#[derive(Default)]
struct Parts {
    values: Vec<f64>,
    /// The scale of the last one, and where it ended.
    factor: f64,
    end: usize,
}

impl Parts {
    /// Adds a number; tells what it comes to with those before it.
    fn join(&mut self, text: &str, (start, end): (usize, usize), value: f64, factor: f64) -> Option<f64> {
        let between = text.get(self.end..start).unwrap_or("-");
        let signs = text[..self.end].ends_with(|c: char| !c.is_ascii());
        let follows = between.is_empty() || (between == " " && (factor > 1.0 || signs));
        if !follows || self.factor <= value || value <= 0.0 {
            self.values.clear();
        }
        self.values.push(value);
        (self.factor, self.end) = (factor, end);
        (self.values.len() > 1).then(|| self.values.iter().sum())
    }
}

/// Where `03.05.2025` ends, and its day, month and year: who writes points names the day first.
pub fn dotted_date(text: &str, start: usize) -> Option<(usize, [&str; 3])> {
    let length = text[start..].bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let written = text[start..start + length].trim_end_matches('.');
    if text[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '/')) {
        return None;
    }
    let mut parts = written.split('.');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let within = |part: &str, most: u32| {
        (1..=2).contains(&part.len()) && part.parse::<u32>().is_ok_and(|value| (1..=most).contains(&value))
    };
    let century = year.len() == 4 && (year.starts_with("19") || year.starts_with("20"));
    (parts.next().is_none() && within(day, 31) && within(month, 12) && century)
        .then_some((start + written.len(), [day, month, year]))
}

/// The end of `1.`, `2)`, `(3)` or `1.2` at the start of a line, which counts things and is no value.
fn list_marker(text: &str, start: usize, spoken: Languages) -> Option<usize> {
    let line = text[..start].trim_end_matches([' ', '\t', '(', '*', '#', '-']);
    if !(line.is_empty() || line.ends_with('\n')) || text[..start].ends_with('-') {
        return None;
    }
    let length = text[start..].bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    let (number, rest) = text[start..].split_at(length);
    let parts = number.trim_end_matches('.');
    let small = parts.split('.').all(|part| (1..=2).contains(&part.len()));
    let closed = number.len() > parts.len() || rest.starts_with([')', ':']);
    let item = rest.trim_start_matches([')', ':']);
    let goes_on =
        item.starts_with([' ', '\t']) && item.trim_start().starts_with(|c: char| !c.is_ascii_digit());
    // `1.1 open it` is told from `1.5 km` by the unit that follows.
    let numbered = closed
        || (parts.contains('.')
            && unit_of(text, start, start + parts.len()).is_none()
            && magnitude(rest, spoken).1 == 0
            && !rest.trim_start().starts_with('%'));
    let several = closed || text.contains('\n');
    (small && goes_on && numbered && several).then_some(start + length)
}

/// What stands before a number.
enum Sign {
    None,
    Minus,
    Either,
}

fn sign(before: &str) -> Sign {
    let near = before.trim_end_matches(' ');
    // A dash right before a number, and behind nothing that it could join to it: typographers' minus.
    if let Some(rest) = before.strip_suffix('–') {
        let stands_apart =
            rest.is_empty() || rest.ends_with(|c: char| c.is_whitespace() || matches!(c, '(' | '=' | ':'));
        let joins = rest.trim_end().ends_with(|c: char| c.is_ascii_digit());
        return if stands_apart && !joins { Sign::Minus } else { Sign::None };
    }
    let Some(rest) = near.strip_suffix(['-', '−']) else { return Sign::None };
    let attached = near.len() == before.len();
    match (attached, rest.chars().next_back()) {
        // `2022-2023`, `10-15`, `--5`.
        (true, Some(c)) if c.is_ascii_digit() || c == '-' => Sign::None,
        (true, Some(c)) if c.is_alphanumeric() || c == ')' => Sign::Either,
        (true, _) => Sign::Minus,
        // A dash at the start of a line counts things.
        (false, _) if rest.trim_end_matches(' ').ends_with(|c: char| c.is_alphanumeric() || c == ')') => {
            Sign::Either
        }
        _ => Sign::None,
    }
}

/// The unit written behind a number, or the currency before it.
fn unit_of(text: &str, start: usize, end: usize) -> Option<Unit> {
    if text[..start].trim_end().ends_with(['$', '€', '£', '¥']) {
        return Unit::of_word("dollars");
    }
    let tail = text[end..].trim_start_matches([' ', '-', '\u{a0}', '°', 'º']);
    // `42 US gallons`.
    let tail = UNITS_OF.iter().find_map(|system| tail.strip_prefix(system)).unwrap_or(tail);
    let length = tail.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = tail[..length].to_ascii_lowercase();
    let (word, attached) = match word.as_str() {
        "" if tail.starts_with('€') => ("euros".to_owned(), true),
        "" if tail.starts_with('"') || tail.starts_with('″') => return None,
        word if Word::new(word).is(Role::Degrees) => {
            let tail = tail[length..].trim_start_matches([' ', '°']);
            let length = tail.bytes().take_while(u8::is_ascii_alphabetic).count();
            (tail[..length].to_ascii_lowercase(), true)
        }
        _ => (word, text[end..].len() == tail.len() || text[end..].contains('°')),
    };
    // `5 in Paris` is no length, and a letter that stands apart no unit.
    if word == "in"
        || (word.len() == 1 && !attached && !matches!(word.as_str(), "m" | "g" | "l" | "h" | "s" | "f" | "c"))
    {
        return None;
    }
    let behind = &tail[length.min(tail.len())..];
    if let Some(area) = area(&word, behind) {
        return Some(area);
    }
    // A speed is no length.
    let behind = behind.trim_start();
    let hourly = ["/h", "/ h"]
        .into_iter()
        .chain(PER_HOUR.iter().copied())
        .any(|hour| behind.get(..hour.len()).is_some_and(|start| start.eq_ignore_ascii_case(hour)));
    let word = match (hourly, word.as_str()) {
        (true, "km" | "kilometers" | "kilometres" | "kilometer") => "kmh",
        (true, "mi" | "mile" | "miles") => "mph",
        (_, word) => word,
    };
    Unit::of_word(word)
}

/// What units of one name are told apart by.
const UNITS_OF: [&str; 5] = ["US ", "U.S. ", "UK ", "imperial ", "metric "];

/// The unit of an area, which is written as that of a length and another word or a sign: `sq ft`, `m²`.
fn area(word: &str, behind: &str) -> Option<Unit> {
    if behind.starts_with('²') || behind.starts_with('2') && !behind[1..].starts_with(char::is_alphanumeric)
    {
        return Unit::of_word(&format!("{word} 2"));
    }
    if !is_squared(word) && Unit::of_word(word).is_none() {
        return None;
    }
    let rest = behind.trim_start_matches(['.', ' ']);
    let length = rest.bytes().take(MAX_UNIT).take_while(u8::is_ascii_alphabetic).count();
    if length < 2 {
        return None;
    }
    Unit::of_word(&format!("{word} {}", rest[..length].to_ascii_lowercase()))
}

/// Bytes of a word that may be part of a unit.
const MAX_UNIT: usize = 16;

/// Whether a word before the unit of a length makes it that of an area.
fn is_squared(word: &str) -> bool {
    matches!(word, "sq" | "square")
}

/// Adds up the last two amounts where the second goes on from the first.
fn mix(figures: &mut Vec<Figure>, text: &str) -> Option<[f64; 3]> {
    let [.., a, b] = figures[..] else { return None };
    let (Some(first), Some(second), Some((_, end)), Some((start, _))) = (a.unit, b.unit, a.place, b.place)
    else {
        return None;
    };
    // The amounts before may stand in another text.
    let between = text.get(end..start).filter(|between| between.len() < 14)?;
    if between.contains(['.', ';', '?']) || !first.goes_before(second) {
        return None;
    }
    let value = first.convert(a.value, second) + b.value;
    let whole = Figure { value, percent: false, place: None, unit: Some(second) };
    figures.insert(figures.len() - 2, whole);
    Some([a.value, b.value, value])
}

/// Digits with at most one decimal point.
fn plain_number(text: &str, start: usize) -> (f64, usize) {
    let bytes = text.as_bytes();
    let digits_from = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits_from(start);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits_from(end + 1);
    }
    (text[start..end].parse().unwrap_or(f64::NAN), end)
}

/// `1'500`, `1 500,50`: digits in groups of three with another sign between them, which comes with the number and its end.
fn spaced_number(text: &str, start: usize) -> Option<(f64, usize, char)> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = start + digits(start);
    let sign = text[end..].chars().next().filter(|c| " \u{a0}\u{202f}\u{2009}'’".contains(*c))?;
    let first = end;
    let is_head = (1..=3).contains(&(first - start)) && !text[start..].starts_with('0');
    if !is_head
        || text[..start].ends_with([',', '.', sign])
            && text[..start].trim_end().ends_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    while text[end..].starts_with(sign) && digits(end + sign.len_utf8()) == 3 {
        end += sign.len_utf8() + 3;
    }
    if end == first || end - start > MAX_GROUPED {
        return None;
    }
    let mut plain: String = text[start..end].chars().filter(char::is_ascii_digit).collect();
    let fraction = text[end..].strip_prefix([',', '.']).map_or(0, |_| digits(end + 1));
    if (1..=2).contains(&fraction) {
        plain = format!("{plain}.{}", &text[end + 1..end + 1 + fraction]);
        end += 1 + fraction;
    }
    Some((plain.parse().ok()?, end, sign))
}

/// Bytes of a number in groups; more are a list.
const MAX_GROUPED: usize = 24;

/// `12,50 Euro`, `2,5 kg` and `1.250 €`: what follows tells the comma of decimals from that of a list, and the point of thousands
/// from that of decimals. Where only the language tells, the other readings come with the number and its end.
fn european_number(text: &str, start: usize, spoken: Languages) -> Option<(f64, usize, Vec<f64>)> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    if text[..start].ends_with([',', '.']) {
        return None;
    }
    let whole = start + digits(start);
    let sign = text[whole..].bytes().next().filter(|b| b",.".contains(b))?;
    let end = whole + 1 + digits(whole + 1);
    if text[end..].strip_prefix([',', '.']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    let tail = text[end..].trim_start_matches([' ', '\u{a0}']);
    let euros =
        || tail.starts_with('€') || tail.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("eur"));
    let (head, rest) = (&text[start..whole], &text[whole + 1..end]);
    let number = |plain: &str| plain.parse::<f64>().ok();
    let (decimal, joined) = (format!("{head}.{rest}"), format!("{head}{rest}"));
    let grouped = (1..=3).contains(&head.len()) && head != "0";
    let is_amount = || {
        let behind = &text[end..];
        euros()
            || unit_of(text, start, end).is_some()
            || is_percent(behind)
            || magnitude(behind, spoken).0 > 1.0
    };
    let (value, others) = match (sign, rest.len()) {
        (b',', 1 | 2) if is_amount() => (number(&decimal)?, Vec::new()),
        (b',', 1 | 2) if spoken.is_foreign() => (number(&decimal)?, vec![number(head)?, number(rest)?]),
        (b'.', 3) if grouped && euros() => (number(&joined)?, Vec::new()),
        (b'.', 3) if grouped && spoken.is_foreign() => (number(&decimal)?, vec![number(&joined)?]),
        _ => return None,
    };
    Some((value, end, others))
}

/// Digits in groups of three, by commas or points, with the other sign for decimals.
fn grouped_number(text: &str, start: usize) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    [(b',', b'.'), (b'.', b',')].into_iter().find_map(|(group, decimal)| {
        let digits =
            |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        let head = digits(start);
        if head > 3 {
            return None;
        }
        let mut end = start + head;
        let mut plain = text[start..end].to_owned();
        while bytes.get(end) == Some(&group) && digits(end + 1) == 3 {
            plain.push_str(&text[end + 1..end + 4]);
            end += 4;
        }
        if end == start + head
            || (group == b'.' && end < start + head + 8 && bytes.get(end) != Some(&decimal))
        {
            return None; // `1.234` is a decimal number; `1.234.567` and `1.234,5` are grouped.
        }
        let fraction = digits(end + 1);
        if bytes.get(end) == Some(&decimal) && fraction > 0 && (decimal == b'.' || fraction <= 2) {
            plain.push('.');
            plain.push_str(&text[end + 1..end + 1 + fraction]);
            end += 1 + fraction;
        }
        Some((plain.parse().ok()?, end))
    })
}

/// `e-6`, ` x 10^-12`, `*10^3` behind a number.
fn power_of_ten(rest: &str) -> Option<(f64, usize)> {
    let exponent = |text: &str| {
        let sign = usize::from(text.starts_with(['-', '+']));
        let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let power: i32 = text[..sign + digits].parse().ok()?;
        (digits > 0 && power.abs() < 300).then(|| (10f64.powi(power), sign + digits))
    };
    if let Some(text) = rest.strip_prefix(['e', 'E']) {
        return exponent(text).map(|(factor, length)| (factor, length + 1));
    }
    let text = rest.trim_start().strip_prefix(['x', '×', '*', '·'])?.trim_start().strip_prefix("10")?;
    let text = text.strip_prefix('^').or_else(|| text.strip_prefix("**"))?;
    let (factor, length) = exponent(text)?;
    Some((factor, rest.len() - text.len() + length))
}

fn is_percent(rest: &str) -> bool {
    let tail = rest.trim_start();
    tail.starts_with(['%', '％', '٪']) || PERCENT.iter().any(|word| tail.starts_with(word))
}

/// `k`, `million` and the like behind a number: the factor, and how many bytes it takes.
fn magnitude(rest: &str, spoken: Languages) -> (f64, usize) {
    let trimmed = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let gap = rest.len() - trimmed.len();
    let length = trimmed.bytes().take_while(u8::is_ascii_alphabetic).count();
    let factor = match (gap, &trimmed[..length]) {
        (0, "k" | "K") => Some(1e3),
        (0, "M" | "mn") => Some(1e6),
        (0, "B" | "bn") => Some(1e9),
        (_, word) => {
            if let Some((factor, length)) = scale(trimmed, spoken) {
                return (factor, gap + length);
            }
            MAGNITUDES.get(word).copied()
        }
    };
    factor.map_or((1.0, 0), |factor| (factor, gap + length))
}

/// What follows the number of a percentage, in all languages.
pub(super) static PERCENT: LazyLock<Vec<&str>> =
    LazyLock::new(|| all().iter().flat_map(|of| &of.amounts.percent).map(String::as_str).collect());

static PER_HOUR: LazyLock<Vec<&str>> =
    LazyLock::new(|| all().iter().flat_map(|of| &of.amounts.per_hour).map(String::as_str).collect());

static MAGNITUDES: LazyLock<HashMap<&str, f64, FixedState>> = LazyLock::new(|| {
    let tables = all().iter().flat_map(|of| &of.amounts.magnitudes);
    let known = tables.filter_map(|(factor, words)| Some((factor.parse().ok()?, words)));
    known.flat_map(|(factor, words)| words.iter().map(move |word| (word, factor))).collect()
});
