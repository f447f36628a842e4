//! Numbers in words, each language's only where it is spoken.

use super::digits::PERCENT;
use super::figure::{Figure, MAX_FIGURES};
use super::spelled::{begins_inside, spelled};
use super::spoken::Languages;
use super::vocabulary::{Role, Word};

/// Reads numbers in words: `twenty five`, `three hundred`, `half`, `two and a half`, `three quarters`, and what other languages
/// spell out.
pub(super) fn number_words(folded: &str, words: &[Word], spoken: Languages, figures: &mut Vec<Figure>) {
    let compound = folded.contains(" compound");
    let mut total: Option<f64> = None;
    let mut part: Option<f64> = None;
    // The last number and how many words ago it ended: its unit may follow.
    let mut last: Option<(usize, usize)> = None;
    let mut before = [Word::NONE; 2];
    // Where the next word begins, and where a number of another language ended.
    let (mut next, mut spelled_to) = (1, 0);
    let mut upcoming = words.iter().copied().chain([".", "."].map(Word::new)).peekable();
    while let Some(word) = upcoming.next() {
        if figures.len() >= MAX_FIGURES {
            return;
        }
        let push = |figures: &mut Vec<Figure>, value: f64| {
            // `half a percent`.
            let percent = value > 0.0 && value < 1.0 && PERCENT.iter().any(|word| folded.contains(word));
            figures.push(Figure { value, percent, place: None, unit: None });
            Some((figures.len() - 1, 0))
        };
        let start = next;
        next += word.text.len() + 1;
        if start < spelled_to {
            continue;
        }
        let mut values = spelled_in(folded, start, word.text, spoken).peekable();
        if values.peek().is_some() {
            if total.is_some() || part.is_some() {
                push(figures, total.take().unwrap_or(0.0) + part.take().unwrap_or(0.0));
            }
            for (value, end) in values {
                last = push(figures, value);
                spelled_to = end;
            }
        } else if let (Some(parts), Some(count)) = (word.means.fraction, part) {
            // `three quarters`.
            part = None;
            last = push(figures, total.take().unwrap_or(0.0) + count / parts);
        } else if let Some(share) = share(word, before, upcoming.peek().map_or("", |word| word.text)) {
            part = None;
            last = push(figures, total.take().unwrap_or(0.0) + share);
        } else {
            let after = upcoming.peek().map_or("", |word| word.text);
            let number =
                number_word(word, spoken).filter(|_| counts(word.text, before[1].text, after, compound));
            match number {
                // `two dozen`, `half a dozen`.
                Some(NumberWord::Value(_)) if word.text == "dozen" && part.is_some() => {
                    part = part.map(|count| count * DOZEN);
                }
                Some(NumberWord::Value(_))
                    if word.text == "dozen" && before.map(|word| word.text) == ["half", "a"] =>
                {
                    let half = last.take().map(|(at, _)| at).filter(|at| figures[*at].value == 0.5);
                    if let Some(at) = half {
                        figures.remove(at);
                    }
                    last = push(figures, DOZEN / 2.0);
                }
                Some(NumberWord::Value(value)) => match (part, last) {
                    // `twenty five`, but not `two five`.
                    (Some(tens), _)
                        if value < 10.0 && tens % 100.0 >= 20.0 || part.is_some_and(|p| p % 100.0 == 0.0) =>
                    {
                        part = Some(tens + value);
                    }
                    (Some(_), _) => {
                        last = push(figures, total.take().unwrap_or(0.0) + part.unwrap_or(0.0));
                        part = Some(value);
                    }
                    // `two and a half`, `an hour and a half`.
                    (None, Some((at, _)))
                        if matches!(value, 0.5 | 0.25)
                            && before.map(|word| word.text) == ["and", "a"]
                            && figures[at].value >= 1.0 =>
                    {
                        let (whole, unit) = (figures[at].value, figures[at].unit);
                        last = push(figures, whole + value);
                        if let Some(last) = figures.last_mut() {
                            last.unit = unit;
                        }
                    }
                    (None, _) => part = Some(value),
                },
                Some(NumberWord::Scale(scale)) if scale == 100.0 => part = Some(part.unwrap_or(1.0) * scale),
                // `half a million`.
                Some(NumberWord::Scale(scale))
                    if before.map(|word| word.text) == ["half", "a"]
                        && last.is_some_and(|(at, _)| figures[at].value == 0.5) =>
                {
                    figures.pop();
                    total = Some(scale / 2.0);
                }
                Some(NumberWord::Scale(scale)) => {
                    total = Some(total.unwrap_or(0.0) + part.take().unwrap_or(1.0) * scale);
                }
                None if word.text == "and" && (total.is_some() || part.is_some_and(|p| p >= 100.0)) => {}
                None => {
                    if total.is_some() || part.is_some() {
                        last = push(figures, total.take().unwrap_or(0.0) + part.take().unwrap_or(0.0));
                    }
                    let unit = word.means.unit.filter(|_| word.text.len() > 1);
                    match (last, unit) {
                        (Some((at, ago)), Some(unit)) if ago < 3 && figures[at].unit.is_none() => {
                            figures[at].unit = Some(unit);
                        }
                        (_, Some(unit))
                            // `in a second` tells no time.
                            if before[1].is(Role::One)
                                && !unit.is_money()
                                && (word.text != "second" || before[1].text == "per") =>
                        {
                            last = push(figures, 1.0);
                            if let Some(last) = figures.last_mut() {
                                last.unit = Some(unit);
                            }
                        }
                        _ => {}
                    }
                    // Only small words may stand between a number and its unit, or its half.
                    last = last
                        .map(|(at, ago)| (at, ago + 1))
                        .filter(|(_, ago)| *ago < 5 && (unit.is_some() || word.is(Role::AmountLink)));
                }
            }
        }
        before = [before[1], word];
    }
}

