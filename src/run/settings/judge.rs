//! Settings of one judge: which model, where, and how it is used.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Map, Value};

#[cfg(feature = "cli")]
use crate::check::BaselineKind;
#[cfg(feature = "cli")]
use crate::domain::Look;
use crate::judge::{Concurrency, Endpoint, Function, Limits, Price, Provider, SetupError};

/// One judge of a panel.
#[derive(Debug, Clone)]
pub struct JudgeSettings {
    /// Its name in columns, reports and manifests.
    pub name: String,
    /// Which judge it is.
    pub kind: JudgeKind,
}

impl JudgeSettings {
    /// The built-in judge: offline, free, deterministic.
    pub fn builtin() -> JudgeSettings {
        JudgeSettings { name: "builtin".to_owned(), kind: JudgeKind::Builtin }
    }

    /// A model at its provider's own address. If it needs a key, set [`EndpointSettings::api_key`].
    pub fn model(provider: Provider, model: &str) -> JudgeSettings {
        JudgeSettings {
            name: format!("{provider}:{model}"),
            kind: JudgeKind::Model(Box::new(ModelSettings::new(provider, model))),
        }
    }

    /// A function of this process, under its own name.
    pub fn function(function: Function) -> JudgeSettings {
        JudgeSettings {
            name: function.name.clone(),
            kind: JudgeKind::Function(Box::new(FunctionSettings::new(function))),
        }
    }

    /// The built-in judge with the model file that [`train`](crate::run::train()) wrote, named by the file.
    pub fn trained(file: impl Into<PathBuf>) -> JudgeSettings {
        let file = file.into();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        JudgeSettings { name: format!("builtin:{stem}"), kind: JudgeKind::Trained(file) }
    }

    /// What [`JudgeSettings::is_reserved`] is about, in words.
    #[cfg(feature = "cli")]
    pub(crate) const RESERVED: &str = "this name stands for a judge of tooljudge's own (builtin, PROVIDER:MODEL, script:FILE or a baseline)";

    /// Whether `name` is reserved: for the built-in judge, a provider's model, a scripted agent, or a baseline. Nothing else may
    /// have such a name, or one that looks like it, because columns and reports would name the wrong judge.
    #[cfg(feature = "cli")]
    pub(crate) fn is_reserved(name: &str) -> bool {
        let look = Look::of(name);
        let is_any = |names: &[&str]| names.iter().any(|name| look.is_like(name));
        match look.has_colon {
            true => is_any(&["builtin", "script"]) || is_any(&Provider::ALL.map(Provider::as_str)),
            false => is_any(&["builtin"]) || is_any(&BaselineKind::ALL.map(BaselineKind::as_str)),
        }
    }

    /// Whether `name` could be read as a PROVIDER:MODEL, be it of a provider that a later version knows.
    #[cfg(feature = "cli")]
    pub(crate) fn is_like_a_model(name: &str) -> bool {
        Look::of(name).has_colon
    }

    /// Whether it is the built-in judge, trained or not, which needs no store and no network.
    pub fn is_builtin(&self) -> bool {
        matches!(self.kind, JudgeKind::Builtin | JudgeKind::Trained(_))
    }
}

/// Which judge is meant.
#[derive(Debug, Clone)]
pub enum JudgeKind {
    /// The built-in one.
    Builtin,
    /// The built-in one with a trained model file.
    Trained(PathBuf),
    /// A model behind an endpoint.
    Model(Box<ModelSettings>),
    /// A function in this process.
    Function(Box<FunctionSettings>),
}

/// A function that judges, and how fast it is called.
#[derive(Debug, Clone)]
pub struct FunctionSettings {
    /// What is called.
    pub function: Function,
    /// Questions in flight, questions and tokens per minute. Default: 16 questions in flight.
    pub limits: Limits,
}

impl FunctionSettings {
    /// As many questions as fill a usual batch of a local model. Chosen.
    pub const CONCURRENCY: Concurrency = Concurrency::Fixed(NonZeroU32::new(16).unwrap());

    /// `function`, with the usual limits.
    pub fn new(function: Function) -> FunctionSettings {
        let limits = Limits { concurrency: FunctionSettings::CONCURRENCY, ..Limits::default() };
        FunctionSettings { function, limits }
    }
}

