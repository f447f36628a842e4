//! An environment during an episode: the tools on offer, and the current state.

use super::input::Input;
use super::name::EnvironmentName;
use super::observation::Observation;
use super::tool::Tool;
use super::{ToolError, multiverse, relational, typewriter};
use crate::domain::ToolDefinition;

/// An environment that calls are made in, fresh for each episode.
///
/// ```
/// use tooljudge_core::domain::Object;
/// use tooljudge_core::environment::{Environment, EnvironmentName, Input};
///
/// let mut environment = Environment::new(EnvironmentName::Typewriter1);
/// let mut fields = Object::new();
/// let error = environment.call("type_letter", Input::Fields(&fields)).unwrap_err();
/// assert_eq!(error.exception(), "ValidationError");
/// fields.insert("letter", "b");
/// let observation = environment.call("type_letter", Input::Fields(&fields)).unwrap();
/// assert_eq!(observation.to_string(), "OK");
/// assert_eq!(environment.state(), Some("b"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    name: EnvironmentName,
    /// What the typewriters have typed.
    paper: String,
}

impl Environment {
    /// A fresh one.
    pub fn new(name: EnvironmentName) -> Environment {
        Environment { name, paper: String::new() }
    }

    /// Which one it is.
    pub fn name(&self) -> EnvironmentName {
        self.name
    }

    /// What the agent can call.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools().iter().map(Tool::definition).collect()
    }

    /// What an episode is judged by besides its steps and its answer: the typewriters' paper; `None` where nothing changes.
    pub fn state(&self) -> Option<&str> {
        match self.name {
            EnvironmentName::Typewriter1 | EnvironmentName::Typewriter26 => Some(&self.paper),
            EnvironmentName::Relational | EnvironmentName::Multiverse => None,
        }
    }

    /// What comes of a call. A call of a tool that is not there gives a text that says so, and nothing else; an error leaves the
    /// state as it was.
    pub fn call(&mut self, tool: &str, input: Input<'_>) -> Result<Observation, ToolError> {
        match self.tools().iter().find(|known| known.name == tool) {
            Some(known) => known.call(&mut self.paper, input),
            None => {
                let names: Vec<_> = self.tools().iter().map(|known| known.name).collect();
                let names = names.join(", ");
                Ok(Observation::text(format!("{tool} is not a valid tool, try one of [{names}].")))
            }
        }
    }

    fn tools(&self) -> &'static [Tool] {
        match self.name {
            EnvironmentName::Typewriter1 => typewriter::ONE,
            EnvironmentName::Typewriter26 => typewriter::LETTERS,
            EnvironmentName::Relational => relational::TOOLS,
            EnvironmentName::Multiverse => multiverse::TOOLS,
        }
    }
}
