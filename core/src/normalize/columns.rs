//! Detects which columns of a table hold what: `user_input, generated, tools` are a question, a call and definitions.

mod place;
mod products;
mod wanted;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use strsim::levenshtein;

use crate::domain::{Slot, Variable, did_you_mean, nearest};
pub use place::Place;
pub use wanted::Wanted;
use words::{hint, list, say_which, wished};

/// The columns to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The column of questions, or a [`Place`] in one; `None` only where nobody wants them.
    pub question: Option<String>,
    /// That of calls, likewise.
    pub tool_call: Option<String>,
    /// `None` only when definitions are given elsewhere.
    pub tool_definitions: Option<String>,
    /// The columns that may hold the conversation that leads to the question; in each row the first that says something counts.
    pub messages: Vec<String>,
    /// Whether that conversation ends before the judged turn for sure, because the table comes from a conversion.
    pub before_turn: bool,
    /// The texts that a prompt shows, where the rows are in normal form.
    pub raw: Option<String>,
    /// What the assistant did after the turn, in a table that comes from a conversion.
    pub next_message: Option<String>,
    /// What only some templates show.
    pub extras: Vec<(Variable, String)>,
}

/// The columns that every converted table has, whatever else it holds.
pub const CONVERTED: [&str; 5] = ["question", "messages", "tool_call", "tool_definitions", "flags"];

/// Other names of the column with what was said before the question.
const HISTORIES: &[&str] = &[
    "conversation",
    "chat_history",
    "chatHistory",
    "conversation_history",
    "message_history",
    "previous_messages",
    "history",
];

/// The columns of xLAM's tables, in which `answers` are calls. Elsewhere they are gold.
const PLANNED: [&str; 3] = ["query", "tools", "answers"];

/// Why the columns of a table cannot be told.
///
/// `columns` lists the columns that there are; `likely` is the one that may be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum ColumnError {
    /// No column has a usual name for these slots, each with the column that may be meant.
    #[error(
        "no column holds {}; the columns are {}{}",
        wished(slots),
        list(columns),
        products::seen_in(columns).unwrap_or_else(|| say_which(slots, columns))
    )]
    Missing { slots: Vec<(Slot, Option<String>)>, columns: Vec<String> },
    /// A template shows a column that is not there.
    #[error(
        "a template shows `row[\"{column}\"]`, but there is no such column{}; the columns are {}",
        did_you_mean(column, columns.iter().map(String::as_str)),
        list(columns)
    )]
    NoColumn { column: Arc<str>, columns: Vec<String> },
    /// The slot was mapped to a column, but nobody is shown it.
    #[error("the {0} is given a column, but nothing that judges here is shown a {0}")]
    NotShown(Slot),
    /// The slot was mapped to a column that is not there.
    #[error(
        "the {slot} should be in column `{column}`, which is not there{}; the columns are {}",
        hint(*slot, likely.as_deref()),
        list(columns)
    )]
    Unknown { slot: Slot, column: String, likely: Option<String>, columns: Vec<String> },
    /// Two columns of one name.
    #[error("two columns are called `{0}`")]
    Duplicate(String),
    /// One column was mapped to two slots.
    #[error("column `{column}` cannot be both the {first} and the {second}")]
    UsedTwice { column: String, first: Slot, second: Slot },
    /// One slot was mapped to two columns.
    #[error("the {0} is mapped to more than one column")]
    MappedTwice(Slot),
}

/// Chooses the columns of a table with these `names`: those of the `mapping` first, then by their aliases. No column is
/// used twice.
pub fn resolve(
    names: &[String],
    mapping: &[(Slot, String)],
    definitions_given_elsewhere: bool,
) -> Result<Columns, ColumnError> {
    resolve_wanted(names, mapping, definitions_given_elsewhere, &Wanted::default())
}