/// A judge model, its parameters, and its limits.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// Whose API it is.
    pub provider: Provider,
    /// The provider's name for the model; for Azure, the deployment.
    pub model: String,
    /// Its address and key. Default: the provider's own address, no key.
    pub endpoint: EndpointSettings,
    /// Requests in flight, requests and tokens per minute. Judges of one endpoint and model share those of the first of them.
    /// Default: what the endpoint's headers state.
    pub limits: Limits,
    /// Sampling temperature, from 0. Default: 0; 1 if a question is sent several times.
    pub temperature: Option<f64>,
    /// The longest answer in tokens, reasoning included. Default: for local servers (by name, by plain http, or on this
    /// machine) 512, 1,024 with an explanation, 2,048 with findings; none for others.
    pub max_tokens: Option<NonZeroU32>,
    /// The context window that a local server (Ollama) reserves, in tokens. Default: sized to the prompt.
    pub num_ctx: Option<NonZeroU32>,
    /// Fields added to the body of every request. Default: none.
    pub body: Map<String, Value>,
    /// What tokens cost. Default: the list price, at the provider's own address.
    pub price: Option<Price>,
}

impl ModelSettings {
    /// `model` at its provider's own address, with the provider's default settings.
    pub fn new(provider: Provider, model: &str) -> ModelSettings {
        ModelSettings {
            provider,
            model: model.to_owned(),
            endpoint: EndpointSettings::default(),
            limits: Limits::default(),
            temperature: None,
            max_tokens: None,
            num_ctx: None,
            body: Map::new(),
            price: None,
        }
    }

    /// The price that was set, else the list price, which applies only at the provider's own address: other hosts
    /// have other prices.
    pub fn price(&self) -> Option<Price> {
        let usual = self.endpoint.base_url.is_none()
            || self.endpoint.base_url.as_deref() == self.provider.default_base_url();
        self.price.or_else(|| usual.then(|| Price::listed(self.provider.as_str(), &self.model)).flatten())
    }
}

/// The address of a judge, its key, timeouts and retries. Keys, headers and query values are secrets: no log, error, store or
/// manifest shows them.
#[derive(Debug, Clone)]
pub struct EndpointSettings {
    /// The address, such as `https://api.openai.com/v1`. Default: the provider's own address, if it has one.
    pub base_url: Option<String>,
    /// Whether rows and keys may be sent unencrypted to a plain http address on another machine. Default: no.
    pub allow_http: bool,
    /// The API key. Default: none.
    pub api_key: Option<SecretString>,
    /// The environment variable that should contain the key and does not: then nothing is sent. Default: none.
    pub missing_key: Option<String>,
    /// Headers sent with every request. Default: none.
    pub headers: Vec<(String, SecretString)>,
    /// Pairs added to the URL of every request. Default: none.
    pub query: Vec<(String, SecretString)>,
    /// The URL of a proxy for all requests. Default: the system's settings.
    pub proxy: Option<SecretString>,
    /// The proxy that the system's settings name, for messages only: it is used anyway.
    pub system_proxy: Option<SecretString>,
    /// A PEM file of certificates that are trusted in addition to the system's. Default: none.
    pub ca_cert: Option<PathBuf>,
    /// The time limit for one attempt, from connecting to the last byte. Default: 120 seconds.
    pub timeout: Duration,
    /// Attempts for one question before it counts as errored, at least 1. A 429 is not an attempt. Default: 6.
    pub max_attempts: NonZeroU32,
    /// The longest wait that an endpoint may ask for; beyond it the run stops. Default: 600 seconds.
    pub max_wait: Duration,
}

impl Default for EndpointSettings {
    fn default() -> EndpointSettings {
        EndpointSettings {
            base_url: None,
            allow_http: false,
            api_key: None,
            missing_key: None,
            headers: Vec::new(),
            query: Vec::new(),
            proxy: None,
            system_proxy: None,
            ca_cert: None,
            timeout: Duration::from_secs(120),
            max_attempts: NonZeroU32::new(6).unwrap_or(NonZeroU32::MIN),
            max_wait: Duration::from_secs(600),
        }
    }
}

