//! Currencies by their signs, which contain no letters: `€250` means `EUR`.

/// Signs, and what a value may call them. A dollar or a yen may be of several countries.
const SIGNS: [(char, &[&str]); 7] = [
    (
        '$',
        &[
            "usd",
            "dollar",
            "dollars",
            "us dollar",
            "us dollars",
            "cad",
            "aud",
            "nzd",
            "sgd",
            "hkd",
            "mxn",
            "ars",
            "clp",
            "cop",
            "twd",
        ],
    ),
    ('€', &["eur", "euro", "euros"]),
    ('£', &["gbp", "pound", "pounds", "british pound", "pound sterling", "egp"]),
    ('¥', &["jpy", "yen", "japanese yen", "cny", "rmb", "yuan"]),
    ('₹', &["inr", "rupee", "rupees", "indian rupee"]),
    ('₩', &["krw", "won", "korean won"]),
    ('₽', &["rub", "ruble", "rubles"]),
];

/// The signs that a text has.
pub(super) fn signs(text: &str) -> impl Iterator<Item = char> + '_ {
    // Most texts have none, and bytes tell so quickly.
    let may_have = text.bytes().any(|byte| byte == b'$' || byte >= 0xc2);
    SIGNS.iter().map(|(sign, _)| *sign).filter(move |sign| may_have && text.contains(*sign))
}

/// Whether a folded value names a currency of one of the signs.
pub(super) fn is_told(signs: &[char], folded: &str) -> bool {
    let name = folded.trim();
    SIGNS.iter().any(|(sign, names)| signs.contains(sign) && names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_tell_currencies() {
        for (text, value, told) in [
            ("Move €250 to savings", " eur ", true),
            ("Move 250€ to savings", " usd ", false),
            ("It costs $5", " usd ", true),
            ("It costs $5", " cad ", true),
            ("It costs $5", " eur ", false),
            ("It costs 5", " usd ", false),
        ] {
            let signs: Vec<char> = signs(text).collect();
            assert_eq!(is_told(&signs, value), told, "{text} {value}");
        }
    }
}
