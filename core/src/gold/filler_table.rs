//! Plausible made-up values for a parameter, by the words of its name.

use super::random::Random;
use super::words::parts;

/// Words of names, and texts for a parameter so named. The first line that fits counts.
const TEXTS: [(&[&str], &[&str]); 24] = [
    (
        &["date", "day", "deadline", "birthday", "checkin", "checkout"],
        &["2023-10-01", "2024-03-15", "2024-07-22", "2025-01-10", "2025-06-30", "2026-02-14", "2022-11-28"],
    ),
    (&["time", "hour"], &["08:00", "09:30", "12:00", "14:15", "18:00", "20:45"]),
    (&["month"], &["January", "March", "June", "September", "December"]),
    (
        &["url", "link", "website", "uri", "homepage"],
        &[
            "https://www.wikipedia.org",
            "https://news.ycombinator.com",
            "https://github.com",
            "https://www.bbc.com/news",
        ],
    ),
    (
        &["file", "path", "filename", "filepath", "folder", "directory"],
        &["report.pdf", "data/input.csv", "/home/user/notes.txt", "results.json", "images/photo.png"],
    ),
    (
        &["email", "mail"],
        &["j.smith@gmail.com", "anna.keller@outlook.com", "support@shop.io", "info@acme.com"],
    ),
    (
        &["phone", "telephone", "mobile", "fax"],
        &["+1-202-555-0143", "+44 20 7946 0958", "+49 30 901820", "555-0199"],
    ),
    (&["zip", "zipcode", "postcode", "postal"], &["10001", "94105", "60614", "1010", "SW1A 1AA"]),
    (&["currency"], &["USD", "EUR", "GBP", "JPY"]),
    (&["language", "lang", "locale"], &["en", "es", "de", "fr", "en-US"]),
    (&["country", "nation", "nationality"], &["United States", "Germany", "Japan", "Brazil", "India"]),
    (&["state", "province", "county", "region"], &["California", "Texas", "Ontario", "Bavaria", "Kerala"]),
    (&["airport"], &["JFK", "LHR", "FRA", "SFO", "HND"]),
    (&["address", "street"], &["221B Baker Street", "350 Fifth Avenue", "12 Rue de Rivoli", "Hauptstraße 5"]),
    (
        &["city", "town", "place", "location", "origin", "destination", "departure", "arrival"],
        &["New York", "London", "Chicago", "Berlin", "Tokyo", "San Francisco", "Madrid"],
    ),
    (&["gender", "sex"], &["male", "female"]),
    (&["color", "colour"], &["red", "blue", "black", "white"]),
    (&["unit", "units"], &["metric", "imperial", "celsius", "km"]),
    (&["symbol", "ticker", "stock"], &["AAPL", "MSFT", "TSLA", "GOOGL"]),
    (&["genre"], &["Drama", "Comedy", "Rock", "Science Fiction"]),
    (&["company", "brand", "organization"], &["Apple", "Toyota", "Siemens", "Amazon"]),
    (&["title", "subject"], &["Meeting notes", "Reminder", "Weekly report", "Untitled"]),
    (
        &["user", "customer", "author", "person", "patient", "contact", "recipient", "guest"],
        &["John Doe", "Jane Smith", "Maria Garcia", "David Chen", "Alex Johnson"],
    ),
    (&["level", "priority", "severity"], &["high", "medium", "low", "normal"]),
];

/// Words of names, and whole numbers for a parameter so named, from one up to another.
const WHOLE: [(&[&str], i64, i64); 9] = [
    (&["year"], 2018, 2026),
    (&["month"], 1, 12),
    (&["day"], 1, 28),
    (&["hour"], 6, 22),
    (&["age"], 18, 65),
    (&["id", "number", "code"], 1001, 98_765),
    (&["limit", "max", "maximum", "top", "size"], 5, 50),
    (&["price", "amount", "budget", "salary", "cost"], 50, 2000),
    (&["distance", "radius", "population", "width", "height", "length", "weight"], 10, 500),
];

