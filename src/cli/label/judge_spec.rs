//! Which judge is meant: `builtin`, or `provider:model`.

use std::str::FromStr;

/// A judge as named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeSpec {
    Builtin,
    Model { model: String },
}

impl JudgeSpec {
    /// The name as it goes into the `judge` column.
    pub fn name(&self) -> String {
        match self {
            JudgeSpec::Builtin => "builtin".to_owned(),
            JudgeSpec::Model { model } => format!("openai:{model}"),
        }
    }
}

impl FromStr for JudgeSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<JudgeSpec, String> {
        match text.split_once(':') {
            None if text == "builtin" => Ok(JudgeSpec::Builtin),
            Some(("openai", model)) if !model.is_empty() => {
                Ok(JudgeSpec::Model { model: model.to_owned() })
            }
            _ => Err("use `builtin`, or `openai:MODEL` (any endpoint that speaks chat completions, with --base-url)"
                .to_owned()),
        }
    }
}
