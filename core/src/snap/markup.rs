//! A verdict as the argument of a tool call in markup: `<parameter name="label">correct</parameter>`.

use super::lenient_json::LenientJson;

/// How a parameter begins, up to its name; `=` has no quotation marks around it.
const OPENS: [&str; 3] = ["<parameter name=\"", "<parameter name='", "<parameter="];
const CLOSES: &str = "</parameter>";

/// The arguments of the call that the whole of `text` is.
pub(super) fn arguments(text: &str) -> Option<LenientJson> {
    if !(text.starts_with('<') && text.ends_with('>')) {
        return None;
    }
    let mut fields = Vec::new();
    let mut rest = text;
    while let Some((at, open)) =
        OPENS.iter().filter_map(|open| Some((rest.find(open)?, *open))).min_by_key(|(at, _)| *at)
    {
        // What stands between parameters is markup as well.
        if !is_markup(&rest[..at]) {
            return None;
        }
        let (name, inner) = rest[at + open.len()..].split_once('>')?;
        let (value, behind) = inner.split_once(CLOSES)?;
        let name = name.trim_end_matches(['"', '\'', '/', ' ']).to_owned();
        fields.push((name, LenientJson::Text(value.trim().to_owned())));
        rest = behind;
    }
    (!fields.is_empty() && is_markup(rest)).then_some(LenientJson::Object(fields))
}

/// Whether there is nothing but tags.
fn is_markup(mut text: &str) -> bool {
    loop {
        text = text.trim_start();
        if text.is_empty() {
            return true;
        }
        let Some((tag, rest)) = text.strip_prefix('<').and_then(|text| text.split_once('>')) else {
            return false;
        };
        if !is_of_call(tag.trim_start_matches('/')) {
            return false;
        }
        text = rest;
    }
}

/// Whether a tag is one of those that calls are written in; a tool that is named must be one that takes a verdict.
fn is_of_call(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    let name = tag.find(['=', ' ']).map_or(tag.as_str(), |end| &tag[..end]);
    let of_call = matches!(
        name.strip_prefix("antml:").unwrap_or(name),
        "function_calls" | "function_call" | "invoke" | "tool_call" | "tool_calls" | "tool_use" | "function"
    );
    let tool = &tag[name.len()..];
    let takes = |word: &&str| tool.contains(*word);
    let verdict =
        ["verdict", "label", "judg", "submit", "answer", "record", "report", "grade", "classif", "evaluat"];
    let undoes = ["reject", "retract", "undo", "delete", "remove", "revoke", "clear", "reset"];
    let named = tool.chars().any(char::is_alphanumeric);
    of_call && (!named || verdict.iter().any(&takes) && !undoes.iter().any(takes))
}
