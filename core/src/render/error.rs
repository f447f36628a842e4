//! Why a template cannot be used.

use crate::domain::{RowError, Slot, Variable, did_you_mean};

/// Why a template cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TemplateError {
    /// The TOML at the head of the file; what is wrong, in words.
    #[error("front matter: {0}")]
    FrontMatter(String),
    /// What Jinja says of the text.
    #[error("{0}")]
    Syntax(String),
    /// Variables that do not exist.
    #[error(
        "unknown variable {}; a template can use {}, explain, and any column by its name as row[\"column\"]{}",
        list(.0),
        Slot::ALL.map(Slot::as_str).join(", "),
        .0.first().map_or_else(String::new, |name| remedy(name))
    )]
    UnknownVariables(Vec<String>),
    /// A column whose name only the template can tell.
    #[error("a column of the row must be named in the text, as row[\"policy\"] or row.policy")]
    UnknownColumn,
    /// Values that the row does not have.
    #[error("the row has no {}, which the template shows", some(.0))]
    Lacking(Vec<Variable>),
    /// Variables that the front matter lists.
    #[error("{} never used in the text", list(.0))]
    MissingVariables(Vec<String>),
    /// Variables that the front matter does not list.
    #[error("{} used in the text but not listed under `variables` in the front matter", list(.0))]
    UndeclaredVariables(Vec<String>),
    /// A Jinja tag in a file that would be taken for plain text.
    #[error(
        "line {line}: `{tag}` is Jinja, but the file has no front matter, so it would go to the judge as it stands; begin the \
         file with front matter as `tooljudge templates show tool_calling` has it, or leave such tags out"
    )]
    JinjaWithoutFrontMatter {
        /// Where the tag begins, counted from 1.
        line: usize,
        /// The tag as it stands there.
        tag: String,
    },
    /// An evaluator file of another tool that cannot be used as it is.
    #[error("{kind}: {why}")]
    Evaluator {
        /// What such a file is called.
        kind: &'static str,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A value could not be laid into the text; the cause.
    #[error("cannot be rendered: {0}")]
    Render(String),
}

fn some(variables: &[Variable]) -> String {
    variables.iter().map(Variable::to_string).collect::<Vec<_>>().join(" and no ")
}

/// What may have been meant by a variable that does not exist: one of ours, or a column with a name of its own.
fn remedy(name: &str) -> String {
    /// Longer ones would make the error long, and are hardly anybody's.
    const LONGEST: usize = 30;
    let meant = did_you_mean(name, Slot::ALL.map(Slot::as_str));
    let is_name = name.len() <= LONGEST && name.chars().all(|char| char.is_alphanumeric() || char == '_');
    match meant.is_empty() && is_name {
        true => format!("; or say --column {name}=COLUMN"),
        false => meant,
    }
}

/// The first names.
fn list(names: &[String]) -> String {
    const MAX_NUMBER: usize = 5;
    let shown = names.iter().take(MAX_NUMBER).map(|name| format!("`{}`", RowError::excerpt(name)));
    let more = (names.len() > MAX_NUMBER).then(|| format!("{} more", names.len() - MAX_NUMBER));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

/// A message of no more than some lines.
pub(super) fn excerpt(message: &str) -> String {
    const MAX_LENGTH: usize = 500;
    match message.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}
