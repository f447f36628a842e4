//! The result of a command in Markdown, for GitHub's job summary.

use std::fmt::Write;

use super::markdown::escaped;
use super::plain::within;

/// The most that is written, well below what GitHub takes of a step.
const MAX_BYTES: usize = 64 << 10;
/// Behind what was cut.
const CUT: &str = "\n\nThe rest is left out: a summary has at most 64 kB.\n";
/// The most columns that a value takes in a table, and a sentence.
const MAX_CELL: usize = 400;
const MAX_SENTENCE: usize = 1000;
/// The most lines of a table.
const MAX_LINES: usize = 40;

/// What a command came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepSummary {
    /// The command.
    pub title: String,
    /// Whether the gates hold.
    pub verdict: GateVerdict,
    /// Who was asked, and what came of it.
    pub parts: Vec<StepPart>,
}

/// Whether the gates of a command hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum GateVerdict {
    /// There are none.
    #[default]
    NoGate,
    /// All hold: these.
    Passed(Vec<String>),
    /// Not all hold, and why.
    Failed(Vec<String>),
    /// There was nothing to hold them against, and that is accepted.
    Empty,
}

/// What came of one judge or scorer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepPart {
    /// Its name.
    pub title: String,
    /// In this order.
    pub tables: Vec<StepTable>,
}

/// A table, which is left out where it has no lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepTable {
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its lines, the most important first.
    pub lines: Vec<Vec<String>>,
    /// What the lines are of, where they are not all: `The first 10 of 12 failing rows.`
    pub note: Option<String>,
}

/// The summary as Markdown: whatever stands in names, labels and explanations is text there.
#[must_use]
pub fn step_summary(summary: &StepSummary) -> String {
    // What is there already may not end with a line.
    let mut text = format!("\n## {}\n\n", quoted(&summary.title, MAX_SENTENCE));
    // Writing to a text cannot fail.
    let _ = match &summary.verdict {
        GateVerdict::NoGate => writeln!(text, "No gate was set."),
        GateVerdict::Passed(gates) => writeln!(text, "**Passed**: {}", sentences(gates)),
        GateVerdict::Failed(reasons) => writeln!(text, "**Failed**: {}", sentences(reasons)),
        GateVerdict::Empty => {
            writeln!(text, "There was nothing to judge, which is accepted: no gate was checked.")
        }
    };
    for part in &summary.parts {
        let _ = write!(text, "\n### {}\n", quoted(&part.title, MAX_SENTENCE));
        part.tables
            .iter()
            .filter(|table| !table.lines.is_empty())
            .for_each(|table| write_table(&mut text, table));
    }
    shortened(text)
}

fn sentences(all: &[String]) -> String {
    all.iter().map(|one| quoted(one, MAX_SENTENCE)).collect::<Vec<_>>().join("; ")
}

fn write_table(text: &mut String, StepTable { header, lines, note }: &StepTable) {
    let cells =
        |cells: &[String]| cells.iter().map(|cell| quoted(cell, MAX_CELL)).collect::<Vec<_>>().join(" | ");
    let _ = match note {
        Some(note) => writeln!(text, "\n{}", quoted(note, MAX_SENTENCE)),
        None => Ok(()),
    };
    let _ = write!(text, "\n| {} |\n|{}\n", cells(header), "---|".repeat(header.len()));
    for line in lines.iter().take(MAX_LINES) {
        let _ = writeln!(text, "| {} |", cells(line));
    }
    let more = lines.len().saturating_sub(MAX_LINES);
    if more > 0 {
        let _ = writeln!(text, "\nAnd {more} more.");
    }
}

/// `text` on one line of at most `most` columns: nothing in it is Markdown or HTML, an address is no link, and a dollar is not a formula.
fn quoted(text: &str, most: usize) -> String {
    let mut quoted = String::new();
    let mut before = ' ';
    let escaped = escaped(&within(text, most));
    let mut chars = escaped.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '$' => quoted.push_str("&#36;"),
            // A word joiner behind it, which nobody sees, is no part of an address or a name.
            '@' => quoted.push_str("&#64;&#8288;"),
            ':' if chars.peek().is_some_and(|next| *next != ' ') => quoted.push_str("&#58;"),
            '.' if matches!(before, 'w' | 'W') => quoted.push_str("&#46;"),
            char => quoted.push(char),
        }
        before = char;
    }
    quoted
}

/// `text` up to the last whole line that fits.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_BYTES {
        let room = &text.as_bytes()[..MAX_BYTES - CUT.len()];
        let end = room.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        text.truncate(end);
        text.push_str(CUT);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_cell(text: &str) -> String {
        let table =
            StepTable { header: vec!["row".to_owned()], lines: vec![vec![text.to_owned()]], note: None };
        let part = StepPart { title: text.to_owned(), tables: vec![table] };
        let verdict = GateVerdict::Failed(vec![text.to_owned()]);
        step_summary(&StepSummary { title: text.to_owned(), verdict, parts: vec![part] })
    }

    #[test]
    fn whatever_rows_hold_is_text() {
        for (hostile, shown) in [
            ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
            ("a | b\n| c |", "a \\| b \\| c \\|"),
            ("\n\n# Passed\n\n- [x] ok", "  \\# Passed  - \\[x\\] ok"),
            ("![x](http://a.test/?k=v)", "!\\[x\\](http&#58;//a.test/?k=v)"),
            ("see www.a.test", "see www&#46;a.test"),
            ("$$\\frac{1}{2}$$ @everyone", "&#36;&#36;\\\\frac{1}{2}&#36;&#36; &#64;&#8288;everyone"),
            ("```\n::set-output", "\\`\\`\\` &#58;&#58;set-output"),
            ("&lt;b&gt; \u{202e}x\u{1b}[31m", "&amp;lt;b&amp;gt; \u{fffd}x\u{fffd}\\[31m"),
        ] {
            let text = one_cell(hostile);
            let lines: Vec<&str> = text.lines().collect();
            let expected = [
                String::new(),
                format!("## {shown}"),
                String::new(),
                format!("**Failed**: {shown}"),
                String::new(),
                format!("### {shown}"),
                String::new(),
                "| row |".to_owned(),
                "|---|".to_owned(),
                format!("| {shown} |"),
            ];
            assert_eq!(lines, expected, "{hostile}");
        }
    }

    #[test]
    fn a_summary_is_cut_between_lines() {
        let line = |n: usize| vec![n.to_string(), "<".repeat(10_000)];
        let table = || StepTable {
            header: vec!["row".to_owned(), "why".to_owned()],
            lines: (0..100).map(line).collect(),
            note: None,
        };
        let part = |n: usize| StepPart { title: n.to_string(), tables: vec![table()] };
        let text = step_summary(&StepSummary { parts: (0..9).map(part).collect(), ..StepSummary::default() });
        assert!(text.len() <= MAX_BYTES && text.len() > MAX_BYTES - 4 * MAX_CELL, "{}", text.len());
        let kept = text.strip_suffix(CUT).unwrap();
        assert!(kept.ends_with('|') && kept.contains("\n\nAnd 60 more.\n"), "{}", &kept[kept.len() - 200..]);
        let short = one_cell("a");
        assert!(!short.contains("left out"), "{short}");
    }
}
