//! Maps the words of labels and of gold to right and wrong.

use crate::domain::{Json, Rails};

/// Which words say that a call is right, and which that it is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    right: Vec<String>,
    wrong: Vec<String>,
    /// Whether any other word says that it is wrong.
    others_are_wrong: bool,
    /// Whether the question is known to be whether a call is correct: only then is it clear what `yes` answers.
    asks_for_correctness: bool,
}

/// Other words for right and wrong, in lower case.
const SYNONYMS: [(&str, &str); 9] = [
    ("correct", "incorrect"),
    ("true", "false"),
    ("1", "0"),
    ("1.0", "0.0"),
    ("pass", "fail"),
    ("passed", "failed"),
    ("right", "wrong"),
    ("succeeded", "failed"),
    ("needed", "unneeded"),
];
/// Answers to the question whether a call is correct.
const ANSWERS: [(&str, &str); 2] = [("yes", "no"), ("y", "n")];

/// A label that is right by the rails of one template and wrong by those of another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is right by one template and wrong by another")]
pub struct AmbiguousLabel(pub String);

/// What a cell says that is not a label.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a label")]
pub struct NotALabel(pub String);

impl Default for Words {
    /// `correct` and `incorrect`, in a table of which nobody knows what was asked.
    fn default() -> Words {
        Words {
            right: vec!["correct".to_owned()],
            wrong: vec!["incorrect".to_owned()],
            others_are_wrong: false,
            asks_for_correctness: false,
        }
    }
}

impl Words {
    /// The labels that say that a call is right.
    pub fn passing(&self) -> impl Iterator<Item = &str> {
        self.right.iter().map(String::as_str)
    }

    /// The labels of these rails: of each, one is right and all others are wrong.
    ///
    /// # Errors
    /// The label that is right by some and wrong by others.
    pub fn of<'a>(rails: impl IntoIterator<Item = &'a Rails>) -> Result<Words, AmbiguousLabel> {
        let mut words = Words {
            right: Vec::new(),
            wrong: Vec::new(),
            others_are_wrong: false,
            asks_for_correctness: false,
        };
        for rails in rails {
            for rail in rails.iter() {
                let label = rail.label.as_str();
                let right = rails.passes(rail);
                let (ours, others) = match right {
                    true => (&mut words.right, &words.wrong),
                    false => (&mut words.wrong, &words.right),
                };
                if others.iter().any(|other| other.eq_ignore_ascii_case(label)) {
                    return Err(AmbiguousLabel(label.to_owned()));
                }
                if !ours.iter().any(|known| known == label) {
                    ours.push(label.to_owned());
                }
            }
        }
        if words.right.is_empty() {
            words = Words::default();
        }
        words.asks_for_correctness = words.right.iter().any(|word| word.eq_ignore_ascii_case("correct"));
        Ok(words)
    }

    /// `label` is right, and every other word wrong.
    pub fn right(label: &str) -> Words {
        Words {
            right: vec![label.to_owned()],
            wrong: vec!["incorrect".to_owned()],
            others_are_wrong: true,
            asks_for_correctness: false,
        }
    }

    /// What a cell says: `Ok(None)` where it says nothing, `Err` with what it says where that is no label.
    ///
    /// Beside our words, `correct` and `incorrect` are understood, and so are true, 1, pass, passed, right and their opposites.
    pub fn read(&self, cell: Option<&Json>) -> Result<Option<bool>, NotALabel> {
        let Some(text) = text(cell) else { return Ok(None) };
        let is = |words: &[String]| words.iter().any(|word| same_word(word, &text));
        if text.is_empty() {
            return Ok(None);
        }
        match (is(&self.right), is(&self.wrong) || self.others_are_wrong) {
            (true, _) => return Ok(Some(true)),
            (_, true) => return Ok(Some(false)),
            _ => {}
        }
        let word = text.to_ascii_lowercase();
        let word = word.as_str();
        if word == "null" {
            return Ok(None);
        }
        let pairs = SYNONYMS.iter().chain(ANSWERS.iter().filter(|_| self.asks_for_correctness));
        let meaning = pairs.into_iter().find_map(|(right, wrong)| match (word == *right, word == *wrong) {
            (false, false) => None,
            (right, _) => Some(right),
        });
        meaning.map(Some).ok_or(NotALabel(text))
    }

    /// Whether `label` is what a cell says that means `right`: of several labels that are wrong, the same one.
    pub fn agree(&self, label: &str, passes: bool, cell: Option<&Json>, right: bool) -> bool {
        let text = text(cell).unwrap_or_default();
        let ours = self.right.iter().chain(&self.wrong).any(|word| word.eq_ignore_ascii_case(&text));
        if ours { label.eq_ignore_ascii_case(&text) } else { passes == right }
    }

    /// A word for right, or for wrong.
    pub fn word(&self, right: bool) -> &str {
        let words = if right { &self.right } else { &self.wrong };
        words.first().map_or("", String::as_str)
    }

    /// All words, for errors.
    pub fn list(&self) -> String {
        self.right.iter().chain(&self.wrong).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
    }
}

