//! Whether messages and help are colored.

use std::ffi::OsString;

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;

/// What introduces an error.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What introduces a warning.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The value of `--color`, before all else is parsed: what is wrong with the rest is coloured too.
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
