//! Whether messages and help are colored.

use std::ffi::OsString;

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;

/// What introduces an error.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What introduces a warning.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// What passes, and what does not.
const PASSED: Style = AnsiColor::Green.on_default();
const FAILED: Style = AnsiColor::Red.on_default();

/// `text` with the beginning of each line in the color of what it says: up to two spaces it is a word that `passes` knows, of what passes
/// or of what does not.
pub fn tinted(text: &str, passes: impl Fn(&str) -> Option<bool>) -> String {
    let tint = |line: &str| {
        let begin = line.len() - line.trim_start().len();
        let end = line[begin..].find("  ").map_or(line.len(), |end| begin + end);
        let word = &line[begin..end];
        match passes(word) {
            Some(passes) => {
                let style = if passes { PASSED } else { FAILED };
                format!("{}{style}{word}{style:#}{}", &line[..begin], &line[end..])
            }
            None => line.to_owned(),
        }
    };
    text.split('\n').map(tint).collect::<Vec<_>>().join("\n")
}

/// A line about a failure with its mark in red.
pub fn marked(text: &str) -> String {
    match text.strip_prefix("FAIL ") {
        Some(rest) => format!("{FAILED}FAIL{FAILED:#} {rest}"),
        None => text.to_owned(),
    }
}

/// The value of `--color`, before all else is parsed: what is wrong with the rest is colored too.
pub fn chosen(arguments: &[OsString]) -> ColorChoice {
    let mut texts = arguments.iter().map_while(|argument| argument.to_str()).take_while(|text| *text != "--");
    while let Some(text) = texts.next() {
        let value = match text {
            "--color" => texts.next(),
            text => text.strip_prefix("--color="),
        };
        if let Some(value) = value {
            return value.parse().unwrap_or(ColorChoice::Auto);
        }
    }
    ColorChoice::Auto
}

/// Makes `color` hold for everything that is printed.
pub fn set(color: ColorChoice) {
    match color {
        // NO_COLOR, CLICOLOR and the terminal decide.
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_tinted_by_what_they_begin_with() {
        let text =
            " label      rows\n correct      10\n incorrect    14\n\npassed   57.2 % of correct\nincorrect";
        let passes = |word: &str| match word {
            "correct" | "passed" => Some(true),
            "incorrect" => Some(false),
            _ => None,
        };
        let expected = " label      rows\n \u{1b}[32mcorrect\u{1b}[0m      10\n \u{1b}[31mincorrect\u{1b}[0m    14\n\n\u{1b}[32mpassed\u{1b}[0m   \
                        57.2 % of correct\n\u{1b}[31mincorrect\u{1b}[0m";
        assert_eq!(tinted(text, passes), expected);
        assert_eq!(marked("FAIL a: b"), "\u{1b}[31mFAIL\u{1b}[0m a: b");
        assert_eq!(marked("a FAIL"), "a FAIL");
    }
}
