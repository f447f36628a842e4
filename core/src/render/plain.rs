//! Templates without front matter, as other tools wrote them: `{question}` or `{{question}}`, filled once.

use super::error::TemplateError;
use super::template::Values;
use super::variable::{named, named_or_own};
use crate::domain::Variable;

/// A stretch of the template.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Segment {
    Text(String),
    Value(Variable),
}

impl Segment {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Segment::Text(text) => Some(text),
            Segment::Value(_) => None,
        }
    }
}

/// The first tag of a template language that has more than placeholders, such as `{% if explain %}`, and its line, counted
/// from 1: the judge would read it as text.
pub(super) fn jinja(source: &str) -> Option<(usize, &str)> {
    const PAIRS: [(&str, &str); 3] = [("{%", "%}"), ("{#", "#}"), ("{{", "}}")];
    source.lines().enumerate().find_map(|(at, line)| {
        let tags = line.match_indices('{').filter_map(|(start, _)| {
            let (open, close) = PAIRS.into_iter().find(|(open, _)| line[start..].starts_with(open))?;
            let inner = &line[start + open.len()..];
            let inner = &inner[..inner.find(close)?];
            let end = start + open.len() + inner.len() + close.len();
            let name = inner.split(['|', '.', '[']).next().unwrap_or_default().trim();
            // Two braces may also be JSON, or text for another program.
            let is_tag = open != "{{"
                || inner.starts_with(['#', '/', '^', '>'])
                || is_identifier(name)
                    && !inner.trim().ends_with('.')
                    && name != inner.trim()
                    && named(inner.trim()).is_none();
            is_tag.then(|| &line[start..end])
        });
        tags.map(|tag| (at + 1, tag)).next()
    })
}

/// Splits a template at its placeholders. Only the names of row values and those in `own`, which are columns, are placeholders; every
/// other brace is text.
pub(super) fn parse(source: &str, own: &[&str]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    while let Some(open) = source[at..].find('{').map(|i| at + i) {
        match placeholder(&source[open..], own) {
            Some((variable, length)) => {
                if text_from < open {
                    segments.push(Segment::Text(source[text_from..open].to_owned()));
                }
                segments.push(Segment::Value(variable));
                at = open + length;
                text_from = at;
            }
            None => at = open + 1,
        }
    }
    if text_from < source.len() {
        segments.push(Segment::Text(source[text_from..].to_owned()));
    }
    segments
}

/// The values that the text shows, each once.
pub(super) fn variables(segments: &[Segment]) -> Vec<Variable> {
    let mut variables = Vec::new();
    for segment in segments {
        if let Segment::Value(variable) = segment
            && !variables.contains(variable)
        {
            variables.push(variable.clone());
        }
    }
    variables
}

/// The text with a row's `values`.
pub(super) fn text(segments: &[Segment], values: &Values) -> Result<String, TemplateError> {
    let mut filled = String::new();
    for segment in segments {
        match segment {
            Segment::Text(text) => filled.push_str(text),
            Segment::Value(variable) => match values.get(variable) {
                Some(text) => filled.push_str(&text),
                None => return Err(TemplateError::Lacking(vec![variable.clone()])),
            },
        }
    }
    Ok(filled)
}

/// The placeholder that `text` starts with, and its length in bytes.
fn placeholder(text: &str, own: &[&str]) -> Option<(Variable, usize)> {
    ["{{", "{"].into_iter().zip(["}}", "}"]).find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?;
        let end = inner.find(close)?;
        let variable = named_or_own(inner[..end].trim(), own)?;
        Some((variable, open.len() + end + close.len()))
    })
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Names in braces that look like placeholders but are none and not in `own`, such as `{qestion}` and `{{userQuery}}`. In single braces,
/// what begins with a capital letter may be mathematics or code.
pub(super) fn unknown(source: &str, own: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for (open, _) in source.match_indices('{') {
        let inner = &source[open + 1..];
        let Some(end) = inner.find(['}', '{', '\n']) else { continue };
        let name = inner[..end].trim();
        let is_doubled = source[..open].ends_with('{') && inner[end..].starts_with("}}");
        let is_small = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        // `${userName}` is code, and `/users/{userId}` a path.
        let is_of_others = !is_small && source[..open].ends_with(['$', '/']);
        let is_name = is_identifier(name)
            && !is_of_others
            && (is_doubled || name.starts_with(|c: char| c.is_ascii_lowercase()));
        if is_name && inner[end..].starts_with('}') && named_or_own(name, own).is_none() {
            names.push(name.to_owned());
        }
    }
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Slot;

    #[test]
    fn only_known_names_are_placeholders() {
        let segments = parse(r#"Q: {question} {"json": {}} {{ tool_call }} {other}"#, &[]);
        assert_eq!(
            segments,
            [
                Segment::Text("Q: ".into()),
                Segment::Value(Variable::Slot(Slot::Question)),
                Segment::Text(r#" {"json": {}} "#.into()),
                Segment::Value(Variable::Slot(Slot::ToolCall)),
                Segment::Text(" {other}".into()),
            ]
        );
        for (source, names) in [
            (r#"{question} {"a": {}} {qestion} {X}"#, &["qestion"][..]),
            ("{{ question }} {{userQuery}} {{Document}} {{ Body }}", &["Body", "Document", "userQuery"]),
            ("{userQuery} x^{n_1} {N}", &["n_1", "userQuery"]),
            ("/users/{userId} `${userName}` /{user_id}", &["user_id"]),
            ("{Document} {{\"a\": 1}} {{}} {{a b}} {{1}}", &[]),
        ] {
            assert_eq!(unknown(source, &[]), names, "{source}");
        }
        assert_eq!(unknown("{{Document}}", &["Document"]), [""; 0]);
    }

    /// What is more than a name would go to the judge as it stands.
    #[test]
    fn expressions_are_no_text() {
        for (source, tag) in [
            ("{{document.text}}", Some("{{document.text}}")),
            ("a\n{{ row.x.y }}", Some("{{ row.x.y }}")),
            ("{{ row[\"x\"] }} {{ row.y }}", None),
            ("{{ anything | upper }}", Some("{{ anything | upper }}")),
            ("{{#each rows}}", Some("{{#each rows}}")),
            ("{{ question }} {{other}} {{\"a\": 1.5}} {{1.5}} {{a: b.c}} {{i.e.}}", None),
        ] {
            assert_eq!(jinja(source).map(|(_, tag)| tag), tag, "{source}");
        }
    }
}
