//! The files of `core/languages/`, read once.

use std::sync::LazyLock;

use super::data::{Language, Words};

macro_rules! files {
    ($($code:literal)*) => {
        &[$(($code, include_str!(concat!("../../languages/", $code, ".toml")))),*]
    };
}

/// One file per language, by its ISO 639-1 code. English comes first. Where languages share a word that they mean
/// differently, the first that the text is in decides.
pub const FILES: &[(&str, &str)] = files!(
    "en" "de" "es" "fr" "it" "pt" "zh" "nl" "pl" "ru" "sv" "no" "da" "tr" "id" "vi" "ja" "ko" "ar" "hi" "fi" "et" "hu" "cs"
    "sk" "hr" "sl" "uk" "ro" "el" "lt" "lv" "ca" "eu" "sq" "he" "fa" "th" "ms" "tl" "sw" "ga" "cy"
);

/// The words that numbers of each language but English are composed of: rows of its code, a number, and the words that mean it,
/// with commas between them. `x1000` multiplies what stands before it, `+` joins, and words of `?` are no numbers by themselves.
/// `numbers.py` beside it writes it, mostly from the spell-out rules of Unicode CLDR, whose licence is in `LICENSE-UNICODE` there.
pub const NUMBERS: &str = include_str!("../../languages/numbers.tsv");

static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| FILES.iter().map(|(code, text)| read(code, text)).collect());

/// A file that is not as [`Language`] says is a mistake of whoever builds this crate; a test reads them all.
fn read(code: &str, text: &str) -> Language {
    toml::from_str(text).unwrap_or_else(|error| panic!("core/languages/{code}.toml: {error}"))
}

/// All languages, in the order of [`FILES`].
pub fn all() -> &'static [Language] {
    &LANGUAGES
}

/// English, of which every text may hold words.
pub fn english() -> &'static Language {
    &all()[0]
}

/// The words that all languages have in one of their lists.
pub fn words(list: fn(&Language) -> &Words) -> impl Iterator<Item = &'static str> {
    all().iter().flat_map(move |language| list(language).iter())
}

/// The phrases that all languages have in one of their lists, each between spaces, as it stands in a folded text.
pub fn phrases(list: fn(&Language) -> &Vec<String>) -> Vec<String> {
    all().iter().flat_map(|language| list(language).iter()).map(|phrase| format!(" {phrase} ")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_is_listed_and_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/languages");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".toml"))
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|(code, _)| format!("{code}.toml")).collect();
        assert_eq!(files, listed);
        assert_eq!(FILES[0].0, "en");
        assert_eq!(all().len(), FILES.len());
        // A set of languages is 64 bits.
        assert!(FILES.len() <= 64);
    }
}
