//! Reads evaluator files of other tools as templates: the prompt, the labels, and what cannot be carried over.

mod answers;
mod chat;
mod labels;
mod mlflow;
mod openai;
mod phoenix;
mod promptfoo;
mod prompty;
mod sense;
mod slots;
mod source;
mod vocabulary;

use super::plain::Segment;
use super::template::Origin;
use crate::domain::Rails;

/// An evaluator, as far as it can be carried over.
#[derive(Debug)]
pub(super) struct Evaluator {
    pub origin: Origin,
    /// As it names itself.
    pub name: Option<String>,
    pub description: String,
    pub body: Body,
    /// Its labels, or why they cannot be taken from the file.
    pub rails: Result<Rails, String>,
    /// Whether something other than the text asks for the labels, so that a request must be added to the text.
    pub wants_request: bool,
    /// What is not carried over or works differently here, each a sentence for the user.
    pub notes: Vec<String>,
}

/// The text of an evaluator.
#[derive(Debug)]
pub(super) enum Body {
    Segments(Vec<Segment>),
    /// Jinja that begins after some lines of the file.
    Jinja {
        source: String,
        before: usize,
    },
}

/// A file of a form that was recognised and that cannot be used; why, with a remedy.
#[derive(Debug, PartialEq)]
pub(super) struct Unusable {
    pub origin: Origin,
    pub why: String,
}

/// The evaluator in a file's text; `None` if it is no evaluator file of another tool.
pub(super) fn read(source: &str) -> Option<Result<Evaluator, Unusable>> {
    // MLflow's instructions are any text, so a file that says what it is comes before them.
    let all = [openai::read, phoenix::read, promptfoo::read, prompty::read, mlflow::read];
    all.into_iter().find_map(|read| read(source))
}

/// Why a text that would be read as it is holds a prompt among other things.
pub(super) use source::no_prompt;

/// A name that columns can carry: letters, digits and `_`.
fn identifier(name: &str) -> Option<String> {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.map(str::to_lowercase).collect::<Vec<_>>().join("_");
    (!name.is_empty()).then_some(name)
}

/// What a file sets for the request to its model, as a note; `None` if nothing.
fn settings_note(model: Option<&str>, parameters: &[String]) -> Option<String> {
    let model = model.map(|model| format!("the model {model}"));
    let parameters = (!parameters.is_empty()).then(|| format!("the parameters {}", parameters.join(", ")));
    let set: Vec<String> = model.into_iter().chain(parameters).collect();
    (!set.is_empty()).then(|| {
        format!("--judge, --temperature and --max-tokens decide, not {} of the file", set.join(" and "))
    })
}

#[cfg(test)]
mod tests;
