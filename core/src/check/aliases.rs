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

/// Whether a short name is also a word of every other sentence: only in capitals it names a thing.
pub(super) fn is_common_word(name: &str) -> bool {
    matches!(
        name,
        "it" | "in"
            | "at"
            | "be"
            | "no"
            | "us"
            | "are"
            | "ca"
            | "can"
            | "la"
            | "ma"
            | "pa"
            | "co"
            | "de"
            | "es"
            | "il"
            | "fin"
            | "nor"
            | "se"
            | "ch"
            | "ar"
            | "am"
            | "en"
            | "hi"
            | "mi"
            | "c"
            | "f"
            | "k"
            | "m"
            | "g"
            | "l"
            | "h"
            | "s"
            | "ind"
            | "ken"
            | "deu"
            | "bel"
            | "esp"
            | "est"
            | "fi"
            | "id"
            | "ie"
            | "nl"
            | "pl"
            | "za"
            | "ke"
            | "ng"
            | "eg"
            | "cl"
            | "fl"
            | "ga"
            | "nv"
            | "ml"
            | "ai"
    )
}

/// Whether a folded word names a unit of measure, currencies aside.
pub(super) fn is_unit(word: &str) -> bool {
    INDEX.get(word).is_some_and(|groups| groups.iter().any(|group| *group < UNITS))
}

/// How many groups at the start are units.
const UNITS: usize = 30;

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
    // Languages and countries: code, name, adjective.
    "en, english",
    "ja, japanese",
    "zh, chinese, mandarin",
    "ko, korean",
    "ar, arabic",
    "hi, hindi",
    "us, usa, united states, united states of america, america, american, u s, u s a",
    "uk, gb, united kingdom, britain, great britain, british, england, english, u k, vereinigtes konigreich",
    "eu, europe, european, european union",
    "de, deu, germany, german, deutschland, deutsch, alemania, allemagne",
    "fr, fra, france, french, frankreich, francia, francais",
    "es, esp, spain, spanish, espana, espanol, spanien, espagne",
    "it, ita, italy, italian, italia, italiano, italien, italie",
    "pt, prt, portugal, portuguese, portugues",
    "nl, nld, netherlands, dutch, holland",
    "be, bel, belgium, belgian",
    "ch, che, switzerland, swiss, schweiz, suisse",
    "at, aut, austria, austrian, osterreich",
    "se, swe, sweden, swedish",
    "no, nor, norway, norwegian",
    "dk, dnk, denmark, danish, danmark",
    "fi, fin, finland, finnish",
    "ie, irl, ireland, irish",
    "pl, pol, poland, polish",
    "cz, cze, czechia, czech, czech republic",
    "gr, grc, greece, greek",
    "tr, tur, turkey, turkish, turkiye",
    "ru, rus, russia, russian",
    "ua, ukr, ukraine, ukrainian",
    "in, ind, india, indian",
    "cn, chn, china, chinese",
    "jp, jpn, japan, japanese",
    "kr, kor, south korea, korea, korean",
    "sg, sgp, singapore",
    "au, aus, australia, australian",
    "nz, nzl, new zealand",
    "ca, can, canada, canadian",
    "mx, mex, mexico, mexican",
    "br, bra, brazil, brazilian, brasil",
    "ar, arg, argentina, argentinian",
    "cl, chl, chile, chilean",
    "co, col, colombia, colombian",
    "za, zaf, south africa",
    "eg, egy, egypt, egyptian",
    "ng, nga, nigeria, nigerian",
    "ke, ken, kenya, kenyan",
    "ae, are, united arab emirates, uae, emirates",
    "il, isr, israel, israeli",
    // Cities and states that go by short names.
    "nyc, new york city, new york, ny",
    "la, los angeles",
    "sf, san francisco",
    "dc, washington d c, washington dc, d c",
    "ca, california",
    "tx, texas",
    "fl, florida",
    "il, illinois",
    "wa, washington",
    "ma, massachusetts",
    "nv, nevada",
    "ga, georgia",
    "co, colorado",
    "az, arizona",
    "pa, pennsylvania",
    // Common choices.
    "asc, ascending, lowest to highest, smallest to largest, increasing",
    "desc, descending, highest to lowest, largest to smallest, decreasing, reverse",
    "male, man, men, boy, he, his",
    "female, woman, women, girl, she, her",
    "vegetarian, veggie",
    "plane, flight, fly, flying, flights",
    "drive, driving, car",
    "walk, walking, walked, foot, on foot",
    "run, running, ran, jog, jogging, jogged",
    "swim, swimming, swam",
    "bike, biking, biked, bicycle, bicycling, cycling",
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
