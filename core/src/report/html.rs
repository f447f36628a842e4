//! A benchmark as one HTML file, which opens offline: its data, its looks and the script that draws it are all inside.

use serde_json::Value;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");

/// In this order, since a constant must stand before it is used.
const SCRIPT: &[&str] = &[
    include_str!("page/script/base.js"),
    include_str!("page/script/marks.js"),
    include_str!("page/script/summary.js"),
    include_str!("page/script/judges.js"),
    include_str!("page/script/confusion.js"),
    include_str!("page/script/slices.js"),
    include_str!("page/script/confidence.js"),
    include_str!("page/script/agreement.js"),
    include_str!("page/script/passages.js"),
    include_str!("page/script/cases.js"),
    include_str!("page/script/disagreements.js"),
    include_str!("page/script/main.js"),
];

/// The page that shows `payload` (what a benchmark came to, and its cases) under `title`.
///
/// Nothing of the data becomes markup: the title is escaped, and the payload is JSON without a single `<`, `>` or `&`,
/// so that no text in it can end the element that holds it. The page's script puts texts on the page as texts only, and
/// the page's own policy forbids it to load anything or to parse a string as markup. Parts of the payload that are
/// missing or null are left out of the page; what is not an object shows an empty report.
#[must_use]
pub fn html(title: &str, payload: &Value) -> String {
    let (title, script, data) = (escaped(title), SCRIPT.concat(), data(payload));
    let parts = [
        ("{{title}}", title.as_str()),
        ("{{style}}", STYLE),
        ("{{title}}", title.as_str()),
        ("{{data}}", data.as_str()),
        ("{{script}}", script.as_str()),
    ];
    let mut page =
        String::with_capacity(PAGE.len() + STYLE.len() + script.len() + data.len() + 2 * title.len());
    let mut rest = PAGE;
    // What was filled in is never looked at again, so that braces in it mean nothing.
    for (marker, part) in parts {
        let Some((before, after)) = rest.split_once(marker) else { continue };
        page.push_str(before);
        page.push_str(part);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// A text as it stands in HTML outside of scripts.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\0', "\u{fffd}")
}

/// JSON as it can stand in a script element. The characters replaced occur in JSON's strings only.
fn data(payload: &Value) -> String {
    let json = payload.to_string();
    let mut safe = String::with_capacity(json.len() + json.len() / 16);
    let mut from = 0;
    for (at, found) in json.match_indices(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        safe.push_str(&json[from..at]);
        safe.push_str(match found {
            "<" => "\\u003c",
            ">" => "\\u003e",
            "&" => "\\u0026",
            "\u{2028}" => "\\u2028",
            _ => "\\u2029",
        });
        from = at + found.len();
    }
    safe.push_str(&json[from..]);
    safe
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_marker_is_filled_once() {
        let page = html("a {{data}} title", &json!({"bench": {}}));
        assert_eq!(page.matches("a {{data}} title").count(), 2);
        assert_eq!(page.replace("a {{data}} title", "").matches("{{").count(), 0);
        assert_eq!(page.matches(r#"id="data">{"bench":{}}</script>"#).count(), 1);
    }

    #[test]
    fn data_cannot_end_its_element() {
        let text = "</script><!--<script>&amp;\u{2028}\u{2029}\\u003c\0é";
        let safe = data(&json!({ text: text }));
        assert!(!safe.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{safe}");
        assert_eq!(serde_json::from_str::<Value>(&safe).unwrap(), json!({ text: text }));
    }

    #[test]
    fn a_title_is_no_markup() {
        assert_eq!(escaped("</title><b>&amp;\0"), "&lt;/title&gt;&lt;b&gt;&amp;amp;\u{fffd}");
    }
}