/// The numbers of another language than English that begin with a word or inside of it, each with its end in the text.
fn spelled_in(
    folded: &str,
    start: usize,
    word: &str,
    spoken: Languages,
) -> impl Iterator<Item = (f64, usize)> {
    let mut at = start;
    std::iter::from_fn(move || {
        while at < start + word.len() {
            if let Some((value, end)) = spelled(folded, at, spoken) {
                at = end;
                return Some((value, end));
            }
            let inside = folded
                .get(at..)
                .unwrap_or("")
                .char_indices()
                .skip(1)
                .find(|(_, c)| begins_inside(*c) || *c == ' ');
            at += inside.filter(|(_, c)| *c != ' ').map_or(word.len(), |(next, _)| next);
        }
        None
    })
}

/// `a fifth`, where it is no fifth thing.
fn share(word: Word, before: [Word; 2], after: &str) -> Option<f64> {
    const PARTS: [(&str, f64); 7] = [
        ("third", 3.0),
        ("fifth", 5.0),
        ("sixth", 6.0),
        ("seventh", 7.0),
        ("eighth", 8.0),
        ("ninth", 9.0),
        ("tenth", 10.0),
    ];
    let (_, parts) = PARTS.iter().find(|(own, _)| *own == word.text)?;
    let one = matches!(before[1].text, "a" | "an" | "one") && before[0].text != "and";
    let ends =
        matches!(after, "" | "." | "|" | "of" | "off" | "and" | "or" | "more" | "less" | "from" | "please");
    (one && ends).then_some(1.0 / parts)
}

const DOZEN: f64 = 12.0;

enum NumberWord {
    Value(f64),
    Scale(f64),
}

fn number_word(word: Word, spoken: Languages) -> Option<NumberWord> {
    let value = word.means.number(spoken)?;
    Some(if matches!(value, 1e2 | 1e3 | 1e6 | 1e9) {
        NumberWord::Scale(value)
    } else {
        NumberWord::Value(value)
    })
}

/// Whether words that have other meanings are numbers where they stand: `the second one`, but not `in a second`.
fn counts(word: &str, before: &str, after: &str, compound: bool) -> bool {
    match word {
        "second" | "third" => {
            let told = matches!(
                before,
                "the" | "my" | "your" | "his" | "her" | "its" | "our" | "their" | "that" | "st" | "and"
            ) && !matches!(
                after,
                "" | "i" | "you" | "he" | "she" | "it" | "we" | "they" | "a" | "party" | "hand"
            );
            told || matches!(
                after,
                "one"
                    | "page"
                    | "place"
                    | "grade"
                    | "floor"
                    | "highest"
                    | "largest"
                    | "lowest"
                    | "row"
                    | "column"
                    | "edition"
                    | "version"
                    | "season"
                    | "degree"
                    | "order"
                    | "power"
                    | "derivative"
                    | "quarter"
                    | "half"
                    | "item"
                    | "round"
                    | "chapter"
                    | "line"
                    | "element"
                    | "term"
                    | "child"
                    | "entry"
                    | "result"
                    | "option"
            ) && !before.starts_with(|c: char| c.is_ascii_digit())
        }
        // How often interest is added; of a report it says nothing.
        "monthly" | "quarterly" => compound,
        _ => true,
    }
}
