//! A benchmark as one HTML file that opens offline: data, style and script are all inside.

use serde_json::Value;

const PAGE: &str = include_str!("page/page.html");
pub(super) const STYLE: &str = include_str!("page/style.css");

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

const ROWS_PAGE: &str = include_str!("page/label/label.html");
const ROWS_STYLE: &str = concat!(include_str!("page/style.css"), include_str!("page/label/label.css"));

/// Of the page of labelled rows, which has the elements and the texts of the other in common. What keeps marks goes before it.
const ROWS_SCRIPT: &[&str] = &[
    include_str!("page/script/base.js"),
    include_str!("page/script/passages.js"),
    include_str!("page/label/store.js"),
    include_str!("page/label/code.js"),
    include_str!("page/label/text.js"),
    include_str!("page/label/talk.js"),
    include_str!("page/label/tools.js"),
    include_str!("page/label/view.js"),
    include_str!("page/label/marks.js"),
    include_str!("page/label/share.js"),
    include_str!("page/label/next.js"),
    include_str!("page/label/filters.js"),
    include_str!("page/label/rows.js"),
    include_str!("page/label/opened.js"),
    include_str!("page/label/correct.js"),
    include_str!("page/label/main.js"),
];

/// Keeps marks in the browser.
const IN_THE_BROWSER: Keeper = Keeper { script: include_str!("page/label/keep.js"), policy: "" };
/// Keeps marks on the server that the page is from, which is all that it may speak to.
const ON_A_SERVER: Keeper =
    Keeper { script: include_str!("page/label/serve.js"), policy: "connect-src 'self'; " };

/// What keeps the marks of a page, and what its policy lets it do.
struct Keeper {
    script: &'static str,
    policy: &'static str,
}

/// The page of labelled rows under `title`, in four pieces. Between them go what the page opens itself, each as gzip in Base64: the
/// index, what rows share, and the rows in elements of the class `chunk`. `about` says whose rows they are.
///
/// As with [`html`], nothing of the data becomes markup.
#[must_use]
pub fn rows_page(title: &str, about: &Value) -> [String; 4] {
    rows_page_kept(title, about, &IN_THE_BROWSER)
}

/// The same page for a server: its marks are sent there. `about.review` says who marks.
#[must_use]
pub fn review_page(title: &str, about: &Value) -> [String; 4] {
    rows_page_kept(title, about, &ON_A_SERVER)
}

fn rows_page_kept(title: &str, about: &Value, keeper: &Keeper) -> [String; 4] {
    let script = [&[keeper.script], ROWS_SCRIPT].concat().concat();
    let (title, about) = (escaped(title), data(about));
    let mut pieces: [String; 4] = Default::default();
    let mut rest = ROWS_PAGE;
    let cuts = [
        (0, "{{policy}}", keeper.policy),
        (0, "{{title}}", title.as_str()),
        (0, "{{style}}", ROWS_STYLE),
        (0, "{{title}}", title.as_str()),
        (0, "{{about}}", about.as_str()),
        (0, "{{index}}", ""),
        (1, "{{shared}}", ""),
        (2, "{{chunks}}", ""),
        (3, "{{script}}", script.as_str()),
    ];
    // What was filled in is never looked at again, so that braces in it mean nothing.
    for (piece, marker, part) in cuts {
        let Some((before, after)) = rest.split_once(marker) else { continue };
        pieces[piece].push_str(before);
        pieces[piece].push_str(part);
        rest = after;
    }
    pieces[3].push_str(rest);
    pieces
}

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
pub(super) fn escaped(text: &str) -> String {
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
