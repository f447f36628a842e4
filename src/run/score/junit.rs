//! A report in the XML that continuous integration reads (JUnit's, as Jenkins and GitLab understand it).

use std::fmt::Write;

use super::Tally;

/// One suite of all listed cases; an error is a failure.
pub(super) fn render(tally: &Tally, scorer: &str) -> String {
    let failures = tally.failed + tally.errored();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\">",
        escaped(scorer),
        tally.cases
    );
    let class = escaped(scorer);
    for (case, why) in tally.listed.iter().flatten() {
        let case = escaped(case);
        let _ = match why {
            None => writeln!(xml, "  <testcase name=\"{case}\" classname=\"{class}\"/>"),
            Some(why) => writeln!(
                xml,
                "  <testcase name=\"{case}\" classname=\"{class}\"><failure message=\"{}\"/></testcase>",
                escaped(why)
            ),
        };
    }
    xml.push_str("</testsuite>\n");
    xml
}

/// Text as XML allows it in an attribute; characters that it has no way to write are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
