//! `privacy`: prints the page about what is sent where, and what is kept.

const PAGE: &str = include_str!("../../docs/privacy.md");

/// The page without its markup: each paragraph is one line, which help wraps.
pub fn text() -> String {
    PAGE.trim().split("\n\n").map(block).collect::<Vec<_>>().join("\n\n")
}

fn block(text: &str) -> String {
    if text.starts_with('#') {
        text.trim_start_matches(['#', ' ']).to_uppercase()
    } else if text.starts_with('|') {
        table(text)
    } else if text.starts_with("```") {
        let lines = text.lines().filter(|line| !line.starts_with("```"));
        lines.map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
    } else {
        plain(&text.replace('\n', " "))
    }
}

/// An item for each row, with a line for each cell.
fn table(text: &str) -> String {
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| plain(cell.trim())).collect()
    };
    let mut lines = text.lines();
    let header = lines.next().map(cells).unwrap_or_default();
    let item = |line: &str| {
        let row = cells(line);
        let rest = header.iter().zip(&row).skip(1).map(|(name, cell)| format!("\n    {name}: {cell}"));
        format!("- {}{}", row[0], rest.collect::<String>())
    };
    lines.skip(1).map(item).collect::<Vec<_>>().join("\n")
}

/// A text without bold letters and links.
fn plain(text: &str) -> String {
    let mut text = text.replace("**", "");
    while let Some((before, (_, after))) =
        text.split_once("](").and_then(|(before, rest)| Some((before, rest.split_once(')')?)))
    {
        let (before, words) = before.rsplit_once('[').unwrap_or(("", before));
        // One in brackets only leads on.
        text = match (before.strip_suffix(" ("), after.strip_prefix(')')) {
            (Some(before), Some(after)) => format!("{before}{after}"),
            _ => format!("{before}{words}{after}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_gone_and_words_stay() {
        assert_eq!(plain("**Keys** go ([how](a.md#b)) to [a server](c.md)."), "Keys go to a server.");
        assert_eq!(block("## What is kept"), "WHAT IS KEPT");
        assert_eq!(
            block("| file | holds |\n|---|---|\n| a | `x`, y |\n| b | z |"),
            "- a\n    holds: `x`, y\n- b\n    holds: z"
        );
        let text = text();
        assert!(text.contains("There is no telemetry") && text.contains("OPENAI_BASE_URL"), "{text}");
        assert!(!text.contains("](") && !text.contains("**") && !text.contains("|---"), "{text}");
    }
}
