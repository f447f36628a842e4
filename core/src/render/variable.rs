//! Which value of a row a name in a template means: `tool_call`, another tool's `tool_selection`, `row["policy"]`.

use crate::domain::{Slot, Variable};

/// What a template calls the row, to name any of its columns.
pub(super) const ROW: &str = "row";

/// The variable that `name` means.
pub(super) fn named(name: &str) -> Option<Variable> {
    let column = || match column(name)? {
        (column, "") => Some(Variable::Column(column.into())),
        _ => None,
    };
    Slot::of_variable(name).map(Variable::Slot).or_else(column)
}

/// The same, where the names in `own` are columns of their own, whatever they mean otherwise.
pub(super) fn named_or_own(name: &str, own: &[&str]) -> Option<Variable> {
    if own.contains(&name) { Some(Variable::Column(name.into())) } else { named(name) }
}

/// The columns that Jinja names as `row["a"]`, `row['a']` or `row.a`; `None` if it takes a column that only it can tell.
pub(super) fn columns(source: &str) -> Option<Vec<&str>> {
    let mut columns = Vec::new();
    for (at, _) in source.match_indices(ROW) {
        let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if source[..at].ends_with(joins)
            || source[at + ROW.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            continue;
        }
        match column(&source[at..]) {
            Some((column, _)) => columns.push(column),
            None if source[at + ROW.len()..].trim_start().starts_with('[') => return None,
            None => {}
        }
    }
    columns.sort_unstable();
    columns.dedup();
    Some(columns)
}

/// The column that `text` begins with, as in `row["a"]`, and what follows.
fn column(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(ROW)?.trim_start();
    if let Some(rest) = rest.strip_prefix('.') {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        return (end > 0).then(|| rest.split_at(end));
    }
    let rest = rest.strip_prefix('[')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (column, rest) = rest[1..].split_once(quote)?;
    Some((column, rest.trim_start().strip_prefix(']')?)).filter(|(column, _)| !column.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_several_spellings() {
        for (text, found) in [
            (r#"{{ row["policy"] }} {{ row['the id'] }}"#, Some(vec!["policy", "the id"])),
            ("{{ row.policy | upper }} {{ row . x }}", Some(vec!["policy"])),
            (r#"a row. Arrow["x"] narrow.y {{ x.row.z }} rows["x"]"#, Some(vec![])),
            ("{{ row[question] }}", None),
            (r#"{{ row[ "a" ] }}{{ row["a"] }}"#, Some(vec!["a"])),
        ] {
            assert_eq!(columns(text), found, "{text}");
        }
        assert_eq!(named(r#"row["a b"]"#), Some(Variable::Column("a b".into())));
        assert_eq!(named("row.a"), Some(Variable::Column("a".into())));
        assert_eq!(named("conversation"), Some(Variable::Slot(Slot::Question)));
        assert_eq!((named("row.a.b"), named("row"), named("policy")), (None, None, None));
    }
}
