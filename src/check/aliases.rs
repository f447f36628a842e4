//! Names of one thing: units, currencies, languages, places.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The other names of a folded word or phrase.
pub(super) fn of(folded: &str) -> impl Iterator<Item = &'static str> {
    INDEX.get(folded).into_iter().flatten().flat_map(|group| GROUPS[*group].split(',').map(str::trim))
}

static INDEX: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut index: HashMap<&'static str, Vec<usize>> = HashMap::new();
    for (at, group) in GROUPS.iter().enumerate() {
        for name in group.split(',') {
            index.entry(name.trim()).or_default().push(at);
        }
    }
    index
});

/// One line a thing; names are [folded](super::words::fold).
const GROUPS: &[&str] = &[
    // Lengths, weights, volumes, temperatures, times.
    "km, kilometer, kilometers, kilometre, kilometres, kms",
    "m, meter, meters, metre, metres",
    "cm, centimeter, centimeters, centimetre, centimetres",
    "mm, millimeter, millimeters",
    "mi, mile, miles, imperial",
    "ft, foot, feet",
    "in, inch, inches",
    "yd, yard, yards",
    "kg, kilogram, kilograms, kilo, kilos, metric",
    "g, gram, grams",
    "lb, lbs, pound, pounds",
    "oz, ounce, ounces",
    "l, liter, liters, litre, litres",
    "ml, milliliter, milliliters, millilitres",
    "gal, gallon, gallons",
    "tsp, teaspoon, teaspoons",
    "tbsp, tablespoon, tablespoons",
    "celsius, c, centigrade, metric",
    "fahrenheit, f, imperial",
    "kelvin, k",
    "h, hr, hrs, hour, hours, hourly",
    "min, mins, minute, minutes",
    "s, sec, secs, second, seconds",
    "day, days, daily",
    "week, weeks, weekly",
    "month, months, monthly",
    "year, years, yearly, annual, annually, per annum",
    "mph, miles per hour",
    "kmh, km h, kph, kilometers per hour",
    "percent, percentage",
    // Currencies.
    "usd, dollar, dollars, us dollar, us dollars, american dollars, bucks",
    "eur, euro, euros",
    "gbp, british pound, british pounds, pound, pounds, sterling, pounds sterling",
    "jpy, yen, japanese yen",
    "cny, rmb, yuan, chinese yuan",
    "cad, canadian dollar, canadian dollars",
    "aud, australian dollar, australian dollars",
    "inr, rupee, rupees, indian rupees",
    "chf, swiss franc, swiss francs, francs",
    "krw, won, korean won",
    "mxn, mexican peso, mexican pesos",
    "brl, brazilian real, reais",
    "btc, bitcoin",
    "eth, ethereum",
    // Languages.
    "en, english",
    "es, spanish, espanol",
    "fr, french, francais",
    "de, german, deutsch",
    "it, italian, italiano",
    "pt, portuguese",
    "ja, japanese",
    "zh, chinese, mandarin",
    "ko, korean",
    "ru, russian",
    "ar, arabic",
    "hi, hindi",
    // Places.
    "us, usa, united states, united states of america, america, american, u s, u s a",
    "uk, united kingdom, britain, great britain, u k, british, england, gb",
    "eu, european union, europe",
    "nyc, new york city, new york, ny",
    "la, los angeles",
    "sf, san francisco",
    "dc, washington d c, washington dc, d c",
    "ca, california, canada",
    "tx, texas",
    "fl, florida",
    "il, illinois, chicago",
    "wa, washington, seattle",
    "ma, massachusetts, boston",
    "nv, nevada, las vegas",
    "ga, georgia, atlanta",
    "co, colorado, denver",
    "az, arizona, phoenix",
    "france, french, paris, fr",
    "germany, german, berlin, munich",
    "italy, italian, rome, milan",
    "spain, spanish, madrid, barcelona",
    "japan, japanese, tokyo, jp",
    "china, chinese, beijing, shanghai, cn",
    "india, indian, mumbai, delhi",
    "canada, canadian, toronto, vancouver, montreal",
    "australia, australian, sydney, melbourne",
    "england, london, uk",
    "mexico, mexican",
    "brazil, brazilian",
    // Common choices.
    "asc, ascending, lowest to highest, smallest to largest, increasing",
    "desc, descending, highest to lowest, largest to smallest, decreasing, reverse",
    "male, man, men, boy, he, his",
    "female, woman, women, girl, she, her",
    "vegetarian, veggie",
    "plane, flight, fly, flying, flights",
    "drive, driving, car",
    "walk, walking, foot, on foot",
    "bike, bicycle, bicycling, cycling",
    "round trip, return, roundtrip, round",
    "inexpensive, cheap, budget, low, affordable",
    "expensive, luxury, high end, high",
    "pdf, document",
    "email, e mail, mail",
    "tv, television",
    "ai, artificial intelligence",
    "ml, machine learning",
    "api, endpoint",
    "id, identifier",
    "info, information",
    "temp, temperature",
    "addr, address",
    "num, number, count, amount, how many",
];