/// The same word, in whatever case, or the same number: a column of numbers says `4.0` where a label is `4`.
fn same_word(word: &str, text: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    word.eq_ignore_ascii_case(text) || number(word).is_some_and(|word| number(text) == Some(word))
}

/// What a cell says, without the space around it.
fn text(cell: Option<&Json>) -> Option<String> {
    match cell? {
        Json::Null => None,
        Json::String(text) => Some(text.trim().to_owned()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Rail;

    fn rails(right: &str, wrong: &str) -> Rails {
        let rail = |label: &str| Rail { label: label.to_owned(), score: 0.0 };
        Rails::new(vec![rail(right), rail(wrong)], right).unwrap()
    }

    #[test]
    fn cells() {
        let usual = Words::of([]).unwrap();
        for (cell, expected) in [
            (Json::from("correct"), Ok(Some(true))),
            (Json::from(" Incorrect "), Ok(Some(false))),
            (Json::Bool(true), Ok(Some(true))),
            (Json::parse("0").unwrap(), Ok(Some(false))),
            (Json::from("1"), Ok(Some(true))),
            (Json::parse("1.0").unwrap(), Ok(Some(true))),
            (Json::from("FALSE"), Ok(Some(false))),
            (Json::from("Pass"), Ok(Some(true))),
            (Json::from("failed"), Ok(Some(false))),
            (Json::from("wrong"), Ok(Some(false))),
            (Json::from("Yes"), Ok(Some(true))),
            (Json::from("n"), Ok(Some(false))),
            (Json::from("0.5"), Err(NotALabel("0.5".to_owned()))),
            (Json::from(""), Ok(None)),
            (Json::Null, Ok(None)),
            (Json::from("maybe"), Err(NotALabel("maybe".to_owned()))),
        ] {
            assert_eq!(usual.read(Some(&cell)), expected, "{cell}");
        }
        assert_eq!(usual.read(None), Ok(None));
    }

    #[test]
    fn labels_agree_with_the_same_word_only() {
        let rail = |label: &str| Rail { label: label.to_owned(), score: 0.0 };
        let three = Rails::new(vec![rail("full"), rail("partial"), rail("none")], "full").unwrap();
        let words = Words::of([&three]).unwrap();
        for (label, gold, agree) in [
            ("full", "FULL", true),
            ("partial", "partial", true),
            ("partial", "none", false),
            ("partial", "0", true),
            ("partial", "true", false),
            ("full", "true", true),
        ] {
            let cell = Json::from(gold);
            let right = words.read(Some(&cell)).unwrap().unwrap();
            assert_eq!(words.agree(label, label == "full", Some(&cell), right), agree, "{label} {gold}");
        }
    }

    #[test]
    fn rails_say_what_is_right() {
        let words = Words::of([&rails("yes", "no"), &Rails::correctness()]).unwrap();
        for (word, right) in [("YES", true), ("no", false), ("correct", true), ("incorrect", false)] {
            assert_eq!(words.read(Some(&Json::from(word))), Ok(Some(right)));
        }
        // Rails come first: `true` may be the wrong label.
        let inverted = Words::of([&rails("false", "true")]).unwrap();
        assert_eq!(inverted.read(Some(&Json::Bool(true))), Ok(Some(false)));
        assert_eq!(
            Words::of([&rails("yes", "no"), &rails("no", "yes")]),
            Err(AmbiguousLabel("no".to_owned()))
        );
        assert_eq!(Words::default().read(Some(&Json::from("yes"))), Err(NotALabel("yes".to_owned())));
        // Nobody knows what `yes` answers where the rails ask something else.
        let faithful = Words::of([&rails("faithful", "hallucinated")]).unwrap();
        assert_eq!(faithful.read(Some(&Json::from("yes"))), Err(NotALabel("yes".to_owned())));
        assert_eq!(Words::right("fine").read(Some(&Json::from("awful"))), Ok(Some(false)));
        assert_eq!((words.word(true), words.word(false)), ("yes", "no"));
    }
}
