//! Reads the value of a cell.

use crate::domain::Json;

/// A cell's text; nothing for null and the empty text.
pub(in crate::run) fn text(cell: Option<&Json>) -> Option<String> {
    match cell {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) => (!text.is_empty()).then(|| text.clone()),
        Some(other) => Some(other.to_string()),
    }
}

/// Whether a cell says that nothing is known, in one of the words that tables have for that. That nothing is to be called says `[]`.
pub(in crate::run) fn says_nothing(cell: &Json) -> bool {
    const WORDS: [&str; 10] = ["", "nan", "none", "null", "undefined", "n/a", "na", "-", "{}", "\"\""];
    match cell {
        Json::Null => true,
        Json::Object(object) => object.is_empty(),
        Json::String(text) => {
            let text = text.trim();
            WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        }
        _ => false,
    }
}
