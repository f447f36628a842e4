//! Which judge is meant: `builtin`, or `provider:model`.

use std::str::FromStr;

use crate::judge::Provider;

/// A judge as named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeSpec {
    Builtin,
    Model { provider: Provider, model: String },
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
                "use `builtin`, or PROVIDER:MODEL with one of the providers {}",
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
        let model = |provider, model: &str| JudgeSpec::Model { provider, model: model.to_owned() };
        for (text, spec) in [
            ("builtin", JudgeSpec::Builtin),
            ("openai:gpt-5-mini", model(Provider::OpenAi, "gpt-5-mini")),
            ("ollama:qwen3:8b", model(Provider::Ollama, "qwen3:8b")),
            ("openai-responses:m", model(Provider::OpenAiResponses, "m")),
            ("azure:my-deployment", model(Provider::Azure, "my-deployment")),
        ] {
            assert_eq!(text.parse::<JudgeSpec>().unwrap(), spec);
        }
        for (text, word) in
            [("openai:", "PROVIDER:MODEL"), ("gpt", "PROVIDER:MODEL"), ("mystery:m", "`mystery`")]
        {
            let error = text.parse::<JudgeSpec>().unwrap_err();
            assert!(error.contains(word) && error.contains("anthropic"), "{error}");
        }
    }
}
