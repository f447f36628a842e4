//! The words of errors about columns.

use crate::domain::Slot;

/// The slots that no column has, each with the one that may be meant.
pub(super) fn wished(slots: &[(Slot, Option<String>)]) -> String {
    let wish =
        |(slot, likely): &(Slot, Option<String>)| format!("the {slot}{}", hint(*slot, likely.as_deref()));
    slots.iter().map(wish).collect::<Vec<_>>().join(" and ")
}

/// How to name a column that is likely.
pub(super) fn hint(slot: Slot, likely: Option<&str>) -> String {
    likely.map(|column| format!(" (try `--column {slot}={column}`)")).unwrap_or_default()
}

/// How to name the columns for which no name is near.
pub(super) fn say_which(slots: &[(Slot, Option<String>)], columns: &[String]) -> String {
    let unknown = slots.iter().filter(|(_, likely)| likely.is_none() && !columns.is_empty());
    let flags: Vec<String> = unknown.map(|(slot, _)| format!("--column {slot}=COLUMN")).collect();
    match flags.is_empty() {
        true => String::new(),
        false => format!("; say which it is with `{}`", flags.join(" ")),
    }
}

/// The columns that there are.
pub(super) fn list(columns: &[String]) -> String {
    if columns.is_empty() {
        return "not known, since every row is empty or larger than 64 MB".to_owned();
    }
    columns.iter().map(|column| format!("`{column}`")).collect::<Vec<_>>().join(", ")
}