/// The same for judges that are shown what is `wanted`.
///
/// # Errors
/// If a column is missing or could mean two things.
pub fn resolve_wanted(
    names: &[String],
    mapping: &[(Slot, String)],
    definitions_given_elsewhere: bool,
    wanted: &Wanted,
) -> Result<Columns, ColumnError> {
    let has = |name: &str| names.iter().any(|column| column == name);
    let in_two_columns = Place::of_calls(&has);
    let mapped = |slot| mapping.iter().filter(move |(of, _)| *of == slot).map(|(_, column)| column);
    let mut used: Vec<(&str, Slot)> = Vec::new();
    for slot in Slot::ALL {
        let mut columns = mapped(slot);
        let Some(column) = columns.next() else { continue };
        if !wanted.has(slot) && !Slot::ALWAYS.contains(&slot) {
            return Err(ColumnError::NotShown(slot));
        }
        if columns.next().is_some() {
            return Err(ColumnError::MappedTwice(slot));
        }
        if Place::of(column, &has).is_none() {
            let free = names.iter().filter(|name| !used.iter().any(|(column, _)| column == name));
            let near = nearest(column, free.map(String::as_str)).map(str::to_owned);
            let likely = near.or_else(|| likely(slot, names, &used, &[column]));
            let columns = names.to_vec();
            return Err(ColumnError::Unknown { slot, column: column.clone(), likely, columns });
        }
        if let Some((_, first)) = used.iter().find(|(other, _)| other == column) {
            return Err(ColumnError::UsedTwice { column: column.clone(), first: *first, second: slot });
        }
        used.push((column, slot));
    }
    for slot in Slot::ALL {
        let free =
            |alias: &&str| names.iter().any(|name| name == *alias) && !used.iter().any(|(c, _)| c == alias);
        if wanted.has(slot) && mapped(slot).next().is_none() {
            let usual = wanted.aliases(slot).find(free);
            let is_unsure = slot == Slot::ToolCall && usual.is_some_and(|alias| !SURE_CALLS.contains(&alias));
            let is_free = |name: &&String| !used.iter().any(|(column, _)| column == name);
            let clear = names.iter().filter(is_free).find(|name| is_unsure && are_clearly_calls(name));
            used.extend(clear.map(String::as_str).or(usual).map(|column| (column, slot)));
        }
    }
    let filled = |slot| used.iter().any(|(_, of)| *of == slot);
    if wanted.has(Slot::ToolCall)
        && !filled(Slot::ToolCall)
        && PLANNED.iter().all(|name| names.iter().any(|column| column == name))
    {
        used.push(("answers", Slot::ToolCall));
    } else if wanted.has(Slot::ToolCall) && !filled(Slot::ToolCall) {
        used.extend(in_two_columns.as_deref().map(|place| (place, Slot::ToolCall)));
    }
    if let Some((column, _)) =
        used.iter().find(|(column, _)| names.iter().filter(|name| name == column).count() > 1)
    {
        return Err(ColumnError::Duplicate((*column).to_owned()));
    }
    let column = |slot| used.iter().find(|(_, of)| *of == slot).map(|(column, _)| (*column).to_owned());
    let missing = |slot: Slot| {
        let others = wanted.required.iter().filter_map(|variable| match variable {
            Variable::Slot(other) if *other != slot && Slot::ALWAYS.contains(other) => Some(*other),
            _ => None,
        });
        let mut taken = used.clone();
        let mut slots = Vec::new();
        for slot in std::iter::once(slot).chain(others).filter(|slot| column(*slot).is_none()) {
            let likely = likely(slot, names, &taken, slot.aliases());
            taken.extend(
                likely
                    .as_ref()
                    .and_then(|name| names.iter().find(|column| *column == name))
                    .map(|name| (name.as_str(), slot)),
            );
            slots.push((slot, likely));
        }
        ColumnError::Missing { slots, columns: names.to_vec() }
    };
    let mut extras = Vec::new();
    for slot in Slot::ALL.into_iter().filter(|slot| !Slot::ALWAYS.contains(slot)) {
        extras.extend(column(slot).map(|column| (Variable::Slot(slot), column)));
    }
    for variable in wanted.required.iter().chain(&wanted.optional) {
        match variable {
            Variable::Column(name) if names.iter().any(|column| **column == **name) => {
                extras.push((variable.clone(), name.to_string()));
            }
            Variable::Column(name) if wanted.required.contains(variable) => {
                return Err(ColumnError::NoColumn { column: Arc::clone(name), columns: names.to_vec() });
            }
            Variable::Slot(slot) if wanted.required.contains(variable) && column(*slot).is_none() => {
                match slot {
                    // It can be put together out of the others, if there are some.
                    Slot::Transcript if column(Slot::Question).is_some() => {}
                    Slot::NextMessage if column(Slot::Response).is_some() => {}
                    _ => return Err(missing(*slot)),
                }
            }
            _ => {}
        }
    }
    let named = |name: &str| names.iter().any(|column| column == name).then(|| name.to_owned());
    let unused = |name: &str| used.iter().all(|(column, _)| *column != name);
    let free = |name: &str| named(name).filter(|_| unused(name));
    let mut messages: Vec<String> = free("messages").into_iter().collect();
    let raw = named("raw").filter(|_| unused("raw") && !messages.is_empty());
    let before_turn = raw.is_some() || CONVERTED.iter().all(|own| names.iter().any(|name| name == own));
    if !before_turn {
        messages.extend(HISTORIES.iter().filter_map(|name| free(name)));
    }
    Ok(Columns {
        before_turn,
        next_message: named("next_message").filter(|_| before_turn && unused("next_message")),
        raw,
        messages,
        question: column(Slot::Question),
        tool_call: column(Slot::ToolCall),
        tool_definitions: match column(Slot::ToolDefinitions) {
            None if !definitions_given_elsewhere => return Err(missing(Slot::ToolDefinitions)),
            found => found,
        },
        extras,
    })
}