impl EndpointSettings {
    /// The endpoint of a model of `provider`.
    ///
    /// # Errors
    /// When an address, header or certificate cannot be used, or when there is no address.
    pub fn endpoint(&self, provider: Provider) -> Result<Endpoint, SetupError> {
        use secrecy::ExposeSecret;
        let base_url = self.base_url.as_deref().or(provider.default_base_url());
        let base_url = base_url.ok_or(SetupError::NoAddress(provider))?;
        let mut endpoint = Endpoint::new(base_url, self.api_key.clone())?;
        for (name, value) in &self.headers {
            endpoint = endpoint.with_header(name, value.clone())?;
        }
        for (name, value) in &self.query {
            endpoint = endpoint.with_query(name, value.clone());
        }
        if let Some(proxy) = &self.proxy {
            endpoint = endpoint.with_proxy(proxy.expose_secret())?;
        }
        if let Some(path) = &self.ca_cert {
            let unreadable =
                |error: std::io::Error| SetupError::CaCertFile { path: path.clone(), why: error.to_string() };
            let pem = std::fs::read(path).map_err(unreadable)?;
            endpoint = endpoint
                .with_ca_certificates(&pem)
                .map_err(|why| SetupError::CaCert { path: path.clone(), why: Box::new(why) })?;
        }
        Ok(match &self.system_proxy {
            Some(proxy) => endpoint.with_system_proxy(proxy.expose_secret()),
            None => endpoint,
        })
    }
}

/// A name that is neither `builtin` nor a provider with a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownJudge {
    /// It has no such form.
    #[error(
        "use `builtin`, or PROVIDER:MODEL with one of the providers {}, or `builtin:FILE` with a model of `tooljudge train`",
        Provider::ALL.map(Provider::as_str).join(", ")
    )]
    Form,
    /// It is a provider's name, without a model.
    #[error("`{0}` is a provider; name its model too, as in `{0}:MODEL`")]
    Bare(Provider),
    /// It is a model's name, without its provider.
    #[error("`{model}` is a model; name its provider too: `{provider}:{model}`")]
    Model {
        /// Whose model it seems to be.
        provider: Provider,
        /// As it was written.
        model: String,
    },
    /// It begins with no known provider.
    #[error(transparent)]
    Provider(#[from] crate::judge::UnknownProvider),
}

impl FromStr for JudgeSettings {
    type Err = UnknownJudge;

    /// `builtin`, `builtin:FILE`, or `PROVIDER:MODEL`.
    fn from_str(text: &str) -> Result<JudgeSettings, UnknownJudge> {
        match text.split_once(':') {
            None if text == "builtin" => Ok(JudgeSettings::builtin()),
            Some(("builtin", file)) if !file.is_empty() => Ok(JudgeSettings::trained(file)),
            Some((provider, model)) if !model.is_empty() => {
                Ok(JudgeSettings::model(provider.parse()?, model))
            }
            _ => Err(match (text.parse::<Provider>(), made_by(text)) {
                (Ok(provider), _) => UnknownJudge::Bare(provider),
                (_, Some((provider, model))) => UnknownJudge::Model { provider, model },
                _ => UnknownJudge::Form,
            }),
        }
    }
}

/// Whose model `text` seems to be, and its name as that provider writes it: `gpt5-mini` lacks a hyphen.
fn made_by(text: &str) -> Option<(Provider, String)> {
    let text = text.to_lowercase();
    let (begin, provider) = MAKERS.iter().find(|(begin, _)| {
        let stem = begin.trim_end_matches('-');
        let rest = text.strip_prefix(stem);
        let lacks_hyphen = stem.chars().all(char::is_alphabetic)
            && rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
        text.starts_with(begin) && !text.starts_with("gpt-oss") || lacks_hyphen
    })?;
    let rest = text.strip_prefix(begin.trim_end_matches('-'))?.trim_start_matches('-');
    (!rest.is_empty()).then(|| (*provider, format!("{begin}{rest}")))
}

