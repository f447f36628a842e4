//! Which judge is meant: `builtin`, or `provider:model`.

use std::str::FromStr;

use crate::judge::Provider;

/// A judge as named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeSpec {
    Builtin,
    Model { provider: Provider, model: String },
}

impl JudgeSpec {
    /// The name as it goes into the `judge` column.
    pub fn name(&self) -> String {
        match self {
            JudgeSpec::Builtin => "builtin".to_owned(),
            JudgeSpec::Model { provider, model } => format!("{provider}:{model}"),
        }
    }
}

impl FromStr for JudgeSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<JudgeSpec, String> {
        match text.split_once(':') {
            None if text == "builtin" => Ok(JudgeSpec::Builtin),
            Some((provider, model)) if !model.is_empty() => {
                Ok(JudgeSpec::Model { provider: provider.parse()?, model: model.to_owned() })
            }
            _ => Err(format!(
                "use `builtin`, or `openai:MODEL`, or another PROVIDER:MODEL; the providers are {}",
                Provider::ALL.map(Provider::as_str).join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_by_name() {
        for name in
            ["builtin", "openai:gpt-5-mini", "ollama:qwen3:8b", "openai-responses:m", "azure:my-deployment"]
        {
            assert_eq!(name.parse::<JudgeSpec>().unwrap().name(), name);
        }
        for (text, word) in
            [("openai:", "PROVIDER:MODEL"), ("gpt", "PROVIDER:MODEL"), ("mystery:m", "`mystery`")]
        {
            let error = text.parse::<JudgeSpec>().unwrap_err();
            assert!(error.contains(word) && error.contains("anthropic"), "{error}");
        }
    }
}
