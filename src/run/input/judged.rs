//! Finds the columns that judges added to a labelled table.

use crate::domain::Unit;
use crate::write::LabelColumns;

/// What goes before the names of each judge's columns. A log may have columns of such names of its own; only a judge says which
/// one it is.
pub(in crate::run) fn prefixes(names: &[&str]) -> Vec<String> {
    let has = |prefix: &str, name: &str| names.contains(&format!("{prefix}{name}").as_str());
    let is_judge = |prefix: &&str| has(prefix, "status") && (has(prefix, "judge") || has(prefix, "template"));
    names.iter().filter_map(|name| name.strip_suffix("label")).filter(is_judge).map(str::to_owned).collect()
}

/// All columns that judges with such `prefixes` add.
pub(in crate::run) fn added(prefixes: &[String]) -> Vec<String> {
    let columns = |prefix: &String| {
        let ours = LabelColumns::detailed(prefix, "", "", Unit::Call, true);
        ours.schema().names().map(str::to_owned).collect::<Vec<_>>()
    };
    prefixes.iter().flat_map(columns).collect()
}