/// How the names of models begin that only one provider makes.
const MAKERS: [(&str, Provider); 6] = [
    ("gpt-", Provider::OpenAi),
    ("o1-", Provider::OpenAi),
    ("o3-", Provider::OpenAi),
    ("o4-", Provider::OpenAi),
    ("claude-", Provider::Anthropic),
    ("gemini-", Provider::Gemini),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_by_name() {
        assert!(matches!("builtin".parse::<JudgeSettings>().unwrap().kind, JudgeKind::Builtin));
        let trained = "builtin:models/mine.model".parse::<JudgeSettings>().unwrap();
        assert!(matches!(&trained.kind, JudgeKind::Trained(file) if file.ends_with("mine.model")));
        assert_eq!((trained.name.as_str(), trained.is_builtin()), ("builtin:mine", true));
        for (text, provider, model) in [
            ("openai:gpt-5-mini", Provider::OpenAi, "gpt-5-mini"),
            ("ollama:qwen3:8b", Provider::Ollama, "qwen3:8b"),
            ("openai-responses:m", Provider::OpenAiResponses, "m"),
            ("azure:my-deployment", Provider::Azure, "my-deployment"),
        ] {
            let judge = text.parse::<JudgeSettings>().unwrap();
            assert_eq!(judge.name, text);
            let JudgeKind::Model(found) = judge.kind else { panic!("{text} is a model") };
            assert_eq!((found.provider, found.model.as_str()), (provider, model));
        }
        for (text, word) in [
            ("openai:", "PROVIDER:MODEL"),
            ("builtin:", "builtin:FILE"),
            ("gpt", "PROVIDER:MODEL"),
            ("gpt-oss-20b", "PROVIDER:MODEL"),
            ("mystery:m", "`mystery`"),
        ] {
            let error = text.parse::<JudgeSettings>().unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("anthropic"), "{error}");
        }
        for (text, name) in [
            ("gpt-5-mini", "openai:gpt-5-mini"),
            ("claude-opus-5", "anthropic:claude-opus-5"),
            ("gpt5-mini", "openai:gpt-5-mini"),
            ("GPT-5", "openai:gpt-5"),
            ("claude4", "anthropic:claude-4"),
        ] {
            let error = text.parse::<JudgeSettings>().unwrap_err().to_string();
            assert!(error.ends_with(&format!("name its provider too: `{name}`")), "{error}");
        }
        for provider in ["openai", "vllm"] {
            let error = provider.parse::<JudgeSettings>().unwrap_err().to_string();
            assert!(error.ends_with(&format!("name its model too, as in `{provider}:MODEL`")), "{error}");
        }
    }

    #[test]
    #[cfg(feature = "cli")]
    fn names_that_say_who_judges_are_reserved() {
        for name in [
            "builtin",
            "Builtin",
            " builtin\t",
            "built\u{200b}in",
            "builtin:mine.model",
            "BUILTIN:folder/mine",
            "openai:gpt-5-mini",
            "OpenAI: gpt-5-mini",
            " openai-responses :m",
            "ollama:qwen3:8b",
            "vllm:org/model",
            "azure:",
            "script:agent.jsonl",
            "all_correct",
            "schema_only",
            "built-in",
            "ｂｕｉｌｔｉｎ",
            "𝐛uiltin",
            "built\u{2060}in",
            "ｏｐｅｎａｉ:m",
            "openai：m",
            "open-ai:m",
            "vllm꞉m",
            "ａll_correct",
            "schema-only",
        ] {
            assert!(JudgeSettings::is_reserved(name), "{name:?}");
        }
        for provider in Provider::ALL {
            assert!(JudgeSettings::is_reserved(&format!("{provider}:m")), "{provider}");
        }
        for name in [
            "mini",
            "my-builtin",
            "builtin2",
            "openai",
            "gateway/openai",
            "team:mini",
            "my openai:m",
            "gold",
            "",
        ] {
            assert!(!JudgeSettings::is_reserved(name), "{name:?}");
        }
    }

    #[test]
    fn list_prices_hold_at_the_providers_own_address_only() {
        let mut model = ModelSettings::new(Provider::OpenAi, "gpt-5-mini");
        assert!(model.price().is_some());
        model.endpoint.base_url = Some("http://localhost:8000/v1".to_owned());
        assert!(model.price().is_none());
    }
}