/// Words of names, and numbers with places.
const PARTS: [(&[&str], &[f64]); 6] = [
    (&["latitude", "lat"], &[40.7128, 51.5074, 37.7749, 48.8566]),
    (&["longitude", "lon", "lng", "long"], &[-74.006, -0.1278, -122.4194, 2.3522]),
    (&["rate", "ratio", "probability", "fraction", "percent"], &[0.05, 0.1, 0.03, 0.5, 0.25]),
    (&["price", "amount", "budget", "cost"], &[19.99, 49.5, 120.0, 999.0]),
    (&["temperature", "temp"], &[20.0, 25.0, 36.6, 72.5]),
    (&["threshold", "confidence", "score"], &[0.5, 0.7, 0.8, 0.95]),
];

/// Whether one of `words` is in a name.
fn asks(name: &[String], words: &[&str]) -> bool {
    name.iter().any(|part| words.contains(&part.as_str()))
}

/// A text for a parameter called `name`; `None` of names that do not say what is wanted.
pub(super) fn text(name: &str, random: &mut Random) -> Option<String> {
    let name = parts(name);
    // `city_id` wants no city.
    if asks(&name, &["id", "identifier", "number", "code", "key", "token"]) {
        return Some(identifier(&name, random));
    }
    let (_, texts) = TEXTS.iter().find(|(words, _)| asks(&name, words))?;
    random.pick(texts).map(|text| (*text).to_owned())
}

/// Numbers, letters and numbers after what is named, or both.
fn identifier(name: &[String], random: &mut Random) -> String {
    let number = 100 + random.below(90_000);
    let kind = name.iter().find(|part| part.len() > 2 && !["number", "code", "key"].contains(&part.as_str()));
    match (random.below(3), kind) {
        (0, Some(kind)) => format!("{kind}_{number}"),
        (1, Some(kind)) => format!("{}-{number}", kind.chars().take(3).collect::<String>().to_uppercase()),
        _ => number.to_string(),
    }
}

/// A whole number for a parameter called `name`.
pub(super) fn whole(name: &str, random: &mut Random) -> i64 {
    let name = parts(name);
    let found = WHOLE.iter().find(|(words, ..)| asks(&name, words));
    let (from, to) = found.map_or((1, 10), |(_, from, to)| (*from, *to));
    from + random.below(usize::try_from(to - from + 1).unwrap_or(1)) as i64
}

/// A number with places for a parameter called `name`.
pub(super) fn fraction(name: &str, random: &mut Random) -> f64 {
    let name = parts(name);
    let found = PARTS.iter().find(|(words, _)| asks(&name, words));
    let numbers = found.map_or(&[0.5, 1.5, 2.5, 10.0, 12.5, 100.0][..], |(_, numbers)| numbers);
    random.pick(numbers).copied().unwrap_or(1.5)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_name_gets_several_values_of_its_kind() {
        let texts = |name: &str| -> BTreeSet<String> {
            (0..60).filter_map(|seed| text(name, &mut Random::of(seed, &[]))).collect()
        };
        for (name, least) in [("start_date", 5), ("homeTown", 5), ("user_id", 40), ("website", 3)] {
            assert!(texts(name).len() >= least, "{name}: {:?}", texts(name));
        }
        assert!(texts("order_id").iter().all(|id| id.chars().any(|c| c.is_ascii_digit())));
        assert!(texts("foo").is_empty());
        let years: BTreeSet<i64> = (0..60).map(|seed| whole("year", &mut Random::of(seed, &[]))).collect();
        assert!(years.len() > 4 && years.iter().all(|year| (2018..=2026).contains(year)), "{years:?}");
        assert!((0..60).all(|seed| fraction("lat", &mut Random::of(seed, &[])) > 37.0));
    }
}
