//! A report in JUnit's XML, as Jenkins, GitLab and GitHub's actions read it.

use std::fmt::Write;

/// A list of cases under one name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suite {
    /// The scorer, or the judge and what it judged.
    pub name: String,
    /// All cases by name, in order.
    pub cases: Vec<(String, CaseOutcome)>,
}

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseOutcome {
    /// It passes.
    Passed,
    /// It fails, or could not be looked at; why.
    Failed(String),
    /// Nobody could say; why.
    Skipped(String),
}

/// One suite by itself, several as a list.
pub(super) fn render(suites: &[Suite]) -> String {
    // By the comment a later run knows that it may replace the report.
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- tooljudge report -->\n");
    match suites {
        [only] => suite(&mut xml, only),
        several => {
            xml.push_str("<testsuites>\n");
            several.iter().for_each(|one| suite(&mut xml, one));
            xml.push_str("</testsuites>\n");
        }
    }
    xml
}

fn suite(xml: &mut String, Suite { name, cases }: &Suite) {
    let class = escaped(name);
    let count = |is: fn(&CaseOutcome) -> bool| cases.iter().filter(|(_, outcome)| is(outcome)).count();
    let failures = count(|outcome| matches!(outcome, CaseOutcome::Failed(_)));
    let skipped = match count(|outcome| matches!(outcome, CaseOutcome::Skipped(_))) {
        0 => String::new(),
        skipped => format!(" skipped=\"{skipped}\""),
    };
    let tests = cases.len();
    let _ = writeln!(xml, "<testsuite name=\"{class}\" tests=\"{tests}\" failures=\"{failures}\"{skipped}>");
    for (case, outcome) in cases {
        let case = escaped(case);
        let _ = write!(xml, "  <testcase name=\"{case}\" classname=\"{class}\"");
        let _ = match outcome {
            CaseOutcome::Passed => writeln!(xml, "/>"),
            CaseOutcome::Failed(why) => writeln!(xml, "><failure message=\"{}\"/></testcase>", escaped(why)),
            CaseOutcome::Skipped(why) => writeln!(xml, "><skipped message=\"{}\"/></testcase>", escaped(why)),
        };
    }
    xml.push_str("</testsuite>\n");
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