/// Columns of calls whose name leaves no doubt; the other usual names may be those of what the agent said.
const SURE_CALLS: &[&str] = &["tool_call", "tool_calls", "generated"];

/// Whether a column's name says that it holds the calls: `toolCalls`, `actual_tool_calls`, `functions_called`.
fn are_clearly_calls(name: &str) -> bool {
    const TOOL: &[&str] = &["tool", "function"];
    const CALL: &[&str] = &["call", "called", "invocation"];
    const WHOSE: &[&str] =
        &["actual", "agent", "assistant", "model", "llm", "predicted", "generated", "output"];
    let words = split_words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let known = words.iter().all(|word| [TOOL, CALL, WHOSE].iter().any(|list| list.contains(&word.as_str())));
    known && has(CALL) && (has(TOOL) || words.len() == 1) && !place::is_name(name)
}

/// Words in the names of columns that hold what was expected, what came of a call, or a row's name: to judge these would be to
/// judge the gold, or nothing at all.
const NEVER_LIKELY: &[&str] = &[
    "reference",
    "ref",
    "gold",
    "golden",
    "expected",
    "expect",
    "target",
    "answer",
    "truth",
    "label",
    "labeled",
    "labelled",
    "correct",
    "ideal",
    "solution",
    "annotation",
    "annotated",
    "result",
    "observation",
    "return",
    "returned",
    "error",
    "status",
    "score",
    "verdict",
    "id",
    "ids",
    "uuid",
    "guid",
    "hash",
    "choice",
    "count",
    "num",
    "index",
    "name",
];

/// Whether a column of this name may hold what belongs into `slot`: no word of it says otherwise, and it is no other slot's.
fn may_hold(slot: Slot, name: &str) -> bool {
    let words = split_words(name);
    if !Slot::ALWAYS.contains(&slot) {
        return !Slot::ALWAYS.iter().any(|other| other.aliases().contains(&name));
    }
    !Slot::ALWAYS.iter().any(|other| *other != slot && other.aliases().contains(&name))
        && !NEVER_LIKELY.iter().any(|never| words.iter().any(|word| word == singular(never)))
}

/// The unused column most like one of the `wanted` names: nearly the same letters, else a word in common.
fn likely<S: AsRef<str>>(
    slot: Slot,
    names: &[String],
    used: &[(&str, Slot)],
    wanted: &[S],
) -> Option<String> {
    const NEAR: usize = 2;
    let free =
        || names.iter().filter(|name| may_hold(slot, name) && !used.iter().any(|(column, _)| column == name));
    let distance = |name: &str| {
        wanted.iter().map(|wish| levenshtein(&fold(name), &fold(wish.as_ref()))).min().unwrap_or(usize::MAX)
    };
    let nearest = free().min_by_key(|name| distance(name)).filter(|name| distance(name) <= NEAR);
    let words: BTreeSet<String> = wanted.iter().flat_map(|wish| split_words(wish.as_ref())).collect();
    let shared = |name: &&String| split_words(name).iter().filter(|word| words.contains(*word)).count();
    // Of equally many words in common, the first column: `max_by_key` would take the last.
    let kin = || free().rev().max_by_key(shared).filter(|name| shared(name) > 0);
    nearest.or_else(kin).cloned()
}

fn fold(name: &str) -> String {
    split_words(name).concat()
}

/// The words of a name, in lower case and without a plural: `userMessages` is `user`, `message`.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.iter().filter(|word| !word.is_empty()).map(|word| singular(word).to_owned()).collect()
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word)
}

#[cfg(test)]
mod tests;
