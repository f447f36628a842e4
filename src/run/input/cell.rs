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
