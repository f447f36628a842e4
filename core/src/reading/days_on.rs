//! Days counted from one that is named: `vendredi en huit`, `morgen over een week`, `heute vor einem Jahr`.

use super::counts::count;
use super::vocabulary::{Role, Word};

/// `en huit`, `in acht Tagen`, `over een week` behind a day: how many days later it is, and how many words say so.
pub(super) fn a_week_on(words: &[Word], at: usize) -> Option<(i64, usize)> {
    let word = |n: usize| Word::at(words, at + n);
    let weeks = |days: f64| match days {
        7.0 | 8.0 => Some(7),
        14.0 | 15.0 => Some(14),
        _ => None,
    };
    // Of a language whose days are counted so, the word for them is left out.
    if word(0).text == "en" {
        let (days, length) = count(words, at + 1)?;
        return weeks(days)
            .filter(|_| matches!(word(1).text, "huit" | "quinze"))
            .map(|own| (own, 1 + length));
    }
    if !word(0).is(Role::Ahead) {
        return None;
    }
    // `tomorrow? In a week I go there` begins anew; `in acht Tagen` is a way to say it.
    let is_idiom = word(0).text != "in";
    let (number, length) = count(words, at + 1).or_else(|| word(1).is(Role::One).then_some((1.0, 1)))?;
    let unit = word(1 + length);
    match () {
        () if unit.is(Role::Week) && is_idiom => weeks(number * 7.0).map(|own| (own, 2 + length)),
        () if unit.is(Role::Day) && (is_idiom || number == 8.0) => weeks(number).map(|own| (own, 2 + length)),
        () => None,
    }
}

/// `vor einem Jahr` behind today, which is then only where the days are counted from.
pub(super) fn is_counted_from(words: &[Word], at: usize) -> bool {
    let word = |n: usize| Word::at(words, at + n);
    let length = match count(words, at + 1) {
        Some((_, length)) => length,
        None => usize::from(word(1).is(Role::One)),
    };
    let unit = word(1 + length);
    word(0).is(Role::Ago)
        && length > 0
        && [Role::Day, Role::Week, Role::Month, Role::Year].iter().any(|role| unit.is(*role))
}

#[cfg(test)]
mod tests {
    use crate::reading::dates::{TimeMatch, Times};
    use crate::reading::words::fold;

    #[test]
    fn days_are_counted_from_the_one_that_is_named() {
        let mut wrong = Vec::new();
        // Thursday, 26 November 2026.
        for (said, value, way) in [
            ("mardi en huit, s'il vous plait", "2026-12-08", TimeMatch::Told),
            ("mardi en huit, s'il vous plait", "2026-12-01", TimeMatch::Other),
            ("Freitag in acht Tagen, bitte", "2026-12-04", TimeMatch::Told),
            ("Freitag in acht Tagen, bitte", "2026-11-27", TimeMatch::Other),
            ("ja, morgen over een week", "2026-12-04", TimeMatch::Told),
            ("ja, morgen over een week", "2026-11-27", TimeMatch::Other),
            ("a year ago today", "2025-11-26", TimeMatch::Told),
            ("a year ago today", "2026-11-26", TimeMatch::Other),
            ("heute vor einem Jahr", "2025-11-26", TimeMatch::Told),
            ("heute vor einem Jahr", "2026-11-26", TimeMatch::Other),
            ("valid through the end of Feb", "2027-02-28", TimeMatch::Told),
            ("valid through the end of Feb", "2027-02-27", TimeMatch::Possible),
            ("tomorrow? In a week I go there", "2026-11-27", TimeMatch::Told),
            ("today? In 2 weeks I go there", "2026-11-26", TimeMatch::Told),
            ("some day of February 2027", "2027-02-27", TimeMatch::Told),
        ] {
            let read = |texts: &[&str]| {
                let mut times = Times::default();
                texts.iter().for_each(|text| times.read(text, &fold(text)));
                times
            };
            let told = read(&["Today is 2026-11-26.", said]);
            if told.explain(&read(&[value])) != Some(way) {
                wrong.push((said, value, told.explain(&read(&[value]))));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
