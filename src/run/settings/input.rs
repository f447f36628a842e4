//! Settings of the input, and how it is interpreted.

use std::path::PathBuf;
use std::str::FromStr;

use crate::domain::{Slot, did_you_mean};
use crate::normalize::NullCall;
use crate::normalize::logs::{FORMATS, LogFormat, Turns};
use crate::read::{Format, InMemory, Take};

/// Which rows a job reads, and how they are interpreted.
#[derive(Debug, Clone)]
pub struct InputSettings {
    /// Files, globs and folders, read as one table; `-` is the standard input. At least one, or a table in memory.
    pub inputs: Vec<String>,
    /// Tables in memory, after the files. Default: none.
    pub tables: Vec<InMemory>,
    /// The format of all inputs. Default: detected from names and contents.
    pub from: Option<InputKind>,
    /// Columns with unusual names. Default: none; usual names are detected.
    pub columns: Vec<(Slot, String)>,
    /// A file of tool definitions for all rows without their own. Default: none.
    pub tools: Option<PathBuf>,
    /// Only rows whose column holds exactly this text: pairs of column and text, all of which must hold. Default: all rows.
    pub filters: Vec<(String, String)>,
    /// How many of the filtered rows are read. Default: all.
    pub take: Take,
    /// What an empty tool call means. Default: that nothing was called.
    pub null_call: NullCall,
    /// Whether rows without tool definitions are errors. Default: no; they are judged without definitions.
    pub require_definitions: bool,
    /// Whether calls that the model's provider executed itself, such as web searches, are judged too. Default: no.
    pub include_server_tools: bool,
    /// Whether spans of whole agents are judged although they repeat the spans of their model calls. Default: no.
    pub agents: bool,
    /// Which turns of a transcript are judged. Default: those that call something; if all tasks are about whole transcripts, the
    /// last one.
    pub turns: Option<Turns>,
}

impl InputSettings {
    /// All rows of `inputs`, in their detected format.
    pub fn new<I: Into<String>>(inputs: impl IntoIterator<Item = I>) -> InputSettings {
        InputSettings {
            inputs: inputs.into_iter().map(Into::into).collect(),
            tables: Vec::new(),
            from: None,
            columns: Vec::new(),
            tools: None,
            filters: Vec::new(),
            take: Take::All,
            null_call: NullCall::NothingCalled,
            require_definitions: false,
            include_server_tools: false,
            agents: false,
            turns: None,
        }
    }
}

impl InputSettings {
    /// Whether rows of the inputs are left out.
    pub(crate) fn selects(&self) -> bool {
        !self.filters.is_empty() || self.take != Take::All
    }
}

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InputKind {
    /// A kind of file; logs within are still detected.
    File(Format),
    /// A kind of log.
    Log(&'static LogFormat),
    /// A table, even if its columns have the names of a log's keys.
    Rows,
}

/// A name that is neither a kind of file nor a kind of log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a format: use {names}, `rows`, or a kind of log (`tooljudge convert --formats` lists them){near}",
    names = Format::NAMES,
    near = near(.0)
)]
pub struct UnknownInputKind(pub String);

/// The format that was probably meant: by its whole name, by what that begins with, or by some of its letters.
fn near(text: &str) -> String {
    const FILES: [&str; 5] = ["csv", "jsonl", "json", "parquet", "arrow"];
    let begun = FORMATS
        .iter()
        .filter(|format| format.name.strip_prefix(text).is_some_and(|rest| rest.starts_with('_')));
    let begun: Vec<String> = begun.map(|format| format!("`{}`", format.name)).collect();
    if !begun.is_empty() {
        return format!("; that may be {}", begun.join(", "));
    }
    let products = || {
        let products = FORMATS.iter().map(|format| format.name.split('_').next().unwrap_or(format.name));
        products.filter(|product| LogFormat::named(product).is_some())
    };
    let names = || FILES.into_iter().chain(FORMATS.iter().map(|format| format.name)).chain(products());
    let found = did_you_mean(text, names());
    if !found.is_empty() {
        return found;
    }
    let mut holding: Vec<&str> = names().filter(|name| abbreviates(text, name)).collect();
    holding.sort_by_key(|name| name.len());
    match holding.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| other.starts_with(first)) => {
            format!("; did you mean `{first}`?")
        }
        _ => String::new(),
    }
}

/// Whether `text` begins as `name` does and has some of its letters in their order.
fn abbreviates(text: &str, name: &str) -> bool {
    let text = text.to_lowercase();
    let mut letters = name.chars();
    text.len() > 1
        && name.chars().next() == text.chars().next()
        && text.chars().all(|one| letters.any(|other| other == one))
}

impl FromStr for InputKind {
    type Err = UnknownInputKind;

    fn from_str(text: &str) -> Result<InputKind, UnknownInputKind> {
        match text {
            "rows" => Ok(InputKind::Rows),
            text => match text.parse() {
                Ok(format) => Ok(InputKind::File(format)),
                Err(_) => LogFormat::named(text)
                    .map(InputKind::Log)
                    .ok_or_else(|| UnknownInputKind(text.to_owned())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_is_nearly_named_is_offered() {
        for (text, offered) in [
            ("Langfuse", Some("langfuse")),
            ("lf", Some("langfuse")),
            ("langsmth", Some("langsmith")),
            ("jsnol", Some("jsonl")),
            ("OTLP", Some("otlp")),
            ("zzz", None),
        ] {
            let said = UnknownInputKind(text.to_owned()).to_string();
            match offered {
                Some(name) => assert!(said.contains(&format!("did you mean `{name}")), "{text}: {said}"),
                None => assert!(!said.contains("did you mean"), "{text}: {said}"),
            }
        }
        for text in ["openai", "tau", "langchain"] {
            let said = UnknownInputKind(text.to_owned()).to_string();
            let (_, offered) = said.split_once("; that may be ").unwrap_or_else(|| panic!("{said}"));
            for name in offered.split(", ") {
                assert!(name.trim_matches('`').parse::<InputKind>().is_ok(), "{said}");
            }
        }
        let all = FORMATS.iter().map(|format| format.name);
        for text in
            all.flat_map(|name| [format!("{name}x"), name.split('_').next().unwrap_or(name).to_owned() + "x"])
        {
            let said = UnknownInputKind(text.clone()).to_string();
            let offered = said.split_once("did you mean `").map(|(_, rest)| rest.trim_end_matches("`?"));
            assert!(offered.is_none_or(|name| name.parse::<InputKind>().is_ok()), "{text}: {said}");
        }
    }
}
