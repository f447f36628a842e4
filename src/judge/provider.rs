//! The providers of judge models: names, addresses, keys and defaults.

use std::fmt;
use std::str::FromStr;

use reqwest::header::{AUTHORIZATION, HeaderName};

use super::UnknownProvider;

/// A provider or server of judge models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Chat completions, by OpenAI or any endpoint that speaks them.
    OpenAi,
    /// OpenAI's Responses API.
    OpenAiResponses,
    /// Azure OpenAI; a model is a deployment's name.
    Azure,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
    /// vLLM's server.
    Vllm,
    /// llama.cpp's server.
    LlamaCpp,
    /// Ollama's own API.
    Ollama,
}

impl Provider {
    /// All of them, in the order in which messages list them.
    pub const ALL: [Provider; 8] = [
        Provider::OpenAi,
        Provider::OpenAiResponses,
        Provider::Azure,
        Provider::Anthropic,
        Provider::Gemini,
        Provider::Vllm,
        Provider::LlamaCpp,
        Provider::Ollama,
    ];

    /// The name before the colon of `provider:model`.
    pub fn as_str(self) -> &'static str {
        match self {
            Provider::OpenAi => "openai",
            Provider::OpenAiResponses => "openai-responses",
            Provider::Azure => "azure",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "gemini",
            Provider::Vllm => "vllm",
            Provider::LlamaCpp => "llamacpp",
            Provider::Ollama => "ollama",
        }
    }

    /// Its default address; an Azure resource has its own.
    pub fn default_base_url(self) -> Option<&'static str> {
        match self {
            Provider::OpenAi | Provider::OpenAiResponses => Some("https://api.openai.com/v1"),
            Provider::Azure => None,
            Provider::Anthropic => Some("https://api.anthropic.com/v1"),
            Provider::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
            Provider::Vllm => Some("http://localhost:8000/v1"),
            Provider::LlamaCpp => Some("http://localhost:8080/v1"),
            Provider::Ollama => Some("http://localhost:11434"),
        }
    }

    /// The environment variable that usually holds the key; local servers have none.
    pub(crate) fn key_variable(self) -> Option<&'static str> {
        match self {
            Provider::OpenAi | Provider::OpenAiResponses => Some("OPENAI_API_KEY"),
            Provider::Azure => Some("AZURE_OPENAI_API_KEY"),
            Provider::Anthropic => Some("ANTHROPIC_API_KEY"),
            Provider::Gemini => Some("GEMINI_API_KEY"),
            Provider::Vllm | Provider::LlamaCpp | Provider::Ollama => None,
        }
    }

    /// Whether it requires a key at its default address.
    pub(crate) fn needs_key(self) -> bool {
        self.key_variable().is_some()
    }

    /// The header with the key, and the prefix of the key.
    pub(super) fn key_header(self) -> (HeaderName, &'static str) {
        match self {
            Provider::Azure => (HeaderName::from_static("api-key"), ""),
            Provider::Anthropic => (HeaderName::from_static("x-api-key"), ""),
            Provider::Gemini => (HeaderName::from_static("x-goog-api-key"), ""),
            _ => (AUTHORIZATION, "Bearer "),
        }
    }

    /// Headers that every request must have.
    pub(super) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Provider::Anthropic => &[("anthropic-version", "2023-06-01")],
            _ => &[],
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Provider, UnknownProvider> {
        let named = Provider::ALL.into_iter().find(|provider| provider.as_str() == text);
        named.ok_or_else(|| UnknownProvider(text.to_owned()))
    }
}
