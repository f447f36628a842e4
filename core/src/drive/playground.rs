//! A case's tools, called by hand without an episode.

use std::sync::Arc;

use super::compat::Loop;
use super::script::arguments;
use super::stage::{Stage, StageError};
use super::suite::Case;
use super::world::{Came, Live, Returned};
use crate::domain::{Json, ToolCall};

/// The world of a case, and what calls by hand have made of it.
#[derive(Debug)]
pub struct Playground {
    stage: Arc<Stage>,
    world: Live,
}

impl Playground {
    /// The world at its beginning.
    ///
    /// # Errors
    /// If the case cannot be driven.
    pub fn new(case: Case) -> Result<Playground, StageError> {
        let mut stages = Stage::all(vec![case]).map_err(|(_, why)| why)?;
        let stage = stages.swap_remove(0);
        let world = Live::new(&stage.case.world);
        Ok(Playground { stage, world })
    }

    /// The case.
    pub fn case(&self) -> &Case {
        &self.stage.case
    }

    /// What a call returns, and whether that is an error. `given` are its arguments: an object, or a text of one.
    pub fn call(&mut self, tool: &str, given: Option<&Json>) -> (String, bool) {
        let call = ToolCall { name: tool.to_owned(), arguments: arguments(given), id: None };
        match self.world.call(&self.stage, Loop::Own, &call) {
            Came::Back(Returned { content, is_error, .. }) => (content, is_error),
            Came::OffScript => (format!("no rule answers this call of `{tool}`"), true),
            Came::Raised(error) => (error.to_string(), true),
        }
    }

    /// What the environment was left in; `None` where nothing changes.
    pub fn state(&self) -> Option<&str> {
        self.world.state()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::langchain::task;
    use crate::environment::EnvironmentName;

    #[test]
    fn calls_change_the_state_and_errors_leave_it() {
        let case = task(EnvironmentName::Typewriter1).unwrap().cases.swap_remove(0);
        let mut playground = Playground::new(case).unwrap();
        let letter = Json::parse(r#"{"letter": "b"}"#).unwrap();
        assert_eq!(playground.call("type_letter", Some(&letter)), ("OK".to_owned(), false));
        let (text, is_error) = playground.call("type_letter", None);
        assert!(is_error && text.contains("field required"), "{text}");
        let (text, is_error) = playground.call("erase", Some(&letter));
        assert!(is_error && text.contains("try one of [type_letter]"), "{text}");
        let (text, is_error) = playground.call("type_letter", Some(&Json::from("{bad")));
        assert!(is_error && text.starts_with("the arguments are not a JSON object"), "{text}");
        assert_eq!(playground.state(), Some("b"));
    }
}
