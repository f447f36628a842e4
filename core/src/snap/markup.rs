//! A verdict that a reply hands to a tool in the markup of calls: `<parameter name="label">correct</parameter>`.

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
        if tag.contains('<') {
            return false;
        }
        text = rest;
    }
}
