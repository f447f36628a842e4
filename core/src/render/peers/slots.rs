//! Placeholders in double braces, as Mustache and the graders of OpenAI have them.

use crate::domain::Variable;
use crate::render::plain::Segment;

/// Splits `text` at its `{{NAME}}`; single braces are text. `variable` says what a name means, or why it means nothing.
///
/// # Errors
/// If there is a tag that is more than a name, a name without a meaning, or a tag that is never closed.
pub(super) fn split(
    text: &str,
    variable: &dyn Fn(&str) -> Result<Variable, String>,
) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        // Mustache writes a value without escapes in three braces. Nothing is escaped here.
        let close = if rest[open..].starts_with("{{{") { "}}}" } else { "}}" };
        let inner = &rest[open + close.len()..];
        let end = inner.find(close).ok_or_else(|| {
            format!(
                "a `{}` is never closed; a text cannot hold two opening braces that are not a placeholder",
                &close.replace('}', "{")
            )
        })?;
        let name = inner[..end].trim();
        let tag = &rest[open..open + 2 * close.len() + end];
        if name.starts_with(['#', '/', '^', '>', '!', '=', '&']) || name.contains(['|', '\n', '{', '"']) {
            return Err(format!(
                "`{tag}` is more than a placeholder: sections, partials, comments and filters are not carried over; write the \
                 text as a Jinja template with front matter, as `tooljudge templates show tool_calling` has it"
            ));
        }
        if open > 0 {
            segments.push(Segment::Text(rest[..open].to_owned()));
        }
        segments.push(Segment::Value(variable(name)?));
        rest = &inner[end + close.len()..];
    }
    if !rest.is_empty() {
        segments.push(Segment::Text(rest.to_owned()));
    }
    Ok(segments)
}
