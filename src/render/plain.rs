//! Templates without front matter, as other tools wrote them: `{question}` or `{{question}}`, filled once.

use super::Variable;

/// A stretch of the template.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Value(Variable),
}

/// Splits a template at its placeholders. Only the names of row values are placeholders; every other brace is text.
pub(super) fn parse(source: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    while let Some(open) = source[at..].find('{').map(|i| at + i) {
        match placeholder(&source[open..]) {
            Some((variable, length)) => {
                if text_from < open {
                    pieces.push(Piece::Text(source[text_from..open].to_owned()));
                }
                pieces.push(Piece::Value(variable));
                at = open + length;
                text_from = at;
            }
            None => at = open + 1,
        }
    }
    if text_from < source.len() {
        pieces.push(Piece::Text(source[text_from..].to_owned()));
    }
    pieces
}

/// The placeholder that `text` starts with, and its length in bytes.
fn placeholder(text: &str) -> Option<(Variable, usize)> {
    ["{{", "{"].into_iter().zip(["}}", "}"]).find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?;
        let end = inner.find(close)?;
        let variable = Variable::named(inner[..end].trim())?;
        Some((variable, open.len() + end + close.len()))
    })
}

/// Names in single braces that look like placeholders but are none, such as `{qestion}`.
pub(super) fn unknown(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (open, _) in source.match_indices('{') {
        let inner = &source[open + 1..];
        let Some(end) = inner.find(['}', '{', '\n']) else { continue };
        let name = inner[..end].trim();
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if is_name && inner[end..].starts_with('}') && Variable::named(name).is_none() {
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

    #[test]
    fn only_known_names_are_placeholders() {
        let pieces = parse(r#"Q: {question} {"json": {}} {{ tool_call }} {other}"#);
        assert_eq!(
            pieces,
            [
                Piece::Text("Q: ".into()),
                Piece::Value(Variable::Question),
                Piece::Text(r#" {"json": {}} "#.into()),
                Piece::Value(Variable::ToolCall),
                Piece::Text(" {other}".into()),
            ]
        );
        assert_eq!(unknown(r#"{question} {"a": {}} {qestion} {X}"#), ["qestion"]);
    }
}
