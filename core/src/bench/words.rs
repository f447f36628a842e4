//! What the words of labels and of gold mean.

use crate::domain::{Json, Rails};

/// Which words say that a call is right, and which that it is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    right: Vec<String>,
    wrong: Vec<String>,
    /// Whether any other word says that it is wrong.
    others_are_wrong: bool,
}

impl Default for Words {
    /// `correct` and `incorrect`.
    fn default() -> Words {
        Words {
            right: vec!["correct".to_owned()],
            wrong: vec!["incorrect".to_owned()],
            others_are_wrong: false,
        }
    }
}

impl Words {
    /// The labels of these rails: of each, one is right and all others are wrong.
    ///
    /// # Errors
    /// The label that is right by some and wrong by others.
    pub fn of<'a>(rails: impl IntoIterator<Item = &'a Rails>) -> Result<Words, String> {
        let mut words = Words { right: Vec::new(), wrong: Vec::new(), others_are_wrong: false };
        for rails in rails {
            for label in rails.labels() {
                let right = label == rails.positive().label;
                let (ours, others) = match right {
                    true => (&mut words.right, &words.wrong),
                    false => (&mut words.wrong, &words.right),
                };
                if others.iter().any(|other| other.eq_ignore_ascii_case(label)) {
                    return Err(label.to_owned());
                }
                if !ours.iter().any(|known| known == label) {
                    ours.push(label.to_owned());
                }
            }
        }
        Ok(if words.right.is_empty() { Words::default() } else { words })
    }

    /// `label` is right, and every other word wrong.
    pub fn right(label: &str) -> Words {
        Words { right: vec![label.to_owned()], wrong: vec!["incorrect".to_owned()], others_are_wrong: true }
    }

    /// What a cell says: `Ok(None)` where it says nothing, `Err` with what it says where that is no label.
    ///
    /// Beside our words, `correct` and `incorrect` are understood, and so are true and false, 1 and 0.
    pub fn read(&self, cell: Option<&Json>) -> Result<Option<bool>, String> {
        let text = match cell {
            None | Some(Json::Null) => return Ok(None),
            Some(Json::String(text)) => text.trim().to_owned(),
            Some(other) => other.to_string(),
        };
        let is = |words: &[String]| words.iter().any(|word| word.eq_ignore_ascii_case(&text));
        if text.is_empty() {
            return Ok(None);
        }
        match (is(&self.right), is(&self.wrong) || self.others_are_wrong) {
            (true, _) => return Ok(Some(true)),
            (_, true) => return Ok(Some(false)),
            _ => {}
        }
        match text.to_ascii_lowercase().as_str() {
            "null" => Ok(None),
            "correct" | "true" | "1" | "1.0" => Ok(Some(true)),
            "incorrect" | "false" | "0" | "0.0" => Ok(Some(false)),
            _ => Err(text),
        }
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
        let usual = Words::default();
        for (cell, expected) in [
            (Json::from("correct"), Ok(Some(true))),
            (Json::from(" Incorrect "), Ok(Some(false))),
            (Json::Bool(true), Ok(Some(true))),
            (Json::parse("0").unwrap(), Ok(Some(false))),
            (Json::from("1"), Ok(Some(true))),
            (Json::from(""), Ok(None)),
            (Json::Null, Ok(None)),
            (Json::from("maybe"), Err("maybe".to_owned())),
        ] {
            assert_eq!(usual.read(Some(&cell)), expected, "{cell}");
        }
        assert_eq!(usual.read(None), Ok(None));
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
        assert_eq!(Words::of([&rails("yes", "no"), &rails("no", "yes")]), Err("no".to_owned()));
        assert_eq!(Words::right("fine").read(Some(&Json::from("awful"))), Ok(Some(false)));
        assert_eq!((words.word(true), words.word(false)), ("yes", "no"));
    }
}
