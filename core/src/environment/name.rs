//! The names of the environments.

use std::str::FromStr;

use crate::domain::did_you_mean;

/// Which environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EnvironmentName {
    /// A typewriter with one tool, which types the letter that it is given.
    Typewriter1,
    /// A typewriter with a tool for each letter from a to z.
    Typewriter26,
    /// Tables of users, locations and foods.
    Relational,
    /// Arithmetic of another universe.
    Multiverse,
}

impl EnvironmentName {
    /// All of them.
    pub const ALL: [EnvironmentName; 4] = [
        EnvironmentName::Typewriter1,
        EnvironmentName::Typewriter26,
        EnvironmentName::Relational,
        EnvironmentName::Multiverse,
    ];

    /// As users spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            EnvironmentName::Typewriter1 => "typewriter-1",
            EnvironmentName::Typewriter26 => "typewriter-26",
            EnvironmentName::Relational => "relational",
            EnvironmentName::Multiverse => "multiverse",
        }
    }

    /// The peer's name for the task that is set in it.
    pub fn task(self) -> &'static str {
        match self {
            EnvironmentName::Typewriter1 => "Tool Usage - Typewriter (1 tool)",
            EnvironmentName::Typewriter26 => "Tool Usage - Typewriter (26 tools)",
            EnvironmentName::Relational => "Tool Usage - Relational Data",
            EnvironmentName::Multiverse => "Multiverse Math",
        }
    }

    /// What the agent is told before it is asked anything.
    pub fn instructions(self) -> &'static str {
        match self {
            EnvironmentName::Typewriter1 => {
                "Repeat the given string using the provided tools. Do not write anything else or provide any \
                 explanations. For example, if the string is 'abc', you must print the letters 'a', 'b', and 'c' one \
                 at a time and in that order. "
            }
            EnvironmentName::Typewriter26 => {
                "Repeat the given string by using the provided tools. Do not write anything else or provide any \
                 explanations. For example, if the string is 'abc', you must invoke the tools 'a', 'b', and 'c' in \
                 that order. Please invoke the functions without any arguments."
            }
            EnvironmentName::Relational => {
                "Please answer the user's question by using the tools provided. Do not guess the answer. Keep in mind \
                 that entities like users,foods and locations have both a name and an ID, which are not the same."
            }
            EnvironmentName::Multiverse => {
                "You are requested to solve math questions in an alternate mathematical universe. The operations have \
                 been altered to yield different results than expected. Do not guess the answer or rely on your  \
                 innate knowledge of math. Use the provided tools to answer the question. While associativity and \
                 commutativity apply, distributivity does not. Answer the question using the fewest possible tools. \
                 Only include the numeric response without any clarifications."
            }
        }
    }
}

/// A name that is not an environment's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an environment: use {names}{near}",
    names = EnvironmentName::ALL.map(EnvironmentName::as_str).join(", "),
    near = did_you_mean(.0, EnvironmentName::ALL.map(EnvironmentName::as_str))
)]
pub struct UnknownEnvironment(pub String);

impl FromStr for EnvironmentName {
    type Err = UnknownEnvironment;

    /// Our names, and the peer's for its tasks.
    fn from_str(text: &str) -> Result<EnvironmentName, UnknownEnvironment> {
        EnvironmentName::ALL
            .into_iter()
            .find(|name| name.as_str() == text || name.task() == text)
            .ok_or_else(|| UnknownEnvironment(text.to_owned()))
    }
}
